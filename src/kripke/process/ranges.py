"""Which values are in the states of a process program, for the native engine (``numbering.py`` says what it does)."""

from __future__ import annotations

from collections.abc import Iterable

from kripke.model.value_ranges import BlockRanges, QueueRange, ScalarRange, ValueRanges
from kripke.process.expressions import IntType
from kripke.process.program import Channel, Program, Variable


def value_ranges(program: Program) -> ValueRanges:
    frames: list[BlockRanges] = []
    process_of: list[int] = []
    for number, process in enumerate(program.processes):
        first = len(process_of)
        process_of += [number] * len(process.locations)
        # The shape of a state says which process it is, so the control points are those of this one.
        points = ((first, len(process_of) - 1),)
        control = ScalarRange(0, program.control_bytes, 8 * program.control_bytes, False, points)
        frames.append(_block(process.frame_bytes, (control,), process.variables, process.channels))
    block = _block(program.global_bytes, (), program.variables, program.channels)
    return ValueRanges(block, tuple(frames), program.control_bytes, tuple(process_of))


def _block(
    size: int, first: tuple[ScalarRange, ...], variables: Iterable[Variable], channels: Iterable[Channel]
) -> BlockRanges:
    scalars = [
        _scalar(part.type, variable.offset + part.offset) for variable in variables for part in variable.components
    ]
    queues = [_queue(channel) for channel in channels if channel.capacity and channel.fields]
    return BlockRanges(size, (*first, *scalars), tuple(queues))


def _queue(channel: Channel) -> QueueRange:
    fields = tuple(map(_scalar, channel.fields, channel.field_offsets))
    return QueueRange(channel.offset, channel.length_bytes, channel.capacity, channel.message_bytes, fields)


def _scalar(type_: IntType, offset: int) -> ScalarRange:
    if type_.values is not None:
        ranges = type_.values.ranges
    else:
        least = -(1 << type_.bits - 1) if type_.signed else 0
        ranges = ((least, least + (1 << type_.bits) - 1),)
    return ScalarRange(offset, type_.size, type_.bits, type_.signed, ranges)
