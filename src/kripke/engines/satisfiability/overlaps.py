"""Guards that overlap: two statements between which an actor can choose, and which lead to different states.

A static analysis, as in M. Calder and A. Miller, "Using SPIN for feature interaction analysis" (SPIN 2001), section 10:
the guards are looked at, not the runs. Whether a state in which both are true is ever reached is not asked; what is
known about states (``assume``) rules some out. A SAT solver finds the state.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kripke.engines.satisfiability.circuit import SOLVER, Literal, load_solver
from kripke.engines.satisfiability.unrolling import Moment, Unrolling
from kripke.engines.unsupported import Unsupported
from kripke.model.capabilities.encodable import Encodable
from kripke.model.model import Model
from kripke.terms.bits import value_of, variable_bits
from kripke.terms.build import conjoin, within
from kripke.terms.system import Command, TransitionSystem
from kripke.terms.term import Op, Symbol, Term, parts_first


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two statements of ``actor``, by their numbers in ``Model.statements``, that are possible in one state.

    ``example``: the values there of what the guards are about. ``differing``: variables to which the statements give
    different values, in a state where they do, and "control" where the actor goes on at different places; none: they
    do the same wherever both are possible.
    """

    actor: int
    first: int
    second: int
    example: Mapping[str, int]
    differing: tuple[str, ...] = ()


def find_overlaps(model: Model, assume: Sequence[str] = ()) -> list[Overlap]:
    """Every pair once, in the order of the text. ``assume`` are names of atoms of the model.

    A statement without any condition is a free choice, which nobody makes by accident: it is no guard that overlaps.
    """
    encodable = model.capability(Encodable)
    if encodable is None:
        raise Unsupported(f"overlaps of guards: models in {model.language} have no form in terms")
    encoding = encodable.encode()
    if isinstance(encoding, str):
        raise Unsupported(f"overlaps of guards: {encoding}")
    system = encoding.system
    by_actor: dict[int, dict[int, list[Command]]] = {}
    for command in system.commands:
        if command.statement >= 0 and any(map(_named, _symbols(command.guard))):
            by_actor.setdefault(command.actor, {}).setdefault(command.statement, []).append(command)
    known: set[tuple[int, int]] = set()
    found: list[Overlap] = []
    solver = load_solver("sat")
    for actor, statements in sorted(by_actor.items()):
        with solver(name=SOLVER) as opened:
            search = _Search(model, system, opened, assume)
            for first, second in itertools.combinations(sorted(statements), 2):
                # Processes of one kind have the same statements: one of them is enough.
                if (first, second) not in known:
                    known.add((first, second))
                    one = search.overlap(actor, first, second, statements[first], statements[second])
                    if one is not None:
                        found.append(one)
    return found


class _Search:
    """One moment with any values, and questions about it."""

    def __init__(self, model: Model, system: TransitionSystem, solver: Any, assume: Sequence[str]) -> None:
        self.solver = solver
        self.unrolling = Unrolling(system, solver)
        self.moment: Moment = self.unrolling.free()
        self.circuit = self.unrolling.circuit
        for name in assume:
            self.circuit.require(self.moment.truth(system.atoms[list(model.atoms).index(name)]))
        self._guards: dict[int, Literal] = {}

    def overlap(
        self, actor: int, first: int, second: int, one: Sequence[Command], other: Sequence[Command]
    ) -> Overlap | None:
        found: Overlap | None = None
        for a, b in itertools.product(one, other):
            both = self.circuit.conj(self._guard(a), self._guard(b))
            if both == self.circuit.false or not self.solver.solve(assumptions=[both]):
                continue
            if found is None:
                found = Overlap(actor, first, second, self._values(a, b))
            differences = self._differences(a, b)
            either = self.circuit.false
            for literal in differences.values():
                either = self.circuit.disj(either, literal)
            if either != self.circuit.false and self.solver.solve(assumptions=[both, either]):
                values = self._values(a, b)
                true = set(self.solver.get_model())
                differing = [symbol for symbol, literal in differences.items() if self._is(literal, true)]
                names = dict.fromkeys(symbol.name if _named(symbol) else "control" for symbol in differing)
                return Overlap(actor, first, second, values, tuple(names))
        return found

    def _guard(self, command: Command) -> Literal:
        known = self._guards.get(id(command))
        if known is None:
            for choice in command.choices:
                self.moment.bits[choice] = [self.circuit.fresh() for _ in range(variable_bits(choice.sort))]
            known = self.moment.truth(conjoin(command.guard, *map(within, command.choices)))
            self._guards[id(command)] = known
        return known

    def _differences(self, a: Command, b: Command) -> dict[Symbol, Literal]:
        """For every variable that one of them writes: a literal that is true where its new values differ."""
        found: dict[Symbol, Literal] = {}
        for symbol in dict.fromkeys([*a.updates, *b.updates]):
            differ = self.circuit.false
            for x, y in zip(self._after(a, symbol), self._after(b, symbol), strict=True):
                differ = self.circuit.disj(differ, self.circuit.xor(x, y))
            if differ != self.circuit.false:
                found[symbol] = differ
        return found

    def _after(self, command: Command, symbol: Symbol) -> Sequence[Literal]:
        update = command.updates.get(symbol)
        return self.moment.bits[symbol] if update is None else self.moment.blaster.stored(update, symbol.sort)

    def _values(self, *commands: Command) -> dict[str, int]:
        """What the solver found, of the variables that the guards mention."""
        true = set(self.solver.get_model())
        symbols = dict.fromkeys(symbol for command in commands for symbol in _symbols(command.guard))
        return {
            symbol.name: value_of(symbol.sort, [self._is(bit, true) for bit in self.moment.bits[symbol]])
            for symbol in symbols
            if _named(symbol)
        }

    def _is(self, literal: Literal, true: set[int]) -> bool:
        return literal == self.circuit.true or literal in true


def _named(symbol: Symbol) -> bool:
    """Is it a variable of the model? Others, such as control points, have names in parentheses."""
    return not symbol.name.startswith("(")


def _symbols(term: Term) -> list[Symbol]:
    return [part.value for part in parts_first(term) if part.op is Op.VARIABLE and isinstance(part.value, Symbol)]
