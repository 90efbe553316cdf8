"""The results of a sweep: one row for every check, and matrices that put them side by side."""

from __future__ import annotations

import csv
import html
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from kripke.engines.plan import Unsupported
from kripke.report.record import COMPLETE, ERROR, SKIPPED, CheckRecord

Row = Mapping[str, Any]
_NUMBERS = ("states", "transitions", "depth")
#: how much a verdict says about a cell with several checks: the first of these that is there
_WEIGHT = ("finding", ERROR, "unknown", "expected", SKIPPED)
_STYLE = """body { font: 15px/1.5 system-ui, sans-serif; margin: 2em; color: #222; background: #fff }
table { border-collapse: collapse; margin: 0 0 2em } th, td { border: 1px solid #bbb; padding: .3em .7em }
th { background: #f2f2f2; text-align: left } td { text-align: center } a { color: inherit }
.finding { background: #f8c9c4 } .expected { background: #d5efd2 } .unknown { background: #fbeab5 }
.error { background: #e4cbe9 } .skipped { color: #777 } small { color: #555 }
td.left { text-align: left }
@media (prefers-color-scheme: dark) { body { background: #1b1b1b; color: #ddd } th { background: #2a2a2a }
.finding { background: #6d2821 } .expected { background: #214d1e } .unknown { background: #5d4c0d }
.error { background: #4d2a55 } small { color: #aaa } }
"""


def sweep_row(values: Mapping[str, Any], name: str, record: CheckRecord, folder: str) -> dict[str, Any]:
    """What a table says about one check. ``page`` is relative to the folder of the results."""
    result = record.result or {}
    return {
        **values,
        "property": name,
        "verdict": record.verdict,
        "kind": result.get("kind"),
        **{key: result.get(key) for key in _NUMBERS},
        "seconds": round(record.seconds, 3),
        "finding": record.is_finding,
        "reason": record.reason,
        "page": None if record.page is None else os.path.relpath(record.page, folder).replace(os.sep, "/"),
    }


def csv_text(rows: Sequence[Row]) -> str:
    written = io.StringIO()
    writer = csv.DictWriter(written, list(rows[0]) if rows else ["verdict"], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: str(value).lower() if isinstance(value, bool) else value for key, value in row.items()})
    return written.getvalue()


def write_parquet_rows(rows: Sequence[Row], path: str) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise Unsupported(f"Parquet needs pyarrow ({error}); install it with: pip install 'kripke[data]'") from error
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    # a parameter with values of several types is a text
    mixed = {name for name, values in columns.items() if len({type(v) for v in values if v is not None}) > 1}
    tidy = {
        name: [None if v is None else str(v) for v in values] if name in mixed else values
        for name, values in columns.items()
    }
    pq.write_table(pa.table(tidy), path)


# --- matrices ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """The checks that meet in one row and one column."""

    rows: tuple[Row, ...]

    @property
    def sort(self) -> str:
        """finding, error, unknown, expected or skipped; empty where nothing was checked."""
        sorts = {_sort(row) for row in self.rows}
        return next((sort for sort in _WEIGHT if sort in sorts), "")

    @property
    def first(self) -> Row | None:
        return next((row for row in self.rows if _sort(row) == self.sort), None)

    @property
    def text(self) -> str:
        first = self.first
        return "-" if first is None else str(first["verdict"])


@dataclass(frozen=True)
class Matrix:
    """``cells[row][column]``; every heading is the values of the parameters it stands for."""

    title: str
    corner: str
    row_names: Sequence[str]
    column_names: Sequence[str]
    cells: Sequence[Sequence[Cell]]


def matrices(rows: Sequence[Row], layout: Mapping[str, Sequence[str]]) -> list[Matrix]:
    """One for each combination of the parameters in ``tables``."""
    down, across, apart = (list(layout[key]) for key in ("rows", "columns", "tables"))
    made = []
    for part in dict.fromkeys(_key(row, apart) for row in rows):
        inside = [row for row in rows if _key(row, apart) == part]
        lines = list(dict.fromkeys(_key(row, down) for row in rows))
        columns = list(dict.fromkeys(_key(row, across) for row in rows))
        at: dict[tuple[Any, Any], list[Row]] = {}
        for row in inside:
            at.setdefault((_key(row, down), _key(row, across)), []).append(row)
        cells = [[Cell(tuple(at.get((line, column), ()))) for column in columns] for line in lines]
        title = ", ".join(f"{name} {value}" for name, value in zip(apart, part, strict=True))
        corner = " ".join(down) + (" \\ " + " ".join(across) if across else "")
        made.append(Matrix(title, corner, [_words(line) for line in lines], [_words(c) for c in columns], cells))
    return made


def _key(row: Row, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


def _words(key: tuple[Any, ...]) -> str:
    return " ".join(map(str, key))


def _sort(row: Row) -> str:
    if row["finding"]:
        return "finding"
    return "expected" if row["verdict"] in COMPLETE else str(row["verdict"])


def matrix_lines(matrix: Matrix) -> Iterator[str]:
    """For a terminal."""
    if matrix.title:
        yield matrix.title
    first = max(len(matrix.corner), *(len(name) for name in matrix.row_names))
    texts = [[cell.text for cell in line] for line in matrix.cells]
    widths = [max(len(name), *(len(line[n]) for line in texts)) for n, name in enumerate(matrix.column_names)]
    yield "  ".join([matrix.corner.ljust(first), *map(str.ljust, matrix.column_names, widths)]).rstrip()
    for name, line in zip(matrix.row_names, texts, strict=True):
        yield "  ".join([name.ljust(first), *map(str.ljust, line, widths)]).rstrip()


def sweep_page(title: str, rows: Sequence[Row], layout: Mapping[str, Sequence[str]], log: Sequence[str]) -> str:
    """An HTML page without scripts: matrices first, then every check; counterexamples are linked."""
    body = [f"<h1>{html.escape(title)}</h1>"]
    for matrix in matrices(rows, layout) if rows else ():
        body.extend(_matrix_html(matrix))
    body.append(f"<h2>All checks</h2><table>{_head(list(rows[0]) if rows else [])}")
    body.extend("<tr>" + "".join(_field(row, key) for key in row) + "</tr>" for row in rows)
    body.append("</table>")
    if log:
        body.append("<h2>Log</h2><pre>" + html.escape("\n".join(log)) + "</pre>")
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head><body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _head(names: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in names if name != "page") + "</tr>"


def _field(row: Row, key: str) -> str:
    if key == "page":
        return ""
    value = row[key]
    text = "" if value is None else html.escape(str(value).lower() if isinstance(value, bool) else str(value))
    if key == "verdict":
        return f'<td class="{_sort(row)}">{_linked(text, row)}</td>'
    return f'<td class="left">{text}</td>'


def _linked(text: str, row: Row) -> str:
    return text if row["page"] is None else f'<a href="{html.escape(quote(row["page"]))}">{text}</a>'


def _matrix_html(matrix: Matrix) -> Iterator[str]:
    yield f"<h2>{html.escape(matrix.title)}</h2>" if matrix.title else "<h2>Matrix</h2>"
    yield "<table>" + _head([matrix.corner, *matrix.column_names])
    for name, line in zip(matrix.row_names, matrix.cells, strict=True):
        yield f"<tr><th>{html.escape(name)}</th>{''.join(map(_cell_html, line))}</tr>"
    yield "</table>"


def _cell_html(cell: Cell) -> str:
    first = cell.first
    if first is None:
        return "<td>-</td>"
    checked = sum(row["verdict"] != SKIPPED for row in cell.rows)
    more = f"<br><small>{checked} checked</small>" if len(cell.rows) > 1 else ""
    return f'<td class="{cell.sort}">{_linked(html.escape(cell.text), first)}{more}</td>'
