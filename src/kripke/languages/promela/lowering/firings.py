"""Atoms of steps: ``fires(c!m)``, a step sends or receives on a channel (the events are those of ``trace``),
``moves(i)``, a process takes part in it, and what statements note by themselves."""

from __future__ import annotations

from typing import Final

from kripke.languages.promela import syntax
from kripke.languages.promela.lowering.events import wanted
from kripke.languages.promela.lowering.expressions import Context, ExpressionLowering
from kripke.languages.promela.lowering.symbols import Scope
from kripke.model.source import NOWHERE, Span
from kripke.process.events import Event, EventRecord, Move, Noted
from kripke.process.expressions import ChannelIdentity, Constant, IntType
from kripke.process.program import MAX_PROCESSES, Component, Variable
from kripke.process.program import Scope as Reach

MOST: Final = 64  # as in native/model/model.h: the bits of what happened in a step
BYTE: Final = IntType("byte", 8, False)


class Firings:
    """What formulas and assertions of a model say about steps, by the names of the atoms; ``variable`` records it."""

    def __init__(self, context: Context, scope: Scope) -> None:
        self.context = context
        self.scope = scope
        self.events: dict[str, Event | Move | Noted] = {}
        self.variable = Variable(
            "events", Reach.GLOBAL, "byte", (), 0, (), scalar=False, span=NOWHERE, kept=True, shown=False
        )

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

    def move(self, process: syntax.Expression) -> str:
        """The atom that is true of a step in which this process moves."""
        if isinstance(process, syntax.Reference) and process.name in self.context.processes:
            hint = "processes count from 0 in the order in which they start"
            message = f"'{process.name}' is a process type: say which process by its number"
            raise self.context.fail(message, process.span, hint)
        pid = ExpressionLowering(self.context, self.scope, in_process=False).expression(process)
        if not isinstance(pid, Constant) or not 0 <= pid.value < MAX_PROCESSES:
            message = "name the process that moves by its number, a constant: processes count from 0 as they start"
            raise self.context.fail(message, process.span)
        return self._known(Move(pid.value), f"moves({pid.value})", process.span)

    def noted(self, name: str, span: Span) -> tuple[str, int]:
        """An atom for what a statement notes by itself, and its number."""
        while name in self.events:
            name += " "
        self._known(Noted(name), name, span)
        return name, len(self.events) - 1

    def _name(self, event: Event, sign: str, node: syntax.Fires) -> str:
        text = self.context.table.text_of(node.span)
        return self._known(event, text if node.direction else f"{text.rstrip()[:-1]}{sign})", node.span)

    def _known(self, event: Event | Move | Noted, name: str, span: Span) -> str:
        for known, other in self.events.items():
            if other == event:
                return known
        if len(self.events) == MOST:
            raise self.context.fail(f"formulas may speak of {MOST} events at most", span)
        self.variable.span = span
        while name in self.events:
            name += " "
        self.events[name] = event
        return name

    def record(self) -> EventRecord:
        """Where steps note which of the events they have done."""
        size = (len(self.events) + 7) // 8
        self.variable.components = tuple(Component(f"[{i}]", BYTE, i) for i in range(size))
        self.variable.size, self.variable.initial = size, (0,) * size
        return EventRecord(self.events, self.variable)
