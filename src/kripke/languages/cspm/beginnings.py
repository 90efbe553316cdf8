"""Beginnings of events: a channel and its first fields."""

from __future__ import annotations

from collections.abc import Iterable

from kripke.algebra.offers import Offer, union
from kripke.languages.cspm.sets import Closure, Joined, Reduced, Values, begins, next_field
from kripke.languages.cspm.values import Dot, Maker, Value, dot, missing


def component(event: Value, value: Value) -> Value:
    """The next item of an event behind a beginning of it."""
    if isinstance(value, Maker):
        return event.items[1]
    last = len(value.items) - 1
    if last and missing(value.items[-1]):
        return component(event.items[last], value.items[-1])
    return event.items[last + 1]


def rest(value: Value, prefix: Value) -> list[Value] | None:
    """The fields of an event behind a beginning of it; None if it begins otherwise."""
    if not begins(value, prefix):
        return None
    found: list[Value] = []
    while missing(prefix) and prefix != value:
        item = component(value, prefix)
        found.append(item)
        prefix = dot(prefix, item)
    return found


def continued(value: Value, items: Iterable[Value]) -> Value:
    for item in items:
        value = dot(value, item)
    return value


def lacking_fields(value: Value) -> list[Values]:
    """The sets of the fields that a beginning lacks."""
    if isinstance(value, Maker):
        return list(value.fields)
    if not isinstance(value, Dot) or not isinstance(value.items[0], Maker):
        return []
    inner = lacking_fields(value.items[-1]) if len(value.items) > 1 else []
    return [*inner, *value.items[0].fields[len(value.items) - 1 :]]


def head(value: Value) -> Value:
    return value.items[0] if isinstance(value, Dot) else value


class DottedFields:
    """How events are made of fields (``kripke.algebra.offers.Fields``)."""

    def follow(self, beginning: Value, item: Value) -> Value:
        return item if beginning is None else dot(beginning, item)

    def whole(self, beginning: Value) -> bool:
        return not missing(beginning)

    def item(self, event: Value, beginning: Value) -> Value | None:
        if beginning is None:
            return head(event)
        if event == beginning or not begins(event, beginning):
            return None
        return component(event, beginning)

    def agree(self, one: Value, other: Value) -> bool:
        return bool(one == other) or begins(one, other) or begins(other, one)


FIELDS = DottedFields()


def anything(beginning: Value) -> Offer:
    """What the type of a channel allows behind a beginning."""
    following = next_field(beginning)
    return Offer(FIELDS, (), () if following is None else (following,))


def offered(events: Values, beginning: Value) -> Offer:
    """What the events of a set go on with."""
    match events:
        case Closure():
            return union(FIELDS, (_closed(prefix, beginning) for prefix in events.prefixes))
        case Joined():
            return union(FIELDS, (offered(part, beginning) for part in events.parts))
        case Reduced():
            return offered(events.base, beginning)
    items = (FIELDS.item(event, beginning) for event in events.items())
    return Offer(FIELDS, [item for item in items if item is not None])


def _closed(prefix: Value, beginning: Value) -> Offer:
    """The same of all events that begin with ``prefix``."""
    if beginning is not None and begins(beginning, prefix):
        return anything(beginning)
    item = FIELDS.item(prefix, beginning)
    return Offer(FIELDS, () if item is None else (item,))
