"""A synchronous system as a ``Model``: one step changes all variables at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from kripke.deadline import current
from kripke.model.model import (
    FairnessConstraint,
    Model,
    Part,
    Statement,
    Transition,
    Violation,
    ViolationKind,
    no_pause,
)
from kripke.model.source import NOWHERE, Diagnostic, Sources, Span
from kripke.synchronous.expressions import Node, negation
from kripke.synchronous.interpreter import Found, Interpreter
from kripke.synchronous.layout import Layout
from kripke.synchronous.system import SynchronousSystem

if TYPE_CHECKING:
    from kripke.model.capabilities.encodable import Encoding
    from kripke.model.property import Invariant, StatedBranching, Temporal

STEP = 0  # the number of the statement that is the step itself
_NO_VALUE = (
    "an expression has no value: a division by zero, an index outside of an array, or a case that does not apply"
)
_KINDS = (
    ViolationKind("undefined", _NO_VALUE),
    ViolationKind("range", "a variable is assigned a value that its type does not have"),
)


class SynchronousModel(Model):
    """Statement 0 is the step; the others are the assignments and constraints that it may fail at."""

    deadlock_text = "the state has no successor: the transition relation is not total"
    has_actors = False
    violation_kinds = _KINDS

    def __init__(
        self,
        system: SynchronousSystem,
        file: str,
        language: str,
        sources: Sources,
        conditions: Mapping[str, Node],
        properties: Sequence[Temporal] = (),
        stated_invariants: Sequence[Invariant] = (),
        branching_properties: Sequence[StatedBranching] = (),
        warnings: Sequence[Diagnostic] = (),
    ) -> None:
        self.system = system
        self.file, self.language = file, language
        self.sources = sources
        self.properties, self.warnings = properties, warnings
        self.stated_invariants, self.branching_properties = stated_invariants, branching_properties
        self.conditions = dict(conditions)
        self._take_fairness()
        self.atoms = list(self.conditions)
        self._nodes = list(self.conditions.values())
        self.statements = [
            Statement("step", NOWHERE, ""),
            *(Statement(one.text, one.span, "") for one in system.statements()),
        ]
        self._layout = Layout(system)
        self._inputs = [number for number, one in enumerate(system.variables) if one.kind == "input"]

    def _take_fairness(self) -> None:
        """A run is fair where what justice asks for is not false for ever: atoms that say what is still awaited."""
        constraints: list[FairnessConstraint] = []
        for number, fair in enumerate(self.system.fairness, start=1):
            self.conditions[f"awaited {number}"] = negation(fair.condition)
            atom, able = len(self.conditions) - 1, None
            if fair.if_often is not None:
                self.conditions[f"demanded {number}"] = fair.if_often
                able = atom + 1
            constraints.append(FairnessConstraint(fair.text, atom, able))
        self.fairness_constraints = constraints
        self.always_fair = bool(constraints)

    @cached_property
    def interpreter(self) -> Interpreter:
        return Interpreter(self.system, current())

    @property
    def max_state_bytes(self) -> int:
        return self._layout.size

    # --- behaviour ----------------------------------------------------------------------------------------------------

    def initial(self) -> list[bytes]:
        states = (self._layout.encode(found.values) for found in self.interpreter.initial() if found.broken is None)
        return list(dict.fromkeys(states))

    def successors(self, state: bytes) -> list[Transition]:
        return list(self.each_successor(state))

    def each_successor(self, state: bytes) -> Iterator[Transition]:
        return map(self._transition, self.interpreter.steps(self._layout.decode(state)))

    def distinct_successors(self, state: bytes, pause: Callable[[], None] = no_pause) -> Iterator[Transition]:
        for step in self.each_successor(state):
            pause()
            yield step

    def _transition(self, found: Found) -> Transition:
        if found.broken is not None:
            violation = Violation(*found.broken)
            return Transition((Part(0, found.broken.statement),), None, (violation,))
        values = tuple(found.values[number] for number in self._inputs)
        return Transition((Part(0, STEP, values),), self._layout.encode(found.values))

    def valid_end(self, state: bytes) -> bool:
        return False

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        values = self._layout.decode(state)
        return tuple(self.interpreter.truth(node, values) is True for node in self._nodes)

    def failed_atoms(self, state: bytes) -> int:
        values = self._layout.decode(state)
        return sum(1 << n for n, node in enumerate(self._nodes) if self.interpreter.truth(node, values) is None)

    def executed(self, statement: int) -> bool:
        """Assignments and constraints are part of every step."""
        return statement != STEP

    def encode(self, room: int = 1) -> Encoding | str:
        from kripke.synchronous.encode.system import encoded

        return encoded(self.system, self._nodes, self._layout)

    # --- for people ---------------------------------------------------------------------------------------------------

    def describe(self, state: bytes) -> dict[str, str]:
        values = self._layout.decode(state)
        return {
            variable.name: variable.type.text(values[number])
            for number, variable in enumerate(self.system.variables)
            if variable.kind != "input"
        }

    def actor_name(self, actor: int, state: bytes) -> str:
        return ""

    def source_line(self, span: Span) -> str:
        return self.sources.line(span.file, span.line) or ""

    def source_files(self) -> Mapping[str, Sequence[str]]:
        return self.sources.texts()

    def explain_part(self, part: Part) -> str:
        """A step with the values of its inputs."""
        text = self.statements[part.statement].text
        if not part.values:
            return text
        variables = [self.system.variables[number] for number in self._inputs]
        given = (f"{one.name} = {one.type.text(value)}" for one, value in zip(variables, part.values, strict=True))
        return f"{text} with {', '.join(given)}"

    def facts(self) -> dict[str, object]:
        kinds = [variable.kind for variable in self.system.variables]
        sizes = [variable.type.size or 1 for variable in self.system.variables if variable.kind != "input"]
        bits = sum((size - 1).bit_length() for size in sizes)
        return {
            "state variables": kinds.count("state") + kinds.count("frozen"),
            "inputs": kinds.count("input"),
            "bits of a state": bits,
            "assignments": len(self.system.first) + len(self.system.following) + len(self.system.always),
            "constraints": len(self.system.init) + len(self.system.invar) + len(self.system.trans),
            "fairness constraints": len(self.system.fairness),
            "bytes of the longest state": self.max_state_bytes,
        }
