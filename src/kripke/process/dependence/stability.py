"""Which variables can still change: those that no edge ahead of any process assigns keep their values.

Where a step goes depends on values: ``q[_pid] ! m`` with a parameter for ``q``. In a state in which nobody can assign
such a variable any more (parameters from the start, tables that ``init`` fills), its value says for good which channel
or which element is meant. The control points of a program fall into classes by what is still assigned ahead of them.
"""

from __future__ import annotations

from kripke.process.expressions import (
    AskChannel,
    Binary,
    Bind,
    ChannelElement,
    Index,
    Poll,
    Read,
)
from kripke.process.nodes import nodes_of
from kripke.process.program import Assign, Operation, ProcessType, Program, Receive, Run, Scope, Send, Variable


class Stability:
    """What every control point of a program leaves unchanged from there on."""

    def __init__(self, program: Program) -> None:
        #: variables whose values decide where accesses go
        self.deciding = _deciding(program)
        self._assigned: dict[int, list[frozenset[Variable]]] = {}
        self._whole: dict[int, frozenset[Variable]] = {}
        for process in program.processes:
            made = created_from(process)
            self._whole[id(process)] = frozenset().union(*(assigned_by(one) for one in made)) & self.deciding
        for process in program.processes:
            self._assigned[id(process)] = self._ahead(process)

    def assigned_ahead(self, process: ProcessType, location: int) -> frozenset[Variable]:
        """The deciding variables that a process at this location may still assign, itself or by what it creates."""
        return self._assigned[id(process)][location]

    def _ahead(self, process: ProcessType) -> list[frozenset[Variable]]:
        """A fix point over the control-flow graph, backwards."""
        own: list[frozenset[Variable]] = []
        for location in process.locations:
            here: set[Variable] = set()
            for edge in location.edges:
                operations = tuple(action.operation for action in edge.actions)
                here |= assigned_in(operations) & self.deciding
                for node in nodes_of(operations):
                    if isinstance(node, Run):
                        here |= self._whole[id(node.process)]
            own.append(frozenset(here))
        ahead = list(own)
        changed = True
        while changed:
            changed = False
            for number in range(len(process.locations) - 1, -1, -1):
                targets = (ahead[edge.target] for edge in process.locations[number].edges if not edge.terminates)
                merged = ahead[number].union(*targets)
                if merged != ahead[number]:
                    ahead[number] = merged
                    changed = True
        return ahead


def operations_of(process: ProcessType) -> tuple[Operation, ...]:
    """Everything the edges of a process type do."""
    return tuple(
        action.operation for location in process.locations for edge in location.edges for action in edge.actions
    )


def created_from(process: ProcessType) -> list[ProcessType]:
    """A process type and all that processes of it may create, directly or not."""
    found = [process]
    for one in found:
        for node in nodes_of(operations_of(one)):
            if isinstance(node, Run) and node.process not in found:
                found.append(node.process)
    return found


def assigned_by(process: ProcessType) -> frozenset[Variable]:
    """The variables that some edge of a process type assigns."""
    return frozenset(assigned_in(operations_of(process)))


def assigned_in(operations: object) -> set[Variable]:
    """Variables that are assigned. A reset does not count: what is reset is not read again before it is assigned."""
    assigned: set[Variable] = set()
    for node in nodes_of(operations):
        match node:
            case Assign(place, _) | Bind(place):
                assigned.add(place.variable)
            case Run(_, _, result) if result is not None:
                assigned.add(result.variable)
            case _:
                pass
    return assigned


def _deciding(program: Program) -> frozenset[Variable]:
    """Variables in subscripts and in the names of channels."""
    found: set[Variable] = set()

    def collect(node: object) -> None:
        for inner in nodes_of(node):
            if isinstance(inner, Read):
                found.add(inner.place.variable)

    for process in program.processes:
        for node in nodes_of(operations_of(process)):
            match node:
                case Index(value, _, _):
                    collect(value)
                case ChannelElement(_, index):
                    collect(index)
                case Send(channel, _, _) | AskChannel(_, channel) | Poll(channel, _, _) | Receive(channel, _, _, _):
                    collect(channel)
                case _:
                    pass
    # What is never assigned is constant: what a global variable is compared with tells more, too.
    assigned = {variable for process in program.processes for variable in assigned_by(process)}
    found |= _compared(program) - assigned
    return frozenset(found)


def _compared(program: Program) -> set[Variable]:
    """Variables in comparisons with something global."""
    found: set[Variable] = set()
    for process in program.processes:
        for node in nodes_of(operations_of(process)):
            if isinstance(node, Binary):
                for side, other in ((node.left, node.right), (node.right, node.left)):
                    if isinstance(side, Read) and side.place.variable.scope is Scope.GLOBAL:
                        found.update(inner.place.variable for inner in nodes_of(other) if isinstance(inner, Read))
    return found
