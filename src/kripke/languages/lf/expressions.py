"""Expressions of LF with their types: from the syntax tree to the expressions of an action program.

Typing is strict: both sides of an operator have the same type, and only constants fit several. ``T(x)`` casts.
"""

from __future__ import annotations

from typing import NamedTuple

from kripke.actions.program import (
    BOOLEAN,
    Cast,
    Constant,
    Expression,
    Indexing,
    InRange,
    Load,
    Operation,
    Place,
    Scalar,
)
from kripke.languages.lf import syntax
from kripke.languages.lf.scopes import (
    ConstantEntity,
    Entity,
    ModuleEntity,
    Scope,
    TypeEntity,
    VariableEntity,
    what,
)
from kripke.languages.lf.types import (
    CHAR,
    INTEGER,
    NUMBER,
    PORT_BYTE,
    PREDEFINED,
    SET,
    SET_LITERAL,
    ArrayType,
    ChannelType,
    NumberType,
    PortType,
    RecordType,
    SetLiteralType,
    Type,
    same,
    size_of,
)
from kripke.model.source import ModelError, Sources, Span

_FUNCTIONS = frozenset(("ORD", "CHR", "ABS", "ODD", "LEN", "MIN", "MAX"))
_ARITHMETIC = frozenset(("+", "-", "*", "DIV", "MOD"))
_SETS = {"+": "union", "-": "minus", "*": "intersection", "/": "difference"}
_RELATIONS = frozenset(("=", "#", "<", "<=", ">", ">="))


class Typed(NamedTuple):
    """A value: a scalar expression, or the place of an array or a record."""

    value: Expression | None
    type: Type
    place: Place | None = None

    @property
    def constant(self) -> int | None:
        return self.value.value if isinstance(self.value, Constant) else None

    @property
    def scalar(self) -> Expression:
        assert self.value is not None
        return self.value


class Expressions:
    """Expressions in one scope, of a process at a level (0: of no process, only global variables)."""

    def __init__(self, scope: Scope, level: int, sources: Sources, allocate_system: object = None) -> None:
        self.scope = scope
        self.level = level
        self.sources = sources
        self._allocate_system = allocate_system

    def error(self, message: str, span: Span, hint: str | None = None) -> ModelError:
        return self.sources.error(message, span, hint=hint)

    # --- names --------------------------------------------------------------------------------------------------------

    def entity(self, node: syntax.Expression) -> Entity | None:
        """What a name, or a name of a module, stands for; None: it is no such thing."""
        if isinstance(node, syntax.Name):
            found = self.scope.find(node.text)
            if found is None:
                raise self.scope.unknown(node.text, node.span)
            return found
        if isinstance(node, syntax.Field) and isinstance(node.of, syntax.Name):
            module = self.scope.find(node.of.text)
            if isinstance(module, ModuleEntity):
                if node.name not in module.exports:
                    if node.name in module.hidden:
                        raise self.error(
                            f"{module.name} does not export {node.name}",
                            node.name_span,
                            hint=f"mark its declaration with *: {node.name}*",
                        )
                    raise self.error(f"module {module.name} has no {node.name}", node.name_span)
                return module.exports[node.name]
        return None

    def type_of(self, node: syntax.TypeSyntax, name: str = "") -> Type | ChannelType:
        """The type that is written; a channel type where one is."""
        match node:
            case syntax.NamedType(named, direction, span):
                entity = self.entity(named)
                if not isinstance(entity, TypeEntity):
                    shown = what(entity) if entity is not None else "no name of a type"
                    raise self.error(f"this is {shown}, where a type is needed", span)
                if direction and not isinstance(entity.type, ChannelType):
                    raise self.error("only a channel type has a direction", span)
                if isinstance(entity.type, ChannelType):
                    return PortType(entity.type, direction)
                return entity.type
            case syntax.ArrayOf(lengths, element, _):
                inner = self.data_type(element)
                for length in reversed(lengths):
                    value = self.number(length, "the length of an array")
                    if not 0 < value * size_of(inner) <= 0x8000:
                        raise self.error("an array has at least one element and at most 32,768 bytes", length.span)
                    inner = ArrayType(value, inner)
                return inner
            case syntax.RecordOf(fields, span):
                found: dict[str, tuple[int, Type]] = {}
                offset = 0
                for field, field_span, field_type in fields:
                    if field in found:
                        raise self.error(f"the record already has a component {field}", field_span)
                    inner = self.data_type(field_type)
                    found[field] = (offset, inner)
                    offset += size_of(inner)
                if not found or offset > 0x8000:
                    raise self.error("a record has at least one component and at most 32,768 bytes", span)
                return RecordType(name, found, offset)
            case syntax.ChannelOf(messages, span):
                known: dict[str, tuple[int, tuple[Type, ...]]] = {}
                for message, message_span, data in messages:
                    if message in known:
                        raise self.error(f"the channel type already has a message {message}", message_span)
                    known[message] = (len(known), tuple(self.data_type(one) for one in data))
                if len(known) > 255:
                    raise self.error("a channel type has at most 255 messages", span)
                return ChannelType(name, known)

    def data_type(self, node: syntax.TypeSyntax) -> Type:
        """The type of a variable: for a channel type, that of its ports."""
        found = self.type_of(node)
        return PortType(found) if isinstance(found, ChannelType) else found

    def number(self, node: syntax.Expression, purpose: str) -> int:
        """A constant integer."""
        found = self.value(node)
        if found.constant is None or not _is_integer(found.type):
            raise self.error(f"{purpose} is a constant number", node.span)
        return found.constant

    # --- places -------------------------------------------------------------------------------------------------------

    def place(self, node: syntax.Expression) -> tuple[Place, Type, VariableEntity]:
        """The variable, or part of one, that is written."""
        entity = self.entity(node)
        if entity is not None:
            if not isinstance(entity, VariableEntity):
                raise self.error(f"this is {what(entity)}, where a variable is needed", node.span)
            if entity.is_system and entity.offset < 0:
                assert callable(self._allocate_system)
                self._allocate_system(entity)
            if entity.level and not self.level:
                raise self.error("only global variables can be seen from here", node.span)
            if 0 < entity.level < self.level:
                entity.shared = True
            return Place(entity.base(self.level)), entity.type, entity
        if isinstance(node, syntax.Field):
            place, type_, variable = self.place(node.of)
            if not isinstance(type_, RecordType):
                raise self.error(f"{type_} has no components: it is no record", node.name_span)
            if node.name not in type_.fields:
                known = ", ".join(type_.fields)
                raise self.error(f"{type_} has no component {node.name}", node.name_span, hint=f"it has {known}")
            offset, inner = type_.fields[node.name]
            return Place(place.base, place.offset + offset, place.indexing), inner, variable
        if isinstance(node, syntax.Indexed):
            place, type_, variable = self.place(node.of)
            if not isinstance(type_, ArrayType):
                raise self.error(f"{type_} has no elements: it is no array", node.span)
            index = self.value(node.index)
            if not _is_integer(index.type):
                raise self.error(f"an index is an integer, not {index.type}", node.index.span)
            size = size_of(type_.element)
            if index.constant is not None:
                if not 0 <= index.constant < type_.length:
                    raise self.error(
                        f"the index {index.constant} is out of range: the array has elements 0 to {type_.length - 1}",
                        node.index.span,
                    )
                return (
                    Place(place.base, place.offset + index.constant * size, place.indexing),
                    type_.element,
                    variable,
                )
            step = Indexing(index.scalar, type_.length, size)
            return Place(place.base, place.offset, (*place.indexing, step)), type_.element, variable
        raise self.error("a variable is needed here", node.span)

    # --- values -------------------------------------------------------------------------------------------------------

    def condition(self, node: syntax.Expression) -> Expression:
        found = self.value(node)
        if not (isinstance(found.type, Scalar) and found.type.kind == "boolean"):
            raise self.error(f"a condition is BOOLEAN; this is {found.type}", node.span)
        return found.scalar

    def fitted(self, node: syntax.Expression, wanted: Type, purpose: str) -> Typed:
        """A value that is assigned, sent or passed where this type is wanted."""
        if isinstance(node, syntax.String):
            raise self.error(f"{purpose}: a string can only be printed", node.span, hint='Out.String("...")')
        return self.fit(self.value(node), wanted, node.span, purpose)

    def fit(self, found: Typed, wanted: Type, span: Span, purpose: str) -> Typed:
        if isinstance(found.type, NumberType) and isinstance(wanted, Scalar) and wanted.kind == "integer":
            assert found.constant is not None
            if not wanted.low <= found.constant <= wanted.high:
                raise self.error(
                    f"{found.constant} is out of the range of {wanted.name} ({wanted.low} to {wanted.high})", span
                )
            return Typed(found.value, wanted)
        if isinstance(found.type, SetLiteralType) and isinstance(wanted, Scalar) and wanted.kind == "set":
            if found.constant is not None and found.constant > wanted.high:
                raise self.error(f"{wanted.name} has elements 0 to {8 * wanted.size - 1}", span)
            return Typed(InRange(found.scalar, wanted) if found.constant is None else found.value, wanted)
        if isinstance(found.type, PortType) and isinstance(wanted, PortType):
            if found.type.channel is wanted.channel:
                if found.type.direction in ("", wanted.direction):
                    return found
                does = "send" if found.type.direction == "!" else "receive"
                raise self.error(f"{purpose}: this port may only {does}", span)
        elif same(found.type, wanted):
            return found
        hint = None
        if isinstance(found.type, Scalar) and isinstance(wanted, Scalar) and _castable(found.type, wanted):
            hint = f"types are not mixed; cast with {wanted.name}(...)"
        raise self.error(f"{purpose}: this is {found.type}, where {wanted} is needed", span, hint=hint)

    def value(self, node: syntax.Expression) -> Typed:
        match node:
            case syntax.Number(value, _):
                return Typed(Constant(value), NUMBER)
            case syntax.Character(value, _):
                return Typed(Constant(value), CHAR)
            case syntax.Truth(value, _):
                return Typed(Constant(int(value)), BOOLEAN)
            case syntax.String(_, span):
                raise self.error("a string can only be printed", span, hint='Out.String("...")')
            case syntax.SetDisplay():
                return self._set(node)
            case syntax.Unary():
                return self._unary(node)
            case syntax.Binary():
                return self._binary(node)
            case syntax.Applied():
                return self._applied(node)
            case _:
                return self._designator(node)

    def _designator(self, node: syntax.Expression) -> Typed:
        entity = self.entity(node)
        if isinstance(entity, ConstantEntity):
            return Typed(Constant(entity.value), entity.type)
        if entity is not None and not isinstance(entity, VariableEntity):
            raise self.error(f"this is {what(entity)}, where a value is needed", node.span)
        place, type_, _ = self.place(node)
        if isinstance(type_, Scalar):
            return Typed(Load(place, type_), type_)
        if isinstance(type_, PortType):
            return Typed(Load(place, PORT_BYTE), type_)
        return Typed(None, type_, place)

    def _set(self, node: syntax.SetDisplay) -> Typed:
        total: Expression = Constant(0)
        constant = 0
        for first, last in node.elements:
            parts = [self.value(one) for one in (first, last) if one is not None]
            for part, one in zip(parts, (first, last), strict=False):
                if not _is_integer(part.type):
                    raise self.error(
                        f"an element of a set is an integer, not {part.type}", one.span if one else node.span
                    )
                if part.constant is not None and not 0 <= part.constant < 32:
                    raise self.error("sets have elements 0 to 31", one.span if one else node.span)
            if all(part.constant is not None for part in parts):
                low, high = parts[0].constant, parts[-1].constant
                assert low is not None and high is not None
                constant |= sum(1 << bit for bit in range(low, high + 1))
            else:
                operator = "element" if last is None else "elements"
                made = Operation(operator, tuple(part.scalar for part in parts), SET)
                total = made if total == Constant(0) else Operation("union", (total, made), SET)
        if total == Constant(0):
            return Typed(Constant(constant), SET_LITERAL)
        return Typed(Operation("union", (total, Constant(constant)), SET) if constant else total, SET_LITERAL)

    def _unary(self, node: syntax.Unary) -> Typed:
        operand = self.value(node.operand)
        type_ = operand.type
        if node.operator == "~":
            if isinstance(type_, Scalar) and type_.kind == "boolean":
                if operand.constant is not None:
                    return Typed(Constant(1 - operand.constant), BOOLEAN)
                return Typed(Operation("not", (operand.scalar,), BOOLEAN), BOOLEAN)
            raise self.error(f"~ is for BOOLEAN; this is {type_}", node.span)
        if isinstance(type_, NumberType):
            assert operand.constant is not None
            return Typed(Constant(-operand.constant if node.operator == "-" else operand.constant), NUMBER)
        if isinstance(type_, Scalar) and type_.kind == "integer":
            if node.operator == "+":
                return operand
            return Typed(Operation("negate", (operand.scalar,), type_), type_)
        if isinstance(type_, SetLiteralType):
            operand, type_ = self.fit(operand, SET, node.operand.span, "operand of -"), SET
        if isinstance(type_, Scalar) and type_.kind == "set" and node.operator == "-":
            return Typed(Operation("complement", (operand.scalar,), type_), type_)
        raise self.error(f"{node.operator} is not for {type_}", node.span)

    def _binary(self, node: syntax.Binary) -> Typed:
        operator = node.operator
        if operator in ("&", "OR"):
            left, right = self._boolean(node.left, operator), self._boolean(node.right, operator)
            return Typed(Operation("and" if operator == "&" else "or", (left, right), BOOLEAN), BOOLEAN)
        left_side, right_side = self.value(node.left), self.value(node.right)
        if operator == "IN":
            return self._membership(node, left_side, right_side)
        if isinstance(left_side.type, NumberType) and isinstance(right_side.type, NumberType):
            return self._folded(node, left_side, right_side)
        left_side, right_side, type_ = self._matched(node, left_side, right_side)
        if operator in _RELATIONS:
            return self._relation(node, left_side, right_side, type_)
        operands = (left_side.scalar, right_side.scalar)
        if isinstance(type_, Scalar) and type_.kind == "integer" and operator in _ARITHMETIC:
            if operator in ("DIV", "MOD") and right_side.constant == 0:
                raise self.error("division by zero", node.span)
            return Typed(Operation(operator, operands, type_), type_)
        if isinstance(type_, Scalar) and type_.kind == "set" and operator in _SETS:
            return Typed(Operation(_SETS[operator], operands, type_), type_)
        if isinstance(type_, SetLiteralType) and operator in _SETS:
            return Typed(Operation(_SETS[operator], operands, SET), SET)
        hint = "integers are divided with DIV" if operator == "/" else None
        raise self.error(f"{operator} is not for {type_}", node.operator_span, hint=hint)

    def _boolean(self, node: syntax.Expression, operator: str) -> Expression:
        found = self.value(node)
        if not (isinstance(found.type, Scalar) and found.type.kind == "boolean"):
            raise self.error(f"{operator} is for BOOLEAN; this is {found.type}", node.span)
        return found.scalar

    def _membership(self, node: syntax.Binary, left: Typed, right: Typed) -> Typed:
        if not _is_integer(left.type):
            raise self.error(f"an element of a set is an integer, not {left.type}", node.left.span)
        if not (
            isinstance(right.type, SetLiteralType) or (isinstance(right.type, Scalar) and right.type.kind == "set")
        ):
            raise self.error(f"IN asks about a set; this is {right.type}", node.right.span)
        most = 8 * (right.type if isinstance(right.type, Scalar) else SET).size - 1
        if left.constant is not None and not 0 <= left.constant <= most:
            raise self.error(f"{right.type} has elements 0 to {most}", node.left.span)
        return Typed(Operation("in", (left.scalar, right.scalar), BOOLEAN), BOOLEAN)

    def _matched(self, node: syntax.Binary, left: Typed, right: Typed) -> tuple[Typed, Typed, Type]:
        """Both sides with the type they have in common."""
        what_for = f"operand of {node.operator}"
        if isinstance(left.type, NumberType | SetLiteralType) and not isinstance(right.type, SetLiteralType):
            return self.fit(left, right.type, node.left.span, what_for), right, right.type
        if isinstance(right.type, NumberType | SetLiteralType) and not isinstance(left.type, SetLiteralType):
            return left, self.fit(right, left.type, node.right.span, what_for), left.type
        if isinstance(left.type, PortType) and isinstance(right.type, PortType):
            if left.type.channel is not right.type.channel:
                raise self.error("these ports belong to different channel types", node.span)
            return left, right, left.type
        return left, self.fit(right, left.type, node.right.span, what_for), left.type

    def _relation(self, node: syntax.Binary, left: Typed, right: Typed, type_: Type) -> Typed:
        if left.value is None or right.value is None:
            raise self.error(f"{type_} cannot be compared", node.span, hint="compare its elements or components")
        kind = type_.kind if isinstance(type_, Scalar) else "port"
        if node.operator not in ("=", "#") and kind not in ("integer", "character"):
            raise self.error(f"{node.operator} is not for {type_}", node.operator_span)
        return Typed(Operation(node.operator, (left.scalar, right.scalar), BOOLEAN), BOOLEAN)

    def _folded(self, node: syntax.Binary, left: Typed, right: Typed) -> Typed:
        a, b = left.constant, right.constant
        assert a is not None and b is not None
        match node.operator:
            case "=" | "#" | "<" | "<=" | ">" | ">=":
                truth = {"=": a == b, "#": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}
                return Typed(Constant(int(truth[node.operator])), BOOLEAN)
            case "+" | "-" | "*":
                found = a + b if node.operator == "+" else a - b if node.operator == "-" else a * b
                if abs(found) > 1 << 40:
                    raise self.error("this number is too large", node.span)
                return Typed(Constant(found), NUMBER)
            case "DIV" | "MOD":
                if b == 0:
                    raise self.error("division by zero", node.span)
                return Typed(Constant(a // b if node.operator == "DIV" else a % b), NUMBER)
        hint = "integers are divided with DIV" if node.operator == "/" else None
        raise self.error(f"{node.operator} is not for numbers", node.operator_span, hint=hint)

    # --- functions and casts ------------------------------------------------------------------------------------------

    def _applied(self, node: syntax.Applied) -> Typed:
        name = node.function.text if isinstance(node.function, syntax.Name) else ""
        if name in _FUNCTIONS and self.scope.find(name) is None:
            if len(node.arguments) != 1:
                raise self.error(f"{name} takes 1 argument, not {len(node.arguments)}", node.span)
            return self._function(name, node.arguments[0], node.span)
        entity = self.entity(node.function)
        if not isinstance(entity, TypeEntity):
            shown = what(entity) if entity is not None else "no function"
            raise self.error(
                f"this is {shown}, where a function or a type is needed",
                node.function.span,
                hint="a process is started by a statement, not inside an expression",
            )
        if not isinstance(entity.type, Scalar):
            raise self.error(f"a value cannot be cast to {entity.type}", node.span)
        if len(node.arguments) != 1:
            raise self.error(f"a cast has 1 argument, not {len(node.arguments)}", node.span)
        operand = self.value(node.arguments[0])
        if not isinstance(operand.type, Scalar | NumberType | SetLiteralType):
            raise self.error(f"{operand.type} cannot be cast", node.arguments[0].span)
        if operand.constant is not None:
            return Typed(Constant(entity.type.wrap(operand.constant)), entity.type)
        return Typed(Cast(operand.scalar, entity.type), entity.type)

    def _function(self, name: str, node: syntax.Expression, span: Span) -> Typed:
        if name in ("MIN", "MAX"):
            entity = self.entity(node)
            if not (isinstance(entity, TypeEntity) and isinstance(entity.type, Scalar)):
                raise self.error(f"{name} asks about a type of numbers", node.span)
            value = entity.type.low if name == "MIN" else entity.type.high
            return Typed(Constant(value), entity.type)
        if name == "LEN":
            _, type_, _ = self.place(node)
            if not isinstance(type_, ArrayType):
                raise self.error(f"LEN is for arrays; this is {type_}", node.span)
            return Typed(Constant(type_.length), NUMBER)
        operand = self.value(node)
        type_ = operand.type
        kind = type_.kind if isinstance(type_, Scalar) else "integer" if isinstance(type_, NumberType) else ""
        if name == "ORD" and kind in ("character", "boolean"):
            return Typed(operand.value, INTEGER)
        if name == "CHR" and kind == "integer":
            if operand.constant is not None and not 0 <= operand.constant <= 255:
                raise self.error(f"{operand.constant} is no character: they are 0 to 255", node.span)
            return Typed(InRange(operand.scalar, CHAR) if operand.constant is None else operand.value, CHAR)
        if name == "ODD" and kind == "integer":
            if operand.constant is not None:
                return Typed(Constant(operand.constant & 1), BOOLEAN)
            return Typed(Operation("odd", (operand.scalar,), BOOLEAN), BOOLEAN)
        if name == "ABS" and kind == "integer":
            if operand.constant is not None:
                return Typed(Constant(abs(operand.constant)), type_)
            assert isinstance(type_, Scalar)
            return Typed(Operation("abs", (operand.scalar,), type_), type_)
        raise self.error(f"{name} is not for {type_}", node.span)


def _is_integer(type_: Type) -> bool:
    return isinstance(type_, NumberType) or (isinstance(type_, Scalar) and type_.kind == "integer")


def _castable(found: Scalar, wanted: Scalar) -> bool:
    return found.name in PREDEFINED and wanted.name in PREDEFINED
