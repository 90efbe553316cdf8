"""Refinement between processes whose steps carry events: traces, stable failures, failures and divergences."""

from kripke.engines.refinement.checks import (
    Counterexample,
    Limits,
    Outcome,
    check_deadlock,
    check_determinism,
    check_divergence,
    check_refinement,
    check_trace,
)
from kripke.engines.refinement.systems import TAU, TICK, EventSystem

__all__ = [
    "TAU",
    "TICK",
    "Counterexample",
    "EventSystem",
    "Limits",
    "Outcome",
    "check_deadlock",
    "check_determinism",
    "check_divergence",
    "check_refinement",
    "check_trace",
]
