"""The syntax tree of LF: what the parser makes and the translation reads. Every node knows its place."""

from __future__ import annotations

from dataclasses import dataclass, field

from kripke.model.source import Span

# --- expressions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number:
    value: int
    span: Span


@dataclass(frozen=True, slots=True)
class Character:
    value: int
    span: Span


@dataclass(frozen=True, slots=True)
class String:
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool
    span: Span


@dataclass(frozen=True, slots=True)
class SetDisplay:
    """``{1, 3 .. 5}``: elements, or first and last."""

    elements: tuple[tuple[Expression, Expression | None], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, constant, type or module."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Field:
    """``of.name``: a component of a record, or a name of a module."""

    of: Expression
    name: str
    name_span: Span
    span: Span


@dataclass(frozen=True, slots=True)
class Indexed:
    of: Expression
    index: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Applied:
    """``T(x)``: a cast, or a function that the language has (ORD, CHR, ABS, ODD, LEN)."""

    function: Expression
    arguments: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Unary:
    operator: str
    operand: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    operator: str
    left: Expression
    right: Expression
    span: Span
    operator_span: Span


Expression = Number | Character | String | Truth | SetDisplay | Name | Field | Indexed | Applied | Unary | Binary

# --- statements -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assignment:
    target: Expression
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Communication:
    """``port!message(x)`` or ``port?message(x)``."""

    port: Expression
    sends: bool
    message: str
    message_span: Span
    arguments: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """``P(x)``, or with CREATE in front: both start a process."""

    process: Expression
    arguments: tuple[Expression, ...]
    created: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """A statement that is a word with arguments: NEW, INC, DEC, INCL, EXCL, ASSERT, DEADLINE, PORTIN, PORTOUT,
    RESCHEDULE, ACCEPT, NOMOVE."""

    word: str
    arguments: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    """Conditions with what follows them; the last condition is None for ELSE."""

    branches: tuple[tuple[Expression | None, tuple[Statement, ...]], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class While:
    condition: Expression
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Repeat:
    body: tuple[Statement, ...]
    condition: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class For:
    variable: Expression
    first: Expression
    last: Expression
    step: Expression | None
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class When:
    communication: Communication
    guard: Expression | None
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Select:
    clauses: tuple[When, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Choice:
    branches: tuple[tuple[Statement, ...], ...]
    span: Span
    branch_spans: tuple[Span, ...]


Statement = Assignment | Communication | Call | Intrinsic | If | While | Repeat | For | Select | Choice

# --- declarations -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NamedType:
    """``direction``: "!" or "?" where a port may only send or receive."""

    name: Expression
    direction: str
    span: Span


@dataclass(frozen=True, slots=True)
class ArrayOf:
    lengths: tuple[Expression, ...]
    element: TypeSyntax
    span: Span


@dataclass(frozen=True, slots=True)
class RecordOf:
    fields: tuple[tuple[str, Span, TypeSyntax], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ChannelOf:
    """``[data(INTEGER), end]``"""

    messages: tuple[tuple[str, Span, tuple[TypeSyntax, ...]], ...]
    span: Span


TypeSyntax = NamedType | ArrayOf | RecordOf | ChannelOf


@dataclass(frozen=True, slots=True)
class Declared:
    """A name in a declaration, and whether it is exported with ``*``."""

    name: str
    span: Span
    exported: bool = False


@dataclass(frozen=True, slots=True)
class ConstantDeclaration:
    name: Declared
    value: Expression


@dataclass(frozen=True, slots=True)
class TypeDeclaration:
    name: Declared
    type: TypeSyntax


@dataclass(frozen=True, slots=True)
class VariableDeclaration:
    """``is_port``: declared with PORT, so that the type must be a channel type."""

    names: tuple[Declared, ...]
    type: TypeSyntax
    is_port: bool


@dataclass(frozen=True, slots=True)
class Parameter:
    name: Declared
    type: TypeSyntax
    by_reference: bool


@dataclass(frozen=True, slots=True)
class ProcessDeclaration:
    """``span`` is that of its head, ``whole`` that of all of it."""

    name: Declared
    parameters: tuple[Parameter, ...]
    declarations: tuple[Declaration, ...]
    body: tuple[Statement, ...]
    is_property: bool
    span: Span
    whole: Span


Declaration = ConstantDeclaration | TypeDeclaration | VariableDeclaration | ProcessDeclaration


@dataclass(frozen=True, slots=True)
class Module:
    name: str
    name_span: Span
    imports: tuple[tuple[str, Span], ...]
    declarations: tuple[Declaration, ...]
    body: tuple[Statement, ...]
    file: str
    notes: list[tuple[str, Span]] = field(default_factory=list)
