"""Read a Promela file and make a model of it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Protocol

from kripke.languages.promela import syntax
from kripke.languages.promela.lowering.module import Asked, lower
from kripke.languages.promela.node import walk
from kripke.languages.promela.nonatomic import Variant, as_statements, has_nonatomic
from kripke.languages.promela.parser import parse_expression, parse_file, parse_formula, parse_items
from kripke.languages.promela.preprocessor import read_source
from kripke.languages.promela.unused import find_one_sided, find_unused
from kripke.model.source import Diagnostic
from kripke.process.model import ProcessModel
from kripke.process.passes import Passes


class Parse(Protocol):
    def __call__(
        self, text: str, file: str, *, module: syntax.Module, warnings: list[Diagnostic]
    ) -> syntax.Expression: ...


def load_file(
    path: str,
    *,
    defines: Mapping[str, str] | None = None,
    undefines: Sequence[str] = (),
    include_paths: Sequence[str] = (),
    include_root: str | None = None,
    invariants: Sequence[str] = (),
    formulas: Sequence[str] = (),
    claims: Sequence[str] = (),
    conditions: Sequence[str] = (),
    values: int | None = None,
    events: bool = False,
    passes: Passes | None = None,
    allow_c: bool = False,
    input: str | None = None,
    nonatomic: Variant = "fixed",
    split_reads: bool = False,
) -> ProcessModel:
    """The model in a Promela file. Every invariant and condition becomes an atom with its text as its name.

    C code in the file is compiled and run only where ``allow_c`` is true; otherwise such a model is refused.
    ``formulas`` and ``claims`` (names of files with never claims) become properties beside those of the model.
    Where there are more ``values`` than false and true, formulas are many-valued. ``events``: labels that ask for
    fairness to events are looked for. ``input`` is what STDIN gives.
    """
    module = parse_file(
        path, defines=defines or {}, undefines=undefines, include_paths=include_paths, include_root=include_root
    )
    if has_nonatomic(module):
        module = as_statements(module, nonatomic, split_reads=split_reads)
    warnings: list[Diagnostic] = []

    def read(texts: Sequence[str], what: str, parse: Parse) -> tuple[tuple[str, syntax.Expression], ...]:
        found = []
        for number, text in enumerate(texts, start=1):
            name = f"<{what} {number}>"
            module.sources.add(name, text)
            expression = parse(text, name, module=module, warnings=warnings)
            found.append((text, module.references.expression(expression) if module.references else expression))
        return tuple(found)

    asked = Asked(
        (
            *read(invariants, "invariant", parse_expression),
            *read([text for text in conditions if text not in invariants], "condition", parse_expression),
        ),
        read(formulas, "formula", parse_formula),
        tuple(claim for path in claims for claim in _claims_in(path, module)),
        values,
        events,
        input,
    )
    lowered = lower(module, asked, passes or Passes(), allow_c=allow_c)
    wanted = (*(e for _, e in asked.invariants), *(e for _, e in asked.formulas), *(c for _, c in asked.claims))
    mentioned = frozenset(node.name for part in wanted for node in walk(part) if isinstance(node, syntax.Reference))
    return ProcessModel(
        lowered.program,
        "promela",
        module.sources,
        [*warnings, *lowered.warnings, *find_one_sided(module)],
        lowered.value_names,
        lambda: find_unused(module, mentioned),
        lowered.properties,
        lowered.fairness_constraints,
    )


def _claims_in(path: str, module: syntax.Module) -> list[tuple[str, syntax.Never]]:
    """The never claims of a file; it may use the macros of the model."""
    text = read_source(path)
    module.sources.add(path, text)
    items = parse_items(text, path, module=module)
    for item in items:
        if not isinstance(item, syntax.Never):
            raise module.sources.error("a file for --never has never claims only", item.span)
    claims = [item for item in items if isinstance(item, syntax.Never)]
    if not claims:
        raise module.sources.error(f"there is no never claim in {path}")
    name = os.path.basename(path)
    return [(claim.name or (name if len(claims) == 1 else f"{name}_{i}"), claim) for i, claim in enumerate(claims)]
