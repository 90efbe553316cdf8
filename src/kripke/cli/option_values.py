"""Values of options: from what was written to what is meant, or a sentence that says what is wrong."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable

from kripke.languages.request import MOST_VALUES
from kripke.numbers import parse_size, parse_time


def count(what: str, *, least: int = 0) -> Callable[[str], int]:
    def convert(text: str) -> int:
        try:
            number = int(text.replace("_", "").replace(",", ""))
        except ValueError:
            number = least - 1
        if number < least:
            size = "greater than 0" if least == 1 else f"of at least {least}"
            raise argparse.ArgumentTypeError(f"{text!r} is not {what}: it must be a whole number {size}")
        return number

    return convert


def whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def positive(what: str) -> Callable[[str], int]:
    return count(what, least=1)


def reduction(text: str) -> bool | str:
    if text not in ("on", "auto"):
        raise argparse.ArgumentTypeError(f"there is no reduction {text!r}: choose --por, --por auto or --no-por")
    return True if text == "on" else text


def number_of_values(text: str) -> int:
    if not text.isdecimal() or not 2 <= int(text) <= MOST_VALUES:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of values: from 2 to {MOST_VALUES}")
    return int(text)


def size(text: str) -> int:
    try:
        return parse_size(text)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"{text!r} is not an amount of memory such as 512M or 4G") from None


def duration(text: str) -> float:
    try:
        return parse_time(text)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 90, 5m or 2h") from None


# A quantifier over runs before a formula, as in "E<> p" and "A[] (p -> <> q)". It is no name: no operator is missing.
_QUANTIFIER = re.compile(r"\s*([EA])\s*(?=<>|\[\]|\(\s*(?:<>|\[\]))")


def formula_of_some_run(text: str) -> str:
    """``E<> p`` is ``<> p`` of some run."""
    found = _QUANTIFIER.match(text)
    if found and found[1] == "A":
        raise argparse.ArgumentTypeError(f"A is about every run: --ltl '{text[found.end() :]}'")
    return text[found.end() :] if found else text


def formula_of_every_run(text: str) -> str:
    """``A[] p`` is ``[] p`` of every run."""
    found = _QUANTIFIER.match(text)
    if found and found[1] == "E":
        raise argparse.ArgumentTypeError(f"E asks for some run: --possible '{text[found.end() :]}'")
    return text[found.end() :] if found else text
