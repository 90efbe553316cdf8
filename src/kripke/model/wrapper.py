"""``Wrapper``: a model around a model.

It forwards everything that it does not change: names, words and behaviour, with ``inner_state`` turning its states into
those of the model behind it. A class of its own says what is different: at least the steps. A test walks over the
members of ``Model``, so that a new one is forwarded or deliberately left to the wrapper (``OWN``).
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kripke.model.explanation import Explanation, FalseAtom, Stuck
from kripke.model.message import Message
from kripke.model.model import Model, Part, Transition, Violation, no_pause
from kripke.model.source import Diagnostic, Span

if TYPE_CHECKING:
    from kripke.model.coverage import Branch, MessageType

#: What is about the steps and the bytes of the wrapper's own states, and therefore never forwarded.
OWN = frozenset(
    {
        "initial",
        "successors",
        "each_successor",
        "distinct_successors",
        "state_columns",
        "emit_c",
        "dependencies",
        "symmetry",
    }
)


class Forwarded:
    """An attribute of the inner model, unless the wrapper sets one of that name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, wrapper: Wrapper | None, owner: type[Wrapper]) -> Any:
        return self if wrapper is None else getattr(wrapper.base, self._name)


class Wrapper(Model):
    """Everything of ``base``."""

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

    def explain(self, state: bytes, cause: Violation | FalseAtom | Stuck) -> Explanation | None:
        return self.base.explain(self.inner_state(state), cause)

    def marks(self, state: bytes) -> Mapping[str, str]:
        return self.base.marks(self.inner_state(state))

    def message(self, part: Part, state: bytes) -> Message | None:
        return self.base.message(part, self.inner_state(state))

    def printed(self, part: Part) -> str | None:
        return self.base.printed(part)

    def branches(self) -> Sequence[Branch]:
        return self.base.branches()

    def message_types(self) -> Sequence[MessageType]:
        return self.base.message_types()

    def executed(self, statement: int) -> bool:
        return self.base.executed(statement)

    def forbids(self, statement: int) -> bool:
        return self.base.forbids(statement)

    def facts(self) -> Mapping[str, object]:
        return self.base.facts()


def attributes(kind: type) -> frozenset[str]:
    """The public attributes that a class and its bases declare with a type."""
    names = {name for base in kind.__mro__ for name in inspect.get_annotations(base)}
    return frozenset(name for name in names if not name.startswith("_"))


for _name in attributes(Model) - OWN:
    setattr(Wrapper, _name, Forwarded(_name))
