"""Properties of runs within a bound: a way that an observer accepts, and that comes back to where it was.

A. Biere, A. Cimatti, E. Clarke, Y. Zhu: Symbolic model checking without BDDs, TACAS 1999. The observer, an automaton of
the negated formula, goes along; so formulas about the past cost nothing more (A. Biere, K. Heljanko, T. Junttila, T.
Latvala, V. Schuppan: Linear encodings of bounded LTL model checking, LMCS 2006, compares such encodings).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from kripke.engines.apart import Report
from kripke.engines.encoded import Answer
from kripke.engines.explicit.search import Progress
from kripke.engines.observed import Pair, WrongRun, atoms_used, error_of
from kripke.engines.satisfiability.bounded import nothing_within
from kripke.engines.satisfiability.circuit import SOLVER, Literal, load_solver
from kripke.engines.satisfiability.recurrence import Recurrence
from kripke.engines.satisfiability.unrolling import Unrolling
from kripke.engines.satisfiability.watching import Watching, stuttering
from kripke.model.capabilities.encodable import Encoding
from kripke.model.model import Model
from kripke.model.observer import Observer


def lassos(
    model: Model, observer: Observer, encoding: Encoding, depth: int | None, complete: bool, report: Report
) -> Answer:
    """Runs of up to ``depth`` commands (None: of any number). ``complete``: until no longer ones need be looked at."""
    system = replace(encoding, system=stuttering(encoding.system, observer))
    with load_solver("bmc")(name=SOLVER) as solver:
        return _Search(model, observer, system, solver, report).answer(depth, complete)


class _Search:
    def __init__(self, model: Model, observer: Observer, encoding: Encoding, solver: Any, report: Report) -> None:
        self.model, self.observer, self.encoding, self.solver = model, observer, encoding, solver
        self.report, self.begin = report, perf_counter()
        self.unrolling = Unrolling(encoding.system, solver)
        self.circuit = self.unrolling.circuit
        self.watching = Watching(self.unrolling, observer)
        self.used = atoms_used(model, observer)

    def answer(self, depth: int | None, complete: bool) -> Answer:
        self.unrolling.begin()
        self.watching.begin()
        longest = _Longest(self.encoding, self.observer) if complete else None
        length = 0
        while depth is None or length <= depth:
            if length and not self.solver.solve():
                return Answer(depth=length - 1, facts={"bound": length - 1})  # no run is longer
            found = self._wrong(length) or self._loop(length)
            if found is not None:
                return found
            if longest is not None and longest.enough(length):
                return Answer(depth=length, facts={"bound": length, "completeness": "recurrence"})
            self.report(Progress(0, 0, length, self.solver.nof_clauses(), 0, perf_counter() - self.begin))
            self.unrolling.step()
            self.watching.step()
            length += 1
        assert depth is not None
        return nothing_within(depth, self.encoding.system)

    # --- what is wrong at once ----------------------------------------------------------------------------------------

    def _wrong(self, length: int) -> Answer | None:
        """Alarms, errors of the model, conditions that cannot be evaluated, the end of the encoding."""
        system, watching, circuit = self.encoding.system, self.watching, self.circuit
        now = self.unrolling.moments[-1]
        alarms = [watching.alarm(number) for number in range(len(self.observer.alarms))]
        along = watching.goes_along()
        breaches = [circuit.conj(now.truth(breach.condition), along) for breach in system.breaches]
        failed = [circuit.conj(watching.stable[-1], now.truth(system.failed_atoms[atom])) for atom in self.used]
        limits = [now.truth(limit.condition) for limit in system.limits]
        anything = [literal for literal in (*alarms, *breaches, *failed, *limits) if literal != circuit.false]
        if not anything:
            return None
        some = circuit.fresh()
        circuit.require(-some, *anything)
        if not self.solver.solve(assumptions=[some]):
            for literal in anything:
                circuit.require(-literal)
            return None
        model = {literal for literal in self.solver.get_model() if literal > 0}
        facts = {"bound": length}

        def first(literals: Sequence[Literal]) -> int | None:
            true = circuit.true
            return next((i for i, one in enumerate(literals) if (one > 0) == (abs(one) in model) or one == true), None)

        pairs = self._pairs(model)
        if (number := first(alarms)) is not None:
            return self._error(WrongRun(pairs, alarm=number), facts)
        if (number := first(breaches)) is not None:
            return self._error(WrongRun(pairs, breach=system.breaches[number]), facts)
        if (number := first(failed)) is not None:
            text = f"{self.model.atoms[self.used[number]]} cannot be evaluated in some state"
            return Answer(reason=text, facts=facts)
        number = first(limits)
        assert number is not None
        return Answer(reason=system.limits[number].text, facts={**facts, "limit": True})

    def _error(self, run: WrongRun, facts: dict[str, Any]) -> Answer:
        error = error_of(self.model, self.observer, self.encoding, run)
        return Answer(error=error, depth=len(error.path) - 1, facts=facts)

    def _pairs(self, model: set[int]) -> list[Pair]:
        moments = enumerate(self.unrolling.moments)
        return [(self.watching.state(number, model), self.unrolling.values(one, model)) for number, one in moments]

    # --- loops --------------------------------------------------------------------------------------------------------

    def _loop(self, length: int) -> Answer | None:
        """Is the last moment like an earlier one, and does the way between belong to every set?"""
        if not length:
            return None
        circuit, watching = self.circuit, self.watching
        wanted = circuit.fresh()
        last = watching.bits(length)
        starts: list[Literal] = []
        for earlier in range(length):
            start = circuit.fresh()
            starts.append(start)
            for a, b in zip(watching.bits(earlier), last, strict=True):
                circuit.require(-start, -a, b)
                circuit.require(-start, a, -b)
        circuit.require(-wanted, *starts)
        self.unrolling.at_most_one(starts)
        inside: list[Literal] = []
        for start in starts:
            inside.append(circuit.disj(inside[-1], start) if inside else start)
        plain = self.observer.sets
        for number in range(plain):
            circuit.require(-wanted, *(circuit.conj(i, m[number]) for i, m in zip(inside, watching.marks, strict=True)))
        circuit.require(-wanted, *(circuit.conj(i, s) for i, s in zip(inside, watching.stable, strict=False)))
        for number in range(len(self.observer.strong)):
            marks = [circuit.conj(i, m[plain + number]) for i, m in zip(inside, watching.marks, strict=True)]
            for moment, here in enumerate(inside):
                circuit.require(-wanted, -here, -watching.demands(moment)[number], *marks)
        if not self.solver.solve(assumptions=[wanted]):
            circuit.require(-wanted)
            return None
        model = {literal for literal in self.solver.get_model() if literal > 0}
        loop = next(number for number, start in enumerate(starts) if start in model)
        return self._error(WrongRun(self._pairs(model), loop=loop), {"bound": length})


class _Longest:
    """How long a lasso need be at most, as soon as that is known.

    Let no way without a repeated state have more than r steps. If there is an accepted run, there is one that goes to
    a component in r steps, there to a step of each of n sets in r + 1 steps each, to a stable state, and back in r.
    """

    def __init__(self, encoding: Encoding, observer: Observer) -> None:
        self._recurrence: Recurrence | None = Recurrence(encoding.system, observer)
        self._sets = observer.sets + 2 * len(observer.strong) + 1
        self._bound: int | None = None

    def enough(self, length: int) -> bool:
        if self._bound is None:
            assert self._recurrence is not None
            longest = self._recurrence.longest(length + 1)
            if longest is None:
                return False
            self._recurrence.close()
            self._bound = 2 * longest + self._sets * (longest + 1)
        return length >= self._bound
