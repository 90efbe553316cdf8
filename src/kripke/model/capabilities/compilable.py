"""``Compilable``: the model as a C program for the native engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from kripke.model.model import Model


@runtime_checkable
class Compilable(Protocol):
    def emit_c(self, *, dependencies: bool = False) -> str | None:
        """A C file against ``model.h``; None where this model has no compiled form.

        ``dependencies``: with what partial-order reduction asks for, where the model has that.
        """


def c_source(model: Model, *, dependencies: bool = False) -> str | None:
    """What a model emits; None where it does not."""
    known = model.capability(Compilable)
    return None if known is None else known.emit_c(dependencies=dependencies)
