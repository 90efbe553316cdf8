"""The engine ``bdd``: deadlocks, violations, invariants, properties of runs and formulas of branching time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from operator import or_
from typing import Any

from kripke._native import DiagramsTooLarge
from kripke.deadline import NEVER, current
from kripke.engines.apart import Done, Report
from kripke.engines.branching.asked import Branching
from kripke.engines.diagrams.branching import Fair, Satisfying
from kripke.engines.diagrams.cudd import CuddManager
from kripke.engines.diagrams.cudd import is_there as cudd_is_there
from kripke.engines.diagrams.deep_stack import with_stack
from kripke.engines.diagrams.fairness import refuse_fairness_to_edges
from kripke.engines.diagrams.linear import WrongRuns
from kripke.engines.diagrams.native import NativeManager
from kripke.engines.diagrams.reach import Chain, Reached, Rings, Wrong, first_wrong
from kripke.engines.diagrams.space import Space
from kripke.engines.diagrams.witness import run_of
from kripke.engines.encoded import (
    NO_START,
    Answer,
    Encodings,
    Job,
    done_apart,
    invariant_atoms,
    refuse_start,
    result_of,
)
from kripke.engines.explicit.conclusion import PLEASE_REPORT
from kripke.engines.explicit.search import ErrorPath, Watch
from kripke.engines.linear.product_search import fair_to_events, translate
from kripke.engines.observed import atoms_used, error_of
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.engines.runs.replay import ReplayFailure, replay_path
from kripke.logic.automaton import ALWAYS
from kripke.logic.ctl import atoms_of
from kripke.model.capabilities.encodable import Encoding
from kripke.model.model import Model
from kripke.model.observer import Observer, ObserverEdge
from kripke.model.product import Product
from kripke.model.property import Safety, Temporal
from kripke.model.result import Finding, Result
from kripke.terms.bits import variable_bits
from kripke.terms.build import any_of, conjoin, negate

_BROKEN = "a step of the model is an error and leads nowhere (--property safety shows it), so runs are missing"
#: nodes beyond which an order of variables is given up, where another package can find a better one
_MOST_NODES = 4_000_000
_MOST_LEVELS = 400_000
_FOR_RINGS = 2.0  # seconds of work: a way of hundreds of steps takes far longer in rings than the answer did
_LEVEL_BYTES = 2_000  # of stack, for each level


def check(
    model: Model, properties: Sequence[Any], plan: SearchPlan, *, watch: Watch | None, origin: Mapping[str, Any]
) -> Iterator[Result]:
    yield from done_apart(model, jobs(model, properties, plan, origin), plan, watch)


def jobs(model: Model, properties: Sequence[Any], plan: SearchPlan, origin: Mapping[str, Any]) -> list[Job]:
    """What is to be done; Unsupported where it cannot be."""
    refuse_start(model, "bdd")
    _refuse(model, properties)
    refuse_fairness_to_edges(model, plan.fair)
    return [_job(model, property_, plan, origin) for property_ in properties]


def _job(model: Model, property_: Any, plan: SearchPlan, origin: Mapping[str, Any]) -> Job:
    engine = {"name": "bdd", "search": "bdd", "store": "diagrams"}
    observer = _observer(model, property_, plan) if isinstance(property_, Temporal) else None
    if observer is not None and observer.steps:
        raise Unsupported(f"--engine bdd: {property_.name} speaks of steps, and diagrams are of states: leave it out")

    def work(report: Report, encodings: Encodings) -> Answer:
        return _Work(model, plan, report).answer(property_, observer, encodings)

    def result(done: Done[Answer]) -> Result:
        if isinstance(property_, Branching):
            goal: Safety | Temporal = Temporal(property_.text, "ltl", property_.text)
            found = result_of(model, goal, plan, engine, done, origin)
            found = replace(found, kind=property_.kind, name=property_.name or property_.text)
            return _with_run(model, property_, found, done.answer, origin)
        if observer is not None:
            more = {**origin, "property": property_.name, "sets": observer.sets, "fair": plan.fair}
            return result_of(Product(model, observer), property_, plan, engine, done, more)
        return result_of(model, property_, plan, engine, done, origin)

    return Job("bdd", work, result)


def _refuse(model: Model, properties: Sequence[Any]) -> None:
    for property_ in properties:
        if isinstance(property_, Temporal):
            if property_.cuts or property_.kind == "possible":
                raise Unsupported(f"--engine bdd does not check what is asked ({property_.kind}): leave it out")
        elif isinstance(property_, Branching):
            unknown = set(atoms_of(property_.formula)) - set(model.atoms)
            if unknown:
                raise Unsupported(f"--ctl: there are no conditions on states in the language {model.language} yet")


def _observer(model: Model, property_: Temporal, plan: SearchPlan) -> Observer:
    if plan.fair == "events" or model.always_fair:
        return fair_to_events(model, property_)
    return translate(model, property_, alarms=plan.fair is None)


def _with_run(
    model: Model, asked: Branching, result: Result, answer: Answer | None, origin: Mapping[str, Any]
) -> Result:
    """The run that shows why a formula of branching time is true or false, replayed."""
    if answer is None or not answer.run:
        return result
    try:
        trace = replay_path(model, list(answer.run), {**origin}, current())
    except ReplayFailure as failure:
        reason = f"the interpreter cannot replay the path: {failure}; {PLEASE_REPORT}"
        return replace(result, verdict="unknown", reason=reason, complete=False, errors=0, findings=())
    message = result.reason or "a witness"
    finding = Finding(asked.logic, asked.text, message, trace=replace(trace, loop_start=answer.loop))
    return replace(result, findings=(finding,), trace=finding.trace)


class _Work:
    """What is done apart."""

    def __init__(self, model: Model, plan: SearchPlan, report: Report) -> None:
        self.model, self.plan, self.report = model, plan, report

    def answer(self, property_: Any, observer: Observer | None, encodings: Encodings) -> Answer:
        answer = Answer(reason=NO_START)
        for encoding in encodings:
            levels = 2 * sum(variable_bits(symbol.sort) for symbol in encoding.system.variables)
            if levels > _MOST_LEVELS:
                return Answer(reason=f"a state has {levels // 2:,} bits, too many for diagrams")
            # Operations go down level by level: by recursion.
            answer, limit = with_stack(
                levels * _LEVEL_BYTES, partial(self._answered, encoding, property_, observer, NativeManager)
            )
            if not limit:
                return answer
            encodings.met(limit)
        return answer

    def _answered(
        self, encoding: Encoding, property_: Any, observer: Observer | None, package: type[NativeManager | CuddManager]
    ) -> tuple[Answer, str]:
        """With the limit of the encoding that was met."""
        most_nodes = _MOST_NODES if package is NativeManager and cudd_is_there() else 0
        try:
            search = _Search(self.model, self.plan, self.report, encoding, package, most_nodes)
            if search.space.initial == search.nothing:
                return Answer(reason=NO_START), ""
            if isinstance(property_, Branching):
                answer = search.branching(property_)
            elif observer is not None:
                answer = search.linear(observer)
            else:
                answer = search.safety(property_)
            return answer, search.limit
        except DiagramsTooLarge:
            # Another order may do: CUDD looks for one while it goes.
            return self._answered(encoding, property_, observer, CuddManager)


class _Search:
    def __init__(
        self,
        model: Model,
        plan: SearchPlan,
        report: Report,
        encoding: Encoding,
        package: type[NativeManager | CuddManager],
        most_nodes: int,
    ) -> None:
        self.model, self.plan, self.encoding = model, plan, encoding
        self.system = encoding.system
        self.space = Space(
            self.system, partial(NativeManager, memory=plan.memory) if package is NativeManager else package
        )
        self.nothing = self.space.manager.false
        self.reached = Reached(self.space, report, most_nodes)
        self.limits = [(self.space.truth(one.condition), one.text) for one in self.system.limits]
        self.limit = ""

    # --- safety -------------------------------------------------------------------------------------------------------

    def safety(self, goal: Safety) -> Answer:
        space, system = self.space, self.system
        wrong: Wrong = [(space.truth(b.condition), "violation", b.code, b.statement) for b in system.breaches]
        for atom in invariant_atoms(self.model, goal):
            false = space.truth(conjoin(system.stable, negate(system.atoms[atom])))
            wrong.append((false, "invariant", atom, -1))
        anywhere = self.nothing
        for where, *_ in wrong:
            anywhere |= where
        rings: Rings | None = None
        if self.plan.shortest:
            rings = self._all_rings()
        else:
            self.reached.close(lambda states: states & anywhere != self.nothing or self._limited(states))
        limited = self._limited(self.reached.states)
        broken = self.reached.states & anywhere != self.nothing
        if goal.deadlock and not broken:
            valid = space.truth(system.valid_end)
            dead = space.resting(self.reached.states) & ~valid
            if dead != self.nothing:
                broken = True
                wrong = [(self._any_dead() if limited else dead, "deadlock", -1, -1)]
        elif goal.deadlock:
            wrong.append((self._any_dead(), "deadlock", -1, -1))
        if not broken:
            return replace(self._counted(rings), reason=self.limit if limited else "")
        # What is reached is reached, also where the encoding ends somewhere else.
        self.limit = ""
        return replace(self._counted(rings), error=self._error(wrong))

    def _any_dead(self) -> Any:
        """Also beyond what was reached: one may be nearer than what was met first."""
        return self.space.truth(conjoin(self.system.resting, negate(self.system.valid_end)))

    def _all_rings(self) -> Rings:
        rings = Rings(self.space)
        while rings.advance() and not self._limited(rings.known):
            self.reached.states, self.reached.sweeps = rings.known, rings.depth
            self.reached.tell()
        self.reached.states = rings.known
        return rings

    def _limited(self, states: Any) -> bool:
        """Does the encoding end here?"""
        found = next((text for where, text in self.limits if states & where != self.nothing), "")
        self.limit = found
        return bool(found)

    def _counted(self, rings: Rings | None = None) -> Answer:
        space, states = self.space, self.reached.states
        transitions = sum(space.count(states & relation.guard) for relation in space.relations)
        facts = {"nodes": len(states), "peak_nodes": space.manager.peak_nodes, "sweeps": self.reached.sweeps}
        if rings is not None:
            facts["diameter"] = rings.depth
        return Answer(
            states=space.count(states & space.stable),
            transitions=transitions + 1,
            depth=0 if rings is None else rings.depth,
            bytes=space.manager.bytes,
            facts=facts,
        )

    def _error(self, wrong: Wrong) -> ErrorPath:
        """A way to something that is wrong: a shortest one, unless that takes long and nobody asked for it."""
        ways, known = self._ways_to(reduce(or_, (where for where, *_ in wrong)))
        found = first_wrong(known, wrong, self.nothing)
        assert found is not None, "the ways end there"
        where, kind, code, statement = found
        path = ways.way_to(self.space.one(where))
        return ErrorPath(kind, code, statement, tuple(self._states(path)))  # type: ignore[arg-type]

    def _ways_to(self, goal: Any) -> tuple[Rings | Chain, Any]:
        """With the states that are known when some state of the goal is."""
        rings = Rings(self.space)
        end = NEVER if self.plan.shortest else current().within_work(_FOR_RINGS)
        while rings.known & goal == self.nothing:
            if end.is_over:
                chain = Chain(self.space)
                return chain, chain.until(goal)
            if not rings.advance():
                raise RuntimeError("what is wrong is in no ring")
        return rings, rings.known

    def _states(self, path: Sequence[tuple[int, ...]]) -> Iterator[bytes]:
        """Those that are states of the model."""
        all_are = self.space.stable == self.space.manager.true
        for values in path:
            if all_are or self._is_stable(values):
                yield self.encoding.state(values)

    def _is_stable(self, values: Sequence[int]) -> bool:
        return bool(self.space.only(values) & self.space.stable != self.nothing)

    # --- runs ---------------------------------------------------------------------------------------------------------

    def _everything(self, atoms: Sequence[int]) -> str:
        """Reach all; why nothing can be said about runs, empty: something can."""
        system = self.system
        self.reached.close(self._limited)
        if self.limit:
            return self.limit
        for atom in atoms:
            if self.reached.states & self.space.stable & self.space.truth(system.failed_atoms[atom]) != self.nothing:
                return f"{self.model.atoms[atom]} cannot be evaluated in some state"
        return ""

    def linear(self, observer: Observer) -> Answer:
        problem = self._everything(atoms_used(self.model, observer))
        if problem:
            return replace(self._counted(), reason=problem)
        run = WrongRuns(self.space, observer, self.reached.states, self.reached.tell, self.plan.fair).find()
        answer = self._counted()
        if run is None:
            return answer
        return replace(answer, error=error_of(self.model, observer, self.encoding, run))

    def _fair(self) -> Fair | None:
        """Which paths count; None: all of them."""
        observer = Observer("paths", "ctl", (0,), ((ObserverEdge((ALWAYS,), 0),),), 0)
        if self.plan.fair == "events" or self.model.always_fair:
            observer = observer.fair_to(self.model.fairness_constraints)
        elif self.plan.fair is None:
            return None
        reached = self.reached.states
        runs = WrongRuns(self.space, observer, reached, self.reached.tell, self.plan.fair)
        inside = reached & ~self.space.stable
        return lambda within: runs.hull({0: within | inside})[0] & self.space.stable & within

    def branching(self, asked: Branching) -> Answer:
        numbers = {name: number for number, name in enumerate(self.model.atoms)}
        problem = self._everything([numbers[name] for name in atoms_of(asked.formula)])
        broken = any_of(breach.condition for breach in self.system.breaches)
        if not problem and self.reached.states & self.space.truth(broken) != self.nothing:
            problem = _BROKEN
        if problem:
            return replace(self._counted(), reason=problem)
        satisfying = Satisfying(self.space, self.reached.states, numbers, self._fair())
        wrong = self.space.initial & ~satisfying.of(asked.formula)
        holds, answer = bool(wrong == self.nothing), self._counted()
        if holds and self.space.count(self.space.initial) > 1:
            return answer  # no single run shows it
        start = self.space.one(self.space.initial if holds else wrong)
        fair = self.plan.fair is not None or self.model.always_fair
        run = None if fair else run_of(satisfying, asked.formula, start)
        if run is not None and (not holds or (run.whole and len(run.states) > 1)):
            answer = replace(answer, run=tuple(map(self.encoding.state, run.states)), loop=run.loop)
        if holds:
            return answer
        message = f"formula violated: {asked.text}"
        if run is None:
            return replace(answer, violated=f"{message}; no single run shows it")
        rest = "" if run.whole else "; what is wrong in the last state of the run is shown by no single run"
        return replace(answer, violated=message + rest)
