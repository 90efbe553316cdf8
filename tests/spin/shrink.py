"""Make a program that shows a difference smaller, line by line, as long as it still shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from time import monotonic

from tests.spin.terms import Line


def shrink(lines: list[Line], still_fails: Callable[[list[Line]], bool], seconds: float = 120.0) -> list[Line]:
    """Remove lines, or lift what is nested in them, while ``still_fails`` holds and time is left."""
    late = monotonic() + seconds
    smaller = True
    while smaller:
        smaller = False
        for candidate in _candidates(lines):
            if monotonic() > late:
                return lines
            if still_fails(candidate):
                lines, smaller = candidate, True
                break
    return lines


def _paths(lines: list[Line], path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Every place in the tree, outer ones first."""
    for number, _ in enumerate(lines):
        yield (*path, number)
    for number, line in enumerate(lines):
        yield from _paths(line.children, (*path, number))


def _candidates(lines: list[Line]) -> Iterator[list[Line]]:
    places = list(_paths(lines))
    for path in places:
        copy, siblings = _siblings(lines, path)
        del siblings[path[-1]]
        yield copy
    for path in places:
        copy, siblings = _siblings(lines, path)
        line = siblings[path[-1]]
        label = line.text.partition(": ")
        if label[1] and "::" not in line.text and label[0].isalnum():
            line.text = label[2]
            yield copy
    for path in places:
        copy, siblings = _siblings(lines, path)
        line = siblings[path[-1]]
        if line.children and not line.text.startswith(
            ("proctype", "D_proctype", "active", "init", "inline", "typedef", "::")
        ):
            inner = line.children
            if inner[0].text == "::":
                for option in inner:
                    shorter, same = _siblings(lines, path)
                    same[path[-1] : path[-1] + 1] = deepcopy(option.children)
                    yield shorter
            else:
                siblings[path[-1] : path[-1] + 1] = inner
                yield copy


def _siblings(lines: list[Line], path: tuple[int, ...]) -> tuple[list[Line], list[Line]]:
    """A copy of the program, and in it the list that holds the place."""
    copy = deepcopy(lines)
    siblings = copy
    for number in path[:-1]:
        siblings = siblings[number].children
    return copy, siblings
