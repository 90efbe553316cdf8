"""Number the statements that can be executed.

A front end lists everything that has a place in the text. What no edge runs (the frame of a loop, a jump that takes no
step) is dropped here, so that a report of statements never executed names only what could have been.
"""

from __future__ import annotations

from dataclasses import replace

from kripke.process.program import Action, DeterministicStep, Edge, Program


def number_statements(program: Program) -> None:
    """Drop statements that no edge runs, except the first, which stands for the start of the model."""
    used = {0}
    for edge in _edges(program):
        for action in edge.actions:
            used.add(action.statement)
            if isinstance(action.operation, DeterministicStep):
                used.update(instruction.statement for instruction in action.operation.code)
    for process in program.processes:
        used.update(action.statement for action in process.setup)
    used.update(action.statement for action in program.setup)
    kept = sorted(used)
    new = {old: number for number, old in enumerate(kept)}
    program.statements = tuple(program.statements[old] for old in kept)
    program.setup = tuple(_renumber(action, new) for action in program.setup)
    for process in program.processes:
        process.setup = tuple(_renumber(action, new) for action in process.setup)
        for location in process.locations:
            location.edges = tuple(
                replace(edge, actions=tuple(_renumber(action, new) for action in edge.actions))
                for edge in location.edges
            )


def _edges(program: Program) -> list[Edge]:
    return [edge for process in program.processes for location in process.locations for edge in location.edges]


def _renumber(action: Action, new: dict[int, int]) -> Action:
    operation = action.operation
    if isinstance(operation, DeterministicStep):
        code = tuple(replace(instruction, statement=new[instruction.statement]) for instruction in operation.code)
        operation = DeterministicStep(code)
    return Action(operation, new[action.statement])
