"""Symmetry of multisets of values: which of the values may change places.

A *family* is a set of values that a model uses alike. A permutation of them, wherever they occur, is an automorphism
of the state space. Elements of multisets are numbers: their ``Shape`` says where in them values of families are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

#: of every container: how many there are of each element
Contents = list[dict[int, int]]


@dataclass(frozen=True, slots=True)
class Shape:
    """How the number of a value, less than ``count``, is made.

    plain    by nothing that matters here          value    the position in a family
    struct   from those of ``parts``, in a mixed radix, the first part least significant
    array    the same with ``length`` times the one part; ``family``: its indices are the values of one, -1: of none
    union    the number of one of ``parts``, after all numbers of those before it
    buffer   an array of up to ``length`` items, after all numbers of shorter ones
    """

    kind: str
    count: int
    family: int = -1
    parts: tuple[Shape, ...] = ()
    length: int = 0

    @property
    def plain(self) -> bool:
        return self.kind == "plain"


@dataclass(frozen=True, slots=True)
class ValueFamily:
    """``count`` values. Those of a cell may change places among each other; or else, where ``turn`` is not 0, all may
    be moved on by a multiple of it, the last ones to the front."""

    name: str
    count: int
    cells: tuple[tuple[int, ...], ...] = ()
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Container:
    """``capacity``: the ranges that the number of its elements is from, None for any."""

    capacity: tuple[tuple[int, int], ...] | None
    shape: Shape


@dataclass(frozen=True)
class ValueSymmetry:
    """All families, and the containers in the order in which they are in a state."""

    families: tuple[ValueFamily, ...]
    containers: tuple[Container, ...]
    decode: Callable[[bytes], Contents]
    encode: Callable[[Contents], bytes]
    left_out: tuple[str, ...] = ()
    #: what is said where another method is asked for
    other_methods: str = "this model takes sort or canonical"
    methods = ("sort", "canonical")
    #: what ``auto`` chooses
    usual = "canonical"
