"""How much of the states is shared, by frames (section 3.1 of the paper, "State Sharing").

A state has a frame for the globals and one for every instance that is there. Counted are all of them, those that are
allocated where a step copies the global frame and the stack of the mode that moved and shares the rest with the state
it came from (the paper's rule), and the distinct ones (each stored once, which ``--store collapse`` does).
"""

from __future__ import annotations

from typing import NamedTuple

from kripke.hierarchy.mode_model import ModeModel


class FrameCounts(NamedTuple):
    states: int
    frames: int
    allocated: int
    distinct: int


def count_frames(model: ModeModel, most_states: int = 1_000_000) -> FrameCounts:
    """Of all reachable states; MemoryError where there are more than ``most_states``."""
    tree = model.tree
    frames = allocated = 0
    distinct: set[tuple[int, bytes]] = set()
    visited = set(model.initial())
    pending = list(visited)
    for state in pending:
        new = list(tree.frames(tree.decode(state)))
        frames += 1 + len(new)
        allocated += 1 + len(new)

    def store(state: bytes) -> None:
        values = tree.decode(state)
        cut = tree.cut(values)
        distinct.add((-1, cut[0]))
        there = iter(tree.frames(values))
        for frame in cut[1:]:
            if any(frame):  # not that of a mode that is not there yet
                distinct.add((next(there).definition_number, frame))

    for state in pending:
        store(state)
    while pending:
        state = pending.pop()
        for step in model.successors(state):
            if step.target is None or step.target in visited:
                continue
            if len(visited) >= most_states:
                raise MemoryError
            visited.add(step.target)
            pending.append(step.target)
            store(step.target)
            there = list(tree.frames(tree.decode(step.target)))
            frames += 1 + len(there)
            allocated += 1 + sum(node.top == step.parts[0].actor for node in there)
    return FrameCounts(len(visited), frames, allocated, len(distinct))
