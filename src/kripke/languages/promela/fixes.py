"""Mistakes that people make in Promela since another language is in their fingers, and edits that mend them.

while (x < 3) { x++ }     becomes    do :: (x < 3) -> x++ :: else -> break od
Q(3)                      becomes    run Q(3)
:: x = 1 -> ...           becomes    :: x == 1 -> ...
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from kripke.languages.editing.document import Problem, Range
from kripke.languages.editing.edits import Edit, Fix
from kripke.languages.promela.lexer import Token, tokenize
from kripke.model.source import ModelError, Sources

_WRITTEN: Final = re.compile(r"'(\S+)' is written '(\S+)'")
_NEAR: Final = re.compile(r"did you mean '(\w+)'\?")
_UNKNOWN: Final = re.compile(r"^Promela has no '(\w+)'|^expected '::' after 'if'")
_PRINTING: Final = {"print": "printf", "println": "printf", "puts": "printf"}
_STARTING: Final = frozenset({"spawn", "start"})
_WAITING: Final = frozenset({"wait", "await"})
_ENDS: Final = frozenset({";", "->", "}", "od", "fi", "::", "unless"})


def fixes(text: str, path: str, problems: Sequence[Problem]) -> list[Fix]:
    """What can be offered for the problems of a text, and for guards that assign."""
    try:
        tokens = tokenize(text, path, Sources())
    except ModelError:
        return []
    maker = _Fixes(tokens)
    found = [fix for problem in problems for fix in maker.of(problem)]
    known = {fix.range for fix in found}
    return found + [fix for fix in maker.guards() if fix.range not in known]


class _Fixes:
    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.places = {(token.line - 1, token.column - 1): n for n, token in enumerate(tokens)}

    def of(self, problem: Problem) -> Iterator[Fix]:
        at = self.places.get(problem.range[:2])
        if at is None:
            return
        token = self.tokens[at]
        message = problem.message
        if "is a proctype, which is not called" in message:
            yield Fix(f"start it: run {token.text}(...)", problem.range, (self._before(at, "run "),))
        elif "to compare, write '=='" in message and token.kind == "=":
            yield self._comparison(at, problem.range)
        elif "an assignment can always be executed" in message:
            yield from self._compared(at, problem.range)
        elif (written := _WRITTEN.search(message)) is not None:
            yield from self._operator(at, problem.range, written[1], written[2])
        elif (near := _NEAR.search(message)) is not None:
            yield from self._nearest(at, problem, near[1])
        elif _UNKNOWN.match(message):
            yield from self._statement(at, problem.range)
        elif message.startswith("expected ':', found '='"):
            yield from self._for(at, problem.range)
        elif message.startswith(("expected ';' or '->' before", "expected ';' after the declaration")) and at:
            if self.tokens[at - 1].text in ("loop", "repeat"):
                yield from self._statement(at - 1, problem.range)
            elif "functions" not in message:
                yield Fix("insert ';'", problem.range, (self._after(at - 1, ";"),), sure=False)
        elif message.startswith("nothing runs"):
            yield from self._active(problem.range)

    # --- edits --------------------------------------------------------------------------------------------------------

    def _range(self, first: int, last: int | None = None) -> Range:
        start, end = self.tokens[first], self.tokens[first if last is None else last]
        return Range(start.line - 1, start.column - 1, end.line - 1, end.end - 1)

    def _before(self, at: int, text: str) -> Edit:
        place = self._range(at)
        return Edit(Range(place.line, place.character, place.line, place.character), text)

    def _after(self, at: int, text: str) -> Edit:
        place = self._range(at)
        return Edit(Range(place.end_line, place.end_character, place.end_line, place.end_character), text)

    def _instead(self, at: int, text: str, last: int | None = None) -> Edit:
        return Edit(self._range(at, last), text)

    def _kind(self, at: int) -> str:
        return self.tokens[at].kind if at < len(self.tokens) else ""

    def _closing(self, at: int, opening: str, closing: str) -> int | None:
        """The token that closes the one here; None where this opens nothing, or nothing closes it."""
        if self._kind(at) != opening:
            return None
        depth = 0
        for number in range(at, len(self.tokens)):
            kind = self.tokens[number].kind
            depth += 1 if kind == opening else -1 if kind == closing else 0
            if depth == 0:
                return number
        return None

    def _separator(self, after: int) -> str:
        """What an edit that ends a statement here must add, since another one follows on the same line."""
        follows = after + 1 < len(self.tokens) and self.tokens[after + 1].line == self.tokens[after].line
        return ";" if follows and self._kind(after + 1) not in _ENDS else ""

    # --- `=` ----------------------------------------------------------------------------------------------------------

    def _comparison(self, at: int, place: Range) -> Fix:
        return Fix("compare: '=='", place, (self._instead(at, "=="),))

    def _compared(self, at: int, place: Range) -> Iterator[Fix]:
        for number in range(at, len(self.tokens)):
            token = self.tokens[number]
            if token.kind == "=":
                yield self._comparison(number, place)
            if token.kind in ("=", ";", "->") or (token.line - 1, token.column - 1) > (
                place.end_line,
                place.end_character,
            ):
                return

    def guards(self) -> Iterator[Fix]:
        """Options that begin with an assignment and an arrow: allowed, and hardly ever meant."""
        for at, token in enumerate(self.tokens):
            if token.kind != "::" or self._kind(at + 1) != "name":
                continue
            number, depth, equals = at + 1, 0, -1
            while number < len(self.tokens):
                kind = self.tokens[number].kind
                if kind in ("(", "["):
                    depth += 1
                elif kind in (")", "]"):
                    depth -= 1
                elif kind == "=" and depth == 0 and equals < 0:
                    equals = number
                elif kind in ("->", ";", "::", "od", "fi", "{", "}"):
                    break
                number += 1
            if equals > 0 and self._kind(number) == "->":
                place = self._range(at + 1, number - 1)
                yield Fix("compare: '=='", place, (self._instead(equals, "=="),), sure=False)

    # --- words --------------------------------------------------------------------------------------------------------

    def _operator(self, at: int, place: Range, word: str, sign: str) -> Iterator[Fix]:
        for number in (at, at - 1):
            if number >= 0 and self.tokens[number].text == word:
                # `not x` becomes `!x`: the sign stands before its operand.
                glued = sign == "!" and number + 1 < len(self.tokens)
                if glued and self.tokens[number + 1].line == self.tokens[number].line:
                    after = self._range(number + 1)
                    whole = Range(*self._range(number)[:2], after.line, after.character)
                    yield Fix(f"write '{sign}'", place, (Edit(whole, sign),))
                else:
                    yield Fix(f"write '{sign}'", place, (self._instead(number, sign),))
                return

    def _nearest(self, at: int, problem: Problem, meant: str) -> Iterator[Fix]:
        """A slip: the word that the message quotes, at the place or just after it."""
        quoted = re.search(r"'(\w+)'", problem.message)
        for number in range(at, min(at + 8, len(self.tokens))):
            if quoted is not None and self.tokens[number].text == quoted[1]:
                yield Fix(f"change to '{meant}'", problem.range, (self._instead(number, meant),))
                return

    def _statement(self, at: int, place: Range) -> Iterator[Fix]:
        word = self.tokens[at].text
        if word in _PRINTING:
            yield Fix(f"write '{_PRINTING[word]}'", place, (self._instead(at, _PRINTING[word]),))
        elif word in _STARTING:
            yield Fix("write 'run'", place, (self._instead(at, "run"),))
        elif word == "pass":
            yield Fix("write 'skip'", place, (self._instead(at, "skip"),))
        elif word in _WAITING and self._kind(at + 1) == "(":
            yield Fix("write the condition alone", place, (self._instead(at, ""),))
        elif word in ("loop", "repeat"):
            end = self._closing(at + 1, "{", "}")
            if end is not None and end > at + 2:
                close = self._instead(end, "od" + self._separator(end))
                yield Fix("write a do", place, (self._instead(at, "do ::", at + 1), close))
        elif word == "while":
            yield from self._while(at, place)
        elif self._kind(at - 1) == "if":
            edits = self._if(at - 1, "")
            if edits is not None:
                yield Fix("write it as Promela does: if :: ... :: else -> ... fi", place, tuple(edits[0]))

    def _while(self, at: int, place: Range) -> Iterator[Fix]:
        condition = self._closing(at + 1, "(", ")")
        if condition is None:
            return
        body = condition + 1
        end = self._closing(body, "{", "}")
        edits = [self._instead(at, "do ::")]
        if end is not None:
            edits.append(self._instead(body, "->" if end > body + 1 else "-> skip"))
            edits.append(self._instead(end, ":: else -> break od" + self._separator(end)))
        else:
            end = self._end_of_statement(body)
            edits.append(self._after(condition, " ->"))
            edits.append(self._after(end - 1, " :: else -> break od"))
        yield Fix("write it as a do: do :: ... :: else -> break od", place, tuple(edits))

    def _end_of_statement(self, at: int) -> int:
        depth = 0
        while at < len(self.tokens):
            kind = self.tokens[at].kind
            depth += 1 if kind in ("(", "[", "{") else -1 if kind in (")", "]", "}") else 0
            if depth < 0 or (depth == 0 and kind in _ENDS):
                return at
            at += 1
        return at

    def _if(self, at: int, closing: str) -> tuple[list[Edit], int] | None:
        """The edits of an `if (c) { .. } else { .. }` of C, and its last token; None where it is something else."""
        condition = self._closing(at + 1, "(", ")")
        body = None if condition is None else self._closing(condition + 1, "{", "}")
        if condition is None or body is None:
            return None
        edits = [self._instead(at, "if ::"), self._opened(condition + 1, body)]
        if self._kind(body + 1) != "else":
            edits.append(self._instead(body, f":: else -> skip fi{closing or self._separator(body)}"))
            return edits, body
        edits += [self._instead(body, ""), self._instead(body + 1, ":: else ->")]
        if self._kind(body + 2) == "if":
            inner = self._if(body + 2, f" fi{closing}")
            return None if inner is None else (edits + inner[0], inner[1])
        end = self._closing(body + 2, "{", "}")
        if end is None:
            return None
        edits += [self._instead(body + 2, "" if end > body + 3 else "skip")]
        edits.append(self._instead(end, f"fi{closing or self._separator(end)}"))
        return edits, end

    def _opened(self, opening: int, closing: int) -> Edit:
        return self._instead(opening, "->" if closing > opening + 1 else "-> skip")

    def _for(self, at: int, place: Range) -> Iterator[Fix]:
        """`for (i = 0; i < 3; i++)`, the place is that of the first `=`."""
        name = self.tokens[at - 1].text
        close = self._closing(at - 2, "(", ")")
        if close is None:
            return
        texts = [token.text for token in self.tokens[at + 1 : close]]
        if texts.count(";") != 2:
            return
        first = texts.index(";")
        second = texts.index(";", first + 1)
        start, test, step = texts[:first], texts[first + 1 : second], texts[second + 1 :]
        if len(test) < 3 or test[0] != name or test[1] not in ("<", "<=") or step not in ([name, "++"], ["++", name]):
            return
        last = " ".join(test[2:])
        if test[1] == "<":
            last = str(int(last) - 1) if last.isdigit() else f"{last} - 1"
        text = f": {' '.join(start)} .. {last}"
        yield Fix(f"write it as Promela does: for ({name} {text})", place, (self._instead(at, text, close - 1),))

    def _active(self, place: Range) -> Iterator[Fix]:
        for at, token in enumerate(self.tokens):
            empty = self._kind(at + 2) == "(" and self._kind(at + 3) == ")"
            if token.kind == "proctype" and empty:
                name = self.tokens[at + 1].text
                yield Fix(f"let {name} run from the start", place, (self._before(at, "active "),), sure=False)
