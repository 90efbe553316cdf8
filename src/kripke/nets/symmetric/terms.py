"""Terms of symmetric nets: colours, multisets of colours, and guards, evaluated under a binding of the variables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from kripke.nets.symmetric.sorts import Colour, ColourClass, Product, Sort

Binding = dict[str, Colour]
Multiset = dict[Colour, int]


class EvaluationError(Exception):
    """A multiset with a negative number of some colour."""


class Term(ABC):
    """A colour, or a multiset of colours of one sort."""

    sort: Sort

    @abstractmethod
    def variables(self) -> frozenset[str]: ...

    @abstractmethod
    def tokens(self, binding: Mapping[str, Colour]) -> Multiset:
        """The multiset; a single colour is the multiset with just that one."""


class ColourTerm(Term):
    """A term for one colour; it can be solved for its variable."""

    @abstractmethod
    def value(self, binding: Mapping[str, Colour]) -> Colour: ...

    @abstractmethod
    def unify(self, colour: Colour, binding: Binding, bound: list[str]) -> bool:
        """Extend a binding so that the term has this value; new variables are added to ``bound`` even in failure."""

    def tokens(self, binding: Mapping[str, Colour]) -> Multiset:
        return {self.value(binding): 1}


@dataclass(frozen=True, slots=True)
class Variable(ColourTerm):
    name: str
    sort: Sort

    def variables(self) -> frozenset[str]:
        return frozenset((self.name,))

    def value(self, binding: Mapping[str, Colour]) -> Colour:
        return binding[self.name]

    def unify(self, colour: Colour, binding: Binding, bound: list[str]) -> bool:
        if self.name in binding:
            return binding[self.name] == colour
        binding[self.name] = colour
        bound.append(self.name)
        return True


@dataclass(frozen=True, slots=True)
class Fixed(ColourTerm):
    colour: Colour
    sort: Sort

    def variables(self) -> frozenset[str]:
        return frozenset()

    def value(self, binding: Mapping[str, Colour]) -> Colour:
        return self.colour

    def unify(self, colour: Colour, binding: Binding, bound: list[str]) -> bool:
        return colour == self.colour


@dataclass(frozen=True, slots=True)
class Shifted(ColourTerm):
    """The successor (1) or predecessor (-1), round the circle."""

    operand: ColourTerm
    amount: int
    sort: ColourClass

    def variables(self) -> frozenset[str]:
        return self.operand.variables()

    def value(self, binding: Mapping[str, Colour]) -> Colour:
        colour = self.operand.value(binding)
        assert isinstance(colour, int)
        return (colour + self.amount) % len(self.sort)

    def unify(self, colour: Colour, binding: Binding, bound: list[str]) -> bool:
        assert isinstance(colour, int)
        return self.operand.unify((colour - self.amount) % len(self.sort), binding, bound)


@dataclass(frozen=True, slots=True)
class TupleOf(ColourTerm):
    components: tuple[ColourTerm, ...]
    sort: Product

    def variables(self) -> frozenset[str]:
        return frozenset().union(*(component.variables() for component in self.components))

    def value(self, binding: Mapping[str, Colour]) -> Colour:
        return tuple(component.value(binding) for component in self.components)

    def unify(self, colour: Colour, binding: Binding, bound: list[str]) -> bool:
        assert isinstance(colour, tuple)
        return all(
            component.unify(part, binding, bound) for component, part in zip(self.components, colour, strict=True)
        )


@dataclass(frozen=True, slots=True)
class PartOf(Term):
    """The element of a partition that a colour lies in: ``parts[colour]``."""

    operand: ColourTerm
    parts: tuple[int, ...]
    sort: ColourClass

    def variables(self) -> frozenset[str]:
        return self.operand.variables()

    def value(self, binding: Mapping[str, Colour]) -> Colour:
        colour = self.operand.value(binding)
        assert isinstance(colour, int)
        return self.parts[colour]

    def tokens(self, binding: Mapping[str, Colour]) -> Multiset:
        return {self.value(binding): 1}


@dataclass(frozen=True, slots=True)
class All(Term):
    """Every colour of the sort once."""

    sort: Sort

    def variables(self) -> frozenset[str]:
        return frozenset()

    def tokens(self, binding: Mapping[str, Colour]) -> Multiset:
        return dict.fromkeys(self.sort.colours(), 1)


@dataclass(frozen=True, slots=True)
class TupleOfSets(Term):
    """A tuple with multisets in it: every combination."""

    components: tuple[Term, ...]
    sort: Product

    def variables(self) -> frozenset[str]:
        return frozenset().union(*(component.variables() for component in self.components))

    def tokens(self, binding: Mapping[str, Colour]) -> Multiset:
        total: Multiset = {}
        for parts in product(*(component.tokens(binding).items() for component in self.components)):
            number = 1
            for _, count in parts:
                number *= count
            total[tuple(colour for colour, _ in parts)] = number
        return total


@dataclass(frozen=True, slots=True)
class Times(Term):
    number: int
    operand: Term
    sort: Sort

    def variables(self) -> frozenset[str]:
        return self.operand.variables()

    def tokens(self, binding: Mapping[str, Colour]) -> Multiset:
        return {c: self.number * n for c, n in self.operand.tokens(binding).items() if self.number * n}


@dataclass(frozen=True, slots=True)
class Sum(Term):
    operands: tuple[Term, ...]
    sort: Sort

    def variables(self) -> frozenset[str]:
        return frozenset().union(*(operand.variables() for operand in self.operands))

    def tokens(self, binding: Mapping[str, Colour]) -> Multiset:
        total: Multiset = {}
        for operand in self.operands:
            for colour, number in operand.tokens(binding).items():
                total[colour] = total.get(colour, 0) + number
        return total


@dataclass(frozen=True, slots=True)
class Less(Term):
    """A multiset without the colours of another, which it must contain."""

    left: Term
    right: Term
    sort: Sort

    def variables(self) -> frozenset[str]:
        return self.left.variables() | self.right.variables()

    def tokens(self, binding: Mapping[str, Colour]) -> Multiset:
        total = self.left.tokens(binding)
        for colour, number in self.right.tokens(binding).items():
            total[colour] = total.get(colour, 0) - number
            if total[colour] < 0:
                raise EvaluationError
        return {colour: number for colour, number in total.items() if number}


# --- guards -----------------------------------------------------------------------------------------------------------


class Guard(ABC):
    @abstractmethod
    def variables(self) -> frozenset[str]: ...

    @abstractmethod
    def holds(self, binding: Mapping[str, Colour]) -> bool: ...

    def conjuncts(self) -> Sequence[Guard]:
        return (self,)


@dataclass(frozen=True, slots=True)
class Truth(Guard):
    value: bool

    def variables(self) -> frozenset[str]:
        return frozenset()

    def holds(self, binding: Mapping[str, Colour]) -> bool:
        return self.value


@dataclass(frozen=True, slots=True)
class Comparison(Guard):
    """``operator`` is one of ``== != < <= > >=``; ``shift`` is what the left colour's integer exceeds the right one's
    by where their positions are the same (ranges of integers that begin differently)."""

    operator: str
    left: ColourTerm | PartOf
    right: ColourTerm | PartOf
    shift: int = 0

    def variables(self) -> frozenset[str]:
        return self.left.variables() | self.right.variables()

    def holds(self, binding: Mapping[str, Colour]) -> bool:
        left, right = self.left.value(binding), self.right.value(binding)
        if self.shift:
            assert isinstance(left, int)
            left += self.shift
        match self.operator:
            case "==":
                return left == right
            case "!=":
                return left != right
        assert isinstance(left, int) and isinstance(right, int)
        match self.operator:
            case "<":
                return left < right
            case "<=":
                return left <= right
            case ">":
                return left > right
            case _:
                return left >= right


@dataclass(frozen=True, slots=True)
class Negation(Guard):
    operand: Guard

    def variables(self) -> frozenset[str]:
        return self.operand.variables()

    def holds(self, binding: Mapping[str, Colour]) -> bool:
        return not self.operand.holds(binding)


@dataclass(frozen=True, slots=True)
class Conjunction(Guard):
    operands: tuple[Guard, ...]

    def variables(self) -> frozenset[str]:
        return frozenset().union(*(operand.variables() for operand in self.operands))

    def holds(self, binding: Mapping[str, Colour]) -> bool:
        return all(operand.holds(binding) for operand in self.operands)

    def conjuncts(self) -> Sequence[Guard]:
        return [conjunct for operand in self.operands for conjunct in operand.conjuncts()]


@dataclass(frozen=True, slots=True)
class Disjunction(Guard):
    operands: tuple[Guard, ...]

    def variables(self) -> frozenset[str]:
        return frozenset().union(*(operand.variables() for operand in self.operands))

    def holds(self, binding: Mapping[str, Colour]) -> bool:
        return any(operand.holds(binding) for operand in self.operands)
