"""``kripke info --overlaps``: guards that can both be true."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kripke.cli.main import main

pytest.importorskip("pysat")

MODEL = """\
byte x;
byte limit[2];
active [2] proctype P() {
    do
    :: x > 3 -> x = 0
    :: x < 5 -> x = x + 1
    :: x == 9 -> x = 0
    :: limit[_pid] == 2 -> x = limit[_pid]
    od
}
"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.pml").write_text(MODEL)
    return "m.pml"


def pairs(capsys: pytest.CaptureFixture[str], *options: str) -> dict[tuple[str, str], list[str]]:
    assert main(["info", *options, "--overlaps", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["overlaps"]
    return {(one["first"].split(": ")[1], one["second"].split(": ")[1]): one["differ in"] for one in found}


def test_pairs(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = pairs(capsys, model)
    limit = "limit[_pid] == 2"
    assert set(found) == {("x > 3", "x < 5"), ("x > 3", "x == 9"), *((g, limit) for g in ("x > 3", "x < 5", "x == 9"))}
    # the conditions are steps of their own: what follows is another place
    assert set(map(tuple, found.values())) == {("control",)}


def test_what_is_known_rules_pairs_out(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = pairs(capsys, model, "--assume", "x != 4", "--assume", "limit[0] != 2")
    assert set(found) == {("x > 3", "x == 9")}


def test_the_same_effects_and_an_example(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        "byte x;\nbyte y;\nactive proctype P() {\n    do\n    :: d_step { x > 6 -> y = 1 }\n"
        "    :: d_step { x == 7 -> y = 1 }\n    :: d_step { x > 6 && y == 0 -> y = x }\n    od\n}\n"
    )
    Path(model).write_text(text)
    assert main(["info", model, "--overlaps", "--assume", "x < 9"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == [
        "m.pml:5: d_step { x > 6 -> y = 1 }",
        "m.pml:6: d_step { x == 7 -> y = 1 }",
        "  both can be true, and then they do the same",
        "  such as x = 7",
    ]
    assert lines[-1] == "3 pairs of statements with guards that overlap, 2 with different effects"
    assert lines.count("  both can be true, and then they differ in y") == 2


def test_refused(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", model, "--assume", "x < 3"]) == 2
    assert "--assume is about states in which guards overlap: it goes with --overlaps" in capsys.readouterr().err
    Path("m.csp").write_text("channel a\nP = a -> P\nassert P :[deadlock free]\n")
    assert main(["info", "m.csp", "--overlaps"]) == 2
    assert "overlaps of guards: models in cspm have no form in terms" in capsys.readouterr().err
