"""The engine for formulas of branching time: the graph of all states."""

from __future__ import annotations

from kripke.engines.registry import Engine, register

register(
    Engine(
        name="graph",
        words="whole-graph",
        serves=("ctl", "mu"),
        check="kripke.engines.branching.branching:check",
        answers="every state and step was seen, and each formula evaluated in all of them",
        names=("native", "interpreter"),
        asked_with=("ctl", "mu"),
        read="kripke.engines.branching.branching:read",
        takes=frozenset({"max_states", "memory", "time_limit", "ctl", "mu", "possible", "coverage", "another"}),
        asked_by="--ctl and --mu",
        because="which look at the graph of all states",
        visits_states=True,
    )
)
