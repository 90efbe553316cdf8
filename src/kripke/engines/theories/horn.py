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


def _invariant(z3: Any, answer: Any, variables: list[Any]) -> list[str]:
    """Of the solver's answer, a condition for all values of the variables: what is reached, over v0, v1, ..."""
    names = [z3.Const(f"v{number}", one.sort()) for number, one in enumerate(variables)]
    if not z3.is_quantifier(answer):
        return []
    body = answer.body()
    if not z3.is_eq(body) or len(body.children()) != 2:
        return []
    left, right = body.children()
    places = {z3.get_var_index(argument): name for argument, name in zip(left.children(), names, strict=True)}
    whole = z3.substitute_vars(right, *(places[index] for index in range(len(names))))
    return [one.sexpr() for one in (whole.children() if z3.is_and(whole) else [whole])]


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
    found = fixed.query(z3.And(reached(*variables), now.of(lemma), now.of(wrong.term)))
    if found == z3.unsat:
        return Answer(facts={"invariant": _invariant(z3, fixed.get_answer(), variables)})
    if found != z3.sat:
        return Answer(reason=f"the solver gives up: {fixed.reason_unknown()}")
    return inductive(z3, wrong, _LONGEST, report, lemma)
