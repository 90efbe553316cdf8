"""Symbolic search of systems of modes without flattening them (section 3.2 of Alur, Grosu, McDougall, CAV 2000).

The reached set is a map from control points to diagrams over the variables that are visible there. A transition has a
relation over the variables it uses, which all instances of its mode share; its image leaves all other variables alone
(no identities), forgets the locals of a mode that is left, and starts those of one that is entered. Macro steps make
rings; inside of one, micro steps go on until control comes to rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from kripke.engines.hierarchy.diagrams import EMPTY, UNIT, Diagrams, Step
from kripke.hierarchy.macro_steps import DIVISION, RANGE
from kripke.hierarchy.mode_model import ModeModel
from kripke.hierarchy.modes import ABSENT, DEFAULT_ENTRY, ModeTransition
from kripke.hierarchy.terms import DivisionByZero, Term, evaluator, variables
from kripke.hierarchy.tree import Node
from kripke.hierarchy.types import Type

MOST_ROWS = 300_000
_RESTING = -1

#: the position of every instance
Control = tuple[int, ...]
#: of an image along some steps: what was found before
Memory = dict[tuple[int, int, int], int]


class TooWide(Exception):
    """A transition or condition looks at too many values; the message says which."""


class Broken(NamedTuple):
    """A run-time error: its code, and the number of the transition among all."""

    code: int
    transition: int


class _Move(NamedTuple):
    """What a transition does to control and to the levels."""

    control: Control
    node: int
    steps: tuple[Step, ...]
    memory: Memory


class _Relations(NamedTuple):
    """Of a transition: over its levels in their order; guard alone, whole, those whose guard has no value, and all
    that are errors, by their codes."""

    order: tuple[int, ...]
    guard: int
    whole: int
    failed: int
    errors: tuple[tuple[int, int], ...]


class Reachability:
    """``reached`` after ``rings`` macro steps."""

    def __init__(self, model: ModeModel, pause: Callable[[], None] = lambda: None) -> None:
        self.model = model
        self.tree = model.tree
        self.system = model.system
        self.pause = pause
        self.diagrams = Diagrams()
        self.reached: dict[Control, int] = {}
        self.rings: list[dict[Control, int]] = []
        self.broken: Broken | None = None
        self._relations: dict[tuple[int, int, tuple[int, ...]], _Relations] = {}
        self._moves: dict[tuple[Control, int, int], _Move] = {}
        self._keeping: dict[tuple[Control, tuple[int, ...]], tuple[tuple[Step, ...], Memory]] = {}
        self._first = model.macro_steps.first
        self._types: dict[int, Type] = dict(enumerate(v.type for v in self.system.globals))
        for node in self.tree.nodes:
            self._types |= dict(zip(node.locals, (v.type for v in node.definition.locals), strict=True))

    # --- rings --------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        ring: dict[Control, int] = {}
        for values in self.model.macro_steps.initial()[0]:
            control = tuple(values[node.position] for node in self.tree.nodes)
            member = self.member(control, values)
            ring[control] = self.diagrams.union(ring.get(control, EMPTY), member)
        self.reached = dict(ring)
        self.rings = [ring]

    def member(self, control: Control, values: Sequence[int]) -> int:
        root = UNIT
        for level in reversed(self.levels(control)):
            root = self.diagrams.make(level, [(values[level], root)])
        return root

    def levels(self, control: Control) -> list[int]:
        """The variables that are visible, from the outside in."""
        found = list(range(len(self.system.globals)))
        for node in self.tree.nodes:
            if control[node.number] != ABSENT:
                found += node.locals
        return found

    def advance(self) -> bool:
        """The next ring; is there any?"""
        following: dict[Control, int] = {}
        for control, root in self.rings[-1].items():
            for top in range(len(self.tree.roots)):
                for after, reached in self.macro_step(control, root, top).items():
                    new = self.diagrams.subtract(reached, self.reached.get(after, EMPTY))
                    if new != EMPTY:
                        self.reached[after] = self.diagrams.union(self.reached.get(after, EMPTY), new)
                        following[after] = self.diagrams.union(following.get(after, EMPTY), new)
        if following:
            self.rings.append(following)
        return bool(following)

    @property
    def states(self) -> int:
        return sum(self.diagrams.count(root) for root in self.reached.values())

    def errors(self, control: Control, root: int, terms: Sequence[Term]) -> tuple[int, int] | None:
        """The first condition that is false somewhere in a set, and where."""
        for number, term in enumerate(terms):
            wrong = self.diagrams.subtract(root, self.restricted(control, root, term))
            if wrong != EMPTY:
                return number, wrong
        return None

    def restricted(self, control: Control, root: int, term: Term) -> int:
        """The members of which a condition on globals and control is true."""
        order = tuple(sorted({variable.number for variable in variables(term)}))
        value, here = evaluator(term), self._values(control)
        places = range(len(self.system.globals))
        rows = []
        for row in self._rows(order, str(term)):
            for level, given in zip(order, row, strict=True):
                here[level] = given
            try:
                if value(here, places):
                    rows.append([(given, given) for given in row])
            except DivisionByZero:
                continue
        relation = self.diagrams.relation(rows)
        steps, memory = self._kept(control, order)
        return self.diagrams.image(root, relation, steps, memory) if rows else EMPTY

    def _values(self, control: Control) -> list[int]:
        values = self.tree.start()
        for node in self.tree.nodes:
            values[node.position] = control[node.number]
        return values

    # --- macro steps --------------------------------------------------------------------------------------------------

    def macro_step(self, control: Control, root: int, top: int) -> dict[Control, int]:
        """Where control can come to rest, with the values there."""
        diagrams, node = self.diagrams, self.tree.nodes[self.tree.roots[top]]
        if control[node.number] == ABSENT:
            entered = self._set(control, {node.number: DEFAULT_ENTRY})
            move = self._move_to(control, entered, node.number, (), {node.number})
            pending = {(move.control, move.node): diagrams.image(root, UNIT, move.steps, move.memory)}
        else:
            pending = {(control, self._innermost(node.number, control)): root}
        visited: dict[tuple[Control, int], int] = {}
        resting: dict[Control, int] = {}
        while pending:
            self.pause()
            (here, at), some = pending.popitem()
            new = diagrams.subtract(some, visited.get((here, at), EMPTY))
            if new == EMPTY:
                continue
            visited[here, at] = diagrams.union(visited.get((here, at), EMPTY), new)
            if at == _RESTING:
                resting[here] = diagrams.union(resting.get(here, EMPTY), new)
                continue
            for (after, reached_node), reached in self._micro_steps(here, at, new, resting):
                key = (after, reached_node)
                pending[key] = diagrams.union(pending.get(key, EMPTY), reached)
        return resting

    def _micro_steps(
        self, control: Control, at: int, root: int, resting: dict[Control, int]
    ) -> Iterator[tuple[tuple[Control, int], int]]:
        """Inner transitions first; where none is enabled, those of the owner."""
        diagrams, node = self.diagrams, self.tree.nodes[at]
        while True:
            left = root
            for index in node.definition.outgoing[control[node.number]]:
                transition = node.definition.transitions[index]
                relations = self._relations_of(node, index)
                steps, memory = self._kept(control, relations.order)
                enabled = diagrams.image(root, relations.guard, steps, memory)
                left = diagrams.subtract(left, enabled)
                left = diagrams.subtract(left, diagrams.image(root, relations.failed, steps, memory))
                for code, errors in relations.errors:
                    if self.broken is None and diagrams.image(root, errors, steps, memory) != EMPTY:
                        self.broken = Broken(code, self._first[node.definition_number] + index)
                if enabled != EMPTY:
                    move = self._move(control, node, index, transition, relations.order)
                    reached = diagrams.image(enabled, relations.whole, move.steps, move.memory)
                    if reached != EMPTY:
                        yield (move.control, move.node), reached
            if left == EMPTY:
                return
            if node.parent < 0:
                resting[control] = diagrams.union(resting.get(control, EMPTY), left)
                return
            root, node = left, self.tree.nodes[node.parent]

    def _innermost(self, number: int, control: Control) -> int:
        node = self.tree.nodes[number]
        while control[node.number] in node.definition.inside:
            node = self.tree.nodes[node.children[node.definition.inside.index(control[node.number])]]
        return node.number

    # --- relations ----------------------------------------------------------------------------------------------------

    def _rows(self, levels: Sequence[int], what: str) -> Iterator[tuple[int, ...]]:
        size = 1
        for level in levels:
            size *= self._types[level].high - self._types[level].low + 1
        if size > MOST_ROWS:
            raise TooWide(f"{what[:80]} looks at {size:,} combinations of values, more than {MOST_ROWS:,}")
        yield from product(*(range(self._types[level].low, self._types[level].high + 1) for level in levels))

    def _relations_of(self, node: Node, index: int) -> _Relations:
        """Shared by the instances of a mode whose variables have the same order and the same constants."""
        transition = node.definition.transitions[index]
        used = {v.number for v in variables(transition.guard)}
        used |= {v.number for action in transition.actions for v in variables(action.value)}
        used |= {action.variable for action in transition.actions}
        size = self.tree.size
        fixed = {n: self.tree.constants[node.places[n] - size] for n in used if node.places[n] >= size}
        order = tuple(sorted(used - fixed.keys(), key=lambda n: node.places[n]))
        key = (node.definition_number, index, (*order, *fixed.values()))
        if key not in self._relations:
            self._relations[key] = self._built(node, transition, order, fixed)
        found = self._relations[key]
        return found._replace(order=tuple(node.places[n] for n in order))

    def _built(
        self, node: Node, transition: ModeTransition, order: tuple[int, ...], fixed: dict[int, int]
    ) -> _Relations:
        guard = evaluator(transition.guard)
        actions = [(a.variable, a.type, evaluator(a.value)) for a in transition.actions]
        scope = [0] * len(node.places)
        places = range(len(node.places))
        guards, whole, failed, errors = [], [], [], dict[int, list[list[tuple[int, int]]]]()
        for row in self._rows([node.places[n] for n in order], transition.text):
            for variable, value in (*zip(order, row, strict=True), *fixed.items()):
                scope[variable] = value
            same = [(value, value) for value in row]
            try:
                if not guard(scope, places):
                    continue
            except DivisionByZero:
                errors.setdefault(DIVISION, []).append(same)
                failed.append(same)
                continue
            guards.append(same)
            try:
                for variable, type_, action in actions:
                    scope[variable] = action(scope, places)
                    if not type_.low <= scope[variable] <= type_.high:
                        errors.setdefault(RANGE, []).append(same)
                        break
                else:
                    whole.append([(old, scope[n]) for n, old in zip(order, row, strict=True)])
            except DivisionByZero:
                errors.setdefault(DIVISION, []).append(same)
        relation = self.diagrams.relation
        codes = tuple((code, relation(rows)) for code, rows in errors.items())
        return _Relations(order, relation(guards), relation(whole), relation(failed), codes)

    # --- moves --------------------------------------------------------------------------------------------------------

    def _kept(self, control: Control, order: tuple[int, ...]) -> tuple[tuple[Step, ...], Memory]:
        """All levels stay; the relation looks at some."""
        key = (control, order)
        if key not in self._keeping:
            steps = tuple(Step(level, "copy", 0, level in order) for level in self.levels(control))
            self._keeping[key] = (steps, {})
        return self._keeping[key]

    @staticmethod
    def _set(control: Control, changes: dict[int, int]) -> Control:
        return tuple(changes.get(number, position) for number, position in enumerate(control))

    def _subtree(self, number: int) -> Iterator[int]:
        yield number
        for child in self.tree.nodes[number].children:
            yield from self._subtree(child)

    def _move_to(self, before: Control, after: Control, node: int, order: tuple[int, ...], entered: set[int]) -> _Move:
        """``entered``: instances whose locals start anew."""
        there, then = set(self.levels(before)), set(self.levels(after))
        starts = {
            place: variable.start
            for number in entered
            for place, variable in zip(
                self.tree.nodes[number].locals, self.tree.nodes[number].definition.locals, strict=True
            )
        }
        steps = []
        for level in sorted(there | then):
            related = level in order
            if level not in then:
                steps.append(Step(level, "drop", 0, related))
            elif level not in there:
                steps.append(Step(level, "create", starts[level]))
            elif level in starts:
                steps.append(Step(level, "reset", starts[level], related))
            else:
                steps.append(Step(level, "relation" if related else "copy", 0, related))
        return _Move(after, node, tuple(steps), {})

    def _move(
        self, control: Control, node: Node, index: int, transition: ModeTransition, order: tuple[int, ...]
    ) -> _Move:
        key = (control, node.number, index)
        if key not in self._moves:
            self._moves[key] = self._made_move(control, node, transition, order)
        return self._moves[key]

    def _made_move(self, control: Control, node: Node, transition: ModeTransition, order: tuple[int, ...]) -> _Move:
        """As ``MacroSteps._taken``, for control alone."""
        target, definition = transition.target, node.definition
        changes: dict[int, int] = {}
        entered: set[int] = set()
        if target.kind == "default exit":
            return self._move_to(control, control, node.parent if node.parent >= 0 else _RESTING, order, entered)
        if transition.source in definition.inside:
            child = node.children[definition.inside.index(transition.source)]
            if not self.tree.nodes[child].keeps:
                changes |= dict.fromkeys(self._subtree(child), ABSENT)
        if target.kind == "position":
            changes[node.number] = target.position
            following = _RESTING if transition.pause else node.number
            return self._move_to(control, self._set(control, changes), following, order, entered)
        if target.kind == "exit":
            changes |= dict.fromkeys(self._subtree(node.number), ABSENT)
            owner = self.tree.nodes[node.parent]
            changes[owner.number] = owner.definition.exits_of[node.instance] + target.position
            return self._move_to(control, self._set(control, changes), owner.number, order, entered)
        child = node.children[target.instance]
        changes[node.number] = definition.inside[target.instance]
        if target.kind == "entry" or changes.get(child, control[child]) == ABSENT:
            changes |= dict.fromkeys(self._subtree(child), ABSENT)
            changes[child] = target.position if target.kind == "entry" else DEFAULT_ENTRY
            entered.add(child)
            return self._move_to(control, self._set(control, changes), child, order, entered)
        after = self._set(control, changes)
        return self._move_to(control, after, self._innermost(child, after), order, entered)
