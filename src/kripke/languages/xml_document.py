"""XML with places: every element, and every attribute, knows where it stands in the file.

A file may be hostile: entities are refused (they can multiply a text a billion times), nothing outside the file is
read, and size and depth are bounded.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NoReturn
from xml.parsers import expat

from kripke.model.source import ModelError, Sources, Span

_DEEPEST = 200
_LONGEST = 1 << 23
_LONGEST_TAG = 20_000


class Element:
    """``tag`` without its namespace; ``namespace`` empty where there is none."""

    __slots__ = ("attributes", "byte", "children", "namespace", "tag", "text")

    def __init__(self, tag: str, namespace: str, attributes: dict[str, str], byte: int) -> None:
        self.tag = tag
        self.namespace = namespace
        self.attributes = attributes
        self.children: list[Element] = []
        self.text = ""
        self.byte = byte

    def __iter__(self) -> Iterator[Element]:
        return iter(self.children)


class Document:
    """A file, read as a whole."""

    def __init__(self, path: str, data: bytes, sources: Sources) -> None:
        self.path = path
        self.sources = sources
        self._data = data
        self._breaks = [-1, *(match.start() for match in re.finditer(b"\n", data))]
        self._ascii = data.isascii()
        self._open: list[Element] = []
        self._root: Element | None = None
        sources.add(path, data.decode("utf-8", "replace"))
        parser = expat.ParserCreate(None, "}")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.EntityDeclHandler = self._entity
        parser.SkippedEntityHandler = self._entity
        parser.ExternalEntityRefHandler = None
        self._parser = parser

    def read(self) -> Element:
        """The root; ModelError where it is no XML, or hostile."""
        if len(self._data) > _LONGEST:
            raise ModelError(f"{self.path} has more than {_LONGEST:,} bytes, which is too long for a state machine")
        try:
            self._parser.Parse(self._data, True)
        except expat.ExpatError as error:
            message = f"this is no well-formed XML: {expat.ErrorString(error.code)}"
            place = Span(self.path, error.lineno, error.offset + 1, error.lineno, error.offset + 2)
            raise self.sources.error(message, place) from None
        except (ValueError, LookupError) as error:  # an encoding Python does not know
            raise ModelError(f"cannot read {self.path}: {error}") from error
        assert self._root is not None
        return self._root

    # --- places -------------------------------------------------------------------------------------------------------

    def span(self, element: Element) -> Span:
        return self._span(element.byte, len(element.tag) + 1)

    def span_of(self, element: Element, attribute: str) -> Span:
        """Of the value of an attribute."""
        end = self._data.find(b">", element.byte, element.byte + _LONGEST_TAG)
        tag = self._data[element.byte : end if end > 0 else element.byte + _LONGEST_TAG].decode("utf-8", "replace")
        match = re.search(rf"\s{re.escape(attribute)}\s*=\s*[\"']", tag)
        if match is None:
            return self.span(element)
        before = len(tag[: match.end()].encode("utf-8"))
        return self._span(element.byte + before, max(1, len(element.attributes.get(attribute, ""))))

    def _span(self, byte: int, width: int) -> Span:
        line = bisect_left(self._breaks, byte)
        start = self._breaks[line - 1] + 1
        before = byte - start if self._ascii else len(self._data[start:byte].decode("utf-8", "replace"))
        column = before + 1
        return Span(self.path, line, column, line, column + width)

    def error(self, message: str, span: Span, hint: str | None = None) -> ModelError:
        return self.sources.error(message, span, hint)

    # --- handlers -----------------------------------------------------------------------------------------------------

    def _fail(self, message: str, hint: str | None = None) -> NoReturn:
        line, column = self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + 1
        raise self.sources.error(message, Span(self.path, line, column, line, column + 1), hint)

    def _entity(self, name: str, *_: object) -> NoReturn:
        self._fail(f"the file uses the entity {name[:40]}; entities are refused", "write the text itself")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= _DEEPEST:
            self._fail("the elements are nested too deeply")
        namespace, _, tag = name.rpartition("}")
        plain = {key.rpartition("}")[2] if "}" in key else key: value for key, value in attributes.items()}
        element = Element(tag, namespace, plain, self._parser.CurrentByteIndex)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._root = element
        self._open.append(element)

    def _characters(self, text: str) -> None:
        self._open[-1].text += text

    def _end(self, _: str) -> None:
        self._open.pop()
