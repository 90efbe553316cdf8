"""PEP's low-level nets (``.ll_net``): place/transition nets as a line-based text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kripke.languages.forms import NET_FORMS
from kripke.languages.language import Language

if TYPE_CHECKING:
    from kripke.languages.editing.document import Document
    from kripke.languages.request import LoadRequest
    from kripke.model.highlighting import Highlighting
    from kripke.nets.model import NetModel

LONGEST_FILE = 1 << 24


def load(
    path: str,
    *,
    invariants: Sequence[str] = (),
    formulas: Sequence[str] = (),
    conditions: Sequence[str] = (),
    progress: str | None = None,
    formula_files: Sequence[str] = (),
) -> NetModel:
    """The net in a file. Invariants and formulas of linear time are about its markings."""
    from kripke.languages.pep.reader import read_net
    from kripke.languages.pnml import read_files
    from kripke.model.source import ModelError, Sources
    from kripke.nets.specification import specified_model

    try:
        if os.path.getsize(path) > LONGEST_FILE:
            raise ModelError(f"{path} has more than {LONGEST_FILE:,} bytes, which is too long for a net of this format")
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}") from error
    sources = Sources()
    sources.add(path, text)
    net = read_net(text, path, sources)
    queries = read_files(formula_files, net)
    return specified_model(
        net, path, "pep", sources, invariants, formulas, conditions, progress=progress, queries=queries
    )


def _load(request: LoadRequest) -> NetModel:
    return load(
        request.path,
        invariants=request.invariants,
        formulas=request.formulas,
        conditions=request.conditions,
        progress=request.progress,
        formula_files=request.formula_files,
    )


def _document(text: str, path: str, before: Document | None) -> Document:
    from kripke.languages.pep.editor import PepDocument

    return PepDocument(text, path, before)


def _highlighting() -> Highlighting:
    from kripke.model.highlighting import Highlighting

    return Highlighting(("PL", "TR", "TP", "PT"), line_comments=(), block_comment=None)


LANGUAGE = Language(
    name="pep",
    endings=(".ll_net",),
    load=_load,
    models="low-level nets of PEP",
    document=_document,
    highlighting=_highlighting,
    forms=NET_FORMS,
    manual="docs/languages/pep.md",
    examples="examples/pep",
)
