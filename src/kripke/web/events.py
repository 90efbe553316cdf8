"""News for open pages: server-sent events, one stream for each page."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from kripke.web.guard import Refused

MOST_PAGES = 24
_MOST_UNREAD = 1_000
_BREATH = 15.0  # seconds after which a stream says that it is still there


class News:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._readers: set[queue.Queue[str | None]] = set()

    def tell(self, content: Any) -> None:
        text = json.dumps(content)
        with self._lock:
            readers = list(self._readers)
        for reader in readers:
            if reader.qsize() < _MOST_UNREAD:  # else nobody reads: the page asks again when it is back
                reader.put(text)

    def stream(self) -> Iterator[bytes]:
        """The lines of a stream, for ever; Refused where there are too many."""
        reader: queue.Queue[str | None] = queue.Queue()
        with self._lock:
            if len(self._readers) >= MOST_PAGES:
                raise Refused(HTTPStatus.TOO_MANY_REQUESTS, "too many pages of this workbench are open")
            self._readers.add(reader)
        return self._lines(reader)

    def _lines(self, reader: queue.Queue[str | None]) -> Iterator[bytes]:
        try:
            yield b"retry: 1000\n\n"
            while True:
                try:
                    text = reader.get(timeout=_BREATH)
                except queue.Empty:
                    yield b": \n\n"
                    continue
                if text is None:
                    return
                yield b"data: " + text.encode() + b"\n\n"
        finally:
            with self._lock:
                self._readers.discard(reader)

    def close(self) -> None:
        with self._lock:
            for reader in self._readers:
                reader.put(None)
