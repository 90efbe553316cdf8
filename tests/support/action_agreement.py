"""Compare the compiled form of an action program with the reference interpreter, state by state."""

from __future__ import annotations

from pathlib import Path

from kripke.actions.emit import emit_c
from kripke.actions.interpreter import Interpreter
from kripke.actions.program import Program
from kripke.model.model import Transition
from tests.support.compiled import STRICT, Compiled


def explore(interpreter: Interpreter, most_states: int) -> dict[bytes, list[Transition]]:
    """The states reachable from the initial one, breadth first, with their steps."""
    found: dict[bytes, list[Transition]] = {}
    queue = [interpreter.initial()]
    for state in queue:
        if state in found or len(found) == most_states:
            continue
        found[state] = interpreter.successors(state)
        queue += [step.target for step in found[state] if step.target is not None]
    return found


def assert_agreement(program: Program, folder: Path, most_states: int = 500, *, sanitize: bool = True) -> int:
    """Every reachable state has the same successors in order, violations, end and atoms; the number of states."""
    interpreter, compiled = (
        Interpreter(program),
        Compiled(program, folder, STRICT if sanitize else ("-w",), emit_c),
    )
    assert [state for state, _ in compiled.initial().states] == [interpreter.initial()]
    space = explore(interpreter, most_states)
    for (state, steps), answer in zip(space.items(), compiled.successors(*space), strict=True):
        expected = [(step.target, step.parts[-1].statement) for step in steps if step.target is not None]
        assert answer.states == expected, state.hex()
        broken = [tuple(violation) for step in steps for violation in step.violations]
        assert answer.violations == broken, state.hex()
        assert answer.valid_end == interpreter.valid_end(state), state.hex()
        assert all(len(step.target or b"") <= program.max_state_bytes for step in steps)
    executed = {
        part.statement for steps in space.values() for step in steps if step.target is not None for part in step.parts
    }
    covered = compiled.covered(space)
    assert all(covered[statement] for statement in executed)
    return len(space)
