"""From the text of an SMV file to its syntax tree: modules and what is declared in them."""

from __future__ import annotations

from typing import Final

from kripke.languages.smv.expressions import ExpressionParser
from kripke.languages.smv.syntax import (
    ArrayText,
    Assignment,
    BooleanText,
    Constraint,
    Declaration,
    EnumerationText,
    Expression,
    Identifier,
    InstanceText,
    Member,
    Module,
    Name,
    Number,
    RangeText,
    Specification,
    Truth,
    TypeText,
    WordText,
)

_SPECIFICATIONS: Final = {"SPEC": "CTLSPEC", "CTLSPEC": "CTLSPEC", "LTLSPEC": "LTLSPEC", "INVARSPEC": "INVARSPEC"}
_REFUSED: Final = {
    "ISA": ("ISA, which takes over another module", "make an instance of that module, or copy its declarations"),
    "PSLSPEC": ("formulas of PSL", "write the formula as LTLSPEC or CTLSPEC"),
    "COMPUTE": ("COMPUTE", "ask for a bound as a formula: CTLSPEC with EBF or ABF"),
    "MIRROR": ("MIRROR", "leave it out"),
    "PRED": ("predicates of abstractions", "leave it out"),
    "PREDICATES": ("predicates of abstractions", "leave it out"),
    "CONSTRAINT": ("CONSTRAINT", "write INVAR or TRANS"),
    "SIMPWFF": ("SIMPWFF", "leave it out"),
    "CTLWFF": ("CTLWFF", "leave it out"),
    "LTLWFF": ("LTLWFF", "leave it out"),
    "PSLWFF": ("PSLWFF", "leave it out"),
    "COMPWFF": ("COMPWFF", "leave it out"),
    "FUN": ("uninterpreted functions", "write a DEFINE, or a table as an array"),
    "PARSYNTH": ("synthesis of parameters", "leave it out"),
    "MDEFINE": ("MDEFINE", "write DEFINE"),
}
_SECTIONS: Final = (
    "VAR, IVAR, FROZENVAR, DEFINE, CONSTANTS, ASSIGN, INIT, TRANS, INVAR, INVARSPEC, CTLSPEC, LTLSPEC, FAIRNESS, "
    "JUSTICE, COMPASSION"
)


class Parser(ExpressionParser):
    def file(self) -> list[Module]:
        modules: list[Module] = []
        while self.token.kind != "end":
            if self.token.kind != "MODULE":
                raise self.error(f"expected MODULE, found {self.shown()}", hint="a file of SMV is a list of modules")
            modules.append(self.module())
        return modules

    def module(self) -> Module:
        self.expect("MODULE", "")
        name = self.name("the name of a module")
        parameters: list[Name] = []
        if self.accept("("):
            while not self.accept(")"):
                if parameters:
                    self.expect(",", "between parameters")
                parameters.append(self.name("the name of a parameter"))
        module = Module(name, tuple(parameters), name.span)
        while self.token.kind not in ("end", "MODULE"):
            self.section(module)
            module.end = self.tokens[self.index - 1].span
        return module

    def section(self, module: Module) -> None:
        token = self.token
        match token.kind:
            case "VAR" | "IVAR" | "FROZENVAR":
                self.advance()
                while self.at_name():
                    module.declarations.append(self.declaration(token.kind))
            case "DEFINE":
                self.advance()
                while self.at_name():
                    name = self.name("the name of a definition")
                    self.expect(":=", "before what the name stands for")
                    module.definitions.append((name, self.array_or_expression()))
                    self.expect(";", "after the definition")
            case "CONSTANTS":
                self.advance()
                module.constants.append(self.name("a constant"))
                while self.accept(","):
                    module.constants.append(self.name("a constant"))
                self.expect(";", "after the constants")
            case "ASSIGN":
                self.advance()
                while self.at_name() or self.token.kind in ("init", "next", "self"):
                    module.assignments.append(self.assignment())
            case "INIT" | "TRANS" | "INVAR" | "FAIRNESS" | "JUSTICE":
                self.advance()
                kind = "JUSTICE" if token.kind == "FAIRNESS" else token.kind
                expression = self.expression()
                module.constraints.append(Constraint(kind, (expression,), token.span.to(expression.span)))
                self.accept(";")
            case "COMPASSION":
                self.advance()
                self.expect("(", "before the two conditions")
                first = self.expression()
                self.expect(",", "between the two conditions")
                second = self.expression()
                close = self.expect(")", "after the two conditions")
                module.constraints.append(Constraint("COMPASSION", (first, second), token.span.to(close.span)))
                self.accept(";")
            case kind if kind in _SPECIFICATIONS:
                module.specifications.append(self.specification())
            case kind if kind in _REFUSED:
                what, hint = _REFUSED[kind]
                raise self.error(f"{what} is not supported", hint=hint)
            case _:
                raise self.error(
                    f"expected a section of the module, found {self.shown()}", hint=f"there are {_SECTIONS}"
                )

    def declaration(self, kind: str) -> Declaration:
        name = self.name("the name of a variable")
        self.expect(":", "before the type")
        type_ = self.type()
        self.expect(";", "after the declaration")
        if isinstance(type_, InstanceText) and kind != "VAR":
            raise self.error(f"an instance of a module is declared under VAR, not {kind}", name.span)
        return Declaration(kind, name, type_)

    def type(self) -> TypeText:
        token = self.token
        match token.kind:
            case "boolean":
                self.advance()
                return BooleanText(token.span)
            case "{":
                return self.enumeration()
            case "array":
                self.advance()
                low, high = self.bounds()
                self.expect("of", "before the type of the elements")
                element = self.type()
                if isinstance(element, InstanceText):
                    hint = "declare the instances one by one"
                    raise self.error("an array of instances is not in the language", element.span, hint)
                return ArrayText(token.span.to(element.span), low, high, element)
            case "unsigned" | "signed" | "word":
                self.advance()
                if token.kind != "word":
                    self.expect("word", f"after {token.kind}")
                self.expect("[", "before the number of bits")
                width = self.expression()
                close = self.expect("]", "after the number of bits")
                if self.token.kind == "of":
                    raise self.error("memories (arrays indexed by words) are not supported", hint="write array 0..N of")
                return WordText(token.span.to(close.span), width, token.kind == "signed")
            case "process":
                hint = "let a variable choose which instance moves, and the others keep their variables"
                raise self.error("process, interleaved instances of old NuSMV, is not supported", hint=hint)
            case "integer" | "real" | "clock":
                hint = "give a range such as 0..15, or a word such as unsigned word[8]"
                raise self.error(f"variables of the type {token.kind} have no bounds: not supported", hint=hint)
            case "name" if self.tokens[self.index + 1].kind in (";", "(", "of"):
                return self.instance()
        low, high = self.bounds()
        return RangeText(low.span.to(high.span), low, high)

    def bounds(self) -> tuple[Expression, Expression]:
        low = self.sum()
        self.expect("..", "between the bounds of a range")
        return low, self.sum()

    def enumeration(self) -> TypeText:
        start = self.expect("{", "")
        values: list[Number | Identifier | Truth | Member] = []
        while True:
            item = self.sum()
            if isinstance(item, Number | Identifier | Truth | Member):
                values.append(item)
            else:
                raise self.error("a value of an enumeration is a name or a number", item.span)
            if not self.accept(","):
                break
        close = self.expect("}", "after the values")
        return EnumerationText(start.span.to(close.span), tuple(values))

    def instance(self) -> InstanceText:
        module = self.name("the name of a module")
        arguments: list[Expression] = []
        end = module.span
        if self.accept("("):
            while self.token.kind != ")":
                if arguments:
                    self.expect(",", "between arguments")
                arguments.append(self.expression())
            end = self.expect(")", "after the arguments").span
        return InstanceText(module.span.to(end), module, tuple(arguments))

    def assignment(self) -> Assignment:
        start = self.token
        when = ""
        if start.kind in ("init", "next"):
            self.advance()
            when = start.kind
            self.expect("(", f"after {when}")
            target = self.path()
            self.expect(")", "after the variable")
        else:
            target = self.path()
        self.expect(":=", "before the value")
        value = self.expression()
        self.expect(";", "after the assignment")
        return Assignment(when, target, value, start.span.to(value.span))

    def specification(self) -> Specification:
        start = self.token
        self.advance()
        name = None
        if self.accept("NAME"):
            name = self.name("the name of the property")
            self.expect(":=", "after the name")
        first = self.token.start
        expression = self.expression()
        last = self.tokens[self.index - 1]
        text = " ".join(self.text[first : last.end].split())
        self.accept(";")
        kind = _SPECIFICATIONS[start.kind]
        return Specification(kind, name, expression, text, start.span.to(last.span))
