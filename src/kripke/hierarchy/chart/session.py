"""What changes while a chart runs, and its form as a byte string."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from kripke.hierarchy.script.values import UNDEFINED, Element, Function, Record, Undefined, Value


class Event(NamedTuple):
    name: str
    type: str = "external"  # or internal, platform
    data: Value = UNDEFINED
    send_id: Value = UNDEFINED
    origin: Value = UNDEFINED
    origin_type: Value = UNDEFINED

    def record(self) -> Record:
        """What ``_event`` is."""
        return Record(
            (
                ("name", self.name),
                ("type", self.type),
                ("sendid", self.send_id),
                ("origin", self.origin),
                ("origintype", self.origin_type),
                ("invokeid", UNDEFINED),
                ("data", self.data),
            )
        )


class Delayed(NamedTuple):
    """An event that is sent after so many milliseconds. Equal times keep the order in which they were asked for."""

    remaining: int
    event: Event
    id: str


@dataclass(slots=True)
class Session:
    """``configuration``: active states, the root left out. ``entered``: states whose data has got its values (late
    binding). ``ids``: how many names were made for sent events."""

    configuration: frozenset[int] = frozenset()
    history: dict[int, tuple[int, ...]] = field(default_factory=dict)
    data: dict[str, Value] = field(default_factory=dict)
    external: tuple[Event, ...] = ()
    delayed: tuple[Delayed, ...] = ()
    entered: frozenset[int] = frozenset()
    ids: int = 0
    running: bool = True

    def copy(self) -> Session:
        return replace(self, history=dict(self.history), data=dict(self.data))


def encode(session: Session | None) -> bytes:
    """Canonical; None: it has not started."""
    if session is None:
        return b"\0"
    import json

    parts = [
        sorted(session.configuration),
        sorted((number, list(states)) for number, states in session.history.items()),
        [[name, _plain(value)] for name, value in sorted(session.data.items())],
        [_plain_event(event) for event in session.external],
        [[one.remaining, _plain_event(one.event), one.id] for one in session.delayed],
        sorted(session.entered),
        session.ids,
        session.running,
    ]
    return json.dumps(parts, separators=(",", ":")).encode()


def decode(state: bytes) -> Session | None:
    if state == b"\0":
        return None
    import json

    configuration, history, data, external, delayed, entered, ids, running = json.loads(state)
    return Session(
        frozenset(configuration),
        {number: tuple(states) for number, states in history},
        {name: _value(value) for name, value in data},
        tuple(_event(event) for event in external),
        tuple(Delayed(remaining, _event(event), name) for remaining, event, name in delayed),
        frozenset(entered),
        ids,
        running,
    )


def _plain_event(event: Event) -> list[object]:
    return [event.name, event.type, *(_plain(part) for part in event[2:])]


def _event(parts: list[object]) -> Event:
    name, type_, *others = parts
    return Event(str(name), str(type_), *(_value(part) for part in others))


def _plain(value: Value) -> object:
    """As JSON has it; what JSON does not have is a list with a tag."""
    match value:
        case Undefined():
            return ["u"]
        case tuple():
            return ["a", *map(_plain, value)]
        case Function(text):
            return ["f", text]
        case Element(tag, attributes, children, text):
            return ["x", tag, [list(pair) for pair in attributes], [_plain(child) for child in children], text]
        case Record(items):
            return ["o", *([name, _plain(item)] for name, item in items)]
        case float() if value != value:
            return ["n"]
        case float() if value in (float("inf"), float("-inf")):
            return ["i", value > 0]
        case _:
            return value


def _element(tag: str, attributes: Any, children: Any, text: str) -> Element:
    inner = tuple(_element(*child[1:]) for child in children)
    return Element(tag, tuple((name, value) for name, value in attributes), inner, text)


def _value(plain: Any) -> Value:
    match plain:
        case ["u"]:
            return UNDEFINED
        case ["n"]:
            return float("nan")
        case ["i", positive]:
            return float("inf") if positive else float("-inf")
        case ["f", text]:
            return Function(text)
        case ["x", tag, attributes, children, text]:
            return _element(tag, attributes, children, text)
        case ["a", *items]:
            return tuple(_value(item) for item in items)
        case ["o", *items]:
            return Record(tuple((str(name), _value(item)) for name, item in items))
        case None | bool() | int() | float() | str():
            return plain
    raise TypeError(plain)
