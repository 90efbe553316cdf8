"""What a step touched of what threads share: recorded while it runs, instruction by instruction."""

from __future__ import annotations

from kripke.heap.memory import Frame, Memory, Obj, Value
from kripke.heap.operations import kind_of
from kripke.heap.program import INTRINSIC_ARGUMENTS, Class, Compare, Instruction, Intrinsic, Kind, Member, Op
from kripke.heap.reduction.accesses import CONTENTS, NOTHING, Access, Places

#: no object: the place is a global variable, or the same in all objects
NO_OBJECT = -1
_COMPOUND = (Kind.TUPLE, *CONTENTS, Kind.INSTANCE)
_WRITES = frozenset({
    Intrinsic.LIST_APPEND, Intrinsic.LIST_INSERT, Intrinsic.LIST_REMOVE, Intrinsic.LIST_CLEAR, Intrinsic.DICT_SET,
    Intrinsic.DICT_REMOVE, Intrinsic.DICT_CLEAR, Intrinsic.SET_ADD, Intrinsic.SET_REMOVE, Intrinsic.SET_CLEAR,
})  # fmt: skip
_READS = frozenset({
    Intrinsic.LEN, Intrinsic.SLICE, Intrinsic.TUPLE_OF, Intrinsic.SET_ITEM, Intrinsic.DICT_GET, Intrinsic.DICT_KEY,
    Intrinsic.DICT_VALUE,
})  # fmt: skip
_SEARCHES = frozenset({
    Intrinsic.DICT_GET, Intrinsic.DICT_SET, Intrinsic.DICT_REMOVE, Intrinsic.SET_ADD, Intrinsic.SET_REMOVE,
})  # fmt: skip


class Footprint:
    """``touched``: by number of the object. ``goes_back``: it may be part of a cycle of states. ``ends``: what happens
    behind it nobody sees."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.touched: dict[int, Access] = {}
        self.goes_back = self.ends = False

    def reads(self, item: Value, kinds: int) -> None:
        self._add(item, Access(kinds))

    def writes(self, item: Value, kinds: int) -> None:
        self._add(item, Access(0, kinds))

    def _add(self, item: Value, access: Access) -> None:
        if isinstance(item, Obj) and not item.shared:
            return
        key = item.number if isinstance(item, Obj) else NO_OBJECT
        self.touched[key] = self.touched.get(key, NOTHING) | access

    # --- the ends of a step -------------------------------------------------------------------------------------------

    def begin(self, frame: Frame) -> None:
        """Generators that run are ended by an exception without an instruction of theirs."""
        at: Frame | None = frame
        while at is not None:
            if at.generator is not None:
                self.writes(at.generator, 1 << self.places.generators)
            at = at.back

    def thread_ends(self, thread: Value) -> None:
        self.reads(None, self.places.end.reads)
        if isinstance(thread, Obj):
            self.writes(thread, self.places.end.writes)

    # --- instructions -------------------------------------------------------------------------------------------------

    def instruction(self, memory: Memory, thread: int, frame: Frame, instruction: Instruction) -> None:
        """Before it is executed."""
        op, argument, _ = instruction
        stack, places = frame.stack, self.places
        match op:
            case Op.LOAD_GLOBAL:
                self.reads(None, 1 << argument)
            case Op.STORE_GLOBAL | Op.DELETE_GLOBAL:
                self.writes(None, 1 << argument)
            case Op.LOAD_CELL:
                self.reads(frame.locals[argument], 1 << places.cells)
            case Op.STORE_CELL:
                self.writes(frame.locals[argument], 1 << places.cells)
            case Op.LOAD_ATTRIBUTE:
                self._attribute(stack[-1], argument)
            case Op.CALL_METHOD:
                call = places.program.calls[argument]
                self._attribute(stack[-1 - call.positional - len(call.keywords)], call.name)
            case Op.STORE_ATTRIBUTE:
                self._store_attribute(stack[-1], argument)
            case Op.SUBSCRIPT:
                self._contents(stack[-2], False)
                self._search(stack[-2], stack[-1])
            case Op.STORE_SUBSCRIPT | Op.DELETE_SUBSCRIPT:
                self._contents(stack[-2], True)
                self._search(stack[-2], stack[-1])
            case Op.COMPARE:
                self._compare(argument, stack[-2], stack[-1])
            case Op.BINARY | Op.INPLACE:
                self._contents(stack[-1], False)
                self._contents(stack[-2], op == Op.INPLACE)
            case Op.TRUTH | Op.UNPACK | Op.GET_ITERATOR:
                self._contents(stack[-1], False)
            case Op.CALL_SPREAD:
                self._contents(stack[-1], False)
                self._contents(stack[-2], False)
            case Op.BUILD_SET | Op.BUILD_DICT:
                count = argument if op == Op.BUILD_SET else 2 * argument
                for value in stack[len(stack) - count :]:
                    self._compared(value)
            case Op.SET_ADD | Op.DICT_PUT:
                self._compared(stack[-1])
                self._compared(stack[-2])
            case Op.FOR_ITERATOR:
                self._iterate(stack[-1])
            case Op.SEND:
                self._iterate(stack[-2])
            case Op.INTRINSIC:
                count = INTRINSIC_ARGUMENTS[Intrinsic(argument)]
                self._intrinsic(Intrinsic(argument), memory.threads[thread], stack[len(stack) - count :])
            case Op.JUMP | Op.JUMP_IF_FALSE | Op.JUMP_IF_TRUE:
                # A ``for`` comes to its end some time, or its generator goes back itself.
                code = places.program.codes[frame.code]
                if argument <= frame.pc and code.instructions[argument].op not in (Op.FOR_ITERATOR, Op.SEND):
                    self.goes_back = True

    def _attribute(self, value: Value, name: int) -> None:
        found = self.places.program.classes[0]
        if isinstance(value, Class):
            found = value
        elif isinstance(value, Obj) and value.kind == Kind.INSTANCE:
            found = value.fields[0]
            if name in found.layout:
                self.reads(value, self.places.name(name))
        else:
            return
        kind, slot = found.members.get(name, (None, None))
        if kind == Member.SLOT and isinstance(slot, int):
            self.reads(None, 1 << slot)

    def _store_attribute(self, target: Value, name: int) -> None:
        if isinstance(target, Class):
            kind, slot = target.own.get(name, (None, None))
            if kind == Member.SLOT and isinstance(slot, int):
                self.writes(None, 1 << slot)
        elif kind_of(target) == Kind.INSTANCE:
            self.writes(target, self.places.name(name))

    def _contents(self, value: Value, written: bool) -> None:
        kinds = self.places.of_kind(kind_of(value))
        if kinds:
            self._add(value, Access(0, kinds) if written else Access(kinds))

    def _search(self, container: Value, item: Value) -> None:
        """Looking for something in a dict or a set compares it with what is there."""
        if kind_of(container) in (Kind.DICT, Kind.SET):
            self._compared(item)
            for each in container.fields:
                self._compared(each)

    def _compared(self, value: Value) -> None:
        if kind_of(value) in _COMPOUND:
            self.reads(None, self.places.compared)

    def _compare(self, operator: int, left: Value, right: Value) -> None:
        if operator == Compare.IS:
            return
        self._compared(left)
        if operator != Compare.IN:
            self._compared(right)
            return
        self._contents(right, False)
        if kind_of(right) in (Kind.TUPLE, *CONTENTS):
            for each in right.fields:
                self._compared(each)

    def _iterate(self, value: Value) -> None:
        if kind_of(value) == Kind.ITERATOR:
            self.writes(value, 1 << self.places.generators)
            self._contents(value.fields[0], False)
        elif kind_of(value) == Kind.GENERATOR:
            self.writes(value, 1 << self.places.generators)

    def _intrinsic(self, which: Intrinsic, me: Value, given: list[Value]) -> None:
        places = self.places
        if which in _WRITES or which in _READS:
            self._contents(given[0], which in _WRITES)
            if which in _SEARCHES:
                self._search(given[0], given[1])
            return
        match which:
            case Intrinsic.ITERATOR:
                self._contents(given[0], False)
            case Intrinsic.FIELD:
                self.reads(given[0], places.name(given[0].fields[0].layout[given[1]]))
            case Intrinsic.HAS:
                names = places.program.names
                if isinstance(given[1], str) and given[1] in names:
                    self._attribute(given[0], names.index(given[1]))
            case Intrinsic.GENERATOR_STATE:
                if isinstance(given[0], Obj):
                    self.reads(given[0], 1 << places.generators)
            case Intrinsic.RESUME | Intrinsic.THROW:
                # What it delegates to is ended, too.
                self.writes(None, 1 << places.generators)
            case Intrinsic.OTHERS:
                self.writes(None, 1 << places.threads)
            case Intrinsic.SPAWN:
                self.reads(None, 1 << places.threads)
                self.reads(given[0], places.target)
                self.writes(given[0], places.arguments)
                if me is not None:
                    self.goes_back = True  # threads that start each other, over and over
