"""What operators and the machine's own operations do to values, where no code of the program is called."""

from __future__ import annotations

from typing import Any

from kripke.heap.memory import Obj, Value
from kripke.heap.program import DEEPEST_VALUE, Binary, Class, Compare, FunctionConstant, Kind, Program

OVERFLOW, UNSUPPORTED, MEMORY = 2, 3, 4
_MOST = 1 << 63


class Finding(Exception):
    """Something that ends a step: ``code`` is that of a violation."""

    def __init__(self, code: int) -> None:
        self.code = code


class Raised(Exception):
    """An exception of the program: an instance, or the name of a class and its arguments."""

    def __init__(self, name: str, *arguments: Value) -> None:
        self.name, self.arguments = name, arguments


def is_number(value: Value) -> bool:
    return isinstance(value, int)


def kind_of(value: Value) -> Kind | None:
    return value.kind if isinstance(value, Obj) else None


def checked(value: int) -> int:
    if not -_MOST <= value < _MOST:
        raise Finding(OVERFLOW)
    return value


def is_true(value: Value) -> bool:
    """Of everything but instances that say it themselves."""
    if isinstance(value, Obj):
        if value.kind in (Kind.TUPLE, Kind.LIST, Kind.DICT, Kind.SET):
            return bool(value.fields)
        if value.kind == Kind.RANGE:
            return range_length(value) > 0
        return True
    if isinstance(value, bool | int | str):
        return bool(value)
    if isinstance(value, float):
        raise Finding(UNSUPPORTED)
    return value is not None


def range_length(value: Obj) -> int:
    start, stop, step = value.fields
    return len(range(start, stop, step))


def length(value: Value) -> int:
    if isinstance(value, str):
        return len(value)
    kind = kind_of(value)
    if kind in (Kind.TUPLE, Kind.LIST, Kind.SET):
        return len(value.fields)
    if kind == Kind.DICT:
        return len(value.fields) // 2
    if kind == Kind.RANGE:
        return range_length(value)
    raise Raised("TypeError", "object has no len()")


class Operations:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.level = 0
        self._names = {name: number for number, name in enumerate(program.names)}
        self._known = {each.name: each for each in program.known}

    def name(self, text: str) -> int:
        return self._names[text]

    def known(self, name: str) -> Class:
        return self._known[name]

    # --- classes ------------------------------------------------------------------------------------------------------

    def class_of(self, value: Value) -> Class:
        if isinstance(value, Obj):
            if value.kind == Kind.INSTANCE:
                found: Class = value.fields[0]
                return found
            if value.kind == Kind.GENERATOR:
                return self._known["coroutine" if self.is_coroutine(value) else "generator"]
            return self._known[_CLASSES[value.kind]]
        if value is None:
            return self._known["NoneType"]
        if isinstance(value, FunctionConstant):
            return self._known["function"]
        if isinstance(value, Class):
            return self._known["type"]
        return self._known[type(value).__name__]

    def is_coroutine(self, value: Obj) -> bool:
        return self.program.codes[value.fields[2]].coroutine

    def member(self, value: Value, name: str) -> Any:
        return self.class_of(value).members.get(self._names[name])

    def is_instance(self, value: Value, kinds: Value) -> bool:
        return self.is_subclass(self.class_of(value), kinds)

    def is_subclass(self, found: Value, kinds: Value) -> bool:
        if not isinstance(found, Class):
            raise Raised("TypeError", "issubclass() arg 1 must be a class")
        if isinstance(kinds, Class):
            return found.derives_from(kinds)
        if kind_of(kinds) == Kind.TUPLE:
            return any(self.is_subclass(found, each) for each in kinds.fields)
        raise Raised("TypeError", "isinstance() arg 2 must be a type, a tuple of types, or a union")

    # --- comparison ---------------------------------------------------------------------------------------------------

    def same(self, a: Value, b: Value) -> bool:
        """``is``: of numbers and texts it is equality, since they have no identity here."""
        if isinstance(a, bool) or isinstance(b, bool):
            return a is b
        if isinstance(a, int | str) and isinstance(b, int | str):
            return a == b
        return a is b

    def equal(self, a: Value, b: Value) -> bool:
        if a is b:
            return True
        if not isinstance(a, Obj) or not isinstance(b, Obj):
            return self._equal(a, b)
        self._deeper()
        found = self._equal(a, b)
        self.level -= 1
        return found

    def _deeper(self) -> None:
        """A value inside of itself has no end."""
        self.level += 1
        if self.level > DEEPEST_VALUE:
            raise Finding(UNSUPPORTED)

    def _equal(self, a: Value, b: Value) -> bool:
        """Where an object of the program compares by its own code, inside of others, that is not supported."""
        if a is b:
            return True
        if isinstance(a, Obj) and isinstance(b, Obj):
            if a.kind != b.kind:
                self._own_comparison(a, b)
                return False
            if a.kind in (Kind.TUPLE, Kind.LIST):
                return len(a.fields) == len(b.fields) and all(map(self.equal, a.fields, b.fields))
            if a.kind == Kind.SET:
                return len(a.fields) == len(b.fields) and all(self.find(b.fields, item) >= 0 for item in a.fields)
            if a.kind == Kind.DICT:
                return self._equal_dicts(a, b)
            if a.kind == Kind.RANGE:
                return range(*a.fields) == range(*b.fields)
            if a.kind == Kind.INSTANCE:
                self._own_comparison(a, b)
                one, other = a.fields[0], b.fields[0]
                count = one.compared + 1
                return one is other and count > 0 and all(map(self.equal, a.fields[1:count], b.fields[1:count]))
            if a.kind == Kind.BOUND:
                return self.same(a.fields[0], b.fields[0]) and a.fields[1] is b.fields[1]
            return False
        if isinstance(a, Obj) or isinstance(b, Obj):
            self._own_comparison(a, b)
            return False
        if isinstance(a, int) and isinstance(b, int):
            return a == b
        if isinstance(a, float) or isinstance(b, float):
            if isinstance(a, int | float) and isinstance(b, int | float):
                raise Finding(UNSUPPORTED)
            return False
        return isinstance(a, str) and isinstance(b, str) and a == b

    def _own_comparison(self, a: Value, b: Value) -> None:
        for each in (a, b):
            if kind_of(each) == Kind.INSTANCE and self.member(each, "__eq__") is not None:
                raise Finding(UNSUPPORTED)

    def _equal_dicts(self, a: Obj, b: Obj) -> bool:
        if len(a.fields) != len(b.fields):
            return False
        for at in range(0, len(a.fields), 2):
            other = self.find(b.fields, a.fields[at], 2)
            if other < 0 or not self.equal(a.fields[at + 1], b.fields[other + 1]):
                return False
        return True

    def less(self, a: Value, b: Value) -> bool:
        if isinstance(a, int) and isinstance(b, int):
            return a < b
        if isinstance(a, str) and isinstance(b, str):
            return a < b
        kind = kind_of(a)
        if kind in (Kind.TUPLE, Kind.LIST) and kind_of(b) == kind:
            self._deeper()
            found = len(a.fields) < len(b.fields)
            for one, other in zip(a.fields, b.fields, strict=False):
                if not self.equal(one, other):
                    found = self.less(one, other)
                    break
            self.level -= 1
            return found
        if isinstance(a, float) or isinstance(b, float):
            raise Finding(UNSUPPORTED)
        if kind_of(a) == Kind.INSTANCE or kind_of(b) == Kind.INSTANCE:
            raise Finding(UNSUPPORTED)
        raise Raised("TypeError", "these values have no order")

    def compare(self, operator: int, a: Value, b: Value) -> bool:
        if operator == Compare.EQ:
            return self.equal(a, b)
        if operator == Compare.LT:
            return self.less(a, b)
        if operator == Compare.GT:
            return self.less(b, a)
        if operator == Compare.LE:
            return self.less(a, b) or self.equal(a, b)
        if operator == Compare.GE:
            return self.less(b, a) or self.equal(a, b)
        if operator == Compare.IS:
            return self.same(a, b)
        return self.contains(b, a)

    def contains(self, container: Value, item: Value) -> bool:
        if isinstance(container, str):
            if not isinstance(item, str):
                raise Raised("TypeError", "'in <string>' requires string as left operand")
            return item in container
        kind = kind_of(container)
        if kind in (Kind.TUPLE, Kind.LIST):
            return self.find(container.fields, item) >= 0
        if kind == Kind.SET:
            self.hashable(item)
            return self.find(container.fields, item) >= 0
        if kind == Kind.DICT:
            self.hashable(item)
            return self.find(container.fields, item, 2) >= 0
        if kind == Kind.RANGE:
            if isinstance(item, int):
                return item in range(*container.fields)
            return False
        if kind in (Kind.GENERATOR, Kind.ITERATOR):
            raise Finding(UNSUPPORTED)
        raise Raised("TypeError", "argument is not iterable")

    def find(self, items: list[Value], item: Value, stride: int = 1) -> int:
        for at in range(0, len(items), stride):
            if self.equal(items[at], item):
                return at
        return -1

    def hashable(self, value: Value) -> None:
        kind = kind_of(value)
        if kind in (Kind.LIST, Kind.DICT, Kind.SET):
            raise Raised("TypeError", "unhashable type")
        if kind == Kind.TUPLE:
            self._deeper()
            for each in value.fields:
                self.hashable(each)
            self.level -= 1
        if kind == Kind.INSTANCE:
            found = value.fields[0]
            if found.compared >= 0 and not found.frozen:
                raise Raised("TypeError", "unhashable type")

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    def binary(self, operator: int, a: Value, b: Value) -> Value:
        if isinstance(a, int) and isinstance(b, int):
            return self._numbers(operator, a, b)
        if operator == Binary.ADD:
            if isinstance(a, str) and isinstance(b, str):
                return a + b
            kind = kind_of(a)
            if kind in (Kind.TUPLE, Kind.LIST) and kind == kind_of(b):
                return Obj(kind, a.fields + b.fields)
        if operator == Binary.MUL:
            if isinstance(a, int) and not isinstance(b, int):
                a, b = b, a
            if isinstance(b, int):
                if b > 0 and length_or_zero(a) * b > 1 << 20:
                    raise Finding(MEMORY)
                if isinstance(a, str):
                    return a * b
                if kind_of(a) in (Kind.TUPLE, Kind.LIST):
                    return Obj(a.kind, a.fields * b)
        if isinstance(a, float) or isinstance(b, float) or (operator == Binary.MOD and isinstance(a, str)):
            raise Finding(UNSUPPORTED)
        raise Raised("TypeError", "unsupported operand type(s)")

    @staticmethod
    def _numbers(operator: int, a: int, b: int) -> Value:
        if isinstance(a, bool) and isinstance(b, bool) and operator in (Binary.AND, Binary.OR, Binary.XOR):
            return {Binary.AND: a and b, Binary.OR: a or b, Binary.XOR: a != b}[Binary(operator)]
        a, b = int(a), int(b)
        match operator:
            case Binary.ADD:
                return checked(a + b)
            case Binary.SUB:
                return checked(a - b)
            case Binary.MUL:
                return checked(a * b)
            case Binary.DIV:
                if b == 0:
                    raise Raised("ZeroDivisionError", "integer division or modulo by zero")
                return checked(a // b)
            case Binary.MOD:
                if b == 0:
                    raise Raised("ZeroDivisionError", "integer modulo by zero")
                return a % b
            case Binary.POW:
                if b < 0:
                    raise Finding(UNSUPPORTED)
                if abs(a) > 1 and b > 64:
                    raise Finding(OVERFLOW)
                return checked(a**b) if abs(a) > 1 else a ** (b if b < 2 else 2 - b % 2)
            case Binary.LSHIFT | Binary.RSHIFT:
                if b < 0:
                    raise Raised("ValueError", "negative shift count")
                if operator == Binary.RSHIFT:
                    return a >> min(b, 63)
                if a and b > 63:
                    raise Finding(OVERFLOW)
                return checked(a << b) if a else 0
            case Binary.AND:
                return a & b
            case Binary.OR:
                return a | b
            case _:
                return a ^ b

    @staticmethod
    def unary(operator: int, a: Value) -> Value:
        if isinstance(a, int):
            return checked(-int(a)) if operator == 0 else ~int(a)
        if isinstance(a, float):
            raise Finding(UNSUPPORTED)
        raise Raised("TypeError", "bad operand type for unary operator")

    # --- containers ---------------------------------------------------------------------------------------------------

    def item(self, container: Value, index: Value) -> Value:
        kind = kind_of(container)
        if kind == Kind.DICT:
            self.hashable(index)
            at = self.find(container.fields, index, 2)
            if at < 0:
                raise Raised("KeyError", index)
            return container.fields[at + 1]
        text = isinstance(container, str)
        if not text and kind not in (Kind.TUPLE, Kind.LIST, Kind.RANGE):
            raise Raised("TypeError", "object is not subscriptable")
        if not isinstance(index, int):
            raise Raised("TypeError", "indices must be integers or slices")
        count = length(container)
        at = index + count if index < 0 else int(index)
        if not 0 <= at < count:
            name = {Kind.TUPLE: "tuple", Kind.LIST: "list", Kind.RANGE: "range object"}.get(kind, "string")  # type: ignore[arg-type]
            raise Raised("IndexError", f"{name} index out of range")
        if text:
            return container[at]
        if kind == Kind.RANGE:
            return checked(container.fields[0] + at * container.fields[2])
        return container.fields[at]

    def set_item(self, container: Value, index: Value, value: Value) -> None:
        kind = kind_of(container)
        if kind == Kind.DICT:
            self.put(container, index, value)
            return
        if kind != Kind.LIST:
            raise Raised("TypeError", "object does not support item assignment")
        container.fields[self._place(container, index, "list assignment index out of range")] = value

    def delete_item(self, container: Value, index: Value) -> None:
        kind = kind_of(container)
        if kind == Kind.DICT:
            self.hashable(index)
            at = self.find(container.fields, index, 2)
            if at < 0:
                raise Raised("KeyError", index)
            del container.fields[at : at + 2]
            return
        if kind != Kind.LIST:
            raise Raised("TypeError", "object does not support item deletion")
        del container.fields[self._place(container, index, "list assignment index out of range")]

    @staticmethod
    def _place(container: Obj, index: Value, message: str) -> int:
        if not isinstance(index, int):
            raise Raised("TypeError", "indices must be integers or slices")
        at = index + len(container.fields) if index < 0 else int(index)
        if not 0 <= at < len(container.fields):
            raise Raised("IndexError", message)
        return at

    def put(self, container: Obj, key: Value, value: Value) -> None:
        self.hashable(key)
        at = self.find(container.fields, key, 2)
        if at < 0:
            container.fields += [key, value]
        else:
            container.fields[at + 1] = value

    def add(self, container: Obj, item: Value) -> None:
        """Small integers are kept in ascending order in front: how a set came to be makes no difference then."""
        self.hashable(item)
        if self.find(container.fields, item) >= 0:
            return
        at = len(container.fields)
        if is_small(item):
            at = 0
            while at < len(container.fields) and is_small(container.fields[at]) and container.fields[at] < item:
                at += 1
        container.fields.insert(at, item)


def is_small(value: Value) -> bool:
    return type(value) is int and -(1 << 29) <= value < 1 << 29


def length_or_zero(value: Value) -> int:
    if isinstance(value, str):
        return len(value)
    return len(value.fields) if isinstance(value, Obj) else 0


_CLASSES = {
    Kind.TUPLE: "tuple", Kind.LIST: "list", Kind.DICT: "dict", Kind.SET: "set", Kind.RANGE: "range",
    Kind.FUNCTION: "function", Kind.BOUND: "method", Kind.ITERATOR: "iterator", Kind.CELL: "object",
}  # fmt: skip
