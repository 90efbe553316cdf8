"""Every order of two threads by single instructions of CPython, with at most two switches too many: what may happen.

Threads are those of the operating system, switched between instructions by a trace function: nothing is instrumented,
and nothing of ``kripke.testing`` is used. Programs have no locks, so a thread can always go on.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any


class _Baton:
    """One thread runs at a time; ``turns`` says for how many instructions each."""

    def __init__(self, turns: list[tuple[int, int | None]], file: str) -> None:
        self.turns = turns
        self.file = file
        self.at = 0
        self.count = 0
        self.counts = [0, 0]
        self.gates = [threading.Semaphore(0), threading.Semaphore(0)]
        self.done = [False, False]

    def trace(self, me: int) -> Callable[[FrameType, str, Any], Any]:
        def local(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "opcode":
                self.step(me)
            return local

        def enter(frame: FrameType, event: str, argument: Any) -> Any:
            if frame.f_code.co_filename != self.file:
                return None
            frame.f_trace_opcodes = True
            frame.f_trace_lines = False
            return local

        return enter

    def step(self, me: int) -> None:
        limit = self.turns[self.at][1]
        if limit is not None and self.count >= limit:
            self.hand_over(me)
        self.count += 1
        self.counts[me] += 1

    def hand_over(self, me: int) -> None:
        if self.at + 1 >= len(self.turns):
            return
        other = self.turns[self.at + 1][0]
        if self.done[other]:
            self.at, self.count = self.at + 1, 0
            if self.at + 1 < len(self.turns):
                self.at += 1
            return
        self.at, self.count = self.at + 1, 0
        self.gates[other].release()
        if not self.done[me]:
            self.gates[me].acquire()

    def live(self, me: int, work: Callable[[], Any]) -> None:
        self.gates[me].acquire()
        sys.settrace(self.trace(me))
        try:
            work()
        finally:
            sys.settrace(None)
            self.done[me] = True
            other = 1 - me
            if not self.done[other]:
                if self.at + 1 < len(self.turns):
                    self.at, self.count = self.at + 1, 0
                else:
                    self.turns[self.at] = (other, None)
                self.gates[other].release()


def _run(workers: tuple[Callable[[], Any], Callable[[], Any]], turns: list[tuple[int, int | None]]) -> list[int]:
    baton = _Baton(turns, workers[0].__code__.co_filename)
    threads = [threading.Thread(target=baton.live, args=(me, workers[me])) for me in (0, 1)]
    for thread in threads:
        thread.start()
    baton.gates[turns[0][0]].release()
    for thread in threads:
        thread.join()
    return baton.counts


def outcomes(
    make: Callable[[], tuple[Callable[[], Any], Callable[[], Any], Callable[[], Any]]], preemptions: int = 2
) -> set[Any]:
    """``make`` gives two workers and what is left when both have ended."""
    found = set()
    for first in (0, 1):
        other = 1 - first

        def one(turns: list[tuple[int, int | None]]) -> list[int]:
            *workers, result = make()
            counts = _run((workers[0], workers[1]), turns)
            found.add(result())
            return counts

        most = one([(first, None), (other, None)])
        for number in range(most[first] + 1):
            counts = one([(first, number), (other, None), (first, None)])
            if preemptions > 1:
                for second in range(1, counts[other] + 1):
                    one([(first, number), (other, second), (first, None), (other, None)])
    return found
