"""The grammar of expressions and formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, NoReturn, cast

from kripke.languages.promela import syntax
from kripke.languages.promela.cursor import DEEPEST, Cursor, described, similar
from kripke.languages.promela.habits import operator_hint
from kripke.languages.promela.lexer import TYPES, Token
from kripke.languages.promela.syntax import Expression, ReceiveArgument, Reference
from kripke.model.source import Sources, Span

# SPIN's precedences; all operators group to the left, those of formulas too.
_STATE_OPERATORS: Final = {
    "||": 2, "&&": 3, "|": 5, "^": 6, "&": 7, "==": 8, "!=": 8, "<": 9, ">": 9, "<=": 9, ">=": 9,
    "<<": 10, ">>": 10, "+": 11, "-": 11, "*": 12, "/": 12, "%": 12,
}  # fmt: skip
_FORMULA_OPERATORS: Final = {
    **_STATE_OPERATORS,
    "->": 1,
    "<->": 1,
    "U": 4,
    "V": 4,
    "W": 4,
    "P": 4,
    "M": 4,
    "S": 4,
    "T": 4,
}
_COMPARISON: Final = _STATE_OPERATORS["=="]
_ASSOCIATIVE: Final = frozenset({"||", "&&", "|", "^", "&", "+", "*"})
_LONG_CHAIN: Final = 64

_FORMULA_WORDS: Final = {
    "always": "[]", "eventually": "<>", "next": "X", "X": "X",
    "until": "U", "stronguntil": "U", "U": "U", "weakuntil": "W", "W": "W", "release": "V", "V": "V",
    "implies": "->", "equivalent": "<->",
}  # fmt: skip

# Names as well, where a name can stand.
_FORMULA_LETTERS: Final = {"P": "P", "precedes": "P", "R": "V", "M": "M", "since": "S", "triggered": "T"}
# Names as well, unless an operand follows, which can follow no name.
_PREFIX_WORDS: Final = {
    "G": "[]", "F": "<>", "not": "!", "previously": "Y", "weakpreviously": "Z", "once": "O", "historically": "H",
}  # fmt: skip
_INFIX_WORDS: Final = {"and": "&&", "or": "||"}
_STARTS_OPERAND: Final = frozenset(
    {"name", "number", "(", "!", "true", "false", "len", "empty", "nempty", "full", "nfull", "enabled"}
)
_BETWEEN: Final = frozenset({*_FORMULA_LETTERS, *_INFIX_WORDS, *_FORMULA_WORDS} - {"always", "eventually", "next", "X"})
_ENDS_OPERAND: Final = frozenset({"name", "number", ")", "]", "true", "false"})

# What follows the name of a component in a value: the start of its value.
_AFTER_COMPONENT: Final = frozenset({"name", "number", "{", "(", "true", "false", "char"})

_COMPARE: Final = "'=' assigns; to compare, write '=='"


def formula_tokens(tokens: list[Token]) -> list[Token]:
    """Tokens read as a formula: `[]`, `<>`, `<->` and the words for temporal operators are operators here."""
    out: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        following = tokens[index + 1].kind if index + 1 < len(tokens) else ""
        operator = _FORMULA_WORDS.get(token.text) if token.kind == "name" else None
        if token.kind == "name" and out and out[-1].kind in _ENDS_OPERAND:
            operator = operator or _FORMULA_LETTERS.get(token.text) or _INFIX_WORDS.get(token.text)
        elif token.kind == "name" and operator is None and _starts_operand(tokens, index + 1):
            operator = _PREFIX_WORDS.get(token.text)
        width = 1
        if (token.kind, following) in (("[", "]"), ("<", ">"), ("<", "->")):
            operator, width = token.kind + following, 2
        elif (token.kind, following) in (("=", ">"), ("<=", ">")):
            operator, width = {"=": "->", "<=": "<->"}[token.kind], 2
        if operator is not None:
            last = tokens[index + width - 1]
            end = last.end if last.line == token.line else token.end
            token = Token(operator, operator, token.file, token.line, token.column, end, token.lead)
        out.append(token)
        index += width
    return out


def _starts_operand(tokens: list[Token], index: int) -> bool:
    """Does an operand start here? Not with a word that stands between two operands."""
    kinds = [token.kind for token in tokens[index : index + 2]]
    if not kinds or kinds[0] not in _STARTS_OPERAND:
        return kinds in (["[", "]"], ["<", ">"])
    between = kinds[0] == "name" and tokens[index].text in _BETWEEN
    return not (between and _starts_operand(tokens, index + 1))


class ExpressionParser(Cursor):
    """Expressions over the state; with `operators` set to those of formulas, formulas."""

    def __init__(self, tokens: list[Token], file: str, sources: Sources) -> None:
        super().__init__(tokens, file, sources)
        self.operators = _STATE_OPERATORS
        self.proctypes: set[str] = set()
        self.with_references = False  # were there any references to processes?
        self.data_types: set[str] = set()  # those that were imported

    def formula(self) -> Expression:
        self.operators = _FORMULA_OPERATORS
        formula = self.expression()
        self.operators = _STATE_OPERATORS
        return formula

    def expression(self) -> Expression:
        start = self.token
        left = self.operand()
        if self.token.kind in self.operators:
            left = self.binary(left, start, 1)
        return left

    def binary(self, left: Expression, start: Token, lowest: int) -> Expression:
        """Goes on after an operand, as far as operators of at least this precedence follow."""
        operators = self.operators
        length = 0
        while (precedence := operators.get(self.token.kind, 0)) >= lowest:
            operator = self.token.kind
            if operator in _ASSOCIATIVE:
                terms = [left]
                while self.token.kind == operator:
                    self.advance()
                    terms.append(self.right_side(precedence))
                left = self.chain(operator, terms, start)
            else:
                self.advance()
                right = self.right_side(precedence)
                if operator == "->" and start.kind == "[]":
                    self.warn_of_premise(left, right)
                left = self.node(operator, left, right, start)
            length += 1
            if length > DEEPEST:
                self.fail(f"nested too deeply: more than {DEEPEST} operators in a row; use parentheses")
        return left

    def warn_of_premise(self, left: Expression, right: Expression) -> None:
        """`[] p -> <> q` is rarely what is meant."""
        if isinstance(left, syntax.TemporalUnary) and not (
            isinstance(right, syntax.TemporalUnary) and right.operator == "[]"
        ):
            self.warn("'[] p -> q' is read as '([] p) -> q': for a q to every p, write '[] (p -> q)'", left.span)

    def right_side(self, precedence: int) -> Expression:
        start = self.token
        right = self.operand()
        if self.operators.get(self.token.kind, 0) > precedence:
            right = self.binary(right, start, precedence + 1)
        return right

    def chain(self, operator: str, terms: list[Expression], start: Token) -> Expression:
        """`a + b + c`, grouped to the left; in halves if very long, which means the same and keeps the tree flat."""
        if len(terms) <= _LONG_CHAIN:
            left = terms[0]
            for term in terms[1:]:
                left = self.node(operator, left, term, start)
            return left
        middle = len(terms) // 2
        right = self.halved(operator, terms[middle:])
        return self.node(operator, self.chain(operator, terms[:middle], start), right, start)

    def halved(self, operator: str, terms: list[Expression]) -> Expression:
        if len(terms) == 1:
            return terms[0]
        middle = len(terms) // 2
        left, right = self.halved(operator, terms[:middle]), self.halved(operator, terms[middle:])
        return syntax.Binary(operator, left, right, span=left.span.to(right.span))

    def node(self, operator: str, left: Expression, right: Expression, start: Token) -> Expression:
        end = right.span
        if end.end_line < start.line or (end.end_line == start.line and end.end_column < start.end):
            span = start.span
        else:
            span = Span(start.file, start.line, start.column, end.end_line, end.end_column)
        if operator in ("U", "V", "W", "P", "M", "S", "T"):
            return syntax.TemporalBinary(cast(syntax.TemporalSign, operator), left, right, span=span)
        return syntax.Binary(operator, left, right, span=span)

    def operand(self) -> Expression:
        token = self.token
        kind = token.kind
        if kind == "name":
            if self.operators is _FORMULA_OPERATORS and self.next_kind() == "(":
                return self.pattern()
            return self.named()
        if kind == "number":
            return self.number()
        if kind == "{" and self.data_types:
            return self.braces()
        method = _OPERANDS.get(kind)
        if method is None:
            self.no_operand()
        return method(self)

    def no_operand(self) -> NoReturn:
        token = self.token
        hint = None
        if token.kind == "=":
            hint = _COMPARE
        elif token.kind in TYPES:
            hint = f"'{token.kind}' is a type: declarations stand on their own, before the statement"
        elif token.kind == ";" and not token.text:
            hint = "the expression has to go on in the same line, or inside parentheses"
        elif token.kind in ("[", "<") and self.operators is _STATE_OPERATORS:
            hint = "temporal operators belong into an ltl formula"
        self.fail(f"expected an expression, found {described(token)}", hint=hint)

    # Operands, one method for every token they start with

    def number(self) -> syntax.Constant:
        token = self.advance()
        text = token.text
        if not text.isdecimal():
            self.fail(f"malformed number '{text}'", token, "numbers are decimal")
        value = int(text) if len(text) < 20 else 1 << 63
        if value >= 1 << 31:
            if len(text) >= 20:
                self.fail(f"the number {text[:30]} is too large", token)
            value = (value + (1 << 31)) % (1 << 32) - (1 << 31)
            self.warn(f"{text} does not fit into 32 bits and is read as {value}", token.span)
        return syntax.Constant(value, text, span=token.span)

    def character(self) -> syntax.Constant:
        token = self.advance()
        inner = token.text[1:-1]
        if len(inner) == 2 and inner[0] == "\\":
            value = ord({"n": "\n", "r": "\r", "t": "\t", "f": "\f"}.get(inner[1], inner[1]))
        elif len(inner) == 1:
            value = ord(inner)
        else:
            self.fail(f"{token.text} is not one character", token)
        return syntax.Constant(value, token.text, span=token.span)

    def word_constant(self) -> syntax.Constant:
        token = self.advance()
        return syntax.Constant(0 if token.kind == "false" else 1, token.text, span=token.span)

    def named(self) -> Expression:
        start = self.token
        following = self.next_kind()
        if following == "@":
            self.advance()
            return self.remote_label(start, None)
        if following == "(" and start.text == "anyRef":
            return self.any_reference()
        if following == "(" and start.text == "present" and self.data_types:
            return self.present()
        if following == ":" and start.text in self.proctypes and self.tokens[self.index + 2].kind == "name":
            self.advance()
            return self.remote_variable(start, None)
        return self.after_reference(self.reference(), start)

    def present(self) -> syntax.Present:
        start = self.advance()
        opening = self.advance()
        component = self.reference()
        self.close_parenthesis(opening)
        return syntax.Present(component, span=self.span_from(start))

    def data_value(self) -> Expression:
        """A value in the notation of ASN.1, or an expression."""
        start = self.token
        if start.kind == "{":
            return self.braces()
        if start.kind == "name" and self.next_kind() == ":" and start.text not in self.proctypes:
            self.advance()
            self.advance()
            self.descend()
            value = self.data_value()
            self.depth -= 1
            return syntax.ChoiceValue(start.text, value, span=self.span_from(start))
        return self.expression()

    def pass_line_end(self) -> None:
        """No statement ends at a line end inside a value."""
        if self.token.kind == ";" and not self.token.text:
            self.advance()

    def braces(self) -> Expression:
        start = self.expect("{")
        self.descend()
        names: list[str] = []
        values: list[Expression] = []
        while self.token.kind != "}":
            self.pass_line_end()
            following = self.next_kind()
            if self.token.kind == "name" and following in _AFTER_COMPONENT and (names or not values):
                names.append(self.advance().text)
            elif names:
                self.fail(f"expected the name of a component, found {described(self.token)}")
            self.pass_line_end()
            values.append(self.data_value())
            self.pass_line_end()
            if not self.accept(","):
                break
        self.expect("}", "components are separated by ','")
        if self.next_kind() in self.operators:
            self.pass_line_end()
        self.depth -= 1
        span = self.span_from(start)
        if names:
            return syntax.RecordValue(tuple(names), tuple(values), span=span)
        return syntax.ListValue(tuple(values), span=span)

    def any_reference(self) -> syntax.AnyReference:
        start = self.advance()
        opening = self.advance()
        process = self.name("the name of a proctype")
        self.close_parenthesis(opening)
        self.with_references = True
        return syntax.AnyReference(process, span=self.span_from(start))

    def after_reference(self, reference: Reference, start: Token) -> Expression:
        """A reference may turn out to be the start of a remote reference or of a poll."""
        kind = self.token.kind
        if kind == "?" or kind == "??":
            if self.next_kind() == "[":
                return self.poll(reference, start)
        elif kind == "@" and reference.field is None and reference.index is not None:
            return self.remote_label(start, reference.index)
        elif kind == ":" and reference.index is not None and start.text in self.proctypes and reference.field is None:
            return self.remote_variable(start, reference.index)
        return reference

    def reference(self) -> Reference:
        start = self.token
        name = self.name("a variable")
        index = field = None
        if self.token.kind == "[":
            self.advance()
            index = self.nested_expression()
            self.expect("]")
            if self.token.kind == "[" and self.data_types:
                field = self.elements()
        if self.token.kind == "." and field is None:
            self.advance()
            self.descend()
            field = self.reference()
            self.depth -= 1
        return Reference(name, index, field, span=self.span_from(start))

    def elements(self) -> Reference:
        """`[i]` after a subscript: an element of a list in a list (its field without a name)."""
        start = self.advance()
        self.descend()
        index = self.nested_expression()
        self.expect("]")
        field = None
        if self.token.kind == "[":
            field = self.elements()
        elif self.accept("."):
            field = self.reference()
        self.depth -= 1
        return Reference("", index, field, span=self.span_from(start))

    def nested_expression(self) -> Expression:
        self.descend()
        expression = self.expression()
        self.depth -= 1
        return expression

    def remote_label(self, process: Token, pid: Expression | None) -> syntax.RemoteLabel:
        self.expect("@")
        label = self.name("a label after '@'")
        return syntax.RemoteLabel(process.text, pid, label, span=self.span_from(process))

    def remote_variable(self, process: Token, pid: Expression | None) -> syntax.RemoteVariable:
        self.expect(":")
        variable = self.reference()
        if variable.field is not None:
            self.fail("a remote reference cannot select a field", process)
        return syntax.RemoteVariable(process.text, pid, variable, span=self.span_from(process))

    def parenthesized(self) -> Expression:
        start = self.advance()
        self.descend()
        inner = self.expression()
        if self.token.kind == "->" and self.operators is _STATE_OPERATORS:
            self.advance()
            then = self.expression()
            self.expect(":", "a conditional expression is written (condition -> then : otherwise)")
            otherwise = self.expression()
            self.close_parenthesis(start)
            inner = syntax.Conditional(inner, then, otherwise, span=self.span_from(start))
        else:
            self.close_parenthesis(start)
        self.depth -= 1
        return inner

    def close_parenthesis(self, start: Token) -> None:
        if self.token.kind == ")":
            self.advance()
            return
        hint = f"the '(' at {start.line}:{start.column} is not closed"
        if self.token.kind == "=":
            hint = _COMPARE
        elif self.token.kind == "name" and (operator_hint(self.token.text) or operator_hint(self.previous.text)):
            hint = operator_hint(self.token.text) or operator_hint(self.previous.text) or hint
        elif self.token.kind == "(" and self.previous.kind == "name":
            hint = f"'{self.previous.text}' cannot be called in an expression; to start a process, write 'run'"
        self.expect(")", hint)

    def unary(self) -> Expression:
        token = self.advance()
        self.descend()
        operand = self.operand()
        self.depth -= 1
        span = self.span_from(token)
        if token.kind == "!!":  # SPIN's scanner sees a sorted send here and gives up
            operand = syntax.Unary("!", operand, span=span)
        operator = cast(Literal["!", "-", "~"], token.kind[0])
        return syntax.Unary(operator, operand, span=span)

    def temporal(self) -> Expression:
        token = self.advance()
        if token.kind == "X" and self.is_pair():
            return self.next_of(token)
        self.descend()
        start = self.token
        operand = self.operand()
        if self.operators.get(self.token.kind, 0) >= _COMPARISON:
            operand = self.binary(operand, start, _COMPARISON)
            sign = token.kind
            self.warn(f"'{sign}' reaches to the end of the comparison (SPIN compares '{sign}' itself)", operand.span)
        self.depth -= 1
        operator = cast(syntax.TemporalPrefix, token.kind)
        return syntax.TemporalUnary(operator, operand, span=self.span_from(token))

    def is_pair(self) -> bool:
        """Is this `(a, b)`?"""
        if self.token.kind != "(":
            return False
        depth = 0
        for token in self.tokens[self.index :]:
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token.kind, 0)
            if token.kind == "," and depth == 1:
                return True
            if depth == 0:
                return False
        return False

    def next_of(self, start: Token) -> syntax.NextOf:
        """`next(i, f)`"""
        pair = self.parenthesized_list()
        if len(pair) != 2:
            self.fail(f"next(i, f) has a process and a formula, not {len(pair)} parts", start)
        return syntax.NextOf(pair[0], pair[1], span=self.span_from(start))

    def moves(self) -> syntax.Moves:
        """`moves(i)`"""
        start = self.advance()
        opening = self.advance()
        process = self.nested_expression()
        self.close_parenthesis(opening)
        return syntax.Moves(process, span=self.span_from(start))

    def pattern(self) -> Expression:
        """`name(f, g)`, then `globally`, `before r`, `after q`, `after q until r`, `between q and r` or nothing."""
        from kripke.logic.patterns import PATTERNS

        start = self.token
        if start.text == "fires":
            return self.fires()
        if start.text == "moves":
            return self.moves()
        if start.text not in PATTERNS:
            if start.text != "anyRef":
                nearest = similar(start.text, (*PATTERNS, "fires", "moves"))
                hint = f"did you mean '{nearest}'?" if nearest else f"the patterns are {', '.join(PATTERNS)}"
                self.fail(f"there is no pattern '{start.text}'", start, hint)
            return self.named()
        self.advance()
        arguments = self.parenthesized_list()
        scope, begin, end = "globally", None, None
        match self.token.text if self.token.kind == "name" else "":
            case "globally":
                self.advance()
            case "before":
                self.advance()
                scope, end = "before", self.operand()
            case "after":
                self.advance()
                scope, begin = "after", self.operand()
                if self.token.kind == "U":
                    self.advance()
                    scope, end = "after_until", self.operand()
            case "between":
                self.advance()
                begin = self.operand()
                if self.token.text not in ("and", "&&"):
                    self.fail(f"expected 'and', found {described(self.token)}")
                self.advance()
                scope, end = "between", self.operand()
        return syntax.SpecificationPattern(start.text, arguments, scope, begin, end, span=self.span_from(start))

    def fires(self) -> syntax.Fires:
        """`fires(c!a,b)`, `fires(c?)`, `fires(c)`"""
        start = self.advance()
        opening = self.advance()
        channel = self.reference()
        direction = ""
        arguments: tuple[ReceiveArgument, ...] = ()
        if self.token.kind in ("!", "?"):
            direction = self.advance().kind
            arguments = () if self.token.kind == ")" else self.receive_arguments()
        self.close_parenthesis(opening)
        return syntax.Fires(channel, cast(Literal["!", "?", ""], direction), arguments, span=self.span_from(start))

    def run(self) -> syntax.Run:
        start = self.advance()
        process = self.name("the name of a proctype after 'run'")
        arguments = self.parenthesized_list()
        priority = self.optional_priority()
        return syntax.Run(process, arguments, priority, span=self.span_from(start))

    def optional_priority(self) -> int | None:
        if self.token.kind != "priority":
            return None
        self.advance()
        if self.token.kind != "number":
            self.fail(f"expected a number after 'priority', found {described(self.token)}")
        return self.number().value

    def parenthesized_list(self) -> tuple[Expression, ...]:
        """`(a, b)`, perhaps empty."""
        start = self.expect("(")
        self.descend()
        arguments: list[Expression] = []
        if self.token.kind != ")":
            arguments.append(self.expression())
            while self.accept(","):
                arguments.append(self.expression())
        self.close_parenthesis(start)
        self.depth -= 1
        return tuple(arguments)

    def channel_query(self) -> syntax.ChannelQuery:
        token = self.advance()
        start = self.expect("(")
        channel = self.reference()
        self.close_parenthesis(start)
        operator = cast(Literal["len", "empty", "nempty", "full", "nfull"], token.kind)
        return syntax.ChannelQuery(operator, channel, span=self.span_from(token))

    def process_query(self) -> syntax.ProcessQuery:
        token = self.advance()
        start = self.expect("(")
        operand = self.nested_expression()
        self.close_parenthesis(start)
        operator = cast(Literal["enabled", "pc_value", "get_priority"], token.kind)
        return syntax.ProcessQuery(operator, operand, span=self.span_from(token))

    def poll(self, channel: Reference, start: Token) -> syntax.Poll:
        anywhere = self.advance().kind == "??"
        self.expect("[")
        arguments = self.receive_arguments()
        self.expect("]")
        return syntax.Poll(channel, arguments, anywhere, span=self.span_from(start))

    def receive_arguments(self) -> tuple[ReceiveArgument, ...]:
        """`a, b`, `a(b)`, `(a, b)`: all the same."""
        arguments: list[ReceiveArgument] = []
        self.collect_receive_arguments(arguments)
        return tuple(arguments)

    def collect_receive_arguments(self, arguments: list[ReceiveArgument]) -> None:
        while True:
            if self.token.kind == "(":
                self.bracketed_receive_arguments(arguments)
                return
            arguments.append(self.receive_argument())
            if self.token.kind == "(":
                self.bracketed_receive_arguments(arguments)
                return
            if not self.accept(","):
                return

    def bracketed_receive_arguments(self, arguments: list[ReceiveArgument]) -> None:
        start = self.advance()
        self.descend()
        self.collect_receive_arguments(arguments)
        self.close_parenthesis(start)
        self.depth -= 1

    def receive_argument(self) -> ReceiveArgument:
        start = self.token
        match start.kind:
            case "name":
                return self.reference()
            case "number":
                return self.number()
            case "char":
                return self.character()
            case "true" | "false" | "skip":
                return self.word_constant()
            case "-":
                self.advance()
                if self.token.kind not in ("number", "char"):
                    self.fail(f"expected a number after '-', found {described(self.token)}")
                constant = self.number() if self.token.kind == "number" else self.character()
                return syntax.Constant(-constant.value, "-" + constant.text, span=self.span_from(start))
            case "eval":
                self.advance()
                opening = self.expect("(")
                expression = self.nested_expression()
                self.close_parenthesis(opening)
                return syntax.Eval(expression, span=self.span_from(start))
        self.fail(
            f"expected a variable or a constant to receive, found {described(start)}",
            hint="to receive only what equals an expression, write eval(expression)",
        )

    def c_expression(self) -> syntax.CExpression:
        token = self.advance()
        assert token.value is not None
        text, precondition, span, line = token.value
        return syntax.CExpression(text, precondition, line, span=span)

    def timeout(self) -> syntax.Timeout:
        return syntax.Timeout(span=self.advance().span)

    def non_progress(self) -> syntax.NonProgress:
        return syntax.NonProgress(span=self.advance().span)


_OPERANDS: Final[dict[str, Callable[[Any], Expression]]] = {
    "(": ExpressionParser.parenthesized,
    "char": ExpressionParser.character,
    **dict.fromkeys(("true", "false", "skip"), ExpressionParser.word_constant),
    **dict.fromkeys(("!", "!!", "-", "~"), ExpressionParser.unary),
    **dict.fromkeys(("[]", "<>", "X", "Y", "Z", "O", "H"), ExpressionParser.temporal),
    **dict.fromkeys(("len", "empty", "nempty", "full", "nfull"), ExpressionParser.channel_query),
    **dict.fromkeys(("enabled", "pc_value", "get_priority"), ExpressionParser.process_query),
    "run": ExpressionParser.run,
    "c_expr": ExpressionParser.c_expression,
    "timeout": ExpressionParser.timeout,
    "np_": ExpressionParser.non_progress,
}
