"""``--ctl`` and ``--mu`` through the real command, for programs and for nets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

TURNS = """\
byte x;
active proctype P() { do :: x < 2 -> x++ :: x == 2 -> x = 0 od }
active proctype Q() { do :: x == 2 -> x = 5; x = 0 od }
"""

NET = """\
<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="free"><initialMarking><text>1</text></initialMarking></place><place id="busy"/><place id="gone"/>
<transition id="begin"/><transition id="end"/><transition id="leave"/>
<arc id="a1" source="free" target="begin"/><arc id="a2" source="begin" target="busy"/>
<arc id="a3" source="busy" target="end"/><arc id="a4" source="end" target="free"/>
<arc id="a5" source="busy" target="leave"/><arc id="a6" source="leave" target="gone"/>
</page></net></pnml>
"""


def write(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return name


def checked(kripke, *arguments: str):
    ran = kripke("check", *arguments, "--json")
    return ran.code, json.loads(ran.out)


@pytest.mark.parametrize("engine", ["native", "interpreter"])
@pytest.mark.parametrize(
    ("option", "formula", "verdict", "steps", "loop"),
    [
        ("--ctl", "AG EF (x == 0)", "holds", None, None),
        ("--ctl", "EF (x == 5)", "holds", 6, None),  # the path is a witness
        ("--ctl", "AG (x < 5)", "violated", 6, None),
        ("--ctl", "AF (x == 5)", "violated", 11, 5),
        ("--ctl", "EG (x < 5)", "holds", 11, 5),
        ("--ctl", "AG (x == 2 -> EX (x == 5))", "violated", 4, None),  # to where there is no such step
        ("--ctl", "A[x < 5 U x == 2]", "holds", None, None),
        ("--ctl", "AG !(Q@goes)", "violated", 5, None),
        ("--ctl", "x == 0" + " <-> x == 0" * 40, "holds", None, None),
        ("--ctl", "AG (x == 5 <-> EX (x == 0))", "violated", 1, None),
        ("--mu", "nu X. mu Y. (x == 0 && <> X) || <> Y", "holds", None, None),
        ("--mu", "mu X. x == 5 || <> X", "holds", 6, None),
        ("--mu", "[Q] false", "holds", None, None),
        ("--mu", "EF <x = 5> true", "holds", 6, None),
        ("--mu", "mu X. x == 5 || <P> X", "violated", None, None),
    ],
)
def test_programs(kripke, tmp_path: Path, engine: str, option: str, formula: str, verdict: str, steps, loop) -> None:
    model = write(tmp_path, "turns.pml", TURNS.replace("x = 5;", "goes: x = 5;"))
    code, record = checked(kripke, model, option, formula, "--engine", engine)
    assert (record["verdict"], code) == (verdict, 0 if verdict == "holds" else 1)
    assert (record["states"], record["transitions"], record["engine"]["search"]) == (23, 40, "graph")
    trace = record["trace"]
    assert (None if trace is None else len(trace["steps"])) == steps
    assert (None if trace is None else trace["loop_start"]) == loop


@pytest.mark.parametrize(
    ("option", "formula", "verdict"),
    [
        ("--ctl", "AG (free + busy + gone == 1)", "holds"),
        ("--ctl", "AG EF free", "violated"),
        ("--ctl", "E[gone == 0 U fireable(leave)]", "holds"),
        ("--mu", "nu X. <begin> <end> X", "holds"),
        ("--mu", "nu X. <begin> <leave> X", "violated"),
    ],
)
def test_nets(kripke, tmp_path: Path, option: str, formula: str, verdict: str) -> None:
    model = write(tmp_path, "n.pnml", NET)
    code, record = checked(kripke, model, option, formula)
    assert (record["verdict"], code, record["states"]) == (verdict, 0 if verdict == "holds" else 1, 3)


def test_several_at_once_with_linear_time(kripke, tmp_path: Path) -> None:
    model = write(tmp_path, "turns.pml", TURNS)
    code, record = checked(
        kripke, model, "--ctl", "EF (x == 5)", "--mu", "<> true", "--ltl", "[] (x < 9)", "--ltl", "<> (x == 5)"
    )
    assert code == 1
    assert [(part["kind"], part["verdict"]) for part in record["properties"]] == [
        ("ctl", "holds"),
        ("mu", "holds"),
        ("ltl", "holds"),
        ("ltl", "violated"),
    ]


def test_a_saved_run_is_replayed(kripke, tmp_path: Path) -> None:
    model = write(tmp_path, "turns.pml", TURNS)
    kripke("check", model, "--ctl", "AF (x == 5)", "--trace", "t.json", "--html", "t.html")
    ran = kripke("replay", "t.json")
    assert ran.code == 0
    assert "repeat for ever" in ran.out


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        (TURNS, ["--ctl", "AG (x < 9)", "--max-states", "5"], "the limit of states was reached"),
        (
            TURNS.replace("x = 0", "assert(x != 2); x = 0"),
            ["--ctl", "AG (x < 9)"],
            "a step of the model is an error and leads nowhere (kripke check shows it), so paths are missing",
        ),
        (
            "byte x, a[3]; active proctype P() { do :: x < 5 -> x++ od }",
            ["--ctl", "AG (a[x] == 0)"],
            "a condition of the formula cannot be evaluated in some state",
        ),
    ],
)
@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_unknown(kripke, tmp_path: Path, engine: str, text: str, options, reason: str) -> None:
    model = write(tmp_path, "m.pml", text)
    code, record = checked(kripke, model, *options, "--engine", engine)
    assert (code, record["verdict"], record["reason"]) == (3, "unknown", reason)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--ctl", "EF p", "--fair", "weak"],
            "error: --fair does not go with --ctl and --mu, which look at the graph of all states: leave one out\n",
        ),
        (
            ["--mu", "<no> true"],
            "error: --mu <no> true: there is no action 'no'; an action is the text of a statement, the name of a "
            "process, or of a net the name of a transition\n",
        ),
        (["--ctl", "AG (x <"], "<ctl formula 1>:1:4: error: this bracket is not closed\n  AG (x <\n     ^\n"),
        (["--ctl", "EF (y == 1)"], "<condition 1>:1:1: error: unknown name 'y'\n  y == 1\n  ^\n"),
    ],
)
def test_refused(kripke, tmp_path: Path, options, message: str) -> None:
    model = write(tmp_path, "turns.pml", TURNS.replace("byte x;", "byte x; bool p;"))
    ran = kripke("check", model, *options)
    assert (ran.code, ran.out, ran.err) == (2, "", message)
