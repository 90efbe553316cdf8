"""Which values of tokens a net uses alike.

Types between which values are converted form a group: they must have the same values. Of each group it is found out
which two values may be exchanged, by looking whether the net is the same afterwards (``automorphisms.py``): those that
may are a cell. That a value is named by a constant thus keeps it apart, and only it (the static subclasses of
well-formed nets: G. Chiola, C. Dutheillet, G. Franceschinis, S. Haddad, *Stochastic well-formed colored nets and
symmetric modeling applications*, IEEE Transactions on Computers 42, 1993). Where no two may be exchanged, the values
are tried as a ring that is turned. The initial marking need not be symmetric: what is reachable from its image is the
image of what is reachable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from kripke.model.value_symmetry import Container, Contents, Shape, ValueFamily, ValueSymmetry
from kripke.nets.high_level.automorphisms import Asymmetric, Forms, Values, constrained, parts_of, terms_of
from kripke.nets.high_level.evaluation import Marking, evaluator
from kripke.nets.high_level.marking import decode, encode
from kripke.nets.high_level.net import Condition, HighLevelNet
from kripke.nets.high_level.types import (
    ArrayType,
    BufferType,
    NumberType,
    StructType,
    Type,
    UnionType,
    component_for,
)

if TYPE_CHECKING:
    from kripke.nets.high_level.interpreter import Interpreter
    from kripke.nets.high_level.terms import Term

MOST_VALUES = 128  # of a family
MOST_WORK = 2_000_000  # terms that are looked at
MOST_TURNS = 1024  # that are tried in a state
_OTHER_METHODS = "this is for like processes; a net takes sort or canonical"
_KINDS = ("unsigned", "int", "char", "enum", "id")


def symmetry_of(interpreter: Interpreter, asked: Sequence[Condition]) -> ValueSymmetry | str:
    """The symmetry of a net that leaves what is asked as it is; a sentence where there is none."""
    net = interpreter.net
    checked = _Checked(interpreter, asked)
    groups = _Groups(net, checked.terms())
    families: list[tuple[tuple[Type, ...], ValueFamily]] = []
    reasons: list[str] = []
    turns = 1
    for types in groups.found():
        reason = groups.refusal(types) or ""
        if not reason:
            family = _family(types, checked)
            if isinstance(family, ValueFamily) and turns * _turns(family) <= MOST_TURNS:
                turns *= _turns(family)
                families.append((types, family))
                continue
            reason = family if isinstance(family, str) else "they may be turned only, in too many ways with the others"
        reasons.append(f"those of {types[0].name or types[0].kind}: {reason}")
    if not families:
        why = "; ".join(reasons[:3]) or "its places hold none of types with 2 to 128 values"
        return f"no values of this net may change places ({why})"
    return _described(net, families)


def _turns(family: ValueFamily) -> int:
    return family.count // family.turn if family.turn else 1


# --- groups of types --------------------------------------------------------------------------------------------------


class _Groups:
    """Types of values that belong together since values go from one to the other."""

    def __init__(self, net: HighLevelNet, terms: Iterator[Term]) -> None:
        self._leader: dict[Type, Type] = {}
        #: types none of whose values may change places
        self._fixed: dict[Type, str] = {}
        self._seen: set[Type] = set()
        self._stored: list[Type] = []
        for number in net.stored:
            self._meet(net.places[number].type, self._stored)
        for term in terms:
            for node in term.walk():
                self._meet(node.type)
                self._follow(node)

    def _meet(self, type_: Type, leaves: list[Type] | None = None) -> None:
        if leaves is None and type_ in self._seen:
            return
        self._seen.add(type_)
        if isinstance(type_, NumberType) and leaves is not None and type_ not in leaves:
            leaves.append(type_)
        if constrained(type_):
            self._fix(type_, f"{type_.name or type_.kind} leaves out some of its values")
        if isinstance(type_, ArrayType) and not isinstance(type_.indices, NumberType):
            self._fix(type_.indices, f"{type_.name or type_.kind} has compound indices")
        for part in parts_of(type_):
            self._meet(part, leaves)

    def _fix(self, type_: Type, reason: str) -> None:
        if isinstance(type_, NumberType):
            self._fixed.setdefault(type_, reason)
        for part in parts_of(type_):
            self._fix(part, reason)

    def _follow(self, term: Term) -> None:
        """Where do values go, and is their type another one there?"""
        match term.operator:
            case "cast":
                self._join(term.operands[0].type, term.type)
            case "==" | "<" | "equals" | "subset":
                self._join(term.operands[0].type, term.operands[1].type)
            case "tuple" | "buffer":
                of = term.type
                assert isinstance(of, StructType | ArrayType | BufferType)
                items = (of.item,) * len(term.operands) if isinstance(of, BufferType) else of.types
                for operand, type_ in zip(term.operands, items, strict=True):
                    self._join(operand.type, type_)
            case "if" | "multiif" | "tokens" | "times":
                for operand in term.operands[1:]:
                    self._join(operand.type, term.type)
            case "sum" | "union" | "intersect" | "minus":
                for operand in term.operands:
                    if operand.operator != "empty":
                        self._join(operand.type, term.type)

    def _join(self, source: Type, target: Type) -> None:
        if source is target:
            return
        match source, target:
            case (NumberType(), NumberType()):
                self._leader[self._first(source)] = self._first(target)
            case (StructType(), StructType()) if len(source.types) == len(target.types):
                for one, other in zip(source.types, target.types, strict=True):
                    self._join(one, other)
            case (ArrayType(), ArrayType()):
                self._join(source.item, target.item)
                self._join(source.indices, target.indices)
            case (BufferType(), BufferType()):
                self._join(source.item, target.item)
            case (UnionType(), UnionType()) if len(source.components) == len(target.components):
                for (_, one), (_, other) in zip(source.components, target.components, strict=True):
                    self._join(one, other)
            case (_, UnionType()) if (at := component_for(target, source)) is not None:
                self._join(source, target.components[at][1])
            case (UnionType(), _) if (at := component_for(source, target)) is not None:
                self._join(source.components[at][1], target)
            case _:
                self._fix(source, "they are converted to something else")
                self._fix(target, "something else is converted to them")

    def _first(self, type_: Type) -> Type:
        while (leader := self._leader.get(type_, type_)) is not type_:
            type_ = leader
        return type_

    def found(self) -> list[tuple[Type, ...]]:
        """Those that places hold values of, with all types that belong to them."""
        leaves = [type_ for type_ in self._stored if type_.kind in _KINDS and 2 <= type_.count <= MOST_VALUES]
        groups: dict[Type, list[Type]] = {}
        for type_ in leaves:
            groups.setdefault(self._first(type_), []).append(type_)
        for type_ in {*self._seen, *self._leader}:
            if isinstance(type_, NumberType) and self._first(type_) in groups and type_ not in leaves:
                groups[self._first(type_)].append(type_)
        return [tuple(types) for types in groups.values()]

    def refusal(self, types: tuple[Type, ...]) -> str | None:
        first = types[0]
        for type_ in types:
            if type_ in self._fixed:
                return self._fixed[type_]
            if type_.ranges != first.ranges or (type_.kind not in _KINDS):
                return f"they are converted to or from {type_.name or type_.kind}, which has other values"
        return None


# --- families ---------------------------------------------------------------------------------------------------------


class _Checked:
    """All that must be the same after a permutation."""

    def __init__(self, interpreter: Interpreter, asked: Sequence[Condition]) -> None:
        self.net = interpreter.net
        self._forms = Forms()
        self._uncertain = [plan.uncertain for plan in interpreter.plans]
        self._constant = {
            number: interpreter.evaluate(evaluator(place.contents), [])
            for number, place in enumerate(self.net.places)
            if place.constant
        }
        self._conditions = [
            *((f"the implicit place {place.name}", place.contents) for place in self.net.places if place.implicit),
            *((f"reject {condition.name}", condition.term) for condition in self.net.rejects),
            *((f"deadlock {condition.name}", condition.term) for condition in self.net.deadlocks),
            *((f"the invariant {condition.name}", condition.term) for condition in asked),
        ]
        self._enabled = [
            (f"the set {number} of enabled instances", transition, term)
            for number, one in enumerate(self.net.enabled_sets, start=1)
            for transition, term in one.instances
        ]

    def terms(self) -> Iterator[Term]:
        yield from (term for transition in self.net.transitions for term in terms_of(transition))
        yield from (term for _, term in self._conditions)
        yield from (term for _, _, term in self._enabled)

    def difference(self, values: Values) -> str:
        """What tells the values apart; empty where nothing does."""
        if self._forms.work > MOST_WORK:
            return "the net is too large to look for all of them"
        for number, tokens in self._constant.items():
            place = self.net.places[number]
            if {values.image(place.type, value): count for value, count in tokens.items()} != tokens:
                return f"the constant place {place.name} tells them apart"
        for name, same in self._parts(values):
            try:
                if not same():
                    return f"{name} names single ones"
            except Asymmetric as reason:
                return f"{name} {reason}"
        return ""

    def _parts(self, values: Values) -> Iterator[tuple[str, Callable[[], bool]]]:
        forms = self._forms
        for transition, uncertain in zip(self.net.transitions, self._uncertain, strict=True):
            yield f"transition {transition.name}", partial(forms.same_transition, transition, values, uncertain)
        for name, term in self._conditions:
            yield name, partial(forms.same_condition, term, values)
        for name, number, term in self._enabled:
            yield name, partial(forms.same_condition, term, values, self._uncertain[number])


def _family(types: tuple[Type, ...], checked: _Checked) -> ValueFamily | str:
    """The permutations of the values of some types that leave the net as it is; what tells them apart where none do."""
    type_ = types[0]
    count = type_.count

    def difference(images: Sequence[int]) -> str:
        return checked.difference(Values(types, {type_.value(i): type_.value(to) for i, to in enumerate(images)}))

    cells: list[list[int]] = []
    why = ""
    for value in range(count):
        for cell in cells:
            images = list(range(count))
            images[cell[0]], images[value] = value, cell[0]
            reason = difference(images)
            if not reason:
                cell.append(value)
                break
            why = why or reason
        else:
            cells.append([value])
    several = tuple(tuple(cell) for cell in cells if len(cell) > 1)
    if several:
        return ValueFamily(type_.name or type_.kind, count, several)
    for turn in (turn for turn in range(1, count) if count % turn == 0):
        reason = difference([(value + turn) % count for value in range(count)])
        if not reason:
            return ValueFamily(type_.name or type_.kind, count, (), turn)
        why += f", and {reason}" if turn == 1 and reason != why else ""
    return why


# --- what an engine is told -------------------------------------------------------------------------------------------


def _described(net: HighLevelNet, families: Sequence[tuple[tuple[Type, ...], ValueFamily]]) -> ValueSymmetry:
    numbers = {type_: number for number, (types, _) in enumerate(families) for type_ in types}
    stored = [net.places[number] for number in net.stored]

    def contents(state: bytes) -> Contents:
        marking = decode(net, state)
        return [
            {place.type.index(value): count for value, count in marking[number].items()}
            for number, place in zip(net.stored, stored, strict=True)
        ]

    def state(contents: Contents) -> bytes:
        marking: Marking = [{} for _ in net.places]
        for number, place, tokens in zip(net.stored, stored, contents, strict=True):
            marking[number] = {place.type.value(index): count for index, count in tokens.items()}
        return encode(net, marking)

    places = tuple(Container(place.capacity, _shape(place.type, numbers)) for place in stored)
    return ValueSymmetry(tuple(family for _, family in families), places, contents, state, other_methods=_OTHER_METHODS)


def _shape(type_: Type, numbers: Mapping[Type, int]) -> Shape:
    if type_ in numbers:
        return Shape("value", type_.count, numbers[type_])
    parts = tuple(_shape(part, numbers) for part in parts_of(type_))
    if all(part.plain for part in parts):
        return Shape("plain", type_.count)
    match type_:
        case ArrayType():
            # There are no compound indices with such values in them: see ``_Groups``.
            return Shape("array", type_.count, numbers.get(type_.indices, -1), parts[:1], type_.indices.count)
        case BufferType():
            return Shape("buffer", type_.count, -1, parts, type_.capacity)
        case UnionType():
            return Shape("union", type_.count, -1, parts)
        case _:
            return Shape("struct", type_.count, -1, parts)
