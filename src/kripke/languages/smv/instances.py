"""Modules as they are used: an instance knows what every name in it means.

Parameters are passed by name, as in NuSMV: an argument is an expression of the place where the instance is made. It may
be an instance or an array as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from kripke.languages.smv.syntax import Expression, InstanceText, Module, Name
from kripke.model.source import ModelError, Sources, Span

#: levels of instances; a module that makes one of itself has no end
_DEEPEST: Final = 50
_MOST: Final = 200_000


@dataclass(frozen=True, slots=True)
class Passed:
    """What a parameter stands for: an expression, read in the instance where it was written."""

    expression: Expression
    where: Instance


@dataclass(frozen=True, slots=True)
class Defined:
    name: Name
    expression: Expression


@dataclass(frozen=True, slots=True)
class Array:
    """Elements from number ``low`` on: variables, expressions, arrays."""

    low: int
    items: tuple[object, ...]


@dataclass(slots=True, eq=False)
class Instance:
    """``prefix``: what stands before the names of its variables. ``meanings``: of names, a variable's number, an
    ``Array``, an ``Instance``, ``Passed`` or ``Defined``."""

    module: Module
    prefix: str
    span: Span
    meanings: dict[str, object] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)
    children: list[Instance] = field(default_factory=list)

    def declare(self, name: Name, meaning: object, sources: Sources) -> None:
        before = self.places.get(name.text)
        if before is not None:
            raise sources.error(f"{name.text} is declared twice, here and at {before.line}:{before.column}", name.span)
        self.places[name.text] = name.span
        self.meanings[name.text] = meaning


class Modules:
    """The modules of a file, and the instances that ``main`` makes."""

    def __init__(self, modules: Sequence[Module], file: str, sources: Sources) -> None:
        self.sources = sources
        self.known: dict[str, Module] = {}
        for module in modules:
            other = self.known.get(module.name.text)
            if other is not None:
                place = f"{other.name.span.line}:{other.name.span.column}"
                raise sources.error(f"module {module.name.text} stands twice, here and at {place}", module.name.span)
            self.known[module.name.text] = module
        main = self.known.get("main")
        if main is None:
            where = modules[0].name.span if modules else Span(file, 1, 1, 1, 2)
            raise sources.error("there is no module main", where, "main is the module that the system consists of")
        if main.parameters:
            raise sources.error("main has no parameters", main.parameters[0].span)
        self.count = 0
        self.main = Instance(main, "", main.name.span)

    def make(self, name: Name, text: InstanceText, where: Instance) -> Instance:
        """An instance that is declared in another."""
        module = self.known.get(text.module.text)
        if module is None:
            raise self._unknown(text.module)
        prefix = f"{where.prefix}{name.text}."
        if prefix.count(".") > _DEEPEST:
            hint = "a module must not make an instance of itself"
            raise self.sources.error(f"instances are nested more than {_DEEPEST} deep", text.span, hint)
        self.count += 1
        if self.count > _MOST:
            raise self.sources.error(f"there are more than {_MOST:,} instances", text.span)
        if len(text.arguments) != len(module.parameters):
            wanted, given = len(module.parameters), len(text.arguments)
            plural = "argument" if wanted == 1 else "arguments"
            raise self.sources.error(f"module {module.name.text} takes {wanted} {plural}, not {given}", text.span)
        made = Instance(module, prefix, text.span)
        for parameter, argument in zip(module.parameters, text.arguments, strict=True):
            made.declare(parameter, Passed(argument, where), self.sources)
        where.children.append(made)
        return made

    def _unknown(self, name: Name) -> ModelError:
        from difflib import get_close_matches

        close = get_close_matches(name.text, list(self.known), n=1)
        hint = f"did you mean {close[0]}?" if close else None
        return self.sources.error(f"there is no module {name.text}", name.span, hint)
