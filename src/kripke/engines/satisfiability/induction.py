"""k-induction: nothing wrong within k steps of the start, and k steps without anything wrong lead to nothing wrong.

M. Sheeran, S. Singh, G. Stålmarck: Checking safety properties using induction and a SAT-solver, FMCAD 2000. The states
of the second part are all different, so that a finite system is decided at some k.
"""

from __future__ import annotations

from time import perf_counter

from kripke.engines.apart import Report
from kripke.engines.encoded import Answer
from kripke.engines.explicit.search import Progress
from kripke.engines.satisfiability.circuit import SOLVER, load_solver
from kripke.engines.satisfiability.unrolling import Moment, Unrolling
from kripke.engines.satisfiability.wrong import Wrong

USUAL_DEPTH = 60


def inductive(wrong: Wrong, depth: int, report: Report) -> Answer:
    begin = perf_counter()
    solver_class = load_solver("induction")
    with solver_class(name=SOLVER) as first, solver_class(name=SOLVER) as second:
        start, anywhere = Unrolling(wrong.system, first), Unrolling(wrong.system, second)
        start.begin()
        anywhere.begin_free()
        for fact in wrong.facts:
            anywhere.circuit.require(anywhere.moments[0].truth(fact))
        for length in range(depth + 1):
            if not first.solve():
                return Answer(depth=length - 1, facts={"k": length - 1})  # no run is longer
            bad = start.moments[-1].truth(wrong.term)
            if first.solve(assumptions=[bad]):
                model = {literal for literal in first.get_model() if literal > 0}
                path = [start.values(one, model) for one in start.moments]
                return wrong.answer(path, Answer(facts={"k": length}))
            start.circuit.require(-bad)
            later = anywhere.moments[-1].truth(wrong.term)
            if not second.solve(assumptions=[later]):
                return Answer(depth=length, facts={"k": length})
            anywhere.circuit.require(-later)
            report(Progress(0, 0, length, first.nof_clauses() + second.nof_clauses(), 0, perf_counter() - begin))
            start.step()
            anywhere.step()
            for earlier in anywhere.moments[:-1]:
                _differ(anywhere, earlier, anywhere.moments[-1])
    return Answer(
        reason=f"{depth}-induction does not decide it: give more --depth, or --engine pdr", facts={"k": depth}
    )


def _differ(unrolling: Unrolling, one: Moment, other: Moment) -> None:
    circuit = unrolling.circuit
    pairs = zip(one.literals(), other.literals(), strict=True)
    circuit.require(*(circuit.xor(a, b) for a, b in pairs))
