"""Which macro steps of modes depend on each other, for partial-order reduction.

A transition of the tables is the macro step of a top-level mode from one of its control points. Modes share only the
global variables. What a macro step may read and write of them is found on the control points it may pass, whatever the
values are. The order of two macro steps matters only where one writes what the other reads or writes: a macro step that
changes nothing is none, so what it writes decides, too, whether there is one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kripke.hierarchy.modes import ABSENT, DEFAULT_ENTRY, ModeTransition
from kripke.hierarchy.terms import TRUE, Inside, Term, parts, variables
from kripke.hierarchy.tree import Node, Tree
from kripke.model.dependencies import DependencyAnalysis, DependencyTables
from kripke.model.model import Transition

if TYPE_CHECKING:
    from kripke.hierarchy.mode_model import ModeModel

MOST_TRANSITIONS = 4_000

#: an instance and a position of it
Point = tuple[int, int]


@dataclass(slots=True)
class _Use:
    """Globals that a macro step may read and write, the points it may pass, and those where it pauses."""

    reads: set[int] = field(default_factory=set)
    writes: set[int] = field(default_factory=set)
    points: set[Point] = field(default_factory=set)
    rests: set[Point] = field(default_factory=set)

    @property
    def both(self) -> set[int]:
        return self.reads | self.writes


class Numbers:
    """Transitions of the tables: of every top-level mode its start, then its points, node by node."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.start: list[int] = []  # of top-level modes
        self.first: list[int] = []  # of nodes: the number of position 0, which is none
        number = 0
        for node in tree.nodes:
            if node.parent < 0:
                self.start.append(number)
                number += 1
            self.first.append(number - 1)
            number += len(node.definition.positions) - 1
        self.count = number

    def of(self, values: Sequence[int], top: int) -> int:
        """Where a top-level mode is."""
        node = self.tree.nodes[self.tree.roots[top]]
        if values[node.position] == ABSENT:
            return self.start[top]
        while values[node.position] in node.definition.inside:
            node = self.tree.nodes[node.children[node.definition.inside.index(values[node.position])]]
        return self.first[node.number] + values[node.position]


def obstacle(tree: Tree) -> str | None:
    if Numbers(tree).count > MOST_TRANSITIONS:
        return f"the modes have more than {MOST_TRANSITIONS:,} control points"
    return None


class ModeDependencies(DependencyAnalysis):
    """``asked``: the conditions that a property looks at."""

    has_locations = True

    def __init__(self, model: ModeModel, asked: Sequence[Term]) -> None:
        self._model, self._tree = model, model.tree
        self._globals = len(model.system.globals)
        self._numbers = Numbers(model.tree)
        self._watched = [*asked, *(one.term for one in model.system.invariants)]

    def configuration(self, state: bytes) -> Hashable:
        return ()

    def tables(self, state: bytes) -> DependencyTables:
        numbers, uses, tops = self._numbers, dict[int, _Use](), dict[int, int]()
        for node in self._tree.nodes:
            if node.parent < 0:
                uses[numbers.start[node.top]] = self._use((node.number, DEFAULT_ENTRY))
                tops[numbers.start[node.top]] = node.top
            for position in range(1, len(node.definition.positions)):
                uses[numbers.first[node.number] + position] = self._use((node.number, position))
                tops[numbers.first[node.number] + position] = node.top
        leading: dict[int, int] = {}
        for number, use in uses.items():
            for instance, position in use.points | use.rests:
                at = numbers.first[instance] + position
                leading[at] = leading.get(at, 0) | 1 << number
        conflicts, enabling = [], []
        for number in range(numbers.count):
            mine, clash, helping = uses[number], 0, 0
            for other, use in uses.items():
                if tops[other] != tops[number]:
                    helps = not use.writes.isdisjoint(mine.both)
                    clash |= (helps or not mine.writes.isdisjoint(use.both)) << other
                    helping |= helps << other
            conflicts.append(clash)
            enabling.append((leading.get(number, 0) & ~(1 << number), helping))
        own = tuple(1 << number for number in range(numbers.count))
        looked_at = {variable.number for term in self._watched for variable in variables(term)}
        controls = {part.place for term in self._watched for part in parts(term) if isinstance(part, Inside)}
        seen = {node.top for node in self._tree.nodes if node.position in controls}
        visible = sum(1 << number for number, use in uses.items() if use.writes & looked_at or tops[number] in seen)
        return DependencyTables(tuple(conflicts), tuple(enabling), own, visible)

    # --- what macro steps use -----------------------------------------------------------------------------------------

    def _use(self, start: Point) -> _Use:
        use, pending = _Use(), [start]
        outer: Node | None = self._tree.nodes[start[0]]
        while outer is not None:  # a macro step enters at the border: the way to where it was left may be overridden
            for index in outer.definition.overriding:
                transition = outer.definition.transitions[index]
                self._record(use, outer, transition)
                pending += self._targets(use, outer, transition)
            outer = self._tree.nodes[outer.parent] if outer.parent >= 0 else None
        while pending:
            point = pending.pop()
            if point in use.points:
                continue
            use.points.add(point)
            node: Node | None = self._tree.nodes[point[0]]
            position = point[1]
            while node is not None:  # where nothing is enabled, the owner's transitions follow
                transitions = [node.definition.transitions[i] for i in node.definition.outgoing[position]]
                for transition in transitions:
                    self._record(use, node, transition)
                    pending += self._targets(use, node, transition)
                if any(
                    transition.guard is TRUE and transition.target.kind != "default exit" for transition in transitions
                ):
                    break
                if node.parent < 0:
                    break
                owner = self._tree.nodes[node.parent]
                node, position = owner, owner.definition.inside[node.instance]
        return use

    def _record(self, use: _Use, node: Node, transition: ModeTransition) -> None:
        terms = [transition.guard, *(term for action in transition.actions for term in action.terms)]
        for term in terms:
            use.reads |= {p for v in variables(term) if (p := node.places[v.number]) < self._globals}
        for action in transition.actions:
            use.writes |= {p for number in action.targets if (p := node.places[number]) < self._globals}

    def _targets(self, use: _Use, node: Node, transition: ModeTransition) -> Iterator[Point]:
        target = transition.target
        if target.kind == "position":
            if transition.pause:
                use.rests.add((node.number, target.position))
            else:
                yield node.number, target.position
        elif target.kind == "exit":
            owner = self._tree.nodes[node.parent]
            yield owner.number, owner.definition.exits_of[node.instance] + target.position
        elif target.kind in ("entry", "default entry"):
            child = self._tree.nodes[node.children[target.instance]]
            yield child.number, target.position if target.kind == "entry" else DEFAULT_ENTRY
            if target.kind == "default entry" and child.keeps:
                yield from self._inside(child)

    def _inside(self, node: Node) -> Iterator[Point]:
        """Wherever control may have been left."""
        for position in range(1, len(node.definition.positions)):
            yield node.number, position
        for child in node.children:
            yield from self._inside(self._tree.nodes[child])

    # --- states -------------------------------------------------------------------------------------------------------

    def steps(self, state: bytes) -> list[tuple[int, list[Transition]]]:
        values = self._tree.decode(state)
        found: list[tuple[int, list[Transition]]] = []
        for step in self._model.successors(state):
            if step.target is None:
                return []  # errors are looked at with all that is beside them
            number = self._numbers.of(values, step.parts[0].actor)
            if found and found[-1][0] == number:
                found[-1][1].append(step)
            else:
                found.append((number, [step]))
        return found

    def lacking(self, state: bytes, transition: int) -> int:
        values = self._tree.decode(state)
        here = any(self._numbers.of(values, top) == transition for top in range(len(self._tree.roots)))
        return 2 if here else 1
