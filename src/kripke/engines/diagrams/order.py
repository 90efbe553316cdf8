"""The static order of variables: those that commands use together lie together.

FORCE (Aloul, Markov, Sakallah: FORCE, a fast and easy-to-implement variable-ordering heuristic, GLSVLSI 2003): every
command pulls the variables it reads and writes to their centre of gravity, until the spans of the commands are short.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from kripke.terms.bits import variable_bits
from kripke.terms.build import known
from kripke.terms.system import TransitionSystem
from kripke.terms.term import Symbol, symbols_of

_ROUNDS = 60
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
        touched = [number[symbol] for symbol in used if symbol in number]
        if 1 < len(touched) <= max(8, len(variables) * _WIDE):
            edges.append(touched)
    order = [variables[index] for index in _forced(len(variables), edges)]
    places: list[Place] = []
    for wide, group in groupby(order, key=lambda symbol: symbol in data and variable_bits(symbol.sort) >= _DATA_BITS):
        symbols = list(group)
        if wide:
            ranks = range(max(variable_bits(symbol.sort) for symbol in symbols) - 1, -1, -1)
            places += [(symbol, rank) for rank in ranks for symbol in symbols if rank < variable_bits(symbol.sort)]
        else:
            places += [(symbol, rank) for symbol in symbols for rank in range(variable_bits(symbol.sort) - 1, -1, -1)]
    return places


def _forced(count: int, edges: Sequence[Sequence[int]]) -> list[int]:
    order = list(range(count))
    best, least = order, _spans(order, edges)
    of_variable: list[list[int]] = [[] for _ in range(count)]
    for number, edge in enumerate(edges):
        for variable in edge:
            of_variable[variable].append(number)
    for _ in range(_ROUNDS):
        place = [0.0] * count
        for position, variable in enumerate(order):
            place[variable] = position
        centre = [sum(place[variable] for variable in edge) / len(edge) for edge in edges]
        pulled = [
            sum(centre[number] for number in of_variable[variable]) / len(of_variable[variable])
            if of_variable[variable]
            else place[variable]
            for variable in range(count)
        ]
        order = sorted(range(count), key=lambda variable: (pulled[variable], place[variable]))
        spans = _spans(order, edges)
        if spans >= least and order == best:
            break
        if spans < least:
            best, least = order, spans
    return best


def _spans(order: Sequence[int], edges: Sequence[Sequence[int]]) -> int:
    place = {variable: position for position, variable in enumerate(order)}
    return sum(max(place[v] for v in edge) - min(place[v] for v in edge) for edge in edges)
