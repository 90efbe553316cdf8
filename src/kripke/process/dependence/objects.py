"""What steps can touch, as bits of an integer.

A byte of a global variable is an object. A channel has three: its *send end*, its *receive end* and its *newcomers*.
A send changes the first and a receive the second, so that the two accord: where both are possible, they commute. The
third is written where a process is created that may meet others at the channel. Processes have objects
for their creation (one for all) and their end (one each); the control points of a process type are one object, which
counts only where some process looks at another. Where the numbers of processes do not matter, nobody looks at creation
and end; where those of channels do, the creation of processes that bring some counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from kripke.process.dependence.anonymity import Numbers
from kripke.process.program import MAX_PROCESSES, ProcessType, Program, Variable


class Objects:
    """The numbering of one program, with room for the channels of a configuration."""

    def __init__(self, program: Program, channels: int, numbers: Numbers = Numbers.PROCESSES) -> None:
        self._start = program.global_bytes
        self._types = {process.name: number for number, process in enumerate(program.processes)}
        self._channels = self._start + 1 + MAX_PROCESSES + len(self._types)
        #: bytes of global variables
        self.variables = (1 << program.global_bytes) - 1
        self._numbers = numbers
        #: written by the creation of a process
        self.creation = int(numbers is not Numbers.NONE) << self._start
        #: written by the end of one
        self.ends = ((1 << MAX_PROCESSES) - 1) << (self._start + 1) if numbers is Numbers.PROCESSES else 0
        #: control points and locals of processes, which every step of theirs writes
        self.controls = ((1 << len(self._types)) - 1) << (self._start + 1 + MAX_PROCESSES)
        self.all_sends = sum(1 << (self._channels + 3 * identity) for identity in range(1, channels + 1))
        self.all_receives = self.all_sends << 1
        self.all_newcomers = self.all_sends << 2

    @staticmethod
    def bytes_at(offset: int, size: int) -> int:
        """The bytes of a scalar of the global block."""
        return ((1 << size) - 1) << offset

    def variable(self, variable: Variable) -> int:
        """All of a global variable."""
        return self.bytes_at(variable.offset, variable.size)

    def creation_of(self, process: ProcessType) -> int:
        """What the creation of a process changes."""
        counts = self._numbers is not Numbers.CHANNELS or process.channels
        return self.creation if counts else 0

    def end_of(self, pid: int) -> int:
        """The end of one process."""
        return 1 << (self._start + 1 + pid) & self.ends

    def control_of(self, process: ProcessType) -> int:
        """Control points and locals of the processes of a type."""
        return 1 << (self._start + 1 + MAX_PROCESSES + self._types[process.name])

    def send_end(self, identity: int) -> int:
        """What a send to the channel of this identity changes."""
        return 1 << (self._channels + 3 * identity)

    def receive_end(self, identity: int) -> int:
        """What a receive changes."""
        return self.send_end(identity) << 1

    def newcomers(self, identity: int) -> int:
        """What the creation of a process changes that may meet others at the channel."""
        return self.send_end(identity) << 2


def bits_of(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set."""
    while mask:
        bit = mask & -mask
        yield bit.bit_length() - 1
        mask ^= bit
