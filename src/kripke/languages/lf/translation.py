"""A program of LF, with all modules it imports, as an action program."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kripke.actions.program import (
    LARGEST_RECORD,
    PORT,
    REFERENCE_BYTES,
    Constant,
    Load,
    New,
    Place,
    ProcessType,
    Program,
    Queues,
    Scalar,
    Shown,
    Start,
)
from kripke.languages.lf import syntax
from kripke.languages.lf.expressions import Expressions, Typed
from kripke.languages.lf.lexer import LONGEST_TEXT, tokenize
from kripke.languages.lf.parser import parse_module
from kripke.languages.lf.records import Frame, lay_out
from kripke.languages.lf.scopes import (
    ConstantEntity,
    ModuleEntity,
    OutputEntity,
    ProcessEntity,
    Scope,
    TypeEntity,
    VariableEntity,
)
from kripke.languages.lf.statements import Code, Statements
from kripke.languages.lf.types import (
    PREDEFINED,
    ArrayType,
    ChannelType,
    NumberType,
    PortType,
    SetLiteralType,
    Type,
    scalars,
    size_of,
)
from kripke.model.model import Statement
from kripke.model.source import NOWHERE, Diagnostic, ModelError, Sources, Span

#: The module of the system: interrupts, and the ports of devices as messages to whoever plays the device.
SYSTEM_TEXT = """MODULE SYSTEM;
TYPE InterruptChannel* = [INTERRUPT];
     IOChannel* = [PORTIN(INT8, INT32, INT32), PORTOUT(INT8, INT32, INT32)];
PORT InterruptN*, Interrupt0*, Interrupt1*, Interrupt2*, Interrupt3*, Interrupt4*, Interrupt5*, Interrupt6*,
     Interrupt7*, Interrupt8*, Interrupt9*, Interrupt10*, Interrupt11*, Interrupt12*, Interrupt13*, Interrupt14*,
     Interrupt15* : InterruptChannel;
     IOPORT* : IOChannel;
VAR portno* : INT32;
END SYSTEM.
"""
#: Who sends an interrupt, in a check: it may come at any time.
ENVIRONMENT_TEXT = """MODULE Environment;
IMPORT SYSTEM;
PROCESS Interrupt(int : InterruptChannel);
BEGIN
  WHILE TRUE DO int!INTERRUPT END
END Interrupt;
END Environment.
"""
_OUTPUT = ("Int", "Char", "String", "Bool", "Hex", "Ln")
_MOST_PROCESS_TYPES = 1000
_MOST_MODULES = 200


@dataclass(slots=True)
class Property:
    """A PROPERTY: its code, which only looks at global variables, and its own variables."""

    name: str
    process: ProcessType
    span: Span


@dataclass(slots=True)
class Translated:
    program: Program
    properties: list[Property]
    globals: Scope
    warnings: list[Diagnostic] = field(default_factory=list)


def translate(
    path: str,
    text: str,
    sources: Sources,
    *,
    constants: Mapping[str, str] | None = None,
    include_paths: Sequence[str] = (),
    queues: Queues = Queues.SORTED,
    fine: bool = False,
    close: bool = False,
) -> Translated:
    """The program whose main module has this text. ``constants``: other values for its constants. ``close``: with
    processes that send the interrupts it uses."""
    translation = _Translation(sources, include_paths, queues, fine)
    translation.close = close
    translation.given = dict(constants or {})
    found = translation.program(path, text)
    if translation.given:
        name = min(translation.given)
        raise ModelError(f"-D {name}: the main module of {path} has no constant {name}")
    return found


class _Translation:
    def __init__(self, sources: Sources, include_paths: Sequence[str], queues: Queues, fine: bool) -> None:
        self.sources = sources
        self.include_paths = include_paths
        self.queues = queues
        self.fine = fine
        self.universe = Scope(None, sources)
        for name, type_ in PREDEFINED.items():
            self.universe.declare(name, TypeEntity(type_), NOWHERE)
        for name, value in (("true", 1), ("false", 0)):  # as figure 9 has them
            self.universe.declare(name, ConstantEntity(value, PREDEFINED["BOOLEAN"]), NOWHERE)
        self.modules: dict[str, ModuleEntity] = {
            "Out": ModuleEntity("Out", {kind: OutputEntity(kind) for kind in _OUTPUT})
        }
        self.bodies: list[tuple[syntax.Module, Scope]] = []
        self.pending: list[str] = []
        self.statements: list[Statement] = []
        self.globals = Frame(0)
        self.shown: list[Shown] = []
        self.processes: list[ProcessType | None] = [None]
        self.properties: list[Property] = []
        self.system: list[VariableEntity] = []
        self.warnings: list[Diagnostic] = []
        self.given: dict[str, str] = {}
        self.close = False
        self.interrupt: ProcessEntity | None = None

    # --- modules ------------------------------------------------------------------------------------------------------

    def program(self, path: str, text: str) -> Translated:
        main, scope = self.module(path, text)
        if self.close and "SYSTEM" in self.modules:
            _, environment = self.module("<environment>", ENVIRONMENT_TEXT)
            sender = environment.names["Interrupt"]
            assert isinstance(sender, ProcessEntity)
            self.interrupt = sender
            found = self.processes[sender.number]
            assert found is not None
            found.environment = True
            self.bodies.pop()
        process = self._initial(main, dry=bool(self.system or "SYSTEM" in self.modules))
        self.processes[0] = process
        program = Program(
            os.path.basename(path),
            [found for found in self.processes if found is not None],
            self.statements,
            self.globals.size,
            self.globals.ports,
            self.shown,
            self.queues,
        )
        if self.globals.size > LARGEST_RECORD:
            raise ModelError(f"the global variables of {path} have more than {LARGEST_RECORD:,} bytes")
        program.number_controls()
        if len(program.controls) > 0xFFFF:
            raise ModelError(f"{path} has too many statements at which a process can rest")
        return Translated(program, self.properties, scope, self.warnings)

    def module(self, path: str, text: str) -> tuple[syntax.Module, Scope]:
        module = parse_module(tokenize(path, text, self.sources), self.sources)
        self.warnings += [Diagnostic(message, span) for message, span in module.notes]
        around = Scope(self.universe, self.sources)
        scope = Scope(around, self.sources)
        self.pending.append(module.name)
        for name, span in module.imports:
            imported = self.imported(name, span, path)
            around.declare(name, imported, span)
            if name == "SYSTEM":
                for inner, entity in imported.exports.items():
                    around.declare(inner, entity, span)
        self.shown += self.declare(module.declarations, scope, 0, module.name, self.globals)
        self.bodies.append((module, scope))
        self.pending.pop()
        self.modules[module.name] = _interface(module, scope)
        return module, scope

    def imported(self, name: str, span: Span, path: str) -> ModuleEntity:
        if name in self.modules:
            return self.modules[name]
        if name in self.pending:
            way = " -> ".join((*self.pending[self.pending.index(name) :], name))
            raise self.sources.error(f"modules import each other in a circle: {way}", span)
        if name == "SYSTEM":
            self.module("SYSTEM", SYSTEM_TEXT)
            return self.modules[name]
        if len(self.modules) >= _MOST_MODULES:
            raise self.sources.error("the program has too many modules", span)
        folders = [os.path.dirname(path) or ".", *self.include_paths]
        for folder in folders:
            file = os.path.join(folder, f"{name}.lf")
            if os.path.isfile(file):
                self.sources.admit(file, span, self.include_paths)
                found, _ = self.module(file, read_text(file))
                if found.name != name:
                    raise self.sources.error(f"{file} contains module {found.name}, not {name}", found.name_span)
                return self.modules[name]
        raise self.sources.error(f"there is no module {name}", span, hint=f"it is looked for in {name}.lf")

    def _initial(self, main: syntax.Module, dry: bool) -> ProcessType:
        """The process that runs the initialisation of all modules, imported ones first."""
        ports: list[VariableEntity] = []
        if dry:  # which ports of the system does the program use?
            kept, self.statements = self.statements, []
            self._initial(main, dry=False)
            self.statements = kept
            ports = [v for v in self.system if not v.created and isinstance(v.type, PortType)]
        code, frame = Code(self.statements), Frame(self._header(False))
        starts = False
        if ports:
            label = code.statement("channels of the system", main.name_span, main.name)
            for port in ports:
                code.add(New(Place(port.base(1))), label)
            for port in ports if self.interrupt is not None else ():
                assert self.interrupt is not None
                if port.name.startswith("Interrupt"):
                    ((_, _, _, offset),) = self.interrupt.parameters
                    value = Load(Place(port.base(1)), PORT)
                    code.add(Start(self.interrupt.number, False, ((offset, PORT, value),), (), (), None), label)
                    starts = True
        for module, scope in self.bodies:
            statements = self._body(module.name, scope, 1, code, frame, False, module.body)
            statements.sequence(module.body)
            starts |= statements.starts_others
        from kripke.actions.program import End

        code.add(End(), code.statement(f"END {main.name}", main.name_span, main.name))
        return self._made(main.name, 0, code, frame, [], main.name_span, False, starts)

    # --- declarations -------------------------------------------------------------------------------------------------

    def _expressions(self, scope: Scope, level: int) -> Expressions:
        return Expressions(scope, level, self.sources, self._allocate_system)

    def _allocate_system(self, entity: VariableEntity) -> None:
        entity.offset = self.globals.add(entity.type)
        self.system.append(entity)
        self._show(self.shown, f"SYSTEM.{entity.name}", entity.type, entity.offset)

    @staticmethod
    def _show(shown: list[Shown], name: str, type_: Type, offset: int) -> None:
        for path, at, scalar in scalars(type_):
            shown.append(Shown(name + path, scalar, offset + at, name, offset))

    def declare(
        self,
        declarations: Sequence[syntax.Declaration],
        scope: Scope,
        level: int,
        module: str,
        frame: Frame,
        outer: int = -1,
    ) -> list[Shown]:
        """Declarations of a module (level 0) or a process, in whose ``frame`` its variables lie. Bodies of processes
        are translated after all names are known: they may start each other."""
        expressions = self._expressions(scope, level)
        variables: list[VariableEntity] = []
        later: list[tuple[ProcessEntity, Scope]] = []
        if level:
            self._require_no_exports(declarations)
        for declaration in declarations:
            match declaration:
                case syntax.ConstantDeclaration(name, value):
                    found = expressions.value(value)
                    if level == 0 and len(self.pending) == 1 and name.name in self.given:
                        found = self._given(name.name, found)
                    if found.constant is None or not isinstance(found.type, Scalar | NumberType | SetLiteralType):
                        raise self.sources.error("the value of a constant is a constant", value.span)
                    scope.declare(name.name, ConstantEntity(found.constant, found.type), name.span)
                case syntax.TypeDeclaration(name, syntax.ChannelOf() as type_):
                    # Its messages may carry ports of the type itself.
                    channel = ChannelType(name.name, {})
                    scope.declare(name.name, TypeEntity(channel), name.span)
                    made = expressions.type_of(type_)
                    assert isinstance(made, ChannelType)
                    channel.messages = made.messages
                case syntax.TypeDeclaration(name, type_):
                    scope.declare(name.name, TypeEntity(self._named(expressions, type_, name.name)), name.span)
                case syntax.VariableDeclaration():
                    variables += self._variables(declaration, expressions, scope, level, module)
                case syntax.ProcessDeclaration():
                    later.append(self._process_name(declaration, scope, level))
        shown: list[Shown] = []
        for variable in variables:
            variable.offset = frame.add(variable.type)
            qualified = level == 0 and len(self.pending) > 1
            self._show(
                shown, f"{module}.{variable.name}" if qualified else variable.name, variable.type, variable.offset
            )
        for entity, inner in later:
            self._process(entity, inner, module, outer)
        return shown

    def _require_no_exports(self, declarations: Sequence[syntax.Declaration]) -> None:
        for declaration in declarations:
            names = declaration.names if isinstance(declaration, syntax.VariableDeclaration) else (declaration.name,)
            for name in names:
                if name.exported:
                    raise self.sources.error("only a module exports: leave out the *", name.span)

    def _given(self, name: str, found: Typed) -> Typed:
        """The value that somebody asked for in place of the one in the text."""
        text = self.given.pop(name)
        try:
            value = int(text)
        except ValueError:
            raise ModelError(f"-D {name}={text}: the value of a constant is a number") from None
        if isinstance(found.type, Scalar) and not found.type.low <= value <= found.type.high:
            raise ModelError(f"-D {name}={text}: the value is out of the range of {found.type.name}")
        return Typed(Constant(value), found.type)

    @staticmethod
    def _named(expressions: Expressions, node: syntax.TypeSyntax, name: str) -> Type | ChannelType:
        found = expressions.type_of(node, name)
        if isinstance(found, PortType) and not found.direction:
            return found.channel  # another name of a channel type
        return found

    def _variables(
        self,
        node: syntax.VariableDeclaration,
        expressions: Expressions,
        scope: Scope,
        level: int,
        module: str,
    ) -> list[VariableEntity]:
        """The variables of a declaration, but for those of SYSTEM still without a place."""
        type_ = expressions.data_type(node.type)
        if node.is_port and not _is_port(type_):
            raise self.sources.error(f"PORT declares ports; {type_} is no channel type", node.type.span)
        is_system = module == "SYSTEM"
        found = [VariableEntity(name.name, type_, level, -1, is_system=is_system) for name in node.names]
        for name, entity in zip(node.names, found, strict=True):
            scope.declare(name.name, entity, name.span)
        return [] if is_system else found

    def _process_name(self, node: syntax.ProcessDeclaration, scope: Scope, level: int) -> tuple[ProcessEntity, Scope]:
        """The process with its parameters, before any body is looked at."""
        if node.is_property:
            if level:
                raise self.sources.error("a PROPERTY is declared by a module, not inside a process", node.span)
            for inner_node in node.declarations:
                if isinstance(inner_node, syntax.ProcessDeclaration):
                    raise self.sources.error("a PROPERTY has no processes of its own", inner_node.span)
            number = -1
        else:
            number = len(self.processes)
            self.processes.append(None)
            if number > _MOST_PROCESS_TYPES:
                raise self.sources.error("the program has too many processes", node.span)
        entity = ProcessEntity(node.name.name, number, level + 1, node)
        scope.declare(node.name.name, entity, node.name.span)
        inner = Scope(scope, self.sources)
        expressions = self._expressions(scope, level)
        offset = self._header(level > 0)
        for parameter in node.parameters:
            if parameter.name.exported:
                raise self.sources.error("only a module exports: leave out the *", parameter.name.span)
            type_ = expressions.data_type(parameter.type)
            entity.parameters.append((parameter.name.name, type_, parameter.by_reference, offset))
            inner.declare(
                parameter.name.name,
                VariableEntity(parameter.name.name, type_, level + 1, offset, parameter.by_reference),
                parameter.name.span,
            )
            offset += REFERENCE_BYTES if parameter.by_reference else size_of(type_)
        return entity, inner

    def _process(self, entity: ProcessEntity, scope: Scope, module: str, outer: int) -> None:
        node = entity.declaration
        nested = entity.level > 1
        frame = Frame(self._header(nested))
        shown: list[Shown] = []
        for name, type_, by_reference, offset in entity.parameters:
            frame.size = offset + (REFERENCE_BYTES if by_reference else size_of(type_))
            if by_reference:
                shown.append(Shown(name, PREDEFINED["INT32"], offset, name, offset, True))
            else:
                frame.ports += [at for _, at, scalar in scalars(type_, "", offset) if scalar.kind == "port"]
                self._show(shown, name, type_, offset)
        shown += self.declare(node.declarations, scope, entity.level, module, frame, entity.number)
        code = Code(self.statements)
        statements = self._body(node.name.name, scope, entity.level, code, frame, node.is_property, node.body)
        statements.body(node.body, node.name.span)
        made = self._made(
            entity.name, entity.number, code, frame, shown, node.name.span, nested, statements.starts_others
        )
        made.outer = outer
        if node.is_property:
            self.properties.append(Property(entity.name, made, node.name.span))
        else:
            self.processes[entity.number] = made

    def _body(
        self,
        name: str,
        scope: Scope,
        level: int,
        code: Code,
        frame: Frame,
        is_property: bool,
        body: Sequence[syntax.Statement],
    ) -> Statements:
        mentioned = set(_argument_roots(body))
        return Statements(
            name,
            self._expressions(scope, level),
            code,
            frame,
            self.queues,
            self.fine,
            is_property,
            lambda entity: entity.name in mentioned,
        )

    def _header(self, nested: bool) -> int:
        """The size of what comes before the variables: control, parent, static link, next."""
        return 3 + int(nested) + int(self.queues is Queues.KERNEL)

    def _made(
        self,
        name: str,
        number: int,
        code: Code,
        frame: Frame,
        shown: list[Shown],
        span: Span,
        nested: bool,
        starts_others: bool,
    ) -> ProcessType:
        lay_out(code.instructions, frame, self.queues)
        if frame.size > LARGEST_RECORD:
            raise self.sources.error(f"the variables of {name} have more than {LARGEST_RECORD:,} bytes", span)
        return ProcessType(
            name,
            number,
            code.instructions,
            code.labels,
            frame.size,
            frame.ports,
            shown,
            span,
            link=3 if nested else -1,
            next=3 + int(nested) if self.queues is Queues.KERNEL else -1,
            starts_others=starts_others,
        )


def read_text(path: str) -> str:
    """The text of a file: UTF-8 where it is, else Latin-1."""
    try:
        if os.path.getsize(path) > LONGEST_TEXT:
            raise ModelError(f"{path} has more than {LONGEST_TEXT:,} bytes, which is too long for a module")
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}") from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").lstrip("\ufeff")


def _interface(module: syntax.Module, scope: Scope) -> ModuleEntity:
    """What others see: what is marked with ``*``; where nothing is, all but variables."""
    marked: set[str] = set()
    for declaration in module.declarations:
        names = declaration.names if isinstance(declaration, syntax.VariableDeclaration) else (declaration.name,)
        marked |= {one.name for one in names if one.exported}
    if not marked:
        marked = {
            name
            for name, entity in scope.names.items()
            if not isinstance(entity, VariableEntity) or isinstance(entity.type, PortType)
        }
    exports = {name: entity for name, entity in scope.names.items() if name in marked}
    return ModuleEntity(module.name, exports, frozenset(scope.names) - frozenset(exports))


def _argument_roots(statements: Sequence[syntax.Statement]) -> Iterator[str]:
    """The names of variables that are arguments of processes, and so may be passed by reference."""
    for statement in statements:
        match statement:
            case syntax.Call(_, arguments, _, _):
                for argument in arguments:
                    node = argument
                    while isinstance(node, syntax.Field | syntax.Indexed):
                        node = node.of
                    if isinstance(node, syntax.Name):
                        yield node.text
            case syntax.If(branches, _):
                for _, body in branches:
                    yield from _argument_roots(body)
            case syntax.While(_, body, _) | syntax.Repeat(body, _, _):
                yield from _argument_roots(body)
            case syntax.For(body=body):
                yield from _argument_roots(body)
            case syntax.Select(clauses, _):
                for clause in clauses:
                    yield from _argument_roots(clause.body)
            case syntax.Choice(choices, _, _):
                for body in choices:
                    yield from _argument_roots(body)
            case _:
                pass


def _is_port(type_: Type) -> bool:
    while isinstance(type_, ArrayType):
        type_ = type_.element
    return isinstance(type_, PortType)
