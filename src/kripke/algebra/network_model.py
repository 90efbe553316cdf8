"""A network as a ``Model`` that can be compiled, alone or beside a specification in normal form.

A state is the numbers of the leaves' states and that of the node of the specification (``state_layout.py``). The
reference semantics are the terms: a state becomes a term again, and its steps are the term's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from kripke.algebra.events import TAU, TICK
from kripke.algebra.model import AlgebraModel
from kripke.algebra.network import Network
from kripke.algebra.state_layout import layout_of
from kripke.algebra.terms import Term
from kripke.model.assertions import INVISIBLE, SpecificationTable
from kripke.model.model import Model, Part, Statement, Transition, Violation, ViolationKind
from kripke.model.source import NOWHERE, Span

if TYPE_CHECKING:
    from kripke.model.capabilities.estimate import Estimator, Goal, Way
    from kripke.model.permutation_symmetry import PermutationSymmetry
    from kripke.model.trace import Step

FORBIDDEN, REFUSED = 0, 1
KINDS = [
    ViolationKind("event", "an event the specification does not allow"),
    ViolationKind("refusal", "a refusal the specification does not allow"),
]


class NetworkModel(Model):
    deadlock_text = "no event can happen, and the process has not ended"
    most_actors = 1 << 16
    no_fairness = AlgebraModel.no_fairness

    def __init__(self, base: AlgebraModel, network: Network, specification: SpecificationTable | None = None) -> None:
        self.base = base
        self.network = network
        self.specification = specification
        self.file, self.language = base.file, base.language
        self.warnings = base.warnings
        self.violation_kinds = KINDS if specification is not None else []
        asked = base.asked
        self.atoms = list(asked.states)
        self.properties = asked.properties
        self.events_used = sorted({TAU, *(rule.event for rule in network.rules)})
        self.label = {event: number for number, event in enumerate(self.events_used)}
        self.step_atoms = {
            **{name: self.labels_of(has) for name, has in asked.steps.items()},
            INVISIBLE: frozenset({self.label[TAU]}),
        }
        #: one for each label; then those of who takes part in steps, as they are met
        self.statements: list[Statement] = [
            Statement(base.event_name(event), NOWHERE, base.event_name(event).partition(".")[0])
            for event in self.events_used
        ]
        self._of_parts: dict[int, int] = {}
        nodes = 0 if specification is None else len(specification.after)
        self.layout = layout_of(network, nodes, in_bytes=bool(base.claims()))

    def labels_of(self, has: Callable[[int], bool]) -> frozenset[int]:
        return frozenset(label for event, label in self.label.items() if has(event))

    def _parts(self, term: Term, event: int, target: Term) -> tuple[Part, ...]:
        """Those who take part; beside a specification the event is enough."""
        if self.specification is not None:
            return (Part(0, self.label[event]),)
        found = []
        for part in self.base.parts(term, event, target):
            number = self._of_parts.get(part.statement)
            if number is None:
                number = self._of_parts[part.statement] = len(self.statements)
                self.statements.append(self.base.statements[part.statement])
            found.append(part._replace(statement=number))
        return tuple(found)

    def event_of_step(self, step: Step) -> int:
        """Of a run through this model."""
        number = step.parts[0].statement
        if number < len(self.events_used):
            return self.events_used[number]
        term = self.network.term(self.decode(step.before)[0])
        assert step.state is not None
        after = self.network.term(self.decode(step.state)[0])
        return next(event for event, target in term.steps() if target is after)

    @property
    def max_state_bytes(self) -> int:
        return self.layout.bytes

    def state_of(self, numbers: Sequence[int], node: int = 0) -> bytes:
        return self.layout.encode(numbers if self.specification is None else (*numbers, node))

    def decode(self, state: bytes) -> tuple[tuple[int, ...], int]:
        numbers = self.layout.decode(state)
        return (numbers, 0) if self.specification is None else (numbers[:-1], numbers[-1])

    def initial(self) -> list[bytes]:
        return [self.state_of(self.network.initial())]

    def successors(self, state: bytes) -> list[Transition]:
        numbers, node = self.decode(state)
        term = self.network.term(numbers)
        spec = self.specification
        found: list[Transition] = []
        offered: set[int] = set()
        chaotic = spec is not None and node in spec.chaotic
        for event, target in term.steps():
            offered.add(event)
            label = self.label[event]
            parts = self._parts(term, event, target)
            after = self.network.state(target)
            if spec is None or event == TAU or chaotic:
                if not chaotic:
                    found.append(Transition(parts, self.state_of(after, node), (), self._happened(event)))
                continue
            following = spec.after[node].get(event)
            if following is None:
                found.append(Transition(parts, None, (Violation(FORBIDDEN, label),)))
            else:
                found.append(Transition(parts, self.state_of(after, following)))
        if spec is None or spec.demands is None or chaotic or TAU in offered:
            return found
        if TICK in offered:  # it refuses everything else
            offered = {TICK}
        if not any(demanded <= offered for demanded in spec.demands[node]):
            found.append(Transition((Part(0, 0),), None, (Violation(REFUSED, 0),)))
        return found

    def valid_end(self, state: bytes) -> bool:
        return self.specification is not None or self.network.term(self.decode(state)[0]) is self.network.world.omega

    def _happened(self, event: int) -> int:
        """That a step is invisible comes behind what formulas speak of."""
        return self.base.happened(event) | (int(event == TAU) << len(self.base.asked.steps))

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        return self.base.truths(self.network.term(self.decode(state)[0]))

    def executed(self, statement: int) -> bool:
        return True

    def symmetry(self, atoms: Sequence[int] = ()) -> PermutationSymmetry | str:
        from kripke.algebra.symmetry.reduction import symmetry_of_network
        from kripke.model.permutation_symmetry import Component

        fields = self.layout.fields
        if any(field.bit % 8 or field.bits % 8 for field in fields):
            return "nothing is said to change places: name it with --symmetric, or in the assertion"
        components = [Component(field.bit // 8, field.bits // 8) for field in fields]
        return symmetry_of_network(self.network, self.specification, self.base.claims(), components)

    def describe(self, state: bytes) -> Mapping[str, str]:
        return self.base.describe(self.base.state_of(self.network.term(self.decode(state)[0])))

    def actor_name(self, actor: int, state: bytes) -> str:
        if self.specification is not None:
            return "P"
        return self.base.actor_name(actor, self.base.state_of(self.network.term(self.decode(state)[0])))

    def source_files(self) -> Mapping[str, Sequence[str]]:
        return self.base.source_files()

    def source_line(self, span: Span) -> str:
        return self.base.source_line(span)

    def emit_c(self, *, dependencies: bool = False) -> str:
        from kripke.algebra.emit import emit_c

        return emit_c(self)

    def estimator(self, goal: Goal, way: Way) -> Estimator | str:
        from kripke.algebra.estimates import estimator

        return estimator(self, goal, way)

    def emit_estimates(self, estimators: Sequence[Estimator], *, dependencies: bool = False) -> str:
        from kripke.algebra.emit import emit_c

        return emit_c(self, estimators)

    def distance_to_state(self, state: bytes) -> None:
        """No more than how many bytes differ is known."""
        return None
