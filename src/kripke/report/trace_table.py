"""A trace as a table: step, process, place, statement, what changed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kripke.model.model import Statement
from kripke.model.source import Span
from kripke.model.trace import Difference, Step, Trace
from kripke.report.multisets import exchanged, is_multiset
from kripke.report.terminal import Terminal, wrap

_Cells = tuple[str, str, str, str, str]
_HEADS: _Cells = ("step", "process", "place", "statement", "changes")
_GAP = "  "
_NARROWEST = 16  # of the two last columns
_MOST_PARTS, _ENDS = 12, 3  # statements of a step: so many are shown, or so many of the first and of the last
_LANES = ("cyan", "magenta", "green", "yellow", "blue")


@dataclass(frozen=True, slots=True)
class _Row:
    """One line of the table before it is cut to measure; a ``note`` takes the whole line instead."""

    cells: _Cells = ("", "", "", "", "")
    note: str = ""
    alarming: bool = False
    warning: bool = False


def trace_table(trace: Trace, terminal: Terminal, *, full: bool = False) -> Iterator[str]:
    """The lines of the table. Unless ``full``, turns of loops are shown once, and of a long trace not the middle."""
    if not trace.steps:
        yield "  no step: the initial state itself"
        return
    rows = list(_rows(trace, full))
    yield from format_rows(rows, terminal)


def step_rows(step: Step, *, full: bool = True) -> Iterator[_Row]:
    """The lines of one step: one per statement, the changes beside the last. Unless ``full``, of a long atomic sequence
    not the middle."""
    changes = changes_text(step.effects)
    left_out = range(0) if full or len(step.parts) <= _MOST_PARTS else range(_ENDS, len(step.parts) - _ENDS)
    for index, part in enumerate(step.parts):
        if index in left_out:
            if index == left_out.start:
                yield _Row(note=f"... {len(left_out):,} statements of the same atomic step ...")
            continue
        last = index == len(step.parts) - 1
        yield _Row(
            (
                str(step.number) if index == 0 else "",
                step.actor_of(part),
                statement_place(step.model.statements[part.statement]),
                step.model.explain_part(part),
                changes if last else "",
            )
        )
    if not step.parts and not step.violations:
        yield _Row((str(step.number), "", "", "(nothing can move: the run stays as it is)", changes))
    for code, _ in step.violations:
        yield _Row(note=f"*** {step.model.violation_kinds[code].text} ***", alarming=True)


def place_text(span: Span) -> str:
    """File and line; empty for a place outside any text."""
    return f"{os.path.basename(span.file)}:{span.line}" if span.line else ""


def statement_place(statement: Statement) -> str:
    """Its place; of a text that is called, also from where: ``m.pml:2 (called at 7)``."""
    place = place_text(statement.span)
    if not statement.calls:
        return place
    calls = (call for call in statement.calls if call.line)
    shown = (str(call.line) if call.file == statement.span.file else place_text(call) for call in calls)
    return f"{place} (called at {', '.join(shown)})"


def numbers_observer(name: str, value: str) -> bool:
    """Is this the state of an observer that was made from a formula? Its number says nothing to a person."""
    return name.startswith("(") and value.replace("/", "").isdigit()


def changes_text(differences: Sequence[Difference]) -> str:
    """The changed values. A name that ends in ``@`` is where a process stands: of these, only births and ends count."""
    differences = [change for change in differences if not numbers_observer(change.name, change.new or "")]
    ended = tuple(f"{name[:-1]}." for name, _, new in differences if new is None and name.endswith("@"))
    shown = (
        _change(difference)
        for difference in differences
        if not (ended and difference.new is None and difference.name.startswith(ended))
    )
    return ", ".join(text for text in shown if text)


def _change(difference: Difference) -> str:
    name, old, new = difference
    if name.endswith("@"):
        return f"{name[:-1]} starts" if old is None else f"{name[:-1]} ends" if new is None else ""
    if old is None:
        return f"{name} = {new}"
    if new is None:
        return f"{name} gone"
    if is_multiset(old) or is_multiset(new):
        return f"{name} {exchanged(old, new)}"
    return f"{name}: {old} -> {new}"


def _rows(trace: Trace, full: bool) -> Iterator[_Row]:
    from kripke.report.folding import Fold, folded

    for entry in range(len(trace)) if full else folded(trace):
        if isinstance(entry, Fold):
            changes = changes_text(entry.changes)
            yield _Row(note=f"... {entry.text}{': ' if changes else ''}{changes} ...")
            continue
        if entry == trace.loop_start:
            yield _Row(note="--- from here on the steps repeat for ever ---")
        yield from step_rows(trace.steps[entry], full=full)
        if entry == trace.deciding and entry < len(trace) - 1:
            yield _Row(note="^^^ from here on every run ends in an error ^^^", warning=True)


def format_rows(rows: Sequence[_Row], terminal: Terminal) -> Iterator[str]:
    """The table under its heads, every column as wide as it must be and the whole within the terminal."""
    heads = _HEADS
    if _crowded([row.cells for row in rows if not row.note], terminal):
        # The name of the only file takes room that statements need.
        rows = [replace(row, cells=_by_line(row.cells)) for row in rows]
        heads = _by_line(heads, "line")
    widths = column_widths([row.cells for row in rows if not row.note], terminal, heads)
    yield terminal.style(_line(heads, widths), "dim")
    for row in rows:
        yield from format_row(row, widths, terminal)


def _crowded(cells: Sequence[_Cells], terminal: Terminal) -> bool:
    """Is there not enough room, and only one file?"""
    if terminal.width is None or len({row[2].rpartition(":")[0] for row in cells if row[2]}) != 1:
        return False
    needs = [max(len(row[column]) for row in (*cells, _HEADS)) for column in range(5)]
    return sum(needs) + 4 * len(_GAP) > terminal.width


def _by_line(cells: _Cells, place: str | None = None) -> _Cells:
    number, process, full, statement, changes = cells
    return number, process, full.rpartition(":")[2] if place is None else place, statement, changes


def format_row(row: _Row, widths: Sequence[int | None], terminal: Terminal) -> Iterator[str]:
    if row.note:
        indent = " " * ((widths[0] or 0) + len(_GAP))
        styles = ("bold", "red") if row.alarming else ("yellow",) if row.warning else ("dim",)
        room = None if terminal.width is None else max(terminal.width - len(indent), _NARROWEST)
        yield from (terminal.style(indent + line, *styles) for line in wrap(row.note, room))
        return
    number, process, place, statement, changes = row.cells
    statements = wrap(statement, widths[3])
    changed = wrap(changes, widths[4])
    for index in range(max(len(statements), len(changed))):
        first = index == 0
        yield _line(
            (
                number if first else "",
                process if first else "",
                place if first else "",
                statements[index] if index < len(statements) else "",
                changed[index] if index < len(changed) else "",
            ),
            widths,
            terminal,
        )


def column_widths(
    cells: Sequence[tuple[str, ...]], terminal: Terminal, heads: tuple[str, ...] = _HEADS
) -> list[int | None]:
    """What each column needs; the statement and the changes share what is left of the terminal's width."""
    needs = [max(len(row[column]) for row in (*cells, heads)) for column in range(5)]
    if not any(row[1] for row in cells):
        needs[1] = 0  # a net has no processes
    if terminal.width is None:
        return [*needs]
    left = terminal.width - sum(needs[:3]) - 4 * len(_GAP)
    if needs[3] + needs[4] > left:
        half = max(left // 2, _NARROWEST)
        needs[3] = min(needs[3], max(half, left - needs[4]))
        needs[4] = max(left - needs[3], _NARROWEST)
    return [*needs]


def _line(cells: Sequence[str], widths: Sequence[int | None], terminal: Terminal | None = None) -> str:
    padded = [  # a width of 0: there is no such column
        cell.rjust(width or 0) if column == 0 else cell.ljust(width or 0)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    if terminal is not None and terminal.colour:
        padded[0] = terminal.style(padded[0], "dim")
        if cells[1]:  # not on the further lines of a long statement
            padded[1] = terminal.style(padded[1], lane_colour(cells[1]))
            padded[3] = terminal.style(padded[3], lane_colour(cells[1]))
        padded[2] = terminal.style(padded[2], "dim")
    if not widths[1]:
        del padded[1]
    return _GAP.join(padded).rstrip()


def lane_colour(process: str) -> str:
    """The colour of a process: of neighbours, and of the processes of a small model, a different one for each."""
    number = process.rpartition(":")[2]
    return _LANES[int(number) % len(_LANES)] if number.isascii() and number.isdigit() else _LANES[0]
