"""Workers against threads: speed, memory and what is sent; and a simulation of more workers than there are here.

python benchmarks/distributed.py [MODEL ...]      two workers beside two threads
python benchmarks/distributed.py --simulate       10^10 states, 1 to 4,096 workers
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from typing import Any

import kripke
from kripke.engines.distributed.simulation import Machine, simulate

MODELS = Path(__file__).parent / "models"
DEFAULT = ("lift.pml", "filter_lock.pml", "wheels.pml")
WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)


def compare(files: list[Path]) -> None:
    ratios, parts_of_whole = [], []
    for file in files:
        model = kripke.load(str(file))
        ways: list[tuple[str, dict[str, Any]]] = [
            ("1 worker", {"workers": 1}),
            ("2 threads", {"threads": 2}),
            ("2 workers", {"workers": 2}),
            ("2 workers, auto", {"workers": 2, "partition": "auto"}),
        ]
        rates, counts, parts = {}, set(), {}
        for name, options in ways:
            result = model.check(properties="safety", por=False, all_errors=True, **options)
            rates[name] = result.states / max(result.seconds, 1e-9)
            counts.add((result.states, result.transitions))
            sent = f"{result.engine['transferred']:6.1%} sent" if "workers" in options else ""
            part = parts[name] = result.engine.get("largest_worker_bytes", result.store_bytes) / 2**20
            balance = f"balance {result.engine['balance']:.2f}" if "workers" in options else ""
            rate = f"{rates[name] / 1e6:7.2f} M/s"
            print(f"{file.stem:16} {name:16} {result.states:>12,} {rate} {part:8.0f} MB {sent} {balance}", flush=True)
        assert len(counts) == 1, f"{file.stem}: counts differ: {counts}"
        best = max(("2 workers", "2 workers, auto"), key=lambda name: rates[name])
        ratios.append(rates[best] / rates["2 threads"])
        parts_of_whole.append(parts[best] / parts["1 worker"])
    print(f"speed of two workers by that of two threads, median: {median(ratios):.2f}")
    print(f"memory of the larger of these two by that of one worker alone, median: {median(parts_of_whole):.2f}")


def show_curve() -> None:
    """From the profile of a real run, made larger; figures of a step and a message as measured here."""
    model = kripke.load(str(MODELS / "lift.pml"))
    one = model.check(properties="safety", por=False, all_errors=True, workers=1)
    two = model.check(properties="safety", por=False, all_errors=True, workers=2)
    profile = [(states, steps) for states, steps in two.engine["profile"]]
    step = one.seconds / one.transitions
    here = Machine(step=step, state_bytes=two.state_bytes + 1, bandwidth=2e9, latency=1e-6)
    told = simulate(profile, 2, here, sent_share=two.engine["transferred"])
    print(f"two workers on this machine: {two.seconds:.2f} s measured, {told.seconds:.2f} s predicted")
    factor = 10**10 / one.states
    large = [(round(states * factor), round(steps * factor)) for states, steps in profile]
    cluster = Machine(step=step, state_bytes=two.state_bytes + 1, bandwidth=1.25e9, latency=5e-6)
    print(f"{'workers':>8} {'seconds':>10} {'speed-up':>9} {'sent':>9} {'messages':>12} {'waiting':>8} {'waves':>8}")
    alone = simulate(large, 1, cluster).seconds
    for workers in WORKERS:
        p = simulate(large, workers, cluster)
        print(
            f"{workers:>8,} {p.seconds:>10,.1f} {alone / p.seconds:>9.1f} {p.bytes_sent / 1e9:>6,.0f} GB"
            f" {p.messages:>12,.0f} {p.waiting:>8.1%} {p.waves:>6.2f} s"
        )


if __name__ == "__main__":
    if "--simulate" in sys.argv[1:]:
        show_curve()
    else:
        given = [Path(name) for name in sys.argv[1:]]
        compare(given or [MODELS / name for name in DEFAULT])
