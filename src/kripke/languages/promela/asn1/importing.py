"""``import types from "file.asn1"``: reads the file and says what its names stand for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from kripke.languages.promela.asn1 import notation as n
from kripke.languages.promela.asn1.parser import parse
from kripke.languages.promela.asn1.resolution import Resolution
from kripke.languages.promela.asn1.types import Data, DataType
from kripke.model.source import Sources, Span

T = TypeVar("T")


@dataclass(slots=True)
class Imported:
    """The types and constants of a file, by their names in Promela, where ``-`` is ``_``."""

    types: dict[str, tuple[DataType, Span]] = field(default_factory=dict)
    constants: dict[str, tuple[DataType, Data, Span]] = field(default_factory=dict)


def promela_name(name: str) -> str:
    return name.replace("-", "_")


def read_types(text: str, path: str, before: list[n.Module], sources: Sources) -> Imported:
    """What a file defines; ``before`` are the modules of files that were imported earlier, to which its own are added.

    Raises ModelError."""
    modules = parse(text, path, sources)
    try:
        resolution = Resolution([*before, *modules], sources)
        found = Imported()
        for module in modules:
            for name, (type_, span) in resolution.types(module).items():
                _add(found.types, name, (type_, span), span, sources)
            for name, value in resolution.values(module).items():
                _add(found.constants, name, value, value[2], sources)
    except RecursionError:
        raise sources.error("nested too deeply", modules[0].span) from None
    before += modules
    return found


def _add(table: dict[str, T], name: str, item: T, span: Span, sources: Sources) -> None:
    known = promela_name(name)
    if known in table:
        raise sources.error(f"there are two names that are '{known}' in Promela", span)
    table[known] = item
