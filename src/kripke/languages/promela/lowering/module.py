"""A whole Promela model: declarations first, then bodies; the family builds the program from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kripke.languages.promela import syntax
from kripke.languages.promela.lowering.claims import ClaimLowering
from kripke.languages.promela.lowering.control import ControlFlow, make_observable
from kripke.languages.promela.lowering.declarations import DeclarationLowering, Storage
from kripke.languages.promela.lowering.expressions import Context, ExpressionLowering
from kripke.languages.promela.lowering.numbers import elements_of
from kripke.languages.promela.lowering.statements import Body, BodyLowering, check_priority
from kripke.languages.promela.lowering.symbols import BASIC_TYPES, Scope, StructType
from kripke.languages.promela.lowering.table import StatementTable
from kripke.languages.promela.node import Node, walk
from kripke.model.model import FairnessConstraint
from kripke.model.property import Temporal
from kripke.model.source import NOWHERE, Diagnostic, Span
from kripke.process.build import Body as BuiltBody
from kripke.process.build import Text, Unbuildable, build
from kripke.process.expressions import Expression, IntType
from kripke.process.flow import Graph
from kripke.process.passes import Passes
from kripke.process.program import (
    MAX_PROCESSES,
    InitialProcess,
    ProcessType,
    Program,
    Variable,
)
from kripke.process.program import Scope as Reach

if TYPE_CHECKING:
    from kripke.languages.promela.asn1.importing import Imported
    from kripke.process.events import EventMonitor, EventRecord

_MAX_MTYPE = 255


@dataclass(slots=True)
class _Process:
    """A process type on its way through the lowering."""

    type: ProcessType
    item: syntax.Proctype | syntax.Init
    storage: Storage
    scope: Scope
    instances: int
    body: Body | None = None
    graph: Graph | None = None


@dataclass(frozen=True, slots=True)
class Lowered:
    """The result: ``value_names`` are the mtype values, for printing."""

    program: Program
    warnings: tuple[Diagnostic, ...]
    value_names: dict[int, str]
    properties: tuple[Temporal, ...]
    fairness_constraints: tuple[FairnessConstraint, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be checked beside what the model says, each with its text: invariants, formulas, never claims."""

    invariants: tuple[tuple[str, syntax.Expression], ...] = ()
    formulas: tuple[tuple[str, syntax.Expression], ...] = ()
    claims: tuple[tuple[str, syntax.Never], ...] = ()
    values: int | None = None
    events: bool = False
    input: str | None = None


def lower(module: syntax.Module, asked: Asked, passes: Passes, *, allow_c: bool = False) -> Lowered:
    """Make a process program of a syntax tree. An invariant becomes an atom with its text as its name.

    ``allow_c``: C code in the model may be compiled and run; otherwise a model that has any is refused.
    """
    return _ModuleLowering(module, passes, allow_c).lower(asked)


#: What ``_predefined`` looks at.
_TELLING = frozenset(
    (
        syntax.Labelled,
        syntax.Proctype,
        syntax.Init,
        syntax.Run,
        syntax.SetPriority,
        syntax.ProcessQuery,
        syntax.RemoteVariable,
        syntax.Reference,
    )
)


class _ModuleLowering:
    def __init__(self, module: syntax.Module, passes: Passes, allow_c: bool) -> None:
        self.module = module
        self.passes = passes
        self.context = Context(module.sources, StatementTable(module.sources), list(module.warnings))
        self.context.allow_c = allow_c
        self.context.references = module.references
        self.nodes = [(item, list(walk(item))) for item in module.items]
        self.context.assigned = frozenset(_assigned_names(node for _, nodes in self.nodes for node in nodes))
        self.scope = Scope(None)
        self.storage = Storage(Reach.GLOBAL)
        self.processes: list[_Process] = []
        self.last: Variable | None = None
        self.labels: set[str] = set()
        self.mentioned: set[Variable] = set()  # in claims
        self.temporal = False
        self.monitor: EventMonitor | None = None
        self.record: EventRecord | None = None
        self.may_merge, self.may_reset = True, True

    def lower(self, asked: Asked) -> Lowered:
        # Statement 0 stands for the start of the model.
        self.context.table.add_unnumbered(NOWHERE, "", "start")
        outside = (*asked.invariants, *asked.formulas, *asked.claims)
        self._predefined(node for _, node in outside)
        self._mtypes()
        if asked.input is not None:
            from kripke.languages.promela.lowering.standard_input import provide_input

            provide_input(self.scope, self.storage, asked.input)
        self._global_items()
        self._message_types()
        if not any(process.instances for process in self.processes):
            message = "nothing runs: the model has no init and no active proctype"
            raise self.context.fail(message, self.module.span)
        self._expect_responses()
        self._lower_bodies()
        atoms = {text: self._invariant(expression) for text, expression in asked.invariants}
        properties = self._claims(asked, atoms)
        self.temporal = bool(properties)
        self._observe_labels()
        self._check_combinations()
        program = self._program(atoms)
        constraints: tuple[FairnessConstraint, ...] = ()
        if asked.events:
            from kripke.languages.promela.lowering.fairness import add_events

            written = [
                (process.type, label, node.span)
                for process in self.processes
                for statement in process.item.body
                for node in walk(statement)
                if isinstance(node, syntax.Labelled)
                for label in node.labels
            ]
            constraints = add_events(program, written, self.context.fail)
        # Values of different sets of names can be equal: as in SPIN, the set that comes first has the say.
        names = {value: name for name, value in reversed(self.context.mtypes.items())}
        return Lowered(program, tuple(self.context.warnings), names, properties, constraints)

    # --- declarations -------------------------------------------------------------------------------------------------

    def _predefined(self, outside: Iterable[Node]) -> None:
        """Predefined names that are variables, where the model uses them; constructs that rule passes out.

        As in SPIN, nothing is merged or reset where local variables are looked at from outside, and nothing is merged
        where a process waits for a ``provided`` condition between any two statements.
        """
        for item, nodes in (*self.nodes, *((item, list(walk(item))) for item in outside)):
            in_process = isinstance(item, (syntax.Proctype, syntax.Init))
            for node in nodes:
                if type(node) not in _TELLING:
                    continue
                match node:
                    case syntax.RemoteVariable():
                        self.may_merge, self.may_reset = False, False
                    case syntax.Proctype() if node.provided is not None:
                        self.may_merge = False
                match node:
                    case syntax.Labelled() if in_process:
                        self.labels.update(node.labels)
                    case syntax.Proctype() | syntax.Init() | syntax.Run() if node.priority is not None:
                        self.context.priorities = True
                    case syntax.SetPriority() | syntax.ProcessQuery(operator="get_priority"):
                        self.context.priorities = True
                    case syntax.Reference(name="_priority"):
                        self.context.priorities = True
                    case syntax.Reference(name="_last") if self.last is None:
                        declarations = DeclarationLowering(self.context, self.storage)
                        self.last = declarations.declare_known("_last", BASIC_TYPES["pid"], self.scope, node.span)
                    case _:
                        pass

    def _has_label(self, start: str) -> bool:
        """Has a process a label that begins like this?"""
        return any(label.startswith(start) for label in self.labels)

    def _check_combinations(self) -> None:
        """What SPIN does not define, neither do we."""
        if not self.context.rendezvous:
            return
        hint = "give the channels a capacity of at least 1"
        if self.context.priorities:
            message = "process priorities cannot be combined with rendezvous channels"
            raise self.context.fail(message, self.module.span, hint)
        if self.context.enabled is not None:
            message = "'enabled()' cannot be combined with rendezvous channels"
            raise self.context.fail(message, self.context.enabled, hint)

    def _mtypes(self) -> None:
        """Values count from 1, the last name of a declaration first, as SPIN numbers them; per subtype."""
        used: dict[str | None, int] = {}
        for item in self.module.items:
            if not isinstance(item, syntax.MtypeDeclaration):
                continue
            value = used.get(item.subtype, 0)
            for name in reversed(item.names):
                if name in self.context.mtypes:
                    raise self.context.fail(f"mtype value '{name}' is declared twice", item.span)
                value += 1
                self.context.mtypes[name] = value
                self.context.mtype_names.setdefault(item.subtype, {})[value] = name
            used[item.subtype] = value
            if value > _MAX_MTYPE:
                raise self.context.fail(f"more than {_MAX_MTYPE} mtype values", item.span)

    def _global_items(self) -> None:
        declarations = DeclarationLowering(self.context, self.storage)
        for item in self.module.items:
            match item:
                case syntax.Import(_, data):
                    self._import(data)
                case syntax.Typedef():
                    declarations.typedef(item)
                case syntax.Declaration():
                    declarations.declare(item, self.scope)
                case syntax.Proctype() | syntax.Init():
                    self._declare_process(item)
                case syntax.CDeclaration() | syntax.CCode() | syntax.CState() | syntax.CTrack():
                    self.context.c_code(item.span).item(item)
                case syntax.Inline(_, parameters):
                    # SPIN reads the names of the parameters as if they were arguments.
                    for name in parameters:
                        if name in self.scope.symbols:
                            self.scope.symbols[name].read = True
                case _:
                    pass

    def _import(self, data: Imported) -> None:
        from kripke.languages.promela.lowering.data import DataTypes

        if self.context.data is None:
            self.context.data = DataTypes()
        self.context.data.add(data, self.context)

    def _message_types(self) -> None:
        """The fields of the messages of all channels, also of those that processes declare."""
        if self.context.data is None:
            return
        declarations = DeclarationLowering(self.context, self.storage)
        for _, nodes in self.nodes:
            for node in nodes:
                if isinstance(node, syntax.ChannelInitializer):
                    self.context.messages.append(declarations.message(node)[0])

    def _declare_process(self, item: syntax.Proctype | syntax.Init) -> None:
        name = "init" if isinstance(item, syntax.Init) else item.name
        if name in self.context.processes:
            what = "a second 'init'" if isinstance(item, syntax.Init) else f"process type '{name}' is declared twice"
            raise self.context.fail(what, item.span)
        check_priority(self.context, item.priority, item.span)
        type_ = ProcessType(name, span=item.span)
        process = _Process(type_, item, Storage(Reach.LOCAL, name), self.scope.block(), 1)
        declarations = DeclarationLowering(self.context, process.storage)
        if self.context.priorities:
            byte = BASIC_TYPES["byte"]
            priority = declarations.declare_known("_priority", byte, process.scope, item.span, kept=True)
            type_.parameters = (priority,)
        if isinstance(item, syntax.Proctype):
            process.instances = self._instances(item)
            self._parameters(process, item)
        self.context.processes[name] = type_
        self.context.process_scopes[name] = process.scope
        self.context.process_items[name] = item
        self.processes.append(process)

    def _instances(self, item: syntax.Proctype) -> int:
        if item.active is None:
            return 0
        declarations = DeclarationLowering(self.context, self.storage)
        count = declarations.constant(item.active, "the number of instances", self.scope)
        if not 0 <= count <= MAX_PROCESSES:
            raise self.context.fail(f"at most {MAX_PROCESSES} processes can run, not {count}", item.span)
        return count

    def _parameters(self, process: _Process, item: syntax.Proctype) -> None:
        declarations = DeclarationLowering(self.context, process.storage)
        parameters: list[Variable] = []
        for declaration in item.parameters:
            for symbol, variable in declarations.declare(declaration, process.scope, makes_channels=False):
                if symbol.count is not None or (isinstance(symbol.type, StructType) and symbol.type.has_array()):
                    raise self.context.fail("a parameter cannot be an array or have one in it", variable.span)
                if symbol.variable is None or variable.initial is not None:
                    raise self.context.fail("a parameter has no start value", variable.span)
                parameters.append(symbol.variable)
        process.type.parameters += tuple(parameters)

    # --- bodies -------------------------------------------------------------------------------------------------------

    def _lower_bodies(self) -> None:
        """In the order of the text, since that is the order in which SPIN numbers statements."""
        by_item = {id(process.item): process for process in self.processes}
        for item in self.module.items:
            if id(item) in by_item:
                self._lower_body(by_item[id(item)])
            elif isinstance(item, syntax.Trace):
                self._lower_trace(item)
            elif isinstance(item, syntax.Never):
                self.context.table.next_number += elements_of(item.body) + 1

    def _expect_responses(self) -> None:
        """Where processes have ``assert_eventually``, somebody has to collect it."""
        nodes = [node for item, below in self.nodes for node in below if not isinstance(item, syntax.Inline)]
        if not any(isinstance(node, syntax.AssertEventually) for node in nodes):
            return
        from kripke.languages.promela.lowering.firings import Firings
        from kripke.languages.promela.lowering.responses import Responses

        started = {node.process for node in nodes if isinstance(node, syntax.Run)}
        pids: dict[str, range] = {}
        first = 0
        for process in self.processes:
            if process.type.name not in started:
                pids[process.type.name] = range(first, first + process.instances)
            first += process.instances
        self.context.firings = Firings(self.context, self.scope)
        self.context.responses = Responses(self.context, self.context.firings, self.scope, pids)

    def _lower_trace(self, item: syntax.Trace) -> None:
        from kripke.languages.promela.lowering.events import EventLowering

        if self.monitor is not None:
            raise self.context.fail("a second trace or notrace assertion", item.span)
        self.monitor = EventLowering(self.context, item, self.scope).monitor()
        self.storage.variables.append(self.monitor.variable)

    def _lower_body(self, process: _Process) -> None:
        self.context.current = process.type
        lowering = BodyLowering(self.context, process.type.name, process.storage, process.scope)
        process.body = lowering.body(process.item.body, _end_of(process.item.span))
        if isinstance(process.item, syntax.Proctype) and process.item.provided is not None:
            condition = ExpressionLowering(self.context, process.scope)
            process.type.provided = condition.expression(process.item.provided)
        process.type.variables = tuple(process.storage.variables)
        process.type.channels = tuple(process.storage.channels)
        process.type.setup = tuple(process.storage.setup)
        self.context.current = None

    def _invariant(self, expression: syntax.Expression) -> Expression:
        return ExpressionLowering(self.context, self.scope, in_process=False).expression(expression)

    def _formula_text(self, span: Span) -> str | None:
        """What stands between the braces: the place of the formula itself does not know the parentheses around it."""
        _, brace, written = self.context.table.text_of(span).partition("{")
        return written[:-1].strip().rstrip("; ") or None if brace and written.endswith("}") else None

    def _claims(self, asked: Asked, atoms: dict[str, Expression]) -> tuple[Temporal, ...]:
        """Never claims and formulas, of the model and asked for; what labels in processes stand for."""
        lowering = ClaimLowering(self.context, self.scope, atoms, asked.values)
        accept = self._has_label("accept")
        found: list[Temporal] = []
        numbers = {"ltl": 0, "never": 0}
        for item in self.module.items:
            match item:
                case syntax.Ltl(name, formula):
                    text = self._formula_text(item.span)
                    found.append(lowering.ltl(name or f"ltl_{numbers['ltl']}", formula, item.span, text))
                    numbers["ltl"] += 1
                case syntax.Never(name, _):
                    name = name or f"never_{numbers['never']}"
                    found.append(lowering.never(name, item, accept_labels=accept))
                    numbers["never"] += 1
                case syntax.Trace():
                    self._mention(item)
                case _:
                    pass
        if self.context.responses is not None:
            found += self.context.responses.properties(lowering)
        for text, formula in asked.formulas:
            found.append(lowering.ltl(text, formula, formula.span, text))
        for name, claim in asked.claims:
            found.append(lowering.never(name, claim, accept_labels=accept))
        if accept:
            found.append(lowering.acceptance())
        if self._has_label("progress"):
            found.append(lowering.progress())
        self._refuse_twice(found)
        if self.context.firings is not None and self.context.firings.events:
            self.record = self.context.firings.record()
            self.storage.variables.append(self.record.variable)
        return tuple(found)

    def _refuse_twice(self, properties: list[Temporal]) -> None:
        seen: set[str] = set()
        for property_ in properties:
            if property_.name in seen:
                raise self.context.fail(f"there are two properties named '{property_.name}'", property_.span)
            seen.add(property_.name)

    def _mention(self, node: Node) -> None:
        for part in walk(node):
            if isinstance(part, syntax.Reference):
                symbol = self.scope.symbols.get(part.name)
                if symbol is not None:
                    symbol.read = True
                    if symbol.variable is not None:
                        self.mentioned.add(symbol.variable)
            elif isinstance(part, syntax.RemoteLabel) and part.process in self.context.processes:
                ExpressionLowering(self.context, self.scope).expression(part)

    def _observe_labels(self) -> None:
        for pending in self.context.pending_labels:
            body = next(p.body for p in self.processes if p.type.name == pending.process)
            assert body is not None
            elements = body.labels.named(pending.label)
            if not elements:
                message = f"'{pending.process}' has no label '{pending.label}'"
                raise self.context.fail(message, pending.span)
            for element in elements:
                body.elements += 1
                make_observable(body.sequence, element, body.elements)

    # --- the program --------------------------------------------------------------------------------------------------

    def _program(self, atoms: dict[str, Expression]) -> Program:
        control = {id(process): ControlFlow(self.context.fail) for process in self.processes}
        for process in self.processes:
            assert process.body is not None
            for element, touched in process.body.touched:
                element.shared = touched.is_shared()
            process.graph = control[id(process)].graph(process.body.sequence)
        program = Program(
            self.module.file,
            tuple(self.storage.variables),
            tuple(self.storage.channels),
            tuple(process.type for process in self.processes),
            self._initial(),
            tuple(self.context.table.statements),
            tuple(self.storage.setup),
            priorities=self.context.priorities,
            last=self.last,
            monitor=self.monitor,
            record=self.record,
        )
        if self.context.embedding is not None:
            scopes = [(process.type, process.scope) for process in self.processes]
            self.context.embedding.finish(program, self.scope, scopes)
        bodies = [self._built(process, control[id(process)]) for process in self.processes]
        text = Text(
            atoms,
            self.mentioned,
            self.temporal,
            self._write_only(),
            [symbol.variable for symbol in self.storage.hidden if symbol.variable is not None],
            self.context.claims,
            self.context.rendezvous,
            self.may_merge,
            self.may_reset,
        )
        try:
            self.context.warnings += build(program, bodies, text, self.passes)
        except Unbuildable as problem:
            raise self.context.fail(str(problem), problem.span or self.module.span) from None
        return program

    def _built(self, process: _Process, control: ControlFlow) -> BuiltBody:
        assert process.body is not None and process.graph is not None
        labels = {
            -number - 1: [control.node(element) for element in process.body.labels.named(pending.label)]
            for number, pending in enumerate(self.context.pending_labels)
            if pending.process == process.type.name
        }
        deterministic = isinstance(process.item, syntax.Proctype) and process.item.deterministic
        return BuiltBody(process.type, process.graph, deterministic, labels)

    def _write_only(self) -> set[Variable]:
        hidden: set[Variable] = set()
        for symbol in self.scope.symbols.values():
            plain = isinstance(symbol.type, IntType) and not symbol.is_channel
            # pid variables are never left out: SPIN counts the basic types by name.
            if plain and not symbol.read and symbol.variable is not None and symbol.variable is not self.last:
                hidden.add(symbol.variable)
        return hidden

    def _initial(self) -> tuple[InitialProcess, ...]:
        found: list[InitialProcess] = []
        for process in self.processes:
            arguments = (0,) * len(process.type.parameter_scalars())
            if self.context.priorities:
                arguments = (process.item.priority or 1, *arguments[1:])
            found.extend([InitialProcess(process.type, arguments)] * process.instances)
        if len(found) > MAX_PROCESSES:
            message = f"{len(found)} processes run from the start, at most {MAX_PROCESSES} can"
            raise self.context.fail(message, self.processes[-1].item.span)
        return tuple(found)


def _end_of(span: Span) -> Span:
    """The closing brace of a body."""
    return Span(span.file, span.end_line, max(1, span.end_column - 1), span.end_line, span.end_column)


def _assigned_names(nodes: Iterable[Node]) -> Iterator[str]:
    """Names that some statement stores into."""
    for node in nodes:
        if isinstance(node, (syntax.Assignment, syntax.Increment, syntax.Decrement)):
            yield node.target.name
        elif isinstance(node, syntax.Receive):
            for argument in node.arguments:
                if isinstance(argument, syntax.Reference):
                    yield argument.name
        elif isinstance(node, (syntax.For, syntax.ForIn, syntax.Select)):
            yield node.variable.name
