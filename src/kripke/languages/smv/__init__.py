"""NuSMV's language (``.smv``): synchronous systems of modules, by assignments or by constraints on pairs of states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kripke.languages.language import Form, Language, Written

if TYPE_CHECKING:
    from kripke.languages.editing.document import Document
    from kripke.languages.request import LoadRequest
    from kripke.model.highlighting import Highlighting
    from kripke.model.model import Model
    from kripke.model.source import Sources
    from kripke.synchronous.model import SynchronousModel

LONGEST_FILE = 1 << 26


def load(
    path: str,
    *,
    invariants: Sequence[str] = (),
    formulas: Sequence[str] = (),
    conditions: Sequence[str] = (),
) -> SynchronousModel:
    """The system in a file."""
    from kripke.model.source import ModelError

    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(LONGEST_FILE + 1)
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}") from error
    if len(text) > LONGEST_FILE:
        raise ModelError(f"{path} has more than {LONGEST_FILE:,} characters, which is too long for SMV")
    return read(text, path, invariants=invariants, formulas=formulas, conditions=conditions)


def read(
    text: str,
    path: str = "<text>",
    *,
    invariants: Sequence[str] = (),
    formulas: Sequence[str] = (),
    conditions: Sequence[str] = (),
) -> SynchronousModel:
    """The same of a text."""
    from kripke.model.source import ModelError, Sources

    sources = Sources()
    sources.add(path, text)
    try:
        return _made(text, path, sources, invariants, formulas, conditions)
    except RecursionError:
        raise ModelError(f"{path}: definitions are nested too deeply to be read") from None


def _made(
    text: str,
    path: str,
    sources: Sources,
    invariants: Sequence[str],
    formulas: Sequence[str],
    conditions: Sequence[str],
) -> SynchronousModel:
    from kripke.languages.smv.elaboration import Elaboration
    from kripke.languages.smv.parser import Parser
    from kripke.languages.smv.specifications import Specifications
    from kripke.synchronous.model import SynchronousModel

    elaboration = Elaboration(Parser(text, path, sources).file(), path, sources)
    asked = Specifications(elaboration)
    asked.of_the_file(text)
    for number, expression in enumerate(invariants, start=1):
        asked.condition(expression, f"<invariant {number}>")
    for number, expression in enumerate(conditions, start=1):
        asked.condition(expression, f"<condition {number}>")
    for number, formula in enumerate(formulas, start=1):
        asked.formula(formula, f"<formula {number}>")
    return SynchronousModel(
        elaboration.system,
        path,
        "smv",
        sources,
        asked.conditions,
        asked.properties,
        asked.invariants,
        asked.branching,
        elaboration.meanings.warnings,
    )


def _load(request: LoadRequest) -> SynchronousModel:
    return load(request.path, invariants=request.invariants, formulas=request.formulas, conditions=request.conditions)


def _document(text: str, path: str, before: Document | None) -> Document:
    from kripke.languages.smv.editor import SmvDocument

    return SmvDocument(text, path, before)


def _highlighting() -> Highlighting:
    from kripke.languages.smv.lexer import KEYWORDS, TYPES
    from kripke.model.highlighting import Highlighting

    return Highlighting(KEYWORDS - TYPES, TYPES, ("--",), ("/--", "--/"), word=r"[A-Za-z_][A-Za-z0-9_$#-]*")


def _write(model: Model, form: Form) -> Written:
    from kripke.languages.smv.writing import write

    return write(model, form)


LANGUAGE = Language(
    name="smv",
    endings=(".smv",),
    load=_load,
    models="SMV models",
    document=_document,
    highlighting=_highlighting,
    forms=(Form("smv", "--smv", "a model as a file of SMV", "models that can be said in terms", _write, general=True),),
    manual="docs/languages/smv.md",
    examples="examples/smv",
)
