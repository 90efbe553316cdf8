"""Instances of transitions in classes, for partial-order reduction: a class says which sorts of tokens are taken.

Tokens of a place are sorted by some of their components (``Sorting``): by all of them, so that every token is a sort of
its own, by the first, which most often says whose token it is, or not at all. The instances of a transition that take
tokens of the same sorts are one *unit*: what is said of it (what it needs, takes and brings) holds for each of them.
Units are found as instances are in ``unfolding.py``, by the plan of the transition over the sorts that are coverable,
with what is known of their tokens (``partial.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from kripke.nets.high_level.evaluation import EvaluationError, convert
from kripke.nets.high_level.interpreter import Interpreter
from kripke.nets.high_level.net import HighLevelNet, Transition
from kripke.nets.high_level.partial import UNKNOWN, Knowledge, Part, Some, at_path, is_known, may_equal, with_part
from kripke.nets.high_level.terms import Term
from kripke.nets.high_level.types import StructType, Type, Value
from kripke.nets.high_level.unification import Check, Choose, Define, Match, Plan, Take

MOST_UNITS = 500  # where tokens are told apart: beyond, telling them apart costs more than it saves
MOST_OF_ALL = 4_000
MOST_SORTS = 4_000
_MOST_TRIED = 40_000  # steps of the search for units
_FEW = 4  # values of something unknown that are told apart
_MOST_CASES = 32  # and all together
_MOST_OUTPUT_VALUES = 64

NOTHING = 0  # in place of a sort: an arc takes no token
Path = tuple[int, ...]
Bounds = tuple[int | None, int | None]  # None: any number
Change = tuple[tuple[tuple[int, Bounds], ...], tuple[tuple[int, Bounds], ...]]  # of sorts, of places


class TooMany(Exception):
    """Sorts or units."""


class Sorting:
    """How the tokens of a place are sorted: by the values at some paths of components. None at all: by nothing."""

    def __init__(self, type_: Type, paths: tuple[Path, ...]) -> None:
        self.type = type_
        self.paths = paths
        self.types = [_type_at(type_, path) for path in paths]
        #: does a sort have just one token?
        self.exact = paths == ((),) or type_.count == 1

    def key(self, value: Value) -> tuple[Value, ...]:
        return tuple(at_path(value, path) for path in self.paths)

    def keys(self, value: Part) -> Iterator[tuple[Value, ...]]:
        """Of all the sorts that a token may belong to of which this is known."""
        parts = [at_path(value, path) for path in self.paths]
        total = 1
        for part, type_ in zip(parts, self.types, strict=True):
            total *= 1 if is_known(part) else type_.count
            if total > MOST_SORTS:
                raise TooMany
        choices = [[part] if is_known(part) else type_.values() for part, type_ in zip(parts, self.types, strict=True)]
        yield from product(*choices)

    def token(self, key: tuple[Value, ...]) -> Part:
        """What is known of a token of a sort."""
        found: Part = UNKNOWN
        for path, part in zip(self.paths, key, strict=True):
            found = with_part(found, self.type, path, part)
        return next(iter(self.type.values())) if self.type.count == 1 else found


def _type_at(type_: Type, path: Path) -> Type:
    for at in path:
        assert isinstance(type_, StructType)
        type_ = type_.types[at]
    return type_


@dataclass(slots=True)
class Unit:
    """``needs``: of these sorts so many tokens at least. ``loose``: sorts of which an instance may lack a token though
    there are enough of the sort. ``watched``: sorts whose tokens decide whether it fails. ``changes``: for every
    outcome, by how much the tokens of sorts, and of whole places, change."""

    transition: int
    needs: dict[int, int]
    loose: set[int] = field(default_factory=set)
    watched: set[int] = field(default_factory=set)
    taking: set[int] = field(default_factory=set)
    bringing: set[int] = field(default_factory=set)
    may_fail: bool = False
    changes: set[Change] = field(default_factory=set)


class Units:
    """All units of a net for some sortings. Sorts are numbered from 1.

    A search for instances goes from node to node by the sorts of the tokens it takes (``edges``); ``unit_at`` has the
    unit of a node, -1 where no instance can end.
    """

    def __init__(
        self, net: HighLevelNet, plans: Sequence[Plan], start: Sequence[Any], sortings: list[Sorting], most: int
    ) -> None:
        """TooMany, where there are more than ``most``."""
        self.net = net
        self._most = most
        self.sortings = sortings
        self.sorts: list[tuple[int, tuple[Value, ...]]] = [(-1, ())]
        self.of_key: list[dict[tuple[Value, ...], int]] = [{} for _ in net.places]
        self.units: list[Unit] = []
        self.edges: list[dict[int, int]] = []
        self.unit_at: list[int] = []
        self.roots = [self._node() for _ in net.transitions]
        self._numbers: dict[tuple[int, frozenset[int]], int] = {}
        self.initial: dict[int, int] = {}
        for place, tokens in enumerate(start):
            for value, count in tokens.items():
                sort = self.sort(place, self.sortings[place].key(value))
                self.initial[sort] = self.initial.get(sort, 0) + count
        _Search(self, plans).run()

    def _node(self) -> int:
        self.edges.append({})
        self.unit_at.append(-1)
        return len(self.edges) - 1

    def child(self, node: int, sort: int) -> int:
        found = self.edges[node].get(sort)
        if found is None:
            found = self.edges[node][sort] = self._node()
        return found

    def sort(self, place: int, key: tuple[Value, ...]) -> int:
        found = self.of_key[place].get(key)
        if found is None:
            if len(self.sorts) > MOST_SORTS:
                raise TooMany
            found = self.of_key[place][key] = len(self.sorts)
            self.sorts.append((place, key))
        return found

    def sort_of(self, place: int, value: Value) -> int | None:
        """Of a token; None where it was not thought to be coverable."""
        return self.of_key[place].get(self.sortings[place].key(value))

    def number(self, transition: int, sorts: frozenset[int]) -> int | None:
        """The unit of the instances that take tokens of these sorts."""
        return self._numbers.get((transition, sorts))

    def unit(self, transition: int, node: int, needs: dict[int, int], loose: set[int]) -> Unit:
        """The unit at a node; the path to the node needs so many tokens."""
        key = (transition, frozenset(needs))
        number = self._numbers.get(key)
        if number is None:
            if len(self.units) >= self._most:
                raise TooMany
            number = self._numbers[key] = len(self.units)
            self.units.append(Unit(transition, dict(needs)))
        self.unit_at[node] = number
        unit = self.units[number]
        unit.loose |= loose
        for sort, least in needs.items():
            if unit.needs[sort] != least:
                unit.loose.add(sort)
                unit.needs[sort] = min(unit.needs[sort], least)
        return unit


@dataclass(slots=True)
class _Path:
    """A way through the plan of a transition, as far as it has come."""

    env: list[Any]
    node: int
    taken: list[tuple[int, Part, Bounds, bool]]  # sort, token, copies, whether the same token is put back
    fresh: bool  # with a sort that is new?
    may_fail: bool = False
    fails: bool = False

    def further(self) -> _Path:
        return _Path(list(self.env), self.node, self.taken, self.fresh, self.may_fail, self.fails)


class _Search:
    def __init__(self, units: Units, plans: Sequence[Plan]) -> None:
        self.units = units
        self.net = units.net
        self.plans = plans
        self.knowledge = Knowledge()
        self.done = [0] * len(self.net.places)  # sorts of each place with which everything was tried
        self.known: list[list[tuple[int, Part]]] = [[] for _ in self.net.places]
        self.tried = 0
        self.kept = [_kept(transition) for transition in self.net.transitions]
        self.splits = [_splits(transition) for transition in self.net.transitions]
        self.conditions = [_conditions(transition) for transition in self.net.transitions]

    def run(self) -> None:
        first = True
        while True:
            for place, keys in enumerate(self.units.of_key):
                sorting = self.units.sortings[place]
                for key, sort in list(keys.items())[len(self.known[place]) :]:
                    self.known[place].append((sort, sorting.token(key)))
            fresh = [len(known) > done for known, done in zip(self.known, self.done, strict=True)]
            if not first and not any(fresh):
                return
            for number, plan in enumerate(self.plans):
                later, possible = [False] * (len(plan.steps) + 1), False
                for at in reversed(range(len(plan.steps))):
                    step = plan.steps[at]
                    possible = possible or (isinstance(step, Take) and fresh[step.arc.place])
                    later[at] = possible
                if first or possible:
                    path = _Path([None] * plan.slots, self.units.roots[number], [], first)
                    self._walk(number, 0, path, later)
            self.done = [len(known) for known in self.known]
            first = False

    def _count(self) -> None:
        self.tried += 1
        if self.tried > _MOST_TRIED:
            raise TooMany

    def _walk(self, number: int, at: int, path: _Path, later: list[bool]) -> None:
        if not path.fresh and not later[at]:
            return
        steps = self.plans[number].steps
        if at == len(steps):
            self._end(number, path)
            return
        match steps[at]:
            case Check(term):
                try:
                    excluded = self._excluded(term, path)
                except EvaluationError:
                    path.fails = path.may_fail = True
                    excluded = False
                if not excluded:
                    self._walk(number, at + 1, path, later)
            case Define(slot, term):
                self._define(number, at, path, later, slot, term)
            case Choose() as step:
                self._choose(number, at, path, later, step)
            case Take() as step:
                self._take(number, at, path, later, step)

    def _value(self, term: Term, path: _Path) -> Part:
        """EvaluationError where it fails for sure."""
        self.knowledge.may_fail = False
        value = self.knowledge.value(term, path.env)
        path.may_fail = path.may_fail or self.knowledge.may_fail
        return value

    def _excluded(self, condition: Term, path: _Path) -> bool:
        """Is a condition false, and not because something about it may fail?"""
        before, path.may_fail = path.may_fail, False
        value = self._value(condition, path)
        found = is_known(value) and not value and not path.may_fail
        path.may_fail = path.may_fail or before
        return found

    def _define(self, number: int, at: int, path: _Path, later: list[bool], slot: int, term: Term) -> None:
        before = path.may_fail
        path.may_fail = False
        try:
            value = self._value(term, path)
        except EvaluationError:
            self._failing(number, path)
            return
        if path.may_fail:
            self._failing(number, path)
        path.may_fail = before
        few = value is UNKNOWN and term.type.count <= _FEW
        for choice in term.type.values() if few else [value]:
            one = path.further()
            one.env[slot] = choice
            self._walk(number, at + 1, one, later)

    def _choose(self, number: int, at: int, path: _Path, later: list[bool], step: Choose) -> None:
        variable = step.variable
        if path.fails or variable.type.count > _MOST_OUTPUT_VALUES:
            path.env[variable.slot] = UNKNOWN
            path.may_fail = path.may_fail or variable.condition is not None
            self._walk(number, at + 1, path, later)
            return
        for choice in variable.type.values():
            self._count()
            one = path.further()
            one.env[variable.slot] = choice
            try:
                excluded = variable.condition is not None and self._excluded(variable.condition, one)
            except EvaluationError:
                self._failing(number, path)
                continue
            if not excluded:
                self._walk(number, at + 1, one, later)

    # --- arcs ---------------------------------------------------------------------------------------------------------

    def _take(self, number: int, at: int, path: _Path, later: list[bool], step: Take) -> None:
        arc = step.arc
        before, path.may_fail = path.may_fail, False
        copies: Bounds = (1, 1)
        try:
            if arc.whole:
                self._value_of_whole(arc.token, path)
                copies = (0, None)
            elif arc.multiplicity is not None:
                value = self._value(arc.multiplicity, path)
                if is_known(value) and value < 0:
                    raise EvaluationError("constraint")
                if not is_known(value):
                    path.may_fail = path.may_fail or arc.multiplicity.type.ranges[0][0] < 0
                copies = (value, value) if is_known(value) else (0, None)
        except EvaluationError:
            self._failing(number, path)
            return
        token: Part = UNKNOWN
        if step.known and not arc.whole and copies[1] != 0:
            try:
                token = self._value(arc.token, path)
            except EvaluationError:
                path.may_fail, copies = True, (copies[0], 0)
        if path.may_fail:
            self._failing(number, path)
        path.may_fail = before
        if copies[0] == 0:
            one = path.further()
            one.node = self.units.child(path.node, NOTHING)
            self._walk(number, at + 1, one, later)
        if copies[1] != 0:
            self._take_each(number, at, path, later, step, token, (max(1, copies[0] or 0), copies[1]))

    def _value_of_whole(self, term: Term, path: _Path) -> None:
        """A multi-set is taken: anything may be in it."""
        self.knowledge.may_fail = False
        self.knowledge.tokens(term, path.env, self._taken_by_place(path))
        path.may_fail = self.knowledge.may_fail

    def _take_each(
        self, number: int, at: int, path: _Path, later: list[bool], step: Take, token: Part, copies: Bounds
    ) -> None:
        place = step.arc.place
        known = self.known[place]
        only_new = not path.fresh and not later[at + 1]
        kept = self.kept[number][0].get(id(step.arc), False)
        for position in range(self.done[place] if only_new else 0, len(known)):
            self._count()
            sort, part = known[position]
            one = path.further()
            if step.known:
                if not may_equal(part, token):
                    continue
                part = token if is_known(token) else part
            elif not self._matches(number, one, step.matches, part, sort):
                continue
            one.fresh = path.fresh or position >= self.done[place]
            one.node = self.units.child(path.node, sort)
            one.taken = [*path.taken, (sort, part, copies, kept)]
            self._walk(number, at + 1, one, later)

    def _matches(self, number: int, path: _Path, matches: Sequence[Match], token: Part, sort: int) -> bool:
        for match in matches:
            part = _part(token, match)
            match match.kind:
                case "bind":
                    path.env[match.slot] = part
                case "perhaps":
                    if path.env[match.slot] is None:
                        path.env[match.slot] = part
                    elif not may_equal(path.env[match.slot], part):
                        return False
                case "tag":
                    if is_known(part) and part[0] != match.number:
                        return False
                case "length":
                    if is_known(part) and len(part) != match.number:
                        return False
                case "convert":
                    assert match.target is not None
                    try:
                        path.env[match.slot] = convert(match.type, match.target, part) if is_known(part) else UNKNOWN
                    except EvaluationError:
                        return False
                case _:
                    assert match.term is not None
                    before, path.may_fail = path.may_fail, False
                    try:
                        wanted = self._value(match.term, path)
                    except EvaluationError:
                        self._failing(number, path, sort)
                        return False
                    if path.may_fail:
                        self._failing(number, path, sort)
                    path.may_fail = before
                    if not may_equal(part, wanted):
                        return False
        return True

    # --- units --------------------------------------------------------------------------------------------------------

    def _unit(self, number: int, path: _Path) -> Unit:
        needs: dict[int, int] = {}
        loose = set()
        for sort, _, (least, most), _ in path.taken:
            needs[sort] = needs.get(sort, 0) + (least or 1)
            if least != most or not self.units.sortings[self.units.sorts[sort][0]].exact:
                loose.add(sort)
        return self.units.unit(number, path.node, needs, loose)

    def _failing(self, number: int, path: _Path, sort: int | None = None) -> None:
        """An instance may fail here, whatever else is there; perhaps because of a token of this sort."""
        unit = self._unit(number, path)
        unit.may_fail = True
        if sort is not None:
            unit.watched.add(sort)

    def _taken_by_place(self, path: _Path) -> list[list[Some]]:
        found: list[list[Some]] = [[] for _ in self.net.places]
        for sort, part, (least, most), _ in path.taken:
            found[self.units.sorts[sort][0]].append(Some(part, least or 0, most))
        return found

    def _end(self, number: int, path: _Path) -> None:
        unit = self._unit(number, path)
        unit.may_fail = unit.may_fail or path.may_fail
        if path.fails:
            return
        for env in self._cases(number, path.env):
            self.knowledge.may_fail = False
            assumptions = self._assumptions(number, env)
            unit.may_fail = unit.may_fail or self.knowledge.may_fail
            for assumed in assumptions:
                self._count()
                self.knowledge.may_fail, self.knowledge.assumed = False, assumed
                try:
                    self._outcome(number, unit, path, env)
                except EvaluationError:
                    unit.may_fail = True
                unit.may_fail = unit.may_fail or self.knowledge.may_fail
        self.knowledge.assumed = {}

    def _cases(self, number: int, env: list[Any]) -> list[list[Any]]:
        """What is unknown of variables, where numbers of tokens depend on it, by cases."""
        cases = [env]
        for slot, type_, path, part_type in self.splits[number]:
            if env[slot] is None or at_path(env[slot], path) is not UNKNOWN:
                continue
            if len(cases) * part_type.count <= _MOST_CASES:
                cases = [
                    [with_part(value, type_, path, part) if at == slot else value for at, value in enumerate(one)]
                    for one in cases
                    for part in part_type.values()
                ]
        return cases

    def _assumptions(self, number: int, env: list[Any]) -> list[dict[int, int]]:
        """The same for conditions that are unknown: each is true or false wherever it stands."""
        self.knowledge.assumed = {}
        cases: list[dict[int, int]] = [{}]
        for alike in self.conditions[number]:
            try:
                known = is_known(self.knowledge.value(alike[0], env))
            except EvaluationError:
                known = True
            if not known and len(cases) * 2 <= _MOST_CASES:
                cases = [{**one, **dict.fromkeys(map(id, alike), truth)} for one in cases for truth in (0, 1)]
        return cases

    def _outcome(self, number: int, unit: Unit, path: _Path, env: list[Any]) -> None:
        made: list[tuple[int, Some]] = []
        taken = self._taken_by_place(path)
        for place, term in self.kept[number][1]:
            made += [(place, some) for some in self.knowledge.tokens(term, env, taken)]
        sorts: dict[int, Bounds] = {}
        places: dict[int, Bounds] = {}
        for sort, _, (least, most), kept in path.taken:
            if not kept:
                change = (None if most is None else -most, -(least or 0))
                _add(sorts, sort, change)
                _add(places, self.units.sorts[sort][0], change)
                if not self.units.sortings[self.units.sorts[sort][0]].exact:
                    unit.taking.add(sort)
        for place, (value, least, most) in made:
            keys = list(self.units.sortings[place].keys(value))
            _add(places, place, (least, most))
            for key in keys:
                sort = self.units.sort(place, key)
                _add(sorts, sort, (least if len(keys) == 1 else 0, most))
                if not self.units.sortings[place].exact and most != 0:
                    unit.bringing.add(sort)
        unit.taking |= {sort for sort, (low, _) in sorts.items() if low is None or low < 0}
        unit.bringing |= {sort for sort, (_, high) in sorts.items() if high is None or high > 0}
        unit.changes.add((_changed(sorts), _changed(places)))


def _add(total: dict[int, Bounds], key: int, change: Bounds) -> None:
    low, high = total.get(key, (0, 0))
    total[key] = (
        None if low is None or change[0] is None else low + change[0],
        None if high is None or change[1] is None else high + change[1],
    )


def _changed(total: dict[int, Bounds]) -> tuple[tuple[int, Bounds], ...]:
    return tuple(sorted((key, change) for key, change in total.items() if change != (0, 0)))


def _part(token: Part, match: Match) -> Part:
    for at in match.path:
        if isinstance(at, int):
            token = at_path(token, (at,))
        elif token is not UNKNOWN:
            token = token[1]
    return token


# --- what is read off the text of a transition ------------------------------------------------------------------------


def _kept(transition: Transition) -> tuple[dict[int, bool], list[tuple[int, Term]]]:
    """The input arcs (by identity) whose tokens are put back as they are, and the outputs without these."""
    kept: dict[int, bool] = {}
    outputs: list[tuple[int, Term]] = []
    for place, term in transition.outputs:
        for part in _summands(term):
            arcs = [arc for arc in transition.inputs if arc.place == place and not kept.get(id(arc))]
            if part.operator == "taken" and part.detail == place:
                if len(arcs) == len([arc for arc in transition.inputs if arc.place == place]):
                    kept.update((id(arc), True) for arc in arcs)
                    continue
            elif part.operator == "tokens" and part.operands[0].operator == "const" and part.operands[0].detail == 1:
                same = [a for a in arcs if a.multiplicity is None and not a.whole and _alike(a.token, part.operands[1])]
                if same:
                    kept[id(same[0])] = True
                    continue
            outputs.append((place, part))
    return kept, outputs


def _summands(term: Term) -> Iterator[Term]:
    if term.operator == "sum":
        for operand in term.operands:
            yield from _summands(operand)
    else:
        yield term


def _alike(one: Term, other: Term) -> bool:
    return (
        one.operator == other.operator
        and one.type is other.type
        and one.detail == other.detail
        and len(one.operands) == len(other.operands)
        and all(map(_alike, one.operands, other.operands))
    )


def _numbers(transition: Transition) -> Iterator[Term]:
    """Terms on which numbers of tokens depend."""
    for _, term in transition.outputs:
        for node in term.walk():
            if node.operator in ("tokens", "times", "multiif"):
                yield node.operands[0]


def _splits(transition: Transition) -> list[tuple[int, Type, Path, Type]]:
    """Components of variables with few values on which numbers of tokens depend: the variable's slot and type, the
    path to the component and its type."""
    found: dict[tuple[int, Path], tuple[int, Type, Path, Type]] = {}
    for term in _numbers(transition):
        for part in term.walk():
            root, path = _chain(part)
            if root is not None and part.type.count <= _FEW:
                found[root.detail, path] = (root.detail, root.type, path, part.type)
    return list(found.values())


def _conditions(transition: Transition) -> list[list[Term]]:
    """Conditions on which numbers of tokens depend, those that say the same together."""
    found: list[list[Term]] = []
    for term in _numbers(transition):
        while term.operator in ("not", "cast"):
            term = term.operands[0]
        if term.type.kind == "bool" and term.operator != "var":
            same = next((one for one in found if _alike(one[0], term)), None)
            if same is None:
                found.append([term])
            else:
                same.append(term)
    return found


def _chain(term: Term) -> tuple[Term | None, Path]:
    """A component of a component of a variable."""
    if term.operator == "var":
        return term, ()
    if term.operator == "component" and isinstance(term.operands[0].type, StructType):
        root, path = _chain(term.operands[0])
        return root, (*path, term.detail)
    return None, ()


# --- which sorting ----------------------------------------------------------------------------------------------------


def find_units(net: HighLevelNet, interpreter: Interpreter) -> Units:
    """With sorts as fine as can be: each token one, or those that agree in their first component, or all of a place."""
    tried: list[list[tuple[Path, ...]]] = []
    for choose, most in ((by_all, MOST_UNITS), (by_first, MOST_UNITS), (by_nothing, MOST_OF_ALL)):
        paths = [choose(place.type) for place in net.places]
        if paths in tried:
            continue
        tried.append(paths)
        try:
            return sorted_units(net, interpreter, paths, most)
        except TooMany:
            continue
    raise TooMany


def sorted_units(
    net: HighLevelNet, interpreter: Interpreter, paths: Sequence[tuple[Path, ...]], most: int = MOST_OF_ALL
) -> Units:
    """With the tokens of each place sorted by these paths; where multi-sets are taken, by nothing."""
    taken_whole = {arc.place for transition in net.transitions for arc in transition.inputs if arc.whole}
    sortings = [
        Sorting(place.type, () if number in taken_whole else paths[number]) for number, place in enumerate(net.places)
    ]
    start = interpreter.marking(interpreter.initial())
    return Units(net, interpreter.plans, start, sortings, most)


def by_all(type_: Type) -> tuple[Path, ...]:
    return ((),)


def by_first(type_: Type) -> tuple[Path, ...]:
    path: Path = ()
    while isinstance(type_, StructType) and type_.types:
        path, type_ = (*path, 0), type_.types[0]
    return (path,) if type_.count <= MOST_UNITS and type_.kind not in ("array", "queue", "stack") else ()


def by_nothing(type_: Type) -> tuple[Path, ...]:
    return ()
