"""Promela statements: each becomes an element of the control structure with an operation of the process program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kripke.languages.promela import syntax
from kripke.languages.promela.lowering.control import (
    Element,
    Labels,
    Sequence,
    Shape,
    Status,
    Target,
    make_atomic,
)
from kripke.languages.promela.lowering.declarations import DeclarationLowering, Storage
from kripke.languages.promela.lowering.expressions import Context, ExpressionLowering, Touched
from kripke.languages.promela.lowering.symbols import Scope, StructType, Symbol
from kripke.model.source import Span
from kripke.process.expressions import Binary, BinaryOperator, Constant, Expression, Place, Read
from kripke.process.flow import Kind
from kripke.process.program import (
    Assert,
    Assign,
    CCode,
    Else,
    Guard,
    Operation,
    Print,
    Receive,
    Run,
    Send,
    Skip,
    Terminate,
)


@dataclass(slots=True)
class Body:
    """A lowered body: its control structure, labels, and what each element touches (known when all is read)."""

    sequence: Sequence
    labels: Labels
    touched: list[tuple[Element, Touched]]


class BodyLowering:
    """Lowers the body of one process."""

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

    def body(self, statements: tuple[syntax.Statement, ...], end: Span) -> Body:
        for statement in statements:
            self.statement(statement)
        self.labels.resolve(self.context.fail)
        last = Element(Shape.BASIC, end, Kind.END, Terminate())
        last.statement = self.table.add(end, self.process, "-end-")
        self.sequence.append(last)
        return Body(self.sequence, self.labels, self.touched)

    # --- elements -----------------------------------------------------------------------------------------------------

    def _lowering(self) -> ExpressionLowering:
        return ExpressionLowering(self.context, self.scope)

    def _add(
        self, kind: Kind, operation: Operation, span: Span, touched: Touched | None = None, text: str | None = None
    ) -> Element:
        element = Element(Shape.BASIC, span, kind, operation)
        element.statement = self.table.add(span, self.process, text)
        if touched is not None:
            self.touched.append((element, touched))
        self.sequence.append(element)
        return element

    def _jump(self, target: Target, span: Span) -> Element:
        element = Element(Shape.GOTO, span, Kind.JUMP, Skip(), target=target)
        element.statement = self.table.add(span, self.process)
        self.sequence.append(element)
        return element

    def _inside(self, fill: Callable[[], None]) -> Sequence:
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

    # --- statements ---------------------------------------------------------------------------------------------------

    def statement(self, node: syntax.Statement) -> Element | None:
        """Lower a statement into the current sequence; the element that carries its labels."""
        match node:
            case syntax.Labelled(labels, inner):
                return self._labelled(node, labels, inner)
            case syntax.Assignment(target, value):
                return self._assignment(node, target, value)
            case syntax.Increment(target):
                return self._count(node.span, target, 1)
            case syntax.Decrement(target):
                return self._count(node.span, target, -1)
            case syntax.Send():
                return self._send(node)
            case syntax.Receive():
                return self._receive(node)
            case syntax.If(options):
                return self._select(node.span, Shape.IF, [self._option(option) for option in options])
            case syntax.Do(options):
                self._breaks.append(Target())
                return self._select(node.span, Shape.DO, [self._option(option) for option in options])
            case syntax.Else():
                return self._add(Kind.ELSE, Else(), node.span)
            case syntax.Break():
                if not self._breaks:
                    raise self.context.fail("'break' outside a loop", node.span)
                return self._jump(self._breaks[-1], node.span)
            case syntax.Goto(label):
                return self._jump(self.labels.jump(label, self.scope.path, node.span), node.span)
            case syntax.Atomic(body):
                return self._block(node.span, Shape.ATOMIC, body)
            case syntax.DStep(body):
                return self._block(node.span, Shape.D_STEP, body)
            case syntax.Block(body):
                return self._block(node.span, Shape.BLOCK, body)
            case syntax.InlineCall(_, arguments, body):
                self._lowering().mention(arguments)
                return self._block(node.span, Shape.BLOCK, body.body)
            case syntax.DeclarationStatement(declaration, initial):
                return self._declaration(declaration, initial)
            case syntax.For(variable, first, last, body):
                return self._for(node.span, variable, first, last, body)
            case syntax.ForIn():
                return self._for_in(node)
            case syntax.Select():
                return self._select_value(node)
            case syntax.ExclusiveAccess():
                self._exclusive(node)
                return None
            case _:
                return self._simple(node)

    def _simple(self, node: syntax.Statement) -> Element | None:
        lowering = self._lowering()
        match node:
            case syntax.ExpressionStatement(syntax.Run() as run):
                return self._add(Kind.RUN, self._run(run, None, lowering), node.span, lowering.touched)
            case syntax.ExpressionStatement(syntax.CExpression() as expression):
                condition = lowering.c_value(expression, truth=True)
                return self._add(Kind.GUARD, Guard(condition), expression.span, lowering.touched)
            case syntax.ExpressionStatement(expression):
                condition = lowering.expression(expression)
                return self._add(Kind.GUARD, Guard(condition), node.span, lowering.touched)
            case syntax.Assert(expression):
                text = self.table.text_of(expression.span)
                condition = lowering.expression(expression)
                return self._add(Kind.ASSERT, Assert(condition, text), node.span, lowering.touched)
            case syntax.Printf(format_, arguments):
                values = tuple(lowering.printed(argument) for argument in arguments)
                return self._add(Kind.PRINT, Print(format_, values), node.span, lowering.touched)
            case syntax.Printm(argument):
                value = lowering.printed(argument)
                return self._add(Kind.PRINT, Print("%e", (value,)), node.span, lowering.touched)
            case syntax.Unless():
                self.context.unsupported("'unless'", node.span)
            case syntax.SetPriority():
                self.context.unsupported("process priorities", node.span)
            case syntax.CCode():
                return self._c_code(node)
        raise AssertionError(node)

    def _c_code(self, node: syntax.CCode) -> Element:
        from kripke.languages.promela.lowering.embedded import c_text, touches_shared_data
        from kripke.process.embedded import Fragment

        embedded = self.context.c_code(node.span).embedded
        fragment = Fragment(c_text(node.text, node.span, node.line), self.context.current, False, node.precondition)
        touched = Touched(shared=touches_shared_data(node.text))
        return self._add(Kind.CODE, CCode(embedded.add(fragment)), node.span, touched)

    def _labelled(self, node: syntax.Labelled, labels: tuple[str, ...], inner: syntax.Statement) -> Element | None:
        element = self.statement(inner)
        if element is None:
            raise self.context.fail("a label must stand before a statement", node.span)
        for label in labels:
            if not self.labels.define(label, self.scope.path, element):
                raise self.context.fail(f"label '{label}' is defined twice", node.span)
        special = any(label.startswith(("end", "accept", "progress")) for label in labels)
        if element.shape is Shape.GOTO and special:
            return self._before_jump(element)
        return element

    def _before_jump(self, jump: Element) -> Element:
        """A jump with a label that means something takes a step of its own first."""
        statement = self.table.add(jump.span, self.process)
        step = Element(Shape.BASIC, jump.span, Kind.GUARD, Guard(Constant(1)), statement)
        elements = self.sequence.elements()
        self.sequence.first = self.sequence.last = None
        for element in elements[:-1]:
            self.sequence.append(element)
        self.labels.move(jump, step)
        self.sequence.append(step)
        self.sequence.append(jump)
        return step

    # --- simple statements --------------------------------------------------------------------------------------------

    def _assignment(self, node: syntax.Statement, target: syntax.Reference, value: syntax.Expression) -> Element:
        lowering = self._lowering()
        if isinstance(value, syntax.Run):
            place = None if target.name == "_" else self._target(target, lowering)
            return self._add(Kind.ASSIGN, self._run(value, place, lowering), node.span, lowering.touched)
        if target.name == "_":
            skipped = lowering.expression(value)
            return self._add(Kind.ASSIGN, Print("", (skipped,)), node.span, lowering.touched)
        place = self._target(target, lowering)
        return self._add(Kind.ASSIGN, Assign(place, lowering.expression(value)), node.span, lowering.touched)

    def _target(self, target: syntax.Reference, lowering: ExpressionLowering) -> Place:
        if lowering.is_value_name(target):
            raise self.context.fail(f"'{target.name}' is an mtype value and cannot be assigned", target.span)
        if target.name in ("_pid", "_nr_pr", "_last"):
            raise self.context.fail(f"'{target.name}' cannot be assigned", target.span)
        return lowering.place(target, reading=False)

    def _count(self, span: Span, target: syntax.Reference, by: int) -> Element:
        lowering = self._lowering()
        place = self._target(target, lowering)
        return self._add(Kind.ASSIGN, Assign(place, _plus(Read(place), by)), span, lowering.touched)

    def _run(self, run: syntax.Run, result: Place | None, lowering: ExpressionLowering) -> Run:
        if run.priority is not None:
            self.context.unsupported("process priorities", run.span)
        process = lowering._process(run.process, run.span)
        arguments = lowering.arguments(run.arguments)
        expected, given = len(process.parameter_scalars()), len(arguments)
        if expected != given:
            expected, given = len(process.parameters), len(run.arguments)
            plural = "" if expected == 1 else "s"
            hint = "a structure stands for all its fields" if expected == given else None
            raise self.context.fail(f"'{run.process}' takes {expected} argument{plural}, {given} given", run.span, hint)
        lowering.touched.created.append(process)
        return Run(process, arguments, result)

    def _send(self, node: syntax.Send) -> Element:
        lowering = self._lowering()
        channel, symbol = lowering.channel(node.channel)
        values = lowering.values(node.arguments)
        self._check_fields(symbol, len(values), node.span)
        lowering._touch_channel(symbol, {"xs"})
        return self._add(Kind.SEND, Send(channel, values, node.sorted), node.span, lowering.touched)

    def _receive(self, node: syntax.Receive) -> Element:
        lowering = self._lowering()
        channel, symbol = lowering.channel(node.channel)
        patterns = lowering.patterns(node.arguments, binding=True)
        self._check_fields(symbol, len(patterns), node.span)
        lowering._touch_channel(symbol, {"xr"})
        operation = Receive(channel, patterns, node.anywhere, node.peek)
        return self._add(Kind.RECEIVE, operation, node.span, lowering.touched)

    def _check_fields(self, symbol: Symbol, given: int, span: Span) -> None:
        if symbol.channels and len(symbol.channels[0].fields) != given:
            expected = len(symbol.channels[0].fields)
            plural = "" if expected == 1 else "s"
            message = f"messages of '{symbol.name}' have {expected} field{plural}, {given} given"
            self.context.warn(message, span)

    def _exclusive(self, node: syntax.ExclusiveAccess) -> None:
        lowering = self._lowering()
        for reference in node.channels:
            _, symbol = lowering.channel(reference)
            symbol.exclusive.add(node.operator)
        self.context.warn(f"'{node.operator}' claims are trusted, not checked", node.span)

    def _declaration(self, declaration: syntax.Declaration, initial: bool) -> Element | None:
        """A declaration between statements is an assignment of the start value."""
        element: Element | None = None
        for symbol, variable in self.declarations.declare(declaration, self.scope, starts_with_value=initial):
            if initial or symbol.variable is None:
                continue
            element = self._start_here(symbol, variable)
        return element

    def _start_here(self, symbol: Symbol, variable: syntax.Variable) -> Element:
        assert symbol.variable is not None
        lowering = self._lowering()
        if isinstance(symbol.type, StructType):
            return self._add(Kind.ASSIGN, Skip(), variable.span)
        value: Expression = Constant(0)
        if isinstance(variable.initial, syntax.ArrayInitializer):
            self.context.unsupported("start values of an array between statements", variable.span)
        if variable.initial is not None and not isinstance(variable.initial, syntax.ChannelInitializer):
            value = lowering.expression(variable.initial)
        if symbol.count is not None and variable.initial is not None:
            message = f"only '{symbol.name}[0]' gets the start value: the array is declared between statements"
            self.context.warn(message, variable.span)
        assign = Assign(Place(symbol.variable, symbol.type), value)
        return self._add(Kind.ASSIGN, assign, variable.span, lowering.touched)

    # --- structure ----------------------------------------------------------------------------------------------------

    def _block(self, span: Span, shape: Shape, statements: tuple[syntax.Statement, ...]) -> Element:
        if shape is Shape.D_STEP:
            outer, self._breaks = self._breaks, []
            body = self._scoped(statements, span)
            self._breaks = outer
        else:
            body = self._scoped(statements, span)
        element = Element(shape, span, body=body)
        element.statement = self.table.add(span, self.process)
        self.sequence.append(element)
        if shape is Shape.ATOMIC:
            make_atomic(body, Status.NONE)
        elif shape is Shape.D_STEP:
            make_atomic(body, Status.STEP)
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

    def _select(self, span: Span, shape: Shape, options: list[Sequence]) -> Element:
        """A selection or loop; ``else`` is tried last. The loop's break target is on top of the stack."""
        others = [option for option in options if not _starts_with_else(option)]
        last = [option for option in options if _starts_with_else(option)]
        if len(last) > 1:
            assert last[1].first is not None
            raise self.context.fail("a second 'else' in the same selection", last[1].first.span)
        element = Element(shape, span, options=others + last)
        element.statement = self.table.add(span, self.process)
        join = Element(Shape.JOIN, span, operation=Skip(), statement=self.table.add(span, self.process))
        for option in element.options:
            option.append(join)
        if shape is Shape.DO:
            self.sequence.append(join)
            statement = self.table.add(span, self.process)
            after = Element(Shape.BREAK, span, operation=Skip(), statement=statement, break_target=True)
            self._breaks.pop().element = after
            self.sequence.append(element)
            self.sequence.append(after)
        else:
            self.sequence.append(element)
            self.sequence.append(join)
        return element

    # --- loops over values --------------------------------------------------------------------------------------------

    def _for(
        self,
        span: Span,
        variable: syntax.Reference,
        first: syntax.Expression,
        last: syntax.Expression,
        body: tuple[syntax.Statement, ...],
    ) -> Element:
        self._start_counting(variable, first)
        self._breaks.append(Target())

        def fill() -> None:
            self.statement(
                syntax.ExpressionStatement(syntax.Binary("<=", variable, last, span=last.span), span=last.span)
            )
            outer, self.scope = self.scope, self.scope.block()
            for statement in body:
                self.statement(statement)
            self.scope = outer
            self._count_up(variable)

        looping = self._inside(fill)
        return self._select(span, Shape.DO, [self._leave(span, with_else=True), looping])

    def _start_counting(self, variable: syntax.Reference, first: syntax.Expression) -> None:
        self.statement(syntax.Assignment(variable, first, span=variable.span.to(first.span)))
        self._lowering().place(variable, reading=True)

    def _count_up(self, variable: syntax.Reference) -> None:
        one = syntax.Constant(1, "1", span=variable.span)
        value = syntax.Binary("+", variable, one, span=variable.span)
        self.statement(syntax.Assignment(variable, value, span=variable.span))

    def _leave(self, span: Span, *, with_else: bool) -> Sequence:
        def fill() -> None:
            if with_else:
                self._add(Kind.ELSE, Else(), span, text="else")
            self._jump(self._breaks[-1], span)

        return self._inside(fill)

    def _for_in(self, node: syntax.ForIn) -> Element:
        symbol = self._lowering().symbol(node.collection)
        if symbol.is_channel and symbol.count is None:
            self.context.unsupported("'for' over the messages of a channel", node.span)
        if symbol.count is None:
            raise self.context.fail(f"'{node.collection.name}' is not an array", node.collection.span)
        first = syntax.Constant(0, "0", span=node.collection.span)
        last = syntax.Constant(symbol.count - 1, "", span=node.collection.span)
        return self._for(node.span, node.variable, first, last, node.body)

    def _select_value(self, node: syntax.Select) -> Element:
        if node.expansion == "options":
            assert isinstance(node.first, syntax.Constant) and isinstance(node.last, syntax.Constant)
            options = []
            for value in range(node.first.value, node.last.value + 1):
                chosen = syntax.Constant(value, str(value), span=node.first.span)
                assignment = syntax.Assignment(node.variable, chosen, span=node.span)
                options.append(self._option(syntax.Option((assignment,), span=node.span)))
            return self._select(node.span, Shape.IF, options)
        self._start_counting(node.variable, node.first)
        self._breaks.append(Target())

        def fill() -> None:
            more = syntax.Binary("<", node.variable, node.last, span=node.span)
            self.statement(syntax.ExpressionStatement(more, span=node.span))
            self._count_up(node.variable)

        looping = self._inside(fill)
        leaving = self._leave(node.span, with_else=False)
        options = [looping, leaving] if node.expansion == "text" else [leaving, looping]
        return self._select(node.span, Shape.DO, options)


def _plus(value: Expression, by: int) -> Expression:
    operator = BinaryOperator.ADD if by > 0 else BinaryOperator.SUBTRACT
    return Binary(operator, value, Constant(abs(by)))


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
