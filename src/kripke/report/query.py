"""SQL over the tables of a state space, answered by DuckDB; the answer as text, CSV or JSON."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from kripke.report.terminal import Terminal

_WIDEST = 60  # a value of a table


class QueryError(Exception):
    """Tables that cannot be read, or a query that is wrong; the message is for the user."""


class Rows(NamedTuple):
    names: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def query(states_file: str, text: str, most: int | None = None) -> Rows:
    """Run a query with the tables ``states`` and ``transitions``. It can read these files and nothing else. Of the
    answer, no more than so many rows."""
    import duckdb

    from kripke.report.parquet import transitions_file

    if os.path.isdir(states_file):
        files = _fragments(states_file)
    elif os.path.isfile(states_file):
        files = {"states": [states_file], "transitions": [transitions_file(states_file)]}
    else:
        raise QueryError(f"cannot read {states_file}: there is no such file")
    connection = duckdb.connect(":memory:")
    try:
        for name, listed in files.items():
            there = [file for file in listed if os.path.isfile(file)]
            for file in there:
                _check_parquet(file)
            if there:
                connection.execute(f"create view {name} as select * from read_parquet([{_quoted(there)}])")
        every = [file for listed in files.values() for file in listed]
        allowed, paths = _quoted([os.path.abspath(file) for file in every]), _quoted(every)
        connection.execute(f"set allowed_paths = [{allowed}, {paths}]")
        connection.execute("set enable_external_access = false")
        if not connection.extract_statements(text):
            raise QueryError('there is no question: write one, such as "select count(*) from states"')
        cursor = connection.execute(text)
        rows = cursor.fetchall() if most is None else cursor.fetchmany(most)
        return Rows(tuple(column[0] for column in cursor.description or ()), rows)
    except duckdb.Error as error:
        raise QueryError(str(error)) from error
    finally:
        connection.close()


def _fragments(folder: str) -> dict[str, list[str]]:
    """The tables of a state space in fragments: all of one kind are one table."""
    from kripke.engines.unsupported import Unsupported
    from kripke.report.fragments import read_fragments

    try:
        found = read_fragments(folder)
    except Unsupported as error:
        raise QueryError(str(error)) from error
    return {
        "states": [found.states_file(worker) for worker in range(found.size)],
        "transitions": [found.transitions_file(worker) for worker in range(found.size)],
    }


def _quoted(files: list[str]) -> str:
    return ", ".join("'" + file.replace("'", "''") + "'" for file in files)


def _check_parquet(file: str) -> None:
    """QueryError unless the file begins and ends as Parquet does."""
    try:
        with open(file, "rb") as opened:
            start = opened.read(4)
            opened.seek(max(os.path.getsize(file) - 4, 0))
            end = opened.read(4)
    except OSError as error:
        raise QueryError(f"cannot read {file}: {error.strerror or error}") from error
    if start != b"PAR1" or end != b"PAR1":
        cut = ", or only the beginning of one" if start == b"PAR1" else ""
        raise QueryError(f"cannot read {file}: it is no Parquet file{cut}; kripke explore MODEL -o {file} writes one")


def rows_table(answer: Rows, terminal: Terminal) -> Iterator[str]:
    """Aligned columns: numbers to the right, everything else to the left."""
    texts = [[_text(value) for value in row] for row in answer.rows]
    widths = [
        max(len(name), *(len(row[i]) for row in texts)) if texts else len(name) for i, name in enumerate(answer.names)
    ]
    right = [
        all(row[i] is None or isinstance(row[i], (int, float)) for row in answer.rows) for i in range(len(answer.names))
    ]

    def line(cells: list[str]) -> str:
        parts = (
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(cells, widths, right, strict=True)
        )
        return "  ".join(parts).rstrip()

    yield terminal.style(line(list(answer.names)), "bold")
    for row in texts:
        yield line(row)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = "" if value is None else str(value)
    return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."


def rows_csv(answer: Rows) -> Iterator[str]:
    import csv
    import io

    for row in (answer.names, *answer.rows):
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow(row)
        yield line.getvalue()


def rows_json(answer: Rows) -> Iterator[str]:
    """A list of objects, one to a line."""
    import json

    yield "["
    for index, row in enumerate(answer.rows):
        comma = "," if index < len(answer.rows) - 1 else ""
        yield f" {json.dumps(dict(zip(answer.names, row, strict=True)), default=str)}{comma}"
    yield "]"
