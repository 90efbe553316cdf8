"""What a report says about the workers."""

from __future__ import annotations

from typing import Any

from kripke.engines.distributed.supervisor import Answer
from kripke.numbers import counted


def facts_of(answer: Answer) -> dict[str, Any]:
    """Parts of the steps and of the states; memory of the largest worker."""
    parts = answer.outcome["parts"]
    states = [part["states"] for part in parts]
    transitions = sum(part["transitions"] for part in parts)
    mean = sum(states) / len(states)
    spread = (sum((one - mean) ** 2 for one in states) / len(states)) ** 0.5
    return {
        "name": "distributed",
        "workers": len(parts),
        "hosts": sorted({part["host"] for part in parts}),
        "partition": answer.outcome.get("partition", "hash"),
        "transferred": sum(part["sent"] for part in parts) / max(1, transitions),
        "balance": max(states) / mean if mean else 1.0,
        "spread": spread / mean if mean else 0.0,
        "largest_worker_bytes": max(part["peak_bytes"] for part in parts),
        "moves": answer.outcome.get("moves", 0),
        "profile": answer.outcome.get("profile", []),
        "restarts": answer.restarts,
        "lost_hosts": list(answer.lost_hosts),
        "lost_seconds": answer.lost_seconds,
    }


def restart_notes(answer: Answer) -> tuple[str, ...]:
    if not answer.restarts:
        return ()
    times = counted(answer.restarts, "time")
    causes = "; ".join(cause.partition("\n")[0].removesuffix("; it said:") for cause in dict.fromkeys(answer.causes))
    gone = f"; {', '.join(answer.lost_hosts)} left out" if answer.lost_hosts else ""
    return (f"started again {times}, {answer.lost_seconds:.1f} s of work were done twice{gone} ({causes})",)
