"""Dead-variable reduction: a variable whose value will not be read again gets one value.

States that differ only in such values become one. SPIN resets to 0; the declared start value is often better
(Calder and Miller, "Using SPIN for feature interaction analysis", SPIN 2001, section 6), since a loop then comes
back to the state it started from. The resets are placed where SPIN 6 places them: after a condition or receive that
is the last to read a variable, and after an assignment or receive whose value is never read.
"""

from __future__ import annotations

from kripke.process.expressions import Constant, Place
from kripke.process.flow import Graph, Kind, Node
from kripke.process.passes import DeadVariables
from kripke.process.program import Assign, Reset, Variable


def reset_dead_variables(graph: Graph, mode: DeadVariables) -> None:
    """Append resets to the operations of the graph's nodes."""
    if mode == "off":
        return
    live = live_variables(graph)
    for node in graph:
        if node.in_step:
            continue
        after: set[Variable] = set()
        for following in node.flow:
            after |= live[id(following)]
        for variable in _resettable(node):
            if variable not in after:
                # Of a reference, 0 would be a process.
                value = variable.initial[0] if mode == "initial" or variable.type_name == "ref" else 0
                if not _already(node, value):
                    place = Place(variable, variable.components[0].type)
                    node.operations.append(Reset(place, value))


def live_variables(graph: Graph) -> dict[int, frozenset[Variable]]:
    """For every node (by id) the variables that some run from it reads before it writes them."""
    predecessors: dict[int, list[Node]] = {id(node): [] for node in graph}
    for node in graph:
        for following in (*node.flow, *node.escape_flow):
            predecessors[id(following)].append(node)
    live: dict[int, frozenset[Variable]] = {id(node): node.reads for node in graph}
    waiting = list(graph.nodes)
    queued = {id(node) for node in waiting}
    while waiting:
        node = waiting.pop()
        queued.discard(id(node))
        after: frozenset[Variable] = frozenset().union(*(live[id(following)] for following in node.flow))
        new = node.reads | (after - node.writes)
        if node.escape_flow:
            new = new.union(*(live[id(escape)] for escape in node.escape_flow))
        if new != live[id(node)]:
            live[id(node)] = new
            for before in predecessors[id(node)]:
                if id(before) not in queued:
                    queued.add(id(before))
                    waiting.append(before)
    return live


def _resettable(node: Node) -> list[Variable]:
    """What may be reset after this statement, in a fixed order."""
    candidates: set[Variable] = set()
    if node.kind in (Kind.GUARD, Kind.RUN, Kind.RECEIVE):
        candidates |= node.reads
    if node.kind in (Kind.ASSIGN, Kind.RECEIVE):
        candidates |= node.writes
    return sorted(candidates, key=lambda variable: variable.name)


def _already(node: Node, value: int) -> bool:
    """Does the statement itself assign just that value?"""
    operation = node.operations[0]
    return isinstance(operation, Assign) and operation.value == Constant(value)
