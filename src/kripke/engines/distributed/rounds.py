"""The levels of a distributed search, as one worker goes through them: expand, send, receive, until all are done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from kripke.engines.distributed.termination import FourCounters

if TYPE_CHECKING:
    from kripke._native import DistributedSearch

#: reasons to stop, by number; the first of them that a worker has is everybody's
REASONS = ("error", "memory", "states", "interrupted", "time", "disk")
_CHUNK = 2_000  # states that are expanded before messages are looked at
_PAUSE = 0.02  # seconds between two looks at what is not states


class Search(Protocol):
    """``_native.DistributedSearch``."""

    def expand(self, most: int) -> bool: ...
    def receive(self, buffer: bytearray, count: int, sender: int) -> None: ...
    def flush(self) -> None: ...
    def crowded(self) -> bool: ...
    def take_parcel(self) -> tuple[int, int, memoryview] | None: ...
    def give_back(self, number: int) -> None: ...
    def end_level(self) -> None: ...
    def stop(self, reason: str) -> None: ...
    def figures(self) -> tuple[int, ...]: ...
    @property
    def reason(self) -> str: ...


class Driven:
    """A search as ``Rounds`` drives it, for those that change a part of it."""

    def __init__(self, search: DistributedSearch) -> None:
        self.search = search
        self.expand = search.expand
        self.receive = search.receive
        self.flush = search.flush
        self.crowded = search.crowded
        self.take_parcel = search.take_parcel
        self.give_back = search.give_back
        self.end_level = search.end_level
        self.stop = search.stop

    def figures(self) -> tuple[int, ...]:
        return self.search.figures()

    @property
    def reason(self) -> str:
        return self.search.reason


class Transport(Protocol):
    """``mpi.MpiTransport``."""

    rank: int
    size: int

    def send(self, number: int, to: int, states: memoryview, level: int) -> None: ...
    def given_back(self) -> list[int]: ...
    def arrivals(self, level: int) -> Iterator[tuple[bytearray, int, int]]: ...
    def begin_wave(self, word: Sequence[int]) -> None: ...
    def wave(self) -> list[int] | None: ...
    @property
    def waits_for_wave(self) -> bool: ...
    def rest(self) -> None: ...
    def send_stop(self, reason: int) -> int: ...
    def stops(self) -> Iterator[int]: ...


Look = Callable[[], str]
"""Called now and then; a reason to stop, or nothing."""


class Level:
    """What all workers together know at the end of a level."""

    def __init__(self, sums: Sequence[int]) -> None:
        self.states, self.transitions, self.queue, self.sent, self.errors = sums[2:7]
        stopped = sums[7 : 7 + len(REASONS)]
        self.checkpoint_due = bool(sums[7 + len(REASONS)])
        self.reason = next((reason for reason, count in zip(REASONS, stopped, strict=True) if count), "")


class Rounds:
    """Every level ends on all workers alike, by four counters (``termination.py``). A worker that knows so begins the
    next one while others are still to learn it; since they must take part in its end, nobody is further ahead than
    that. So it is enough that a message says whether its level is odd."""

    def __init__(self, search: Search, transport: Transport, look: Look, due: Callable[[], bool] = bool) -> None:
        self._due = due
        self._search = search
        self._transport = transport
        self._look = look
        self._counters = FourCounters()
        self._told = False
        self._next_look = 0.0
        self._number = 0  # of the level

    def turn_to(self, search: Search) -> None:
        """The next levels are of another search, or of another part of the same one; all workers turn alike."""
        self._search = search

    def level(self, work: Callable[[int], bool], *, wakes: bool = False) -> Level:
        """Do it, a part at a time until it says False, on all workers; send and receive until nothing is left.
        ``wakes``: what is received is more to do, for this level."""
        search, transport, counters = self._search, self._transport, self._counters
        self._counters.begin()
        self._number += 1
        more = True
        while True:
            if more and not search.reason:
                more = work(_CHUNK)
            before = counters.received
            moved = self._exchange()
            more = more or (wakes and counters.received != before)
            if monotonic() >= self._next_look:
                self._look_around()
            if more and not search.reason:
                if search.crowded() and not moved:
                    transport.rest()
                continue
            more = False
            search.flush()
            before = counters.received
            self._exchange()
            if wakes and counters.received != before and not search.reason:
                more = True
                continue
            if not transport.waits_for_wave:
                transport.begin_wave(self._word())
            sums = transport.wave()
            if sums is None:
                transport.rest()
            elif self._counters.hear(sums):
                return Level(sums)

    def _exchange(self) -> bool:
        """Send what is ready, take what has come; did anything move?"""
        search, transport, moved = self._search, self._transport, False
        while (parcel := search.take_parcel()) is not None:
            transport.send(*parcel, self._number)
            self._counters.sent += 1
            moved = True
        for number in transport.given_back():
            search.give_back(number)
            moved = True
        for buffer, count, sender in transport.arrivals(self._number):
            search.receive(buffer, count, sender)
            self._counters.received += 1
            moved = True
        return moved

    def _look_around(self) -> None:
        """Stop where somebody says so, and tell the others where it is this worker who stops."""
        self._next_look = monotonic() + _PAUSE
        for number in self._transport.stops():
            self._counters.received += 1
            self._search.stop(REASONS[number] if number < len(REASONS) else "interrupted")
            self._told = True
        reason = self._look()
        if reason and not self._search.reason:
            self._search.stop(reason)
        if self._search.reason and not self._told:
            self._told = True
            self._counters.sent += self._transport.send_stop(REASONS.index(self._search.reason))

    def _word(self) -> list[int]:
        """Counters first; the rest is final where the level is over."""
        self._look_around()
        states, transitions, _, queue, _, _, sent, errors = self._search.figures()
        stopped = [int(self._search.reason == reason) for reason in REASONS]
        return [*self._counters.word(), states, transitions, queue, sent, errors, *stopped, int(self._due())]
