"""A module of LF in an editor: problems, outline, and for a name its declaration, also in imported modules."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from kripke.languages.editing.document import Lens, Problem, Symbol, Texts, problem_of, range_of
from kripke.languages.editing.scoped import ScopedDocument
from kripke.languages.lf import syntax
from kripke.languages.lf.lexer import tokenize
from kripke.languages.lf.parser import parse_module
from kripke.languages.lf.properties import observer_of
from kripke.languages.lf.translation import read_text, translate
from kripke.model.source import ModelError, Sources, Span

_MOST_MODULES = 50


class ModuleDocument(ScopedDocument):
    language = "lf"
    open_kinds = ("module", "channel type")
    icons: ClassVar[Mapping[str, str]] = {
        "module": "Module",
        "process": "Class",
        "property": "Event",
        "channel type": "Interface",
        "message": "EnumMember",
        "type": "Struct",
        "component": "Field",
        "constant": "Constant",
        "port": "Event",
        "parameter": "Variable",
    }

    lenses: ClassVar[Mapping[str, Lens]] = {"property": "check", "process": "simulate"}
    snippets: ClassVar[Mapping[str, str]] = {
        "MODULE": "MODULE $1;\nBEGIN\n  $2\nEND $1.",
        "PROCESS": "PROCESS $1($2);\nBEGIN\n  $3\nEND $1;",
        "IF": "IF $1 THEN $2 ELSE $3 END",
        "WHILE": "WHILE $1 DO $2 END",
        "REPEAT": "REPEAT $1 UNTIL $2",
        "SELECT": "SELECT\n  WHEN $1 DO $2\nEND",
        "CREATE": "CREATE $1($2)",
    }

    def _read(self, text: str) -> Iterator[Problem]:
        sources = Sources()
        module = parse_module(tokenize(self.path, text, sources), sources)
        self._symbols = [*_Symbols(sources).of(module.declarations), *_imported(module, self.path)]
        yield from self._checked(text)

    def _checked(self, text: str) -> Iterator[Problem]:
        sources = Sources()
        try:
            found = translate(self.path, text, sources)
            observers = [observer_of(one, found.program, {}, sources) for one in found.properties]
        except ModelError as error:
            yield problem_of(error, self.path)
            return
        self.meaning = (found.program, observers)
        for warning in found.warnings:
            if warning.span.file == self.path:
                yield Problem(range_of(warning.span, self.path), warning.message, "warning")


def _imported(module: syntax.Module, path: str) -> Iterator[Symbol]:
    """The modules that are imported, from the folder of the text, with what they declare."""
    folder = os.path.dirname(path)
    todo, seen = list(module.imports), {module.name}
    while todo and len(seen) < _MOST_MODULES:
        name, _ = todo.pop(0)
        file = os.path.join(folder, f"{name}.lf")
        if name in seen or not os.path.isfile(file):
            continue
        seen.add(name)
        sources = Sources()
        try:
            found = parse_module(tokenize(file, read_text(file), sources), sources)
        except ModelError:
            continue  # told where it is looked at
        todo += found.imports
        children = tuple(_Symbols(sources).of(found.declarations))
        yield _Symbols(sources).symbol(found.name, "module", found.name_span, found.name_span, children)


class _Symbols:
    def __init__(self, sources: Sources) -> None:
        self._texts = Texts(sources.texts())

    def of(self, declarations: Sequence[syntax.Declaration]) -> Iterator[Symbol]:
        for declaration in declarations:
            match declaration:
                case syntax.ConstantDeclaration(name, value):
                    yield self.symbol(name.name, "constant", name.span, name.span.to(value.span))
                case syntax.TypeDeclaration(name, type_):
                    is_channel = isinstance(type_, syntax.ChannelOf)
                    kind = "channel type" if is_channel else "type"
                    yield self.symbol(name.name, kind, name.span, name.span.to(type_.span), tuple(self._parts(type_)))
                case syntax.VariableDeclaration(names, type_, is_port):
                    for name in names:
                        kind = "port" if is_port else "variable"
                        yield self.symbol(
                            name.name, kind, name.span, name.span.to(type_.span), tuple(self._parts(type_))
                        )
                case syntax.ProcessDeclaration():
                    yield self._process(declaration)

    def _process(self, node: syntax.ProcessDeclaration) -> Symbol:
        parameters = [
            self.symbol(one.name.name, "parameter", one.name.span, one.name.span.to(one.type.span))
            for one in node.parameters
        ]
        children = (*parameters, *self.of(node.declarations))
        kind = "property" if node.is_property else "process"
        passed = tuple(self._written(one) for one in node.parameters)
        return replace(self.symbol(node.name.name, kind, node.name.span, node.whole, children), parameters=passed)

    def _written(self, parameter: syntax.Parameter) -> str:
        """As in the text, but for one that shares its type with others."""
        place = range_of(parameter.type.span, parameter.type.span.file)
        line = self._texts.line(parameter.type.span.file, place.line)
        end = place.end_character if place.end_line == place.line else len(line)
        by = "VAR " if parameter.by_reference else ""
        return f"{by}{parameter.name.name} : {line[place.character : end]}"

    def _parts(self, type_: syntax.TypeSyntax) -> Iterator[Symbol]:
        match type_:
            case syntax.ChannelOf(messages, _):
                for name, place, data in messages:
                    yield self.symbol(name, "message", place, place.to(data[-1].span) if data else place)
            case syntax.RecordOf(fields, _):
                for name, place, inner in fields:
                    yield self.symbol(name, "component", place, place.to(inner.span), tuple(self._parts(inner)))
            case syntax.ArrayOf(_, element, _):
                yield from self._parts(element)
            case _:
                pass

    def symbol(self, name: str, kind: str, name_span: Span, span: Span, children: tuple[Symbol, ...] = ()) -> Symbol:
        file = name_span.file
        line = self._texts.line(file, name_span.line - 1).strip()
        return Symbol(name, kind, file, range_of(span, file), range_of(name_span, file), line, children)
