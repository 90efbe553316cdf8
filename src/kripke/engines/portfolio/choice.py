"""Which symbolic engine runs beside the usual one, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kripke.engines.encoded import Encodings, Job
from kripke.engines.plan import SearchPlan
from kripke.engines.refusals import refuse_combination
from kripke.engines.registry import Property, engine_for, loaded
from kripke.engines.unsupported import Unsupported
from kripke.model.model import Model
from kripke.numbers import counted
from kripke.terms.bits import variable_bits

#: bits of a variable from which on sets of its values have no short diagrams as a rule
WIDE = 17
_JOBS = {"bdd": "kripke.engines.diagrams.check:jobs", "pdr": "kripke.engines.satisfiability.check:jobs"}


def symbolic_jobs(model: Model, property_: Property, plan: SearchPlan, origin: Mapping[str, Any]) -> list[Job]:
    """What could run beside; Unsupported, with the first reason, where nothing could."""
    found: list[Job] = []
    refusals: list[str] = []
    for name, jobs in _JOBS.items():
        try:
            own = replace(plan, engine=name)
            engine = engine_for(property_.kind, own)
            engine.refuse_model(model, own)
            refuse_combination(own, name, "safety", bounded=own.max_depth is not None)
            found += loaded(jobs)(model, [property_], own, origin)
        except Unsupported as refusal:
            refusals.append(str(refusal))
    if not found:
        raise Unsupported(refusals[0])
    return found


def choose(jobs: Sequence[Job], encodings: Encodings) -> tuple[int, str]:
    """The number of one of them, and why that one. Unsupported where the model cannot be said in terms."""
    system = next(iter(encodings)).system
    widths = [variable_bits(symbol.sort) for symbol in system.variables if symbol.sort.size is not None]
    total = f"{counted(sum(widths), 'bit')} of state"
    wide = max(widths, default=0) >= WIDE
    names = [job.engine for job in jobs]
    if wide and "pdr" in names:
        return names.index("pdr"), f"{total}, a variable of {counted(max(widths), 'bit')} is too wide for diagrams"
    if "bdd" not in names:
        return 0, total
    return names.index("bdd"), f"{total}, no variable wider than {counted(max(widths, default=0), 'bit')}"
