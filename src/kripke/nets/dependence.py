"""Which transitions of a net depend on each other, for partial-order reduction.

Firing adds and takes tokens, so the order of two firings never matters to the marking they lead to: two transitions
accord unless one takes tokens from a place that the other needs. A transition that lacks tokens on a place waits for
one that brings some there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from kripke.model.dependencies import DependencyAnalysis, DependencyTables
from kripke.model.model import Transition
from kripke.nets.interpreter import Interpreter
from kripke.nets.place_transition import Arc, PlaceTransitionNet
from kripke.nets.predicates import And, AtLeastZero, Fireable, Not, Or, Predicate

#: conditions of a transition that are told apart; the last stands for all further ones
MOST_CONDITIONS = 30
#: the tables have a bit for every pair of transitions
MOST_TRANSITIONS = 20_000
#: far from the number of tokens that is too many for a place, whatever order they come in
MOST_TOKENS_AT_ONCE = 1 << 32


def obstacle(net: PlaceTransitionNet) -> str | None:
    """What keeps a net from being analysed."""
    if len(net.transitions) > MOST_TRANSITIONS:
        many = f"{len(net.transitions):,} transitions"
        return f"the net has {many}, and the tables for more than {MOST_TRANSITIONS:,} are too large"
    weights = (arc.weight for transition in net.transitions for arc in (*transition.preset, *transition.postset))
    if max((*net.initial, *weights), default=0) > MOST_TOKENS_AT_ONCE:
        return "with so many tokens the order of transitions decides whether a place gets too many"
    return None


def conditions(net: PlaceTransitionNet, transition: int) -> list[Arc]:
    """The arcs of the preset in the order of their conditions, which count from 1: the trigger first."""
    trigger = net.triggers[transition]
    return sorted(net.transitions[transition].preset, key=lambda arc: (arc.place != trigger, arc.place))


def condition_number(position: int) -> int:
    return min(position + 1, MOST_CONDITIONS)


class NetDependencies(DependencyAnalysis):
    """``asked``: the predicates that a property looks at."""

    def __init__(self, interpreter: Interpreter, asked: Iterable[Predicate] = ()) -> None:
        self._interpreter = interpreter
        self._net = interpreter.net
        self._asked = tuple(asked)
        self.deadlocks_only = not self._asked
        self._conditions = [conditions(self._net, number) for number in range(len(self._net.transitions))]
        self._last: tuple[bytes, list[int]] = (b"", [])

    def configuration(self, state: bytes) -> Hashable:
        return ()

    def tables(self, state: bytes) -> DependencyTables:
        net = self._net
        needing, taking, bringing = ([0] * len(net.places) for _ in range(3))
        for number, transition in enumerate(net.transitions):
            for place, _ in transition.preset:
                needing[place] |= 1 << number
            for place, change in transition.changes:
                (taking if change < 0 else bringing)[place] |= 1 << number
        conflicts = []
        enabling = []
        for number, transition in enumerate(net.transitions):
            found = 0
            for place, _ in transition.preset:
                found |= taking[place]
            for place, change in transition.changes:
                found |= needing[place] if change < 0 else 0
            conflicts.append(found & ~(1 << number))
            sets = [0] * (1 + min(len(transition.preset), MOST_CONDITIONS))
            for position, arc in enumerate(self._conditions[number]):
                sets[condition_number(position)] |= bringing[arc.place]
            enabling.append(tuple(sets))
        seen = _places(net, self._asked)
        visible = 0
        for place in seen:
            visible |= taking[place] | bringing[place]
        own = tuple(1 << number for number in range(len(net.transitions)))
        return DependencyTables(tuple(conflicts), tuple(enabling), own, visible)

    def steps(self, state: bytes) -> list[tuple[int, list[Transition]]]:
        return [(step.parts[0].statement, [step]) for step in self._interpreter.successors(state)]

    def lacking(self, state: bytes, transition: int) -> int:
        if self._last[0] != state:
            self._last = (state, self._interpreter.tokens(state))
        tokens = self._last[1]
        found = 0
        for position, (place, weight) in enumerate(self._conditions[transition]):
            if tokens[place] < weight:
                found |= 1 << condition_number(position)
        return found


def _places(net: PlaceTransitionNet, asked: Sequence[Predicate]) -> set[int]:
    """The places whose tokens decide about predicates."""
    found: set[int] = set()
    for predicate in asked:
        match predicate:
            case AtLeastZero(terms, _):
                found.update(place for place, _ in terms)
            case Fireable(transitions):
                found.update(place for number in transitions for place, _ in net.transitions[number].preset)
            case Not(operand):
                found |= _places(net, (operand,))
            case And(operands) | Or(operands):
                found |= _places(net, operands)
            case _:
                pass
    return found
