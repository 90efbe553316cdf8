"""What processes offer, field by field: how events are found that several processes do together although none of them
can be listed.

``pair?x!3`` offers infinitely many events, and so does ``pair!4?y``; together they do ``pair.4.3``. Events are walked
from their beginnings on: at each beginning every process says what it could go on with, and one of them that offers
finitely many items decides. An offer may say too much, never too little: in the end the processes are asked for the
event itself (``Term.after``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

#: a beginning of events, as the language has them; None: that of all
Beginning = Any


class Domain(Protocol):
    """A set of items: what a field can be."""

    def contains(self, value: Any, /) -> bool: ...

    def infinite(self) -> bool: ...

    def size(self) -> int: ...

    def items(self) -> tuple[Any, ...]:
        """All of them; an error that names the place where they are infinitely many."""
        ...


class Fields(Protocol):
    """How a language makes events of items."""

    def follow(self, beginning: Beginning, item: Any) -> Beginning: ...

    def whole(self, beginning: Beginning) -> bool:
        """Is it an event?"""
        ...

    def item(self, event: Any, beginning: Beginning) -> Any | None:
        """What follows in an event that begins like this; None where it begins otherwise, or ends."""
        ...

    def agree(self, one: Any, other: Any) -> bool:
        """Could two items be those of one event? One may be the beginning of the other."""
        ...


class Offer:
    """The union of some domains and of single items."""

    __slots__ = ("domains", "fields", "single")

    def __init__(self, fields: Fields, single: Iterable[Any] = (), domains: Iterable[Domain] = ()) -> None:
        self.fields = fields
        self.single = tuple(dict.fromkeys(single))
        self.domains = tuple(domains)

    def width(self) -> float:
        if any(domain.infinite() for domain in self.domains):
            return float("inf")
        return float(len(self.single) + sum(domain.size() for domain in self.domains))

    def allows(self, item: Any) -> bool:
        agree = self.fields.agree
        return any(agree(item, one) for one in self.single) or any(
            domain.contains(item) or not self.fields.whole(item) for domain in self.domains
        )

    def items(self) -> Iterable[Any]:
        found = dict.fromkeys(self.single)
        for domain in self.domains:
            found.update(dict.fromkeys(domain.items()))
        return found

    def with_(self, other: Offer) -> Offer:
        return Offer(self.fields, (*self.single, *other.single), (*self.domains, *other.domains))

    def meet(self, other: Offer) -> Offer:
        """What both offer: the narrower one is listed."""
        few, many = (self, other) if self.width() <= other.width() else (other, self)
        if few.width() == float("inf"):
            return few
        return Offer(self.fields, [item for item in few.items() if many.allows(item)])


def union(fields: Fields, offers: Iterable[Offer]) -> Offer:
    found = list(offers)
    return Offer(
        fields, [item for offer in found for item in offer.single], [part for offer in found for part in offer.domains]
    )


def of_events(fields: Fields, events: Iterable[Any], beginning: Beginning) -> Offer:
    """That of a list of events."""
    items = (fields.item(event, beginning) for event in events)
    return Offer(fields, [item for item in items if item is not None])


def walk(
    fields: Fields, offer: Callable[[Beginning], Offer], left_out: Callable[[Beginning], bool]
) -> Iterator[Beginning]:
    """All events that are offered, but for those with a beginning that is left out."""
    pending: list[Beginning] = [None]
    known: set[Beginning] = set()  # one item may be the beginning of another
    while pending:
        beginning = pending.pop()
        if beginning is not None:
            if left_out(beginning):
                continue
            if fields.whole(beginning):
                if beginning not in known:
                    known.add(beginning)
                    yield beginning
                continue
        found = [fields.follow(beginning, item) for item in offer(beginning).items()]
        pending.extend(reversed(found))
