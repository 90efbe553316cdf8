"""Give every variable, channel and control point of a program its place in the state."""

from __future__ import annotations

from collections.abc import Iterable

from kripke.process.program import Channel, Program, Variable


def place_program(program: Program) -> None:
    """Fill in offsets, frame sizes and control points (see ``program.py`` for the form of a state)."""
    program.global_bytes = _place(program.variables, program.channels, 0)
    points = sum(len(process.locations) for process in program.processes)
    program.control_bytes = 1 if points <= 256 else 2 if points <= 65536 else 4
    base = 0
    for process in program.processes:
        process.control_base = base
        base += len(process.locations)
        process.frame_bytes = _place(process.variables, process.channels, program.control_bytes)


def _place(variables: Iterable[Variable], channels: Iterable[Channel], at: int) -> int:
    for variable in variables:
        variable.offset = at
        at += variable.size
    for channel in channels:
        channel.offset = at
        at += channel.size
    return at
