"""Why something is wrong in a state: the parts of a condition with their values, or what everybody waits for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple


class FalseAtom(NamedTuple):
    """Asks why an atom, given by its number, is false."""

    number: int


class Stuck(NamedTuple):
    """Asks why nothing can move."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One fact, ``text``, and the values it comes from: ``inside == 1 is false`` because ``inside`` is ``2``."""

    text: str
    values: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        shown = ", ".join(f"{name} = {value}" for name, value in self.values)
        return f"{self.text}:  {shown}" if shown else self.text


@dataclass(frozen=True, slots=True)
class Explanation:
    """``summary`` says what is wrong, ``reasons`` why."""

    summary: str
    reasons: tuple[Reason, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "summary": self.summary,
            "reasons": [{"text": reason.text, "values": dict(reason.values)} for reason in self.reasons],
        }
