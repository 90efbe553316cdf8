"""C in a Promela model: ``c_decl``, ``c_state``, ``c_track``, ``c_code``, ``c_expr``.

Nothing of it is compiled, let alone run, unless that was allowed. The compiler is asked for the sizes of what the C
code declares; all of it is compiled then, so that complaints come while the model is read, with their places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kripke.languages.promela import syntax
from kripke.languages.promela.lowering.expressions import Context
from kripke.languages.promela.lowering.symbols import Scope, StructType
from kripke.model.source import Span
from kripke.process.embedded import (
    CText,
    EmbeddedC,
    Fields,
    Fragment,
    Tracked,
    declared_names,
    integer_declaration,
    measure,
)
from kripke.process.expressions import IntType
from kripke.process.program import Action, CCode, Component, ProcessType, Program, Variable
from kripke.process.program import Scope as Reach

_START = 0  # the fragment that gives C data its start values


def c_text(text: str, span: Span, line: int) -> CText:
    """The text of a C block whose first word is in this line; `\\#` has become a line of its own."""
    return CText(re.sub(r"\n[ \t]*\n#", "\n#", text), span.file, line)


def touches_shared_data(text: str) -> bool:
    """May other processes notice this C? By SPIN's rule: where it mentions ``now.`` or may call a function."""
    return "now." in text or text.find("(") > 0


class EmbeddedLowering:
    """Collects the C of a module while it is lowered; ``finish`` gives it places in the state."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.embedded = EmbeddedC()
        self.embedded.add(Fragment(CText("", "", 1), None, False))
        self._states: list[syntax.CState] = []
        self._tracks: list[syntax.CTrack] = []
        self._start: list[str] = []

    def item(self, item: syntax.CDeclaration | syntax.CCode | syntax.CState | syntax.CTrack) -> None:
        match item:
            case syntax.CDeclaration(text):
                self.embedded.declarations.append(c_text(text, item.span, item.line))
            case syntax.CCode(text):
                self.embedded.functions.append(c_text(text, item.span, item.line))
            case syntax.CState():
                self._states.append(item)
            case syntax.CTrack():
                self._track(item)

    def _track(self, node: syntax.CTrack) -> None:
        if node.matching not in (None, "Matched", "UnMatched", "unMatched", "StackOnly"):
            message = f'c_track takes "Matched" or "UnMatched", not "{node.matching}"'
            raise self.context.fail(message, node.span)
        if node.matching not in (None, "Matched"):
            message = (
                "data that is not matched is matched here: no run is missed, but there may be more states than SPIN's"
            )
            self.context.warn(message, node.span)
        self._tracks.append(node)

    def finish(self, program: Program, scope: Scope, processes: Iterable[tuple[ProcessType, Scope]]) -> None:
        """Declare what the C code sees, measure it, and give it room in the program."""
        types = list(processes)
        for name, struct in self.context.structs.items():
            fields = "".join(f"    {_declaration(f.type, f.count, n)};\n" for n, f in struct.fields.items())
            self.embedded.structures.append(f"struct {name} {{\n{fields}}};")
        self.embedded.globals = Fields(["unsigned char _nr_pr"])
        self.embedded.locals = {process: Fields(["unsigned char _pid"]) for process, _ in types}
        mentioned = None if self._sees_everything() else self.embedded.mentioned()
        self._views(self.embedded.globals, scope, mentioned)
        for process, inside in types:
            self._views(self.embedded.locals[process], inside, mentioned)
        declared = [found for state in self._states for found in self._state(state)]
        self.embedded.tracked = [
            Tracked(track.pointer, track.size, self._opaque(f"c_track {track.pointer}", Reach.GLOBAL, track.span))
            for track in self._tracks
        ]
        self.embedded.fragments[_START] = Fragment(CText("\n".join(self._start), "", 1), None, False)
        sizes = [size for _, _, size in declared] + [track.size for track in self.embedded.tracked]
        variables = [variable for _, variable, _ in declared] + [track.variable for track in self.embedded.tracked]
        for variable, size in zip(variables, measure(self.embedded, sizes, self.context.sources), strict=True):
            variable.size = size
        self._add_variables(program, declared)
        program.embedded = self.embedded

    def _add_variables(self, program: Program, declared: list[tuple[ProcessType | None, Variable, str]]) -> None:
        own = [variable for process, variable, _ in declared if process is None]
        program.variables += (*own, *(track.variable for track in self.embedded.tracked))
        statement = self.context.table.add_unnumbered(
            self._tracks[0].span if self._tracks else Span("", 0, 0, 0, 0), ""
        )
        program.statements = tuple(self.context.table.statements)
        program.setup = (Action(CCode(_START), statement), *program.setup)
        for process, variable, _ in declared:
            if process is not None:
                process.variables += (variable,)

    # --- views --------------------------------------------------------------------------------------------------------

    def _sees_everything(self) -> bool:
        """Could the C code use variables that its text does not name?"""
        texts = [*self.embedded.declarations, *self.embedded.functions, *(f.text for f in self.embedded.fragments)]
        return any(re.search(r'#\s*include\s*"|\bnow\b(?!\s*\.)', text.text) for text in texts)

    def _views(self, fields: Fields, scope: Scope, mentioned: set[str] | None) -> None:
        for symbol in scope.symbols.values():
            if symbol.variable is None or (mentioned is not None and symbol.name not in mentioned):
                continue
            fields.declarations.append(_declaration(symbol.type, symbol.count, symbol.name))
            fields.variables.append(symbol.variable)

    # --- c_state ------------------------------------------------------------------------------------------------------

    def _state(self, node: syntax.CState) -> list[tuple[ProcessType | None, Variable, str]]:
        """The variables of a c_state: of which process, and the C expression for the size."""
        scope = node.scope.split()
        process: ProcessType | None = None
        match scope:
            case ["Hidden"]:
                start = f" = {node.initial}" if node.initial else ""
                text = CText(f"static {node.declaration}{start};", node.span.file, node.span.line)
                self.embedded.hidden.append(text)
                return []
            case ["Global"]:
                fields, view = self.embedded.globals, "now."
                size = "((State *)0)->"
            case ["Local", name]:
                process = self.context.processes.get(name)
                if process is None:
                    raise self.context.fail(f"there is no process type '{name}'", node.span)
                fields, view = self.embedded.locals[process], f"P{name}->"
                size = f"((embedded_P_{name} *)0)->"
            case _:
                message = f'c_state takes "Global", "Local PROCTYPE" or "Hidden", not "{node.scope}"'
                raise self.context.fail(message, node.span)
        names = declared_names(node.declaration)
        if not names:
            raise self.context.fail(f'"{node.declaration}" declares no variable', node.span)
        fields.declarations.append(node.declaration)
        found = []
        for name in names:
            variable = self._variable(name, node, Reach.LOCAL if process else Reach.GLOBAL)
            fields.variables.append(variable)
            found.append((process, variable, f"sizeof({size}{name})"))
        if node.initial:
            self._start_value(node, names[0], view, process)
        return found

    def _start_value(self, node: syntax.CState, name: str, view: str, process: ProcessType | None) -> None:
        text = f"{{ {node.declaration} = {node.initial}; memcpy(&{view}{name}, &{name}, sizeof {view}{name}); }}"
        if process is None:
            self._start.append(text)
            return
        fragment = self.embedded.add(Fragment(CText(text, node.span.file, node.span.line), process, False))
        statement = self.context.table.add_unnumbered(node.span, process.name)
        process.setup += (Action(CCode(fragment), statement),)

    def _variable(self, name: str, node: syntax.CState, reach: Reach) -> Variable:
        integer = integer_declaration(node.declaration)
        if integer is None:
            return self._opaque(name, reach, node.span)
        type_, count = integer
        paths = [""] if count is None else [f"[{i}]" for i in range(count)]
        parts = tuple(Component(path, type_, i * type_.size) for i, path in enumerate(paths))
        size = type_.size * len(parts)
        return Variable(name, reach, type_.name, parts, size, (0,) * len(parts), scalar=False, span=node.span)

    def _opaque(self, name: str, reach: Reach, span: Span) -> Variable:
        return Variable(name, reach, "C data", (), 0, (), scalar=False, span=span)


def _declaration(type_: IntType | StructType, count: int | None, name: str) -> str:
    """How SPIN declares such a variable for C code."""
    array = "" if count is None else f"[{count}]"
    if isinstance(type_, StructType):
        return f"struct {type_.name} {name}{array}"
    if count is None and (type_.bits == 1 or type_.name == "unsigned"):
        return f"unsigned {name} : {type_.bits}"
    kind = {1: "char", 2: "short", 4: "int"}[type_.size]
    sign = "" if type_.signed and kind != "char" else "signed " if type_.signed else "unsigned "
    return f"{sign}{kind} {name}{array}"
