"""The texts that belong together: what an editor has open, and the models in its folders."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from kripke.editor.reading import read_document
from kripke.languages.editing.document import Document
from kripke.languages.registry import LANGUAGES

_MOST_FILES = 2_000
_LONGEST_FILE = 2_000_000  # bytes
_PASSED = frozenset({"node_modules", "build", "dist", "__pycache__"})


class Project:
    """``open``: the texts in the editor by their paths, which count more than what is on the disk."""

    def __init__(self, folders: list[str], open: Mapping[str, str]) -> None:
        self.folders = folders
        self.open = {os.path.realpath(path): text for path, text in open.items()}

    def text(self, path: str) -> str | None:
        """None for what cannot be read, or is too long to be somebody's model."""
        text = self.open.get(os.path.realpath(path))
        if text is not None:
            return text
        try:
            if os.path.getsize(path) > _LONGEST_FILE:
                return None
            with open(path, encoding="utf-8", newline="") as file:
                return file.read()
        except (OSError, ValueError):
            return None

    def files(self, language: str) -> Iterator[str]:
        """The models in this language, open ones first, each once."""
        endings = LANGUAGES[language].endings if language in LANGUAGES else ()
        seen: set[str] = set()
        for path in (*self.open, *self._on_disk(endings)):
            real = os.path.realpath(path)
            if real not in seen and path.lower().endswith(tuple(endings)) and len(seen) < _MOST_FILES:
                seen.add(real)
                yield path

    def _on_disk(self, endings: tuple[str, ...]) -> Iterator[str]:
        for top in self.folders:
            for folder, folders, names in os.walk(top):
                folders[:] = sorted(each for each in folders if not each.startswith(".") and each not in _PASSED)
                yield from (os.path.join(folder, each) for each in sorted(names) if each.lower().endswith(endings))

    def mentioning(self, word: str, language: str, beside: str) -> Iterator[tuple[str, Document]]:
        """The documents in which a word stands, but for the one at the path ``beside``."""
        pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
        for path in self.files(language):
            text = self.text(path)
            if text is not None and os.path.realpath(path) != os.path.realpath(beside) and pattern.search(text):
                yield path, read_document(language, text, path)
