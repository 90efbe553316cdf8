"""Goals on a reduced net: predicates rewritten for it, and ways in it followed in the original net."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from kripke.engines.runs.replay import ReplayFailure
from kripke.nets.model import NetModel
from kripke.nets.place_transition import PlaceTransitionNet
from kripke.nets.predicates import (
    And,
    AtLeastZero,
    Fireable,
    Not,
    Or,
    Predicate,
    conjunction,
    disjunction,
    enabled,
    holds,
    negation,
    places_of,
)
from kripke.nets.structure.reduction import Reduced, reduce_net

_MOST_WAITING = 100_000  # steps


@dataclass(frozen=True, slots=True)
class ReducedGoals:
    """A model to search for the goals in, and the way back."""

    original: NetModel
    goals: Mapping[str, Predicate]
    reduced: Reduced
    model: NetModel

    def transitions(self, name: str, way: tuple[bytes, ...]) -> tuple[str, ...]:
        """The transitions of the original net on a way in the reduced one; ReplayFailure if it is none."""
        sequence: list[int] = []
        interpreter = self.model.interpreter
        for before, after in pairwise(way):
            step = next((step for step in interpreter.successors(before) if step.target == after), None)
            if step is None:
                raise ReplayFailure("a step of the way is not a step of the reduced net")
            sequence += self.reduced.sequences[step.parts[0].statement]
        tokens = list(self.original.net.initial)
        for number in sequence:
            self._fire(number, tokens)
        if self.goals[name] == deadlock_of(self.original.net):
            sequence += self._let_run_out(tokens)
        if not holds(self.goals[name], self.original.net, tokens):
            raise ReplayFailure("the way leads elsewhere in the original net")
        return tuple(self.original.net.transitions[number].name for number in sequence)

    def _fire(self, number: int, tokens: list[int]) -> None:
        transition = self.original.net.transitions[number]
        if not enabled(self.original.net, number, tokens):
            raise ReplayFailure(f"{transition.name} is not enabled in the original net")
        for place, change in transition.changes:
            tokens[place] += change

    def _let_run_out(self, tokens: list[int]) -> list[int]:
        """Before the reduced net is dead, transitions that were made to wait can still fire in the original one; there
        are only finitely many such steps, and none of them wakes up anything else."""
        fired: list[int] = []
        net = self.original.net
        while len(fired) < _MOST_WAITING:
            ready = next((t for t in range(len(net.transitions)) if enabled(net, t, tokens)), None)
            if ready is None:
                break
            self._fire(ready, tokens)
            fired.append(ready)
        return fired


def reduce_for(model: NetModel, goals: Mapping[str, Predicate]) -> ReducedGoals:
    """The smallest net the rules make in which the same goals can be reached."""
    net = model.net
    if all(goal == deadlock_of(net) for goal in goals.values()):
        reduced = reduce_net(net, frozenset(), "deadlock")
        predicates: dict[str, Predicate] = dict.fromkeys(goals, deadlock_of(reduced.net))
    else:
        plain = {name: _without_transitions(goal, net) for name, goal in goals.items()}
        protected = frozenset().union(*(places_of(goal, net) for goal in plain.values()))
        reduced = reduce_net(net, protected, "reachability")
        numbers = reduced.place_numbers()
        predicates = {name: _renumbered(goal, numbers) for name, goal in plain.items()}
    smaller = NetModel(reduced.net, model.file, model.language, model.sources, predicates, model.warnings)
    return ReducedGoals(model, goals, reduced, smaller)


def reduce_for_runs(model: NetModel, predicates: Mapping[str, Predicate]) -> NetModel:
    """The smallest net the rules make whose runs are the same for these predicates, but for how often they stutter."""
    plain = {name: _without_transitions(predicate, model.net) for name, predicate in predicates.items()}
    protected = frozenset().union(*(places_of(predicate, model.net) for predicate in plain.values()))
    reduced = reduce_net(model.net, protected, "runs")
    numbers = reduced.place_numbers()
    renumbered = {name: _renumbered(predicate, numbers) for name, predicate in plain.items()}
    return NetModel(reduced.net, model.file, model.language, model.sources, renumbered, model.warnings)


def deadlock_of(net: PlaceTransitionNet) -> Predicate:
    return negation(Fireable(tuple(range(len(net.transitions)))))


def _without_transitions(predicate: Predicate, net: PlaceTransitionNet) -> Predicate:
    """Enabledness said in tokens: transitions may be gone from the reduced net."""
    match predicate:
        case Fireable(transitions):
            return disjunction(
                [
                    conjunction([AtLeastZero(((arc.place, 1),), -arc.weight) for arc in net.transitions[t].preset])
                    for t in transitions
                ]
            )
        case Not(operand):
            return negation(_without_transitions(operand, net))
        case And(operands):
            return conjunction([_without_transitions(operand, net) for operand in operands])
        case Or(operands):
            return disjunction([_without_transitions(operand, net) for operand in operands])
        case _:
            return predicate


def _renumbered(predicate: Predicate, numbers: Mapping[int, int]) -> Predicate:
    match predicate:
        case AtLeastZero(terms, constant):
            return AtLeastZero(tuple((numbers[place], factor) for place, factor in terms), constant)
        case Not(operand):
            return negation(_renumbered(operand, numbers))
        case And(operands):
            return conjunction([_renumbered(operand, numbers) for operand in operands])
        case Or(operands):
            return disjunction([_renumbered(operand, numbers) for operand in operands])
        case _:
            return predicate
