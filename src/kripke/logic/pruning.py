"""What an automaton does not need: states without an accepted run, acceptance sets that say nothing, marks nobody
asks for.
"""

from __future__ import annotations

from kripke.logic.components import components
from kripke.logic.symbolic_automaton import Out, SymbolicAutomaton, merged


def accepting_components(symbolic: SymbolicAutomaton) -> list[bool]:
    """For each of `symbolic.components()`: does it have a cycle through all acceptance sets?"""
    number = symbolic.component_of()
    result = []
    for index, component in enumerate(symbolic.components()):
        gathered, cyclic = 0, False
        for state in component:
            for edge in symbolic.out[state]:
                if number[edge.target] == index:
                    cyclic = True
                    gathered |= edge.marks
        result.append(cyclic and gathered == symbolic.all_marks)
    return result


def without_useless_states(symbolic: SymbolicAutomaton) -> SymbolicAutomaton:
    """Only states from which some run is accepted; the initial state stays in any case."""
    accepting = accepting_components(symbolic)
    useful = [False] * symbolic.states
    for index, component in enumerate(symbolic.components()):
        if accepting[index] or any(useful[edge.target] for state in component for edge in symbolic.out[state]):
            for state in component:
                useful[state] = True
    if all(useful):
        return symbolic
    if not useful[symbolic.initial]:
        return SymbolicAutomaton(symbolic.guards, 0, 0, [[]])
    names: dict[int, int] = {state: index for index, state in enumerate(s for s in range(symbolic.states) if useful[s])}
    return symbolic.renamed(names.get, len(names))


def with_plain_marks(symbolic: SymbolicAutomaton) -> SymbolicAutomaton:
    """Marks where they decide something only, and where every cycle is accepted all of them."""
    number = symbolic.component_of()
    accepting = accepting_components(symbolic)
    every = symbolic.all_marks
    weak = [
        accepting[index] and every_cycle_accepted(symbolic, component, index, number)
        for index, component in enumerate(symbolic.components())
    ]
    out = []
    for state, edges in enumerate(symbolic.out):
        own = number[state]
        plain = []
        for guard, target, marks in edges:
            if number[target] != own or not accepting[own]:
                marks = 0
            elif weak[own]:
                marks = every
            plain.append(Out(guard, target, marks))
        out.append(merged(symbolic.guards, plain))
    return SymbolicAutomaton(symbolic.guards, symbolic.sets, symbolic.initial, out)


def every_cycle_accepted(symbolic: SymbolicAutomaton, component: list[int], index: int, number: list[int]) -> bool:
    """No cycle inside the component avoids an acceptance set."""
    place = {state: at for at, state in enumerate(component)}
    for bit in range(symbolic.sets):
        avoiding = [
            [
                place[edge.target]
                for edge in symbolic.out[state]
                if number[edge.target] == index and not edge.marks >> bit & 1
            ]
            for state in component
        ]
        if any(at in targets for at, targets in enumerate(avoiding)) or len(components(avoiding)) < len(component):
            return False
    return True


def with_few_sets(symbolic: SymbolicAutomaton) -> SymbolicAutomaton:
    """Without acceptance sets that contain another one: taking edges of the smaller set is taking edges of the larger.

    Expects plain marks. One set stays where there are cycles that must not be accepted: they have no marks at all.
    """
    number = symbolic.component_of()
    accepting = accepting_components(symbolic)
    seen = set()
    kept = list(range(symbolic.sets))
    needed = 0
    for state, edges in enumerate(symbolic.out):
        for edge in edges:
            if number[edge.target] == number[state]:
                if accepting[number[state]]:
                    seen.add(edge.marks)
                else:
                    needed = 1
    for bit in range(symbolic.sets):
        others = [other for other in kept if other != bit]
        if len(others) >= needed and (
            all(marks >> bit & 1 for marks in seen)
            or any(all(marks >> bit & 1 or not marks >> other & 1 for marks in seen) for other in others)
        ):
            kept = others
    if len(kept) == symbolic.sets:
        return symbolic

    def fewer(marks: int) -> int:
        return sum(1 << new for new, old in enumerate(kept) if marks >> old & 1)

    out = [
        merged(symbolic.guards, [Out(guard, target, fewer(marks)) for guard, target, marks in edges])
        for edges in symbolic.out
    ]
    return SymbolicAutomaton(symbolic.guards, len(kept), symbolic.initial, out)


def pruned(symbolic: SymbolicAutomaton) -> SymbolicAutomaton:
    return with_few_sets(with_plain_marks(without_useless_states(symbolic)))
