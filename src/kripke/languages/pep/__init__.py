"""PEP's low-level nets (``.ll_net``): place/transition nets as a line-based text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kripke.nets.model import NetModel

LONGEST_FILE = 1 << 24


def load(
    path: str,
    *,
    invariants: Sequence[str] = (),
    formulas: Sequence[str] = (),
    conditions: Sequence[str] = (),
    progress: str | None = None,
) -> NetModel:
    """The net in a file. Invariants and formulas of linear time are about its markings."""
    from kripke.languages.pep.reader import read_net
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
    return specified_model(net, path, "pep", sources, invariants, formulas, conditions, progress=progress)
