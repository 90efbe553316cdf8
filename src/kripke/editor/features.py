"""What the language server answers: the language server protocol on one side, documents on the other."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from kripke.editor.changes import register_changes
from kripke.editor.colours import MODIFIERS, TYPES, coloured
from kripke.editor.commands import Outcome
from kripke.editor.completion import completions
from kripke.editor.lenses import CHECK, SIMULATE, lenses
from kripke.editor.occurrences import occurrences
from kripke.editor.server import Server
from kripke.editor.signatures import signature_at

_PAUSE = 0.15  # seconds without a keystroke before a text is read
_COMPLETION_ICONS = {
    "keyword": lsp.CompletionItemKind.Keyword,
    "snippet": lsp.CompletionItemKind.Snippet,
}
_SHOWN = {"Object": "Variable", "Key": "Reference"}  # kinds of symbols that completions do not have


def make_server() -> LanguageServer:
    """The server, ready to be started."""
    server = Server()
    _register_texts(server)
    _register_questions(server)
    _register_completion(server)
    _register_lenses(server)
    register_changes(server)
    return server.lsp


def _register_texts(server: Server) -> None:
    feature = server.lsp.feature

    @feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.publish(params.text_document.uri)

    @feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        server.read_again()

    @feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        server.forget(params.text_document.uri)
        nothing = lsp.PublishDiagnosticsParams(uri=params.text_document.uri, diagnostics=[])
        server.lsp.text_document_publish_diagnostics(nothing)

    @feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed_on_disk(params: lsp.DidChangeWatchedFilesParams) -> None:
        server.read_again()

    @feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.findings.pop(uri, None)
        await asyncio.sleep(_PAUSE)
        if uri in server.lsp.workspace.text_documents and server.text(uri).version == params.text_document.version:
            server.publish(uri)

    @feature(lsp.SHUTDOWN)
    def ended(params: None) -> None:
        server.commands.close()


def _register_questions(server: Server) -> None:
    feature = server.lsp.feature

    @feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        uri = params.text_document.uri
        symbol = server.symbol(uri, params.position)
        if symbol is None:
            return None
        place = f"{os.path.basename(symbol.file)}:{symbol.name_range.line + 1}"
        code = symbol.text.replace("```", "` ` `")
        text = f"**{symbol.kind}** `{symbol.name}` ({place})\n```{server.document(uri).language}\n{code}\n```"
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text))

    @feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        uri = params.text_document.uri
        symbol = server.symbol(uri, params.position)
        if symbol is None:
            return None
        here = symbol.file == server.path(uri)
        return server.location(server.path(uri) if here else symbol.file, symbol.name_range)

    @feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        uri = params.text_document.uri
        document = server.document(uri)
        return server.outline(uri, document, document.outline())

    @feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(params: lsp.ReferenceParams) -> list[lsp.Location] | None:
        uri = params.text_document.uri
        symbol = server.symbol(uri, params.position)
        if symbol is None:
            return None
        document = server.document(uri)
        found = [(server.path(uri), word) for word in occurrences(document, symbol)]
        for path, other in server.project().mentioning(symbol.name, document.language, server.path(uri)):
            found += [(path, word) for word in occurrences(other, symbol)]
        if not params.context.include_declaration:
            found = [(path, word) for path, word in found if (word.line, word.character) != symbol.name_range[:2]]
        return [server.location(path, word.range) for path, word in found]

    @feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlights(params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight] | None:
        uri = params.text_document.uri
        symbol = server.symbol(uri, params.position)
        if symbol is None:
            return None
        return [lsp.DocumentHighlight(server.range(uri, w.range)) for w in occurrences(server.document(uri), symbol)]

    legend = lsp.SemanticTokensLegend(list(TYPES), list(MODIFIERS))

    @feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    def colours(params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        uri = params.text_document.uri
        data: list[int] = []
        line, character = 0, 0
        for each in coloured(server.document(uri)):
            place = server.range(uri, each.word.range)
            start, length = place.start, place.end.character - place.start.character
            bits = sum(1 << MODIFIERS.index(modifier) for modifier in each.modifiers)
            before = character if start.line == line else 0
            data += [start.line - line, start.character - before, length, TYPES.index(each.type), bits]
            line, character = start.line, start.character
        return lsp.SemanticTokens(data)


def _register_completion(server: Server) -> None:
    feature = server.lsp.feature

    @feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=[".", "#", "@"]))
    def complete(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        uri = params.text_document.uri
        document = server.document(uri)
        found = []
        for each in completions(document, *server.place(uri, params.position)):
            icon = document.icons.get(each.kind, "Variable")
            kind = _COMPLETION_ICONS.get(each.kind) or lsp.CompletionItemKind[_SHOWN.get(icon, icon)]
            snippet = lsp.InsertTextFormat.Snippet if each.is_snippet else lsp.InsertTextFormat.PlainText
            found.append(
                lsp.CompletionItem(
                    each.label,
                    kind=kind,
                    detail=each.detail.splitlines()[0] if each.detail else each.kind,
                    insert_text=each.text,
                    insert_text_format=snippet,
                    sort_text=f"{2 if each.kind == 'keyword' else 3 if each.is_snippet else 1}{each.label}",
                )
            )
        return found

    @feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(trigger_characters=["(", ","]))
    def signature(params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        uri = params.text_document.uri
        lines = [line.rstrip("\r\n") for line in server.text(uri).lines]
        found = signature_at(server.document(uri), lines, *server.place(uri, params.position))
        if found is None:
            return None
        passed = found.symbol.parameters or ()
        label = f"{found.symbol.name}({', '.join(passed)})"
        information = lsp.SignatureInformation(label, parameters=[lsp.ParameterInformation(each) for each in passed])
        return lsp.SignatureHelp([information], active_signature=0, active_parameter=found.argument)


def _register_lenses(server: Server) -> None:
    feature = server.lsp.feature

    @feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    def offered(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        uri = params.text_document.uri
        return [
            lsp.CodeLens(
                server.range(uri, each.range),
                lsp.Command(
                    each.title, each.command, arguments=[uri, each.property][: 2 if each.command == CHECK else 1]
                ),
            )
            for each in lenses(server.document(uri))
        ]

    async def shown(uri: str, outcome: Outcome) -> dict[str, Any]:
        if uri in server.lsp.workspace.text_documents:
            server.findings[uri] = list(outcome.problems)
            server.publish(uri)
        bad = lsp.MessageType.Error if outcome.verdict == "error" else lsp.MessageType.Warning
        kind = lsp.MessageType.Info if outcome.verdict in ("holds", "possible", "simulated") else bad
        words = f"{os.path.basename(server.path(uri))}: {outcome.message}"
        server.lsp.window_show_message(lsp.ShowMessageParams(kind, words))
        return outcome.to_json()

    @server.lsp.command(CHECK)
    async def check(uri: str, property: str | None = None) -> dict[str, Any]:
        return await shown(uri, await server.commands.check(server.path(uri), property))

    @server.lsp.command(SIMULATE)
    async def simulate(uri: str) -> dict[str, Any]:
        return await shown(uri, await server.commands.simulate(server.path(uri)))
