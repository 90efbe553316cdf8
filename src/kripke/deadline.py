"""How long a command may take: one moment that every stage asks.

Who is given a limit *keeps* a deadline (``with keeping(Deadline(3.0)):``). Every stage below asks the deadline that is
kept, without being handed it: reading a model, passes over it, the compiler, a search, what is made of its result.

    deadline = current()
    for place in places:
        deadline()                    # OutOfTime, once the time is over
    search(time_limit=deadline.limit())   # what is left, for another program or the native engine

A stage that has something to show for the time it took catches ``OutOfTime`` and shows it. Parts of the time are
deadlines, too: ``current().part(0.5)`` ends in the middle of what is left.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, Token
from time import perf_counter

_LEAST = 0.001  # seconds: where 0 says that there is no limit, a limit is never 0


class OutOfTime(Exception):
    """The time is over."""


class Deadline:
    """Called as often as one likes, it raises OutOfTime when the time is over; no ``seconds``: never."""

    __slots__ = ("_clock", "_end")

    def __init__(self, seconds: float | None = None, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._end = None if seconds is None else clock() + seconds

    def __call__(self) -> None:
        if self._end is not None and self._clock() > self._end:
            raise OutOfTime

    @property
    def is_over(self) -> bool:
        return self._end is not None and self._clock() > self._end

    @property
    def left(self) -> float | None:
        """Seconds, not below 0; None where there is no limit."""
        return None if self._end is None else max(self._end - self._clock(), 0.0)

    def limit(self, most: float | None = None) -> float:
        """What is left as the native engine reads it: 0 where there is no limit. With ``most``, no more than that."""
        left = self.left
        if left is None:
            return most or 0.0
        return max(left if most is None else min(left, most), _LEAST)

    def within(self, seconds: float | None) -> Deadline:
        """So many seconds from now, or this one where it is sooner."""
        left = self.left
        if seconds is None or (left is not None and left <= seconds):
            return self
        return Deadline(seconds, self._clock)

    def part(self, share: float) -> Deadline:
        """The first part of what is left."""
        left = self.left
        return self if left is None else Deadline(left * share, self._clock)

    def at_least(self, seconds: float) -> Deadline:
        """This one, or so many seconds from now where it is sooner: for what is worth being late a little."""
        left = self.left
        return self if left is None or left >= seconds else Deadline(seconds, self._clock)


NEVER = Deadline()
_kept: ContextVar[Deadline] = ContextVar("deadline", default=NEVER)


def current() -> Deadline:
    """The deadline that is kept."""
    return _kept.get()


class keeping:
    """Keep a deadline in a block. Not in a generator that yields from the block: its caller would keep it, too."""

    __slots__ = ("_before", "deadline")

    def __init__(self, deadline: Deadline) -> None:
        self.deadline = deadline
        self._before: Token[Deadline] | None = None

    def __enter__(self) -> Deadline:
        self._before = _kept.set(self.deadline)
        return self.deadline

    def __exit__(self, *problem: object) -> None:
        assert self._before is not None
        _kept.reset(self._before)
