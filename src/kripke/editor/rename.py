"""A thing gets another name, wherever it is mentioned; and the model stays the same, or nothing is changed.

Names are found by what they mean. The changed texts are read again before anybody sees them. The change is refused
where they have errors, where a name now means something else than before (it is captured, or it captures), and where
the model itself is no longer the same.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping

from kripke.editor.occurrences import occurrences
from kripke.editor.project import Project
from kripke.editor.reading import read_document
from kripke.languages.editing.document import Document, Symbol
from kripke.languages.editing.edits import Edit, edited
from kripke.languages.editing.same_meaning import same_meaning
from kripke.languages.editing.words import Word

#: the edits of every text, by its path
Changes = dict[str, list[Edit]]


class Refused(Exception):
    """The name is not changed; the message says why."""


def renamed_at(document: Document, line: int, character: int) -> tuple[Word, Symbol]:
    """The name at a place and what it means. Refused where it cannot be changed."""
    word = document.name_at(line, character)
    symbol = None if word is None else document.symbol_at(line, character)
    if word is None or symbol is None:
        raise Refused("there is no name of the model here")
    why = document.fixed(symbol)
    if why is not None:
        raise Refused(why)
    error = next((problem for problem in document.problems() if problem.severity == "error"), None)
    if error is not None:
        first = error.message.splitlines()[0]
        raise Refused(f"the text has an error in line {error.range.line + 1} ({first}): mend it first")
    return word, symbol


def rename(project: Project, path: str, document: Document, line: int, character: int, new: str) -> Changes:
    word, symbol = renamed_at(document, line, character)
    old = word.text
    if new == old:
        return {}
    if not document.is_name(new):
        raise Refused(f"{new!r} is no name, or a word of the language")
    documents = {path: document}
    for other, read in project.mentioning(old, document.language, path):
        documents[other] = read
    changes: Changes = {}
    for each, read in documents.items():
        found = [found for found in occurrences(read, symbol) if found.text == old]
        if found:
            changes[each] = [Edit(word.range, new) for word in found]
    if not any(is_declaration(edit, symbol) for edits in changes.values() for edit in edits):
        raise Refused(
            f"the declaration of {old} is not written out in these texts: a macro makes it, or it is elsewhere"
        )
    _Trial(project, documents, changes, old, new).check()
    return changes


def is_declaration(edit: Edit, symbol: Symbol) -> bool:
    return edit.range[:2] == symbol.name_range[:2]


class _Trial:
    """Every text that is changed, before and after."""

    def __init__(
        self, project: Project, documents: Mapping[str, Document], changes: Changes, old: str, new: str
    ) -> None:
        self.project = project
        self.documents = documents
        self.changes = changes
        self.old = old
        self.new = new

    def check(self) -> None:
        if len(self.changes) == 1:
            (path, edits) = next(iter(self.changes.items()))
            before = self.documents[path]
            text = self.project.text(path)
            assert text is not None
            self._compare(path, before, read_document(before.language, edited(_plain(text), edits), path))
            return
        # Texts that include each other are tried in a copy of their folders.
        texts = {path: self.project.text(path) or "" for path in self.project.files(self._language())}
        root = os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in texts])
        with tempfile.TemporaryDirectory(prefix="kripke-rename-") as folder:
            copies = {path: os.path.join(folder, os.path.relpath(os.path.abspath(path), root)) for path in texts}
            for path, copy in copies.items():
                _write(copy, texts[path])
            originals = {path: self._read(copies[path], texts[path]) for path in self.changes}
            after = {path: edited(_plain(texts[path]), edits) for path, edits in self.changes.items()}
            for path, text in after.items():
                _write(copies[path], text)
            for path, text in after.items():
                self._compare(path, originals[path], self._read(copies[path], text))

    def _language(self) -> str:
        return next(iter(self.documents.values())).language

    def _read(self, path: str, text: str) -> Document:
        return read_document(self._language(), text, path)

    def _compare(self, path: str, before: Document, after: Document) -> None:
        here = os.path.basename(path)
        known = {problem.message for problem in before.problems()}
        for problem in after.problems():
            if problem.severity == "error" and problem.message not in known:
                place = f"{here}:{problem.range.line + 1}"
                raise Refused(f"with the name {self.new}: {place}: {problem.message.splitlines()[0]}")
        one, other = _Resolution(before, self.old, self.new), _Resolution(after, self.old, self.new)
        for mine, yours in zip(one.names, other.names, strict=False):
            if one.meaning(mine) != other.meaning(yours):
                raise Refused(
                    f"{self.new} means something else in line {yours.line + 1} of {here}: choose another name"
                )
        if len(one.names) != len(other.names):
            raise Refused(f"{self.new} is not read as a name in {here}")
        if before.meaning is None and _has_c(before):
            raise Refused("the model has C code, in which names cannot be followed: change it by hand")
        if before.meaning is not None and (
            after.meaning is None or not same_meaning(before.meaning, after.meaning, self.old, self.new)
        ):
            why = (
                "its beginning has a meaning, it is used where names are put together, or something else has this name"
            )
            raise Refused(f"the model would not be the same with the name {self.new}: {why}")


class _Resolution:
    """What the two names mean wherever they stand: numbers of words, which a change of names leaves alone."""

    def __init__(self, document: Document, old: str, new: str) -> None:
        self.document = document
        self.names = [word for word in document.words.all if word.kind == "name" and word.text in (old, new)]
        self.numbers = {(word.line, word.character): number for number, word in enumerate(document.words.all)}

    def meaning(self, word: Word) -> object:
        symbol = self.document.symbol_at(word.line, word.character)
        if symbol is None:
            return None
        if symbol.file != self.document.path:
            return os.path.basename(symbol.file), symbol.name_range.line
        return self.numbers.get(symbol.name_range[:2])


def _has_c(document: Document) -> bool:
    return any("--allow-c" in problem.message for problem in document.problems())


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
