"""The compiled form of programs against the reference interpreter, state by state, under sanitizers."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.languages.lf import load
from tests.support.action_agreement import assert_agreement
from tests.support.random_lf import random_program


@pytest.mark.parametrize(
    ("seed", "queues", "fine"),
    [(1, "arrival", False), (4, "sorted", True), (16, "kernel", False), (28, "arrival", False), (6, "sorted", False)],
)
def test_random_programs(tmp_path: Path, seed: int, queues: str, fine: bool) -> None:
    file = tmp_path / "random.lf"
    file.write_text(random_program(seed))
    assert assert_agreement(load(str(file), queues=queues, fine=fine).program, tmp_path, most_states=300) > 1


def test_a_set_up_to_an_element_below_zero(tmp_path: Path) -> None:
    """Once the compiled form took {x .. -1} for {x}; both say that -1 is out of range."""
    file = tmp_path / "m.lf"
    file.write_text("MODULE M; VAR s : SET; x, y : INT8; BEGIN x := 3; y := -1; s := {x .. y}; RESCHEDULE END M.\n")
    assert assert_agreement(load(str(file)).program, tmp_path) == 1


def test_a_choice_of_one_branch_is_executed(tmp_path: Path) -> None:
    file = tmp_path / "m.lf"
    file.write_text("MODULE M; VAR x : INT8; BEGIN CHOICE x := 1 END; RESCHEDULE END M.\n")
    assert_agreement(load(str(file)).program, tmp_path)


def test_ranges_that_types_guarantee_are_not_checked(tmp_path: Path) -> None:
    """Sums may leave a type, remainders by constants may not; an index is checked unless its value must fit."""
    text = (
        "MODULE M; VAR a : ARRAY 4 OF INT8; s : SET8; x, y : INT8; u : UINT8;\nBEGIN\n"
        "  x := -7; y := (x - 3) MOD 4; RESCHEDULE; a[x MOD 4] := x DIV 2; RESCHEDULE; y := ABS(a[1]); RESCHEDULE;\n"
        "  u := 200; RESCHEDULE; u := u MOD 7 * 30; RESCHEDULE; x := -100; RESCHEDULE;\n"
        "  CHOICE y := x - 100 OR y := a[x] OR INCL(s, u) OR y := -x DIV y OR u := u + u OR y := x MOD 9 - 1 END;\n"
        "  RESCHEDULE\nEND M.\n"
    )
    file = tmp_path / "m.lf"
    file.write_text(text)
    model = load(str(file))
    assert_agreement(model.program, tmp_path)
    c = model.emit_c()
    assert "modulo_by" in c and c.count("checked_index(w,") == 1


def test_the_place_of_an_endless_action(tmp_path: Path) -> None:
    """Where a loop begins again: that is said by both, whatever is in it. Loops that end are not reported."""
    text = (
        "MODULE M; VAR x : INT8;\n"
        "PROCESS A; VAR i : INT8; BEGIN\n  FOR i := 1 TO 3 DO x := i END;\n  WHILE TRUE DO x := 1; x := 2 END END A;\n"
        "PROCESS B; VAR i : INT8; BEGIN\n  i := 5;\n  REPEAT IF i = 5 THEN i := 4 ELSE i := 5 END UNTIL i = 9 END B;\n"
        "PROCESS C; VAR i, j : INT8; BEGIN\n  WHILE i < 3 DO\n    INC(i);\n    WHILE i = 3 DO j := 0 END\n"
        "  END END C;\n"
        "PROCESS D; BEGIN\n  WHILE x = x DO END END D;\n"
        "BEGIN CREATE A; CREATE B; CREATE C; CREATE D END M.\n"
    )
    file = tmp_path / "m.lf"
    file.write_text(text)
    model = load(str(file))
    assert_agreement(model.program, tmp_path)
    found = check(model, SearchPlan(all_errors=True, deadlock=False)).findings
    assert {one.kind for one in found} == {"endless"}
    places = {}
    for one in found:
        assert one.span is not None
        places[one.span.line] = text.splitlines()[one.span.line - 1][one.span.column - 1 :].split()[0]
    assert places == {4: "x", 7: "REPEAT", 11: "WHILE", 14: "WHILE"}, places
