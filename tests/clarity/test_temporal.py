"""Runs that break temporal properties, made clear and explained."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kripke
from kripke.checker.check import check_properties
from kripke.clarity.reorder import switches
from kripke.engines.explicit.search import Fairness, Order
from kripke.engines.plan import SearchPlan
from kripke.logic.lasso import Lasso, holds
from kripke.logic.parser import parse
from kripke.model.model import Part, Transition
from kripke.model.product import Product
from kripke.model.property import Temporal
from kripke.model.trace import Trace
from tests.support.toys import Toy, statement


class Wheels(Toy):
    """Three processes, each turning its own counter round; the third comes to an end where ``ends`` says so."""

    names = ("x", "y", "z")
    statements = tuple(statement(f"{name}++", line) for line, name in enumerate("xyz", start=1))
    atoms = ("x", "y", "z")

    def __init__(self, sizes: tuple[int, int, int], formula: str, *, ends: bool) -> None:
        self.sizes = sizes
        self.ends = ends
        self.properties = (Temporal("f", "ltl", formula, formula=parse(formula)),)

    def initial(self) -> list[bytes]:
        return [bytes(3)]

    def successors(self, state: bytes) -> list[Transition]:
        steps = []
        for actor, size in enumerate(self.sizes):
            if actor < 2 and self.ends and state[2] == self.sizes[2] - 1:
                continue
            if actor == 2 and self.ends and state[2] == size - 1:
                continue
            turned = bytes((v + (i == actor)) % size if i == actor else v for i, v in enumerate(state))
            steps.append(Transition((Part(actor, actor),), turned))
        return steps[::-1]

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        return tuple(value == 1 for value in state)


FORMULAS = [
    "<> x", "[] <> x", "<> [] y", "[] (x -> <> y)", "x U y", "[] !(x && y)", "[] (x -> X !y)", "[] <> x -> [] <> y",
    "!(<> (x && <> (y && <> z)))", "[] (x -> (x U (y W z)))", "<> (x && X x) || [] z",
]  # fmt: skip


def letters(trace: Trace) -> Lasso:
    assert isinstance(trace.model, Product)
    states = [step.before for step in trace.steps]
    found = []
    for state in states:
        values = trace.model.base.atom_values(trace.model.split(state)[0])
        found.append(sum(1 << i for i, value in enumerate(values) if value))
    # Of a beginning that decides, the run may go on in any way: here it stays where it is.
    return Lasso(tuple(found), len(found) - 1 if trace.loop_start is None else trace.loop_start)


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(st.integers(2, 3), st.integers(2, 3), st.integers(2, 3)),
    st.sampled_from(FORMULAS),
    st.booleans(),
    st.sampled_from(["ndfs", "scc"]),
    st.sampled_from([None, "weak", "strong"]),
)
def test_clear_runs_break_the_same_formula(
    sizes: tuple[int, int, int], formula: str, ends: bool, search: Order, fair: Fairness | None
) -> None:
    model = Wheels(sizes, formula, ends=ends)
    search = "scc" if fair else search

    def run(clarify: bool) -> Trace | None:
        options = SearchPlan(
            engine="interpreter", properties=("f",), search=search, fair=fair, clarify=clarify, deadlock=False
        )
        return check_properties(model, options).trace

    found, clear = run(False), run(True)
    assert (found is None) == (clear is None)
    if found is None or clear is None:
        return
    assert len(clear) + clear.omitted == len(found)
    assert switches(clear.steps) <= switches(found.steps)
    assert not holds(parse(formula), letters(clear), model.atoms)
    assert clear.explanation is not None


def checked(tmp_path: Path, text: str, **options: object) -> Trace:
    file = tmp_path / "m.pml"
    file.write_text(text)
    trace = kripke.load(file).check(engine="interpreter", **options).trace  # type: ignore[arg-type]
    assert trace is not None
    return trace


STARVED = """
bool asked, served; byte turns;
active proctype client() { asked = true; served }
active proctype server() { do :: turns = 1 - turns :: asked -> served = true; break od }
ltl answered { [] (asked -> <> served) }
"""


def test_the_obligation_that_is_never_met(tmp_path: Path) -> None:
    trace = checked(tmp_path, STARVED, properties="answered")
    assert trace.loop_start is not None and trace.explanation is not None
    assert trace.explanation.summary == "what answered asks for never comes: served"
    asked = next(step.number for step in trace.steps if "asked = true" in step.statements)
    assert [str(reason) for reason in trace.explanation.reasons][:2] == [
        f"after step {asked}, asked is true:  asked = true",
        f"after step {asked} and for ever, served is false",
    ]
    assert "client:0 does not move in the loop" in str(trace.explanation.reasons[-1])


def test_a_run_that_ends_waits_for_something(tmp_path: Path) -> None:
    trace = checked(tmp_path, "bool go, done; active proctype p() { go; done = true } ltl f { <> done }", ltl="<> done")
    assert trace.explanation is not None
    assert [str(reason) for reason in trace.explanation.reasons] == [
        "at the start and for ever, done is false",
        "p:0 (line 1) waits for go:  go = false",
    ]


def test_a_beginning_that_nothing_makes_right(tmp_path: Path) -> None:
    text = "byte x; active proctype p() { do :: x < 5 -> x++ :: x > 0 -> x-- od }"
    trace = checked(tmp_path, text, ltl="[] (x < 2)", search="dfs")
    assert trace.explanation is not None
    assert [str(reason) for reason in trace.explanation.reasons] == ["after step 4, x < 2 is false:  x = 2"]
    assert len(trace) == 5


@pytest.mark.parametrize("clarify", [True, False])
def test_what_is_possible_is_not_explained(tmp_path: Path, clarify: bool) -> None:
    trace = checked(tmp_path, "byte x; active proctype p() { do :: x = 1 - x od }", possible="<> x", clarify=clarify)
    assert trace.explanation is None or "never comes" not in trace.explanation.summary
