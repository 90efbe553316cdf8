"""Which operations other threads can notice: these begin steps.

An operation is visible if it reads or writes what another thread may write or read now or later: a global variable,
a class variable, a cell or an object that more than one thread can reach. What only one thread can reach becomes
shared when it is stored in something shared (``share``). Functions of the library run as one, but for the points where
they wait. With one thread alone only choices are visible, and what changes the values that properties look at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kripke.heap.memory import UNBOUND, Frame, Memory, Obj, Value
from kripke.heap.operations import kind_of
from kripke.heap.program import Class, Code, Compare, FunctionConstant, Instruction, Kind, Member, Op, Options, Program

if TYPE_CHECKING:
    from kripke.heap.machine import Machine

_CONTAINERS = (Kind.LIST, Kind.DICT, Kind.SET)
_STATEFUL = (*_CONTAINERS, Kind.GENERATOR, Kind.ITERATOR)


def is_shared(value: Value, kinds: tuple[Kind, ...] = _CONTAINERS) -> bool:
    return isinstance(value, Obj) and value.shared and value.kind in kinds


class Visibility:
    def __init__(self, program: Program, options: Options, machine: Machine) -> None:
        self.program, self.machine = program, machine
        self.granularity = options.granularity
        self.deep = program.deep
        self.memory = Memory([])
        self.thread = 0
        self.others = 0
        self.label = 0

    def begin(self, memory: Memory, thread: int, label: int) -> None:
        self.memory, self.thread, self.label = memory, thread, label
        self.count_others()

    def count_others(self) -> None:
        frames = self.memory.frames
        self.others = sum(1 for number, frame in enumerate(frames) if frame is not None and number != self.thread)

    def statement_of(self, frame: Frame) -> int:
        """The statement of the program that a thread is at, be it inside of the library."""
        at: Frame | None = frame
        running = True
        while at is not None:
            instructions = self.program.codes[at.code].instructions
            place = at.pc if running else at.pc - 1
            if instructions[place].statement >= 0:
                return instructions[place].statement
            at, running = at.back, False
        return 0

    def ends_step(self, frame: Frame, code: Code, instruction: Instruction) -> bool:
        op = instruction.op
        if op == Op.CHOOSE:
            return True
        if self.granularity == "line":
            if op in (Op.WAIT, Op.POINT):
                return op == Op.WAIT and self.others > 0
            return not code.library and instruction.statement != self.machine.outcome.label
        if self.granularity == "instruction" and not code.library:
            return True
        if op == Op.WAIT:
            return self.others > 0
        if op == Op.POINT:
            top = frame.stack[-1]
            return self.others > 0 and (top is None or (isinstance(top, Obj) and top.shared))
        if code.library:
            return False
        if self.others:
            return self._noticed(frame, instruction)
        return self._watched(frame, instruction)

    def _watched(self, frame: Frame, instruction: Instruction) -> bool:
        """With one thread alone: does it change what properties look at?"""
        op, stack = instruction.op, frame.stack
        if op in (Op.STORE_GLOBAL, Op.DELETE_GLOBAL):
            return instruction.argument in self.program.watched
        if not self.deep:
            return False
        if op == Op.STORE_ATTRIBUTE:
            return isinstance(stack[-1], Class) or (isinstance(stack[-1], Obj) and stack[-1].shared)
        if op in (Op.STORE_SUBSCRIPT, Op.DELETE_SUBSCRIPT):
            return is_shared(stack[-2])
        if op == Op.CALL_METHOD:
            call = self.program.calls[instruction.argument]
            return is_shared(stack[-1 - call.positional - len(call.keywords)])
        if op in (Op.INPLACE,):
            return is_shared(stack[-2])
        if op == Op.CALL:
            return self._library_call(frame, instruction)
        return False

    def _noticed(self, frame: Frame, instruction: Instruction) -> bool:
        op, stack = instruction.op, frame.stack
        match op:
            case Op.LOAD_GLOBAL:
                at = instruction.argument
                return not (at in self.program.stable and self.memory.globals[at] is not UNBOUND)
            case Op.STORE_GLOBAL | Op.DELETE_GLOBAL:
                return True
            case Op.LOAD_CELL | Op.STORE_CELL:
                cell: Obj = frame.locals[instruction.argument]
                return cell.shared
            case Op.LOAD_ATTRIBUTE:
                return self._attribute(stack[-1], instruction.argument)
            case Op.STORE_ATTRIBUTE:
                return isinstance(stack[-1], Class) or (isinstance(stack[-1], Obj) and stack[-1].shared)
            case Op.SUBSCRIPT | Op.STORE_SUBSCRIPT | Op.DELETE_SUBSCRIPT:
                return is_shared(stack[-2])
            case Op.COMPARE:
                if instruction.argument == Compare.IS:
                    return False
                if instruction.argument == Compare.IN:
                    return is_shared(stack[-1]) or kind_of(stack[-1]) == Kind.TUPLE
                return self._compared(stack[-1]) or self._compared(stack[-2])
            case Op.BINARY | Op.INPLACE:
                return is_shared(stack[-1]) or is_shared(stack[-2])
            case Op.TRUTH | Op.UNPACK:
                return is_shared(stack[-1])
            case Op.FOR_ITERATOR:
                return self._iterated(stack[-1])
            case Op.SEND:
                return self._iterated(stack[-2])
            case Op.CALL:
                return self._library_call(frame, instruction)
            case Op.CALL_METHOD:
                return self._method_call(frame, instruction)
            case Op.CALL_SPREAD:
                return self._is_library(stack[-3])
        return False

    def _compared(self, value: Value) -> bool:
        """Comparing it may read other objects."""
        kind = kind_of(value)
        return kind in (Kind.TUPLE, *_CONTAINERS) or (kind == Kind.INSTANCE and value.fields[0].compared > 0)

    def _attribute(self, value: Value, name: int) -> bool:
        if isinstance(value, Class):
            return value.members.get(name, (0,))[0] == Member.SLOT
        if not isinstance(value, Obj) or value.kind != Kind.INSTANCE:
            return False
        found: Class = value.fields[0]
        if name in found.layout:
            return value.shared
        return found.members.get(name, (0,))[0] == Member.SLOT

    def _iterated(self, value: Value) -> bool:
        kind = kind_of(value)
        if kind == Kind.ITERATOR:
            return bool(value.shared) or is_shared(value.fields[0])
        if kind == Kind.GENERATOR:
            return bool(value.shared) or self.program.codes[value.fields[2]].library
        return False

    def _is_library(self, function: Value) -> bool:
        if kind_of(function) == Kind.BOUND:
            function = function.fields[0]
        if isinstance(function, FunctionConstant):
            return function.code.library
        return isinstance(function, Class) and function.library

    def _library_call(self, frame: Frame, instruction: Instruction) -> bool:
        """A function of the library that is handed something shared."""
        call = self.program.calls[instruction.argument]
        count = call.positional + len(call.keywords)
        function = frame.stack[-1 - count]
        if not self._is_library(function):
            return False
        if kind_of(function) == Kind.BOUND and is_shared(function.fields[1], _STATEFUL):
            return True
        return any(is_shared(value, _STATEFUL) for value in frame.stack[len(frame.stack) - count :])

    def _method_call(self, frame: Frame, instruction: Instruction) -> bool:
        call = self.program.calls[instruction.argument]
        count = call.positional + len(call.keywords)
        receiver = frame.stack[-1 - count]
        if isinstance(receiver, Class) or kind_of(receiver) == Kind.INSTANCE:
            return self._attribute(receiver, call.name)
        if is_shared(receiver, _STATEFUL):
            return True
        return any(is_shared(value, _STATEFUL) for value in frame.stack[len(frame.stack) - count :])
