"""Follow a run with the reference semantics of the model.

Every path an engine returns passes through here before a person sees it: states become steps with statements, and the
error at its end is confirmed. A saved trace is followed by its statements, so that it survives small changes of
the model; where it does not, the first step that has gone is named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from kripke.deadline import Deadline, current
from kripke.engines.explicit.search import UNEVALUATED, ErrorPath, Fairness
from kripke.model.capabilities.events import Events
from kripke.model.model import Model, Statement, ViolationKind
from kripke.model.product import Product
from kripke.model.trace import SavedStep, SavedTrace, Step, Trace, make_step


class ReplayFailure(Exception):
    """The reference semantics does not agree with the engine: a bug of ours."""


def replay_path(
    model: Model,
    path: Sequence[bytes],
    origin: Mapping[str, Any] | None = None,
    deadline: Deadline | None = None,
    *,
    events: Sequence[int] | None = None,
) -> Trace:
    """The run through exactly these states, with these ``events`` where they are given: several may lead from one
    state to another. OutOfTime where an atomic sequence has too many paths between two."""
    deadline = deadline or current()
    known = None if events is None else model.capability(Events)
    if not path:
        raise ReplayFailure("the engine gave no state at all")
    if path[0] not in model.initial():
        raise ReplayFailure("the first state of the path is not an initial state")
    steps: list[Step] = []
    for number, (before, after) in enumerate(pairwise(path), start=1):
        for transition in model.distinct_successors(before, deadline):
            if transition.target != after:
                continue
            if known is None or events is None or known.event_of(before, transition) == events[number - 1]:
                steps.append(make_step(model, number, before, transition))
                break
        else:
            raise ReplayFailure(f"step {number} of the path is not a step of the model")
    return Trace(model, path[0], tuple(steps), origin=origin or {})


def replay_error(
    model: Model,
    error: ErrorPath,
    origin: Mapping[str, Any] | None = None,
    fairness: Fairness | None = None,
    deadline: Deadline | None = None,
) -> Trace:
    """The run to an error, with the error confirmed in its last state or, for a violation, in one more step.

    Of a cycle it is confirmed that it is one, that the observer accepts it, and that it is fair.
    """
    deadline = deadline or current()
    trace = replay_path(model, error.path, origin, deadline)
    last = error.path[-1]
    if error.kind == "cycle":
        assert isinstance(model, Product)
        confirm_cycle(model, error, fairness, deadline)
        return replace(trace, loop_start=error.loop_start)
    if error.kind == "deadlock":
        if _can_move(model, last) or model.valid_end(last):
            raise ReplayFailure("the last state of the path is no deadlock")
        return trace
    if error.kind == "invariant":
        if model.atom_values(last)[error.code]:
            raise ReplayFailure(f"the invariant {model.atoms[error.code]} holds in the last state of the path")
        if (model.failed_atoms(last) >> error.code & 1) != (error.statement == UNEVALUATED):
            raise ReplayFailure(f"the engines disagree on whether {model.atoms[error.code]} can be evaluated")
        return trace
    for transition in model.distinct_successors(last, deadline):
        if (error.code, error.statement) in transition.violations:
            step = make_step(model, len(trace) + 1, last, transition)
            return Trace(model, trace.initial, (*trace.steps, step), origin=trace.origin)
    raise ReplayFailure("no step from the last state of the path has the violation")


def _can_move(model: Model, state: bytes) -> bool:
    return next(model.each_successor(state), None) is not None


def confirm_cycle(
    product: Product, error: ErrorPath, fairness: Fairness | None, deadline: Deadline | None = None
) -> None:
    """ReplayFailure unless the loop has every mark of the observer and is fair to every process.

    Where several steps lead from one state of the loop to the next, a run may take each of them again and again.
    """
    path, start = error.path, error.loop_start
    if start is None or start >= len(path) - 1 or path[start] != path[-1]:
        raise ReplayFailure("the last state of the path does not close a cycle")
    from kripke.engines.linear.reference_cycles import Mover, able, movers

    marks = demanded = 0
    moved: set[Mover] = set()
    enabled: list[set[Mover]] = []
    kind = fairness or ""
    for before, after in pairwise(path[start:]):
        steps = list(product.distinct_marked(before, deadline or current()))
        enabled.append(set[Mover]().union(*(able(step, kind) for step in product.able(before, steps))))
        demanded |= product.demands(before)
        for step in steps:
            if step.transition.target == after:
                marks |= step.marks
                moved |= movers(step, kind)
    if ((1 << product.observer.sets) - 1) & ~marks:
        raise ReplayFailure("the cycle is not one that the property forbids")
    if kind.startswith("weak") and not set.intersection(*enabled) <= moved:
        raise ReplayFailure("the cycle is not weakly fair")
    if (kind.startswith("strong") and not set.union(*enabled) <= moved) or demanded & ~marks:
        raise ReplayFailure("the cycle is not strongly fair")


@dataclass(frozen=True, slots=True)
class Replayed:
    """How far a saved trace could be followed.

    ``deviation`` says, in words, which step is not possible any more; ``changed`` which step first did something else
    than it did when the trace was saved.
    """

    trace: Trace
    deviation: str | None = None
    enabled: tuple[Step, ...] = ()
    changed: str | None = None

    def __bool__(self) -> bool:
        return self.deviation is None


def replay_saved(model: Model, saved: SavedTrace, origin: Mapping[str, Any] | None = None) -> Replayed:
    """Follow a saved trace in a model that may have changed since."""
    initial = model.initial()
    state = saved.initial if saved.initial in initial else initial[0]
    first, steps = state, list[Step]()
    changed = None if state == saved.initial else "the initial state differs from the saved one"
    origin = saved.origin if origin is None else origin

    def so_far() -> Trace:
        loop_start = saved.loop_start if len(steps) == len(saved.steps) else None
        return Trace(model, first, tuple(steps), loop_start, origin, unclear=saved.unclear)

    for number, wanted in enumerate(saved.steps, start=1):
        if steps and steps[-1].state is None:
            return Replayed(
                so_far(), f"step {number - 1} ends in a violation; the trace goes on: {wanted}", (), changed
            )
        candidates = [make_step(model, number, state, transition) for transition in model.successors(state)]
        step = _matching(candidates, wanted)
        if step is None:
            message = f"step {number} is not possible here: {wanted}"
            return Replayed(so_far(), message, tuple(candidates), changed)
        if changed is None and frozenset(step.differences) != wanted.changes:
            changed = f"step {number} ({wanted}) has another effect than it had"
        steps.append(step)
        if step.state is not None:
            state = step.state
    return Replayed(so_far(), None, (), changed)


def _matching(candidates: Sequence[Step], wanted: SavedStep) -> Step | None:
    """The step with the same statements of the same processes: one to the saved state if there is, else with the
    saved effect, else the first."""
    signature = [(part.actor, part.source) for part in wanted.parts]
    same = [step for step in candidates if _signature(step) == signature]
    for step in same:
        if step.state == wanted.state:
            return step
    for step in same:
        if frozenset(step.differences) == wanted.changes:
            return step
    return same[0] if same else None


def _signature(step: Step) -> list[tuple[str, str]]:
    return [(step.actor_of(part), step.model.statements[part.statement].text) for part in step.parts]


def end_of(trace: Trace) -> str:
    """What a run ends in, one line: a violation, a deadlock, a valid end, or nothing of the kind."""
    model = trace.model
    if trace.loop_start is not None and trace.steps[trace.loop_start].before == trace.final:
        return "a loop: the steps repeat for ever"
    last = trace.steps[-1] if trace.steps else None
    if last is not None and last.violations:
        return describe_violation(model, last)
    state = trace.final
    if not _can_move(model, state):
        return "valid end: no step is left" if model.valid_end(state) else f"deadlock: {model.deadlock_text}"
    return "the run could go on"


def describe_violation(model: Model, step: Step) -> str:
    """The first thing a step broke: ``assertion violated: assert(x < 3) (m.pml:4:5)``."""
    violation = step.violations[0]
    if not step.parts:  # an observer says so, and no statement
        return model.violation_kinds[violation.code].text
    statement = model.statements[violation.statement]
    return f"{broken_text(model.violation_kinds[violation.code], statement)} ({statement.span})"


def broken_text(kind: ViolationKind, statement: Statement) -> str:
    """What is broken, and which statement breaks it; where that is named by what it is, this is said once."""
    return f"{kind.text}: {statement.text.removeprefix(f'{kind.name} ')}"
