"""Loops over values: ``for`` and ``select``, as SPIN expands them (see ``syntax.For`` and its neighbours)."""

from __future__ import annotations

from collections.abc import Callable

from kripke.languages.promela import syntax
from kripke.languages.promela.lowering.building import BodyBuilder
from kripke.languages.promela.lowering.control import Element, Sequence, Shape, Target
from kripke.languages.promela.lowering.symbols import StructType, Symbol
from kripke.model.source import Span
from kripke.process.flow import Kind
from kripke.process.program import Else

# The counter of a `for` over messages; no Promela name starts like this.
_COUNTER = ":messages"


class LoopLowering(BodyBuilder):
    """Lowers loops over values. What is inside is lowered at once, the loop's own element when the result is called."""

    def _for(
        self,
        span: Span,
        variable: syntax.Reference,
        first: syntax.Expression,
        last: syntax.Expression,
        body: tuple[syntax.Statement, ...],
    ) -> Callable[[], Element]:
        self._start_counting(variable, first)
        more = syntax.Binary("<=", variable, last, span=last.span)
        title = f"{self._text(variable)} <= {self._text(last)}"
        return self._loop(span, variable, more, title, body)

    def _loop(
        self,
        span: Span,
        counter: syntax.Reference,
        more: syntax.Expression,
        title: str,
        body: tuple[syntax.Statement, ...],
        head: tuple[tuple[syntax.Statement, str], ...] = (),
    ) -> Callable[[], Element]:
        """``do :: else -> break :: more; head; body; counter = counter + 1 od``"""
        self._breaks.append(Target())

        def fill() -> None:
            self._titled(syntax.ExpressionStatement(more, span=more.span), title)
            for statement, text in head:
                self._titled(statement, text)
            outer, self.scope = self.scope, self.scope.block()
            for statement in body:
                self.statement(statement)
            self.scope = outer
            self._count_up(counter)

        looping = self._inside(fill)
        leaving = self._leave(span, with_else=True)
        leave = self._breaks.pop()
        return lambda: self._select(span, Shape.DO, [leaving, looping], leave)

    def _titled(self, statement: syntax.Statement, text: str) -> None:
        """A statement that is not in the text of the model."""
        self._title = text
        self.statement(statement)
        self._title = None

    def _text(self, expression: syntax.Expression) -> str:
        if isinstance(expression, syntax.Constant):
            return str(expression.value)
        if isinstance(expression, syntax.Reference) and expression.name == _COUNTER:
            return "messages seen"
        return self.table.text_of(expression.span)

    def _start_counting(self, variable: syntax.Reference, first: syntax.Expression) -> None:
        start = syntax.Assignment(variable, first, span=variable.span)
        self._titled(start, f"{self._text(variable)} = {self._text(first)}")
        self._lowering().place(variable, reading=True)

    def _count_up(self, variable: syntax.Reference) -> None:
        one = syntax.Constant(1, "1", span=variable.span)
        value = syntax.Binary("+", variable, one, span=variable.span)
        title = f"{self._text(variable)} = {self._text(variable)} + 1"
        self._titled(syntax.Assignment(variable, value, span=variable.span), title)

    def _leave(self, span: Span, *, with_else: bool) -> Sequence:
        def fill() -> None:
            if with_else:
                self._add(Kind.ELSE, Else(), span, text="else")
            self._jump(self._breaks[-1], span, "break")

        return self._inside(fill)

    def _for_in(self, node: syntax.ForIn) -> Callable[[], Element]:
        variable, collection = self._lowering().symbol(node.variable), self._lowering().symbol(node.collection)
        if isinstance(variable.type, StructType):
            return self._for_messages(node, variable, collection)
        if collection.count is None or node.collection.index is not None:
            hint = None
            if collection.is_channel:
                hint = "a 'for' over the messages of a channel needs a variable of the type of its messages, a typedef"
            raise self.context.fail(f"'{node.collection.name}' is not an array", node.collection.span, hint)
        first = syntax.Constant(0, "0", span=node.collection.span)
        last = syntax.Constant(collection.count - 1, "", span=node.collection.span)
        return self._for(node.span, node.variable, first, last, node.body)

    def _for_messages(self, node: syntax.ForIn, variable: Symbol, channel: Symbol) -> Callable[[], Element]:
        """Every message is taken from the front and sent again at the end, so that the buffer turns round once."""
        if not channel.is_channel or channel.message is None or variable.count is not None:
            hint = "write 'for (m in q)' with a channel q that is declared with its messages, and a structure m"
            raise self.context.fail(f"'{node.collection.name}' has no messages to go through", node.span, hint)
        if channel.message != (variable.type,):
            message = f"'{node.variable.name}' is not of the type of the messages of '{node.collection.name}'"
            raise self.context.fail(message, node.variable.span)
        if _COUNTER not in self.scope.symbols:
            self.declarations.counter(_COUNTER, self.scope, node.span)
        span = node.collection.span
        counter = syntax.Reference(_COUNTER, span=span)
        self._start_counting(counter, syntax.Constant(0, "0", span=span))
        length = syntax.ChannelQuery("len", node.collection, span=span)
        more = syntax.Binary("<", counter, length, span=span)
        name, field = self._text(node.collection), self._text(node.variable)
        head = (
            (syntax.Receive(node.collection, (node.variable,), span=span), f"{name}?{field}"),
            (syntax.Send(node.collection, (node.variable,), span=span), f"{name}!{field}"),
        )
        return self._loop(node.span, counter, more, f"messages seen < len({name})", node.body, head)

    def _select_value(self, node: syntax.Select) -> Callable[[], Element]:
        span = node.span
        if node.expansion == "options":
            assert isinstance(node.first, syntax.Constant) and isinstance(node.last, syntax.Constant)
            values = [self._chosen(node, value) for value in range(node.first.value, node.last.value + 1)]
            return lambda: self._select(span, Shape.IF, values)
        self._start_counting(node.variable, node.first)
        self._breaks.append(Target())

        def fill() -> None:
            more = syntax.Binary("<", node.variable, node.last, span=span)
            title = f"{self._text(node.variable)} < {self._text(node.last)}"
            self._titled(syntax.ExpressionStatement(more, span=span), title)
            self._count_up(node.variable)

        looping = self._inside(fill)
        leaving = self._leave(span, with_else=False)
        options = [looping, leaving] if node.expansion == "text" else [leaving, looping]
        leave = self._breaks.pop()
        return lambda: self._select(span, Shape.DO, options, leave)

    def _chosen(self, node: syntax.Select, value: int) -> Sequence:
        chosen = syntax.Constant(value, str(value), span=node.first.span)
        assignment = syntax.Assignment(node.variable, chosen, span=node.span)
        return self._inside(lambda: self._titled(assignment, f"{self._text(node.variable)} = {value}"))
