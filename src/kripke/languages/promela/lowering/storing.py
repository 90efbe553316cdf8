"""Assignments to variables of imported types: to scalars with a range, to whole structures, to components that may be
absent. Several stores are one step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kripke.languages.promela import syntax
from kripke.languages.promela.lowering.data import Values
from kripke.languages.promela.lowering.expressions import ExpressionLowering, given, scalar_places
from kripke.languages.promela.lowering.symbols import ELEMENTS, LENGTH, TAG, StructType, start_values
from kripke.model.source import Span
from kripke.process.expressions import (
    Binary,
    BinaryOperator,
    Conditional,
    Constant,
    Expression,
    IntType,
    Place,
    Read,
)
from kripke.process.nodes import nodes_of
from kripke.process.program import Assign


def stores(lowering: ExpressionLowering, target: syntax.Reference, value: syntax.Expression) -> list[Assign]:
    """What an assignment stores, in order."""
    place, type_, conditions = lowering.component(target)
    owner, last = _owner(target)
    own = 0
    whole: tuple[Place, StructType] | None = None
    if last is not None:
        at, around, before = lowering.component(owner)
        if isinstance(around, StructType) and around.data is not None:
            whole = at, around
            own = len(conditions) - len(before) if last.name != ELEMENTS else 0
    needed = conditions[: len(conditions) - own]
    values = Values(lowering).scalars(value, type_)
    places = scalar_places(place, type_) if isinstance(type_, StructType) else [place]
    found = [Assign(to, what) for to, what in zip(places, values, strict=True)]
    if whole is not None and last is not None:
        found += _beside(*whole, last, values)
    if needed:
        found[0] = replace(found[0], value=given(needed, found[0].value))
    _refuse_overlap(lowering, found, value.span)
    return found


def _owner(target: syntax.Reference) -> tuple[syntax.Reference, syntax.Reference | None]:
    """What the last field of a reference is a field of, and that field."""
    if target.field is None:
        return target, None
    inner, last = _owner(target.field)
    if last is None:
        return syntax.Reference(target.name, target.index, None, span=target.span), target.field
    return syntax.Reference(target.name, target.index, inner, span=target.span), last


def _beside(whole: Place, type_: StructType, last: syntax.Reference, values: Sequence[Expression]) -> list[Assign]:
    """What changes with a component: that it is there, which alternative is chosen, what is behind the end."""

    def part(name: str) -> Place:
        item = type_.fields[name]
        kept = item.type if isinstance(item.type, IntType) else whole.type
        return Place(whole.variable, kept, whole.offset + item.offset, whole.indices)

    found: list[Assign] = []
    if f"{last.name}?" in type_.fields:
        found.append(Assign(part(f"{last.name}?"), Constant(1)))
    if TAG in type_.fields and last.name != TAG:
        found.append(Assign(part(TAG), Constant(list(type_.fields).index(last.name) - 1)))
        for name, item in type_.fields.items():
            if name in (TAG, last.name):
                continue
            inner = part(name)
            places = scalar_places(inner, item.type) if isinstance(item.type, StructType) else [inner]
            found += [Assign(to, Constant(n)) for to, n in zip(places, item.initial_of_type(), strict=True)]
    if last.name == LENGTH and ELEMENTS in type_.fields:
        item = type_.fields[ELEMENTS]
        length = Read(part(LENGTH))
        for i in range(item.count or 0):
            element = replace(part(ELEMENTS), offset=part(ELEMENTS).offset + i * item.type.size)
            places = scalar_places(element, item.type) if isinstance(item.type, StructType) else [element]
            inside = Binary(BinaryOperator.LESS, Constant(i), length)
            for to, start in zip(places, start_values(item.type, None), strict=True):
                found.append(Assign(to, Conditional(inside, Read(to), Constant(start))))
    return found


def _refuse_overlap(lowering: ExpressionLowering, found: list[Assign], span: Span) -> None:
    """A value that reads what was stored before it is not the value that was meant."""
    stored: list[Place] = []
    for assign in found:
        for node in nodes_of(assign.value):
            if not isinstance(node, Read) or node.place == assign.place or _is_own_length(node.place, found):
                continue
            if any(_may_be(node.place, before) for before in stored):
                message = "the new value uses the variable that is assigned"
                raise lowering.context.fail(message, span, "build it in another variable")
        stored.append(assign.place)


def _is_own_length(place: Place, found: list[Assign]) -> bool:
    """The elements behind a new end are found by the length that was stored first."""
    return place == found[0].place and place.type.name == "length"


def _may_be(one: Place, other: Place) -> bool:
    if one.variable is not other.variable:
        return False
    return bool(one.indices or other.indices) or one.offset == other.offset
