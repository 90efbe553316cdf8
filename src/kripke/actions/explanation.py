"""Why nothing can move: what everybody waits for. Why an assertion or an invariant fails: the values it reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kripke.actions.memory import Memory, StepFailed
from kripke.actions.notation import write
from kripke.actions.program import (
    Alternative,
    Cast,
    Communicate,
    ControlKind,
    Expression,
    InRange,
    Load,
    Operation,
    Start,
)
from kripke.model.explanation import Explanation, FalseAtom, Reason, Stuck

if TYPE_CHECKING:
    from kripke.actions.model import ActionModel
    from kripke.model.model import Violation


def explain(model: ActionModel, state: bytes, cause: Violation | FalseAtom | Stuck) -> Explanation | None:
    memory = Memory(model.program, state)
    match cause:
        case Stuck():
            return Explanation("everybody waits", tuple(_waits(model, memory)))
        case FalseAtom(number):
            expression = list(model.program.atoms.values())[number]
            values = tuple(_values(model, memory, expression))
            return Explanation(f"{model.atoms[number]} is false", (Reason(write(expression, model.program), values),))
    return None


def _waits(model: ActionModel, memory: Memory) -> Iterator[Reason]:
    program = model.program
    for pid in memory.processes():
        control = model.control(memory, pid)
        process = program.processes[control.process]
        name = f"{process.name}:{pid}"
        if control.kind is ControlKind.WAITING:
            communicate = process.code[control.at]
            assert isinstance(communicate, Communicate)
            wanted = " or ".join(_wanted(model, memory, pid, communicate, one) for one in communicate.alternatives)
            line = program.statements[communicate.alternatives[0].statement].span.line
            yield Reason(f"{name} waits in line {line} to {wanted}, and nobody waits for that")
        elif control.kind is ControlKind.CALLING:
            called = process.code[control.at - 1]
            assert isinstance(called, Start)
            yield Reason(f"{name} waits for the end of {program.processes[called.process].name}")


def _wanted(model: ActionModel, memory: Memory, pid: int, communicate: Communicate, alternative: Alternative) -> str:
    verb, message = alternative.text.split()
    place = "on" if alternative.sends else "from"
    return f"{verb} {message} {place} {model.channel_name(memory, pid, communicate, alternative)}"


def _values(model: ActionModel, memory: Memory, expression: Expression) -> Iterator[tuple[str, str]]:
    """The global variables that an expression reads."""
    match expression:
        case Load(place, type_):
            try:
                at = model.interpreter.evaluator.address(place, None)(memory, 0)
            except StepFailed:
                return
            yield write(expression, model.program), model.value_text(memory.read(at, type_), type_)
            for step in place.indexing:
                yield from _values(model, memory, step.index)
        case Operation(_, operands, _):
            for operand in operands:
                yield from _values(model, memory, operand)
        case Cast(operand, _) | InRange(operand, _):
            yield from _values(model, memory, operand)
        case _:
            pass
