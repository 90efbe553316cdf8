"""From the syntax of a net with sub-nets to one flat high-level net."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kripke.languages.maria.multisets import Resolver
from kripke.languages.maria.resolution import Context, junction
from kripke.languages.maria.scopes import Scope
from kripke.languages.maria.syntax import (
    ConditionDeclaration,
    FairnessDeclaration,
    FunctionDeclaration,
    NetSyntax,
    PlaceDeclaration,
    SubnetDeclaration,
    Syntax,
    TransitionDeclaration,
    TypeDeclaration,
)
from kripke.languages.maria.transitions import PlacedPart, TransitionBuilder, fairness_set, gathered
from kripke.model.source import Sources
from kripke.nets.high_level.evaluation import EvaluationError, fold
from kripke.nets.high_level.net import Condition, FairnessSet, HighLevelNet, Module, Place, Transition
from kripke.nets.high_level.terms import FALSE, TRUE, Term, mentions_places, negated
from kripke.nets.high_level.types import BOOL, UNSIGNED, Ranges, Type, intersection
from kripke.nets.high_level.unification import NotUnifiable, plan

_FIRST_URGENT = (1 << 32) - 1


@dataclass
class Flattening:
    """Everything that is known while a net is read."""

    sources: Sources
    place_types: list[Type] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    pending: list[tuple[PlaceDeclaration, Scope, Ranges | None]] = field(default_factory=list)
    slots: int = 1
    urgent: int = _FIRST_URGENT
    conditions: list[tuple[ConditionDeclaration, Scope]] = field(default_factory=list)
    fairness: list[tuple[FairnessDeclaration, Scope]] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)
    builders: list[TransitionBuilder] = field(default_factory=list)
    owners: list[Scope] = field(default_factory=list)
    #: which transitions a name in a scope stands for
    numbers: dict[tuple[int, str], list[int]] = field(default_factory=dict)
    priorities: dict[tuple[int, str, bool], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.resolver = Resolver(self.sources, self.place_types)

    def net(self, syntax: NetSyntax, name: str) -> tuple[HighLevelNet, Scope]:
        root = Scope()
        self._declare(syntax, root)
        for number, (declaration, scope, capacity) in enumerate(self.pending):
            self.places.append(self._place(number, declaration, scope, capacity))
        self._transitions(root)
        fairness = [
            fairness_set(word, number, term, span)
            for number, builder in enumerate(self.builders)
            for word, term, span in builder.fairness
        ]
        for declaration_, scope in self.fairness:
            fairness += self._fairness(declaration_, scope)
        kinds: dict[str, list[Condition]] = {"reject": [], "deadlock": [], "prop": []}
        for condition, scope in self.conditions:
            kinds[condition.kind].append(self._condition(condition, scope))
        net = HighLevelNet(
            name,
            tuple(self.places),
            tuple(self.transitions),
            self.slots,
            tuple(kinds["reject"]),
            tuple(kinds["deadlock"]),
            tuple(kinds["prop"]),
            tuple(fairness),
            tuple(self._module(scope) for scope in root.subnets),
        )
        self._check(net)
        return net, root

    def _module(self, scope: Scope) -> Module:
        places = (number for number, (_, owner, _) in enumerate(self.pending) if owner.module is scope)
        transitions = (number for number, owner in enumerate(self.owners) if owner.module is scope)
        return Module(scope.name, frozenset(places), frozenset(transitions))

    def _check(self, net: HighLevelNet) -> None:
        for transition in net.transitions:
            try:
                plan(net, transition)
            except NotUnifiable as problem:
                raise self.sources.error(
                    f"no input arc gives the variable {problem.name} a value",
                    transition.span,
                    "a variable gets its value where it stands alone, or in a compound value, in an input arc",
                ) from None
        try:
            net.implicit_order  # noqa: B018
        except ValueError:
            span = next(place.span for place in net.places if place.implicit)
            raise self.sources.error("the contents of places depend on each other", span) from None
        self._check_initial(net)

    def _check_initial(self, net: HighLevelNet) -> None:
        from kripke.nets.high_level.interpreter import Interpreter

        try:
            Interpreter(net).initial()
        except EvaluationError as error:
            raise self.sources.error(f"the initial marking cannot be evaluated: {error}", net.places[0].span) from None
        except ValueError as problem:
            place = problem.args[0]
            if not isinstance(place, Place):
                raise
            message = f"the initial marking of {place.name} breaks its capacity"
            raise self.sources.error(message, place.span) from None

    # --- declarations -------------------------------------------------------------------------------------------------

    def _declare(self, syntax: NetSyntax, scope: Scope) -> None:
        for declaration in syntax.declarations:
            match declaration:
                case TypeDeclaration(type_, name, span):
                    if name in scope.types:
                        raise self.sources.error(f"there is a type {name} already", span)
                    scope.types[name] = self.resolver.type(type_, scope, name)
                case FunctionDeclaration(type_name, name, _, _, span):
                    if name in scope.functions:
                        raise self.sources.error(f"there is a function {name} already", span)
                    self.resolver.named_type(type_name, scope, span)
                    scope.functions[name] = declaration
                case PlaceDeclaration():
                    self._declare_place(declaration, scope)
                case TransitionDeclaration():
                    self._declare_transition(declaration, scope)
                case ConditionDeclaration(kind, name, condition, _):
                    if kind == "prop":
                        if name in scope.propositions:
                            raise self.sources.error(f"there is a proposition {name} already", declaration.span)
                        scope.propositions[name] = condition
                    self.conditions.append((declaration, scope))
                case FairnessDeclaration():
                    self.fairness.append((declaration, scope))
                case SubnetDeclaration(name, net, _):
                    inner = Scope(name or str(len(scope.subnets) + 1), scope)
                    scope.subnets.append(inner)
                    self._declare(net, inner)

    def _declare_place(self, declaration: PlaceDeclaration, scope: Scope) -> None:
        name = declaration.name
        if name in scope.places:
            raise self.sources.error(f"there is a place {name} already", declaration.span)
        capacity: Ranges | None = None
        for ranges in declaration.capacities:
            more = self.resolver.ranges(ranges, UNSIGNED, scope)
            capacity = more if capacity is None else intersection(capacity, more)
        if capacity == ():
            raise self.sources.error("no number of tokens satisfies this capacity", declaration.span)
        scope.places[name] = len(self.place_types)
        self.place_types.append(self.resolver.type(declaration.type, scope, _type_name(declaration)))
        self.pending.append((declaration, scope, capacity))

    def _declare_transition(self, declaration: TransitionDeclaration, scope: Scope) -> None:
        table = scope.macros if declaration.macro else scope.transitions
        known = table.get(declaration.name)
        if known is not None:  # a second block goes on with the same transition
            declaration = TransitionDeclaration(
                known.name, known.macro, known.urgent or declaration.urgent, known.parts + declaration.parts, known.span
            )
        table[declaration.name] = declaration
        if declaration.urgent and not (known is not None and known.urgent):
            self.priorities[id(scope), declaration.name, declaration.macro] = self.urgent
            self.urgent -= 1

    def _place(self, number: int, declaration: PlaceDeclaration, scope: Scope, capacity: Ranges | None) -> Place:
        type_ = self.place_types[number]
        contents = Term("empty", type_, multi=True)
        if declaration.contents is not None:
            self.resolver.slots = 1
            contents = self.resolver.tokens(declaration.contents, type_, Context(scope, places="place"))
            self.slots = max(self.slots, self.resolver.slots)
        return Place(
            scope.path + declaration.name,
            type_,
            capacity,
            contents,
            bool(mentions_places(contents)),
            declaration.constant,
            declaration.span,
        )

    def _condition(self, declaration: ConditionDeclaration, scope: Scope) -> Condition:
        self.resolver.slots = 1
        term = self.resolver.condition(declaration.condition, Context(scope, places="place"))
        self.slots = max(self.slots, self.resolver.slots)
        name = scope.path + declaration.name
        if not declaration.name:
            line = self.sources.line(declaration.span.file, declaration.span.line) or ""
            span = declaration.condition.span
            name = line[span.column - 1 : span.end_column - 1] if span.line == span.end_line else line.strip()
        return Condition(name, term, declaration.span)

    # --- transitions --------------------------------------------------------------------------------------------------

    def _transitions(self, scope: Scope) -> None:
        exported = self._scope_transitions(scope)
        assert not exported

    def _scope_transitions(self, scope: Scope) -> dict[str, list[PlacedPart]]:
        """Add the transitions of a scope and those in it; what is left are its parts in labels of the net around."""
        exported: dict[str, list[PlacedPart]] = {}
        for name, declaration in scope.transitions.items():
            parts = gathered(self.resolver, declaration, scope)
            labels = self._labels(declaration, scope)
            if not labels:
                self._add(name, declaration, parts, scope, macro=False)
            for label in labels:
                if label in exported:
                    raise self.sources.error(
                        f"two transitions of a sub-net take part in {label}", declaration.span, "one per sub-net"
                    )
                exported[label] = parts
        groups: dict[str, list[PlacedPart]] = {}
        for subnet in scope.subnets:
            for label, parts in self._scope_transitions(subnet).items():
                groups.setdefault(label, gathered(self.resolver, scope.macros[label], scope)).extend(parts)
        for label, parts in groups.items():
            declaration = scope.macros[label]
            outer = self._labels(declaration, scope)
            if not outer:
                self._add(label, declaration, parts, scope, macro=True)
            for name in outer:
                if name in exported:
                    raise self.sources.error(f"two transitions of a sub-net take part in {name}", declaration.span)
                exported[name] = parts
        return exported

    def _labels(self, declaration: TransitionDeclaration, scope: Scope) -> list[str]:
        """The labels of the net around that a transition, or a macro it calls, takes part in."""
        labels: list[str] = []
        for word, content, _ in declaration.parts:
            if word != "call":
                continue
            name = str(content)
            if name in scope.macros:
                labels += self._labels(scope.macros[name], scope)
            else:
                labels.append(name)
        return labels

    def _add(
        self, name: str, declaration: TransitionDeclaration, parts: list[PlacedPart], scope: Scope, *, macro: bool
    ) -> None:
        full = f"{scope.path}{':' if macro else ''}{name}"
        builder = TransitionBuilder(self.resolver, full, declaration.span)
        builder.priority = self.priorities.get((id(scope), name, macro), 0)
        transition = builder.build(parts)
        self.numbers.setdefault((id(scope), name), []).append(len(self.transitions))
        self.transitions.append(transition)
        self.owners.append(scope)
        self.builders.append(builder)
        self.slots = max(self.slots, self.resolver.slots)

    # --- fairness -----------------------------------------------------------------------------------------------------

    def _fairness(self, declaration: FairnessDeclaration, scope: Scope) -> Iterator[FairnessSet]:
        strength = {"weakly_fair": "weak", "strongly_fair": "strong", "enabled": "enabled"}[declaration.kind]
        for syntax in declaration.sets:
            for inner, body in self._each_set(syntax, Context(scope)):
                instances = []
                for number, builder in enumerate(self.builders):
                    term = self._qualified(body, number, builder, inner, scope)
                    if not (term.operator == "const" and not term.detail):
                        instances.append((number, term))
                yield FairnessSet(strength, tuple(instances), declaration.span)

    def _each_set(self, syntax: Syntax, context: Context) -> Iterator[tuple[Context, Syntax]]:
        if syntax.kind != "sum":
            yield context, syntax
            return
        for inner in self.resolver.expanded(syntax, context):
            if syntax.flag:
                given = self.resolver.condition(syntax.operands[0], inner)
                if given.operator == "const" and not given.detail:
                    continue
            yield from self._each_set(syntax.operands[-1], inner)

    def _qualified(
        self, syntax: Syntax, number: int, builder: TransitionBuilder, context: Context, scope: Scope
    ) -> Term:
        def of(part: Syntax, inner: Context = context) -> Term:
            return self._qualified(part, number, builder, inner, scope)

        match syntax.kind:
            case "transition":
                numbers = self.numbers.get((id(scope), syntax.name))
                if numbers is None:
                    raise self.sources.error(f"there is no transition {syntax.name}", syntax.span)
                if number not in numbers:
                    return FALSE
                if not syntax.operands:
                    return TRUE
                own = builder.context(scope)
                inner = Context(
                    scope, {**context.names}, context.quantifiers, own.variable, own.functions, calls=context.calls
                )
                return self.resolver.condition(syntax.operands[0], inner)
            case "unary":
                return negated(of(syntax.operands[0]))
            case "binary":
                left, right = (of(operand) for operand in syntax.operands)
                match syntax.name:
                    case "&&":
                        return junction("and", (left, right), syntax.span)
                    case "||":
                        return junction("or", (left, right), syntax.span)
                    case "=>":
                        return junction("or", (negated(left), right), syntax.span)
                same = fold(Term("==", BOOL, (left, right), span=syntax.span))
                return same if syntax.name == "<=>" else negated(same)
            case "all" | "exists":
                parts = []
                for inner in self.resolver.expanded(syntax, context):
                    given = self.resolver.condition(syntax.operands[0], inner) if syntax.flag else TRUE
                    body = of(syntax.operands[-1], inner)
                    if syntax.kind == "all":
                        parts.append(junction("or", (negated(given), body), syntax.span))
                    else:
                        parts.append(junction("and", (given, body), syntax.span))
                return junction("and" if syntax.kind == "all" else "or", tuple(parts), syntax.span)
        raise self.sources.error("sets of instances, with ':', cannot be inside a condition", syntax.span)


def _type_name(declaration: PlaceDeclaration) -> str:
    return declaration.type.name or f"the tokens of {declaration.name}"
