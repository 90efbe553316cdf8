"""Layouts of nested boxes against each other: ours, Graphviz' clusters, and ELK's layers.

    ./dev python benchmarks/layouts.py [FILE...] [--folder DIR]

Ours and Graphviz' (``dot``, or pip install kripke[draw]) are measured on the pictures themselves; those of ELK (pip
install pyelk, a port of elkjs) on the places it gives. Counted for each picture: crossings of arrows, arrows that run
through a box that is none of their ends, texts that an arrow or another text lies on; the area in thousands of
pixels; the seconds. Without files: the examples and random charts of growing size. With a folder, pictures go there.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import kripke
from kripke.model.diagram import Diagram
from kripke.pictures.clusters import command
from kripke.pictures.graphs import model_diagrams
from kripke.pictures.shapes import SMALL, SMALL_LINE, node_size
from kripke.pictures.svg import svg

EXAMPLES = [
    "examples/scxml/microwave.scxml",
    "examples/uml/car_audio.puml",
    "examples/uml/gate.xmi",
    "examples/modes/generic.modes",
]
_PIECES = 12  # of a curve

Point = tuple[float, float]
Rectangle = tuple[float, float, float, float]


@dataclass
class Geometry:
    """``boxes``: states; ``arrows``: polylines; ``texts``: rooms of names and labels."""

    width: float = 0.0
    height: float = 0.0
    boxes: list[Rectangle] = field(default_factory=list)
    arrows: list[list[Point]] = field(default_factory=list)
    texts: list[Rectangle] = field(default_factory=list)

    def crossings(self) -> int:
        return sum(_meet(one, other) for one, other in combinations(self.arrows, 2))

    def through(self) -> int:
        """Arrows through boxes: they enter and leave one that they neither start nor end in or at."""
        found = 0
        for arrow in self.arrows:
            for box in self.boxes:
                inside = [_within(point, box, 1) for point in arrow]
                ends = _within(arrow[0], box, -4) or _within(arrow[-1], box, -4)
                found += any(inside) and not ends
        return found

    def covered(self) -> int:
        """Texts that lie on another, or that are no label of an arrow that runs through them."""
        found = sum(_overlap(one, other) for one, other in combinations(self.texts, 2))
        for text in self.texts:
            hit = sum(any(_within(point, text, 2) for point in arrow) for arrow in self.arrows)
            found += max(0, hit - 1)  # that of a label itself may
        return found


def _within(point: Point, box: Rectangle, margin: float) -> bool:
    x, y, width, height = box
    return x + margin < point[0] < x + width - margin and y + margin < point[1] < y + height - margin


def _overlap(one: Rectangle, other: Rectangle) -> bool:
    across = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    down = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return across > 2 and down > 2


def _meet(one: Sequence[Point], other: Sequence[Point]) -> bool:
    """Do they cross, apart from where both start or end?"""
    ends = (one[0], one[-1], other[0], other[-1])
    for a, b in pairwise(one):
        for c, d in pairwise(other):
            if max(a[0], b[0]) < min(c[0], d[0]) or max(c[0], d[0]) < min(a[0], b[0]):
                continue
            across = (b[0] - a[0]) * (d[1] - c[1]) - (b[1] - a[1]) * (d[0] - c[0])
            if not across:
                continue
            t = ((c[0] - a[0]) * (d[1] - c[1]) - (c[1] - a[1]) * (d[0] - c[0])) / across
            u = ((c[0] - a[0]) * (b[1] - a[1]) - (c[1] - a[1]) * (b[0] - a[0])) / across
            if 0 <= t <= 1 and 0 <= u <= 1:
                x, y = a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])
                if all(abs(x - ex) + abs(y - ey) > 14 for ex, ey in ends):
                    return True
    return False


# --- pictures ---------------------------------------------------------------------------------------------------------


def measured(text: str) -> Geometry:
    """What an SVG shows."""
    root = ElementTree.fromstring(text)
    found = Geometry(float(root.get("width", 0)), float(root.get("height", 0)))
    _collect(root, 0.0, 0.0, found)
    return found


def _collect(element: ElementTree.Element, x: float, y: float, found: Geometry) -> None:
    moved = re.match(r"translate\(([-\d.]+),([-\d.]+)\)", element.get("transform", ""))
    if moved:
        x, y = x + float(moved[1]), y + float(moved[2])
    kind, tag = element.get("class", ""), element.tag.partition("}")[2]
    if tag == "rect" and kind.startswith(("node", "ground")):
        box = (
            float(element.get("x", 0)) + x,
            float(element.get("y", 0)) + y,
            float(element.get("width", 0)),
            float(element.get("height", 0)),
        )
        (found.texts if kind == "ground" else found.boxes).append(box)
    elif tag == "circle":
        radius = float(element.get("r", 0))
        left, top = float(element.get("cx", 0)) + x - radius, float(element.get("cy", 0)) + y - radius
        found.boxes.append((left, top, 2 * radius, 2 * radius))
    elif tag == "text" and not kind:
        wide = len(element.text or "") * 7.3
        found.texts.append((float(element.get("x", 0)) + x - wide / 2, float(element.get("y", 0)) + y - 7, wide, 14))
    elif tag == "path" and kind.startswith("edge"):
        points = [(px + x, py + y) for px, py in _points(element.get("d", ""))]
        if len(set(points)) > 1 and abs(points[0][0] - points[-1][0]) + abs(points[0][1] - points[-1][1]) > 14:
            found.arrows.append(points)
    for inner in element:
        _collect(inner, x, y, found)


def _points(path: str) -> Iterator[Point]:
    numbers = [
        (c, [float(n) for n in re.findall(r"-?[\d.]+", rest)]) for c, rest in re.findall(r"([MCL])([^MCL]*)", path)
    ]
    here = (0.0, 0.0)
    for letter, values in numbers:
        places = list(zip(values[::2], values[1::2], strict=True))
        if letter == "C":
            for a, b, end in zip(places[::3], places[1::3], places[2::3], strict=True):
                for step in range(1, _PIECES + 1):
                    t = step / _PIECES
                    yield tuple(  # type: ignore[misc]
                        (1 - t) ** 3 * here[i]
                        + 3 * t * (1 - t) ** 2 * a[i]
                        + 3 * t * t * (1 - t) * b[i]
                        + t**3 * end[i]
                        for i in (0, 1)
                    )
                here = end
        else:
            here = places[-1]
            yield here


# --- ELK --------------------------------------------------------------------------------------------------------------


def elk(diagrams: Sequence[Diagram]) -> Geometry:
    """One below the other. Arrows connect nodes of one level, as in ours."""
    from pyelk import ELK

    found = Geometry()
    for number, diagram in enumerate(diagrams):
        graph = _for_elk(diagram, f"d{number}")
        graph["layoutOptions"] = {"elk.algorithm": "layered", "elk.direction": "DOWN", "elk.edgeRouting": "SPLINES"}
        laid = ELK().layout(graph)
        _of_elk(laid, 0.0, found.height, found)
        found.width = max(found.width, laid.get("width", 0.0))
        found.height += laid.get("height", 0.0) + 32
    return found


def _for_elk(diagram: Diagram, name: str) -> dict[str, Any]:
    children = []
    for node in diagram.nodes:
        size = node_size(node)
        made = {"id": f"{name}/{node.name}", "width": size.across, "height": size.along}
        made["labels"] = [{"text": line, "width": len(line) * 7.3, "height": 14} for line in node.lines]
        if node.inside is not None and node.inside.nodes:
            made |= _for_elk(node.inside, f"{name}/{node.name}")
            made["layoutOptions"] = {"elk.padding": "[top=32,left=16,bottom=16,right=16]", "elk.direction": "DOWN"}
        children.append(made)
    edges = [
        {
            "id": f"{name}/e{number}",
            "sources": [f"{name}/{arrow.source}"],
            "targets": [f"{name}/{arrow.target}"],
            "labels": [{"text": arrow.label, "width": len(arrow.label) * SMALL, "height": SMALL_LINE}],
        }
        for number, arrow in enumerate(diagram.arrows)
        if arrow.source is not None and arrow.source != arrow.target
    ]
    return {"id": name, "children": children, "edges": edges}


def _of_elk(graph: dict[str, Any], x: float, y: float, found: Geometry) -> None:
    for child in graph.get("children", ()):
        at = (x + child.get("x", 0.0), y + child.get("y", 0.0))
        found.boxes.append((*at, child["width"], child["height"]))
        _of_elk(child, *at, found)
    for edge in graph.get("edges", ()):
        for section in edge.get("sections", ()):
            points = [section["startPoint"], *section.get("bendPoints", ()), section["endPoint"]]
            found.arrows.append([(point["x"] + x, point["y"] + y) for point in points])
        for label in edge.get("labels", ()):
            if "x" in label:
                found.texts.append((label["x"] + x, label["y"] + y, label["width"], label["height"]))


# --- the comparison ---------------------------------------------------------------------------------------------------


def random_files(folder: str) -> list[str]:
    from tests.support.random_charts import random_chart

    found = []
    for seed in range(1, 13):
        path = Path(folder) / f"random{seed}.scxml"
        path.write_text(random_chart(seed))
        found.append(str(path))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--folder", help="for the pictures")
    options = parser.parse_args()
    ways: dict[str, Callable[[Sequence[Diagram]], tuple[Geometry, str]]] = {}

    def drawn(layout: str) -> Callable[[Sequence[Diagram]], tuple[Geometry, str]]:
        def draw(diagrams: Sequence[Diagram]) -> tuple[Geometry, str]:
            text = svg(diagrams, layout=layout)
            return measured(text), text

        return draw

    ways["own"] = drawn("own")
    if command():
        ways["graphviz"] = drawn("graphviz")
    try:
        import pyelk  # noqa: F401

        ways["elk"] = lambda diagrams: (elk(diagrams), "")
    except ImportError:
        pass
    totals = {name: [0.0] * 5 for name in ways}
    print(f"{'picture':24} {'layout':9} {'crossings':>9} {'through':>8} {'covered':>8} {'area':>7} {'seconds':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for file in options.files or [*EXAMPLES, *random_files(folder)]:
            diagrams = [one for one in model_diagrams(kripke.load(file).model) if one.depth > 1]
            for name, way in ways.items():
                begin = time.perf_counter()
                geometry, text = way(diagrams)
                taken = time.perf_counter() - begin
                area = geometry.width * geometry.height / 1000
                row = [geometry.crossings(), geometry.through(), geometry.covered(), area, taken]
                totals[name] = [a + b for a, b in zip(totals[name], row, strict=True)]
                _print(Path(file).name, name, row)
                if options.folder and text:
                    (Path(options.folder) / f"{Path(file).stem}_{name}.svg").write_text(text)
    for name, row in totals.items():
        _print("all", name, row)


def _print(picture: str, layout: str, row: Sequence[float]) -> None:
    crossings, through, covered, area, seconds = row
    print(f"{picture:24} {layout:9} {crossings:9.0f} {through:8.0f} {covered:8.0f} {area:7.0f} {seconds:8.3f}")


if __name__ == "__main__":
    main()
