"""Weak fairness with and without partial-order reduction: ``python -m tests.soak_fairness --programs 1000``.

Random programs that go on for ever (``tests/support/fair_programs.py``) and random formulas: every one has the same
answer with reduction as without, by the reference engine and by the native one, and there are never more states. What
is found under fairness is replayed, so a run that is not fair would be noticed, too.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from kripke.engines.explicit import automatic
from kripke.engines.explicit.prepare import prepare
from kripke.engines.linear.product_search import check_temporal
from kripke.engines.plan import SearchPlan
from kripke.languages.promela import load
from kripke.model.capabilities.placed import safe_places_of
from kripke.model.source import ModelError
from tests.soak_reduction import Difference, random_formula
from tests.support.fair_programs import fair_program

MOST_STATES = 3_000
VARIABLES = ("g0", "g1", "p0", "p1", "p2")


def compare(seed: int, folder: Path, *, native: bool) -> Counter[str]:
    """What became of its formulas; Difference if the reduction changes an answer."""
    path = folder / f"{seed}.pml"
    path.write_text(fair_program(seed))
    choose = random.Random(seed)
    formulas = [_formula(choose) for _ in range(4)]
    try:
        model = load(str(path), formulas=formulas)
    except ModelError:
        return Counter(["not a model"])
    if isinstance(safe_places_of(model, fair=True), str):
        return Counter(["nothing to leave out"])
    engine = prepare(model, "native" if native else "interpreter", dependencies=native)
    tally: Counter[str] = Counter()
    for property_ in model.properties:
        plan = SearchPlan(properties=(property_.name,), fair="weak", max_states=MOST_STATES, time_limit=20.0)
        full = check_temporal(model, property_, plan, engine)
        if full.verdict == "unknown" or full.kind != "ltl":
            tally["large, or another error"] += 1
            continue
        unfair = check_temporal(model, property_, replace(plan, fair=None), engine)
        for por in (True, "auto") if native else (True,):
            reduced = check_temporal(model, property_, replace(plan, por=por), engine)
            if reduced.verdict == "unknown" and "time" in reduced.reason:
                tally["slow"] += 1
                continue
            if (reduced.verdict, reduced.kind) != (full.verdict, full.kind):
                raise Difference(f"seed {seed}: {property_}: {full.verdict}, with --por {por} {reduced.verdict}")
            if full.verdict == "holds" and reduced.states > full.states:
                raise Difference(f"seed {seed}: {property_}: {reduced.states} states, {full.states} without reduction")
        fewer = "fewer states" if reduced.states < full.states else "no fewer states"
        matters = "fairness matters" if unfair.verdict != full.verdict else "fair or not"
        tally[f"{full.verdict}, {matters}, {fewer}"] += 1
    return tally


def _formula(choose: random.Random) -> str:
    """Most often one that runs break in which a process is left out for ever."""
    if choose.random() < 0.3:
        return random_formula(choose, VARIABLES)
    one, other = (
        f"({choose.choice(VARIABLES)} {choose.choice(('==', '!='))} {choose.randint(0, 1)})" for _ in range(2)
    )
    return choose.choice((f"[] <> {one}", f"<> {one}", f"[] ({one} -> <> {other})", f"!([] <> {one} && <> [] {other})"))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak_fairness", description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first program")
    parser.add_argument("--native", action="store_true", help="the native engine, not the reference")
    asked = parser.parse_args()
    automatic.FEW_STATES = automatic.FEW_FOR_INTERPRETER = 0  # small programs are reduced, too
    tally: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        for seed in range(asked.seed, asked.seed + asked.programs):
            try:
                tally += compare(seed, Path(folder), native=asked.native)
            except Difference as difference:
                tally["difference"] += 1
                print(difference, flush=True)
    for word, count in tally.most_common():
        print(f"{count:6} {word}")
    return 1 if tally["difference"] else 0


if __name__ == "__main__":
    sys.exit(main())
