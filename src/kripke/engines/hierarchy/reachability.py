"""Symbolic search of systems of modes without flattening them (section 3.2 of Alur, Grosu, McDougall, CAV 2000).

The reached set is a map from control points to diagrams over the variables that are visible there. A transition has a
relation over the variables it uses, which all instances of its mode share; its image leaves all other variables alone
(no identities), forgets the locals of a mode that is left, and starts those of one that is entered. Macro steps make
rings; inside of one, micro steps go on until control comes to rest. The loops are native (``located.py``); here is what
they ask for: what happens at a control point, once for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from kripke.engines.hierarchy.located import (
    BEFORE,
    CONTROL,
    DONE,
    NEVER,
    NOW,
    SPOT,
    Choice,
    Event,
    LocatedSets,
    ValueSet,
)
from kripke.hierarchy.macro_steps import RANGE
from kripke.hierarchy.mode_model import ModeModel
from kripke.hierarchy.modes import ABSENT, DEFAULT_ENTRY, ModeTransition
from kripke.hierarchy.terms import NoValue, Term, evaluator, variables
from kripke.hierarchy.tree import Node
from kripke.hierarchy.types import Type

MOST_ROWS = 300_000
MOST_VALUES = 1 << 31
_RESTING = -1

#: the position of every instance
Control = tuple[int, ...]
Row = list[tuple[int, int]]


class TooWide(Exception):
    """A transition or condition looks at too many values; the message says which."""


class _Relations(NamedTuple):
    """Of a transition: over its places in their order; guard alone, whole, those whose guard has no value, and all
    that are errors, with their codes."""

    order: tuple[int, ...]
    guard: int
    whole: int
    failed: int
    errors: tuple[tuple[int, int], ...]


class Reachability:
    """``conditions`` must hold wherever control rests."""

    def __init__(self, model: ModeModel, conditions: Sequence[Term] = (), memory: int = 0) -> None:
        self.model = model
        self.tree = model.tree
        self.system = model.system
        self.sets = LocatedSets(memory)
        self.conditions = list(conditions)
        self.controls: list[Control] = []
        self._control_numbers: dict[Control, int] = {}
        self._spots: list[tuple[int, int]] = []
        self._spot_numbers: dict[tuple[int, int], int] = {}
        self._relations: dict[tuple[int, int, tuple[int, ...]], _Relations] = {}
        self._moves: dict[tuple[tuple[int, bool, int], ...], int] = {}
        self._first = model.macro_steps.first
        self._types: dict[int, Type] = dict(enumerate(v.type for v in self.system.globals))
        for node in self.tree.nodes:
            self._types |= dict(zip(node.locals, (v.type for v in node.definition.locals), strict=True))
        #: of places: submodes of which only one can be there share levels, so that what is alike in them is stored once
        self._level = {place: 2 * place for place in range(len(self.system.globals))}
        following = len(self.system.globals)
        for root in self.tree.roots:
            following = self._number_levels(root, following)
        for type_ in self._types.values():
            if type_.high - type_.low >= MOST_VALUES:
                raise TooWide(f"a variable of {type_} has more values than a diagram tells apart")

    def _number_levels(self, number: int, first: int) -> int:
        """Levels for an instance and what is inside of it, from there on; the first that is free behind them."""
        node = self.tree.nodes[number]
        for place in node.locals:
            self._level[place] = 2 * first
            first += 1
        for child in node.children:
            if self.tree.nodes[child].keeps:
                first = self._number_levels(child, first)
        others = [child for child in node.children if not self.tree.nodes[child].keeps]
        return max((self._number_levels(child, first) for child in others), default=first)

    # --- rings --------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        for values in self.model.macro_steps.initial()[0]:
            control = self.control(tuple(values[node.position] for node in self.tree.nodes))
            self.sets.native.start(control, self.single(control, values).handle)

    def advance(self, rings: int = 1 << 62) -> Event:
        """Up to so many rings more: nothing new, so many, an error, or a condition that does not hold."""
        while (event := self.sets.advance(rings)).kind in (CONTROL, SPOT):
            self._describe(event)
        return event

    def macro_step(self, control: int, start: ValueSet, actor: int) -> tuple[Event, dict[int, ValueSet]]:
        """Where a top-level mode can come to rest, with the values there; of pairs, the states before stay."""
        while (answer := self.sets.macro_step(control, start, actor))[0].kind in (CONTROL, SPOT):
            self._describe(answer[0])
        return answer

    @property
    def states(self) -> int:
        return sum(values.count() for values in self.sets.reached().values())

    @property
    def rings(self) -> int:
        return self.sets.native.rings

    @property
    def nodes(self) -> int:
        return self.sets.nodes(list(self.sets.reached().values()))

    # --- states -------------------------------------------------------------------------------------------------------

    def levels(self, control: Control) -> list[int]:
        """The places of the variables that are visible, from the outside in."""
        found = list(range(len(self.system.globals)))
        for node in self.tree.nodes:
            if control[node.number] != ABSENT:
                found += node.locals
        return found

    def single(self, control: int, values: Sequence[int]) -> ValueSet:
        visible = self.levels(self.controls[control])
        return self.sets.single([(self._level[place], values[place] - self._types[place].low) for place in visible])

    def state(self, control: int, member: ValueSet) -> bytes:
        """Some state of a set that is not empty."""
        picked, values = member.pick(), self._values(self.controls[control])
        for place in self.levels(self.controls[control]):
            values[place] = picked.get(self._level[place], 0) + self._types[place].low
        return self.tree.encode(values)

    def located(self, state: bytes) -> tuple[int, ValueSet]:
        values = self.tree.decode(state)
        control = self.control(tuple(values[node.position] for node in self.tree.nodes))
        return control, self.single(control, values)

    def restricted(self, control: int, start: ValueSet, term: Term) -> ValueSet:
        """The members of which a condition on globals and control is true."""
        return start.image(*self._condition(self.controls[control], term))

    def way_to(self, state: bytes, ring: int) -> list[bytes]:
        """States from an initial one to this, which is in the ring of this number: one of each ring before."""
        path = [state]
        for number in reversed(range(ring)):
            target, goal = self.located(path[-1])
            path.append(self._before(self.sets.ring(number), target, goal))
        return path[::-1]

    def _before(self, ring: dict[int, ValueSet], target: int, goal: ValueSet) -> bytes:
        for control, values in ring.items():
            pairs = values.mirrored()
            for actor in range(len(self.tree.roots)):
                reached = self.macro_step(control, pairs, actor)[1].get(target)
                if reached is not None and (found := reached.select(goal, NOW)):
                    return self.state(control, found.project(BEFORE))
        raise AssertionError("a ring has no way to the next")

    # --- numbers ------------------------------------------------------------------------------------------------------

    def control(self, control: Control) -> int:
        if control not in self._control_numbers:
            self._control_numbers[control] = len(self.controls)
            self.controls.append(control)
        return self._control_numbers[control]

    def _spot(self, control: Control, node: int) -> int:
        key = (self.control(control), node)
        if key not in self._spot_numbers:
            self._spot_numbers[key] = len(self._spots)
            self._spots.append(key)
        return self._spot_numbers[key]

    def _move_number(self, touches: Sequence[tuple[int, bool, int]]) -> int:
        key = tuple(touches)
        if key not in self._moves:
            self._moves[key] = self.sets.native.move(key)
        return self._moves[key]

    def _values(self, control: Control) -> list[int]:
        values = self.tree.start()
        for node in self.tree.nodes:
            values[node.position] = control[node.number]
        return values

    # --- descriptions -------------------------------------------------------------------------------------------------

    def _describe(self, event: Event) -> None:
        if event.kind == CONTROL:
            control = self.controls[event.number]
            starts = [self._start(control, self.tree.nodes[root]) for root in self.tree.roots]
            conditions = [self._condition(control, term) for term in self.conditions]
            self.sets.native.describe_control(event.number, starts, conditions)
            return
        number, at = self._spots[event.number]
        stages = [] if at == _RESTING else list(self._stages(self.controls[number], at))
        self.sets.native.describe_spot(event.number, number, at == _RESTING, stages)

    def _start(self, control: Control, root: Node) -> tuple[int, int]:
        if control[root.number] != ABSENT:
            return self._spot(control, self._restored(root.number, control)), self._move_number(())
        entered = self._set(control, {root.number: DEFAULT_ENTRY})
        return self._spot(entered, root.number), self._touches(control, entered, (), {root.number})

    def _condition(self, control: Control, term: Term) -> tuple[int, int]:
        order = tuple(sorted({variable.number for variable in variables(term)}))
        value, here = evaluator(term), self._values(control)
        places = range(len(self.system.globals))
        rows: list[Row] = []
        for row in self._rows(order, "a condition"):
            for level, given in zip(order, row, strict=True):
                here[level] = given
            try:
                if value(here, places):
                    rows.append(self._row(order, row, row))
            except NoValue:
                continue
        return self.sets.native.relation(rows), self._keeping(order)

    def _keeping(self, order: Sequence[int]) -> int:
        """A relation looks at some places, and changes nothing."""
        return self._move_number([(self._level[place], True, -1) for place in order])

    def _stages(self, control: Control, at: int) -> Iterator[list[Choice]]:
        for node, transitions in self.tree.stages(at, lambda node: control[node.number]):
            yield [self._choice(control, node, index) for index in transitions]

    def _choice(self, control: Control, node: Node, index: int) -> Choice:
        relations = self._relations_of(node, index)
        transition = node.definition.transitions[index]
        after, following, entered = self._moved(control, node, transition)
        return Choice(
            relations.guard,
            self._keeping(relations.order),
            relations.failed,
            relations.errors,
            relations.whole,
            self._touches(control, after, relations.order, entered),
            self._spot(after, following),
            self._first[node.definition_number] + index,
        )

    def _restored(self, number: int, control: Control) -> int:
        return self.tree.restored(number, lambda node: control[node.number])

    # --- relations ----------------------------------------------------------------------------------------------------

    def _rows(self, places: Sequence[int], what: str) -> Iterator[tuple[int, ...]]:
        size = 1
        for place in places:
            size *= self._types[place].high - self._types[place].low + 1
        if size > MOST_ROWS:
            raise TooWide(f"{what[:80]} looks at {size:,} combinations of values, more than {MOST_ROWS:,}")
        yield from product(*(range(self._types[place].low, self._types[place].high + 1) for place in places))

    def _row(self, places: Sequence[int], old: Sequence[int], new: Sequence[int]) -> Row:
        lows = [self._types[place].low for place in places]
        return [(before - low, after - low) for low, before, after in zip(lows, old, new, strict=True)]

    def _relations_of(self, node: Node, index: int) -> _Relations:
        """Shared by the instances of a mode whose variables have the same order and the same constants."""
        transition = node.definition.transitions[index]
        used = {v.number for v in variables(transition.guard)}
        for action in transition.actions:
            used |= {v.number for term in action.terms for v in variables(term)} | set(action.targets)
        size = self.tree.size
        fixed = {n: self.tree.constants[node.places[n] - size] for n in used if node.places[n] >= size}
        order = tuple(sorted(used - fixed.keys(), key=lambda n: self._level[node.places[n]]))
        shared = {node.places[n]: n for n in order}  # two names may stand for one variable
        same = tuple(shared[node.places[n]] for n in order)
        key = (node.definition_number, index, (*order, *same, *fixed.values()))
        if key not in self._relations:
            self._relations[key] = self._built(node, transition, fixed)
        found = self._relations[key]
        return found._replace(order=tuple(sorted(shared, key=self._level.__getitem__)))

    def _built(self, node: Node, transition: ModeTransition, fixed: dict[int, int]) -> _Relations:
        guard = evaluator(transition.guard)
        actions = [action.execution() for action in transition.actions]
        used = [v.number for v in variables(transition.guard)]
        for action in transition.actions:
            used += [*(v.number for term in action.terms for v in variables(term)), *action.targets]
        order = sorted({node.places[n] for n in used if n not in fixed}, key=self._level.__getitem__)
        values = [0] * (self.tree.size + len(self.tree.constants))
        values[self.tree.size :] = self.tree.constants
        guards, whole, failed, errors = [], [], [], dict[int, list[Row]]()
        for row in self._rows(order, transition.text):
            for place, value in zip(order, row, strict=True):
                values[place] = value
            same = self._row(order, row, row)
            try:
                if not guard(values, node.places):
                    continue
            except NoValue as error:
                errors.setdefault(error.code, []).append(same)
                failed.append(same)
                continue
            guards.append(same)
            try:
                for execute in actions:
                    if not execute(values, node.places):
                        errors.setdefault(RANGE, []).append(same)
                        break
                else:
                    whole.append(self._row(order, row, [values[place] for place in order]))
            except NoValue as error:
                errors.setdefault(error.code, []).append(same)
        relation = self.sets.native.relation
        codes = tuple((relation(rows), code) for code, rows in errors.items())
        return _Relations((), relation(guards), relation(whole), relation(failed) if failed else NEVER, codes)

    # --- moves --------------------------------------------------------------------------------------------------------

    @staticmethod
    def _set(control: Control, changes: dict[int, int]) -> Control:
        return tuple(changes.get(number, position) for number, position in enumerate(control))

    def _subtree(self, number: int) -> Iterator[int]:
        yield number
        for child in self.tree.nodes[number].children:
            yield from self._subtree(child)

    def _touches(self, before: Control, after: Control, order: tuple[int, ...], entered: set[int]) -> int:
        """The move from one control to the next. ``entered``: instances whose locals start anew."""
        there, then = set(self.levels(before)), set(self.levels(after))
        starts = {
            place: variable.start - variable.type.low
            for number in entered
            for place, variable in zip(
                self.tree.nodes[number].locals, self.tree.nodes[number].definition.locals, strict=True
            )
        }
        touches: dict[int, tuple[bool, int]] = {self._level[place]: (True, -1) for place in order}
        for place in there - then:
            touches[self._level[place]] = (place in order, 0)
        for place in then & starts.keys():  # after those that go: one of them may have had the same level
            related, _ = touches.get(self._level[place], (False, -1))
            touches[self._level[place]] = (related, starts[place])
        return self._move_number([(level, *touch) for level, touch in sorted(touches.items())])

    def _moved(self, control: Control, node: Node, transition: ModeTransition) -> tuple[Control, int, set[int]]:
        """As ``MacroSteps._taken``, for control alone: where it is, in which instance, and what starts anew."""
        target, definition = transition.target, node.definition
        changes: dict[int, int] = {}
        if target.kind == "default exit":
            return control, node.parent if node.parent >= 0 else _RESTING, set()
        if (here := control[node.number]) in definition.inside:
            child = node.children[definition.inside.index(here)]
            if not self.tree.nodes[child].keeps:
                changes |= dict.fromkeys(self._subtree(child), ABSENT)
        if target.kind == "position":
            changes[node.number] = target.position
            return self._set(control, changes), _RESTING if transition.pause else node.number, set()
        if target.kind == "exit":
            changes |= dict.fromkeys(self._subtree(node.number), ABSENT)
            owner = self.tree.nodes[node.parent]
            changes[owner.number] = owner.definition.exits_of[node.instance] + target.position
            return self._set(control, changes), owner.number, set()
        child = node.children[target.instance]
        changes[node.number] = definition.inside[target.instance]
        if target.kind == "entry" or changes.get(child, control[child]) == ABSENT:
            changes |= dict.fromkeys(self._subtree(child), ABSENT)
            changes[child] = target.position if target.kind == "entry" else DEFAULT_ENTRY
            return self._set(control, changes), child, {child}
        after = self._set(control, changes)
        return after, self._restored(child, after), set()


def explored(search: Reachability) -> bool:
    """All rings; False where an error or a wrong condition ends it."""
    search.start()
    return search.advance().kind == DONE
