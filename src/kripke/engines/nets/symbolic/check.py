"""A check of a net by sets of markings: deadlocks, invariants, formulas of linear and of branching time.

Of an unfolded net, some markings may be none of the model's: those behind a step that is an error. They are found and
left out first. A way to a bad marking is a shortest one where that is cheap, and followed by the reference semantics
before anybody sees it. Where there is no time for it, and for formulas, the answer comes without one, and says so.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from time import perf_counter
from typing import Any

from kripke import __version__
from kripke.deadline import current
from kripke.engines.branching.asked import Branching as BranchingFormula
from kripke.engines.explicit.search import Watch
from kripke.engines.linear.set_runs import WrongRuns
from kripke.engines.nets.following import broken_rule, follow, follow_to_error
from kripke.engines.nets.symbolic.branching import Branching
from kripke.engines.nets.symbolic.reached_errors import ReachedError, reached_errors
from kripke.engines.nets.symbolic.sets import Markings, MarkingSet, OutOfBudget
from kripke.engines.nets.symbolic.trying import reached
from kripke.engines.nets.symbolic.way import way_to
from kripke.engines.nets.viewing import check_viewed
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.engines.runs.replay import ReplayFailure
from kripke.logic import ctl
from kripke.logic.ctl import atoms_of
from kripke.model.capabilities.explains import explanation_of
from kripke.model.explanation import FalseAtom, Stuck
from kripke.model.model import Model
from kripke.model.property import Safety, Temporal
from kripke.model.result import Finding, Result, Verdict
from kripke.model.source import NOWHERE
from kripke.model.trace import Trace
from kripke.nets.formulas import Formula, Globally, Next, Now, SomePath, Until
from kripke.nets.place_transition_view import PlaceTransitionView
from kripke.nets.predicates import Constant, negation

REASONS = {
    "memory": "the memory limit was reached",
    "time": "the time limit was reached",
    "interrupted": "interrupted",
    "depth": "the diagrams are too deep for the stack",
    "error": "a place gets more tokens than diagrams count",
}
_NOT_COUNTED = "the answer was found, but not all markings and steps were counted"
_NO_WAY = "found in a set of markings, there was no time for the way there: another --search, or more time, shows it"
_NOT_SHORTEST = "the way shown is short, but may not be a shortest one: --shortest looks for that, and may take long"
_NO_RUN = "--search symbolic tells that there is such a run and shows none: another --search does"
_NO_WITNESS = "--search symbolic tells the truth of a formula of branching time and shows no path"


def check(
    model: Model, properties: Sequence[Any], plan: SearchPlan, *, watch: Watch | None, origin: Mapping[str, Any]
) -> Sequence[Result]:
    """The engine ``symbolic``. A place for what is left of a capacity keeps an unfolded net bounded."""
    sys.set_int_max_str_digits(0)  # there may be more states than numbers usually have digits
    return check_viewed(_check_on_sets, "symbolic", "as places", model, properties, plan, origin)


def _check_on_sets(
    view: PlaceTransitionView,
    properties: Sequence[Safety | Temporal | BranchingFormula],
    options: SearchPlan,
    origin: Mapping[str, Any],
) -> list[Result]:
    """Each property by itself; Unsupported where sets cannot tell."""
    for property_ in properties:
        if isinstance(property_, Temporal):
            _refuse(view.model, property_)
    trees = {one: _formula(view, one.formula) for one in properties if isinstance(one, BranchingFormula)}
    checker = _Checker(view, options, origin)
    results = []
    for property_ in properties:
        if isinstance(property_, BranchingFormula):
            results.append(checker.branching(property_.text, trees[property_], atoms_of(property_.formula)))
        elif isinstance(property_, Temporal):
            results.append(checker.linear(property_))
        else:
            results.append(checker.safety())
    return results


def _refuse(model: Model, property_: Temporal) -> None:
    if property_.formula is None or property_.kind != "ltl" or property_.cuts:
        raise Unsupported("--search symbolic: of the properties of runs, only formulas of linear time are checked")
    if any(name in model.step_atoms for name in property_.formula.atoms()):
        raise Unsupported(
            "--search symbolic: the formula speaks of steps (fires), and sets are of markings: choose scc"
        )


def _formula(view: PlaceTransitionView, formula: ctl.StateFormula) -> Formula:
    def part(inner: ctl.StateFormula) -> Formula:
        return _formula(view, inner)

    match formula:
        case ctl.Truth(value):
            return Now(Constant(value))
        case ctl.Atom(name):
            if name not in view.model.atoms:
                language = view.model.language
                raise Unsupported(f"--ctl: there are no conditions on states in the language {language} yet")
            return Now(view.predicate(name))
        case ctl.Not(operand):
            return ctl.Not(part(operand))
        case ctl.And(operands):
            return ctl.And(tuple(map(part, operands)))
        case ctl.Or(operands):
            return ctl.Or(tuple(map(part, operands)))
        case ctl.Same(left, right):
            both = (part(left), part(right))
            return ctl.Or((ctl.And(both), ctl.And((ctl.Not(both[0]), ctl.Not(both[1])))))
        case ctl.ExistsNext(operand):
            return SomePath(Next(part(operand)))
        case ctl.ExistsGlobally(operand):
            return SomePath(Globally(part(operand)))
        case ctl.ExistsUntil(through, reached):
            return SomePath(Until(part(through), part(reached)))
        case _:
            raise Unsupported("--search symbolic: a formula with named steps is checked on the graph: leave it out")


class _Checker:
    def __init__(self, view: PlaceTransitionView, options: SearchPlan, origin: Mapping[str, Any]) -> None:
        self.view = view
        self.model = view.model
        self.options = options
        self.origin = origin
        self.begin = perf_counter()
        self.problem = ""
        self.reached: tuple[list[ReachedError], MarkingSet] | None = None
        self.branches: Branching | None = None

    def _broken(self, branching: Branching) -> list[ReachedError]:
        """What is broken. Afterwards, reachable are the markings that are reached without breaking anything."""
        return self._reached(branching)[0]

    def _reached(self, branching: Branching) -> tuple[list[ReachedError], MarkingSet]:
        if self.reached is None:
            self.reached = reached_errors(branching, self.view.errors)
        return self.reached

    def _refuse_broken(self, branching: Branching, atoms: Collection[str]) -> str:
        """Why nothing can be said about runs: empty, if something can."""
        if self._broken(branching):
            what = self._broken(branching)[0].error.text
            return (
                f"{what}: such a step is an error and leads nowhere (--property safety shows it), so paths are missing"
            )
        for name in sorted(atoms):
            if branching.of_predicate(self.view.fails(name)):
                return f"{name} cannot be evaluated in some marking"
        return ""

    # --- the sorts of properties --------------------------------------------------------------------------------------

    def safety(self) -> Result:
        options, model = self.options, self.model
        deadlocks = options.deadlock and model.has_deadlocks
        findings: list[Finding] = []
        warnings: list[str] = []

        def wanted() -> bool:
            return not findings or options.all_errors

        def look(branching: Branching) -> str:
            for one in self._broken(branching):
                if wanted():
                    findings.append(self._of_error(branching.markings, one, warnings))
            if deadlocks and wanted() and (dead := self._dead(branching)):
                text = f"deadlock: {model.deadlock_text}"
                trace = self._way(branching, dead, None, warnings)
                findings.append(Finding("deadlock", "no deadlock", text, NOWHERE, trace))
            for name in options.invariants:
                if wanted() and (false := branching.of_predicate(negation(self.view.predicate(name)))):
                    trace = self._way(branching, false, name, warnings)
                    text = f"invariant {name} does not hold"
                    findings.append(Finding("invariant", f"invariant {name}", text, NOWHERE, trace))
            return ""

        goal = Safety(deadlocks, options.invariants, assertions=False)
        return self._result(look, str(goal), "safety", "safety", findings, warnings)

    def linear(self, property_: Temporal) -> Result:
        findings: list[Finding] = []
        warnings: list[str] = []

        def look(branching: Branching) -> str:
            from kripke.logic.translation import TranslationTooLarge, generalised

            assert property_.formula is not None
            try:
                automaton = generalised(property_.formula, negated=True)
            except TranslationTooLarge as refusal:
                raise Unsupported(f"--search symbolic: {refusal}") from refusal
            atoms = {str(atom): self.view.predicate(str(atom)) for atom in automaton.atoms}
            if problem := self._refuse_broken(branching, atoms):
                return problem
            true = {name: branching.of_predicate(predicate) for name, predicate in atoms.items()}
            if WrongRuns(branching.markings, automaton, true).exist():
                findings.append(Finding("ltl", str(property_), f"{property_.text} does not hold", NOWHERE))
                warnings.append(_NO_RUN)
            return ""

        return self._result(look, str(property_), "ltl", property_.name, findings, warnings)

    def branching(self, text: str, formula: Formula, atoms: Collection[str]) -> Result:
        findings: list[Finding] = []
        warnings: list[str] = []

        def look(branching: Branching) -> str:
            if problem := self._refuse_broken(branching, atoms):
                return problem
            if not branching.holds(formula):
                findings.append(Finding("ctl", text, f"{text} does not hold", NOWHERE))
                warnings.append(_NO_WITNESS)
            return ""

        return self._result(look, text, "ctl", text, findings, warnings)

    def _dead(self, branching: Branching) -> MarkingSet:
        """Where it is an error that nothing can fire: a step that is an error is one, too."""
        dead = branching.markings.satisfying(self.view.stuck, branching.markings.dead)
        for one in self._broken(branching):
            dead -= one.where
        return dead

    # --- ways ---------------------------------------------------------------------------------------------------------

    def _of_error(self, markings: Markings, reached: ReachedError, warnings: list[str]) -> Finding:
        error = reached.error
        try:
            way = self._found_way(markings, reached.where, reached.within, warnings)
        except OutOfBudget:
            warnings.append(_NO_WAY)
            return Finding(error.kind, error.text, error.text, NOWHERE)
        return broken_rule(self.model, follow_to_error(self.view, way, error), self.origin)

    def _found_way(
        self, markings: Markings, goal: MarkingSet, within: MarkingSet, warnings: list[str]
    ) -> Sequence[int]:
        way = way_to(markings, goal, within, shortest=self.options.shortest)
        if not way.shortest:
            warnings.append(_NOT_SHORTEST)
        return way.transitions

    def _way(self, branching: Branching, goal: MarkingSet, broken: str | None, warnings: list[str]) -> Trace | None:
        """A way to a bad marking, or a warning that there was no time for it. It does not lead on from a
        marking that is an end, where the unfolded net would."""
        try:
            way = self._found_way(branching.markings, goal, self._reached(branching)[1] | goal, warnings)
        except OutOfBudget:
            warnings.append(_NO_WAY)
            return None
        model = self.model
        initial, steps, state = follow(self.view, way)
        cause = Stuck() if broken is None else FalseAtom(model.atoms.index(broken))
        if broken is None:
            bad = not model.successors(state) and not model.valid_end(state)
        else:
            bad = not model.atom_values(state)[model.atoms.index(broken)]
        if not bad:
            raise ReplayFailure("the marking that was found is not a bad one")
        return Trace(model, initial, steps, origin=self.origin, explanation=explanation_of(model, state, cause))

    def _result(
        self,
        look: Callable[[Branching], str],
        text: str,
        kind: str,
        name: str,
        findings: list[Finding],
        warnings: list[str],
    ) -> Result:
        begin = perf_counter()
        stopped, problem, states, transitions, facts = self.problem, "", 0, 0, {}
        if not stopped:
            try:
                if self.branches is None:
                    deadline = current().within(self.options.time_limit)
                    self.branches = Branching(reached(self.view.net, self.options.memory or 0, deadline))
                markings = self.branches.markings
                problem = look(self.branches)
                facts["nodes"] = markings.reachable.nodes
                states = markings.reachable.count()
                transitions = markings.reachable.count_steps()
            except OutOfBudget as out:
                stopped = out.reason
                if self.branches is None:
                    self.problem = stopped
            except KeyboardInterrupt:
                stopped = "interrupted"
            if self.branches is not None:
                facts["peak_nodes"] = self.branches.markings.native.peak_nodes
        first = findings[0] if findings else None
        # What was found is found; time or memory may have ended while it was counted.
        complete = not findings and not problem and (not stopped or "nodes" in facts)
        if "nodes" in facts and not transitions and stopped:
            warnings.append(f"{_NOT_COUNTED}: {REASONS[stopped]}")
        verdict: Verdict = "violated" if first else "holds" if complete else "unknown"
        return Result(
            verdict=verdict,
            reason=first.message if first else "" if complete else problem or REASONS[stopped],
            property=first.property if first else text,
            kind=first.kind if first else kind,
            states=states,
            transitions=transitions,
            depth=0,
            errors=len(findings),
            state_bytes=len(self.view.net.places),
            store_bytes=0 if self.branches is None else self.branches.markings.native.bytes,
            seconds=perf_counter() - begin,
            compile_seconds=self.view.seconds,
            engine={
                "name": "native",
                "search": "symbolic",
                "store": "diagrams",
                "por": False,
                "threads": 1,
                "all_errors": self.options.all_errors,
                **facts,
            },
            complete=complete,
            trace=first.trace if first else None,
            model={"file": self.model.file, "language": self.model.language},
            version=__version__,
            warnings=(*(str(warning) for warning in self.model.warnings), *warnings),
            findings=tuple(findings),
            statement_count=len(self.model.statements),
            name=name,
            interrupted=stopped == "interrupted",
        )
