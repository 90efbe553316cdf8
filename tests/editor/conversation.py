"""A conversation with the language server, as an editor has it: JSON-RPC over the pipes of a real process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).parents[2]
HERE = "file:///models"  # stands for the folder of the models in recordings


class Conversation:
    """Requests are answered in order; what the server says on its own is kept in ``notes``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.number = 0
        self.notes: list[dict[str, Any]] = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kripke", "lsp", "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
        )

    def __enter__(self) -> Conversation:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None and self.process.poll() is None:
            self.ask("shutdown")
            self.tell("exit")
            self.process.communicate(timeout=60)
        else:
            self.process.kill()
            self.process.communicate()

    def begin(self, **capabilities: Any) -> Any:
        folders = [{"uri": self.folder.as_uri(), "name": "models"}]
        capabilities = {"general": {"positionEncodings": ["utf-16"]}, **capabilities}
        params = {"processId": None, "rootUri": folders[0]["uri"], "workspaceFolders": folders}
        answer = self.ask("initialize", params | {"capabilities": capabilities})
        self.tell("initialized", {})
        return answer["result"]

    # --- messages -----------------------------------------------------------------------------------------------------

    def write(self, content: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
        self.process.stdin.flush()

    def send(self, message: dict[str, Any]) -> None:
        text = json.dumps({"jsonrpc": "2.0", **message}).replace(HERE, self.folder.as_uri())
        self.write(text.encode())

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while (line := self.process.stdout.readline().strip()) or not length:
            if not line and self.process.poll() is not None:
                assert self.process.stderr is not None
                raise EOFError(self.process.stderr.read().decode())
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        text = self.process.stdout.read(length).decode().replace(self.folder.as_uri(), HERE)
        message: dict[str, Any] = json.loads(text)
        return message

    def tell(self, method: str, params: Any = None) -> None:
        self.send({"method": method} | ({} if params is None else {"params": params}))

    def ask(self, method: str, params: Any = None) -> dict[str, Any]:
        self.number += 1
        self.send({"id": self.number, "method": method} | ({} if params is None else {"params": params}))
        while True:
            message = self.receive()
            if message.get("id") == self.number and "method" not in message:
                return message
            if "id" in message:  # the server asks for something that this editor does not have
                self.send({"id": message["id"], "result": None})
            else:
                self.notes.append(message)

    def note(self, method: str) -> dict[str, Any]:
        """The next thing of this kind that the server says on its own."""
        while True:
            for number, message in enumerate(self.notes):
                if message["method"] == method:
                    params: dict[str, Any] = self.notes.pop(number)["params"]
                    return params
            message = self.receive()
            assert "id" not in message, message
            self.notes.append(message)

    # --- texts --------------------------------------------------------------------------------------------------------

    def open(self, name: str, text: str, language: str = "", version: int = 1) -> list[dict[str, Any]]:
        """Returns the problems."""
        item = {"uri": f"{HERE}/{name}", "languageId": language, "version": version, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})
        return self.problems(name)

    def change(self, name: str, text: str, version: int) -> list[dict[str, Any]]:
        document = {"uri": f"{HERE}/{name}", "version": version}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})
        return self.problems(name)

    def problems(self, name: str) -> list[dict[str, Any]]:
        while (found := self.note("textDocument/publishDiagnostics"))["uri"] != f"{HERE}/{name}":
            pass
        diagnostics: list[dict[str, Any]] = found["diagnostics"]
        return diagnostics


def at(text: str, word: str, number: int = 0) -> dict[str, int]:
    """Where a word stands, the first time or later, as the protocol counts."""
    position = -1
    for _ in range(number + 1):
        position = text.index(word, position + 1)
    start = text.rfind("\n", 0, position) + 1
    return {"line": text.count("\n", 0, position), "character": len(text[start:position].encode("utf-16-le")) // 2}


def changed(text: str, edits: list[dict[str, Any]]) -> str:
    """A text after the edits of an answer; the models here have no character outside the basic plane."""
    lines = text.split("\n")
    for edit in sorted(
        edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]), reverse=True
    ):
        start, end = edit["range"]["start"], edit["range"]["end"]
        after = lines[end["line"]][end["character"] :] if end["line"] < len(lines) else ""
        new = lines[start["line"]][: start["character"]] + edit["newText"] + after
        lines[start["line"] : end["line"] + 1] = new.split("\n")
    return "\n".join(lines)
