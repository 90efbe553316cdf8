"""Answers to questions, a line each: the value first, in a column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kripke.model.answer import Answer
from kripke.numbers import counted
from kripke.report.terminal import Terminal

_COLOURS = {"holds": "green", "violated": "red", "unknown": "yellow"}


def answer_lines(answers: Sequence[Answer], terminal: Terminal) -> Iterator[str]:
    """``true   f0  (after 4 steps)``; what was measured comes last."""
    formulas = [answer for answer in answers if answer.figures is None]
    words = [_word(answer) for answer in formulas]
    width = max(map(len, words), default=0)
    for word, answer in zip(words, formulas, strict=True):
        note = answer.reason if answer.way is None else f"after {counted(len(answer.way), 'step')}"
        shown = terminal.style(word.ljust(width), "bold", _COLOURS[answer.verdict])
        yield f"{shown}  {answer.name}" + (f"  ({note})" if note else "")
    for answer in answers:
        if answer.figures is not None:
            yield answer.words


def _word(answer: Answer) -> str:
    match answer.value:
        case None:
            return "unknown"
        case bool():
            return "true" if answer.value else "false"
        case _:
            return f"{answer.value:,}"
