"""What is proved, and what cannot be: of the formulas of a check, the one that a proof is about."""

from __future__ import annotations

from collections.abc import Sequence

from kripke.engines.linear.product_search import speaks_of_steps
from kripke.engines.plan import SearchPlan
from kripke.engines.unsupported import Unsupported
from kripke.logic.formula import speaks_of_past
from kripke.model.model import Model
from kripke.model.property import Temporal


def formula_to_prove(model: Model, properties: Sequence[Temporal], plan: SearchPlan) -> Temporal:
    """The one formula among the properties that are checked; Unsupported where there is no proof of it."""
    formulas = [property_ for property_ in properties if property_.formula is not None]
    if any(property_.kind == "possible" for property_ in formulas):
        raise Unsupported("--prove proves what holds of every run; --possible shows a run")
    if any(property_.cuts for property_ in formulas):
        raise Unsupported("--prove with --values: there are no proofs of many-valued formulas")
    if plan.fair in ("weak-edges", "strong-edges"):
        raise Unsupported(f"--prove with --fair {plan.fair}: there are proofs for weak and strong, to processes")
    if plan.fair == "events":
        raise Unsupported("--prove with --fair events: there are no proofs under fairness to events yet")
    if any(property_.formula is not None and speaks_of_past(property_.formula) for property_ in formulas):
        raise Unsupported("--prove: there are no proofs of formulas about the past yet")
    if any(speaks_of_steps(model, property_) for property_ in formulas):
        raise Unsupported(
            "--prove: a proof is about states, and the formula speaks of steps "
            "(fires, moves, next of a process, assert_eventually)"
        )
    if len(formulas) != 1:
        have = "there are several" if formulas else "there is none"
        raise Unsupported(f"--prove proves one formula, and {have}: choose one with --ltl or --property")
    return formulas[0]
