"""The language server: the language server protocol on one side, documents on the other."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import TextDocument

from kripke import __version__
from kripke.editor.unread import UnreadDocument
from kripke.languages.editing.document import Document, Problem, Range, Symbol
from kripke.languages.registry import LANGUAGES, language_of_ending

_PAUSE = 0.15  # seconds without a keystroke before a text is read
_SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "hint": lsp.DiagnosticSeverity.Hint,
}


def read_document(language: str | None, text: str, path: str, before: Document | None = None) -> Document:
    """A text in the language the editor says, or that of the file's ending; ``before`` is what it was until now."""
    known = LANGUAGES[language] if language is not None and language in LANGUAGES else language_of_ending(path)
    if known is None or known.document is None:
        return UnreadDocument(path)
    return known.document(text, path, before)


class Server:
    """Documents by their address, and the version of the text each of them was made from."""

    def __init__(self) -> None:
        self.documents: dict[str, Document] = {}
        self.lsp = LanguageServer("kripke", __version__)

    def text(self, uri: str) -> TextDocument:
        return self.lsp.workspace.get_text_document(uri)

    def read(self, uri: str) -> Document:
        text = self.text(uri)
        path = to_fs_path(uri) or uri
        document = read_document(text.language_id, text.source, path, self.documents.get(uri))
        self.documents[uri] = document
        return document

    def publish(self, uri: str) -> None:
        document = self.read(uri)
        found = [self._diagnostic(uri, problem) for problem in document.problems()]
        self.lsp.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri=uri, diagnostics=found, version=self.text(uri).version)
        )

    def _diagnostic(self, uri: str, problem: Problem) -> lsp.Diagnostic:
        place = self.range(uri, problem.range)
        return lsp.Diagnostic(place, problem.message, severity=_SEVERITIES[problem.severity], source="kripke")

    def range(self, uri: str, place: Range) -> lsp.Range:
        """In the units of the protocol: those of UTF-16, unless something else was agreed on."""
        lines = self.text(uri).lines
        units = self.lsp.workspace.position_codec

        def position(line: int, character: int) -> lsp.Position:
            if line >= len(lines):
                return lsp.Position(len(lines), 0)
            return lsp.Position(line, units.client_num_units(lines[line][:character]))

        return lsp.Range(position(place.line, place.character), position(place.end_line, place.end_character))

    def symbol(self, uri: str, position: lsp.Position) -> Symbol | None:
        document = self.documents.get(uri) or self.read(uri)
        lines = self.text(uri).lines
        at = self.lsp.workspace.position_codec.position_from_client_units(lines, position)
        return document.symbol_at(at.line, at.character)

    def outline(self, uri: str, document: Document, symbols: Sequence[Symbol]) -> list[lsp.DocumentSymbol]:
        return [
            lsp.DocumentSymbol(
                name=symbol.name,
                kind=lsp.SymbolKind[document.icons.get(symbol.kind, "Variable")],
                range=self.range(uri, symbol.range),
                selection_range=self.range(uri, symbol.name_range),
                detail=symbol.kind,
                children=self.outline(uri, document, symbol.children),
            )
            for symbol in symbols
        ]


def make_server() -> LanguageServer:
    """The server, ready to be started."""
    server = Server()
    feature = server.lsp.feature

    @feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.publish(params.text_document.uri)

    @feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        server.publish(params.text_document.uri)

    @feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        server.documents.pop(params.text_document.uri, None)

    @feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        await asyncio.sleep(_PAUSE)
        if server.text(uri).version == params.text_document.version:
            server.publish(uri)

    @feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        symbol = server.symbol(params.text_document.uri, params.position)
        if symbol is None:
            return None
        place = f"{os.path.basename(symbol.file)}:{symbol.name_range.line + 1}"
        code = symbol.text.replace("```", "` ` `")
        language = server.documents[params.text_document.uri].language
        text = f"**{symbol.kind}** `{symbol.name}` ({place})\n```{language}\n{code}\n```"
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text))

    @feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        uri = params.text_document.uri
        symbol = server.symbol(uri, params.position)
        if symbol is None:
            return None
        here = symbol.file == (to_fs_path(uri) or uri)
        target = uri if here else from_fs_path(os.path.abspath(symbol.file))
        if target is None:
            return None
        return lsp.Location(target, server.range(target, symbol.name_range))

    @feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        uri = params.text_document.uri
        document = server.documents.get(uri) or server.read(uri)
        return server.outline(uri, document, document.outline())

    return server.lsp
