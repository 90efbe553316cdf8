"""The stores that keep words of their own in a tree store: what they have in common."""

import pytest

from kripke.engines.plan import Unsupported
from tests.support.stored import BORN, PARTS, load


@pytest.fixture(params=["collapse", "numbers"])
def store(request):
    return request.param


@pytest.mark.parametrize("options", [{}, {"search": "dfs"}, {"threads": 2}, {"search": "dfs", "threads": 3}])
def test_processes_that_come_and_go(tmp_path, store, options):
    model = load(tmp_path, BORN)
    full, result = model.check(deadlock=False, **options), model.check(deadlock=False, store=store, **options)
    assert (result.verdict, result.states, result.transitions) == ("holds", full.states, full.transitions)
    assert result.states > 100
    if store == "collapse":
        assert list(result.engine["components"]) == ["globals", "process Q", "process P"]


def test_the_shortest_way_to_an_error(tmp_path, store):
    model = load(tmp_path, PARTS + "active proctype W() { end: x == 1 && len(b) == 1 -> assert(false) }")
    full, result = model.check(), model.check(store=store)
    assert (result.verdict, result.kind, len(result.trace)) == ("violated", "assertion", len(full.trace))


def test_a_memory_limit(tmp_path, store):
    text = "byte w[4]; active [4] proctype P() { end: do :: w[_pid] < 99 -> w[_pid]++ od }"
    result = load(tmp_path, text).check(store=store, memory=3_000_000)
    assert (result.verdict, result.complete) == ("unknown", False)
    assert "the memory limit" in result.reason


def test_what_it_does_not_go_with(tmp_path, store):
    model = load(tmp_path, PARTS)
    with pytest.raises(Unsupported, match=rf"--store {store} with --threads 2: .* leave out --threads or --store"):
        model.check(store=store, threads=2, ltl="[] <> (x == 0)")
    with pytest.raises(Unsupported, match=f"--store {store} needs the native engine"):
        model.check(store=store, engine="interpreter")
