"""Workers against threads: speed, memory and what is sent; and a simulation of more workers than there are here.

python benchmarks/distributed.py [--repeat 2] [MODEL ...]      two workers beside two threads
python benchmarks/distributed.py --simulate                    10^10 states, 1 to 4,096 workers

With --repeat, the ways take turns, and each is credited with its best run.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median
from typing import Any

import kripke
from kripke.engines.distributed.simulation import Machine, simulate

MODELS = Path(__file__).parent / "models"
DEFAULT = ("lift.pml", "filter_lock.pml", "wheels.pml")
WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)


def compare(files: list[Path], repeat: int) -> None:
    ratios, parts_of_whole = [], []
    for file in files:
        model = kripke.load(str(file))
        ways: list[tuple[str, dict[str, Any]]] = [
            ("1 worker", {"workers": 1}),
            ("2 threads", {"threads": 2}),
            ("2 workers", {"workers": 2}),
            ("2 workers, auto", {"workers": 2, "partition": "auto"}),
        ]
        best: dict[str, kripke.Result] = {}
        for _ in range(repeat):
            for name, options in ways:
                result = model.check(properties="safety", por=False, all_errors=True, **options)
                if name not in best or result.seconds < best[name].seconds:
                    best[name] = result
        counts = {(result.states, result.transitions) for result in best.values()}
        assert len(counts) == 1, f"{file.stem}: counts differ: {counts}"
        rates = {name: result.states / max(result.seconds, 1e-9) for name, result in best.items()}
        parts = {
            name: result.engine.get("largest_worker_bytes", result.store_bytes) / 2**20 for name, result in best.items()
        }
        for name, result in best.items():
            facts = result.engine
            sent = f"{facts['transferred']:6.1%} sent balance {facts['balance']:.2f}" if "balance" in facts else ""
            rate = f"{rates[name] / 1e6:7.2f} M/s"
            print(f"{file.stem:16} {name:16} {result.states:>12,} {rate} {parts[name]:8.0f} MB {sent}", flush=True)
        better = max(("2 workers", "2 workers, auto"), key=lambda name: rates[name])
        ratios.append(rates[better] / rates["2 threads"])
        parts_of_whole.append(parts[better] / parts["1 worker"])
        print(f"{file.stem:16} {better} by 2 threads: {ratios[-1]:.2f}, memory {parts_of_whole[-1]:.2f}", flush=True)
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
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--simulate", action="store_true")
    options = parser.parse_args()
    if options.simulate:
        show_curve()
    else:
        compare(options.models or [MODELS / name for name in DEFAULT], options.repeat)
