"""k-induction with an SMT solver, for integers without bounds; lemmas that were shown are assumed at every moment."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from kripke.engines.apart import Report
from kripke.engines.encoded import Answer
from kripke.engines.explicit.search import Progress
from kripke.engines.satisfiability.wrong import Wrong
from kripke.engines.theories.formulas import Formulas, State
from kripke.terms.build import TRUE
from kripke.terms.term import Term


def inductive(z3: Any, wrong: Wrong, depth: int, report: Report, lemma: Term = TRUE) -> Answer:
    """``lemma`` holds in every reachable state."""
    begin = perf_counter()
    formulas = Formulas(z3, wrong.system)
    first, second = z3.Solver(), z3.Solver()
    moments: list[State] = [formulas.state("0")]
    first.add(formulas.ranges(moments[0]), moments[0].of(wrong.system.initial))
    second.add(formulas.ranges(moments[0]), moments[0].of(lemma))
    for length in range(depth + 1):
        bad = moments[-1].of(wrong.term)
        found = first.check(bad)
        if found == z3.sat:
            model = first.model()
            path = [one.values(model, wrong.system.variables) for one in moments]
            return wrong.answer(path, Answer(facts={"k": length}))
        if found != z3.unsat:
            return Answer(reason=f"the solver gives up: {first.reason_unknown()}", facts={"k": length})
        found = second.check(bad)
        if found == z3.unsat:
            return Answer(depth=length, facts={"k": length})
        if found != z3.sat:
            return Answer(reason=f"the solver gives up: {second.reason_unknown()}", facts={"k": length})
        report(Progress(0, 0, length, 0, 0, perf_counter() - begin))
        later = formulas.state(str(length + 1))
        for solver in (first, second):
            solver.add(z3.Not(bad), formulas.step(moments[-1], later), formulas.ranges(later))
        second.add(later.of(lemma), *(formulas.differ(earlier, later) for earlier in moments))
        moments.append(later)
        if first.check() == z3.unsat:
            return Answer(depth=length, facts={"k": length})  # no run is longer
    return Answer(
        reason=f"{depth}-induction does not decide it: give more --depth, lemmas (--lemmas FILE), or --engine pdr",
        facts={"k": depth},
    )
