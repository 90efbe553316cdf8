"""A low-level net of PEP in an editor."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kripke.languages.editing.document import Problem, Symbol, Texts, range_of
from kripke.languages.editing.net import Joined, NetDocument, arc_text
from kripke.languages.editing.words import Word
from kripke.languages.pep.reader import Reader
from kripke.model.source import Sources, Span
from kripke.numbers import counted

_ARC = re.compile(r"\s*(\d+)\s*([<>])\s*(\d+)")
_NODE = re.compile(r'\s*(\d*)\s*"([^"]*)"')
_SECTION = re.compile(r"[A-Z]{2,}\s*$")


class PepDocument(NetDocument):
    language = "pep"

    def _read(self, text: str) -> Iterator[Problem]:
        sources = Sources()
        sources.add(self.path, text)
        reader = Reader(text, self.path, sources)
        net = reader.net()
        self.meaning = net
        places = [Joined() for _ in net.places]
        steps = [Joined() for _ in net.transitions]
        for number, transition in enumerate(net.transitions):
            for arc in transition.preset:
                steps[number].before.append(arc_text(net.places[arc.place].name, str(arc.weight)))
                places[arc.place].after.append(arc_text(transition.name, str(arc.weight)))
            for arc in transition.postset:
                steps[number].after.append(arc_text(net.places[arc.place].name, str(arc.weight)))
                places[arc.place].before.append(arc_text(transition.name, str(arc.weight)))
        found: dict[tuple[str, str], Symbol] = {}
        for identifier, place, joined in zip(reader.places, net.places, places, strict=True):
            tokens = f", {counted(place.initial, 'token')}" if place.initial else ""
            text = joined.text(f"{identifier}: {place.name}{tokens}")
            found["place", str(identifier)] = self._symbol(place.name, "place", place.span, text)
        for identifier, transition, joined in zip(reader.transitions, net.transitions, steps, strict=True):
            text = joined.text(f"{identifier}: {transition.name}")
            found["transition", str(identifier)] = self._symbol(transition.name, "transition", transition.span, text)
        self._symbols = found
        yield from ()

    def _symbol(self, name: str, kind: str, span: Span, text: str) -> Symbol:
        named = Texts({self.path: self.lines}).name_range(name, span)
        return Symbol(name, kind, self.path, range_of(span, self.path), named, text)

    def _scan(self) -> Iterator[Word]:
        for line, text in enumerate(self.lines):
            if text.startswith("%"):
                yield Word("comment", text, line, 0)
            elif _SECTION.match(text):
                yield Word("keyword", text.rstrip(), line, 0)
            elif (node := _NODE.match(text)) is not None:
                if node[1]:
                    yield Word("number", node[1], line, node.start(1))
                if node[2]:
                    yield Word("name", node[2], line, node.start(2))
            elif (arc := _ARC.match(text)) is not None:
                yield Word("name", arc[1], line, arc.start(1))
                yield Word("name", arc[3], line, arc.start(3))

    def symbol_at(self, line: int, character: int) -> Symbol | None:
        """An end of an arc, by which side of the sign it stands on; else the node whose line it is."""
        arc = _ARC.match(self.lines[line]) if 0 <= line < len(self.lines) else None
        if arc is None:
            return next((symbol for symbol in self._symbols.values() if symbol.range.line == line), None)
        from_place = arc[2] == ">"
        left = character < arc.start(2) + 1
        kind = "place" if from_place == left else "transition"
        return self._symbols.get((kind, str(int(arc[1] if left else arc[3]))))
