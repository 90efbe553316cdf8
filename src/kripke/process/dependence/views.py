"""What one process can see: its own part of the state and the global bytes that it ever looks at or writes.

A *view* of a process is all that its steps depend on. A step changes the view of its process, and some bytes, which
changes the views of the others: the *effect* of the step on them. Only programs whose processes look at variables and
at global channels, and at nothing else, are divided into views. A rendezvous is a *meeting* of two views.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from kripke.model.model import Violation
from kripke.process.dependence.creators import Creator, find_creator
from kripke.process.dependence.stability import assigned_by, operations_of
from kripke.process.dependence.trials import PLAIN
from kripke.process.evaluation import Frames, StepFailed, read_scalar
from kripke.process.expressions import (
    AskChannel,
    Binary,
    Bind,
    ChannelElement,
    ChannelIdentity,
    Conditional,
    Constant,
    Expression,
    Ignore,
    IntType,
    Match,
    OwnPid,
    Place,
    Poll,
    Read,
    Unary,
)
from kripke.process.interpreter import Interpreter
from kripke.process.nodes import nodes_of
from kripke.process.program import (
    Channel,
    DeterministicStep,
    Edge,
    Else,
    Exclusive,
    ProcessType,
    Program,
    Receive,
    Run,
    Scope,
    Send,
    Terminate,
    Variable,
    ViolationKind,
)

#: states before all processes exist, which are gone through one by one
_MOST_BEFORE = 1_000
#: views of one process
_MOST_VIEWS = 4_000

_PLAIN = (
    *(*PLAIN, Run, Terminate),
    *(Send, Receive, AskChannel, Poll, Match, Bind, Ignore, ChannelIdentity, ChannelElement, Exclusive),
)

#: the location of a process that does not exist yet
ABSENT = -1

#: bytes that a step changes: where, and what is there then
Effect = tuple[tuple[int, int], ...]


class TooMuch(Exception):
    """There are too many views, or there is something that views cannot show."""


@dataclass(frozen=True, slots=True)
class Move:
    """A step of a process from one of its views. ``target`` None: it fails, and nothing follows. ``effect``: its
    number, 0 for none."""

    edge: int
    target: int | None
    effect: int
    violations: tuple[Violation, ...]


@dataclass(frozen=True, slots=True)
class Meeting:
    """A rendezvous of two views: what both see then; ``effect`` as of a move."""

    target: int
    partner: int
    effect: int


@dataclass(frozen=True, slots=True)
class ViewStep:
    """The same, spelled out: ``target`` is the text of the view after it."""

    edge: int
    target: bytes | None
    effect: Effect
    violations: tuple[Violation, ...]


def has_views(program: Program) -> bool:
    """Do its processes look at variables and channels only?"""
    if program.priorities or program.last is not None or program.embedded is not None:
        return False
    if program.watches_events:
        return False
    return all(_is_plain(process) and _meets_simply(process, program) for process in program.processes)


def may_meet(operation: object, program: Program) -> bool:
    """May it be one side of a rendezvous?"""
    if not isinstance(operation, Send | Receive):
        return False
    match operation.channel:
        case ChannelIdentity(declared):
            return not declared.capacity
        case ChannelElement(channels, _):
            return not channels[0].capacity
        case _:
            return not all(channel.capacity for channel in program.channels)


def _meets_simply(process: ProcessType, program: Program) -> bool:
    """Is a rendezvous part of no deterministic step, does nobody who was met go on to meet another in the same step,
    and does no ``else`` depend on whether there is one?"""
    for location in process.locations:
        for edge in location.edges:
            operations = [action.operation for action in edge.actions]
            inner = [node for operation in operations[1:] for node in nodes_of(operation)]
            if operations and isinstance(operations[0], DeterministicStep):
                inner += nodes_of(operations[0])
            if any(may_meet(node, program) for node in inner):
                return False
            if _begins_meeting(edge, program, Send) and any(
                isinstance(action.operation, Else) for other in location.edges for action in other.actions
            ):
                return False
            if _begins_meeting(edge, program, Receive) and any(
                _begins_meeting(later, program, Send) for later in _atomic_behind(process, edge)
            ):
                return False
    return _hiding_place(process, program) is not None


def _begins_meeting(edge: Edge, program: Program, kind: type[Send] | type[Receive]) -> bool:
    """Is its first operation a rendezvous, on this side?"""
    first = edge.actions[0].operation if edge.actions else None
    return isinstance(first, kind) and may_meet(first, program)


def _atomic_behind(process: ProcessType, first: Edge) -> list[Edge]:
    """The edges that may follow one in the same step."""
    found: list[Edge] = []
    waiting, seen = [first], set[int]()
    while waiting:
        edge = waiting.pop()
        if edge.atomic and not edge.terminates and edge.target not in seen:
            seen.add(edge.target)
            found += process.locations[edge.target].edges
            waiting += process.locations[edge.target].edges
    return found


def _hiding_place(process: ProcessType, program: Program) -> int | None:
    """A location where nobody can be met."""
    for number, location in enumerate(process.locations):
        if not any(_begins_meeting(edge, program, Receive) for edge in location.edges):
            return number
    return None


def _is_plain(process: ProcessType) -> bool:
    if process.channels or process.provided is not None:
        return False
    if any(edge.escape for location in process.locations for edge in location.edges) or _goes_round(process):
        return False
    return all(isinstance(node, _PLAIN) for node in nodes_of(operations_of(process)))


def _goes_round(process: ProcessType) -> bool:
    """Has it an atomic sequence that may come back to itself, beside those that create processes?"""
    following = [
        {edge.target for edge in location.edges if edge.atomic} - _leading_to_creation(process)
        for location in process.locations
    ]
    waiting = set(range(len(following)))
    while waiting:
        ending = {number for number in waiting if not following[number] & waiting}
        if not ending:
            return True
        waiting -= ending
    return False


class Views:
    """The views of the processes of one program. ``processes``: as many as ever exist together."""

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self.program = interpreter.program
        self._creating = {id(process): _leading_to_creation(process) for process in interpreter.program.processes}
        #: the initial state
        self.first = next((step.target for step in interpreter.initial() if step.target is not None), b"")
        #: states from which all others come, by steps that create nothing, or by those of the creator
        self.roots, self._creator = self._find_roots()
        #: is there a rendezvous?
        self.meets = not all(channel.capacity for channel in self.program.channels)
        if self.meets and self._creator is not None:
            raise TooMuch
        longest = max(self.roots, key=len) if self._creator is None else self._creator.last
        self._frames = interpreter.frames(longest)
        self._state = bytearray(longest)
        self.processes = self._types(self._frames)
        if any(self._types(f) != self.processes[: len(f.controls)] for f in map(interpreter.frames, self.roots)):
            raise TooMuch
        #: for every process: where the bytes that it sees are
        self._seen = [sorted(self._seen_by(pid)) for pid in range(len(self.processes))]
        #: for every process: where in its views they are
        self._places = [
            {at: process.frame_bytes + number for number, at in enumerate(seen)}
            for process, seen in zip(self.processes, self._seen, strict=True)
        ]
        #: for every process: where those are that no other sees
        self._alone = [
            [self._places[pid][at] for at in seen if sum(at in places for places in self._places) == 1]
            for pid, seen in enumerate(self._seen)
        ]
        self._nobody = b"\xff" * self.program.control_bytes
        #: by what the creator has for itself: how many processes there are
        self._counts: dict[bytes, int] = {}
        if self._creator is not None:
            self._expect(self._creator)
        self._known: list[dict[bytes, int]] = [{} for _ in self.processes]
        self._texts: list[list[bytes]] = [[] for _ in self.processes]
        self._moves: list[dict[int, tuple[Move, ...]]] = [{} for _ in self.processes]
        self._meetings: dict[tuple[int, int, int, int], tuple[Meeting, ...]] = {}
        self._offers: dict[tuple[int, int], tuple[bool, bool]] = {}
        self._effects: dict[Effect, int] = {}
        self._bytes: list[Effect] = []
        #: for every process, by effect: the views after it, None where it does not change what the process sees
        self._changed: list[list[dict[int, int] | None]] = [[] for _ in self.processes]
        self._number_of(())
        self._first_edges = [
            list(accumulate((len(location.edges) for location in process.locations), initial=0))
            for process in self.processes
        ]

    def of(self, state: bytes, pid: int) -> int:
        """The number of the view that a process has in a state."""
        return self.number(pid, self.text_of(state, pid))

    def text_of(self, state: bytes, pid: int) -> bytes:
        """The bytes that a process sees of a state."""
        return self._own(state, pid) + bytes(state[at] for at in self._seen[pid])

    def seen_in(self, state: bytes) -> int:
        """How many processes have a view in one of the roots: those to come, too, if there is a creator."""
        return len(self.types_in(state)) if self._creator is None else len(self.processes)

    def _own(self, state: bytes, pid: int) -> bytes:
        start, size = self._frames.offsets[pid], self.processes[pid].frame_bytes
        return state[start : start + size] if start < len(state) else self._nobody + bytes(size - len(self._nobody))

    def own(self, pid: int, view: int) -> bytes:
        """What nobody else looks at: where the process is, its variables, the global bytes that only it sees."""
        text, alone = self._texts[pid][view], self._alone[pid]
        return text[: self.processes[pid].frame_bytes] + bytes(text[number] for number in alone)

    @property
    def creates(self) -> bool:
        """Do processes come into being after the first state?"""
        return any(self._creating.values())

    def location(self, pid: int, view: int) -> int:
        """Where the process is; ``ABSENT`` before it is created."""
        return self.location_in(pid, self._texts[pid][view])

    def location_in(self, pid: int, text: bytes) -> int:
        """The same, by the text of a view."""
        control = text[: self.program.control_bytes]
        if control == self._nobody:
            return ABSENT
        return int.from_bytes(control, "little") - self.processes[pid].control_base

    def shows(self, process: ProcessType, location: int, edge: Edge) -> bool:
        """Are the steps by this edge among the moves? Those that create processes, the end of one, and meetings are
        not."""
        if edge.terminates or not self.is_settled(process, location):
            return False
        return not (self.meets and self._may_meet(process, edge))

    def _may_meet(self, process: ProcessType, edge: Edge) -> bool:
        """May a step by this edge be a rendezvous, at its beginning or later?"""
        steps = [edge, *_atomic_behind(process, edge)]
        return _begins_meeting(edge, self.program, Receive) or any(
            _begins_meeting(one, self.program, Send) for one in steps
        )

    def is_settled(self, process: ProcessType, location: int) -> bool:
        """Will a process that is here create no other, now or later?"""
        return location != ABSENT and location not in self._creating[id(process)]

    def first_edge(self, pid: int, location: int) -> int:
        """The number of the first edge of a location, counted through the process."""
        return 0 if location == ABSENT else self._first_edges[pid][location]

    def start(self, pid: int) -> int:
        """Where the variables of a process begin in a state."""
        return self._frames.offsets[pid]

    def seen(self, pid: int) -> list[int]:
        """Where the bytes are that a process sees beside its own."""
        return self._seen[pid]

    def places(self, pid: int) -> dict[int, int]:
        """For bytes of a state, where in the views of a process they are."""
        return self._places[pid]

    def alone(self, pid: int) -> list[int]:
        """Where in its views those are that no other sees."""
        return self._alone[pid]

    def moves(self, pid: int, view: int) -> tuple[Move, ...]:
        """The steps of a process, but for creations, what may come before them, and its end."""
        known = self._moves[pid]
        if view not in known:
            known[view] = tuple(
                Move(step.edge, None, 0, step.violations)
                if step.target is None
                else Move(step.edge, self.number(pid, step.target), self._number_of(step.effect), step.violations)
                for step in self.steps(pid, self._texts[pid][view])
            )
        return known[view]

    def meetings(self, pid: int, view: int, other: int, beside: int) -> tuple[Meeting, ...]:
        """Those in which the first process sends and the other receives."""
        if not self.meets:
            return ()
        key = pid, view, other, beside
        if key not in self._meetings:
            found = self.meeting_steps(pid, self._texts[pid][view], other, self._texts[other][beside])
            self._meetings[key] = tuple(
                Meeting(self.number(pid, then), self.number(other, theirs), self._number_of(effect))
                for then, theirs, effect in found
            )
        return self._meetings[key]

    def meeting_steps(self, pid: int, text: bytes, other: int, beside: bytes) -> Iterator[tuple[bytes, bytes, Effect]]:
        """The same, spelled out."""
        here, there = self.location_in(pid, text), self.location_in(other, beside)
        if not (self.offers(pid, here)[0] and self.offers(other, there)[1]):
            return
        self._hide()
        self._show(pid, text)
        self._show(other, beside)
        before, frames = bytes(self._state), self._frames
        copied = Frames(frames.offsets[:], frames.controls[:], False)
        seen = {*self._seen[pid], *self._seen[other]}
        for _, steps in self._interpreter.steps_of(before, copied, pid):
            for step in steps:
                if step.target is not None and any(part.actor == other for part in step.parts):
                    effect = tuple((at, step.target[at]) for at in sorted(seen) if step.target[at] != before[at])
                    yield self.text_of(step.target, pid), self.text_of(step.target, other), effect

    def offers(self, pid: int, location: int) -> tuple[bool, bool]:
        """May a step of a process at a location be a rendezvous in which it sends, or one in which it receives?"""
        key = pid, location
        if key not in self._offers:
            process = self.processes[pid]
            edges: tuple[Edge, ...] = ()
            if self.meets and self.is_settled(process, location):
                edges = tuple(process.locations[location].edges)
            steps = [one for edge in edges for one in (edge, *_atomic_behind(process, edge))]
            sends = any(_begins_meeting(one, self.program, Send) for one in steps)
            self._offers[key] = sends, any(_begins_meeting(edge, self.program, Receive) for edge in edges)
        return self._offers[key]

    def changed(self, pid: int, view: int, effect: int) -> int:
        """The view after a step of another."""
        known = self._changed[pid][effect]
        if known is None:
            return view
        after = known.get(view)
        if after is None:
            text, places = bytearray(self._texts[pid][view]), self._places[pid]
            for at, value in self._bytes[effect]:
                if at in places:
                    text[places[at]] = value
            after = known[view] = self.number(pid, bytes(text))
        return after

    def _number_of(self, effect: Effect) -> int:
        if effect not in self._effects:
            self._effects[effect] = len(self._bytes)
            self._bytes.append(effect)
            for places, known in zip(self._places, self._changed, strict=True):
                known.append({} if any(at in places for at, _ in effect) else None)
        return self._effects[effect]

    def value(self, pid: int, view: int, at: int, type_: IntType) -> int | None:
        """The value of a global scalar; None where the process does not look at it."""
        if at not in self._places[pid]:
            return None
        return read_scalar(type_, self._texts[pid][view], self._places[pid][at])

    def sees(self, pid: int, effect: int) -> bool:
        """Does it change anything that the process looks at?"""
        return self._changed[pid][effect] is not None

    def number(self, pid: int, text: bytes) -> int:
        """Of the view with this text."""
        known = self._known[pid]
        number = known.setdefault(text, len(known))
        if number == len(self._texts[pid]):
            self._texts[pid].append(text)
            if number > _MOST_VIEWS:
                raise TooMuch
        return number

    def steps(self, pid: int, text: bytes) -> Iterator[ViewStep]:
        """Those of a process with this view (as ``moves``)."""
        location = self.location_in(pid, text)
        # What comes behind states in which processes are created is among the roots.
        if location == ABSENT or (self._creator is None and not self.is_settled(self.processes[pid], location)):
            return
        self._hide()
        self._show(pid, text)
        state, frames = self._state, self._frames
        size = self.processes[pid].frame_bytes
        edges = self.processes[pid].locations[location].edges
        count = self._counts[text[:size]] if self._creates(pid) else len(self.processes)
        before = bytes(state) if count == len(self.processes) else bytes(state[: frames.offsets[count]])
        there = Frames(frames.offsets[:count], frames.controls[:count], False)
        for number, steps in self._interpreter.steps_of(before, there, pid):
            if edges[number].terminates:
                continue
            for step in steps:
                if any(violation.code == ViolationKind.ENDLESS for violation in step.violations):
                    raise TooMuch
                if step.target is None:
                    yield ViewStep(number, None, (), step.violations)
                    continue
                new = self._new(step.target, pid, count) if self._creates(pid) else ()
                if len(step.target) != len(before) + len(new):
                    raise TooMuch  # it ends in the same step
                effect = tuple((at, step.target[at]) for at in self._seen[pid] if step.target[at] != state[at])
                yield ViewStep(number, self.text_of(step.target, pid), effect + new, step.violations)

    def _show(self, pid: int, text: bytes) -> None:
        """Make a state in which a process has this view."""
        start, size = self._frames.offsets[pid], self.processes[pid].frame_bytes
        self._state[start : start + size] = text[:size]
        for at, value in zip(self._seen[pid], text[size:], strict=True):
            self._state[at] = value
        self._frames.controls[pid] = self.processes[pid].control(self.location_in(pid, text))

    def _hide(self) -> None:
        """Nobody can be met. In an atomic sequence the state itself tells where processes are."""
        if self.meets:
            width = self.program.control_bytes
            for start, pid, process in zip(
                self._frames.offsets, range(len(self.processes)), self.processes, strict=True
            ):
                place = _hiding_place(process, self.program)
                assert place is not None
                self._frames.controls[pid] = process.control(place)
                self._state[start : start + width] = process.control(place).to_bytes(width, "little")

    # --- the creator --------------------------------------------------------------------------------------------------

    def _creates(self, pid: int) -> bool:
        return self._creator is not None and self._creator.pid == pid

    def _expect(self, creator: Creator) -> None:
        """Those who are to be created are seen from the start."""
        there = len(self.types_in(self.first))
        self._counts[self._own(self.first, creator.pid)] = there
        if any(
            self._nobody == process.control(n).to_bytes(len(self._nobody), "little")
            for process in self.program.processes
            for n in range(len(process.locations))
        ):
            raise TooMuch
        for pid in range(there, len(self.processes)):
            start = self._frames.offsets[pid]
            self._places[pid] |= {start + number: number for number in range(self.processes[pid].frame_bytes)}

    def _new(self, state: bytes, pid: int, count: int) -> Effect:
        """What a step of the creator from where there were so many processes has added; it is counted."""
        at = start = self._frames.offsets[count] if count < len(self.processes) else len(self._state)
        while at < len(state):
            if count == len(self.processes) or not self._is_expected(state, count):
                raise TooMuch
            at += self.processes[count].frame_bytes
            count += 1
        own = self._own(state, pid)
        if self._counts.setdefault(own, count) != count:
            raise TooMuch
        return tuple((place, state[place]) for place in range(start, at))

    def _is_expected(self, state: bytes, pid: int) -> bool:
        """Is a new process of the type that was found before, with the same in all that it never assigns?"""
        assert self._creator is not None
        process, start = self.processes[pid], self._frames.offsets[pid]
        control = int.from_bytes(state[start : start + len(self._nobody)], "little")
        if self._interpreter.process_of_control(control) is not process:
            return False
        assigned = assigned_by(process)
        return all(
            state[start + v.offset : start + v.offset + v.size]
            == self._creator.last[start + v.offset : start + v.offset + v.size]
            for v in process.variables
            if v.scope is Scope.LOCAL and v not in assigned
        )

    # --- the beginning ------------------------------------------------------------------------------------------------

    def _find_roots(self) -> tuple[list[bytes], Creator | None]:
        """The states in which processes may still be created, and those that follow them; where they are too many, the
        first and who creates."""
        if not self.first:
            raise TooMuch
        found = {self.first}
        waiting = [self.first]
        while waiting:
            state = waiting.pop()
            if not self._may_create(state):
                continue
            for step in self._interpreter.each_successor(state):
                if step.target is not None and step.target not in found:
                    found.add(step.target)
                    waiting.append(step.target)
            if len(found) > _MOST_BEFORE:
                creator = find_creator(self._interpreter, self.first, self._creating)
                if creator is None:
                    raise TooMuch
                return [self.first], creator
        return sorted(found), None

    def _may_create(self, state: bytes) -> bool:
        frames = self._interpreter.frames(state)
        return any(
            control - process.control_base in self._creating[id(process)]
            for process, control in zip(self._types(frames), frames.controls, strict=True)
        )

    def types_in(self, state: bytes) -> list[ProcessType]:
        """The types of the processes that exist in a state."""
        return self._types(self._interpreter.frames(state))

    def _types(self, frames: Frames) -> list[ProcessType]:
        return [self._interpreter.process_of_control(control) for control in frames.controls]

    # --- what is seen -------------------------------------------------------------------------------------------------

    def _seen_by(self, pid: int) -> set[int]:
        """The bytes of global variables that a process may look at or write."""
        process, found = self.processes[pid], set[int]()
        own = {variable for variable in process.variables if variable.scope is Scope.LOCAL}
        fixed = own - assigned_by(process)
        for node in nodes_of(operations_of(process)):
            if isinstance(node, Place) and node.variable.scope is Scope.GLOBAL:
                if all(_is_fixed(index.value, fixed) for index in node.indices):
                    found |= self._bytes_at(node, pid)
                else:
                    found |= _all_of(node.variable)
            elif isinstance(node, Send | Receive | AskChannel | Poll):
                found |= self._bytes_of(node.channel, pid, fixed)
        return found

    def _bytes_of(self, channel: Expression, pid: int, fixed: set[Variable]) -> set[int]:
        """Those of the channels that an expression may mean."""
        match channel:
            case ChannelIdentity(declared):
                channels = {declared.number}
            case ChannelElement(declared_channels, _):
                channels = {declared.number for declared in declared_channels}
            case _:
                channels = set(range(len(self.program.channels)))
                if _is_fixed(channel, fixed):
                    values = self._values_of(channel, pid)
                    if values is not None and all(0 < value <= len(channels) for value in values):
                        channels = {value - 1 for value in values}
        return {at for number in channels for at in _all_of(self.program.channels[number])}

    def _values_of(self, expression: Expression, pid: int) -> set[int] | None:
        """Those of a fixed expression; None where it fails."""
        found = set()
        for state in self.roots if self._creator is None else [self._creator.last]:
            frames = self._interpreter.frames(state)
            if pid >= len(frames.offsets):
                continue
            frames.pid = pid
            try:
                found.add(self._interpreter.evaluator.compile(expression)(state, frames.offsets[pid], frames))
            except StepFailed:
                return None
        return found

    def _bytes_at(self, place: Place, pid: int) -> set[int]:
        """Those that a place with fixed subscripts means."""
        starts = {place.variable.offset + place.offset}
        for index in place.indices:
            values = self._values_of(index.value, pid)
            if values is None or not all(0 <= value < index.count for value in values):
                return _all_of(place.variable)
            starts = {start + value * index.stride for start in starts for value in values}
        return {at for start in starts for at in range(start, start + place.type.size)}


def _all_of(declared: Variable | Channel) -> set[int]:
    return set(range(declared.offset, declared.offset + declared.size))


def _is_fixed(expression: Expression, fixed: set[Variable]) -> bool:
    """Has it the same value all the time? It looks at variables of its process that are never assigned."""
    return all(
        isinstance(node, Constant | OwnPid | Place | Unary | Binary | Conditional)
        or (isinstance(node, Read) and node.place.variable in fixed and not node.place.indices)
        for node in nodes_of(expression)
    )


def _leading_to_creation(process: ProcessType) -> set[int]:
    """The locations from which one with a creation may be reached. From the end of a process nothing is."""
    found = {
        number
        for number, location in enumerate(process.locations)
        if any(isinstance(node, Run) for edge in location.edges for a in edge.actions for node in nodes_of(a.operation))
    }
    changed = True
    while changed:
        before = len(found)
        for number, location in enumerate(process.locations):
            if any(edge.target in found and not edge.terminates for edge in location.edges):
                found.add(number)
        changed = len(found) > before
    return found
