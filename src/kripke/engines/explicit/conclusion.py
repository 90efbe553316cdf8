"""The one place that makes a ``Result`` of what a search found: errors replayed and named; the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kripke import __version__
from kripke.deadline import Deadline, OutOfTime, current, keeping
from kripke.engines.evidence import Evidence
from kripke.engines.explicit.prepare import Engine
from kripke.engines.explicit.search import UNEVALUATED, ErrorPath, Outcome, SearchRequest
from kripke.engines.explicit.stores import StoreOptions
from kripke.engines.plan import SearchPlan
from kripke.engines.runs.replay import ReplayFailure, broken_text, replay_error
from kripke.engines.symmetry.symmetric import concrete
from kripke.model.model import Model, Statement
from kripke.model.observer import UNDECIDED
from kripke.model.product import Product
from kripke.model.property import Safety, Temporal
from kripke.model.result import Finding, Result, Verdict
from kripke.model.source import NOWHERE, Span
from kripke.numbers import counted, size_text

_CYCLES = {
    "ltl": "formula violated",
    "never": "acceptance cycle in never claim",
    "acceptance": "acceptance cycle",
    "progress": "non-progress cycle",
    "possible": "a run satisfies",
}

# After these a last checkpoint is written.
_RESUMABLE = ("interrupted", "time", "states")
NOT_WRITTEN = "the checkpoint could not be written"
NOT_REPLAYED = "the error was found, but its trace could not be replayed in time: it is neither confirmed nor shown"
TO_SAY_WHAT_WAS_FOUND = 0.5  # seconds, where the time is over
PLEASE_REPORT = "this is a bug in Kripke, please report it"


def conclude(
    model: Model,
    goal: Safety | Temporal,
    plan: SearchPlan,
    request: SearchRequest,
    engine: Engine,
    outcome: Outcome,
    origin: Mapping[str, Any] | None,
    facts: Mapping[str, Any] | None = None,
    notes: tuple[str, ...] = (),
) -> Result:
    """What the outcome of a search means for the goal. ``facts`` are more to say about the search."""
    if outcome.failed_checkpoints:
        failed = f"{outcome.failed_checkpoints:,} times {NOT_WRITTEN}"
        notes = (*notes, f"{failed}: is there room, and no other search that writes it?")
    if request.checkpoints is not None:
        facts = {**(facts or {}), "checkpoints": outcome.checkpoints, "resumed": bool(request.checkpoints.resume)}
        if plan.checkpoint is not None and outcome.reason in _RESUMABLE and not _left_a_checkpoint(outcome):
            notes = (*notes, f"{NOT_WRITTEN}: the search had hardly begun")
    if outcome.dropped:
        again = f"the cache dropped {outcome.dropped:,} states: those met again were searched, and counted, again"
        notes = (*notes, again)
    if outcome.sweep is not None and outcome.sweep.persistent:
        back, sweeps = counted(outcome.sweep.persistent, "state"), counted(outcome.sweep.sweeps, "sweep")
        again = "what was met again was searched, and counted, again"
        notes = (*notes, f"steps led back in progress to {back}, {sweeps} in all: {again}")
    verdict: Verdict
    property_, kind = str(goal), str(goal.kind)
    findings: tuple[Finding, ...] = ()
    # The time limit is for all of it; there is always half a second to say what was found.
    left = max(request.time_limit - outcome.seconds, 0.0) if request.time_limit else None
    deadline = current().within(left).at_least(TO_SAY_WHAT_WAS_FOUND)
    shortest = bool((facts or {}).get("shortest"))
    try:
        with keeping(deadline):
            findings = tuple(
                finding_of(model, goal, error, request, origin, deadline, engine, is_shortest=shortest)
                for error in outcome.error_paths
            )
    except ReplayFailure as failure:
        verdict, reason = "unknown", _replay_failed(failure, outcome)
    else:
        if any(finding.unreplayed for finding in findings):
            notes = (*notes, NOT_REPLAYED)
        if findings:
            first = findings[0]
            verdict, reason, property_, kind = "violated", first.message, first.property, first.kind
        elif outcome.complete and (outcome.states or _unbreakable(model)):
            verdict, reason = "holds", ""
        else:
            verdict, reason = "unknown", _why_unknown(model, outcome, request, plan)
    covered = outcome.covered
    put_off = request.dependencies is not None and request.dependencies.deadlocks_only
    whole = outcome.complete and isinstance(goal, Safety) and not put_off
    unreached = tuple(
        statement
        for number, statement in enumerate(model.statements)
        if not covered[number : number + 1].strip(b"\0") and not model.executed(number) and not model.forbids(number)
    )
    return Result(
        verdict=verdict,
        reason=reason,
        property=property_,
        kind=kind,
        states=outcome.states,
        transitions=outcome.transitions,
        depth=outcome.depth,
        errors=outcome.errors,
        state_bytes=outcome.state_bytes,
        store_bytes=outcome.store_bytes,
        seconds=outcome.seconds,
        compile_seconds=engine.seconds,
        engine={
            **engine.facts(),
            "search": request.order,
            "store": request.store.name,
            "por": plan.por is True or request.safe is not None,
            "symmetry": request.method if request.symmetry is not None else "off",
            "threads": request.threads,
            **_way_facts(plan, request),
            "all_errors": plan.all_errors,
            "max_depth": plan.max_depth,
            "max_states": plan.max_states,
            "memory": request.memory or None,
            "time_limit": plan.time_limit,
            **_store_facts(request.store, outcome, plan.runs),
            **({"passes": list(model.reductions)} if model.reductions else {}),
            **(facts or {}),
        },
        complete=outcome.complete,
        trace=findings[0].trace if findings else None,
        model={"file": model.file, "language": model.language},
        version=__version__,
        warnings=(*(str(warning) for warning in model.warnings), *engine.warnings, *notes),
        findings=findings,
        unreached=unreached if whole else None,
        statement_count=sum(not model.forbids(number) for number in range(len(model.statements))),
        name=goal.name if isinstance(goal, Temporal) else goal.kind,
        interrupted=outcome.reason == "interrupted",
        samples=outcome.samples,
    )


def finding_of(
    model: Model,
    goal: Safety | Temporal,
    error: ErrorPath,
    request: SearchRequest,
    origin: Mapping[str, Any] | None,
    deadline: Deadline,
    engine: Engine | None = None,
    *,
    is_shortest: bool = False,
) -> Finding:
    """What was found, replayed and named. With ``engine`` a clearer run can be looked for."""
    kind, property_, message, span = _name(model, goal, error)
    if not error.path:
        # There was no memory or time left to make a path. The error was still found.
        return Finding(kind, property_, message, span)
    try:
        if request.symmetry is not None:
            error = replace(error, path=concrete(model, request.symmetry, error.path, deadline))
        trace = replay_error(model, error, origin, request.fairness, deadline)
    except (OutOfTime, KeyboardInterrupt):
        return Finding(kind, property_, message, span, unreplayed=True)
    look = None if engine is None else lambda model, limits: engine.search(model, limits, None)
    # What breadth-first search finds is a shortest run, and stays one.
    longer = request.order != "bfs" and not is_shortest
    evidence = Evidence(error, goal, look, longer, request.fairness, request.shortest)
    return Finding(kind, property_, message, span, trace, evidence=evidence)


def _name(model: Model, goal: Safety | Temporal, error: ErrorPath) -> tuple[str, str, str, Span]:
    if isinstance(goal, Temporal):
        if error.kind == "cycle":
            return goal.kind, str(goal), f"{_CYCLES[goal.kind]}: {goal}", goal.span
        assert isinstance(model, Product)
        alarm = error.code - len(model.base.violation_kinds)
        if alarm >= 0:
            found = (*model.observer.alarms, UNDECIDED)[alarm]
            place = f" ({found.span})" if found.span.in_file else ""
            return found.kind, str(goal), f"{found.text}{place}", found.span
    if error.kind == "deadlock":
        return "deadlock", "no deadlock", f"deadlock: {model.deadlock_text}", NOWHERE
    if error.kind == "invariant":
        name = model.atoms[error.code]
        if error.statement == UNEVALUATED:
            return UNDECIDED.kind, name, f"invariant cannot be evaluated: {name}", NOWHERE
        return "invariant", name, f"invariant violated: {name}", NOWHERE
    kind = model.violation_kinds[error.code]
    statement = model.statements[error.statement]
    place = f" ({statement.span}{_called(statement)})" if statement.span.line else ""
    return kind.name, statement.text, f"{broken_text(kind, statement)}{place}", statement.span


def _called(statement: Statement) -> str:
    return "".join(f", called at {call}" for call in statement.calls)


def _unbreakable(model: Model) -> bool:
    """Does the observer of the property accept nothing at all? The formula is then true of every run whatsoever."""
    return isinstance(model, Product) and not model.observer.initial and bool(model.base.initial())


def _way_facts(plan: SearchPlan, request: SearchRequest) -> dict[str, Any]:
    if request.order == "sweep":
        return {"progress": plan.progress}
    if request.order == "walk":
        return {"walks": request.walks, "seed": request.seed, "estimated": True}
    given = {"max_switches": plan.max_switches, "deepen": plan.deepen, "swarm": plan.swarm}
    estimated = {} if plan.swarm is None else {"estimated": True}
    return {name: value for name, value in given.items() if value is not None} | estimated


def _store_facts(store: StoreOptions, outcome: Outcome, runs: int) -> dict[str, Any]:
    if store.name == "cache":
        return {"dropped": outcome.dropped}
    if outcome.sweep is not None:
        return outcome.sweep._asdict()
    if store.name == "collapse":
        return {"components": dict(outcome.components)}
    if store.name == "numbers":
        return {"number_bytes": -(-outcome.number_bits // 8)} if outcome.number_bits else {}
    if outcome.loss is None:
        return {}
    sizes = {"hash_bits": store.hash_bits} if store.name == "hashcompact" else {"hashes": store.hashes}
    return {**sizes, "fill": outcome.loss.fill, "omitted": outcome.loss.omitted, "runs": runs}


def _left_a_checkpoint(outcome: Outcome) -> bool:
    return bool(outcome.checkpoints or outcome.failed_checkpoints)


def _why_unknown(model: Model, outcome: Outcome, request: SearchRequest, plan: SearchPlan) -> str:
    why = _why_ended(model, outcome, request, plan)
    if plan.checkpoint is not None and outcome.checkpoints and outcome.reason in _RESUMABLE:
        return f"{why}; go on with --resume {plan.checkpoint}"
    return why


def _why_ended(model: Model, outcome: Outcome, request: SearchRequest, plan: SearchPlan) -> str:
    match outcome.reason:
        case "" if outcome.account:
            return outcome.account
        case "" if outcome.loss is not None and outcome.states:
            return outcome.loss.text(request.store, outcome.states, plan.runs)
        case "memory":
            limit = f" of {size_text(request.memory)}" if request.memory else ""
            return f"the memory limit{limit} was reached"
        case "states":
            return f"the limit of {counted(request.max_states, 'state')} was reached"
        case "depth":
            return f"the depth limit of {counted(request.max_depth, 'step')} was reached"
        case "time":
            when = "" if outcome.states else " before the search began"
            return f"the time limit of {plan.time_limit or request.time_limit:g} s was reached{when}"
        case "interrupted":
            return "interrupted"
        case "disk":
            folder = request.store.folder
            return f"a file in {folder} could not be written or read: is there room? (TMPDIR chooses a folder)"
        case "walks":
            walks, steps = counted(request.walks, "walk"), counted(request.max_depth, "step")
            return (
                f"nothing was found in {walks} of at most {steps}; about {outcome.states:,} different states were met"
            )
        case "switches":
            most = counted(plan.max_switches or 0, "preemption")
            return f"nothing was found in runs with at most {most}; there are runs with more"
        case "edges":
            about = "statements of " if (request.fairness or "").endswith("-edges") else ""
            return f"fairness would be about more than 1,000 {about}{model.actors_text}"
        case "":
            return "the model has no initial state"
        case _:
            return f"the search ended early, but with no error to show; {PLEASE_REPORT}"


def _replay_failed(failure: ReplayFailure, outcome: Outcome) -> str:
    errors = "an error" if outcome.errors == 1 else f"{outcome.errors:,} errors"
    return f"the engine found {errors}, but the interpreter cannot replay it: {failure}; {PLEASE_REPORT}"
