"""A Python file as a model: the library's modules, then the program, then what is asked of it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

from kripke.heap.model import HeapModel
from kripke.heap.program import KNOWN, Class, FunctionConstant, Member, Options, Program
from kripke.languages.python.assembly import Text, World
from kripke.languages.python.imports import MODULES
from kripke.languages.python.module import ModuleCompiler
from kripke.languages.python.questions import Questions
from kripke.model.source import ModelError, Sources, Span

LONGEST_FILE = 1 << 20
DEFAULT = Options()
_LIBRARY = Path(__file__).parent / "library"


def load(
    path: str,
    *,
    options: Options = DEFAULT,
    invariants: Sequence[str] = (),
    formulas: Sequence[str] = (),
    conditions: Sequence[str] = (),
) -> HeapModel:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(LONGEST_FILE + 1)
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}") from error
    if len(text) > LONGEST_FILE:
        raise ModelError(f"{path} has more than {LONGEST_FILE:,} characters, which is too long to be checked")
    return read(text, path, options=options, invariants=invariants, formulas=formulas, conditions=conditions)


def read(
    text: str,
    path: str = "<text>",
    *,
    options: Options = DEFAULT,
    invariants: Sequence[str] = (),
    formulas: Sequence[str] = (),
    conditions: Sequence[str] = (),
) -> HeapModel:
    sources = Sources()
    sources.add(path, text)
    tree = parse(text, path, sources)
    world = World()
    for name in ("builtins", *sorted(_imported(tree))):
        _library(world, name)
    module = ModuleCompiler(world, tree, Text(path, sources, text))
    try:
        entry = module.compile()
        module.stored_elsewhere()
    except RecursionError:
        raise ModelError(f"{path} is nested too deeply") from None
    questions = Questions(world, module, sources)
    for number, each in enumerate(invariants, start=1):
        questions.invariant(each, f"<invariant {number}>")
    for number, each in enumerate(conditions, start=1):
        questions.condition(each, f"<condition {number}>")
    for number, each in enumerate(formulas, start=1):
        questions.formula(each, f"<formula {number}>")
    program = assemble(world, entry.number, module)
    program.atoms = questions.atoms
    program.watched = frozenset(questions.watched)
    program.deep = questions.deep
    return HeapModel(program, options, path, sources, questions.properties)


def parse(text: str, path: str, sources: Sources) -> ast.Module:
    try:
        return ast.parse(text, path)
    except SyntaxError as error:
        line, column = error.lineno or 1, error.offset or 1
        span = Span(path, line, column, error.end_lineno or line, max(error.end_offset or 0, column + 1))
        raise sources.error(f"not Python: {error.msg}", span) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ModelError(f"{path} cannot be read as Python: {error or 'it is nested too deeply'}") from None


def _imported(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found & MODULES


def _library(world: World, name: str) -> None:
    path = _LIBRARY / f"{name}.pysub"
    text = path.read_text(encoding="utf-8")
    sources = Sources()
    sources.add(path.name, text)
    ModuleCompiler(world, ast.parse(text), Text(path.name, sources, text), name).compile()


def assemble(world: World, entry: int, module: ModuleCompiler) -> Program:
    """Whole classes, and the program."""
    builtins = world.modules["builtins"]
    thread = world.modules.get("threading", {}).get("Thread")
    for found in world.classes:
        base = found.base
        found.members = {**(base.members if base else {}), **found.own}
        own = [name for name in found.layout if not base or name not in base.layout]
        found.layout = [*(base.layout if base else ()), *own]
        if base is not None and found.compared < 0:
            found.compared, found.field_count = base.compared, base.field_count
        if not found.library or (thread is not None and found is thread.constant):
            found.layout += sorted(name for name in world.stored_anywhere if name not in found.layout)
    known = []
    for name in KNOWN:
        constant = builtins[name].constant
        assert isinstance(constant, Class)
        known.append(constant)
    bootstrap = builtins["_bootstrap"].constant
    comparing = tuple(builtins[name].constant for name in ("_contains", "_same_fields"))
    base_exception = builtins["BaseException"].constant
    assert isinstance(bootstrap, FunctionConstant) and isinstance(base_exception, Class)
    for function in comparing:
        world.constant(function)
    for name in ("daemon", "run", "_alive", "_args", "_kwargs", "_target"):
        world.name(name)
    for name in world.names:
        world.constant(name)
    for found in world.classes:
        world.constant(found)
        for kind, value in found.own.values():
            if kind != Member.SLOT:
                world.constant(value)
    return Program(
        world.codes,
        world.classes,
        world.constants,
        world.names,
        world.global_names,
        world.calls,
        world.statements,
        entry,
        bootstrap.code.number,
        known,
        frozenset(module.stable),
        frozenset(),
        initial=world.initial,
        base_exception=base_exception.number,
        comparing=comparing,  # type: ignore[arg-type]
    )
