"""Checks and runs that an editor starts, and an editor that behaves badly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="pip install 'kripke[lsp]'")
from tests.editor.conversation import HERE, Conversation, at, changed

MODEL = """\
byte x;
active proctype counter() {
    do :: x < 3 -> x++ :: else -> break od;
    assert(x == 2)
}
ltl small { [] (x < 4) }
"""


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Conversation]:
    (tmp_path / "m.pml").write_text(MODEL)
    with Conversation(tmp_path) as found:
        found.begin()
        yield found


def command(editor: Conversation, name: str, *arguments: Any) -> dict[str, Any]:
    return editor.ask("workspace/executeCommand", {"command": name, "arguments": list(arguments)})


def test_a_check_and_a_run(editor: Conversation) -> None:
    assert editor.open("m.pml", MODEL) == []
    lenses = editor.ask("textDocument/codeLens", {"textDocument": {"uri": f"{HERE}/m.pml"}})["result"]
    check = next(lens["command"] for lens in lenses if lens["command"]["title"] == "check all")
    result = command(editor, check["command"], *check["arguments"])["result"]
    assert result["verdict"] == "violated" and "assert(x == 2)" in Path(result["html"]).read_text()
    (found,) = editor.problems("m.pml")
    assert found["source"] == "kripke check" and found["range"]["start"] == at(MODEL, "assert")
    said = editor.note("window/showMessage")
    assert said["type"] == 2 and said["message"].startswith("m.pml: violated: assertion violated: assert(x == 2)")
    # What was found is about the text as it was.
    assert editor.change("m.pml", MODEL.replace("== 2", "== 3"), 2) == []
    run = next(lens["command"] for lens in lenses if lens["command"]["title"] == "simulate")
    assert "counter:0" in command(editor, run["command"], *run["arguments"])["result"]["text"]
    # No such property, no such file, no such command: words, and the server goes on.
    assert (
        "the model has no property of that name"
        in command(editor, "kripke.check", f"{HERE}/m.pml", "p")["result"]["message"]
    )
    assert command(editor, "kripke.check", f"{HERE}/none.pml", None)["result"]["verdict"] == "error"
    for wrong in (("kripke.check",), ("kripke.check", []), ("kripke.nothing",)):
        assert "error" in command(editor, *wrong)
    assert command(editor, "kripke.check", "--help", None)["result"]["verdict"] == "error"
    assert editor.ask("textDocument/codeLens", {"textDocument": {"uri": f"{HERE}/m.pml"}})["result"]


def test_quick_fixes_in_the_protocol(editor: Conversation) -> None:
    text = "proctype Q(byte n) { skip }\ninit { Q(3) }\n"
    (problem,) = editor.open("q.pml", text)
    asked = {"textDocument": {"uri": f"{HERE}/q.pml"}, "range": problem["range"], "context": {"diagnostics": [problem]}}
    (action,) = editor.ask("textDocument/codeAction", asked)["result"]
    assert (action["title"], action["kind"], action["isPreferred"]) == ("start it: run Q(...)", "quickfix", True)
    assert action["diagnostics"] == [problem]
    mended = changed(text, action["edit"]["changes"][f"{HERE}/q.pml"])
    assert mended == "proctype Q(byte n) { skip }\ninit { run Q(3) }\n"
    assert [one for one in editor.change("q.pml", mended, 2) if one["severity"] == 1] == []


def test_names_over_several_files(editor: Conversation, tmp_path: Path) -> None:
    shared, main = "byte limit = 3;\n", '#include "shared.pml"\nactive proctype P() { limit = limit - 1 }\n'
    (tmp_path / "shared.pml").write_text(shared)
    (tmp_path / "main.pml").write_text(main)
    (tmp_path / "other.pml").write_text("byte limit; init { limit = 2 }\n")
    editor.open("main.pml", main)
    asked = {"textDocument": {"uri": f"{HERE}/main.pml"}, "position": at(main, "limit")}
    found = editor.ask("textDocument/references", asked | {"context": {"includeDeclaration": True}})["result"]
    assert sorted(Path(each["uri"]).name for each in found) == ["main.pml", "main.pml", "shared.pml"]
    changes = editor.ask("textDocument/rename", asked | {"newName": "most"})["result"]["changes"]
    assert {Path(uri).name: len(edits) for uri, edits in changes.items()} == {"main.pml": 2, "shared.pml": 1}
    # The included file changes on the disk: the text that is open says so.
    (tmp_path / "shared.pml").write_text("byte most = 3;\n")
    events = [{"uri": f"{HERE}/shared.pml", "type": 2}]
    editor.tell("workspace/didChangeWatchedFiles", {"changes": events})
    (problem,) = [one for one in editor.problems("main.pml") if one["severity"] == 1]
    assert "unknown name 'limit'" in problem["message"]


def test_broken_messages(tmp_path: Path) -> None:
    """Whatever comes, the server goes on, or ends in good order."""
    with Conversation(tmp_path) as editor:
        editor.begin()
        editor.write(b"this is no JSON")
        editor.write(b"[1, 2, 3]")
        editor.write(b'"text"')
        editor.write(json.dumps({"jsonrpc": "2.0"}).encode())
        editor.write(json.dumps({"jsonrpc": "2.0", "id": 99, "method": "no/such/thing"}).encode())
        editor.write(b"\xff\xfe\x00")
        editor.write(json.dumps({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"x": 1}}).encode())
        document = {"textDocument": {"uri": f"{HERE}/m.pml"}, "position": {"line": 10**9, "character": 10**9}}
        for method in ("hover", "definition", "completion", "signatureHelp", "rename", "prepareRename"):
            answer = None
            more = {"newName": "y"} if method == "rename" else {}
            editor.number += 1000  # so that answers to what was broken are not taken for this one
            answer = editor.ask(f"textDocument/{method}", document | more)
            assert "result" in answer or "error" in answer
        assert editor.open("m.pml", MODEL) == []


def test_odd_texts(editor: Conversation) -> None:
    """Nothing, a line without end, deep brackets, binary, endings of other systems."""
    texts = {
        "empty": "",
        "nested": "init { " + "{" * 5_000 + " }",
        "binary": "\0\1\2 proctype",
        "comment": "/* " * 10_000,
        "string": 'init { printf("' + "x" * 100_000,
        "dos": MODEL.replace("\n", "\r\n"),
        "mac": MODEL.replace("\n", "\r"),
        "wide": "/* \U0001d11e\U0001d11e */ byte x; active proctype P() { x = 1; assert(x == 1) }",
    }
    for number, (name, text) in enumerate(texts.items()):
        file = f"odd{number}.pml"
        problems = editor.open(file, text)
        assert all(problem["message"] for problem in problems), name
        document = {"textDocument": {"uri": f"{HERE}/{file}"}}
        for method in ("documentSymbol", "semanticTokens/full", "codeLens"):
            assert "result" in editor.ask(f"textDocument/{method}", document), name
        options = {"options": {"tabSize": 4, "insertSpaces": True}}
        assert "result" in editor.ask("textDocument/formatting", document | options), name
    wide = {"textDocument": {"uri": f"{HERE}/odd7.pml"}, "position": at(texts["wide"], "x = 1"), "newName": "count"}
    edits = editor.ask("textDocument/rename", wide)["result"]["changes"][f"{HERE}/odd7.pml"]
    assert [edit["range"]["start"] for edit in edits] == [at(texts["wide"], "x", n) for n in (0, 1, 2)]


def test_a_large_text(editor: Conversation) -> None:
    """2,000 lines: every answer comes, and all of it is right."""
    lines = [f"byte v{number};" for number in range(1_000)]
    lines += ["active proctype P() {", *(f"  v{number} = v{number} + 1;" for number in range(1_000)), "  skip }"]
    text = "\n".join(lines) + "\n"
    assert [one for one in editor.open("large.pml", text) if one["severity"] == 1] == []
    document = {"textDocument": {"uri": f"{HERE}/large.pml"}}
    assert len(editor.ask("textDocument/semanticTokens/full", document)["result"]["data"]) % 5 == 0
    asked = document | {"position": at(text, "v123;"), "newName": "renamed"}
    edits = editor.ask("textDocument/rename", asked)["result"]["changes"][f"{HERE}/large.pml"]
    assert [edit["range"]["start"]["line"] for edit in edits] == [123, 1124, 1124]
