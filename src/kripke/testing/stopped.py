"""Why a run ended before its program did."""

from __future__ import annotations


class Stopped(Exception):
    """Why a run ended before its program did. The text is for people."""


class Redundant(Stopped):
    """Everything that could go on leads to runs that were seen."""


class Uncontrolled(Stopped):
    """The program did not do the same again: something that the schedule does not decide made a difference."""


class Deadlock(Stopped):
    """Nobody can go on. The text says who waits for what."""


class Endless(Stopped):
    """A run with too many steps."""


class NeverAwaited(Stopped):
    """A coroutine was made, and nobody awaited it."""


class OutOfControl(Stopped):
    """The program asked for something that would leave it: another process, a signal."""


class Unfinished(Stopped):
    """Tasks that had not ended when the program did."""


uncontrolled_words = (
    "the program does not do the same twice. Something outside the schedule decides what it does, such as the clock of "
    "the machine, a random number, state left over from the run before, or a library that is not under control"
)
