"""What watches events, as C: ``watch_event`` notes an event in the record, moves the monitor of a trace assertion and
tells whether the event breaks it; ``emit_step`` takes the record out of the state after a step.
"""

from __future__ import annotations

from kripke.process.emit.code import Code
from kripke.process.emit.processes import table
from kripke.process.emit.scalars import Spot, View, read_scalar, write_scalar
from kripke.process.events import Event, EventMonitor
from kripke.process.intervals import interval_of_type
from kripke.process.program import Program, Variable


def event_functions(program: Program) -> str:
    """``watch_event``, and ``emit_step`` where there is a record."""
    code = Code()
    monitor, record = program.monitor, program.record
    if monitor is not None:
        code.line(table("uint8_t", "event_end", [str(int(end)) for end in monitor.ends]))
    code.line("/* The event of a channel: a message was sent, or is about to be taken out. 1 where it must not be. */")
    code.line("static int watch_event(uint8_t *o, uint32_t channel, int is_send, const int32_t *m)")
    with code.block():
        code.line("(void)m;")
        for number, event in record.of_channels() if record is not None else ():
            assert record is not None
            code.line(f"if ({_test(event)}) o[{record.variable.offset + number // 8}] |= {1 << number % 8};")
        if monitor is None:
            code.line("return 0;")
        else:
            _move(code, monitor)
    code.line()
    if record is not None:
        _emit_step(code, record.variable)
    return code.text()


def _move(code: Code, monitor: EventMonitor) -> None:
    view = View("o", "o")
    type_ = monitor.variable.components[0].type
    spot = Spot(False, monitor.variable.offset)
    store = write_scalar(spot, type_, view, "next", interval_of_type(type_))
    code.line(f"int next = {monitor.end if monitor.negated else -1};")
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


def _emit_step(code: Code, variable: Variable) -> None:
    code.line("/* A step is done: what was recorded goes with it, not with the state. */")
    code.line("static void emit_step(kripke_sink *sink, uint32_t n, uint32_t label)")
    with code.block():
        places = [f"sink->out[{variable.offset + i}]" for i in range(variable.size)]
        code.line(f"sink->happened = {' | '.join(f'(uint64_t){p} << {8 * i}' for i, p in enumerate(places))};")
        for place in places:
            code.line(f"{place} = 0;")
        code.line("sink->emit(sink, n, label);")
    code.line()


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
