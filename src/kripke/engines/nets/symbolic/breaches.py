"""What no run may do, looked for in the set of all markings, some of which may lie behind it."""

from __future__ import annotations

from typing import NamedTuple

from kripke.engines.nets.symbolic.branching import Branching
from kripke.engines.nets.symbolic.sets import MarkingSet
from kripke.engines.nets.view import Breach, Breaches


class Met(NamedTuple):
    """A breach that some run makes: ``where`` it is met first, and ``within`` which markings ways lead there."""

    breach: Breach
    where: MarkingSet
    within: MarkingSet


def met(branching: Branching, breaches: Breaches) -> tuple[list[Met], MarkingSet]:
    """What is broken, and the markings from which steps go on. Afterwards, reachable are the markings that are reached
    without breaking anything, with those that are an end."""
    found, inner = _met_by_markings(branching, breaches)
    for breach in breaches.failing:
        where = branching.markings.satisfying(breach.where, inner)
        if where:
            found.append((breach, where))
    return [Met(breach, where, inner | where) for breach, where in found], inner


def _met_by_markings(branching: Branching, breaches: Breaches) -> tuple[list[tuple[Breach, MarkingSet]], MarkingSet]:
    """Breaches by forbidden markings and those that are an end, and the markings from which steps go on."""
    markings = branching.markings
    forbidden = end = markings.nothing
    for breach in breaches.forbidden:
        forbidden |= branching.of_predicate(breach.where)
    for breach in breaches.ends:
        end |= branching.of_predicate(breach.where)
    if not forbidden and not end:
        return [], markings.reachable
    allowed = markings.reachable - forbidden - end
    inner = markings.forward(markings.initial & allowed, allowed)
    border = markings.initial | markings.successors(inner, markings.reachable)
    found = []
    for breach in breaches.forbidden:
        found.append((breach, border & branching.of_predicate(breach.where)))
    ended = (border & end) - forbidden
    for breach in breaches.ends:
        found.append((breach, ended & branching.of_predicate(breach.where)))
    branching.restrict(inner | ended)
    return [(breach, where) for breach, where in found if where], inner
