"""Promela, the language of SPIN 6.5: text to tokens to a syntax tree.

The way a text takes: `preprocessor` (with `lexer`, `macros`, `conditions`), `separators`, `parser` (on top of
`statements`, `declarations`, `expressions` and `inlines`), which gives a `syntax.Module`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kripke.process.model import ProcessModel
    from kripke.process.passes import Passes


def load(
    path: str,
    *,
    defines: Mapping[str, str] | None = None,
    undefines: Sequence[str] = (),
    include_paths: Sequence[str] = (),
    invariants: Sequence[str] = (),
    formulas: Sequence[str] = (),
    claims: Sequence[str] = (),
    conditions: Sequence[str] = (),
    values: int | None = None,
    events: bool = False,
    passes: Passes | None = None,
    allow_c: bool = False,
    input: str | None = None,
) -> ProcessModel:
    """The model in a Promela file (see ``loader.load_file``)."""
    from kripke.languages.promela.loader import load_file

    return load_file(
        path,
        defines=defines,
        undefines=undefines,
        include_paths=include_paths,
        invariants=invariants,
        formulas=formulas,
        claims=claims,
        conditions=conditions,
        values=values,
        events=events,
        passes=passes,
        allow_c=allow_c,
        input=input,
    )
