"""Words that people bring along from other languages, and how Promela says the same."""

from __future__ import annotations

from typing import Final

#: words that look like a statement or a call
STATEMENTS: Final = {
    "while": "a loop is written: do :: condition -> statements :: else -> break od",
    "loop": "a loop is written: do :: statements od",
    "until": "a loop is written: do :: condition -> break :: else -> statements od",
    "repeat": "a loop is written: do :: statements od",
    "switch": "a choice is written: if :: x == 1 -> statements :: x == 2 -> statements :: else fi",
    "case": "a choice is written: if :: x == 1 -> statements :: x == 2 -> statements :: else fi",
    "elif": "a choice is written: if :: condition -> statements :: condition -> statements :: else -> statements fi",
    "print": 'text is printed with printf("...", values)',
    "println": 'text is printed with printf("...\\n", values)',
    "puts": 'text is printed with printf("...", values)',
    "return": "a proctype has no value: send it over a channel, or leave it in a global variable",
    "wait": "to wait until a condition holds, write the condition as a statement: (x == 1)",
    "await": "to wait until a condition holds, write the condition as a statement: (x == 1)",
    "spawn": "a process is started with run: run P(arguments)",
    "start": "a process is started with run: run P(arguments)",
    "lock": "a lock is a variable: atomic { !taken -> taken = true }",
    "unlock": "a lock is a variable: taken = false",
    "continue": "there is no continue: let the option end, and the do starts again",
    "pass": "the statement that does nothing is skip",
    "exit": "a process ends at the end of its body: use goto to get there",
}

#: words between expressions
OPERATORS: Final = {"and": "&&", "or": "||", "mod": "%", "div": "/", "xor": "^"}

#: names of constants
CONSTANTS: Final = {
    "True": "true",
    "TRUE": "true",
    "False": "false",
    "FALSE": "false",
    "None": "0",
    "NULL": "0",
    "null": "0",
}


def operator_hint(word: str) -> str | None:
    if word in OPERATORS:
        return f"'{word}' is written '{OPERATORS[word]}'"
    return "'not' is written '!'" if word == "not" else None
