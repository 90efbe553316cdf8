"""Which language a file is written in, and how it is loaded.

A language is a line in a table: its name, its file endings, and the module that loads it, imported only when it is
needed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from kripke.model.model import Model
from kripke.model.source import ModelError

DeadVariables = Literal["zero", "initial", "off"]

MOST_VALUES = 64  # of a many-valued formula
_LOOKED_AT = 65536  # bytes of a file that tell text from binary


@dataclass(frozen=True, slots=True)
class LoadRequest:
    """A model to load: where it is and how it is to be read."""

    path: str
    language: str | None = None
    defines: Mapping[str, str] = field(default_factory=dict)
    undefines: tuple[str, ...] = ()
    include_paths: tuple[str, ...] = ()
    invariants: tuple[str, ...] = ()
    formulas: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    #: whose truth is asked for, of formulas of branching time
    conditions: tuple[str, ...] = ()
    #: how far a state has come, for a sweep
    progress: str | None = None
    #: how many values formulas have; None: the two
    values: int | None = None
    #: are labels that ask for fairness to events to be looked for?
    events: bool = False
    merge: bool = True
    dead_variables: DeadVariables = "zero"
    #: may C code in the model be compiled and run? A saved trace remembers it, but its replay asks again.
    allow_c: bool = False
    slice: bool = False
    #: are only the steps in which modules meet to be steps?
    modular: bool = False
    #: "paths", "hidden": states that are passed through and not kept
    compress: tuple[str, ...] = ()
    #: what a simulation reads from STDIN, None: nothing can be read
    input: str | None = None

    def to_json(self) -> dict[str, Any]:
        """What a saved trace remembers: everything but the path, and a fingerprint of the file."""
        return {
            "sha256": fingerprint(self.path),
            "defines": dict(self.defines),
            "undefines": list(self.undefines),
            "include_paths": list(self.include_paths),
            "invariants": list(self.invariants),
            "formulas": list(self.formulas),
            "claims": list(self.claims),
            "conditions": list(self.conditions),
            "values": self.values,
            "events": self.events,
            "merge": self.merge,
            "dead_variables": self.dead_variables,
            "allow_c": self.allow_c,
            "slice": self.slice,
            "modular": self.modular,
            "compress": list(self.compress),
            "input": self.input,
        }

    def with_origin(self, origin: Mapping[str, Any]) -> LoadRequest:
        """The request a saved trace remembers, for this file."""
        dead, values = origin.get("dead_variables", "zero"), origin.get("values")
        return replace(
            self,
            defines={str(name): str(value) for name, value in dict(origin.get("defines", {})).items()},
            undefines=tuple(origin.get("undefines", ())),
            include_paths=tuple(origin.get("include_paths", ())),
            invariants=tuple(origin.get("invariants", ())),
            formulas=tuple(origin.get("formulas", ())),
            claims=tuple(origin.get("claims", ())),
            conditions=tuple(origin.get("conditions", ())),
            values=values if isinstance(values, int) and 2 <= values <= MOST_VALUES else None,
            events=bool(origin.get("events", False)),
            merge=bool(origin.get("merge", True)),
            dead_variables=dead if dead in ("zero", "initial", "off") else "zero",
            slice=bool(origin.get("slice", False)),
            modular=bool(origin.get("modular", False)),
            compress=tuple(origin.get("compress", ())),
            input=None if origin.get("input") is None else str(origin["input"]),
        )


@dataclass(frozen=True, slots=True)
class Language:
    name: str
    endings: tuple[str, ...]
    load: Callable[[LoadRequest], Model]


def _load_promela(request: LoadRequest) -> Model:
    from kripke.languages.promela import load
    from kripke.process.passes import Passes

    # The passes are to keep what it reads, as of a condition.
    measure = () if request.progress is None else (request.progress,)
    model = load(
        request.path,
        defines=request.defines,
        undefines=request.undefines,
        include_paths=request.include_paths,
        invariants=request.invariants,
        formulas=request.formulas,
        claims=request.claims,
        conditions=(*request.conditions, *measure),
        values=request.values,
        events=request.events,
        passes=Passes(request.merge, request.dead_variables, request.slice),
        allow_c=request.allow_c,
        input=request.input,
    )
    model.program.measure = request.progress
    return model


def _load_maria(request: LoadRequest) -> Model:
    from kripke.languages.maria import load

    return load(
        request.path,
        defines=request.defines,
        undefines=request.undefines,
        include_paths=request.include_paths,
        # Both are conditions on states that become atoms.
        invariants=(*request.invariants, *(c for c in request.conditions if c not in request.invariants)),
        formulas=request.formulas,
        modular=request.modular,
        compress=request.compress,
    )


def _load_pep(request: LoadRequest) -> Model:
    from kripke.languages.pep import load

    return load(
        request.path,
        invariants=request.invariants,
        formulas=request.formulas,
        conditions=request.conditions,
        progress=request.progress,
    )


def _load_pnml(request: LoadRequest) -> Model:
    from kripke.languages.pnml import load

    return load(
        request.path,
        invariants=request.invariants,
        formulas=request.formulas,
        conditions=request.conditions,
        progress=request.progress,
    )


def _load_modes(request: LoadRequest) -> Model:
    from kripke.languages.modes import load

    return load(
        request.path,
        defines=request.defines,
        invariants=request.invariants,
        formulas=request.formulas,
        conditions=request.conditions,
    )


LANGUAGES: dict[str, Language] = {
    language.name: language
    for language in (
        Language("promela", (".pml", ".pm", ".pr", ".prm", ".prom", ".promela", ".spin"), _load_promela),
        Language("maria", (".pn",), _load_maria),
        Language("pep", (".ll_net",), _load_pep),
        Language("pnml", (".pnml",), _load_pnml),
        Language("modes", (".modes",), _load_modes),
    )
}


def load_model(request: LoadRequest) -> Model:
    """Load a model; ModelError says what is wrong with the file or the text."""
    language = language_of(request)
    check_readable(request.path)
    for option, given in (("--modular", request.modular), ("--compress", request.compress)):
        if given and language.name != "maria":
            raise ModelError(f"{option} is for nets in Maria's language; {request.path} is a {language.name} model")
    if request.progress is not None and language.name == "maria":
        raise ModelError(
            "--progress is for Promela models and place/transition nets, not for high-level ones yet",
            hint="search without --search sweep, or write the net as PNML",
        )
    if request.modular and request.compress:
        raise ModelError("--modular and --compress do not go together", hint="choose one of them")
    return language.load(request)


def language_of(request: LoadRequest) -> Language:
    known = ", ".join(f"{name} ({' '.join(LANGUAGES[name].endings)})" for name in sorted(LANGUAGES))
    if request.language is not None:
        try:
            return LANGUAGES[request.language.lower()]
        except KeyError:
            raise ModelError(f"there is no language {request.language!r}", hint=f"known languages: {known}") from None
    ending = os.path.splitext(request.path)[1].lower()
    for language in LANGUAGES.values():
        if ending in language.endings:
            return language
    if not os.path.isfile(request.path):
        check_readable(request.path)
    if _reads_as_promela(request.path):
        return LANGUAGES["promela"]
    what = f"the ending {ending!r} of {request.path}" if ending else f"the name {request.path}"
    raise ModelError(f"{what} does not tell the language", hint=f"name it with --lang; known languages: {known}")


def mentions_input(request: LoadRequest) -> bool:
    """Is the file one whose model may read STDIN?"""
    try:
        with open(request.path, "rb") as file:
            return re.search(rb"\bSTDIN\b", file.read()) is not None and language_of(request).name == "promela"
    except (OSError, ValueError):
        return False


def _reads_as_promela(path: str) -> bool:
    """Is a process declared in the file? Many Promela models have names that tell nothing."""
    try:
        with open(path, encoding="latin-1") as file:
            text = file.read(_LOOKED_AT)
    except (OSError, ValueError):
        return False
    return "\0" not in text and re.search(r"\bproctype\s+\w+\s*\(|^\s*init\s*\{", text, re.MULTILINE) is not None


def check_readable(path: str) -> None:
    """ModelError unless the path names a text file that can be read."""
    if os.path.isdir(path):
        raise ModelError(f"cannot read {path}: it is a directory")
    try:
        with open(path, "rb") as file:
            start = file.read(_LOOKED_AT)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise ModelError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    if b"\0" in start:
        raise ModelError(f"cannot read {path}: it is a binary file, not a model")


def fingerprint(path: str) -> str | None:
    """A hash of the file's content, to tell whether it changed; None where it cannot be read."""
    from kripke.digest import sha256

    try:
        with open(path, "rb") as file:
            return sha256(file.read())
    except OSError:
        return None
