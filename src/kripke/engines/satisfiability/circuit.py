"""A circuit in a SAT solver: an algebra of literals, each gate made once (Tseitin 1968)."""

from __future__ import annotations

from typing import Any

from kripke.engines.unsupported import Unsupported

Literal = int

SOLVER = "cadical153"


def load_solver(engine: str) -> Any:
    """The class of solvers; Unsupported where the package is not there."""
    try:
        from pysat.solvers import Solver
    except ImportError as error:
        raise Unsupported(
            f"--engine {engine} needs a SAT solver ({error}); install it with: pip install 'kripke[sat]'"
        ) from error
    return Solver


class Circuit:
    """An ``Algebra`` (``kripke.terms.bits``) whose truth values are literals of one incremental solver."""

    true: Literal = 1
    false: Literal = -1

    def __init__(self, solver: Any) -> None:
        self.solver = solver
        self.last = 1
        self._gates: dict[tuple[str, int, int], Literal] = {}
        solver.add_clause([1])

    def fresh(self) -> Literal:
        self.last += 1
        return self.last

    def require(self, *clause: Literal) -> None:
        if self.true not in clause:
            self.solver.add_clause([literal for literal in clause if literal != self.false])

    # --- the algebra --------------------------------------------------------------------------------------------------

    def neg(self, a: Literal) -> Literal:
        return -a

    def conj(self, a: Literal, b: Literal) -> Literal:
        if a == self.false or b == self.false or a == -b:
            return self.false
        if a == self.true or a == b:
            return b
        if b == self.true:
            return a
        key = ("and", min(a, b), max(a, b))
        known = self._gates.get(key)
        if known is None:
            known = self._gates[key] = self.fresh()
            self.solver.add_clause([-known, a])
            self.solver.add_clause([-known, b])
            self.solver.add_clause([known, -a, -b])
        return known

    def disj(self, a: Literal, b: Literal) -> Literal:
        return -self.conj(-a, -b)

    def xor(self, a: Literal, b: Literal) -> Literal:
        if abs(a) == 1:
            return b if a == self.false else -b
        if abs(b) == 1:
            return a if b == self.false else -a
        if abs(a) == abs(b):
            return self.false if a == b else self.true
        sign = 1 if (a > 0) == (b > 0) else -1
        key = ("xor", min(abs(a), abs(b)), max(abs(a), abs(b)))
        known = self._gates.get(key)
        if known is None:
            known = self._gates[key] = self.fresh()
            x, y = key[1], key[2]
            for clause in ([-known, x, y], [-known, -x, -y], [known, -x, y], [known, x, -y]):
                self.solver.add_clause(clause)
        return sign * known

    def ite(self, condition: Literal, then: Literal, otherwise: Literal) -> Literal:
        if condition == self.true or then == otherwise:
            return then
        if condition == self.false:
            return otherwise
        if then == -otherwise:
            return self.xor(condition, otherwise)
        return self.disj(self.conj(condition, then), self.conj(-condition, otherwise))
