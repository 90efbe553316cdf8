"""States as numbers (`--store numbers`): how short they are, what it saves, and what computing by difference saves.

    ./dev python benchmarks/numbering.py MODEL.pml [...] [-D N=5] [--steps 20000] [--vector BYTES ...] [--require]

Printed of each model: the longest state in bytes and as a number (`--vector`: and its part of another tool's vector,
one for each model); bytes and time per state with the stores full, tree, collapse and numbers, beside tree; and the
time for the handles of all successors, from all digits and from those that a step changes. With `--require` the command
fails where the number takes more than 0.6 of the vector, or the difference more time than the whole.
"""

from __future__ import annotations

import argparse
import sys
from collections import deque

import kripke
from kripke._native import Numbers
from kripke.process.numbering import Numbering
from kripke.process.ranges import value_ranges

STORES = ("full", "tree", "collapse", "numbers")
ROUNDS = 5


def steps_of(model, most):
    """Of the first states breadth-first: each with its successors."""
    waiting = deque(model.initial())
    met, steps = set(waiting), []
    while waiting and len(steps) < most:
        state = waiting.popleft()
        targets = [step.target for step in model.successors(state) if step.target is not None]
        steps.append((state, targets))
        waiting += dict.fromkeys(target for target in targets if target not in met)
        met.update(targets)
    return steps


def compare_stores(model):
    figures = {}
    for store in STORES:
        asked = {"store": store, "properties": ["safety"], "deadlock": False, "all_errors": True, "clarify": False}
        results = [model.check(**asked) for _ in range(3)]
        figures[store] = min(result.seconds for result in results), results[0]
    counts = {(result.states, result.transitions) for _, result in figures.values()}
    assert len(counts) == 1, counts
    for store, (seconds, result) in figures.items():
        part = seconds / figures["tree"][0]
        print(f"  {store:9} {result.store_bytes / result.states:5.1f} bytes a state, {part:.2f} of the time of tree")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("-D", dest="defines", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--vector", type=int, nargs="+", default=[])
    parser.add_argument("--require", action="store_true")
    options = parser.parse_args()
    good = True
    for number, path in enumerate(options.models):
        loaded = kripke.load(path, defines=dict(define.split("=", 1) for define in options.defines))
        model = loaded.model
        steps = steps_of(model, options.steps)
        longest = max((state for state, _ in steps), key=len)
        numbering = Numbering(model.interpreter)
        size = (max(numbering.shape(state).bits for state, _ in steps) + 7) // 8
        print(f"{path}: at most {len(longest)} bytes; as numbers {size}", end="")
        if number < len(options.vector):
            part = size / options.vector[number]
            good &= part <= 0.6
            print(f", {part:.2f} of {options.vector[number]}", end="")
        print()
        compare_stores(loaded)
        whole, difference = Numbers(value_ranges(model.program).to_native()).time(steps, ROUNDS)
        good &= difference <= whole
        handles = sum(len(targets) for _, targets in steps)
        print(f"  {handles:,} handles by difference: {difference / whole:.2f} of the time from all digits")
    return 0 if good or not options.require else 1


if __name__ == "__main__":
    sys.exit(main())
