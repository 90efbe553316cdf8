"""Which units may change the truth of conditions on markings: those that change tokens which decide about them."""

from __future__ import annotations

from collections.abc import Iterable

from kripke.nets.high_level.classes import Unit, Units
from kripke.nets.high_level.evaluation import EvaluationError, evaluator
from kripke.nets.high_level.partial import Knowledge, is_known
from kripke.nets.high_level.terms import Term, mentions_places


class Visibility:
    """Found out from the terms of conditions: sorts of tokens that count, and places of which just the number of tokens
    does."""

    def __init__(self, units: Units, conditions: Iterable[Term]) -> None:
        self._units = units
        self._sorts: set[int] = set()
        self._numbers: set[int] = set()
        for condition in conditions:
            self._note(condition)

    def of(self, unit: Unit) -> bool:
        changed = unit.taking | unit.bringing
        if changed & self._sorts:
            return True
        return any(place in self._numbers for _, totals in unit.changes for place, _ in totals)

    def _note(self, term: Term) -> None:
        match term.operator, term.operands:
            case "place", _:
                self._sorts |= set(self._units.of_key[term.detail].values())
            case "cardinality", (Term(operator="place") as place,):
                self._numbers.add(place.detail)
            case "subset", (tokens, Term(operator="place") as place) if not tokens.slots and not mentions_places(
                tokens
            ):
                self._note_tokens(tokens, place)
            case "filter", (Term(operator="place") as place, condition) if not mentions_places(condition):
                self._note_filter(term, place, condition)
            case _:
                for operand in term.operands:
                    self._note(operand)

    def _note_tokens(self, tokens: Term, place: Term) -> None:
        """Are these tokens there?"""
        try:
            wanted = evaluator(tokens)([None] * self._units.net.slots, [])
        except EvaluationError:
            return
        sorts = (self._units.sort_of(place.detail, value) for value in wanted)
        self._sorts |= {sort for sort in sorts if sort is not None}

    def _note_filter(self, term: Term, place: Term, condition: Term) -> None:
        """Tokens for which a condition is true, or cannot be evaluated."""
        if condition.slots - {term.detail}:
            self._note(place)
            return
        knowledge = Knowledge()
        for key, sort in self._units.of_key[place.detail].items():
            knowledge.may_fail = False
            environment = [None] * self._units.net.slots
            environment[term.detail] = self._units.sortings[place.detail].token(key)
            try:
                value = knowledge.value(condition, environment)
            except EvaluationError:
                value = 1
            if value or not is_known(value) or knowledge.may_fail:
                self._sorts.add(sort)
