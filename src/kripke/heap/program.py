"""The form that languages with a heap are compiled to: code of a stack machine, classes, constants.

Everything is known before the first step: classes have fixed layouts, names are numbers. The machine in Python
(``machine.py``) says what the instructions mean; the one in C (``runtime/``) does the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from kripke.model.source import NOWHERE, Span


class Op(IntEnum):
    """Instructions; most take what they need from the stack and push a result."""

    CONST = 0
    LOAD_LOCAL = 1
    STORE_LOCAL = 2
    CLEAR_LOCAL = 3
    DELETE_LOCAL = 4
    LOAD_CELL = 5
    STORE_CELL = 6
    MAKE_CELL = 7
    LOAD_GLOBAL = 8
    STORE_GLOBAL = 9
    DELETE_GLOBAL = 10
    MAKE_FUNCTION = 11
    POP = 12
    DUP = 13
    DUP2 = 14
    SWAP = 15
    ROTATE = 16
    BINARY = 17
    INPLACE = 18
    UNARY = 19
    COMPARE = 20
    NOT = 21
    TRUTH = 22
    JUMP = 23
    JUMP_IF_FALSE = 24
    JUMP_IF_TRUE = 25
    BUILD_TUPLE = 26
    BUILD_LIST = 27
    BUILD_DICT = 28
    BUILD_SET = 29
    LIST_APPEND = 30
    SET_ADD = 31
    DICT_PUT = 32
    UNPACK = 33
    LOAD_ATTRIBUTE = 34
    STORE_ATTRIBUTE = 35
    CALL = 36
    CALL_METHOD = 37
    CALL_SPREAD = 38
    RETURN = 39
    SUBSCRIPT = 40
    STORE_SUBSCRIPT = 41
    DELETE_SUBSCRIPT = 42
    GET_ITERATOR = 43
    FOR_ITERATOR = 44
    RAISE = 45
    MATCHES = 46
    YIELD = 47
    SEND = 48
    INTRINSIC = 49
    WAIT = 50
    BLOCK = 51
    CHOOSE = 52
    POINT = 53


class Binary(IntEnum):
    ADD = 0
    SUB = 1
    MUL = 2
    DIV = 3
    MOD = 4
    POW = 5
    LSHIFT = 6
    RSHIFT = 7
    AND = 8
    OR = 9
    XOR = 10


class Compare(IntEnum):
    LT = 0
    LE = 1
    GT = 2
    GE = 3
    EQ = 4
    IS = 5
    IN = 6


BINARY_NAMES = ("add", "sub", "mul", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor")
COMPARE_NAMES = ("lt", "le", "gt", "ge", "eq")


class Intrinsic(IntEnum):
    """What the library is built from. Each takes its arguments from the stack and pushes one value."""

    LEN = 0
    CLASS_OF = 1
    IS_INSTANCE = 2
    LIST_INSERT = 3
    LIST_REMOVE = 4
    LIST_CLEAR = 5
    DICT_GET = 6
    DICT_REMOVE = 7
    DICT_KEY = 8
    DICT_VALUE = 9
    DICT_CLEAR = 10
    SET_REMOVE = 11
    SET_ITEM = 12
    SET_CLEAR = 13
    SLICE = 14
    CHR = 15
    ORD = 16
    STR_OF_INT = 17
    FIND = 18
    TUPLE_OF = 19
    NAME_OF = 20
    PRINT = 21
    RESUME = 22
    THROW = 23
    SPAWN = 24
    ME = 25
    FIELD = 26
    FIELD_NAME = 27
    FIELD_COUNT = 28
    UNSUPPORTED = 29
    OTHERS = 30
    IS_SUBCLASS = 31
    SAME = 32
    LIST_APPEND = 33
    SET_ADD = 34
    DICT_SET = 35
    GENERATOR_STATE = 36
    RANGE = 37
    HAS = 38
    ITERATOR = 39
    BOUND = 40


INTRINSIC_ARGUMENTS = {
    Intrinsic.LEN: 1, Intrinsic.CLASS_OF: 1, Intrinsic.IS_INSTANCE: 2, Intrinsic.LIST_INSERT: 3,
    Intrinsic.LIST_REMOVE: 2, Intrinsic.LIST_CLEAR: 1, Intrinsic.DICT_GET: 3, Intrinsic.DICT_REMOVE: 2,
    Intrinsic.DICT_KEY: 2, Intrinsic.DICT_VALUE: 2, Intrinsic.DICT_CLEAR: 1, Intrinsic.SET_REMOVE: 2,
    Intrinsic.SET_ITEM: 2, Intrinsic.SET_CLEAR: 1, Intrinsic.SLICE: 3, Intrinsic.CHR: 1, Intrinsic.ORD: 1,
    Intrinsic.STR_OF_INT: 1, Intrinsic.FIND: 3, Intrinsic.TUPLE_OF: 1, Intrinsic.NAME_OF: 1, Intrinsic.PRINT: 1,
    Intrinsic.RESUME: 2, Intrinsic.THROW: 2, Intrinsic.SPAWN: 1, Intrinsic.ME: 0, Intrinsic.FIELD: 2,
    Intrinsic.FIELD_NAME: 2, Intrinsic.FIELD_COUNT: 1, Intrinsic.UNSUPPORTED: 1, Intrinsic.OTHERS: 0,
    Intrinsic.IS_SUBCLASS: 2, Intrinsic.SAME: 2, Intrinsic.LIST_APPEND: 2, Intrinsic.SET_ADD: 2,
    Intrinsic.DICT_SET: 3, Intrinsic.GENERATOR_STATE: 1, Intrinsic.RANGE: 3, Intrinsic.HAS: 2,
    Intrinsic.ITERATOR: 1, Intrinsic.BOUND: 2,
}  # fmt: skip


class Kind(IntEnum):
    """Objects of the heap. FRAME, ARRAY, INTEGER and STRING are parts of what refers to them: they have no identity."""

    INTEGER = 0
    STRING = 1
    ARRAY = 2
    FRAME = 3
    TUPLE = 4
    LIST = 5
    DICT = 6
    SET = 7
    INSTANCE = 8
    CELL = 9
    FUNCTION = 10
    BOUND = 11
    ITERATOR = 12
    RANGE = 13
    GENERATOR = 14


class Mode(IntEnum):
    """What becomes of the value that a frame returns."""

    PUSH = 0
    TRUTH = 1
    DROP = 2
    FOR = 3
    SEND = 4


class Member(IntEnum):
    """What a class has under a name."""

    METHOD = 1
    STATIC = 2
    CLASS = 3
    PROPERTY = 4
    SLOT = 5
    CONSTANT = 6


class Instruction(NamedTuple):
    op: Op
    argument: int = 0
    #: the statement it belongs to; -1: of the library
    statement: int = -1


class Handler(NamedTuple):
    """Exceptions raised from ``start`` to before ``end`` go to ``target``, with the stack cut to ``depth``."""

    start: int
    end: int
    target: int
    depth: int


class Call(NamedTuple):
    """How a call passes arguments: ``name`` of the method or -1, how many by position, and the names of the others."""

    name: int
    positional: int
    keywords: tuple[int, ...]


@dataclass(slots=True)
class Code:
    """A function body. Its locals are the parameters, then other variables, then the cells it closes over."""

    name: str
    number: int
    parameters: list[int] = field(default_factory=list)
    positional: int = 0
    keyword_only: int = 0
    spread: bool = False
    keywords: bool = False
    local_names: list[str] = field(default_factory=list)
    free: int = 0
    generator: bool = False
    coroutine: bool = False
    library: bool = False
    instructions: list[Instruction] = field(default_factory=list)
    handlers: list[Handler] = field(default_factory=list)
    most_stack: int = 0
    span: Span = NOWHERE

    @property
    def local_count(self) -> int:
        return len(self.local_names)


@dataclass(frozen=True, slots=True, eq=False)
class FunctionConstant:
    """A function that closes over nothing, with constant defaults."""

    code: Code
    defaults: tuple[object, ...] = ()
    #: by place among the parameters behind ``*``; None: there is no default
    keyword_defaults: tuple[object, ...] = ()


class _NoDefault:
    """A parameter has none."""


NO_DEFAULT = _NoDefault()


@dataclass(slots=True, eq=False)
class Class:
    """A class with its whole layout: instance attributes by name, members with those of its bases."""

    name: str
    number: int
    base: Class | None = None
    #: names of instance attributes, in the order of their places
    layout: list[int] = field(default_factory=list)
    #: name -> kind and value: a function, the number of a global, a constant
    members: dict[int, tuple[Member, object]] = field(default_factory=dict)
    own: dict[int, tuple[Member, object]] = field(default_factory=dict)
    library: bool = False
    #: fields that are compared, of a dataclass
    compared: int = -1
    #: fields of a dataclass that its text shows; -1: it is none
    field_count: int = -1
    frozen: bool = False
    span: Span = NOWHERE

    @property
    def compares_in_steps(self) -> bool:
        """Is there code that compares its fields, one after the other, and may they change meanwhile?"""
        return self.compared > 0 and not self.frozen

    def derives_from(self, other: Class) -> bool:
        at: Class | None = self
        while at is not None:
            if at is other:
                return True
            at = at.base
        return False


#: Classes the machine itself knows, by their places in ``Program.known``.
KNOWN = (
    "object", "int", "bool", "str", "NoneType", "tuple", "list", "dict", "set", "range", "function", "method", "type",
    "generator", "coroutine", "iterator", "float", "TypeError", "ValueError", "IndexError", "KeyError", "NameError",
    "UnboundLocalError", "AttributeError", "ZeroDivisionError", "StopIteration", "RuntimeError", "RecursionError",
    "SystemExit", "AssertionError", "KeyboardInterrupt",
)  # fmt: skip

#: Names of attributes and methods the machine asks for itself, by their places: they come first in ``Program.names``.
NAMES = (
    "__init__", "__make__", "args", "value", "__bool__", "__len__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__",
    "__contains__", "__getitem__", "__setitem__", "__delitem__", "__iter__", "__next__", "__call__", "__hash__",
    *(f"__{name}__" for name in BINARY_NAMES), *(f"__r{name}__" for name in BINARY_NAMES),
    *(f"__i{name}__" for name in BINARY_NAMES), "__neg__", "__name__",
)  # fmt: skip


class StatementText(NamedTuple):
    text: str
    span: Span
    function: str


@dataclass(slots=True)
class Program:
    """A whole program. ``constants`` begin with None, False, True."""

    codes: list[Code]
    classes: list[Class]
    constants: list[object]
    names: list[str]
    global_names: list[str]
    calls: list[Call]
    statements: list[StatementText]
    entry: int
    bootstrap: int
    known: list[Class]
    #: globals that are assigned once, outside of loops: what was read of them stays
    stable: frozenset[int]
    #: names of attributes that some object has a place for: reading others touches classes only
    stored_names: frozenset[int]
    #: conditions that properties look at: text, code, and what it is while a variable has no value yet
    atoms: list[tuple[str, int, bool]] = field(default_factory=list)
    #: globals that conditions look at; ``deep``: they look into objects, too
    watched: frozenset[int] = frozenset()
    deep: bool = False
    #: values of globals before the first step, of the library
    initial: dict[int, object] = field(default_factory=dict)
    base_exception: int = 0
    #: functions that compare in several steps: an item with those of a container, the fields of two objects
    comparing: tuple[FunctionConstant, ...] = ()

    def known_base(self) -> Class:
        return self.classes[self.base_exception]


class Options(NamedTuple):
    """How the machine steps and keeps its heap."""

    granularity: str = "access"
    numbering: str = "heap"
    collection: str = "sweep"
    max_state_bytes: int = 1 << 15
    #: how the compiled machine comes from a step back to the state before, and to the one behind: by what the step
    #: changed, or by all of the memory
    backtracking: str = "difference"


#: instructions that one step may run; a loop that touches nothing shared is cut here
STEP_LENGTH = 20_000
DEEPEST_CALLS = 980
#: instructions of one function of the library, which is never cut: an endless one is reported
LIBRARY_LENGTH = 2_000_000
MOST_CHOICES = 1 << 24
DEEPEST_VALUE = 100
