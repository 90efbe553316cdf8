"""Automata made smaller by comparing states.

A state is *simulated* by another if whatever it can do under a letter, the other one can do under the same letter, with
at least the same marks, going to a state that again simulates (Dill, Hu, Wong-Toi, CAV 1991; for generalised acceptance
on edges: Babiak, Badie, Duret-Lutz, Kretinsky, Strejcek, SPIN 2013). States that simulate each other are one state, and
an edge is superfluous beside another one whose target simulates its target. The same holds backwards, for what leads to
a state. In a state-based automaton all of it keeps the marks of a state's edges equal.
"""

from __future__ import annotations

from collections.abc import Callable

from kripke.logic.guards import FALSE, Guards
from kripke.logic.pruning import pruned
from kripke.logic.symbolic_automaton import Out, SymbolicAutomaton, merged, reachable

_WORK = 250_000  # pairs of edges that a simulation may compare; beyond, only equal behaviour is looked for

Prune = Callable[[SymbolicAutomaton], SymbolicAutomaton]


def reduced(symbolic: SymbolicAutomaton, prune: Prune = pruned) -> SymbolicAutomaton:
    """The same language with fewer states or edges, as long as that goes on."""
    symbolic = prune(bisimulation_quotient(prune(symbolic)))
    while symbolic.states > 1 and symbolic.edges**2 <= _WORK:
        size = (symbolic.states, symbolic.edges)
        symbolic = prune(_smaller_backward(prune(_smaller_forward(symbolic))))
        if (symbolic.states, symbolic.edges) == size:
            break
    return symbolic


def bisimulation_quotient(symbolic: SymbolicAutomaton) -> SymbolicAutomaton:
    """States with the same behaviour become one, by refining a partition (Moore)."""
    classes = [0] * symbolic.states
    count = 1
    while True:
        numbers: dict[tuple[int, frozenset[Out]], int] = {}
        refined = []
        for state, edges in enumerate(symbolic.out):
            signature = merged(symbolic.guards, [Out(guard, classes[target], marks) for guard, target, marks in edges])
            refined.append(numbers.setdefault((classes[state], frozenset(signature)), len(numbers)))
        if len(numbers) == count:
            break
        classes, count = refined, len(numbers)
    if count == symbolic.states:
        return symbolic
    return reachable(_joined(symbolic, classes, count))


def _joined(symbolic: SymbolicAutomaton, names: list[int], count: int) -> SymbolicAutomaton:
    """States of the same name are one, with the edges of the first of them."""
    out: list[list[Out] | None] = [None] * count
    for state, edges in enumerate(symbolic.out):
        if out[names[state]] is None:
            out[names[state]] = merged(
                symbolic.guards, [Out(guard, names[target], marks) for guard, target, marks in edges]
            )
    return SymbolicAutomaton(symbolic.guards, symbolic.sets, names[symbolic.initial], [edges or [] for edges in out])


def _smaller_forward(symbolic: SymbolicAutomaton) -> SymbolicAutomaton:
    guards = symbolic.guards
    covered = []
    for edges in symbolic.out:
        total = FALSE
        for edge in edges:
            total = guards.either(total, edge.guard)
        covered.append(total)
    states = range(symbolic.states)
    possible = [sum(1 << q for q in states if guards.implies(covered[p], covered[q])) for p in states]
    return reachable(_quotient(symbolic, _simulation(guards, symbolic.out, possible)))


def _smaller_backward(symbolic: SymbolicAutomaton) -> SymbolicAutomaton:
    """An initial state is like an initial state only; states are joined only if their edges have the same marks."""
    into = _reversed(symbolic)
    state_marks = [edges[0].marks if len({edge.marks for edge in edges}) == 1 else -1 for edges in symbolic.out]
    start, states = symbolic.initial, range(symbolic.states)
    possible = [sum(1 << q for q in states if (p == start) <= (q == start)) for p in states]
    above = _simulation(symbolic.guards, into.out, possible)
    for p in states:
        above[p] &= sum(1 << q for q in states if state_marks[p] == state_marks[q]) | 1 << p
    return reachable(_reversed(_quotient(into, above)))


def _reversed(symbolic: SymbolicAutomaton) -> SymbolicAutomaton:
    into: list[list[Out]] = [[] for _ in symbolic.out]
    for state, edges in enumerate(symbolic.out):
        for guard, target, marks in edges:
            into[target].append(Out(guard, state, marks))
    return SymbolicAutomaton(symbolic.guards, symbolic.sets, symbolic.initial, into)


def _simulation(guards: Guards, out: list[list[Out]], above: list[int]) -> list[int]:
    """For every state the states (as bits) that simulate it, among those that possibly do."""
    above = list(above)
    changed = True
    while changed:
        changed = False
        for state, edges in enumerate(out):
            rest = above[state] & ~(1 << state)
            while rest:
                bit = rest & -rest
                rest ^= bit
                if not _simulates(guards, edges, out[bit.bit_length() - 1], above):
                    above[state] ^= bit
                    changed = True
    return above


def _simulates(guards: Guards, edges: list[Out], others: list[Out], above: list[int]) -> bool:
    for guard, target, marks in edges:
        better = above[target]
        for other in others:
            if better >> other.target & 1 and not marks & ~other.marks:
                guard = guards.both(guard, other.guard ^ 1)
                if guard == FALSE:
                    break
        else:
            return False
    return True


def _quotient(symbolic: SymbolicAutomaton, above: list[int]) -> SymbolicAutomaton:
    """Without edges beside better ones; states that simulate each other joined."""
    out = [_undominated(symbolic.guards, edges, above) for edges in symbolic.out]
    smaller = SymbolicAutomaton(symbolic.guards, symbolic.sets, symbolic.initial, out)
    names: list[int] = []
    leaders: list[int] = []
    for state in range(symbolic.states):
        for number, leader in enumerate(leaders):
            if above[state] >> leader & 1 and above[leader] >> state & 1:
                names.append(number)
                break
        else:
            names.append(len(leaders))
            leaders.append(state)
    return _joined(smaller, names, len(leaders))


def _undominated(guards: Guards, edges: list[Out], above: list[int]) -> list[Out]:
    """Each edge only under letters under which no better one can be taken."""
    kept = []
    for index, (guard, target, marks) in enumerate(edges):
        for other_index, other in enumerate(edges):
            if other_index == index or marks & ~other.marks or not above[target] >> other.target & 1:
                continue
            as_good = marks == other.marks and above[other.target] >> target & 1
            if not as_good or other_index < index:
                guard = guards.both(guard, other.guard ^ 1)
                if guard == FALSE:
                    break
        if guard != FALSE:
            kept.append(Out(guard, target, marks))
    return kept
