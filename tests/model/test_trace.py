"""Traces: differences, JSON, files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kripke.engines.runs.replay import replay_path
from kripke.model.trace import Difference, SavedTrace, TraceFileError, differences
from tests.support.toys import Counters, Graph


def test_differences() -> None:
    before = {"a": "1", "b": "2", "old": "3"}
    after = {"a": "1", "b": "5", "new": "0"}
    assert differences(before, after) == (
        Difference("b", "2", "5"),
        Difference("new", None, "0"),
        Difference("old", "3", None),
    )


def test_a_step_tells_everything() -> None:
    (step,) = replay_path(Counters(2), (b"\0\0", b"\0\1")).steps
    assert step.actor == "P:1"
    assert step.statements == ("y = y + 1",)
    assert [str(span) for span in step.spans] == ["toy.pml:7:5"]
    assert step.values == ((),)
    assert step.after == {"x": "0", "y": "1"}
    assert step.differences == (Difference("y", "0", "1"),)
    assert step.printed == "y moves\n"


def test_a_process_created_in_the_step_has_a_name() -> None:
    class Late(Graph):
        def actor_name(self, actor: int, state: bytes) -> str:
            if state == b"\0":
                raise IndexError
            return "late:1"

    (step,) = replay_path(Late([[1], []]), (b"\0", b"\1")).steps
    assert step.actor == "late:1"


def test_save_and_read(tmp_path: Path) -> None:
    trace = replay_path(Counters(2), (b"\0\0", b"\1\0", b"\1\1"), {"defines": {"N": "2"}})
    kept = trace.save(tmp_path / "trace.json")
    assert kept.file == str(tmp_path / "trace.json")
    record = json.loads((tmp_path / "trace.json").read_text())
    assert (record["format"], record["version"]) == ("kripke-trace", 1)
    assert record["model"] == {"file": "toy.pml", "language": "toy", "defines": {"N": "2"}}
    saved = SavedTrace.read(tmp_path / "trace.json")
    assert saved.origin == {"defines": {"N": "2"}}
    assert saved.initial == b"\0\0"
    assert [(str(step), step.state) for step in saved.steps] == [
        ("P:0 x = x + 1", b"\1\0"),
        ("P:1 y = y + 1", b"\1\1"),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("not json", "{file} is not a trace of Kripke: it is not JSON"),
        ("[]", "{file} is not a trace of Kripke"),
        ('{"format": "kripke-trace", "version": 7}', "{file} is a trace of version 7; this Kripke reads version 1"),
        ('{"format": "kripke-trace", "version": 1}', "{file} is damaged: model is missing in it"),
        ("[" * 100_000, "{file} is not a trace of Kripke: it is not JSON"),
    ],
)
def test_files_that_are_no_traces(content: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    file.write_text(content)
    with pytest.raises(TraceFileError) as error:
        SavedTrace.read(file)
    assert str(error.value) == message.format(file=file)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(TraceFileError, match="No such file or directory"):
        SavedTrace.read(tmp_path / "nothing.json")


def test_show(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    replay_path(Counters(2), (b"\0\0", b"\1\0", b"\1\1")).show()
    assert capsys.readouterr().out == (
        "step  process  place      statement  changes\n"
        "   1  P:0      toy.pml:3  x = x + 1  x: 0 -> 1\n"
        "   2  P:1      toy.pml:7  y = y + 1  y: 0 -> 1\n"
    )
