"""``Diagram``: a graph to be drawn, whatever it stands for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, runtime_checkable

Shape = Literal["circle", "double", "box", "bar"]
Direction = Literal["down", "right"]

MOST_NODES = 300


class Undrawable(Exception):
    """There is no picture of this model; the message says why."""


class TooLarge(Exception):
    """A graph that nobody could read; the message says what to do instead."""


@dataclass(frozen=True, slots=True)
class Node:
    """``lines`` stand in it, ``beside`` next to it. ``tone``: "start", "end", "bad" or nothing. ``key``: what
    ``Pictured.marks`` calls it. ``inside``: what is drawn in it, below its lines."""

    name: str
    lines: tuple[str, ...]
    shape: Shape = "box"
    tone: str = ""
    beside: str = ""
    key: str = ""
    inside: Diagram | None = None


@dataclass(frozen=True, slots=True)
class Arrow:
    """From one node to another; no ``source``: from nowhere, where something starts. Where its ends are really deeper
    inside of these nodes: their keys, and the label without their names."""

    source: str | None
    target: str
    label: str = ""
    tone: str = ""
    source_key: str = ""
    target_key: str = ""
    plain: str = ""


@dataclass(frozen=True, slots=True)
class Diagram:
    title: str
    nodes: Sequence[Node]
    arrows: Sequence[Arrow]
    direction: Direction = "down"
    notes: tuple[str, ...] = field(default=())

    @property
    def size(self) -> int:
        """How many nodes it has, those inside of others too."""
        return sum(1 + (node.inside.size if node.inside is not None else 0) for node in self.nodes)

    @property
    def depth(self) -> int:
        """How many nodes are inside of each other."""
        return 1 + max((node.inside.depth for node in self.nodes if node.inside is not None), default=0)

    def folded(self, levels: int | None = None, names: Collection[str] = ()) -> Diagram:
        """With what is deeper inside than so many levels left out, and what is inside of the nodes of these names."""
        nodes = []
        for node in self.nodes:
            if node.inside is not None and (levels == 1 or node.lines[0].partition(":")[0] in names):
                node = replace(node, inside=None, lines=(*node.lines, f"({node.inside.size} inside)"))
            elif node.inside is not None:
                node = replace(node, inside=node.inside.folded(None if levels is None else levels - 1, names))
            nodes.append(node)
        return replace(self, nodes=nodes)

    def names(self) -> set[str]:
        """Of the nodes that have something inside: what ``folded`` knows."""
        own = {node.lines[0].partition(":")[0] for node in self.nodes if node.inside is not None}
        return own.union(*(node.inside.names() for node in self.nodes if node.inside is not None))

    def refuse_large(self, instead: str) -> None:
        """TooLarge where there are more nodes than a person can look at."""
        if self.size > MOST_NODES:
            raise TooLarge(f"a picture of {self.size:,} nodes would be a hairball (at most {MOST_NODES}): {instead}")


def shortened(text: str, most: int = 48) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def statement_key(number: int) -> str:
    """What a picture calls a statement, so that a report can mark it where a run executes it."""
    return f"statement {number}"


@runtime_checkable
class Drawable(Protocol):
    """The capability: a model draws itself."""

    def diagrams(self) -> list[Diagram]:
        """Its parts as graphs; Undrawable where this one has none."""

    def marked_diagrams(self) -> list[Diagram]:
        """Those whose nodes have the keys that ``Pictured.marks`` speaks of."""
