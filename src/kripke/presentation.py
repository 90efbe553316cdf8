"""How things are shown to people, from below: what is shown does not know who shows it.

A result has a ``__str__`` and a form for notebooks, but the words and tables are made by ``kripke.report``, which knows
results. So the package ``kripke`` names the module that presents things (``presented_by``); it is imported when
something is shown for the first time, and says with ``presents`` what shows what.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, whose import would take longer than everything else here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_modules: list[str] = []
_presenters: dict[tuple[type, str], Callable[..., str]] = {}


def presented_by(module: str) -> None:
    """The module is to be imported before anything is shown."""
    _modules.append(module)


def presents(shown: type, form: str, presenter: Callable[..., str]) -> None:
    """``presenter`` makes the form ("text", "html", "svg") of things of this type."""
    _presenters[shown, form] = presenter


def presented(thing: object, form: str, **how: Any) -> str:
    """The form of a thing, or of what it is a special case of."""
    if _modules:
        from importlib import import_module

        while _modules:
            import_module(_modules.pop())
    for kind in type(thing).__mro__:
        if (kind, form) in _presenters:
            return _presenters[kind, form](thing, **how)
    return object.__repr__(thing)
