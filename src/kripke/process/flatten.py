"""From statement graphs to locations and edges.

A location is a node where control can rest: the entry, and every node that a step leads to. A choice gives its location
the edges of all its options, nested choices included, in order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kripke.process.expressions import Constant
from kripke.process.flow import Graph, Kind, Node, merged
from kripke.process.program import (
    Action,
    Choose,
    DeterministicStep,
    Edge,
    Else,
    Guard,
    Location,
    NoChoice,
    Operation,
    Receive,
    Reset,
    Skip,
    StepInstruction,
)

_MARKS = ("end", "progress", "accept")


@dataclass(slots=True)
class Flattened:
    """The locations of a process; ``index`` finds the one of a node (by id), for references to labels."""

    locations: tuple[Location, ...]
    entry: int
    index: dict[int, int]


def flatten(graph: Graph) -> Flattened:
    """Number the nodes where control can rest and give them their edges."""
    index: dict[int, int] = {}
    order: list[Node] = []

    def number(node: Node) -> int:
        if id(node) not in index:
            index[id(node)] = len(order)
            order.append(node)
        return index[id(node)]

    entry = number(graph.entry)
    edges: list[tuple[Edge, ...]] = []
    starts = _Starts()
    done = 0
    while done < len(order):
        edges.append(tuple(_edge(node, number, escape) for node, escape in starts.of(order[done])))
        done += 1
    marks = _marks(graph)
    locations = tuple(_location(node, out, marks[id(node)]) for node, out in zip(order, edges, strict=True))
    return Flattened(locations, entry, index)


def _location(node: Node, edges: tuple[Edge, ...], marks: set[str]) -> Location:
    end = node.kind is Kind.END or "end" in marks
    return Location(edges, tuple(node.labels), end, "progress" in marks, "accept" in marks, node.span, node.number)


def _marks(graph: Graph) -> dict[int, set[str]]:
    """What labels say about control at each node (by id).

    Control never rests at the start of an option, nor at a choice that starts one. A label there belongs, as in SPIN,
    to the state after the option's first statement.
    """
    marks = {id(node): {m for m in _MARKS if any(label.startswith(m) for label in node.labels)} for node in graph}
    choices = [node for node in graph if node.kind is Kind.CHOICE and not node.in_step]
    for inner in (option for choice in choices for option in choice.options if option.kind is Kind.CHOICE):
        for start in _options(inner):
            marks[id(start)] |= marks[id(inner)]
    for choice in choices:
        for start in _options(choice):
            target = start.merged_next or start.next
            if target is not None:
                marks[id(target)] |= marks[id(start)]
    return marks


def _options(node: Node) -> list[Node]:
    """The statements control can go on with, standing at a node."""
    found: list[Node] = []
    waiting = [node]
    entered: set[int] = set()
    while waiting:
        node = waiting.pop()
        if node.kind is not Kind.CHOICE:
            found.append(node)
        elif id(node) not in entered:
            entered.add(id(node))
            waiting.extend(reversed(node.options))
    return found


class _Starts:
    """The statements control can go on with at a node, those of escapes first, each with the number of its escape.

    The rules are SPIN's. Of nested escapes the outermost is tried first; inside one, its statements in reverse; none
    twice. Nodes are treated in the order of their numbers, and where an escape starts at a node treated before, the
    escapes found there for itself are taken for a part of it.
    """

    def __init__(self) -> None:
        self._found: dict[int, list[tuple[Node, int]]] = {}

    def of(self, node: Node) -> list[tuple[Node, int]]:
        if id(node) not in self._found:
            self._found[id(node)] = self._find(node)
        return self._found[id(node)]

    def _find(self, node: Node) -> list[tuple[Node, int]]:
        options = _options(node)
        found = [(option, 0) for option in options]
        for option in options:
            for escape in reversed(option.escapes):
                starts = self.of(escape) if escape.number < node.number else [(n, 0) for n in _options(escape)]
                for start, _ in starts:
                    if all(start is not known for known, _ in found):
                        found.insert(0, (start, escape.number))
        return found


def _edge(node: Node, number: Callable[[Node], int], escape: int) -> Edge:
    actions: list[Action] = []
    last, following = node, merged(node)
    for statement in (node, *following):
        if statement is node or statement.kind is not Kind.JUMP:
            actions.extend(Action(operation, statement.statement) for operation in _operations(statement))
        if statement is node and node.alone and (following or not _is_idle(node)):
            actions.append(Action(NoChoice(), node.statement))
        last = statement
    target = node.merged_next if node.merged_next is not None else node.next
    return Edge(tuple(actions), number(target) if target is not None else 0, last.keeps_control, escape)


def forbid_choice(graph: Graph) -> None:
    """Let every statement report where it is not the only one its process could run. As in SPIN, ``else`` is none, nor
    are jumps and statements that do nothing unless something is merged with them."""
    for node in graph:
        node.alone = node.kind not in (Kind.ELSE, Kind.STEP, Kind.CHOICE)


def _is_idle(node: Node) -> bool:
    return node.kind is Kind.JUMP or node.operations[:1] == [Guard(Constant(1))]


def _operations(node: Node) -> list[Operation]:
    if node.kind is not Kind.STEP:
        return node.operations or [Skip()]
    return _deterministic_step(node)


# --- deterministic steps ----------------------------------------------------------------------------------------------


def _deterministic_step(node: Node) -> list[Operation]:
    """The code of a d_step.

    What it starts with is an operation of its own where the other edges of the location matter: a receive may be a
    rendezvous, an ``else`` is enabled when they are not.
    """
    start = node.flow[0]
    resets = [operation for operation in node.operations if isinstance(operation, Reset)]
    first: list[Operation] = []
    if start.kind in (Kind.RECEIVE, Kind.ELSE) and isinstance(start.operations[0], Receive | Else):
        first.append(start.operations[0])
        if start.next is None or not start.next.in_step:
            return [*first, *resets]
        start = start.next
    code: list[StepInstruction | None] = []
    index: dict[int, int] = {}
    waiting: list[tuple[Node, int]] = []

    def place(target: Node | None) -> int:
        if target is None or not target.in_step:
            return -1
        if id(target) not in index:
            index[id(target)] = len(code)
            code.append(None)
            waiting.append((target, index[id(target)]))
        return index[id(target)]

    place(start)
    while waiting:
        statement, at = waiting.pop()
        if statement.kind is Kind.CHOICE:
            options = Choose(tuple(place(option) for option in statement.options))
            code[at] = StepInstruction(options, _options(statement)[0].statement, -1)
        else:
            operation = statement.operations[0] if statement.operations else Skip()
            code[at] = StepInstruction(operation, statement.statement, place(_after_jumps(statement.next)))
    step = DeterministicStep(tuple(instruction for instruction in code if instruction is not None))
    return [*first, step, *resets]


def _after_jumps(node: Node | None) -> Node | None:
    """Where control is when the jumps of a d_step that start at a node are done."""
    while node is not None and node.in_step and node.kind is Kind.JUMP:
        node = node.next
    return node
