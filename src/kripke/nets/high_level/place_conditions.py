"""Conditions on markings of a high-level net as predicates on the places that it unfolds to.

A number that depends on the marking is a sum of places in each of several cases; a multi-set has such a number for
each value. Evaluating a condition may fail in some markings and not in others: ``Truth`` says where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from kripke.nets.high_level.evaluation import MOST_COPIES, EvaluationError, Marking, evaluator
from kripke.nets.high_level.net import HighLevelNet
from kripke.nets.high_level.terms import Term, mentions_places
from kripke.nets.high_level.types import NUMERIC, Ranges, Value
from kripke.nets.high_level.unfolding import Unfolding
from kripke.nets.predicates import (
    FALSE,
    TRUE,
    Linear,
    Predicate,
    TooLarge,
    compare,
    conjunction,
    disjunction,
    negation,
)

_MOST_CASES = 64
_MOST_TOKENS = 1 << 31  # that a place of an unfolded net ever holds, by ``symbolic.sets``


class Untranslatable(Exception):
    """What cannot be said of places one by one; the message is for the user."""


@dataclass(frozen=True, slots=True)
class Truth:
    """Where a condition is true, where it is false and where it is ``fatal``; elsewhere it fails in another way."""

    yes: Predicate
    no: Predicate
    fatal: Predicate = FALSE

    @property
    def counts_as_true(self) -> Predicate:
        """As ``Interpreter.truth`` says."""
        return disjunction([self.yes, self.fatal])

    @property
    def fails(self) -> Predicate:
        return negation(disjunction([self.yes, self.no]))


@dataclass(frozen=True, slots=True)
class _Number:
    """A sum in each case, of which no two are true together. Where none is, evaluation fails."""

    cases: tuple[tuple[Predicate, Linear], ...]
    fatal: Predicate = FALSE

    @property
    def ok(self) -> Predicate:
        return disjunction([guard for guard, _ in self.cases])


@dataclass(frozen=True, slots=True)
class _Bag:
    """How many there are of each value, wherever ``ok`` is true; elsewhere evaluation fails."""

    counts: dict[Value, _Number]
    ok: Predicate = TRUE
    fatal: Predicate = FALSE


def _plain(sum_: Linear) -> _Number:
    return _Number(((TRUE, sum_),))


def _constant(number: int) -> _Number:
    return _plain(Linear(constant=number))


_ZERO = _constant(0)


def _cases(cases: Iterable[tuple[Predicate, Linear]], fatal: Predicate = FALSE) -> _Number:
    kept = tuple((guard, sum_) for guard, sum_ in cases if guard != FALSE)
    if len(kept) > _MOST_CASES:
        raise Untranslatable("there are too many cases")
    return _Number(kept, fatal)


def _joined(numbers: Sequence[_Number], function: Callable[[Sequence[Linear]], Linear]) -> _Number:
    """A function of several numbers, which are evaluated in their order."""
    total = 1
    for number in numbers:
        total *= len(number.cases)
    if total > _MOST_CASES:
        raise Untranslatable("there are too many cases")
    found = [
        (conjunction([guard for guard, _ in chosen]), function([sum_ for _, sum_ in chosen]))
        for chosen in product(*(number.cases for number in numbers))
    ]
    fatal: list[Predicate] = []
    before: Predicate = TRUE
    for number in numbers:
        fatal.append(conjunction([before, number.fatal]))
        before = conjunction([before, number.ok])
    return _cases(found, disjunction(fatal))


def _added(sums: Sequence[Linear]) -> Linear:
    total = Linear()
    for sum_ in sums:
        total = total.plus(sum_)
    return total


def _within(sum_: Linear, ranges: Ranges) -> Predicate:
    """Is it in one of the ranges? What follows from the numbers of tokens in single places is left out."""
    least = most = sum_.constant
    for factor in sum_.terms.values():
        least += min(factor, 0) * _MOST_TOKENS
        most += max(factor, 0) * _MOST_TOKENS
    parts = []
    for low, high in ranges:
        above = TRUE if low <= least else _compared(sum_, ">=", Linear(constant=low))
        below = TRUE if most <= high else _compared(sum_, "<=", Linear(constant=high))
        parts.append(conjunction([above, below]))
    return disjunction(parts)


def _compared(left: Linear, operator: str, right: Linear) -> Predicate:
    try:
        return compare(left, operator, right)
    except TooLarge:
        raise Untranslatable("its numbers are too large") from None


def _checked(number: _Number, ranges: Ranges) -> _Number:
    return _cases(((conjunction([g, _within(s, ranges)]), s) for g, s in number.cases), number.fatal)


def _limited(number: _Number) -> _Number:
    return _checked(number, ((0, MOST_COPIES),))


class PlaceConditions:
    """The conditions of one net."""

    def __init__(self, net: HighLevelNet, unfolding: Unfolding) -> None:
        self._net = net
        self._of_place: list[dict[Value, int]] = [{} for _ in net.places]
        for number, (place, value) in enumerate(unfolding.tokens):
            self._of_place[place][value] = number
        self._constant = {number for number, place in enumerate(net.places) if place.constant}
        initial = unfolding.net.initial
        self._marking: Marking = [
            {value: initial[number] for value, number in known.items()} if at in self._constant else {}
            for at, known in enumerate(self._of_place)
        ]
        self._env: list[Any] = [None] * net.slots

    def truth(self, condition: Term) -> Truth:
        """Untranslatable where it is not about sums of tokens."""
        return self._truth(condition)

    def kept(self, place: int) -> Predicate:
        """Where an implicit place holds what its definition says, and that can be evaluated."""
        contents = self._bag(self._net.places[place].contents)
        return conjunction([contents.ok, self._equal(self._tokens_in(place), contents)])

    def capacity(self, place: int) -> Predicate:
        """Where a place holds a number of tokens that it may hold."""
        ranges = self._net.places[place].capacity
        if ranges is None:
            return TRUE
        total = Linear.tokens(list(self._of_place[place].values()))
        return disjunction(
            [
                conjunction(
                    [
                        _compared(Linear(constant=low), "<=", total) if low > 0 else TRUE,
                        _compared(total, "<=", Linear(constant=high)),
                    ]
                )
                for low, high in ranges
            ]
        )

    # --- values that do not depend on the marking ---------------------------------------------------------------------

    def _fixed(self, term: Term) -> bool:
        return mentions_places(term) <= self._constant and not any(node.operator == "taken" for node in term.walk())

    def _value(self, term: Term) -> Any:
        return evaluator(term)(self._env.copy(), self._marking)

    def _bound(self, slot: int, values: Iterable[Value]) -> Iterator[Value]:
        """Each value in turn, as that of a variable."""
        before = self._env[slot]
        for value in values:
            self._env[slot] = value
            yield value
        self._env[slot] = before

    # --- truth values -------------------------------------------------------------------------------------------------

    def _truth(self, term: Term) -> Truth:
        if self._fixed(term):
            try:
                value = bool(self._value(term))
            except EvaluationError as error:
                return Truth(FALSE, FALSE, TRUE if error.name == "fatal" else FALSE)
            return Truth(TRUE, FALSE) if value else Truth(FALSE, TRUE)
        match term.operator:
            case "not":
                inner = self._truth(term.operands[0])
                return Truth(inner.no, inner.yes, inner.fatal)
            case "and" | "or":
                return self._connected(term)
            case "if" if _on_truth(term):
                return self._chosen_truth(*map(self._truth, term.operands))
            case "==" | "<":
                return self._comparison(term)
            case "cast" if term.operands[0].type.kind == term.type.kind == "bool":
                return self._truth(term.operands[0])
            case "subset" | "equals":
                left, right = map(self._bag, term.operands)
                order = (right, left) if term.operator == "subset" else (left, right)  # as they are evaluated
                yes = self._contained(left, right) if term.operator == "subset" else self._equal(left, right)
                ok = conjunction([left.ok, right.ok])
                fatal = disjunction([order[0].fatal, conjunction([order[0].ok, order[1].fatal])])
                return Truth(conjunction([ok, yes]), conjunction([ok, negation(yes)]), fatal)
            case _:
                raise Untranslatable(f"it has {_called(term)} of something that depends on the marking")

    def _connected(self, term: Term) -> Truth:
        """``and`` and ``or`` look no further once they know."""
        goes_on: Predicate = TRUE
        ends, fatal = [], []
        for part in map(self._truth, term.operands):
            on, off = (part.yes, part.no) if term.operator == "and" else (part.no, part.yes)
            ends.append(conjunction([goes_on, off]))
            fatal.append(conjunction([goes_on, part.fatal]))
            goes_on = conjunction([goes_on, on])
        ended = disjunction(ends)
        yes, no = (goes_on, ended) if term.operator == "and" else (ended, goes_on)
        return Truth(yes, no, disjunction(fatal))

    @staticmethod
    def _chosen_truth(condition: Truth, then: Truth, otherwise: Truth) -> Truth:
        def of(then_part: Predicate, other_part: Predicate) -> Predicate:
            return disjunction([conjunction([condition.yes, then_part]), conjunction([condition.no, other_part])])

        fatal = disjunction([condition.fatal, of(then.fatal, otherwise.fatal)])
        return Truth(of(then.yes, otherwise.yes), of(then.no, otherwise.no), fatal)

    def _comparison(self, term: Term) -> Truth:
        left, right = term.operands
        for one, other, turned in ((left, right, False), (right, left, True)):
            if one.operator in ("max", "min") and not self._fixed(one):
                return self._extreme(term, one, self._number(other), turned)
        return self._truth_of(term.operator, self._number(left), self._number(right))

    @staticmethod
    def _truth_of(operator: str, left: _Number, right: _Number) -> Truth:
        if len(left.cases) * len(right.cases) > _MOST_CASES:
            raise Untranslatable("there are too many cases")
        yes, no = [], []
        for (guard, one), (other_guard, other) in product(left.cases, right.cases):
            both, found = conjunction([guard, other_guard]), _compared(one, operator, other)
            yes.append(conjunction([both, found]))
            no.append(conjunction([both, negation(found)]))
        fatal = disjunction([left.fatal, conjunction([left.ok, right.fatal])])
        return Truth(disjunction(yes), disjunction(no), fatal)

    def _extreme(self, term: Term, extreme: Term, other: _Number, turned: bool) -> Truth:
        """The greatest (0 if there are none) or least (the greatest number then) of a multi-set, compared."""
        bag = self._bag(extreme.operands[0])
        if bag.ok != TRUE or other.fatal != FALSE or any(len(one.cases) != 1 for one in (*bag.counts.values(), other)):
            raise Untranslatable(f"it has {_called(extreme)} of something that has several cases")
        ((guard, number),) = other.cases
        counts = [one.cases[0][1] for one in bag.counts.values()]
        zero = Linear()

        def some_is(operator: str) -> Predicate:
            found = []
            for count in counts:
                there = TRUE if extreme.operator == "max" else _compared(count, ">", zero)
                found.append(conjunction([there, _compared(count, operator, number)]))
            usual = zero if extreme.operator == "max" else Linear(constant=MOST_COPIES)
            none = (
                TRUE if extreme.operator == "max" else conjunction([_compared(count, "<=", zero) for count in counts])
            )
            return disjunction([*found, conjunction([none, _compared(usual, operator, number)])])

        # The greatest is above if some is; the least is below if some is.
        if extreme.operator == "max":
            above, below = some_is(">"), negation(some_is(">="))
        else:
            above, below = negation(some_is("<=")), some_is("<")
        if term.operator == "==":
            yes = negation(disjunction([above, below]))
        else:
            yes = above if turned else below
        return Truth(conjunction([guard, yes]), conjunction([guard, negation(yes)]))

    # --- numbers ------------------------------------------------------------------------------------------------------

    def _number(self, term: Term) -> _Number:
        if self._fixed(term):
            try:
                value = self._value(term)
            except EvaluationError as error:
                return _Number((), TRUE if error.name == "fatal" else FALSE)
            if isinstance(value, int):
                return _constant(int(value))
            raise Untranslatable("it compares values that are no numbers")
        if term.type.kind == "bool":
            truth = self._truth(term)
            return _cases([(truth.yes, Linear(constant=1)), (truth.no, Linear())], truth.fatal)
        match term.operator:
            case "cardinality":
                bag = self._bag(term.operands[0])
                total = _limited(_joined(list(bag.counts.values()), _added))
                return _cases(((conjunction([bag.ok, guard]), sum_) for guard, sum_ in total.cases), bag.fatal)
            case "+" | "-":
                sign = 1 if term.operator == "+" else -1
                numbers = [self._number(operand) for operand in term.operands]
                return _checked(_joined(numbers, lambda sums: sums[0].plus(sums[1], sign)), term.type.ranges)
            case "*":
                return _checked(_multiplied(*map(self._number, term.operands)), term.type.ranges)
            case "cast" if {term.type.kind, term.operands[0].type.kind} <= set(NUMERIC):
                return _checked(self._number(term.operands[0]), term.type.ranges)
            case "if" if _on_truth(term):
                return _either(self._truth(term.operands[0]), *map(self._number, term.operands[1:]))
            case _:
                raise Untranslatable(f"it has {_called(term)} of something that depends on the marking")

    # --- multi-sets ---------------------------------------------------------------------------------------------------

    def _tokens_in(self, place: int) -> _Bag:
        return _Bag({value: _plain(Linear.tokens([number])) for value, number in self._of_place[place].items()})

    def _bag(self, term: Term) -> _Bag:
        if self._fixed(term):
            try:
                return _Bag({value: _constant(count) for value, count in self._value(term).items()})
            except EvaluationError as error:
                return _Bag({}, FALSE, TRUE if error.name == "fatal" else FALSE)
        match term.operator:
            case "place":
                return self._tokens_in(term.detail)
            case "sum" | "union":
                return self._summed(list(map(self._bag, term.operands)))
            case "tokens":
                return self._copies(term.operands[0], self._single(term.operands[1]))
            case "times":
                return self._copies(term.operands[0], self._bag(term.operands[1]))
            case "multiif" if _on_truth(term):
                return self._chosen_bag(self._truth(term.operands[0]), *map(self._bag, term.operands[1:]))
            case "minus" | "intersect":
                return self._paired(term.operator, *map(self._bag, term.operands))
            case "filter":
                return self._filtered(self._bag(term.operands[0]), term.detail, term.operands[1])
            case "map":
                return self._mapped(self._bag(term.operands[0]), term.detail, term.operands[1])
            case _:
                raise Untranslatable(f"it has {_called(term)} of something that depends on the marking")

    def _single(self, term: Term) -> _Bag:
        if not self._fixed(term):
            raise Untranslatable("it has a token that depends on the marking")
        try:
            return _Bag({self._value(term): _constant(1)})
        except EvaluationError as error:
            return _Bag({}, FALSE, TRUE if error.name == "fatal" else FALSE)

    @staticmethod
    def _summed(bags: Sequence[_Bag]) -> _Bag:
        values = dict.fromkeys(value for bag in bags for value in bag.counts)
        counts = {
            value: _limited(_joined([bag.counts[value] for bag in bags if value in bag.counts], _added))
            for value in values
        }
        ok: Predicate = TRUE
        fatal = []
        for bag in bags:
            fatal.append(conjunction([ok, bag.fatal]))
            ok = conjunction([ok, bag.ok])
        return _Bag(counts, conjunction([ok, *(count.ok for count in counts.values())]), disjunction(fatal))

    def _copies(self, multiplicity: Term, bag: _Bag) -> _Bag:
        """So many copies; where there are none, nothing else is evaluated."""
        copies = _checked(self._number(multiplicity), ((0, MOST_COPIES),))
        some = disjunction([conjunction([g, _compared(s, ">", Linear())]) for g, s in copies.cases])
        counts = {}
        for value, count in bag.counts.items():
            total = _multiplied(copies, count)
            counts[value] = _limited(total)
        ok = conjunction([copies.ok, disjunction([negation(some), bag.ok]), *(c.ok for c in counts.values())])
        return _Bag(counts, ok, disjunction([copies.fatal, conjunction([some, bag.fatal])]))

    @staticmethod
    def _chosen_bag(condition: Truth, then: _Bag, otherwise: _Bag) -> _Bag:
        counts = {
            value: _either(condition, then.counts.get(value, _ZERO), otherwise.counts.get(value, _ZERO))
            for value in dict.fromkeys((*then.counts, *otherwise.counts))
        }
        ok = disjunction([conjunction([condition.yes, then.ok]), conjunction([condition.no, otherwise.ok])])
        chosen = [conjunction([condition.yes, then.fatal]), conjunction([condition.no, otherwise.fatal])]
        return _Bag(counts, ok, disjunction([condition.fatal, *chosen]))

    @staticmethod
    def _paired(operator: str, left: _Bag, right: _Bag) -> _Bag:
        counts = {}
        for value, number in left.counts.items():
            other = right.counts.get(value, _ZERO)
            if len(number.cases) * len(other.cases) * 2 > _MOST_CASES:
                raise Untranslatable("there are too many cases")
            cases = []
            for (guard, one), (other_guard, two) in product(number.cases, other.cases):
                both, more = conjunction([guard, other_guard]), _compared(one, ">", two)
                high, low = (one.plus(two, -1), Linear()) if operator == "minus" else (two, one)
                cases += [(conjunction([both, more]), high), (conjunction([both, negation(more)]), low)]
            counts[value] = _cases(cases)
        fatal = disjunction([left.fatal, conjunction([left.ok, right.fatal])])
        return _Bag(counts, conjunction([left.ok, right.ok]), fatal)

    def _filtered(self, bag: _Bag, slot: int, condition: Term) -> _Bag:
        truths = {value: self._truth(condition) for value in self._bound(slot, bag.counts)}
        counts = {}
        for value, truth in truths.items():
            kept = [(conjunction([truth.yes, guard]), sum_) for guard, sum_ in bag.counts[value].cases]
            counts[value] = _cases([*kept, (negation(truth.yes), Linear())])
        return _failing(_Bag(counts, bag.ok, bag.fatal), bag, truths)

    def _mapped(self, bag: _Bag, slot: int, image: Term) -> _Bag:
        if not self._fixed(image):
            raise Untranslatable("it has a token that depends on the marking")
        truths, images = {}, {}
        for value in self._bound(slot, bag.counts):
            try:
                images[value] = self._value(image)
                truths[value] = Truth(TRUE, FALSE)
            except EvaluationError as error:
                truths[value] = Truth(FALSE, FALSE, TRUE if error.name == "fatal" else FALSE)
        parts = [_Bag({made: bag.counts[value]}) for value, made in images.items()]
        mapped = self._summed(parts)
        return _failing(_Bag(mapped.counts, conjunction([bag.ok, mapped.ok]), bag.fatal), bag, truths)

    @staticmethod
    def _contained(left: _Bag, right: _Bag) -> Predicate:
        return conjunction(
            [
                PlaceConditions._truth_of("<=", count, right.counts.get(value, _ZERO)).yes
                for value, count in left.counts.items()
            ]
        )

    @staticmethod
    def _equal(left: _Bag, right: _Bag) -> Predicate:
        return conjunction(
            [
                PlaceConditions._truth_of("==", left.counts.get(value, _ZERO), right.counts.get(value, _ZERO)).yes
                for value in dict.fromkeys((*left.counts, *right.counts))
            ]
        )


def _on_truth(term: Term) -> bool:
    """Does the first operand choose between two others by being true or false?"""
    return term.operands[0].type.kind == "bool" and len(term.operands) == 3


def _multiplied(left: _Number, right: _Number) -> _Number:
    def product_of(sums: Sequence[Linear]) -> Linear:
        one, other = sums
        if one.terms and other.terms:
            raise Untranslatable("it multiplies numbers that depend on the marking")
        return Linear().plus(other, one.constant) if not one.terms else Linear().plus(one, other.constant)

    return _joined([left, right], product_of)


def _either(condition: Truth, then: _Number, otherwise: _Number) -> _Number:
    cases = [(conjunction([condition.yes, guard]), sum_) for guard, sum_ in then.cases]
    cases += [(conjunction([condition.no, guard]), sum_) for guard, sum_ in otherwise.cases]
    chosen = [conjunction([condition.yes, then.fatal]), conjunction([condition.no, otherwise.fatal])]
    return _cases(cases, disjunction([condition.fatal, *chosen]))


def _failing(made: _Bag, source: _Bag, truths: dict[Value, Truth]) -> _Bag:
    """What is made of the tokens of ``source``: it fails where one is there for which the condition fails."""
    ok, fatal, other = [made.ok], [], False
    for value, truth in truths.items():
        if truth.fails == FALSE or (truth.yes, truth.no) in ((TRUE, FALSE), (FALSE, TRUE)):
            continue
        there = disjunction([conjunction([g, _compared(s, ">", Linear())]) for g, s in source.counts[value].cases])
        ok.append(negation(conjunction([there, truth.fails])))
        fatal.append(conjunction([source.ok, there, truth.fatal]))
        other = other or truth.fatal not in (TRUE, truth.fails)
    if other and any(one != FALSE for one in fatal):
        raise Untranslatable("it may fail in several ways")
    return _Bag(made.counts, conjunction(ok), disjunction([made.fatal, *fatal]))


def _called(term: Term) -> str:
    words = {"mapeach": "a map with numbers", "max": "the greatest number", "min": "the least number"}
    return words.get(term.operator, f"the operator {term.operator}")
