"""Random graphs through every store, by one and by several threads: the same counts, errors and shortest paths."""

from dataclasses import replace
from tempfile import gettempdir

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kripke.engines.explicit.native import search
from kripke.engines.explicit.search import SearchRequest
from kripke.engines.explicit.stores import StoreOptions
from tests.native.test_random_graphs import ATOMS, NODES, check_path, distances, errors_at, parts, targets

SMALL = 1 << 16
EXACT = [
    (StoreOptions("tree"), 1),
    (StoreOptions("tree"), 2),
    (StoreOptions("tree"), 3),
    (StoreOptions("collapse"), 1),
    (StoreOptions("collapse"), 3),
    (StoreOptions("numbers"), 2),
    (StoreOptions("full"), 2),
    (StoreOptions("full"), 3),
]
LOSSY = [
    (StoreOptions("hashcompact"), 1),
    (StoreOptions("hashcompact", hash_bits=40), 2),
    (StoreOptions("hashcompact", hash_bits=32), 1),
    (StoreOptions("bitstate", table_bytes=SMALL), 1),
    (StoreOptions("bitstate", table_bytes=SMALL, hashes=9), 2),
]
CACHES = [("dfs", StoreOptions("cache", table_bytes=SMALL), threads) for threads in (1, 3)]
DISK = ("bfs", StoreOptions("disk", folder=gettempdir()), 1)
WAYS = [("bfs", *way) for way in EXACT] + [("dfs", *way) for way in EXACT + LOSSY] + [*CACHES, DISK]


@settings(max_examples=150, deadline=None)
@given(parts=parts(), limit=st.sampled_from([None, None, 1, 2, 3, 5, 8]))
def test_all_errors(open_graph, graph_type, parts, limit):
    graph = graph_type(**parts)
    model = open_graph(graph)
    for order, store, threads in WAYS:
        if limit is not None and (order == "dfs" or store.name == "disk"):
            continue
        distance = distances(graph, limit)
        closed = all(target in distance for node in distance for target in targets(graph, node))
        inner = [target for node in distance for target in targets(graph, node) if target in distance]
        errors = [(error, node) for node in distance for error in errors_at(graph, node)]
        options = SearchRequest(
            order=order, invariants=ATOMS, stop_at_first=False, max_depth=limit or 0, store=store, threads=threads
        )
        result = search(model, options)
        assert result.states == len(distance)
        assert result.transitions == len(inner) + len(graph.initial)
        assert (result.complete, result.reason) == (closed and store.exact, "" if closed else "depth")
        assert result.errors == len(errors)
        assert {(f.kind, f.code, f.statement) for f in result.error_paths} == {error for error, _ in errors}
        for finding in result.error_paths:
            nodes = check_path(graph, finding)
            if order == "bfs":
                bad = [node for error, node in errors if error == (finding.kind, finding.code, finding.statement)]
                assert len(nodes) - 1 == min(distance[node] for node in bad)
        if order == "bfs":
            assert result.depth == max(distance.values())
        assert (result.loss is None) == store.exact


@settings(max_examples=100, deadline=None)
@given(parts=parts())
def test_first_error(open_graph, graph_type, parts):
    graph = graph_type(**parts)
    model = open_graph(graph)
    distance = distances(graph)
    bad = [distance[node] for node in distance if any(errors_at(graph, node))]
    for order, store, threads in WAYS:
        result = search(model, SearchRequest(order=order, invariants=ATOMS, store=store, threads=threads))
        if not bad:
            assert (result.reason, result.errors, result.states) == ("", 0, len(distance))
            continue
        assert (result.complete, result.reason) == (False, "error")
        nodes = check_path(graph, result.error_paths[0])
        # A broken invariant is seen where a state is stored, a deadlock where it is expanded, a layer later.
        if order == "bfs":
            assert len(nodes) - 1 <= min(bad) + 1


@settings(max_examples=60, deadline=None)
@given(parts=parts(), limit=st.integers(1, NODES))
def test_state_limit(open_graph, graph_type, parts, limit):
    graph = graph_type(**parts)
    model = open_graph(graph)
    reachable = len(distances(graph))
    for order, store, threads in WAYS:
        options = SearchRequest(
            order=order, deadlock=False, stop_at_first=False, max_states=limit, store=store, threads=threads
        )
        result = search(model, options)
        assert result.states == min(limit, reachable)
        assert result.reason == ("" if limit >= reachable else "states")


@pytest.mark.parametrize(("order", "store", "threads"), WAYS)
def test_many_states(build, order, store, threads):
    """Tables grow, keys get wider, threads meet."""
    expected = search(build("grid", SIDE=60), SearchRequest(deadlock=False))
    assert expected.complete and expected.states > 100_000
    table = {"bitstate": 4 << 20, "cache": 32 << 20}.get(store.name, 0)
    large = replace(store, table_bytes=table)
    options = SearchRequest(order=order, deadlock=False, store=large, threads=threads)
    result = search(build("grid", SIDE=60), options)
    if store.exact or (store.hash_bits == 64 and store.name == "hashcompact"):
        assert (result.states, result.transitions) == (expected.states, expected.transitions)
    else:
        missed = expected.states - result.states
        assert 0 <= missed < max(20, 5 * result.loss.omitted)
    if order == "bfs":
        assert result.depth == expected.depth


@pytest.mark.parametrize(("order", "store", "threads"), [way for way in WAYS if way != DISK])
def test_a_memory_limit_is_kept(build, order, store, threads):
    store = replace(store, table_bytes=1 << 20 if store.table_bytes else 0)
    options = SearchRequest(order=order, deadlock=False, memory=3 << 20, store=store, threads=threads)
    result = search(build("grid", SIDE=400), options)
    assert (result.complete, result.reason) == (False, "memory")
    assert result.peak_bytes <= 3 << 20


@pytest.mark.parametrize(
    ("store", "states"),
    [(StoreOptions("bitstate", table_bytes=SMALL), 216_000), (StoreOptions("hashcompact", 32), 216_000)],
)
def test_the_estimate_is_near_the_truth(build, store, states):
    """A table that is too small: most of what is missed was taken for something else."""
    results = []
    for seed in range(5):
        other = replace(store, seed=seed)
        results.append(search(build("grid", SIDE=60), SearchRequest(order="dfs", deadlock=False, store=other)))
    missed = sum(states - result.states for result in results) / len(results)
    estimate = sum(result.loss.omitted for result in results) / len(results)
    assert estimate / 3 - 5 <= missed <= 3 * estimate + 5
    assert len({result.states for result in results}) > 1 or missed == 0


@settings(max_examples=100, deadline=None)
@given(parts=parts(), size=st.sampled_from([1, 600, 1500]))
def test_a_cache_that_is_too_small(open_graph, graph_type, parts, size):
    """States are dropped and searched again, and nothing is missed."""
    graph = graph_type(**parts)
    distance = distances(graph)
    errors = [error for node in distance for error in errors_at(graph, node)]
    options = SearchRequest(
        order="dfs", invariants=ATOMS, stop_at_first=False, store=StoreOptions("cache", table_bytes=size)
    )
    for threads in (1, 3):
        result = search(open_graph(graph), replace(options, threads=threads))
        assert result.complete and result.states >= len(distance)
        assert result.states == len(distance) or result.dropped
        assert {(f.kind, f.code, f.statement) for f in result.error_paths} == set(errors)
        for finding in result.error_paths:
            check_path(graph, finding)


@pytest.mark.parametrize("memory", [200_000, 1 << 20])
def test_candidates_that_do_not_fit_in_memory(build, memory):
    """Several sorted runs in a layer, and the shortest path from the layers in a file."""
    model = build("grid", SIDE=40)
    known = search(model, SearchRequest(invariants=(0,)))
    store = StoreOptions("disk", folder=gettempdir())
    result = search(model, SearchRequest(invariants=(0,), memory=memory, store=store))
    assert (result.reason, result.errors) == (known.reason, known.errors) == ("error", 1)
    assert [len(finding.path) for finding in result.error_paths] == [len(finding.path) for finding in known.error_paths]
    assert result.peak_bytes <= memory


def test_no_folder_for_files(build):
    result = search(build("grid", SIDE=5), SearchRequest(store=StoreOptions("disk", folder="/nowhere/at/all")))
    assert (result.complete, result.reason) == (False, "disk")
