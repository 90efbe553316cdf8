"""What an instruction may touch of what threads share, as bits: who reads a kind of place, and who writes it.

A kind of place is a global variable, the attributes of one name, the contents of lists, of dicts or of sets, cells,
generators with iterators, and the number of threads. Two accesses conflict if they may be to the same place and one
of them writes. Which object is meant is left to the state.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kripke.heap.program import Compare, Instruction, Intrinsic, Kind, Member, Op, Program


class Access(NamedTuple):
    """Sets of kinds of places, as bits."""

    reads: int = 0
    writes: int = 0

    def __or__(self, other: object) -> Access:
        assert isinstance(other, Access)
        return Access(self.reads | other.reads, self.writes | other.writes)

    def conflicts(self, other: Access) -> bool:
        return bool(self.writes & (other.reads | other.writes) or self.reads & other.writes)


NOTHING = Access()
CONTENTS = (Kind.LIST, Kind.DICT, Kind.SET)
_LIST_WRITES = (Intrinsic.LIST_APPEND, Intrinsic.LIST_INSERT, Intrinsic.LIST_REMOVE, Intrinsic.LIST_CLEAR)
_DICT_WRITES = (Intrinsic.DICT_SET, Intrinsic.DICT_REMOVE, Intrinsic.DICT_CLEAR)
_SET_WRITES = (Intrinsic.SET_ADD, Intrinsic.SET_REMOVE, Intrinsic.SET_CLEAR)
_DICT_READS = (Intrinsic.DICT_GET, Intrinsic.DICT_KEY, Intrinsic.DICT_VALUE)
_COMPARING = (
    Intrinsic.DICT_GET, Intrinsic.DICT_SET, Intrinsic.DICT_REMOVE, Intrinsic.SET_ADD, Intrinsic.SET_REMOVE,
)  # fmt: skip


class Places:
    """The kinds of places of a program, numbered: globals, then names of attributes, then the others."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.first_name = len(program.global_names)
        self.lists = self.first_name + len(program.names)
        self.dicts, self.sets, self.cells, self.generators, self.threads = range(self.lists + 1, self.lists + 6)
        self.count = self.threads + 1
        self.in_layouts = frozenset(name for found in program.classes for name in found.layout)
        self.class_slots: dict[int, int] = {}
        for found in program.classes:
            for name, (kind, value) in found.members.items():
                if kind == Member.SLOT and isinstance(value, int):
                    self.class_slots[name] = self.class_slots.get(name, 0) | 1 << value
        self.alive, self.arguments = (self.name(program.names.index(name)) for name in ("_alive", "_args"))
        self.target = self.name(program.names.index("_target")) | self.name(program.names.index("_kwargs"))
        #: what a thread does when it ends
        self.end = Access(1 << self.threads, self.alive)
        #: those of dataclasses
        self.fields = 0
        for found in program.classes:
            for name in found.layout[: max(0, found.field_count, found.compared)]:
                self.fields |= self.name(name)
        #: what comparing objects with each other may read
        self.compared = self.of_kinds(CONTENTS)
        for found in program.classes:
            for name in found.layout[: max(0, found.compared)]:
                self.compared |= self.name(name)

    def name(self, number: int) -> int:
        return 1 << self.first_name + number

    def of_kind(self, kind: Kind | None) -> int:
        """The contents of a container."""
        places = {Kind.LIST: self.lists, Kind.DICT: self.dicts, Kind.SET: self.sets}
        return 1 << places[kind] if kind in places else 0

    def of_kinds(self, kinds: Iterable[Kind]) -> int:
        found = 0
        for kind in kinds:
            found |= self.of_kind(kind)
        return found

    def of_instruction(self, instruction: Instruction) -> Access:
        """Whatever its operands are. Code that it calls is not counted."""
        op, argument = instruction.op, instruction.argument
        contents = self.of_kinds(CONTENTS)
        generators = 1 << self.generators
        match op:
            case Op.LOAD_GLOBAL:
                return Access(1 << argument)
            case Op.STORE_GLOBAL | Op.DELETE_GLOBAL:
                return Access(0, 1 << argument)
            case Op.LOAD_CELL:
                return Access(1 << self.cells)
            case Op.STORE_CELL:
                return Access(0, 1 << self.cells)
            case Op.LOAD_ATTRIBUTE:
                return Access(self.attribute(argument))
            case Op.CALL_METHOD:
                return Access(self.attribute(self.program.calls[argument].name))
            case Op.STORE_ATTRIBUTE:
                return Access(0, self.attribute(argument))
            case Op.COMPARE:
                return NOTHING if argument == Compare.IS else Access(self.compared)
            case Op.SUBSCRIPT:
                return Access(self.compared)
            case Op.STORE_SUBSCRIPT | Op.DELETE_SUBSCRIPT:
                return Access(self.compared, contents)
            case Op.BINARY | Op.TRUTH | Op.UNPACK | Op.GET_ITERATOR | Op.CALL_SPREAD:
                return Access(contents)
            case Op.INPLACE:
                return Access(contents, 1 << self.lists)
            case Op.BUILD_DICT | Op.BUILD_SET | Op.SET_ADD | Op.DICT_PUT:
                return Access(self.compared)
            case Op.FOR_ITERATOR | Op.SEND:
                return Access(contents, generators)
            case Op.YIELD:
                return Access(0, generators)
            case Op.INTRINSIC:
                return self.of_intrinsic(Intrinsic(argument))
        return NOTHING

    def attribute(self, name: int) -> int:
        return (self.name(name) if name in self.in_layouts else 0) | self.class_slots.get(name, 0)

    def of_intrinsic(self, which: Intrinsic) -> Access:
        reads = self.compared if which in _COMPARING else 0
        if which in _LIST_WRITES:
            return Access(reads, 1 << self.lists)
        if which in _DICT_WRITES:
            return Access(reads, 1 << self.dicts)
        if which in _SET_WRITES:
            return Access(reads, 1 << self.sets)
        if which in _DICT_READS:
            return Access(reads | 1 << self.dicts)
        match which:
            case Intrinsic.LEN | Intrinsic.SLICE:
                return Access(self.of_kinds(CONTENTS))
            case Intrinsic.TUPLE_OF:
                return Access(1 << self.lists)
            case Intrinsic.SET_ITEM:
                return Access(1 << self.sets)
            case Intrinsic.ITERATOR:
                return Access(self.of_kinds(CONTENTS))
            case Intrinsic.FIELD:
                return Access(self.fields)
            case Intrinsic.HAS:
                return Access(sum(self.name(name) for name in self.in_layouts))
            case Intrinsic.GENERATOR_STATE:
                return Access(1 << self.generators)
            case Intrinsic.RESUME | Intrinsic.THROW:
                return Access(0, 1 << self.generators)
            case Intrinsic.OTHERS:
                # Threads that begin and end "read" their number: that does not conflict with each other.
                return Access(0, 1 << self.threads)
            case Intrinsic.SPAWN:
                return Access(1 << self.threads | self.target | self.arguments, self.arguments)
        return NOTHING
