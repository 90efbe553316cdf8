"""LF (``.lf``): a small concurrent language whose programs are run and checked as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kripke.languages.language import Language, Option
from kripke.languages.options import SLICE

if TYPE_CHECKING:
    from kripke.actions.model import ActionModel
    from kripke.actions.program import Program
    from kripke.languages.editing.document import Document
    from kripke.languages.request import LoadRequest, RunRequest
    from kripke.model.highlighting import Highlighting
    from kripke.model.source import Sources


def load(
    path: str,
    *,
    defines: Mapping[str, str] | None = None,
    include_paths: Sequence[str] = (),
    include_root: str | None = None,
    invariants: Sequence[str] = (),
    formulas: Sequence[str] = (),
    conditions: Sequence[str] = (),
    claims: Sequence[str] = (),
    queues: str = "sorted",
    fine: bool = False,
    close: bool = False,
    slice: bool = False,
) -> ActionModel:
    """The program whose main module is in a file. Invariants and formulas are about global variables.

    ``defines``: other values for constants of the main module. ``claims``: the properties of the program to check, all
    where none is named. ``queues``: how those who wait on a channel are kept, "sorted", "arrival" or "kernel".
    ``fine``: a process can be interrupted after every statement. ``close``: interrupts may come at any time, and
    devices answer anything. ``slice``: without data that no property and no step depends on."""
    from kripke.actions.model import ActionModel
    from kripke.actions.program import Queues
    from kripke.languages.lf.properties import observer_of
    from kripke.languages.lf.questions import asked
    from kripke.languages.lf.translation import read_text, translate
    from kripke.model.property import Temporal
    from kripke.model.source import Diagnostic, ModelError, Sources

    sources = Sources(include_root)
    try:
        found = translate(
            path,
            read_text(path),
            sources,
            constants=defines or {},
            include_paths=include_paths,
            queues=Queues(queues),
            fine=fine,
            close=close,
        )
        program = found.program
        if not close:
            _require_closed(program, sources)
        program.atoms, properties = asked(found.globals, sources, invariants, conditions, formulas)
        known = [one.name for one in found.properties]
        for name in claims:
            if name not in known:
                raise ModelError(
                    f"there is no PROPERTY {name} in {path}",
                    hint=f"there are {', '.join(known)}" if known else "it has none",
                )
        for one in found.properties:
            if not claims or one.name in claims:
                claim = observer_of(one, program, program.atoms, sources)
                properties.append(Temporal(one.name, "never", f"PROPERTY {one.name}", one.span, claim=claim))
        if close:
            from kripke.actions.closing import close as close_program

            found.warnings += close_program(program, sources)
            program.number_controls()
        if slice:
            from kripke.actions.slicing import slice_program

            names = slice_program(program)
            if names:
                message = f"--slice leaves out {', '.join(names)}: whether these leave their ranges is not looked for"
                found.warnings.append(Diagnostic(message, program.processes[0].span))
    except RecursionError:
        raise ModelError(f"{path} is nested too deeply") from None
    return ActionModel(program, path, "lf", sources, found.warnings, properties)


def _require_closed(program: Program, sources: Sources) -> None:
    """What a device answers is not known: a program that asks one cannot be checked."""
    from kripke.actions.program import Device, Jump

    started = program.startable()
    for process in program.processes:
        for at, (instruction, label) in enumerate(zip(process.code, process.statements, strict=True)):
            if isinstance(instruction, Device) and process not in started:
                process.code[at] = Jump(at + 1)  # nobody runs it
            elif isinstance(instruction, Device):
                word = "PORTOUT" if instruction.place is None else "PORTIN"
                raise sources.error(
                    f"{word} asks a device, of which a check knows nothing",
                    program.statements[label].span,
                    hint="--close: it may answer anything. Or play it in a process, with messages on SYSTEM.IOPORT",
                )


def _load(request: LoadRequest) -> ActionModel:
    from kripke.model.source import ModelError

    if request.progress is not None:
        raise ModelError("--progress is not for programs in LF yet", hint="search without --search sweep")
    return load(
        request.path,
        defines=request.defines,
        include_paths=request.include_paths,
        include_root=request.include_root,
        invariants=request.invariants,
        formulas=request.formulas,
        claims=request.claims,
        conditions=request.conditions,
        queues=request.options["queues"],
        fine=request.options["fine"],
        close=request.options["close"],
        slice=request.options["slice"],
    )


def _program(request: RunRequest) -> Program:
    """The program as it runs: with devices, and with all that is no part of what is checked."""
    import sys

    from kripke.languages.lf.translation import read_text, translate
    from kripke.model.source import ModelError, Sources

    try:
        found = translate(
            request.path,
            read_text(request.path),
            Sources(),
            constants=request.defines,
            include_paths=request.include_paths,
        )
    except RecursionError:
        raise ModelError(f"{request.path} is nested too deeply") from None
    for warning in found.warnings:
        print(warning, file=sys.stderr)
    return found.program


def _run(request: RunRequest) -> int:
    import sys

    from kripke.actions.execution.build import execute
    from kripke.model.source import ModelError

    if request.events or request.real_time:
        raise ModelError("--events and --real-time are for state charts", hint="interrupts come with --interrupt")
    arguments = ["--scheduler", request.scheduler]
    arguments += ["--actions", str(request.steps)] if request.steps is not None else []
    arguments += ["--seed", str(request.seed)] if request.seed is not None else []
    arguments += [part for one in request.interrupts for part in ("--interrupt", _interrupt(one))]
    arguments += ["--statistics"] if request.statistics else []
    program = _program(request)
    sys.stdout.flush()
    return execute(program, arguments)


def _interrupt(text: str) -> str:
    import os
    import re

    from kripke.model.source import ModelError

    match = re.fullmatch(r"(\d+)=(?:every:([1-9]\d{0,8})|(.+))", text)
    if match is None or int(match[1]) > 15:
        raise ModelError(f"--interrupt {text}: write K=every:MS or K=FILE, with K from 0 to 15")
    if match[3] is not None and not os.path.isfile(match[3]):
        raise ModelError(f"--interrupt {text}: there is no file {match[3]}")
    return text


def _build(request: RunRequest, output: str) -> None:
    from kripke.actions.execution.build import build
    from kripke.actions.execution.emit import emit_program
    from kripke.model.source import ModelError

    program = _program(request)
    try:
        if output.endswith(".c"):
            with open(output, "w", encoding="utf-8") as file:
                file.write(emit_program(program))
        else:
            build(program, output)
    except OSError as error:
        raise ModelError(f"cannot write {output}: {error.strerror}") from error


def _document(text: str, path: str, before: Document | None) -> Document:
    from kripke.languages.lf.editor import ModuleDocument

    return ModuleDocument(text, path, before)


def _highlighting() -> Highlighting:
    from kripke.languages.lf.lexer import WORDS
    from kripke.languages.lf.types import PREDEFINED
    from kripke.model.highlighting import Highlighting

    return Highlighting(
        WORDS, frozenset(PREDEFINED), line_comments=(), block_comment=("(*", "*)"), nested=True, quotes="\"'"
    )


LANGUAGE = Language(
    name="lf",
    endings=(".lf",),
    load=_load,
    models="programs in LF",
    options=(
        Option(
            "queues",
            "--queues",
            "the order of those who wait on a channel: by number (sorted, default), in order of arrival, or as LF's "
            "kernel does it, where only the first is a partner (LF)",
            default="sorted",
            choices=("sorted", "arrival", "kernel"),
        ),
        Option("close", "--close", "let interrupts come at any time, and devices answer anything (LF)"),
        Option("fine", "--fine", "let processes be interrupted after every statement (LF)"),
        SLICE,
    ),
    run=_run,
    build=_build,
    document=_document,
    highlighting=_highlighting,
    manual="docs/languages/lf.md",
    examples="examples/lf",
)
