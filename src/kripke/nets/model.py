"""A place/transition net as a ``Model``: interpreter and C emitter behind the common interface."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from kripke.model.capabilities.events import Event
from kripke.model.explanation import Explanation, FalseAtom, Stuck
from kripke.model.model import Model, Statement, Transition, Violation, ViolationKind
from kripke.model.source import Diagnostic, Sources, Span
from kripke.nets.interpreter import Interpreter
from kripke.nets.marking import longest
from kripke.nets.place_transition import MOST_TOKENS, PlaceTransitionNet
from kripke.nets.predicates import Predicate, holds

if TYPE_CHECKING:
    from kripke.model.capabilities.encodable import Encoding
    from kripke.model.capabilities.estimate import Estimator, Goal, Way
    from kripke.model.dependencies import DependencyAnalysis
    from kripke.model.diagram import Diagram
    from kripke.model.property import Temporal
    from kripke.nets.estimates import NetEstimator
    from kripke.nets.export import ExportedNet
    from kripke.nets.formulas import Query
    from kripke.nets.place_transition_view import Capacities, PlaceTransitionView

_LISTED = 12  # invariants that are told


class NetModel(Model):
    """A step is the firing of one transition; a state without one is a deadlock. ``predicates`` are the atoms,
    ``measure`` (places with factors, and a constant) is how far a marking has come, ``queries`` are asked by name."""

    deadlock_text = "no transition is enabled"
    omitted_value = "0"
    has_actors = False

    def __init__(
        self,
        net: PlaceTransitionNet,
        file: str,
        language: str,
        sources: Sources,
        predicates: Mapping[str, Predicate] | None = None,
        warnings: Sequence[Diagnostic] = (),
        properties: Sequence[Temporal] = (),
        step_atoms: Mapping[str, frozenset[int]] | None = None,
        measure: tuple[tuple[tuple[int, int], ...], int] | None = None,
        queries: Sequence[Query] = (),
    ) -> None:
        self.net = net
        self.file = file
        self.language = language
        self.predicates = dict(predicates or {})
        self.statements = [Statement(t.name, t.span, "") for t in net.transitions]
        self.violation_kinds = [ViolationKind("tokens", f"a place gets more than {MOST_TOKENS:,} tokens")]
        self.atoms = list(self.predicates)
        self.warnings = warnings
        self.properties = properties
        self.step_atoms = dict(step_atoms or {})
        self.sources = sources
        self.measure = measure
        self.queries = tuple(queries)
        self._interpreter: Interpreter | None = None

    def with_predicates(self, predicates: Mapping[str, Predicate]) -> NetModel:
        """The same net with other atoms."""
        return NetModel(self.net, self.file, self.language, self.sources, predicates, self.warnings)

    @property
    def interpreter(self) -> Interpreter:
        """Made at first use: a compiled run that finds nothing needs none."""
        if self._interpreter is None:
            self._interpreter = Interpreter(self.net)
        return self._interpreter

    @property
    def max_state_bytes(self) -> int:
        return longest(len(self.net.places))

    # --- behaviour ----------------------------------------------------------------------------------------------------

    def initial(self) -> list[bytes]:
        return [self.interpreter.initial()]

    def successors(self, state: bytes) -> list[Transition]:
        return self.interpreter.successors(state)

    def valid_end(self, state: bytes) -> bool:
        return False

    def place_transition_view(self, pause: Callable[[], None], capacities: Capacities) -> PlaceTransitionView:
        """A place/transition net has no capacities, and nothing to wait for."""
        from kripke.nets.place_transition_view import OwnView

        return OwnView(self)

    def exported_net(self) -> ExportedNet:
        from kripke.nets.export import ExportedNet

        return ExportedNet(self.net)

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        tokens = self.interpreter.tokens(state)
        return tuple(holds(predicate, self.net, tokens) for predicate in self.predicates.values())

    def emit_c(self, *, dependencies: bool = False) -> str:
        from kripke.nets.dependence import obstacle
        from kripke.nets.emit import emit_c

        reduced = dependencies and obstacle(self.net) is None
        return emit_c(self.net, list(self.predicates.items()), dependencies=reduced, measure=self.measure)

    def estimator(self, goal: Goal, way: Way) -> NetEstimator | str:
        from kripke.nets.estimates import estimator

        return estimator(self.interpreter.tokens, self.net, list(self.predicates.values()), goal, way)

    def emit_estimates(self, estimators: Sequence[Estimator], *, dependencies: bool = False) -> str:
        from kripke.nets.dependence import obstacle
        from kripke.nets.emit import emit_c
        from kripke.nets.estimates import NetEstimator

        distances = [one.distance for one in estimators if isinstance(one, NetEstimator)]
        reduced = dependencies and obstacle(self.net) is None
        atoms = list(self.predicates.items())
        return emit_c(self.net, atoms, dependencies=reduced, measure=self.measure, estimates=distances)

    def distance_to_state(self, state: bytes) -> None:
        """No more than how many places differ is known."""
        return None

    def dependencies(self, atoms: Sequence[int] = ()) -> DependencyAnalysis | str:
        from kripke.nets.dependence import NetDependencies, obstacle

        predicates = list(self.predicates.values())
        return obstacle(self.net) or NetDependencies(self.interpreter, [predicates[number] for number in atoms])

    def encode(self, room: int = 1) -> Encoding | str:
        from kripke.nets.encode import encoded

        return encoded(self.net, list(self.predicates.values()), room)

    @cached_property
    def event_table(self) -> Sequence[Event]:
        return tuple(Event(transition.name) for transition in self.net.transitions)

    def event_of(self, state: bytes, step: Transition) -> int:
        """The number of the transition."""
        return step.parts[0].statement

    def actors_of(self, state: bytes, step: Transition) -> Sequence[int]:
        return ()

    def progress_of(self, state: bytes) -> int | None:
        if self.measure is None:
            return None
        tokens = self.interpreter.tokens(state)
        terms, constant = self.measure
        return constant + sum(factor * tokens[place] for place, factor in terms)

    # --- for people ---------------------------------------------------------------------------------------------------

    def describe(self, state: bytes) -> dict[str, str]:
        """The marked places: of a net with hundreds, nobody wants to read the empty ones."""
        tokens = self.interpreter.tokens(state)
        return {place.name: str(number) for place, number in zip(self.net.places, tokens, strict=True) if number}

    def diagrams(self) -> list[Diagram]:
        from kripke.nets.diagrams import net_diagram

        return [net_diagram(self.net, self.net.name)]

    def marked_diagrams(self) -> list[Diagram]:
        return self.diagrams()

    def marks(self, state: bytes) -> dict[str, str]:
        from kripke.nets.diagrams import place_key

        return {place_key(i): str(number) for i, number in enumerate(self.interpreter.tokens(state)) if number}

    def explain(self, state: bytes, cause: Violation | FalseAtom | Stuck) -> Explanation | None:
        from kripke.nets.explanation import explain

        return explain(self.net, list(self.predicates.values()), self.interpreter.tokens(state), cause)

    def actor_name(self, actor: int, state: bytes) -> str:
        return ""

    def source_line(self, span: Span) -> str:
        return self.sources.line(span.file, span.line) or ""

    def _listed(self, title: str, invariants: Sequence[Mapping[int, int]] | None) -> dict[str, object]:
        """Of a net that one can read: each as an equation."""
        if not invariants or len(invariants) > _LISTED:
            return {}
        net = self.net
        lines = []
        for invariant in invariants:
            terms = [
                (f"{factor} * " if factor != 1 else "") + net.places[place].name
                for place, factor in sorted(invariant.items())
            ]
            total = sum(factor * net.initial[place] for place, factor in invariant.items())
            lines.append(f"{' + '.join(terms)} = {total}")
        return {title: lines}

    def facts(self) -> dict[str, object]:
        from kripke.nets.structure.invariants import bounds, place_invariants, transition_invariants
        from kripke.nets.structure.siphons import deadlock_free, minimal_siphons

        net = self.net
        invariants = place_invariants(net, most=300)
        cycles = transition_invariants(net, most=300)
        siphons = minimal_siphons(net)
        many = "too many to tell"
        known = "too many to tell" if invariants is None else len(invariants)
        bounded = 0 if invariants is None else len(bounds(net, invariants))
        return {
            "net": net.name,
            "places": len(net.places),
            "transitions": len(net.transitions),
            "arcs": sum(len(t.preset) + len(t.postset) for t in net.transitions),
            "tokens in the initial marking": sum(net.initial),
            "largest arc weight": max(
                (arc.weight for t in net.transitions for arc in (*t.preset, *t.postset)), default=0
            ),
            "minimal place invariants": known,
            "places bounded by invariants": bounded,
            "minimal transition invariants": many if cycles is None else len(cycles),
            "minimal siphons": many if siphons is None else len(siphons),
            "deadlocks": "none: every siphon contains a marked trap"
            if siphons is not None and deadlock_free(net, siphons)
            else "not excluded by siphons and traps",
            **self._listed("place invariants", invariants),
        }
