"""From the text of an ``.ll_net`` file to a net.

The file has a head (``PEP``, the kind of net, the format) and sections, each under its name on a line of its own:
``PL`` places and ``TR`` transitions (``12"name"x@y`` and attributes: ``M1`` is one token at the start), ``TP`` arcs
to places (``transition<place``), ``PT`` arcs from places (``place>transition``), with a weight ``w2`` where it is not
1. What tells only how the net is drawn is passed over; what would change its meaning and is not known is refused.
"""

from __future__ import annotations

import os
import re
from typing import NoReturn

from kripke.model.source import Sources, Span
from kripke.nets.place_transition import Place, PlaceTransitionNet, Transition, arcs, distinct_names

LARGEST_NUMBER = (1 << 31) - 1

_NODE = re.compile(r'\s*(?P<id>\d*)\s*"(?P<name>[^"]*)"\s*(?:-?\d+(?:\.\d+)?@-?\d+(?:\.\d+)?)?')
_ARC = re.compile(r"\s*(?P<from>\d+)\s*(?P<sign>[<>])\s*(?P<to>\d+)")
_ATTRIBUTE = re.compile(r'\s*(?P<key>[A-Za-z])(?P<value>"[^"]*"|-?\d+(?:\.\d+)?(?:@-?\d+(?:\.\d+)?)?)?')
_SECTION = re.compile(r"([A-Z]{2,})\s*$")
_DEFAULTS = re.compile(r"D(BL|PL|TR|TP|PT|TX)\b")  # how things are drawn where they do not say it themselves
_DRAWN = {"TX", "BL"}  # texts and blocks


def read_net(text: str, path: str, sources: Sources) -> PlaceTransitionNet:
    """The net; ModelError, with the place, where the text is none."""
    return Reader(text, path, sources).net()


class Reader:
    """Collects what the text contains, by the numbers of the file; ``net`` puts it together."""

    def __init__(self, text: str, path: str, sources: Sources) -> None:
        self.lines = text.split("\n")
        self.path = path
        self.sources = sources
        self.number = 0  # of the line being read, from 1
        self.places: dict[int, tuple[str, int, Span]] = {}
        self.transitions: dict[int, tuple[str, Span]] = {}
        self.presets: dict[int, dict[int, int]] = {}
        self.postsets: dict[int, dict[int, int]] = {}

    def fail(self, message: str, column: int = 1, hint: str | None = None) -> NoReturn:
        line = self.number or 1
        end = len(self.lines[line - 1]) + 1
        raise self.sources.error(message, Span(self.path, line, column, line, max(end, column + 1)), hint)

    def net(self) -> PlaceTransitionNet:
        self._head()
        section = ""
        for number in range(self.number + 1, len(self.lines) + 1):
            self.number = number
            line = self.lines[number - 1].rstrip("\r")
            if not line.strip() or line.startswith("%") or _DEFAULTS.match(line):
                continue
            if _SECTION.match(line):
                section = line.strip()
                if section not in ("PL", "TR", "TP", "PT") and section not in _DRAWN:
                    self.fail(f"there is no support for the section {section}")
            elif section == "PL":
                self._place(line)
            elif section == "TR":
                self._transition(line)
            elif section in ("TP", "PT"):
                self._arc(line, section)
            elif not section:
                self.fail("a section (PL, TR, TP, PT) must come first")
        if not self.places and not self.transitions:
            self.number = len(self.lines)
            self.fail("the net has neither places nor transitions")
        return self._built()

    def _head(self) -> None:
        """Three lines; the format may be left out."""
        found = [(n, line.strip()) for n, line in enumerate(self.lines[:20], start=1) if line.strip()]
        if not found or found[0][1] != "PEP":
            self.number = found[0][0] if found else 1
            self.fail("this is no PEP net: the first line must be PEP")
        for number, line in found[:3]:
            if _SECTION.match(line) and line != "PEP":
                break
            self.number = number
            if line in ("HLNet", "B(PN)2"):
                self.fail(f"{line} is not a low-level net", hint="PEP writes the low-level net of it as .ll_net")

    def _number(self, text: str) -> int:
        number = int(text) if len(text) < 12 else LARGEST_NUMBER + 1
        if not 0 <= number <= LARGEST_NUMBER:
            self.fail(f"the number {text[:20]} is out of range: 0 to {LARGEST_NUMBER:,}")
        return number

    def _attributes(self, line: str, at: int) -> dict[str, str]:
        found: dict[str, str] = {}
        while line[at:].strip():
            match = _ATTRIBUTE.match(line, at)
            if match is None:
                self.fail("this cannot be read", at + 1)
            found.setdefault(match["key"], match["value"] or "")
            at = match.end()
        return found

    def _count(self, attributes: dict[str, str], key: str, default: int) -> int:
        text = attributes.get(key)
        if text is None:
            return default
        if not (text.isascii() and text.isdigit()):
            self.fail(f"the attribute {key} needs a number, not {text or 'nothing'}")
        return self._number(text)

    def _node(self, line: str) -> tuple[str, str, dict[str, str], Span]:
        match = _NODE.match(line)
        if match is None:
            self.fail('a place or transition is missing here, such as 12"name"10@20')
        span = Span(self.path, self.number, 1, self.number, len(line) + 1)
        return match["id"], match["name"].strip(), self._attributes(line, match.end()), span

    def _place(self, line: str) -> None:
        text, name, attributes, span = self._node(line)
        # The second format leaves identifiers out: things are numbered as they come.
        identifier = self._number(text) if text else len(self.places) + 1
        if identifier in self.places:
            self.fail(f"there is another place {identifier}")
        self.places[identifier] = (name, self._count(attributes, "M", 0), span)

    def _transition(self, line: str) -> None:
        text, name, _, span = self._node(line)
        identifier = self._number(text) if text else len(self.transitions) + 1
        if identifier in self.transitions:
            self.fail(f"there is another transition {identifier}")
        self.transitions[identifier] = (name, span)
        self.presets[identifier] = {}
        self.postsets[identifier] = {}

    def _arc(self, line: str, section: str) -> None:
        match = _ARC.match(line)
        sign = "<" if section == "TP" else ">"
        if match is None or match["sign"] != sign:
            what = "transition<place" if section == "TP" else "place>transition"
            self.fail(f"an arc {what} is missing here")
        weight = self._count(self._attributes(line, match.end()), "w", 1)
        if weight < 1:
            self.fail("the weight of an arc must be at least 1")
        first, second = self._number(match["from"]), self._number(match["to"])
        place, transition = (second, first) if section == "TP" else (first, second)
        if place not in self.places:
            self.fail(f"there is no place {place}")
        if transition not in self.transitions:
            self.fail(f"there is no transition {transition}")
        side = (self.postsets if section == "TP" else self.presets)[transition]
        side[place] = side.get(place, 0) + weight
        if side[place] > LARGEST_NUMBER:
            self.fail(f"the weights of these arcs are out of range: at most {LARGEST_NUMBER:,}")

    def _built(self) -> PlaceTransitionNet:
        numbers = {identifier: number for number, identifier in enumerate(self.places)}
        place_names = _names(self.places, "p")
        transition_names = _names(self.transitions, "t")
        places = tuple(
            Place(name, initial, span)
            for name, (_, initial, span) in zip(place_names, self.places.values(), strict=True)
        )
        transitions = tuple(
            Transition(
                name,
                arcs({numbers[place]: weight for place, weight in self.presets[identifier].items()}),
                arcs({numbers[place]: weight for place, weight in self.postsets[identifier].items()}),
                span,
            )
            for name, (identifier, (_, span)) in zip(transition_names, self.transitions.items(), strict=True)
        )
        name = os.path.basename(self.path).removesuffix(".ll_net")
        return PlaceTransitionNet(name, places, transitions)


def _names(nodes: dict[int, tuple[str, int, Span]] | dict[int, tuple[str, Span]], letter: str) -> list[str]:
    """The names of the file; those that several bear with their numbers, ``name.12``."""
    wanted = [node[0] for node in nodes.values()]
    return distinct_names(wanted, [f"{node[0] or letter}.{number}" for number, node in nodes.items()])
