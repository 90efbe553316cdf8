"""The messages of a trace: which step sends, which step receives, what is in them. For sequence charts."""

from __future__ import annotations

from typing import NamedTuple

from kripke.model.capabilities.messages import Meetings, messages_of
from kripke.model.trace import Trace


class Arrow(NamedTuple):
    """A message from a step of one process to a step of another. ``receiver`` None: nobody takes it in this run."""

    medium: str
    content: str
    sent: int
    sender: int
    received: int | None = None
    receiver: int | None = None


def arrows(trace: Trace) -> list[Arrow]:
    """All messages, in the order they are sent. What was under way before the trace began has no arrow."""
    found: list[Arrow] = []
    waiting: dict[str, list[int]] = {}  # by medium: positions in ``found`` of what nobody has taken yet
    message_of = messages_of(trace.model)
    meetings = trace.model.capability(Meetings)
    for index, step in enumerate(trace.steps):
        met = None if meetings is None else meetings.meeting(step.parts)
        if met is not None:
            first = step.parts[0].actor
            found += [Arrow(*met, index, first, index, other.actor) for other in step.parts[1:]]
            continue
        for part in step.parts:
            message = message_of(part, step.before)
            if message is None:
                continue
            queue = waiting.setdefault(message.medium, [])
            if message.direction == "send":
                queue.append(len(found))
                found.append(Arrow(message.medium, message.content, index, part.actor))
                continue
            taken = next((at for at in queue if found[at].content == message.content), None)
            if taken is not None and not message.keeps:
                queue.remove(taken)
                found[taken] = found[taken]._replace(received=index, receiver=part.actor)
    return found
