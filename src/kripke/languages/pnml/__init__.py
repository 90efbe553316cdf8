"""PNML (ISO/IEC 15909-2): place/transition nets and symmetric nets, and the model checking contest's formula files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kripke.nets.model import NetModel


def load(
    path: str,
    *,
    invariants: Sequence[str] = (),
    formulas: Sequence[str] = (),
    conditions: Sequence[str] = (),
    progress: str | None = None,
) -> NetModel:
    """The net in a file, unfolded where it is coloured; invariants and formulas are about its markings."""
    from kripke.languages.pnml.document import FileSources
    from kripke.languages.pnml.reader import read_file
    from kripke.nets.specification import specified_model

    sources = FileSources()
    net, warnings = read_file(path, sources)
    return specified_model(net, path, "pnml", sources, invariants, formulas, conditions, warnings, progress)
