"""A check of a system of modes by diagrams per control point: errors, invariants, deadlocks, formulas.

A way to an error is a shortest one: it is found backwards through the rings of macro steps. The truth of a formula of
linear or branching time is found on sets; a run that shows it is picked out of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from time import perf_counter
from typing import Any

from kripke import __version__
from kripke.deadline import current
from kripke.engines.branching.asked import Branching
from kripke.engines.branching.set_witness import SetGround
from kripke.engines.branching.witness import Run, shown
from kripke.engines.explicit.conclusion import PLEASE_REPORT
from kripke.engines.explicit.search import ErrorPath, Watch
from kripke.engines.hierarchy.branching import Satisfaction
from kripke.engines.hierarchy.located import BEFORE, DONE, ERROR, RINGS, WRONG, Event, OutOfBudget
from kripke.engines.hierarchy.macro_relation import MacroRelation, Region
from kripke.engines.hierarchy.reachability import Reachability, TooWide
from kripke.engines.linear.set_lasso import Lasso
from kripke.engines.linear.set_runs import WrongRuns
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.engines.runs.replay import ReplayFailure, replay_error, replay_path
from kripke.hierarchy.mode_model import KINDS, ModeModel
from kripke.logic.ctl import Atom, StateFormula, atoms_of
from kripke.model.model import Model
from kripke.model.property import Safety, Temporal
from kripke.model.result import Finding, Result
from kripke.model.source import NOWHERE
from kripke.model.trace import Trace

_TO_COUNT = 0.3  # seconds, where the time is over
_REASONS = {
    "memory": "the memory limit was reached",
    "time": "the time limit was reached",
    "interrupted": "interrupted",
    "depth": "the diagrams are too deep for the stack",
}


def check(
    model: Model, properties: Sequence[Any], plan: SearchPlan, *, watch: Watch | None, origin: Mapping[str, Any]
) -> Sequence[Result]:
    """The engine ``hierarchic``."""
    sys.set_int_max_str_digits(0)  # there may be more states than numbers usually have digits
    modes = model.capability(ModeModel)
    assert modes is not None
    for property_ in properties:
        if isinstance(property_, Temporal) and (property_.formula is None or property_.kind != "ltl" or property_.cuts):
            raise Unsupported(
                "--search hierarchic: of the properties of runs, only formulas of linear time are checked"
            )
    return [_Check(modes, plan, origin, property_).result() for property_ in properties]


class _Check:
    """Of one property: its own search, for what must hold at rest belongs to it."""

    def __init__(self, model: ModeModel, plan: SearchPlan, origin: Mapping[str, Any], property_: Any) -> None:
        self.model, self.plan, self.origin, self.property = model, plan, origin, property_
        self.begin = perf_counter()
        self.stopped = self.problem = ""
        self.witness: Finding | None = None  # of a formula that holds
        self.safety = not isinstance(property_, (Temporal, Branching))
        asked = [condition for condition in model.conditions if self.safety and condition.name in plan.invariants]
        own = model.system.invariants
        #: every condition that must hold, and how it is confirmed: those of the text, then those that were asked for
        self.names = [*(one.name for one in own), *(one.name for one in asked)]
        terms = [*(one.term for one in own), *(one.term for one in asked)]
        try:
            self.search = Reachability(model, terms, plan.memory or 0)
        except TooWide as refusal:
            raise Unsupported(f"--search hierarchic: {refusal}") from refusal
        self.search.sets.deadline = current().within(plan.time_limit)

    def result(self) -> Result:
        finding: Finding | None = None
        look: Callable[[], Finding | None] = self._bad
        if isinstance(self.property, Temporal):
            look = self._linear
        elif isinstance(self.property, Branching):
            look = self._branching
        try:
            finding = look()
        except OutOfBudget as out:
            self.stopped = out.reason
        except KeyboardInterrupt:
            self.stopped = "interrupted"
        except TooWide as refusal:
            raise Unsupported(f"--search hierarchic: {refusal}") from refusal
        except ReplayFailure as failure:
            self.problem = f"the interpreter cannot replay the run: {failure}; {PLEASE_REPORT}"
        return self._told(finding)

    # --- the sorts of properties --------------------------------------------------------------------------------------

    def _bad(self) -> Finding | None:
        search = self.search
        if broken := self.model.initial_violations():
            kind = self.model.violation_kinds[broken[0].violations[0].code]
            return Finding(kind.name, "no run-time error", kind.text, NOWHERE)
        search.start()
        event = search.advance()
        assert event.kind != RINGS
        if event.kind == ERROR:
            return self._run_time_error(event)
        if event.kind == WRONG:
            return self._broken(event)
        if not self.plan.deadlock or not self.model.has_deadlocks:
            return None
        relation = MacroRelation(search)
        if not relation.dead:
            return None
        ring, state = relation.some_state(relation.dead)
        error = ErrorPath("deadlock", 0, 0, tuple(search.way_to(state, ring)))
        trace = replay_error(self.model, error, self.origin)
        return Finding("deadlock", "no deadlock", f"deadlock: {self.model.deadlock_text}", NOWHERE, trace)

    def _run_time_error(self, event: Event) -> Finding:
        """From where in the last ring does it happen?"""
        search, last = self.search, self.search.rings - 1
        pairs = search.sets.ring(last)[event.where].mirrored()
        again, _ = search.macro_step(event.where, pairs, event.actor)
        assert again.kind == ERROR
        state = search.state(event.where, again.set.project(BEFORE))
        statement = len(self.model.system.tops) + again.number
        path = tuple(search.way_to(state, last))
        trace = replay_error(self.model, ErrorPath("violation", again.code, statement, path), self.origin)
        kind, text = KINDS[again.code], self.model.statements[statement]
        return Finding(kind.name, "no run-time error", f"{kind.text}: {text.text} ({text.span})", text.span, trace)

    def _broken(self, event: Event) -> Finding:
        search, name = self.search, self.names[event.number]
        path = search.way_to(search.state(event.where, event.set), search.rings - 1)
        own = len(self.model.system.invariants)
        if event.number >= own:
            error = ErrorPath("invariant", self.model.atoms.index(name), 0, tuple(path))
            trace = replay_error(self.model, error, self.origin)
        else:
            trace = replay_path(self.model, path, self.origin)
        return Finding("invariant", f"invariant {name}", f"invariant {name} does not hold", NOWHERE, trace)

    def _relation(self, atoms: Sequence[str]) -> tuple[MacroRelation, dict[str, Region]] | None:
        """All steps, and where the atoms are true; None, with the problem, where nothing can be said about runs."""
        broken = "a step is an error and leads nowhere (--property safety shows it), so paths are missing"
        if self.model.initial_violations():
            self.problem = broken
            return None
        self.search.start()
        if self.search.advance().kind != DONE:
            self.problem = broken
            return None
        relation, found = MacroRelation(self.search), dict[str, Region]()
        known = {condition.name: condition.term for condition in self.model.conditions}
        for name in atoms:
            if name not in known:
                raise Unsupported(f"--search hierarchic: {name} is no condition on states")
            found[name] = relation.satisfying(known[name])
            false = relation.unsatisfying(known[name])
            if (found[name] | false) != relation.reachable:
                self.problem = f"{name} cannot be evaluated in some state"
                return None
        return relation, found

    def _linear(self) -> Finding | None:
        from kripke.logic.translation import TranslationTooLarge, generalised

        property_ = self.property
        try:
            automaton = generalised(property_.formula, negated=True)
        except TranslationTooLarge as refusal:
            raise Unsupported(f"--search hierarchic: {refusal}") from refusal
        known = self._relation([str(atom) for atom in automaton.atoms])
        if known is None:
            return None
        runs = WrongRuns(known[0], automaton, known[1])
        kept = runs.kept()
        if kept is None:
            return None
        trace = self._run(Lasso(runs, kept, known[0].one).find(), known[0])
        return Finding("ltl", str(property_), f"{property_.text} does not hold", NOWHERE, trace)

    def _run(self, lasso: tuple[list[Region], int], relation: MacroRelation) -> Trace:
        """The run, replayed. One that ends goes on in its last state for ever."""
        regions, loop = lasso
        path = [relation.state_of(region) for region in regions]
        end = next((at for at, (one, other) in enumerate(pairwise(path)) if one == other), None)
        if end is not None:
            return replay_path(self.model, path[: end + 1], self.origin)
        return replace(replay_path(self.model, path, self.origin), loop_start=loop)

    def _branching(self) -> Finding | None:
        property_ = self.property
        known = self._relation(sorted(atoms_of(property_.formula)))
        if known is None:
            return None
        relation, atoms = known
        satisfaction = Satisfaction(relation, atoms)
        ground = SetGround(relation, satisfaction.of, relation.single, relation.state_of)
        wrong = relation.initial - satisfaction.of(property_.formula)
        run = shown(ground, property_.formula, relation.state_of(wrong or relation.initial))
        if not wrong:
            if run is not None and run.whole and len(run.states) > 1 and len(self.model.initial()) == 1:
                trace = self._shown(run, property_.formula, ground)
                self.witness = Finding("ctl", property_.text, "a witness", trace=trace)
            return None
        message = f"formula violated: {property_.text}"
        if run is None:
            return Finding("ctl", property_.text, f"{message}; no single run shows it", NOWHERE)
        if not run.whole:
            message += "; what is wrong in the last state of the run is shown by no single run"
        return Finding("ctl", property_.text, message, NOWHERE, self._shown(run, property_.formula, ground))

    def _shown(self, run: Run[bytes], formula: StateFormula, ground: SetGround[Region]) -> Trace:
        """Replayed, and the conditions of the formula evaluated once more on the way."""
        trace = replay_path(self.model, run.states, self.origin)
        names = {name: number for number, name in enumerate(self.model.atoms)}
        for state in run.states:
            values = self.model.atom_values(state)
            for name in atoms_of(formula):
                if values[names[name]] != ground.holds(Atom(name), state):
                    raise ReplayFailure(f"the engine and the interpreter do not agree on {name}")
        return replace(trace, loop_start=run.loop)

    # --- results ------------------------------------------------------------------------------------------------------

    def _told(self, finding: Finding | None) -> Result:
        search, model, plan = self.search, self.model, self.plan
        goal = Safety(plan.deadlock and model.has_deadlocks, plan.invariants, assertions=False)
        text = (
            str(goal)
            if self.safety
            else self.property.text
            if isinstance(self.property, Branching)
            else str(self.property)
        )
        whole = not self.stopped and not self.problem
        complete = whole and (finding is None or not self.safety)
        try:
            search.sets.deadline = current().at_least(_TO_COUNT)
            states, nodes = search.states, search.nodes
        except OutOfBudget:
            states = nodes = 0
        native, shown_by = search.sets.native, finding or self.witness
        return Result(
            verdict="violated" if finding else "holds" if whole else "unknown",
            reason=finding.message if finding else self.problem or _REASONS.get(self.stopped, self.stopped),
            property=finding.property if finding else text,
            kind=finding.kind if finding else "safety" if self.safety else self.property.kind,
            states=states,
            transitions=0,
            depth=max(search.rings - 1, 0),
            errors=int(finding is not None),
            state_bytes=model.max_state_bytes,
            store_bytes=native.bytes,
            seconds=perf_counter() - self.begin,
            compile_seconds=0.0,
            engine={
                "name": "native",
                "search": "hierarchic",
                "store": "diagrams",
                "por": False,
                "threads": 1,
                "all_errors": False,
                "control_points": len(search.controls),
                "nodes": nodes,
                "made_nodes": native.made_nodes,
                "peak_nodes": native.peak_nodes,
            },
            complete=complete,
            trace=shown_by.trace if shown_by else None,
            model={"file": model.file, "language": model.language},
            version=__version__,
            warnings=tuple(map(str, model.warnings)),
            findings=() if shown_by is None or shown_by.trace is None else (shown_by,),
            statement_count=len(model.statements),
            name="safety" if self.safety else text if isinstance(self.property, Branching) else self.property.name,
            interrupted=self.stopped == "interrupted",
        )
