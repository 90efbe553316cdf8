"""Random programs of coroutines under every schedule, and under those that the reduction leaves: the same final states.

Usage: python -m tests.soak_coroutines [--programs 200] [--seed 1] [--schedules 1000]
"""

from __future__ import annotations

import argparse

from tests.testing.test_asyncio import compare


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--schedules", type=int, default=1000, help="programs with more are passed over")
    given = parser.parse_args()
    compared = list(compare(range(given.seed, given.seed + given.programs), given.schedules))
    plain, reduced, outcomes = (sum(column) for column in zip(*compared, strict=True))
    print(f"{len(compared)} programs compared: {plain:,} schedules, {reduced:,} after reduction, {outcomes:,} outcomes")


if __name__ == "__main__":
    main()
