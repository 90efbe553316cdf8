"""A Promela text in an editor."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from kripke.languages.editing.document import Lens, Problem, Range, Symbol, Texts, problem_of, range_of
from kripke.languages.editing.edits import Fix
from kripke.languages.editing.scoped import Declared, ScopedDocument, nearest
from kripke.languages.editing.words import Word
from kripke.languages.promela import syntax
from kripke.languages.promela.fixes import fixes
from kripke.languages.promela.formatting import formatted
from kripke.languages.promela.lexer import KEYWORDS, TYPES, tokenize
from kripke.languages.promela.lowering.module import Asked, lower
from kripke.languages.promela.macros import Macro
from kripke.languages.promela.node import walk
from kripke.languages.promela.parser import parse
from kripke.languages.promela.unused import find_one_sided, find_unused
from kripke.model.source import ModelError, Sources, Span
from kripke.process.passes import Passes

_DIRECTIVES = ("define", "elif", "else", "endif", "error", "if", "ifdef", "ifndef", "include", "undef")
_PREDEFINED = frozenset(
    {"_", "_last", "_lid", "_nr_pr", "_pid", "_priority", "_undef_ref", "anyRef", "in", "ref", "STDIN"}
)
_PATH = re.compile(r"(\w+)\s*(?:\[[^\[\]]*\]\s*)?$")
_REMOTE = re.compile(r"(\w+)\s*(?:\[[^\[\]]*\]\s*)?(@|(?<!:):(?!:))\s*$")


class PromelaDocument(ScopedDocument):
    language = "promela"
    open_kinds = ("mtype",)
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
        "parameter": "TypeParameter",
    }
    lenses: ClassVar[Mapping[str, Lens]] = {"formula": "check", "claim": "check", "process": "simulate"}
    snippets: ClassVar[Mapping[str, str]] = {
        "do": "do\n:: $1 -> $2\n:: else -> break\nod",
        "if": "if\n:: $1 -> $2\n:: else -> $3\nfi",
        "for": "for ($1 : $2 .. $3) {\n\t$4\n}",
        "atomic": "atomic { $1 }",
        "active": "active proctype $1() {\n\t$2\n}",
        "proctype": "proctype $1($2) {\n\t$3\n}",
        "init": "init {\n\t$1\n}",
        "ltl": "ltl $1 { [] ($2) }",
        "inline": "inline $1($2) {\n\t$3\n}",
        "chan": "chan $1 = [$2] of { $3 };",
        "mtype": "mtype = { $1 };",
        "typedef": "typedef $1 {\n\t$2\n}",
    }

    def _read(self, text: str) -> Iterator[Problem]:
        module = parse(text, self.path)
        self._symbols = list(_Symbols(module, self.path, text, self.lines).all())
        yield from self._checked(module)

    def _checked(self, module: syntax.Module) -> Iterator[Problem]:
        try:
            lowered = lower(module, Asked(), Passes())
        except ModelError as error:
            problem = problem_of(error, self.path)
            allowed = "--allow-c" in (error.hint or "")  # whether C code may run is not the editor's business
            yield Problem(problem.range, problem.message, "hint" if allowed else problem.severity)
            return
        self.meaning = (lowered.program, lowered.properties)
        for warning in (*lowered.warnings, *find_one_sided(module), *find_unused(module)):
            if warning.span.file == self.path:
                hint = f"\n{warning.hint}" if warning.hint else ""
                yield Problem(range_of(warning.span, self.path), warning.message + hint, "warning")

    def fixed(self, symbol: Symbol) -> str | None:
        if symbol.kind == "mtype" or symbol.name in KEYWORDS:
            return f"'{symbol.name}' is a word of the language"
        return super().fixed(symbol)

    def is_name(self, text: str) -> bool:
        return super().is_name(text) and text not in _PREDEFINED

    def fixes(self) -> list[Fix]:
        return fixes(self.text, self.path, self._problems)

    def formatted(self, indent: str) -> str | None:
        return formatted(self.text, indent)

    # --- what a name means --------------------------------------------------------------------------------------------

    def candidates(self, word: Word) -> Sequence[Declared]:
        """A field after a dot, a label after ``goto`` and before a colon, all else elsewhere."""
        found = super().candidates(word)
        before = self.lines[word.line][: word.character].rstrip()
        after = self.lines[word.line][word.character + len(word.text) :].lstrip()
        inlined = [one for one in found if one.symbol.kind == "parameter" and one.owner is not None]
        replaced = [one for one in inlined if one.owner and one.owner.kind in ("inline", "macro")]
        if any(one.scope is not None and one.scope.holds(word.line, word.character) for one in replaced):
            return replaced
        if before.endswith(".") and not before.endswith(".."):
            return self._fields(before[:-1], word, found)
        remote = _REMOTE.search(before)
        if remote is not None:
            wanted = ("label",) if remote[2] == "@" else ("variable", "parameter", "label")
            inside = [one for one in found if one.owner is not None and one.owner.name == remote[1]]
            inside = [one._replace(scope=None) for one in inside if one.symbol.kind in wanted]
            if inside or remote[2] == "@":
                return inside
        if re.search(r"\bgoto$", before) or (after.startswith(":") and not after.startswith("::")):
            labels = [one for one in found if one.symbol.kind == "label"]
            if labels:
                return labels
        return [one for one in found if one.symbol.kind not in ("label", "field")]

    def _fields(self, before: str, word: Word, found: Sequence[Declared]) -> Sequence[Declared]:
        """Of the structure that stands before the dot, where its type is known; else of any that has such a field."""
        fields = [one for one in found if one.symbol.kind == "field"]
        owner = self._structure(before, word.line)
        if owner is None:
            return fields if len(fields) == 1 else []
        return [one for one in fields if one.owner is not None and one.owner.name == owner.name]

    def _structure(self, before: str, line: int) -> Symbol | None:
        """The typedef of what a text ends with: ``box``, ``boxes[i]``, ``box.inner``."""
        match = _PATH.search(before.rstrip())
        if match is None:
            return None
        word = self.name_at(line, match.start(1))
        holder = None if word is None else nearest(self.candidates(word), word.line, word.character)
        types = (one.symbol for one in self.declared().get(holder.type, ()) if holder) if holder else ()
        return next((symbol for symbol in types if symbol.kind == "typedef"), None)

    # --- completion ---------------------------------------------------------------------------------------------------

    def known_at(self, line: int, character: int) -> list[Symbol]:
        before = self._before(line, character)
        if before.lstrip().startswith("#"):
            return super().known_at(line, character)
        if before.endswith("."):
            owner = self._structure(before[:-1], line)
            return list(owner.children) if owner is not None else []
        known = super().known_at(line, character)
        if re.search(r"\brun\s*$", before):
            return [symbol for symbol in known if symbol.kind == "process" and symbol.name != "init"]
        if re.search(r"\bgoto\s*$", before):
            around = (symbol for symbol in self._symbols if symbol.range.holds(line, character))
            return [child for symbol in around for child in symbol.children if child.kind == "label"]
        return [symbol for symbol in known if symbol.kind not in ("field", "label", "mtype") and symbol.name != "init"]

    def words_at(self, line: int, character: int) -> list[str]:
        before = self._before(line, character)
        if re.fullmatch(r"\s*#\s*", before):
            return list(_DIRECTIVES)
        if before.endswith(".") or re.search(r"\b(run|goto)\s*$", before):
            return []
        return sorted(KEYWORDS | TYPES)

    def _before(self, line: int, character: int) -> str:
        """The line up to the word at a place."""
        text = self.lines[line][:character] if 0 <= line < len(self.lines) else ""
        return re.sub(r"\w+$", "", text)


class _Symbols:
    """Everything that has a name in a module."""

    def __init__(self, module: syntax.Module, path: str, text: str, lines: Sequence[str]) -> None:
        self.module = module
        self.path = path
        self.texts = Texts({**module.sources.texts(), path: lines})
        self.blocks = _Blocks(text, path)

    def all(self) -> Iterator[Symbol]:
        for name, macro in self.module.macros.items():
            if isinstance(macro, Macro) and macro.definition.file in self.texts:
                yield self._macro(name, macro)
        for item in self.module.items:
            yield from self._item(item)

    def _macro(self, name: str, macro: Macro) -> Symbol:
        place = macro.definition.span
        last = macro.body[-1].span if macro.body else place
        whole = range_of(place.to(last) if last.file == place.file else place, place.file)
        inside = tuple(
            replace(self._symbol(each, "parameter", place.to(last)), range=whole) for each in macro.parameters or ()
        )
        symbol = self._symbol(name, "macro", place, place, children=inside)
        return replace(symbol, range=whole, parameters=macro.parameters)

    def _item(self, item: syntax.Item) -> Iterator[Symbol]:
        match item:
            case syntax.Proctype(name):
                symbol = self._symbol(name, "process", item.span, children=tuple(self._inside(item)))
                yield replace(symbol, parameters=tuple(_parameters(item)))
            case syntax.Init():
                yield self._symbol("init", "process", item.span, children=tuple(self._inside(item)))
            case syntax.Never(name):
                yield self._symbol(name or "never", "claim", item.span, children=tuple(self._inside(item)))
            case syntax.Inline(name, parameters):
                inside = tuple(self._symbol(each, "parameter", item.span) for each in parameters)
                yield replace(self._symbol(name, "inline", item.span, children=inside), parameters=parameters)
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
                found += map(self._in_block, self._variables(node.declaration, "variable"))
            elif isinstance(node, syntax.Labelled):
                found += [self._symbol(label, "label", node.span) for label in node.labels]
        # What an inline declares is there once for every call.
        once = {(symbol.name, symbol.name_range): symbol for symbol in found}
        yield from sorted(once.values(), key=lambda symbol: symbol.range)

    def _in_block(self, symbol: Symbol) -> Symbol:
        if symbol.file != self.path:
            return symbol
        start = symbol.name_range
        return replace(symbol, scope=self.blocks.rest(start.line, start.character))

    def _variables(self, declaration: syntax.Declaration, kind: str) -> Iterator[Symbol]:
        for variable in declaration.variables:
            place = variable.span if variable.span.line else declaration.span
            symbol = self._symbol(variable.name, kind, place, declared=declaration.span)
            yield replace(symbol, type=declaration.type.name)

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


def _parameters(item: syntax.Proctype) -> Iterator[str]:
    for declaration in item.parameters:
        for variable in declaration.variables:
            yield f"{declaration.type.name} {variable.name}"


class _Blocks:
    """Where the blocks of a text end."""

    def __init__(self, text: str, path: str) -> None:
        opened: list[tuple[int, int]] = []
        found: list[tuple[tuple[int, int], tuple[int, int]]] = []
        try:
            tokens = tokenize(text, path, Sources())
        except ModelError:
            tokens = []
        for token in tokens:
            if token.kind == "{":
                opened.append((token.line - 1, token.column - 1))
            elif token.kind == "}" and opened:
                found.append((opened.pop(), (token.line - 1, token.end - 1)))
        self._blocks = sorted(found)
        self._starts = [start for start, _ in self._blocks]

    def rest(self, line: int, character: int) -> Range | None:
        """From a place to the end of the block around it; None where it is in none."""
        for number in range(bisect_right(self._starts, (line, character)) - 1, -1, -1):
            end = self._blocks[number][1]
            if end > (line, character):
                return Range(line, character, *end)
        return None
