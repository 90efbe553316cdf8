"""Scripts of CSP-M: declarations, modules, timed sections, assertions, type annotations."""

from __future__ import annotations

from dataclasses import dataclass

from kripke.deadline import current
from kripke.languages.cspm.expressions import DOT, Expressions
from kripke.languages.cspm.lexer import Tokens, add_tokens, tokenize
from kripke.languages.cspm.syntax import (
    Annotation,
    Apply,
    Assertion,
    Binary,
    Both,
    Channels,
    Character,
    Clause,
    Collection,
    Constructor,
    Datatype,
    Declaration,
    Dots,
    Expr,
    Function,
    Imported,
    Instance,
    Module,
    Name,
    Nametype,
    Number,
    Option,
    PatternBinding,
    Print,
    Text,
    Timed,
    TupleOf,
    TypeNode,
    Unary,
    Wildcard,
)
from kripke.model.source import ModelError

CONSTRAINTS = frozenset({"Eq", "Ord", "Set", "Complete", "Inputable", "Yieldable"})
_TYPES = frozenset({"Int", "Bool", "Char", "Proc", "Event", "Events"})
#: the models of refinement: traces, failures, revivals, refusal traces; with D divergences
REFINEMENTS = ("T", "F", "FD", "V", "VD", "R", "RD")
_CHECKS = {
    ("deadlock", "free"): "deadlock",
    ("divergence", "free"): "divergence",
    ("livelock", "free"): "divergence",
    ("deterministic",): "determinism",
    ("has", "trace"): "has trace",
}
_OPTIONS = {
    ("tau", "priority", "over"): "tau priority",
    ("tau", "priority"): "tau priority",
    ("partial", "order", "reduce"): "partial order reduce",
    ("symmetry", "reduce"): "symmetry reduce",
}


@dataclass
class Script:
    """A parsed script and the tokens its nodes point into."""

    path: str
    tokens: Tokens
    declarations: list[Declaration]


def parse(path: str, text: str | None = None, include_root: str | None = None) -> Script:
    tokens = tokenize(path, text, include_root)
    parser = _Parser(tokens)
    declarations = parser.declarations_until(("end",), "script")
    return Script(path, tokens, declarations)


def parse_expression(tokens: Tokens, text: str) -> Expr:
    """An expression that is not in the script. Its tokens come behind the others, so that errors find all places."""
    start = len(tokens.kinds)
    add_tokens(tokens, "<expression>", text)
    parser = _Parser(tokens)
    parser.at = start
    found = parser.expression()
    if parser.kinds[parser.at] != "end":
        raise parser.error(f"expected the end of the expression, found {parser.shown()}")
    return found


class _Parser(Expressions):
    def __init__(self, tokens: Tokens) -> None:
        super().__init__(tokens, lambda: self.declarations_until(("within",), "let"))

    def declarations_until(self, ends: tuple[str, ...], where: str) -> list[Declaration]:
        """``where``: script, module, let, or one of them in a timed section ("script timed")."""
        found: list[Declaration] = []
        while self.kinds[self.at] not in ends:
            start = self.at
            if found and not self.tokens.broken[start] and not isinstance(found[-1], Timed):
                raise self.error(f"expected the end of the line after a declaration, found {self.shown()}")
            declaration = self._declaration(where)
            self._join(found, declaration)
        return found

    def _join(self, found: list[Declaration], new: Declaration) -> None:
        """Clauses of one function stand together."""
        last = found[-1] if found else None
        if (
            isinstance(new, Function)
            and isinstance(last, Function)
            and new.name == last.name
            and new.clauses[0].groups
            and last.clauses[0].groups
        ):
            self._same_shape(last.clauses[0], new.clauses[0], new.name)
            last.clauses.extend(new.clauses)
            last.last = new.last
            return
        if isinstance(new, Channels | Datatype) and len(found) > 1:
            before = found[-2]
            if isinstance(last, Annotation) and isinstance(before, Annotation) and before.names != last.names:
                raise self.error(
                    "type annotations of names that are declared together stand together", before.first, "a, b :: T"
                )
        found.append(new)

    def _same_shape(self, one: Clause, other: Clause, name: str) -> None:
        if [len(group) for group in one.groups] != [len(group) for group in other.groups]:
            raise self.error(f"the equations of {name} have different numbers of arguments", other.first)

    # ---- declarations ----

    def _declaration(self, where: str) -> Declaration:
        current()()
        first, kind = self.at, self.kinds[self.at]
        inner = where.split()[0]
        if kind in ("channel", "datatype", "subtype", "nametype", "module", "instance", "assert", "print"):
            if inner == "let":
                raise self.error(f"{kind} is not allowed inside let", hint="move it to the top of the script")
            if kind in ("assert", "print") and where != "script" and (kind == "print" or inner == "module"):
                raise self.error(f"{kind} is allowed at the top of a script only")
        match kind:
            case "channel":
                return self._channel()
            case "datatype" | "subtype":
                return self._datatype(kind == "subtype")
            case "nametype":
                self.at += 1
                name = self.name("the name of a type")
                self.expect("=", "after the name")
                expression = self.expression()
                return Nametype(first, self.at - 1, name, expression)
            case "transparent" | "external":
                self.at += 1
                names = self._names("a function")
                return Imported(first, self.at - 1, kind, names)
            case "assert":
                return self._assertion()
            case "print":
                self.at += 1
                expression = self._plain(self.expression())
                return Print(first, self.at - 1, expression, self.tokens.text(first + 1, self.at - 1))
            case "module":
                return self._module()
            case "instance":
                return self._instance()
            case "Timed":
                return self._timed(where)
        if kind == "id" and self._annotated():
            return self._annotation()
        return self._definition()

    def _names(self, what: str) -> list[str]:
        names = [self.name(f"the name of {what}")]
        while self.kinds[self.at] == ",":
            self.at += 1
            names.append(self.name(f"the name of {what}"))
        return names

    def _channel(self) -> Declaration:
        first = self.at
        self.at += 1
        names = self._names("a channel")
        kind: Expr | None = None
        if self.kinds[self.at] == ":":
            self.at += 1
            kind = self._plain(self.expression())
        return Channels(first, self.at - 1, names, kind)

    def _datatype(self, subtype: bool) -> Declaration:
        first = self.at
        self.at += 1
        name = self.name("the name of a type")
        self.expect("=", "after the name")
        constructors = [self._constructor()]
        while self.kinds[self.at] == "|":
            self.at += 1
            constructors.append(self._constructor())
        return Datatype(first, self.at - 1, name, constructors, subtype)

    def _constructor(self) -> Constructor:
        first = self.at
        name = self.name("a constructor")
        while self.kinds[self.at] == "::" and self.kinds[self.at + 1] == "id":
            name += "::" + self.tokens.texts[self.at + 1]
            self.at += 2
        fields: Expr | None = None
        if self.kinds[self.at] == ".":
            self.at += 1
            fields = self._plain(self.expression(DOT))
        return Constructor(first, self.at - 1, name, fields)

    def _module(self) -> Declaration:
        first = self.at
        self.at += 1
        name = self.name("the name of a module")
        parameters: list[Expr] = []
        if self.kinds[self.at] == "(":
            self.at += 1
            self._within_brackets(")", "after the parameters", lambda: self._items(parameters, ")"))
        for parameter in parameters:
            self.check_pattern(parameter)
        private = self.declarations_until(("exports", "endmodule", "end"), "module")
        exported: list[Declaration] = []
        if self.kinds[self.at] == "exports":
            self.at += 1
            exported = self.declarations_until(("endmodule", "end"), "module")
        self.expect("endmodule", "at the end of a module")
        return Module(first, self.at - 1, name, parameters, private, exported)

    def _instance(self) -> Declaration:
        first = self.at
        self.at += 1
        name = self.name("the name of an instance")
        self.expect("=", "after the name")
        module = self._operand()
        if not isinstance(module, Name):
            raise self.error("expected the name of a module", module.first)
        arguments: list[Expr] = []
        if self.kinds[self.at] == "(" and not self.tokens.broken[self.at]:
            self.at += 1
            self._within_brackets(")", "after the arguments", lambda: self._items(arguments, ")"))
        return Instance(first, self.at - 1, name, module.name, arguments)

    def _timed(self, where: str) -> Declaration:
        first = self.at
        self.at += 1
        duration: Expr | None = None
        if self.kinds[self.at] == "(":
            self.at += 1
            found: list[Expr] = []
            self._within_brackets(")", "after the duration", lambda: found.append(self.expression()))
            duration = found[0]
        self.expect("{", "before the declarations of a timed section")
        saved = self.bracketed, self.in_sequence
        self.bracketed = self.in_sequence = False
        declarations = self.declarations_until(("}", "end"), f"{where} timed")
        self.bracketed, self.in_sequence = saved
        self.expect("}", "at the end of a timed section")
        return Timed(first, self.at - 1, duration, declarations)

    def _definition(self) -> Declaration:
        first = self.at
        left = self.expression()
        if self.kinds[self.at] != "=":
            raise self.error(
                f"expected '=' after the left side of a definition, found {self.shown()}",
                hint="a definition is name = expression; a line end ends it",
            )
        self.at += 1
        groups: list[list[Expr]] = []
        head = left
        while isinstance(head, Apply):
            groups.insert(0, head.arguments)
            head = head.function
        if isinstance(head, Name) and (groups or head is left):
            if "::" in head.name:
                raise self.error("a qualified name cannot be defined", first)
            for group in groups:
                for pattern in group:
                    self.check_pattern(pattern)
            body = self._plain(self.expression())
            return Function(first, self.at - 1, head.name, [Clause(first, self.at - 1, groups, body)])
        self.check_pattern(left)
        body = self._plain(self.expression())
        return PatternBinding(first, self.at - 1, left, body)

    # ---- patterns ----

    def check_pattern(self, pattern: Expr) -> None:
        match pattern:
            case Name() | Wildcard() | Number() | Text() | Character():
                return
            case Unary(operator="-", operand=Number()):
                return
            case TupleOf(items=items) | Dots(items=items):
                for item in items:
                    self.check_pattern(item)
                return
            case Collection(bracket="seq", items=items, statements=None):
                for item in items:
                    self.check_pattern(item)
                return
            case Collection(bracket="set", items=items, statements=None) if len(items) < 2:
                for item in items:
                    self.check_pattern(item)
                return
            case Binary(operator="^", left=left, right=right) | Both(left=left, right=right):
                self.check_pattern(left)
                self.check_pattern(right)
                return
        raise self.error("this is no pattern", pattern.first, "patterns are names, literals, tuples, sequences, dots")

    def _plain(self, expression: Expr) -> Expr:
        """Wildcards and ``@@`` are for patterns; the type checker and the evaluator refuse them elsewhere."""
        if isinstance(expression, Wildcard | Both):
            raise self.error("this is a pattern, not a value", expression.first)
        return expression

    # ---- assertions ----

    def _assertion(self) -> Declaration:
        first = self.at
        self.at += 1
        negated = False
        if self.kinds[self.at] == "not":
            negated = True
            self.at += 1
        left = self.expression()
        kind, model = "refinement", "FD"
        right: Expr | None = None
        if self.kinds[self.at] == "model":
            model = self.tokens.texts[self.at][1:-1]
            if model not in REFINEMENTS:
                raise self.error(
                    f"the model [{model}= is not supported", hint="use [T=, [F=, [FD=, [V=, [VD=, [R= or [RD="
                )
            self.at += 1
            right = self.expression()
        elif self.kinds[self.at] == ":[":
            kind, model = self._property()
            if kind == "has trace":
                right = self.expression()
        else:
            raise self.error(
                f"expected a refinement such as [T= or a property such as :[deadlock free], found {self.shown()}"
            )
        options: list[Option] = []
        while self.kinds[self.at] == ":[":
            option = self._option()
            if any(option.name == other.name for other in options):
                raise self.error(f"{option.name} is given twice", option.first)
            options.append(option)
        text = self.tokens.text(first + 1, self.at - 1)
        return Assertion(first, self.at - 1, negated, kind, model, left, right, options, text)

    def _words(self) -> tuple[str, ...]:
        words: list[str] = []
        while self.kinds[self.at] == "id":
            words.append(self.tokens.texts[self.at])
            self.at += 1
            if self.kinds[self.at] == "-":  # deadlock-free
                self.at += 1
        return tuple(words)

    def _bracketed_model(self) -> str:
        """``[F]`` inside a property; its closing bracket may be joined to that of the property."""
        self.at += 1
        model = self.name("a model: T, F or FD")
        if self.kinds[self.at] == "]]":
            self.at += 1
            return model + "]"
        self.expect("]", "after the model")
        return model

    def _property(self) -> tuple[str, str]:
        first = self.at
        self.at += 1
        words = self._words()
        kind = _CHECKS.get(words)
        if kind is None:
            raise self.error(
                f"there is no property '{' '.join(words)}'",
                first,
                "deadlock free, divergence free, livelock free, deterministic, has trace",
            )
        model, closed = {"has trace": "T"}.get(kind, "FD"), False
        if self.kinds[self.at] == "[":
            model = self._bracketed_model()
            closed = model.endswith("]")
            model = model.rstrip("]")
            if model not in ("T", "F", "FD"):
                raise self.error(f"the model {model} is not supported", first, "use T, F or FD")
        if not closed:
            self.expect("]", "after the property")
        if self.kinds[self.at] == ":" and kind == "has trace":
            self.at += 1
        return kind, model

    def _option(self) -> Option:
        first = self.at
        self.at += 1
        words = self._words()
        name = _OPTIONS.get(words)
        if name is None:
            raise self.error(f"there is no option '{' '.join(words)}'", first, "tau priority, partial order reduce")
        if self.kinds[self.at] == "[":
            if not self._bracketed_model().endswith("]"):
                self.expect("]", "after the option")
        else:
            self.expect("]", "after the option")
        argument: Expr | None = None
        if self.kinds[self.at] == ":":
            self.at += 1
            argument = self.expression()
        return Option(first, self.at - 1, name, argument)

    # ---- type annotations ----

    def _annotated(self) -> bool:
        at = self.at
        while self.kinds[at] == "id" and self.kinds[at + 1] == ",":
            at += 2
        return self.kinds[at] == "id" and self.kinds[at + 1] == "::"

    def _annotation(self) -> Declaration:
        first = self.at
        names = self._names("what is annotated")
        self.expect("::", "before a type")
        saved = self.bracketed
        constraints: list[tuple[str, TypeNode]] = []
        if (
            self.kinds[self.at] == "id"
            and self.tokens.texts[self.at] in CONSTRAINTS
            and self.kinds[self.at + 1] == "id"
        ):
            constraints.append(self._constraint())
            self.expect("=>", "after the constraints")
        elif self.kinds[self.at] == "(" and self.tokens.texts[self.at + 1] in CONSTRAINTS:
            self.at += 1
            constraints.append(self._constraint())
            while self.kinds[self.at] == ",":
                self.at += 1
                constraints.append(self._constraint())
            self.expect(")", "after the constraints")
            self.expect("=>", "after the constraints")
        self.bracketed = saved
        kind = self._type()
        return Annotation(first, self.at - 1, names, constraints, kind)

    def _constraint(self) -> tuple[str, TypeNode]:
        name = self.name("a constraint")
        if name not in CONSTRAINTS:
            raise self.error(f"there is no constraint {name}", self.at - 1, ", ".join(sorted(CONSTRAINTS)))
        return name, self._type_atom()

    def _type(self) -> TypeNode:
        first = self.at
        left = self._type_dots()
        kind = self.kinds[self.at]
        if kind == "->":
            if left.form != "tuple" or not self.kinds[left.last] == ")":
                raise self.error("the arguments of a function type stand in brackets", first, "(Int) -> Bool")
            self.at += 1
            result = self._type()
            return TypeNode(first, self.at - 1, "function", "", [*left.parts, result])
        if kind in ("=>", "=>*"):
            self.at += 1
            right = self._type()
            return TypeNode(first, self.at - 1, "dotable" if kind == "=>" else "extendable", "", [left, right])
        return left

    def _type_dots(self) -> TypeNode:
        first = self.at
        left = self._type_atom()
        if self.kinds[self.at] == ".":
            self.at += 1
            right = self._type_dots()
            return TypeNode(first, self.at - 1, "dot", "", [left, right])
        return left

    def _type_list(self, close: str) -> list[TypeNode]:
        parts: list[TypeNode] = []
        if self.kinds[self.at] != close:
            parts.append(self._type())
            while self.kinds[self.at] == ",":
                self.at += 1
                parts.append(self._type())
        self.expect(close, "in a type")
        return parts

    def _type_atom(self) -> TypeNode:
        first, kind = self.at, self.kinds[self.at]
        if kind == "id":
            node = self._operand()
            assert isinstance(node, Name)
            form = "var" if node.name[0].islower() and node.name not in _TYPES else "name"
            return TypeNode(first, self.at - 1, form, node.name, [])
        self.at += 1
        if kind == "(":
            parts = self._type_list(")")
            return TypeNode(first, self.at - 1, "tuple", "", parts)
        if kind == "<":
            parts = self._type_list(">")
            return TypeNode(first, self.at - 1, "seq", "", parts)
        if kind == "{":
            parts = self._type_list("}")
            return TypeNode(first, self.at - 1, "set", "", parts)
        if kind == "(|":
            key = self._type_dots()
            self.expect("=>", "between the types of keys and values")
            value = self._type()
            self.expect("|)", "after the type of a map")
            return TypeNode(first, self.at - 1, "map", "", [key, value])
        self.at = first
        raise self.error(f"expected a type, found {self.shown()}")


def error_at(script: Script, message: str, node: Expr | Declaration, hint: str | None = None) -> ModelError:
    return script.tokens.sources.error(message, script.tokens.span(node.first, node.last), hint)
