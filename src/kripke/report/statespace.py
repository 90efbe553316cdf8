"""State spaces as files for other tools: Aldebaran's ``.aut``, Graphviz' ``.dot``."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kripke.engines.exploration import StateSpace


def aut_lines(space: StateSpace) -> Iterator[str]:
    """Aldebaran: a head with the counts, one line per edge. Several initial states get a common one before them."""
    shift = 0 if len(space.initial) == 1 else 1
    extra = [(0, "i", number + 1) for number in space.initial] if shift else []
    edges = [(edge.source + shift, edge.label, edge.target + shift) for edge in space.edges if edge.target is not None]
    yield f"des (0,{len(edges) + len(extra)},{len(space.states) + shift})"
    for source, label, target in (*extra, *edges):
        yield f'({source},"{_quoted(label)}",{target})'


def dot_lines(space: StateSpace) -> Iterator[str]:
    """Graphviz: initial states bold, deadlocks red, violations as red edges to nowhere."""
    yield "digraph statespace {"
    yield '  node [shape=box, fontname="monospace", fontsize=10];'
    yield '  edge [fontname="monospace", fontsize=9];'
    for number, state in enumerate(space.states):
        text = "\\n".join(f"{_quoted(name)} = {_quoted(value)}" for name, value in space.model.describe(state).items())
        style = ", style=bold" if number in space.initial else ""
        style += ", color=red" if number in space.deadlocks else ""
        yield f'  {number} [label="{text}"{style}];'
    for index, (source, label, target) in enumerate(space.edges):
        if target is None:
            yield f'  violation{index} [label="", shape=point, color=red];'
            yield f'  {source} -> violation{index} [label="{_quoted(label)}", color=red];'
        else:
            yield f'  {source} -> {target} [label="{_quoted(label)}"];'
    yield "}"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


WRITERS: dict[str, Callable[[StateSpace], Iterator[str]]] = {".aut": aut_lines, ".dot": dot_lines}
