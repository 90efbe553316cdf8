"""An SMV file in an editor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from kripke.languages.editing.document import Lens, Problem, Symbol, Texts, range_of
from kripke.languages.editing.scoped import Declared, ScopedDocument
from kripke.languages.editing.words import Word
from kripke.languages.smv import read, syntax
from kripke.languages.smv.parser import Parser
from kripke.model.source import Sources, Span

_KINDS = {"VAR": "variable", "IVAR": "input", "FROZENVAR": "frozen variable"}


class SmvDocument(ScopedDocument):
    language = "smv"
    icons: ClassVar[Mapping[str, str]] = {
        "module": "Class",
        "parameter": "TypeParameter",
        "variable": "Variable",
        "input": "Event",
        "frozen variable": "Constant",
        "instance": "Object",
        "definition": "Function",
        "value": "EnumMember",
        "invariant": "Property",
        "formula": "Property",
    }
    lenses: ClassVar[Mapping[str, Lens]] = {"invariant": "check", "formula": "check"}
    snippets: ClassVar[Mapping[str, str]] = {
        "MODULE": "MODULE $1\nVAR\n  $2 : boolean;\nASSIGN\n  init($2) := FALSE;\n  next($2) := $3;",
        "case": "case\n  $1 : $2;\n  TRUE : $3;\nesac",
        "INVARSPEC": "INVARSPEC NAME $1 := $2;",
        "LTLSPEC": "LTLSPEC NAME $1 := G ($2 -> F $3);",
        "CTLSPEC": "CTLSPEC NAME $1 := AG EF $2;",
    }

    def _read(self, text: str) -> Iterator[Problem]:
        sources = Sources()
        sources.add(self.path, text)
        modules = Parser(text, self.path, sources).file()
        self._symbols = list(_Names(self.path, self.lines).all(modules))
        model = read(text, self.path)
        self.meaning = {name: value for name, value in vars(model).items() if name not in ("sources", "warnings")}
        for warning in model.warnings:
            yield Problem(range_of(warning.span, self.path), warning.message, "warning")

    def candidates(self, word: Word) -> list[Declared]:
        """After a dot: what the module of the instance before it has."""
        found = list(super().candidates(word))
        before = self.lines[word.line][: word.character].rstrip()
        if before.endswith(".") and not before.endswith(".."):
            instance = self.name_at(word.line, len(before) - 1)
            owner = None if instance is None else self.meant(instance)
            wanted = owner.type if owner is not None else ""
            inside = [one for one in found if one.owner is not None and (one.owner.name == wanted or not wanted)]
            return [one._replace(scope=None) for one in inside]
        return found


class _Names:
    """Everything that is declared in a file."""

    def __init__(self, path: str, lines: list[str]) -> None:
        self.path = path
        self.texts = Texts({path: lines})
        self._values: set[str] = set()

    def all(self, modules: list[syntax.Module]) -> Iterator[Symbol]:
        for module in modules:
            yield self.module(module)
        for module in modules:
            for one in module.specifications:
                if one.name is not None:
                    kind = "invariant" if one.kind == "INVARSPEC" else "formula"
                    yield self.symbol(one.name, kind, one.span)

    def module(self, module: syntax.Module) -> Symbol:
        inside = [self.symbol(each, "parameter") for each in module.parameters]
        for declaration in module.declarations:
            inside += self.declared(declaration)
        inside += [self.symbol(name, "definition", name.span.to(value.span)) for name, value in module.definitions]
        inside += [self.symbol(each, "value") for each in module.constants]
        inside.sort(key=lambda each: each.range)
        return self.symbol(module.name, "module", module.name.span.to(module.end), tuple(inside))

    def declared(self, declaration: syntax.Declaration) -> Iterator[Symbol]:
        whole = declaration.name.span.to(declaration.type.span)
        type_ = declaration.type
        if isinstance(type_, syntax.InstanceText):
            yield self.symbol(declaration.name, "instance", whole, type_=type_.module.text)
            return
        yield self.symbol(declaration.name, _KINDS[declaration.kind], whole)
        while isinstance(type_, syntax.ArrayText):
            type_ = type_.element
        for value in type_.values if isinstance(type_, syntax.EnumerationText) else ():
            if isinstance(value, syntax.Identifier) and value.text not in self._values:
                self._values.add(value.text)
                yield self.symbol(syntax.Name(value.text, value.span), "value")

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
