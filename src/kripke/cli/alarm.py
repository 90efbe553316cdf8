"""A signal where nobody asks: the deadline of a command ends it also in the middle of a stage that does not look.

Stages ask the deadline themselves and end with what they know. Some work cannot ask, such as a parser on a huge file or
a loop of a library. A little later than the deadline, a timer raises ``OutOfTime`` in it, as Ctrl-C would raise
``KeyboardInterrupt``. It rings again and again: what is raised while Python tidies up is lost. A stage that keeps a
deadline of its own, such as the half second in which a found error is replayed, is left alone until that one is over.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

from kripke.deadline import Deadline, OutOfTime, current

GRACE = 0.6  # seconds, in which stages that ask can end by themselves
_AGAIN = 0.2


class Alarm:
    """Rings in a block, if the deadline comes before its end: on the main thread, where the system has timers."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._armed = False
        self._before: Any = None

    def __enter__(self) -> None:
        left = self._deadline.left
        on_main = threading.current_thread() is threading.main_thread()
        if left is None or not on_main or not hasattr(signal, "setitimer"):
            return
        self._before = signal.signal(signal.SIGALRM, self._ring)
        self._armed = True
        signal.setitimer(signal.ITIMER_REAL, left + GRACE, _AGAIN)

    def __exit__(self, *problem: object) -> None:
        self.stop()

    def stop(self) -> None:
        """No more rings; to be called again where one came while the block was left."""
        self._armed = False
        if self._before is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before)
            self._before = None

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if self._armed and current().is_over:
            raise OutOfTime
