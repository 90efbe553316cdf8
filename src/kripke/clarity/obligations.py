"""Why a run breaks a property of runs, in words: what never comes, who does not move in the loop."""

from __future__ import annotations

from collections.abc import Iterator

from kripke.logic.formula import speaks_of_past
from kripke.logic.grounds import Ground, ObservedRun, grounds
from kripke.model.capabilities.explains import explanation_of
from kripke.model.explanation import Explanation, FalseAtom, Reason, Stuck
from kripke.model.model import Transition
from kripke.model.product import Product
from kripke.model.property import Temporal
from kripke.model.trace import Step, Trace

_LOOKED_AT = 2_000  # states of a loop, at most
_LONGEST = 50_000  # steps of a run that is explained


def explain_run(trace: Trace, goal: Temporal) -> Explanation | None:
    """Of a run of the product of a model and the property's observer."""
    product = trace.model
    assert isinstance(product, Product)
    found = _grounds(trace, product, goal)
    reasons = [_reason(ground, trace, product) for ground in found]
    reasons += _idle(trace, product)
    if not reasons:
        return None
    return Explanation(_summary(goal, found), tuple(reasons))


def _grounds(trace: Trace, product: Product, goal: Temporal) -> tuple[Ground, ...]:
    if goal.formula is None or goal.kind == "possible" or len(trace) > _LONGEST or speaks_of_past(goal.formula):
        return ()
    if not trace.steps:
        return ()
    letters = []
    for step in trace.steps:
        inner = product.split(step.before)[0]
        if product.base.failed_atoms(inner):
            return ()
        letter = sum(1 << number for number, value in enumerate(product.base.atom_values(inner)) if value)
        if product.observer.steps:
            letter |= product.observer.step_letter(_taken(product, step, inner)) << len(product.base.atoms)
        letters.append(letter)
    atoms = (*product.base.atoms, *product.base.step_atoms)
    return grounds(goal.formula, ObservedRun(tuple(letters), trace.loop_start), atoms)


def _taken(product: Product, step: Step, inner: bytes) -> Transition | None:
    """The step of the model; None where the run has ended and stutters."""
    if not step.parts or step.state is None:
        return None
    target = product.split(step.state)[0]
    return next((t for t in product.base.each_successor(inner) if (t.parts, t.target) == (step.parts, target)), None)


def _summary(goal: Temporal, found: tuple[Ground, ...]) -> str:
    unmet = next((ground for ground in found if ground.lasting and not ground.truth), None)
    if unmet is not None:
        return f"what {goal.name} asks for never comes: {unmet.formula}"
    return f"{goal} is violated"


def _reason(ground: Ground, trace: Trace, product: Product) -> Reason:
    at = "at the start" if ground.position == 0 else f"after step {ground.position}"
    truth = "true" if ground.truth else "false"
    if ground.lasting:
        return Reason(f"{at} and for ever, {ground.formula} is {truth}")
    values: dict[str, str] = {}
    if ground.formula.operator == "atom" and ground.formula.atom in product.base.atoms:
        number = list(product.base.atoms).index(str(ground.formula.atom))
        state = product.split(trace.steps[ground.position].before)[0]
        explained = explanation_of(product.base, state, FalseAtom(number))
        for reason in explained.reasons if explained is not None else ():
            values.update(reason.values)
    return Reason(f"{at}, {ground.formula} is {truth}", tuple(values.items()))


def _idle(trace: Trace, product: Product) -> Iterator[Reason]:
    """Who does nothing in the loop, and whether it could; of a run that has ended, what everybody waits for."""
    if trace.loop_start is None or not product.base.has_actors:
        return
    loop = trace.steps[trace.loop_start :]
    states = [product.split(step.before)[0] for step in loop]
    if not any(step.parts for step in loop):
        explained = None if product.base.valid_end(states[0]) else explanation_of(product.base, states[0], Stuck())
        if explained is None:
            yield Reason("the run has come to its end: no process can move any more")
        else:
            yield from explained.reasons
        return
    moving = {step.actor_of(part) for step in loop for part in step.parts}
    enabled: dict[str, int] = {}
    for index, state in enumerate(states[:_LOOKED_AT]):
        for transition in product.base.distinct_successors(state):
            for part in transition.parts[:1]:
                name = product.base.actor_name(part.actor, state)
                enabled.setdefault(name, trace.loop_start + index)
    for name in product.base.describe(states[0]):
        if name.endswith("@") and name[:-1] not in moving:
            at = enabled.get(name[:-1])
            when = "at the start" if at == 0 else f"after step {at}"
            yield Reason(
                f"{name[:-1]} does not move in the loop"
                + (f", though it could {when}" if at is not None else ": it cannot")
            )
