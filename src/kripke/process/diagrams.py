"""Pictures of a process program: every process type as an automaton."""

from __future__ import annotations

from kripke.model.diagram import Arrow, Diagram, Node, Shape, shortened
from kripke.process.program import Edge, Location, ProcessType, Program


def point_key(process: str, location: int) -> str:
    """What a picture calls a control point."""
    return f"point {process} {location}"


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
