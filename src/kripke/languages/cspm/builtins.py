"""The functions and constants every script knows, and those it asks for with ``external`` or ``transparent``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kripke.algebra.terms import Step, Term, World
from kripke.languages.cspm.sets import (
    BOOLEANS,
    CHARACTERS,
    INTEGERS,
    Closure,
    Described,
    Finite,
    Values,
    as_set,
    difference,
    extensions,
    intersection,
    maps,
    sequences,
    subsets,
    union,
)
from kripke.languages.cspm.values import (
    FALSE,
    TRUE,
    Char,
    Dot,
    Function,
    Maker,
    MapValue,
    Seq,
    Truth,
    Value,
    Wrong,
    force,
    kind_of,
    rank,
    show,
    text,
    truth,
)


def _set(value: Value) -> Values:
    value = force(value)
    if isinstance(value, Values):
        return value
    raise Wrong(f"{show(value)} is {kind_of(value)}, but a set is needed here")


def _seq(value: Value) -> Seq:
    value = force(value)
    if isinstance(value, Seq):
        return value
    raise Wrong(f"{show(value)} is {kind_of(value)}, but a sequence is needed here")


def _map(value: Value) -> MapValue:
    value = force(value)
    if isinstance(value, MapValue):
        return value
    raise Wrong(f"{show(value)} is {kind_of(value)}, but a map is needed here")


def _process(value: Value) -> Term:
    value = force(value)
    if isinstance(value, Term):
        return value
    raise Wrong(f"{show(value)} is {kind_of(value)}, but a process is needed here")


def _error(message: Value) -> Value:
    items = _seq(message).items()
    raise Wrong("".join(item.value if isinstance(item, Char) else show(item) for item in items))


def _lookup(mapping: Value, key: Value) -> Value:
    entries = _map(mapping).entries
    key = force(key)
    if key not in entries:
        raise Wrong(f"the map has no key {show(key)}")
    return entries[key]


def _updated(mapping: Value, pairs: Iterable[Value]) -> MapValue:
    entries = dict(_map(mapping).entries)
    for pair in pairs:
        pair = force(pair)
        entries[force(pair[0])] = force(pair[1])
    return MapValue(entries)


def _intersection_of(sets: Value) -> Values:
    parts = [_set(part) for part in _set(sets).items()]
    if not parts:
        raise Wrong("Inter of no sets")
    result = parts[0]
    for part in parts[1:]:
        result = intersection(result, part)
    return result


def _concat(sequence: Value) -> Seq:
    return Seq(tuple(item for part in _seq(sequence) for item in _seq(part)))


def _empty(value: Values) -> bool:
    if value.infinite():
        return False
    if isinstance(value, Finite):
        return not value.members()
    return next(iter(value.each()), None) is None


def _transitive(relation: Value, domain: Value) -> Values:
    """``mtransclose``: of every class of the symmetric, transitive closure one member with each other."""
    neighbours: dict[Value, list[Value]] = {}
    for pair in _set(relation).items():
        one, other = force(pair[0]), force(pair[1])
        neighbours.setdefault(one, []).append(other)
        neighbours.setdefault(other, []).append(one)
    found: list[Value] = []
    seen: set[Value] = set()
    inside = _set(domain)
    for start in inside.items():
        if start in seen:
            continue
        seen.add(start)
        stack = [start]
        while stack:
            for other in neighbours.get(stack.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    stack.append(other)
                    if inside.contains(other):
                        found.append((start, other))
    return Finite(found)


def _images(relation: Value, forward: bool) -> Function:
    images: dict[Value, list[Value]] = {}
    for pair in _set(relation).items():
        one, other = (force(pair[0]), force(pair[1])) if forward else (force(pair[1]), force(pair[0]))
        images.setdefault(one, []).append(other)
    return Function("image", 1, lambda value: Finite(images.get(force(value), ())))


def values() -> dict[str, Value]:
    """What has nothing to do with processes."""

    def function(name: str, arity: int, call: Callable[..., Any]) -> None:
        found[name] = Function(name, arity, call)

    found: dict[str, Value] = {
        "true": TRUE,
        "false": FALSE,
        "True": TRUE,
        "False": FALSE,
        "Int": INTEGERS,
        "Bool": BOOLEANS,
        "Char": CHARACTERS,
        "Proc": Described("Proc", lambda value: isinstance(value, Term), None),
        "emptyMap": MapValue({}),
    }
    function("union", 2, lambda a, b: union([_set(a), _set(b)]))
    function("inter", 2, lambda a, b: intersection(_set(a), _set(b)))
    function("diff", 2, lambda a, b: difference(_set(a), _set(b)))
    function("Union", 1, lambda a: union([_set(part) for part in _set(a).items()]))
    function("Inter", 1, _intersection_of)
    function("member", 2, lambda x, a: truth(_set(a).contains(force(x))))
    function("card", 1, lambda a: _set(a).size() if not _set(a).infinite() else len(_set(a).members()))
    function("empty", 1, lambda a: truth(_empty(_set(a))))
    function("set", 1, lambda s: Finite(_seq(s).items()))
    function("Set", 1, lambda a: subsets(as_set(force(a))))
    function("Seq", 1, lambda a: sequences(as_set(force(a))))
    function("seq", 1, lambda a: Seq(_set(a).items()))
    function("null", 1, lambda s: truth(_seq(s).empty()))
    function("head", 1, lambda s: force(_seq(s).head()))
    function("tail", 1, lambda s: _seq(s).tail())
    function("concat", 1, _concat)
    function("elem", 2, lambda x, s: truth(any(item == force(x) for item in _seq(s))))
    function("length", 1, lambda s: len(_seq(s).items()))
    function("error", 1, _error)
    function("show", 1, lambda x: text(show(force(x))))
    function("productions", 1, lambda x: Closure([force(x)]))
    function("extensions", 1, lambda x: Finite(extensions(force(x))))
    function("mapFromList", 1, lambda s: _updated(MapValue({}), _seq(s)))
    function("mapLookup", 2, _lookup)
    function("mapMember", 2, lambda m, k: truth(force(k) in _map(m).entries))
    function("mapToList", 1, lambda m: Seq(tuple(sorted(_map(m).entries.items(), key=lambda e: rank(e[0])))))
    function("mapUpdate", 3, lambda m, k, v: _updated(m, [(k, v)]))
    function("mapUpdateMultiple", 2, lambda m, s: _updated(m, _seq(s)))
    function("mapDelete", 2, lambda m, k: MapValue({a: b for a, b in _map(m).entries.items() if a != force(k)}))
    function("Map", 2, lambda k, v: maps(as_set(force(k)), as_set(force(v))))
    return found


def externals() -> dict[str, Value]:
    """Functions on values that a script asks for with ``external``."""

    def swap(relation: Value) -> Values:
        return Finite((force(pair[1]), force(pair[0])) for pair in _set(relation).items())

    return {
        "mtransclose": Function("mtransclose", 2, _transitive),
        "transpose": Function("transpose", 1, swap),
        "relational_image": Function("relational_image", 1, lambda r: _images(r, True)),
        "relational_inverse_image": Function("relational_inverse_image", 1, lambda r: _images(r, False)),
    }


# ---- processes ----


class BufferTerm(Term):
    """``BUFFER(n, {(in, out)})``: what went in comes out in order; at most n at a time."""

    __slots__ = ("bound", "outputs", "queue")
    operator = "BUFFER"

    def __init__(self, world: World, bound: int, outputs: dict[int, int], queue: tuple[int, ...]) -> None:
        super().__init__(world)
        self.bound, self.outputs, self.queue = bound, outputs, queue

    def _make(self) -> Iterable[Step]:
        if len(self.queue) < self.bound:
            for event, output in self.outputs.items():
                yield event, self._with((*self.queue, output))
        if self.queue:
            yield self.queue[0], self._with(self.queue[1:])

    def _with(self, queue: tuple[int, ...]) -> Term:
        return buffer(self.world, self.bound, self.outputs, queue)


def buffer(world: World, bound: int, outputs: dict[int, int], queue: tuple[int, ...]) -> Term:
    key = ("buffer", bound, tuple(sorted(outputs.items())), queue)
    return world.make(key, lambda: BufferTerm(world, bound, outputs, queue))


class OverflowingBuffer(BufferTerm):
    """A buffer that says by an event that it is full. Then it stops (``WEAK_BUFFER``); or it goes on, and what would
    have come in is lost (``SIGNAL_BUFFER``)."""

    __slots__ = ("full", "lossy")

    def __init__(
        self, world: World, bound: int, outputs: dict[int, int], queue: tuple[int, ...], full: int, lossy: bool
    ) -> None:
        super().__init__(world, bound, outputs, queue)
        self.full, self.lossy = full, lossy

    def _with(self, queue: tuple[int, ...]) -> Term:
        return overflowing_buffer(self.world, self.bound, self.outputs, queue, self.full, self.lossy)

    def _make(self) -> Iterable[Step]:
        yield from super()._make()
        if len(self.queue) == self.bound:
            yield self.full, self if self.lossy else self.world.stop


def overflowing_buffer(
    world: World, bound: int, outputs: dict[int, int], queue: tuple[int, ...], full: int, lossy: bool
) -> Term:
    key = ("buffer", bound, tuple(sorted(outputs.items())), queue, full, lossy)
    return world.make(key, lambda: OverflowingBuffer(world, bound, outputs, queue, full, lossy))


def buffer_outputs(world: World, pairs: Value) -> dict[int, int]:
    found: dict[Value, Value] = {}
    for pair in _set(pairs).items():
        one, other = force(pair[0]), force(pair[1])
        if one in found or other in found.values():
            raise Wrong(f"{show(one if one in found else other)} stands in two pairs of this buffer")
        found[one] = other
    return {world.events.number(one): world.events.number(other) for one, other in found.items()}


__all__ = ["Dot", "Maker", "Truth", "externals", "values"]
