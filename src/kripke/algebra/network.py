"""A network of processes as a structured machine: tables for its leaves, rules for who moves together.

The operators at the top of a term that never change (parallel, hiding, renaming, links) become rules, Roscoe's
supercombinators: a rule names the leaves that take part, the event each of them does, and the event of the whole.
What is below is explored by itself. A state is the tuple of the leaves' states.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kripke.algebra.events import TAU, TICK
from kripke.algebra.lts.system import TooManyStates, explored
from kripke.algebra.parallel import Alphabetised, Linked, Parallel, alphabetised, linked, parallel
from kripke.algebra.terms import Hide, Rename, Term

MOST_LEAF_STATES = 300_000
MOST_RULES = 2_000_000


class NoNetwork(Exception):
    """Why a process has no such form."""


@dataclass(frozen=True, slots=True)
class Rule:
    """``moves``: leaf and its event, by rising leaves; ``event``: what the whole does."""

    moves: tuple[tuple[int, int], ...]
    event: int


class Leaf:
    """The states of a leaf as terms, and its steps between their numbers, by rising events."""

    def __init__(self, term: Term) -> None:
        try:
            self.states, table = explored(term, lambda state: state.steps(), MOST_LEAF_STATES)
        except TooManyStates:
            raise NoNetwork(f"a process has more than {MOST_LEAF_STATES:,} states by itself") from None
        self.steps = [sorted(own) for own in table]
        self.numbers = {state: number for number, state in enumerate(self.states)}
        self.events = sorted({event for own in table for event, _ in own})
        if TICK in self.events:
            raise NoNetwork("a process in it can end")


#: makes the term from the present terms of the leaves
Rebuild = Callable[[list[Term]], Term]


class Network:
    """Raises NoNetwork where the term has no such form."""

    def __init__(self, root: Term) -> None:
        self.root = root
        self.leaves: list[Leaf] = []
        rules, self._rebuild, _ = self._node(root)
        self.rules = list(dict.fromkeys(rules))
        self.tau_free = all(TAU not in leaf.events for leaf in self.leaves) and all(r.event != TAU for r in self.rules)

    def initial(self) -> tuple[int, ...]:
        return (0,) * len(self.leaves)

    def term(self, state: tuple[int, ...]) -> Term:
        return self._rebuild([leaf.states[own] for leaf, own in zip(self.leaves, state, strict=True)])

    def state(self, term: Term) -> tuple[int, ...]:
        """The numbers of the leaves of a term of this network."""
        found: list[int] = []
        stack = [term]
        while stack:
            at = stack.pop()
            match at:
                case Parallel() | Linked():
                    stack += [at.right, at.left]
                case Alphabetised():
                    stack += reversed(at.parts)
                case Hide() | Rename():
                    stack.append(at.process)
                case _:
                    found.append(self.leaves[len(found)].numbers[at])
        return tuple(found)

    # ---- from terms to rules ----

    def _node(self, term: Term) -> tuple[list[Rule], Rebuild, int]:
        """The rules of a part (none for invisible steps of leaves), what makes it again, how many leaves it has."""
        term = term.now()
        world = term.world
        match term:
            case Hide():
                rules, rebuild, size = self._node(term.process)
                hidden = term.hidden
                return (
                    [Rule(r.moves, TAU) if hidden.has(r.event) else r for r in rules],
                    lambda leaves: world.hide(rebuild(leaves), hidden),
                    size,
                )
            case Rename():
                rules, rebuild, size = self._node(term.process)
                relation = term.relation
                return (
                    self._bounded(Rule(r.moves, image) for r in rules for image in relation.of(r.event)),
                    lambda leaves: world.rename(rebuild(leaves), relation),
                    size,
                )
            case Parallel():
                return self._parallel(term)
            case Linked():
                return self._linked(term)
            case Alphabetised():
                return self._alphabetised(term)
        if len(self.leaves) >= 4096:
            raise NoNetwork("it has more than 4,096 parts")
        number = len(self.leaves)
        leaf = Leaf(term)
        self.leaves.append(leaf)
        return [Rule(((number, e),), e) for e in leaf.events if e != TAU], lambda leaves: leaves[number], 1

    def _bounded(self, rules: object) -> list[Rule]:
        found: list[Rule] = []
        for rule in rules:  # type: ignore[attr-defined]
            found.append(rule)
            if len(found) > MOST_RULES:
                raise NoNetwork(f"it has more than {MOST_RULES:,} ways to move together")
        return found

    def _parallel(self, term: Parallel) -> tuple[list[Rule], Rebuild, int]:
        left, one, size = self._node(term.left)
        right, other, more = self._node(term.right)
        shared, world = term.shared, term.world
        partners: dict[int, list[Rule]] = {}
        for rule in right:
            if shared.has(rule.event):
                partners.setdefault(rule.event, []).append(rule)
        rules = [r for r in left if not shared.has(r.event)] + [r for r in right if not shared.has(r.event)]
        rules += self._bounded(
            Rule((*l.moves, *r.moves), l.event)
            for l in left  # noqa: E741
            if shared.has(l.event)
            for r in partners.get(l.event, ())
        )
        return rules, (lambda leaves: parallel(world, one(leaves), shared, other(leaves))), size + more

    def _linked(self, term: Linked) -> tuple[list[Rule], Rebuild, int]:
        left, one, size = self._node(term.left)
        right, other, more = self._node(term.right)
        links, world = term.links, term.world
        by_event: dict[int, list[Rule]] = {}
        for rule in right:
            by_event.setdefault(rule.event, []).append(rule)
        rules = [r for r in left if r.event not in links.left] + [r for r in right if r.event not in links.right]
        rules += self._bounded(
            Rule((*l.moves, *r.moves), TAU)
            for l in left  # noqa: E741
            for partner in links.left.get(l.event, ())
            for r in by_event.get(partner, ())
        )
        return rules, (lambda leaves: linked(world, one(leaves), links, other(leaves))), size + more

    def _alphabetised(self, term: Alphabetised) -> tuple[list[Rule], Rebuild, int]:
        parts = [self._node(part) for part in term.parts]
        rules: list[Rule] = []
        by_event: list[dict[int, list[Rule]]] = []
        for (own, _, _), alphabet in zip(parts, term.alphabets, strict=True):
            table: dict[int, list[Rule]] = {}
            for rule in own:
                if rule.event == TAU:
                    rules.append(rule)
                elif alphabet.has(rule.event):
                    table.setdefault(rule.event, []).append(rule)
            by_event.append(table)
        for event in dict.fromkeys(event for table in by_event for event in table):
            who = [at for at, alphabet in enumerate(term.alphabets) if alphabet.has(event)]
            joint: list[tuple[tuple[int, int], ...]] = [()]
            for at in who:
                joint = [(*moves, *rule.moves) for moves in joint for rule in by_event[at].get(event, ())]
                if len(joint) > MOST_RULES:
                    raise NoNetwork(f"it has more than {MOST_RULES:,} ways to move together")
            rules += [Rule(moves, event) for moves in joint]
        world, alphabets, makers = term.world, term.alphabets, [rebuild for _, rebuild, _ in parts]
        return (
            rules,
            lambda leaves: alphabetised(world, tuple(make(leaves) for make in makers), alphabets),
            sum(size for _, _, size in parts),
        )
