"""Sequences of elements under construction: what every statement of a body is made with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from kripke.languages.promela import syntax
from kripke.languages.promela.lowering.control import Element, Labels, Sequence, Shape, Target
from kripke.languages.promela.lowering.declarations import DeclarationLowering, Storage
from kripke.languages.promela.lowering.expressions import Context, ExpressionLowering, Touched
from kripke.languages.promela.lowering.symbols import Scope
from kripke.model.source import Span
from kripke.process.expressions import Constant
from kripke.process.flow import Kind
from kripke.process.program import Guard, Operation, Skip


class BodyBuilder(ABC):
    """Builds the elements of one body in the current sequence."""

    def __init__(self, context: Context, process: str, storage: Storage, scope: Scope) -> None:
        self.context = context
        self.table = context.table
        self.process = process
        self.declarations = DeclarationLowering(context, storage)
        self.scope = scope
        self.labels = Labels()
        self.sequence = Sequence()
        self.touched: list[tuple[Element, Touched]] = []
        self._breaks: list[Target] = []
        self._elements = 0
        self._title: str | None = None

    @abstractmethod
    def statement(self, node: syntax.Statement) -> Element | None:
        """Lower a statement into the current sequence; the element that carries its labels."""

    # --- elements -----------------------------------------------------------------------------------------------------

    def _numbered(self, element: Element) -> Element:
        """Elements are numbered in the order in which SPIN makes them."""
        self._elements += 1
        element.number = self._elements
        return element

    def _lowering(self) -> ExpressionLowering:
        return ExpressionLowering(self.context, self.scope)

    def _add(
        self,
        kind: Kind,
        operation: Operation,
        span: Span,
        touched: Touched | None = None,
        text: str | None = None,
        then: Operation | None = None,
    ) -> Element:
        element = self._numbered(Element(Shape.BASIC, span, kind, operation, then=then))
        element.statement = self.table.add(span, self.process, text or self._title)
        if touched is not None:
            self.touched.append((element, touched))
        self.sequence.append(element)
        return element

    def _jump(self, target: Target, span: Span, text: str | None = None) -> Element:
        element = self._numbered(Element(Shape.GOTO, span, Kind.JUMP, Skip(), target=target))
        element.statement = self.table.add(span, self.process, text)
        self.sequence.append(element)
        return element

    def _inside(self, fill: Callable[[], object]) -> Sequence:
        """A sequence of its own, filled by a function."""
        outer, self.sequence = self.sequence, Sequence()
        fill()
        inner, self.sequence = self.sequence, outer
        inner.extent = inner.last
        return inner

    def _scoped(self, statements: tuple[syntax.Statement, ...], span: Span) -> Sequence:
        """The sequence of a block, a scope for names."""

        def fill() -> None:
            outer, self.scope = self.scope, self.scope.block()
            for statement in statements:
                self.statement(statement)
            self.scope = outer

        inner = self._inside(fill)
        if inner.first is None:
            raise self.context.fail("a block needs at least one statement", span)
        return inner

    def _define(self, labels: tuple[str, ...], element: Element, span: Span) -> None:
        for label in labels:
            if not self.labels.define(label, self.scope.path, element):
                raise self.context.fail(f"label '{label}' is defined twice", span)

    def _before_jump(self, jump: Element) -> Element:
        """A jump with a label that means something takes a step of its own first."""
        statement = self.table.add(jump.span, self.process)
        step = self._numbered(Element(Shape.BASIC, jump.span, Kind.GUARD, Guard(Constant(1)), statement))
        elements = self.sequence.elements()
        self.sequence.first = self.sequence.last = None
        for element in elements[:-1]:
            self.sequence.append(element)
        self.labels.move(jump, step)
        self.sequence.append(step)
        self.sequence.append(jump)
        return step

    # --- structure ----------------------------------------------------------------------------------------------------

    def _block_element(self, span: Span, shape: Shape, body: Sequence) -> Element:
        element = self._numbered(Element(shape, span, body=body))
        element.statement = self.table.add(span, self.process)
        self.sequence.append(element)
        return element

    def _option(self, option: syntax.Option) -> Sequence:
        def fill() -> None:
            for statement in option.body:
                self.statement(statement)

        sequence = self._inside(fill)
        if sequence.first is None:
            raise self.context.fail("an option needs at least one statement", option.span)
        _drop_redundant_skips(sequence)
        return sequence

    def _select(self, span: Span, shape: Shape, options: list[Sequence], leave: Target | None = None) -> Element:
        """A selection, or a loop that ``leave`` leads out of; ``else`` is tried last."""
        others = [option for option in options if not _starts_with_else(option)]
        last = [option for option in options if _starts_with_else(option)]
        if len(last) > 1:
            assert last[1].first is not None
            raise self.context.fail("a second 'else' in the same selection", last[1].first.span)
        element, join = self._fork(shape, span)
        element.options = others + last
        for option in element.options:
            option.append(join)
        if leave is not None:
            self.sequence.append(join)
            statement = self.table.add(span, self.process)
            after = Element(Shape.BREAK, span, operation=Skip(), statement=statement, break_target=True)
            self._numbered(after)
            leave.element = after
            self.sequence.append(element)
            self.sequence.append(after)
        else:
            self.sequence.append(element)
            self.sequence.append(join)
        return element

    def _fork(self, shape: Shape, span: Span) -> tuple[Element, Element]:
        """An element with several sequences, and the one where they join."""
        element = self._numbered(Element(shape, span, statement=self.table.add(span, self.process)))
        join = Element(Shape.JOIN, span, operation=Skip(), statement=self.table.add(span, self.process))
        return element, self._numbered(join)


def _starts_with_else(option: Sequence) -> bool:
    return option.first is not None and option.first.kind is Kind.ELSE


def _is_skip(element: Element) -> bool:
    return isinstance(element.operation, Guard) and element.operation.condition == Constant(1)


def _drop_redundant_skips(sequence: Sequence) -> None:
    """Of several statements in a row that do nothing, SPIN keeps the first, and the last of the option."""
    elements = sequence.elements()
    idle = 0
    kept: list[Element] = []
    for element in elements:
        if (_is_skip(element) or element.kind is Kind.PRINT) and not element.labels:
            idle += 1
            inner = element is not sequence.first and element is not sequence.last
            if idle > 1 and _is_skip(element) and inner:
                continue
        else:
            idle = 0
        kept.append(element)
    if len(kept) != len(elements):
        sequence.first = sequence.last = None
        for element in kept:
            element.next = None
            sequence.append(element)
