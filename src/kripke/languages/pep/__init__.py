"""PEP's low-level nets (``.ll_net``): place/transition nets as a line-based text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kripke.nets.model import NetModel


def load(path: str, *, invariants: Sequence[str] = ()) -> NetModel:
    """The net in a file. Every invariant becomes an atom with its text as its name."""
    from kripke.languages.pep.reader import read_net
    from kripke.model.source import ModelError, Sources
    from kripke.nets.model import NetModel
    from kripke.nets.predicate_text import parse_predicate

    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}") from error
    sources = Sources()
    sources.add(path, text)
    net = read_net(text, path, sources)
    predicates = {
        expression: parse_predicate(expression, f"<invariant {number}>", net)
        for number, expression in enumerate(invariants, start=1)
    }
    return NetModel(net, path, "pep", sources, predicates)
