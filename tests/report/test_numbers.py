"""Numbers for people, and back."""

from __future__ import annotations

import pytest

from kripke.numbers import counted, parse_size, parse_time, rate_text, size_text, time_text


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("1", 1),
        ("100B", 100),
        ("4k", 4096),
        ("512M", 512 << 20),
        ("4G", 4 << 30),
        ("4GB", 4 << 30),
        ("1.5 GiB", 3 << 29),
        ("1T", 1 << 40),
    ],
)
def test_parse_size(text: str, amount: int) -> None:
    assert parse_size(text) == amount


@pytest.mark.parametrize("text", ["", "G", "x", "-4G", "0", "nan", "inf", "1e400", "4X", "0.1"])
def test_parse_size_refuses(text: str) -> None:
    with pytest.raises((ValueError, OverflowError)):
        parse_size(text)


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("1.5m", 90), ("2h", 7200), ("0.5s", 0.5)])
def test_parse_time(text: str, seconds: float) -> None:
    assert parse_time(text) == seconds


@pytest.mark.parametrize("text", ["", "m", "0", "-1", "nan", "5d"])
def test_parse_time_refuses(text: str) -> None:
    with pytest.raises(ValueError):
        parse_time(text)


def test_texts() -> None:
    assert [size_text(n) for n in (0, 312, 2048, 4 << 30)] == ["0 B", "312 B", "2.0 KB", "4.0 GB"]
    assert [time_text(s) for s in (0.015, 9.5, 12.34, 245, 7400)] == [
        "0.01 s",
        "9.50 s",
        "12.3 s",
        "4 min 05 s",
        "2 h 03 min",
    ]
    assert rate_text(5_610_000, 1) == "5.61 M states/s"
    assert rate_text(20, 1) == "20 states/s"
    assert rate_text(0, 0) == "- states/s"
    assert [counted(n, "state") for n in (0, 1, 1000)] == ["0 states", "1 state", "1,000 states"]
