"""A high-level net as a ``Model``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from kripke.model.capabilities.events import Event, Events
from kripke.model.explanation import Explanation, FalseAtom, Stuck
from kripke.model.model import Capability, Model, Part, Statement, Transition, Violation, ViolationKind
from kripke.model.source import Diagnostic, Sources, Span
from kripke.nets.high_level.evaluation import EvaluationError, evaluator
from kripke.nets.high_level.instance_sets import InstanceSets
from kripke.nets.high_level.interpreter import CODES, VIOLATIONS, Instance, Interpreter
from kripke.nets.high_level.marking import longest
from kripke.nets.high_level.net import Condition, HighLevelNet

if TYPE_CHECKING:
    from kripke.model.capabilities.encodable import Encoding
    from kripke.model.capabilities.estimate import Estimator, Goal, Way
    from kripke.model.dependencies import DependencyAnalysis
    from kripke.model.diagram import Diagram
    from kripke.model.property import Temporal
    from kripke.model.value_symmetry import ValueSymmetry
    from kripke.nets.export import ExportedNet
    from kripke.nets.high_level.classes import Units
    from kripke.nets.high_level.unfolded_view import UnfoldedView
    from kripke.nets.place_transition_view import Capacities, PlaceTransitionView

_NO_VALUE = -1  # of a variable in ``Part.values``; others are indices


class HighLevelModel(Model):
    """A step is the firing of one instance. A state without one is a deadlock where the net says so.

    Statements are the transitions, then the ``reject`` conditions: a rejected state has one step, which breaks it; then
    the ``enabled`` sets, which count as executed where an instance of them fires.
    """

    deadlock_text = "no transition is enabled, and the net calls that an error"
    omitted_value = "empty"
    has_actors = False

    def __init__(
        self,
        net: HighLevelNet,
        file: str,
        language: str,
        sources: Sources,
        conditions: Sequence[Condition] = (),
        warnings: Sequence[Diagnostic] = (),
        properties: Sequence[Temporal] = (),
    ) -> None:
        self.net = net
        self.file = file
        self.language = language
        self.sources = sources
        self.conditions = (*net.propositions, *conditions)
        self.statements = [
            *(Statement(t.name, t.span, "") for t in net.transitions),
            *(Statement(f"reject {reject.name}", reject.span, "") for reject in net.rejects),
            *(Statement(f"enabled, set {n}", one.span, "") for n, one in enumerate(net.enabled_sets, 1)),
        ]
        self.violation_kinds = [ViolationKind(name, text) for name, text in VIOLATIONS.items()]
        self.atoms = [condition.name for condition in self.conditions]
        self.has_deadlocks = bool(net.deadlocks)
        self.warnings = warnings
        self.properties = properties
        self._watched = InstanceSets(net, net.enabled_sets) if net.enabled_sets else None
        self._executed: set[int] = set()
        self._events: list[Event] = []
        self._event_numbers: dict[tuple[int, tuple[int, ...]], int] = {}
        self._interpreter: Interpreter | None = None
        self._atoms = [evaluator(condition.term) for condition in self.conditions]

    @property
    def interpreter(self) -> Interpreter:
        if self._interpreter is None:
            self._interpreter = Interpreter(self.net)
        return self._interpreter

    @property
    def max_state_bytes(self) -> int:
        return longest(self.net)

    # --- behaviour ----------------------------------------------------------------------------------------------------

    def initial(self) -> list[bytes]:
        return [self.interpreter.initial()]

    def successors(self, state: bytes) -> list[Transition]:
        return list(self.each_successor(state))

    def each_successor(self, state: bytes) -> Iterator[Transition]:
        number = self.interpreter.rejected(self.interpreter.marking(state)) if self.net.rejects else None
        if number is not None:
            statement = len(self.net.transitions) + number
            yield Transition((Part(0, statement),), None, (Violation(CODES["reject"], statement),))
            return
        for instance in self.interpreter.instances(state):
            yield self.step(instance)

    def step(self, instance: Instance) -> Transition:
        broken = () if instance.error is None else (Violation(CODES[instance.error], instance.transition),)
        if instance.error is None:
            self._note(instance)
        return Transition((self.part(instance),), instance.target, broken)

    def _note(self, instance: Instance) -> None:
        """An instance fires: which of the ``enabled`` sets are not empty after all?"""
        if self._watched is not None:
            sets, first = self._watched.of(instance), len(self.net.transitions) + len(self.net.rejects)
            self._executed.update(first + n for n in range(len(self.net.enabled_sets)) if sets >> n & 1)

    def executed(self, statement: int) -> bool:
        return statement in self._executed

    def forbids(self, statement: int) -> bool:
        return 0 <= statement - len(self.net.transitions) < len(self.net.rejects)

    def part(self, instance: Instance) -> Part:
        variables = self.net.transitions[instance.transition].variables
        pairs = zip(variables, instance.values, strict=True)
        values = (_NO_VALUE if value is None else variable.type.index(value) for variable, value in pairs)
        return Part(0, instance.transition, tuple(values))

    def _instance(self, step: Transition) -> Instance:
        """The instance that a step is."""
        part = step.parts[0]
        pairs = zip(self.net.transitions[part.statement].variables, part.values, strict=True)
        values = tuple(None if index == _NO_VALUE else variable.type.value(index) for variable, index in pairs)
        return Instance(part.statement, values, step.target)

    def valid_end(self, state: bytes) -> bool:
        return not (self.net.deadlocks and self.interpreter.bad_deadlock(self.interpreter.marking(state)))

    def place_transition_view(self, pause: Callable[[], None], capacities: Capacities) -> PlaceTransitionView:
        """The net unfolded; NotExpressible where that would not tell."""
        from kripke.nets.high_level.unfolded_view import UnfoldedView
        from kripke.nets.place_transition_view import NotExpressible

        if self.merged_steps:
            raise NotExpressible(f"single steps are looked at, which {self.merged_steps} joins: leave it out")
        if self.always_fair:
            raise NotExpressible(
                "formulas are about runs that are fair to the fairness sets of the net: choose another search"
            )
        return UnfoldedView(self, pause, capacities)

    def encode(self, room: int = 1) -> Encoding | str:
        """Of the unfolded net."""
        from kripke.nets.high_level.encode import encoded
        from kripke.nets.place_transition_view import NotExpressible

        if self.merged_steps or self.always_fair:
            return "nets that are checked module by module, compressed or with fairness sets cannot be said in terms"
        try:
            return encoded(self, room)
        except NotExpressible as refusal:
            return str(refusal).removesuffix(": choose another search")

    def exported_net(self) -> ExportedNet:
        """The net unfolded, which is not all that the model says."""
        from kripke.nets.export import ExportedNet
        from kripke.nets.high_level.unfolding import unfold
        from kripke.numbers import counted

        unfolding = unfold(self.net)
        warnings = []
        if any(place.capacity is not None for place in self.net.places):
            warnings.append("the unfolded net does not know capacities: steps that break one can fire in it")
        if self.net.rejects or self.net.deadlocks:
            warnings.append("reject and deadlock conditions are not part of the unfolded net")
        if unfolding.failures:
            count = counted(len(unfolding.failures), "instance")
            warnings.append(f"{count} of transitions cannot be evaluated and are not part of the unfolded net")
        return ExportedNet(unfolding.net, tuple(warnings))

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        marking = self.interpreter.marking(state)
        return tuple(self.interpreter.truth(atom, marking) for atom in self._atoms)

    def failed_atoms(self, state: bytes) -> int:
        marking, failed = self.interpreter.marking(state), 0
        for number, atom in enumerate(self._atoms):
            try:
                self.interpreter.evaluate(atom, marking)
            except EvaluationError:
                failed |= 1 << number
        return failed

    def emit_c(self, *, dependencies: bool = False) -> str | None:
        from kripke.nets.high_level.emit import emit_c

        units = self.units if dependencies else None
        return emit_c(self.net, self.interpreter, self.conditions, units=None if isinstance(units, str) else units)

    def estimator(self, goal: Goal, way: Way) -> Estimator | str:
        from kripke.nets.high_level.estimates import net_estimator

        view = self._unfolded
        return view if isinstance(view, str) else net_estimator(self, view, goal, way)

    def emit_estimates(self, estimators: Sequence[Estimator], *, dependencies: bool = False) -> str | None:
        from kripke.nets.high_level.emit import emit_c
        from kripke.nets.high_level.estimates import emit_estimates

        view = self._unfolded
        if isinstance(view, str):
            return None
        units = self.units if dependencies else None
        estimates = emit_estimates(self.net, view, estimators)
        known = None if isinstance(units, str) else units
        return emit_c(self.net, self.interpreter, self.conditions, units=known, estimates=estimates)

    def distance_to_state(self, state: bytes) -> None:
        """No more than how many bytes differ is known."""
        return None

    @cached_property
    def _unfolded(self) -> UnfoldedView | str:
        from kripke.nets.high_level.estimates import unfolded

        return unfolded(self)

    def dependencies(self, atoms: Sequence[int] = ()) -> DependencyAnalysis | str:
        from kripke.nets.high_level.dependence import HighLevelDependencies

        if isinstance(self.units, str):
            return self.units
        return HighLevelDependencies(self, self.units, [self.conditions[number].term for number in atoms])

    @cached_property
    def units(self) -> Units | str:
        """What partial-order reduction takes for transitions; a sentence where it cannot be used."""
        from kripke.nets.high_level.dependence import units_of

        return units_of(self.net, self.interpreter)

    def symmetry(self, atoms: Sequence[int] = ()) -> ValueSymmetry | str:
        from kripke.nets.high_level.symmetry import symmetry_of

        if self.merged_steps:
            return f"symmetry is for single steps, which {self.merged_steps} joins"
        if self.always_fair:
            return "formulas about a net with fairness sets tell its states apart by the sets that steps belong to"
        return symmetry_of(self.interpreter, [self.conditions[number] for number in atoms])

    # --- events -------------------------------------------------------------------------------------------------------

    def capability(self, kind: type[Capability]) -> Capability | None:
        return None if self.merged_steps and kind is Events else super().capability(kind)

    @property
    def event_table(self) -> Sequence[Event]:
        """The instances that were met so far."""
        return self._events

    def event_of(self, state: bytes, step: Transition) -> int:
        """An instance: its transition with the values of its variables."""
        part = step.parts[0]
        number = self._event_numbers.setdefault((part.statement, part.values), len(self._events))
        if number == len(self._events):
            self._events.append(Event(self.statements[part.statement].text, tuple(self._bound(part))))
        return number

    def actors_of(self, state: bytes, step: Transition) -> Sequence[int]:
        return ()

    # --- for people ---------------------------------------------------------------------------------------------------

    def describe(self, state: bytes) -> dict[str, str]:
        """The marked places."""
        return {self.net.places[number].name: text for number, text in self._tokens(state)}

    def diagrams(self) -> list[Diagram]:
        from kripke.nets.high_level.diagrams import unfolded_diagram

        return [unfolded_diagram(self.net)]

    def marked_diagrams(self) -> list[Diagram]:
        from kripke.nets.high_level.diagrams import coloured_diagram

        return [coloured_diagram(self.net)]

    def marks(self, state: bytes) -> dict[str, str]:
        from kripke.nets.diagrams import place_key

        return {place_key(number): text for number, text in self._tokens(state)}

    def _tokens(self, state: bytes) -> Iterator[tuple[int, str]]:
        """What lies in the places in which there is something."""
        marking = self.interpreter.marking(state)
        for number, (place, tokens) in enumerate(zip(self.net.places, marking, strict=True)):
            if tokens:
                texts = []
                for value in sorted(tokens, key=place.type.key):
                    count = tokens[value]
                    texts.append(place.type.show(value) if count == 1 else f"{count}#{place.type.show(value)}")
                yield number, ", ".join(texts)

    def explain(self, state: bytes, cause: Violation | FalseAtom | Stuck) -> Explanation | None:
        from kripke.nets.high_level.explanation import explain

        if isinstance(cause, Stuck) and next(self.interpreter.instances(state), None) is not None:
            return None  # where steps are left out, one that is not shown may be possible
        return explain(self.net, self.conditions, dict(self._tokens(state)), cause)

    def explain_part(self, part: Part) -> str:
        text = self.statements[part.statement].text
        bound = list(self._bound(part))
        return f"{text} ({', '.join(bound)})" if bound else text

    def _bound(self, part: Part) -> Iterator[str]:
        """The variables of a transition with the values they have in a step."""
        if part.statement < len(self.net.transitions) and part.values:
            for variable, index in zip(self.net.transitions[part.statement].variables, part.values, strict=True):
                if index != _NO_VALUE:
                    yield f"{variable.name} = {variable.type.show(variable.type.value(index))}"

    def actor_name(self, actor: int, state: bytes) -> str:
        return ""

    def source_line(self, span: Span) -> str:
        return self.sources.line(span.file, span.line) or ""

    def source_files(self) -> Mapping[str, Sequence[str]]:
        return self.sources.texts()

    def facts(self) -> dict[str, object]:
        net = self.net
        places = []
        for place in net.places:
            sort = "implicit" if place.implicit else "constant" if place.constant else ""
            places.append({"place": place.name, "of": place.type.name, **({"which is": sort} if sort else {})})
        return {
            "net": net.name,
            "places": places,
            "transitions": [
                {"transition": t.name, "variables": " ".join(v.name for v in t.variables) or "none"}
                for t in net.transitions
            ],
            "fairness sets": len(net.fairness),
        }
