"""Checkpoints of a distributed search: every worker writes the states of each level to a file of its own, as they
become known; between two levels the first worker says how much of the files counts.

A checkpoint is the file ``checkpoint.json`` in the folder: figures of the search so far, and for each file of states
where its levels begin and end. Files only grow, so whatever was written after it, or half written, does no harm. Going
on from it, any number of workers read the files, level by level, and send the states to whoever owns them now.

States from a file go to the compiled model as they are, which trusts them: so files carry marks that take a key
(``explicit/checkpoint.py``).
"""

from __future__ import annotations

import hmac
import json
import os
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from time import monotonic
from typing import IO, Any

from kripke._native import DistributedSearch
from kripke.engines.unsupported import Unsupported

NAME = "checkpoint.json"
_VERSION = 1
_PIECE = 1 << 20  # bytes that are read or written at once


class Saver:
    """One worker's file. ``failed``: something could not be written, and there will be no more checkpoints."""

    def __init__(self, folder: str, name: str, key: bytes) -> None:
        self._path = os.path.join(folder, name)
        self._name = name
        self._mark = hmac.new(key, digestmod="sha256")
        self._file: IO[bytes] | None = None
        self._end = 0
        self._levels: list[list[int]] = []  # number, begin, end
        self.failed = ""

    def add_level(self, search: DistributedSearch) -> None:
        """The states of the present level."""
        begin = self._end
        try:
            if self._file is None:
                self._file = open(self._path, "xb", opener=_private)  # noqa: SIM115 - open as long as the search
            while states := search.next_states(_PIECE):
                self._file.write(states)
                self._mark.update(states)
                self._end += len(states)
        except OSError as error:
            self.failed = f"{self._path}: {error.strerror}"
            while search.next_states(_PIECE):
                pass  # to its end: so it is begun again
        if self._end > begin:
            self._levels.append([search.level, begin, self._end])

    def sync(self) -> dict[str, Any]:
        """What a checkpoint says about this file; nothing where it could not be written."""
        try:
            if self._file is not None:
                self._file.flush()
                os.fsync(self._file.fileno())
        except OSError as error:
            self.failed = f"{self._path}: {error.strerror}"
        if self.failed:
            return {}
        return {"name": self._name, "levels": self._levels, "bytes": self._end, "mark": self._mark.hexdigest()}

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)


def write(folder: str, key: bytes, content: dict[str, Any]) -> str:
    """Put it in its place; what went wrong, if anything."""
    text = json.dumps({"version": _VERSION, **content}).encode()
    place = os.path.join(folder, NAME)
    try:
        with open(f"{place}.new", "wb", opener=_private) as file:
            file.write(json.dumps({"mark": hmac.new(key, text, "sha256").hexdigest()}).encode() + b"\n" + text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(f"{place}.new", place)
    except OSError as error:
        return f"{place}: {error.strerror}"
    return ""


def read(folder: str, key: bytes, fingerprint: str) -> dict[str, Any]:
    """The checkpoint of this folder. Unsupported says what is wrong with it."""
    place = os.path.join(folder, NAME)
    try:
        with open(place, "rb") as file:
            first, _, text = file.read().partition(b"\n")
        mark = json.loads(first)["mark"]
        genuine = isinstance(mark, str) and hmac.compare_digest(mark, hmac.new(key, text, "sha256").hexdigest())
    except OSError as error:
        raise Unsupported(f"--resume {folder}: {place} cannot be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError) as error:
        raise Unsupported(f"--resume {folder}: {place} is no checkpoint") from error
    if not genuine:
        raise Unsupported(f"--resume {folder}: {place} is damaged, or was not written by this user on this machine")
    content: dict[str, Any] = json.loads(text)
    if content["version"] != _VERSION:
        raise Unsupported(f"--resume {folder}: it is of another version of Kripke")
    if content["fingerprint"] != fingerprint:
        raise Unsupported(f"--resume {folder}: it is of another model, or of a check with other options")
    return content


def whole(folder: str, key: bytes, file: dict[str, Any]) -> str:
    """Is what the checkpoint says of a file there? What is wrong, if anything."""
    path = os.path.join(folder, os.path.basename(file["name"]))
    mark = hmac.new(key, digestmod="sha256")
    left = file["bytes"]
    try:
        with open(path, "rb") as states:
            while left and (piece := states.read(min(left, _PIECE))):
                mark.update(piece)
                left -= len(piece)
    except OSError as error:
        return f"{path}: {error.strerror}"
    if left or not hmac.compare_digest(mark.hexdigest(), file["mark"]):
        return f"{path} is damaged, or was not written by this user on this machine"
    return ""


def states_of(folder: str, files: list[dict[str, Any]], level: int) -> Iterator[bytes]:
    """The states of a level in these files, piece by piece."""
    for file in files:
        for number, begin, end in file["levels"]:
            if number == level:
                with open(os.path.join(folder, os.path.basename(file["name"])), "rb") as states:
                    states.seek(begin)
                    left = end - begin
                    while left and (piece := states.read(min(left, _PIECE))):
                        left -= len(piece)
                        yield piece


def feeding(search: DistributedSearch, pieces: Iterator[bytes]) -> Callable[[int], bool]:
    """A part of a level's work: states from files instead of steps."""
    rest = b""

    def work(_: int) -> bool:
        nonlocal rest
        if search.crowded():
            return True
        piece = next(pieces, b"")
        if not piece:
            search.end_restored_level()
            return False
        piece = rest + piece
        left = search.restore(piece)
        rest = piece[len(piece) - left :] if left else b""
        return True

    return work


class Clock:
    """Is it time for a checkpoint? Only the first worker says so."""

    def __init__(self, seconds: float, speaks: bool) -> None:
        self._seconds, self._speaks, self._last = seconds, speaks, monotonic()

    def due(self) -> bool:
        return self._speaks and self._seconds > 0 and monotonic() - self._last >= self._seconds

    def reset(self) -> None:
        self._last = monotonic()


def as_text(data: bytes) -> str:
    return b64encode(data).decode("ascii")


def as_bytes(text: str) -> bytes:
    return b64decode(text)
