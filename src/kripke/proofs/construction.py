"""From a property that holds to a proof of it (Peled, Zuck, *From model checking to a temporal proof*, SPIN 2001).

The product of the model and the automaton of the negated formula is made with the reference semantics, its components
are taken in reverse topological order, and each becomes a line: FAIL for a node whose literals are false in its state,
SUCC for one whose successors are done, IND for a component no fair run stays in for ever without breaking a promise.
Under strong fairness a component is taken apart until that is so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kripke.logic.components import components
from kripke.model.model import Model
from kripke.model.property import Temporal
from kripke.proofs.certificate import Fairness, Line, Missed, Proof, Ranking, Vertex
from kripke.proofs.predicates import Describing, Predicate
from kripke.proofs.tableau import Node, Tableau, TooLarge, tableau
from kripke.proofs.terms import normal, written

LARGEST = 500_000


class Unprovable(Exception):
    """There is no proof, or none of a reasonable size; the message says why."""


def prove(
    model: Model,
    property_: Temporal,
    *,
    fair: Fairness | None = None,
    origin: Mapping[str, Any] | None = None,
    largest: int = LARGEST,
) -> Proof:
    """A proof that every run, or every fair one, satisfies the formula."""
    if property_.formula is None:
        raise Unprovable(f"{property_.name} is no formula: proofs are made for ltl formulas, write it as one")
    negation = normal(property_.formula, negated=True)
    try:
        automaton = tableau(negation)
    except TooLarge:
        raise Unprovable(f"the automaton of {property_.name} is too large for a proof; prove its parts") from None
    product = _product(model, automaton, largest)
    lines, ranks = _Derivation(product, automaton, fair).lines()
    describing = Describing([model.describe(state) for state in product.states])
    return Proof(
        model={"file": model.file, "language": model.language, "origin": dict(origin or {})},
        name=property_.name,
        text=str(property_),
        negation=negation,
        fair=fair,
        automaton=automaton,
        states=tuple(product.states),
        initial=tuple(product.initial),
        lines=tuple(lines),
        ranking=_ranking(product, automaton, ranks, describing),
    )


# --- the product ------------------------------------------------------------------------------------------------------


class _Move(NamedTuple):
    """A step of the model between numbered states, and who takes part, the one who makes it first; nobody moves where
    it has come to an end."""

    target: int
    movers: tuple[int, ...]


@dataclass(slots=True)
class _Product:
    """States and vertices are numbered in the order in which they were found."""

    states: list[bytes]
    initial: list[int]
    moves: list[list[_Move]]
    vertices: list[Vertex]
    failed: dict[int, Any]
    edges: list[list[tuple[int, tuple[int, ...]]]]


def _product(model: Model, automaton: Tableau, largest: int) -> _Product:
    numbers: dict[bytes, int] = {}
    states: list[bytes] = []

    def numbered(state: bytes) -> int:
        if state not in numbers:
            numbers[state] = len(states)
            states.append(state)
        return numbers[state]

    initial = list(dict.fromkeys(numbered(state) for state in model.initial()))
    atoms = {name: place for place, name in enumerate(model.atoms)}
    moves: dict[int, list[_Move]] = {}
    places: dict[Vertex, int] = {}
    found: list[Vertex] = []

    def placed(vertex: Vertex) -> int:
        if vertex not in places:
            places[vertex] = len(found)
            found.append(vertex)
            if len(found) > largest:
                raise Unprovable(f"the product has more than {largest:,} nodes, too many for a proof a person can use")
        return places[vertex]

    for state in initial:
        for node in automaton.initial:
            placed(Vertex(node, state))
    failed: dict[int, Any] = {}
    edges: list[list[tuple[int, tuple[int, ...]]]] = []
    for number, (node, state) in enumerate(found):  # grows while it is walked
        reason = _false_literal(model, automaton.nodes[node], atoms, states[state])
        if reason is not None:
            failed[number] = reason
            edges.append([])
            continue
        if state not in moves:
            moves[state] = [_Move(numbered(target), movers) for target, movers in steps_of(model, states[state])]
        edges.append(
            [
                (placed(Vertex(following, move.target)), move.movers)
                for following in automaton.successors[node]
                for move in moves[state]
            ]
        )
    return _Product(states, initial, [moves.get(n, []) for n in range(len(states))], found, failed, edges)


def steps_of(model: Model, state: bytes) -> list[tuple[bytes, tuple[int, ...]]]:
    """Where the model goes from a state, and who moves; a state without steps stays."""
    steps = model.successors(state)
    if not steps:
        return [(state, ())]
    found: dict[tuple[bytes, tuple[int, ...]], None] = {}
    for step in steps:
        if step.target is None:
            kind = model.violation_kinds[step.violations[0].code].text if step.violations else "a violation"
            raise Unprovable(f"a run ends in an error ({kind}): what is to be proved must hold without that")
        found[step.target, tuple(dict.fromkeys(part.actor for part in step.parts))] = None
    return list(found)


def _false_literal(model: Model, node: Node, atoms: Mapping[str, int], state: bytes) -> Any:
    """A literal of the node that is false for certain: one that cannot be evaluated is not."""
    if not node.literals:
        return None
    truth, unknown = model.atom_values(state), model.failed_atoms(state)
    for literal in sorted(node.literals):
        place = atoms[literal[1]]
        if not unknown >> place & 1 and truth[place] != (literal[0] == "atom"):
            return literal
    return None


# --- lines ------------------------------------------------------------------------------------------------------------


class _Derivation:
    def __init__(self, product: _Product, automaton: Tableau, fair: Fairness | None) -> None:
        self.product = product
        self.automaton = automaton
        self.fair = fair
        self.enabled = [frozenset(move.movers[0] for move in moves if move.movers) for moves in product.moves]

    def lines(self) -> tuple[list[Line], list[int]]:
        """The lines of the proof, and the rank of every vertex."""
        vertices, edges = self.product.vertices, self.product.edges
        ranks = [0] * len(vertices)
        line_of: dict[int, int] = {}
        lines: list[Line] = []
        found = components([[target for target, _ in out] for out in edges])
        for component in found:
            component.sort()
            inside = set(component)
            exits = sorted({target for number in component for target, _ in edges[number] if target not in inside})
            rank = 1 + max((ranks[target] for target in exits), default=-1)
            for number in component:
                ranks[number] = rank
                line_of[number] = len(lines)
            premises = tuple(sorted({line_of[target] for target in exits}))
            at = tuple(vertices[number] for number in component)
            first = component[0]
            if first in self.product.failed:
                lines.append(Line("FAIL", at, rank, (), literal=self.product.failed[first]))
            elif any(target in inside for target, _ in edges[first]):
                missed = self.justified(component)
                if missed is None:
                    raise Unprovable(self.why_not(component))
                lines.append(Line("IND", at, rank, premises, missed=missed))
            else:
                lines.append(Line("SUCC", at, rank, premises))
        place = {vertex: number for number, vertex in enumerate(vertices)}
        for state in self.product.initial:
            premises = tuple(line_of[place[Vertex(node, state)]] for node in self.automaton.initial)
            lines.append(Line("CONJ", (Vertex(-1, state),), 0, premises))
        return lines, ranks

    def justified(self, component: Sequence[int]) -> Missed | None:
        """Why no run stays in a component for ever; None where one does."""
        vertices = self.product.vertices
        shared = frozenset.intersection(*(self.automaton.nodes[vertices[n].node].promises for n in component))
        if shared:
            return Missed("until", min(shared))
        if self.fair is None:
            return None
        inside = set(component)
        moved = {
            who for n in component for target, movers in self.product.edges[n] if target in inside for who in movers
        }
        enabled = [self.enabled[vertices[n].state] for n in component]
        if self.fair == "weak":
            starved = frozenset.intersection(*enabled) - moved
            return Missed("weak", min(starved)) if starved else None
        starved = frozenset[int]().union(*enabled) - moved
        return self.taken_apart(component, min(starved)) if starved else None

    def taken_apart(self, component: Sequence[int], process: int) -> Missed | None:
        """A strongly fair run must leave the states in which a process that never moves here could move."""
        vertices, edges = self.product.vertices, self.product.edges
        rest = [n for n in component if process not in self.enabled[vertices[n].state]]
        place = {number: index for index, number in enumerate(rest)}
        parts: list[tuple[tuple[Vertex, ...], Missed | None]] = []
        graph = [[place[target] for target, _ in edges[n] if target in place] for n in rest]
        for part in components(graph):
            numbers = sorted(rest[index] for index in part)
            missed = None
            if any(target in part for target in graph[part[0]]):
                missed = self.justified(numbers)
                if missed is None:
                    return None
            parts.append((tuple(vertices[n] for n in numbers), missed))
        return Missed("strong", process, tuple(parts))

    def why_not(self, component: Sequence[int]) -> str:
        """Only where a condition cannot be evaluated: the search said that the property holds."""
        node = self.automaton.nodes[self.product.vertices[component[0]].node]
        literals = ", ".join(written(literal) for literal in sorted(node.literals)) or "true"
        return (
            "there is no proof: runs remain that no rule excludes, or a condition of the formula cannot be evaluated "
            f"in some of their states ({literals})"
        )


# --- the ranking function ---------------------------------------------------------------------------------------------


def _ranking(product: _Product, automaton: Tableau, ranks: Sequence[int], describing: Describing) -> Ranking:
    """For every node of the automaton and every bit of the rank, the states where that bit is one."""
    width = max(1, max(ranks, default=0).bit_length())
    sets = [[0] * width for _ in automaton.nodes]
    whole = [0] * len(automaton.nodes)
    for vertex, rank in zip(product.vertices, ranks, strict=True):
        whole[vertex.node] |= 1 << vertex.state
        for bit in range(width):
            if rank >> bit & 1:
                sets[vertex.node][bit] |= 1 << vertex.state
    bits: list[tuple[Predicate, ...]] = [
        tuple(describing.predicate(on, whole[node] & ~on) for on in sets[node]) for node in range(len(sets))
    ]
    return Ranking(tuple(bits))
