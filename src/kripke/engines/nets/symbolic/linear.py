"""Linear time on sets of markings."""

from __future__ import annotations

from kripke.engines.linear.set_runs import WrongRuns
from kripke.engines.nets.symbolic.branching import Branching
from kripke.nets.formulas import Formula, predicates_of


def breaks(branching: Branching, path: Formula) -> bool:
    """Whether some run of the net breaks a formula of linear time. TranslationTooLarge where its automaton is."""
    from kripke.logic.translation import generalised
    from kripke.nets.translation import linear_formula

    names = {predicate: f"atom {number}" for number, predicate in enumerate(predicates_of(path))}
    automaton = generalised(linear_formula(path, names), negated=True)
    atoms = {name: branching.of_predicate(predicate) for predicate, name in names.items()}
    return WrongRuns(branching.markings, automaton, atoms).exist()
