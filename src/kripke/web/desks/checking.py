"""The desk of a check: one run, with its progress as it goes and the report at its end.

It answers nobody. It writes a line of JSON whenever there is something to say: ``progress`` about ten times a second,
at the end ``done`` or ``failed``. Report and traces lie in its folder by then.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kripke.cli.check import checked_in_time, page_of
from kripke.cli.main import ends_by_interrupt
from kripke.cli.request import request_of
from kripke.engines.explicit.search import Progress
from kripke.model.result import Result
from kripke.model.trace import Step, Trace
from kripke.model.wrapper import Wrapper
from kripke.web.desks.answering import settle, words_of
from kripke.web.desks.asked import options_of_page
from kripke.web.desks.questions import enter

_KEPT = (
    *("verdict", "reason", "property", "kind", "states", "transitions", "depth", "errors", "state_bytes"),
    *("store_bytes", "seconds", "compile_seconds", "clarify_seconds", "complete", "place", "warnings"),
)
_MOST_TRACES = 20
_LONGEST_TRACE = 50_000  # steps, that can be explored from the workbench


def work(setting: Mapping[str, Any]) -> None:
    ends_by_interrupt()
    settle(setting, programs=True)
    enter(setting)
    output = sys.stdout
    sys.stdout = sys.stderr

    def say(what: str, content: object) -> None:
        output.write(json.dumps({what: content}) + "\n")
        output.flush()

    try:
        say("done", _checked(setting, lambda now: say("progress", list(now))))
    except KeyboardInterrupt:
        say("failed", "stopped before anything was known")
    except Exception as error:
        say("failed", words_of(error))


def _checked(setting: Mapping[str, Any], watch: Any) -> dict[str, Any]:
    def seen(now: Progress) -> None:
        watch(now)

    options = options_of_page(setting, setting["words"])
    options.memory = min(options.memory or setting["memory"], setting["memory"])
    options.time_limit = min(options.time_limit or setting["time_limit"], setting["time_limit"])
    request = request_of(options)
    result = checked_in_time(request, options, [], seen)
    with open(os.path.join(setting["scratch"], "report.html"), "w", encoding="utf-8") as file:
        file.write(page_of(result, request, setting["words"]))
    traces = [finding.trace for finding in result.findings[:_MOST_TRACES]]
    for number, trace in enumerate(traces):
        if trace is not None and len(trace) <= _LONGEST_TRACE:
            of_the_model(trace).save(os.path.join(setting["scratch"], f"trace{number}.json"))
    return summary(result)


def of_the_model(trace: Trace) -> Trace:
    """The same run without what watches it (an automaton, a count of preemptions)."""
    model, initial, steps = trace.model, trace.initial, trace.moves
    while isinstance(model, Wrapper):
        inner, base = model.inner_state, model.base
        initial = inner(initial) if initial else initial
        steps = tuple(
            Step(base, s.number, inner(s.before), s.parts, None if s.state is None else inner(s.state), s.violations)
            for s in steps
        )
        known = len(base.violation_kinds)
        steps = tuple(replace(s, violations=tuple(v for v in s.violations if v.code < known)) for s in steps)
        model = base
    return replace(trace, model=model, initial=initial, steps=steps)


def summary(result: Result) -> dict[str, Any]:
    """What lists and comparisons show of a result; the rest is in the report."""
    record = result.to_json()
    return {name: record[name] for name in _KEPT if name in record} | {
        "engine": {name: value for name, value in result.engine.items() if isinstance(value, (str, int, float, bool))},
        "properties": [
            {"name": part.name, "property": part.property, "verdict": part.verdict, "reason": part.reason}
            for part in result.parts or (result,)
        ],
        "findings": [
            {"message": one.message, "steps": None if one.trace is None else len(one.trace)}
            for one in result.findings[:_MOST_TRACES]
        ],
        "samples": [[round(seconds, 4), states] for seconds, states in result.samples],
        "lines": lines_of(result),
    }


def lines_of(result: Result) -> dict[str, dict[str, list[int]]]:
    """By file and line: statements that were executed, those that were not, and how often (with ``--coverage``)."""
    found: dict[str, dict[str, list[int]]] = {}

    def count(file: str, line: int, executed: bool, times: int) -> None:
        if line and not file.startswith("<"):
            counts = found.setdefault(file, {}).setdefault(str(line), [0, 0, 0])
            counts[0 if executed else 1] += 1
            counts[2] += times

    if result.coverage is not None:
        known = zip(result.coverage.statements, result.coverage.executed, result.coverage.executions, strict=True)
        for number, (statement, executed, times) in enumerate(known):
            if number not in result.coverage.forbidden:
                count(statement.span.file, statement.span.line, executed, times)
        return found
    for statement in result.unreached or ():
        count(statement.span.file, statement.span.line, False, 0)
    return found
