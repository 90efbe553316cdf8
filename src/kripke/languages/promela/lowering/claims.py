"""Temporal claims of a Promela model: never claims become observers, ltl formulas formulas over atoms.

A never claim is lowered like the body of a process, and its locations become the states of the observer. Every guard is
an atom of the program. As in SPIN the claim is accepted at its ``accept`` labels (those of processes count as well),
its end is an error, and so is a failed assertion in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from kripke.languages.promela import syntax
from kripke.languages.promela.lowering.control import ControlFlow
from kripke.languages.promela.lowering.declarations import Storage
from kripke.languages.promela.lowering.expressions import Context, ExpressionLowering
from kripke.languages.promela.lowering.statements import BodyLowering
from kripke.languages.promela.lowering.symbols import Scope
from kripke.languages.promela.node import walk
from kripke.logic.automaton import ALWAYS, Cube
from kripke.model.observer import Alarm, Observer, ObserverEdge
from kripke.model.property import ACCEPTANCE, PROGRESS, Temporal
from kripke.model.source import ModelError, Span
from kripke.process.expressions import (
    Accepting,
    AskChannel,
    AtLocation,
    Binary,
    BinaryOperator,
    ChannelQuestion,
    Constant,
    Enabled,
    Expression,
    NoProgress,
    Poll,
    Read,
    RemoteRead,
    Unary,
    UnaryOperator,
)
from kripke.process.flatten import flatten
from kripke.process.program import Action, Assert, Else, Guard, Location, Print, Skip, Terminate
from kripke.process.program import Scope as Reach

if TYPE_CHECKING:
    from kripke.languages.promela.lowering.firings import Firings
    from kripke.logic.formula import Formula

_WITHOUT = "--property safety checks the model without its claims"
_LONGEST_PATH = 1000  # statements of an atomic sequence in a claim


class _Path(NamedTuple):
    """One way through a move of the claim: what must be true, what is asserted when, where it ends."""

    guards: tuple[Expression, ...]
    checks: tuple[tuple[tuple[Expression, ...], Assert, int], ...]
    target: int


class Unobservable(Exception):
    """A claim that is Promela, but that no observer can be made of; the error says why."""

    def __init__(self, error: ModelError) -> None:
        super().__init__(error)
        self.error = error


class ClaimLowering:
    """Lowers claims; ``atoms`` are the program's, by name, to which theirs are added."""

    def __init__(self, context: Context, scope: Scope, atoms: dict[str, Expression], values: int | None = None) -> None:
        self.context = context
        self.scope = scope
        self.atoms = atoms
        self.values = values

    # --- atoms --------------------------------------------------------------------------------------------------------

    def _atom(self, text: str, expression: Expression) -> str:
        """The name of the atom of an expression; the same text may stand for several (macros)."""
        name, copies = text, 1
        while name in self.atoms and self.atoms[name] != expression:
            copies += 1
            name = f"{text} ({copies})"
        self.atoms.setdefault(name, expression)
        return name

    def _number(self, text: str, expression: Expression) -> int:
        name = self._atom(text, expression)
        return list(self.atoms).index(name)

    def _text(self, span: Span) -> str:
        return self.context.table.text_of(span)

    # --- formulas -----------------------------------------------------------------------------------------------------

    def ltl(self, name: str | None, node: syntax.Expression, span: Span, text: str | None = None) -> Temporal:
        from kripke.logic import formula as logic

        atom, negation, implication, equivalence = logic.atom, logic.negation, logic.implication, logic.equivalence
        if self.values is not None:
            from kripke.logic.valued import atom, equivalence, implication, negation
        conditions: dict[str, Expression] = {}  # what the atoms of a many-valued formula stand for

        def state(expression: syntax.Expression) -> Formula:
            lowered = ExpressionLowering(self.context, self.scope, in_process=False).expression(expression)
            if isinstance(lowered, Constant):
                return logic.TRUE if lowered.value else logic.FALSE
            text = self._text(expression.span)
            if self.values is None:
                return atom(self._atom(text, lowered))
            while conditions.setdefault(text, lowered) != lowered:
                text = f"({text})"
            return atom(text)

        def convert(part: syntax.Expression) -> Formula:
            match part:
                case syntax.TemporalUnary(operator, operand):
                    sign = {"[]": "G", "<>": "F"}.get(operator, operator)
                    return logic.MAKERS[self._known(sign, part)](convert(operand))
                case syntax.TemporalBinary(operator, left, right):
                    self._known(operator, part)
                    return logic.MAKERS["R" if operator == "V" else operator](convert(left), convert(right))
                case syntax.SpecificationPattern():
                    return self._pattern(part, convert)
                case syntax.Fires():
                    return logic.disjunction([logic.atom(name) for name in self._steps(part).names(part)])
                case syntax.Moves(process):
                    return logic.atom(self._steps(part).move(process))
                case syntax.NextOf(process, operand):
                    moves = logic.atom(self._steps(part).move(process))
                    then = logic.conjunction((moves, logic.following(convert(operand))))
                    return logic.MAKERS["W"](logic.negation(moves), then)
                case syntax.Unary("!", operand):
                    return negation(convert(operand))
                case syntax.Binary("&", left, right) | syntax.Binary("|", left, right) if _is_temporal(part):
                    self._warn_of_bits(part)
                    join = logic.conjunction if part.operator == "&" else logic.disjunction
                    return join((convert(left), convert(right)))
                case syntax.Binary("&&", left, right):
                    return logic.conjunction((convert(left), convert(right)))
                case syntax.Binary("||", left, right):
                    return logic.disjunction((convert(left), convert(right)))
                case syntax.Binary("->", left, right):
                    return implication(convert(left), convert(right))
                case syntax.Binary("<->", left, right):
                    return equivalence(convert(left), convert(right))
                case _:
                    self._refuse_step_conditions(part)
                    if isinstance(part, syntax.Unary) and part.operator == "~":
                        self.context.warn("'~' turns the bits of a number round; to negate, write '!'", part.span)
                    return state(part)

        formula = convert(node)
        shown = text or self._text(node.span)
        if self.values is None:
            return Temporal(name or shown, "ltl", shown, span, formula=formula)
        cuts = tuple(self._cut(formula, level, conditions) for level in range(1, self.values))
        return Temporal(name or shown, "ltl", shown, span, formula=cuts[-1], cuts=cuts)

    def response(self, name: str, owed: Iterable[tuple[str, syntax.Expression, str]], span: Span) -> Temporal:
        """After every step of which an atom is true, the condition that goes with it holds at some time."""
        from kripke.logic import formula as logic

        parts = []
        for step, condition, text in owed:
            lowered = ExpressionLowering(self.context, self.scope, in_process=False).expression(condition)
            met = logic.atom(self._atom(text, lowered))
            if isinstance(lowered, Constant):
                met = logic.TRUE if lowered.value else logic.FALSE
            parts.append(logic.always(logic.implication(logic.atom(step), logic.following(logic.eventually(met)))))
        return Temporal(name, "ltl", self._text(span), span, formula=logic.conjunction(parts))

    def _known(self, operator: str, part: syntax.Expression) -> str:
        from kripke.logic.formula import PAST

        if self.values is not None and operator in PAST:
            raise self.context.fail("there are no operators of the past in many-valued formulas", part.span)
        return operator

    def _steps(self, part: syntax.Expression) -> Firings:
        """Where the atoms of steps are."""
        if self.values is not None:
            raise self.context.fail("there are no events in many-valued formulas", part.span)
        if self.context.firings is None:
            from kripke.languages.promela.lowering.firings import Firings

            self.context.firings = Firings(self.context, self.scope)
        return self.context.firings

    def _pattern(self, part: syntax.SpecificationPattern, convert: Callable[[syntax.Expression], Formula]) -> Formula:
        from kripke.logic.patterns import pattern

        if self.values is not None:
            raise self.context.fail("there are no specification patterns of many-valued formulas", part.span)
        start, end = (None if scope is None else convert(scope) for scope in (part.start, part.end))
        try:
            return pattern(part.name, *map(convert, part.arguments), scope=part.scope, start=start, end=end)
        except ValueError as problem:
            raise self.context.fail(str(problem), part.span) from None

    def _cut(self, formula: Formula, level: int, conditions: Mapping[str, Expression]) -> Formula:
        """Where a many-valued formula has at least a value; a condition that is true or false has top or 0."""
        from kripke.logic import formula as logic
        from kripke.logic.valued import cut

        def compared(name: str, operator: BinaryOperator, bound: int) -> Formula:
            condition = conditions[name]
            if _is_boolean(condition):
                plain = logic.atom(self._atom(name, condition))
                return plain if operator is BinaryOperator.GREATER_EQUAL else logic.negation(plain)
            comparison = Binary(operator, condition, Constant(bound))
            return logic.atom(self._atom(f"({name}) {operator.value} {bound}", comparison))

        return cut(
            formula,
            level,
            (self.values or 2) - 1,
            lambda name, bound: compared(str(name), BinaryOperator.GREATER_EQUAL, bound),
            lambda name, bound: compared(str(name), BinaryOperator.LESS_EQUAL, bound),
        )

    def _warn_of_bits(self, part: syntax.Binary) -> None:
        sign = part.operator
        message = f"'{sign}' with a temporal operator is read as '{sign * 2}' (SPIN computes with a number of its own)"
        self.context.warn(message, part.span)

    def _refuse_step_conditions(self, part: syntax.Expression) -> None:
        for inner in walk(part):
            if isinstance(inner, syntax.Timeout):
                raise self.context.fail("'timeout' cannot stand in a claim or formula", inner.span)

    # --- never claims -------------------------------------------------------------------------------------------------

    def never(self, name: str, item: syntax.Never, *, accept_labels: bool) -> Temporal:
        atoms = dict(self.atoms)
        try:
            return self._observed(name, item, accept_labels)
        except Unobservable as refusal:
            self.atoms.clear()
            self.atoms.update(atoms)
            return Temporal(name, "never", self._text(item.span), item.span, refused=refusal.error)

    def _observed(self, name: str, item: syntax.Never, accept_labels: bool) -> Temporal:
        self._refuse_step_conditions_in(item)
        storage = Storage(Reach.LOCAL, name)
        scope = self.scope.block()
        body = BodyLowering(self.context, name, storage, scope).body(item.body, item.span)
        if storage.variables or storage.channels:
            raise self.context.fail("a never claim has no variables of its own", item.span)
        flat = flatten(ControlFlow(self.context.fail).graph(body.sequence))
        alarms = [Alarm("never", f"end of {name} reached", item.span)]
        accepting = self._number("accept_", Accepting()) if accept_labels else None
        edges = []
        for location in flat.locations:
            found: list[ObserverEdge] = []
            for path in self._moves(flat.locations, location, item.span):
                for guards, check, statement in path.checks:
                    span = self.context.table.statements[statement].span
                    alarms.append(Alarm("assertion", f"assertion violated in {name}: assert({check.text})", span))
                    failed = (*guards, Unary(UnaryOperator.NOT, check.condition))
                    guard = self._guard(failed, f"!({check.text})")
                    found.append(ObserverEdge(guard, 0, alarm=len(alarms) - 1))
                guard = self._guard(path.guards)
                if _is_end(flat.locations[path.target]):
                    found.append(ObserverEdge(guard, 0, alarm=0))
                else:
                    found += _marked(ObserverEdge(guard, path.target), location.accept, accepting)
            edges.append(tuple(found))
        names = tuple(_state_name(location, number) for number, location in enumerate(flat.locations))
        claim = Observer(name, "never", (flat.entry,), tuple(edges), 1, tuple(alarms), names)
        return Temporal(name, "never", self._text(item.span), item.span, claim=claim)

    def _refuse_step_conditions_in(self, item: syntax.Never) -> None:
        for node in walk(item):
            if isinstance(node, syntax.Timeout):
                message = "'timeout' cannot stand in a claim or formula"
                raise Unobservable(self.context.fail(message, node.span, _WITHOUT))

    def _moves(self, locations: tuple[Location, ...], start: Location, span: Span) -> Iterator[_Path]:
        """The moves from a location: single statements, and ways through atomic sequences."""
        stack = [(_Path((), (), -1), start, 0)]
        while stack:
            path, location, length = stack.pop()
            if length > _LONGEST_PATH:
                raise self.context.fail("an atomic sequence of this claim does not end", span)
            extended = []
            for number, edge in enumerate(location.edges):
                guards, checks = path.guards, path.checks
                for action in edge.actions:
                    match action.operation:
                        case Guard(condition):
                            guards = (*guards, condition)
                        case Else():
                            guards = (*guards, self._otherwise(location, number))
                        case Assert() as check:
                            checks = (*checks, (guards, check, action.statement))
                        case Skip() | Print():
                            pass
                        case Terminate():
                            continue
                        case _:
                            raise self._side_effect(action)
                if isinstance(edge.actions[0].operation, Terminate):
                    continue
                following = _Path(guards, checks, edge.target)
                target = locations[edge.target]
                if edge.atomic and not _is_end(target):
                    extended.append((following, target, length + 1))
                else:
                    yield following
            stack.extend(reversed(extended))

    def _side_effect(self, action: Action) -> Exception:
        statement = self.context.table.statements[action.statement]
        hint = f"conditions, assertions, jumps and selections can; {_WITHOUT}"
        return Unobservable(self.context.fail("this statement cannot stand in a never claim", statement.span, hint))

    def _otherwise(self, location: Location, number: int) -> Expression:
        """``else``: no other option of the location is enabled."""
        condition: Expression = Constant(1)
        for other, edge in enumerate(location.edges):
            if other == number:
                continue
            operation = edge.actions[0].operation
            if not isinstance(operation, Guard):
                return Constant(0)
            negation = Unary(UnaryOperator.NOT, operation.condition)
            condition = negation if condition == Constant(1) else _and(condition, negation)
        return condition

    def _guard(self, conditions: Iterable[Expression], text: str | None = None) -> tuple[Cube, ...]:
        whole: Expression | None = None
        for condition in conditions:
            if isinstance(condition, Constant) and condition.value:
                continue
            if isinstance(condition, Constant):
                return ()
            whole = condition if whole is None else _and(whole, condition)
        if whole is None:
            return (ALWAYS,)
        return (Cube(1 << self._number(text or f"guard {len(self.atoms)}", whole), 0),)

    # --- labels -------------------------------------------------------------------------------------------------------

    def acceptance(self) -> Temporal:
        """Runs in which a process is at an ``accept`` label again and again."""
        number = self._number("accept_", Accepting())
        edges = _marked(ObserverEdge((ALWAYS,), 0), False, number)
        claim = Observer(ACCEPTANCE, ACCEPTANCE, (0,), (tuple(edges),), 1, state_names=("watching",))
        return Temporal(ACCEPTANCE, "acceptance", "no acceptance cycle", claim=claim)

    def progress(self) -> Temporal:
        """Infinite runs in which no process is at a ``progress`` label any more (the claim np_ of SPIN)."""
        bit = 1 << self._number("np_", NoProgress())
        guard = (Cube(bit, 0),)
        edges = (
            (ObserverEdge((ALWAYS,), 0), ObserverEdge(guard, 1)),
            (ObserverEdge(guard, 1, marks=1),),
        )
        names = ("watching", "no progress")
        claim = Observer(PROGRESS, PROGRESS, (0,), edges, 1, state_names=names, stutters=False)
        return Temporal(PROGRESS, "progress", "no non-progress cycle", claim=claim)


def _marked(edge: ObserverEdge, accept: bool, accepting: int | None) -> list[ObserverEdge]:
    """An edge with its mark: at an accepting state of the claim, or where a process is at an accept label."""
    if not edge.guard:
        return []
    if accept:
        return [edge._replace(marks=1)]
    if accepting is None:
        return [edge]
    bit = 1 << accepting
    there = tuple(Cube(cube.positive | bit, cube.negative) for cube in edge.guard)
    elsewhere = tuple(Cube(cube.positive, cube.negative | bit) for cube in edge.guard)
    return [ObserverEdge(there, edge.target, 1), ObserverEdge(elsewhere, edge.target)]


def _and(left: Expression, right: Expression) -> Expression:
    return Binary(BinaryOperator.LOGICAL_AND, left, right)


_TRUTHS = frozenset(BinaryOperator(sign) for sign in ("<", "<=", ">", ">=", "==", "!=", "&&", "||"))


def _is_boolean(expression: Expression) -> bool:
    """Is the value of the expression always 0 or 1, for false and true?"""
    match expression:
        case Binary(operator, _, _):
            return operator in _TRUTHS
        case Unary(operator, _):
            return operator is UnaryOperator.NOT
        case Read(place):
            return place.type.bits == 1
        case RemoteRead(place=place):
            return place.type.bits == 1
        case AskChannel(question=question):
            return question is not ChannelQuestion.LENGTH
    return isinstance(expression, (Poll, AtLocation, Enabled, Accepting, NoProgress))


def _is_temporal(expression: syntax.Expression) -> bool:
    temporal = (syntax.TemporalUnary, syntax.TemporalBinary, syntax.NextOf, syntax.SpecificationPattern)
    return any(isinstance(node, temporal) for node in walk(expression))


def _is_end(location: Location) -> bool:
    return bool(location.edges) and isinstance(location.edges[0].actions[0].operation, Terminate)


def _state_name(location: Location, number: int) -> str:
    if location.labels:
        return location.labels[0]
    return f"line {location.span.line}" if location.span is not None else str(number)
