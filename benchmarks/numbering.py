"""States as numbers (kripke/process/numbering.py): how short they are, and what the running hash saves.

    ./dev python benchmarks/numbering.py MODEL.pml [--states 20000]

Walks through states as a depth-first search meets them. Printed: the longest state in bytes and as a number, the
processor time for the hashes of all of them, computed from all digits and from what a step changes, and the ratio.
"""

from __future__ import annotations

import argparse
from time import process_time

from kripke.languages.promela import load
from kripke.process.numbering import Numbering, RunningHash


def depth_first(model, most):
    """States in the order in which they are met, those met again included."""
    met, stack = set(), list(model.initial())
    order = []
    while stack and len(order) < most:
        state = stack.pop()
        order.append(state)
        if state not in met:
            met.add(state)
            stack += [step.target for step in model.successors(state) if step.target is not None]
    return order


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--states", type=int, default=20_000)
    options = parser.parse_args()
    model = load(options.model)
    numbering = Numbering(model.interpreter)
    states = depth_first(model, options.states)
    longest = max(states, key=len)
    bits = max(numbering.shape(state).bits for state in states)
    print(f"{len(states):,} states met, at most {len(longest)} bytes; as numbers {bits} bits, {(bits + 7) // 8} bytes")
    running = RunningHash(numbering)
    best = {"whole": float("inf"), "next": float("inf")}
    for _ in range(3):
        for way in best:
            hash_of = getattr(running, way)
            start = process_time()
            for state in states:
                hash_of(state)
            best[way] = min(best[way], process_time() - start)
    print(
        f"hashes: {best['whole']:.2f} s from all digits, {best['next']:.2f} s from what changed: "
        f"{best['next'] / best['whole']:.2f} of it"
    )


if __name__ == "__main__":
    main()
