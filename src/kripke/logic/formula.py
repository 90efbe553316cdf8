"""Formulas of linear temporal logic.

Formulas are hash-consed: the same formula is the same object, so that comparing and remembering them is cheap. They are
made by the functions below, which drop what is plainly superfluous (constants, double negations, repeated operands).
A position of a run satisfies

    X f      f at the next position           F f, G f   f at some, at every position from here on
    f U g    g at some position, and f until there        f W g   the same, or f forever
    f R g    g up to and including the first position with f, or g forever
    f M g    the same, and f does come

and, of the past (they may contain no formulas of the future):

    Y f, Z f    f at the position before; Y f is false at the first one, Z f is true there
    O f, H f    f at some, at every position up to here
    f S g       g at some position up to here, and f at all after it
    f T g       g at every position up to here, but for those before the last one with f (H g where there is none)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from enum import IntFlag
from functools import partial, reduce
from itertools import count
from operator import and_
from typing import Final
from weakref import WeakValueDictionary


class Kind(IntFlag):
    """What the shape of a formula tells about its language. Exact for formulas in negation normal form."""

    BOOLEAN = 1  # no temporal operator
    EVENTUAL = 2  # true as soon as it is true of some later position: f = F f
    UNIVERSAL = 4  # true of every later position as well: f = G f
    SAFETY = 8  # every violation has a finite prefix that shows it
    GUARANTEE = 16  # every satisfaction has a finite prefix that shows it
    OBLIGATION = 32  # a boolean combination of safety and guarantee
    NEXT_FREE = 64  # no X: cannot tell a run from one that stutters

    SUSPENDABLE = EVENTUAL | UNIVERSAL


class Formula:
    """A node: an operator and its operands; an atom has the opaque thing it stands for instead.

    operator   one of: true false atom not and or -> <-> X F G U R W M Y Z O H S T
    operands   none, one or two; for `and` and `or` two or more, ordered by `number`
    atom       of an atom: what it stands for; None elsewhere
    number     formulas made earlier have smaller numbers; operands are smaller than what they are part of
    depth      how deeply operators are nested
    """

    __slots__ = ("__weakref__", "atom", "depth", "kinds", "number", "operands", "operator")

    operator: str
    operands: tuple[Formula, ...]
    atom: Hashable
    number: int
    depth: int
    kinds: int

    def __repr__(self) -> str:
        return f"<formula {self}>"

    def __str__(self) -> str:
        return _written(self, 0)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _made, (self.operator, self.operands, self.atom)

    def __deepcopy__(self, memo: object) -> Formula:
        return self

    def __copy__(self) -> Formula:
        return self

    def has(self, kinds: int) -> bool:
        """Is the formula of all these kinds?"""
        return self.kinds & kinds == kinds

    def walk(self) -> Iterator[Formula]:
        """The formula and all its parts, each once."""
        seen: set[Formula] = set()
        stack = [self]
        while stack:
            part = stack.pop()
            if part not in seen:
                seen.add(part)
                yield part
                stack.extend(reversed(part.operands))

    def atoms(self) -> tuple[Hashable, ...]:
        """What the atoms stand for, each once, in the order in which they are written."""
        return tuple(part.atom for part in self.walk() if part.operator == "atom")


_formulas: WeakValueDictionary[tuple[object, ...], Formula] = WeakValueDictionary()
_numbers = count()


def _made(operator: str, operands: tuple[Formula, ...] = (), atom: Hashable = None) -> Formula:
    key = (operator, atom, type(atom)) if operator == "atom" else (operator, *operands)
    formula = _formulas.get(key)
    if formula is None:
        formula = Formula()
        formula.operator = operator
        formula.operands = operands
        formula.atom = atom
        formula.number = next(_numbers)
        formula.depth = 1 + max((operand.depth for operand in operands), default=0)
        formula.kinds = _kinds(operator, operands)
        _formulas[key] = formula
    return formula


# --- kinds ------------------------------------------------------------------------------------------------------------

_BOOLEAN: Final = int(Kind.BOOLEAN)
_EVENTUAL: Final = int(Kind.EVENTUAL)
_UNIVERSAL: Final = int(Kind.UNIVERSAL)
_SAFETY: Final = int(Kind.SAFETY)
_GUARANTEE: Final = int(Kind.GUARANTEE)
_OBLIGATION: Final = int(Kind.OBLIGATION)
_NEXT_FREE: Final = int(Kind.NEXT_FREE)
_STATE_KINDS: Final = _BOOLEAN | _SAFETY | _GUARANTEE | _OBLIGATION | _NEXT_FREE
_ALL: Final = _STATE_KINDS | _EVENTUAL | _UNIVERSAL


def _kinds(operator: str, operands: tuple[Formula, ...]) -> int:
    """Etessami, Holzmann (CONCUR 2000) for eventual and universal; Chang, Manna, Pnueli (ICALP 1992) for the rest."""
    match operator:
        case "true" | "false":
            return _ALL
        case "atom":
            return _STATE_KINDS
        case "and" | "or":
            return reduce(and_, (operand.kinds for operand in operands))
        case "not" | "->" | "<->":
            shared = reduce(and_, (operand.kinds for operand in operands))
            return _STATE_KINDS if shared & _BOOLEAN else shared & (_OBLIGATION | _NEXT_FREE)
        case "X":
            return operands[0].kinds & ~(_BOOLEAN | _NEXT_FREE)
        case "Y" | "Z" | "O" | "H" | "S" | "T":
            return _kinds_of_past(operator, operands)
        case "F" | "G":
            return _kinds_of_eventually(operands[0].kinds) if operator == "F" else _kinds_of_always(operands[0].kinds)
    left, right = operands[0].kinds, operands[1].kinds
    both = left & right
    kinds = both & _NEXT_FREE
    if operator in "UM":
        kinds |= both & _GUARANTEE | right & _EVENTUAL
        kinds |= right & _UNIVERSAL if operator == "U" else both & _UNIVERSAL
        promise, rest = (right, left) if operator == "U" else (left, right)
        if kinds & _GUARANTEE or (promise & _GUARANTEE and rest & (_OBLIGATION if operator == "U" else _SAFETY)):
            kinds |= _OBLIGATION
    else:
        kinds |= both & _SAFETY | right & _UNIVERSAL
        kinds |= right & _EVENTUAL if operator == "R" else both & _EVENTUAL
        end, lasting = (left, right) if operator == "R" else (right, left)
        if kinds & _SAFETY or (lasting & _SAFETY and end & _OBLIGATION):
            kinds |= _OBLIGATION
    return kinds


def _kinds_of_eventually(kinds: int) -> int:
    kept = kinds & (_UNIVERSAL | _GUARANTEE | _NEXT_FREE) | _EVENTUAL
    return kept | _OBLIGATION if kept & _GUARANTEE else kept


def _kinds_of_past(operator: str, operands: tuple[Formula, ...]) -> int:
    """What was is known at once, as in a state formula."""
    next_free = reduce(and_, (operand.kinds for operand in operands)) & _NEXT_FREE
    kept = _SAFETY | _GUARANTEE | _OBLIGATION
    return kept if operator in "YZ" else kept | next_free


def _kinds_of_always(kinds: int) -> int:
    kept = kinds & (_EVENTUAL | _SAFETY | _NEXT_FREE) | _UNIVERSAL
    return kept | _OBLIGATION if kept & _SAFETY else kept


# --- making formulas --------------------------------------------------------------------------------------------------

TRUE: Final = _made("true")
FALSE: Final = _made("false")


def atom(meaning: Hashable) -> Formula:
    """A formula that is true where the thing it stands for is."""
    return _made("atom", (), meaning)


def negation(formula: Formula) -> Formula:
    match formula.operator:
        case "true":
            return FALSE
        case "false":
            return TRUE
        case "not":
            return formula.operands[0]
    return _made("not", (formula,))


def conjunction(formulas: Iterable[Formula]) -> Formula:
    return _gathered("and", formulas, TRUE, FALSE)


def disjunction(formulas: Iterable[Formula]) -> Formula:
    return _gathered("or", formulas, FALSE, TRUE)


def _gathered(operator: str, formulas: Iterable[Formula], neutral: Formula, absorbing: Formula) -> Formula:
    found: set[Formula] = set()
    for formula in formulas:
        if formula is absorbing:
            return absorbing
        if formula.operator == operator:
            found.update(formula.operands)
        elif formula is not neutral:
            found.add(formula)
    if len(found) < 2:
        return found.pop() if found else neutral
    if any(formula.operator == "not" and formula.operands[0] in found for formula in found):
        return absorbing
    return _made(operator, tuple(sorted(found, key=lambda formula: formula.number)))


def implication(left: Formula, right: Formula) -> Formula:
    if left is TRUE or right is TRUE:
        return right
    if left is FALSE or left is right:
        return TRUE
    return negation(left) if right is FALSE else _made("->", (left, right))


def equivalence(left: Formula, right: Formula) -> Formula:
    if left is right:
        return TRUE
    for one, other in ((left, right), (right, left)):
        if one is TRUE:
            return other
        if one is FALSE:
            return negation(other)
    return _made("<->", (left, right))


def following(formula: Formula) -> Formula:
    """X"""
    return formula if formula is TRUE or formula is FALSE else _made("X", (formula,))


def eventually(formula: Formula) -> Formula:
    """F"""
    return formula if formula is TRUE or formula is FALSE or formula.operator == "F" else _made("F", (formula,))


def always(formula: Formula) -> Formula:
    """G"""
    return formula if formula is TRUE or formula is FALSE or formula.operator == "G" else _made("G", (formula,))


def until(left: Formula, right: Formula) -> Formula:
    """U"""
    if left is right or left is FALSE or right is TRUE or right is FALSE:
        return right
    return eventually(right) if left is TRUE else _made("U", (left, right))


def weak_until(left: Formula, right: Formula) -> Formula:
    """W"""
    if left is right or left is FALSE or right is TRUE:
        return right
    if left is TRUE:
        return TRUE
    return always(left) if right is FALSE else _made("W", (left, right))


def release(left: Formula, right: Formula) -> Formula:
    """R, in SPIN written V"""
    if left is right or left is TRUE or right is TRUE or right is FALSE:
        return right
    return always(right) if left is FALSE else _made("R", (left, right))


def strong_release(left: Formula, right: Formula) -> Formula:
    """M"""
    if left is right or left is TRUE or right is FALSE:
        return right
    if left is FALSE:
        return FALSE
    return eventually(left) if right is TRUE else _made("M", (left, right))


def precedence(left: Formula, right: Formula) -> Formula:
    """P: wherever `right` is true, `left` was true before (Manna, Pnueli); the same as !(!left U right)."""
    return release(left, negation(right))


PAST: Final = frozenset("YZOHST")
"""The operators that speak of the past."""


def of_past(operator: str, *operands: Formula) -> Formula:
    """A formula about the past."""
    return _made(operator, operands)


def speaks_of_past(formula: Formula) -> bool:
    return any(part.operator in PAST for part in formula.walk())


MAKERS: Final[dict[str, Callable[..., Formula]]] = {
    "X": following,
    "F": eventually,
    "G": always,
    "U": until,
    "W": weak_until,
    "R": release,
    "M": strong_release,
    "P": precedence,
    "->": implication,
    "<->": equivalence,
    "not": negation,
    **{operator: partial(of_past, operator) for operator in sorted(PAST)},
}
"""How operators of one or two operands are made, by their names in `Formula.operator`; also P."""


def made(operator: str, operands: Iterable[Formula]) -> Formula:
    """The formula with this operator and these operands, in no particular form."""
    if operator == "and":
        return conjunction(operands)
    if operator == "or":
        return disjunction(operands)
    return MAKERS[operator](*operands)


def substituted(formula: Formula, meanings: Mapping[Hashable, Formula]) -> Formula:
    """The formula with other formulas in the place of atoms."""
    if formula.operator == "atom":
        return meanings.get(formula.atom, formula)
    if not formula.operands:
        return formula
    return made(formula.operator, [substituted(operand, meanings) for operand in formula.operands])


# --- text -------------------------------------------------------------------------------------------------------------

_SPELLED = {"not": "!", "X": "X ", "F": "<>", "G": "[]", "and": "&&", "or": "||", "R": "V"}
_SPELLED |= {"Y": "previously ", "Z": "weakpreviously ", "O": "once ", "H": "historically ", "S": "since"}
_SPELLED |= {"T": "triggered"}
_STRENGTH: Final = {"->": 1, "<->": 1, "or": 2, "and": 3, "U": 4, "W": 4, "R": 4, "M": 4, "S": 4, "T": 4}


def _written(formula: Formula, outer: int) -> str:
    operator = formula.operator
    if operator in ("true", "false"):
        return operator
    if operator == "atom":
        text = str(formula.atom)
        return text if text.isidentifier() or not outer else f"({text})"
    if len(formula.operands) == 1:
        return _SPELLED[operator] + _written(formula.operands[0], 9)
    strength = _STRENGTH[operator]
    sign = _SPELLED.get(operator, operator)
    text = f" {sign} ".join(_written(operand, strength) for operand in formula.operands)
    return f"({text})" if outer >= strength else text
