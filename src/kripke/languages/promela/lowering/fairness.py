"""Fairness to events (Sun, Liu, Dong, Wang, ICFEM 2008): statements with labels that begin with wf_, sf_, wl_ or sl_.

The event is that a process executes its statement, and has happened when the process is elsewhere. So a run is fair to
it exactly if again and again the process is not *waiting*: not at the label, or there and not enabled (wf). With wl a
rendezvous counts as waiting even without a partner, with wf only where there is one. Strong fairness asks for no more
than weak fairness where the statement can always be executed, or is always ready. Elsewhere it asks that the process
leaves the label again and again if the statement can be executed again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from kripke.model.model import FairnessConstraint
from kripke.model.source import NOWHERE, Span
from kripke.process.expressions import (
    AtLocation,
    Binary,
    BinaryOperator,
    ChannelElement,
    ChannelIdentity,
    Constant,
    Enabled,
    Expression,
)
from kripke.process.program import (
    Assert,
    Assign,
    Location,
    Operation,
    Print,
    ProcessType,
    Program,
    Receive,
    Run,
    Send,
    Skip,
)

KINDS: Final = ("wf_", "sf_", "wl_", "sl_")

Fail = Callable[..., Exception]


def add_events(
    program: Program, labels: Iterable[tuple[ProcessType, str, Span]], fail: Fail
) -> tuple[FairnessConstraint, ...]:
    """Make an atom for every event of the processes that run from the start: it is true where the event waits.

    ``labels`` are all that the model has: none that asks for fairness may be overlooked.
    """
    running = {initial.process for initial in program.initial}
    for process, label, span in labels:
        if label.startswith(KINDS):
            if process not in running:
                message = f"fairness to '{label}' is for processes that run from the start"
                raise fail(message, span, f"make {process.name} active")
            if not any(label in location.labels for location in process.locations):
                hint = "put a statement before it, skip for example"
                raise fail(f"'{label}' is no place of its own: the process chooses here", span, hint)
    started = _started(program)
    found: list[FairnessConstraint] = []
    for pid, initial in enumerate(program.initial):
        process = initial.process
        for number, location in enumerate(process.locations):
            for label in location.labels:
                if not label.startswith(KINDS):
                    continue
                _check(program, process, number, label, started, fail)
                name = f"{process.name}:{pid}@{label}"
                at: Expression = AtLocation(process, Constant(pid), (number,))
                waiting = _waiting(program, pid, number, label, started, fail)
                if label[:2] in ("sf", "sl") and waiting != at:
                    able = f"{name}, enabled"
                    program.atoms |= {name: at, able: waiting}
                    found.append(
                        FairnessConstraint(name, list(program.atoms).index(name), list(program.atoms).index(able))
                    )
                else:
                    program.atoms[name] = waiting
                    found.append(FairnessConstraint(name, list(program.atoms).index(name)))
    return tuple(found)


def _started(program: Program) -> frozenset[ProcessType]:
    """The types of processes that statements start."""
    operations = (
        action.operation
        for process in program.processes
        for location in process.locations
        for edge in location.edges
        for action in edge.actions
    )
    return frozenset(operation.process for operation in operations if isinstance(operation, Run))


def _check(
    program: Program, process: ProcessType, number: int, label: str, started: frozenset[ProcessType], fail: Fail
) -> None:
    location = process.locations[number]
    span = location.span or NOWHERE
    if process in started:
        raise fail(
            f"fairness to '{label}' is for processes that run from the start", span, f"do not run {process.name}"
        )
    if program.priorities or process.provided is not None:
        raise fail(f"there is no fairness to '{label}' where priorities or 'provided' keep a process from moving", span)
    if len(location.edges) != 1:
        hint = "put the label before a statement inside one of the options"
        raise fail(f"'{label}' must stand before a single statement", span, hint)
    if location.edges[0].target == number:
        raise fail(f"after the statement of '{label}' the process must be elsewhere", span, "put a skip after it")


def _waiting(
    program: Program, pid: int, number: int, label: str, started: frozenset[ProcessType], fail: Fail
) -> Expression:
    process = program.initial[pid].process
    location = process.locations[number]
    operation = location.edges[0].actions[0].operation
    at = AtLocation(process, Constant(pid), (number,))
    kind = label[:2]
    if isinstance(operation, (Assign, Skip, Print, Assert)):
        return at
    if _is_rendezvous(operation, label, location, fail):
        if kind in ("wl", "sl"):
            return at
        return Binary(BinaryOperator.LOGICAL_AND, at, _partner(program, pid, location, label, started, fail))
    return Binary(BinaryOperator.LOGICAL_AND, at, Enabled(Constant(pid)))


def _partner(
    program: Program, pid: int, location: Location, label: str, started: frozenset[ProcessType], fail: Fail
) -> Expression:
    from kripke.languages.promela.lowering.partners import Unclear, has_partner

    operation = location.edges[0].actions[0].operation
    assert isinstance(operation, (Send, Receive))
    try:
        return has_partner(program, pid, operation, started)
    except Unclear as reason:
        message = f"'{label}': when this rendezvous is enabled cannot be told: {reason}"
        hint = "wl_ and sl_ count a rendezvous as ready without its partner"
        raise fail(message, location.span or NOWHERE, hint) from None


def _is_rendezvous(operation: Operation, label: str, location: Location, fail: Fail) -> bool:
    if not isinstance(operation, (Send, Receive)):
        return False
    match operation.channel:
        case ChannelIdentity(channel):
            return channel.capacity == 0
        case ChannelElement(channels):
            return channels[0].capacity == 0
    message = f"'{label}' must use a channel by its name"
    raise fail(message, location.span or NOWHERE, "a variable of type chan may hold any channel")
