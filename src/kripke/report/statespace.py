"""State spaces as files for other tools: Aldebaran's ``.aut``, Graphviz' ``.dot``, GraphML."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kripke.engines.explicit.exploration import StateSpace


def aut_lines(space: StateSpace) -> Iterator[str]:
    """Aldebaran: a head with the counts, one line per edge. Several initial states get a common one before them."""
    shift = 0 if len(space.initial) == 1 else 1
    extra = [(0, "i", number + 1) for number in space.initial] if shift else []
    edges = [(edge.source + shift, edge.label, edge.target + shift) for edge in space.edges if edge.target is not None]
    yield f"des (0,{len(edges) + len(extra)},{len(space.states) + shift})"
    for source, label, target in (*extra, *edges):
        yield f'({source},"{_quoted(label)}",{target})'


def dot_lines(space: StateSpace) -> Iterator[str]:
    """Graphviz: initial states bold, deadlocks red, steps that break something red, to nowhere where they end there."""
    yield "digraph statespace {"
    yield '  node [shape=box, fontname="monospace", fontsize=10];'
    yield '  edge [fontname="monospace", fontsize=9];'
    for number, state in enumerate(space.states):
        text = "\\n".join(f"{_quoted(name)} = {_quoted(value)}" for name, value in space.model.describe(state).items())
        style = ", style=bold" if number in space.initial else ""
        style += ", color=red" if number in space.deadlocks else ""
        yield f'  {number} [label="{text}"{style}];'
    for index, (source, label, target, broken) in enumerate(space.edges):
        if target is None:
            yield f'  violation{index} [label="", shape=point, color=red];'
            yield f'  {source} -> violation{index} [label="{_quoted(label)}", color=red];'
        else:
            yield f'  {source} -> {target} [label="{_quoted(label)}"{", color=red" if broken else ""}];'
    yield "}"


def graphml_lines(space: StateSpace) -> Iterator[str]:
    """GraphML: what a state is made of as data of its node; a violation leads to a node of its own."""
    names: dict[str, None] = {}
    for state in space.states:
        names.update(dict.fromkeys(space.model.describe(state)))
    keys = {name: f"v{number}" for number, name in enumerate(names)}
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for name in ("initial", "deadlock", "violation"):
        yield f'  <key id="{name}" for="node" attr.name="{name}" attr.type="boolean"><default>false</default></key>'
    yield '  <key id="broken" for="edge" attr.name="broken" attr.type="boolean"><default>false</default></key>'
    yield '  <key id="label" for="edge" attr.name="label" attr.type="string"/>'
    for name, key in keys.items():
        yield f'  <key id="{key}" for="node" attr.name={_attribute(name)} attr.type="string"/>'
    yield '  <graph id="statespace" edgedefault="directed">'
    for number, state in enumerate(space.states):
        yield f'    <node id="{number}">'
        for flag in ("initial", "deadlock"):
            if number in getattr(space, flag if flag == "initial" else "deadlocks"):
                yield f'      <data key="{flag}">true</data>'
        for name, value in space.model.describe(state).items():
            yield f'      <data key="{keys[name]}">{_content(value)}</data>'
        yield "    </node>"
    for index, edge in enumerate(space.edges):
        target = f"violation{index}" if edge.target is None else str(edge.target)
        if edge.target is None:
            yield f'    <node id="{target}"><data key="violation">true</data></node>'
        label = f'<data key="label">{_content(edge.label)}</data>'
        label += '<data key="broken">true</data>' if edge.broken else ""
        yield f'    <edge source="{edge.source}" target="{target}">{label}</edge>'
    yield "  </graph>"
    yield "</graphml>"


def _content(text: str) -> str:
    """As the content of an element; what XML cannot hold at all becomes a question mark."""
    from xml.sax.saxutils import escape

    return escape("".join(c if c >= " " or c in "\t\n" else "?" for c in text))


def _attribute(text: str) -> str:
    from xml.sax.saxutils import quoteattr

    return quoteattr("".join(c if c >= " " else "?" for c in text))


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


WRITERS: dict[str, Callable[[StateSpace], Iterator[str]]] = {
    ".aut": aut_lines,
    ".dot": dot_lines,
    ".graphml": graphml_lines,
}
