"""Random pairs of processes against brute force: python -m tests.soak_csp --pairs 2000 --seed 1."""

from __future__ import annotations

import argparse

from tests.algebra.test_semantics import check_pair


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    compared = seed = 0
    while compared < options.pairs:
        compared += check_pair(options.seed * 1_000_000 + seed)
        seed += 1
    print(f"{compared} pairs, ten questions each: no difference")


if __name__ == "__main__":
    main()
