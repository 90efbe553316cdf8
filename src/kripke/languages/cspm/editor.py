"""A CSP-M script in an editor: problems, outline, and for a name its definition with its type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import ClassVar

from kripke.languages.cspm import syntax
from kripke.languages.cspm.parser import Script, parse
from kripke.languages.editing.document import Lens, Problem, Range, Symbol, range_of
from kripke.languages.editing.scoped import Declared, ScopedDocument
from kripke.languages.editing.words import Word

_LONGEST = 200  # characters of a definition that are shown


class ScriptDocument(ScopedDocument):
    language = "cspm"
    open_kinds = ("datatype",)
    icons: ClassVar[Mapping[str, str]] = {
        "process": "Function",
        "function": "Function",
        "constant": "Constant",
        "channel": "Event",
        "datatype": "Enum",
        "constructor": "EnumMember",
        "type": "TypeParameter",
        "module": "Module",
        "assertion": "Property",
        "parameter": "TypeParameter",
    }
    lenses: ClassVar[Mapping[str, Lens]] = {"assertion": "check"}
    unnamed_kinds = ("assertion",)
    snippets: ClassVar[Mapping[str, str]] = {
        "assert": "assert $1 [T= $2",
        "channel": "channel $1 : $2",
        "datatype": "datatype $1 = $2 | $3",
        "let": "let\n  $1\nwithin $2",
        "if": "if $1 then $2 else $3",
    }

    def _read(self, text: str) -> Iterator[Problem]:
        from kripke.languages.cspm.typing import check_types
        from kripke.languages.cspm.typing.types import lettered

        script = parse(self.path, text)
        names = _Names(script, {})
        self._symbols = names.all()
        names.types = {name: lettered(kind) for name, kind in check_types(script).items()}
        self._symbols = names.all()
        yield from ()

    def candidates(self, word: Word) -> Sequence[Declared]:
        """``M::x`` is what the module has; else what is known here."""
        found = super().candidates(word)
        before = self.lines[word.line][: word.character]
        after = self.lines[word.line][word.character + len(word.text) :]
        if before.endswith("[") and after.startswith("="):
            return []  # the model of a refinement
        if not before.endswith("::"):
            return [one for one in found if one.symbol.kind not in self.unnamed_kinds]
        module = self.name_at(word.line, max(0, word.character - 3))
        owner = None if module is None else self.meant(module)
        return [one for one in found if owner is not None and one.owner is not None and one.owner.name == owner.name]


class _Names:
    """Everything that a script defines, binds or asserts."""

    def __init__(self, script: Script, types: Mapping[str, str]) -> None:
        self.script = script
        self.tokens = script.tokens
        self.types = types
        #: channels and constructors: in patterns they stand for themselves
        self.makers = set(_makers(script.declarations))

    def all(self) -> list[Symbol]:
        return [symbol for declaration in self.script.declarations for symbol in self.symbols(declaration)]

    def symbols(self, declaration: syntax.Declaration) -> list[Symbol]:
        match declaration:
            case syntax.Function(name=name, clauses=clauses):
                kind = "function" if clauses[0].groups else "constant"
                if self.types.get(name, "").endswith("Proc"):
                    kind = "process"
                inside = tuple(symbol for clause in clauses for symbol in self.clause(clause))
                passed = tuple(self.text(pattern) for group in clauses[0].groups for pattern in group)
                symbol = self.symbol(name, kind, declaration, inside)
                return [replace(symbol, parameters=passed or None)]
            case syntax.Channels(names=names):
                return [self.symbol(name, "channel", declaration) for name in names]
            case syntax.Datatype(name=name, constructors=constructors):
                made = () if declaration.subtype else constructors
                inside = tuple(self.symbol(each.name, "constructor", each) for each in made)
                return [self.symbol(name, "datatype", declaration, inside)]
            case syntax.Nametype(name=name):
                return [self.symbol(name, "type", declaration)]
            case syntax.Module(name=name):
                members = [s for each in (*declaration.private, *declaration.exported) for s in self.symbols(each)]
                return [self.symbol(name, "module", declaration, tuple(members))]
            case syntax.Instance(name=name):
                return [self.symbol(name, "module", declaration)]
            case syntax.Timed(declarations=inner):
                return [symbol for each in inner for symbol in self.symbols(each)]
            case syntax.Assertion(text=text):
                return [self.symbol(text, "assertion", declaration, tuple(self.bound(declaration)))]
            case syntax.PatternBinding(pattern=pattern):
                return [self.at(name, "constant", declaration, None) for name in self.names_in(pattern)]
        return []

    # --- names that are bound inside ----------------------------------------------------------------------------------

    def clause(self, clause: syntax.Clause) -> Iterator[Symbol]:
        whole = self.range(clause.first, clause.last)
        for group in clause.groups:
            for pattern in group:
                yield from (self.at(name, "parameter", clause, whole) for name in self.names_in(pattern))
                yield from self.bound(pattern)
        yield from self.bound(clause.body)

    def bound(self, tree: object) -> Iterator[Symbol]:
        """Names bound by ``let``, by lambdas, inputs and generators, each with where it is known."""
        stack: list[tuple[object, Range | None]] = [(tree, None)]
        while stack:
            node, scope = stack.pop()
            if isinstance(node, list | tuple):
                stack += [(each, scope) for each in node]
                continue
            if not isinstance(node, syntax.Node):
                continue
            inner = scope
            match node:
                case syntax.Let():
                    inner = self.range(node.first, node.last)
                    for declaration in node.declarations:
                        for symbol in self.symbols(declaration):
                            yield replace(symbol, scope=inner)
                    stack.append((node.body, inner))
                    continue
                case syntax.Lambda():
                    inner = self.range(node.first, node.last)
                    for pattern in node.patterns:
                        yield from (self.at(name, "parameter", node, inner) for name in self.names_in(pattern))
                case syntax.Prefix():
                    for each in node.fields:
                        if each.mark != "!":
                            known = self.range(each.first, node.last)
                            yield from (self.at(name, "variable", node, known) for name in self.names_in(each.item))
                case syntax.Statement() if node.pattern is not None:
                    yield from (self.at(name, "variable", node, scope) for name in self.names_in(node.pattern))
                case syntax.Collection() | syntax.Range() | syntax.Replicated() | syntax.Rename() | syntax.Linked():
                    inner = self.range(node.first, node.last)
                case _:
                    pass
            stack += [(getattr(node, field.name), inner) for field in fields(node)]

    def names_in(self, pattern: object) -> Iterator[syntax.Name]:
        stack: list[object] = [pattern]
        while stack:
            node = stack.pop()
            if isinstance(node, syntax.Name):
                if node.name not in self.makers and "::" not in node.name:
                    yield node
            elif isinstance(node, list | tuple):
                stack.extend(node)
            elif isinstance(node, syntax.Node):
                stack += [getattr(node, field.name) for field in fields(node)]

    # --- places -------------------------------------------------------------------------------------------------------

    def range(self, first: int, last: int) -> Range:
        span = self.tokens.span(first, last)
        return range_of(span, span.file)

    def text(self, node: syntax.Node) -> str:
        return self.tokens.text(node.first, node.last)

    def at(self, name: syntax.Name, kind: str, node: syntax.Node, scope: Range | None) -> Symbol:
        """A name that is bound where it stands."""
        span = self.tokens.span(name.first, name.last)
        place = range_of(span, span.file)
        return Symbol(name.name, kind, span.file, place, place, self.shown(name.name, node), scope=scope)

    def symbol(self, name: str, kind: str, node: syntax.Node, children: tuple[Symbol, ...] = ()) -> Symbol:
        tokens = self.tokens
        span = tokens.span(node.first, node.last)
        at = next((n for n in range(node.first, node.last + 1) if tokens.texts[n] == name), node.first)
        whole = range_of(span, span.file)
        named = range_of(tokens.span(at), span.file)
        return Symbol(name, kind, span.file, whole, named, self.shown(name, node), children)

    def shown(self, name: str, node: syntax.Node) -> str:
        text = self.text(node)
        shown = text if len(text) < _LONGEST else text[: _LONGEST - 3] + "..."
        typed = self.types.get(name)
        return f"{name} :: {typed}\n{shown}" if typed else shown


def _makers(declarations: Sequence[syntax.Declaration]) -> Iterator[str]:
    for declaration in declarations:
        match declaration:
            case syntax.Channels(names=names):
                yield from names
            case syntax.Datatype(constructors=constructors):
                yield from (each.name for each in constructors)
            case syntax.Module():
                yield from _makers((*declaration.private, *declaration.exported))
            case syntax.Timed(declarations=inner):
                yield from _makers(inner)
            case _:
                pass
