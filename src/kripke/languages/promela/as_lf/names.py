"""Names of LF for what has a name in a Promela model, and the types of its variables."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kripke.languages.lf.lexer import WORDS
from kripke.languages.lf.types import PREDEFINED
from kripke.model.model import Model
from kripke.model.source import ModelError, Span
from kripke.process.expressions import IntType
from kripke.process.program import Variable

_KNOWN = frozenset(("true", "false", "Out", "SYSTEM", "ORD", "CHR", "ABS", "ODD", "LEN", "MIN", "MAX"))


class Refusals:
    """What LF cannot say, with its place in the model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.span: Span | None = None

    def refuse(self, message: str, span: Span | None = None, hint: str | None = None) -> ModelError:
        at = span or self.span
        line = self._model.source_line(at) if at is not None and at.line else None
        return ModelError(f"--lf: {message}", at, hint, line)


class Names:
    """Names that are neither words of LF nor given twice."""

    def __init__(self, outer: Names | None = None) -> None:
        self._taken: set[str] = set() if outer is None else set(outer._taken)
        self._given: dict[int, str] = {} if outer is None else dict(outer._given)

    def new(self, wanted: str) -> str:
        base = re.sub(r"\W", "_", wanted) or "x"
        found, number = base, 1
        while found in self._taken or found in WORDS or found in PREDEFINED or found in _KNOWN:
            number += 1
            found = f"{base}{number}"
        self._taken.add(found)
        return found

    def give(self, thing: object, wanted: str) -> str:
        name = self.new(wanted)
        self._given[id(thing)] = name
        return name

    def of(self, thing: object) -> str:
        return self._given[id(thing)]


# --- types ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScalarShape:
    type: IntType

    @property
    def size(self) -> int:
        return self.type.size

    def text(self) -> str:
        return scalar_type(self.type)


@dataclass(frozen=True, slots=True)
class ArrayShape:
    count: int
    element: Shape

    @property
    def size(self) -> int:
        return self.count * self.element.size

    def text(self) -> str:
        return f"ARRAY {self.count} OF {self.element.text()}"


@dataclass(frozen=True, slots=True)
class RecordShape:
    fields: tuple[tuple[str, int, Shape], ...]

    @property
    def size(self) -> int:
        return sum(shape.size for _, _, shape in self.fields)

    def text(self) -> str:
        return "RECORD " + "; ".join(f"{name} : {shape.text()}" for name, _, shape in self.fields) + " END"


Shape = ScalarShape | ArrayShape | RecordShape


def scalar_type(type_: IntType) -> str:
    if type_.name == "bool":
        return "BOOLEAN"
    return f"{'' if type_.signed else 'U'}INT{8 * type_.size}"


def shape_of(variable: Variable) -> Shape:
    """What a variable looks like, from the names of its parts."""
    return _shape([(component.path, component.type, component.offset) for component in variable.components])


def _shape(parts: list[tuple[str, IntType, int]]) -> Shape:
    path, type_, start = parts[0]
    if not path:
        return ScalarShape(type_)
    if path.startswith("["):
        groups: dict[int, list[tuple[str, IntType, int]]] = {}
        for one, kind, offset in parts:
            index, _, rest = one[1:].partition("]")
            groups.setdefault(int(index), []).append((rest, kind, offset))
        return ArrayShape(len(groups), _shape(groups[0]))
    named: dict[str, list[tuple[str, IntType, int]]] = {}
    for one, kind, offset in parts:
        match = re.match(r"\.(\w+)(.*)", one)
        assert match is not None
        named.setdefault(match[1], []).append((match[2], kind, offset))
    fields = tuple((_field(name), inner[0][2] - start, _shape(inner)) for name, inner in named.items())
    return RecordShape(fields)


def _field(name: str) -> str:
    """Components have names of their own, but words are words."""
    return f"{name}_" if name in WORDS else name
