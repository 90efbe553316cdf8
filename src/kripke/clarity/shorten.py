"""The same error by fewer steps: what it does not need is left out.

Steps are left out by trying: the rest must still be a run of the model, step for step with the same statements and
values, that ends in the same error. First detours: from some state the trace can go on with a later step. Then whole
ends of what a process does, in halves; then, from the end backwards, single steps and a few successive ones of the
same process (a turn of a loop). Depth-first traces become a fraction of their length; the result is as good as a
found trace, for it is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kripke.clarity.ending import Ending, Run, has_ending
from kripke.clarity.trials import Exhausted, Trials
from kripke.model.model import Part
from kripke.model.trace import Step, Trace

_DETOURS = 40  # later steps that are tried from one state
_TURN = 8  # successive steps of a process that are left out together, at most


def shorten(trace: Trace, ending: Ending, trials: Trials) -> Trace:
    """A trace to the same error with at most as many steps. One that repeats for ever stays as it is."""
    if trace.loop_start is not None or len(trace) < 2:
        return trace
    attempt = _Attempt(trace.steps, ending, trials)
    try:
        attempt.leave_out_detours()
        attempt.leave_out_ends()
        while attempt.leave_out_turns():
            pass
    except Exhausted:
        pass
    steps = tuple(replace(step, number=number) for number, step in enumerate(attempt.steps, start=1))
    return replace(trace, steps=steps, omitted=trace.omitted + len(trace) - len(steps))


class _Attempt:
    """``steps`` is a run to the error all the time."""

    def __init__(self, steps: Sequence[Step], ending: Ending, trials: Trials) -> None:
        self.steps = list(steps)
        self.ending = ending
        self.trials = trials

    def leave_out_detours(self) -> None:
        """From the first state on: go on with the latest step that is possible here and leads to the error."""
        index = 0
        while index < len(self.steps) - 1:
            later: dict[tuple[Part, ...], list[int]] = {}
            for position in range(index + 1, len(self.steps)):
                later.setdefault(self.steps[position].parts, []).append(position)
            found = [later.get(step.parts, []) for step in self.trials.successors(self.steps[index].before)]
            for position in sorted((at for places in found for at in places), reverse=True)[:_DETOURS]:
                if self._leave_out(range(index, position)):
                    break
            index += 1

    def leave_out_ends(self) -> None:
        """The last steps of every process: half of what it has left, a quarter, and so on."""
        for actor in dict.fromkeys(_actor(step) for step in reversed(self.steps)):
            size = len(self._own(actor))
            while size:
                own = self._own(actor)
                if len(own) < size or not self._leave_out(own[-size:]):
                    size //= 2

    def leave_out_turns(self) -> bool:
        """Single steps and turns of loops, wherever they are; was there one?"""
        found = False
        index = len(self.steps) - 1
        while index >= 0:
            own = [i for i in self._own(_actor(self.steps[index])) if i <= index]
            for length in range(1, min(_TURN, len(own)) + 1):
                if self._leave_out(own[-length:]):
                    found = True
                    break
            index = min(index, len(self.steps)) - 1
        return found

    def _own(self, actor: int) -> list[int]:
        """Where the steps of a process are, without the one that has the violation."""
        fixed = 1 if self.steps and self.steps[-1].violations else 0
        return [i for i, step in enumerate(self.steps[: len(self.steps) - fixed]) if _actor(step) == actor]

    def _leave_out(self, positions: Sequence[int]) -> bool:
        """Leave these steps out, if the others are a run to the error."""
        start = positions[0]
        state = self.steps[start].before
        kept: list[Step] = []
        gone = set(positions)
        violations = self.steps[start - 1].violations if start else ()
        for index in range(start, len(self.steps)):
            if index in gone:
                continue
            step = self.steps[index]
            if step.before == state and index > positions[-1]:
                # The same state as before: so is everything from here on.
                self.steps[start:] = [*kept, *self.steps[index:]]
                return True
            transition = self.trials.same_step(state, step)
            if transition is None or (transition.target is None and index < len(self.steps) - 1):
                return False
            kept.append(replace(step, before=state, state=transition.target))
            violations = transition.violations
            state = state if transition.target is None else transition.target
        if not has_ending(self.trials, Run(state, violations), self.ending):
            return False
        self.steps[start:] = kept
        return True


def _actor(step: Step) -> int:
    return step.parts[0].actor if step.parts else -1
