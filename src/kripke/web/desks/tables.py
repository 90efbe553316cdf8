"""The desk of questions in SQL: the state space of a model as tables, made once, asked as often as one likes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from kripke.languages.registry import load_model
from kripke.report.query import QueryError, query
from kripke.report.tables import Tables, write_tables
from kripke.web.desks.answering import answer_all, settle
from kripke.web.desks.questions import Unanswerable, enter, request_of

_MOST_ROWS = 1_000


def work(setting: Mapping[str, Any]) -> None:
    settle(setting, programs=True)
    enter(setting)
    answer_all({"explore": Desk(setting).explore, "query": Desk(setting).query})


class Desk:
    def __init__(self, setting: Mapping[str, Any]) -> None:
        self.setting = setting
        self.file = os.path.join(setting["scratch"], "space.parquet")

    def explore(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Make the tables; how large they are."""
        try:
            import duckdb  # noqa: F401
        except ImportError:
            raise Unanswerable("SQL needs DuckDB; install it with: pip install 'kripke[web]'") from None
        model = load_model(request_of(self.setting, self.setting["name"], self.setting["defines"]))
        written: Tables = write_tables(model, self.file, int(question["most"]))
        columns = query(self.file, "select column_name, column_type from (describe states)").rows
        return {
            "states": written.states,
            "transitions": written.transitions,
            "reason": written.reason,
            "columns": [list(column) for column in columns],
        }

    def query(self, question: Mapping[str, Any]) -> dict[str, Any]:
        try:
            answer = query(self.file, str(question["text"]), most=_MOST_ROWS + 1)
        except QueryError as error:
            raise Unanswerable(str(error)) from None
        return {
            "names": list(answer.names),
            "rows": [[_plain(value) for value in row] for row in answer.rows[:_MOST_ROWS]],
            "more": len(answer.rows) > _MOST_ROWS,
        }


def _plain(value: Any) -> Any:
    """What JSON has a form for."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    if isinstance(value, (float, Decimal)):
        return float(value)
    if isinstance(value, (date, timedelta)):
        return str(value)
    return str(value)
