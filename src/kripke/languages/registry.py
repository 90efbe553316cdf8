"""Which languages there are, which one a file is written in, and how it is loaded.

A language is a package with a ``LANGUAGE`` (see ``language.py``), and a line in ``PACKAGES``. It is imported when it is
asked for: by a file that may be written in it, or by an option that may be its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, MutableMapping
from dataclasses import replace
from importlib import import_module
from typing import Any

from kripke.deadline import current
from kripke.languages.language import Form, Language, Option
from kripke.languages.request import LoadRequest, RunRequest
from kripke.memory import rare_collection
from kripke.model.model import Model
from kripke.model.source import ModelError

PACKAGES = {
    "promela": "kripke.languages.promela",
    "pnml": "kripke.languages.pnml",
    "maria": "kripke.languages.maria",
    "pep": "kripke.languages.pep",
    "cspm": "kripke.languages.cspm",
    "modes": "kripke.languages.modes",
    "scxml": "kripke.languages.scxml",
    "lf": "kripke.languages.lf",
    "uml": "kripke.languages.uml",
    "smv": "kripke.languages.smv",
    "python": "kripke.languages.python",
    "space": "kripke.languages.space",
}

_LOOKED_AT = 65536  # bytes of a file that tell text from binary


class _Languages(MutableMapping[str, Language]):
    """Languages by their names, each imported when it is looked up."""

    def __init__(self) -> None:
        self._known: dict[str, Language | None] = dict.fromkeys(PACKAGES)

    def __getitem__(self, name: str) -> Language:
        language = self._known[name]
        if language is None:
            language = self._known[name] = import_module(PACKAGES[name]).LANGUAGE
        return language

    def __setitem__(self, name: str, language: Language) -> None:
        self._known[name] = language

    def __delitem__(self, name: str) -> None:
        del self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


LANGUAGES = _Languages()


def register(language: Language) -> None:
    """A language that is not part of Kripke, from now on."""
    LANGUAGES[language.name] = language


def options_of_languages() -> dict[str, tuple[Option, tuple[Language, ...]]]:
    """The options that belong to some languages only, by their names, and which languages these are."""
    found: dict[str, tuple[Option, tuple[Language, ...]]] = {}
    for language in LANGUAGES.values():
        for option in language.options:
            known, others = found.get(option.name, (option, ()))
            if known != option:
                raise ValueError(f"{others[0].name} and {language.name} mean different things by {option.flag}")
            found[option.name] = (option, (*others, language))
    return found


def forms_of_languages() -> dict[str, Form]:
    """What models can be written as, by the names of the forms."""
    return {form.name: form for language in LANGUAGES.values() for form in language.forms}


def load_model(request: LoadRequest) -> Model:
    """Load a model; ModelError says what is wrong with the file or the text. OutOfTime where a deadline comes first."""
    language = language_of(request)
    check_readable(request.path)
    deadline = current()
    deadline()
    with rare_collection():
        model = language.load(completed(request))
    deadline()
    return model


def load_again(path: str, language: str, origin: dict[str, Any], *, allow_c: bool = False) -> Model | None:
    """The model of a file, read as ``to_json`` of a request remembers; None where it would not be the same."""
    request = LoadRequest(path, language).with_origin(origin)
    now = {**request.to_json(), "allow_c": origin["allow_c"]}
    # An option of other languages that is off says nothing.
    if now != {name: value for name, value in origin.items() if name in now or value}:
        return None
    return load_model(replace(request, allow_c=allow_c))


def completed(request: LoadRequest) -> LoadRequest:
    """With a value for every option of its language; ModelError for an option of another."""
    language = language_of(request)
    own = {option.name: option for option in language.options}
    for name, value in request.options.items():
        if name not in own and _says_something(name, value):
            raise ModelError(_foreign(name, request.path, language))
    given = {name: own[name].checked(value) for name, value in request.options.items() if name in own}
    return replace(request, options={**{name: option.default for name, option in own.items()}, **given})


def _says_something(name: str, value: object) -> bool:
    """Is it more than what holds anyway?"""
    known = options_of_languages().get(name)
    default = None if known is None else known[0].default
    return value != default and bool(value or default)


def _foreign(name: str, path: str, language: Language) -> str:
    known = options_of_languages()
    if name not in known:
        return f"no language has an option {name!r}"
    option, languages = known[name]
    return f"{option.flag} is for {' and '.join(map(str, languages))}; {path} is a {language.name} model"


def language_of(request: LoadRequest | RunRequest) -> Language:
    """The one that was named, that of the file's ending, or one that knows its text."""
    if request.language is not None:
        try:
            return LANGUAGES[request.language.lower()]
        except KeyError:
            raise ModelError(f"there is no language {request.language!r}", hint=_known_languages()) from None
    language = language_of_ending(request.path)
    if language is not None:
        return language
    if not os.path.isfile(request.path):
        check_readable(request.path)
    text = _start_of(request.path)
    for language in LANGUAGES.values():
        if language.recognises is not None and text and language.recognises(text):
            return language
    ending = os.path.splitext(request.path)[1].lower()
    what = f"the ending {ending!r} of {request.path}" if ending else f"the name {request.path}"
    raise ModelError(f"{what} names no known language", hint=f"name it with --lang; {_known_languages()}")


def language_of_text(text: str, name: str | None = None) -> Language:
    """The one that was named, or one that knows this text."""
    if name is not None:
        return language_of(LoadRequest("", name))
    for language in LANGUAGES.values():
        if language.recognises is not None and language.recognises(text):
            return language
    raise ModelError("the text does not show its language", hint=f"name it: language=...; {_known_languages()}")


def language_of_ending(path: str) -> Language | None:
    ending = os.path.splitext(path)[1].lower()
    return next((language for language in LANGUAGES.values() if ending in language.endings), None)


def _known_languages() -> str:
    known = (f"{name} ({' '.join(LANGUAGES[name].endings)})" for name in sorted(LANGUAGES))
    return f"known languages: {', '.join(known)}"


def reads_input(request: LoadRequest) -> bool:
    """Is the file one whose model may read STDIN?"""
    try:
        language = language_of(request)
        if language.reads_input is None:
            return False
        with open(request.path, encoding="latin-1") as file:
            return language.reads_input(file.read())
    except (OSError, ValueError, ModelError):
        return False


def _start_of(path: str) -> str:
    """What shows the language of a text; nothing where it is none."""
    try:
        with open(path, encoding="latin-1") as file:
            text = file.read(_LOOKED_AT)
    except (OSError, ValueError):
        return ""
    return "" if "\0" in text else text


def check_readable(path: str) -> None:
    """ModelError unless the path names a text file that can be read."""
    if os.path.isdir(path):
        raise ModelError(f"cannot read {path}: it is a directory")
    try:
        with open(path, "rb") as file:
            start = file.read(_LOOKED_AT)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise ModelError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    if b"\0" in start and not (start.startswith(b"PAR1") and path.endswith(".parquet")):
        raise ModelError(f"cannot read {path}: it is a binary file, not a model")
