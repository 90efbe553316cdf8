"""The whole module: types, channels, variables, processes, and the initialisation that starts them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from kripke.languages.language import Form, Written
from kripke.languages.promela.as_lf.channels import Channels
from kripke.languages.promela.as_lf.expressions import Expressions
from kripke.languages.promela.as_lf.names import Names, Refusals, scalar_type, shape_of
from kripke.languages.promela.as_lf.processes import Body, Shared
from kripke.languages.promela.as_lf.steps import is_shared
from kripke.model.model import Model
from kripke.process.expressions import IntType, OwnPid
from kripke.process.model import ProcessModel
from kripke.process.nodes import nodes_of
from kripke.process.program import Assign, ProcessType, Program, Variable

_OVERFLOW = "where an int overflows, Promela goes on with its lowest bits, and LF reports an error"


def write(model: Model, form: Form) -> Written:
    assert isinstance(model, ProcessModel)
    text = _Module(model).text()
    warnings = [
        f"{one.name}: properties are not written; kripke check takes --ltl for them" for one in model.properties
    ]
    if any(one.name == "int" for one in _types(model.program)):
        warnings.append(_OVERFLOW)
    return Written(text, tuple(warnings))


def _types(program: Program) -> Iterator[IntType]:
    for variable in (*program.variables, *(one for process in program.processes for one in process.variables)):
        yield from (component.type for component in variable.components)


class _Module:
    def __init__(self, model: ProcessModel) -> None:
        self._program = program = model.program
        self._refusals = Refusals(model)
        self._names = Names()
        self._require_plain()
        stem = re.sub(r"\W", "_", PurePath(model.file).stem)
        self._name = self._names.new(stem[:1].upper() + stem[1:] if stem[:1].isalpha() else f"M{stem}")
        for variable in program.variables:
            self._names.give(variable, variable.name)
        self._channels = Channels(program, self._names, self._refusals)
        token, active = self._names.new("token"), self._names.new("active")
        processes = {id(process): self._names.new(process.name) for process in program.processes}
        self._keeper, self._token_type = self._names.new("Token"), self._names.new("TokenType")
        self._shared = Shared(
            program,
            self._channels,
            self._names,
            self._refusals,
            token,
            active,
            False,
            processes,
            frozenset(id(process) for process in program.processes if _uses_number(process)),
            {},
        )
        if any(self._body(process)[0].needs_token() for process in program.processes):
            self._shared = self._shared._replace(everywhere=True)

    def _require_plain(self) -> None:
        program = self._program
        for what, found in (
            ("embedded C", program.embedded is not None),
            ("trace and notrace", program.monitor is not None),
            ("formulas about events", program.record is not None),
            ("process priorities", program.priorities),
            ("_last", program.last is not None),
        ):
            if found:
                raise self._refusals.refuse(f"LF has no {what}", program.processes[0].span)
        for process in program.processes:
            if process.provided is not None:
                raise self._refusals.refuse("LF has no provided", process.span)

    def _body(self, process: ProcessType) -> tuple[Body, Names, str | None]:
        names = Names(self._names)
        for variable in process.variables:
            names.give(variable, variable.name)
        self._channels.name_local(process, names)
        me = names.new("me") if id(process) in self._shared.numbered else None
        return Body(self._shared, process, names, me), names, me

    # --- text ---------------------------------------------------------------------------------------------------------

    def text(self) -> str:
        processes: list[str] = []
        uses_token = False
        for process in self._program.processes:
            lines, uses = self._process(process)
            processes += lines
            uses_token |= uses
        # Without a token nobody counts the processes.
        if not uses_token:
            counting = (f"INC({self._shared.active});", f"DEC({self._shared.active});")
            processes = [line for line in processes if line.strip() not in counting]
        shared = self._shared
        types = self._channels.declared_types()
        if uses_token:
            types.append(f"  {self._token_type} = [take, give];")
        globals_ = [f"  {self._names.of(v)} : {self._type(v)};" for v in self._program.variables]
        ports = []
        for group in self._channels.groups:
            count = f"ARRAY {len(group.channels)} OF " if group.is_array else ""
            if not group.capacity:
                ports.append(f"  {group.name} : {count}{self._channels.type_of(group)};")
                continue
            length = "UINT8" if group.capacity <= 255 else "UINT16"
            globals_.append(f"  {group.length} : {count}{length};")
            for field, type_ in zip(group.fields, group.first.fields, strict=True):
                globals_.append(f"  {field} : {count}ARRAY {group.capacity} OF {scalar_type(type_)};")
        if uses_token:
            ports.append(f"  {shared.token} : {self._token_type};")
            globals_.append(f"  {shared.active} : INT16;")
        types = sorted({*types, *self._channels.declared_types()}, key=lambda line: (len(line.split()[0]), line))
        prints = any("Out." in line for line in processes)
        lines = [
            f"(* made from {PurePath(self._program.name).name.replace('*', '_')} *)",
            f"MODULE {self._name};",
            *(["IMPORT Out;"] if prints else []),
            *(["TYPE", *types] if types else []),
            *(["PORT", *ports] if ports else []),
            *(["VAR", *globals_] if globals_ else []),
            "",
            *(self._keeper_text() if uses_token else []),
            *processes,
            *self._initialisation(uses_token),
        ]
        return "\n".join(lines) + "\n"

    def _type(self, variable: Variable) -> str:
        if variable.is_channel:
            if not variable.scalar:
                raise self._refusals.refuse("an array of variables for channels", variable.span)
            return self._channels.type_of_variable(variable)
        if not variable.components:
            raise self._refusals.refuse("data of embedded C", variable.span)
        return shape_of(variable).text()

    def _keeper_text(self) -> list[str]:
        token = self._shared.token
        return [
            f"PROCESS {self._keeper};  (* whoever waits for a condition takes the token when it is true *)",
            "BEGIN",
            f"  WHILE {self._shared.active} > 0 DO {token}!take; {token}?give END",
            f"END {self._keeper};",
            "",
        ]

    def _process(self, process: ProcessType) -> tuple[list[str], bool]:
        body, names, me = self._body(process)
        name = self._shared.processes[id(process)]
        parameters = [f"{names.of(v)} : {self._type(v)}" for v in process.parameters]
        parameters += [f"{me} : INTEGER"] if me else []
        start: list[str] = []
        locals_ = [v for v in process.variables if v not in process.parameters]
        expressions = Expressions(names, self._refusals, me, lambda operand: ("", [], 0))
        for variable in locals_:
            start += _initial(variable, names)
        for action in process.setup:
            self._refusals.span = self._program.statements[action.statement].span
            operation = action.operation
            if not isinstance(operation, Assign) or is_shared(operation.value) or operation.place.variable.is_channel:
                raise self._refusals.refuse("a start value that is not known when the process starts")
            value = expressions.fitted(operation.value, operation.place.type)
            start.append(f"{expressions.place(operation.place)} := {value};")
        lines = body.lines()
        declared = [f"  {names.of(v)} : {self._type(v)};" for v in locals_]
        for group in self._channels.local.get(id(process), []):
            count = f"ARRAY {len(group.channels)} OF " if group.is_array else ""
            declared.append(f"  {group.name} : {count}{self._channels.type_of(group)};")
            start += _created(group.name, len(group.channels), group.is_array)
        declared += [f"  {own} : {type_};" for own, type_ in body.variables.items()]
        token = self._shared.token
        counted = [f"{token}?take;", f"DEC({self._shared.active});", f"{token}!give;"]
        # Where nobody takes the token, there is none.
        ending = counted if self._shared.everywhere or body.uses_token or self._some_token() else []
        text = [
            f"PROCESS {name}{'(' + '; '.join(parameters) + ')' if parameters else ''};",
            *(["VAR", *declared] if declared else []),
            "BEGIN",
            *("  " + line for line in [*start, *lines, *ending]),
            f"END {name};",
            "",
        ]
        return text, bool(ending)

    def _some_token(self) -> bool:
        """Does some process take the token?"""
        if not hasattr(self, "_token_used"):
            self._token_used = self._shared.everywhere
            for process in self._program.processes:
                body, _, _ = self._body(process)
                body.lines()
                self._token_used |= body.uses_token
            self._shared.selects.clear()
        return self._token_used

    def _initialisation(self, uses_token: bool) -> list[str]:
        lines: list[str] = []
        for group in self._channels.groups:
            if not group.capacity:
                lines += _created(group.name, len(group.channels), group.is_array)
        expressions = Expressions(self._names, self._refusals, None, lambda operand: ("", [], 0))
        for variable in self._program.variables:
            lines += _initial(variable, self._names)
        for action in self._program.setup:
            self._refusals.span = self._program.statements[action.statement].span
            operation = action.operation
            if not isinstance(operation, Assign) or operation.place.variable.is_channel:
                raise self._refusals.refuse("a start value of this sort")
            value = expressions.fitted(operation.value, operation.place.type)
            lines.append(f"{expressions.place(operation.place)} := {value};")
        if uses_token:
            lines += [f"NEW({self._shared.token});", f"{self._shared.active} := {len(self._program.initial)};"]
            lines.append(f"CREATE {self._keeper};")
        for number, start in enumerate(self._program.initial):
            arguments = []
            for (variable, component), given in zip(start.process.parameter_scalars(), start.arguments, strict=True):
                if variable.is_channel:
                    raise self._refusals.refuse("a channel as the argument of an active process", variable.span)
                arguments.append(self._constant(component.type.wrap(given), component.type.name))
            arguments += [str(number)] if id(start.process) in self._shared.numbered else []
            text = f"({', '.join(arguments)})" if arguments else ""
            lines.append(f"CREATE {self._shared.processes[id(start.process)]}{text};")
        return ["BEGIN", *("  " + line for line in lines), f"END {self._name}."]

    @staticmethod
    def _constant(value: int, type_name: str) -> str:
        return ("TRUE" if value else "FALSE") if type_name == "bool" else str(value)


def _uses_number(process: ProcessType) -> bool:
    edges = (edge for location in process.locations for edge in location.edges)
    operations: list[object] = [action.operation for edge in edges for action in edge.actions]
    operations += [action.operation for action in process.setup]
    return any(isinstance(node, OwnPid) for operation in operations for node in nodes_of(operation))


def _initial(variable: Variable, names: Names) -> list[str]:
    """Start values that are not 0."""
    if variable.is_channel:
        return []
    lines = []
    for component, value in zip(variable.components, variable.initial, strict=True):
        if value:
            shown = "TRUE" if component.type.name == "bool" else str(value)
            lines.append(f"{names.of(variable)}{component.path} := {shown};")
    return lines


def _created(name: str, count: int, is_array: bool) -> list[str]:
    return [f"NEW({name}[{i}]);" for i in range(count)] if is_array else [f"NEW({name});"]
