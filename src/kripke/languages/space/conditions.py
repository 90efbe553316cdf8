"""What can be asked of a state in a file: the values in its row, and which steps there are.

``x == 3``, ``"flag[0]" != 1``, ``state < 10``, ``enabled(send)``, ``enabled("a label, with signs")``, ``deadlock``; and
``! && || -> <->`` between them.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from kripke.languages.space.reading import Space
from kripke.logic.formula import Formula
from kripke.logic.parser import parse
from kripke.model.source import ModelError, Span

Test = Callable[[int], bool]

_ENABLED = re.compile(r'\s*enabled\s*\(\s*(?:"([^"]*)"|([^()"]*?))\s*\)')
_DEADLOCK = re.compile(r"\s*deadlock\b(?!\s*[=!<>])")
_COMPARISON = re.compile(
    r"""\s*(?:"(?P<quoted>[^"]*)"|(?P<name>[A-Za-z_][\w.@:\[\]]*))
    \s*(?P<sign>==|!=|<=|>=|<|>)(?!>)
    \s*(?:(?P<number>-?\d+)|(?P<word>true|false)\b|"(?P<text>[^"]*)"|(?P<bare>[A-Za-z_][\w.@:]*))""",
    re.VERBOSE,
)
_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Conditions:
    """Of one state space. ``tests``: of each atom by its text."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._labels = {label: number for number, label in enumerate(space.labels)}
        self.tests: dict[str, Test] = {}

    def formula(self, text: str, source: str) -> Formula:
        """A formula of linear time over conditions."""

        def read_atom(whole: str, position: int) -> tuple[str, int] | None:
            found = self._simple(whole, position, source)
            if found is None:
                return None
            test, end = found
            name = whole[position:end].strip()
            self.tests[name] = test
            return name, end

        return parse(text, source, read_atom)

    def condition(self, text: str, source: str) -> None:
        """A condition as a whole becomes an atom."""
        known = dict(self.tests)
        formula = self.formula(text, source)
        parts, self.tests = self.tests, known
        for part in formula.walk():
            if part.operator not in ("true", "false", "atom", "not", "and", "or", "->", "<->"):
                raise ModelError(f"{source}: {text}: a condition is about one state, without temporal operators")
            if part.operator == "atom" and part.atom not in parts:
                raise ModelError(
                    f"{source}: there is no condition {part.atom!r}",
                    hint='write x == 3 for a column of the table, enabled("label"), or deadlock',
                )
        self.tests[text] = lambda state: _value(formula, parts, state)

    def _simple(self, text: str, position: int, source: str) -> tuple[Test, int] | None:
        space = self._space
        if found := _ENABLED.match(text, position):
            label = self._label(found[1] if found[1] is not None else found[2], text, found, source)
            return (lambda state: any(own == label for own, _ in space.steps[state])), found.end()
        if found := _DEADLOCK.match(text, position):
            return (lambda state: not space.steps[state] and state not in space.ends), found.end()
        if found := _COMPARISON.match(text, position):
            name = found["quoted"] if found["quoted"] is not None else found["name"]
            column = space.columns.get(name)
            if column is None:
                known = ", ".join(list(space.columns)[:12])
                raise _wrong(f"there is no column {name!r}", f"there are {known}", text, found, source)
            wanted = _literal(found)
            compare = _SIGNS[found["sign"]]
            if found["sign"] not in ("==", "!=") and not isinstance(wanted, int):
                raise _wrong("only numbers are less or greater", "compare with a number", text, found, source)
            return (lambda state: _compares(compare, column[state], wanted)), found.end()
        return None

    def _label(self, name: str, text: str, found: re.Match[str], source: str) -> int:
        number = self._labels.get(name)
        if number is None:
            some = ", ".join(f'"{label}"' for label in self._space.labels[:6])
            raise _wrong(f"no step has the label {name!r}", f"there are {some}", text, found, source)
        return number


def _literal(found: re.Match[str]) -> object:
    if found["number"] is not None:
        return int(found["number"])
    if found["word"] is not None:
        return found["word"] == "true"
    return found["text"] if found["text"] is not None else found["bare"]


def _compares(compare: Callable[[Any, Any], bool], value: object, wanted: object) -> bool:
    """Numbers and truth values compare as in the tables; what is not there, or of another kind, is just different."""
    if isinstance(wanted, int) and isinstance(value, int | float):
        return compare(value, wanted)
    return compare(str(value), str(wanted)) if compare in (operator.eq, operator.ne) else False


def _value(formula: Formula, tests: dict[str, Test], state: int) -> bool:
    if formula.operator in ("true", "false"):
        return formula.operator == "true"
    if formula.operator == "atom":
        return tests[str(formula.atom)](state)
    values = [_value(operand, tests, state) for operand in formula.operands]
    match formula.operator:
        case "not":
            return not values[0]
        case "and":
            return all(values)
        case "or":
            return any(values)
        case "->":
            return not values[0] or values[1]
        case _:
            return values[0] == values[1]


def _wrong(message: str, hint: str, text: str, found: re.Match[str], source: str) -> ModelError:
    start = found.start() + len(found[0]) - len(found[0].lstrip())
    return ModelError(message, Span(source, 1, start + 1, 1, found.end() + 1), hint=hint, source_line=text)
