"""The reference engine against the plainest possible search, on random graphs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kripke.engines.explicit.reference import search
from kripke.engines.explicit.search import Order, SearchRequest
from tests.support.toys import Graph


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    size = draw(st.integers(1, 12))
    targets = st.one_of(st.integers(0, size - 1), st.integers(0, size - 1), st.none())
    steps = draw(st.lists(st.lists(targets, max_size=3), min_size=size, max_size=size))
    places = st.tuples(st.integers(0, size - 1), st.integers(0, 2))
    return Graph(
        steps,
        broken=draw(st.frozensets(places, max_size=3)),
        ends=draw(st.frozensets(st.integers(0, size - 1))),
        bad=draw(st.frozensets(st.integers(0, size - 1), max_size=3)),
        initial=draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=3)),
    )


def distances(graph: Graph) -> dict[int, int]:
    """How far every reachable state is: by rounds, until nothing changes."""
    found = dict.fromkeys(graph.starts, 0)
    while True:
        new = {
            target: distance + 1
            for state, distance in found.items()
            for target in graph.steps[state]
            if target is not None and target not in found
        }
        if not new:
            return found
        found |= new


def count_errors(graph: Graph, states: set[int]) -> int:
    errors = len([state for state in states if state in graph.bad])
    for state in states:
        errors += len(
            [0 for step, target in enumerate(graph.steps[state]) if target is None or (state, step) in graph.broken]
        )
        errors += not graph.steps[state] and state not in graph.ends
    return errors


@given(graphs(), st.sampled_from(["bfs", "dfs"]))
def test_counts_and_errors(graph: Graph, order: Order) -> None:
    reachable = set(distances(graph))
    edges = sum(target is not None for state in reachable for target in graph.steps[state])
    outcome = search(graph, SearchRequest(order=order, stop_at_first=False, invariants=(0,)))
    assert outcome.reason == ""
    assert outcome.states == len(reachable)
    assert outcome.transitions == edges + len(graph.starts)
    assert outcome.errors == count_errors(graph, reachable)
    covered = {step for state in reachable for step in range(len(graph.steps[state]))}
    assert outcome.covered == bytes(step in covered for step in range(len(graph.statements)))


@given(graphs(), st.sampled_from(["bfs", "dfs"]), st.integers(1, 6))
def test_depth_limit(graph: Graph, order: Order, limit: int) -> None:
    within = {state for state, distance in distances(graph).items() if distance <= limit}
    leaves = any(target is not None and target not in within for state in within for target in graph.steps[state])
    outcome = search(graph, SearchRequest(order=order, stop_at_first=False, invariants=(0,), max_depth=limit))
    assert outcome.states == len(within)
    assert outcome.reason == ("depth" if leaves else "")
    assert outcome.errors == count_errors(graph, within)


@given(graphs())
def test_breadth_first_depth_and_shortest_paths(graph: Graph) -> None:
    far = distances(graph)
    outcome = search(graph, SearchRequest(stop_at_first=False, invariants=(0,)))
    assert outcome.depth == max(far.values())
    for found in outcome.error_paths:
        assert len(found.path) - 1 == far[found.path[-1][0]]


@given(graphs(), st.sampled_from(["bfs", "dfs"]))
def test_the_first_error_ends_the_search(graph: Graph, order: Order) -> None:
    outcome = search(graph, SearchRequest(order=order, invariants=(0,)))
    errors = count_errors(graph, set(distances(graph)))
    assert (outcome.reason, outcome.errors) == (("error", 1) if errors else ("", 0))
