"""Terms as expressions of SMV. What occurs in several places gets a name under DEFINE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from kripke.terms.term import Op, Symbol, Term, parts_first

_SIGNS = {Op.AND: " & ", Op.OR: " | ", Op.ADD: " + ", Op.MULTIPLY: " * ", Op.EQUAL: " = ", Op.LESS: " < "}
_SMALL = 3  # parts up to which a term is written again rather than named


class TermWriter:
    """``definitions`` grow while terms are written: names and what they stand for, in an order that can be read."""

    def __init__(self, name: Callable[[Symbol], str], roots: Iterable[Term]) -> None:
        self._name = name
        self.definitions: list[tuple[str, str]] = []
        self._texts: dict[int, str] = {}
        self._size: dict[int, int] = {}
        order = parts_first(*roots)
        used = Counter(id(part) for term in order for part in term.args)
        for term in order:
            self._size[id(term)] = 1 + sum(self._size[id(part)] for part in term.args)
            text = self._text(term, [self._texts[id(part)] for part in term.args])
            if used[id(term)] > 1 and self._size[id(term)] > _SMALL:
                self.definitions.append((f"part_{len(self.definitions)}", text))
                text = self.definitions[-1][0]
                self._size[id(term)] = 1
            self._texts[id(term)] = text

    def of(self, term: Term) -> str:
        return self._texts[id(term)]

    def _text(self, term: Term, parts: list[str]) -> str:
        match term.op:
            case Op.CONSTANT:
                value = term.value
                assert isinstance(value, int)
                if term.boolean:
                    return "TRUE" if value else "FALSE"
                return str(int(value)) if value >= 0 else f"({int(value)})"
            case Op.VARIABLE:
                assert isinstance(term.value, Symbol)
                return self._name(term.value)
            case Op.NOT:
                return f"!{parts[0]}" if parts[0].startswith("(") or parts[0].isidentifier() else f"!({parts[0]})"
            case Op.ITE:
                return f"({parts[0]} ? {parts[1]} : {parts[2]})"
            case Op.DIVIDE | Op.REMAINDER:
                sign = "/" if term.op is Op.DIVIDE else "mod"
                whole = f"({parts[0]} {sign} {parts[1]})"
                known = term.args[1].op is Op.CONSTANT and term.args[1].value != 0
                return whole if known else f"({parts[1]} = 0 ? 0 : {whole})"
            case Op.WRAP:
                assert isinstance(term.value, tuple)
                return _wrapped(parts[0], term.args[0].low, *term.value)
            case Op.BIT_AND | Op.BIT_OR | Op.BIT_XOR:
                return _bitwise(term, parts)
            case Op.SHIFT_LEFT | Op.SHIFT_RIGHT:
                return _shifted(term, parts)
            case op:
                return "(" + _SIGNS[op].join(parts) + ")"


def _wrapped(text: str, low: int | None, width: int, signed: bool) -> str:
    half, whole = (1 << (width - 1) if signed else 0), 1 << width
    moved = f"({text} + {half})" if half else text
    rest = f"({moved} mod {whole})"
    if low is None or low + half < 0:
        rest = f"(({rest} + {whole}) mod {whole})"
    return f"({rest} - {half})" if half else rest


def _bitwise(term: Term, parts: list[str]) -> str:
    """Bit by bit: numbers have no such operators."""
    bounds = [bound for part in term.args for bound in (part.low, part.high) if bound is not None]
    width = max(bound.bit_length() for bound in bounds)
    negative = any(bound < 0 for bound in bounds)
    a, b = (f"(({part} + {1 << (width + 1)}) mod {1 << (width + 1)})" if negative else part for part in parts)
    sign = {Op.BIT_AND: "&", Op.BIT_OR: "|", Op.BIT_XOR: "xor"}[term.op]
    places = range(width + int(negative))
    bits = [f"((({a} / {1 << p}) mod 2 = 1) {sign} (({b} / {1 << p}) mod 2 = 1) ? {1 << p} : 0)" for p in places]
    total = "(" + " + ".join(bits) + ")" if bits else "0"
    if not negative:
        return total
    return f"({total} >= {1 << width} ? {total} - {1 << (width + 1)} : {total})"


def _shifted(term: Term, parts: list[str]) -> str:
    """By the lowest five bits of the count."""
    value, count = parts
    places = f"((({count} mod 32) + 32) mod 32)"
    branches = []
    for number in range(32):
        if term.op is Op.SHIFT_LEFT:
            moved = _wrapped(f"({value} * {1 << number})", None, 32, True)
        else:
            power = 1 << number
            moved = f"({value} >= 0 ? {value} / {power} : -1 - ((-1 - {value}) / {power}))"
        branches.append(f"{places} = {number} : {moved};")
    return f"case {' '.join(branches[:-1])} TRUE : {branches[-1].partition(' : ')[2]} esac"
