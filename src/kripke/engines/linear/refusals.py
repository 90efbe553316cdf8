"""What properties of runs need of a model: somebody to be fair to, formulas that have values."""

from __future__ import annotations

from kripke.engines.unsupported import Unsupported
from kripke.model.model import Model


def refuse_fairness(model: Model, fair: str | None) -> None:
    """Unsupported, where there is nobody to be fair to."""
    if fair is not None and model.no_fairness:
        raise Unsupported(f"--fair {fair}: {model.no_fairness}; leave it out")
    if fair in ("weak", "strong", "events") and not model.has_actors:
        raise Unsupported(
            f"--fair {fair}: a {model.language} model has no {model.actors_text}; weak-edges and strong-edges are fair "
            "to every transition"
        )


def refuse_values(model: Model, *, known: bool) -> None:
    """Unsupported, where values are asked for and no formula has any. ``known``: the language has such formulas."""
    if any(property_.cuts for property_ in model.properties):
        return
    if not known:
        raise Unsupported(f"--values: there are no many-valued formulas in the language {model.language} yet")
    raise Unsupported("--values is about formulas, and there is none: give one with --ltl")
