"""What the names of ASN.1 modules stand for: types with their values, constants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from kripke.languages.promela.asn1 import notation as n
from kripke.languages.promela.asn1.types import Choice, Data, DataType, Field, ListOf, Record, Scalar
from kripke.model.source import ModelError, Sources, Span
from kripke.process.value_set import EVERYTHING, GREATEST, LEAST, ValueSet

_LONGEST = 65535
_DEEPEST = 60
_MOST_RANGES = 1_000
_MOST_SCALARS = 1 << 16  # in a value of a type


class Resolution:
    """The types and constants of some modules. Modules may import from one another, in any order."""

    def __init__(self, modules: Iterable[n.Module], sources: Sources) -> None:
        self.sources = sources
        self.modules: dict[str, n.Module] = {}
        self._types: dict[tuple[str, str], n.TypeAssignment] = {}
        self._values: dict[tuple[str, str], n.ValueAssignment] = {}
        self._known: dict[tuple[str, str], DataType] = {}
        self._constants: dict[tuple[str, str], tuple[DataType, Data]] = {}
        self._counted: dict[int, tuple[int, DataType]] = {}
        self._busy: list[tuple[str, str]] = []
        for module in modules:
            if module.name in self.modules:
                raise self.fail(f"module '{module.name}' is there twice", module.span)
            self.modules[module.name] = module
            for type_ in module.types:
                self._add(self._types, module, type_)
            for value in module.values:
                self._add(self._values, module, value)

    def _add(
        self,
        table: dict[tuple[str, str], n.TypeAssignment] | dict[tuple[str, str], n.ValueAssignment],
        module: n.Module,
        item: n.TypeAssignment | n.ValueAssignment,
    ) -> None:
        key = module.name, item.name
        if key in table:
            raise self.fail(f"'{item.name}' is defined twice", item.span)
        table[key] = item  # type: ignore[assignment]

    def fail(self, message: str, span: Span, hint: str | None = None) -> ModelError:
        return self.sources.error(message, span, hint)

    def types(self, module: n.Module) -> dict[str, tuple[DataType, Span]]:
        return {item.name: (self.named(item.name, module.name, item.span), item.span) for item in module.types}

    def values(self, module: n.Module) -> dict[str, tuple[DataType, Data, Span]]:
        return {item.name: (*self.constant(item.name, module.name, item.span), item.span) for item in module.values}

    # --- names --------------------------------------------------------------------------------------------------------

    def _home(self, name: str, module: str, span: Span) -> str | None:
        """The module that a name comes from, if it is imported."""
        for item in self.modules[module].imports:
            if name in item.names:
                if item.module not in self.modules:
                    hint = "put it into the same file, or import its file first"
                    raise self.fail(f"there is no module '{item.module}'", item.span, hint)
                return item.module
        return None

    def named(self, name: str, module: str, span: Span) -> DataType:
        key = module, name
        if key not in self._types:
            home = self._home(name, module, span)
            if home is None or (home, name) not in self._types:
                where = f" in module '{home}'" if home else ""
                raise self.fail(f"there is no type '{name}'{where}", span)
            return self.named(name, home, span)
        if key not in self._known:
            self._enter(key, span)
            found = self._known[key] = self.type(self._types[key].type, module)
            if self._scalars(found) > _MOST_SCALARS:
                hint = f"a state has room for about {_MOST_SCALARS:,} scalars at most"
                raise self.fail(f"'{name}' is too large", self._types[key].span, hint)
            self._busy.pop()
        return self._known[key]

    def constant(self, name: str, module: str, span: Span) -> tuple[DataType, Data]:
        key = module, name
        if key not in self._values:
            home = self._home(name, module, span)
            if home is None or (home, name) not in self._values:
                raise self.fail(f"there is no value '{name}'", span)
            return self.constant(name, home, span)
        if key not in self._constants:
            self._enter(key, span)
            item = self._values[key]
            type_ = self.type(item.type, module)
            self._constants[key] = type_, self.data(item.value, type_, module)
            self._busy.pop()
        return self._constants[key]

    def _enter(self, key: tuple[str, str], span: Span) -> None:
        if key in self._busy:
            raise self.fail(f"'{key[1]}' is defined by itself", span, "a state has no room for it")
        if len(self._busy) >= _DEEPEST:
            raise self.fail(f"nested too deeply: more than {_DEEPEST} names", span)
        self._busy.append(key)

    def _scalars(self, type_: DataType) -> int:
        """How many there are in a value at most. Types that are used twice are looked at once."""
        known = self._counted.get(id(type_))
        if known is None:
            match type_:
                case Scalar():
                    count = 1
                case Record(_, fields) | Choice(fields):
                    count = sum(self._scalars(item.type) for item in fields)
                case ListOf(element):
                    count = (longest(type_) or 0) * self._scalars(element)
            known = self._counted[id(type_)] = count, type_
        return known[0]

    # --- types --------------------------------------------------------------------------------------------------------

    def type(self, type_: n.Type, module: str) -> DataType:
        match type_:
            case n.Boolean():
                return Scalar("BOOLEAN", ValueSet(((0, 1),)), {0: "FALSE", 1: "TRUE"})
            case n.NullType():
                return Scalar("NULL", ValueSet(((0, 0),)))
            case n.Integer(names):
                found: dict[int, str] = {}
                for name, value in names:
                    found.setdefault(self.number(value, None, module), name)
                return Scalar("INTEGER", EVERYTHING, found)
            case n.Enumerated():
                return self._enumerated(type_, module)
            case n.Record(keyword, fields):
                return Record(keyword, self._fields(fields, module))
            case n.ListOf(element):
                return ListOf(self.type(element, module))
            case n.Choice(alternatives, span):
                found_alternatives = self._fields(alternatives, module)
                if not found_alternatives:
                    raise self.fail("a CHOICE has at least one alternative", span)
                for item, written in zip(found_alternatives, alternatives, strict=False):
                    if item.optional or item.default is not None:
                        raise self.fail("an alternative is neither OPTIONAL nor has it a DEFAULT", written.span)
                return Choice(found_alternatives)
            case n.Reference(name, home, span):
                if home is not None and home not in self.modules:
                    raise self.fail(f"there is no module '{home}'", span)
                return self.named(name, home or module, span)
            case n.Constrained(inner, constraint, span):
                whole = self.type(inner, module)
                return self._restricted(whole, constraint, module, span)

    def _enumerated(self, type_: n.Enumerated, module: str) -> Scalar:
        """Items without a number get the smallest that is free, those behind the dots after the others (X.680, 20)."""
        numbers: dict[str, int] = {}
        taken: set[int] = set()
        for part in (type_.items[: type_.root], type_.items[type_.root :]):
            for name, value in part:
                if name in numbers:
                    raise self.fail(f"'{name}' is there twice", type_.span)
                numbers[name] = -1
                if value is not None:
                    numbers[name] = self.number(value, None, module)
                    if numbers[name] in taken:
                        raise self.fail(f"number {numbers[name]} is there twice", value.span)
                    taken.add(numbers[name])
            free = 0
            for name, value in part:
                if value is None:
                    while free in taken:
                        free += 1
                    numbers[name] = free
                    taken.add(free)
        values = ValueSet.of((value, value) for value in taken)
        return Scalar("ENUMERATED", values, {value: name for name, value in numbers.items()})

    def _fields(self, fields: tuple[n.Field, ...], module: str) -> tuple[Field, ...]:
        found: list[Field] = []
        for item in fields:
            type_ = self.type(item.type, module)
            if item.name is None:
                if not isinstance(type_, Record):
                    raise self.fail("COMPONENTS OF needs a SEQUENCE or SET", item.span)
                found.extend(type_.fields)
            else:
                default = None if item.default is None else self.data(item.default, type_, module)
                found.append(Field(item.name, type_, item.optional, default))
            names = [each.name for each in found]
            if len(set(names)) < len(names):
                raise self.fail(f"'{names[-1]}' is there twice", item.span)
        return tuple(found)

    # --- constraints --------------------------------------------------------------------------------------------------

    def _restricted(self, type_: DataType, constraint: n.Constraint, module: str, span: Span) -> DataType:
        match type_, constraint:
            case Scalar(keyword, values, names), _:
                left = values & self._set(type_, constraint, module)
                if not left:
                    raise self.fail("no value is left: the constraint contradicts the type", constraint.span)
                kept = {value: name for value, name in names.items() if keyword == "INTEGER" or value in left}
                return Scalar(keyword, left, kept)
            case _, n.Intersection(parts):
                for part in parts:
                    type_ = self._restricted(type_, part, module, span)
                return type_
            case ListOf(element, sizes), n.Elements(inner):
                return ListOf(self._restricted(element, inner, module, span), sizes)
            case ListOf(element, sizes), n.Size() | n.Union() | n.Except():
                left = sizes & self._sizes(constraint, module)
                if not left:
                    raise self.fail("no size is left", constraint.span)
                return ListOf(element, left)
            case Record(), n.Components():
                return self._with_components(type_, constraint, module)
            case Choice(), n.Components():
                return self._with_alternatives(type_, constraint, module)
            case _:
                what = {Record: "a SEQUENCE or SET", Choice: "a CHOICE", ListOf: "a SEQUENCE OF"}[type(type_)]
                hint = "SIZE and WITH COMPONENT are, WITH COMPONENTS is"
                raise self.fail(f"this constraint is not read for {what}", constraint.span, hint)

    def _with_components(self, record: Record, constraint: n.Components, module: str) -> Record:
        asked = {item.name: item for item in constraint.items}
        self._all_there(asked, [item.name for item in record.fields])
        found: list[Field] = []
        for item in record.fields:
            given = asked.get(item.name)
            presence = given.presence if given is not None else None if constraint.partial else "ABSENT"
            if given is not None and given.constraint is not None:
                item = replace(item, type=self._restricted(item.type, given.constraint, module, given.span))
            if presence == "ABSENT":
                if not item.optional and item.default is None:
                    where = given.span if given is not None else constraint.span
                    raise self.fail(f"'{item.name}' cannot be absent: it is not OPTIONAL", where)
                if item.default is not None:
                    found.append(replace(item, type=_only(item.type, item.default)))
                continue
            # What is listed with a value or in a full list has to be there (X.680, 51.8.9).
            listed = given is not None and presence is None
            if presence == "PRESENT" or (listed and not constraint.partial):
                item = replace(item, optional=False)
            if item.default is not None and not has(item.type, item.default):
                item = replace(item, default=None)
            found.append(item)
        return Record(record.keyword, tuple(found))

    def _with_alternatives(self, choice: Choice, constraint: n.Components, module: str) -> Choice:
        asked = {item.name: item for item in constraint.items}
        self._all_there(asked, [item.name for item in choice.alternatives])
        must = [item.name for item in constraint.items if item.presence == "PRESENT"]
        found: list[Field] = []
        for item in choice.alternatives:
            given = asked.get(item.name)
            absent = given.presence == "ABSENT" if given is not None else not constraint.partial
            if absent or (must and item.name not in must):
                continue
            if given is not None and given.constraint is not None:
                item = replace(item, type=self._restricted(item.type, given.constraint, module, given.span))
            found.append(item)
        if not found:
            raise self.fail("no alternative is left", constraint.span)
        return Choice(tuple(found))

    def _all_there(self, asked: Mapping[str, n.Component], names: list[str]) -> None:
        for name, item in asked.items():
            if name not in names:
                raise self.fail(f"there is no component '{name}'", item.span)

    def _set(self, type_: Scalar, constraint: n.Constraint, module: str) -> ValueSet:
        """The values that a constraint allows; MIN and MAX are those of the type."""
        match constraint:
            case n.Single(value):
                number = self.number(value, type_, module)
                return ValueSet(((number, number),))
            case n.Range(low, high, above, below):
                if type_.keyword != "INTEGER":
                    raise self.fail(f"a range of {type_.keyword}", constraint.span, "list its values: a | b")
                first = type_.values.least if low is None else self.number(low, type_, module) + above
                last = type_.values.greatest if high is None else self.number(high, type_, module) - below
                return ValueSet.of(((first, last),))
            case n.Contained(inner, span):
                other = self.type(inner, module)
                if not isinstance(other, Scalar) or other.keyword != type_.keyword:
                    raise self.fail(f"this is no {type_.keyword}", span)
                return other.values
            case n.Union(parts, span):
                sets = [self._set(type_, part, module) for part in parts]
                joined = ValueSet.of(pair for values in sets for pair in values.ranges)
                if len(joined.ranges) > _MOST_RANGES:
                    raise self.fail(f"a set of {len(joined.ranges):,} ranges: at most {_MOST_RANGES:,} are read", span)
                return joined
            case n.Intersection(parts):
                found = type_.values
                for part in parts:
                    found &= self._set(type_, part, module)
                return found
            case n.Except(whole, without):
                base = type_.values if whole is None else self._set(type_, whole, module)
                return base - self._set(type_, without, module)
            case n.Size() | n.Components() | n.Elements():
                raise self.fail(f"this constraint is not for {type_.keyword}", constraint.span)

    def _sizes(self, constraint: n.Constraint, module: str) -> ValueSet:
        numbers = Scalar("INTEGER", ValueSet(((0, GREATEST),)))
        match constraint:
            case n.Size(inner):
                return numbers.values & self._set(numbers, inner, module)
            case n.Union(parts):
                found = ValueSet(())
                for part in parts:
                    found |= self._sizes(part, module)
                return found
            case n.Except(whole, without):
                base = numbers.values if whole is None else self._sizes(whole, module)
                return base - self._sizes(without, module)
            case _:
                raise self.fail("only SIZE is read here", constraint.span)

    # --- values -------------------------------------------------------------------------------------------------------

    def number(self, value: n.Value, type_: Scalar | None, module: str) -> int:
        """A number, where one is expected; names are those of the type first."""
        match value:
            case n.Number(number, span):
                if not LEAST <= number <= GREATEST:
                    raise self.fail("values of a model have 32 bits", span)
                return number
            case n.Truth(truth):
                if type_ is None or type_.keyword == "BOOLEAN":
                    return int(truth)
            case n.Null():
                if type_ is not None and type_.keyword == "NULL":
                    return 0
            case n.Named(name, span):
                if type_ is not None:
                    for number, known in type_.names.items():
                        if known == name:
                            return number
                found, data = self.constant(name, module, span)
                fits = isinstance(found, Scalar) and (type_ is None or type_.keyword == found.keyword)
                if fits and isinstance(data, int):
                    return data
        what = "a number" if type_ is None else f"a value of {type_.keyword}"
        raise self.fail(f"expected {what}", value.span)

    def data(self, value: n.Value, type_: DataType, module: str) -> Data:
        """A value of a type. ModelError where it has no such value."""
        if isinstance(value, n.Named) and not isinstance(type_, Scalar):
            _, data = self.constant(value.name, module, value.span)
            if not has(type_, data):
                raise self.fail(f"'{value.name}' is no value of this type", value.span)
            return data
        match type_, value:
            case Scalar(_, values), _:
                number = self.number(value, type_, module)
                if number not in values:
                    raise self.fail(f"{number} is no value of this type ({values})", value.span)
                return number
            case Record(_, fields), n.Braces(items, span):
                given: dict[str, Data] = {}
                for name, inner in items:
                    item = type_.field(name) if name is not None else None
                    if name is None or item is None:
                        raise self.fail(f"there is no component '{name}'" if name else "a name is missing", inner.span)
                    if name in given:
                        raise self.fail(f"'{name}' is there twice", inner.span)
                    given[name] = self.data(inner, item.type, module)
                for item in fields:
                    if item.name not in given and not item.optional:
                        if item.default is None:
                            raise self.fail(f"'{item.name}' is missing", span)
                        given[item.name] = item.default
                return given
            case ListOf(element, sizes), n.Braces(items, span):
                if any(name is not None for name, _ in items):
                    raise self.fail("elements of a SEQUENCE OF have no names", span)
                if len(items) not in sizes:
                    raise self.fail(f"{len(items)} elements, where the size is {sizes}", span)
                return [self.data(inner, element, module) for _, inner in items]
            case Choice(), n.Chosen(name, inner, span):
                item = type_.field(name)
                if item is None:
                    raise self.fail(f"there is no alternative '{name}'", span)
                return name, self.data(inner, item.type, module)
            case _:
                raise self.fail("this is no value of its type", value.span)


def has(type_: DataType, data: Data) -> bool:
    """Is it a value of the type?"""
    match type_, data:
        case Scalar(_, values), int():
            return data in values
        case Record(_, fields), dict():
            there = all(item.name in data or item.optional for item in fields)
            named = {item.name: item for item in fields}
            return there and all(name in named and has(named[name].type, value) for name, value in data.items())
        case ListOf(element, sizes), list():
            return len(data) in sizes and all(has(element, value) for value in data)
        case Choice(), tuple():
            chosen = type_.field(data[0])
            return chosen is not None and has(chosen.type, data[1])
        case _:
            return False


def _only(type_: DataType, data: Data) -> DataType:
    """The type with this value alone, where it is a number; else as it is."""
    if isinstance(type_, Scalar) and isinstance(data, int):
        return replace(type_, values=ValueSet(((data, data),)))
    return type_


def longest(type_: ListOf) -> int | None:
    """The greatest length of a list; None where it is not bounded."""
    return type_.sizes.greatest if type_.sizes.greatest <= _LONGEST else None
