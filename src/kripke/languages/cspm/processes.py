"""Process expressions of CSP-M as terms of the algebra, also in timed sections."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

from kripke.algebra.events import EventSet
from kripke.algebra.offers import Offer, union
from kripke.algebra.parallel import (
    Links,
    alphabetised,
    linked,
    parallel,
    synchronising_choice,
    synchronising_interrupt,
)
from kripke.algebra.priority import levels, prioritised
from kripke.algebra.terms import Later, Renaming, Step, Term, World
from kripke.languages.cspm.beginnings import FIELDS, continued, lacking_fields, offered, rest
from kripke.languages.cspm.communication import Communication, Plan
from kripke.languages.cspm.evaluation import Code, Evaluation
from kripke.languages.cspm.lexer import TIMED
from kripke.languages.cspm.matching import Patterns, exact
from kripke.languages.cspm.scopes import Binding, Env, Scope
from kripke.languages.cspm.sets import (
    Closure,
    Described,
    Finite,
    Interval,
    Joined,
    Numbers,
    Reduced,
    Values,
    begins,
    count_productions,
    extensions,
    productions,
)
from kripke.languages.cspm.syntax import (
    Choice,
    Expr,
    Guard,
    Hide,
    Linked,
    Name,
    Node,
    Parallel,
    Prefix,
    Rename,
    Replicated,
    Statement,
)
from kripke.languages.cspm.values import Dot, Function, Maker, Seq, Value, Wrong, dot, force, kind_of, missing, show
from kripke.model.source import ModelError

MOST_LINKS = 100_000


@dataclass(slots=True)
class TimedContext:
    tock: Code
    duration: Code | None
    #: the level of the scope its expression was compiled in, and what it uses
    level: int
    uses: set[Binding]


class WaitTerm(Term):
    """Some ticks of the clock, then a process."""

    __slots__ = ("count", "key", "then", "tock")
    operator = "WAIT"

    def __init__(self, world: World, tock: int, count: int, then: Callable[[], Term], key: Hashable) -> None:
        super().__init__(world)
        self.tock, self.count, self.then, self.key = tock, count, then, key

    def _make(self) -> Iterable[Step]:
        return ((self.tock, wait(self.world, self.tock, self.count - 1, self.then, self.key)),)


def wait(world: World, tock: int, count: int, then: Callable[[], Term], key: Hashable) -> Term:
    if count <= 0:
        return then()
    return world.make(("wait", tock, count, key), lambda: WaitTerm(world, tock, count, then, key))


class TockLoop(Term):
    """STOP or SKIP where time may pass."""

    __slots__ = ("ends", "tock")
    operator = "TSTOP"

    def __init__(self, world: World, tock: int, ends: bool) -> None:
        super().__init__(world)
        self.tock, self.ends = tock, ends

    def _make(self) -> Iterable[Step]:
        yield self.tock, self
        if self.ends:
            yield from self.world.skip.steps()


def tock_loop(world: World, tock: int, ends: bool) -> Term:
    return world.make(("tockloop", tock, ends), lambda: TockLoop(world, tock, ends))


class Processes(Evaluation):
    """Compiles processes to functions from environments to terms."""

    world: World
    timed: TimedContext | None = None
    #: channels that stand for links which are too many to be listed
    _bridges: dict[tuple[Value, Value], Maker]

    def term(self, node: Expr) -> Callable[[Env], Term]:
        code = self.code(node)

        def process(env: Env) -> Term:
            value = code(env)
            if not isinstance(value, Term):
                raise self.wrong(f"{show(value)} is {kind_of(value)}, but a process is needed here", node)
            return value

        return process

    def later(self, node: Expr) -> Callable[[Env], tuple[Callable[[], Term], Hashable]]:
        """A process for later, with a key that tells it from others."""
        code, uses = self.collected(lambda: self.term(node))
        key, number = self.key_of(uses), self.unique()
        return lambda env: ((lambda: code(env)), (number, key(env)))

    def name(self, node: Name) -> Code:
        if node.name in ("STOP", "SKIP", *TIMED) and self.scope.find(node.name) is None:
            if node.name == "STOP":
                return self.stopped()
            if node.name == "SKIP":
                return self.skipped()
            return self.waiting(node) if node.name == "WAIT" else self.prioritising(node)
        return super().name(node)

    def _in_timed_section(self, node: Name) -> TimedContext:
        if self.timed is None:
            raise self.wrong(f"{node.name} is for timed sections", node, "put the definition into Timed { ... }")
        return self.timed

    def prioritising(self, node: Name) -> Code:
        """``timed_priority(P)``: time passes only where P can neither go on unseen nor end."""
        timed = self._in_timed_section(node)

        def function(env: Env) -> Function:
            tock = self.world.events.values[self.tock(timed, env)]
            order = levels([self.event_set(Finite(())), self.event_set(Finite((tock,)))])
            return Function(node.name, 1, lambda process: prioritised(self.world, self._prioritised(process), order))

        return function

    def _prioritised(self, value: Value) -> Term:
        process = force(value)
        if not isinstance(process, Term):
            raise Wrong(f"{show(process)} is {kind_of(process)}, but a process is needed here")
        return process

    def waiting(self, node: Name) -> Code:
        timed = self._in_timed_section(node)
        skip = self.skipped()

        def function(env: Env) -> Function:
            tock, end = self.tock(timed, env), skip(env)
            return Function(
                "WAIT", 1, lambda count: wait(self.world, tock, force(count), lambda: end, ("WAIT", end.number))
            )

        return function

    def process(self, node: Expr) -> Code:
        match node:
            case Prefix():
                return self.prefix(node)
            case Guard():
                return self.guard(node)
            case Choice():
                return self.choice(node)
            case Parallel():
                return self.parallel(node)
            case Hide():
                return self.hide(node)
            case Rename():
                return self.rename(node)
            case Linked():
                return self.linked(node)
            case Replicated():
                return self.replicated(node)
        raise self.wrong("this is a pattern, not a value", node)

    # ---- sets of events ----

    def events(self, node: Expr) -> Callable[[Env], EventSet]:
        code = self.code(node)

        def members(env: Env) -> EventSet:
            value = code(env)
            if not isinstance(value, Values):
                raise self.wrong(f"{show(value)} is {kind_of(value)}, but a set of events is needed here", node)
            try:
                return self.event_set(value)
            except Wrong as error:
                raise self.located(error, node) from None

        timed = self.timed
        if timed is None:
            return members
        return lambda env: self.with_tock(members(env), timed, env)

    def event_set(self, value: Values) -> EventSet:
        if isinstance(value, Finite) and any(missing(item) for item in value.members()):
            incomplete = next(item for item in value.items() if missing(item))
            raise Wrong(f"{show(incomplete)} is not a complete event", "write {| ... |} for all events of a channel")
        table = self.world.events

        def all_events() -> list[int]:
            try:
                return [table.number(item) for item in value.items()]
            except Wrong as error:
                raise ModelError(error.message, hint=error.hint) from None

        return CspEventSet(table, set_key(value), value.contains, all_events, value.shown, value)

    def tock(self, timed: TimedContext, env: Env) -> int:
        return self.world.events.number(timed.tock(_outermost(env)))

    def with_tock(self, events: EventSet, timed: TimedContext, env: Env) -> EventSet:
        tock = self.tock(timed, env)
        value = events.value if isinstance(events, CspEventSet) else None
        assert value is not None
        return self.event_set(Joined((value, Finite((self.world.events.values[tock],)))))

    # ---- prefix and guard ----

    def prefix(self, node: Prefix) -> Code:
        scope = Scope(self.scope)
        binds = any(field.mark != "!" for field in node.fields)
        (event, fields, body), uses = self.collected(lambda: self._prefix(node, scope if binds else self.scope))
        if self.timed is not None:
            uses |= self.timed.uses
            self._uses[-1] |= self.timed.uses
        last_choice = max((at for at, part in enumerate(fields) if part.mark == "$"), default=-1)
        size = scope.size if binds else 0
        key = self.key_of(uses)
        plan = Plan(node, self.unique(), event, fields, size, body, key, self.located, self.effort)
        plan.last_choice = last_choice
        timed = self.timed
        if timed is None:
            return lambda env: plan.start(self.world, env)
        if last_choice >= 0:
            raise self.wrong("internal choice with $ is not allowed in a timed section", node)
        up = self.scope.level
        duration = timed.duration

        def delay(world: World, value: Value, then: Callable[[], Term], key: Hashable, env: Env) -> Term:
            count = 1
            if duration is not None:
                function = duration(_up(env, up + (1 if binds else 0) - timed_level))
                if not isinstance(function, Function):
                    raise self.wrong(f"{show(function)} is no function from events to durations", node)
                count = function.call(value)
            if not isinstance(count, int):
                raise self.wrong(f"{show(count)} is no duration", node)
            return wait(world, self.tock(timed, env), count, then, key)

        timed_level = timed.level
        plan.timed = delay

        def start(env: Env) -> Term:
            plan.tock = self.tock(timed, env)
            return plan.start(self.world, env)

        return start

    def _prefix(self, node: Prefix, scope: Scope) -> tuple[Code, list[Communication], Code]:
        event = self.code(node.event)

        def inner() -> tuple[list[Communication], Code]:
            fields: list[Communication] = []
            patterns = Patterns(scope, self.refer, self.wrong)
            for part in node.fields:
                if part.mark == "!":
                    fields.append(Communication("!", self.code(part.item), None, None, part))
                else:
                    within = None if part.within is None else self.code(part.within)
                    count = patterns.fields(part.item)
                    match = patterns.make(part.item)
                    fields.append(Communication(part.mark, None, match, within, part, count, exact(part.item)))
            return fields, self.term(node.body)

        fields, body = self.inside(scope, inner)
        return event, fields, body

    def stopped(self) -> Callable[[Env], Term]:
        timed = self.timed
        if timed is None:
            return lambda env: self.world.stop
        return lambda env: tock_loop(self.world, self.tock(timed, env), False)

    def guard(self, node: Guard) -> Code:
        condition, body, stop = self.condition(node.condition), self.term(node.body), self.stopped()
        return lambda env: body(env) if condition(env) else stop(env)

    # ---- operators ----

    def choice(self, node: Choice) -> Code:
        operator, world = node.operator, self.world
        if operator == ";":
            first = self.term(node.operands[0])
            rest = [self.later(operand) for operand in node.operands[1:]]

            def sequence(env: Env) -> Term:
                process = first(env)
                for part in rest:
                    build, key = part(env)
                    process = world.sequence(process, build, key)
                return process

            return sequence
        if operator == "[>":
            left, right = self.term(node.operands[0]), self.term(node.operands[1])
            return lambda env: world.sliding(left(env), right(env))
        parts = [self.term(operand) for operand in node.operands]
        timed = self.timed
        if operator == "|~|":
            return lambda env: world.internal([part(env) for part in parts])
        if timed is not None:
            return self._timed_choice(operator, parts, timed)
        if operator == "[]":
            return lambda env: world.external([part(env) for part in parts])
        if operator == "|||":
            empty = self.event_set(Finite(()))

            def interleave(env: Env) -> Term:
                return self.joined([part(env) for part in parts], empty)

            return interleave
        return lambda env: world.interrupt(parts[0](env), parts[1](env))

    def joined(self, parts: list[Term], shared: EventSet) -> Term:
        result = parts[-1]
        for part in reversed(parts[:-1]):
            result = parallel(self.world, part, shared, result)
        return result

    def _timed_choice(self, operator: str, parts: list[Callable[[Env], Term]], timed: TimedContext) -> Code:
        world = self.world

        def build(env: Env) -> Term:
            shared = self.with_tock(self.event_set(Finite(())), timed, env)
            terms = [part(env) for part in parts]
            if operator == "|||":
                return self.joined(terms, shared)
            result = terms[0]
            for term in terms[1:]:
                if operator == "[]":
                    if term is not result:
                        result = synchronising_choice(world, result, shared, term)
                else:
                    result = synchronising_interrupt(world, result, shared, term)
            return result

        return build

    def parallel(self, node: Parallel) -> Code:
        left, world = self.term(node.left), self.world
        sets = [self.events(expression) for expression in node.sets]
        if node.operator == "[||>":
            later = self.later(node.right)
            untimed = self._without_tock(node.sets[0])

            def throw(env: Env) -> Term:
                build, key = later(env)
                handler = world.make(("later", key), lambda: Later(world, build))
                return world.throw(left(env), untimed(env), handler)

            return throw
        right = self.term(node.right)
        if node.operator == "[||]":
            return lambda env: parallel(world, left(env), sets[0](env), right(env))
        if node.operator == "[||":
            return lambda env: alphabetised(world, (left(env), right(env)), (sets[0](env), sets[1](env)))
        if node.operator == "[++]":
            return lambda env: synchronising_choice(world, left(env), sets[0](env), right(env))
        return lambda env: synchronising_interrupt(world, left(env), sets[0](env), right(env))

    def _without_tock(self, node: Expr) -> Callable[[Env], EventSet]:
        saved, self.timed = self.timed, None
        try:
            return self.events(node)
        finally:
            self.timed = saved

    def hide(self, node: Hide) -> Code:
        process, hidden, world = self.term(node.process), self._without_tock(node.hidden), self.world
        empty = set_key(Finite(()))

        def build(env: Env) -> Term:
            events = hidden(env)
            return process(env) if events.key == empty else world.hide(process(env), events)

        return build

    # ---- renaming and links ----

    def pairs(
        self, pairs: list[tuple[Expr, Expr]], statements: list[Statement], scope: Scope, node: Node
    ) -> Callable[[Env], list[tuple[Value, Value]]]:
        def compile() -> tuple[Callable[[Env], Iterable[Env]], list[tuple[Code, Code]]]:
            each = self.statements(statements)
            return each, [(self.code(one), self.code(other)) for one, other in pairs]

        each, codes = self.inside(scope, compile)

        def found(env: Env) -> list[tuple[Value, Value]]:
            inner: Env = [None] * scope.size
            inner[0] = env
            return [(one(bound), other(bound)) for bound in each(inner) for one, other in codes]

        return found

    def rename(self, node: Rename) -> Code:
        process, world = self.term(node.process), self.world
        pairs = self.pairs(node.pairs, node.statements, Scope(self.scope), node)

        def build(env: Env) -> Term:
            try:
                relation = self.renaming(pairs(env), node)
            except Wrong as error:
                raise self.located(error, node) from None
            return world.rename(process(env), relation)

        return build

    def renaming(self, pairs: list[tuple[Value, Value]], node: Node) -> Renaming:
        table = self.world.events
        by_head: dict[Maker, list[tuple[Value, Value]]] = {}
        for old, new in dict.fromkeys(pairs):
            head = old if isinstance(old, Maker) else old.items[0] if isinstance(old, Dot) else None
            if not isinstance(head, Maker) or not isinstance(new, Maker | Dot):
                raise Wrong(f"{show(old)} <- {show(new)}: only events and channels are renamed")
            by_head.setdefault(head, []).append((old, new))

        def images(event: int) -> list[int]:
            value = table.values[event]
            head = value if isinstance(value, Maker) else value.items[0]
            found: list[int] = []
            for old, new in by_head.get(head, ()):
                items = rest(value, old)
                if items is None:
                    continue
                image = continued(new, items)
                if missing(image):
                    raise self.wrong(f"{show(value)} would become {show(image)}, which is not a complete event", node)
                found.append(table.number(image))
            return list(dict.fromkeys(found)) or [event]

        def sources(event: int) -> list[int]:
            value = table.values[event]
            found = {
                table.number(continued(old, items)) for old, new in pairs if (items := rest(value, new)) is not None
            }
            return [source for source in (*found, event) if event in relation.of(source)]

        def covered(prefix: Value, events: EventSet) -> bool:
            head = prefix if isinstance(prefix, Maker) else prefix.items[0]
            ours = [(old, new) for old, new in by_head.get(head, ()) if begins(prefix, old) or begins(old, prefix)]
            if not ours:
                return events.covers(prefix)
            # Where only some of what begins so is renamed, nothing is said.
            if not all(begins(prefix, old) for old, _ in ours):
                return False
            return all(events.covers(continued(new, rest(prefix, old) or [])) for old, new in ours)

        def words() -> str:
            return ", ".join(f"{show(old)} <- {show(new)}" for old, new in pairs)

        def before(beginning: Value, offer: Callable[[Value], Offer]) -> Offer:
            found = [offer(beginning)]  # of events that keep their names
            for old, new in pairs:
                items = None if beginning is None else rest(beginning, new)
                if items is not None:
                    found.append(offer(continued(old, items)))
                elif (item := FIELDS.item(new, beginning)) is not None:
                    found.append(Offer(FIELDS, (item,)))
            return union(FIELDS, found)

        relation = Renaming(frozenset(pairs), images, sources, covered, before, words)
        return relation

    def linked(self, node: Linked) -> Code:
        left, right = self.term(node.left), self.term(node.right)
        pairs = self.pairs(node.pairs, node.statements, Scope(self.scope), node)
        timed = self.timed
        if timed is None:
            return lambda env: self.joined_by_links(left(env), pairs(env), right(env), node)

        def together(env: Env) -> Term:
            clock = Finite((self.world.events.values[self.tock(timed, env)],))
            return self.joined_by_links(left(env), pairs(env), right(env), node, clock)

        return together

    def joined_by_links(
        self, left: Term, pairs: list[tuple[Value, Value]], right: Term, node: Node, clock: Values | None = None
    ) -> Term:
        """``clock``: the events of time, which both sides do together where it passes."""
        if clock is None and all(count_productions(one) <= MOST_LINKS for one, _ in pairs):
            return linked(self.world, left, self.links(pairs, node), right)
        # Links beside a clock, or too many to be listed: both sides do events of channels that nobody else has, unseen.
        if any(not missing(one) != (not missing(other)) for one, other in pairs):
            raise self.wrong("events with and without fields cannot be linked", node)
        world = self.world
        channels = [self.bridge(one, other) for one, other in pairs]
        ours = self.renaming([(one, new) for (one, _), new in zip(pairs, channels, strict=True)], node)
        its = self.renaming([(other, new) for (_, other), new in zip(pairs, channels, strict=True)], node)
        unseen = self.event_set(Closure(channels))
        shared = unseen if clock is None else self.event_set(Joined((Closure(channels), clock)))
        return world.hide(parallel(world, world.rename(left, ours), shared, world.rename(right, its)), unseen)

    def bridge(self, one: Value, other: Value) -> Maker:
        """A channel for what two others, or beginnings of events, still lack."""
        known = self._bridges.get((one, other))
        if known is None:
            known = Maker(f"{show(one)}<->{show(other)}", None, lambda: lacking_fields(one))
            self._bridges[one, other] = known
        return known

    def links(self, pairs: list[tuple[Value, Value]], node: Node) -> Links:
        table = self.world.events
        found: list[tuple[int, int]] = []
        for one, other in pairs:
            if not missing(one) or not missing(other):
                if missing(one) or missing(other):
                    raise self.wrong(f"{show(one)} and {show(other)} cannot be linked: their fields differ", node)
                found.append((table.number(one), table.number(other)))
                continue
            for fields in extensions(one):
                found.append((table.number(dot(one, fields)), table.number(dot(other, fields))))
        return Links(found)

    # ---- replicated operators ----

    def replicated(self, node: Replicated) -> Code:
        scope = Scope(self.scope)
        operator, world = node.operator, self.world

        def compile() -> tuple[Callable[[Env], Iterable[Env]], Callable[[Env], Term], Callable[[Env], EventSet] | None]:
            each = self.statements(node.statements)
            alphabet = self.events(node.set) if operator == "||" and node.set is not None else None
            return each, self.term(node.body), alphabet

        shared = self.events(node.set) if operator in ("[||]", "[++]") and node.set is not None else None
        compiled: tuple[Callable[[Env], Iterable[Env]], Callable[[Env], Term], Callable[[Env], EventSet] | None]
        compiled = self.inside(scope, compile)
        each, body, alphabet = compiled
        timed = self.timed
        if timed is not None and operator == "<->":
            raise self.wrong("a replicated link is not allowed in a timed section", node)
        stop = self.stopped()
        skip = self.skipped()
        empty = self.event_set(Finite(()))
        # The links are between neighbours: their expressions see the names of the left one.
        link_scope = Scope(scope) if operator == "<->" else scope
        links = (
            self.inside(scope, lambda: self.pairs(node.pairs, node.link_statements, link_scope, node))
            if operator == "<->"
            else None
        )

        def build(env: Env) -> Term:
            inner: Env = [None] * scope.size
            inner[0] = env
            envs = list(each(inner))
            if operator == ";":
                result: Term = skip(env)
                if envs:
                    result = body(envs[-1])
                    for at in range(len(envs) - 2, -1, -1):
                        result = world.sequence(body(envs[at]), result)
                return result
            parts = [body(one) for one in envs]
            if operator == "||":
                if not parts:
                    return skip(env)
                assert alphabet is not None
                return alphabetised(world, tuple(parts), tuple(alphabet(one) for one in envs))
            if operator == "<->":
                if not parts:
                    raise self.wrong("a replicated link needs at least one process", node)
                assert links is not None
                result = parts[-1]
                for at in range(len(parts) - 2, -1, -1):
                    result = self.joined_by_links(parts[at], links(envs[at]), result, node)
                return result
            if operator == "|~|":
                if not parts:
                    raise self.wrong("an internal choice needs at least one process", node, "its set is empty here")
                return world.internal(parts)
            if operator in ("|||", "[||]"):
                if not parts:
                    return skip(env)
                if operator == "|||":
                    together = empty if timed is None else self.with_tock(empty, timed, env)
                    return self.joined(parts, together)
                assert shared is not None
                return self.joined(parts, shared(env))
            if not parts:
                return stop(env)
            if operator == "[]" and timed is None:
                return world.external(parts)
            together = shared(env) if shared is not None else self.with_tock(empty, timed, env) if timed else empty
            result = parts[-1]
            for part in reversed(parts[:-1]):
                result = synchronising_choice(world, part, together, result)
            return result

        return build

    def skipped(self) -> Callable[[Env], Term]:
        timed = self.timed
        if timed is None:
            return lambda env: self.world.skip
        return lambda env: tock_loop(self.world, self.tock(timed, env), True)


class CspEventSet(EventSet):
    """A set of events that still knows the value it came from."""

    __slots__ = ("value",)

    def __init__(self, table, key, test, members, words, value: Values) -> None:  # type: ignore[no-untyped-def]
        super().__init__(table, key, test, members, words)
        self.value = value

    def covers(self, prefix: Value) -> bool:
        return self.value.covers(prefix)

    def avoids(self, prefix: Value) -> bool:
        return self.value.avoids(prefix)

    def includes(self, other: EventSet) -> bool:
        if self.key == other.key:
            return True
        value = other.value if isinstance(other, CspEventSet) else None
        return isinstance(value, Closure) and all(self.covers(prefix) for prefix in value.prefixes)

    def infinite(self) -> bool:
        return self.value.infinite()

    def offer(self, beginning: Value) -> Offer:
        return offered(self.value, beginning)


def set_key(value: Values) -> Hashable:
    """Equal keys are equal sets; it does not enumerate what was written as {| ... |}."""
    match value:
        case Closure():
            return ("closure", frozenset(value.prefixes))
        case Interval():
            return ("interval", value.low, value.high)
        case Joined():
            return ("joined", frozenset(set_key(part) for part in value.parts))
        case Reduced():
            return ("reduced", set_key(value.base), set_key(value.other), value.keep)
        case Numbers():
            return ("numbers", value.low)
        case Described() if value.infinite():
            return ("described", id(value))
    return ("set", value.members())


def _outermost(env: Env) -> Env:
    while env[0] is not None:
        env = env[0]
    return env


def _up(env: Env, levels: int) -> Env:
    for _ in range(levels):
        env = env[0]
    return env


__all__ = ["Processes", "Seq", "TimedContext", "productions"]
