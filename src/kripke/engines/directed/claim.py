"""Components of an observer, classified as HSF-SPIN does: what a search for cycles has to do in each.

S. Edelkamp, A. Lluch Lafuente, S. Leue, Directed Explicit Model Checking with HSF-SPIN, SPIN 2001, section 4.
Acceptance is of edges here: an accepted cycle takes a marked edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kripke.logic.components import components
from kripke.model.observer import Observer

#: "N": no cycle in it is accepted. "F": every one is. "P": some are.
Kind = Literal["N", "F", "P"]


@dataclass(frozen=True, slots=True)
class Claim:
    """For every state of an observer with one acceptance set: the number of its component, and the kind of that.
    ``alarms``: a finite run may be enough to break the property."""

    component: tuple[int, ...]
    kind: tuple[Kind, ...]
    alarms: bool

    def kind_numbers(self) -> tuple[int, ...]:
        """As ``native/cycles/directed_cycles.h`` has them."""
        return tuple("NFP".index(kind) for kind in self.kind)

    def __str__(self) -> str:
        """As in the paper's table of patterns: S+N+F."""
        found = ["S"] if self.alarms else []
        return "+".join([*found, *(kind for kind in ("N", "P", "F") if kind in self.kind)])


def classify(observer: Observer) -> Claim:
    """The components of an observer; trivial ones have no cycle, and so no accepted one."""
    inside = [[edge.target for edge in edges if edge.alarm < 0] for edges in observer.edges]
    found = components(inside)
    component = [0] * len(inside)
    for number, states in enumerate(found):
        for state in states:
            component[state] = number
    kinds: list[Kind] = []
    for number, states in enumerate(found):
        within = [
            (state, edge)
            for state in states
            for edge in observer.edges[state]
            if edge.alarm < 0 and component[edge.target] == number
        ]
        plain: list[list[int]] = [[] for _ in inside]
        for state, edge in within:
            if not edge.marks:
                plain[state].append(edge.target)
        if not any(edge.marks for _, edge in within):
            kinds.append("N")
        else:
            kinds.append("P" if _has_cycle(plain) else "F")
    kind = tuple(kinds[number] for number in component)
    return Claim(tuple(component), kind, any(edge.alarm >= 0 for edges in observer.edges for edge in edges))


def _has_cycle(successors: list[list[int]]) -> bool:
    return any(len(states) > 1 or states[0] in successors[states[0]] for states in components(successors))
