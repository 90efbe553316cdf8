"""Claims of symmetry, as values of the language: ``{B, C, D}``, ``<(a.1, a.2), (a.2, a.1)>``.

A set says that its members may change places, wherever they occur in events. A sequence of pairs is one permutation,
of values or of whole events. What is claimed of values is lifted to all events that carry them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kripke.algebra.events import EventTable
from kripke.algebra.symmetry.claims import Claim, EventPermutation
from kripke.languages.cspm.sets import Finite, Values
from kripke.languages.cspm.values import Dot, MapValue, Seq, Value, Wrong, force, show


def claim_of(value: Value, table: EventTable) -> Claim:
    """Wrong where this is no permutation."""
    value = force(value)
    if isinstance(value, Values):
        return _of_set(value.items(), table)
    if isinstance(value, Seq):
        return _of_pairs(value.items(), table)
    raise Wrong(
        f"{show(value)} claims no symmetry",
        "a set says which values may change places; <(a, b), (b, a)> is one permutation",
    )


def _of_set(members: Sequence[Value], table: EventTable) -> Claim:
    shown = "{" + ", ".join(map(show, members)) + "}"
    if len(members) < 2:
        raise Wrong(f"{shown} claims nothing: there must be at least two values that may change places")
    swap = {members[0]: members[1], members[1]: members[0]}
    generators = [_lifted(f"the exchange of {show(members[0])} and {show(members[1])}", swap, table)]
    if len(members) > 2:
        turn = {one: members[(at + 1) % len(members)] for at, one in enumerate(members)}
        generators.append(_lifted(f"a turn of {shown}", turn, table))
    return Claim(shown, tuple(generators), all_of=len(members))


def _of_pairs(pairs: Sequence[Value], table: EventTable) -> Claim:
    mapping: dict[Value, Value] = {}
    for pair in map(force, pairs):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise Wrong(f"{show(pair)} is no pair of what becomes what")
        one, other = map(force, pair)
        if one in mapping:
            raise Wrong(f"{show(one)} becomes both {show(mapping[one])} and {show(other)}")
        mapping[one] = other
    if set(mapping) != set(mapping.values()):
        raise Wrong("this is no permutation: what something becomes must become something in its turn")
    shown = "<" + ", ".join(f"({show(one)}, {show(other)})" for one, other in mapping.items()) + ">"
    return Claim(shown, (_lifted(shown, mapping, table),))


def _lifted(words: str, mapping: Mapping[Value, Value], table: EventTable) -> EventPermutation:
    return EventPermutation(words, lambda event: table.number(_substituted(table.values[event], mapping)))


def _substituted(value: Value, mapping: Mapping[Value, Value]) -> Value:
    """The value with every occurrence of what is permuted changed, the outermost ones first."""
    value = force(value)
    if value in mapping:
        return mapping[value]
    match value:
        case Dot():
            return Dot(tuple(_substituted(item, mapping) for item in value.items))
        case tuple():
            return tuple(_substituted(item, mapping) for item in value)
        case Seq():
            return Seq(tuple(_substituted(item, mapping) for item in value.items()))
        case MapValue():
            return MapValue(
                {_substituted(key, mapping): _substituted(item, mapping) for key, item in value.entries.items()}
            )
        case Values():
            return Finite(_substituted(item, mapping) for item in value.items())
    return value
