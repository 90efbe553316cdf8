"""Which processes of a program are alike, and where the state speaks of them.

The processes of a type that are there from the start and never end are a *family* if they can be told apart by nothing
but their numbers, and if numbers are used as names only: copied, compared with ``==`` and ``!=``, put into messages,
and used to find what belongs to a process (an element of an array, a label). Whatever a number of the family may be
stored in is found by merging what is assigned to and compared with each other into classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kripke.model.symmetry import Family, Key, Part, Site, Symmetry
from kripke.process.dependence.stability import operations_of
from kripke.process.expressions import (
    AnyInstance,
    AskChannel,
    AtLocation,
    Binary,
    BinaryOperator,
    Bind,
    ChannelElement,
    ChannelIdentity,
    Conditional,
    Constant,
    Enabled,
    Expression,
    Index,
    Match,
    OwnPid,
    Pattern,
    Place,
    Poll,
    Priority,
    ProgramCounter,
    Read,
    RemoteRead,
    Unary,
)
from kripke.process.nodes import nodes_of
from kripke.process.program import (
    Assert,
    Assign,
    Channel,
    DeterministicStep,
    Discard,
    Guard,
    Print,
    ProcessType,
    Program,
    Receive,
    Reset,
    Run,
    Scope,
    Send,
    Variable,
)

#: a class of things that hold the same sort of values; found by any of its members
_Slot = tuple[str, int, int]


def symmetry_of(program: Program, asked: Iterable[Expression] = ()) -> Symmetry | str:
    """The symmetry that respects the atoms of a property; a sentence where there is none."""
    if program.embedded is not None:
        return "nobody knows what embedded C does with process numbers"
    if program.priorities or program.last is not None or program.monitor is not None:
        return "priorities, _last and trace assertions tell processes apart"
    families = _candidates(program)
    if not families:
        return "no two processes of one type are there from the start (active [N])"
    analysis = _Analysis(program, families)
    analysis.look_at(asked)
    shape = _Shape(program, analysis)
    while True:
        left = [one for one in families if one.fault is None]
        reasons = tuple(
            f"the processes of {one.process.name} are not alike: {one.fault}" for one in families if one.fault
        )
        if not left:
            return "; ".join(reasons)
        for one in left:
            one.fault = shape.misplaced(one)
        if all(one.fault is None for one in left):
            return shape.of(left, reasons)


class _Candidate:
    """Processes that may be a family, and what speaks against it."""

    def __init__(self, process: ProcessType, pids: range) -> None:
        self.process = process
        self.pids = pids
        self.fault: str | None = None


def _candidates(program: Program) -> list[_Candidate]:
    created = {
        id(node.process)
        for process in program.processes
        for node in nodes_of(operations_of(process))
        if isinstance(node, Run)
    }
    found = []
    for process in program.processes:
        pids = [pid for pid, start in enumerate(program.initial) if start.process is process]
        if len(pids) > 1:
            one = _Candidate(process, range(pids[0], pids[-1] + 1))
            if len(pids) < len(one.pids):
                one.fault = "others were created between them"
            elif id(process) in created:
                one.fault = "more of them may be created"
            elif may_end(process):
                one.fault = "they may come to an end, the youngest first"
            found.append(one)
    return found


def may_end(process: ProcessType) -> bool:
    """Can a process of this type come to its end?"""
    seen, waiting = {process.entry}, [process.entry]
    while waiting:
        for edge in process.locations[waiting.pop()].edges:
            if edge.actions and edge.actions[0].operation == Guard(Constant(0)):
                continue
            if edge.terminates:
                return True
            if edge.target not in seen:
                seen.add(edge.target)
                waiting.append(edge.target)
    return False


class _Analysis:
    """Sorts everything that holds values into classes, and finds what numbers are used for."""

    def __init__(self, program: Program, families: list[_Candidate]) -> None:
        self.program = program
        self._families = {id(one.process): one for one in families}
        self._parent: dict[_Slot, _Slot] = {}
        self._references: dict[_Slot, list[_Candidate]] = {}
        self._constants: dict[_Slot, set[int]] = {}
        self._numbers: dict[_Slot, str] = {}  # why the values are more than names
        self._kept: list[object] = []  # what the numbers of slots are made from must live
        self._arrays: dict[int, tuple[Channel, ...]] = {}  # of channels, by every element
        everything = [(process, operations_of(process)) for process in program.processes]
        for _, operations in everything:
            for node in nodes_of(operations):
                if isinstance(node, ChannelElement):
                    self._arrays.update((id(channel), node.channels) for channel in node.channels)
        #: what variables are set to when nobody reads them again
        self.resets: list[tuple[_Slot, int, str]] = []
        #: values that must be less than a number: subscripts of what is not kept
        self.bounds: list[tuple[_Slot, int]] = []
        for process, operations in everything:
            self._walk(process, operations)
            self._walk(process, tuple(action.operation for action in process.setup))
            if process.provided is not None:
                self._number(self.sort(process, process.provided), "provided")
        self._walk(None, tuple(action.operation for action in program.setup))

    def look_at(self, asked: Iterable[Expression]) -> None:
        """What a property asks for; then find the faults."""
        for atom in asked:
            self.sort(None, atom)
        for root, families in self._references.items():
            for one in families:
                if root in self._numbers:
                    one.fault = one.fault or f"their numbers are used {self._numbers[root]}"
                named = sorted(self._constants.get(root, set()) & set(one.pids))
                if named:
                    one.fault = one.fault or f"process {named[0]} is named by its number"
        for slot, value, name in self.resets:
            for one in self.families_in(slot):
                if value in one.pids:
                    one.fault = (
                        f"{name} is set to {value} when it is not read again, and that is the number of one of them "
                        "(let it start with a number that is no process, such as 255, and give --dead-variables "
                        "initial, which sets it to that)"
                    )

    def families_in(self, slot: _Slot) -> list[_Candidate]:
        """Whose numbers may be there."""
        return [one for one in self._references.get(self._find(slot), []) if one.fault is None]

    # --- classes ------------------------------------------------------------------------------------------------------

    def variable(self, variable: Variable) -> _Slot:
        return ("variable", id(variable), 0)

    def field(self, channel: Channel, number: int) -> _Slot:
        return ("field", id(self.array_of(channel)[0]), number)

    def index(self, variable: Variable, dimension: int) -> _Slot:
        return ("index", id(variable), dimension)

    def element(self, channel: Channel) -> _Slot:
        return ("element", id(self.array_of(channel)[0]), 0)

    def array_of(self, channel: Channel) -> tuple[Channel, ...]:
        """The channels that one access may mean."""
        return self._arrays.get(id(channel), (channel,))

    def _find(self, slot: _Slot) -> _Slot:
        root = slot
        while root in self._parent:
            root = self._parent[root]
        while slot != root:
            self._parent[slot], slot = root, self._parent[slot]
        return root

    def _merge(self, one: _Slot, other: _Slot) -> None:
        one, other = self._find(one), self._find(other)
        if one == other:
            return
        self._parent[other] = one
        if other in self._references:
            mine = self._references.setdefault(one, [])
            mine += [family for family in self._references.pop(other) if family not in mine]
        self._constants.setdefault(one, set()).update(self._constants.pop(other, set()))
        if other in self._numbers:
            self._numbers.setdefault(one, self._numbers.pop(other))

    def _fresh(self, thing: object) -> _Slot:
        self._kept.append(thing)
        return ("fresh", len(self._kept), 0)

    def _number(self, slot: _Slot, why: str) -> _Slot:
        self._numbers.setdefault(self._find(slot), why)
        return slot

    def _constant(self, value: int) -> _Slot:
        slot = self._fresh(value)
        self._constants[slot] = {value}
        return slot

    def _reference(self, family: _Candidate) -> _Slot:
        slot = self._fresh(family)
        self._references[slot] = [family]
        return slot

    def _break(self, process: ProcessType, why: str) -> None:
        if id(process) in self._families:
            one = self._families[id(process)]
            one.fault = one.fault or why

    # --- expressions --------------------------------------------------------------------------------------------------

    def sort(self, process: ProcessType | None, expression: Expression) -> _Slot:
        """The class of an expression's value, in a process or (None) outside of all."""
        match expression:
            case AnyInstance(value):
                return self._own(self.program.initial[value].process)
            case Constant(value):
                return self._constant(value)
            case OwnPid():
                return self._own(process)
            case Read(place):
                return self.place(process, place)
            case Binary(BinaryOperator.EQUAL | BinaryOperator.NOT_EQUAL, left, right):
                self._merge(self.sort(process, left), self.sort(process, right))
                return self._fresh(expression)
            case Binary(operator, left, right):
                for side in (left, right):
                    self._number(self.sort(process, side), f"with {operator.value}")
            case Unary(operator, operand):
                self._number(self.sort(process, operand), f"with {operator.value}")
            case Conditional(condition, then, otherwise):
                self._number(self.sort(process, condition), "as a condition")
                slot = self.sort(process, then)
                self._merge(slot, self.sort(process, otherwise))
                return slot
            case ChannelIdentity(channel):
                self._value_of(process, (channel,))
            case ChannelElement(channels, index):
                self._merge(self.element(channels[0]), self.sort(process, index))
                self._value_of(process, channels)
            case AskChannel(_, channel):
                self._channels(process, channel)
            case Poll(channel, patterns, _):
                self._receive(process, channel, patterns)
            case AtLocation(other, pid, _):
                self._remote(process, other, pid)
            case RemoteRead(other, pid, place):
                self._remote(process, other, pid)
                return self.place(process, place)
            case Enabled(pid) | ProgramCounter(pid) | Priority(pid):
                self._number(self.sort(process, pid), "to look at a process")
            case _:
                pass
        return self._fresh(expression)

    def _own(self, process: ProcessType | None) -> _Slot:
        if process is None:
            return self._fresh(process)
        if id(process) in self._families:
            return self._reference(self._families[id(process)])
        pids = [pid for pid, start in enumerate(self.program.initial) if start.process is process]
        return self._constant(pids[0]) if len(pids) == 1 else self._number(self._fresh(process), "of others")

    def _remote(self, process: ProcessType | None, other: ProcessType, pid: Expression | None) -> None:
        if pid is None:
            self._break(other, "the oldest of them is looked at")
            return
        slot = self.sort(process, pid)
        if id(other) in self._families:
            self._merge(slot, self._reference(self._families[id(other)]))

    def place(self, process: ProcessType | None, place: Place) -> _Slot:
        self._indices(process, place)
        return self.variable(place.variable)

    def _indices(self, process: ProcessType | None, place: Place) -> None:
        variable = place.variable
        stride, count = _width(variable)
        outer = [index for index in place.indices if count > 1 and index.stride == stride][:1]
        for dimension, index in enumerate(place.indices):
            owned = index in outer and variable.scope is Scope.GLOBAL
            slot = self.index(variable, 0 if owned else dimension + 1)
            self._merge(slot, self.sort(process, index.value))
            if not owned:
                self._number(slot, f"as a subscript of {variable.name}, which does not belong to them")
        if not outer and count > 1:  # an element that is named
            self._merge(self.index(variable, 0), self._constant(place.offset // stride))

    def _value_of(self, process: ProcessType | None, channels: tuple[Channel, ...]) -> None:
        """A channel is a value: one of a family would be named."""
        for channel in channels:
            if channel.scope is Scope.LOCAL:
                if process is not None:
                    self._break(process, f"the channel {channel.name} of each of them is handed on")
            elif len(self.array_of(channel)) > 1:
                self._number(self.element(channel), f"to hand on an element of {channel.name}")

    # --- channels -----------------------------------------------------------------------------------------------------

    def _channels(self, process: ProcessType | None, operand: Expression) -> list[Channel]:
        """Those that an operation may mean."""
        match operand:
            case ChannelIdentity(channel):
                if len(self.array_of(channel)) > 1:
                    self._merge(self.element(channel), self._constant(self.array_of(channel).index(channel)))
                return [channel]
            case ChannelElement(channels, index):
                self._merge(self.element(channels[0]), self.sort(process, index))
                return [channels[0]]
            case _:
                self.sort(process, operand)
                types = self.program.processes
                return [*self.program.channels, *(channel for type_ in types for channel in type_.channels)]

    def _receive(self, process: ProcessType | None, operand: Expression, patterns: tuple[Pattern, ...]) -> None:
        channels = self._channels(process, operand)
        for number, pattern in enumerate(patterns):
            if isinstance(pattern, Match):
                slot = self.sort(process, pattern.value)
            elif isinstance(pattern, Bind):
                slot = self.place(process, pattern.place)
            else:
                continue
            for channel in channels:
                self._merge(self.field(channel, number), slot)

    # --- operations ---------------------------------------------------------------------------------------------------

    def _walk(self, process: ProcessType | None, operations: tuple[object, ...]) -> None:
        for operation in operations:
            self._operation(process, operation)

    def _operation(self, process: ProcessType | None, operation: object) -> None:
        match operation:
            case Guard(condition) | Assert(condition, _):
                self._number(self.sort(process, condition), "as a condition")
            case Assign(place, value):
                self._merge(self.place(process, place), self.sort(process, value))
            case Reset(place, value):
                slot = self.place(process, place)
                self.resets.append((slot, value, place.variable.name))
            case Discard(indices, value):
                self.sort(process, value)
                self.bounds += [(self.sort(process, index.value), index.count) for index in indices]
            case Send(channel, values, ordered):
                for number, value in enumerate(values):
                    slot = self.sort(process, value)
                    if ordered:
                        self._number(slot, "to sort messages")
                    for one in self._channels(process, channel):
                        self._merge(self.field(one, number), slot)
            case Receive(channel, patterns, _, _):
                self._receive(process, channel, patterns)
            case Run():
                self._run(process, operation)
            case Print():
                pass
            case DeterministicStep(code):
                self._walk(process, tuple(instruction.operation for instruction in code))
            case _:
                for node in nodes_of(operation):
                    if isinstance(node, (OwnPid, Index)) and process is not None:
                        self._break(process, "their numbers are used in a way that is not analysed")

    def _run(self, process: ProcessType | None, run: Run) -> None:
        scalars = run.process.parameter_scalars()
        for (parameter, _), argument in zip(scalars, run.arguments, strict=False):
            self._merge(self.variable(parameter), self.sort(process, argument))
        if run.result is not None:
            slot = self.place(process, run.result)
            if run.value is not None:
                self._merge(slot, self.sort(process, run.value))
            else:
                self._number(slot, "together with those of new processes")


class _Shape:
    """From classes to places in the state."""

    def __init__(self, program: Program, analysis: _Analysis) -> None:
        self._program = program
        self._analysis = analysis
        self._frames: list[int] = []
        at = program.global_bytes
        for start in program.initial:
            self._frames.append(at)
            at += start.process.frame_bytes
        lasting = [pid for pid, start in enumerate(program.initial) if not may_end(start.process)]
        #: processes up to here are always there
        self._permanent = max(lasting, default=-1) + 1

    def of(self, families: list[_Candidate], reasons: tuple[str, ...]) -> Symmetry:
        return Symmetry(tuple(self._family(one) for one in families), tuple(self._sites(families)), reasons)

    def misplaced(self, family: _Candidate) -> str | None:
        """References where they are not found: in processes that come and go, in arrays that are too short."""
        for process in self._program.processes:
            pids = [pid for pid, start in enumerate(self._program.initial) if start.process is process]
            stays = pids and pids[-1] < self._permanent and not self._is_created(process)
            slots = [self._analysis.variable(variable) for variable in process.variables]
            slots += [self._analysis.field(c, i) for c in process.channels for i in range(len(c.fields))]
            if not stays and any(family in self._analysis.families_in(slot) for slot in slots):
                return f"a process of {process.name}, which may end, refers to them"
        for variable in self._owned(family):
            if _width(variable)[1] < family.pids[-1] + 1:
                return f"{variable.name} has no element for each of them"
        for slot, count in self._analysis.bounds:
            if count < family.pids[-1] + 1 and family in self._analysis.families_in(slot):
                return "an array has no element for each of them"
        for array in self._owned_channels(family):
            if len(array) < family.pids[-1] + 1:
                return f"{array[0].name} has no element for each of them"
        return None

    def _is_created(self, process: ProcessType) -> bool:
        return any(
            isinstance(node, Run) and node.process is process
            for other in self._program.processes
            for node in nodes_of(operations_of(other))
        )

    def _owned(self, family: _Candidate) -> list[Variable]:
        """Arrays with an element for each process."""
        return [
            variable
            for variable in self._program.variables
            if family in self._analysis.families_in(self._analysis.index(variable, 0))
        ]

    def _owned_channels(self, family: _Candidate) -> list[tuple[Channel, ...]]:
        found: list[tuple[Channel, ...]] = []
        for channel in self._program.channels:
            array = self._analysis.array_of(channel)
            if channel is array[0] and family in self._analysis.families_in(self._analysis.element(channel)):
                found.append(array)
        return found

    def _family(self, one: _Candidate) -> Family:
        process, pids = one.process, one.pids
        parts = [Part(tuple(self._frames[pid] for pid in pids), process.frame_bytes)]
        keys: list[tuple[tuple[int, int], Key]] = []
        for variable in process.variables:
            keys += self._keys(variable, [self._frames[pid] + variable.offset for pid in pids], variable.size)
        for variable in self._owned(one):
            stride, _ = _width(variable)
            starts = [variable.offset + pid * stride for pid in pids]
            parts.append(Part(tuple(starts), stride))
            keys += self._keys(variable, starts, stride)
        for array in self._owned_channels(one):
            if array[0].size:
                parts.append(Part(tuple(array[pid].offset for pid in pids), array[0].size))
        ordered = [key for _, key in sorted(keys, key=lambda item: item[0])]
        control = Key(tuple(self._frames[pid] for pid in pids), self._program.control_bytes)
        return Family(process.name, pids[0], tuple(parts), (*ordered, control))

    def _keys(self, variable: Variable, starts: list[int], size: int) -> Iterator[tuple[tuple[int, int], Key]]:
        reference = bool(self._analysis.families_in(self._analysis.variable(variable)))
        for component in variable.components:
            if component.offset < size:
                offsets = tuple(start + component.offset for start in starts)
                signed = component.type.signed and not reference
                yield (
                    (variable.span.line, variable.span.column),
                    Key(offsets, component.type.size, signed, reference),
                )

    def _sites(self, families: list[_Candidate]) -> Iterator[Site]:
        def speaks(slot: _Slot) -> bool:
            return any(one in families for one in self._analysis.families_in(slot))

        frames = [(0, self._program.variables, self._program.channels)]
        frames += [
            (self._frames[pid], start.process.variables, start.process.channels)
            for pid, start in enumerate(self._program.initial[: self._permanent])
        ]
        for base, variables, channels in frames:
            for variable in variables:
                if speaks(self._analysis.variable(variable)):
                    for component in variable.components:
                        yield Site(base + variable.offset + component.offset, component.type.size)
            for channel in channels:
                for number, type_ in enumerate(channel.fields):
                    if channel.capacity and speaks(self._analysis.field(channel, number)):
                        at = base + channel.offset
                        first = at + channel.length_bytes + channel.field_offsets[number]
                        yield Site(first, type_.size, at, channel.length_bytes, channel.message_bytes, channel.capacity)


def _width(variable: Variable) -> tuple[int, int]:
    """The size of an element in the first dimension of an array, and how many there are; of others, 1."""
    paths = [component.path for component in variable.components]
    count = 1 + max((int(path[1:].split("]")[0]) for path in paths if path.startswith("[")), default=0)
    return variable.size // count, count
