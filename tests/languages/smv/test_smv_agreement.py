"""Random SMV files: every engine gives the same answer, and the steps are those of a plain listing."""

from __future__ import annotations

from itertools import product

import pytest

from kripke.languages.smv import read
from kripke.synchronous.interpreter import later_form
from kripke.synchronous.model import SynchronousModel
from kripke.synchronous.valuation import Valuation
from tests.support.smv_agreement import compared, random_model
from tests.support.smv_programs import smv_program


@pytest.mark.parametrize("seed", [3, 19, 29])
def test_engines_agree(seed: int) -> None:
    model = random_model(seed)
    assert model is not None
    assert [found for found in compared(model, 20.0) if found[2] is False] == []


def listed(model: SynchronousModel, state: bytes) -> tuple[set[bytes], bool]:
    """Every pair of the state with another one, tried: where it leads, and whether something is broken."""
    system, layout = model.system, model._layout
    now = layout.decode(state)
    inputs = [number for number, one in enumerate(system.variables) if one.kind == "input"]
    moving = [number for number, one in enumerate(system.variables) if one.kind == "state"]
    targets: set[bytes] = set()
    broken = False
    for chosen in product(*(system.variables[number].type.domain for number in (*inputs, *moving))):
        first, then = list(now), list(now)
        for number, value in zip(inputs, chosen, strict=False):
            first[number] = value
        for number, value in zip(moving, chosen[len(inputs) :], strict=True):
            then[number] = value
        truths = _truths(model, Valuation(list(first), list(then)))
        if False in truths:
            continue
        if None in truths:
            broken = True
        else:
            targets.add(layout.encode(then))
    return targets, broken


def _truths(model: SynchronousModel, valuation: Valuation) -> set[bool | None]:
    found: set[bool | None] = set()
    system = model.system
    assigned = [(one, later_form(one.value)) for one in system.always] + [(one, one.value) for one in system.following]
    for one, value in assigned:
        values = valuation.choices(value)
        domain = system.variables[one.variable].type.domain
        fits = isinstance(values, list) and all(each in domain for each in values)
        found.add(valuation.later[one.variable] in values if fits and isinstance(values, list) else None)
    for condition in [later_form(one.condition) for one in system.invar] + [one.condition for one in system.trans]:
        truth = valuation.of(condition)
        found.add(bool(truth) if isinstance(truth, int) else None)
    return found


@pytest.mark.parametrize("seed", [1, 6, 12, 19, 33])
def test_steps_are_those_of_a_plain_listing(seed: int) -> None:
    model = read(smv_program(seed))
    waiting = list(dict.fromkeys(model.initial()))[:4]
    for state in waiting:
        steps = model.successors(state)
        targets, broken = listed(model, state)
        assert {step.target for step in steps if step.target is not None} == targets
        assert any(step.violations for step in steps) == broken
        waiting += [target for target in sorted(targets) if target not in waiting][: 4 - len(waiting)]
