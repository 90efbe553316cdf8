"""Why does it hold? Every reachable state and step once more, counted: what was executed, what never changes.

This is a walk of its own, made only where it is asked for, so that no ordinary check becomes slower. That a part of a
formula has no influence is found by checking the formula without it (O. Kupferman, M. Y. Vardi, "Vacuity detection in
temporal model checking", STTT 4, 2003): with ``false`` in its place where it makes the formula weaker, else ``true``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kripke.engines.explicit.breadth_tree import BreadthTree, row
from kripke.engines.explicit.traversal import NOWHERE
from kripke.engines.plan import SearchPlan
from kripke.engines.runs.replay import ReplayFailure, replay_path
from kripke.logic.formula import FALSE, TRUE, Formula, made
from kripke.model.capabilities.inspectable import Inspectable
from kripke.model.capabilities.tabular import columns_of
from kripke.model.coverage import Coverage, Option, Use, Vacuity
from kripke.model.model import Model
from kripke.model.property import Temporal
from kripke.model.trace import Trace, make_step

if TYPE_CHECKING:
    from kripke.engines.explicit.prepare import Engine
    from kripke.model.columns import Values

    Array = np.ndarray[Any, Any]

_MOST_PARTS = 24  # of a formula that are tried
_MOST_SAMPLES = 12
_LONGEST_SAMPLE = 5_000  # steps


def measure(model: Model, plan: SearchPlan, holding: Sequence[Temporal]) -> Coverage:
    """``holding`` are the properties of runs that were found to hold."""
    seen = _Seen(model, plan)
    seen.look()
    walk = seen.walk
    inspected = model.capability(Inspectable)
    executed = tuple(bool(walk.covered[i]) or model.executed(i) for i in range(len(model.statements)))
    return Coverage(
        states=walk.size,
        transitions=seen.transitions,
        reason=walk.reason,
        statements=tuple(model.statements),
        executed=executed,
        executions=tuple(int(count) for count in seen.executions[: len(model.statements)]),
        options=tuple(
            Option(branch.span, model.statements[number], executed[number])
            for branch in (() if inspected is None else inspected.branches())
            for number in branch.options
        ),
        messages=tuple(
            Use(
                kind.name,
                _used(executed, kind.senders, kind.perhaps_senders),
                _used(executed, kind.receivers, kind.perhaps_receivers),
            )
            for kind in (() if inspected is None else inspected.message_types())
        ),
        unchanging=tuple(seen.unchanging()),
        constant_atoms=tuple(seen.constant_atoms()),
        atom_count=len(model.atoms),
        vacuous=tuple(vacuity for property_ in holding for vacuity in _vacuous(model, property_, plan)),
        samples=tuple(seen.samples(executed)),
        forbidden=frozenset(number for number in range(len(model.statements)) if model.forbids(number)),
    )


def _used(executed: Sequence[bool], surely: Sequence[int], perhaps: Sequence[int]) -> bool | None:
    if any(executed[number] for number in surely):
        return True
    return None if any(executed[number] for number in perhaps) else False


# --- the walk ---------------------------------------------------------------------------------------------------------


class _Seen:
    """What one walk through all states and steps tells."""

    def __init__(self, model: Model, plan: SearchPlan) -> None:
        self.model = model
        self.tree = BreadthTree(model, plan)
        self.walk = self.tree.walk
        self.columns = columns_of(model)
        self.transitions = self.walk.initial_steps
        self.executions: Array = np.zeros(len(model.statements) + 1, np.int64)
        self.first: dict[int, int] = {}  # of a statement: the state in which a step ending in it was first possible

    def look(self) -> None:
        for states, steps in self.tree.grow():
            self.columns.learn(states)
            went = steps.targets != np.uint64(NOWHERE)
            self.transitions += int(went.sum())
            self.executions += np.bincount(steps.statements[went], minlength=len(self.executions))
            labels, places = np.unique(steps.statements, return_index=True)
            for label, place in zip(labels.tolist(), places.tolist(), strict=True):
                self.first.setdefault(label, int(steps.sources[place]))

    def unchanging(self) -> Iterator[tuple[str, str]]:
        """Names with the same value in every state in which they are there, or have one without being mentioned."""
        columns = self.columns.columns()
        fixed = dict.fromkeys(range(len(columns)), "")
        for states in self.walk.states():
            values = self.columns.values(states)
            for number in list(fixed):
                value = _only(values[number], columns[number].kind, self.model.omitted_value)
                if value is None or (value and fixed[number] and fixed[number] != value):
                    del fixed[number]
                else:
                    fixed[number] = value or fixed[number]
            if not fixed:
                break
        for number, value in fixed.items():
            if value and not columns[number].name.endswith("@"):
                yield columns[number].name, value

    # --- sample runs --------------------------------------------------------------------------------------------------

    def samples(self, executed: Sequence[bool]) -> Iterator[Trace]:
        """Few runs that execute everything: each the shortest to a statement that none of those before has."""
        missing = {number for number in self.first if number < len(executed) and executed[number]}
        ways = self.tree.ways({self.first[number] for number in missing})
        made_so_far = 0
        for number in sorted(missing, key=lambda number: (-len(ways[self.first[number]]), number)):
            way = ways[self.first[number]]
            if number not in missing or len(way) > _LONGEST_SAMPLE:
                continue
            try:
                trace = self._run(way, number)
            except ReplayFailure:
                continue
            missing -= {part.statement for step in trace.steps for part in step.parts}
            missing.discard(number)
            made_so_far += 1
            yield trace
            if not missing or made_so_far >= _MOST_SAMPLES:
                return

    def _run(self, path: Sequence[bytes], statement: int) -> Trace:
        """The run through these states, and a step of the statement after it."""
        trace = replay_path(self.model, path)
        for transition in self.model.distinct_successors(path[-1]):
            if transition.parts and transition.parts[-1].statement == statement:
                return replace(trace, steps=(*trace.steps, make_step(self.model, len(path), path[-1], transition)))
        raise ReplayFailure("the statement is not executed here")

    def constant_atoms(self) -> Iterator[tuple[str, bool]]:
        """Atoms with the same truth everywhere; as soon as each has been true and false there is nothing more to do."""
        names = self.model.atoms
        always = never = (1 << len(names)) - 1
        for states in self.walk.states():
            for index in range(len(states.lengths)):
                truths = self.tree.truths(row(states, index))
                letter = sum(1 << i for i, value in enumerate(truths) if value)
                always &= letter
                never &= ~letter
                if not always | never:
                    return
        for number, name in enumerate(names):
            if (always | never) >> number & 1:
                yield name, bool(always >> number & 1)


def _only(values: Values, kind: str, omitted_value: str | None) -> str | None:
    """The only value of a column in a batch of states; empty where there is none, None where there are several."""
    if omitted_value is not None and values.missing is not None and values.missing.any():
        return omitted_value if values.missing.all() else None
    data = values.data if values.missing is None else values.data[~values.missing]
    if not len(data):
        return ""
    if (data != data[0]).any():
        return None
    if values.texts is not None:
        return str(values.texts[int(data[0])])
    return ("true" if data[0] else "false") if kind == "bool" else str(int(data[0]))


# --- vacuity ----------------------------------------------------------------------------------------------------------


def _vacuous(model: Model, property_: Temporal, plan: SearchPlan) -> Iterator[Vacuity]:
    """Parts of a formula that could be anything, the largest only."""
    if property_.formula is None or property_.cuts:
        return
    from kripke.engines.explicit.prepare import prepare
    from kripke.logic.translation import generalised

    formula = property_.formula
    if not generalised(formula, negated=True).initial:
        yield Vacuity(property_.name, str(formula), f"{formula} is true of every run whatsoever")
        return
    engine = prepare(model, plan.wanted_engine)
    quick = replace(plan, clarify=False, shortest=False, threads=1, por=False, all_errors=False, store=None)
    quick = replace(quick, symmetry="off")
    tried = 0

    def look(path: tuple[int, ...], part: Formula, positive: bool | None) -> Iterator[Vacuity]:
        nonlocal tried
        if part.operator in ("true", "false") or tried >= _MOST_PARTS:
            return
        if path:
            tried += 1
            values = [TRUE, FALSE] if positive is None else [FALSE if positive else TRUE]
            if all(_holds(model, property_, _with(formula, path, value), quick, engine) for value in values):
                yield Vacuity(property_.name, str(part), _suspicion(formula, path, part))
                return
        for index, operand in enumerate(part.operands):
            yield from look((*path, index), operand, _polarity(part.operator, index, positive))

    yield from look((), formula, True)


def _polarity(operator: str, index: int, positive: bool | None) -> bool | None:
    """Does the formula become weaker with its operand (True), stronger (False), or is it neither?"""
    if operator == "<->" or positive is None:
        return None
    return positive != (operator == "not" or (operator == "->" and index == 0))


def _with(formula: Formula, path: tuple[int, ...], value: Formula) -> Formula:
    if not path:
        return value
    operands = list(formula.operands)
    operands[path[0]] = _with(operands[path[0]], path[1:], value)
    return made(formula.operator, operands)


def _holds(model: Model, property_: Temporal, formula: Formula, plan: SearchPlan, engine: Engine) -> bool:
    from kripke.engines.linear.product_search import check_temporal

    if formula is TRUE:
        return True
    return check_temporal(model, replace(property_, formula=formula), plan, engine).verdict == "holds"


def _suspicion(formula: Formula, path: tuple[int, ...], part: Formula) -> str:
    around = formula
    for index in path[:-1]:
        around = around.operands[index]
    if around.operator == "->" and path[-1] == 1:
        return f"what {around.operands[0]} is to lead to does not matter: {around} would hold with false for {part}"
    if around.operator == "->":
        return f"it does not matter whether {part}: what follows from it holds anyway"
    return f"{part} does not matter: the formula would hold whatever stood in its place"
