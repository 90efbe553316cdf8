"""A failing run as a person reads it: what went wrong, and lanes with the source line of every step."""

from __future__ import annotations

import json
import linecache
import os
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from kripke.testing.exploration import choices_of, switches_of
from kripke.testing.operation import ACCESS, BEGIN, BLOCK, END, Operation, Place
from kripke.testing.primitives import ASYNCIO
from kripke.testing.run import Run
from kripke.testing.stopped import (
    Deadlock,
    Endless,
    NeverAwaited,
    OutOfControl,
    Stopped,
    Uncontrolled,
    Unfinished,
)
from kripke.text import visible

if TYPE_CHECKING:
    from kripke.testing.explore import Report

FORMAT = "kripke schedule 1"


class Row(NamedTuple):
    """One line of the trace: who, the line of the program, where it is, what it does to what others see."""

    task: int
    source: str
    place: str
    words: tuple[str, ...]


@dataclass
class Failure:
    """``choices`` is the schedule, to be followed again."""

    error: BaseException
    headline: str
    tasks: list[str]
    rows: list[Row]
    choices: tuple[tuple[int, int], ...]
    switches: int
    runs: int
    stack: str
    name: str = ""

    @property
    def kind(self) -> str:
        """The sort of failure in one word, as in answers about models."""
        if isinstance(self.error, Stopped):
            return type(self.error).__name__.lower()
        return "assertion" if isinstance(self.error, AssertionError) else "error"

    def __str__(self) -> str:
        found = f"schedule {self.runs:,}" if self.runs > 1 else "the first schedule"
        times = "1 switch" if self.switches == 1 else f"{self.switches:,} switches"
        shown = len({row.task for row in self.rows})
        head = f"{self.headline}\nfound in {found}"
        if not self.rows:
            return head + (f"\n\n{self.stack}" if self.stack else "")
        head += f"; shown with {times} between {shown} task{'' if shown == 1 else 's'}"
        parts = [head, lanes(self.tasks, self.rows)]
        if self.stack:
            parts.append(self.stack)
        return "\n\n".join(parts)

    def save(self, path: str, folder: str = "") -> None:
        """Write the schedule, so that the run can be followed again; ``folder`` is where the test is run."""
        text = json.dumps(
            {
                "format": FORMAT,
                "test": self.name,
                "folder": folder,
                "failure": self.headline,
                "choices": [list(each) for each in self.choices],
            }
        )
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")


class SavedSchedule(NamedTuple):
    """The test, the folder in which it is run, and the schedule."""

    test: str
    folder: str
    choices: tuple[tuple[int, int], ...]


def read_schedule(path: str) -> SavedSchedule:
    """A saved schedule; ValueError with what is wrong."""
    with open(path, encoding="utf-8") as file:
        try:
            saved = json.load(file)
        except ValueError:
            raise ValueError(f"{path} is not a saved schedule: it is not JSON") from None
    if not isinstance(saved, dict) or saved.get("format") != FORMAT:
        raise ValueError(f"{path} is not a saved schedule: it has no line '{FORMAT}'")
    choices = saved.get("choices")
    if not isinstance(choices, list):
        choices = [None]
    good = all(
        isinstance(each, list) and len(each) == 2 and all(type(number) is int and number >= 0 for number in each)
        for each in choices
    )
    if not good or not isinstance(saved.get("test"), str):
        raise ValueError(f"{path} is not a saved schedule: choices must be pairs of numbers, and test a text")
    return SavedSchedule(saved["test"], str(saved.get("folder", "")), tuple((each[0], each[1]) for each in choices))


def failure_of(run: Run, report: Report, name: str, headline: str = "") -> Failure:
    error = run.failure if run.failure is not None else AssertionError(headline)
    rows = rows_of(run)
    return Failure(
        error,
        headline or headline_of(error, run),
        [task.name for task in run.tasks],
        rows,
        choices_of(run),
        switches_of(rows),
        report.runs,
        _stack(error),
        name,
    )


def is_same(one: BaseException, other: BaseException) -> bool:
    """The same sort of failure: shorter runs may have other values in their message."""
    return type(one) is type(other) and _last_line(one) == _last_line(other)


def _text_of(error: BaseException) -> str:
    """Its text is made by code of the program, which may fail."""
    try:
        return str(error)
    except Exception as another:
        return f"(its text cannot be made: {type(another).__name__})"


def headline_of(error: BaseException, run: Run) -> str:
    match error:
        case Deadlock():
            return f"deadlock: {safe_lines(str(error))}"
        case NeverAwaited():
            return f"never awaited: {safe_lines(str(error))}"
        case Unfinished():
            return f"not finished: {safe_lines(str(error))}"
        case Endless():
            return f"no end: {error}"
        case Uncontrolled():
            return f"not under control: {error}"
        case OutOfControl():
            return f"refused: {safe_lines(str(error))}"
        case _:
            who = f" in {run.failed_task.name}" if run.failed_task is not None else ""
            text = _text_of(error).strip()
            return f"{type(error).__name__}{who}" + (f": {safe_lines(text)}" if text else "")


def safe_lines(text: str) -> str:
    return "\n".join(visible(line) for line in text.splitlines())


def rows_of(run: Run) -> list[Row]:
    """Steps at one line of one task in a row are one row."""
    rows: list[Row] = []
    shared = _shared_places(run)
    for number, task, operation in _parts(run):
        if operation.kind in (BEGIN, END, BLOCK, "loop") or operation.code is None or operation.file in ASYNCIO:
            continue
        if operation.kind == ACCESS and shared.isdisjoint(operation.reads + operation.writes):
            continue
        place = f"{os.path.basename(operation.file)}:{operation.line}"
        source = linecache.getline(operation.file, operation.line).strip()
        value = operation.value or run.values.get(number, "")
        words = operation.words()
        if value and not words.endswith("()"):
            words += f" = {value}"
        if rows and rows[-1].task == task and rows[-1].place == place:
            rows[-1] = rows[-1]._replace(words=(*rows[-1].words, words))
        else:
            rows.append(Row(task, source, place, (words,)))
    return rows


def _parts(run: Run) -> Iterator[tuple[int, int, Operation]]:
    """Steps, and what is done in those that are blocks of coroutines: number of the step, task, operation."""
    for number, (task, operation) in enumerate(run.steps):
        if operation.parts:
            for part in operation.parts:
                yield -1, task, part
        else:
            yield number, task, operation


def _shared_places(run: Run) -> set[Place]:
    """Places that several tasks touch, one of them writing: accesses to others explain nothing."""
    tasks: dict[Place, set[int]] = {}
    written: set[Place] = set()
    for task, operation in run.steps:
        for place in operation.reads + operation.writes:
            tasks.setdefault(place, set()).add(task)
        written.update(operation.writes)
    return {place for place in written if len(tasks[place]) > 1}


def lanes(tasks: list[str], rows: list[Row], width: int = 118) -> str:
    """A column for each task; the line of the program in the column of who runs it."""
    number = len(str(len(rows)))
    shown = sorted({row.task for row in rows})
    wide = max(14, min(44, (width - number - 36) // max(len(shown), 1)))
    place_width = max((len(row.place) for row in rows), default=0)
    lines = [" " * (number + 2) + "".join(_cut(visible(tasks[task]), wide) for task in shown).rstrip()]
    for index, row in enumerate(rows, 1):
        cells = "".join(_cut(visible(row.source) if task == row.task else "", wide) for task in shown)
        told = [visible(word) for word in dict.fromkeys(row.words) if word]
        lines.append(f"{index:>{number}}  {cells}{row.place:<{place_width}}  {'; '.join(told)}".rstrip())
    return "\n".join(lines)


def _cut(text: str, width: int) -> str:
    return (text if len(text) < width else text[: width - 3] + "… ").ljust(width)


def _stack(error: BaseException) -> str:
    if isinstance(error, Stopped):
        return ""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if f"{os.sep}kripke{os.sep}testing{os.sep}" not in frame.filename and frame.filename not in ASYNCIO
    ]
    return safe_lines("".join(traceback.format_list(frames)).rstrip())


def _last_line(error: BaseException) -> Any:
    frames = traceback.extract_tb(error.__traceback__)
    return (frames[-1].filename, frames[-1].lineno) if frames and not isinstance(error, Stopped) else None
