"""Where names are bound, and what a piece of text depends on.

A state of a process is a piece of text with the values of the names it depends on. Names that ``let`` defines stand for
what their definitions depend on (lambda lifting), so that processes that are defined by each other have finite keys.
"""

from __future__ import annotations

from typing import Any

from kripke.languages.cspm.values import Thunk, Value, force
from kripke.model.source import ModelError

Env = list[Any]


class Binding:
    """A name: the scope whose environment has it, its place there, and for definitions what they use."""

    __slots__ = ("defined", "level", "maker", "name", "place", "uses")

    def __init__(self, name: str, level: int, place: int, *, defined: bool, maker: bool = False) -> None:
        self.name = name
        self.level = level
        self.place = place
        self.defined = defined
        #: a channel or constructor: in patterns it stands for itself
        self.maker = maker
        self.uses: set[Binding] = set()


class Scope:
    """Names of one environment. An overlay has names only: they live in the environment of its parent."""

    def __init__(self, parent: Scope | None, *, overlay: bool = False, prefix: str = "") -> None:
        self.parent = parent
        self.names: dict[str, Binding] = {}
        self.modules: dict[str, Any] = {}
        self.owner: Scope = parent.owner if overlay and parent is not None else self
        self.level: int = self.owner.level if overlay else (0 if parent is None else parent.owner.level + 1)
        self.size = 1
        self.prefix = prefix

    def declare(self, name: str, *, defined: bool, maker: bool = False) -> Binding:
        owner = self.owner
        binding = Binding(self.prefix + name, owner.level, owner.size, defined=defined, maker=maker)
        owner.size += 1
        self.names[name] = binding
        return binding

    def find(self, name: str) -> Binding | None:
        at: Scope | None = self
        while at is not None:
            found = at.names.get(name)
            if found is not None:
                return found
            at = at.parent
        return None

    def find_module(self, name: str) -> Any:
        at: Scope | None = self
        while at is not None:
            found = at.modules.get(name)
            if found is not None:
                return found
            at = at.parent
        return None


def dependencies(uses: set[Binding], level: int) -> list[Binding]:
    """The parameters that text in a scope of this level depends on, through definitions."""
    found: dict[Binding, None] = {}
    seen: set[Binding] = set()
    stack = list(uses)
    while stack:
        binding = stack.pop()
        if binding in seen or binding.level > level:
            continue
        seen.add(binding)
        if binding.defined:
            stack.extend(binding.uses)
        else:
            found[binding] = None
    return sorted(found, key=lambda b: (b.level, b.place))


def values_of(parameters: list[tuple[int, int]], env: Env) -> tuple[Value, ...]:
    """Their values; one that cannot be computed is known by its place in memory."""
    found: list[Value] = []
    for up, place in parameters:
        at = env
        for _ in range(up):
            at = at[0]
        value = at[place]
        if type(value) is Thunk:
            try:
                value = force(value)
            except ModelError:
                value = ("unknown", id(value))
        found.append(value)
    return tuple(found)
