"""``kripke doctor``: is everything here that a check needs, and does it work?

One line per part: ok, missing or warning, with advice. Exit code 0 when nothing that is needed is missing, else 2.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from kripke import __version__
from kripke.cli.safe_stream import print_lines

if TYPE_CHECKING:
    from kripke.compilation.compiler import Compiler

_GIB = 1024**3
_MIB = 1024**2

# A model of two states: 0 and 1, from either of them to the other.
_TEST_MODEL = """\
#include "model.h"
static void initial(kripke_sink *sink) { sink->out[0] = 0; sink->emit(sink, 1, 0); }
static void successors(const uint8_t *state, uint32_t length, kripke_sink *sink) {
    (void)length;
    sink->covered[0] = 1;
    sink->out[0] = (uint8_t)!state[0];
    sink->emit(sink, 1, 0);
}
static int valid_end(const uint8_t *state, uint32_t length) { (void)state; (void)length; return 0; }
static const kripke_model model = {
    .abi = KRIPKE_ABI, .max_state_bytes = 1, .label_count = 1, .name = "doctor",
    .initial = initial, .successors = successors, .valid_end = valid_end,
};
const kripke_model *kripke_model_entry(void) { return &model; }
"""


@dataclass(frozen=True, slots=True)
class Part:
    """What was found of one thing: `facts` for programs, `text` and `advice` for people."""

    name: str
    status: Literal["ok", "missing", "warning"]
    text: str
    advice: str = ""
    needed: bool = False
    facts: dict[str, object] = field(default_factory=dict)


def run(options: argparse.Namespace) -> int:
    parts = list(examine())
    healthy = all(part.status != "missing" for part in parts if part.needed)
    if options.json is not None:
        _write_json(options.json, healthy, parts)
    if options.json != "-":
        for part in parts:
            print(f"{part.status:<8} {part.name}: {part.text}")
            if part.advice:
                print(f"{'':<8} {part.advice}")
        print("everything needed is here" if healthy else "something needed is missing: see above")
    return 0 if healthy else 2


def examine() -> Iterator[Part]:
    """Everything a check needs or could use, the needed parts first."""
    yield _kripke()
    yield _python()
    yield _native_engine()
    yield from _compilers()
    yield _cores()
    yield _memory()
    yield _cache()
    yield from _optional()
    yield from _extras()


def _kripke() -> Part:
    import kripke

    folder = os.path.dirname(kripke.__file__)
    return Part("kripke", "ok", f"{__version__} in {folder}", facts={"version": __version__, "folder": folder})


def _python() -> Part:
    version = ".".join(map(str, sys.version_info[:3]))
    return Part("python", "ok", f"{version} ({sys.executable})", facts={"version": version, "path": sys.executable})


def _native_engine() -> Part:
    try:
        from kripke._native import ABI
    except ImportError as error:
        return Part(
            "native engine",
            "missing",
            str(error),
            "Install kripke again where there is a C++ compiler, or use --engine interpreter, which is far slower.",
            needed=True,
        )
    return Part("native engine", "ok", f"model interface {ABI}", needed=True, facts={"abi": ABI})


def _compilers() -> Iterator[Part]:
    """The compiler that checks will use is needed; further ones are shown."""
    from kripke.compilation.compiler import NoCompiler, compilers, no_compiler

    try:
        found = list(compilers())
        if not found:
            raise no_compiler([])
    except NoCompiler as error:
        text, *advice = str(error).splitlines()
        yield Part("C compiler", "missing", text, "\n         ".join(advice), needed=True)
        return
    parts = [_compiler(compiler) for compiler in found]
    works = any(part.status == "ok" for part in parts)
    for part in parts:
        if works and part.status == "missing":
            part = Part(part.name, "warning", part.text, part.advice, False, part.facts)
        yield part


def _compiler(compiler: Compiler) -> Part:
    from kripke.compilation.cache import open_private_cache
    from kripke.compilation.compile import CompileError, build

    facts: dict[str, object] = {"command": list(compiler.command), "version": _version(compiler.command)}
    start = time.perf_counter()
    try:
        library, _ = build(_TEST_MODEL, [compiler], open_private_cache())
    except (CompileError, OSError) as error:
        lines = str(error).splitlines()
        return Part("C compiler", "missing", f"{compiler}: {lines[0]}", "\n         ".join(lines[1:]), True, facts)
    seconds = time.perf_counter() - start
    loaded = _load(library)
    facts |= {"compile_seconds": round(seconds, 4), "loaded": loaded}
    text = f"{compiler} ({facts['version']}), test model compiled in {seconds:.2f} s"
    if loaded not in ("yes", "no engine"):
        advice = "The compiler may be for another kind of machine; set KRIPKE_CC to one for this machine."
        return Part("C compiler", "missing", f"{text}, but it does not load: {loaded}", advice, True, facts)
    return Part("C compiler", "ok", text + (" and loaded" if loaded == "yes" else ""), "", True, facts)


def _load(library: str) -> str:
    """ "yes", "no engine", or why the test model does not load."""
    try:
        from kripke._native import Model
    except ImportError:
        return "no engine"
    try:
        model = Model(library)
        right = model.initial() == [b"\0"] and model.successors(b"\0")[0] == [(b"\1", 0)]
    except Exception as error:
        return str(error)
    return "yes" if right else "it gives wrong states"


def _version(command: tuple[str, ...]) -> str:
    """The first line a compiler says about itself."""
    import subprocess

    for option in ("--version", "-v"):
        try:
            done = subprocess.run(
                [*command, option],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=60,
                text=True,
                errors="replace",
            )
        except (OSError, subprocess.TimeoutExpired):
            break
        if done.returncode == 0 and done.stdout.strip():
            return done.stdout.strip().splitlines()[0]
    return "version unknown"


def _cores() -> Part:
    total = os.cpu_count() or 1
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else total
    text = f"{usable}" if usable == total else f"{usable} of {total} may be used"
    return Part("cores", "ok", text, facts={"total": total, "usable": usable})


def _memory() -> Part:
    from kripke.memory import default_limit, free_memory

    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    free, limit, group = free_memory(), default_limit(), _group_limit()
    text = (
        f"{total / _GIB:.1f} GiB, {free / _GIB:.1f} GiB free, a search takes at most {limit / _GIB:.1f} GiB by default"
    )
    if group is not None:
        text += f", limit of the control group {group / _GIB:.1f} GiB"
    facts: dict[str, object] = {"total": total, "free": free, "search_limit": limit, "group_limit": group}
    if free < _GIB:
        return Part(
            "memory", "warning", text, "Large models need more; --memory sets the limit of a search.", facts=facts
        )
    return Part("memory", "ok", text, facts=facts)


def _group_limit() -> int | None:
    """The least limit of the control groups (version 2, then 1) this process is in; None where there is none."""
    limits = []
    for root, file, controller in (
        ("/sys/fs/cgroup", "memory.max", ""),
        ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory"),
    ):
        path = _group_path(controller)
        while path is not None:
            try:
                with open(f"{root}{path.rstrip('/')}/{file}", encoding="ascii") as text:
                    limits.append(int(text.read()))
            except (OSError, ValueError):  # "max", or no such group
                pass
            path = None if path == "/" else os.path.dirname(path)
    return min((limit for limit in limits if limit < 1 << 60), default=None)


def _group_path(controller: str) -> str | None:
    try:
        with open("/proc/self/cgroup", encoding="utf-8") as groups:
            for line in groups:
                _, controllers, path = line.rstrip("\n").split(":", 2)
                if controller in controllers.split(","):
                    return path
    except (OSError, ValueError):
        pass
    return None


def _cache() -> Part:
    from kripke.compilation.cache import Unusable, open_user_cache, user_folder

    try:
        cache = open_user_cache()
    except Unusable as error:
        advice = "Models are compiled anew each time; KRIPKE_CACHE names another folder."
        return Part("cache", "warning", str(error), advice, facts={"folder": user_folder(), "safe": False})
    size = cache.size()
    facts: dict[str, object] = {"folder": cache.folder, "safe": True, "models": size.models, "bytes": size.bytes}
    models = "1 model" if size.models == 1 else f"{size.models:,} models"
    text = f"{cache.folder}, {models}, {size.bytes / _MIB:.1f} MiB, only you can write to it"
    return Part("cache", "ok", text, facts=facts)


def _optional() -> Iterator[Part]:
    from importlib.util import find_spec
    from shutil import which

    programs = {
        "spin": "not needed unless you compare with SPIN (benchmarks, some tests)",
        "dot": "not needed unless you want pictures of .dot files (it is part of Graphviz)",
    }
    for name, purpose in programs.items():
        path = which(name)
        yield Part(name, "ok" if path else "missing", path or purpose, facts={"path": path})
    modules = {
        "ziglang": "not needed unless there is no other C compiler (pip install ziglang)",
        "duckdb": "not needed unless you ask questions in SQL about state spaces (pip install duckdb)",
    }
    for name, purpose in modules.items():
        there = find_spec(name) is not None
        yield Part(name, "ok" if there else "missing", "installed" if there else purpose, facts={"installed": there})


_PURPOSES = {
    "compiler": "a C compiler that pip installs",
    "bdd": "binary decision diagrams",
    "sat": "searches that ask a solver",
    "smt": "searches that ask a solver about numbers without bounds",
    "data": "--coverage, --another and tables",
    "sql": "questions in SQL about state spaces",
    "lsp": "the language server for editors",
    "cluster": "searches by several processes or machines (--workers)",
    "draw": "pictures of nested states by Graphviz",
    "plot": "plots of variables along runs (simulate --plot)",
    "web": "the workbench in the browser",
    "pytest": "tests with threads under every schedule (pytest --kripke)",
}


def _extras() -> Iterator[Part]:
    """Every extra of the package, whether all that it asks for is installed."""
    from importlib.metadata import PackageNotFoundError, distribution, requires

    wanted: dict[str, set[str]] = {}
    try:
        needs = requires("kripke") or []
    except PackageNotFoundError:  # run from a folder, without an installation
        return
    for need in needs:
        name, _, condition = need.partition(";")
        extra = condition.partition("extra ==")[2].strip(" '\"")
        if extra and extra != "dev":
            wanted.setdefault(extra, set()).add(re.match(r"[\w.-]+", name.strip())[0])  # type: ignore[index]
    for extra, packages in sorted(wanted.items()):
        missing = []
        for package in sorted(packages - {"kripke"}):
            try:
                distribution(package)
            except PackageNotFoundError:
                missing.append(package)
        purpose = _PURPOSES.get(extra, "more")
        text = f"for {purpose}" + (f"; not installed: {', '.join(missing)}" if missing else "")
        advice = f"pip install 'kripke[{extra}]' installs it." if missing else ""
        facts: dict[str, object] = {"installed": not missing, "missing": missing}
        yield Part(f"kripke[{extra}]", "missing" if missing else "ok", text, advice, facts=facts)


def _write_json(where: str, healthy: bool, parts: list[Part]) -> None:
    report = {
        "ok": healthy,
        "parts": [
            {
                "name": part.name,
                "status": part.status,
                "needed": part.needed,
                "text": part.text,
                "advice": part.advice,
                **part.facts,
            }
            for part in parts
        ],
    }
    text = json.dumps(report, indent=2)
    if where == "-":
        print_lines(text)
        return
    with open(where, "w", encoding="utf-8") as file:
        file.write(text + "\n")
