"""Which values the scalars of a state can have, and where they lie: what is needed to number states in mixed radix.

Offsets count from the beginning of a block: that of the globals, or of a frame. A frame begins with its control point.
"""

from __future__ import annotations

from dataclasses import dataclass

_Scalar = tuple[int, int, int, bool, list[tuple[int, int]]]
_Queue = tuple[int, int, int, int, list[_Scalar]]
_Block = tuple[int, list[_Scalar], list[_Queue]]
WrittenRanges = tuple[_Block, list[_Block], int, list[int]]


@dataclass(frozen=True, slots=True)
class ScalarRange:
    """``size`` bytes (1, 2 or 4) with a number of ``bits``; ``ranges`` are first and last values, ascending."""

    offset: int
    size: int
    bits: int
    signed: bool
    ranges: tuple[tuple[int, int], ...]

    def to_native(self) -> _Scalar:
        return self.offset, self.size, self.bits, self.signed, list(self.ranges)


@dataclass(frozen=True, slots=True)
class QueueRange:
    """How many messages there are, in ``length_bytes``, then the slots; offsets of fields count from that of a slot."""

    offset: int
    length_bytes: int
    capacity: int
    message_bytes: int
    fields: tuple[ScalarRange, ...]

    def to_native(self) -> _Queue:
        fields = [field.to_native() for field in self.fields]
        return self.offset, self.length_bytes, self.capacity, self.message_bytes, fields


@dataclass(frozen=True, slots=True)
class BlockRanges:
    bytes: int
    scalars: tuple[ScalarRange, ...]
    queues: tuple[QueueRange, ...]

    def to_native(self) -> _Block:
        return self.bytes, [one.to_native() for one in self.scalars], [one.to_native() for one in self.queues]


@dataclass(frozen=True, slots=True)
class ValueRanges:
    """``process_of``: the number of the process that a control point, in ``control_bytes``, belongs to."""

    globals: BlockRanges
    processes: tuple[BlockRanges, ...]
    control_bytes: int
    process_of: tuple[int, ...]

    def to_native(self) -> WrittenRanges:
        """As native/bindings/numbering_binding.cpp reads it."""
        processes = [block.to_native() for block in self.processes]
        return self.globals.to_native(), processes, self.control_bytes, list(self.process_of)
