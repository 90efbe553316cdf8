"""State spaces from files: ``.aut`` (Aldebaran), and tables of states and transitions (``.parquet``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kripke.languages.language import Language

if TYPE_CHECKING:
    from kripke.languages.request import LoadRequest
    from kripke.model.highlighting import Highlighting
    from kripke.model.model import Model


def _load(request: LoadRequest) -> Model:
    from kripke.languages.space.model import SpaceModel
    from kripke.languages.space.reading import read_aut, read_tables

    read = read_tables if request.path.endswith(".parquet") else read_aut
    return SpaceModel(request.path, read(request.path), request.invariants, request.formulas, request.conditions)


def _highlighting() -> Highlighting:
    from kripke.model.highlighting import Highlighting

    return Highlighting(("des",), line_comments=(), block_comment=None)


LANGUAGE = Language(
    name="space",
    endings=(".aut", ".parquet"),
    load=_load,
    models="state spaces in files",
    highlighting=_highlighting,
    manual="docs/languages/space.md",
    examples="examples/space",
)
