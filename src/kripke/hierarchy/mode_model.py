"""A system of modes as a ``Model``: a step is a macro step of one top-level mode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from kripke.hierarchy.macro_steps import (
    INVARIANT,
    LENGTH,
    MOST_MICRO_STATES,
    RANGE,
    MacroSteps,
    Outcome,
)
from kripke.hierarchy.modes import ABSENT, Condition, ModeSystem
from kripke.hierarchy.terms import DIVISION, INDEX, NoValue, evaluator
from kripke.hierarchy.tree import Tree
from kripke.model.model import Model, Part, Statement, Transition, Violation, ViolationKind
from kripke.model.source import Diagnostic, Sources, Span

if TYPE_CHECKING:
    from kripke.model.capabilities.encodable import Encoding
    from kripke.model.capabilities.estimate import Estimator, Goal, Way
    from kripke.model.dependencies import DependencyAnalysis
    from kripke.model.diagram import Diagram
    from kripke.model.patterns.of_terms import InTerms
    from kripke.model.property import Temporal

_COUNTED_STATES = 5_000

KINDS = {
    RANGE: ViolationKind("range", "a value outside the declared range"),
    DIVISION: ViolationKind("division", "division by zero"),
    INVARIANT: ViolationKind("invariant", "invariant violated"),
    LENGTH: ViolationKind("length", f"a macro step passes more than {MOST_MICRO_STATES:,} micro states"),
    INDEX: ViolationKind("index", "an array has no such element"),
}


class ModeModel(Model):
    """Statements are the start of every top-level mode, then the transitions of all definitions, then the invariants of
    the text: a state that breaks one has a step that says so. The values of a part name the instance that acts."""

    deadlock_text = "no mode can change anything"

    def __init__(
        self,
        system: ModeSystem,
        tree: Tree,
        file: str,
        sources: Sources,
        conditions: Sequence[Condition] = (),
        properties: Sequence[Temporal] = (),
        warnings: Sequence[Diagnostic] = (),
    ) -> None:
        self.system = system
        self.tree = tree
        self.file = file
        self.language = "modes"
        self.sources = sources
        self.conditions = tuple(conditions)
        self.properties = properties
        self.warnings = warnings
        self.statements = [
            *(Statement(f"start {top.name}", top.span, system.definitions[top.definition].name) for top in system.tops),
            *(Statement(t.text, t.span, d.name) for d in system.definitions for t in d.transitions),
            *(Statement(f"invariant {one.name}", one.span, "") for one in system.invariants),
        ]
        self.violation_kinds = [KINDS[code] for code in sorted(KINDS)]
        self.atoms = [condition.name for condition in self.conditions]
        self.most_actors = len(system.tops)
        self._atoms = [evaluator(condition.term) for condition in self.conditions]
        self._invariants = [evaluator(one.term) for one in system.invariants]
        self._globals = range(len(system.globals))
        self._first = len(system.tops)
        self._first_invariant = self._first + sum(len(d.transitions) for d in system.definitions)

    @cached_property
    def macro_steps(self) -> MacroSteps:
        return MacroSteps(self.system, self.tree)

    @property
    def max_state_bytes(self) -> int:
        return max(1, self.tree.longest)

    # --- behaviour ----------------------------------------------------------------------------------------------------

    def initial(self) -> list[bytes]:
        return [self.tree.encode(values) for values in self.macro_steps.initial()[0]]

    def initial_violations(self) -> list[Transition]:
        return [self._step(self.tree.nodes[outcome.micros[0].node].top, outcome, started=True)
                for outcome in self.macro_steps.initial()[1]]  # fmt: skip

    def successors(self, state: bytes) -> list[Transition]:
        values = self.tree.decode(state)
        steps = []
        for number, invariant in enumerate(self._invariants):
            try:
                broken = None if invariant(values, self._globals) else INVARIANT
            except NoValue as error:
                broken = error.code
            if broken is not None:
                statement = self._first_invariant + number
                steps.append(Transition((Part(0, statement),), None, (Violation(broken, statement),)))
        for actor, root in enumerate(self.tree.roots):
            started = values[self.tree.nodes[root].position] == ABSENT
            for outcome in self.macro_steps.outcomes(root, values):
                steps.append(self._step(actor, outcome, started))
        return steps

    def _step(self, actor: int, outcome: Outcome, started: bool) -> Transition:
        parts = [Part(actor, actor)] if started else []
        parts += [Part(actor, self._first + micro.transition, (micro.node,)) for micro in outcome.micros]
        if outcome.values is None:
            return Transition(tuple(parts), None, (Violation(outcome.violation, parts[-1].statement),))
        return Transition(tuple(parts), self.tree.encode(outcome.values))

    def valid_end(self, state: bytes) -> bool:
        return False

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        values = self.tree.decode(state)
        return tuple(self._truth(number, values) is True for number in range(len(self._atoms)))

    def failed_atoms(self, state: bytes) -> int:
        values = self.tree.decode(state)
        return sum(1 << n for n in range(len(self._atoms)) if self._truth(n, values) is None)

    def _truth(self, number: int, values: Sequence[int]) -> bool | None:
        try:
            return bool(self._atoms[number](values, self._globals))
        except NoValue:
            return None

    def emit_c(self, *, dependencies: bool = False) -> str | None:
        from kripke.hierarchy.mode_dependence import obstacle
        from kripke.hierarchy.mode_emit import emit_c

        known = dependencies and obstacle(self.tree) is None
        return emit_c(self.system, self.tree, self.conditions, dependencies=known)

    def estimator(self, goal: Goal, way: Way) -> Estimator | str:
        from kripke.model.patterns.of_terms import estimator

        seen = self._seen
        return seen if isinstance(seen, str) else estimator(seen, self.violation_kinds, goal, way)

    def emit_estimates(self, estimators: Sequence[Estimator], *, dependencies: bool = False) -> str | None:
        from kripke.hierarchy.mode_dependence import obstacle
        from kripke.hierarchy.mode_emit import emit_c

        known = dependencies and obstacle(self.tree) is None
        return emit_c(self.system, self.tree, self.conditions, dependencies=known, estimators=estimators)

    def distance_to_state(self, state: bytes) -> None:
        """No more than how many bytes differ is known."""
        return None

    @cached_property
    def _seen(self) -> InTerms | str:
        from kripke.model.patterns.of_terms import seen_in_terms

        return seen_in_terms(self.encode)

    def dependencies(self, atoms: Sequence[int] = ()) -> DependencyAnalysis | str:
        from kripke.hierarchy.mode_dependence import ModeDependencies, obstacle

        return obstacle(self.tree) or ModeDependencies(self, [self.conditions[number].term for number in atoms])

    def encode(self, room: int = 1) -> Encoding | str:
        from kripke.hierarchy.mode_encode import encoded

        return encoded(self)

    @cached_property
    def _passed(self) -> frozenset[int]:
        """What runs before the initial states: the entries of modes that start initialised."""
        passed = {actor for actor, top in enumerate(self.system.tops) if top.initialised}
        for outcome in self.macro_steps.entered():
            passed.update(self._first + micro.transition for micro in outcome.micros)
        return frozenset(passed)

    def executed(self, statement: int) -> bool:
        return statement in self._passed

    def forbids(self, statement: int) -> bool:
        return statement >= self._first_invariant

    # --- for people ---------------------------------------------------------------------------------------------------

    def describe(self, state: bytes) -> dict[str, str]:
        """The globals; of every mode where it is, and the locals of the instances that are there."""
        values = self.tree.decode(state)
        shown = {v.name: v.type.text(values[i]) for i, v in enumerate(self.system.globals)}
        there = {node.number: node for node in self.tree.frames(values)}
        for top, root in zip(self.system.tops, self.tree.roots, strict=True):
            shown[f"{top.name}@"] = self.place(root, values)
            for node in there.values():
                if node.top == self.tree.nodes[root].top:
                    for place, variable in zip(node.locals, node.definition.locals, strict=True):
                        shown[f"{node.name}.{variable.name}"] = variable.type.text(values[place])
        return shown

    def place(self, root: int, values: Sequence[int]) -> str:
        """Where control of a top-level mode is, from the outside in: ``ctrl0.leaf1.k``."""
        node = self.tree.nodes[root]
        if values[node.position] == ABSENT:
            return "not started"
        names = []
        while True:
            position = values[node.position]
            names.append(node.definition.positions[position])
            if position not in node.definition.inside:
                return ".".join(names)
            node = self.tree.nodes[node.children[node.definition.inside.index(position)]]

    def actor_name(self, actor: int, state: bytes) -> str:
        return self.system.tops[actor].name

    def source_line(self, span: Span) -> str:
        return self.sources.line(span.file, span.line) or ""

    def source_files(self) -> Mapping[str, Sequence[str]]:
        return self.sources.texts()

    def explain_part(self, part: Part) -> str:
        text = self.statements[part.statement].text
        node = self.tree.nodes[part.values[0]] if part.values else None
        return text if node is None or node.parent < 0 else f"{node.name.partition('.')[2]}: {text}"

    def diagrams(self) -> list[Diagram]:
        from kripke.hierarchy.mode_diagrams import mode_diagrams

        return mode_diagrams(self.tree)

    def marked_diagrams(self) -> list[Diagram]:
        return self.diagrams()

    def marks(self, state: bytes) -> dict[str, str]:
        """Where control is, from the outside in."""
        from kripke.hierarchy.mode_diagrams import position_key

        values, found = self.tree.decode(state), dict[str, str]()
        for root in self.tree.roots:
            node = self.tree.nodes[root]
            while (position := values[node.position]) != ABSENT:
                found[position_key(node.number, position)] = "active"
                if position not in node.definition.inside:
                    break
                node = self.tree.nodes[node.children[node.definition.inside.index(position)]]
        return found

    def facts(self) -> dict[str, object]:
        definitions = self.system.definitions
        return {
            "modes": {
                d.name: f"{len(d.positions) - 1} control points, {len(d.transitions)} transitions, "
                f"{len(d.locals)} local variables, {len(d.instances)} submodes"
                for d in definitions
            },
            "top-level modes": len(self.system.tops),
            "instances": len(self.tree.nodes),
            "levels": max(node.depth for node in self.tree.nodes) + 1,
            "global variables": len(self.system.globals),
            "bytes of the longest state": self.max_state_bytes,
            **self._frames(),
        }

    def _frames(self) -> dict[str, object]:
        """How frames are shared, of a system that is explored at once."""
        from kripke.hierarchy.frames import count_frames

        try:
            counts = count_frames(self, _COUNTED_STATES)
        except MemoryError:
            return {}
        return {
            "frames": f"{counts.frames:,} in {counts.states:,} states; {counts.allocated:,} are allocated where a step "
            f"copies the globals and the mode that moved, {counts.distinct:,} are distinct"
        }
