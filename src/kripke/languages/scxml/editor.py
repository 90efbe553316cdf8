"""A state chart in SCXML in an editor."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from kripke.hierarchy.chart.asked import Asked
from kripke.languages.editing.document import Problem, Range, Symbol, range_of
from kripke.languages.editing.machine import MachineDocument
from kripke.languages.editing.markup import scan_markup
from kripke.languages.editing.scoped import Declared
from kripke.languages.editing.words import Word
from kripke.languages.scxml.reader import PROPERTIES, Reader
from kripke.languages.xml_document import Document, Element
from kripke.model.source import Sources, Span

_IDENTIFIERS = re.compile(r"""[^\s"'<>]+""")
_EXPRESSION = re.compile(r"[A-Za-z_$][\w$.-]*(?<![.-])")
_STATE_LISTS = frozenset({"initial", "target"})
_STATES = frozenset({"state", "parallel", "final", "history"})
_EVENTS = frozenset({"event"})
_CODE = frozenset({"cond", "expr", "location", "array", "item", "index", "delayexpr", "eventexpr", "namelist"})
_CODE_TEXTS = frozenset({"script", "assign", "content", "invariant", "ltl"})
_IN = re.compile(r"\bIn\s*\(\s*(?:['\"]|&apos;|&quot;)?$")


class ScxmlDocument(MachineDocument):
    language = "scxml"
    snippets: ClassVar[Mapping[str, str]] = {
        "state": '<state id="$1">\n  $2\n</state>',
        "transition": '<transition event="$1" target="$2"/>',
        "parallel": '<parallel id="$1">\n  $2\n</parallel>',
        "data": '<data id="$1" expr="$2"/>',
    }

    def _read(self, text: str) -> Iterator[Problem]:
        sources = Sources()
        data = text.encode()
        document = Document(self.path, data, sources)
        self._symbols = list(_Names(document, self).all(document.read()))
        reader = Reader(Document(self.path, data, sources))
        chart = reader.read()
        asked = Asked(chart, sources)
        self.meaning = (chart, asked.conditions, asked.properties, asked.invariants)
        for warning in reader.scripts.warnings:
            yield Problem(range_of(warning.span, self.path), warning.message, "warning")

    def _scan(self) -> Iterator[Word]:
        return scan_markup(self.text, _names_of)

    def is_name(self, text: str) -> bool:
        return re.fullmatch(r"[A-Za-z_$][\w$]*", text) is not None

    def candidates(self, word: Word) -> Sequence[Declared]:
        """What stands in the place tells what it can be."""
        return [one for one in super().candidates(word) if one.symbol.kind in self._kinds(word)]

    def _kinds(self, word: Word) -> tuple[str, ...]:
        element, _, attribute = word.context.partition("@")
        if attribute in _STATE_LISTS or (attribute == "id" and element in _STATES):
            return ("state",)
        if attribute == "id":
            return ("variable",)
        if attribute in _EVENTS:
            return ("event",)
        if attribute == "name":
            return ("invariant", "formula")
        before = self.lines[word.line][: word.character]
        return ("state",) if _IN.search(before) else ("variable",)


def _names_of(context: str) -> re.Pattern[str] | None:
    element, _, attribute = context.partition("@")
    if attribute in _STATE_LISTS or attribute in _EVENTS:
        return _IDENTIFIERS
    if attribute == "id":
        return _IDENTIFIERS if element in _STATES or element == "data" else None
    if attribute == "name":
        return _IDENTIFIERS if element in ("invariant", "ltl") else None
    return _EXPRESSION if attribute in _CODE or (not attribute and element in _CODE_TEXTS) else None


class _Names:
    """States, variables and properties where they are declared; an event where it is met first."""

    def __init__(self, document: Document, text: ScxmlDocument) -> None:
        self.document = document
        self.text = text
        self.events: set[str] = set()

    def all(self, root: Element) -> Iterator[Symbol]:
        waiting = [root]
        while waiting:
            element = waiting.pop(0)
            waiting = [*element.children, *waiting]
            identifier = element.attributes.get("id", "").strip()
            if element.namespace == PROPERTIES:
                kind = "invariant" if element.tag == "invariant" else "formula"
                yield self.symbol(element.attributes.get("name", element.tag), kind, element, "name")
            elif element.tag in _STATES and identifier:
                yield self.symbol(identifier, "state", element, "id")
            elif element.tag == "data" and identifier:
                yield self.symbol(identifier, "variable", element, "id")
            for name in element.attributes.get("event", "").split():
                if name not in self.events:
                    self.events.add(name)
                    yield self.symbol(name, "event", element, "event")

    def symbol(self, name: str, kind: str, element: Element, attribute: str) -> Symbol:
        place = range_of(self.document.span(element), self.document.path)
        value = self.document.span_of(element, attribute)
        line = self.text.lines[place.line] if place.line < len(self.text.lines) else ""
        named = self._named(name, value)
        whole = Range(place.line, place.character, *max((named.end_line, named.end_character), place[2:]))
        return Symbol(name, kind, self.document.path, whole, named, line.strip())

    def _named(self, name: str, value: Span) -> Range:
        """The name in the value, which may be a list of names."""
        place = range_of(value, self.document.path)
        line = self.text.lines[place.line] if place.line < len(self.text.lines) else ""
        match = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])").search(line, place.character)
        start = match.start() if match is not None else place.character
        return Range(place.line, start, place.line, start + (len(name) if match is not None else 0))
