"""``fires(c!m)`` in formulas: atoms of steps that send or receive on a channel. The events are those of ``trace``."""

from __future__ import annotations

from typing import Final

from kripke.languages.promela import syntax
from kripke.languages.promela.lowering.events import wanted
from kripke.languages.promela.lowering.expressions import Context, ExpressionLowering
from kripke.languages.promela.lowering.symbols import Scope
from kripke.model.source import NOWHERE
from kripke.process.events import Event, EventRecord
from kripke.process.expressions import ChannelIdentity, IntType
from kripke.process.program import Component, Variable
from kripke.process.program import Scope as Reach

MOST: Final = 64  # as in native/model.h: the bits of what happened in a step
_BYTE: Final = IntType("byte", 8, False)


class Firings:
    """The events that the formulas of a model speak of, by the names of their atoms."""

    def __init__(self, context: Context, scope: Scope) -> None:
        self.context = context
        self.scope = scope
        self.events: dict[str, Event] = {}
        self._span = NOWHERE

    def names(self, node: syntax.Fires) -> list[str]:
        """The atoms of which one is true of a step that does it."""
        lowering = ExpressionLowering(self.context, self.scope, in_process=False)
        found, _ = lowering.channel(node.channel)
        if not isinstance(found, ChannelIdentity) or found.channel.scope is not Reach.GLOBAL:
            message = "fires(...) names a channel that is declared globally with its size, in an array with its number"
            raise self.context.fail(message, node.channel.span)
        channel = found.channel
        for argument in node.arguments:
            constant = isinstance(argument, syntax.Constant) or (
                isinstance(argument, syntax.Reference) and (argument.name == "_" or lowering.is_value_name(argument))
            )
            if not constant:
                raise self.context.fail("fires(...) has only constants and '_' in its message", argument.span)
        fields = tuple(wanted(pattern) for pattern in lowering.patterns(node.arguments, binding=False))
        if fields and len(fields) != len(channel.fields):
            plural = "" if len(channel.fields) == 1 else "s"
            message = f"messages of '{channel.name}' have {len(channel.fields)} field{plural}, {len(fields)} given"
            raise self.context.fail(message, node.span)
        signs = (node.direction,) if node.direction else ("!", "?")
        return [self._name(Event(sign == "!", channel, fields, 0), sign, node) for sign in signs]

    def _name(self, event: Event, sign: str, node: syntax.Fires) -> str:
        for name, known in self.events.items():
            if known == event:
                return name
        if len(self.events) == MOST:
            raise self.context.fail(f"formulas may speak of {MOST} events at most", node.span)
        self._span = node.span
        text = self.context.table.text_of(node.span)
        name = text if node.direction else f"{text.rstrip()[:-1]}{sign})"
        while name in self.events:
            name += " "
        self.events[name] = event
        return name

    def record(self) -> EventRecord:
        """Where steps note which of the events they have done."""
        size = (len(self.events) + 7) // 8
        components = tuple(Component(f"[{i}]", _BYTE, i) for i in range(size))
        variable = Variable(
            "events",
            Reach.GLOBAL,
            "byte",
            components,
            size,
            (0,) * size,
            scalar=False,
            span=self._span,
            kept=True,
            shown=False,
        )
        return EventRecord(self.events, variable)
