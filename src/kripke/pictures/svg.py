"""Diagrams as SVG: one file that any browser shows, light or dark as the page around it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape
from itertools import pairwise
from typing import Literal

from kripke.model.diagram import Arrow, Diagram
from kripke.pictures.clusters import draw as draw_clusters
from kripke.pictures.layers import Item, Layout, Link, Place, Size, lay_out
from kripke.pictures.shapes import (
    MARGIN,
    SMALL,
    SMALL_LINE,
    STYLE,
    arrow_head,
    draw_node,
    longest,
    node_size,
    small_text,
)

Layouts = Literal["own", "graphviz"]
_LOOP = 22.0


def svg(
    diagrams: Diagram | Sequence[Diagram],
    *,
    styled: bool = True,
    layout: Layouts = "own",
    marked: Collection[str] = (),
) -> str:
    """One picture, of several diagrams one below the other; not ``styled``: the page around it has ``STYLE``.
    ``layout``: of nested ones; NoGraphviz where that is asked for and not there. ``marked``: the keys of nodes that are
    lit."""
    several = [diagrams] if isinstance(diagrams, Diagram) else list(diagrams)
    parts: list[str] = []
    width, height = 2 * MARGIN, MARGIN
    for diagram in several:
        body, across, down = (
            draw_clusters(diagram) if layout == "graphviz" and diagram.depth > 1 else _Drawing(diagram).body()
        )
        title = f'<text class="title" x="0" y="8">{escape(diagram.title)}</text>' if diagram.title else ""
        below = 26 if diagram.title else 0
        body = f'<g transform="translate(0,{below})">{body}</g>'
        parts.append(f'<g transform="translate({MARGIN:g},{height:.1f})">{title}{body}</g>')
        width = max(width, across + 2 * MARGIN, len(diagram.title) * 8.6 + 2 * MARGIN)
        height += down + below + 2 * MARGIN
    whole = "".join(parts)
    for key in marked:
        whole = whole.replace(f'<g data-key="{escape(key)}">', f'<g class="marked" data-key="{escape(key)}">')
    style = f"<style>{STYLE}</style>" if styled else ""
    # By itself a picture shrinks to the page; a report's page does that, and allows no styles in attributes.
    fits = ' style="max-width:100%;height:auto"' if styled else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="kripke-picture" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}"{fits}>{style}{whole}</svg>\n'
    )


class _Drawing:
    """A diagram with its layout; ``flat``: from left to right."""

    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        self.flat = diagram.direction == "right"
        self.nodes = {node.name: node for node in diagram.nodes}
        self.inner = {node.name: _Drawing(node.inside).body() for node in diagram.nodes if node.inside is not None}
        self.sizes = {node.name: node_size(node, self.inner.get(node.name)) for node in diagram.nodes}
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
        high = (len(lines) + 1 if self.flat else len(lines)) * SMALL_LINE
        return self._turned(Size(longest(lines) * SMALL + 8, high))

    def _with_loops(self, name: str) -> Size:
        """Loops hang above where the picture goes to the right, else on the right-hand side; the room is on both
        sides, so that nodes stay in line."""
        size, beside = self.sizes[name], self.nodes[name].beside
        loops = self.loops.get(name, ())
        lines = [line for arrow in loops for line in arrow.label.split("\n")]
        widest = longest(lines) * SMALL
        if self.flat:
            more = len(lines) * SMALL_LINE + _LOOP if loops else 0.0
            return Size(max(size.across, widest), size.along + 2 * more)
        more = max(widest + _LOOP + 8 if loops else 0.0, len(beside) * SMALL + 6 if beside else 0.0)
        return Size(size.across + 2 * more, max(size.along, len(loops) * (_LOOP + 4)))

    def at(self, place: Place) -> tuple[float, float]:
        return (place.along, place.across) if self.flat else (place.across, place.along)

    def body(self) -> tuple[str, float, float]:
        # Labels come after all lines, so that no line goes through a text.
        parts = [self._edge(index, arrow) for index, arrow in enumerate(self.arrows)]
        parts += [self._label(index, arrow) for index, arrow in enumerate(self.arrows)]
        for name, node in self.nodes.items():
            x, y = self.at(self.layout.nodes[name])
            parts.append(draw_node(node, x, y, self.sizes[name], self.inner.get(name)))
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
        return f'<path class="edge{tone}" d="{self._curve(points)}"/>' + arrow_head(points[-1], before, tone)

    def _label(self, index: int, arrow: Arrow) -> str:
        if index not in self.layout.labels:
            return ""
        x, y = self.at(self.layout.labels[index])
        lines = arrow.label.split("\n")
        if self.flat:  # above the line, which is level here
            y -= 8 + (len(lines) - 1) * SMALL_LINE / 2
        return small_text(lines, x, y)

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
            drawn = f'<path class="edge" d="{path}"/>' + arrow_head((x + 6, top), (x + 10, top - 8), "")
            lines = [line for arrow in loops for line in arrow.label.split("\n")]
            return drawn + small_text(lines, x, far - (len(lines) - 1) * SMALL_LINE / 2)
        right = x + size.across / 2 - (2 if self.nodes[name].shape in ("circle", "double") else 0)
        for number, arrow in enumerate(loops):
            top = y + (number - (len(loops) - 1) / 2) * (_LOOP + 4)
            far, tone = right + _LOOP, f" {arrow.tone}" if arrow.tone else ""
            start, end = max(top - 5, y - size.along / 3), min(top + 5, y + size.along / 3)
            path = f"M{right:.1f},{start:.1f}C{far:.1f},{top - 14:.1f} {far:.1f},{top + 14:.1f} {right:.1f},{end:.1f}"
            drawn += f'<path class="edge{tone}" d="{path}"/>' + arrow_head((right, end), (right + 8, top + 9), tone)
            lines = arrow.label.split("\n")
            drawn += small_text(lines, far + longest(lines) * SMALL / 2, top)
        return drawn


def _source(arrow: Arrow, index: int) -> str:
    """A start has a place of its own, which is not drawn."""
    return arrow.source if arrow.source is not None else f"\0{index}"
