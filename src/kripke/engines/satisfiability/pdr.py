"""Property-directed reachability: clauses that hold up to 1, 2, ... steps from the start, until two levels are equal.

A. Bradley: SAT-based model checking without unrolling, VMCAI 2011; N. Eén, A. Mishchenko, R. Brayton: Efficient
implementation of property directed reachability, FMCAD 2011. A state that leads to something wrong is lifted to all
states that lead there by the same command: what the solver does not need to know of it is left out (H. Chockler, A.
Ivrii, A. Matsliah, S. Moran, Z. Nevo, Incremental formal verification of hardware, FMCAD 2011).

INVARIANTS. Level i is a set of clauses that every state within i steps satisfies. Levels are nested: a clause of level
j holds on all levels up to j. No state of a level below the last is wrong.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from time import perf_counter
from typing import Any, NamedTuple

from kripke.engines.apart import Report
from kripke.engines.encoded import Answer
from kripke.engines.explicit.search import Progress
from kripke.engines.satisfiability.circuit import Literal, load_solver
from kripke.engines.satisfiability.coordinates import Coordinates
from kripke.engines.satisfiability.unrolling import Unrolling
from kripke.engines.satisfiability.wrong import Wrong

#: many small questions: one that begins quickly
SOLVER = "minisat22"

#: literals of coordinates, now: the set of all states in which they are true
Cube = frozenset[Literal]


class _Obligation(NamedTuple):
    """States that must not be reached within ``level`` steps: the command that ``inputs`` choose leads from each of
    them to those that follow; where none follow, something is wrong."""

    level: int
    number: int
    states: Cube
    inputs: list[Literal]
    following: _Obligation | None


def directed(wrong: Wrong, report: Report) -> Answer:
    with load_solver("pdr")(name=SOLVER) as solver, load_solver("pdr")(name=SOLVER) as starting:
        return _Search(wrong, report, solver, starting).answer()


class _Search:
    def __init__(self, wrong: Wrong, report: Report, solver: Any, starting: Any) -> None:
        self.wrong, self.report, self.begin = wrong, report, perf_counter()
        self.solver = solver
        self.unrolling = Unrolling(wrong.system, solver)
        self.unrolling.begin_free()
        self.now = self.unrolling.moments[0]
        for fact in wrong.facts:
            self.unrolling.circuit.require(self.now.truth(fact))
        self.bad = self.now.truth(wrong.term)
        self.circuit = self.unrolling.circuit
        # A state in which something is wrong may have no step: there none is asked for.
        self.stepping = self.circuit.fresh()
        later = self.unrolling.after(self.now, self.stepping)
        self.taken = self.unrolling.taken
        self._bits = list(zip(self.now.literals(), later.literals(), strict=True))
        self.start = Unrolling(wrong.system, starting)
        self.start.begin()
        coordinates = Coordinates(wrong.system.variables)
        self._texts = coordinates.texts
        moments = (self.now, later, self.start.moments[0])
        self._coordinates, afterwards, at_start = (coordinates.of(moment) for moment in moments)
        self._single = coordinates.single
        self._later_of, self._start_of = (_both(self._coordinates, other) for other in (afterwards, at_start))
        self.starting = starting
        self.levels: list[set[Cube]] = [set()]
        self.active: list[Literal] = [self.circuit.fresh()]
        # Level 0 are the initial states.
        self.circuit.require(-self.active[0], self.now.truth(wrong.system.initial))
        self._number = count()

    # --- the search ---------------------------------------------------------------------------------------------------

    def answer(self) -> Answer:
        bad = self.start.moments[0].truth(self.wrong.term)
        if self.starting.solve(assumptions=[bad]):
            model = {one for one in self.starting.get_model() if one > 0}
            return self.wrong.answer([self.start.values(self.start.moments[0], model)], Answer(facts=self._facts()))
        while True:
            self._add_level()
            last = len(self.levels) - 1
            while (states := self._wrong_states(last)) is not None:
                path = self._block(states, last)
                if path is not None:
                    return self.wrong.answer(path, Answer(facts=self._facts()))
            self.report(Progress(0, 0, last, sum(map(len, self.levels)), 0, perf_counter() - self.begin))
            if self._push():
                return Answer(depth=last, facts={**self._facts(), "invariant": self._invariant()})

    def _invariant(self) -> list[str]:
        """The clauses of the two levels that are equal, in SMT-LIB over v0, v1, ..."""
        empty = next(level for level in range(1, len(self.levels)) if not self.levels[level])
        names = dict(zip(self._coordinates, self._texts, strict=True))
        found = []
        for cube in (cube for level in self.levels[empty:] for cube in sorted(level, key=sorted)):
            parts = [names[one] if one > 0 else f"(not {names[-one]})" for one in sorted(cube, key=abs)]
            found.append(f"(not (and {' '.join(parts)}))")
        return found

    def _facts(self) -> dict[str, int]:
        return {"levels": len(self.levels) - 1, "clauses": sum(map(len, self.levels))}

    def _add_level(self) -> None:
        self.levels.append(set())
        self.active.append(self.circuit.fresh())

    def _wrong_states(self, level: int) -> Cube | None:
        """Of the level, a state in which something is wrong, and others like it."""
        model = self._solved([*self.active[level:], self.bad])
        return None if model is None else self._lifted(self._state(model), [], -self.bad)

    def _solved(self, assumptions: list[Literal]) -> list[Literal] | None:
        """A solution: of every variable of the solver the literal that is true."""
        return list(self.solver.get_model()) if self.solver.solve(assumptions=assumptions) else None

    def _state(self, model: list[Literal]) -> list[Literal]:
        """The coordinates of the state now, in a solution."""
        values = ((model[one - 1], single) for one, single in zip(self._coordinates, self._single, strict=True))
        return [literal for literal, single in values if literal > 0 or not single]

    def _lifted(self, state: list[Literal], inputs: list[Literal], otherwise: Literal) -> Cube:
        """The part of a state that is enough for what it leads to: it cannot be ``otherwise``."""
        unsolved = self.solver.solve(assumptions=[otherwise, *inputs, *state])
        assert not unsolved, "a command leads to one state"
        core = set(self.solver.get_core() or ())
        return frozenset(literal for literal in state if literal in core)

    def _block(self, states: Cube, level: int) -> list[tuple[int, ...]] | None:
        """Show that states are not reached within so many steps; a path to something wrong where one is."""
        waiting = [_Obligation(level, next(self._number), states, [], None)]
        while waiting:
            one = heappop(waiting)
            if self._may_start(one.states):
                return self._path(one)
            if one.level == 0 or self._blocked(one.states, one.level):
                continue
            model, core = self._leading(one.states, one.level)
            if model is not None:
                before, inputs = self._before(one.states, model)
                heappush(waiting, one)
                heappush(waiting, _Obligation(one.level - 1, next(self._number), before, inputs, one))
                continue
            cube, level_of = self._generalised(core, one.level), one.level
            while level_of < len(self.levels) - 1 and self._leading(cube, level_of + 1)[0] is None:
                level_of += 1
            self._learn(cube, level_of)
            if level_of < len(self.levels) - 1:
                heappush(waiting, one._replace(level=level_of + 1, number=next(self._number)))
        return None

    def _blocked(self, state: Cube, level: int) -> bool:
        return any(cube <= state for known in self.levels[level:] for cube in known)

    def _leading(self, cube: Cube, level: int) -> tuple[list[Literal] | None, Cube]:
        """A solution in which a state of the level before, other than these, leads to one of these. Without one: the
        part of the cube for which there is none either."""
        apart = self.circuit.fresh()
        self.circuit.require(-apart, *(-literal for literal in cube))
        targets = {self._later_of[literal]: literal for literal in cube}
        model = self._solved([apart, self.stepping, *self.active[level - 1 :], *targets])
        if model is None:
            core = set(self.solver.get_core() or ())
            needed = frozenset(literal for target, literal in targets.items() if target in core)
            cube = self._apart_from_start(needed, cube)
        self.circuit.require(-apart)
        return model, cube

    def _before(self, cube: Cube, model: list[Literal]) -> tuple[Cube, list[Literal]]:
        """The states that lead to these as the one of the solution does, and how."""
        elsewhere = self.circuit.fresh()
        selected, guard, choices = next(one for one in self.taken if model[one[0] - 1] > 0)
        inputs = [selected, *(model[bit - 1] for bit in choices)]
        self.circuit.require(-elsewhere, -guard, *(-self._later_of[literal] for literal in cube))
        found = self._lifted(self._state(model), inputs, elsewhere)
        self.circuit.require(-elsewhere)
        return found, inputs

    def _may_start(self, cube: Cube) -> bool:
        return bool(self.starting.solve(assumptions=[self._start_of[literal] for literal in cube]))

    def _apart_from_start(self, cube: Cube, whole: Cube) -> Cube:
        """With as many literals of the whole again as keep the initial states out."""
        for literal in sorted(whole - cube, key=abs):
            if not self._may_start(cube):
                break
            cube = cube | {literal}
        return cube

    def _generalised(self, cube: Cube, level: int) -> Cube:
        """Leave out literals as long as no state of the level before leads to what is left."""
        for literal in sorted(cube, key=abs):
            if literal not in cube or len(cube) == 1:
                continue
            smaller = cube - {literal}
            if self._may_start(smaller):
                continue
            model, core = self._leading(smaller, level)
            if model is None:
                cube = core
        return cube

    def _learn(self, cube: Cube, level: int) -> None:
        for known in self.levels[1 : level + 1]:
            known -= {other for other in known if cube <= other}
        self.levels[level].add(cube)
        self.circuit.require(-self.active[level], *(-literal for literal in cube))

    def _push(self) -> bool:
        """Clauses to the next level, where they hold there, too. Is a level empty then: are two equal?"""
        for level in range(1, len(self.levels) - 1):
            for cube in sorted(self.levels[level], key=sorted):
                if cube in self.levels[level] and self._leading(cube, level + 1)[0] is None:
                    self.levels[level].discard(cube)
                    self._learn(cube, level + 1)
            if not self.levels[level]:
                return True
        return False

    def _path(self, start: _Obligation) -> list[tuple[int, ...]]:
        """From an initial state among these along the commands that were found."""
        self._may_start(start.states)
        model = {literal for literal in self.starting.get_model() if literal > 0}
        first = zip((bit for bit, _ in self._bits), self.start.moments[0].literals(), strict=True)
        state = [now if begin in model or begin == self.circuit.true else -now for now, begin in first]
        path = [self.unrolling.values(self.now, set(state))]
        one = start
        while one.following is not None:
            found = self._solved([self.stepping, *one.inputs, *state])
            assert found is not None, "the command can be taken"
            state = [now if found[abs(then) - 1] * then > 0 else -now for now, then in self._bits]
            path.append(self.unrolling.values(self.now, set(state)))
            one = one.following
        return path


def _both(coordinates: list[Literal], others: list[Literal]) -> dict[Literal, Literal]:
    """Each literal of a coordinate to that of another moment."""
    found = dict(zip(coordinates, others, strict=True))
    return found | {-literal: -other for literal, other in found.items()}
