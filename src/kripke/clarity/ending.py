"""What a trace ends in: the error that a rearranged or shortened run must still have."""

from __future__ import annotations

from typing import NamedTuple

from kripke.clarity.trials import Trials
from kripke.model.explanation import FalseAtom, Stuck
from kripke.model.model import Violation

Ending = Violation | FalseAtom | Stuck


class Run(NamedTuple):
    """The end of a run: its last state, and what the last step broke."""

    state: bytes
    violations: tuple[Violation, ...]


def has_ending(trials: Trials, run: Run, ending: Ending) -> bool:
    """Does the run end in this error?"""
    match ending:
        case Violation():
            return ending in run.violations
        case FalseAtom(number):
            return not trials.model.atom_values(run.state)[number]
        case Stuck():
            return not trials.successors(run.state) and not trials.model.valid_end(run.state)
