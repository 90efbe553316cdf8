"""The form of an estimate: a term over the state, which the interpreter evaluates and the emitter writes as C.

Numbers of steps stop at ``UNREACHABLE``. Where an expression inside cannot be evaluated (an index out of range), the
whole estimate is 0: nothing is known.
"""

from __future__ import annotations

from dataclasses import dataclass

from kripke.model.capabilities.estimate import Combine
from kripke.process.expressions import Expression, Poll
from kripke.process.program import ProcessType


@dataclass(frozen=True, slots=True)
class Fixed:
    steps: int


@dataclass(frozen=True, slots=True)
class Value:
    """The value of an expression; 0 where it is negative."""

    expression: Expression


@dataclass(frozen=True, slots=True)
class Position:
    """How many messages are before the first that matches; one more than there are, where none does."""

    poll: Poll


@dataclass(frozen=True, slots=True)
class LocalDistance:
    """From the place of process ``pid`` (None: the oldest) of this type, by ``table``; ``absent`` where it is not there
    or of another type."""

    process: ProcessType
    pid: Expression | None
    table: tuple[int, ...]
    absent: int


@dataclass(frozen=True, slots=True)
class OwnDistance:
    """From the place of the process that ``EachProcess`` looks at."""

    table: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Combined:
    how: Combine
    parts: tuple[Distance, ...]


@dataclass(frozen=True, slots=True)
class EachProcess:
    """Of every process there is, what is said of its type, combined; those of other types are passed over. Where there
    is none of these types: 0 of a sum or the greatest, ``UNREACHABLE`` of the least."""

    how: Combine
    of_type: tuple[tuple[ProcessType, Distance], ...]


Distance = Fixed | Value | Position | LocalDistance | OwnDistance | Combined | EachProcess


def combined(how: Combine, parts: list[Distance]) -> Distance:
    """The same with one part less to look at where that is easy to see."""
    if len(parts) == 1:
        return parts[0]
    if how != "min":
        parts = [part for part in parts if part != Fixed(0)]
        if not parts:
            return Fixed(0)
        return parts[0] if len(parts) == 1 else Combined(how, tuple(dict.fromkeys(parts) if how == "max" else parts))
    return Fixed(0) if Fixed(0) in parts else Combined(how, tuple(dict.fromkeys(parts)))
