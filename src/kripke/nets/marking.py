"""Markings as the bytes of a state, the same in the interpreter and in compiled nets.

One byte per place. A place with ``ESCAPE`` or more tokens has that value in its byte, and its number as eight
little-endian bytes behind the others, in the order of the places. So no bound has to be known before a search, nothing
can overflow unseen, and a state of a net with few tokens is as short as it can be.
"""

from __future__ import annotations

from collections.abc import Sequence

ESCAPE = 255
WIDE_BYTES = 8


def encode(tokens: Sequence[int]) -> bytes:
    try:
        state = bytes(tokens)
    except ValueError:  # a number above 255
        state = bytes(min(number, ESCAPE) for number in tokens)
    if ESCAPE not in state:
        return state
    wide = (number.to_bytes(WIDE_BYTES, "little") for number in tokens if number >= ESCAPE)
    return state + b"".join(wide)


def decode(state: bytes, places: int) -> list[int]:
    tokens = list(state[:places])
    if len(state) > places:
        at = places
        for place, number in enumerate(tokens):
            if number == ESCAPE:
                tokens[place] = int.from_bytes(state[at : at + WIDE_BYTES], "little")
                at += WIDE_BYTES
    return tokens


def longest(places: int) -> int:
    """Bytes of the longest state; a net without places has a state of one byte."""
    return max(1, places * (1 + WIDE_BYTES))
