"""``Path``: one way through a step of a model, as terms over the state it began in.

``values`` has what was written so far. ``when`` is the condition under which the path has come this far; whatever fails
on the way is noted with its condition, and taken out of ``when``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Self, TypeVar

from kripke.terms.build import FALSE, TRUE, all_of, conjoin, disjoin, ite, negate, variable
from kripke.terms.system import Breach, Limit
from kripke.terms.term import Op, Symbol, Term


@dataclass(slots=True, kw_only=True)
class Path:
    """``given``: the condition under which what is evaluated now is evaluated at all. ``statement``: of the model."""

    when: Term = TRUE
    given: Term = TRUE
    statement: int = -1
    values: dict[Symbol, Term] = field(default_factory=dict)
    breaches: list[Breach] = field(default_factory=list)
    limits: list[Limit] = field(default_factory=list)

    def read(self, symbol: Symbol) -> Term:
        known = self.values.get(symbol)
        return variable(symbol) if known is None else known

    def write(self, symbol: Symbol, value: Term) -> None:
        self.values[symbol] = value

    def fail(self, code: int, condition: Term) -> None:
        """The step ends where the condition holds: a violation of this kind."""
        here = conjoin(self.given, condition)
        self._note(code, conjoin(self.when, here))
        self.when = conjoin(self.when, negate(here))

    def report(self, code: int, condition: Term, statement: int) -> None:
        """Something is broken where the condition holds; the step goes on."""
        before, self.statement = self.statement, statement
        self._note(code, conjoin(self.when, condition))
        self.statement = before

    def _note(self, code: int, condition: Term) -> None:
        if condition is not FALSE:
            self.breaches.append(Breach(condition, int(code), self.statement))

    def end(self, condition: Term, text: str) -> None:
        """The encoding knows no further where the condition holds."""
        here = conjoin(self.when, self.given, condition)
        if here is not FALSE:
            self.limits.append(Limit(here, text))
            self.when = conjoin(self.when, negate(conjoin(self.given, condition)))

    @contextmanager
    def only_if(self, condition: Term) -> Iterator[None]:
        """What is evaluated inside matters only where the condition holds."""
        before, self.given = self.given, conjoin(self.given, condition)
        yield
        self.given = before

    def fork(self, condition: Term) -> Self:
        """The part of the path on which the condition holds. What was broken so far stays with the other part."""
        return replace(self, when=conjoin(self.when, condition), values=dict(self.values), breaches=[], limits=[])

    @property
    def failed(self) -> Term:
        return disjoin(*(breach.condition for breach in self.breaches))

    def updates(self) -> dict[Symbol, Term]:
        """What is no longer as it was."""
        return {symbol: value for symbol, value in self.values.items() if value is not variable(symbol)}


P = TypeVar("P", bound=Path)


def joined(paths: Sequence[P]) -> P:
    """Paths that exclude each other as one."""
    return reduce(_both, paths)


def _both(a: P, b: P) -> P:
    common, only_a, only_b = _parts(a.when, b.when)
    tell = conjoin(*only_a)  # where one of the two has come so far, it was a if this holds
    values = {symbol: ite(tell, a.read(symbol), b.read(symbol)) for symbol in dict.fromkeys((*a.values, *b.values))}
    return replace(
        a,
        when=conjoin(all_of(common), _either(only_a, only_b)),
        values=values,
        breaches=a.breaches + b.breaches,
        limits=a.limits + b.limits,
    )


def _parts(a: Term, b: Term) -> tuple[list[Term], list[Term], list[Term]]:
    """What two conditions have in common, and what only the one or the other asks for."""
    parts_a, parts_b = ({id(part): part for part in (term.args if term.op is Op.AND else (term,))} for term in (a, b))
    common = [part for key, part in parts_a.items() if key in parts_b]
    only_a = [part for key, part in parts_a.items() if key not in parts_b and part is not TRUE]
    return common, only_a, [part for key, part in parts_b.items() if key not in parts_a and part is not TRUE]


def _either(a: list[Term], b: list[Term]) -> Term:
    """The disjunction of two conjunctions. The two ways of a branch come out as what was known before it."""
    for one, other in ((a, b), (b, a)):
        if len(one) == 1:
            against = {id(negate(part)) for part in (one[0].args if one[0].op is Op.OR else one)}
            rest = [part for part in other if id(part) not in against]
            if not rest and len(other) == len(against):
                return TRUE
            if len(one) == len(against):  # c or (not c and d) is c or d
                return disjoin(one[0], all_of(rest))
    return disjoin(all_of(a), all_of(b))
