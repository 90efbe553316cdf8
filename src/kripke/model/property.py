"""What a check is to show: nothing bad is reachable, or a property of whole runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from kripke.model.source import NOWHERE, ModelError, Span

if TYPE_CHECKING:
    from kripke.logic.ctl import StateFormula
    from kripke.logic.formula import Formula
    from kripke.model.observer import Observer

TemporalKind = Literal["ltl", "never", "acceptance", "progress", "possible"]

#: names of checks that are not written in the model
SAFETY = "safety"
ACCEPTANCE = "acceptance"
PROGRESS = "progress"


@dataclass(frozen=True, slots=True)
class Safety:
    """Nothing bad is reachable. ``invariants`` are the names of atoms that must hold in every state; ``assertions``
    says whether the language has any. ``name``: of an invariant that the text of the model states."""

    deadlock: bool = True
    invariants: tuple[str, ...] = ()
    assertions: bool = True
    name: str = SAFETY

    kind = "safety"

    def __str__(self) -> str:
        """What was shown, in words: "no deadlock, no failed assertion, invariant x < 3"."""
        parts = ["no deadlock"] if self.deadlock else []
        parts += ["no failed assertion"] if self.assertions else []
        parts += [f"invariant {name}" for name in self.invariants]
        return ", ".join(parts) or "no run-time error"


@dataclass(frozen=True, slots=True)
class Invariant:
    """What the text of a model says of every state: an atom, and the name to ask for it by."""

    name: str
    atom: str
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class StatedBranching:
    """A formula of branching time in the text of a model, over its atoms."""

    name: str
    text: str
    formula: StateFormula
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Temporal:
    """A property of runs: a formula over the model's atoms (by name), or an observer that accepts the wrong runs.

    Of the kind "possible" it is a question: is there a run that satisfies the formula?

    A many-valued formula has ``cuts``: the first says that its value is at least 1, the last, which is also
    ``formula``, that it is as great as can be. ``refused``: why it cannot be checked; the rest of the model can.
    """

    name: str
    kind: TemporalKind
    text: str
    span: Span = NOWHERE
    formula: Formula | None = None
    claim: Observer | None = None
    cuts: tuple[Formula, ...] = ()
    refused: ModelError | None = None

    def cut(self, level: int) -> Temporal:
        """That the value of a many-valued formula is at least this."""
        return replace(self, formula=self.cuts[level - 1], cuts=())

    def possible(self) -> Temporal:
        """The question whether a run can satisfy the formula."""
        return replace(self, kind="possible")

    def __str__(self) -> str:
        match self.kind:
            case "ltl" | "possible":
                return self.text if self.name == self.text else f"{self.name}: {self.text}"
            case "never":
                return self.name
            case "acceptance":
                return "no acceptance cycle"
            case "progress":
                return "no non-progress cycle"

    def observer(self, atoms: Sequence[str], *, generalised: bool, alarms: bool = True) -> Observer:
        """What accepts the runs that are looked for: those that break the property, or that show it to be possible.

        With one acceptance set unless ``generalised``. Without ``alarms`` a prefix that decides, whatever follows, is
        not enough by itself: some run must go on from it.
        """
        from kripke.model.observer import Alarm, degeneralised, observe, simplified

        wanted = self.kind == "possible"
        decided = f"{self} is {'true' if wanted else 'violated'}, whatever follows"
        alarm = Alarm(self.kind, decided, self.span) if alarms else None
        if self.claim is not None:
            observer = simplified(self.claim, alarm)
            return observer if generalised else degeneralised(observer)
        assert self.formula is not None
        from kripke.logic import translation

        translate = translation.generalised if generalised else translation.buchi
        numbers = {name: number for number, name in enumerate(atoms)}
        observer = observe(translate(self.formula, negated=not wanted), numbers, self.name, self.kind, alarm)
        return observer if generalised else degeneralised(observer)
