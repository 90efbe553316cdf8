"""The variables of an encoded process program, and its states as their values.

A process is in the *slot* of its pid. A slot has a variable for the control point, one for every scalar of the local
variables of each type that can be there, and its channels. What belongs to a type that is not there is 0, so that
equal states have equal values. A channel is its length and its messages; what lies beyond the length is 0.

Where atomic sequences are, ``owner`` says who has control: 0 is nobody, otherwise the pid and one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from kripke.process.evaluation import channel_length, message_fields, read_scalar, write_scalar
from kripke.process.expressions import IntType
from kripke.process.intervals import interval_of_type
from kripke.process.program import MAX_PROCESSES, Channel, Edge, ProcessType, Program, Run, Variable
from kripke.terms.refusal import Unencodable
from kripke.terms.sort import INTEGER, Sort, integers
from kripke.terms.term import Symbol

#: slots, for each ``room``, for processes that are created again and again: nobody knows how many there will be
DYNAMIC_SLOTS = 4
#: more variables than these, and the lowering alone would take minutes
MOST_VARIABLES = 200_000


def sort_of(type_: IntType, unbounded: bool = False) -> Sort:
    return INTEGER if unbounded and is_widest(type_) else integers(*interval_of_type(type_))


def is_widest(type_: IntType) -> bool:
    """Is it the type that computations are made in?"""
    return type_.signed and type_.bits == 32


@dataclass(slots=True)
class ChannelSymbols:
    """``messages[i][j]`` is field j of the message in place i, the oldest first."""

    length: Symbol
    messages: list[list[Symbol]]

    def __iter__(self) -> Iterator[Symbol]:
        yield self.length
        for message in self.messages:
            yield from message


@dataclass(slots=True)
class Slot:
    """``points`` are the control points, in the order of the values of ``control``; the value after the last: nobody
    is here."""

    number: int
    types: tuple[ProcessType, ...]
    control: Symbol
    points: list[tuple[ProcessType, int]]
    always: bool
    scalars: dict[Variable, list[Symbol]] = field(default_factory=dict)
    channels: dict[Channel, ChannelSymbols] = field(default_factory=dict)
    place_of: dict[tuple[int, int], int] = field(default_factory=dict)

    @property
    def absent(self) -> int:
        return len(self.points)

    def point(self, process: ProcessType, location: int) -> int:
        return self.place_of[id(process), location]

    def symbols(self) -> Iterator[Symbol]:
        yield self.control
        for scalars in self.scalars.values():
            yield from scalars
        for channel in self.channels.values():
            yield from channel


class Slots:
    """Which processes can be where, and the variables that say it."""

    def __init__(self, program: Program, room: int = 1, *, unbounded: bool = False) -> None:
        self.program = program
        self.room = room
        #: are integers of the widest type those of mathematics?
        self.unbounded = unbounded
        #: is there a slot for every process that can be?
        self.enough = True
        types = self._types()
        count = sum(len(v.components) for v in program.variables) + sum(
            sum(len(v.components) for v in t.variables) for slot in types for t in slot
        )
        if count > MOST_VARIABLES:
            raise Unencodable(f"the model has {count:,} variables, at most {MOST_VARIABLES:,} are encoded")
        self.scalars = {variable: _scalars(variable, "", self.unbounded) for variable in program.variables}
        self.channels = {
            channel: _channel(channel, "", self.unbounded) for channel in program.channels if channel.capacity
        }
        self.slots = [self._slot(number, slot) for number, slot in enumerate(types)]
        owners = [slot.number + 1 for slot in self.slots if any(map(self.owned_points, slot.types))]
        self.owner = Symbol("(atomic)", integers(0, max(owners))) if owners else None

    # --- which types where --------------------------------------------------------------------------------------------

    def _types(self) -> list[tuple[ProcessType, ...]]:
        """A process is created behind all others, by one of them: so a slot has the types that those before it run."""
        initial = [each.process for each in self.program.initial]
        bound = self._most_processes()
        found: list[tuple[ProcessType, ...]] = []
        started: dict[int, ProcessType] = {}
        for number in range(bound):
            here = dict(started)
            if number < len(initial):
                here[id(initial[number])] = initial[number]
            if not here:
                break
            found.append(tuple(here.values()))
            for process in here.values():
                started |= {id(child): child for child in self._children(process)}
        return found

    def _children(self, process: ProcessType) -> list[ProcessType]:
        return [run.process for edge in _edges(process) for run in _runs(edge)]

    def _most_processes(self) -> int:
        """How many there can be at once; where nobody knows, as many as there is room for."""
        known: dict[int, int | None] = {}

        def created(process: ProcessType) -> int | None:
            """Itself and all it creates; None: without end."""
            if id(process) not in known:
                known[id(process)] = None  # while it is being found out: a type that creates itself has no end
                known[id(process)] = _heaviest_path(process, created)
            return known[id(process)]

        counts = [created(each.process) for each in self.program.initial]
        total = sum(count for count in counts if count is not None)
        if any(count is None for count in counts) or total > MAX_PROCESSES:
            self.enough = False
            return min(MAX_PROCESSES, len(counts) + DYNAMIC_SLOTS * self.room)
        return total

    def _slot(self, number: int, types: tuple[ProcessType, ...]) -> Slot:
        points = [(process, at) for process in types for at in range(len(process.locations))]
        always = number < len(self.program.initial) and not any(
            edge.terminates for process in types for edge in _edges(process)
        )
        control = Symbol(f"({number})", integers(0, len(points) - int(always)))
        slot = Slot(number, types, control, points, always)
        slot.place_of = {(id(process), at): place for place, (process, at) in enumerate(points)}
        for process in types:
            name = f"{process.name}:{number}."
            slot.scalars |= {variable: _scalars(variable, name, self.unbounded) for variable in process.variables}
            slot.channels |= {
                channel: _channel(channel, name, self.unbounded) for channel in process.channels if channel.capacity
            }
        return slot

    def owned_points(self, process: ProcessType) -> set[int]:
        """The locations at which a process can be inside an atomic sequence."""
        return {edge.target for edge in _edges(process) if edge.atomic and not edge.terminates}

    # --- states -------------------------------------------------------------------------------------------------------

    @cached_property
    def variables(self) -> list[Symbol]:
        owner = [self.owner] if self.owner is not None else []
        shared = [symbol for scalars in self.scalars.values() for symbol in scalars]
        shared += [symbol for channel in self.channels.values() for symbol in channel]
        return owner + shared + [symbol for slot in self.slots for symbol in slot.symbols()]

    def values(self, state: bytes) -> tuple[int, ...]:
        """ValueError where the state has more processes than there are slots, or others."""
        program, found = self.program, dict[Symbol, int]()
        _read(state, 0, self.scalars, self.channels, found)
        at, number = program.global_bytes, 0
        points = [(process, place) for process in program.processes for place in range(len(process.locations))]
        while at < len(state):
            process, place = points[int.from_bytes(state[at : at + program.control_bytes], "little")]
            if number >= len(self.slots) or (id(process), place) not in self.slots[number].place_of:
                raise ValueError("a process that has no slot")
            slot = self.slots[number]
            found[slot.control] = slot.point(process, place)
            scalars = {variable: slot.scalars[variable] for variable in process.variables}
            channels = {channel: slot.channels[channel] for channel in process.channels if channel.capacity}
            _read(state, at, scalars, channels, found)
            at, number = at + process.frame_bytes, number + 1
        for slot in self.slots[number:]:
            found[slot.control] = slot.absent
        return tuple(found.get(symbol, 0) for symbol in self.variables)

    def state(self, values: Sequence[int]) -> bytes:
        program, known = self.program, dict(zip(self.variables, values, strict=True))
        state = bytearray(program.global_bytes)
        _write(state, 0, self.scalars, self.channels, known)
        for slot in self.slots:
            place = known[slot.control]
            if place == slot.absent:
                break
            process, location = slot.points[place]
            base = len(state)
            state.extend(process.control(location).to_bytes(program.control_bytes, "little"))
            state.extend(bytes(process.frame_bytes - program.control_bytes))
            scalars = {variable: slot.scalars[variable] for variable in process.variables}
            channels = {channel: slot.channels[channel] for channel in process.channels if channel.capacity}
            _write(state, base, scalars, channels, known)
        return bytes(state)


def _edges(process: ProcessType) -> Iterator[Edge]:
    for location in process.locations:
        yield from location.edges


def _runs(edge: Edge) -> list[Run]:
    return [action.operation for action in edge.actions if isinstance(action.operation, Run)]


def _heaviest_path(process: ProcessType, created) -> int | None:  # type: ignore[no-untyped-def]
    """The most processes that come of one of this type: on a path through it that creates the most."""
    weights: list[list[tuple[int, int | None]]] = []
    for location in process.locations:
        out: list[tuple[int, int | None]] = []
        for edge in location.edges:
            counts = [created(run.process) for run in _runs(edge)]
            weight = None if any(count is None for count in counts) else sum(counts)
            if not edge.terminates:
                out.append((edge.target, weight))
        weights.append(out)
    if all(weight == 0 for out in weights for _, weight in out):
        return 1
    # Longest paths by rounds: where a round after as many as there are locations still gains, a cycle creates.
    best = [0] * len(weights)
    for _ in range(len(weights) + 1):
        changed = False
        for at, out in enumerate(weights):
            for target, weight in out:
                if weight is None:
                    return None
                if best[target] + weight > best[at]:
                    best[at], changed = best[target] + weight, True
        if not changed:
            return 1 + best[process.entry]
    return None


def _scalars(variable: Variable, prefix: str, unbounded: bool) -> list[Symbol]:
    if not variable.components:
        raise Unencodable(f"'{variable.name}', which only C code understands")
    return [Symbol(f"{prefix}{variable.name}{one.path}", sort_of(one.type, unbounded)) for one in variable.components]


def _channel(channel: Channel, prefix: str, unbounded: bool) -> ChannelSymbols:
    name = f"{prefix}{channel.name}"
    return ChannelSymbols(
        Symbol(f"len({name})", integers(0, channel.capacity)),
        [
            [
                Symbol(f"{name}[{place}].{number}", sort_of(type_, unbounded))
                for number, type_ in enumerate(channel.fields)
            ]
            for place in range(channel.capacity)
        ],
    )


def _read(
    state: bytes,
    base: int,
    scalars: dict[Variable, list[Symbol]],
    channels: dict[Channel, ChannelSymbols],
    found: dict[Symbol, int],
) -> None:
    for variable, symbols in scalars.items():
        for component, symbol in zip(variable.components, symbols, strict=True):
            found[symbol] = read_scalar(component.type, state, base + variable.offset + component.offset)
    for channel, parts in channels.items():
        at = base + channel.offset
        found[parts.length] = channel_length(state, at, channel)
        at += channel.length_bytes
        for message in parts.messages:
            found.update(zip(message, message_fields(state, at, channel), strict=True))
            at += channel.message_bytes


def _write(
    state: bytearray,
    base: int,
    scalars: dict[Variable, list[Symbol]],
    channels: dict[Channel, ChannelSymbols],
    known: dict[Symbol, int],
) -> None:
    for variable, symbols in scalars.items():
        for component, symbol in zip(variable.components, symbols, strict=True):
            write_scalar(component.type, state, base + variable.offset + component.offset, known[symbol])
    for channel, parts in channels.items():
        at = base + channel.offset
        state[at : at + channel.length_bytes] = known[parts.length].to_bytes(channel.length_bytes, "little")
        at += channel.length_bytes
        for message in parts.messages:
            for type_, symbol in zip(channel.fields, message, strict=True):
                write_scalar(type_, state, at, known[symbol])
                at += type_.size
