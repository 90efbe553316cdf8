"""From the C text of a model to a shared library the engine can load, through the cache.

A model that was compiled before costs a few file reads: modules that start processes are imported only when a compiler
has to run. What is found in the cache depends on everything that shaped it: the text, ``model.h``, the flags, the
compiler and the kind of machine.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from kripke.compilation.cache import Cache, Unusable, content_hash, open_private_cache, open_user_cache
from kripke.compilation.compiler import CompileError, Compiler, NoCompiler, compilers, no_compiler
from kripke.compilation.signals import held_back
from kripke.deadline import current

if TYPE_CHECKING:
    import subprocess

__all__ = [
    "CompileError",
    "CompiledModel",
    "NoCompiler",
    "TooSlow",
    "build",
    "compile_model",
    "compiler_time_limit",
    "include_folder",
]

TIMEOUT = 300.0
TIMEOUT_VARIABLE = "KRIPKE_CC_TIMEOUT"
_SHOWN_LINES = 12
_PROBE = '#include "model.h"\nuint32_t kripke_probe(void) { return KRIPKE_ABI; }\n'


class CompiledModel(NamedTuple):
    """A library to load. `warnings` say why the user's cache was not used."""

    path: str
    seconds: float
    cached: bool
    compiler: str
    warnings: tuple[str, ...] = ()


class TooSlow(CompileError):
    """The compiler was stopped because it took too long."""


class _Rejected(Exception):
    """A compiler made no library: because of the text, or because it does not work at all."""


def compile_model(
    source: str, *, keep: str | os.PathLike[str] | None = None, timeout: float | None = None
) -> CompiledModel:
    """Compile the C text of a model, or find it compiled.

    `keep` names a file to which the C text is written as well. A compiler may take `timeout` seconds; by default what
    ``KRIPKE_CC_TIMEOUT`` says, or 300. `NoCompiler` is raised where there is no compiler that works, `CompileError`
    where the compiler rejects the text or its result cannot be put anywhere, `OutOfTime` where a deadline came first.
    """
    start = time.perf_counter()
    if keep is not None:
        _keep(source, keep)
    found = list(compilers())
    if not found:
        raise no_compiler([])
    problems: list[str] = []
    for open_cache in (open_user_cache, open_private_cache):
        try:
            cache = open_cache()
            hit = _find(source, found, cache)
            library, compiler = hit or _built_in_time(source, found, cache, timeout or compiler_time_limit())
            seconds = time.perf_counter() - start
            return CompiledModel(library, seconds, hit is not None, str(compiler), tuple(problems))
        except OSError as error:
            problems.append(_explain(error))
    raise CompileError("\n".join(["there is no place for the compiled model", *problems]))


def _built_in_time(source: str, found: list[Compiler], cache: Cache, timeout: float) -> tuple[str, Compiler]:
    """OutOfTime where the deadline that is kept came before the compiler was done."""
    deadline = current()
    deadline()
    try:
        return build(source, found, cache, deadline.limit(timeout))
    except TooSlow:
        deadline()
        raise


def include_folder() -> str:
    """The folder of ``model.h``: inside the installed package, or ``native/model/`` of a source checkout."""
    package = os.path.abspath(__file__)
    for _ in __name__.split(".")[1:]:
        package = os.path.dirname(package)
    checkout = os.path.dirname(os.path.dirname(package))
    for folder in (os.path.join(package, "include"), os.path.join(checkout, "native", "model")):
        if os.path.isfile(os.path.join(folder, "model.h")):
            return folder
    raise CompileError(f"model.h is missing: the installation of kripke in {package} is not complete")


def _find(source: str, found: list[Compiler], cache: Cache) -> tuple[str, Compiler] | None:
    """Any compiler's result will do; that of a broken one is never there."""
    for compiler in found:
        for flags in compiler.flags_for(source):
            library = cache.find(_key(source, compiler, flags))
            if library is not None:
                return library, compiler
    return None


def build(source: str, found: list[Compiler], cache: Cache, timeout: float = TIMEOUT) -> tuple[str, Compiler]:
    """Compile anew; the first compiler that works decides. OSError where the cache has no room for the result."""
    broken: list[tuple[Compiler, str]] = []
    for compiler in found:
        with cache.workshop() as folder:
            try:
                built, flags = _run_in_time(compiler, source, folder, timeout)
            except _Rejected as rejected:
                # Looked into only now: whether a compiler works at all is worth a process only after a failure.
                why = _defect(compiler, folder, timeout)
                if why is None:
                    raise CompileError(str(rejected)) from None
                broken.append((compiler, why))
                continue
            library = cache.store(_key(source, compiler, flags), built)
        cache.prune()
        return library, compiler
    raise no_compiler(broken)


def _run_in_time(compiler: Compiler, source: str, folder: str, timeout: float) -> tuple[str, tuple[str, ...]]:
    """Compile, where the optimiser takes too long without it: the library and the flags it was made with."""
    *optimised, plain = compiler.flags_for(source)
    left = timeout
    for flags in optimised:
        # The rest of the time is enough for the same text without optimisation.
        start = time.perf_counter()
        try:
            return _run(compiler, flags, source, folder, timeout / 3), flags
        except TooSlow:
            left -= time.perf_counter() - start
    try:
        return _run(compiler, plain, source, folder, left), plain
    except TooSlow as slow:
        limit = f"the C compiler took longer than {timeout:g} seconds and was stopped"
        raise TooSlow(f"{limit} ({TIMEOUT_VARIABLE} sets the limit)\n{slow}") from None


def _defect(compiler: Compiler, folder: str, timeout: float) -> str | None:
    """What the compiler says about a text that every C compiler accepts; None when it accepts it."""
    try:
        _run_in_time(compiler, _PROBE, folder, timeout)
    except _Rejected as rejected:
        return str(rejected)
    return None


def _key(source: str, compiler: Compiler, flags: tuple[str, ...]) -> str:
    with open(os.path.join(include_folder(), "model.h"), encoding="utf-8") as file:
        header = file.read()
    system = os.uname()
    parts = [
        header,
        *compiler.command,
        *flags,
        compiler.identity,
        system.sysname,
        system.machine,
        source,
    ]
    return content_hash(*(part.encode("utf-8", "surrogateescape") for part in parts))


def _run(compiler: Compiler, flags: tuple[str, ...], source: str, folder: str, timeout: float) -> str:
    """Compile `source` inside `folder`; the path of the library."""
    import signal
    import subprocess
    import threading

    with open(os.path.join(folder, "model.c"), "w", encoding="utf-8", errors="surrogateescape", newline="\n") as text:
        text.write(source)
    library = os.path.join(folder, "model.so")
    command = [*compiler.command, *flags, f"-I{include_folder()}", "-o", "model.so", "model.c"]
    # The compiler's own temporary files go where they are removed in any case.
    environment = {**os.environ, "LC_ALL": "C", "TMPDIR": folder}
    # A command that is ended from outside does not leave a compiler at work.
    alone = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, _end) if alone else None
    process: subprocess.Popen[bytes] | None = None
    try:
        with held_back(signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                process_group=0,
            )
        output = process.communicate(timeout=max(timeout, 0.001))[0].decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        assert process is not None
        _stop(process)
        raise TooSlow(f"command: {' '.join(command)}") from None
    except BaseException as error:
        if process is not None:
            _stop(process)
        elif isinstance(error, OSError):
            raise _Rejected(f"it cannot be started ({_reason(error)})") from None
        raise
    finally:
        if alone:
            signal.signal(signal.SIGTERM, before or signal.SIG_DFL)
    if process.returncode == 0 and os.path.isfile(library):
        return library
    if "No space left on device" in output or "Disk quota exceeded" in output:
        raise Unusable(f"the file system of {os.path.dirname(folder)} is full")
    raise _Rejected(_report(process.returncode, command, output))


def _end(signal_number: int, _: object) -> None:
    raise SystemExit(128 + signal_number)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the compiler and everything it started."""
    import signal

    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def _report(status: int, command: list[str], output: str) -> str:
    if status < 0:
        end = f"was killed by signal {-status}"
    elif status > 0:
        end = f"failed with exit status {status}"
    else:
        end = "wrote no library"
    lines = [line for line in output.splitlines() if line.strip()]
    more = len(lines) - _SHOWN_LINES
    shown = lines[:_SHOWN_LINES] + ([f"... and {more} more lines"] if more > 0 else [])
    return "\n".join([f"the C compiler {end}", f"command: {' '.join(command)}", *shown])


def _keep(source: str, path: str | os.PathLike[str]) -> None:
    try:
        with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            file.write(source)
    except OSError as error:
        raise CompileError(f"cannot write the C text to {path}: {_reason(error)}") from None


def compiler_time_limit() -> float:
    """How long a compiler may take, in seconds."""
    text = os.environ.get(TIMEOUT_VARIABLE, "").strip()
    if not text:
        return TIMEOUT
    try:
        limit = float(text)
    except ValueError:
        limit = 0.0
    if not limit > 0.0:
        raise CompileError(f"{TIMEOUT_VARIABLE} is set to '{text}': it must be a number of seconds above 0")
    return limit


def _explain(error: OSError) -> str:
    """A sentence for the user; the compiled model goes elsewhere or nowhere."""
    if isinstance(error, Unusable):
        return str(error)
    place = f" {error.filename}" if error.filename else ""
    return f"cannot write the compiled model{place}: {_reason(error)}"


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
