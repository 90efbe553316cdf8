"""The files of the workbench: those below one folder, and no others.

A name is a path of plain names below the folder. Hidden names and symbolic links are not followed, on any part of the
way: a folder that somebody else packed may hold links to anywhere.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from kripke.digest import sha256
from kripke.languages.registry import LANGUAGES, language_of_ending
from kripke.web.guard import Refused

MOST_TEXT = 2_000_000  # bytes of a file
_MOST_LISTED = 3_000
_DEEPEST = 12
_PASSED_OVER = ("node_modules", "__pycache__", "venv", "build", "dist")
#: texts that belong to models, beside those of languages
_BESIDE = (".h", ".inc", ".txt", ".md", ".toml", ".prp", ".xml", ".ltl", ".csv")


class Folder:
    def __init__(self, path: str) -> None:
        self.path = os.path.realpath(path)
        self._endings = frozenset(_BESIDE).union(*(language.endings for language in LANGUAGES.values()))

    @property
    def name(self) -> str:
        return os.path.basename(self.path) or self.path

    def place(self, name: object) -> str:
        """The whole path of a name; Refused where it leads out of the folder, or is none that the workbench opens."""
        if not isinstance(name, str) or not name or "\0" in name or "\\" in name or len(name) > 1_000:
            raise Refused(HTTPStatus.BAD_REQUEST, "this is no name of a file")
        parts = name.split("/")
        if any(part in ("", ".", "..") or part.startswith(".") for part in parts):
            raise Refused(
                HTTPStatus.FORBIDDEN, f"{name}: only files below the folder can be opened, and no hidden ones"
            )
        if os.path.splitext(name)[1].lower() not in self._endings:
            raise Refused(HTTPStatus.FORBIDDEN, f"{name}: the workbench opens models and texts that belong to them")
        path = self.path
        for number, part in enumerate(parts):
            path = os.path.join(path, part)
            try:
                mode = os.lstat(path).st_mode
            except FileNotFoundError:
                continue  # a name of something new
            except OSError as error:
                raise Refused(HTTPStatus.BAD_REQUEST, f"{name}: {error.strerror}") from error
            if stat.S_ISLNK(mode):
                raise Refused(HTTPStatus.FORBIDDEN, f"{name}: symbolic links are not followed")
            if not (stat.S_ISREG(mode) if number == len(parts) - 1 else stat.S_ISDIR(mode)):
                raise Refused(HTTPStatus.FORBIDDEN, f"{name}: this is no file")
        return path

    def read(self, name: object) -> dict[str, Any]:
        """A text with its version, by which ``write`` knows that nobody has changed it since."""
        path = self.place(name)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with open(descriptor, "rb") as file:
                content = file.read(MOST_TEXT + 1)
        except FileNotFoundError:
            raise Refused(HTTPStatus.NOT_FOUND, f"{name}: there is no such file") from None
        except OSError as error:
            raise Refused(HTTPStatus.BAD_REQUEST, f"{name}: {error.strerror}") from error
        if len(content) > MOST_TEXT:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"{name}: a text has at most {MOST_TEXT:,} bytes")
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            raise Refused(HTTPStatus.BAD_REQUEST, f"{name}: this is no text in UTF-8") from None
        return {"name": name, "text": text, "version": sha256(content)}

    def write(self, name: object, text: object, version: object) -> dict[str, Any]:
        """Save a text, unless the file is not what it was when it was read (``version``; None: it is new)."""
        path = self.place(name)
        if not isinstance(text, str):
            raise Refused(HTTPStatus.BAD_REQUEST, "there is no text to save")
        content = text.encode("utf-8", "replace")
        if len(content) > MOST_TEXT:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"{name}: a text has at most {MOST_TEXT:,} bytes")
        there = self.read(name)["version"] if os.path.lexists(path) else None
        if there != version:
            changed = "was changed by somebody else" if there else "is gone"
            why = "exists already" if version is None else changed
            raise Refused(HTTPStatus.CONFLICT, f"{name} {why}: it was not saved")
        beside = f"{path}.{os.getpid()}.saving"
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            mode = stat.S_IMODE(os.stat(path).st_mode) if there is not None else 0o666
            with open(os.open(beside, flags, mode), "wb") as file:
                file.write(content)
            os.replace(beside, path)
        except OSError as error:
            if os.path.lexists(beside):
                os.unlink(beside)
            raise Refused(HTTPStatus.BAD_REQUEST, f"{name}: cannot be saved: {error.strerror}") from error
        return {"name": name, "version": sha256(content)}

    def listing(self) -> dict[str, Any]:
        """Every file that can be opened, models with their language."""
        files: list[dict[str, Any]] = []
        complete = True
        for name in self._walk("", 0):
            if len(files) >= _MOST_LISTED:
                complete = False
                break
            language = language_of_ending(name)
            files.append({"name": name, "language": None if language is None else language.name})
        return {"folder": self.name, "path": self.path, "files": files, "complete": complete}

    def _walk(self, below: str, depth: int) -> Iterator[str]:
        try:
            with os.scandir(os.path.join(self.path, below)) as entries:
                found = sorted(entries, key=lambda entry: (entry.is_dir(follow_symlinks=False), entry.name))
        except OSError:
            return
        for entry in found:
            if entry.name.startswith(".") or entry.is_symlink() or not entry.name.isprintable() or "\\" in entry.name:
                continue
            name = f"{below}/{entry.name}" if below else entry.name
            if entry.is_dir(follow_symlinks=False):
                if depth < _DEEPEST and entry.name not in _PASSED_OVER:
                    yield from self._walk(name, depth + 1)
            elif entry.is_file(follow_symlinks=False) and os.path.splitext(name)[1].lower() in self._endings:
                yield name
