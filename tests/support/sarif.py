"""Is a log what SARIF 2.1.0 wants? The parts of its schema that we write, strictly: no other key is let through."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_MESSAGE = {"text": str}
_LOCATION = {
    "physicalLocation": {
        "artifactLocation": {"uri": "uri"},
        "region": {"startLine": "positive", "startColumn": "positive"},
    },
    "message?": _MESSAGE,
}
_RESULT = {
    "ruleId": str,
    "level": ("none", "note", "warning", "error"),
    "message": _MESSAGE,
    "locations": [_LOCATION],
    "codeFlows?": [{"threadFlows": [{"locations": [{"location": _LOCATION}]}]}],
}
_RULE = {"id": str, "shortDescription": _MESSAGE}
_LOG = {
    "$schema": "uri",
    "version": ("2.1.0",),
    "runs": [
        {
            "tool": {"driver": {"name": str, "version": str, "rules": [_RULE]}},
            "results": [_RESULT],
            "columnKind": ("utf16CodeUnits", "unicodeCodePoints"),
        }
    ],
}
_URI = re.compile(r"([a-z][a-z0-9+.-]*:)?([A-Za-z0-9._~!$&'()*+,;=:@/?#-]|%[0-9A-Fa-f]{2})*")


def problems_of(log: object) -> list[str]:
    """What is wrong with it; also rules that are named twice, or not declared."""
    found = list(_misfits(log, _LOG, "log"))
    if found or not isinstance(log, dict):
        return found
    for run in log["runs"]:
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        found += [f"rule {name} is there twice" for name in rules if rules.count(name) > 1]
        found += [f"no rule {result['ruleId']}" for result in run["results"] if result["ruleId"] not in rules]
        for result in run["results"]:
            for flow in result.get("codeFlows", []):
                found += ["a thread flow is empty" for thread in flow["threadFlows"] if not thread["locations"]]
    return found


def _misfits(value: Any, shape: Any, where: str) -> Iterator[str]:
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            yield f"{where} is no object"
            return
        names = {name.rstrip("?"): inner for name, inner in shape.items()}
        yield from (f"{where} has {name}" for name in value.keys() - names.keys())
        needed = {name for name in shape if not name.endswith("?")}
        yield from (f"{where} lacks {name}" for name in needed - value.keys())
        for name, inner in value.items():
            yield from _misfits(inner, names.get(name, type(inner)), f"{where}.{name}")
    elif isinstance(shape, list):
        if not isinstance(value, list):
            yield f"{where} is no array"
            return
        for number, inner in enumerate(value):
            yield from _misfits(inner, shape[0], f"{where}[{number}]")
    elif isinstance(shape, tuple):
        if value not in shape:
            yield f"{where} is {value!r}"
    elif shape == "positive":
        if type(value) is not int or value < 1:
            yield f"{where} is {value!r}"
    elif shape == "uri":
        if not isinstance(value, str) or not _URI.fullmatch(value):
            yield f"{where} is no URI: {value!r}"
    elif not isinstance(value, shape):
        yield f"{where} is {value!r}"
