"""Bounded model checking: is there a way of 0, 1, 2, ... commands to something wrong?

A. Biere, A. Cimatti, E. Clarke, Y. Zhu: Symbolic model checking without BDDs, TACAS 1999. The solver is incremental:
what it has learnt about short ways it knows for longer ones.
"""

from __future__ import annotations

from time import perf_counter

from kripke.engines.apart import Report
from kripke.engines.encoded import Answer
from kripke.engines.explicit.search import Progress
from kripke.engines.satisfiability.circuit import SOLVER, load_solver
from kripke.engines.satisfiability.recurrence import Recurrence
from kripke.engines.satisfiability.unrolling import Unrolling
from kripke.engines.satisfiability.wrong import Wrong
from kripke.terms.build import TRUE
from kripke.terms.system import TransitionSystem

#: how to know that longer ways need not be looked at
COMPLETENESS = ("diameter", "recurrence")


def bounded(wrong: Wrong, depth: int | None, completeness: str | None, report: Report) -> Answer:
    """Ways of up to ``depth`` commands (None: until nothing new can come). It holds where no way is longer than what
    was looked at, or where longer ones lead to nothing new."""
    begin = perf_counter()
    enough = _Enough(wrong, completeness)
    facts: dict[str, object] = {} if completeness is None else {"completeness": completeness}
    with load_solver("bmc")(name=SOLVER) as solver:
        unrolling = Unrolling(wrong.system, solver)
        unrolling.begin()
        length = 0
        while True:
            moment = unrolling.moments[-1]
            if length and not solver.solve():
                return Answer(depth=length - 1, facts={"bound": length - 1})
            bad = moment.truth(wrong.term)
            if solver.solve(assumptions=[bad]):
                model = {literal for literal in solver.get_model() if literal > 0}
                path = [unrolling.values(one, model) for one in unrolling.moments]
                return wrong.answer(path, Answer(facts={"bound": length}))
            unrolling.circuit.require(-bad)
            if enough(length):
                return Answer(depth=length, facts={"bound": length, **facts})
            report(Progress(0, 0, length, solver.nof_clauses(), 0, perf_counter() - begin))
            if length == depth:
                return nothing_within(depth, wrong.system)
            unrolling.step()
            length += 1


class _Enough:
    """Have all states been looked at?"""

    def __init__(self, wrong: Wrong, completeness: str | None) -> None:
        self._recurrence = Recurrence(wrong.system) if completeness == "recurrence" else None
        self._bound: int | None = None
        if completeness == "diameter":
            from kripke.engines.diagrams.diameter import diameter

            self._bound = diameter(wrong.system)

    def __call__(self, length: int) -> bool:
        if self._recurrence is not None and self._bound is None:
            self._bound = self._recurrence.longest(length + 1)
        return self._bound is not None and length >= self._bound


def nothing_within(depth: int, system: TransitionSystem) -> Answer:
    text = f"no error within {depth:,} {'step' if depth == 1 else 'steps'} (--depth)"
    if system.stable is not TRUE:
        text += ", those inside of atomic sequences counted one by one"
    return Answer(reason=text, depth=depth, facts={"bound": depth})
