"""Formulas of branching time as text: ``AG (request -> AF granted)``, ``nu X. ready && <send> X``.

Loosest first: `->` `<->`, then `||`, then `&&`, then `!` and the operators; `->` and `<->` group to the left, as in
formulas of linear time. The operators of computation tree logic are `EX EF EG AX AF AG` and `E[f U g] A[f U g]`, with
`W` (weak until) and `R` (release) for `U`, round brackets for square ones. Those of the mu-calculus are
`mu X. f`, `nu X. f`, `<> f` and `[] f` for some and every step, `<a, b> f` and `[a, b] f` for steps of these actions,
`<!a> f` and `[!a] f` for steps of others. An atom is whatever stands between them: a condition of the model's language,
read by its front end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from kripke.logic.ctl import (
    FALSE,
    TRUE,
    And,
    Atom,
    ExistsGlobally,
    ExistsNext,
    ExistsStep,
    ExistsUntil,
    FixPoint,
    Or,
    Same,
    StateFormula,
    Variable,
    always_finally,
    always_globally,
    always_next,
    always_release,
    always_until,
    always_weak_until,
    exists_finally,
    exists_release,
    exists_weak_until,
    is_monotone,
    negation,
)

if TYPE_CHECKING:
    from kripke.model.source import ModelError

Logic = Literal["ctl", "mu"]

_DEEPEST: Final = 60
_UNARY: Final[dict[str, Callable[[StateFormula], StateFormula]]] = {
    "EX": ExistsNext,
    "EF": exists_finally,
    "EG": ExistsGlobally,
    "AX": always_next,
    "AF": always_finally,
    "AG": always_globally,
}
_PATHS: Final[dict[str, Callable[[StateFormula, StateFormula], StateFormula]]] = {
    "EU": ExistsUntil,
    "EW": exists_weak_until,
    "ER": exists_release,
    "AU": always_until,
    "AW": always_weak_until,
    "AR": always_release,
}
_CONSTANTS: Final = {"true": TRUE, "1": TRUE, "false": FALSE, "0": FALSE}
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_ENDS_ATOM: Final = re.compile(r"<->|->|&&|\|\||[)\],]|\b[UWR]\b")
#: behind a closing parenthesis: what makes the whole of it part of a condition
_GOES_ON: Final = re.compile(r"\s*(?!->|<->|&&|\|\|)(?:[=!<>]=|<<|>>|[-+*/%&|^<>?@\[.:])")
_COMPARES: Final = re.compile(r"[=!<>]=|[<>]|[-+*/%]")
_ACTION: Final = re.compile(r'\s*(?:"(?P<quoted>[^"\n]*)"|(?P<plain>[^,|\]>"]+?))\s*(?=[,|\]>])')


def parse(text: str, logic: Logic, file: str = "formula") -> StateFormula:
    """The formula a text says. Raises ModelError with the place of what is wrong."""
    parser = _Parser(text, logic, file)
    formula = parser.binary()
    if parser.at < len(text):
        raise parser.error("expected an operator or the end of the formula", parser.at, parser.at + 1)
    return formula


class _Chunk(NamedTuple):
    text: str
    start: int
    end: int


class _Parser:
    def __init__(self, text: str, logic: Logic, file: str) -> None:
        self.text = text
        self.logic = logic
        self.file = file
        self.at = 0
        self.depth = 0
        self.variables: list[str] = []
        self.skip()

    # --- places -------------------------------------------------------------------------------------------------------

    def skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def looks_at(self, sign: str) -> bool:
        return self.text.startswith(sign, self.at)

    def take(self, length: int) -> None:
        self.at += length
        self.skip()

    def expect(self, sign: str, opening: int) -> None:
        if not self.looks_at(sign):
            if self.at >= len(self.text):
                raise self.error("this bracket is not closed", opening, opening + 1)
            raise self.error(f"expected '{sign}' or an operator", self.at, self.at + 1)
        self.take(len(sign))

    def error(self, message: str, start: int, end: int, hint: str | None = None) -> ModelError:
        from kripke.model.source import Sources, Span

        start = min(start, len(self.text))
        lines = self.text[:start].split("\n")
        line, column = len(lines), len(lines[-1]) + 1
        sources = Sources()
        sources.add(self.file, self.text)
        width = max(end - start, 1) if "\n" not in self.text[start:end] else 1
        return sources.error(message, Span(self.file, line, column, line, column + width), hint)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.error(f"nested too deeply: more than {_DEEPEST} levels", self.at, self.at + 1)
        yield
        self.depth -= 1

    # --- grammar ------------------------------------------------------------------------------------------------------

    def binary(self) -> StateFormula:
        left = self.disjunction()
        length = 0
        while self.looks_at("->") or self.looks_at("<->"):
            equivalent = self.looks_at("<->")
            self.take(3 if equivalent else 2)
            right = self.disjunction()
            left = Same(left, right) if equivalent else Or((negation(left), right))
            length += 1
            if length > _DEEPEST:
                raise self.error(f"nested too deeply: more than {_DEEPEST} of these in a row", self.at, self.at + 1)
        return left

    def disjunction(self) -> StateFormula:
        return self.several("||", self.conjunction, Or)

    def conjunction(self) -> StateFormula:
        return self.several("&&", self.unary, And)

    def several(
        self,
        sign: str,
        operand: Callable[[], StateFormula],
        join: Callable[[tuple[StateFormula, ...]], StateFormula],
    ) -> StateFormula:
        operands = [operand()]
        while self.looks_at(sign):
            self.take(2)
            operands.append(operand())
        return operands[0] if len(operands) == 1 else join(tuple(operands))

    def unary(self) -> StateFormula:
        with self.deeper():
            start = self.at
            if self.looks_at("!") and not self.looks_at("!="):
                self.take(1)
                return negation(self.negated(start))
            if self.looks_at("("):
                return self.parenthesised()
            if self.looks_at("<") or self.looks_at("["):
                return self.modality()
            word = _WORD.match(self.text, self.at)
            if word is not None:
                found = self.operator(word[0], word.end())
                if found is not None:
                    return found
            return self.atom()

    def negated(self, sign: int) -> StateFormula:
        """`! x == 2` would be read one way here and another way in the model's language."""
        start = self.at
        operand = self.unary()
        if isinstance(operand, Atom) and self.text[start] != "(":
            compared = _COMPARES.search(operand.name)
            if compared is not None and not _WORD.fullmatch(operand.name):
                hint = f"write !({operand.name}), or put what is negated into parentheses"
                raise self.error("it is not clear what '!' negates", sign, sign + 1, hint)
        return operand

    def parenthesised(self) -> StateFormula:
        opening = self.at
        closing = self.closing(opening)
        if closing is not None and _GOES_ON.match(self.text, closing + 1):
            return self.atom()
        self.take(1)
        inner = self.binary()
        self.expect(")", opening)
        return inner

    def operator(self, word: str, end: int) -> StateFormula | None:
        """A formula that begins with this word, if it is one of an operator, constant or variable."""
        if word in self.variables:
            self.at = end
            self.skip()
            return Variable(word)
        if word in _UNARY:
            self.at = end
            self.skip()
            return _UNARY[word](self.unary())
        following = self.text[end:].lstrip()[:1]
        if word in ("A", "E") and following and following in "[(":
            return self.quantified(word, end)
        if word in ("mu", "nu") and _WORD.match(self.text[end:].lstrip()):
            return self.fix_point(word, end)
        return None

    def quantified(self, word: str, end: int) -> StateFormula:
        self.at = end
        self.skip()
        opening = self.at
        closing = ")" if self.looks_at("(") else "]"
        self.take(1)
        left = self.binary()
        sign = _WORD.match(self.text, self.at)
        if sign is None or sign[0] not in ("U", "W", "R"):
            hint = f"write {word}[f U g], or {word}G f, {word}F f, {word}X f"
            raise self.error("expected 'U', 'W' or 'R'", self.at, self.at + 1, hint)
        self.take(1)
        right = self.binary()
        self.expect(closing, opening)
        return _PATHS[word + sign[0]](left, right)

    # --- the mu-calculus ----------------------------------------------------------------------------------------------

    def only_mu(self, what: str, start: int) -> None:
        if self.logic != "mu":
            raise self.error(f"{what} belongs to the mu-calculus", start, start + 1, "give the formula with --mu")

    def fix_point(self, word: str, end: int) -> StateFormula:
        start = self.at
        self.only_mu(f"'{word}'", start)
        self.at = end
        self.skip()
        variable = _WORD.match(self.text, self.at)
        assert variable is not None
        name = variable[0]
        self.take(len(name))
        if not self.looks_at("."):
            raise self.error(f"expected '.' after the variable of '{word}'", self.at, self.at + 1, "write mu X. f")
        self.take(1)
        self.variables.append(name)
        body = self.binary()
        self.variables.pop()
        if not is_monotone(body, name):
            hint = "the variable of a fix-point stands under an even number of negations"
            raise self.error(f"'{name}' is negated in its own fix-point", start, end, hint)
        return FixPoint(name, body, word == "nu")

    def modality(self) -> StateFormula:
        start = self.at
        some = self.looks_at("<")
        self.only_mu("a step" + (" <...>" if some else " [...]"), start)
        closing = ">" if some else "]"
        self.take(1)
        others = self.looks_at("!")
        if others:
            self.take(1)
        actions: list[str] = []
        while not self.looks_at(closing):
            action = _ACTION.match(self.text, self.at)
            if action is None:
                raise self.error(f"expected an action, or '{closing}'", self.at, self.at + 1)
            actions.append(action["quoted"] if action["quoted"] is not None else action["plain"])
            self.take(action.end() - self.at)
            if self.looks_at(",") or self.looks_at("|"):
                self.take(1)
        if others and not actions:
            raise self.error("no action is excluded here", start, self.at, "write <> or [] for every step")
        self.take(1)
        operand = self.unary()
        if not actions:
            return ExistsNext(operand) if some else always_next(operand)
        if some:
            return ExistsStep(tuple(actions), others, operand)
        return negation(ExistsStep(tuple(actions), others, negation(operand)))

    # --- atoms --------------------------------------------------------------------------------------------------------

    def closing(self, opening: int) -> int | None:
        """Where the bracket that opens here is closed."""
        depth = 0
        quoted = False
        for at in range(opening, len(self.text)):
            sign = self.text[at]
            if sign == '"':
                quoted = not quoted
            elif quoted:
                continue
            elif sign in "([{":
                depth += 1
            elif sign in ")]}":
                depth -= 1
                if depth == 0:
                    return at
        return None

    def atom(self) -> StateFormula:
        """As far as the next connective, or the bracket that closes around it."""
        start = at = self.at
        while at < len(self.text):
            sign = self.text[at]
            if sign == '"':
                end = self.text.find('"', at + 1)
                if end < 0:
                    raise self.error("this text in quotes does not end", at, at + 1)
                at = end + 1
                continue
            if sign in "([{":
                end_of_bracket = self.closing(at)
                if end_of_bracket is None:
                    raise self.error("this bracket is not closed", at, at + 1)
                at = end_of_bracket + 1
                continue
            if _ENDS_ATOM.match(self.text, at) and (sign not in "UWR" or not _inside_word(self.text, at)):
                break
            at += 1
        name = self.text[start:at].rstrip()
        if not name:
            shown = f"'{self.text[start]}'" if start < len(self.text) else "the end of the formula"
            raise self.error(f"expected a formula, found {shown}", start, start + 1)
        self.at = at
        self.skip()
        return _CONSTANTS.get(name) or Atom(name)


def _inside_word(text: str, at: int) -> bool:
    return at > 0 and (text[at - 1].isalnum() or text[at - 1] in "_.:@")
