"""The monitor of a trace assertion as C: ``watch_event`` moves it and tells whether the event breaks the assertion."""

from __future__ import annotations

from kripke.process.emit.code import Code
from kripke.process.emit.processes import table
from kripke.process.emit.scalars import Spot, View, read_scalar, write_scalar
from kripke.process.events import Event, EventMonitor
from kripke.process.intervals import interval_of_type


def monitor_functions(monitor: EventMonitor) -> str:
    code = Code()
    code.line(table("uint8_t", "event_end", [str(int(end)) for end in monitor.ends]))
    view = View("o", "o")
    type_ = monitor.variable.components[0].type
    spot = Spot(False, monitor.variable.offset)
    store = write_scalar(spot, type_, view, "next", interval_of_type(type_))
    code.line("/* The event of a channel: a message was sent, or is about to be taken out. 1 where it must not be. */")
    code.line("static int watch_event(uint8_t *o, uint32_t channel, int is_send, const int32_t *m)")
    with code.block():
        code.line(f"int next = {monitor.end if monitor.negated else -1};")
        code.line("(void)m;")
        code.line(f"if (!({_scope(monitor)})) return 0;")
        with code.block(f"switch ({read_scalar(spot, type_, view)})"):
            for number, events in enumerate(monitor.states):
                if events and number != monitor.end:
                    code.line(f"case {number}:")
                    for event in events:
                        broken = int(monitor.negated and event.target == monitor.end)
                        code.line(f"    if ({_test(event)}) {{ next = {event.target}; {store} return {broken}; }}")
                    code.line("    break;")
            code.line("default: break;")
        if monitor.negated:
            code.line(store)
        code.line(f"return {int(not monitor.negated)};")
    code.line()
    return code.text()


def may_rest(monitor: EventMonitor) -> str:
    """The C condition that the monitor does not keep the model from resting."""
    type_ = monitor.variable.components[0].type
    return f"event_end[{read_scalar(Spot(False, monitor.variable.offset), type_, View('s', 's'))}]"


def _scope(monitor: EventMonitor) -> str:
    tests = []
    for is_send in (True, False):
        channels = " || ".join(f"channel == {channel.number + 1}" for channel in monitor.watched(is_send))
        if channels:
            tests.append(f"({'is_send' if is_send else '!is_send'} && ({channels}))")
    return " || ".join(tests) or "0"


def _test(event: Event) -> str:
    tests = ["is_send" if event.is_send else "!is_send", f"channel == {event.channel.number + 1}"]
    tests += [f"m[{i}] == {value}" for i, value in enumerate(event.fields) if value is not None]
    return " && ".join(tests)
