"""Operators under which several processes go on at once.

Termination is distributed: a side that ends does so by an invisible step, and the whole ends when all sides have.
"""

from __future__ import annotations

from collections.abc import Iterable

from kripke.algebra.events import TAU, TICK, AnyOf, EventSet, Except, Visible
from kripke.algebra.offers import Beginning, Offer, union, walk
from kripke.algebra.terms import WIDE, Step, Term, World


class Parallel(Term):
    """``P [| A |] Q``: events of A together, others alone. Interleaving has an empty A."""

    __slots__ = ("_width", "left", "right", "shared")
    operator = "[| |]"

    def __init__(self, world: World, left: Term, shared: EventSet, right: Term) -> None:
        super().__init__(world)
        self.left, self.shared, self.right = left, shared, right
        self._width: float | None = None

    def _with(self, left: Term, right: Term) -> Term:
        return parallel(self.world, left, self.shared, right)

    def _make(self) -> Iterable[Step]:
        return self._found(None)

    def _found(self, but: EventSet | None) -> Iterable[Step]:
        """The steps, but for those whose events are in this set. A side that offers very many is not listed."""
        omega = self.world.omega
        left, right, shared = self.left, self.right, self.shared
        if left is omega and right is omega:
            yield TICK, omega
            return
        left_width, right_width = left.width(), right.width()
        alone = shared if but is None else AnyOf((shared, but))
        for event, target in left.outside(alone) if left_width > WIDE else left.steps():
            if event == TICK:
                yield TAU, self._with(omega, right)
            elif not alone.has(event):
                yield event, self._with(target, right)
        for event, target in right.outside(alone) if right_width > WIDE else right.steps():
            if event == TICK:
                yield TAU, self._with(left, omega)
            elif not alone.has(event):
                yield event, self._with(left, target)
        if left_width > WIDE and right_width > WIDE:
            for event in self._together(but):
                for target in left.after(event):
                    for other in right.after(event):
                        yield event, self._with(target, other)
        elif left_width > WIDE:
            for event, target in right.steps() if but is None else right.outside(but):
                if shared.has(event):
                    for other in left.after(event):
                        yield event, self._with(other, target)
        else:
            for event, target in left.steps() if but is None else left.outside(but):
                if shared.has(event):
                    for other in right.after(event):
                        yield event, self._with(target, other)

    def _together(self, but: EventSet | None) -> Iterable[int]:
        """Events of both sides, found field by field: neither is listed."""
        table, shared = self.world.events, self.shared

        def left_out(beginning: Beginning) -> bool:
            return shared.avoids(beginning) or (but is not None and but.covers(beginning))

        def offer(beginning: Beginning) -> Offer:
            found = self.left.offer(beginning).meet(self.right.offer(beginning))
            return found if beginning is None or shared.covers(beginning) else found.meet(shared.offer(beginning))

        numbers = [table.number(event) for event in walk(table.fields, offer, left_out)]
        return [event for event in numbers if shared.has(event) and (but is None or not but.has(event))]

    def offer(self, beginning: Beginning) -> Offer:
        left, right = self.left.offer(beginning), self.right.offer(beginning)
        if beginning is not None and self.shared.covers(beginning):
            return left.meet(right)
        return left.with_(right)

    def after(self, event: int) -> list[Term]:
        if self._steps is not None or event in (TAU, TICK):
            return super().after(event)
        if self.shared.has(event):
            others = self.right.after(event)
            return [self._with(one, other) for one in self.left.after(event) for other in others] if others else []
        found = [self._with(one, self.right) for one in self.left.after(event)]
        return found + [self._with(self.left, other) for other in self.right.after(event)]

    def outside(self, events: EventSet) -> Iterable[Step]:
        return super().outside(events) if self._steps is not None else self._found(events)

    def width(self, but: EventSet | None = None) -> float:
        left, right, shared = self.left, self.right, self.shared
        if but is not None:
            alone = AnyOf((shared, but))
            return left.width(alone) + right.width(alone) + min(left.width(but), right.width(but))
        if self._width is None:  # each operator asks those below it twice
            self._width = left.width(shared) + right.width(shared) + min(left.width(), right.width())
        return self._width

    def children(self) -> tuple[Term, ...]:
        return (self.left, self.right)

    def words(self) -> str:
        return f"[| {self.shared.words()} |]"


def parallel(world: World, left: Term, shared: EventSet, right: Term) -> Term:
    key = ("[||]", left.number, shared.key, right.number)
    return world.make(key, lambda: Parallel(world, left, shared, right))


class Alphabetised(Term):
    """``|| i @ [A(i)] P(i)``: an event happens when all whose alphabets have it take part."""

    __slots__ = ("alphabets", "parts")
    operator = "||"

    def __init__(self, world: World, parts: tuple[Term, ...], alphabets: tuple[EventSet, ...]) -> None:
        super().__init__(world)
        self.parts, self.alphabets = parts, alphabets

    def _with(self, changes: dict[int, Term]) -> Term:
        return alphabetised(
            self.world, tuple(changes.get(at, part) for at, part in enumerate(self.parts)), self.alphabets
        )

    def _make(self) -> Iterable[Step]:
        return self._found(None)

    def _found(self, but: EventSet | None) -> Iterable[Step]:
        """The steps, but for those whose events are in this set. An event is found from the first part that can be
        listed; parts that offer very many events are asked."""
        omega = self.world.omega
        if all(part is omega for part in self.parts):
            yield TICK, omega
            return
        wide = [part.width() > WIDE for part in self.parts]
        several = sum(wide) > 1
        listed = tuple(own for own, many in zip(self.alphabets, wide, strict=True) if not many)
        visible = Visible(self.world.events)
        if several:
            for event in self._together(wide, but):
                who = [at for at, own in enumerate(self.alphabets) if own.has(event)]
                yield from ((event, self._with(changes)) for changes in self._meetings({}, who, event))
        for at, part in enumerate(self.parts):
            own = self.alphabets[at]
            # Of a wide part: what it does alone, or nothing where such parts are asked together.
            found = visible if several else AnyOf((Except(visible, own), *listed, *(() if but is None else (but,))))
            for event, target in part.outside(found) if wide[at] else part.steps():
                if event == TAU:
                    yield TAU, self._with({at: target})
                elif event == TICK:
                    yield TAU, self._with({at: omega})
                elif own.has(event) and (but is None or not but.has(event)):
                    others = [j for j in range(len(self.parts)) if j != at and self.alphabets[j].has(event)]
                    if any(wide[at] > wide[j] or (wide[at] == wide[j] and j < at) for j in others):
                        continue  # found from another of them
                    yield from ((event, self._with(changes)) for changes in self._meetings({at: target}, others, event))

    def _together(self, wide: list[bool], but: EventSet | None) -> Iterable[int]:
        """Events of wide parts alone, found field by field: those whose alphabets have all that begins so agree."""
        table = self.world.events
        parts = [(part, own) for part, own, many in zip(self.parts, self.alphabets, wide, strict=True) if many]
        narrow = [own for own, many in zip(self.alphabets, wide, strict=True) if not many]

        def left_out(beginning: Beginning) -> bool:
            if but is not None and but.covers(beginning):
                return True
            return any(own.covers(beginning) for own in narrow) or all(own.avoids(beginning) for _, own in parts)

        def left_out_event(event: int) -> bool:
            return (but is not None and but.has(event)) or any(own.has(event) for own in narrow)

        numbers = [table.number(event) for event in walk(table.fields, lambda b: self._agreed(parts, b), left_out)]
        return [event for event in numbers if not left_out_event(event)]

    def _agreed(self, parts: list[tuple[Term, EventSet]], beginning: Beginning) -> Offer:
        fields = self.world.events.fields
        if beginning is not None:
            sure = [part.offer(beginning) for part, own in parts if own.covers(beginning)]
            if sure:
                found = sure[0]
                for other in sure[1:]:
                    found = found.meet(other)
                return found
            parts = [(part, own) for part, own in parts if not own.avoids(beginning)]
            return union(fields, (part.offer(beginning).meet(own.offer(beginning)) for part, own in parts))
        return union(fields, (part.offer(beginning) for part, _ in parts))

    def offer(self, beginning: Beginning) -> Offer:
        return self._agreed(list(zip(self.parts, self.alphabets, strict=True)), beginning)

    def _meetings(self, changes: dict[int, Term], others: list[int], event: int) -> list[dict[int, Term]]:
        found = [changes]
        for other in others:
            targets = self.parts[other].after(event)
            found = [{**one, other: target} for one in found for target in targets]
            if not found:
                break
        return found

    def after(self, event: int) -> list[Term]:
        if self._steps is not None or event in (TAU, TICK):
            return super().after(event)
        who = [at for at, own in enumerate(self.alphabets) if own.has(event)]
        return [self._with(changes) for changes in self._meetings({}, who, event)] if who else []

    def outside(self, events: EventSet) -> Iterable[Step]:
        return super().outside(events) if self._steps is not None else self._found(events)

    def width(self, but: EventSet | None = None) -> float:
        widths = [part.width(but) for part in self.parts]
        finite = [own for at, own in enumerate(self.alphabets) if widths[at] <= WIDE]
        if len(finite) == len(widths) or not finite:
            return sum(widths)
        # What a wide part does with a narrow one is as narrow as that.
        known = AnyOf(finite if but is None else [*finite, but])
        return sum(
            width if width <= WIDE else part.width(known) for part, width in zip(self.parts, widths, strict=True)
        )

    def children(self) -> tuple[Term, ...]:
        return self.parts


def alphabetised(world: World, parts: tuple[Term, ...], alphabets: tuple[EventSet, ...]) -> Term:
    key = ("[||", tuple(part.number for part in parts), tuple(own.key for own in alphabets))
    return world.make(key, lambda: Alphabetised(world, parts, alphabets))


class Links:
    """Pairs of events that two processes do together, unseen from outside."""

    __slots__ = ("key", "left", "right")

    def __init__(self, pairs: Iterable[tuple[int, int]]) -> None:
        self.left: dict[int, list[int]] = {}
        self.right: dict[int, list[int]] = {}
        for one, other in pairs:
            self.left.setdefault(one, []).append(other)
            self.right.setdefault(other, []).append(one)
        self.key = frozenset((one, other) for one, others in self.left.items() for other in others)


class Linked(Term):
    """``P [a <-> b] Q``."""

    __slots__ = ("left", "links", "right")
    operator = "[<->]"

    def __init__(self, world: World, left: Term, links: Links, right: Term) -> None:
        super().__init__(world)
        self.left, self.links, self.right = left, links, right

    def _make(self) -> Iterable[Step]:
        world, omega = self.world, self.world.omega
        left, right, links = self.left, self.right, self.links
        if left is omega and right is omega:
            yield TICK, omega
            return
        for event, target in left.steps():
            if event == TICK:
                yield TAU, linked(world, omega, links, right)
            elif event in links.left:
                for partner in links.left[event]:
                    for other in right.after(partner):
                        yield TAU, linked(world, target, links, other)
            else:
                yield event, linked(world, target, links, right)
        for event, target in right.steps():
            if event == TICK:
                yield TAU, linked(world, left, links, omega)
            elif event not in links.right:
                yield event, linked(world, left, links, target)

    def children(self) -> tuple[Term, ...]:
        return (self.left, self.right)


def linked(world: World, left: Term, links: Links, right: Term) -> Term:
    key = ("<->", left.number, links.key, right.number)
    return world.make(key, lambda: Linked(world, left, links, right))


class SynchronisingChoice(Term):
    """``P [+ A +] Q``: an external choice that events of A, done by both, do not resolve."""

    __slots__ = ("left", "right", "shared")
    operator = "[+ +]"

    def __init__(self, world: World, left: Term, shared: EventSet, right: Term) -> None:
        super().__init__(world)
        self.left, self.shared, self.right = left, shared, right

    def _make(self) -> Iterable[Step]:
        return self._resolved(self.left.steps(), self.right.steps())

    def _resolved(self, left: Iterable[Step], right: Iterable[Step]) -> Iterable[Step]:
        world, shared = self.world, self.shared
        for event, target in left:
            if event == TAU:
                yield TAU, synchronising_choice(world, target, shared, self.right)
            elif shared.has(event):
                for other in self.right.after(event):
                    yield event, synchronising_choice(world, target, shared, other)
            else:
                yield event, target
        for event, target in right:
            if event == TAU:
                yield TAU, synchronising_choice(world, self.left, shared, target)
            elif not shared.has(event):
                yield event, target

    def after(self, event: int) -> list[Term]:
        if self._steps is not None or event in (TAU, TICK):
            return super().after(event)
        own, others = self.left.after(event), self.right.after(event)
        if not self.shared.has(event):
            return list(dict.fromkeys([*own, *others]))
        return [synchronising_choice(self.world, one, self.shared, other) for one in own for other in others]

    def outside(self, events: EventSet) -> Iterable[Step]:
        return self._resolved(self.left.outside(events), self.right.outside(events))

    def width(self, but: EventSet | None = None) -> float:
        return self.left.width(but) + self.right.width(but)

    def offer(self, beginning: Beginning) -> Offer:
        return self.left.offer(beginning).with_(self.right.offer(beginning))

    def children(self) -> tuple[Term, ...]:
        return (self.left, self.right)


def synchronising_choice(world: World, left: Term, shared: EventSet, right: Term) -> Term:
    key = ("[++]", left.number, shared.key, right.number)
    return world.make(key, lambda: SynchronisingChoice(world, left, shared, right))


class SynchronisingInterrupt(Term):
    """``P /+ A +\\ Q``: an interrupt that events of A, done by both, do not resolve."""

    __slots__ = ("left", "right", "shared")
    operator = "/+ +\\"

    def __init__(self, world: World, left: Term, shared: EventSet, right: Term) -> None:
        super().__init__(world)
        self.left, self.shared, self.right = left, shared, right

    def _make(self) -> Iterable[Step]:
        return self._interrupted(self.left.steps(), self.right.steps())

    def _interrupted(self, left: Iterable[Step], right: Iterable[Step]) -> Iterable[Step]:
        world, shared = self.world, self.shared
        for event, target in left:
            if event == TICK:
                yield TICK, world.omega
            elif shared.has(event):
                for other in self.right.after(event):
                    yield event, synchronising_interrupt(world, target, shared, other)
            else:
                yield event, synchronising_interrupt(world, target, shared, self.right)
        for event, target in right:
            if event == TAU:
                yield TAU, synchronising_interrupt(world, self.left, shared, target)
            elif not shared.has(event):
                yield event, target

    def after(self, event: int) -> list[Term]:
        if self._steps is not None or event in (TAU, TICK):
            return super().after(event)
        own, others = self.left.after(event), self.right.after(event)
        if self.shared.has(event):
            return [synchronising_interrupt(self.world, one, self.shared, other) for one in own for other in others]
        begun = [synchronising_interrupt(self.world, one, self.shared, self.right) for one in own]
        return list(dict.fromkeys([*begun, *others]))

    def outside(self, events: EventSet) -> Iterable[Step]:
        return self._interrupted(self.left.outside(events), self.right.outside(events))

    def width(self, but: EventSet | None = None) -> float:
        return self.left.width(but) + self.right.width(but)

    def offer(self, beginning: Beginning) -> Offer:
        return self.left.offer(beginning).with_(self.right.offer(beginning))

    def children(self) -> tuple[Term, ...]:
        return (self.left, self.right)


def synchronising_interrupt(world: World, left: Term, shared: EventSet, right: Term) -> Term:
    key = ("/++\\", left.number, shared.key, right.number)
    return world.make(key, lambda: SynchronisingInterrupt(world, left, shared, right))
