"""Types and single values in C: every value is its key (``types.py``), compound ones are taken apart by division."""

from __future__ import annotations

from collections.abc import Sequence

from kripke.nets.high_level.types import (
    NUMERIC,
    ArrayType,
    BufferType,
    Ranges,
    StructType,
    Type,
    UnionType,
    component_for,
)

LARGEST_KEY = 1 << 62


class NotCompilable(Exception):
    """A net whose values do not fit machine words."""


def literal(number: int) -> str:
    return f"INT64_C({number})" if number >= 0 else f"(-INT64_C({-number}))"


class Types:
    """The tables and functions of the types that terms use, made as they are asked for."""

    def __init__(self) -> None:
        self.numbers: dict[int, str] = {}
        self.kept: list[Type] = []  # identities are keys: nothing may be collected
        self.lines: list[str] = []
        self.conversions: dict[tuple[int, int], str] = {}

    def name(self, type_: Type) -> str:
        name = self.numbers.get(id(type_))
        if name is None:
            if type_.ranges[-1][1] >= LARGEST_KEY:
                raise NotCompilable(type_.name)
            for part in _parts(type_):
                self.name(part)
            name = f"T{len(self.numbers)}"
            self.numbers[id(type_)] = name
            self.kept.append(type_)
            self._declare(type_, name)
        return name

    def _declare(self, type_: Type, name: str) -> None:
        comment = "".join(c if c.isalnum() or c in " _.[]" else "?" for c in type_.name)
        self.lines.append(f"/* {name}: {comment} */")
        index, key = [], []
        before = 0
        for low, high in type_.ranges:
            index.append(f"    if (k <= {literal(high)}) return k - {literal(low)} + {literal(before)};")
            key.append(
                f"    if (i < {literal(before + high - low + 1)}) return i - {literal(before)} + {literal(low)};"
            )
            before += high - low + 1
        self.lines.append(f"static int64_t {name}_index(int64_t k) {{\n" + "\n".join(index) + "\n    return 0;\n}")
        self.lines.append(f"static int64_t {name}_key(int64_t i) {{\n" + "\n".join(key) + "\n    return 0;\n}")
        match type_:
            case ArrayType():
                self._powers(name, type_.item.count, len(type_.types))
            case BufferType():
                self._powers(name, type_.item.count, type_.capacity)
                offsets = ", ".join(literal(offset) for offset in type_.offsets)
                self.lines.append(f"static const int64_t {name}_offset[] = {{{offsets}}};")
                self.lines.append(
                    f"static inline int64_t {name}_length(int64_t k) {{\n    int64_t length = 0;\n"
                    f"    while (k >= {name}_offset[length + 1])\n        length++;\n    return length;\n}}"
                )

    def _powers(self, name: str, base: int, most: int) -> None:
        powers = ", ".join(literal(base**exponent) for exponent in range(most + 1))
        self.lines.append(f"static const int64_t {name}_power[] = {{{powers}}};")

    # --- expressions --------------------------------------------------------------------------------------------------

    def index(self, type_: Type, key: str) -> str:
        """The index of a value of which this is the key."""
        name = self.name(type_)
        if len(type_.ranges) > 1:
            return f"{name}_index({key})"
        low = type_.ranges[0][0]
        return key if low == 0 else f"({key} - {literal(low)})"

    def key(self, type_: Type, index: str) -> str:
        name = self.name(type_)
        if len(type_.ranges) > 1:
            return f"{name}_key({index})"
        low = type_.ranges[0][0]
        return index if low == 0 else f"({index} + {literal(low)})"

    def outside(self, type_: Type, key: str, known: tuple[int, int] | None = None) -> str:
        """A condition: is the key outside the type? Empty where it cannot be, given the range it is in."""
        if known is not None and any(low <= known[0] and known[1] <= high for low, high in type_.ranges):
            return ""
        inside = []
        for low, high in type_.ranges:
            parts = []
            if known is None or known[0] < low:
                parts.append(f"{key} >= {literal(low)}")
            if known is None or known[1] > high:
                parts.append(f"{key} <= {literal(high)}")
            inside.append("(" + (" && ".join(parts) or "1") + ")")
        return f"!({' || '.join(inside)})"

    def component(self, type_: StructType | ArrayType, key: str, at: int) -> str:
        weight = 1
        for part in type_.types[:at]:
            weight *= part.count
        part = type_.types[at]
        text = key if weight == 1 else f"({key} / {literal(weight)})"
        if at < len(type_.types) - 1:
            text = f"({text} % {literal(part.count)})"
        return self.key(part, text)

    def weight(self, type_: StructType | ArrayType, at: int) -> int:
        weight = 1
        for part in type_.types[:at]:
            weight *= part.count
        return weight

    def composed(self, types: Sequence[Type], keys: Sequence[str]) -> str:
        """The key of a struct or array from those of its parts."""
        terms, weight = [], 1
        for part, key in zip(types, keys, strict=True):
            text = self.index(part, key)
            terms.append(text if weight == 1 else f"{text} * {literal(weight)}")
            weight *= part.count
        return "(" + (" + ".join(terms) or "0") + ")"

    # --- conversion ---------------------------------------------------------------------------------------------------

    def conversion(self, source: Type, target: Type) -> str:
        """A function ``int f(int64_t key, int64_t *result)``: 0, or the code of an error."""
        known = self.conversions.get((id(source), id(target)))
        if known is None:
            self.name(source)
            self.name(target)
            body = self._conversion_body(source, target)
            known = f"convert{len(self.conversions)}"
            self.conversions[(id(source), id(target))] = known
            self.lines.append(f"static int {known}(int64_t k, int64_t *result) {{\n" + "\n".join(body) + "\n}")
        return known

    def _finish(self, target: Type, key: str) -> list[str]:
        return [
            f"    *result = {key};",
            f"    return {self.outside(target, '*result')} ? E_constraint : 0;",
        ]

    def _conversion_body(self, source: Type, target: Type) -> list[str]:
        if source is target:
            return ["    *result = k;", "    return 0;"]
        if source.kind in NUMERIC and target.kind in NUMERIC:
            return self._finish(target, "k")
        match source, target:
            case (StructType() | ArrayType(), StructType() | ArrayType()):
                lines = ["    int error;", f"    int64_t part[{max(1, len(source.types))}];"]
                for at, (one, other) in enumerate(zip(source.types, target.types, strict=True)):
                    function = self.conversion(one, other)
                    lines.append(
                        f"    if ((error = {function}({self.component(source, 'k', at)}, &part[{at}]))) return error;"
                    )
                key = self.composed(target.types, [f"part[{at}]" for at in range(len(target.types))])
                lines += ["    (void)error, (void)part;"]
                return [*lines, *self._finish(target, key)]
            case (BufferType(), BufferType()):
                one_name, other_name = self.name(source), self.name(target)
                function = self.conversion(source.item, target.item)
                item = self.key(source.item, f"(k % {literal(source.item.count)})")
                return [
                    "    int error;",
                    f"    const int64_t length = {one_name}_length(k);",
                    f"    if (length > {literal(target.capacity)}) return E_buffer;",
                    f"    int64_t total = {other_name}_offset[length], item;",
                    f"    k -= {one_name}_offset[length];",
                    "    for (int64_t i = 0; i < length; i++) {",
                    f"        if ((error = {function}({item}, &item))) return error;",
                    f"        total += {self.index(target.item, 'item')} * {other_name}_power[i];",
                    f"        k /= {literal(source.item.count)};",
                    "    }",
                    *self._finish(target, "total"),
                ]
            case (UnionType(), UnionType()):
                lines = ["    int error;", "    int64_t part;"]
                for at, (_, one_type) in enumerate(source.components):
                    other_type = target.components[at][1]
                    function = self.conversion(one_type, other_type)
                    low, size = source.offsets[at], one_type.count
                    inner = self.key(one_type, f"(k - {literal(low)})")
                    lines += [
                        f"    if (k < {literal(low + size)}) {{",
                        f"        if ((error = {function}({inner}, &part))) return error;",
                        f"        *result = {literal(target.offsets[at])} + {self.index(other_type, 'part')};",
                        f"        return {self.outside(target, '*result')} ? E_constraint : 0;",
                        "    }",
                    ]
                return [*lines, "    return E_constraint;"]
            case (_, UnionType()):
                position = component_for(target, source)
                assert position is not None
                component = target.components[position][1]
                function = self.conversion(source, component)
                key = f"{literal(target.offsets[position])} + {self.index(component, 'part')}"
                return [
                    "    int64_t part;",
                    f"    const int error = {function}(k, &part);",
                    "    if (error) return error;",
                    *self._finish(target, key),
                ]
            case (UnionType(), _):
                position = component_for(source, target)
                assert position is not None
                component = source.components[position][1]
                low = source.offsets[position]
                function = self.conversion(component, target)
                inner = self.key(component, f"(k - {literal(low)})")
                return [
                    f"    if (k < {literal(low)} || k >= {literal(low + component.count)}) return E_union;",
                    f"    return {function}({inner}, result);",
                ]
        return ["    (void)k;", "    *result = 0;", "    return E_constraint;"]


def _parts(type_: Type) -> Sequence[Type]:
    match type_:
        case StructType():
            return type_.types
        case UnionType():
            return [part for _, part in type_.components]
        case ArrayType():
            return (type_.item, type_.indices)
        case BufferType():
            return (type_.item,)
        case _:
            return ()


def bare_ranges(type_: Type) -> Ranges:
    """What the keys of a type would be without a constraint on the whole."""
    match type_:
        case StructType() | ArrayType():
            total = 1
            for part in type_.types:
                total *= part.count
            return ((0, total - 1),)
        case UnionType():
            return ((0, sum(part.count for _, part in type_.components) - 1),)
        case BufferType():
            return ((0, type_.offsets[-1] - 1),)
        case _:
            return type_.ranges
