"""What instrumented code calls: hooks in C, which go to their twins in ``hooks`` and ``foreign`` wherever there is more
to do than they know (``native/bindings/watching_binding.cpp``)."""

from __future__ import annotations

from kripke._native import hooks as fast
from kripke.testing import foreign, hooks, primitives
from kripke.testing.operation import ACCESS, CHOOSE
from kripke.testing.places import ATOMS, CONSTANT, CONTAINERS, SHAPE
from kripke.testing.race_analysis import Step
from kripke.testing.run import MOST_TURNS
from kripke.testing.surroundings import INSTEAD, REAL_LOCKS

__all__ = ["fast"]

fast.prepare(
    {
        "quiet": CONSTANT | CONTAINERS,
        "atoms": ATOMS,
        "locks": REAL_LOCKS,
        "instead": [*INSTEAD, *hooks.REPLACED_FUNCTIONS],
        "written_names": hooks.written_names,
        "skipped_names": hooks.skipped_names,
        "names_of_classes": hooks.names_of_classes,
        "looked_for_in_objects": hooks.looked_for_in_objects,
        "instrumented": hooks.instrumented,
        "shape": SHAPE,
        "step": Step,
        "access": ACCESS,
        "choose": CHOOSE,
        "globals": globals,
        "home": primitives.home_thread,
        "most_turns": MOST_TURNS,
    },
    {
        "read_attribute": hooks.read_attribute,
        "write_attribute": hooks.write_attribute,
        "loaded": hooks.loaded,
        "callee": hooks.callee,
        "operate": hooks.operate,
        "look_whether": hooks.look_whether,
        "calls": foreign.calls,
        "entered": hooks.entered,
        "left": hooks.left,
        "count": hooks.count,
        "turn": hooks.turn,
        "method": hooks.method,
        "read_global": hooks.read_global,
        "write_global": hooks.write_global,
        "read_cell": hooks.read_cell,
        "write_cell": hooks.write_cell,
    },
)
