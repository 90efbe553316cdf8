"""Processes as terms and their steps.

A term is made once: equal terms are the same object, so that a state of a process is a term and meeting it again is a
look into a table. ``steps`` are all steps; ``after`` those of one event, which a term that offers very many events
(an input of a wide channel) answers without listing the others: a parallel composition lists the events of one side
and asks the other side.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, ClassVar

from kripke.algebra.events import TAU, TICK, Before, EventSet, EventTable, Except
from kripke.algebra.offers import Beginning, Offer, of_events, union, walk

Step = tuple[int, "Term"]
WIDE = 256.0


class Term:
    """A process. ``number`` counts terms in the order they were made."""

    __slots__ = ("_steps", "number", "world")
    operator: ClassVar[str] = ""

    def __init__(self, world: World) -> None:
        self.world = world
        self.number = len(world.terms)
        self._steps: tuple[Step, ...] | None = None

    def steps(self) -> tuple[Step, ...]:
        """Every step: event and process afterwards, each once."""
        found = self._steps
        if found is None:
            found = self._steps = tuple(dict.fromkeys(self._make()))
        return found

    def _make(self) -> Iterable[Step]:
        raise NotImplementedError

    def after(self, event: int) -> list[Term]:
        return [target for label, target in self.steps() if label == event]

    def outside(self, events: EventSet) -> Iterable[Step]:
        """The steps whose events are not in the set."""
        return [step for step in self.steps() if not events.has(step[0])]

    def width(self, but: EventSet | None = None) -> float:
        """About how many steps there are, without listing them; without those whose events are in ``but``."""
        return 1.0 if self._steps is None else float(len(self._steps))

    def offer(self, beginning: Beginning) -> Offer:
        """What its visible events go on with behind a beginning; perhaps more than that, never less."""
        table = self.world.events
        return of_events(table.fields, (table.values[event] for event, _ in self.steps() if event > TICK), beginning)

    def children(self) -> tuple[Term, ...]:
        return ()

    def words(self) -> str:
        return self.operator

    def now(self) -> Term:
        """The process itself, for one that was put off."""
        return self


class Later(Term):
    """A process that is looked at only when it is reached."""

    __slots__ = ("_build", "_term")
    operator = "later"

    def __init__(self, world: World, build: Callable[[], Term]) -> None:
        super().__init__(world)
        self._build = build
        self._term: Term | None = None

    def _make(self) -> Iterable[Step]:
        return self.now().steps()

    def offer(self, beginning: Beginning) -> Offer:
        return self.now().offer(beginning)

    def now(self) -> Term:
        if self._term is None:
            self._term = self._build().now()
        return self._term


class World:
    """All terms of one script, and its events."""

    def __init__(self, events: EventTable) -> None:
        self.events = events
        self.terms: list[Term] = []
        self._known: dict[Hashable, Term] = {}
        self.stop = self.make(("STOP",), lambda: Stop(self))
        self.omega = self.make(("OMEGA",), lambda: Omega(self))
        self.skip = self.make(("SKIP",), lambda: Skip(self))
        self.div = self.make(("DIV",), lambda: Div(self))
        #: P /\ Q after P ended: nothing (Roscoe), or Q may still interrupt (FDR2)
        self.interrupt_after_tick = False
        #: compressions that were made, and those that are being made
        self.compressed: dict[Hashable, Term] = {}
        self.compressing: set[int] = set()
        self._tables: dict[Hashable, Table] = {}

    def make(self, key: Hashable, build: Callable[[], Term]) -> Term:
        """The term with this key."""
        known = self._known.get(key)
        if known is None:
            known = build()
            known.number = len(self.terms)
            self.terms.append(known)
            self._known[key] = known
        return known

    # ---- operators ----

    def external(self, operands: Iterable[Term]) -> Term:
        parts = _flat(External, operands)
        # STOP is the unit of external choice, and choosing between equals is no choice.
        parts = [part for part in dict.fromkeys(parts) if part is not self.stop]
        if not parts:
            return self.stop
        if len(parts) == 1:
            return parts[0]
        return self.make(("[]", *(part.number for part in parts)), lambda: External(self, tuple(parts)))

    def internal(self, operands: Iterable[Term]) -> Term:
        parts = list(dict.fromkeys(operands))
        if len(parts) == 1:
            return parts[0]
        return self.make(("|~|", *(part.number for part in parts)), lambda: Internal(self, tuple(parts)))

    def sliding(self, left: Term, right: Term) -> Term:
        return self.make(("[>", left.number, right.number), lambda: Sliding(self, left, right))

    def sequence(self, first: Term, then: Term | Callable[[], Term], key: Hashable = None) -> Term:
        """``then`` may be made later, if ``key`` tells it from others."""
        name = then.number if isinstance(then, Term) else key
        return self.make((";", first.number, name), lambda: Sequence(self, first, then, name))

    def interrupt(self, left: Term, right: Term) -> Term:
        return self.make(("/\\", left.number, right.number), lambda: Interrupt(self, left, right))

    def hide(self, process: Term, hidden: EventSet) -> Term:
        # Hiding again changes nothing; P = (a -> P) \ {a} is finite by this.
        if isinstance(process, Hide) and process.hidden.key == hidden.key:
            return process
        return self.make(("\\", process.number, hidden.key), lambda: Hide(self, process, hidden))

    def rename(self, process: Term, relation: Renaming) -> Term:
        return self.make(("[[", process.number, relation.key), lambda: Rename(self, process, relation))

    def throw(self, process: Term, events: EventSet, handler: Term) -> Term:
        key = ("[||>", process.number, events.key, handler.number)
        return self.make(key, lambda: Throw(self, process, events, handler))

    def run(self, events: EventSet) -> Term:
        return self.make(("RUN", events.key), lambda: Run(self, events))

    def chaos(self, events: EventSet) -> Term:
        return self.make(("CHAOS", events.key), lambda: Chaos(self, events))

    def keep(self, table: Table) -> Table:
        """The same table for the same steps."""
        return self._tables.setdefault(tuple(tuple(own) for own in table.steps), table)

    def table_state(self, table: Table, state: int) -> Term:
        return self.make(("table", id(table), state), lambda: TableState(self, table, state))


def _flat(kind: type[External], operands: Iterable[Term]) -> list[Term]:
    found: list[Term] = []
    for operand in operands:
        if isinstance(operand, kind):
            found.extend(operand.parts)
        else:
            found.append(operand)
    return found


def walked(process: Term, events: EventSet) -> list[Step]:
    """The visible steps whose events are not in a set, found field by field."""
    table = process.world.events
    found = [table.number(event) for event in walk(table.fields, process.offer, events.covers)]
    return [(event, after) for event in found if not events.has(event) for after in process.after(event)]


class Stop(Term):
    __slots__ = ()
    operator = "STOP"

    def _make(self) -> Iterable[Step]:
        return ()

    def width(self, but: EventSet | None = None) -> float:
        return 0.0


class Omega(Stop):
    """What is left after successful termination."""

    __slots__ = ()
    operator = "Ω"


class Skip(Term):
    __slots__ = ()
    operator = "SKIP"

    def _make(self) -> Iterable[Step]:
        return ((TICK, self.world.omega),)


class Div(Term):
    __slots__ = ()
    operator = "DIV"

    def _make(self) -> Iterable[Step]:
        return ((TAU, self),)


class Run(Term):
    __slots__ = ("events",)
    operator = "RUN"

    def __init__(self, world: World, events: EventSet) -> None:
        super().__init__(world)
        self.events = events

    def _make(self) -> Iterable[Step]:
        return [(event, self) for event in self.events.members()]

    def after(self, event: int) -> list[Term]:
        return [self] if self.events.has(event) else []

    def outside(self, events: EventSet) -> Iterable[Step]:
        if events.includes(self.events):
            return ()
        return walked(self, events) if self.events.infinite() else super().outside(events)

    def width(self, but: EventSet | None = None) -> float:
        if but is not None and but.includes(self.events):
            return 0.0
        return float("inf") if self.events.infinite() else super().width()

    def offer(self, beginning: Beginning) -> Offer:
        return self.events.offer(beginning)

    def words(self) -> str:
        return f"RUN({self.events.words()})"


class Chaos(Term):
    """``CHAOS(A) = |~| x:A @ x -> CHAOS(A) |~| STOP``: as one state that may also stop."""

    __slots__ = ("events",)
    operator = "CHAOS"

    def __init__(self, world: World, events: EventSet) -> None:
        super().__init__(world)
        self.events = events

    def _make(self) -> Iterable[Step]:
        return [(TAU, self.world.stop), *((event, self) for event in self.events.members())]

    def after(self, event: int) -> list[Term]:
        if event == TAU:
            return [self.world.stop]
        return [self] if self.events.has(event) else []

    def outside(self, events: EventSet) -> Iterable[Step]:
        stop = (TAU, self.world.stop)
        if events.includes(self.events):
            return (stop,)
        return (stop, *walked(self, events)) if self.events.infinite() else super().outside(events)

    def width(self, but: EventSet | None = None) -> float:
        if but is not None and but.includes(self.events):
            return 1.0
        return float("inf") if self.events.infinite() else super().width()

    def offer(self, beginning: Beginning) -> Offer:
        return self.events.offer(beginning)

    def words(self) -> str:
        return f"CHAOS({self.events.words()})"


class External(Term):
    __slots__ = ("parts",)
    operator = "[]"

    def __init__(self, world: World, parts: tuple[Term, ...]) -> None:
        super().__init__(world)
        self.parts = parts

    def _make(self) -> Iterable[Step]:
        return self._resolved(part.steps() for part in self.parts)

    def _resolved(self, steps: Iterable[Iterable[Step]]) -> Iterable[Step]:
        for at, own in enumerate(steps):
            for event, target in own:
                if event == TAU:  # does not resolve the choice
                    yield event, self.world.external((*self.parts[:at], target, *self.parts[at + 1 :]))
                else:
                    yield event, target

    def after(self, event: int) -> list[Term]:
        if self._steps is not None or event == TAU:
            return super().after(event)
        return list(dict.fromkeys(target for part in self.parts for target in part.after(event)))

    def outside(self, events: EventSet) -> Iterable[Step]:
        return self._resolved(part.outside(events) for part in self.parts)

    def width(self, but: EventSet | None = None) -> float:
        return sum(part.width(but) for part in self.parts)

    def offer(self, beginning: Beginning) -> Offer:
        return union(self.world.events.fields, (part.offer(beginning) for part in self.parts))

    def children(self) -> tuple[Term, ...]:
        return self.parts


class Internal(Term):
    __slots__ = ("parts",)
    operator = "|~|"

    def __init__(self, world: World, parts: tuple[Term, ...]) -> None:
        super().__init__(world)
        self.parts = parts

    def _make(self) -> Iterable[Step]:
        return [(TAU, part) for part in self.parts]

    def children(self) -> tuple[Term, ...]:
        return self.parts


class _Pair(Term):
    __slots__ = ("left", "right")

    def __init__(self, world: World, left: Term, right: Term) -> None:
        super().__init__(world)
        self.left, self.right = left, right

    def children(self) -> tuple[Term, ...]:
        return (self.left, self.right)

    def width(self, but: EventSet | None = None) -> float:
        return self.left.width(but) + self.right.width(but)

    def offer(self, beginning: Beginning) -> Offer:
        return self.left.offer(beginning).with_(self.right.offer(beginning))


class Sliding(_Pair):
    __slots__ = ()
    operator = "[>"

    def _make(self) -> Iterable[Step]:
        return self._slid(self.left.steps())

    def _slid(self, steps: Iterable[Step]) -> Iterable[Step]:
        for event, target in steps:
            yield event, self.world.sliding(target, self.right) if event == TAU else target
        yield TAU, self.right

    def after(self, event: int) -> list[Term]:
        return super().after(event) if self._steps is not None or event == TAU else self.left.after(event)

    def outside(self, events: EventSet) -> Iterable[Step]:
        return self._slid(self.left.outside(events))

    def width(self, but: EventSet | None = None) -> float:
        return self.left.width(but) + 1

    def offer(self, beginning: Beginning) -> Offer:
        return self.left.offer(beginning)


class Interrupt(_Pair):
    __slots__ = ()
    operator = "/\\"

    def _make(self) -> Iterable[Step]:
        return self._interrupted(self.left.steps(), self.right.steps())

    def _interrupted(self, left: Iterable[Step], right: Iterable[Step]) -> Iterable[Step]:
        world = self.world
        for event, target in left:
            if event == TICK and not world.interrupt_after_tick:
                yield TICK, world.omega
            else:
                yield event, world.interrupt(target, self.right)
        for event, target in right:
            yield event, world.interrupt(self.left, target) if event == TAU else target

    def after(self, event: int) -> list[Term]:
        if self._steps is not None or event in (TAU, TICK):
            return super().after(event)
        begun = [self.world.interrupt(target, self.right) for target in self.left.after(event)]
        return list(dict.fromkeys([*begun, *self.right.after(event)]))

    def outside(self, events: EventSet) -> Iterable[Step]:
        return self._interrupted(self.left.outside(events), self.right.outside(events))


class Sequence(Term):
    __slots__ = ("_then", "first", "name")
    operator = ";"

    def __init__(self, world: World, first: Term, then: Term | Callable[[], Term], name: Hashable) -> None:
        super().__init__(world)
        self.first, self._then, self.name = first, then, name

    def then(self) -> Term:
        if not isinstance(self._then, Term):
            self._then = self._then()
        return self._then

    def _make(self) -> Iterable[Step]:
        return self._continued(self.first.steps())

    def _continued(self, steps: Iterable[Step]) -> Iterable[Step]:
        for event, target in steps:
            if event == TICK:
                yield TAU, self.then()
            else:
                yield event, self.world.sequence(target, self._then, self.name)

    def after(self, event: int) -> list[Term]:
        if event == TAU or self._steps is not None:
            return super().after(event)
        return [self.world.sequence(target, self._then, self.name) for target in self.first.after(event)]

    def outside(self, events: EventSet) -> Iterable[Step]:
        return self._continued(self.first.outside(events))

    def width(self, but: EventSet | None = None) -> float:
        return self.first.width(but)

    def offer(self, beginning: Beginning) -> Offer:
        return self.first.offer(beginning)

    def children(self) -> tuple[Term, ...]:
        return (self.first,)


class Hide(Term):
    __slots__ = ("hidden", "process")
    operator = "\\"

    def __init__(self, world: World, process: Term, hidden: EventSet) -> None:
        super().__init__(world)
        self.process, self.hidden = process, hidden

    def _make(self) -> Iterable[Step]:
        return self._hidden(self.process.steps())

    def _hidden(self, steps: Iterable[Step]) -> Iterable[Step]:
        world, hidden = self.world, self.hidden
        for event, target in steps:
            if event == TICK:
                yield TICK, world.omega
            else:
                yield TAU if hidden.has(event) else event, world.hide(target, hidden)

    def after(self, event: int) -> list[Term]:
        if self._steps is not None or event in (TAU, TICK):
            return super().after(event)
        if self.hidden.has(event):
            return []
        return [self.world.hide(target, self.hidden) for target in self.process.after(event)]

    def outside(self, events: EventSet) -> Iterable[Step]:
        return self._hidden(self.process.outside(Except(events, self.hidden)))

    def width(self, but: EventSet | None = None) -> float:
        return self.process.width(but if but is None else Except(but, self.hidden))

    def offer(self, beginning: Beginning) -> Offer:
        if beginning is not None and self.hidden.covers(beginning):
            return Offer(self.world.events.fields)
        return self.process.offer(beginning)

    def children(self) -> tuple[Term, ...]:
        return (self.process,)


class Renaming:
    """A relation between events: the images of one, by asking once.

    ``sources``: which events have this one as an image; ``covered``: are all images of all events that begin like this
    in a set? False: perhaps not. ``before``: what images go on with, by what the events do.
    """

    __slots__ = ("_known", "_of", "before", "covered", "key", "sources", "words")

    def __init__(
        self,
        key: Hashable,
        of: Callable[[int], list[int]],
        sources: Callable[[int], list[int]],
        covered: Callable[[Any, EventSet], bool],
        before: Callable[[Beginning, Callable[[Beginning], Offer]], Offer],
        words: Callable[[], str] = lambda: "...",
    ) -> None:
        self.key = key
        self._of = of
        self.sources = sources
        self.covered = covered
        self.before = before
        self._known: dict[int, list[int]] = {TAU: [TAU], TICK: [TICK]}
        self.words = words

    def of(self, event: int) -> list[int]:
        known = self._known.get(event)
        if known is None:
            known = self._known[event] = self._of(event)
        return known


class Rename(Term):
    __slots__ = ("process", "relation")
    operator = "[["

    def __init__(self, world: World, process: Term, relation: Renaming) -> None:
        super().__init__(world)
        self.process, self.relation = process, relation

    def _make(self) -> Iterable[Step]:
        return self._renamed(self.process.steps())

    def _renamed(self, steps: Iterable[Step]) -> Iterable[Step]:
        world, relation = self.world, self.relation
        for event, target in steps:
            if event == TICK:
                yield TICK, world.omega
                continue
            renamed = world.rename(target, relation)
            for image in relation.of(event):
                yield image, renamed

    def after(self, event: int) -> list[Term]:
        if self._steps is not None or event in (TAU, TICK) or self.process.width() <= WIDE:
            return super().after(event)
        world, relation = self.world, self.relation
        targets = [target for source in relation.sources(event) for target in self.process.after(source)]
        return [world.rename(target, relation) for target in dict.fromkeys(targets)]

    def outside(self, events: EventSet) -> Iterable[Step]:
        inner = self.process.outside(Before(events, self.relation.of, self.relation.covered))
        return [step for step in self._renamed(inner) if not events.has(step[0])]

    def width(self, but: EventSet | None = None) -> float:
        return self.process.width(but if but is None else Before(but, self.relation.of, self.relation.covered))

    def offer(self, beginning: Beginning) -> Offer:
        return self.relation.before(beginning, self.process.offer)

    def children(self) -> tuple[Term, ...]:
        return (self.process,)


class Throw(Term):
    """``P [| A |> Q``: an event of A hands over to Q."""

    __slots__ = ("events", "handler", "process")
    operator = "[| |>"

    def __init__(self, world: World, process: Term, events: EventSet, handler: Term) -> None:
        super().__init__(world)
        self.process, self.events, self.handler = process, events, handler

    def _make(self) -> Iterable[Step]:
        return self._thrown(self.process.steps())

    def _thrown(self, steps: Iterable[Step]) -> Iterable[Step]:
        world = self.world
        for event, target in steps:
            if self.events.has(event):
                yield event, self.handler.now()
            elif event == TICK:
                yield TICK, world.omega
            else:
                yield event, world.throw(target, self.events, self.handler)

    def after(self, event: int) -> list[Term]:
        if self._steps is not None or event in (TAU, TICK):
            return super().after(event)
        targets = [target for _, target in self._thrown((event, after) for after in self.process.after(event))]
        return list(dict.fromkeys(targets))

    def outside(self, events: EventSet) -> Iterable[Step]:
        return self._thrown(self.process.outside(events))

    def width(self, but: EventSet | None = None) -> float:
        return self.process.width(but)

    def offer(self, beginning: Beginning) -> Offer:
        return self.process.offer(beginning)

    def children(self) -> tuple[Term, ...]:
        return (self.process, self.handler)


class Table:
    """A labelled transition system as a list: the steps of every state."""

    def __init__(self, steps: list[list[tuple[int, int]]], name: str = "") -> None:
        self.steps = steps
        self.name = name


class TableState(Term):
    __slots__ = ("state", "table")
    operator = "table"

    def __init__(self, world: World, table: Table, state: int) -> None:
        super().__init__(world)
        self.table, self.state = table, state

    def _make(self) -> Iterable[Step]:
        world = self.world
        for event, target in self.table.steps[self.state]:
            yield event, world.omega if event == TICK else world.table_state(self.table, target)

    def words(self) -> str:
        return f"{self.table.name or 'table'}#{self.state}"
