"""Read a Promela file and make a model of it."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from kripke.languages.promela import syntax
from kripke.languages.promela.lowering.module import lower
from kripke.languages.promela.node import walk
from kripke.languages.promela.parser import parse_expression, parse_file
from kripke.languages.promela.unused import find_one_sided, find_unused
from kripke.process.model import ProcessModel
from kripke.process.passes import Passes


def load_file(
    path: str,
    *,
    defines: Mapping[str, str] | None = None,
    undefines: Sequence[str] = (),
    include_paths: Sequence[str] = (),
    invariants: Sequence[str] = (),
    passes: Passes | None = None,
    allow_c: bool = False,
) -> ProcessModel:
    """The model in a Promela file. Every invariant becomes an atom with its text as its name.

    C code in the file is compiled and run only where ``allow_c`` is true; otherwise such a model is refused.
    """
    with _no_collection():
        module = parse_file(path, defines=defines or {}, undefines=undefines, include_paths=include_paths)
        expressions = []
        for number, text in enumerate(invariants, start=1):
            name = f"<invariant {number}>"
            module.sources.add(name, text)
            expressions.append((text, parse_expression(text, name, module=module)))
        lowered = lower(module, expressions, passes or Passes(), allow_c=allow_c)
    mentioned = frozenset(node.name for _, e in expressions for node in walk(e) if isinstance(node, syntax.Reference))
    return ProcessModel(
        lowered.program,
        "promela",
        module.sources,
        [*lowered.warnings, *find_one_sided(module)],
        lowered.value_names,
        lambda: find_unused(module, mentioned),
    )


@contextmanager
def _no_collection() -> Iterator[None]:
    """No garbage collection: tokens and trees are many objects without cycles; looking for some takes half the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
