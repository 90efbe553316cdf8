"""Two threads and one thing that they share, for each kind of sharing there is in Python: what may be left.

Each function gives two workers and a function that says what was left. Whoever misses an access misses an outcome.
"""

# ruff: noqa: C416, UP031, UP032, B905, RUF005, RUF012, SIM401 - each says it in a way that is to be watched
from __future__ import annotations

import array
import bisect
import collections
import contextlib
import contextvars
import copy
import dataclasses
import functools
import heapq
import io
import itertools
import operator
import random
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Case = tuple[Callable[[], Any], Callable[[], Any], Callable[[], Any]]
total = 0


class Plain:
    shared = 0
    names: list[str] = []

    def __init__(self) -> None:
        self.x = 0
        self.items: list[int] = []


class Slots:
    __slots__ = ("x",)

    def __init__(self) -> None:
        self.x = 0


class Managed:
    def __init__(self) -> None:
        self._x = 0

    @property
    def x(self) -> int:
        return self._x

    @x.setter
    def x(self, value: int) -> None:
        self._x = value


class Own(list):  # type: ignore[type-arg]
    pass


class OwnDict(dict):  # type: ignore[type-arg]
    pass


@dataclasses.dataclass
class Record:
    x: int = 0


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: int = 0


class Fallback:
    def __getattr__(self, name: str) -> Any:
        return 7


class Cached:
    def __init__(self) -> None:
        self.made = 0

    @functools.cached_property
    def value(self) -> list[int]:
        return []


def guarded(work: Callable[[], Any], log: list[Any], me: int) -> Callable[[], Any]:
    """What it gives or raises."""

    def worker() -> None:
        try:
            log[me] = work()
        except (RuntimeError, ValueError, IndexError, KeyError, StopIteration, AttributeError) as error:
            log[me] = type(error).__name__

    return worker


def pair(one: Callable[[], Any], other: Callable[[], Any], left: Callable[[], Any] = lambda: None) -> Case:
    log = [None, None]
    return guarded(one, log, 0), guarded(other, log, 1), lambda: repr((log, left()))


def attribute_in_place() -> Case:
    target = Plain()

    def add() -> None:
        target.x += 1

    return pair(add, add, lambda: target.x)


def slot_in_place() -> Case:
    target = Slots()

    def add() -> None:
        target.x += 1

    return pair(add, add, lambda: target.x)


def property_in_place() -> Case:
    target = Managed()

    def add() -> None:
        target.x += 1

    return pair(add, add, lambda: target.x)


def class_attribute_in_place() -> Case:
    Plain.shared = 0

    def add() -> None:
        Plain.shared += 1

    return pair(add, add, lambda: Plain.shared)


def class_attribute_through_instance() -> Case:
    Plain.shared = 0
    target = Plain()

    def add() -> int:
        Plain.shared = 5
        return 0

    def look() -> int:
        return target.shared

    return pair(add, look)


def class_attribute_by_type() -> Case:
    Plain.shared = 0
    target = Plain()

    def add() -> None:
        type(target).shared += 1

    return pair(add, add, lambda: Plain.shared)


def function_attribute() -> Case:
    def target() -> None:
        pass

    target.calls = 0  # type: ignore[attr-defined]

    def add() -> None:
        target.calls += 1  # type: ignore[attr-defined]

    return pair(add, add, lambda: target.calls)  # type: ignore[attr-defined]


def global_in_place() -> Case:
    global total
    total = 0

    def add() -> None:
        global total
        total += 1

    return pair(add, add, lambda: total)


def global_by_dictionary() -> Case:
    global total
    total = 0

    def add() -> None:
        global total
        total = 3

    def look() -> Any:
        return globals()["total"]

    return pair(add, look)


def closure_in_place() -> Case:
    number = 0

    def add() -> None:
        nonlocal number
        number += 1

    return pair(add, add, lambda: number)


def list_item_in_place() -> Case:
    items = [0]

    def add() -> None:
        items[0] += 1

    return pair(add, add, lambda: items)


def list_extended_in_place() -> Case:
    target = Plain()

    def one() -> None:
        target.items += [1]

    def other() -> int:
        return len(target.items)

    return pair(one, other, lambda: target.items)


def list_check_then_act() -> Case:
    items = [1]

    def take() -> Any:
        if items:
            return items.pop()
        return None

    return pair(take, take)


def list_grows_while_it_is_read() -> Case:
    items = [1, 2]

    def read() -> list[int]:
        return [each for each in items]

    return pair(read, lambda: items.append(3))


def dict_grows_while_it_is_read() -> Case:
    table = {1: 1, 2: 2}

    def read() -> list[int]:
        return [each for each in table]

    return pair(read, lambda: table.update({3: 3}))


def dict_items_grow_while_read() -> Case:
    table = {1: 1, 2: 2}

    def read() -> list[Any]:
        found = []
        for key, value in table.items():
            found.append((key, value))
        return found

    def write() -> None:
        table[3] = 3

    return pair(read, write)


def dict_values_view() -> Case:
    table = {1: 1}
    view = table.values()

    def write() -> None:
        table[3] = 3

    return pair(lambda: (len(view), len(view)), write)


def dict_keys_view_contains() -> Case:
    table = {1: 1}
    view = table.keys()

    def write() -> None:
        table[3] = 3

    return pair(lambda: (3 in view, sorted(view & {1, 3})), write)


def set_while_read() -> Case:
    items = {1, 2}

    def read() -> int:
        return sum(1 for _ in items)

    return pair(read, lambda: items.add(3))


def set_in_place_operator() -> Case:
    target = Plain()
    target.x = {1}  # type: ignore[assignment]

    def one() -> None:
        target.x |= {2}

    return pair(one, lambda: 2 in target.x, lambda: target.x)  # type: ignore[operator]


def deque_rotates() -> Case:
    items = collections.deque([1, 2, 3])

    def turn() -> None:
        items.rotate(1)

    return pair(turn, lambda: items[0], lambda: list(items))


def deque_while_read() -> Case:
    items = collections.deque([1, 2])

    def read() -> list[int]:
        return [each for each in items]

    return pair(read, lambda: items.append(3))


def array_in_place() -> Case:
    numbers = array.array("i", [0])

    def add() -> None:
        numbers[0] += 1

    return pair(add, add, lambda: numbers.tolist())


def array_method() -> Case:
    numbers = array.array("i", [0])
    return pair(lambda: numbers.append(3), lambda: len(numbers))


def bytearray_in_place() -> Case:
    numbers = bytearray(1)

    def add() -> None:
        numbers[0] += 1

    return pair(add, add, lambda: bytes(numbers))


def memoryview_in_place() -> Case:
    numbers = bytearray(1)
    view = memoryview(numbers)

    def add() -> None:
        view[0] += 1

    def direct() -> None:
        numbers[0] += 1

    return pair(add, direct, lambda: bytes(numbers))


def slices() -> Case:
    items = [1, 2, 3]

    def write() -> None:
        items[1:] = []

    return pair(write, lambda: items[:])


def delete_slice() -> Case:
    items = [1, 2, 3]

    def write() -> None:
        del items[1:]

    return pair(write, lambda: (len(items), items[-1]))


def counter_object() -> Case:
    counts = collections.Counter("a")

    def add() -> None:
        counts["a"] += 1

    return pair(add, add, lambda: counts["a"])


def counter_most_common() -> Case:
    counts = collections.Counter("a")

    def add() -> None:
        counts["b"] += 5

    return pair(add, lambda: counts.most_common(1))


def counter_updated() -> Case:
    counts = collections.Counter("a")
    return pair(lambda: counts.update("ab"), lambda: counts["b"])


def dict_updated() -> Case:
    table = {"a": 1}
    return pair(lambda: table.update({"b": 2}), lambda: table.get("b"))


def default_dict() -> Case:
    table: Any = collections.defaultdict(list)

    def add() -> None:
        table["k"].append(1)

    return pair(add, lambda: dict(table), lambda: dict(table))


def ordered_dict() -> Case:
    table = collections.OrderedDict(a=1, b=2)
    return pair(lambda: table.move_to_end("a"), lambda: next(iter(table)))


def user_dict() -> Case:
    table: Any = collections.UserDict(a=1)

    def add() -> None:
        table["a"] += 1

    return pair(add, add, lambda: table["a"])


def chain_map() -> Case:
    table: Any = collections.ChainMap({"a": 1}, {"b": 2})

    def add() -> None:
        table["b"] = 3

    return pair(add, lambda: table["b"])


def list_subclass() -> Case:
    items: Any = Own([1])

    def take() -> Any:
        return items.pop() if items else None

    return pair(take, take)


def list_subclass_item() -> Case:
    items: Any = Own([0])

    def add() -> None:
        items[0] += 1

    return pair(add, add, lambda: list(items))


def dict_subclass() -> Case:
    table: Any = OwnDict(a=0)

    def add() -> None:
        table["a"] += 1

    return pair(add, add, lambda: dict(table))


def dict_subclass_while_read() -> Case:
    table: Any = OwnDict(a=0, b=1)

    def read() -> list[Any]:
        return [each for each in table]

    def write() -> None:
        table["c"] = 1

    return pair(read, write)


def bound_method_of_list() -> Case:
    items: list[int] = []
    append = items.append

    def write() -> None:
        append(1)

    return pair(write, lambda: len(items))


def method_of_type() -> Case:
    items: list[int] = []
    return pair(lambda: list.append(items, 1), lambda: len(items))


def partial_of_method() -> Case:
    items: list[int] = []
    add = functools.partial(items.append, 1)

    def write() -> None:
        add()

    return pair(write, lambda: len(items))


def list_given_to_heap() -> Case:
    items = [5]

    def push() -> None:
        heapq.heappush(items, 1)

    return pair(push, lambda: items[0], lambda: items)


def list_given_to_bisect() -> Case:
    items = [1, 5]
    return pair(lambda: bisect.insort(items, 3), lambda: list(items))


def list_shuffled() -> Case:
    items = [1, 2, 3]

    def shuffle() -> None:
        random.Random(1).shuffle(items)

    return pair(shuffle, lambda: items[0])


def joined() -> Case:
    items = ["a"]
    return pair(lambda: ",".join(items), lambda: items.append("b"))


def formatted() -> Case:
    items = ["a"]
    return pair(lambda: f"{items}", lambda: items.append("b"))


def formatted_by_method() -> Case:
    items = ["a"]
    return pair(lambda: "{}".format(items), lambda: items.append("b"))


def formatted_by_percent() -> Case:
    items = ["a"]
    return pair(lambda: "%s" % (items,), lambda: items.append("b"))


def nested_comparison() -> Case:
    items = [1]
    return pair(lambda: ([items], 1) == ([[1]], 1), lambda: items.append(2))


def nested_text() -> Case:
    items = [1]
    return pair(lambda: repr({"k": (items,)}), lambda: items.append(2))


def nested_copy() -> Case:
    table = {"k": [1]}
    return pair(lambda: repr(copy.deepcopy(table)), lambda: table["k"].append(2))


def object_copy() -> Case:
    target = Plain()

    def write() -> None:
        target.x = 5

    return pair(lambda: copy.copy(target).x, write)


def star_arguments() -> Case:
    items = [1]

    def count(*given: int) -> int:
        return len(given)

    return pair(lambda: count(*items), lambda: items.append(2))


def double_star_arguments() -> Case:
    table = {"a": 1}

    def count(**given: int) -> int:
        return len(given)

    def write() -> None:
        table["b"] = 2

    return pair(lambda: count(**table), write)


def displays() -> Case:
    items = [1]
    return pair(lambda: ([*items], {*items}, (*items,)), lambda: items.append(2))


def unpacking() -> Case:
    items = [1, 2]

    def read() -> int:
        a, b = items
        return a + b

    return pair(read, lambda: items.append(3))


def iterator_shared() -> Case:
    numbers = iter([1, 2, 3])
    return pair(lambda: next(numbers), lambda: next(numbers))


def iterator_shared_by_loops() -> Case:
    numbers = iter([1, 2, 3])

    def read() -> list[int]:
        return [each for each in numbers]

    return pair(read, read)


def count_shared() -> Case:
    numbers = itertools.count()
    return pair(lambda: next(numbers), lambda: next(numbers))


def zip_shared() -> Case:
    numbers = zip([1, 2], [3, 4])

    def read() -> list[Any]:
        return [each for each in numbers]

    return pair(read, lambda: next(numbers, None))


def _numbers() -> Iterator[int]:
    number = 0
    while True:
        yield number
        number += 1


def generator_shared() -> Case:
    numbers = _numbers()
    return pair(lambda: next(numbers), lambda: next(numbers))


def generator_sent_to() -> Case:
    def echo() -> Any:
        got = 0
        while True:
            got = yield got

    talk = echo()
    next(talk)
    return pair(lambda: (talk.send(1), talk.send(2)), lambda: talk.send(5))


def generator_that_looks() -> Case:
    target = Plain()

    def look() -> Any:
        for _ in range(2):
            target.x += 1
            yield target.x

    numbers = look()

    def read() -> list[Any]:
        return [each for each in numbers]

    return pair(read, read, lambda: target.x)


def dataclass_field() -> Case:
    record = Record()

    def add() -> None:
        record.x += 1

    return pair(add, add, lambda: record.x)


def dataclass_compared() -> Case:
    record = Record()

    def write() -> None:
        record.x = 1

    return pair(write, lambda: record == Record(1))


def dataclass_replaced() -> Case:
    record = Record()

    def write() -> None:
        record.x = 1

    return pair(write, lambda: dataclasses.replace(record).x)


def dataclass_as_dict() -> Case:
    record = Record()

    def write() -> None:
        record.x = 1

    return pair(write, lambda: dataclasses.asdict(record)["x"])


def set_past_frozen() -> Case:
    record = Frozen()
    return pair(lambda: object.__setattr__(record, "x", 1), lambda: record.x)


def got_past_class() -> Case:
    record = Record()

    def write() -> None:
        record.x = 1

    return pair(lambda: object.__getattribute__(record, "x"), write)


def lru_cache() -> Case:
    made: list[int] = []

    @functools.lru_cache
    def value(key: int) -> Any:
        made.append(key)
        return len(made)

    return pair(lambda: value(1), lambda: value(1), lambda: made)


def lru_cache_of_pure() -> Case:
    @functools.lru_cache
    def value(key: int) -> Any:
        return [key]

    seen: list[Any] = [None, None]

    def one() -> None:
        seen[0] = value(1)

    def other() -> None:
        seen[1] = value(1)

    return pair(one, other, lambda: seen[0] is seen[1])


def lru_cache_info() -> Case:
    @functools.lru_cache
    def value(key: int) -> Any:
        return [key]

    return pair(lambda: value(1) and None, lambda: value.cache_info().misses)


def cached_property() -> Case:
    target = Cached()
    seen: list[Any] = [None, None]

    def one() -> None:
        seen[0] = target.value

    def other() -> None:
        seen[1] = target.value

    return pair(one, other, lambda: seen[0] is seen[1])


def weak_reference() -> Case:
    holder = Plain()
    holder.x = Plain()  # type: ignore[assignment]
    reference = weakref.ref(holder.x)

    def drop() -> None:
        holder.x = None  # type: ignore[assignment]

    return pair(drop, lambda: reference() is None)


def weak_dictionary() -> Case:
    table: Any = weakref.WeakValueDictionary()
    kept = Plain()

    def put() -> None:
        table["k"] = kept

    return pair(put, lambda: "k" in table)


def weak_keys() -> Case:
    table: Any = weakref.WeakKeyDictionary()
    key = Plain()

    def put() -> None:
        table[key] = 1

    return pair(put, lambda: (key in table, table.get(key)))


def context_variable() -> Case:
    variable: contextvars.ContextVar[int] = contextvars.ContextVar("variable", default=0)

    def add() -> int:
        variable.set(variable.get() + 1)
        return variable.get()

    return pair(add, add)


def namespace() -> Case:
    target = types.SimpleNamespace(x=0)

    def add() -> None:
        target.x += 1

    return pair(add, add, lambda: target.x)


def text_file() -> Case:
    file = io.StringIO()
    return pair(lambda: file.write("a"), lambda: file.getvalue(), lambda: file.getvalue())


def attribute_getter() -> Case:
    target = Plain()
    get = operator.attrgetter("x")

    def write() -> None:
        target.x = 1

    return pair(lambda: get(target), write)


def item_getter() -> Case:
    items = [0]
    get = operator.itemgetter(0)

    def write() -> None:
        items[0] = 1

    return pair(lambda: get(items), write)


def item_setter() -> Case:
    items = [0]
    return pair(lambda: operator.setitem(items, 0, 1), lambda: items[0])


def in_place_by_operator() -> Case:
    items = [0]
    return pair(lambda: operator.iadd(items, [1]) and None, lambda: len(items))


def method_caller() -> Case:
    items = [0]
    call = operator.methodcaller("append", 1)
    return pair(lambda: call(items), lambda: len(items))


def mapped() -> Case:
    items = [0]

    def read() -> list[Any]:
        return list(map(str, items))

    return pair(read, lambda: items.append(1))


def lazily_mapped() -> Case:
    items = [0]
    lazy = map(str, items)
    return pair(lambda: list(lazy), lambda: items.append(1))


def chained() -> Case:
    items = [0]
    lazy = itertools.chain(items, [7])
    return pair(lambda: list(lazy), lambda: items.append(1))


def reduced() -> Case:
    items = [0]
    return pair(lambda: functools.reduce(operator.add, items, 0), lambda: items.append(1))


def sorted_with_a_key() -> Case:
    items = [2, 1]
    target = Plain()

    def key(each: int) -> int:
        target.x += 1
        return each

    return pair(lambda: items.sort(key=key), lambda: len(items))


def fallback_attribute() -> Case:
    target: Any = Fallback()

    def write() -> None:
        target.x = 1

    return pair(write, lambda: target.x)


def deleted_attribute() -> Case:
    target = Plain()

    def delete() -> None:
        del target.x

    return pair(delete, lambda: target.x)


def attribute_by_dictionary() -> Case:
    target = Plain()

    def add() -> None:
        target.__dict__["x"] = 1

    return pair(add, lambda: target.x)


def attribute_by_update() -> Case:
    target = Plain()
    return pair(lambda: vars(target).update(x=1), lambda: target.x)


def random_numbers() -> Case:
    source = random.Random(1)
    return pair(lambda: source.random(), lambda: source.randint(1, 100))


def names_of_class() -> Case:
    Plain.names = []
    return pair(lambda: Plain.names.append("a"), lambda: len(Plain().names))


def setattr_on_class() -> Case:
    Plain.shared = 0
    return pair(lambda: setattr(Plain, "shared", 3), lambda: Plain.shared)


def exit_stack() -> Case:
    stack = contextlib.ExitStack()
    left: list[int] = []

    def push() -> None:
        stack.callback(left.append, 1)

    return pair(push, lambda: stack.close(), lambda: (stack.close(), left))


def augmented_global_list() -> Case:
    items: list[int] = []

    def add() -> None:
        nonlocal items
        items = items + [1]

    return pair(add, add, lambda: items)


def dictionary_union() -> Case:
    table = {"a": 1}

    def write() -> None:
        table["b"] = 2

    return pair(lambda: table | {"c": 3}, write)


def match_mapping() -> Case:
    table: Any = {"a": 1}

    def read() -> Any:
        match table:
            case {"b": value}:
                return value
            case {"a": value}:
                return value
        return None

    def write() -> None:
        table["b"] = 2

    return pair(read, write)


def match_sequence() -> Case:
    items = [1]

    def read() -> Any:
        match items:
            case [_]:
                return 1
            case [_, _]:
                return 2
        return None

    return pair(read, lambda: items.append(1))


def match_class() -> Case:
    record = Record()

    def read() -> Any:
        match record:
            case Record(x=0):
                return 0
            case Record(x=1):
                return 1
        return None

    def write() -> None:
        record.x = 1

    return pair(read, write)


def yield_from_list() -> Case:
    items = [1]

    def inner() -> Any:
        yield from items

    return pair(lambda: list(inner()), lambda: items.append(2))


def truth_of_subclass() -> Case:
    items: Any = Own()
    return pair(lambda: 1 if items else 0, lambda: items.append(2))


def has_attribute() -> Case:
    target: Any = Slots()
    del target.x

    def write() -> None:
        target.x = 1

    return pair(lambda: hasattr(target, "x"), write)


def deleted_item() -> Case:
    table = {"a": 1}

    def delete() -> None:
        del table["a"]

    def read() -> Any:
        return table["a"] if "a" in table else None

    return pair(read, delete)


class Point(NamedTuple):
    items: list[int]


def list_in_named_tuple() -> Case:
    point = Point([])
    return pair(lambda: point.items.append(1), lambda: str(point))


class Counting:
    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Counting:
        self.count += 1
        return self

    def __exit__(self, *given: object) -> None:
        self.count -= 1

    def __iadd__(self, other: int) -> Counting:
        self.count += other
        return self

    def __getitem__(self, key: int) -> int:
        return self.count

    def __contains__(self, key: int) -> bool:
        return self.count == key

    def __bool__(self) -> bool:
        return self.count > 0

    def __iter__(self) -> Iterator[int]:
        yield self.count
        yield self.count


def special_methods() -> Case:
    target = Counting()

    def one() -> Any:
        with target:
            return target[0], 1 in target, bool(target)

    def other() -> Any:
        nonlocal target
        target += 1
        return None

    return pair(one, other, lambda: target.count)


def special_iteration() -> Case:
    target = Counting()

    def other() -> Any:
        target.count = 4

    return pair(lambda: list(target), other)


CASES: dict[str, Callable[[], Case]] = {
    name: made
    for name, made in list(globals().items())
    if isinstance(made, types.FunctionType)
    and made.__module__ == __name__
    and made.__annotations__.get("return") == "Case"
    and name != "pair"
    and (name != "cached_property" or sys.version_info >= (3, 12))  # it had a lock before
}
