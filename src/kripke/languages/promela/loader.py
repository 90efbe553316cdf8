"""Read a Promela file and make a model of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kripke.languages.promela.lowering.module import lower
from kripke.languages.promela.parser import parse_expression, parse_file
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
) -> ProcessModel:
    """The model in a Promela file. Every invariant becomes an atom with its text as its name."""
    module = parse_file(path, defines=defines or {}, undefines=undefines, include_paths=include_paths)
    expressions = []
    for number, text in enumerate(invariants, start=1):
        name = f"<invariant {number}>"
        module.sources.add(name, text)
        expressions.append((text, parse_expression(text, name, module=module)))
    lowered = lower(module, expressions, passes or Passes())
    return ProcessModel(lowered.program, "promela", module.sources, lowered.warnings, lowered.value_names)
