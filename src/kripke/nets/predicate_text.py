"""Predicates on markings as people write them: ``p1 + p2 <= 3 && !fireable(send)``.

Names of places with other characters than letters, digits, ``_`` and ``.`` are quoted: ``"p-1" == 0``. A name stands
for the tokens on the place; in an unfolded net the name of a coloured place stands for all its tokens.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, NoReturn

from kripke.model.source import ModelError, Span
from kripke.nets.place_transition import PlaceTransitionNet
from kripke.nets.predicates import (
    FALSE,
    TRUE,
    Fireable,
    Linear,
    Predicate,
    TooLarge,
    compare,
    conjunction,
    disjunction,
    length,
    negation,
)

_TOKEN = re.compile(
    r'\s*(?:(?P<number>\d+)(?![\w.])|(?P<name>[^\W\d][\w.]*)|"(?P<quoted>[^"\n]*)"'
    r"|(?P<sign>&&|\|\||<->|->|<=|>=|==|!=|[-<>=!()+*,]))"
)
_TEMPORAL = re.compile(r"\s*(?:<>|\[\])")
_COMPARISONS = ("<=", ">=", "==", "!=", "<", ">", "=")
_WORDS = {"and": "&&", "or": "||", "not": "!"}
_DEEPEST = 60
_LONGEST = 10_000
_LARGEST = 1 << 14  # of all factors of a sum together: with the most tokens it fits into 64 bits


class _Token(NamedTuple):
    kind: str  # "number", "name", "sign", "end"
    text: str
    start: int
    end: int
    quoted: bool = False


def parse_predicate(text: str, source: str, net: PlaceTransitionNet) -> Predicate:
    """The predicate; ModelError points into ``text``, which is known as ``source``."""
    return _Parser(text, source, net).whole()


def parse_sum(text: str, source: str, net: PlaceTransitionNet) -> tuple[tuple[tuple[int, int], ...], int]:
    """Places with their factors, and a constant; ModelError where the text is no sum of tokens."""
    return _Parser(text, source, net).whole_sum()


def read_condition(text: str, position: int, source: str, net: PlaceTransitionNet) -> tuple[Predicate, int]:
    """The comparison, place or ``fireable(...)`` that starts at a position of a longer text, and where it ends."""
    parser = _Parser(text, source, net, position)
    predicate = parser.condition(parser.comparison())
    return predicate, parser.tokens[parser.at - 1].end


def read_firing(text: str, position: int, source: str, net: PlaceTransitionNet) -> tuple[frozenset[int], int] | None:
    """The transitions of a ``fires(...)`` that starts at a position of a longer text, and where it ends."""
    parser = _Parser(text, source, net, position)
    token = parser.take()
    if token.kind != "name" or token.quoted or token.text != "fires" or parser.next.text != "(":
        return None
    return frozenset(parser.arguments("transition", net.transition_numbers)), parser.tokens[parser.at - 1].end


class _Parser:
    """With a ``position``, only what starts there is read: the rest of the text may be anything."""

    def __init__(self, text: str, source: str, net: PlaceTransitionNet, position: int = -1) -> None:
        self.position = position
        self.text = text
        self.source = source
        self.net = net
        self.depth = 0
        self.tokens = list(self._tokens())
        self.at = 0

    def _tokens(self) -> list[_Token]:
        tokens: list[_Token] = []
        at = max(self.position, 0)
        end = len(self.text.rstrip())
        while at < end:
            match = _TOKEN.match(self.text, at)
            if self.position >= 0 and (match is None or _TEMPORAL.match(self.text, at)):
                end = at
                break
            if match is None:
                start = at + len(self.text[at:]) - len(self.text[at:].lstrip())
                self.fail(f"{self.text[start]!r} cannot stand here", start, start + 1)
            kind = match.lastgroup or ""
            start = match.start(kind) - (kind == "quoted")
            text, quoted = match[kind], kind == "quoted"
            if kind == "name" and text in _WORDS:
                kind, text = "sign", _WORDS[text]
            tokens.append(_Token("name" if quoted else kind, text, start, match.end(), quoted))
            at = match.end()
        tokens.append(_Token("end", "the end", end, end + 1))
        return tokens

    def fail(self, message: str, start: int, end: int, hint: str | None = None) -> NoReturn:
        raise ModelError(message, Span(self.source, 1, start + 1, 1, end + 1), hint, self.text)

    def fail_at(self, token: _Token, message: str, hint: str | None = None) -> NoReturn:
        self.fail(message, token.start, token.end, hint)

    @property
    def next(self) -> _Token:
        return self.tokens[self.at]

    def take(self) -> _Token:
        token = self.tokens[self.at]
        self.at += token.kind != "end"
        return token

    def accept(self, *signs: str) -> _Token | None:
        if self.next.kind == "sign" and self.next.text in signs:
            return self.take()
        return None

    def expect(self, sign: str) -> None:
        if not self.accept(sign):
            self.fail_at(self.next, f"{sign!r} is missing before {self.next.text!r}")

    def whole(self) -> Predicate:
        predicate = self.condition(self.equivalence())
        if self.next.kind != "end":
            self.fail_at(self.next, f"{self.next.text!r} cannot follow here")
        return predicate

    def whole_sum(self) -> tuple[tuple[tuple[int, int], ...], int]:
        first = self.next
        value = self.equivalence()
        if self.next.kind != "end":
            self.fail_at(self.next, f"{self.next.text!r} cannot follow here")
        if not isinstance(value, Linear):
            self.fail_at(first, "a sum of tokens is wanted here, not a condition")
        terms = tuple((place, factor) for place, factor in sorted(value.terms.items()) if factor)
        if sum(abs(factor) for _, factor in terms) >= _LARGEST or abs(value.constant) >= _LARGEST:
            self.fail_at(first, "the numbers in this sum are too large")
        return terms, value.constant

    def condition(self, value: Predicate | Linear) -> Predicate:
        """A number of tokens alone counts as true where it is not zero."""
        return compare(value, ">=", Linear(constant=1)) if isinstance(value, Linear) else value

    def number(self, value: Predicate | Linear, token: _Token) -> Linear:
        if isinstance(value, Linear):
            return value
        self.fail_at(token, f"{token.text!r} needs numbers on both sides, not conditions")

    # From the weakest operator to the strongest.

    def equivalence(self) -> Predicate | Linear:
        left = self.implication()
        while self.accept("<->"):
            a, b = self.condition(left), self.condition(self.implication())
            if length(a) + length(b) > _LONGEST:  # both are there twice from here on
                self.fail_at(self.next, f"the expression has more than {_LONGEST:,} parts when written without <->")
            left = disjunction((conjunction((a, b)), conjunction((negation(a), negation(b)))))
        return left

    def implication(self) -> Predicate | Linear:
        left = self.either()
        if self.accept("->"):
            self.deeper()
            left = disjunction((negation(self.condition(left)), self.condition(self.implication())))
            self.depth -= 1
        return left

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            self.fail_at(self.next, "the expression is nested too deeply")

    def either(self) -> Predicate | Linear:
        left = self.both()
        if self.next.text != "||" or self.next.quoted:
            return left
        operands = [self.condition(left)]
        while self.accept("||"):
            operands.append(self.condition(self.both()))
        return disjunction(operands)

    def both(self) -> Predicate | Linear:
        left = self.negated()
        if self.next.text != "&&" or self.next.quoted:
            return left
        operands = [self.condition(left)]
        while self.accept("&&"):
            operands.append(self.condition(self.negated()))
        return conjunction(operands)

    def negated(self) -> Predicate | Linear:
        odd = False
        first = None
        while sign := self.accept("!"):
            odd, first = not odd, first or sign
        if first is None:
            return self.comparison()
        value = self.condition(self.primary())
        if self.next.kind == "sign" and self.next.text in (*_COMPARISONS, "+", "-", "*"):
            self.fail_at(first, "it is not clear how far this ! reaches", "write !(...) around the comparison")
        return negation(value) if odd else value

    def comparison(self) -> Predicate | Linear:
        left = self.sum()
        operator = self.accept(*_COMPARISONS)
        if operator is None:
            return left
        right = self.number(self.sum(), operator)
        try:
            result = compare(self.number(left, operator), operator.text, right)
        except TooLarge:
            self.fail_at(operator, "the numbers in this comparison are too large")
        if self.next.kind == "sign" and self.next.text in _COMPARISONS:
            self.fail_at(self.next, "comparisons cannot be chained", "join two of them with &&")
        return result

    def sum(self) -> Predicate | Linear:
        left = self.product()
        while operator := self.accept("+", "-"):
            right = self.number(self.product(), operator)
            left = self.number(left, operator).plus(right, 1 if operator.text == "+" else -1)
        return left

    def product(self) -> Predicate | Linear:
        left = self.primary()
        while operator := self.accept("*"):
            a, b = self.number(left, operator), self.number(self.primary(), operator)
            if a.terms and b.terms:
                self.fail_at(operator, "tokens cannot be multiplied by tokens", "one side must be a constant")
            factor, other = (a.constant, b) if not a.terms else (b.constant, a)
            left = Linear().plus(other, factor)
        return left

    def primary(self) -> Predicate | Linear:
        self.deeper()
        value = self.unary(self.take())
        self.depth -= 1
        return value

    def unary(self, token: _Token) -> Predicate | Linear:
        if token.kind == "number":
            return Linear(constant=int(token.text))
        if token.kind == "name":
            return self.named(token)
        if token.text == "(" and token.kind == "sign":
            value = self.equivalence()
            self.expect(")")
            return value
        if token.text == "-" and token.kind == "sign":
            return Linear().plus(self.number(self.primary(), token), -1)
        if token.text == "!" and token.kind == "sign":
            return negation(self.condition(self.primary()))
        if token.kind == "end":
            self.fail_at(token, "the expression ends too early")
        self.fail_at(token, f"{token.text!r} cannot stand here")

    def named(self, token: _Token) -> Predicate | Linear:
        if not token.quoted and token.text in ("true", "false") and token.text not in self.net.place_numbers:
            return TRUE if token.text == "true" else FALSE
        if not token.quoted and token.text == "deadlock" and token.text not in self.net.place_numbers:
            return negation(Fireable(tuple(range(len(self.net.transitions)))))
        if not token.quoted and self.next.text == "(" and token.text in ("fireable", "tokens"):
            numbers = self.net.transition_numbers if token.text == "fireable" else self.net.place_numbers
            what = "transition" if token.text == "fireable" else "place"
            found = self.arguments(what, numbers)
            return Fireable(tuple(sorted(set(found)))) if token.text == "fireable" else Linear.tokens(found)
        if not token.quoted and self.next.text == "(" and token.text == "fires":
            self.fail_at(
                token, "fires(...) is about a step, not about a marking: only formulas of --ltl and --possible have it"
            )
        return Linear.tokens(self.resolve(token, "place", self.net.place_numbers))

    def arguments(self, what: str, numbers: Mapping[str, tuple[int, ...]]) -> list[int]:
        """The places or transitions of a list in parentheses."""
        self.expect("(")
        found = [*self.resolve(self.take(), what, numbers)]
        while self.accept(","):
            found += self.resolve(self.take(), what, numbers)
        self.expect(")")
        return found

    def resolve(self, token: _Token, what: str, numbers: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
        if token.kind != "name":
            self.fail_at(token, f"the name of a {what} is missing")
        if token.text in numbers:
            return numbers[token.text]
        other = self.net.transition_numbers if what == "place" else self.net.place_numbers
        if token.text in other:
            use = "fireable(...) asks whether it is enabled" if what == "place" else "fireable is for transitions"
            kind = "transition" if what == "place" else "place"
            self.fail_at(token, f"{token.text} is a {kind}, not a {what}", use)
        from difflib import get_close_matches

        close = get_close_matches(token.text, list(numbers)[:5000], n=1)
        hint = f"did you mean {close[0]}?" if close else 'a name with other characters is quoted: "p-1"'
        self.fail_at(token, f"the net has no {what} {token.text}", hint)
