"""The machine: one thread runs from a visible operation to just before its next one. This is what programs mean.

A step begins with the operation that others can notice, and goes on while nobody can: with variables of its own, with
objects nobody else can reach, with what never changes again. ``visibility.py`` says which is which.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kripke.heap.calls import Calls
from kripke.heap.intrinsics import INTRINSICS
from kripke.heap.memory import UNBOUND, Frame, Memory, Obj, Value, share
from kripke.heap.operations import UNSUPPORTED, Finding, Raised, is_true, kind_of
from kripke.heap.program import (
    BINARY_NAMES,
    COMPARE_NAMES,
    LIBRARY_LENGTH,
    MOST_CHOICES,
    STEP_LENGTH,
    Binary,
    Call,
    Class,
    Code,
    Compare,
    Kind,
    Member,
    Mode,
    Op,
    Options,
    Program,
)
from kripke.heap.visibility import Visibility

if TYPE_CHECKING:
    from kripke.heap.reduction.footprint import Footprint

ASSERTION, EXCEPTION, FIRST_CLASS = 0, 1, 5


@dataclass(slots=True)
class Outcome:
    """What a step did. ``blocked``: it cannot be made. ``choices``: how many ways there are from its choice."""

    #: those that ran, and what each of them printed
    statements: list[int] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)
    violations: list[tuple[int, int]] = field(default_factory=list)
    blocked: bool = False
    ended: bool = False
    choices: int = 1
    label: int = 0

    def ran(self, statement: int) -> None:
        self.statements.append(statement)
        self.printed.append("")


class _Blocked(Exception):
    pass


class Machine(Calls):
    def __init__(self, program: Program, options: Options) -> None:
        super().__init__(program)
        self.options = options
        self.uses_numbers_again = options.numbering == "heap"
        self.codes = program.codes
        self.visibility = Visibility(program, options, self)
        self._handlers = [self._handler_table(code) for code in program.codes]
        self._execute = {op: getattr(self, f"_{op.name.lower()}") for op in Op}
        self.memory = Memory([])
        self.thread = 0
        self.frame: Frame | None = None
        self.outcome = Outcome()
        self.choice = 0
        self.count = 0
        self.depth = 0
        self._fresh_wait = False
        self.site = 0
        #: what is told of everything that is touched
        self.footprint: Footprint | None = None
        self._first_instruction = [0]
        for code in program.codes:
            self._first_instruction.append(self._first_instruction[-1] + len(code.instructions))

    @staticmethod
    def _handler_table(code: Code) -> list[tuple[int, int, int, int]]:
        return [tuple(each) for each in code.handlers]  # type: ignore[misc]

    # --- steps --------------------------------------------------------------------------------------------------------

    def start(self) -> Memory:
        """Before the first step of the first thread."""
        memory = Memory([self.program.initial.get(n, UNBOUND) for n in range(len(self.program.global_names))])
        entry = self.codes[self.program.entry]
        memory.threads.append(None)
        memory.frames.append(Frame(entry.number, [UNBOUND] * entry.local_count))
        return memory

    def step(self, memory: Memory, thread: int, choice: int = 0) -> Outcome:
        """Let a thread run; the memory is changed."""
        self.memory, self.thread, self.choice = memory, thread, choice
        self.outcome = outcome = Outcome()
        self.frame = memory.frames[thread]
        assert self.frame is not None
        self.depth = _depth(self.frame)
        self.count = self.level = 0
        self._fresh_wait = False
        outcome.label = self.visibility.statement_of(self.frame)
        outcome.ran(outcome.label)
        self.visibility.begin(memory, thread, outcome.label)
        if self.footprint is not None:
            self.footprint.begin(self.frame)
        try:
            self._run()
        except _Blocked:
            outcome.blocked = True
        except Finding as found:
            outcome.violations.append((found.code, outcome.label))
            outcome.ended = True
            if self.footprint is not None:
                self.footprint.ends = True
        memory.frames[thread] = self.frame
        if memory.frames[thread] is None:
            if self.footprint is not None:
                self.footprint.thread_ends(memory.threads[thread])
            self._end_thread(memory.threads[thread])
            memory.threads[thread] = None
            while self.uses_numbers_again and len(memory.threads) > 1 and memory.frames[-1] is None:
                memory.threads.pop()
                memory.frames.pop()
        return outcome

    def _end_thread(self, thread: Value) -> None:
        if isinstance(thread, Obj):
            found: Class = thread.fields[0]
            thread.fields[1 + found.layout.index(self.name("_alive"))] = False

    def evaluate(self, number: int, memory: Memory) -> bool | None:
        """A condition, which calls nothing; None where it has no value."""
        code = self.codes[number]
        self.memory, self.outcome = memory, Outcome()
        frame = self.frame = Frame(number, [UNBOUND] * code.local_count)
        try:
            while True:
                instruction = code.instructions[frame.pc]
                frame.pc += 1
                if instruction.op == Op.RETURN:
                    return frame.stack.pop() is True
                self._execute[instruction.op](frame, instruction.argument)
                if self.frame is not frame:
                    return None
        except (Raised, Finding):
            return None

    def _run(self) -> None:
        visible = self.visibility.ends_step
        outcome = self.outcome
        while self.frame is not None:
            frame = self.frame
            code = self.codes[frame.code]
            instruction = code.instructions[frame.pc]
            if self.count and (visible(frame, code, instruction) or (self.count > STEP_LENGTH and not code.library)):
                return
            if instruction.statement >= 0 and instruction.statement != outcome.label:
                outcome.label = instruction.statement
                outcome.ran(instruction.statement)
            if self.count > LIBRARY_LENGTH:
                raise Finding(UNSUPPORTED)
            if self.footprint is not None:
                self.footprint.instruction(self.memory, self.thread, frame, instruction)
            self.site = self._first_instruction[frame.code] + frame.pc
            frame.pc += 1
            self.count += 1
            try:
                if self._execute[instruction.op](frame, instruction.argument) is not None:
                    return
            except Raised as error:
                self.level = 0
                self.throw(self.exception(error.name, *error.arguments))

    def exception(self, name: str, *arguments: Value) -> Obj:
        found = self.known(name)
        made = self.instance(found)
        values = self.new(Kind.TUPLE, list(arguments))
        made.fields[1 + found.layout.index(self.name("args"))] = values
        if name == "StopIteration":
            made.fields[1 + found.layout.index(self.name("value"))] = arguments[0] if arguments else None
        return made

    def new(self, kind: Kind, fields: list[Value]) -> Obj:
        made = Obj(kind, fields)
        if self.options.numbering != "heap":
            made.number = self._number()
            self.memory.objects.append(made)
        return made

    def _number(self) -> int:
        """The least number that is free, for this place (and thread)."""
        base = 0
        if self.options.numbering == "site":
            base = self.site << 12
        elif self.options.numbering == "thread":
            base = ((self.site << 6) + min(self.thread, 63)) << 12
        used = {each.number for each in self.memory.objects}
        while base in used:
            base += 1
        return base

    def instance(self, found: Class) -> Obj:
        return self.new(Kind.INSTANCE, [found, *[UNBOUND] * len(found.layout)])

    def new_thread(self) -> None:
        self.visibility.count_others()

    # --- exceptions ---------------------------------------------------------------------------------------------------

    def throw(self, error: Obj) -> None:
        """Unwind to the handler, or end the thread."""
        frame = self.frame
        while frame is not None:
            for start, end, target, depth in self._handlers[frame.code]:
                if start <= frame.pc - 1 < end:
                    del frame.stack[depth:]
                    frame.stack.append(error)
                    frame.pc = target
                    self.frame = frame
                    return
            if frame.generator is not None:
                frame.generator.fields[0], frame.generator.fields[1] = 3, UNBOUND
                if error.fields[0].derives_from(self.known("StopIteration")):
                    kind = "coroutine" if self.codes[frame.code].coroutine else "generator"
                    error = self.exception("RuntimeError", f"{kind} raised StopIteration")
            frame = frame.back
            self.depth -= 1
        self.frame = None
        found: Class = error.fields[0]
        if found.derives_from(self.known("SystemExit")):
            return
        code = ASSERTION if found.derives_from(self.known("AssertionError")) else FIRST_CLASS + found.number
        self.outcome.violations.append((code, self.outcome.label))

    # --- variables ----------------------------------------------------------------------------------------------------

    def _const(self, frame: Frame, argument: int) -> None:
        frame.stack.append(self.fresh(self.program.constants[argument]))

    def _load_local(self, frame: Frame, argument: int) -> None:
        value = frame.locals[argument]
        if value is UNBOUND:
            raise Raised("UnboundLocalError", self._unassigned(frame, argument))
        frame.stack.append(value)

    def _unassigned(self, frame: Frame, argument: int) -> str:
        name = self.codes[frame.code].local_names[argument]
        return f"cannot access local variable '{name}' where it is not associated with a value"

    def _store_local(self, frame: Frame, argument: int) -> None:
        frame.locals[argument] = frame.stack.pop()

    def _clear_local(self, frame: Frame, argument: int) -> None:
        frame.locals[argument] = UNBOUND

    def _delete_local(self, frame: Frame, argument: int) -> None:
        if frame.locals[argument] is UNBOUND:
            raise Raised("UnboundLocalError", self._unassigned(frame, argument))
        frame.locals[argument] = UNBOUND

    def _load_cell(self, frame: Frame, argument: int) -> None:
        value = frame.locals[argument].fields[0]
        if value is UNBOUND:
            raise Raised("NameError", self._unassigned(frame, argument))
        frame.stack.append(value)

    def _store_cell(self, frame: Frame, argument: int) -> None:
        cell = frame.locals[argument]
        cell.fields[0] = frame.stack.pop()
        if cell.shared:
            share(cell.fields[0])

    def _make_cell(self, frame: Frame, argument: int) -> None:
        frame.locals[argument] = self.new(Kind.CELL, [frame.locals[argument]])

    def _load_global(self, frame: Frame, argument: int) -> None:
        value = self.memory.globals[argument]
        if value is UNBOUND:
            raise Raised("NameError", f"name '{self.program.global_names[argument]}' is not defined")
        frame.stack.append(value)

    def _store_global(self, frame: Frame, argument: int) -> None:
        value = frame.stack.pop()
        self.memory.globals[argument] = value
        share(value)

    def _delete_global(self, frame: Frame, argument: int) -> None:
        if self.memory.globals[argument] is UNBOUND:
            raise Raised("NameError", f"name '{self.program.global_names[argument]}' is not defined")
        self.memory.globals[argument] = UNBOUND

    def _make_function(self, frame: Frame, argument: int) -> None:
        free = self.codes[argument].free
        cells = frame.stack[len(frame.stack) - free :]
        del frame.stack[len(frame.stack) - free :]
        behind, defaults = frame.stack.pop(), frame.stack.pop()
        frame.stack.append(self.new(Kind.FUNCTION, [argument, defaults, behind, *cells]))

    # --- the stack ----------------------------------------------------------------------------------------------------

    def _pop(self, frame: Frame, _argument: int) -> None:
        frame.stack.pop()

    def _dup(self, frame: Frame, _argument: int) -> None:
        frame.stack.append(frame.stack[-1])

    def _dup2(self, frame: Frame, _argument: int) -> None:
        frame.stack.extend(frame.stack[-2:])

    def _swap(self, frame: Frame, _argument: int) -> None:
        frame.stack[-1], frame.stack[-2] = frame.stack[-2], frame.stack[-1]

    def _rotate(self, frame: Frame, argument: int) -> None:
        frame.stack.insert(len(frame.stack) - argument, frame.stack.pop())

    def _jump(self, frame: Frame, argument: int) -> None:
        frame.pc = argument

    def _jump_if_false(self, frame: Frame, argument: int) -> None:
        if frame.stack.pop() is False:
            frame.pc = argument

    def _jump_if_true(self, frame: Frame, argument: int) -> None:
        if frame.stack.pop() is True:
            frame.pc = argument

    def _truth(self, frame: Frame, _argument: int) -> None:
        value = frame.stack.pop()
        if kind_of(value) == Kind.INSTANCE:
            for name in ("__bool__", "__len__"):
                own = self.member(value, name)
                if own is not None:
                    self.call(own[1], [value], (), Mode.TRUTH)
                    return
        frame.stack.append(is_true(value))

    def _not(self, frame: Frame, _argument: int) -> None:
        frame.stack.append(frame.stack.pop() is False)

    # --- operators ----------------------------------------------------------------------------------------------------

    def _own_operator(self, value: Value, name: str) -> Value:
        if kind_of(value) in (Kind.INSTANCE, Kind.SET):
            own = self.member(value, name)
            return None if own is None else own[1]
        return None

    def _binary(self, frame: Frame, argument: int) -> None:
        right, left = frame.stack.pop(), frame.stack.pop()
        name = BINARY_NAMES[argument]
        own = self._own_operator(left, f"__{name}__")
        if own is not None:
            self.call(own, [left, right])
            return
        own = self._own_operator(right, f"__r{name}__")
        if own is not None:
            self.call(own, [right, left])
            return
        frame.stack.append(self._numbered(self.binary(argument, left, right)))

    def _numbered(self, value: Value) -> Value:
        return self.new(value.kind, value.fields) if isinstance(value, Obj) else value

    def _inplace(self, frame: Frame, argument: int) -> None:
        right, left = frame.stack[-1], frame.stack[-2]
        own = self._own_operator(left, f"__i{BINARY_NAMES[argument]}__")
        if own is not None:
            del frame.stack[-2:]
            self.call(own, [left, right])
        elif kind_of(left) == Kind.LIST and argument == Binary.ADD and kind_of(right) in (Kind.LIST, Kind.TUPLE):
            frame.stack.pop()
            left.fields.extend(list(right.fields))
            if left.shared:
                for value in right.fields:
                    share(value)
        elif kind_of(left) in (Kind.LIST, Kind.SET, Kind.DICT):
            raise Finding(UNSUPPORTED)
        else:
            self._binary(frame, argument)

    def _unary(self, frame: Frame, argument: int) -> None:
        value = frame.stack.pop()
        own = self._own_operator(value, "__neg__") if argument == 0 else None
        if own is not None:
            self.call(own, [value])
        else:
            frame.stack.append(self.unary(argument, value))

    def _compare(self, frame: Frame, argument: int) -> None:
        right, left = frame.stack.pop(), frame.stack.pop()
        if argument < Compare.IS:
            own = self._own_operator(left, f"__{COMPARE_NAMES[argument]}__")
            if own is not None:
                self.call(own, [left, right])
                return
            turned = COMPARE_NAMES[(2, 3, 0, 1, 4)[argument]]
            own = self._own_operator(right, f"__{turned}__")
            if own is not None:
                self.call(own, [right, left])
                return
        elif argument == Compare.IN:
            own = self._own_operator(right, "__contains__")
            if own is not None:
                self.call(own, [right, left], (), Mode.TRUTH)
                return
            if kind_of(right) in (Kind.TUPLE, Kind.LIST) and any(map(self._runs_code, (left, *right.fields))):
                self.call(self.program.comparing[0], [right, left])
                return
        if argument == Compare.EQ and self._in_steps(left, right):
            self.call(self.program.comparing[1], [left, right, left.fields[0].compared])
            return
        frame.stack.append(self.compare(argument, left, right))

    def _runs_code(self, value: Value) -> bool:
        """Does Python run code to compare it?"""
        if kind_of(value) != Kind.INSTANCE:
            return False
        return value.fields[0].compares_in_steps or self.member(value, "__eq__") is not None

    @staticmethod
    def _in_steps(left: Value, right: Value) -> bool:
        """Objects of a dataclass, which others may change while they are compared."""
        if kind_of(left) != Kind.INSTANCE or kind_of(right) != Kind.INSTANCE or not (left.shared or right.shared):
            return False
        found: Class = left.fields[0]
        return found is right.fields[0] and found.compares_in_steps

    def _matches(self, frame: Frame, _argument: int) -> None:
        kinds, error = frame.stack.pop(), frame.stack.pop()
        frame.stack.append(self.is_instance(error, kinds))

    # --- building -----------------------------------------------------------------------------------------------------

    def _taken(self, frame: Frame, count: int) -> list[Value]:
        at = len(frame.stack) - count
        items = frame.stack[at:]
        del frame.stack[at:]
        return items

    def _build_tuple(self, frame: Frame, argument: int) -> None:
        frame.stack.append(self.new(Kind.TUPLE, self._taken(frame, argument)))

    def _build_list(self, frame: Frame, argument: int) -> None:
        frame.stack.append(self.new(Kind.LIST, self._taken(frame, argument)))

    def _build_dict(self, frame: Frame, argument: int) -> None:
        items = self._taken(frame, 2 * argument)
        made = self.new(Kind.DICT, [])
        for at in range(0, len(items), 2):
            self.put(made, items[at], items[at + 1])
        frame.stack.append(made)

    def _build_set(self, frame: Frame, argument: int) -> None:
        items = self._taken(frame, argument)
        made = self.new(Kind.SET, [])
        for item in items:
            self.add(made, item)
        frame.stack.append(made)

    def _list_append(self, frame: Frame, argument: int) -> None:
        value = frame.stack.pop()
        frame.stack[-argument].fields.append(value)

    def _set_add(self, frame: Frame, argument: int) -> None:
        value = frame.stack.pop()
        self.add(frame.stack[-argument], value)

    def _dict_put(self, frame: Frame, argument: int) -> None:
        value, key = frame.stack.pop(), frame.stack.pop()
        self.put(frame.stack[-argument], key, value)

    # --- attributes ---------------------------------------------------------------------------------------------------

    def _load_attribute(self, frame: Frame, argument: int) -> None:
        value = frame.stack.pop()
        found = self.attribute(value, argument)
        if found is UNBOUND:
            if argument == self.name("__name__") and isinstance(value, Class):
                frame.stack.append(value.name)
                return
            raise Raised("AttributeError", self._no_attribute(value, argument))
        if isinstance(found, tuple):
            kind, function = found
            if kind == Member.PROPERTY:
                self.call(function, [value])
                return
            receiver = value
            if kind == Member.CLASS and not isinstance(value, Class):
                receiver = value.fields[0]
            frame.stack.append(self.new(Kind.BOUND, [function, receiver]))
            return
        frame.stack.append(found)

    def _no_attribute(self, value: Value, name: int) -> str:
        if isinstance(value, Class):
            return f"type object '{value.name}' has no attribute '{self.program.names[name]}'"
        return f"'{self.class_of(value).name}' object has no attribute '{self.program.names[name]}'"

    def attribute(self, value: Value, name: int) -> Value:
        """The value, or the kind and function of a method that wants a receiver, or ``UNBOUND``."""
        if isinstance(value, Class):
            member = value.members.get(name)
            if member is None:
                return UNBOUND
            kind, found = member
            if kind == Member.CLASS:
                return member
            return self.memory.globals[found] if kind == Member.SLOT else found  # type: ignore[call-overload]
        cls = self.class_of(value)
        if isinstance(value, Obj) and value.kind == Kind.INSTANCE and name in cls.layout:
            found = value.fields[1 + cls.layout.index(name)]
            if found is not UNBOUND:
                return found
        member = cls.members.get(name)
        if member is None:
            return UNBOUND
        kind, found = member
        if kind in (Member.METHOD, Member.CLASS, Member.PROPERTY):
            return member
        return self.memory.globals[found] if kind == Member.SLOT else found  # type: ignore[call-overload]

    def _store_attribute(self, frame: Frame, argument: int) -> None:
        target, value = frame.stack.pop(), frame.stack.pop()
        if isinstance(target, Class):
            member = target.own.get(argument)
            if member is None or member[0] != Member.SLOT:
                raise Finding(UNSUPPORTED)
            self.memory.globals[member[1]] = value  # type: ignore[call-overload]
            share(value)
            return
        cls = self.class_of(target)
        if kind_of(target) != Kind.INSTANCE:
            raise Raised("AttributeError", self._no_attribute(target, argument))
        if argument not in cls.layout:
            raise Finding(UNSUPPORTED)
        if cls.frozen and self.codes[frame.code].name != f"{cls.name}.__init__":
            raise Raised("AttributeError", f"cannot assign to field '{self.program.names[argument]}'")
        if cls.members.get(argument, (0,))[0] == Member.PROPERTY:
            raise Raised("AttributeError", "property has no setter")
        target.fields[1 + cls.layout.index(argument)] = value
        if target.shared:
            share(value)

    # --- calls as instructions ----------------------------------------------------------------------------------------

    def _call(self, frame: Frame, argument: int) -> None:
        call = self.program.calls[argument]
        named = self._named(frame, call)
        arguments = self._taken(frame, call.positional)
        self.call(frame.stack.pop(), arguments, named)

    def _named(self, frame: Frame, call: Call) -> list[tuple[int, Value]]:
        return list(zip(call.keywords, self._taken(frame, len(call.keywords)), strict=True))

    def _call_method(self, frame: Frame, argument: int) -> None:
        call = self.program.calls[argument]
        named = self._named(frame, call)
        arguments = self._taken(frame, call.positional)
        receiver = frame.stack.pop()
        found = self.attribute(receiver, call.name)
        if found is UNBOUND:
            raise Raised("AttributeError", self._no_attribute(receiver, call.name))
        if isinstance(found, tuple):
            kind, function = found
            if kind == Member.PROPERTY:
                raise Finding(UNSUPPORTED)
            if kind == Member.CLASS and not isinstance(receiver, Class):
                receiver = receiver.fields[0]
            self.call(function, [receiver, *arguments], named)
        else:
            self.call(found, arguments, named)

    def _call_spread(self, frame: Frame, _argument: int) -> None:
        named, arguments, function = frame.stack.pop(), frame.stack.pop(), frame.stack.pop()
        pairs = []
        for at in range(0, len(named.fields), 2):
            name = named.fields[at]
            if name not in self._names:
                raise Finding(UNSUPPORTED)
            pairs.append((self._names[name], named.fields[at + 1]))
        self.call(function, list(arguments.fields), pairs)

    def _subscript(self, frame: Frame, _argument: int) -> None:
        index, container = frame.stack.pop(), frame.stack.pop()
        own = self._own_operator(container, "__getitem__")
        if own is not None:
            self.call(own, [container, index])
        else:
            frame.stack.append(self.item(container, index))

    def _store_subscript(self, frame: Frame, _argument: int) -> None:
        index, container, value = frame.stack.pop(), frame.stack.pop(), frame.stack.pop()
        own = self._own_operator(container, "__setitem__")
        if own is not None:
            self.call(own, [container, index, value], (), Mode.DROP)
            return
        self.set_item(container, index, value)
        if container.shared:
            share(index)
            share(value)

    def _delete_subscript(self, frame: Frame, _argument: int) -> None:
        index, container = frame.stack.pop(), frame.stack.pop()
        own = self._own_operator(container, "__delitem__")
        if own is not None:
            self.call(own, [container, index], (), Mode.DROP)
        else:
            self.delete_item(container, index)

    def _raise(self, frame: Frame, _argument: int) -> None:
        error = frame.stack.pop()
        if isinstance(error, Class):  # the class of a variable: its __init__ would have to run first
            raise Finding(UNSUPPORTED)
        if kind_of(error) != Kind.INSTANCE or not error.fields[0].derives_from(self.program.known_base()):
            raise Raised("TypeError", "exceptions must derive from BaseException")
        self.throw(error)

    # --- what the library is built from -------------------------------------------------------------------------------

    def _intrinsic(self, frame: Frame, argument: int) -> None:
        INTRINSICS[argument](self, frame)

    def _wait(self, _frame: Frame, _argument: int) -> None:
        self._fresh_wait = self.count == 1

    def _block(self, frame: Frame, argument: int) -> bool:
        if self._fresh_wait:
            raise _Blocked
        frame.pc = argument
        return True

    def _choose(self, frame: Frame, _argument: int) -> None:
        count = frame.stack.pop()
        if not isinstance(count, int) or not 1 <= count <= MOST_CHOICES:
            raise Finding(UNSUPPORTED)
        self.outcome.choices = count
        frame.stack.append(self.choice)

    def _point(self, frame: Frame, _argument: int) -> None:
        frame.stack[-1] = None


def _depth(frame: Frame) -> int:
    found = 0
    at: Frame | None = frame
    while at is not None:
        found += 1
        at = at.back
    return found
