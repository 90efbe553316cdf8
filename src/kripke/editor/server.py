"""The language server: texts that are open in an editor, and the documents made of them."""

from __future__ import annotations

import os
from collections.abc import Sequence

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import TextDocument

from kripke import __version__
from kripke.editor.commands import Commands
from kripke.editor.project import Project
from kripke.editor.reading import read_document
from kripke.languages.editing.document import Document, Problem, Range, Symbol
from kripke.languages.editing.edits import Edit

_SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "hint": lsp.DiagnosticSeverity.Hint,
}


class Server:
    """Documents by their address, each with the version of the text it was made from."""

    def __init__(self) -> None:
        self.documents: dict[str, tuple[int | None, str, Document]] = {}
        #: what checks found in a text, until it changes
        self.findings: dict[str, list[Problem]] = {}
        self.commands = Commands()
        self.lsp = LanguageServer("kripke", __version__)

    def text(self, uri: str) -> TextDocument:
        return self.lsp.workspace.get_text_document(uri)

    def path(self, uri: str) -> str:
        return to_fs_path(uri) or uri

    def document(self, uri: str) -> Document:
        """Made anew where the text has changed, also on the disk."""
        text = self.text(uri)
        known = self.documents.get(uri)
        if known is not None and known[0] == text.version and (known[0] is not None or known[1] == text.source):
            return known[2]
        before = None if known is None else known[2]
        document = read_document(text.language_id, text.source, self.path(uri), before)
        self.documents[uri] = (text.version, text.source, document)
        return document

    def forget(self, uri: str) -> None:
        self.documents.pop(uri, None)
        self.findings.pop(uri, None)

    def read_again(self) -> None:
        """What a text includes may have changed."""
        for uri in [uri for uri in self.documents if uri in self.lsp.workspace.text_documents]:
            _, _, before = self.documents.pop(uri)
            text = self.text(uri)
            document = read_document(text.language_id, text.source, self.path(uri), before)
            self.documents[uri] = (text.version, text.source, document)
            self.publish(uri)

    def publish(self, uri: str) -> None:
        found = [self.diagnostic(uri, problem) for problem in self.document(uri).problems()]
        found += [self.diagnostic(uri, problem, "kripke check") for problem in self.findings.get(uri, ())]
        self.lsp.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri=uri, diagnostics=found, version=self.text(uri).version)
        )

    def diagnostic(self, uri: str, problem: Problem, source: str = "kripke") -> lsp.Diagnostic:
        place = self.range(uri, problem.range)
        return lsp.Diagnostic(place, problem.message, severity=_SEVERITIES[problem.severity], source=source)

    def project(self) -> Project:
        open_texts = {self.path(uri): text.source for uri, text in self.lsp.workspace.text_documents.items()}
        folders = [to_fs_path(folder.uri) for folder in self.lsp.workspace.folders.values()]
        root = self.lsp.workspace.root_path
        folders = folders or ([root] if root else [])
        return Project([folder for folder in folders if folder and folder != os.sep], open_texts)

    def uri_of(self, path: str) -> str:
        """The address that an editor uses for a path."""
        for uri in self.lsp.workspace.text_documents:
            if os.path.realpath(self.path(uri)) == os.path.realpath(path):
                return str(uri)
        return str(from_fs_path(os.path.abspath(path)) or path)

    # --- places, in the units of the protocol: those of UTF-16, unless something else was agreed on -------------------

    def range(self, uri: str, place: Range) -> lsp.Range:
        lines = self.text(uri).lines
        units = self.lsp.workspace.position_codec

        def position(line: int, character: int) -> lsp.Position:
            if line >= len(lines):
                return lsp.Position(len(lines), 0)
            return lsp.Position(line, units.client_num_units(lines[line].rstrip("\r\n")[:character]))

        return lsp.Range(position(place.line, place.character), position(place.end_line, place.end_character))

    def place(self, uri: str, position: lsp.Position) -> tuple[int, int]:
        lines = self.text(uri).lines
        at = self.lsp.workspace.position_codec.position_from_client_units(lines, position)
        return at.line, at.character

    def symbol(self, uri: str, position: lsp.Position) -> Symbol | None:
        return self.document(uri).symbol_at(*self.place(uri, position))

    def location(self, path: str, place: Range) -> lsp.Location:
        uri = self.uri_of(path)
        return lsp.Location(uri, self.range(uri, place))

    def edits(self, uri: str, edits: Sequence[Edit]) -> list[lsp.TextEdit]:
        return [lsp.TextEdit(self.range(uri, edit.range), edit.text) for edit in edits]

    def outline(self, uri: str, document: Document, symbols: Sequence[Symbol]) -> list[lsp.DocumentSymbol]:
        return [
            lsp.DocumentSymbol(
                name=symbol.name,
                kind=lsp.SymbolKind[document.icons.get(symbol.kind, "Variable")],
                range=self.range(uri, symbol.range),
                selection_range=self.range(uri, symbol.name_range),
                detail=symbol.kind,
                children=self.outline(uri, document, [each for each in symbol.children if each.file == symbol.file]),
            )
            for symbol in symbols
        ]
