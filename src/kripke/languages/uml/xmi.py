"""XMI of UML 2: the state machine of a model as open tools write it (Eclipse UML2, Papyrus and others).

Read are regions, states, pseudostates, transitions with triggers, guards and effects, deferrable triggers, entry and
exit behaviour, and attributes of the machine and of the class around it as variables. Comments of the machine whose
text starts with ``kripke:`` carry properties, as in PlantUML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kripke.languages.uml.machine import Arrow, Kind, Machine, Region, Vertex
from kripke.languages.xml_document import Document, Element
from kripke.model.source import ModelError, Sources

_PSEUDO: Final[dict[str, Kind]] = {
    "": "initial", "initial": "initial", "choice": "choice", "junction": "choice", "shallowHistory": "shallow",
    "deepHistory": "deep", "fork": "fork",
}  # fmt: skip


def read_xmi(data: bytes, path: str, sources: Sources) -> Machine:
    return _Reader(Document(path, data, sources), path, sources).read()


class _Reader:
    def __init__(self, document: Document, path: str, sources: Sources) -> None:
        self.document = document
        self.root = document.read()
        self.machine = Machine("", path, sources)
        self.by_id = {e.attributes["id"]: e for e in _all(self.root) if "id" in e.attributes}
        self.vertices: dict[str, Vertex] = {}
        self.names: set[str] = set()

    def error(self, message: str, element: Element, hint: str | None = None) -> ModelError:
        return self.document.error(message, self.document.span(element), hint)

    def read(self) -> Machine:
        found = [(e, owner) for e, owner in _owned(self.root) if _type(e) == "StateMachine"]
        if not found:
            hint = "UML 2 in XMI has an element of xmi:type uml:StateMachine"
            raise self.error("there is no state machine in this file", self.root, hint)
        if len(found) > 1:
            raise self.error("there is more than one state machine in this file", found[1][0])
        element, owner = found[0]
        self.machine.name = element.attributes.get("name", "")
        for part in (*([] if owner is None else owner), *element):
            if part.tag == "ownedAttribute" and part.attributes.get("name"):
                self.variable(part)
            elif part.tag == "ownedComment":
                self.comment(part)
        regions = [child for child in element if child.tag == "region"]
        self.machine.root.span = self.document.span(element)
        self.machine.root.regions = [Region() for _ in regions]
        for region, inside in zip(regions, self.machine.root.regions, strict=True):
            self.region(region, inside, self.machine.root)
        for region in regions:
            self.transitions(region)
        return self.machine

    def variable(self, element: Element) -> None:
        default = next((child for child in element if child.tag == "defaultValue"), None)
        text = "" if default is None else default.attributes.get("value", "") or _body(default)
        if default is not None and not text:
            text = "false" if _type(default) == "LiteralBoolean" else "0"
        self.machine.variables.append((element.attributes["name"], text, self.document.span(element)))

    def comment(self, element: Element) -> None:
        text = element.attributes.get("body", "") or _body(element)
        match = re.fullmatch(r"\s*kripke:\s*(invariant|ltl)\s+(\w+)\s*:\s*(.*)", text, re.DOTALL)
        if match is not None:
            found = self.machine.invariants if match[1] == "invariant" else self.machine.formulas
            found.append((match[2], match[3].strip(), self.document.span(element)))

    # --- states -------------------------------------------------------------------------------------------------------

    def region(self, element: Element, region: Region, owner: Vertex) -> None:
        for child in element:
            if child.tag == "subvertex":
                region.vertices.append(self.vertex(child, owner))

    def vertex(self, element: Element, owner: Vertex) -> Vertex:
        kind: Kind = "state"
        match _type(element):
            case "State":
                pass
            case "FinalState":
                kind = "final"
            case "Pseudostate":
                given = element.attributes.get("kind", "")
                if given not in _PSEUDO:
                    raise self.error(f"the pseudostate {given} is not supported", element)
                kind = _PSEUDO[given]
            case other:
                raise self.error(f"{other} is not supported", element)
        vertex = Vertex(self.name(element, kind), kind, self.document.span(element), owner)
        if element.attributes.get("submachine"):
            raise self.error("submachine states are not supported", element)
        if "id" in element.attributes:
            self.vertices[element.attributes["id"]] = vertex
        for child in element:
            match child.tag:
                case "region":
                    vertex.regions.append(Region())
                    self.region(child, vertex.regions[-1], vertex)
                case "entry" | "exit":
                    text = self.behaviour(child)
                    if text:
                        found = vertex.entry if child.tag == "entry" else vertex.exit
                        found.append((text, self.document.span(child)))
                case "doActivity":
                    raise self.error("do activities are not supported", child)
                case "deferrableTrigger":
                    vertex.deferred.append(self.event(child))
                case "connectionPoint" | "connection":
                    raise self.error("entry and exit points are not supported", child)
        return vertex

    def name(self, element: Element, kind: Kind) -> str:
        wanted = re.sub(r"\W+", "_", element.attributes.get("name", "")) or kind
        name, number = wanted, 1
        while name in self.names:
            number += 1
            name = f"{wanted}_{number}"
        if number > 1 and kind == "state" and element.attributes.get("name"):
            raise self.error(f"there are two states {wanted}", element)
        self.names.add(name)
        return name

    # --- transitions --------------------------------------------------------------------------------------------------

    def transitions(self, region: Element) -> None:
        for child in region:
            if child.tag == "transition":
                self.transition(child)
            elif child.tag == "subvertex":
                for inner in child:
                    if inner.tag == "region":
                        self.transitions(inner)

    def transition(self, element: Element) -> None:
        source, target = (self.vertices.get(element.attributes.get(end, "")) for end in ("source", "target"))
        if source is None or target is None:
            raise self.error("this transition has no source or no target", element)
        events = tuple(self.event(child) for child in element if child.tag == "trigger")
        effect = "; ".join(self.behaviour(child) for child in element if child.tag == "effect")
        guard = self.guard(element)
        internal = element.attributes.get("kind") == "internal"
        text = source.name if internal else f"{source.name} -> {target.name}"
        text += f" on {', '.join(events)}" if events else ""
        text += f" [{guard}]" if guard else ""
        span = self.document.span(element)
        self.machine.arrows.append(Arrow(source, None if internal else target, events, guard, effect, span, text))

    def event(self, element: Element) -> str:
        """The name of a trigger's signal or operation."""
        event = self.by_id.get(element.attributes.get("event", ""))
        if event is not None:
            if _type(event) in ("TimeEvent", "ChangeEvent"):
                raise self.error(f"a {_type(event)} is not supported as a trigger", element)
            named = self.by_id.get(event.attributes.get("signal", "") or event.attributes.get("operation", ""))
            name = (named.attributes.get("name", "") if named is not None else "") or event.attributes.get("name", "")
            if name:
                return re.sub(r"\W+", "_", name)
        name = element.attributes.get("name", "")
        if not name:
            raise self.error("this trigger has no name", element)
        return re.sub(r"\W+", "_", name)

    def guard(self, element: Element) -> str:
        wanted = element.attributes.get("guard", "")
        for child in element:
            if child.tag == "guard" or (child.tag == "ownedRule" and wanted in ("", child.attributes.get("id"))):
                specification = next((one for one in child if one.tag == "specification"), child)
                return (specification.attributes.get("value", "") or _body(specification)).strip().strip("[]")
        return ""

    def behaviour(self, element: Element) -> str:
        return _body(element) or element.attributes.get("body", "") or element.attributes.get("name", "")


def _type(element: Element) -> str:
    return element.attributes.get("type", "").rpartition(":")[2] or element.tag


def _body(element: Element) -> str:
    return next((child.text.strip() for child in element if child.tag == "body"), "")


def _all(root: Element) -> Iterator[Element]:
    pending = [root]
    while pending:
        element = pending.pop()
        yield element
        pending += element.children


def _owned(root: Element) -> Iterator[tuple[Element, Element | None]]:
    """Every element, with what is around it."""
    pending: list[tuple[Element, Element | None]] = [(root, None)]
    while pending:
        element, owner = pending.pop()
        yield element, owner
        pending += [(child, element) for child in element]
