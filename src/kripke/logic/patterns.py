"""The specification patterns of Dwyer, Avrunin and Corbett (ICSE 1999) by name: eleven patterns in five scopes.

Written `response(p, s)`, `response(p, s) before r`, `response(p, s) after q`, `response(p, s) between q and r`, and
`response(p, s) after q until r`. Arguments stand in the order of time: what comes first, is written first. The formulas
are the published ones, mended where they say something else than the pattern (see docs/engines/ltl-translation.md).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, NamedTuple

from kripke.logic.formula import Formula, substituted

SCOPES: Final = ("globally", "before", "after", "between", "after_until")


class Pattern(NamedTuple):
    parameters: str  # the variables of the texts that are arguments, in their order
    meaning: str
    formulas: tuple[str, str, str, str, str]  # by scope, over the parameters and q, r


_TWICE: Final = "(!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U (r || (!p U r))))))))"
_TWICE_OPEN: Final = (
    "(!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U (r || (!p W r) || []p)))))))"
)

PATTERNS: Final = {
    "absence": Pattern(
        "p",
        "p never",
        (
            "[]!p",
            "<>r -> (!p U r)",
            "[](q -> []!p)",
            "[]((q && !r && <>r) -> (!p U r))",
            "[]((q && !r) -> (!p W r))",
        ),
    ),
    "existence": Pattern(
        "p",
        "p at some time",
        (
            "<>p",
            "!r W (p && !r)",
            "[]!q || <>(q && <>p)",
            "[]((q && !r) -> (!r W (p && !r)))",
            "[]((q && !r) -> (!r U (p && !r)))",
        ),
    ),
    "bounded_existence": Pattern(
        "p",
        "p becomes true at most twice",
        (
            "!p W (p W (!p W (p W []!p)))",
            f"<>r -> ({_TWICE})",
            "<>q -> (!q U (q && (!p W (p W (!p W (p W []!p))))))",
            f"[]((q && <>r) -> ({_TWICE}))",
            f"[](q -> ({_TWICE_OPEN} || [](!p && !r)))",
        ),
    ),
    "universality": Pattern(
        "p",
        "p all the time",
        (
            "[]p",
            "<>r -> (p U r)",
            "[](q -> []p)",
            "[]((q && !r && <>r) -> (p U r))",
            "[]((q && !r) -> (p W r))",
        ),
    ),
    "precedence": Pattern(
        "sp",
        "s before the first p",
        (
            "!p W s",
            "<>r -> (!p U (s || r))",
            "[]!q || (!q U (q && (!p W s)))",
            "[]((q && !r && <>r) -> (!p U (s || r)))",
            "[]((q && !r) -> (!p W (s || r)))",
        ),
    ),
    "response": Pattern(
        "ps",
        "every p is followed by s",
        (
            "[](p -> <>s)",
            "<>r -> ((p -> (!r U (s && !r))) U r)",
            "[](q -> [](p -> <>s))",
            "[]((q && !r && <>r) -> ((p -> (!r U (s && !r))) U r))",
            "[]((q && !r) -> ((p -> (!r U (s && !r))) W r))",
        ),
    ),
    "precedence_chain_2_1": Pattern(
        "stp",
        "s, and later t, before the first p",
        (
            "<>p -> (!p U (s && !p && X(!p U t)))",
            "<>r -> (!p U (r || (s && !p && X(!p U t))))",
            "[]!q || (!q U (q && (<>p -> (!p U (s && !p && X(!p U t))))))",
            "[]((q && <>r) -> (!p U (r || (s && !p && X(!p U t)))))",
            "[](q -> (<>p -> (!p U (r || (s && !p && X(!p U t))))))",
        ),
    ),
    "precedence_chain_1_2": Pattern(
        "pst",
        "p before the first s that t follows",
        (
            "<>(s && X<>t) -> (!s U p)",
            "<>r -> (!(s && !r && X(!r U (t && !r))) U (r || p))",
            "[]!q || (!q U (q && (<>(s && X<>t) -> (!s U p))))",
            "[]((q && <>r) -> (!(s && !r && X(!r U (t && !r))) U (r || p)))",
            "[](q -> ((!(s && !r && X(!r U (t && !r))) U (r || p)) || []!(s && X<>t)))",
        ),
    ),
    "response_chain_2_1": Pattern(
        "stp",
        "every s that t follows is followed, after t, by p",
        (
            "[]((s && X<>t) -> X<>(t && <>p))",
            "<>r -> (((s && X(!r U t)) -> X(!r U (t && <>p))) U r)",
            "[](q -> []((s && X<>t) -> X(!t U (t && <>p))))",
            "[]((q && <>r) -> (((s && X(!r U t)) -> X(!r U (t && <>p))) U r))",
            "[](q -> (((s && X(!r U t)) -> X(!r U (t && <>p))) U (r || []((s && X(!r U t)) -> X(!r U (t && <>p))))))",
        ),
    ),
    "response_chain_1_2": Pattern(
        "pst",
        "every p is followed by s and then t",
        (
            "[](p -> <>(s && X<>t))",
            "<>r -> ((p -> (!r U (s && !r && X(!r U t)))) U r)",
            "[](q -> [](p -> <>(s && X<>t)))",
            "[]((q && <>r) -> ((p -> (!r U (s && !r && X(!r U t)))) U r))",
            "[](q -> ((p -> (!r U (s && !r && X(!r U t)))) U (r || [](p -> <>(s && X<>t)))))",
        ),
    ),
    "constrained_chain": Pattern(
        "pstz",
        "every p is followed by s and then, without z between, t",
        (
            "[](p -> <>(s && !z && X(!z U t)))",
            "<>r -> ((p -> (!r U (s && !r && !z && X((!r && !z) U t)))) U r)",
            "[](q -> [](p -> <>(s && !z && X(!z U t))))",
            "[]((q && <>r) -> ((p -> (!r U (s && !r && !z && X((!r && !z) U t)))) U r))",
            "[](q -> ((p -> (!r U (s && !r && !z && X((!r && !z) U t)))) U (r || [](p -> <>(s && !z && X(!z U t))))))",
        ),
    ),
}


def pattern(
    name: str,
    *arguments: Formula,
    scope: str = "globally",
    start: Formula | None = None,
    end: Formula | None = None,
) -> Formula:
    """A pattern as a formula. `start` is the scope's q (after, between, after_until), `end` its r.

    Raises ValueError where name, scope and arguments do not fit together.
    """
    from kripke.logic.parser import parse

    if name not in PATTERNS:
        raise ValueError(f"there is no pattern {name!r}; there are {', '.join(PATTERNS)}")
    if scope not in SCOPES:
        raise ValueError(f"there is no scope {scope!r}; there are {', '.join(SCOPES)}")
    parameters, _, formulas = PATTERNS[name]
    if len(arguments) != len(parameters):
        raise ValueError(f"{name} takes {len(parameters)} arguments: {name}({', '.join(parameters)})")
    if (start is not None) != (scope in ("after", "between", "after_until")):
        raise ValueError(f"scope {scope!r} {'has no' if start is not None else 'needs a'} start")
    if (end is not None) != (scope in ("before", "between", "after_until")):
        raise ValueError(f"scope {scope!r} {'has no' if end is not None else 'needs an'} end")
    meanings: dict[Hashable, Formula] = dict(zip(parameters, arguments, strict=True))
    if start is not None:
        meanings["q"] = start
    if end is not None:
        meanings["r"] = end
    return substituted(parse(formulas[SCOPES.index(scope)]), meanings)
