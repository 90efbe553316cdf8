"""Linear time on unfoldings: a formula without X, checked on the prefix of a net side by side with an automaton.

J. Esparza, K. Heljanko, Implementing LTL model checking with net unfoldings, SPIN 2001. The automaton of the negated
formula is a part of the net: its states are places, its edges transitions that read the places they ask about, and a
scheduler lets it move after each *visible* transition of the system, one that changes such a place. Invisible
transitions stay as concurrent as they were. A wrong run either takes accepting edges for ever, or has a *checkpoint*,
from which the automaton would accept the present for ever, and goes on for ever by invisible transitions. How the
prefix is made, and where it ends, is in ``native/nets/unfolding.h``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kripke.engines.nets.unfolding.cubes import Cube, TooManyCubes, cubes_of
from kripke.engines.nets.unfolding.prefix import NOBODY, NotUnfoldable, require_ordinary
from kripke.logic.automaton import ALWAYS, Automaton, Edge
from kripke.logic.automaton import Cube as Guard
from kripke.logic.components import components
from kripke.logic.formula import Formula
from kripke.nets.place_transition import PlaceTransitionNet
from kripke.nets.predicates import Predicate

_MOST_ATOMS = 10  # of formulas whose letters are tried one by one


@dataclass(frozen=True, slots=True)
class Figures:
    """Of the prefix: before the livelock events, and behind them."""

    conditions: int
    events: int
    terminals: int


@dataclass(frozen=True, slots=True)
class LinearAnswer:
    """``run``: transitions of the net on a wrong run, those from ``loop_start`` on for ever; None: there is none that
    goes on for ever. Of runs that end, nothing is said. ``livelock``: it was found behind a checkpoint."""

    run: tuple[int, ...] | None
    loop_start: int
    livelock: bool
    checkpoints: int
    before: Figures
    behind: Figures


def check_runs(
    net: PlaceTransitionNet,
    formula: Formula,
    predicates: Mapping[str, Predicate],
    *,
    memory: int = 0,
    time_limit: float = 0.0,
) -> LinearAnswer:
    """Does every infinite run of a 1-safe net satisfy the formula? NotUnfoldable where that cannot be found out."""
    from kripke._native import unfold
    from kripke.logic.stuttering import is_stutter_invariant
    from kripke.logic.translation import TranslationTooLarge, buchi
    from kripke.memory import default_limit

    require_ordinary(net)
    if not is_stutter_invariant(formula):
        raise NotUnfoldable("a formula with X counts steps, which an unfolding does not order")
    atoms = [str(atom) for atom in formula.atoms()]
    try:
        automaton = buchi(formula, negated=True, atoms=atoms)
        product = _Product(net, automaton, [predicates[atom] for atom in atoms])
    except (TooManyCubes, TranslationTooLarge) as refusal:
        raise NotUnfoldable(str(refusal)) from refusal
    reason, conditions, events, place, count = unfold(
        product.places,
        product.initial,
        product.presets,
        product.postsets,
        memory_limit=memory or default_limit(),
        time_limit=time_limit,
        accepting=product.accepting,
        livelock=product.livelock,
        kept=product.kept,
        checkpoint=product.is_checkpoint,
    )
    if reason == "unsafe":
        name = net.places[place].name if place < len(net.places) else "a place"
        raise NotUnfoldable(f"the net is not 1-safe: {name} can hold two tokens")
    if reason not in ("", "found"):
        limit = {"events": "limit of events", "memory": "memory limit", "time": "time limit"}[reason]
        raise NotUnfoldable(f"the {limit} was reached after {count:,} events")
    pasts = _Pasts(conditions, events)
    livelocks = set(product.livelock)
    behind = [any(events[e][0] in livelocks for e in pasts.of(number)) for number in range(len(events))]
    figures = []
    for part in (False, True):
        numbers = [number for number, is_behind in enumerate(behind) if is_behind is part]
        made = sum(len(events[number][2]) for number in numbers) + (0 if part else len(product.initial))
        figures.append(Figures(made, len(numbers), sum(events[number][3] != NOBODY for number in numbers)))
    checkpoints = sum(event[0] in livelocks for event in events)
    if not reason:
        return LinearAnswer(None, 0, False, checkpoints, *figures)
    last = len(events) - 1
    stem = pasts.of(last) & pasts.of(events[last][3])
    head, loop = (
        [product.order[events[e][0]] for e in sorted(part) if events[e][0] < len(product.order)]
        for part in (stem, pasts.of(last) - stem)
    )
    return LinearAnswer((*head, *loop), len(head), behind[last], checkpoints, *figures)


def _relaxed(automaton: Automaton, edge: Edge) -> tuple[Guard, ...]:
    """The guard of an edge; true, if it may as well be. Where another edge leads to a state that accepts whatever
    follows, it does no harm to take this one instead; and what asks less is less dependent on the system."""
    everything = {
        other.target
        for other in automaton.edges
        if other.source == other.target and ALWAYS in other.guard and (automaton.sets == 0 or other.marks & 1)
    }
    beside = [other for other in automaton.edges if other.source == edge.source and other.target in everything]
    if not beside or edge.target in everything or len(automaton.atoms) > _MOST_ATOMS:
        return edge.guard
    letters = range(1 << len(automaton.atoms))
    if all(any(other.allows(letter) for other in (edge, *beside)) for letter in letters):
        return (ALWAYS,)
    return edge.guard


class _Pasts:
    """The events before each event, with itself; made when asked for."""

    def __init__(
        self, conditions: Sequence[tuple[int, int]], events: Sequence[tuple[int, Sequence[int], Sequence[int], int]]
    ) -> None:
        self._conditions = conditions
        self._events = events
        self._known: dict[int, frozenset[int]] = {}

    def of(self, event: int) -> frozenset[int]:
        waiting = [event]
        while waiting:
            now = waiting[-1]
            causes = {self._conditions[c][1] for c in self._events[now][1]} - {NOBODY}
            missing = [cause for cause in causes if cause not in self._known]
            if missing:
                waiting += missing
                continue
            self._known[now] = frozenset({now}).union(*(self._known[cause] for cause in causes))
            waiting.pop()
        return self._known[event]


class _Product:
    """The net, complements of the places that are asked about, the automaton and its scheduler.

    Which of two events comes first depends on the order of the transitions. It is that of the paper's nets: those of
    the system by the length of their names, then by name (``order``); then those of the automaton, for each state
    first those that leave it, each with its livelock transition behind it.
    """

    def __init__(self, net: PlaceTransitionNet, automaton: Automaton, predicates: Sequence[Predicate]) -> None:
        self.automaton = automaton
        of_atom = [(cubes_of(p, net), cubes_of(p, net, wanted=False)) for p in predicates]
        edges: list[tuple[int, list[Cube], int, bool]] = []
        for edge in automaton.edges:
            cubes = []
            for guard in _relaxed(automaton, edge):
                found = [Cube(frozenset(), frozenset())]
                for atom, wanted in guard.literals():
                    pairs = [one.and_(other) for one in found for other in of_atom[atom][not wanted]]
                    found = [cube for cube in pairs if cube is not None]
                cubes += found
            accepting = automaton.sets == 0 or bool(edge.marks & 1)
            edges.append((edge.source, list(dict.fromkeys(cubes)), edge.target, accepting))
        self.edges = edges
        read = {place for _, cubes, _, _ in edges for cube in cubes for place in cube.marked | cube.unmarked}
        self.observable = frozenset(read)
        absent = sorted({place for _, cubes, _, _ in edges for cube in cubes for place in cube.unmarked})
        count = len(net.places)
        complement = {place: count + number for number, place in enumerate(absent)}
        self.first_state = count + len(absent)
        self.last_state = self.first_state + automaton.states - 1
        if len(automaton.initial) == 1:
            start = self.first_state + next(iter(automaton.initial))
        else:  # one more state, before the first step
            self.last_state += 1
            start = self.last_state
        turn, wait = self.last_state + 1, self.last_state + 2
        self.places = wait + 1
        self.initial = [p for p, tokens in enumerate(net.initial) if tokens]
        self.initial += [complement[p] for p in absent if not net.initial[p]]
        self.initial += [start, turn]
        self.presets: list[list[int]] = []
        self.postsets: list[list[int]] = []
        kept: set[int] = set()
        names = [transition.name for transition in net.transitions]
        self.order = sorted(range(len(names)), key=lambda number: (len(names[number]), names[number]))
        for transition in (net.transitions[number] for number in self.order):
            before, after = {arc.place for arc in transition.preset}, {arc.place for arc in transition.postset}
            pre, post = set(before), set(after)
            for place in before ^ after:
                if place in complement:
                    (post if place in before else pre).add(complement[place])
            if (before ^ after) & self.observable:
                pre.add(wait)
                post.add(turn)
            else:
                kept |= pre
            self._add(pre, post)
        self.kept = sorted(kept)
        self.accepting: list[int] = []
        self.livelock: list[int] = []
        for source, cubes, target, accepting in sorted(edges, key=lambda edge: (edge[0], edge[0] == edge[2])):
            sources = {self.first_state + source, *([start] if source in automaton.initial else ())}
            for cube in cubes:
                asked = {*cube.marked, *(complement[p] for p in cube.unmarked)}
                for state in sorted(sources):
                    if accepting:
                        self.accepting.append(len(self.presets))
                    self._add({state, turn} | asked, {self.first_state + target, wait} | asked)
                    self.livelock.append(len(self.presets))
                    self._add({state, turn} | asked, set())
        self._known: dict[tuple[int, frozenset[int]], bool] = {}

    def _add(self, pre: set[int], post: set[int]) -> None:
        self.presets.append(sorted(pre))
        self.postsets.append(sorted(post))

    def is_checkpoint(self, marking: Sequence[int]) -> bool:
        """Would the automaton accept what it sees now, if it saw it for ever?"""
        state = next(place for place in marking if self.first_state <= place <= self.last_state) - self.first_state
        key = (state, frozenset(place for place in marking if place in self.observable))
        if key not in self._known:
            self._known[key] = self._accepts_for_ever(*key)
        return self._known[key]

    def _accepts_for_ever(self, state: int, marked: frozenset[int]) -> bool:
        allowed: dict[int, list[tuple[int, bool]]] = {}
        for source, cubes, target, accepting in self.edges:
            if any(cube.marked <= marked and not cube.unmarked & marked for cube in cubes):
                allowed.setdefault(source, []).append((target, accepting))
        roots = list(self.automaton.initial) if state == self.automaton.states else [state]
        reached = set(roots)
        for at in roots:  # the list grows while we walk along it
            for target, _ in allowed.get(at, ()):
                if target not in reached:
                    reached.add(target)
                    roots.append(target)
        numbers = {at: number for number, at in enumerate(roots)}
        graph = [[numbers[target] for target, _ in allowed.get(at, ())] for at in roots]
        for component in components(graph):
            inside = {roots[number] for number in component}
            if any(accepting and target in inside for at in inside for target, accepting in allowed.get(at, ())):
                return True
        return False
