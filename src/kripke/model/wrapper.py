"""``Wrapper``: a model around a model.

It forwards everything that it does not change: names, words and behaviour, with ``inner_state`` turning its states into
those of the model behind it. A class of its own says what is different: at least the steps. Of capabilities, those for
people survive with the inner state; those about behaviour only where a wrapper has the members itself or ``keeps``
says so. A test walks over the members of ``Model`` and over all capabilities, so that a new one is forwarded or
deliberately left to the wrapper (``OWN``).
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, cast

from kripke.model.model import Capability, Model, Part, Transition, no_pause
from kripke.model.source import Diagnostic, Span

#: What is about the steps of the wrapper's own states, and therefore never forwarded.
OWN = frozenset({"initial", "successors", "each_successor", "distinct_successors"})


class Forwarded:
    """An attribute of the inner model, unless the wrapper sets one of that name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, wrapper: Wrapper | None, owner: type[Wrapper]) -> Any:
        return self if wrapper is None else getattr(wrapper.base, self._name)


class Wrapper(Model):
    """Everything of ``base``."""

    #: capabilities about behaviour that are the same in this wrapper, of the inner state
    keeps: ClassVar[frozenset[type]] = frozenset()

    def __init__(self, base: Model) -> None:
        self.base = base

    @abstractmethod
    def inner_state(self, state: bytes) -> bytes:
        """The state of the inner model in a state of this one."""

    # --- behaviour ----------------------------------------------------------------------------------------------------

    @property
    def max_state_bytes(self) -> int:
        return self.base.max_state_bytes

    def initial_violations(self) -> list[Transition]:
        return self.base.initial_violations()

    def each_successor(self, state: bytes) -> Iterator[Transition]:
        return iter(self.successors(state))

    def distinct_successors(self, state: bytes, pause: Callable[[], None] = no_pause) -> Iterator[Transition]:
        return self.each_successor(state)

    def valid_end(self, state: bytes) -> bool:
        return self.base.valid_end(self.inner_state(state))

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        return self.base.atom_values(self.inner_state(state))

    def failed_atoms(self, state: bytes) -> int:
        return self.base.failed_atoms(self.inner_state(state))

    def capability(self, kind: type[Capability]) -> Capability | None:
        from kripke.model.capabilities.catalogue import OF_WORDS

        if isinstance(self, kind):
            return self
        if kind not in OF_WORDS and kind not in self.keeps:
            return None
        inner = self.base.capability(kind)
        return None if inner is None else cast(Capability, _seen_through(kind)(self, inner))

    # --- for people ---------------------------------------------------------------------------------------------------

    def remarks(self) -> Sequence[Diagnostic]:
        return self.base.remarks()

    def describe(self, state: bytes) -> Mapping[str, str]:
        return self.base.describe(self.inner_state(state))

    def actor_name(self, actor: int, state: bytes) -> str:
        return self.base.actor_name(actor, self.inner_state(state))

    def source_line(self, span: Span) -> str:
        return self.base.source_line(span)

    def source_files(self) -> Mapping[str, Sequence[str]]:
        return self.base.source_files()

    def explain_part(self, part: Part) -> str:
        return self.base.explain_part(part)

    def printed(self, part: Part) -> str | None:
        return self.base.printed(part)

    def forgotten(self, parts: Sequence[Part]) -> frozenset[str]:
        return self.base.forgotten(parts)

    def executed(self, statement: int) -> bool:
        return self.base.executed(statement)

    def forbids(self, statement: int) -> bool:
        return self.base.forbids(statement)

    def facts(self) -> Mapping[str, object]:
        return self.base.facts()


# --- capabilities -----------------------------------------------------------------------------------------------------


class _InnerCapability:
    """A capability of the model behind a wrapper, asked about the wrapper's states. For each kind there is a class."""

    def __init__(self, wrapper: Wrapper, inner: object) -> None:
        self.wrapper = wrapper
        self.inner = inner


_CLASSES: dict[type, type[_InnerCapability]] = {}


def _seen_through(kind: type) -> type[_InnerCapability]:
    """The class for a kind: it has its members, each of which asks the inner model."""
    if kind not in _CLASSES:
        namespace: dict[str, Any] = {}
        for name in members(kind):
            member = inspect.getattr_static(kind, name, None)
            namespace[name] = _forwarding(name, member) if inspect.isfunction(member) else _inner_value(name)
        _CLASSES[kind] = type(f"Inner{kind.__name__}", (_InnerCapability,), namespace)
    return _CLASSES[kind]


def _inner_value(name: str) -> property:
    return property(lambda self: getattr(self.inner, name))


def _forwarding(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    parameters = list(inspect.signature(method).parameters)[1:]
    is_state = [is_state_name(parameter) for parameter in parameters]

    def forward(self: _InnerCapability, *given: Any, **named: Any) -> Any:
        inner_state = self.wrapper.inner_state
        positional = (inner_state(value) if known else value for value, known in zip(given, is_state, strict=False))
        return getattr(self.inner, name)(
            *positional, **{key: inner_state(value) if is_state_name(key) else value for key, value in named.items()}
        )

    return forward


def is_state_name(parameter: str) -> bool:
    """Is a parameter of this name a state of the model? (``capabilities/__init__.py``)"""
    return parameter == "state" or parameter.endswith("_state")


def members(kind: type) -> frozenset[str]:
    """The public names of a model or of a capability."""
    return attributes(kind) | {name for name in dir(kind) if not name.startswith("_")}


def attributes(kind: type) -> frozenset[str]:
    """The public attributes that a class and its bases declare with a type."""
    names = {name for base in kind.__mro__ for name in inspect.get_annotations(base)}
    return frozenset(name for name in names if not name.startswith("_"))


for _name in attributes(Model) - OWN:
    setattr(Wrapper, _name, Forwarded(_name))
