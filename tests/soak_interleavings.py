"""Random threaded programs under every schedule, and under those that the reduction leaves: the same final states.

Usage: python -m tests.soak_interleavings [--programs 200] [--seed 1] [--schedules 3000]
"""

from __future__ import annotations

import argparse

from tests.testing.test_exploration import compare


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--schedules", type=int, default=3000, help="programs with more are passed over")
    given = parser.parse_args()
    compared = list(compare(range(given.seed, given.seed + given.programs), given.schedules))
    runs = sum(each.runs for each in compared)
    traces = sum(each.traces for each in compared)
    worst = max((each.runs / each.traces for each in compared), default=0.0)
    print(f"{len(compared)} programs compared, {runs:,} reduced runs for {traces:,} traces, at most {worst:.2f} times")


if __name__ == "__main__":
    main()
