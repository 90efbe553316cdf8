"""A system of modes in terms: a command for every way through a macro step.

Variables are the places of the tree of instances; one that is not there has zeros. A macro step is followed from every
control point with values that are terms over the state it begins in: where control is, is known on the way, and what is
not known, guards, becomes a condition of the way. A way that meets a micro state again ends there, as in the
interpreter: that it does not is another condition.

Where there are too many ways from a control point (loops of micro steps that count), the interpreter takes the steps,
with values that must not be looked at. Where it does look at one, every value is a case of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kripke.hierarchy import terms as source
from kripke.hierarchy.lowering import Lowering
from kripke.hierarchy.macro_steps import INVARIANT, RANGE
from kripke.hierarchy.modes import ABSENT, DEFAULT_ENTRY, Assignment, ModeTransition
from kripke.hierarchy.tree import Node, Tree
from kripke.hierarchy.types import Type
from kripke.model.capabilities.encodable import Encoding
from kripke.model.source import Span
from kripke.terms.build import (
    FALSE,
    TRUE,
    all_of,
    any_of,
    at_most,
    conjoin,
    constant,
    equal,
    ite,
    known,
    literal,
    negate,
    number,
    variable,
)
from kripke.terms.sort import BOOLEAN, Sort, integers
from kripke.terms.system import Breach, Command, TransitionSystem, valued
from kripke.terms.term import Symbol, Term

if TYPE_CHECKING:
    from kripke.hierarchy.mode_model import ModeModel

MOST_WAYS = 60  # from one control point
MOST_WAYS_IN_ALL = 20_000
MOST_MICRO_STEPS = 12  # of one way
MOST_CASES = 1_000  # of values, instead

_RESTING = -1  # instead of an instance: the macro step is over


class _TooManyWays(Exception):
    pass


class TooManyCases(Exception):
    def __init__(self, span: Span) -> None:
        super().__init__(span)
        self.span = span


@dataclass(slots=True)
class _Way:
    """``values``: of all places. ``met``: the micro states before, by the instance control was in."""

    when: Term
    values: list[Term]
    at: int
    met: tuple[tuple[int, list[Term]], ...] = ()
    statement: int = -1

    def only(self, condition: Term) -> _Way:
        return replace(self, when=conjoin(self.when, condition), values=list(self.values))


def encoded(model: ModeModel) -> Encoding | str:
    try:
        return _Encoder(model).encoding()
    except TooManyCases as refusal:
        return (
            f"macro steps with more than {MOST_WAYS} ways, and more than {MOST_CASES:,} cases of values, cannot be "
            f"said in terms ({refusal.span})"
        )


def _sort(type_: Type) -> Sort:
    """Zero stands for a variable that is not there."""
    return BOOLEAN if type_.is_bool else integers(min(type_.low, 0), max(type_.high, 0))


class _Encoder:
    def __init__(self, model: ModeModel) -> None:
        self.model, self.system, self.tree = model, model.system, model.tree
        self.symbols = _symbols(self.tree)
        self.start: list[Term] = [
            *(variable(symbol) for symbol in self.symbols),
            *(constant(value) for value in self.tree.constants),
        ]
        self.commands: list[Command] = []
        self.breaches: list[Breach] = []
        self.ways = self.all_ways = self.cases = 0

    def encoding(self) -> Encoding:
        tree, model = self.tree, self.model
        for top in range(len(self.system.tops)):
            self._top(top)
        self._invariants()
        truths, failures = [], []
        for condition in model.conditions:
            lowering = self._lowering(self.start, range(len(self.system.globals)))
            truth = lowering.truth(condition.term)
            truths.append(conjoin(truth, negate(lowering.failed)))
            failures.append(lowering.failed)
        moving = [*(command.guard for command in self.commands), *(breach.condition for breach in self.breaches)]
        system = TransitionSystem(
            variables=self.symbols,
            initial=valued(self.symbols, [self.values(state) for state in model.initial()]),
            commands=self.commands,
            atoms=truths,
            failed_atoms=failures,
            resting=negate(any_of(moving)),
            breaches=self.breaches,
        )
        return Encoding(system, self.values, lambda values: tree.encode([*values, *tree.constants]))

    def values(self, state: bytes) -> tuple[int, ...]:
        return tuple(self.tree.decode(state)[: self.tree.size])

    def _invariants(self) -> None:
        """A state that breaks one has a step that says so."""
        first = len(self.system.tops) + sum(len(d.transitions) for d in self.system.definitions)
        for index, one in enumerate(self.system.invariants):
            lowering = self._lowering(self.start, range(len(self.system.globals)))
            holds = lowering.truth(one.term)
            broken = [(conjoin(negate(holds), negate(lowering.failed)), INVARIANT), *lowering.failures]
            self.breaches += [Breach(when, code, first + index) for when, code in broken if when is not FALSE]

    def _lowering(self, values: Sequence[Term], places: Sequence[int]) -> Lowering:
        def inside(term: source.Inside) -> Term:
            return any_of(equal(values[term.place], constant(value)) for value in term.values)

        return Lowering(lambda index: values[places[index]], inside)

    # --- ways ---------------------------------------------------------------------------------------------------------

    def _top(self, top: int) -> None:
        root = self.tree.nodes[self.tree.roots[top]]
        absent = equal(self.start[root.position], constant(ABSENT))
        way = _Way(absent, list(self.start), root.number, statement=top)
        self._enter(way, root, DEFAULT_ENTRY)
        self._steps(top, {root.position: ABSENT}, way)
        for _, chain in self._points(root, {}):
            values = list(self.start)
            for place, value in chain.items():
                values[place] = constant(value)
            here = all_of(equal(self.start[place], constant(value)) for place, value in chain.items())
            self._steps(top, chain, _Way(here, values, self._way_into(root, values)))

    def _steps(self, top: int, chain: dict[int, int], way: _Way) -> None:
        """The macro steps from one control point."""
        commands, breaches = len(self.commands), len(self.breaches)
        self.ways = 0
        try:
            self._follow(way, top)
        except _TooManyWays:
            del self.commands[commands:], self.breaches[breaches:]
            self._enumerate(top, chain)
        self.all_ways += self.ways

    def _points(self, node: Node, outer: dict[int, int]) -> Iterator[tuple[Node, dict[int, int]]]:
        """Wherever control can be, with the positions that say so."""
        for position in range(1, len(node.definition.positions)):
            chain = {**outer, node.position: position}
            if position in node.definition.inside:
                child = self.tree.nodes[node.children[node.definition.inside.index(position)]]
                yield from self._points(child, chain)
            else:
                yield node, chain

    def _follow(self, start: _Way, top: int) -> None:
        pending = [start]
        while pending:
            way = pending.pop()
            if way.when is FALSE:
                continue
            self.ways += 1
            if self.ways > MOST_WAYS or self.ways + self.all_ways > MOST_WAYS_IN_ALL:
                raise _TooManyWays
            if way.at == _RESTING:
                self._rest(way, top)
                continue
            for at, values in way.met:
                if at == way.at:
                    way.when = conjoin(way.when, negate(_same(values, way.values)))
            if way.when is FALSE:
                continue
            if len(way.met) >= MOST_MICRO_STEPS:
                raise _TooManyWays
            way.met = (*way.met, (way.at, list(way.values)))
            pending += reversed(list(self._moves(way, top)))

    def _moves(self, way: _Way, top: int) -> Iterator[_Way]:
        """The transitions of the first instance that has any enabled; none: the macro step is over."""
        way = way.only(TRUE)
        for node, transitions in self.tree.stages(way.at, _position(way.values)):
            quiet = TRUE
            for index in transitions:
                transition = node.definition.transitions[index]
                statement = len(self.system.tops) + self.model.macro_steps.first[node.definition_number] + index
                lowering = self._lowering(way.values, node.places)
                guard = lowering.truth(transition.guard)
                self._broken(way.when, lowering.failures, statement)
                enabled = conjoin(guard, negate(lowering.failed))
                quiet = conjoin(quiet, negate(enabled), negate(lowering.failed))
                taken = way.only(enabled)
                taken.statement = statement if way.statement < 0 else way.statement
                if taken.when is not FALSE and self._act(taken, node, transition.actions, statement):
                    yield from self._taken(taken, node, transition)
            way = way.only(quiet)
            if way.when is FALSE:
                return
        way.at = _RESTING
        yield way

    def _broken(self, when: Term, failures: Sequence[tuple[Term, int]], statement: int) -> None:
        for condition, code in failures:
            here = conjoin(when, condition)
            if here is not FALSE:
                self.breaches.append(Breach(here, code, statement))

    def _act(self, way: _Way, node: Node, actions: Sequence[Assignment], statement: int) -> bool:
        """The assignments; False where none gets through."""
        for action in actions:
            lowering = self._lowering(way.values, node.places)
            at: Term | None = None
            if action.index is not None:
                at = lowering.number(action.index)
                lowering.fail(
                    negate(conjoin(at_most(constant(0), at), at_most(at, constant(action.length - 1)))), source.INDEX
                )
            value = lowering.value(action.value)
            value = value if action.type.is_bool or not value.boolean else number(value)
            if not value.boolean:
                fits = conjoin(at_most(constant(action.type.low), value), at_most(value, constant(action.type.high)))
                lowering.fail(negate(fits), RANGE)
            self._broken(way.when, lowering.failures, statement)
            way.when = conjoin(way.when, negate(lowering.failed))
            for offset in range(action.length):
                place = node.places[action.variable + offset]
                here = TRUE if at is None else equal(at, constant(offset))
                way.values[place] = ite(here, value, way.values[place])
        return way.when is not FALSE

    def _taken(self, way: _Way, node: Node, transition: ModeTransition) -> Iterator[_Way]:
        """As ``MacroSteps._taken``."""
        target, definition, tree = transition.target, node.definition, self.tree
        if target.kind == "default exit":
            way.at = node.parent if node.parent >= 0 else _RESTING
            yield way
            return
        if (here := _position(way.values)(node)) in definition.inside:
            left = tree.nodes[node.children[definition.inside.index(here)]]
            if not left.keeps:
                self._clear(way, left)
        if target.kind == "position":
            way.values[node.position] = constant(target.position)
            way.at = _RESTING if transition.pause else node.number
            yield way
            return
        if target.kind == "exit":
            self._clear(way, node)
            owner = tree.nodes[node.parent]
            way.values[owner.position] = constant(owner.definition.exits_of[node.instance] + target.position)
            way.at = owner.number
            yield way
            return
        child = tree.nodes[node.children[target.instance]]
        way.values[node.position] = constant(definition.inside[target.instance])
        if target.kind == "entry":
            self._clear(way, child)
            self._enter(way, child, target.position)
            way.at = child.number
            yield way
            return
        yield from self._restored(way, child)

    def _restored(self, way: _Way, child: Node) -> Iterator[_Way]:
        """Entered at its border: where it was left, or anew."""
        for position, one in self._positions(way, child):
            if position == ABSENT:
                self._enter(one, child, DEFAULT_ENTRY)
                one.at = child.number
                yield one
            else:
                for found in self._innermost(one, child, position):
                    found.at = self._way_into(child, found.values)
                    yield found

    def _innermost(self, way: _Way, node: Node, position: int) -> Iterator[_Way]:
        """The way for each point that control may be at inside of an instance."""
        if position not in node.definition.inside:
            yield way
            return
        child = self.tree.nodes[node.children[node.definition.inside.index(position)]]
        for inner, one in self._positions(way, child):
            if inner != ABSENT:  # whoever control is inside of is there
                yield from self._innermost(one, child, inner)

    def _way_into(self, node: Node, values: Sequence[Term]) -> int:
        return self.tree.restored(node.number, _position(values))

    def _positions(self, way: _Way, node: Node) -> Iterator[tuple[int, _Way]]:
        """The way for each position that an instance may be at."""
        here = way.values[node.position]
        position = known(here)
        if position is not None:
            yield position, way
            return
        for position in range(len(node.definition.positions)):
            one = way.only(equal(here, constant(position)))
            one.values[node.position] = constant(position)
            yield position, one

    def _enter(self, way: _Way, node: Node, position: int) -> None:
        way.values[node.position] = constant(position)
        for place, local in zip(node.locals, node.definition.locals, strict=True):
            way.values[place] = literal(self.symbols[place].sort, local.start)

    def _clear(self, way: _Way, node: Node) -> None:
        way.values[node.position] = constant(ABSENT)
        for place in node.locals:
            way.values[place] = literal(self.symbols[place].sort, 0)
        for child in node.children:
            self._clear(way, self.tree.nodes[child])

    def _rest(self, way: _Way, top: int) -> None:
        """A macro step that changes nothing is none."""
        updates = {
            symbol: value
            for symbol, value in zip(self.symbols, way.values, strict=False)
            if value is not variable(symbol)
        }
        changed = any_of(negate(equal(variable(symbol), value)) for symbol, value in updates.items())
        self._command(conjoin(way.when, changed), updates, top, way.statement)

    def _command(self, guard: Term, updates: dict[Symbol, Term], top: int, statement: int) -> None:
        if guard is not FALSE:
            self.commands.append(Command(guard, updates, top, statement))

    # --- values instead of ways ---------------------------------------------------------------------------------------

    def _enumerate(self, top: int, chain: dict[int, int]) -> None:
        """The interpreter takes the steps, case by case. What leads to the same values is one command."""
        root, first = self.tree.roots[top], len(self.system.tops)
        guards: dict[tuple[tuple[int, int], ...], list[Term]] = {}
        broken: dict[tuple[int, int], list[Term]] = {}
        here = all_of(self._is(place, value) for place, value in chain.items())
        begun = self._start_values(chain)
        pending: list[dict[int, int]] = [{}]
        while pending:
            case = pending.pop()
            values: list[Any] = list(begun)
            for place, value in case.items():
                values[place] = value
            try:
                outcomes = list(self.model.macro_steps.answers(root, values))
            except _Asked as asked:
                self.cases += 1
                if self.cases > MOST_CASES:
                    raise TooManyCases(self.system.tops[top].span) from None
                low, high = self._bounds[asked.place]
                pending += [case | {asked.place: value} for value in range(low, high + 1)]
                continue
            when = all_of(self._is(place, value) for place, value in case.items())
            for outcome in outcomes:
                if outcome.values is None:
                    statement = first + outcome.micros[-1].transition if outcome.micros else top
                    broken.setdefault((outcome.violation, statement), []).append(when)
                else:
                    new = enumerate(zip(values, outcome.values, strict=True))
                    changes = tuple((place, after) for place, (before, after) in new if before is not after)
                    guards.setdefault(changes, []).append(when)
        self.breaches += [Breach(conjoin(here, any_of(whens)), *what) for what, whens in broken.items()]
        for changes, whens in guards.items():
            updates = {self.symbols[place]: literal(self.symbols[place].sort, value) for place, value in changes}
            changed = any_of(negate(self._is(place, value)) for place, value in changes)
            self._command(conjoin(here, any_of(whens), changed), updates, top, top)

    def _is(self, place: int, value: int) -> Term:
        return equal(self.start[place], literal(self.symbols[place].sort, value))

    def _start_values(self, chain: dict[int, int]) -> list[object]:
        """What is known where control is there: instances that cannot be kept are there only where control is."""
        values: list[object] = [_Value(place) for place in range(self.tree.size)]
        values += self.tree.constants
        for place, value in chain.items():
            values[place] = value
        for node in self.tree.nodes:
            owner = values[self.tree.nodes[node.parent].position] if node.parent >= 0 else None
            gone = owner == ABSENT if isinstance(owner, int) else False
            if node.position not in chain and (gone or (not node.keeps and isinstance(owner, int))):
                for place in (node.position, *node.locals):
                    values[place] = 0
            elif chain.get(node.position) == ABSENT:
                for place in node.locals:
                    values[place] = 0
        return values

    @cached_property
    def _bounds(self) -> dict[int, tuple[int, int]]:
        return {place: (symbol.sort.low or 0, symbol.sort.high or 0) for place, symbol in enumerate(self.symbols)}


class _Asked(Exception):
    """The value at a place decides."""

    def __init__(self, place: int) -> None:
        self.place = place


class _Value:
    """Stands for the value at a place: it can be kept and copied, not looked at."""

    __slots__ = ("place",)

    def __init__(self, place: int) -> None:
        self.place = place

    def __hash__(self) -> int:
        return hash((_Value, self.place))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _Value):
            if other.place == self.place:
                return True
            raise _Asked(max(self.place, other.place))
        raise _Asked(self.place)

    def _asked(self, *_: object) -> Any:
        raise _Asked(self.place)

    __bool__ = __int__ = __index__ = __neg__ = __abs__ = _asked
    __lt__ = __le__ = __gt__ = __ge__ = _asked
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _asked


def _symbols(tree: Tree) -> list[Symbol]:
    symbols: dict[int, Symbol] = {}
    for place, one in enumerate(tree.system.globals):
        symbols[place] = Symbol(one.name, BOOLEAN if one.type.is_bool else integers(one.type.low, one.type.high))
    for node in tree.nodes:
        symbols[node.position] = Symbol(node.name, integers(0, len(node.definition.positions) - 1))
        for place, one in zip(node.locals, node.definition.locals, strict=True):
            symbols[place] = Symbol(f"{node.name}.{one.name}", _sort(one.type))
    return [symbols[place] for place in range(tree.size)]


def _position(values: Sequence[Term]) -> Callable[[Node], int]:
    """Where an instance is, where it is known."""

    def position(node: Node) -> int:
        found = known(values[node.position])
        assert found is not None
        return found

    return position


def _same(one: Sequence[Term], other: Sequence[Term]) -> Term:
    return all_of(equal(a, b) for a, b in zip(one, other, strict=True) if a is not b)
