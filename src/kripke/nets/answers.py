"""Answers to queries about a net: many at once, each by the cheapest engine that decides it.

A predicate on the initial marking is evaluated. Reachability, invariance and bounds share one search that looks for
states with certain properties and ends when all are decided. Branching time is evaluated on the graph of all states,
linear time by a search for a run that the automaton of the negated formula accepts. What no engine decides within the
limits is unknown, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from kripke.engines.graph import GraphLimits
from kripke.engines.search import Watch
from kripke.logic import ctl
from kripke.logic import formula as ltl
from kripke.logic.ctl import And, Not, Or
from kripke.model.result import Verdict
from kripke.nets.formulas import (
    AllPaths,
    Bound,
    Finally,
    Formula,
    Globally,
    Next,
    Now,
    Query,
    SomePath,
    Until,
    classify,
    predicates_of,
)
from kripke.nets.model import NetModel
from kripke.nets.predicates import AtLeastZero, Constant, Predicate, holds, negation

if TYPE_CHECKING:
    from kripke.engines import native
    from kripke.nets.structure.queries import ReducedGoals

_THRESHOLDS = 12  # of one bound in one search

REASONS = {
    "memory": "the memory limit was reached",
    "states": "the limit of states was reached",
    "time": "the time limit was reached",
    "interrupted": "interrupted",
    "error": "a place gets more tokens than can be counted",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """``value``: the truth of the formula, or the bound; None where it is not known. ``way`` are the transitions to a
    state that decides it, where one does."""

    name: str
    value: bool | int | None
    technique: str
    reason: str = ""
    way: tuple[str, ...] | None = None

    @property
    def verdict(self) -> Verdict:
        if self.value is None:
            return "unknown"
        return "violated" if self.value is False else "holds"

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "verdict": self.verdict,
            "value": self.value,
            "reason": self.reason,
            "technique": self.technique,
            "way": None if self.way is None else list(self.way),
        }


@dataclass
class Session:
    """Queries about one net: what was compiled and built for one may serve the next. ``states`` counts the largest
    search made, ``reduce`` allows structural reductions."""

    model: NetModel
    interpret: bool = False
    limits: GraphLimits = field(default_factory=GraphLimits)
    reduce: bool = True
    watch: Watch | None = None
    warnings: list[str] = field(default_factory=list)
    states: int = 0
    transitions: int = 0
    _begin: float = field(default_factory=perf_counter)
    _invariants: list[dict[int, int]] | None = None

    def _limits(self) -> GraphLimits:
        """What is left of the time, the rest as it was given."""
        if not self.limits.time_limit:
            return self.limits
        left = self.limits.time_limit - (perf_counter() - self._begin)
        return replace(self.limits, time_limit=max(left, 0.001))

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        """The answers, in the order of the queries."""
        found: dict[str, Answer] = {}
        goals: list[tuple[Query, Predicate]] = []
        bounds: list[Query] = []
        branching: list[Query] = []
        linear: list[Query] = []
        for query in queries:
            match classify(query.formula):
                case "initial":
                    found[query.name] = self._initial(query)
                case "reachability" | "invariant":
                    goals.append((query, _goal(query.formula)))
                case "bound":
                    bounds.append(query)
                case "ctl":
                    branching.append(query)
                case "ltl":
                    linear.append(query)
                case _:
                    reason = "the formula mixes linear and branching time (CTL*)"
                    found[query.name] = Answer(query.name, None, "", reason)
        found |= {answer.name: answer for answer in self._reach(goals)}
        found |= {answer.name: answer for answer in self._bounds(bounds)}
        found |= {answer.name: answer for answer in self._branching(branching)}
        found |= {answer.name: answer for answer in self._linear(linear)}
        return [found[query.name] for query in queries]

    # --- one way or another -------------------------------------------------------------------------------------------

    def _initial(self, query: Query) -> Answer:
        assert isinstance(query.formula, Now)
        net = self.model.net
        return Answer(query.name, holds(query.formula.predicate, net, net.initial), "initial marking")

    def _reach(self, goals: Sequence[tuple[Query, Predicate]]) -> list[Answer]:
        names = {query.name: f"goal {number}" for number, (query, _) in enumerate(goals)}
        wanted = {names[query.name]: goal for query, goal in goals}
        found = self._search(wanted)
        answers = []
        for query, _ in goals:
            exists = isinstance(query.formula, SomePath)
            name = names[query.name]
            if name in found.ways:
                answers.append(Answer(query.name, exists, "search", way=self._transitions(found, name)))
            elif found.reason(name):
                answers.append(Answer(query.name, None, "search", found.reason(name)))
            else:
                answers.append(Answer(query.name, not exists, "search"))
        return answers

    def _bounds(self, queries: Sequence[Query]) -> list[Answer]:
        """Raise what is known to be reached, lower what is known to be out of reach, until they meet."""
        initial = self.model.net.initial
        low: dict[str, int] = {}
        high: dict[str, int | None] = {}
        sums: dict[str, AtLeastZero] = {}
        reasons: dict[str, str] = {}
        for query in queries:
            assert isinstance(query.formula, Bound)
            places = sorted(set(query.formula.places))
            low[query.name] = sum(initial[place] for place in places)
            high[query.name] = self._ceiling(places)
            sums[query.name] = AtLeastZero(tuple((place, 1) for place in places), 0)
        while True:
            goals: dict[str, tuple[str, int]] = {}
            predicates: dict[str, Predicate] = {}
            for name, term in sums.items():
                if name in reasons:
                    continue
                for threshold in _thresholds(low[name], high[name]):
                    key = f"{name} >= {threshold}"
                    goals[key] = (name, threshold)
                    predicates[key] = AtLeastZero(term.terms, -threshold)
            if not goals:
                break
            found = self._search(predicates)
            for key, (name, threshold) in goals.items():
                if key in found.ways:
                    low[name] = max(low[name], threshold)
                elif found.reason(key):
                    reasons[name] = found.reason(key)
                else:
                    ceiling = high[name]
                    high[name] = threshold - 1 if ceiling is None else min(ceiling, threshold - 1)
        answers = []
        for query in queries:
            name = query.name
            reason = f"{reasons[name]}; at least {low[name]:,}" if name in reasons else ""
            answers.append(Answer(name, None if reason else low[name], "search", reason))
        return answers

    def _ceiling(self, places: list[int]) -> int | None:
        """What the place invariants allow, where there are not too many."""
        from kripke.nets.structure.invariants import bound_of_sum, place_invariants

        if not places:
            return 0
        if self._invariants is None:
            self._invariants = place_invariants(self.model.net, most=300) or []
        return bound_of_sum(self.model.net, self._invariants, places)

    def _branching(self, queries: Sequence[Query]) -> list[Answer]:
        if not queries:
            return []
        from kripke.engines.ctl import Labelling
        from kripke.engines.graph import build

        names = _names(queries)
        model = self.model.with_predicates({name: predicate for predicate, name in names.items()})
        graph = build(model, model.atoms, self._limits(), self._library(model), self.watch)
        self._count(graph.states, graph.edges + graph.initial_states)
        if graph.reason:
            return [Answer(query.name, None, "graph", REASONS[graph.reason]) for query in queries]
        labelling = Labelling(graph)
        return [Answer(query.name, labelling.holds(_ctl(query.formula, names)), "graph") for query in queries]

    def _linear(self, queries: Sequence[Query]) -> list[Answer]:
        if not queries:
            return []
        names = _names(queries)
        model = self.model.with_predicates({name: predicate for predicate, name in names.items()})
        library = self._library(model)
        if library is None:
            reason = "linear time needs the native engine"
            return [Answer(query.name, None, "automaton", reason) for query in queries]
        return [self._run_of(query, names, library) for query in queries]

    def _run_of(self, query: Query, names: dict[Predicate, str], library: native.Model) -> Answer:
        """Look for a run that breaks the formula: one that the automaton of its negation accepts."""
        from kripke.engines import native
        from kripke.logic.translation import TranslationTooLarge, generalised
        from kripke.model.observer import Alarm, observe

        assert isinstance(query.formula, AllPaths)
        numbers = {name: number for number, name in enumerate(names.values())}
        try:
            automaton = generalised(_ltl(query.formula.operand, names), negated=True)
        except TranslationTooLarge as refusal:
            return Answer(query.name, None, "automaton", str(refusal))
        observer = observe(automaton, numbers, query.name, "ltl", Alarm("ltl", "the formula is broken"))
        limits = self._limits()
        options = native.SearchOptions(
            order="scc",
            deadlock=False,
            observer=observer,
            max_states=limits.max_states or None,
            memory_limit=limits.memory or None,
            time_limit=limits.time_limit or None,
        )
        result = native.search(library, options)
        overflow = len(self.model.violation_kinds)
        if any(found.kind == "violation" and (found.code or 0) < overflow for found in result.findings):
            return Answer(query.name, None, "automaton", REASONS["error"])
        if result.findings:
            return Answer(query.name, False, "automaton")
        if result.complete:
            return Answer(query.name, True, "automaton")
        return Answer(query.name, None, "automaton", REASONS[result.reason or "interrupted"])

    # --- the engines --------------------------------------------------------------------------------------------------

    def _search(self, goals: dict[str, Predicate]) -> _Found:
        """Look for the goals, on a reduced net where that is wanted; those that are left, one at a time on nets of
        their own, which may be smaller still."""
        open_goals = {name: goal for name, goal in goals.items() if goal != Constant(False)}
        found = _Found()
        if not open_goals:
            return found
        self._search_together(open_goals, found)
        if found.unknown and self.reduce and len(open_goals) > 1:
            for name in [name for name in open_goals if name not in found.ways]:
                found.unknown = ""
                self._search_together({name: open_goals[name]}, found)
                if found.unknown:
                    found.reasons[name] = found.unknown
            found.unknown = ""
        return found

    def _search_together(self, goals: dict[str, Predicate], found: _Found) -> None:
        from kripke.engines.goals import find_goals

        model, reduced = self.model.with_predicates(goals), None
        if self.reduce:
            from kripke.nets.structure.queries import reduce_for

            reduced = reduce_for(self.model, goals)
            model = reduced.model
        outcome = find_goals(model, model.atoms, self._limits(), self._library(model), self.watch)
        self._count(outcome.states, outcome.transitions)
        for name, way in outcome.ways.items():
            found.ways[name] = (way, reduced)
        found.unknown = "" if outcome.complete else REASONS[outcome.reason]

    def _count(self, states: int, transitions: int) -> None:
        if states >= self.states:
            self.states, self.transitions = states, transitions

    def _library(self, model: NetModel) -> native.Model | None:
        from kripke.engines.compiled import compiled_model

        if self.interpret:
            return None
        library, warning = compiled_model(model)
        if warning and warning not in self.warnings:
            self.warnings.append(warning)
        return library

    def _transitions(self, found: _Found, name: str) -> tuple[str, ...]:
        """The transitions on the way to a goal, found again by the reference semantics."""
        from kripke.engines.replay import replay_path

        way, reduced = found.ways[name]
        if reduced is not None:
            return reduced.transitions(name, way)
        trace = replay_path(self.model, way)
        return tuple(step.statements[0] for step in trace.steps)


@dataclass
class _Found:
    """The goals that were reached; ``unknown`` says why the others are not known to be out of reach, ``reasons`` why
    single ones are not."""

    ways: dict[str, tuple[tuple[bytes, ...], ReducedGoals | None]] = field(default_factory=dict)
    unknown: str = ""
    reasons: dict[str, str] = field(default_factory=dict)

    def reason(self, name: str) -> str:
        return self.reasons.get(name, self.unknown)


def _goal(formula: Formula) -> Predicate:
    """A state that decides the formula: one that makes it true, or breaks it."""
    match formula:
        case SomePath(Finally(Now(predicate))):
            return predicate
        case AllPaths(Globally(Now(predicate))):
            return negation(predicate)
        case _:
            raise TypeError(formula)


def _names(queries: Sequence[Query]) -> dict[Predicate, str]:
    """An atom for every predicate of some formulas."""
    names: dict[Predicate, str] = {}
    for query in queries:
        for predicate in predicates_of(query.formula):
            names.setdefault(predicate, f"atom {len(names)}")
    return names


def _ltl(formula: Formula, names: dict[Predicate, str]) -> ltl.Formula:
    match formula:
        case Now(Constant(value)):
            return ltl.TRUE if value else ltl.FALSE
        case Now(predicate):
            return ltl.atom(names[predicate])
        case Not(operand):
            return ltl.negation(_ltl(operand, names))
        case And(operands):
            return ltl.conjunction(_ltl(operand, names) for operand in operands)
        case Or(operands):
            return ltl.disjunction(_ltl(operand, names) for operand in operands)
        case Next(operand):
            return ltl.following(_ltl(operand, names))
        case Finally(operand):
            return ltl.eventually(_ltl(operand, names))
        case Globally(operand):
            return ltl.always(_ltl(operand, names))
        case Until(before, reached):
            return ltl.until(_ltl(before, names), _ltl(reached, names))
        case _:
            raise TypeError(formula)


def _thresholds(low: int, high: int | None) -> list[int]:
    """Numbers above ``low`` to try at once: all up to ``high`` if they are few, else ever larger ones."""
    if high is not None and high - low <= _THRESHOLDS:
        return list(range(low + 1, high + 1))
    steps = (low + (1 << power) for power in range(_THRESHOLDS))
    tried = [number for number in steps if high is None or number <= high]
    return tried if high is None else [*tried, high] if high not in tried else tried


def _ctl(formula: Formula, names: dict[Predicate, str]) -> ctl.StateFormula:
    def part(inner: Formula) -> ctl.StateFormula:
        return _ctl(inner, names)

    match formula:
        case Now(Constant(value)):
            return ctl.Truth(value)
        case Now(predicate):
            return ctl.Atom(names[predicate])
        case Not(operand):
            return ctl.negation(part(operand))
        case And(operands):
            return ctl.And(tuple(map(part, operands)))
        case Or(operands):
            return ctl.Or(tuple(map(part, operands)))
        case SomePath(Next(operand)):
            return ctl.ExistsNext(part(operand))
        case SomePath(Finally(operand)):
            return ctl.exists_finally(part(operand))
        case SomePath(Globally(operand)):
            return ctl.ExistsGlobally(part(operand))
        case SomePath(Until(before, reached)):
            return ctl.ExistsUntil(part(before), part(reached))
        case AllPaths(Next(operand)):
            return ctl.always_next(part(operand))
        case AllPaths(Finally(operand)):
            return ctl.always_finally(part(operand))
        case AllPaths(Globally(operand)):
            return ctl.always_globally(part(operand))
        case AllPaths(Until(before, reached)):
            return ctl.always_until(part(before), part(reached))
        case _:
            raise TypeError(formula)


# --- questions by name ------------------------------------------------------------------------------------------------


def examine(session: Session, name: str) -> Answer:
    """The answer to one of ``examinations.EXAMINATIONS`` but StateSpace."""
    from kripke.nets import examinations

    net = session.model.net
    match name:
        case "ReachabilityDeadlock":
            return session.answer([Query(name, examinations.deadlock(net))])[0]
        case "OneSafe":
            return session.answer([Query(name, examinations.one_safe(net))])[0]
        case "Liveness":
            return session.answer([Query(name, examinations.live(net))])[0]
        case "QuasiLiveness":
            return _together(session, name, examinations.quasi_live(net), all)
        case "StableMarking":
            return _together(session, name, examinations.stable(net), any)
        case _:
            raise ValueError(name)


def _together(session: Session, name: str, formulas: Sequence[Formula], join: Callable[[list[bool]], bool]) -> Answer:
    """The conjunction or disjunction of many answers of one search."""
    answers = session.answer([Query(f"{name} {number}", formula) for number, formula in enumerate(formulas)])
    values = [answer.value for answer in answers]
    if join([value is not False for value in values]) == join([value is True for value in values]):
        return Answer(name, join([value is True for value in values]), "search")
    reason = next(answer.reason for answer in answers if answer.value is None)
    return Answer(name, None, "search", reason)


@dataclass(frozen=True, slots=True)
class StateSpaceSize:
    """``transitions`` are firings; None where the search was not complete."""

    states: int | None
    transitions: int | None
    most_in_place: int | None
    most_in_marking: int | None
    reason: str = ""


def measure(session: Session) -> StateSpaceSize:
    """How large the state space is, and how many tokens there are at most, in a place and together."""
    from kripke.nets import examinations

    net = session.model.net
    whole = replace(session, reduce=False, states=0, transitions=0)
    in_marking = whole.answer([examinations.tokens_in_all(net)])[0]
    low, reason = max(net.initial, default=0), in_marking.reason
    while not reason:
        goals = {str(number): examinations.some_place_holds(net, number) for number in _thresholds(low, None)}
        found = whole._search(goals)
        reason = found.unknown
        if not found.ways:
            break
        low = max(map(int, found.ways))
    # The searches above ended with goals out of reach, so they have seen everything.
    if reason or not isinstance(in_marking.value, int):
        return StateSpaceSize(None, None, None, None, reason)
    return StateSpaceSize(whole.states, whole.transitions - 1, low, in_marking.value)
