"""Random SMV files through every engine, for longer than the tests.

    ./dev python -m tests.soak_smv --cases 500 --seed 1

Every difference is printed; the exit code is 1 where there is one. What nobody knows in time is counted.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.support.smv_agreement import compared, random_model


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10.0, help="for each check")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(given.seed * 100_000, given.seed * 100_000 + given.cases):
        model = random_model(seed)
        if model is None:
            counts["refused"] += 1
            continue
        for name, engine, same in compared(model, given.seconds):
            word = "unknown" if same is None else "equal" if same else "DIFFERENT"
            counts[f"{engine} {name}: {word}"] += 1
            if same is False:
                print(f"DIFFERENT smv_program({seed}) {name} {engine}")
    for what, count in sorted(counts.items()):
        print(f"{count:6}  {what}")
    return int(any("DIFFERENT" in what for what in counts))


if __name__ == "__main__":
    sys.exit(main())
