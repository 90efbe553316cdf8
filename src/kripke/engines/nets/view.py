"""What the searches for nets alone look at: a place/transition net, and what its model says of its markings.

A ``PlainNet`` is a net as it was read. A high-level net is looked at unfolded (``high_level/subject.py``), and what
is found is followed in the high-level net.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kripke.engines.runs.replay import ReplayFailure, describe_violation
from kripke.model.model import Model, Transition, Violation
from kripke.model.result import Finding
from kripke.model.trace import Step, Trace, make_step
from kripke.nets.model import NetModel
from kripke.nets.place_transition import PlaceTransitionNet
from kripke.nets.predicates import FALSE, TRUE, Predicate


class Followed(NamedTuple):
    """The initial state, the steps, and the last state; where the last step is an error, the one before it."""

    initial: bytes
    steps: tuple[Step, ...]
    state: bytes

    @property
    def broken(self) -> Violation | None:
        """What the last step breaks."""
        return next(iter(self.steps[-1].violations), None) if self.steps else None


@dataclass(frozen=True, slots=True)
class Breach:
    """Something that no run may do. ``where`` it happens depends on the sort (``Subject.breaches``)."""

    where: Predicate
    kind: str
    text: str
    statement: int = -1
    """Whose step it is; -1 where any may be."""


class Breaches(NamedTuple):
    """``forbidden``: markings that no step may lead to. ``ends``: markings that are an error and have no steps.
    ``failing``: markings in which one of the steps is an error; the others are as they are."""

    forbidden: tuple[Breach, ...] = ()
    ends: tuple[Breach, ...] = ()
    failing: tuple[Breach, ...] = ()

    def __bool__(self) -> bool:
        return any(len(part) > 0 for part in self)


class Subject(ABC):
    """``model`` is what people see: traces and findings are of it. ``net`` is what is searched, ``seconds`` how long it
    took to make."""

    model: Model
    net: PlaceTransitionNet
    seconds: float = 0.0
    breaches: Breaches = Breaches()

    @abstractmethod
    def predicate(self, atom: str) -> Predicate:
        """Where an atom of the model is true."""

    def fails(self, atom: str) -> Predicate:
        """Where it cannot be evaluated."""
        return FALSE

    @property
    def stuck(self) -> Predicate:
        """Where it is an error that no step is possible."""
        return TRUE

    @abstractmethod
    def _step(self, state: bytes, transition: int) -> Transition | None:
        """The step of the model that a transition of the net is, or one that is an error instead."""

    def follow(self, transitions: Sequence[int]) -> Followed:
        """These transitions, from the initial marking to the end or to a step that is an error. ``ReplayFailure`` where
        one of them cannot fire."""
        initial = state = self.model.initial()[0]
        steps: list[Step] = []
        for number, transition in enumerate(transitions, start=1):
            step = self._step(state, transition)
            if step is None:
                raise ReplayFailure(f"{self.net.transitions[transition].name} cannot fire in step {number}")
            steps.append(make_step(self.model, number, state, step))
            if step.target is None:
                break
            state = step.target
        return Followed(initial, tuple(steps), state)

    def follow_to_error(self, transitions: Sequence[int], breach: Breach) -> Followed:
        """The same with a step at the end that is an error. ``ReplayFailure`` where there is none."""
        found = self.follow(transitions)
        if found.broken is not None:
            return found
        wrong = [step for step in self.model.successors(found.state) if step.violations]
        if not wrong:
            raise ReplayFailure("no step from the marking that was found is an error")
        meant = max(wrong, key=lambda step: self._likeness(step.violations[0], breach))
        last = make_step(self.model, len(found.steps) + 1, found.state, meant)
        return found._replace(steps=(*found.steps, last))

    def _likeness(self, violation: Violation, breach: Breach) -> tuple[bool, bool]:
        """How well an error fits: several steps from one marking may be errors, and one may break several rules."""
        kind = self.model.violation_kinds[violation.code].name
        return violation.statement == breach.statement, kind == breach.kind


class PlainNet(Subject):
    def __init__(self, model: NetModel) -> None:
        self.model = model
        self.net = model.net
        self._predicates = model.predicates

    def predicate(self, atom: str) -> Predicate:
        return self._predicates[atom]

    def _step(self, state: bytes, transition: int) -> Transition | None:
        return next((s for s in self.model.successors(state) if s.parts[0].statement == transition), None)


def broken_rule(model: Model, found: Followed, origin: Mapping[str, Any]) -> Finding:
    """What a step that is an error breaks, with the way to it."""
    assert found.broken is not None
    statement = model.statements[found.broken.statement]
    trace = Trace(model, found.initial, found.steps, origin=origin)
    kind = model.violation_kinds[found.broken.code].name
    return Finding(kind, statement.text, describe_violation(model, found.steps[-1]), statement.span, trace)
