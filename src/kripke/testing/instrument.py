"""Code with a call before everything that others may see.

The code objects of functions are replaced and put back later: functions keep their identity, so nothing has to be
imported again. Only Python code can be instrumented; what is written in C is one step.
"""

from __future__ import annotations

import dis
import gc
import inspect
import sys
import sysconfig
from collections.abc import Callable, Iterable
from types import CodeType, FrameType, FunctionType
from typing import Any

from bytecode import BinaryOp, Bytecode, Instr, Label

from kripke.testing import hooks

_STANDARD = sysconfig.get_paths()["stdlib"]
_PACKAGES = tuple({sysconfig.get_paths()[name] for name in ("purelib", "platlib")})
#: Modules of Python's library whose code takes part, since programs see their state without a lock.
LIBRARY = (
    "threading",
    "queue",
    "asyncio.futures",
    "asyncio.locks",
    "asyncio.queues",
    "asyncio.taskgroups",
    "asyncio.tasks",
    "asyncio.timeouts",
)
#: What is thread-safe by itself, or not a part of the program.
_LEFT_OUT = (
    "_thread",
    "pytest",
    "_pytest",
    "pluggy",
    "hypothesis",
    "kripke",
    "greenlet",
    "bytecode",
    "xdist",
    "execnet",
)

#: A global of modules whose code is instrumented before it is executed.
MADE_FOR_A_PROCESS = "__kripke_process__"

_ON_TOP_OF_LOCKS = frozenset({"Condition", "Semaphore", "BoundedSemaphore", "Event", "Barrier", "Timer"})
_INPLACE = frozenset(number for number in BinaryOp if number.name.startswith("INPLACE_"))


def supported() -> bool:
    return sys.implementation.name == "cpython" and sys.version_info[:2] == (3, 11)


#: Code that was instrumented before: the original, which is kept alive, the result, the globals it and the code in it
#: load, and those of them that are watched in the result.
_made: dict[int, tuple[CodeType, CodeType, frozenset[str], frozenset[str]]] = {}


class Instrumentation:
    """Functions that are instrumented at present. ``wanted`` says which modules take part. Most functions of a long
    process are never called, so a function is instrumented when it is called first."""

    def __init__(self, wanted: Callable[[str], bool]) -> None:
        self._wanted = wanted
        self._originals: dict[int, tuple[FunctionType, CodeType]] = {}
        self._added: dict[int, FunctionType] = {}
        self._loaded_globals: set[str] = set()
        self._modules = 0
        self._noted: set[int] = set()

    def of_module(self, code: CodeType) -> CodeType:
        """The code of a whole module, which is executed many times."""
        if id(code) not in self._noted:
            self._noted.add(id(code))
            if note_written_names(code) & self._loaded_globals:
                hooks.incomplete = True
        return self._instrumented(code)

    def watch_all(self) -> None:
        """Every function of the modules that take part, as far as they are there now."""
        self._modules = len(sys.modules)
        if gc.get_freeze_count():
            gc.unfreeze()  # what is frozen is in no list of objects
        takes_part: dict[str, bool] = {}
        for found in gc.get_objects():
            if type(found) is not FunctionType or id(found) in self._originals:
                continue
            module = found.__globals__.get("__name__")
            if not isinstance(module, str) or MADE_FOR_A_PROCESS in found.__globals__:
                continue
            if module not in takes_part:
                takes_part[module] = self._wanted(module)
            if takes_part[module] and _has_state(module, found):
                self._originals[id(found)] = found, found.__code__
                found.__code__ = until_called(found.__code__, _FirstCall(self, found))

    def new_modules(self) -> bool:
        """Were modules imported since everything was watched?"""
        return len(sys.modules) != self._modules

    def add(self, function: FunctionType) -> None:
        if id(function) in self._added:
            return
        _, code = self._originals.setdefault(id(function), (function, function.__code__))
        self._added[id(function)] = function
        if note_written_names(code) & self._loaded_globals:
            hooks.incomplete = True
        function.__code__ = self._instrumented(code)

    def add_again(self) -> None:
        """Globals that were written only after code that reads them was instrumented are watched there too."""
        for identity, function in self._added.items():
            function.__code__ = self._instrumented(self._originals[identity][1])

    def _instrumented(self, code: CodeType) -> CodeType:
        made = _made.get(id(code))
        if made is None or made[2] & hooks.written_names != made[3]:
            loaded = frozenset(_loaded_globals(code))
            made = (code, instrument(code), loaded, loaded & hooks.written_names)
            _made[id(code)] = made
        self._loaded_globals |= made[2]
        return made[1]

    def remove(self) -> None:
        """Every function is as it was."""
        for function, code in self._originals.values():
            function.__code__ = code
        self._originals.clear()
        self._added.clear()
        self._loaded_globals.clear()


class _FirstCall:
    """What a function that was not called yet does: it is instrumented, and called again."""

    __slots__ = ("_function", "_instrumentation")

    def __init__(self, instrumentation: Instrumentation, function: FunctionType) -> None:
        self._instrumentation = instrumentation
        self._function = function

    def __call__(self) -> Any:
        function = self._function
        arguments = _arguments(sys._getframe(1))
        self._instrumentation.add(function)
        return function(*arguments[0], **arguments[1])


def _arguments(frame: FrameType) -> tuple[list[Any], dict[str, Any]]:
    """What the function of this frame was called with."""
    code, values = frame.f_code, frame.f_locals
    names = code.co_varnames
    after = code.co_argcount + code.co_kwonlyargcount
    positional = [values[name] for name in names[: code.co_argcount]]
    named = {name: values[name] for name in names[code.co_argcount : after]}
    if code.co_flags & inspect.CO_VARARGS:
        positional += values[names[after]]
        after += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        named |= values[names[after]]
    return positional, named


def until_called(code: CodeType, first_call: Callable[[], Any]) -> CodeType:
    """Code with the same arguments that does nothing but ``return first_call()``."""
    cells = len(code.co_freevars)
    start = bytes((dis.opmap["COPY_FREE_VARS"] if cells else dis.opmap["NOP"], cells))
    return code.replace(
        co_code=start + _CALL.co_code[2:],
        co_consts=(first_call,),
        co_names=(),
        co_linetable=_CALL.co_linetable,
        co_exceptiontable=b"",
        co_stacksize=_CALL.co_stacksize,
        co_filename=__file__,  # not a part of the program: it is left out where stacks are shown
    )


_CALL = Bytecode(
    [
        Instr("NOP"),
        Instr("RESUME", 0),
        Instr("PUSH_NULL"),
        Instr("LOAD_CONST", 0),
        Instr("PRECALL", 0),
        Instr("CALL", 0),
        Instr("RETURN_VALUE"),
    ]
).to_code()


def takes_part(module: str) -> bool:
    """The program's own modules, and those of Python's library that have state to be seen."""
    if module in LIBRARY:
        return True
    if module.partition(".")[0] in _LEFT_OUT:
        return False
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return module == "__main__"
    return not file.startswith((_STANDARD, *_PACKAGES))


def _has_state(module: str, function: FunctionType) -> bool:
    """Of ``threading``, the classes on top of locks. Threads themselves are replaced. The tasks of asyncio are those of
    all runs."""
    if module == "asyncio.tasks":
        return function.__name__ != "all_tasks"
    return module != "threading" or function.__qualname__.partition(".")[0] in _ON_TOP_OF_LOCKS


def instrument(code: CodeType) -> CodeType:
    """The same code with calls of hooks; nested code too."""
    source = Bytecode.from_code(code)
    result: list[Any] = []
    loops = _for_loops(source)
    for element in source:
        if isinstance(element, Instr):
            is_for = element.has_jump() and element.arg in loops
            result.extend(_around(element, code, hooks.count if is_for else hooks.turn))
        else:
            result.append(element)
    source[:] = result
    made = source.to_code()
    consts = tuple(instrument(const) if isinstance(const, CodeType) else const for const in made.co_consts)
    return made.replace(co_consts=consts)


def _for_loops(source: Bytecode) -> set[Any]:
    """Labels of what a ``for`` loop jumps back to."""
    found: set[Any] = set()
    labels: list[Any] = []
    for element in source:
        if isinstance(element, Label):
            labels.append(element)
        elif isinstance(element, Instr):
            if element.name == "FOR_ITER":
                found.update(labels)
            labels.clear()
    return found


def is_module(code: CodeType) -> bool:
    return code.co_name == "<module>" and not code.co_flags & inspect.CO_NEWLOCALS


def _assigned_names(code: CodeType) -> set[str]:
    """Globals that the code of a module writes other than by one definition or import."""
    found: set[str] = set()
    seen: set[str] = set()
    defined = ""
    for instruction in dis.get_instructions(code):
        match instruction.opname:
            case "LOAD_CONST" if isinstance(instruction.argval, CodeType):
                defined = instruction.argval.co_name
            case "IMPORT_NAME" | "IMPORT_FROM":
                defined = "*"
            case "STORE_NAME" | "DELETE_NAME":
                name = str(instruction.argval)
                if defined not in ("*", name) or name in seen or instruction.opname == "DELETE_NAME":
                    found.add(name)
                seen.add(name)
                defined = ""
    return found


def note_written_names(code: CodeType) -> set[str]:
    """Attributes and globals that the code writes, and the code in it; those that were not known before."""
    new: set[str] = set()
    for name in _assigned_names(code) if is_module(code) else ():
        if name not in hooks.written_names:
            new.add(name)
            hooks.note_written(name)
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("STORE_ATTR", "DELETE_ATTR", "STORE_GLOBAL", "DELETE_GLOBAL"):
            name = str(instruction.argval)
            if name not in hooks.written_names:
                new.add(name)
                hooks.note_written(name)
    for const in code.co_consts:
        if isinstance(const, CodeType):
            new |= note_written_names(const)
    return new


def _loaded_globals(code: CodeType) -> set[str]:
    """Globals that the code loads, and the code in it."""
    loads = ("LOAD_GLOBAL", "LOAD_NAME") if is_module(code) else ("LOAD_GLOBAL",)
    found = {str(each.argval) for each in dis.get_instructions(code) if each.opname in loads}
    for const in code.co_consts:
        if isinstance(const, CodeType):
            found |= _loaded_globals(const)
    return found


def _around(instruction: Instr, code: CodeType, turn: Callable[[], None]) -> Iterable[Any]:
    """The instruction with what comes before it, or what is there in its place."""
    place = instruction.location
    name = instruction.name
    argument: Any = instruction.arg

    def call(hook: Any, *arguments: Instr | int, pops: bool = True) -> list[Instr]:
        """Call a hook. A number copies what lies so deep on the stack, counted before the call."""
        made = [Instr("PUSH_NULL", location=place), Instr("LOAD_CONST", hook, location=place)]
        for number, value in enumerate(arguments):
            made.append(Instr("COPY", value + 2 + number, location=place) if isinstance(value, int) else value)
        made += [Instr("PRECALL", len(arguments), location=place), Instr("CALL", len(arguments), location=place)]
        return [*made, Instr("POP_TOP", location=place)] if pops else made

    def through(hook: Any, *arguments: Instr) -> list[Instr]:
        """What is on top of the stack goes through a hook."""
        return [
            Instr("PUSH_NULL", location=place),
            Instr("SWAP", 2, location=place),
            Instr("LOAD_CONST", hook, location=place),
            Instr("SWAP", 2, location=place),
            *arguments,
            Instr("PRECALL", 1 + len(arguments), location=place),
            Instr("CALL", 1 + len(arguments), location=place),
        ]

    def const(value: Any) -> Instr:
        return Instr("LOAD_CONST", value, location=place)

    match name:
        case "LOAD_ATTR":
            return [*through(hooks.read_attribute, const(argument)), instruction, *through(hooks.loaded)]
        case "STORE_ATTR" | "DELETE_ATTR":
            return [*through(hooks.write_attribute, const(argument)), instruction]
        case "LOAD_METHOD":
            return [
                Instr("PUSH_NULL", location=place),
                Instr("SWAP", 2, location=place),
                *through(hooks.method, const(argument)),
            ]
        case "LOAD_GLOBAL":
            null, variable = argument
            read = call(hooks.read_global, const(variable)) if variable in hooks.written_names else []
            plain = Instr("LOAD_GLOBAL", (False, variable), location=place)
            if not null:
                return [*read, plain, *through(hooks.loaded)]
            return [*read, Instr("PUSH_NULL", location=place), plain, *through(hooks.callee)]
        case "LOAD_NAME":
            is_read = is_module(code) and argument in hooks.written_names
            read = call(hooks.read_global, const(argument)) if is_read else []
            return [*read, instruction, *through(hooks.loaded)]
        case "STORE_NAME" | "DELETE_NAME" if is_module(code) and argument in hooks.written_names:
            return [*call(hooks.write_global, const(argument)), instruction]
        case "STORE_GLOBAL" | "DELETE_GLOBAL":
            return [*call(hooks.write_global, const(argument)), instruction]
        case "GET_AWAITABLE":
            return [*call(hooks.awaited, 1), instruction]
        case "LOAD_DEREF":
            if argument.name == "__class__":  # what super() looks for
                return [instruction]
            cell = Instr("LOAD_CLOSURE", argument, location=place)
            return [*call(hooks.read_cell, cell, const(argument.name)), instruction, *through(hooks.loaded)]
        case "STORE_DEREF" | "DELETE_DEREF":
            cell = Instr("LOAD_CLOSURE", argument, location=place)
            return [*call(hooks.write_cell, cell, const(argument.name)), instruction]
        case "BINARY_SUBSCR":
            return [*call(hooks.read_item, 2, 1), instruction]
        case "STORE_SUBSCR":
            return [*call(hooks.write_item, 2, 1), instruction]
        case "DELETE_SUBSCR":
            return [*call(hooks.delete_item, 2, 1), instruction]
        case "CONTAINS_OP":
            return [*call(hooks.look_in, 1, 2), instruction]
        case "BINARY_OP":
            return [*call(hooks.operate, 2, 1, const(argument in _INPLACE)), instruction]
        case "COMPARE_OP":
            return [*call(hooks.operate, 2, 1, const(False)), instruction]
        case "GET_ITER":
            return through(hooks.iterate)
        case "LIST_EXTEND" | "SET_UPDATE" | "DICT_UPDATE" | "DICT_MERGE":
            return [*call(hooks.operate, 1, const(None), const(False)), instruction]
        case "UNPACK_SEQUENCE" | "UNPACK_EX":
            return [*call(hooks.operate, 1, const(None), const(False)), instruction]
        case "BEFORE_WITH":
            return [*through(hooks.manager), instruction]
    if name.startswith("POP_JUMP_BACKWARD"):
        return [*call(hooks.turn_if, 1, const(name.removeprefix("POP_JUMP_BACKWARD_IF_"))), instruction]
    if name == "JUMP_BACKWARD":
        return [*call(turn), instruction]
    return [instruction]
