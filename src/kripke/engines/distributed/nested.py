"""A worker of the nested search with a dependency structure (``dependency.py``): the phases, and the lasso."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from kripke._native import DistributedSearch
from kripke.engines.distributed.dependency import DependencySearch, Key, Ring, Wait, ring_of
from kripke.engines.distributed.rounds import Level
from kripke.engines.distributed.saving import as_bytes, as_text
from kripke.engines.distributed.worker import Worker

_PER_STATE = 400  # bytes of Python, about


class _Nested(DependencySearch):
    """As ``Rounds`` wants it. The states are in Python: of the search in C++ there are the steps and the owners."""

    def __init__(self, search: DistributedSearch, rank: int, size: int, buffer_bytes: int, memory: int) -> None:
        super().__init__(rank, size, lambda key: search.owner(key[:-1]), self._steps_of, buffer_bytes)
        self._search = search
        self.stop = search.stop
        self.expand = self.work
        self.transitions = 0
        self._memory = memory
        self.broken: tuple[int, int, Key] | None = None

    def _steps_of(self, key: Key) -> list[Key]:
        states, broken = self._search.steps_from(key[:-1])
        self.transitions += len(states)
        if self._memory and self.bytes() > self._memory:
            self.stop("memory")
        if broken and self.broken is None:
            self.broken = (*broken[0], key)
            self.stop("error")
        return [state + (b"\1" if marks else b"\0") for state, marks in states]

    def bytes(self) -> int:
        """Of what is remembered, about."""
        return (len(self.before) + len(self._nested_met)) * _PER_STATE

    def end_level(self) -> None:
        raise AssertionError("a nested search has no levels")

    def figures(self) -> tuple[int, ...]:
        return len(self.before), self.transitions, 0, len(self._stack), self.bytes(), 0, self.sent, 0

    @property
    def reason(self) -> str:
        return self._search.reason


class NestedWorker(Worker):
    lasso: list[Any] | None = None

    def _levels(self) -> Level:
        self.nested = _Nested(self.search, self.transport.rank, self.transport.size, self.buffer_bytes, self.job.memory)
        self.driven = self.nested
        self.rounds.turn_to(self.nested)
        states, broken = self.search.initial_steps()
        if broken:
            self.nested.broken = (*broken[0], b"")
            self.search.stop("error")
        self.nested.begin(dict.fromkeys(state + b"\0" for state, _ in states))
        while True:
            level = self.rounds.level(self.nested.work, wakes=True)
            if level.reason or self._nested_searches(level):
                return level
            own = self.nested.waits(self._gives_up)
            level.reason = next(filter(None, self.transport.exchange(self.search.reason)), "")
            if level.reason:
                return level
            waits = [
                Wait(as_bytes(waiting), as_bytes(awaited), as_bytes(seed) if seed else None)
                for part in self.transport.exchange([_written(wait) for wait in own])
                for waiting, awaited, seed in part
            ]
            if not waits:
                return level
            if self._solve(ring_of(waits), level):
                return level

    def _gives_up(self, waits: int) -> bool:
        """Beside the levels nobody looks at the limits, and who waits for whom may be more than there are states."""
        reason = self._look()
        if self.job.memory and self.nested.bytes() + waits * _PER_STATE > self.job.memory:
            reason = "memory"
        if self.job.time_limit and perf_counter() - self.start >= self.job.time_limit:
            reason = "time"
        if reason:
            self.search.stop(reason)
        return bool(reason)

    def _nested_searches(self, level: Level) -> bool:
        """One after the other, as the seeds come."""
        for text in self.transport.share([as_text(seed) for seed in self.nested.seeds]):
            if self._test(as_bytes(text), level):
                return True
        self.nested.seeds.clear()
        return False

    def _solve(self, ring: Ring, level: Level) -> bool:
        """A seed on the ring is on a cycle, which a nested search finds that nothing hides from."""
        if ring.seed is None:
            if ring.free in self.nested.structure and self.search.owner(ring.free[:-1]) == self.transport.rank:
                self.nested.let_go(ring.free)
            return False
        if not self._test(ring.seed, level, afresh=True):
            raise AssertionError("a seed on a ring is on no cycle")
        return True

    def _test(self, seed: Key, level: Level, *, afresh: bool = False) -> bool:
        self.nested.begin_nested(seed, afresh=afresh)
        done = self.rounds.level(self.nested.work_nested, wakes=True)
        level.reason = done.reason
        if level.reason:
            return True
        ends = [as_bytes(end) for end in self.transport.exchange(as_text(self.nested.closed_by or b"")) if end]
        if not ends:
            return False
        loop = self._back(ends[0], self.nested.nested_before, seed)
        stem = self._back(seed, self.nested.before, None)
        self.lasso = [[as_text(key[:-1]) for key in (*stem, *loop[1:], seed)], len(stem) - 1]
        level.reason = "error"
        return True

    def _back(self, key: Key, before: dict[Key, Any], start: Key | None) -> list[Key]:
        """The way to a state, from the start or an initial state."""
        way = [key]
        while way[-1] != start:
            here, steps = way[-1], list[str]()
            while here in before and here != start:  # as far as this worker knows
                above = before[here]
                if above is None:
                    steps.append("")
                    break
                steps.append(as_text(above))
                here = above
            told = [part for part in self.transport.exchange(steps) if part]
            if not told:
                raise AssertionError("a state that was met has no way to it")
            for text in told[0]:
                if text == "":
                    return way[::-1]
                way.append(as_bytes(text))
        return way[::-1]

    def _paths(self) -> list[Any]:
        if self.lasso is not None:
            return [["cycle", -1, -1, *self.lasso]]
        found = [one for one in self.transport.exchange(self._broken()) if one is not None]
        if not found:
            return []
        code, label, state = found[0]
        way = [as_text(key[:-1]) for key in self._back(as_bytes(state), self.nested.before, None)] if state else []
        return [["violation", code, label, way]]

    def _broken(self) -> list[Any] | None:
        if self.nested.broken is None:
            return None
        code, label, key = self.nested.broken
        return [code, label, as_text(key)]

    def _gathered(self, last: Level, reason: str, seconds: float) -> dict[str, Any] | None:
        """Without what a store would know."""
        own = self.nested
        parts = self.transport.gather([len(own.before), own.transitions, own.sent, own.broken is not None])
        answer = super()._gathered(last, reason, seconds)
        if answer is not None:
            for part, (states, transitions, sent, broken) in zip(answer["parts"], parts, strict=True):
                part |= {"states": states, "transitions": transitions, "sent": sent, "errors": int(broken)}
        return answer


def _written(wait: Wait) -> list[str | None]:
    return [as_text(wait.waiting), as_text(wait.awaited), as_text(wait.seed) if wait.seed is not None else None]
