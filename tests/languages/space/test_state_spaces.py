"""State spaces in files are models."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.model.source import ModelError
from kripke.report.fragments import merge
from kripke.report.tables import write_tables
from tests.support.local_workers import explore_locally

EXAMPLES = Path(__file__).parents[3] / "examples"
VENDING = EXAMPLES / "space/vending.aut"


def test_branching_and_linear_time_of_labels() -> None:
    model = kripke.load(VENDING)
    result = model.check(
        ctl=['AG (enabled(coin) -> AX enabled("choose tea"))', "EF deadlock", "AG AF enabled(tea)"],
        mu=['<coin> <"choose tea"> true', "<tea> true"],
    )
    assert [one.verdict for one in result.parts] == ["holds", "violated", "violated", "holds", "violated"]
    result = model.check(ltl="[] (enabled(coin) -> <> enabled(tea))")
    assert result.verdict == "violated" and result.trace is not None and result.trace.loop_start == 1
    assert model.check(invariants=["state < 4 && (state == 0 -> enabled(coin))"]).verdict == "holds"


def test_a_deadlock_has_a_run(tmp_path: Path) -> None:
    file = tmp_path / "stuck.aut"
    file.write_text('des (0, 2, 3)\n(0, "a", 1)\n(1, "say \\"b\\"", 2)\n')
    result = kripke.load(file).check()
    assert (result.verdict, result.states, result.depth) == ("violated", 3, 2)
    assert kripke.load(file).check(ctl="EF enabled(a)").verdict == "holds"


def test_a_table_of_variables(tmp_path: Path) -> None:
    """The same answers from the model and from its merged state space."""
    source = kripke.load(EXAMPLES / "promela/leader_election.pml")
    (tmp_path / "parts").mkdir()
    merged = tmp_path / "merged.parquet"
    merge(explore_locally(source.model, 3, tmp_path / "parts"), str(merged))
    merge_of_one = tmp_path / "one.parquet"
    write_tables(source.model, str(merge_of_one))
    formulas = ["EF leaders == 1", "AG leaders <= 1", "AF leaders == 1", "AG EF leaders == 1", "EG leaders == 0"]
    wanted = [one.verdict for one in source.check(ctl=formulas).parts]
    for file in (merged, merge_of_one):
        model = kripke.load(file)
        assert [one.verdict for one in model.check(ctl=formulas).parts] == wanted
        found = model.check(ctl='AG ("to[0]" == empty)')
        assert found.verdict == "violated"
        result = model.check()
        assert (result.verdict, result.states, result.transitions) == ("holds", 115, 224)


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    for text, words in (
        ("", "an .aut file begins with: des"),
        ("des (0, 1, 1)\n(0, a, 7)\n", "there are 1 states, counted from 0"),
        ("des (5, 0, 1)\n", "there is no initial state 5 among 1"),
        ("des (0, 2, 1)\n(0, a, 0)\n", "announces 2 transitions, and there are 1"),
    ):
        file = tmp_path / "wrong.aut"
        file.write_text(text)
        with pytest.raises(ModelError, match=words.replace("(", r"\(")):
            kripke.load(file)
    for formula, words in (
        ("EF enabled(nothing)", "no step has the label 'nothing'"),
        ("EF x == 1", "there is no column 'x'"),
        ("EF something", "there is no condition 'something'"),
        ("EF state < a", "only numbers are less or greater"),
    ):
        with pytest.raises(ModelError, match=words.replace("(", r"\(")):
            kripke.load(VENDING).check(ctl=formula)
    table = tmp_path / "odd.parquet"
    table.write_bytes(b"PAR1 and no more")
    with pytest.raises(ModelError, match=r"odd\.transitions\.parquet: there is no such file"):
        kripke.load(table)
    (tmp_path / "odd.transitions.parquet").write_bytes(b"PAR1")
    with pytest.raises(ModelError, match="is no table of a state space"):
        kripke.load(table)
