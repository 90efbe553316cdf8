"""What instrumented code calls before it touches something that others may see.

Every hook gets the object that is about to be touched and gives back what the code goes on with: the same object, or
what stands for it while the program is under control.
"""

from __future__ import annotations

import _asyncio
import asyncio
import sys
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from types import BuiltinMethodType, CellType, FrameType, ModuleType
from typing import Any

from kripke.testing import primitives
from kripke.testing.operation import ACCESS, Operation
from kripke.testing.surroundings import INSTEAD, REAL_LOCKS, twin_of

_SHAPE = "the whole of it"
CONTAINERS = frozenset({list, dict, set, deque, bytearray, defaultdict, OrderedDict})
_KEYED = frozenset({dict, defaultdict, OrderedDict})
#: Values that never change: what is read of them is nobody's business.
CONSTANT = frozenset(
    {
        int,
        float,
        complex,
        bool,
        str,
        bytes,
        tuple,
        frozenset,
        range,
        type(None),
        type(len),
        type(lambda: 0),
        type,
        slice,
    }
)
_READING = frozenset(
    {
        "get", "keys", "values", "items", "copy", "count", "index", "issubset", "issuperset", "isdisjoint", "union",
        "intersection", "difference", "symmetric_difference", "__len__", "__contains__", "__getitem__", "__iter__",
        "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__repr__", "decode", "find", "startswith",
        "endswith", "hex", "__reversed__",
    }
)  # fmt: skip


#: Futures whose code cannot be watched.
C_FUTURES = (_asyncio.Future,)

_PLAIN_KEYS = frozenset({str, int, bytes, bool, float, type(None)})

_Places = tuple[tuple[Any, ...], tuple[Any, ...]]


def _access(reads: tuple[Any, ...], writes: tuple[Any, ...], text: Any, depth: int = 2) -> None:
    run = primitives.present_run
    if run is None or run.alone or primitives.elsewhere():
        return
    frame = sys._getframe(depth)
    if frame.f_code.co_filename in primitives.LIBRARIES:
        if run.watching and frame.f_code.co_filename in primitives.ASYNCIO:
            text = f"{primitives.library_call(frame)}()"
        frame = primitives.caller(frame)
    run.do(Operation(ACCESS, reads, writes, text, frame.f_code, frame.f_lasti))


def _access_now(places: Callable[[], _Places], text: Any, frame: FrameType) -> None:
    """An access whose places depend on the state in which it is done."""
    run = primitives.present_run
    if run is None or run.alone or primitives.elsewhere():
        return
    if frame.f_code.co_filename in primitives.LIBRARIES:
        if run.watching and frame.f_code.co_filename in primitives.ASYNCIO:
            text = f"{primitives.library_call(frame)}()"
        frame = primitives.caller(frame)
    operation = Operation(ACCESS, (), (), text, frame.f_code, frame.f_lasti)
    operation.places = places
    operation.look_again()
    run.do(operation)


def read_attribute(target: Any, name: str) -> Any:
    kind = type(target)
    if kind in CONSTANT or kind in CONTAINERS or primitives.present_run is None:
        return target
    if kind in REAL_LOCKS:
        return target if primitives.elsewhere() else twin_of(target)
    if name == "__dict__":
        _link(primitives.present_run, target)
        return target
    if kind is ModuleType:
        if name in written_names:
            _access(((primitives.present_run.keep(target.__dict__), name),), (), f"reads {name}")
        else:
            skipped_names.add(name)
        return target
    if name in written_names:
        _access(((primitives.present_run.keep(target), name),), (), _words("reads", target, name))
    else:
        skipped_names.add(name)
    return target


def _link(run: Any, target: Any) -> None:
    """Who reads or writes keys of ``object.__dict__`` touches attributes of the object."""
    names = getattr(target, "__dict__", None)
    if type(names) is dict and id(names) not in run.dictionaries:
        run.dictionaries[id(names)] = names, run.keep(target if type(target) is not ModuleType else names)


def _write_names(run: Any, target: Any, *keys: Any) -> None:
    """Keys of such a dictionary are about to be written: the attributes of these names are."""
    if id(target) in run.dictionaries:
        for key in keys:
            if isinstance(key, str):
                note_written(key)


def write_attribute(target: Any, name: str) -> Any:
    run = primitives.present_run
    if run is None:
        return target
    if run.alone or primitives.elsewhere():
        return target
    place = (run.keep(target.__dict__ if type(target) is ModuleType else target), name)
    _access((), (place,), _words("writes", target, name))
    if name == "_locked" and isinstance(target, asyncio.Lock):
        run.holders[place[0]] = run.present
    return target


def read_global(name: str) -> None:
    run = primitives.present_run
    if run is not None and not run.alone and not primitives.elsewhere():
        _access(((run.keep(sys._getframe(1).f_globals), name),), (), f"reads {name}")


def write_global(name: str) -> None:
    run = primitives.present_run
    if run is not None and not run.alone and not primitives.elsewhere():
        _access((), ((run.keep(sys._getframe(1).f_globals), name),), f"writes {name}")


def loaded(value: Any) -> Any:
    """What stands for a function or class that was loaded by name."""
    if primitives.present_run is None:
        return value
    found = INSTEAD.get(id(value))
    if found is not None:
        return value if primitives.elsewhere() else found
    return _WATCHED.get(id(value), value)


def read_cell(cell: CellType, name: str) -> None:
    run = primitives.present_run
    if run is not None:
        _access(((run.keep(cell), ""),), (), f"reads {name}")


def write_cell(cell: CellType, name: str) -> None:
    run = primitives.present_run
    if run is not None:
        _access((), ((run.keep(cell), ""),), f"writes {name}")


def read_item(target: Any, key: Any) -> None:
    run = primitives.present_run
    if run is None or type(target) not in CONTAINERS:
        return
    identity = run.keep(target)
    _access(_item(identity, target, key), (), lambda: f"reads [{key!r}]")


def write_item(target: Any, key: Any) -> None:
    run = primitives.present_run
    if run is None or type(target) not in CONTAINERS:
        return
    identity = run.keep(target)
    _write_names(run, target, key)
    written = _item(identity, target, key)

    def places() -> _Places:
        """A new key changes the whole of it too."""
        return (), written if dict.__contains__(target, key) else (*written, (identity, _SHAPE))

    words = lambda: f"writes [{key!r}]"  # noqa: E731
    if type(target) in _KEYED and written[0][1] is not _SHAPE:
        _access_now(places, words, sys._getframe(1))
    else:
        _access((), written, words)


def delete_item(target: Any, key: Any) -> None:
    run = primitives.present_run
    if run is None or type(target) not in CONTAINERS:
        return
    identity = run.keep(target)
    _write_names(run, target, key)
    _access((), (*_item(identity, target, key), (identity, _SHAPE)), lambda: f"deletes [{key!r}]")


def look_in(target: Any, key: Any) -> None:
    """``key in target``."""
    run = primitives.present_run
    if run is None or type(target) not in CONTAINERS:
        return
    identity = run.keep(target)
    place = _item(identity, target, key) if type(target) in _KEYED else ((identity, _SHAPE),)
    _access(place, (), lambda: f"looks whether {key!r} is in it")


def _item(identity: int, target: Any, key: Any) -> tuple[Any, ...]:
    """The place of one key of a mapping; everything else is touched as a whole. So is what is under a key whose hash is
    its address or its own affair: the next run would not find the same place."""
    if type(target) in _KEYED and _is_plain(key):
        run = primitives.present_run
        if run is not None and run.dictionaries:
            linked = run.dictionaries.get(id(target))
            if linked is not None:
                return ((identity, ("item", key)), (linked[1], key))
        return ((identity, ("item", key)),)
    return ((identity, _SHAPE),)


def _is_plain(key: Any) -> bool:
    kind = type(key)
    return kind in _PLAIN_KEYS or (kind is tuple and all(map(_is_plain, key)))


def _all_of(identity: int, target: Any) -> tuple[Any, ...]:
    if type(target) in _KEYED:
        return ((identity, _SHAPE), *(place for key in list(target) for place in _item(identity, target, key)))
    return ((identity, _SHAPE),)


def operate(target: Any, other: Any, changes: bool) -> None:
    """A binary operator or comparison: of containers it reads everything, in place it writes the left one."""
    run = primitives.present_run
    if run is None:
        return
    kinds = type(target), type(other)
    if kinds[0] not in CONTAINERS and kinds[1] not in CONTAINERS:
        return
    one = run.keep(target) if kinds[0] in CONTAINERS else 0
    two = run.keep(other) if kinds[1] in CONTAINERS else 0

    def places() -> _Places:
        touched = _all_of(one, target) if kinds[0] in CONTAINERS else ()
        reads = _all_of(two, other) if kinds[1] in CONTAINERS else ()
        return (reads, touched) if changes else (touched + reads, ())

    _access_now(places, "changes it" if changes else "compares", sys._getframe(1))


def method(target: Any, name: str) -> Any:
    """``target.name``, which is about to be called."""
    run = primitives.present_run
    if run is None or primitives.elsewhere():
        return getattr(target, name)
    kind = type(target)
    if kind in REAL_LOCKS:
        return getattr(twin_of(target), name)
    if kind in CONTAINERS:
        return _method_of_container(run, target, name)
    if isinstance(target, C_FUTURES):
        state = ((run.keep(target), "state"),)
        reads = name in ("done", "result", "exception", "cancelled", "get_loop", "get_name", "get_coro")
        _access(state if reads else (), () if reads else state, f"calls {name}")
    elif name not in written_names:
        skipped_names.add(name)
    elif kind not in CONSTANT and kind is not ModuleType:
        _access(((run.keep(target), name),), (), _words("reads", target, name))
    found = getattr(target, name)
    if type(found) is BuiltinMethodType and type(found.__self__) in REAL_LOCKS:
        return getattr(twin_of(found.__self__), name)
    if kind is ModuleType or kind is type:
        return loaded(found)
    return found


def _method_of_container(run: Any, target: Any, name: str) -> Callable[..., Any]:
    found = getattr(target, name)
    identity = run.keep(target)
    frame = sys._getframe(2)

    def called(*args: Any, **kwargs: Any) -> Any:
        changed: list[Any] = []
        if run.dictionaries and id(target) in run.dictionaries and name not in _READING:
            changed = [*target, *kwargs]
            for given in args:
                changed += given if type(given) in _KEYED else [given]
            _write_names(run, target, *changed)

        def places() -> _Places:
            if changed:
                keys = (place for key in changed for place in _item(identity, target, key))
                return (), ((identity, _SHAPE), *keys)
            if type(target) in _KEYED and args:
                if name in ("get", "__getitem__", "__contains__"):
                    return _item(identity, target, args[0]), ()
                if name in ("pop", "setdefault", "__setitem__", "__delitem__"):
                    return (), (*_item(identity, target, args[0]), (identity, _SHAPE))
            everything = _all_of(identity, target)
            return (everything, ()) if name in _READING else ((), everything)

        _access_now(places, f"calls {name}", frame)
        return found(*args, **kwargs)

    return called


class _Iteration:
    """An iterator over a container that tells what it reads."""

    __slots__ = ("_frame", "_inside", "_target")

    def __init__(self, target: Any, frame: FrameType) -> None:
        self._target = target
        self._inside = iter(target)
        self._frame = frame

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        run = primitives.present_run
        if run is not None:
            target = self._target
            identity = run.keep(target)
            _access_now(lambda: (_all_of(identity, target), ()), "takes the next of it", self._frame)
        return next(self._inside)

    def __length_hint__(self) -> int:
        hint: int = self._inside.__length_hint__()
        return hint


def iterate(target: Any) -> Any:
    """``iter(target)``."""
    if primitives.present_run is None or primitives.elsewhere() or type(target) not in CONTAINERS:
        return iter(target)
    return _Iteration(target, sys._getframe(1))


def awaited(target: Any) -> None:
    """``await target``: of a future written in C, its state is read, and somebody waits for it."""
    run = primitives.present_run
    if run is not None and isinstance(target, C_FUTURES):
        _access((), ((run.keep(target), "state"),), "awaits it")


def manager(target: Any) -> Any:
    """What a ``with`` statement enters."""
    if type(target) in REAL_LOCKS and not primitives.elsewhere():
        return twin_of(target)
    return target


def count() -> None:
    """One more turn of a ``for`` loop, which is not in the state it was in before."""
    run = primitives.present_run
    if run is not None and not primitives.elsewhere():
        run.count_turn()


def turn() -> None:
    """One more turn of a loop: a run that turns for ever without touching anything is ended."""
    _turn(2)


def turn_if(value: Any, when: str) -> None:
    """A turn if the loop goes on. Only values of built-in types are asked whether they are true: others may be asked
    only once, and are, after this."""
    kind = type(value)
    if when in ("TRUE", "FALSE"):
        goes_on = (kind in CONSTANT or kind in CONTAINERS) and bool(value) is (when == "TRUE")
    else:
        goes_on = (value is None) is (when == "NONE")
    if goes_on:
        _turn(2)


def _turn(depth: int) -> None:
    run = primitives.present_run
    if run is not None and not primitives.elsewhere():
        run.turn(sys._getframe(depth))


def _watched(function: Callable[..., Any]) -> Callable[..., Any]:
    """A built-in function that reads what it is given."""

    def called(*args: Any, **kwargs: Any) -> Any:
        run = primitives.present_run
        if run is not None and not primitives.elsewhere():
            read = [argument for argument in args if type(argument) in CONTAINERS]
            if read:
                numbers = [run.keep(argument) for argument in read]
                _access_now(
                    lambda: (
                        tuple(
                            place for number, each in zip(numbers, read, strict=True) for place in _all_of(number, each)
                        ),
                        (),
                    ),
                    f"calls {function.__name__}",
                    sys._getframe(1),
                )
        return function(*args, **kwargs)

    return called


def _get(target: Any, name: str, *default: Any) -> Any:
    if isinstance(name, str):
        target = _of_name(target, name, False)
    return getattr(target, name, *default)


def _has(target: Any, name: str) -> bool:
    if isinstance(name, str):
        target = _of_name(target, name, False)
    return hasattr(target, name)


def _set(target: Any, name: str, value: Any) -> None:
    if isinstance(name, str):
        target = _of_name(target, name, True)
    setattr(target, name, value)


def _vars(*target: Any) -> Any:
    run = primitives.present_run
    if run is not None and target and not primitives.elsewhere():
        _link(run, target[0])
        return vars(*target)
    return vars(*target) if target else sys._getframe(1).f_locals


def _of_name(target: Any, name: str, writes: bool) -> Any:
    run = primitives.present_run
    if run is None or type(target) in CONSTANT or type(target) in CONTAINERS:
        return target
    if writes:
        note_written(name)
    place = ((run.keep(target.__dict__ if type(target) is ModuleType else target), name),)
    _access(() if writes else place, place if writes else (), _words("writes" if writes else "reads", target, name), 3)
    return target


_WATCHED: dict[int, Any] = {
    id(function): _watched(function) for function in (len, sorted, sum, min, max, any, all, repr, print, next, iter)
} | {id(getattr): _get, id(hasattr): _has, id(setattr): _set, id(vars): _vars}

#: Classes are not replaced (``isinstance`` and annotations must go on to work): instrumented code calls these instead.
WATCHED_TYPES: dict[int, Callable[..., Any]] = {
    id(kind): _watched(kind)
    for kind in (list, tuple, set, dict, frozenset, str, bool, enumerate, zip, map, filter, reversed)
}

#: Attributes and globals that some instrumented code writes: reading any other cannot be disturbed.
written_names: set[str] = set()
#: Attributes that were read as ones that nobody writes.
skipped_names: set[str] = set()
#: Something that was read so is written after all: the run did not stop where it should have.
incomplete = False


def forget_names() -> None:
    global incomplete
    written_names.clear()
    skipped_names.clear()
    incomplete = False


def note_written(name: str) -> None:
    global incomplete
    if name not in written_names:
        written_names.add(name)
        incomplete = incomplete or name in skipped_names


def callee(value: Any) -> Any:
    """What a name stands for that is about to be called."""
    if primitives.present_run is None:
        return value
    found = WATCHED_TYPES.get(id(value))
    return found if found is not None else loaded(value)


def _words(verb: str, target: Any, name: str) -> Callable[[], str]:
    def words() -> str:
        owner = target.__name__ if isinstance(target, (type, ModuleType)) else type(target).__name__
        return f"{verb} {owner}.{name}"

    return words
