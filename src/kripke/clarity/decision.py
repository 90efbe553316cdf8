"""The step that decides: after it every run ends in an error, before it one could still have been avoided.

An error can be avoided in a state from which some run goes on for ever or to a valid end without an error. Along a
trace that is true up to some state and false from there on, so the step is found by bisection; each question is a
depth-first search for such a run.
"""

from __future__ import annotations

from kripke.clarity.ending import Ending
from kripke.clarity.trials import Exhausted, Trials
from kripke.model.explanation import FalseAtom
from kripke.model.trace import Trace


def deciding_step(trace: Trace, ending: Ending, trials: Trials) -> int | None:
    """The position (from 0) of the step; None where it was not found, or the error was unavoidable from the start."""
    if trace.loop_start is not None or not trace.steps:
        return None
    search = _Search(ending, trials)
    try:
        if not search.escapes(trace.initial):
            return None
        escaping, doomed = 0, len(trace.steps)  # in the state before step `escaping`, after step `doomed - 1`
        while doomed - escaping > 1:
            middle = (escaping + doomed) // 2
            if search.escapes(trace.steps[middle].before):
                escaping = middle
            else:
                doomed = middle
        return escaping
    except Exhausted:
        return None


class _Search:
    def __init__(self, ending: Ending, trials: Trials) -> None:
        self.atom = ending.number if isinstance(ending, FalseAtom) else None
        self.trials = trials
        self.known: dict[bytes, bool] = {}

    def escapes(self, start: bytes) -> bool:
        """Is there a run from here without an error?"""
        if self._is_error(start):
            return False
        on_path: dict[bytes, None] = {}
        stack: list[tuple[bytes, list[bytes]]] = []
        if self._enter(start, on_path, stack):
            return True
        while stack:
            state, targets = stack[-1]
            if not targets:
                self.known[state] = False
                del on_path[state]
                stack.pop()
                continue
            target = targets.pop()
            known = self.known.get(target)
            if known is False:
                continue
            # A known way out, a cycle without an error, or a valid end.
            if known or target in on_path or self._enter(target, on_path, stack):
                self.known.update(dict.fromkeys(on_path, True))
                return True
        return False

    def _enter(self, state: bytes, on_path: dict[bytes, None], stack: list[tuple[bytes, list[bytes]]]) -> bool:
        """Is the state an end without error? If not, it is put on the stack to be searched."""
        if self.known.get(state):
            return True
        steps = self.trials.successors(state)
        if not steps and self.trials.model.valid_end(state):
            self.known[state] = True
            return True
        good = [
            step.target
            for step in steps
            if step.target is not None and not step.violations and not self._is_error(step.target)
        ]
        on_path[state] = None
        stack.append((state, good))
        return False

    def _is_error(self, state: bytes) -> bool:
        return self.atom is not None and not self.trials.model.atom_values(state)[self.atom]
