"""Dead-variable reduction: a variable whose value will not be read again gets one value.

States that differ only in such values become one. SPIN resets to 0; the declared start value is often better
(Calder and Miller, "Using SPIN for feature interaction analysis", SPIN 2001, section 6), since a loop then comes
back to the state it started from. Resets to 0 are placed where SPIN 6 places them: after a condition or receive that
is the last to read a variable, and after an assignment or receive whose value is never read. SPIN never resets to the
start value, so there are no counts to keep: such resets are placed after every step that leaves a variable dead,
deterministic steps and the options not taken included.
"""

from __future__ import annotations

from kripke.process.expressions import Constant, Place
from kripke.process.flow import Graph, Kind, Node
from kripke.process.passes import DeadVariables
from kripke.process.program import Assign, Reset, Variable


def reset_dead_variables(graph: Graph, mode: DeadVariables) -> list[Variable]:
    """Append resets to the operations of the graph's nodes; what is reset, once for every place."""
    if mode == "off":
        return []
    done: list[Variable] = []
    live = live_variables(graph)
    resting = _live_at_rest(graph, live) if mode == "initial" else {}
    for node in graph:
        if node.in_step or node.kind is Kind.CHOICE:
            continue
        after: set[Variable] = set()
        for following in _exits(node):
            after |= live[id(following)]
        for variable in _resettable(node, resting.get(id(node), frozenset())):
            if variable not in after:
                # Of a reference, 0 would be a process.
                type_ = variable.components[0].type
                value = variable.initial[0] if mode == "initial" or variable.type_name == "ref" else type_.start
                if not _already(node, value):
                    place = Place(variable, type_)
                    node.operations.append(Reset(place, value))
                    done.append(variable)
    return done


def _exits(node: Node) -> list[Node]:
    """Where control goes after a statement: after all of a deterministic step."""
    if node.kind is not Kind.STEP:
        return node.flow
    return [following for inner in _inside(node) for following in inner.flow if not following.in_step]


def _inside(step: Node) -> list[Node]:
    """A deterministic step and the statements in it."""
    found = {id(step): step}
    waiting = [step]
    while waiting:
        for following in waiting.pop().flow:
            if following.in_step and id(following) not in found:
                found[id(following)] = following
                waiting.append(following)
    return list(found.values())


def _live_at_rest(graph: Graph, live: dict[int, frozenset[Variable]]) -> dict[int, frozenset[Variable]]:
    """For every statement (by id) what may be live where control rests before it, and what it touches."""
    choices: dict[int, list[Node]] = {}
    for choice in graph:
        if choice.kind is Kind.CHOICE and not choice.in_step:
            for option in choice.options:
                choices.setdefault(id(option), []).append(choice)
    found: dict[int, frozenset[Variable]] = {}
    for node in graph:
        if node.in_step or node.kind is Kind.CHOICE:
            continue
        touched = _inside(node) if node.kind is Kind.STEP else [node]
        before = live[id(node)].union(*(inner.reads | inner.writes for inner in touched))
        waiting, seen = list(choices.get(id(node), ())), set[int]()
        while waiting:
            choice = waiting.pop()
            if id(choice) not in seen:
                seen.add(id(choice))
                before |= live[id(choice)]
                waiting += choices.get(id(choice), ())
        found[id(node)] = before
    return found


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


def _resettable(node: Node, resting: frozenset[Variable]) -> list[Variable]:
    """What may be reset after this statement, in a fixed order; ``resting``: beside what SPIN resets."""
    candidates: set[Variable] = set(resting)
    if node.kind in (Kind.GUARD, Kind.RUN, Kind.RECEIVE):
        candidates |= node.reads
    if node.kind in (Kind.ASSIGN, Kind.RECEIVE):
        candidates |= node.writes
    return sorted(candidates, key=lambda variable: variable.name)


def _already(node: Node, value: int) -> bool:
    """Does the statement itself assign just that value?"""
    operation = node.operations[0] if node.operations else None
    return isinstance(operation, Assign) and operation.value == Constant(value)
