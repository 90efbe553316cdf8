"""The engines ``bmc``, ``induction`` and ``pdr``: what solvers are asked about a model in terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kripke.engines.apart import Done, Report
from kripke.engines.certificates import MOST_STEPS, with_certificate
from kripke.engines.encoded import (
    NO_START,
    Answer,
    Encodings,
    Job,
    done_apart,
    invariant_atoms,
    refuse_start,
    result_of,
)
from kripke.engines.explicit.search import Watch
from kripke.engines.linear.product_search import fair_to_events, translate
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.engines.satisfiability.bounded import bounded
from kripke.engines.satisfiability.circuit import SOLVER, load_solver
from kripke.engines.satisfiability.induction import USUAL_DEPTH, inductive
from kripke.engines.satisfiability.lasso import lassos
from kripke.engines.satisfiability.pdr import directed
from kripke.engines.satisfiability.unrolling import Unrolling
from kripke.engines.satisfiability.wrong import Wrong
from kripke.engines.theories.check import answer as answer_by_theory
from kripke.engines.theories.check import lemmas_of
from kripke.engines.theories.formulas import load_z3
from kripke.model.capabilities.encodable import Encodable, Encoding
from kripke.model.model import Model
from kripke.model.observer import Observer
from kripke.model.product import Product
from kripke.model.property import Temporal
from kripke.model.result import Result
from kripke.terms.system import TransitionSystem

USUAL_BOUND = 30


def check(
    model: Model, properties: Sequence[Any], plan: SearchPlan, *, watch: Watch | None, origin: Mapping[str, Any]
) -> Iterator[Result]:
    yield from done_apart(model, jobs(model, properties, plan, origin), plan, watch)


def jobs(model: Model, properties: Sequence[Any], plan: SearchPlan, origin: Mapping[str, Any]) -> list[Job]:
    """What is to be done; Unsupported where it cannot be."""
    name = plan.engine or "bmc"
    if _by_theory(plan):
        load_z3(name)
        lemmas_of(plan)
    else:
        load_solver(name)
    refuse_start(model, name)
    observers = [_observer(model, goal, plan) if isinstance(goal, Temporal) else None for goal in properties]
    return [_job(model, goal, observer, plan, origin) for goal, observer in zip(properties, observers, strict=True)]


def _by_theory(plan: SearchPlan) -> bool:
    return plan.unbounded or plan.lemmas is not None


def _job(model: Model, goal: Any, observer: Observer | None, plan: SearchPlan, origin: Mapping[str, Any]) -> Job:
    name = plan.engine or "bmc"
    facts = {"name": name, "search": name, "store": "formulas" if _by_theory(plan) else "clauses"}

    def work(report: Report, encodings: Encodings) -> Answer:
        if _by_theory(plan):
            return answer_by_theory(model, goal, plan, report)
        answer = Answer(reason=NO_START)
        for encoding in encodings:
            if not _starts(encoding.system, name):
                return answer
            if observer is not None:
                complete = plan.completeness is not None
                answer = lassos(model, observer, encoding, _bound(plan), complete, report)
            else:
                answer = _safe(model, goal, plan, encoding, report)
            if not answer.facts.get("limit"):
                break
            encodings.met(answer.reason)
        return answer

    def result(done: Done[Answer]) -> Result:
        if observer is None:
            return result_of(model, goal, plan, facts, done, origin)
        more = {**origin, "property": goal.name, "sets": observer.sets, "fair": None}
        return result_of(Product(model, observer), goal, plan, facts, done, more)

    return Job(name, work, result)


def _starts(system: TransitionSystem, engine: str) -> bool:
    """Is there an initial state?"""
    with load_solver(engine)(name=SOLVER) as solver:
        Unrolling(system, solver).begin()
        return bool(solver.solve())


def _safe(model: Model, goal: Any, plan: SearchPlan, encoding: Encoding, report: Report) -> Answer:
    wrong = Wrong(encoding, goal, invariant_atoms(model, goal))
    match plan.engine:
        case "induction":
            found = inductive(wrong, plan.depth or USUAL_DEPTH, report)
        case "pdr":
            found = directed(wrong, report)
        case _:
            return bounded(wrong, _bound(plan), plan.completeness, report)
    texts = list[str](found.facts.get("invariant", ()))
    found = replace(found, facts={name: fact for name, fact in found.facts.items() if name != "invariant"})
    if not plan.certificate or found.error is not None or found.reason:
        return found
    encodable = model.capability(Encodable)
    whole = encodable.encode() if encodable is not None else ""
    if isinstance(whole, str) or whole.system.limits:
        return found  # nobody knows how much room there is: no certificate
    k = int(found.facts.get("k", 0)) if plan.engine == "induction" else 0
    if k > MOST_STEPS:
        return found
    return with_certificate(found, whole.system, encoding.system, wrong.facts, texts, k)


def _bound(plan: SearchPlan) -> int | None:
    return plan.depth or (None if plan.completeness else USUAL_BOUND)


def _observer(model: Model, property_: Temporal, plan: SearchPlan) -> Observer:
    """What goes along with runs; Unsupported where a solver cannot be asked."""
    if property_.cuts or property_.kind == "possible":
        raise Unsupported(f"--engine bmc does not check what is asked ({property_.kind}): leave it out")
    if plan.completeness == "diameter":
        raise Unsupported(
            f"--completeness diameter is for states, and {property_.name} is about runs: choose recurrence"
        )
    observer = fair_to_events(model, property_) if model.always_fair else translate(model, property_)
    if observer.steps:
        raise Unsupported(
            f"--engine bmc: {property_.name} speaks of steps, and a solver is asked of states: leave it out"
        )
    return observer
