"""Modules of a distributed program: compiled and instrumented once, executed for every process of every run."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, ModuleType
from typing import Any

from kripke.testing.instrument import MADE_FOR_A_PROCESS, Instrumentation
from kripke.testing.processes import Process, present_process


class ProgramError(Exception):
    """What a start-up file names cannot be run. The text is for the user."""


class Programs:
    """A finder of modules for the time of an exploration. ``names``: modules that any process has imported so far."""

    def __init__(self, folder: str, instrumentation: Instrumentation, libraries: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self.names: set[str] = set()
        self._instrumentation = instrumentation
        self._libraries = libraries  # installed ones of which every process has its own
        self._codes: dict[str, CodeType] = {}

    @contextmanager
    def found_first(self) -> Iterator[None]:
        """Imports of processes look here first. What this process itself had imported is put back afterwards."""
        kept = {name: module for name, module in sys.modules.items() if self._is_own(module)}
        for name in kept:
            del sys.modules[name]
        sys.meta_path.insert(0, self)
        importlib.invalidate_caches()
        try:
            yield
        finally:
            sys.meta_path.remove(self)
            for name in self.names:
                sys.modules.pop(name, None)
            sys.modules.update(kept)

    def _is_own(self, module: Any) -> bool:
        file = getattr(module, "__file__", None)
        name = getattr(module, "__name__", "")
        if isinstance(file, str) and os.path.dirname(os.path.abspath(file)) == self.folder and name != "__main__":
            return True
        return isinstance(name, str) and name.partition(".")[0] in self._libraries

    # -- as importlib wants it

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        process = present_process()
        if process is None:
            return None
        places = path if path is not None else [self.folder]
        if path is None and name in self._libraries:
            places = sys.path
        elif path is not None and name.partition(".")[0] not in {each.partition(".")[0] for each in self.names}:
            return None
        found = importlib.machinery.PathFinder.find_spec(name, list(places))
        if found is None or found.origin is None or not found.origin.endswith(".py"):
            return None
        is_package = found.submodule_search_locations is not None
        spec = importlib.util.spec_from_loader(name, self, origin=found.origin, is_package=is_package)  # type: ignore[arg-type]
        assert spec is not None
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations = found.submodule_search_locations
        return spec

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        self.names.add(module.__name__)
        module.__dict__[MADE_FOR_A_PROCESS] = True
        exec(self._code(str(module.__spec__.origin)), module.__dict__)

    # -- the file a process runs

    def execute(self, process: Process) -> None:
        line = process.line
        if line.is_module:
            spec = importlib.machinery.PathFinder.find_spec(line.target, [self.folder])
            file = spec.origin if spec is not None else None
            if file is None:
                raise ProgramError(f"{process.name}: there is no module {line.target} in {self.folder}")
        else:
            file = os.path.join(self.folder, line.target)
        main = ModuleType("__main__")
        main.__file__ = file
        main.__dict__["__builtins__"] = __builtins__
        main.__dict__[MADE_FOR_A_PROCESS] = True
        code = self._code(file)
        process.modules["__main__"] = sys.modules["__main__"] = main
        exec(code, main.__dict__)

    def compile_all(self, files: list[str]) -> None:
        """Before the first run: what cannot be read or compiled is an error of the user's, not of the program."""
        for file in files:
            self._compiled(file)

    def _code(self, file: str) -> CodeType:
        return self._instrumentation.of_module(self._compiled(file))

    def _compiled(self, file: str) -> CodeType:
        if file not in self._codes:
            try:
                with open(file, "rb") as source:
                    self._codes[file] = compile(source.read(), file, "exec", dont_inherit=True)
            except OSError as problem:
                raise ProgramError(f"{file}: {problem.strerror}") from None
            except SyntaxError as problem:
                raise ProgramError(f"{file}:{problem.lineno}:{problem.offset}: {problem.msg}") from None
            except ValueError as problem:
                raise ProgramError(f"{file}: {problem}") from None
        return self._codes[file]
