"""Coordinates: literals out of which sets of states are made.

Of a variable with few values a literal for each of them says that it has another one: a set of values is a
conjunction of such literals, and a literal that is left out lets one more value in. Bits would let in those whose
numbers happen to be like it. Other variables are their bits, of which both literals are used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kripke.engines.satisfiability.circuit import Literal
from kripke.engines.satisfiability.unrolling import Moment
from kripke.terms.bits import variable_bits
from kripke.terms.build import constant, equal, variable
from kripke.terms.smt import bit, number
from kripke.terms.term import Symbol

_MOST_VALUES = 40


class Coordinates:
    """``of``: at a moment, in an order that is that of every moment. ``single[i]``: of coordinate i only the positive
    literal is used. ``groups[i]``: the number of its variable. ``texts[i]`` says in SMT-LIB, over v0, v1, ..., where it
    is true."""

    def __init__(self, variables: Iterable[Symbol]) -> None:
        self._values: list[tuple[Symbol, range | None]] = []
        self.single: list[bool] = []
        self.groups: list[int] = []
        self.texts: list[str] = []
        for index, symbol in enumerate(variables):
            sort, name = symbol.sort, f"v{index}"
            assert sort.low is not None and sort.high is not None, "clauses are about bits"
            listed = not sort.boolean and 2 < sort.high - sort.low + 1 <= _MOST_VALUES
            values = range(sort.low, sort.high + 1) if listed else None
            self._values.append((symbol, values))
            if values is not None:
                self.single += [True] * len(values)
                self.groups += [index] * len(values)
                self.texts += [f"(not (= {name} {number(value)}))" for value in values]
                continue
            places = range(variable_bits(sort))
            self.single += [False] * len(places)
            self.groups += [index] * len(places)
            self.texts += [name] if sort.boolean else [bit(name, place) for place in places]

    def of(self, moment: Moment) -> list[Literal]:
        return [literal for symbol, values in self._values for literal in self._literals(moment, symbol, values)]

    def _literals(self, moment: Moment, symbol: Symbol, values: range | None) -> Iterator[Literal]:
        if values is None:
            yield from moment.bits[symbol]
            return
        for value in values:
            # A literal of its own: others may be equal to constants, or to each other.
            other, same = moment.circuit.fresh(), moment.truth(equal(variable(symbol), constant(value)))
            moment.circuit.require(other, same)
            moment.circuit.require(-other, -same)
            yield other
