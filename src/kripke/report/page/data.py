"""What the HTML report is about, as plain data: small enough that ten thousand steps are a megabyte."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from shlex import quote
from typing import Any

from kripke.model.capabilities.pictured import marks_of
from kripke.model.diagram import statement_key
from kripke.model.model import Model
from kripke.model.result import Finding, Result
from kripke.model.trace import Step, Trace
from kripke.report.folding import is_local_change
from kripke.report.multisets import exchanged, is_multiset
from kripke.report.page.space import space_data
from kripke.report.sequence import arrows

_MOST_SOURCE = 2_000_000  # characters
_MOST_MARKED = 2_000  # steps


def report_data(result: Result, model: Model | None, *, marked: bool = False) -> dict[str, Any]:
    """Findings with their traces, the texts they point into, and the growth curve. ``marked``: there are pictures."""
    files: dict[str, int] = {}
    findings = [_finding(finding, files, marked) for finding in result.findings]
    samples = result.coverage.samples if result.coverage is not None else ()
    for number, trace in enumerate(samples, start=1):
        sample = Finding("sample", "", f"sample run {number}: something the model can do", trace=trace)
        findings.append(_finding(sample, files, marked))
    traces = [finding.trace for finding in result.findings if finding.trace is not None]
    return {
        "findings": findings,
        "files": list(files),
        "sources": _sources(model, files),
        "space": None if model is None else space_data(model, traces),
        "samples": [[round(seconds, 4), states] for seconds, states in result.samples],
    }


def _sources(model: Model | None, files: Mapping[str, int]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    room = _MOST_SOURCE
    for name, lines in (model.source_files() if model is not None else {}).items():
        room -= sum(map(len, lines))
        if name in files and room > 0:
            found[name] = list(lines)
    return found


def _finding(finding: Finding, files: dict[str, int], marked: bool) -> dict[str, Any]:
    explanation = finding.trace.explanation if finding.trace is not None else None
    return {
        "message": finding.message,
        "fine": finding.kind in ("sample", "possible"),
        "unclear": _way_to_a_clear_run(finding.trace),
        "explanation": None
        if explanation is None or not explanation.reasons
        else {
            "summary": explanation.summary,
            "reasons": [
                {"text": reason.text, "values": [list(value) for value in reason.values]}
                for reason in explanation.reasons
            ],
        },
        "trace": None if finding.trace is None else _TraceData(finding.trace, files, marked).data(),
    }


def _way_to_a_clear_run(trace: Trace | None) -> str | None:
    """A page cannot run the model, but it can say what does; None where the run is as clear as it gets."""
    if trace is None or not trace.unclear:
        return None
    if trace.file is None:
        return "repeat the check with --clarify-limit 60"
    return f"kripke replay {quote(trace.file)}"


def trace_data(trace: Trace, files: dict[str, int]) -> dict[str, Any]:
    """A run by itself, without marks in pictures; ``files`` gets the names of those its steps stand in."""
    return _TraceData(trace, files, marked=False).data()


class _TraceData:
    """Every name and text once; steps refer to them by number."""

    def __init__(self, trace: Trace, files: dict[str, int], marked: bool) -> None:
        self.trace = trace
        self.marked = marked and len(trace) <= _MOST_MARKED
        self.files = files
        self.names: dict[str, int] = {}
        self.texts: dict[str, int] = {}
        self.lanes: dict[str, int] = {}
        self.lane_of_actor: dict[tuple[int, str], int] = {}

    def data(self) -> dict[str, Any]:
        trace = self.trace
        first = trace.model.describe(trace.initial) if trace.initial else {}
        initial = [[self.name(name), self.text(value)] for name, value in first.items()]
        names = list(self._all_actors())
        self.lanes = {name: number for number, name in enumerate(names)}
        messages = arrows(trace)
        involved = {arrow.sent for arrow in messages} | {arrow.received for arrow in messages}
        steps = [
            self._step(step, changes, index in involved)
            for index, step, changes in zip(count(), trace.moves or trace.steps, trace.changes(), strict=False)
        ]
        if trace.moves and len(trace.moves) < len(trace):
            steps[-1]["v"] += self._violations(trace.steps[-1])
        return {
            "lanes": names,
            "initial": initial,
            "steps": steps,
            "messages": [self._message(arrow) for arrow in messages],
            "loop": trace.loop_start,
            "deciding": trace.deciding,
            "omitted": trace.omitted,
            "marks": [[[self.text(key), self.text(mark)] for key, mark in marks.items()] for marks in self._marks()],
            "names": list(self.names),
            "texts": list(self.texts),
        }

    def _marks(self) -> Iterator[Mapping[str, str]]:
        """What pictures show at the start, and after every step: nothing new where it ended in a violation."""
        if not self.marked or not self.trace.initial:
            return
        model, marks = self.trace.model, marks_of(self.trace.model, self.trace.initial)
        yield marks
        for step in self.trace.moves or self.trace.steps:
            marks = marks if step.state is None else marks_of(model, step.state)
            fired = {statement_key(part.statement): "" for part in step.parts}
            yield {**marks, **fired}

    def _all_actors(self) -> list[str]:
        """Processes in the order of their numbers; only those that move."""
        found = {(part.actor, step.actor_of(part)): None for step in self.trace.steps for part in step.parts}
        return list(dict.fromkeys(name for _, name in sorted(found)))

    def name(self, text: str) -> int:
        return self.names.setdefault(text, len(self.names))

    def text(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))

    def _step(self, step: Step, changes: Any, involved: bool) -> dict[str, Any]:
        actors = [step.actor_of(part) for part in step.parts]
        return {
            "a": self.lanes.get(actors[0], 0) if actors else 0,
            "p": [self._part(step, index, actors) for index in range(len(step.parts))],
            "c": [self._change(*change) for change in changes],
            "l": int(not involved and not step.violations and self._is_local(actors, changes)),
            "v": self._violations(step),
            "g": [self.name(name) for name in step.model.forgotten(step.parts)],
        }

    def _violations(self, step: Step) -> list[int]:
        return [self.text(step.model.violation_kinds[code].text) for code, _ in step.violations]

    def _change(self, name: str, old: str | None, new: str | None) -> list[int]:
        change = [self.name(name), self._value(old), self._value(new)]
        if old is not None and new is not None and (is_multiset(old) or is_multiset(new)):
            change.append(self.text(exchanged(old, new)))
        return change

    def _part(self, step: Step, index: int, actors: list[str]) -> list[int]:
        part = step.parts[index]
        statement = step.model.statements[part.statement]
        span = statement.span
        calls = ", ".join(str(call.line) for call in statement.calls)
        called = f"  (called at line {calls})" if calls else ""
        file = self.files.setdefault(span.file, len(self.files)) if span.line else -1
        return [self.lanes[actors[index]], self.text(step.model.explain_part(part) + called), file, span.line]

    def _value(self, value: str | None) -> int:
        return -1 if value is None else self.text(value)

    @staticmethod
    def _is_local(actors: list[str], changes: Any) -> bool:
        """Does the step change nothing but what belongs to its process?"""
        if len(set(actors)) != 1:
            return False
        return is_local_change(actors[0], changes)

    def _message(self, arrow: Any) -> dict[str, Any]:
        steps = self.trace.steps
        sender = self._lane(steps[arrow.sent], arrow.sender)
        receiver = None if arrow.received is None else self._lane(steps[arrow.received], arrow.receiver)
        return {
            "q": arrow.medium,
            "m": arrow.content or arrow.medium,
            "s": arrow.sent,
            "f": sender,
            "r": arrow.received,
            "t": receiver,
        }

    def _lane(self, step: Step, actor: int) -> int:
        return next(self.lanes[step.actor_of(part)] for part in step.parts if part.actor == actor)
