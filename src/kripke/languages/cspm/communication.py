"""Prefixes: ``c?x:S!e$y -> P`` as terms whose steps are found field by field.

A prefix that offers very many events is asked for one of them (``after``) without listing the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from kripke.algebra.events import TAU, TICK, EventSet
from kripke.algebra.offers import Beginning, Domain, Offer
from kripke.algebra.terms import WIDE, Step, Term, World, walked
from kripke.languages.cspm.beginnings import FIELDS, component, head
from kripke.languages.cspm.effort import Effort
from kripke.languages.cspm.matching import Match
from kripke.languages.cspm.scopes import Env
from kripke.languages.cspm.sets import (
    Values,
    begins,
    count_productions,
    extensions,
    next_field,
)
from kripke.languages.cspm.syntax import Node
from kripke.languages.cspm.values import Dot, Maker, Value, Wrong, checked_dot, dot, kind_of, missing, show
from kripke.model.source import ModelError

Code = Callable[[Env], Value]
MOST_EVENTS = 1_000_000
TOO_MANY = (
    f"this offers more than {MOST_EVENTS:,} events, which must be listed here",
    "restrict the inputs (?x:{0..9}), or let another process that sends the values take part",
)
#: what is said where Python's stack is used up, and what may help
ENDLESS = (
    "this needs too many calls inside each other",
    "a definition that comes back to itself without an event, or without an end, is never evaluated",
)


@dataclass(slots=True)
class Communication:
    """One ``!e``, ``?p``, ``$p``, perhaps with a set."""

    mark: str
    output: Code | None
    match: Match | None
    within: Code | None
    node: Node
    #: how many fields of the channel an input takes that is not the last
    fields: Callable[[Env], int] = lambda env: 1
    #: the value of a pattern that one value alone matches
    exact: Value = None


@dataclass(slots=True)
class Plan:
    """A compiled prefix. ``size`` is that of the environment with the names its inputs bind (0: it binds none)."""

    node: Node
    number: int
    event: Code
    fields: list[Communication]
    size: int
    body: Code
    key: Callable[[Env], tuple[Value, ...]]
    located: Callable[[Wrong, Node], ModelError]
    effort: Effort
    #: in a timed section: what makes the process after an event (its duration passes first)
    timed: Callable[[World, Value, Callable[[], Term], Hashable, Env], Term] | None = None
    tock: int = -1
    last_choice: int = field(default=-1)

    def start(self, world: World, env: Env) -> Term:
        key = (self.number, self.key(env))
        if self.last_choice < 0:
            return world.make(("prefix", key), lambda: PrefixTerm(world, self, key, None, 0, env))
        inner = self._inner(env)
        return self._chosen(world, key, self._event(env), 0, inner)

    def _event(self, env: Env) -> Value:
        value = self.event(env)
        if not isinstance(value, Maker | Dot):
            raise self.located(Wrong(f"{show(value)} is {kind_of(value)}, not an event"), self.node)
        return value

    def _inner(self, env: Env) -> Env:
        if not self.size:
            return env
        inner: Env = [None] * self.size
        inner[0] = env
        return inner

    def _chosen(self, world: World, key: Hashable, value: Value, at: int, env: Env) -> Term:
        """Up to the last ``$``: internal choices and, before them, external ones."""
        if at > self.last_choice:
            full = (key, at, value, tuple(env[1:]) if self.size else ())
            return world.make(("prefix", full), lambda: PrefixTerm(world, self, full, value, at, env))
        part = self.fields[at]
        following = [self._chosen(world, key, after, at + 1, inner) for after, inner in self.choices(value, at, env)]
        if part.mark == "!":
            return following[0]
        if part.mark == "?":
            return world.external(following)
        if not following:
            raise self.located(Wrong("there is nothing to choose from"), part.node)
        if at + 1 < len(self.fields) and self.fields[at + 1].mark == "$":  # one choice of all of them
            following = [each for process in following for each in process.children() or (process,)]
        return world.internal(following)

    def check_event(self, value: Value) -> None:
        if missing(value) or not isinstance(value, Maker | Dot):
            raise self.located(Wrong(f"the event {show(value)} is not complete: fields are missing"), self.node)
        if not isinstance(value, Maker) and not isinstance(value.items[0], Maker):
            raise self.located(Wrong(f"{show(value)} is not an event"), self.node)

    def choices(self, value: Value, at: int, env: Env, event: Value = None) -> Iterator[tuple[Value, Env]]:
        """What a field can be: the value with it, and the environment. ``event``: only what leads there."""
        part = self.fields[at]
        try:
            if part.output is not None:
                after = checked_dot(value, part.output(env))
                if event is None or begins(event, after):
                    yield after, env
                return
            assert part.match is not None
            for candidate in self._candidates(part, value, at, env, event):
                inner = env.copy()
                if part.match(candidate, inner):
                    after = checked_dot(value, candidate) if part.within is not None else dot(value, candidate)
                    if event is None or begins(event, after):
                        yield after, inner
        except Wrong as error:
            raise self.located(error, part.node) from None

    def fitting(self, value: Value, at: int, env: Env, beginning: Value) -> Iterator[tuple[Value | Offer, Env]]:
        """What a field can be, given how the event begins: as in ``choices``, or an offer where it ends inside."""
        part = self.fields[at]
        try:
            if part.output is not None or (part.within is None and next_field(value) is None):
                yield from self.choices(value, at, env)
                return
            if part.within is not None:
                within = self._within(part, env)
                if not within.infinite():
                    yield from self.choices(value, at, env)
                    return
                if value == beginning:
                    yield Offer(FIELDS, (), (Wide(self, part, within),)), env
                    return
            count = None if at + 1 == len(self.fields) else part.fields(env)
            taken = _begun_remainder(beginning, value, 1 if part.within is not None else count)
            if taken is None:
                following = next_field(beginning)
                if part.exact is not None and part.within is None and value == beginning:
                    yield Offer(FIELDS, (part.exact,)), env
                elif following is not None:
                    yield Offer(FIELDS, (), (Wide(self, part, following),)), env
                return
            inner = env.copy()
            assert part.match is not None
            if (part.within is None or self._within(part, env).contains(taken)) and part.match(taken, inner):
                yield dot(value, taken), inner
        except Wrong as error:
            raise self.located(error, part.node) from None

    def _within(self, part: Communication, env: Env) -> Values:
        assert part.within is not None
        within = part.within(env)
        if not isinstance(within, Values):
            raise Wrong(f"{show(within)} is {kind_of(within)}, but a set is needed here")
        return within

    def _candidates(self, part: Communication, value: Value, at: int, env: Env, event: Value) -> Iterable[Value]:
        last = at + 1 == len(self.fields)
        if part.within is not None:
            within = self._within(part, env)
            if event is not None and next_field(value) is not None:
                item = component(event, value)
                if within.contains(item):
                    return (item,)
            return _listed(within)
        following = next_field(value)
        if following is None:
            return (Dot(()),)  # nothing is left: the input is empty
        if event is not None:
            return (_remainder(event, value, None if last else part.fields(env)),)
        if part.exact is not None and following.contains(part.exact) and not (last and missing(dot(value, part.exact))):
            return (part.exact,)
        if not last:
            return _listed(following) if (count := part.fields(env)) == 1 else _several(value, count)
        if math.isinf(count_productions(value)):
            return _listed(following)
        return extensions(value)


class Wide:
    """What an input can be (``kripke.algebra.offers.Domain``): it knows its place in the script."""

    __slots__ = ("_part", "_plan", "_values")

    def __init__(self, plan: Plan, part: Communication, values: Values) -> None:
        self._plan, self._part, self._values = plan, part, values

    def contains(self, value: Value) -> bool:
        return self._values.contains(value)

    def infinite(self) -> bool:
        return self._values.infinite()

    def size(self) -> int:
        return self._values.size()

    def items(self) -> tuple[Value, ...]:
        try:
            return tuple(_listed(self._values))
        except Wrong as error:
            raise self._plan.located(error, self._part.node) from None


class PrefixTerm(Term):
    __slots__ = ("_known", "at", "env", "key", "plan", "value")
    operator = "->"

    def __init__(self, world: World, plan: Plan, key: Hashable, value: Value, at: int, env: Env) -> None:
        super().__init__(world)
        self.plan, self.key, self.value, self.at, self.env = plan, key, value, at, env
        self._known = value

    def values(self) -> tuple[Value, ...]:
        """What the process depends on: values of its text, and those that were chosen for fields with ``$``."""
        key: Any = self.key
        if self.value is None:
            return tuple(key[1])
        (_, before), _, _, chosen = key
        return (*before, *(value for value in chosen if value is not None))

    def _begun(self) -> Value:
        """What all its events begin with: asked again and again, evaluated once."""
        if self._known is None:
            self._known = self.plan._event(self.env)
        return self._known

    def _begin(self) -> tuple[Value, Env]:
        return self._begun(), self.env if self.value is not None else self.plan._inner(self.env)

    def _bound(self, event: Value = None) -> Iterator[tuple[Value, Env]]:
        """Complete events with the environments of what follows."""
        plan = self.plan
        value, env = self._begin()
        if event is not None and not begins(event, value):
            return
        pending = [(value, env, self.at)]
        while pending:
            value, env, at = pending.pop()
            if at == len(plan.fields):
                plan.check_event(value)
                yield value, env
                continue
            found = [(after, inner, at + 1) for after, inner in plan.choices(value, at, env, event)]
            pending.extend(reversed(found))

    def _target(self, value: Value, env: Env) -> Term:
        plan = self.plan
        plan.effort.begin()
        if plan.timed is not None:
            return plan.timed(self.world, value, lambda: plan.body(env), (self.number, value), env)
        target = plan.body(env)
        if not isinstance(target, Term):
            raise plan.located(Wrong(f"{show(target)} is {kind_of(target)}, but a process is needed here"), plan.node)
        return target

    def _make(self) -> Iterable[Step]:
        number, effort = self.world.events.number, self.plan.effort
        try:
            for listed, (value, env) in enumerate(self._bound()):
                effort.left -= 1
                if effort.left < 0:
                    effort.pause()
                if listed == MOST_EVENTS:
                    raise self.plan.located(Wrong(*TOO_MANY), self.plan.node)
                yield number(value), self._target(value, env)
        except RecursionError:
            raise self.plan.located(Wrong(ENDLESS[0], ENDLESS[1]), self.plan.node) from None
        if self.plan.tock >= 0:
            yield self.plan.tock, self

    def after(self, event: int) -> list[Term]:
        if self._steps is not None or event in (TAU, TICK):
            return super().after(event)
        found = [self._target(value, env) for value, env in self._bound(self.world.events.values[event])]
        if event == self.plan.tock:
            found.append(self)
        return found

    def outside(self, events: EventSet) -> Iterable[Step]:
        if self._steps is None:
            tock = self.plan.tock
            if events.covers(self._begun()):
                return [(tock, self)] if tock >= 0 and not events.has(tock) else []
            if self.width() > WIDE:
                return walked(self, events)
        return super().outside(events)

    def offer(self, beginning: Beginning) -> Offer:
        plan = self.plan
        value, env = self._begin()
        tock = () if plan.tock < 0 else (self.world.events.values[plan.tock],)
        if beginning is None:
            return Offer(FIELDS, (head(value), *tock))
        if not begins(beginning, value):
            item = FIELDS.item(value, beginning)
            return Offer(FIELDS, () if item is None else (item,))
        single: list[Value] = []
        domains: list[Domain] = []
        pending = [(value, env, self.at)]
        while pending:  # every value here is where the beginning begins
            value, env, at = pending.pop()
            if at == len(plan.fields):
                plan.check_event(value)
                continue
            for after, inner in plan.fitting(value, at, env, beginning):
                if isinstance(after, Offer):
                    single.extend(after.single)
                    domains.extend(after.domains)
                elif begins(beginning, after):
                    pending.append((after, inner, at + 1))
                elif (item := FIELDS.item(after, beginning)) is not None:
                    single.append(item)
        return Offer(FIELDS, single, domains)

    def width(self, but: EventSet | None = None) -> float:
        if but is not None and but.covers(self._begun()):
            return 0.0
        if self._steps is not None:
            return float(len(self._steps))
        if all(part.output is not None for part in self.plan.fields):
            return 1.0
        count = count_productions(self._begun())
        # The set of an input may be infinite only where the type is, and may need fields before it to be known.
        if not math.isinf(count) and all(part.output or part.within for part in self.plan.fields):
            return 1.0
        return count

    def words(self) -> str:
        return "->"


def _listed(values: Values) -> Iterable[Value]:
    if values.infinite():
        raise Wrong(
            f"this input has infinitely many values: {values.shown()}",
            "restrict it (?x:{0..9}), or let another process that sends one value take part",
        )
    return values.items()


def _several(value: Value, count: int) -> Iterator[Value]:
    """What the next fields can be, as dotted values."""
    pending: list[tuple[Value, tuple[Value, ...]]] = [(value, ())]
    while pending:
        value, taken = pending.pop()
        following = next_field(value)
        if len(taken) == count or following is None:
            yield taken[0] if len(taken) == 1 else Dot(taken)
            continue
        pending.extend((dot(value, item), (*taken, item)) for item in reversed(tuple(_listed(following))))


def _begun_remainder(beginning: Value, value: Value, count: int | None) -> Value | None:
    """The same where only a beginning of the event is known; None: it ends before these fields do."""
    items: list[Value] = []
    while missing(value) and len(items) != count:
        if value == beginning:
            return None
        item = component(beginning, value)
        if missing(item):
            return None
        items.append(item)
        value = dot(value, item)
    return items[0] if len(items) == 1 else Dot(tuple(items))


def _remainder(event: Value, value: Value, count: int | None) -> Value:
    """The next fields of an event behind a beginning of it; None: all of them."""
    items: list[Value] = []
    while missing(value) and len(items) != count:
        item = component(event, value)
        items.append(item)
        value = dot(value, item)
    return items[0] if len(items) == 1 else Dot(tuple(items))
