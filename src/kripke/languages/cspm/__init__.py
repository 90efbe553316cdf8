"""CSP-M (``.csp``, ``.fdr2``), the machine-readable form of CSP, as FDR reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kripke.languages.language import Language, Option
from kripke.model.source import ModelError

if TYPE_CHECKING:
    from kripke.languages.editing.document import Document
    from kripke.languages.request import LoadRequest
    from kripke.model.highlighting import Highlighting
    from kripke.model.model import Model

PROCESS = Option(
    "process",
    "--process",
    "the process to use, as an expression (CSP-M)",
    default=None,
    metavar="PROCESS",
)
TYPES = Option("types", "--no-types", "do not check types (CSP-M)", default=True)


def _load(request: LoadRequest) -> Model:
    from kripke.languages.cspm.loading import load

    options = request.options
    model = load(
        request.path,
        process=options.get("process"),
        types=bool(options.get("types", True)),
        interrupt_after_end=bool(options.get("interrupt_after_end", False)),
        evaluate=tuple(options.get("evaluate") or ()),
        symmetric=tuple(options.get("symmetric") or ()),
        evaluation_limit=_steps(options.get("evaluation_limit")),
        formulas=request.formulas,
        conditions=request.conditions,
        invariants=request.invariants,
        include_root=request.include_root,
    )
    return model.as_asked() if model.atoms or model.properties else model


def _steps(given: str | int | None) -> int | None:
    if given is None:
        return None
    if not str(given).isdecimal():
        raise ModelError(f"--evaluation-limit: '{given}' is no number of steps", hint="0: no limit")
    return int(given)


def _highlighting() -> Highlighting:
    from kripke.languages.cspm.lexer import KEYWORDS
    from kripke.model.highlighting import Highlighting

    return Highlighting(KEYWORDS, line_comments=("--",), block_comment=("{-", "-}"), nested=True, word=r"[A-Za-z]\w*'*")


AFTER_END = Option(
    "interrupt_after_end",
    "--interrupt-after-end",
    "let Q still begin in P /\\ Q when P has ended, as in FDR2 (CSP-M)",
)


EVALUATE = Option(
    "evaluate",
    "--evaluate",
    "kripke info: show the value of an expression (CSP-M)",
    default=(),
    metavar="EXPRESSION",
    repeated=True,
)


EVALUATION_LIMIT = Option(
    "evaluation_limit",
    "--evaluation-limit",
    "steps (a drawn value 1, a call 4) until evaluation gives up; 10000000 if not given, 0: no limit (CSP-M)",
    default=None,
    metavar="STEPS",
)


SYMMETRIC = Option(
    "symmetric",
    "--symmetric",
    "values or events that may change places, as a set or as a sequence of pairs; for --symmetry (CSP-M)",
    default=(),
    metavar="EXPRESSION",
    repeated=True,
)


def _document(text: str, path: str, previous: Document | None) -> Document:
    from kripke.languages.cspm.editor import ScriptDocument

    return ScriptDocument(text, path, previous)


LANGUAGE = Language(
    name="cspm",
    endings=(".csp", ".fdr2", ".cspm"),
    load=_load,
    models="CSP-M scripts",
    options=(PROCESS, TYPES, AFTER_END, EVALUATE, EVALUATION_LIMIT, SYMMETRIC),
    highlighting=_highlighting,
    document=_document,
    manual="docs/languages/cspm.md",
    examples="examples/cspm",
)
