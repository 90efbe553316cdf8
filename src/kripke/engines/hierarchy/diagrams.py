"""Sets of values as multi-valued decision diagrams, and their images under what a transition does to them.

A node is about one variable, its level, and has a child for each value that occurs. Every set is about a list of
levels, and every path of it passes all of them: which levels these are, the control point knows. Nodes are made once,
so that equal sets are equal numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

EMPTY, UNIT = 0, 1

#: What becomes of a level: it stays, the relation says what becomes of its value (``relation``), it is forgotten
#: (``drop``), it is new with a start value (``create``), or both at once (``reset``).
What = Literal["copy", "relation", "drop", "create", "reset"]


class Step(NamedTuple):
    """``related``: the relation looks at the value of the level."""

    level: int
    what: What
    start: int = 0
    related: bool = False


#: A relation: entries of (old value, new value, rest); it has a node for each level it is about, in their order.
Relation = tuple[tuple[int, int, int], ...]


class Diagrams:
    def __init__(self) -> None:
        self.nodes: list[tuple[int, tuple[tuple[int, int], ...]]] = [(-1, ()), (-1, ())]
        self.relations: list[Relation] = [(), ()]
        self._made: dict[tuple[int, tuple[tuple[int, int], ...]], int] = {}
        self._related: dict[Relation, int] = {}
        self._unions: dict[tuple[int, int], int] = {}
        self._differences: dict[tuple[int, int], int] = {}
        self._counts: dict[int, int] = {EMPTY: 0, UNIT: 1}

    def make(self, level: int, entries: Iterator[tuple[int, int]] | Sequence[tuple[int, int]]) -> int:
        """Entries by ascending values."""
        kept = tuple((value, child) for value, child in entries if child != EMPTY)
        if not kept:
            return EMPTY
        key = (level, kept)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = len(self.nodes)
            self.nodes.append(key)
        return found

    def union(self, one: int, other: int) -> int:
        if one == other or other == EMPTY:
            return one
        if one == EMPTY:
            return other
        key = (one, other) if one < other else (other, one)
        found = self._unions.get(key)
        if found is None:
            level, mine = self.nodes[one]
            both = dict(mine)
            for value, child in self.nodes[other][1]:
                both[value] = self.union(both[value], child) if value in both else child
            found = self._unions[key] = self.make(level, sorted(both.items()))
        return found

    def subtract(self, one: int, other: int) -> int:
        if one in (other, EMPTY):
            return EMPTY
        if other == EMPTY:
            return one
        key = (one, other)
        found = self._differences.get(key)
        if found is None:
            level, mine = self.nodes[one]
            away = dict(self.nodes[other][1])
            entries = [(v, self.subtract(child, away[v]) if v in away else child) for v, child in mine]
            found = self._differences[key] = self.make(level, entries)
        return found

    def count(self, root: int) -> int:
        found = self._counts.get(root)
        if found is None:
            found = self._counts[root] = sum(self.count(child) for _, child in self.nodes[root][1])
        return found

    def size(self, roots: Sequence[int]) -> int:
        """How many nodes these sets have together."""
        seen, pending = {EMPTY, UNIT}, list(roots)
        while pending:
            root = pending.pop()
            if root not in seen:
                seen.add(root)
                pending += [child for _, child in self.nodes[root][1]]
        return len(seen) - 2

    def members(self, root: int) -> Iterator[tuple[int, ...]]:
        """The values of every member, in the order of the levels."""
        if root == UNIT:
            yield ()
        elif root != EMPTY:
            for value, child in self.nodes[root][1]:
                for rest in self.members(child):
                    yield (value, *rest)

    # --- relations ----------------------------------------------------------------------------------------------------

    def relation(self, rows: Sequence[Sequence[tuple[int, int]]]) -> int:
        """A relation from its rows: of each an (old, new) for every level it is about."""
        if not rows:
            return EMPTY
        if not rows[0]:
            return UNIT
        groups: dict[tuple[int, int], list[Sequence[tuple[int, int]]]] = {}
        for row in rows:
            groups.setdefault(row[0], []).append(row[1:])
        entries = tuple(
            (old, new, self.relation(rest)) for (old, new), rest in sorted(groups.items(), key=lambda item: item[0])
        )
        if entries not in self._related:
            self._related[entries] = len(self.relations)
            self.relations.append(entries)
        return self._related[entries]

    def image(
        self, root: int, relation: int, steps: Sequence[Step], memory: dict[tuple[int, int, int], int], at: int = 0
    ) -> int:
        """What becomes of a set: step by step along the levels. ``memory`` belongs to these steps."""
        if root == EMPTY or relation == EMPTY:
            return EMPTY
        if at == len(steps):
            return UNIT
        key = (root, relation, at)
        found = memory.get(key)
        if found is None:
            found = memory[key] = self._image(root, relation, steps, memory, at)
        return found

    def _image(
        self, root: int, relation: int, steps: Sequence[Step], memory: dict[tuple[int, int, int], int], at: int
    ) -> int:
        step, after = steps[at], at + 1
        if step.what == "create":
            return self.make(step.level, [(step.start, self.image(root, relation, steps, memory, after))])
        mine = self.nodes[root][1]
        if step.what == "copy" and not step.related:
            return self.make(step.level, [(v, self.image(c, relation, steps, memory, after)) for v, c in mine])
        become: dict[int, int] = {}
        if step.related:
            children = dict(mine)
            for old, new, rest in self.relations[relation]:
                if old in children:
                    reached = self.image(children[old], rest, steps, memory, after)
                    become[new] = self.union(become.get(new, EMPTY), reached)
        else:
            for value, child in mine:
                become[value] = self.image(child, relation, steps, memory, after)
        if step.what in ("drop", "reset"):
            whole = EMPTY
            for reached in become.values():
                whole = self.union(whole, reached)
            return whole if step.what == "drop" else self.make(step.level, [(step.start, whole)])
        return self.make(step.level, sorted(become.items()))
