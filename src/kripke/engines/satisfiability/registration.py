"""The engines with a SAT solver, for every model that can be said in terms."""

from __future__ import annotations

from kripke.engines.combinations import WITHOUT_STATES
from kripke.engines.registry import Engine, Need, register

_TERMS = (Need("kripke.model.capabilities.encodable:Encodable", "models that can be said in terms"),)
_BECAUSE = "which asks a solver about sets of states"

for name, words, answers, options in (
    ("bmc", "bounded", "errors within the bound; what holds within it is unknown, unless no run is longer", {"depth"}),
    ("induction", "inductive", "what holds was shown by k-induction; what it does not decide is unknown", {"depth"}),
    ("pdr", "property-directed", "what holds was shown by an inductive invariant", set[str]()),
):
    register(
        Engine(
            name=name,
            words=words,
            serves=("safety",),
            check="kripke.engines.satisfiability.check:check",
            answers=answers,
            names=(name,),
            takes=frozenset({"memory", "time_limit", *options}),
            because=_BECAUSE,
            rules=WITHOUT_STATES,
            needs=_TERMS,
        )
    )
