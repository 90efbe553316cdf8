"""What the nodes of a picture of a model are called, so that a report can mark them as a run goes on."""

from __future__ import annotations


def place_key(number: int) -> str:
    return f"place {number}"


def point_key(process: str, location: int) -> str:
    return f"point {process} {location}"


def statement_key(number: int) -> str:
    return f"statement {number}"
