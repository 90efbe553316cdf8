"""Random nets of Maria's with and without symmetry: ``python -m tests.soak_net_symmetry --nets 1000``.

Every permutation that is claimed is one of the behaviour of the net; the same sorts of errors; with canonical
representatives exactly as many states as there are classes among all states, counted by trying all permutations; with
sorting at least as many, at most all; by both engines, which agree.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from kripke.model.source import ModelError
from tests.support.symmetric_nets import compare


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--nets", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    became: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(asked.seed, asked.seed + asked.nets):
            try:
                became[compare(seed, Path(folder))] += 1
            except ModelError:
                became["no net"] += 1
    print(", ".join(f"{word}: {number}" for word, number in sorted(became.items())))


if __name__ == "__main__":
    main()
