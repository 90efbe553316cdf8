"""Terms as text in SMT-LIB 2, for solvers of any make."""

from __future__ import annotations

from collections.abc import Callable

from kripke.terms.term import Op, Symbol, Term, parts_first

_SIGNS = {
    Op.NOT: "not", Op.AND: "and", Op.OR: "or", Op.ITE: "ite", Op.EQUAL: "=", Op.LESS: "<", Op.ADD: "+",
    Op.MULTIPLY: "*",
}  # fmt: skip


class Inexpressible(Exception):
    """A term that integers of SMT-LIB do not say."""


def number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def bit(value: str, place: int) -> str:
    """Is a bit of an integer in two's complement set?"""
    return f"(= (mod (div {value} {1 << place}) 2) 1)"


class Text:
    """Text of terms over variables with these names. What occurs twice is defined once: ``definitions`` has it."""

    def __init__(self, name: Callable[[Symbol], str], prefix: str) -> None:
        self._name, self._prefix = name, prefix
        self._known: dict[int, tuple[Term, str]] = {}
        self.definitions: list[str] = []

    def of(self, root: Term) -> str:
        for term in parts_first(root):
            if id(term) not in self._known:
                self._known[id(term)] = term, self._defined(term)
        return self._known[id(root)][1]

    def _defined(self, term: Term) -> str:
        text = self._made(term, [self._known[id(part)][1] for part in term.args])
        if not term.args:
            return text
        name = f"{self._prefix}{len(self.definitions)}"
        sort = "Bool" if term.boolean else "Int"
        self.definitions.append(f"(define-fun {name} () {sort} {text})")
        return name

    def _made(self, term: Term, parts: list[str]) -> str:
        match term.op:
            case Op.CONSTANT:
                return str(bool(term.value)).lower() if term.boolean else number(int(term.value))  # type: ignore[arg-type]
            case Op.VARIABLE:
                assert isinstance(term.value, Symbol)
                return self._name(term.value)
            case Op.WRAP:
                assert isinstance(term.value, tuple)
                width, signed = term.value
                half = 1 << (width - 1) if signed else 0
                return f"(- (mod (+ {parts[0]} {half}) {1 << width}) {half})"
            case Op.DIVIDE | Op.REMAINDER:
                a, b = parts
                size = f"(div (abs {a}) (abs {b}))"
                quotient = f"(ite (= (>= {a} 0) (>= {b} 0)) {size} (- {size}))"
                value = quotient if term.op is Op.DIVIDE else f"(- {a} (* {b} {quotient}))"
                return f"(ite (= {b} 0) 0 {value})"
            case Op.BIT_AND | Op.BIT_OR | Op.BIT_XOR:
                return self._bitwise(term, parts)
            case op if op in _SIGNS:
                return f"({_SIGNS[op]} {' '.join(parts)})"
        raise Inexpressible(f"a shift ({term!r})")

    def _bitwise(self, term: Term, parts: list[str]) -> str:
        bounds = [bound for part in term.args for bound in (part.low, part.high)]
        if any(bound is None for bound in bounds):
            raise Inexpressible(f"bits of an integer without bounds ({term!r})")
        width = max(bound.bit_length() for bound in bounds if bound is not None)
        sign = {Op.BIT_AND: "and", Op.BIT_OR: "or", Op.BIT_XOR: "xor"}[term.op]
        total = [f"(ite ({sign} {bit(parts[0], p)} {bit(parts[1], p)}) {1 << p} 0)" for p in range(width)]
        total.append(f"(ite ({sign} (< {parts[0]} 0) (< {parts[1]} 0)) (- {1 << width}) 0)")
        return f"(+ {' '.join(total)})"


def single(term: Term, name: Callable[[Symbol], str]) -> str:
    """A term as one expression."""
    text = Text(name, "t")
    known: dict[int, str] = {}
    for part in parts_first(term):
        known[id(part)] = text._made(part, [known[id(inner)] for inner in part.args])
    return known[id(term)]
