"""What a proof of ``induction`` or ``pdr`` is written as: invariants in SMT-LIB over v0, v1, ...

What narrowed the variables is part of it: whoever checks it knows the sorts of the model only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from kripke.engines.encoded import Answer
from kripke.terms.assumption import assumptions
from kripke.terms.narrowing import facts
from kripke.terms.smt import single
from kripke.terms.system import TransitionSystem
from kripke.terms.term import Symbol, Term

#: of a k-induction that another solver can check in reasonable time
MOST_STEPS = 2


def with_certificate(
    answer: Answer,
    whole: TransitionSystem,
    narrow: TransitionSystem,
    terms: Iterable[Term],
    texts: Iterable[str],
    k: int,
) -> Answer:
    """``whole`` is the system before it was narrowed, ``terms`` and ``texts`` are invariants of the narrow one."""
    names = [f"v{number}" for number in range(len(whole.variables))]
    bounds, within_bounds = assumptions(whole, narrow)
    first = _written(whole.variables, names, [*facts(whole), *bounds])
    second = _written(narrow.variables, names, [*terms, *within_bounds])
    certificate = {"k": k, "invariants": [*first, *second, *texts]}
    return replace(answer, facts={**answer.facts, "certificate": certificate})


def _written(variables: Sequence[Symbol], names: Sequence[str], terms: Iterable[Term]) -> list[str]:
    name = dict(zip(variables, names, strict=True))
    return [single(term, name.__getitem__) for term in terms]
