"""One transition of the flat net, put together from its parts: its own, those of macros, those of partners."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kripke.languages.maria.multisets import Resolver
from kripke.languages.maria.resolution import Context
from kripke.languages.maria.scopes import Scope
from kripke.languages.maria.syntax import (
    ArcDeclaration,
    FunctionDeclaration,
    Syntax,
    TransitionDeclaration,
    VariableDeclaration,
)
from kripke.model.source import ModelError, Span
from kripke.nets.high_level.net import FairnessSet, InputArc, Transition, Variable
from kripke.nets.high_level.terms import TRUE, Term, negated
from kripke.nets.high_level.types import Type

MOST_GATHERED = 500_000  # parts of transitions, with those of the macros they call
_DEEPEST_CALL = 40


@dataclass(frozen=True, slots=True)
class PlacedPart:
    """A part and the scope its names belong to."""

    word: str
    content: object
    span: Span
    scope: Scope


@dataclass
class TransitionBuilder:
    """Variables are identified by name over all parts. Functions belong to the scope of their part; one with the name
    of a variable gives the variable its value."""

    resolver: Resolver
    name: str
    span: Span
    variables: dict[str, Variable] = field(default_factory=dict)
    functions: dict[int, dict[str, tuple[FunctionDeclaration, Scope]]] = field(default_factory=dict)
    definitions: list[tuple[int, Term]] = field(default_factory=list)
    inputs: list[InputArc] = field(default_factory=list)
    outputs: list[tuple[int, Term]] = field(default_factory=list)
    gates: list[Term] = field(default_factory=list)
    hide: Term | None = None
    priority: int = 0
    fairness: list[tuple[str, Term, Span]] = field(default_factory=list)
    #: may an unknown name be a new variable?
    open: bool = False
    #: functions with the names of variables
    late: list[PlacedPart] = field(default_factory=list)

    def build(self, parts: list[PlacedPart]) -> Transition:
        self.resolver.slots = 1
        self._declare(parts)
        self.open = True
        self._inputs([part for part in parts if part.word == "in"])
        self.open = False
        self.finish_definitions()
        self._conditions(parts)
        for part in parts:
            match part.word:
                case "gate":
                    assert isinstance(part.content, Syntax)
                    self._gate(self.resolver.condition(part.content, self.context(part.scope)))
                case "hide":
                    assert isinstance(part.content, Syntax)
                    self.hide = self.resolver.condition(part.content, self.context(part.scope))
                case "out":
                    self._output_arc(part)
                case "priority":
                    assert isinstance(part.content, int)
                    self.priority = part.content
        for part in parts:
            if part.word in ("weakly_fair", "strongly_fair", "enabled"):
                assert isinstance(part.content, Syntax)
                for term in self.sets(part.content, self.context(part.scope)):
                    self.fairness.append((part.word, term, part.span))
        self._check_outputs()
        return Transition(
            self.name,
            tuple(self.variables.values()),
            tuple(self.inputs),
            tuple(self.outputs),
            tuple(self.gates),
            tuple(self.definitions),
            self.priority,
            self.hide,
            self.span,
        )

    def _check_outputs(self) -> None:
        used = frozenset[int]().union(*(term.slots for _, term in self.outputs))
        for variable in self.variables.values():
            if variable.output and variable.slot not in used:
                raise self.resolver.error(f"the output variable {variable.name} is on no output arc", self.span)

    def context(self, scope: Scope, places: str = "") -> Context:
        return Context(
            scope,
            variable=self._variable,
            functions=self.functions.get(id(scope), {}),
            output=self._output_variable if places == "taken" else None,
            places=places,
        )

    def sets(self, syntax: Syntax, context: Context) -> list[Term]:
        """``T v: condition`` is a condition for every value of v."""
        if syntax.kind != "sum":
            return [self.resolver.condition(syntax, context)]
        result = []
        for inner in self.resolver.expanded(syntax, context):
            if syntax.flag:
                given = self.resolver.condition(syntax.operands[0], inner)
                if given.operator == "const" and not given.detail:
                    continue
            result += self.sets(syntax.operands[-1], inner)
        return result

    # --- variables ----------------------------------------------------------------------------------------------------

    def _declare(self, parts: list[PlacedPart]) -> None:
        for part in parts:
            if part.word == "variable":
                declaration = part.content
                assert isinstance(declaration, VariableDeclaration)
                type_ = self.resolver.named_type(declaration.type, part.scope, part.span)
                self._add(declaration.name, type_, part.span, declaration.hidden)
        for part in parts:
            if part.word == "function":
                function = part.content
                assert isinstance(function, FunctionDeclaration)
                known = self.functions.setdefault(id(part.scope), {})
                if function.name not in self.variables or function.parameters:
                    known[function.name] = (function, part.scope)
        for part in parts:
            declaration = part.content
            if isinstance(declaration, VariableDeclaration) and declaration.output:
                self.variables[declaration.name] = replace(self.variables[declaration.name], output=True)
        self._define(parts)

    def _conditions(self, parts: list[PlacedPart]) -> None:
        """Of output variables: they may use all functions and the variables that arcs introduce."""
        for part in parts:
            declaration = part.content
            if isinstance(declaration, VariableDeclaration) and declaration.condition is not None:
                condition = self.resolver.condition(declaration.condition, self.context(part.scope))
                self.variables[declaration.name] = replace(self.variables[declaration.name], condition=condition)

    def _define(self, parts: list[PlacedPart]) -> None:
        """Functions with the names of variables; their values may use variables that arcs introduce later."""
        self.late = [
            part
            for part in parts
            if isinstance(part.content, FunctionDeclaration)
            and part.content.name in self.variables
            and not part.content.parameters
        ]

    def finish_definitions(self) -> None:
        for part in self.late:
            function = part.content
            assert isinstance(function, FunctionDeclaration)
            variable = self.variables[function.name]
            term = self.resolver.typed(function.body, variable.type, self.context(part.scope))
            self.definitions.append((variable.slot, term))

    def _add(self, name: str, type_: Type, span: Span, hidden: bool = False) -> Variable:
        known = self.variables.get(name)
        if known is not None:
            if known.type is not type_:
                raise self.resolver.error(f"the variable {name} has two types", span)
            return known
        variable = Variable(name, type_, self.resolver.new_slot(), hidden=hidden)
        self.variables[name] = variable
        return variable

    def _variable(self, name: str, type_: Type | None, span: Span) -> Term | None:
        """A known variable; a new one where a type is given and the context is an input arc."""
        variable = self.variables.get(name)
        if variable is None and type_ is not None and self.open:
            variable = self._add(name, type_, span)
        return None if variable is None else Term("var", variable.type, (), variable.slot, span=span)

    def _output_variable(self, syntax: Syntax, context: Context) -> Term:
        type_name, name = syntax.names
        type_ = self.resolver.named_type(type_name, context.scope, syntax.span)
        if not name:
            name = f":{sum(variable.output for variable in self.variables.values())}"
        known = self.variables.get(name)
        if known is not None and (known.type is not type_ or not known.output):
            raise self.resolver.error(f"the variable {name} is something else already", syntax.span)
        if known is None:
            known = Variable(name, type_, self.resolver.new_slot(), True)
            self.variables[name] = known
            if syntax.operands:
                condition = self.resolver.condition(syntax.operands[0], context)
                self.variables[name] = known = Variable(name, type_, known.slot, True, condition)
        return Term("var", type_, (), known.slot, span=syntax.span)

    # --- arcs and gates -----------------------------------------------------------------------------------------------

    def _arc(self, part: PlacedPart) -> tuple[int, Syntax]:
        arc = part.content
        assert isinstance(arc, ArcDeclaration)
        number = part.scope.places.get(arc.place)
        if number is None:
            raise self.resolver.error(f"there is no place {arc.place} here", part.span)
        return number, arc.tokens

    def _inputs(self, parts: list[PlacedPart]) -> None:
        """An arc may use variables that another one, written after it, introduces."""
        failed: ModelError | None = None
        for part in parts:
            if failed is None:
                try:
                    self._input(part)
                    continue
                except ModelError as error:
                    failed, waiting = error, [part]
                    continue
            waiting.append(part)
        if failed is None:
            return
        before = len(self.variables)
        try:
            self._inputs(waiting[1:])
        except ModelError:
            raise failed from None
        if len(self.variables) == before:
            raise failed
        self._inputs(waiting[:1])

    def _input(self, part: PlacedPart) -> None:
        number, syntax = self._arc(part)
        term = self.resolver.tokens(syntax, self.resolver.place_types[number], self.context(part.scope))
        self._take(number, term, None)

    def _take(self, place: int, term: Term, multiplicity: Term | None) -> None:
        match term.operator:
            case "empty":
                return
            case "sum":
                for operand in term.operands:
                    self._take(place, operand, multiplicity)
            case "tokens":
                count, token = term.operands
                if multiplicity is not None:
                    count = _product(multiplicity, count)
                one = count.operator == "const" and count.detail == 1
                self.inputs.append(InputArc(place, token, None if one else count))
            case "multiif" if term.operands[0].type.kind == "bool" and multiplicity is None:
                condition, then, otherwise = term.operands
                self._take(place, then, condition)
                self._take(place, otherwise, negated(condition))
            case _:
                if multiplicity is not None:
                    term = Term("times", term.type, (multiplicity, term), multi=True, span=term.span)
                self.inputs.append(InputArc(place, term, None, whole=True))

    def _gate(self, term: Term) -> None:
        """A conjunction is several gates; ``atom`` keeps it together."""
        if term.operator == "and":
            self.gates += term.operands
        elif term is not TRUE:
            self.gates.append(term)

    def _output_arc(self, part: PlacedPart) -> None:
        number, syntax = self._arc(part)
        context = self.context(part.scope, "taken")
        term = self.resolver.tokens(syntax, self.resolver.place_types[number], context)
        taken = {arc.place for arc in self.inputs}
        for node in term.walk():
            if node.operator == "taken" and node.detail not in taken:
                raise self.resolver.error("no input arc takes tokens from this place", node.span)
        self.outputs.append((number, term))


def _product(left: Term, right: Term) -> Term:
    """One multiplicity times another: the first is a condition."""
    if right.operator == "const" and right.detail == 1:
        return left
    zero = Term("const", right.type, (), 0)
    return Term("if", right.type, (left, right, zero))


def fairness_set(word: str, number: int, term: Term, span: Span) -> FairnessSet:
    strength = {"weakly_fair": "weak", "strongly_fair": "strong", "enabled": "enabled"}[word]
    return FairnessSet(strength, ((number, term),), span)


def gathered(resolver: Resolver, declaration: TransitionDeclaration, scope: Scope, depth: int = 0) -> list[PlacedPart]:
    """The parts of a transition with those of the macros it calls; calls of labels of the net around are left."""
    if depth > _DEEPEST_CALL:
        raise resolver.error("transitions call each other too deeply", declaration.span)
    parts: list[PlacedPart] = []
    for word, content, span in declaration.parts:
        resolver.gathered += 1
        if resolver.gathered > MOST_GATHERED:
            raise resolver.error("transitions that call each other make this net too large", span)
        if word != "call":
            parts.append(PlacedPart(word, content, span, scope))
            continue
        name = str(content)
        macro = scope.macros.get(name)
        if macro is not None:
            parts += gathered(resolver, macro, scope, depth + 1)
        elif scope.parent is None or name not in scope.parent.macros:
            hint = "a transition that others call is declared as: trans :NAME"
            raise resolver.error(f"there is no transition {name} to call", span, hint)
    return parts
