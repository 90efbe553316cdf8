"""From the trace an engine found to the one a person sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kripke.clarity.decision import deciding_step
from kripke.clarity.ending import Ending
from kripke.clarity.fewest import with_fewest_switches
from kripke.clarity.reorder import reorder
from kripke.clarity.shorten import shorten
from kripke.clarity.trials import Trials
from kripke.deadline import OutOfTime, current, keeping
from kripke.engines.evidence import Look
from kripke.engines.explicit.search import ErrorPath
from kripke.engines.runs.replay import ReplayFailure, replay_error
from kripke.model.explanation import FalseAtom, Stuck
from kripke.model.model import Model, Violation
from kripke.model.trace import Trace

_TO_CONFIRM = 0.3  # seconds, whatever the rest took


def clarify(trace: Trace, error: ErrorPath, look: Look | None = None, *, longer: bool = False) -> Trace:
    """The same error, by fewer steps and context switches, with the deciding step marked.

    Each part has a share of the time that is left, so that a long trace keeps what was achieved. The
    outcome is replayed as what an engine finds is; the trace as it was found is the answer should that fail.
    With ``look``, a search, another run to the error is looked for; ``longer``: it may have a few steps more.
    """
    model, ending = trace.model, ending_of(error)
    if ending is None:
        return trace
    with keeping(current().part(0.4)):
        clear = shorten(trace, ending, Trials(model))
    with keeping(current().part(0.3)):
        clear = reorder(clear, Trials(model), _avoid(model, ending))
    if look is not None:
        with keeping(current().part(0.6)):
            clear = with_fewest_switches(clear, error, look, longer=longer)
    if clear.steps != trace.steps and not _confirmed(clear, error):
        clear = trace
    return replace(clear, deciding=deciding_step(clear, ending, Trials(model)))


def ending_of(error: ErrorPath) -> Ending | None:
    """What an error path ends in; None for a cycle, which has no end."""
    match error.kind:
        case "deadlock":
            return Stuck()
        case "invariant":
            return FalseAtom(error.code)
        case "violation":
            return Violation(error.code, error.statement)
        case "cycle":
            return None


def _avoid(model: Model, ending: Ending) -> Callable[[bytes], bool] | None:
    """States that must come last: a broken invariant ends the trace."""
    if not isinstance(ending, FalseAtom):
        return None
    number = ending.number
    return lambda state: not model.atom_values(state)[number]


def _confirmed(trace: Trace, error: ErrorPath) -> bool:
    path = [trace.initial, *(step.state for step in trace.steps if step.state is not None)]
    if error.kind == "violation" and trace.steps[-1].state is not None:
        path.pop()
    try:
        replay_error(trace.model, replace(error, path=tuple(path)), deadline=current().at_least(_TO_CONFIRM))
    except (ReplayFailure, OutOfTime):
        return False
    return True
