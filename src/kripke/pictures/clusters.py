"""Nested diagrams, laid out by Graphviz: boxes are clusters, and an arrow goes to its real ends, across borders.

Graphviz (E. Gansner, E. Koutsofios, S. North, K.-P. Vo, "A technique for drawing directed graphs", IEEE TSE 19, 1993)
gets sizes and no text of the model. It works in a process of its own: ``dot``, or the package pygraphviz (the extra
``draw``).
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple

from kripke.model.diagram import Arrow, Diagram, Node
from kripke.pictures.layers import Size
from kripke.pictures.shapes import (
    CHARACTER,
    LINE,
    MARGIN,
    SMALL,
    SMALL_LINE,
    arrow_head,
    draw_node,
    longest,
    node_size,
    small_text,
)

MOST_SECONDS = 20.0
_INCH = 72.0
_APART = """
import sys, pygraphviz
for text in sys.stdin.read().split("\\0"):
    graph = pygraphviz.AGraph(string=text)
    graph.layout("dot")
    sys.stdout.buffer.write(graph.draw(format="json0"))
"""


@cache
def command() -> tuple[str, ...]:
    """What lays graphs out; nothing: Graphviz is not there."""
    dot = shutil.which("dot")
    if dot is not None:
        return dot, "-Tjson0"
    return (sys.executable, "-c", _APART) if find_spec("pygraphviz") is not None else ()


class Drawn(NamedTuple):
    body: str
    width: float
    height: float


class NoGraphviz(Exception):
    """It is not there, or cannot do it; the message says so."""


def draw(diagram: Diagram) -> Drawn:
    if not command():
        raise NoGraphviz("there is no Graphviz here: install dot, or pip install 'kripke[draw]'")
    drawing = _Clusters(diagram)
    try:
        done = subprocess.run(
            command(), input=drawing.text(), capture_output=True, text=True, timeout=MOST_SECONDS, check=True
        )
        return drawing.drawn(json.loads(done.stdout))
    except subprocess.TimeoutExpired:
        raise NoGraphviz(f"Graphviz takes more than {MOST_SECONDS:.0f} seconds: leave the layout out") from None
    except (OSError, subprocess.SubprocessError, ValueError, LookupError) as error:
        raise NoGraphviz(f"Graphviz does not lay this out ({type(error).__name__}): leave the layout out") from error


class _Line(NamedTuple):
    """An arrow between two nodes of Graphviz; ``tail`` and ``head`` are boxes that it begins or ends at."""

    arrow: Arrow
    label: str
    source: str
    target: str
    tail: str = ""
    head: str = ""


class _Box(NamedTuple):
    """A node of the diagram, by its identity here: those that something is inside of are clusters."""

    node: Node
    name: str
    outer: tuple[str, ...]

    @property
    def nested(self) -> bool:
        return self.node.inside is not None and bool(self.node.inside.nodes)


class _Clusters:
    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        self.boxes: dict[str, _Box] = {}
        self.levels: dict[str, Diagram] = {"": diagram}  # by box
        self.keys: dict[str, str] = {}
        self.starts: dict[str, list[str]] = {}  # of boxes: the points where something starts
        self.loops: dict[str, list[str]] = {}  # of boxes: what leads from them to themselves
        self._number(diagram, "", ())
        self.lines = [line for box, level in list(self.levels.items()) for line in self._lines(box, level)]

    def _number(self, level: Diagram, owner: str, outer: tuple[str, ...]) -> None:
        for node in level.nodes:
            name = f"n{len(self.boxes)}"
            box = _Box(node, name, outer)
            self.boxes[name] = box
            self.keys.setdefault(node.key or name, name)
            self.keys[f"{owner}/{node.name}"] = name
            if box.nested:
                assert node.inside is not None
                self.levels[name] = node.inside
                self._number(node.inside, name, (*outer, name))

    # --- arrows -------------------------------------------------------------------------------------------------------

    def _lines(self, box: str, level: Diagram) -> Iterator[_Line]:
        for arrow in level.arrows:
            source = None if arrow.source is None else self.keys[f"{box}/{arrow.source}"]
            target, label = self.keys[f"{box}/{arrow.target}"], arrow.label
            deep = (self.keys.get(arrow.source_key), self.keys.get(arrow.target_key))
            if all(found or not key for found, key in zip(deep, (arrow.source_key, arrow.target_key), strict=True)):
                source, target = deep[0] or source, deep[1] or target
                label = arrow.plain if any(deep) else label
            if source is None:
                start = f"s{sum(map(len, self.starts.values()))}"
                self.starts.setdefault(box, []).append(start)
                yield _Line(arrow, label, start, self._inner(target), head=self._cluster(target))
            elif self._around(source, target) and self.boxes[source].nested:
                self.loops.setdefault(source, []).append(f"↺ {arrow.label}".rstrip())
            elif source != target and self._around(target, source):
                self.loops.setdefault(target, []).append(f"↺ {arrow.label}".rstrip())
            else:
                yield _Line(
                    arrow, label, self._inner(source), self._inner(target), self._cluster(source), self._cluster(target)
                )

    def _around(self, outer: str, inner: str) -> bool:
        return outer == inner or outer in self.boxes[inner].outer

    def _inner(self, name: str) -> str:
        """A node that an arrow to a box can lead to."""
        while self.boxes[name].nested:
            name = self.keys[f"{name}/{self.levels[name].nodes[0].name}"]
        return name

    def _cluster(self, name: str) -> str:
        return f"cluster_{name}" if self.boxes[name].nested else ""

    # --- for Graphviz -------------------------------------------------------------------------------------------------

    def text(self) -> str:
        across = "LR" if self.diagram.direction == "right" else "TB"
        lines = [
            f"digraph {{ compound=true; rankdir={across}; nodesep=0.35; ranksep=0.45;",
            'node [label="", shape=box, fixedsize=true];',
            *self._level("", self.diagram),
        ]
        for number, line in enumerate(self.lines):
            more = [f"id={number}"]
            more += [f"label={_room(self._label_size(line))}"] if line.label else []
            more += [f"ltail={line.tail}"] if line.tail else []
            more += [f"lhead={line.head}"] if line.head else []
            lines.append(f"{line.source} -> {line.target} [{', '.join(more)}];")
        return "\n".join([*lines, "}"])

    @staticmethod
    def _label_size(line: _Line) -> Size:
        lines = line.label.split("\n")
        return Size(longest(lines) * SMALL + 8, len(lines) * SMALL_LINE + 2)

    def _level(self, box: str, level: Diagram) -> Iterator[str]:
        for start in self.starts.get(box, ()):
            yield f"{start} [width=0.03, height=0.03];"
        for node in level.nodes:
            name = self.keys[f"{box}/{node.name}"]
            if not self.boxes[name].nested:
                size = node_size(node)
                yield f"{name} [width={size.across / _INCH:.3f}, height={size.along / _INCH:.3f}];"
                continue
            yield f"subgraph cluster_{name} {{ margin={MARGIN - 4:g}; label={_room(self._header(name))};"
            yield from self._level(name, self.levels[name])
            yield "}"

    def _header(self, name: str) -> Size:
        node, loops = self.boxes[name].node, self.loops.get(name, [])
        width = max(longest(node.lines) * CHARACTER, longest(loops) * SMALL)
        return Size(width + 12, len(node.lines) * LINE + len(loops) * SMALL_LINE + 6)

    # --- from Graphviz ------------------------------------------------------------------------------------------------

    def drawn(self, found: dict[str, Any]) -> Drawn:
        _, low, right, high = _numbers(found["bb"])
        width, height = right, high - low
        objects = {one["name"]: one for one in found["objects"]}

        def flipped(x: float, y: float) -> tuple[float, float]:
            return x, high - y

        parts: list[str] = []
        for name, box in self.boxes.items():
            if box.nested:
                parts.append(self._drawn_box(name, _numbers(objects[f"cluster_{name}"]["bb"]), high))
        edges = sorted(found.get("edges", ()), key=lambda one: int(one["id"]))
        labels = []
        for line, edge in zip(self.lines, edges, strict=True):
            points = [flipped(*_numbers(part)) for part in edge["pos"].split() if part[0] != "e"]
            tip = next((flipped(*_numbers(part[2:])) for part in edge["pos"].split() if part[0] == "e"), points[-1])
            parts.append(_path(points, tip, f" {line.arrow.tone}" if line.arrow.tone else ""))
            if line.label:
                labels.append(small_text(line.label.split("\n"), *flipped(*_numbers(edge["lp"]))))
        for name, box in self.boxes.items():
            if not box.nested:
                x, y = flipped(*_numbers(objects[name]["pos"]))
                parts.append(draw_node(replace(box.node, inside=None), x, y, node_size(box.node)))
        return Drawn("".join([*parts, *labels]), width, height)

    def _drawn_box(self, name: str, corners: Sequence[float], high: float) -> str:
        node, loops = self.boxes[name].node, self.loops.get(name, [])
        left, low, right, top = corners
        tone = f" {node.tone}" if node.tone else ""
        y = high - top
        body = (
            f'<rect class="node{tone}" x="{left:.1f}" y="{y:.1f}" width="{right - left:.1f}" '
            f'height="{top - low:.1f}" rx="5"/>'
        )
        shape = draw_node(Node("", node.lines), (left + right) / 2, y + 6 + len(node.lines) * LINE / 2, Size(0, 0))
        body += shape[shape.index("<text") :] if node.lines else ""
        if loops:
            middle = y + 8 + len(node.lines) * LINE + len(loops) * SMALL_LINE / 2
            text = small_text(loops, (left + right) / 2, middle)
            body += text[text.index("<text") :]
        return f'<g data-key="{node.key}">{body}</g>' if node.key else body


def _room(size: Size) -> str:
    """A label of this size, without a text."""
    return (
        f'<<table border="0" cellborder="0" cellspacing="0" fixedsize="true" width="{size.across:.0f}" '
        f'height="{size.along:.0f}"><tr><td></td></tr></table>>'
    )


def _numbers(text: str) -> list[float]:
    return [float(part) for part in text.split(",")]


def _path(points: Sequence[tuple[float, float]], tip: tuple[float, float], tone: str) -> str:
    """Bézier curves, by their points, and the head at the tip."""
    text = f"M{points[0][0]:.1f},{points[0][1]:.1f}C" + " ".join(f"{x:.1f},{y:.1f}" for x, y in points[1:])
    return f'<path class="edge{tone}" d="{text}L{tip[0]:.1f},{tip[1]:.1f}"/>' + arrow_head(tip, points[-1], tone)
