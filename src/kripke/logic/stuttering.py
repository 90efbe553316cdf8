"""Does a formula tell a run from one that repeats some of its letters? If not, partial-order reduction may keep it."""

from __future__ import annotations

from kripke.logic.automaton import Automaton
from kripke.logic.components import components
from kripke.logic.formula import Formula, Kind
from kripke.logic.translation import TranslationTooLarge, generalised

_MOST_ATOMS = 4
_MOST_NODES = 20_000


def is_stutter_invariant(formula: Formula) -> bool:
    """True only if it is: without X for certain, with X if a bounded comparison of automata shows it.

    A formula is stutter-invariant if no stuttered run that satisfies it is also a stuttered run that violates it
    (Michaud, Duret-Lutz, SPIN 2015).
    """
    if formula.kinds & Kind.NEXT_FREE:
        return True
    atoms = formula.atoms()
    if len(atoms) > _MOST_ATOMS:
        return False
    try:
        positive = generalised(formula, atoms=atoms)
        negative = generalised(formula, negated=True, atoms=atoms)
    except TranslationTooLarge:
        return False
    return _share_no_stuttering(positive, negative, 1 << len(atoms))


def _share_no_stuttering(left: Automaton, right: Automaton, letters: int) -> bool:
    """No word is a stuttering of words that both automata accept.

    In a node both have read the letter of the node; each may read it again, as a repetition of its own that the other
    automaton does not make, or go on under the next letter. A step in which an automaton repeats has none of its marks.
    """
    own = left.sets + 1  # each gets one set more, of steps that are no repetition
    every = (1 << (own + right.sets + 1)) - 1
    names: dict[tuple[int, int, int], int] = {}
    found: list[tuple[int, int, int]] = []
    edges: list[list[tuple[int, int]]] = []

    def name(node: tuple[int, int, int]) -> int:
        if node not in names:
            names[node] = len(found)
            found.append(node)
        return names[node]

    def steps(automaton: Automaton, state: int, letter: int, last: int) -> list[tuple[int, int]]:
        moves = [(target, marks << 1 | 1) for target, marks in automaton.successors(state, letter)]
        return [*moves, (state, 0)] if letter == last else moves

    for state in left.initial:
        for other in right.initial:
            name((state, other, -1))
    for state, other, last in found:
        out = []
        for letter in range(letters):
            for target, marks in steps(left, state, letter, last):
                for other_target, other_marks in steps(right, other, letter, last):
                    out.append((name((target, other_target, letter)), marks | other_marks << own))
        edges.append(out)
        if len(found) > _MOST_NODES:
            return False
    for component in components([[target for target, _ in out] for out in edges]):
        inside = set(component)
        gathered = 0
        for node in component:
            for target, marks in edges[node]:
                if target in inside:
                    gathered |= marks
        if gathered == every:
            return False
    return True
