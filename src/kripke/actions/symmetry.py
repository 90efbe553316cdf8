"""Which processes of an action program are alike.

A process does not know its number, and a queue is looked through as a whole. So processes of one type with equal
records may change places: those that the initialisation starts with the same arguments, if they never end, so that
their records stay where they are, and start nobody, so that nobody's record speaks of them.
"""

from __future__ import annotations

from kripke.actions.interpreter import Interpreter
from kripke.actions.memory import Memory
from kripke.actions.program import (
    CONTROL_BYTES,
    NOBODY,
    Branch,
    Choose,
    Communicate,
    End,
    Instruction,
    Jump,
    ProcessType,
    Program,
    Queues,
)
from kripke.model.symmetry import Family, Key, Part, Symmetry


def symmetry_of(interpreter: Interpreter) -> Symmetry | str:
    """The families of processes that are alike; a sentence where there are none."""
    program = interpreter.program
    if program.queues is Queues.KERNEL:
        return "with --queues kernel records name the processes behind them in queues"
    started = interpreter.successors(interpreter.initial())
    if len(started) != 1 or started[0].target is None:
        return "the initialisation fails or chooses, so it is not known which processes it starts"
    memory = Memory(program, started[0].target)
    lasting = _lasting(program, memory)
    families, reasons = [], []
    for members in _alike(program, memory):
        process = program.processes[_type_of(program, memory, members[0])]
        if len(members) < 2 or members[0] == 0:
            continue
        if process.starts_others:
            reasons.append(f"processes of {process.name} start others")
        elif any(pid not in lasting for pid in range(members[-1] + 1)):
            reasons.append(f"processes of {process.name}, or some before them, may end")
        else:
            families.append(_family(process, members, memory))
    if not families:
        reasons = reasons or ["no two processes that the initialisation starts are of one type with the same arguments"]
        return "; ".join(reasons)
    return Symmetry(
        tuple(families), (), tuple(reasons), "no process of an LF program refers to another: it takes sort or canonical"
    )


def _type_of(program: Program, memory: Memory, pid: int) -> int:
    control = program.controls[memory.control(pid)]
    assert control is not None
    return control.process


def _record(program: Program, memory: Memory, pid: int) -> bytes:
    at = memory.at[pid]
    return bytes(memory.data[at : at + program.processes[_type_of(program, memory, pid)].record_bytes])


def _alike(program: Program, memory: Memory) -> list[list[int]]:
    """The processes by what is in their records."""
    found: dict[bytes, list[int]] = {}
    for pid in memory.processes():
        found.setdefault(_record(program, memory, pid), []).append(pid)
    return list(found.values())


def _lasting(program: Program, memory: Memory) -> set[int]:
    """Processes that never go: those without a way to their end, and those that must wait for such."""
    lasting = {pid for pid in memory.processes() if not may_end(program.processes[_type_of(program, memory, pid)])}
    todo = list(lasting)
    while todo:
        creator = memory.parent(todo.pop()) & NOBODY
        if creator != NOBODY and creator not in lasting:
            lasting.add(creator)
            todo.append(creator)
    return lasting


def may_end(process: ProcessType) -> bool:
    """Does a way through its code lead to the end?"""
    seen: set[int] = set()
    todo = [0]
    while todo:
        at = todo.pop()
        if at in seen:
            continue
        seen.add(at)
        if isinstance(process.code[at], End):
            return True
        todo += _following(process.code[at], at)
    return False


def _following(instruction: Instruction, at: int) -> tuple[int, ...]:
    match instruction:
        case Jump(target):
            return (target,)
        case Branch(_, otherwise):
            return (at + 1, otherwise)
        case Communicate(alternatives):
            return tuple(alternative.next for alternative in alternatives)
        case Choose(targets):
            return targets
        case _:
            return (at + 1,)


def _family(process: ProcessType, members: list[int], memory: Memory) -> Family:
    starts = [memory.at[pid] for pid in members]
    keys = [
        Key(tuple(start + one.offset for start in starts), one.type.size, one.type.signed)
        for one in process.shown
        if not one.reference
    ]
    keys.append(Key(tuple(starts), CONTROL_BYTES))
    return Family(process.name, members[0], (Part(tuple(starts), process.record_bytes),), tuple(keys))
