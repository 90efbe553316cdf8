"""SPIN's numbers of statements, by which its trails name them.

SPIN makes elements of statements as it reads them, inner ones first, and numbers them through the whole model: one for
a statement or a block, two for a selection (itself and where its options meet), three for a loop (also where control
goes when it is left). The lowering makes the same elements in the same order. What it does not lower in that
order, claims and assertions about events, is only counted here.
"""

from __future__ import annotations

from collections.abc import Sequence

from kripke.languages.promela import syntax

_SPECIAL = ("end", "accept", "progress")


def elements_of(body: Sequence[syntax.Statement]) -> int:
    """How many elements SPIN makes of the statements."""
    return sum(_elements(statement) for statement in body)


def _elements(node: syntax.Statement) -> int:
    match node:
        case syntax.Labelled(labels, inner):
            jump = isinstance(inner, (syntax.Goto, syntax.Break))
            return _elements(inner) + int(jump and any(label.startswith(_SPECIAL) for label in labels))
        case syntax.If(options):
            return sum(elements_of(option.body) for option in options) + 2
        case syntax.Do(options):
            return sum(elements_of(option.body) for option in options) + 3
        case syntax.Atomic(body) | syntax.DStep(body) | syntax.Block(body):
            return elements_of(body) + 1
        case syntax.InlineCall(_, _, block):
            return elements_of(block.body) + 1
        case syntax.For(_, _, _, body):
            return elements_of(body) + 8
        case syntax.DeclarationStatement(declaration, initial):
            return 0 if initial else len(declaration.variables)
        case syntax.ExclusiveAccess():
            return 0
        case syntax.Unless(main, escape):
            return sum(elements_of(b.body) if isinstance(b, syntax.Block) else _elements(b) for b in (main, escape)) + 2
        case _:
            return 1
