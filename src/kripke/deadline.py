"""How long a command may take: one moment that every stage asks.

Who is given a limit *keeps* a deadline (``with keeping(Deadline(3.0)):``). Every stage below asks the deadline that is
kept, without being handed it: reading a model, passes over it, the compiler, a search, what is made of its result.

    deadline = current()
    for place in places:
        deadline()                        # OutOfTime, once the time is over
    search(time_limit=deadline.limit())   # what is left, for another program or the native engine

A stage that has something to show for the time it took catches ``OutOfTime`` and shows it. Parts of the time are
deadlines, too: ``current().part(0.5)`` ends in the middle of what is left.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, Token
from time import perf_counter, process_time

Clock = Callable[[], float]

_LEAST = 0.001  # seconds: where 0 says that there is no limit, a limit is never 0


class OutOfTime(Exception):
    """The time is over."""


class Deadline:
    """Called as often as one likes, it raises OutOfTime when the time is over; no ``seconds``: never.

    With ``outer``, a deadline of another clock, it is over when one of the two is.
    """

    __slots__ = ("_clock", "_end", "_outer")

    def __init__(
        self, seconds: float | None = None, clock: Clock = perf_counter, outer: Deadline | None = None
    ) -> None:
        self._clock = clock
        self._end = None if seconds is None else clock() + seconds
        self._outer = outer

    def __call__(self) -> None:
        if self.is_over:
            raise OutOfTime

    @property
    def is_over(self) -> bool:
        if self._end is not None and self._clock() > self._end:
            return True
        return self._outer is not None and self._outer.is_over

    @property
    def left(self) -> float | None:
        """Seconds, not below 0; None where there is no limit."""
        own = None if self._end is None else max(self._end - self._clock(), 0.0)
        outer = None if self._outer is None else self._outer.left
        return own if outer is None else outer if own is None else min(own, outer)

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
        return Deadline(seconds, self._clock, self._outer)

    def within_work(self, seconds: float) -> Deadline:
        """So many seconds of this process's own work from now, whatever else the machine does; this one at most."""
        return Deadline(seconds, process_time, None if self.left is None else self)

    def part(self, share: float) -> Deadline:
        """The first part of what is left."""
        left = self.left
        return self if left is None else Deadline(left * share, self._clock, self._outer)

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

    __slots__ = ("_before", "_deadline")

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._before: Token[Deadline] | None = None

    def __enter__(self) -> Deadline:
        self._before = _kept.set(self._deadline)
        return self._deadline

    def __exit__(self, *problem: object) -> None:
        if self._before is not None:
            _kept.reset(self._before)
