"""What symmetry does not go with, and why."""

from __future__ import annotations

from kripke.engines.combinations import Rule

#: one state of those that are alike
SYMMETRY: tuple[Rule, ...] = (
    Rule(
        "what is chosen of the steps of a state is not chosen alike in one that differs by a symmetry: leave one out",
        por=(True,),
        symmetry=(True,),
    ),
    Rule(
        "symmetry is for deadlocks, assertions and invariants yet: leave it out, or check --property safety alone",
        sort=("alarms", "cycles"),
        symmetry=(True,),
    ),
)
