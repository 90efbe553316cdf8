"""Automata as pictures, in the language of Graphviz."""

from __future__ import annotations

from kripke.logic.automaton import Automaton, Cube, Edge


def written(automaton: Automaton) -> str:
    """Accepting states have a double circle; where marks are on edges, they stand behind the label."""
    lines = ["digraph automaton {", "  rankdir=LR;", "  node [shape=circle];"]
    if automaton.title:
        lines.append(f"  label={_quoted(automaton.title)}; labelloc=t;")
    for state in automaton.initial:
        lines += [f'  start{state} [shape=point, label=""];', f"  start{state} -> {state};"]
    for state in range(automaton.states):
        accepting = automaton.state_based and automaton.marks_of_state(state) == automaton.all_marks
        name = automaton.state_names[state] if automaton.state_names else str(state)
        shape = ", shape=doublecircle" if accepting else ""
        lines.append(f"  {state} [label={_quoted(name)}{shape}];")
    for edge in automaton.edges:
        lines.append(f"  {edge.source} -> {edge.target} [label={_quoted(edge_text(automaton, edge))}];")
    return "\n".join([*lines, "}"]) + "\n"


def edge_text(automaton: Automaton, edge: Edge) -> str:
    """The guard, and the marks where they are on edges."""
    text = " || ".join(_cube(automaton, cube) for cube in edge.guard)
    if automaton.state_based or not edge.marks:
        return text
    marks = ",".join(str(bit) for bit in range(automaton.sets) if edge.marks >> bit & 1)
    return f"{text} {{{marks}}}"


def _cube(automaton: Automaton, cube: Cube) -> str:
    literals = [("" if positive else "!") + str(automaton.atoms[index]) for index, positive in cube.literals()]
    return " && ".join(literals) or "true"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'
