"""Macro steps of modes: the reference semantics.

A top-level mode runs micro steps until nothing is enabled inside of it. At every point the transitions that start there
come first; where none is enabled, control passes through the default exit to the owner, whose transitions from that
default exit (group transitions) come next, and so on outwards (weak preemption). A mode that is entered at its border
goes on where it was left, unless a transition that overrides this way back is enabled: the outermost one first. A macro
step enters a top-level mode at its border. All choices are followed. A micro
state that was met before in the same macro step is not followed again, which also cuts cycles of micro steps. A macro
step that changes nothing is none. A transition that pauses ends the macro step: an explicit way to all default exits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from kripke.hierarchy.modes import ABSENT, DEFAULT_ENTRY, ModeSystem, ModeTransition
from kripke.hierarchy.terms import DIVISION, INDEX, Evaluator, NoValue, evaluator
from kripke.hierarchy.tree import Node, Tree

#: of run-time violations
RANGE, INVARIANT, LENGTH = 0, 2, 3
CODES = (RANGE, DIVISION, INVARIANT, LENGTH, INDEX)

MOST_MICRO_STATES = 100_000  # of one macro step

_RESTING = -1  # instead of a node: the macro step is over


class Micro(NamedTuple):
    """A transition (its number among all of the system) that an instance takes."""

    node: int
    transition: int


class Outcome(NamedTuple):
    """A macro step: its micro steps, the values after it, or the violation (code) of its last micro step."""

    micros: tuple[Micro, ...]
    values: list[int] | None
    violation: int = -1


#: the micro steps so far: a chain from the last to the first, for many ways have their beginning in common
_Way: TypeAlias = "tuple[_Way, Micro] | None"


def _micros(way: _Way) -> tuple[Micro, ...]:
    found = []
    while way is not None:
        way, micro = way
        found.append(micro)
    return tuple(reversed(found))


class _Broken(Exception):
    def __init__(self, code: int) -> None:
        self.code = code


class _Ready(NamedTuple):
    """A transition with its expressions made ready."""

    number: int
    transition: ModeTransition
    guard: Evaluator
    actions: tuple[Callable[[list[int], Sequence[int]], bool], ...]


class MacroSteps:
    def __init__(self, system: ModeSystem, tree: Tree) -> None:
        self.system = system
        self.tree = tree
        self.first: list[int] = []  # of each definition: the number of its first transition
        self._ready: list[list[_Ready]] = []  # by definition
        number = 0
        for definition in system.definitions:
            self.first.append(number)
            ready = [
                _Ready(
                    number + index,
                    transition,
                    evaluator(transition.guard),
                    tuple(action.execution() for action in transition.actions),
                )
                for index, transition in enumerate(definition.transitions)
            ]
            number += len(ready)
            self._ready.append(ready)
        self.count = number

    def initial(self) -> tuple[list[list[int]], list[Outcome]]:
        """The initial states, and what is broken on the way to them."""
        states, broken = [self.tree.start()], list[Outcome]()
        for top, root in zip(self.system.tops, self.tree.roots, strict=True):
            if top.initialised:
                outcomes = [outcome for values in states for outcome in self._entered(root, values)]
                broken += [outcome for outcome in outcomes if outcome.values is None]
                states = []
                for outcome in outcomes:
                    if outcome.values is not None and outcome.values not in states:
                        states.append(outcome.values)
        return states, broken

    def entered(self) -> Iterator[Outcome]:
        """The ways of modes that start initialised through their entries, each from the start values."""
        for top, root in zip(self.system.tops, self.tree.roots, strict=True):
            if top.initialised:
                yield from self._entered(root, self.tree.start())

    def _entered(self, root: int, values: list[int]) -> Iterator[Outcome]:
        """The mode passes its entries, down to a point, and no further."""
        entered = values.copy()
        self._enter(self.tree.nodes[root], entered, DEFAULT_ENTRY)
        yield from self._followed(entered, root, None, entering=True)

    def outcomes(self, root: int, values: list[int]) -> Iterator[Outcome]:
        """The macro steps of a top-level mode."""
        node = self.tree.nodes[root]
        if values[node.position] == ABSENT:
            started = values.copy()
            self._enter(node, started, DEFAULT_ENTRY)
            yield from self._followed(started, root, values)
        else:
            yield from self._followed(values, self._restored(root, values), values)

    def answers(self, root: int, values: list[int]) -> Iterator[Outcome]:
        """The same, with those that change nothing."""
        node = self.tree.nodes[root]
        if values[node.position] == ABSENT:
            started = values.copy()
            self._enter(node, started, DEFAULT_ENTRY)
            yield from self._followed(started, root, None)
        else:
            yield from self._followed(values, self._restored(root, values), None)

    def _restored(self, number: int, values: Sequence[int]) -> int:
        return self.tree.restored(number, lambda node: values[node.position])

    def _followed(
        self, start: list[int], at: int, before: list[int] | None, *, entering: bool = False
    ) -> Iterator[Outcome]:
        visited: set[tuple[int, tuple[int, ...]]] = set()
        pending: list[tuple[list[int], int, _Way]] = [(start, at, None)]
        while pending:
            values, number, way = pending.pop()
            key = (number, tuple(values))
            if key in visited:
                continue
            if len(visited) >= MOST_MICRO_STATES:
                yield Outcome(_micros(way), None, LENGTH)
                return
            visited.add(key)
            stopped = number == _RESTING or (entering and not self._at_entry(number, values))
            number, enabled, failed = (_RESTING, [], []) if stopped else self._enabled(number, values, entering)
            for ready, code in failed:
                yield Outcome(_micros((way, Micro(number, ready.number))), None, code)
            if failed and not enabled:
                continue
            if not enabled:
                key = (_RESTING, tuple(values))
                if stopped or key not in visited:
                    visited.add(key)
                    if values != before:
                        yield Outcome(_micros(way), values)
                continue
            node = self.tree.nodes[number]
            following = []
            for ready in enabled:
                path = (way, Micro(number, ready.number))
                try:
                    after, next_number = self._taken(ready, node, values)
                except _Broken as broken:
                    yield Outcome(_micros(path), None, broken.code)
                else:
                    following.append((after, next_number, path))
            pending += reversed(following)

    def _at_entry(self, number: int, values: Sequence[int]) -> bool:
        node = self.tree.nodes[number]
        return node.definition.is_entry(values[node.position])

    def _enabled(
        self, number: int, values: list[int], entering: bool
    ) -> tuple[int, list[_Ready], list[tuple[_Ready, int]]]:
        """The enabled transitions of the first instance that has any; those whose guard has no value, with the code of
        what goes wrong."""
        enabled, failed = list[_Ready](), list[tuple[_Ready, int]]()
        for node, transitions in self.tree.stages(number, lambda node: values[node.position]):
            for index in transitions:
                ready = self._ready[node.definition_number][index]
                try:
                    if ready.guard(values, node.places):
                        enabled.append(ready)
                except NoValue as error:
                    failed.append((ready, error.code))
            if enabled or failed or entering:
                return node.number, enabled, failed
        return node.number, enabled, failed

    def _taken(self, ready: _Ready, node: Node, values: list[int]) -> tuple[list[int], int]:
        """The values after a transition, and the instance control is in (or that the macro step is over)."""
        after = values.copy()
        for action in ready.actions:
            try:
                if not action(after, node.places):
                    raise _Broken(RANGE)
            except NoValue as error:
                raise _Broken(error.code) from None
        transition, target = ready.transition, ready.transition.target
        definition = node.definition
        if target.kind == "default exit":
            return after, node.parent if node.parent >= 0 else _RESTING
        if (here := after[node.position]) in definition.inside:
            left = definition.inside.index(here)
            child = self.tree.nodes[node.children[left]]
            if not child.keeps:
                self._clear(child, after)
        if target.kind == "position":
            after[node.position] = target.position
            return after, _RESTING if transition.pause else node.number
        if target.kind == "exit":
            self._clear(node, after)
            owner = self.tree.nodes[node.parent]
            after[owner.position] = owner.definition.exits_of[node.instance] + target.position
            return after, owner.number
        child = self.tree.nodes[node.children[target.instance]]
        after[node.position] = definition.inside[target.instance]
        if target.kind == "entry":
            self._clear(child, after)
            self._enter(child, after, target.position)
        elif after[child.position] == ABSENT:
            self._enter(child, after, DEFAULT_ENTRY)
        else:
            return after, self._restored(child.number, after)
        return after, child.number

    def _enter(self, node: Node, values: list[int], position: int) -> None:
        values[node.position] = position
        for place, variable in zip(node.locals, node.definition.locals, strict=True):
            values[place] = variable.start

    def _clear(self, node: Node, values: list[int]) -> None:
        """The instance and everything inside of it is not there any more."""
        if values[node.position] == ABSENT:
            return
        values[node.position] = ABSENT
        for place in node.locals:
            values[place] = 0
        for child in node.children:
            self._clear(self.tree.nodes[child], values)
