"""Directed searches for accepted cycles: kinds of an observer's components, agreement with the search by components."""

import random

import pytest

import kripke
from kripke.engines.directed.claim import classify
from kripke.engines.linear.product_search import translate, with_one_set
from kripke.languages.promela import load

SEARCHES = ("astar", "best-first", "directed-dfs")
FORMULAS = (
    "[] <> (x == 1)",
    "<> [] (y == 0)",
    "[] ((x == 2) -> <> (y == 1))",
    "(<> [] (x == 0)) || [] <> (y == 2)",
    "[] <> (x == 1) && [] <> (y == 1)",
    "(x == 0) U (y == 2)",
    "[] ((y == 1) -> ((x != 2) U (y != 1)))",
    "<> (x == 2)",
)


def program(seed):
    """Two processes that change two small numbers, some of whose runs end."""
    choose = random.Random(seed)

    def option():
        guard = f"{choose.choice('xy')} {choose.choice(('==', '!=', '<'))} {choose.randrange(3)}"
        target = choose.choice("xy")
        value = choose.choice((str(choose.randrange(3)), f"({target} + 1) % 3"))
        end = choose.choice(("", "", "", "; break"))
        return f":: {guard} -> {target} = {value}{end}"

    def process(name):
        options = " ".join(option() for _ in range(choose.randrange(1, 4)))
        return f"active proctype {name}() {{ do {options} od }}"

    return f"byte x, y;\n{process('P')}\n{process('Q')}\n"


@pytest.mark.parametrize("seed", range(24))
def test_verdicts_are_those_of_the_search_by_components(tmp_path, seed):
    path = tmp_path / "m.pml"
    path.write_text(program(seed))
    formula = FORMULAS[seed % len(FORMULAS)]
    model = kripke.load(path)
    expected = model.check(ltl=formula, search="scc", engine="interpreter", clarify=False)
    for search in SEARCHES:
        natively, slowly = (
            model.check(ltl=formula, search=search, engine=engine, clarify=False)
            for engine in ("native", "interpreter")
        )
        for result in (natively, slowly):
            assert (result.verdict, result.complete or result.verdict == "violated") == (expected.verdict, True), search
            if result.verdict == "holds":
                assert result.states == expected.states, search
        if natively.engine["reopened"] == 0:  # second searches may take different ways back
            assert (natively.states, natively.engine["expanded"]) == (slowly.states, slowly.engine["expanded"]), search


def kinds(tmp_path, formula):
    path = tmp_path / "m.pml"
    path.write_text("bool p, q, r; active proctype P() { do :: p = !p :: q = !q :: r = !r od }")
    model = load(str(path), formulas=[formula])
    property_ = model.properties[0]
    return str(classify(with_one_set(model, property_, translate(model, property_))))


@pytest.mark.parametrize(
    ("formula", "kind"),
    [
        ("<> p", "F"),  # existence, globally
        ("[] (p -> <> q)", "N+F"),  # response, globally
        ("<> [] p", "P"),  # again and again not p: some cycles are without it
        ("[] p", "S+N"),  # absence and universality, globally: a finite run is enough
    ],
)
def test_kinds_of_components(tmp_path, formula, kind):
    """As in the paper's table of patterns, for a claim that says the opposite of the formula."""
    assert kinds(tmp_path, formula) == kind


LOOPS = """
byte x;
active proctype Far() { do :: x < 60 -> x++ :: x == 60 -> break od }
active [3] proctype Noise() { bit b; do :: b = !b od }
ltl live { <> (x == 70) }
ltl answered { [] ((x == 3) -> <> (x == 50)) }
"""


def test_a_search_with_an_aim_sees_less(tmp_path):
    path = tmp_path / "m.pml"
    path.write_text(LOOPS)
    model = kripke.load(path)
    whole = model.check(properties=["answered"], search="scc", clarify=False)
    aimed = model.check(properties=["answered"], search="best-first", engine="native", clarify=False)
    assert (whole.verdict, aimed.verdict) == ("violated", "violated")
    assert aimed.states * 4 < whole.states
    assert aimed.engine["claim"] == "N+F"
    trace = model.check(properties=["live"], search="astar").trace
    assert trace.loop_start is not None
