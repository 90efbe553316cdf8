"""A UML state machine in an editor, as PlantUML draws it or as XMI."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from kripke.hierarchy.chart.asked import Asked
from kripke.languages.editing.document import Document, Problem, Range, Symbol, range_of
from kripke.languages.editing.machine import MachineDocument
from kripke.languages.editing.markup import scan_markup
from kripke.languages.editing.scoped import Declared
from kripke.languages.editing.words import Word
from kripke.languages.uml import machine_of
from kripke.languages.uml.machine import Machine, Vertex
from kripke.model.source import Sources, Span

_OWN = re.compile(r"\s*'\s*kripke\s*:")
_WORD = re.compile(r'(?P<string>"[^"\n]*"?)|(?P<name>[A-Za-z_]\w*)|(?P<number>\d+)')
_KEYWORDS = frozenset({"state", "note", "end", "left", "right", "of", "as", "entry", "exit", "do"})
_OWN_WORDS = frozenset({"var", "output", "invariant", "ltl"})
_FUNCTIONS = frozenset({"in", "In", "oclIsInState"})
_IN = re.compile(r"\b(?:in|In|oclIsInState)\s*\(\s*['\"]?$")
_XML_NAMES = re.compile(r"[A-Za-z_][\w.-]*")


class UmlDocument(MachineDocument):
    language = "uml"
    snippets: ClassVar[Mapping[str, str]] = {
        "state": "state $1 {\n  [*] --> $2\n}",
        "invariant": "' kripke: invariant $1: $2",
        "ltl": "' kripke: ltl $1: $2",
    }

    def __init__(self, text: str, path: str, before: Document | None = None) -> None:
        self.is_xml = text.lstrip().startswith("<")
        super().__init__(text, path, before)

    def _read(self, text: str) -> Iterator[Problem]:
        sources = Sources()
        machine = machine_of(text.encode(), self.path, sources)
        self._symbols = list(_Names(machine, self.path, self.lines, is_xml=self.is_xml).all())
        chart = machine.chart()
        asked = Asked(chart, sources)
        self.meaning = (chart, asked.conditions, asked.properties, asked.invariants)
        yield from ()

    def is_name(self, text: str) -> bool:
        return re.fullmatch(r"[A-Za-z_]\w*", text) is not None and text not in _KEYWORDS | _FUNCTIONS

    def candidates(self, word: Word) -> Sequence[Declared]:
        """Inside ``in(...)`` a state; in a guard or an effect a variable first."""
        found = super().candidates(word)
        before = self.lines[word.line][: word.character]
        if _IN.search(before):
            return [one for one in found if one.symbol.kind == "state"]
        label = not self.is_xml and (":" in before or bool(_OWN.match(before)))
        first = ("variable", "event", "invariant", "formula") if label else ("state", "variable")
        return sorted(found, key=lambda one: one.symbol.kind not in first)

    def _scan(self) -> Iterator[Word]:
        if self.is_xml:
            yield from scan_markup(self.text, _names_of)
            return
        comment = False
        for line, text in enumerate(self.lines):
            stripped = text.strip()
            own = _OWN.match(text)
            if comment or stripped.startswith("/'") or (stripped.startswith("'") and own is None):
                comment = (comment or stripped.startswith("/'")) and not stripped.endswith("'/")
                if stripped:
                    yield Word("comment", text, line, 0)
            elif stripped.startswith("@"):
                yield Word("directive", stripped.split()[0], line, text.index("@"))
            else:
                yield from self._line(line, text, own.end() if own is not None else 0)

    def _line(self, line: int, text: str, start: int) -> Iterator[Word]:
        if start:
            yield Word("directive", text[:start].strip(), line, len(text[:start]) - len(text[:start].lstrip()))
        for match in _WORD.finditer(text, start):
            found = match.group()
            if match.lastgroup == "string":
                yield Word("string", found, line, match.start())
            elif match.lastgroup == "number":
                yield Word("number", found, line, match.start())
            elif found in (_OWN_WORDS if start else _KEYWORDS) or found in _FUNCTIONS:
                yield Word("keyword", found, line, match.start())
            else:
                yield Word("name", found, line, match.start())


def _names_of(context: str) -> re.Pattern[str] | None:
    _, _, attribute = context.partition("@")
    return _XML_NAMES if attribute in ("name", "body", "value") or context.endswith("body@") else None


class _Names:
    """States where they are met first, and what comments in the text declare."""

    def __init__(self, machine: Machine, path: str, lines: Sequence[str], *, is_xml: bool) -> None:
        self.is_xml = is_xml
        self.machine = machine
        self.path = path
        self.lines = lines

    def all(self) -> Iterator[Symbol]:
        for vertex in self._vertices(self.machine.root):
            if vertex.kind == "state" and (symbol := self._symbol(vertex.name, "state", vertex.span)) is not None:
                yield symbol
        named = [("variable", name, span) for name, _, span in self.machine.variables]
        named += [("invariant", name, span) for name, _, span in self.machine.invariants]
        named += [("formula", name, span) for name, _, span in self.machine.formulas]
        events: set[str] = set()
        for arrow in self.machine.arrows:
            named += [("event", event, arrow.span) for event in arrow.events if event not in events]
            events |= set(arrow.events)
        for kind, name, span in named:
            symbol = self._symbol(name, kind, span)
            if symbol is not None:
                yield symbol

    def _vertices(self, vertex: Vertex) -> Iterator[Vertex]:
        for region in vertex.regions:
            for inner in region.vertices:
                yield inner
                yield from self._vertices(inner)

    def _symbol(self, name: str, kind: str, span: Span) -> Symbol | None:
        """None for what has a name but does not show it: an end, a history, a label with spaces in it."""
        whole = range_of(span, self.path)
        if whole.line >= len(self.lines):
            return None
        line = self.lines[whole.line]
        start = line.find(":") if kind == "event" and ":" in line and not self.is_xml else whole.character
        before = r"\sname\s*=\s*[\"']" if self.is_xml and kind in ("state", "variable") else r"(?<![\w.])"
        found = re.compile(rf"{before}({re.escape(name)})(?!\w)").search(line, start)
        if found is None:
            return None
        place = Range(whole.line, found.start(1), whole.line, found.end(1))
        return Symbol(
            name, kind, self.path, Range(*min(whole[:2], place[:2]), *max(whole[2:], place[2:])), place, line.strip()
        )
