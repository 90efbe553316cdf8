"""What lemmas are worth: each inductive alone, relative to others, or not, and what rests on it.

A lemma is *inductive relative to others* if it holds in the initial states, and if a step from a state in which it and
the others hold leads to one in which it holds. A set of lemmas each of which is inductive relative to the set holds in
every reachable state. Of the lemmas of a file the largest such set is kept (C. Flanagan, K. Leino: Houdini, an
annotation assistant for ESC/Java, FME 2001).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from kripke.engines.theories.formulas import Formulas
from kripke.terms.build import conjoin, implies, negate
from kripke.terms.system import TransitionSystem
from kripke.terms.term import Term


@dataclass
class Judged:
    """``sort``: "inductive alone", "inductive relative to others", "not inductive", "false at the start".
    ``needs`` are names of lemmas that it rests on, none of which can be left out; ``lost`` are those that are not
    shown any more without it. ``pair``: a step that breaks a lemma that is not inductive."""

    name: str
    sort: str = ""
    needs: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    pair: tuple[tuple[int, ...], tuple[int, ...]] | None = None

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "sort": self.sort, "needs": list(self.needs), "without": list(self.lost)}


@dataclass
class Lemmas:
    """``terms`` are the conditions, by name, about stable states."""

    z3: Any
    system: TransitionSystem
    terms: dict[str, Term]
    report: Callable[[], None]
    judged: dict[str, Judged] = field(default_factory=dict)
    kept: dict[str, Term] = field(default_factory=dict)

    def __post_init__(self) -> None:
        z3 = self.z3
        self.terms = {name: implies(self.system.stable, term) for name, term in self.terms.items()}
        formulas = Formulas(z3, self.system)
        self.now, self.later = formulas.state("now"), formulas.state("later")
        self.solver = z3.Solver()
        self.solver.add(formulas.ranges(self.now), formulas.step(self.now, self.later))
        self.start = z3.Solver()
        self.start.add(formulas.ranges(self.now), self.now.of(self.system.initial))
        self.assumed: dict[str, Any] = {}
        self.asked: dict[str, Any] = {}
        for name, term in self.terms.items():
            self.assumed[name], self.asked[name] = z3.Bool(f"assume {name}"), z3.Bool(f"ask {name}")
            self.solver.add(z3.Implies(self.assumed[name], self.now.of(term)))
            self.solver.add(z3.Implies(self.asked[name], z3.Not(self.later.of(term))))
        self._cores: dict[str, list[frozenset[str]]] = {name: [] for name in self.terms}

    # --- single questions ---------------------------------------------------------------------------------------------

    def holds_at_start(self, name: str) -> bool:
        return bool(self.start.check(self.now.of(negate(self.terms[name]))) == self.z3.unsat)

    def follows(self, name: str, others: Iterable[str]) -> bool:
        """Is it inductive relative to these?"""
        others = frozenset(others) | {name}
        if any(core <= others for core in self._cores[name]):
            return True
        self.report()
        if self.solver.check(self.asked[name], *(self.assumed[one] for one in sorted(others))) != self.z3.unsat:
            return False
        found = {str(one) for one in self.solver.unsat_core()}
        self._cores[name].append(frozenset(one for one in others if f"assume {one}" in found) | {name})
        return True

    def _least(self, name: str, others: Sequence[str]) -> tuple[str, ...]:
        """Others on which it rests, none of which can be left out."""
        self.follows(name, others)
        needed = [one for one in self.terms if one in min(self._cores[name], key=len) and one != name]
        for one in list(needed):
            fewer = [other for other in needed if other != one]
            if self.follows(name, fewer):
                needed = fewer
        return tuple(needed)

    # --- all of them --------------------------------------------------------------------------------------------------

    def judge(self) -> None:
        names = list(self.terms)
        first = [name for name in names if self.holds_at_start(name)]
        kept = self._largest(first)
        self.kept = {name: self.terms[name] for name in kept}
        for name in names:
            found = self.judged[name] = Judged(name)
            if name not in first:
                found.sort = "false at the start"
            elif self.follows(name, ()):
                found.sort = "inductive alone"
            elif name in kept:
                found.sort, found.needs = "inductive relative to others", self._least(name, kept)
            else:
                found.sort, found.pair = "not inductive", self._pair(name, kept)
        for name in kept:
            without = self._largest([other for other in kept if other != name])
            self.judged[name].lost = tuple(other for other in kept if other != name and other not in without)

    def _largest(self, names: Sequence[str]) -> list[str]:
        """The largest set of these each of which is inductive relative to the set."""
        kept = list(names)
        while True:
            left = [name for name in kept if self.follows(name, kept)]
            if left == kept:
                return kept
            kept = left

    def _pair(self, name: str, kept: Sequence[str]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """A step that breaks it from a state in which it and all that is kept hold."""
        assumed = [self.assumed[one] for one in dict.fromkeys((*kept, name))]
        if self.solver.check(self.asked[name], *assumed) != self.z3.sat:
            return None
        model, variables = self.solver.model(), self.system.variables
        return self.now.values(model, variables), self.later.values(model, variables)


def together(terms: Iterable[Term]) -> Term:
    return conjoin(*terms)
