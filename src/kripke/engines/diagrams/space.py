"""A transition system as diagrams: commands as relations of what they write, images and pre-images of sets of states.

Of every command only what it writes is in its relation; all other variables stay as they are (partitioned relation,
without frames). In the engine's own diagrams a command is one relation, as long as that is small. Otherwise it is
parts, and what is written without looking at what was written there before (a constant, most program counters) needs
no variable for "after": it is quantified away and set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from kripke.engines.diagrams.manager import Manager, Node
from kripke.engines.diagrams.native import NativeManager
from kripke.engines.diagrams.order import static_order
from kripke.terms.bits import Blaster, bits_of, value_of, variable_bits
from kripke.terms.build import conjoin, within
from kripke.terms.system import Command, TransitionSystem
from kripke.terms.term import Op, Symbol, Term, symbols_of

#: nodes up to which parts of a relation are put together
_LARGEST_PART = 3_000
#: nodes up to which a command is one relation
_LARGEST_RELATION = 5_000


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a relation, and the variables that no later part mentions: they are quantified with it."""

    node: Node
    gone: frozenset[str]


@dataclass(slots=True)
class Relation:
    """``guard`` as a set of states; ``number`` is that of the command in the engine's own diagrams, where it is one
    relation. Otherwise ``forward`` are the parts for steps forward; then ``renaming`` makes after now, and ``fixed`` is
    what is set without a variable for after. ``backward``: the parts for steps back, from a set in which what is
    written was renamed by ``to_after``; None: not made yet."""

    command: Command
    guard: Node
    written: frozenset[str]
    number: int | None = None
    forward: list[Part] = field(default_factory=list)
    fixed: Node = None
    renaming: Mapping[str, str] = field(default_factory=dict)
    backward: list[Part] | None = None
    to_after: Mapping[str, str] = field(default_factory=dict)


class Space:
    """Sets of states of one system."""

    def __init__(self, system: TransitionSystem, package: Callable[[list[str]], Manager] = NativeManager) -> None:
        self.system = system
        self._now: dict[Symbol, list[str]] = {}
        self._after: dict[Symbol, list[str]] = {}
        choices = dict.fromkeys(symbol for command in system.commands for symbol in command.choices)
        for number, symbol in enumerate([*choices, *system.variables]):
            bits = range(variable_bits(symbol.sort))
            self._now[symbol] = [f"x{number}_{bit}" for bit in bits]
            self._after[symbol] = [f"y{number}_{bit}" for bit in bits]
        self._becoming = _becoming(system)
        self._now |= {choice: self._after[symbol] for choice, symbol in self._becoming.items()}
        names = [name for symbol in choices if symbol not in self._becoming for name in self._now[symbol]]
        for symbol, bit in static_order(system):
            names += [self._now[symbol][bit], self._after[symbol][bit]]
        self.manager: Manager = package(names)
        self.own = self.manager if isinstance(self.manager, NativeManager) else None
        self.names = [name for symbol in system.variables for name in self._now[symbol]]
        self.blaster: Blaster[Node] = Blaster(
            self.manager, lambda symbol: [self.manager.var(name) for name in self._now[symbol]]
        )
        self.initial = self._all([*map(self.truth, map(within, system.variables)), self.truth(system.initial)])
        self.stable = self.truth(system.stable)
        self.relations = sorted(
            (relation for relation in map(self._relation, system.commands) if relation is not None),
            key=lambda relation: -self._top(relation),
        )

    def truth(self, term: Term) -> Node:
        """The states in which a term is true."""
        return self.blaster.truth(term)

    def _top(self, relation: Relation) -> int:
        """The level of the highest variable that a command writes: commands near the bottom come first."""
        return min((self.manager.level(name) for name in relation.written), default=0)

    # --- relations ----------------------------------------------------------------------------------------------------

    def _relation(self, command: Command) -> Relation | None:
        manager = self.manager
        guards = self._guard_parts(command)
        if any(part == manager.false for part in guards):
            return None
        chosen = [name for symbol in command.choices for name in self._now[symbol]]
        visible = manager.exists(chosen, self._all(guards))
        whole = self._whole(command, guards, visible, chosen)
        if whole is not None:
            return whole
        written = list(command.updates)
        again = {symbol for symbol in written if self._depends(command.updates[symbol], {*written, *command.choices})}
        parts, fixed = list(guards), manager.true
        for symbol in written:
            bits = self.blaster.stored(command.updates[symbol], symbol.sort)
            for now, after, bit in zip(self._now[symbol], self._after[symbol], bits, strict=True):
                if symbol in again:
                    parts.append(~manager.xor(manager.var(after), bit))
                else:
                    fixed &= ~manager.xor(manager.var(now), bit)
        gone = self._gone(command, chosen)
        names = frozenset([*(name for symbol in written for name in self._now[symbol]), *gone])
        renaming = {a: n for s in again for n, a in zip(self._now[s], self._after[s], strict=True)}
        return Relation(command, visible, names, None, self._scheduled(parts, names), fixed, renaming)

    def _whole(self, command: Command, guards: list[Node], visible: Node, chosen: list[str]) -> Relation | None:
        """The command as one relation; None where that is too large, or the package has no such thing."""
        if self.own is None or visible.larger(_LARGEST_RELATION):
            return None
        relation, written = self._all(guards), list[str]()
        for symbol, update in command.updates.items():
            bits = self.blaster.stored(update, symbol.sort)
            for now, after, bit in zip(self._now[symbol], self._after[symbol], bits, strict=True):
                if visible & (self.own.var(now) ^ bit) == self.own.false and not chosen:
                    continue  # it stays as it is: a bit of a program counter, for instance
                written.append(now)
                relation = relation & ~(self.own.var(after) ^ bit)
                if relation.larger(_LARGEST_RELATION):
                    return None
        relation = self.own.exists(self._gone(command, chosen), relation)
        return Relation(command, visible, frozenset(written), self.own.command(relation, written))

    def _gone(self, command: Command, chosen: list[str]) -> list[str]:
        """Of the names of choices, those that are not also names of what the command makes of a variable."""
        kept = {name for one, symbol in self._becoming.items() if symbol in command.updates for name in self._now[one]}
        return [name for name in chosen if name not in kept]

    def _guard_parts(self, command: Command) -> list[Node]:
        guard = conjoin(command.guard, *map(within, command.choices))
        return [self.truth(part) for part in (guard.args if guard.op is Op.AND else (guard,))]

    def _all(self, nodes: Iterable[Node]) -> Node:
        result = self.manager.true
        for node in nodes:
            result &= node
        return result

    def _depends(self, term: Term, symbols: set[Symbol]) -> bool:
        return not symbols.isdisjoint(symbols_of(term))

    def _scheduled(self, parts: list[Node], names: frozenset[str]) -> list[Part]:
        """Parts put together while they are small, each with the variables that can be quantified after it (early
        quantification; Burch, Clarke, Long, VLSI 1991)."""
        clusters: list[Node] = []
        for part in parts:
            together = clusters[-1] & part if clusters else part
            if clusters and len(together) <= _LARGEST_PART:
                clusters[-1] = together
            else:
                clusters.append(part)
        scheduled: list[Part] = []
        later: set[str] = set()
        for cluster in reversed(clusters or [self.manager.true]):
            mentioned = names & self.manager.support(cluster)
            scheduled.append(Part(cluster, frozenset(mentioned - later)))
            later |= mentioned
        scheduled.reverse()
        # What no part mentions is quantified first.
        first = scheduled[0]
        scheduled[0] = Part(first.node, first.gone | (names - later))
        return scheduled

    def _back(self, relation: Relation) -> list[Part]:
        """The parts for steps back."""
        if relation.backward is None:
            command, manager = relation.command, self.manager
            parts = self._guard_parts(command)
            for symbol, update in command.updates.items():
                bits = self.blaster.stored(update, symbol.sort)
                for after, bit in zip(self._after[symbol], bits, strict=True):
                    parts.append(~manager.xor(manager.var(after), bit))
            gone = [name for symbol in command.choices for name in self._now[symbol]]
            gone += [name for symbol in command.updates for name in self._after[symbol]]
            relation.backward = self._scheduled(parts, frozenset(gone))
            relation.to_after = {
                now: after
                for symbol in command.updates
                for now, after in zip(self._now[symbol], self._after[symbol], strict=True)
            }
        return relation.backward

    # --- steps --------------------------------------------------------------------------------------------------------

    def image(self, relation: Relation, start: Node) -> Node:
        """Where one command leads."""
        if self.own is not None and relation.number is not None:
            return self.own.after(start, [relation.number])
        reached = start
        for part in relation.forward:
            reached = self.manager.and_exists(reached, part.node, part.gone)
            if reached == self.manager.false:
                return reached
        if relation.renaming:
            reached = self.manager.renamed(reached, relation.renaming)
        return reached & relation.fixed

    def after(self, start: Node, relations: Iterable[Relation] | None = None) -> Node:
        """Where all commands lead, or those of these relations."""
        reached = self.manager.false
        for relation in self.relations if relations is None else relations:
            reached |= self.image(relation, start)
        return reached

    def before(self, goal: Node, relations: Iterable[Relation] | None = None) -> Node:
        """From where some command, or one of these relations, leads to the goal."""
        found = self.manager.false
        for relation in self.relations if relations is None else relations:
            if self.own is not None and relation.number is not None:
                found |= self.own.before(goal, [relation.number])
                continue
            parts = self._back(relation)
            there = self.manager.renamed(goal, relation.to_after)
            for part in parts:
                there = self.manager.and_exists(there, part.node, part.gone)
            found |= there
        return found

    def resting(self, states: Node) -> Node:
        """Of these stable states, those in which nothing can happen."""
        rest = states & self.stable
        for relation in self.relations:
            rest &= ~relation.guard
        for condition in (*(b.condition for b in self.system.breaches), *(one.condition for one in self.system.limits)):
            if rest == self.manager.false:
                break
            rest &= ~self.truth(condition)
        return rest

    # --- single states ------------------------------------------------------------------------------------------------

    def count(self, states: Node) -> int:
        return self.manager.count(states, self.names)

    def one(self, states: Node) -> tuple[int, ...]:
        """The values of the variables in one of these states."""
        found = self.manager.one(states, self.names)
        return tuple(
            value_of(symbol.sort, [found[name] for name in self._now[symbol]]) for symbol in self.system.variables
        )

    def only(self, values: Iterable[int]) -> Node:
        """The set of one state."""
        return self.manager.cube(dict(self._bits(values)))

    def _bits(self, values: Iterable[int]) -> Iterator[tuple[str, bool]]:
        for symbol, value in zip(self.system.variables, values, strict=True):
            yield from zip(self._now[symbol], bits_of(symbol.sort, value), strict=True)


def _becoming(system: TransitionSystem) -> dict[Symbol, Symbol]:
    """Choices that are, in every command that makes them, the new value of one and the same variable: its bits for
    "after" are those of the choice."""
    found: dict[Symbol, Symbol | None] = {}
    for command in system.commands:
        written = {update.value: symbol for symbol, update in command.updates.items() if update.op is Op.VARIABLE}
        for choice in command.choices:
            symbol = written.get(choice)
            fits = symbol is not None and symbol.sort == choice.sort
            found[choice] = symbol if fits and found.get(choice, symbol) is symbol else None
    ends = [symbol for symbol in found.values() if symbol is not None]
    return {one: symbol for one, symbol in found.items() if symbol is not None and ends.count(symbol) == 1}
