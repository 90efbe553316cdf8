"""A transition system in terms, seen through a few of its variables.

What a guard says of other variables is left open: of every condition it is known where it can be true and where it can
be false. A new value that depends on other variables may be any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from kripke.deadline import OutOfTime, current, keeping
from kripke.model.capabilities.encodable import Encoding
from kripke.model.capabilities.estimate import Goal, Known, Way
from kripke.model.model import ViolationKind
from kripke.model.patterns.estimator import PatternEstimator, distance_to
from kripke.model.patterns.space import Any, Change, Space, Step
from kripke.terms.build import TRUE, all_of, any_of, conjoin, negate
from kripke.terms.evaluation import Evaluation
from kripke.terms.narrowing import narrowed
from kripke.terms.system import Command, TransitionSystem
from kripke.terms.term import Op, Symbol, Term, symbols_of

_MOST_CASES = 128  # of one command
_SECONDS = 3.0  # for the terms

#: where a condition can be true, and where it can be false
Truth = tuple[int, int]
#: of a new value: where it is this one
Case = tuple[int, int | Any]


@dataclass(frozen=True, slots=True)
class InTerms:
    """A model in terms, ready for estimates."""

    encoding: Encoding
    terms: SeenTerms


def seen_in_terms(
    encode: Callable[[], Encoding | str], readable: Callable[[int], bool] = lambda number: True
) -> InTerms | str:
    """A sentence where there is no such form, or it takes long. ``readable``: can compiled code read the variable of
    this number?"""
    outer = current()
    try:
        with keeping(outer.within(_SECONDS)):
            encoding = encode()
            if isinstance(encoding, str):
                return encoding
            if encoding.system.stable is not TRUE:
                return "a step of this model is several commands"
            return InTerms(encoding, SeenTerms(narrowed(encoding.system), readable))
    except OutOfTime:
        outer()
        return "saying the model in terms takes too long for an estimate"


def estimator(model: InTerms, kinds: Sequence[ViolationKind], goal: Goal, way: Way) -> PatternEstimator | str:
    """The estimate of the way to a goal, of a model whose steps are the commands; a sentence where there is none.
    ``kinds``: of its violations."""
    if way not in ("bound", "formula"):
        return "there are no estimates by an expression in this language"
    encoding, seen = model.encoding, model.terms
    system = encoding.system
    words: list[str] = []
    parts: list[Term] = []
    violations = frozenset[str]()
    if goal.deadlock:
        words.append("deadlock")
        parts.append(TRUE if seen.system.unclear_ends else conjoin(seen.system.resting, negate(seen.system.valid_end)))
    if goal.assertion:
        words.append("errors of steps")
        parts += [breach.condition for breach in seen.system.breaches]
        violations = frozenset(kinds[breach.code].name for breach in seen.system.breaches)
    if goal.broken:
        words.append("invariants")
        parts += [negate(seen.system.atoms[number]) for number in goal.broken]
    if goal.cubes:
        words.append("formula")
        parts += [_cube(seen.system, *cube) for cube in goal.cubes]
    lows = [symbol.sort.low or 0 for symbol in seen.system.variables]

    def read(state: bytes) -> list[int]:
        return [value - low for value, low in zip(encoding.values(state), lows, strict=True)]

    distance = distance_to(seen, list(dict.fromkeys(parts)), way)
    # Beyond the limits of an encoding the narrow sorts may not be right.
    bounding = way == "bound" and not system.limits
    known = Known(bounding, f"local distances to {', '.join(words) or 'nothing'}", violations)
    return PatternEstimator(read, distance, known, lows)


def _cube(system: TransitionSystem, positive: int, negative: int) -> Term:
    wanted = [atom for number, atom in enumerate(system.atoms) if positive >> number & 1]
    return all_of([*wanted, *(negate(atom) for number, atom in enumerate(system.atoms) if negative >> number & 1)])


class SeenTerms:
    def __init__(self, system: TransitionSystem, readable: Callable[[int], bool]) -> None:
        self.system = system
        self.readable = readable
        self.number = {symbol: number for number, symbol in enumerate(system.variables)}
        self.beyond = any_of(limit.condition for limit in system.limits)
        self.changing: list[list[Command]] = [[] for _ in system.variables]
        for command in system.commands:
            for symbol in command.updates:
                if symbol in self.number:
                    self.changing[self.number[symbol]].append(command)
        self._read: dict[int, frozenset[Symbol]] = {}
        self._neighbours: dict[int, tuple[int, ...]] = {}

    def read_by(self, term: Term) -> frozenset[Symbol]:
        if id(term) not in self._read:
            self._read[id(term)] = frozenset(symbols_of(term))
        return self._read[id(term)]

    def size(self, variable: int) -> int | None:
        return self.system.variables[variable].sort.size if self.readable(variable) else None

    def concerned(self, part: object) -> Sequence[int]:
        assert isinstance(part, Term)
        return sorted(self.number[symbol] for symbol in self.read_by(part) if symbol in self.number)

    def neighbours(self, variable: int) -> Iterable[int]:
        if variable not in self._neighbours:
            count: Counter[int] = Counter()
            for command in self.changing[variable]:
                new = command.updates[self.system.variables[variable]]
                count.update(self.number[s] for s in self.read_by(command.guard) if s in self.number)
                count.update(self.number[s] for s in self.read_by(new) if s in self.number)
            count.pop(variable, None)
            self._neighbours[variable] = tuple(sorted(count, key=lambda other: (-count[other], other)))
        return self._neighbours[variable]

    def steps(self, space: Space, pause: Callable[[], None]) -> Sequence[Step]:
        view = _View(self, space)
        commands = {id(command): command for variable in space.variables for command in self.changing[variable]}
        found: dict[Step, None] = {}
        for command in commands.values():
            pause()
            found.update(dict.fromkeys(view.steps(command)))
        return list(found)

    def aim(self, space: Space, part: object, pause: Callable[[], None]) -> int:
        assert isinstance(part, Term)
        view = _View(self, space)
        return view.truth(part)[0] | view.truth(self.beyond)[0]


class _View:
    def __init__(self, seen: SeenTerms, space: Space) -> None:
        self.seen = seen
        self.space = space
        self.place = {seen.system.variables[number]: at for at, number in enumerate(space.variables)}
        self.lows = [symbol.sort.low or 0 for symbol in self.place]
        self._truths: dict[int, Truth] = {}

    # --- conditions ---------------------------------------------------------------------------------------------------

    def truth(self, term: Term) -> Truth:
        known = self._truths.get(id(term))
        if known is None:
            known = self._truths[id(term)] = self._truth(term)
        return known

    def _truth(self, term: Term) -> Truth:
        full = self.space.full
        match term.op:
            case Op.CONSTANT:
                return (full, 0) if term.value else (0, full)
            case Op.NOT:
                can, cannot = self.truth(term.args[0])
                return cannot, can
            case Op.AND | Op.OR:
                every, some = full, 0
                for part in term.args:
                    can, cannot = self.truth(part) if term.op is Op.AND else self.truth(part)[::-1]
                    every &= can
                    some |= cannot
                return (every, some) if term.op is Op.AND else (some, every)
            case Op.ITE:
                (yes, no), one, other = (self.truth(part) for part in term.args)
                return (yes & one[0]) | (no & other[0]), (yes & one[1]) | (no & other[1])
            case Op.VARIABLE if term.value in self.place:
                assert isinstance(term.value, Symbol)
                at = self.place[term.value]
                true = self.space.where(at, 1 - self.lows[at]) if self.space.sizes[at] > 1 - self.lows[at] else 0
                return true, full & ~true
        if term.op in (Op.EQUAL, Op.LESS):
            return self._related(term)
        return full, full

    def _related(self, term: Term) -> Truth:
        full = self.space.full
        if self.seen.read_by(term) <= self.place.keys():
            can = 0
            for states, value in self._values(term):
                can |= states if value else 0
            return can, full & ~can
        left, right = term.args
        for at, (one, other) in enumerate(((left, right), (right, left))):
            known = self.seen.read_by(one)
            if known and known <= self.place.keys() and not one.boolean and other.low is not None:
                return self._compared(term.op, one, other, mirrored=at == 1)
        return full, full

    def _compared(self, op: Op, one: Term, other: Term, *, mirrored: bool) -> Truth:
        """With something of which only bounds are known."""
        can = cannot = 0
        low, high = other.low, other.high
        if low is None or high is None:
            return self.space.full, self.space.full
        for states, value in self._values(one):
            if op is Op.EQUAL:
                yes, no = low <= value <= high, not low == value == high
            elif mirrored:
                yes, no = low < value, high >= value
            else:
                yes, no = value < high, value >= low
            can |= states if yes else 0
            cannot |= states if no else 0
        return can, cannot

    def _values(self, term: Term) -> list[tuple[int, int]]:
        """Of a term about variables of the space: where it has which value."""
        symbols = sorted(self.seen.read_by(term), key=lambda symbol: self.place[symbol])
        evaluation = Evaluation([term])
        found: dict[int, int] = {}
        ranges = [range(self.space.sizes[self.place[symbol]]) for symbol in symbols]
        for values in product(*ranges):
            states = self.space.full
            known: dict[Symbol, int] = {}
            for symbol, value in zip(symbols, values, strict=True):
                at = self.place[symbol]
                states &= self.space.where(at, value)
                known[symbol] = value + self.lows[at]
            result = evaluation(known)[0]
            found[result] = found.get(result, 0) | states
        return [(states, value) for value, states in found.items()]

    # --- commands -----------------------------------------------------------------------------------------------------

    def steps(self, command: Command) -> list[Step]:
        source = self.truth(command.guard)[0]
        if not source:
            return []
        cases: list[tuple[int, tuple[tuple[int, Change], ...]]] = [(source, ())]
        for symbol, term in command.updates.items():
            if symbol not in self.place or (term.op is Op.VARIABLE and term.value is symbol):
                continue
            at = self.place[symbol]
            news = self._cases(at, term)
            if len(news) * len(cases) > _MOST_CASES:
                news = [(self.space.full, Any())]
            cases = [
                (both, (*changes, (at, new))) for states, changes in cases for where, new in news
                if (both := states & where)
            ]  # fmt: skip
        return [Step(states, changes) for states, changes in cases]

    def _cases(self, at: int, term: Term) -> list[Case]:
        if term.boolean and term.op is not Op.CONSTANT:
            can, cannot = self.truth(term)
            found: dict[int | Any, int] = {1: can, 0: cannot}
        elif self.seen.read_by(term) <= self.place.keys():
            found = {}
            for states, value in self._values(term):
                found[value] = found.get(value, 0) | states
        elif term.op is Op.ITE:
            yes, no = self.truth(term.args[0])
            chosen = [(states & yes, new) for states, new in self._cases(at, term.args[1])]
            chosen += [(states & no, new) for states, new in self._cases(at, term.args[2])]
            return [(states, new) for states, new in chosen if states]
        else:
            return [(self.space.full, Any())]
        # A value that the variable never has: the step is never taken so.
        return [
            (states, value - self.lows[at]) for value, states in found.items()
            if states and isinstance(value, int) and 0 <= value - self.lows[at] < self.space.sizes[at]
        ]  # fmt: skip
