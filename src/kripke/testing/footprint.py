"""What a block of a coroutine touched, in words that mean the same in other runs with the same beginning.

A block, from one ``await`` to the next, is one step, and what it touches is known only once it was done. A task that
sleeps (Godefroid's sleep sets) would do again what it did when it was tried, so its footprint of then is asked. Objects
are numbered in the order in which a run touches them: those that were known before the block have the same number in
both runs. Of others only the type is the same, so two of them count as one if their types are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from kripke.testing.operation import Operation, Place
    from kripke.testing.run import Run

Name = tuple[Any, Any]


class Footprint(NamedTuple):
    """Names of the places that a block read and wrote; ``known`` objects had a number before it."""

    known: int
    reads: frozenset[Name]
    writes: frozenset[Name]

    def depends_on(self, run: Run, operation: Operation) -> bool:
        """Does the operation of this run touch what the block touches, one of them writing?"""
        if operation.unknown:
            return True
        written = names(run, self.known, operation.writes)
        if not self.writes.isdisjoint(written) or not self.reads.isdisjoint(written):
            return True
        return not self.writes.isdisjoint(names(run, self.known, operation.reads))


def footprint_of(run: Run, operation: Operation) -> Footprint:
    known = operation.known
    return Footprint(
        known, frozenset(names(run, known, operation.reads)), frozenset(names(run, known, operation.writes))
    )


def names(run: Run, known: int, places: Iterable[Place]) -> set[Name]:
    found: set[Name] = set()
    for number, key in places:
        found.add((number, key) if number < known else (run.kind_of(number), key))
    return found
