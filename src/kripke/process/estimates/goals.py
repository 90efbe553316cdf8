"""Estimates of the way to a deadlock, a failed assertion, a broken invariant, the guard of an observer."""

from __future__ import annotations

from collections.abc import Iterator

from kripke.model.capabilities.estimate import Goal, Known, Way
from kripke.process.estimates.control_flow import distances_to
from kripke.process.estimates.distance import (
    Combined,
    Distance,
    EachProcess,
    Fixed,
    OwnDistance,
    Value,
    combined,
)
from kripke.process.estimates.formula import FormulaDistance, capacity_of
from kripke.process.estimates.unit_steps import UnitSteps, run_later
from kripke.process.expressions import AskChannel, ChannelQuestion, Constant, Expression, Poll
from kripke.process.expressions import Match as MatchField
from kripke.process.nodes import nodes_of
from kripke.process.program import (
    Action,
    Assert,
    DeterministicStep,
    Edge,
    Guard,
    Location,
    ProcessType,
    Program,
    Receive,
    Send,
    Terminate,
)

DANGER = "danger"  # what labels of dangerous places begin with


def distance_to(program: Program, goal: Goal, way: Way) -> tuple[Distance, Known]:
    """The estimate, and what is known about it."""
    if way not in ("bound", "formula"):
        return Value(program.atoms[way]), Known(False, f"estimate {way}")
    return _Goals(program, bounding=way == "bound").distance_to(goal)


class _Goals:
    def __init__(self, program: Program, *, bounding: bool) -> None:
        self.program = program
        self.bounding = bounding
        self.units = UnitSteps(program)
        self.started = {initial.process for initial in program.initial}
        self.created = run_later(program)
        self.formula = FormulaDistance(self.units, self.created, bounding=bounding)
        self.labelled = any(_is_danger(location) for process in program.processes for location in process.locations)

    def distance_to(self, goal: Goal) -> tuple[Distance, Known]:
        parts: list[Distance] = []
        words: list[str] = []
        if goal.deadlock:
            parts.append(self._to_deadlock())
            words.append("deadlock")
        if goal.assertion:
            failing = self._to_assertion()
            if failing is not None:
                parts.append(failing)
                words.append("assertions")
        atoms = list(self.program.atoms.values())
        if goal.broken:
            parts += [self.formula.until_false(atoms[number]) for number in goal.broken]
            words.append("invariants")
        if goal.cubes:
            parts += [self._to_cube(atoms, *cube) for cube in goal.cubes]
            words.append("formula")
        if not parts:
            return Fixed(0), Known(True, "no estimate: there is nothing to aim at")
        by_label = goal.deadlock and self.labelled
        what = "local distances" if self.bounding else "formula-based distances"
        text = f"{what} to {', '.join(words)}" + ", by danger labels" * by_label
        violations = frozenset(["assertion"] if goal.assertion else [])
        known = Known(self.bounding and not by_label, text, violations)
        return combined("min", parts), known

    def _to_cube(self, atoms: list[Expression], positive: int, negative: int) -> Distance:
        parts = [self.formula.until_true(atom) for number, atom in enumerate(atoms) if positive >> number & 1]
        parts += [self.formula.until_false(atom) for number, atom in enumerate(atoms) if negative >> number & 1]
        return combined(self.formula.both, parts) if parts else Fixed(0)

    # --- assertions ---------------------------------------------------------------------------------------------------

    def _to_assertion(self) -> Distance | None:
        """A process must be where the assertion is, and what it says must be false: (i@u) and not a."""
        of_type: list[tuple[ProcessType, Distance]] = []
        later: list[int] = []
        for process in self.program.processes:
            asserts = list(_asserts(process))
            if not asserts or (process not in self.started and process not in self.created):
                continue
            ways = []
            entered = {edge.target for place in process.locations for edge in place.edges if edge.atomic}
            for number, condition in asserts:
                table = distances_to(process, {number}, within_step=True)
                # What holds now may be changed before it in the very step that fails.
                unknown = condition is None or (self.bounding and number in entered)
                false = Fixed(0) if condition is None or unknown else self.formula.until_false(condition)
                ways.append(combined(self.formula.both, [OwnDistance(table), false]))
                later.append(table[process.entry])
            of_type.append((process, combined("min", ways)))
        if not of_type:
            return None
        there: list[Distance] = [EachProcess("min", tuple(of_type))]
        there += [Fixed(min(later))] if any(process in self.created for process, _ in of_type) else []
        # The step in which it fails.
        return Combined("sum", (Fixed(1), combined("min", there)))

    # --- deadlocks ----------------------------------------------------------------------------------------------------

    def _to_deadlock(self) -> Distance:
        """Every process that is there must come to a place where it can be blocked, and be blocked there."""
        of_type = [
            (process, self._to_blocked(process))
            for process in self.program.processes
            if process in self.started or process in self.created
        ]
        if not self.bounding:
            return EachProcess("sum", tuple(of_type))
        bound: Distance = EachProcess("max", tuple(of_type))
        if self.units.movers == 1:
            # A step is one process's: the ways of several add up.
            ways = [
                (process, OwnDistance(distances_to(process, frozenset(self._dangerous(process)))))
                for process, _ in of_type
            ]
            bound = Combined("max", (bound, EachProcess("sum", tuple(ways))))
        return bound

    def _dangerous(self, process: ProcessType) -> list[int]:
        """Where it can be blocked: at its labels, or wherever nothing can always be executed."""
        labelled = [number for number, location in enumerate(process.locations) if _is_danger(location)]
        if labelled:
            return labelled
        waits = self.program.priorities or (process.provided is not None and not self.labelled)
        return [number for number, location in enumerate(process.locations) if waits or _can_block(location)]

    def _to_blocked(self, process: ProcessType) -> Distance:
        # A process that ends is in nobody's way: it gets there, too.
        ends = {n for n, location in enumerate(process.locations) if any(edge.terminates for edge in location.edges)}
        plain = ends if not self.labelled else ends & set(self._dangerous(process))
        ways: list[Distance] = []
        looked_at = self._looks_at_conditions(process)
        for number in self._dangerous(process):
            blocked = self._blocked(process.locations[number]) if looked_at else Fixed(0)
            if blocked == Fixed(0):
                plain.add(number)
            else:
                ways.append(Combined(self.formula.both, (OwnDistance(distances_to(process, {number})), blocked)))
        if plain:
            ways.append(OwnDistance(distances_to(process, plain)))
        return combined("min", ways) if ways else Fixed(0)

    def _looks_at_conditions(self, process: ProcessType) -> bool:
        """Of processes without a label nothing is said beside those that have one."""
        if self.labelled:
            return any(_is_danger(location) for location in process.locations)
        return process.provided is None and not self.program.priorities

    def _blocked(self, location: Location) -> Distance:
        """Until no edge of the location can be taken."""
        return combined(self.formula.both, [self._until_blocked(edge) for edge in location.edges] or [Fixed(0)])

    def _until_blocked(self, edge: Edge) -> Distance:
        match edge.actions[0].operation:
            case Guard(condition):
                return self.formula.until_false(condition)
            case Send(channel, _, _) if capacity_of(channel):  # one without a buffer is never full, and may block
                return self.formula.until_true(AskChannel(ChannelQuestion.FULL, channel))
            case Receive(channel, patterns, anywhere, _):
                if not any(isinstance(pattern, MatchField) for pattern in patterns):
                    return self.formula.until_true(AskChannel(ChannelQuestion.EMPTY, channel))
                return self.formula.until_false(Poll(channel, patterns, anywhere))
            case _:
                return Fixed(0)


def _is_danger(location: Location) -> bool:
    return any(label.startswith(DANGER) for label in location.labels)


def _can_block(location: Location) -> bool:
    """Is there nothing here that can always be executed?"""
    return all(
        isinstance(edge.actions[0].operation, (Guard, Send, Receive, Terminate, DeterministicStep))
        and not _is_always_true(edge.actions[0])
        for edge in location.edges
    )


def _is_always_true(action: Action) -> bool:
    operation = action.operation
    return isinstance(operation, Guard) and isinstance(operation.condition, Constant) and operation.condition.value != 0


def _asserts(process: ProcessType) -> Iterator[tuple[int, Expression | None]]:
    """Where assertions are, with what they say of the state before the step; None where that changes on the way."""
    for number, location in enumerate(process.locations):
        for edge in location.edges:
            for position, action in enumerate(edge.actions):
                if isinstance(action.operation, Assert):
                    yield number, action.operation.condition if position == 0 else None
                elif isinstance(action.operation, DeterministicStep) and any(
                    isinstance(node, Assert) for node in nodes_of(action.operation)
                ):
                    yield number, None
