"""Another run to the same error, with fewer context switches or steps, by searches of its own.

Reordering keeps the statements of a trace; the run with the fewest switches may have others. Runs with no switch are
searched breadth-first, then those with one, and so on (S. Qadeer, J. Rehof, "Context-bounded model checking of
concurrent software", TACAS 2005): the first that is found has the fewest switches, and of these the fewest steps.
A run that is longer than the known one is of interest only where the known one is not a shortest anyway: there a
switch less is worth a few steps more.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from kripke.clarity.reorder import switches
from kripke.clarity.trials import Exhausted, Trials
from kripke.deadline import current
from kripke.engines.evidence import Look
from kripke.engines.explicit.search import ErrorPath, SearchRequest
from kripke.model.model import Model
from kripke.model.preemptions import MOST_SWITCHES, Preemptions, inner_state, last_mover, mover
from kripke.model.trace import Step, Trace, make_step

_WORTH = 3  # steps that are as hard to follow as a switch
_STATES, _SECONDS, _MEMORY = 400_000, 0.5, 256 << 20  # for all searches together
_MOST_STEPS = 10_000  # of a trace; longer ones are replayed too slowly for it


def with_fewest_switches(trace: Trace, error: ErrorPath, look: Look, *, longer: bool) -> Trace:
    """A trace to the same error with fewer switches, or as many and fewer steps; the given one where none is found.

    ``longer``: it may have more steps, if not too many for each switch less.
    """
    if trace.loop_start is not None or not 1 < len(trace) <= _MOST_STEPS:
        return trace
    until, states = current().within(_SECONDS), _STATES
    request = SearchRequest(
        deadlock=error.kind == "deadlock",
        invariants=(error.code,) if error.kind == "invariant" else (),
        memory=_MEMORY,
    )
    known = switches(trace.steps)
    for most in range(min(known, MOST_SWITCHES) + 1):
        longest = len(trace) + (_WORTH * (known - most) if longer else 0)
        counting = Preemptions(trace.model, most, every=True)
        for first in (True, False):  # where another error is nearer, this one may be behind it
            if until.is_over or states <= 0:
                return trace
            limits = replace(request, max_depth=longest, stop_at_first=first, max_states=states)
            limits = replace(limits, time_limit=until.limit())
            outcome = look(counting, limits)
            states -= outcome.states
            found = [one for one in outcome.error_paths if _same(one, error)]
            if found:
                return _better(trace, error, found[0].path, longest)
            if not outcome.error_paths:
                break
        if outcome.reason not in ("", "depth", "switches", "error"):
            return trace
    return trace


def _same(one: ErrorPath, other: ErrorPath) -> bool:
    return bool(one.path) and (one.kind, one.code, one.statement) == (other.kind, other.code, other.statement)


def _better(trace: Trace, error: ErrorPath, path: tuple[bytes, ...], longest: int) -> Trace:
    """The trace along a path of states with who moved last, if it is better than the given one."""
    try:
        steps = _steps(trace.model, error, path)
    except (Exhausted, LookupError):
        return trace
    # On the way past another error the run would be one to that.
    if any(step.violations for step in steps[:-1]) or len(steps) > longest:
        return trace
    if (switches(steps), len(steps)) >= (switches(trace.steps), len(trace)):
        return trace
    omitted = max(0, trace.omitted + len(trace) - len(steps))
    return replace(trace, steps=steps, initial=inner_state(path[0]), omitted=omitted)


def _steps(model: Model, error: ErrorPath, path: tuple[bytes, ...]) -> tuple[Step, ...]:
    """LookupError where the path is no run of the model."""
    trials = Trials(model, seconds=_SECONDS)
    steps: list[Step] = []
    for before, after in pairwise(path):
        place, target = inner_state(before), inner_state(after)
        found = [
            step for step in trials.successors(place) if step.target == target and mover(step) == last_mover(after)
        ]
        steps.append(make_step(model, len(steps) + 1, place, found[0]))
    if error.kind == "violation":
        place, broken = inner_state(path[-1]), (error.code, error.statement)
        found = [step for step in trials.successors(place) if broken in step.violations]
        last = min(found, key=lambda step: mover(step) != last_mover(path[-1]))
        steps.append(make_step(model, len(steps) + 1, place, last))
    return tuple(steps)
