"""What can be asked of a net: reachability, invariance, bounds, branching and linear time.

Formulas are over predicates on markings. They are those of ``logic.ctl`` with path quantifiers and path operators
apart, as in CTL*. ``classify`` tells which of the engines a formula needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from kripke.logic.ctl import And, Not, Or, StateFormula
from kripke.nets import predicates
from kripke.nets.predicates import Constant, Predicate

#: Of a state or of a path.
Formula = StateFormula


@dataclass(frozen=True, slots=True)
class Now(Formula):
    """A predicate on the marking."""

    predicate: Predicate


@dataclass(frozen=True, slots=True)
class Next(Formula):
    operand: Formula


@dataclass(frozen=True, slots=True)
class Finally(Formula):
    operand: Formula


@dataclass(frozen=True, slots=True)
class Globally(Formula):
    operand: Formula


@dataclass(frozen=True, slots=True)
class Until(Formula):
    before: Formula
    reached: Formula


@dataclass(frozen=True, slots=True)
class AllPaths(Formula):
    operand: Formula


@dataclass(frozen=True, slots=True)
class SomePath(Formula):
    operand: Formula


@dataclass(frozen=True, slots=True)
class Bound(Formula):
    """The greatest number of tokens these places ever hold together."""

    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """A formula with its name in the file."""

    name: str
    formula: Formula
    file: str = ""
    kind: ClassVar[str] = "formula"


Class = Literal["reachability", "invariant", "initial", "bound", "ctl", "ltl", "none"]


def negation(operand: Formula) -> Formula:
    match operand:
        case Now(predicate):
            return Now(predicates.negation(predicate))
        case Not(inner):
            return inner
        case _:
            return Not(operand)


def conjunction(operands: tuple[Formula, ...]) -> Formula:
    """Predicates among the operands become one."""
    here = [operand.predicate for operand in operands if isinstance(operand, Now)]
    later = tuple(operand for operand in operands if not isinstance(operand, Now))
    now = predicates.conjunction(here)
    if not later or now == Constant(False):
        return Now(now)
    parts = later if now == Constant(True) else (Now(now), *later)
    return parts[0] if len(parts) == 1 else And(parts)


def disjunction(operands: tuple[Formula, ...]) -> Formula:
    here = [operand.predicate for operand in operands if isinstance(operand, Now)]
    later = tuple(operand for operand in operands if not isinstance(operand, Now))
    now = predicates.disjunction(here)
    if not later or now == Constant(True):
        return Now(now)
    parts = later if now == Constant(False) else (Now(now), *later)
    return parts[0] if len(parts) == 1 else Or(parts)


def classify(formula: Formula) -> Class:
    """The simplest class a formula belongs to."""
    match formula:
        case Now():
            return "initial"
        case Bound():
            return "bound"
        case SomePath(Finally(Now())):
            return "reachability"
        case AllPaths(Globally(Now())):
            return "invariant"
        case _ if _is_ctl(formula):
            return "ctl"
        case AllPaths(operand) if _is_path(operand):
            return "ltl"
        case _:
            return "none"


def _is_ctl(formula: Formula) -> bool:
    """Every path operator directly under a path quantifier."""
    match formula:
        case Now():
            return True
        case Not(operand):
            return _is_ctl(operand)
        case And(operands) | Or(operands):
            return all(map(_is_ctl, operands))
        case AllPaths(path) | SomePath(path):
            match path:
                case Next(operand) | Finally(operand) | Globally(operand):
                    return _is_ctl(operand)
                case Until(before, reached):
                    return _is_ctl(before) and _is_ctl(reached)
    return False


def _is_path(formula: Formula) -> bool:
    """No path quantifier inside."""
    match formula:
        case Now():
            return True
        case Not(operand) | Next(operand) | Finally(operand) | Globally(operand):
            return _is_path(operand)
        case And(operands) | Or(operands):
            return all(map(_is_path, operands))
        case Until(before, reached):
            return _is_path(before) and _is_path(reached)
    return False


def predicates_of(formula: Formula) -> list[Predicate]:
    """The predicates in a formula, each once, in the order they come."""
    found: dict[Predicate, None] = {}

    def visit(part: Formula) -> None:
        match part:
            case Now(predicate):
                found[predicate] = None
            case (
                Not(operand)
                | Next(operand)
                | Finally(operand)
                | Globally(operand)
                | AllPaths(operand)
                | SomePath(operand)
            ):
                visit(operand)
            case And(operands) | Or(operands):
                for operand in operands:
                    visit(operand)
            case Until(before, reached):
                visit(before)
                visit(reached)

    visit(formula)
    return list(found)
