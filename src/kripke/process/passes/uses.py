"""Which variables an operation reads and writes, as far as dead-variable analysis is concerned.

Only plain local variables count: of an array or structure it is not known statically which part is meant.
"""

from __future__ import annotations

from collections.abc import Callable

from kripke.process.expressions import Bind, Place, Read
from kripke.process.program import (
    Assign,
    DeterministicStep,
    Operation,
    Receive,
    Reset,
    Run,
    Scope,
    Variable,
)
from kripke.process.rewrite import parts_of


def tracked(variable: Variable) -> bool:
    """Does dead-variable analysis follow this variable?"""
    return variable.scope is Scope.LOCAL and variable.scalar and not variable.is_channel and not variable.kept


def uses(
    operation: Operation, follow: Callable[[Variable], bool] = tracked
) -> tuple[frozenset[Variable], frozenset[Variable]]:
    """The variables an operation reads, and those it writes, of those to be followed."""
    reads: set[Variable] = set()
    writes: set[Variable] = set()
    if isinstance(operation, DeterministicStep):
        # Its statements are nodes of the graph themselves.
        return frozenset(), frozenset()
    match operation:
        case Assign(place, value):
            _write(place, reads, writes, follow)
            _read(value, reads, follow)
        case Reset(place, _):
            _write(place, reads, writes, follow)
        case Receive(channel, patterns, _, _):
            _read(channel, reads, follow)
            for pattern in patterns:
                if isinstance(pattern, Bind):
                    _write(pattern.place, reads, writes, follow)
                else:
                    _read(pattern, reads, follow)
        case Run(_, arguments, result, value):
            _read(arguments, reads, follow)
            _read(value, reads, follow)
            if result is not None:
                _write(result, reads, writes, follow)
        case _:
            _read(operation, reads, follow)
    return frozenset(reads), frozenset(writes)


def reads_of(node: object, follow: Callable[[Variable], bool]) -> set[Variable]:
    """The variables read anywhere in an expression, or in a tuple of them."""
    reads: set[Variable] = set()
    _read(node, reads, follow)
    return reads


def _write(place: Place, reads: set[Variable], writes: set[Variable], follow: Callable[[Variable], bool]) -> None:
    for index in place.indices:
        _read(index.value, reads, follow)
    if not place.indices and follow(place.variable):
        writes.add(place.variable)


def _read(node: object, reads: set[Variable], follow: Callable[[Variable], bool]) -> None:
    """Collect the variables read anywhere in a node."""
    if isinstance(node, Read):
        if not node.place.indices and follow(node.place.variable):
            reads.add(node.place.variable)
        for index in node.place.indices:
            _read(index.value, reads, follow)
    elif isinstance(node, tuple):
        for item in node:
            _read(item, reads, follow)
    else:
        for name in parts_of(type(node)) or ():
            _read(getattr(node, name), reads, follow)
