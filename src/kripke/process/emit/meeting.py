"""Who waits at a rendezvous: what is known now about the channel received at a control point.

A sender passes over most processes by a look at this table instead of calling the function of their replies.
"""

from __future__ import annotations

from kripke.process.emit.facts import Facts
from kripke.process.expressions import ChannelElement, Expression, Read
from kripke.process.program import Location, Receive, Scope

MEETING_POINT = """\
/* The rendezvous channel received at a control point: 0 for none, ANY_CHANNEL where it is not known. If it depends on a
 * byte of the frame (`at` is not 0): where `low` <= byte < `low` + `limit`, its identity is that byte plus `base`. */
typedef struct {
    uint32_t channel, at, low, limit, base;
} meeting_point;
"""

NO_MEETING = "{0, 0, 0, 0, 0}"


def meeting_point(facts: Facts, location: Location) -> str:
    """The initialiser for a location."""
    first = [edge.actions[0].operation for edge in location.edges]
    receives = [operation for operation in first if isinstance(operation, Receive)]
    found = {facts.met_channel(receive) for receive in receives} - {0}
    if not found:
        return NO_MEETING
    if len(found) == 1 and None not in found:
        return f"{{{found.pop()}, 0, 0, 0, 0}}"
    open_channels = [receive.channel for receive in receives if facts.met_channel(receive) != 0]
    same = all(channel == open_channels[0] for channel in open_channels)
    return (_by_byte(facts, open_channels[0]) if same else None) or "{ANY_CHANNEL, 0, 0, 0, 0}"


def _by_byte(facts: Facts, channel: Expression) -> str | None:
    """A channel named by a parameter, or an element of an array of channels chosen by one."""
    if isinstance(channel, ChannelElement):
        first, at = channel.channels[0], _own_byte(channel.index)
        if at is None or first.capacity or first.scope is not Scope.GLOBAL:
            return None
        return f"{{ANY_CHANNEL, {at}, 0, {len(channel.channels)}, {first.number + 1}}}"
    at = _own_byte(channel)
    return None if at is None else f"{{ANY_CHANNEL, {at}, 1, {len(facts.program.channels)}, 0}}"


def _own_byte(expression: Expression) -> int | None:
    """The offset of an unsigned byte in the frame, if that is what the expression reads."""
    if not isinstance(expression, Read):
        return None
    place = expression.place
    plain = place.type.size == 1 and not place.type.signed and not place.indices
    return place.variable.offset + place.offset if plain and place.variable.scope is Scope.LOCAL else None
