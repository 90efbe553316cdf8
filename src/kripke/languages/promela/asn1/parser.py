"""ASN.1 text to what it says (``notation``).

Read are the parts of X.680 that have a place in a state: no strings of characters or bits, no object classes, no
parameters. Tags and extension marks are read and mean nothing here: a model does not encode. (Libraries for ASN.1 are
made for encoding: asn1tools takes an intersection of ranges for their union and leaves exclusions and structured values
out, pycrate does not say where an error is; tests compare with the former.)
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from kripke.deadline import current
from kripke.languages.promela.asn1 import notation as n
from kripke.model.source import Sources, Span

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f\v\u00a0]+|\n) | (?P<comment>--(?:[^\n-]|-(?!-))*(?:--)?-?|/\*)
      | (?P<word>[A-Za-z](?:-?[A-Za-z0-9])*) | (?P<number>[0-9]+)
      | (?P<string>"(?:[^"]|"")*"|'[^']*'[BH]?)
      | (?P<sign>::=|\.\.\.|\.\.|\[\[|\]\]|[{}()\[\],;:.|^<\-!@&*]) | (?P<other>.)""",
    re.VERBOSE,
)
_DEEPEST = 100
#: Types without a place in a state, by their first word.
_FOREIGN = frozenset(
    """BIT OCTET REAL OBJECT RELATIVE-OID EXTERNAL EMBEDDED CHARACTER ANY CLASS INSTANCE TIME DATE TIME-OF-DAY DATE-TIME
    DURATION UTF8String NumericString PrintableString TeletexString T61String VideotexString IA5String GraphicString
    VisibleString ISO646String GeneralString UniversalString BMPString UTCTime GeneralizedTime ObjectDescriptor
    OID-IRI RELATIVE-OID-IRI""".split()  # noqa: SIM905
)
_RESERVED = _FOREIGN | frozenset(
    """BOOLEAN NULL INTEGER ENUMERATED SEQUENCE SET CHOICE OF OPTIONAL DEFAULT SIZE TRUE FALSE MIN MAX BEGIN END
    DEFINITIONS IMPORTS EXPORTS FROM WITH COMPONENT COMPONENTS PRESENT ABSENT INCLUDES UNION INTERSECTION EXCEPT ALL
    AUTOMATIC EXPLICIT IMPLICIT TAGS""".split()  # noqa: SIM905
)


class Token(NamedTuple):
    """``kind`` is "word", "number", "string", "end", or the sign itself."""

    kind: str
    text: str
    span: Span


def parse(text: str, file: str, sources: Sources) -> tuple[n.Module, ...]:
    """The modules of a file. Raises ModelError."""
    sources.add(file, text)
    parser = _Parser(_tokens(text, file, sources), sources)
    modules = [parser.module()]
    while parser.token.kind != "end":
        modules.append(parser.module())
    return tuple(modules)


def _tokens(text: str, file: str, sources: Sources) -> list[Token]:
    tokens: list[Token] = []
    at, line, line_start = 0, 1, 0
    deadline = current()
    while at < len(text):
        match = _TOKEN.match(text, at)
        assert match is not None
        column, word, kind = at - line_start + 1, match.group(), match.lastgroup or "other"
        span = Span(file, line, column, line, column + len(word.split("\n", 1)[0]))
        end = match.end()
        if word == "/*":
            end = _end_of_comment(text, at)
            if end < 0:
                raise sources.error("this comment is never closed", span)
            word = text[at:end]
        elif kind == "other":
            raise sources.error(f"{word!r} has no meaning in ASN.1", span)
        elif kind not in ("space", "comment"):
            tokens.append(Token(word if kind == "sign" else kind, word, span))
        if "\n" in word:
            line += word.count("\n")
            line_start = at + word.rindex("\n") + 1
            deadline()
        at = end
    last = tokens[-1].span if tokens else Span(file, 1, 1, 1, 1)
    tokens.append(Token("end", "", Span(file, last.end_line, last.end_column, last.end_line, last.end_column + 1)))
    return tokens


def _end_of_comment(text: str, at: int) -> int:
    """Comments of this kind nest; -1 where there is no end."""
    depth = 0
    for match in re.compile(r"/\*|\*/").finditer(text, at):
        depth += 1 if match.group() == "/*" else -1
        if depth == 0:
            return match.end()
    return -1


class _Parser:
    def __init__(self, tokens: list[Token], sources: Sources) -> None:
        self.tokens = tokens
        self.sources = sources
        self.index = 0
        self.depth = 0

    # --- moving -------------------------------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    def ahead(self, count: int = 1) -> Token:
        return self.tokens[min(self.index + count, len(self.tokens) - 1)]

    def advance(self) -> Token:
        token = self.token
        if token.kind != "end":
            self.index += 1
        return token

    def at(self, *texts: str) -> bool:
        return self.token.text in texts and self.token.kind != "string"

    def accept(self, text: str) -> bool:
        if not self.at(text):
            return False
        self.advance()
        return True

    def expect(self, text: str, hint: str | None = None) -> Token:
        if not self.at(text):
            self.fail(f"expected '{text}', found {self.described()}", hint)
        return self.advance()

    def described(self) -> str:
        return "the end of the text" if self.token.kind == "end" else f"'{self.token.text}'"

    def fail(self, message: str, hint: str | None = None, span: Span | None = None) -> NoReturn:
        raise self.sources.error(message, span or self.token.span, hint)

    def since(self, start: Token) -> Span:
        end = self.tokens[max(self.index - 1, 0)].span
        return Span(start.span.file, start.span.line, start.span.column, end.end_line, end.end_column)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            self.fail(f"nested too deeply: more than {_DEEPEST} levels")

    def name(self, what: str, *, capital: bool) -> str:
        token = self.token
        if token.kind != "word" or token.text in _RESERVED or token.text[0].isupper() != capital:
            case = "an upper-case" if capital else "a lower-case"
            self.fail(f"expected {what}, found {self.described()}", f"it begins with {case} letter")
        return self.advance().text

    # --- modules ------------------------------------------------------------------------------------------------------

    def module(self) -> n.Module:
        start = self.token
        name = self.name("the name of a module", capital=True)
        if self.at("{"):
            self.skip_braces()
        self.expect("DEFINITIONS", "a module is written: Name DEFINITIONS ::= BEGIN ... END")
        while not self.at("::="):
            if not self.at("AUTOMATIC", "EXPLICIT", "IMPLICIT", "TAGS", "EXTENSIBILITY", "IMPLIED"):
                self.fail(f"expected '::=', found {self.described()}")
            self.advance()
        self.advance()
        self.expect("BEGIN")
        if self.accept("EXPORTS"):
            while not self.accept(";"):
                if self.token.kind == "end":
                    self.fail("expected ';' after what is exported")
                self.advance()
        imports = self.imports()
        types: list[n.TypeAssignment] = []
        values: list[n.ValueAssignment] = []
        while not self.at("END"):
            if self.token.kind == "end":
                self.fail("expected a type, a value or 'END', found the end of the text")
            item = self.assignment()
            (types if isinstance(item, n.TypeAssignment) else values).append(item)  # type: ignore[arg-type]
        self.advance()
        return n.Module(name, tuple(imports), tuple(types), tuple(values), self.since(start))

    def imports(self) -> list[n.Import]:
        found: list[n.Import] = []
        if not self.accept("IMPORTS"):
            return found
        while not self.accept(";"):
            start = self.token
            names: list[str] = []
            while not self.at("FROM"):
                if self.token.kind != "word" or self.token.text in _RESERVED:
                    self.fail(f"expected a name to import or 'FROM', found {self.described()}")
                names.append(self.advance().text)
                self.accept(",")
            self.advance()
            module = self.name("the name of a module", capital=True)
            found.append(n.Import(tuple(names), module, self.since(start)))
            if self.at("{"):
                self.skip_braces()
        return found

    def skip_braces(self) -> None:
        depth = 0
        while True:
            if self.token.kind == "end":
                self.fail("expected '}'")
            depth += {"{": 1, "}": -1}.get(self.advance().text, 0)
            if depth == 0:
                return

    def assignment(self) -> n.TypeAssignment | n.ValueAssignment:
        start = self.token
        if start.kind != "word" or start.text in _RESERVED:
            self.fail(f"expected the name of a type or a value, found {self.described()}")
        self.advance()
        if self.at("{"):
            self.fail("types with parameters are not read", "write the type out for every use")
        if start.text[0].islower():
            type_ = self.type()
            self.expect("::=")
            return n.ValueAssignment(start.text, type_, self.value(), self.since(start))
        if self.accept("::="):
            if self.at("CLASS"):
                self.fail("object classes are not read")
            return n.TypeAssignment(start.text, self.type(), self.since(start))
        # A set of values: Odd INTEGER ::= { 1 | 3 }
        type_ = self.type()
        self.expect("::=")
        self.expect("{")
        constraint = self.element_sets("}")
        self.expect("}")
        span = self.since(start)
        return n.TypeAssignment(start.text, n.Constrained(type_, constraint, span), span)

    # --- types --------------------------------------------------------------------------------------------------------

    def type(self) -> n.Type:
        start = self.token
        self.deeper()
        if self.accept("["):
            while not self.accept("]"):
                if self.token.kind == "end":
                    self.fail("expected ']'")
                self.advance()
            if self.at("IMPLICIT", "EXPLICIT"):
                self.advance()
            found = self.type()
        else:
            found = self.base()
        while self.at("("):
            constraint = self.constraint()
            found = n.Constrained(found, constraint, self.since(start))
        self.depth -= 1
        return found

    def base(self) -> n.Type:
        token = self.token
        if token.kind != "word":
            self.fail(f"expected a type, found {self.described()}")
        if token.text in _FOREIGN:
            self.fail(
                f"'{token.text}' has no place in a state",
                "use INTEGER with a range, ENUMERATED, BOOLEAN, SEQUENCE, SET, SEQUENCE OF or CHOICE",
            )
        self.advance()
        match token.text:
            case "BOOLEAN":
                return n.Boolean(token.span)
            case "NULL":
                return n.NullType(token.span)
            case "INTEGER":
                return self.integer(token)
            case "ENUMERATED":
                return self.enumerated(token)
            case "SEQUENCE" | "SET":
                return self.record_or_list(token)
            case "CHOICE":
                self.expect("{")
                alternatives = self.fields("an alternative")
                return n.Choice(alternatives, self.since(token))
        if token.text in _RESERVED or token.text[0].islower():
            self.fail(f"expected a type, found '{token.text}'", None, token.span)
        if self.at("."):
            self.advance()
            return n.Reference(self.name("the name of a type", capital=True), token.text, self.since(token))
        if self.at("{"):
            self.fail("types with parameters are not read", "write the type out for every use")
        return n.Reference(token.text, None, token.span)

    def integer(self, start: Token) -> n.Integer:
        names: list[tuple[str, n.Value]] = []
        if self.accept("{"):
            while True:
                name = self.name("a name for a number", capital=False)
                self.expect("(")
                names.append((name, self.value()))
                self.expect(")")
                if not self.accept(","):
                    break
            self.expect("}")
        return n.Integer(tuple(names), self.since(start))

    def enumerated(self, start: Token) -> n.Enumerated:
        self.expect("{")
        items: list[tuple[str, n.Value | None]] = []
        root: int | None = None
        while True:
            if self.accept("..."):
                root = len(items) if root is None else root
            else:
                name = self.name("an item of the enumeration", capital=False)
                number = None
                if self.accept("("):
                    number = self.value()
                    self.expect(")")
                items.append((name, number))
            if not self.accept(","):
                break
        self.expect("}")
        if not items:
            self.fail("an enumeration has at least one item", None, start.span)
        return n.Enumerated(tuple(items), len(items) if root is None else root, self.since(start))

    def record_or_list(self, start: Token) -> n.Type:
        if self.accept("{"):
            return n.Record(start.text, self.fields("a component"), self.since(start))
        size: n.Constraint | None = None
        if self.at("SIZE"):
            size = self.element()
        elif self.at("("):
            size = self.constraint()
        self.expect("OF", f"after {start.text} comes '{{' or 'OF'")
        if start.text == "SET":
            self.fail("SET OF has no place in a state", "SEQUENCE OF keeps an order, and is", start.span)
        if self.token.kind == "word" and self.token.text[0].islower() and self.token.text not in _RESERVED:
            self.advance()  # the name of the elements
        element = self.type()
        found: n.Type = n.ListOf(element, self.since(start))
        return found if size is None else n.Constrained(found, size, self.since(start))

    def fields(self, what: str) -> tuple[n.Field, ...]:
        """What stands between braces; the first one was read."""
        found: list[n.Field] = []
        while not self.at("}"):
            if self.accept("..."):
                if self.accept("!"):
                    self.value()
            elif self.at("[[", "]]"):
                self.advance()
                if self.token.kind == "number" and self.ahead().text == ":":
                    self.advance()
                    self.advance()
                continue
            else:
                found.append(self.field(what))
            if self.at("]]"):
                self.advance()
            if not self.accept(","):
                break
        self.expect("}")
        return tuple(found)

    def field(self, what: str) -> n.Field:
        start = self.token
        if self.accept("COMPONENTS"):
            self.expect("OF")
            return n.Field(None, self.type(), False, None, self.since(start))
        name = self.name(f"the name of {what}", capital=False)
        type_ = self.type()
        optional = self.accept("OPTIONAL")
        default = self.value() if self.accept("DEFAULT") else None
        return n.Field(name, type_, optional, default, self.since(start))

    # --- constraints --------------------------------------------------------------------------------------------------

    def constraint(self) -> n.Constraint:
        self.expect("(")
        found = self.element_sets(")")
        self.expect(")")
        return found

    def element_sets(self, closing: str) -> n.Constraint:
        """Element sets around an extension mark: what stands behind it belongs to the type, too."""
        start = self.token
        parts: list[n.Constraint] = []
        while not self.at(closing):
            if not self.accept("..."):
                parts.append(self.unions())
            if not self.accept(","):
                break
        if not parts:
            self.fail("a constraint is empty", None, start.span)
        return parts[0] if len(parts) == 1 else n.Union(tuple(parts), self.since(start))

    def unions(self) -> n.Constraint:
        start = self.token
        self.deeper()
        if self.accept("ALL"):
            self.expect("EXCEPT")
            found: n.Constraint = n.Except(None, self.element(), self.since(start))
        else:
            parts = [self.intersections()]
            while self.at("|", "UNION"):
                self.advance()
                parts.append(self.intersections())
            found = parts[0] if len(parts) == 1 else n.Union(tuple(parts), self.since(start))
        self.depth -= 1
        return found

    def intersections(self) -> n.Constraint:
        start = self.token
        parts = [self.without()]
        while self.at("^", "INTERSECTION"):
            self.advance()
            parts.append(self.without())
        return parts[0] if len(parts) == 1 else n.Intersection(tuple(parts), self.since(start))

    def without(self) -> n.Constraint:
        start = self.token
        whole = self.element()
        if not self.accept("EXCEPT"):
            return whole
        return n.Except(whole, self.element(), self.since(start))

    def element(self) -> n.Constraint:
        start = self.token
        if self.accept("("):
            inner = self.unions()
            self.expect(")")
            return inner
        if self.accept("SIZE"):
            return n.Size(self.constraint(), self.since(start))
        if self.accept("WITH"):
            return self.inner(start)
        if self.accept("INCLUDES"):
            return n.Contained(self.type(), self.since(start))
        if self.at("PATTERN", "FROM", "CONTAINING", "ENCODED", "CONSTRAINED", "SETTINGS"):
            self.fail(f"constraints with '{start.text}' are not read")
        if (
            start.kind == "word"
            and start.text not in ("TRUE", "FALSE", "NULL", "MIN", "MAX")
            and start.text[0].isupper()
        ):
            return n.Contained(self.type(), self.since(start))
        low = None if self.accept("MIN") else self.value()
        above = self.accept("<")
        if not self.at("..") and not above:
            if low is None:
                self.fail(f"expected '..', found {self.described()}")
            return n.Single(low, self.since(start))
        self.expect("..")
        below = self.accept("<")
        high = None if self.accept("MAX") else self.value()
        return n.Range(low, high, above, below, self.since(start))

    def inner(self, start: Token) -> n.Constraint:
        """After WITH."""
        if self.accept("COMPONENT"):
            return n.Elements(self.constraint(), self.since(start))
        self.expect("COMPONENTS")
        self.expect("{")
        partial = self.accept("...")
        if partial:
            self.accept(",")
        items: list[n.Component] = []
        while not self.at("}"):
            first = self.token
            name = self.name("the name of a component", capital=False)
            constraint = self.constraint() if self.at("(") else None
            presence = self.advance().text if self.at("PRESENT", "ABSENT", "OPTIONAL") else None
            items.append(n.Component(name, constraint, presence, self.since(first)))
            if not self.accept(","):
                break
        self.expect("}")
        return n.Components(tuple(items), partial, self.since(start))

    # --- values -------------------------------------------------------------------------------------------------------

    def value(self) -> n.Value:
        start = self.token
        self.deeper()
        try:
            match start.kind:
                case "-":
                    self.advance()
                    if self.token.kind != "number":
                        self.fail(f"expected a number, found {self.described()}")
                    return n.Number(-self.number(), self.since(start))
                case "number":
                    return n.Number(self.number(), start.span)
                case "{":
                    return self.braces()
                case "string":
                    self.fail("strings have no place in a state")
                case "word":
                    return self.word(start)
            self.fail(f"expected a value, found {self.described()}")
        finally:
            self.depth -= 1

    def number(self) -> int:
        token = self.advance()
        if len(token.text) > 30:
            self.fail("this number is too large", None, token.span)
        return int(token.text)

    def word(self, start: Token) -> n.Value:
        if start.text in ("TRUE", "FALSE"):
            self.advance()
            return n.Truth(start.text == "TRUE", start.span)
        if start.text == "NULL":
            self.advance()
            return n.Null(start.span)
        name = self.name("a value", capital=False)
        if self.accept(":"):
            return n.Chosen(name, self.value(), self.since(start))
        return n.Named(name, start.span)

    def braces(self) -> n.Braces:
        start = self.advance()
        items: list[tuple[str | None, n.Value]] = []
        while not self.at("}"):
            name: str | None = None
            following = self.ahead()
            if self.token.kind == "word" and self.token.text[0].islower() and following.text not in (",", "}", ":"):
                name = self.advance().text
            items.append((name, self.value()))
            if not self.accept(","):
                break
        self.expect("}")
        return n.Braces(tuple(items), self.since(start))
