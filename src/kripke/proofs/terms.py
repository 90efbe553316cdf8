"""Formulas in negation normal form as nested tuples: what proofs are written in, and what JSON can hold.

``("atom", p)``, ``("not", p)``, ``("true",)``, ``("false",)``, ``("and", f, ...)``, ``("or", f, ...)``, ``("X", f)``,
``("F", f)``, ``("G", f)``, ``("U", f, g)``, ``("R", f, g)``; the operands of ``and`` and ``or`` are sorted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from kripke.logic.formula import Formula

Term = tuple[Any, ...]

TRUE: Final[Term] = ("true",)
FALSE: Final[Term] = ("false",)
_DUAL: Final = {"and": "or", "or": "and", "X": "X", "F": "G", "G": "F", "U": "R", "R": "U"}
_SIGNS: Final = {"and": " && ", "or": " || ", "U": " U ", "R": " V "}
_COMPOSED: Final = frozenset(" \t\n+-*/%<>=&|^!~?")
_PREFIXES: Final = {"X": "X ", "F": "<>", "G": "[]"}


def joined(operator: str, terms: Iterable[Term]) -> Term:
    """``and`` or ``or`` of terms, without constants and repetitions."""
    neutral, absorbing = (TRUE, FALSE) if operator == "and" else (FALSE, TRUE)
    found: set[Term] = set()
    for term in terms:
        found |= set(term[1:]) if term[0] == operator else {term}
    found.discard(neutral)
    if absorbing in found:
        return absorbing
    if len(found) < 2:
        return found.pop() if found else neutral
    return (operator, *sorted(found, key=repr))


def normal(formula: Formula, *, negated: bool = False) -> Term:
    """The term of a formula, or of its negation."""
    parts = formula.operands
    match formula.operator:
        case "true" | "false":
            return TRUE if (formula.operator == "true") != negated else FALSE
        case "atom":
            return ("not" if negated else "atom", str(formula.atom))
        case "not":
            return normal(parts[0], negated=not negated)
        case "and" | "or" as both:
            return joined(_DUAL[both] if negated else both, [normal(part, negated=negated) for part in parts])
        case "->":
            sides = [normal(parts[0], negated=not negated), normal(parts[1], negated=negated)]
            return joined("and" if negated else "or", sides)
        case "<->":
            left, right = parts
            first = [normal(left), normal(right, negated=negated)]
            second = [normal(left, negated=True), normal(right, negated=not negated)]
            return joined("or", [joined("and", first), joined("and", second)])
    inner = [normal(part, negated=negated) for part in parts]
    match formula.operator:
        case "W":  # f W g = g R (f || g)
            inner = [inner[1], joined("and" if negated else "or", inner)]
        case "M":  # f M g = g U (f && g)
            inner = [inner[1], joined("or" if negated else "and", inner)]
    operator = {"W": "R", "M": "U"}.get(formula.operator, formula.operator)
    return (_DUAL[operator] if negated else operator, *inner)


def negation(term: Term) -> Term:
    match term[0]:
        case "true":
            return FALSE
        case "false":
            return TRUE
        case "atom":
            return ("not", term[1])
        case "not":
            return ("atom", term[1])
        case "and" | "or" as operator:
            return joined(_DUAL[operator], map(negation, term[1:]))
    return (_DUAL[term[0]], *map(negation, term[1:]))


def written(term: Term, *, inner: bool = False) -> str:
    """As a person writes it."""
    match term[0]:
        case "true" | "false":
            return str(term[0])
        case "atom":
            return _atom(term[1])
        case "not":
            return f"!{_atom(term[1])}"
        case "X" | "F" | "G" as operator:
            return f"{_PREFIXES[operator]}{written(term[1], inner=True)}"
    text = _SIGNS[term[0]].join(written(part, inner=True) for part in term[1:])
    return f"({text})" if inner else text


def _atom(name: str) -> str:
    return f"({name})" if _COMPOSED & set(name) else name


def from_json(value: Any) -> Term:
    return tuple(from_json(part) if isinstance(part, list) else part for part in value)
