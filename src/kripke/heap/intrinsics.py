"""The machine's own operations, which the library is written with: ``__name(...)`` there."""

from __future__ import annotations

from collections.abc import Callable

from kripke.heap.calls import Calls
from kripke.heap.memory import UNBOUND, Frame, Obj, Value, share
from kripke.heap.operations import UNSUPPORTED, Finding, Raised, kind_of, length
from kripke.heap.program import INTRINSIC_ARGUMENTS, Class, FunctionConstant, Intrinsic, Kind, Mode

Run = Callable[[Calls, Frame], None]
INTRINSICS: dict[int, Run] = {}


def _operation(which: Intrinsic) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """A function of the machine and the arguments; its value is pushed."""
    count = INTRINSIC_ARGUMENTS[which]

    def register(function: Callable[..., Value]) -> Callable[..., Value]:
        def run(machine: Calls, frame: Frame) -> None:
            at = len(frame.stack) - count
            arguments = frame.stack[at:]
            del frame.stack[at:]
            frame.stack.append(function(machine, *arguments))

        INTRINSICS[which] = run
        return function

    return register


def _of_kind(value: Value, kind: Kind) -> list[Value]:
    """The items; methods of built-in types can be called with something else as their receiver."""
    if kind_of(value) != kind:
        raise Finding(UNSUPPORTED)
    found: list[Value] = value.fields
    return found


def _index(value: Value, count: int) -> int:
    if not isinstance(value, int) or not 0 <= value < count:
        raise Raised("IndexError", "index out of range")
    return int(value)


@_operation(Intrinsic.LEN)
def _len(_machine: Calls, value: Value) -> Value:
    return length(value)


@_operation(Intrinsic.CLASS_OF)
def _class_of(machine: Calls, value: Value) -> Value:
    return machine.class_of(value)


@_operation(Intrinsic.IS_INSTANCE)
def _is_instance(machine: Calls, value: Value, kinds: Value) -> Value:
    return machine.is_instance(value, kinds)


@_operation(Intrinsic.IS_SUBCLASS)
def _is_subclass(machine: Calls, value: Value, kinds: Value) -> Value:
    return machine.is_subclass(value, kinds)


@_operation(Intrinsic.SAME)
def _same(machine: Calls, a: Value, b: Value) -> Value:
    return machine.same(a, b)


@_operation(Intrinsic.LIST_APPEND)
def _list_append(_machine: Calls, items: Value, value: Value) -> Value:
    _of_kind(items, Kind.LIST).append(value)
    if items.shared:
        share(value)


@_operation(Intrinsic.LIST_INSERT)
def _list_insert(_machine: Calls, items: Value, at: Value, value: Value) -> Value:
    inside = _of_kind(items, Kind.LIST)
    inside.insert(_index(at, len(inside) + 1), value)
    if items.shared:
        share(value)


@_operation(Intrinsic.LIST_REMOVE)
def _list_remove(_machine: Calls, items: Value, at: Value) -> Value:
    inside = _of_kind(items, Kind.LIST)
    return inside.pop(_index(at, len(inside)))


@_operation(Intrinsic.LIST_CLEAR)
def _list_clear(_machine: Calls, items: Value) -> Value:
    _of_kind(items, Kind.LIST).clear()


@_operation(Intrinsic.DICT_GET)
def _dict_get(machine: Calls, items: Value, key: Value, default: Value) -> Value:
    inside = _of_kind(items, Kind.DICT)
    machine.hashable(key)
    at = machine.find(inside, key, 2)
    return default if at < 0 else inside[at + 1]


@_operation(Intrinsic.DICT_SET)
def _dict_set(machine: Calls, items: Value, key: Value, value: Value) -> Value:
    _of_kind(items, Kind.DICT)
    machine.put(items, key, value)
    if items.shared:
        share(key)
        share(value)


@_operation(Intrinsic.DICT_REMOVE)
def _dict_remove(machine: Calls, items: Value, key: Value) -> Value:
    inside = _of_kind(items, Kind.DICT)
    at = machine.find(inside, key, 2)
    if at < 0:
        raise Raised("KeyError", key)
    value = inside[at + 1]
    del inside[at : at + 2]
    return value


@_operation(Intrinsic.DICT_KEY)
def _dict_key(_machine: Calls, items: Value, at: Value) -> Value:
    inside = _of_kind(items, Kind.DICT)
    return inside[2 * _index(at, len(inside) // 2)]


@_operation(Intrinsic.DICT_VALUE)
def _dict_value(_machine: Calls, items: Value, at: Value) -> Value:
    inside = _of_kind(items, Kind.DICT)
    return inside[2 * _index(at, len(inside) // 2) + 1]


@_operation(Intrinsic.DICT_CLEAR)
def _dict_clear(_machine: Calls, items: Value) -> Value:
    _of_kind(items, Kind.DICT).clear()


@_operation(Intrinsic.SET_ADD)
def _set_add(machine: Calls, items: Value, value: Value) -> Value:
    _of_kind(items, Kind.SET)
    machine.add(items, value)
    if items.shared:
        share(value)


@_operation(Intrinsic.SET_REMOVE)
def _set_remove(machine: Calls, items: Value, value: Value) -> Value:
    inside = _of_kind(items, Kind.SET)
    machine.hashable(value)
    at = machine.find(inside, value)
    if at < 0:
        return False
    del inside[at]
    return True


@_operation(Intrinsic.SET_ITEM)
def _set_item(_machine: Calls, items: Value, at: Value) -> Value:
    inside = _of_kind(items, Kind.SET)
    return inside[_index(at, len(inside))]


@_operation(Intrinsic.SET_CLEAR)
def _set_clear(_machine: Calls, items: Value) -> Value:
    _of_kind(items, Kind.SET).clear()


@_operation(Intrinsic.SLICE)
def _slice(machine: Calls, value: Value, start: Value, stop: Value) -> Value:
    kind = kind_of(value)
    if not isinstance(value, str) and kind not in (Kind.LIST, Kind.TUPLE):
        raise Raised("TypeError", "object is not subscriptable")
    if not isinstance(start, int) or not isinstance(stop, int):
        raise Raised("TypeError", "slice indices must be integers")
    count = length(value)
    start, stop = min(max(start, 0), count), min(max(stop, 0), count)
    if isinstance(value, str):
        return value[start:stop]
    assert kind is not None
    return machine.new(kind, value.fields[start:stop])


@_operation(Intrinsic.CHR)
def _chr(_machine: Calls, value: Value) -> Value:
    if not isinstance(value, int):
        raise Raised("TypeError", "an integer is required")
    if not 0 <= value < 0x110000 or 0xD800 <= value < 0xE000:
        raise Raised("ValueError", "chr() arg not in range(0x110000)")
    return chr(value)


@_operation(Intrinsic.ORD)
def _ord(_machine: Calls, value: Value) -> Value:
    if not isinstance(value, str) or len(value) != 1:
        raise Raised("TypeError", "ord() expected a character")
    return ord(value)


@_operation(Intrinsic.STR_OF_INT)
def _str_of_int(_machine: Calls, value: Value) -> Value:
    if not isinstance(value, int):
        raise Finding(UNSUPPORTED)
    return str(int(value))


@_operation(Intrinsic.FIND)
def _find(_machine: Calls, text: Value, part: Value, start: Value) -> Value:
    if not isinstance(text, str) or not isinstance(part, str):
        raise Raised("TypeError", "must be str")
    return text.find(part, start)


@_operation(Intrinsic.TUPLE_OF)
def _tuple_of(machine: Calls, items: Value) -> Value:
    return machine.new(Kind.TUPLE, list(_of_kind(items, Kind.LIST)))


@_operation(Intrinsic.NAME_OF)
def _name_of(machine: Calls, value: Value) -> Value:
    if isinstance(value, Class):
        return value.name
    if isinstance(value, FunctionConstant):
        return value.code.name
    if kind_of(value) == Kind.FUNCTION:
        return machine.codes[value.fields[0]].name
    raise Finding(UNSUPPORTED)


@_operation(Intrinsic.PRINT)
def _print(machine: Calls, text: Value) -> Value:
    machine.outcome.printed[-1] += text


def _first_frame(machine: Calls, thread: Obj) -> Frame:
    """Of a thread: that of the function itself where it takes these very arguments."""
    found: Class = thread.fields[0]
    slots = {name: 1 + number for number, name in enumerate(found.layout)}
    run = machine.member(thread, "run")[1]
    function: Value = run
    arguments: list[Value] = [thread]
    if run.code.library:
        given = thread.fields[slots[machine.name("_args")]]
        function, arguments = thread.fields[slots[machine.name("_target")]], []
        if thread.fields[slots[machine.name("_kwargs")]] is not None or not (
            given is False or kind_of(given) == Kind.TUPLE
        ):
            function = None
        if kind_of(function) == Kind.BOUND:
            function, receiver = function.fields
            arguments.append(receiver)
        if function is not None and given is not False:
            arguments += given.fields
    code = None
    cells: list[Value] = []
    if isinstance(function, FunctionConstant):
        code = function.code
    elif kind_of(function) == Kind.FUNCTION:
        code, cells = machine.codes[function.fields[0]], function.fields[3:]
    if code is None or code.library or code.generator or code.spread or code.keywords or code.keyword_only:
        code = None
    if code is None or code.positional != len(arguments):
        code, arguments, cells = machine.codes[machine.program.bootstrap], [thread], []
    else:
        thread.fields[slots[machine.name("_args")]] = None
    between = [UNBOUND] * (code.local_count - len(arguments) - len(cells))
    return Frame(code.number, [*arguments, *between, *cells])


@_operation(Intrinsic.SPAWN)
def _spawn(machine: Calls, thread: Value) -> Value:
    """A new thread runs the start of the library's ``Thread``; it gets the least number that is free; with the
    numberings of JPF a new one, as there."""
    memory = machine.memory
    frame = _first_frame(machine, thread)
    at = len(memory.frames)
    if machine.uses_numbers_again:
        at = next((n for n, each in enumerate(memory.frames) if each is None), at)
    if at == len(memory.frames):
        memory.frames.append(frame)
        memory.threads.append(thread)
    else:
        memory.frames[at], memory.threads[at] = frame, thread
    memory.frames[machine.thread] = machine.frame
    for value in memory.globals:
        share(value)
    share(thread)
    machine.new_thread()


@_operation(Intrinsic.ME)
def _me(machine: Calls) -> Value:
    return machine.memory.threads[machine.thread]


@_operation(Intrinsic.OTHERS)
def _others(machine: Calls) -> Value:
    return sum(1 for frame in machine.memory.frames if frame is not None)


@_operation(Intrinsic.FIELD)
def _field(_machine: Calls, value: Value, at: Value) -> Value:
    found = value.fields[1 + at]
    if found is UNBOUND:
        raise Raised("AttributeError", "a field without a value")
    return found


@_operation(Intrinsic.FIELD_NAME)
def _field_name(machine: Calls, value: Value, at: Value) -> Value:
    return machine.program.names[value.fields[0].layout[at]]


@_operation(Intrinsic.FIELD_COUNT)
def _field_count(_machine: Calls, value: Value) -> Value:
    return value.fields[0].field_count if kind_of(value) == Kind.INSTANCE else -1


@_operation(Intrinsic.UNSUPPORTED)
def _unsupported(_machine: Calls, _what: Value) -> Value:
    raise Finding(UNSUPPORTED)


@_operation(Intrinsic.GENERATOR_STATE)
def _generator_state(_machine: Calls, value: Value) -> Value:
    return _of_kind(value, Kind.GENERATOR)[0]


@_operation(Intrinsic.RANGE)
def _range(machine: Calls, start: Value, stop: Value, step: Value) -> Value:
    if not all(isinstance(each, int) for each in (start, stop, step)):
        raise Raised("TypeError", "object cannot be interpreted as an integer")
    return machine.new(Kind.RANGE, [int(start), int(stop), int(step)])


@_operation(Intrinsic.HAS)
def _has(machine: Calls, value: Value, name: Value) -> Value:
    number = machine.find_name(name)
    if number < 0:
        return False
    own = kind_of(value) == Kind.INSTANCE and number in value.fields[0].layout
    if own and value.fields[1 + value.fields[0].layout.index(number)] is not UNBOUND:
        return True
    found = value if isinstance(value, Class) else machine.class_of(value)
    return number in found.members


@_operation(Intrinsic.BOUND)
def _bound(machine: Calls, function: Value, receiver: Value) -> Value:
    return machine.new(Kind.BOUND, [function, receiver])


def _resume(machine: Calls, frame: Frame) -> None:
    value, generator = frame.stack.pop(), frame.stack.pop()
    _of_kind(generator, Kind.GENERATOR)
    machine.resume(generator, value, Mode.PUSH)


def _throw(machine: Calls, frame: Frame) -> None:
    error, generator = frame.stack.pop(), frame.stack.pop()
    _of_kind(generator, Kind.GENERATOR)
    if kind_of(error) != Kind.INSTANCE or not error.fields[0].derives_from(machine.program.known_base()):
        raise Finding(UNSUPPORTED)
    machine.throw_into(generator, error, Mode.PUSH)


def _iterator(machine: Calls, frame: Frame) -> None:
    machine.iterate(frame, frame.stack.pop())


INTRINSICS[Intrinsic.RESUME] = _resume
INTRINSICS[Intrinsic.THROW] = _throw
INTRINSICS[Intrinsic.ITERATOR] = _iterator
