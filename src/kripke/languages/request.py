"""A model to load: where it is, how it is to be read, and what is asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

MOST_VALUES = 64  # of a many-valued formula


#: Estimates that every language makes by itself.
ESTIMATES = ("bound", "formula", "active", "none")


def estimate_expression(estimate: str | None) -> str | None:
    """The expression among estimates; None where it is a name, or nothing."""
    return None if estimate in (None, "", *ESTIMATES) else estimate


@dataclass(frozen=True, slots=True)
class LoadRequest:
    path: str
    language: str | None = None
    defines: Mapping[str, str] = field(default_factory=dict)
    undefines: tuple[str, ...] = ()
    include_paths: tuple[str, ...] = ()
    #: included files must lie in this folder; None: anywhere
    include_root: str | None = None
    invariants: tuple[str, ...] = ()
    formulas: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    #: files of formulas about a net, each of which is answered
    formula_files: tuple[str, ...] = ()
    #: whose truth is asked for, of formulas of branching time
    conditions: tuple[str, ...] = ()
    #: how far a state has come, for a sweep
    progress: str | None = None
    #: how far a state is from an error, for a directed search: an expression
    estimate: str | None = None
    #: how many values formulas have; None: the two
    values: int | None = None
    #: are labels that ask for fairness to events to be looked for?
    events: bool = False
    #: may C code in the model be compiled and run? A saved trace remembers it, but its replay asks again.
    allow_c: bool = False
    #: what a simulation reads from STDIN, None: nothing can be read
    input: str | None = None
    #: options of the language alone, by their names: those that were given; a loader finds all of them here
    options: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """What a saved trace remembers: everything but the path, and a fingerprint of the file."""
        from kripke.languages.registry import completed

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
            # Traces have always had these two, whatever the language.
            "merge": True,
            "dead_variables": "zero",
            "allow_c": self.allow_c,
            **{
                name: list(value) if isinstance(value, tuple) else value
                for name, value in completed(self).options.items()
            },
            "input": self.input,
        }

    def with_origin(self, origin: Mapping[str, Any]) -> LoadRequest:
        """The request a saved trace remembers, for this file."""
        from kripke.languages.registry import language_of

        values = origin.get("values")
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
            input=None if origin.get("input") is None else str(origin["input"]),
            options={
                option.name: option.checked(origin[option.name])
                for option in language_of(self).options
                if option.name in origin
            },
        )


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A program to execute for real: what it is fed with, and how many steps it may take (None: any number).

    ``scheduler``, ``seed`` and ``interrupts`` are for programs of several processes: whose action comes next, which
    choices are taken, when interrupts come."""

    path: str
    language: str | None = None
    defines: Mapping[str, str] = field(default_factory=dict)
    events: tuple[str, ...] = ()
    steps: int | None = None
    real_time: bool = False
    include_paths: tuple[str, ...] = ()
    scheduler: str = "round-robin"
    seed: int | None = None
    interrupts: tuple[str, ...] = ()
    statistics: bool = False


def fingerprint(path: str) -> str | None:
    """A hash of the file's content, to tell whether it changed; None where it cannot be read."""
    from kripke.digest import sha256

    try:
        with open(path, "rb") as file:
            return sha256(file.read())
    except OSError:
        return None
