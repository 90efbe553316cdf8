"""Maria's language (``.pn``): high-level nets with typed tokens, modules and a preprocessor of flags."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kripke.nets.high_level.model import HighLevelModel


def load(
    path: str,
    *,
    defines: Mapping[str, str] | None = None,
    undefines: Sequence[str] = (),
    include_paths: Sequence[str] = (),
    invariants: Sequence[str] = (),
    formulas: Sequence[str] = (),
) -> HighLevelModel:
    """The net in a file. Invariants and formulas are written in Maria's own language."""
    from kripke.languages.maria.flattening import Flattening
    from kripke.languages.maria.lexer import read_text, tokenize
    from kripke.languages.maria.parser import parse
    from kripke.languages.maria.questions import asked
    from kripke.model.source import ModelError, Sources
    from kripke.nets.high_level.model import HighLevelModel

    sources = Sources()
    symbols = set(defines or {}) - set(undefines)
    try:
        syntax = parse(tokenize(path, read_text(path), sources, symbols, include_paths), sources)
        flattening = Flattening(sources)
        net, scope = flattening.net(syntax, os.path.basename(path))
        conditions, properties = asked(flattening, net, scope, invariants, formulas)
    except RecursionError:
        raise ModelError(f"{path} is nested too deeply") from None
    return HighLevelModel(net, path, "maria", sources, conditions, (), properties)
