"""Promela, the language of SPIN 6.5: text to tokens to a syntax tree.

The way a text takes: `preprocessor` (with `lexer`, `macros`, `conditions`), `separators`, `parser` (on top of
`statements`, `declarations`, `expressions` and `inlines`), which gives a `syntax.Module`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kripke.languages.language import Form, Language, Option
from kripke.languages.options import DEAD_VARIABLES, MERGE, SLICE

if TYPE_CHECKING:
    from kripke.languages.editing.document import Document
    from kripke.languages.language import Written
    from kripke.languages.promela.nonatomic import Variant
    from kripke.languages.request import LoadRequest
    from kripke.languages.trails import Trails
    from kripke.model.highlighting import Highlighting
    from kripke.model.model import Model
    from kripke.process.model import ProcessModel
    from kripke.process.passes import Passes


def load(
    path: str,
    *,
    defines: Mapping[str, str] | None = None,
    undefines: Sequence[str] = (),
    include_paths: Sequence[str] = (),
    include_root: str | None = None,
    invariants: Sequence[str] = (),
    formulas: Sequence[str] = (),
    claims: Sequence[str] = (),
    conditions: Sequence[str] = (),
    values: int | None = None,
    events: bool = False,
    passes: Passes | None = None,
    allow_c: bool = False,
    input: str | None = None,
    nonatomic: Variant = "fixed",
    split_reads: bool = False,
) -> ProcessModel:
    """The model in a Promela file (see ``loader.load_file``)."""
    from kripke.languages.promela.loader import load_file

    return load_file(
        path,
        defines=defines,
        undefines=undefines,
        include_paths=include_paths,
        include_root=include_root,
        invariants=invariants,
        formulas=formulas,
        claims=claims,
        conditions=conditions,
        values=values,
        events=events,
        passes=passes,
        allow_c=allow_c,
        input=input,
        nonatomic=nonatomic,
        split_reads=split_reads,
    )


def _load(request: LoadRequest) -> ProcessModel:
    from kripke.process.passes import Passes

    # The passes are to keep what it reads, as of a condition.
    measured = tuple(text for text in (request.progress, request.estimate) if text is not None)
    model = load(
        request.path,
        defines=request.defines,
        undefines=request.undefines,
        include_paths=request.include_paths,
        include_root=request.include_root,
        invariants=request.invariants,
        formulas=request.formulas,
        claims=request.claims,
        conditions=(*request.conditions, *measured),
        values=request.values,
        events=request.events,
        passes=Passes(request.options["merge"], request.options["dead_variables"], request.options["slice"]),
        allow_c=request.allow_c,
        input=request.input,
        nonatomic=request.options["nonatomic"],
        split_reads=request.options["split_reads"],
    )
    model.program.measure = request.progress
    return model


def _document(text: str, path: str, before: Document | None) -> Document:
    from kripke.languages.promela.editor import PromelaDocument

    return PromelaDocument(text, path, before)


def _highlighting() -> Highlighting:
    from kripke.languages.promela.lexer import KEYWORDS, TYPES
    from kripke.model.highlighting import Highlighting

    return Highlighting(KEYWORDS, TYPES, directives="#")


def _trails() -> Trails:
    from kripke.languages.promela.trails import SpinTrails

    return SpinTrails()


def _as_lf(model: Model, form: Form) -> Written:
    from kripke.languages.promela.as_lf.module import write

    return write(model, form)


_NONATOMIC = Option(
    "nonatomic",
    "--nonatomic",
    "what a read sees while a nonatomic variable is written: one arbitrary value per write (fixed, the default), or "
    "another one each time (lamport)",
    "fixed",
    ("fixed", "lamport"),
)
_SPLIT_READS = Option(
    "split_reads", "--split-reads", "make each read of a nonatomic variable in a test a step of its own"
)

LANGUAGE = Language(
    name="promela",
    endings=(".pml", ".pm", ".pr", ".prm", ".prom", ".promela", ".spin"),
    load=_load,
    models="Promela models",
    options=(MERGE, DEAD_VARIABLES, SLICE, _NONATOMIC, _SPLIT_READS),
    # Many models have names that tell nothing; a process is declared in every one.
    recognises=lambda text: re.search(r"\bproctype\s+\w+\s*\(|^\s*init\s*\{", text, re.MULTILINE) is not None,
    reads_input=lambda text: re.search(r"\bSTDIN\b", text) is not None,
    document=_document,
    many_valued=True,
    forms=(Form("lf", "--lf", "a Promela model as a program in LF", "Promela models", _as_lf),),
    trails=_trails,
    highlighting=_highlighting,
    manual="docs/languages/promela.md",
    examples="examples/promela",
)
