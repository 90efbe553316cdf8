"""Terms evaluated where not all is known: what partial-order reduction can tell of a value from a part of the tokens.

A value may be known, known in some components (``Partly``), or not at all (``UNKNOWN``). What is found holds whatever
the unknown parts are: where an evaluation may fail is noted in ``Knowledge.may_fail``, where it fails for sure there is
an EvaluationError.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kripke.nets.high_level.evaluation import EvaluationError, Evaluator, evaluator
from kripke.nets.high_level.terms import Term, constant
from kripke.nets.high_level.types import StructType, Type, product


class _Unknown:
    def __repr__(self) -> str:
        return "?"


UNKNOWN = _Unknown()


@dataclass(frozen=True, slots=True)
class Partly:
    """A struct of which some components are known, at least in part, and some are not."""

    parts: tuple[Any, ...]


#: a value, ``Partly`` or ``UNKNOWN``
Part = Any


class Some(NamedTuple):
    """Tokens of a multi-set: so many of a value, ``most`` None for any number."""

    value: Part
    least: int
    most: int | None


def is_known(value: Part) -> bool:
    return value is not UNKNOWN and not isinstance(value, Partly)


def struct_of(parts: Sequence[Part]) -> Part:
    if all(map(is_known, parts)):
        return tuple(parts)
    return UNKNOWN if all(part is UNKNOWN for part in parts) else Partly(tuple(parts))


def part_at(value: Part, at: int) -> Part:
    if value is UNKNOWN:
        return UNKNOWN
    return value.parts[at] if isinstance(value, Partly) else value[at]


def at_path(value: Part, path: Sequence[int]) -> Part:
    for at in path:
        value = part_at(value, at)
    return value


def with_part(value: Part, type_: Type, path: Sequence[int], part: Part) -> Part:
    """The value with something else at a path of components."""
    if not path:
        return part
    assert isinstance(type_, StructType)
    parts = [part_at(value, at) for at in range(len(type_.types))]
    parts[path[0]] = with_part(parts[path[0]], type_.types[path[0]], path[1:], part)
    return struct_of(parts)


def may_equal(one: Part, other: Part) -> bool:
    if one is UNKNOWN or other is UNKNOWN:
        return True
    if isinstance(one, Partly) or isinstance(other, Partly):
        size = len(one.parts if isinstance(one, Partly) else other.parts)
        return all(may_equal(part_at(one, at), part_at(other, at)) for at in range(size))
    return bool(one == other)


#: operators that never fail on operands that do not
_SAFE = frozenset({"==", "<", "not", "is", "used", "free", "succ", "pred", "~", "component"})


class Knowledge:
    """``may_fail`` is set where an evaluation may fail; whoever asks clears it."""

    def __init__(self) -> None:
        self.may_fail = False
        #: the values of terms (by identity) in the case that is looked at
        self.assumed: dict[int, int] = {}
        self._evaluators: dict[int, tuple[Term, Evaluator | None]] = {}  # the term is kept: its identity is the key

    def _evaluator(self, term: Term) -> Evaluator | None:
        """None where the term asks for tokens of places."""
        found = self._evaluators.get(id(term))
        if found is None:
            asks = any(node.operator in ("place", "taken") for node in term.walk())
            found = self._evaluators[id(term)] = (term, None if asks else evaluator(term))
        return found[1]

    def _known(self, term: Term, env: list[Any]) -> Evaluator | None:
        return self._evaluator(term) if all(is_known(env[slot]) for slot in term.slots) else None

    def value(self, term: Term, env: list[Any]) -> Part:
        known = self._known(term, env)
        if known is not None:
            return known(env, [])
        if id(term) in self.assumed:
            return self.assumed[id(term)]
        operands = term.operands
        match term.operator:
            case "var":
                return env[term.detail]
            case "if":
                return self._if(term, env)
            case "and" | "or":
                return self._connected(term, env)
        if any(operand.multi for operand in operands):
            self.may_fail = True
            return UNKNOWN
        return self._of_parts(term, [self.value(operand, env) for operand in operands])

    def _of_parts(self, term: Term, parts: list[Part]) -> Part:
        if all(map(is_known, parts)) and parts:
            consts = tuple(constant(operand.type, part) for operand, part in zip(term.operands, parts, strict=True))
            return evaluator(Term(term.operator, term.type, consts, term.detail))([], [])
        match term.operator:
            case "component":
                return part_at(parts[0], term.detail)
            case "tuple" if isinstance(term.type, StructType):
                self._note_constraint(term.type)
                return struct_of(parts)
            case "replace" if isinstance(term.type, StructType):
                self._note_constraint(term.type)
                return with_part(parts[0], term.type, (term.detail,), parts[1])
            case "cast" if term.operands[0].type is term.type:
                return parts[0]
            case "==" if not may_equal(parts[0], parts[1]):
                return 0
        if term.operator not in _SAFE:
            self.may_fail = True
        return UNKNOWN

    def _note_constraint(self, type_: StructType) -> None:
        if type_.count < product(type_.types):
            self.may_fail = True

    def _if(self, term: Term, env: list[Any]) -> Part:
        condition = self.value(term.operands[0], env)
        branches = term.operands[1:]
        if is_known(condition):
            return self.value(branches[len(branches) - 1 - term.operands[0].type.index(condition)], env)
        found = []
        for branch in branches:
            try:
                found.append(self.value(branch, env))
            except EvaluationError:
                self.may_fail = True
        return joined(found, term.type) if found else UNKNOWN

    def _connected(self, term: Term, env: list[Any]) -> Part:
        """One operand may decide, if those before it do not fail."""
        deciding = int(term.operator == "or")
        before, undecided, self.may_fail = self.may_fail, False, False
        result: Part = 1 - deciding
        for operand in term.operands:
            try:
                value = self.value(operand, env)
            except EvaluationError:
                if not undecided:
                    raise
                self.may_fail, result = True, UNKNOWN
                break
            if is_known(value) and bool(value) == bool(deciding):
                result = UNKNOWN if self.may_fail else deciding
                break
            if not is_known(value):
                undecided, result = True, UNKNOWN
        self.may_fail = self.may_fail or before
        return result

    # --- multi-sets ---------------------------------------------------------------------------------------------------

    def tokens(self, term: Term, env: list[Any], taken: Sequence[Sequence[Some]]) -> list[Some]:
        """What a multi-set has; ``taken``: the tokens that were taken from each place."""
        known = self._known(term, env)
        if known is not None:
            return [Some(value, count, count) for value, count in known(env, []).items()]
        operands = term.operands
        match term.operator:
            case "tokens":
                return self._copies(operands[0], operands[1], env)
            case "times":
                return self._times(term, env, taken)
            case "sum" | "union":
                return [some for operand in operands for some in self.tokens(operand, env, taken)]
            case "multiif":
                return self._multiif(term, env, taken)
            case "taken":
                return list(taken[term.detail])
            case "filter":
                return self._filter(term, env, taken)
            case "map":
                return self._map(term, env, taken)
            case "intersect" | "minus":
                self.tokens(operands[1], env, taken)
                return [Some(value, 0, most) for value, _, most in self.tokens(operands[0], env, taken)]
        self.may_fail = True
        return [Some(UNKNOWN, 0, None)]

    def _number(self, term: Term, env: list[Any]) -> tuple[int, int | None]:
        """The least and the greatest value of a multiplicity."""
        value = self.value(term, env)
        if is_known(value):
            if value < 0:
                raise EvaluationError("constraint")
            return value, value
        low, high = term.type.ranges[0][0], term.type.ranges[-1][1]
        if low < 0:
            self.may_fail = True
        return max(0, low), high

    def _copies(self, multiplicity: Term, token: Term, env: list[Any]) -> list[Some]:
        least, most = self._number(multiplicity, env)
        if most == 0:
            return []
        try:
            return [Some(self.value(token, env), least, most)]
        except EvaluationError:
            if least:
                raise
            self.may_fail = True  # unless there are none
            return []

    def _times(self, term: Term, env: list[Any], taken: Sequence[Sequence[Some]]) -> list[Some]:
        low, high = self._number(term.operands[0], env)
        self.may_fail = True  # there may be too many copies
        if high == 0:
            return []
        try:
            found = self.tokens(term.operands[1], env, taken)
        except EvaluationError:
            if low:
                raise
            return []
        return [
            Some(value, least * low, None if most is None or high is None else most * high)
            for value, least, most in found
        ]

    def _multiif(self, term: Term, env: list[Any], taken: Sequence[Sequence[Some]]) -> list[Some]:
        condition = self.value(term.operands[0], env)
        branches = term.operands[1:]
        if is_known(condition):
            return self.tokens(branches[len(branches) - 1 - term.operands[0].type.index(condition)], env, taken)
        found = []
        for branch in branches:
            try:
                found += [Some(value, 0, most) for value, _, most in self.tokens(branch, env, taken)]
            except EvaluationError:
                self.may_fail = True
        return found

    def _map(self, term: Term, env: list[Any], taken: Sequence[Sequence[Some]]) -> list[Some]:
        found = []
        for some in self.tokens(term.operands[0], env, taken):
            image = self._of_each(term, env, some)
            found.append(some._replace(value=image))
        return found

    def _filter(self, term: Term, env: list[Any], taken: Sequence[Sequence[Some]]) -> list[Some]:
        found = []
        for some in self.tokens(term.operands[0], env, taken):
            kept = self._of_each(term, env, some)
            if not is_known(kept):
                found.append(some._replace(least=0))
            elif kept:
                found.append(some)
        return found

    def _of_each(self, term: Term, env: list[Any], some: Some) -> Part:
        """The second operand for a token of the first."""
        env[term.detail] = some.value
        try:
            return self.value(term.operands[1], env)
        except EvaluationError:
            if some.least:
                raise
            self.may_fail = True  # unless there is none
            return UNKNOWN


def joined(values: Sequence[Part], type_: Type) -> Part:
    """What is known of a value that is one of these."""
    if all(value == values[0] for value in values[1:]):
        return values[0]
    if isinstance(type_, StructType):
        return struct_of([joined([part_at(v, at) for v in values], part) for at, part in enumerate(type_.types)])
    return UNKNOWN
