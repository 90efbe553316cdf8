"""What is drawn: automata of formulas, processes, nets, small state spaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kripke.pictures.diagram import Arrow, Diagram, Node, Shape, shortened
from kripke.pictures.keys import place_key, point_key, statement_key

if TYPE_CHECKING:
    from kripke.engines.explicit.exploration import StateSpace
    from kripke.logic.automaton import Automaton
    from kripke.model.model import Model
    from kripke.nets.high_level.net import HighLevelNet
    from kripke.nets.place_transition import PlaceTransitionNet
    from kripke.process.program import Edge, Location, ProcessType, Program

_STATE_LINES = 10
_ROOM = " " * 7  # in a place, for some tokens


def model_diagrams(model: Model) -> list[Diagram]:
    """Every process type as an automaton, or a net, unfolded where it is high-level; Unsupported for other models."""
    from kripke.engines.plan import Unsupported
    from kripke.nets.high_level.model import HighLevelModel
    from kripke.nets.high_level.unfolding import unfold
    from kripke.nets.model import NetModel
    from kripke.nets.place_transition_view import NotExpressible
    from kripke.process.model import ProcessModel

    if isinstance(model, ProcessModel):
        return program_diagrams(model.program)
    if isinstance(model, NetModel):
        return [net_diagram(model.net, model.net.name)]
    if not isinstance(model, HighLevelModel):
        raise Unsupported(f"there are no pictures of {model.language} models")
    try:
        net = unfold(model.net).net
    except NotExpressible as refusal:
        raise Unsupported(f"no picture of this net: {refusal}") from refusal
    return [net_diagram(net, net.name)]


def automaton_diagram(automaton: Automaton) -> Diagram:
    """Accepting states have a double circle; where marks are on edges, they stand behind the label."""
    from kripke.logic.dot import edge_text

    nodes = []
    for state in range(automaton.states):
        accepting = automaton.state_based and automaton.marks_of_state(state) == automaton.all_marks
        name = automaton.state_names[state] if automaton.state_names else str(state)
        nodes.append(Node(str(state), (shortened(name),), "double" if accepting else "circle"))
    arrows = [Arrow(None, str(state)) for state in automaton.initial]
    arrows += [
        Arrow(str(edge.source), str(edge.target), shortened(edge_text(automaton, edge))) for edge in automaton.edges
    ]
    return Diagram(automaton.title or "", nodes, arrows, "right")


def program_diagrams(program: Program) -> list[Diagram]:
    """Every process type as an automaton: control points, and what leads from one to the next."""
    return [_process(program, process) for process in program.processes]


def _process(program: Program, process: ProcessType) -> Diagram:
    reached = [process.entry]
    for number in reached:  # the list grows while we walk along it
        reached += [e.target for e in _edges(process.locations[number]) if e.target not in reached]
    nodes = [
        Node(
            str(n), _point(process.locations[n], n), _point_shape(process.locations[n]), key=point_key(process.name, n)
        )
        for n in reached
    ]
    arrows = [Arrow(None, str(process.entry))]
    for number in reached:
        for edge in _edges(process.locations[number]):
            texts = [program.statements[action.statement].text for action in edge.actions]
            arrows.append(Arrow(str(number), str(edge.target), shortened("; ".join(dict.fromkeys(texts)))))
    return Diagram(process.name, nodes, arrows)


def _edges(location: Location) -> list[Edge]:
    """What leads to another control point: a process that ends is at none, though its last edge has a target."""

    return [edge for edge in location.edges if not edge.terminates]


def _point(location: Location, number: int) -> tuple[str, ...]:
    place = str(location.span.line) if location.span is not None and location.span.line else f"({number})"
    return (*(shortened(label, 24) for label in location.labels[:1]), place)


def _point_shape(location: Location) -> Shape:
    return "double" if location.end or not _edges(location) else "circle"


def net_diagram(net: PlaceTransitionNet, title: str) -> Diagram:
    """Places are circles with their tokens, transitions boxes; a number at an arc is its weight."""
    nodes = [
        Node(
            f"p{i}",
            (str(place.initial) if place.initial else " ",),
            "circle",
            beside=shortened(place.name, 24),
            key=place_key(i),
        )
        for i, place in enumerate(net.places)
    ]
    arrows = []
    for number, transition in enumerate(net.transitions):
        nodes.append(Node(f"t{number}", (shortened(transition.name, 24),), "bar", key=statement_key(number)))
        for place, weight in transition.preset:
            arrows.append(Arrow(f"p{place}", f"t{number}", str(weight) if weight > 1 else ""))
        for place, weight in transition.postset:
            arrows.append(Arrow(f"t{number}", f"p{place}", str(weight) if weight > 1 else ""))
    return Diagram(title, nodes, arrows)


def coloured_diagram(net: HighLevelNet) -> Diagram:
    """A high-level net as it is written, without the inscriptions; what lies in the places is left to ``marks``."""
    nodes = [
        Node(f"p{i}", (_ROOM,), "circle", beside=shortened(place.name, 24), key=place_key(i))
        for i, place in enumerate(net.places)
        if not place.constant
    ]
    shown = {node.name for node in nodes}
    arrows = []
    for number, transition in enumerate(net.transitions):
        nodes.append(Node(f"t{number}", (shortened(transition.name, 24),), "bar", key=statement_key(number)))
        takes = dict.fromkeys(f"p{arc.place}" for arc in transition.inputs)
        gives = dict.fromkeys(f"p{place}" for place, _ in transition.outputs)
        arrows += [Arrow(place, f"t{number}") for place in takes if place in shown]
        arrows += [Arrow(f"t{number}", place) for place in gives if place in shown]
    return Diagram(net.name, nodes, arrows)


def space_diagram(space: StateSpace, title: str) -> Diagram:
    """States with what is in them; those where nothing can move and steps that break something in red."""
    nodes = []
    for number, state in enumerate(space.states):
        lines = [
            shortened(f"{name[:-1]} at {value}" if name.endswith("@") else f"{name} = {value}", 36)
            for name, value in space.model.describe(state).items()
        ]
        if len(lines) > _STATE_LINES:
            lines = [*lines[: _STATE_LINES - 1], f"and {len(lines) - _STATE_LINES + 1} more"]
        tone = "bad" if number in space.deadlocks else "start" if number in space.initial else ""
        nodes.append(Node(str(number), tuple(lines) or (str(number),), "box", tone))
    arrows = [Arrow(None, str(number)) for number in space.initial]
    for index, edge in enumerate(space.edges):
        if edge.target is None:
            nodes.append(Node(f"violation{index}", ("!",), "circle", "bad"))
            arrows.append(Arrow(str(edge.source), f"violation{index}", shortened(edge.label, 36), "bad"))
        else:
            arrows.append(Arrow(str(edge.source), str(edge.target), shortened(edge.label, 36)))
    return Diagram(title, nodes, arrows)
