"""A check of a 1-safe net by its unfolding: deadlocks, invariants and formulas of linear time, with runs that show it.

Every run that is found is followed by the reference semantics before anybody sees it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from kripke import __version__
from kripke.deadline import current
from kripke.engines.evidence import Evidence
from kripke.engines.explicit.search import ErrorKind, ErrorPath, Watch
from kripke.engines.nets.following import broken_rule, follow, follow_to_error
from kripke.engines.nets.unfolding.prefix import NotUnfoldable, Prefix, unfold
from kripke.engines.nets.viewing import check_viewed
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.engines.runs.replay import ReplayFailure
from kripke.model.model import Model
from kripke.model.property import Safety, Temporal
from kripke.model.result import Finding, Result, Verdict
from kripke.model.source import NOWHERE
from kripke.model.trace import Trace
from kripke.nets.place_transition_view import PlaceTransitionView
from kripke.nets.predicates import FALSE, negation

_ENDS = (
    "no infinite run breaks the formula, but the net has a deadlock, and a run that ends is not seen by an unfolding: "
    "leave out --search prefix"
)


def check(
    model: Model, properties: Sequence[Any], plan: SearchPlan, *, watch: Watch | None, origin: Mapping[str, Any]
) -> Sequence[Result]:
    """The engine ``prefix``. It has a condition for every token: places for what is left would make it larger."""
    return check_viewed(_check_on_prefix, "prefix", "as predicates", model, properties, plan, origin)


def _check_on_prefix(
    view: PlaceTransitionView, properties: Sequence[Safety | Temporal], options: SearchPlan, origin: Mapping[str, Any]
) -> list[Result]:
    """Each property by itself; Unsupported where an unfolding cannot tell."""
    checker = _Checker(view, options, origin)
    try:
        return [checker.linear(one) if isinstance(one, Temporal) else checker.safety() for one in properties]
    except NotUnfoldable as refusal:
        raise Unsupported(f"--search prefix: {refusal}") from refusal


class _Checker:
    def __init__(self, view: PlaceTransitionView, options: SearchPlan, origin: Mapping[str, Any]) -> None:
        self.view = view
        self.model = view.model
        self.options = options
        self.origin = origin
        self._prefix: Prefix | None = None

    @property
    def prefix(self) -> Prefix:
        if self._prefix is None:
            options = self.options
            limit = current().within(options.time_limit).limit()
            self._prefix = unfold(self.view.net, memory=options.memory or 0, time_limit=limit)
        return self._prefix

    def safety(self) -> Result:
        from kripke.engines.nets.unfolding.satisfiability import way_to, way_to_deadlock

        begin = perf_counter()
        model, options = self.model, self.options
        deadlocks = options.deadlock and model.has_deadlocks
        broken = self._broken()
        findings = [] if broken is None else [broken]
        # Behind a step that is an error, the unfolded net may go on where the model does not: nothing more is asked.
        if broken is None and deadlocks and (way := way_to_deadlock(self.prefix, self.view.stuck)) is not None:
            trace = self._trace(way)
            if model.successors(trace.final) or model.valid_end(trace.final):
                raise ReplayFailure("the marking that was found is not a deadlock")
            text, found = f"deadlock: {model.deadlock_text}", _evidence(trace, "deadlock", -1)
            findings.append(Finding("deadlock", "no deadlock", text, NOWHERE, trace, evidence=found))
        for name in options.invariants:
            if broken is not None or (findings and not options.all_errors):
                break
            way = way_to(self.prefix, negation(self.view.predicate(name)))
            if way is None:
                continue
            trace = self._trace(way)
            if model.atom_values(trace.final)[model.atoms.index(name)]:
                raise ReplayFailure("the marking that was found does not break the invariant")
            text, found = f"invariant {name} does not hold", _evidence(trace, "invariant", model.atoms.index(name))
            findings.append(Finding("invariant", f"invariant {name}", text, NOWHERE, trace, evidence=found))
        goal = Safety(deadlocks, options.invariants, assertions=False)
        facts = {
            "conditions": len(self.prefix.conditions),
            "cut-offs": self.prefix.cut_offs,
        }
        events = len(self.prefix.events)
        return self._result(str(goal), "safety", "safety", findings, "", begin, events, facts)

    def linear(self, property_: Temporal) -> Result:
        from kripke.engines.nets.unfolding.linear_time import check_runs

        begin = perf_counter()
        options = self.options
        if property_.formula is None or property_.kind != "ltl" or property_.cuts:
            raise NotUnfoldable("only formulas of linear time are checked on unfoldings")
        atoms = [str(atom) for atom in property_.formula.atoms()]
        if any(atom in self.model.step_atoms for atom in atoms):
            raise NotUnfoldable("the formula speaks of steps (fires), and a prefix is asked about markings: choose scc")
        if problem := self._refuse_broken(atoms):
            return self._result(str(property_), "ltl", property_.name, [], problem, begin, 0, {})
        answer = check_runs(
            self.view.net,
            property_.formula,
            {atom: self.view.predicate(atom) for atom in atoms},
            memory=options.memory or 0,
            time_limit=current().within(options.time_limit).limit(),
        )
        findings, reason = [], ""
        if answer.run is not None:
            trace = replace(self._trace(answer.run), loop_start=answer.loop_start)
            self._confirm(trace, property_)
            findings.append(Finding("ltl", str(property_), f"{property_.text} does not hold", NOWHERE, trace))
        elif self._may_end():
            reason = _ENDS
        whole = (answer.before, answer.behind)
        facts = {
            "conditions": sum(part.conditions for part in whole),
            "cut-offs": sum(part.terminals for part in whole),
            "checkpoints": answer.checkpoints,
        }
        events = sum(part.events for part in whole)
        return self._result(str(property_), "ltl", property_.name, findings, reason, begin, events, facts)

    def _broken(self) -> Finding | None:
        """A step that is an error, where there is one."""
        from kripke.engines.nets.unfolding.satisfiability import way_to

        for error in (one for sort in self.view.errors for one in sort):
            way = way_to(self.prefix, error.where)
            if way is not None:
                found = broken_rule(self.model, follow_to_error(self.view, way, error), self.origin)
                assert found.trace is not None
                ((code, statement), *_) = found.trace.steps[-1].violations
                return replace(found, evidence=_evidence(found.trace, "violation", code, statement))
        return None

    def _refuse_broken(self, atoms: Sequence[str]) -> str:
        """Why nothing can be said about runs: empty, if something can."""
        from kripke.engines.nets.unfolding.satisfiability import way_to

        broken = self._broken()
        if broken is not None:
            return f"{broken.message}: such a step leads nowhere (--property safety shows it), so runs are missing"
        for name in atoms:
            if (fails := self.view.fails(name)) != FALSE and way_to(self.prefix, fails) is not None:
                return f"{name} cannot be evaluated in some marking"
        return ""

    def _may_end(self) -> bool:
        from kripke.engines.nets.unfolding.satisfiability import way_to_deadlock

        return way_to_deadlock(self.prefix) is not None

    def _confirm(self, trace: Trace, property_: Temporal) -> None:
        """The run comes back to where its loop begins, and by the definition of the formula breaks it."""
        from kripke.logic.lasso import Lasso, holds

        assert property_.formula is not None
        assert trace.loop_start is not None
        states = [trace.initial, *(step.state for step in trace.steps if step.state is not None)]
        if states[-1] != states[trace.loop_start]:
            raise ReplayFailure("the run does not come back to the start of its loop")
        values = [self.model.atom_values(state) for state in states[:-1]]
        letters = tuple(sum(value << number for number, value in enumerate(truth)) for truth in values)
        if holds(property_.formula, Lasso(letters, trace.loop_start), self.model.atoms):
            raise ReplayFailure("the run satisfies the formula")

    def _trace(self, transitions: Sequence[int]) -> Trace:
        found = follow(self.view, transitions)
        return Trace(self.model, found.initial, found.steps, origin=self.origin)

    def _result(
        self,
        text: str,
        kind: str,
        name: str,
        findings: list[Finding],
        reason: str,
        begin: float,
        events: int,
        facts: Mapping[str, int],
    ) -> Result:
        verdict: Verdict = "violated" if findings else "unknown" if reason else "holds"
        first = findings[0] if findings else None
        return Result(
            verdict=verdict,
            reason=first.message if first else reason,
            property=first.property if first else text,
            kind=first.kind if first else kind,
            states=events,
            transitions=0,
            depth=0,
            errors=len(findings),
            state_bytes=len(self.view.net.places),
            store_bytes=0,
            seconds=perf_counter() - begin,
            compile_seconds=self.view.seconds,
            engine={
                "name": "native",
                "search": "prefix",
                "store": "full",
                "por": False,
                "threads": 1,
                "all_errors": self.options.all_errors,
                **facts,
            },
            complete=not findings and not reason,
            trace=first.trace if first else None,
            model={"file": self.model.file, "language": self.model.language},
            version=__version__,
            warnings=tuple(str(warning) for warning in self.model.warnings),
            findings=tuple(findings),
            statement_count=len(self.model.statements),
            name=name,
        )


def _evidence(trace: Trace, kind: ErrorKind, code: int, statement: int = -1) -> Evidence:
    """A configuration has more events than the error needs."""
    states = (trace.initial, *(step.state for step in trace.steps if step.state is not None))
    return Evidence(ErrorPath(kind, code, statement, states))
