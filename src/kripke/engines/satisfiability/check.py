"""The engines ``bmc``, ``induction`` and ``pdr``: deadlocks, violations and invariants with a SAT solver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kripke.engines.apart import Report, work_apart
from kripke.engines.encoded import Answer, encodings, invariant_atoms, refuse_start, result_of
from kripke.engines.explicit.search import Watch
from kripke.engines.plan import SearchPlan
from kripke.engines.satisfiability.bounded import bounded
from kripke.engines.satisfiability.circuit import load_solver
from kripke.engines.satisfiability.induction import USUAL_DEPTH, inductive
from kripke.engines.satisfiability.pdr import directed
from kripke.engines.satisfiability.wrong import Wrong
from kripke.model.model import Model
from kripke.model.result import Result

USUAL_BOUND = 30


def check(
    model: Model, properties: Sequence[Any], plan: SearchPlan, *, watch: Watch | None, origin: Mapping[str, Any]
) -> Iterator[Result]:
    name = plan.engine or "bmc"
    load_solver(name)
    refuse_start(model, name)
    for goal in properties:

        def work(report: Report, goal: Any = goal) -> Answer:
            answer = Answer(reason="the model has no initial state")
            for encoding in encodings(model, name):
                wrong = Wrong(encoding, goal, invariant_atoms(model, plan))
                match name:
                    case "induction":
                        answer = inductive(wrong, plan.depth or USUAL_DEPTH, report)
                    case "pdr":
                        answer = directed(wrong, report)
                    case _:
                        answer = bounded(wrong, plan.depth or USUAL_BOUND, report)
                if not answer.facts.get("limit"):
                    break
            return answer

        done = work_apart(work, memory=plan.memory, time_limit=plan.time_limit, watch=watch)
        yield result_of(model, goal, plan, {"name": name, "search": name, "store": "clauses"}, done, origin)
        if done.reason == "interrupted":
            return
