"""Checks as JUnit's XML, which servers for continuous integration show as tests."""

from __future__ import annotations

import os
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from kripke.report.record import ERROR, CheckRecord


def junit_xml(records: Sequence[CheckRecord]) -> str:
    """One test for each check. What is violated is a failure; what is unknown or could not be read is an error."""
    failures = sum(not record.passed and _element(record) == "failure" for record in records)
    errors = sum(not record.passed and _element(record) == "error" for record in records)
    seconds = sum(record.seconds for record in records)
    counts = f'tests="{len(records)}" failures="{failures}" errors="{errors}" skipped="0" time="{seconds:.3f}"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="kripke" {counts}>']
    lines.append(f'  <testsuite name="kripke" {counts}>')
    for record in records:
        lines += _case(record)
    lines += ["  </testsuite>", "</testsuites>"]
    return "\n".join(lines) + "\n"


def _case(record: CheckRecord) -> list[str]:
    folder = os.path.dirname(record.file).replace(os.sep, ".") or "models"
    head = (
        f"    <testcase classname={_attribute(folder)} name={_attribute(record.name)} file={_attribute(record.file)} "
        f'line="{record.where.line}" time="{record.seconds:.3f}"'
    )
    if record.passed:
        return [head + "/>"]
    element = _element(record)
    message = f"<{element} message={_attribute(record.message)} type={_attribute(record.kind)}>"
    return [head + ">", f"      {message}{_content(record.text or record.message)}</{element}>", "    </testcase>"]


def _element(record: CheckRecord) -> str:
    return "error" if record.verdict in (ERROR, "unknown") and not record.expected else "failure"


def _content(text: str) -> str:
    return escape(_clean(text))


def _attribute(text: str) -> str:
    return quoteattr(_clean(text), {"\n": "&#10;", "\t": "&#9;"})


def _clean(text: str) -> str:
    """XML cannot hold control characters, nor halves of characters."""
    return "".join(
        c if c in "\n\t" or (c >= " " and not "\ud800" <= c <= "\udfff" and c < "\ufffe") or c > "\uffff" else "?"
        for c in text
    )
