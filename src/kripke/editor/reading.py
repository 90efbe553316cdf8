"""A text as a document of its language."""

from __future__ import annotations

from kripke.editor.unread import UnreadDocument
from kripke.languages.editing.document import Document
from kripke.languages.registry import LANGUAGES, language_of_ending


def read_document(language: str | None, text: str, path: str, before: Document | None = None) -> Document:
    """A text in the language the editor says, or that of the file's ending; ``before`` is what it was until now."""
    known = LANGUAGES[language] if language is not None and language in LANGUAGES else language_of_ending(path)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if known is None or known.document is None:
        return UnreadDocument(text, path)
    return known.document(text, path, before)
