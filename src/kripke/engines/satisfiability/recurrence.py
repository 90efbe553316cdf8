"""The recurrence diameter: how many steps a way can have on which no state comes twice.

Nothing new is reached after that many steps (Biere, Cimatti, Clarke, Zhu, TACAS 1999): it bounds the diameter.
"""

from __future__ import annotations

from kripke.engines.satisfiability.circuit import SOLVER, load_solver
from kripke.engines.satisfiability.unrolling import Unrolling
from kripke.engines.satisfiability.watching import Watching
from kripke.model.observer import Observer
from kripke.terms.system import TransitionSystem


class Recurrence:
    """Ways from the initial states; beside an observer: from any state, since loops begin anywhere."""

    def __init__(self, system: TransitionSystem, observer: Observer | None = None) -> None:
        self._solver = load_solver("bmc")(name=SOLVER)
        self._unrolling = Unrolling(system, self._solver)
        self._watching = None if observer is None else Watching(self._unrolling, observer)
        if self._watching is None:
            self._unrolling.begin()
        else:
            self._unrolling.begin_free()
            self._watching.begin_free()
        self._length = 0
        self._longest: int | None = None

    def longest(self, length: int) -> int | None:
        """The number of steps, where it is less than ``length``; None: some way has that many."""
        while self._longest is None and self._length < length:
            self._unrolling.step()
            if self._watching is not None:
                self._watching.step()
            self._length += 1
            for earlier in range(self._length):
                self._differ(earlier)
            if not self._solver.solve():
                self._longest = self._length - 1
        return self._longest

    def _differ(self, earlier: int) -> None:
        circuit = self._unrolling.circuit
        pairs = zip(self._bits(earlier), self._bits(self._length), strict=True)
        circuit.require(*(circuit.xor(a, b) for a, b in pairs))

    def _bits(self, moment: int) -> list[int]:
        if self._watching is not None:
            return self._watching.bits(moment)
        return self._unrolling.moments[moment].literals()

    def close(self) -> None:
        self._solver.delete()
