"""The address of a state: the number of an initial state, and of every choice on the way from there.

``0.01a(40)2``: from the first initial state the first step, the second, the eleventh, the 41st, the third. An address
is short, says how the state is reached, and holds nothing that a model must believe: every step of it is made again.
"""

from __future__ import annotations

import re

from kripke.web.desks.questions import Unanswerable

MOST_STEPS = 100_000
_ADDRESS = re.compile(r"(\d{1,6})\.((?:[0-9a-z]|\(\d{1,9}\))*)")
_CHOICE = re.compile(r"[0-9a-z]|\(\d+\)")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def choices_of(address: object) -> tuple[int, list[str]]:
    """The initial state, and the choices as they are written; Unanswerable where it is no address."""
    found = _ADDRESS.fullmatch(address) if isinstance(address, str) else None
    if found is None:
        raise Unanswerable(f"{str(address)[:40]!r} is no address of a state")
    choices = _CHOICE.findall(found[2])
    if len(choices) > MOST_STEPS:
        raise Unanswerable(f"an address has at most {MOST_STEPS:,} steps")
    return int(found[1]), choices


def number_of(choice: str) -> int:
    return int(choice[1:-1]) if choice.startswith("(") else _DIGITS.index(choice)


def written(number: int) -> str:
    return _DIGITS[number] if number < len(_DIGITS) else f"({number})"
