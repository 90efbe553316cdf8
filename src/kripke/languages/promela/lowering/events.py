"""``trace`` and ``notrace``: the body, lowered as a process would be, becomes a monitor of events."""

from __future__ import annotations

from kripke.languages.promela import syntax
from kripke.languages.promela.lowering.control import ControlFlow, Element
from kripke.languages.promela.lowering.declarations import Storage
from kripke.languages.promela.lowering.expressions import Context
from kripke.languages.promela.lowering.statements import BodyLowering
from kripke.languages.promela.lowering.symbols import Scope
from kripke.model.source import Span
from kripke.process.events import Event, EventMonitor
from kripke.process.expressions import ChannelIdentity, Constant, Ignore, IntType, Match, Pattern
from kripke.process.flatten import flatten
from kripke.process.flow import Kind
from kripke.process.program import Channel, Component, Edge, Receive, Variable
from kripke.process.program import Scope as Reach

_SMALL = 256


class EventLowering(BodyLowering):
    """The body of a trace assertion: sends and receives are things that happen, not things to do."""

    def __init__(self, context: Context, node: syntax.Trace, scope: Scope) -> None:
        super().__init__(context, node.operator, Storage(Reach.LOCAL, node.operator), scope.block())
        self.node = node
        self._events: dict[int, tuple[bool, Span]] = {}
        self._kept: list[Receive] = []

    def _simple(self, node: syntax.Statement) -> Element | None:
        raise self.context.fail(
            f"a {self.node.operator} assertion has only sends, receives and control flow", node.span
        )

    def _assignment(self, node: syntax.Statement, target: syntax.Reference, value: syntax.Expression) -> Element:
        raise self.context.fail(
            f"a {self.node.operator} assertion has only sends, receives and control flow", node.span
        )

    def _send(self, node: syntax.Send) -> Element:
        if node.sorted:
            raise self.context.fail(f"a {self.node.operator} assertion has only simple sends: '!'", node.span)
        arguments: list[syntax.ReceiveArgument] = []
        for argument in node.arguments:
            if not isinstance(argument, (syntax.Constant, syntax.Reference)):
                raise self._not_constant(argument.span)
            arguments.append(argument)
        return self._event(node.channel, tuple(arguments), node.span, is_send=True)

    def _receive(self, node: syntax.Receive) -> Element:
        if node.anywhere or node.peek:
            raise self.context.fail(f"a {self.node.operator} assertion has only simple receives: '?'", node.span)
        return self._event(node.channel, node.arguments, node.span, is_send=False)

    def _event(
        self, channel: syntax.Reference, arguments: tuple[syntax.ReceiveArgument, ...], span: Span, *, is_send: bool
    ) -> Element:
        lowering = self._lowering()
        found, _ = lowering.channel(channel)
        if not isinstance(found, ChannelIdentity) or found.channel.scope is not Reach.GLOBAL:
            message = f"a {self.node.operator} assertion names channels that are declared globally with their size"
            raise self.context.fail(message, channel.span)
        for argument in arguments:
            constant = isinstance(argument, syntax.Constant) or (
                isinstance(argument, syntax.Reference) and (argument.name == "_" or lowering.is_value_name(argument))
            )
            if not constant:
                raise self._not_constant(argument.span)
        operation = Receive(found, lowering.patterns(arguments, binding=False))
        expected = len(found.channel.fields)
        if len(operation.patterns) != expected:
            plural = "" if expected == 1 else "s"
            given = len(operation.patterns)
            message = f"messages of '{found.channel.name}' have {expected} field{plural}, {given} given"
            raise self.context.fail(message, span)
        self._kept.append(operation)  # told apart by identity: it must live
        self._events[id(operation)] = (is_send, span)
        return self._add(Kind.SEND if is_send else Kind.RECEIVE, operation, span, lowering.touched)

    def _not_an_event(self, span: Span) -> Exception:
        message = f"a {self.node.operator} assertion has only sends, receives and control flow"
        return self.context.fail(message, span)

    def _not_constant(self, span: Span) -> Exception:
        message = f"a {self.node.operator} assertion has only constants and '_' in its messages"
        return self.context.fail(message, span)

    # --- the automaton ------------------------------------------------------------------------------------------------

    def monitor(self) -> EventMonitor:
        """Lower the body and read the automaton off its control flow."""
        body = self.body(self.node.body, self.node.span)
        flat = flatten(ControlFlow(self.context.fail).graph(body.sequence))
        states = [tuple(self._move(edge) for edge in place.edges if self._is_event(edge)) for place in flat.locations]
        ends = [place.end for place in flat.locations]
        finals = [i for i, place in enumerate(flat.locations) if place.edges and not states[i]]
        for events in states:
            self._check_deterministic(events)
        end = finals[0] if finals else len(states)
        if not finals:  # the sequence never ends; a negated one needs a place to go when it is left
            states.append(())
            ends.append(True)
        type_ = IntType("byte", 8, False) if len(states) <= _SMALL else IntType("short", 16, True)
        variable = Variable(
            self.node.operator,
            Reach.GLOBAL,
            type_.name,
            (Component("", type_, 0),),
            type_.size,
            (flat.entry,),
            scalar=True,
            span=self.node.span,
        )
        return EventMonitor(tuple(states), tuple(ends), flat.entry, end, self.node.operator == "notrace", variable)

    def _is_event(self, edge: Edge) -> bool:
        return id(edge.actions[0].operation) in self._events

    def _move(self, edge: Edge) -> Event:
        operation = edge.actions[0].operation
        assert isinstance(operation, Receive) and isinstance(operation.channel, ChannelIdentity)
        is_send, _ = self._events[id(operation)]
        channel: Channel = operation.channel.channel
        return Event(is_send, channel, tuple(wanted(pattern) for pattern in operation.patterns), edge.target)

    def _check_deterministic(self, events: tuple[Event, ...]) -> None:
        for i, event in enumerate(events):
            for other in events[:i]:
                if event.overlaps(other) and event.target != other.target:
                    message = f"this {self.node.operator} assertion is not deterministic: one event leads to two places"
                    raise self.context.fail(message, self.node.span)


def wanted(pattern: Pattern) -> int | None:
    """The value a field of an event must have; None: any."""
    match pattern:
        case Match(Constant(value)):
            return value
        case Ignore():
            return None
    raise AssertionError(pattern)
