"""A CSP-M script in an editor: problems, outline, and for a name its definition with its type."""

from __future__ import annotations

from collections.abc import Mapping

from kripke.languages.cspm.parser import Script, parse
from kripke.languages.cspm.syntax import (
    Assertion,
    Channels,
    Datatype,
    Declaration,
    Function,
    Instance,
    Module,
    Nametype,
    PatternBinding,
    Timed,
)
from kripke.languages.editing.document import (
    TOO_DEEP,
    Document,
    Problem,
    Symbol,
    problem_of,
    range_of,
)
from kripke.model.source import ModelError

_ICONS = {
    "process": "Function",
    "function": "Function",
    "constant": "Constant",
    "channel": "Event",
    "datatype": "Enum",
    "constructor": "EnumMember",
    "type": "TypeParameter",
    "module": "Module",
    "assertion": "Property",
}


class ScriptDocument:
    """``previous``: what the text was before; its outline stays while the text cannot be read."""

    language = "cspm"
    icons: Mapping[str, str] = _ICONS

    def __init__(self, text: str, path: str, previous: Document | None) -> None:
        self._path = path
        self._problems: list[Problem] = []
        self._types: dict[str, str] = {}
        self._script: Script | None = None
        self._outline: list[Symbol] = previous.outline() if isinstance(previous, ScriptDocument) else []
        try:
            self._script = parse(path, text)
            from kripke.languages.cspm.typing import check_types

            self._types = check_types(self._script)
        except ModelError as error:
            self._problems.append(problem_of(error, path))
        except RecursionError:
            self._problems.append(TOO_DEEP)
        if self._script is not None:
            self._outline = [symbol for d in self._script.declarations for symbol in self._symbols(d)]
        self._by_name = {symbol.name: symbol for top in self._outline for symbol in (top, *top.children)}

    def problems(self) -> list[Problem]:
        return self._problems

    def outline(self) -> list[Symbol]:
        return self._outline

    def symbol_at(self, line: int, character: int) -> Symbol | None:
        if self._script is None:
            return None
        tokens = self._script.tokens
        for number, kind in enumerate(tokens.kinds):
            if kind != "id" or tokens.files[number]:
                continue
            found = range_of(tokens.span(number), self._path)
            if found.line > line:
                break
            if found.holds(line, character):
                return self._by_name.get(tokens.texts[number])
        return None

    def _symbols(self, declaration: Declaration) -> list[Symbol]:
        match declaration:
            case Function(name=name, clauses=clauses):
                kind = "function" if clauses[0].groups else "constant"
                if self._types.get(name, "").endswith("Proc"):
                    kind = "process"
                return [self._symbol(name, kind, declaration)]
            case Channels(names=names):
                return [self._symbol(name, "channel", declaration) for name in names]
            case Datatype(name=name, constructors=constructors):
                inner = (
                    tuple(self._symbol(c.name, "constructor", c) for c in constructors)
                    if not declaration.subtype
                    else ()
                )
                return [self._symbol(name, "datatype", declaration, inner)]
            case Nametype(name=name):
                return [self._symbol(name, "type", declaration)]
            case Module(name=name):
                members = [s for d in (*declaration.private, *declaration.exported) for s in self._symbols(d)]
                return [self._symbol(name, "module", declaration, tuple(members))]
            case Instance(name=name):
                return [self._symbol(name, "module", declaration)]
            case Timed(declarations=inner_declarations):
                return [s for d in inner_declarations for s in self._symbols(d)]
            case Assertion(text=text):
                return [self._symbol(text, "assertion", declaration)]
            case PatternBinding():
                return []
        return []

    def _symbol(self, name: str, kind: str, node: object, children: tuple[Symbol, ...] = ()) -> Symbol:
        assert self._script is not None
        tokens = self._script.tokens
        first, last = node.first, node.last  # type: ignore[attr-defined]
        span = tokens.span(first, last)
        at = next((n for n in range(first, last + 1) if tokens.texts[n] == name), first)
        text = tokens.text(first, last)
        kind_text = self._types.get(name)
        shown = text if len(text) < 200 else text[:197] + "..."
        return Symbol(
            name,
            kind,
            span.file,
            range_of(span, span.file),
            range_of(tokens.span(at), span.file),
            f"{name} :: {kind_text}\n{shown}" if kind_text else shown,
            children,
        )
