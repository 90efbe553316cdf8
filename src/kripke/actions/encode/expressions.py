"""Expressions and places of action programs in terms: the same values and failures as ``evaluation.py`` has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from kripke.actions.encode.places import GLOBAL
from kripke.actions.encode.slots import Slot, Slots
from kripke.actions.program import (
    Base,
    Cast,
    Constant,
    Expression,
    Indexing,
    InRange,
    Load,
    Operation,
    Place,
    ProcessType,
    Scalar,
    ViolationKind,
)
from kripke.terms.build import (
    FALSE,
    TRUE,
    ZERO,
    add,
    at_most,
    between,
    bitwise,
    conjoin,
    constant,
    disjoin,
    divide,
    equal,
    ite,
    less,
    multiply,
    negate,
    number,
    remainder,
    shift_right,
    subtract,
    total,
    true_of,
    wrap,
)
from kripke.terms.path import Path
from kripke.terms.term import Op, Symbol, Term

_SET_BITS = 32
_COMPARE: dict[str, Callable[[Term, Term], Term]] = {
    "=": equal,
    "#": lambda a, b: negate(equal(a, b)),
    "<": less,
    "<=": at_most,
    ">": lambda a, b: less(b, a),
    ">=": lambda a, b: at_most(b, a),
}


class Frame(NamedTuple):
    """Who evaluates something: a process of a type in a slot; ``at``: the communication in which it waits, or is about
    to (-1: none). An atom is nobody's: ``slot`` is None."""

    slot: Slot | None
    process: ProcessType | None
    at: int = -1


@dataclass(slots=True)
class Spot:
    """Where a place may be: under a condition, at an offset of a record (``slot`` None: of the global block)."""

    when: Term
    slot: Slot | None
    process: int
    offset: int


class Expressions:
    def __init__(self, slots: Slots) -> None:
        self.slots = slots
        self.program = slots.program

    # --- places -------------------------------------------------------------------------------------------------------

    def owners(self, path: Path, frame: Frame, hops: int) -> list[tuple[Term, Slot, int]]:
        """The processes in whose records something may lie, some hops along static links."""
        assert frame.slot is not None and frame.process is not None
        found = [(TRUE, frame.slot, frame.process.number)]
        for _ in range(hops):
            further: list[tuple[Term, Slot, int]] = []
            for when, slot, process in found:
                outer = self.program.processes[process].outer
                link = path.read(slot.links[process])
                for other in self.slots.slots:
                    if any(one.number == outer for one in other.types):
                        here = conjoin(when, equal(link, constant(other.number)))
                        if here is not FALSE:
                            further.append((here, other, outer))
            found = further
        return found

    def _bases(self, path: Path, frame: Frame, base: Base) -> list[Spot]:
        if base.hops is None:
            return [Spot(TRUE, None, GLOBAL, base.offset)]
        owners = self.owners(path, frame, base.hops)
        if not base.reference:
            return [Spot(when, slot, process, base.offset) for when, slot, process in owners]
        return [
            spot for when, slot, process in owners for spot in self._referred(path, when, slot, process, base.offset)
        ]

    def _referred(self, path: Path, when: Term, slot: Slot, process: int, offset: int) -> Iterator[Spot]:
        """What a reference may refer to now."""
        owner, at = (path.read(symbol) for symbol in slot.references[process, offset])
        for region, inside in sorted(self.slots.references.targets[process, offset]):
            here = conjoin(when, equal(at, constant(inside)))
            if region == GLOBAL:
                spots = [Spot(conjoin(here, equal(owner, ZERO)), None, GLOBAL, inside)]
            else:
                spots = [
                    Spot(conjoin(here, equal(owner, constant(other.number + 1))), other, region, inside)
                    for other in self.slots.slots
                    if any(one.number == region for one in other.types)
                ]
            yield from (spot for spot in spots if spot.when is not FALSE)

    def spots(self, path: Path, frame: Frame, place: Place) -> list[Spot]:
        """Where a place may be; an index that is out of range fails."""
        found = [
            Spot(spot.when, spot.slot, spot.process, spot.offset + place.offset)
            for spot in self._bases(path, frame, place.base)
        ]
        for step in place.indexing:
            found = self._indexed(path, frame, step, found)
        return found

    def _indexed(self, path: Path, frame: Frame, step: Indexing, spots: list[Spot]) -> list[Spot]:
        index = self.value(path, frame, step.index)
        path.fail(ViolationKind.INDEX, negate(between(0, index, step.length - 1)))
        found = []
        for position in range(step.length):
            here = equal(index, constant(position))
            for spot in spots:
                when = conjoin(spot.when, here)
                if when is not FALSE:
                    found.append(Spot(when, spot.slot, spot.process, spot.offset + position * step.stride))
        return found

    def load(self, path: Path, frame: Frame, spots: list[Spot], shift: int = 0) -> Term:
        """The value of a scalar at one of these spots, or so many bytes behind it."""
        found: list[tuple[Term, Term]] = []
        for spot in spots:
            symbol = self._symbol(frame, spot, shift)
            found.append((spot.when, ZERO if symbol is None else path.read(symbol)))
        value = found[-1][1] if found else ZERO
        for when, one in reversed(found[:-1]):
            value = ite(when, one, value)
        return value

    def store(self, path: Path, frame: Frame, spots: list[Spot], value: Term, shift: int = 0) -> None:
        for spot in spots:
            symbol = self._symbol(frame, spot, shift)
            if symbol is not None:
                when = spot.when if len(spots) > 1 else TRUE
                path.write(symbol, ite(when, value, path.read(symbol)))

    def _symbol(self, frame: Frame, spot: Spot, shift: int) -> Symbol | None:
        at = frame.at if spot.slot is frame.slot else -1
        return self.slots.cell(spot.slot, spot.process, spot.offset + shift, at)

    # --- expressions --------------------------------------------------------------------------------------------------

    def truth(self, path: Path, frame: Frame, expression: Expression) -> Term:
        match expression:
            case Operation("and", (left, right)):
                first = self.truth(path, frame, left)
                with path.only_if(first):
                    return conjoin(first, self.truth(path, frame, right))
            case Operation("or", (left, right)):
                first = self.truth(path, frame, left)
                with path.only_if(negate(first)):
                    return disjoin(first, self.truth(path, frame, right))
            case Operation("not", (operand,)):
                return negate(self.truth(path, frame, operand))
            case Operation(operator, (left, right)) if operator in _COMPARE:
                first = self.value(path, frame, left)
                return _COMPARE[operator](first, self.value(path, frame, right))
        return true_of(self.value(path, frame, expression))

    def value(self, path: Path, frame: Frame, expression: Expression) -> Term:
        match expression:
            case Constant(known):
                return constant(known)
            case Load(place, _):
                return self.load(path, frame, self.spots(path, frame, place))
            case Cast(operand, type_):
                return _cast(self.value(path, frame, operand), type_)
            case InRange(operand, type_):
                value = self.value(path, frame, operand)
                kind = ViolationKind.INDEX if type_.name == "index" else ViolationKind.RANGE
                path.fail(kind, negate(between(type_.low, value, type_.high)))
                return value
            case Operation(operator, operands, type_):
                if operator in ("and", "or", "not") or operator in _COMPARE:
                    return number(self.truth(path, frame, expression))
                parts = [self.value(path, frame, one) for one in operands]
                return _operation(path, operator, parts, type_)


def _checked(path: Path, value: Term, type_: Scalar) -> Term:
    path.fail(ViolationKind.RANGE, negate(between(type_.low, value, type_.high)))
    return value


def _cast(value: Term, type_: Scalar) -> Term:
    if type_.kind == "boolean":
        return number(true_of(value))
    return wrap(value, 8 * type_.size, signed=type_.signed)


def _bit(path: Path, value: Term) -> Term:
    path.fail(ViolationKind.RANGE, negate(between(0, value, _SET_BITS - 1)))
    return value


def _operation(path: Path, operator: str, parts: list[Term], type_: Scalar) -> Term:
    first = parts[0]
    match operator:
        case "negate":
            return _checked(path, subtract(ZERO, first), type_)
        case "abs":
            return _checked(path, ite(less(first, ZERO), subtract(ZERO, first), first), type_)
        case "odd":
            return bitwise(Op.BIT_AND, first, constant(1))
        case "complement":
            return subtract(constant(type_.high), first)
        case "element":
            return _elements(_bit(path, first), first)
    second = parts[1]
    match operator:
        case "+":
            return _checked(path, add(first, second), type_)
        case "-":
            return _checked(path, subtract(first, second), type_)
        case "*":
            return _checked(path, multiply(first, second), type_)
        case "DIV" | "MOD":
            path.fail(ViolationKind.DIVISION, equal(second, ZERO))
            return _checked(path, (_floor_quotient if operator == "DIV" else _modulo)(first, second), type_)
        case "union":
            return bitwise(Op.BIT_OR, first, second)
        case "minus":
            return subtract(first, bitwise(Op.BIT_AND, first, second))
        case "intersection":
            return bitwise(Op.BIT_AND, first, second)
        case "difference":
            return bitwise(Op.BIT_XOR, first, second)
        case "in":
            inside = bitwise(Op.BIT_AND, shift_right(second, first), constant(1))
            return ite(between(0, first, _SET_BITS - 1), inside, ZERO)
        case "elements":
            return _elements(_bit(path, first), _bit(path, second))
    raise AssertionError(operator)


def _elements(low: Term, high: Term) -> Term:
    """{low..high}"""
    bits = (
        ite(conjoin(at_most(low, constant(bit)), at_most(constant(bit), high)), constant(1 << bit), ZERO)
        for bit in range(_SET_BITS)
    )
    return total(bits)


def _floor_quotient(a: Term, b: Term) -> Term:
    if _is_positive(b):
        return divide(subtract(a, _modulo(a, b)), b) if a.low is None or a.low < 0 else divide(a, b)
    quotient = divide(a, b)
    return ite(_rounds_down(a, b), add(quotient, constant(-1)), quotient)


def _modulo(a: Term, b: Term) -> Term:
    rest = remainder(a, b)
    if _is_positive(b):  # in this form its bounds are known
        return rest if a.low is not None and a.low >= 0 else remainder(add(rest, b), b)
    return ite(_rounds_down(a, b), add(rest, b), rest)


def _is_positive(term: Term) -> bool:
    return term.low is not None and term.low > 0


def _rounds_down(a: Term, b: Term) -> Term:
    """Has the quotient a rest, and a sign?"""
    rest = remainder(a, b)
    return conjoin(negate(equal(rest, ZERO)), negate(equal(number(less(rest, ZERO)), number(less(b, ZERO)))))
