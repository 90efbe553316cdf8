"""Symmetry of nets: which values may change places, representatives, and the same answers as without."""

from collections import Counter
from itertools import product
from pathlib import Path

import pytest

import kripke
from kripke.engines.plan import Unsupported
from kripke.engines.symmetry.representative import representative
from kripke.languages.maria import load
from kripke.model.source import ModelError
from tests.support.symmetric_nets import Difference, all_states, check_automorphism, compare, moves_of, permuted

EXAMPLES = Path(__file__).parents[3] / "examples" / "maria"

DATABASES = """
typedef id[{n}] site;
typedef struct {{ site from; site to; }} message;
place waiting (0..1) site;
place working (0..#site) site;
place idle (0..#site) site: (site s: s) minus (place waiting union place working);
place free (0..1) struct {{}}: (place waiting equals empty)#{{}};
place sent (0..#site) message;
place received (0..#site) message;
place answered (0..#site) message;
trans update in {{ idle: s; free: {{}}; }} out {{ waiting: s; sent: site t (t != s): {{s, t}}; }};
trans ready in {{ waiting: s; answered: site t (t != s): {{s, t}}; }} out {{ idle: s; free: {{}}; }};
trans receive in {{ idle: t; sent: {{s, t}}; }} out {{ working: t; received: {{s, t}}; }};
trans answer in {{ working: t; received: {{s, t}}; }} out {{ idle: t; answered: {{s, t}}; }};
deadlock true;
"""

PHILOSOPHERS = """
typedef unsigned (1..{n}) seat;
place forks (0..#seat) seat: seat s: s;
place table (#seat) struct {{ seat s; enum {{ thinks, waits, eats }} mood; }}: seat s: {{s, thinks}};
trans left in {{ table: {{s, thinks}}; forks: s; }} out {{ table: {{s, waits}}; }};
trans right in {{ table: {{s, waits}}; forks: +s; }} out {{ table: {{s, eats}}; }};
trans rest in {{ table: {{s, eats}}; }} out {{ table: {{s, thinks}}; forks: s, +s; }};
deadlock true;
"""

RING = """
typedef unsigned (1..4) place_t;
typedef bool[place_t] lamps;
place light (1) lamps: {false, false, false, false};
place at (1) place_t: 1;
trans go in { at: p; } out { at: +p; };
trans switch in { at: p; light: l; } out { at: p; light: l.{[p] !l[p]}; };
"""

LAMPS = """
typedef unsigned (1..4) lamp;
typedef bool[lamp] lamps;
place light (1) lamps: {false, false, false, false};
place hand (0..1) lamp;
trans choose in { light: l; } out { light: l; hand: lamp !; };
trans switch in { hand: p; light: l; } out { light: l.{[p] !l[p]}; };
"""


def written(tmp_path, text):
    path = tmp_path / "net.pn"
    path.write_text(text)
    return path


def net(tmp_path, text):
    return load(str(written(tmp_path, text)))


def families(model):
    found = model.symmetry()
    return found if isinstance(found, str) else [(one.name, one.cells, one.turn) for one in found.families]


def orbits(model):
    """How many states there are, and how many that differ by more than a symmetry: by trying all permutations."""
    symmetry = model.symmetry()
    group = list(product(*map(moves_of, symmetry.families)))
    states = all_states(model, 100_000)
    return len(states), len({min(permuted(model, symmetry, state, moves) for moves in group) for state in states})


# --- which values -----------------------------------------------------------------------------------------------------

SIMPLE = """
typedef unsigned (1..4) t;
place p (0..4) t: t x: x;
place q (0..4) t;
"""


@pytest.mark.parametrize(
    ("transition", "expected"),
    [
        ("trans m in { p: x; } out { q: x; };", [("t", ((0, 1, 2, 3),), 0)]),
        ("trans m in { p: x, y; } gate x != y out { q: x, y; };", [("t", ((0, 1, 2, 3),), 0)]),
        ("trans m in { p: t x: x; } out { q: t x: x; };", [("t", ((0, 1, 2, 3),), 0)]),
        ("trans m in { p: t x: .v; } out { q: t x: .v; };", [("t", ((0, 1, 2, 3),), 0)]),
        ("trans m in { p: x; } gate x != 2 out { q: x; };", [("t", ((0, 2, 3),), 0)]),
        ("trans m in { p: x; } gate x != 2 && x != 3 out { q: 2; };", [("t", ((0, 3),), 0)]),
        ("trans m in { p: x; } gate x == 2 || x == 3 out { q: x; };", [("t", ((0, 3), (1, 2)), 0)]),
        ("trans m in { p: x; } out { q: +x; };", [("t", (), 1)]),
        ("trans m in { p: x; } gate x == 1 || x == 3 out { q: +x; };", [("t", (), 2)]),
        ("trans m in { p: x; } out { q: x; }; reject 1 subset place q;", [("t", ((1, 2, 3),), 0)]),
        ("trans m in { p: x; } out { q: x; }; reject t x && (x subset place q);", [("t", ((0, 1, 2, 3),), 0)]),
        ("trans m in { p: x; } out { q: x; }; deadlock 1 subset place q;", [("t", ((1, 2, 3),), 0)]),
        ("place c t const: 1, 2; trans m in { p: x; } out { q: x; };", [("t", ((0, 1), (2, 3)), 0)]),
        ("trans m in { p: x; } out { q: x; } enabled x == 4;", [("t", ((0, 1, 2),), 0)]),
        ("place r t: (place q) minus 3; trans m in { p: x; } out { p: x; };", [("t", ((0, 1, 3),), 0)]),
    ],
)
def test_values_that_may_change_places(tmp_path, transition, expected):
    assert families(net(tmp_path, SIMPLE + transition)) == expected


@pytest.mark.parametrize(
    ("transition", "reason"),
    [
        ("trans m in { p: x, y; } gate x < y out { q: x; };", "transition m asks which is less"),
        (
            "trans m in { p: x; } gate x != 2 out { q: +x; };",
            "transition m takes the next or previous one, and transition m names single ones",
        ),
        (
            "trans m in { p: x; } out { q: is t (x + 1); };",
            "they are converted to or from unsigned, which has other values",
        ),
        (
            "typedef unsigned (1..3) u; trans m in { p: x; } out { q: is t (is u x); };",
            "they are converted to or from u, which has other values",
        ),
        (
            "typedef struct { t a; t b; } (..{3, 4}) s; place r (0..1) s; trans m in { p: x; } out { q: x; };",
            "s leaves out some of its values",
        ),
        (
            # Which of two tokens fails first, and so how, depends on their order.
            "place r (0..2) struct { t a; bool b; }: {1, true}, {2, false}; trans m in { p: x; } out { q: x; };"
            "reject cardinality subset s { place r } (s.b ? fatal : undefined) > 0;",
            "reject cardinality subset s { place r } (s.b ? fatal : undefined) > 0 "
            "looks at all of them with an expression that may fail",
        ),
        (
            # Two tokens of one value fail, one of another is true: what comes first decides.
            "typedef unsigned (0..1) bit; trans m in { p: x; } out { q: x; };"
            "reject t x || is bit (cardinality subset y { place q } (y == x)) == 1;",
            "reject t x || is bit (cardinality subset y { place q } (y == x)) == 1 names single ones",
        ),
    ],
)
def test_values_that_may_not(tmp_path, transition, reason):
    assert (
        families(net(tmp_path, SIMPLE + transition))
        == f"no values of this net may change places (those of t: {reason})"
    )


def test_types_between_which_values_are_converted_change_together(tmp_path):
    text = "typedef unsigned (1..4) u; place r (0..4) u; trans m in { p: x; } out { r: is u x; };"
    model = net(tmp_path, SIMPLE + text + "trans n in { r: y; } gate is t y != 1 out { q: is t y; };")
    assert families(model) == [("t", ((1, 2, 3),), 0)]
    states, classes = orbits(model)
    assert (states, classes) == (54, 20)
    result = kripke.load(tmp_path / "net.pn").check(symmetry="canonical")
    assert result.states == classes


def test_what_may_fail_is_not_put_into_another_order(tmp_path):
    """The first quantified conjunct that is false decides, unless one before it fails."""
    queue = "typedef unsigned[queue 2] b; place r (1) b: {}; "
    fails = "trans m in { p: x; r: l; } gate atom (t y && (x != y || *l == 0)) out { q: x; r: l; };"
    total = "trans m in { p: x; r: l; } gate atom (t y && (x != y || /l == 0)) out { q: x; r: l; };"
    assert families(net(tmp_path, SIMPLE + queue + total)) == [("t", ((0, 1, 2, 3),), 0)]
    assert families(net(tmp_path, SIMPLE + queue + fails)) == (
        "no values of this net may change places (those of t: transition m names single ones)"
    )


def test_invariants_that_name_values(tmp_path):
    path = written(tmp_path, DATABASES.format(n=4))
    assert kripke.load(path).check(symmetry="canonical", invariants=["cardinality place working < 4"]).states == 11
    path = written(tmp_path, PHILOSOPHERS.format(n=3))
    every = kripke.load(path)
    assert every.check(symmetry="sort", invariants=["!(seat s && (s subset place forks))"]).verdict == "violated"
    with pytest.raises(Unsupported) as refused:
        every.check(symmetry="canonical", invariants=["1 subset place forks"])
    assert str(refused.value) == (
        "--symmetry canonical: no values of this net may change places (those of seat: transition right takes the "
        "next or previous one, and the invariant 1 subset place forks names single ones; those of the tokens of "
        "table.mood: transition left names single ones); leave it out, or give --symmetry auto"
    )
    result = every.check(symmetry="auto", invariants=["1 subset place forks"])
    assert result.verdict == "violated"
    assert result.engine["symmetry"] == "off"
    assert any(text.startswith("searched without symmetry: no values") for text in result.warnings)


# --- counts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_databases(tmp_path, engine):
    """n 3^(n-1) + 1 states; n (n+1) / 2 + 1 classes."""
    for n in (2, 3, 4, 5):
        path = written(tmp_path, DATABASES.format(n=n))
        states, classes = n * 3 ** (n - 1) + 1, n * (n + 1) // 2 + 1
        assert kripke.load(path).check(engine=engine).states == states
        for method in ("sort", "canonical"):
            result = kripke.load(path).check(engine=engine, symmetry=method)
            assert (result.verdict, result.states, result.engine["symmetry"]) == ("holds", classes, method)
        if n <= 4:
            assert orbits(load(str(path))) == (states, classes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PHILOSOPHERS.format(n=3), (14, 6)),
        (PHILOSOPHERS.format(n=4), (34, 11)),
        (RING, (64, 16)),
        (LAMPS, (80, 13)),
    ],
)
def test_classes_by_trying_all_permutations(tmp_path, text, expected):
    model = net(tmp_path, text)
    assert orbits(model) == expected
    for engine in ("native", "interpreter"):
        results = kripke.load(tmp_path / "net.pn").check(symmetry="canonical", engine=engine, all_errors=True)
        assert results.states == expected[1]


@pytest.mark.parametrize(
    "options", [{"search": "dfs"}, {"store": "tree", "threads": 2}, {"store": "tree"}, {"store": "collapse"}]
)
def test_other_searches_and_stores(tmp_path, options):
    assert kripke.load(written(tmp_path, DATABASES.format(n=6))).check(symmetry="canonical", **options).states == 22


# --- representatives --------------------------------------------------------------------------------------------------

#: a graph of which value refers to which: what differs only in two ways round cannot be told apart step by step
GRAPH = """
typedef id[6] v;
typedef struct { v a; v b; } edge;
place edges (0..6) edge;
trans more in { edges: { x, y }; } out { edges: { x, y }, { y, v ! }; };
"""


def test_cycles_that_refinement_does_not_tell_apart(tmp_path):
    """Two triangles and a hexagon: all values have one colour, without being twins."""
    model = net(tmp_path, GRAPH)
    symmetry = model.symmetry()
    place = model.net.places[0]
    same = representative(symmetry, "canonical")

    def graph(edges):
        return symmetry.encode([{place.type.index(edge): 1 for edge in edges}])

    hexagon = [(i, (i + 1) % 6) for i in range(6)]
    other_hexagon = [(0, 2), (2, 4), (4, 1), (1, 3), (3, 5), (5, 0)]
    triangles = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
    other_triangles = [(0, 2), (2, 4), (4, 0), (1, 3), (3, 5), (5, 1)]
    assert same(graph(hexagon)) == same(graph(other_hexagon))
    assert same(graph(triangles)) == same(graph(other_triangles))
    assert same(graph(hexagon)) != same(graph(triangles))


#: no permutation of its vertices leaves it as it is, and each of them has three neighbours
RIGID = "01 12 23 34 45 56 60 07 17 28 39 49 5a 6a 7b 8b 89 ab"


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_the_choice_of_a_marking_keeps_to_the_time_limit(tmp_path, engine):
    """Of eight rigid graphs side by side every vertex would have to be tried, together with every one of the others."""
    edges = [tuple(12 * copy + int(at, 16) for at in edge) for copy in range(8) for edge in RIGID.split()]
    tokens = ", ".join(f"{{{a}, {b}}}, {{{b}, {a}}}" for a, b in edges)
    text = f"""typedef unsigned (0..95) vertex; place edges struct {{ vertex a; vertex b; }}: {tokens};
    place lit vertex; trans light in {{ edges: {{a, b}}; }} out {{ edges: {{a, b}}; lit: a; }};"""
    result = kripke.load(written(tmp_path, text)).check(symmetry="canonical", time_limit=0.5, engine=engine)
    assert (result.verdict, result.seconds < 20) == ("unknown", True)
    assert "time limit" in result.reason


# --- traces -----------------------------------------------------------------------------------------------------------


def test_a_trace_is_one_of_the_net(tmp_path):
    path = written(tmp_path, PHILOSOPHERS.format(n=3))
    result = kripke.load(path).check(symmetry="canonical")
    assert result.verdict == "violated"
    trace = result.trace
    assert len(trace.steps) == 3
    model = load(str(path))
    before = model.initial()[0]
    for step in trace.steps:
        assert step.state in {following.target for following in model.successors(before)}
        before = step.state
    assert model.successors(before) == []


# --- what is refused --------------------------------------------------------------------------------------------------


def test_refused(tmp_path):
    path = written(tmp_path, DATABASES.format(n=3))
    with pytest.raises(Unsupported, match="this is for like processes; a net takes sort or canonical"):
        kripke.load(path).check(symmetry="references")
    with pytest.raises(Unsupported, match="symmetry is for deadlocks, assertions and invariants yet"):
        kripke.load(path).check(symmetry="canonical", ltl="<> (place waiting equals empty)")
    result = kripke.load(path).check(symmetry="auto", ltl="<> (place waiting equals empty)")
    assert result.verdict == "holds"
    result = kripke.load(path, compress=["paths"]).check(symmetry="auto")
    assert "searched without symmetry: symmetry is for single steps, which --compress joins" in result.warnings


# --- random nets ------------------------------------------------------------------------------------------------------


def test_random_nets(tmp_path):
    became = Counter()
    for seed in range(100, 118):
        try:
            became[compare(seed, tmp_path)] += 1
        except ModelError:
            became["no net"] += 1
    assert became["reduced"] >= 5


def test_the_comparison_finds_what_is_no_automorphism(tmp_path):
    model = net(tmp_path, SIMPLE + "trans m in { p: x; } gate x != 2 out { q: x; };")
    symmetry = model.symmetry()
    check_automorphism(model, symmetry, model.initial()[0], ((2, 1, 0, 3),), 0)
    with pytest.raises(Difference):
        check_automorphism(model, symmetry, model.initial()[0], ((1, 0, 2, 3),), 0)
