"""From an SCXML document to a chart. What is not supported is refused by name, with its place."""

from __future__ import annotations

import os
import re
from typing import Final

from kripke.hierarchy.chart.structure import (
    Action,
    Chart,
    Script,
    State,
    StateKind,
    Transition,
    Variable,
)
from kripke.hierarchy.script.values import UNDEFINED, Record, Value, numeral
from kripke.hierarchy.script.values import Element as XmlElement
from kripke.languages.scxml.content_reader import ContentReader
from kripke.languages.scxml.scripts import Scripts
from kripke.languages.xml_document import Document, Element
from kripke.model.source import ModelError, Span

NAMESPACE: Final = "http://www.w3.org/2005/07/scxml"
PROPERTIES: Final = "urn:kripke:properties"
_STATES: Final = frozenset({"state", "parallel", "final", "history"})
_REFUSED: Final = {
    "invoke": "invoke is not supported: a chart is checked as one session",
    "script": "script is not supported",
    "finalize": "finalize is not supported: it belongs to invoke",
}
_LONGEST_DATA: Final = 1 << 20
_MOST_STATES: Final = 20_000


class Reader:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.scripts = Scripts(document.sources)
        self.chart = Chart("", [], [], False, False)
        self.content = ContentReader(self)
        self._elements: list[Element] = []
        self.chart.statements.append(("start", Span(document.path, 1, 1, 1, 1), ""))

    def read(self) -> Chart:
        root = self.document.read()
        if root.tag != "scxml" or root.namespace not in (NAMESPACE, ""):
            raise self.fail(root, "this is no SCXML: the outermost element is not scxml")
        model = root.attributes.get("datamodel", "ecmascript")
        if model not in ("ecmascript", "null"):
            raise self.fail(root, f"the data model {model} is not supported", "ecmascript and null are")
        binding = root.attributes.get("binding", "early")
        if binding not in ("early", "late"):
            raise self.fail(root, f"binding is early or late, not {binding}")
        self.chart.late = binding == "late"
        self.chart.name = root.attributes.get("name", "")
        self.chart.has_data = model == "ecmascript"
        for child in root:
            if child.namespace == PROPERTIES:
                self.property(child)
        self.scripts.variables = _names(root)
        self.state(root, -1)
        for state, element in zip(self.chart.states, self._elements, strict=True):
            self.inside(state, element)
        for state, element in zip(self.chart.states, self._elements, strict=True):
            self.initial(state, element)
        return self.chart

    def property(self, element: Element) -> None:
        """What is to be checked, in a namespace of our own that other tools pass over."""
        if element.tag not in ("invariant", "ltl"):
            raise self.fail(element, f"{element.tag} is no property", "there are invariant and ltl")
        name = element.attributes.get("name", element.tag)
        text = element.attributes.get("expr", element.text).strip()
        if not text:
            raise self.fail(element, f"{element.tag} needs expr")
        found = self.chart.invariants if element.tag == "invariant" else self.chart.formulas
        found.append((name, text, self.document.span(element)))

    def fail(self, element: Element, message: str, hint: str | None = None) -> ModelError:
        return self.document.error(message, self.document.span(element), hint)

    def script(self, element: Element, attribute: str) -> Script:
        """An expression; `<` in an attribute may be written as an entity, which shifts places behind it."""
        return self.scripts.read(element.attributes[attribute], self.document.span_of(element, attribute))

    def statement(self, text: str, span: Span, state: str) -> int:
        self.chart.statements.append((text, span, state))
        return len(self.chart.statements) - 1

    def ours(self, element: Element) -> list[Element]:
        """The children that are SCXML; others are for other tools."""
        return [child for child in element if child.namespace in (NAMESPACE, "")]

    # --- states -------------------------------------------------------------------------------------------------------

    def state(self, element: Element, parent: int) -> int:
        states = self.chart.states
        number = len(states)
        if number >= _MOST_STATES:
            raise self.fail(element, f"a chart has at most {_MOST_STATES:,} states")
        id_ = element.attributes.get("id", "") if parent >= 0 else ""
        if id_ in self.chart.by_id:
            raise self.fail(element, f"there are two states {id_}")
        if parent >= 0:
            id_ = id_ or self.unused(number)
            self.chart.by_id[id_] = number
        states.append(State(number, id_, self.kind(element, parent), parent, self.document.span(element)))
        self._elements.append(element)
        for child in self.ours(element):
            if child.tag in _STATES:
                if states[number].kind in ("final", "shallow", "deep"):
                    raise self.fail(child, f"{element.tag} contains no states")
                states[number].children.append(self.state(child, number))
        states[number].last = len(states) - 1
        if parent < 0 and not states[0].children:
            raise self.fail(element, "the chart has no states")
        if states[number].kind == "parallel" and not any(
            not self.chart.is_history(child) for child in states[number].children
        ):
            raise self.fail(element, "parallel contains no states")
        return number

    def unused(self, number: int) -> str:
        name = f"_{number}"
        while name in self.chart.by_id:
            name = f"_{name}"
        return name

    def kind(self, element: Element, parent: int) -> StateKind:
        if parent < 0:
            return "root"
        if element.tag == "history":
            type_ = element.attributes.get("type", "shallow")
            if type_ not in ("shallow", "deep"):
                raise self.fail(element, f"a history is shallow or deep, not {type_}")
            return "deep" if type_ == "deep" else "shallow"
        return "parallel" if element.tag == "parallel" else "final" if element.tag == "final" else "state"

    def inside(self, state: State, element: Element) -> None:
        for child in self.ours(element):
            match child.tag:
                case "state" | "parallel" | "final" | "history":
                    continue
                case "transition":
                    transition = self.transition(child, state)
                    if self.chart.is_history(state.number):
                        if state.initial is not None:
                            raise self.fail(child, "a history has one default transition")
                        state.initial = transition
                    else:
                        state.transitions.append(transition)
                case "initial":
                    continue
                case "onentry":
                    state.on_entry.append(self.content.block(child, state.id))
                case "onexit":
                    state.on_exit.append(self.content.block(child, state.id))
                case "datamodel":
                    self.data_model(child, state)
                case "donedata":
                    if state.kind != "final":
                        raise self.fail(child, "donedata belongs to a final state")
                    state.done = self.content.payload(child)
                case tag:
                    hint = None if tag in _REFUSED else "is it spelled as the W3C spells it?"
                    raise self.fail(child, _REFUSED.get(tag, f"{tag} is not known in {element.tag}"), hint)

    def transition(self, element: Element, state: State) -> Transition:
        events = tuple(element.attributes.get("event", "").split())
        condition = self.script(element, "cond") if "cond" in element.attributes else None
        targets = self.targets(element, "target")
        type_ = element.attributes.get("type", "external")
        if type_ not in ("internal", "external"):
            raise self.fail(element, f"a transition is internal or external, not {type_}")
        name = state.id or "scxml"
        text = f"{name} -> {' '.join(self.chart.states[t].id for t in targets)}" if targets else f"{name}: stay"
        text += f" on {' '.join(events)}" if events else ""
        text += f" [{' '.join(condition.text.split())}]" if condition is not None else ""
        number = self.statement(text, self.document.span(element), state.id)
        body = self.content.block(element, state.id)
        return Transition(
            state.number, events, condition, targets, type_ == "internal", body, self.document.span(element), number
        )

    def targets(self, element: Element, attribute: str) -> tuple[int, ...]:
        found = []
        for name in element.attributes.get(attribute, "").split():
            number = self.chart.by_id.get(name)
            if number is None:
                from difflib import get_close_matches

                close = get_close_matches(name, self.chart.by_id, n=1)
                hint = f"did you mean {close[0]}?" if close else None
                raise self.document.error(f"there is no state {name}", self.document.span_of(element, attribute), hint)
            found.append(number)
        for i, one in enumerate(found):
            for other in found[:i]:
                if not self.orthogonal(one, other):
                    names = f"{self.chart.states[other].id} and {self.chart.states[one].id}"
                    raise self.document.error(
                        f"{names} cannot be active together", self.document.span_of(element, attribute)
                    )
        return tuple(found)

    def orthogonal(self, one: int, other: int) -> bool:
        chart = self.chart
        if one == other or chart.descendant(one, other) or chart.descendant(other, one):
            return False
        common = next(a for a in chart.ancestors(one) if chart.descendant(other, a))
        return chart.states[common].kind == "parallel"

    def initial(self, state: State, element: Element) -> None:
        chart = self.chart
        if chart.is_history(state.number):
            if state.initial is not None and (state.initial.events or state.initial.condition is not None):
                raise self.fail(element, "the default transition of a history has neither event nor condition")
            return
        inner = [child for child in self.ours(element) if child.tag == "initial"]
        given = "initial" in element.attributes
        if not chart.compound(state.number):
            if given or inner:
                raise self.fail(element, f"{element.tag} has no initial state: it contains none")
            return
        if given and inner:
            raise self.fail(inner[0], "there is an attribute initial as well")
        targets: tuple[int, ...]
        body: tuple[Action, ...] = ()
        number = -1
        if given:
            targets = self.targets(element, "initial")
        elif inner:
            arrows = [child for child in self.ours(inner[0]) if child.tag == "transition"]
            if len(arrows) != 1 or not arrows[0].attributes.get("target"):
                raise self.fail(inner[0], "initial contains one transition with a target")
            transition = self.transition(arrows[0], state)
            targets, body, number = transition.targets, transition.body, transition.number
        else:
            targets = (next(child for child in state.children if not chart.is_history(child)),)
        for target in targets:
            if not chart.descendant(target, state.number):
                raise self.fail(element, f"{chart.states[target].id} is not inside {state.id or 'the chart'}")
        state.initial = Transition(state.number, (), None, targets, True, body, state.span, number)

    # --- data ---------------------------------------------------------------------------------------------------------

    def data_model(self, element: Element, state: State) -> None:
        for child in self.ours(element):
            if child.tag != "data":
                raise self.fail(child, f"{child.tag} is not known in datamodel")
            name = child.attributes.get("id", "")
            if not re.fullmatch(r"[A-Za-z_$][\w$]*", name):
                raise self.fail(child, f"{name or 'nothing'} is no name of a variable")
            if any(variable.name == name for variable in self.chart.variables):
                raise self.fail(child, f"there are two variables {name}")
            script: Script | None = None
            value: Value = UNDEFINED
            if "expr" in child.attributes:
                script = self.script(child, "expr")
            elif "src" in child.attributes:
                value = self.from_file(child)
            else:
                value = self.literal(child)
            state.data.append(len(self.chart.variables))
            self.chart.variables.append(Variable(name, script, value, self.document.span(child)))

    def literal(self, element: Element) -> Value:
        """The value of a text between tags: JSON, or the text with single spaces."""
        if element.children:
            if len(element.children) > 1:
                raise self.fail(element.children[1], "XML as data has one outermost element")
            return _of_xml(element.children[0])
        return text_value(element.text)

    def from_file(self, element: Element) -> Value:
        """A file beside the chart, and no other."""
        span = self.document.span_of(element, "src")
        name = element.attributes["src"].removeprefix("file:").removeprefix("./")
        if not re.fullmatch(r"[\w.-]+", name) or name.startswith("."):
            raise self.document.error("only a file beside the chart can be read", span)
        path = os.path.join(os.path.dirname(self.document.path), name)
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read(_LONGEST_DATA + 1)
        except OSError as error:
            raise self.document.error(f"cannot read {path}: {error.strerror}", span) from None
        if len(text) > _LONGEST_DATA:
            raise self.document.error(f"{path} is too long", span)
        if text.lstrip().startswith("<"):
            return _of_xml(Document(path, text.encode(), self.document.sources).read())
        return text_value(text)


def _of_xml(element: Element) -> XmlElement:
    children = tuple(map(_of_xml, element.children))
    return XmlElement(element.tag, tuple(element.attributes.items()), children, element.text.strip())


def _names(root: Element) -> set[str]:
    """The variables of the chart, which may have functions as values."""
    found, pending = set(), [root]
    while pending:
        element = pending.pop()
        if element.tag == "data":
            found.add(element.attributes.get("id", ""))
        pending += element.children
    return found


def text_value(text: str) -> Value:
    import json

    if not text.strip():
        return UNDEFINED
    try:
        return _of_json(json.loads(text))
    except (ValueError, RecursionError):
        return " ".join(text.split())


def _of_json(plain: object) -> Value:
    match plain:
        case None | bool() | str():
            return plain
        case int() | float():
            return numeral(plain)
        case list():
            return tuple(_of_json(item) for item in plain)
        case dict():
            return Record(tuple((str(name), _of_json(item)) for name, item in plain.items()))
    raise TypeError(plain)


def refused(tag: str) -> str | None:
    return _REFUSED.get(tag)
