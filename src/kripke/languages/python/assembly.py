"""Putting code together: constants and names of a whole program, labels and handlers of one function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from kripke.heap.program import NAMES, Call, Class, Code, Handler, Instruction, Op, StatementText
from kripke.model.source import ModelError, Sources, Span

HINT = "kripke.testing checks programs in all of Python: @kripke.interleave on a test function"


@dataclass(frozen=True, slots=True)
class Binding:
    """What a name of a module stands for: a constant (a function, a class), a global variable, or a module."""

    constant: object = None
    slot: int = -1
    module: str = ""
    is_constant: bool = False


@dataclass(slots=True)
class World:
    """What all modules of a program share."""

    codes: list[Code] = field(default_factory=list)
    classes: list[Class] = field(default_factory=list)
    constants: list[object] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    global_names: list[str] = field(default_factory=list)
    initial: dict[int, object] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    statements: list[StatementText] = field(default_factory=list)
    modules: dict[str, dict[str, Binding]] = field(default_factory=dict)
    #: attribute names stored through something else than self: every class of the program has a place for them
    stored_anywhere: set[int] = field(default_factory=set)
    _constants: dict[object, int] = field(default_factory=dict)
    _names: dict[str, int] = field(default_factory=dict)
    _calls: dict[Call, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for value in (None, False, True):
            self.constant(value)
        for name in NAMES:
            self.name(name)

    def constant(self, value: object) -> int:
        key = (type(value), value)
        number = self._constants.get(key)
        if number is None:
            number = self._constants[key] = len(self.constants)
            self.constants.append(value)
        return number

    def name(self, text: str) -> int:
        number = self._names.get(text)
        if number is None:
            number = self._names[text] = len(self.names)
            self.names.append(text)
        return number

    def call(self, call: Call) -> int:
        number = self._calls.get(call)
        if number is None:
            number = self._calls[call] = len(self.calls)
            self.calls.append(call)
        return number

    def new_code(self, name: str) -> Code:
        code = Code(name, len(self.codes))
        self.codes.append(code)
        return code

    def new_class(self, name: str, base: Class | None) -> Class:
        found = Class(name, len(self.classes), base)
        self.classes.append(found)
        return found

    def new_global(self, name: str) -> int:
        self.global_names.append(name)
        return len(self.global_names) - 1


@dataclass(slots=True)
class Label:
    place: int = -1
    depth: int = -1


@dataclass(slots=True)
class Region:
    """Instructions whose exceptions one handler takes: from each start to each end."""

    handler: Label
    depth: int
    ranges: list[tuple[int, int]] = field(default_factory=list)
    start: int = -1


class Text:
    """A file and the places in it."""

    def __init__(self, path: str, sources: Sources, text: str) -> None:
        self.path, self.sources = path, sources
        self.lines = text.split("\n")

    def span(self, node: ast.AST) -> Span:
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        end_line, end = getattr(node, "end_lineno", line), getattr(node, "end_col_offset", column + 1)
        return Span(self.path, line, self._column(line, column), end_line, self._column(end_line, end))

    def _column(self, line: int, offset: int) -> int:
        """Columns count characters, the parser's offsets bytes."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return (offset if text.isascii() else len(text.encode()[:offset].decode(errors="replace"))) + 1

    def head(self, node: ast.stmt) -> str:
        """The first line of a statement as it is written."""
        span = self.span(node)
        if span.line > len(self.lines):
            return ""
        line = self.lines[span.line - 1][span.column - 1 :]
        one = span.end_line == span.line
        return (line[: span.end_column - span.column] if one else line).strip()

    def error(self, node: ast.AST, message: str, hint: str | None = None) -> ModelError:
        return self.sources.error(message, self.span(node), hint)

    def refusal(self, node: ast.AST, what: str) -> ModelError:
        return self.error(node, f"{what} is outside of the part of Python that can be checked here", HINT)


class Assembler:
    """The instructions of one function."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.depth = 0
        self.statement = -1
        self._patches: list[tuple[int, Label]] = []
        self._regions: list[Region] = []

    def emit(self, op: Op, argument: int = 0, effect: int = 0) -> None:
        self.code.instructions.append(Instruction(op, argument, self.statement))
        self.depth += effect
        self.code.most_stack = max(self.code.most_stack, self.depth + 2)

    def jump(self, op: Op, label: Label, effect: int = 0, at_target: int = 0) -> None:
        """``at_target``: how much deeper the stack is there than behind the jump."""
        self._patches.append((len(self.code.instructions), label))
        self.emit(op, 0, effect)
        label.depth = self.depth + at_target
        self.code.most_stack = max(self.code.most_stack, label.depth + 2)

    def place(self, label: Label) -> None:
        label.place = len(self.code.instructions)
        if label.depth >= 0:
            self.depth = label.depth

    @contextmanager
    def protected(self, handler: Label) -> Iterator[Region]:
        region = Region(handler, self.depth, start=len(self.code.instructions))
        yield region
        self.close(region)
        self._regions.append(region)

    def close(self, region: Region) -> None:
        end = len(self.code.instructions)
        if region.start < end:
            region.ranges.append((region.start, end))

    def reopen(self, region: Region) -> None:
        region.start = len(self.code.instructions)

    def enter_handler(self, region: Region) -> None:
        """Here the exception is on the stack."""
        region.handler.place = len(self.code.instructions)
        self.depth = region.depth + 1
        self.code.most_stack = max(self.code.most_stack, self.depth + 2)

    def finish(self) -> None:
        instructions = self.code.instructions
        for place, label in self._patches:
            instructions[place] = instructions[place]._replace(argument=label.place)
        for region in self._regions:
            for start, end in region.ranges:
                self.code.handlers.append(Handler(start, end, region.handler.place, region.depth))
