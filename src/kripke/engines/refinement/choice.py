"""Which assertions of a model are checked, and what does not go with them."""

from __future__ import annotations

from kripke.engines.plan import SearchPlan
from kripke.engines.unsupported import Unsupported
from kripke.model.assertions import Assertion, Assertions
from kripke.model.model import Model


def chosen_assertions(model: Model, plan: SearchPlan) -> list[Assertion]:
    """Of the assertions in the text of a model, by their names or numbers; none where it has none, and with
    `--no-deadlock` not the usual one about deadlocks."""
    if not isinstance(model, Assertions) or not model.assertions:
        return []
    known = {f"assert{number}": assertion for number, assertion in enumerate(model.assertions, start=1)}
    known |= {assertion.name: assertion for assertion in model.assertions}
    for name in plan.properties:
        if name not in known:
            raise Unsupported(f"--property {name}: there is no assertion of that name; there are {', '.join(known)}")
    for option, given in (
        ("--possible", plan.possible),
        ("--invariant", plan.invariants),
    ):
        if given:
            raise Unsupported(f"{option} does not go with assertions about processes yet: leave it out")
    if plan.properties:
        return [known[name] for name in plan.properties]
    return [assertion for assertion in model.assertions if plan.deadlock or not assertion.usual]
