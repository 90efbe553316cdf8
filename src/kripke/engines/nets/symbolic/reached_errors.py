"""What no run may do, looked for in the set of all markings, some of which may lie behind it."""

from __future__ import annotations

from typing import NamedTuple

from kripke.engines.nets.symbolic.branching import Branching
from kripke.engines.nets.symbolic.sets import MarkingSet
from kripke.nets.place_transition_view import ErrorPredicate, ErrorPredicates


class ReachedError(NamedTuple):
    """An error that some run makes: ``where`` it is met first, and ``within`` which markings ways lead there."""

    error: ErrorPredicate
    where: MarkingSet
    within: MarkingSet


def reached_errors(branching: Branching, errors: ErrorPredicates) -> tuple[list[ReachedError], MarkingSet]:
    """What is broken, and the markings from which steps go on. Afterwards, reachable are the markings that are reached
    without breaking anything, with those that are an end."""
    found, inner = _reached_by_markings(branching, errors)
    for error in errors.failing:
        where = branching.markings.satisfying(error.where, inner)
        if where:
            found.append((error, where))
    return [ReachedError(error, where, inner | where) for error, where in found], inner


def _reached_by_markings(
    branching: Branching, errors: ErrorPredicates
) -> tuple[list[tuple[ErrorPredicate, MarkingSet]], MarkingSet]:
    """Errors by forbidden markings and those that are an end, and the markings from which steps go on."""
    markings = branching.markings
    forbidden = end = markings.nothing
    for error in errors.forbidden:
        forbidden |= branching.of_predicate(error.where)
    for error in errors.ends:
        end |= branching.of_predicate(error.where)
    if not forbidden and not end:
        return [], markings.reachable
    allowed = markings.reachable - forbidden - end
    inner = markings.forward(markings.initial & allowed, allowed)
    border = markings.initial | markings.successors(inner, markings.reachable)
    found = []
    for error in errors.forbidden:
        found.append((error, border & branching.of_predicate(error.where)))
    ended = (border & end) - forbidden
    for error in errors.ends:
        found.append((error, ended & branching.of_predicate(error.where)))
    branching.restrict(inner | ended)
    return [(error, where) for error, where in found if where], inner
