"""What a check is asked to show: today safety, that is no deadlock, no failed assertion, invariants."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Safety:
    """Nothing bad is reachable. ``invariants`` are the names of atoms that must hold in every state; ``assertions``
    says whether the language has any."""

    deadlock: bool = True
    invariants: tuple[str, ...] = ()
    assertions: bool = True

    kind = "safety"

    def __str__(self) -> str:
        """What was shown, in words: "no deadlock, no failed assertion, invariant x < 3"."""
        parts = ["no deadlock"] if self.deadlock else []
        parts += ["no failed assertion"] if self.assertions else []
        parts += [f"invariant {name}" for name in self.invariants]
        return ", ".join(parts) or "no run-time error"
