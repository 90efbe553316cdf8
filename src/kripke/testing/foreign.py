"""Calls of what is not watched: code in C, and libraries that were not instrumented.

Such a call is one step. What it touches is found from what it is and what it is given: methods of containers by their
names, functions that are known to only look, and for all others everything that can be reached. A function in C may
call code of the program while it works; then what it does afterwards is a step of its own.
"""

from __future__ import annotations

import _asyncio
import builtins
import contextvars
import functools
import operator
import sys
import weakref
from collections.abc import Callable
from types import (
    AsyncGeneratorType,
    BuiltinFunctionType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from kripke.testing import hooks, iteration, primitives
from kripke.testing.places import (
    ATOMS,
    CONSTANT,
    FILES,
    SHAPE,
    Places,
    all_of,
    behind,
    is_container,
    reached,
)
from kripke.testing.surroundings import REAL_LOCKS

_CACHE = type(functools.lru_cache(lambda: None))
_GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)

#: Functions that touch nothing that is shared, or that are seen to elsewhere.
_HARMLESS = frozenset(
    id(each)
    for each in (
        isinstance, issubclass, id, callable, ord, chr, abs, round, divmod, pow, hash, hex, oct, bin, compile, exec,
        eval, locals, globals, dir, vars, builtins.__build_class__, __import__, breakpoint, input, getattr, hasattr,
        setattr, delattr, aiter, anext,
    )
)  # fmt: skip
_HARMLESS_MODULES = frozenset(
    {
        "time", "sys", "gc", "_thread", "_asyncio", "_warnings", "math", "cmath", "_abc", "_imp", "_contextvars",
        "greenlet", "greenlet._greenlet", "_signal", "faulthandler", "marshal", "errno", "_typing", "_weakref",
        "_tracemalloc", "_sre", "_string", "atexit", "_socket", "select", "_queue", "_collections_abc", "_locale",
    }
)  # fmt: skip
#: Of libraries: what is controlled, what looks at types and names alone, and what programs only tell something.
_HARMLESS_LIBRARIES = frozenset(
    {
        "abc", "contextlib", "enum", "typing", "types", "re", "warnings", "logging", "traceback", "inspect",
        "importlib", "linecache", "threading", "queue", "concurrent", "asyncio", "multiprocessing", "socket",
        "socketserver", "select", "selectors", "subprocess", "http", "urllib", "xmlrpc", "email", "ssl", "signal",
        "atexit", "sched", "codecs", "posixpath", "ntpath", "string", "textwrap", "keyword", "token", "tokenize",
        "ast", "dis", "numbers", "decimal", "fractions", "datetime", "uuid", "hashlib", "hmac", "base64", "struct",
        "unittest", "doctest", "pdb", "bdb", "_pytest", "pytest", "pluggy", "hypothesis", "kripke", "greenlet",
        "bytecode", "xdist", "execnet", "exceptiongroup", "anyio", "sniffio", "_weakrefset", "weakref", "gettext",
        "locale", "sysconfig", "platform", "runpy", "__future__",
    }
)  # fmt: skip
_FILE_LIBRARIES = frozenset(
    {"pathlib", "shutil", "tempfile", "os", "glob", "fileinput", "zipfile", "tarfile", "genericpath", "sqlite3", "dbm",
     "shelve", "mmap", "_io", "io", "posix", "nt", "fcntl"}
)  # fmt: skip
_PURE_OF_FILES = frozenset(
    {"getpid", "getppid", "fspath", "fsencode", "fsdecode", "urandom", "cpu_count", "getenv", "get_terminal_size",
     "register_at_fork", "StringIO", "BytesIO", "text_encoding", "strerror", "getcwd", "joinpath", "with_suffix",
     "with_name", "relative_to", "is_absolute", "as_posix", "match"}
)  # fmt: skip
_SHALLOW = frozenset({id(len), id(iter)})

#: Modules whose code the user does not want to have watched.
left_out: set[str] = set()


class Call:
    """A call that tells what it touches, and tells it again when code of the program ran in between."""

    __slots__ = ("_frame", "_function", "_places")

    def __init__(self, function: Any, frame: FrameType, places: Callable[..., Callable[[], Places] | None]) -> None:
        self._function = function
        self._frame = frame
        self._places = places

    def announce(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[[], Places] | None:
        places = self._places(args, kwargs)
        if places is not None:
            hooks.access_now(places, f"calls {getattr(self._function, '__name__', 'it')}", self._frame)
        return places

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        run = primitives.present_run
        places = self.announce(args, kwargs)
        if places is None or run is None:
            return self._function(*args, **kwargs)
        task, before = run.present, len(run.steps)
        task.foreign.append((sys._getframe(), places))
        try:
            return self._function(*args, **kwargs)
        finally:
            task.foreign.pop()
            if len(run.steps) != before:
                hooks.access_now(places, f"ends {getattr(self._function, '__name__', 'it')}", self._frame)


def calls(function: Any) -> Any:
    """What instrumented code calls in the place of a function: itself, or a call that tells what it touches."""
    run = primitives.present_run
    if run is None or run.alone or primitives.elsewhere():
        return _linked(function, run)
    return watched(run, function, sys._getframe(1))


def before_call(function: Any) -> None:
    """As ``calls``, where the function cannot be replaced: it is told before that it is called without arguments."""
    run = primitives.present_run
    if run is not None and not run.alone and not primitives.elsewhere():
        found = watched(run, function, sys._getframe(1))
        if type(found) is Call:
            found.announce((), {})


def announce(function: Any, args: tuple[Any, ...]) -> None:
    """Code of ours is about to call this for the program."""
    run = primitives.present_run
    if run is not None and not run.alone and function is not None:
        found = watched(run, function, sys._getframe(1))
        if type(found) is Call:
            found.announce(args, {})


def called_with(function: Any, args: Any, kwargs: Any = None) -> Any:
    """``function(*args, **kwargs)``: what is unpacked is read."""
    run = primitives.present_run
    if run is None or run.alone or primitives.elsewhere():
        return _linked(function, run)
    for given in (args, kwargs):
        if is_container(type(given)):
            number = run.keep(given)
            hooks.access_now(lambda n=number, g=given: (all_of(n, g), ()), "unpacks it", sys._getframe(1))  # type: ignore[misc]
    return watched(run, function, sys._getframe(1))


def _linked(function: Any, run: Any) -> Any:
    if function is globals and run is not None:
        names = sys._getframe(2).f_globals
        run.dictionaries[id(names)] = names, run.keep(names)
    return function


def watched(run: Any, function: Any, frame: FrameType) -> Any:
    kind = type(function)
    if kind is FunctionType:
        return _of_code(run, function, function.__code__, (), frame)
    if kind is MethodType:
        plain = function.__func__
        if type(plain) is FunctionType:
            return _of_code(run, function, plain.__code__, (function.__self__,), frame)
        return _cache(run, function, plain, frame) if type(plain) is _CACHE else function
    if kind is BuiltinFunctionType:
        target = function.__self__
        if target is None or type(target) is ModuleType:
            return _function_in_c(run, function, frame)
        return _method_in_c(run, function, target, function.__name__, frame)
    if isinstance(function, type):
        return _class(run, function, frame)
    if kind is MethodDescriptorType or kind is WrapperDescriptorType:
        return Call(function, frame, functools.partial(_descriptor, run, function.__name__))
    if kind is MethodWrapperType:
        return Call(function, frame, functools.partial(_slot, run, function.__self__, function.__name__))
    if kind is functools.partial:
        inside = watched(run, function.func, frame)
        if inside is function.func:
            return function
        return functools.partial(inside, *function.args, **function.keywords)
    if kind is _CACHE:
        return _cache(run, function, function, frame)
    if kind in _GETTERS:
        changes = kind is operator.methodcaller
        return Call(function, frame, functools.partial(_everything, run, (), changes))
    if kind is weakref.ref and frame.f_code.co_filename not in primitives.LIBRARIES:
        run.not_all(hooks.DIED)
    return function


def _of_code(run: Any, function: Any, code: CodeType, target: tuple[Any, ...], frame: FrameType) -> Any:
    """A function in Python: of the program, of ours, or of a library that is not instrumented."""
    if hooks.is_watched_code(code):
        return function
    module = function.__globals__.get("__name__", "") if type(function) is FunctionType else ""
    module = module or function.__func__.__globals__.get("__name__", "")
    if module in left_out:
        return function
    top = module.partition(".")[0]
    if top in hooks.WEAK and target:
        hooks.touch_weak(run, target[0], code.co_name, writes=True)
        return function
    if top in _FILE_LIBRARIES and code.co_name not in _PURE_OF_FILES:
        return Call(function, frame, lambda args, kwargs: lambda: ((), (FILES,)))
    if top in _HARMLESS_LIBRARIES or module == "__main__":
        return function
    return Call(function, frame, functools.partial(_library, run, target))


def _library(run: Any, target: tuple[Any, ...], args: Any, kwargs: Any) -> Callable[[], Places] | None:
    """It may change the object whose method it is, and looks at the rest."""
    if all(type(each) in ATOMS for each in (*target, *args, *kwargs.values())):
        return None
    whole = functools.partial(reached, run, written_names=hooks.written_names, skipped_names=hooks.skipped_names)
    for each in target:
        run.keep(each)
    return lambda: (whole(*args, *kwargs.values()), whole(*target))


def _everything(
    run: Any, target: tuple[Any, ...], changes: bool, args: Any, kwargs: Any
) -> Callable[[], Places] | None:
    """Whatever can be reached from there is touched."""
    given = (*target, *args, *kwargs.values())
    if all(type(each) in ATOMS for each in given):
        return None

    def places() -> Places:
        found = reached(run, *given, written_names=hooks.written_names, skipped_names=hooks.skipped_names)
        return ((), found) if changes else (found, ())

    return places


def _given(run: Any, changes: bool, args: Any, kwargs: Any) -> Callable[[], Places] | None:
    """A function in C: it reads what it is given, takes from iterators, and may change the containers themselves."""
    given = [each for each in (*args, *kwargs.values()) if type(each) not in ATOMS and type(each) is not FunctionType]
    if not given:
        return None
    iterators, rest = [], []
    for each in given:
        if iteration.is_lazy(type(each)):
            if type(each) is GeneratorType and sys.getrefcount(each) <= 4:
                continue  # made for this call
            run.keep(each)
            iterators.append(each)
        else:
            rest.append(each)
    changed = [(run.keep(behind(each)), behind(each)) for each in rest if changes and is_container(type(behind(each)))]

    def places() -> Places:
        reads = reached(run, *rest, written_names=hooks.written_names, skipped_names=hooks.skipped_names)
        writes: list[Any] = []
        for each in iterators:
            more = iteration.places_of_iterator(run, each)
            reads = (*reads, *more[0])
            writes += more[1]
        for number, each in changed:
            writes += all_of(number, each)
        return reads, tuple(writes)

    return places


def _sizes(run: Any, args: Any, kwargs: Any) -> Callable[[], Places] | None:
    """``len`` and ``iter``: of containers, the whole of it."""
    for each in args[:1]:
        shown = behind(each)
        if is_container(type(shown)):
            number = run.keep(shown)
            return lambda: (all_of(number, shown), ())
        if type(each) not in CONSTANT and not hooks.is_watched_class(type(each)):
            return _everything(run, (), False, args, kwargs)
    return None


def _function_in_c(run: Any, function: Any, frame: FrameType) -> Any:
    if function is globals:
        run.dictionaries[id(frame.f_globals)] = frame.f_globals, run.keep(frame.f_globals)
        return function
    if function is exec or function is eval:
        run.not_all(f"{function.__name__}() runs code that is not watched")
        return function
    module = function.__module__ or ""
    if id(function) in _HARMLESS or module in _HARMLESS_MODULES:
        return function
    if module in _FILE_LIBRARIES:
        if function.__name__ in _PURE_OF_FILES:
            return function
        return Call(function, frame, lambda args, kwargs: lambda: ((), (FILES,)))
    if id(function) in _SHALLOW:
        return Call(function, frame, functools.partial(_sizes, run))
    return Call(function, frame, functools.partial(_given, run, module != "builtins"))


def _method_in_c(run: Any, function: Any, target: Any, name: str, frame: FrameType) -> Any:
    kind = type(target)
    if kind in REAL_LOCKS or isinstance(
        target, (_asyncio.Future, CoroutineType, AsyncGeneratorType, contextvars.ContextVar, contextvars.Context)
    ):
        return function
    shown = behind(target)
    if is_container(type(shown)) and shown is target:
        return Call(function, frame, functools.partial(_container, run, target, name))
    if kind in ATOMS or kind is tuple or kind is frozenset:
        if kind in (str, bytes) and name not in ("join", "format", "format_map"):
            return function
        return Call(function, frame, functools.partial(_everything, run, (target,), False))
    if isinstance(target, type):
        if name == "__new__" or name == "__subclasshook__" or name == "__init_subclass__":
            return function
        return Call(function, frame, functools.partial(_given, run, False))
    if (type(target).__module__ or "").partition(".")[0] in ("_io", "io") and name and not _in_memory(target):
        return Call(function, frame, lambda args, kwargs: lambda: ((), (FILES,)))
    if type(target).__module__ in _HARMLESS_MODULES and not iteration.is_lazy(kind):
        return function
    if kind is _CACHE:
        return Call(function, frame, functools.partial(_touches, run, target))
    return Call(function, frame, functools.partial(_method_of_unknown, run, target, name))


def _in_memory(target: Any) -> bool:
    return type(target).__name__ in ("StringIO", "BytesIO")


def _method_of_unknown(run: Any, target: Any, name: str, args: Any, kwargs: Any) -> Callable[[], Places] | None:
    """The object is changed; what it goes over, if it is an iterator, is read; so is what it is given."""
    if name.startswith("__") and name in ("__setattr__", "__getattribute__", "__delattr__"):
        return _slot(run, target, name, args, kwargs)
    if name in ("__init__", "__init_subclass__", "__new__", "__reduce_ex__", "__subclasshook__"):
        return _everything(run, (target,), False, args, kwargs) if name == "__reduce_ex__" else None
    own = run.keep(target)
    more = _given(run, False, args, kwargs)

    def places() -> Places:
        reads, writes = more() if more is not None else ((), ())
        if iteration.is_lazy(type(target)):
            over = iteration.places_of_iterator(run, target)
            reads, writes = (*reads, *over[0]), (*writes, *over[1])
        return reads, (*writes, (own, SHAPE))

    return places


def _touches(run: Any, target: Any, args: Any, kwargs: Any) -> Callable[[], Places]:
    own = run.keep(target)
    return lambda: ((), ((own, SHAPE),))


def _cache(run: Any, function: Any, cache: Any, frame: FrameType) -> Any:
    return Call(function, frame, functools.partial(_touches, run, cache))


def _container(run: Any, target: Any, name: str, args: Any, kwargs: Any) -> Callable[[], Places]:
    run.keep(target)
    return lambda: hooks.method_of_container(run, target, name, args, kwargs)


def _descriptor(run: Any, name: str, args: Any, kwargs: Any) -> Callable[[], Places] | None:
    """``list.append(items, 1)``, ``object.__setattr__(target, "x", 1)``."""
    return _slot(run, args[0], name, args[1:], kwargs) if args else None


def _slot(run: Any, target: Any, name: str, args: Any, kwargs: Any) -> Callable[[], Places] | None:
    if name in ("__setattr__", "__delattr__") and args:
        hooks.write_attribute_of(target, args[0])
        return None
    if name == "__getattribute__" and args:
        hooks.read_attribute(target, args[0])
        return None
    if is_container(type(target)):
        if name == "__init__":
            return _given(run, False, args, kwargs)
        return _container(run, target, name, args, kwargs)
    if type(target) in CONSTANT:
        return _everything(run, (target,), False, args, kwargs)
    return _method_of_unknown(run, target, name, args, kwargs)


#: Of classes: is what they are made from read by code in C?
_reads_given: dict[type, bool] = {}


def _class(run: Any, cls: type, frame: FrameType) -> Any:
    reads = _reads_given.get(cls)
    if reads is None:
        reads = _reads_given[cls] = _made_in_c(cls)
    if not reads:
        return cls
    return Call(cls, frame, functools.partial(_given, run, False))


def _made_in_c(cls: type) -> bool:
    if cls in (
        type,
        object,
        super,
        property,
        staticmethod,
        classmethod,
        int,
        float,
        complex,
        range,
        slice,
        weakref.ref,
    ):
        return False
    if issubclass(cls, (BaseException, ModuleType, _asyncio.Future)) or cls in REAL_LOCKS:
        return False
    made = [method for method in (cls.__new__, cls.__init__) if type(method) is not FunctionType]
    return any(method not in (object.__new__, object.__init__) for method in made)
