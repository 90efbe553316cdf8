"""The engines with a SAT solver, for every model that can be said in terms."""

from __future__ import annotations

from kripke.engines.combinations import WITHOUT_STATES
from kripke.engines.registry import Engine, Need, register

_TERMS = (Need("kripke.model.capabilities.encodable:Encodable", "models that can be said in terms"),)
_BECAUSE = "which asks a solver about sets of states"
_RUNS = ("ltl", "never", "acceptance", "progress")

for name, words, serves, answers, options in (
    (
        "bmc",
        "bounded",
        ("safety", *_RUNS),
        "errors within the bound; what holds within it is unknown, unless longer runs bring nothing new",
        {"depth", "completeness"},
    ),
    (
        "induction",
        "inductive",
        ("safety",),
        "what holds was shown by k-induction; what it does not decide is unknown",
        {"depth", "lemmas", "unbounded", "certificate"},
    ),
    (
        "pdr",
        "property-directed",
        ("safety",),
        "what holds was shown by an inductive invariant",
        {"lemmas", "unbounded", "certificate"},
    ),
):
    register(
        Engine(
            name=name,
            words=words,
            serves=serves,
            check="kripke.engines.satisfiability.check:check",
            answers=answers,
            names=(name,),
            takes=frozenset({"memory", "time_limit", *options}),
            because=_BECAUSE,
            rules=WITHOUT_STATES,
            needs=_TERMS,
        )
    )
