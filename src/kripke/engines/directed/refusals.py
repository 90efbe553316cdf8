"""What directed searches refuse of a plan beside their rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kripke.engines.directed.guidance import SCALE, TIES
from kripke.engines.explicit.stores import MOST_HASHES
from kripke.engines.unsupported import Unsupported

if TYPE_CHECKING:
    from kripke.engines.plan import SearchPlan

_MOST = 1000


def refuse(plan: SearchPlan) -> None:
    """Unsupported says what, and what to do."""
    if plan.ties not in (None, *TIES):
        raise Unsupported(f"--ties {plan.ties}: choose lifo (the state met last comes first) or fifo")
    weight = plan.weight
    if weight is not None and not (1 <= weight <= _MOST and round(weight * SCALE) == weight * SCALE):
        raise Unsupported(
            f"--weight {weight:g}: choose from 1 to {_MOST:,}, with at most three digits behind the point"
        )
    if plan.estimate == "":
        raise Unsupported("--estimate needs a name (bound, formula, active, none) or an expression")
    if plan.search != "ida":
        return
    for option, given in (("--hashes", plan.hashes is not None), ("--store-size", plan.store_size is not None)):
        if given and plan.store != "bitstate":
            raise Unsupported(f"{option} belongs to --store bitstate, not to --store {plan.store or 'full'}")
    if plan.hashes is not None and not 1 <= plan.hashes <= MOST_HASHES:
        raise Unsupported(f"{plan.hashes} hashes: choose from 1 to {MOST_HASHES}")
    if plan.store == "bitstate" and plan.engine == "interpreter":
        raise Unsupported("--store bitstate needs the native engine: leave out --engine interpreter")
