"""What an engine found in the view of a model as a net, followed in the model itself by the reference semantics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kripke.engines.runs.replay import ReplayFailure, describe_violation
from kripke.model.model import Model, Violation
from kripke.model.result import Finding
from kripke.model.trace import Step, Trace, make_step
from kripke.nets.place_transition_view import ErrorPredicate, PlaceTransitionView


class Followed(NamedTuple):
    """The initial state, the steps, and the last state; where the last step is an error, the one before it."""

    initial: bytes
    steps: tuple[Step, ...]
    state: bytes

    @property
    def broken(self) -> Violation | None:
        """What the last step breaks."""
        return next(iter(self.steps[-1].violations), None) if self.steps else None


def follow(view: PlaceTransitionView, transitions: Sequence[int]) -> Followed:
    """These transitions, from the initial marking to the end or to a step that is an error. ``ReplayFailure`` where one
    of them cannot fire."""
    initial = state = view.model.initial()[0]
    steps: list[Step] = []
    for number, transition in enumerate(transitions, start=1):
        step = view.step(state, transition)
        if step is None:
            raise ReplayFailure(f"{view.net.transitions[transition].name} cannot fire in step {number}")
        steps.append(make_step(view.model, number, state, step))
        if step.target is None:
            break
        state = step.target
    return Followed(initial, tuple(steps), state)


def follow_to_error(view: PlaceTransitionView, transitions: Sequence[int], error: ErrorPredicate) -> Followed:
    """The same with a step at the end that is an error. ``ReplayFailure`` where there is none."""
    found = follow(view, transitions)
    if found.broken is not None:
        return found
    wrong = [step for step in view.model.successors(found.state) if step.violations]
    if not wrong:
        raise ReplayFailure("no step from the marking that was found is an error")
    meant = max(wrong, key=lambda step: _likeness(view.model, step.violations[0], error))
    last = make_step(view.model, len(found.steps) + 1, found.state, meant)
    return found._replace(steps=(*found.steps, last))


def _likeness(model: Model, violation: Violation, error: ErrorPredicate) -> tuple[bool, bool]:
    """How well an error fits: several steps from one marking may be errors, and one may break several rules."""
    kind = model.violation_kinds[violation.code].name
    return violation.statement == error.statement, kind == error.kind


def broken_rule(model: Model, found: Followed, origin: Mapping[str, Any]) -> Finding:
    """What a step that is an error breaks, with the way to it."""
    assert found.broken is not None
    statement = model.statements[found.broken.statement]
    trace = Trace(model, found.initial, found.steps, origin=origin)
    kind = model.violation_kinds[found.broken.code].name
    return Finding(kind, statement.text, describe_violation(model, found.steps[-1]), statement.span, trace)
