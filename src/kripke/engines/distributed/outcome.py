"""What the workers found, together, as the outcome of one search."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from kripke.engines.explicit.search import ErrorPath, Outcome, Progress, SearchRequest
from kripke.engines.explicit.stores import Loss


def progress_of(news: Mapping[str, Any], workers: int) -> Progress:
    """What the first worker tells on the way."""
    states, transitions, depth, queue, memory, seconds = news["progress"]
    return Progress(states, transitions, depth, queue, memory, seconds, workers, news["balance"])


def outcome_of(answer: Mapping[str, Any], request: SearchRequest) -> Outcome:
    """What the workers found, together."""
    parts = answer["parts"]

    def total(name: str) -> int:
        return sum(part[name] for part in parts)

    covered = [b64decode(part["covered"]) for part in parts]
    paths = tuple(
        ErrorPath(kind, code, label, tuple(b64decode(state) for state in path), *loop)
        for kind, code, label, path, *loop in answer["error_paths"]
    )
    loss = None
    if not request.store.exact:
        loss = Loss(sum(part["fill"] for part in parts) / len(parts), sum(part["omitted"] for part in parts))
    return Outcome(
        reason=answer["reason"],
        states=total("states"),
        transitions=total("transitions"),
        depth=max(part["level"] for part in parts),
        errors=total("errors") + sum(error.kind == "cycle" for error in paths),
        error_paths=paths,
        covered=bytes(max(column) for column in zip(*covered, strict=True)),
        state_bytes=max(part["state_bytes"] for part in parts),
        store_bytes=total("store_bytes"),
        seconds=answer["seconds"],
        queue=total("queue"),
        peak_bytes=total("peak_bytes"),
        loss=loss,
        checkpoints=answer.get("checkpoints", 0),
        failed_checkpoints=answer.get("failed_checkpoints", 0),
    )
