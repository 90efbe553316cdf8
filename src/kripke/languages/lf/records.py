"""The record of a process type, and what of it holds what a communication needs while the process waits.

Whatever somebody else might change meanwhile is computed before, and kept (``Save``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from kripke.actions.program import (
    INT16,
    Alternative,
    Base,
    Cast,
    Communicate,
    Constant,
    Expression,
    Indexing,
    InRange,
    Instruction,
    Load,
    Operation,
    Place,
    Queues,
    Save,
    Scalar,
)
from kripke.languages.lf.types import Type, scalars, size_of

#: what a SELECT or a communication keeps while the process waits
PendingSlot = tuple[Scalar, Expression]


@dataclass(slots=True)
class Frame:
    """The record of a process type while it is made: where the next variable goes, and what pending parts need."""

    size: int
    ports: list[int] = field(default_factory=list)
    #: of each communication: ports and other values that are kept while it waits
    pending: dict[int, tuple[list[PendingSlot], list[PendingSlot], int]] = field(default_factory=dict)

    def add(self, type_: Type) -> int:
        offset = self.size
        self.size += size_of(type_)
        self.ports += [at for _, at, scalar in scalars(type_, "", offset) if scalar.kind == "port"]
        return offset


class Pending:
    """What one communication keeps in the record while the process waits. Offsets are -1 - position until the record
    is laid out: all communications of a process share the space."""

    def __init__(self, private: Callable[[Place], bool]) -> None:
        self._private = private
        self.ports: list[PendingSlot] = []
        self.values: list[PendingSlot] = []

    def kept(self, value: Expression, type_: Scalar) -> Expression:
        if isinstance(value, Constant):
            return value
        if isinstance(value, Load) and not value.place.indexing and self._private(value.place):
            return value
        slots = self.ports if type_.kind == "port" else self.values
        slots.append((type_, value))
        return Load(Place(Base(0, _marker(type_, len(slots) - 1))), type_)

    def kept_place(self, place: Place) -> Place:
        """Indices are computed when the process begins to wait, and then known to be in range."""
        steps = []
        for step in place.indexing:
            # The element's number is kept: the check comes with the computation.
            checked = InRange(step.index, INT16._replace(name="index", low=0, high=step.length - 1))
            self.values.append((INT16, checked))
            steps.append(
                Indexing(Load(Place(Base(0, _marker(INT16, len(self.values) - 1))), INT16), step.length, step.stride)
            )
        return Place(place.base, place.offset, tuple(steps))


def _marker(type_: Scalar, position: int) -> int:
    """Stands for the offset of a slot: even numbers for ports, odd ones for others, all negative."""
    return -2 - 2 * position if type_.kind == "port" else -3 - 2 * position


def lay_out(instructions: list[Instruction], frame: Frame, queues: Queues) -> None:
    """Give the pending parts of all communications their offsets in the record."""
    ports = max((len(p) for p, _, _ in frame.pending.values()), default=0)
    first_port = frame.size
    frame.ports += range(first_port, first_port + ports)
    values = first_port + ports
    room = max((sum(type_.size for type_, _ in v) for _, v, _ in frame.pending.values()), default=0)
    ranks = values + room
    kept = queues is not Queues.SORTED
    most = max((count for _, _, count in frame.pending.values()), default=0) if kept else 0
    frame.size = ranks + most
    for at, (port_slots, value_slots, count) in frame.pending.items():
        offsets: dict[int, int] = {}
        saves = []
        for position, (type_, value) in enumerate(port_slots):
            offsets[_marker(type_, position)] = first_port + position
            saves.append(Save(first_port + position, type_, value))
        offset = values
        for position, (type_, value) in enumerate(value_slots):
            offsets[_marker(type_, position)] = offset
            saves.append(Save(offset, type_, value))
            offset += type_.size
        found = instructions[at]
        assert isinstance(found, Communicate)
        alternatives = tuple(_settled(alternative, offsets) for alternative in found.alternatives)
        pending = [(first_port, len(port_slots)), (values, offset - values), (ranks, count if kept else 0)]
        instructions[at] = replace(
            found,
            alternatives=alternatives,
            saves=tuple(saves),
            pending=tuple((start, size) for start, size in pending if size),
            rank=ranks if kept else -1,
        )


def _settled(alternative: Alternative, offsets: dict[int, int]) -> Alternative:
    def expression(value: Expression) -> Expression:
        if isinstance(value, Load):
            return Load(place(value.place), value.type)
        return value

    def place(found: Place) -> Place:
        base = found.base
        if base.hops == 0 and base.offset in offsets:
            base = Base(0, offsets[base.offset])
        steps = tuple(Indexing(expression(step.index), step.length, step.stride) for step in found.indexing)
        return Place(base, found.offset, steps)

    return replace(
        alternative,
        port=expression(alternative.port),
        values=tuple((expression(value), type_) for value, type_ in alternative.values),
        targets=tuple(t if t.place is None else replace(t, place=place(t.place)) for t in alternative.targets),
    )


def loads(expression: Expression) -> Iterator[Load]:
    """Every place that an expression reads."""
    match expression:
        case Load(place, _):
            yield expression
            for step in place.indexing:
                yield from loads(step.index)
        case Operation(_, operands, _):
            for operand in operands:
                yield from loads(operand)
        case Cast(operand, _) | InRange(operand, _):
            yield from loads(operand)
        case _:
            pass
