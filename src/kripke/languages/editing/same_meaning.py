"""Is one form of a model another one with a name replaced?

A rename is safe when the model stays the same. To see this, the form a text was translated to is compared with the form
of the changed text, part by part. Parts that are objects of their own, such as variables, must correspond one to one:
a name that now means another variable shows here, wherever it stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum

from kripke.logic.formula import Formula
from kripke.model.source import Sources, Span

#: parts of expressions that say where they stand, and what objects have that says nothing
_PLACES = frozenset({"at", "__weakref__", "__dict__"})


def same_meaning(before: object, after: object, old: str, new: str) -> bool:
    """Are these alike but for the one name? Places in the text do not count."""
    return _Comparison(old, new).alike(before, after)


class _Comparison:
    def __init__(self, old: str, new: str) -> None:
        self._either = re.compile(rf"(?<!\w)(?:{re.escape(old)}|{re.escape(new)})(?!\w)")
        self._longest = max(len(old), len(new))
        self._partner: dict[int, int] = {}
        self._partner_back: dict[int, int] = {}
        self._compared: set[tuple[int, int]] = set()
        self._kept: list[object] = []  # so that no identity is used twice

    def alike(self, before: object, after: object) -> bool:
        """Without recursion: forms of large models are deep."""
        waiting = [(before, after)]
        while waiting:
            one, other = waiting.pop()
            parts = self._parts(one, other)
            if parts is None:
                return False
            waiting += parts
        return True

    def _parts(self, one: object, other: object) -> list[tuple[object, object]] | None:
        """What is still to be compared of two things; None where they differ."""
        if type(one) is not type(other):
            return None
        if isinstance(one, str):
            return [] if self._same_text(self._plain(one), self._plain(str(other))) else None
        if isinstance(one, Formula) and isinstance(other, Formula):
            return [] if self._formula(one) == self._formula(other) else None
        if isinstance(one, Span | Sources) or callable(one):
            return []
        if one is None or isinstance(one, bool | int | float | bytes | Enum):
            return [] if one == other else None
        if type(one).__eq__ is object.__eq__:  # it is itself, not its value
            mine, yours = id(one), id(other)
            if self._partner.setdefault(mine, yours) != yours or self._partner_back.setdefault(yours, mine) != mine:
                return None
        if (id(one), id(other)) in self._compared:
            return []
        self._compared.add((id(one), id(other)))
        self._kept += [one, other]
        return self._inside(one, other)

    def _inside(self, one: object, other: object) -> list[tuple[object, object]] | None:
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            return self._pairs([*one.keys(), *one.values()], [*other.keys(), *other.values()])
        if isinstance(one, list | tuple) and isinstance(other, list | tuple):
            return self._pairs(list(one), list(other))
        if isinstance(one, set | frozenset) and isinstance(other, set | frozenset):
            return self._pairs(sorted(map(self._key, one)), sorted(map(self._key, other)))
        return self._pairs(_values(one), _values(other))

    def _pairs(
        self, ones: list[object] | list[str], others: list[object] | list[str]
    ) -> list[tuple[object, object]] | None:
        return list(zip(ones, others, strict=True)) if len(ones) == len(others) else None

    def _key(self, element: object) -> str:
        """Sets have no order: their elements are compared as text, where they are plain."""
        return self._plain(repr(element)) if isinstance(element, str | int | tuple) else type(element).__name__

    def _same_text(self, one: str, other: str) -> bool:
        if one == other:
            return True
        # Texts for people are cut where they are long: another name moves the place.
        if not (one.endswith("...") or other.endswith("...")):
            return False
        known = max(0, min(len(one), len(other)) - 3 - self._longest)
        return one[:known] == other[:known]

    def _formula(self, formula: Formula) -> str:
        """Operands in an order of their own: that of ``and`` depends on which formula was made first."""
        if formula.atom is not None:
            return self._plain(str(formula.atom))
        inside = [self._formula(operand) for operand in formula.operands]
        ordered = sorted(inside) if formula.operator in ("and", "or") else inside
        return f"{formula.operator}({', '.join(ordered)})"

    def _plain(self, text: str) -> str:
        return self._either.sub("\0", text)


def _values(thing: object) -> list[object]:
    """What an object consists of."""
    if is_dataclass(thing):
        return [getattr(thing, field.name, None) for field in fields(thing) if field.name not in _PLACES]
    named = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    named += vars(thing) if hasattr(thing, "__dict__") else []
    return [getattr(thing, name, None) for name in named if name not in _PLACES]
