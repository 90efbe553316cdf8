"""Variables that count processes: what they hold is the sum of what every process has added, and that can be read off
where the process is.

``inside++; assert(inside == 1); inside--`` adds one between its ends and nothing elsewhere. A *share* is what a process
at a location has added since it began; a variable of which every assignment adds a constant has shares if all ways to a
location add the same. Its value less its start value is the sum of the shares, in all states that can be reached.
"""

from __future__ import annotations

from dataclasses import dataclass

from kripke.process.dependence.stability import operations_of
from kripke.process.expressions import Binary, BinaryOperator, Bind, Constant, IntType, Place, Read
from kripke.process.nodes import nodes_of
from kripke.process.program import (
    Assign,
    Choose,
    DeterministicStep,
    Edge,
    ProcessType,
    Program,
    Reset,
    Run,
    Scope,
)


@dataclass(frozen=True, slots=True)
class Counter:
    """A scalar of a global variable. ``shares``: for every process type, by the number of the location."""

    at: int
    type: IntType
    shares: dict[int, list[int]]

    def share(self, process: ProcessType, location: int) -> int:
        """What a process at a location has added."""
        return self.shares[id(process)][location]

    def possible(self, process: ProcessType) -> frozenset[int]:
        """The shares that a process may have, or one that does not exist yet."""
        return frozenset(self.shares[id(process)]) | {0}


def counters_of(program: Program) -> list[Counter]:
    """All of a program."""
    found = []
    for place in counted(program):
        shares = {id(process): _shares(process, place) for process in program.processes}
        known = {number: one for number, one in shares.items() if one is not None}
        if len(known) == len(shares):
            found.append(Counter(place.variable.offset, place.type, known))
    return found


def counted(program: Program) -> list[Place]:
    """The scalars of global variables to which constants are added, and nothing else is done."""
    places: dict[Place, None] = {}
    others = set()
    for process in program.processes:
        for node in nodes_of(operations_of(process)):
            match node:
                case Assign(place, _) if place.variable.scope is Scope.GLOBAL:
                    if _amount(node) is not None and not place.indices:
                        places[place] = None
                    else:
                        others.add(place.variable)
                case Reset(place, _) | Bind(place) | Run(_, _, Place() as place, _):
                    others.add(place.variable)
                case _:
                    pass
    return [
        place
        for place in places
        if place.variable not in others and len(place.variable.components) == 1 and not place.offset
    ]


def _amount(assignment: Assign) -> int | None:
    """What is added to a variable; None where something else is done to it."""
    match assignment.value:
        case Binary(BinaryOperator.ADD, Read(place), Constant(value)) if place == assignment.place:
            return value
        case Binary(BinaryOperator.ADD, Constant(value), Read(place)) if place == assignment.place:
            return value
        case Binary(BinaryOperator.SUBTRACT, Read(place), Constant(value)) if place == assignment.place:
            return -value
        case _:
            return None


def _shares(process: ProcessType, place: Place) -> list[int] | None:
    """By location; None where they are not the same on all ways."""
    found: dict[int, int] = {process.entry: 0}
    waiting = [process.entry]
    while waiting:
        here = waiting.pop()
        for edge in process.locations[here].edges:
            added = _added(edge, place)
            if added is None:
                return None
            if edge.terminates:
                if found[here] + added:  # what it has added stays, though nobody is there
                    return None
                continue
            if 0 <= edge.target < len(process.locations):
                if edge.target not in found:
                    found[edge.target] = found[here] + added
                    waiting.append(edge.target)
                elif found[edge.target] != found[here] + added:
                    return None
            elif added:
                return None
    return [found.get(number, 0) for number in range(len(process.locations))]


def _added(edge: Edge, place: Place) -> int | None:
    """What an edge adds; None where that depends."""
    total = 0
    for action in edge.actions:
        if isinstance(action.operation, DeterministicStep):
            changes = [node for node in nodes_of(action.operation) if isinstance(node, Assign) and node.place == place]
            if not changes:
                continue
            if any(isinstance(instruction.operation, Choose) for instruction in action.operation.code):
                return None
            # Without a choice every instruction is run once.
            total += sum(_amount(change) or 0 for change in changes)
        elif isinstance(action.operation, Assign) and action.operation.place == place:
            total += _amount(action.operation) or 0
    return total
