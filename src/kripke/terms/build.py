"""Terms are made here, and simplified while they are made: constants are folded, what bounds decide is decided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from kripke.deadline import current
from kripke.terms.sort import Sort
from kripke.terms.term import Op, Payload, Symbol, Term, make


def _truth(op: Op, args: tuple[Term, ...], value: Payload = None) -> Term:
    return make(op, args, value, True, 0, 1)


def _number(op: Op, args: tuple[Term, ...], low: int | None, high: int | None, value: Payload = None) -> Term:
    return make(op, args, value, False, low, high)


TRUE = _truth(Op.CONSTANT, (), True)
FALSE = _truth(Op.CONSTANT, (), False)


# --- leaves -----------------------------------------------------------------------------------------------------------


def boolean(value: bool) -> Term:
    return TRUE if value else FALSE


def constant(value: int) -> Term:
    return _number(Op.CONSTANT, (), value, value, value)


ZERO = constant(0)
ONE = constant(1)


def variable(symbol: Symbol) -> Term:
    sort = symbol.sort
    return make(Op.VARIABLE, (), symbol, sort.boolean, sort.low, sort.high)


def literal(sort: Sort, value: int) -> Term:
    """A constant of a sort."""
    return boolean(bool(value)) if sort.boolean else constant(value)


def known(term: Term) -> int | None:
    """The value of a constant, of a truth value 0 or 1; None: it is none."""
    if term.op is Op.CONSTANT:
        assert isinstance(term.value, int)
        return int(term.value)
    return None


# --- logic ------------------------------------------------------------------------------------------------------------


def negate(a: Term) -> Term:
    if a is TRUE:
        return FALSE
    if a is FALSE:
        return TRUE
    return a.args[0] if a.op is Op.NOT else _truth(Op.NOT, (a,))


def conjoin(*terms: Term) -> Term:
    return _gathered(Op.AND, terms, TRUE, FALSE)


def disjoin(*terms: Term) -> Term:
    return _gathered(Op.OR, terms, FALSE, TRUE)


def all_of(terms: Iterable[Term]) -> Term:
    return conjoin(*terms)


def any_of(terms: Iterable[Term]) -> Term:
    return disjoin(*terms)


def _gathered(op: Op, terms: Iterable[Term], neutral: Term, absorbing: Term) -> Term:
    parts: dict[int, Term] = {}
    for term in terms:
        for part in term.args if term.op is op else (term,):
            if part is absorbing:
                return absorbing
            if part is not neutral:
                parts[id(part)] = part
    if not parts:
        return neutral
    if len(parts) == 1:
        return next(iter(parts.values()))
    if any(part.op is Op.NOT and id(part.args[0]) in parts for part in parts.values()):
        return absorbing
    if op is Op.AND and _clash(parts.values()):
        return FALSE
    return _truth(op, tuple(parts.values()))


def _clash(parts: Iterable[Term]) -> bool:
    """Is something to have two different values?"""
    values: dict[int, int] = {}
    for part in parts:
        if part.op is Op.EQUAL and part.args[1].op is Op.CONSTANT:
            wanted = known(part.args[1])
            assert wanted is not None
            if values.setdefault(id(part.args[0]), wanted) != wanted:
                return True
    return False


def implies(a: Term, b: Term) -> Term:
    return disjoin(negate(a), b)


def ite(condition: Term, then: Term, otherwise: Term) -> Term:
    if condition is TRUE or then is otherwise:
        return then
    if condition is FALSE:
        return otherwise
    if condition.op is Op.NOT:
        condition, then, otherwise = condition.args[0], otherwise, then
    if then.op is Op.ITE and then.args[0] is condition:
        then = then.args[1]
    if otherwise.op is Op.ITE and otherwise.args[0] is condition:
        otherwise = otherwise.args[2]
    if then is otherwise:
        return then
    if then.boolean:
        if then is TRUE:
            return disjoin(condition, otherwise)
        if then is FALSE:
            return conjoin(negate(condition), otherwise)
        if otherwise is TRUE:
            return disjoin(negate(condition), then)
        if otherwise is FALSE:
            return conjoin(condition, then)
        return _truth(Op.ITE, (condition, then, otherwise))
    low = None if then.low is None or otherwise.low is None else min(then.low, otherwise.low)
    high = None if then.high is None or otherwise.high is None else max(then.high, otherwise.high)
    return _number(Op.ITE, (condition, then, otherwise), low, high)


def choose(index: Term, values: Sequence[Term]) -> Term:
    """The value with that index; the last one where the index is not below."""
    result = values[-1]
    for position in range(len(values) - 2, -1, -1):
        result = ite(equal(index, constant(position)), values[position], result)
    return result


# --- comparisons ------------------------------------------------------------------------------------------------------


def equal(a: Term, b: Term) -> Term:
    if a is b:
        return TRUE
    if a.boolean:
        return _same_truth(a, b)
    if _below(a, b) or _below(b, a):
        return FALSE
    if a.op is Op.CONSTANT:
        a, b = b, a
    if b.op is Op.CONSTANT:
        if a.op is Op.CONSTANT:
            return boolean(known(a) == known(b))
        if a.op is Op.ITE and (a.args[1].op is Op.CONSTANT or a.args[2].op is Op.CONSTANT):
            return ite(a.args[0], equal(a.args[1], b), equal(a.args[2], b))
        return _truth(Op.EQUAL, (a, b))
    return _truth(Op.EQUAL, (a, b) if id(a) < id(b) else (b, a))


def _same_truth(a: Term, b: Term) -> Term:
    for one, other in ((a, b), (b, a)):
        if one is TRUE:
            return other
        if one is FALSE:
            return negate(other)
    return ite(a, b, negate(b))


def _below(a: Term, b: Term) -> bool:
    """Is a surely less than b?"""
    return a.high is not None and b.low is not None and a.high < b.low


def less(a: Term, b: Term) -> Term:
    return _less(a, b, {})


def _less(a: Term, b: Term, known_: dict[tuple[int, int], Term]) -> Term:
    """``known_``: of parts of the terms, which may be shared many times."""
    if a is b or (b.high is not None and a.low is not None and b.high <= a.low):
        return FALSE
    if _below(a, b):
        return TRUE
    key = id(a), id(b)
    found = known_.get(key)
    if found is None:
        current()()  # large terms take long
        found = known_[key] = _truth(Op.LESS, (a, b))
        for one, other in ((a, b), (b, a)):
            if one.op is Op.CONSTANT and other.op is Op.ITE:
                inner = [_less(a, part, known_) if one is a else _less(part, b, known_) for part in other.args[1:]]
                if any(part in (TRUE, FALSE) for part in inner):
                    found = known_[key] = ite(other.args[0], *inner)
    return found


def at_most(a: Term, b: Term) -> Term:
    return negate(less(b, a))


def between(low: int, a: Term, high: int) -> Term:
    """``low <= a <= high``"""
    return conjoin(at_most(constant(low), a), at_most(a, constant(high)))


def within(symbol: Symbol) -> Term:
    """That the bits of a variable are those of a value of its sort. Bounds alone would say that they always are."""
    sort, value = symbol.sort, variable(symbol)
    if sort.boolean or sort.low is None or sort.high is None:
        return TRUE
    width = max((sort.low if sort.low >= 0 else -sort.low - 1).bit_length(), sort.high.bit_length())
    lowest, highest = -(1 << width) if sort.low < 0 else 0, (1 << width) - 1
    parts = [_truth(Op.LESS, (value, constant(sort.low)))] if sort.low > lowest else []
    parts += [_truth(Op.LESS, (constant(sort.high), value))] if sort.high < max(highest, 1) else []
    return conjoin(*map(negate, parts))


# --- arithmetic -------------------------------------------------------------------------------------------------------


def add(*terms: Term) -> Term:
    total, parts = 0, list[Term]()
    for term in terms:
        for part in term.args if term.op is Op.ADD else (term,):
            value = known(part)
            if value is None:
                parts.append(part)
            else:
                total += value
    if total or not parts:
        parts.append(constant(total))
    if len(parts) == 1:
        return parts[0]
    lows, highs = [part.low for part in parts], [part.high for part in parts]
    return _number(Op.ADD, tuple(parts), _sum(lows), _sum(highs))


def _sum(bounds: list[int | None]) -> int | None:
    given = [bound for bound in bounds if bound is not None]
    return sum(given) if len(given) == len(bounds) else None


def subtract(a: Term, b: Term) -> Term:
    return ZERO if a is b else add(a, multiply(constant(-1), b))


def multiply(a: Term, b: Term) -> Term:
    if b.op is Op.CONSTANT:
        a, b = b, a
    factor = known(a)
    if factor is not None:
        value = known(b)
        if value is not None:
            return constant(factor * value)
        if factor in (0, 1):
            return b if factor else ZERO
    bounds = (a.low, a.high, b.low, b.high)
    if factor is not None and (b.low is None or b.high is None):
        ends = [None if end is None else factor * end for end in (b.low, b.high)]
        low, high = ends if factor > 0 else reversed(ends)
        return _number(Op.MULTIPLY, (a, b), low, high)
    if any(bound is None for bound in bounds):
        return _number(Op.MULTIPLY, (a, b), None, None)
    corners = [x * y for x in bounds[:2] for y in bounds[2:] if x is not None and y is not None]
    return _number(Op.MULTIPLY, (a, b), min(corners), max(corners))


def truncated_quotient(a: int, b: int) -> int:
    """0 where b is 0."""
    if b == 0:
        return 0
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def truncated_remainder(a: int, b: int) -> int:
    """With the sign of a; 0 where b is 0."""
    rest = abs(a) % abs(b) if b else 0
    return -rest if a < 0 else rest


def divide(a: Term, b: Term) -> Term:
    """Towards zero; 0 where the divisor is."""
    x, y = known(a), known(b)
    if x is not None and y is not None:
        return constant(truncated_quotient(x, y))
    if y == 1:
        return a
    if a.low is None or a.high is None:
        return _number(Op.DIVIDE, (a, b), None, None)
    largest = max(abs(a.low), abs(a.high))
    low = 0 if a.low >= 0 and b.low is not None and b.low >= 0 else -largest
    if y is not None and y > 1:
        ends = truncated_quotient(a.low, y), truncated_quotient(a.high, y)
        return _number(Op.DIVIDE, (a, b), *ends)
    return _number(Op.DIVIDE, (a, b), low, largest)


def remainder(a: Term, b: Term) -> Term:
    """With the sign of the dividend; 0 where the divisor is."""
    x, y = known(a), known(b)
    if x is not None and y is not None:
        return constant(truncated_remainder(x, y))
    if a.low is not None and a.low >= 0 and a.high is not None and b.low is not None and b.low > a.high:
        return a
    largest = None if b.low is None or b.high is None else max(abs(b.low), abs(b.high), 1) - 1
    if a.low is None or a.high is None:
        if largest is None:
            return _number(Op.REMAINDER, (a, b), None, None)
        return _number(Op.REMAINDER, (a, b), -largest, largest)
    low, high = min(a.low, 0), max(a.high, 0)
    if largest is not None:
        low, high = max(low, -largest), min(high, largest)
    return _number(Op.REMAINDER, (a, b), low, high)


def wrap(a: Term, width: int, *, signed: bool) -> Term:
    """The lowest bits; nothing where the value fits anyway."""
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    if a.low is not None and a.high is not None and low <= a.low and a.high <= high:
        return a
    value = known(a)
    if value is not None:
        return constant(wrapped(value, width, signed))
    if a.op is Op.ITE:
        return ite(a.args[0], wrap(a.args[1], width, signed=signed), wrap(a.args[2], width, signed=signed))
    return _number(Op.WRAP, (a,), low, high, (width, signed))


def wrapped(value: int, width: int, signed: bool) -> int:
    value &= (1 << width) - 1
    return value - (1 << width) if signed and value >> (width - 1) else value


def bitwise(op: Op, a: Term, b: Term) -> Term:
    """``&``, ``|`` and ``^`` of integers between bounds, in two's complement."""
    x, y = known(a), known(b)
    if x is not None and y is not None:
        return constant(x & y if op is Op.BIT_AND else x | y if op is Op.BIT_OR else x ^ y)
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return _number(op, (a, b), None, None)
    if op is Op.BIT_AND and (a.low >= 0 or b.low >= 0):
        return _number(
            op, (a, b), 0, min(t.high for t in (a, b) if t.low is not None and t.low >= 0 and t.high is not None)
        )
    width = max(x.bit_length() for x in (a.low, a.high, b.low, b.high))
    low = 0 if a.low >= 0 and b.low >= 0 else -(1 << width)
    return _number(op, (a, b), low, (1 << width) - 1)


def shift_left(a: Term, count: Term) -> Term:
    """By the lowest five bits of the count; 32 bits are kept, the highest is the sign."""
    places = known(count)
    if places is not None:
        return wrap(multiply(a, constant(1 << (places & 31))), 32, signed=True)
    return _number(Op.SHIFT_LEFT, (a, count), -(1 << 31), (1 << 31) - 1)


def shift_right(a: Term, count: Term) -> Term:
    """By the lowest five bits of the count; the sign is kept."""
    x, places = known(a), known(count)
    if x is not None and places is not None:
        return constant(x >> (places & 31))
    if a.low is None or a.high is None:
        return _number(Op.SHIFT_RIGHT, (a, count), None, None)
    if places is not None:
        return _number(Op.SHIFT_RIGHT, (a, count), a.low >> (places & 31), a.high >> (places & 31))
    return _number(Op.SHIFT_RIGHT, (a, count), min(a.low, 0), max(a.high, 0))


# --- between truth and numbers ----------------------------------------------------------------------------------------


def number(truth: Term) -> Term:
    """1 or 0."""
    return ite(truth, ONE, ZERO)


def true_of(number_: Term) -> Term:
    """Not 0."""
    return negate(equal(number_, ZERO))


def total(terms: Iterable[Term]) -> Term:
    return reduce(add, terms, ZERO)
