"""The transitions of a configuration: for every process and every edge of its type, what a step by it touches.

A step runs its edge and, inside an atomic sequence, everything up to where the sequence may end or block. A rendezvous
send is one transition together with all receivers it may meet.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kripke.process.dependence.footprint import Footprint, Setting
from kripke.process.dependence.guards import Test, conjuncts, test_of
from kripke.process.program import (
    Edge,
    Else,
    Guard,
    Operation,
    ProcessType,
    Receive,
    Send,
    Skip,
    Terminate,
)

#: a process and a location of its type
Point = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Receiver:
    """An edge that may receive by rendezvous. ``channel`` None: on a channel that is not known."""

    pid: int
    location: int
    edge: Edge
    channel: int | None


@dataclass(slots=True)
class Step:
    """One transition. ``tests`` are the parts of its guard, ``footprint`` all else that it reads and writes."""

    pid: int
    process: ProcessType
    location: int
    edge: Edge
    #: fires on its own; else it only answers a rendezvous
    fires: bool = True
    footprint: Footprint = field(default_factory=Footprint)
    tests: list[Test] = field(default_factory=list)
    #: where processes may be after it
    ends: set[Point] = field(default_factory=set)
    partners: list[Receiver] = field(default_factory=list)

    @property
    def first(self) -> Operation:
        return self.edge.actions[0].operation if self.edge.actions else Skip()

    @property
    def wild(self) -> bool:
        return self.footprint.wild or any(test.wild for test in self.tests)

    def sources(self) -> set[Point]:
        """Where processes are when it fires, as far as the step moves them."""
        return {(self.pid, self.location), *((partner.pid, partner.location) for partner in self.partners)}


def steps_of(settings: list[Setting], processes: list[ProcessType]) -> list[Step]:
    """The steps of all processes, in the order of their numbers: process by process, edge by edge."""
    steps = [
        Step(pid, process, number, edge)
        for pid, process in enumerate(processes)
        for number, location in enumerate(process.locations)
        for edge in location.edges
    ]
    receivers = []
    for step in steps:
        if isinstance(step.first, Receive):
            ends = settings[step.pid].ends(step.first.channel)
            step.fires = ends.may_buffer
            if ends.may_meet:
                receivers.append(Receiver(step.pid, step.location, step.edge, ends.identity))
    for step in steps:
        if step.fires:
            _Stepping(step, settings, processes, receivers).fill()
    return steps


class _Stepping:
    """Collects what one step touches."""

    def __init__(
        self, step: Step, settings: list[Setting], processes: list[ProcessType], receivers: list[Receiver]
    ) -> None:
        self.step = step
        self.setting = settings[step.pid]
        self.settings = settings
        self.processes = processes
        self.receivers = receivers

    def fill(self) -> None:
        step, setting, first = self.step, self.setting, self.step.first
        operations = [action.operation for action in step.edge.actions]
        match first:
            case Guard(condition):
                step.tests = [test_of(part, setting) for part in conjuncts(condition)]
                operations = operations[1:]
            case Else():
                self._otherwise()
            case Send() if setting.ends(first.channel).may_meet:
                self._meet(first)
                if not setting.ends(first.channel).may_buffer:
                    return
                # Which it is, is not known: then it may be either.
                step.footprint.wild = True
            case _:
                pass
        for operation in operations:
            setting.perform(operation, step.footprint)
        self._own_control(step.process)
        if not isinstance(first, Terminate):
            self._follow(step.pid, step.process, step.edge)

    def _own_control(self, process: ProcessType) -> None:
        self.step.footprint.write(self.setting.objects.control_of(process))

    def _otherwise(self) -> None:
        """``else``: what decides about the other edges of the location."""
        found = Footprint()
        for edge in self.step.process.locations[self.step.location].edges:
            if edge is not self.step.edge and edge.actions:
                self.setting.enabledness(edge.actions[0].operation, found)
        self.step.footprint.reads |= found.reads
        self.step.footprint.wild |= found.wild

    def _meet(self, send: Send) -> None:
        """The send, the receivers it may meet, and what these go on to do."""
        step, footprint = self.step, self.step.footprint
        ends = self.setting.ends(send.channel)
        self.setting.message(send, footprint)
        # Senders on one channel compete for its receivers.
        footprint.reads |= ends.send
        footprint.write(ends.send)
        step.ends.add((step.pid, step.edge.target))
        self._own_control(step.process)
        for receiver in self.receivers:
            known = receiver.channel is not None and ends.identity is not None
            if receiver.pid == step.pid or (known and receiver.channel != ends.identity):
                continue
            step.partners.append(receiver)
            theirs = self.settings[receiver.pid]
            for number, action in enumerate(receiver.edge.actions):
                if number == 0:
                    assert isinstance(action.operation, Receive)
                    theirs.receive(action.operation, footprint)
                else:
                    theirs.perform(action.operation, footprint)
            self._own_control(self.processes[receiver.pid])
            self._follow(receiver.pid, self.processes[receiver.pid], receiver.edge)

    def _follow(self, pid: int, process: ProcessType, first: Edge) -> None:
        """Where a step by this edge may end, and what it touches until then."""
        step, setting = self.step, self.settings[pid]
        seen: set[int] = set()
        waiting = [first]
        while waiting:
            edge = waiting.pop()
            if edge.actions and isinstance(edge.actions[0].operation, Terminate):
                continue
            step.ends.add((pid, edge.target))
            if not edge.atomic or edge.target in seen:
                continue
            seen.add(edge.target)
            for following in process.locations[edge.target].edges:
                if following.actions:
                    setting.enabledness(following.actions[0].operation, step.footprint)
                for action in following.actions:
                    setting.perform(action.operation, step.footprint)
                waiting.append(following)
