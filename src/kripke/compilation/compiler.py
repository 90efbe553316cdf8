"""Which C compilers this machine has, and how each of them makes a shared library.

Looked for in this order: the command in ``KRIPKE_CC``; cc, gcc, clang and tcc on the PATH; the ``ziglang`` wheel.
Nothing is started here: a compiler counts as found when its file is there, and shows at its first use whether it works.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import NamedTuple

VARIABLE = "KRIPKE_CC"
ON_PATH = ("cc", "gcc", "clang", "tcc")

# Models are compiled fast rather than well: the store of states is the bottleneck, not the model's code. Integers wrap
# around and memory is read as bytes, whatever the compiler would like to conclude from overflow and from types.
_LARGE = 400_000  # characters
USUAL = ("-O1", "-fPIC", "-shared", "-std=gnu99", "-fwrapv", "-fno-strict-aliasing", "-w")
_FLAGS = {
    "tcc": ("-shared", "-w"),
    # Without an explicit "no", zig checks for undefined behaviour and needs a run-time library for it.
    "zig": (*USUAL, "-fno-sanitize=all"),
}

_ADVICE = (
    "Install one (for example gcc, or `pip install ziglang`), set KRIPKE_CC to the command of one, "
    "or use --engine interpreter."
)
_CHOSEN_ADVICE = f"Set {VARIABLE} to the command of a C compiler, or unset it to use cc, gcc, clang, tcc or ziglang."


class CompileError(Exception):
    """A model could not be compiled. The message is written for the user."""


class NoCompiler(CompileError):
    """There is no C compiler, or none that works."""


class Compiler(NamedTuple):
    """A C compiler: how it is called, which family's flags it takes, what tells this installation from another."""

    command: tuple[str, ...]
    kind: str
    identity: str

    def flags_for(self, source: str) -> list[tuple[str, ...]]:
        """The flags to compile a text with, the best first; the others where that takes too long.

        The search spends its time in the store: a large model waits longer for the optimiser than it gains.
        """
        flags = _FLAGS.get(self.kind, USUAL)
        plain = tuple("-O0" if flag == "-O1" else flag for flag in flags)
        return [plain] if len(source) > _LARGE or plain == flags else [flags, plain]

    def __str__(self) -> str:
        return " ".join(self.command)


def compilers() -> Iterator[Compiler]:
    """Every compiler of this machine, the preferred one first; the same program under two names comes once.

    With ``KRIPKE_CC`` set there is no other choice: whoever asks for one compiler shall not silently get another.
    """
    chosen = _asked_for()
    if chosen is not None:
        yield _chosen(chosen)
        return
    seen = set()
    for name in ON_PATH:
        found = _which(name)
        if found is None:
            continue
        real = os.path.realpath(found)
        if real not in seen:
            seen.add(real)
            yield _compiler((found,), real)
    zig = _zig()
    if zig is not None:
        yield zig


def no_compiler(broken: list[tuple[Compiler, str]]) -> NoCompiler:
    """The error where no compiler works; `broken` says of each one that was found what is wrong with it."""
    if broken and _asked_for() is not None:
        return _bad_choice(f"it does not work: {broken[0][1]}")
    return NoCompiler(
        "\n".join(
            [
                "no C compiler that works" if broken else "no C compiler found",
                f"Looked for: {VARIABLE} (not set), {', '.join(ON_PATH)} on the PATH, the ziglang package.",
                *(f"{compiler} does not work: {why}" for compiler, why in broken),
                _ADVICE,
            ]
        )
    )


def _asked_for() -> str | None:
    """The compiler the user wants, if any; an empty variable is none."""
    return os.environ.get(VARIABLE, "").strip() or None


def _bad_choice(why: str) -> NoCompiler:
    return NoCompiler(f"{VARIABLE} is set to '{_asked_for()}', but {why}\n{_CHOSEN_ADVICE}")


def _chosen(value: str) -> Compiler:
    import shlex

    try:
        command = shlex.split(value)
    except ValueError as error:
        raise _bad_choice(f"that is not a command: {error}.") from None
    found = _which(os.path.expanduser(command[0])) if command else None
    if found is None:
        raise _bad_choice("there is no such program.")
    return _compiler((found, *command[1:]), os.path.realpath(found))


def _which(name: str) -> str | None:
    """As shutil.which, whose module takes longer to import than everything here takes to run."""
    folders = [""] if os.path.dirname(name) else os.environ.get("PATH", os.defpath).split(os.pathsep)
    for folder in folders:
        path = os.path.abspath(os.path.join(folder, name))
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    return None


def _compiler(command: tuple[str, ...], real: str) -> Compiler:
    return Compiler(command, _kind(os.path.basename(real), command), _identity(real))


def _kind(program: str, command: tuple[str, ...]) -> str:
    """By name, of the file behind all links first: `cc` may well be tcc."""
    for name in (program, *(os.path.basename(word) for word in command)):
        if "tcc" in name:
            return "tcc"
        if "zig" in name:
            return "zig"
    return "gcc"


def _identity(program: str) -> str:
    """Changes when the program is replaced; costs one look at its file, no start."""
    try:
        status = os.stat(program)
    except OSError:
        return f"{program} unknown"
    return f"{program} {status.st_size} {status.st_mtime_ns}"


def _zig() -> Compiler | None:
    from importlib.util import find_spec

    if not sys.executable:
        return None
    spec = find_spec("ziglang")
    if spec is None or not spec.submodule_search_locations:
        return None
    program = os.path.join(next(iter(spec.submodule_search_locations)), "zig")
    if not os.path.isfile(program):
        return None
    return Compiler((sys.executable, "-m", "ziglang", "cc"), "zig", _identity(program))
