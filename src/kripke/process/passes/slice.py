"""Slicing: leave out data that no property and no step depends on.

The cone of influence of everything that decides what happens: conditions, channel operations, assertions, subscripts,
divisors, and the properties that are checked (Calder and Miller, "Using SPIN for feature interaction analysis", SPIN
2001, did this by hand; Weiser, "Program slicing", IEEE TSE 10(4), 1984). A variable outside it may be read, but only to
compute others outside it: a counter nobody looks at, a history. Assignments to such data become empty steps that other
processes cannot notice, so that merging can absorb them.

Every process takes the same steps as before, so deadlocks, assertions, run-time errors and invariants are kept. Data is
followed per element where all subscripts of an array that is read are constants, and as a whole elsewhere. Where such
an array is written with a subscript that is computed, as in ``event[self] = on``, the assignment changes only elements
that something depends on; the others keep their first value.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from kripke.process.expressions import (
    AskChannel,
    Binary,
    BinaryOperator,
    Bind,
    ChannelElement,
    ChannelIdentity,
    Conditional,
    Constant,
    Expression,
    Ignore,
    Place,
    Poll,
    Read,
    RemoteRead,
)
from kripke.process.flow import Graph
from kripke.process.passes.hide import forget_printed
from kripke.process.passes.uses import uses
from kripke.process.program import (
    Assert,
    Assign,
    Discard,
    Else,
    Guard,
    Operation,
    Print,
    Program,
    Receive,
    Run,
    Send,
    Skip,
    Terminate,
    Variable,
)
from kripke.process.rewrite import parts_of, rewrite

Slot = tuple[Variable, int]
"""A scalar: a variable and an offset in it, or -1 for all of it."""

_WHOLE = -1
_MOST_ELEMENTS = 64
_KNOWN = (Assert, Assign, Discard, Else, Guard, Print, Receive, Run, Send, Skip, Terminate)


class Unsliceable(Exception):
    """The program does what this pass cannot look into."""


def slice_program(
    program: Program, graphs: list[Graph], properties: Iterable[Expression], kept: set[Variable], *, absorb: bool
) -> list[str]:
    """Remove what is outside the cone of influence; the names of what was removed. ``kept`` are variables something
    else looks at.

    ``absorb``: steps that only touched such data are invisible to other processes from now on.
    """
    operations = _operations(program, graphs)
    if program.embedded is not None:
        raise Unsliceable("embedded C")
    if program.monitor is not None:
        raise Unsliceable("trace and notrace assertions")
    if program.record is not None:
        raise Unsliceable("formulas about events or assert_eventually")
    if program.priorities:
        raise Unsliceable("process priorities")
    if program.last is not None:
        raise Unsliceable("_last")
    if any(not isinstance(operation, _KNOWN) for operation in operations):
        raise Unsliceable("statements of an unknown kind")
    observed = [*properties, *(process.provided for process in program.processes if process.provided is not None)]
    slots = _Slots(operations, observed)
    cone = _Cone(slots)
    for variable in (*program.variables, *(local for process in program.processes for local in process.variables)):
        if variable in kept or variable.kept:
            cone.need_all(variable)
    for expression in observed:
        cone.need(expression)
    for operation in operations:
        cone.add(operation)
    cone.close()
    left_out = [*cone.left_out(program.variables, "")]
    for process in program.processes:
        left_out += cone.left_out(process.variables, f"{process.name}.")
    change = _change(slots, cone)
    program.setup = tuple(rewrite(action, change) for action in program.setup)
    for process in program.processes:
        process.setup = tuple(rewrite(action, change) for action in process.setup)
    for graph in graphs:
        for node in graph:
            changed = [forget_printed(operation, rewrite(operation, change)) for operation in node.operations]
            if all(new is old for new, old in zip(changed, node.operations, strict=True)):
                continue
            node.operations = changed
            if changed and not node.in_step:
                node.reads, node.writes = uses(changed[0])
            if absorb and changed == [Skip()] and not node.escapes:
                node.shared = False
    program.variables = tuple(variable for variable in program.variables if cone.has(variable))
    return left_out


def _operations(program: Program, graphs: list[Graph]) -> list[Operation]:
    found = [action.operation for action in program.setup]
    found += [action.operation for process in program.processes for action in process.setup]
    found += [operation for graph in graphs for node in graph for operation in node.operations]
    return found


class _Slots:
    """Which variables are followed element by element: those that are read without computed subscripts. ``chosen`` are
    those of them that computed subscripts write to."""

    def __init__(self, operations: Sequence[Operation], observed: Sequence[Expression]) -> None:
        read: list[object] = [*observed]
        written: list[Place] = []
        for operation in operations:
            if isinstance(operation, Assign) and operation.place.indices and not can_fail(operation.value):
                written.append(operation.place)
                read += (operation.value, *(index.value for index in operation.place.indices))
            else:
                read.append(operation)
        self.computed = {place.variable for place in _places(tuple(read)) if place.indices}
        self.chosen = {place.variable for place in written if _elements(place) <= _MOST_ELEMENTS} - self.computed
        self.computed |= {place.variable for place in written} - self.chosen

    def of(self, place: Place) -> Slot:
        whole = place.variable.scalar or place.variable in self.computed or place.indices
        return place.variable, _WHOLE if whole else place.offset


def _elements(place: Place) -> int:
    return math.prod(index.count for index in place.indices)


def _places(node: object) -> list[Place]:
    """Every place in a node, those in subscripts included."""
    found: list[Place] = []
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, tuple):
            waiting.extend(current)
            continue
        if isinstance(current, Place):
            found.append(current)
        waiting.extend(getattr(current, name) for name in parts_of(type(current)) or ())
    return found


class _Cone:
    """The slots something depends on."""

    def __init__(self, slots: _Slots) -> None:
        self.slots = slots
        self.needed: set[Slot] = set()
        self.sources: dict[Slot, set[Slot]] = {}

    def has(self, variable: Variable) -> bool:
        return any(slot[0] is variable for slot in self.needed)

    def left_out(self, variables: Iterable[Variable], prefix: str) -> Iterator[str]:
        """The names of what nothing depends on: of variables, or of single elements."""
        for variable in variables:
            if not self.has(variable):
                yield prefix + variable.name
            elif variable not in self.slots.computed and (variable, _WHOLE) not in self.needed:
                offsets = {offset for known, offset in self.needed if known is variable}
                yield from (
                    f"{prefix}{variable.name}{component.path}"
                    for component in variable.components
                    if component.offset not in offsets
                )

    def need(self, node: object) -> None:
        """Everything a node looks at."""
        self.needed.update(self.slots.of(place) for place in _places(node))

    def need_all(self, variable: Variable) -> None:
        self.needed.add((variable, _WHOLE))
        self.needed.update((variable, component.offset) for component in variable.components)

    def add(self, operation: Operation) -> None:
        match operation:
            case Assign(place, value):
                self._assign(place, value)
            case Receive(channel, patterns, _, _):
                self.need(channel)
                for pattern in patterns:
                    # A message that is stored somewhere computed keeps its place: the subscript is checked there.
                    if not isinstance(pattern, Bind) or pattern.place.indices:
                        self.need(pattern)
            case Run(process, arguments, result, value):
                for (variable, component), argument in zip(process.parameter_scalars(), arguments, strict=True):
                    place = Place(variable, component.type, component.offset)
                    self._assign(place, argument)
                if result is not None and result.indices:
                    self.need(result)
                if result is not None and value is not None:
                    self._assign(result, value)
            case Print(_, arguments):
                for argument in arguments:
                    if can_fail(argument):
                        self.need(argument)
            case _:
                self.need(operation)

    def _assign(self, place: Place, value: Expression) -> None:
        if can_fail(value):
            self.need(value)
        for index in place.indices:
            self.need(index.value)
        target = self.slots.of(place)
        self.sources.setdefault(target, set()).update(self.slots.of(source) for source in _places(value))

    def close(self) -> None:
        waiting = list(self.needed)
        while waiting:
            slot = waiting.pop()
            # what is written at a computed place may be this element
            anywhere = self.sources.get((slot[0], _WHOLE), set()) if slot[0] in self.slots.chosen else set()
            for source in self.sources.get(slot, set()) | anywhere:
                if source not in self.needed:
                    self.needed.add(source)
                    waiting.append(source)


def can_fail(node: object) -> bool:
    """Can the evaluation of an expression end in a violation?"""
    match node:
        case Binary(BinaryOperator.DIVIDE | BinaryOperator.REMAINDER, left, right):
            return not (isinstance(right, Constant) and right.value) or can_fail(left)
        case Binary(BinaryOperator.WITHIN | BinaryOperator.PRESENT):
            return True
        case Place():
            return bool(node.indices)
        case ChannelElement() | RemoteRead():
            return True
        case AskChannel(_, channel):
            return not isinstance(channel, ChannelIdentity)
        case Poll():
            return True
        case tuple():
            return any(can_fail(item) for item in node)
    return any(can_fail(getattr(node, name)) for name in parts_of(type(node)) or ())


def _change(slots: _Slots, cone: _Cone) -> Callable[[object], object]:
    def dropped(place: Place) -> bool:
        if place.variable in slots.chosen and place.indices:
            return not cone.has(place.variable)
        return slots.of(place) not in cone.needed

    def change(node: object) -> object:
        match node:
            case Assign(place, value) if dropped(place):
                return Discard(place.indices, value) if place.indices or can_fail(value) else Skip()
            case Assign(place, value) if place.variable in slots.chosen and place.indices:
                return Assign(place, _where_needed(place, value, cone))
            case Bind(place) if dropped(place):
                return Ignore()
            case Run(process, arguments, result, value):
                given = tuple(
                    argument
                    if not dropped(Place(variable, component.type, component.offset)) or can_fail(argument)
                    else Constant(0)
                    for (variable, component), argument in zip(process.parameter_scalars(), arguments, strict=True)
                )
                # A value that can fail is still evaluated, and so needs its place.
                stays = result is not None and (not dropped(result) or (value is not None and can_fail(value)))
                if given == arguments and stays == (result is not None):
                    return node
                return Run(process, given, result if stays else None, value if stays else None)
            case Read(place) if dropped(place):
                return Constant(0)  # printed, or on its way into what is dropped
        return node

    return change


def _where_needed(place: Place, value: Expression, cone: _Cone) -> Expression:
    """The value for elements that something depends on; others keep theirs."""
    here, all_of_them = list[Expression](), True
    for subscripts in itertools.product(*(range(index.count) for index in place.indices)):
        pairs = list(zip(place.indices, subscripts, strict=True))
        offset = place.offset + sum(index.stride * subscript for index, subscript in pairs)
        if (place.variable, offset) in cone.needed:
            tests = [Binary(BinaryOperator.EQUAL, index.value, Constant(subscript)) for index, subscript in pairs]
            here.append(functools.reduce(lambda one, other: Binary(BinaryOperator.LOGICAL_AND, one, other), tests))
        else:
            all_of_them = False
    if all_of_them:
        return value
    if not here:
        return Read(place)
    chosen = functools.reduce(lambda one, other: Binary(BinaryOperator.LOGICAL_OR, one, other), here)
    return Conditional(chosen, value, Read(place))
