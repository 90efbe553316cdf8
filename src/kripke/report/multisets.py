"""Values that are multi-sets of tokens, written with commas as nets do: what one loses and gets is easier to read."""

from __future__ import annotations

from collections import Counter

_OPENING, _CLOSING = "{[(", "}])"


def is_multiset(text: str) -> bool:
    return ", " in text


def exchanged(old: str, new: str) -> str:
    """``loses {1, thinks} and gets {1, waits}``."""
    before, after = _tokens(old), _tokens(new)
    lost, got = (before - after), (after - before)
    parts = [f"{word} {_text(tokens)}" for word, tokens in (("loses", lost), ("gets", got)) if tokens]
    return " and ".join(parts)


def _text(tokens: Counter[str]) -> str:
    return ", ".join(token if number == 1 else f"{number}#{token}" for token, number in tokens.items())


def _tokens(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    if text == "empty":
        return found
    depth, start = 0, 0
    for at, sign in enumerate(text):
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if depth == 0 and text.startswith(", ", at):
            _count(found, text[start:at])
            start = at + 2
    _count(found, text[start:])
    return found


def _count(found: Counter[str], token: str) -> None:
    number, sign, value = token.partition("#")
    if sign and number.isdecimal():
        found[value] += int(number)
    else:
        found[token] += 1
