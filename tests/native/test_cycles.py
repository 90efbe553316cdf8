"""Random graphs watched by random observers: every search for cycles, with every fairness, against the reference."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kripke.engines.explicit import reference
from kripke.engines.explicit.native import search
from kripke.engines.explicit.search import SearchRequest
from kripke.engines.explicit.stores import StoreOptions
from kripke.logic.automaton import ALWAYS, Cube
from kripke.model.observer import Alarm, Observer, ObserverEdge, Strength, degeneralised, simplified
from kripke.model.product import Product
from tests.native.graphs import GraphModel

NODES = 10
ATOMS = (0, 65)
PROCESSES = 4
ALARM = Alarm("alarm", "alarm")


@st.composite
def graphs(draw):
    nodes, labels = st.integers(0, NODES - 1), st.integers(0, PROCESSES - 1)
    return {
        "edges": draw(st.dictionaries(nodes, st.lists(st.tuples(nodes, labels), max_size=4), max_size=NODES)),
        "initial": draw(st.lists(nodes, min_size=1, max_size=2)),
        "reports": draw(st.dictionaries(nodes, st.lists(st.tuples(st.integers(0, 2), labels), max_size=1), max_size=1)),
        "false": draw(st.dictionaries(nodes, st.sets(st.sampled_from(ATOMS)), max_size=NODES)),
    }


@st.composite
def observers(draw):
    count, sets = draw(st.integers(1, 3)), draw(st.integers(0, 2))
    cubes = st.sampled_from([ALWAYS, *(Cube(1 << a, 0) for a in ATOMS), *(Cube(0, 1 << a) for a in ATOMS)])
    guards = st.lists(cubes, min_size=1, max_size=2).map(tuple)
    alarms = st.sampled_from([-1] * 9 + [0])
    edges = st.builds(ObserverEdge, guards, st.integers(0, count - 1), st.integers(0, (1 << sets) - 1), alarms)
    rows = [tuple(draw(st.lists(edges, max_size=3))) for _ in range(count)]
    return Observer("o", "never", (0,), tuple(rows), sets, (ALARM,), stutters=draw(st.booleans()))


def check_lasso(product, found, fairness):
    """The path is a run of the product, its loop has every mark and is fair."""
    path, start = found.path, found.loop_start
    assert path[0] in product.initial() and path[-1] == path[start] and start < len(path) - 1
    marks, moved, always, ever = 0, set(), None, set()
    for number, (before, after) in enumerate(pairwise(path)):
        steps = product.marked_successors(before)
        taken = [step for step in steps if step.transition.target == after]
        assert taken
        if number >= start:
            for step in taken:
                marks |= step.marks
                moved.add(step.actor)
            enabled = {step.actor for step in steps if step.actor is not None}
            always = enabled if always is None else always & enabled
            ever |= enabled
    assert marks == (1 << product.observer.sets) - 1
    # Here a process has one label: fairness to its edges is fairness to it.
    assert not (fairness or "").startswith("weak") or always <= moved
    assert not (fairness or "").startswith("strong") or ever <= moved


@pytest.mark.parametrize("fairness", [None, "weak", "strong", "weak-edges", "strong-edges"])
@settings(max_examples=80, deadline=None)
@given(parts=graphs(), observer=observers())
def test_searches_agree(open_graph, graph_type, fairness, parts, observer):
    graph = graph_type(**parts)
    model = open_graph(graph)
    whole = reference.search(Product(GraphModel(graph), observer), SearchRequest(deadlock=False, stop_at_first=False))
    product = Product(GraphModel(graph), observer)
    request = SearchRequest(order="scc", deadlock=False, stop_at_first=False, observer=observer, fairness=fairness)
    expected = reference.search(product, request)
    cycle = next((found for found in expected.error_paths if found.kind == "cycle"), None)
    if cycle is not None:
        check_lasso(product, cycle, fairness)
    plain = simplified(observer, ALARM)
    single = degeneralised(observer)
    simple = simplified(single, ALARM)
    for order, watching, threads, store in (
        *(("scc", watching, 1, store) for watching in (observer, plain) for store in ("full", "tree", "collapse")),
        *(("ndfs", watching, threads, "full") for watching in (single, simple) for threads in (1, 3)),
        *(("ndfs", watching, 1, store) for watching in (single, simple) for store in ("tree", "collapse")),
    ):
        if order == "ndfs" and (fairness is not None or watching.sets != 1):
            continue
        options = SearchRequest(
            order,
            False,
            stop_at_first=False,
            observer=watching,
            fairness=fairness,
            threads=threads,
            store=StoreOptions(store),
        )
        result = search(model, options)
        found = next((f for f in result.error_paths if f.kind == "cycle"), None)
        doomed = len(watching.alarms) > 1 and any(f.code == 9 for f in result.error_paths)
        if doomed and graph.reports:
            continue  # a run that a violation ends has no continuation at all
        assert (found is not None or doomed) == (cycle is not None), (order, store, watching)
        if found is not None:
            check_lasso(Product(GraphModel(graph), watching), found, fairness)
        elif watching is observer:
            assert (result.states, result.transitions) == (whole.states, whole.transitions)
            assert result.errors == whole.errors
            assert result.complete


@settings(max_examples=100, deadline=None)
@given(parts=graphs(), observer=observers())
def test_product_counts(open_graph, graph_type, parts, observer):
    """The product is a model: breadth-first and depth-first search give what the reference gives."""
    graph = graph_type(**parts)
    model = open_graph(graph)
    product = Product(GraphModel(graph), observer)
    for order in ("bfs", "dfs"):
        expected = reference.search(product, SearchRequest(order, False, stop_at_first=False))
        result = search(model, SearchRequest(order, False, stop_at_first=False, observer=observer))
        assert (result.states, result.transitions) == (expected.states, expected.transitions)
        assert result.errors == expected.errors
        assert {f.kind for f in result.error_paths} == {d.kind for d in expected.error_paths}


def test_strength():
    loop = ObserverEdge((ALWAYS,), 0, 1)
    weak = Observer("o", "ltl", (0,), ((loop,),), 1)
    assert weak.strength is Strength.WEAK
    assert simplified(weak, ALARM).strength is Strength.ALARMS
    strong = Observer("o", "ltl", (0,), ((loop, loop._replace(marks=0)),), 1)
    assert strong.strength is Strength.STRONG


def fewest_steps(product):
    """Of all lassos: tried out from every state, one after the other."""
    required = (1 << product.observer.sets) - 1
    distance = dict.fromkeys(product.initial(), 0)
    queue = list(distance)
    for state in queue:
        for step in product.successors(state):
            if step.target is not None and step.target not in distance:
                distance[step.target] = distance[state] + 1
                queue.append(step.target)
    best = None
    for start in distance:
        met = {(start, 0): 0}
        waiting = [(start, 0)]
        for state, marks in waiting:
            for step in product.marked_successors(state):
                if step.transition.target is None:
                    continue
                node = (step.transition.target, marks | step.marks)
                if node == (start, required):
                    length = distance[start] + met[state, marks] + 1
                    best = length if best is None else min(best, length)
                if node not in met:
                    met[node] = met[state, marks] + 1
                    waiting.append(node)
    return best


@settings(max_examples=100, deadline=None)
@given(parts=graphs(), observer=observers())
def test_shortest(open_graph, graph_type, parts, observer):
    graph = graph_type(**{**parts, "reports": {}})
    model = open_graph(graph)
    watching = degeneralised(observer)
    product = Product(GraphModel(graph), watching)
    expected = fewest_steps(product)
    for order in ("ndfs", "scc"):
        options = SearchRequest(order, False, stop_at_first=False, observer=watching, shortest=True)
        found = next((f for f in search(model, options).error_paths if f.kind == "cycle"), None)
        assert (None if found is None else len(found.path) - 1) == expected
        if found is not None:
            check_lasso(product, found, None)
