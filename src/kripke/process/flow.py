"""The statement graph of a process: what the passes work on before it becomes locations and edges.

A language front end builds one graph per process type. Every node is a statement where control can stand; a *choice*
stands for several statements (the options of a selection, the entry of a block). ``flow`` is the control flow for
analyses, ``next`` where control goes after the statement has run. Both lead over jumps that take no step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from kripke.model.source import Span
from kripke.process.program import Operation, Variable


class Kind(Enum):
    """What a statement is to the passes."""

    ASSIGN = "assign"
    PRINT = "print"
    ASSERT = "assert"
    JUMP = "jump"
    GUARD = "guard"
    RUN = "run"
    RECEIVE = "receive"
    SEND = "send"
    ELSE = "else"
    END = "end"
    STEP = "deterministic step"
    CODE = "C code"
    CHOICE = "choice"
    OTHER = "other"


@dataclass(slots=True, eq=False)
class Node:
    """A statement of the graph.

    ``operations`` run in turn when it is executed; passes may append. ``keeps_control``: the process goes on atomically
    afterwards. ``in_atomic``: part of an atomic sequence, its last statement included. ``in_step``: inside a
    deterministic step, where it is not a location of its own. ``shared``: touches what other processes can touch.
    ``observed``: something outside asks whether control is here. ``escapes``: where control can go instead of executing
    it, the outermost escape first; ``number`` orders the nodes of a process (a node's escapes may have smaller ones).
    """

    kind: Kind
    operations: list[Operation] = field(default_factory=list)
    statement: int = 0
    span: Span | None = None
    labels: list[str] = field(default_factory=list)
    labelled: bool = False
    observed: bool = False
    shared: bool = False
    in_atomic: bool = False
    in_step: bool = False
    keeps_control: bool = False
    options: list[Node] = field(default_factory=list)
    flow: list[Node] = field(default_factory=list)
    next: Node | None = None
    reads: frozenset[Variable] = frozenset()
    writes: frozenset[Variable] = frozenset()
    #: statements up to this one run in the same step (see ``merged``), by the pass that merges statements
    merged_next: Node | None = None
    number: int = 0
    #: where an escape starts, for execution and for analyses
    escapes: list[Node] = field(default_factory=list)
    escape_flow: list[Node] = field(default_factory=list)
    escaped: bool = False
    #: nothing else may be enabled where this runs
    alone: bool = False


def merged(node: Node) -> list[Node]:
    """The statements that run in the same step after this one."""
    found: list[Node] = []
    if node.merged_next is not None:
        following = node.flow[0]
        while following is not node.merged_next:
            found.append(following)
            following = following.flow[0]
    return found


@dataclass(slots=True)
class Graph:
    """The nodes of one process type, and where it starts."""

    nodes: list[Node]
    entry: Node

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)
