"""How functions are called, generators resumed, and things iterated over: what puts frames on the stack of a thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kripke.heap.memory import UNBOUND, Frame, Memory, Obj, Value, share
from kripke.heap.operations import UNSUPPORTED, Finding, Operations, Raised, kind_of, range_length
from kripke.heap.program import (
    DEEPEST_CALLS,
    NO_DEFAULT,
    Class,
    Code,
    FunctionConstant,
    Kind,
    Mode,
    Op,
    Program,
)

if TYPE_CHECKING:
    from kripke.heap.machine import Outcome


class Calls(Operations):
    """``frame`` is the one that runs; ``depth`` how many there are of the thread."""

    memory: Memory
    frame: Frame | None
    depth: int
    thread: int
    #: may a thread have the number of one that has ended?
    uses_numbers_again: bool
    outcome: Outcome

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.codes = program.codes

    def new(self, kind: Kind, fields: list[Value]) -> Obj:
        raise NotImplementedError

    def instance(self, found: Class) -> Obj:
        raise NotImplementedError

    def throw(self, error: Obj) -> None:
        raise NotImplementedError

    def new_thread(self) -> None:
        """There is one more now."""
        raise NotImplementedError

    def find_name(self, text: Value) -> int:
        """The number of an attribute's name; -1 where nothing has it."""
        return self._names.get(text, -1) if isinstance(text, str) else -1

    # --- calls --------------------------------------------------------------------------------------------------------

    def call(
        self, function: Value, arguments: list[Value], named: Sequence[tuple[int, Value]] = (), mode: int = 0
    ) -> None:
        """Call whatever can be called; the result goes to the stack of the present frame."""
        if isinstance(function, Obj) and function.kind == Kind.BOUND:
            arguments = [function.fields[1], *arguments]
            function = function.fields[0]
        if isinstance(function, FunctionConstant):
            self._enter(function.code, function.defaults, function.keyword_defaults, [], arguments, named, mode)
        elif isinstance(function, Obj) and function.kind == Kind.FUNCTION:
            code, defaults, behind, *cells = function.fields
            self._enter(self.codes[code], defaults.fields, behind.fields, cells, arguments, named, mode)
        elif isinstance(function, Class):
            self._construct(function, arguments, named)
        else:
            own = self.member(function, "__call__")
            if own is None:
                raise Raised("TypeError", f"'{self.class_of(function).name}' object is not callable")
            self.call(own[1], [function, *arguments], named, mode)

    def _construct(self, found: Class, arguments: list[Value], named: Sequence[tuple[int, Value]]) -> None:
        maker = found.members.get(self.name("__make__"))
        if maker is not None:
            self.call(maker[1], arguments, named)
            return
        assert self.frame is not None
        made = self.instance(found)
        self.frame.stack.append(made)
        init = found.members.get(self.name("__init__"))
        if init is not None:
            self.call(init[1], [made, *arguments], named, Mode.DROP)
        elif arguments or named:
            raise Raised("TypeError", f"{found.name}() takes no arguments")

    def _enter(
        self,
        code: Code,
        defaults: Sequence[Value],
        behind: Sequence[Value],
        cells: list[Value],
        arguments: list[Value],
        named: Sequence[tuple[int, Value]],
        mode: int,
    ) -> None:
        values = self._bind(code, defaults, behind, arguments, named)
        values += [UNBOUND] * (code.local_count - len(values) - len(cells)) + cells
        frame = Frame(code.number, values)
        if code.generator:
            made = self.new(Kind.GENERATOR, [0, frame, code.number])
            frame.generator = made
            assert self.frame is not None
            self._give(self.frame, mode, made)
            return
        self.push_frame(frame, mode)

    def push_frame(self, frame: Frame, mode: int) -> None:
        if self.depth >= DEEPEST_CALLS:
            raise Raised("RecursionError", "maximum recursion depth exceeded")
        frame.mode = mode
        frame.back = self.frame
        self.frame = frame
        self.depth += 1

    def _bind(
        self,
        code: Code,
        defaults: Sequence[Value],
        behind: Sequence[Value],
        arguments: list[Value],
        named: Sequence[tuple[int, Value]],
    ) -> list[Value]:
        count = len(code.parameters)
        values: list[Value] = [UNBOUND] * count
        given = min(len(arguments), code.positional)
        values[:given] = arguments[:given]
        if len(arguments) > given and not code.spread:
            raise Raised("TypeError", f"{code.name}() takes {code.positional} positional arguments")
        others: list[Value] = []
        for name, value in named:
            if name in code.parameters:
                at = code.parameters.index(name)
                if values[at] is not UNBOUND:
                    raise Raised("TypeError", f"{code.name}() got multiple values for an argument")
                values[at] = value
            elif code.keywords:
                others += [self.program.names[name], value]
            else:
                raise Raised("TypeError", f"{code.name}() got an unexpected keyword argument")
        first = code.positional - len(defaults)
        for at in range(count):
            if values[at] is UNBOUND:
                default: Value = NO_DEFAULT
                if at >= code.positional:
                    default = behind[at - code.positional] if behind else NO_DEFAULT
                elif at >= first:
                    default = defaults[at - first]
                if default is NO_DEFAULT:
                    raise Raised("TypeError", f"{code.name}() missing a required argument")
                values[at] = self.fresh(default)
        if code.spread:
            values.append(self.new(Kind.TUPLE, arguments[given:]))
        if code.keywords:
            values.append(self.new(Kind.DICT, others))
        return values

    def fresh(self, value: Value) -> Value:
        """A constant as a value: the empty tuple is an object."""
        return self.new(Kind.TUPLE, []) if value == () and isinstance(value, tuple) else value

    def _give(self, frame: Frame, mode: int, value: Value) -> None:
        """The value of a call to who called."""
        if mode == Mode.TRUTH:
            frame.stack.append(self._plain_truth(value))
        elif mode != Mode.DROP:
            frame.stack.append(value)

    @staticmethod
    def _plain_truth(value: Value) -> bool:
        if not isinstance(value, int):
            raise Raised("TypeError", "__bool__ should return bool")
        return bool(value)

    # --- generators ---------------------------------------------------------------------------------------------------

    def resume(self, generator: Obj, value: Value, mode: int) -> None:
        """``mode``: what happens when it ends: a jump, or StopIteration."""
        state = generator.fields[0]
        if state == 2:
            raise Raised("ValueError", "generator already executing")
        if state == 3:
            if self.is_coroutine(generator):
                raise Raised("RuntimeError", "cannot reuse already awaited coroutine")
            self.finish_generator(mode, None)
            return
        if state == 0 and value is not None:
            raise Raised("TypeError", "can't send non-None value to a just-started generator")
        frame: Frame = generator.fields[1]
        generator.fields[0], generator.fields[1] = 2, UNBOUND
        if state == 1:
            frame.stack.append(value)
        self.push_frame(frame, mode)

    def finish_generator(self, mode: int, value: Value) -> None:
        """In the frame that resumed it."""
        frame = self.frame
        assert frame is not None
        if mode == Mode.PUSH:
            raise Raised("StopIteration", *([] if value is None else [value]))
        frame.stack.pop()
        if mode == Mode.SEND:
            frame.stack.append(value)
        frame.pc = self.codes[frame.code].instructions[frame.pc - 1].argument

    def throw_into(self, generator: Obj, error: Obj, mode: int) -> None:
        state = generator.fields[0]
        if state == 2:
            raise Raised("ValueError", "generator already executing")
        if state in (0, 3):
            generator.fields[0], generator.fields[1] = 3, UNBOUND
            self.throw(error)
            return
        frame: Frame = generator.fields[1]
        generator.fields[0], generator.fields[1] = 2, UNBOUND
        self.push_frame(frame, mode)
        instructions = self.codes[frame.code].instructions
        if frame.pc >= 2 and instructions[frame.pc - 2].op == Op.SEND:
            inner = frame.stack[-1]
            if kind_of(inner) == Kind.GENERATOR and inner.fields[0] == 1:
                frame.pc -= 1
                self.throw_into(inner, error, Mode.SEND)
                return
        self.throw(error)

    def _yield(self, frame: Frame, _argument: int) -> None:
        value = frame.stack.pop()
        generator = frame.generator
        assert generator is not None
        generator.fields[0], generator.fields[1] = 1, frame
        self.frame, frame.back = frame.back, None
        self.depth -= 1
        assert self.frame is not None
        frame.mode = 0
        if generator.shared:
            share(frame)
        self.frame.stack.append(value)

    def _send(self, frame: Frame, argument: int) -> None:
        value = frame.stack.pop()
        inner = frame.stack[-1]
        if kind_of(inner) == Kind.GENERATOR:
            self.resume(inner, value, Mode.SEND)
        elif kind_of(inner) == Kind.ITERATOR:
            if not self._next_item(frame, inner):
                frame.stack[-1] = None
                frame.pc = argument
        else:
            raise Raised("TypeError", "object is not an iterator")

    def _return(self, frame: Frame, _argument: int) -> None:
        value = frame.stack.pop()
        self.frame = frame.back
        self.depth -= 1
        if frame.generator is not None:
            frame.generator.fields[0], frame.generator.fields[1] = 3, UNBOUND
            if self.frame is not None:
                self.finish_generator(frame.mode, value)
        elif self.frame is not None:
            self._give(self.frame, frame.mode, value)

    # --- iteration ----------------------------------------------------------------------------------------------------

    def _get_iterator(self, frame: Frame, _argument: int) -> None:
        self.iterate(frame, frame.stack.pop())

    def iterate(self, frame: Frame, value: Value) -> None:
        kind = kind_of(value)
        if kind in (Kind.GENERATOR, Kind.ITERATOR):
            if kind == Kind.GENERATOR and self.is_coroutine(value):
                raise Raised("TypeError", "'coroutine' object is not iterable")
            frame.stack.append(value)
        elif kind == Kind.INSTANCE and self.member(value, "__iter__") is not None:
            self.call(self.member(value, "__iter__")[1], [value])
        elif isinstance(value, str) or kind in (Kind.TUPLE, Kind.LIST, Kind.RANGE):
            frame.stack.append(self.new(Kind.ITERATOR, [value, 0, 0]))
        elif kind in (Kind.DICT, Kind.SET):
            frame.stack.append(self.new(Kind.ITERATOR, [value, 0, len(value.fields)]))
        else:
            raise Raised("TypeError", f"'{self.class_of(value).name}' object is not iterable")

    def _for_iterator(self, frame: Frame, argument: int) -> None:
        iterator = frame.stack[-1]
        if kind_of(iterator) == Kind.GENERATOR:
            self.resume(iterator, None, Mode.FOR)
        elif kind_of(iterator) != Kind.ITERATOR:
            raise Raised("TypeError", "iter() returned non-iterator")
        elif not self._next_item(frame, iterator):
            frame.stack.pop()
            frame.pc = argument

    def _next_item(self, frame: Frame, iterator: Obj) -> bool:
        """Push the next item; False where there is none, and there will be none."""
        container, at, count = iterator.fields
        if container is None:
            return False
        kind = kind_of(container)
        if kind in (Kind.DICT, Kind.SET) and len(container.fields) != count:
            what = "dictionary" if kind == Kind.DICT else "Set"
            raise Raised("RuntimeError", f"{what} changed size during iteration")
        value: Value
        if kind == Kind.RANGE:
            there = at < range_length(container)
            value = container.fields[0] + at * container.fields[2] if there else None
        elif kind == Kind.DICT:
            there = 2 * at < len(container.fields)
            value = container.fields[2 * at] if there else None
        elif isinstance(container, str):
            there = at < len(container)
            value = container[at] if there else None
        else:
            there = at < len(container.fields)
            value = container.fields[at] if there else None
        if there:
            iterator.fields[1] = at + 1
            frame.stack.append(value)
        else:
            iterator.fields[:] = [None, 0, 0]
        return bool(there)

    def _unpack(self, frame: Frame, argument: int) -> None:
        value = frame.stack.pop()
        if kind_of(value) in (Kind.TUPLE, Kind.LIST):
            items = value.fields
        elif isinstance(value, str):
            items = list(value)
        elif isinstance(value, Obj):
            raise Finding(UNSUPPORTED)
        else:
            raise Raised("TypeError", f"cannot unpack non-iterable {self.class_of(value).name} object")
        if len(items) < argument:
            raise Raised("ValueError", f"not enough values to unpack (expected {argument}, got {len(items)})")
        if len(items) > argument:
            raise Raised("ValueError", f"too many values to unpack (expected {argument})")
        frame.stack.extend(reversed(items))
