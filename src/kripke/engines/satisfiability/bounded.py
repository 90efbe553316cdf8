"""Bounded model checking: is there a way of 0, 1, 2, ... commands to something wrong?

A. Biere, A. Cimatti, E. Clarke, Y. Zhu: Symbolic model checking without BDDs, TACAS 1999. The solver is incremental:
what it has learnt about short ways it knows for longer ones.
"""

from __future__ import annotations

from time import perf_counter

from kripke.engines.apart import Report
from kripke.engines.encoded import Answer
from kripke.engines.explicit.search import Progress
from kripke.engines.satisfiability.circuit import load_solver
from kripke.engines.satisfiability.unrolling import Unrolling
from kripke.engines.satisfiability.wrong import Wrong

SOLVER = "cadical153"


def bounded(wrong: Wrong, depth: int, report: Report) -> Answer:
    """Ways of up to ``depth`` commands. It holds where no way is longer than what was looked at."""
    begin = perf_counter()
    with load_solver("bmc")(name=SOLVER) as solver:
        unrolling = Unrolling(wrong.system, solver)
        unrolling.begin()
        for length in range(depth + 1):
            moment = unrolling.moments[-1]
            if length and not solver.solve():
                return Answer(depth=length - 1, facts={"bound": length - 1})
            bad = moment.truth(wrong.term)
            if solver.solve(assumptions=[bad]):
                model = {literal for literal in solver.get_model() if literal > 0}
                path = [unrolling.values(one, model) for one in unrolling.moments]
                return wrong.answer(path, Answer(facts={"bound": length}))
            unrolling.circuit.require(-bad)
            report(Progress(0, 0, length, solver.nof_clauses(), 0, perf_counter() - begin))
            if length < depth:
                unrolling.step()
    text = "step" if depth == 1 else "steps"
    return Answer(
        reason=f"no error within {depth:,} {text} (--depth), those inside of atomic sequences counted one by one",
        depth=depth,
        facts={"bound": depth},
    )
