"""Estimates of the way from a marking to a goal: tokens that are missing, and the state equation.

A firing adds at most so much to a sum of tokens: what is missing, divided by that, is a bound. The state equation gives
a better one. A marking m' that is reached from m by firing each transition t x[t] times is ``m + C x``. So, for weights
u of places with ``u C <= 1``, there are at least ``u (m' - m)`` firings. Where the goal is ``v m' + c >= 0`` and u is
``k v + w`` with k, w >= 0, that is at least ``-k c - u m``, since no place has less than no tokens. Which k and w are
best from the initial marking says a linear program (the dual of the state equation's: T. Murata, Petri Nets,
Proceedings of the IEEE 77(4), 1989, section V); they give a bound from every other marking, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from kripke.deadline import current
from kripke.model.capabilities.estimate import UNREACHABLE, Combine, Estimator, Goal, Known
from kripke.nets.place_transition import PlaceTransitionNet
from kripke.nets.predicates import (
    And,
    AtLeastZero,
    Constant,
    Fireable,
    Not,
    Or,
    Predicate,
    conjunction,
    negation,
)

_MOST_PARTS = 20_000
_MOST_CELLS = 20_000  # of a linear program
_MOST_PROGRAMS = 12
_SECONDS = 1.0  # for all of them
_LARGEST = 1 << 40  # number in a sum: far from what overflows with as many tokens as there can be

Terms = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Fixed:
    steps: int


@dataclass(frozen=True, slots=True)
class Missing:
    """``constant + sum of factor * tokens``, where that is above 0, divided by ``gain`` and rounded up; for ever, where
    no firing gains anything."""

    terms: Terms
    constant: int
    gain: int


@dataclass(frozen=True, slots=True)
class Combined:
    how: Combine
    parts: tuple[Distance, ...]


Distance = Fixed | Missing | Combined


class TooLarge(Exception):
    """More parts than an estimate should have."""


class NetEstimator(Estimator):
    """``tokens``: how many are on each place in a state."""

    def __init__(self, tokens: Callable[[bytes], Sequence[int]], distance: Distance, known: Known) -> None:
        self.tokens = tokens
        self.distance = distance
        self.known = known

    def steps(self, state: bytes) -> int:
        return min(_steps(self.distance, self.tokens(state)), UNREACHABLE)


def _steps(distance: Distance, tokens: Sequence[int]) -> int:
    match distance:
        case Fixed(steps):
            return steps
        case Missing(terms, constant, gain):
            missing = constant + sum(factor * tokens[place] for place, factor in terms)
            if missing <= 0:
                return 0
            return min(-(-missing // gain), UNREACHABLE) if gain > 0 else UNREACHABLE
        case Combined(how, parts):
            numbers = [_steps(part, tokens) for part in parts]
            if how == "sum":
                return min(sum(numbers), UNREACHABLE)
            return max(numbers) if how == "max" else min(numbers)


@dataclass(frozen=True, slots=True)
class Errors:
    """What else may be wrong: markings that a step must not lead from, or to; of deadlocks only those with ``stuck``.
    The names are those of kinds of violations."""

    markings: tuple[Predicate, ...] = ()
    stuck: Predicate | None = None
    violations: frozenset[str] = frozenset()


def estimator(
    tokens: Callable[[bytes], Sequence[int]],
    net: PlaceTransitionNet,
    predicates: Sequence[Predicate],
    goal: Goal,
    way: str,
    errors: Errors | None = None,
) -> NetEstimator | str:
    """The estimate of the way to a goal; a sentence where there is none."""
    errors = errors or Errors()
    if way not in ("bound", "formula"):
        return "nets have no estimates by an expression"
    goals = _Goals(net, bounding=way == "bound")
    wanted: list[tuple[Predicate, bool]] = []
    words: list[str] = []
    if goal.deadlock:
        fireable = Fireable(tuple(range(len(net.transitions))))
        stuck = negation(fireable)
        wanted.append((stuck if errors.stuck is None else conjunction([stuck, errors.stuck]), True))
        words.append("deadlock")
    if goal.assertion and errors.markings:
        wanted += [(predicate, True) for predicate in errors.markings]
        words.append("errors of steps")
    if goal.broken:
        wanted += [(predicates[number], False) for number in goal.broken]
        words.append("invariants")
    try:
        parts = [goals.until(predicate, truth) for predicate, truth in wanted]
        for positive, negative in goal.cubes:
            atoms = [(p, True) for number, p in enumerate(predicates) if positive >> number & 1]
            atoms += [(p, False) for number, p in enumerate(predicates) if negative >> number & 1]
            parts.append(goals.both([goals.until(predicate, truth) for predicate, truth in atoms]))
    except TooLarge:
        return "this net is too large for an estimate"
    if goal.cubes:
        words.append("formula")
    if not parts:
        return NetEstimator(tokens, Fixed(0), Known(True, "no estimate: there is nothing to aim at"))
    violations = errors.violations if goal.assertion else frozenset[str]()
    known = Known(way == "bound", f"missing tokens and the state equation, to {', '.join(words)}", violations)
    return NetEstimator(tokens, _either(parts), known)


def _either(parts: list[Distance]) -> Distance:
    if Fixed(0) in parts:
        return Fixed(0)
    return (
        parts[0] if len(parts) == 1 else Combined("min", tuple(dict.fromkeys(parts))) if parts else Fixed(UNREACHABLE)
    )


class _Goals:
    def __init__(self, net: PlaceTransitionNet, *, bounding: bool) -> None:
        self.net = net
        self.bounding = bounding
        self.parts = 0
        self.programs = 0
        self.end = current().within(_SECONDS)
        self.changes = [dict(transition.changes) for transition in net.transitions]
        self.known: dict[AtLeastZero, Distance] = {}

    def both(self, parts: list[Distance]) -> Distance:
        parts = [part for part in parts if part != Fixed(0)]
        if len(parts) < 2:
            return parts[0] if parts else Fixed(0)
        return Combined("max", tuple(dict.fromkeys(parts))) if self.bounding else Combined("sum", tuple(parts))

    def until(self, predicate: Predicate, truth: bool) -> Distance:
        """Until a predicate is true, or false."""
        self.parts += 1
        if self.parts > _MOST_PARTS:
            raise TooLarge
        match predicate:
            case Constant(value):
                return Fixed(0 if value is truth else UNREACHABLE)
            case AtLeastZero():
                wanted = predicate if truth else negation(predicate)
                assert isinstance(wanted, AtLeastZero)
                if wanted not in self.known:
                    self.known[wanted] = self._until(wanted)
                return self.known[wanted]
            case Not(operand):
                return self.until(operand, not truth)
            case And(operands) | Or(operands):
                parts = [self.until(operand, truth) for operand in operands]
                return self.both(parts) if isinstance(predicate, And) is truth else _either(parts)
            case Fireable(transitions):
                presets = [self.net.transitions[number].preset for number in transitions]
                each = [
                    [self.until(AtLeastZero(((arc.place, 1),), -arc.weight), truth) for arc in preset]
                    for preset in presets
                ]
                if truth:
                    return _either([self.both(parts) for parts in each])
                return self.both([_either(parts) for parts in each])
        raise TypeError(predicate)

    def _until(self, wanted: AtLeastZero) -> Distance:
        factors = dict(wanted.terms)
        gains = [sum(factors.get(place, 0) * by for place, by in change.items()) for change in self.changes]
        gain = max(gains, default=0)
        missing = Missing(tuple((place, -factor) for place, factor in wanted.terms), -wanted.constant, max(gain, 0))
        if gain <= 0:
            return missing
        better = self._by_state_equation(wanted, gains)
        return missing if better is None or better == missing else Combined("max", (missing, better))

    def _by_state_equation(self, wanted: AtLeastZero, gains: list[int]) -> Missing | None:
        """The bound of the best weights from the initial marking; None where there are none, or it would take long."""
        places = len(self.net.places)
        if self.programs >= _MOST_PROGRAMS or (places + 1) * len(gains) > _MOST_CELLS or self.end.is_over:
            return None
        self.programs += 1
        initial = self.net.initial
        now = wanted.constant + sum(factor * initial[place] for place, factor in wanted.terms)
        rows = [
            [Fraction(gain), *(Fraction(change.get(place, 0)) for place in range(places))]
            for gain, change in zip(gains, self.changes, strict=True)
        ]
        weights = _maximise(
            [Fraction(-now), *(Fraction(-number) for number in initial)], rows, lambda: self.end.is_over
        )
        if weights is None or weights[0] == 0:
            return None
        scale = weights[0]
        combined = {place: weight for place, weight in enumerate(weights[1:]) if weight}
        for place, factor in wanted.terms:
            combined[place] = combined.get(place, Fraction(0)) + scale * factor
        constant = -scale * wanted.constant
        common = lcm(constant.denominator, *(weight.denominator for weight in combined.values()))
        terms = tuple((place, int(-weight * common)) for place, weight in sorted(combined.items()) if weight)
        if common > _LARGEST or abs(constant * common) > _LARGEST or any(abs(f) > 1 << 12 for _, f in terms):
            return None
        return Missing(terms, int(constant * common), common)


def _maximise(objective: list[Fraction], rows: list[list[Fraction]], over: Callable[[], bool]) -> list[Fraction] | None:
    """The x >= 0 with ``rows x <= 1`` for which the objective is greatest; None where there is none or no time is left.

    The simplex method with Bland's rule, exactly."""
    count, width = len(rows), len(objective)
    table = [[*row, *(Fraction(int(i == j)) for j in range(count)), Fraction(1)] for i, row in enumerate(rows)]
    cost = [*(-number for number in objective), *([Fraction(0)] * count), Fraction(0)]
    basis = [width + number for number in range(count)]
    while True:
        entering = next((column for column in range(width + count) if cost[column] < 0), None)
        if entering is None:
            break
        ratios = [(row[-1] / row[entering], basis[i], i) for i, row in enumerate(table) if row[entering] > 0]
        if not ratios or over():
            return None
        leaving = min(ratios)[2]
        pivot = table[leaving]
        by = pivot[entering]
        table[leaving] = pivot = [number / by for number in pivot]
        for row in [*(row for i, row in enumerate(table) if i != leaving), cost]:
            factor = row[entering]
            if factor:
                for column, number in enumerate(pivot):
                    if number:
                        row[column] -= factor * number
        basis[leaving] = entering
    found = [Fraction(0)] * width
    for row, variable in zip(table, basis, strict=True):
        if variable < width:
            found[variable] = row[-1]
    return found
