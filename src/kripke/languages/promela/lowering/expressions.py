"""Promela expressions and references, with names resolved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NoReturn

from kripke.languages.promela import syntax
from kripke.languages.promela.lowering.symbols import (
    BASIC_TYPES,
    ELEMENTS,
    LENGTH,
    TAG,
    Scope,
    StructType,
    Symbol,
    suggestion,
)
from kripke.languages.promela.lowering.table import StatementTable
from kripke.languages.promela.node import walk
from kripke.model.source import Diagnostic, ModelError, Sources, Span
from kripke.process.evaluation import StepFailed, apply_binary, apply_unary
from kripke.process.expressions import (
    AnyInstance,
    AskChannel,
    AtLocation,
    Binary,
    BinaryOperator,
    Bind,
    ChannelElement,
    ChannelIdentity,
    ChannelQuestion,
    Conditional,
    Constant,
    CValue,
    Enabled,
    Expression,
    Ignore,
    Index,
    IntType,
    Match,
    NoProgress,
    OwnPid,
    Pattern,
    Place,
    Poll,
    Priority,
    ProcessCount,
    ProgramCounter,
    Read,
    RemoteRead,
    Timeout,
    Unary,
    UnaryOperator,
)
from kripke.process.program import ProcessType

if TYPE_CHECKING:
    from kripke.languages.promela.lowering.data import DataTypes
    from kripke.languages.promela.lowering.embedded import EmbeddedLowering
    from kripke.languages.promela.lowering.firings import Firings
    from kripke.languages.promela.lowering.responses import Responses
    from kripke.languages.promela.references import References
    from kripke.process.passes.exclusive import Claim

_BINARY = {symbol.value: symbol for symbol in BinaryOperator}
_UNARY = {symbol.value: symbol for symbol in UnaryOperator}
_QUESTION = {question.value: question for question in ChannelQuestion}
# Which claims (xr, xs) make a look at a channel a private matter of the process that made them.
_CLAIMS = {"len": {"xr", "xs"}, "empty": {"xs"}, "full": {"xr"}, "nempty": {"xr"}, "nfull": {"xs"}}


@dataclass(slots=True)
class PendingLabel:
    """A label of another process that an expression asks about, resolved when all bodies are lowered."""

    process: str
    label: str
    span: Span


@dataclass(slots=True)
class Context:
    """What every part of the lowering shares."""

    sources: Sources
    table: StatementTable
    warnings: list[Diagnostic] = field(default_factory=list)
    mtypes: dict[str, int] = field(default_factory=dict)
    #: the names of the values of every subtype of mtype
    mtype_names: dict[str | None, dict[int, str]] = field(default_factory=dict)
    structs: dict[str, StructType] = field(default_factory=dict)
    processes: dict[str, ProcessType] = field(default_factory=dict)
    process_scopes: dict[str, Scope] = field(default_factory=dict)
    process_items: dict[str, syntax.Proctype | syntax.Init] = field(default_factory=dict)
    pending_labels: list[PendingLabel] = field(default_factory=list)
    #: names that are assigned somewhere: a channel of such a name is a variable
    assigned: frozenset[str] = frozenset()
    rendezvous: bool = False
    priorities: bool = False
    #: where enabled() is used first
    enabled: Span | None = None
    #: may C code of the model be compiled and run? what there is of it; the process whose body is being lowered
    allow_c: bool = False
    embedding: EmbeddedLowering | None = None
    current: ProcessType | None = None
    references: References | None = None
    #: what formulas and assertions say about steps, where there are any
    firings: Firings | None = None
    responses: Responses | None = None
    #: what xr and xs say
    claims: list[Claim] = field(default_factory=list)
    #: imported types, and the types of the messages of all channels: which one it is may not be known
    data: DataTypes | None = None
    messages: list[tuple[IntType, ...]] = field(default_factory=list)

    def c_code(self, span: Span) -> EmbeddedLowering:
        """Where C code goes. ModelError unless it is allowed."""
        if not self.allow_c:
            hint = "C code can do whatever your account can; if you trust this model, allow it with --allow-c"
            raise self.fail("this model has C code in it, which is not run unless you allow it", span, hint)
        if self.embedding is None:
            from kripke.languages.promela.lowering.embedded import EmbeddedLowering

            self.embedding = EmbeddedLowering(self)
        return self.embedding

    def fail(self, message: str, span: Span, hint: str | None = None) -> ModelError:
        return self.sources.error(message, span, hint)

    def warn(self, message: str, span: Span, category: str | None = None) -> None:
        self.warnings.append(Diagnostic(message, span, category=category))

    def unsupported(self, what: str, span: Span) -> NoReturn:
        raise self.fail(f"{what}: not supported yet", span)


@dataclass(slots=True)
class Touched:
    """What a statement touches, by SPIN's rules for what other processes can see.

    Subscripts and the arguments of ``run`` do not count there.
    """

    shared: bool = False
    channels: list[tuple[Symbol, set[str]]] = field(default_factory=list)

    def is_shared(self) -> bool:
        """Known when the whole model has been read: every ``xr`` and ``xs``."""
        return self.shared or any(not needed <= symbol.exclusive for symbol, needed in self.channels)


class ExpressionLowering:
    """Lowers expressions in one scope, noting what they touch."""

    def __init__(self, context: Context, scope: Scope, *, in_process: bool = True) -> None:
        self.context = context
        self.scope = scope
        self.in_process = in_process
        self.touched = Touched()
        self._quiet = 0
        self._printing = False
        #: the run that the statement of this expression executes: here it stands for the pid of the youngest process
        self.started: syntax.Run | None = None
        #: the runs met, where they are executed when this expression has been evaluated: the pids there will be
        self.runs: list[syntax.Run] | None = None

    # --- names --------------------------------------------------------------------------------------------------------

    def symbol(self, reference: syntax.Reference) -> Symbol:
        symbol = self.scope.find(reference.name)
        if symbol is None:
            names = [*self.scope.names(), *self.context.mtypes]
            raise self.context.fail(
                f"unknown name '{reference.name}'", reference.span, suggestion(reference.name, names)
            )
        return symbol

    def is_value_name(self, reference: syntax.Reference) -> bool:
        """Is it the name of an mtype value?"""
        return (
            reference.index is None
            and reference.field is None
            and reference.name in self.context.mtypes
            and self.scope.find(reference.name) is None
        )

    def _touch(self, symbol: Symbol) -> None:
        if not self._quiet and not symbol.is_local and not symbol.private:
            self.touched.shared = True

    def _subscript(self, expression: syntax.Expression) -> Expression:
        self._quiet += 1
        lowered = self.expression(expression)
        self._quiet -= 1
        value = constant_value(lowered)
        return lowered if value is None else Constant(value)

    def place(self, reference: syntax.Reference, *, reading: bool) -> Place:
        """The scalar a reference names."""
        symbol = self.symbol(reference)
        if symbol.variable is None:
            raise self.context.fail(f"'{reference.name}' is a channel, not a variable", reference.span)
        self._touch(symbol)
        if reading and not self._printing:
            symbol.read = True
        place, type_, conditions = self._descend(symbol, reference)
        if isinstance(type_, StructType):
            raise self.context.fail(f"'{reference.name}' is a structure: name one of its fields", reference.span)
        if conditions and reading:
            hint = "assign it to a variable first"
            raise self.context.fail(f"'{reference.name}' has a component here that may be absent", reference.span, hint)
        return place

    def component(self, reference: syntax.Reference) -> tuple[Place, IntType | StructType, list[Expression]]:
        """The part that a reference names, and what has to be true for it to be there."""
        symbol = self.symbol(reference)
        if symbol.variable is None:
            raise self.context.fail(f"'{reference.name}' is a channel, not a variable", reference.span)
        self._touch(symbol)
        return self._descend(symbol, reference)

    def _descend(
        self, symbol: Symbol, reference: syntax.Reference
    ) -> tuple[Place, IntType | StructType, list[Expression]]:
        """Follow subscripts and fields from a variable to the part meant; what has to be true for it to be there."""
        conditions: list[Expression] = []
        assert symbol.variable is not None
        type_, count, offset = symbol.type, symbol.count, 0
        indices: list[Index] = []
        part: syntax.Reference | None = reference
        name = reference.name
        while part is not None:
            if part.index is not None and count is None and isinstance(type_, StructType) and ELEMENTS in type_.fields:
                part = syntax.Reference(
                    name, None, syntax.Reference(ELEMENTS, part.index, part.field, span=part.span), span=part.span
                )
            if part.index is not None:
                if count is None:
                    raise self.context.fail(f"'{name}' is not an array", part.span)
                value = self._subscript(part.index)
                if isinstance(value, Constant) and 0 <= value.value < count:
                    offset += value.value * type_.size
                else:
                    indices.append(Index(value, count, type_.size))
            elif count is not None:
                raise self.context.fail(f"'{name}' is an array: a subscript is missing", part.span)
            if part.field is None:
                break
            if not isinstance(type_, StructType):
                raise self.context.fail(f"'{name}' has no fields", part.span)
            part = part.field
            item = type_.fields.get(part.name)
            if item is None:
                hint = suggestion(part.name, list(type_.fields))
                raise self.context.fail(f"'{type_.name}' has no field '{part.name}'", part.span, hint)
            if type_.data is not None:
                whole = Place(symbol.variable, BASIC_TYPES["byte"], offset, tuple(indices))
                conditions += self._presence(whole, type_, part)
            offset += item.offset
            type_, count, name = item.type, item.count, part.name or name
        if isinstance(type_, StructType):
            first = next(iter(type_.fields.values()))
            while isinstance(first.type, StructType):
                first = next(iter(first.type.fields.values()))
            return Place(symbol.variable, first.type, offset, tuple(indices)), type_, conditions
        return Place(symbol.variable, type_, offset, tuple(indices)), type_, conditions

    def _presence(self, whole: Place, type_: StructType, part: syntax.Reference) -> Iterator[Expression]:
        """What has to be true for a component of an imported type to be there."""

        def read(name: str) -> Read:
            item = type_.fields[name]
            assert isinstance(item.type, IntType)
            return Read(replace(whole, type=item.type, offset=whole.offset + item.offset))

        if TAG in type_.fields and part.name != TAG and len(type_.fields) > 1:
            number = list(type_.fields).index(part.name) - 1
            yield Binary(BinaryOperator.EQUAL, read(TAG), Constant(number))
        if f"{part.name}?" in type_.fields:
            yield read(f"{part.name}?")
        if part.name == ELEMENTS and LENGTH in type_.fields and part.index is not None:
            index = self._subscript(part.index)
            yield Binary(BinaryOperator.LESS, index, read(LENGTH))

    def struct_scalars(self, reference: syntax.Reference) -> tuple[list[Expression], StructType] | None:
        """The scalars of a structure that is read as a whole; None if it is none."""
        symbol = self.scope.find(reference.name)
        if symbol is None or symbol.variable is None:
            return None
        place, type_, conditions = self._descend(symbol, reference)
        if not isinstance(type_, StructType):
            return None
        self._touch(symbol)
        symbol.read = True
        return [given(conditions, Read(part)) for part in scalar_places(place, type_)], type_

    def _equality(self, symbol: BinaryOperator, left: syntax.Expression, right: syntax.Expression) -> Expression | None:
        """Structures are equal where all their scalars are; None where these are none."""
        from kripke.languages.promela.lowering.data import Values

        for one, other in ((left, right), (right, left)):
            known = self.struct_scalars(one) if isinstance(one, syntax.Reference) else None
            if known is None:
                continue
            scalars, type_ = known
            if type_.data is None:
                raise self.context.fail(f"'{type_.name}' is a structure: name one of its fields", one.span)
            others = Values(self).scalars(other, type_)
            found: Expression | None = None
            for first, second in zip(scalars, others, strict=True):
                same = Binary(BinaryOperator.EQUAL, first, second)
                found = same if found is None else Binary(BinaryOperator.LOGICAL_AND, found, same)
            assert found is not None
            return found if symbol is BinaryOperator.EQUAL else Unary(UnaryOperator.NOT, found)
        return None

    def struct_places(self, reference: syntax.Reference, *, reading: bool) -> list[Place] | None:
        """The scalar fields of a structure used as a whole (in a message); None if it is no structure."""
        symbol = self.scope.find(reference.name)
        if symbol is None or symbol.variable is None:
            return None
        place, type_, conditions = self._descend(symbol, reference)
        if not isinstance(type_, StructType):
            return None
        if conditions:
            hint = "assign it to a variable first"
            raise self.context.fail(f"'{reference.name}' has a component here that may be absent", reference.span, hint)
        self._touch(symbol)
        symbol.read = symbol.read or reading
        if type_.scalars() is None:
            message = "a structure with an array of structures in it cannot be sent as a whole"
            raise self.context.fail(message, reference.span)
        return scalar_places(place, type_)

    # --- channels -----------------------------------------------------------------------------------------------------

    def channel(self, reference: syntax.Reference) -> tuple[Expression, Symbol]:
        """The channel a statement works on."""
        symbol = self.symbol(reference)
        self._quiet += 1
        expression = self._channel_value(symbol, reference)
        self._quiet -= 1
        return expression, symbol

    def _channel_value(self, symbol: Symbol, reference: syntax.Reference) -> Expression:
        if symbol.channels:
            return self._declared_channel(symbol, reference)
        place = self.place(reference, reading=True)
        if place.type.name != "chan":
            raise self.context.fail(f"'{reference.name}' is not a channel", reference.span)
        return Read(place)

    def _declared_channel(self, symbol: Symbol, reference: syntax.Reference) -> Expression:
        if reference.field is not None:
            raise self.context.fail(f"'{symbol.name}' has no fields", reference.span)
        if symbol.count is None:
            if reference.index is not None:
                raise self.context.fail(f"'{symbol.name}' is not an array", reference.span)
            return ChannelIdentity(symbol.channels[0])
        if reference.index is None:
            raise self.context.fail(f"'{symbol.name}' is an array: a subscript is missing", reference.span)
        index = self._subscript(reference.index)
        if isinstance(index, Constant) and 0 <= index.value < symbol.count:
            return ChannelIdentity(symbol.channels[index.value])
        return ChannelElement(symbol.channels, index)

    # --- expressions --------------------------------------------------------------------------------------------------

    def printed(self, expression: syntax.Expression) -> Expression:
        """An argument of printf: looking at a variable there does not count as a use."""
        self._printing = True
        lowered = self.expression(expression)
        self._printing = False
        return lowered

    def mention(self, arguments: Sequence[syntax.Expression]) -> None:
        """The arguments of an inline call count as read, whatever the inline does with them."""
        for node in walk(tuple(arguments)):
            if isinstance(node, syntax.Reference):
                symbol = self.scope.find(node.name)
                if symbol is not None:
                    symbol.read = True

    def expression(self, expression: syntax.Expression) -> Expression:
        match expression:
            case syntax.Constant(value):
                return Constant(value)
            case syntax.Reference():
                return self._reference(expression)
            case syntax.AnyReference(_, instance):
                assert instance is not None
                return AnyInstance(instance)
            case syntax.Unary(operator, operand):
                return self._unary(_UNARY[operator], self.expression(operand))
            case syntax.Binary(operator, left, right):
                return self._binary(expression, operator, left, right)
            case syntax.Conditional(condition, then, otherwise):
                return Conditional(self.expression(condition), self.expression(then), self.expression(otherwise))
            case syntax.ChannelQuery(operator, channel):
                found, symbol = self.channel(channel)
                self._touch_channel(symbol, _CLAIMS[operator])
                return AskChannel(_QUESTION[operator], found)
            case syntax.Poll(channel, arguments, anywhere):
                found, symbol = self.channel(channel)
                self._touch_channel(symbol, {"xr", "xs"})
                if symbol.channels and not symbol.channels[0].capacity:
                    message = f"'{symbol.name}' is a rendezvous channel: a poll is always false (an error in SPIN)"
                    self.context.warn(message, expression.span)
                return Poll(found, self.patterns(arguments, binding=False), anywhere)
            case syntax.Timeout():
                self._touch_everything()
                return Timeout()
            case syntax.RemoteLabel():
                return self._remote_label(expression)
            case syntax.RemoteVariable():
                return self._remote_variable(expression)
            case syntax.Run():
                if expression is self.started:
                    return Binary(BinaryOperator.SUBTRACT, ProcessCount(), Constant(1))
                if self.runs is not None:
                    self.runs.append(expression)
                    return ProcessCount()
                hint = "write it as a statement of its own: 'run P()' or 'x = run P()'"
                raise self.context.fail("'run' cannot be a part of this expression", expression.span, hint)
            case syntax.NonProgress():
                self._touch_everything()
                return NoProgress()
            case syntax.ProcessQuery(operator, operand):
                return self._process_query(expression, operator, operand)
            case syntax.CExpression():
                return self.c_value(expression, truth=False)
            case syntax.Present(component):
                return self._present(expression, component)
            case syntax.RecordValue() | syntax.ListValue() | syntax.ChoiceValue():
                message = "a structured value stands alone: assigned, sent, or compared with a variable"
                raise self.context.fail(message, expression.span)
            case syntax.Fires():
                message = "fires(...) is about a step, not about a state: only formulas of linear time have it"
                raise self.context.fail(message, expression.span)
            case syntax.Moves():
                message = "moves(...) is about a step, not about a state: only formulas of linear time have it"
                raise self.context.fail(message, expression.span)
            case syntax.NextOf() | syntax.TemporalUnary() | syntax.TemporalBinary() | syntax.SpecificationPattern():
                raise self.context.fail("a temporal operator cannot stand in a state expression", expression.span)
        raise AssertionError(expression)

    def c_value(self, node: syntax.CExpression, *, truth: bool) -> Expression:
        """A value that C computes; ``truth``: it only matters whether it is zero."""
        from kripke.languages.promela.lowering.embedded import c_text, touches_shared_data
        from kripke.process.embedded import Fragment

        embedded = self.context.c_code(node.span).embedded
        if touches_shared_data(node.text):
            self._touch_everything()
        text = c_text(node.text, node.span, node.line)
        fragment = Fragment(text, self.context.current, True, node.precondition, truth)
        return CValue(embedded.add(fragment), node.text)

    def _touch_channel(self, symbol: Symbol, claims: set[str]) -> None:
        if not self._quiet:
            self.touched.channels.append((symbol, claims))

    def _touch_everything(self) -> None:
        if not self._quiet:
            self.touched.shared = True

    def _unary(self, symbol: UnaryOperator, operand: Expression) -> Expression:
        if symbol is UnaryOperator.NEGATE and isinstance(operand, Constant):
            return Constant(apply_unary(symbol, operand.value))
        return Unary(symbol, operand)

    def _binary(
        self, node: syntax.Expression, operator: str, left: syntax.Expression, right: syntax.Expression
    ) -> Expression:
        symbol = _BINARY.get(operator)
        if symbol is None:
            raise self.context.fail(f"'{operator}' cannot stand in a state expression", node.span)
        if self.context.data is not None and symbol in (BinaryOperator.EQUAL, BinaryOperator.NOT_EQUAL):
            found = self._equality(symbol, left, right)
            if found is not None:
                return found
        return Binary(symbol, self.expression(left), self.expression(right))

    def _reference(self, reference: syntax.Reference) -> Expression:
        if self.is_value_name(reference):
            return Constant(self.context.mtypes[reference.name])
        named = self._item(reference)
        if named is not None:
            return Constant(named)
        symbol = self.scope.find(reference.name)
        if symbol is None and reference.name.startswith("_"):
            return self._predefined(reference)
        symbol = self.symbol(reference)
        if symbol.channels:
            self._touch(symbol)
            return self._declared_channel(symbol, reference)
        if self.context.data is None:
            return Read(self.place(reference, reading=True))
        place, type_, conditions = self.component(reference)
        if isinstance(type_, StructType):
            raise self.context.fail(f"'{reference.name}' is a structure: name one of its fields", reference.span)
        symbol.read = symbol.read or not self._printing
        return given(conditions, Read(place))

    def _present(self, node: syntax.Expression, component: syntax.Reference) -> Expression:
        symbol = self.symbol(component)
        _, _, conditions = self.component(component)
        symbol.read = True
        if not conditions:
            raise self.context.fail("this component is always there", node.span)
        return given(conditions[:-1], conditions[-1])

    def _item(self, reference: syntax.Reference) -> int | None:
        """The value of ``Type.name``; None where it is no such thing."""
        data = self.context.data
        if data is None or self.scope.find(reference.name) is not None:
            return None
        if reference.name in data.several and reference.field is None:
            owners = data.several[reference.name]
            hint = f"write {' or '.join(f'{owner}.{reference.name}' for owner in owners)}"
            raise self.context.fail(f"'{reference.name}' means several values", reference.span, hint)
        item = reference.field
        if reference.index is not None or item is None or item.index is not None or item.field is not None:
            return None
        return data.items.get(reference.name, {}).get(item.name)

    def _predefined(self, reference: syntax.Reference) -> Expression:
        match reference.name:
            case "_pid":
                if not self.in_process:
                    raise self.context.fail("'_pid' has no meaning outside a process", reference.span)
                return OwnPid()
            case "_nr_pr":
                self._touch_everything()
                return ProcessCount()
            case "_":
                raise self.context.fail("'_' can only be written to or received into", reference.span)
            case "_priority":
                raise self.context.fail("'_priority' has no meaning outside a process", reference.span)
        raise self.context.fail(f"unknown name '{reference.name}'", reference.span)

    # --- other processes ----------------------------------------------------------------------------------------------

    def _process(self, name: str, span: Span) -> ProcessType:
        process = self.context.processes.get(name)
        if process is None:
            hint = suggestion(name, list(self.context.processes))
            raise self.context.fail(f"there is no process type '{name}'", span, hint)
        return process

    def _process_query(self, node: syntax.ProcessQuery, operator: str, operand: syntax.Expression) -> Expression:
        self._touch_everything()
        pid = self._subscript(operand)
        match operator:
            case "enabled":
                self.context.enabled = self.context.enabled or node.span
                return Enabled(pid)
            case "pc_value":
                return ProgramCounter(pid)
            case _:
                return Priority(pid)

    def _remote_label(self, node: syntax.RemoteLabel) -> Expression:
        self._touch_everything()
        process = self._process(node.process, node.span)
        pid = self._subscript(node.pid) if node.pid is not None else None
        self.context.pending_labels.append(PendingLabel(node.process, node.label, node.span))
        return AtLocation(process, pid, (-len(self.context.pending_labels),))

    def _remote_variable(self, node: syntax.RemoteVariable) -> Expression:
        self._touch_everything()
        process = self._process(node.process, node.span)
        pid = self._subscript(node.pid) if node.pid is not None else None
        if node.variable.name == "_p" and pid is not None:
            return ProgramCounter(pid)
        scope = self.context.process_scopes.get(node.process)
        if scope is None or scope.find(node.variable.name) is None:
            raise self.context.fail(f"'{node.process}' has no variable '{node.variable.name}'", node.variable.span)
        inner = ExpressionLowering(self.context, scope)
        return RemoteRead(process, pid, inner.place(node.variable, reading=True))

    # --- messages -----------------------------------------------------------------------------------------------------

    def arguments(self, arguments: Sequence[syntax.Expression]) -> tuple[Expression, ...]:
        """The arguments of a ``run``; structures give all their fields. Looking at them does not count as shared."""
        self._quiet += 1
        values = self.values(arguments)
        self._quiet -= 1
        return tuple(value if (known := constant_value(value)) is None else Constant(known) for value in values)

    def values(
        self, arguments: Sequence[syntax.Expression], types: Sequence[IntType | StructType] = ()
    ) -> tuple[Expression, ...]:
        """The fields of a message to be sent; structures give all their fields. ``types`` are known of some."""
        found: list[Expression] = []
        for number, argument in enumerate(arguments):
            type_ = types[number] if number < len(types) else None
            if isinstance(type_, StructType) and type_.data is not None:
                from kripke.languages.promela.lowering.data import Values

                found += Values(self).scalars(argument, type_)
                continue
            if isinstance(argument, syntax.Reference) and not self.is_value_name(argument):
                places = self.struct_places(argument, reading=True)
                if places is not None:
                    found.extend(Read(place) for place in places)
                    continue
            found.append(self.expression(argument))
        return tuple(found)

    def patterns(self, arguments: Sequence[syntax.ReceiveArgument], *, binding: bool) -> tuple[Pattern, ...]:
        """What a receive does with the fields of a message."""
        found: list[Pattern] = []
        for argument in arguments:
            match argument:
                case syntax.Constant(value):
                    found.append(Match(Constant(value)))
                case syntax.Eval(expression):
                    found.append(Match(self.expression(expression)))
                case syntax.Reference(name="_"):
                    found.append(Ignore())
                case syntax.Reference() if self.is_value_name(argument):
                    found.append(Match(Constant(self.context.mtypes[argument.name])))
                case syntax.Reference() if (item := self._item(argument)) is not None:
                    found.append(Match(Constant(item)))
                case syntax.Reference():
                    found.extend(self._bind(argument, binding))
        return tuple(found)

    def _bind(self, argument: syntax.Reference, binding: bool) -> list[Pattern]:
        symbol = self.symbol(argument)
        if symbol.channels:
            if binding:
                raise self.context.fail(f"'{argument.name}' cannot be received into", argument.span)
            return [Match(self._declared_channel(symbol, argument))]
        places = self.struct_places(argument, reading=True)
        if places is None:
            places = [self.place(argument, reading=True)]
        # In a poll a variable stands for any value.
        return [Bind(place) if binding else Ignore() for place in places]


def scalar_places(place: Place, type_: StructType) -> list[Place]:
    """The scalars of a structure, in order."""
    found: list[Place] = []
    for item in type_.fields.values():
        for i in range(item.count or 1):
            offset = place.offset + item.offset + i * item.type.size
            if isinstance(item.type, StructType):
                found += scalar_places(replace(place, offset=offset), item.type)
            else:
                found.append(Place(place.variable, item.type, offset, place.indices))
    return found


def given(conditions: Sequence[Expression], value: Expression) -> Expression:
    """A value that is there where the conditions hold; the first is looked at first."""
    for condition in reversed(conditions):
        value = Binary(BinaryOperator.PRESENT, condition, value)
    return value


def constant_value(expression: Expression) -> int | None:
    """The value of an expression made of constants only; None where it is not, or cannot be evaluated.

    Only subscripts and sizes are folded: a guard that is written as a computation stays one, as in SPIN.
    """
    match expression:
        case Constant(value):
            return value
        case Unary(symbol, operand):
            inner = constant_value(operand)
            return None if inner is None else apply_unary(symbol, inner)
        case Binary(operator, left, right):
            first, second = constant_value(left), constant_value(right)
            if first is None or second is None:
                return None
            try:
                return apply_binary(operator, first, second)
            except StepFailed:
                return None
        case Conditional(condition, then, otherwise):
            test = constant_value(condition)
            return None if test is None else constant_value(then if test else otherwise)
        case _:
            return None
