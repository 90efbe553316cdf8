"""The compiled form of a model, or why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kripke.model.capabilities.compilable import c_source
from kripke.model.model import Model

if TYPE_CHECKING:
    from kripke.engines.explicit import native


def compiled_model(model: Model, *, dependencies: bool = False) -> tuple[native.Model | None, str]:
    """The library of a model, ready to be searched; else None and a sentence for the user. ``dependencies``: with what
    partial-order reduction asks for."""
    try:
        from kripke.engines.explicit import native
    except ImportError as error:
        return None, _slower(f"the native engine is not installed ({error})")
    from kripke.compilation.compile import CompileError, compile_model

    source = c_source(model, dependencies=dependencies)
    if source is None:
        return None, _slower("this model has no compiled form")
    try:
        return native.open_model(compile_model(source).path), ""
    except (CompileError, RuntimeError) as error:
        return None, _slower(str(error).partition("\n")[0].rstrip(".:"))


def _slower(why: str) -> str:
    return f"{why}; using the interpreter, which is far slower (kripke doctor tells more)"
