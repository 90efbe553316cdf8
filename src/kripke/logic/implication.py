"""Syntactic implication: a cheap test that finds many implications between formulas, and never a false one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kripke.logic.formula import FALSE, TRUE, Formula, Kind
from kripke.logic.guards import Guards

_BOOLEAN: Final = int(Kind.BOOLEAN)
_EVENTUAL: Final = int(Kind.EVENTUAL)
_UNIVERSAL: Final = int(Kind.UNIVERSAL)


class Implication:
    """Remembers what it found. `function` gives the guard of a boolean formula; formulas in negation normal form."""

    def __init__(self, guards: Guards, function: Callable[[Formula], int]) -> None:
        self._guards = guards
        self._function = function
        self._known: dict[tuple[Formula, Formula], bool] = {}

    def holds(self, left: Formula, right: Formula) -> bool:
        """Does the left formula imply the right one? False means: not found."""
        if left is right or left is FALSE or right is TRUE:
            return True
        if right is FALSE or left is TRUE:
            return False
        key = (left, right)
        found = self._known.get(key)
        if found is None:
            self._known[key] = False  # while it is being looked for
            found = self._known[key] = self._found(left, right)
        return found

    def _found(self, left: Formula, right: Formula) -> bool:
        if left.kinds & right.kinds & _BOOLEAN:
            return self._boolean(left, right)
        if left.operator == "or":
            return all(self.holds(part, right) for part in left.operands)
        if right.operator == "and":
            return all(self.holds(left, part) for part in right.operands)
        if left.operator == "and" and any(self.holds(part, right) for part in left.operands):
            return True
        if right.operator == "or" and any(self.holds(left, part) for part in right.operands):
            return True
        return self._from_left(left, right) or self._to_right(left, right)

    def _boolean(self, left: Formula, right: Formula) -> bool:
        if left.operator in ("atom", "not") and right.operator in ("atom", "not"):
            return left is right
        return self._guards.implies(self._function(left), self._function(right))

    def _from_left(self, left: Formula, right: Formula) -> bool:
        """What the left formula says about here and now, or about later if that is enough."""
        holds, parts = self.holds, left.operands
        match left.operator:
            case "G":
                return holds(parts[0], right)
            case "F":
                return bool(right.kinds & _EVENTUAL) and holds(parts[0], right)
            case "X":
                if right.kinds & _EVENTUAL and holds(parts[0], right):
                    return True
            case "U":
                if holds(parts[1], right) and (right.kinds & _EVENTUAL or holds(parts[0], right)):
                    return True
            case "W":
                if holds(parts[1], right) and holds(parts[0], right):
                    return True
            case "R":
                if holds(parts[1], right):
                    return True
            case "M":
                if holds(parts[1], right) or (right.kinds & _EVENTUAL and holds(parts[0], right)):
                    return True
        return False

    def _to_right(self, left: Formula, right: Formula) -> bool:
        """What is enough for the right formula."""
        holds, parts = self.holds, right.operands
        universal = bool(left.kinds & _UNIVERSAL)
        match right.operator:
            case "F":
                return holds(left, parts[0])
            case "G":
                return universal and holds(left, parts[0])
            case "X":
                if left.operator == "X":
                    return holds(left.operands[0], parts[0])
                return universal and holds(left, parts[0])
            case "U":
                if holds(left, parts[1]):
                    return True
                match left.operator:
                    case "U":
                        return holds(left.operands[0], parts[0]) and holds(left.operands[1], right)
                    case "M":  # b U (a && b)
                        first, second = left.operands
                        return holds(second, parts[0]) and (holds(first, right) or holds(second, right))
            case "W":
                if holds(left, parts[1]) or (universal and holds(left, parts[0])):
                    return True
                match left.operator:
                    case "U" | "W":
                        return holds(left.operands[0], parts[0]) and holds(left.operands[1], right)
                    case "M" | "R":
                        first, second = left.operands
                        return holds(second, parts[0]) and (holds(first, right) or holds(second, right))
                    case "G":
                        return holds(left.operands[0], parts[0])
            case "R":  # b W (a && b)
                if universal and holds(left, parts[1]):
                    return True
                if holds(left, parts[0]) and holds(left, parts[1]):
                    return True
                match left.operator:
                    case "R" | "M":
                        return holds(left.operands[0], parts[0]) and holds(left.operands[1], parts[1])
                    case "G":
                        return holds(left.operands[0], parts[1])
                    case "U" | "W":
                        return holds(left.operands[0], parts[1]) and holds(left.operands[1], right)
            case "M":  # b U (a && b)
                if holds(left, parts[0]) and holds(left, parts[1]):
                    return True
                match left.operator:
                    case "M":
                        return holds(left.operands[0], parts[0]) and holds(left.operands[1], parts[1])
                    case "U":
                        return holds(left.operands[0], parts[1]) and holds(left.operands[1], right)
        return False


class Refinement(Implication):
    """The implications that are simulations between states of the tableau, step by step and promise by promise.

    The tableau may drop a formula beside one that refines it, and an edge beside one it refines. Implication alone
    would not do: G X F p implies F p, but a tableau that drops the latter beside the former never gets to p.
    """

    def _found(self, left: Formula, right: Formula) -> bool:
        if left.kinds & right.kinds & _BOOLEAN:
            return self._boolean(left, right)
        holds = self.holds
        if left.operator == "or":
            return all(holds(part, right) for part in left.operands)
        if right.operator == "and":
            return all(holds(left, part) for part in right.operands)
        if left.operator == "and" and any(holds(part, right) for part in left.operands):
            return True
        if right.operator == "or" and any(holds(left, part) for part in right.operands):
            return True
        if left.operator == "G" and holds(left.operands[0], right):
            return True
        if left.operator in "RM" and holds(left.operands[1], right):
            return True
        if right.operator in "FU" and holds(left, right.operands[-1]):
            return True
        if right.operator == "W" and holds(left, right.operands[1]):
            return True
        if right.operator in "RM" and holds(left, right.operands[0]) and holds(left, right.operands[1]):
            return True
        return self._same_shape(left, right)

    def _same_shape(self, left: Formula, right: Formula) -> bool:
        holds, from_, to = self.holds, left.operands, right.operands
        match left.operator, right.operator:
            case ("X", "X") | ("G", "G"):
                return holds(from_[0], to[0])
            case "U", "F":
                return from_[1] is to[0]
            case "U", "U":
                return from_[1] is to[1] and holds(from_[0], to[0])
            case ("U" | "W", "W"):
                return holds(from_[0], to[0]) and holds(from_[1], to[1])
            case "G", "W":
                return holds(from_[0], to[0])
            case "G", "R":
                return holds(from_[0], to[1])
            case ("R" | "M", "R"):
                return holds(from_[0], to[0]) and holds(from_[1], to[1])
            case "M", "M":
                return from_[0] is to[0] and holds(from_[1], to[1])
            case "M", "F":
                return from_[0] is to[0]
        return False
