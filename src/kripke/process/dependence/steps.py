"""The transitions of a configuration: for every process and every edge of its type, what a step by it touches.

A step runs its edge and, inside an atomic sequence, everything up to where the sequence may end or block. A rendezvous
send is one transition together with all receivers it may meet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from kripke.process.dependence.conditions import leading
from kripke.process.dependence.footprint import Ends, Footprint, Setting
from kripke.process.dependence.guards import Test, conjuncts, test_of
from kripke.process.dependence.stability import assigned_in
from kripke.process.expressions import AskChannel, ChannelQuestion, Match
from kripke.process.program import (
    Choose,
    DeterministicStep,
    Edge,
    Else,
    Guard,
    NoChoice,
    Operation,
    ProcessType,
    Receive,
    Run,
    Send,
    Skip,
    Terminate,
)

#: a process and a location of its type
Point = tuple[int, int]


class Channels(Enum):
    """What one does with a channel."""

    SEND = "send"
    RECEIVE = "receive"


#: what is sure not to block inside a step: a send to a channel where there was room, a receive where a message was
Assurance = frozenset[tuple[Channels, int | None]]
NOTHING_ASSURED: Assurance = frozenset()

_ASSURES = {ChannelQuestion.NOT_FULL: Channels.SEND, ChannelQuestion.NOT_EMPTY: Channels.RECEIVE}


@dataclass(frozen=True, slots=True)
class Receiver:
    """An edge that may receive by rendezvous. ``channel`` None: on a channel that is not known."""

    pid: int
    location: int
    edge: Edge
    channel: int | None


@dataclass(slots=True)
class Step:
    """One transition. ``tests`` are the parts of its guard, ``footprint`` all else that it reads and writes.

    ``future``: what the processes that it creates may do then; that cannot come before it.
    """

    pid: int
    process: ProcessType
    location: int
    edge: Edge
    setting: Setting
    #: fires on its own; else it only answers a rendezvous
    fires: bool = True
    footprint: Footprint = field(default_factory=Footprint)
    future: Footprint | None = None
    tests: list[Test] = field(default_factory=list)
    #: where processes may be after it
    ends: set[Point] = field(default_factory=set)
    partners: list[Receiver] = field(default_factory=list)
    #: those whom it may meet later in an atomic sequence
    met: list[Receiver] = field(default_factory=list)

    @property
    def first(self) -> Operation | Choose:
        """The operation that may block."""
        return leading(self.edge.actions[0].operation) if self.edge.actions else Skip()

    @property
    def wild(self) -> bool:
        return self.footprint.wild or any(test.wild for test in self.tests)

    def consequences(self) -> Footprint:
        """What it and the processes that it creates touch."""
        if self.future is None:
            return self.footprint
        both = Footprint()
        both.add(self.footprint)
        both.add(self.future)
        return both

    def sources(self) -> set[Point]:
        """Where processes are when it fires, as far as the step moves them."""
        met = [*self.partners, *self.met]
        return {(self.pid, self.location), *((partner.pid, partner.location) for partner in met)}


#: what a process may ever do that is created like this
Newcomers = Callable[[Run, Setting], Footprint]


class Steps:
    """The steps of all processes of a configuration."""

    def __init__(self, settings: list[Setting], processes: list[ProcessType], newcomers: Newcomers) -> None:
        self.settings = settings
        self.processes = processes
        self.newcomers = newcomers
        self.receivers: list[Receiver] = []
        #: in the order of their numbers: process by process, edge by edge
        self.all = [
            Step(pid, process, number, edge, settings[pid])
            for pid, process in enumerate(processes)
            for number, location in enumerate(process.locations)
            for edge in location.edges
        ]
        for step in self.all:
            ends = _looked_at(step)
            if ends is not None and ends.may_meet:
                self.receivers.append(Receiver(step.pid, step.location, step.edge, ends.identity))
        for step in self.all:
            self._fill(step)

    def at_hand(self, step: Step, make_setting: Callable[[], Setting]) -> Step:
        """A step with what is known about it in a state where its process is there."""
        known = Step(step.pid, step.process, step.location, step.edge, make_setting())
        _looked_at(known)
        self._fill(known)
        if known.fires:  # along the step less and less is known of it
            known.setting = make_setting()
        return known

    def _fill(self, step: Step) -> None:
        if step.fires:
            _Stepping(step, self).fill()


def _looked_at(step: Step) -> Ends | None:
    """The channel of a receive, if it is one; it fires on its own if there may be a buffer."""
    if not isinstance(step.first, Receive):
        return None
    ends = step.setting.ends(step.first.channel)
    step.fires = ends.may_buffer
    return ends


def restrictions(process: ProcessType, location: int, edge: Edge, setting: Setting, found: Footprint) -> bool:
    """Add what decides, beside its own conditions, whether an edge is tried; False where there is nothing.

    The process may have a ``provided`` condition, and an escape of an ``unless`` comes first.
    """
    if setting.program.priorities:
        found.wild = True
    if process.provided is not None:
        setting.read(process.provided, found)
    earlier = []
    for other in process.locations[location].edges:
        if other is edge:
            break
        if other.escape and other.escape != edge.escape and other.actions:
            earlier.append(other)
    decides = Footprint()
    for other in earlier:
        setting.enabledness(leading(other.actions[0].operation), decides)
    found.reads |= decides.reads
    found.wild |= decides.wild
    return bool(earlier) or process.provided is not None or setting.program.priorities


def decide_choice(process: ProcessType, location: int, edge: Edge, setting: Setting, found: Footprint) -> None:
    """Add what decides whether an edge of a ``D_proctype`` is one too many: the edges before it."""
    if not any(isinstance(action.operation, NoChoice) for action in edge.actions):
        return
    decides = Footprint()
    for other in process.locations[location].edges:
        if other is edge:
            break
        if other.actions:
            setting.enabledness(leading(other.actions[0].operation), decides)
    found.reads |= decides.reads
    found.wild |= decides.wild


class _Stepping:
    """Collects what one step touches."""

    def __init__(self, step: Step, steps: Steps) -> None:
        self.step = step
        self.setting = step.setting
        self.settings = [*steps.settings[: step.pid], step.setting, *steps.settings[step.pid + 1 :]]
        self.processes = steps.processes
        self.receivers = steps.receivers
        self.newcomers = steps.newcomers
        self._received: list[Receiver] = []
        self._received_later: list[Receiver] = []

    def fill(self) -> None:
        step, setting, first = self.step, self.setting, self.step.first
        restrictions(step.process, step.location, step.edge, setting, step.footprint)
        decide_choice(step.process, step.location, step.edge, setting, step.footprint)
        operations = [action.operation for action in step.edge.actions]
        assured = self._after(first, NOTHING_ASSURED, setting)
        may_block = False
        match first:
            case Guard(condition):
                step.tests = [test_of(part, setting) for part in conjuncts(condition)]
                code = operations.pop(0)
                if isinstance(code, DeterministicStep):
                    assured = self._run_code(code, assured, setting, code.code[0].next)
                may_block = True
            case Else():
                self._otherwise()
            case Send() if setting.ends(first.channel).may_meet:
                may_buffer = setting.ends(first.channel).may_buffer
                step.partners = self._meet(first, setting)
                setting.forget(None)
                for operation in operations[1:]:
                    self._run(operation, NOTHING_ASSURED, setting)
                step.ends.add((step.pid, step.edge.target))
                self._own_control(step.process)
                if may_buffer:  # which it is, is not known: then it may be either
                    setting.send_to_buffer(first, step.footprint)
                    self._follow(step.pid, step.process, step.edge, NOTHING_ASSURED)
                return
            case _:
                pass
        for operation in operations:
            after = self._run(operation, assured, setting, may_block=may_block)
            assured = after if may_block else assured
            may_block = True
            setting.forget(assigned_in(operation))
        self._own_control(step.process)
        if not isinstance(first, Terminate):
            self._follow(step.pid, step.process, step.edge, assured)

    def _own_control(self, process: ProcessType) -> None:
        self.step.footprint.write(self.setting.objects.control_of(process))

    def _otherwise(self) -> None:
        """``else``: what decides about the edges of the location before it."""
        found = Footprint()
        for edge in self.step.process.locations[self.step.location].edges:
            if edge is self.step.edge:
                break
            if edge.actions:
                self.setting.enabledness(leading(edge.actions[0].operation), found)
        self.step.footprint.reads |= found.reads
        self.step.footprint.wild |= found.wild

    def _meet(self, send: Send, setting: Setting) -> list[Receiver]:
        """The send, the receivers it may meet, and what these go on to do."""
        footprint = self.step.footprint
        ends = setting.ends(send.channel)
        setting.message(send, footprint)
        setting.watch(ends, footprint, is_send=True)
        # Senders on one channel compete for its receivers.
        footprint.reads |= ends.send | ends.newcomers
        footprint.write(ends.send)
        met = self._receivers_at({ends.identity}, setting.pid)
        for receiver in met:
            self._receive(receiver)
        return met

    def _receivers_at(self, channels: set[int | None], sender: int) -> list[Receiver]:
        return [
            receiver
            for receiver in self.receivers
            if receiver.pid != sender and (receiver.channel is None or None in channels or receiver.channel in channels)
        ]

    def _receive(self, receiver: Receiver) -> None:
        if receiver in self._received:
            return
        self._received.append(receiver)
        theirs, process = self.settings[receiver.pid], self.processes[receiver.pid]
        if process.provided is not None:
            theirs.read(process.provided, self.step.footprint)
        decide_choice(process, receiver.location, receiver.edge, theirs, self.step.footprint)
        for number, action in enumerate(receiver.edge.actions):
            if number == 0:
                assert isinstance(action.operation, Receive)
                theirs.receive(action.operation, self.step.footprint)
            else:
                self._run(action.operation, NOTHING_ASSURED, theirs)
        self._own_control(process)
        self._follow(receiver.pid, process, receiver.edge, NOTHING_ASSURED)

    def _follow(self, pid: int, process: ProcessType, first: Edge, assured: Assurance) -> None:
        """Where a step by this edge may end, and what it touches until then."""
        step, setting = self.step, self.settings[pid]
        if first.atomic:
            setting.forget(None)
        seen: set[tuple[int, Assurance]] = set()
        waiting = [(first, assured)]
        while waiting:
            edge, assured = waiting.pop()
            if edge.actions and isinstance(edge.actions[0].operation, Terminate):
                continue
            step.ends.add((pid, edge.target))
            if not edge.atomic or (edge.target, assured) in seen:
                continue
            seen.add((edge.target, assured))
            for following in process.locations[edge.target].edges:
                restrictions(process, edge.target, following, setting, step.footprint)
                decide_choice(process, edge.target, following, setting, step.footprint)
                after = assured
                for action in following.actions:
                    after = self._run(action.operation, after, setting)
                waiting.append((following, after))

    # --- inside a step ------------------------------------------------------------------------------------------------

    def _run(
        self, operation: Operation | Choose, assured: Assurance, setting: Setting, *, may_block: bool = True
    ) -> Assurance:
        """Add what an operation inside a step touches. Whether it blocks, too, depends on what others do before."""
        footprint = self.step.footprint
        if isinstance(operation, DeterministicStep):
            return self._run_code(operation, assured, setting, may_block=may_block)
        if isinstance(operation, Send) and setting.ends(operation.channel).may_meet:
            return self._meet_inside(operation, setting)
        if isinstance(operation, Run):
            return self._create(operation, assured, setting)
        setting.perform(operation, footprint)
        if may_block and not self._is_assured(operation, assured, setting):
            setting.enabledness(operation, footprint)
        return self._after(operation, assured, setting)

    def _meet_inside(self, send: Send, setting: Setting) -> Assurance:
        """A send inside an atomic sequence, where it matters who is ready to receive."""
        setting.send_to_buffer(send, self.step.footprint)
        self.step.footprint.reads |= setting.ends(send.channel).receive
        for receiver in self._meet(send, setting):
            self.step.met.append(receiver)
            self.step.footprint.reads |= setting.objects.control_of(self.processes[receiver.pid])
        return NOTHING_ASSURED

    def _create(self, run: Run, assured: Assurance, setting: Setting) -> Assurance:
        """The new process may also meet those that are there."""
        step = self.step
        setting.perform(run, step.footprint)
        future = step.future = step.future or Footprint()
        found = self.newcomers(run, setting)
        future.add(found)
        # What receivers do then is part of the future, and of the step only if it meets them, too.
        own, received = step.footprint, self._received
        step.footprint, self._received = future, self._received_later
        for receiver in self._receivers_at(found.meets, -1) if found.meets else []:
            self._receive(receiver)
        step.footprint, self._received = own, received
        return assured

    def _run_code(
        self, step: DeterministicStep, assured: Assurance, setting: Setting, start: int = 0, *, may_block: bool = True
    ) -> Assurance:
        """Every way through a deterministic step. What the step assures of what follows it is not kept."""
        if not _is_straight(step):  # an operation may come again, when variables have changed
            setting.forget(assigned_in(step))
        seen: set[tuple[int, Assurance]] = set()
        waiting = [(start, assured)]
        while waiting:
            number, before = waiting.pop()
            if number < 0 or (number, before) in seen:
                continue
            seen.add((number, before))
            instruction = step.code[number]
            if isinstance(instruction.operation, Choose):
                waiting += [(option, before) for option in instruction.operation.options]
                continue
            blocks = may_block or number > 0
            waiting.append((instruction.next, self._run(instruction.operation, before, setting, may_block=blocks)))
            setting.forget(assigned_in(instruction.operation))
        return NOTHING_ASSURED

    def _is_assured(self, operation: Operation | Choose, assured: Assurance, setting: Setting) -> bool:
        match operation:
            case Send(channel, _, _):
                return (Channels.SEND, setting.ends(channel).identity) in assured
            case Receive(channel, patterns, _, _):
                takes_any = not any(isinstance(pattern, Match) for pattern in patterns)
                return takes_any and (Channels.RECEIVE, setting.ends(channel).identity) in assured
            case _:
                return False

    def _after(self, operation: Operation | Choose, assured: Assurance, setting: Setting) -> Assurance:
        """What is sure not to block once the operation was executed in the same step."""
        match operation:
            case Guard(condition):
                tests = (
                    (_ASSURES[part.question], setting.ends(part.channel))
                    for part in conjuncts(condition)
                    if isinstance(part, AskChannel) and part.question in _ASSURES
                )
                return assured | {(what, ends.identity) for what, ends in tests if _is_buffer(ends)}
            case Send(channel, _, _):
                ends = setting.ends(channel)
                if _is_buffer(ends):
                    return assured - {(Channels.SEND, ends.identity)} | {(Channels.RECEIVE, ends.identity)}
            case Receive(channel, _, _, keep):
                ends = setting.ends(channel)
                if _is_buffer(ends):
                    taken = {(Channels.RECEIVE, ends.identity)}
                    return assured if keep else assured - taken | {(Channels.SEND, ends.identity)}
            case _:
                return assured
        return NOTHING_ASSURED


def _is_straight(step: DeterministicStep) -> bool:
    return all(
        not isinstance(instruction.operation, Choose) and not 0 <= instruction.next <= number
        for number, instruction in enumerate(step.code)
    )


def _is_buffer(ends: Ends) -> bool:
    return ends.identity is not None and not ends.may_meet
