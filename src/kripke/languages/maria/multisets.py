"""Multi-sets of tokens: arcs, markings, and what conditions ask about them."""

from __future__ import annotations

from dataclasses import replace

from kripke.languages.maria.resolution import SET_KINDS, Context, ValueResolver, called
from kripke.languages.maria.syntax import Syntax
from kripke.model.source import Span
from kripke.nets.high_level.terms import TRUE, Term, constant
from kripke.nets.high_level.types import BOOL, UNSIGNED, Type


class Resolver(ValueResolver):
    """Terms of all sorts."""

    def set_type(self, syntax: Syntax, context: Context) -> Type | None:
        """The type of tokens, as far as places tell it."""
        match syntax.kind:
            case "place":
                return self.place_types[self._place_number(syntax, context)]
            case "list" | "filter":
                parts = syntax.operands if syntax.kind == "list" else syntax.operands[:1]
            case "sum":
                parts = syntax.operands[-1:]
            case "if":
                parts = syntax.operands[1:]
            case "binary" if syntax.name in ("union", "minus", "intersect"):
                parts = syntax.operands
            case "binary" if syntax.name == "#":
                parts = syntax.operands[1:]
            case _:
                return None
        return next((type_ for part in parts if (type_ := self.set_type(part, context)) is not None), None)

    def _place_number(self, syntax: Syntax, context: Context) -> int:
        number = context.scope.places.get(syntax.name)
        if number is None:
            raise self.error(f"there is no place {syntax.name} here", syntax.span)
        return number

    def tokens(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        """The term of a multi-set; of tokens of ``type_`` where it is given."""
        span = syntax.span
        match syntax.kind:
            case "empty":
                return Term("empty", type_ or BOOL, multi=True, span=span)
            case "list":
                parts = [self.tokens(part, type_, context) for part in syntax.operands]
                return _summed(parts, type_ or parts[0].type, span)
            case "sum":
                return self._quantified_sum(syntax, type_, context)
            case "place":
                return self._place_tokens(syntax, type_, context)
            case "if":
                return self._chosen_tokens(syntax, type_, context)
            case "filter" | "map" | "mapeach":
                return self._comprehension(syntax, type_, context)
            case "call":
                function = self._function(syntax, context)
                if function[0].body.kind in SET_KINDS:
                    inner = self._body_context(function, syntax.operands, syntax, context)
                    named = self.named_type(function[0].type, function[1], syntax.span)
                    return self._same_tokens(self.tokens(function[0].body, named, inner), type_, span)
            case "binary" if syntax.name == "#":
                return self._multiplied(syntax, type_, context)
            case "binary" if syntax.name in ("union", "minus", "intersect"):
                wanted = type_ or self.set_type(syntax, context)
                left = self.tokens(syntax.operands[0], wanted, context)
                right = self.tokens(syntax.operands[1], wanted or left.type, context)
                return Term(syntax.name, wanted or left.type, (left, right), multi=True, span=span)
        value = self.value(syntax, type_, context)
        if type_ is not None:
            value = self.coerced(value, type_, span)
        return Term("tokens", value.type, (constant(UNSIGNED, 1), value), multi=True, span=span)

    def _same_tokens(self, term: Term, type_: Type | None, span: Span) -> Term:
        if type_ is not None and term.type is not type_:
            raise self.error(
                f"multi-sets of different types: {called(term.type)} and {called(type_)}", span, "convert with map"
            )
        return term

    def _place_tokens(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        if not context.places:
            raise self.error("the contents of a place cannot be asked for here", syntax.span)
        number = self._place_number(syntax, context)
        term = Term(context.places, self.place_types[number], (), number, multi=True, span=syntax.span)
        return self._same_tokens(term, type_, syntax.span)

    def _quantified_sum(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        parts = []
        for inner in self.expanded(syntax, context):
            given = self.condition(syntax.operands[0], inner) if syntax.flag else TRUE
            if given.operator == "const" and not given.detail:
                continue
            tokens = self.tokens(syntax.operands[-1], type_, inner)
            parts.append(tokens if given.operator == "const" else times(given, tokens))
        fallback = type_ or (parts[0].type if parts else BOOL)
        return _summed(parts, fallback, syntax.span)

    def _multiplied(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        number, operand = syntax.operands
        multiplicity = self.integer(number, context)
        if multiplicity.type.kind != "bool":
            multiplicity = self.coerced(multiplicity, UNSIGNED, number.span)
        if multiplicity.operator == "const" and not multiplicity.detail and multiplicity.type.kind != "bool":
            raise self.error("a multiplicity of zero", number.span)
        tokens = self.tokens(operand, type_, context)
        if multiplicity.operator == "const" and not multiplicity.detail:
            return Term("empty", tokens.type, multi=True, span=syntax.span)
        return times(multiplicity, tokens)

    def _chosen_tokens(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        condition = self._chooser(syntax, context)
        branches = syntax.operands[1:]
        if condition.operator == "const":
            chosen = branches[len(branches) - 1 - condition.type.index(condition.detail)]
            return self.tokens(chosen, type_, context)
        wanted = type_ or self.set_type(syntax, context)
        parts = [self.tokens(branches[0], wanted, context)]
        parts += [self.tokens(branch, wanted or parts[0].type, context) for branch in branches[1:]]
        return Term("multiif", wanted or parts[0].type, (condition, *parts), multi=True, span=syntax.span)

    def _comprehension(self, syntax: Syntax, type_: Type | None, context: Context) -> Term:
        source, body = syntax.operands
        span = syntax.span
        wanted = type_ if syntax.kind == "filter" else None
        tokens = self.tokens(source, self.set_type(source, context) or wanted, context)
        slots = [self.new_slot() for _ in syntax.names]
        variable = Term("var", tokens.type, (), slots[-1])
        names = {**context.names, syntax.names[-1]: variable}
        if syntax.kind == "mapeach":
            names[syntax.names[0]] = Term("var", UNSIGNED, (), slots[0])
        inner = replace(context, names=names)
        if syntax.kind == "filter":
            condition = self.condition(body, inner)
            term = Term("filter", tokens.type, (tokens, condition), slots[0], multi=True, span=span)
            return self._same_tokens(term, type_, span)
        if syntax.kind == "map":
            image = self.value(body, type_, inner)
            image = image if type_ is None else self.coerced(image, type_, body.span)
            return Term("map", image.type, (tokens, image), slots[0], multi=True, span=span)
        images = self.tokens(body, type_, inner)
        return Term("mapeach", images.type, (tokens, images), tuple(slots), multi=True, span=span)


def times(multiplicity: Term, tokens: Term) -> Term:
    """So many copies of a multi-set."""
    match tokens.operator:
        case "empty":
            return tokens
        case "tokens" if tokens.operands[0].operator == "const" and tokens.operands[0].detail == 1:
            parts = (multiplicity, tokens.operands[1])
            return Term("tokens", tokens.type, parts, multi=True, span=tokens.span)
        case "sum":
            copies = tuple(times(multiplicity, part) for part in tokens.operands)
            return Term("sum", tokens.type, copies, multi=True, span=tokens.span)
    return Term("times", tokens.type, (multiplicity, tokens), multi=True, span=tokens.span)


def _summed(parts: list[Term], type_: Type, span: Span) -> Term:
    flat: list[Term] = []
    for part in parts:
        if part.operator == "sum":
            flat += part.operands
        elif part.operator != "empty":
            flat.append(part)
    if not flat:
        return Term("empty", type_, multi=True, span=span)
    return flat[0] if len(flat) == 1 else Term("sum", type_, tuple(flat), multi=True, span=span)
