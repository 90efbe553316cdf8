"""Sets of markings of a net as decision diagrams (``native/symbolic/diagram.h``), with the steps of the net on them.

A ``MarkingSet`` may be joined with others of the same ``Markings`` by ``|``, ``&`` and ``-``. Every operation keeps to
the limits of time and memory and ends in ``OutOfBudget`` where one is reached; the sets made before stay good.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeVar

from kripke import _native
from kripke.deadline import NEVER, Deadline
from kripke.engines.nets.symbolic.orders import best_order
from kripke.memory import default_limit
from kripke.nets.place_transition import Marking, PlaceTransitionNet
from kripke.nets.predicates import And, AtLeastZero, Constant, Fireable, Not, Or, Predicate

MOST_TOKENS = 1 << 31  # in a place; beyond, diagrams are not tried
_NOTHING, _ANYTHING = 0, 2

_T = TypeVar("_T")


class OutOfBudget(Exception):
    """``reason`` is one of ``answers.REASONS``, or "depth"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Diagrams:
    """What all sets of a net share. ``deadline``: when operations end."""

    __slots__ = ("deadline", "native")

    def __init__(self, native: _native.SymbolicNet) -> None:
        self.native = native
        self.deadline = NEVER

    def measured(self, operation: Callable[..., _T], *arguments: object) -> _T:
        """What an operation gives within the time that is left."""
        if self.deadline.is_over:
            raise OutOfBudget("time")
        try:
            return operation(*arguments, self.deadline.limit())
        except _native.SymbolicStopped as stopped:
            raise OutOfBudget(str(stopped)) from None

    def run(self, operation: Callable[..., int], *sets: MarkingSet) -> MarkingSet:
        return MarkingSet(self, self.measured(operation, *(marking_set.handle for marking_set in sets)))


class MarkingSet:
    """Made by ``Markings`` only."""

    __slots__ = ("diagrams", "handle")

    def __init__(self, diagrams: Diagrams, handle: int) -> None:
        self.diagrams = diagrams
        self.handle = handle

    def __del__(self) -> None:
        self.diagrams.native.release(self.handle)

    def __bool__(self) -> bool:
        """Whether there is a marking in it."""
        return self.handle != _NOTHING

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MarkingSet) and other.diagrams is self.diagrams and other.handle == self.handle

    def __hash__(self) -> int:
        return self.handle

    def __or__(self, other: MarkingSet) -> MarkingSet:
        return self.diagrams.run(self.diagrams.native.unite, self, other)

    def __and__(self, other: MarkingSet) -> MarkingSet:
        return self.diagrams.run(self.diagrams.native.intersect, self, other)

    def __sub__(self, other: MarkingSet) -> MarkingSet:
        return self.diagrams.run(self.diagrams.native.subtract, self, other)

    def __contains__(self, marking: Marking) -> bool:
        return self.diagrams.native.contains(self.handle, marking)

    def __len__(self) -> int:
        raise TypeError("a set may have more markings than a length can say: use count()")

    def count(self) -> int:
        return int.from_bytes(self.diagrams.measured(self.diagrams.native.count, self.handle), "little")

    def count_steps(self) -> int:
        """Pairs of a marking and a transition that is enabled in it."""
        return int.from_bytes(self.diagrams.measured(self.diagrams.native.count_steps, self.handle), "little")

    def pick(self) -> Marking:
        """A marking of a set that is not empty."""
        return tuple(self.diagrams.native.pick(self.handle))

    def range(self, places: Sequence[int]) -> tuple[int, int]:
        """The least and the greatest number of tokens on some places together; of a set that is not empty."""
        terms = [(place, 1) for place in sorted(set(places))]
        return self.diagrams.measured(self.diagrams.native.range, self.handle, terms)

    @property
    def most_in_a_place(self) -> int:
        return max(self.diagrams.native.most_on_places(self.handle), default=0)

    @property
    def nodes(self) -> int:
        """How many nodes its diagram has."""
        return self.diagrams.native.nodes_of(self.handle)


class Markings:
    """The markings of a net."""

    def __init__(self, net: PlaceTransitionNet, memory: int = 0, levels: Sequence[int] | None = None) -> None:
        self.net = net
        weights = [arc.weight for transition in net.transitions for arc in (*transition.preset, *transition.postset)]
        if max((*net.initial, *weights), default=0) >= MOST_TOKENS:
            raise OutOfBudget("error")
        native = _native.SymbolicNet(
            net.initial,
            [transition.preset for transition in net.transitions],
            [transition.postset for transition in net.transitions],
            best_order(net) if levels is None else levels,
            memory_limit=memory or default_limit(),
        )

        # Sets know the diagrams and not this, which keeps some of them: so all of it goes with the last reference.
        self.diagrams = Diagrams(native)
        self.native = native

    @property
    def deadline(self) -> Deadline:
        return self.diagrams.deadline

    @deadline.setter
    def deadline(self, moment: Deadline) -> None:
        self.diagrams.deadline = moment

    # --- sets ---------------------------------------------------------------------------------------------------------

    @cached_property
    def nothing(self) -> MarkingSet:
        return self.initial - self.initial

    @cached_property
    def initial(self) -> MarkingSet:
        return self.single(self.net.initial)

    def single(self, marking: Marking) -> MarkingSet:
        return MarkingSet(self.diagrams, self.native.marking(marking))

    @cached_property
    def reachable(self) -> MarkingSet:
        """All markings the net can come to."""
        return MarkingSet(
            self.diagrams, self.diagrams.measured(self.native.forward_closure, self.initial.handle, _ANYTHING)
        )

    def restrict(self, reachable: MarkingSet) -> None:
        """Take these markings for all that the net can come to."""
        self.__dict__.pop("dead", None)
        self.__dict__["reachable"] = reachable

    @cached_property
    def dead(self) -> MarkingSet:
        """Reachable markings in which no transition is enabled."""
        return self.diagrams.run(self.native.dead, self.reachable)

    def forward(self, start: MarkingSet, within: MarkingSet) -> MarkingSet:
        """Everything that is reached from ``start``, a part of ``within``, on ways within it."""
        return self.diagrams.run(self.native.forward_closure, start, within)

    def backward(self, goal: MarkingSet, within: MarkingSet) -> MarkingSet:
        """Everything from which ``goal``, a part of ``within``, is reached on ways within it."""
        return self.diagrams.run(self.native.backward_closure, goal, within)

    def successors(self, start: MarkingSet, within: MarkingSet) -> MarkingSet:
        return self.diagrams.run(self.native.successors, start, within)

    def predecessors(self, goal: MarkingSet, within: MarkingSet) -> MarkingSet:
        return self.diagrams.run(self.native.predecessors, goal, within)

    @cached_property
    def _most(self) -> list[int]:
        """The most tokens each place ever holds."""
        return self.native.most_on_places(self.reachable.handle)

    def _always(self, comparison: AtLeastZero) -> bool | None:
        """The truth of a comparison where the bounds of single places decide it."""
        least = most = comparison.constant
        for place, factor in comparison.terms:
            least += min(factor, 0) * self._most[place]
            most += max(factor, 0) * self._most[place]
        return True if least >= 0 else False if most < 0 else None

    def satisfying(self, predicate: Predicate, among: MarkingSet) -> MarkingSet:
        """The markings of a set of reachable ones that satisfy a predicate."""
        match predicate:
            case Constant(value):
                return among if value else self.nothing
            case AtLeastZero(terms, constant):
                always = self._always(predicate)
                if always is not None:
                    return among if always else self.nothing
                handle = self.diagrams.measured(self.native.at_least, among.handle, terms, -constant)
                return MarkingSet(self.diagrams, handle)
            case Fireable(transitions):
                if len(transitions) == len(self.net.transitions):
                    return among - self.diagrams.run(self.native.dead, among)
                return MarkingSet(self.diagrams, self.diagrams.measured(self.native.enabled, among.handle, transitions))
            case Not(operand):
                return among - self.satisfying(operand, among)
            case And(operands):
                for operand in operands:
                    among = self.satisfying(operand, among)
                return among
            case Or(operands):
                found = self.nothing
                for operand in operands:
                    found |= self.satisfying(operand, among - found)
                return found
            case _:
                raise TypeError(predicate)
