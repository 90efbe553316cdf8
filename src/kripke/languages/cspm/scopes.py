"""Where names are bound, and what a piece of text depends on.

A state of a process is a piece of text with the values of the names it depends on. Names that ``let`` defines stand for
what their definitions depend on (lambda lifting), so that processes that are defined by each other have finite keys.
"""

from __future__ import annotations

from typing import Any

from kripke.algebra.terms import Term
from kripke.languages.cspm.values import Function, Thunk, Value, Wrong, force
from kripke.model.source import ModelError

Env = list[Any]


class Binding:
    """A name: the scope whose environment has it, its place there, and for definitions what they use."""

    __slots__ = ("constant", "defined", "level", "maker", "name", "place", "uses")

    def __init__(self, name: str, level: int, place: int, *, defined: bool, maker: bool = False) -> None:
        self.name = name
        self.level = level
        self.place = place
        self.defined = defined
        #: a channel or constructor: in patterns it stands for itself
        self.maker = maker
        #: has it a value of its own, which is neither a process nor a function, as far as is known?
        self.constant = False
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
    """What text in a scope of this level depends on: parameters, and constants that are no processes."""
    found: dict[Binding, None] = {}
    seen: set[Binding] = set()
    stack = list(uses)
    while stack:
        binding = stack.pop()
        if binding in seen or binding.level > level:
            continue
        seen.add(binding)
        if binding.defined and not binding.constant:
            stack.extend(binding.uses)
        else:
            found[binding] = None
    return sorted(found, key=lambda b: (b.level, b.place))


class Key:
    """The values of what a text depends on, found out at first use, when all definitions are known.

    A constant that turns out to be a process or a function stands for what its definition depends on from then on:
    processes may be defined by each other, so that their values cannot be parts of their keys.
    """

    __slots__ = ("_bindings", "_level", "_uses")

    def __init__(self, uses: set[Binding], level: int) -> None:
        self._uses = uses
        self._level = level
        self._bindings: list[Binding] | None = None

    def __call__(self, env: Env) -> tuple[Value, ...]:
        while True:
            if self._bindings is None:
                self._bindings = dependencies(self._uses, self._level)
            if not self._bindings:
                return ()
            found: list[Value] = []
            for binding in self._bindings:
                if not binding.constant and binding.defined:
                    break  # it has been found to be a process meanwhile
                at = env
                for _ in range(self._level - binding.level):
                    at = at[0]
                value = at[binding.place]
                if binding.defined:
                    known = _plain(value)
                    if known is None:
                        binding.constant = False
                        break
                    value = known
                elif type(value) is Thunk:
                    try:
                        value = force(value)
                    except (ModelError, Wrong):
                        value = ("unknown", id(value))
                found.append(value)
            else:
                return tuple(found)
            self._bindings = None


def _plain(value: Value) -> Value:
    """The value of a constant, if it is a plain one; None for processes, functions, and what cannot be computed."""
    if type(value) is Thunk:
        try:
            value = force(value)
            hash(value)
        except (ModelError, Wrong):
            return None
    return None if isinstance(value, Term | Function) else value
