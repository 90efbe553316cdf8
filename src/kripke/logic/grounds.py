"""Why a formula is not true of a run: the positions that decide, and the obligations that are never met.

A run is a lasso, or a finite beginning of one that breaks the formula whatever follows. Of a beginning nothing is known
about what comes after it: a formula is looked at in the weak view, in which it is true unless the beginning shows
otherwise, and under a negation in the strong one (Eisner, Fisman, Havlicek, Lustig, McIsaac, Van Campenhout,
"Reasoning with temporal logic on truncated paths", CAV 2003).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from kripke.logic.formula import Formula


class Ground(NamedTuple):
    """``formula`` is true or false at a position, or, if ``lasting``, there and at every later one."""

    formula: Formula
    truth: bool
    position: int
    lasting: bool = False


class ObservedRun(NamedTuple):
    """The letters of a run (bit i: atom i is true). No ``loop_start``: it is not known how the run goes on."""

    letters: tuple[int, ...]
    loop_start: int | None

    def following(self, position: int) -> Iterator[int]:
        """The position and all later ones, each once."""
        yield from range(position, len(self.letters))
        if self.loop_start is not None:
            yield from range(self.loop_start, min(position, len(self.letters)))


def grounds(formula: Formula, run: ObservedRun, atoms: Sequence[Hashable]) -> tuple[Ground, ...]:
    """Why the formula is not true of the run; nothing where it is, or where nothing shows that it is not."""
    judge = _Judge(run, {atom: number for number, atom in enumerate(atoms)})
    if judge.where(formula, True) & 1:
        return ()
    return tuple(dict.fromkeys(judge.why(formula, 0, True)))


class _Judge:
    """``wanted`` is the truth a formula should have: whoever wants it false asks in the strong view."""

    def __init__(self, run: ObservedRun, numbers: dict[Hashable, int]) -> None:
        self.run = run
        self.numbers = numbers
        self.everywhere = (1 << len(run.letters)) - 1
        self.known: dict[tuple[Formula, bool], int] = {}

    # --- where a formula is true --------------------------------------------------------------------------------------

    def where(self, formula: Formula, weak: bool) -> int:
        """The positions at which the formula is true (weak: may be true), as bits."""
        key = (formula, weak or self.run.loop_start is not None)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self._where(formula, weak)
        return found

    def _where(self, formula: Formula, weak: bool) -> int:
        everywhere = self.everywhere
        match formula.operator:
            case "true":
                return everywhere
            case "false":
                return 0
            case "atom":
                bit = self.numbers[formula.atom]
                return sum(1 << i for i, letter in enumerate(self.run.letters) if letter >> bit & 1)
            case "not":
                return everywhere ^ self.where(formula.operands[0], not weak)
            case "->":
                left, right = formula.operands
                return (everywhere ^ self.where(left, not weak)) | self.where(right, weak)
            case "<->":
                left, right = formula.operands
                both = self.where(left, weak) & self.where(right, weak)
                neither = everywhere ^ (self.where(left, not weak) | self.where(right, not weak))
                return both | neither
        parts = [self.where(operand, weak) for operand in formula.operands]
        match formula.operator:
            case "and":
                found = everywhere
                for part in parts:
                    found &= part
                return found
            case "or":
                found = 0
                for part in parts:
                    found |= part
                return found
            case "X":
                return self._before(parts[0], weak)
            case "F":
                return self._least(everywhere, parts[0], weak)
            case "G":
                return self._greatest(parts[0], 0, weak)
            case "U":
                return self._least(parts[0], parts[1], weak)
            case "M":
                return self._least(parts[1], parts[0] & parts[1], weak)
            case "R":
                return self._greatest(parts[1], parts[0] & parts[1], weak)
            case "W":
                return self._greatest(parts[0], parts[1], weak)
        raise ValueError(formula.operator)

    def _before(self, where: int, weak: bool) -> int:
        last = len(self.run.letters) - 1
        beyond = weak if self.run.loop_start is None else where >> self.run.loop_start & 1
        return where >> 1 | beyond << last

    def _least(self, through: int, to: int, weak: bool) -> int:
        """``through U to``."""
        found = to
        while (more := found | through & self._before(found, weak)) != found:
            found = more
        return found

    def _greatest(self, through: int, to: int, weak: bool) -> int:
        """``through W to``."""
        found = through | to
        while (fewer := to | through & self._before(found, weak)) != found:
            found = fewer
        return found

    # --- why it is not as it should be --------------------------------------------------------------------------------

    def true_at(self, formula: Formula, position: int, wanted: bool) -> bool:
        """In the view of who wants it to be so."""
        return bool(self.where(formula, wanted) >> position & 1)

    def why(self, formula: Formula, position: int, wanted: bool) -> Iterator[Ground]:
        """Why the formula, at this position, has not the wanted truth."""
        operator, operands = formula.operator, formula.operands
        match operator:
            case "not":
                yield from self.why(operands[0], position, not wanted)
            case "and" | "or" | "->" | "<->":
                yield from self._why_boolean(formula, position, wanted)
            case "X":
                after = position + 1 if position + 1 < len(self.run.letters) else self.run.loop_start
                if after is not None:
                    yield from self.why(operands[0], after, wanted)
            case "F" | "G" | "U" | "W" | "R" | "M":
                yield from self._why_temporal(formula, position, wanted)
            case _:
                yield Ground(formula, not wanted, position)

    def _why_boolean(self, formula: Formula, position: int, wanted: bool) -> Iterator[Ground]:
        operands = formula.operands
        match formula.operator:
            case "->":
                parts = [(operands[0], not wanted), (operands[1], wanted)]
                all_needed = not wanted
            case "<->":
                yield Ground(formula, not wanted, position)
                return
            case _:
                parts = [(operand, wanted) for operand in operands]
                all_needed = (formula.operator == "and") == wanted
        # All parts are needed and one fails, or one of them would do and none is there.
        failing = [(part, want) for part, want in parts if self.true_at(part, position, want) != want]
        for part, want in failing[:1] if all_needed else failing:
            yield from self.why(part, position, want)

    def _why_temporal(self, formula: Formula, position: int, wanted: bool) -> Iterator[Ground]:
        """Every operator is an until or its dual: a goal that is to come, something that must last up to there."""
        operator, operands = formula.operator, formula.operands
        must_come = operator in "FUM"
        goal: Formula | None = None
        lasting: Formula | None = None
        if operator == "F":
            goal = operands[0]
        elif operator == "G":
            lasting = operands[0]
        else:
            lasting, goal = operands if operator in "UW" else operands[::-1]
        if not wanted:
            yield from self._why_satisfied(formula, goal, lasting, position)
            return
        released = operator in "RM"  # what lasts must still be true where the goal comes
        for at in self.run.following(position):
            if not released and goal is not None and self.true_at(goal, at, True):
                break
            if lasting is not None and not self.true_at(lasting, at, True):
                if goal is not None and not released:
                    yield Ground(goal, False, at)
                yield from self.why(lasting, at, True)
                return
            if released and goal is not None and self.true_at(goal, at, True):
                break
        if must_come and goal is not None:
            yield from self._never(goal, position, wanted=True)

    def _why_satisfied(
        self, formula: Formula, goal: Formula | None, lasting: Formula | None, position: int
    ) -> Iterator[Ground]:
        """It is true, and should not be."""
        following = list(self.run.following(position))
        if goal is not None:
            for at in following:
                if self.true_at(goal, at, False):
                    yield from self.why(goal, at, False)
                    return
        if lasting is not None:
            yield from self._never(lasting, position, wanted=False)
            return
        yield Ground(formula, True, position)

    def _never(self, goal: Formula, position: int, *, wanted: bool) -> Iterator[Ground]:
        """The goal has not the wanted truth at any position from here on."""
        while goal.operator == "not":
            goal, wanted = goal.operands[0], not wanted
        inner = goal.operator
        if (inner, wanted) in (("G", True), ("F", False)) and self.run.loop_start is not None:
            # "some day for ever" fails where something goes wrong again and again: once in the loop shows it.
            yield from self.why(goal, self.run.loop_start, wanted)
            return
        if (inner, wanted) in (("or", True), ("and", False)):
            for part in goal.operands:
                yield from self._never(part, position, wanted=wanted)
            return
        yield Ground(goal, not wanted, position, lasting=True)
