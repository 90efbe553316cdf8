"""A trace that a check had no time to make clear, made clear when a person opens it.

A check with many errors shares a short time among their traces (``clear.py``). Those that were cut short are saved as
they are and say so; who opens one waits for this one alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from kripke.clarity.clarify import clarify
from kripke.clarity.temporal import clarify_run
from kripke.deadline import current, keeping
from kripke.engines.explicit.search import ErrorKind, ErrorPath, Fairness
from kripke.model.model import Model
from kripke.model.product import Product
from kripke.model.trace import Trace

SECONDS = 10.0  # for the one trace that is opened


def clear_later(
    trace: Trace, invariants: Sequence[str], fairness: Fairness | None = None, seconds: float = SECONDS
) -> Trace:
    """The trace, shorter and clearer where that can be; ``invariants``: those that the check was about."""
    error = _error_of(trace, invariants)
    if error is None:
        return trace
    with keeping(current().within_work(seconds)):
        if isinstance(trace.model, Product):
            return clarify_run(trace, error, fairness)
        return clarify(trace, error)


def _error_of(trace: Trace, invariants: Sequence[str]) -> ErrorPath | None:
    """What the trace ends in; None where that is no error of the model as it is now."""
    model = trace.model
    path = (trace.initial, *(step.state for step in trace.steps if step.state is not None))
    if trace.loop_start is not None:
        return ErrorPath("cycle", -1, -1, path, trace.loop_start)
    if trace.steps and trace.steps[-1].violations:
        violation = trace.steps[-1].violations[0]
        # The last step has a state where the model goes on after what it broke.
        path = path if trace.steps[-1].state is None else path[:-1]
        return ErrorPath("violation", violation.code, violation.statement, path)
    broken = _broken(model, trace.final, invariants)
    kind: ErrorKind = "deadlock" if broken is None else "invariant"
    if broken is None and (next(model.each_successor(trace.final), None) or model.valid_end(trace.final)):
        return None
    return ErrorPath(kind, -1 if broken is None else broken, -1, path)


def _broken(model: Model, state: bytes, invariants: Sequence[str]) -> int | None:
    if model.failed_atoms(state):  # what cannot be evaluated is an error of its own, which stays as it is
        return None
    values = model.atom_values(state)
    return next((number for number, name in enumerate(model.atoms) if name in invariants and not values[number]), None)
