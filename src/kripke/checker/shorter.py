"""A shorter run to the error of a trace.

Two ways, one after the other. What the error does not need is left out of the trace itself (``clarity/shorten.py``),
which takes moments and works however large the model is. Then a search looks for another run to the same error that
is shorter still: A* where the model has estimates, else breadth-first. Edelkamp, Lafuente and Leue improve the trails
of SPIN in this way ("Directed explicit model checking with HSF-SPIN", SPIN 2001).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kripke.checker.check import check_properties
from kripke.clarity.ending import Ending, Run, has_ending
from kripke.clarity.shorten import shorten
from kripke.clarity.trials import Trials
from kripke.deadline import Deadline, OutOfTime, current, keeping
from kripke.engines.explicit.search import Watch
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.engines.registry import knows_search
from kripke.model.capabilities.estimate import Estimate
from kripke.model.explanation import FalseAtom, Stuck
from kripke.model.model import Model
from kripke.model.product import Product
from kripke.model.result import Result
from kripke.model.trace import Trace

_CALLS = 200_000  # of the model's successors, to leave steps out


@dataclass(frozen=True, slots=True)
class Shorter:
    """The shortest run that was found. ``shortest``: no run to this error has fewer steps. ``left_out``: how many steps
    of the trace itself the error did not need. ``open``: why a shorter run may exist."""

    trace: Trace
    left_out: int
    shortest: bool
    open: str = ""


def shorter(trace: Trace, invariants: Sequence[str], plan: SearchPlan, watch: Watch | None = None) -> Shorter:
    """``invariants``: the atoms that the check of the trace was about. ``plan`` has the limits of the search."""
    ending = _ending(trace, invariants)
    deadline = current().within(plan.time_limit)
    with keeping(deadline.part(0.3)):
        least = shorten(trace, ending, Trials(trace.model, _CALLS, plan.time_limit))
    left_out = len(trace) - len(least)
    if isinstance(trace.model, Product):
        return Shorter(least, left_out, False, "other runs are looked for where no formula observes the model")
    return _searched(replace(least, omitted=0), ending, left_out, plan, deadline, watch)


def _searched(
    least: Trace, ending: Ending, left_out: int, plan: SearchPlan, deadline: Deadline, watch: Watch | None
) -> Shorter:
    """Other runs: the nearest error first, and where that is another one than the trace's, all of them."""
    model = least.model
    atoms = (model.atoms[ending.number],) if isinstance(ending, FalseAtom) else ()
    wanted = replace(
        plan,
        deadlock=isinstance(ending, Stuck),
        invariants=atoms,
        properties=("safety",),
        clarify=False,
        time_limit=None,
    )
    ways = [replace(wanted, search="bfs", all_errors=True)]
    if model.capability(Estimate) is not None and knows_search("astar"):
        ways.insert(0, replace(wanted, search="astar"))
    why = ""
    with keeping(deadline):
        for way in ways:
            try:
                result = check_properties(model, way, watch=watch, origin=least.origin)
            except Unsupported as error:
                why = str(error)
                continue
            except OutOfTime:
                why = "the time limit was reached"
                break
            found = [run for run in _runs(result) if _has(run, ending)]
            if found:
                run = min(found, key=len)
                # Breadth-first meets an error first by the fewest steps there are; A* says whether it did.
                proved = way.search == "bfs" or bool(result.engine.get("shortest"))
                if len(run) < len(least) or proved:
                    least = run if len(run) < len(least) else least
                    return Shorter(least, left_out, proved, "" if proved else "the search went by an estimate")
            why = result.reason if result.verdict == "unknown" else "the search met other errors before this one"
            if result.verdict == "unknown":
                break
    return Shorter(least, left_out, False, why)


def _runs(result: Result) -> list[Trace]:
    return [finding.trace for finding in result.findings if finding.trace is not None]


def _has(trace: Trace, ending: Ending) -> bool:
    return has_ending(Trials(trace.model), _run(trace), ending)


def _run(trace: Trace) -> Run:
    return Run(trace.final, trace.steps[-1].violations if trace.steps else ())


def _ending(trace: Trace, invariants: Sequence[str]) -> Ending:
    """Unsupported where the trace ends in no error."""
    if trace.loop_start is not None:
        raise Unsupported("the trace repeats for ever: kripke check --shortest looks for a short one of that kind")
    run = _run(trace)
    if run.violations:
        return run.violations[0]
    broken = _broken(trace.model, run.state, invariants)
    if broken is not None:
        return FalseAtom(broken)
    if has_ending(Trials(trace.model), run, Stuck()):
        return Stuck()
    raise Unsupported("the trace ends in no error, so there is nothing that a shorter run would have to keep")


def _broken(model: Model, state: bytes, invariants: Sequence[str]) -> int | None:
    values = model.atom_values(state)
    return next((n for n, name in enumerate(model.atoms) if name in invariants and not values[n]), None)
