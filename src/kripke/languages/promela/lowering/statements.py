"""Promela statements: each becomes an element of the control structure with an operation of the process program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from kripke.languages.promela import syntax
from kripke.languages.promela.lowering.control import (
    Element,
    Labels,
    Sequence,
    Shape,
    Status,
    Target,
    attach_escape,
    make_atomic,
)
from kripke.languages.promela.lowering.expressions import Context, ExpressionLowering, Touched
from kripke.languages.promela.lowering.loops import LoopLowering
from kripke.languages.promela.lowering.symbols import StructType, Symbol, start_values
from kripke.languages.promela.node import Node, walk
from kripke.model.source import Span
from kripke.process.expressions import (
    Binary,
    BinaryOperator,
    Bind,
    Constant,
    Expression,
    IntType,
    Pattern,
    Place,
    Read,
)
from kripke.process.flow import Kind
from kripke.process.program import (
    Assert,
    Assign,
    CCode,
    Else,
    Guard,
    Print,
    Receive,
    Right,
    Run,
    Scope,
    Send,
    SetPriority,
    Skip,
    Terminate,
)


@dataclass(slots=True)
class Body:
    """A lowered body: its control structure, labels, and what each element touches (known when all is read)."""

    sequence: Sequence
    labels: Labels
    touched: list[tuple[Element, Touched]]
    elements: int


class BodyLowering(LoopLowering):
    """Lowers the body of one process."""

    def body(self, statements: tuple[syntax.Statement, ...], end: Span) -> Body:
        for statement in statements:
            self.statement(statement)
        self.labels.resolve(self.context.fail)
        last = self._numbered(Element(Shape.BASIC, end, Kind.END, Terminate()))
        last.statement = self.table.add(end, self.process, "-end-")
        self.sequence.append(last)
        return Body(self.sequence, self.labels, self.touched, self._elements)

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
            case syntax.Unless():
                return self._unless(node)
            case syntax.Else():
                return self._add(Kind.ELSE, Else(), node.span)
            case syntax.Break():
                if not self._breaks:
                    place = "out of a d_step" if self.labels.step is not None else "outside a loop"
                    raise self.context.fail(f"'break' {place}", node.span)
                return self._jump(self._breaks[-1], node.span)
            case syntax.Goto(label):
                return self._jump(self.labels.jump(label, self.scope.path, node.span), node.span)
            case syntax.DeclarationStatement(declaration, initial):
                return self._declaration(declaration, initial)
            case syntax.If() | syntax.Do() | syntax.Atomic() | syntax.DStep() | syntax.Block() | syntax.InlineCall():
                return self._prepared(node)()
            case syntax.For() | syntax.ForIn() | syntax.Select():
                return self._prepared(node)()
            case syntax.ExclusiveAccess():
                self._exclusive(node)
                return None
            case _:
                return self._simple(node)

    def _prepared(self, node: syntax.Statement) -> Callable[[], Element | None]:
        """Lower what is inside a statement; its own element is made when the result is called."""
        span = node.span
        match node:
            case syntax.If(options):
                choices = [self._option(option) for option in options]
                return lambda: self._select(span, Shape.IF, choices)
            case syntax.Do(options):
                self._breaks.append(Target())
                choices = [self._option(option) for option in options]
                leave = self._breaks.pop()
                return lambda: self._select(span, Shape.DO, choices, leave)
            case syntax.Atomic(body):
                return self._block(span, Shape.ATOMIC, body)
            case syntax.DStep(body):
                return self._block(span, Shape.D_STEP, body)
            case syntax.Block(body):
                return self._block(span, Shape.BLOCK, body)
            case syntax.InlineCall(_, arguments, block):
                self._lowering().mention(arguments)
                with self.table.called_at(span):
                    return self._block(span, Shape.BLOCK, block.body)
            case syntax.For(variable, first, last, body):
                return self._for(span, variable, first, last, body)
            case syntax.ForIn():
                return self._for_in(node)
            case syntax.Select():
                return self._select_value(node)
            case _:
                return lambda: self.statement(node)

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
                return self._assert(node, expression, lowering)
            case syntax.AssertEventually():
                assert self.context.responses is not None
                owed = self.context.responses.obligation(node, lowering)
                return self._add(Kind.OTHER, owed, node.span, lowering.touched)
            case syntax.Printf():
                return self._printf(node, lowering)
            case syntax.Printm(argument):
                if isinstance(argument, syntax.Reference) and lowering.is_value_name(argument):
                    return self._add(Kind.PRINT, Print(argument.name, ()), node.span, lowering.touched)
                value = lowering.printed(argument)
                return self._add(Kind.PRINT, Print("%e", (value,)), node.span, lowering.touched)
            case syntax.SetPriority(process, priority):
                lowering.touched.shared = True
                operation = SetPriority(lowering.expression(process), lowering.expression(priority))
                return self._add(Kind.OTHER, operation, node.span, lowering.touched)
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
        self._define(labels, element, node.span)
        special = any(label.startswith(("end", "accept", "progress")) for label in labels)
        if element.shape is Shape.GOTO and special:
            return self._before_jump(element)
        return element

    # --- simple statements --------------------------------------------------------------------------------------------

    def _assignment(self, node: syntax.Statement, target: syntax.Reference, value: syntax.Expression) -> Element:
        lowering = self._lowering()
        started = self._started(value)
        if started is not None:
            place = None if target.name == "_" else self._target(target, lowering)
            run = self._running(started, lowering, place)
            if started is not value:
                lowering.started = started
                run = replace(run, value=lowering.expression(value))
            return self._add(Kind.ASSIGN, run, node.span, lowering.touched)
        if target.name == "_":
            skipped = lowering.expression(value)
            return self._add(Kind.ASSIGN, Print("", (skipped,)), node.span, lowering.touched)
        if self.context.data is not None:
            return self._store(node.span, target, value, lowering)
        place = self._target(target, lowering)
        return self._add(Kind.ASSIGN, Assign(place, lowering.expression(value)), node.span, lowering.touched)

    def _store(
        self, span: Span, target: syntax.Reference, value: syntax.Expression, lowering: ExpressionLowering
    ) -> Element:
        """An assignment where data types were imported: perhaps several stores, which are one step."""
        from kripke.languages.promela.lowering.storing import stores

        self._refuse_target(target, lowering)
        return self._together(stores(lowering, target, value), span, lowering.touched)

    def _together(self, found: list[Assign], span: Span, touched: Touched) -> Element:
        """Several assignments in one step."""
        if len(found) == 1:
            return self._add(Kind.ASSIGN, found[0], span, touched)
        added: list[Element] = []

        def fill() -> None:
            added.extend(self._add(Kind.ASSIGN, assign, span, touched) for assign in found)

        if self.labels.step is not None:
            fill()
            return added[0]
        body = self._inside(fill)
        make_atomic(body, Status.STEP)
        element = self._block_element(span, Shape.D_STEP, body)
        for part in added:  # one statement to the reader
            part.statement = element.statement
        return element

    def _assert(self, node: syntax.Statement, expression: syntax.Expression, lowering: ExpressionLowering) -> Element:
        text = self.table.text_of(expression.span)
        lowering.runs = []
        condition = lowering.expression(expression)
        run = self._run_after(expression, lowering)
        return self._add(Kind.ASSERT, Assert(condition, text), node.span, lowering.touched, then=run)

    def _printf(self, node: syntax.Printf, lowering: ExpressionLowering) -> Element:
        lowering.runs = []
        values = tuple(lowering.printed(argument) for argument in node.arguments)
        run = self._run_after(node, lowering)
        return self._add(Kind.PRINT, Print(node.format, values), node.span, lowering.touched, then=run)

    def _run_after(self, node: syntax.Expression | syntax.Printf, lowering: ExpressionLowering) -> Run | None:
        """The ``run`` in what a statement evaluates: it is executed afterwards, since its pid is known before."""
        runs, lowering.runs = lowering.runs, None
        started = self._started(node) if runs else None
        return None if started is None else self._running(started, lowering)

    def _running(self, started: syntax.Run, lowering: ExpressionLowering, result: Place | None = None) -> Run:
        """The ``run`` in an expression."""
        run = self._run(started, result, lowering)
        if starts_visibly(self.context, run.process.name):
            lowering.touched.shared = True
        return run

    def _started(self, value: syntax.Expression | syntax.Printf) -> syntax.Run | None:
        """The ``run`` in an expression."""
        runs = [node for node in walk(value) if isinstance(node, syntax.Run)]
        if len(runs) > 1:
            raise self.context.fail("more than one 'run' in an expression", runs[1].span)
        if not runs:
            return None
        for node in walk(value):
            branches: tuple[Node, ...] = ()
            if isinstance(node, syntax.Conditional):
                branches = (node.then, node.otherwise)
            elif isinstance(node, syntax.Binary) and node.operator in ("&&", "||"):
                branches = (node.right,)
            if any(isinstance(inner, syntax.Run) for branch in branches for inner in walk(branch)):
                raise self.context.fail("a 'run' that depends on another part of its expression", runs[0].span)
        return runs[0]

    def _target(self, target: syntax.Reference, lowering: ExpressionLowering) -> Place:
        self._refuse_target(target, lowering)
        return lowering.place(target, reading=False)

    def _refuse_target(self, target: syntax.Reference, lowering: ExpressionLowering) -> None:
        if lowering.is_value_name(target):
            raise self.context.fail(f"'{target.name}' is an mtype value and cannot be assigned", target.span)
        if target.name in ("_pid", "_nr_pr", "_last"):
            raise self.context.fail(f"'{target.name}' cannot be assigned", target.span)

    def _count(self, span: Span, target: syntax.Reference, by: int) -> Element:
        lowering = self._lowering()
        if self.context.data is not None:
            one = syntax.Constant(1, span=span)
            return self._store(span, target, syntax.Binary("+" if by > 0 else "-", target, one, span=span), lowering)
        place = self._target(target, lowering)
        return self._add(Kind.ASSIGN, Assign(place, _plus(Read(place), by)), span, lowering.touched)

    def _run(self, run: syntax.Run, result: Place | None, lowering: ExpressionLowering) -> Run:
        check_priority(self.context, run.priority, run.span)
        process = lowering._process(run.process, run.span)
        arguments = lowering.arguments(run.arguments)
        types = [component.type for _, component in process.parameter_scalars()][int(self.context.priorities) :]
        arguments = self._within(arguments, types, run.span, lowering)
        expected, given = len(process.parameter_scalars()) - int(self.context.priorities), len(arguments)
        if expected != given:
            expected, given = len(process.parameters) - int(self.context.priorities), len(run.arguments)
            plural = "" if expected == 1 else "s"
            hint = "a structure stands for all its fields" if expected == given else None
            raise self.context.fail(f"'{run.process}' takes {expected} argument{plural}, {given} given", run.span, hint)
        if self.context.priorities:
            arguments = (Constant(run.priority or 1), *arguments)
        return Run(process, arguments, result)

    def _send(self, node: syntax.Send) -> Element:
        lowering = self._lowering()
        channel, symbol = lowering.channel(node.channel)
        values = lowering.values(node.arguments, symbol.message or ())
        if self.context.data is not None:
            values = self._within(values, self._message_types(symbol, len(values), node.span), node.span, lowering)
        self._check_fields(symbol, len(values), node.span)
        lowering._touch_channel(symbol, {"xs"})
        return self._add(Kind.SEND, Send(channel, values, node.sorted), node.span, lowering.touched)

    def _receive(self, node: syntax.Receive) -> Element:
        if node.channel.name == "STDIN":
            from kripke.languages.promela.lowering.standard_input import reading

            read = reading(self.context, self.scope, node)
            if read is not None:
                found = self._prepared(read)()
                assert found is not None and found.body is not None
                for part in found.body.elements():  # one statement to the reader
                    part.statement = found.statement
                return found
        lowering = self._lowering()
        channel, symbol = lowering.channel(node.channel)
        patterns = lowering.patterns(node.arguments, binding=True)
        self._check_fields(symbol, len(patterns), node.span)
        if self.context.data is not None:
            self._refuse_narrow(symbol, patterns, node.span)
        lowering._touch_channel(symbol, {"xr"})
        operation = Receive(channel, patterns, node.anywhere, node.peek)
        return self._add(Kind.RECEIVE, operation, node.span, lowering.touched)

    # --- ranges -------------------------------------------------------------------------------------------------------

    def _within(
        self, values: tuple[Expression, ...], types: list[IntType], span: Span, lowering: ExpressionLowering
    ) -> tuple[Expression, ...]:
        """Values for variables or fields that have a range."""
        if self.context.data is None or len(values) != len(types):
            return values
        from kripke.languages.promela.lowering.data import Values

        known = Values(lowering)
        return tuple(known.checked(value, type_, span) for value, type_ in zip(values, types, strict=True))

    def _possible_types(self, symbol: Symbol, count: int) -> list[tuple[IntType, ...]]:
        """The types of the fields of a channel's messages, or, where it is not known which channel it is, of all."""
        if symbol.channels:
            return [symbol.channels[0].fields]
        return [message for message in self.context.messages if len(message) == count]

    def _message_types(self, symbol: Symbol, count: int, span: Span) -> list[IntType]:
        found = self._possible_types(symbol, count)
        if len({tuple(type_.values for type_ in message) for message in found}) > 1:
            message = f"'{symbol.name}' may be any channel here, and their messages have different ranges"
            raise self.context.fail(message, span, "give the fields of these messages the same types")
        return list(found[0]) if found else []

    def _refuse_narrow(self, symbol: Symbol, patterns: tuple[Pattern, ...], span: Span) -> None:
        """What is received must fit the variable."""
        for message in self._possible_types(symbol, len(patterns)):
            if len(message) != len(patterns):
                continue  # a step of its own goes wrong there
            for type_, pattern in zip(message, patterns, strict=True):
                if not isinstance(pattern, Bind) or pattern.place.type.values is None:
                    continue
                if type_.values is None or not type_.values <= pattern.place.type.values:
                    what = f"'{pattern.place.variable.name}' cannot hold every value of this field"
                    hint = "receive into a variable of the field's own type"
                    raise self.context.fail(what, span, hint)

    def _check_fields(self, symbol: Symbol, given: int, span: Span) -> None:
        if symbol.channels and len(symbol.channels[0].fields) != given:
            expected = len(symbol.channels[0].fields)
            plural = "" if expected == 1 else "s"
            message = f"messages of '{symbol.name}' have {expected} field{plural}, {given} given"
            self.context.warn(message, span)

    def _exclusive(self, node: syntax.ExclusiveAccess) -> None:
        from kripke.process.passes.exclusive import Claim

        lowering = self._lowering()
        for reference in node.channels:
            channel, symbol = lowering.channel(reference)
            symbol.exclusive.add(node.operator)
            if self._holds_none(channel):
                message = f"'{reference.name}' holds no channel when the process starts: this claim claims nothing"
                self.context.warn(message, reference.span)
            elif self.context.current is not None:
                statement = self.table.add_unnumbered(node.span, self.process)
                self.context.claims.append(Claim(self.context.current, Right(node.operator), channel, statement))

    def _holds_none(self, channel: Expression) -> bool:
        """Is it a variable of the process that has no start value? A claim is made when the process is created."""
        if not isinstance(channel, Read) or channel.place.variable.scope is not Scope.LOCAL:
            return False
        variable, process = channel.place.variable, self.context.current
        given = process is not None and variable in process.parameters
        starts = (action.operation for action in self.declarations.storage.setup)
        return not given and not any(isinstance(s, Assign) and s.place.variable is variable for s in starts)

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
        if isinstance(symbol.type, StructType) and symbol.type.data is None:
            return self._add(Kind.ASSIGN, Skip(), variable.span)
        if isinstance(symbol.type, StructType) or symbol.type.values is not None:
            return self._start_data(symbol, variable)
        value: Expression = Constant(0)
        if isinstance(variable.initial, syntax.ArrayInitializer):
            return self._start_elements(symbol, variable, variable.initial)
        if variable.initial is not None and not isinstance(variable.initial, syntax.ChannelInitializer):
            value = lowering.expression(variable.initial)
        if symbol.count is not None and variable.initial is not None:
            message = f"only '{symbol.name}[0]' gets the start value: the array is declared between statements"
            self.context.warn(message, variable.span)
        assign = Assign(Place(symbol.variable, symbol.type), value)
        return self._add(Kind.ASSIGN, assign, variable.span, lowering.touched)

    def _start_data(self, symbol: Symbol, variable: syntax.Variable) -> Element:
        """A variable of an imported type that is declared between statements."""
        if symbol.count is not None:
            hint = "declare it at the beginning"
            raise self.context.fail(f"the array '{symbol.name}' is declared between statements", variable.span, hint)
        if variable.initial is not None:
            assert not isinstance(variable.initial, syntax.ChannelInitializer | syntax.ArrayInitializer)
            target = syntax.Reference(variable.name, span=variable.span)
            return self._store(variable.span, target, variable.initial, self._lowering())
        assert symbol.variable is not None
        places = [Place(symbol.variable, part.type, part.offset) for part in symbol.variable.components]
        assigns = [Assign(to, Constant(n)) for to, n in zip(places, start_values(symbol.type, None), strict=True)]
        return self._together(assigns, variable.span, Touched())

    def _start_elements(self, symbol: Symbol, variable: syntax.Variable, initial: syntax.ArrayInitializer) -> Element:
        """One assignment for every element. SPIN does not read such a declaration."""
        assert symbol.variable is not None and isinstance(symbol.type, IntType)
        if symbol.count is None:
            raise self.context.fail(f"'{symbol.name}' is not an array", variable.span)
        first: Element | None = None
        for i, start in enumerate(self.declarations.elements(initial, symbol.count, variable.span)):
            lowering = self._lowering()
            assign = Assign(Place(symbol.variable, symbol.type, i * symbol.type.size), lowering.expression(start))
            text = f"{symbol.name}[{i}] = {self.table.text_of(start.span)}"
            element = self._add(Kind.ASSIGN, assign, variable.span, lowering.touched, text)
            first = first or element
        assert first is not None
        return first

    # --- structure ----------------------------------------------------------------------------------------------------

    def _block(self, span: Span, shape: Shape, statements: tuple[syntax.Statement, ...]) -> Callable[[], Element]:
        if shape is Shape.D_STEP:
            outer, self._breaks = self._breaks, []
            step, self.labels.step = self.labels.step, self.labels.step or span
            body = self._scoped(statements, span)
            self._breaks, self.labels.step = outer, step
        else:
            body = self._scoped(statements, span)
        if shape is Shape.ATOMIC:
            make_atomic(body, Status.NONE)
        elif shape is Shape.D_STEP:
            make_atomic(body, Status.STEP)
        return lambda: self._block_element(span, shape, body)

    def _unless(self, node: syntax.Unless) -> Element:
        if isinstance(node.main, syntax.Labelled):
            return self._labelled_unless(node, node.main)
        main, escape = self._sequence_of(node.main), self._sequence_of(node.escape)
        escaping = escape()
        return self._escaped(node.span, main(), escaping)

    def _labelled_unless(self, node: syntax.Unless, main: syntax.Labelled) -> Element:
        """``label: { ... } unless ...``: the label stands before a block with the whole."""
        inner = main.statement
        assert isinstance(inner, (syntax.Block, syntax.Atomic, syntax.DStep))
        if isinstance(inner, syntax.Atomic):
            body = self._scoped(inner.body, inner.span)
            make_atomic(body, Status.NONE)
            shape = Shape.ATOMIC
        else:
            body = self._sequence_of(inner)()
            shape = Shape.BLOCK
        escape = self._sequence_of(node.escape)()
        whole = self._inside(lambda: self._escaped(node.span, body, escape))
        element = self._block_element(main.span, shape, whole)
        self._define(main.labels, element, main.span)
        return element

    def _sequence_of(self, node: syntax.Statement) -> Callable[[], Sequence]:
        """The sequence of one side of an ``unless``; its own element is made when the result is called."""
        if isinstance(node, syntax.InlineCall):
            self._lowering().mention(node.arguments)
            with self.table.called_at(node.span):
                called = self._scoped(node.body.body, node.body.span)
            return lambda: called
        if isinstance(node, syntax.Block):
            body = self._scoped(node.body, node.span)
            return lambda: body
        add = self._prepared(node)
        return lambda: self._inside(add)

    def _escaped(self, span: Span, main: Sequence, escape: Sequence) -> Element:
        element, join = self._fork(Shape.UNLESS, span)
        element.options = [main, escape]
        for side in element.options:
            side.append(join)
        attach_escape(main, escape)
        self.sequence.append(element)
        self.sequence.append(join)
        return element


def check_priority(context: Context, priority: int | None, span: Span) -> None:
    if priority is not None and not 0 <= priority <= 255:
        raise context.fail(f"a priority is from 1 to 255, not {priority}", span)


def starts_visibly(context: Context, name: str) -> bool:
    """Does the creation of a process touch what others see? SPIN's rule: the start values of its variables, wherever
    they are declared, are neither numbers nor its own variables as they stand.
    """
    item = context.process_items[name]
    own: set[str] = set()
    starts: list[syntax.Initializer] = []
    for part in (item.body, item.parameters if isinstance(item, syntax.Proctype) else ()):
        for node in walk(part):
            if isinstance(node, syntax.Variable):
                own.add(node.name)
                if node.initial is not None:
                    starts.append(node.initial)
    return not all(
        isinstance(start, syntax.Constant)
        or (isinstance(start, syntax.Reference) and (start.name in own or start.name in context.mtypes))
        for start in starts
    )


def _plus(value: Expression, by: int) -> Expression:
    operator = BinaryOperator.ADD if by > 0 else BinaryOperator.SUBTRACT
    return Binary(operator, value, Constant(abs(by)))
