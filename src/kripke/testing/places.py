"""The places that values are: what of an object one step may touch and another see.

Containers are touched by key where they have keys, else as a whole. What code in C or of a library does with a value is
not seen: it may touch whatever can be reached from there.
"""

from __future__ import annotations

import _asyncio
import datetime
import decimal
import gc
import re
from array import array
from collections import OrderedDict, defaultdict, deque
from types import (
    BuiltinFunctionType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    MethodType,
    ModuleType,
    TracebackType,
)
from typing import Any

from kripke.testing import primitives
from kripke.testing.surroundings import REAL_LOCKS

SHAPE = "the whole of it"
#: Of a mapping: keys that are not there yet. Code that is not seen may make any of them, seen by whoever looks for one.
COMING = "keys to come"
#: Files are all one place: who looks whether one is there depends on who makes another.
FILES = (-2, "files")
#: Nothing more than so many objects is looked at for one step.
MOST_REACHED = 2_000

CONTAINERS = frozenset({list, dict, set, deque, bytearray, array, defaultdict, OrderedDict})
KEYED = frozenset({dict, defaultdict, OrderedDict})
_EMPTY: tuple[dict[Any, Any], ...] = ({}, OrderedDict())
_VIEWS = frozenset(type(view) for each in _EMPTY for view in (each.keys(), each.values(), each.items()))
#: Values that have nothing in them, and never change.
ATOMS = frozenset(
    {int, float, complex, bool, str, bytes, range, type(None), slice, type(...), type(NotImplemented)}
) | {
    datetime.date,
    datetime.datetime,
    datetime.time,
    datetime.timedelta,
    datetime.timezone,
    decimal.Decimal,
    re.Pattern,
}
#: Values that never change: what is read of them is nobody's business. What is in them may change.
CONSTANT = ATOMS | {tuple, frozenset, type(len)}
#: Nothing is looked at behind these.
_ENDS = (type, FunctionType, CodeType, ModuleType, FrameType, TracebackType, *REAL_LOCKS)
#: Nor behind what is controlled: others see that by what is done with it.
_CONTROLLED = frozenset(
    {
        "kripke",
        "asyncio",
        "_asyncio",
        "threading",
        "_thread",
        "concurrent",
        "queue",
        "greenlet",
        "_contextvars",
        "socket",
    }
)
_is_end: dict[type, bool] = {}
_PLAIN_KEYS = frozenset({str, int, bytes, bool, float, type(None)})

Places = tuple[tuple[Any, ...], tuple[Any, ...]]

_is_container: dict[Any, bool] = dict.fromkeys(CONTAINERS, True)
_is_keyed: dict[Any, bool] = dict.fromkeys(CONTAINERS, False) | dict.fromkeys(KEYED, True)
_BASES = tuple(CONTAINERS)


def is_container(kind: type) -> bool:
    """Is it one of the containers of Python, or made of one?"""
    found = _is_container.get(kind)
    if found is None:
        found = _is_container[kind] = issubclass(kind, _BASES)
    return found


def is_keyed(kind: type) -> bool:
    found = _is_keyed.get(kind)
    if found is None:
        found = _is_keyed[kind] = issubclass(kind, dict)
    return found


def _ends_here(kind: type) -> bool:
    found = _is_end.get(kind)
    if found is None:
        module = str(getattr(kind, "__module__", "")).partition(".")[0]
        found = issubclass(kind, (*_ENDS, _asyncio.Future)) or module in _CONTROLLED
        _is_end[kind] = found
    return found


def behind(target: Any) -> Any:
    """The container that a view shows; the object itself where it is no view."""
    kind = type(target)
    if kind in _VIEWS:
        return gc.get_referents(target)[0]
    return target.obj if kind is memoryview else target


def is_plain(key: Any) -> bool:
    kind = type(key)
    return kind in _PLAIN_KEYS or (kind is tuple and all(map(is_plain, key)))


def item(identity: int, target: Any, key: Any) -> tuple[Any, ...]:
    """The place of one key of a mapping; everything else is touched as a whole. So is what is under a key whose hash is
    its address or its own affair: the next run would not find the same place."""
    if is_keyed(type(target)) and is_plain(key):
        run = primitives.present_run
        if run is not None and run.dictionaries:
            linked = run.dictionaries.get(id(target))
            if linked is not None:
                return ((identity, ("item", key)), (linked[1], key))
        return ((identity, ("item", key)),)
    return ((identity, SHAPE),)


def looked_at(identity: int, target: Any, key: Any) -> tuple[Any, ...]:
    """What is read by one who looks for a key."""
    found = item(identity, target, key)
    return found if found[0][1] is SHAPE else (*found, (identity, COMING))


def all_of(identity: int, target: Any) -> tuple[Any, ...]:
    if is_keyed(type(target)):
        keys = list(dict.keys(target))
        places = (place for key in keys for place in item(identity, target, key))
        return ((identity, SHAPE), (identity, COMING), *places)
    return ((identity, SHAPE),)


def reached(run: Any, *values: Any, written_names: set[str], skipped_names: set[str]) -> tuple[Any, ...]:
    """All places that can be reached from these values."""
    found: dict[Any, None] = {}
    waiting = list(values)
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        kind = type(value)
        if kind in ATOMS or id(value) in seen or _ends_here(kind):
            continue
        seen.add(id(value))
        if len(seen) > MOST_REACHED:
            run.not_all(f"a call was given more than {MOST_REACHED:,} objects, of which not all were looked at")
            break
        if kind is tuple or kind is frozenset:
            waiting.extend(value)
            continue
        value = behind(value)
        if kind is MethodType:
            waiting.append(value.__self__)
            continue
        if kind is BuiltinFunctionType:
            waiting.append(value.__self__)
            continue
        # What the run has not touched yet nobody else has touched: while others are asked, it gets no number.
        number = run.keep(value) if run.numbering else run.numbers.get(id(value))
        if is_container(type(value)):
            if number is not None:
                found.update(dict.fromkeys(all_of(number, value)))
            if is_keyed(type(value)):
                waiting.extend(dict.values(value))
                waiting.extend(key for key in dict.keys(value) if type(key) not in _PLAIN_KEYS)
            elif type(value) is not bytearray and not isinstance(value, (bytearray, array)):
                waiting.extend(list(value) if type(value) in CONTAINERS else gc.get_referents(value))
        elif number is not None:
            found[(number, SHAPE)] = None
        attributes = _attributes(value)
        for name, held in attributes.items():
            if name in written_names:
                if number is not None:
                    found[(number, name)] = None
            else:
                skipped_names.add(name)
            waiting.append(held)
        if not attributes and not is_container(type(value)) and kind is not GeneratorType and kind is not CoroutineType:
            waiting.extend(gc.get_referents(value))
    return tuple(found)


def _attributes(value: Any) -> dict[str, Any]:
    """What is in its attributes, without running code of the program."""
    is_usual = getattr(type(value), "__getattribute__", None) is object.__getattribute__
    found: dict[str, Any] = dict(getattr(value, "__dict__", None) or {}) if is_usual else {}
    for cls in type(value).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            member = cls.__dict__.get(name)
            if member is not None and type(member).__name__ == "member_descriptor":
                found[name] = _in_slot(member, value)
    return found


def _in_slot(member: Any, value: Any) -> Any:
    try:
        return member.__get__(value)
    except AttributeError:
        return None
