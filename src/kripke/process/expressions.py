"""Expressions of process programs.

Values are 32-bit signed integers. Arithmetic wraps around as in C with ``-fwrapv``; division truncates
towards zero; a shift uses the lowest five bits of its count. Comparison and logic give 0 or 1, ``&&`` and
``||`` do not evaluate their right side when the left side decides.

An evaluation can fail (index out of range, division by zero, use of an uninitialised channel). The step being
computed then ends with a violation and has no successor.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from kripke.process.value_set import ValueSet

if TYPE_CHECKING:
    from kripke.process.program import Channel, ProcessType, Variable


@dataclass(frozen=True, slots=True)
class IntType:
    """How an integer is kept in a state: ``bits`` wide, in ``size`` bytes (1, 2 or 4), little-endian.

    Storing a value keeps its lowest ``bits`` bits, sign-extended on reading when ``signed``.
    """

    name: str
    bits: int
    signed: bool
    #: the values it has, where these are fewer than its bits allow; nothing else is ever stored
    values: ValueSet | None = None
    size: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", 1 if self.bits <= 8 else 2 if self.bits <= 16 else 4)

    @property
    def start(self) -> int:
        """What a variable of this type is before anything is stored in it: 0, or its least value."""
        return 0 if self.values is None or 0 in self.values else self.values.least

    @property
    def cardinality(self) -> int:
        """How many values it has."""
        return 1 << self.bits if self.values is None else len(self.values)

    def wrap(self, value: int) -> int:
        """The value a variable of this type has after ``value`` was stored in it."""
        value &= (1 << self.bits) - 1
        if self.signed and value >> (self.bits - 1):
            value -= 1 << self.bits
        return value


@dataclass(frozen=True, slots=True)
class Index:
    """One subscript of a place: ``0 <= value < count`` is checked, and ``value * stride`` bytes are added."""

    value: Expression
    count: int
    stride: int


@dataclass(frozen=True, slots=True)
class Place:
    """A scalar in the state: a variable, an array element, a field of a structure.

    Its address is the start of the variable, plus ``offset`` (a constant for the field), plus the subscripts'
    strides. ``variable.scope`` tells whether it counts from the start of the state or of the process frame.
    """

    variable: Variable
    type: IntType
    offset: int = 0
    indices: tuple[Index, ...] = ()


class UnaryOperator(Enum):
    NEGATE = "-"
    COMPLEMENT = "~"
    NOT = "!"


class BinaryOperator(Enum):
    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    REMAINDER = "%"
    AND = "&"
    XOR = "^"
    OR = "|"
    SHIFT_LEFT = "<<"
    SHIFT_RIGHT = ">>"
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="
    EQUAL = "=="
    NOT_EQUAL = "!="
    LOGICAL_AND = "&&"
    LOGICAL_OR = "||"
    #: the right side, where the left one is not 0; else a value that its type does not have, or that is not there
    WITHIN = "within"
    PRESENT = "present"


#: Operators that end the step where their left side is 0.
CHECKS = (BinaryOperator.WITHIN, BinaryOperator.PRESENT)


def unchecked(expression: Expression) -> Expression:
    """The value of an expression where its checks pass."""
    while isinstance(expression, Binary) and expression.operator in CHECKS:
        expression = expression.right
    return expression


class ChannelQuestion(Enum):
    LENGTH = "len"
    EMPTY = "empty"
    FULL = "full"
    NOT_EMPTY = "nempty"
    NOT_FULL = "nfull"


@dataclass(frozen=True, slots=True)
class Constant:
    value: int


@dataclass(frozen=True, slots=True)
class AnyInstance(Constant):
    """The number of a process, in one of several alternatives that together name every process of its type."""


@dataclass(frozen=True, slots=True)
class Read:
    place: Place


@dataclass(frozen=True, slots=True)
class Unary:
    operator: UnaryOperator
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary:
    operator: BinaryOperator
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Conditional:
    """``(condition -> then : otherwise)``; only the chosen branch is evaluated."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class ChannelIdentity:
    """The identity of a declared channel, as a value.

    Identities count from 1: first the global channels in order of declaration, then those of the process
    frames from the oldest to the youngest process, each in order of declaration. 0 is no channel.
    A channel operation on a ``ChannelIdentity`` is statically resolved.
    """

    channel: Channel


@dataclass(frozen=True, slots=True)
class ChannelElement:
    """The identity of an element of an array of channels.

    The channels are alike and declared one after the other: element i lies ``i * size`` bytes after element 0 and its
    identity is i more. INDEX violation where ``index`` is out of range.
    """

    channels: tuple[Channel, ...]
    index: Expression


@dataclass(frozen=True, slots=True)
class AskChannel:
    """``len(q)``, ``empty(q)``, ... A rendezvous channel has length 0, is empty and full."""

    question: ChannelQuestion
    channel: Expression


@dataclass(frozen=True, slots=True)
class Match:
    """A message field must equal the expression."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Bind:
    """A message field is stored in the place."""

    place: Place


@dataclass(frozen=True, slots=True)
class Ignore:
    """A message field is dropped."""


Pattern = Match | Bind | Ignore


@dataclass(frozen=True, slots=True)
class Poll:
    """``q?[...]``: would a receive with these patterns be possible? Changes nothing.

    ``anywhere`` looks at every message in the buffer (``??``), not at the first only.
    """

    channel: Expression
    patterns: tuple[Pattern, ...]
    anywhere: bool = False


@dataclass(frozen=True, slots=True)
class Timeout:
    """True only when no process can take a step otherwise."""


@dataclass(frozen=True, slots=True)
class OwnPid:
    """The number of the executing process, counted from 0 in order of creation."""


@dataclass(frozen=True, slots=True)
class ProcessCount:
    """How many processes exist."""


@dataclass(frozen=True, slots=True)
class AtLocation:
    """Is process ``pid`` of type ``process`` at one of these locations (indices into ``process.locations``)?

    0 where that process does not exist or is of another type. ``pid`` None: the oldest process of the type, as in SPIN.
    """

    process: ProcessType
    pid: Expression | None
    locations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RemoteRead:
    """A local variable of another process; 0 where that process does not exist or is of another type."""

    process: ProcessType
    pid: Expression | None
    place: Place


@dataclass(frozen=True, slots=True)
class CValue:
    """The value of a piece of C (a number into ``EmbeddedC.fragments``) with this text; fails where the C does."""

    fragment: int
    text: str


@dataclass(frozen=True, slots=True)
class Enabled:
    """Could process ``pid`` take a step by itself, ``provided`` conditions and priorities aside? 0 where it is none.

    An edge whose evaluation fails counts as enabled. While the answer for a process is being found, the same
    question about that process is answered with 0. ENABLED violation where a process asks about itself.
    """

    pid: Expression


@dataclass(frozen=True, slots=True)
class ProgramCounter:
    """The ``number`` of the location of process ``pid``; 0 where there is none."""

    pid: Expression


@dataclass(frozen=True, slots=True)
class Priority:
    """The priority of process ``pid``; 0 where there is none. Only in programs with priorities."""

    pid: Expression


@dataclass(frozen=True, slots=True)
class NoProgress:
    """Is no process at a location marked ``progress``?"""


@dataclass(frozen=True, slots=True)
class Accepting:
    """Is some process at a location marked ``accept``?"""


Expression = (
    Constant
    | Read
    | Unary
    | Binary
    | Conditional
    | ChannelIdentity
    | ChannelElement
    | AskChannel
    | Poll
    | Timeout
    | OwnPid
    | ProcessCount
    | AtLocation
    | RemoteRead
    | CValue
    | Enabled
    | ProgramCounter
    | Priority
    | NoProgress
    | Accepting
)
