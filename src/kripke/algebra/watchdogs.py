"""Watchdogs: a specification as a process that runs beside an implementation and barks when it does what is forbidden
(M. Goldsmith, N. Moffat, B. Roscoe, T. Whitworth, I. Zakiuddin, *Watchdog transformations for property-oriented
model-checking*, FM 2003).

``SPEC [T= P`` is the same as: the watchdog of SPEC, in parallel with P on the watched events, never barks. For failures
the watchdog also chooses, unseen, a set of events one of which P must do: where P refuses all of them, both stop.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from kripke.algebra.events import TAU, EventSet
from kripke.algebra.terms import Step, Term, World

MOST_TESTS = 10_000


class Bark(Term):
    __slots__ = ("event",)
    operator = "bark"

    def __init__(self, world: World, event: int) -> None:
        super().__init__(world)
        self.event = event

    def _make(self) -> Iterable[Step]:
        return ((self.event, self.world.stop),)


class Watchdog(Term):
    """``states``: where the specification may be after what was seen. ``tested``: only these events are offered."""

    __slots__ = ("bark", "failures", "states", "tested", "watched")
    operator = "watchdog"

    def __init__(
        self,
        world: World,
        states: tuple[Term, ...],
        watched: EventSet,
        bark: int,
        failures: bool,
        tested: frozenset[int] | None,
    ) -> None:
        super().__init__(world)
        self.states, self.watched, self.bark = states, watched, bark
        self.failures, self.tested = failures, tested

    def _make(self) -> Iterable[Step]:
        after: dict[int, list[Term]] = {}
        for state in self.states:
            for event, target in state.steps():
                if event != TAU:
                    after.setdefault(event, []).append(target)
        for event in self.watched.members():
            if self.tested is not None and event not in self.tested:
                continue
            if event in after:
                yield event, watchdog(self.world, after[event], self.watched, self.bark, self.failures)
            else:
                yield event, self.world.make(("bark", self.bark), lambda: Bark(self.world, self.bark))
        if self.failures and self.tested is None:
            for tested in self._tests():
                yield TAU, self._testing(tested)

    def _tests(self) -> list[frozenset[int]]:
        """Of every smallest acceptance one event: if an implementation refuses all of these, it accepts too little."""
        offered = {
            frozenset(event for event, _ in state.steps() if self.watched.has(event))
            for state in self.states
            if not any(event == TAU for event, _ in state.steps())
        }
        smallest = sorted((own for own in offered if not any(other < own for other in offered)), key=sorted)
        count = 1
        for own in smallest:
            count *= len(own)
        if count > MOST_TESTS:
            from kripke.model.source import ModelError

            raise ModelError(f"a watchdog would need {count:,} sets of events to test: at most {MOST_TESTS:,}")
        return sorted({frozenset(chosen) for chosen in product(*map(sorted, smallest))}, key=sorted)

    def _testing(self, tested: frozenset[int]) -> Term:
        world, states = self.world, self.states
        key = ("watchdog", tuple(s.number for s in states), self.watched.key, self.bark, tested)
        return world.make(key, lambda: Watchdog(world, states, self.watched, self.bark, True, tested))


def watchdog(world: World, states: Iterable[Term], watched: EventSet, bark: int, failures: bool) -> Term:
    """The watchdog of a specification that is in one of these states, or went on from them unseen."""
    found = list(dict.fromkeys(state.now() for state in states))
    known = set(found)
    for state in found:
        for event, target in state.steps():
            target = target.now()
            if event == TAU and target not in known:
                known.add(target)
                found.append(target)
    closed = tuple(sorted(found, key=lambda state: state.number))
    key = ("watchdog", tuple(state.number for state in closed), watched.key, bark, failures)
    return world.make(key, lambda: Watchdog(world, closed, watched, bark, failures, None))
