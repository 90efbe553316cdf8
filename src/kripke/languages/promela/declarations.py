"""The grammar of declarations: variables, channels, mtype, typedef."""

from __future__ import annotations

from typing import Final, Literal, NoReturn, cast

from kripke.languages.promela import syntax
from kripke.languages.promela.cursor import described, similar
from kripke.languages.promela.expressions import ExpressionParser
from kripke.languages.promela.lexer import TYPES, Token
from kripke.model.source import Sources

_VISIBILITY: Final = frozenset({"hidden", "show", "local"})
_STARTS: Final = TYPES | _VISIBILITY


class DeclarationParser(ExpressionParser):
    def __init__(self, tokens: list[Token], file: str, sources: Sources) -> None:
        super().__init__(tokens, file, sources)
        self.typedefs: set[str] = set()
        self.is_data = False  # is the declaration one of an imported type?

    def at_declaration(self) -> bool:
        kind = self.token.kind
        return kind in _STARTS or (kind == "name" and (self.token.text in self.typedefs or self._extended(self.index)))

    def _extended(self, index: int) -> bool:
        """Does `ref P name` or `public type name` begin here? The words are names everywhere else."""
        first, second, third = (self.tokens[min(index + i, len(self.tokens) - 1)] for i in range(3))
        if first.text == "nonatomic" and first.kind == "name":
            return second.kind in TYPES or (second.kind == "(" and self._is_range(index + 1))
        if first.text == "public":
            return second.kind in TYPES or second.text in self.typedefs or self._extended(index + 1)
        return first.text == "ref" and first.kind == "name" and second.kind == "name" and third.kind == "name"

    def _is_range(self, index: int) -> bool:
        """Is this `( low .. high ) type`, and no call?"""
        closing = next((i for i in range(index, len(self.tokens)) if self.tokens[i].kind == ")"), len(self.tokens) - 1)
        inside = {token.kind for token in self.tokens[index:closing]}
        return ".." in inside and self.tokens[min(closing + 1, len(self.tokens) - 1)].kind in TYPES

    def nonatomic(self) -> syntax.Nonatomic | None:
        start = self.token
        if start.text != "nonatomic" or not self._extended(self.index):
            return None
        self.advance()
        if self.token.kind != "(":
            return syntax.Nonatomic(span=self.span_from(start))
        self.advance()
        low = self.nested_expression()
        self.expect("..")
        high = self.nested_expression()
        self.expect(")")
        return syntax.Nonatomic(low, high, span=self.span_from(start))

    def declaration(self) -> syntax.Declaration | syntax.MtypeDeclaration:
        start = self.token
        visibility = None
        if start.kind in _VISIBILITY or (start.text == "public" and self._extended(self.index)):
            visibility = cast(Literal["hidden", "show", "local", "public"], self.advance().text)
            self.with_references |= visibility == "public"
        nonatomic = self.nonatomic()
        type_name = self.type_name()
        if type_name.name == "mtype" and self.token.kind in ("=", "{"):
            self.accept("=")
            return self.mtype_names(start, type_name.subtype)
        if self.token.kind == ";" and not self.token.text:
            self.advance()  # SPIN does not end a statement after the name of a typedef
        self.is_data = type_name.name in self.data_types
        variables = [self.variable()]
        while self.token.kind == ",":
            self.advance()
            if self.token.kind in _STARTS:
                self.fail(
                    f"expected a name after ',', found {described(self.token)}",
                    hint="declarations of different types are separated by ';'",
                )
            variables.append(self.variable())
        return syntax.Declaration(type_name, tuple(variables), visibility, nonatomic, span=self.span_from(start))

    def variable_declaration(self, where: str) -> syntax.Declaration:
        """A declaration in a place where `mtype = {..}` cannot stand."""
        start = self.token
        if not self.at_declaration():
            self.no_type(f"expected a declaration in {where}, found {described(start)}")
        declaration = self.declaration()
        if isinstance(declaration, syntax.MtypeDeclaration):
            self.fail("the names of an mtype are declared at the top level only", start)
        return declaration

    def type_name(self) -> syntax.TypeName:
        token = self.token
        if token.text == "ref" and token.kind == "name" and self.next_kind() == "name" and "ref" not in self.typedefs:
            self.advance()
            self.with_references = True
            return syntax.TypeName("ref", self.name("the name of a proctype"), span=self.span_from(token))
        if token.kind not in TYPES and not (token.kind == "name" and token.text in self.typedefs):
            self.no_type(f"expected a type, found {described(token)}")
        self.advance()
        subtype = None
        if token.kind in TYPES and self.token.kind == ":":
            if token.kind != "mtype":
                self.fail(f"only 'mtype' has subtypes, '{token.kind}' has none")
            self.advance()
            subtype = self.name("the name of an mtype's subtype")
        return syntax.TypeName(token.text, subtype, span=self.span_from(token))

    def no_type(self, message: str) -> NoReturn:
        token = self.token
        if token.kind == "name" and self.next_kind() == "name":
            nearest = similar(token.text, TYPES | self.typedefs)
            hint = f"did you mean '{nearest}'?" if nearest else "a typedef has to stand before its first use"
            self.fail(f"unknown type '{token.text}'", hint=hint)
        self.fail(message)

    def variable(self) -> syntax.Variable:
        start = self.token
        name = self.name("the name of a variable")
        size = width = initial = None
        if self.token.kind == "[":
            self.advance()
            size = self.nested_expression()
            self.expect("]")
        elif self.token.kind == ":":
            self.advance()
            if self.token.kind != "number":
                self.fail(f"expected the number of bits after ':', found {described(self.token)}")
            width = self.number().value
        if self.token.kind == "=":
            self.advance()
            initial = self.initializer()
        return syntax.Variable(name, size, width, initial, span=self.span_from(start))

    def initializer(self) -> syntax.Initializer:
        start = self.token
        if start.kind == "[":
            return self.channel_initializer()
        if self.is_data:
            return self.data_value()
        if start.kind == "{":
            self.advance()
            values = [self.expression()]
            while self.accept(","):
                values.append(self.expression())
            self.expect("}")
            return syntax.ArrayInitializer(tuple(values), span=self.span_from(start))
        return self.expression()

    def channel_initializer(self) -> syntax.ChannelInitializer:
        start = self.advance()
        capacity = self.expression()
        self.expect("]")
        self.expect("of", "a channel is written chan name = [capacity] of { types }")
        self.expect("{")
        message = [self.message_type()]
        while self.accept(","):
            message.append(self.message_type())
        self.expect("}")
        return syntax.ChannelInitializer(capacity, tuple(message), span=self.span_from(start))

    def message_type(self) -> syntax.TypeName:
        if self.token.kind == "unsigned":
            self.fail("'unsigned' cannot be the type of a message field", hint="use byte, short or int")
        if self.token.kind == "name" and self.token.text not in (*self.typedefs, "ref"):
            nearest = similar(self.token.text, TYPES | self.typedefs)
            hint = f"did you mean '{nearest}'?" if nearest else "a typedef has to stand before its first use"
            self.fail(f"unknown type '{self.token.text}'", hint=hint)
        return self.type_name()

    def mtype_names(self, start: Token, subtype: str | None) -> syntax.MtypeDeclaration:
        self.expect("{")
        names = [self.name("a name for an mtype value")]
        while self.token.kind != "}":
            if not self.accept(","):  # commas are optional
                names.append(self.name("a name for an mtype value, ',' or '}'"))
        self.advance()
        return syntax.MtypeDeclaration(tuple(names), subtype, span=self.span_from(start))

    def typedef(self) -> syntax.Typedef:
        start = self.advance()
        name = self.name("the name of the new type")
        self.expect("{")
        fields = [self.variable_declaration("a typedef")]
        while self.token.kind == ";":
            while self.accept(";"):
                pass
            if self.token.kind == "}":
                break
            fields.append(self.variable_declaration("a typedef"))
        self.expect("}", "fields of different types are separated by ';'")
        self.typedefs.add(name)
        return syntax.Typedef(name, tuple(fields), span=self.span_from(start))

    def parameters(self) -> tuple[syntax.Declaration, ...]:
        start = self.expect("(")
        parameters: list[syntax.Declaration] = []
        if self.token.kind != ")":
            parameters.append(self.parameter())
            while self.accept(";"):
                parameters.append(self.parameter())
        self.close_parenthesis(start)
        return tuple(parameters)

    def parameter(self) -> syntax.Declaration:
        parameter = self.variable_declaration("a list of parameters")
        for variable in parameter.variables:
            if variable.initial is not None:
                raise self.sources.error("a parameter has no initial value", variable.span)
        return parameter
