"""What the engine asks of a package for decision diagrams."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from kripke.terms.bits import Algebra

#: a function of the package: it has ``&``, ``|``, ``~``, ``==`` and a length, its number of nodes
Node = Any


class Manager(Algebra[Node], Protocol):
    """An algebra of diagrams over variables with names, from the top down."""

    names: list[str]

    def var(self, name: str) -> Node: ...

    def level(self, name: str) -> int: ...

    def support(self, a: Node) -> set[str]: ...

    def and_exists(self, a: Node, b: Node, names: Collection[str]) -> Node:
        """The conjunction, whatever these variables are."""

    def exists(self, names: Collection[str], a: Node) -> Node: ...

    def renamed(self, a: Node, names: Mapping[str, str]) -> Node: ...

    def cube(self, values: Mapping[str, bool]) -> Node: ...

    def one(self, a: Node, names: Sequence[str]) -> dict[str, bool]:
        """A solution, with a value for each of these variables."""

    def count(self, a: Node, names: Sequence[str]) -> int:
        """How many solutions there are over these variables, exactly; no others may occur in the diagram."""

    @property
    def nodes(self) -> int: ...

    @property
    def peak_nodes(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    def watch_growth(self) -> None:
        """Let variables be reordered from now on, if diagrams have grown and the package can."""
