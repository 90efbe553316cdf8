"""Ends a run that is stuck in a call outside of Python: nothing else would.

A thread of the operating system looks whether the run gets on. If it does not, a signal interrupts the call; a call
that cannot be interrupted ends the whole process, after a message that says where it is.
"""

from __future__ import annotations

import _thread
import faulthandler
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from kripke.testing import primitives
from kripke.testing.stopped import OutOfControl

_sleep = time.sleep
_SIGNAL = getattr(signal, "SIGUSR2", None)
_exit = os._exit
#: So long after the signal a call counts as one that cannot be interrupted.
_PATIENCE = 5.0


@contextmanager
def watched(limit: float | None) -> Iterator[None]:
    """While runs are made: none of them may stand still for more than ``limit`` seconds."""
    if limit is None or _SIGNAL is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(_SIGNAL, _interrupt)
    going = [True]
    _thread.start_new_thread(_watch, (going, limit, _thread.get_ident()))
    try:
        yield
    finally:
        going.clear()
        signal.signal(_SIGNAL, before)


def _watch(going: list[bool], limit: float, home: int) -> None:
    last: Any = None
    still = 0.0
    pause = min(limit / 4, 0.5)
    while going:
        _sleep(pause)
        run = primitives.present_run
        now = None if run is None else (id(run), len(run.steps), run.turns)
        still = still + pause if now is not None and now == last else 0.0
        last = now
        if still > limit + _PATIENCE and going:
            stream = sys.__stderr__
            if stream is not None:
                print(f"\nkripke.testing: {_words(limit)} It cannot be interrupted, so this process ends.", file=stream)
                faulthandler.dump_traceback(stream)
                stream.flush()
            _exit(70)
        if limit < still <= limit + pause and going and _SIGNAL is not None:
            signal.pthread_kill(home, _SIGNAL)


def _words(limit: float) -> str:
    return f"the program has been inside one call for {limit:g} seconds without a step that is under control."


def _interrupt(number: int, frame: FrameType | None) -> None:
    run = primitives.present_run
    if run is None or run.is_over():
        return
    place = ""
    if frame is not None:
        inside = primitives.caller(frame)
        place = f" It is at {inside.f_code.co_filename}:{inside.f_lineno}."
    run.end(
        OutOfControl(
            f"{_words(run.stuck_after)}{place} A call that waits in C for something outside cannot be scheduled: put "
            "something of your own in its place. If it only takes long, set stuck=SECONDS"
        )
    )
