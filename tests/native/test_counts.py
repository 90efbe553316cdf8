"""How many states, transitions and layers: exactly, in either order."""

import pytest

from kripke.engines.explicit.native import search
from kripke.engines.explicit.search import SearchRequest

ORDERS = pytest.mark.parametrize("order", ["bfs", "dfs"])


@ORDERS
@pytest.mark.parametrize(("side", "dimensions"), [(1, 1), (2, 1), (10, 3), (50, 3), (7, 6)])
def test_grid(build, order, side, dimensions):
    result = search(build("grid", SIDE=side, DIMENSIONS=dimensions), SearchRequest(order=order))
    assert result.complete and result.reason == "" and result.errors == 0
    assert result.states == side**dimensions
    assert result.transitions == 2 * dimensions * result.states + 1
    assert result.queue == 0
    assert result.covered == bytes([1]) * (2 * dimensions)
    if order == "bfs":
        assert result.depth == dimensions * (side // 2)


@ORDERS
@pytest.mark.parametrize("most", [6, 100_000])
def test_states_of_different_length(build, order, most):
    """100,000 bytes of room for each state change nothing: what is not written is not stored."""
    result = search(build("words", LETTERS=3, LONGEST=6, MAX=most), SearchRequest(order=order))
    states = sum(3**i for i in range(7))
    assert (result.states, result.transitions) == (states, 1 + 2 * (states - 1))
    assert (result.depth, result.state_bytes) == (6, 6)
    assert result.covered == b"\1\1"
    assert result.peak_bytes < 500_000


@ORDERS
def test_long_states(build, order):
    result = search(build("counter", PADDING=20_000), SearchRequest(order=order, max_states=300))
    assert (result.states, result.reason) == (300, "states")
    assert result.state_bytes == 20_008


@ORDERS
@pytest.mark.parametrize("processes, states, transitions", [(2, 45, 83), (3, 1806, 4533), (4, 99273, 318241)])
def test_filter_lock(build, order, processes, states, transitions):
    result = search(build("filter_lock", N=processes), SearchRequest(order=order, invariants=(0,)))
    assert (result.states, result.transitions, result.errors) == (states, transitions, 0)
    assert result.complete


@ORDERS
def test_many_initial_states(build, order):
    result = search(build("seeds", COUNT=100_000), SearchRequest(order=order))
    assert (result.states, result.transitions, result.depth) == (100_001, 300_000, 1)


@ORDERS
def test_three_million_deep(build, order):
    """A path of three million states needs no recursion, and depth-first no more than 24 bytes of stack for each."""
    result = search(build("chain", LENGTH=3_000_000), SearchRequest(order=order))
    assert (result.states, result.transitions, result.depth) == (3_000_000, 3_000_000, 2_999_999)
    assert result.peak_bytes < result.store_bytes + 3_000_000 * 24


def test_table_doublings(build):
    """From 1,024 slots to millions, and never two tables at once."""
    result = search(build("grid", SIDE=128, DIMENSIONS=3))
    assert result.states == 128**3
    # A record is a length byte and six bytes of state; the table is at most 2 / 0.8 slots of 8 bytes a state.
    assert 7 * result.states < result.store_bytes <= (7 + 20) * result.states
    assert result.peak_bytes < 1.3 * result.store_bytes


def test_small_models_are_cheap(build):
    result = search(build("grid", SIDE=17, DIMENSIONS=3))
    assert result.states == 4913
    assert result.peak_bytes < 400_000


def test_samples_and_time(build):
    result = search(build("grid", SIDE=10, DIMENSIONS=3))
    assert 0 < result.seconds < 5
    assert result.samples[-1] == (result.seconds, 1000)
