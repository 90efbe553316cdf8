"""Random models through every directed search: ``python -m tests.soak_directed --cases 1000 --seed 1``.

Estimates that are called bounds are none too large, from any state; searches that promise a shortest run find one; both
engines do exactly the same (``tests/support/directed.py``).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from kripke.languages.promela import load
from kripke.model.capabilities.estimate import Goal
from kripke.model.model import Model
from kripke.model.source import ModelError
from tests.spin.generator import generate
from tests.spin.terms import text_of
from tests.support.creation_programs import creation_program
from tests.support.directed import Graph, check_estimates, check_searches
from tests.support.random_nets import model_of, random_net, random_predicate
from tests.support.shared_programs import critical_program, meeting_program, shared_program, tally_program

MOST_STATES = 400
FAMILIES = ("shared", "meeting", "critical", "tally", "creation", "generated", "net")


def text(family: str, seed: int) -> str:
    makers = {
        "shared": shared_program,
        "meeting": meeting_program,
        "critical": critical_program,
        "tally": tally_program,
        "creation": creation_program,
        "generated": lambda number: text_of(generate(number)),
    }
    return makers[family](seed)


def model_for(family: str, seed: int, folder: Path) -> Model | None:
    if family == "net":
        net = random_net(seed)
        return model_of(net, {"asked": random_predicate(net, seed)})
    file = folder / "model.pml"
    file.write_text(text(family, seed))
    try:
        plain = load(str(file))
        counters = [v.name for v in plain.program.variables if v.scalar and v.shown]
        asked = [f"!({name} == 2)" for name in counters[:1]]
        return load(str(file), invariants=asked)
    except ModelError:
        return None


def one(family: str, seed: int, folder: Path, *, natively: bool) -> str:
    """What became of it: compared, with an error or without, or why not."""
    model = model_for(family, seed, folder)
    if model is None:
        return "no model"
    graph = Graph(model, MOST_STATES)
    if graph.too_large or not graph.steps:
        return "too large"
    atoms = tuple(range(len(model.atoms)))
    goals = [Goal(True, True, ()), Goal(False, False, atoms), Goal(True, False, ()), Goal(False, True, ())]
    goals += [Goal(cubes=((1 << atom, 0),)) for atom in atoms[:1]]
    for goal in goals:
        if goal != Goal():
            check_estimates(graph, goal)
    check_searches(graph, Goal(True, True, atoms), natively=natively)
    return "compared"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--native-every", type=int, default=10, help="compile every so many of them")
    options = parser.parse_args()
    seen: Counter[str] = Counter()
    number = 0
    with tempfile.TemporaryDirectory() as folder:
        while seen["compared"] < options.cases:
            seed, family = options.seed * 1_000_003 + number, FAMILIES[number % len(FAMILIES)]
            try:
                result = one(family, seed, Path(folder), natively=number % options.native_every == 0)
            except AssertionError:
                print(f"{family} {seed} differs:", file=sys.stderr)
                raise
            seen[result] += 1
            number += 1
    print(", ".join(f"{count} {what}" for what, count in seen.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
