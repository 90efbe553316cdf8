"""Property-directed reachability: clauses that hold up to 1, 2, ... steps from the start, until two levels are equal.

The search is native (``native/satisfiability/directed.h``). Here the model becomes clauses, and what the search says
is looked at by others: a path becomes states, which the interpreter replays; clauses are shown to be inductive once
more, by another solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from time import perf_counter

from kripke._native import Directed
from kripke.engines.apart import Report
from kripke.engines.encoded import Answer
from kripke.engines.explicit.search import Progress
from kripke.engines.satisfiability.circuit import SOLVER, Circuit, Literal, load_solver
from kripke.engines.satisfiability.coordinates import Coordinates
from kripke.engines.satisfiability.unrolling import Moment, Unrolling
from kripke.engines.satisfiability.wrong import Wrong
from kripke.engines.unsupported import Unsupported


def directed(wrong: Wrong, report: Report) -> Answer:
    begin = perf_counter()
    relation = _Relation(wrong)
    search = relation.search()

    def tell(levels: int, clauses: int) -> None:
        report(Progress(0, 0, levels, clauses, 0, perf_counter() - begin))

    holds = search.holds(tell)
    levels, clauses, questions = search.progress
    facts = {"levels": levels, "clauses": clauses, "questions": questions}
    if not holds:
        return wrong.answer(relation.states(search.path), Answer(facts=facts))
    if not relation.inductive(search.excluded):
        raise RuntimeError("pdr: the clauses that were found are not inductive")
    return Answer(depth=levels, facts={**facts, "invariant": relation.texts(search.excluded)})


class _Clauses:
    """Takes what a solver would be given."""

    def __init__(self) -> None:
        self.clauses: list[int] = []

    def add_clause(self, clause: Sequence[Literal]) -> None:
        self.clauses.extend(clause)
        self.clauses.append(0)


class _Relation:
    """A step from any state that is within what is known, in clauses."""

    def __init__(self, wrong: Wrong) -> None:
        self.wrong = wrong
        self.written = _Clauses()
        unrolling = self.unrolling = Unrolling(wrong.system, self.written)
        unrolling.begin_free()
        self.now: Moment = unrolling.moments[0]
        circuit: Circuit = unrolling.circuit
        for fact in wrong.facts:
            circuit.require(self.now.truth(fact))
        self.bad = self.now.truth(wrong.term)
        # A state in which something is wrong may have no step: there none is asked for.
        self.stepping = circuit.fresh()
        self.later = unrolling.after(self.now, self.stepping)
        self.start = circuit.fresh()
        circuit.require(-self.start, self.now.truth(wrong.system.initial))
        self.coordinates = Coordinates(wrong.system.variables)
        self.here, self.there = self.coordinates.of(self.now), self.coordinates.of(self.later)

    def search(self, *, written_down: bool = False) -> Directed:
        return Directed(
            self.unrolling.circuit.last,
            self.written.clauses,
            (self.here, self.there),
            list(zip(self.coordinates.groups, self.coordinates.single, strict=True)),
            (self.now.literals(), self.later.literals()),
            self.unrolling.taken,
            (self.start, self.bad, self.stepping),
            written_down,
        )

    def states(self, path: Sequence[Sequence[bool]]) -> list[tuple[int, ...]]:
        bits = self.now.literals()
        return [
            self.unrolling.values(self.now, {bit for bit, value in zip(bits, state, strict=True) if value})
            for state in path
        ]

    def inductive(self, cubes: Sequence[Sequence[int]]) -> bool:
        """Are the cubes not reached, by what another solver says? Without one: by what was found."""
        with suppress(Unsupported), load_solver("pdr")(name=SOLVER) as solver:
            clause: list[int] = []
            for literal in self.written.clauses:
                if literal:
                    clause.append(literal)
                else:
                    solver.add_clause(clause)
                    clause = []
            circuit, excluded = self.unrolling.circuit, []
            holding = circuit.fresh()
            for cube in cubes:
                solver.add_clause([-holding, *(-literal for literal in _literals(self.here, cube))])
                excluded.append(circuit.fresh())
                for literal in _literals(self.there, cube):
                    solver.add_clause([-excluded[-1], literal])
            left = circuit.fresh()
            solver.add_clause([-left, *excluded])
            if solver.solve(assumptions=[holding, self.bad]) or solver.solve(
                assumptions=[holding, self.stepping, left]
            ):
                return False
            return not any(solver.solve(assumptions=[self.start, *_literals(self.here, cube)]) for cube in cubes)
        return True

    def texts(self, cubes: Sequence[Sequence[int]]) -> list[str]:
        """That no state is in a cube, in SMT-LIB over v0, v1, ..."""
        texts = self.coordinates.texts
        parts = [[f"(not {texts[one // 2]})" if one & 1 else texts[one // 2] for one in cube] for cube in cubes]
        return [f"(not (and {' '.join(part)}))" for part in parts]


def _literals(coordinates: Sequence[Literal], cube: Sequence[int]) -> list[Literal]:
    return [-coordinates[one // 2] if one & 1 else coordinates[one // 2] for one in cube]
