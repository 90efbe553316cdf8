"""From modules to one flat system: instances made, variables numbered, assignments and constraints checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kripke.languages.smv import syntax
from kripke.languages.smv.circles import refuse_circles
from kripke.languages.smv.instances import Array, Defined, Instance, Modules
from kripke.languages.smv.meaning import Meanings
from kripke.model.source import Sources, Span
from kripke.synchronous.expressions import Node, Read, every
from kripke.synchronous.system import Assignment, Constraint, Fairness, Kind, SynchronousSystem, Variable
from kripke.synchronous.types import BOOLEAN, Enumeration, Integer, Type, Word

MOST_VARIABLES: Final = 1_000_000
_MOST_BITS_OF_RANGE: Final = 64
_KINDS: Final[dict[str, Kind]] = {"VAR": "state", "IVAR": "input", "FROZENVAR": "frozen"}


class Elaboration:
    def __init__(self, modules: list[syntax.Module], file: str, sources: Sources) -> None:
        self.sources = sources
        self.system = SynchronousSystem()
        self.meanings = Meanings(self.system, sources)
        self.modules = Modules(modules, file, sources)
        self._assigned: dict[tuple[int, str], Span] = {}
        for module in modules:
            for declaration in module.declarations:
                self._constants_of(declaration.type)
            self.meanings.constants.update(constant.text for constant in module.constants)
        self.main = self.modules.main
        self._declare(self.main)
        for instance in self.instances():
            self._assignments(instance)
            self._constraints(instance)
        refuse_circles(self.system, sources)

    def instances(self) -> Iterator[Instance]:
        """Each before those that it makes."""
        stack = [self.main]
        while stack:
            instance = stack.pop()
            yield instance
            stack.extend(reversed(instance.children))

    # --- declarations -------------------------------------------------------------------------------------------------

    def _constants_of(self, type_: syntax.TypeText) -> None:
        match type_:
            case syntax.EnumerationText(_, values):
                self.meanings.constants.update(one.text for one in values if isinstance(one, syntax.Identifier))
            case syntax.ArrayText(_, _, _, element):
                self._constants_of(element)

    def _declare(self, root: Instance) -> None:
        """Instances first, so that bounds of types may speak of definitions and parameters."""
        stack = [root]
        waiting: list[tuple[Instance, syntax.Declaration]] = []
        while stack:
            instance = stack.pop()
            for name, expression in instance.module.definitions:
                instance.declare(name, Defined(name, expression), self.sources)
            made: list[Instance] = []
            for declaration in instance.module.declarations:
                if isinstance(declaration.type, syntax.InstanceText):
                    child = self.modules.make(declaration.name, declaration.type, instance)
                    instance.declare(declaration.name, child, self.sources)
                    made.append(child)
                else:
                    waiting.append((instance, declaration))
            stack.extend(reversed(made))
        for instance, declaration in waiting:
            self._variable(instance, declaration)

    def _variable(self, instance: Instance, declaration: syntax.Declaration) -> None:
        kind, name = _KINDS[declaration.kind], declaration.name
        meaning = self._variables(f"{instance.prefix}{name.text}", declaration.type, kind, name.span, instance)
        instance.declare(name, meaning, self.sources)

    def _variables(self, name: str, text: syntax.TypeText, kind: Kind, span: Span, where: Instance) -> int | Array:
        """The number of a variable; of an array those of its elements."""
        if isinstance(text, syntax.ArrayText):
            low, high = (self.meanings.constant(end, where, "the bound of an array") for end in (text.low, text.high))
            if high < low:
                raise self.sources.error(f"from {low} to {high} there is no element", text.span)
            if high - low >= MOST_VARIABLES:
                raise self.sources.error(f"an array has at most {MOST_VARIABLES:,} elements", text.span)
            places = range(low, high + 1)
            return Array(low, tuple(self._variables(f"{name}[{i}]", text.element, kind, span, where) for i in places))
        if len(self.system.variables) >= MOST_VARIABLES:
            raise self.sources.error(f"there are more than {MOST_VARIABLES:,} variables", span)
        self.system.variables.append(Variable(name, self._type(text, where), kind, span))
        return len(self.system.variables) - 1

    def _type(self, text: syntax.TypeText, where: Instance) -> Type:
        match text:
            case syntax.BooleanText():
                return BOOLEAN
            case syntax.RangeText(span, first, last):
                low, high = (self.meanings.constant(end, where, "the bound of a range") for end in (first, last))
                if high < low:
                    raise self.sources.error(f"from {low} to {high} there is no number", span)
                if max(abs(low), abs(high)).bit_length() > _MOST_BITS_OF_RANGE:
                    raise self.sources.error(f"a range lies within {_MOST_BITS_OF_RANGE} bits", span)
                return Integer(range(low, high + 1))
            case syntax.WordText(span, expression, signed):
                width = self.meanings.constant(expression, where, "the number of bits")
                self.meanings.words._limited(width, span)
                return Word(width, signed)
            case syntax.EnumerationText():
                return self._enumeration(text)
        raise self.sources.error("this is no type of a variable", text.span)

    def _enumeration(self, text: syntax.EnumerationText) -> Type:
        values: list[int | str] = []
        for item in text.values:
            match item:
                case syntax.Number(_, value):
                    found: int | str = value
                case syntax.Identifier(_, name):
                    found = name
                case _:
                    raise self.sources.error("a value of an enumeration is a name or a number", item.span)
            if found in values:
                raise self.sources.error(f"{found} stands twice in this enumeration", item.span)
            values.append(found)
        numbers = [value for value in values if isinstance(value, int)]
        if len(numbers) < len(values):
            return Enumeration(tuple(values))
        numbers.sort()
        if numbers[-1] - numbers[0] == len(numbers) - 1:
            return Integer(range(numbers[0], numbers[-1] + 1))
        return Integer(tuple(numbers))

    # --- assignments --------------------------------------------------------------------------------------------------

    def _assignments(self, instance: Instance) -> None:
        lists = {"init": self.system.first, "next": self.system.following, "": self.system.always}
        for text in instance.module.assignments:
            target = self.meanings.node(text.target, instance)
            if not isinstance(target, Read):
                raise self.sources.error("only variables are assigned to", text.target.span, _ELEMENT)
            variable = self.system.variables[target.variable]
            self._refuse_kind(variable, text)
            self._refuse_second(target.variable, variable.name, text)
            value = self.meanings.node(text.value, instance)
            value = self.meanings.typing.assignable(value, variable.name, variable.type)
            words = f"{text.when}({variable.name})" if text.when else variable.name
            found = Assignment(target.variable, value, f"{words} := ...", text.span)
            if text.when != "next":
                self._only_now(value, f"{words} := speaks of the next state")
                self._no_input(value, f"{words} :=")
            lists[text.when].append(found)

    def _refuse_kind(self, variable: Variable, text: syntax.Assignment) -> None:
        if variable.kind == "input":
            hint = "an input has any value in every step; INVAR and ASSIGN are about variables under VAR"
            raise self.sources.error(f"{variable.name} is an input: nothing is assigned to it", text.target.span, hint)
        if variable.kind == "frozen" and text.when != "init":
            hint = "it keeps its first value: only init(...) can be given"
            raise self.sources.error(f"{variable.name} is frozen: {text.when or 'this'} cannot set it", text.span, hint)

    def _refuse_second(self, number: int, name: str, text: syntax.Assignment) -> None:
        for when in (text.when,) if text.when in ("init", "next") else ("init", "next", ""):
            self._refuse_same(number, when, name, text)
        if text.when in ("init", "next"):
            self._refuse_same(number, "", name, text)
        self._assigned[number, text.when] = text.span

    def _refuse_same(self, number: int, when: str, name: str, text: syntax.Assignment) -> None:
        other = self._assigned.get((number, when))
        if other is not None:
            how = {"init": "init", "next": "next", "": "all states"}
            both = f"{how[text.when]} and for {how[when]}" if when != text.when else f"{how[when]} twice"
            raise self.sources.error(
                f"{name} is assigned for {both}, here and at {other.line}:{other.column}", text.target.span
            )

    # --- constraints --------------------------------------------------------------------------------------------------

    def _constraints(self, instance: Instance) -> None:
        lists = {"INIT": self.system.init, "INVAR": self.system.invar, "TRANS": self.system.trans}
        for text in instance.module.constraints:
            nodes = [self.meanings.truth(each, instance, what=f"what {text.kind} says") for each in text.expressions]
            if text.kind != "TRANS":
                for node in nodes:
                    self._only_now(node, f"{text.kind} speaks of the next state")
                    self._no_input(node, text.kind)
            words = f"{instance.prefix[:-1]}: {text.kind}" if instance.prefix else text.kind
            match text.kind:
                case "JUSTICE":
                    self.system.fairness.append(Fairness(nodes[0], words, text.span))
                case "COMPASSION":
                    self.system.fairness.append(Fairness(nodes[1], words, text.span, if_often=nodes[0]))
                case kind:
                    lists[kind].append(Constraint(nodes[0], words, text.span))

    def _only_now(self, node: Node, message: str) -> None:
        for part in every(node):
            if isinstance(part, Read) and part.later:
                raise self.sources.error(message, part.span, "next(...) stands in TRANS and next(...) := only")

    def _no_input(self, node: Node, what: str) -> None:
        for part in every(node):
            if isinstance(part, Read) and self.system.variables[part.variable].kind == "input":
                name = self.system.variables[part.variable].name
                hint = "an input belongs to a step, not to a state: declare it under VAR, or say it in TRANS"
                raise self.sources.error(f"{what} speaks of the input {name}", part.span, hint)

    def condition(self, expression: syntax.Expression, where: Instance, what: str) -> Node:
        """A condition on single states."""
        node = self.meanings.truth(expression, where, what=what)
        self._only_now(node, f"{what} speaks of the next state")
        self._no_input(node, what)
        return node


_ELEMENT: Final = "of an array, an element by its number: a[2]; a choice of elements goes into the values"
