"""``PlaceTransitionNet``: places with tokens, transitions that move them. The form every net language ends in.

A marking gives every place a number of tokens. A transition is enabled where every place of its preset holds at least
the weight of the arc; firing it takes the weights of the preset away and adds those of the postset, in one step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from kripke.model.source import NOWHERE, Span

#: No place ever holds more: a step beyond is reported as a violation. Sums of a thousand places fit a machine word.
MOST_TOKENS = 1 << 48

Marking = tuple[int, ...]


class Arc(NamedTuple):
    """To or from a place, by its number."""

    place: int
    weight: int


@dataclass(frozen=True, slots=True)
class Place:
    """``name`` is what people call it and unlike that of all others."""

    name: str
    initial: int = 0
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Transition:
    """Presets and postsets are sorted by place and have one arc per place, of weight at least 1."""

    name: str
    preset: tuple[Arc, ...]
    postset: tuple[Arc, ...]
    span: Span = NOWHERE

    @property
    def changes(self) -> tuple[Arc, ...]:
        """What firing adds to each place it changes; a ``weight`` below zero takes away."""
        total = {place: -weight for place, weight in self.preset}
        for place, weight in self.postset:
            total[place] = total.get(place, 0) + weight
        return tuple(Arc(place, total[place]) for place in sorted(total) if total[place])


@dataclass(frozen=True)
class PlaceTransitionNet:
    """``place_groups`` and ``transition_groups`` are further names: the identifiers of a file, and in an unfolded net
    the coloured places and transitions, each standing for all its instances.

    ``place_classes`` and ``transition_classes`` are, in an unfolded net, the instances of every coloured place and
    transition in turn; None where every place and transition stands for itself.
    """

    name: str
    places: tuple[Place, ...]
    transitions: tuple[Transition, ...]
    place_groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    transition_groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    place_classes: tuple[tuple[int, ...], ...] | None = None
    transition_classes: tuple[tuple[int, ...], ...] | None = None

    @property
    def grows_for_ever(self) -> bool:
        """Can a transition fire at the beginning that takes nothing away and adds something? Then it can fire again and
        again, and there is no end of markings. (False: not known.)"""
        return any(
            transition.changes
            and all(weight > 0 for _, weight in transition.changes)
            and all(self.places[place].initial >= weight for place, weight in transition.preset)
            for transition in self.transitions
        )

    @property
    def initial(self) -> Marking:
        return tuple(place.initial for place in self.places)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The order in which transitions are tried: those without a preset, then by their trigger.

        The trigger of a transition is one place of its preset. Places without tokens are passed over many at a time,
        and with each of them all transitions it triggers.
        """
        triggers = self.triggers
        return tuple(sorted(range(len(self.transitions)), key=lambda t: (triggers[t], t)))

    @cached_property
    def triggers(self) -> tuple[int, ...]:
        """Of every transition, the place of its preset that the fewest transitions need; -1 where there is none."""
        consumers = [0] * len(self.places)
        for transition in self.transitions:
            for place, _ in transition.preset:
                consumers[place] += 1
        return tuple(
            min((arc.place for arc in transition.preset), key=lambda p: (consumers[p], p), default=-1)
            for transition in self.transitions
        )

    @cached_property
    def place_numbers(self) -> Mapping[str, tuple[int, ...]]:
        """The places a name stands for."""
        return {**self.place_groups, **{place.name: (number,) for number, place in enumerate(self.places)}}

    @cached_property
    def transition_numbers(self) -> Mapping[str, tuple[int, ...]]:
        """The transitions a name stands for."""
        return {**self.transition_groups, **{t.name: (number,) for number, t in enumerate(self.transitions)}}


def arcs(weights: Mapping[int, int]) -> tuple[Arc, ...]:
    """Arcs as transitions have them, from the weight of each place; weights of zero are no arcs."""
    return tuple(Arc(place, weights[place]) for place in sorted(weights) if weights[place])


def distinct_names(wanted: Sequence[str], identifiers: Sequence[str]) -> list[str]:
    """A name for each: the wanted one where nobody else wants it or bears it as identifier, else the identifier.

    Identifiers are distinct.
    """
    count: dict[str, int] = {}
    for name in wanted:
        count[name] = count.get(name, 0) + 1
    known = set(identifiers)
    return [
        name if name and count[name] == 1 and (name == identifier or name not in known) else identifier
        for name, identifier in zip(wanted, identifiers, strict=True)
    ]
