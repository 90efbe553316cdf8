"""A Promela text in an editor. Where it cannot be read at the moment, its last good form answers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kripke.editor.document import Problem, Range, Symbol, problem_of, range_of
from kripke.languages.promela import syntax
from kripke.languages.promela.lowering.module import Asked, lower
from kripke.languages.promela.macros import Macro
from kripke.languages.promela.node import walk
from kripke.languages.promela.parser import parse
from kripke.languages.promela.unused import find_one_sided, find_unused
from kripke.model.source import ModelError, Span
from kripke.process.passes import Passes

_WORD = re.compile(r"[A-Za-z_]\w*")


class PromelaDocument:
    """``before`` is the document as it was until now, perhaps in a better state."""

    def __init__(self, text: str, path: str, before: PromelaDocument | None = None) -> None:
        self.path = path
        self.lines = text.split("\n")
        self._problems: list[Problem] = []
        self._symbols: list[Symbol] = before._symbols if before is not None else []
        try:
            module = parse(text, path)
        except ModelError as error:
            self._problems.append(problem_of(error, path))
            return
        except RecursionError:
            self._problems.append(Problem(Range(0, 0, 0, 1), "this is nested too deeply to be read", "error"))
            return
        self._symbols = list(_Symbols(module, path, self.lines).all())
        self._problems = list(self._checked(module))

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

    # --- questions ----------------------------------------------------------------------------------------------------

    def problems(self) -> list[Problem]:
        return self._problems

    def outline(self) -> list[Symbol]:
        return [symbol for symbol in self._symbols if symbol.file == self.path]

    def symbol_at(self, line: int, character: int) -> Symbol | None:
        """What the word at a place means: the innermost thing of that name around it, else a global one."""
        word = self._word(line, character)
        if word is None:
            return None
        inside = [s for s in self._symbols if s.file == self.path and s.range.holds(line, character)]
        for symbol in inside:
            found = [child for child in symbol.children if child.name == word]
            if found:
                before = [child for child in found if (child.range.line, child.range.character) <= (line, character)]
                return (before or found)[-1 if before else 0]
        return next((symbol for symbol in self._everything() if symbol.name == word), None)

    def _everything(self) -> Iterator[Symbol]:
        """Global names first, then names inside processes, for remote references."""
        yield from self._symbols
        for symbol in self._symbols:
            if symbol.kind in ("mtype", "typedef"):
                yield from symbol.children
        for symbol in self._symbols:
            yield from symbol.children

    def _word(self, line: int, character: int) -> str | None:
        if not 0 <= line < len(self.lines):
            return None
        for match in _WORD.finditer(self.lines[line]):
            if match.start() <= character <= match.end():
                return match.group()
        return None


class _Symbols:
    """Everything that has a name in a module."""

    def __init__(self, module: syntax.Module, path: str, lines: list[str]) -> None:
        self.module = module
        self.path = path
        self.texts = {path: lines}
        self.texts |= {name: found for name, found in module.sources.texts().items() if name != path}

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
        named = range_of(name_span, span.file) if name_span is not None else self._name_range(name, span)
        text = self._line((declared or span).file, (declared or span).line)
        return Symbol(name, kind, span.file, range_of(span, span.file), named, text, children)

    def _name_range(self, name: str, span: Span) -> Range:
        """Where the name stands in the text of the span."""
        whole = range_of(span, span.file)
        word = re.compile(rf"\b{re.escape(name)}\b")
        for number in range(whole.line, whole.end_line + 1):
            line = self._text(span.file, number)
            match = word.search(line, whole.character if number == whole.line else 0)
            if match is not None:
                return Range(number, match.start(), number, match.end())
        return Range(whole.line, whole.character, whole.line, whole.character)

    def _text(self, file: str, number: int) -> str:
        lines = self.texts.get(file, [])
        return lines[number] if 0 <= number < len(lines) else ""

    def _line(self, file: str, number: int) -> str:
        return self._text(file, number - 1).strip()
