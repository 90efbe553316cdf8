"""Statement merging: statements that other processes cannot see run in the step of the statement before them.

Holzmann, "The engineering of a model checker: the Gnu i-protocol case study revisited" (SPIN 1999). A chain of
statements that cannot block and touch only what belongs to the process (inside an atomic sequence: touch anything)
becomes one step. A condition, receive or buffered send can start such a chain.
The rules are those of SPIN 6, since they decide what counts as a state.
"""

from __future__ import annotations

from kripke.process.flow import Graph, Kind, Node

_NEVER_BLOCKS = {Kind.ASSIGN, Kind.PRINT, Kind.ASSERT, Kind.JUMP}


def merge_statements(graph: Graph, rendezvous: bool) -> None:
    """Fill in ``merged_next``. ``rendezvous``: the program has channels without buffer."""
    ends: dict[int, Node] = {}
    for node in graph:
        if _mergeable(node):
            _find_end(node, ends)
    in_chain = {id(node) for node in graph if _mergeable(node) and _mergeable(node.flow[0])}
    in_chain |= {id(node.flow[0]) for node in graph if id(node) in in_chain}
    for node in graph:
        if node.in_step:
            continue
        if id(node) in in_chain:
            node.merged_next = ends[id(node)]
        elif _can_start(node, rendezvous) and _mergeable(node.flow[0]):
            node.merged_next = ends[id(node.flow[0])]


def _alone(node: Node) -> bool:
    """One way on, and nobody looks at it or could interfere."""
    seen = node.observed or node.escaped
    return len(node.flow) == 1 and not seen and (node.in_atomic or not node.shared)


def _mergeable(node: Node) -> bool:
    return node.kind in _NEVER_BLOCKS and not node.labelled and _alone(node)


def _can_start(node: Node, rendezvous: bool) -> bool:
    # A rendezvous send gives control away, so nothing may follow it in its step; which channels a send may meet is not
    # known, hence any rendezvous channel in the program rules sends out.
    blocking = node.kind in (Kind.GUARD, Kind.RECEIVE) or (node.kind is Kind.SEND and not rendezvous)
    return blocking and _alone(node)


def _find_end(node: Node, ends: dict[int, Node]) -> None:
    """Note where control is after the longest chain that starts with this mergeable node."""
    path: list[Node] = []
    on_path: set[int] = set()
    while _mergeable(node) and id(node) not in ends and id(node) not in on_path:
        path.append(node)
        on_path.add(id(node))
        node = node.flow[0]
    end = ends.get(id(node), node)
    for member in path:
        ends[id(member)] = end
