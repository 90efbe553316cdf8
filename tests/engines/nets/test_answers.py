"""Random nets and formulas of every kind, answered and computed by definition; more: ``test_answers.py FROM TO``.

What is compared: reachability, invariance, bounds, deadlocks, safety, quasi-liveness, liveness, stable places and
branching time (fix-points over all markings); for linear time, random runs must not break what is said to hold. Each
net is asked with and without structural reductions.
"""

from __future__ import annotations

import random
import sys
from dataclasses import replace

import pytest

from tests.engines.nets.test_temporal_answers import random_branching, random_linear
from tests.support.random_nets import model_of, random_net, random_predicate

pytest.importorskip("kripke._native")
from kripke.engines.nets.formulas.answers import QueryAnswerer
from kripke.engines.nets.formulas.examinations import examine
from kripke.logic.ctl import And, Not, Or
from kripke.logic.lasso import Lasso, holds
from kripke.nets import predicates
from kripke.nets.formulas import (
    AllPaths,
    Bound,
    Finally,
    Formula,
    Globally,
    Next,
    Now,
    Query,
    SomePath,
    Until,
)
from kripke.nets.place_transition import PlaceTransitionNet
from kripke.nets.translation import atom_names, linear_formula

FEWEST, MOST = 5, 300  # markings of a net


class Graph:
    """All markings of a net by its definition."""

    def __init__(self, net: PlaceTransitionNet) -> None:
        self.net = net
        self.markings = [tuple(net.initial)]
        self.steps: list[list[int]] = []
        self.fired: set[tuple[int, int]] = set()
        numbers = {self.markings[0]: 0}
        for at, marking in enumerate(self.markings):  # the list grows while we walk along it
            self.steps.append([])
            for number, transition in enumerate(net.transitions):
                if all(marking[arc.place] >= arc.weight for arc in transition.preset):
                    after = list(marking)
                    for arc in transition.preset:
                        after[arc.place] -= arc.weight
                    for arc in transition.postset:
                        after[arc.place] += arc.weight
                    self.fired.add((at, number))
                    target = tuple(after)
                    if target not in numbers:
                        numbers[target] = len(self.markings)
                        self.markings.append(target)
                    self.steps[at].append(numbers[target])
            if len(self.markings) > MOST:
                raise ValueError("too many")
        self.all = frozenset(range(len(self.markings)))

    def where(self, formula: Formula) -> frozenset[int]:
        """The markings that satisfy a formula of branching time. A run ends only where nothing is enabled."""
        match formula:
            case Now(predicate):
                return frozenset(n for n in self.all if predicates.holds(predicate, self.net, self.markings[n]))
            case Not(operand):
                return self.all - self.where(operand)
            case And(operands):
                return self.all.intersection(*map(self.where, operands))
            case Or(operands):
                return frozenset().union(*map(self.where, operands))
            case SomePath(Next(operand)):
                return self._some(self.where(operand))
            case AllPaths(Next(operand)):
                return self.all - self._some(self.all - self.where(operand))
            case SomePath(Finally(operand)):
                return self._until(self.all, self.where(operand))
            case AllPaths(Globally(operand)):
                return self.all - self._until(self.all, self.all - self.where(operand))
            case SomePath(Globally(operand)):
                return self._always(self.where(operand))
            case AllPaths(Finally(operand)):
                return self.all - self._always(self.all - self.where(operand))
            case SomePath(Until(before, reached)):
                return self._until(self.where(before), self.where(reached))
            case AllPaths(Until(before, reached)):
                first, last = self.where(before), self.where(reached)
                without = self.all - last
                return self.all - self._until(without, without - first) - self._always(without)
            case _:
                raise TypeError(formula)

    def _some(self, goal: frozenset[int]) -> frozenset[int]:
        return frozenset(n for n in self.all if any(target in goal for target in self.steps[n]))

    def _until(self, before: frozenset[int], reached: frozenset[int]) -> frozenset[int]:
        while more := {n for n in before - reached if any(target in reached for target in self.steps[n])}:
            reached |= more
        return reached

    def _always(self, good: frozenset[int]) -> frozenset[int]:
        while bad := {n for n in good if self.steps[n] and not any(target in good for target in self.steps[n])}:
            good -= bad
        return good

    def named(self) -> dict[str, bool]:
        net = self.net
        live_everywhere = all(
            self._until(self.all, frozenset(n for n, t in self.fired if t == number)) == self.all
            for number in range(len(net.transitions))
        )
        return {
            "ReachabilityDeadlock": any(not steps for steps in self.steps),
            "OneSafe": all(max(marking) <= 1 for marking in self.markings),
            "QuasiLiveness": {t for _, t in self.fired} == set(range(len(net.transitions))),
            "Liveness": live_everywhere,
            "StableMarking": any(
                all(marking[place] == net.initial[place] for marking in self.markings)
                for place in range(len(net.places))
            ),
        }

    def run(self, source: random.Random) -> tuple[list[int], int]:
        """A random run: markings, and where its loop begins; the last marking stays where nothing is enabled."""
        path = [0]
        while self.steps[path[-1]]:
            following = source.choice(self.steps[path[-1]])
            if following in path and source.random() < 0.7:
                return path, path.index(following)
            path.append(following)
            if len(path) > 4 * len(self.all):
                return path[: len(path) - path[-2::-1].index(path[-1]) - 1], path.index(path[-1])
        return path, len(path) - 1


def compare(seed: int) -> int:
    """How many answers were compared."""
    net = random_net(seed)
    try:
        graph = Graph(net)
    except ValueError:
        return 0
    if len(graph.markings) < FEWEST:
        return 0
    source = random.Random(seed)
    count = 0
    queries = []
    for number in range(4):
        predicate = random_predicate(net, source.randrange(1 << 30))
        queries.append(Query(f"reach {number}", SomePath(Finally(Now(predicate)))))
        queries.append(Query(f"always {number}", AllPaths(Globally(Now(predicate)))))
        queries.append(Query(f"branching {number}", random_branching(net, source, 1 + number % 3)))
    chosen = source.sample(range(len(net.places)), source.randint(1, len(net.places)))
    bound = Query("bound", Bound(tuple(sorted(chosen))))
    most = max(sum(marking[place] for place in chosen) for marking in graph.markings)
    linear = [Query(f"linear {number}", AllPaths(random_linear(net, source, 2))) for number in range(2)]
    for reduce in (True, False):
        answerer = replace(QueryAnswerer(model_of(net)), reduce=reduce)
        for query, answer in zip(queries, answerer.answer(queries), strict=True):
            right = 0 in graph.where(query.formula)
            assert answer.value is right, (seed, reduce, query, answer.value, right)
        assert answerer.answer([bound])[0].value == most, (seed, reduce, bound)
        for query, answer in zip(linear, answerer.answer(linear), strict=True):
            if answer.value:
                refute(graph, query, source, seed)
        for name, right in graph.named().items():
            found = examine(replace(QueryAnswerer(model_of(net)), reduce=reduce), name).value
            assert found is right, (seed, reduce, name, found, right)
        count += len(queries) + 1 + len(linear) + 5
    return count


def refute(graph: Graph, query: Query, source: random.Random, seed: int) -> None:
    assert isinstance(query.formula, AllPaths)
    names = atom_names([query])
    formula = linear_formula(query.formula.operand, names)
    for _ in range(60):
        path, loop = graph.run(source)
        letters = tuple(
            sum(predicates.holds(p, graph.net, graph.markings[n]) << i for i, p in enumerate(names)) for n in path
        )
        assert holds(formula, Lasso(letters, loop), list(names.values())), (seed, query, path, loop)


@pytest.mark.parametrize("seed", [152, 163])
def test_random_nets(seed: int) -> None:
    assert compare(seed)


if __name__ == "__main__":
    seeds = range(*map(int, sys.argv[1:3]))
    print(f"{sum(map(compare, seeds)):,} answers about random nets {seeds.start} to {seeds.stop}: none wrong")
