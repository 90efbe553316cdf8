"""Narrow sorts: the bounds that the values of variables keep in every run, found without looking at single runs.

A byte that counts to three needs two bits. Bounds start with the initial values and grow with every command, whose
guard bounds what it reads, until nothing grows any more (interval analysis; Cousot, Cousot, POPL 1977). A variable
whose bounds go on growing gets the next constant that something is compared with, in the end the bounds of its sort.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from kripke.terms.build import at_most, conjoin, constant, equal, implies, known, literal, variable
from kripke.terms.sort import Sort
from kripke.terms.substitution import Substitution
from kripke.terms.system import Breach, Command, Limit, TransitionSystem
from kripke.terms.term import Op, Symbol, Term, parts_first, symbols_of

_ROUNDS = 40  # after these, what still grows gets the bounds of its sort
_MOST_THRESHOLDS = 200  # with more of them, bounds would grow for too long
_MOST_WORK = 3_000_000  # parts of terms looked at: a model that is too large stays as it is

Bounds = tuple[int | None, int | None]


def narrowed(system: TransitionSystem) -> TransitionSystem:
    """The same system, its variables in the same order with narrower sorts. What never changes is a constant."""
    size = sum(len(parts_first(command.guard, *command.updates.values())) for command in system.commands)
    start = initial_bounds(system)
    if start is None or size * 2 > _MOST_WORK:
        return system
    bounds = _Bounds(system, start, max(2, min(_ROUNDS, _MOST_WORK // max(size, 1)))).found()
    values: dict[Symbol, Term] = {}
    kept: list[Symbol] = []
    for symbol in system.variables:
        low, high = bounds[symbol]
        if symbol.sort.boolean or (low, high) == (symbol.sort.low, symbol.sort.high):
            kept.append(symbol)
            if low == high and low is not None:
                values[symbol] = literal(symbol.sort, low)
            continue
        narrow = Symbol(symbol.name, Sort(low, high, names=symbol.sort.names))
        kept.append(narrow)
        values[symbol] = constant(low) if low is not None and low == high else variable(narrow)
    return _with(system, kept, dict(zip(system.variables, kept, strict=True)), Substitution(values))


def resorted(system: TransitionSystem, narrow: Mapping[Symbol, Symbol]) -> TransitionSystem:
    """The system with other variables in the place of some of its own."""
    kept = [narrow.get(symbol, symbol) for symbol in system.variables]
    values = {old: variable(new) for old, new in narrow.items()}
    return _with(system, kept, dict(zip(system.variables, kept, strict=True)), Substitution(values))


def facts(system: TransitionSystem) -> list[Term]:
    """What makes the sorts narrower, as conditions that together are inductive: bounds of every variable, and of those
    with a control also where that has each of its values."""
    size = sum(len(parts_first(command.guard, *command.updates.values())) for command in system.commands)
    start = initial_bounds(system)
    if start is None or size * 2 > _MOST_WORK:
        return []
    found = _Bounds(system, start, max(2, min(_ROUNDS, _MOST_WORK // max(size, 1))))
    bounds = found.found()
    terms = [in_bounds(symbol, bounds[symbol]) for symbol in system.variables]
    for (symbol, value), local in found.local.items():
        control = found.control[symbol]
        terms.append(implies(equal(variable(control), literal(control.sort, value)), in_bounds(symbol, local)))
    return [term for term in terms if known(term) != 1]


def in_bounds(symbol: Symbol, bounds: Bounds) -> Term:
    low, high = bounds
    if symbol.sort.boolean:
        return equal(variable(symbol), literal(symbol.sort, low)) if low is not None and low == high else conjoin()
    parts = [] if low is None else [at_most(constant(low), variable(symbol))]
    return conjoin(*parts, *([] if high is None else [at_most(variable(symbol), constant(high))]))


def _with(
    system: TransitionSystem, kept: list[Symbol], new: dict[Symbol, Symbol], put: Substitution
) -> TransitionSystem:
    commands = []
    for command in system.commands:
        guard = put(command.guard)
        if known(guard) == 0:
            continue
        updates = {new[symbol]: put(value) for symbol, value in command.updates.items()}
        changed = {symbol: value for symbol, value in updates.items() if symbol.sort.size != 1}
        commands.append(command._replace(guard=guard, updates=changed))
    initial = Substitution({old: variable(symbol) for old, symbol in new.items()})(system.initial)
    return replace(
        system,
        variables=kept,
        initial=initial,
        commands=commands,
        atoms=[put(term) for term in system.atoms],
        failed_atoms=[put(term) for term in system.failed_atoms],
        resting=put(system.resting),
        valid_end=put(system.valid_end),
        stable=put(system.stable),
        breaches=[
            Breach(put(b.condition), b.code, b.statement) for b in system.breaches if known(put(b.condition)) != 0
        ],
        limits=[Limit(put(one.condition), one.text) for one in system.limits if known(put(one.condition)) != 0],
    )


def initial_bounds(system: TransitionSystem) -> dict[Symbol, Bounds] | None:
    """The bounds of the initial states, where these are given by values; None: they are not."""
    states = system.initial.args if system.initial.op is Op.OR else (system.initial,)
    found: dict[Symbol, Bounds] = {}
    for state in states:
        values: dict[Symbol, int] = {}
        for part in state.args if state.op is Op.AND else (state,):
            bound = _equation(part)
            if bound is not None:
                values[bound[0]] = bound[1]
        for symbol in system.variables:
            if symbol.sort.size == 1 and symbol.sort.low is not None:
                values[symbol] = symbol.sort.low
            if symbol not in values:
                return None
            found[symbol] = _joined(found.get(symbol), (values[symbol], values[symbol]))
    return found


def _equation(part: Term) -> tuple[Symbol, int] | None:
    """A variable and the value it is to have."""
    if part.op is Op.VARIABLE and isinstance(part.value, Symbol):
        return part.value, 1
    if part.op is Op.NOT and isinstance(part.args[0].value, Symbol):
        return part.args[0].value, 0
    if part.op is Op.EQUAL and isinstance(part.args[0].value, Symbol):
        value = known(part.args[1])
        return None if value is None else (part.args[0].value, value)
    return None


def _joined(a: Bounds | None, b: Bounds) -> Bounds:
    if a is None:
        return b
    low = None if a[0] is None or b[0] is None else min(a[0], b[0])
    return low, None if a[1] is None or b[1] is None else max(a[1], b[1])


class _Bounds:
    """Bounds that grow. A variable may have a *control*: another one, such as the program counter of the process it
    belongs to, that every command which writes it asks for a value. Then it has bounds for each value of that, so that
    what a test has shown is still known some steps later."""

    def __init__(self, system: TransitionSystem, start: dict[Symbol, Bounds], rounds: int) -> None:
        self.rounds = rounds
        self.commands = list(system.commands)
        self.asked = [dict(_equations(command.guard)) for command in self.commands]
        self.control = self._controls()
        self.local: dict[tuple[Symbol, int], Bounds] = {}
        self.bounds = dict(start)
        self.of_control: dict[Symbol, list[Symbol]] = {}
        for symbol, control in self.control.items():
            self.of_control.setdefault(control, []).append(symbol)
            low, high = start[control]
            assert low is not None and high is not None
            for value in range(low, high + 1):
                self.local[symbol, value] = start[symbol]
        self.readers: dict[Symbol, list[int]] = {}
        for number, command in enumerate(self.commands):
            read = symbols_of(command.guard, *command.updates.values()) | set(self.asked[number])
            for control in self.asked[number].keys() & self.of_control.keys() & command.updates.keys():
                read |= set(self.of_control[control])
            for symbol in read:
                self.readers.setdefault(symbol, []).append(number)
        self.grown: dict[object, int] = {}
        self.thresholds = self._thresholds()

    def _controls(self) -> dict[Symbol, Symbol]:
        """Of every variable that has one, its control: only constants are written to that, by commands that ask for
        its value."""
        writers: dict[Symbol, list[int]] = {}
        for number, command in enumerate(self.commands):
            for symbol in command.updates:
                writers.setdefault(symbol, []).append(number)
        steers = {
            symbol
            for symbol, numbers in writers.items()
            if all(symbol in self.asked[n] and known(self.commands[n].updates[symbol]) is not None for n in numbers)
        }
        found: dict[Symbol, Symbol] = {}
        for symbol, numbers in writers.items():
            if symbol in steers:
                continue
            common = steers.intersection(*(self.asked[number].keys() for number in numbers))
            if common:
                # The one that changes most often with it is the counter of its own process.
                found[symbol] = max(common, key=lambda one: (len(set(writers[one]) & set(numbers)), one.name))
        return found

    def found(self) -> dict[Symbol, Bounds]:
        waiting = set(range(len(self.commands)))
        while waiting:
            now, waiting = sorted(waiting), set()
            for number in now:
                for symbol in self._run(number):
                    waiting.update(self.readers.get(symbol, ()))
        return self.bounds

    def _run(self, number: int) -> Iterable[Symbol]:
        """The variables whose bounds a command makes wider."""
        command, asked = self.commands[number], self.asked[number]
        given = self._guarded(number)
        if given is None:
            return ()
        seen = _Seen(lambda symbol: given.get(symbol) or self._here(symbol, asked))
        if seen.of(command.guard) == (0, 0):
            return ()
        changed: list[Symbol] = []
        for symbol, value in command.updates.items():
            low, high = seen.of(value)
            sort = symbol.sort
            # Where the guard is true, the value is one of the sort.
            low = sort.low if low is None or (sort.low is not None and low < sort.low) else low
            high = sort.high if high is None or (sort.high is not None and high > sort.high) else high
            self._widen(symbol, (low, high), self._later(symbol, command, asked), changed)
        for control in asked.keys() & self.of_control.keys() & command.updates.keys():
            for symbol in self.of_control[control]:
                if symbol not in command.updates:
                    kept = given.get(symbol) or self._here(symbol, asked)
                    self._widen(symbol, kept, self._later(symbol, command, asked), changed)
        return changed

    def _here(self, symbol: Symbol, asked: dict[Symbol, int]) -> Bounds:
        """The bounds of a variable where the controls have the values that are asked for."""
        control = self.control.get(symbol)
        if control is not None and control in asked:
            local = self.local.get((symbol, asked[control]))
            if local is not None:
                return local
        return self.bounds.get(symbol) or (symbol.sort.low, symbol.sort.high)

    def _later(self, symbol: Symbol, command: Command, asked: dict[Symbol, int]) -> int | None:
        """The value of its control after the command."""
        control = self.control.get(symbol)
        if control is None:
            return None
        return known(command.updates[control]) if control in command.updates else asked[control]

    def _widen(self, symbol: Symbol, new: Bounds, at: int | None, changed: list[Symbol]) -> None:
        if at is not None:
            before = self.local.get((symbol, at))
            wider = _joined(before, new)
            if wider == before:
                return
            self.local[symbol, at] = self._settled(symbol, (symbol, at), before, wider)
            new = self.local[symbol, at]
            changed.append(symbol)
        whole = self.bounds[symbol]
        wider = _joined(whole, new)
        if wider != whole:
            self.bounds[symbol] = wider if at is not None else self._settled(symbol, symbol, whole, wider)
            changed.append(symbol)

    def _settled(self, symbol: Symbol, key: object, before: Bounds | None, wider: Bounds) -> Bounds:
        """Where bounds go on growing, they are those of the sort."""
        self.grown[key] = self.grown.get(key, 0) + 1
        if before is None or self.grown[key] <= self.rounds:
            return wider
        low, high = wider
        if low != before[0]:
            below = (one for one in reversed(self.thresholds) if low is not None and one <= low)
            low = next((one for one in below if one in symbol.sort), symbol.sort.low)
        if high != before[1]:
            above = (one for one in self.thresholds if high is not None and one >= high)
            high = next((one for one in above if one in symbol.sort), symbol.sort.high)
        return low, high

    def _thresholds(self) -> list[int]:
        """What is compared with something, and its neighbours: where bounds may stop."""
        found: set[int] = set()
        for term in parts_first(*(command.guard for command in self.commands)):
            if term.op in (Op.LESS, Op.EQUAL):
                values = (known(part) for part in term.args)
                found |= {value + change for value in values if value is not None for change in (-1, 0, 1)}
        return sorted(found) if len(found) <= _MOST_THRESHOLDS else []

    def _guarded(self, number: int) -> dict[Symbol, Bounds] | None:
        """Bounds that the guard gives beside those known; None: it is never true."""
        given: dict[Symbol, Bounds] = {}
        guard = self.commands[number].guard
        for part in guard.args if guard.op is Op.AND else (guard,):
            for symbol, low, high in _literal(part):
                before = given.get(symbol) or self._here(symbol, self.asked[number])
                least = low if before[0] is None or (low is not None and low > before[0]) else before[0]
                most = high if before[1] is None or (high is not None and high < before[1]) else before[1]
                if least is not None and most is not None and least > most:
                    return None
                given[symbol] = least, most
        return given


def _equations(guard: Term) -> Iterable[tuple[Symbol, int]]:
    for part in guard.args if guard.op is Op.AND else (guard,):
        equation = _equation(part)
        if equation is not None:
            yield equation


def _literal(part: Term) -> Iterable[tuple[Symbol, int | None, int | None]]:
    """What a part of a conjunction says about a single variable."""
    equation = _equation(part)
    if equation is not None:
        return [(equation[0], equation[1], equation[1])]
    positive, inner = part.op is not Op.NOT, part.args[0] if part.op is Op.NOT else part
    if inner.op is not Op.LESS:
        return []
    (a, more), (b, further) = map(_shifted, inner.args)
    x, y = known(a), known(b)
    if isinstance(a.value, Symbol) and y is not None:
        y -= more
        return [(a.value, None, y - 1) if positive else (a.value, y, None)]
    if isinstance(b.value, Symbol) and x is not None:
        x -= further
        return [(b.value, x + 1, None) if positive else (b.value, None, x)]
    return []


def _shifted(term: Term) -> tuple[Term, int]:
    """A term and a constant whose sum it is."""
    if term.op is Op.ADD and len(term.args) == 2:
        constant_ = known(term.args[1])
        if constant_ is not None:
            return term.args[0], constant_
    return term, 0


class _Lazily(dict[Symbol, Term]):
    """Made when they are asked for."""

    def __init__(self, make: Callable[[Symbol], Term]) -> None:
        super().__init__()
        self._make = make

    def get(self, symbol: Symbol, default: Any = None) -> Any:
        if symbol not in self:
            self[symbol] = self._make(symbol)
        return self[symbol]


class _Seen:
    """Bounds of terms, given those of variables: each term is made again with variables of these sorts."""

    def __init__(self, bounds: Callable[[Symbol], Bounds]) -> None:
        self._bounds = bounds
        self._put = Substitution(_Lazily(self._stand_in))

    def _stand_in(self, symbol: Symbol) -> Term:
        low, high = self._bounds(symbol)
        if symbol.sort.boolean:
            return literal(symbol.sort, low) if low is not None and low == high else variable(symbol)
        if low is not None and low == high:
            return constant(low)
        return variable(Symbol(symbol.name, Sort(low, high)))

    def of(self, term: Term) -> Bounds:
        made = self._put(term)
        value = known(made)
        return (made.low, made.high) if value is None else (value, value)
