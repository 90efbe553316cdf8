"""XML in a stream: elements of interest one after the other, each with its place in the file.

A file may be hostile or a hundred megabytes long. Nothing outside the elements of interest is kept, entities are
refused (they can multiply a text a billion times), nothing outside the file is ever read, and depth and texts are
bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NoReturn
from xml.parsers import expat

from kripke.deadline import current
from kripke.model.source import ModelError, Sources, Span

_NAMESPACES = "http://www.pnml.org/"
_DEEPEST = 500
_LONGEST_TEXT = 1 << 20
_LONGEST_LINE = 4096
_CHUNK = 1 << 16
_INTEGER = re.compile(r"[+-]?[0-9]+")


class FileSources(Sources):
    """Lines are read from the file when an error or a trace wants one: the text itself is never kept."""

    def line(self, file: str, line: int) -> str | None:
        found = super().line(file, line)
        if found is not None or line < 1:
            return found
        try:
            with open(file, "rb") as stream:
                for _ in range(line - 1):
                    if not stream.readline():
                        return None
                text = stream.readline(_LONGEST_LINE)
        except OSError:
            return None
        return text.decode("utf-8", "replace").rstrip("\r\n")


class Element:
    """An element with everything inside it; ``tag`` without its namespace."""

    __slots__ = ("attributes", "children", "column", "line", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], line: int, column: int) -> None:
        self.tag = tag
        self.attributes = attributes
        self.children: list[Element] = []
        self.text = ""
        self.line = line
        self.column = column

    def child(self, *tags: str) -> Element | None:
        """The first child with one of these tags."""
        return next((child for child in self.children if child.tag in tags), None)

    def __iter__(self) -> Iterator[Element]:
        return iter(self.children)


def integer(text: str, largest: int) -> int:
    """The number a text stands for, ``largest`` + 1 for all that are longer; ValueError where it is none: digits of
    other scripts and ``1_000``, which Python reads, are none in XML."""
    if not _INTEGER.fullmatch(text):
        raise ValueError(text)
    return int(text) if len(text) < 20 else largest + 1


class Document:
    """A file being read.

    ``handlers`` says what to do with an element of interest once it is complete, by tag; ``entered`` is called with
    every other element as it begins; elements in ``skipped`` are passed over with all they contain, and so are those of
    a namespace that is neither the root's nor one of PNML.
    """

    def __init__(
        self,
        path: str,
        sources: Sources,
        handlers: dict[str, Callable[[Element], None]],
        entered: Callable[[Element], None],
        skipped: frozenset[str],
    ) -> None:
        self.path = path
        self.sources = sources
        self._handlers = handlers
        self._entered = entered
        self._skipped = skipped
        self._open: list[Element] = []  # the element of interest and what is open inside it
        self._texts: list[list[str]] = []
        self._text_length = 0
        self._depth = 0
        self._namespace = ""
        self._passing = 0  # depth inside a skipped element
        self._parser = self._made_parser(None)

    def _made_parser(self, encoding: str | None) -> expat.XMLParserType:
        parser = expat.ParserCreate(encoding, "}")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.EntityDeclHandler = self._entity
        parser.SkippedEntityHandler = self._entity  # one that a file outside might define
        return parser

    def read(self) -> None:
        """Read the whole file; ModelError where it is no XML or hostile."""
        try:
            with open(self.path, "rb") as file:
                self._feed(iter(lambda: file.read(_CHUNK), b""))
        except OSError as error:
            raise ModelError(f"cannot read {self.path}: {error.strerror}") from error

    def read_text(self, text: str) -> None:
        """The same of a text, as it stands in an editor."""
        data = text.encode("utf-8", "replace")
        self._parser = self._made_parser("utf-8")  # whatever the text says about the bytes of its file
        self._feed(data[at : at + _CHUNK] for at in range(0, len(data), _CHUNK))

    def _feed(self, chunks: Iterator[bytes]) -> None:
        try:
            fed, deadline = 0, current()
            for chunk in chunks:
                deadline()
                self._parser.Parse(chunk, False)
                fed += len(chunk)
                # An unfinished tag or comment is read from its start again with every chunk.
                if fed - max(self._parser.CurrentByteIndex, 0) > _LONGEST_TEXT + _CHUNK:
                    self._fail_here("this tag, comment or declaration is too long")
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            self._fail_at(
                error.lineno, error.offset + 1, f"this is no well-formed XML: {expat.ErrorString(error.code)}"
            )
        except (ValueError, LookupError) as error:  # an encoding Python does not know
            raise ModelError(f"cannot read {self.path}: {error}") from error

    def span(self, element: Element) -> Span:
        width = len(element.tag) + 1
        return Span(self.path, element.line, element.column, element.line, element.column + width)

    def fail(self, element: Element, message: str, hint: str | None = None) -> NoReturn:
        raise self.sources.error(message, self.span(element), hint)

    def _fail_at(self, line: int, column: int, message: str, hint: str | None = None) -> NoReturn:
        raise self.sources.error(message, Span(self.path, line, column, line, column + 1), hint)

    def _fail_here(self, message: str, hint: str | None = None) -> NoReturn:
        self._fail_at(self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + 1, message, hint)

    def _entity(self, name: str, *_: object) -> NoReturn:
        self._fail_here(
            f"the file uses the entity {name[:40]}; entities are refused",
            "write the text itself instead of the entity",
        )

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            self._fail_here("the elements are nested too deeply")
        if self._passing:
            self._passing += 1
            return
        namespace, _, tag = name.rpartition("}")
        if self._depth == 1:
            self._namespace = namespace
        if tag in self._skipped or (namespace not in (self._namespace, "") and not namespace.startswith(_NAMESPACES)):
            self._passing = 1
            return
        parser = self._parser
        element = Element(tag, attributes, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        if self._open:
            self._open[-1].children.append(element)
        elif tag not in self._handlers:
            self._entered(element)
            return
        self._open.append(element)
        self._texts.append([])

    def _characters(self, text: str) -> None:
        if self._open and not self._passing:
            self._text_length += len(text)
            if self._text_length > _LONGEST_TEXT:
                self._fail_here("the text of this element is too long")
            self._texts[-1].append(text)

    def _end(self, _: str) -> None:
        self._depth -= 1
        if self._passing:
            self._passing -= 1
            return
        if not self._open:
            return
        element = self._open.pop()
        element.text = "".join(self._texts.pop()).strip()
        if not self._open:
            self._text_length = 0
            self._handlers[element.tag](element)
