"""What one run of one checker on one model gave, and the best of several such runs."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Measurement:
    """`seconds` is the search alone as the checker itself reports it, `wall` everything from prompt to verdict."""

    states: int
    transitions: int
    seconds: float
    wall: float
    peak_bytes: int

    @property
    def states_per_second(self) -> float:
        return self.states / self.seconds

    @property
    def seconds_per_state(self) -> float:
        return self.seconds / self.states

    @property
    def bytes_per_state(self) -> float:
        return self.peak_bytes / self.states


def best_of(runs: Sequence[Measurement]) -> Measurement:
    """The least time and memory of each: whatever else runs on the machine can only add to them.

    The counts must be the same in every run.
    """
    first = runs[0]
    if any((run.states, run.transitions) != (first.states, first.transitions) for run in runs):
        raise ValueError("repeated runs of one checker on one model gave different counts")
    return Measurement(
        states=first.states,
        transitions=first.transitions,
        seconds=min(run.seconds for run in runs),
        wall=min(run.wall for run in runs),
        peak_bytes=min(run.peak_bytes for run in runs),
    )
