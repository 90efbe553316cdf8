"""What is drawn: automata of formulas, what a model draws of itself, small state spaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kripke.model.diagram import Arrow, Diagram, Drawable, Node, Undrawable, shortened

if TYPE_CHECKING:
    from kripke.engines.explicit.exploration import StateSpace
    from kripke.logic.automaton import Automaton
    from kripke.model.model import Model

_STATE_LINES = 10
_CONDITION_LINE = 48
_LONGEST_CONDITION = 600


def model_diagrams(model: Model) -> list[Diagram]:
    """What a model draws of itself; Unsupported for one that cannot."""
    from kripke.engines.plan import Unsupported

    drawable = model.capability(Drawable)
    if drawable is None:
        raise Unsupported(f"there are no pictures of {model.language} models")
    try:
        return drawable.diagrams()
    except Undrawable as refusal:
        raise Unsupported(str(refusal)) from refusal


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
        Arrow(str(edge.source), str(edge.target), _in_lines(edge_text(automaton, edge))) for edge in automaton.edges
    ]
    return Diagram(automaton.title or "", nodes, arrows, "right")


def _in_lines(text: str) -> str:
    """A condition in lines that fit a picture, broken before an operator; nothing of it is left out, but of giants."""
    lines: list[str] = []
    for part in shortened(text, _LONGEST_CONDITION).replace(" || ", "\n|| ").split("\n"):
        for piece in part.replace(" && ", "\n&& ").split("\n"):
            own_line = piece.startswith("||") and len(part) + len(lines[-1] if lines else "") >= _CONDITION_LINE
            if lines and not own_line and len(lines[-1]) + 1 + len(piece) <= _CONDITION_LINE:
                lines[-1] += f" {piece}"
            else:
                lines.append(piece)
    return "\n".join(lines)


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
            tone = "bad" if edge.broken else ""
            arrows.append(Arrow(str(edge.source), str(edge.target), shortened(edge.label, 36), tone))
    return Diagram(title, nodes, arrows)
