"""The diameter: how many commands it takes at most to a state, by the shortest way from an initial one."""

from __future__ import annotations

from kripke.engines.diagrams.space import Space
from kripke.terms.system import TransitionSystem


def diameter(system: TransitionSystem) -> int:
    """Counted in commands: the statements inside of an atomic sequence one by one."""
    space = Space(system)
    known = ring = space.initial
    length = -1
    while ring != space.manager.false:
        ring = space.after(ring) & ~known
        known |= ring
        length += 1
        space.manager.watch_growth()
    return max(length, 0)
