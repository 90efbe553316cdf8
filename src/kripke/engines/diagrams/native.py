"""Kripke's own decision diagrams (native/symbolic/binary_diagrams.h): an order that stays, commands as single
relations, and sets of states closed by saturation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from kripke._native import BinaryDiagrams, BinaryFunction

Node = BinaryFunction

_COLLECT_AT = 1 << 22  # nodes beyond which garbage is collected, where there is memory for them
_NODE_BYTES = 150  # with its share of all tables, one of which grows while it is copied


class NativeManager:
    """As ``Manager``; variables for "now" and "after" of a bit lie side by side."""

    def __init__(self, names: Iterable[str], memory: int | None = None) -> None:
        self.names = list(names)
        self._level = {name: level for level, name in enumerate(self.names)}
        collect_at = _COLLECT_AT if memory is None else min(_COLLECT_AT, memory // _NODE_BYTES)
        self.diagrams = BinaryDiagrams(len(self.names), collect_at)
        self.true: Node = self.diagrams.true
        self.false: Node = ~self.true

    # --- the algebra --------------------------------------------------------------------------------------------------

    def var(self, name: str) -> Node:
        return self.diagrams.variable(self._level[name])

    def conj(self, a: Node, b: Node) -> Node:
        return a & b

    def disj(self, a: Node, b: Node) -> Node:
        return a | b

    def neg(self, a: Node) -> Node:
        return ~a

    def xor(self, a: Node, b: Node) -> Node:
        return a ^ b

    def ite(self, condition: Node, then: Node, otherwise: Node) -> Node:
        return self.diagrams.ite(condition, then, otherwise)

    # --- sets ---------------------------------------------------------------------------------------------------------

    def level(self, name: str) -> int:
        return self._level[name]

    def support(self, a: Node) -> set[str]:
        return {self.names[level] for level in a.support()}

    def and_exists(self, a: Node, b: Node, names: Collection[str]) -> Node:
        """The conjunction, whatever these variables are."""
        return self.diagrams.and_exists(a, b, [self._level[name] for name in names]) if names else a & b

    def exists(self, names: Collection[str], a: Node) -> Node:
        return self.and_exists(a, self.true, names) if names else a

    def renamed(self, a: Node, names: Mapping[str, str]) -> Node:
        if not names:
            return a
        pairs = [(self._level[old], self._level[new]) for old, new in names.items()]
        return self.diagrams.renamed(a, [old for old, _ in pairs], [new for _, new in pairs])

    def cube(self, values: Mapping[str, bool]) -> Node:
        result = self.true
        for name in sorted(values, key=self._level.__getitem__, reverse=True):
            result = result & (self.var(name) if values[name] else ~self.var(name))
        return result

    def one(self, a: Node, names: Sequence[str]) -> dict[str, bool]:
        """A solution, with a value for each of these variables."""
        found = {self.names[level]: value for level, value in a.solution()}
        return {name: found.get(name, False) for name in names}

    def count(self, a: Node, names: Sequence[str]) -> int:
        """How many solutions there are over these variables, exactly; no others may occur in the diagram."""
        return int.from_bytes(self.diagrams.count(a, sorted(self._level[name] for name in names)), "little")

    # --- commands -----------------------------------------------------------------------------------------------------

    def command(self, relation: Node, written: Collection[str]) -> int:
        """A command with its number: ``relation`` is over what it reads and, of what it writes, what comes after.
        ``written`` are variables for "now", each right above that for "after"."""
        changed = {self._level[name] for name in written}
        after = {level + 1 for level in changed}
        touched = sorted({level for level in relation.support() if level not in after} | changed)
        return self.diagrams.command(relation, [(level, level in changed) for level in touched])

    def after(self, start: Node, commands: Sequence[int]) -> Node:
        return self.diagrams.after(start, commands)

    def before(self, goal: Node, commands: Sequence[int]) -> Node:
        return self.diagrams.before(goal, commands)

    def arranged(self, commands: Sequence[int]) -> int:
        """In how many groups, by their top variable, the commands are applied."""
        return self.diagrams.arrange(commands)

    def closure(self, start: Node, group: int, most_nodes: int, tick: Callable[[], None]) -> Node:
        """Everything that is reached by the groups from this on. ``DiagramsTooLarge`` beyond so many nodes (0: any)."""
        return self.diagrams.closure(start, group, most_nodes, tick)

    # --- figures ------------------------------------------------------------------------------------------------------

    @property
    def nodes(self) -> int:
        return self.diagrams.nodes

    @property
    def peak_nodes(self) -> int:
        return self.diagrams.peak_nodes

    @property
    def bytes(self) -> int:
        return self.diagrams.bytes

    def watch_growth(self) -> None:
        """The order stays."""
