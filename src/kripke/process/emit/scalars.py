"""Integers in the bytes of a state: where they are, how they are read and written."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kripke.process.expressions import IntType
from kripke.process.intervals import Interval, interval_of_type


@dataclass(frozen=True, slots=True)
class View:
    """The C variables through which a state is seen.

    ``state`` and ``frame`` are byte pointers (the frame is that of the executing process), ``length`` and ``offset``
    the length of the state and the frame's offset in it. ``asked``: the processes whose enabledness is being found
    out, 0 for none.
    """

    state: str
    frame: str
    length: str = "n"
    offset: str = "f"
    pid: str = "pid"
    timeout: str = "0"
    asked: str = "0"


@dataclass(frozen=True, slots=True)
class Spot:
    """Some bytes of a state: a constant plus C terms, from the start of the state or of the frame."""

    local: bool
    constant: int
    terms: tuple[str, ...] = ()

    def plus(self, constant: int, *terms: str) -> Spot:
        return replace(self, constant=self.constant + constant, terms=self.terms + terms)

    def _sum(self) -> str:
        parts = list(self.terms)
        if self.constant or not parts:
            parts.append(str(self.constant))
        return " + ".join(parts)

    def byte(self, view: View) -> str:
        return f"{view.frame if self.local else view.state}[{self._sum()}]"

    def pointer(self, view: View) -> str:
        base = view.frame if self.local else view.state
        return base if not self.constant and not self.terms else f"{base} + {self._sum()}"


def read_scalar(spot: Spot, type_: IntType, view: View) -> str:
    """The integer at a spot, as a C operand."""
    if type_.size == 1:
        stored = spot.byte(view)
        natural = "(int8_t)" if type_.signed else ""
    else:
        stored = f"get{type_.size * 8}({spot.pointer(view)})"
        natural = "(int16_t)" if type_.signed and type_.size == 2 else "(int32_t)"
    if not type_.signed or type_.bits == type_.size * 8:
        return natural + stored
    return f"sign_extend({stored}, {32 - type_.bits})"


def write_scalar(spot: Spot, type_: IntType, view: View, value: str, bounds: Interval) -> str:
    """The statement that stores a value, given as a C operand with the bounds it lies in."""
    low, high = interval_of_type(type_)
    if type_.bits < type_.size * 8 and (low < 0 or bounds[0] < low or bounds[1] > high):
        value = f"({value} & {hex((1 << type_.bits) - 1)})"
    if type_.size == 1:
        return f"{spot.byte(view)} = (uint8_t){value};"
    return f"put{type_.size * 8}({spot.pointer(view)}, (uint32_t){value});"


def wrap(type_: IntType, value: str, bounds: Interval) -> str:
    """The value a variable of this type has after ``value`` was stored in it."""
    low, high = interval_of_type(type_)
    if low <= bounds[0] and bounds[1] <= high:
        return value
    if type_.bits == type_.size * 8:
        return f"(int32_t)({'' if type_.signed else 'u'}int{type_.bits}_t){value}"
    if type_.signed:
        return f"sign_extend((uint32_t){value}, {32 - type_.bits})"
    return f"({value} & {hex((1 << type_.bits) - 1)})"


def bytes_of(type_: IntType, value: int) -> bytes:
    """The bytes of a constant of this type in a state."""
    return (value & ((1 << type_.bits) - 1)).to_bytes(type_.size, "little")
