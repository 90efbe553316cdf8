"""Cycles of safe places: fewer places are safe, so that no cycle of the state space has safe places only.

A cycle of the state space brings every process that moves back to where it was, and every variable and channel to
what it had. So it is enough that every cycle of safe locations of one process misses one, which is then no longer safe
(R. Kurshan, V. Levin, M. Minea, D. Peled, H. Yenigün, *Static partial order reduction*, TACAS 1998). Not every
cycle of locations can be walked round and round:

- Who takes messages from a channel needs somebody who sends: a move that takes one is on no cycle if no move that may
  be on one sends to that channel.
- Who counts a variable of its own up needs somebody who sets it back: such a move is on no cycle if all moves of the
  process that may be on one and assign the variable count in the same direction, and none beyond what the variable
  holds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from kripke.logic.components import components
from kripke.model.safe_places import LengthTest
from kripke.process.dependence.stability import assigned_in
from kripke.process.dependence.steps import Point, Step
from kripke.process.dependence.tables import Tables
from kripke.process.dependence.values import PossibleValues
from kripke.process.expressions import Binary, BinaryOperator, Constant, Place, Read
from kripke.process.program import Assign, Exclusive, Guard, Receive, Scope, Variable

Tests = tuple[LengthTest, ...]

_SIGNS = {BinaryOperator.ADD: 1, BinaryOperator.SUBTRACT: -1}


@dataclass(frozen=True, slots=True, eq=False)
class _Move:
    """From one safe location to where a step may end."""

    source: Point
    target: Point
    step: Step
    #: the channel from which it surely takes a message
    takes: int | None
    #: a variable of the process that it counts, and whether upwards
    counts: tuple[Variable, bool] | None


class Cycles:
    """``numbers``: of the steps at every location that counts."""

    def __init__(self, tables: Tables, numbers: Mapping[Point, Sequence[int]]) -> None:
        self._steps = tables.steps
        self._objects = tables.objects
        self._numbers = numbers

    def broken(self, safe: Mapping[Point, Tests], kept: Collection[Point] = ()) -> dict[Point, Tests]:
        """Fewer of these places, so that no cycle has safe places only. Those ``kept`` stay: they are known to be on no
        cycle by themselves, so there is always another to leave out."""
        left = dict(safe)
        while True:
            moves = self._on_cycles([move for point in left for move in self._moves(point, left)])
            if not moves:
                return left
            into: dict[Point, int] = {}
            waits: set[Point] = set()
            for move in moves:
                into[move.target] = into.get(move.target, 0) + 1
                if move.takes is not None:
                    waits.add(move.source)
            # Where most ways lead, the head of a loop most often; but who waits for messages may stay, once those who
            # send them do not.
            del left[max(sorted(into), key=lambda point: (point not in kept, point not in waits, into[point]))]

    def _moves(self, point: Point, safe: Mapping[Point, Tests]) -> list[_Move]:
        found: list[_Move] = []
        for number in self._numbers[point]:
            step = self._steps[number]
            if not _is_error(step):
                takes, counts = _takes_from(step), self._counts(step)
                found += [_Move(point, end, step, takes, counts) for end in step.ends if end in safe]
        return found

    def _on_cycles(self, moves: list[_Move]) -> list[_Move]:
        """Those that may be part of a cycle of the state space."""
        while True:
            left = _within_components(moves)
            sent = 0
            for move in left:
                sent |= move.step.footprint.writes
            left = [m for m in left if m.takes is None or sent & self._objects.send_end(m.takes)]
            left = [m for m in left if m.counts is None or not _is_counted(m.counts, m.source[0], left)]
            if len(left) == len(moves):
                return left
            moves = left

    # --- counting -----------------------------------------------------------------------------------------------------

    @cached_property
    def _values(self) -> PossibleValues:
        return PossibleValues(self._steps[0].setting.program)

    def _counts(self, step: Step) -> tuple[Variable, bool] | None:
        """Of a step of one edge that adds a constant to a variable of the process, which has room for it."""
        if step.edge.atomic:
            return None
        for action in step.edge.actions:
            match action.operation:
                case Assign(place, Binary(BinaryOperator() as sign, Read(same), Constant(by))) if sign in _SIGNS:
                    change = by * _SIGNS[sign]
                    if place == same and change and self._has_room(step, place, change):
                        return place.variable, change > 0
                case _:
                    pass
        return None

    def _has_room(self, step: Step, place: Place, change: int) -> bool:
        """Does a scalar of the process hold what comes of the change, whatever it has before the step?"""
        if place.indices or place.variable.scope is not Scope.LOCAL:
            return False
        least = -(1 << place.type.bits - 1) if place.type.signed else 0
        spans = next((test.passing for test in step.tests if test.place == place and test.passing), ())
        if spans:
            before = min(span[0] for span in spans), max(span[1] for span in spans)
        else:
            values = self._values.of_local(step.process, step.location, place.variable, place.offset)
            if not values:
                return False
            before = min(values), max(values)
        return least <= before[0] + change and before[1] + change < least + (1 << place.type.bits)


def _is_counted(counts: tuple[Variable, bool], pid: int, moves: Sequence[_Move]) -> bool:
    """Do all of these moves that assign the variable of a process count it in this direction, and do nothing else with
    it? What happens later in an atomic sequence is not looked at: it may assign anything."""
    for move in moves:
        if move.source[0] != pid:
            continue
        operations = [action.operation for action in move.step.edge.actions]
        assigning = sum(counts[0] in assigned_in(operation) for operation in operations)
        if move.step.edge.atomic or (assigning and (move.counts != counts or assigning > 1)):
            return False
    return True


# --- moves ------------------------------------------------------------------------------------------------------------


def _is_error(step: Step) -> bool:
    """Is the step an error whenever it is enabled, so that it leads nowhere? The use of a channel that another process
    has claimed is one."""
    return isinstance(step.first, Guard) and any(
        isinstance(action.operation, Exclusive) and action.operation.condition == step.first.condition
        for action in step.edge.actions
    )


def _takes_from(step: Step) -> int | None:
    for action in step.edge.actions:
        if isinstance(action.operation, Receive) and not action.operation.keep:
            ends = step.setting.ends(action.operation.channel)
            if not ends.may_meet and ends.identity is not None:
                return ends.identity
    return None


def _within_components(moves: Sequence[_Move]) -> list[_Move]:
    """Those that are on a cycle of places."""
    numbers: dict[Point, int] = {}
    for move in moves:
        for point in (move.source, move.target):
            numbers.setdefault(point, len(numbers))
    successors: list[list[int]] = [[] for _ in numbers]
    for move in moves:
        successors[numbers[move.source]].append(numbers[move.target])
    component = [0] * len(numbers)
    for number, members in enumerate(components(successors)):
        for member in members:
            component[member] = number
    return [move for move in moves if component[numbers[move.source]] == component[numbers[move.target]]]
