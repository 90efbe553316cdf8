"""Promela text to a syntax tree: the grammar of modules, and the ways in."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from kripke.languages.promela import syntax
from kripke.languages.promela.cursor import described
from kripke.languages.promela.expressions import formula_tokens
from kripke.languages.promela.inlines import Definition
from kripke.languages.promela.lexer import Token
from kripke.languages.promela.preprocessor import COMMAND_LINE, Preprocessor, find_included, read_source
from kripke.languages.promela.separators import fold_c, matching_brace, separate_module
from kripke.languages.promela.statements import StatementParser
from kripke.model.source import Diagnostic, Sources, Span

if TYPE_CHECKING:
    from kripke.languages.promela.asn1.notation import Module as DataModule

T = TypeVar("T")


def parse(
    text: str,
    file: str = "<text>",
    *,
    defines: Mapping[str, str | int] | None = None,
    undefines: Sequence[str] = (),
    include_paths: Sequence[str | os.PathLike[str]] = (),
    include_root: str | None = None,
) -> syntax.Module:
    """The syntax tree of a model. Raises ModelError."""
    sources = Sources(include_root)
    preprocessor = Preprocessor(defines=defines, undefines=undefines, include_paths=include_paths, sources=sources)
    tokens = separate_module(fold_c(preprocessor.run(text, file), sources))
    parser = _ModuleParser(tokens, file, sources, preprocessor.include_paths)
    items = _guarded(parser, parser.items)
    warnings = (*preprocessor.warnings, *parser.warnings)
    end = parser.token
    whole = Span(file, 1, 1, end.line, end.column)
    references = None
    if parser.with_references:
        from kripke.languages.promela.references import References

        references = References(items, sources)
        items = references.items(items)
    return syntax.Module(file, items, warnings, sources, preprocessor.macros, whole, references)


def parse_file(
    path: str | os.PathLike[str],
    *,
    defines: Mapping[str, str | int] | None = None,
    undefines: Sequence[str] = (),
    include_paths: Sequence[str | os.PathLike[str]] = (),
    include_root: str | None = None,
) -> syntax.Module:
    """The syntax tree of the model in a file. Raises ModelError, also where the file cannot be read."""
    text = read_source(path)
    return parse(
        text,
        os.fspath(path),
        defines=defines,
        undefines=undefines,
        include_paths=include_paths,
        include_root=include_root,
    )


def parse_expression(
    text: str,
    file: str = COMMAND_LINE,
    *,
    module: syntax.Module | None = None,
    warnings: list[Diagnostic] | None = None,
) -> syntax.Expression:
    """An expression over the states of a model, remote references included; the model's macros may be used.

    What there is to warn of is added to ``warnings``.
    """
    parser = _outside_parser(text, file, module)
    expression = _guarded(parser, parser.expression)
    _expect_end(parser)
    if warnings is not None:
        warnings += parser.warnings
    return expression


def parse_formula(
    text: str,
    file: str = COMMAND_LINE,
    *,
    module: syntax.Module | None = None,
    warnings: list[Diagnostic] | None = None,
) -> syntax.Expression:
    """An LTL formula about a model; the model's macros may be used.

    What there is to warn of is added to ``warnings``.
    """
    parser = _outside_parser(text, file, module)
    parser.goto(formula_tokens(parser.tokens), 0)
    formula = _guarded(parser, parser.formula)
    _expect_end(parser)
    if warnings is not None:
        warnings += parser.warnings
    return formula


def parse_items(text: str, file: str, *, module: syntax.Module) -> tuple[syntax.Item, ...]:
    """What stands beside a model (never claims, say); the model's macros may be used."""
    preprocessor = Preprocessor(sources=Sources(module.sources.include_root))
    preprocessor.macros.update(module.macros)
    tokens = separate_module(fold_c(preprocessor.run(text, file), preprocessor.sources))
    parser = _ModuleParser(tokens, file, preprocessor.sources)
    _know(parser, module)
    return _guarded(parser, parser.items)


def _outside_parser(text: str, file: str, module: syntax.Module | None) -> _ModuleParser:
    preprocessor = Preprocessor()
    if module is not None:
        preprocessor.macros.update(module.macros)
    tokens = fold_c(preprocessor.run(text, file), preprocessor.sources)
    parser = _ModuleParser(tokens, file, preprocessor.sources)
    if module is not None:
        _know(parser, module)
    return parser


def _know(parser: _ModuleParser, module: syntax.Module) -> None:
    """The names of a model that decide how a text beside it is read."""
    for item in module.items:
        if isinstance(item, syntax.Proctype):
            parser.proctypes.add(item.name)
        elif isinstance(item, syntax.Import):
            parser.data_types |= set(item.data.types)


def _expect_end(parser: _ModuleParser) -> None:
    token = parser.token
    if token.kind != "end":
        hint = "'=' assigns; to compare, write '=='" if token.kind == "=" else None
        parser.fail(f"unexpected {described(token)} after the expression", hint=hint)


def _guarded(parser: _ModuleParser, part: Callable[[], T]) -> T:
    try:
        return part()
    except RecursionError:
        raise parser.error("nested too deeply", parser.token) from None


def _words(token: Token) -> list[str]:
    """A word, or the words of C code."""
    return [token.text] if token.value is None else re.findall(r"[A-Za-z_]\w*", " ".join(filter(None, token.value[:2])))


class _ModuleParser(StatementParser):
    def __init__(self, tokens: list[Token], file: str, sources: Sources, include_paths: Sequence[str] = ()) -> None:
        super().__init__(tokens, file, sources)
        self.include_paths = include_paths
        self.data_modules: list[DataModule] = []

    def items(self) -> tuple[syntax.Item, ...]:
        # A formula or remote reference may name a proctype that is defined further down.
        for token, following in zip(self.tokens, self.tokens[1:], strict=False):
            if token.kind in ("proctype", "D_proctype"):
                self.proctypes.add(following.text)
        items: list[syntax.Item] = []
        while self.token.kind != "end":
            if self.token.kind in (";", "->"):
                self.advance()
            else:
                items.append(self.item())
        return tuple(items)

    def item(self) -> syntax.Item:
        token = self.token
        match token.kind:
            case "active" | "proctype" | "D_proctype":
                return self.proctype()
            case "init":
                self.advance()
                priority = self.optional_priority()
                return syntax.Init(self.body(), priority, span=self.span_from(token))
            case "never":
                self.advance()
                name = self.advance().text if self.token.kind == "name" else None
                return syntax.Never(name, self.body(), span=self.span_from(token))
            case "trace" | "notrace":
                self.advance()
                return syntax.Trace(token.kind, self.body(), span=self.span_from(token))
            case "ltl":
                return self.ltl()
            case "inline":
                return self.inline()
            case "typedef":
                return self.typedef()
            case "c_code":
                return self.c_code()
            case "c_decl":
                self.advance()
                assert token.value is not None
                return syntax.CDeclaration(token.value.text, token.value.line, span=token.value.span)
            case "c_state":
                return syntax.CState(*self.strings(), span=self.span_from(token))
            case "c_track":
                return syntax.CTrack(*self.strings(), span=self.span_from(token))
        if token.text == "import" and self.next_kind() == "name":
            return self.import_types()
        if self.at_declaration():
            declaration = self.declaration()
            self.end_of_declaration()
            return declaration
        self.no_type(
            f"expected a declaration or a proctype, found {described(token)}",
        )

    def import_types(self) -> syntax.Import:
        """`import types from "file"`"""
        from kripke.languages.promela.asn1.importing import read_types

        start = self.advance()
        form = 'data types are imported with: import types from "file.asn1"'
        for word in ("types", "from"):
            if self.token.text != word:
                self.fail(f"expected '{word}', found {described(self.token)}", hint=form)
            self.advance()
        if self.token.kind != "string":
            self.fail(f"expected the name of a file, found {described(self.token)}", hint=form)
        name = self.advance()
        places = [os.path.dirname(name.file), *self.include_paths]
        path = find_included(name.text[1:-1], places, name.span, self.sources)
        self.sources.admit(path, name.span, self.include_paths)
        data = read_types(read_source(path, name.span, self.sources), path, self.data_modules, self.sources)
        self.typedefs |= set(data.types)
        self.data_types |= set(data.types)
        return syntax.Import(name.text[1:-1], data, span=self.span_from(start))

    def end_of_declaration(self) -> None:
        """SPIN's grammar needs nothing between two global declarations, so this only catches what is surely wrong."""
        token = self.token
        if token.kind in ("=", ",", "[", "]", "(", ")", "number", "..", ":") or (
            token.kind == "name" and token.text not in self.typedefs and self.next_kind() != "name"
        ):
            hint = None
            if token.kind == "(":
                hint = "Promela has no functions: write an inline, or a proctype that sends its result over a channel"
            self.fail(f"expected ';' after the declaration, found {described(token)}", hint=hint)

    def proctype(self) -> syntax.Proctype:
        start = self.token
        active: syntax.Expression | None = None
        if self.accept("active"):
            active = syntax.Constant(1, span=start.span)
            if self.accept("["):
                active = self.expression()
                self.expect("]")
        deterministic = self.token.kind == "D_proctype"
        if not deterministic and self.token.kind != "proctype":
            self.fail(f"expected 'proctype' after 'active', found {described(self.token)}")
        self.advance()
        name = self.name("the name of the proctype")
        self.seen_proctypes.add(name)
        parameters = self.parameters()
        priority = self.optional_priority()
        provided = None
        if self.accept("provided"):
            opening = self.expect("(")
            provided = self.expression()
            self.close_parenthesis(opening)
        body = self.body()
        return syntax.Proctype(
            name, parameters, body, active, priority, provided, deterministic, span=self.span_from(start)
        )

    def ltl(self) -> syntax.Ltl:
        start = self.advance()
        name = self.advance().text if self.token.kind == "name" else None
        opening = self.expect("{", "a formula is written: ltl name { formula }")
        tokens, index = self.tokens, self.index
        stop = matching_brace(tokens, index - 1)
        if tokens[stop].kind != "}":
            self.fail("the '{' of this formula is not closed", opening)
        self.goto([*formula_tokens(tokens[index:stop]), tokens[stop]], 0)
        formula = self.formula()
        self.accept(";")
        if self.token.kind != "}":
            self.fail(
                f"expected '}}' or an operator, found {described(self.token)}",
                hint="'=' assigns; to compare, write '=='" if self.token.kind == "=" else None,
            )
        self.goto(tokens, stop)
        self.advance()
        return syntax.Ltl(name, formula, span=self.span_from(start))

    def inline(self) -> syntax.Inline:
        start = self.advance()
        name = self.token
        self.name("the name of the inline")
        if name.text in self.inlines:
            self.fail(f"inline '{name.text}' is already defined", name)
        opening = self.expect("(")
        parameters: list[str] = []
        while self.token.kind != ")" or parameters:
            parameter = self.name("the name of a parameter")
            if parameter in parameters:
                self.fail(f"inline '{name.text}' has two parameters '{parameter}'", self.previous)
            parameters.append(parameter)
            if not self.accept(","):
                break
        self.close_parenthesis(opening)
        brace = self.expect("{")
        first, stop = self.index - 1, matching_brace(self.tokens, self.index - 1)
        if self.tokens[stop].kind != "}":
            self.fail(f"the '{{' of inline '{name.text}' is not closed", brace)
        body = self.tokens[first : stop + 1]
        self.inlines[name.text] = Definition(name, tuple(parameters), body)
        words = frozenset(word for token in body for word in _words(token))
        self.goto(self.tokens, stop)
        self.advance()
        return syntax.Inline(name.text, tuple(parameters), words, span=self.span_from(start))

    def strings(self) -> tuple[str, str, str | None]:
        """The two or three strings after c_state or c_track."""
        keyword = self.advance()
        texts: list[str] = []
        while self.token.kind == "string" and len(texts) < 3:
            texts.append(self.advance().text[1:-1])
        if len(texts) < 2:
            self.fail(f"'{keyword.kind}' takes two or three strings, found {described(self.token)}")
        return texts[0], texts[1], texts[2] if len(texts) == 3 else None
