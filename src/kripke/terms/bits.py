"""Terms as bits, over any algebra of truth values: nodes of a decision diagram, literals of a circuit.

An integer is a vector in two's complement, the lowest bit first, the sign last; it has as many bits as the bounds of
its term need. A variable has the bits of its sort, without a sign where it has no negative values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from kripke.terms.sort import Sort
from kripke.terms.term import Op, Symbol, Term, parts_first

Bit = TypeVar("Bit")
Vector = list[Bit]


class Algebra(Protocol[Bit]):
    """Truth values and what is done with them."""

    true: Bit
    false: Bit

    def conj(self, a: Bit, b: Bit) -> Bit: ...

    def disj(self, a: Bit, b: Bit) -> Bit: ...

    def neg(self, a: Bit) -> Bit: ...

    def xor(self, a: Bit, b: Bit) -> Bit: ...

    def ite(self, condition: Bit, then: Bit, otherwise: Bit) -> Bit: ...


class Unbounded(Exception):
    """A term has no bounds, so that no number of bits is enough."""

    def __init__(self, term: Term) -> None:
        super().__init__(f"an integer without bounds ({term!r})")


def width_of(low: int, high: int) -> int:
    """Bits in two's complement, with the sign."""
    return max(low.bit_length() if low >= 0 else (-low - 1).bit_length(), high.bit_length()) + 1


def variable_bits(sort: Sort) -> int:
    """How many bits a variable of this sort is kept in."""
    assert sort.low is not None and sort.high is not None
    return max(width_of(sort.low, sort.high) - int(sort.low >= 0), 1)


def bits_of(sort: Sort, value: int) -> list[bool]:
    """A value as a variable of this sort keeps it."""
    return [bool(value >> place & 1) for place in range(variable_bits(sort))]


def value_of(sort: Sort, bits: Sequence[bool]) -> int:
    """The value of a variable of this sort with these bits."""
    value = sum(1 << place for place, bit in enumerate(bits) if bit)
    signed = sort.low is not None and sort.low < 0
    return value - (1 << len(bits)) if signed and bits[-1] else value


def _places(division: Term) -> int | None:
    """Of a division of something that is not negative by a power of two: by how many bits that moves it."""
    dividend, divisor = division.args
    if divisor.op is not Op.CONSTANT or dividend.low is None or dividend.low < 0:
        return None
    value = int(divisor.value)  # type: ignore[arg-type]
    return value.bit_length() - 1 if value > 0 and value & (value - 1) == 0 else None


class Blaster(Generic[Bit]):
    """Terms over variables whose bits ``bits`` gives. What was made once is made no more."""

    def __init__(self, algebra: Algebra[Bit], bits: Callable[[Symbol], Sequence[Bit]]) -> None:
        self.algebra = algebra
        self._bits = bits
        self._known: dict[int, tuple[Term, Vector[Bit]]] = {}

    def truth(self, term: Term) -> Bit:
        """Of a boolean term."""
        return self._vector(term)[0]

    def stored(self, term: Term, sort: Sort) -> Vector[Bit]:
        """As a variable of this sort keeps it; the value must be one of the sort."""
        vector = self._vector(term)
        return vector[:1] if sort.boolean else self._extended(vector, variable_bits(sort))

    def _vector(self, term: Term) -> Vector[Bit]:
        known = self._known.get(id(term))
        if known is None:
            for part in parts_first(term):
                if id(part) not in self._known:
                    self._known[id(part)] = part, self._made(part)
            known = self._known[id(term)]
        return known[1]

    def _made(self, term: Term) -> Vector[Bit]:
        algebra, parts = self.algebra, [self._known[id(part)][1] for part in term.args]
        match term.op:
            case Op.CONSTANT:
                assert isinstance(term.value, int)
                value = int(term.value)
                if term.boolean:
                    return [algebra.true if value else algebra.false]
                return [algebra.true if value >> at & 1 else algebra.false for at in range(width_of(value, value))]
            case Op.VARIABLE:
                return self._variable(term)
            case Op.NOT:
                return [algebra.neg(parts[0][0])]
            case Op.AND:
                return [self._folded(algebra.conj, [part[0] for part in parts])]
            case Op.OR:
                return [self._folded(algebra.disj, [part[0] for part in parts])]
            case Op.ITE:
                width = 1 if term.boolean else self._width(term)
                condition, then, otherwise = parts[0][0], *(self._extended(p, width) for p in parts[1:])
                return [algebra.ite(condition, a, b) for a, b in zip(then, otherwise, strict=True)]
            case Op.EQUAL:
                return [self._equal(parts[0], parts[1])]
            case Op.LESS:
                return [self._less(parts[0], parts[1])]
            case _:
                return self._arithmetic(term, parts)

    def _variable(self, term: Term) -> Vector[Bit]:
        symbol = term.value
        assert isinstance(symbol, Symbol)
        bits = list(self._bits(symbol))
        if not symbol.sort.boolean and symbol.sort.low is not None and symbol.sort.low >= 0:
            bits.append(self.algebra.false)
        return bits

    def _width(self, term: Term) -> int:
        if term.low is None or term.high is None:
            raise Unbounded(term)
        return width_of(term.low, term.high)

    def _folded(self, combine: Callable[[Bit, Bit], Bit], bits: list[Bit]) -> Bit:
        """In a balanced tree: small parts meet small parts."""
        while len(bits) > 1:
            paired = [combine(a, b) for a, b in zip(bits[::2], bits[1::2], strict=False)]
            bits = paired + bits[len(bits) // 2 * 2 :]
        return bits[0]

    def _extended(self, vector: Vector[Bit], width: int) -> Vector[Bit]:
        return vector[:width] + [vector[-1]] * (width - len(vector))

    # --- comparisons --------------------------------------------------------------------------------------------------

    def _equal(self, a: Vector[Bit], b: Vector[Bit]) -> Bit:
        width = max(len(a), len(b))
        pairs = zip(self._extended(a, width), self._extended(b, width), strict=True)
        return self._folded(self.algebra.conj, [self.algebra.neg(self.algebra.xor(x, y)) for x, y in pairs])

    def _less(self, a: Vector[Bit], b: Vector[Bit]) -> Bit:
        """The sign counts the other way round."""
        width, algebra = max(len(a), len(b)), self.algebra
        result = algebra.false
        pairs = list(zip(self._extended(a, width), self._extended(b, width), strict=True))
        for x, y in pairs[:-1]:
            result = algebra.ite(algebra.xor(x, y), y, result)
        x, y = pairs[-1]
        return algebra.ite(algebra.xor(x, y), x, result)

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    def _arithmetic(self, term: Term, parts: list[Vector[Bit]]) -> Vector[Bit]:
        algebra = self.algebra
        width = self._width(term)
        match term.op:
            case Op.ADD:
                total = self._extended(parts[0], width)
                for part in parts[1:]:
                    total = self._sum(total, self._extended(part, width), algebra.false)
                return total
            case Op.MULTIPLY:
                return self._product(self._extended(parts[0], width), self._extended(parts[1], width))
            case Op.DIVIDE if (places := _places(term)) is not None:
                return self._extended(parts[0][places:] or [algebra.false], width)
            case Op.DIVIDE:
                return self._extended(self._division(parts[0], parts[1])[0], width)
            case Op.REMAINDER:
                return self._extended(self._division(parts[0], parts[1])[1], width)
            case Op.BIT_AND | Op.BIT_OR | Op.BIT_XOR:
                apply = {Op.BIT_AND: algebra.conj, Op.BIT_OR: algebra.disj, Op.BIT_XOR: algebra.xor}[term.op]
                pairs = zip(self._extended(parts[0], width), self._extended(parts[1], width), strict=True)
                return [apply(a, b) for a, b in pairs]
            case Op.SHIFT_LEFT:
                return self._shifted(self._extended(parts[0], 32), parts[1], left=True)
            case Op.SHIFT_RIGHT:
                return self._extended(self._shifted(self._extended(parts[0], 33), parts[1], left=False), width)
            case _:
                assert isinstance(term.value, tuple)
                bits, signed = term.value
                kept = self._extended(parts[0], bits)
                return kept if signed else [*kept, algebra.false]

    def _sum(self, a: Vector[Bit], b: Vector[Bit], carry: Bit) -> Vector[Bit]:
        algebra, result = self.algebra, list[Bit]()
        for x, y in zip(a, b, strict=True):
            either = algebra.xor(x, y)
            result.append(algebra.xor(either, carry))
            carry = algebra.ite(either, carry, x)
        return result

    def _negated(self, a: Vector[Bit]) -> Vector[Bit]:
        zero = [self.algebra.false] * len(a)
        return self._sum([self.algebra.neg(bit) for bit in a], zero, self.algebra.true)

    def _product(self, a: Vector[Bit], b: Vector[Bit]) -> Vector[Bit]:
        algebra, width = self.algebra, len(a)
        result = [algebra.false] * width
        for place, factor in enumerate(a):
            if factor == algebra.false:
                continue
            row = [algebra.false] * place + [algebra.conj(factor, bit) for bit in b[: width - place]]
            result = self._sum(result, row, algebra.false)
        return result

    def _division(self, a: Vector[Bit], b: Vector[Bit]) -> tuple[Vector[Bit], Vector[Bit]]:
        """Quotient towards zero and remainder with the sign of the dividend; 0 and 0 where the divisor is 0."""
        algebra, width = self.algebra, max(len(a), len(b)) + 1
        a, b = self._extended(a, width), self._extended(b, width)
        dividend = self._chosen(a[-1], self._negated(a), a)
        divisor = self._chosen(b[-1], self._negated(b), b)
        rest = [algebra.false] * width
        quotient: Vector[Bit] = []
        for bit in reversed(dividend):
            rest = [bit, *rest[:-1]]
            less = self._less(rest, divisor)
            reduced = self._sum(rest, [algebra.neg(one) for one in divisor], algebra.true)
            rest = self._chosen(less, rest, reduced)
            quotient.insert(0, algebra.neg(less))
        quotient = self._chosen(algebra.xor(a[-1], b[-1]), self._negated(quotient), quotient)
        rest = self._chosen(a[-1], self._negated(rest), rest)
        defined = self._folded(algebra.disj, list(b))
        nothing = [algebra.false] * width
        return self._chosen(defined, quotient, nothing), self._chosen(defined, rest, nothing)

    def _chosen(self, condition: Bit, then: Vector[Bit], otherwise: Vector[Bit]) -> Vector[Bit]:
        return [self.algebra.ite(condition, a, b) for a, b in zip(then, otherwise, strict=True)]

    def _shifted(self, a: Vector[Bit], count: Vector[Bit], *, left: bool) -> Vector[Bit]:
        width, count = len(a), self._extended(count, 5)
        for power in range(5):
            places = 1 << power
            if left:
                moved = ([self.algebra.false] * places + a)[:width]
            else:
                moved = (a[places:] + [a[-1]] * places)[:width]
            a = self._chosen(count[power], moved, a)
        return a
