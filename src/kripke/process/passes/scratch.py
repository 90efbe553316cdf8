"""Hidden variables: global variables that the model promises to need only inside single steps.

Every step that used such a variable forgets it (it gets its start value back), so that it does not tell states apart.
Where the promise is not kept, that is, where some process could read a value that an earlier step left, it stays an
ordinary variable: leaving it out of the state would make runs depend on the order of the search.
"""

from __future__ import annotations

from dataclasses import replace

from kripke.process.expressions import Constant, Place
from kripke.process.passes.uses import reads_of, uses
from kripke.process.program import (
    Action,
    Assert,
    Assign,
    Choose,
    DeterministicStep,
    Discard,
    Edge,
    Else,
    Guard,
    Location,
    Operation,
    Print,
    ProcessType,
    Program,
    Reset,
    Run,
    Send,
    SetPriority,
    Skip,
    StepInstruction,
    Variable,
)

_NEVER_BLOCKS = (Assign, Assert, Discard, Else, Print, Reset, Run, SetPriority, Skip)


def forget_scratch(program: Program, hidden: list[Variable]) -> list[Variable]:
    """Make every step forget what it left in these variables; those for which that would be wrong."""
    kept: list[Variable] = []
    for variable in hidden:
        # What embedded C reads is not known.
        plan = _plan(program, variable) if variable.scalar and program.embedded is None else None
        if plan is None:
            kept.append(variable)
            continue
        for location, edges in plan:
            location.edges = edges
    return kept


def _plan(program: Program, variable: Variable) -> list[tuple[Location, tuple[Edge, ...]]] | None:
    """New edges for locations, or None where some process reads what an earlier step wrote."""
    outside = (tuple(process.provided for process in program.processes), tuple(program.atoms.values()))
    if variable in reads_of(outside, lambda v: v is variable):
        return None
    if any(_touches(action.operation, variable) for action in program.setup):
        return None
    interrupted = program.priorities or any(process.provided is not None for process in program.processes)
    plan: list[tuple[Location, tuple[Edge, ...]]] = []
    for process in program.processes:
        if any(_touches(action.operation, variable) for action in process.setup):
            return None
        live = _live_locations(process, variable)
        if any(live[i] for i in _resting(process, interrupted)):
            return None
        for i, location in enumerate(process.locations):
            edges = tuple(_forgetting(edge, variable, live[i], live[edge.target]) for edge in location.edges)
            if any(edge is None for edge in edges):
                return None
            plan.append((location, tuple(edge for edge in edges if edge is not None)))
    return plan


def _touches(operation: Operation, variable: Variable) -> bool:
    reads, writes = uses(operation, lambda v: v is variable)
    return variable in reads or variable in writes


def _writes(edge: Edge, variable: Variable) -> bool:
    for action in edge.actions:
        operations = [action.operation]
        if isinstance(action.operation, DeterministicStep):
            operations = [i.operation for i in action.operation.code if not isinstance(i.operation, Choose)]
        if any(variable in uses(operation, lambda v: v is variable)[1] for operation in operations):
            return True
    return False


def _forgetting(edge: Edge, variable: Variable, live_before: bool, live_after: bool) -> Edge | None:
    if live_after or not (live_before or _writes(edge, variable)):
        return edge
    if isinstance(edge.actions[0].operation, Send):
        return None  # it may be a rendezvous, which nothing can follow in its edge
    reset = Reset(Place(variable, variable.components[0].type), variable.initial[0])
    return replace(edge, actions=(*edge.actions, Action(reset, edge.actions[-1].statement)))


def _resting(process: ProcessType, interrupted: bool) -> set[int]:
    """Locations where a step can end."""
    found = {process.entry}
    for location in process.locations:
        for edge in location.edges:
            goes_on = edge.atomic and not isinstance(edge.actions[0].operation, Send) and not interrupted
            if not goes_on or not any(_surely_enabled(following) for following in process.locations[edge.target].edges):
                found.add(edge.target)
    return found


def _surely_enabled(edge: Edge) -> bool:
    operation = edge.actions[0].operation
    if isinstance(operation, Guard):
        return isinstance(operation.condition, Constant) and operation.condition.value != 0
    return isinstance(operation, _NEVER_BLOCKS)


# --- liveness ---------------------------------------------------------------------------------------------------------


def _live_locations(process: ProcessType, variable: Variable) -> list[bool]:
    """Where the value may be read before it is written."""
    live = [False] * len(process.locations)
    changed = True
    while changed:
        changed = False
        for i, location in enumerate(process.locations):
            if not live[i] and any(_live_before(edge, variable, live[edge.target]) for edge in location.edges):
                live[i] = changed = True
    return live


def _live_before(edge: Edge, variable: Variable, live: bool) -> bool:
    for action in reversed(edge.actions):
        live = _live_operation(action.operation, variable, live)
    return live


def _live_operation(operation: Operation, variable: Variable, after: bool) -> bool:
    if isinstance(operation, DeterministicStep):
        return _live_step(operation.code, variable, after)
    reads, writes = uses(operation, lambda v: v is variable)
    return variable in reads or (after and variable not in writes)


def _live_step(code: tuple[StepInstruction, ...], variable: Variable, after: bool) -> bool:
    live = [False] * len(code)
    changed = True
    while changed:
        changed = False
        for i, instruction in enumerate(code):
            if isinstance(instruction.operation, Choose):
                now = any(live[option] for option in instruction.operation.options)
            else:
                following = after if instruction.next < 0 else live[instruction.next]
                now = _live_operation(instruction.operation, variable, following)
            if now and not live[i]:
                live[i] = changed = True
    return bool(code) and live[0]
