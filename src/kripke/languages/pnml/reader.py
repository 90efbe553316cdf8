"""From a PNML file to a net: pages and references resolved, identifiers checked, coloured nets unfolded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kripke.languages.pnml.document import Document, Element, integer
from kripke.model.source import Diagnostic, ModelError, Sources, Span
from kripke.nets.place_transition import Place, PlaceTransitionNet, Transition, arcs, distinct_names

if TYPE_CHECKING:
    from kripke.nets.symmetric.net import SymmetricNet

LARGEST_NUMBER = (1 << 31) - 1

_PLAIN_TYPES = ("ptnet", "pnmlcoremodel", "ptnetb", "coremodel")
_COLOURED_TYPES = ("symmetricnet", "highlevelnet", "hlcorestructure", "pt-hlpng")
_IGNORED = frozenset({"graphics", "toolspecific"})


@dataclass(frozen=True, slots=True)
class Node:
    """A place or transition of the file. ``details`` has the elements that make it what it is."""

    identifier: str
    name: str
    details: tuple[Element, ...]
    element: Element


@dataclass(frozen=True, slots=True)
class RawArc:
    """An arc of the file, its ends still identifiers."""

    source: str
    target: str
    inscription: Element | None
    element: Element


def read_file(path: str, sources: Sources) -> tuple[PlaceTransitionNet, list[Diagnostic]]:
    """The net and warnings about it; ModelError says what is wrong with the file."""
    reader = Reader(path, sources)
    reader.document.read()
    return reader.net(), reader.warnings


#: a node takes half a kilobyte, an arc as much: a hostile file must not take all memory
MOST_NODES = 1_000_000
MOST_ARCS = 2_000_000


class Reader:
    """Collects what the file contains; ``net`` puts it together."""

    def __init__(self, path: str, sources: Sources) -> None:
        self.path = path
        self.warnings: list[Diagnostic] = []
        self.places: dict[str, Node] = {}
        self.transitions: dict[str, Node] = {}
        self.references: dict[str, tuple[str, Element]] = {}
        self.arcs: list[RawArc] = []
        self.declarations: list[Element] = []
        self.net_element: Element | None = None
        self.net_name = ""
        self.coloured = False
        self.document = Document(
            path,
            sources,
            {
                "place": self._place,
                "transition": self._transition,
                "arc": self._arc,
                "referencePlace": self._reference,
                "referenceTransition": self._reference,
                "declaration": self.declarations.append,
                "name": self._name,
            },
            self._entered,
            _IGNORED,
        )
        self._root_seen = False

    # --- what the file contains ---------------------------------------------------------------------------------------

    def _entered(self, element: Element) -> None:
        if not self._root_seen:
            self._root_seen = True
            if element.tag != "pnml":
                self.document.fail(element, f"this is no PNML: the outermost element is {element.tag}, not pnml")
        if element.tag == "net":
            self._begin_net(element)

    def _begin_net(self, element: Element) -> None:
        if self.net_element is not None:
            self.document.fail(element, "the file has a second net", "keep one net in each file")
        self.net_element = element
        self.net_name = element.attributes.get("id", "")
        kind = element.attributes.get("type", "").rstrip("/").rpartition("/")[2].lower()
        if kind in _COLOURED_TYPES:
            self.coloured = True
        elif kind not in _PLAIN_TYPES:
            self.document.fail(
                element,
                f"there is no support for nets of type {element.attributes.get('type') or '(none given)'}",
                "there are place/transition nets (ptnet) and symmetric nets (symmetricnet)",
            )

    def _name(self, element: Element) -> None:
        """The name of the net or of a page; that of the net comes first."""
        text = text_of(element)
        if self.net_element is not None and not self.places and not self.transitions and text:
            self.net_name = self.net_name or text

    def _place(self, element: Element) -> None:
        node = self._node(element)
        for detail in element:
            if detail.tag == "capacity" and self._integer(detail, text_of(detail) or "0") > 0:
                self.document.fail(detail, "capacities of places are not supported", "add a complementary place")
        self.places[node.identifier] = node

    def _transition(self, element: Element) -> None:
        node = self._node(element)
        self.transitions[node.identifier] = node

    def _node(self, element: Element) -> Node:
        identifier = self._identifier(element)
        name = element.child("name")
        details = tuple(child for child in element if child.tag != "name")
        self._only_once(element, ("initialMarking", "hlinitialMarking", "type", "condition"))
        return Node(identifier, text_of(name) if name is not None else "", details, _bare(element))

    def _only_once(self, element: Element, tags: tuple[str, ...]) -> None:
        for tag in tags:
            said = [child for child in element if child.tag == tag]
            if len(said) > 1:
                self.document.fail(said[1], f"this {element.tag} has a second {tag}")

    def _identifier(self, element: Element) -> str:
        if len(self.places) + len(self.transitions) + len(self.references) >= MOST_NODES:
            self.document.fail(element, f"the net has more than {MOST_NODES:,} places and transitions")
        identifier = element.attributes.get("id", "").strip()
        if not identifier:
            self.document.fail(element, f"this {element.tag} has no id")
        if identifier in self.places or identifier in self.transitions or identifier in self.references:
            self.document.fail(element, f"the id {identifier} is used twice")
        return identifier

    def _reference(self, element: Element) -> None:
        identifier = self._identifier(element)
        self.references[identifier] = (element.attributes.get("ref", ""), _bare(element))

    def _arc(self, element: Element) -> None:
        kinds = [(element, element.attributes.get("type", ""))]
        kinds += [(d, d.attributes.get("value") or text_of(d)) for d in element if d.tag in ("type", "arctype")]
        for said, kind in kinds:
            if kind not in ("normal", "regular", ""):
                self.document.fail(said, f"there is no support for arcs of type {kind[:40]}")
        source, target = element.attributes.get("source", ""), element.attributes.get("target", "")
        for end, identifier in (("source", source), ("target", target)):
            if not identifier:
                self.document.fail(element, f"this arc has no {end}")
        if len(self.arcs) >= MOST_ARCS:
            self.document.fail(element, f"the net has more than {MOST_ARCS:,} arcs")
        self._only_once(element, ("inscription", "hlinscription"))
        inscription = element.child("hlinscription" if self.coloured else "inscription")
        self.arcs.append(RawArc(source, target, inscription, _bare(element)))

    # --- put together -------------------------------------------------------------------------------------------------

    def net(self) -> PlaceTransitionNet:
        if self.net_element is None:
            raise ModelError(f"{self.path} contains no net")
        if not self.places and not self.transitions:
            self.document.fail(self.net_element, "the net has neither places nor transitions")
        self._check_references()
        if self.coloured:
            from kripke.nets.symmetric.unfold import unfold

            return unfold(self.symmetric_net(), self.document.sources)
        return self._plain()

    def symmetric_net(self) -> SymmetricNet:
        from kripke.languages.pnml.colours import build

        return build(self)

    def resolved_arcs(self) -> list[tuple[RawArc, str, str, bool]]:
        """Every arc with its place, its transition, and whether it leads to the transition."""
        resolved = []
        for arc in self.arcs:
            source, target = self._resolve(arc.source, arc.element), self._resolve(arc.target, arc.element)
            if source in self.places and target in self.transitions:
                resolved.append((arc, source, target, True))
            elif source in self.transitions and target in self.places:
                resolved.append((arc, target, source, False))
            else:
                kind = "places" if source in self.places else "transitions"
                self.document.fail(arc.element, f"this arc joins two {kind}")
        return resolved

    def _check_references(self) -> None:
        for identifier, (_, element) in self.references.items():
            nodes, what = (
                (self.places, "place") if element.tag == "referencePlace" else (self.transitions, "transition")
            )
            wanted = self._resolve(identifier, element)
            if wanted not in nodes:
                self.document.fail(element, f"this {element.tag} refers to {wanted}, which is no {what}")

    def _resolve(self, identifier: str, user: Element) -> str:
        wanted, seen = identifier, set[str]()
        while wanted in self.references:
            if wanted in seen:
                self.document.fail(self.references[wanted][1], f"the references from {identifier} go round in a circle")
            seen.add(wanted)
            wanted = self.references[wanted][0]
        if wanted not in self.places and wanted not in self.transitions:
            self.document.fail(user, f"there is no place or transition {wanted or identifier}")
        return wanted

    def names(self, nodes: Mapping[str, Node]) -> list[str]:
        return distinct_names([node.name for node in nodes.values()], list(nodes))

    def span(self, node: Node) -> Span:
        return self.document.span(node.element)

    def title(self) -> str:
        return self.net_name or os.path.basename(self.path).removesuffix(".pnml")

    def _plain(self) -> PlaceTransitionNet:
        numbers = {identifier: number for number, identifier in enumerate(self.places)}
        presets: dict[str, dict[int, int]] = {identifier: {} for identifier in self.transitions}
        postsets: dict[str, dict[int, int]] = {identifier: {} for identifier in self.transitions}
        for arc, place, transition, consumes in self.resolved_arcs():
            side = (presets if consumes else postsets)[transition]
            weight = 1
            if arc.inscription is not None:
                weight = self._integer(arc.inscription, text_of(arc.inscription) or "1")
                if weight < 1:
                    self.document.fail(arc.inscription, f"the weight of an arc must be at least 1, not {weight}")
            number = numbers[place]
            side[number] = side.get(number, 0) + weight
            if side[number] > LARGEST_NUMBER:
                self.document.fail(arc.element, f"the weight is out of range: at most {LARGEST_NUMBER:,}")
        place_names, transition_names = self.names(self.places), self.names(self.transitions)
        places = tuple(
            Place(name, self._initial(node), self.span(node))
            for name, node in zip(place_names, self.places.values(), strict=True)
        )
        transitions = tuple(
            Transition(name, arcs(presets[identifier]), arcs(postsets[identifier]), self.span(node))
            for name, (identifier, node) in zip(transition_names, self.transitions.items(), strict=True)
        )
        return PlaceTransitionNet(
            self.title(),
            places,
            transitions,
            {identifier: (number,) for number, identifier in enumerate(self.places)},
            {identifier: (number,) for number, identifier in enumerate(self.transitions)},
        )

    def _initial(self, node: Node) -> int:
        for detail in node.details:
            if detail.tag == "initialMarking":
                number = self._integer(detail, text_of(detail) or "0")
                if number < 0:
                    self.document.fail(detail, f"a place cannot hold {number} tokens")
                return number
            if detail.tag == "hlinitialMarking":
                self.document.fail(detail, "a coloured marking in a place/transition net")
        return 0

    def _integer(self, element: Element, text: str) -> int:
        """Some tools write ``Default,3`` for tokens of one kind."""
        shown = text.removeprefix("Default,").strip()
        try:
            number = integer(shown, LARGEST_NUMBER)
        except ValueError:
            self.document.fail(element, f"{shown[:40]!r} is not a number")
        if number > LARGEST_NUMBER:
            self.document.fail(element, f"{shown[:40]} is out of range: at most {LARGEST_NUMBER:,}")
        return number


def text_of(element: Element) -> str:
    """The text of an annotation: in its ``text`` or ``value`` element, or its own."""
    child = element.child("text", "value")
    return (child.text if child is not None else element.text).strip()


def _bare(element: Element) -> Element:
    """The element without its content: for places in messages."""
    return Element(element.tag, {}, element.line, element.column)
