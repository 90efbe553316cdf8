"""Recorded sessions: what an editor and the language server say to each other, one file for every language.

    ./dev python -m tests.editor.record_sessions        writes them anew; read the difference before you keep it

A session opens an example, asks what an editor asks, and looks at the answers. ``test_sessions.py`` plays it again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from kripke.languages.registry import LANGUAGES, PACKAGES
from tests.editor.conversation import HERE, ROOT, Conversation, at

#: languages with a document of their own
EDITED = [name for name in PACKAGES if LANGUAGES[name].document is not None]
SESSIONS = Path(__file__).parent / "sessions"


class Asked(NamedTuple):
    """A question about a word of the text, the first time it stands there or later."""

    method: str
    word: str
    number: int = 0
    more: dict[str, Any] = {}  # noqa: RUF012 - a NamedTuple has no other kind of default
    shift: int = 0


def _rename(word: str, new: str, shift: int = 0) -> Asked:
    return Asked("rename", word, 0, {"newName": new}, shift)


class Session(NamedTuple):
    """An example, and what is asked about it beside its outline, colours and lenses."""

    file: str
    asked: tuple[Asked, ...]


_WITH = {"context": {"includeDeclaration": True}}
PLAYED = {
    "promela": Session(
        "promela/traffic_light.pml",
        (
            Asked("hover", "waiting", 2),
            Asked("definition", "other]"),
            Asked("references", "yellow }", 0, _WITH),
            Asked("completion", "light[other]"),
            Asked("signatureHelp", "signal()", shift=7),
            Asked("documentHighlight", "go[2]"),
            _rename("light[2]", "lamp"),
            _rename("light[2]", "proctype"),
            _rename("light[2]", "waiting"),
            _rename("other =", "light"),
            _rename("end_at_red:", "stay"),
        ),
    ),
    "lf": Session(
        "lf/bounded_buffer.lf",
        (
            Asked("hover", "count = 0"),
            Asked("references", "Link =", 0, _WITH),
            Asked("completion", "count = 0"),
            Asked("signatureHelp", "Buffer(left", shift=12),
            _rename("Slots =", "Size"),
            _rename("Slots =", "Items"),
            _rename("count, x", "first"),
        ),
    ),
    "cspm": Session(
        "cspm/buffer.csp",
        (
            Asked("hover", "CHAIN"),
            Asked("references", "middle", 0, _WITH),
            Asked("completion", "CHAIN [FD="),
            Asked("signatureHelp", "COPY(left, middle)", shift=12),
            _rename("CHAIN", "LINE"),
            _rename("CHAIN", "LOSSY"),
            _rename("T = ", "U"),
            _rename("x -> out", "y"),
            _rename("x -> out", "in"),
        ),
    ),
    "maria": Session(
        "maria/philosophers.pn",
        (
            Asked("hover", "forks: s;"),
            Asked("references", "forks: s;", 0, _WITH),
            Asked("completion", "forks: s;"),
            _rename("forks: s;", "cutlery"),
            _rename("forks: s;", "philosopher"),
            _rename("s, waits", "who"),
            _rename("deadlock", "x"),
        ),
    ),
    "pnml": Session(
        "pnml/two_locks.pnml",
        (
            Asked("hover", 'target="first_takes_a"', shift=9),
            Asked("references", 'target="first_takes_a"', 0, _WITH, 9),
            Asked("completion", 'target="first_takes_a"', shift=9),
            _rename('"first_takes_a"', "one_takes_a", shift=1),
            _rename('"first_takes_a"', "second_takes_b", shift=1),
        ),
    ),
    "pep": Session(
        "pep/alternator.ll_net",
        (
            Asked("hover", "2<3"),
            Asked("references", "left_ready", 0, _WITH),
            Asked("completion", "left_ready"),
            _rename("left_ready", "first_ready"),
            _rename("left_ready", "left_done"),
        ),
    ),
    "modes": Session(
        "modes/peterson.modes",
        (
            Asked("hover", "turn = me"),
            Asked("references", "critical  ", 0, _WITH),
            Asked("completion", "turn = me"),
            _rename("turn: Side", "whose"),
            _rename("turn: Side", "tick"),
            _rename("mine = wants", "own"),
            _rename("idle -> asking", "resting"),
        ),
    ),
    "scxml": Session(
        "scxml/microwave.scxml",
        (
            Asked("hover", "In('closed", shift=5),
            Asked("references", "In('closed", 0, _WITH, 5),
            Asked("completion", "In('closed", shift=5),
            _rename("In('closed", "shut", shift=5),
            _rename("In('closed", "opened", shift=5),
            _rename('id="seconds"', "time", shift=5),
            _rename('event="open"', "x", shift=8),
        ),
    ),
    "smv": Session(
        "smv/semaphore.smv",
        (
            Asked("hover", "semaphore : boolean"),
            Asked("hover", "enters | two.enters"),
            Asked("references", "mover : ", 0, _WITH),
            Asked("completion", "state = entering & !"),
            _rename("mover : ", "whose"),
            _rename("mover : ", "one"),
            _rename("moves & state = leaving", "acts"),
        ),
    ),
    "uml": Session(
        "uml/car_audio.puml",
        (
            Asked("hover", "TapeIn)"),
            Asked("references", "TapeIn)", 0, _WITH),
            Asked("completion", "TapeIn)"),
            _rename("TapeIn)", "TapeInside"),
            _rename("TapeIn)", "CDIn"),
            _rename("tracks", "track"),
        ),
    ),
}


def questions(language: str) -> list[tuple[str, dict[str, Any]]]:
    session = PLAYED[language]
    text = (ROOT / "examples" / session.file).read_text()
    document = {"uri": f"{HERE}/{Path(session.file).name}"}
    found = [
        ("textDocument/documentSymbol", {"textDocument": document}),
        ("textDocument/semanticTokens/full", {"textDocument": document}),
        ("textDocument/codeLens", {"textDocument": document}),
    ]
    for asked in session.asked:
        position = at(text, asked.word, asked.number)
        position["character"] += asked.shift
        params = {"textDocument": document, "position": position, **asked.more}
        found.append((f"textDocument/{asked.method}", params))
    options = {"tabSize": 4, "insertSpaces": True}
    found.append(("textDocument/formatting", {"textDocument": document, "options": options}))
    return found


def opened(language: str) -> dict[str, Any]:
    file = ROOT / "examples" / PLAYED[language].file
    uri = f"{HERE}/{file.name}"
    return {"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": file.read_text()}}


def play(conversation: Conversation, language: str) -> list[dict[str, Any]]:
    """Messages in both directions, in order; the text of the model is left out."""
    params = opened(language)
    name = Path(params["textDocument"]["uri"]).name
    conversation.tell("textDocument/didOpen", params)
    messages: list[dict[str, Any]] = [{"tells": "textDocument/didOpen", "file": PLAYED[language].file}]
    messages.append({"hears": "textDocument/publishDiagnostics", "diagnostics": conversation.problems(name)})
    for method, asked in questions(language):
        answer = conversation.ask(method, asked)
        kept = {key: value for key, value in answer.items() if key in ("result", "error")}
        if "error" in kept:
            kept["error"] = {key: kept["error"][key] for key in ("code", "message")}
        messages.append({"asks": method, "params": asked, "answers": kept})
    conversation.tell("textDocument/didClose", {"textDocument": {"uri": params["textDocument"]["uri"]}})
    return messages


def written(messages: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(message, ensure_ascii=False) + "\n" for message in messages)


def main() -> None:
    import tempfile

    SESSIONS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, Conversation(Path(folder)) as conversation:
        conversation.begin()
        for language in EDITED:
            (SESSIONS / f"{language}.jsonl").write_text(written(play(conversation, language)))


if __name__ == "__main__":
    main()
