"""Priority: which events a process holds back while it could do others (A. W. Roscoe, P. Hopcroft, *Slow abstraction
via priority*, 2013). Invisible steps and termination are never held back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kripke.algebra.events import TAU, TICK, EventSet
from kripke.algebra.terms import Step, Term, World


class Order:
    """Which events give way to which: ``above[e]`` are those before which e gives way."""

    def __init__(self, key: Any, above: Callable[[int], Callable[[int], bool]]) -> None:
        self.key = key
        self._above = above
        self._known: dict[int, Callable[[int], bool]] = {}

    def allowed(self, event: int, offered: Iterable[int]) -> bool:
        beaten_by = self._known.get(event)
        if beaten_by is None:
            beaten_by = self._known[event] = self._above(event)
        return not any(beaten_by(other) for other in offered)


class Prioritised(Term):
    __slots__ = ("order", "process")
    operator = "prioritise"

    def __init__(self, world: World, process: Term, order: Order) -> None:
        super().__init__(world)
        self.process, self.order = process, order

    def _make(self) -> Iterable[Step]:
        steps = self.process.steps()
        offered = {event for event, _ in steps}
        for event, target in steps:
            if event in (TAU, TICK) or self.order.allowed(event, offered):
                yield event, prioritised(self.world, target, self.order)

    def children(self) -> tuple[Term, ...]:
        return (self.process,)


def prioritised(world: World, process: Term, order: Order) -> Term:
    if process is world.omega:
        return process
    key = ("prioritise", process.number, order.key)
    return world.make(key, lambda: Prioritised(world, process, order))


def levels(sets: list[EventSet]) -> Order:
    """Sets in order of priority; the invisible event and termination are with the first."""

    def above(event: int) -> Callable[[int], bool]:
        level = next((at for at, members in enumerate(sets) if members.has(event)), 0)
        if level == 0:
            return lambda other: False
        higher = sets[:level]
        return lambda other: other in (TAU, TICK) or any(members.has(other) for members in higher)

    return Order(("levels", tuple(members.key for members in sets)), above)


def tau_first(events: EventSet) -> Order:
    """Invisible steps come before these events (``:[tau priority]:``)."""
    return Order(("tau first", events.key), lambda event: (lambda other: other == TAU) if events.has(event) else _never)


def _never(event: int) -> bool:
    return False
