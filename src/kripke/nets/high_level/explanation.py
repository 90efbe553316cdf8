"""Why nothing can fire in a marking of a high-level net, or a condition on it is false."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kripke.model.explanation import Explanation, FalseAtom, Reason, Stuck
from kripke.model.model import Violation
from kripke.nets.explanation import first_reasons
from kripke.nets.high_level.net import Condition, HighLevelNet, Transition
from kripke.nets.high_level.terms import mentions_places


def explain(
    net: HighLevelNet,
    conditions: Sequence[Condition],
    tokens: Mapping[int, str],
    cause: Violation | FalseAtom | Stuck,
) -> Explanation | None:
    """``tokens``: of every place that is not empty, what lies in it."""
    match cause:
        case Stuck():
            reasons = [_missing(net, transition, tokens) for transition in net.transitions]
            return Explanation("no transition finds the tokens it needs", first_reasons(reasons, "transitions"))
        case FalseAtom(number):
            places = sorted(mentions_places(conditions[number].term))
            reasons = [_held(net.places[place].name, tokens.get(place)) for place in places]
            return Explanation("the tokens in the places that decide", first_reasons(reasons, "places"))
    return None


def _missing(net: HighLevelNet, transition: Transition, tokens: Mapping[int, str]) -> Reason:
    places = list(dict.fromkeys(arc.place for arc in transition.inputs))
    # An arc that takes a computed number of tokens may take none.
    needed = {arc.place for arc in transition.inputs if arc.multiplicity is None and not arc.whole}
    empty = [net.places[place].name for place in places if place in needed and place not in tokens]
    if empty:
        return Reason(f"{transition.name} needs a token in {', '.join(empty)}")
    gate = " and its gate" if transition.gates else ""
    held = tuple((net.places[place].name, tokens.get(place, "empty")) for place in places)
    if not held:
        return Reason(f"the gate of {transition.name} is false")
    return Reason(f"no tokens fit the arcs of {transition.name}{gate}", held)


def _held(name: str, tokens: str | None) -> Reason:
    return Reason(f"{name} is empty") if tokens is None else Reason(f"{name} holds {tokens}")
