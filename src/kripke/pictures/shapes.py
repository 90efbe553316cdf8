"""The parts of a picture as SVG: nodes, heads of arrows, labels; and how they look."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import hypot

from kripke.model.diagram import Node
from kripke.pictures.layers import Size

CHARACTER, LINE = 7.3, 16.0  # of the text, in pixels
SMALL, SMALL_LINE = 6.2, 13.0  # of labels
MARGIN = 16.0

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
.kripke-picture .marked>.node{fill:#ddf4ff;stroke:#0969da;stroke-width:2.4}
@media(prefers-color-scheme:dark){.kripke-picture{color:#e6edf3;background:#0d1117}
.kripke-picture .label{stroke:#0d1117}.kripke-picture .ground{fill:#0d1117}
.kripke-picture .node{fill:#161b22;stroke:#8b949e}.kripke-picture .marked>.node{fill:#0c2d6b;stroke:#58a6ff}
.kripke-picture .edge{stroke:#8b949e}.kripke-picture .head{fill:#8b949e}.kripke-picture .inner{stroke:#8b949e}}"""

#: a drawing inside of a node: its text, width and height
Inner = tuple[str, float, float]


def longest(lines: Sequence[str]) -> int:
    return max(map(len, lines), default=0)


def small_text(lines: Sequence[str], x: float, y: float) -> str:
    """Lines of a label around a place, on a ground that hides what lies behind them."""
    width, height = longest(lines) * SMALL + 4, len(lines) * SMALL_LINE
    drawn = (
        f'<rect class="ground" x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}"/>'
    )
    for number, line in enumerate(lines):
        at = y + (number - (len(lines) - 1) / 2) * SMALL_LINE
        drawn += f'<text class="label" x="{x:.1f}" y="{at:.1f}">{escape(line)}</text>'
    return drawn


def node_size(node: Node, inner: Inner | None = None) -> Size:
    if inner is not None:
        width = max(len(line) for line in node.lines) * CHARACTER
        return Size(max(width, inner[1]) + 2 * MARGIN, inner[2] + len(node.lines) * LINE + 2 * MARGIN)
    width = max((len(line) for line in node.lines), default=0) * CHARACTER
    height = max(len(node.lines), 1) * LINE
    match node.shape:
        case "circle" | "double":
            across = max(hypot(width, height) + 6, 26.0) + (6 if node.shape == "double" else 0)
            return Size(across, across)
        case "bar":
            return Size(max(width + 10, 30.0), max(height + 2, 12.0))
        case _:
            return Size(width + 16, height + 8)


def draw_node(node: Node, x: float, y: float, size: Size, inner: Inner | None = None) -> str:
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
    top = y - (len(node.lines) - 1) * LINE / 2 if inner is None else y - size.along / 2 + 14
    for number, line in enumerate(node.lines):
        drawn += f'<text x="{x:.1f}" y="{top + number * LINE:.1f}">{escape(line)}</text>'
    if inner is not None:
        left, below = x - inner[1] / 2, y - size.along / 2 + len(node.lines) * LINE + MARGIN
        drawn += f'<g transform="translate({left:.1f},{below:.1f})">{inner[0]}</g>'
    if node.beside:
        at = x + size.across / 2 + 4 + len(node.beside) * SMALL / 2
        drawn += f'<text class="label" x="{at:.1f}" y="{y:.1f}">{escape(node.beside)}</text>'
    return f'<g data-key="{escape(node.key)}">{drawn}</g>' if node.key else drawn


def arrow_head(tip: tuple[float, float], before: tuple[float, float], tone: str) -> str:
    """The head of an arrow."""
    dx, dy = tip[0] - before[0], tip[1] - before[1]
    length = hypot(dx, dy) or 1
    dx, dy = dx / length, dy / length
    left = (tip[0] - 7 * dx - 3 * dy, tip[1] - 7 * dy + 3 * dx)
    right = (tip[0] - 7 * dx + 3 * dy, tip[1] - 7 * dy - 3 * dx)
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in (tip, left, right))
    return f'<polygon class="head{tone}" points="{points}"/>'
