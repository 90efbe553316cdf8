"""Checks as annotations of GitHub's workflows: a line on standard output that marks a line of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kripke.report.record import CheckRecord, Place


def annotation_lines(records: Sequence[CheckRecord]) -> Iterator[str]:
    """An error for each check that is not passed (a warning where it is unknown), and all warnings."""
    for record in records:
        if not record.passed:
            level = "warning" if record.verdict == "unknown" and not record.expected else "error"
            yield _line(level, record.where, f"{record.verdict}: {record.name}", record.message)
        for place, text in record.warnings():
            yield _line("warning", place, "kripke", text)


def _line(level: str, place: Place, title: str, message: str) -> str:
    fields = f"file={_field(place.file)},line={place.line},col={place.column},title={_field(title)}"
    return f"::{level} {fields}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _field(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
