"""Channel operations: finding the channel, room and matching messages, appending, inserting and removing.

A channel named by ``ChannelIdentity`` has a place and a shape known now. Any other is found at run time; its code is
then written once for every shape the program's channels have, in a ``switch``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kripke.process.emit.facts import Shape
from kripke.process.emit.scalars import Spot, View, read_scalar, wrap, write_scalar
from kripke.process.expressions import ChannelElement, ChannelIdentity, Expression
from kripke.process.intervals import ANY, Interval
from kripke.process.program import Scope, ViolationKind

if TYPE_CHECKING:
    from kripke.process.emit.code import Code
    from kripke.process.emit.expressions import Evaluation

# Up to this many bytes a buffer is shifted as a whole, by a copy of constant size.
_SHIFTED_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class ChannelSite:
    """A channel an operation works on. ``shape`` None: it is in the C variable ``shape_name``.

    ``identity`` is a C operand with the channel's identity.
    """

    spot: Spot
    shape: Shape | None
    identity: str
    shape_name: str = ""
    offset_name: str = ""


def find_site(evaluation: Evaluation, channel: Expression) -> ChannelSite:
    """Find the channel an expression names; writes the search where it is not known now."""
    facts, code, view = evaluation.facts, evaluation.code, evaluation.view
    if isinstance(channel, ChannelIdentity):
        declared = channel.channel
        spot = Spot(declared.scope is Scope.LOCAL, declared.offset)
        # Only a rendezvous and who watches events compare identities.
        identity = "" if declared.capacity and not facts.program.watches_events else evaluation.value(channel)
        return ChannelSite(spot, facts.shape_of(declared), identity)
    if isinstance(channel, ChannelElement):
        return _element_site(evaluation, channel)
    identity = evaluation.named(evaluation.value(channel), "id")
    if not facts.shapes:
        code.line(f"(void){identity};")
        evaluation.check("1", ViolationKind.CHANNEL)
        return ChannelSite(Spot(False, 0), Shape(1, 0, ()), identity)
    shape, offset = code.fresh("shape"), code.fresh("q")
    code.line(f"uint32_t {offset} = 0;")
    code.line(f"uint32_t {shape} = find_channel({view.state}, {view.length}, {identity}, &{offset});")
    evaluation.check(f"{shape} == 0", ViolationKind.CHANNEL)
    only = facts.shapes[0] if len(facts.shapes) == 1 else None
    return ChannelSite(Spot(False, 0, (offset,)), only, identity, shape, offset)


def _element_site(evaluation: Evaluation, element: ChannelElement) -> ChannelSite:
    first = element.channels[0]
    index = evaluation.named(evaluation.subscript(element.index, len(element.channels)), "i")
    spot = Spot(first.scope is Scope.LOCAL, first.offset)
    identity = f"({evaluation.value(ChannelIdentity(first))} + {index})"
    if first.capacity:
        return ChannelSite(spot.plus(0, f"{index} * {first.size}"), evaluation.facts.shape_of(first), identity)
    return ChannelSite(spot, evaluation.facts.shape_of(first), identity)


def for_each_shape(evaluation: Evaluation, site: ChannelSite, write: Callable[[Shape, Spot], None]) -> None:
    """Write code for the channel's shape: directly where it is known, else as cases of a switch."""
    if site.shape is not None:
        write(site.shape, site.spot)
        return
    code = evaluation.code
    with code.block(f"switch ({site.shape_name})"):
        for shape in evaluation.facts.shapes:
            with code.captured() as lines:
                write(shape, site.spot)
            if lines:
                with code.block(f"case {shape.number}:", " break;"):
                    code.lines += lines
        code.line("default: break;")


@contextmanager
def slot_loop(evaluation: Evaluation, slot: str, length: str) -> Iterator[None]:
    """A loop over the messages in a buffer."""
    with evaluation.code.block(f"for (uint32_t {slot} = 0; {slot} < {length}; {slot}++)"):
        yield


def length_of(shape: Shape, spot: Spot, view: View) -> str:
    """How many messages there are in a buffer, as a C operand."""
    return spot.byte(view) if shape.length_bytes == 1 else f"(int32_t)get16({spot.pointer(view)})"


def _change_length(shape: Shape, spot: Spot, view: View, sign: str) -> str:
    if shape.length_bytes == 1:
        return f"{spot.byte(view)}{sign * 2};"
    return f"put16({spot.pointer(view)}, get16({spot.pointer(view)}) {sign} 1);"


def times(slot: str, size: int) -> str:
    return slot if size == 1 else f"{slot} * {size}"


def write_message(code: Code, shape: Shape, message: Spot, view: View, values: list[tuple[str, Interval]]) -> None:
    for i, (value, bounds) in enumerate(values):
        code.line(write_scalar(message.plus(shape.field_offset(i)), shape.fields[i], view, value, bounds))


def append_message(code: Code, shape: Shape, spot: Spot, view: View, values: list[tuple[str, Interval]]) -> None:
    """``q!...`` on a buffer with room."""
    length, size = length_of(shape, spot, view), shape.message_bytes
    if shape.capacity == 1:
        write_message(code, shape, spot.plus(1), view, values)
        code.line(f"{length} = 1;")
        return
    with code.block():
        at = code.fresh("m")
        code.line(f"uint32_t {at} = {length} * {size}u;")
        write_message(code, shape, spot.plus(shape.length_bytes, at), view, values)
        code.line(_change_length(shape, spot, view, "+"))


def insert_message(code: Code, shape: Shape, spot: Spot, view: View, values: list[tuple[str, Interval]]) -> None:
    """``q!!...``: before the first larger message."""
    length, size = length_of(shape, spot, view), shape.message_bytes
    with code.block():
        slot, kept = code.fresh("k"), []
        for type_, (value, bounds) in zip(shape.fields, values, strict=True):
            name = code.fresh("t")
            code.line(f"int32_t {name} = {wrap(type_, value, bounds)};")
            kept.append((name, ANY))
        code.line(f"uint32_t {slot} = 0;")
        message = spot.plus(shape.length_bytes, times(slot, size))
        with code.block(f"for (; {slot} < {length}; {slot}++)"):
            code.line(f"if ({_larger(shape, message, view, [name for name, _ in kept])}) break;")
        code.line(
            f"memmove({message.plus(size).pointer(view)}, {message.pointer(view)}, ({length} - {slot}) * {size}u);"
        )
        write_message(code, shape, message, view, kept)
        code.line(_change_length(shape, spot, view, "+"))


def _larger(shape: Shape, message: Spot, view: View, values: list[str]) -> str:
    """Does the message come after the values, field by field from the left?"""
    test = "0"
    for i in range(len(values) - 1, -1, -1):
        field = read_scalar(message.plus(shape.field_offset(i)), shape.fields[i], view)
        rest = f" || ({field} == {values[i]} && {test})" if test != "0" else ""
        test = f"({field} > {values[i]}{rest})"
    return test


def remove_message(code: Code, shape: Shape, spot: Spot, view: View, slot: str) -> None:
    """Take the message in a slot out of the buffer; the slot it leaves at the end becomes zero."""
    size, capacity = shape.message_bytes, shape.capacity
    if slot == "0" and capacity * size <= _SHIFTED_AT_ONCE:
        first, last = spot.plus(shape.length_bytes), spot.plus(shape.length_bytes + (capacity - 1) * size)
        if capacity > 1 and size:
            code.line(f"memmove({first.pointer(view)}, {first.plus(size).pointer(view)}, {(capacity - 1) * size});")
        if size:
            code.line(f"memset({last.pointer(view)}, 0, {size});")
        code.line(_change_length(shape, spot, view, "-"))
        return
    messages, length = spot.plus(shape.length_bytes).pointer(view), length_of(shape, spot, view)
    code.line(f"remove_message({messages}, {length}, {slot}, {size});")
    code.line(_change_length(shape, spot, view, "-"))
