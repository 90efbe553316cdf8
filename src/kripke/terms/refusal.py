"""What of a model cannot be said in terms."""

from __future__ import annotations


class Unencodable(Exception):
    """``what`` cannot be encoded; ``statement`` is the number of the statement it belongs to (-1: none)."""

    def __init__(self, what: str, statement: int = -1) -> None:
        super().__init__(what)
        self.what = what
        self.statement = statement
