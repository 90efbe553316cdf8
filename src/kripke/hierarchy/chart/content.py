"""Executable content: what blocks of actions do to a session."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from kripke.hierarchy.chart.session import Delayed, Event
from kripke.hierarchy.chart.structure import (
    Action,
    AssignTo,
    Cancel,
    Execute,
    ForEach,
    If,
    Log,
    Raise,
    Script,
    Send,
)
from kripke.hierarchy.script.evaluation import assign, evaluate
from kripke.hierarchy.script.values import UNDEFINED, Record, ScriptError, Value, to_text

if TYPE_CHECKING:
    from kripke.hierarchy.chart.interpreter import Run

PROCESSOR: Final = "http://www.w3.org/TR/scxml/#SCXMLEventProcessor"
PROCESSORS: Final = ("", "scxml", PROCESSOR, "http://www.w3.org/TR/scxml/")
SESSION: Final = "session1"
ADDRESS: Final = f"#_scxml_{SESSION}"
_DELAY: Final = re.compile(r"\s*(\d+\.?\d*|\.\d+)\s*(ms|s|m|h|d)\s*")
_UNITS: Final = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_LONGEST_DELAY: Final = 2**31
_PROTECTED: Final = ("_event", "_sessionid", "_name", "_ioprocessors", "_x")
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*")


class ContentError(Exception):
    """Something could not be executed: an error event is raised."""

    def __init__(self, event: str, message: str, send_id: Value = UNDEFINED) -> None:
        super().__init__(message)
        self.event = event
        self.send_id = send_id


def milliseconds(text: str) -> int | None:
    """Of a delay as CSS2 writes it: ``1s``, ``.5s``, ``100ms``."""
    match = _DELAY.fullmatch(text)
    if match is None:
        return None
    return min(round(float(match[1]) * _UNITS[match[2]]), _LONGEST_DELAY)


class Content:
    """Also what names in expressions stand for."""

    def __init__(self, run: Run) -> None:
        self.run = run

    # --- names --------------------------------------------------------------------------------------------------------

    def read(self, name: str) -> Value:
        data = self.run.session.data
        if name in data:
            return data[name]
        match name:
            case "_event":
                return UNDEFINED if self.run.event is None else self.run.event.record()
            case "_sessionid":
                return SESSION
            case "_name":
                return self.run.chart.name
            case "_ioprocessors":
                location = Record((("location", ADDRESS),))
                return Record(((PROCESSOR, location), ("scxml", location)))
            case "_x":
                return Record()
        raise ScriptError(f"there is no variable {name}")

    def write(self, name: str, value: Value) -> None:
        if name in _PROTECTED:
            raise ScriptError(f"{name} cannot be changed")
        if name not in self.run.session.data:
            raise ScriptError(f"there is no variable {name}")
        if (self.run.bounded or self.run.chart.bounded) and isinstance(value, int) and not -(2**31) <= value < 2**31:
            from kripke.hierarchy.chart.interpreter import Beyond

            raise Beyond
        self.run.session.data[name] = value

    def is_in(self, state: str) -> bool:
        number = self.run.chart.by_id.get(state)
        if number is None:
            raise ScriptError(f"there is no state {state}")
        return number in self.run.session.configuration

    def value(self, script: Script, send_id: Value = UNDEFINED) -> Value:
        if script.tree is None:
            raise ContentError("error.execution", script.fault, send_id)
        try:
            return evaluate(script.tree, self)
        except ScriptError as error:
            raise ContentError("error.execution", str(error), send_id) from None

    def text(self, given: str | Script, send_id: Value = UNDEFINED) -> str:
        return given if isinstance(given, str) else to_text(self.value(given, send_id))

    # --- actions ------------------------------------------------------------------------------------------------------

    def execute(self, block: Sequence[Action]) -> None:
        from kripke.hierarchy.chart.interpreter import Executed

        for action in block:
            match action:
                case Raise(_, number, event):
                    self.run.executed.append(Executed(number))
                    self.run.raise_event(Event(event, "internal"))
                case AssignTo(_, number, location, value):
                    self.run.executed.append(Executed(number))
                    self.assign(location, self.value(value))
                case Execute(_, number, script):
                    self.run.executed.append(Executed(number))
                    self.value(script)
                case Log(_, number, label, value):
                    said = "" if value is None else to_text(self.value(value))
                    self.run.executed.append(Executed(number, f"{label}: {said}" if label else said))
                case If(_, _, branches):
                    for condition, body in branches:
                        if condition is None or self.run.condition(condition):
                            self.execute(body)
                            break
                case ForEach():
                    self.for_each(action)
                case Send():
                    self.run.executed.append(Executed(action.number))
                    self.send(action)
                case Cancel(_, number, id_):
                    self.run.executed.append(Executed(number))
                    name, session = self.text(id_), self.run.session
                    session.delayed = tuple(one for one in session.delayed if one.id != name)
                case _:
                    raise TypeError(action)

    def assign(self, location: Script, value: Value) -> None:
        if location.tree is None:
            raise ContentError("error.execution", location.fault)
        try:
            assign(location.tree, value, self)
        except ScriptError as error:
            raise ContentError("error.execution", str(error)) from None

    def for_each(self, loop: ForEach) -> None:
        array = self.value(loop.array)
        if not isinstance(array, tuple):
            raise ContentError("error.execution", "foreach needs an array")
        names = [name for name in (loop.item, loop.index) if name]
        for name in names:
            if not _NAME.fullmatch(name) or name in _PROTECTED or name in ("continue", "break", "return"):
                raise ContentError("error.execution", f"{name} is no name of a variable")
        for name in names:
            self.run.session.data.setdefault(name, UNDEFINED)
        for index, item in enumerate(array):
            self.run.session.data[loop.item] = item
            if loop.index:
                self.run.session.data[loop.index] = index
            self.execute(loop.body)

    # --- events -------------------------------------------------------------------------------------------------------

    def send(self, send: Send) -> None:
        from kripke.hierarchy.chart.interpreter import MOST_DELAYED, Overflow

        session = self.run.session
        name = send.id
        if send.id_location is not None:
            session.ids += 1
            name = f"send{session.ids}"
            self.assign(send.id_location, name)
        known: Value = name or UNDEFINED
        event = self.text(send.event, known)
        type_ = self.text(send.type, known)
        whereto = send.target if isinstance(send.target, str) else self.value(send.target, known)
        target = to_text(whereto)
        delay = self.delay(send, known)
        data = self.data(send, known)
        if type_ not in PROCESSORS:
            raise ContentError("error.execution", f"there is no event processor {type_}", known)
        if target == "#_internal":
            if delay:
                raise ContentError("error.execution", "an internal event is not sent later", known)
            self.run.raise_event(Event(event, "internal", data, known))
            return
        if target not in ("", ADDRESS):
            # What has the form of a target, or has no value, is nobody who could be reached; the rest is no target.
            absent = target.startswith("#_") or whereto is UNDEFINED or whereto is None
            code = "error.communication" if absent else "error.execution"
            raise ContentError(code, f"nobody can be reached at {target}", known)
        sent = Event(event, "external", data, known, ADDRESS, PROCESSOR)
        if not delay:
            self.run.send(sent)
        elif len(session.delayed) >= MOST_DELAYED:
            raise Overflow
        else:
            waiting = [*session.delayed, Delayed(delay, sent, name)]
            session.delayed = tuple(sorted(waiting, key=lambda one: one.remaining))

    def delay(self, send: Send, known: Value) -> int:
        if isinstance(send.delay, int):
            return send.delay
        value = self.value(send.delay, known)
        found = milliseconds(to_text(value))
        if found is None:
            raise ContentError("error.execution", f"{to_text(value)} is no delay", known)
        return found

    def data(self, send: Send, known: Value) -> Value:
        record = Record()
        for script in send.names:
            record = record.put(script.text, self.value(script, known))
        rest = self.run.payload(send.payload)
        if record.items:
            return Record((*record.items, *(rest.items if isinstance(rest, Record) else ())))
        return rest
