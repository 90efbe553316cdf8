"""A system of modes in an editor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar

from kripke.languages.editing.document import Lens, Problem, Symbol, Texts, range_of
from kripke.languages.editing.scoped import Declared, ScopedDocument
from kripke.languages.editing.words import Word
from kripke.languages.modes import read, syntax
from kripke.languages.modes.parser import Parser
from kripke.model.source import Sources, Span


class ModesDocument(ScopedDocument):
    language = "modes"
    open_kinds = ("enumeration",)
    icons: ClassVar[Mapping[str, str]] = {
        "constant": "Constant",
        "enumeration": "Enum",
        "value": "EnumMember",
        "mode": "Class",
        "point": "Event",
        "instance": "Object",
        "invariant": "Property",
        "formula": "Property",
        "refinement": "Property",
    }
    lenses: ClassVar[Mapping[str, Lens]] = {
        "invariant": "check safety",
        "formula": "check",
        "refinement": "check",
        "instance": "simulate",
    }
    snippets: ClassVar[Mapping[str, str]] = {
        "mode": "mode $1 {\n  point $2;\n  de -> $2;\n}",
        "var": "var $1: $2 = $3;",
        "enum": "enum $1 { $2, $3 }",
        "invariant": "invariant $1: $2;",
        "ltl": "ltl $1: [] ($2);",
    }

    #: where an instance names variables of its mode, and the mode
    _formals: Mapping[tuple[int, ...], str] = MappingProxyType({})

    def _read(self, text: str) -> Iterator[Problem]:
        sources = Sources()
        sources.add(self.path, text)
        file = Parser(text, self.path, sources).file()
        self._symbols = list(_Names(self.path, self.lines, file).all())
        instances = (*file.system, *(each for mode in file.modes for each in mode.instances))
        self._formals = {range_of(n.span, self.path)[:2]: i.mode.text for i in instances for n, _ in i.bindings}
        model = read(text, self.path)
        self.meaning = {name: value for name, value in vars(model).items() if name not in ("sources", "warnings")}
        for warning in model.warnings:
            yield Problem(range_of(warning.span, self.path), warning.message, "warning")

    def meant(self, word: Word) -> Symbol | None:
        """What a mode reads or writes is the variable of the same name outside, unless an instance says otherwise."""
        symbol = super().meant(word)
        if symbol is None or symbol.kind != "parameter":
            return symbol
        given = {place for place in self._formals if self.lines[place[0]][place[1] :].startswith(symbol.name)}
        outside = [
            one.symbol for one in self.declared()[symbol.name] if one.symbol.kind == "variable" and not one.owner
        ]
        return outside[0] if outside and not given else symbol

    def candidates(self, word: Word) -> list[Declared]:
        """A point after a dot, of the mode whose instance stands before it; what an instance is given, of its mode."""
        found = list(super().candidates(word))
        if (mode := self._formals.get((word.line, word.character))) is not None:
            given = [one for one in found if one.owner is not None and one.owner.name == mode]
            return [one._replace(scope=None) for one in given]
        before = self.lines[word.line][: word.character].rstrip()
        if before.endswith(".") and not before.endswith(".."):
            instance = self.name_at(word.line, len(before) - 1)
            owner = None if instance is None else self.meant(instance)
            wanted = owner.type if owner is not None else ""
            inside = [one for one in found if one.owner is not None and one.owner.name == wanted]
            return [one._replace(scope=None) for one in inside]
        return found


class _Names:
    """Everything that is declared in a file."""

    def __init__(self, path: str, lines: list[str], file: syntax.File) -> None:
        self.path = path
        self.texts = Texts({path: lines})
        self.file = file

    def all(self) -> Iterator[Symbol]:
        for name, _ in self.file.constants:
            yield self.symbol(name, "constant")
        for name, values in self.file.enumerations:
            last = values[-1].span if values else name.span
            inside = tuple(self.symbol(value, "value") for value in values)
            yield self.symbol(name, "enumeration", name.span.to(last), inside)
        for variable in self.file.variables:
            yield self.symbol(variable.name, "variable")
        yield from map(self.mode, self.file.modes)
        for instance in self.file.system:
            yield self.symbol(instance.name, "instance", type_=instance.mode.text)
        for asked in self.file.properties:
            yield self.symbol(asked.name, "invariant" if asked.kind == "invariant" else "formula", asked.span)
        for refinement in self.file.refinements:
            yield self.symbol(refinement.name, "refinement", refinement.span)

    def mode(self, mode: syntax.ModeText) -> Symbol:
        inside = [
            *(self.symbol(each.name, "parameter") for each in mode.parameters),
            *(self.symbol(each.name, "variable") for each in mode.locals),
            *(self.symbol(each, "point") for each in (*mode.entries, *mode.exits, *mode.points)),
            *(self.symbol(each.name, "instance", type_=each.mode.text) for each in mode.instances),
        ]
        inside.sort(key=lambda each: each.range)
        return self.symbol(mode.name, "mode", mode.name.span.to(mode.end), tuple(inside))

    def symbol(
        self,
        name: syntax.Name,
        kind: str,
        span: Span | None = None,
        children: tuple[Symbol, ...] = (),
        type_: str = "",
    ) -> Symbol:
        text = self.texts.line(self.path, name.span.line - 1).strip()
        whole = range_of(span or name.span, self.path)
        return Symbol(name.text, kind, self.path, whole, range_of(name.span, self.path), text, children, type=type_)
