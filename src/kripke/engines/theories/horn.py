"""PDR on integers without bounds: the reachable states as a least solution of Horn clauses, by z3's Spacer.

A. Komuravelli, A. Gurfinkel, S. Chaki: SMT-based model checking for recursive programs, CAV 2014. What it proves is an
inductive invariant. A way to something wrong is found again by k-induction's first half, step by step.
"""

from __future__ import annotations

from typing import Any

from kripke.engines.apart import Report
from kripke.engines.encoded import Answer
from kripke.engines.satisfiability.wrong import Wrong
from kripke.engines.theories.formulas import Formulas
from kripke.engines.theories.induction import inductive
from kripke.terms.build import TRUE
from kripke.terms.term import Term

_LONGEST = 100_000


def directed(z3: Any, wrong: Wrong, report: Report, lemma: Term = TRUE) -> Answer:
    """``lemma`` holds in every reachable state."""
    formulas = Formulas(z3, wrong.system)
    now, later = formulas.state("now"), formulas.state("later")
    variables = [now.vars[symbol] for symbol in wrong.system.variables]
    after = [later.vars[symbol] for symbol in wrong.system.variables]
    fixed = z3.Fixedpoint()
    fixed.set(engine="spacer")
    reached = z3.Function("reached", *(one.sort() for one in variables), z3.BoolSort())
    fixed.register_relation(reached)
    steps = [formulas.by(command, now, later) for command in wrong.system.commands]
    chosen = [now.vars[symbol] for command in wrong.system.commands for symbol in command.choices]
    fixed.declare_var(*variables, *after, *chosen)
    fixed.rule(reached(*variables), [formulas.ranges(now), now.of(wrong.system.initial)])
    for step in steps:
        fixed.rule(reached(*after), [reached(*variables), now.of(lemma), step])
    report_nothing_yet = fixed.query(z3.And(reached(*variables), now.of(lemma), now.of(wrong.term)))
    if report_nothing_yet == z3.unsat:
        return Answer(facts={"solver": "spacer"})
    if report_nothing_yet != z3.sat:
        return Answer(reason=f"the solver gives up: {fixed.reason_unknown()}")
    return inductive(z3, wrong, _LONGEST, report, lemma)
