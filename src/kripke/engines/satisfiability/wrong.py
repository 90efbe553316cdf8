"""What is wrong in states, as one term, and which of it a state has."""

from __future__ import annotations

from collections.abc import Sequence

from kripke.engines.encoded import Answer
from kripke.engines.explicit.search import ErrorPath
from kripke.engines.unsupported import Unsupported
from kripke.model.capabilities.encodable import Encoding
from kripke.model.property import Safety
from kripke.terms.build import any_of, conjoin, negate
from kripke.terms.evaluation import evaluate
from kripke.terms.narrowing import facts
from kripke.terms.system import TransitionSystem
from kripke.terms.term import Term


def refuse_unclear_ends(system: TransitionSystem) -> None:
    """Unsupported, where nobody knows in terms which states have no step."""
    if system.unclear_ends:
        raise Unsupported(
            f"a solver cannot be asked for states without a step: {system.unclear_ends}; "
            "choose --engine bdd, or ask for single properties with --property"
        )


class Wrong:
    """Violations, broken invariants (numbers of atoms), deadlocks; and where the encoding ends."""

    def __init__(self, encoding: Encoding, goal: Safety, invariants: Sequence[int]) -> None:
        self.encoding, self.system = encoding, encoding.system
        system = self.system
        self.kinds: list[tuple[Term, str, int, int]] = [
            (breach.condition, "violation", breach.code, breach.statement) for breach in system.breaches
        ]
        for atom in invariants:
            self.kinds.append((conjoin(system.stable, negate(system.atoms[atom])), "invariant", atom, -1))
        if goal.deadlock:
            refuse_unclear_ends(system)
            self.kinds.append((conjoin(system.resting, negate(system.valid_end)), "deadlock", -1, -1))
        self.limits = [(limit.condition, limit.text) for limit in system.limits]
        #: what an interval analysis knows of all states that are reached
        self.facts = facts(system)
        self.term = any_of([*(one[0] for one in self.kinds), *(one[0] for one in self.limits)])

    def answer(self, path: Sequence[tuple[int, ...]], answer: Answer) -> Answer:
        """A way to something wrong; ``reason`` where the encoding ends there."""
        values = dict(zip(self.system.variables, path[-1], strict=True))
        states = tuple(self._stable(path))
        for condition, kind, code, statement in self.kinds:
            if evaluate(condition, values):
                error = ErrorPath(kind, code, statement, states)  # type: ignore[arg-type]
                return Answer(error=error, depth=len(states) - 1, facts=answer.facts)
        text = next(text for condition, text in self.limits if evaluate(condition, values))
        return Answer(reason=text, facts={**answer.facts, "limit": True})

    def _stable(self, path: Sequence[tuple[int, ...]]) -> list[bytes]:
        return [
            self.encoding.state(values)
            for values in path
            if evaluate(self.system.stable, dict(zip(self.system.variables, values, strict=True)))
        ]
