"""Directed searches of small models against the plainest possible answers.

``check_estimates``: from every state, an estimate that is called a bound is no more than the steps that are needed.
``check_searches``: every directed search finds an error where there is one, those that promise it by a shortest run;
without an error it sees every state. Where there is a compiled form, both engines do exactly the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from kripke.engines.directed.guidance import Guidance
from kripke.engines.explicit import reference
from kripke.engines.explicit.prepare import prepare
from kripke.engines.explicit.search import ErrorPath, Order, SearchRequest
from kripke.model.capabilities.estimate import UNREACHABLE, Estimate, Estimator, Goal
from kripke.model.model import Model

FAR = 1 << 40
MOST_STEPS = 300


class Graph:
    """All states of a model, if there are at most ``most``, and few steps from each.

    (An atomic sequence that can go on for ever in two ways has as many steps as memory has room for.)
    """

    def __init__(self, model: Model, most: int) -> None:
        self.model = model
        self.steps = {}
        waiting = deque(model.initial())
        self.found = set(waiting)
        self.too_large = False
        while waiting:
            state = waiting.popleft()
            steps = self.steps[state] = list(islice(model.distinct_successors(state), MOST_STEPS))
            broken = {model.violation_kinds[code].name for step in steps for code, _ in step.violations}
            self.too_large = len(steps) == MOST_STEPS or "endless" in broken
            for step in steps:
                if step.target is not None and step.target not in self.found:
                    self.found.add(step.target)
                    waiting.append(step.target)
            self.too_large = self.too_large or len(self.found) > most
            if self.too_large:
                return

    def distances(self, goal: Goal) -> dict[bytes, int]:
        """From every state the steps to the goal, the failing one included."""
        model = self.model
        aimed = aims(model)
        far = dict.fromkeys(self.steps, FAR)
        for state, steps in self.steps.items():
            truth = model.atom_values(state)
            cubes = any(
                all(truth[i] for i in range(len(truth)) if positive >> i & 1)
                and not any(truth[i] for i in range(len(truth)) if negative >> i & 1)
                for positive, negative in goal.cubes
            )
            stuck = goal.deadlock and not steps and not model.valid_end(state)
            if stuck or cubes or any(not truth[atom] for atom in goal.broken):
                far[state] = 0
            elif goal.assertion and any(code in aimed for step in steps for code, _ in step.violations):
                far[state] = 1
        before: dict[bytes, list[bytes]] = {state: [] for state in self.steps}
        for state, steps in self.steps.items():
            for step in steps:
                if step.target is not None:
                    before[step.target].append(state)
        waiting = sorted((state for state in far if far[state] < FAR), key=far.__getitem__)
        queue = deque(waiting)
        while queue:
            state = queue.popleft()
            for source in before[state]:
                if far[source] > far[state] + 1:
                    far[source] = far[state] + 1
                    queue.append(source)
        return far


def aims(model: Model) -> set[int]:
    """The violations that a goal is about: assertions; where a language has none, all."""
    names = [kind.name for kind in model.violation_kinds]
    return {code for code, name in enumerate(names) if name == "assertion" or "assertion" not in names}


def estimators(model: Model, goal: Goal) -> Iterator[Estimator]:
    known = model.capability(Estimate)
    assert known is not None
    for way in ("bound", "formula"):
        found = known.estimator(goal, way)
        if not isinstance(found, str):
            yield found


def check_estimates(graph: Graph, goal: Goal) -> int:
    """How many were compared."""
    compared = 0
    far = graph.distances(goal)
    for estimator in estimators(graph.model, goal):
        for state, steps in far.items():
            estimate = estimator.steps(state)
            assert estimate >= 0
            if estimate >= UNREACHABLE and estimator.known.admissible:
                assert steps == FAR, (state, estimator.known)
            if estimator.known.admissible:
                compared += 1
                assert min(estimate, UNREACHABLE) <= steps, (state, estimate, steps, estimator.known)
    return compared


def length(error: ErrorPath) -> int:
    return len(error.path) - 1 + (error.kind == "violation")


def check_searches(graph: Graph, goal: Goal, *, natively: bool) -> None:
    model = graph.model
    request = SearchRequest(deadlock=goal.deadlock, invariants=goal.broken)
    first = reference.search(model, request)
    # A run-time error is no goal: then only that something is found is known.
    aimed = aims(model) if goal.assertion else set()
    runtime = any(code not in aimed for steps in graph.steps.values() for step in steps for code, _ in step.violations)
    shortest = min((graph.distances(goal)[state] for state in model.initial()), default=FAR)
    guided = list(estimators(model, goal))
    for order, guidance, promises in ways(guided):
        asked = replace(request, order=order, guidance=guidance)
        outcome = reference.search(model, asked)
        assert bool(outcome.error_paths) == bool(first.error_paths), (order, guidance)
        if not outcome.error_paths:
            assert (outcome.reason, outcome.states) == ("", len(graph.found)), (order, guidance)
        elif promises and not runtime:
            assert length(outcome.error_paths[0]) == shortest, (order, guidance)
        if natively:
            engine = prepare(model, "native", estimators=guidance.estimators)
            other = engine.search(model, asked, None)
            assert (other.reason, other.states, other.transitions, other.errors, other.expansions) == (
                outcome.reason,
                outcome.states,
                outcome.transitions,
                outcome.errors,
                outcome.expansions,
            ), (order, guidance)
            assert [(e.kind, e.code, len(e.path)) for e in other.error_paths] == [
                (e.kind, e.code, len(e.path)) for e in outcome.error_paths
            ]


def ways(guided: list[Estimator]) -> Iterator[tuple[Order, Guidance, bool]]:
    """Searches, and whether each promises a shortest run."""
    for newest in (True, False):
        yield "directed-bfs", Guidance(1, 0, newest), True
        yield "astar", Guidance(newest=newest, active=True), False
        yield "best-first", Guidance(0, 1, newest, active=True), False
        for one in guided:
            yield "astar", Guidance(newest=newest, estimators=(one,)), one.known.admissible
            yield "astar", Guidance(1000, 1500, newest, estimators=(one,)), False
            yield "best-first", Guidance(0, 1, newest, estimators=(one,)), False
    yield "directed-dfs", Guidance(0, 0), False
    yield "ida", Guidance(1, 1), True
    for one in guided:
        yield "ida", Guidance(estimators=(one,)), one.known.admissible
