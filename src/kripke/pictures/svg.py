"""Diagrams as SVG: one file that any browser shows, light or dark as the page around it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise
from math import hypot

from kripke.model.diagram import Arrow, Diagram, Node
from kripke.pictures.layers import Item, Layout, Link, Place, Size, lay_out

_CHARACTER, _LINE = 7.3, 16.0  # of the text, in pixels
_SMALL, _SMALL_LINE = 6.2, 13.0  # of labels
_MARGIN = 16.0
_LOOP = 22.0

STYLE = """\
.kripke-picture{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:12px;color:#1f2328;background:#fff}
.kripke-picture text{fill:currentColor;text-anchor:middle;dominant-baseline:central}
.kripke-picture .label{font-size:10.3px;paint-order:stroke;stroke:#fff;stroke-width:4px}
.kripke-picture .ground{fill:#fff}
.kripke-picture .title{font-size:14px;font-weight:bold;text-anchor:start}
.kripke-picture .node{fill:#f6f8fa;stroke:#57606a;stroke-width:1.2}
.kripke-picture .node.start{stroke:#0969da;stroke-width:2.2}
.kripke-picture .node.bad{stroke:#cf222e;stroke-width:2.2}.kripke-picture .inner{fill:none;stroke:#57606a}
.kripke-picture .edge{fill:none;stroke:#57606a;stroke-width:1.2}.kripke-picture .edge.bad{stroke:#cf222e}
.kripke-picture .head{fill:#57606a}.kripke-picture .head.bad{fill:#cf222e}
@media(prefers-color-scheme:dark){.kripke-picture{color:#e6edf3;background:#0d1117}
.kripke-picture .label{stroke:#0d1117}.kripke-picture .ground{fill:#0d1117}
.kripke-picture .node{fill:#161b22;stroke:#8b949e}
.kripke-picture .edge{stroke:#8b949e}.kripke-picture .head{fill:#8b949e}.kripke-picture .inner{stroke:#8b949e}}"""


def svg(diagrams: Diagram | Sequence[Diagram], *, styled: bool = True) -> str:
    """One picture, of several diagrams one below the other; not ``styled``: the page around it has ``STYLE``."""
    several = [diagrams] if isinstance(diagrams, Diagram) else list(diagrams)
    parts: list[str] = []
    width, height = 2 * _MARGIN, _MARGIN
    for diagram in several:
        drawn = _Drawing(diagram)
        body, across, down = drawn.body()
        title = f'<text class="title" x="0" y="8">{escape(diagram.title)}</text>' if diagram.title else ""
        below = 26 if diagram.title else 0
        body = f'<g transform="translate(0,{below})">{body}</g>'
        parts.append(f'<g transform="translate({_MARGIN:g},{height:.1f})">{title}{body}</g>')
        width = max(width, across + 2 * _MARGIN, len(diagram.title) * 8.6 + 2 * _MARGIN)
        height += down + below + 2 * _MARGIN
    style = f"<style>{STYLE}</style>" if styled else ""
    # By itself a picture shrinks to the page; a report's page does that, and allows no styles in attributes.
    fits = ' style="max-width:100%;height:auto"' if styled else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="kripke-picture" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}"{fits}>{style}{"".join(parts)}</svg>\n'
    )


#: a drawing inside of a node: its text, width and height
Inner = tuple[str, float, float]


class _Drawing:
    """A diagram with its layout; ``flat``: from left to right."""

    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        self.flat = diagram.direction == "right"
        self.nodes = {node.name: node for node in diagram.nodes}
        self.inner = {node.name: _Drawing(node.inside).body() for node in diagram.nodes if node.inside is not None}
        self.sizes = {node.name: _size(node, self.inner.get(node.name)) for node in diagram.nodes}
        self.loops: dict[str, list[Arrow]] = {}
        for arrow in diagram.arrows:
            if arrow.source == arrow.target:
                self.loops.setdefault(arrow.target, []).append(arrow)
        self.arrows = [arrow for arrow in diagram.arrows if arrow.source != arrow.target]
        links = [Link(_source(arrow, i), arrow.target, self._room(arrow)) for i, arrow in enumerate(self.arrows)]
        room: dict[Item, Size] = {
            _source(arrow, i): Size(2, 2) for i, arrow in enumerate(self.arrows) if arrow.source is None
        }
        room |= {name: self._turned(self._with_loops(name)) for name in self.nodes}
        self.layout: Layout = lay_out(room, links)

    def _turned(self, size: Size) -> Size:
        return Size(size.along, size.across) if self.flat else size

    def _room(self, arrow: Arrow) -> Size:
        if not arrow.label:
            return Size(0, 0)
        lines = arrow.label.split("\n")
        high = (len(lines) + 1 if self.flat else len(lines)) * _SMALL_LINE
        return self._turned(Size(_longest(lines) * _SMALL + 8, high))

    def _with_loops(self, name: str) -> Size:
        """Loops hang above where the picture goes to the right, else on the right-hand side; the room is on both
        sides, so that nodes stay in line."""
        size, beside = self.sizes[name], self.nodes[name].beside
        loops = self.loops.get(name, ())
        lines = [line for arrow in loops for line in arrow.label.split("\n")]
        longest = _longest(lines) * _SMALL
        if self.flat:
            more = len(lines) * _SMALL_LINE + _LOOP if loops else 0.0
            return Size(max(size.across, longest), size.along + 2 * more)
        more = max(longest + _LOOP + 8 if loops else 0.0, len(beside) * _SMALL + 6 if beside else 0.0)
        return Size(size.across + 2 * more, max(size.along, len(loops) * (_LOOP + 4)))

    def at(self, place: Place) -> tuple[float, float]:
        return (place.along, place.across) if self.flat else (place.across, place.along)

    def body(self) -> tuple[str, float, float]:
        # Labels come after all lines, so that no line goes through a text.
        parts = [self._edge(index, arrow) for index, arrow in enumerate(self.arrows)]
        parts += [self._label(index, arrow) for index, arrow in enumerate(self.arrows)]
        for name, node in self.nodes.items():
            x, y = self.at(self.layout.nodes[name])
            parts.append(_shape(node, x, y, self.sizes[name], self.inner.get(name)))
            parts.append(self._loops(name, x, y))
        width, height = self.at(Place(self.layout.across, self.layout.along))
        return "".join(parts), width, height

    # --- edges --------------------------------------------------------------------------------------------------------

    def _edge(self, index: int, arrow: Arrow) -> str:
        points = [self.at(place) for place in self.layout.ways[index]]
        points[-1] = self._border(arrow.target, points[-1], points[-2])
        if arrow.source is not None:
            points[0] = self._border(arrow.source, points[0], points[1])
        tone = f" {arrow.tone}" if arrow.tone else ""
        (x, y), (x1, y1) = points[-1], points[-2]
        before = (x1, y) if self.flat else (x, y1)
        return f'<path class="edge{tone}" d="{self._curve(points)}"/>' + _head(points[-1], before, tone)

    def _label(self, index: int, arrow: Arrow) -> str:
        if index not in self.layout.labels:
            return ""
        x, y = self.at(self.layout.labels[index])
        lines = arrow.label.split("\n")
        if self.flat:  # above the line, which is level here
            y -= 8 + (len(lines) - 1) * _SMALL_LINE / 2
        return _small_text(lines, x, y)

    def _border(self, name: str, centre: tuple[float, float], towards: tuple[float, float]) -> tuple[float, float]:
        """Where an edge leaves a node: on the side of the next layer, a little towards where it goes."""
        size = self.sizes[name]
        half, depth = (size.along / 2, size.across / 2) if self.flat else (size.across / 2, size.along / 2)
        aside, ahead = (1, 0) if self.flat else (0, 1)
        offset = max(-0.7 * half, min(0.7 * half, 0.4 * (towards[aside] - centre[aside])))
        if self.nodes[name].shape in ("circle", "double"):
            depth = (half**2 - offset**2) ** 0.5
        forward = depth if towards[ahead] >= centre[ahead] else -depth
        return (centre[0] + forward, centre[1] + offset) if self.flat else (centre[0] + offset, centre[1] + forward)

    def _curve(self, points: Sequence[tuple[float, float]]) -> str:
        """Through all points, at each of them in the direction of the layers."""
        text = f"M{points[0][0]:.1f},{points[0][1]:.1f}"
        for (x1, y1), (x2, y2) in pairwise(points):
            if self.flat:
                middle = (x1 + x2) / 2
                text += f"C{middle:.1f},{y1:.1f} {middle:.1f},{y2:.1f} {x2:.1f},{y2:.1f}"
            else:
                middle = (y1 + y2) / 2
                text += f"C{x1:.1f},{middle:.1f} {x2:.1f},{middle:.1f} {x2:.1f},{y2:.1f}"
        return text

    def _loops(self, name: str, x: float, y: float) -> str:
        """Arrows from a node to itself: above, as one with all labels; or on the right, one below the other."""
        loops = self.loops.get(name, [])
        if not loops:
            return ""
        size, drawn = self.sizes[name], ""
        if self.flat:
            top = y - size.along / 2 + 2
            far = top - _LOOP
            path = f"M{x - 6:.1f},{top:.1f}C{x - 16:.1f},{far:.1f} {x + 16:.1f},{far:.1f} {x + 6:.1f},{top:.1f}"
            drawn = f'<path class="edge" d="{path}"/>' + _head((x + 6, top), (x + 10, top - 8), "")
            lines = [line for arrow in loops for line in arrow.label.split("\n")]
            return drawn + _small_text(lines, x, far - (len(lines) - 1) * _SMALL_LINE / 2)
        right = x + size.across / 2 - (2 if self.nodes[name].shape in ("circle", "double") else 0)
        for number, arrow in enumerate(loops):
            top = y + (number - (len(loops) - 1) / 2) * (_LOOP + 4)
            far, tone = right + _LOOP, f" {arrow.tone}" if arrow.tone else ""
            start, end = max(top - 5, y - size.along / 3), min(top + 5, y + size.along / 3)
            path = f"M{right:.1f},{start:.1f}C{far:.1f},{top - 14:.1f} {far:.1f},{top + 14:.1f} {right:.1f},{end:.1f}"
            drawn += f'<path class="edge{tone}" d="{path}"/>' + _head((right, end), (right + 8, top + 9), tone)
            lines = arrow.label.split("\n")
            drawn += _small_text(lines, far + _longest(lines) * _SMALL / 2, top)
        return drawn


def _longest(lines: Sequence[str]) -> int:
    return max(map(len, lines), default=0)


def _small_text(lines: Sequence[str], x: float, y: float) -> str:
    """Lines of a label around a place, on a ground that hides what lies behind them."""
    width, height = _longest(lines) * _SMALL + 4, len(lines) * _SMALL_LINE
    drawn = (
        f'<rect class="ground" x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}"/>'
    )
    for number, line in enumerate(lines):
        at = y + (number - (len(lines) - 1) / 2) * _SMALL_LINE
        drawn += f'<text class="label" x="{x:.1f}" y="{at:.1f}">{escape(line)}</text>'
    return drawn


def _source(arrow: Arrow, index: int) -> str:
    """A start has a place of its own, which is not drawn."""
    return arrow.source if arrow.source is not None else f"\0{index}"


def _size(node: Node, inner: Inner | None = None) -> Size:
    if inner is not None:
        width = max(len(line) for line in node.lines) * _CHARACTER
        return Size(max(width, inner[1]) + 2 * _MARGIN, inner[2] + len(node.lines) * _LINE + 2 * _MARGIN)
    width = max((len(line) for line in node.lines), default=0) * _CHARACTER
    height = max(len(node.lines), 1) * _LINE
    match node.shape:
        case "circle" | "double":
            across = max(hypot(width, height) + 6, 26.0) + (6 if node.shape == "double" else 0)
            return Size(across, across)
        case "bar":
            return Size(max(width + 10, 30.0), max(height + 2, 12.0))
        case _:
            return Size(width + 16, height + 8)


def _shape(node: Node, x: float, y: float, size: Size, inner: Inner | None = None) -> str:
    tone = f" {node.tone}" if node.tone else ""
    match node.shape:
        case "circle" | "double":
            drawn = f'<circle class="node{tone}" cx="{x:.1f}" cy="{y:.1f}" r="{size.across / 2:.1f}"/>'
            if node.shape == "double":
                drawn += f'<circle class="inner" cx="{x:.1f}" cy="{y:.1f}" r="{size.across / 2 - 3:.1f}"/>'
        case _:
            corner = 0 if node.shape == "bar" else 5
            drawn = (
                f'<rect class="node{tone}" x="{x - size.across / 2:.1f}" y="{y - size.along / 2:.1f}" '
                f'width="{size.across:.1f}" height="{size.along:.1f}" rx="{corner}"/>'
            )
    top = y - (len(node.lines) - 1) * _LINE / 2 if inner is None else y - size.along / 2 + 14
    for number, line in enumerate(node.lines):
        drawn += f'<text x="{x:.1f}" y="{top + number * _LINE:.1f}">{escape(line)}</text>'
    if inner is not None:
        left, below = x - inner[1] / 2, y - size.along / 2 + len(node.lines) * _LINE + _MARGIN
        drawn += f'<g transform="translate({left:.1f},{below:.1f})">{inner[0]}</g>'
    if node.beside:
        at = x + size.across / 2 + 4 + len(node.beside) * _SMALL / 2
        drawn += f'<text class="label" x="{at:.1f}" y="{y:.1f}">{escape(node.beside)}</text>'
    return f'<g data-key="{escape(node.key)}">{drawn}</g>' if node.key else drawn


def _head(tip: tuple[float, float], before: tuple[float, float], tone: str) -> str:
    """The head of an arrow."""
    dx, dy = tip[0] - before[0], tip[1] - before[1]
    length = hypot(dx, dy) or 1
    dx, dy = dx / length, dy / length
    left = (tip[0] - 7 * dx - 3 * dy, tip[1] - 7 * dy + 3 * dx)
    right = (tip[0] - 7 * dx + 3 * dy, tip[1] - 7 * dy - 3 * dx)
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in (tip, left, right))
    return f'<polygon class="head{tone}" points="{points}"/>'
