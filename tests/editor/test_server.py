"""The language server, as an editor talks to it: a real client over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="pip install 'kripke[lsp]'")
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

MODEL = """\
#define LIMIT 3
mtype = { ask, tell };
typedef Box { byte size; bool used };
chan line = [2] of { mtype, byte };
byte count; Box box;
inline twice(x) { x = 2 * x }
/* ü𝄞 */ active proctype client(byte own) { byte seen;
again: line!ask(count); count < LIMIT -> seen = count; box.size = seen; twice(seen); goto again }
active proctype server() { byte seen; do :: line?ask(seen) -> line!tell(seen) od }
ltl bounded { [] (count <= LIMIT) }
"""


class Editor:
    """A client with one open document."""

    def __init__(self, client: LanguageClient, uri: str) -> None:
        self.client = client
        self.uri = uri
        self.version = 1
        self.published: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()

    def at(self, line: int, character: int) -> dict[str, object]:
        return {
            "text_document": lsp.TextDocumentIdentifier(self.uri),
            "position": lsp.Position(line, character),
        }

    async def diagnostics(self) -> list[lsp.Diagnostic]:
        return list((await asyncio.wait_for(self.published.get(), 120)).diagnostics)

    async def write(self, text: str) -> list[lsp.Diagnostic]:
        self.version += 1
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version),
                [lsp.TextDocumentContentChangeWholeDocument(text)],
            )
        )
        return await self.diagnostics()

    async def hover(self, line: int, character: int) -> str | None:
        found = await self.client.text_document_hover_async(lsp.HoverParams(**self.at(line, character)))  # type: ignore[arg-type]
        return found.contents.value if found is not None else None  # type: ignore[union-attr]

    async def definition(self, line: int, character: int) -> tuple[int, int] | None:
        params = lsp.DefinitionParams(**self.at(line, character))  # type: ignore[arg-type]
        found = await self.client.text_document_definition_async(params)
        if found is None:
            return None
        assert isinstance(found, lsp.Location)
        return found.range.start.line, found.range.start.character


def talk(file: Path, conversation: Callable[[Editor], Awaitable[None]]) -> None:
    """Starts the server, opens the file, talks, and ends the server in good order."""

    async def session() -> None:
        client = LanguageClient("test", "1")
        editor = Editor(client, file.as_uri())

        @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: lsp.PublishDiagnosticsParams) -> None:
            editor.published.put_nowait(params)

        await client.start_io(sys.executable, "-m", "kripke", "lsp", "--stdio")
        capabilities = lsp.ClientCapabilities()
        answer = await client.initialize_async(lsp.InitializeParams(capabilities=capabilities, process_id=None))
        assert answer.server_info is not None and answer.server_info.name == "kripke"
        client.initialized(lsp.InitializedParams())
        item = lsp.TextDocumentItem(uri=editor.uri, language_id="", version=1, text=file.read_text())
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        try:
            await conversation(editor)
        finally:
            await asyncio.wait_for(client.shutdown_async(None), 100)
            client.exit(None)
            await asyncio.wait_for(client.stop(), 100)

    asyncio.run(asyncio.wait_for(session(), 280))


def place(text: str, word: str, occurrence: int = 0) -> tuple[int, int]:
    """Line and character, in the units of the protocol, of a word in the model."""
    at = -1
    for _ in range(occurrence + 1):
        at = text.index(word, at + 1)
    line = text.count("\n", 0, at)
    start = text.rfind("\n", 0, at) + 1
    return line, len(text[start:at].encode("utf-16-le")) // 2


def test_a_conversation(tmp_path: Path) -> None:
    file = tmp_path / "m.pml"
    file.write_text(MODEL)

    async def conversation(editor: Editor) -> None:
        assert [d.message for d in await editor.diagnostics() if d.severity == lsp.DiagnosticSeverity.Error] == []
        # outline
        params = lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier(editor.uri))
        outline = await editor.client.text_document_document_symbol_async(params)
        assert outline is not None
        names = [(symbol.name, symbol.detail) for symbol in outline]  # type: ignore[union-attr]
        assert names == [
            ("LIMIT", "macro"),
            ("mtype", "mtype"),
            ("Box", "typedef"),
            ("line", "variable"),
            ("count", "variable"),
            ("box", "variable"),
            ("twice", "inline"),
            ("client", "process"),
            ("server", "process"),
            ("bounded", "formula"),
        ]
        client = outline[7]
        assert isinstance(client, lsp.DocumentSymbol)
        assert [(child.name, child.detail) for child in client.children or ()] == [
            ("own", "parameter"),
            ("seen", "variable"),
            ("again", "label"),
        ]
        start = client.selection_range.start
        assert (start.line, start.character) == place(MODEL, "client")
        # definitions: a macro, an inline, a label, locals of either process, an mtype name, a field
        for used, defined in (
            (place(MODEL, "LIMIT", 1), place(MODEL, "LIMIT")),
            (place(MODEL, "twice", 1), place(MODEL, "twice")),
            (place(MODEL, "again", 1), place(MODEL, "again")),
            (place(MODEL, "seen", 1), place(MODEL, "seen")),
            (place(MODEL, "ask(seen)"), place(MODEL, "ask")),
            (place(MODEL, "size", 1), place(MODEL, "size")),
            (place(MODEL, "line!tell"), place(MODEL, "line")),
        ):
            assert await editor.definition(*used) == defined
        second = MODEL.index("byte seen", MODEL.index("proctype server")) + 5
        line, _ = place(MODEL, "active proctype server")
        assert await editor.definition(*place(MODEL, "seen) -> ")) == (line, second - MODEL.rfind("\n", 0, second) - 1)
        assert await editor.definition(0, 0) is None
        # hover
        assert await editor.hover(*place(MODEL, "count", 1)) == (
            "**variable** `count` (m.pml:5)\n```promela\nbyte count; Box box;\n```"
        )
        assert await editor.hover(2, 3) is not None or await editor.hover(0, 0) is None

    talk(file, conversation)


def test_problems_come_and_go(tmp_path: Path) -> None:
    file = tmp_path / "m.pml"
    file.write_text(MODEL)

    async def conversation(editor: Editor) -> None:
        await editor.diagnostics()
        broken = MODEL.replace(
            "/* ü𝄞 */ active proctype client(byte own) {", "/* ü𝄞 */ active proctype client(byte own) { nobody = 1;"
        )
        (error,) = [d for d in await editor.write(broken) if d.severity == lsp.DiagnosticSeverity.Error]
        start = error.range.start
        assert (start.line, start.character) == place(broken, "nobody")
        assert "nobody" in error.message and error.source == "kripke"
        # A text that cannot be read at all: the outline is still there.
        (error,) = await editor.write(MODEL + "active proctype {")
        assert error.range.start.line == 10
        assert await editor.definition(*place(MODEL, "twice", 1)) == place(MODEL, "twice")
        errors = [d for d in await editor.write(MODEL) if d.severity == lsp.DiagnosticSeverity.Error]
        assert errors == []
        (unused,) = [d for d in await editor.write(MODEL + "byte idle;\n") if "idle" in d.message]
        assert unused.severity == lsp.DiagnosticSeverity.Warning and unused.range.start.line == 10
        (hint,) = [d for d in await editor.write("init { c_code { x(); } }") if "--allow-c" in d.message]
        assert hint.severity == lsp.DiagnosticSeverity.Hint

    talk(file, conversation)


def test_other_languages_have_problems(tmp_path: Path) -> None:
    file = tmp_path / "m.pn"
    file.write_text("place p (0..1) struct {};\nplace\n")

    async def conversation(editor: Editor) -> None:
        (error,) = await editor.diagnostics()
        assert error.severity == lsp.DiagnosticSeverity.Error and error.range.start.line >= 0

    talk(file, conversation)
