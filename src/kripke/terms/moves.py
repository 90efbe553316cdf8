"""``Moves``: what comes of the steps of a model, or of a part of it, while they become commands."""

from __future__ import annotations

from dataclasses import dataclass, field

from kripke.terms.build import FALSE, conjoin, disjoin
from kripke.terms.path import Path
from kripke.terms.system import Breach, Command, Limit
from kripke.terms.term import Term


@dataclass(slots=True)
class Moves:
    """What processes can do: commands, what they break, and under which condition there is anything at all."""

    commands: list[Command] = field(default_factory=list)
    breaches: list[Breach] = field(default_factory=list)
    limits: list[Limit] = field(default_factory=list)
    moved: Term = FALSE

    def within(self, condition: Term) -> Moves:
        """Only where the condition holds."""
        return Moves(
            [command._replace(guard=conjoin(condition, command.guard)) for command in self.commands],
            [breach._replace(condition=conjoin(condition, breach.condition)) for breach in self.breaches],
            [limit._replace(condition=conjoin(condition, limit.condition)) for limit in self.limits],
            conjoin(condition, self.moved),
        )

    def add(self, other: Moves) -> None:
        self.commands += [command for command in other.commands if command.guard is not FALSE]
        self.breaches += [breach for breach in other.breaches if breach.condition is not FALSE]
        self.limits += [limit for limit in other.limits if limit.condition is not FALSE]
        self.moved = disjoin(self.moved, other.moved)

    def collect(self, path: Path) -> None:
        self.breaches += path.breaches
        self.limits += path.limits
