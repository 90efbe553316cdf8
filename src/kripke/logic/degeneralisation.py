"""From many acceptance sets on edges to one set of accepting states, with few states.

A copy of the automaton for each level: level k waits for an edge of the k-th set, and the level after the last one is
accepting. What keeps the number of copies small is that levels matter only inside a component that accepts: elsewhere
there is one copy, where every cycle is accepted there is one copy too, and what enters a component enters at a level
that its state has already (Babiak, Badie, Duret-Lutz, Kretinsky, Strejcek, SPIN 2013).
"""

from __future__ import annotations

from itertools import permutations

from kripke.logic.pruning import accepting_components, with_plain_marks, without_useless_states
from kripke.logic.simulation import reduced
from kripke.logic.symbolic_automaton import Out, SymbolicAutomaton, merged, reachable

_MOST_TRIED = 3  # sets that are tried in every order
_MANY_EDGES = 60  # with so many, one candidate is reduced and not two


def state_based(symbolic: SymbolicAutomaton) -> SymbolicAutomaton:
    """An equivalent automaton, reduced, whose marks are those of its states: one set, or none."""
    if symbolic.sets == 0:
        return symbolic
    symbolic = with_plain_marks(symbolic)
    count = symbolic.sets
    if count <= _MOST_TRIED:
        orders = list(permutations(range(count)))
    else:
        orders = [tuple(range(count)), tuple(reversed(range(count)))]
    levelled = sorted((_levelled(symbolic, order) for order in orders), key=lambda found: (found.states, found.edges))
    closest = [found for found in levelled[:2] if found.states < levelled[0].states + 2]
    if levelled[0].edges > _MANY_EDGES:
        closest = closest[:1]
    return min((_reduced(found) for found in closest), key=lambda found: (found.states, found.edges))


def _levelled(symbolic: SymbolicAutomaton, order: tuple[int, ...]) -> SymbolicAutomaton:
    number = symbolic.component_of()
    accepting = accepting_components(symbolic)
    last = len(order)
    every = symbolic.all_marks
    weak = [True] * len(accepting)
    for state, edges in enumerate(symbolic.out):
        for edge in edges:
            if number[edge.target] == number[state] and edge.marks != every:
                weak[number[state]] = False
    names: dict[tuple[int, int], int] = {}
    found: list[tuple[int, int]] = []
    levels: dict[int, int] = {}  # a level that a state has already

    def name(state: int, level: int) -> int:
        key = (state, level)
        if key not in names:
            names[key] = len(found)
            found.append(key)
            levels.setdefault(state, level)
        return names[key]

    def entered(state: int) -> int:
        component = number[state]
        if not accepting[component]:
            return name(state, 0)
        return name(state, last if weak[component] else levels.get(state, 0))

    entered(symbolic.initial)
    out: list[list[Out]] = []
    for state, level in found:
        edges = []
        mark = int(level == last)
        component = number[state]
        for guard, target, marks in symbolic.out[state]:
            if number[target] != component or not accepting[component] or weak[component]:
                to = entered(target)
            else:
                higher = 0 if level == last else level
                while higher < last and marks >> order[higher] & 1:
                    higher += 1
                to = name(target, higher)
            edges.append(Out(guard, to, mark))
        out.append(merged(symbolic.guards, edges))
    return SymbolicAutomaton(symbolic.guards, 1, 0, out)


def _reduced(symbolic: SymbolicAutomaton) -> SymbolicAutomaton:
    """States outside cycles may or may not be accepting: whichever gives fewer states."""
    symbolic = reduced(symbolic, _pruned)
    if not any(_is_transient(symbolic, component) for component in symbolic.components()):
        return symbolic
    other = reduced(_with_accepting_transients(symbolic), _pruned)
    return other if (other.states, other.edges) < (symbolic.states, symbolic.edges) else symbolic


def _pruned(symbolic: SymbolicAutomaton) -> SymbolicAutomaton:
    """Without useless states; accepting where it decides something, and everywhere if all cycles are accepted."""
    symbolic = without_useless_states(symbolic)
    if symbolic.sets == 0:
        return symbolic
    number = symbolic.component_of()
    plain = with_plain_marks(symbolic)
    marks = [0] * symbolic.states
    for state, edges in enumerate(plain.out):
        marks[state] = max((edge.marks for edge in edges if number[edge.target] == number[state]), default=0)
    return _marked(symbolic, marks)


def _is_transient(symbolic: SymbolicAutomaton, component: list[int]) -> bool:
    """A single state that is on no cycle."""
    return len(component) == 1 and all(edge.target != component[0] for edge in symbolic.out[component[0]])


def _with_accepting_transients(symbolic: SymbolicAutomaton) -> SymbolicAutomaton:
    if symbolic.sets == 0:
        return symbolic
    marks = [edges[0].marks if edges else 0 for edges in symbolic.out]
    for component in symbolic.components():
        if _is_transient(symbolic, component):
            marks[component[0]] = 1
    return _joined_transients(_marked(symbolic, marks))


def _marked(symbolic: SymbolicAutomaton, marks: list[int]) -> SymbolicAutomaton:
    out = [
        merged(symbolic.guards, [Out(edge.guard, edge.target, marks[state]) for edge in edges])
        for state, edges in enumerate(symbolic.out)
    ]
    return SymbolicAutomaton(symbolic.guards, symbolic.sets, symbolic.initial, out)


def _joined_transients(symbolic: SymbolicAutomaton) -> SymbolicAutomaton:
    """A state outside cycles is one with any state that has the same edges but for the marks."""
    alike: dict[frozenset[tuple[int, int]], int] = {}
    for component in symbolic.components():
        if not _is_transient(symbolic, component):
            for member in component:
                alike.setdefault(frozenset((edge.guard, edge.target) for edge in symbolic.out[member]), member)
    names = list(range(symbolic.states))
    for component in symbolic.components():
        if _is_transient(symbolic, component):
            state = component[0]
            key = frozenset((edge.guard, edge.target) for edge in symbolic.out[state])
            names[state] = alike.setdefault(key, state)
    out = [
        merged(symbolic.guards, [Out(edge.guard, names[edge.target], edge.marks) for edge in edges])
        for edges in symbolic.out
    ]
    return reachable(SymbolicAutomaton(symbolic.guards, symbolic.sets, names[symbolic.initial], out))
