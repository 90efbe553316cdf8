"""The tree of instances of a system of modes: every instance with the places of its values.

A state, unpacked, is a list of integers: the globals, then for every instance its position and its local variables. An
instance that is not there (neither active nor kept for a later entry) has zeros there, so that equal states are equal
lists. ``encode`` and ``decode`` make byte strings of them: **frames per level**, the globals first, then each instance
that is there from the outside in, and nothing of one that is not (section 3.1 of the paper, "Local Variables"). A frame
is position, locals, and for each instance inside that may be kept whether it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from kripke.hierarchy.modes import ABSENT, DEFAULT_ENTRY, Definition, ModeSystem
from kripke.model.source import ModelError

MOST_NODES = 20_000
_FIRST_WAY_BACK = -2


def way_back(number: int) -> int:
    """From the number of an instance to that of the way back into it, and the other way round; below that of rest."""
    return _FIRST_WAY_BACK - number


@dataclass(frozen=True, slots=True)
class Node:
    """An instance. ``places[number]`` is where the variable of that number in its scope is kept: a parameter that is a
    constant has a place behind those of all variables."""

    number: int
    name: str
    top: int
    definition: Definition
    definition_number: int
    parent: int
    instance: int
    position: int
    locals: range
    places: tuple[int, ...]
    children: tuple[int, ...]
    keeps: bool
    depth: int


class Tree:
    def __init__(self, system: ModeSystem) -> None:
        self.system = system
        self.nodes: list[Node] = []
        self.roots: list[int] = []
        self._next = len(system.globals)
        self._constants: dict[int, int] = {}
        for number, top in enumerate(system.tops):
            definition = system.definitions[top.definition]
            outer = range(len(system.globals))
            bound = tuple(self._bound(b.variable, b.constant, outer) for b in top.bindings)
            self.roots.append(self._add(top.name, number, top.definition, definition, -1, 0, bound, True, 0))
        #: values of states; constants follow
        self.size = self._next
        self.constants = tuple(self._constants)
        self.nodes = [self._settled(node) for node in self.nodes]
        self.longest = sum(v.type.width for v in system.globals) + sum(self._longest(root) for root in self.roots)

    def _bound(self, variable: int | None, constant: int, outer: Sequence[int]) -> int:
        """A place; that of a constant is told apart by being negative, until all places are known."""
        if variable is not None:
            return outer[variable]
        return -1 - self._constants.setdefault(constant, len(self._constants))

    def _settled(self, node: Node) -> Node:
        if all(place >= 0 for place in node.places):
            return node
        places = tuple(place if place >= 0 else self.size - 1 - place for place in node.places)
        return replace(node, places=places)

    def _add(
        self,
        name: str,
        top: int,
        definition_number: int,
        definition: Definition,
        parent: int,
        instance: int,
        bound: tuple[int, ...],
        keeps: bool,
        depth: int,
    ) -> int:
        if len(self.nodes) >= MOST_NODES:
            raise ModelError(
                f"the system has more than {MOST_NODES:,} instances of modes", self.system.tops[top].span
            )  # fmt: skip
        number = len(self.nodes)
        position = self._next
        own = range(position + 1, position + 1 + len(definition.locals))
        self._next = own.stop
        places = (*bound, *own)
        node = Node(
            number, name, top, definition, definition_number, parent, instance, position, own, places, (), keeps, depth
        )  # fmt: skip
        self.nodes.append(node)
        children = tuple(
            self._add(
                f"{name}.{inner.name}",
                top,
                inner.definition,
                self.system.definitions[inner.definition],
                number,
                index,
                tuple(self._bound(b.variable, b.constant, places) for b in inner.bindings),
                inner.keeps,
                depth + 1,
            )
            for index, inner in enumerate(definition.instances)
        )
        self.nodes[number] = replace(node, children=children)
        return number

    def _longest(self, number: int) -> int:
        node = self.nodes[number]
        kept = [child for child in node.children if self.nodes[child].keeps]
        others = [child for child in node.children if not self.nodes[child].keeps]
        own = (2 if node.definition.wide else 1) + sum(v.type.width for v in node.definition.locals) + len(kept)
        return own + sum(map(self._longest, kept)) + max(map(self._longest, others), default=0)

    def restored(self, number: int, position: Callable[[Node], int]) -> int:
        """Where control is when an instance that is there is entered at its border: in the innermost instance, or on
        its way back there (``way_back``) from the outermost one that overrides it."""
        node = self.nodes[number]
        while True:
            here = position(node)
            if node.definition.overriding and here != DEFAULT_ENTRY:
                return way_back(node.number)
            if here not in node.definition.inside:
                return node.number
            node = self.nodes[node.children[node.definition.inside.index(here)]]

    def stages(self, at: int, position: Callable[[Node], int]) -> Iterator[tuple[Node, Sequence[int]]]:
        """What may be enabled, group by group: transitions of an instance. A group counts if none before it has any
        enabled. On the way back, those that override it from the outside in; then from the inside out."""
        if at <= _FIRST_WAY_BACK:
            node = self.nodes[way_back(at)]
            while True:
                here = position(node)
                if here != DEFAULT_ENTRY:
                    yield node, node.definition.overriding
                if here not in node.definition.inside:
                    break
                node = self.nodes[node.children[node.definition.inside.index(here)]]
        else:
            node = self.nodes[at]
        yield node, node.definition.outgoing[position(node)]
        while node.parent >= 0:
            node = self.nodes[node.parent]
            yield node, node.definition.outgoing[position(node)]

    # --- states -------------------------------------------------------------------------------------------------------

    def start(self) -> list[int]:
        """Every top-level mode is still to run (the paper's bottom)."""
        return [*(v.start for v in self.system.globals), *[0] * (self.size - len(self.system.globals)), *self.constants]

    def frames(self, values: Sequence[int]) -> Iterator[Node]:
        """The instances that are there, from the outside in."""
        pending = [root for root in reversed(self.roots) if values[self.nodes[root].position] != ABSENT]
        while pending:
            node = self.nodes[pending.pop()]
            yield node
            pending += [child for child in reversed(node.children) if values[self.nodes[child].position] != ABSENT]

    def encode(self, values: Sequence[int]) -> bytes:
        return b"".join(self.cut(values))

    def cut(self, values: Sequence[int]) -> list[bytes]:
        """The frames of a state; a top-level mode that is not there is a frame of its own, a zero."""
        frames = [
            b"".join(
                (values[place] - variable.type.low).to_bytes(variable.type.width, "little")
                for place, variable in enumerate(self.system.globals)
            )
        ]
        for root in self.roots:
            self._cut(root, values, frames)
        return frames

    def _cut(self, number: int, values: Sequence[int], frames: list[bytes]) -> None:
        node = self.nodes[number]
        definition = node.definition
        if values[node.position] == ABSENT:
            frames.append(bytes(2 if definition.wide else 1))
            return
        parts = [values[node.position].to_bytes(2 if definition.wide else 1, "little")]
        for place, variable in zip(node.locals, definition.locals, strict=True):
            parts.append((values[place] - variable.type.low).to_bytes(variable.type.width, "little"))
        there = [child for child in node.children if values[self.nodes[child].position] != ABSENT]
        for child in node.children:
            if self.nodes[child].keeps:
                parts.append(b"\1" if child in there else b"\0")
        frames.append(b"".join(parts))
        for child in there:
            self._cut(child, values, frames)

    def decode(self, state: bytes) -> list[int]:
        values = self.start()
        at = 0
        for place, variable in enumerate(self.system.globals):
            values[place] = int.from_bytes(state[at : at + variable.type.width], "little") + variable.type.low
            at += variable.type.width
        for root in self.roots:
            at = self._decode(root, state, at, values)
        return values

    def _decode(self, number: int, state: bytes, at: int, values: list[int]) -> int:
        node = self.nodes[number]
        definition = node.definition
        width = 2 if definition.wide else 1
        position = int.from_bytes(state[at : at + width], "little")
        at += width
        values[node.position] = position
        if position == ABSENT:
            return at
        for place, variable in zip(node.locals, definition.locals, strict=True):
            values[place] = int.from_bytes(state[at : at + variable.type.width], "little") + variable.type.low
            at += variable.type.width
        there = []
        for index, child in enumerate(node.children):
            if self.nodes[child].keeps:
                if state[at]:
                    there.append(child)
                at += 1
            elif definition.inside[index] == position:
                there.append(child)
        for child in there:
            at = self._decode(child, state, at, values)
        return at
