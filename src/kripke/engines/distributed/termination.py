"""When is a level of a distributed search over? Mattern's four counters.

A worker is *active* while it has states to expand; it is *passive* when it has none, and everything it had to send was
handed to the transport. A message that comes in may make it active again. A level is over when all are passive and no
message is under way. Nobody can see that at one moment.

So there are *waves*. In a wave every worker, at a moment of its own while it is passive, says how many messages it has
sent and received since the beginning; the sums become known to all. The next wave begins when all know the sums of the
one before. Let S1, R1 be the sums of a wave and S2, R2 those of the next. The level is over when R1 = S2.

Proof (F. Mattern, Algorithms for distributed termination detection, Distributed Computing 2, 1987, section 6). Let t be
a moment between the two waves: all have spoken in the first, nobody in the second. Counters never go down, and nothing
is received before it is sent, so with S(t) and R(t) for the sums at t

    R1 <= R(t) <= S(t) <= S2.

Where R1 = S2, all four are equal. From S(t) = R(t) it follows that no message is under way at t. From R1 = R(t) it
follows that nobody has received anything between its word in the first wave and t. Everybody was passive when it gave
its word, and only a message makes a worker active: so all are passive at t, with nothing under way, and stay so. What a
worker says in the second wave beside the counters is said after t, and therefore final.

The condition "while it is passive" matters: a worker that speaks with work left has sent less than it will, and the
sums may agree although states are left to expand. ``examples/promela/termination.pml`` is a model of this protocol,
with that mistake as an option.
"""

from __future__ import annotations

from collections.abc import Sequence


class FourCounters:
    """One worker's part of it. ``sent`` and ``received`` are counted by whoever moves messages."""

    def __init__(self) -> None:
        self.sent = 0
        self.received = 0
        self._received_before: int | None = None  # the sum of the wave before

    def begin(self) -> None:
        """A level begins: waves of the one before do not count."""
        self._received_before = None

    def word(self) -> tuple[int, int]:
        """What to say in a wave, when passive."""
        return self.sent, self.received

    def hear(self, sums: Sequence[int]) -> bool:
        """The sums of a wave, sent and received first: is the level over?"""
        sent, received = sums[0], sums[1]
        over = self._received_before == sent
        self._received_before = received
        return over
