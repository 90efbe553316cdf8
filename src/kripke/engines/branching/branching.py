"""Checking formulas of branching time: the whole graph of the model, then the set of states of every formula."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from kripke import __version__
from kripke.deadline import Deadline, OutOfTime, current
from kripke.engines.branching.asked import Branching
from kripke.engines.branching.ctl import FairSet, Labelling
from kripke.engines.branching.graph import GraphLimits, StateGraph, build
from kripke.engines.branching.witness import GraphGround, Run, shown
from kripke.engines.explicit.conclusion import PLEASE_REPORT
from kripke.engines.explicit.search import Watch
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.engines.runs.replay import ReplayFailure, replay_path
from kripke.logic.ctl import ExistsStep, atoms_of, walk
from kripke.memory import default_limit
from kripke.model.model import Model
from kripke.model.result import Finding, Result
from kripke.model.trace import Trace

_REASONS = {
    "memory": "the memory limit was reached",
    "states": "the limit of states was reached",
    "time": "the time limit was reached",
    "interrupted": "interrupted",
    "error": "a step of the model is an error and leads nowhere (kripke check shows it), so paths are missing",
}


def read_formulas(ctl: Sequence[str], mu: Sequence[str]) -> list[Branching]:
    """ModelError points at what cannot be understood."""
    return [
        *(Branching.read("ctl", text, number) for number, text in enumerate(ctl, start=1)),
        *(Branching.read("mu", text, number) for number, text in enumerate(mu, start=1)),
    ]


def read(model: Model, plan: SearchPlan) -> list[Branching]:
    return read_formulas(plan.ctl, plan.mu)


def conditions_of(ctl: Sequence[str], mu: Sequence[str]) -> tuple[str, ...]:
    """What the model must know the truth of: the atoms of the formulas."""
    return tuple(sorted({name for asked in read_formulas(ctl, mu) for name in atoms_of(asked.formula)}))


def check(
    model: Model,
    asked: Sequence[Branching],
    plan: SearchPlan,
    *,
    watch: Watch | None = None,
    origin: Mapping[str, Any] | None = None,
) -> list[Result]:
    """The truth of every formula in the initial states."""
    labelled = any(isinstance(part, ExistsStep) for one in asked for part in walk(one.formula))
    statements = Actions(model)
    for one in asked:
        statements.check(one)
    atoms = sorted({name for one in asked for name in atoms_of(one.formula)})
    if model.merged_steps:
        raise Unsupported(f"--ctl and --mu are about single steps, which {model.merged_steps} joins: leave it out")
    if not set(atoms) <= set(model.atoms):
        raise Unsupported(f"--ctl and --mu: there are no conditions on states in the language {model.language} yet")
    deadline = current().within(plan.time_limit)
    start = perf_counter()
    library, warnings = None, list(map(str, model.warnings))
    if plan.engine != "interpreter":
        from kripke.engines.explicit.compiled import compiled_model

        library, warning = compiled_model(model)
        if warning and plan.engine == "native":
            raise Unsupported(warning.partition(";")[0])
        warnings += [warning] if warning else []
    compiled = perf_counter() - start
    limits = GraphLimits(
        max_states=plan.max_states or 0,
        memory=plan.memory or default_limit(),
        time_limit=deadline.limit(),
    )
    start = perf_counter()
    fair = _fairness_atoms(model)
    graph = build(
        model, [*atoms, *(name for name in fair if name not in atoms)], limits, library, watch, labelled=labelled
    )
    made = perf_counter() - start
    labelling = Labelling(graph, statements, deadline, _fairness(model, graph) if fair and not graph.reason else ())
    checking = _Checking(model, graph, labelling, deadline, origin or {})
    results = []
    for one in asked:
        start = perf_counter()
        found = checking.result(one)
        results.append(
            replace(
                found,
                seconds=made + perf_counter() - start,
                compile_seconds=compiled,
                engine={
                    "name": "interpreter" if library is None else "native",
                    "search": "graph",
                    "store": "full",
                    "por": False,
                    "threads": 1,
                    "all_errors": False,
                    "max_depth": None,
                    "max_states": plan.max_states,
                    "memory": limits.memory,
                    "time_limit": plan.time_limit,
                },
                warnings=tuple(warnings),
            )
        )
    return results


def _fairness_atoms(model: Model) -> list[str]:
    """What the graph must know for the fairness that the model's formulas are about."""
    wanted = [number for one in model.fairness_constraints for number in (one.atom, one.able) if number is not None]
    return [model.atoms[number] for number in wanted] if model.always_fair else []


def _fairness(model: Model, graph: StateGraph) -> list[FairSet]:
    everywhere = (1 << graph.states) - 1
    return [
        FairSet(
            everywhere & ~graph.atom(model.atoms[one.atom]),
            None if one.able is None else graph.atom(model.atoms[one.able]),
        )
        for one in model.fairness_constraints
    ]


class Actions:
    """The names of actions: texts of statements and names of processes; of a net, those of transitions."""

    def __init__(self, model: Model) -> None:
        self.known: dict[str, set[int]] = {}
        for number, statement in enumerate(model.statements):
            for name in (statement.text, statement.component):
                self.known.setdefault(name, set()).add(number)
        self.all = range(len(model.statements))

    def __call__(self, names: tuple[str, ...]) -> Collection[int]:
        """The statements of these names; of no name at all, every statement."""
        return self.all if not names else set[int]().union(*(self.known[name] for name in names))

    def check(self, asked: Branching) -> None:
        for part in walk(asked.formula):
            if isinstance(part, ExistsStep):
                unknown = [name for name in part.actions if name not in self.known]
                if unknown:
                    raise Unsupported(
                        f"--mu {asked.text}: there is no action {unknown[0]!r}; an action is the text of a "
                        "statement, the name of a process, or of a net the name of a transition"
                    )


class _Checking:
    """Formulas on one graph."""

    def __init__(
        self, model: Model, graph: StateGraph, labelling: Labelling, deadline: Deadline, origin: Mapping[str, Any]
    ) -> None:
        self.model = model
        self.graph = graph
        self.labelling = labelling
        self.deadline = deadline
        self.origin = origin

    def result(self, asked: Branching) -> Result:
        if self.graph.reason:
            return self._result(asked, "unknown", _REASONS[self.graph.reason])
        if self.graph.undecided:
            return self._result(asked, "unknown", "a condition of the formula cannot be evaluated in some state")
        if not self.graph.states:
            return self._result(asked, "unknown", "the model has no initial state")
        try:
            return self._decided(asked)
        except OutOfTime:
            return self._result(asked, "unknown", _REASONS["time"])
        except ReplayFailure as failure:
            return self._result(asked, "unknown", f"the interpreter cannot replay the path: {failure}; {PLEASE_REPORT}")

    def _decided(self, asked: Branching) -> Result:
        true = self.labelling.states(asked.formula)
        wrong = next((number for number in range(self.graph.initial_states) if not true >> number & 1), None)
        ground = GraphGround(self.labelling, self._steps)
        run = shown(ground, asked.formula, 0 if wrong is None else wrong)
        if wrong is None:
            if run is None or not run.whole or len(run.states) == 1 or self.graph.initial_states > 1:
                return self._result(asked, "holds", "")
            trace = self._trace(run, asked)
            return self._result(asked, "holds", "", Finding(asked.logic, asked.text, "a witness", trace=trace))
        message = f"formula violated: {asked.text}"
        if run is None:
            return self._result(asked, "violated", f"{message}; no single run shows it")
        if not run.whole:
            message += "; what is wrong in the last state of the run is shown by no single run"
        finding = Finding(asked.logic, asked.text, message, trace=self._trace(run, asked))
        return self._result(asked, "violated", message, finding)

    def _steps(self, number: int) -> list[tuple[int, int]]:
        self.deadline()
        labels = self.graph.labels(number)
        targets = self.graph.successors(number)
        return list(zip(labels, targets, strict=True)) if labels else [(-1, target) for target in targets]

    def _trace(self, run: Run[int], asked: Branching) -> Trace:
        """Replayed, and the conditions of the formula evaluated once more on the way."""
        states = [self.graph.state(number) for number in run.states]
        trace = replay_path(self.model, states, {**self.origin}, self.deadline)
        places = {name: number for number, name in enumerate(self.model.atoms)}
        for number, state in zip(run.states, states, strict=True):
            values = self.model.atom_values(state)
            for name in atoms_of(asked.formula):
                if values[places[name]] != bool(self.graph.atom(name) >> number & 1):
                    raise ReplayFailure(f"the engine and the interpreter do not agree on {name}")
        return replace(trace, loop_start=run.loop)

    def _result(self, asked: Branching, verdict: Any, reason: str, finding: Finding | None = None) -> Result:
        return Result(
            verdict=verdict,
            reason=reason,
            property=asked.text,
            kind=asked.logic,
            states=self.graph.states,
            transitions=self.graph.edges + self.graph.initial_states,
            depth=0,
            errors=int(verdict == "violated"),
            state_bytes=self.graph.longest,
            store_bytes=self.graph.bytes,
            seconds=0.0,
            compile_seconds=0.0,
            engine={},
            complete=not self.graph.reason,
            trace=None if finding is None else finding.trace,
            model={"file": self.model.file, "language": self.model.language},
            version=__version__,
            findings=() if finding is None else (finding,),
            statement_count=len(self.model.statements),
            name=asked.name or asked.text,
            interrupted=self.graph.reason == "interrupted",
        )
