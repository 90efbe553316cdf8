"""The syntax tree of an expression."""

from __future__ import annotations

from dataclasses import dataclass

from kripke.hierarchy.script.values import Value


@dataclass(frozen=True, slots=True)
class Expression:
    """``at``: where it starts in its text."""

    at: int


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    value: Value


@dataclass(frozen=True, slots=True)
class Name(Expression):
    name: str


@dataclass(frozen=True, slots=True)
class ArrayLiteral(Expression):
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class ObjectLiteral(Expression):
    items: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class Member(Expression):
    """``object.name`` and ``object[key]``."""

    object: Expression
    key: Expression


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """Of a function by its name, or of a method of ``object``."""

    object: Expression | None
    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Lambda(Expression):
    """A function that returns a value and does nothing else."""

    parameters: tuple[str, ...]
    body: Expression
    text: str


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Conditional(Expression):
    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Assign(Expression):
    """``target operator value``; the operator is empty, or that of ``+=`` and the like. ``after``: its value is the
    one before (``x++``)."""

    target: Expression
    operator: str
    value: Expression
    after: bool = False


@dataclass(frozen=True, slots=True)
class Sequence(Expression):
    """Statements or expressions one after the other; the value is that of the last."""

    items: tuple[Expression, ...]
