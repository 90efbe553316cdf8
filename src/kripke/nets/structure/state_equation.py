"""What the state equation rules out: markings no numbers of firings can make, in whatever order.

A marking m that is reached from m0 by firing each transition t x[t] times satisfies ``m = m0 + C x`` with x >= 0,
where C says what each transition changes: T. Murata, Petri Nets: Properties, Analysis and Applications, Proceedings of
the IEEE 77(4), 1989, section V. Where a goal has no such m, not even with fractions of firings, it is out of reach;
where it has one, nothing is known. The linear programs are solved exactly, over the integers with a common
denominator per row, so that no rounding can rule out too much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from kripke.deadline import Deadline, current
from kripke.nets.place_transition import PlaceTransitionNet
from kripke.nets.predicates import And, AtLeastZero, Constant, Fireable, Not, Or, Predicate, conjunction, negation

LONGEST = 5.0  # seconds for one question
MOST_CASES = 64  # conjunctions of which a goal is the disjunction

Row = dict[int, int]
Case = tuple[AtLeastZero, ...]


class Undecided(Exception):
    """Too large for the limits."""


@dataclass(frozen=True, slots=True)
class Solutions:
    """``none``: the equation rules the goal out. ``firings``: numbers of firings that would lead to it, rounded up."""

    none: bool
    firings: tuple[dict[int, int], ...] = ()


def solve(net: PlaceTransitionNet, goal: Predicate, seconds: float = LONGEST) -> Solutions:
    """What the state equation says of the markings of a goal; nothing where it would take too long."""
    end = current().within(seconds)
    firings: list[dict[int, int]] = []
    try:
        for case in _cases(_in_tokens(goal, net, True)):
            program = _Program(net, case, end)
            if program.is_feasible():
                firings.append(program.firings())
    except Undecided:
        return Solutions(False, tuple(firings))
    return Solutions(not firings, tuple(firings))


def out_of_reach(net: PlaceTransitionNet, goal: Predicate, seconds: float = LONGEST) -> bool:
    """Does the state equation rule out every marking of the goal? False: it does not, or it would take too long."""
    return solve(net, goal, seconds).none


@dataclass(frozen=True, slots=True)
class Most:
    """``tokens``: None where no limit is known. ``firings`` would lead to so many."""

    tokens: int | None
    firings: dict[int, int]


def most_tokens(net: PlaceTransitionNet, places: Sequence[int], seconds: float = LONGEST) -> Most:
    """The most tokens these places can hold together, as far as the state equation tells."""
    program = _Program(net, (), current().within(seconds))
    try:
        return Most(program.greatest(places), program.firings())
    except Undecided:
        return Most(None, {})


# --- goals as disjunctions of systems of inequalities -----------------------------------------------------------------


def _in_tokens(predicate: Predicate, net: PlaceTransitionNet, wanted: bool) -> Predicate:
    """The predicate, or its negation, with negations and enabledness said in tokens."""
    match predicate:
        case Fireable(transitions):
            presets = [
                conjunction([AtLeastZero(((arc.place, 1),), -arc.weight) for arc in net.transitions[t].preset])
                for t in transitions
            ]
            return _in_tokens(Or(tuple(presets)), net, wanted)
        case Not(operand):
            return _in_tokens(operand, net, not wanted)
        case And(operands) | Or(operands):
            parts = tuple(_in_tokens(operand, net, wanted) for operand in operands)
            return And(parts) if isinstance(predicate, And) == wanted else Or(parts)
        case _:
            return predicate if wanted else negation(predicate)


def _cases(predicate: Predicate) -> list[Case]:
    match predicate:
        case Constant(value):
            return [()] if value else []
        case AtLeastZero():
            return [(predicate,)]
        case Or(operands):
            found = [case for operand in operands for case in _cases(operand)]
        case And(operands):
            found = [()]
            for part in sorted((_cases(operand) for operand in operands), key=len):
                found = [case + more for case in found for more in part]
                if len(found) > MOST_CASES:
                    raise Undecided
        case _:
            raise TypeError(predicate)
    if len(found) > MOST_CASES:
        raise Undecided
    return found


# --- linear programs --------------------------------------------------------------------------------------------------


class _Program:
    """Numbers of firings x >= 0 for which the marking is not negative and satisfies some inequalities.

    A row is an equation: coefficients of variables, the right side under ``_RIGHT``; its basic variable has a positive
    coefficient and occurs in no other row. Variables are the firings, one slack per inequality, and ``_EXCESS``, by
    how much inequalities may be missed while a first solution is looked for.
    """

    def __init__(self, net: PlaceTransitionNet, case: Case, end: Deadline) -> None:
        self.net = net
        self.end = end
        self.rows: list[Row] = []
        self.basis: list[int] = []
        of_place: list[Row] = [{} for _ in net.places]
        for number, transition in enumerate(net.transitions):
            for place, change in transition.changes:
                of_place[place][number] = change
        self.of_place = of_place
        initial = net.initial
        for place, row in enumerate(of_place):
            self._at_least(row, -initial[place])
        for part in case:
            changes: Row = {}
            constant = part.constant
            for place, factor in part.terms:
                constant += factor * initial[place]
                for number, change in of_place[place].items():
                    changes[number] = changes.get(number, 0) + factor * change
            self._at_least({number: change for number, change in changes.items() if change}, -constant)

    def _at_least(self, changes: Row, least: int) -> None:
        """``sum of changes >= least``, as an equation with a slack."""
        slack = len(self.net.transitions) + len(self.rows)
        row = {transition: -change for transition, change in changes.items()}
        row[slack] = 1
        if least:
            row[_RIGHT] = -least
        self.rows.append(row)
        self.basis.append(slack)

    def is_feasible(self) -> bool:
        rights = [row.get(_RIGHT, 0) for row in self.rows]
        if not rights or min(rights) >= 0:
            return True
        # Every inequality may be missed by the excess; then make the excess as small as can be.
        for row in self.rows:
            row[_EXCESS] = -1
        self._pivot(rights.index(min(rights)), _EXCESS)
        cost: Row = dict(self.rows[self.basis.index(_EXCESS)])
        self._minimise(cost)
        if _EXCESS not in self.basis:
            return True
        return self.rows[self.basis.index(_EXCESS)].get(_RIGHT, 0) == 0

    def firings(self) -> dict[int, int]:
        """The numbers of firings of the solution that was found, rounded up."""
        found: dict[int, int] = {}
        for variable, row in zip(self.basis, self.rows, strict=True):
            if 0 <= variable < len(self.net.transitions) and row.get(_RIGHT, 0) > 0:
                found[variable] = -(-row[_RIGHT] // row[variable])
        return found

    def greatest(self, places: Sequence[int]) -> int | None:
        gain: Row = {}
        for place in places:
            for transition, change in self.of_place[place].items():
                gain[transition] = gain.get(transition, 0) + change
        # value * scale = sum of cost: a row whose basic variable is minus the gain.
        cost = {transition: change for transition, change in gain.items() if change}
        cost[_VALUE] = 1
        if not self._minimise(cost):
            return None
        initial = sum(self.net.initial[place] for place in places)
        return initial + cost.get(_RIGHT, 0) // -cost[_VALUE] if cost.get(_RIGHT) else initial

    def _minimise(self, cost: Row) -> bool:
        """Pivot while a variable with a positive coefficient in the cost row can grow; False: without limit.

        The cost row is kept free of basic variables but its own (the excess, or the value).
        """
        own = {_RIGHT, _VALUE, _EXCESS}
        stuck = 0
        while True:
            if self.end.is_over:
                raise Undecided
            candidates = [variable for variable, value in cost.items() if value > 0 and variable not in own]
            if not candidates:
                return True
            # The largest coefficient; after many steps without progress the first one, which cannot go round for ever.
            entering = min(candidates) if stuck > _PATIENCE else max(candidates, key=lambda v: (cost[v], -v))
            leaving = -1
            for number, row in enumerate(self.rows):
                factor = row.get(entering, 0)
                if factor <= 0:
                    continue
                if leaving < 0 or self._is_tighter(number, leaving, entering):
                    leaving = number
            if leaving < 0:
                return False
            stuck = 0 if self.rows[leaving].get(_RIGHT, 0) else stuck + 1
            gone = self.basis[leaving]
            self._pivot(leaving, entering)
            _eliminate(cost, self.rows[leaving], entering)
            if gone == _EXCESS:
                return True

    def _is_tighter(self, one: int, other: int, entering: int) -> bool:
        a, b = self.rows[one], self.rows[other]
        left, right = a.get(_RIGHT, 0) * b[entering], b.get(_RIGHT, 0) * a[entering]
        return left < right or (left == right and self.basis[one] < self.basis[other])

    def _pivot(self, leaving: int, entering: int) -> None:
        row = self.rows[leaving]
        if row[entering] < 0:
            for variable in row:
                row[variable] = -row[variable]
        for number, other in enumerate(self.rows):
            if number != leaving and entering in other:
                _eliminate(other, row, entering)
        self.basis[leaving] = entering


def _eliminate(target: Row, row: Row, variable: int) -> None:
    """Add a multiple of a row, whose coefficient of the variable is positive, so that the variable vanishes."""
    factor, times = target[variable], row[variable]
    common = gcd(factor, times)
    factor, times = factor // common, times // common
    if times != 1:
        for key in target:
            target[key] *= times
    for key, value in row.items():
        new = target.get(key, 0) - factor * value
        if new:
            target[key] = new
        else:
            target.pop(key, None)
    divisor = gcd(*target.values()) if times != 1 and target else 1
    if divisor > 1:
        for key in target:
            target[key] //= divisor


_RIGHT = -1
_EXCESS = -2
_VALUE = -3
_PATIENCE = 50
