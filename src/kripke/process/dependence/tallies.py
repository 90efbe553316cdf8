"""What processes have added to a variable, told by what each has for itself: where it is does not always tell.

``pc[_pid] == busy -> pc[_pid] = done; left--`` in a loop adds at one place what it has or has not added before; but
``pc[_pid]``, which nobody else looks at, says whether it has. A *tally* is a variable to which constants are added and
nothing else is done (``counters.py``). While pairs are found, every view of a process is given the share that its steps
have added up to; if that is not the same for all views with the same own part (``Views.own``), there is no tally.

The sum of what all processes have added is known only with the shares that the others may have. They are assumed, and
if more come up, the pairs are found again with those: in the end none has come up that was not assumed. Take any run:
as long as the views of all states so far go together, every share in the next state is among those that came up, so
the sum comes out, and the pairs of the next state are let in. A process that has ended is looked at as if it
were still there; so no process must come after the first state, who could be given its number.
"""

from __future__ import annotations

from dataclasses import dataclass

from kripke.process.dependence.counters import counted, counters_of
from kripke.process.dependence.views import Views
from kripke.process.expressions import IntType

#: shares of one process, and how often the pairs are found
MOST_SHARES = 16
MOST_ROUNDS = 4


class NoTally(Exception):
    """Of one that was thought to be one. ``at``: where it is."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


@dataclass(slots=True)
class Tally:
    """``assumed`` and ``shares`` are lists by process: what it may have added, and, by its own part, what it has."""

    at: int
    type: IntType
    assumed: list[frozenset[int]]
    shares: list[dict[bytes, int]]

    @property
    def modulus(self) -> int:
        return 1 << self.type.bits

    def anew(self) -> Tally:
        """With the same assumptions."""
        return Tally(self.at, self.type, self.assumed, [{} for _ in self.shares])

    def begin(self, views: Views, pid: int, view: int) -> None:
        self.shares[pid][views.own(pid, view)] = 0

    def share(self, views: Views, pid: int, view: int) -> int:
        return self.shares[pid][views.own(pid, view)]

    def follow(self, views: Views, pid: int, view: int, target: int) -> None:
        """A step from one view to another."""
        before, after = (views.value(pid, one, self.at, self.type) for one in (view, target))
        added = 0 if before is None or after is None else after - before
        share = (self.share(views, pid, view) + added) % self.modulus
        known = self.shares[pid].setdefault(views.own(pid, target), share)
        if known != share:
            raise NoTally(self.at)

    def come_up(self) -> list[frozenset[int]]:
        """The shares that processes have."""
        found = [frozenset(shares.values()) for shares in self.shares]
        if any(len(shares) > MOST_SHARES for shares in found):
            raise NoTally(self.at)
        return found


def tallies_of(views: Views) -> list[Tally]:
    """Those that may be some, with nothing added yet; none where there is no telling who ends."""
    if views.creates or views.meets:
        return []
    counters = {counter.at for counter in counters_of(views.program)}
    nothing = [frozenset((0,)) for _ in views.processes]
    places = [place for place in counted(views.program) if place.variable.offset not in counters]
    return [Tally(p.variable.offset, p.type, list(nothing), [{} for _ in nothing]) for p in places]


def assuming_more(tallies: list[Tally]) -> list[Tally] | None:
    """The same with all shares that have come up; None where all of them were assumed."""
    found = [tally.come_up() for tally in tallies]
    if all(
        more <= known
        for tally, up in zip(tallies, found, strict=True)
        for more, known in zip(up, tally.assumed, strict=True)
    ):
        return None
    return [
        Tally(t.at, t.type, [more | known for more, known in zip(up, t.assumed, strict=True)], [{} for _ in up])
        for t, up in zip(tallies, found, strict=True)
    ]
