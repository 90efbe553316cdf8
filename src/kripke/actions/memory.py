"""A state while an action works on it: its bytes, and where the records of processes begin."""

from __future__ import annotations

from kripke.actions.program import CONTROL_BYTES, NOBODY, PARENT, Program, Scalar, ViolationKind


class StepFailed(Exception):
    """A violation ends the action."""

    def __init__(self, kind: ViolationKind) -> None:
        super().__init__(kind.name)
        self.kind = kind


class Memory:
    """``at``: for every slot where it begins."""

    __slots__ = ("at", "data", "program")

    def __init__(self, program: Program, data: bytes | bytearray) -> None:
        self.program = program
        self.data = bytearray(data)
        self.at: list[int] = []
        self.find()

    def copy(self) -> Memory:
        made = Memory.__new__(Memory)
        made.program, made.data, made.at = self.program, bytearray(self.data), list(self.at)
        return made

    def find(self) -> None:
        """Where every slot begins."""
        at, found, data = self.program.global_bytes, [], self.data
        sizes, controls = self.program.processes, self.program.controls
        while at < len(data):
            found.append(at)
            control = controls[data[at] | data[at + 1] << 8]
            at += CONTROL_BYTES if control is None else sizes[control.process].record_bytes
        self.at = found

    def control(self, pid: int) -> int:
        at = self.at[pid]
        return self.data[at] | self.data[at + 1] << 8

    def set_control(self, pid: int, number: int) -> None:
        at = self.at[pid]
        self.data[at], self.data[at + 1] = number & 255, number >> 8

    def read(self, address: int, type_: Scalar) -> int:
        return int.from_bytes(self.data[address : address + type_.size], "little", signed=type_.signed)

    def write(self, address: int, type_: Scalar, value: int) -> None:
        self.data[address : address + type_.size] = value.to_bytes(type_.size, "little", signed=type_.signed)

    def parent(self, pid: int) -> int:
        return self.data[self.at[pid] + PARENT]

    def processes(self) -> list[int]:
        return [pid for pid in range(len(self.at)) if self.control(pid)]

    def has_children(self, pid: int) -> bool:
        return any(self.parent(other) & NOBODY == pid for other in self.processes())

    def start(self, record: bytes) -> int:
        """A new process in the lowest free slot."""
        for pid, at in enumerate(self.at):
            if not self.control(pid):
                self.data[at : at + CONTROL_BYTES] = record
                self.find()
                return pid
        if len(self.at) >= self.program.max_processes:
            raise StepFailed(ViolationKind.PROCESSES)
        self.at.append(len(self.data))
        self.data += record
        return len(self.at) - 1

    def remove(self, pid: int) -> None:
        """A slot becomes free; those at the end are left out."""
        control = self.program.controls[self.control(pid)]
        assert control is not None
        at = self.at[pid]
        self.data[at : at + self.program.processes[control.process].record_bytes] = bytes(CONTROL_BYTES)
        self.find()
        while self.at and not self.control(len(self.at) - 1):
            del self.data[self.at.pop() :]

    def free_channel(self) -> int:
        """The lowest number that no port holds."""
        used = {self.data[at] for at in self.program.global_ports}
        for pid in self.processes():
            control = self.program.controls[self.control(pid)]
            assert control is not None
            used |= {self.data[self.at[pid] + at] for at in self.program.processes[control.process].ports}
        for number in range(1, 256):
            if number not in used:
                return number
        raise StepFailed(ViolationKind.CHANNELS)
