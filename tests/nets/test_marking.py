"""Markings as bytes: short ones, and those with many tokens on a place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kripke.nets.marking import decode, encode, longest

NUMBERS = st.one_of(st.integers(0, 3), st.integers(250, 260), st.integers(0, 1 << 48))


def test_small_numbers_are_single_bytes() -> None:
    assert encode([0, 1, 254]) == bytes([0, 1, 254])


def test_large_numbers_follow_behind() -> None:
    assert encode([255, 1, 300]) == bytes([255, 1, 255, 255, 0, 0, 0, 0, 0, 0, 0, 44, 1, 0, 0, 0, 0, 0, 0])


@given(st.lists(NUMBERS, min_size=1, max_size=6))
def test_every_marking_comes_back(tokens: list[int]) -> None:
    state = encode(tokens)
    assert decode(state, len(tokens)) == tokens
    assert len(state) <= longest(len(tokens))
