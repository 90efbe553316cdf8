"""Decision diagrams of the package CUDD, through dd: for sets that grow too large in the order that they began with.

Why CUDD: of the packages that Python can install, it is the one that reorders variables by sifting.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any
from warnings import catch_warnings, simplefilter

Node = Any  # a function of dd.cudd

#: nodes from which on variables are reordered when diagrams grow
REORDER_FROM = 400_000


def is_there() -> bool:
    return find_spec("dd") is not None and find_spec("dd.cudd") is not None


class CuddManager:
    """A ``Manager`` that reorders its variables."""

    def __init__(self, names: Iterable[str]) -> None:
        from dd import cudd

        self._cudd = cudd
        self.bdd = cudd.BDD()
        self.bdd.configure(reordering=False)
        self.names = list(names)
        self.bdd.declare(*self.names)
        self.true: Node = self.bdd.true
        self.false: Node = self.bdd.false
        self._reorders = False

    # --- the algebra --------------------------------------------------------------------------------------------------

    def var(self, name: str) -> Node:
        return self.bdd.var(name)

    def conj(self, a: Node, b: Node) -> Node:
        return a & b

    def disj(self, a: Node, b: Node) -> Node:
        return a | b

    def neg(self, a: Node) -> Node:
        return ~a

    def xor(self, a: Node, b: Node) -> Node:
        return self.bdd.apply("xor", a, b)

    def ite(self, condition: Node, then: Node, otherwise: Node) -> Node:
        return self.bdd.ite(condition, then, otherwise)

    # --- sets ---------------------------------------------------------------------------------------------------------

    def level(self, name: str) -> int:
        return int(self.bdd.level_of_var(name))

    def support(self, a: Node) -> set[str]:
        return set(a.support)

    def and_exists(self, a: Node, b: Node, names: Collection[str]) -> Node:
        """The conjunction, whatever these variables are."""
        return self._cudd.and_exists(a, b, names) if names else a & b

    def exists(self, names: Collection[str], a: Node) -> Node:
        return self.bdd.exist(names, a) if names else a

    def renamed(self, a: Node, names: Mapping[str, str]) -> Node:
        return self.bdd.let(names, a) if names else a

    def cube(self, values: Mapping[str, bool]) -> Node:
        return self.bdd.cube(values)

    def one(self, a: Node, names: Sequence[str]) -> dict[str, bool]:
        """A solution, with a value for each of these variables."""
        found = self.bdd.pick(a)
        return {name: bool(found.get(name, False)) for name in names}

    @property
    def nodes(self) -> int:
        return len(self.bdd)

    @property
    def peak_nodes(self) -> int:
        return self.nodes

    @property
    def bytes(self) -> int:
        with catch_warnings():
            simplefilter("ignore")  # the package tells that the unit of this number has changed
            return int(self.bdd.statistics()["mem"])

    def watch_growth(self) -> None:
        """Let variables be reordered from now on, if diagrams have grown."""
        if not self._reorders and self.nodes > REORDER_FROM:
            self._reorders = True
            self.bdd.configure(reordering=True)

    # --- numbers ------------------------------------------------------------------------------------------------------

    def count(self, a: Node, names: Sequence[str]) -> int:
        """How many solutions there are over these variables, exactly; no others may occur in the diagram."""
        levels = {name: self.bdd.level_of_var(name) for name in names}
        order = {level: place for place, level in enumerate(sorted(levels.values()))}
        total = len(names)
        known: dict[int, int] = {}

        def below(node: Node) -> tuple[int, int]:
            """Solutions of the function below its own level, and its place."""
            if node == self.true:
                return 1, total
            if node == self.false:
                return 0, total
            place = order[node.level]
            found = known[int(~node if node.negated else node)]
            return ((1 << (total - place)) - found if node.negated else found), place

        stack = [(a, False)]
        while stack:
            node, ready = stack.pop()
            if node in (self.true, self.false):
                continue
            plain = ~node if node.negated else node
            key = int(plain)
            if key in known:
                continue
            if not ready:
                stack += [(plain, True), (plain.low, False), (plain.high, False)]
                continue
            place = order[plain.level]
            parts = [below(plain.low), below(plain.high)]
            known[key] = sum(found << (at - place - 1) for found, at in parts)
        found, place = below(a)
        return found << place
