"""The automaton of a formula whose nodes carry formulas (Gerth, Peled, Vardi, Wolper, PSTV 1995).

A node says what is true now (literals) and what from the next position on. What was refined or split is left out, as
in Peled and Zuck (SPIN 2001), but which until formulas a node puts off is kept: those are its promises. An accepted
run has for every until formula infinitely many nodes that do not promise it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from kripke.proofs.terms import FALSE, TRUE, Term, joined, negation

LARGEST = 2_000


class TooLarge(Exception):
    """The automaton has more than LARGEST nodes."""


class Node(NamedTuple):
    """What is true now, what next, and which until formulas are put off."""

    literals: frozenset[Term]
    next: frozenset[Term]
    promises: frozenset[Term]

    @property
    def refutation(self) -> Term:
        """mu: what is true where no run can go on through this node."""
        later = joined("or", map(negation, self.next))
        return joined("or", [*map(negation, self.literals), FALSE if later == FALSE else ("X", later)])


@dataclass(frozen=True, slots=True)
class Tableau:
    nodes: tuple[Node, ...]
    initial: tuple[int, ...]
    successors: tuple[tuple[int, ...], ...]


def tableau(term: Term) -> Tableau:
    """The automaton of a term; TooLarge where it has too many nodes."""
    numbers: dict[Node, int] = {}
    order: list[Node] = []

    def numbered(nodes: Iterable[Node]) -> tuple[int, ...]:
        found = []
        for node in nodes:
            if node not in numbers:
                numbers[node] = len(order)
                order.append(node)
                if len(order) > LARGEST:
                    raise TooLarge
            found.append(numbers[node])
        return tuple(found)

    initial = numbered(ways({term}))
    successors = [numbered(ways(node.next)) for node in order]  # the list grows while it is walked
    return Tableau(tuple(order), initial, tuple(successors))


class _Branch(NamedTuple):
    waiting: tuple[Term, ...]
    present: frozenset[Term]
    next: frozenset[Term]
    delayed: frozenset[Term]


def ways(terms: Iterable[Term]) -> list[Node]:
    """All ways to make the terms true, without contradictions."""
    found: dict[Node, None] = {}
    stack = [_Branch(tuple(terms), frozenset(), frozenset(), frozenset())]
    steps = 0
    while stack:
        steps += 1
        if steps > 100 * LARGEST:
            raise TooLarge
        branch = stack.pop()
        if not branch.waiting:
            found[_finished(branch)] = None
            continue
        term, *rest = branch.waiting
        if term in branch.present or term == TRUE:
            stack.append(branch._replace(waiting=tuple(rest)))
            continue
        if term == FALSE or (term[0] in ("atom", "not") and negation(term) in branch.present):
            continue
        branch = branch._replace(waiting=tuple(rest), present=branch.present | {term})
        stack.extend(reversed(_refined(term, branch)))
    return list(found)


def _refined(term: Term, branch: _Branch) -> list[_Branch]:
    def also(*terms: Term) -> _Branch:
        return branch._replace(waiting=(*branch.waiting, *terms))

    again = branch.next | {term}
    match term[0]:
        case "and":
            return [also(*term[1:])]
        case "or":
            return [also(part) for part in term[1:]]
        case "X":
            return [branch._replace(next=branch.next | {term[1]})]
        case "G":
            return [also(term[1])._replace(next=again)]
        case "F":
            return [branch._replace(next=again, delayed=branch.delayed | {term}), also(term[1])]
        case "U":
            return [also(term[1])._replace(next=again, delayed=branch.delayed | {term}), also(term[2])]
        case "R":
            return [also(term[2])._replace(next=again), also(term[2], term[1])]
    return [branch]


def _finished(branch: _Branch) -> Node:
    literals = frozenset(term for term in branch.present if term[0] in ("atom", "not"))
    return Node(literals, branch.next, frozenset(term for term in branch.delayed if term[-1] not in branch.present))
