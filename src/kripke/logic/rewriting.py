"""Formulas made smaller without changing what they mean, before they become automata.

Only half of the rules are written down: every operator has a dual (F and G, U and R, W and M, and and or), and a
formula of the other half is negated, rewritten, and negated back. The rules are those of Somenzi and Bloem (CAV
2000), of Etessami and Holzmann (CONCUR 2000: eventual and universal formulas, syntactic implication), and of Babiak,
Kretinsky, Rehak, Strejcek (TACAS 2012: formulas that no prefix can influence).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Final

from kripke.logic.formula import (
    FALSE,
    TRUE,
    Formula,
    Kind,
    always,
    conjunction,
    disjunction,
    eventually,
    following,
    made,
    negation,
    release,
    strong_release,
    until,
    weak_until,
)
from kripke.logic.guards import Guards
from kripke.logic.implication import Implication

_DUAL: Final = {"and": "or", "or": "and", "F": "G", "G": "F", "U": "R", "R": "U", "W": "M", "M": "W", "X": "X"}
_BOOLEAN: Final = int(Kind.BOOLEAN)
_EVENTUAL: Final = int(Kind.EVENTUAL)
_UNIVERSAL: Final = int(Kind.UNIVERSAL)
_SUSPENDABLE: Final = int(Kind.SUSPENDABLE)


class Rewriting:
    """Rewrites formulas over one set of atoms; remembers what it did."""

    def __init__(self, atoms: Iterable[Hashable] = ()) -> None:
        self.guards = Guards()
        self.indices: dict[Hashable, int] = {}
        for meaning in atoms:
            self.indices.setdefault(meaning, len(self.indices))
        self._normal: dict[tuple[Formula, bool], Formula] = {}
        self._negated: dict[Formula, Formula] = {TRUE: FALSE, FALSE: TRUE}
        self._simple: dict[Formula, Formula] = {}
        self._functions: dict[Formula, int] = {}
        self._canonical: dict[int, Formula] = {}
        self.implication = Implication(self.guards, self.function)

    # --- negation -----------------------------------------------------------------------------------------------------

    def normal(self, formula: Formula, negated: bool = False) -> Formula:
        """Negation normal form, without `->` and `<->`; of the negated formula if asked for."""
        key = (formula, negated)
        found = self._normal.get(key)
        if found is None:
            found = self._normal[key] = self._normalised(formula, negated)
        return found

    def _normalised(self, formula: Formula, negated: bool) -> Formula:
        operator, operands = formula.operator, formula.operands
        match operator:
            case "true" | "false" | "atom":
                return negation(formula) if negated else formula
            case "not":
                return self.normal(operands[0], not negated)
            case "->":
                parts = [self.normal(operands[0], not negated), self.normal(operands[1], negated)]
                return conjunction(parts) if negated else disjunction(parts)
            case "<->":
                left, right = operands
                return disjunction(
                    (
                        conjunction((self.normal(left), self.normal(right, negated))),
                        conjunction((self.normal(left, True), self.normal(right, not negated))),
                    )
                )
        return made(_DUAL[operator] if negated else operator, [self.normal(part, negated) for part in operands])

    def negated(self, formula: Formula) -> Formula:
        """The negation of a formula in negation normal form, in the same form."""
        found = self._negated.get(formula)
        if found is None:
            if formula.operator in ("atom", "not"):
                found = negation(formula)
            else:
                found = made(_DUAL[formula.operator], [self.negated(part) for part in formula.operands])
            self._negated[formula] = found
            self._negated[found] = formula
        return found

    # --- boolean formulas ---------------------------------------------------------------------------------------------

    def function(self, formula: Formula) -> int:
        """The guard that a boolean formula in negation normal form is."""
        found = self._functions.get(formula)
        if found is None:
            guards = self.guards
            match formula.operator:
                case "true":
                    found = 0
                case "false":
                    found = 1
                case "atom":
                    found = guards.variable(self.indices.setdefault(formula.atom, len(self.indices)))
                case "not":
                    found = self.function(formula.operands[0]) ^ 1
                case "and":
                    found = 0
                    for part in formula.operands:
                        found = guards.both(found, self.function(part))
                case "or":
                    found = 1
                    for part in formula.operands:
                        found = guards.either(found, self.function(part))
                case _:
                    raise ValueError(f"{formula} is not boolean")
            self._functions[formula] = found
        return found

    def _boolean(self, formula: Formula) -> Formula:
        function = self.function(formula)
        if function < 2:
            return FALSE if function else TRUE
        known = self._canonical.setdefault(function, formula)
        self._canonical.setdefault(function ^ 1, self.negated(known))
        return known

    # --- simplification -----------------------------------------------------------------------------------------------

    def implies(self, left: Formula, right: Formula) -> bool:
        return self.implication.holds(left, right)

    def simple(self, formula: Formula) -> Formula:
        """An equivalent formula, simplified; in and out in negation normal form."""
        found = self._simple.get(formula)
        if found is None:
            self._simple[formula] = formula  # should rules ever lead back here, it is taken as it is
            found = self._simplified(formula)
            self._simple[formula] = found
            self._simple[found] = found
        return found

    def _simplified(self, formula: Formula) -> Formula:
        if formula.kinds & _BOOLEAN:
            return self._boolean(formula)
        operator = formula.operator
        if operator in ("G", "R", "M", "or"):
            return self.negated(self.simple(self.negated(formula)))
        parts = [self.simple(part) for part in formula.operands]
        match operator:
            case "X":
                return parts[0] if parts[0].has(_SUSPENDABLE) else following(parts[0])
            case "F":
                return self._eventually(parts[0])
            case "U":
                return self._until(parts[0], parts[1])
            case "W":
                return self._weak_until(parts[0], parts[1])
        return self._conjunction(parts)

    def _eventually(self, inner: Formula) -> Formula:
        if inner.kinds & _EVENTUAL:
            return inner
        operands = inner.operands
        match inner.operator:
            case "X":
                return self.simple(following(eventually(operands[0])))
            case "U":
                return self.simple(eventually(operands[1]))
            case "M":
                return self.simple(eventually(conjunction(operands)))
            case "W":
                return self.simple(eventually(disjunction((operands[1], always(operands[0])))))
            case "R":
                both = conjunction(operands)
                return self.simple(eventually(disjunction((both, always(operands[1])))))
            case "or":
                out, rest = _split(inner, _EVENTUAL)
                if out:
                    return self.simple(disjunction((*out, eventually(disjunction(rest)))))
            case "and":
                out, rest = _split(inner, _SUSPENDABLE)
                if out:
                    return self.simple(conjunction((*out, eventually(conjunction(rest)))))
            case "G":
                return self._eventually_always(inner)
        return eventually(inner)

    def _eventually_always(self, inner: Formula) -> Formula:
        body = inner.operands[0]
        if body.operator == "or":
            out, rest = _split(body, _UNIVERSAL)
            if out and rest:
                lasting = (eventually(part) for part in out)
                return self.simple(disjunction((*lasting, eventually(always(disjunction(rest))))))
        elif body.operator == "and":
            out, rest = _split(body, _EVENTUAL)
            if out and rest:
                recurring = (always(part) for part in out)
                return self.simple(conjunction((*recurring, eventually(always(conjunction(rest))))))
        return eventually(inner)

    def _until(self, left: Formula, right: Formula) -> Formula:
        if left is TRUE:
            return self._eventually(right)
        if left is FALSE or right is TRUE or right.kinds & _EVENTUAL or self.implies(left, right):
            return right
        if self.implies(self.negated(right), left):
            return self._eventually(right)
        if left.kinds & _UNIVERSAL:
            return self.simple(disjunction((right, conjunction((left, eventually(right))))))
        if left.operator == right.operator == "X":
            return self.simple(following(until(left.operands[0], right.operands[0])))
        if right.operator == "or":
            out, rest = _split(right, _EVENTUAL)
            if out:
                return self.simple(disjunction((*out, until(left, disjunction(rest)))))
            forever = self.simple(always(left))
            if forever in right.operands:
                return self.simple(
                    weak_until(left, disjunction(part for part in right.operands if part is not forever))
                )
        elif right.operator == "and":
            out, rest = _split(right, _SUSPENDABLE)
            if out:
                return self.simple(conjunction((*out, until(left, conjunction(rest)))))
            remaining = self._without(right, left)
            if remaining is not None:
                return self.simple(strong_release(remaining, left))
        elif right.operator == "U":
            first, second = right.operands
            if self.implies(left, first):
                return right
            if self.implies(first, left):
                return self.simple(until(left, second))
        if left.operator == "U" and left.operands[1] is right:
            return left
        shorter = self._before_right(left, right)
        return self.simple(until(shorter, right)) if shorter is not left else until(left, right)

    def _weak_until(self, left: Formula, right: Formula) -> Formula:
        if left is TRUE or right is TRUE or self.implies(self.negated(left), right):
            return TRUE
        if left is FALSE or self.implies(left, right):
            return right
        if right is FALSE:
            return self.simple(always(left))
        if left.kinds & _UNIVERSAL:
            return self.simple(disjunction((left, right)))
        if left.operator == right.operator == "X":
            return self.simple(following(weak_until(left.operands[0], right.operands[0])))
        if right.operator == "or":
            out, rest = _split(right, _EVENTUAL)
            if out:
                return self.simple(disjunction((*out, weak_until(left, disjunction(rest)))))
        elif right.operator == "and":
            remaining = self._without(right, left)
            if remaining is not None:
                return self.simple(release(remaining, left))
        elif right.operator == "W":
            first, second = right.operands
            if self.implies(left, first):
                return right
            if self.implies(first, left):
                return self.simple(weak_until(left, second))
        if left.operator == "W" and left.operands[1] is right:
            return left
        shorter = self._before_right(left, right)
        return self.simple(weak_until(shorter, right)) if shorter is not left else weak_until(left, right)

    def _without(self, both: Formula, left: Formula) -> Formula | None:
        """What is left of a conjunction without `left`, perhaps itself one; None if it is not all there."""
        wanted = set(left.operands) if left.operator == "and" else {left}
        if not wanted <= set(both.operands):
            return None
        return conjunction(part for part in both.operands if part not in wanted)

    def _before_right(self, left: Formula, right: Formula) -> Formula:
        """`left` matters only where `right` is false: what that decides is left out."""
        if left.operator == "or":
            kept = [part for part in left.operands if not self.implies(part, right)]
            if len(kept) < len(left.operands):
                return disjunction(kept)
        elif left.operator == "and":
            otherwise = self.negated(right)
            kept = [part for part in left.operands if not self.implies(otherwise, part)]
            if len(kept) < len(left.operands):
                return conjunction(kept)
        return left

    # --- conjunctions -------------------------------------------------------------------------------------------------

    def _conjunction(self, parts: list[Formula]) -> Formula:
        whole = conjunction(parts)
        if whole.operator != "and":
            return whole
        if whole.kinds & _BOOLEAN:
            return self._boolean(whole)
        parts = self._irredundant(list(whole.operands))
        if parts == [FALSE]:
            return FALSE
        parts = self._gathered(parts)
        again = conjunction(parts)
        if again is whole or again.operator != "and":
            return again
        return self.simple(again)

    def _irredundant(self, parts: list[Formula]) -> list[Formula]:
        """No part implied by another one; no alternative in a part that another part excludes."""
        boolean = [part for part in parts if part.kinds & _BOOLEAN]
        if len(boolean) > 1:
            together = self._boolean(conjunction(boolean))
            if together is FALSE:
                return [FALSE]
            parts = [part for part in parts if not part.kinds & _BOOLEAN]
            parts += together.operands if together.operator == "and" else [together]
        kept: list[Formula] = []
        for index, part in enumerate(parts):
            others = parts[index + 1 :]
            if any(self.implies(other, part) for other in kept) or any(self.implies(other, part) for other in others):
                continue
            kept.append(part)
        result = []
        for part in kept:
            opposite = self.negated(part)
            if any(other is not part and self.implies(other, opposite) for other in kept):
                return [FALSE]
            if part.operator == "or":
                alternatives = [
                    choice
                    for choice in part.operands
                    if not any(other is not part and self.implies(other, self.negated(choice)) for other in kept)
                ]
                if len(alternatives) < len(part.operands):
                    part = self.simple(disjunction(alternatives))
            result.append(part)
        return result

    def _gathered(self, parts: list[Formula]) -> list[Formula]:
        """Parts that can be said together are."""
        nexts, globals_, lasting, rest = [], [], [], []
        for part in parts:
            if part.operator == "X":
                nexts.append(part.operands[0])
            elif part.operator == "G" and not part.has(_SUSPENDABLE):
                globals_.append(part.operands[0])
            elif part.operator == "F" and part.operands[0].operator == "G":
                lasting.append(part.operands[0].operands[0])
            else:
                rest.append(part)
        if nexts:
            rest.append(self.simple(following(conjunction(nexts))) if len(nexts) > 1 else following(nexts[0]))
        if globals_:
            rest.append(self.simple(always(conjunction(globals_))) if len(globals_) > 1 else always(globals_[0]))
        if lasting:
            together = eventually(always(conjunction(lasting)))
            rest.append(self.simple(together) if len(lasting) > 1 else together)
        return self._joined(rest)

    def _joined(self, parts: list[Formula]) -> list[Formula]:
        """Untils with the same end, releases with the same release; weak operators made strong by an F beside them."""
        promised = {part.operands[0] for part in parts if part.operator == "F"}
        ends: dict[tuple[str, Formula], list[Formula]] = {}
        rest: list[Formula] = []
        for part in parts:
            match part.operator:
                case "U" | "W":
                    ends.setdefault(("U", part.operands[1]), []).append(part)
                case "R" | "M":
                    ends.setdefault(("R", part.operands[0]), []).append(part)
                case _:
                    rest.append(part)
        for (operator, end), group in ends.items():
            strong = end in promised or any(part.operator in "UM" for part in group)
            if len(group) == 1 and (end not in promised or group[0].operator in "UM"):
                rest += group
            elif operator == "U":
                together = conjunction(part.operands[0] for part in group)
                rest.append(self.simple(until(together, end) if strong else weak_until(together, end)))
            else:
                together = conjunction(part.operands[1] for part in group)
                rest.append(self.simple(strong_release(end, together) if strong else release(end, together)))
        return rest


def _split(formula: Formula, kinds: int) -> tuple[list[Formula], list[Formula]]:
    """The operands that are of all these kinds, and the others."""
    chosen = [part for part in formula.operands if part.kinds & kinds == kinds]
    return chosen, [part for part in formula.operands if part.kinds & kinds != kinds]


def _lasting(formula: Formula) -> Formula | None:
    """The universal g such that the formula is F g: `F u`, or `F u || s` with s that no prefix can influence."""
    if formula.operator == "F":
        return formula.operands[0] if formula.operands[0].kinds & _UNIVERSAL else None
    if formula.operator != "or" or not formula.has(_EVENTUAL):
        return None
    found = []
    for part in formula.operands:
        if part.operator == "F" and part.operands[0].kinds & _UNIVERSAL:
            found.append(part.operands[0])
        elif part.has(_SUSPENDABLE):
            found.append(part)
        else:
            return None
    return disjunction(found)


def with_shared_delay(formula: Formula) -> Formula:
    """Conjunctions of strong fairness premises, for the tableau: `F u && F v` as `F (u && v)` where u and v are
    universal.

    The premises then wait together for the moment from which they are looked at, and not each for its own. The dual
    would do harm to disjunctions, so this is no rule of the rewriting but comes last.
    """
    return _delayed(formula, {})


def _delayed(formula: Formula, known: dict[Formula, Formula]) -> Formula:
    if formula.kinds & _BOOLEAN:
        return formula
    found = known.get(formula)
    if found is None:
        parts = [_delayed(part, known) for part in formula.operands]
        waiting = [(part, lasting) for part in parts if (lasting := _lasting(part)) is not None]
        if formula.operator == "and" and len(waiting) > 1:
            together = {part for part, _ in waiting}
            shared = eventually(conjunction(lasting for _, lasting in waiting))
            found = conjunction([*(part for part in parts if part not in together), shared])
        else:
            found = made(formula.operator, parts)
        known[formula] = found
    return found


def simplified(formula: Formula, negated: bool = False) -> Formula:
    """An equivalent formula in negation normal form, simplified; of the negated formula if asked for."""
    rewriting = Rewriting(formula.atoms())
    return rewriting.simple(rewriting.normal(formula, negated))
