"""A state space as a model: its states are numbers, its statements are labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kripke.languages.space.conditions import Conditions
from kripke.languages.space.reading import Space
from kripke.model.model import Model, Part, Statement, Transition, Violation, ViolationKind
from kripke.model.property import Temporal
from kripke.model.source import Diagnostic, Span

_BYTES = 4


class SpaceModel(Model):
    language = "space"
    warnings: Sequence[Diagnostic] = ()
    violation_kinds = (ViolationKind("step", "a step that an error ended"),)
    deadlock_text = "there is no step, and it is no valid end"
    actors_text = "actors"
    has_actors = False
    no_fairness = "a state space in a file does not say who makes a step"

    def __init__(
        self,
        path: str,
        space: Space,
        invariants: Sequence[str] = (),
        formulas: Sequence[str] = (),
        conditions: Sequence[str] = (),
    ) -> None:
        self.file = path
        self._space = space
        self.statements = [Statement(label, Span(path, 1, 1, 1, 1), "") for label in space.labels]
        asked = Conditions(space)
        for number, text in enumerate(invariants, start=1):
            asked.condition(text, f"<invariant {number}>")
        for number, text in enumerate(conditions, start=1):
            asked.condition(text, f"<condition {number}>")
        self.properties = [
            Temporal(text, "ltl", text, formula=asked.formula(text, f"<formula {number}>"))
            for number, text in enumerate(formulas, start=1)
        ]
        self.atoms = list(asked.tests)
        self._tests = list(asked.tests.values())

    @property
    def max_state_bytes(self) -> int:
        return _BYTES

    def initial(self) -> list[bytes]:
        return [number.to_bytes(_BYTES, "big") for number in self._space.initial]

    def successors(self, state: bytes) -> list[Transition]:
        return [
            Transition(
                (Part(0, label),),
                None if target is None else target.to_bytes(_BYTES, "big"),
                (Violation(0, label),) if target is None else (),
            )
            for label, target in self._space.steps[int.from_bytes(state, "big")]
        ]

    def valid_end(self, state: bytes) -> bool:
        return int.from_bytes(state, "big") in self._space.ends

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        number = int.from_bytes(state, "big")
        return tuple(test(number) for test in self._tests)

    def describe(self, state: bytes) -> Mapping[str, str]:
        number = int.from_bytes(state, "big")
        return {name: str(column[number]) for name, column in self._space.columns.items()}

    def actor_name(self, actor: int, state: bytes) -> str:
        return "step"

    def source_line(self, span: Span) -> str:
        return ""

    def facts(self) -> Mapping[str, object]:
        steps = sum(map(len, self._space.steps))
        return {"states": len(self._space.steps), "transitions": steps, "labels": len(self._space.labels)}
