"""Charts whose states are of a fixed form: whole numbers and truth values, events without data.

Such a chart is compiled. Its variables are truth values or numbers of 32 bits (a larger value is an error, found by the
interpreter and the compiled chart alike); its expressions become the terms of the family. Any other chart stays with
the interpreter: ``Infinite`` says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kripke.hierarchy.chart.content import ADDRESS, PROCESSORS
from kripke.hierarchy.chart.model import Environment, actions_of
from kripke.hierarchy.chart.structure import (
    AssignTo,
    Cancel,
    Chart,
    Emit,
    Execute,
    ForEach,
    If,
    Log,
    Payload,
    Raise,
    Script,
    Send,
)
from kripke.hierarchy.script import syntax
from kripke.hierarchy.script.values import UNDEFINED
from kripke.hierarchy.terms import Binary, Choice, Inside, Number, Term, Unary, Variable, arithmetic_type, number
from kripke.hierarchy.types import BOOL, LARGEST, SMALLEST, Type

_EXACT = 2**53
_INT32 = Type(SMALLEST, LARGEST)


class Infinite(Exception):
    """Why a chart is not compiled; ``what`` in words."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


@dataclass(frozen=True, slots=True)
class Finite:
    """A chart of fixed form: its variables with their types, the events it knows, its names of sent events (0: none),
    and its expressions as terms, by the identity of their scripts."""

    chart: Chart
    types: Mapping[str, Type]
    events: tuple[str, ...]
    ids: tuple[str, ...]
    terms: Mapping[int, Term]
    #: of effects (UML): places of variables, and what they get
    assignments: Mapping[int, Sequence[tuple[int, Term]]]

    def term(self, script: Script) -> Term:
        return self.terms[id(script)]


def finite_form(chart: Chart, environment: Environment, conditions: Sequence[Script]) -> Finite:
    """Infinite says what stands against it."""
    lowering = _Lowering(chart)
    try:
        lowering.read(conditions)
    except Infinite as obstacle:
        raise Infinite(f"{obstacle.what} ({lowering.span})") from None
    events = list(dict.fromkeys([*environment.events, *lowering.events, *_done_events(chart)]))
    if len(events) > 60_000:
        raise Infinite("too many events")
    return Finite(chart, lowering.types, tuple(events), ("", *lowering.ids), lowering.terms, lowering.effects)


def _done_events(chart: Chart) -> Iterator[str]:
    for state in chart.states:
        if state.kind == "final" and state.parent > 0:
            parent = chart.states[state.parent]
            yield f"done.state.{parent.id}"
            if parent.parent >= 0 and chart.states[parent.parent].kind == "parallel":
                yield f"done.state.{chart.states[parent.parent].id}"


class _Lowering:
    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        self.span = chart.states[0].span  # of what is read now
        self.types: dict[str, Type] = {}
        self.terms: dict[int, Term] = {}
        self.effects: dict[int, list[tuple[int, Term]]] = {}
        self.events: list[str] = []
        self.ids: list[str] = []

    def read(self, conditions: Sequence[Script]) -> None:
        chart = self.chart
        if chart.late:
            raise Infinite("variables get their values late")
        for state in chart.states:
            if state.done is not None:
                self.span = state.span
                raise Infinite("donedata")
        for variable in chart.variables:
            self.span = variable.span
            self.variable(variable.name, variable.script, variable.value)
        for script in conditions:
            self.span = script.span
            self.condition(script)
        for state in chart.states:
            for transition in state.transitions:
                if transition.condition is not None:
                    self.span = transition.condition.span
                    self.condition(transition.condition)
        for action in actions_of(chart):
            self.span = action.span
            self.action(action)

    def variable(self, name: str, script: Script | None, value: object) -> None:
        if script is not None:
            if script.tree is None:
                raise Infinite(f"the value of {name}")
            match script.tree:
                case syntax.Literal(_, found):
                    value = found
                case syntax.Unary(_, "-", syntax.Literal(_, int() as found)) if not isinstance(found, bool):
                    value = -found
                case _:
                    raise Infinite(f"the start value of {name} is no constant")
        if isinstance(value, bool):
            self.types[name] = BOOL
        elif isinstance(value, int) and SMALLEST <= value <= LARGEST:
            self.types[name] = _INT32
        else:
            raise Infinite(f"{name} is {'undefined' if value is UNDEFINED else 'no whole number'} at first")

    def action(self, action: object) -> None:
        match action:
            case Raise(_, _, event):
                self.event(event)
            case Log():
                return
            case If(_, _, branches):
                for condition, _ in branches:
                    if condition is not None:
                        self.condition(condition)
            case AssignTo(_, _, location, value):
                match location.tree:
                    case syntax.Name(_, name) if name in self.types:
                        term = self.term(_tree(value))
                        if term.type.is_bool != self.types[name].is_bool:
                            raise Infinite(f"{name} changes its type")
                        self.terms[id(value)] = term
                    case _:
                        raise Infinite(f"the assignment to {location.text}")
            case Cancel(_, _, str() as name):
                self.id(name)
            case Send():
                self.send(action)
            case ForEach():
                raise Infinite("foreach")
            case Emit(_, _, event, output):
                if not output:
                    self.event(event)
            case Execute(_, _, script):
                self.effects[id(script)] = list(self.effect(_tree(script)))
            case _:
                raise Infinite("an action whose text is computed")

    def effect(self, tree: syntax.Expression) -> Iterator[tuple[int, Term]]:
        """An assignment, or several one after the other."""
        match tree:
            case syntax.Sequence(_, items):
                for item in items:
                    yield from self.effect(item)
            case syntax.Assign(_, syntax.Name(_, name), operator, value) if name in self.types:
                term = self.term(value)
                place = next(i for i, variable in enumerate(self.chart.variables) if variable.name == name)
                if operator:
                    old = Variable(self.types[name], place, name)
                    if old.type.is_bool or term.type.is_bool or operator not in ("+", "-", "*", "%"):
                        raise Infinite(f"the operator {operator}=")
                    term = self.arithmetic(operator, old, term)
                if term.type.is_bool != self.types[name].is_bool:
                    raise Infinite(f"{name} changes its type")
                yield place, term
            case _:
                raise Infinite("an effect that is no assignment")

    def send(self, send: Send) -> None:
        fixed = (send.event, send.target, send.type)
        if not all(isinstance(text, str) for text in fixed) or not isinstance(send.delay, int):
            raise Infinite("a send whose event, target or delay is computed")
        if send.payload != Payload() or send.names or send.id_location is not None:
            raise Infinite("an event with data")
        if send.type not in PROCESSORS or send.target not in ("", ADDRESS, "#_internal"):
            raise Infinite("a send that goes elsewhere")
        if send.target == "#_internal" and send.delay:
            raise Infinite("an internal event that is sent later")
        self.event(str(send.event))
        self.id(send.id)

    def event(self, name: str) -> None:
        if name not in self.events:
            self.events.append(name)

    def id(self, name: str) -> None:
        if name and name not in self.ids:
            self.ids.append(name)

    # --- expressions --------------------------------------------------------------------------------------------------

    def condition(self, script: Script) -> None:
        self.terms[id(script)] = self.truth(_tree(script))

    def truth(self, tree: syntax.Expression) -> Term:
        """Is it true, as ECMAScript sees it?"""
        match tree:
            case syntax.Binary(_, ("&&" | "||") as operator, left, right):
                return Binary(BOOL, operator, self.truth(left), self.truth(right))
            case syntax.Unary(_, "!", operand):
                return Unary(BOOL, "!", self.truth(operand))
        term = self.term(tree)
        return term if term.type.is_bool else Binary(BOOL, "!=", term, number(0))

    def number(self, tree: syntax.Expression) -> Term:
        term = self.term(tree)
        if term.type.is_bool:
            raise Infinite("arithmetic on truth values")
        return term

    def term(self, tree: syntax.Expression) -> Term:
        match tree:
            case syntax.Literal(_, bool() as value):
                return Number(BOOL, int(value))
            case syntax.Literal(_, int() as value):
                return number(value)
            case syntax.Name(_, name) if name in self.types:
                place = next(i for i, variable in enumerate(self.chart.variables) if variable.name == name)
                return Variable(self.types[name], place, name)
            case syntax.Call(_, None, "In", (syntax.Literal(_, str() as state),)) if state in self.chart.by_id:
                place = len(self.chart.variables) + self.chart.by_id[state]
                return Inside(BOOL, place, (1,), state)
            case syntax.Unary(_, "!", _):
                return self.truth(tree)
            case syntax.Unary(_, "-", operand):
                inner = self.number(operand)
                return Unary(Type(-inner.type.high, -inner.type.low), "-", inner)
            case syntax.Conditional(_, condition, then, otherwise):
                return self.choice(condition, then, otherwise)
            case syntax.Binary(_, operator, left, right):
                return self.binary(operator, left, right)
        raise Infinite("an expression that is more than arithmetic on whole numbers")

    def choice(self, condition: syntax.Expression, then: syntax.Expression, otherwise: syntax.Expression) -> Term:
        one, other = self.term(then), self.term(otherwise)
        if one.type.is_bool != other.type.is_bool:
            raise Infinite("a choice between a number and a truth value")
        both = Type(min(one.type.low, other.type.low), max(one.type.high, other.type.high))
        return Choice(one.type if one.type.is_bool else both, self.truth(condition), one, other)

    def binary(self, operator: str, left: syntax.Expression, right: syntax.Expression) -> Term:
        match operator:
            case "&&" | "||":
                one, other = self.term(left), self.term(right)
                if not (one.type.is_bool and other.type.is_bool):
                    raise Infinite(f"{operator} of numbers, used as a value")
                return Binary(BOOL, operator, one, other)
            case "==" | "!=" | "===" | "!==":
                one, other = self.term(left), self.term(right)
                if len(operator) == 3 and one.type.is_bool != other.type.is_bool:
                    raise Infinite("a comparison of different types")
                return Binary(BOOL, operator[:2], one, other)
            case "<" | "<=" | ">" | ">=":
                return Binary(BOOL, operator, self.number(left), self.number(right))
            case "+" | "-" | "*" | "%":
                return self.arithmetic(operator, self.number(left), self.number(right))
        raise Infinite(f"the operator {operator}")

    def arithmetic(self, operator: str, left: Term, right: Term) -> Term:
        if operator == "%" and right.type.low <= 0 <= right.type.high:
            raise Infinite("a remainder by what may be zero, which is no number")
        type_ = arithmetic_type(operator, left.type, right.type)
        if type_ is None or type_.low < -_EXACT or type_.high > _EXACT:
            raise Infinite("numbers of more than 53 bits")
        return Binary(type_, operator, left, right)


def _tree(script: Script) -> syntax.Expression:
    if script.tree is None:
        raise Infinite("an expression that is none")
    return script.tree
