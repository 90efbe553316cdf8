"""Names and types of expressions: from syntax to terms.

Functions are expanded where they are called and quantifiers where they stand, so that terms know neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from kripke.languages.maria.scopes import Scope, TypeResolver
from kripke.languages.maria.syntax import FunctionDeclaration, Syntax
from kripke.model.source import Sources, Span
from kripke.nets.high_level.evaluation import EvaluationError, convert, evaluator, fold
from kripke.nets.high_level.terms import FALSE, TRUE, Term, constant, negated
from kripke.nets.high_level.types import (
    BOOL,
    CHAR,
    INT,
    NUMERIC,
    UNSIGNED,
    ArrayType,
    BufferType,
    NumberType,
    StructType,
    Type,
    UnionType,
    castable,
)

SET_KINDS = frozenset({"empty", "list", "sum", "place", "filter", "map", "mapeach"})
MOST_EXPANDED = 200_000  # values a quantifier may run over
MOST_RESOLVED = 1_000_000  # expressions of a net, with functions and quantifiers expanded
MOST_NODES = 1_000_000  # of a term
_DEEPEST_CALL = 60


@dataclass(frozen=True, slots=True)
class Quantifier:
    name: str
    type: Type
    value: object


@dataclass(frozen=True, slots=True)
class Context:
    """Where an expression stands.

    ``names``: parameters and iterators. ``variable`` finds or makes a variable of the transition; ``functions`` are
    those of the transition. ``places``: what ``place p`` means here, "place", "taken" or "" (nothing).
    ``output`` makes an output variable.
    """

    scope: Scope
    names: Mapping[str, Term] = field(default_factory=dict)
    quantifiers: tuple[Quantifier, ...] = ()
    variable: Callable[[str, Type | None, Span], Term | None] | None = None
    functions: Mapping[str, tuple[FunctionDeclaration, Scope]] = field(default_factory=dict)
    output: Callable[[Syntax, Context], Term] | None = None
    places: str = ""
    calls: int = 0


class ValueResolver(TypeResolver):
    """Terms with a single value. ``slots`` numbers variables; slot 0 is taken."""

    def __init__(self, sources: Sources, place_types: list[Type]) -> None:
        super().__init__(sources)
        self.place_types = place_types
        self.slots = 1
        self.resolved = 0
        self.gathered = 0

    def new_slot(self) -> int:
        self.slots += 1
        return self.slots - 1

    def constant(self, syntax: Syntax, type_: Type, scope: Scope) -> Term:
        term = self.typed(syntax, type_, Context(scope))
        if term.operator != "const":
            try:
                return constant(type_, evaluator(term)([None], []), syntax.span)
            except EvaluationError as error:
                raise self.error(str(error), syntax.span) from None
            except IndexError:
                raise self.error("a constant expected", syntax.span) from None
        return term

    def tokens(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        """The term of a multi-set; of tokens of ``type_`` where it is given."""
        raise NotImplementedError

    def set_type(self, syntax: Syntax, context: Context) -> Type | None:
        """The type of the tokens of a multi-set, as far as places tell it."""
        raise NotImplementedError

    # --- conversion ---------------------------------------------------------------------------------------------------

    def typed(self, syntax: Syntax, type_: Type, context: Context) -> Term:
        return self.coerced(self.value(syntax, type_, context), type_, syntax.span)

    def coerced(self, term: Term, type_: Type, span: Span) -> Term:
        if term.type is type_:
            return term
        if term.operator in ("undefined", "fatal"):
            return Term(term.operator, type_, span=span)
        if not castable(term.type, type_):
            raise self.error(f"{called(term.type)} is no {called(type_)}", span)
        if term.operator == "const":
            try:
                return constant(type_, convert(term.type, type_, term.detail), span)
            except EvaluationError:
                raise self.error(f"{term.type.show(term.detail)} is no value of {called(type_)}", span) from None
        return Term("cast", type_, (term,), span=span)

    def condition(self, syntax: Syntax, context: Context) -> Term:
        term = self.value(syntax, BOOL, context)
        if term.operator in ("undefined", "fatal"):
            return Term(term.operator, BOOL, span=syntax.span)
        if term.type.kind != "bool":
            raise self.error(f"a truth value expected, this is a {called(term.type)}", syntax.span)
        return term

    def integer(self, syntax: Syntax, context: Context) -> Term:
        """A number; what is none but can be one becomes unsigned."""
        term = self.value(syntax, None, context)
        if term.operator in ("undefined", "fatal"):
            return Term(term.operator, UNSIGNED, span=syntax.span)
        if term.type.kind not in NUMERIC:
            raise self.error(f"a number expected, this is a {called(term.type)}", syntax.span)
        return term

    # --- values -------------------------------------------------------------------------------------------------------

    def value(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        """The term of an expression in its own type; ``type_`` is what the context expects, if it is known."""
        self.resolved += 1
        if self.resolved > MOST_RESOLVED:
            raise self.error("functions and quantifiers make this net too large", syntax.span)
        maker = getattr(self, f"_{syntax.kind}", None)
        if maker is None:
            if syntax.kind in SET_KINDS:
                raise self.error("a single value expected, this is a multi-set", syntax.span)
            raise self.error("temporal operators belong to formulas, not to models", syntax.span)
        term: Term = fold(maker(syntax, type_, context))
        if term.size > MOST_NODES:
            raise self.error("this expression is too large", syntax.span)
        return term

    def _number(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        return constant(UNSIGNED, syntax.number, syntax.span)

    def _char(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        return constant(CHAR, syntax.number, syntax.span)

    def _true(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        return TRUE

    def _false(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        return FALSE

    def _undefined(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        return Term(syntax.kind, type_ or BOOL, span=syntax.span)

    _fatal = _undefined

    def _count(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        count = self.named_type(syntax.name, context.scope, syntax.span).count
        if count > UNSIGNED.ranges[0][1]:
            raise self.error("this type has too many values to count", syntax.span)
        return constant(UNSIGNED, count, syntax.span)

    def _least(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        named = self.named_type(syntax.name, context.scope, syntax.span)
        if not named.ordered:
            raise self.error("identifiers have no order", syntax.span)
        return constant(named, named.value(0 if syntax.kind == "least" else named.count - 1), syntax.span)

    _greatest = _least

    def _atom(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        term = self.value(syntax.operands[0], type_, context)
        # a disjunction of one is not taken apart
        return Term("or", BOOL, (term,), span=syntax.span) if term.operator == "and" else term

    def _name(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        name, span = syntax.name, syntax.span
        if name in context.names:
            return context.names[name]
        if context.variable is not None and (known := context.variable(name, None, span)) is not None:
            return known
        function = context.functions.get(name) or context.scope.function(name)
        if function is not None and not function[0].parameters:
            return self._called(function, (), syntax, context)
        if isinstance(type_, NumberType) and name in type_.names:
            return constant(type_, type_.names[name], span)
        if context.places == "place" and name in context.scope.propositions:
            body = context.scope.propositions[name]
            return self.condition(body, replace(context, names={}, quantifiers=(), calls=self._deeper(syntax, context)))
        if context.variable is not None and type_ is not None:
            made = context.variable(name, type_, span)
            if made is not None:
                return made
        hint = f"where the type is not known, write: is TYPE {name}" if type_ is None else None
        raise self.error(f"there is no {name} here", span, hint)

    def _deeper(self, syntax: Syntax, context: Context) -> int:
        if context.calls >= _DEEPEST_CALL:
            raise self.error("functions call each other too deeply", syntax.span)
        return context.calls + 1

    def _call(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        return self._called(self._function(syntax, context), syntax.operands, syntax, context)

    def _function(self, syntax: Syntax, context: Context) -> tuple[FunctionDeclaration, Scope]:
        function = context.functions.get(syntax.name) or context.scope.function(syntax.name)
        if function is None:
            raise self.error(f"there is no function {syntax.name}", syntax.span)
        expected = len(function[0].parameters)
        if len(syntax.operands) != expected:
            raise self.error(f"{syntax.name} takes {expected} arguments, not {len(syntax.operands)}", syntax.span)
        return function

    def _body_context(
        self,
        function: tuple[FunctionDeclaration, Scope],
        arguments: tuple[Syntax, ...],
        syntax: Syntax,
        context: Context,
    ) -> Context:
        declaration, scope = function
        names = {}
        for (parameter_type, name), argument in zip(declaration.parameters, arguments, strict=True):
            names[name] = self.typed(argument, self.named_type(parameter_type, scope, declaration.span), context)
        return replace(context, scope=scope, names=names, quantifiers=(), calls=self._deeper(syntax, context))

    def _called(
        self,
        function: tuple[FunctionDeclaration, Scope],
        arguments: tuple[Syntax, ...],
        syntax: Syntax,
        context: Context,
    ) -> Term:
        declaration, scope = function
        inner = self._body_context(function, arguments, syntax, context)
        return self.typed(declaration.body, self.named_type(declaration.type, scope, declaration.span), inner)

    # --- operators ----------------------------------------------------------------------------------------------------

    def _unary(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        (operand,), span = syntax.operands, syntax.span
        match syntax.name:
            case "!":
                return negated(self.condition(operand, context))
            case "+" | "|":
                term = self.value(operand, type_, context)
                if not term.type.ordered:
                    raise self.error("identifiers have no order", span)
                return Term("succ" if syntax.name == "+" else "pred", term.type, (term,), span=span)
            case "cardinality" | "max" | "min":
                tokens = self.tokens(operand, self.set_type(operand, context), context)
                return Term(syntax.name, UNSIGNED, (tokens,), span=span)
            case "~":
                term = self._arithmetic_operand(self.integer(operand, context), span)
                return Term("~", term.type, (term,), span=span)
        buffer, at = self._buffer(operand, type_, context)
        if isinstance(buffer.type, BufferType):
            match syntax.name:
                case "*":
                    return Term("peek", buffer.type.item, (buffer, at), span=span)
                case "-":
                    one = constant(UNSIGNED, 1)
                    return Term("remove", buffer.type, (buffer, one, at), span=span)
                case "/" | "%":
                    return Term("used" if syntax.name == "/" else "free", UNSIGNED, (buffer,), span=span)
        if syntax.name != "-":
            raise self.error("a buffer expected", operand.span)
        if buffer.type.kind not in NUMERIC:
            raise self.error("a number or a buffer expected", operand.span)
        term = self._arithmetic_operand(buffer, span)
        return Term("neg", INT, (term,), span=span)

    def _buffer(self, syntax: Syntax, type_: Type | None, context: Context) -> tuple[Term, Term]:
        """A value, and where it is an item of a buffer, ``b[i]``, the buffer and the position."""
        if syntax.kind == "index":
            outer = self.value(syntax.operands[0], None, context)
            if isinstance(outer.type, BufferType):
                position = self.coerced(self.integer(syntax.operands[1], context), UNSIGNED, syntax.span)
                return outer, position
        wanted = type_ if isinstance(type_, BufferType | ArrayType) else None
        return self.value(syntax, wanted, context), constant(UNSIGNED, 0)

    def _arithmetic_operand(self, term: Term, span: Span) -> Term:
        return self.coerced(term, INT if term.type.kind == "int" else UNSIGNED, span)

    def _binary(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        (left, right), span, operator = syntax.operands, syntax.span, syntax.name
        match operator:
            case "&&" | "||":
                parts = self.condition(left, context), self.condition(right, context)
                return junction("and" if operator == "&&" else "or", parts, span)
            case "=>":
                parts = negated(self.condition(left, context)), self.condition(right, context)
                return junction("or", parts, span)
            case "<=>" | "^^":
                both = self.condition(left, context), self.condition(right, context)
                same = fold(Term("==", BOOL, tuple(self.coerced(part, BOOL, span) for part in both), span=span))
                return same if operator == "<=>" else negated(same)
            case "==" | "!=" | "<" | ">" | "<=" | ">=":
                return self._comparison(syntax, context)
            case "equals" | "subset":
                wanted = self.set_type(left, context) or self.set_type(right, context)
                tokens = self.tokens(left, wanted, context)
                others = self.tokens(right, tokens.type, context)
                return Term(operator, BOOL, (tokens, others), span=span)
            case "union" | "minus" | "intersect" | "#":
                raise self.error("a single value expected, this is a multi-set", span)
        return self._arithmetic(syntax, type_, context)

    def _arithmetic(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        (left, right), span, operator = syntax.operands, syntax.span, syntax.name
        first, at = self._buffer(left, type_, context)
        if isinstance(first.type, BufferType):
            if operator == "+":
                item = self.typed(right, first.type.item, context)
                return Term("write", first.type, (first, item, at), span=span)
            if operator == "-":
                number = self.coerced(self.integer(right, context), UNSIGNED, span)
                return Term("remove", first.type, (first, number, at), span=span)
            raise self.error(f"{operator} has no meaning for buffers", span)
        if isinstance(first.type, ArrayType) and operator in ("<<", ">>"):
            number = self.coerced(self.integer(right, context), UNSIGNED, span)
            return Term("rotate", first.type, (first, number), 1 if operator == "<<" else -1, span=span)
        if first.operator in ("undefined", "fatal"):
            return Term(first.operator, type_ or UNSIGNED, span=span)
        if first.type.kind not in NUMERIC:
            raise self.error(f"a number expected, this is a {called(first.type)}", left.span)
        first = self._arithmetic_operand(first, left.span)
        second = self.coerced(self.integer(right, context), first.type, right.span)
        return Term(operator, first.type, (first, second), span=span)

    def _comparison(self, syntax: Syntax, context: Context) -> Term:
        (left, right), span = syntax.operands, syntax.span
        if left.kind == "compound" or (left.kind in ("undefined", "fatal")):
            second = self.value(right, None, context)
            first = self.value(left, second.type, context)
        else:
            first = self.value(left, None, context)
            second = self.value(right, first.type, context)
        if first.type is not second.type:
            if second.operator in ("const", "undefined", "fatal"):
                second = self.coerced(second, first.type, right.span)
            elif first.operator in ("const", "undefined", "fatal"):
                first = self.coerced(first, second.type, left.span)
            else:
                kinds = f"{called(first.type)} and {called(second.type)}"
                raise self.error(f"values of different types are compared: {kinds}", span, "cast one: is TYPE VALUE")
        operator = syntax.name
        if operator in ("==", "!="):
            same = fold(Term("==", BOOL, (first, second), span=span))
            return same if operator == "==" else negated(same)
        if not first.type.ordered:
            raise self.error("identifiers have no order", span)
        if operator in (">", "<="):
            first, second = second, first
        less = fold(Term("<", BOOL, (first, second), span=span))
        return less if operator in ("<", ">") else negated(less)

    def _if(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        condition = self._chooser(syntax, context)
        branches = list(syntax.operands[1:])
        if condition.operator == "const":
            chosen = branches[len(branches) - 1 - condition.type.index(condition.detail)]
            return self.value(chosen, type_, context)
        if type_ is None:
            terms = [self.value(branch, None, context) for branch in branches]
            typed = next((term.type for term in terms if term.operator not in ("undefined", "fatal")), BOOL)
        else:
            terms = [self.value(branch, type_, context) for branch in branches]
            typed = terms[0].type if all(term.type is terms[0].type for term in terms) else type_
        parts = [self.coerced(term, typed, branch.span) for term, branch in zip(terms, branches, strict=True)]
        return Term("if", typed, (condition, *parts), span=syntax.span)

    def _chooser(self, syntax: Syntax, context: Context) -> Term:
        condition = self.value(syntax.operands[0], None, context)
        branches = len(syntax.operands) - 1
        if condition.operator in ("undefined", "fatal"):
            return condition
        if condition.type.count != branches:
            raise self.error(
                f"the condition has {condition.type.count:,} values, but there are {branches} branches", syntax.span
            )
        return condition

    def _cast(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        return self.typed(syntax.operands[0], self.named_type(syntax.name, context.scope, syntax.span), context)

    # --- compound values ----------------------------------------------------------------------------------------------

    def _compound(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        span = syntax.span
        if type_ is None:
            raise self.error("the type of this value is not known", span, "write: is TYPE {...}")
        count = len(syntax.operands)
        match type_:
            case StructType() | ArrayType():
                if count != len(type_.types):
                    raise self.error(f"{called(type_)} has {len(type_.types)} components, not {count}", span)
                types = type_.types
            case BufferType():
                if count > type_.capacity:
                    raise self.error(f"{called(type_)} has room for {type_.capacity} items, not for {count}", span)
                types = (type_.item,) * count
            case _:
                raise self.error(f"{called(type_)} is no compound type", span)
        if isinstance(type_, StructType):
            for name, (known, _) in zip(syntax.names, type_.components, strict=True):
                if name and name != known:
                    raise self.error(f"the component here is {known}, not {name}", span, "their order is fixed")
        items = tuple(self.typed(item, part, context) for item, part in zip(syntax.operands, types, strict=True))
        term = Term("buffer" if isinstance(type_, BufferType) else "tuple", type_, items, span=span)
        if not items:
            return constant(type_, (), span)
        return term

    def _component(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        term = self.value(syntax.operands[0], None, context)
        at = self._position(term.type, syntax)
        assert isinstance(term.type, StructType | UnionType)
        component = term.type.components[at][1]
        return Term("component" if term.type.kind == "struct" else "select", component, (term,), at, span=syntax.span)

    def _position(self, type_: Type, syntax: Syntax) -> int:
        if not isinstance(type_, StructType | UnionType):
            raise self.error(f"{called(type_)} has no components", syntax.span)
        at = type_.position(syntax.name)
        if at is None:
            raise self.error(f"{called(type_)} has no component {syntax.name}", syntax.span)
        return at

    def _replace(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        term = self.value(syntax.operands[0], type_, context)
        at = self._position(term.type, syntax)
        if not isinstance(term.type, StructType):
            raise self.error("only components of structures can be replaced", syntax.span)
        item = self.typed(syntax.operands[1], term.type.types[at], context)
        return Term("replace", term.type, (term, item), at, span=syntax.span)

    def _index(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        array = self.value(syntax.operands[0], None, context)
        if isinstance(array.type, BufferType):
            raise self.error("an item of a buffer is read with *b[i]", syntax.span)
        if not isinstance(array.type, ArrayType):
            raise self.error(f"{called(array.type)} is no array", syntax.span)
        index = self.typed(syntax.operands[1], array.type.indices, context)
        if index.operator == "const":
            at = array.type.indices.index(index.detail)
            return Term("component", array.type.item, (array,), at, span=syntax.span)
        return Term("item", array.type.item, (array, index), span=syntax.span)

    def _put(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        array = self.value(syntax.operands[0], type_, context)
        if not isinstance(array.type, ArrayType):
            raise self.error(f"{called(array.type)} is no array", syntax.span)
        index = self.typed(syntax.operands[1], array.type.indices, context)
        item = self.typed(syntax.operands[2], array.type.item, context)
        if index.operator == "const":
            at = array.type.indices.index(index.detail)
            return Term("replace", array.type, (array, item), at, span=syntax.span)
        return Term("put", array.type, (array, index, item), span=syntax.span)

    def _inject(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        if not isinstance(type_, UnionType):
            raise self.error(f"a union is expected before = {syntax.name}", syntax.span, "write: is TYPE (c = value)")
        at = self._position(type_, syntax)
        item = self.typed(syntax.operands[0], type_.components[at][1], context)
        return Term("inject", type_, (item,), at, span=syntax.span)

    def _is(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        term = self.value(syntax.operands[0], None, context)
        if not isinstance(term.type, UnionType):
            raise self.error(f"{called(term.type)} is no union", syntax.span)
        return Term("is", BOOL, (term,), self._position(term.type, syntax), span=syntax.span)

    # --- quantifiers --------------------------------------------------------------------------------------------------

    def expanded(self, syntax: Syntax, context: Context) -> Iterator[Context]:
        """The context for the body with each value of the quantified variable."""
        type_name, name = syntax.names
        type_ = self.named_type(type_name, context.scope, syntax.span)
        if type_.count > MOST_EXPANDED:
            raise self.error(f"a quantifier over {type_.count:,} values is too large", syntax.span)
        for value in type_.values():
            yield replace(
                context,
                names={**context.names, name: constant(type_, value, syntax.span)},
                quantifiers=(*context.quantifiers, Quantifier(name, type_, value)),
            )

    def _all(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        parts = []
        for inner in self.expanded(syntax, context):
            given = self.condition(syntax.operands[0], inner) if syntax.flag else TRUE
            if given.operator == "const" and not given.detail:
                continue
            parts.append(junction("or", (negated(given), self.condition(syntax.operands[-1], inner)), syntax.span))
        return junction("and", tuple(parts), syntax.span)

    def _exists(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        parts = []
        for inner in self.expanded(syntax, context):
            given = self.condition(syntax.operands[0], inner) if syntax.flag else TRUE
            if given.operator == "const" and not given.detail:
                continue
            parts.append(junction("and", (given, self.condition(syntax.operands[-1], inner)), syntax.span))
        return junction("or", tuple(parts), syntax.span)

    def _indexed(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        name, wanted = syntax.names
        for quantifier in reversed(context.quantifiers):
            if not wanted or quantifier.name == wanted:
                break
        else:
            raise self.error("an indexed variable needs a quantifier around it", syntax.span)
        value, of = quantifier.value, quantifier.type
        if syntax.flag:
            value = of.value((of.index(value) - 1) % of.count)
        full = f"{name}[{of.show(value)}]"
        if context.variable is None:
            raise self.error("indexed variables belong to transitions", syntax.span)
        term = context.variable(full, None, syntax.span)
        if term is None:
            if type_ is None:
                raise self.error(f"the type of {full} is not known", syntax.span, f"write: is TYPE .{name}")
            term = context.variable(full, type_, syntax.span)
        if term is None:
            raise self.error(f"there is no {full} here", syntax.span)
        return term

    def _output(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        if context.output is None:
            raise self.error("an output variable belongs to an output arc", syntax.span)
        return context.output(syntax, context)

    # --- multi-sets ---------------------------------------------------------------------------------------------------

    def _list(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        if len(syntax.operands) == 1 and syntax.operands[0].kind not in SET_KINDS:
            return self.value(syntax.operands[0], type_, context)
        raise self.error("a single value expected, this is a multi-set", syntax.span)


def junction(operator: str, parts: tuple[Term, ...], span: Span) -> Term:
    """Conjunction or disjunction, flat; evaluated from the left until it is decided."""
    decisive = operator == "or"
    kept: list[Term] = []
    for part in parts:
        if part.operator == "const":
            if bool(part.detail) == decisive:
                kept.append(part)
                break
        elif part.operator == operator and len(part.operands) > 1:
            kept += part.operands
        else:
            kept.append(part)
    if not kept:
        return FALSE if decisive else TRUE
    if len(kept) == 1 or kept[0].operator == "const":
        return kept[0]
    return Term(operator, BOOL, tuple(kept), span=span)


def called(type_: Type) -> str:
    return type_.name or type_.kind
