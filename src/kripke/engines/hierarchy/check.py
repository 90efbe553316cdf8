"""A check of a system of modes by diagrams per control point: invariants and run-time errors.

A way to an error is a shortest one: it is found backwards through the rings, with the steps of the interpreter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

from kripke import __version__
from kripke.engines.explicit.search import Watch
from kripke.engines.hierarchy.diagrams import EMPTY
from kripke.engines.hierarchy.reachability import Control, Reachability, TooWide
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.engines.runs.replay import replay_path
from kripke.hierarchy.mode_model import KINDS, ModeModel
from kripke.model.model import Model
from kripke.model.property import Safety
from kripke.model.result import Finding, Result
from kripke.model.source import NOWHERE
from kripke.model.trace import Trace

_NO_DEADLOCKS = (
    "--search hierarchic looks for broken invariants and run-time errors, not for deadlocks: add --no-deadlock"
)
_MOST_LOOKED_AT = 200_000  # states, on the way back


class _OutOfTime(Exception):
    pass


def check(
    model: Model, properties: Sequence[Any], plan: SearchPlan, *, watch: Watch | None, origin: Mapping[str, Any]
) -> Sequence[Result]:
    """The engine ``hierarchic``."""
    modes = model.capability(ModeModel)
    assert modes is not None
    if plan.deadlock:
        raise Unsupported(_NO_DEADLOCKS)
    return [_Search(modes, plan, origin).result() for _ in properties]


class _Search:
    def __init__(self, model: ModeModel, plan: SearchPlan, origin: Mapping[str, Any]) -> None:
        self.model, self.plan, self.origin = model, plan, origin
        self.begin = perf_counter()
        self.reachability = Reachability(model, self._pause)
        asked = [condition for condition in model.conditions if condition.name in plan.invariants]
        #: every condition that must hold: those of the text, then those that were asked for
        self.names = [*(one.name for one in model.system.invariants), *(one.name for one in asked)]
        self.terms = [*(one.term for one in model.system.invariants), *(one.term for one in asked)]
        self.stopped = ""

    def _pause(self) -> None:
        if self.plan.time_limit and perf_counter() - self.begin > self.plan.time_limit:
            raise _OutOfTime

    def result(self) -> Result:
        finding: Finding | None = None
        try:
            finding = self._finding()
        except _OutOfTime:
            self.stopped = "the time limit was reached"
        except KeyboardInterrupt:
            self.stopped = "interrupted"
        except TooWide as refusal:
            raise Unsupported(f"--search hierarchic: {refusal}") from refusal
        return self._told(finding)

    def _finding(self) -> Finding | None:
        search = self.reachability
        search.start()
        if broken := self.model.initial_violations():
            kind = self.model.violation_kinds[broken[0].violations[0].code]
            return Finding(kind.name, "no run-time error", kind.text, NOWHERE)
        while True:
            for control, root in search.rings[-1].items():
                found = search.errors(control, root, self.terms)
                if found is not None:
                    number, wrong = found
                    name = self.names[number]
                    trace = self._trace(control, wrong)
                    return Finding("invariant", f"invariant {name}", f"invariant {name} does not hold", NOWHERE, trace)
            more = search.advance()
            if search.broken is not None:
                kind = KINDS[search.broken.code]
                statement = self.model.statements[len(self.model.system.tops) + search.broken.transition]
                text = f"{kind.text}: {statement.text} ({statement.span})"
                return Finding(kind.name, "no run-time error", text, statement.span)
            if not more:
                return None

    def _trace(self, control: Control, wrong: int) -> Trace | None:
        """The shortest way: ring by ring back, to a state that steps to the one we have."""
        search = self.reachability
        path = [self._state(control, next(search.diagrams.members(wrong)))]
        looked = 0
        for ring in reversed(search.rings[:-1]):
            before = None
            for there, root in ring.items():
                for member in search.diagrams.members(root):
                    looked += 1
                    if looked > _MOST_LOOKED_AT:
                        return None
                    state = self._state(there, member)
                    if any(step.target == path[-1] for step in self.model.successors(state)):
                        before = state
                        break
                if before is not None:
                    break
            assert before is not None, "a ring has no way to the next"
            path.append(before)
        return replay_path(self.model, path[::-1], self.origin)

    def _state(self, control: Control, member: Sequence[int]) -> bytes:
        search, tree = self.reachability, self.model.tree
        values = tree.start()
        for node in tree.nodes:
            values[node.position] = control[node.number]
        for level, value in zip(search.levels(control), member, strict=True):
            values[level] = value
        return tree.encode(values)

    def _told(self, finding: Finding | None) -> Result:
        search, model = self.reachability, self.model
        goal = Safety(False, self.plan.invariants, assertions=False)
        complete = finding is None and not self.stopped
        roots = [root for root in search.reached.values() if root != EMPTY]
        return Result(
            verdict="violated" if finding else "holds" if complete else "unknown",
            reason=finding.message if finding else self.stopped,
            property=finding.property if finding else str(goal),
            kind=finding.kind if finding else "safety",
            states=search.states,
            transitions=0,
            depth=max(len(search.rings) - 1, 0),
            errors=int(finding is not None),
            state_bytes=model.max_state_bytes,
            store_bytes=0,
            seconds=perf_counter() - self.begin,
            compile_seconds=0.0,
            engine={
                "name": "interpreter",
                "search": "hierarchic",
                "store": "diagrams",
                "por": False,
                "threads": 1,
                "all_errors": False,
                "control_points": len(search.reached),
                "nodes": search.diagrams.size(roots),
                "made_nodes": len(search.diagrams.nodes) - 2,
            },
            complete=complete,
            trace=finding.trace if finding else None,
            model={"file": model.file, "language": model.language},
            version=__version__,
            warnings=tuple(map(str, model.warnings)),
            findings=(finding,) if finding else (),
            statement_count=len(model.statements),
            interrupted=self.stopped == "interrupted",
        )
