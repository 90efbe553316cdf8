"""Modular exploration: only the steps in which modules meet are steps of the model.

From a state, every module is searched alone, by its own transitions; every combination of what its partners can reach
in which a label can fire gives a step (M. Mäkelä 2003, appendix B.4). States between are never combined, so that
the state space does not grow with the number of ways to interleave what modules do for themselves.

Formulas of linear time without X about the places of the net around the modules can be checked on it. A run of the
flat net either has modules meet again and again, which is a run here; or some module goes on alone for ever, or
everything ends: then nothing is seen to change any more, and the state has a step to itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from kripke.model.model import Part, Statement, Transition, Violation, ViolationKind
from kripke.model.source import NOWHERE, ModelError
from kripke.nets.high_level.evaluation import Marking, Tokens, evaluator
from kripke.nets.high_level.interpreter import CODES, VIOLATIONS, Instance
from kripke.nets.high_level.marking import encode
from kripke.nets.high_level.model import HighLevelModel
from kripke.nets.high_level.net import Module
from kripke.nets.high_level.terms import mentions_places

#: the contents of a module's places, hashable
Local = tuple[frozenset[tuple[object, int]], ...]
_MOST_COMBINED = 100_000  # ends of modules that are looked at together


class ModularModel(HighLevelModel):
    """States are those after steps of several modules, or of the net around them.

    What modules do for themselves is checked where they do it: an instance that cannot be evaluated, a rejected state,
    and a combination of states in which nobody can move any more are violations of a step that has no target.
    """

    merged_steps = "--modular"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        further = ("no module can move", "nothing changes around the modules any more")
        self.statements = [*self.statements, *(Statement(text, NOWHERE, "") for text in further)]
        self.violation_kinds = [*self.violation_kinds, ViolationKind("deadlock", self.deadlock_text)]
        local = {number for module in self.net.modules for number in module.transitions}
        self._together = [number for number in range(len(self.net.transitions)) if number not in local]
        self._found: dict[tuple[int, Local], _Reached] = {}
        self._known_steps: dict[Hashable, list[_Meeting]] = {}
        self._simple = not self.net.implicit_order

    def each_successor(self, state: bytes) -> Iterator[Transition]:
        marking = self.interpreter.marking(state)
        rejected = self._rejected(marking, frozenset(range(len(self.net.places))))
        if rejected is not None:
            yield rejected
            return
        reached = [self._reached(at, marking) for at in range(len(self.net.modules))]
        for module in reached:
            yield from module.broken
        for number in self._together:
            yield from self._steps(number, marking, reached)
        if self.net.deadlocks:
            yield from self._deadlocks(marking, reached)
        if self.properties and (any(module.goes_on for module in reached) or self._dead_end(marking, reached)):
            yield Transition((Part(0, len(self.statements) - 1),), state, ())

    def valid_end(self, state: bytes) -> bool:
        """Deadlocks are violations here."""
        return True

    def dependencies(self, atoms: Sequence[int] = ()) -> str:
        return "--modular takes several steps together"

    def emit_c(self, *, dependencies: bool = False) -> None:
        return None

    # --- one module ---------------------------------------------------------------------------------------------------

    def _reached(self, at: int, marking: Marking) -> _Reached:
        """What a module reaches by itself: it depends on its own places alone."""
        key = (at, _local(self.net.modules[at], marking))
        known = self._found.get(key)
        if known is None:
            known = self._found[key] = self._local_search(self.net.modules[at], marking)
        return known

    def _local_search(self, module: Module, start: Marking) -> _Reached:
        states: list[tuple[Marking, tuple[Part, ...]]] = [(start, ())]
        alive: list[_LocalState] = []
        ends: list[_LocalState] = []
        broken: list[Transition] = []
        steps: list[list[int]] = []
        numbers = {_local(module, start): 0}
        for marking, path in states:
            steps.append([])
            if marking is not start and (rejected := self._rejected(marking, module.places)) is not None:
                broken.append(rejected._replace(parts=(*path, *rejected.parts)))
                continue
            local = _LocalState({place: marking[place] for place in module.places}, path)
            alive.append(local)
            moves = False
            for number in sorted(module.transitions):
                for instance in self.interpreter.firing(number).instances(marking):
                    moves = True
                    further = (*path, self.part(instance))
                    if instance.target is None:
                        assert instance.error is not None
                        broken.append(Transition(further, None, (Violation(CODES[instance.error], number),)))
                        continue
                    self._executed.add(number)
                    self._note(instance)
                    after = self.interpreter.marking(instance.target)
                    key = _local(module, after)
                    if key not in numbers:
                        numbers[key] = len(states)
                        states.append((after, further))
                    steps[-1].append(numbers[key])
            if not moves:
                ends.append(local)
        return _Reached(alive, ends, broken, bool(self.properties) and _has_cycle(steps))

    def _rejected(self, marking: Marking, places: frozenset[int]) -> Transition | None:
        """The step that reports a ``reject`` condition about these places."""
        for number, condition in enumerate(self.net.rejects):
            if mentions_places(condition.term) <= places and self.interpreter.truth(evaluator(condition.term), marking):
                statement = len(self.net.transitions) + number
                return Transition((Part(0, statement),), None, (Violation(CODES["reject"], statement),))
        return None

    # --- several ------------------------------------------------------------------------------------------------------

    def _steps(self, number: int, marking: Marking, reached: list[_Reached]) -> Iterator[Transition]:
        transition = self.net.transitions[number]
        touched = {arc.place for arc in transition.inputs} | {place for place, _ in transition.outputs}
        partners = [at for at, module in enumerate(self.net.modules) if module.places & touched]
        if not self._simple:
            for combination in product(*(reached[at].states for at in partners)):
                for instance in self._meetings(number, _combined(marking, combination)):
                    yield Transition((*_path(combination), self.part(instance)), instance.target, _broken(instance))
            return
        # What partners do together depends on their places and those that the label touches, on nothing else.
        places = sorted(touched.union(*(self.net.modules[at].places for at in partners)))
        key = (number, tuple(frozenset(marking[place].items()) for place in places))
        known = self._known_steps.get(key)
        if known is None:
            known = self._known_steps[key] = []
            for combination in product(*(reached[at].states for at in partners)):
                for instance in self._meetings(number, _combined(marking, combination)):
                    tokens = None
                    if instance.target is not None:
                        after = self.interpreter.marking(instance.target)
                        tokens = {place: after[place] for place in places}
                    known.append(_Meeting((*_path(combination), self.part(instance)), tokens, _broken(instance)))
        for parts, tokens, broken in known:
            target = None if tokens is None else encode(self.net, _combined(marking, [_LocalState(tokens, ())]))
            yield Transition(parts, target, broken)

    def _meetings(self, number: int, marking: Marking) -> Iterator[Instance]:
        for instance in self.interpreter.firing(number).instances(marking):
            if instance.error is None:
                self._note(instance)
            yield instance

    def _deadlocks(self, marking: Marking, reached: list[_Reached]) -> Iterator[Transition]:
        """Is there a combination of ends in which nothing can fire, and that the net calls an error?"""
        end = self._dead_end(marking, reached, bad=True)
        if end is not None:
            statement = len(self.statements) - 2
            yield Transition((*end, Part(0, statement)), None, (Violation(len(VIOLATIONS), statement),))

    def _dead_end(self, marking: Marking, reached: list[_Reached], *, bad: bool = False) -> tuple[Part, ...] | None:
        """How modules come to where nothing can fire; ``bad``: and that the net calls an error."""
        for looked_at, combination in enumerate(product(*(module.ends for module in reached))):
            if looked_at >= _MOST_COMBINED:
                raise ModelError(
                    f"modules end in more than {_MOST_COMBINED:,} combinations: too many to look for deadlocks",
                    hint="check the flat net, without --modular",
                )
            combined = _combined(marking, combination)
            if bad and not self.interpreter.bad_deadlock(combined):
                continue
            if any(True for number in self._together for _ in self.interpreter.firing(number).instances(combined)):
                continue
            return _path(combination)
        return None


class _Meeting(NamedTuple):
    """A step of several modules: what is on the places it can change afterwards, or what it breaks."""

    parts: tuple[Part, ...]
    tokens: dict[int, Tokens] | None
    broken: tuple[Violation, ...]


class _LocalState(NamedTuple):
    """The tokens of a module's places, and how the module got there."""

    tokens: dict[int, Tokens]
    path: tuple[Part, ...]


class _Reached(NamedTuple):
    """What a module reaches by itself, the states in which it cannot move, and what it breaks; ``goes_on``: it can move
    alone for ever."""

    states: list[_LocalState]
    ends: list[_LocalState]
    broken: list[Transition]
    goes_on: bool


def _has_cycle(successors: Sequence[Sequence[int]]) -> bool:
    """Take away states that nobody leads to, until none is left, or a cycle."""
    entries = [0] * len(successors)
    for targets in successors:
        for target in targets:
            entries[target] += 1
    ready = [state for state, count in enumerate(entries) if not count]
    for state in ready:  # the list grows while we walk along it
        for target in successors[state]:
            entries[target] -= 1
            if not entries[target]:
                ready.append(target)
    return len(ready) < len(successors)


def _broken(instance: Instance) -> tuple[Violation, ...]:
    return () if instance.error is None else (Violation(CODES[instance.error], instance.transition),)


def _path(states: Sequence[_LocalState]) -> tuple[Part, ...]:
    return tuple(part for state in states for part in state.path)


def _combined(marking: Marking, states: Sequence[_LocalState]) -> Marking:
    combined = list(marking)
    for state in states:
        for place, tokens in state.tokens.items():
            combined[place] = tokens
    return combined


def _local(module: Module, marking: Marking) -> Local:
    return tuple(frozenset(marking[place].items()) for place in sorted(module.places))
