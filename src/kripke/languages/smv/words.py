"""Operators on words: numbers of a fixed number of bits, read with a sign or without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kripke.languages.smv.expressions import MOST_BITS
from kripke.languages.smv.types import shown
from kripke.model.source import Span
from kripke.synchronous.expressions import Constant, Node, number
from kripke.synchronous.types import BOOLEAN, INTEGER, Boolean, Integer, Word

if TYPE_CHECKING:
    from kripke.languages.smv.meaning import Meanings

_ARITHMETIC: Final = ("+", "-", "*", "/", "mod")


class WordOperations:
    functions: Final = frozenset(
        {"toint", "bool", "word1", "unsigned", "signed", "extend", "resize", "sizeof", "uwconst", "swconst"}
    )

    def __init__(self, meanings: Meanings) -> None:
        self.meanings = meanings

    # --- bits ---------------------------------------------------------------------------------------------------------

    def _word(self, node: Node, operator: str) -> Word:
        if isinstance(node.type, Word):
            return node.type
        raise self.meanings.fault(f"{operator} is for words, and this is {shown(node.type)}", node.span)

    def read_as(self, node: Node, type_: Word, span: Span) -> Node:
        """Its lowest bits."""
        return node if node.type == type_ else self.meanings.applied("wrap", [node], type_, span)

    def bits(self, node: Node, high: int, low: int, span: Span) -> Node:
        width = self._word(node, "[ : ]").width
        if not 0 <= low <= high < width:
            raise self.meanings.fault(f"bits {high} to {low} are not among the bits {width - 1} to 0", span)
        plain = self.read_as(node, Word(width), span)
        moved = self.meanings.applied("/", [plain, number(1 << low)], Word(width), span)
        return self.meanings.applied("wrap", [moved], Word(high - low + 1), span)

    def bitwise(self, operator: str, values: list[Node], span: Span) -> Node:
        type_ = self._same(values, operator)
        if operator == "!":
            return self._complement(values[0], type_, span)
        match operator:
            case "&" | "|":
                return self.meanings.applied(operator, values, type_, span)
            case "xor":
                return self.meanings.applied("^", values, type_, span)
            case "xnor" | "<->":
                return self._complement(self.meanings.applied("^", values, type_, span), type_, span)
        return self.meanings.applied("|", [self._complement(values[0], type_, span), values[1]], type_, span)

    def _complement(self, node: Node, type_: Word, span: Span) -> Node:
        highest = -1 if type_.signed else (1 << type_.width) - 1
        return self.meanings.applied("-", [Constant(highest, type_), node], type_, span)

    def _same(self, values: list[Node], operator: str) -> Word:
        types = [self._word(one, operator) for one in values]
        if any(one != types[0] for one in types):
            self.meanings.typing.joint([(one, one.type) for one in values], values[0].span)
        return types[0]

    # --- everything else ----------------------------------------------------------------------------------------------

    def operation(self, operator: str, values: list[Node], span: Span) -> Node:
        meanings = self.meanings
        if operator in _ARITHMETIC:
            type_ = self._same(values, operator)
            return self.read_as(meanings.applied(operator, values, INTEGER, span), type_, span)
        match operator:
            case "negative":
                type_ = self._word(values[0], "-")
                return self.read_as(meanings.applied("-", [number(0), values[0]], INTEGER, span), type_, span)
            case "<<" | ">>":
                return self._shifted(operator, values[0], values[1], span)
            case "::":
                return self._joined(values[0], values[1], span)
            case "toint":
                if not isinstance(values[0].type, Word | Boolean | Integer):
                    raise meanings.fault(f"toint is for words and truth values, not {shown(values[0].type)}", span)
                return meanings.applied("as", values, INTEGER, span)
            case "bool":
                return self._truth(values[0], span)
            case "word1":
                truth = meanings.typing.truth(values[0], "what word1 is of")
                return meanings.applied("as", [truth], Word(1), span)
            case "unsigned" | "signed":
                width = self._word(values[0], operator).width
                return self.read_as(values[0], Word(width, operator == "signed"), span)
            case "extend" | "resize":
                return self._resized(operator, values, span)
            case "sizeof":
                return number(self._word(values[0], operator).width, span)
            case "uwconst" | "swconst":
                return self._constant(values, operator == "swconst", span)
        raise meanings.fault(f"{operator} is not for words", span)

    def _truth(self, node: Node, span: Span) -> Node:
        if isinstance(node.type, Boolean):
            return node
        if not isinstance(node.type, Word | Integer):
            raise self.meanings.fault(f"bool is for words and numbers, not {shown(node.type)}", span)
        zero = Constant(0, node.type)
        return self.meanings.logic("!", [self.meanings.applied("=", [node, zero], BOOLEAN, span)], span)

    def _shifted(self, operator: str, node: Node, count: Node, span: Span) -> Node:
        type_ = self._word(node, operator)
        if not isinstance(count.type, Integer) and count.type != Word(getattr(count.type, "width", 0)):
            raise self.meanings.fault("a shift is by a number, or by an unsigned word", count.span)
        return self.read_as(self.meanings.applied(operator, [node, count], INTEGER, span), type_, span)

    def _joined(self, high: Node, low: Node, span: Span) -> Node:
        widths = [self._word(one, "::").width for one in (high, low)]
        self._limited(sum(widths), span)
        parts = [self.read_as(one, Word(width), span) for one, width in zip((high, low), widths, strict=True)]
        moved = self.meanings.applied("*", [parts[0], number(1 << widths[1])], INTEGER, span)
        total = self.meanings.applied("+", [moved, parts[1]], INTEGER, span)
        return self.meanings.applied("as", [total], Word(sum(widths)), span)

    def _resized(self, operator: str, values: list[Node], span: Span) -> Node:
        type_ = self._word(values[0], operator)
        if not isinstance(values[1], Constant):
            raise self.meanings.fault("the number of bits is to be a constant", values[1].span)
        width = values[1].value + (type_.width if operator == "extend" else 0)
        if operator == "extend" and values[1].value < 0:
            raise self.meanings.fault("a word is extended by 0 or more bits", values[1].span)
        self._limited(width, span)
        wanted = Word(width, type_.signed)
        if width >= type_.width:
            return self.meanings.applied("as", [values[0]], wanted, span)
        if not type_.signed:
            return self.read_as(values[0], wanted, span)
        # The sign stays, and the lowest of the other bits.
        sign = self.bits(values[0], type_.width - 1, type_.width - 1, span)
        kept = sign if width == 1 else self._joined(sign, self.bits(values[0], width - 2, 0, span), span)
        return self.read_as(kept, wanted, span)

    def _constant(self, values: list[Node], signed: bool, span: Span) -> Node:
        if not all(isinstance(one, Constant) for one in values):
            raise self.meanings.fault("this takes two constant numbers: the value and the number of bits", span)
        value, width = (one.value for one in values if isinstance(one, Constant))
        self._limited(width, span)
        type_ = Word(width, signed)
        if value not in type_.sort:
            raise self.meanings.fault(f"{value} does not fit into {shown(type_)}", span)
        return Constant(value, type_, span)

    def _limited(self, width: int, span: Span) -> None:
        if not 1 <= width <= MOST_BITS:
            raise self.meanings.fault(f"a word has from 1 to {MOST_BITS} bits, not {width}", span)
