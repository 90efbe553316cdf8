"""The lexer: text in, tokens out."""

from __future__ import annotations

import pytest

from kripke.languages.promela.lexer import FRESH, GLUED, SPACED, WRAPPED, tokenize, written
from kripke.model.source import Sources


def kinds(text: str) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in tokenize(text, "m.pml", Sources())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("proctype P2", [("proctype", "proctype"), ("name", "P2")]),
        ("in U _pid", [("name", "in"), ("name", "U"), ("name", "_pid")]),
        ("12 0x1f", [("number", "12"), ("number", "0x1f")]),
        ("1..3", [("number", "1"), ("..", ".."), ("number", "3")]),
        ('"a \\" b"', [("string", '"a \\" b"')]),
        ("'a' '\\n'", [("char", "'a'"), ("char", "'\\n'")]),
        ("q!!x??y", [("name", "q"), ("!!", "!!"), ("name", "x"), ("??", "??"), ("name", "y")]),
        ("a->b--c", [("name", "a"), ("->", "->"), ("name", "b"), ("--", "--"), ("name", "c")]),
        ("a --> b", [("name", "a"), ("->", "-->"), ("name", "b")]),
        ("[]<><->", [("[", "["), ("]", "]"), ("<", "<"), (">", ">"), ("<", "<"), ("->", "->")]),
        ("a /* b */ // c", [("name", "a")]),
        ("é", [("é", "é")]),
    ],
)
def test_tokens(text: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(text) == expected


def test_places_count_from_one_and_survive_comments_and_continued_lines() -> None:
    tokens = tokenize("a /* x\n y */ b\n\tc \\\n d", "m.pml", Sources())
    assert [(t.text, t.line, t.column, t.lead) for t in tokens] == [
        ("a", 1, 1, FRESH), ("b", 2, 7, WRAPPED), ("c", 3, 2, FRESH), ("d", 4, 2, WRAPPED),
    ]  # fmt: skip


def test_white_space_before_a_token_is_known() -> None:
    assert [t.lead for t in tokenize("a+ b", "m.pml", Sources())] == [FRESH, GLUED, SPACED]


def test_a_string_may_go_on_in_the_next_line() -> None:
    tokens = tokenize('"a\\\nb" c', "m.pml", Sources())
    assert [(t.text, t.line, t.column) for t in tokens] == [('"ab"', 1, 1), ("c", 2, 4)]


def test_tokens_can_be_written_again() -> None:
    text = "now.x  += 0x1F;\n  f('\\0', \"a b\")"
    assert written(tokenize(text, "m.pml", Sources())).strip() == "now.x += 0x1F;\n  f('\\0', \"a b\")"
