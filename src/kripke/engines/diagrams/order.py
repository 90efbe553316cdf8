"""The static order of variables: those that commands use together lie together.

Commands pull the variables they read and write together (native/symbolic/variable_order.h: FORCE from several starts);
the order with the shortest commands is taken.
"""

from __future__ import annotations

from itertools import groupby

from kripke._native import orders_of_places
from kripke.terms.bits import variable_bits
from kripke.terms.build import known
from kripke.terms.system import TransitionSystem
from kripke.terms.term import Symbol, symbols_of

_WIDE = 0.5  # commands that touch more than this share of the variables say nothing about the order
_DATA_BITS = 5  # variables of fewer bits are small enough to be compared as they are

#: a variable, and the number of one of its bits
Place = tuple[Symbol, int]


def static_order(system: TransitionSystem) -> list[Place]:
    """The bits of the variables, from the top of the diagrams to the bottom.

    A variable keeps its bits together. Only wide data that lie side by side, which commands compare and copy, are
    interleaved bit by bit; program counters, to which only constants are written, never are.
    """
    variables = list(system.variables)
    number = {symbol: index for index, symbol in enumerate(variables)}
    edges: list[list[int]] = []
    data: set[Symbol] = set()
    for command in system.commands:
        used = symbols_of(command.guard, *command.updates.values()) | set(command.updates)
        data |= {symbol for symbol, value in command.updates.items() if known(value) is None}
        touched = sorted(number[symbol] for symbol in used if symbol in number)
        if 1 < len(touched) <= max(8, len(variables) * _WIDE):
            edges.append(touched)
    levels = orders_of_places(len(variables), edges)[0]
    order = sorted(variables, key=lambda symbol: levels[number[symbol]])
    places: list[Place] = []
    for wide, group in groupby(order, key=lambda symbol: symbol in data and variable_bits(symbol.sort) >= _DATA_BITS):
        symbols = list(group)
        if wide:
            ranks = range(max(variable_bits(symbol.sort) for symbol in symbols) - 1, -1, -1)
            places += [(symbol, rank) for rank in ranks for symbol in symbols if rank < variable_bits(symbol.sort)]
        else:
            places += [(symbol, rank) for symbol in symbols for rank in range(variable_bits(symbol.sort) - 1, -1, -1)]
    return places
