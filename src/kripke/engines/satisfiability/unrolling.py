"""A transition system unrolled: the bits of its variables at moments 0, 1, 2, ..., and clauses for the steps between.

A step takes one command: a literal for each says that it is taken. What the command does not write stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kripke.engines.satisfiability.circuit import Circuit, Literal
from kripke.terms.bits import Blaster, bits_of, value_of, variable_bits
from kripke.terms.build import conjoin, within
from kripke.terms.system import TransitionSystem
from kripke.terms.term import Symbol, Term

Bits = dict[Symbol, list[Literal]]


class Moment:
    """The variables at one moment."""

    def __init__(self, circuit: Circuit, bits: Bits) -> None:
        self.circuit, self.bits = circuit, bits
        self.blaster: Blaster[Literal] = Blaster(circuit, lambda symbol: self.bits[symbol])

    def truth(self, term: Term) -> Literal:
        return self.blaster.truth(term)

    def literals(self) -> list[Literal]:
        """All bits, in the order of the variables."""
        return [bit for bits in self.bits.values() for bit in bits]


class Unrolling:
    def __init__(self, system: TransitionSystem, solver: Any) -> None:
        self.system = system
        self.circuit = Circuit(solver)
        self.moments: list[Moment] = []
        #: of the last step: for each command the literal that says it is taken, its guard, the bits of its choices
        self.taken: list[tuple[Literal, Literal, list[Literal]]] = []

    def free(self) -> Moment:
        """Any values of the sorts."""
        bits = {s: [self.circuit.fresh() for _ in range(variable_bits(s.sort))] for s in self.system.variables}
        moment = Moment(self.circuit, bits)
        for symbol in self.system.variables:
            self.circuit.require(moment.truth(within(symbol)))
        return moment

    def fixed(self, values: Sequence[int]) -> Moment:
        pairs = zip(self.system.variables, values, strict=True)
        true, false = self.circuit.true, self.circuit.false
        return Moment(
            self.circuit,
            {symbol: [true if bit else false for bit in bits_of(symbol.sort, value)] for symbol, value in pairs},
        )

    def begin_free(self) -> None:
        self.moments = [self.free()]

    def begin(self) -> None:
        """In an initial state."""
        self.moments = [self.free()]
        self.circuit.require(self.moments[0].truth(self.system.initial))

    def step(self) -> Moment:
        """One more moment, a command later than the last."""
        self.moments.append(self.after(self.moments[-1]))
        return self.moments[-1]

    def after(self, now: Moment, only_if: Literal = Circuit.true) -> Moment:
        """Where the literal is false, there need be no step, and a command may be taken whose guard is false."""
        circuit = self.circuit
        self.taken = []
        later: Bits = {s: [circuit.fresh() for _ in range(variable_bits(s.sort))] for s in self.system.variables}
        taken: list[Literal] = []
        writers: dict[Symbol, list[Literal]] = {symbol: [] for symbol in self.system.variables}
        for command in self.system.commands:
            for choice in command.choices:
                now.bits[choice] = [circuit.fresh() for _ in range(variable_bits(choice.sort))]
            guard = now.truth(conjoin(command.guard, *map(within, command.choices)))
            if guard != circuit.false:
                selected = circuit.fresh()
                taken.append(selected)
                self.taken.append((selected, guard, [bit for choice in command.choices for bit in now.bits[choice]]))
                circuit.require(-only_if, -selected, guard)
                for symbol, update in command.updates.items():
                    writers[symbol].append(selected)
                    for bit, value in zip(later[symbol], now.blaster.stored(update, symbol.sort), strict=True):
                        circuit.require(-selected, -bit, value)
                        circuit.require(-selected, bit, -value)
            for choice in command.choices:
                del now.bits[choice]
        circuit.require(-only_if, *taken)
        self.at_most_one(taken)
        for symbol, selected_by in writers.items():
            for bit, before in zip(later[symbol], now.bits[symbol], strict=True):
                circuit.require(*selected_by, -bit, before)
                circuit.require(*selected_by, bit, -before)
        return Moment(circuit, later)

    def at_most_one(self, literals: Sequence[Literal]) -> None:
        """Along a chain of new literals, each of which says that one before was true (C. Sinz, CP 2005)."""
        circuit, before = self.circuit, self.circuit.false
        for literal in literals:
            circuit.require(-before, -literal)
            after = circuit.fresh()
            circuit.require(-before, after)
            circuit.require(-literal, after)
            before = after

    def values(self, moment: Moment, model: set[int]) -> tuple[int, ...]:
        """Of the variables in a solution."""
        return tuple(
            value_of(symbol.sort, [bit == self.circuit.true or bit in model for bit in moment.bits[symbol]])
            for symbol in self.system.variables
        )
