"""Imported data types (ASN.1): how they lie in a state, and values of them as scalars, one after the other.

A SEQUENCE or SET is a structure. A component that is OPTIONAL has a bit beside it, ``name?``. A CHOICE is a structure
of its alternatives and the number of the chosen one, ``#``. A SEQUENCE OF has its elements in a field without a name
and, where its length may vary, that as ``length``. What is absent, not chosen or behind the end has its start value, so
equal values are equal bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kripke.languages.promela import syntax
from kripke.languages.promela.asn1.importing import Imported, promela_name
from kripke.languages.promela.asn1.resolution import has, longest
from kripke.languages.promela.asn1.types import Choice, Data, DataType, ListOf, Record, Scalar
from kripke.languages.promela.lowering.symbols import ELEMENTS, LENGTH, TAG, FieldType, StructType, start_values
from kripke.model.source import Span
from kripke.process.expressions import Binary, BinaryOperator, Constant, Expression, IntType, Read, unchecked
from kripke.process.value_set import EVERYTHING, ValueSet

if TYPE_CHECKING:
    from kripke.languages.promela.lowering.expressions import Context, ExpressionLowering

#: More scalars in a type than this: it is a mistake, not a state.
_MOST_SCALARS = 1 << 16


def flag_of(name: str) -> str:
    """The field that says whether an optional component is there."""
    return f"{name}?"


@dataclass(slots=True)
class DataTypes:
    """What was imported: types, the names of their values, constants. ``items`` are the values of enumerations by
    their type; ``several`` are names that mean different numbers in different types."""

    types: dict[str, IntType | StructType] = field(default_factory=dict)
    names: dict[str, dict[int, str]] = field(default_factory=dict)
    constants: dict[str, tuple[DataType, Data]] = field(default_factory=dict)
    items: dict[str, dict[str, int]] = field(default_factory=dict)
    several: dict[str, list[str]] = field(default_factory=dict)

    def add(self, imported: Imported, context: Context) -> None:
        for name, (type_, span) in imported.types.items():
            if name in self.types or name in context.structs:
                raise context.fail(f"type '{name}' is declared twice", span)
            made = self._made(type_, name, span, context)
            self.types[name] = made
            if isinstance(made, StructType):
                context.structs[name] = made
        for name, (type_, data, span) in imported.constants.items():
            if name in self.constants or name in context.mtypes:
                raise context.fail(f"value '{name}' is declared twice", span)
            self.constants[name] = type_, data
            if isinstance(data, int):
                context.mtypes[name] = data
        context.mtypes.setdefault("TRUE", 1)
        context.mtypes.setdefault("FALSE", 0)
        context.mtypes.setdefault("NULL", 0)

    def _made(self, type_: DataType, name: str, span: Span, context: Context) -> IntType | StructType:
        match type_:
            case Scalar(keyword, values, names):
                shown = {value: promela_name(item) for value, item in names.items()}
                self.names[name] = {0: "false", 1: "true"} if keyword == "BOOLEAN" else shown
                if keyword in ("ENUMERATED", "INTEGER"):
                    self._name_values(name, shown, span, context)
                return scalar_type(name, values)
            case Record(_, components):
                parts = [(item.name, item.type, item.optional, item.default) for item in components]
                return self._struct(name, span, context, parts, data=type_)
            case Choice(alternatives):
                tag = scalar_type(name, ValueSet(((0, len(alternatives) - 1),)))
                numbered = {i: promela_name(item.name) for i, item in enumerate(alternatives)}
                chosen: list[tuple[str, DataType, bool, Data | None]] = [
                    (item.name, item.type, False, None) for item in alternatives
                ]
                return self._struct(name, span, context, chosen, (TAG, tag, numbered), data=type_)
            case ListOf(element, sizes):
                most = longest(type_)
                if most is None:
                    hint = "SEQUENCE (SIZE (0..4)) OF ..."
                    raise context.fail(f"'{name}' has no greatest length: a state needs one", span, hint)
                if most == 0:
                    raise context.fail(f"'{name}' is always empty", span)
                inner = self._made(element, f"{name} element", span, context)
                if inner.size * most > _MOST_SCALARS:
                    raise context.fail(f"'{name}' is too large", span)
                fields: dict[str, FieldType] = {}
                at = 0
                if len(sizes) > 1:
                    length = scalar_type("length", sizes)
                    fields[LENGTH] = FieldType(length, 0, None, None, (sizes.least,))
                    at = length.size
                fields[ELEMENTS] = FieldType(inner, at, most, self.names.get(f"{name} element"))
                return StructType(name, fields, at + inner.size * most, type_)

    def _struct(
        self,
        name: str,
        span: Span,
        context: Context,
        parts: list[tuple[str, DataType, bool, Data | None]],
        first: tuple[str, IntType, dict[int, str]] | None = None,
        *,
        data: DataType,
    ) -> StructType:
        fields: dict[str, FieldType] = {}
        at = 0
        if first is not None:
            fields[first[0]] = FieldType(first[1], 0, None, first[2], (0,))
            at = first[1].size
        for title, part, optional, default in parts:
            known = promela_name(title)
            assert known not in fields  # ASN.1 has no names with _, and the notation allows none twice
            inner = self._made(part, f"{name}.{known}", span, context)
            start = tuple(start_values(inner, None) if default is None else scalars_of(default, inner))
            names = self.names.get(f"{name}.{known}")
            fields[known] = FieldType(inner, at, None, names, start, default=default is not None)
            at += inner.size
            if optional:
                bit = scalar_type("BOOLEAN", ValueSet(((0, 1),)))
                fields[flag_of(known)] = FieldType(bit, at, None, {0: "false", 1: "true"}, (0,))
                at += bit.size
            if at > _MOST_SCALARS:
                raise context.fail(f"'{name}' is too large", span)
        if not fields:
            fields[TAG] = FieldType(scalar_type(name, ValueSet(((0, 0),))), 0, None, None, (0,))
            at = 1
        return StructType(name, fields, at, data)

    def _name_values(self, type_name: str, names: dict[int, str], span: Span, context: Context) -> None:
        """Names of values can be used wherever they are not ambiguous, and as ``Type.name`` always."""
        self.items[type_name] = {item: value for value, item in names.items()}
        for value, item in names.items():
            if item in self.several:
                self.several[item].append(type_name)
            elif context.mtypes.get(item, value) != value:
                owners = [owner for owner, items in self.items.items() if item in items]
                self.several[item] = owners
                del context.mtypes[item]
            else:
                context.mtypes[item] = value


def scalar_type(name: str, values: ValueSet) -> IntType:
    """The narrowest integers that have these values."""
    if values == EVERYTHING:
        return IntType(name, 32, True)
    signed = values.least < 0
    bits = max(values.greatest.bit_length(), (-values.least - 1).bit_length() if signed else 0) + signed
    if bits > 31 and not signed:
        return IntType(name, 32, True, values)
    return IntType(name, max(1, bits), signed, values)


def scalars_of(data: Data, type_: IntType | StructType) -> list[int]:
    """A value as its scalars, in the order of the structure."""
    if isinstance(type_, IntType):
        assert isinstance(data, int)
        return [data]
    found: list[int] = []
    for name, item in type_.fields.items():
        if name == TAG:
            assert isinstance(data, tuple | dict)
            found.append(list(type_.fields).index(promela_name(data[0])) - 1 if isinstance(data, tuple) else 0)
        elif name == LENGTH:
            assert isinstance(data, list)
            found.append(len(data))
        elif name == ELEMENTS:
            assert isinstance(data, list) and item.count is not None
            for element in data:
                found += scalars_of(element, item.type)
            found += start_values(item.type, None) * (item.count - len(data))
        elif name.endswith("?"):
            assert isinstance(data, dict)
            found.append(int(name[:-1] in {promela_name(key) for key in data}))
        else:
            given = _part(data, name)
            found += item.initial_of_type() if given is None else scalars_of(given, item.type)
    return found


def _part(data: Data, name: str) -> Data | None:
    if isinstance(data, tuple):
        return data[1] if promela_name(data[0]) == name else None
    assert isinstance(data, dict)
    return next((value for key, value in data.items() if promela_name(key) == name), None)


class Values:
    """Values of imported types that are written in a model, as expressions of their scalars."""

    def __init__(self, lowering: ExpressionLowering) -> None:
        self.lowering = lowering
        self.context = lowering.context

    def scalars(self, value: syntax.Expression, type_: IntType | StructType) -> list[Expression]:
        """One expression for every scalar of the type, checked. ModelError where the value is not of this type."""
        if isinstance(type_, IntType):
            return [self.checked(self.lowering.expression(value), type_, value.span)]
        match value:
            case syntax.Reference():
                return self._of_reference(value, type_)
            case syntax.ChoiceValue(name, inner):
                return self._choice(value, name, inner, type_)
            case syntax.RecordValue() | syntax.ListValue():
                return list(self._braces(value, type_))
        raise self.context.fail(f"expected a value of type '{type_.name}'", value.span)

    def _of_reference(self, value: syntax.Reference, type_: StructType) -> list[Expression]:
        data = self.context.data
        if data is not None and value.name in data.constants and self.lowering.scope.find(value.name) is None:
            _, constant = data.constants[value.name]
            if type_.data is None or not has(type_.data, constant):
                raise self.context.fail(f"'{value.name}' is no value of '{type_.name}'", value.span)
            return [Constant(number) for number in scalars_of(constant, type_)]
        places = self.lowering.struct_scalars(value)
        if places is None:
            raise self.context.fail(f"expected a value of type '{type_.name}'", value.span)
        found, source = places
        if not same_form(source, type_):
            message = f"a value of type '{source.name}', where one of '{type_.name}' is expected"
            raise self.context.fail(message, value.span)
        types = type_.all_scalars()
        return [self.checked(item, kept, value.span) for item, kept in zip(found, types, strict=True)]

    def _choice(
        self, value: syntax.Expression, name: str, inner: syntax.Expression, type_: StructType
    ) -> list[Expression]:
        if TAG not in type_.fields or name not in type_.fields:
            raise self.context.fail(f"'{type_.name}' has no alternative '{name}'", value.span)
        found: list[Expression] = []
        for number, (title, item) in enumerate(type_.fields.items()):
            if title == TAG:
                found.append(Constant(list(type_.fields).index(name) - 1))
            elif title == name:
                found += self.scalars(inner, item.type)
            else:
                assert number
                found += [Constant(start) for start in item.initial_of_type()]
        return found

    def _braces(self, value: syntax.RecordValue | syntax.ListValue, type_: StructType) -> Iterator[Expression]:
        if ELEMENTS in type_.fields:
            if isinstance(value, syntax.RecordValue):
                raise self.context.fail("elements of a SEQUENCE OF have no names", value.span)
            yield from self._elements(value, type_)
            return
        given = self._components(value, type_)
        for name, item in type_.fields.items():
            if name == TAG:
                if len(type_.fields) > 1:
                    raise self.context.fail("a value of a CHOICE is written: alternative : value", value.span)
                yield Constant(0)
            elif name.endswith("?"):
                yield Constant(int(name[:-1] in given))
            elif name in given:
                yield from self.scalars(given[name], item.type)
            elif flag_of(name) in type_.fields:
                yield from (Constant(start) for start in item.initial_of_type())
            elif item.default:
                yield from (Constant(start) for start in item.initial)
            else:
                raise self.context.fail(f"component '{name}' is missing", value.span)

    def _components(
        self, value: syntax.RecordValue | syntax.ListValue, type_: StructType
    ) -> dict[str, syntax.Expression]:
        if isinstance(value, syntax.RecordValue):
            pairs = list(zip(value.names, value.values, strict=True))
        else:
            pairs = [self._negative(item) for item in value.values]
        given: dict[str, syntax.Expression] = {}
        for name, item in pairs:
            if name not in type_.fields:
                raise self.context.fail(f"'{type_.name}' has no component '{name}'", item.span)
            if name in given:
                raise self.context.fail(f"component '{name}' is there twice", item.span)
            given[name] = item
        return given

    def _negative(self, item: syntax.Expression) -> tuple[str, syntax.Expression]:
        """``{x -1}`` was read as a difference: only the type tells."""
        match item:
            case syntax.Binary("-", syntax.Reference(name, None, None), value):
                return name, syntax.Unary("-", value, span=value.span)
        raise self.context.fail("the name of a component is missing: {name value, name value}", item.span)

    def _elements(self, value: syntax.ListValue, type_: StructType) -> Iterator[Expression]:
        item = type_.fields[ELEMENTS]
        assert item.count is not None
        count = len(value.values)
        if LENGTH in type_.fields:
            length = type_.fields[LENGTH].type
            assert isinstance(length, IntType)
            if length.values is not None and count not in length.values:
                message = f"{count} elements, where '{type_.name}' has {length.values}"
                raise self.context.fail(message, value.span)
            yield Constant(count)
        elif count != item.count:
            raise self.context.fail(f"{count} elements, where '{type_.name}' has {item.count}", value.span)
        for element in value.values:
            yield from self.scalars(element, item.type)
        for _ in range(item.count - count):
            yield from (Constant(start) for start in start_values(item.type, None))

    def checked(self, value: Expression, type_: IntType, span: Span) -> Expression:
        """The value, where the type has it; else the step ends."""
        values = type_.values
        if values is None:
            return value
        plain = unchecked(value)
        if isinstance(plain, Constant):
            if plain.value not in values:
                raise self.context.fail(f"{plain.value} is no value of its type ({values})", span)
            return value
        if isinstance(plain, Read) and plain.place.type.values is not None and plain.place.type.values <= values:
            return value
        return Binary(BinaryOperator.WITHIN, _is_in(value, values), value)


def same_form(one: StructType, other: StructType) -> bool:
    """Can a value of one be taken for one of the other, scalar by scalar? Ranges may differ: they are checked."""
    if one is other:
        return True
    if list(one.fields) != list(other.fields):
        return False
    for first, second in zip(one.fields.values(), other.fields.values(), strict=True):
        structs = isinstance(first.type, StructType), isinstance(second.type, StructType)
        if first.count != second.count or structs[0] != structs[1]:
            return False
        match first.type, second.type:
            case StructType() as inner, StructType() as outer if not same_form(inner, outer):
                return False
    return True


def _is_in(value: Expression, values: ValueSet) -> Expression:
    found: Expression | None = None
    for low, high in values.ranges:
        if low == high:
            here: Expression = Binary(BinaryOperator.EQUAL, value, Constant(low))
        else:
            above = Binary(BinaryOperator.GREATER_EQUAL, value, Constant(low))
            below = Binary(BinaryOperator.LESS_EQUAL, value, Constant(high))
            here = Binary(BinaryOperator.LOGICAL_AND, above, below)
        found = here if found is None else Binary(BinaryOperator.LOGICAL_OR, found, here)
    assert found is not None
    return found
