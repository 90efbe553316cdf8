"""The desk of the editor: problems, outline, hover and completion of a text that is being written.

What it answers comes from the documents of the language server (``kripke.editor``): one reader for every editor.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from kripke.editor.completion import completions
from kripke.editor.reading import read_document
from kripke.languages.editing.document import Document, Range, Symbol
from kripke.languages.registry import language_of_ending
from kripke.web.desks.answering import answer_all, settle
from kripke.web.desks.questions import enter

_KEPT = 20  # documents


def work(setting: Mapping[str, Any]) -> None:
    settle(setting, programs=False)
    enter(setting)
    desk = Desk()
    answer_all({"read": desk.read, "hover": desk.hover, "complete": desk.complete, "colours": desk.colours})


class Desk:
    def __init__(self) -> None:
        self.documents: OrderedDict[str, Document] = OrderedDict()
        self.texts: dict[str, str] = {}

    def document(self, name: str, text: str) -> Document:
        """The text as it is now; read once, however often it is asked about."""
        if name not in self.documents or self.texts[name] != text:
            self.documents[name] = read_document(None, text, name, self.documents.get(name))
            self.texts[name] = text
        self.documents.move_to_end(name)
        if len(self.documents) > _KEPT:
            del self.texts[self.documents.popitem(last=False)[0]]
        return self.documents[name]

    def read(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """What is wrong with it, and what is in it."""
        if language_of_ending(question["name"]) is None:
            return {"problems": [], "outline": [], "fixes": []}
        document = self.document(question["name"], question["text"])
        return {
            "problems": [
                {"range": list(problem.range), "message": problem.message, "severity": problem.severity}
                for problem in document.problems()
            ],
            "outline": _outline(document.outline()),
            "fixes": [
                {
                    "title": fix.title,
                    "range": list(fix.range),
                    "edits": [{"range": list(edit.range), "text": edit.text} for edit in fix.edits],
                }
                for fix in document.fixes()
            ],
        }

    def colours(self, question: Mapping[str, Any]) -> dict[str, Any] | None:
        language = language_of_ending(question["name"])
        if language is None or language.highlighting is None:
            return None
        return language.highlighting().to_json()

    def hover(self, question: Mapping[str, Any]) -> dict[str, Any] | None:
        if language_of_ending(question["name"]) is None:
            return None
        document = self.document(question["name"], question["text"])
        symbol = document.symbol_at(question["line"], question["character"])
        if symbol is None:
            return None
        return {
            "name": symbol.name,
            "kind": symbol.kind,
            "text": symbol.text,
            "place": f"{os.path.basename(symbol.file)}:{symbol.name_range.line + 1}",
            "line": symbol.name_range.line if symbol.file == question["name"] else None,
        }

    def complete(self, question: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What can stand at a place, names before keywords."""
        if language_of_ending(question["name"]) is None:
            return []
        document = self.document(question["name"], question["text"])
        line, character = question["line"], question["character"]
        return [
            {"name": one.label, "kind": one.kind, "text": one.detail}
            for one in completions(document, line, character)
            if not one.is_snippet
        ]


def _outline(symbols: Sequence[Symbol]) -> list[dict[str, Any]]:
    return [
        {"name": one.name, "kind": one.kind, "range": _range(one.name_range), "inside": _outline(one.children)}
        for one in symbols
    ]


def _range(place: Range) -> list[int]:
    return list(place)
