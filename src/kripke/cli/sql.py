"""``kripke sql``: questions about a state space, in SQL over the tables of ``kripke explore`` or of a model at once."""

from __future__ import annotations

import argparse
import os
import sys

from kripke.cli.main import UNKNOWN, UsageError
from kripke.cli.safe_stream import print_data, print_lines
from kripke.report.terminal import Terminal


def run(options: argparse.Namespace) -> int:
    if options.query is None:
        raise UsageError('which question? write: kripke sql FILE "select count(*) from states"')
    try:
        import duckdb  # noqa: F401
    except ImportError:
        raise UsageError("SQL needs DuckDB; install it with: pip install 'kripke[sql]'") from None
    if options.file.lower().endswith(".parquet") or os.path.isdir(options.file):
        return _answer(options.file, options)
    import tempfile

    from kripke.cli.request import load_with_warnings
    from kripke.report.tables import write_tables

    model = load_with_warnings(options)
    with tempfile.TemporaryDirectory(prefix="kripke-sql-") as folder:
        tables = os.path.join(folder, "space.parquet")
        written = write_tables(model, tables, options.max_states or 0)
        code = _answer(tables, options)
    if written.reason:
        print(
            f"incomplete: the limit of {written.reason} was reached; the answer is about what is there", file=sys.stderr
        )
        return UNKNOWN
    return code


def _answer(tables: str, options: argparse.Namespace) -> int:
    from kripke.report.query import QueryError, query, rows_csv, rows_json, rows_table

    try:
        answer = query(tables, options.query)
    except QueryError as error:
        raise UsageError(str(error)) from None
    if options.json is not None:
        lines = rows_json(answer)
    elif options.csv:
        lines = rows_csv(answer)
    else:
        lines = rows_table(answer, Terminal.of_stdout())
    if options.json not in (None, "-"):
        with open(options.json, "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
        return 0
    if options.csv:
        print_data("".join(f"{line}\n" for line in lines))
        return 0
    for line in lines:
        print_lines(line)
    return 0
