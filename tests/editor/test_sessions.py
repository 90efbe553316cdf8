"""Every language in an editor: recorded sessions with the real server, played again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="pip install 'kripke[lsp]'")
from kripke.editor.reading import read_document
from tests.editor.conversation import HERE, ROOT, Conversation, changed
from tests.editor.record_sessions import EDITED, PLAYED, SESSIONS, play, written


@pytest.fixture(scope="module")
def conversation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Conversation]:
    with Conversation(tmp_path_factory.mktemp("models")) as found:
        found.begin()
        yield found


def recorded(language: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SESSIONS / f"{language}.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("language", EDITED)
def test_the_server_answers_as_recorded(conversation: Conversation, language: str) -> None:
    for now, then in zip(play(conversation, language), recorded(language), strict=True):
        assert written([now]) == written([then])


@pytest.mark.parametrize("language", EDITED)
def test_a_session_asks_for_everything(language: str) -> None:
    asked = {message.get("asks", "").removeprefix("textDocument/") for message in recorded(language)}
    assert asked >= {"completion", "references", "rename", "semanticTokens/full", "codeLens", "documentSymbol"}
    answers = {message["asks"]: message["answers"].get("result") for message in recorded(language) if "asks" in message}
    assert all(
        answers[f"textDocument/{one}"] for one in ("completion", "references", "semanticTokens/full", "codeLens")
    )


@pytest.mark.parametrize("language", EDITED)
def test_renames_of_the_recording_give_good_models(language: str) -> None:
    """And the renames that are refused are refused for a reason that is said."""
    session = PLAYED[language]
    text = (ROOT / "examples" / session.file).read_text()
    uri = f"{HERE}/{Path(session.file).name}"
    renames = [m["answers"] for m in recorded(language) if m.get("asks") == "textDocument/rename"]
    assert sum("result" in answer for answer in renames) >= 1 and sum("error" in answer for answer in renames) >= 1
    for answer in renames:
        if "error" in answer:
            assert answer["error"]["code"] == -32602 and len(answer["error"]["message"]) > 10
            continue
        document = read_document(language, changed(text, answer["result"]["changes"][uri]), session.file)
        assert [problem.message for problem in document.problems() if problem.severity == "error"] == []
