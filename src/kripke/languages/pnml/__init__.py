"""PNML (ISO/IEC 15909-2): place/transition nets and symmetric nets, and the model checking contest's formula files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kripke.languages.forms import NET_FORMS
from kripke.languages.language import Language

if TYPE_CHECKING:
    from kripke.languages.editing.document import Document
    from kripke.languages.request import LoadRequest
    from kripke.model.highlighting import Highlighting
    from kripke.nets.formulas import Query
    from kripke.nets.model import NetModel
    from kripke.nets.place_transition import PlaceTransitionNet


def load(
    path: str,
    *,
    invariants: Sequence[str] = (),
    formulas: Sequence[str] = (),
    conditions: Sequence[str] = (),
    progress: str | None = None,
    formula_files: Sequence[str] = (),
) -> NetModel:
    """The net in a file, unfolded where it is coloured; invariants and formulas are about its markings."""
    from kripke.languages.pnml.document import FileSources
    from kripke.languages.pnml.reader import read_file
    from kripke.nets.specification import specified_model

    sources = FileSources()
    net, warnings = read_file(path, sources)
    queries = read_files(formula_files, net)
    return specified_model(net, path, "pnml", sources, invariants, formulas, conditions, warnings, progress, queries)


def read_files(formula_files: Sequence[str], net: PlaceTransitionNet) -> list[Query]:
    """The formulas of files of the contest, about a net in whatever language."""
    if not formula_files:
        return []
    from kripke.languages.pnml.document import FileSources
    from kripke.languages.pnml.formulas import read_queries

    return [query for file in formula_files for query in read_queries(file, net, FileSources())]


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
    from kripke.languages.pnml.editor import PnmlDocument

    return PnmlDocument(text, path, before)


def _highlighting() -> Highlighting:
    from kripke.model.highlighting import Highlighting

    return Highlighting(
        ("arc", "net", "page", "place", "pnml", "transition"),
        line_comments=(),
        block_comment=("<!--", "-->"),
        quotes="\"'",
        markup=True,
    )


LANGUAGE = Language(
    name="pnml",
    endings=(".pnml",),
    load=_load,
    models="nets in PNML",
    document=_document,
    highlighting=_highlighting,
    forms=NET_FORMS,
    manual="docs/languages/pnml.md",
    examples="examples/pnml",
)
