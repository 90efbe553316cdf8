"""A Promela text in an editor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from kripke.languages.editing.document import Problem, Symbol, Texts, problem_of, range_of
from kripke.languages.editing.scoped import ScopedDocument
from kripke.languages.promela import syntax
from kripke.languages.promela.lowering.module import Asked, lower
from kripke.languages.promela.macros import Macro
from kripke.languages.promela.node import walk
from kripke.languages.promela.parser import parse
from kripke.languages.promela.unused import find_one_sided, find_unused
from kripke.model.source import ModelError, Span
from kripke.process.passes import Passes


class PromelaDocument(ScopedDocument):
    language = "promela"
    open_kinds = ("mtype", "typedef")
    icons: ClassVar[Mapping[str, str]] = {
        "process": "Class",
        "claim": "Event",
        "formula": "Property",
        "inline": "Function",
        "macro": "Constant",
        "typedef": "Struct",
        "mtype": "Enum",
        "mtype name": "EnumMember",
        "field": "Field",
        "label": "Key",
    }

    def _read(self, text: str) -> Iterator[Problem]:
        module = parse(text, self.path)
        self._symbols = list(_Symbols(module, self.path, self.lines).all())
        yield from self._checked(module)

    def _checked(self, module: syntax.Module) -> Iterator[Problem]:
        try:
            lowered = lower(module, Asked(), Passes())
        except ModelError as error:
            problem = problem_of(error, self.path)
            allowed = "--allow-c" in (error.hint or "")  # whether C code may run is not the editor's business
            yield Problem(problem.range, problem.message, "hint" if allowed else problem.severity)
            return
        for warning in (*lowered.warnings, *find_one_sided(module), *find_unused(module)):
            if warning.span.file == self.path:
                hint = f"\n{warning.hint}" if warning.hint else ""
                yield Problem(range_of(warning.span, self.path), warning.message + hint, "warning")


class _Symbols:
    """Everything that has a name in a module."""

    def __init__(self, module: syntax.Module, path: str, lines: Sequence[str]) -> None:
        self.module = module
        self.texts = Texts({**module.sources.texts(), path: lines})

    def all(self) -> Iterator[Symbol]:
        for name, macro in self.module.macros.items():
            if isinstance(macro, Macro) and macro.definition.file in self.texts:
                yield self._symbol(name, "macro", macro.definition.span, macro.definition.span)
        for item in self.module.items:
            yield from self._item(item)

    def _item(self, item: syntax.Item) -> Iterator[Symbol]:
        match item:
            case syntax.Proctype(name):
                yield self._symbol(name, "process", item.span, children=tuple(self._inside(item)))
            case syntax.Init():
                yield self._symbol("init", "process", item.span, children=tuple(self._inside(item)))
            case syntax.Never(name):
                yield self._symbol(name or "never", "claim", item.span, children=tuple(self._inside(item)))
            case syntax.Inline(name):
                yield self._symbol(name, "inline", item.span)
            case syntax.Ltl(name):
                yield self._symbol(name or "ltl", "formula", item.span)
            case syntax.Typedef(name, fields):
                inside = tuple(s for each in fields for s in self._variables(each, "field"))
                yield self._symbol(name, "typedef", item.span, children=inside)
            case syntax.MtypeDeclaration(names, subtype):
                inside = tuple(self._symbol(name, "mtype name", item.span) for name in names)
                yield self._symbol(f"mtype:{subtype}" if subtype else "mtype", "mtype", item.span, children=inside)
            case syntax.Declaration():
                yield from self._variables(item, "variable")

    def _inside(self, item: syntax.Proctype | syntax.Init | syntax.Never) -> Iterator[Symbol]:
        parameters = item.parameters if isinstance(item, syntax.Proctype) else ()
        for declaration in parameters:
            yield from self._variables(declaration, "parameter")
        found: list[Symbol] = []
        for node in walk(item.body):
            if isinstance(node, syntax.DeclarationStatement):
                found += self._variables(node.declaration, "variable")
            elif isinstance(node, syntax.Labelled):
                found += [self._symbol(label, "label", node.span) for label in node.labels]
        yield from sorted(found, key=lambda symbol: symbol.range)

    def _variables(self, declaration: syntax.Declaration, kind: str) -> Iterator[Symbol]:
        for variable in declaration.variables:
            place = variable.span if variable.span.line else declaration.span
            yield self._symbol(variable.name, kind, place, declared=declaration.span)

    def _symbol(
        self,
        name: str,
        kind: str,
        span: Span,
        name_span: Span | None = None,
        declared: Span | None = None,
        children: tuple[Symbol, ...] = (),
    ) -> Symbol:
        named = range_of(name_span, span.file) if name_span is not None else self.texts.name_range(name, span)
        text = self.texts.line((declared or span).file, (declared or span).line - 1).strip()
        return Symbol(name, kind, span.file, range_of(span, span.file), named, text, children)
