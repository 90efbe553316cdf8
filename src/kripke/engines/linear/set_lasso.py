"""A single wrong run out of sets of them: a way to what is kept by the fixpoint, and a loop inside of it.

From a member of what is kept the way goes on to an edge of every acceptance set in turn, until it closes. Where it does
not close, it has come to a component further down, which has edges of all sets as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic

from kripke.engines.linear.set_runs import S, WrongRuns
from kripke.logic.automaton import Edge


class Lasso(Generic[S]):
    """``only``: of a set that is not empty, a set of one member."""

    def __init__(self, runs: WrongRuns[S], kept: dict[int, S], only: Callable[[S], S]) -> None:
        self.runs, self.kept, self.only = runs, kept, only

    def find(self) -> tuple[list[S], int]:
        """The states of the run, each as a set; the loop goes from the one with this number to the last, which is the
        same."""
        runs, steps = self.runs, self.runs.steps
        initial = {
            state: steps.initial if state in runs.automaton.initial else steps.nothing
            for state in range(runs.automaton.states)
        }
        everything = dict.fromkeys(initial, steps.reachable)
        stem = self._shortest(initial, self.kept, everything)
        assert stem is not None
        while True:
            way = [stem[-1]]
            for number in range(runs.automaton.sets):
                edges = [edge for edge in runs.automaton.edges if edge.marks >> number & 1]
                way = self._along(way, edges)
            if len(way) == 1:  # no set asks for anything: any step will do
                way = self._along(way, runs.automaton.edges)
            back = self._shortest(self._single(way[-1]), self._single(way[0]), self.kept)
            if back is not None:
                return [one for _, one in (*stem[:-1], *way, *back[1:])], len(stem) - 1
            stem += way[1:]

    def _single(self, pair: tuple[int, S]) -> dict[int, S]:
        found = dict.fromkeys(range(self.runs.automaton.states), self.runs.steps.nothing)
        found[pair[0]] = pair[1]
        return found

    def _along(self, way: list[tuple[int, S]], edges: Sequence[Edge]) -> list[tuple[int, S]]:
        """Go on until one of the edges was taken."""
        goal = self.runs.step_back(self.kept, self.kept, list(edges))
        more = self._shortest(self._single(way[-1]), goal, self.kept)
        assert more is not None
        way = way + more[1:]
        source, here = way[-1]
        for edge in edges:
            if edge.source == source and here & self.runs.guards[edge]:
                targets = self.runs.after(here) & self.kept[edge.target]
                if targets:
                    return [*way, (edge.target, self.only(targets))]
        raise AssertionError("one of the edges was there")

    def _shortest(self, start: dict[int, S], goal: dict[int, S], within: dict[int, S]) -> list[tuple[int, S]] | None:
        layers, here = [start], start
        while True:
            met = next(((q, layers[-1][q] & goal[q]) for q in start if layers[-1][q] & goal[q]), None)
            if met is not None:
                break
            found = dict.fromkeys(start, self.runs.steps.nothing)
            for edge in self.runs.automaton.edges:
                source = layers[-1][edge.source] & self.runs.guards[edge]
                if source:
                    new = (self.runs.after(source) & within[edge.target]) - here[edge.target]
                    found[edge.target] = found[edge.target] | new
            if not any(found.values()):
                return None
            here = {state: here[state] | found[state] for state in here}
            layers.append(found)
        path = [(met[0], self.only(met[1]))]
        for layer in reversed(layers[:-1]):
            before = self.runs.step_back(self._single(path[-1]), layer, self.runs.automaton.edges)
            state = next(q for q, part in before.items() if part)
            path.append((state, self.only(before[state])))
        return path[::-1]
