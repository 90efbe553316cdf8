"""The engine for systems of modes: diagrams per control point."""

from __future__ import annotations

from kripke.engines.combinations import WITHOUT_STATES
from kripke.engines.registry import Engine, Need, Search, register

register(
    Engine(
        name="hierarchic",
        words="hierarchic symbolic",
        serves=("safety", "ltl", "never", "acceptance", "progress", "ctl"),
        check="kripke.engines.hierarchy.check:check",
        answers="every reachable state is in the set of its control point",
        searches=(Search("hierarchic", "hierarchic symbolic"),),
        takes=frozenset({"memory", "time_limit", "ctl"}),
        because="which searches sets of states, one for each control point",
        rules=WITHOUT_STATES,
        needs=(Need("kripke.hierarchy.mode_model:ModeModel", "systems of modes"),),
    )
)
