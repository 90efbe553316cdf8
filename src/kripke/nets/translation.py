"""Formulas about a net as formulas of temporal logic, over atoms with names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kripke.logic import ctl
from kripke.logic import formula as ltl
from kripke.logic.ctl import And, Not, Or
from kripke.nets.formulas import (
    AllPaths,
    Finally,
    Formula,
    Globally,
    Next,
    Now,
    Query,
    SomePath,
    Until,
    predicates_of,
)
from kripke.nets.predicates import Constant, Predicate


def atom_names(queries: Sequence[Query]) -> dict[Predicate, str]:
    """An atom for every predicate of some formulas."""
    names: dict[Predicate, str] = {}
    for query in queries:
        for predicate in predicates_of(query.formula):
            names.setdefault(predicate, f"atom {len(names)}")
    return names


def linear_formula(formula: Formula, names: Mapping[Predicate, str]) -> ltl.Formula:
    """A formula of a path; TypeError where it quantifies over paths."""
    match formula:
        case Now(Constant(value)):
            return ltl.TRUE if value else ltl.FALSE
        case Now(predicate):
            return ltl.atom(names[predicate])
        case Not(operand):
            return ltl.negation(linear_formula(operand, names))
        case And(operands):
            return ltl.conjunction(linear_formula(operand, names) for operand in operands)
        case Or(operands):
            return ltl.disjunction(linear_formula(operand, names) for operand in operands)
        case Next(operand):
            return ltl.following(linear_formula(operand, names))
        case Finally(operand):
            return ltl.eventually(linear_formula(operand, names))
        case Globally(operand):
            return ltl.always(linear_formula(operand, names))
        case Until(before, reached):
            return ltl.until(linear_formula(before, names), linear_formula(reached, names))
        case _:
            raise TypeError(formula)


def branching_formula(formula: Formula, names: Mapping[Predicate, str]) -> ctl.StateFormula:
    """TypeError where a path operator has no quantifier directly before it."""

    def part(inner: Formula) -> ctl.StateFormula:
        return branching_formula(inner, names)

    match formula:
        case Now(Constant(value)):
            return ctl.Truth(value)
        case Now(predicate):
            return ctl.Atom(names[predicate])
        case Not(operand):
            return ctl.negation(part(operand))
        case And(operands):
            return ctl.And(tuple(map(part, operands)))
        case Or(operands):
            return ctl.Or(tuple(map(part, operands)))
        case SomePath(Next(operand)):
            return ctl.ExistsNext(part(operand))
        case SomePath(Finally(operand)):
            return ctl.exists_finally(part(operand))
        case SomePath(Globally(operand)):
            return ctl.ExistsGlobally(part(operand))
        case SomePath(Until(before, reached)):
            return ctl.ExistsUntil(part(before), part(reached))
        case AllPaths(Next(operand)):
            return ctl.always_next(part(operand))
        case AllPaths(Finally(operand)):
            return ctl.always_finally(part(operand))
        case AllPaths(Globally(operand)):
            return ctl.always_globally(part(operand))
        case AllPaths(Until(before, reached)):
            return ctl.always_until(part(before), part(reached))
        case _:
            raise TypeError(formula)
