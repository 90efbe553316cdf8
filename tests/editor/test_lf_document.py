"""A module of LF in an editor."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="pip install 'kripke[lsp]'")
from kripke.editor.reading import read_document

TEXT = """\
MODULE Main;
IMPORT Links;
TYPE Pair = RECORD left, right : INT8 END;
PORT q : Links.Link;
VAR p : Pair;
PROCESS Worker(in : Links.Link; VAR sum : INT8);
VAR x : INT8;
BEGIN
  in?item(x); sum := sum + x; p.left := x
END Worker;
PROPERTY Never; BEGIN NOMOVE END Never;
BEGIN NEW(q); CREATE Worker(q, p.right); CREATE Links.Source(q) END Main.
"""
LINKS = """\
MODULE Links;
TYPE Link* = [item(INT8), end];
PROCESS Source*(out : Link); BEGIN out!item(1) END Source;
END Links.
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "Links.lf").write_text(LINKS)
    return str(tmp_path / "Main.lf")


def at(text: str, word: str, number: int = 0) -> tuple[int, int]:
    """Where a word stands, the first time or later."""
    position = -1
    for _ in range(number + 1):
        position = text.index(word, position + 1)
    line = text.count("\n", 0, position)
    return line, position - (text.rfind("\n", 0, position) + 1)


def test_a_good_module_has_no_problems_and_an_outline(path: str) -> None:
    document = read_document(None, TEXT, path)
    assert document.problems() == []
    assert [(one.name, one.kind) for one in document.outline()] == [
        ("Pair", "type"),
        ("q", "port"),
        ("p", "variable"),
        ("Worker", "process"),
        ("Never", "property"),
    ]
    worker = document.outline()[3]
    assert [(one.name, one.kind) for one in worker.children] == [
        ("in", "parameter"),
        ("sum", "parameter"),
        ("x", "variable"),
    ]


def test_names_lead_to_their_declarations(path: str) -> None:
    document = read_document(None, TEXT, path)
    found = {
        "local": document.symbol_at(*at(TEXT, "x); sum")),
        "component": document.symbol_at(*at(TEXT, "left :=")),
        "message": document.symbol_at(*at(TEXT, "item(x)")),
        "other module": document.symbol_at(*at(TEXT, "Source")),
    }
    shown = {what: one and (one.kind, Path(one.file).name, one.name_range.line + 1) for what, one in found.items()}
    assert shown == {
        "local": ("variable", "Main.lf", 7),
        "component": ("component", "Main.lf", 3),
        "message": ("message", "Links.lf", 2),
        "other module": ("process", "Links.lf", 3),
    }


def test_an_error_has_its_place_and_the_last_good_outline_stays(path: str) -> None:
    before = read_document(None, TEXT, path)
    wrong = read_document(None, TEXT.replace("sum + x", "sum + TRUE"), path, before)
    (problem,) = wrong.problems()
    assert problem.range.line == 8 and problem.severity == "error" and "BOOLEAN" in problem.message
    broken = read_document(None, TEXT.replace("END Worker", "END Wrkr"), path, before)
    assert len(broken.problems()) == 1
    assert [one.name for one in broken.outline()] == ["Pair", "q", "p", "Worker", "Never"]
    assert (
        read_document(None, TEXT.replace("IMPORT Links", "IMPORT Lnks"), path)
        .problems()[0]
        .message.startswith("there is no module Lnks")
    )
