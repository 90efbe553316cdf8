"""Random graphs, searched by the engine and by a few lines of Python."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from kripke.engines.explicit.native import search
from kripke.engines.explicit.search import SearchRequest

NODES = 24
ATOMS = (0, 65)


@st.composite
def parts(draw):
    """What a Graph is made of."""
    nodes = st.integers(0, NODES - 1)
    labels = st.integers(0, 7)
    few = {"max_size": 4}
    return {
        "edges": draw(st.dictionaries(nodes, st.lists(st.tuples(nodes, labels), **few), max_size=NODES)),
        "initial": draw(st.lists(nodes, min_size=1, max_size=3)),
        "reports": draw(st.dictionaries(nodes, st.lists(st.tuples(st.integers(0, 2), labels), max_size=2), **few)),
        "ends": draw(st.lists(nodes, max_size=NODES)),
        "false": draw(st.dictionaries(nodes, st.sets(st.sampled_from(ATOMS)), **few)),
    }


def targets(graph, node):
    return [target for target, _ in graph.edges.get(node, ())]


def distances(graph, limit=None):
    """Of every node within the limit: its distance from an initial one."""
    distance = dict.fromkeys(graph.initial, 0)
    queue = list(distance)
    for node in queue:
        if distance[node] == limit:
            continue
        for target in targets(graph, node):
            if target not in distance:
                distance[target] = distance[node] + 1
                queue.append(target)
    return distance


def errors_at(graph, node):
    for code, label in graph.reports.get(node, ()):
        yield "violation", code, label
    if not targets(graph, node) and not graph.reports.get(node) and node not in graph.ends:
        yield "deadlock", -1, -1
    for atom in graph.false.get(node, ()):
        yield "invariant", atom, -1


def depth_first(graph):
    """Yield the path to every node when it is first met."""
    seen, path = set(), []

    def visit(node):
        if node not in seen:
            seen.add(node)
            path.append(node)
            yield tuple(path)
            for target in targets(graph, node):
                yield from visit(target)
            path.pop()

    for node in graph.initial:
        yield from visit(node)


def check_path(graph, finding):
    nodes = [graph.decode(state) for state in finding.path]
    assert finding.path == graph.path(*nodes)
    assert nodes[0] in graph.initial
    assert all(target in targets(graph, node) for node, target in pairwise(nodes))
    assert (finding.kind, finding.code, finding.statement) in set(errors_at(graph, nodes[-1]))
    return nodes


@settings(max_examples=300, deadline=None)
@given(parts=parts(), limit=st.sampled_from([None, None, 1, 2, 3, 5, 8]))
def test_all_errors(open_graph, graph_type, parts, limit):
    graph = graph_type(**parts)
    model = open_graph(graph)
    distance = distances(graph, limit)
    inner = sum(len(targets(graph, node)) for node in distance)
    closed = all(target in distance for node in distance for target in targets(graph, node))
    errors = [(error, node) for node in distance for error in errors_at(graph, node)]
    for order in ("bfs", "dfs"):
        options = SearchRequest(order=order, invariants=ATOMS, stop_at_first=False, max_depth=limit or 0)
        result = search(model, options)
        assert result.states == len(distance)
        assert (result.complete, result.reason) == ((True, "") if closed else (False, "depth"))
        assert result.errors == len(errors)
        assert {(f.kind, f.code, f.statement) for f in result.error_paths} == {error for error, _ in errors}
        for finding in result.error_paths:
            nodes = check_path(graph, finding)
            if order == "bfs":
                bad = [node for error, node in errors if error == (finding.kind, finding.code, finding.statement)]
                assert len(nodes) - 1 == min(distance[node] for node in bad)
        if order == "bfs":
            assert result.depth == max(distance.values())
        if limit is None:
            assert result.transitions == inner + len(graph.initial)
            if order == "dfs":
                assert result.depth == max(len(path) for path in depth_first(graph)) - 1


@settings(max_examples=200, deadline=None)
@given(parts=parts())
def test_first_error(open_graph, graph_type, parts):
    graph = graph_type(**parts)
    model = open_graph(graph)
    for order in ("bfs", "dfs"):
        result = search(model, SearchRequest(order=order, invariants=ATOMS))
        first = next((path for path in depth_first(graph) if any(errors_at(graph, path[-1]))), None)
        if first is None:
            assert result.complete and result.errors == 0
            continue
        assert (result.complete, result.reason, result.errors) == (False, "error", 1)
        nodes = check_path(graph, result.error_paths[0])
        if order == "dfs":
            assert tuple(nodes) == first


@settings(max_examples=100, deadline=None)
@given(parts=parts(), limit=st.integers(1, NODES))
def test_state_limit(open_graph, graph_type, parts, limit):
    graph = graph_type(**parts)
    model = open_graph(graph)
    reachable = len(distances(graph))
    for order in ("bfs", "dfs"):
        result = search(model, SearchRequest(order=order, deadlock=False, stop_at_first=False, max_states=limit))
        assert result.states == min(limit, reachable)
        assert result.reason == ("" if limit >= reachable else "states")
