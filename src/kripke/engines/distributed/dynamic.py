"""Classes of states that change their owners when memory is short.

F. Lerda, W. Visser, Addressing dynamic issues of program model checking, SPIN 2001, section 4, the best of their
variants: at first every worker owns every class. It searches by itself, and nothing is sent. When memory is short, all
classes get one owner each, and everybody drops the states of the others. From then on, when the memory of
one worker is short and others have more, classes move, with their states.

Here this happens between two levels: so counts are exact, runs are shortest, and nobody sends to a former owner. To
drop or to move, a worker makes a new store of the old one, level by level; while it does, both are there. So memory
counts as short when less than half of it is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from kripke._native import DistributedSearch
from kripke.engines.distributed.partition import Partition
from kripke.engines.distributed.rounds import Driven, Level, Search
from kripke.engines.distributed.saving import feeding
from kripke.engines.distributed.worker import Worker

_SHORT = 0.4  # of a worker's memory
_UNEVEN = 1.2  # the largest part by the mean one, from which on it is worth moving classes
_UNEVEN_AT_FIRST = 1.04  # while there are few states to move
_FIRST_LOOK, _LOOK_AGAIN = 20_000, 8  # states, and times as many
_PIECE = 1 << 20


class _Alike(Driven):
    """A search that others make, too: the first worker counts for all."""

    def __init__(self, search: DistributedSearch, *, counts: bool) -> None:
        super().__init__(search)
        self._counts = counts

    def figures(self) -> tuple[int, ...]:
        states, transitions, level, queue, memory, foreign, sent, errors = self.search.figures()
        if self._counts:
            return states, transitions, level, queue, memory, foreign, sent, errors
        return 0, 0, level, queue, memory, 0, sent, 0


class DynamicWorker(Worker):
    """``shared``: at first all own all, else the classes were shared out by what a sample knows (``--partition auto``).
    Then they move while there are few states: what is even in a sample need not be even in the state space."""

    closing = False
    moves = 0
    next_look = _FIRST_LOOK

    @cached_property
    def shared(self) -> bool:
        return self.job.dynamic

    def _new_search(self, job: Any, steps: str = "") -> DistributedSearch:
        if not self.shared:
            return super()._new_search(job, steps)
        usual = self.partition
        self.partition = Partition(usual.name, (self.transport.rank,) * len(usual.owners), usual.bytes)
        try:
            return super()._new_search(job, steps)
        finally:
            self.partition = usual

    def _driven(self, search: DistributedSearch) -> Search:
        return _Alike(search, counts=self.transport.rank == 0) if self.shared else search

    def _between(self, level: Level) -> str:
        # All heard the same sums, so all turn here alike.
        if self.job.dynamic:
            return self._move_classes() if level.checkpoint_due else ""
        if level.checkpoint_due or level.states < self.next_look or not level.queue:
            return ""
        self.next_look = _LOOK_AGAIN * level.states
        return self._move_classes(_UNEVEN_AT_FIRST)

    def _closing(self, level: Level) -> None:
        if not self.shared:
            return
        if level.queue:
            self.search.end_level()
        self.closing = True
        reason = self._share_out()
        level.reason = level.reason or reason

    def _look(self) -> str:
        """At the end, what limits say does not matter any more."""
        reason = super()._look()
        return "" if self.closing else reason

    def _due(self) -> bool:
        """Is memory short?"""
        return bool(self.job.memory) and self.search.figures()[4] > _SHORT * self.job.memory

    def _move_classes(self, uneven: float = _UNEVEN) -> str:
        """Why it failed, if it did."""
        if self.shared:
            return self._share_out()
        weights = [sum(column) for column in zip(*self.transport.exchange(self._weights()), strict=True)]
        owners = rebalanced(self.partition.owners, weights, self.transport.size, uneven)
        return "" if owners == self.partition.owners else self._rebuild(owners, dropping=False)

    def _share_out(self) -> str:
        """Every class gets one owner, by what the first worker has: what all have, unless they were stopped."""
        weights = self.transport.share(self._weights())
        load, owners = [0] * self.transport.size, list(self.partition.owners)
        for number in sorted(range(len(weights)), key=lambda number: -weights[number]):
            if weights[number]:
                owners[number] = load.index(min(load))
                load[owners[number]] += weights[number]
        self.shared = False
        return self._rebuild(tuple(owners), dropping=True)

    def _weights(self) -> list[int]:
        return self.search.class_weights()

    def _rebuild(self, owners: tuple[int, ...], *, dropping: bool) -> str:
        """A new search with the states of the old one, each with its owner."""
        old, levels = self.search, self.search.level + 1
        counts = not dropping or self.transport.rank == 0
        _, transitions, _, _, _, _, sent, errors = old.figures()
        self.partition = Partition(self.partition.name, owners, self.partition.bytes)
        self.moves += 1
        self.sent_before += sent
        self.found_before = [*self.found_before, *self._found()]
        self.covered = bytes(map(max, self.covered, old.covered)) if self.covered else old.covered
        new = self._new_search(self.job)
        if counts:
            new.add_transitions(transitions)
            new.add_errors(errors)
        new.begin_restoring(dropping)
        self.rounds.turn_to(new)
        reason = ""
        for number in range(levels):
            reason = self.rounds.level(feeding(new, _states(old, number))).reason
            new.end_level()
            if reason:
                break
        new.end_restoring()
        self.search = self.driven = new
        return old.reason or reason

    def _found(self) -> list[Any]:
        known = {tuple(error[:3]) for error in self.found_before}
        return [error for error in super()._found() if tuple(error[:3]) not in known]

    def _paths(self) -> list[Any]:
        every = [error for part in self.transport.exchange(self.found_before) for error in part]
        self.found_before = every
        return super()._paths()

    def _gathered(self, last: Level, reason: str, seconds: float) -> dict[str, Any] | None:
        answer = super()._gathered(last, reason, seconds)
        if answer is not None:
            answer["moves"] = self.moves
        return answer


def _states(search: DistributedSearch, level: int) -> Iterator[bytes]:
    if not search.open_level(level):
        return
    while states := search.next_states(_PIECE):
        yield states


def rebalanced(owners: Sequence[int], weights: Sequence[int], workers: int, uneven: float = _UNEVEN) -> tuple[int, ...]:
    """The owners, where the parts are even enough; else with classes of the largest parts given to the smallest."""
    new = list(owners)
    load = [0] * workers
    for number, owner in enumerate(owners):
        load[owner] += weights[number]
    mean = sum(load) / workers
    if max(load) <= uneven * mean:
        return tuple(new)
    for number in sorted(range(len(new)), key=lambda number: -weights[number]):
        giver, taker = new[number], load.index(min(load))
        # Only where both are nearer to the mean afterwards.
        if load[giver] > mean and load[taker] + weights[number] < load[giver] and weights[number]:
            load[giver] -= weights[number]
            load[taker] += weights[number]
            new[number] = taker
    return tuple(new)
