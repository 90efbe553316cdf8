"""Expressions and places of action programs as Python functions: the reference of what they mean."""

from __future__ import annotations

from collections.abc import Callable

from kripke.actions.memory import Memory, StepFailed
from kripke.actions.program import (
    Base,
    Cast,
    Constant,
    Expression,
    InRange,
    Load,
    Operation,
    Place,
    ProcessType,
    Program,
    Scalar,
    ViolationKind,
)

Evaluate = Callable[[Memory, int], int]

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "=": lambda a, b: a == b,
    "#": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


class Evaluator:
    """``process``: the type whose records are looked at; of a condition on states there is none."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._known: dict[tuple[int, Expression], Evaluate] = {}
        self._places: dict[tuple[int, Place], Evaluate] = {}

    # --- places -------------------------------------------------------------------------------------------------------

    def owner(self, base: Base, process: ProcessType | None) -> Callable[[Memory, int], int]:
        """The process in whose record something lies, some hops along static links."""
        assert base.hops is not None

        hops = base.hops

        def found(memory: Memory, pid: int) -> int:
            for _ in range(hops):
                control = memory.program.controls[memory.control(pid)]
                assert control is not None
                pid = memory.data[memory.at[pid] + memory.program.processes[control.process].link]
            return pid

        return found

    def address(self, place: Place, process: ProcessType | None) -> Evaluate:
        """Where in the state a place lies."""
        key = (-1 if process is None else process.number, place)
        if key not in self._places:
            self._places[key] = self._address(place, process)
        return self._places[key]

    def _address(self, place: Place, process: ProcessType | None) -> Evaluate:
        base, offset = place.base, place.offset
        if base.hops is None:
            start = base.offset + offset

            def first(memory: Memory, pid: int) -> int:
                return start

        elif base.reference:
            owner = self.owner(base, process)

            def first(memory: Memory, pid: int) -> int:
                at = memory.at[owner(memory, pid)] + base.offset
                data = memory.data
                inner = data[at + 1] | data[at + 2] << 8
                return (memory.at[data[at] - 1] if data[at] else 0) + inner + offset

        elif base.hops:
            owner = self.owner(base, process)

            def first(memory: Memory, pid: int) -> int:
                return memory.at[owner(memory, pid)] + base.offset + offset

        else:
            start = base.offset + offset

            def first(memory: Memory, pid: int) -> int:
                return memory.at[pid] + start

        if not place.indexing:
            return first
        steps = [(self.value(step.index, process), step.length, step.stride) for step in place.indexing]

        def indexed(memory: Memory, pid: int) -> int:
            at = first(memory, pid)
            for index, length, stride in steps:
                value = index(memory, pid)
                if not 0 <= value < length:
                    raise StepFailed(ViolationKind.INDEX)
                at += value * stride
            return at

        return indexed

    def reference(self, place: Place, process: ProcessType) -> Callable[[Memory, int], bytes]:
        """A reference to a place, for a parameter."""
        base = place.base
        address = self.address(place, process)

        def made(memory: Memory, pid: int) -> bytes:
            at = address(memory, pid)
            if base.hops is None:
                return bytes((0, at & 255, at >> 8))
            owner = self.owner(base, process)(memory, pid)
            if base.reference:
                inside = memory.data[memory.at[owner] + base.offset]
                if inside == 0:
                    return bytes((0, at & 255, at >> 8))
                owner = inside - 1
            at -= memory.at[owner]
            return bytes((owner + 1, at & 255, at >> 8))

        return made

    # --- expressions --------------------------------------------------------------------------------------------------

    def value(self, expression: Expression, process: ProcessType | None) -> Evaluate:
        key = (-1 if process is None else process.number, expression)
        if key not in self._known:
            self._known[key] = self._value(expression, process)
        return self._known[key]

    def _value(self, expression: Expression, process: ProcessType | None) -> Evaluate:
        match expression:
            case Constant(number):
                return lambda memory, pid: number
            case Load(place, type_):
                address, size, signed = self.address(place, process), type_.size, type_.signed

                def load(memory: Memory, pid: int) -> int:
                    at = address(memory, pid)
                    return int.from_bytes(memory.data[at : at + size], "little", signed=signed)

                return load
            case Cast(operand, type_):
                inner = self.value(operand, process)
                return lambda memory, pid: type_.wrap(inner(memory, pid))
            case InRange(operand, type_):
                inner = self.value(operand, process)
                kind = ViolationKind.INDEX if type_.name == "index" else ViolationKind.RANGE
                return lambda memory, pid: _checked(inner(memory, pid), type_, kind)
            case Operation(operator, operands, type_):
                return self._operation(operator, [self.value(one, process) for one in operands], type_)

    def _operation(self, operator: str, parts: list[Evaluate], type_: Scalar) -> Evaluate:
        first = parts[0]
        if operator == "and":
            second = parts[1]
            return lambda memory, pid: int(first(memory, pid) != 0 and second(memory, pid) != 0)
        if operator == "or":
            second = parts[1]
            return lambda memory, pid: int(first(memory, pid) != 0 or second(memory, pid) != 0)
        if operator in _COMPARE:
            compare, second = _COMPARE[operator], parts[1]
            return lambda memory, pid: int(compare(first(memory, pid), second(memory, pid)))
        if len(parts) == 1:
            return lambda memory, pid: _unary(operator, first(memory, pid), type_)
        second = parts[1]
        return lambda memory, pid: _binary(operator, first(memory, pid), second(memory, pid), type_)


def _checked(value: int, type_: Scalar, kind: ViolationKind = ViolationKind.RANGE) -> int:
    if not type_.low <= value <= type_.high:
        raise StepFailed(kind)
    return value


def _bit(value: int) -> int:
    if not 0 <= value < 32:
        raise StepFailed(ViolationKind.RANGE)
    return value


def _unary(operator: str, value: int, type_: Scalar) -> int:
    match operator:
        case "not":
            return int(not value)
        case "negate":
            return _checked(-value, type_)
        case "abs":
            return _checked(abs(value), type_)
        case "odd":
            return value & 1
        case "complement":
            return ~value & type_.high
        case "element":
            return 1 << _bit(value)
    raise AssertionError(operator)


def _binary(operator: str, left: int, right: int, type_: Scalar) -> int:
    match operator:
        case "+":
            return _checked(left + right, type_)
        case "-":
            return _checked(left - right, type_)
        case "*":
            return _checked(left * right, type_)
        case "DIV" | "MOD":
            if right == 0:
                raise StepFailed(ViolationKind.DIVISION)
            return _checked(left // right if operator == "DIV" else left % right, type_)
        case "union":
            return left | right
        case "minus":
            return left & ~right
        case "intersection":
            return left & right
        case "difference":
            return left ^ right
        case "in":
            return right >> left & 1 if 0 <= left < 32 else 0
        case "elements":
            low, high = _bit(left), _bit(right)
            return sum(1 << bit for bit in range(low, high + 1))
    raise AssertionError(operator)
