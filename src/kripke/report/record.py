"""``CheckRecord``: what remains of one check among many, for tables and for other tools."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kripke.model.result import EXIT_CODES

ERROR = "error"
SKIPPED = "skipped"
COMPLETE = ("holds", "violated", "possible", "impossible")
_WARNING = re.compile(r"(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): warning: (?P<text>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Place:
    """Where in which file; lines and columns count from 1."""

    file: str
    line: int = 1
    column: int = 1

    @classmethod
    def read(cls, written: Mapping[str, Any] | None) -> Place | None:
        return None if written is None else cls(written["file"], written["line"], written["column"])

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class CheckRecord:
    """One check: of which file, under which name, what was found. ``result`` is the JSON object of the check, None
    where the model could not be read; ``text`` its report. ``expected``: what was to be found, by the keys of
    ``result``; without it everything is to hold. ``files``: what the result was made from. ``page``: the HTML page that
    shows its trace, where one was asked for and there is a trace."""

    file: str
    name: str
    verdict: str
    reason: str
    seconds: float = 0.0
    place: Place | None = None
    result: Mapping[str, Any] | None = None
    text: str = ""
    expected: Mapping[str, Any] = field(default_factory=dict)
    files: Sequence[str] = ()
    cached: bool = False
    page: str | None = None

    @property
    def differences(self) -> list[str]:
        """What is not as it was expected."""
        if self.result is None:
            return [self.reason] if self.expected else []
        return [
            f"{key} is {self.result.get(key)!r}, expected {value!r}"
            for key, value in self.expected.items()
            if self.result.get(key) != value
        ]

    @property
    def passed(self) -> bool:
        if self.expected:
            return self.result is not None and not self.differences
        return self.exit_code == 0

    @property
    def is_finding(self) -> bool:
        """Did the check come to an end, with another answer than the expected one?"""
        return self.verdict in COMPLETE and not self.passed

    @property
    def exit_code(self) -> int:
        if self.verdict == SKIPPED:
            return 0
        return 2 if self.verdict == ERROR else EXIT_CODES[self.verdict]  # type: ignore[index]

    @property
    def message(self) -> str:
        """One line for somebody who reads a review."""
        return "; ".join(self.differences) or self.reason or self.verdict

    @property
    def where(self) -> Place:
        return self.place or Place(self.file)

    @property
    def kind(self) -> str:
        return ERROR if self.result is None else str(self.result.get("kind", self.verdict))

    def warnings(self) -> list[tuple[Place, str]]:
        """Those about places of the text."""
        written = () if self.result is None else self.result.get("warnings", ())
        found = (_WARNING.fullmatch(warning) for warning in written)
        return [(Place(m["file"], int(m["line"]), int(m["column"])), m["text"]) for m in found if m is not None]

    def to_json(self) -> dict[str, Any]:
        """The object of ``--json``: that of the check, or what is wrong with the model."""
        if self.result is not None:
            return dict(self.result)
        place = (
            None
            if self.place is None
            else {"file": self.place.file, "line": self.place.line} | {"column": self.place.column}
        )
        return {"verdict": ERROR, "reason": self.reason, "model": {"file": self.file}, "place": place}


def exit_code(records: Sequence[CheckRecord]) -> int:
    """Of all of them: 2 where one could not be checked, else 1 where one is violated, else 3 where one is unknown."""
    codes = {0 if record.passed else record.exit_code or 1 for record in records}
    return next((code for code in (2, 1, 3) if code in codes), 0)
