"""Complete prefixes in pure Python, straight from the definition: to check the native unfolder against.

Concurrency is computed anew from the causal past of conditions, and possible extensions by trying every combination.
"""

from __future__ import annotations

from itertools import product

from kripke.engines.nets.unfolding.prefix import NOBODY, Condition, Event, NotUnfoldable, Prefix, require_ordinary
from kripke.nets.place_transition import PlaceTransitionNet

Order = tuple[int, list[int], list[list[int]]]


def unfold_by_definition(net: PlaceTransitionNet, max_events: int = 1000) -> Prefix:
    require_ordinary(net)
    return _Unfolder(net, max_events).prefix()


class _Unfolder:
    def __init__(self, net: PlaceTransitionNet, max_events: int) -> None:
        self.net = net
        self.max_events = max_events
        self.conditions = [Condition(place, NOBODY) for place, tokens in enumerate(net.initial) if tokens]
        self.events: list[Event] = []
        self.pasts: list[frozenset[int]] = []  # [e] of every event
        self.levels: list[int] = []
        self.companions: dict[frozenset[int], int] = {}

    def prefix(self) -> Prefix:
        known: set[tuple[int, tuple[int, ...]]] = set()
        while True:
            found = [key for key in self._extensions() if key not in known]
            if not found:
                return Prefix(self.net, tuple(self.conditions), tuple(self.events))
            if len(self.events) >= self.max_events:
                raise NotUnfoldable("too many events")
            least = min(found, key=lambda key: self._order(*key))
            known.add(least)
            self._add(*least)

    def _extensions(self) -> list[tuple[int, tuple[int, ...]]]:
        open_conditions = [
            number
            for number, (_, producer) in enumerate(self.conditions)
            if producer == NOBODY or not self.events[producer].is_cut_off
        ]
        found = []
        for transition, (_, preset) in enumerate((t.name, t.preset) for t in self.net.transitions):
            choices = [[c for c in open_conditions if self.conditions[c].place == arc.place] for arc in preset]
            for chosen in product(*choices):
                if self._concurrent(chosen):
                    found.append((transition, tuple(sorted(chosen))))
        return found

    def _past(self, conditions: tuple[int, ...]) -> frozenset[int]:
        producers = (self.conditions[condition].producer for condition in conditions)
        return frozenset().union(*(self.pasts[producer] for producer in producers if producer != NOBODY))

    def _concurrent(self, conditions: tuple[int, ...]) -> bool:
        """Can they hold tokens together? Their past has no conflict and takes none of them."""
        taken: set[int] = set()
        for event in self._past(conditions):
            for condition in self.events[event].preset:
                if condition in taken:
                    return False
                taken.add(condition)
        return not taken & set(conditions)

    def _order(self, transition: int, preset: tuple[int, ...]) -> Order:
        past = self._past(preset)
        levels: dict[int, list[int]] = {}
        for event in past:
            levels.setdefault(self.levels[event], []).append(self.events[event].transition)
        levels.setdefault(self._level(preset), []).append(transition)
        whole = sorted([transition, *(self.events[event].transition for event in past)])
        return len(whole), whole, [sorted(levels[level]) for level in sorted(levels)]

    def _level(self, preset: tuple[int, ...]) -> int:
        producers = (self.conditions[condition].producer for condition in preset)
        return 1 + max((self.levels[producer] for producer in producers if producer != NOBODY), default=0)

    def _add(self, transition: int, preset: tuple[int, ...]) -> None:
        number = len(self.events)
        past = self._past(preset)
        first = len(self.conditions)
        postset = tuple(range(first, first + len(self.net.transitions[transition].postset)))
        self.conditions += [Condition(arc.place, number) for arc in self.net.transitions[transition].postset]
        self.levels.append(self._level(preset))
        self.pasts.append(past | {number})
        self.events.append(Event(transition, preset, postset, NOBODY))
        marking = self._marking(past | {number})
        companion = self.companions.setdefault(marking, number)
        if companion != number:
            self.events[number] = Event(transition, preset, postset, companion)

    def _marking(self, configuration: frozenset[int]) -> frozenset[int]:
        taken = {condition for event in configuration for condition in self.events[event].preset}
        places = [
            place
            for number, (place, producer) in enumerate(self.conditions)
            if number not in taken and (producer == NOBODY or producer in configuration)
        ]
        if len(set(places)) < len(places):
            raise NotUnfoldable("the net is not 1-safe")
        return frozenset(places)
