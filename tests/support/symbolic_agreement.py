"""Sets of states of modes against single states: how many there are, the dead ones, errors, verdicts of formulas."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import kripke
from kripke.engines.hierarchy.located import DONE
from kripke.engines.hierarchy.macro_relation import MacroRelation
from kripke.engines.hierarchy.reachability import Reachability
from kripke.hierarchy.macro_steps import INVARIANT
from kripke.hierarchy.mode_model import ModeModel

ATOMS = ["x = 2", "b", "in(t0.p0)", "x > 0", "x = 1 & b"]
CTL = ["EF AG !{}", "AF {}", "EG {}", "AX EX {}", "E [{} U {}]", "AG ({} -> AF {})", "A [{} U {}]"]
LTL = ["[] <> {}", "<> [] {}", "[] ({} -> <> {})", "{} U {}", "X {}"]


def compare_sets(model: ModeModel, most: int = 3_000) -> int:
    """The states, those without a step, and whether there are errors; 0 where there are more than ``most``."""
    states = model.initial()
    seen, dead, broken = set(states), set[bytes](), bool(model.initial_violations())
    for state in states:
        steps = [s for s in model.successors(state) if s.target is not None or s.violations[0].code != INVARIANT]
        if not steps:
            dead.add(state)
        for step in steps:
            if step.target is None:
                broken = True
            elif step.target not in seen:
                if len(states) >= most:
                    return 0
                seen.add(step.target)
                states.append(step.target)
    search = Reachability(model)
    search.start()
    event = search.advance()
    if broken:
        assert event.kind != DONE or model.initial_violations()
        return len(states)
    assert event.kind == DONE
    assert search.states == len(states)
    relation = MacroRelation(search)
    assert sum(values.count() for values in relation.dead.parts.values()) == len(dead)
    for control, values in relation.dead.parts.items():
        assert search.state(control, values) in dead
    return len(states)


def compare_verdicts(path: Path, seed: int, engine: str = "interpreter") -> int:
    """Deadlocks, errors and random formulas by both searches; how many were compared."""
    chance = random.Random(seed)
    compared = 0
    questions: list[dict[str, Any]] = [{}, {"deadlock": False}]
    for form in (chance.choice(CTL), chance.choice(CTL)):
        questions.append({"ctl": [_filled(form, chance)]})
    for form in (chance.choice(LTL), chance.choice(LTL)):
        questions.append({"ltl": _filled(form, chance)})
    for question in questions:
        explicit = kripke.load(path).check(engine=engine, **question)
        symbolic = kripke.load(path).check(search="hierarchic", **question)
        if explicit.verdict == "unknown":
            continue
        if symbolic.verdict == "unknown":
            assert "so paths are missing" in symbolic.reason, symbolic.reason
            continue
        assert symbolic.verdict == explicit.verdict, (question, symbolic.reason, explicit.reason)
        if "ctl" in question:
            assert (symbolic.trace is None) == (explicit.trace is None), question
        if not question and symbolic.trace is not None:
            shortest = kripke.load(path).check(engine=engine, search="bfs", shortest=True)
            assert shortest.verdict == "violated"
        compared += 1
    return compared


def _filled(form: str, chance: random.Random) -> str:
    while "{}" in form:
        form = form.replace("{}", f"({chance.choice(ATOMS)})", 1)
    return form
