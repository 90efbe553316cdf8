"""Expressions, processes and patterns of CSP-M, by precedence climbing with FDR's binding strengths.

Two things need more than the next token. A line end ends a declaration, so ``(`` and ``<`` at the start of a line
outside brackets begin the next one. And ``>`` inside ``<...>`` is a comparison only where an operand follows it on the
same line: ``<true, 2>1, false>``.
"""

from __future__ import annotations

from collections.abc import Callable

from kripke.languages.cspm.lexer import Tokens
from kripke.languages.cspm.syntax import (
    Apply,
    Binary,
    Both,
    Character,
    Choice,
    Collection,
    Declaration,
    Dots,
    Expr,
    Field,
    Guard,
    Hide,
    If,
    Lambda,
    Let,
    Linked,
    MapOf,
    Name,
    Number,
    Parallel,
    Prefix,
    Range,
    Rename,
    Replicated,
    Statement,
    Text,
    TupleOf,
    Unary,
    Wildcard,
)
from kripke.model.source import ModelError

# Binding strengths, weakest first.
HIDE, PARALLEL, INTERNAL, EXTERNAL, INTERRUPT, SLIDING, SEQUENCE, PREFIX, FIELD, DOT = range(1, 11)
OR, AND, NOT, EQUAL, COMPARE, ADD, MULTIPLY, LENGTH, CONCAT, BOTH = range(11, 21)
INTERLEAVE = 1.5

_STRENGTH: dict[str, float] = {
    "\\": HIDE,
    "|||": INTERLEAVE,
    "[|": PARALLEL,
    "[": PARALLEL,
    "|~|": INTERNAL,
    "[]": EXTERNAL,
    "[+": EXTERNAL,
    "/\\": INTERRUPT,
    "/+": INTERRUPT,
    "[>": SLIDING,
    ";": SEQUENCE,
    "&": PREFIX,
    "->": PREFIX,
    "?": FIELD,
    "!": FIELD,
    "$": FIELD,
    ".": DOT,
    "or": OR,
    "and": AND,
    "==": EQUAL,
    "!=": EQUAL,
    "<": COMPARE,
    ">": COMPARE,
    "<=": COMPARE,
    ">=": COMPARE,
    "+": ADD,
    "-": ADD,
    "*": MULTIPLY,
    "/": MULTIPLY,
    "%": MULTIPLY,
    "^": CONCAT,
    "@@": BOTH,
}
#: what cannot follow an operand of its own strength; < and > may also be the brackets of a sequence
_UNCHAINED: dict[float, tuple[str, ...]] = {EQUAL: ("==", "!="), COMPARE: ("<=", ">=")}
_MANY = {"|||", "|~|", "[]", ";"}
_TWO = {"/\\", "[>"}
_OPERAND = frozenset({"id", "num", "str", "char", "(", "{", "{|", "(|", "if", "let", "not", "true", "false", "#"})
DEEPEST = 2_000


class Expressions:
    """A parser of expressions; declarations inside ``let`` come from ``declarations``."""

    def __init__(self, tokens: Tokens, declarations: Callable[[], list[Declaration]]) -> None:
        self.tokens = tokens
        self.kinds = tokens.kinds
        self.at = 0
        #: in brackets line ends mean nothing
        self.bracketed = False
        #: directly inside ``<...>``
        self.in_sequence = False
        self.depth = 0
        self._declarations = declarations

    # ---- tokens ----

    def error(self, message: str, token: int | None = None, hint: str | None = None) -> ModelError:
        return self.tokens.error(message, self.at if token is None else token, hint)

    def shown(self) -> str:
        return "the end of the file" if self.kinds[self.at] == "end" else f"'{self.tokens.texts[self.at]}'"

    def expect(self, kind: str, what: str) -> None:
        if self.kinds[self.at] != kind:
            raise self.error(f"expected '{kind}' {what}, found {self.shown()}")
        self.at += 1

    def name(self, what: str) -> str:
        if self.kinds[self.at] != "id":
            raise self.error(f"expected {what}, found {self.shown()}")
        self.at += 1
        return self.tokens.texts[self.at - 1]

    # ---- climbing ----

    def expression(self, least: float = 0) -> Expr:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"this is nested more than {DEEPEST} deep", hint="give parts of it names")
        left = self._operand()
        kinds = self.kinds
        while True:
            kind = kinds[self.at]
            if kind == "(" or kind == "[[":
                if kind == "(" and not self.bracketed and self.tokens.broken[self.at]:
                    break
                left = self._apply(left) if kind == "(" else self._rename(left)
                continue
            strength = _STRENGTH.get(kind)
            if strength is None or strength < least or not self._continues(kind):
                break
            left = self._infix(left, kind, strength)
        self.depth -= 1
        return left

    def _continues(self, kind: str) -> bool:
        """Is the operator at hand one, and not the start of the next declaration or the end of a sequence?"""
        if kind == "<":
            if self.bracketed or not self.tokens.broken[self.at]:
                return True
            return not self._starts_binding()
        if kind == ">" and self.in_sequence:
            after = self.at + 1
            return self.kinds[after] in _OPERAND and not self.tokens.broken[after]
        return not (kind == "[" and self.kinds[self.at + 1] in ("]", "]]"))

    def _starts_binding(self) -> bool:
        """``<x, y> = ...`` at the start of a line."""
        at = self.at + 1
        while self.kinds[at] != "end" and not self.tokens.broken[at]:
            if self.kinds[at] == "=":
                return True
            at += 1
        return False

    def _infix(self, left: Expr, kind: str, strength: float) -> Expr:
        first = left.first
        if kind == "->":
            self.at += 1
            body = self.expression(PREFIX)
            return Prefix(first, self.at - 1, left, [], body)
        if kind in ("?", "!", "$"):
            return self._fields(left)
        if kind == "&":
            self.at += 1
            body = self.expression(PREFIX)
            return Guard(first, self.at - 1, left, body)
        if kind == ".":
            items = [left]
            while self.kinds[self.at] == ".":
                self.at += 1
                items.append(self.expression(DOT + 0.25))
            return Dots(first, self.at - 1, items)
        if kind == "@@":
            self.at += 1
            right = self.expression(BOTH + 0.25)
            return Both(first, self.at - 1, left, right)
        if kind == "\\":
            self.at += 1
            hidden = self.expression(DOT)
            return Hide(first, self.at - 1, left, hidden)
        if kind in _MANY:
            operands = [left]
            while self.kinds[self.at] == kind:
                self.at += 1
                operands.append(self.expression(strength + 0.25))
            return Choice(first, self.at - 1, kind, operands)
        if kind in _TWO:
            self.at += 1
            right = self.expression(strength + 0.25)
            return Choice(first, self.at - 1, kind, [left, right])
        if kind in ("[|", "[+", "/+"):
            return self._with_set(left, kind, strength)
        if kind == "[":
            return self._alphabets_or_links(left)
        self.at += 1
        right = self.expression(strength + 0.25)
        if self.kinds[self.at] in _UNCHAINED.get(strength, ()):
            raise self.error("comparisons do not chain", hint="join two comparisons with and")
        return Binary(first, self.at - 1, kind, left, right)

    def _within_brackets(self, close: str, what: str, parse: Callable[[], None]) -> None:
        saved = self.bracketed, self.in_sequence
        self.bracketed, self.in_sequence = True, False
        parse()
        self.expect(close, what)
        self.bracketed, self.in_sequence = saved

    def _with_set(self, left: Expr, kind: str, strength: float) -> Expr:
        self.at += 1
        saved = self.bracketed, self.in_sequence
        self.bracketed, self.in_sequence = True, False
        synchronised = self.expression()
        self.bracketed, self.in_sequence = saved
        operator = {"[|": "[||]", "[+": "[++]", "/+": "/++\\"}[kind]
        if kind == "[|" and self.kinds[self.at] == "|>":
            operator = "[||>"
            self.at += 1
        else:
            self.expect({"[|": "|]", "[+": "+]", "/+": "+\\"}[kind], "after the set")
        right = self.expression(strength + 0.25)
        return Parallel(left.first, self.at - 1, operator, left, [synchronised], right)

    def _alphabets_or_links(self, left: Expr) -> Expr:
        self.at += 1
        saved = self.bracketed, self.in_sequence
        self.bracketed, self.in_sequence = True, False
        one = self.expression()
        if self.kinds[self.at] == "<->":
            pairs, statements = self._links(one)
            self.bracketed, self.in_sequence = saved
            right = self.expression(PARALLEL + 0.25)
            return Linked(left.first, self.at - 1, left, pairs, statements, right)
        self.expect("||", "between two alphabets")
        other = self.expression()
        self.expect("]", "after two alphabets")
        self.bracketed, self.in_sequence = saved
        right = self.expression(PARALLEL + 0.25)
        return Parallel(left.first, self.at - 1, "[||", left, [one, other], right)

    def _links(self, one: Expr) -> tuple[list[tuple[Expr, Expr]], list[Statement]]:
        """From the first ``<->`` to behind the closing bracket."""
        self.expect("<->", "in a link")
        pairs = [(one, self.expression())]
        while self.kinds[self.at] == ",":
            self.at += 1
            one = self.expression()
            self.expect("<->", "in a link")
            pairs.append((one, self.expression()))
        statements: list[Statement] = []
        if self.kinds[self.at] == "|":
            self.at += 1
            statements = self.statements()
        self.expect("]", "after links")
        return pairs, statements

    def _fields(self, event: Expr) -> Expr:
        """``c?x:S!e`` up to the arrow and the process behind it."""
        fields: list[Field] = []
        while self.kinds[self.at] in ("?", "!", "$"):
            mark, first = self.kinds[self.at], self.at
            self.at += 1
            item, within = self.expression(DOT), None
            if self.kinds[self.at] == ":":
                if mark == "!":
                    raise self.error("an output takes no set", hint="only ? and $ are followed by a set")
                self.at += 1
                within = self.expression(DOT + 0.25)
            fields.append(Field(first, self.at - 1, mark, item, within))
            while within is not None and self.kinds[self.at] == ".":
                self.at += 1
                item = self.expression(DOT + 0.25)
                fields.append(Field(item.first, self.at - 1, "!", item, None))
        self.expect("->", "after a communication")
        body = self.expression(PREFIX)
        return Prefix(event.first, self.at - 1, event, fields, body)

    def _apply(self, function: Expr) -> Expr:
        self.at += 1
        arguments: list[Expr] = []
        self._within_brackets(")", "after the arguments", lambda: self._items(arguments, ")"))
        return Apply(function.first, self.at - 1, function, arguments)

    def _items(self, items: list[Expr], close: str) -> None:
        if self.kinds[self.at] == close:
            return
        items.append(self.expression())
        while self.kinds[self.at] == ",":
            self.at += 1
            items.append(self.expression())

    def _rename(self, process: Expr) -> Expr:
        self.at += 1
        pairs: list[tuple[Expr, Expr]] = []
        statements: list[Statement] = []

        def parse() -> None:
            if self.kinds[self.at] == "]]":
                return
            while True:
                old = self.expression()
                self.expect("<-", "in a renaming")
                pairs.append((old, self.expression()))
                if self.kinds[self.at] != ",":
                    break
                self.at += 1
            if self.kinds[self.at] == "|":
                self.at += 1
                statements.extend(self.statements())

        self._within_brackets("]]", "after a renaming", parse)
        return Rename(process.first, self.at - 1, process, pairs, statements)

    def statements(self) -> list[Statement]:
        """Generators and conditions, separated by commas."""
        found = [self._statement()]
        while self.kinds[self.at] == ",":
            self.at += 1
            found.append(self._statement())
        return found

    def _statement(self) -> Statement:
        first = self.at
        left = self.expression()
        if self.kinds[self.at] in ("<-", ":"):
            self.at += 1
            source = self.expression()
            if isinstance(source, Wildcard):
                raise self.error("_ is a pattern, not a value", source.first)
            return Statement(first, self.at - 1, left, source)
        return Statement(first, self.at - 1, None, left)

    # ---- operands ----

    def _operand(self) -> Expr:
        at = self.at
        kind = self.kinds[at]
        if kind == "id":
            self.at = at + 1
            word = self.tokens.texts[at]
            while self.kinds[self.at] == "::" and self.kinds[self.at + 1] == "id":
                word += "::" + self.tokens.texts[self.at + 1]
                self.at += 2
            return Name(at, self.at - 1, word)
        if kind == "num":
            self.at = at + 1
            digits = self.tokens.texts[at]
            if len(digits) > 4000:
                raise self.error(f"a number of {len(digits)} digits is too long")
            return Number(at, at, int(digits))
        parse = _OPERANDS.get(kind)
        if parse is None:
            raise self.error(f"expected an expression, found {self.shown()}")
        return parse(self)

    def _boolean(self) -> Expr:
        self.at += 1
        return Name(self.at - 1, self.at - 1, self.kinds[self.at - 1])

    def _wildcard(self) -> Expr:
        self.at += 1
        return Wildcard(self.at - 1, self.at - 1)

    def _text(self) -> Expr:
        self.at += 1
        return Text(self.at - 1, self.at - 1, _unescape(self.tokens.texts[self.at - 1][1:-1]))

    def _character(self) -> Expr:
        self.at += 1
        return Character(self.at - 1, self.at - 1, _unescape(self.tokens.texts[self.at - 1][1:-1]))

    def _parenthesised(self) -> Expr:
        first = self.at
        self.at += 1
        items: list[Expr] = []
        self._within_brackets(")", "to close this bracket", lambda: self._items(items, ")"))
        if not items:
            raise self.error("there is nothing in these brackets", first)
        if len(items) == 1:
            if isinstance(items[0], Dots):
                return TupleOf(first, self.at - 1, items)
            return items[0]
        return TupleOf(first, self.at - 1, items)

    def _prefix_operator(self) -> Expr:
        first, kind = self.at, self.kinds[self.at]
        self.at += 1
        operand = self.expression({"-": MULTIPLY + 0.25, "not": NOT, "#": LENGTH}[kind])
        return Unary(first, self.at - 1, kind, operand)

    def _if(self) -> Expr:
        first = self.at
        self.at += 1
        saved = self.bracketed, self.in_sequence
        self.bracketed, self.in_sequence = True, False
        condition = self.expression()
        self.expect("then", "after the condition")
        then = self.expression()
        self.expect("else", "after the first branch")
        self.bracketed, self.in_sequence = saved
        otherwise = self.expression()
        return If(first, self.at - 1, condition, then, otherwise)

    def _let(self) -> Expr:
        first = self.at
        self.at += 1
        saved = self.bracketed, self.in_sequence
        self.bracketed = self.in_sequence = False
        declarations = self._declarations()
        self.expect("within", "after the definitions")
        self.bracketed, self.in_sequence = saved
        body = self.expression()
        return Let(first, self.at - 1, declarations, body)

    def _lambda(self) -> Expr:
        first = self.at
        self.at += 1
        patterns: list[Expr] = []
        self._items(patterns, "@")
        self.expect("@", "after the parameters")
        body = self.expression()
        return Lambda(first, self.at - 1, patterns, body)

    def _set(self) -> Expr:
        return self._collection("{", "}", "set")

    def _closure(self) -> Expr:
        return self._collection("{|", "|}", "closure")

    def _sequence(self) -> Expr:
        return self._collection("<", ">", "seq")

    def _collection(self, opening: str, close: str, bracket: str) -> Expr:
        first = self.at
        self.at += 1
        saved = self.bracketed, self.in_sequence
        self.bracketed, self.in_sequence = True, close == ">"
        items: list[Expr] = []
        high: Expr | None = None
        ranged = False
        self._items_until(items, close)
        if self.kinds[self.at] == ".." and len(items) == 1 and bracket != "closure":
            ranged = True
            self.at += 1
            if self.kinds[self.at] not in (close, "|"):
                high = self.expression()
        statements: list[Statement] | None = None
        if self.kinds[self.at] == "|":
            self.at += 1
            statements = self.statements() if self.kinds[self.at] != close else []
        self.expect(close, f"to close this '{opening}'")
        self.bracketed, self.in_sequence = saved
        if ranged:
            return Range(first, self.at - 1, bracket, items[0], high, statements)
        return Collection(first, self.at - 1, bracket, items, statements)

    def _items_until(self, items: list[Expr], close: str) -> None:
        if self.kinds[self.at] in (close, "|"):
            return
        items.append(self.expression())
        while self.kinds[self.at] == ",":
            self.at += 1
            items.append(self.expression())

    def _map(self) -> Expr:
        first = self.at
        self.at += 1
        pairs: list[tuple[Expr, Expr]] = []

        def parse() -> None:
            while self.kinds[self.at] != "|)":
                key = self.expression()
                self.expect("=>", "between key and value")
                pairs.append((key, self.expression()))
                if self.kinds[self.at] != ",":
                    break
                self.at += 1

        self._within_brackets("|)", "to close this map", parse)
        return MapOf(first, self.at - 1, pairs)

    # ---- replicated operators ----

    def _replicated(self) -> Expr:
        first, kind = self.at, self.kinds[self.at]
        self.at += 1
        synchronised: Expr | None = None
        pairs: list[tuple[Expr, Expr]] = []
        link_statements: list[Statement] = []
        operator = kind
        saved = self.bracketed, self.in_sequence
        self.bracketed, self.in_sequence = True, False
        if kind in ("[|", "[+"):
            synchronised = self.expression()
            self.expect("|]" if kind == "[|" else "+]", "after the set")
            operator = "[||]" if kind == "[|" else "[++]"
        elif kind == "[":
            one = self.expression()
            pairs, link_statements = self._links(one)
            operator = "<->"
        statements = self.statements()
        self.expect("@", f"after the generators of a replicated '{operator}'")
        if kind == "||":
            self.expect("[", "before the alphabet")
            synchronised = self.expression()
            self.expect("]", "after the alphabet")
        self.bracketed, self.in_sequence = saved
        body = self.expression()
        return Replicated(first, self.at - 1, operator, statements, body, synchronised, pairs, link_statements)


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    import re

    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match.group(1), match.group(1)), text)


_OPERANDS: dict[str, Callable[[Expressions], Expr]] = {
    "true": Expressions._boolean,
    "false": Expressions._boolean,
    "_": Expressions._wildcard,
    "str": Expressions._text,
    "char": Expressions._character,
    "(": Expressions._parenthesised,
    "-": Expressions._prefix_operator,
    "not": Expressions._prefix_operator,
    "#": Expressions._prefix_operator,
    "if": Expressions._if,
    "let": Expressions._let,
    "\\": Expressions._lambda,
    "{": Expressions._set,
    "{|": Expressions._closure,
    "<": Expressions._sequence,
    "(|": Expressions._map,
    **dict.fromkeys(("[]", "|~|", "|||", "||", ";", "[|", "[+", "["), Expressions._replicated),
}
