"""Is one part of a network another one with permuted events? By the rules of the paper's table 1, extended to pairs.

    P [|A|] Q     A is mapped to A; P and Q each to itself, or to each other; of more parts with the same A: each to one
    || A(i), P(i) there is a permutation of the indices, for processes and alphabets alike
    P \\ H         H is mapped to H
    P [[R]]       there is a permutation of the events of P that R takes to the claimed one
    P [a<->b] Q   the pairs are mapped to each other
    otherwise     on the graphs of the two processes

What is found is a *permutation bisimulation* that is a bijection: for every leaf another leaf and a state for each of
its states. ``Asymmetric`` says where a rule does not apply.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from kripke.algebra.events import TAU, TICK
from kripke.algebra.lts.equivalences import partition
from kripke.algebra.network import Composed, Flag, Leaf, Network, Part, Single, Wrapped
from kripke.algebra.parallel import Alphabetised, Linked, Parallel
from kripke.algebra.terms import Hide, Rename

Permuting = Callable[[int], int]


class Asymmetric(Exception):
    """Why a claim is not shown."""


@dataclass
class Matching:
    """For every leaf: the one it becomes, the state that each of its states becomes, and how its events change."""

    leaves: dict[int, int] = field(default_factory=dict)
    states: dict[int, tuple[int, ...]] = field(default_factory=dict)
    events: dict[int, Permuting] = field(default_factory=dict)

    def add(self, other: Matching) -> None:
        self.leaves |= other.leaves
        self.states |= other.states
        self.events |= other.events


class Matcher:
    def __init__(self, network: Network) -> None:
        self._network = network
        self._name = network.world.events.name
        self._events: dict[int, tuple[int, ...]] = {}
        self._outlines: dict[int, object] = {}

    def match(self, one: Part, other: Part, permuted: Permuting) -> Matching:
        """Asymmetric where the events of ``one``, permuted, do not give ``other``."""
        match one, other:
            case Single(), Single():
                return self._leaf(one.number, other.number, permuted)
            case Wrapped(operator=Hide(hidden=hidden)), Wrapped(operator=Hide(hidden=its_hidden)):
                for event in self._events_of(one.inner):
                    if hidden.has(event) != its_hidden.has(permuted(event)):
                        raise self._moved("hiding", event, permuted)
                return self.match(one.inner, other.inner, permuted)
            case Wrapped(operator=Rename()), Wrapped(operator=Rename()):
                return self.match(one.inner, other.inner, self._behind(one, other, permuted))
            case Composed(operator=Parallel()), Composed(operator=Parallel()):
                return self._parallel(one, other, permuted)
            case Composed(operator=Alphabetised()), Composed(operator=Alphabetised()):
                return self._alphabetised(one, other, permuted)
            case Composed(operator=Linked()), Composed(operator=Linked()):
                return self._linked(one, other, permuted)
        raise Asymmetric("two parts that must be alike are made by different operators")

    # ---- parts side by side ----

    def _parallel(self, one: Composed, other: Composed, permuted: Permuting) -> Matching:
        shared, its_shared = one.operator.shared, other.operator.shared  # type: ignore[union-attr]
        for event in self._events_of(one):
            if shared.has(event) != its_shared.has(permuted(event)):
                raise self._moved("the synchronised set", event, permuted)
        mine, its = _side_by_side(one), _side_by_side(other)
        found = self._flags(one, other)
        found.add(self._paired(mine, its, permuted, lambda at, to: True))
        return found

    def _alphabetised(self, one: Composed, other: Composed, permuted: Permuting) -> Matching:
        alphabets, its_alphabets = one.operator.alphabets, other.operator.alphabets  # type: ignore[union-attr]
        events = sorted({event for part in one.parts for event in self._events_of(part)})

        def alike(at: int, to: int) -> bool:
            return all(alphabets[at].has(event) == its_alphabets[to].has(permuted(event)) for event in events)

        found = self._flags(one, other)
        found.add(self._paired(one.parts, other.parts, permuted, alike))
        return found

    def _linked(self, one: Composed, other: Composed, permuted: Permuting) -> Matching:
        pairs = one.operator.links.key  # type: ignore[union-attr]
        wanted = other.operator.links.key  # type: ignore[union-attr]
        images = {(permuted(left), permuted(right)) for left, right in pairs}
        found = self._flags(one, other)
        if images == wanted:
            found.add(self.match(one.parts[0], other.parts[0], permuted))
            found.add(self.match(one.parts[1], other.parts[1], permuted))
        elif {(right, left) for left, right in images} == wanted:
            found.add(self.match(one.parts[0], other.parts[1], permuted))
            found.add(self.match(one.parts[1], other.parts[0], permuted))
        else:
            raise Asymmetric("the linked pairs of events are mapped to others")
        return found

    def _flags(self, one: Composed, other: Composed) -> Matching:
        """The leaves that tell whether parallel compositions have ended."""
        if (one.dead is None) != (other.dead is None):
            raise Asymmetric("of two parts that must be alike one can end")
        if one.dead is None or other.dead is None:
            return Matching()
        return Matching({one.dead: other.dead}, {one.dead: (0, 1)}, {one.dead: lambda event: event})

    def _paired(
        self, mine: list[Part], its: list[Part], permuted: Permuting, alike: Callable[[int, int], bool]
    ) -> Matching:
        """Any partner will do: two that a part matches match each other."""
        if len(mine) != len(its):
            raise Asymmetric("two compositions that must be alike have different numbers of parts")
        found, free = Matching(), list(range(len(its)))
        for at, part in enumerate(mine):
            reason = Asymmetric("a part of a composition has no like in it")
            for to in free:
                if self._outline(part) != self._outline(its[to]) or not alike(at, to):
                    continue
                try:
                    found.add(self.match(part, its[to], permuted))
                except Asymmetric as why:
                    reason = why
                    continue
                free.remove(to)
                break
            else:
                raise reason
        return found

    def _outline(self, part: Part) -> object:
        """What is equal of parts that match, and cheap to see."""
        known = self._outlines.get(id(part))
        if known is None:
            match part:
                case Single():
                    leaf = self._network.leaves[part.number]
                    known = ("leaf", len(leaf.states), sum(map(len, leaf.steps)))
                case Wrapped():
                    known = (part.operator.operator, self._outline(part.inner))
                case Composed():
                    known = (part.operator.operator, tuple(sorted(map(repr, map(self._outline, part.parts)))))
            self._outlines[id(part)] = known
        return known

    # ---- renaming ----

    def _behind(self, one: Wrapped, other: Wrapped, permuted: Permuting) -> Permuting:
        """A permutation of the events before a renaming that becomes the claimed one by it."""
        relation, its_relation = one.operator.relation, other.operator.relation  # type: ignore[union-attr]
        mine, its = self._events_of(one.inner), set(self._events_of(other.inner))
        images = {event: frozenset(its_relation.of(event)) for event in its}
        found: dict[int, int] = {}
        for event in mine:
            wanted = frozenset(map(permuted, relation.of(event)))
            possible = [own for own in its if images[own] == wanted and own not in found.values()]
            chosen = next((own for own in (permuted(event), event) if own in possible), None)
            if chosen is None and len(possible) != 1:
                raise self._moved("renaming", event, permuted)
            found[event] = possible[0] if chosen is None else chosen
        # What the parts behind it never do together is not renamed: the claim itself may hold for that.
        return lambda event: found[event] if event in found else permuted(event)

    def _events_of(self, part: Part) -> tuple[int, ...]:
        known = self._events.get(id(part))
        if known is None:
            known = tuple(sorted({rule.event for rule in part.rules} - {TAU, TICK}))
            self._events[id(part)] = known
        return known

    def _moved(self, where: str, event: int, permuted: Permuting) -> Asymmetric:
        return Asymmetric(
            f"{where} treats {self._name(event)} unlike {self._name(permuted(event))}, which it would become"
        )

    # ---- graphs ----

    def _leaf(self, one: int, other: int, permuted: Permuting) -> Matching:
        mine, its = self._network.leaves[one], self._network.leaves[other]
        assert not isinstance(mine, Flag) and not isinstance(its, Flag)
        if len(set(map(permuted, mine.events))) != len(mine.events):
            raise Asymmetric("two events of a process would become one")
        states = self._graph(mine, its, permuted)
        return Matching({one: other}, {one: states}, {one: permuted})

    def _graph(self, mine: Leaf, its: Leaf, permuted: Permuting) -> tuple[int, ...]:
        """The state that every state becomes: both graphs are followed together from their initial states."""
        if len(mine.states) != len(its.states):
            raise Asymmetric(
                f"two processes that must be alike have {len(mine.states):,} and {len(its.states):,} states"
            )
        image = [-1] * len(mine.states)
        image[0] = 0
        taken, pending = {0}, [0]
        classes: tuple[list[int], list[int]] | None = None

        def pair(state: int, to: int) -> None:
            if image[state] == to:
                return
            if image[state] >= 0 or to in taken:
                raise Asymmetric("the graph of a process is not mapped to itself, or to that of its like")
            image[state] = to
            taken.add(to)
            pending.append(state)

        while pending:
            state = pending.pop()
            ways, its_ways = _by_event(mine.steps[state], permuted), _by_event(its.steps[image[state]], _same)
            for event in (*ways, *its_ways):
                if len(ways.get(event, ())) != len(its_ways.get(event, ())):
                    raise Asymmetric(self._unlike(mine, state, event, event in ways))
            for event, targets in ways.items():
                if len(targets) == 1:
                    pair(targets[0], its_ways[event][0])
                    continue
                # Several ways by one event: states that are bisimilar belong together.
                classes = classes or _classes(mine, its, permuted)
                self._pair_up(targets, its_ways[event], image, taken, classes, pair)
        for state, own in enumerate(mine.steps):
            if {(permuted(event), image[target]) for event, target in own} != set(its.steps[image[state]]):
                raise Asymmetric("a process has several states that do the same, and these cannot be told apart")
        return tuple(image)

    def _pair_up(
        self,
        targets: list[int],
        its_targets: list[int],
        image: list[int],
        taken: set[int],
        classes: tuple[list[int], list[int]],
        pair: Callable[[int, int], None],
    ) -> None:
        mine_class, its_class = classes
        if Counter(mine_class[t] for t in targets) != Counter(its_class[t] for t in its_targets):
            raise Asymmetric("a process and its like can do the same event, with different consequences")
        for target in targets:
            if image[target] < 0:
                free = (to for to in its_targets if its_class[to] == mine_class[target] and to not in taken)
                to = next(free, None)
                if to is None:
                    raise Asymmetric("a process has several states that do the same, and these cannot be told apart")
                pair(target, to)

    def _unlike(self, leaf: Leaf, state: int, event: int, can: bool) -> str:
        where = "at its start" if state == 0 else "in one of its states"
        return (
            f"a process {where} {'does' if can else 'does not do'} what becomes {self._name(event)}, "
            f"and its like {'does not' if can else 'does'}"
        )


def _side_by_side(part: Composed) -> list[Part]:
    """The parts of P [|A|] (Q [|A|] ...), one list where none of the inner ones ends by itself."""
    found: list[Part] = []
    for inner in part.parts:
        alike = isinstance(inner, Composed) and isinstance(inner.operator, Parallel) and inner.dead is None
        if alike and inner.operator.shared.key == part.operator.shared.key:  # type: ignore[union-attr,attr-defined]
            found += _side_by_side(inner)  # type: ignore[arg-type]
        else:
            found.append(inner)
    return found


def _same(event: int) -> int:
    return event


def _by_event(steps: list[tuple[int, int]], permuted: Permuting) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for event, target in steps:
        found.setdefault(permuted(event), []).append(target)
    return found


def _classes(mine: Leaf, its: Leaf, permuted: Permuting) -> tuple[list[int], list[int]]:
    """Strong bisimulation of both graphs, the first one's events permuted."""
    offset = len(mine.steps)
    steps = [[(permuted(event), target) for event, target in own] for own in mine.steps]
    steps += [[(event, target + offset) for event, target in own] for own in its.steps]
    blocks = partition(steps, "strong")
    return blocks[:offset], blocks[offset:]
