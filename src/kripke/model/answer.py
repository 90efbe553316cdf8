"""``Answer``: what a question is answered with that is not only whether something holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kripke.model.result import Verdict


@dataclass(frozen=True, slots=True)
class Answer:
    """``value``: the truth of a formula, or a number; None where it is not known, for a ``reason``. ``way`` are the
    names of the steps to a state that decides it, where one does. Where the question was how large something is,
    ``figures`` has the numbers by their names in JSON, and ``words`` is the sentence for people."""

    name: str
    value: bool | int | None
    technique: str
    reason: str = ""
    way: tuple[str, ...] | None = None
    figures: Mapping[str, int | None] | None = None
    words: str = ""
    key: str = "formulas"
    """Where it stands in JSON: with the other formulas, or by itself."""

    @property
    def verdict(self) -> Verdict:
        if self.value is None:
            return "unknown"
        return "violated" if self.value is False else "holds"

    def to_json(self) -> dict[str, Any]:
        if self.figures is not None:
            return {**self.figures, "reason": self.reason}
        return {
            "name": self.name,
            "verdict": self.verdict,
            "value": self.value,
            "reason": self.reason,
            "technique": self.technique,
            "way": None if self.way is None else list(self.way),
        }
