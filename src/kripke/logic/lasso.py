"""Runs that end in a loop, and whether a formula holds on them or an automaton accepts them.

The direct definition of what both mean: what the translation is tested against, and how a counterexample is explained.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kripke.logic.formula import PAST

if TYPE_CHECKING:
    from kripke.logic.automaton import Automaton
    from kripke.logic.formula import Formula


class Lasso(NamedTuple):
    """Letters (bit i: atom i is true); after the last one comes the one at `loop_start` again."""

    letters: tuple[int, ...]
    loop_start: int

    def after(self, position: int) -> int:
        return position + 1 if position + 1 < len(self.letters) else self.loop_start


def holds(formula: Formula, lasso: Lasso, atoms: Sequence[Hashable]) -> bool:
    """Is the formula true of the run? `atoms` says which atom is which bit."""
    return bool(positions(formula, lasso, atoms) & 1)


def positions(formula: Formula, lasso: Lasso, atoms: Sequence[Hashable]) -> int:
    """Where the formula is true: bit i for position i. What was differs from round to round of the loop, but no longer
    after as many rounds as there are operators of the past: of such a formula, positions of these rounds come too."""
    rounds = sum(part.operator in PAST for part in formula.walk())
    if rounds:
        loop = lasso.letters[lasso.loop_start :] * rounds
        lasso = Lasso(lasso.letters + loop, lasso.loop_start + len(loop))
    return _Evaluation(lasso, {atom: index for index, atom in enumerate(atoms)}).where(formula)


class _Evaluation:
    def __init__(self, lasso: Lasso, indices: dict[Hashable, int]) -> None:
        self.lasso = lasso
        self.indices = indices
        self.everywhere = (1 << len(lasso.letters)) - 1
        self.known: dict[Formula, int] = {}

    def where(self, formula: Formula) -> int:
        found = self.known.get(formula)
        if found is None:
            found = self.known[formula] = self.evaluated(formula)
        return found

    def evaluated(self, formula: Formula) -> int:
        everywhere = self.everywhere
        parts = [self.where(operand) for operand in formula.operands]
        match formula.operator:
            case "true":
                return everywhere
            case "false":
                return 0
            case "atom":
                bit = self.indices[formula.atom]
                return sum(1 << i for i, letter in enumerate(self.lasso.letters) if letter >> bit & 1)
            case "not":
                return everywhere ^ parts[0]
            case "and":
                both = everywhere
                for part in parts:
                    both &= part
                return both
            case "or":
                either = 0
                for part in parts:
                    either |= part
                return either
            case "->":
                return everywhere ^ parts[0] | parts[1]
            case "<->":
                return everywhere ^ parts[0] ^ parts[1]
            case "X":
                return self.before(parts[0])
            case "F":
                return self.least(everywhere, parts[0])
            case "G":
                return everywhere ^ self.least(everywhere, everywhere ^ parts[0])
            case "U":
                return self.least(parts[0], parts[1])
            case "M":
                return self.least(parts[1], parts[0] & parts[1])
            case "R":
                return everywhere ^ self.least(everywhere ^ parts[0], everywhere ^ parts[1])
            case "W":
                return everywhere ^ self.least(everywhere ^ parts[1], everywhere ^ (parts[0] | parts[1]))
            case "Y" | "Z" | "O" | "H" | "S" | "T" as operator:
                return self.remembered(operator, parts)
        raise ValueError(formula.operator)

    def remembered(self, operator: str, parts: list[int]) -> int:
        """Where a formula about the past is true, from the first position on."""
        found, before = 0, operator in "ZHT"
        for position in range(len(self.lasso.letters)):
            here = [bool(part >> position & 1) for part in parts]
            match operator:
                case "Y" | "Z":
                    now, before = before, here[0]
                case "O":
                    now = before = here[0] or before
                case "H":
                    now = before = here[0] and before
                case "S":
                    now = before = here[1] or (here[0] and before)
                case _:
                    now = before = here[1] and (here[0] or before)
            found |= now << position
        return found

    def before(self, where: int) -> int:
        """The positions whose successor is among these."""
        last = len(self.lasso.letters) - 1
        return where >> 1 | (where >> self.lasso.loop_start & 1) << last

    def least(self, through: int, to: int) -> int:
        """Where `through U to` is true."""
        while True:
            more = to | through & self.before(to)
            if more == to:
                return to
            to = more


def accepts(automaton: Automaton, lasso: Lasso) -> bool:
    """Is there an accepted run of the automaton on these letters?"""
    from kripke.logic.components import components

    numbers: dict[tuple[int, int], int] = {}
    order: list[tuple[int, int]] = []

    def number(node: tuple[int, int]) -> int:
        if node not in numbers:
            numbers[node] = len(order)
            order.append(node)
        return numbers[node]

    for state in automaton.initial:
        number((state, 0))
    edges: list[list[tuple[int, int]]] = []
    while len(edges) < len(order):
        state, position = order[len(edges)]
        after = lasso.after(position)
        letter = lasso.letters[position]
        edges.append([(number((target, after)), marks) for target, marks in automaton.successors(state, letter)])
    for component in components([[target for target, _ in out] for out in edges]):
        inside = set(component)
        seen = [marks for node in component for target, marks in edges[node] if target in inside]
        if seen:
            gathered = 0
            for marks in seen:
                gathered |= marks
            if gathered == automaton.all_marks:
                return True
    return False
