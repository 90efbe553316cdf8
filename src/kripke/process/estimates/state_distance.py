"""How far a state is from another one: what every process has to go in its control flow.

This is the cycle estimate of HSF-SPIN, ``i@pc_i(S)`` for every process i.
"""

from __future__ import annotations

from collections.abc import Callable

from kripke.model.capabilities.estimate import UNREACHABLE
from kripke.process.estimates.control_flow import distances_to
from kripke.process.interpreter import Interpreter


def distance_to_state(interpreter: Interpreter, wanted: bytes) -> Callable[[bytes], int]:
    """The sum over the processes; a process more or less is a step."""
    targets = list(interpreter.frames(wanted).controls)
    tables = []
    for control in targets:
        process = interpreter.process_of_control(control)
        tables.append((process.control_base, distances_to(process, {control - process.control_base})))

    def steps(state: bytes) -> int:
        controls = interpreter.frames(state).controls
        total = abs(len(controls) - len(tables))
        for control, (base, table) in zip(controls, tables, strict=False):
            at = control - base
            total += table[at] if 0 <= at < len(table) else UNREACHABLE
        return min(total, UNREACHABLE)

    return steps
