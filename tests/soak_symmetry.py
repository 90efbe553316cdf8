"""Random programs of like processes, with and without symmetry: ``python -m tests.soak_symmetry --programs 1000``.

The same sorts of errors; with canonical representatives exactly as many states as there are classes among all states;
with sorting at least as many, at most all; by both engines, which agree.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

from kripke.engines.explicit.prepare import Engine, prepare
from kripke.engines.explicit.search import Outcome, SearchRequest
from kripke.engines.symmetry.representative import permute, representative
from kripke.engines.symmetry.symmetric import METHODS, concrete
from kripke.languages.promela import load
from kripke.model.model import Model
from kripke.model.symmetry import Symmetry
from kripke.process.passes import Passes
from tests.support.random_symmetric import random_symmetric

MOST_STATES = 3_000


class Difference(Exception):
    """What differs, and of which program."""


def kinds(outcome: Outcome) -> set[tuple[str, int, int]]:
    return {(found.kind, found.code, found.statement) for found in outcome.error_paths}


def compare(seed: int, folder: Path) -> str:
    """What became of the program: a word; Difference where symmetry changes an answer."""
    random = Random(seed)
    path = folder / f"{seed}.pml"
    path.write_text(random_symmetric(random))
    model = load(str(path), passes=Passes(dead=random.choice(("zero", "initial"))))
    symmetry = model.symmetry()
    if isinstance(symmetry, str):
        return "no symmetry"
    asked = SearchRequest(stop_at_first=False, max_states=MOST_STATES, memory=1 << 30)
    native, interpreter = prepare(model, "native"), prepare(model, "interpreter")
    everything = native.search(model, asked, None)
    if everything.reason:
        return "large"
    states = all_states(model)
    same = representative(symmetry, "canonical")
    classes = {same(state) for state in states}
    check_canonical(symmetry, states, random, seed)
    for method in METHODS:
        reduced = replace(asked, symmetry=symmetry, method=method)
        found = compare_engines(model, (native, interpreter), reduced, seed)
        if kinds(found) != kinds(everything):
            raise Difference(f"program {seed}, {method}: {kinds(found)} instead of {kinds(everything)}")
        if not len(classes) <= found.states <= len(states):
            raise Difference(f"program {seed}, {method}: {found.states} states, {len(classes)} classes, {len(states)}")
        if method == "canonical" and found.states != len(classes):
            raise Difference(f"program {seed}: {found.states} states of {len(classes)} classes")
        for error in found.error_paths:
            concrete(model, symmetry, error.path, lambda: None)
    return "reduced" if len(classes) < len(states) else "the same"


def compare_engines(model: Model, engines: tuple[Engine, Engine], asked: SearchRequest, seed: int) -> Outcome:
    first, second = (engine.search(model, asked, None) for engine in engines)
    if (first.states, first.transitions, kinds(first)) != (second.states, second.transitions, kinds(second)):
        raise Difference(f"program {seed}, {asked.method}: {first.states} states native, {second.states} interpreted")
    return first


def all_states(model: Model) -> list[bytes]:
    states = dict.fromkeys(model.initial())
    waiting = list(states)
    while waiting:
        for step in model.successors(waiting.pop()):
            if step.target is not None and step.target not in states:
                states[step.target] = None
                waiting.append(step.target)
    return list(states)


def check_canonical(symmetry: Symmetry, states: list[bytes], random: Random, seed: int) -> None:
    """All members of a class have one representative, which is one of them."""
    same = representative(symmetry, "canonical")
    for state in random.sample(states, min(20, len(states))):
        moves = []
        for family in symmetry.families:
            move = list(range(family.count))
            random.shuffle(move)
            moves.append(tuple(move))
        moved = permute(symmetry, state, tuple(moves))
        if same(moved) != same(state) or same(same(state)) != same(state):
            raise Difference(f"program {seed}: {state!r} and {moved!r} have different representatives")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="kripke-symmetry-") as folder:
        for seed in range(options.first, options.first + options.programs):
            try:
                counts[compare(seed, Path(folder))] += 1
            except Difference as difference:
                print(difference, file=sys.stderr)
                counts["different"] += 1
    print(", ".join(f"{count} {word}" for word, count in counts.most_common()))
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
