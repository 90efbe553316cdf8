"""Whatever limit is met, the search ends with a partial result that says so."""

import os
import signal
import subprocess
import sys
import time

import pytest

from kripke.engines.explicit.native import search
from kripke.engines.explicit.search import SearchRequest

ORDERS = pytest.mark.parametrize("order", ["bfs", "dfs"])


@ORDERS
@pytest.mark.parametrize("limit", [1, 1000, 10_000, 100_000, 1_000_000, 30_000_000, 100_000_000])
def test_memory(build, order, limit):
    result = search(build("counter", PADDING=50), SearchRequest(order=order, memory=limit))
    assert (result.complete, result.reason) == (False, "memory")
    assert result.peak_bytes <= limit
    if limit >= 1_000_000:
        assert result.peak_bytes > 0.6 * limit  # the limit is put to use


def test_a_table_that_cannot_double_is_filled(build):
    """55 states of 7 bytes, and 8 bytes of table: with 0.95 of the slots in use the same memory goes further."""
    result = search(build("grid", SIDE=400, DIMENSIONS=3), SearchRequest(memory=40_000_000))
    assert result.reason == "memory"
    assert result.states > 0.94 * (1 << 21)


@ORDERS
@pytest.mark.parametrize("limit", [1, 2, 63, 64, 65, 999])
def test_states(build, order, limit):
    result = search(build("grid"), SearchRequest(order=order, max_states=limit))
    assert (result.states, result.reason, result.complete) == (limit, "states", False)


@ORDERS
@pytest.mark.parametrize("limit", [1000, 1001])
def test_a_limit_that_is_not_met_changes_nothing(build, order, limit):
    result = search(build("grid"), SearchRequest(order=order, max_states=limit))
    assert (result.states, result.transitions, result.complete) == (1000, 6001, True)


@ORDERS
def test_depth(build, order):
    model = build("grid", SIDE=9, DIMENSIONS=3)  # layers 0 to 12
    axis = [min(place, 9 - place) for place in range(9)]
    layers = [x + y + z for x in axis for y in axis for z in axis]
    for depth in range(1, 14):
        result = search(model, SearchRequest(order=order, max_depth=depth))
        assert result.states == sum(layer <= depth for layer in layers)


@ORDERS
@pytest.mark.parametrize(("depth", "reason"), [(11, "depth"), (12, ""), (13, "")])
def test_depth_is_a_reason_only_where_something_was_cut_off(build, order, depth, reason):
    result = search(build("grid", SIDE=9, DIMENSIONS=3), SearchRequest(order=order, max_depth=depth))
    assert (result.reason, result.complete) == (reason, reason == "")


def test_depth_first_looks_again_at_a_state_met_nearer(open_graph, graph_type):
    """3 is met first at the limit, over 1 and 2, and its bad successor only by the direct way."""
    graph = graph_type({0: [(1, 0), (3, 0)], 1: [(2, 0)], 2: [(3, 0)], 3: [(4, 0)], 4: [(4, 0)]}, false={4: [0]})
    result = search(open_graph(graph), SearchRequest(order="dfs", max_depth=3, invariants=(0,)))
    assert [finding.path for finding in result.error_paths] == [graph.path(0, 3, 4)]


@ORDERS
def test_states_at_the_depth_limit_are_checked(open_graph, graph_type, order):
    graph = graph_type({0: [(1, 0)], 1: [(2, 0), (3, 0)], 3: [(0, 0)]}, reports={3: [(6, 2)]})
    options = SearchRequest(order=order, max_depth=2, stop_at_first=False)
    result = search(open_graph(graph), options)
    assert result.complete
    assert {(finding.kind, finding.path) for finding in result.error_paths} == {
        ("deadlock", graph.path(0, 1, 2)),
        ("violation", graph.path(0, 1, 3)),
    }


@ORDERS
def test_time(build, order):
    start = time.monotonic()
    result = search(build("slow"), SearchRequest(order=order, time_limit=0.25))
    assert (result.reason, result.states, result.errors) == ("time", 1, 0)
    assert result.seconds >= 0.2 and time.monotonic() - start < 2


def test_progress_is_reported(build):
    calls = []
    result = search(build("counter"), SearchRequest(time_limit=0.6), watch=calls.append)
    assert result.reason == "time"
    assert len(calls) >= 3
    assert calls[0].states < calls[-1].states <= result.states
    assert calls[-1].bytes > 0 and calls[-1].queue > 0 and calls[-1].depth > 0
    assert len(result.samples) >= 2


def test_a_callback_that_raises_stops_the_search(build):
    def fail(_):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        search(build("counter"), SearchRequest(memory=1 << 30), watch=fail)


def test_a_callback_that_is_interrupted_stops_the_search(build):
    def interrupt(_):
        raise KeyboardInterrupt

    result = search(build("counter"), SearchRequest(memory=1 << 30), watch=interrupt)
    assert result.reason == "interrupted"


INTERRUPTED = """
import sys, time
from kripke.engines.explicit.native import open_model, search
from kripke.engines.explicit.search import SearchRequest
model = open_model(sys.argv[1])
print("ready", flush=True)
result = search(model, SearchRequest(order=sys.argv[2], memory=4 << 30))
print(result.reason, result.complete, result.states, flush=True)
"""


@pytest.mark.parametrize(("name", "order"), [("counter", "bfs"), ("counter", "dfs"), ("slow", "bfs")])
def test_interrupt(compile_model, name, order):
    """Ctrl-C gives what was found so far, at once, and raises nothing."""
    command = [sys.executable, "-c", INTERRUPTED, str(compile_model(name)), order]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.4)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        reason, complete, states = process.stdout.readline().split()
        assert time.monotonic() - start < 5
    assert process.returncode == 0
    assert (reason, complete) == ("interrupted", "False")
    assert int(states) >= 1


def test_little_address_space(compile_model):
    """Under ulimit -v the engine reserves less and ends with a result, not with an exception."""
    script = f"""
import resource
from kripke.engines.explicit.native import open_model, search
from kripke.engines.explicit.search import SearchRequest
model = open_model({str(compile_model("counter", PADDING=500))!r})
resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))
result = search(model, SearchRequest(memory=1 << 40))
print(result.reason, result.states)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    reason, states = output.stdout.split()
    assert reason == "memory" and int(states) > 10_000


def test_small_models_leave_the_process_small(compile_model):
    """A model of 5,000 states: far less than 10 MB on top of Python."""
    script = f"""
import resource
from kripke.engines.explicit.native import open_model, search
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
search(open_model({str(compile_model("grid", SIDE=17, DIMENSIONS=3))!r}))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    unit = 1 if sys.platform == "darwin" else 1024
    assert int(output.stdout) * unit < 3_000_000


@pytest.mark.parametrize("name", ["max_depth", "max_states", "memory", "time_limit"])
def test_limits_are_not_negative(name):
    with pytest.raises(ValueError, match=f"{name} must not be negative, but is -1"):
        SearchRequest(**{name: -1})
