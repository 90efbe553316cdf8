"""An estimate of a process program, evaluated by the interpreter."""

from __future__ import annotations

from collections.abc import Callable

from kripke.model.capabilities.estimate import UNREACHABLE, Combine, Estimator, Known
from kripke.process.estimates.distance import (
    Combined,
    Distance,
    EachProcess,
    Fixed,
    LocalDistance,
    OwnDistance,
    Position,
    Value,
)
from kripke.process.evaluation import Frames, StepFailed, channel_length, find_message
from kripke.process.expressions import Poll
from kripke.process.interpreter import Interpreter

Steps = Callable[[bytes, int, Frames], int]


class ProcessEstimator(Estimator):
    def __init__(self, interpreter: Interpreter, distance: Distance, known: Known) -> None:
        self.interpreter = interpreter
        self.distance = distance
        self.known = known
        self._steps = self._compiled(distance)

    def steps(self, state: bytes) -> int:
        frames = self.interpreter.frames(state)
        frames.pid = -1
        try:
            return self._steps(state, 0, frames)
        except StepFailed:
            return 0

    def _compiled(self, distance: Distance) -> Steps:
        match distance:
            case Fixed(steps):
                return lambda s, b, f: steps
            case Value(expression):
                value = self.interpreter.evaluator.compile(expression)
                return lambda s, b, f: min(max(0, value(s, b, f)), UNREACHABLE)
            case Position(poll):
                return self._position(poll)
            case LocalDistance():
                return self._local(distance)
            case OwnDistance(table):
                return lambda s, b, f: table[f.controls[f.pid] - self._base(f.controls[f.pid])]
            case Combined(how, parts):
                every = [self._compiled(part) for part in parts]
                return lambda s, b, f: _joined(how, [part(s, b, f) for part in every])
            case EachProcess():
                return self._each(distance)

    def _base(self, control: int) -> int:
        return self.interpreter.process_of_control(control).control_base

    def _position(self, poll: Poll) -> Steps:
        find = self.interpreter.evaluator.find_channel(poll.channel)
        wanted = self.interpreter.evaluator.matcher(poll.patterns)

        def steps(s: bytes, b: int, f: Frames) -> int:
            at, channel = find(s, b, f)
            if not channel.capacity:
                return 1
            slot = find_message(s, at, channel, wanted(s, b, f), True)
            return slot if slot >= 0 else channel_length(s, at, channel) + 1

        return steps

    def _local(self, distance: LocalDistance) -> Steps:
        process = distance.process
        first, last = process.control_base, process.control_base + len(process.locations)
        pid_of = None if distance.pid is None else self.interpreter.evaluator.compile(distance.pid)

        def steps(s: bytes, b: int, f: Frames) -> int:
            if pid_of is None:
                control = next((one for one in f.controls if first <= one < last), -1)
            else:
                pid = pid_of(s, b, f)
                control = f.controls[pid] if 0 <= pid < len(f.controls) else -1
            return distance.table[control - first] if first <= control < last else distance.absent

        return steps

    def _each(self, distance: EachProcess) -> Steps:
        by_type = {process: self._compiled(part) for process, part in distance.of_type}

        def steps(s: bytes, b: int, f: Frames) -> int:
            asking = f.pid
            found = []
            for pid, (base, control) in enumerate(zip(f.offsets, f.controls, strict=True)):
                part = by_type.get(self.interpreter.process_of_control(control))
                if part is not None:
                    f.pid = pid
                    found.append(part(s, base, f))
            f.pid = asking
            return _joined(distance.how, found)

        return steps


def _joined(how: Combine, numbers: list[int]) -> int:
    match how:
        case "sum":
            return min(sum(numbers), UNREACHABLE)
        case "max":
            return max(numbers, default=0)
        case "min":
            return min(numbers, default=UNREACHABLE)
