"""What instrumented code calls before it touches something that others may see.

Every hook gets the object that is about to be touched and gives back what the code goes on with: the same object, or
what stands for it while the program is under control.
"""

from __future__ import annotations

import _asyncio
import asyncio
import os
import sys
import weakref
from collections import defaultdict
from collections.abc import Callable
from types import BuiltinMethodType, CellType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from kripke.testing import primitives
from kripke.testing.operation import ACCESS, Operation
from kripke.testing.places import (
    ATOMS,
    CONSTANT,
    CONTAINERS,
    SHAPE,
    Places,
    all_of,
    behind,
    is_container,
    is_keyed,
    is_plain,
    item,
    looked_at,
    reached,
)
from kripke.testing.surroundings import INSTEAD, REAL_LOCKS, twin_of

_READING = frozenset(
    {
        "get", "keys", "values", "items", "copy", "count", "index", "issubset", "issuperset", "isdisjoint", "union",
        "intersection", "difference", "symmetric_difference", "__len__", "__contains__", "__getitem__", "__iter__",
        "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__repr__", "decode", "find", "startswith",
        "endswith", "hex", "__reversed__", "tolist", "tobytes", "buffer_info",
    }
)  # fmt: skip


#: Futures whose code cannot be watched.
C_FUTURES = (_asyncio.Future,)


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


def access_now(places: Callable[[], Places], text: Any, frame: FrameType) -> None:
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
    if operation.reads or operation.writes:
        run.do(operation)


def read_attribute(target: Any, name: str) -> Any:
    kind = type(target)
    run = primitives.present_run
    if kind in CONSTANT or kind in CONTAINERS or run is None:
        return target
    if kind in REAL_LOCKS:
        return target if primitives.elsewhere() else twin_of(target)
    if name == "__dict__":
        _link(run, target)
        return target
    if name in written_names:
        _access(_attribute(run, target, name), (), _words("reads", target, name))
    else:
        skipped_names.add(name)
    return target


def _attribute(run: Any, target: Any, name: str) -> tuple[Any, ...]:
    """Where an attribute is looked for: in the object, in its class and what that is made of."""
    if type(target) is ModuleType:
        return ((run.keep(target.__dict__), name),)
    own = (run.keep(target), name)
    if name not in names_of_classes:
        looked_for_in_objects.add(name)
        return (own,)
    classes = target.__mro__ if isinstance(target, type) else type(target).__mro__
    return (own, *((run.keep(each), name) for each in classes if each is not target))


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
    if isinstance(target, type):
        _note_written_on_class(name)
    _access((), (place,), _words("writes", target, name))
    if name == "_locked" and isinstance(target, asyncio.Lock):
        run.holders[place[0]] = run.present
    return target


def write_attribute_of(target: Any, name: Any) -> None:
    """``object.__setattr__(target, name, value)``."""
    if isinstance(name, str):
        note_written(name)
        write_attribute(target, name)


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
    return REPLACED_FUNCTIONS.get(id(value), value)


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
    kind = type(target)
    if run is None or kind in CONSTANT or run.alone:
        return
    if not is_container(kind):
        _read_all_of(run, target, lambda: f"reads [{key!r}]")
        return
    identity = run.keep(target)
    if kind is defaultdict and is_plain(key):

        def places() -> Places:
            """A key that is not there yet is made."""
            return (
                (item(identity, target, key), ())
                if key in target
                else ((), (*item(identity, target, key), (identity, SHAPE)))
            )

        if type(target.default_factory) is FunctionType:
            run.not_all("a defaultdict whose values are made by a function: what that does is not one step with it")
        access_now(places, lambda: f"reads [{key!r}]", sys._getframe(1))
        return
    access_now(lambda: (looked_at(identity, target, key), ()), lambda: f"reads [{key!r}]", sys._getframe(1))


def _read_all_of(run: Any, target: Any, words: Any, *, writes: bool = False) -> None:
    """An object written in C, or one whose class may do anything."""
    if primitives.elsewhere() or is_watched_class(type(target)):
        return
    if type(target).__module__ in WEAK:
        touch_weak(run, target, "", writes=writes)
        return

    def places() -> Places:
        found = reached(run, target, written_names=written_names, skipped_names=skipped_names)
        return ((), found) if writes else (found, ())

    access_now(places, words, sys._getframe(2))


DIED = "whether an object has died is asked of a weak reference, and nothing says which step lets it die"
WEAK = frozenset({"weakref", "_weakrefset"})
#: What asks for a key that the caller has: it is alive.
_BY_KEY = frozenset({"", "get", "setdefault", "pop", "add", "discard", "remove", "__getitem__", "__contains__"})


def touch_weak(run: Any, target: Any, method: str, *, writes: bool) -> None:
    """A mapping or set of weak references. What earlier runs left in it is not looked at."""
    if type(target) not in (weakref.WeakKeyDictionary, weakref.WeakSet) or method not in _BY_KEY:
        run.not_all(DIED)
    places = ((run.keep(target), SHAPE),)
    _access(() if writes else places, places if writes else (), f"looks into {type(target).__name__}", 3)


#: Classes whose special methods are code that is watched, or of no interest.
_watched_classes: dict[type, bool] = {}
_SPECIAL = ("__getitem__", "__setitem__", "__contains__", "__iter__", "__next__", "__eq__", "__add__", "__len__")


def is_watched_class(kind: type) -> bool:
    found = _watched_classes.get(kind)
    if found is None:
        methods = [getattr(kind, name, None) for name in _SPECIAL]
        found = kind not in CONSTANT and all(
            method in (None, object.__eq__) or (type(method) is FunctionType and is_watched_code(method.__code__))
            for method in methods
        )
        _watched_classes[kind] = found
    return found


#: Code that was instrumented, by identity; it is kept alive elsewhere.
instrumented: set[int] = set()
_OWN = os.path.dirname(__file__) + os.sep


def is_watched_code(code: CodeType) -> bool:
    """Code of the program, of libraries that are instrumented, and of ours."""
    file = code.co_filename
    return id(code) in instrumented or file.startswith(_OWN) or file in primitives.LIBRARIES


def entered() -> None:
    """Code of the program begins or goes on: where code in C called it, what that does is seen by others now."""
    run = primitives.present_run
    if run is not None and run.present is not None and run.present.foreign:
        _in_between(run, "is called by what it called")


def left() -> None:
    """It goes back there."""
    run = primitives.present_run
    if run is not None and run.present is not None and run.present.foreign:
        _in_between(run, "goes back to what called it")


def _in_between(run: Any, words: str) -> None:
    frame = sys._getframe(2)
    caller = frame.f_back
    while caller is not None and caller.f_code.co_filename == FIRST_CALLS:
        caller = caller.f_back
    by, places = run.present.foreign[-1]
    if caller is by:
        access_now(places, words, frame)


#: Where functions are that call others for the first time.
FIRST_CALLS = os.path.join(_OWN, "instrument.py")


def write_item(target: Any, key: Any) -> None:
    run = primitives.present_run
    kind = type(target)
    if run is None or kind in CONSTANT or run.alone:
        if run is not None and kind is dict:
            _write_names(run, target, key)
        return
    if not is_container(kind):
        _read_all_of(run, target, lambda: f"writes [{key!r}]", writes=True)
        return
    identity = run.keep(target)
    _write_names(run, target, key)
    written = item(identity, target, key)

    def places() -> Places:
        """A new key changes the whole of it too."""
        return (), written if dict.__contains__(target, key) else (*written, (identity, SHAPE))

    words = lambda: f"writes [{key!r}]"  # noqa: E731
    if is_keyed(kind) and written[0][1] is not SHAPE:
        access_now(places, words, sys._getframe(1))
    else:
        _access((), written, words)


def delete_item(target: Any, key: Any) -> None:
    run = primitives.present_run
    kind = type(target)
    if run is None or kind in CONSTANT:
        return
    if not is_container(kind):
        _read_all_of(run, target, lambda: f"deletes [{key!r}]", writes=True)
        return
    identity = run.keep(target)
    _write_names(run, target, key)
    _access((), (*item(identity, target, key), (identity, SHAPE)), lambda: f"deletes [{key!r}]")


def read_slice(target: Any) -> None:
    """``target[a:b]``."""
    run = primitives.present_run
    if run is not None and is_container(type(target)):
        _access(((run.keep(target), SHAPE),), (), "reads a slice")


def write_slice(target: Any) -> None:
    """``target[a:b] = value``."""
    run = primitives.present_run
    if run is not None and is_container(type(target)):
        _access((), ((run.keep(target), SHAPE),), "writes a slice")


def look_whether(target: Any) -> None:
    """``if target``, ``not target``: of a container, whether there is anything in it."""
    kind = type(target)
    if kind in ATOMS:
        return
    run = primitives.present_run
    if run is not None and is_container(kind):
        _access(((run.keep(target), SHAPE),), (), "looks whether it is empty")


def show(value: Any) -> None:
    """``f"{value}"``: everything that is in it is read."""
    run = primitives.present_run
    if run is not None and not run.alone and type(value) not in ATOMS:
        _read_all_of(run, value, "shows it")


def matched(subject: Any) -> None:
    """``match subject``: how many items there are, and which keys."""
    run = primitives.present_run
    if run is not None and not run.alone and is_container(type(subject)):
        identity = run.keep(subject)
        access_now(lambda: (all_of(identity, subject), ()), "is matched", sys._getframe(1))


def matched_class(subject: Any, cls: Any, names: tuple[str, ...], count: int) -> None:
    """``case Class(a, name=b)``: these attributes are read."""
    for name in (*getattr(cls, "__match_args__", ())[:count], *names):
        read_attribute(subject, name)


def superclass_object(given: tuple[Any, Any, Any], has_arguments: bool) -> Any:
    """What ``super()`` gives, whatever ``super`` stands for there."""
    made, cls, target = given
    return made(cls, target) if has_arguments or made is super else made()


def look_in(target: Any, key: Any) -> None:
    """``key in target``."""
    run = primitives.present_run
    target = behind(target)
    kind = type(target)
    if run is None or run.alone or kind in ATOMS:
        return
    if not is_container(kind) or (type(key) not in ATOMS and not is_keyed(kind)):
        _read_all_of(run, (target, key), lambda: f"looks whether {key!r} is in it")
        return
    identity = run.keep(target)
    words = lambda: f"looks whether {key!r} is in it"  # noqa: E731
    access_now(lambda: (looked_at(identity, target, key), ()), words, sys._getframe(1))


def operate(target: Any, other: Any, changes: bool) -> None:
    """A binary operator or comparison: of containers it reads everything, in place it writes the left one."""
    run = primitives.present_run
    if run is None or run.alone:
        return
    target, other = behind(target), behind(other)
    kinds = type(target), type(other)
    if kinds[0] in ATOMS and kinds[1] in ATOMS:
        return
    read = tuple(
        value
        for value, kind in zip((target, other), kinds, strict=True)
        if kind not in ATOMS and not is_watched_class(kind)
    )
    if not read:
        return
    is_changed = changes and read[0] is target and kinds[0] not in CONSTANT
    one = run.keep(target) if is_changed else 0

    def places() -> Places:
        reads = reached(run, *read, written_names=written_names, skipped_names=skipped_names)
        if not is_changed:
            return reads, ()
        return reads, all_of(one, target) if is_container(kinds[0]) else ((one, SHAPE),)

    access_now(places, "changes it" if changes else "compares", sys._getframe(1))


def method(target: Any, name: str) -> Any:
    """``target.name``, which is about to be called."""
    run = primitives.present_run
    if run is None or primitives.elsewhere():
        return getattr(target, name)
    kind = type(target)
    if kind in REAL_LOCKS:
        return getattr(twin_of(target), name)
    if kind in CONTAINERS:
        return getattr(target, name)
    if isinstance(target, C_FUTURES):
        state = ((run.keep(target), "state"),)
        reads = name in ("done", "result", "exception", "cancelled", "get_loop", "get_name", "get_coro")
        _access(state if reads else (), () if reads else state, f"calls {name}")
    elif name not in written_names:
        skipped_names.add(name)
    elif kind not in CONSTANT and kind is not ModuleType:
        _access(_attribute(run, target, name), (), _words("reads", target, name))
    found = getattr(target, name)
    if type(found) is BuiltinMethodType and type(found.__self__) in REAL_LOCKS:
        return getattr(twin_of(found.__self__), name)
    if kind is ModuleType or kind is type:
        return loaded(found)
    return found


def method_of_container(run: Any, target: Any, name: str, args: Any, kwargs: Any) -> Places:
    """What a method of a container touches that is called now."""
    identity = run.keep(target)
    keyed = is_keyed(type(target))
    if run.dictionaries and id(target) in run.dictionaries and name not in _READING:
        changed: list[Any] = [*target, *kwargs]
        for given in args:
            changed += given if is_keyed(type(given)) else [given]
        _write_names(run, target, *changed)
        keys = (place for key in changed for place in item(identity, target, key))
        return (), ((identity, SHAPE), *keys)
    if keyed and args:
        if name in ("get", "__getitem__", "__contains__"):
            return looked_at(identity, target, args[0]), ()
        if name in ("pop", "setdefault", "__setitem__", "__delitem__"):
            return (), (*item(identity, target, args[0]), (identity, SHAPE))
    everything = all_of(identity, target)
    reads = everything if name in _READING else ()
    if name not in _STORING and any(type(given) not in ATOMS for given in args):
        reads = (*reads, *reached(run, *args, written_names=written_names, skipped_names=skipped_names))
    return reads, () if name in _READING else everything


#: Methods that only put what they are given where it is found.
_STORING = frozenset({"append", "appendleft", "insert", "add", "get", "setdefault", "pop", "__setitem__"})


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
        goes_on = (kind in CONSTANT or is_container(kind)) and bool(value) is (when == "TRUE")
    else:
        goes_on = (value is None) is (when == "NONE")
    if goes_on:
        _turn(2)


def _turn(depth: int) -> None:
    run = primitives.present_run
    if run is not None and not primitives.elsewhere():
        run.turn(sys._getframe(depth))


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


def _delete(target: Any, name: str) -> None:
    if isinstance(name, str):
        target = _of_name(target, name, True)
    delattr(target, name)


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
        if isinstance(target, type):
            _note_written_on_class(name)
        place: tuple[Any, ...] = ((run.keep(target.__dict__ if type(target) is ModuleType else target), name),)
    else:
        place = _attribute(run, target, name)
    _access(() if writes else place, place if writes else (), _words("writes" if writes else "reads", target, name), 3)
    return target


REPLACED_FUNCTIONS: dict[int, Any] = {
    id(getattr): _get,
    id(hasattr): _has,
    id(setattr): _set,
    id(delattr): _delete,
    id(vars): _vars,
}

#: Attributes and globals that some instrumented code writes: reading any other cannot be disturbed.
written_names: set[str] = set()
#: Attributes that were read as ones that nobody writes.
skipped_names: set[str] = set()
#: Attributes that some code writes into a class; those that were looked for in objects alone, as if nobody did.
names_of_classes: set[str] = set()
looked_for_in_objects: set[str] = set()
#: Something that was read so is written after all: the run did not stop where it should have.
incomplete = False


def forget_names() -> None:
    global incomplete
    written_names.clear()
    skipped_names.clear()
    names_of_classes.clear()
    looked_for_in_objects.clear()
    _watched_classes.clear()
    incomplete = False


def _note_written_on_class(name: str) -> None:
    global incomplete
    if name not in names_of_classes:
        names_of_classes.add(name)
        incomplete = incomplete or name in looked_for_in_objects


def note_written(name: str) -> None:
    global incomplete
    if name not in written_names:
        written_names.add(name)
        incomplete = incomplete or name in skipped_names


def callee(value: Any) -> Any:
    """What a name stands for that is about to be called."""
    if primitives.present_run is None:
        return value
    return loaded(value)


def _words(verb: str, target: Any, name: str) -> tuple[str, Any, str]:
    """What an operation says of itself, as far as it costs nothing (``Operation.words``)."""
    return verb, target if isinstance(target, (type, ModuleType)) else type(target), name
