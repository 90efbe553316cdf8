"""A net in Maria's language in an editor."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from kripke.languages.editing.document import Lens, Problem, Range, Symbol, Texts, range_of
from kripke.languages.editing.scoped import ScopedDocument
from kripke.languages.maria import syntax
from kripke.languages.maria.flattening import Flattening
from kripke.languages.maria.lexer import tokenize
from kripke.languages.maria.parser import parse
from kripke.model.source import Sources, Span

#: what may have variables of its own
_HOLDERS = ("transition", "transition macro", "place", "condition", "proposition", "function")
_MOST_LINES = 12  # of a declaration that are shown


class MariaDocument(ScopedDocument):
    language = "maria"
    icons: ClassVar[Mapping[str, str]] = {
        "place": "Variable",
        "transition": "Event",
        "transition macro": "Interface",
        "type": "Struct",
        "constant": "EnumMember",
        "component": "Field",
        "function": "Function",
        "proposition": "Property",
        "condition": "Property",
        "sub-net": "Module",
    }
    open_kinds = ("type",)
    lenses: ClassVar[Mapping[str, Lens]] = {"condition": "check safety", "transition": "simulate"}
    unnamed_kinds = ("condition",)
    snippets: ClassVar[Mapping[str, str]] = {
        "place": "place $1 ($2) $3: $4;",
        "trans": "trans $1\n  in { place $2: $3; }\n  out { place $4: $5; };",
        "typedef": "typedef $1 $2;",
        "deadlock": "deadlock $1;",
        "reject": "reject $1;",
    }

    def _read(self, text: str) -> Iterator[Problem]:
        sources = Sources()
        net = parse(tokenize(self.path, text, sources, set()), sources)
        self._symbols = list(_Symbols(Texts({**sources.texts(), self.path: self.lines})).all(net))
        self._add_variables()
        self.meaning, _ = Flattening(sources).net(net, os.path.basename(self.path))
        yield from ()

    def _add_variables(self) -> None:
        """Variables that are not declared but by their use: each belongs to the transition or place around it."""
        found: dict[tuple[Range, str], Symbol] = {}
        holders = [one for one in self._below_all(self._symbols) if one.kind in _HOLDERS and one.file == self.path]
        for word in self.words.all:
            if word.kind != "name" or self.meant(word) is not None:
                continue
            around = [one for one in holders if one.range.holds(word.line, word.character)]
            if around:
                scope = max(one.range for one in around)
                text = self.lines[word.line].strip()
                new = Symbol(word.text, "variable", self.path, word.range, word.range, text, scope=scope)
                found.setdefault((scope, word.text), new)
        self._symbols = [self._with(symbol, found) for symbol in self._symbols]
        self._index = None

    def _below_all(self, symbols: Sequence[Symbol]) -> Iterator[Symbol]:
        for symbol in symbols:
            yield symbol
            yield from self._below_all(symbol.children)

    def _with(self, symbol: Symbol, found: Mapping[tuple[Range, str], Symbol]) -> Symbol:
        if symbol.kind not in _HOLDERS:
            return replace(symbol, children=tuple(self._with(child, found) for child in symbol.children))
        added = (new for (scope, _), new in found.items() if scope == symbol.range)
        return replace(symbol, children=(*symbol.children, *added))


class _Symbols:
    """Everything that is declared in a net."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts

    def all(self, net: syntax.NetSyntax) -> Iterator[Symbol]:
        for declaration, extent in zip(net.declarations, net.extents, strict=True):
            yield from self._declaration(declaration, extent)

    def _declaration(self, declaration: syntax.Declaration, extent: Span) -> Iterator[Symbol]:
        match declaration:
            case syntax.TypeDeclaration(type_, name, span):
                yield self._symbol(name, "type", extent, span, tuple(self._parts(type_, extent)))
            case syntax.FunctionDeclaration(_, name, parameters, _, span):
                inside = tuple(self._named(each, "parameter", extent) for _, each in parameters)
                function = self._symbol(name, "function", extent, span, inside)
                yield replace(function, parameters=tuple(f"{type_} {each}" for type_, each in parameters))
            case syntax.PlaceDeclaration(name, _, type_, _, _, span):
                yield self._symbol(name, "place", extent, span, tuple(self._parts(type_, extent)))
            case syntax.TransitionDeclaration(name):
                kind = "transition macro" if declaration.macro else "transition"
                yield self._symbol(name, kind, extent, declaration.span, tuple(self._variables(declaration)))
            case syntax.ConditionDeclaration("prop", name, _, span):
                yield self._symbol(name, "proposition", extent, span)
            case syntax.ConditionDeclaration(kind, _, condition, _):
                yield self._symbol(kind, "condition", extent, condition.span)
            case syntax.SubnetDeclaration(name, net, span):
                subnet = self._symbol(name or "subnet", "sub-net", extent, span, tuple(self.all(net)))
                yield replace(subnet, name_range=self.texts.name_range(name, extent)) if name else subnet
            case syntax.FairnessDeclaration():
                return

    def _parts(self, type_: syntax.TypeSyntax, extent: Span) -> Iterator[Symbol]:
        """Constants and components that a type brings with it, those of the types inside it as well."""
        for name, _ in type_.items:
            yield self._named(name, "constant", extent)
        for inner, name in type_.components:
            yield self._named(name, "component", extent)
            yield from self._parts(inner, extent)
        for base in (type_.base, type_.indices):
            if base is not None:
                yield from self._parts(base, extent)

    def _variables(self, declaration: syntax.TransitionDeclaration) -> Iterator[Symbol]:
        for _, content, span in declaration.parts:
            if isinstance(content, syntax.VariableDeclaration):
                yield self._symbol(content.name, "variable", span, span)
            elif isinstance(content, syntax.FunctionDeclaration):
                yield self._symbol(content.name, "function", span, span)

    def _named(self, name: str, kind: str, extent: Span) -> Symbol:
        """Something whose place is known only by its name."""
        place = self.texts.name_range(name, extent)
        text = self.texts.line(extent.file, place.line).strip()
        return Symbol(name, kind, extent.file, place, place, text)

    def _symbol(self, name: str, kind: str, extent: Span, name_span: Span, children: Sequence[Symbol] = ()) -> Symbol:
        whole = range_of(extent, extent.file)
        lines = [self.texts.line(extent.file, number) for number in range(whole.line, whole.end_line + 1)]
        shown = lines[:_MOST_LINES] + (["..."] if len(lines) > _MOST_LINES else [])
        return Symbol(
            name, kind, extent.file, whole, range_of(name_span, extent.file), "\n".join(shown).strip(), tuple(children)
        )
