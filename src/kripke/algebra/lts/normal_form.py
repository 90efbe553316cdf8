"""The normal form of a process: deterministic, with the sets of events it may insist on."""

from __future__ import annotations

from kripke.algebra.lts.equivalences import TAU, Steps, divergent
from kripke.algebra.lts.system import TooManyStates

TICK = 1


def normal_form(steps: Steps, initial: int, most: int) -> Steps | None:
    """State 0 is the initial one. None where the process diverges: that would be lost. TooManyStates beyond ``most``.

    A node of several acceptances becomes a state that can do everything the node can and moves, unseen, to one state
    for each of its smallest acceptances.
    """
    diverging = divergent(steps)
    numbers: dict[frozenset[int], int] = {}
    nodes: list[frozenset[int]] = []

    def node(states: set[int]) -> int:
        closed = _closure(steps, states)
        known = numbers.get(closed)
        if known is None:
            if len(nodes) >= most:
                raise TooManyStates
            known = numbers[closed] = len(nodes)
            nodes.append(closed)
        return known

    node({initial})
    after: list[dict[int, int]] = []
    offers: list[list[frozenset[int]]] = []
    for states in nodes:
        if states & diverging:
            return None
        targets: dict[int, set[int]] = {}
        accepted: set[frozenset[int]] = set()
        for state in states:
            labels = {label for label, _ in steps[state]}
            if TAU not in labels:
                accepted.add(frozenset((TICK,)) if TICK in labels else frozenset(labels))
            for label, target in steps[state]:
                if label != TAU:
                    targets.setdefault(label, set()).add(target)
        after.append({label: node(reached) for label, reached in sorted(targets.items())})
        offers.append([a for a in accepted if not any(other < a for other in accepted)])
    found: Steps = [[] for _ in nodes]
    for number, following in enumerate(after):
        found[number] = sorted(following.items())
        if offers[number] == [frozenset(following)]:
            continue
        for accepted_set in sorted(offers[number], key=sorted):
            found[number].append((TAU, len(found)))
            found.append([(label, target) for label, target in sorted(following.items()) if label in accepted_set])
    return found


def _closure(steps: Steps, states: set[int]) -> frozenset[int]:
    found, stack = set(states), list(states)
    while stack:
        for label, target in steps[stack.pop()]:
            if label == TAU and target not in found:
                found.add(target)
                stack.append(target)
    return frozenset(found)
