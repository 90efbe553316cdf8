"""Declarations: types, variables, channels and their start values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kripke.languages.promela import syntax
from kripke.languages.promela.lowering.expressions import Context, ExpressionLowering, constant_value
from kripke.languages.promela.lowering.symbols import (
    BASIC_TYPES,
    REFERENCE,
    FieldType,
    Scope,
    StructType,
    Symbol,
    components,
    declared_channels,
    names_of_scalars,
    start_values,
    suggestion,
    unsigned,
)
from kripke.model.source import Span
from kripke.process.expressions import ChannelIdentity, Expression, IntType, Place
from kripke.process.passes.suspicious import misfit_message
from kripke.process.program import MAX_CAPACITY, Action, Assign, Channel, Variable
from kripke.process.program import Scope as Reach

MAX_VARIABLE_BYTES = 1 << 20
MAX_CHANNELS = 255


@dataclass(slots=True)
class Storage:
    """The variables and channels of a program or a process type, in order of declaration."""

    reach: Reach
    owner: str = ""
    variables: list[Variable] = field(default_factory=list)
    channels: list[Channel] = field(default_factory=list)
    setup: list[Action] = field(default_factory=list)
    hidden: list[Symbol] = field(default_factory=list)
    taken: dict[str, int] = field(default_factory=dict)

    def unique(self, name: str) -> str:
        """A name for display: the second ``x`` of a process is ``x'2``."""
        count = self.taken[name] = self.taken.get(name, 0) + 1
        return name if count == 1 else f"{name}'{count}"


class DeclarationLowering:
    """Declares names in a scope and gives them storage."""

    def __init__(self, context: Context, storage: Storage) -> None:
        self.context = context
        self.storage = storage

    # --- types --------------------------------------------------------------------------------------------------------

    def type_of(self, name: syntax.TypeName, width: int | None = None) -> IntType | StructType:
        if name.name == "unsigned":
            if width is not None and not 1 <= width <= 31:
                raise self.context.fail("the width of an unsigned is from 1 to 31", name.span)
            return unsigned(16 if width is None else width)
        if width is not None:
            raise self.context.fail("only an unsigned has a width", name.span)
        if name.name == "ref":
            return REFERENCE
        basic = BASIC_TYPES.get(name.name)
        if basic is not None:
            return basic
        if self.context.data is not None and name.name in self.context.data.types:
            return self.context.data.types[name.name]
        struct = self.context.structs.get(name.name)
        if struct is None:
            hint = suggestion(name.name, [*BASIC_TYPES, *self.context.structs])
            raise self.context.fail(f"unknown type '{name.name}'", name.span, hint)
        return struct

    def typedef(self, node: syntax.Typedef) -> None:
        if node.name in self.context.structs:
            raise self.context.fail(f"type '{node.name}' is declared twice", node.span)
        fields: dict[str, FieldType] = {}
        offset = 0
        for declaration in node.fields:
            for variable in declaration.variables:
                type_ = self.type_of(declaration.type, variable.width)
                if variable.name in fields:
                    raise self.context.fail(f"field '{variable.name}' is declared twice", variable.span)
                count = self._count(variable)
                item = self._field(declaration.type, variable, _element(type_, count), count, offset)
                if item.size > MAX_VARIABLE_BYTES:
                    raise self.context.fail(f"'{variable.name}' is too large", variable.span)
                fields[variable.name] = item
                offset += item.size
        self.context.structs[node.name] = StructType(node.name, fields, offset)

    def _field(
        self,
        name: syntax.TypeName,
        variable: syntax.Variable,
        type_: IntType | StructType,
        count: int | None,
        offset: int,
    ) -> FieldType:
        initial: tuple[int, ...] = ()
        channel: syntax.ChannelInitializer | None = None
        names = self.enumeration(name)
        if isinstance(variable.initial, syntax.ChannelInitializer):
            if type_.name != "chan":
                raise self.context.fail(f"'{variable.name}' is not a channel", variable.span)
            channel = variable.initial
        elif variable.initial is not None:
            if isinstance(type_, StructType):
                self.context.warn(f"the start value of '{variable.name}' is ignored: it is a structure", variable.span)
                return FieldType(type_, offset, count, names, initial, channel)
            symbol = Symbol(variable.name, type_, count)
            values = [constant_value(value) for value in self._initial_values(symbol, variable, Scope(None))]
            initial = self._wrapped(type_, values, variable)
            if len(initial) < len(values):
                raise self.context.fail("the start value of a field must be a constant", variable.span)
        return FieldType(type_, offset, count, names, initial, channel)

    def enumeration(self, name: syntax.TypeName) -> dict[int, str] | None:
        """The names of the values of a type, if they have names."""
        if name.name == "mtype":
            return self.context.mtype_names.get(name.subtype, {})
        if name.name == "bool":
            return {0: "false", 1: "true"}
        if name.name == "ref" and self.context.references is not None:
            return self.context.references.names[name.subtype or ""]
        if self.context.data is not None:
            return self.context.data.names.get(name.name) or None
        return None

    def constant(self, expression: syntax.Expression, what: str, scope: Scope) -> int:
        """The value of an expression made of constants."""
        lowered = ExpressionLowering(self.context, scope).expression(expression)
        value = constant_value(lowered)
        if value is None:
            raise self.context.fail(f"{what} must be a constant", expression.span)
        return value

    def _count(self, variable: syntax.Variable, scope: Scope | None = None) -> int | None:
        if variable.size is None:
            return None
        count = self._named_size(variable.size, scope)
        if count is None:
            count = self.constant(variable.size, "the size of an array", scope or Scope(None))
        if count < 1:
            raise self.context.fail("the size of an array must be at least 1", variable.size.span)
        if count > MAX_VARIABLE_BYTES:
            raise self.context.fail(f"an array of {count} elements is too large", variable.size.span)
        return count

    def _named_size(self, size: syntax.Expression, scope: Scope | None) -> int | None:
        """A variable as the size of an array: as in SPIN its start value, if that is a number above 0, else 8."""
        if not isinstance(size, syntax.Reference) or scope is None or size.index or size.field:
            return None
        symbol = scope.find(size.name)
        if symbol is None or symbol.variable is None or symbol.count is not None:
            return None
        value = symbol.start if symbol.start is not None and symbol.start > 0 else 8
        why = "its start value" if value == symbol.start else "as in SPIN: its start value is not a number above 0"
        self.context.warn(f"'{size.name}' as the size of an array is {value}, {why}", size.span)
        return value

    # --- variables ----------------------------------------------------------------------------------------------------

    def declare(
        self,
        declaration: syntax.Declaration,
        scope: Scope,
        *,
        starts_with_value: bool = True,
        makes_channels: bool = True,
    ) -> list[tuple[Symbol, syntax.Variable]]:
        """Declare the names of a declaration.

        ``starts_with_value``: start values belong to the first state; otherwise (a declaration between statements) the
        variable starts as 0 and the caller makes an assignment of the value. ``makes_channels``: channels that its type
        declares are made, too; a parameter gets those of its argument.
        """
        if declaration.nonatomic is not None and self.storage.reach is Reach.LOCAL:
            raise self.context.fail("only global variables can be nonatomic: nobody else sees others", declaration.span)
        if declaration.visibility == "hidden" and self.storage.reach is Reach.LOCAL:
            raise self.context.fail("only global variables can be hidden", declaration.span)
        declared = []
        for variable in declaration.variables:
            if variable.name in scope.symbols:
                raise self.context.fail(f"'{variable.name}' is declared twice", variable.span)
            if variable.name in self.context.mtypes and scope.parent is None:
                raise self.context.fail(f"'{variable.name}' is already the name of an mtype value", variable.span)
            symbol = self._symbol(declaration, variable, scope, starts_with_value, makes_channels)
            scope.symbols[variable.name] = symbol
            declared.append((symbol, variable))
        return declared

    def _symbol(
        self,
        declaration: syntax.Declaration,
        variable: syntax.Variable,
        scope: Scope,
        starts_with_value: bool,
        makes_channels: bool,
    ) -> Symbol:
        count = self._count(variable, scope)
        type_ = _element(self.type_of(declaration.type, variable.width), count)
        symbol = Symbol(variable.name, type_, count, private=declaration.visibility == "local")
        symbol.is_channel = isinstance(type_, IntType) and type_.name == "chan"
        if isinstance(variable.initial, syntax.Constant):
            symbol.start = variable.initial.value
        parts = components(type_, count)
        size = type_.size * (count or 1)
        if size > MAX_VARIABLE_BYTES:
            raise self.context.fail(f"'{variable.name}' is too large ({size} bytes)", variable.span)
        name = self.storage.unique(variable.name)
        if isinstance(variable.initial, syntax.ChannelInitializer):
            if not symbol.is_channel:
                raise self.context.fail(f"'{variable.name}' is not a channel", variable.span)
            titles = [name] if count is None else [f"{name}[{i}]" for i in range(count)]
            symbol.channels = self._channels(titles, variable.initial, scope)
            symbol.message = tuple(self.type_of(name) for name in variable.initial.message)
            if variable.name not in self.context.assigned:
                return symbol
        initial = tuple(start_values(type_, count))
        symbol.variable = Variable(
            name,
            self.storage.reach,
            type_.name,
            tuple(parts),
            size,
            initial,
            scalar=count is None and isinstance(type_, IntType),
            span=variable.span,
            enumeration=self.enumeration(declaration.type),
            is_channel=symbol.is_channel,
            nonatomic=declaration.nonatomic is not None,
        )
        self.storage.variables.append(symbol.variable)
        if declaration.visibility == "hidden":
            self.storage.hidden.append(symbol)
        if isinstance(type_, StructType) and makes_channels:
            for title, offset, channel in declared_channels(type_, count, name):
                made = self._channels([title], channel, scope)[0]
                place = Place(symbol.variable, BASIC_TYPES["chan"], offset)
                self._at_start(Assign(place, ChannelIdentity(made)), variable.span)
        if symbol.channels:
            self._start_as_channels(symbol)
        elif variable.initial is not None and starts_with_value:
            self._start_value(symbol, variable, scope)
        return symbol

    def counter(self, name: str, scope: Scope, span: Span) -> None:
        """A variable that the model does not name."""
        self.declare_known(name, BASIC_TYPES["byte"], scope, span)

    def declare_known(self, name: str, type_: IntType, scope: Scope, span: Span, *, kept: bool = False) -> Variable:
        """A variable that is there without a declaration."""
        parts = tuple(components(type_, None))
        title = self.storage.unique(name)
        variable = Variable(title, self.storage.reach, type_.name, parts, type_.size, (0,), True, span, kept=kept)
        self.storage.variables.append(variable)
        scope.symbols[name] = Symbol(name, type_, None, variable, read=True)
        return variable

    def _start_as_channels(self, symbol: Symbol) -> None:
        """A channel variable that is assigned later: it starts as the channel it was declared with."""
        assert symbol.variable is not None
        for i, channel in enumerate(symbol.channels):
            place = Place(symbol.variable, BASIC_TYPES["chan"], i)
            self._at_start(Assign(place, ChannelIdentity(channel)), symbol.variable.span)
        symbol.channels = ()

    def _at_start(self, assign: Assign, span: Span) -> None:
        """A start value that is not a constant is computed when the process (or the model) starts."""
        statement = self.context.table.add_unnumbered(span, self.storage.owner)
        self.storage.setup.append(Action(assign, statement))

    def _start_value(self, symbol: Symbol, variable: syntax.Variable, scope: Scope) -> None:
        assert symbol.variable is not None
        if self._is_data(symbol):
            self._start_data(symbol, variable, scope)
            return
        if isinstance(symbol.type, StructType):
            self.context.warn(f"the start value of '{symbol.name}' is ignored: it is a structure", variable.span)
            return
        values = self._initial_values(symbol, variable, scope)
        constants = [constant_value(value) for value in values]
        if all(value is not None for value in constants):
            symbol.variable.initial = self._wrapped(symbol.type, constants, variable)
            return
        for part, value in zip(symbol.variable.components, values, strict=True):
            place = Place(symbol.variable, symbol.type, part.offset)
            self._at_start(Assign(place, value), variable.span)

    def _is_data(self, symbol: Symbol) -> bool:
        """Is it of an imported type?"""
        type_ = symbol.type
        return type_.data is not None if isinstance(type_, StructType) else type_.values is not None

    def _start_data(self, symbol: Symbol, variable: syntax.Variable, scope: Scope) -> None:
        from kripke.languages.promela.lowering.data import Values

        assert symbol.variable is not None
        initial = variable.initial
        assert initial is not None and not isinstance(initial, syntax.ChannelInitializer | syntax.ArrayInitializer)
        lowering = ExpressionLowering(self.context, scope, in_process=self.storage.reach is Reach.LOCAL)
        values = Values(lowering).scalars(initial, symbol.type) * (symbol.count or 1)
        constants = [constant_value(value) for value in values]
        if all(value is not None for value in constants):
            symbol.variable.initial = tuple(value for value in constants if value is not None)
            return
        for part, value in zip(symbol.variable.components, values, strict=True):
            self._at_start(Assign(Place(symbol.variable, part.type, part.offset), value), variable.span)

    def _wrapped(self, type_: IntType, values: Sequence[int | None], variable: syntax.Variable) -> tuple[int, ...]:
        """The constants as the variable keeps them, with a warning where one does not fit."""
        for value in dict.fromkeys(values):
            if value is not None and type_.wrap(value) != value:
                message = misfit_message(value, type_, f"'{variable.name}'")
                self.context.warn(message, variable.span, "out-of-range")
        return tuple(type_.wrap(value) for value in values if value is not None)

    def _initial_values(self, symbol: Symbol, variable: syntax.Variable, scope: Scope) -> list[Expression]:
        lowering = ExpressionLowering(self.context, scope, in_process=self.storage.reach is Reach.LOCAL)
        count = symbol.count or 1
        initial = variable.initial
        if isinstance(initial, syntax.ArrayInitializer):
            if symbol.count is None:
                raise self.context.fail(f"'{symbol.name}' is not an array", variable.span)
            given = self.elements(initial, count, variable.span)[: len(initial.values)]
            values = [lowering.expression(value) for value in given]
            return values + values[-1:] * (count - len(values))
        assert initial is not None and not isinstance(initial, syntax.ChannelInitializer)
        return [lowering.expression(initial)] * count

    def elements(self, initial: syntax.ArrayInitializer, count: int, span: Span) -> list[syntax.Expression]:
        """The start values of the elements of an array. As in SPIN, the last one stands for those that are missing."""
        if len(initial.values) > count:
            message = f"{len(initial.values)} start values for an array of {count}: the rest is ignored, as in SPIN"
            self.context.warn(message, span)
        values = list(initial.values[:count])
        return values + values[-1:] * (count - len(values))

    # --- channels -----------------------------------------------------------------------------------------------------

    def _channels(self, titles: list[str], initializer: syntax.ChannelInitializer, scope: Scope) -> tuple[Channel, ...]:
        capacity = self.constant(initializer.capacity, "the capacity of a channel", scope)
        if not 0 <= capacity <= MAX_CAPACITY:
            raise self.context.fail(f"a channel's capacity is from 0 to {MAX_CAPACITY}", initializer.span)
        if capacity == 0:
            self.context.rendezvous = True
        fields, names = self.message(initializer)
        made = []
        for title in titles:
            if len(self.storage.channels) >= MAX_CHANNELS:
                raise self.context.fail(f"more than {MAX_CHANNELS} channels", initializer.span)
            channel = Channel(
                title,
                self.storage.reach,
                capacity,
                fields,
                len(self.storage.channels),
                initializer.span,
                names,
            )
            self.storage.channels.append(channel)
            made.append(channel)
        if sum(channel.size for channel in made) > MAX_VARIABLE_BYTES:
            raise self.context.fail("the buffers of these channels are too large", initializer.span)
        return tuple(made)

    def message(
        self, initializer: syntax.ChannelInitializer
    ) -> tuple[tuple[IntType, ...], tuple[dict[int, str] | None, ...]]:
        fields: list[IntType] = []
        names: list[dict[int, str] | None] = []
        for name in initializer.message:
            type_ = self.type_of(name)
            if isinstance(type_, IntType):
                fields.append(type_)
                names.append(self.enumeration(name))
                continue
            scalars = type_.scalars()
            if scalars is None:
                raise self.context.fail(
                    f"'{type_.name}' has an array of structures in it and cannot be sent", name.span
                )
            fields.extend(scalars)
            names.extend(names_of_scalars(type_))
        if len(fields) == 1 and fields[0].bits == 1 and fields[0].values is None:
            # SPIN gives a message of a single bit a whole byte: `q!2` arrives as 2.
            fields = [BASIC_TYPES["byte"]]
        return tuple(fields), tuple(names)


def _element(type_: IntType | StructType, count: int | None) -> IntType | StructType:
    """The type of the elements of an array: SPIN makes an array of bytes of an array of bits."""
    if count is not None and isinstance(type_, IntType) and type_.bits == 1 and type_.values is None:
        return IntType(type_.name, 8, False)
    return type_
