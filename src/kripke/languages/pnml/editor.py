"""A net in PNML in an editor: places, transitions, and the colours that are declared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from kripke.languages.editing.document import Problem, Range, Symbol, range_of
from kripke.languages.editing.markup import scan_markup
from kripke.languages.editing.net import Joined, NetDocument, arc_text
from kripke.languages.editing.words import Word
from kripke.languages.pnml.document import Element
from kripke.languages.pnml.reader import Node, Reader, text_of
from kripke.model.source import Sources

_NAME = re.compile(r"""[^\s"'<>=/]+""")
_TEXT = re.compile(r"""[^\s<>](?:[^<>\n]*[^\s<>])?""")
#: attributes whose values are identifiers of nodes and colours
_IDENTIFIERS = frozenset({"id", "source", "target", "ref", "declaration", "refvariable", "refpartition"})
_KINDS = {
    "namedsort": "sort",
    "partition": "sort",
    "variabledecl": "variable",
    "feconstant": "constant",
    "partitionelement": "constant",
}
_TAG_LINES = 20  # over which the attributes of an element are looked for


class PnmlDocument(NetDocument):
    language = "pnml"

    def _read(self, text: str) -> Iterator[Problem]:
        sources = Sources()
        sources.add(self.path, text)
        reader = Reader(self.path, sources)
        reader.document.read_text(text)
        self._symbols = {(symbol.kind, name): symbol for name, symbol in self._all(reader)}
        if reader.coloured:
            self.meaning = reader.symmetric_net()  # its unfolding, which can be large, says no more about the text
        else:
            self.meaning = reader.net()
        for warning in reader.warnings:
            yield Problem(range_of(warning.span, self.path), warning.message, "warning")

    def _all(self, reader: Reader) -> Iterator[tuple[str, Symbol]]:
        names = {**reader.places, **reader.transitions}
        joined = {identifier: Joined() for identifier in names}
        for arc, place, transition, consumes in reader.resolved_arcs():
            weight = text_of(arc.inscription) if arc.inscription is not None else ""
            first, second = (place, transition) if consumes else (transition, place)
            joined[first].after.append(arc_text(names[second].name or second, weight))
            joined[second].before.append(arc_text(names[first].name or first, weight))
        for declaration in reader.declarations:
            yield from self._colours(declaration)
        for kind, nodes in (("place", reader.places), ("transition", reader.transitions)):
            for identifier, node in nodes.items():
                text = joined[identifier].text(_head(identifier, node))
                yield identifier, self._symbol(identifier, node.name or identifier, kind, node.element, text)
        for identifier, (wanted, element) in reader.references.items():
            yield identifier, self._symbol(identifier, identifier, "reference", element, f"{identifier} is {wanted}")

    def _colours(self, element: Element) -> Iterator[tuple[str, Symbol]]:
        waiting = [element]
        while waiting:
            element = waiting.pop(0)
            waiting = [*element.children, *waiting]
            identifier = element.attributes.get("id", "")
            if element.tag in _KINDS and identifier:
                name = element.attributes.get("name") or identifier
                text = self.lines[element.line - 1].strip() if element.line <= len(self.lines) else ""
                yield identifier, self._symbol(identifier, name, _KINDS[element.tag], element, text)

    def _symbol(self, identifier: str, name: str, kind: str, element: Element, text: str) -> Symbol:
        named = self._identifier_range(identifier, element)
        whole = Range(element.line - 1, element.column - 1, named.end_line, named.end_character)
        return Symbol(name, kind, self.path, whole, named, text)

    def _identifier_range(self, identifier: str, element: Element) -> Range:
        wanted = re.compile(rf"""\bid\s*=\s*["']\s*({re.escape(identifier)})\s*["']""")
        start = element.column - 1
        for number in range(element.line - 1, min(element.line - 1 + _TAG_LINES, len(self.lines))):
            match = wanted.search(self.lines[number], start)
            if match is not None:
                return Range(number, match.start(1), number, match.end(1))
            start = 0
        return Range(element.line - 1, element.column - 1, element.line - 1, element.column - 1)

    def _scan(self) -> Iterator[Word]:
        return scan_markup(self.text, _names_of)

    def symbol_at(self, line: int, character: int) -> Symbol | None:
        """By the identifier that stands there, or by the name."""
        word = self.name_at(line, character)
        if word is None:
            return None
        if word.context.partition("@")[2] in _IDENTIFIERS:
            kinds = ("place", "transition", "reference", "variable", "constant", "sort")
            known = (self._symbols.get((kind, word.text)) for kind in kinds)
            return next((symbol for symbol in known if symbol is not None), None)
        return self._by_name.get(word.text)

    @cached_property
    def _by_name(self) -> dict[str, Symbol]:
        return {symbol.name: symbol for symbol in reversed(self._symbols.values())}


def _names_of(context: str) -> re.Pattern[str] | None:
    element, _, attribute = context.partition("@")
    if attribute in _IDENTIFIERS:
        return _NAME
    return _TEXT if attribute == "name" or (not attribute and element == "text") else None


def _head(identifier: str, node: Node) -> str:
    head = node.name or identifier
    if node.name and node.name != identifier:
        head += f" (id {identifier})"
    for detail in node.details:
        words = {"initialMarking": "marking", "hlinitialMarking": "marking", "type": "sort", "condition": "guard"}
        if detail.tag in words and text_of(detail):
            head += f", {words[detail.tag]} {text_of(detail)}"
    return head
