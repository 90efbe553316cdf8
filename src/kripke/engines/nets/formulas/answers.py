"""Answers to queries about a net: many at once, each by the cheapest engine that decides it.

A predicate on the initial marking is evaluated. Reachability, invariance and bounds share one search that looks for
states with certain properties and ends when all are decided; where it becomes long, the state equation may rule goals
out, and every goal is searched on a net of its own, which is smaller. ``temporal`` has branching and linear
time. What no engine decides within the limits is unknown, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kripke.deadline import NEVER, Deadline, OutOfTime, current, keeping
from kripke.engines.branching.graph import GraphLimits
from kripke.engines.explicit.search import Watch
from kripke.model.answer import Answer
from kripke.nets.formulas import (
    AllPaths,
    Bound,
    Finally,
    Formula,
    Globally,
    Now,
    Query,
    SomePath,
    classify,
)
from kripke.nets.model import NetModel
from kripke.nets.predicates import AtLeastZero, Constant, Fireable, Predicate, holds, negation

if TYPE_CHECKING:
    from kripke.engines.explicit import native
    from kripke.engines.nets.structural.reduced_goals import ReducedGoals
    from kripke.engines.nets.symbolic.saturation_run import SaturationRun

_THRESHOLDS = 12  # of one bound in one search
SHARE_FOR_SETS = 0.25  # of the time that is left, to find all reachable markings as a set
_SHARE_FOR_GOALS = 0.6  # to look for goals in that set
_SHARE_FOR_WAYS = 0.1  # to show how goals are reached that are known to be
_MOST_WAYS = 20  # that are shown
_WIDE = 300  # places: with more of them, markings are dear, and sets are tried before them
_FEW_STATES = 1_000_000  # after which it is worth while to think about a question again
_FEW_TOKENS = 100_000_000  # the same, as numbers in these states

REASONS = {
    "memory": "the memory limit was reached",
    "states": "the limit of states was reached",
    "time": "the time limit was reached",
    "interrupted": "interrupted",
    "error": "a place gets more tokens than can be counted",
}


@dataclass
class QueryAnswerer:
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
    deadline: Deadline = NEVER
    _invariants: list[dict[int, int]] | None = None
    _saturations: list[SaturationRun] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.deadline is NEVER:
            self.deadline = current().within(self.limits.time_limit or None)

    def saturation(self) -> SaturationRun | None:
        """At sets of markings; None where only markings one by one are wanted."""
        if not self.reduce or self.interpret:
            return None
        from kripke.engines.nets.symbolic.saturation_run import SaturationRun
        from kripke.memory import default_limit

        if not self._saturations:
            # The rest is for searches, which come while the diagrams are still there.
            self._saturations.append(SaturationRun(self.model.net, (self.limits.memory or default_limit()) // 2))
        return self._saturations[0]

    @property
    def few_states(self) -> int:
        """So many are searched before it is tried with less."""
        return min(_FEW_STATES, _FEW_TOKENS // max(len(self.model.net.places), 1))

    @property
    def knows_sets(self) -> bool:
        """Whether all reachable markings are known as a set: where they are, or a wide net gives them away quickly."""
        saturation = self.saturation()
        if saturation is None or self.is_over():
            return False
        if not saturation.tried and len(self.model.net.places) > _WIDE:
            saturation.reach(self.limits_left(share=_SHARE_FOR_WAYS).time_limit)
        return saturation.ready is not None

    def limits_left(self, *, states: int = 0, share: float = 1.0) -> GraphLimits:
        """What is left of the time, or a share of it; the rest as it was given, with no more than so many states."""
        limits = self.limits
        if limits.memory and self._saturations:
            limits = replace(limits, memory=max(limits.memory - self._saturations[0].bytes, limits.memory // 2))
        if states:
            limits = replace(limits, max_states=min(states, limits.max_states or states))
        return replace(limits, time_limit=self.deadline.part(share).limit())

    def is_over(self) -> bool:
        """No time is left."""
        return self.deadline.is_over

    def part(self, share: float) -> QueryAnswerer:
        """The same with a share of the time that is left."""
        return replace(self, deadline=self.deadline.part(share))

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
        if branching or linear:
            from kripke.engines.nets.formulas import temporal

            with keeping(self.deadline):
                found |= {answer.name: answer for answer in temporal.branching(self, branching)}
                found |= {answer.name: answer for answer in temporal.linear(self, linear)}
        return [found[query.name] for query in queries]

    # --- one way or another -------------------------------------------------------------------------------------------

    def _initial(self, query: Query) -> Answer:
        assert isinstance(query.formula, Now)
        net = self.model.net
        return Answer(query.name, holds(query.formula.predicate, net, net.initial), "initial marking")

    def _reach(self, goals: Sequence[tuple[Query, Predicate]]) -> list[Answer]:
        names = {query.name: f"goal {number}" for number, (query, _) in enumerate(goals)}
        wanted = {names[query.name]: goal for query, goal in goals}
        found = self.search(wanted)
        answers = []
        for query, _ in goals:
            exists = isinstance(query.formula, SomePath)
            name = names[query.name]
            if name in found:
                answers.append(Answer(query.name, exists, "search", way=self._transitions(found, name)))
            elif found.reason(name):
                answers.append(Answer(query.name, None, "search", found.reason(name)))
            else:
                answers.append(Answer(query.name, not exists, "search"))
        return answers

    def _bounds(self, queries: Sequence[Query]) -> list[Answer]:
        """Raise what is known to be reached, lower what is known to be out of reach, until they meet."""
        low: dict[str, int] = {}
        high: dict[str, int | None] = {}
        sums: dict[str, AtLeastZero] = {}
        reasons: dict[str, str] = {}
        for query in queries:
            assert isinstance(query.formula, Bound)
            places = sorted(set(query.formula.places))
            low[query.name], high[query.name] = self._range(places)
            sums[query.name] = AtLeastZero(tuple((place, 1) for place in places), 0)
        while True:
            self._measure(sums, low, high)
            goals: dict[str, tuple[str, int]] = {}
            predicates: dict[str, Predicate] = {}
            for name, term in sums.items():
                if name in reasons:
                    continue
                for threshold in thresholds(low[name], high[name]):
                    key = f"{name} >= {threshold}"
                    goals[key] = (name, threshold)
                    predicates[key] = AtLeastZero(term.terms, -threshold)
            if not goals:
                break
            found = self.search(predicates)
            for key, (name, threshold) in goals.items():
                if key in found:
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

    def _measure(self, sums: Mapping[str, AtLeastZero], low: dict[str, int], high: dict[str, int | None]) -> None:
        """What can be read off the set of all reachable markings, where there is one."""
        saturation = self.saturation()
        if saturation is None or not saturation.ready:
            return
        for name, term in sums.items():
            if low[name] != high[name] and not self.is_over():
                places = [place for place, _ in term.terms]
                most = saturation.ask(
                    lambda branching, places=places: branching.markings.reachable.range(places)[1],  # type: ignore[misc]
                    self.limits_left(share=0.5).time_limit,
                )
                if most is not None:
                    low[name] = high[name] = most

    def _range(self, places: list[int]) -> tuple[int, int | None]:
        """How many tokens these places can hold at least, and at most: None where no limit is known."""
        from kripke.engines.nets.structural.firing_orders import follow
        from kripke.nets.structure.state_equation import most_tokens

        net = self.model.net
        low, high = sum(net.initial[place] for place in places), self.ceiling(places)
        if not self.reduce or low == high:
            return low, high
        most = most_tokens(net, places, self.deadline.limit(0.5))
        if most.tokens is None:
            return low, high
        high = most.tokens if high is None else min(high, most.tokens)
        if follow(net, most.firings, lambda tokens: sum(tokens[place] for place in places) >= high) is not None:
            low = high
        return low, high

    def ceiling(self, places: Sequence[int]) -> int | None:
        """The most tokens on all these places that the place invariants allow, where there are not too many."""
        from kripke.nets.structure.invariants import bound_of_sum, place_invariants

        if not places:
            return 0
        if self._invariants is None:
            self._invariants = place_invariants(self.model.net, most=300) or []
        return bound_of_sum(self.model.net, self._invariants, places)

    # --- the engines --------------------------------------------------------------------------------------------------

    def search(self, goals: Mapping[str, Predicate]) -> ReachedGoals:
        """Look for the goals; on reduced nets, and with the state equation, where that is wanted."""
        left = {name: goal for name, goal in goals.items() if goal != Constant(False)}
        found = ReachedGoals()
        with keeping(self.deadline):
            try:
                self._search(left, found)
            except OutOfTime:
                found.given_up(name for name in left if name not in found)
        return found

    def _search(self, left: dict[str, Predicate], found: ReachedGoals) -> None:
        if self.is_over() or not left:
            found.given_up(left)
            return
        if not self.reduce or self.interpret:
            self._look(left, found, self.limits_left())
            return
        if not self.knows_sets:
            left = self._look(left, found, self.limits_left(states=self.few_states))
        left = self._look_at_sets(left, found)
        left = self._rule_out(left, found)
        for name, goal in list(left.items()):
            if self.is_over():
                found.given_up(left)
                return
            left = left if self._look_alone(name, goal, found, states=self.few_states) else _without(left, name)
        if left:
            left = self._look(left, found, self.limits_left(share=0.5))
        for number, (name, goal) in enumerate(list(left.items())):
            if self.is_over():
                found.given_up(left)
                return
            self._look_alone(name, goal, found, share=1 / (len(left) - number))

    def _look(
        self, goals: dict[str, Predicate], found: ReachedGoals, limits: GraphLimits, *, deep: bool = False
    ) -> dict[str, Predicate]:
        """One search for all these goals; those it leaves open, with the reason in ``found``."""
        from kripke.engines.explicit.goals import find_goals

        model, reduced = self.model.with_predicates(goals), None
        if self.reduce:
            from kripke.engines.nets.structural.reduced_goals import reduce_for

            reduced = reduce_for(self.model, goals)
            model = reduced.model
        outcome = find_goals(model, model.atoms, limits, self.library(model), self.watch, deep=deep)
        self.count(outcome.states, outcome.transitions)
        for name, way in outcome.ways.items():
            found.ways[name] = (way, reduced)
        reason = "" if outcome.complete else REASONS[outcome.reason]
        found.reasons.update({name: "" if name in found.ways else reason for name in goals})
        return {name: goal for name, goal in goals.items() if found.reasons[name]}

    def _look_at_sets(self, goals: dict[str, Predicate], found: ReachedGoals) -> dict[str, Predicate]:
        """All goals on the set of all reachable markings; those it leaves open."""
        saturation = self.saturation()
        if not goals or saturation is None or self.is_over():
            return goals
        if not saturation.reach(self.limits_left(share=SHARE_FOR_SETS).time_limit):
            return goals
        decided = saturation.decide(goals, self.limits_left(share=_SHARE_FOR_GOALS).time_limit)
        found.reasons.update(dict.fromkeys(decided, ""))
        reached = [name for name in goals if decided.get(name)]
        found.unshown.update(reached)
        shown = self.part(_SHARE_FOR_WAYS)
        for name in reached[:_MOST_WAYS]:
            way = None if shown.is_over() else saturation.way(goals[name], shown.limits_left().time_limit)
            if way is not None:
                found.walks[name] = way
        return {name: goal for name, goal in goals.items() if name not in decided}

    def _look_alone(
        self, name: str, goal: Predicate, found: ReachedGoals, *, states: int = 0, share: float = 1.0
    ) -> bool:
        """Search for one goal, first deep, then broad; whether it is still open."""
        if goal == negation(Fireable(tuple(range(len(self.model.net.transitions))))):
            return self._look_for_deadlock(name, goal, found, self.limits_left(states=states, share=share))
        if self._look({name: goal}, found, self.limits_left(states=states, share=share / 2), deep=True):
            return bool(self._look({name: goal}, found, self.limits_left(states=states, share=share)))
        return False

    def _look_for_deadlock(self, name: str, goal: Predicate, found: ReachedGoals, limits: GraphLimits) -> bool:
        """With stubborn sets, which keep every deadlock."""
        from kripke.engines.explicit import native
        from kripke.engines.explicit.search import SearchRequest
        from kripke.engines.nets.structural.reduced_goals import reduce_for

        reduced = reduce_for(self.model, {name: goal})
        library = self.library(reduced.model, dependencies=True)
        analysis = reduced.model.dependencies()
        if library is None or isinstance(analysis, str):
            return bool(self._look({name: goal}, found, limits, deep=True))
        request = SearchRequest(
            order="dfs",
            dependencies=analysis,
            max_states=limits.max_states,
            memory=limits.memory,
            time_limit=limits.time_limit,
        )
        outcome = native.search(library, request)
        self.count(outcome.states, outcome.transitions)
        way = next((error.path for error in outcome.error_paths if error.kind == "deadlock"), None)
        if way:
            found.ways[name] = (way, reduced)
            found.reasons[name] = ""
        elif outcome.complete and not outcome.error_paths:
            found.reasons[name] = ""
        return bool(found.reasons[name])

    def _rule_out(self, goals: dict[str, Predicate], found: ReachedGoals) -> dict[str, Predicate]:
        """Those of the goals that the state equation leaves open: it rules some out, and leads to others."""
        from kripke.nets.structure.state_equation import LONGEST, solve

        left = dict(goals)
        for name, goal in goals.items():
            if self.is_over():
                break
            time = self.limits_left(share=0.1).time_limit
            solutions = solve(self.model.net, goal, min(time or LONGEST, LONGEST))
            if solutions.none or self._follow(name, goal, solutions.firings, found):
                found.reasons[name] = ""
                del left[name]
        return left

    def _follow(self, name: str, goal: Predicate, solutions: Sequence[dict[int, int]], found: ReachedGoals) -> bool:
        """Whether one of these numbers of firings leads to the goal in some order."""
        from kripke.engines.nets.structural.firing_orders import follow

        net = self.model.net
        for firings in solutions:
            walk = follow(net, firings, lambda tokens: holds(goal, net, tokens))
            if walk is not None:
                found.walks[name] = tuple(net.transitions[number].name for number in walk)
                return True
        return False

    def count(self, states: int, transitions: int) -> None:
        self.states, self.transitions = max((self.states, self.transitions), (states, transitions))

    def library(self, model: NetModel, *, dependencies: bool = False) -> native.Model | None:
        from kripke.engines.explicit.compiled import compiled_model

        if self.interpret:
            return None
        library, warning = compiled_model(model, dependencies=dependencies)
        if warning and warning not in self.warnings:
            self.warnings.append(warning)
        return library

    def _transitions(self, found: ReachedGoals, name: str) -> tuple[str, ...] | None:
        """The transitions on the way to a goal, found again by the reference semantics; None where it is only known
        that there is one."""
        from kripke.engines.runs.replay import replay_path

        if name in found.walks:
            return found.walks[name]
        if name not in found.ways:
            return None
        way, reduced = found.ways[name]
        if reduced is not None:
            return reduced.transitions(name, way)
        trace = replay_path(self.model, way)
        return tuple(step.statements[0] for step in trace.steps)


@dataclass
class ReachedGoals:
    """The goals that were reached, by ``ways`` of states or ``walks`` of transitions of the net itself, or ``unshown``:
    known to be reached; ``reasons`` says why others are not known to be out of reach."""

    ways: dict[str, tuple[tuple[bytes, ...], ReducedGoals | None]] = field(default_factory=dict)
    walks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unshown: set[str] = field(default_factory=set)
    reasons: dict[str, str] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.ways or name in self.walks or name in self.unshown

    def given_up(self, names: Iterable[str]) -> None:
        self.reasons.update({name: REASONS["time"] for name in names if self.reason(name) or name not in self.reasons})

    def reason(self, name: str) -> str:
        return self.reasons.get(name, "")


def _without(goals: dict[str, Predicate], name: str) -> dict[str, Predicate]:
    return {other: goal for other, goal in goals.items() if other != name}


def _goal(formula: Formula) -> Predicate:
    """A state that decides the formula: one that makes it true, or breaks it."""
    match formula:
        case SomePath(Finally(Now(predicate))):
            return predicate
        case AllPaths(Globally(Now(predicate))):
            return negation(predicate)
        case _:
            raise TypeError(formula)


def thresholds(low: int, high: int | None) -> list[int]:
    """Numbers above ``low`` to try at once: all up to ``high`` if they are few, else some at equal distances, or, where
    no limit is known, ever larger ones, the faster the more tokens there are already."""
    if high is None:
        unit = max(low // 8, 1)
        return sorted({low + 1, *(low + (unit << power) for power in range(_THRESHOLDS))})
    distance = -(-(high - low) // _THRESHOLDS)
    return sorted({low + 1, *range(low + distance, high, distance), high}) if low < high else []
