"""``Branching``: a formula of branching time that is asked for. Its own module, since every check looks for such
formulas and few have any: what evaluates them is imported where there are some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kripke.logic.ctl import StateFormula
    from kripke.logic.ctl_text import Logic


@dataclass(frozen=True, slots=True)
class Branching:
    """A formula of branching time, as it was asked for."""

    logic: Logic
    text: str
    formula: StateFormula
    #: what it is called in results, where that is not its text
    name: str = ""

    @property
    def kind(self) -> str:
        return self.logic

    @staticmethod
    def read(logic: Logic, text: str, number: int) -> Branching:
        from kripke.logic.ctl_text import parse

        return Branching(logic, text, parse(text, logic, f"<{logic} formula {number}>"))
