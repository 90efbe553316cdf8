"""A process as a ``Model``: a state is the number of a term, a step an event with those who take part in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kripke.algebra.events import TAU, TICK
from kripke.algebra.participants import leaves, participants
from kripke.algebra.terms import Step, Term, World
from kripke.model.assertions import Assertion, SpecificationTable
from kripke.model.capabilities.events import TAU as EVENT_TAU
from kripke.model.capabilities.events import TICK as EVENT_TICK
from kripke.model.capabilities.events import Event
from kripke.model.model import Model, Part, Statement, Transition
from kripke.model.property import Temporal
from kripke.model.source import NOWHERE, Diagnostic, Sources, Span

if TYPE_CHECKING:
    from kripke.algebra.network import Network
    from kripke.algebra.network_model import NetworkModel
    from kripke.algebra.symmetry.claims import Claim
    from kripke.model.diagram import Diagram
    from kripke.model.trace import Step as TraceStep

#: of a process: what a person calls it, and its place in the text
Words = Callable[[Term], tuple[str, Span]]


@dataclass(frozen=True, slots=True)
class Asked:
    """What formulas speak of: events of steps, and events that can happen in a state; and the formulas."""

    steps: Mapping[str, Callable[[int], bool]]
    states: Mapping[str, Callable[[int], bool]]
    properties: Sequence[Temporal] = ()


class AlgebraModel(Model):
    """``root`` is the process; models of other processes of the same script share terms and statements."""

    deadlock_text = "no event can happen, and the process has not ended"
    most_actors = 1 << 16
    no_fairness = "several processes take part in an event, and runs are not asked to be fair to them"

    def __init__(
        self,
        world: World,
        root: Callable[[], Term],
        file: str,
        language: str,
        sources: Sources,
        words: Words,
        warnings: Sequence[Diagnostic] = (),
    ) -> None:
        self.world = world
        self._root = root
        self._term: Term | None = None
        self._met: dict[Term, int] = {}
        self._terms: list[Term] = []
        self.file = file
        self.language = language
        self.sources = sources
        self.words = words
        self.warnings = warnings
        self.assertions: Sequence[Assertion] = ()
        #: expressions that are to be shown, with their values
        self.values: Callable[[], Mapping[str, str]] | None = None
        #: which events may be permuted, as the user says
        self.claims: Callable[[], Sequence[Claim]] = tuple
        #: writes the state space as a script: the process, how many states at most
        self.script: Callable[[Term, int], tuple[str, int]] | None = None
        self.statements: list[Statement] = []
        self._numbers: dict[tuple[str, Span, int], int] = {}
        self._events: list[int] = []
        #: what a saved trace must remember to be about this process
        self.origin: Mapping[str, Any] = {}
        self.violation_kinds = []
        self.atoms = []
        self._asked = Asked({}, {})

    def ask(self, asked: Asked) -> None:
        """From now on the model knows what formulas speak of. The assertions of the script are left out."""
        self._asked = asked
        self.assertions = ()
        self.atoms = list(asked.states)
        self.step_atoms = dict.fromkeys(asked.steps, frozenset[int]())
        self.properties = asked.properties

    def happened(self, event: int) -> int:
        """The atoms of steps that are true of this event."""
        return sum(1 << number for number, has in enumerate(self._asked.steps.values()) if has(event))

    def rooted(self, root: Callable[[], Term], name: str = "") -> AlgebraModel:
        """The same script, another process."""
        other = AlgebraModel(self.world, root, self.file, self.language, self.sources, self.words, self.warnings)
        other.statements, other._numbers, other._events = self.statements, self._numbers, self._events
        other.origin = {"process": name} if name else {}
        other.claims = self.claims
        return other

    def event_name(self, event: int) -> str:
        return self.world.events.name(event)

    # ---- behaviour ----

    @property
    def max_state_bytes(self) -> int:
        return 4

    def root(self) -> Term:
        if self._term is None:
            self._term = self._root().now()
        return self._term

    def state_of(self, term: Term) -> bytes:
        """States count in the order they are met, the initial one first."""
        if not self._met:
            self._met[self.root()] = 0
            self._terms.append(self.root())
        number = self._met.setdefault(term, len(self._met))
        if number == len(self._terms):
            self._terms.append(term)
        return number.to_bytes(4, "big")

    def decode(self, state: bytes) -> Term:
        return self._terms[int.from_bytes(state, "big")]

    def initial(self) -> list[bytes]:
        return [self.state_of(self.root())]

    def successors(self, state: bytes) -> list[Transition]:
        term = self.decode(state)
        return [
            Transition(self.parts(term, event, target), self.state_of(target), (), self.happened(event))
            for event, target in term.steps()
        ]

    def parts(self, term: Term, event: int, target: Term) -> tuple[Part, ...]:
        actors = {place: number for number, (place, _) in enumerate(leaves(term))}
        parts: list[Part] = []
        for place, process, own in participants(term, event, target) or [((), term, event)]:
            actor = actors.get(place, 0)
            shown = self.event_name(event)
            if own not in (event, TAU):
                shown = f"{shown} ({self.event_name(own)})"
            _, span = self.words(process)
            parts.append(Part(actor, self._statement(shown, span, event)))
        return tuple(parts)

    def _statement(self, text: str, span: Span, event: int) -> int:
        key = (text, span, event)
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = len(self.statements)
            self.statements.append(Statement(text, span, ""))
            self._events.append(event)
        return known

    # ---- events ----

    @property
    def event_table(self) -> Sequence[Event]:
        names = self.world.events
        return [EVENT_TAU, EVENT_TICK, *(Event(names.name(number)) for number in range(2, len(names)))]

    def event_of(self, state: bytes, step: Transition) -> int:
        return self._events[step.parts[0].statement]

    def actors_of(self, state: bytes, step: Transition) -> Sequence[int]:
        return [part.actor for part in step.parts]

    def meeting(self, parts: Sequence[Part]) -> tuple[str, str] | None:
        """The event that several do together, also where it is hidden from others."""
        if len({part.actor for part in parts}) < 2:
            return None
        text = self.statements[parts[0].statement].text
        channel, _, fields = text.removeprefix("τ (").removesuffix(")" if text.startswith("τ (") else "").partition(".")
        return channel, fields

    def valid_end(self, state: bytes) -> bool:
        return self.decode(state) is self.world.omega

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        return self.truths(self.decode(state))

    def truths(self, term: Term) -> tuple[bool, ...]:
        """The atoms of states, in one of them."""
        return tuple(any(has(event) for event, _ in term.steps()) for has in self._asked.states.values())

    def as_asked(self) -> Model:
        """Where the process is a network, that one, which can be compiled."""
        made = TermProcess(self).as_network(None)
        if isinstance(made, str):
            self.assertions = ()
            return self
        return made

    def diagrams(self) -> list[Diagram]:
        from kripke.algebra.diagrams import process_diagrams

        return process_diagrams(self, TermProcess(self).network())

    def marked_diagrams(self) -> list[Diagram]:
        return []

    @property
    def asked(self) -> Asked:
        return self._asked

    def executed(self, statement: int) -> bool:
        return True

    # ---- words ----

    def describe(self, state: bytes) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for place, process in leaves(self.decode(state)):
            found[f"{_place_name(place)}@"] = self.words(process)[0]
        return found

    def actor_name(self, actor: int, state: bytes) -> str:
        found = leaves(self.decode(state))
        return _place_name(found[actor][0]) if actor < len(found) else "process"

    def source_line(self, span: Span) -> str:
        return self.sources.line(span.file, span.line) or ""

    def source_files(self) -> Mapping[str, Sequence[str]]:
        return self.sources.texts()

    def state_space_script(self, most: int) -> tuple[str, int]:
        assert self.script is not None
        return self.script(self.root(), most)

    def facts(self) -> Mapping[str, object]:
        values = self.values() if self.values is not None else {}
        return {"assertions": len(self.assertions), **({"values": values} if values else {})}


class TermProcess:
    """A term as what refinement looks at."""

    def __init__(self, model: AlgebraModel) -> None:
        self.model = model
        self._network: Network | str | None = None

    # ---- as a network that can be compiled ----

    def network(self) -> Network | str:
        from kripke.algebra.network import Network, NoNetwork

        if self._network is None:
            try:
                self._network = Network(self.initial())
            except NoNetwork as why:
                self._network = f"the process is no network for compiling: {why}"
        return self._network

    def never_invisible(self) -> bool | str:
        network = self.network()
        return network if isinstance(network, str) else network.tau_free

    def as_network(self, table: SpecificationTable | None) -> Model | str:
        from kripke.algebra.network_model import NetworkModel

        network = self.network()
        return network if isinstance(network, str) else NetworkModel(self.model, network, table)

    def smallest(self, table: SpecificationTable) -> SpecificationTable:
        from kripke.algebra.symmetry.specification import minimised

        return minimised(table)

    def event_of(self, model: Model, step: TraceStep) -> int:
        return _network_model(model).event_of_step(step)

    def state_of(self, model: Model, state: bytes) -> Term:
        network = _network_model(model)
        return network.network.term(network.decode(state)[0])

    def permitted(self, model: Model, state: bytes) -> tuple[frozenset[int], tuple[frozenset[int], ...]]:
        network = _network_model(model)
        table, node = network.specification, network.decode(state)[1]
        assert table is not None
        return frozenset(table.after[node]), tuple(table.demands[node]) if table.demands is not None else ()

    # ---- as a process ----

    @property
    def origin(self) -> Mapping[str, Any]:
        return self.model.origin

    def initial(self) -> Term:
        return self.model.root()

    def steps(self, state: Term) -> tuple[Step, ...]:
        return state.steps()

    def encode(self, state: Term) -> bytes:
        return self.model.state_of(state)


def _network_model(model: Model) -> NetworkModel:
    from kripke.algebra.network_model import NetworkModel

    assert isinstance(model, NetworkModel)
    return model


def _place_name(place: tuple[int, ...]) -> str:
    return "P" + "".join(f".{number + 1}" for number in place) if place else "P"


__all__ = ["NOWHERE", "TICK", "AlgebraModel", "TermProcess"]
