"""Nets under permutations of values: is a net the same when values of some types change places?

A permutation is applied to everything that is written in a net: constants change, items of arrays and branches of
choices are moved. Since all operators on tokens but order, neighbourhood and arithmetic are indifferent to what values
are called, the result describes the net whose markings are permuted. Where it is the net again, but for the order of
what has none (quantifiers, which are expanded in a net, come out in another order), the permutation is an automorphism
of the state space. This is decided by comparing *forms*, numbers that equal terms share. Parts that might fail are
never put into another order, for which of them fails first can be seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kripke.nets.high_level.net import Transition
from kripke.nets.high_level.terms import Term
from kripke.nets.high_level.types import (
    NUMERIC,
    ArrayType,
    BufferType,
    NumberType,
    StructType,
    Type,
    UnionType,
    Value,
    product,
)

#: indifferent to the names of values, evaluated operand by operand
_INDIFFERENT = frozenset(
    {"not", "item", "put", "inject", "is", "select", "write", "peek", "remove", "used", "free", "buffer", "cast"}
    | {"empty", "tokens", "times", "place", "taken", "minus", "subset", "cardinality", "max", "min"}
    | {"undefined", "fatal"}
)
_UNORDERED = frozenset(("and", "or", "sum", "union", "==", "equals", "intersect"))
_ARITHMETIC = frozenset(("+", "-", "*", "/", "%", "&", "^", "|", "<<", ">>", "neg", "~"))
_MAY_FAIL = _ARITHMETIC | {"cast", "select", "write", "peek", "remove", "undefined", "fatal"}
_MAKES_COMPOUND = frozenset(("tuple", "buffer", "replace", "put", "inject", "rotate"))


class Asymmetric(Exception):
    """What a term does with values that may therefore not change places."""


class Values:
    """A permutation of the values of some types, all of which have the same values."""

    def __init__(self, types: Iterable[Type], images: Mapping[int, int]) -> None:
        self.types = frozenset(types)
        self.images = images
        self._touched: dict[Type, bool] = {}
        ordered = sorted(images)
        after = dict(zip(ordered, ordered[1:] + ordered[:1], strict=True))
        #: does it turn the values as a ring?
        self.turns = all(images[after[value]] == after[images[value]] for value in ordered)

    def touches(self, type_: Type) -> bool:
        known = self._touched.get(type_)
        if known is None:
            known = type_ in self.types or any(map(self.touches, parts_of(type_)))
            self._touched[type_] = known
        return known

    def moves(self, type_: Type) -> bool:
        """Is it a type whose very values change places?"""
        return type_ in self.types

    def image(self, type_: Type, value: Value) -> Value:
        if type_ in self.types:
            return self.images[value]
        if not self.touches(type_):
            return value
        match type_:
            case StructType():
                return tuple(self.image(part, item) for part, item in zip(type_.types, value, strict=True))
            case ArrayType():
                return self.rearranged(type_, [self.image(type_.item, item) for item in value])
            case BufferType():
                return tuple(self.image(type_.item, item) for item in value)
            case UnionType():
                return value[0], self.image(type_.components[value[0]][1], value[1])
        raise TypeError(type_)

    def position(self, indices: Type, at: int) -> int:
        """Where the item at a position of an array goes."""
        return indices.index(self.image(indices, indices.value(at)))

    def rearranged(self, type_: ArrayType, items: Sequence[Value]) -> tuple[Value, ...]:
        moved = list(items)
        if self.touches(type_.indices):
            for at, item in enumerate(items):
                moved[self.position(type_.indices, at)] = item
        return tuple(moved)


def parts_of(type_: Type) -> tuple[Type, ...]:
    match type_:
        case StructType():
            return type_.types
        case ArrayType():
            return type_.item, type_.indices
        case BufferType():
            return (type_.item,)
        case UnionType():
            return tuple(part for _, part in type_.components)
        case _:
            return ()


def constrained(type_: Type) -> bool:
    """Are there compound values that the type leaves out as a whole?"""
    match type_:
        case StructType() | ArrayType():
            return type_.count < product(type_.types)
        case BufferType():
            return type_.count < type_.offsets[-1]
        case UnionType():
            return type_.count < sum(part.count for _, part in type_.components)
        case _:
            return False


NOBODY = Values((), {})


@dataclass(frozen=True, slots=True)
class _Reading:
    """How a term is read: under which permutation, with which variables for those written, inside which bound ones;
    ``uncertain``: variables that may be without a value."""

    values: Values
    uncertain: frozenset[int] = frozenset()
    variables: Mapping[int, int] = field(default_factory=dict)
    bound: Mapping[int, int] = field(default_factory=dict)

    def inside(self, slots: Sequence[int]) -> _Reading:
        bound = dict(self.bound)
        for slot in slots:
            bound[slot] = len(bound)
        return replace(self, bound=bound)


class Forms:
    """Numbers for terms. ``work``: how many were looked at."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._total: dict[int, bool] = {}
        #: terms are known by their identity, so they are kept
        self._kept: list[Term] = []
        self.work = 0

    # --- what is the same ---------------------------------------------------------------------------------------------

    def same_condition(self, term: Term, values: Values, uncertain: frozenset[int] = frozenset()) -> bool:
        return self._form(term, _Reading(values, uncertain)) == self._form(term, _Reading(NOBODY, uncertain))

    def same_transition(self, transition: Transition, values: Values, uncertain: frozenset[int]) -> bool:
        """``uncertain``: its variables that may be without a value when it fires."""
        wanted = self._transition(transition, _Reading(NOBODY, uncertain))
        if self._transition(transition, _Reading(values, uncertain)) == wanted:
            return True
        indexed = _indexed_variables(transition, values)
        return bool(indexed) and self._transition(transition, _Reading(values, uncertain, indexed)) == wanted

    def _transition(self, transition: Transition, reading: _Reading) -> object:
        to = reading.variables
        # Output variables get their values one after the other.
        early = replace(reading, uncertain=reading.uncertain | {v.slot for v in transition.variables if v.output})

        def form(term: Term | None, how: _Reading = reading) -> int:
            return -1 if term is None else self._form(term, how)

        lists: list[list[tuple[object, ...]]] = [
            [(arc.place, form(arc.token), form(arc.multiplicity), arc.whole) for arc in transition.inputs],
            [(place, form(term)) for place, term in transition.outputs],
            [(form(gate),) for gate in transition.gates],
            [(to.get(slot, slot), form(term)) for slot, term in transition.definitions],
        ]
        if not reading.uncertain and all(map(self._is_total, terms_of(transition))):
            lists = [sorted(one) for one in lists]
        return lists, [form(variable.condition, early) for variable in transition.variables if variable.output]

    # --- forms --------------------------------------------------------------------------------------------------------

    def _number(self, *key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _form(self, term: Term, reading: _Reading) -> int:
        self.work += 1
        values, operator, detail = reading.values, term.operator, term.detail
        match operator:
            case "const":
                return self._number("const", term.type, values.image(term.type, detail))
            case "var":
                if detail in reading.bound:
                    return self._number("bound", reading.bound[detail])
                return self._number("var", reading.variables.get(detail, detail))
            case "filter" | "map" | "mapeach":
                return self._comprehension(term, reading)
        forms = [self._form(operand, reading) for operand in term.operands]
        if operator in ("if", "multiif"):
            return self._number(operator, term.type, self._choice(term, forms, values))
        if operator in _UNORDERED and self._all_total(term, reading):
            forms.sort()
        elif operator == "tuple":
            forms = self._tuple(term, forms, reading)
        elif operator in ("component", "replace"):
            of = term.operands[0].type
            if isinstance(of, ArrayType) and values.touches(of.indices):
                detail = values.position(of.indices, detail)
        elif operator in ("succ", "pred", "rotate", "<") or operator in _ARITHMETIC:
            _refuse(term, values)
        elif operator not in _UNORDERED and operator not in _INDIFFERENT:
            raise Asymmetric(f"does something with them ({operator}) that is not known here")
        types = tuple(operand.type for operand in term.operands) if operator in ("cast", "is", "select") else ()
        return self._number(operator, term.type, detail, types, tuple(forms))

    def _choice(self, term: Term, forms: list[int], values: Values) -> tuple[int, ...]:
        chooser = term.operands[0].type
        if not values.touches(chooser):
            return tuple(forms)
        last = chooser.count - 1
        branches = forms[1:]
        for index in range(chooser.count):
            branches[last - values.position(chooser, index)] = forms[1 + last - index]
        return forms[0], *branches

    def _tuple(self, term: Term, forms: list[int], reading: _Reading) -> list[int]:
        if not isinstance(term.type, ArrayType) or not reading.values.touches(term.type.indices):
            return forms
        if not self._all_total(term, reading):
            raise Asymmetric("makes an array over them whose items may fail")
        return list(reading.values.rearranged(term.type, forms))

    def _comprehension(self, term: Term, reading: _Reading) -> int:
        tokens, body = term.operands
        if reading.values.touches(tokens.type) and not (self._is_total(body) and not body.slots & reading.uncertain):
            raise Asymmetric("looks at all of them with an expression that may fail")
        slots = term.detail if isinstance(term.detail, tuple) else (term.detail,)
        inside = reading.inside(slots)
        return self._number(term.operator, term.type, self._form(tokens, reading), self._form(body, inside))

    def _all_total(self, term: Term, reading: _Reading) -> bool:
        """Have all operands values, whatever the variables and the marking are?"""
        return not term.slots & reading.uncertain and all(map(self._is_total, term.operands))

    def _is_total(self, term: Term) -> bool:
        """The same of a term all of whose variables have values."""
        known = self._total.get(id(term))
        if known is None:
            known = not _can_fail(term) and all(map(self._is_total, term.operands))
            self._total[id(term)] = known
            self._kept.append(term)
        return known


def _can_fail(term: Term) -> bool:
    if term.operator in ("tokens", "times"):
        return term.operands[0].type.kind not in ("bool", "unsigned")
    if term.operator == "cast":
        return not _fits(term.operands[0].type, term.type)
    return term.operator in _MAY_FAIL or (term.operator in _MAKES_COMPOUND and constrained(term.type))


def _fits(source: Type, target: Type) -> bool:
    """Are all values of one type of numbers in the other?"""
    if source.kind not in NUMERIC or target.kind not in NUMERIC:
        return source is target
    return all(any(low <= start and end <= high for low, high in target.ranges) for start, end in source.ranges)


def _refuse(term: Term, values: Values) -> None:
    """Operators to which the names of values are not indifferent; neighbours are the same in a ring that turns."""
    of = term.operands[0].type
    match term.operator:
        case "succ" | "pred":
            if values.touches(of) and not (values.moves(of) and values.turns):
                raise Asymmetric("takes the next or previous one")
        case "rotate":
            assert isinstance(of, ArrayType)
            if values.touches(of.indices) and not (values.moves(of.indices) and values.turns):
                raise Asymmetric("shifts an array over them")
        case "<":
            if values.touches(of):
                raise Asymmetric("asks which is less")
        case _:
            if values.touches(term.type) or any(values.touches(operand.type) for operand in term.operands):
                raise Asymmetric("calculates with them")


def terms_of(transition: Transition) -> list[Term]:
    """All that decides about its instances."""
    found = [arc.token for arc in transition.inputs]
    found += [arc.multiplicity for arc in transition.inputs if arc.multiplicity is not None]
    found += [term for _, term in transition.outputs]
    found += transition.gates
    found += [term for _, term in transition.definitions]
    found += [variable.condition for variable in transition.variables if variable.condition is not None]
    return found


def _indexed_variables(transition: Transition, values: Values) -> dict[int, int]:
    """``x[v]``, the variable x of the value v of a quantifier, becomes that of the value's image; empty where that is
    not another variable for each."""
    known = {variable.name: variable for variable in transition.variables}
    shown = {}
    for type_ in values.types:
        if isinstance(type_, NumberType):
            shown.update({type_.show(value): type_.show(image) for value, image in values.images.items()})
    to: dict[int, int] = {}
    for variable in transition.variables:
        base, bracket, index = variable.name.removesuffix("]").partition("[")
        target = known.get(f"{base}[{shown.get(index, index)}]") if bracket else variable
        if target is None or target.type is not variable.type or (variable.output and target is not variable):
            return {}
        to[variable.slot] = target.slot
    return to if any(slot != target for slot, target in to.items()) and len(set(to.values())) == len(to) else {}
