"""Why nothing can fire in a marking, or a condition on it is false: the places that lack tokens, or decide."""

from __future__ import annotations

from collections.abc import Sequence

from kripke.model.explanation import Explanation, FalseAtom, Reason, Stuck
from kripke.model.model import Violation
from kripke.nets.place_transition import PlaceTransitionNet, Transition
from kripke.nets.predicates import Predicate, places_of

_SHOWN = 12


def explain(
    net: PlaceTransitionNet,
    predicates: Sequence[Predicate],
    tokens: Sequence[int],
    cause: Violation | FalseAtom | Stuck,
) -> Explanation | None:
    match cause:
        case Stuck():
            reasons = [_lacking(net, transition, tokens) for transition in net.transitions]
            return Explanation("every transition lacks a token", first_reasons(reasons, "transitions"))
        case FalseAtom(number):
            places = sorted(places_of(predicates[number], net))
            reasons = [Reason(_held(net.places[place].name, tokens[place])) for place in places]
            return Explanation("the tokens on the places that decide", first_reasons(reasons, "places"))
    return None


def _lacking(net: PlaceTransitionNet, transition: Transition, tokens: Sequence[int]) -> Reason:
    lacking = [
        (net.places[place].name, weight, tokens[place]) for place, weight in transition.preset if tokens[place] < weight
    ]
    needs = ", ".join(f"{'a token' if weight == 1 else f'{weight:,} tokens'} in {name}" for name, weight, _ in lacking)
    held = tuple((name, str(there)) for name, _, there in lacking if there)
    return Reason(f"{transition.name} needs {needs}", held)


def _held(name: str, number: int) -> str:
    return f"{name} is empty" if not number else f"{name} holds {number:,}"


def first_reasons(reasons: Sequence[Reason], what: str) -> tuple[Reason, ...]:
    """As many as one reads, and how many more there are."""
    if len(reasons) <= _SHOWN:
        return tuple(reasons)
    return (*reasons[:_SHOWN], Reason(f"and {len(reasons) - _SHOWN:,} more {what}"))
