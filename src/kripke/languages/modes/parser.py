"""From the text of a ``.modes`` file to its syntax tree."""

from __future__ import annotations

from typing import Final

from kripke.languages.modes.lexer import Token, tokens_of
from kripke.languages.modes.syntax import (
    AssignmentText,
    Expression,
    File,
    InstanceText,
    ModeText,
    Name,
    Place,
    PropertyText,
    RefinementText,
    TransitionText,
    TypeText,
    VariableText,
)
from kripke.model.source import ModelError, Sources, Span

_DEEPEST: Final = 100
_STRENGTH: Final = {
    "=>": 1, "||": 2, "&&": 3, "==": 4, "!=": 4, "<": 5, "<=": 5, ">": 5, ">=": 5, "+": 6, "-": 6, "*": 7, "/": 7,
    "%": 7,
}  # fmt: skip
KEYWORDS: Final = frozenset(
    {
        "const", "enum", "var", "mode", "system", "invariant", "ltl", "refinement", "refines",
        "assume_guarantee", "read", "write", "local",
        "entry", "exit", "point", "submode", "when", "do", "skip", "bool", "true", "false", "de", "dx", "initialised",
        "pause", "override", "in", "and", "or", "not", "array", "of",
    }
)  # fmt: skip


class Parser:
    def __init__(self, text: str, file: str, sources: Sources, start: int = 0, *, partial: bool = False) -> None:
        self.text = text
        self.sources = sources
        self.tokens = tokens_of(text, file, sources, start, partial=partial)
        self.index = 0
        self.depth = 0

    # --- tokens -------------------------------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    def error(self, message: str, span: Span | None = None, hint: str | None = None) -> ModelError:
        return self.sources.error(message, span or self.token.span, hint)

    def shown(self) -> str:
        return f"'{self.token.text}'" if self.token.text else "the end of the file"

    def accept(self, kind: str) -> bool:
        if self.token.kind == kind or (self.token.kind == "name" and self.token.text == kind):
            self.index += 1
            return True
        return False

    def expect(self, kind: str, where: str) -> Token:
        token = self.token
        if not self.accept(kind):
            raise self.error(f"expected '{kind}' {where}, found {self.shown()}")
        return token

    def at_word(self, *words: str) -> bool:
        return self.token.kind == "name" and self.token.text in words

    def name(self, what: str) -> Name:
        token = self.token
        if token.kind != "name" or token.text in KEYWORDS:
            raise self.error(f"expected {what}, found {self.shown()}")
        self.index += 1
        return Name(token.text, token.span)

    def names(self, what: str) -> list[Name]:
        found = [self.name(what)]
        while self.accept(","):
            found.append(self.name(what))
        return found

    # --- the file -----------------------------------------------------------------------------------------------------

    def file(self) -> File:
        file = File()
        while self.token.kind != "end":
            if self.accept("const"):
                name = self.name("the name of a constant")
                self.expect("==", "before the value")
                file.constants.append((name, self.expression()))
                self.expect(";", "after the constant")
            elif self.accept("enum"):
                name = self.name("the name of an enumeration")
                self.expect("{", "before the values")
                values = tuple(self.names("the name of a value"))
                self.expect("}", "after the values")
                self.accept(";")
                file.enumerations.append((name, values))
            elif self.accept("var"):
                file.variables += self.variables(read=True, write=True, start=True)
            elif self.accept("mode"):
                file.modes.append(self.mode())
            elif self.accept("system"):
                self.system(file)
            elif self.at_word("invariant", "ltl"):
                file.properties.append(self.property())
            elif self.accept("refinement"):
                file.refinements.append(self.refinement(premises=False))
            elif self.accept("assume_guarantee"):
                file.refinements.append(self.refinement(premises=True))
            else:
                hint = "a file has const, enum, var, mode, system, invariant, ltl, refinement and assume_guarantee"
                raise self.error(f"expected a declaration, found {self.shown()}", hint=hint)
        return file

    def variables(self, *, read: bool, write: bool, start: bool) -> list[VariableText]:
        names = self.names("the name of a variable")
        self.expect(":", "before the type")
        type_ = self.type()
        value = None
        if self.token.kind == "==":
            if not start:
                hint = "the variable itself is declared, with its start value, by var or local further out"
                raise self.error("a read or write variable has no start value here", hint=hint)
            self.index += 1
            value = self.values()
        self.expect(";", "after the declaration")
        return [VariableText(name, type_, value, read, write) for name in names]

    def values(self) -> Expression:
        """A start value; of an array also one for each element: ``{1, 2, 3}``."""
        first = self.token.span
        if not self.accept("{"):
            return self.expression()
        items = [self.expression()]
        while self.accept(","):
            items.append(self.expression())
        last = self.expect("}", "after the start values").span
        return Expression("list", "{", tuple(items), first.to(last))

    def type(self) -> TypeText:
        token = self.token
        if self.accept("array"):
            self.expect("[", "before the number of elements")
            length = self.expression()
            self.expect("]", "after the number of elements")
            self.expect("of", "before the type of the elements")
            if self.at_word("array"):
                raise self.error("an array contains no arrays")
            inner = self.type()
            return TypeText(inner.name, inner.low, inner.high, token.span.to(inner.span), length)
        if self.accept("bool"):
            return TypeText("bool", None, None, token.span)
        if token.kind == "name" and self.tokens[self.index + 1].kind != "..":
            name = self.name("a type")
            return TypeText(name.text, None, None, name.span)
        low = self.binary(6)
        self.expect("..", "in the range")
        high = self.binary(6)
        return TypeText("", low, high, token.span.to(high.span))

    def mode(self) -> ModeText:
        mode = ModeText(self.name("the name of a mode"))
        self.expect("{", "before what the mode contains")
        while not self.accept("}"):
            if self.at_word("read", "write"):
                read, write = self.accept("read"), self.accept("write")
                mode.parameters += self.variables(read=read, write=write, start=False)
            elif self.accept("local"):
                mode.locals += self.variables(read=True, write=True, start=True)
            elif self.accept("entry"):
                mode.entries += self.names("the name of an entry point")
                self.expect(";", "after the entry points")
            elif self.accept("exit"):
                mode.exits += self.names("the name of an exit point")
                self.expect(";", "after the exit points")
            elif self.accept("point"):
                mode.points += self.names("the name of a point")
                self.expect(";", "after the points")
            elif self.accept("submode"):
                mode.instances.append(self.instance(initialised=False))
            elif self.token.kind == "name" and (
                self.token.text not in KEYWORDS or self.at_word("de", "dx", "override")
            ):
                mode.transitions.append(self.transition())
            else:
                hint = "a mode has read, write, local, entry, exit, point, submode, and transitions FROM -> TO"
                raise self.error(f"expected something of a mode, found {self.shown()}", hint=hint)
        mode.end = self.tokens[self.index - 1].span
        return mode

    def instance(self, *, initialised: bool) -> InstanceText:
        name = self.name("the name of an instance")
        self.expect(":", "before the mode of the instance")
        mode = self.name("the name of a mode")
        bindings = []
        if self.accept("("):
            while not self.accept(")"):
                formal = self.name("the name of a variable of the mode")
                self.expect("==", "before what it stands for")
                bindings.append((formal, self.expression()))
                if self.token.kind != ")":
                    self.expect(",", "between two variables")
        self.expect(";", "after the instance")
        return InstanceText(name, mode, tuple(bindings), initialised)

    def system(self, file: File) -> None:
        token = self.token
        if file.system:
            raise self.error("there is a system already", token.span)
        self.expect("{", "before the modes of the system")
        while not self.accept("}"):
            initialised = self.accept("initialised")
            file.system.append(self.instance(initialised=initialised))

    def property(self) -> PropertyText:
        kind = self.token.text
        start = self.token.span
        self.index += 1
        name = self.name("a name for the property")
        self.expect(":", "before the property")
        first = self.token.start
        expression = None
        if kind == "invariant":
            expression = self.expression()
        else:
            while self.token.kind not in (";", "end"):
                self.index += 1
        text = self.text[first : self.token.start].strip()
        end = self.tokens[self.index - 1].span
        self.expect(";", "after the property")
        return PropertyText(kind, name, expression, text, start.to(end))

    def refinement(self, *, premises: bool) -> RefinementText:
        start = self.token
        name = self.name("a name for the refinement")
        self.expect(":", "before the modes")
        first = self.token.start
        implementation = self.together()
        self.expect("refines", "between the modes")
        specification = self.together()
        last = self.tokens[self.index - 1]
        self.expect(";", "after the refinement")
        text = " ".join(self.text[first : last.end].split())
        if len(implementation) != len(specification):
            raise self.error("there are as many modes on both sides of refines", start.span.to(last.span))
        if premises and len(implementation) < 2:
            hint = "write refinement NAME: A refines B;"
            raise self.error("the assume-guarantee rule is about modes that run together", start.span, hint)
        return RefinementText(name, implementation, specification, text, start.span.to(last.span), premises)

    def together(self) -> tuple[Name, ...]:
        """``A | B``."""
        found = [self.name("the name of a mode")]
        while self.accept("||"):
            found.append(self.name("the name of a mode"))
        return tuple(found)

    # --- transitions --------------------------------------------------------------------------------------------------

    def transition(self) -> TransitionText:
        first = self.token
        overrides = self.accept("override")
        label = ""
        if self.tokens[self.index + 1].kind == ":":
            label = self.name("the name of a transition").text
            self.index += 1
        source = self.place()
        self.expect("->", "between the two ends of a transition")
        target = self.place()
        shown = self.index
        guard = self.expression() if self.accept("when") else None
        # A named transition is known by its name; what it changes is shown beside it.
        shown = shown if label else self.index
        actions: list[AssignmentText] = []
        if self.accept("do") and not self.accept("skip"):
            while True:
                name = self.name("a variable")
                index = None
                if self.accept("["):
                    index = self.expression()
                    self.expect("]", "after the index")
                self.expect(":=", "in the assignment")
                actions.append(AssignmentText(name, index, self.expression()))
                if not self.accept(","):
                    break
        pause = self.accept("pause")
        last = self.tokens[self.index - 1]
        self.expect(";", "after the transition")
        text = " ".join(self.text[first.start : self.tokens[shown - 1].end].split())
        span = first.span.to(last.span)
        return TransitionText(label, source, target, guard, tuple(actions), pause, span, text, overrides)

    def place(self) -> Place:
        token = self.token
        first = self.place_name()
        if not self.accept("."):
            return Place("", first, token.span)
        last = self.token
        return Place(first, self.place_name(), token.span.to(last.span))

    def place_name(self) -> str:
        if self.at_word("de", "dx"):
            self.index += 1
            return self.tokens[self.index - 1].text
        return self.name("a control point").text

    # --- expressions --------------------------------------------------------------------------------------------------

    def expression(self) -> Expression:
        condition = self.binary(1)
        if not self.accept("?"):
            return condition
        then = self.expression()
        self.expect(":", "between the two values of a choice")
        otherwise = self.expression()
        return Expression("choice", "?", (condition, then, otherwise), condition.span.to(otherwise.span))

    def binary(self, lowest: int) -> Expression:
        left = self.unary()
        while (strength := _STRENGTH.get(self.token.kind, 0)) >= lowest:
            operator = self.token.kind
            self.index += 1
            right = self.binary(strength + 1)
            left = Expression(operator, operator, (left, right), left.span.to(right.span))
        return left

    def unary(self) -> Expression:
        token = self.token
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.error("the expression is nested too deeply")
        try:
            if token.kind in ("!", "-"):
                self.index += 1
                operand = self.unary()
                kind = "not" if token.kind == "!" else "minus"
                return Expression(kind, token.kind, (operand,), token.span.to(operand.span))
            if token.kind == "(":
                self.index += 1
                inner = self.expression()
                self.expect(")", "after the expression")
                return inner
            if token.kind == "number":
                self.index += 1
                return Expression("number", token.text, (), token.span)
            if self.at_word("true", "false"):
                self.index += 1
                return Expression("name", token.text, (), token.span)
            if self.at_word("in", "In"):
                return self.inside()
            name = self.name("a value")
            if self.token.kind == "[" and self.tokens[self.index + 1].kind != "]":
                self.index += 1
                index = self.expression()
                last = self.expect("]", "after the index").span
                return Expression("element", name.text, (index,), name.span.to(last))
            return Expression("name", name.text, (), name.span)
        finally:
            self.depth -= 1

    def inside(self) -> Expression:
        """``in(mode.instance.point)``."""
        first = self.token.span
        self.index += 1
        self.expect("(", "after 'in'")
        path = [self.place_name()]
        while self.accept("."):
            path.append(self.place_name())
        end = self.expect(")", "after the place").span
        return Expression("inside", ".".join(path), (), first.to(end))
