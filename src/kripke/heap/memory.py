"""The memory of a running program: globals, threads with their frames, objects; and the canonical bytes of it.

A state is a string of 32-bit words, lowest byte first: the number of threads, the globals, two words per thread (its
object, its innermost frame), then the heap. A value is a word: ``...01`` a small integer, ``...10`` a constant of the
program, ``...00`` the place of an object, 0 nothing. An object is a head (size and kind) and its words. Where all
words fit in 16 bits, with their sign, they have no more; else the first has the bit ``_WIDE``.

Objects lie in the order in which they are reached (``numbering`` "heap"), from globals and threads first, then from
frames: what cannot be reached is gone, and how objects came to be makes no difference. So what a step does to its frame
leaves what threads share in its place. The numberings of F. Lerda and W. Visser (Addressing
dynamic issues of program model checking, SPIN 2001, section 2.4) keep a number with every object instead: the place
that was free ("order"), or where it was made and how often ("site"), for each thread apart ("thread").
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from kripke.heap.program import Kind, Options, Program

Value = Any
"""int, bool, None, str, float, an ``Obj``, a constant of the program, or ``UNBOUND``."""


class _Unbound:
    def __repr__(self) -> str:
        return "unbound"


UNBOUND = _Unbound()
SMALL = 1 << 29
_MASK = 0xFFFFFFFF
_HALF, _WIDE = 0x8000, 0x4000
_HEAD = 5  # bits of the kind in the head of an object; the size is above


class TooLarge(Exception):
    """The state has more bytes than there may be."""


class Obj:
    """An object of the heap; what ``fields`` are depends on its kind.

    TUPLE, LIST, SET: items. DICT: keys and values in turn. INSTANCE: class, then attributes. CELL: value. FUNCTION:
    code, defaults, defaults of keywords, cells. BOUND: function, receiver. ITERATOR: container, index, length.
    RANGE: start, stop, step. GENERATOR: state, frame (None while it runs).
    """

    __slots__ = ("fields", "kind", "number", "shared")

    def __init__(self, kind: Kind, fields: list[Value]) -> None:
        self.kind = kind
        self.fields = fields
        self.shared = False
        self.number = -1


class Frame:
    __slots__ = ("back", "code", "generator", "locals", "mode", "pc", "stack")

    def __init__(self, code: int, values: list[Value]) -> None:
        self.code = code
        self.pc = 0
        self.mode = 0
        self.generator: Obj | None = None
        self.back: Frame | None = None
        self.locals = values
        self.stack: list[Value] = []


class Memory:
    """``objects``: all there are, where numbers are kept."""

    __slots__ = ("frames", "globals", "objects", "threads")

    def __init__(self, values: list[Value]) -> None:
        self.globals = values
        self.threads: list[Value] = []
        self.frames: list[Frame | None] = []
        self.objects: list[Obj] = []


_CONTAINERS = (Kind.LIST, Kind.DICT, Kind.SET)


class Codec:
    """Memory to bytes and back."""

    def __init__(self, program: Program, options: Options) -> None:
        self.program, self.options = program, options
        self._numbers = {(type(value), value): number for number, value in enumerate(program.constants)}
        self._head_words = 1 if options.numbering == "heap" else 2

    # --- to bytes -----------------------------------------------------------------------------------------------------

    def encode(self, memory: Memory) -> bytes:
        words: list[int] = [len(memory.threads)]
        places: dict[int, int] = {}
        todo: list[Any] = []
        size = 1 + len(memory.globals) + 2 * len(memory.threads)
        room = self.options.max_state_bytes // 4
        head_words = self._head_words
        numbers = self._numbers
        length_of = self._length

        def place(item: Any) -> int:
            nonlocal size
            at = size
            size += head_words + length_of(item)
            if size > room:
                raise TooLarge
            todo.append(item)
            return at << 2

        def word(value: Value) -> int:
            if isinstance(value, Obj | Frame):
                at = places.get(id(value))
                if at is None:
                    at = places[id(value)] = place(value)
                return at
            if value is UNBOUND:
                return 0
            if type(value) is int:
                if -SMALL <= value < SMALL:
                    return (value << 2 & _MASK) | 1
                return place(value)
            number = numbers.get((type(value), value))
            if number is None:
                assert isinstance(value, str)
                return place(value)
            return number << 2 | 2

        if self.options.numbering != "heap":
            for each in self._kept(memory):
                places[id(each)] = place(each)
        words += [word(value) for value in memory.globals]
        for thread in memory.threads:
            words += [word(UNBOUND if thread is None else thread), 0]
        at = 0
        while at < len(todo):
            self._write(todo[at], words, word, place)
            at += 1
        for number, frame in enumerate(memory.frames):
            if frame is not None:
                words[2 + len(memory.globals) + 2 * number] = word(frame)
        while at < len(todo):
            self._write(todo[at], words, word, place)
            at += 1
        if all((each + _HALF) & _MASK < 2 * _HALF for each in words):
            return struct.pack(f"<{len(words)}H", *(each & 2 * _HALF - 1 for each in words))
        words[0] |= _WIDE
        return struct.pack(f"<{len(words)}I", *words)

    def _length(self, item: Any) -> int:
        if isinstance(item, Obj):
            if item.kind in _CONTAINERS:
                return 2
            return len(item.fields)
        if isinstance(item, Frame):
            return 3 + (item.generator is not None) + len(item.locals) + len(item.stack)
        if isinstance(item, int):
            return 2
        return len(item)

    def _write(self, item: Any, words: list[int], word: Any, place: Any) -> None:
        def head(kind: Kind, number: int = 0) -> None:
            words.append(self._length(item) << _HEAD | kind)
            if self._head_words == 2:
                words.append(number)

        if isinstance(item, Obj):
            head(item.kind, item.number)
            if item.kind in _CONTAINERS:
                words.append(len(item.fields) << 2 | 1)
                words.append(place(item.fields) if item.fields else 0)
            elif item.kind == Kind.INSTANCE:
                words.append(item.fields[0].number << 2 | 1)
                words.extend(word(value) for value in item.fields[1:])
            else:
                words.extend(word(value) for value in item.fields)
        elif isinstance(item, Frame):
            head(Kind.FRAME)
            words += [item.code << 2 | 1, (item.pc << 3 | item.mode) << 2 | 1]
            words.append(0 if item.back is None else word(item.back))
            if item.generator is not None:
                words.append(word(item.generator))
            words.extend(word(value) for value in item.locals)
            words.extend(word(value) for value in item.stack)
        elif isinstance(item, int):
            head(Kind.INTEGER)
            words += [item & _MASK, item >> 32 & _MASK]
        elif isinstance(item, str):
            head(Kind.STRING)
            words.extend(map(ord, item))
        else:
            head(Kind.ARRAY)
            words.extend(word(value) for value in item)

    # --- objects that keep numbers ------------------------------------------------------------------------------------

    def _kept(self, memory: Memory) -> list[Obj]:
        """Those that collection leaves, by number."""
        if self.options.collection == "none":
            found = {id(each): each for each in memory.objects}
        elif self.options.collection == "count":
            found = _counted(memory)
        else:
            found = {id(each): each for each in reached(memory)}
        return sorted(found.values(), key=lambda each: each.number)

    # --- from bytes ---------------------------------------------------------------------------------------------------

    def decode(self, state: bytes) -> Memory:
        if struct.unpack_from("<H", state)[0] & _WIDE:
            words = struct.unpack(f"<{len(state) // 4}I", state)
            words = (words[0] & ~_WIDE, *words[1:])
        else:
            words = tuple(each & _MASK for each in struct.unpack(f"<{len(state) // 2}h", state))
        made: dict[int, Any] = {}
        constants = self.program.constants
        classes = self.program.classes
        skip = self._head_words

        def value(word: int) -> Value:
            tag = word & 3
            if tag == 1:
                return (word >> 2) - ((word >> 31) << 30)
            if tag == 2:
                return constants[word >> 2]
            if word == 0:
                return UNBOUND
            at = word >> 2
            known = made.get(at)
            return build(at) if known is None else known

        def build(at: int) -> Value:
            head = words[at]
            kind, size = Kind(head & (1 << _HEAD) - 1), head >> _HEAD
            body = words[at + skip : at + skip + size]
            if kind == Kind.INTEGER:
                number = body[0] | body[1] << 32
                return number - (1 << 64) if number >> 63 else number
            if kind == Kind.STRING:
                return "".join(map(chr, body))
            if kind == Kind.FRAME:
                return frame(at, body)
            found = Obj(kind, [])
            made[at] = found
            found.number = at
            if skip == 2:
                found.number = words[at + 1]
                memory.objects.append(found)
            pending.append((found, body))
            return found

        def frame(at: int, body: tuple[int, ...]) -> Frame:
            found = Frame(body[0] >> 2, [])
            made[at] = found
            found.pc, found.mode = body[1] >> 5, body[1] >> 2 & 7
            pending.append((found, body))
            return found

        pending: list[tuple[Any, tuple[int, ...]]] = []
        count = len(self.program.global_names)
        memory = Memory([])
        memory.globals = [value(word) for word in words[1 : 1 + count]]
        for number in range(words[0]):
            at = 1 + count + 2 * number
            thread = value(words[at])
            memory.threads.append(None if thread is UNBOUND else thread)
            memory.frames.append(value(words[at + 1]) if words[at + 1] else None)
        if skip == 2:
            at = 1 + count + 2 * words[0]
            while at < len(words):
                if words[at] & (1 << _HEAD) - 1 > Kind.FRAME:
                    value(at << 2)
                at += skip + (words[at] >> _HEAD)
        while pending:
            item, body = pending.pop()
            if isinstance(item, Frame):
                code = self.program.codes[item.code]
                item.back = value(body[2]) if body[2] else None
                item.generator = value(body[3]) if code.generator else None
                first = 3 + code.generator
                item.locals = [value(word) for word in body[first : first + code.local_count]]
                item.stack = [value(word) for word in body[first + code.local_count :]]
            elif item.kind in _CONTAINERS:
                if body[1]:
                    at = (body[1] >> 2) + skip
                    size = words[body[1] >> 2] >> _HEAD
                    item.fields = [value(word) for word in words[at : at + size]]
            elif item.kind == Kind.INSTANCE:
                item.fields = [classes[body[0] >> 2], *map(value, body[1:])]
            else:
                item.fields = [value(word) for word in body]
        return memory


def parts_of(item: Any) -> Iterator[Any]:
    """Objects and frames that an object or a frame refers to."""
    if isinstance(item, Frame):
        if item.generator is not None:
            yield item.generator
        if item.back is not None:
            yield item.back
        values: list[Value] = item.locals + item.stack
    else:
        values = item.fields
    for value in values:
        if isinstance(value, Obj | Frame):
            yield value


def closure(roots: list[Any], seen: dict[int, Any]) -> Iterator[Any]:
    """Everything that can be reached, unless it was seen."""
    todo = [each for each in roots if isinstance(each, Obj | Frame)]
    while todo:
        item = todo.pop()
        if id(item) in seen:
            continue
        seen[id(item)] = item
        yield item
        todo.extend(parts_of(item))


def reached(memory: Memory) -> list[Obj]:
    roots = [*memory.globals, *memory.threads, *memory.frames]
    return [each for each in closure(roots, {}) if isinstance(each, Obj)]


def _counted(memory: Memory) -> dict[int, Obj]:
    """Objects with a reference to them, counted: what refers to itself in a circle stays."""
    alive: dict[int, Any] = {id(each): each for each in memory.objects}
    frames: dict[int, Any] = {}
    for each in closure([*memory.frames, *memory.objects], {}):
        if isinstance(each, Frame):
            frames[id(each)] = each
    counts: dict[int, int] = {}
    held = [*memory.globals, *memory.threads, *memory.frames]
    for item in (*alive.values(), *frames.values()):
        held.extend(parts_of(item))
    for value in held:
        counts[id(value)] = counts.get(id(value), 0) + 1
    everything = {**alive, **frames}
    todo = [item for key, item in everything.items() if not counts.get(key)]
    while todo:
        item = todo.pop()
        alive.pop(id(item), None)
        for part in parts_of(item):
            counts[id(part)] -= 1
            if not counts[id(part)]:
                todo.append(part)
    return alive


def mark_shared(memory: Memory) -> None:
    """Objects that more than one thread can reach. A thread's own frames are nobody else's."""
    shared: dict[int, Any] = {}
    for item in closure([*memory.globals, *memory.threads], shared):
        if isinstance(item, Obj):
            item.shared = True
    live = [frame for frame in memory.frames if frame is not None]
    if len(live) < 2:
        return
    owner: dict[int, int] = {}
    again: list[Any] = []
    for number, frame in enumerate(live):
        todo: list[Any] = [frame]
        while todo:
            item = todo.pop()
            if id(item) in shared:
                continue
            known = owner.get(id(item))
            if known is None:
                owner[id(item)] = number
                todo.extend(parts_of(item))
            elif known != number:
                again.append(item)
    for item in closure(again, shared):
        if isinstance(item, Obj):
            item.shared = True


def share(value: Value) -> None:
    """From now on other threads can reach it."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, Obj):
            if item.shared:
                continue
            item.shared = True
        elif not isinstance(item, Frame):
            continue
        todo.extend(parts_of(item))
