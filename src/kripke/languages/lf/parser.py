"""From tokens to the syntax tree: recursive descent, as the language was made for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from kripke.deadline import current
from kripke.languages.lf.lexer import WORDS, Token
from kripke.languages.lf.syntax import (
    Applied,
    ArrayOf,
    Assignment,
    Binary,
    Call,
    ChannelOf,
    Character,
    Choice,
    Communication,
    ConstantDeclaration,
    Declaration,
    Declared,
    Expression,
    Field,
    For,
    If,
    Indexed,
    Intrinsic,
    Module,
    Name,
    NamedType,
    Number,
    Parameter,
    ProcessDeclaration,
    RecordOf,
    Repeat,
    Select,
    SetDisplay,
    Statement,
    String,
    Truth,
    TypeDeclaration,
    TypeSyntax,
    Unary,
    VariableDeclaration,
    When,
    While,
)
from kripke.model.source import ModelError, Sources, Span

_RELATIONS = frozenset(("=", "#", "<", "<=", ">", ">=", "IN"))
_ADDING = frozenset(("+", "-", "OR"))
_MULTIPLYING = frozenset(("*", "/", "DIV", "MOD", "&"))
#: statements that are a word: how many arguments they have
_INTRINSICS = {
    "NEW": (1, 1),
    "INC": (1, 2),
    "DEC": (1, 2),
    "INCL": (2, 2),
    "EXCL": (2, 2),
    "ASSERT": (1, 1),
    "DEADLINE": (1, 1),
    "PORTIN": (2, 2),
    "PORTOUT": (2, 2),
    "RESCHEDULE": (0, 0),
    "ACCEPT": (0, 0),
    "NOMOVE": (0, 0),
}
#: words and signs of other languages
_ELSEWHERE = {
    "AND": "conditions are joined by &",
    "&": "conditions are joined by a single &",
    "NOT": "a condition is negated by ~",
    "!": "a condition is negated by ~, and # means different",
    "%": "the rest of a division is MOD",
    "==": "= compares",
    "|": "conditions are joined by OR",
    "RETURN": "a process ends at its END, and has VAR parameters for results",
}
_DEEPEST = 150  # nested statements, expressions, processes

T = TypeVar("T")


def parse_module(tokens: Sequence[Token], sources: Sources) -> Module:
    return _Parser(tokens, sources).module()


def parse_expression(tokens: Sequence[Token], sources: Sources) -> Expression:
    """An expression and nothing else."""
    parser = _Parser(tokens, sources)
    found = parser.expression()
    if parser.token.kind != "end":
        raise parser.unexpected("an operator, or the end of the condition")
    return found


class _Parser:
    def __init__(self, tokens: Sequence[Token], sources: Sources) -> None:
        self.tokens = tokens
        self.sources = sources
        self.position = 0
        self.depth = 0
        #: directly inside a CHOICE: OR separates branches and is no operator, unless in parentheses
        self.or_separates = False
        self.notes: list[tuple[str, Span]] = []

    # --- tokens -------------------------------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    def advance(self) -> Token:
        token = self.token
        if token.kind != "end":
            self.position += 1
        return token

    def at(self, *texts: str) -> bool:
        return self.token.kind in ("word", "sign") and self.token.text in texts

    def accept(self, text: str) -> bool:
        if self.at(text):
            self.position += 1
            return True
        return False

    def expect(self, text: str, where: str = "", hint: str | None = None) -> Token:
        if not self.at(text):
            raise self.unexpected(f"{text}{where}", hint)
        return self.advance()

    def unexpected(self, wanted: str, hint: str | None = None) -> ModelError:
        token = self.token
        found = "the end of the file" if token.kind == "end" else f"{token.text!r}"
        hint = hint or self._hint(token)
        return self.sources.error(f"expected {wanted}, found {found}", token.span, hint=hint)

    def _hint(self, token: Token) -> str | None:
        """What somebody may have meant who comes from another language, or forgot something."""
        before = self.tokens[max(self.position - 1, 0)]
        for one in (token, before):
            if one.kind == "name" and one.text.upper() != one.text and one.text.upper() in WORDS:
                return f"words of the language are written in capitals: {one.text.upper()}"
        if token.kind == "name" and before.kind == "word" and before.text == "END":
            return "something before it has no END: an IF, a loop, a SELECT, a CHOICE or a process"
        if token.kind == "word" and token.text == "IMPORT":
            return "modules are imported at the beginning, after MODULE Name;"
        return _ELSEWHERE.get(token.text)

    def name(self, what: str) -> Token:
        if self.token.kind != "name":
            if self.token.kind == "word":
                raise self.sources.error(
                    f"expected {what}, found {self.token.text}, a word of the language", self.token.span
                )
            raise self.unexpected(what)
        return self.advance()

    def at_name(self) -> bool:
        """Does another declaration follow? A word of the language cannot be a name."""
        following = self.tokens[min(self.position + 1, len(self.tokens) - 1)]
        if self.token.kind == "word" and following.text in (":", "=", ",", "*"):
            self.name("a name")
        return self.token.kind == "name"

    def since(self, start: Span) -> Span:
        return start.to(self.tokens[max(self.position - 1, 0)].span)

    def nested(self, reader: Callable[[], T]) -> T:
        if self.depth >= _DEEPEST:
            raise self.sources.error("this is nested too deeply", self.token.span)
        self.depth += 1
        found = reader()
        self.depth -= 1
        return found

    def inside(self, reader: Callable[[], T], *, or_separates: bool = False) -> T:
        """Between brackets or words of a statement, where OR means something else than outside."""
        before, self.or_separates = self.or_separates, or_separates
        found = reader()
        self.or_separates = before
        return found

    # --- modules and declarations -------------------------------------------------------------------------------------

    def module(self) -> Module:
        self.expect("MODULE", hint="a program starts with MODULE Name;")
        name = self.name("the name of the module")
        self.expect(";")
        imports: list[tuple[str, Span]] = []
        while self.accept("IMPORT"):
            while True:
                token = self.name("the name of a module")
                imports.append((token.text, token.span))
                if not self.accept(","):
                    break
            self.expect(";")
        declarations = self.declarations()
        body: tuple[Statement, ...] = ()
        if self.accept("BEGIN"):
            body = self.statements()
        self.expect("END", hint="a module ends with END Name.")
        self.end_name(name.text, "module")
        if not self.accept("."):
            if not self.at(";"):
                raise self.unexpected(". after the end of the module")
            self.notes.append(("a module ends with a full stop", self.advance().span))
        if self.token.kind != "end":
            raise self.unexpected("nothing after the end of the module")
        return Module(name.text, name.span, tuple(imports), declarations, body, name.span.file, self.notes)

    def end_name(self, name: str, what: str) -> None:
        """The name after END is to be that of what ends; the printed figures are not strict about it."""
        if self.token.kind == "name":
            token = self.advance()
            if token.text != name:
                self.notes.append((f"this ends {what} {name}, not {token.text}", token.span))
        else:
            self.notes.append((f"the name {name} is missing after END", self.tokens[self.position - 1].span))

    def declared(self, what: str) -> Declared:
        token = self.name(what)
        return Declared(token.text, token.span, self.accept("*"))

    def declarations(self) -> tuple[Declaration, ...]:
        found: list[Declaration] = []
        while True:
            if self.accept("CONST"):
                while self.at_name():
                    name = self.declared("the name of a constant")
                    self.expect("=")
                    found.append(ConstantDeclaration(name, self.expression()))
                    self.declaration_end()
            elif self.accept("TYPE"):
                while self.at_name():
                    name = self.declared("the name of a type")
                    self.expect("=")
                    found.append(TypeDeclaration(name, self.type()))
                    self.declaration_end()
            elif self.at("VAR", "PORT"):
                is_port = self.advance().text == "PORT"
                while self.at_name():
                    names = self.name_list()
                    self.expect(":")
                    found.append(VariableDeclaration(names, self.type(), is_port))
                    self.declaration_end()
            elif self.at("PROCESS", "PROPERTY"):
                found.append(self.nested(self.process))
            else:
                return tuple(found)

    def declaration_end(self) -> None:
        """Figure 9 leaves out a semicolon before the next section; elsewhere it is needed."""
        if self.accept(";"):
            return
        if not self.at("CONST", "TYPE", "VAR", "PORT", "PROCESS", "PROPERTY", "BEGIN"):
            raise self.unexpected("; after the declaration")
        self.notes.append(("a ; is missing at the end of the declaration", self.tokens[self.position - 1].span))

    def name_list(self) -> tuple[Declared, ...]:
        names = [self.declared("a name")]
        while self.accept(","):
            names.append(self.declared("a name"))
        return tuple(names)

    def process(self) -> ProcessDeclaration:
        start = self.token.span
        is_property = self.advance().text == "PROPERTY"
        what = "property" if is_property else "process"
        name = self.declared(f"the name of the {what}")
        parameters: list[Parameter] = []
        if self.at("("):
            opening = self.advance()
            while not self.at(")"):
                by_reference = self.accept("VAR") or False
                names = self.name_list()
                self.expect(":")
                type_ = self.type()
                parameters += [Parameter(one, type_, by_reference) for one in names]
                if not self.accept(";"):
                    break
            self.expect(")", hint="parameters are separated by ;")
            if is_property and parameters:
                raise self.sources.error(
                    "a PROPERTY has no parameters", self.since(opening.span), hint="it looks at global variables"
                )
        self.expect(";")
        declarations = self.declarations()
        body: tuple[Statement, ...] = ()
        if self.accept("BEGIN"):
            body = self.statements()
        self.expect("END")
        self.end_name(name.name, what)
        self.expect(";", f" after the end of the {what}")
        head = start.to(name.span)
        return ProcessDeclaration(name, tuple(parameters), declarations, body, is_property, head, self.since(start))

    # --- types --------------------------------------------------------------------------------------------------------

    def type(self) -> TypeSyntax:
        return self.nested(self._type)

    def _type(self) -> TypeSyntax:
        start = self.token.span
        if self.accept("ARRAY"):
            lengths = [self.expression()]
            while self.accept(","):
                lengths.append(self.expression())
            self.expect("OF")
            return ArrayOf(tuple(lengths), self.type(), self.since(start))
        if self.accept("RECORD"):
            fields: list[tuple[str, Span, TypeSyntax]] = []
            while self.token.kind == "name":
                names = self.name_list()
                self.expect(":")
                type_ = self.type()
                fields += [(one.name, one.span, type_) for one in names]
                if not self.accept(";"):
                    break
            self.expect("END", " of the record")
            return RecordOf(tuple(fields), self.since(start))
        if self.accept("["):
            messages: list[tuple[str, Span, tuple[TypeSyntax, ...]]] = []
            while True:
                name = self.message_name()
                data: list[TypeSyntax] = []
                if self.accept("("):
                    data.append(self.type())
                    while self.accept(",") or self.accept(";"):
                        data.append(self.type())
                    self.expect(")")
                messages.append((name.text, name.span, tuple(data)))
                if not self.accept(","):
                    break
            self.expect("]", " at the end of the channel type")
            return ChannelOf(tuple(messages), self.since(start))
        named = self.qualified("a type")
        direction = self.advance().text if self.at("!", "?") else ""
        return NamedType(named, direction, self.since(start))

    def message_name(self) -> Token:
        """PORTIN and PORTOUT are also names of messages."""
        if self.at("PORTIN", "PORTOUT"):
            return self.advance()
        return self.name("the name of a message")

    def qualified(self, what: str) -> Expression:
        token = self.name(what)
        found: Expression = Name(token.text, token.span)
        if self.accept("."):
            part = self.name("a name of the module")
            found = Field(found, part.text, part.span, token.span.to(part.span))
        return found

    # --- statements ---------------------------------------------------------------------------------------------------

    def statements(self) -> tuple[Statement, ...]:
        found: list[Statement] = []
        while True:
            if not self.at(";", "END", "ELSE", "ELSIF", "UNTIL", "OR", "WHEN"):
                if self.token.kind == "end":
                    raise self.unexpected("a statement or END")
                found.append(self.nested(self.statement))
            if not self.accept(";"):
                break
        if not self.at("END", "ELSE", "ELSIF", "UNTIL", "OR", "WHEN"):
            raise self.unexpected("; between statements, or END")
        return tuple(found)

    def statement(self) -> Statement:
        current()()
        start = self.token.span
        if self.token.kind == "word":
            word = self.token.text
            if word in _INTRINSICS:
                return self.intrinsic()
            reader = {
                "IF": self.if_statement,
                "WHILE": self.while_statement,
                "REPEAT": self.repeat_statement,
                "FOR": self.for_statement,
                "SELECT": self.select_statement,
                "CHOICE": self.choice_statement,
            }.get(word)
            if reader is not None:
                self.advance()
                return reader(start) if word == "REPEAT" else self.inside(lambda: reader(start))
            if word == "CREATE":
                self.advance()
                process = self.qualified("the name of a process")
                return Call(process, self.arguments(), True, self.since(start))
            raise self.unexpected("a statement")
        target = self.designator()
        if self.accept(":="):
            return Assignment(target, self.expression(), self.since(start))
        if self.at("!", "?"):
            return self.communication(target, start)
        if self.at("="):
            raise self.sources.error("an assignment is written :=", self.token.span, hint="= compares")
        return Call(target, self.arguments(), False, self.since(start))

    def arguments(self) -> tuple[Expression, ...]:
        return self.inside(self._arguments)

    def _arguments(self) -> tuple[Expression, ...]:
        found: list[Expression] = []
        if self.accept("("):
            if not self.at(")"):
                found.append(self.expression())
                while self.accept(","):
                    found.append(self.expression())
            self.expect(")")
        return tuple(found)

    def intrinsic(self) -> Intrinsic:
        token = self.advance()
        found = self.arguments()
        least, most = _INTRINSICS[token.text]
        span = self.since(token.span)
        if not least <= len(found) <= most:
            wanted = str(most) if least == most else f"{least} or {most}"
            plural = "" if wanted == "1" else "s"
            raise self.sources.error(f"{token.text} takes {wanted} argument{plural}, not {len(found)}", span)
        return Intrinsic(token.text, found, span)

    def communication(self, port: Expression, start: Span) -> Communication:
        sends = self.advance().text == "!"
        message = self.message_name()
        return Communication(port, sends, message.text, message.span, self.arguments(), self.since(start))

    def if_statement(self, start: Span) -> Statement:
        branches: list[tuple[Expression | None, tuple[Statement, ...]]] = []
        condition = self.expression()
        self.expect("THEN")
        branches.append((condition, self.statements()))
        while self.accept("ELSIF"):
            condition = self.expression()
            self.expect("THEN")
            branches.append((condition, self.statements()))
        if self.accept("ELSE"):
            branches.append((None, self.statements()))
        self.expect("END", " of the IF")
        return If(tuple(branches), start)

    def while_statement(self, start: Span) -> Statement:
        condition = self.expression()
        self.expect("DO")
        body = self.statements()
        self.expect("END", " of the WHILE")
        return While(condition, body, start)

    def repeat_statement(self, start: Span) -> Statement:
        body = self.inside(self.statements)
        self.expect("UNTIL")
        return Repeat(body, self.expression(), start)

    def for_statement(self, start: Span) -> Statement:
        variable = self.designator()
        self.expect(":=")
        first = self.expression()
        self.expect("TO")
        last = self.expression()
        step = self.expression() if self.accept("BY") else None
        self.expect("DO")
        body = self.statements()
        self.expect("END", " of the FOR")
        return For(variable, first, last, step, body, start)

    def select_statement(self, start: Span) -> Statement:
        clauses: list[When] = []
        while self.at("WHEN"):
            place = self.advance().span
            port = self.designator()
            if not self.at("!", "?"):
                raise self.unexpected("! or ?: a WHEN starts with a communication")
            communication = self.communication(port, port.span)
            guard = self.expression() if self.accept("&") else None
            self.expect("THEN")
            clauses.append(When(communication, guard, self.statements(), place))
        if not clauses:
            raise self.unexpected("WHEN")
        self.expect("END", " of the SELECT")
        return Select(tuple(clauses), start)

    def choice_statement(self, start: Span) -> Statement:
        branches, spans = [], []
        while True:
            spans.append(self.token.span)
            branches.append(self.inside(self.statements, or_separates=True))
            if not self.accept("OR"):
                break
        self.expect("END", " of the CHOICE")
        return Choice(tuple(branches), start, tuple(spans))

    # --- expressions --------------------------------------------------------------------------------------------------

    def expression(self) -> Expression:
        return self.nested(self._relation)

    def _relation(self) -> Expression:
        left = self._sum()
        if self.at(*_RELATIONS):
            operator = self.advance()
            right = self._sum()
            left = Binary(operator.text, left, right, left.span.to(right.span), operator.span)
            if self.at(*_RELATIONS):
                raise self.sources.error(
                    "comparisons cannot follow one another", self.token.span, hint="put parentheses around them"
                )
        return left

    def _sum(self) -> Expression:
        if self.at("+", "-"):
            sign = self.advance()
            operand = self._product()
            left: Expression = Unary(sign.text, operand, sign.span.to(operand.span))
        else:
            left = self._product()
        while self.at(*_ADDING) and not (self.or_separates and self.at("OR")):
            operator = self.advance()
            right = self._product()
            left = Binary(operator.text, left, right, left.span.to(right.span), operator.span)
        return left

    def _product(self) -> Expression:
        left = self._factor()
        while self.at(*_MULTIPLYING):
            operator = self.advance()
            right = self._factor()
            left = Binary(operator.text, left, right, left.span.to(right.span), operator.span)
        return left

    def _factor(self) -> Expression:
        token = self.token
        if token.kind == "number":
            self.advance()
            return Number(token.number, token.span)
        if token.kind == "char":
            self.advance()
            return Character(token.number, token.span)
        if token.kind == "string":
            self.advance()
            return String(token.text, token.span)
        if self.at("TRUE", "FALSE"):
            self.advance()
            return Truth(token.text == "TRUE", token.span)
        if self.accept("~"):
            operand = self.nested(self._factor)
            return Unary("~", operand, token.span.to(operand.span))
        if self.accept("("):
            found = self.inside(self.expression)
            self.expect(")")
            return found
        if self.accept("{"):
            elements: list[tuple[Expression, Expression | None]] = []
            if not self.at("}"):
                while True:
                    first = self.expression()
                    elements.append((first, self.expression() if self.accept("..") else None))
                    if not self.accept(","):
                        break
            self.expect("}")
            return SetDisplay(tuple(elements), self.since(token.span))
        if token.kind != "name":
            raise self.unexpected("an expression")
        found = self.designator()
        if self.at("("):
            return Applied(found, self.arguments(), self.since(token.span))
        return found

    def designator(self) -> Expression:
        token = self.name("a name")
        found: Expression = Name(token.text, token.span)
        while True:
            if self.accept("."):
                part = self.name("the name of a component")
                found = Field(found, part.text, part.span, token.span.to(part.span))
            elif self.accept("["):
                while True:
                    index = self.inside(self.expression)
                    found = Indexed(found, index, self.since(token.span))
                    if not self.accept(","):
                        break
                self.expect("]")
            else:
                return found
