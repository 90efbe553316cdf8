"""A network of processes as a structured machine: tables for its leaves, rules for who moves together.

The operators at the top of a term that never change (parallel, hiding, renaming, links) become rules, Roscoe's
supercombinators: a rule names the leaves that take part, the event each of them does, and the event of the whole.
What is below is explored by itself. A state is the tuple of the leaves' states.

A parallel composition whose parts can end has a leaf of its own, which says whether it has ended: it may when all its
parts have, and a part that has ended shows that by an event of its own, ``DEAD``, which changes nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from kripke.algebra.events import TAU, TICK
from kripke.algebra.lts.system import TooManyStates, explored
from kripke.algebra.parallel import Alphabetised, Linked, Parallel, alphabetised, linked, parallel
from kripke.algebra.terms import Hide, Rename, Term, World

MOST_LEAF_STATES = 100_000
MOST_LEAVES = 4096
MOST_RULES = 2_000_000
DEAD, END = -1, -2


class NoNetwork(Exception):
    """Why a process has no such form."""


@dataclass(frozen=True, slots=True)
class Rule:
    """``moves``: leaf and its event, by rising leaves; ``event``: what the whole does."""

    moves: tuple[tuple[int, int], ...]
    event: int


class Leaf:
    """The states of a leaf as terms, and its steps between their numbers."""

    def __init__(self, term: Term) -> None:
        try:
            self.states, table = explored(term, lambda state: state.steps(), MOST_LEAF_STATES)
        except TooManyStates:
            raise NoNetwork(f"a process has more than {MOST_LEAF_STATES:,} states by itself") from None
        self.numbers = {state: number for number, state in enumerate(self.states)}
        #: the state after termination, if there is one
        self.ended = self.numbers.get(term.world.omega)
        if self.ended is not None:
            table[self.ended].append((DEAD, self.ended))
        self.steps = [sorted(own) for own in table]
        self.events = sorted({event for own in table for event, _ in own})


class Flag:
    """Has a parallel composition ended?"""

    def __init__(self) -> None:
        self.states = (False, True)
        self.ended = 1
        self.steps = [[(END, 1)], [(DEAD, 1)]]
        self.events = [END, DEAD]


class Part:
    """A part of the network. ``dead``: the leaf that tells whether it has ended, None: it never does."""

    rules: list[Rule]
    dead: int | None = None

    def term(self, network: Network, state: tuple[int, ...]) -> Term:
        raise NotImplementedError

    def read(self, network: Network, term: Term, found: list[int]) -> None:
        """The states of its leaves."""
        raise NotImplementedError

    def finish(self, network: Network, found: list[int]) -> None:
        """The same of the part when it has ended."""
        raise NotImplementedError


class Single(Part):
    def __init__(self, network: Network, term: Term) -> None:
        self.number = network.add(leaf := Leaf(term))
        self.rules = [Rule(((self.number, e),), e) for e in leaf.events if e not in (TAU, DEAD)]
        self.dead = self.number if leaf.ended is not None else None

    def term(self, network: Network, state: tuple[int, ...]) -> Term:
        term: Term = network.leaves[self.number].states[state[self.number]]  # type: ignore[assignment]
        return term

    def read(self, network: Network, term: Term, found: list[int]) -> None:
        leaf = network.leaves[self.number]
        assert isinstance(leaf, Leaf)
        found[self.number] = leaf.numbers[term]

    def finish(self, network: Network, found: list[int]) -> None:
        ended = network.leaves[self.number].ended
        assert ended is not None
        found[self.number] = ended


class Wrapped(Part):
    """Hiding or renaming."""

    def __init__(self, network: Network, term: Hide | Rename) -> None:
        self.operator = term
        self.inner = network.part(term.process)
        self.dead = self.inner.dead
        if isinstance(term, Hide):
            hidden = term.hidden
            if isinstance(self.inner, Single) and network.hides(self.inner.number, hidden.key):
                raise NoNetwork("a process comes back to itself inside hiding")
            self.rules = [Rule(r.moves, TAU) if hidden.has(r.event) else r for r in self.inner.rules]
        else:
            relation = term.relation
            self.rules = bounded(Rule(r.moves, image) for r in self.inner.rules for image in relation.of(r.event))

    def term(self, network: Network, state: tuple[int, ...]) -> Term:
        inner, world = self.inner.term(network, state), network.world
        if inner is world.omega:
            return inner
        if isinstance(self.operator, Hide):
            return world.hide(inner, self.operator.hidden)
        return world.rename(inner, self.operator.relation)

    def read(self, network: Network, term: Term, found: list[int]) -> None:
        if isinstance(term, Hide | Rename):
            self.inner.read(network, term.process, found)
        else:
            self.inner.finish(network, found)

    def finish(self, network: Network, found: list[int]) -> None:
        self.inner.finish(network, found)


class Composed(Part):
    """Parts in parallel."""

    def __init__(self, network: Network, term: Parallel | Linked | Alphabetised) -> None:
        self.operator = term
        self.parts = [network.part(part) for part in term.children()]
        ways = [[r for r in part.rules if r.event != TICK] for part in self.parts]
        match term:
            case Parallel():
                self.rules = _parallel_rules(term, *ways)
            case Linked():
                self.rules = _linked_rules(term, *ways)
            case Alphabetised():
                self.rules = _alphabetised_rules(term, ways)
        ends = [rule for part in self.parts for rule in part.rules if rule.event == TICK]
        self.rules += [Rule(rule.moves, TAU) for rule in ends]
        dead = [part.dead for part in self.parts if part.dead is not None]
        if len(dead) == len(self.parts):
            self.dead = network.add(Flag())
            self.rules.append(Rule((*((leaf, DEAD) for leaf in dead), (self.dead, END)), TICK))

    def term(self, network: Network, state: tuple[int, ...]) -> Term:
        world = network.world
        if self.dead is not None and state[self.dead]:
            return world.omega
        parts = [part.term(network, state) for part in self.parts]
        match self.operator:
            case Parallel(shared=shared):
                return parallel(world, parts[0], shared, parts[1])
            case Linked(links=links):
                return linked(world, parts[0], links, parts[1])
        return alphabetised(world, tuple(parts), self.operator.alphabets)

    def read(self, network: Network, term: Term, found: list[int]) -> None:
        if term is network.world.omega:
            self.finish(network, found)
            return
        for part, child in zip(self.parts, term.children(), strict=True):
            part.read(network, child, found)

    def finish(self, network: Network, found: list[int]) -> None:
        assert self.dead is not None
        for part in self.parts:
            part.finish(network, found)
        found[self.dead] = 1


class Network:
    """Raises NoNetwork where the term has no such form."""

    def __init__(self, root: Term) -> None:
        self.world: World = root.world
        self.leaves: list[Leaf | Flag] = []
        self.root = self.part(root)
        self.rules = list(dict.fromkeys(self.root.rules))
        #: the leaf that tells whether the whole has ended
        self.dead = self.root.dead
        self.tau_free = all(TAU not in leaf.events for leaf in self.leaves) and all(r.event != TAU for r in self.rules)

    def add(self, leaf: Leaf | Flag) -> int:
        if len(self.leaves) >= MOST_LEAVES:
            raise NoNetwork(f"it has more than {MOST_LEAVES:,} parts")
        self.leaves.append(leaf)
        return len(self.leaves) - 1

    def hides(self, leaf: int, key: Hashable) -> bool:
        """Is a state of the leaf itself hidden so? Hidden once more it would be the same state."""
        return any(isinstance(state, Hide) and state.hidden.key == key for state in self.leaves[leaf].states)

    def part(self, term: Term) -> Part:
        term = term.now()
        match term:
            case Hide() | Rename():
                return Wrapped(self, term)
            case Parallel() | Linked() | Alphabetised():
                return Composed(self, term)
        return Single(self, term)

    def initial(self) -> tuple[int, ...]:
        return (0,) * len(self.leaves)

    def term(self, state: tuple[int, ...]) -> Term:
        return self.root.term(self, state)

    def state(self, term: Term) -> tuple[int, ...]:
        """The numbers of the leaves of a term of this network."""
        found = [0] * len(self.leaves)
        self.root.read(self, term, found)
        return tuple(found)


# ---- rules ----


def bounded(rules: Iterable[Rule]) -> list[Rule]:
    found: list[Rule] = []
    for rule in rules:
        found.append(rule)
        if len(found) > MOST_RULES:
            raise NoNetwork(f"it has more than {MOST_RULES:,} ways to move together")
    return found


def _by_event(rules: list[Rule]) -> dict[int, list[Rule]]:
    found: dict[int, list[Rule]] = {}
    for rule in rules:
        found.setdefault(rule.event, []).append(rule)
    return found


def _parallel_rules(term: Parallel, left: list[Rule], right: list[Rule]) -> list[Rule]:
    shared, partners = term.shared, _by_event(right)
    rules = [rule for rule in (*left, *right) if not shared.has(rule.event)]
    return rules + bounded(
        Rule((*one.moves, *other.moves), one.event)
        for one in left
        if shared.has(one.event)
        for other in partners.get(one.event, ())
    )


def _linked_rules(term: Linked, left: list[Rule], right: list[Rule]) -> list[Rule]:
    links, partners = term.links, _by_event(right)
    rules = [r for r in left if r.event not in links.left] + [r for r in right if r.event not in links.right]
    return rules + bounded(
        Rule((*one.moves, *other.moves), TAU)
        for one in left
        for event in links.left.get(one.event, ())
        for other in partners.get(event, ())
    )


def _alphabetised_rules(term: Alphabetised, ways: list[list[Rule]]) -> list[Rule]:
    rules = [rule for own in ways for rule in own if rule.event == TAU]
    tables = [_by_event(own) for own in ways]
    for event in dict.fromkeys(event for table in tables for event in table if event != TAU):
        who = [at for at, alphabet in enumerate(term.alphabets) if alphabet.has(event)]
        joint: list[tuple[tuple[int, int], ...]] = [()] if who else []
        for at in who:
            joint = [(*moves, *rule.moves) for moves in joint for rule in tables[at].get(event, ())]
            if len(joint) > MOST_RULES:
                raise NoNetwork(f"it has more than {MOST_RULES:,} ways to move together")
        rules += [Rule(moves, event) for moves in joint]
    return rules
