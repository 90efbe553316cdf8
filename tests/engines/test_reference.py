"""The reference engine: exact counts, limits, errors and paths."""

from __future__ import annotations

import pytest

from kripke.engines.explicit.reference import search
from kripke.engines.explicit.search import Order, Progress, SearchRequest
from tests.support.toys import Chain, Counters, Graph

ORDERS: list[Order] = ["bfs", "dfs"]


@pytest.mark.parametrize("order", ORDERS)
def test_counts_of_a_complete_search(order: Order) -> None:
    outcome = search(Counters(9), SearchRequest(order=order))
    # 100 states; 90 steps of x, 90 of y, and the initial state.
    assert (outcome.reason, outcome.states, outcome.transitions) == ("", 100, 181)
    assert outcome.complete
    assert outcome.covered == b"\1\1\0"
    assert outcome.state_bytes == 2
    assert outcome.depth == 18


def test_depth_of_the_two_orders() -> None:
    # 0 -> 1 -> 2 -> 3 and shortcuts 0 -> 3, 0 -> 2 tried afterwards.
    graph = Graph([[1, 3, 2], [2], [3], []], ends=frozenset({3}))
    assert search(graph, SearchRequest(order="bfs")).depth == 1
    assert search(graph, SearchRequest(order="dfs")).depth == 3


@pytest.mark.parametrize("order", ORDERS)
def test_several_initial_states_and_one_twice(order: Order) -> None:
    graph = Graph([[2], [2], []], ends=frozenset({2}), initial=(0, 1, 0))
    outcome = search(graph, SearchRequest(order=order))
    assert (outcome.states, outcome.transitions) == (3, 5)


def test_breadth_first_finds_a_shortest_path_to_a_deadlock() -> None:
    graph = Graph([[1, 4], [2], [3], [], [3]])
    outcome = search(graph, SearchRequest())
    assert outcome.reason == "error"
    assert [(found.kind, found.path) for found in outcome.error_paths] == [("deadlock", (b"\0", b"\4", b"\3"))]


def test_depth_first_takes_the_first_way() -> None:
    graph = Graph([[1, 4], [2], [3], [], [3]])
    outcome = search(graph, SearchRequest(order="dfs"))
    assert outcome.error_paths[0].path == (b"\0", b"\1", b"\2", b"\3")


def test_a_deadlock_is_no_error_when_it_is_not_asked_for() -> None:
    assert search(Graph([[1], []]), SearchRequest(deadlock=False)).errors == 0


@pytest.mark.parametrize("order", ORDERS)
def test_a_violation_is_found_in_the_step_from_the_last_state(order: Order) -> None:
    outcome = search(Graph([[1], [2], []], broken=frozenset({(1, 0)})), SearchRequest(order=order))
    (found,) = outcome.error_paths
    assert (found.kind, found.code, found.statement, found.path) == ("violation", 0, 0, (b"\0", b"\1"))


@pytest.mark.parametrize("order", ORDERS)
def test_a_step_that_ends_in_a_violation_leads_nowhere_and_is_no_deadlock(order: Order) -> None:
    outcome = search(Graph([[None, 1], [None]]), SearchRequest(order=order, stop_at_first=False))
    assert (outcome.reason, outcome.states, outcome.transitions, outcome.errors) == ("", 2, 2, 2)
    assert [found.kind for found in outcome.error_paths] == ["violation"]


@pytest.mark.parametrize("order", ORDERS)
def test_all_errors_are_counted_and_the_first_of_each_sort_is_kept(order: Order) -> None:
    graph = Graph([[1, 2], [3], [3], []], broken=frozenset({(0, 0), (1, 0), (2, 0)}), bad=frozenset({3}))
    outcome = search(graph, SearchRequest(order=order, stop_at_first=False, invariants=(0,)))
    assert outcome.complete
    assert outcome.errors == 5
    assert sorted(found.kind for found in outcome.error_paths) == ["deadlock", "invariant", "violation"]


@pytest.mark.parametrize("order", ORDERS)
def test_an_invariant_broken_in_the_initial_state(order: Order) -> None:
    outcome = search(Graph([[]], bad=frozenset({0})), SearchRequest(order=order, invariants=(0,)))
    assert [(found.kind, found.code, found.path) for found in outcome.error_paths] == [("invariant", 0, (b"\0",))]


@pytest.mark.parametrize("order", ORDERS)
def test_depth_limit(order: Order) -> None:
    outcome = search(Chain(10), SearchRequest(order=order, max_depth=4))
    assert (outcome.reason, outcome.states, outcome.transitions, outcome.depth) == ("depth", 5, 5, 4)


@pytest.mark.parametrize("order", ORDERS)
def test_a_depth_limit_that_keeps_nothing_out_leaves_the_search_complete(order: Order) -> None:
    outcome = search(Chain(4), SearchRequest(order=order, max_depth=4, deadlock=False))
    assert (outcome.reason, outcome.states) == ("", 5)


def test_depth_first_finds_everything_within_the_limit() -> None:
    # 3 is first met at depth 3 = limit by 0-1-2-3, then again at depth 1: its successor 4 is within the limit.
    graph = Graph([[1, 3], [2], [3], [4], []], ends=frozenset({4}))
    outcome = search(graph, SearchRequest(order="dfs", max_depth=3))
    assert (outcome.reason, outcome.states) == ("", 5)


@pytest.mark.parametrize("order", ORDERS)
def test_state_limit(order: Order) -> None:
    assert search(Counters(9), SearchRequest(order=order, max_states=10)).reason == "states"
    assert search(Counters(9), SearchRequest(order=order, max_states=10)).states == 10
    assert search(Counters(9), SearchRequest(order=order, max_states=100)).reason == ""


@pytest.mark.parametrize("order", ORDERS)
def test_time_limit(order: Order) -> None:
    outcome = search(Chain(10_000_000), SearchRequest(order=order, time_limit=0.15))
    assert outcome.reason == "time"
    assert 0.1 < outcome.seconds < 5


@pytest.mark.parametrize("order", ORDERS)
def test_memory_limit(order: Order) -> None:
    outcome = search(Chain(10_000_000), SearchRequest(order=order, memory=10_000_000))
    assert outcome.reason == "memory"


@pytest.mark.parametrize("order", ORDERS)
def test_ctrl_c_gives_a_partial_outcome(order: Order) -> None:
    def interrupt(now: Progress) -> None:
        raise KeyboardInterrupt

    outcome = search(Chain(10_000_000), SearchRequest(order=order), interrupt)
    assert outcome.reason == "interrupted"
    assert outcome.states > 100


def test_progress_comes_several_times_a_second() -> None:
    seen: list[Progress] = []
    search(Chain(10_000_000), SearchRequest(time_limit=1.0), seen.append)
    assert 4 <= len(seen) <= 11
    assert seen[0].states < seen[-1].states
    assert seen[-1].seconds <= 2


def test_depth_first_has_no_limit_of_its_own() -> None:
    outcome = search(Chain(200_000), SearchRequest(order="dfs"))
    assert outcome.depth == 200_000
    assert len(outcome.error_paths[0].path) == 200_001
