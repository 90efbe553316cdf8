"""Checks in the Static Analysis Results Interchange Format (SARIF 2.1.0, OASIS 2020), for findings in code reviews."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kripke import __version__
from kripke.report.record import CheckRecord, Place

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_MOST_STEPS = 1_000
_RULES = {
    "deadlock": "No process can move, and not all of them have come to a valid end.",
    "assertion": "An assertion fails.",
    "invariant": "A state breaks an invariant.",
    "evaluation": "A condition cannot be evaluated.",
    "ltl": "A run breaks a formula of linear temporal logic.",
    "unknown": "The check came to no end: the report says why.",
    "error": "The model cannot be read or checked.",
    "warning": "Something in the text of the model looks like a mistake.",
    "expectation": "A check has another result than the project expects.",
}


def sarif_text(records: Sequence[CheckRecord]) -> str:
    """One result for each check that is not passed, with its trace as a code flow, and for each warning."""
    results = [result for record in records for result in _results(record)]
    rules = [{"id": name, "shortDescription": {"text": _described(name)}} for name in _used(results)]
    driver = {"name": "Kripke", "version": __version__, "rules": rules}
    run = {"tool": {"driver": driver}, "results": results, "columnKind": "unicodeCodePoints"}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _used(results: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(result["ruleId"] for result in results))


def _described(rule: str) -> str:
    return _RULES.get(rule, f"A {rule} error.")


def _results(record: CheckRecord) -> Iterator[dict[str, Any]]:
    if not record.passed:
        found: dict[str, Any] = {
            "ruleId": _rule(record),
            "level": "warning" if record.verdict == "unknown" and not record.expected else "error",
            "message": {"text": record.message},
            "locations": [_location(record.where)],
        }
        flow = list(_steps(record))
        if flow:
            found["codeFlows"] = [{"threadFlows": [{"locations": flow}]}]
        yield found
    for place, text in record.warnings():
        yield {
            "ruleId": "warning",
            "level": "warning",
            "message": {"text": text},
            "locations": [_location(place)],
        }


def _rule(record: CheckRecord) -> str:
    if record.expected and record.verdict == record.expected.get("verdict"):
        return "expectation"
    if record.expected and record.verdict in ("holds", "possible"):
        return "expectation"
    return "unknown" if record.verdict == "unknown" else record.kind


def _steps(record: CheckRecord) -> Iterator[dict[str, Any]]:
    trace = None if record.result is None else record.result.get("trace")
    for number, step in enumerate((trace or {"steps": []})["steps"][:_MOST_STEPS], start=1):
        for statement in step["statements"]:
            if statement["line"] and not statement["file"].startswith("<"):
                place = Place(statement["file"], statement["line"], max(statement["column"], 1))
                text = f"step {number}: {statement['actor']} {statement['text']}"
                yield {"location": _location(place) | {"message": {"text": text}}}


def _location(place: Place) -> dict[str, Any]:
    region = {"startLine": max(place.line, 1), "startColumn": max(place.column, 1)}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(place.file)}, "region": region}}


def _uri(file: str) -> str:
    """Relative to the folder the command was started in, where the file lies below it."""
    whole = os.path.abspath(file)
    below = os.path.relpath(whole)
    return Path(whole).as_uri() if below.startswith("..") else quote(below.replace(os.sep, "/"))
