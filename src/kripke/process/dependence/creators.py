"""One process that creates the others while those it has created run already: ``init { run p(0); run p(1) }``.

All states of such a beginning are too many to go through. But where nobody else creates, and nobody younger than the
creator ever ends, numbers are given in order, and what exists is known from where the creator is. So all processes
can be looked at from the start, those to come as *absent*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kripke.process.dependence.anonymity import may_end_before
from kripke.process.interpreter import Interpreter

#: states that the creator goes through alone
_MOST_ALONE = 1_000


@dataclass(frozen=True, slots=True)
class Creator:
    """``pid``: who it is, ``last``: a state in which all processes exist."""

    pid: int
    last: bytes


def find_creator(interpreter: Interpreter, first: bytes, creating: Mapping[int, set[int]]) -> Creator | None:
    """``creating``: for every process type the locations that may lead to a creation. None: there is no such one."""
    controls = interpreter.frames(first).controls
    types = [interpreter.process_of_control(control) for control in controls]
    creators = [
        pid
        for pid, (process, control) in enumerate(zip(types, controls, strict=True))
        if control - process.control_base in creating[id(process)]
    ]
    if len(creators) != 1:
        return None
    last = _alone(interpreter, first, creators[0], creating)
    if last is None or len(last) <= len(first):
        return None
    younger = [interpreter.process_of_control(c) for c in interpreter.frames(last).controls][creators[0] + 1 :]
    if any(process.entry in creating[id(process)] or may_end_before(process) for process in younger):
        return None
    return Creator(creators[0], last)


def _alone(interpreter: Interpreter, first: bytes, pid: int, creating: Mapping[int, set[int]]) -> bytes | None:
    """A state that the creator comes to by itself, when it has created all it will."""
    seen = {first}
    waiting = [first]
    while waiting and len(seen) <= _MOST_ALONE:
        state = waiting.pop()
        frames = interpreter.frames(state)
        process = interpreter.process_of_control(frames.controls[pid])
        if frames.controls[pid] - process.control_base not in creating[id(process)]:
            return state
        for _, steps in interpreter.steps_of(state, frames, pid):
            fresh = {step.target for step in steps if step.target is not None} - seen
            seen |= fresh
            waiting += sorted(fresh)
    return None
