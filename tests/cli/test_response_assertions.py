"""``assert_eventually(q)`` in processes, and ``moves(i)``, ``next(i, f)`` in formulas: atoms of steps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ENGINES = ("native", "interpreter")


def checked(kripke, *arguments: str):
    ran = kripke("check", *arguments, "--json")
    assert ran.err == ""
    return json.loads(ran.out)


def verdicts(record) -> dict[str, str]:
    return {part["property"].partition(":")[0]: part["verdict"] for part in record["properties"]}


def model(tmp_path: Path, text: str) -> str:
    (tmp_path / "m.pml").write_text(text)
    return "m.pml"


# --- assert_eventually ------------------------------------------------------------------------------------------------

SERVER = """\
bool asked, served;
active proctype Client() { do :: asked == served -> asked = !asked; assert_eventually(served == asked) od }
active proctype Server() { do :: served != asked -> served = asked :: WAIT od }
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_a_response_that_may_not_come(kripke, tmp_path: Path, engine: str) -> None:
    file = model(tmp_path, SERVER.replace("WAIT", "served = served; served = served"))
    record = checked(kripke, file, "--engine", engine, "--property", "assert_eventually_2")
    assert (record["verdict"], record["kind"]) == ("violated", "ltl")
    assert record["property"] == "assert_eventually_2: assert_eventually(served == asked)"
    assert record["trace"]["loop_start"] >= 2
    assert checked(kripke, file, "--engine", engine, "--fair", "weak-edges")["verdict"] == "violated"
    assert checked(kripke, file, "--engine", engine, "--fair", "strong-edges")["verdict"] == "holds"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_response_that_comes(kripke, tmp_path: Path, engine: str) -> None:
    file = model(tmp_path, SERVER.replace(":: WAIT", ""))
    record = checked(kripke, file, "--engine", engine)
    assert verdicts(record)["assert_eventually_2"] == "holds"


def test_the_state_space_is_that_of_skip(kripke, tmp_path: Path) -> None:
    file = model(tmp_path, SERVER.replace("WAIT", "true"))
    with_assertion = checked(kripke, file, "--property", "safety", "--all-errors")
    file = model(
        tmp_path, SERVER.replace("WAIT", "true").replace("assert_eventually(served == asked)", "served == served")
    )
    without = checked(kripke, file, "--property", "safety", "--all-errors")
    assert with_assertion["states"] == without["states"]
    assert with_assertion["transitions"] == without["transitions"]


def test_it_is_an_obligation_only_where_it_is_executed(kripke, tmp_path: Path) -> None:
    file = model(tmp_path, "byte x; active proctype P() { x == 1; assert_eventually(x == 2) }")
    assert verdicts(checked(kripke, file, "--property", "assert_eventually_1"))["assert_eventually_1"] == "holds"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # What was true before the atomic sequence does not count, what is true where the statement stands does.
        ("atomic { x = 1; assert_eventually(x == 0) }", "violated"),
        ("atomic { x = 1; assert_eventually(x == 1); x = 2 }", "holds"),
        ("atomic { assert_eventually(x == 1); x = 1; x = 2 }", "violated"),
        ("d_step { x = 1; assert_eventually(x == 0) }", "violated"),
        ("d_step { x = 1; assert_eventually(x == 0) }; x = 0", "holds"),
        ("assert_eventually(x == 0)", "holds"),
        ("assert_eventually(x == 1); x = 1", "holds"),
        ("assert_eventually(x == 1); if :: x = 1 :: x = 2 fi", "violated"),
        ("assert_eventually(false)", "violated"),
        ("do :: x = 1 - x; assert_eventually(x == 1) od", "holds"),
        ("L: assert_eventually(P@L); goto L", "holds"),
    ],
)
def test_where_it_stands(kripke, tmp_path: Path, body: str, expected: str, engine: str) -> None:
    file = model(tmp_path, f"byte x; active proctype P() {{ {body} }}\n")
    assert checked(kripke, file, "--property", "assert_eventually_1", "--engine", engine)["verdict"] == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_every_process_owes_its_own(kripke, tmp_path: Path, engine: str) -> None:
    # One process after the other, so that there are few states.
    text = (
        "bool done[12]; byte turn; active [11] proctype P() { turn == _pid; assert_eventually(done[_pid]);\n"
        "if :: _pid != LATE -> done[_pid] = true :: else fi; turn++ }"
    )
    for late, expected in (("9", "violated"), ("11", "holds")):
        ordered = text.replace("LATE", late)
        record = checked(kripke, model(tmp_path, ordered), "--property", "assert_eventually_1", "--engine", engine)
        assert record["verdict"] == expected


def test_as_the_formula_it_stands_for(kripke, tmp_path: Path) -> None:
    """Beside a message to oneself that a formula can speak of."""
    text = (
        "byte x, y; chan c = [1] of { bit };\n"
        "active proctype P() { do :: x = (x + 1) % 3; WHAT :: y == 1 -> y = 0 :: x == 2 -> break od }\n"
        "active proctype Q() { do :: y = 1 :: x == 1 -> x = 2 :: x == 0 && y == 1 -> break od }\n"
    )
    for condition in ("x == 0", "x == 2", "y == 1", "x == 1 && y == 1", "x + y == 3", "y == 0"):
        for fair in ((), ("--fair", "weak"), ("--fair", "strong")):
            file = model(tmp_path, text.replace("WHAT", f"assert_eventually({condition})"))
            found = checked(kripke, file, "--property", "assert_eventually_2", *fair)["verdict"]
            file = model(tmp_path, text.replace("WHAT", "atomic { c!1; c?_ }"))
            expected = checked(kripke, file, "--ltl", f"[] (fires(c!) -> X <> ({condition}))", *fair)["verdict"]
            assert (condition, fair, found) == (condition, fair, expected)


def test_inlines_and_several_in_a_line(kripke, tmp_path: Path) -> None:
    text = (
        "byte x; inline promise(n) { assert_eventually(x == n) }\n"
        "active proctype P() { promise(1); x = 1; promise(2) }\n"
        "active proctype Q() { assert_eventually(x == 1); assert_eventually(x == 3) }\n"
    )
    found = verdicts(checked(kripke, model(tmp_path, text)))
    expected = {"assert_eventually_3": "holds", "assert_eventually_3_2": "violated"}
    assert {name: found[name] for name in expected} == expected
    assert found["assert_eventually_1"] == "violated"  # promise(2)
    text = text.replace("promise(2)", "x = 2; promise(2)")
    assert verdicts(checked(kripke, model(tmp_path, text)))["assert_eventually_1"] == "holds"


def test_a_trace_is_saved_and_replayed(kripke, tmp_path: Path) -> None:
    file = model(tmp_path, SERVER.replace("WAIT", "true"))
    assert kripke("check", file, "--trace", "t.json").code == 1
    assert "assert_eventually(served == asked)" in kripke("replay", "t.json").out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "active proctype P() { byte y; assert_eventually(y == 1) }",
            "'y' is local: 'assert_eventually' is about what can be seen from outside",
        ),
        ("active proctype P() { assert_eventually(z == 1) }", "unknown name 'z'"),
        (
            "proctype P() { assert_eventually(a[_pid] == 1) } init { run P() }",
            "'_pid' in 'assert_eventually' is for processes that run from the start",
        ),
        (
            "proctype Q() { skip } active proctype P() { assert_eventually(run Q()) }",
            "'assert_eventually' has no 'run' in it",
        ),
        (
            "active proctype P() { skip } never { assert_eventually(a[0] == 1) }",
            "'assert_eventually' belongs into a process",
        ),
        ("active proctype P() { assert_eventually a[0] }", "expected '(' after 'assert_eventually', found 'a'"),
    ],
)
def test_refused(kripke, tmp_path: Path, text: str, message: str) -> None:
    ran = kripke("check", model(tmp_path, "byte a[2]; " + text))
    assert ran.code == 2
    assert message in ran.err


# --- who moves --------------------------------------------------------------------------------------------------------

WALKERS = """\
byte x, y;
active proctype A() { do :: x = (x + 1) % 3 :: x == 2 -> y = 1 od }
active proctype B() { do :: atomic { y == 1 -> y = 0; x = 0 } :: x == 1 -> x = 2 :: x == 0 -> break od; y = 1 }
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_next_is_what_last_says(kripke, tmp_path: Path, engine: str) -> None:
    file = model(tmp_path, WALKERS)
    seen = set()
    for i in (0, 1):
        for when in ("x == 1", "x == 2", "y == 1"):
            for then in ("x == 2", "y == 1", "x == 0 || y == 0", "x < 3"):
                for fair in ((), ("--fair", "weak")) if engine == "native" and i == 1 else ((),):
                    by_last = f"[] ({when} -> X ((_last != {i}) W (_last == {i} && ({then}))))"
                    by_next = f"[] ({when} -> next({i}, {then}))"
                    expected = checked(kripke, file, "--ltl", by_last, "--engine", engine, *fair)["verdict"]
                    found = checked(kripke, file, "--ltl", by_next, "--engine", engine, *fair)["verdict"]
                    assert (by_next, fair, found) == (by_next, fair, expected)
                    seen.add(found)
    assert seen == {"holds", "violated"}


@pytest.mark.parametrize("engine", ENGINES)
def test_both_move_in_a_rendezvous(kripke, tmp_path: Path, engine: str) -> None:
    file = model(
        tmp_path,
        "byte x; chan c = [0] of { bit };\n"
        "active proctype A() { x = 1; c!1; x = 2 }\nactive proctype B() { c?_; x == 2 }\n"
        "active proctype C() { false }\n",
    )
    for formula, expected in (
        ("moves(0) && !moves(1)", "holds"),
        ("X (moves(0) && moves(1))", "holds"),
        ("next(1, x == 1)", "holds"),
        ("next(0, next(0, X (x == 2)))", "holds"),
        ("next(2, false)", "holds"),  # C never moves
        ("<> moves(2)", "violated"),
        ("next(0, x == 2)", "violated"),
        ("[] <> moves(0)", "violated"),  # it ends
    ):
        found = checked(kripke, file, "--ltl", formula, "--engine", engine)["verdict"]
        assert (formula, found) == (formula, expected)


def test_to_move_costs_no_states(kripke, tmp_path: Path) -> None:
    file = model(tmp_path, WALKERS)
    plain = checked(kripke, file, "--ltl", "[] true || <> moves(0)")
    with_moves = checked(kripke, file, "--ltl", "[] (moves(0) || moves(1) || [] true)", "--property", "safety")
    assert plain["verdict"] == "holds"
    assert with_moves["properties"][0]["states"] == checked(kripke, file, "--property", "safety")["states"]


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        (
            "next(x, x == 1)",
            "name the process that moves by its number, a constant: processes count from 0 as they start",
        ),
        ("next(0, x, y)", "next(i, f) has a process and a formula, not 3 parts"),
        ("<> moves(300)", "name the process that moves by its number"),
        (
            "moves(0) + 1 == 2",
            "moves(...) is about a step, not about a state: only formulas of linear time have it",
        ),
    ],
)
def test_refused_formulas(kripke, tmp_path: Path, formula: str, message: str) -> None:
    ran = kripke("check", model(tmp_path, WALKERS), "--ltl", formula)
    assert ran.code == 2
    assert message in ran.err
