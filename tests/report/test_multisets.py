"""What a place of a high-level net loses and gets."""

from __future__ import annotations

import pytest

from kripke.report.multisets import exchanged


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("1, 2, 3", "1, 3", "loses 2"),
        ("{1, thinks}, {2, thinks}", "{2, thinks}, {1, waits}", "loses {1, thinks} and gets {1, waits}"),
        ("empty", "a, b", "gets a, b"),
        ("3#a, b", "a, b", "loses 2#a"),
        ("a, b", "4#a, b, {c, {d, e}}", "gets 3#a, {c, {d, e}}"),
    ],
)
def test_exchanged(old: str, new: str, expected: str) -> None:
    assert exchanged(old, new) == expected
