"""Estimates of how many steps a network of processes is from a goal: local distances of its leaves, a few at a time.

A rule moves some leaves. Seen through a few leaves, it begins where those of them that it moves can do their events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from kripke.algebra.events import TAU
from kripke.algebra.network import Rule
from kripke.algebra.network_model import NetworkModel
from kripke.model.capabilities.estimate import Cube, Goal, Known, Way
from kripke.model.patterns.estimator import PatternEstimator, distance_to
from kripke.model.patterns.space import Change, Space, Step

_MOST_STEPS = 200_000  # of all leaves together

_NOTHING: Cube = (0, 0)


@dataclass(frozen=True, slots=True)
class _Stuck:
    """No rule can be applied, and the whole has not ended."""


@dataclass(frozen=True, slots=True)
class _Offer:
    """Atoms of the state are true or false, and a step with such atoms comes next (None: whatever comes)."""

    state: Cube
    step: Cube | None


def estimator(model: NetworkModel, goal: Goal, way: Way) -> PatternEstimator | str:
    """A sentence where there is none."""
    if way not in ("bound", "formula"):
        return "there are no estimates by an expression in this language"
    if model.specification is not None:
        return "beside a specification there are no estimates"
    if sum(len(own) for leaf in model.network.leaves for own in leaf.steps) > _MOST_STEPS:
        return "the processes are too large for local distances"
    parts: list[object] = []
    words: list[str] = []
    if goal.deadlock:
        parts.append(_Stuck())
        words.append("deadlock")
    if goal.broken:
        parts += [_Offer((0, 1 << number), None) for number in goal.broken]
        words.append("invariants")
    for number, cube in enumerate(goal.cubes):
        parts.append(_Offer(cube, goal.steps[number] if goal.steps and goal.steps[number] != _NOTHING else None))
    if goal.cubes:
        words.append("formula")
    distance = distance_to(_SeenNetwork(model), parts, way)
    known = Known(way == "bound", f"local distances to {', '.join(words) or 'nothing'}")
    return PatternEstimator(lambda state: model.decode(state)[0], distance, known)


class _SeenNetwork:
    def __init__(self, model: NetworkModel) -> None:
        self.model = model
        self.network = model.network
        unseen = [Rule(((at, TAU),), TAU) for at, leaf in enumerate(self.network.leaves) if TAU in leaf.events]
        self.rules = [*unseen, *self.network.rules]
        self.moving: list[list[Rule]] = [[] for _ in self.network.leaves]
        for rule in self.rules:
            for leaf, _ in rule.moves:
                self.moving[leaf].append(rule)
        self._edges: dict[tuple[int, int], tuple[tuple[int, int], ...]] = {}
        self._neighbours: dict[int, list[int]] = {}

    def size(self, variable: int) -> int | None:
        return len(self.network.leaves[variable].states)

    def neighbours(self, variable: int) -> Iterable[int]:
        if variable not in self._neighbours:
            count = Counter(leaf for rule in self.moving[variable] for leaf, _ in rule.moves if leaf != variable)
            self._neighbours[variable] = sorted(count, key=lambda other: (-count[other], other))
        return self._neighbours[variable]

    def concerned(self, part: object) -> Sequence[int]:
        if isinstance(part, _Offer) and part.step is not None:
            wanted = {leaf for rule in self.rules if self._has(part.step, rule.event) for leaf, _ in rule.moves}
            return sorted(wanted)
        return range(len(self.network.leaves))

    def edges(self, leaf: int, event: int) -> tuple[tuple[int, int], ...]:
        known = self._edges.get((leaf, event))
        if known is None:
            found: dict[int, list[tuple[int, int]]] = {}
            for state, own in enumerate(self.network.leaves[leaf].steps):
                for other, target in own:
                    found.setdefault(other, []).append((state, target))
            self._edges.update(((leaf, other), tuple(pairs)) for other, pairs in found.items())
            known = self._edges.setdefault((leaf, event), ())
        return known

    def _source(self, space: Space, rule: Rule) -> tuple[int, list[tuple[int, Change]], bool]:
        """Where the leaves of the space can do what the rule asks of them, what becomes of them, and whether the rule
        asks nothing of others."""
        source, changes, alone = space.full, list[tuple[int, Change]](), True
        for leaf, event in rule.moves:
            if leaf not in space.variables:
                alone = False
                continue
            at, edges = space.variables.index(leaf), self.edges(leaf, event)
            able = 0
            for state in {state for state, _ in edges}:
                able |= space.where(at, state)
            source &= able
            if any(state != target for state, target in edges):
                changes.append((at, edges))
        return source, changes, alone

    def _rules(self, space: Space) -> Iterable[Rule]:
        return {id(rule): rule for leaf in space.variables for rule in self.moving[leaf]}.values()

    def steps(self, space: Space, pause: Callable[[], None]) -> Sequence[Step]:
        found: dict[Step, None] = {}
        for rule in self._rules(space):
            pause()
            source, changes, _ = self._source(space, rule)
            if source and changes:
                found[Step(source, tuple(changes))] = None
        return list(found)

    def aim(self, space: Space, part: object, pause: Callable[[], None]) -> int:
        if isinstance(part, _Stuck):
            return space.full & ~self._certain(space, lambda rule: True, pause)
        assert isinstance(part, _Offer)
        found = space.full
        for number, has in enumerate(self.model.base.asked.states.values()):
            if part.state[0] >> number & 1:
                found &= self._possible(space, lambda rule, has=has: has(rule.event), pause)  # type: ignore[misc]
            if part.state[1] >> number & 1:
                found &= ~self._certain(space, lambda rule, has=has: has(rule.event), pause)  # type: ignore[misc]
        step = part.step
        if step is not None:
            found &= self._possible(space, lambda rule: self._has(step, rule.event), pause)
        return found

    def _possible(self, space: Space, wanted: Callable[[Rule], bool], pause: Callable[[], None]) -> int:
        found = 0
        for rule in self.rules:
            pause()
            if wanted(rule):
                found |= self._source(space, rule)[0]
        return found

    def _certain(self, space: Space, wanted: Callable[[Rule], bool], pause: Callable[[], None]) -> int:
        found = 0
        for rule in self._rules(space):
            pause()
            if wanted(rule):
                source, _, alone = self._source(space, rule)
                found |= source if alone else 0
        return found

    def _has(self, step: Cube, event: int) -> bool:
        """Are the atoms of steps right for this event? Behind those of formulas comes that a step is invisible."""
        true = self.model.base.happened(event) | (int(event == TAU) << len(self.model.base.asked.steps))
        return step[0] & ~true == 0 and step[1] & true == 0
