"""What an automaton does not need: states without an accepted run, acceptance sets that say nothing, marks nobody
asks for.
"""

from __future__ import annotations

from kripke.logic.components import components
from kripke.logic.draft import Draft, Out, merged


def accepting_components(draft: Draft) -> list[bool]:
    """For each of `draft.components()`: does it have a cycle through all acceptance sets?"""
    number = draft.component_of()
    result = []
    for index, component in enumerate(draft.components()):
        gathered, cyclic = 0, False
        for state in component:
            for edge in draft.out[state]:
                if number[edge.target] == index:
                    cyclic = True
                    gathered |= edge.marks
        result.append(cyclic and gathered == draft.all_marks)
    return result


def without_useless_states(draft: Draft) -> Draft:
    """Only states from which some run is accepted; the initial state stays in any case."""
    accepting = accepting_components(draft)
    useful = [False] * draft.states
    for index, component in enumerate(draft.components()):
        if accepting[index] or any(useful[edge.target] for state in component for edge in draft.out[state]):
            for state in component:
                useful[state] = True
    if all(useful):
        return draft
    if not useful[draft.initial]:
        return Draft(draft.guards, 0, 0, [[]])
    names: dict[int, int] = {state: index for index, state in enumerate(s for s in range(draft.states) if useful[s])}
    return draft.renamed(names.get, len(names))


def with_plain_marks(draft: Draft) -> Draft:
    """Marks where they decide something only, and where every cycle is accepted all of them."""
    number = draft.component_of()
    accepting = accepting_components(draft)
    every = draft.all_marks
    weak = [
        accepting[index] and every_cycle_accepted(draft, component, index, number)
        for index, component in enumerate(draft.components())
    ]
    out = []
    for state, edges in enumerate(draft.out):
        own = number[state]
        plain = []
        for guard, target, marks in edges:
            if number[target] != own or not accepting[own]:
                marks = 0
            elif weak[own]:
                marks = every
            plain.append(Out(guard, target, marks))
        out.append(merged(draft.guards, plain))
    return Draft(draft.guards, draft.sets, draft.initial, out)


def every_cycle_accepted(draft: Draft, component: list[int], index: int, number: list[int]) -> bool:
    """No cycle inside the component avoids an acceptance set."""
    place = {state: at for at, state in enumerate(component)}
    for bit in range(draft.sets):
        avoiding = [
            [
                place[edge.target]
                for edge in draft.out[state]
                if number[edge.target] == index and not edge.marks >> bit & 1
            ]
            for state in component
        ]
        if any(at in targets for at, targets in enumerate(avoiding)) or len(components(avoiding)) < len(component):
            return False
    return True


def with_few_sets(draft: Draft) -> Draft:
    """Without acceptance sets that contain another one: taking edges of the smaller set is taking edges of the larger.

    Expects plain marks. One set stays where there are cycles that must not be accepted: they have no marks at all.
    """
    number = draft.component_of()
    accepting = accepting_components(draft)
    seen = set()
    kept = list(range(draft.sets))
    needed = 0
    for state, edges in enumerate(draft.out):
        for edge in edges:
            if number[edge.target] == number[state]:
                if accepting[number[state]]:
                    seen.add(edge.marks)
                else:
                    needed = 1
    for bit in range(draft.sets):
        others = [other for other in kept if other != bit]
        if len(others) >= needed and (
            all(marks >> bit & 1 for marks in seen)
            or any(all(marks >> bit & 1 or not marks >> other & 1 for marks in seen) for other in others)
        ):
            kept = others
    if len(kept) == draft.sets:
        return draft

    def fewer(marks: int) -> int:
        return sum(1 << new for new, old in enumerate(kept) if marks >> old & 1)

    out = [
        merged(draft.guards, [Out(guard, target, fewer(marks)) for guard, target, marks in edges])
        for edges in draft.out
    ]
    return Draft(draft.guards, len(kept), draft.initial, out)


def pruned(draft: Draft) -> Draft:
    return with_few_sets(with_plain_marks(without_useless_states(draft)))
