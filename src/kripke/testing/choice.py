"""A value that the program leaves open: every one is tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from kripke.testing import primitives

Value = TypeVar("Value")


def choose(values: Sequence[Value]) -> Value:
    """One of the values. Each of them is tried, in a schedule of its own."""
    if not values:
        raise ValueError("there is nothing to choose from")
    if primitives.elsewhere():
        raise RuntimeError("choose() is for programs under control: call it inside a test with @interleave")
    operation = primitives.here("choose", f"chooses one of {len(values)} values")
    if len(values) == 1:
        return values[0]
    value = values[primitives.the_run().choose(len(values), operation)]
    if isinstance(value, (str, int, float, bytes, type(None))):
        operation.text = f"chooses {value!r}"
    return value
