"""``Observer``: what watches the runs of a model. A never claim, a formula, the search for non-progress all become one.

An observer is a Büchi automaton over the atoms of a model. It moves first, on the truth of the atoms in the present
state, then the model takes a step. A run is *accepted* if the observer takes edges of every acceptance set infinitely
often; accepted runs are the wrong ones. An edge may also be an *alarm*: taking it is an error by itself, whatever
follows (the end of a never claim, a failed assertion in one, a prefix that no continuation can make right).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from kripke.logic.automaton import ALWAYS, Automaton, Cube
from kripke.model.source import NOWHERE, Span

if TYPE_CHECKING:
    from kripke.model.model import FairnessConstraint, Transition

NativeEdge = tuple[list[tuple[list[int], list[int]]], int, int, int]
NativeObserver = tuple[
    list[int], int, list[list[NativeEdge]], bool, list[int], int, list[tuple[int, int]], list[list[int]]
]


class Strength(Enum):
    """What it takes to find an accepted run, from the cheapest to the dearest (Černá, Pelánek, MFCS 2003)."""

    ALARMS = "safety"  # only alarms: reachability
    WEAK = "weak"  # every cycle of the observer is accepting all the way round, or not at all
    STRONG = "strong"


class Alarm(NamedTuple):
    """What is wrong when an alarm is taken: ``kind`` for programs, ``text`` for people."""

    kind: str
    text: str
    span: Span = NOWHERE


UNDECIDED = Alarm(
    "evaluation", "a condition of the property cannot be evaluated: an index, a division or a channel in it fails"
)


class ObserverEdge(NamedTuple):
    """Taken where one of the cubes (over the numbers of the model's atoms) is true. ``alarm``: its number, or -1."""

    guard: tuple[Cube, ...]
    target: int
    marks: int = 0
    alarm: int = -1

    def judge(self, letter: int, failed: int) -> bool | None:
        """Can it be taken? None where that depends on an atom that cannot be evaluated."""
        unknown = False
        for positive, negative in self.guard:
            if not (positive & ~letter & ~failed or negative & letter & ~failed):
                if not (positive | negative) & failed:
                    return True
                unknown = True
        return None if unknown else False


@dataclass(frozen=True, slots=True)
class Observer:
    """States are numbers; ``edges[s]`` leave state s. ``state_names`` are for people.

    ``stutters``: a run that ends goes on for ever in its last state; otherwise only infinite runs count. ``waiting``
    are atoms, and the last of the ``sets`` theirs: an edge taken where such an atom is false belongs to its set.
    ``strong`` are pairs of atoms, with sets beyond the others: an edge taken where the first one is false belongs to
    its set, and a loop needs that set if the second one is true somewhere on it. Atoms from the number ``first_step``
    on are true not of the state but of the step that is taken: of the statements in ``steps``.
    """

    name: str
    kind: str
    initial: tuple[int, ...]
    edges: tuple[tuple[ObserverEdge, ...], ...]
    sets: int
    alarms: tuple[Alarm, ...] = ()
    state_names: tuple[str, ...] = ()
    stutters: bool = True
    waiting: tuple[int, ...] = ()
    strong: tuple[tuple[int, int], ...] = ()
    steps: tuple[frozenset[int], ...] = ()
    first_step: int = 0

    @property
    def strength(self) -> Strength:
        if self.waiting or self.strong:
            return Strength.STRONG
        marks = [edge.marks for edges in self.edges for edge in edges]
        if not any(marks) and self.sets:
            return Strength.ALARMS
        component = components(self.edges)
        whole = (1 << self.sets) - 1
        found: dict[int, set[bool]] = {}
        for state, edges in enumerate(self.edges):
            for edge in edges:
                if edge.alarm < 0 and component[state] == component[edge.target]:
                    found.setdefault(component[state], set()).add(edge.marks == whole)
        if all(len(kinds) == 1 for kinds in found.values()):
            return Strength.WEAK
        return Strength.STRONG

    @property
    def suffix_bytes(self) -> int:
        """Of a state of the product, what stands for the observer's (as in native/wrappers/product.h)."""
        return 1 if len(self.edges) <= 256 else 2

    def state_name(self, state: int) -> str:
        return self.state_names[state] if state < len(self.state_names) else str(state)

    def fair_to(self, constraints: Iterable[FairnessConstraint]) -> Observer:
        """Only runs that are fair in this way."""
        constraints = tuple(constraints)
        waiting = tuple(one.atom for one in constraints if one.able is None)
        strong = tuple((one.atom, one.able) for one in constraints if one.able is not None)
        return replace(self, sets=self.sets + len(waiting), waiting=waiting, strong=strong)

    def idle_marks(self, letter: int) -> int:
        """The sets of the events that do not wait where the atoms of the letter are true; those of strong fairness come
        after all others."""
        first = self.sets - len(self.waiting)
        atoms = (*self.waiting, *(at for at, _ in self.strong))
        return sum(1 << first + i for i, atom in enumerate(atoms) if not letter >> atom & 1)

    def demands(self, letter: int) -> int:
        """The sets that a fair loop through a state with this letter must have beside the others."""
        return sum(1 << self.sets + i for i, (_, able) in enumerate(self.strong) if letter >> able & 1)

    def possible_edges(self, state: int, letter: int, failed: int) -> list[tuple[ObserverEdge, bool | None]]:
        """The edges from a state, each with whether it can be taken there, if some step will do."""
        whole = (1 << self.first_step) - 1
        if not self.steps:
            return [(edge, edge.judge(letter, failed)) for edge in self.edges[state]]
        return [
            (edge, edge._replace(guard=tuple(Cube(p & whole, n & whole) for p, n in edge.guard)).judge(letter, failed))
            for edge in self.edges[state]
        ]

    def goes_with(self, edge: ObserverEdge, letter: int, failed: int, step: Transition | None) -> bool:
        """Can an edge be taken together with a step? (None: the run has ended and stutters.)"""
        if not self.steps:
            return True
        return edge.judge(letter | self.step_letter(step) << self.first_step, failed) is True

    def step_letter(self, step: Transition | None) -> int:
        """The atoms of steps that are true of this one."""
        if step is None:
            return 0
        statement = step.parts[-1].statement if step.parts else None
        return step.happened | sum(1 << i for i, those in enumerate(self.steps) if statement in those)

    def to_native(self) -> NativeObserver:
        """The form that ``_native.search`` takes."""
        return (
            list(self.initial),
            len(self.alarms),
            [
                [([_native_cube(cube) for cube in edge.guard], edge.target, edge.marks, edge.alarm) for edge in edges]
                for edges in self.edges
            ],
            self.stutters,
            list(self.waiting),
            self.sets - len(self.waiting),
            list(self.strong),
            [sorted(those) for those in self.steps],
        )


def _native_cube(cube: Cube) -> tuple[list[int], list[int]]:
    positive: list[int] = []
    negative: list[int] = []
    for atom, wanted in cube.literals():
        (positive if wanted else negative).append(atom)
    return positive, negative


def observe(automaton: Automaton, numbers: Mapping[str, int], name: str, kind: str, alarm: Alarm | None) -> Observer:
    """The observer of an automaton whose atoms have these numbers in the model.

    ``alarm`` is what is wrong when the automaton reaches a state from which it accepts whatever follows.
    """

    def renumbered(cube: Cube) -> Cube:
        positive = negative = 0
        for index, wanted in cube.literals():
            bit = 1 << numbers[str(automaton.atoms[index])]
            positive, negative = (positive | bit, negative) if wanted else (positive, negative | bit)
        return Cube(positive, negative)

    edges = [
        tuple(
            ObserverEdge(tuple(map(renumbered, edge.guard)), edge.target, edge.marks)
            for edge in automaton.edges_from(state)
        )
        for state in range(automaton.states)
    ]
    names = automaton.state_names
    return simplified(Observer(name, kind, automaton.initial, tuple(edges), automaton.sets, (), names), alarm)


def simplified(observer: Observer, alarm: Alarm | None) -> Observer:
    """The same observer with an alarm where everything that follows is accepted, and no marks where they mean nothing.

    Without an alarm to raise there is none: where not every run can go on, what follows matters. A mark counts only on
    an edge that lies on a cycle with all marks.
    """
    whole = (1 << observer.sets) - 1
    doomed = {
        state
        for state, edges in enumerate(observer.edges)
        if observer.stutters
        and alarm is not None
        and any(e.guard == (ALWAYS,) and e.target == state and e.marks == whole and e.alarm < 0 for e in edges)
    }
    number = len(observer.alarms)
    edges = tuple(
        tuple(
            edge._replace(alarm=number, marks=0) if edge.alarm < 0 and edge.target in doomed else edge for edge in out
        )
        for out in observer.edges
    )
    component = components(edges)
    inside: dict[int, int] = {}
    for state, out in enumerate(edges):
        for edge in out:
            if edge.alarm < 0 and component[state] == component[edge.target]:
                inside[component[state]] = inside.get(component[state], 0) | edge.marks

    def counts(state: int, edge: ObserverEdge) -> bool:
        own = component[state]
        return edge.alarm < 0 and own == component[edge.target] and inside[own] == whole

    return replace(
        observer,
        edges=tuple(
            tuple(edge if counts(state, edge) else edge._replace(marks=0) for edge in out)
            for state, out in enumerate(edges)
        ),
        alarms=(*observer.alarms, alarm) if doomed and alarm is not None else observer.alarms,
    )


def degeneralised(observer: Observer) -> Observer:
    """With one acceptance set: the sets are waited for one after the other (Gastin, Oddoux, CAV 2001, section 5)."""
    if observer.sets == 1:
        return observer
    sets = max(observer.sets, 1)
    numbers: dict[tuple[int, int], int] = {}
    waiting: list[tuple[int, int]] = []

    def number(state: int, level: int) -> int:
        key = (state, level)
        if key not in numbers:
            numbers[key] = len(numbers)
            waiting.append(key)
        return numbers[key]

    initial = tuple(number(state, 0) for state in observer.initial)
    edges: list[tuple[ObserverEdge, ...]] = []
    names: list[str] = []
    for state, level in waiting:  # grows while it is walked
        out: list[ObserverEdge] = []
        for edge in observer.edges[state]:
            if edge.alarm >= 0:
                out.append(edge._replace(target=0))
                continue
            reached = level
            while reached < observer.sets and edge.marks >> reached & 1:
                reached += 1
            full = reached == observer.sets
            if full:
                reached = 0
                while level and reached < level and edge.marks >> reached & 1:
                    reached += 1
            out.append(ObserverEdge(edge.guard, number(edge.target, reached % sets), int(full)))
        edges.append(tuple(out))
        names.append(f"{observer.state_name(state)}/{level}")
    return replace(observer, initial=initial, edges=tuple(edges), sets=1, state_names=tuple(names))


def components(edges: Sequence[Iterable[ObserverEdge]]) -> list[int]:
    """The number of the strongly connected component of each state; alarms lead nowhere."""
    count = len(edges)
    follow = [[edge.target for edge in out if edge.alarm < 0] for out in edges]
    order: list[int] = []
    seen = [False] * count
    for start in range(count):
        stack = [(start, 0)]
        while stack:
            state, index = stack.pop()
            if index == 0:
                if seen[state]:
                    continue
                seen[state] = True
            if index < len(follow[state]):
                stack.append((state, index + 1))
                stack.append((follow[state][index], 0))
            else:
                order.append(state)
    back: list[list[int]] = [[] for _ in range(count)]
    for state, targets in enumerate(follow):
        for target in targets:
            back[target].append(state)
    component = [-1] * count
    number = 0
    for start in reversed(order):
        if component[start] >= 0:
            continue
        stack_of_states = [start]
        component[start] = number
        while stack_of_states:
            for state in back[stack_of_states.pop()]:
                if component[state] < 0:
                    component[state] = number
                    stack_of_states.append(state)
        number += 1
    return component
