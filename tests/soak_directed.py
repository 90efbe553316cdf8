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

from kripke.algebra.model import TermProcess
from kripke.deadline import Deadline
from kripke.languages.cspm.loading import load as load_csp
from kripke.languages.maria import load as load_maria
from kripke.languages.modes import read as read_modes
from kripke.languages.promela import load
from kripke.languages.scxml import load as load_scxml
from kripke.languages.uml import load as load_uml
from kripke.model.capabilities.estimate import Goal
from kripke.model.model import Model
from kripke.model.source import ModelError
from tests.algebra.test_network import script
from tests.hierarchy.test_chart_emit import ATOMS
from tests.spin.generator import generate
from tests.spin.terms import text_of
from tests.support.creation_programs import creation_program
from tests.support.directed import Graph, check_estimates, check_searches
from tests.support.high_level_nets import random_text
from tests.support.random_charts import random_chart
from tests.support.random_modes import random_modes
from tests.support.random_nets import model_of, random_net, random_predicate
from tests.support.random_uml import random_uml
from tests.support.shared_programs import critical_program, meeting_program, shared_program, tally_program

MOST_STATES = 400
FAMILIES = ("shared", "meeting", "critical", "tally", "creation", "generated", "net")
FAMILIES += ("modes", "chart", "uml", "network", "high-level")
#: of these, interpreter and compiled form may try steps in different orders
UNORDERED = ("uml", "network")


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
    try:
        return _model_for(family, seed, folder)
    except ModelError:
        return None


def _model_for(family: str, seed: int, folder: Path) -> Model | None:
    match family:
        case "net":
            net = random_net(seed)
            return model_of(net, {"asked": random_predicate(net, seed)})
        case "modes":
            return read_modes(random_modes(seed), conditions=["!(x = 2 & b)", "!in(t0)"])
        case "high-level":
            file = folder / "net.pn"
            file.write_text(random_text(seed))
            return load_maria(str(file))
        case "network":
            made = TermProcess(load_csp("random.csp", text=script(seed))).as_network(None)
            return None if isinstance(made, str) else made
        case "chart" | "uml":
            return machine(family, seed, folder)
    file = folder / "model.pml"
    file.write_text(text(family, seed))
    plain = load(str(file))
    counters = [v.name for v in plain.program.variables if v.scalar and v.shown]
    return load(str(file), invariants=[f"!({name} == 2)" for name in counters[:1]])


def machine(family: str, seed: int, folder: Path) -> Model:
    file = folder / ("m.scxml" if family == "chart" else "m.puml")
    if family == "uml":
        file.write_text(random_uml(seed))
        return load_uml(str(file), queue=1, conditions=["x != 1"])
    file.write_text(random_chart(seed))
    return load_scxml(str(file), environment=("a", "b", "c"), queue=1, conditions=ATOMS)


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
    check_searches(graph, Goal(True, True, atoms), natively=natively and family not in UNORDERED)
    return "compared"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--native-every", type=int, default=10, help="compile every so many of them")
    parser.add_argument("--minutes", type=float, default=600.0, help="end after so long")
    options = parser.parse_args()
    end = Deadline(options.minutes * 60)
    seen: Counter[str] = Counter()
    number = 0
    with tempfile.TemporaryDirectory() as folder:
        while seen["compared"] < options.cases and not end.is_over:
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
