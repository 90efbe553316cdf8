"""The coloured parts of a PNML file: declarations of sorts, variables and partitions, and the terms that use them."""

from __future__ import annotations

from typing import NoReturn

from kripke.languages.pnml.document import Element, integer
from kripke.languages.pnml.reader import LARGEST_NUMBER, Node, Reader
from kripke.model.source import Diagnostic
from kripke.nets.symmetric.net import ColouredArc, ColouredPlace, ColouredTransition, SymmetricNet
from kripke.nets.symmetric.sorts import BOOLEAN, DOT, ColourClass, Product, Sort, same_sort
from kripke.nets.symmetric.terms import (
    All,
    ColourTerm,
    Comparison,
    Conjunction,
    Disjunction,
    EvaluationError,
    Fixed,
    Guard,
    Less,
    Multiset,
    Negation,
    PartOf,
    Shifted,
    Sum,
    Term,
    Times,
    Truth,
    TupleOf,
    TupleOfSets,
    Variable,
)

MOST_COLOURS = 10_000_000

_COMPARISONS = {
    "equality": "==",
    "inequality": "!=",
    "lessthan": "<",
    "lessthanorequal": "<=",
    "greaterthan": ">",
    "greaterthanorequal": ">=",
    "lt": "<",
    "leq": "<=",
    "gt": ">",
    "geq": ">=",
    "ltp": "<",
    "gtp": ">",
}
_TRUTH = Truth(True)


def build(reader: Reader) -> SymmetricNet:
    """The symmetric net of a file that was read; ModelError points at what cannot be understood."""
    return _Builder(reader).net()


class _Builder:
    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.sorts: dict[str, Sort] = {}
        self.variables: dict[str, Variable] = {}
        self.variable_names: dict[str, str] = {}
        self.constants: dict[str, Fixed] = {}
        self.partitions: dict[str, tuple[Sort, tuple[int, ...], ColourClass]] = {}
        self.sort_elements: dict[str, Element] = {}
        self.in_progress: set[str] = set()
        self.turned: list[ColourClass] = []  # those that it was warned about

    def fail(self, element: Element, message: str, hint: str | None = None) -> NoReturn:
        self.reader.document.fail(element, message, hint)

    # --- declarations -------------------------------------------------------------------------------------------------

    def _declare(self) -> None:
        declared: list[Element] = []
        for declaration in self.reader.declarations:
            structure = declaration.child("structure")
            lists = [structure] if structure is not None else []
            for element in lists:
                for child in element:
                    declared += child.children if child.tag == "declarations" else [child]
        for element in declared:
            if element.tag == "namedsort":
                identifier = self._id(element)
                if identifier in self.sort_elements:
                    self.fail(element, f"the sort {identifier} is declared twice")
                self.sort_elements[identifier] = element
        for identifier in self.sort_elements:
            self._named_sort(identifier, self.sort_elements[identifier])
        for element in declared:
            match element.tag:
                case "namedsort":
                    pass
                case "variabledecl":
                    self._variable(element)
                case "partition":
                    self._partition(element)
                case other:
                    self.fail(element, f"there is no support for the declaration {other}")

    def _id(self, element: Element) -> str:
        identifier = element.attributes.get("id", "").strip()
        if not identifier:
            self.fail(element, f"this {element.tag} has no id")
        return identifier

    def _named_sort(self, identifier: str, user: Element) -> Sort:
        if identifier in self.sorts:
            return self.sorts[identifier]
        element = self.sort_elements.get(identifier)
        if element is None:
            if identifier.lower() == "dot":
                return DOT
            if identifier.lower() in ("bool", "boolean"):
                return BOOLEAN
            self.fail(user, f"there is no sort {identifier}")
        if identifier in self.in_progress:
            self.fail(element, f"the sort {identifier} is made of itself")
        self.in_progress.add(identifier)
        if len(element.children) != 1:
            self.fail(element, f"the sort {identifier} must be made of one element")
        name = element.attributes.get("name") or identifier
        sort = self._sort(element.children[0], name)
        self.in_progress.discard(identifier)
        self.sorts[identifier] = sort
        return sort

    def _sort(self, element: Element, name: str) -> Sort:
        match element.tag:
            case "usersort":
                return self._named_sort(element.attributes.get("declaration", ""), element)
            case "dot":
                return DOT
            case "bool":
                return BOOLEAN
            case "cyclicenumeration" | "finiteenumeration":
                return self._enumeration(element, name)
            case "finiteintrange":
                return self._range(element, name)
            case "productsort":
                if len(element.children) == 1:
                    return self._sort(element.children[0], name)
                product = Product(name, tuple(self._sort(child, name) for child in element))
                if len(product) > MOST_COLOURS:
                    self.fail(element, f"the sort {name} has more than {MOST_COLOURS:,} colours")
                return product
            case "multisetsort":
                if len(element.children) == 1:
                    return self._sort(element.children[0], name)
        self.fail(element, f"there is no support for the sort {element.tag}")

    def _enumeration(self, element: Element, name: str) -> ColourClass:
        constants = [child for child in element if child.tag == "feconstant"]
        if not constants:
            self.fail(element, f"the sort {name} has no colours")
        texts = [child.attributes.get("name") or self._id(child) for child in constants]
        sort = ColourClass(name, tuple(texts), element.tag == "cyclicenumeration")
        for position, child in enumerate(constants):
            identifier = self._id(child)
            if identifier in self.constants:
                self.fail(child, f"the constant {identifier} is declared twice")
            self.constants[identifier] = Fixed(position, sort)
        return sort

    def _range(self, element: Element, name: str) -> ColourClass:
        first, last = (self._integer(element, key) for key in ("start", "end"))
        if last < first:
            self.fail(element, f"the range from {first} to {last} is empty")
        if last - first >= MOST_COLOURS:
            self.fail(element, f"the range has more than {MOST_COLOURS:,} colours")
        return ColourClass(name, tuple(map(str, range(first, last + 1))), True, first)

    def _integer(self, element: Element, key: str) -> int:
        text = element.attributes.get(key, "").strip()
        try:
            number = integer(text, LARGEST_NUMBER)
        except ValueError:
            self.fail(element, f"the attribute {key} must be a number, not {text!r}")
        if abs(number) > LARGEST_NUMBER:
            self.fail(element, f"{text[:40]} is out of range: at most {LARGEST_NUMBER:,}")
        return number

    def _variable(self, element: Element) -> None:
        identifier = self._id(element)
        if identifier in self.variables:
            self.fail(element, f"the variable {identifier} is declared twice")
        if len(element.children) != 1:
            self.fail(element, f"the variable {identifier} must have one sort")
        self.variables[identifier] = Variable(identifier, self._sort(element.children[0], identifier))
        self.variable_names[identifier] = element.attributes.get("name") or identifier

    def _partition(self, element: Element) -> None:
        identifier = self._id(element)
        sorts = [child for child in element if child.tag != "partitionelement"]
        elements = [child for child in element if child.tag == "partitionelement"]
        if len(sorts) != 1:
            self.fail(element, f"the partition {identifier} must be of one sort")
        sort = self._sort(sorts[0], identifier)
        if not isinstance(sort, ColourClass):
            self.fail(element, "only finite classes can be partitioned")
        texts = tuple(child.attributes.get("name") or self._id(child) for child in elements)
        parts = ColourClass(element.attributes.get("name") or identifier, texts)
        where = [-1] * len(sort)
        for number, child in enumerate(elements):
            self.constants[self._id(child)] = Fixed(number, parts)
            for member in child:
                fixed = self._term(member)
                if not isinstance(fixed, Fixed) or not same_sort(fixed.sort, sort):
                    self.fail(member, "the elements of a partition are constants of its sort")
                assert isinstance(fixed.colour, int)
                if where[fixed.colour] >= 0:
                    self.fail(member, f"{sort.text(fixed.colour)} is in two elements of the partition")
                where[fixed.colour] = number
        if -1 in where:
            self.fail(element, f"{sort.text(where.index(-1))} is in no element of the partition")
        self.partitions[identifier] = (sort, tuple(where), parts)

    # --- terms --------------------------------------------------------------------------------------------------------

    def _operands(self, element: Element, count: int | None = None) -> list[Element]:
        found = []
        for child in element:
            if child.tag == "subterm":
                if len(child.children) != 1:
                    self.fail(child, "a subterm must contain one term")
                child = child.children[0]
            found.append(child)
        if count is not None and len(found) != count:
            self.fail(element, f"{element.tag} needs {count} subterms, not {len(found)}")
        return found

    def _term(self, element: Element) -> Term:
        match element.tag:
            case "dotconstant":
                return Fixed(0, DOT)
            case "booleanconstant":
                return Fixed(int(element.attributes.get("value", "").lower() in ("true", "1")), BOOLEAN)
            case "variable":
                return self._use_variable(element)
            case "useroperator":
                declared = element.attributes.get("declaration", "")
                if declared not in self.constants and declared and self.sorts.get(declared) is DOT:
                    return Fixed(0, DOT)
                if declared not in self.constants:
                    self.fail(element, f"there is no constant {declared}")
                return self.constants[declared]
            case "finiteintrangeconstant":
                return self._range_constant(element)
            case "successor" | "predecessor":
                return self._shifted(element)
            case "tuple":
                return self._tuple(element)
            case "all":
                if len(element.children) != 1:
                    self.fail(element, "all needs one sort")
                return All(self._sort(element.children[0], "all"))
            case "empty":
                if len(element.children) != 1:
                    self.fail(element, "empty needs one sort")
                return Sum((), self._sort(element.children[0], "empty"))
            case "numberof" | "scalarproduct":
                return self._times(element)
            case "add":
                terms = [self._term(child) for child in self._operands(element)]
                if not terms:
                    self.fail(element, "there is nothing to add")
                self._same(element, terms)
                return Sum(tuple(terms), terms[0].sort)
            case "subtract":
                operands = [self._term(child) for child in self._operands(element)]
                if len(operands) < 2:
                    self.fail(element, "subtract needs two subterms")
                self._same(element, operands)
                right = operands[1] if len(operands) == 2 else Sum(tuple(operands[1:]), operands[0].sort)
                return Less(operands[0], right, operands[0].sort)
        self.fail(element, f"there is no support for the term {element.tag}")

    def _same(self, element: Element, terms: list[Term]) -> None:
        for term in terms[1:]:
            if not same_sort(term.sort, terms[0].sort):
                self.fail(element, f"the sorts {terms[0].sort.name} and {term.sort.name} do not go together")

    def _use_variable(self, element: Element) -> Variable:
        reference = element.attributes.get("refvariable", "")
        if reference not in self.variables:
            self.fail(element, f"there is no variable {reference}")
        return self.variables[reference]

    def _range_constant(self, element: Element) -> Fixed:
        sort_element = element.child("finiteintrange", "usersort")
        if sort_element is None:
            self.fail(element, "the constant does not say its range")
        sort = self._sort(sort_element, "range")
        if not isinstance(sort, ColourClass) or sort.first is None:
            self.fail(element, "the sort of this constant is no range of integers")
        position = self._integer(element, "value") - sort.first
        if not 0 <= position < len(sort):
            self.fail(element, f"{element.attributes['value']} is not in the range")
        return Fixed(position, sort)

    def _shifted(self, element: Element) -> Shifted:
        operand = self._term(self._operands(element, 1)[0])
        if not isinstance(operand, ColourTerm) or not isinstance(operand.sort, ColourClass):
            self.fail(element, f"a {element.tag} is of a colour of a class")
        if not operand.sort.cyclic and operand.sort not in self.turned:
            self.turned.append(operand.sort)
            message = f"{operand.sort.name} is no cyclic enumeration: its {element.tag} goes round as if it were one"
            hint = "the standard gives successors and predecessors to cyclic enumerations: declare it as one"
            self.reader.warnings.append(Diagnostic(message, self.reader.document.span(element), hint))
        return Shifted(operand, 1 if element.tag == "successor" else -1, operand.sort)

    def _tuple(self, element: Element) -> Term:
        terms = tuple(self._term(child) for child in self._operands(element))
        if len(terms) == 1:
            return terms[0]  # as a product of one sort is that sort
        sort = Product("tuple", tuple(term.sort for term in terms))
        single = tuple(term for term in terms if isinstance(term, ColourTerm))
        return TupleOf(single, sort) if len(single) == len(terms) else TupleOfSets(terms, sort)

    def _times(self, element: Element) -> Term:
        operands = self._operands(element)
        number = 1
        if operands and operands[0].tag == "numberconstant":
            number = self._integer(operands[0], "value")
            if number < 0:
                self.fail(operands[0], f"a multiset cannot contain a colour {number} times")
            operands = operands[1:]
        if len(operands) != 1:
            self.fail(element, f"{element.tag} needs a number and a term")
        term = self._term(operands[0])
        return term if number == 1 else Times(number, term, term.sort)

    # --- guards -------------------------------------------------------------------------------------------------------

    def _guard(self, element: Element) -> Guard:
        operator = _COMPARISONS.get(element.tag)
        if operator is not None:
            return self._comparison(element, operator)
        match element.tag:
            case "booleanconstant":
                return Truth(element.attributes.get("value", "").lower() in ("true", "1"))
            case "and":
                return Conjunction(tuple(self._guard(child) for child in self._operands(element)))
            case "or":
                return Disjunction(tuple(self._guard(child) for child in self._operands(element)))
            case "not":
                return Negation(self._guard(self._operands(element, 1)[0]))
            case "imply":
                left, right = self._operands(element, 2)
                return Disjunction((Negation(self._guard(left)), self._guard(right)))
        self.fail(element, f"there is no support for the condition {element.tag}")

    def _comparison(self, element: Element, operator: str) -> Comparison:
        first, second = self._operands(element, 2)
        left, right = self._compared(first), self._compared(second)
        shift = 0
        if not same_sort(left.sort, right.sort):
            a, b = left.sort, right.sort
            if not isinstance(a, ColourClass) or not isinstance(b, ColourClass) or a.first is None or b.first is None:
                self.fail(element, f"the sorts {a.name} and {b.name} cannot be compared")
            shift = a.first - b.first
        if operator not in ("==", "!=") and not isinstance(left.sort, ColourClass):
            self.fail(element, "tuples have no order")
        return Comparison(operator, left, right, shift)

    def _compared(self, element: Element) -> ColourTerm | PartOf:
        if element.tag == "partitionelementof":
            reference = element.attributes.get("refpartition", "")
            if reference not in self.partitions:
                self.fail(element, f"there is no partition {reference}")
            sort, where, parts = self.partitions[reference]
            operand = self._term(self._operands(element, 1)[0])
            if not isinstance(operand, ColourTerm) or not same_sort(operand.sort, sort):
                self.fail(element, f"the partition {reference} is of another sort")
            return PartOf(operand, where, parts)
        term = self._term(element)
        if not isinstance(term, ColourTerm):
            self.fail(element, "a single colour is needed here, not a multiset")
        return term

    # --- places, transitions, arcs ------------------------------------------------------------------------------------

    def net(self) -> SymmetricNet:
        self._declare()
        reader = self.reader
        place_names, transition_names = reader.names(reader.places), reader.names(reader.transitions)
        places = tuple(self._place(name, node) for name, node in zip(place_names, reader.places.values(), strict=True))
        numbers = {identifier: number for number, identifier in enumerate(reader.places)}
        inputs: dict[str, list[ColouredArc]] = {identifier: [] for identifier in reader.transitions}
        outputs: dict[str, list[ColouredArc]] = {identifier: [] for identifier in reader.transitions}
        for arc, place, transition, consumes in reader.resolved_arcs():
            number = numbers[place]
            term = self._inscription(arc.inscription, arc.element, places[number])
            coloured = ColouredArc(number, term, reader.document.span(arc.element))
            (inputs if consumes else outputs)[transition].append(coloured)
        transitions = tuple(
            self._transition(name, node, inputs[identifier], outputs[identifier])
            for name, (identifier, node) in zip(transition_names, reader.transitions.items(), strict=True)
        )
        return SymmetricNet(reader.title(), places, transitions, self.variable_names)

    def _place(self, name: str, node: Node) -> ColouredPlace:
        sort: Sort = DOT
        initial: Multiset = {}
        for detail in node.details:
            structure = detail.child("structure")
            if detail.tag == "type" and structure is not None and structure.children:
                sort = self._sort(structure.children[0], name)
        for detail in node.details:
            structure = detail.child("structure")
            if detail.tag == "hlinitialMarking" and structure is not None and structure.children:
                initial = self._initial(structure.children[0], sort, name)
            elif detail.tag == "hlinitialMarking" and (text := detail.child("text")) is not None and text.text:
                self.fail(detail, f"the initial marking of {name} has no structure")
            elif detail.tag == "initialMarking":
                self.fail(detail, "a marking without colours in a coloured net")
        return ColouredPlace(node.identifier, name, sort, initial, self.reader.span(node))

    def _initial(self, element: Element, sort: Sort, name: str) -> Multiset:
        term = self._term(element)
        if term.variables():
            self.fail(element, "a variable cannot stand in an initial marking")
        if not same_sort(term.sort, sort):
            self.fail(element, f"the initial marking of {name} is not of its sort")
        try:
            tokens = term.tokens({})
        except EvaluationError:
            self.fail(element, f"the initial marking of {name} has a negative number of some colour")
        if any(number > LARGEST_NUMBER for number in tokens.values()):
            self.fail(element, f"the initial marking of {name} is out of range: at most {LARGEST_NUMBER:,}")
        return {colour: number for colour, number in tokens.items() if number}

    def _inscription(self, inscription: Element | None, arc: Element, place: ColouredPlace) -> Term:
        structure = inscription.child("structure") if inscription is not None else None
        if structure is None or not structure.children:
            if place.sort is DOT and (inscription is None or not (inscription.child("text") or arc).text):
                return Fixed(0, DOT)
            self.fail(inscription or arc, f"this arc of {place.name} has no inscription with a structure")
        term = self._term(structure.children[0])
        if not same_sort(term.sort, place.sort):
            self.fail(structure, f"the inscription is of another sort than the place {place.name}")
        return term

    def _transition(
        self, name: str, node: Node, inputs: list[ColouredArc], outputs: list[ColouredArc]
    ) -> ColouredTransition:
        guard: Guard = _TRUTH
        for detail in node.details:
            if detail.tag == "condition":
                structure = detail.child("structure")
                if structure is None or not structure.children:
                    text = detail.child("text")
                    if text is None or not text.text:
                        continue  # an empty condition is none
                    self.fail(detail, f"the condition of {name} has no structure")
                guard = self._guard(structure.children[0])
        used = set(guard.variables())
        for arc in (*inputs, *outputs):
            used |= arc.term.variables()
        variables = {key: variable.sort for key, variable in self.variables.items() if key in used}
        return ColouredTransition(
            node.identifier, name, variables, guard, tuple(inputs), tuple(outputs), self.reader.span(node)
        )
