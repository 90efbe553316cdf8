"""What kind of search an automaton needs, as a whole and in each of its strongly connected components.

The components of a claim decide how cheaply its accepted runs are found (Edelkamp, Lluch-Lafuente, Leue, SPIN 2001;
Cerna, Pelanek, MFCS 2003): where no cycle is accepted there is nothing to look for, where all are any cycle will do,
and only where some are and some are not a nested search is needed. Once a terminal component is reached the rest of
the run does not matter: a finite prefix is already accepted.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from kripke.logic.automaton import Automaton
from kripke.logic.guards import FALSE, TRUE
from kripke.logic.pruning import accepting_components, every_cycle_accepted
from kripke.logic.symbolic_automaton import SymbolicAutomaton, symbolic_of


class Cycles(Enum):
    """Which cycles of a component are accepted; the letters are those of the SPIN 2001 paper."""

    TRANSIENT = "-"  # there are none
    NONE = "N"
    ALL = "F"
    SOME = "P"


class Strength(Enum):
    """What an automaton as a whole asks of a search."""

    EMPTY = "empty"  # accepts nothing
    SAFETY = "safety"  # every infinite run is accepted: look for any cycle
    TERMINAL = "terminal"  # accepted as soon as a terminal component is reached: look for a state
    WEAK = "weak"  # in every component all cycles are accepted, or none: look for a cycle in those of kind F
    STRONG = "strong"  # look for accepted cycles


class Component(NamedTuple):
    states: tuple[int, ...]
    cycles: Cycles
    terminal: bool  # all of its cycles are accepted and it can be stayed in under every letter


class Classification(NamedTuple):
    components: tuple[Component, ...]  # those that others lead to come first
    component_of: tuple[int, ...]  # by state
    strength: Strength


def classified(automaton: Automaton) -> Classification:
    symbolic = symbolic_of(automaton)
    if len(automaton.initial) != 1:  # the state that stands for several initial ones is the last, and on no cycle
        symbolic = SymbolicAutomaton(symbolic.guards, symbolic.sets, 0, symbolic.out[:-1])
    number = symbolic.component_of()
    accepting = accepting_components(symbolic)
    found = []
    for index, states in enumerate(symbolic.components()):
        inside = [edge for state in states for edge in symbolic.out[state] if number[edge.target] == index]
        if not inside:
            cycles = Cycles.TRANSIENT
        elif not accepting[index]:
            cycles = Cycles.NONE
        elif every_cycle_accepted(symbolic, states, index, number):
            cycles = Cycles.ALL
        else:
            cycles = Cycles.SOME
        terminal = cycles is Cycles.ALL and all(_stays(symbolic, state, index, number) for state in states)
        found.append(Component(tuple(states), cycles, terminal))
    strength = _strength(automaton, found)
    return Classification(tuple(found), tuple(number), strength)


def _stays(symbolic: SymbolicAutomaton, state: int, index: int, number: list[int]) -> bool:
    covered = FALSE
    for guard, target, _ in symbolic.out[state]:
        if number[target] == index:
            covered = symbolic.guards.either(covered, guard)
    return covered == TRUE


def _strength(automaton: Automaton, found: list[Component]) -> Strength:
    kinds = {component.cycles for component in found}
    if not automaton.initial or not kinds & {Cycles.ALL, Cycles.SOME}:
        return Strength.EMPTY
    if Cycles.SOME in kinds:
        return Strength.STRONG
    if all(component.terminal for component in found if component.cycles is Cycles.ALL):
        return Strength.TERMINAL
    return Strength.WEAK if Cycles.NONE in kinds else Strength.SAFETY
