"""Cycles with all marks, by all workers together: OWCTY on the graph that a numbered search leaves behind.

native/distributed/cycle_graph.h has the algorithm and why it is right. Here its phases follow each other: between two
of them all workers know how many states are left. It is also run on the way, whenever there are four times as many
states as the last time: a cycle in a part of the state space is a cycle. Every cycle has a step that does not lead to a
new level (J. Barnat, L. Brim, J. Chaloupka, ASE 2003): as long as there are none, there is nothing to look for.
"""

from __future__ import annotations

from typing import Any

from kripke._native import DistributedSearch
from kripke.engines.distributed.job import Job
from kripke.engines.distributed.rounds import Driven, Level
from kripke.engines.distributed.saving import as_text
from kripke.engines.distributed.worker import Retrace, Worker

_FIRST_LOOK = 10_000  # states
_LOOK_AGAIN = 4  # times as many
MOST_SETS = 4  # marks; more of them are made one


class _Graph(Driven):
    """The graph beside a search."""

    def __init__(self, search: DistributedSearch) -> None:
        super().__init__(search)
        self.expand = search.graph_step
        self.receive = search.graph_receive
        self.flush = search.graph_flush
        self.crowded = search.graph_crowded
        self.take_parcel = search.graph_take_parcel
        self.give_back = search.graph_give_back

    def figures(self) -> tuple[int, ...]:
        """With the states that are left in the place of all."""
        search = self.search
        _, transitions, level, _, memory, foreign, _, errors = search.figures()
        return search.graph_live, transitions, level, search.graph_queue, memory, foreign, search.graph_sent, errors


class CycleWorker(Worker):
    """A worker that looks for a cycle of the product with all marks."""

    lasso: list[Any] | None = None
    rounds_of_phases = 0
    looked = _FIRST_LOOK // _LOOK_AGAIN  # states at the last look

    def _new_search(self, job: Job, steps: str = "graph") -> DistributedSearch:
        return super()._new_search(job, steps)

    @property
    def _marks(self) -> int:
        return max(1, self.job.sets)

    def _before(self, level: Level) -> None:
        self.search.graph_begin_level(self.search.figures()[0])

    def _behind(self, level: Level) -> None:
        if level.states >= _LOOK_AGAIN * self.looked and level.queue and not level.reason:
            self.looked = level.states
            if self._may_have_cycles():
                self._look_for_cycle(level)

    def _closing(self, level: Level) -> None:
        if not level.reason:
            self._look_for_cycle(level)

    def _may_have_cycles(self) -> bool:
        known = self.transport.exchange([self.search.graph_back_steps, self.search.graph_marked_steps])
        return any(back for back, _ in known) and any(marked for _, marked in known)

    def _look_for_cycle(self, level: Level) -> None:
        """Sets ``lasso`` and the level's reason where there is one, or there was no memory or time to know."""
        graph = _Graph(self.search)
        self.rounds.turn_to(graph)
        try:
            found = self._catch_them_young(graph, level)
            if found:
                self.lasso = self._make_lasso(graph)
                level.reason = "error"
        finally:
            self.rounds.turn_to(self.search)

    def _catch_them_young(self, graph: _Graph, level: Level) -> bool:
        def phase() -> int:
            """The states that are left."""
            self.rounds_of_phases += 1
            done = self.rounds.level(graph.expand, wakes=True)
            level.reason = done.reason
            return 0 if done.reason else done.states

        self.search.graph_begin()
        left = phase()
        while left:
            before = left
            for mark in range(self._marks):
                self.search.graph_begin_reach(mark, False)
                phase()
                self.search.graph_begin_drop()
                left = phase()
                if not left:
                    return False
            if left == before:
                return True
        return False

    def _make_lasso(self, graph: _Graph) -> list[Any]:
        """The path and where its loop begins; an empty path where there was no memory for one."""
        for mark in range(self._marks):
            self.search.graph_begin_reach(mark, True)
            if self.rounds.level(graph.expand, wakes=True).reason:
                return [[], None]
        cycle = self._cycle()
        known = self._states_of(cycle)
        if not known:
            return [[], None]
        # The way to the state that is nearest to the beginning; from there round the loop.
        entry = min(range(len(cycle) - 1), key=lambda place: known[cycle[place]][1])
        turned = [*cycle[entry:-1], *cycle[:entry], cycle[entry]]
        state, depth = known[cycle[entry]]
        (stem,) = Retrace(self).paths([(state, depth)])
        if not stem:
            return [[], None]
        return [[*stem, *(known[number][0] for number in turned[1:])], len(stem) - 1]

    def _cycle(self) -> list[int]:
        """Numbers of states; the last is the first again. From mark to mark, until one is where one was before."""
        size, rank = self.transport.size, self.transport.rank
        first = min(number for number in self.transport.exchange(self.search.graph_any()) if number is not None)
        path, seen, mark = [first], dict[int, int](), 0
        while True:
            if mark == 0:
                if path[-1] in seen:
                    return path[seen[path[-1]] :]
                seen[path[-1]] = len(path) - 1
            through = False
            while not through:
                own = path[-1] % size == rank
                answers = self.transport.exchange(self.search.graph_follow(mark, path[-1]) if own else None)
                numbers, through = answers[path[-1] % size]
                if not numbers:
                    raise AssertionError("a state that is left has no way to a marked step")
                path += numbers
            mark = (mark + 1) % self._marks

    def _states_of(self, numbers: list[int]) -> dict[int, tuple[str, int]]:
        """Each with its level."""
        size, rank = self.transport.size, self.transport.rank
        own = sorted({number for number in numbers if number % size == rank})
        read = self.search.read_states([number // size for number in own])
        told = [[number, as_text(state), level] for number, (state, level) in zip(own, read, strict=True)]
        return {number: (state, level) for part in self.transport.exchange(told) for number, state, level in part}

    def _paths(self) -> list[Any]:
        if self.lasso is None:
            return super()._paths()
        return [["cycle", -1, -1, *self.lasso]]

    def _gathered(self, last: Level, reason: str, seconds: float) -> dict[str, Any] | None:
        answer = super()._gathered(last, reason, seconds)
        if answer is not None:
            answer["phases"] = self.rounds_of_phases
        return answer
