"""PNML (ISO/IEC 15909-2): place/transition nets and symmetric nets, and the model checking contest's formula files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kripke.nets.model import NetModel


def load(path: str, *, invariants: Sequence[str] = ()) -> NetModel:
    """The net in a file, unfolded where it is coloured. Every invariant becomes an atom with its text as its name."""
    from kripke.languages.pnml.document import FileSources
    from kripke.languages.pnml.reader import read_file
    from kripke.nets.model import NetModel
    from kripke.nets.predicate_text import parse_predicate

    sources = FileSources()
    net, warnings = read_file(path, sources)
    predicates = {
        expression: parse_predicate(expression, f"<invariant {number}>", net)
        for number, expression in enumerate(invariants, start=1)
    }
    return NetModel(net, path, "pnml", sources, predicates, warnings)
