"""Violations, deadlocks and invariants, with the exact way to them."""

from itertools import pairwise

import pytest

from kripke.engines.explicit.native import search
from kripke.engines.explicit.search import ErrorPath, SearchRequest

ORDERS = pytest.mark.parametrize("order", ["bfs", "dfs"])


@pytest.fixture
def run(open_graph):
    return lambda graph, **options: search(open_graph(graph), SearchRequest(**options))


@pytest.fixture
def diamond(graph_type):
    """0 leads to 3 over 1 and 2 the long way, and directly; 3 has no step and is no valid end."""
    return graph_type({0: [(1, 0), (3, 1)], 1: [(2, 2)], 2: [(3, 3)]})


def test_breadth_first_finds_a_shortest_path(run, diamond):
    result = run(diamond)
    assert result.error_paths == (ErrorPath("deadlock", -1, -1, diamond.path(0, 3)),)
    assert (result.complete, result.reason, result.errors) == (False, "error", 1)


def test_depth_first_takes_the_first_branch(run, diamond):
    result = run(diamond, order="dfs")
    assert result.error_paths == (ErrorPath("deadlock", -1, -1, diamond.path(0, 1, 2, 3)),)
    assert result.depth == 3


@ORDERS
def test_deadlocks_can_be_allowed(run, diamond, order):
    result = run(diamond, order=order, deadlock=False)
    assert result.complete and result.errors == 0 and result.states == 4 and result.transitions == 5


@ORDERS
def test_a_valid_end_is_no_deadlock(run, graph_type, order):
    assert run(graph_type({0: [(1, 0)]}, ends=[1]), order=order).errors == 0


@ORDERS
def test_a_deadlock_may_be_initial(run, graph_type, order):
    graph = graph_type({}, initial=(4, 5), ends=[4])
    assert run(graph, order=order).error_paths == (ErrorPath("deadlock", -1, -1, graph.path(5)),)


@ORDERS
def test_a_violation_ends_at_the_source_of_its_step(run, graph_type, order):
    graph = graph_type({0: [(1, 0)], 1: [(0, 0)]}, reports={1: [(3, 5)]})
    result = run(graph, order=order)
    assert result.error_paths == (ErrorPath("violation", 3, 5, graph.path(0, 1)),)


@ORDERS
def test_a_state_that_only_reports_is_no_deadlock(run, graph_type, order):
    graph = graph_type({0: [(1, 0)]}, reports={1: [(0, 2)]})
    result = run(graph, order=order, stop_at_first=False)
    assert [finding.kind for finding in result.error_paths] == ["violation"]
    assert result.complete and result.errors == 1


@ORDERS
@pytest.mark.parametrize("atom", [0, 63, 64, 69])
def test_an_invariant_ends_at_the_bad_state(run, graph_type, order, atom):
    graph = graph_type({0: [(1, 0)], 1: [(2, 0)], 2: [(0, 0)]}, false={2: [atom]})
    result = run(graph, order=order, invariants=(5, atom))
    assert result.error_paths == (ErrorPath("invariant", atom, -1, graph.path(0, 1, 2)),)


@ORDERS
def test_an_invariant_broken_at_once(run, graph_type, order):
    graph = graph_type({0: [(0, 0)]}, false={0: [1]})
    assert run(graph, order=order, invariants=(1,)).error_paths == (ErrorPath("invariant", 1, -1, graph.path(0)),)


@ORDERS
def test_atoms_nobody_asked_for_are_not_invariants(run, graph_type, order):
    assert run(graph_type({0: [(0, 0)]}, false={0: [1]}), order=order, invariants=(2,)).complete


@ORDERS
def test_all_errors_are_counted_and_the_first_of_each_is_kept(run, graph_type, order):
    graph = graph_type(
        {0: [(1, 0), (2, 0)], 1: [(3, 0)], 2: [(4, 0)]},
        reports={1: [(0, 1), (0, 1)], 2: [(0, 1), (0, 2)]},
        false={1: [7, 68], 2: [7]},
    )
    result = run(graph, order=order, invariants=(7, 68), stop_at_first=False)
    assert result.complete and result.reason == ""
    assert result.errors == 3 + 4 + 2  # invariants, violations, deadlocks
    assert set(result.error_paths) == {
        ErrorPath("invariant", 7, -1, graph.path(0, 1)),
        ErrorPath("invariant", 68, -1, graph.path(0, 1)),
        ErrorPath("violation", 0, 1, graph.path(0, 1)),
        ErrorPath("violation", 0, 2, graph.path(0, 2)),
        ErrorPath("deadlock", -1, -1, graph.path(0, 1, 3)),
    }


def test_at_most_a_hundred_findings_are_kept(run, graph_type):
    edges = {node: [(node + 1, 0)] for node in range(63)}
    reports = {node: [(code, label) for code in range(8) for label in range(8)] for node in range(63)}
    false = {node: range(70) for node in range(63)}
    result = run(graph_type(edges, reports=reports, false=false), invariants=tuple(range(70)), stop_at_first=False)
    assert result.errors == 63 * (64 + 70) + 1
    assert len(result.error_paths) == 100


def test_a_far_corner(build):
    """The shortest way of all, found again over 45 layers."""
    result = search(build("grid", SIDE=30, DIMENSIONS=3), SearchRequest(invariants=(0, 1)))
    (finding,) = result.error_paths
    assert (finding.kind, finding.code) == ("invariant", 0)
    assert len(finding.path) == 46
    assert finding.path[0] == bytes(6) and finding.path[-1] == b"\x0f\0" * 3
    model = build("grid", SIDE=30, DIMENSIONS=3)
    for source, target in pairwise(finding.path):
        assert target in [state for state, _ in model.successors(source)[0]]


@ORDERS
def test_a_million_states_of_trace(build, order):
    result = search(build("chain", LENGTH=1_000_000, DEADLOCK=1), SearchRequest(order=order))
    (finding,) = result.error_paths
    assert finding.kind == "deadlock"
    assert [int.from_bytes(state, "little") for state in finding.path] == list(range(1_000_000))
