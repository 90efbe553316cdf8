"""Work that recurs deeply: in a thread whose stack is large enough."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread, stack_size
from typing import TypeVar

Answer = TypeVar("Answer")

_USUAL = 1 << 25


def with_stack(bytes_: int, work: Callable[[], Answer]) -> Answer:
    """What the work returns or raises, with so much stack beside the usual amount."""
    answers: list[Answer] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(work())
        except BaseException as error:
            errors.append(error)

    before = stack_size((_USUAL + bytes_) // 4096 * 4096)
    try:
        thread = Thread(target=run)
        thread.start()
    finally:
        stack_size(before)
    thread.join()
    if errors:
        raise errors[0]
    return answers[0]
