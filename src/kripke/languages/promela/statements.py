"""The grammar of statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, NoReturn, cast

from kripke.deadline import current
from kripke.languages.promela import habits, inlines, syntax
from kripke.languages.promela.cursor import described, end_token, similar
from kripke.languages.promela.declarations import DeclarationParser
from kripke.languages.promela.lexer import WRAPPED, Token
from kripke.languages.promela.syntax import Reference, Statement
from kripke.model.source import ModelError, Sources

_END_OF_BLOCK: Final = frozenset({"}"})
_END_OF_OPTION: Final = frozenset({"::", "fi", "od"})
_CLOSERS: Final = _END_OF_BLOCK | _END_OF_OPTION | {"end"}


class StatementParser(DeclarationParser):
    def __init__(self, tokens: list[Token], file: str, sources: Sources) -> None:
        super().__init__(tokens, file, sources)
        self.inlines: dict[str, inlines.Definition] = {}
        self.calls: list[str] = []  # inlines being expanded, outermost first
        self.targets: list[Reference | None] = []  # where each of them leaves its result
        self.inlined = 0
        self.seen_proctypes: set[str] = set()
        self.initial = False  # only declarations so far in this body
        self.loops = 0

    # Sequences

    def body(self) -> tuple[Statement, ...]:
        """`{ sequence }` of a process or claim."""
        self.initial = True
        self.loops = 0
        opening = self.expect("{")
        statements = self.sequence(_END_OF_BLOCK, opening)
        self.advance()
        return statements

    def sequence(self, closers: frozenset[str], opening: Token) -> tuple[Statement, ...]:
        """Steps up to one of the closers, which is left."""
        self.descend()
        statements: list[Statement] = []
        if self.token.kind in closers:
            self.fail(
                f"expected a statement, found {described(self.token)}", hint="write 'skip' where nothing is to be done"
            )
        while True:
            statement = self.step(opening)
            statements.append(statement)
            kind = self.token.kind
            if kind == ";" or kind == "->":
                while kind == ";" or kind == "->":
                    self.advance()
                    kind = self.token.kind
                if kind in closers:
                    break
            elif kind in closers:
                break
            elif not isinstance(statement, syntax.InlineCall):  # a call ends with the `}` of its body
                self.no_separator(opening)
        self.depth -= 1
        return tuple(statements)

    def no_separator(self, opening: Token) -> NoReturn:
        token = self.token
        if token.kind in _CLOSERS:
            self.not_closed(opening)
        hint = None
        if token.kind == "=":
            hint = "'=' assigns to a variable; to compare, write '=='"
        elif token.kind == "(" and self.previous.kind == "name":
            self.no_call(self.previous)
        elif token.kind == ",":
            hint = "an assignment has one target; statements are separated by ';'"
        elif token.kind == "name":
            hint = habits.operator_hint(token.text) or habits.operator_hint(self.previous.text)
        self.fail(f"expected ';' or '->' before {described(token)}", hint=hint)

    def no_call(self, called: Token) -> NoReturn:
        """A name and arguments that are no inline."""
        name = called.text
        if name in self.seen_proctypes:
            self.fail(
                f"'{name}' is a proctype, which is not called", called, f"a process is started with: run {name}(...)"
            )
        if name in habits.STATEMENTS:
            self.fail(f"Promela has no '{name}'", called, habits.STATEMENTS[name])
        nearest = similar(name, self.inlines)
        known = f"did you mean '{nearest}'?" if nearest else "inlines are defined before they are used"
        self.fail(f"there is no inline '{name}'", called, known)

    def not_closed(self, opening: Token) -> NoReturn:
        closing = {"{": "'}'", "if": "'fi'", "do": "'od'"}[opening.kind]
        self.fail(
            f"expected {closing}, found {described(self.token)}",
            hint=f"the '{opening.kind}' at {opening.line}:{opening.column} is not closed",
        )

    def step(self, opening: Token) -> Statement:
        """A declaration, an xr or xs, or a statement, perhaps with `unless`."""
        start = self.token
        kind = start.kind
        if kind == "xr" or kind == "xs":
            return self.exclusive_access()
        if self.at_declaration():
            initial = self.initial
            declaration = self.variable_declaration("a body")
            for variable in declaration.variables:
                if isinstance(variable.initial, syntax.ChannelInitializer) and not initial:
                    raise self.sources.error(
                        f"channel '{variable.name}' is created after the start of the body",
                        variable.span,
                        "declare it at the start of the proctype, before all statements",
                    )
            return syntax.DeclarationStatement(declaration, initial, span=declaration.span)
        if kind in _CLOSERS:
            self.not_closed(opening)
        statement = self.statement()
        if self.token.kind == "unless":
            return self.unless(statement, start)
        return statement

    def statement(self) -> Statement:
        current()()
        self.initial = False
        token = self.token
        kind = token.kind
        if kind == "name":
            following = self.next_kind()
            if following == ":" and token.text not in self.seen_proctypes:
                return self.labelled()
            if following == "(" and token.text in self.inlines:
                return self.inline_call(None, token)
            if following == "(" and token.text == "present" and self.data_types:
                return self.expression_statement()
            if token.text == "assert_eventually" and following in ("(", "name"):
                return self.response()
            if following == "name" and token.text in habits.STATEMENTS:
                self.fail(f"Promela has no '{token.text}'", token, habits.STATEMENTS[token.text])
            if following == "name" and habits.operator_hint(self.tokens[self.index + 1].text):
                self.advance()
                self.fail(
                    f"expected ';' or '->' before {described(self.token)}", hint=habits.operator_hint(self.token.text)
                )
            if following == "name":
                self.no_type(f"expected ';' or '->' before {described(self.tokens[self.index + 1])}")
            if following == "@" or following == ":":  # a remote reference
                return self.expression_statement()
            return self.after_name()
        method = _STATEMENTS.get(kind)
        if method is not None:
            return method(self)
        return self.expression_statement()

    def unless(self, main: Statement, start: Token) -> Statement:
        self.advance()
        inner = main.statement if isinstance(main, syntax.Labelled) else main
        if isinstance(main, syntax.Labelled) and not isinstance(inner, syntax.Block | syntax.Atomic | syntax.DStep):
            label = main.labels[0]
            self.misplaced_label(label, start, f"write {label}: {{ statement unless ... }}")
        escape_start = self.token
        escape = self.statement()
        if isinstance(escape, syntax.Labelled):
            self.misplaced_label(escape.labels[0], escape_start, "the guard of an escape is no place to jump to")
        return syntax.Unless(main, escape, span=self.span_from(start))

    def misplaced_label(self, label: str, at: Token, hint: str) -> NoReturn:
        self.fail(f"label '{label}' cannot stand here", at, hint)

    # Statements that start with a name

    def labelled(self) -> Statement:
        start = self.token
        labels: list[str] = []
        while self.token.kind == "name" and self.next_kind() == ":" and self.token.text not in self.seen_proctypes:
            labels.append(self.advance().text)
            self.advance()
        if self.at_declaration() or self.token.kind in ("xr", "xs"):
            self.fail(
                f"label '{labels[-1]}' stands before a declaration", start, "labels belong to statements; use 'skip'"
            )
        if self.token.kind in _CLOSERS or self.token.kind in (";", "->", "unless"):
            skip = syntax.Constant(1, "skip", span=self.previous.span)
            statement: Statement = syntax.ExpressionStatement(skip, span=self.previous.span)
        else:
            statement = self.statement()
        return syntax.Labelled(tuple(labels), statement, span=self.span_from(start))

    def after_name(self) -> Statement:
        start = self.token
        reference = self.reference()
        kind = self.token.kind
        if kind == "=":
            self.advance()
            if self.token.kind == "name" and self.next_kind() == "(" and self.token.text in self.inlines:
                return self.inline_call(reference, start)
            value = self.data_value() if self.data_types else self.expression()
            return syntax.Assignment(reference, value, span=self.span_from(start))
        if kind == "++":
            self.advance()
            return syntax.Increment(reference, span=self.span_from(start))
        if kind == "--":
            self.advance()
            return syntax.Decrement(reference, span=self.span_from(start))
        if kind == "!" or kind == "!!":
            return self.send(reference, start)
        if (kind == "?" or kind == "??") and self.next_kind() != "[":
            return self.receive(reference, start)
        left = self.after_reference(reference, start)
        expression = self.binary(left, start, 1)
        return syntax.ExpressionStatement(expression, span=self.span_from(start))

    def send(self, channel: Reference, start: Token) -> syntax.Send:
        in_order = self.advance().kind == "!!"
        arguments = [self.expression()]
        if self.token.kind == "(":  # q!type(a, b) is q!type,a,b
            arguments += self.parenthesized_list()
        else:
            while self.accept(","):
                arguments.append(self.expression())
        return syntax.Send(channel, tuple(arguments), in_order, span=self.span_from(start))

    def receive(self, channel: Reference, start: Token) -> syntax.Receive:
        anywhere = self.advance().kind == "??"
        peek = self.accept("<")
        arguments = self.receive_arguments()
        if peek:
            self.expect(">")
        return syntax.Receive(channel, arguments, anywhere, peek, span=self.span_from(start))

    def inline_call(self, target: Reference | None, start: Token) -> syntax.InlineCall:
        name = self.advance()
        definition = self.inlines[name.text]
        arguments, texts = self.inline_arguments()
        span = self.span_from(start)
        if len(arguments) != len(definition.parameters):
            many = len(definition.parameters)
            expected = f"takes {many or 'no'} argument{'' if many == 1 else 's'}"
            self.fail(f"inline '{name.text}' {expected}, but is given {len(arguments)}", name)
        if name.text in self.calls:
            path = " calls ".join(f"'{call}'" for call in [*self.calls[self.calls.index(name.text) :], name.text])
            self.fail(f"inline '{name.text}' calls itself", name, path)
        tokens = inlines.instantiate(definition, texts)
        self.inlined += len(tokens)
        if self.inlined > inlines.MOST_TOKENS:
            self.fail(f"inlines expand to more than {inlines.MOST_TOKENS:,} tokens", name)
        place = (self.tokens, self.index, self.previous)
        self.calls.append(name.text)
        self.targets.append(target)
        self.goto([*tokens, end_token(tokens, name.file)], 0)
        try:
            body = self.block()
        except ModelError as error:
            error.hint = error.hint or f"inline '{name.text}' is called at {name.span}"
            raise
        self.goto(place[0], place[1])
        self.previous = place[2]
        self.calls.pop()
        self.targets.pop()
        return syntax.InlineCall(name.text, arguments, body, target, span=span)

    def inline_arguments(self) -> tuple[tuple[syntax.Expression, ...], list[list[Token]]]:
        """The arguments as expressions and as they are written."""
        opening = self.expect("(")
        arguments: list[syntax.Expression] = []
        texts: list[list[Token]] = []
        while self.token.kind != ")" or arguments:
            first = self.index
            arguments.append(self.nested_expression())
            texts.append(self.tokens[first : self.index])
            if not self.accept(","):
                break
        self.close_parenthesis(opening)
        return tuple(arguments), texts

    def result(self) -> syntax.Assignment:
        start = self.advance()
        if not self.calls:
            self.fail("'return' outside an inline", start)
        target = self.targets[-1]
        if target is None:
            self.fail(
                f"'return' in inline '{self.calls[-1]}', whose result is not used",
                start,
                f"call it as variable = {self.calls[-1]}(...)",
            )
        value = self.expression()
        return syntax.Assignment(target, value, span=self.span_from(start))

    # Statements that start with a keyword

    def selection(self) -> syntax.If:
        start = self.advance()
        if self.token.kind == "(" and self.previous.kind == "if":
            self.no_options(start, "an if is written: if :: condition -> statement :: else -> statement fi")
        options = self.options(start, "fi")
        return syntax.If(options, span=self.span_from(start))

    def repetition(self) -> syntax.Do:
        start = self.advance()
        self.loops += 1
        options = self.options(start, "od")
        self.loops -= 1
        return syntax.Do(options, span=self.span_from(start))

    def no_options(self, start: Token, hint: str) -> NoReturn:
        self.fail(f"expected '::' after '{start.kind}', found {described(self.token)}", hint=hint)

    def options(self, opening: Token, closing: str) -> tuple[syntax.Option, ...]:
        options: list[syntax.Option] = []
        if self.token.kind != "::":
            self.no_options(opening, f"options are written: {opening.kind} :: statements :: statements {closing}")
        while self.token.kind == "::":
            start = self.advance()
            body = self.sequence(_END_OF_OPTION, opening)
            first = body[0]
            if isinstance(first, syntax.Labelled):
                label = first.labels[0]
                hint = f"all options start in one state: put '{label}' before the '{opening.kind}'"
                self.warn(f"label '{label}' stands at the start of an option", first.span, hint)
            options.append(syntax.Option(body, span=self.span_from(start)))
        if self.token.kind != closing:
            self.not_closed(opening)
        self.advance()
        self.warn_of_assigned_guards(options)
        return tuple(options)

    def warn_of_assigned_guards(self, options: list[syntax.Option]) -> None:
        """An assignment can always be executed, so an else beside it never is."""
        firsts = [option.body[0] for option in options]
        if not any(isinstance(first, syntax.Else) for first in firsts):
            return
        for first in firsts:
            if isinstance(first, syntax.Assignment):
                hint = "to compare, write '=='"
                self.warn("an assignment can always be executed, so the 'else' beside it never is", first.span, hint)
                return

    def enclosed(self, keyword: str) -> tuple[Statement, ...]:
        """`{ sequence }` of a block or the like, where no label can stand first."""
        self.initial = False
        opening = self.expect("{")
        first = self.token
        statements = self.sequence(_END_OF_BLOCK, opening)
        self.advance()
        if isinstance(statements[0], syntax.Labelled) and not _starts_a_loop(statements[0].statement):
            label = statements[0].labels[0]
            self.misplaced_label(label, first, f"write {label}: {keyword}{{ ... }}")
        return statements

    def block(self) -> syntax.Block:
        start = self.token
        statements = self.enclosed("")
        return syntax.Block(statements, span=self.span_from(start))

    def atomic(self) -> syntax.Atomic:
        start = self.advance()
        statements = self.enclosed("atomic ")
        return syntax.Atomic(statements, span=self.span_from(start))

    def d_step(self) -> syntax.DStep:
        start = self.advance()
        statements = self.enclosed("d_step ")
        return syntax.DStep(statements, span=self.span_from(start))

    def for_loop(self) -> syntax.For | syntax.ForIn:
        start = self.advance()
        opening = self.expect("(", "a for is written: for (i : first .. last) { ... } or for (i in array) { ... }")
        variable = self.reference()
        collection = None
        first = last = None
        if self.token.kind == "name" and self.token.text == "in":
            self.advance()
            collection = self.reference()
        else:
            self.expect(":", "a for is written: for (i : first .. last) { ... } or for (i in array) { ... }")
            first = self.expression()
            self.expect("..")
            last = self.expression()
        self.close_parenthesis(opening)
        self.accept(";")
        self.loops += 1
        brace = self.expect("{")
        body = self.sequence(_END_OF_BLOCK, brace)
        self.advance()
        self.loops -= 1
        span = self.span_from(start)
        if collection is not None:
            return syntax.ForIn(variable, collection, body, span=span)
        assert first is not None and last is not None
        return syntax.For(variable, first, last, body, span=span)

    def select(self) -> syntax.Select:
        start = self.advance()
        head = self.tokens[self.index + 1 : self.index + 6]
        opening = self.expect("(", "a select is written: select (i : first .. last)")
        variable = self.reference()
        self.expect(":")
        first = self.expression()
        self.expect("..")
        last = self.expression()
        self.close_parenthesis(opening)
        expansion: Literal["options", "text", "loop"] = "loop"
        # SPIN's scanner replaces the text itself where it is as plain as this, and outside inlines.
        plain = [token.kind for token in head] == ["name", ":", "number", "..", "number"] and not self.calls
        if (
            plain
            and variable.name.isalnum()
            and not any(token.lead >= WRAPPED for token in (*head, self.previous))
            and isinstance(first, syntax.Constant)
            and isinstance(last, syntax.Constant)
        ):
            if first.value > last.value:
                self.fail(f"the range {first.value} .. {last.value} is empty", head[2])
            expansion = "options" if last.value - first.value <= 32 else "text"
        return syntax.Select(variable, first, last, expansion, span=self.span_from(start))

    def otherwise(self) -> syntax.Else:
        return syntax.Else(span=self.advance().span)

    def break_loop(self) -> syntax.Break:
        token = self.advance()
        if not self.loops:
            self.fail("'break' outside a loop", token)
        return syntax.Break(span=token.span)

    def jump(self) -> syntax.Goto:
        start = self.advance()
        label = self.name("a label after 'goto'")
        return syntax.Goto(label, span=self.span_from(start))

    def assertion(self) -> syntax.Assert:
        start = self.advance()
        condition = self.expression()
        return syntax.Assert(condition, span=self.span_from(start))

    def response(self) -> syntax.AssertEventually:
        start = self.advance()
        if self.token.kind != "(":
            self.fail(f"expected '(' after 'assert_eventually', found {described(self.token)}")
        condition = self.parenthesized()
        return syntax.AssertEventually(condition, span=self.span_from(start))

    def printf(self) -> syntax.Printf:
        start = self.advance()
        opening = self.expect("(")
        if self.token.kind != "string":
            self.fail(f"expected a format in double quotes, found {described(self.token)}")
        text = self.advance().text[1:-1]
        arguments: list[syntax.Expression] = []
        while self.accept(","):
            arguments.append(self.expression())
        self.close_parenthesis(opening)
        return syntax.Printf(text, tuple(arguments), span=self.span_from(start))

    def printm(self) -> syntax.Printm:
        start = self.advance()
        opening = self.expect("(")
        argument: Reference | syntax.Constant
        match self.token.kind:
            case "number":
                argument = self.number()
            case "char":
                argument = self.character()
            case "true" | "false" | "skip":
                argument = self.word_constant()
            case _:
                argument = self.reference()
        self.close_parenthesis(opening)
        return syntax.Printm(argument, span=self.span_from(start))

    def set_priority(self) -> syntax.SetPriority:
        start = self.advance()
        opening = self.expect("(")
        process = self.expression()
        self.expect(",")
        priority = self.expression()
        self.close_parenthesis(opening)
        return syntax.SetPriority(process, priority, span=self.span_from(start))

    def exclusive_access(self) -> syntax.ExclusiveAccess:
        start = self.advance()
        channels = [self.reference()]
        while self.accept(","):
            channels.append(self.reference())
        operator = cast(Literal["xr", "xs"], start.kind)
        return syntax.ExclusiveAccess(operator, tuple(channels), span=self.span_from(start))

    def c_code(self) -> syntax.CCode:
        token = self.advance()
        assert token.value is not None
        text, precondition, span, line = token.value
        return syntax.CCode(text, precondition, line, span=span)

    def expression_statement(self) -> syntax.ExpressionStatement:
        start = self.token
        expression = self.expression()
        return syntax.ExpressionStatement(expression, span=self.span_from(start))


_STATEMENTS: Final[dict[str, Callable[[Any], Statement]]] = {
    "if": StatementParser.selection,
    "do": StatementParser.repetition,
    "{": StatementParser.block,
    "atomic": StatementParser.atomic,
    "d_step": StatementParser.d_step,
    "for": StatementParser.for_loop,
    "select": StatementParser.select,
    "else": StatementParser.otherwise,
    "break": StatementParser.break_loop,
    "goto": StatementParser.jump,
    "assert": StatementParser.assertion,
    "printf": StatementParser.printf,
    "printm": StatementParser.printm,
    "set_priority": StatementParser.set_priority,
    "return": StatementParser.result,
    "c_code": StatementParser.c_code,
    "c_decl": StatementParser.c_code,
}


def _starts_a_loop(statement: Statement) -> bool:
    """Does a label before it belong to a loop? In SPIN a joint comes first there, so the loop can be jumped to."""
    if isinstance(statement, syntax.Select):
        return statement.expansion == "loop"
    return isinstance(statement, syntax.Do | syntax.For | syntax.ForIn)
