"""Modes (``.modes``): hierarchic reactive machines as a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kripke.languages.language import Language

if TYPE_CHECKING:
    from kripke.hierarchy.mode_model import ModeModel
    from kripke.languages.editing.document import Document
    from kripke.languages.request import LoadRequest
    from kripke.model.highlighting import Highlighting

LONGEST_FILE = 1 << 22


def load(
    path: str,
    *,
    defines: Mapping[str, str] | None = None,
    invariants: Sequence[str] = (),
    formulas: Sequence[str] = (),
    conditions: Sequence[str] = (),
) -> ModeModel:
    """The system of modes in a file. ``defines`` give constants other values."""
    from kripke.model.source import ModelError

    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(LONGEST_FILE + 1)
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}") from error
    if len(text) > LONGEST_FILE:
        raise ModelError(f"{path} has more than {LONGEST_FILE:,} characters, which is too long for modes")
    return read(text, path, defines=defines, invariants=invariants, formulas=formulas, conditions=conditions)


def read(
    text: str,
    path: str = "<text>",
    *,
    defines: Mapping[str, str] | None = None,
    invariants: Sequence[str] = (),
    formulas: Sequence[str] = (),
    conditions: Sequence[str] = (),
) -> ModeModel:
    """The same of a text."""
    from kripke.hierarchy.mode_model import ModeModel
    from kripke.hierarchy.tree import Tree
    from kripke.languages.modes.asked import Asked
    from kripke.languages.modes.checking import Checker
    from kripke.languages.modes.parser import Parser
    from kripke.model.source import Sources

    sources = Sources()
    sources.add(path, text)
    file = Parser(text, path, sources).file()
    checker = Checker(file, path, sources, defines or {})
    if file.refinements:
        from kripke.languages.modes.refinements import refinement_model

        return refinement_model(checker, path, sources, [*invariants, *formulas, *conditions])
    system = checker.system()
    tree = Tree(system)
    asked = Asked(checker, system, tree)
    asked.of_the_file()
    for number, expression in enumerate(invariants, start=1):
        asked.condition(expression, f"<invariant {number}>")
    for number, expression in enumerate(conditions, start=1):
        asked.condition(expression, f"<condition {number}>")
    for number, formula in enumerate(formulas, start=1):
        asked.formula(formula, formula, f"<formula {number}>")
    return ModeModel(system, tree, path, sources, list(asked.conditions.values()), asked.properties)


def _load(request: LoadRequest) -> ModeModel:
    return load(
        request.path,
        defines=request.defines,
        invariants=request.invariants,
        formulas=request.formulas,
        conditions=request.conditions,
    )


def _document(text: str, path: str, before: Document | None) -> Document:
    from kripke.languages.modes.editor import ModesDocument

    return ModesDocument(text, path, before)


def _highlighting() -> Highlighting:
    from kripke.languages.modes.parser import KEYWORDS
    from kripke.model.highlighting import Highlighting

    return Highlighting(KEYWORDS, ("bool",))


LANGUAGE = Language(
    name="modes",
    endings=(".modes",),
    load=_load,
    models="systems of modes",
    document=_document,
    highlighting=_highlighting,
    manual="docs/languages/modes.md",
    examples="examples/modes",
)
