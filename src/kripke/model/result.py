"""``Result``: what a check answers, for people, programs and notebooks."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from kripke.model.model import Statement
from kripke.model.source import NOWHERE, Span
from kripke.model.trace import Trace
from kripke.presentation import presented

if TYPE_CHECKING:
    from kripke.model.answer import Answer
    from kripke.model.coverage import Coverage

Verdict = Literal["holds", "violated", "possible", "impossible", "unknown"]

EXIT_CODES: Mapping[Verdict, int] = {"holds": 0, "violated": 1, "possible": 0, "impossible": 1, "unknown": 3}


@dataclass(frozen=True, slots=True)
class Finding:
    """One error: what sort it is, what it breaks, how to get there.

    ``kind`` is "deadlock", "invariant" or the name of one of the model's violation kinds ("assertion", ...).
    ``trace`` is None where there was no memory or time left to make it; ``unreplayed``: an engine found a path that
    the reference semantics had no time to follow. ``count``: how many errors have this cause, where that is known.
    ``evidence``: what the engine hands over to those who make the trace clear; None where that is done.
    """

    kind: str
    property: str
    message: str
    span: Span = NOWHERE
    trace: Trace | None = None
    unreplayed: bool = False
    count: int | None = None
    evidence: object = field(default=None, repr=False, compare=False)

    def to_json(self) -> dict[str, Any]:
        counted = {} if self.count is None else {"count": self.count}
        return counted | {
            "kind": self.kind,
            "property": self.property,
            "reason": self.message,
            "trace": None if self.trace is None else self.trace.to_json(),
        }


#: results that were asked whether they hold, and do not; pytest shows those of a test that fails
failed_results: deque[Result] = deque(maxlen=3)


@dataclass(frozen=True, slots=True, repr=False)
class Result:
    """The answer of a check; true when it holds, or what was asked for is possible.

    ``findings`` are the errors that were kept: the first, or with ``all_errors`` the first of each sort.
    ``samples`` are (seconds, states) while the search went on, for a curve.
    ``unreached`` are the statements never executed, None unless the search was complete. ``state_bytes`` is the length
    of the longest state seen. ``name`` is that of the property; where several were checked, ``parts`` has a result for
    each, and the figures are those of the first. ``value`` is that of a many-valued formula, one of ``values``.
    ``coverage``: why it holds, where that was asked for. ``answer``: a value and how it was found, where a question
    was asked. ``clarify_seconds``: the time that making traces clear took, after ``seconds``.
    """

    verdict: Verdict
    reason: str
    property: str
    kind: str
    states: int
    transitions: int
    depth: int
    errors: int
    state_bytes: int
    store_bytes: int
    seconds: float
    compile_seconds: float
    engine: Mapping[str, Any]
    complete: bool
    trace: Trace | None
    model: Mapping[str, str]
    version: str
    warnings: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    unreached: tuple[Statement, ...] | None = field(default=None, repr=False)
    statement_count: int = 0
    name: str = "safety"
    interrupted: bool = False
    parts: tuple[Result, ...] = field(default=(), repr=False)
    value: int | None = None
    values: int | None = None
    samples: tuple[tuple[float, int], ...] = field(default=(), repr=False)
    coverage: Coverage | None = field(default=None, repr=False)
    answer: Answer | None = field(default=None, repr=False)
    clarify_seconds: float = 0.0

    def __bool__(self) -> bool:
        good = EXIT_CODES[self.verdict] == 0
        if not good:
            failed_results.append(self)
        return good

    def __repr__(self) -> str:
        said = self.reason or self.property
        return f"<{self.verdict}: {said}, {self.states:,} states>"

    def html(self, path: str | os.PathLike[str] | None = None) -> str:
        """The whole report as a page, as ``kripke check --html`` writes it; with a ``path`` also to that file."""
        page: str = presented(self, "page")
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(page)
        return page

    def exit_code(self) -> int:
        return EXIT_CODES[self.verdict]

    def to_json(self) -> dict[str, Any]:
        """The object ``--json`` prints. The names of its keys are fixed."""
        record: dict[str, Any] = {
            "verdict": self.verdict,
            "reason": self.reason,
            "property": self.property,
            "kind": self.kind,
            "states": self.states,
            "transitions": self.transitions,
            "depth": self.depth,
            "errors": self.errors,
            "state_bytes": self.state_bytes,
            "store_bytes": self.store_bytes,
            "seconds": self.seconds,
            "compile_seconds": self.compile_seconds,
            "clarify_seconds": self.clarify_seconds,
            "engine": dict(self.engine),
            "complete": self.complete,
            "trace": None if self.trace is None else self.trace.to_json(),
            "place": self._place_json(),
            "model": dict(self.model),
            "version": self.version,
            "warnings": list(self.warnings),
        }
        record["properties"] = [part._property_json() for part in self.parts or (self,)]
        if self.values is not None:
            record |= {"value": self.value, "values": self.values}
        if self.coverage is not None:
            record["coverage"] = self.coverage.to_json()
        if answers := self.answers():
            record["formulas"] = [answer.to_json() for answer in answers if answer.figures is None]
            record |= {answer.key: answer.to_json() for answer in answers if answer.figures is not None}
        if self.engine.get("all_errors"):
            record["findings"] = [finding.to_json() for finding in self.findings]
        return record

    def place(self) -> Span:
        """Where the first error is: that of the finding, or else the last statement of its trace in a file."""
        spans = [self.findings[0].span] if self.findings else []
        steps = () if self.trace is None else self.trace.steps[-100:]
        spans += [span for step in reversed(steps) for span in reversed(step.spans)]
        return next((span for span in spans if span.in_file), NOWHERE)

    def _place_json(self) -> dict[str, Any] | None:
        place = self.place()
        return {"file": place.file, "line": place.line, "column": place.column} if place.line else None

    def answers(self) -> tuple[Answer, ...]:
        """To every question, where questions were asked."""
        return tuple(part.answer for part in self.parts or (self,) if part.answer is not None)

    def _property_json(self) -> dict[str, Any]:
        record: dict[str, Any] = {
            "name": self.name,
            "kind": self.kind,
            "property": self.property,
            "verdict": self.verdict,
            "reason": self.reason,
            "states": self.states,
            "transitions": self.transitions,
            "depth": self.depth,
            "errors": self.errors,
            "store_bytes": self.store_bytes,
            "seconds": self.seconds,
            "complete": self.complete,
            "search": self.engine.get("search"),
            "fair": self.engine.get("fair"),
            "place": self._place_json(),
            "trace": None if self.trace is None else self.trace.to_json(),
        }
        return record if self.values is None else record | {"value": self.value, "values": self.values}

    def __str__(self) -> str:
        return presented(self, "text")

    def _repr_html_(self) -> str:
        return presented(self, "html")


def unsearched(reason: str, engine: dict[str, Any], model: dict[str, str]) -> Result:
    """Nothing is known: something ended the check before its search began."""
    from kripke import __version__

    return Result(
        verdict="unknown",
        reason=reason,
        property="",
        kind="safety",
        states=0,
        transitions=0,
        depth=0,
        errors=0,
        state_bytes=0,
        store_bytes=0,
        seconds=0.0,
        compile_seconds=0.0,
        engine=engine,
        complete=False,
        trace=None,
        model=model,
        version=__version__,
    )
