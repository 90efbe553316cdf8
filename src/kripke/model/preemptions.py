"""``Preemptions``: a model in which an actor is interrupted only so often (as in native/wrappers/preemptions.h).

A step of another actor than the last one, which could have gone on, is a preemption; a switch that must be, because
the actor waits or has ended, is free, unless every switch is to count. A state is a state of the model, then the
actor that moved last (255: nobody yet), then the number of preemptions. Where every switch counts and only switches
are left, a state leads to itself: it is no deadlock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kripke.model.model import Model, Transition, no_pause
from kripke.model.wrapper import Wrapper

MOST_SWITCHES = 255
MOST_ACTORS = 255  # one byte of every state says who moved last
_SUFFIX = 2
_NOBODY = 255
_MANY = 128  # steps


class Preemptions(Wrapper):
    """The runs with at most ``most`` preemptions, or switches of any kind; ``cut``: there are others."""

    def __init__(self, model: Model, most: int, *, every: bool = False) -> None:
        super().__init__(model)
        self.most = most
        self.every = every
        self.cut = False
        self.pause: Callable[[], None] = no_pause  # called while steps come that cannot be handed on yet

    def inner_state(self, state: bytes) -> bytes:
        return state[:-_SUFFIX]

    @property
    def max_state_bytes(self) -> int:
        return self.base.max_state_bytes + _SUFFIX

    def initial(self) -> list[bytes]:
        return [state + bytes((_NOBODY, 0)) for state in self.base.initial()]

    def successors(self, state: bytes) -> list[Transition]:
        return list(self.each_successor(state))

    def each_successor(self, state: bytes) -> Iterator[Transition]:
        last, count = state[-2], state[-1]
        others = []  # until it is known whether the actor that moved last can go on
        goes_on = self.every
        held: Transition | None = None
        for step in self.base.each_successor(inner_state(state)):
            actor = mover(step)
            if not goes_on and actor != last != _NOBODY:
                others.append((actor, step))
                if len(others) % _MANY == 0:
                    self.pause()
                continue
            if not goes_on:
                goes_on = True
                yield from self._after(others, count + 1)
                others = []
            now = count + (actor != last != _NOBODY)
            yield from self._after([(actor, step)], now)
            if now > self.most:
                held = step
        yield from self._after(others, count)
        if held is not None and self.every:
            yield held._replace(target=state, violations=())

    def _after(self, steps: Iterable[tuple[int, Transition]], count: int) -> Iterator[Transition]:
        if count > self.most:
            self.cut = self.cut or any(True for _ in steps)
            return
        for actor, step in steps:
            yield step if step.target is None else step._replace(target=step.target + bytes((actor, count)))


def inner_state(state: bytes) -> bytes:
    """The state of the model."""
    return state[:-_SUFFIX]


def last_mover(state: bytes) -> int:
    """The actor that moved last, as ``mover`` names it."""
    return state[-2]


def mover(step: Transition) -> int:
    """The actor that moves; 255: nobody, or one with a higher number."""
    return min(step.parts[0].actor, _NOBODY) if step.parts else _NOBODY
