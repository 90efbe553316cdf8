"""About how many different things were seen, in 16 KB, whatever their number (HyperLogLog; native/stores/sketch.h)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log

from kripke.digest import blake2b

_BITS = 14
REGISTERS = 1 << _BITS


def empty() -> bytearray:
    return bytearray(REGISTERS)


def add(registers: bytearray, thing: bytes) -> None:
    digest = int.from_bytes(blake2b(thing, digest_size=8).digest(), "little")
    place = digest >> (64 - _BITS)
    rest = digest & ((1 << (64 - _BITS)) - 1)
    registers[place] = max(registers[place], 64 - _BITS - rest.bit_length() + 1)


def union(sketches: Iterable[bytes]) -> bytes:
    return bytes(map(max, zip(*sketches, strict=True)))


def estimate(registers: Sequence[int]) -> float:
    """The standard error is 0.8 %."""
    total = sum(2.0**-value for value in registers)
    unused = registers.count(0)
    raw = 0.7213 / (1 + 1.079 / REGISTERS) * REGISTERS * REGISTERS / total
    return REGISTERS * log(REGISTERS / unused) if raw <= 2.5 * REGISTERS and unused else raw


def population(each: float, together: float, count: int) -> float:
    """How many there are, if ``count`` samples of ``each`` have so many different ones ``together``.

    Samples that see the same parts again and again make it too small: it is a lower bound in practice.
    """
    if count < 2 or together <= each:
        return together
    low, high = together, together * 1e6
    for _ in range(100):
        middle = (low + high) / 2
        expected = middle * (1 - (1 - each / middle) ** count)
        low, high = (middle, high) if expected < together else (low, middle)
    return low
