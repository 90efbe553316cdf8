"""Checks the assertions of a model, each in a search of its own, and says in words what is wrong."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kripke import __version__
from kripke.deadline import OutOfTime, current, keeping
from kripke.engines.explicit.search import Progress, Watch
from kripke.engines.plan import SearchPlan
from kripke.engines.refinement.checks import (
    OUT_OF_TIME,
    Counterexample,
    Limits,
    Outcome,
    check_deadlock,
    check_determinism,
    check_divergence,
    check_refinement,
    check_trace,
)
from kripke.engines.refinement.refusal_testing import check_refusal_traces
from kripke.engines.runs.replay import replay_path
from kripke.engines.unsupported import Unsupported
from kripke.memory import default_limit, resident_memory
from kripke.model.assertions import TAU, Assertion, Assertions, ModelledSystem, Named, Networked
from kripke.model.model import Model
from kripke.model.result import Finding, Result
from kripke.model.source import ModelError
from kripke.model.trace import Trace

QUICK_STATES = 20_000  # fewer are searched before a compiler would have finished
_ASKED = {"asked": "assertion"}  # every property is decided in a search of its own
_SHOWN = 12  # events of a trace or set in a sentence


def check(
    model: Model,
    chosen: Sequence[Assertion],
    options: SearchPlan,
    *,
    watch: Watch | None = None,
    origin: Mapping[str, Any] | None = None,
) -> list[Result]:
    """A result for each assertion that is asked for, in the order of the text."""
    results: list[Result] = []
    errors: list[ModelError] = []
    for number, assertion in enumerate(chosen):
        if results and results[-1].interrupted:
            break
        try:
            with keeping(current().within(options.time_limit).part(1 / (len(chosen) - number))):
                results.append(_checked(model, assertion, options, watch, origin))
        except OutOfTime:
            results.append(_result(model, assertion, None, OUT_OF_TIME, options))
        except ModelError as error:
            errors.append(error)
            results.append(_result(model, assertion, None, _in_one_line(error), options))
    if errors and len(errors) == len(results):
        raise errors[0]
    return results


def _checked(
    model: Model, assertion: Assertion, options: SearchPlan, watch: Watch | None, origin: Mapping[str, Any] | None
) -> Result:
    if assertion.refused:
        return _result(model, assertion, None, assertion.refused, options)
    if assertion.symmetric and options.symmetry == "off":
        options = replace(options, symmetry="auto")
    started = time.monotonic()
    met = Outcome(None)

    def pause(states: int, transitions: int) -> None:
        met.states, met.transitions = states, transitions
        if watch is not None:
            watch(Progress(states, transitions, 0, 0, 0, time.monotonic() - started))

    deadline = current()
    deadline()
    most = resident_memory() + (options.memory or default_limit())
    implementation = assertion.implementation()
    first = QUICK_STATES if options.engine is None and not _wants_native(options) else 0
    if options.max_states is not None:
        first = min(first, options.max_states)
    try:
        outcome, native = None, None
        if options.symmetry != "off":
            outcome, native = _natively(assertion, implementation, options, watch, origin)
        elif options.engine != "interpreter":
            if first:
                outcome = _search(assertion, implementation, Limits(first, deadline, options.max_depth, most, pause))
            if outcome is None or (outcome.holds is None and outcome.states > first and first != options.max_states):
                outcome, native = _natively(assertion, implementation, options, watch, origin)
        if outcome is None:
            limits = Limits(options.max_states, deadline, options.max_depth, most, pause)
            outcome = _search(assertion, implementation, limits)
        if native is not None:
            return _answer(model, assertion, implementation, outcome, options, origin, native)
    except KeyboardInterrupt:
        return _result(model, assertion, met, "interrupted", options, interrupted=True)
    except MemoryError:
        return _result(model, assertion, met, "out of memory", options)
    except OutOfTime:
        return _result(model, assertion, met, OUT_OF_TIME, options)
    return _answer(model, assertion, implementation, outcome, options, origin)


def _in_one_line(error: ModelError) -> str:
    return error.render().partition("\n")[0] + (f" ({error.hint})" if error.hint else "")


def _wants_native(options: SearchPlan) -> bool:
    """Is something asked for that only the compiled form can do?"""
    return options.threads > 1 or options.store not in (None, "full") or options.search not in (None, "bfs")


def _natively(
    assertion: Assertion,
    implementation: ModelledSystem[Any],
    options: SearchPlan,
    watch: Watch | None,
    origin: Mapping[str, Any] | None,
) -> tuple[Outcome | None, Result | None]:
    """By the explicit engines; nothing where the process has no compiled form and none was demanded."""
    from kripke.engines.refinement.native import native_check, native_model

    made: Model | str = "it is no network"
    if isinstance(implementation, Networked):
        made = native_model(assertion, implementation, smallest=options.symmetry != "off")
    if isinstance(made, str):
        if options.symmetry not in ("off", "auto"):
            raise Unsupported(f"{assertion.text}: symmetry is of networks: {made}; leave out --symmetry")
        if options.engine == "native" or _wants_native(options):
            raise Unsupported(f"{assertion.text}: only the interpreter checks this: {made}; use --engine interpreter")
        return None, None
    return native_check(assertion, implementation, made, options, watch, origin)


def _search(assertion: Assertion, implementation: ModelledSystem[Any], limits: Limits) -> Outcome:
    if assertion.specification is not None and assertion.semantics in ("R", "RD"):
        return check_refusal_traces(assertion.specification(), implementation, assertion.semantics, limits)
    if assertion.specification is not None:
        return check_refinement(assertion.specification(), implementation, assertion.semantics, limits)
    if assertion.kind == "deadlock":
        return check_deadlock(implementation, assertion.semantics, limits)
    if assertion.kind == "divergence":
        return check_divergence(implementation, limits)
    if assertion.kind == "determinism":
        return check_determinism(implementation, assertion.semantics, limits)
    assert assertion.trace is not None
    return check_trace(implementation, assertion.trace(), assertion.semantics, limits)


def _answer(
    model: Model,
    assertion: Assertion,
    implementation: ModelledSystem[Any],
    outcome: Outcome,
    options: SearchPlan,
    origin: Mapping[str, Any] | None,
    native: Result | None = None,
) -> Result:
    answer = _answered(model, assertion, implementation, outcome, options, origin)
    if native is None:
        return answer
    return replace(
        answer,
        engine={**native.engine, **_ASKED},
        state_bytes=native.state_bytes,
        store_bytes=native.store_bytes,
        compile_seconds=native.compile_seconds,
        complete=native.complete,
        interrupted=native.interrupted,
        samples=native.samples,
        warnings=native.warnings,
    )


def _answered(
    model: Model,
    assertion: Assertion,
    implementation: ModelledSystem[Any],
    outcome: Outcome,
    options: SearchPlan,
    origin: Mapping[str, Any] | None,
) -> Result:
    found = outcome.counterexample
    if outcome.holds is None or found is None:
        if outcome.holds is False and not assertion.negated:
            return _result(model, assertion, outcome, outcome.reason, options)
        if outcome.holds and assertion.negated:
            return _result(model, assertion, outcome, f"{_stated(assertion)} holds, but it is asserted not to", options)
        return _result(model, assertion, outcome, outcome.reason, options)
    if assertion.negated:
        return _result(model, assertion, outcome, "", options)
    assert isinstance(model, Assertions)
    message = explain(found, model.event_name)
    trace = _trace(implementation, found, origin)
    return _result(model, assertion, outcome, message, options, trace=trace)


def _stated(assertion: Assertion) -> str:
    return assertion.text.removeprefix("not ")


def _trace(implementation: ModelledSystem[Any], found: Counterexample, origin: Mapping[str, Any] | None) -> Trace:
    """Followed by the model's own semantics."""
    if isinstance(implementation, Named):
        origin = {**(origin or {}), **implementation.origin}
    path = [implementation.encode(implementation.initial()), *(implementation.encode(s) for _, s in found.steps)]
    events = [event for event, _ in found.steps]
    if found.kind != "divergence":
        return replay_path(implementation.model, path, origin, events=events)
    path += [implementation.encode(state) for state in found.loop[1:]]
    events += [TAU] * len(found.loop[1:])
    trace = replay_path(implementation.model, path, origin, events=events)
    return replace(trace, loop_start=len(found.steps) + found.position)


def explain(found: Counterexample, name: Callable[[int], str]) -> str:
    """What the implementation does that is forbidden."""
    trace = [event for event, _ in found.steps if event != TAU]
    if found.kind in ("event", "refused before"):
        trace = trace[:-1]
    after = f"after {_listed(trace, name, '<', '>')} " if trace else "at the start "

    def events(several: frozenset[int]) -> str:
        return _listed(sorted(several), name, "{", "}")

    match found.kind:
        case "event":
            assert found.event is not None
            allowed = events(found.offered) if found.offered else "no event at all"
            return f"{after}the implementation does {name(found.event)}, but the specification allows {allowed}"
        case "refusal":
            offered = f"only {events(found.offered)}" if found.offered else "nothing"
            demanded = " or ".join(events(d) if d else "nothing" for d in found.demanded[:4])
            if not found.demanded:
                return f"{after}the implementation rests, offering {offered}, where the specification never rests"
            return f"{after}the implementation offers {offered}, but the specification demands {demanded}"
        case "revival":
            assert found.event is not None
            return (
                f"{after}the implementation offers {name(found.event)} where it offers only {events(found.offered)}; "
                "where the specification offers it, it always offers something else as well"
            )
        case "refused before":
            assert found.event is not None
            allowed = events(found.offered) if found.offered else "no event at all"
            return (
                f"{after}the implementation does {name(found.event)} after it refused what it does not offer; "
                f"the specification, having refused as much, allows {allowed}"
            )
        case "unrest":
            offered = f"only {events(found.offered)}" if found.offered else "nothing"
            return (
                f"{after}the implementation offers {offered}; the specification, after the refusals before, "
                "never refuses so much"
            )
        case "divergence":
            return f"{after}the implementation diverges: it can go on for ever with invisible steps"
        case "deadlock":
            return f"{after}nothing can happen any more"
        case "nondeterminism":
            assert found.event is not None
            left = f"only {events(found.offered)}" if found.offered else "nothing at all"
            return f"{after}{name(found.event)} is possible, but can be refused: {left} may be offered"
    assert found.event is not None
    if found.kind == "refused":
        left = f"only {events(found.offered)}" if found.offered else "nothing at all"
        return f"{after}the process can refuse {name(found.event)}: {left} may be offered"
    offered = events(found.offered) if found.offered else "nothing"
    return f"{after}the process cannot do {name(found.event)}: it can do {offered}"


def _listed(events: list[int], name: Callable[[int], str], opening: str, closing: str) -> str:
    shown = ", ".join(name(event) for event in events[:_SHOWN])
    return f"{opening}{shown}{', ...' if len(events) > _SHOWN else ''}{closing}"


def _result(
    model: Model,
    assertion: Assertion,
    outcome: Outcome | None,
    reason: str,
    options: SearchPlan,
    *,
    trace: Trace | None = None,
    interrupted: bool = False,
) -> Result:
    holds = None if outcome is None else outcome.holds
    if holds is not None and assertion.negated:
        holds = not holds
    verdict = "unknown" if holds is None else "holds" if holds else "violated"
    outcome = outcome or Outcome(None)
    findings: tuple[Finding, ...] = ()
    if verdict == "violated":
        findings = (Finding(assertion.kind, assertion.text, reason, assertion.span, trace),)
    return Result(
        verdict=verdict,  # type: ignore[arg-type]
        reason=reason if verdict != "holds" else "",
        property=assertion.text,
        kind=assertion.kind,
        states=outcome.states,
        transitions=outcome.transitions,
        depth=outcome.depth,
        errors=int(verdict == "violated"),
        state_bytes=model.max_state_bytes,
        store_bytes=0,
        seconds=outcome.seconds,
        compile_seconds=0.0,
        engine={"name": "interpreter", "search": "bfs", "store": "full", "por": False, "threads": 1, **_ASKED},
        complete=verdict == "holds" or (outcome.holds is True),
        trace=trace,
        model={"file": model.file, "language": model.language},
        version=__version__,
        warnings=tuple(str(warning) for warning in model.warnings),
        findings=findings,
        name=assertion.name,
        interrupted=interrupted,
    )
