"""The static order of variables: those that commands use together lie together.

FORCE (Aloul, Markov, Sakallah: FORCE, a fast and easy-to-implement variable-ordering heuristic, GLSVLSI 2003): every
command pulls the variables it reads and writes to their centre of gravity, until the spans of the commands are short.
"""

from __future__ import annotations

from collections.abc import Sequence

from kripke.terms.bits import variable_bits
from kripke.terms.system import TransitionSystem
from kripke.terms.term import Symbol, symbols_of

_ROUNDS = 60
_WIDE = 0.5  # commands that touch more than this share of the variables say nothing about the order

#: a variable, and the number of one of its bits
Place = tuple[Symbol, int]


def static_order(system: TransitionSystem) -> list[Place]:
    """The bits of the variables, from the top of the diagrams to the bottom.

    What a command compares or adds lies bit by bit side by side: so a command pulls the bits of one rank together, and
    a variable pulls its own.
    """
    places = [(symbol, bit) for symbol in system.variables for bit in reversed(range(variable_bits(symbol.sort)))]
    number = {place: index for index, place in enumerate(places)}
    edges: list[list[int]] = []
    for command in system.commands:
        used = symbols_of(command.guard, *command.updates.values()) | set(command.updates)
        touched = [symbol for symbol in used if (symbol, 0) in number]
        if not 1 < len(touched) <= max(8, len(system.variables) * _WIDE):
            continue
        for rank in range(max(variable_bits(symbol.sort) for symbol in touched)):
            edges.append([number[symbol, rank] for symbol in touched if (symbol, rank) in number])
    for symbol in system.variables:
        edges.append([number[symbol, bit] for bit in range(variable_bits(symbol.sort))])
    edges = [edge for edge in edges if len(edge) > 1]
    return [places[index] for index in _forced(len(places), edges)]


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
