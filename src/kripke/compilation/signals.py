"""Signals that come while a process is being started wait until it is known, so that it is never left behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def held_back(*numbers: int) -> Iterator[None]:
    """Signals that come meanwhile come afterwards. Python handles signals in the main thread only; elsewhere this does
    nothing."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    caught = [number for number in numbers if callable(signal.getsignal(number))]
    before = {number: signal.signal(number, lambda number, _: came.append(number)) for number in caught}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)
