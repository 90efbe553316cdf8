"""A process that answers questions of the workbench: one line of JSON in, one line of JSON out.

A question that takes too long ends the process, and the next one starts another: a text that no reader gets to the end
of harms nobody. ``desk`` names what answers (``desks/``).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from kripke.web.guard import Refused

_GRACE = 3.0  # seconds between the request to end and the end


class Child:
    """Starts when it is first asked."""

    def __init__(self, desk: str, setting: Mapping[str, Any]) -> None:
        self.desk = desk
        self.setting = setting
        self.used = time.monotonic()
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Before it is asked, so that the first answer comes soon."""
        with self._turn:
            self._running()

    def ask(self, question: Mapping[str, Any], seconds: float) -> Any:
        """The answer; Refused with what is wrong, or where there was none in this time."""
        with self._turn:
            self.used = time.monotonic()
            process = self._running()
            late = threading.Event()
            timer = threading.Timer(seconds, self._end_late, (process, late))
            timer.daemon = True
            timer.start()
            try:
                answer = _conversation(process, question)
            except (OSError, ValueError):
                answer = None
            finally:
                timer.cancel()
            if answer is None:
                end(process, at_once=True)
                self._process = None
                why = f"no answer within {seconds:g} s" if late.is_set() else "the limit of memory or time was reached"
                raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, f"{why}: the process that worked on it was ended")
        if "error" in answer:
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, str(answer["error"]))
        return answer["answer"]

    @property
    def process_id(self) -> int | None:
        return None if self._process is None else self._process.pid

    def stop(self) -> None:
        """At once, also while it works."""
        process = self._process
        if process is not None:
            end(process, at_once=True)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = started(self.desk, self.setting)
        return self._process

    @staticmethod
    def _end_late(process: subprocess.Popen[bytes], late: threading.Event) -> None:
        late.set()
        end(process, at_once=True)


def started(desk: str, setting: Mapping[str, Any]) -> subprocess.Popen[bytes]:
    """A process at a desk, which has read its setting."""
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "kripke.web.desks", desk],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=environment,
    )
    with suppress(OSError):
        assert process.stdin is not None
        process.stdin.write(json.dumps(setting).encode() + b"\n")
        process.stdin.flush()
    return process


def _conversation(process: subprocess.Popen[bytes], question: Mapping[str, Any]) -> dict[str, Any] | None:
    """None where the process ended instead of answering."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps(question).encode() + b"\n")
    process.stdin.flush()
    line = process.stdout.readline()
    if not line:
        return None
    answer: dict[str, Any] = json.loads(line)
    return answer


def end(process: subprocess.Popen[bytes], *, at_once: bool = False) -> None:
    """The process with everything it has started; not ``at_once``: it may say first how far it came."""
    if process.poll() is not None:
        return
    if not at_once:
        process.terminate()  # alone: a compiler that it has started goes on
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
            return
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
