"""Declarations of Maria's language: types, functions, places, transitions, properties, sub-nets."""

from __future__ import annotations

from kripke.deadline import current
from kripke.languages.maria.expressions import Cursor
from kripke.languages.maria.lexer import Token
from kripke.languages.maria.syntax import (
    ArcDeclaration,
    ConditionDeclaration,
    Declaration,
    FairnessDeclaration,
    FunctionDeclaration,
    NetSyntax,
    PlaceDeclaration,
    Range,
    SubnetDeclaration,
    Syntax,
    TransitionDeclaration,
    TypeDeclaration,
    TypeSyntax,
    VariableDeclaration,
)
from kripke.model.source import Sources, Span

_DEEPEST_SUBNET = 30
_DEEPEST_TYPE = 60
_FAIRNESS = ("strongly_fair", "weakly_fair", "enabled")
_QUALIFIERS = {"=>": 3, "<=>": 3, "||": 4, "^^": 5, "&&": 6}


def parse(tokens: list[Token], sources: Sources) -> NetSyntax:
    parser = _Parser(tokens, sources)
    return parser.net(0)


def parse_expression(tokens: list[Token], sources: Sources) -> Syntax:
    """One expression and nothing else: a formula of the command line."""
    cursor = Cursor(tokens, sources)
    expression = cursor.expression()
    if cursor.token.kind != "end":
        raise cursor.error("the end of the formula expected")
    return expression


class _Parser(Cursor):
    def net(self, depth: int) -> NetSyntax:
        declarations: list[Declaration] = []
        extents: list[Span] = []
        while self.token.kind != "end" and not (depth and self.sees("}")):
            start = self.token.span
            declarations.append(self._declaration(depth))
            extents.append(start.to(self.expect(";", "after a declaration").span))
        return NetSyntax(tuple(declarations), tuple(extents))

    def _declaration(self, depth: int) -> Declaration:
        current()()
        token = self.token
        if token.kind == "name":
            return self._function(self.next())
        if token.kind == "word":
            self.next()
            match token.text:
                case "typedef":
                    type_ = self._type(0)
                    name = self.expect_name("the name of the type")
                    return TypeDeclaration(type_, name.text, name.span)
                case "place":
                    return self._place()
                case "trans":
                    return self._transition(token)
                case "reject" | "deadlock":
                    condition = self.expression()
                    return ConditionDeclaration(token.text, "", condition, token.span.to(condition.span))
                case "prop":
                    name = self.expect_name("the name of the proposition")
                    self.expect(":", "after the name of a proposition")
                    return ConditionDeclaration("prop", name.text, self.expression(), name.span)
                case "subnet":
                    return self._subnet(token, depth)
            if token.text in _FAIRNESS:
                sets = [self._qualified(3)]
                while self.accept(","):
                    sets.append(self._qualified(3))
                return FairnessDeclaration(token.text, tuple(sets), token.span)
            self.at -= 1
        raise self.error("a declaration expected", "typedef, place, trans, a function, reject, deadlock, prop, subnet")

    def _subnet(self, token: Token, depth: int) -> SubnetDeclaration:
        if depth >= _DEEPEST_SUBNET:
            raise self.sources.error("sub-nets are nested too deeply", token.span)
        name = self.next().text if self.token.kind == "name" else ""
        self.expect("{", "before the sub-net")
        net = self.net(depth + 1)
        self.expect("}", "after the sub-net")
        return SubnetDeclaration(name, net, token.span)

    # --- types --------------------------------------------------------------------------------------------------------

    def _type(self, depth: int) -> TypeSyntax:
        if depth > _DEEPEST_TYPE:
            raise self.sources.error("types are nested too deeply", self.token.span)
        type_ = self._simple_type(depth)
        while True:
            if self.sees("("):
                start = self.token.span
                ranges = self._constraint()
                type_ = TypeSyntax("constrained", start, base=type_, ranges=ranges)
            elif start_token := self.accept("["):
                if self.sees("queue", "stack"):
                    kind = self.next().text
                    number = self.expression()
                    type_ = TypeSyntax(kind, start_token.span, base=type_, number=number)
                else:
                    type_ = TypeSyntax("array", start_token.span, base=type_, indices=self._type(depth + 1))
                self.expect("]", "after the index type")
            else:
                return type_
            depth += 1
            if depth > _DEEPEST_TYPE:
                raise self.sources.error("types are nested too deeply", self.token.span)

    def _simple_type(self, depth: int) -> TypeSyntax:
        token = self.token
        if token.kind == "name":
            self.next()
            return TypeSyntax("name", token.span, token.text)
        if self.accept("enum"):
            return TypeSyntax("enum", token.span, items=self._items())
        if self.accept("id"):
            self.expect("[", "after id")
            number = self.expression()
            self.expect("]", "after the number of identifiers")
            return TypeSyntax("id", token.span, number=number)
        if self.accept("struct", "union"):
            self.expect("{", f"after {token.text}")
            components: list[tuple[TypeSyntax, str]] = []
            while not self.sees("}"):
                type_ = self._type(depth + 1)
                components.append((type_, self.expect_name("the name of a component").text))
                if not self.accept(",", ";"):
                    break
            end = self.expect("}", "after the components")
            if token.text == "union" and not components:
                raise self.sources.error("a union needs a component", token.span.to(end.span))
            return TypeSyntax(token.text, token.span, components=tuple(components))
        raise self.error("a type expected")

    def _items(self) -> tuple[tuple[str, Syntax | None], ...]:
        self.expect("{", "after enum")
        items: list[tuple[str, Syntax | None]] = []
        while True:
            name = self.expect_name("the name of a constant")
            given = self.accept("=")
            number = self.expression(2) if given or not self.sees(",", ";", "}") else None
            items.append((name.text, number))
            if not self.accept(",", ";") or self.sees("}"):
                break
        self.expect("}", "after the constants")
        return tuple(items)

    def _constraint(self) -> tuple[Range, ...]:
        self.expect("(", "before a constraint")
        ranges: list[Range] = []
        while True:
            low = None if self.sees("..") else self.expression()
            if self.accept(".."):
                high = None if self.sees(",", ";", ")") else self.expression()
                if low is None and high is None:
                    raise self.error("a range needs an end")
            else:
                high = low
            ranges.append(Range(low, high))
            if not self.accept(",", ";"):
                break
        self.expect(")", "after a constraint")
        return tuple(ranges)

    # --- functions, places --------------------------------------------------------------------------------------------

    def _function(self, type_: Token) -> FunctionDeclaration:
        name = self.expect_name("the name of a function, or a declaration,")
        return self._function_rest(type_, name)

    def _function_rest(self, type_: Token, name: Token) -> FunctionDeclaration:
        parameters: list[tuple[str, str]] = []
        if self.accept("("):
            while not self.sees(")"):
                parameter_type = self.expect_name("the type of a parameter")
                parameters.append((parameter_type.text, self.expect_name("the name of a parameter").text))
                if not self.accept(",", ";"):
                    break
            self.expect(")", "after the parameters")
        elif not self.accept("=", "()"):
            raise self.error("'=', '()' or parameters expected after the name of a function")
        body = self.expression()
        return FunctionDeclaration(type_.text, name.text, tuple(parameters), body, name.span)

    def _place(self) -> PlaceDeclaration:
        name = self.expect_name("the name of the place")
        capacities = []
        while self.sees("("):
            capacities.append(self._constraint())
        type_ = self._type(0)
        constant = self.accept("const") is not None
        contents = self.marking_list() if self.accept(":") else None
        return PlaceDeclaration(name.text, tuple(capacities), type_, constant, contents, name.span)

    # --- transitions --------------------------------------------------------------------------------------------------

    def _transition(self, start: Token) -> TransitionDeclaration:
        macro = self.accept(":") is not None
        name = self.expect_name("the name of the transition")
        urgent = self.accept("!") is not None
        parts: list[tuple[str, object, Span]] = []
        while not self.sees(";"):
            self._part(parts)
        return TransitionDeclaration(name.text, macro, urgent, tuple(parts), name.span)

    def _part(self, parts: list[tuple[str, object, Span]]) -> None:
        token = self.token
        if token.kind == "number":
            self.next()
            parts.append(("priority", token.number, token.span))
        elif self.accept("{"):
            while not self.sees("}"):
                parts.append(self._variable())
                if not self.accept(",", ";"):
                    break
            self.expect("}", "after the variables")
        elif self.accept("in", "out"):
            self.expect("{", f"after {token.text}")
            while not self.sees("}"):
                self.accept("place")
                name = self.expect_name("the name of a place")
                self.expect(":", "after the name of a place")
                arc = ArcDeclaration(name.text, self.marking_list(), name.span)
                parts.append((token.text, arc, name.span))
                if not self.accept(";"):
                    break
            self.expect("}", "after the arcs")
        elif self.accept("gate"):
            while True:
                gate = self.expression()
                parts.append(("gate", gate, gate.span))
                if not self.accept(","):
                    break
        elif self.accept("hide", *_FAIRNESS):
            condition = self.expression()
            parts.append((token.text, condition, token.span))
        elif self.accept(":"):
            self.accept("trans")
            name = self.expect_name("the name of a transition")
            parts.append(("call", name.text, name.span))
        else:
            raise self.error("a part of the transition or ';' expected")

    def _variable(self) -> tuple[str, object, Span]:
        hidden = self.accept("hide") is not None
        type_ = self.expect_name("the type of a variable")
        if self.sees("!"):
            raise self.error("the name of the output variable expected")
        name = self.expect_name("the name of a variable")
        if self.sees("=", "()", "("):
            function = self._function_rest(type_, name)
            return ("function", function, name.span)
        output = self.accept("!") is not None
        condition = None
        if output and self.accept("("):
            condition = self.expression()
            self.expect(")", "after the condition")
        return (
            "variable",
            VariableDeclaration(type_.text, name.text, hidden, output, condition, name.span),
            name.span,
        )

    # --- fairness -----------------------------------------------------------------------------------------------------

    def _qualified(self, tightness: int) -> Syntax:
        left = self._qualifier()
        while self.token.kind == "sign" and _QUALIFIERS.get(self.token.text, 0) >= tightness:
            operator = self.next().text
            right = self._qualified(_QUALIFIERS[operator] + 1)
            left = Syntax("binary", left.span.to(right.span), (left, right), operator)
        return left

    def _qualifier(self) -> Syntax:
        self.nesting += 1
        if self.nesting > 100:
            raise self.sources.error("conditions are nested too deeply", self.token.span)
        try:
            return self._bare_qualifier()
        finally:
            self.nesting -= 1

    def _bare_qualifier(self) -> Syntax:
        token = self.token
        if self.accept("("):
            inner = self._qualified(3)
            self.expect(")", "to close the parenthesis")
            return inner
        if self.accept("!"):
            operand = self._qualifier()
            return Syntax("unary", token.span.to(operand.span), (operand,), "!")
        if self.accept("trans"):
            name = self.expect_name("the name of a transition")
            condition = (self.expression(4),) if self.accept(":") else ()
            return Syntax("transition", token.span.to(name.span), condition, name.text)
        type_ = self.expect_name("trans, or a quantified variable,")
        variable = self.expect_name("the name of a variable")
        operands: tuple[Syntax, ...] = ()
        if self.accept("("):
            operands = (self.expression(),)
            self.expect(")", "after the condition")
        sign = self.accept(":", "&&", "||")
        if sign is None:
            raise self.error("':', '&&' or '||' expected after a quantified variable")
        body = self._qualified(3)
        kind = {":": "sum", "&&": "all", "||": "exists"}[sign.text]
        names = (type_.text, variable.text)
        return Syntax(kind, token.span.to(body.span), (*operands, body), names=names, flag=bool(operands))
