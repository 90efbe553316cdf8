"""From a relation between states to guarded commands.

What a constraint says of single variables of the next state (``next(x) = e``) becomes an update. A disjunction whose
parts say it becomes several commands. What nothing says is chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kripke.terms.build import FALSE, TRUE, all_of, any_of, conjoin, literal, negate, variable
from kripke.terms.substitution import Substitution
from kripke.terms.system import Command
from kripke.terms.term import Op, Symbol, Term, symbols_of

_MOST_COMMANDS = 2_000
#: terms made when choices are written out
_MOST_CASES = 4_096


@dataclass(slots=True)
class Relation:
    """``values``: of variables of the next state (by their symbols there), as terms; ``parts`` are true as well."""

    values: dict[Symbol, Term]
    parts: list[Term]


@dataclass(slots=True)
class Commands:
    """``now`` are the variables, ``later`` the symbols for their next values, ``inputs`` those of steps."""

    now: Mapping[Symbol, Symbol]
    inputs: tuple[Symbol, ...]
    found: list[Command] = field(default_factory=list)

    def add(self, relation: Relation) -> None:
        """Everything that the relation allows."""
        waiting = [relation]
        while waiting:
            one = waiting.pop()
            self._define(one)
            if any(part is FALSE for part in one.parts):
                continue
            ways = self._ways(one) if len(self.found) + len(waiting) < _MOST_COMMANDS else None
            if ways is None:
                self._finish(one)
            else:
                waiting += [Relation(dict(one.values), way) for way in reversed(ways)]

    # --- values that are said -----------------------------------------------------------------------------------------

    def _define(self, relation: Relation) -> None:
        """Take over what parts say of single variables. Every value and part speaks of undefined ones only."""
        changed = True
        while changed:
            changed = False
            for number, part in enumerate(relation.parts):
                said = self._said(part, relation.values)
                if said is None:
                    continue
                symbol, value, rest = said
                relation.parts[number : number + 1] = rest
                put = Substitution({symbol: value})
                relation.values = {one: put(known) for one, known in relation.values.items()}
                relation.values[symbol] = value
                relation.parts = [inner for one in relation.parts for inner in conjuncts(put(one))]
                changed = True
                break

    def _said(self, part: Term, values: Mapping[Symbol, Term]) -> tuple[Symbol, Term, list[Term]] | None:
        """A variable of the next state, its value, and what else the part says."""
        for symbol, value in equations(part):
            if symbol in self.now and symbol not in values and symbol not in symbols_of(value):
                if value.boolean or _inside(value, symbol):
                    return symbol, value, []
                return symbol, value, [_within(value, symbol)]
        return None

    # --- ways to go on ------------------------------------------------------------------------------------------------

    def _ways(self, relation: Relation) -> list[list[Term]] | None:
        """Of a disjunction that says something of variables that have no value yet: its parts, each with the rest."""
        for number, part in enumerate(relation.parts):
            ways = disjuncts(part)
            if len(ways) < 2:
                continue
            saying = [way for way in ways if any(self._said(one, relation.values) for one in conjuncts(way))]
            if len(saying) * 2 > len(ways):
                rest = relation.parts[:number] + relation.parts[number + 1 :]
                return [[*conjuncts(way), *rest] for way in ways]
        return None

    def _finish(self, relation: Relation) -> None:
        guard = all_of(relation.parts)
        if guard is FALSE:
            return
        updates: dict[Symbol, Term] = {}
        chosen: list[Symbol] = []
        for later, now in self.now.items():
            value = relation.values.get(later)
            if value is None:
                chosen.append(later)
                value = variable(later)
            if value is not variable(now):
                updates[now] = value
        mentioned = symbols_of(guard, *updates.values())
        choices = tuple(symbol for symbol in (*chosen, *self.inputs) if symbol in mentioned)
        self.found.append(Command(guard, updates, statement=0, choices=choices))


def conjuncts(term: Term) -> tuple[Term, ...]:
    return term.args if term.op is Op.AND else () if term is TRUE else (term,)


def disjuncts(term: Term) -> tuple[Term, ...]:
    if term.op is Op.OR:
        return term.args
    if term.op is Op.ITE and term.boolean:
        condition, then, otherwise = term.args
        return conjoin(condition, then), conjoin(negate(condition), otherwise)
    return (term,)


def equations(term: Term) -> Iterable[tuple[Symbol, Term]]:
    """Variables whose value the term says."""
    if term.op is Op.VARIABLE and isinstance(term.value, Symbol):
        yield term.value, TRUE
    elif term.op is Op.NOT and isinstance(term.args[0].value, Symbol):
        yield term.args[0].value, FALSE
    elif term.op is Op.EQUAL:
        for one, other in (term.args, reversed(term.args)):
            if isinstance(one.value, Symbol):
                yield one.value, other
    elif term.op is Op.ITE and term.boolean and term.args[2] is negate(term.args[1]):  # both are true, or none
        condition, then, otherwise = term.args
        if isinstance(condition.value, Symbol):
            yield condition.value, then
        for side, value in ((then, condition), (otherwise, negate(condition))):
            if isinstance(side.value, Symbol):
                yield side.value, value


def _inside(value: Term, symbol: Symbol) -> bool:
    low, high = symbol.sort.low, symbol.sort.high
    assert low is not None and high is not None
    return value.low is not None and value.high is not None and low <= value.low and value.high <= high


def _within(value: Term, symbol: Symbol) -> Term:
    from kripke.terms.build import between

    assert symbol.sort.low is not None and symbol.sort.high is not None
    return between(symbol.sort.low, value, symbol.sort.high)


def possible(term: Term, choices: Iterable[Symbol]) -> Term | None:
    """Is the term true for some values of the choices? None: there are too many to write them out."""
    budget = _MOST_CASES
    for symbol in choices:
        parts = conjuncts(term)
        about = [part for part in parts if symbol in symbols_of(part)]
        if not about:
            continue
        sort = symbol.sort
        if sort.size is None or sort.size > budget:
            return None
        budget //= max(1, sort.size)
        assert sort.low is not None and sort.high is not None
        inner = all_of(about)
        ways = (Substitution({symbol: literal(sort, v)})(inner) for v in range(sort.low, sort.high + 1))
        term = conjoin(any_of(ways), *(part for part in parts if symbol not in symbols_of(part)))
    return term
