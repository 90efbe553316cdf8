"""From formulas to automata: rewriting, tableau, reduction, and the best of several ways to the wanted form."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from kripke.logic.automaton import Automaton
from kripke.logic.degeneralisation import state_based
from kripke.logic.formula import Formula, Kind, speaks_of_past
from kripke.logic.guards import MOST_CUBES, TooManyCubes
from kripke.logic.obligation import minimal_weak
from kripke.logic.past import FutureInPast, with_memory
from kripke.logic.rewriting import Rewriting, with_shared_delay
from kripke.logic.simulation import reduced
from kripke.logic.symbolic_automaton import SymbolicAutomaton, automaton_of
from kripke.logic.tableau import Tableau, TooLarge

LARGEST = 5_000
"""States of the tableau beyond which a translation is given up."""


_TOO_MANY = f"a condition in this formula has more than {MOST_CUBES:,} alternatives; give it a name and use that"


class TranslationTooLarge(Exception):
    """The automaton of a formula would be too large; the message is for the user."""


def generalised(formula: Formula, *, negated: bool = False, atoms: Sequence[Hashable] | None = None) -> Automaton:
    """The automaton of a formula, or of its negation: any number of acceptance sets, marks on edges.

    `atoms` fixes which atom has which index, and may have more than the formula; by default they are numbered in the
    order in which they are written.
    """
    atoms = formula.atoms() if atoms is None else tuple(atoms)
    if speaks_of_past(formula):
        return _remembering(lambda one, all_: generalised(one, negated=negated, atoms=all_), formula, atoms)
    symbolic, weak = _symbolic(formula, negated, atoms)
    if weak is not None and (weak.states, weak.sets) <= (symbolic.states, symbolic.sets):
        symbolic = weak
    return _finished(symbolic, atoms, formula, negated)


def buchi(formula: Formula, *, negated: bool = False, atoms: Sequence[Hashable] | None = None) -> Automaton:
    """The automaton of a formula, or of its negation, with at most one acceptance set, marks on states."""
    atoms = formula.atoms() if atoms is None else tuple(atoms)
    if speaks_of_past(formula):
        return _remembering(lambda one, all_: buchi(one, negated=negated, atoms=all_), formula, atoms)
    symbolic, weak = _symbolic(formula, negated, atoms)
    if weak is None or symbolic.states < weak.states:
        plain = state_based(symbolic)
        symbolic = weak if weak is not None and weak.states <= plain.states else plain
    else:
        symbolic = weak
    return _finished(symbolic, atoms, formula, negated)


def _remembering(
    translated: Callable[[Formula, Sequence[Hashable]], Automaton], formula: Formula, atoms: Sequence[Hashable]
) -> Automaton:
    try:
        return with_memory(translated, formula, atoms)
    except FutureInPast:
        raise TranslationTooLarge(
            "a formula about the past (previously, once, historically, since, triggered) has a part about the future; "
            "say it with operators of the future alone"
        ) from None
    except TooManyCubes:
        raise TranslationTooLarge(_TOO_MANY) from None


def _symbolic(
    formula: Formula, negated: bool, atoms: Sequence[Hashable]
) -> tuple[SymbolicAutomaton, SymbolicAutomaton | None]:
    """The reduced tableau and, if the formula is an obligation and it is not too large, the minimal weak automaton."""
    rewriting = Rewriting(atoms)
    simple = rewriting.simple(rewriting.normal(formula, negated))
    try:
        symbolic = reduced(Tableau(rewriting, LARGEST).build(with_shared_delay(simple)))
    except TooLarge:
        raise TranslationTooLarge(
            "the automaton of this formula has thousands of states or edges; check its parts one by one"
        ) from None
    if not simple.kinds & Kind.OBLIGATION:
        return symbolic, None
    return symbolic, minimal_weak(symbolic, 2 * symbolic.states + 8)


def _finished(symbolic: SymbolicAutomaton, atoms: Sequence[Hashable], formula: Formula, negated: bool) -> Automaton:
    try:
        return automaton_of(symbolic, atoms, f"!({formula})" if negated else str(formula))
    except TooManyCubes:
        raise TranslationTooLarge(_TOO_MANY) from None
