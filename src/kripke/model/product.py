"""``Product``: a model and an observer that watches it, together a model (as in native/wrappers/product.h).

A state is a state of the model followed by the observer's, in one or two bytes. Where the model cannot move it stays
where it is, for ever: the stuttering extension of finite runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from kripke.model.capabilities.explains import explanation_of
from kripke.model.explanation import Explanation, FalseAtom, Stuck
from kripke.model.model import Model, Transition, Violation, ViolationKind, no_pause
from kripke.model.observer import UNDECIDED, Observer
from kripke.model.trace import Trace
from kripke.model.wrapper import Wrapper


class MarkedTransition(NamedTuple):
    """A step of a product, the acceptance sets it belongs to, and who makes it (None: nobody, the model stutters)."""

    transition: Transition
    marks: int
    actor: int | None

    @property
    def edge(self) -> tuple[int | None, int] | None:
        """The actor and the statement; None where the model stutters."""
        parts = self.transition.parts
        if parts:
            return self.actor, parts[-1].statement
        broken = self.transition.violations
        return (self.actor, broken[0].statement) if broken and self.actor is not None else None


class Product(Wrapper):
    """Everything of the model, with the observer's state in every state.

    The observer has read the atoms: a product has none, and no properties of its own.
    """

    atoms = ()
    step_atoms: Mapping[str, frozenset[int]] = MappingProxyType({})
    properties = ()
    fairness_constraints = ()

    def __init__(self, model: Model, observer: Observer) -> None:
        super().__init__(model)
        self.observer = observer
        alarms = [ViolationKind(alarm.kind, alarm.text) for alarm in (*observer.alarms, UNDECIDED)]
        self.violation_kinds = [*model.violation_kinds, *alarms]
        self._suffix = observer.suffix_bytes

    @property
    def max_state_bytes(self) -> int:
        return self.base.max_state_bytes + self._suffix

    def split(self, state: bytes) -> tuple[bytes, int]:
        """The model's state, and the observer's."""
        return state[: -self._suffix], int.from_bytes(state[-self._suffix :], "little")

    def inner_state(self, state: bytes) -> bytes:
        return state[: -self._suffix]

    def join(self, state: bytes, watching: int) -> bytes:
        return state + watching.to_bytes(self._suffix, "little")

    # --- behaviour ----------------------------------------------------------------------------------------------------

    def initial(self) -> list[bytes]:
        return [self.join(state, watching) for watching in self.observer.initial for state in self.base.initial()]

    def successors(self, state: bytes) -> list[Transition]:
        return [step.transition for step in self.marked_successors(state)]

    def marked_successors(self, state: bytes) -> list[MarkedTransition]:
        """Every step: for each move of the observer, the steps of the model."""
        return list(self._marked(state, self.base.each_successor))

    def marked_steps(self, state: bytes, steps: Sequence[Transition]) -> list[MarkedTransition]:
        """The same with these of the steps of the model."""
        return list(self._marked(state, lambda _: iter(steps)))

    def able(self, state: bytes, steps: Sequence[MarkedTransition]) -> Sequence[MarkedTransition]:
        """Steps by all who can move in a state, given those of the product: also by who would make a step that the
        observer does not go along with."""
        if not self.observer.steps:
            return steps
        return [
            MarkedTransition(step, 0, step.parts[0].actor if step.parts else None)
            for step in self.base.each_successor(self.split(state)[0])
        ]

    def each_successor(self, state: bytes) -> Iterator[Transition]:
        return (step.transition for step in self._marked(state, self.base.each_successor))

    def distinct_successors(self, state: bytes, pause: Callable[[], None] = no_pause) -> Iterator[Transition]:
        return (step.transition for step in self.distinct_marked(state, pause))

    def distinct_marked(self, state: bytes, pause: Callable[[], None] = no_pause) -> Iterator[MarkedTransition]:
        """As ``distinct_successors``, with the marks."""
        return self._marked(state, lambda inner: self.base.distinct_successors(inner, pause))

    def _marked(self, state: bytes, steps_of: Callable[[bytes], Iterator[Transition]]) -> Iterator[MarkedTransition]:
        inner, watching = self.split(state)
        letter = sum(1 << number for number, value in enumerate(self.base.atom_values(inner)) if value)
        failed = self.base.failed_atoms(inner)
        verdicts = self.observer.possible_edges(watching, letter, failed)
        taken = [edge for edge, truth in verdicts if truth]
        alarms = [
            len(self.observer.alarms) if truth is None else edge.alarm
            for edge, truth in verdicts
            if truth is None or (truth and edge.alarm >= 0)
        ]
        known = len(self.base.violation_kinds)
        for alarm in alarms:
            yield MarkedTransition(Transition((), None, (Violation(known + alarm, 0),)), 0, None)
        idle = self.observer.idle_marks(letter)
        moves = [edge._replace(marks=edge.marks | idle) for edge in taken if edge.alarm < 0]
        goes_with = self.observer.goes_with
        steps: list[Transition] = []
        for number, edge in enumerate(moves):
            for step in steps if number else _kept(steps_of(inner), steps):
                actor = step.parts[0].actor if step.parts else None
                if step.target is not None:
                    if not goes_with(edge, letter, failed, step):
                        continue
                    target = self.join(step.target, edge.target)
                    broken = step.violations if number == 0 else ()
                    yield MarkedTransition(Transition(step.parts, target, broken), edge.marks, actor)
                elif number == 0:
                    yield MarkedTransition(step, 0, actor)
        if not steps and self.observer.stutters:
            for edge in moves:
                if not goes_with(edge, letter, failed, None):
                    continue
                yield MarkedTransition(Transition((), self.join(inner, edge.target)), edge.marks, None)

    def demands(self, state: bytes) -> int:
        """The sets that strong fairness to events asks for, of a loop through this state."""
        if not self.observer.strong:
            return 0
        values = self.base.atom_values(self.split(state)[0])
        return self.observer.demands(sum(1 << number for number, value in enumerate(values) if value))

    def valid_end(self, state: bytes) -> bool:
        return True

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        return ()

    def failed_atoms(self, state: bytes) -> int:
        return 0

    # --- for people ---------------------------------------------------------------------------------------------------

    def describe(self, state: bytes) -> Mapping[str, str]:
        inner, watching = self.split(state)
        return {**self.base.describe(inner), f"({self.observer.name})": self.observer.state_name(watching)}

    def explain(self, state: bytes, cause: Violation | FalseAtom | Stuck) -> Explanation | None:
        if isinstance(cause, Violation) and cause.code < len(self.base.violation_kinds):
            return explanation_of(self.base, self.inner_state(state), cause)
        return None


def without_observer(trace: Trace) -> Trace:
    """A run of a product as one of its model: what the observer does by itself is left out. Where a run that has ended
    stutters, so is that, and then there is no loop."""
    product = trace.model
    if not isinstance(product, Product):
        return trace
    kept = [step for step in trace.steps if step.parts]
    loop = trace.loop_start
    if loop is not None and any(not step.parts for step in trace.steps[loop:]):
        loop = None
    steps = tuple(
        replace(
            step,
            model=product.base,
            number=number,
            before=product.split(step.before)[0],
            state=None if step.state is None else product.split(step.state)[0],
        )
        for number, step in enumerate(kept, start=1)
    )
    return Trace(product.base, product.split(trace.initial)[0], steps, loop_start=loop, origin=trace.origin)


def _kept(steps: Iterator[Transition], kept: list[Transition]) -> Iterator[Transition]:
    """The steps, which are also put on a list."""
    for step in steps:
        kept.append(step)
        yield step
