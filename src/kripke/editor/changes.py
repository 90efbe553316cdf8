"""What the language server changes in texts: names, mistakes, form."""

from __future__ import annotations

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

from kripke.editor.rename import Refused, rename, renamed_at
from kripke.editor.server import Server
from kripke.languages.editing.document import Range


def register_changes(server: Server) -> None:
    feature = server.lsp.feature

    @feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare(params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder:
        uri = params.text_document.uri
        try:
            word, _ = renamed_at(server.document(uri), *server.place(uri, params.position))
        except Refused as refusal:
            raise JsonRpcInvalidParams(str(refusal)) from refusal
        return lsp.PrepareRenamePlaceholder(server.range(uri, word.range), word.text)

    @feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def renamed(params: lsp.RenameParams) -> lsp.WorkspaceEdit:
        uri = params.text_document.uri
        place = server.place(uri, params.position)
        try:
            changes = rename(server.project(), server.path(uri), server.document(uri), *place, params.new_name)
        except Refused as refusal:
            raise JsonRpcInvalidParams(str(refusal)) from refusal
        edits = {server.uri_of(path): edits for path, edits in changes.items()}
        return lsp.WorkspaceEdit(changes={each: server.edits(each, found) for each, found in edits.items()})

    kinds = [lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.RefactorRewrite]

    @feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=kinds))
    def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri = params.text_document.uri
        document = server.document(uri)
        wanted = Range(*server.place(uri, params.range.start), *server.place(uri, params.range.end))
        found = []
        for fix in document.fixes():
            if fix.range[:2] > wanted[2:] or fix.range[2:] < wanted[:2]:
                continue
            mended = [problem for problem in document.problems() if problem.range == fix.range]
            found.append(
                lsp.CodeAction(
                    fix.title,
                    kind=lsp.CodeActionKind.QuickFix if mended else lsp.CodeActionKind.RefactorRewrite,
                    diagnostics=[server.diagnostic(uri, problem) for problem in mended],
                    is_preferred=bool(mended) and fix.sure,
                    edit=lsp.WorkspaceEdit(changes={uri: server.edits(uri, fix.edits)}),
                )
            )
        return found

    def formatting(uri: str, options: lsp.FormattingOptions, first: int, last: int | None) -> list[lsp.TextEdit] | None:
        """Line by line: the cursor stays where it is."""
        indent = " " * min(max(options.tab_size, 1), 16) if options.insert_spaces else "\t"
        result = server.document(uri).formatted(indent)
        if result is None:
            return None
        before = [line.rstrip("\r\n") for line in server.text(uri).lines]
        after = result.split("\n")
        return [
            lsp.TextEdit(server.range(uri, Range(number, 0, number, len(old))), new)
            for number, (old, new) in enumerate(zip(before, after, strict=False))
            if old != new and first <= number and (last is None or number <= last)
        ]

    @feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formatted(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
        return formatting(params.text_document.uri, params.options, 0, None)

    @feature(lsp.TEXT_DOCUMENT_RANGE_FORMATTING)
    def range_formatted(params: lsp.DocumentRangeFormattingParams) -> list[lsp.TextEdit] | None:
        place = params.range
        return formatting(params.text_document.uri, params.options, place.start.line, place.end.line)
