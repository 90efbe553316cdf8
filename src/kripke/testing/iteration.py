"""Iteration over what others may change, and over iterators that others may take from too.

An iterator in C has a position, and goes over containers. Taking the next of it touches all of these.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from types import BuiltinMethodType, FrameType, FunctionType, GeneratorType
from typing import Any

from kripke._native import Iteration
from kripke.testing import hooks, primitives
from kripke.testing.places import ATOMS, CONSTANT, SHAPE, Places, all_of, behind, is_container, is_keyed, reached


class _Iteration:
    """An iterator that tells what it reads."""

    __slots__ = ("_calls_back", "_frame", "_inside", "_places")

    def __init__(self, inside: Any, places: Callable[[], Places], frame: FrameType) -> None:
        self._inside = inside
        self._places = places
        self._frame = frame
        self._calls_back = type(inside) in _CALL_BACK

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        hooks.access_now(self._places, "takes the next of it", self._frame)
        run = primitives.present_run
        if not self._calls_back or run is None:
            return next(self._inside)
        task, before = run.present, len(run.steps)
        task.foreign.append((sys._getframe(), self._places))
        try:
            return next(self._inside)
        finally:
            task.foreign.pop()
            if len(run.steps) != before:
                hooks.access_now(self._places, "has the next of it", self._frame)

    def __length_hint__(self) -> int:
        hint: int = self._inside.__length_hint__()
        return hint


#: Iterators that run code of the program.
_CALL_BACK = (GeneratorType, map, filter)
#: The one in C is for containers without keys, whose next is always at the same place.
_ITERATIONS = (_Iteration, Iteration)


def is_lazy(kind: type) -> bool:
    """Is it an iterator whose code is not watched?"""
    found = getattr(kind, "__next__", None)
    return found is not None and type(found) is not FunctionType


def places_of_iterator(run: Any, iterator: Any) -> Places:
    """What taking the next of it touches: its own position, and what it goes over."""
    reads: list[Any] = []
    writes: list[Any] = []
    waiting = [iterator]
    while waiting:
        value = waiting.pop()
        kind = type(value)
        if kind in _ITERATIONS:
            found = value._places()
            reads += found[0]
            writes += found[1]
            continue
        value = behind(value)
        number = run.keep(value) if run.numbering else run.numbers.get(id(value))
        if is_container(type(value)):
            if number is not None:
                reads += all_of(number, value)
        elif kind is tuple:
            waiting.extend(value)
        elif is_lazy(kind):
            if number is not None:
                writes.append((number, SHAPE))
            if kind is not GeneratorType:
                waiting.extend(gc.get_referents(value))
        elif kind is BuiltinMethodType:
            writes += reached(run, value, written_names=hooks.written_names, skipped_names=hooks.skipped_names)
    return tuple(reads), tuple(writes)


def _is_private(iterator: Any) -> bool:
    """Does nobody else have it, or what it goes over?"""
    waiting = gc.get_referents(iterator) if type(iterator) is not GeneratorType else []
    while waiting:
        value = waiting.pop()
        kind = type(value)
        if kind is tuple:
            waiting.extend(value)
        elif is_lazy(kind):
            if kind in _ITERATIONS or sys.getrefcount(value) > 3:
                return False
            if kind is not GeneratorType:
                waiting.extend(gc.get_referents(value))
        elif kind not in CONSTANT and type(value) is not FunctionType and not isinstance(value, type):
            return False
    return True


def iterate(target: Any) -> Any:
    """``iter(target)``."""
    run = primitives.present_run
    if run is None or primitives.elsewhere():
        return iter(target)
    kind = type(target)
    if kind in _ITERATIONS or kind in ATOMS or kind is tuple or kind is frozenset:
        return iter(target)
    shown = behind(target)
    frame = sys._getframe(1)
    if is_container(type(shown)):
        # The iterator remembers how many there were when it was made.
        identity = run.keep(shown)
        places: Callable[[], Places] = lambda: (all_of(identity, shown), ())  # noqa: E731
        hooks.access_now(places, "begins to go over it", frame)
        inside = iter(target)
        if is_keyed(type(shown)) or type(inside) in _CALL_BACK:
            return _Iteration(inside, places, frame)
        return Iteration(inside, places, frame, identity, hooks.access_now)
    if kind.__module__ in hooks.WEAK and not run.alone:
        hooks.touch_weak(run, target, "__iter__", writes=False)
    if not is_lazy(kind) or (sys.getrefcount(target) <= 2 and _is_private(target)):
        return iter(target)
    run.keep(target)
    return _Iteration(iter(target), lambda: places_of_iterator(run, target), frame)


def delegate(target: Any) -> Any:
    """``yield from target``."""
    return iterate(target) if is_container(type(behind(target))) else target
