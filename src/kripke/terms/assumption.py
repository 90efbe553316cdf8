"""Assumed bounds: a system whose variables have fewer values than their sorts, and which ends where one is left.

An interval analysis cannot know that a counter of messages never goes beyond two: it would have to know how many there
are. Bounds that were only seen are assumed instead. A command that would leave them is not taken; where it could be,
the system has a limit. So whatever is found is found in the model too, and where no limit is reached there is nothing
else to find.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kripke.terms.bits import variable_bits
from kripke.terms.build import at_most, conjoin, constant, disjoin, known, less, negate
from kripke.terms.narrowing import in_bounds, initial_bounds, resorted
from kripke.terms.sort import Sort
from kripke.terms.system import Command, Limit, TransitionSystem
from kripke.terms.term import Symbol, Term, symbols_of

#: variables of fewer bits are left as they are
_WIDE = 3
#: bounds are assumed only where these parts of a hundred of the bits, or more, can be left out
_LEAST_GAIN = 20

Range = tuple[int, int]


def assumable(declared: TransitionSystem, system: TransitionSystem) -> list[Symbol]:
    """Variables for which bounds can be assumed: wide ones for which none were found (the system is the declared one
    with those that were), and of which no command makes something that was chosen. None where the initial states are
    not listed: some might lie elsewhere."""
    if initial_bounds(system) is None:
        return []
    found = {
        symbol
        for old, symbol in zip(declared.variables, system.variables, strict=True)
        if symbol.sort.size is not None
        and not symbol.sort.boolean
        and _WIDE < variable_bits(old.sort) == variable_bits(symbol.sort)
    }
    for command in system.commands:
        chosen = set(command.choices)
        if chosen:
            found -= {symbol for symbol in found & set(command.updates) if symbols_of(command.updates[symbol]) & chosen}
    return [symbol for symbol in system.variables if symbol in found]


def kin(symbol: Symbol) -> str:
    """What elements of an array and variables of alike processes have in common: their name without numbers."""
    return re.sub(r"\d+", "#", symbol.name)


def guessed(system: TransitionSystem, variables: Iterable[Symbol], states: Iterable[Sequence[int]]) -> dict[str, Range]:
    """Of each kin the bounds of what was seen at the start and in states, and of the constants that commands write."""
    places = {symbol: place for place, symbol in enumerate(system.variables)}
    asked = [(kin(symbol), symbol, places[symbol]) for symbol in variables]
    found: dict[str, Range] = {}

    def saw(name: str, value: int) -> None:
        low, high = found.get(name, (value, value))
        found[name] = min(low, value), max(high, value)

    start = initial_bounds(system) or {}
    for name, symbol, _ in asked:
        for value in start.get(symbol, ()):
            if value is not None:
                saw(name, value)
    for values in states:
        for name, _, place in asked:
            saw(name, values[place])
    wanted = {symbol: name for name, symbol, _ in asked}
    for command in system.commands:
        for symbol, update in command.updates.items():
            value = known(update)
            if value is not None and symbol in wanted:
                saw(wanted[symbol], value)
    return {name: _rounded(low, high) for name, (low, high) in found.items()}


def _rounded(low: int, high: int) -> Range:
    """To all values of as many bits."""
    width = max((low if low >= 0 else -low - 1).bit_length(), high.bit_length(), 1)
    return (-(1 << width) if low < 0 else 0), (1 << width) - 1


def wider(bounds: Range) -> Range:
    """Of twice as many bits."""
    low, high = bounds
    return (-(low * low) if low < 0 else 0), (high + 1) ** 2 - 1


def assumed(
    system: TransitionSystem, variables: Iterable[Symbol], ranges: Mapping[str, Range]
) -> TransitionSystem | None:
    """The system within these bounds; None where little is won. The text of a limit is the kin that is left."""
    narrow: dict[Symbol, Symbol] = {}
    for symbol in variables:
        low, high = ranges.get(kin(symbol), (symbol.sort.low, symbol.sort.high))
        assert low is not None and high is not None and symbol.sort.low is not None and symbol.sort.high is not None
        low, high = max(low, symbol.sort.low), min(high, symbol.sort.high)
        if variable_bits(Sort(low, high)) < variable_bits(symbol.sort):
            narrow[symbol] = Symbol(symbol.name, Sort(low, high, names=symbol.sort.names))
    before = sum(variable_bits(symbol.sort) for symbol in system.variables)
    won = sum(variable_bits(symbol.sort) - variable_bits(new.sort) for symbol, new in narrow.items())
    if won * 100 < before * _LEAST_GAIN:
        return None
    made = resorted(system, narrow)
    old = {new: symbol for symbol, new in narrow.items()}
    commands: list[Command] = []
    leaving: dict[str, list[Term]] = {}
    for command in made.commands:
        inside: list[Term] = []
        for symbol, update in command.updates.items():
            if symbol not in old:
                continue
            low, high = symbol.sort.low, symbol.sort.high
            assert low is not None and high is not None
            inside += [at_most(constant(low), update), at_most(update, constant(high))]
            outside = disjoin(less(update, constant(low)), less(constant(high), update))
            if known(outside) != 0:
                leaving.setdefault(kin(symbol), []).append(conjoin(command.guard, outside))
        guard = conjoin(command.guard, *inside)
        if known(guard) != 0:
            commands.append(command._replace(guard=guard))
    limits = [Limit(condition, name) for name, conditions in leaving.items() for condition in conditions]
    return replace(made, commands=commands, limits=[*made.limits, *limits])


def assumptions(whole: TransitionSystem, narrow: TransitionSystem) -> tuple[list[Term], list[Term]]:
    """What a proof about the narrow system has shown of the whole one besides: over the variables of the whole that
    bounds are kept, over those of the narrow one that no command leaves them."""
    if not narrow.limits:
        return [], []
    pairs = zip(whole.variables, narrow.variables, strict=True)
    bounds = [in_bounds(symbol, (new.sort.low, new.sort.high)) for symbol, new in pairs if not new.sort.boolean]
    return [term for term in bounds if known(term) != 1], [negate(limit.condition) for limit in narrow.limits]
