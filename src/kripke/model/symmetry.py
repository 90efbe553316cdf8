"""Symmetry of a state space: which parts of a state may change places.

A *family* is a number of instances that behave alike: components of one type, with the data that belongs to each of
them. A permutation of the instances moves their data and renames every *reference* to them, wherever in the state it
is kept. Where that is an automorphism of the state space, states that differ only by it go on alike.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the data of each instance: ``size`` bytes at ``offsets[i]`` for instance i."""

    offsets: tuple[int, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Key:
    """A number that instances are sorted by, little-endian; a ``reference`` counts by the instance it refers to."""

    offsets: tuple[int, ...]
    size: int
    signed: bool = False
    reference: bool = False


@dataclass(frozen=True, slots=True)
class Family:
    """``first``: the value that refers to instance 0; the next ones refer to the next instances."""

    name: str
    first: int
    parts: tuple[Part, ...]
    keys: tuple[Key, ...] = ()

    @property
    def count(self) -> int:
        return len(self.parts[0].offsets)


@dataclass(frozen=True, slots=True)
class Site:
    """Where a reference may be: ``size`` bytes at ``offset``.

    In a queue there are as many as messages: the number of these is kept in ``length_bytes`` at
    ``length_at``, and the references are ``stride`` bytes apart.
    """

    offset: int
    size: int
    length_at: int = 0
    length_bytes: int = 0
    stride: int = 0
    most: int = 1


@dataclass(frozen=True, slots=True)
class Symmetry:
    """All families of a model, and all places with references. The values of different families differ. A state too
    short for all the parts is from before the instances were there, and stands for itself."""

    families: tuple[Family, ...]
    sites: tuple[Site, ...] = ()
    #: why others are not families
    left_out: tuple[str, ...] = ()
    #: what is said where another method is asked for
    other_methods: str = "this model takes references, sort or canonical"
    methods = ("references", "sort", "canonical")
    #: what ``auto`` chooses
    usual = "canonical"
