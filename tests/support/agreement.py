"""Compare the compiled form of a program with the reference interpreter, state by state."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kripke.model.model import Transition, Violation, no_pause
from kripke.process.interpreter import Interpreter
from kripke.process.program import Program
from tests.support.compiled import STRICT, Compiled


def explore(interpreter: Interpreter, most_states: int) -> dict[bytes, list[Transition]]:
    """The states reachable from the initial one, breadth first, with their steps."""
    found: dict[bytes, list[Transition]] = {}
    queue = [step.target for step in interpreter.initial() if step.target is not None]
    for state in queue:
        if state in found or len(found) == most_states:
            continue
        found[state] = interpreter.successors(state)
        queue += [step.target for step in found[state] if step.target is not None]
    return found


def assert_agreement(program: Program, folder: Path, most_states: int = 2000, flags: tuple[str, ...] = STRICT) -> int:
    """Every reachable state has the same successors in order, violations, end and atoms; the number of states."""
    interpreter, compiled = Interpreter(program), Compiled(program, folder, flags)
    start, started = interpreter.initial(), compiled.initial()
    assert [state for state, _ in started.states] == [step.target for step in start if step.target is not None]
    assert started.violations == [tuple(violation) for step in start for violation in step.violations]
    space = explore(interpreter, most_states)
    for (state, steps), answer in zip(space.items(), compiled.successors(*space), strict=True):
        expected = [(step.target, step.parts[-1].statement) for step in steps if step.target is not None]
        assert answer.states == expected, state.hex()
        broken = [tuple(violation) for step in steps for violation in step.violations]
        assert sorted(answer.violations) == sorted(broken), state.hex()
        assert answer.valid_end == interpreter.valid_end(state), state.hex()
        assert answer.atoms == interpreter.atom_values(state), state.hex()
        assert _kinds(interpreter.distinct_successors(state, no_pause)) == _kinds(steps), state.hex()
    executed = {
        part.statement for steps in space.values() for step in steps if step.target is not None for part in step.parts
    }
    covered = compiled.covered(space)
    assert all(covered[statement] for statement in executed)
    return len(space)


def _kinds(steps: Iterable[Transition]) -> set[tuple[int, bytes | None, Violation | None]]:
    """Who moves to which target, with which violation."""
    return {
        (step.parts[0].actor, step.target, violation) for step in steps for violation in (step.violations or (None,))
    }
