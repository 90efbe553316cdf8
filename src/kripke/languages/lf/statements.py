"""Statements of LF: from the syntax tree to the instructions of a process type."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from kripke.actions.program import (
    BOOLEAN,
    INT32,
    PORT,
    REFERENCE_BYTES,
    Alternative,
    Assert,
    Assign,
    Base,
    Branch,
    Choose,
    Communicate,
    Constant,
    Copy,
    Deadline,
    Device,
    End,
    Expression,
    InRange,
    Instruction,
    Jump,
    Load,
    Mark,
    New,
    Operation,
    Place,
    Print,
    Queues,
    Reschedule,
    Scalar,
    Start,
    Target,
)
from kripke.languages.lf import syntax
from kripke.languages.lf.expressions import Expressions, Typed
from kripke.languages.lf.records import Frame, Pending, loads
from kripke.languages.lf.scopes import (
    ConstantEntity,
    ModuleEntity,
    OutputEntity,
    ProcessEntity,
    TypeEntity,
    VariableEntity,
    what,
)
from kripke.languages.lf.types import (
    INTEGER,
    PORT_BYTE,
    ArrayType,
    PortType,
    Type,
    same,
    scalars,
    size_of,
)
from kripke.model.model import Statement
from kripke.model.source import ModelError, Span

_MOST_FIELDS = 64  # scalars of a message


class Code:
    """The instructions of one process type, with the statement each belongs to."""

    def __init__(self, statements: list[Statement]) -> None:
        self.instructions: list[Instruction] = []
        self.labels: list[int] = []
        self._statements = statements

    def __len__(self) -> int:
        return len(self.instructions)

    def statement(self, text: str, span: Span, process: str) -> int:
        self._statements.append(Statement(text, span, process))
        return len(self._statements) - 1

    def add(self, instruction: Instruction, statement: int = -1) -> int:
        self.instructions.append(instruction)
        self.labels.append(statement)
        return len(self.instructions) - 1


class Statements:
    """The body of one process. ``fine``: it can be interrupted after every statement."""

    def __init__(
        self,
        name: str,
        expressions: Expressions,
        code: Code,
        frame: Frame,
        queues: Queues,
        fine: bool,
        is_property: bool,
        mentioned: Callable[[VariableEntity], bool],
    ) -> None:
        self.name = name
        self.expressions = expressions
        self.sources = expressions.sources
        self.code = code
        self.frame = frame
        self.queues = queues
        self.fine = fine and not is_property
        self.is_property = is_property
        self._may_be_referred_to = mentioned
        self.starts_others = False

    def error(self, message: str, span: Span, hint: str | None = None) -> ModelError:
        return self.sources.error(message, span, hint=hint)

    def label(self, span: Span, text: str = "") -> int:
        return self.code.statement(text or self._text(span), span, self.name)

    def _text(self, span: Span) -> str:
        line = self.sources.line(span.file, span.line) or ""
        if span.end_line == span.line:
            return line[span.column - 1 : span.end_column - 1]
        return " ".join(
            (self.sources.line(span.file, number) or "")[
                span.column - 1 if number == span.line else 0 : span.end_column - 1 if number == span.end_line else None
            ].strip()
            for number in range(span.line, span.end_line + 1)
        )

    # --- sequences and control ----------------------------------------------------------------------------------------

    def body(self, statements: Sequence[syntax.Statement], end: Span) -> None:
        self.sequence(statements)
        self.code.add(End(), self.label(end, f"END {self.name}"))

    def sequence(self, statements: Sequence[syntax.Statement]) -> None:
        for statement in statements:
            self.statement(statement)

    def _simple(self, instruction: Instruction, label: int) -> None:
        self.code.add(instruction, label)
        self._yield(label)

    def _yield(self, label: int) -> None:
        if self.fine:
            self.code.add(Reschedule(), label)

    def statement(self, node: syntax.Statement) -> None:
        match node:
            case syntax.Assignment():
                self._assignment(node)
            case syntax.Communication():
                self._communicate([(node, None, node.span)], False, node.span)
            case syntax.Call():
                self._call(node)
            case syntax.Intrinsic():
                self._intrinsic(node)
            case syntax.If(branches, span):
                self._if(branches, span)
            case syntax.While(condition, body, span):
                start = len(self.code)
                test = self._branch(condition, span, "WHILE")
                self.sequence(body)
                self.code.add(Jump(start))
                self._patch(test)
            case syntax.Repeat(body, condition, span):
                start = len(self.code)
                self.sequence(body)
                until = self.expressions.condition(condition)
                label = self.label(span, f"UNTIL {self._text(condition.span)}")
                self.code.add(Branch(until, start), label)
            case syntax.For():
                self._for(node)
            case syntax.Select(clauses, span):
                targets = self._communicate([(w.communication, w.guard, w.span) for w in clauses], True, span)
                self._branches([clause.body for clause in clauses], targets)
            case syntax.Choice(branches, span, spans):
                self._choice(branches, span, spans)

    def _branch(self, condition: syntax.Expression, span: Span, word: str) -> int:
        """A jump if the condition is false, to be patched; -1 where it never is."""
        found = self.expressions.condition(condition)
        if found == Constant(1):
            return -1
        return self.code.add(Branch(found, -1), self.label(span, f"{word} {self._text(condition.span)}"))

    def _patch(self, at: int) -> None:
        """A jump leads to what comes next."""
        if at < 0:
            return
        here, instruction = len(self.code), self.code.instructions[at]
        if isinstance(instruction, Branch):
            self.code.instructions[at] = replace(instruction, otherwise=here)
        else:
            assert isinstance(instruction, Jump)
            self.code.instructions[at] = Jump(here)

    def _if(
        self, branches: Sequence[tuple[syntax.Expression | None, tuple[syntax.Statement, ...]]], span: Span
    ) -> None:
        leaving = []
        for number, (condition, body) in enumerate(branches):
            test = -1
            if condition is not None:
                word = "ELSIF" if number else "IF"
                test = self._branch(condition, condition.span if number else span, word)
            self.sequence(body)
            if number + 1 < len(branches):
                leaving.append(self.code.add(Jump(-1)))
            self._patch(test)
        for at in leaving:
            self._patch(at)

    def _branches(self, bodies: Sequence[Sequence[syntax.Statement]], targets: Callable[[int, int], None]) -> None:
        """The bodies one after the other; ``targets`` is told where each starts."""
        leaving = []
        for number, body in enumerate(bodies):
            targets(number, len(self.code))
            self.sequence(body)
            leaving.append(self.code.add(Jump(-1)))
        for at in leaving:
            self._patch(at)

    def _choice(self, branches: Sequence[Sequence[syntax.Statement]], span: Span, spans: Sequence[Span]) -> None:
        # The process is ready at the choice only after a cut: it reschedules first.
        at = self.code.add(Choose((-1,) * len(branches)), self.label(span, "CHOICE"))

        def started(number: int, here: int) -> None:
            choose = self.code.instructions[at]
            assert isinstance(choose, Choose)
            targets = list(choose.targets)
            targets[number] = here
            self.code.instructions[at] = Choose(tuple(targets))

        self._branches(branches, started)

    def _for(self, node: syntax.For) -> None:
        place, type_, _ = self.expressions.place(node.variable)
        if not (isinstance(type_, Scalar) and type_.kind == "integer"):
            raise self.error(f"FOR counts with an integer variable, not {type_}", node.variable.span)
        first = self.expressions.fitted(node.first, type_, "the first value")
        last = self.expressions.fitted(node.last, type_, "the last value")
        step = 1 if node.step is None else self.expressions.number(node.step, "the step of a FOR")
        if step == 0:
            raise self.error("the step of a FOR is not 0", node.span)
        label = self.label(node.span, f"FOR {self._text(node.variable.span)} := {self._text(node.first.span)}")
        self.code.add(Assign(place, type_, first.scalar), label)
        bound = last.scalar
        if last.constant is None:  # it is computed once
            bound_place = Place(Base(0, self.frame.add(type_)))
            self.code.add(Assign(bound_place, type_, bound), label)
            bound = Load(bound_place, type_)
        variable = Load(place, type_)
        start = len(self.code)
        test = self.code.add(Branch(Operation("<=" if step > 0 else ">=", (variable, bound), BOOLEAN), -1), label)
        self.sequence(node.body)
        # Stopping before the step: beyond the last value the variable may have no room.
        stop = self.code.add(Branch(Operation("#", (variable, bound), BOOLEAN), -1), label)
        self.code.add(Assign(place, type_, Operation("+", (variable, Constant(step)), type_)), label)
        self._yield(label)
        self.code.add(Jump(start))
        self._patch(test)
        self._patch(stop)

    # --- simple statements --------------------------------------------------------------------------------------------

    def _assignment(self, node: syntax.Assignment) -> None:
        place, type_, _ = self._writable(node.target)
        label = self.label(node.span)
        if isinstance(node.value, syntax.String) and isinstance(type_, ArrayType):
            self._string(node, place, type_, label)
            return
        value = self.expressions.fitted(node.value, type_, "assignment")
        if isinstance(type_, Scalar):
            self._simple(Assign(place, type_, value.scalar), label)
        elif isinstance(type_, PortType):
            self._simple(Assign(place, PORT_BYTE, value.scalar), label)
        else:
            assert value.place is not None
            self._simple(Copy(place, value.place, size_of(type_)), label)

    def _string(self, node: syntax.Assignment, place: Place, type_: ArrayType, label: int) -> None:
        assert isinstance(node.value, syntax.String)
        element = type_.element
        if not (isinstance(element, Scalar) and element.kind == "character"):
            raise self.error(f"assignment: this is a string, where {type_} is needed", node.value.span)
        text = node.value.text
        if len(text) >= type_.length:
            raise self.error(f"the string and the 0X after it do not fit into {type_}", node.value.span)
        for position, character in enumerate(text + "\0"):
            at = Place(place.base, place.offset + position, place.indexing)
            self.code.add(Assign(at, element, Constant(ord(character))), label)
        self._yield(label)

    def _writable(self, node: syntax.Expression) -> tuple[Place, Type, VariableEntity]:
        place, type_, variable = self.expressions.place(node)
        if self.is_property and variable.level == 0:
            raise self.error("a PROPERTY only looks: it cannot change global variables", node.span)
        return place, type_, variable

    def _intrinsic(self, node: syntax.Intrinsic) -> None:
        word, arguments, span = node.word, node.arguments, node.span
        label = self.label(span)
        if self.is_property and word in ("NEW", "ASSERT", "DEADLINE", "PORTIN", "PORTOUT"):
            raise self.error(f"{word} cannot stand in a PROPERTY", span)
        match word:
            case "NEW":
                place, type_, variable = self._writable(arguments[0])
                variable.created = True
                if not isinstance(type_, PortType):
                    raise self.error(f"NEW makes a channel for a port; this is {type_}", arguments[0].span)
                if type_.direction:
                    does = "send" if type_.direction == "!" else "receive"
                    raise self.error(
                        f"nobody could use the other end of this channel: the port may only {does}",
                        arguments[0].span,
                        hint=f"NEW is for a port of type {type_.channel}, which may be passed on as {type_}",
                    )
                self._simple(New(place), label)
            case "INC" | "DEC":
                self._count(word, arguments, label)
            case "INCL" | "EXCL":
                self._element(word, arguments, label)
            case "ASSERT":
                self._simple(Assert(self.expressions.condition(arguments[0])), label)
            case "DEADLINE":
                due = self.expressions.fitted(arguments[0], INT32, "a deadline")
                if due.constant is not None and due.constant < 0:
                    raise self.error("a deadline is a number of actions, 0 for none", arguments[0].span)
                self._simple(Deadline(InRange(due.scalar, INT32._replace(low=0))), label)
            case "RESCHEDULE":
                self.code.add(Reschedule(), label)
            case "ACCEPT" | "NOMOVE":
                if not self.is_property:
                    raise self.error(f"{word} belongs into a PROPERTY", span)
                self.code.add(Mark(word.lower()), label)
            case _:
                self._device(word, arguments, label)

    def _count(self, word: str, arguments: Sequence[syntax.Expression], label: int) -> None:
        place, type_, _ = self._writable(arguments[0])
        if not (isinstance(type_, Scalar) and type_.kind == "integer"):
            raise self.error(f"{word} is for integer variables; this is {type_}", arguments[0].span)
        by: Expression = Constant(1)
        if len(arguments) > 1:
            by = self.expressions.fitted(arguments[1], type_, f"the second argument of {word}").scalar
        operator = "+" if word == "INC" else "-"
        self._simple(Assign(place, type_, Operation(operator, (Load(place, type_), by), type_)), label)

    def _element(self, word: str, arguments: Sequence[syntax.Expression], label: int) -> None:
        place, type_, _ = self._writable(arguments[0])
        if not (isinstance(type_, Scalar) and type_.kind == "set"):
            raise self.error(f"{word} is for sets; this is {type_}", arguments[0].span)
        element = self.expressions.value(arguments[1])
        if element.value is None or not (
            str(element.type) == "a number" or getattr(element.type, "kind", "") == "integer"
        ):
            raise self.error(f"an element of a set is an integer, not {element.type}", arguments[1].span)
        if element.constant is not None and not 0 <= element.constant < 8 * type_.size:
            raise self.error(f"{type_.name} has elements 0 to {8 * type_.size - 1}", arguments[1].span)
        one = InRange(Operation("element", (element.scalar,), type_), type_)
        operator = "union" if word == "INCL" else "minus"
        self._simple(Assign(place, type_, Operation(operator, (Load(place, type_), one), type_)), label)

    def _device(self, word: str, arguments: Sequence[syntax.Expression], label: int) -> None:
        address = self.expressions.fitted(arguments[0], INT32, "the address of a device").scalar
        if word == "PORTIN":
            place, type_, _ = self._writable(arguments[1])
            if not isinstance(type_, Scalar) or type_.kind == "port":
                raise self.error(f"PORTIN reads a scalar; this is {type_}", arguments[1].span)
            self._simple(Device(address, place, type_), label)
            return
        found = self.expressions.value(arguments[1])
        if found.value is None or isinstance(found.type, PortType):
            raise self.error(f"PORTOUT writes a scalar; this is {found.type}", arguments[1].span)
        scalar = found.type if isinstance(found.type, Scalar) else INTEGER
        self._simple(
            Device(address, None, scalar, self.expressions.fit(found, scalar, arguments[1].span, word).value), label
        )

    # --- processes ----------------------------------------------------------------------------------------------------

    def _call(self, node: syntax.Call) -> None:
        entity = self.expressions.entity(node.process)
        label = self.label(node.span)
        if isinstance(entity, OutputEntity):
            self._print(entity.kind, node, label)
            return
        if not isinstance(entity, ProcessEntity):
            shown = what(entity) if entity is not None else "no process"
            hint = "an assignment is written :=" if isinstance(entity, VariableEntity) else None
            raise self.error(f"this is {shown}, where a process is needed", node.process.span, hint=hint)
        if self.is_property:
            raise self.error("a PROPERTY only looks: it cannot start processes", node.span)
        if entity.declaration.is_property:
            raise self.error(f"{entity.name} is a PROPERTY: it is created by itself", node.span)
        wanted, given = len(entity.parameters), len(node.arguments)
        if wanted != given:
            raise self.error(
                f"{entity.name} has {wanted} parameter{'' if wanted == 1 else 's'}, not {given}", node.span
            )
        values: list[tuple[int, Scalar, Expression]] = []
        copies: list[tuple[int, int, Place]] = []
        references: list[tuple[int, Place]] = []
        for argument, (name, type_, by_reference, offset) in zip(node.arguments, entity.parameters, strict=True):
            purpose = f"parameter {name} of {entity.name}"
            if by_reference:
                references.append((offset, self._referred(argument, type_, purpose)))
                continue
            found = self.expressions.fitted(argument, type_, purpose)
            if found.value is not None:
                values.append((offset, type_ if isinstance(type_, Scalar) else PORT_BYTE, found.value))
            else:
                assert found.place is not None
                copies.append((offset, size_of(type_), found.place))
        level = self.expressions.level
        link = None if entity.level == 1 else level - (entity.level - 1)
        self.starts_others = True
        start = Start(entity.number, not node.created, tuple(values), tuple(copies), tuple(references), link)
        if node.created:
            self._simple(start, label)
        else:
            self.code.add(start, label)

    def _referred(self, node: syntax.Expression, type_: Type, purpose: str) -> Place:
        entity = self.expressions.entity(node) if isinstance(node, syntax.Name | syntax.Field) else None
        if isinstance(node, syntax.Name | syntax.Field | syntax.Indexed) and not isinstance(
            entity, ConstantEntity | TypeEntity | ProcessEntity | ModuleEntity | OutputEntity
        ):
            place, found, _ = self.expressions.place(node)
            if not same(found, type_):
                raise self.error(f"{purpose}: this is {found}, where a variable of type {type_} is needed", node.span)
            return place
        raise self.error(f"{purpose} is a VAR parameter: it needs a variable", node.span)

    def _print(self, kind: str, node: syntax.Call, label: int) -> None:
        if node.created:
            raise self.error("what prints runs to completion: leave out CREATE", node.span)
        arguments = node.arguments
        least, most = {"Ln": (0, 0), "Int": (1, 2), "Hex": (1, 2)}.get(kind, (1, 1))
        if not least <= len(arguments) <= most:
            raise self.error(
                f"Out.{kind} takes {least} argument{'' if least == 1 else 's'}, not {len(arguments)}", node.span
            )
        if kind == "Ln":
            self._simple(Print("Ln"), label)
            return
        if kind == "String":
            if not isinstance(arguments[0], syntax.String | syntax.Character):
                raise self.error("Out.String prints a string in quotes", arguments[0].span)
            first = arguments[0]
            text = first.text if isinstance(first, syntax.String) else chr(first.value)
            self._simple(Print("String", text), label)
            return
        found = self.expressions.value(arguments[0])
        wanted = {"Int": "integer", "Hex": "integer", "Char": "character", "Bool": "boolean"}[kind]
        actual = "integer" if str(found.type) == "a number" else getattr(found.type, "kind", "")
        if actual != wanted:
            raise self.error(f"Out.{kind} does not print {found.type}", arguments[0].span)
        if len(arguments) > 1:  # Oberon's width, of which this module makes nothing
            self.expressions.fitted(arguments[1], INT32, f"the width of Out.{kind}")
        self._simple(Print(kind, "", found.scalar), label)

    # --- communication ------------------------------------------------------------------------------------------------

    def _communicate(
        self,
        parts: Sequence[tuple[syntax.Communication, syntax.Expression | None, Span]],
        selects: bool,
        span: Span,
    ) -> Callable[[int, int], None]:
        """One communication, or those of a SELECT; what is returned is told where each goes on."""
        if self.is_property:
            raise self.error("a PROPERTY only looks: it cannot communicate", parts[0][0].span)
        pending = Pending(self._private)
        alternatives = []
        rechecks = False
        for communication, guard, _ in parts:
            alternative = self._alternative(communication, guard, pending)
            if alternative.guard is not None:
                rechecks |= any(not self._private(load.place) for load in loads(alternative.guard))
            alternatives.append(alternative)
        at = self.code.add(
            Communicate(tuple(alternatives), selects, (), (), -1, rechecks),
            self.label(span, "SELECT") if selects else alternatives[0].statement,
        )
        self.frame.pending[at] = (pending.ports, pending.values, len(parts))
        if not selects:
            self._goes_on(at, 0, at + 1)
        return lambda number, here: self._goes_on(at, number, here)

    def _goes_on(self, at: int, number: int, here: int) -> None:
        found = self.code.instructions[at]
        assert isinstance(found, Communicate)
        alternatives = list(found.alternatives)
        alternatives[number] = replace(alternatives[number], next=here)
        self.code.instructions[at] = replace(found, alternatives=tuple(alternatives))

    def _alternative(
        self, node: syntax.Communication, guard: syntax.Expression | None, pending: Pending
    ) -> Alternative:
        port = self.expressions.value(node.port)
        if not isinstance(port.type, PortType):
            raise self.error(f"communication needs a port; this is {port.type}", node.port.span)
        verb = "send" if node.sends else "receive"
        if port.type.direction and port.type.direction != ("!" if node.sends else "?"):
            other = "receive" if node.sends else "send"
            raise self.error(f"this port may only {other}", node.span, hint=f"it is declared as {port.type}")
        channel = port.type.channel
        if node.message not in channel.messages:
            known = ", ".join(channel.messages)
            raise self.error(
                f"channel type {channel} has no message {node.message}", node.message_span, hint=f"it has {known}"
            )
        message, data = channel.messages[node.message]
        if len(data) != len(node.arguments):
            raise self.error(
                f"message {node.message} of {channel} carries {len(data)} value{'' if len(data) == 1 else 's'}, "
                f"not {len(node.arguments)}",
                node.span,
            )
        values: list[tuple[Expression, Scalar]] = []
        targets: list[Target] = []
        for argument, type_ in zip(node.arguments, data, strict=True):
            if node.sends:
                found = self.expressions.fitted(argument, type_, f"value of {node.message}")
                values += self._sent(found, type_, pending)
            else:
                targets += self._received(argument, type_, node.message, pending)
        if max(len(values), len(targets)) > _MOST_FIELDS:
            raise self.error(f"a message has at most {_MOST_FIELDS} numbers", node.span)
        checked = None if guard is None else self.expressions.condition(guard)
        label = self.label(node.span, self._text(node.span) + ("" if guard is None else f" & {self._text(guard.span)}"))
        text = f"{verb} {node.message}"
        return Alternative(
            node.sends,
            pending.kept(port.scalar, PORT),
            message,
            text,
            tuple(values),
            tuple(targets),
            checked,
            -1,
            label,
        )

    def _sent(self, found: Typed, type_: Type, pending: Pending) -> Iterator[tuple[Expression, Scalar]]:
        if found.value is not None:
            scalar = type_ if isinstance(type_, Scalar) else PORT_BYTE
            yield pending.kept(found.value, scalar), scalar
            return
        assert found.place is not None
        place = found.place
        for _, offset, scalar in scalars(type_):
            yield pending.kept(Load(Place(place.base, place.offset + offset, place.indexing), scalar), scalar), scalar

    def _received(self, node: syntax.Expression, type_: Type, message: str, pending: Pending) -> Iterator[Target]:
        entity = self.expressions.entity(node) if isinstance(node, syntax.Name | syntax.Field) else None
        if isinstance(node, syntax.Number | syntax.Character | syntax.Truth) or isinstance(entity, ConstantEntity):
            # What is received must be equal to it.
            found = self.expressions.fitted(node, type_, f"value of {message}")
            assert isinstance(type_, Scalar) and found.constant is not None
            yield Target(None, type_, found.constant)
            return
        place, actual, _ = self._writable(node)
        purpose = f"value of {message}"
        if isinstance(actual, PortType) and isinstance(type_, PortType):
            if actual.channel is not type_.channel:
                raise self.error(f"{purpose}: this is {actual}, where {type_} is needed", node.span)
        else:
            if not same(actual, type_):
                raise self.error(f"{purpose}: this is {actual}, where a variable of type {type_} is needed", node.span)
        place = pending.kept_place(place)
        for _, offset, scalar in scalars(type_):
            yield Target(Place(place.base, place.offset + offset, place.indexing), scalar)

    def _private(self, place: Place) -> bool:
        """Can only this process change what lies there? Then it stays as it is while the process waits."""
        return place.base.hops == 0 and not place.base.reference and not self._is_shared(place.base.offset)

    def _is_shared(self, offset: int) -> bool:
        scope = self.expressions.scope
        for entity in scope.names.values():
            if not isinstance(entity, VariableEntity) or entity.level != self.expressions.level:
                continue
            size = REFERENCE_BYTES if entity.reference else size_of(entity.type)
            if entity.offset <= offset < entity.offset + size:
                return entity.shared or self._may_be_referred_to(entity)
        return False
