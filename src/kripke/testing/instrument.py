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

from kripke.testing import foreign, hooks, iteration
from kripke.testing.calling import NULL_IS_ABOVE, called, called_with_top, with_null
from kripke.testing.fast_hooks import fast

_STANDARD = sysconfig.get_paths()["stdlib"]
_PACKAGES = tuple({sysconfig.get_paths()[name] for name in ("purelib", "platlib")})
#: Modules of Python's library whose code takes part, since programs see their state without a lock.
LIBRARY = (
    "threading",
    "queue",
    "concurrent.futures.thread",
    "asyncio.futures",
    "asyncio.locks",
    "asyncio.queues",
    "asyncio.streams",
    "asyncio.taskgroups",
    "asyncio.tasks",
    "asyncio.timeouts",
    "bisect",
    "collections",
    "_collections_abc",
    "contextlib",
    "copy",
    "dataclasses",
    "functools",
    "heapq",
    "random",
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

#: What is on top of the stack is asked whether it is true.
_ASK_TRUTH = frozenset(
    {"UNARY_NOT", "TO_BOOL", "JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP"}
    | {f"POP_JUMP_{way}IF_{value}" for way in ("", "FORWARD_", "BACKWARD_") for value in ("TRUE", "FALSE")}
)
#: What these leave there is True or False, but for comparisons that somebody has defined otherwise.
_GIVE_TRUTH = frozenset({"CONTAINS_OP", "IS_OP", "UNARY_NOT", "TO_BOOL", "COMPARE_OP"})
#: A cell itself, not what is in it.
_LOAD_CELL = "LOAD_FAST" if sys.version_info >= (3, 13) else "LOAD_CLOSURE"


def supported() -> bool:
    """CPython from 3.11 to 3.13, with its one lock around the interpreter."""
    is_free = sysconfig.get_config_var("Py_GIL_DISABLED") == 1
    return sys.implementation.name == "cpython" and (3, 11) <= sys.version_info[:2] <= (3, 13) and not is_free


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
        co_cellvars=(),  # arguments that would be in cells are not put there
        co_linetable=_CALL.co_linetable,
        co_exceptiontable=b"",
        co_stacksize=_CALL.co_stacksize,
        co_filename=__file__,  # not a part of the program: it is left out where stacks are shown
    )


_CALL = Bytecode([Instr("NOP"), Instr("RESUME", 0), *called(0), Instr("RETURN_VALUE")]).to_code()


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
    if module == "functools":
        return function.__qualname__.startswith(("cached_property.", "singledispatch"))
    if module == "contextlib":
        return "ExitStack" in function.__qualname__
    if module == "concurrent.futures.thread":
        return function.__qualname__ == "_WorkItem.run"
    return module != "threading" or function.__qualname__.partition(".")[0] in _ON_TOP_OF_LOCKS


def instrument(code: CodeType) -> CodeType:
    """The same code with calls of hooks; nested code too."""
    source = Bytecode.from_code(code)
    result: list[Any] = []
    loops = _for_loops(source)
    calls = _calls(source)
    is_truth = False  # does the instruction before leave a truth value, wherever one comes from?
    for element in source:
        if isinstance(element, Instr):
            is_for = element.has_jump() and element.arg in loops
            result.extend(calls.get(id(element), ()))
            result.extend(_around(element, code, fast.count if is_for else fast.turn, is_truth))
            is_truth = element.name in _GIVE_TRUTH
        else:
            result.append(element)
            is_truth = is_truth and not isinstance(element, Label)
    source[:] = result
    made = source.to_code()
    consts = tuple(instrument(const) if isinstance(const, CodeType) else const for const in made.co_consts)
    made = made.replace(co_consts=consts)
    hooks.instrumented.add(id(made))
    _kept.append(made)
    return made


#: Instrumented code is told from other code by its identity, so it is kept.
_kept: list[CodeType] = []
_PARTS_OF_CALLS = frozenset({"KW_NAMES", "PRECALL"})


def _calls(source: Bytecode) -> dict[int, list[Instr]]:
    """What comes before an instruction with which a call begins, by identity of the instruction."""
    found: dict[int, list[Instr]] = {}
    elements = [element for element in source if isinstance(element, Instr)]
    for at, element in enumerate(elements):
        name = element.name
        if name not in ("CALL", "CALL_KW", "CALL_FUNCTION_EX"):
            continue
        begin = at
        while elements[begin - 1].name in _PARTS_OF_CALLS:
            begin -= 1
        place = element.location
        if name == "CALL_FUNCTION_EX":
            found[id(elements[begin])] = _before_unpacking(int(element.arg), place)  # type: ignore[arg-type]
            continue
        depth = int(element.arg) + 1 + (name == "CALL_KW") + NULL_IS_ABOVE  # type: ignore[arg-type]
        before = elements[begin - 1].name
        if element.arg == 0 and before in ("MAKE_FUNCTION", "GET_ITER", "GET_AITER"):
            continue  # a decorator, a comprehension
        function = Instr("COPY", depth + 2, location=place)
        if element.arg == 0 and before in ("CALL", "SET_FUNCTION_ATTRIBUTE"):  # a decorator of a class, perhaps
            found[id(elements[begin])] = [
                *called(foreign.before_call, function, place=place),
                Instr("POP_TOP", location=place),
            ]
            continue
        found[id(elements[begin])] = _replace(called(fast.calls, function, place=place), depth, place)
    return found


def _replace(load: list[Instr], depth: int, place: Any) -> list[Instr]:
    """What is loaded takes the place of what lies so deep on the stack."""
    return [*load, Instr("SWAP", depth + 1, location=place), Instr("POP_TOP", location=place)]


def _before_unpacking(flags: int, place: Any) -> list[Instr]:
    has_names = flags & 1
    depth = 2 + has_names + NULL_IS_ABOVE
    depths = (depth, 1 + has_names, *((1,) if has_names else ()))
    copies = [Instr("COPY", each + 2 + number, location=place) for number, each in enumerate(depths)]
    return _replace(called(foreign.called_with, *copies, place=place), depth, place)


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


def _around(instruction: Instr, code: CodeType, turn: Callable[[], None], is_truth: bool = False) -> Iterable[Any]:
    """The instruction with what comes before it, or what is there in its place. ``is_truth``: on top of the stack is a
    truth value already."""
    place = instruction.location
    name = instruction.name
    argument: Any = instruction.arg

    def call(hook: Any, *arguments: Instr | int) -> list[Instr]:
        """Call a hook. A number copies what lies so deep on the stack, counted before the call."""
        given = [
            Instr("COPY", value + 2 + number, location=place) if isinstance(value, int) else value
            for number, value in enumerate(arguments)
        ]
        return [*called(hook, *given, place=place), Instr("POP_TOP", location=place)]

    def through(hook: Any, *arguments: Instr) -> list[Instr]:
        """What is on top of the stack goes through a hook."""
        return called_with_top(hook, *arguments, place=place)

    def const(value: Any) -> Instr:
        return Instr("LOAD_CONST", value, location=place)

    is_method = name == "LOAD_METHOD"
    if name == "LOAD_ATTR" and isinstance(argument, tuple):  # from 3.12 on it does both
        is_method, argument = argument
        instruction = Instr("LOAD_ATTR", (False, argument), location=place)
    match name:
        case "LOAD_ATTR" | "LOAD_METHOD" if is_method:
            if NULL_IS_ABOVE:
                return with_null(through(fast.method, const(argument)), place)
            swap = Instr("SWAP", 2, location=place)
            return [*with_null([swap], place), *through(fast.method, const(argument))]
        case "LOAD_ATTR":
            return [*through(fast.read_attribute, const(argument)), instruction, *through(fast.loaded)]
        case "LOAD_SUPER_ATTR":
            # From 3.12 on the object that super() would give is not made: here it is, as before.
            is_method, has_two, attribute = argument
            load = Instr("LOAD_ATTR", (is_method, attribute), location=place)
            three = Instr("BUILD_TUPLE", 3, location=place)
            return [three, *through(hooks.superclass_object, const(has_two)), *_around(load, code, turn)]
        case "STORE_ATTR" | "DELETE_ATTR":
            return [*through(fast.write_attribute, const(argument)), instruction]
        case "LOAD_GLOBAL":
            null, variable = argument
            read = call(fast.read_global, const(variable)) if variable in hooks.written_names else []
            plain = Instr("LOAD_GLOBAL", (False, variable), location=place)
            if not null:
                return [*read, plain, *through(fast.loaded)]
            return [*read, *with_null([plain, *through(fast.callee)], place)]
        case "LOAD_NAME":
            is_read = is_module(code) and argument in hooks.written_names
            read = call(fast.read_global, const(argument)) if is_read else []
            return [*read, instruction, *through(fast.loaded)]
        case "STORE_NAME" | "DELETE_NAME" if is_module(code) and argument in hooks.written_names:
            return [*call(fast.write_global, const(argument)), instruction]
        case "STORE_GLOBAL" | "DELETE_GLOBAL":
            return [*call(fast.write_global, const(argument)), instruction]
        case "GET_AWAITABLE":
            return [*call(hooks.awaited, 1), instruction]
        case "LOAD_DEREF":
            if argument.name == "__class__":  # what super() looks for
                return [instruction]
            cell = Instr(_LOAD_CELL, argument, location=place)
            return [*call(fast.read_cell, cell, const(argument.name)), instruction, *through(fast.loaded)]
        case "LOAD_CLASSDEREF" | "LOAD_FROM_DICT_OR_DEREF" if argument.name != "__class__":
            cell = Instr(_LOAD_CELL, argument, location=place)
            return [*call(fast.read_cell, cell, const(argument.name)), instruction, *through(fast.loaded)]
        case "STORE_DEREF" | "DELETE_DEREF":
            cell = Instr(_LOAD_CELL, argument, location=place)
            return [*call(fast.write_cell, cell, const(argument.name)), instruction]
        case "BINARY_SUBSCR":
            return [*call(hooks.read_item, 2, 1), instruction]
        case "STORE_SUBSCR":
            return [*call(hooks.write_item, 2, 1), instruction]
        case "DELETE_SUBSCR":
            return [*call(hooks.delete_item, 2, 1), instruction]
        case "BINARY_SLICE":
            return [*call(hooks.read_slice, 3), instruction]
        case "STORE_SLICE":
            return [*call(hooks.write_slice, 3), instruction]
        case "CONTAINS_OP":
            return [*call(hooks.look_in, 1, 2), instruction]
        case "BINARY_OP":
            return [*call(fast.operate, 2, 1, const(argument in _INPLACE)), instruction]
        case "COMPARE_OP":
            return [*call(fast.operate, 2, 1, const(False)), instruction]
        case "GET_ITER":
            return through(iteration.iterate)
        case "LIST_EXTEND" | "SET_UPDATE" | "DICT_UPDATE" | "DICT_MERGE":
            return [*call(fast.operate, 1, const(None), const(False)), instruction]
        case "FORMAT_VALUE":
            return [*call(hooks.show, 2 if int(argument) & 4 else 1), instruction]
        case "FORMAT_SIMPLE" | "CONVERT_VALUE":
            return [*call(hooks.show, 1), instruction]
        case "FORMAT_WITH_SPEC":
            return [*call(hooks.show, 2), instruction]
        case "GET_LEN":
            return [*call(hooks.matched, 1), instruction]
        case "MATCH_KEYS":
            return [*call(hooks.matched, 2), instruction]
        case "MATCH_CLASS":
            return [*call(hooks.matched_class, 3, 2, 1, const(argument)), instruction]
        case "GET_YIELD_FROM_ITER":
            return [*through(iteration.delegate), instruction]
        case "RESUME" if argument < 2 and not code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            return [instruction, *call(fast.entered)]
        case "RETURN_VALUE" | "YIELD_VALUE" if not code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            return [*call(fast.left), instruction]
        case "RETURN_CONST":
            return [*call(fast.left), instruction]
        case "UNPACK_SEQUENCE" | "UNPACK_EX":
            return [*call(fast.operate, 1, const(None), const(False)), instruction]
        case "BEFORE_WITH":
            return [*through(hooks.manager), instruction]
        case "LOAD_FAST_LOAD_FAST" | "STORE_FAST_LOAD_FAST" | "STORE_FAST_STORE_FAST":
            # Two instructions in one, with room for 16 variables only.
            first, second = (each + "_FAST" for each in name.split("_FAST")[:2])
            return [
                Instr(first, argument[0], location=place),
                Instr(second.removeprefix("_"), argument[1], location=place),
            ]
    looks = call(fast.look_whether, 1) if name in _ASK_TRUTH and not is_truth else []
    if name.startswith("POP_JUMP_BACKWARD"):
        turns = call(hooks.turn_if, 1, const(name.removeprefix("POP_JUMP_BACKWARD_IF_")))
        return [*looks, *turns, instruction]
    if name == "JUMP_BACKWARD":
        return [*call(turn), instruction]
    return [*looks, instruction]
