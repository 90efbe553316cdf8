"""Checks and runs that an editor starts: ``kripke`` in a process of its own, so that the editor never waits."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
from dataclasses import dataclass
from typing import Any

from kripke.languages.editing.document import Problem, Range
from kripke.numbers import counted

_TIME_LIMIT = "300"  # seconds of a check that nobody else limits
_STEPS = "100"
_PLACE = re.compile(r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?:error: )?(?P<message>.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """``html``: a file with the whole report; ``problems``: what to show in the text; ``text``: what a run printed."""

    verdict: str
    message: str
    html: str | None = None
    problems: tuple[Problem, ...] = ()
    text: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"verdict": self.verdict, "message": self.message, "html": self.html, "text": self.text}


class Commands:
    """What is running, and where reports go while the editor is open."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._running: set[asyncio.subprocess.Process] = set()

    def close(self) -> None:
        for process in self._running:
            process.terminate()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def report_file(self, path: str) -> str:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="kripke-editor-")
        name = re.sub(r"\W+", "_", os.path.basename(path))
        return os.path.join(self._folder.name, f"{name}.html")

    async def check(self, path: str, property_: str | None) -> Outcome:
        path = os.path.abspath(path)  # never an option
        html = self.report_file(path)
        arguments = ["check", path, "--json", "--html", html, "--time-limit", _TIME_LIMIT]
        if property_ is not None:
            arguments += ["--property", property_]
        output, errors, code = await self._run(arguments)
        try:
            result = json.loads(output)
        except ValueError:
            return _failed(path, errors, code)
        return Outcome(result["verdict"], _message(result), html, tuple(_problems(result, path)))

    async def simulate(self, path: str) -> Outcome:
        output, errors, code = await self._run(["simulate", os.path.abspath(path), "--steps", _STEPS])
        if code == 2:
            return _failed(path, errors, code)
        return Outcome("simulated", f"a run of {os.path.basename(path)}", text=output)

    async def _run(self, arguments: list[str]) -> tuple[str, str, int]:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "kripke",
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        self._running.add(process)
        try:
            output, errors = await process.communicate()
        except asyncio.CancelledError:
            process.terminate()
            raise
        finally:
            self._running.discard(process)
        return output.decode("utf-8", "replace"), errors.decode("utf-8", "replace"), process.returncode or 0


def _failed(path: str, errors: str, code: int) -> Outcome:
    """Nothing was checked: the first words of why."""
    place = _PLACE.search(errors)
    if place is not None:
        line = int(place["line"]) - 1
        here = os.path.realpath(place["file"]) == os.path.realpath(path)
        problem = Problem(Range(line if here else 0, 0, line if here else 0, 1_000), place["message"], "error")
        return Outcome("error", place["message"], problems=(problem,))
    words = errors.strip().splitlines()
    return Outcome("error", words[0].removeprefix("error: ") if words else f"kripke ended with code {code}")


def _message(result: dict[str, Any]) -> str:
    """``violated: assertion violated (3 states)``."""
    asked = result.get("reason") or result.get("property") or ""
    return f"{result['verdict']}: {asked}, {counted(result['states'], 'state')}"


def _problems(result: dict[str, Any], path: str) -> list[Problem]:
    """One for each property that does not hold, at the place of its error."""
    found: list[Problem] = []
    for asked in result.get("properties") or [result]:
        if asked["verdict"] != "violated":
            continue
        place = asked.get("place") or {}
        here = os.path.realpath(place.get("file", path)) == os.path.realpath(path)
        line = place.get("line", 1) - 1 if here else 0
        column = place.get("column", 1) - 1 if here else 0
        reason = asked.get("reason") or asked.get("property") or asked.get("name", "")
        problem = Problem(Range(line, column, line, column + 1_000), f"{asked['kind']}: {reason}", "error")
        if problem not in found:  # an assertion may fail on the way to every property
            found.append(problem)
    return found
