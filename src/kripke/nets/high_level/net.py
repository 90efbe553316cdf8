"""``HighLevelNet``: places that hold multi-sets of values, transitions with variables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from kripke.model.source import NOWHERE, Span
from kripke.nets.high_level.terms import Term
from kripke.nets.high_level.types import Ranges, Type


@dataclass(frozen=True, slots=True)
class Place:
    """``capacity``: the numbers of tokens it may hold, None for any. ``contents``: its initial marking, or of an
    implicit place what it always holds, a function of the other places. A constant place never changes."""

    name: str
    type: Type
    capacity: Ranges | None
    contents: Term
    implicit: bool = False
    constant: bool = False
    span: Span = NOWHERE

    @property
    def stored(self) -> bool:
        """Is it part of a state?"""
        return not self.implicit and not self.constant


@dataclass(frozen=True, slots=True)
class Variable:
    """``slot`` is its place in environments. An output variable takes every value that satisfies ``condition``."""

    name: str
    type: Type
    slot: int
    output: bool = False
    condition: Term | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class InputArc:
    """Takes ``multiplicity`` (None: one) copies of ``token``; or, with ``whole``, the multi-set ``token``."""

    place: int
    token: Term
    multiplicity: Term | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Transition:
    """``definitions`` give variables their values from those of others. A priority of 0 is none at all.

    Fairness sets and ``hide`` are conditions on instances.
    """

    name: str
    variables: tuple[Variable, ...]
    inputs: tuple[InputArc, ...]
    outputs: tuple[tuple[int, Term], ...]
    gates: tuple[Term, ...] = ()
    definitions: tuple[tuple[int, Term], ...] = ()
    priority: int = 0
    hide: Term | None = None
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Condition:
    """A named boolean function of the marking."""

    name: str
    term: Term
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class FairnessSet:
    """Instances that may not be enabled for ever (weak), or again and again (strong), without ever firing; or of which
    it is to be said whether one is ever enabled.

    ``instances``: for transitions by number, the condition on the instance; those not named have none.
    """

    strength: str  # "weak", "strong" or "enabled"
    instances: tuple[tuple[int, Term], ...]
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Module:
    """A sub-net with all that is in it: its places, and the transitions that touch nothing else."""

    name: str
    places: frozenset[int]
    transitions: frozenset[int]


@dataclass(frozen=True)
class HighLevelNet:
    """``slots`` is the length of environments. Rejected states are errors and have no successors; ``deadlocks`` are
    conditions on states without successors that make them errors."""

    name: str
    places: tuple[Place, ...]
    transitions: tuple[Transition, ...]
    slots: int
    rejects: tuple[Condition, ...] = ()
    deadlocks: tuple[Condition, ...] = ()
    propositions: tuple[Condition, ...] = ()
    fairness: tuple[FairnessSet, ...] = ()
    modules: tuple[Module, ...] = ()

    @cached_property
    def fair_sets(self) -> tuple[FairnessSet, ...]:
        return tuple(one for one in self.fairness if one.strength != "enabled")

    @cached_property
    def enabled_sets(self) -> tuple[FairnessSet, ...]:
        return tuple(one for one in self.fairness if one.strength == "enabled")

    @cached_property
    def stored(self) -> tuple[int, ...]:
        return tuple(number for number, place in enumerate(self.places) if place.stored)

    @cached_property
    def implicit_order(self) -> tuple[int, ...]:
        """Implicit places such that each comes after those it is computed from."""
        from kripke.nets.high_level.terms import mentions_places

        order: list[int] = []
        open_ = [number for number, place in enumerate(self.places) if place.implicit]
        while open_:
            ready = [n for n in open_ if not mentions_places(self.places[n].contents) & set(open_)]
            if not ready:
                raise ValueError("implicit places that define each other")
            order += ready
            open_ = [number for number in open_ if number not in ready]
        return tuple(order)
