"""Executable content: the actions of entry and exit handlers and of transitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kripke.hierarchy.chart.content import milliseconds
from kripke.hierarchy.chart.structure import (
    Action,
    AssignTo,
    Cancel,
    ForEach,
    If,
    Log,
    Payload,
    Raise,
    Script,
    Send,
)
from kripke.languages.xml_document import Element
from kripke.model.source import ModelError, Span

if TYPE_CHECKING:
    from kripke.languages.scxml.reader import Reader

_HTTP = ("http://www.w3.org/TR/scxml/#BasicHTTPEventProcessor", "basichttp")


class ContentReader:
    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def fail(self, element: Element, message: str, hint: str | None = None) -> ModelError:
        return self.reader.fail(element, message, hint)

    def span(self, element: Element) -> Span:
        return self.reader.document.span(element)

    def block(self, element: Element, state: str) -> tuple[Action, ...]:
        return tuple(self.action(child, state) for child in self.reader.ours(element))

    def action(self, element: Element, state: str) -> Action:
        from kripke.languages.scxml.reader import refused

        span, given = self.span(element), element.attributes
        match element.tag:
            case "raise":
                event = self.needed(element, "event")
                return Raise(span, self.reader.statement(f"raise {event}", span, state), event)
            case "assign":
                return self.assign(element, state)
            case "log":
                value = self.reader.script(element, "expr") if "expr" in given else None
                label = given.get("label", "")
                text = f"log {label} {value.text if value else ''}".strip()
                return Log(span, self.reader.statement(text, span, state), label, value)
            case "if":
                return self.condition(element, state)
            case "foreach":
                array, item = self.needed(element, "array"), self.needed(element, "item")
                script = self.reader.script(element, "array")
                number = self.reader.statement(f"foreach {item} in {array}", span, state)
                return ForEach(span, number, script, item, given.get("index", ""), self.block(element, state))
            case "send":
                return self.send(element, state)
            case "cancel":
                id_ = self.either(element, "sendid", "sendidexpr")
                shown = id_ if isinstance(id_, str) else id_.text
                return Cancel(span, self.reader.statement(f"cancel {shown}", span, state), id_)
            case tag:
                hint = None if refused(tag) else "is it spelled as the W3C spells it?"
                raise self.fail(element, refused(tag) or f"{tag} is no executable content", hint)

    def needed(self, element: Element, attribute: str) -> str:
        value = element.attributes.get(attribute, "")
        if not value:
            raise self.fail(element, f"{element.tag} needs {attribute}")
        return value

    def either(self, element: Element, text: str, expression: str) -> str | Script:
        if text in element.attributes and expression in element.attributes:
            raise self.fail(element, f"{element.tag} has {text} or {expression}, not both")
        return (
            self.reader.script(element, expression)
            if expression in element.attributes
            else element.attributes.get(text, "")
        )

    def assign(self, element: Element, state: str) -> Action:
        location = self.needed(element, "location")
        place = self.reader.scripts.location(location, self.reader.document.span_of(element, "location"))
        span = self.span(element)
        if "expr" in element.attributes:
            value = self.reader.script(element, "expr")
        else:
            from kripke.hierarchy.script.syntax import Literal

            value = Script(element.text.strip(), Literal(0, self.reader.literal(element)), "", span)
        text = f"{location.strip()} = {' '.join(value.text.split())}"
        return AssignTo(span, self.reader.statement(text, span, state), place, value)

    def condition(self, element: Element, state: str) -> Action:
        self.needed(element, "cond")
        branches: list[tuple[Script | None, list[Action]]] = [(self.reader.script(element, "cond"), [])]
        for child in self.reader.ours(element):
            if child.tag == "elseif":
                self.needed(child, "cond")
                self.after_else(child, branches)
                branches.append((self.reader.script(child, "cond"), []))
            elif child.tag == "else":
                self.after_else(child, branches)
                branches.append((None, []))
            else:
                branches[-1][1].append(self.action(child, state))
        return If(self.span(element), -1, tuple((condition, tuple(body)) for condition, body in branches))

    def after_else(self, element: Element, branches: list[tuple[Script | None, list[Action]]]) -> None:
        if branches[-1][0] is None:
            raise self.fail(element, f"{element.tag} behind else")

    def payload(self, element: Element) -> Payload:
        parameters: list[tuple[str, Script]] = []
        for child in self.reader.ours(element):
            if child.tag == "param":
                name = self.needed(child, "name")
                source = "location" if "location" in child.attributes else "expr"
                self.needed(child, source)
                parameters.append((name, self.reader.script(child, source)))
            elif child.tag == "content":
                if "expr" in child.attributes:
                    return Payload(content=self.reader.script(child, "expr"))
                return Payload(value=self.reader.literal(child), has_value=True)
            else:
                raise self.fail(child, f"{child.tag} is not known in {element.tag}")
        return Payload(tuple(parameters))

    def send(self, element: Element, state: str) -> Action:
        given, span = element.attributes, self.span(element)
        type_ = self.either(element, "type", "typeexpr")
        target = self.either(element, "target", "targetexpr")
        for attribute in ("type", "typeexpr", "target", "targetexpr"):
            text = given.get(attribute, "")
            if any(name in text for name in _HTTP) or (attribute == "target" and text.startswith("http")):
                message = "the I/O processor basichttp is not supported"
                raise self.reader.document.error(message, self.reader.document.span_of(element, attribute))
        event = self.either(element, "event", "eventexpr")
        if not event and not any(child.tag == "content" for child in element):
            raise self.fail(element, "send needs event")
        id_location = None
        if "idlocation" in given:
            where = self.reader.document.span_of(element, "idlocation")
            id_location = self.reader.scripts.location(given["idlocation"], where)
            self.reader.chart.has_ids = True
        names = tuple(
            self.reader.scripts.location(name, self.reader.document.span_of(element, "namelist"))
            for name in given.get("namelist", "").split()
        )
        shown = event if isinstance(event, str) else event.text
        later = given.get("delay") or given.get("delayexpr")
        number = self.reader.statement(f"send {shown}" + (f" after {later}" if later else ""), span, state)
        return Send(
            span,
            number,
            event,
            target,
            type_,
            given.get("id", ""),
            id_location,
            self.delay(element),
            names,
            self.payload(element),
        )

    def delay(self, element: Element) -> int | Script:
        text = self.either(element, "delay", "delayexpr")
        if not isinstance(text, str):
            return text
        if not text:
            return 0
        found = milliseconds(text)
        if found is None:
            where = self.reader.document.span_of(element, "delay")
            raise self.reader.document.error(f"{text} is no delay", where, "write 100ms or 1.5s")
        return found
