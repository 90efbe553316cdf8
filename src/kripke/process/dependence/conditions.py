"""Why an edge is disabled: the conditions of its first operation, as expressions, in the order of their numbers.

Condition 0 of every transition is that its process is at its location; these are the conditions from 1 on.
"""

from __future__ import annotations

from dataclasses import dataclass

from kripke.process.dependence.guards import conjuncts
from kripke.process.expressions import AskChannel, ChannelQuestion, Expression, Poll
from kripke.process.program import Choose, DeterministicStep, Guard, Operation, Receive, Send


@dataclass(frozen=True, slots=True)
class Conditions:
    """``in_turn``: a condition has a meaning only where those before it are true."""

    parts: tuple[Expression, ...]
    in_turn: bool = False


def conditions_of(operation: Operation | Choose) -> Conditions | None:
    """None where they cannot be told without trying. Of a send: that there is room; a rendezvous needs more.

    ``Else`` and ``Terminate`` have conditions about other edges and other processes, which are not expressions.
    """
    match operation:
        case Guard(condition):
            return Conditions(tuple(conjuncts(condition)))
        case Send(channel, _, _):
            return Conditions((AskChannel(ChannelQuestion.NOT_FULL, channel),))
        case Receive(channel, patterns, anywhere, _):
            there = AskChannel(ChannelQuestion.NOT_EMPTY, channel)
            return Conditions((there, Poll(channel, patterns, anywhere)), in_turn=True)
        case DeterministicStep():
            return None
        case _:
            return Conditions(())
