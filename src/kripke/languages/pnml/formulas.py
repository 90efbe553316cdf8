"""The formula files of the Model Checking Contest: a property set in XML, one query per property.

Names of places and transitions are identifiers of the net or, where those do not fit, names. Of a coloured net they
stand for all colours and bindings: ``tokens-count`` adds up, ``is-fireable`` asks for any.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from kripke.languages.pnml.document import Document, Element, integer
from kripke.logic.ctl import Not
from kripke.model.source import Sources
from kripke.nets.formulas import (
    AllPaths,
    Bound,
    Finally,
    Formula,
    Globally,
    Next,
    Now,
    Query,
    SomePath,
    Until,
    conjunction,
    disjunction,
    negation,
)
from kripke.nets.place_transition import PlaceTransitionNet
from kripke.nets.predicates import FALSE, TRUE, Fireable, Linear, TooLarge, compare
from kripke.nets.predicates import negation as none_of

_COMPARISONS = {
    "integer-le": "<=",
    "integer-lt": "<",
    "integer-ge": ">=",
    "integer-gt": ">",
    "integer-eq": "==",
    "integer-ne": "!=",
}
_UNARY = {
    "all-paths": AllPaths,
    "exists-path": SomePath,
    "next": Next,
    "finally": Finally,
    "globally": Globally,
}
_LARGEST = 1 << 48
_LONGEST = 1_000_000


def read_queries(path: str, net: PlaceTransitionNet, sources: Sources) -> list[Query]:
    """The queries of a file; ModelError points at what cannot be understood."""
    return _Reader(path, net, sources).queries()


class _Reader:
    def __init__(self, path: str, net: PlaceTransitionNet, sources: Sources) -> None:
        self.path = path
        self.net = net
        self.found: list[Query] = []
        self.names: set[str] = set()
        self.root_seen = False
        self.document = Document(
            path, sources, {"property": self._property}, self._entered, frozenset({"toolspecific", "description"})
        )

    def queries(self) -> list[Query]:
        self.document.read()
        return self.found

    def _entered(self, element: Element) -> None:
        if not self.root_seen and element.tag != "property-set":
            self.fail(element, f"this is no set of properties: the outermost element is {element.tag}")
        self.root_seen = True

    def fail(self, element: Element, message: str, hint: str | None = None) -> NoReturn:
        self.document.fail(element, message, hint)

    def _property(self, element: Element) -> None:
        identifier, formula = element.child("id"), element.child("formula")
        if identifier is None or not identifier.text:
            self.fail(element, "this property has no id")
        if identifier.text in self.names:
            self.fail(element, f"the property {identifier.text} is there twice")
        self.names.add(identifier.text)
        if formula is None:
            self.fail(element, f"the property {identifier.text} has no formula")
        if _length(formula) > _LONGEST:
            self.fail(formula, f"the formula has more than {_LONGEST:,} parts when written without equivalences")
        asked = self._formula(self._only(formula))
        meant = _linear(asked) if "LTL" in identifier.text else asked
        self.found.append(Query(identifier.text, meant, self.path))

    def _only(self, element: Element) -> Element:
        if len(element.children) != 1:
            self.fail(element, f"{element.tag} needs one operand, not {len(element.children)}")
        return element.children[0]

    def _formula(self, element: Element) -> Formula:
        tag = element.tag
        if tag in _UNARY:
            return _UNARY[tag](self._formula(self._only(element)))
        if tag in _COMPARISONS:
            return self._comparison(element)
        match tag:
            case "negation":
                return negation(self._formula(self._only(element)))
            case "conjunction":
                return conjunction(tuple(map(self._formula, element)))
            case "disjunction":
                return disjunction(tuple(map(self._formula, element)))
            case "exclusive-disjunction":
                left, right = self._two(element)
                return disjunction((conjunction((left, negation(right))), conjunction((negation(left), right))))
            case "implication":
                left, right = self._two(element)
                return disjunction((negation(left), right))
            case "equivalence":
                left, right = self._two(element)
                return disjunction((conjunction((left, right)), conjunction((negation(left), negation(right)))))
            case "until":
                before, reach = element.child("before"), element.child("reach")
                if before is None or reach is None:
                    self.fail(element, "until needs before and reach")
                return Until(self._formula(self._only(before)), self._formula(self._only(reach)))
            case "is-fireable":
                return Now(Fireable(self._numbers(element, "transition", self.net.transition_numbers)))
            case "deadlock":
                return Now(none_of(Fireable(tuple(range(len(self.net.transitions))))))
            case "true" | "false":
                return Now(TRUE if tag == "true" else FALSE)
            case "place-bound":
                return Bound(self._numbers(element, "place", self.net.place_numbers))
        self.fail(element, f"there is no support for {tag} in formulas")

    def _two(self, element: Element) -> tuple[Formula, Formula]:
        if len(element.children) != 2:
            self.fail(element, f"{element.tag} needs two operands, not {len(element.children)}")
        return self._formula(element.children[0]), self._formula(element.children[1])

    def _comparison(self, element: Element) -> Formula:
        if len(element.children) != 2:
            self.fail(element, f"{element.tag} needs two operands, not {len(element.children)}")
        left, right = (self._integer(child) for child in element)
        try:
            return Now(compare(left, _COMPARISONS[element.tag], right))
        except TooLarge:
            self.fail(element, "the numbers in this comparison are too large")

    def _integer(self, element: Element) -> Linear:
        match element.tag:
            case "integer-constant":
                return Linear(constant=self._constant(element))
            case "tokens-count":
                return Linear.tokens(self._numbers(element, "place", self.net.place_numbers))
            case "integer-sum":
                total = Linear()
                for child in element:
                    total = total.plus(self._integer(child))
                return total
            case "integer-difference":
                if len(element.children) != 2:
                    self.fail(element, f"{element.tag} needs two operands, not {len(element.children)}")
                return self._integer(element.children[0]).plus(self._integer(element.children[1]), -1)
        self.fail(element, f"there is no support for {element.tag} in formulas")

    def _constant(self, element: Element) -> int:
        try:
            number = integer(element.text, _LARGEST)
        except ValueError:
            self.fail(element, f"{element.text[:40]!r} is not a number")
        if abs(number) > _LARGEST:
            self.fail(element, f"{element.text[:40]} is out of range: at most {_LARGEST:,}")
        return number

    def _numbers(self, element: Element, what: str, known: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
        """All instances of the places or transitions that are named, each once."""
        found: dict[int, None] = {}
        for child in element:
            if child.tag != what:
                self.fail(child, f"a {what} is needed here, not a {child.tag}")
            if child.text not in known:
                self.fail(child, f"the net has no {what} {child.text}")
            found.update(dict.fromkeys(known[child.text]))
        if not element.children:
            self.fail(element, f"{element.tag} names no {what}")
        return tuple(found)


def _length(element: Element) -> int:
    """The parts of a formula in which every equivalence is written with its two operands twice."""
    inside = sum(map(_length, element))
    return 1 + (2 * inside if element.tag in ("equivalence", "exclusive-disjunction") else inside)


def _linear(formula: Formula) -> Formula:
    """``A X p`` is a formula of both times, which differ where the net is in a deadlock from the start: of branching
    time it asks for no next marking, of linear time the marking stays. Written like this it is one of linear time."""
    match formula:
        case AllPaths(Next(Now() as operand)):
            return AllPaths(Not(Next(negation(operand))))
        case _:
            return formula
