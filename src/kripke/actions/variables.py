"""The variables of an action program, as what flows from one to the other is followed."""

from __future__ import annotations

from collections.abc import Iterator

from kripke.actions.program import (
    Alternative,
    Assert,
    Assign,
    Base,
    Branch,
    Cast,
    Communicate,
    Copy,
    Device,
    Expression,
    InRange,
    Instruction,
    Load,
    New,
    Operation,
    Place,
    Print,
    ProcessType,
    Program,
    Start,
)

#: a variable: the process type that has it (None: global) and its offset; or part of a message: which, and its position
Variable = tuple[object, int]


def variable_of(program: Program, base: Base, process: ProcessType | None) -> Variable:
    """The variable that a process, or something about global variables, means."""
    if base.hops is None or process is None:
        return (None, base.offset)
    owner = process
    for _ in range(base.hops):
        owner = program.processes[owner.outer]
    return (owner.number, base.offset)


def message_of(alternative: Alternative) -> tuple[int, str]:
    """Which message is communicated; channels of different types may have one that is called the same."""
    return (alternative.message, alternative.text.split()[-1])


def places_of(instruction: Instruction) -> Iterator[Place]:
    """The places that an instruction reads or writes."""
    match instruction:
        case Assign(place, _, value):
            yield place
            yield from places_read(value)
        case Copy(target, source, _):
            yield target
            yield source
        case Branch(condition, _) | Assert(condition):
            yield from places_read(condition)
        case New(place):
            yield place
        case Communicate(alternatives, _, saves):
            for save in saves:
                yield from places_read(save.value)
            for alternative in alternatives:
                yield from (target.place for target in alternative.targets if target.place is not None)
        case Start(_, _, values, copies, references, _):
            for _, _, value in values:
                yield from places_read(value)
            yield from (place for _, _, place in copies)
            yield from (place for _, place in references)
        case Device(address, place, _, value):
            yield from places_read(address)
            if place is not None:
                yield place
            if value is not None:
                yield from places_read(value)
        case Print(_, _, value) if value is not None:
            yield from places_read(value)
        case _:
            pass


def places_read(expression: Expression) -> Iterator[Place]:
    match expression:
        case Load(place, _):
            yield place
            for step in place.indexing:
                yield from places_read(step.index)
        case Operation(_, operands, _):
            for operand in operands:
                yield from places_read(operand)
        case Cast(operand, _) | InRange(operand, _):
            yield from places_read(operand)
        case _:
            pass
