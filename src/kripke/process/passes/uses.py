"""Which variables an operation reads and writes, as far as dead-variable analysis is concerned.

Only plain local variables count: of an array or structure it is not known statically which part is meant.
"""

from __future__ import annotations

from kripke.process.expressions import Bind, Expression, Place, Read
from kripke.process.program import (
    Assign,
    DeterministicStep,
    Operation,
    Receive,
    Run,
    Scope,
    Variable,
)
from kripke.process.rewrite import parts_of


def tracked(variable: Variable) -> bool:
    """Does dead-variable analysis follow this variable?"""
    return variable.scope is Scope.LOCAL and variable.scalar and not variable.is_channel


def uses(operation: Operation) -> tuple[frozenset[Variable], frozenset[Variable]]:
    """The variables an operation reads, and those it writes."""
    reads: set[Variable] = set()
    writes: set[Variable] = set()
    if isinstance(operation, DeterministicStep):
        # Its statements are nodes of the graph themselves.
        return frozenset(), frozenset()
    match operation:
        case Assign(place, value):
            _write(place, reads, writes)
            _read(value, reads)
        case Receive(channel, patterns, _, _):
            _read(channel, reads)
            for pattern in patterns:
                if isinstance(pattern, Bind):
                    _write(pattern.place, reads, writes)
                else:
                    _read(pattern, reads)
        case Run(_, arguments, result):
            _read(arguments, reads)
            if result is not None:
                _write(result, reads, writes)
        case _:
            _read(operation, reads)
    return frozenset(reads), frozenset(writes)


def _write(place: Place, reads: set[Variable], writes: set[Variable]) -> None:
    for index in place.indices:
        _read(index.value, reads)
    if not place.indices and tracked(place.variable):
        writes.add(place.variable)


def _read(node: Expression | Operation | object, reads: set[Variable]) -> None:
    """Collect the variables read anywhere in a node."""
    if isinstance(node, Read):
        if not node.place.indices and tracked(node.place.variable):
            reads.add(node.place.variable)
        for index in node.place.indices:
            _read(index.value, reads)
    elif isinstance(node, tuple):
        for item in node:
            _read(item, reads)
    else:
        for name in parts_of(type(node)) or ():
            _read(getattr(node, name), reads)
