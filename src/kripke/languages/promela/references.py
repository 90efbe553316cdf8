"""References to processes: `ref`, `public`, `_lid`, `anyRef` and `_undef_ref` made plain.

An extension of the language for processes that are alike (F. Derepas, P. Gastin, *Model checking systems of replicated
processes with SPIN*, SPIN 2001): a variable of type `ref P` holds one of the processes of `active [n] proctype P`, or
none. References can be copied, put into messages, and compared with `==` and `!=`, and nothing else: nothing can tell
one process from another then, and the symmetry of the model is known. Here every rule is checked, and then

    `_lid`, a reference    is the number of the process (`_pid`), `_undef_ref` one that no process has
    `public T v` in P      is an array with an element for every process; `v` is `_pid`'s and `P[r].v` that of `r`
    `r = anyRef(P)`        is a choice of assignments, one for every process of P
"""

from __future__ import annotations

from typing import Any

from kripke.languages.promela import syntax
from kripke.languages.promela.node import Node, walk
from kripke.model.source import ModelError, Sources, Span

#: no process has this number
UNDEFINED = 255

_COMPARISONS = ("==", "!=")
_LOGIC = ("&&", "||", "->", "<->")
#: the names of variables with their types; of a channel also the types of a message
_Names = dict[str, tuple[syntax.TypeName, syntax.Variable]]


class References:
    """Knows the families of a module: proctypes of which several processes are there from the start."""

    def __init__(self, items: tuple[syntax.Item, ...], sources: Sources) -> None:
        self._sources = sources
        self._first: dict[str, int] = {}
        self._count: dict[str, int] = {}
        self._globals: _Names = {}
        self._locals: dict[str, _Names] = {}
        self._publics: dict[str, _Names] = {}
        self._parameters: dict[str, tuple[syntax.TypeName, ...]] = {}
        self._process: str | None = None
        self._in_step = False
        self._collect(items)
        #: the names of processes by their numbers, for each proctype
        self.names = {
            name: {UNDEFINED: "none"} | {self._first[name] + i: f"{name}[{i}]" for i in range(self._count[name])}
            for name in self._count
        }

    def _fail(self, message: str, span: Span, hint: str | None = None) -> ModelError:
        return self._sources.error(message, span, hint)

    # --- what there is ------------------------------------------------------------------------------------------------

    def _collect(self, items: tuple[syntax.Item, ...]) -> None:
        next_pid = 0
        for item in items:
            match item:
                case syntax.Declaration():
                    if item.visibility == "public":
                        raise self._fail("a public variable belongs to a proctype", item.span)
                    self._declare(self._globals, item)
                case syntax.Typedef(_, fields):
                    for field in fields:
                        if field.type.name == "ref":
                            raise self._fail("a reference cannot be a field of a structure", field.span)
                case syntax.Init():
                    self._locals["init"], self._publics["init"] = {}, {}
                    self._declare_body("init", item.body)
                    next_pid += 1
                case syntax.Proctype():
                    self._first[item.name] = next_pid
                    self._count[item.name] = self._instances(item)
                    next_pid += self._count[item.name]
                    self._locals[item.name], self._publics[item.name] = {}, {}
                    for parameter in item.parameters:
                        self._declare(self._locals[item.name], parameter)
                        if parameter.type.name == "ref" and item.active is not None:
                            raise self._fail("an active proctype gets no references as parameters", parameter.span)
                    self._parameters[item.name] = tuple(
                        parameter.type for parameter in item.parameters for _ in parameter.variables
                    )
                    self._declare_body(item.name, item.body)
                case _:
                    pass
        for node in (node for item in items for node in walk(item)):
            if isinstance(node, syntax.TypeName) and node.name == "ref":
                self._family(node.subtype or "", node.span)

    def _declare_body(self, process: str, body: tuple[syntax.Statement, ...]) -> None:
        for node in walk(body):
            if isinstance(node, syntax.DeclarationStatement):
                public = node.declaration.visibility == "public"
                if public and (process == "init" or not node.initial or node not in body):
                    raise self._fail("public variables are declared at the start of a proctype", node.span)
                self._declare(self._publics[process] if public else self._locals[process], node.declaration)
                if public:
                    self._family(process, node.span)

    def _declare(self, names: _Names, declaration: syntax.Declaration) -> None:
        for variable in declaration.variables:
            if declaration.visibility == "public" and variable.size is not None:
                raise self._fail("a public variable cannot be an array", variable.span)
            names[variable.name] = declaration.type, variable

    def _instances(self, item: syntax.Proctype) -> int:
        if item.active is None:
            return 0
        from kripke.languages.promela.lowering.declarations import DeclarationLowering, Storage
        from kripke.languages.promela.lowering.expressions import Context
        from kripke.languages.promela.lowering.symbols import Scope
        from kripke.languages.promela.lowering.table import StatementTable
        from kripke.process.program import Scope as Reach

        context = Context(self._sources, StatementTable(self._sources))
        declarations = DeclarationLowering(context, Storage(Reach.GLOBAL))
        return declarations.constant(item.active, "the number of instances", Scope(None))

    def _family(self, name: str, span: Span) -> str:
        if self._count.get(name, 0) < 1:
            hint = "references are to processes that are there from the start: active [n] proctype"
            raise self._fail(f"there are no processes of '{name}' to refer to", span, hint)
        return name

    # --- what an expression refers to ---------------------------------------------------------------------------------

    def _referred(self, node: object) -> str | None:
        """The proctype of a reference; "" of one that refers to nothing; None of a number."""
        match node:
            case syntax.Reference("_lid"):
                if self._process is None:
                    raise self._fail("'_lid' has no meaning outside a process", node.span)
                return self._family(self._process, node.span)
            case syntax.Reference("_undef_ref"):
                return ""
            case syntax.AnyReference(process):
                return self._family(process, node.span)
            case syntax.Reference():
                found = self._type(node)
                return found[0].subtype if found is not None and found[0].name == "ref" else None
            case syntax.Eval(inner):
                return self._referred(inner)
            case _:
                return None

    def _type(self, node: syntax.Reference) -> tuple[syntax.TypeName, syntax.Variable] | None:
        if self._is_public(node):
            assert node.field is not None
            return self._publics[node.name].get(node.field.name)
        if self._process is not None:
            for names in (self._locals[self._process], self._publics[self._process]):
                if node.name in names:
                    return names[node.name]
        return self._globals.get(node.name)

    def _is_public(self, node: syntax.Reference) -> bool:
        """`P[r].v`"""
        if node.name not in self._publics or node.index is None or node.field is None:
            return False
        return node.name not in self._globals and node.name not in self._locals.get(self._process or "", {})

    def _message(self, channel: syntax.Reference) -> tuple[syntax.TypeName, ...] | None:
        """The types of the fields of a channel's messages; None where that is not known here."""
        found = self._type(channel)
        if found is None or not isinstance(found[1].initial, syntax.ChannelInitializer):
            return None
        return found[1].initial.message

    def _check(self, wanted: str | None, value: Node, where: str) -> None:
        """May this value go where a reference (None: a number) is wanted?"""
        given = self._referred(value)
        if wanted is None and given is not None:
            raise self._fail(f"a reference to a process cannot go into {where}, which is no reference", value.span)
        if wanted is not None and given not in (wanted, ""):
            hint = f"_undef_ref, anyRef({wanted}), _lid inside {wanted} and variables of type ref {wanted} are"
            raise self._fail(f"this is no reference to a process of '{wanted}', as {where} is", value.span, hint)

    # --- the plain program --------------------------------------------------------------------------------------------

    def items(self, items: tuple[syntax.Item, ...]) -> tuple[syntax.Item, ...]:
        plain: list[syntax.Item] = []
        for item in items:
            self._process = None
            if isinstance(item, syntax.Proctype):
                plain += self._arrays(item)
                self._process = item.name
            elif isinstance(item, syntax.Init):
                self._process = "init"
            plain.append(self._plain(item))
        self._process = None
        return tuple(plain)

    def expression(self, expression: syntax.Expression) -> syntax.Expression:
        """One that is asked about the module."""
        return self._plain(expression)  # type: ignore[no-any-return]

    def _arrays(self, item: syntax.Proctype) -> list[syntax.Declaration]:
        size = self._first[item.name] + self._count[item.name]
        found = []
        for name, (type_, variable) in self._publics[item.name].items():
            initial = variable.initial
            if type_.name == "ref":
                initial = self._start(type_, variable)
            elif initial is not None:
                self._process = item.name
                initial = self._plain(initial)
                self._process = None
            count = syntax.Constant(size, str(size), span=variable.span)
            array = syntax.Variable(f"{item.name}.{name}", count, variable.width, initial, span=variable.span)
            found.append(syntax.Declaration(type_, (array,), span=variable.span))
        return found

    def _start(self, type_: syntax.TypeName, variable: syntax.Variable) -> Any:
        """Where nothing else is said, a reference starts as one to nothing."""
        if variable.initial is None:
            return syntax.Constant(UNDEFINED, "_undef_ref", span=variable.span)
        if isinstance(variable.initial, (syntax.ArrayInitializer, syntax.ChannelInitializer, syntax.AnyReference)):
            raise self._fail("a reference cannot start like this", variable.span)
        self._check(type_.subtype, variable.initial, f"'{variable.name}'")
        return self._plain(variable.initial)

    def _plain(self, node: Any) -> Any:
        if isinstance(node, tuple):
            return tuple(self._plain(one) for one in node if not _is_public_declaration(one))
        if not isinstance(node, Node):
            return node
        match node:
            case syntax.Reference():
                return self._reference(node)
            case syntax.AnyReference(_, None):
                raise self._fail("anyRef can only be assigned: r = anyRef(P)", node.span)
            case syntax.Declaration(type_, variables) if type_.name == "ref":
                started = tuple(
                    syntax.Variable(one.name, self._plain(one.size), None, self._start(type_, one), span=one.span)
                    for one in variables
                )
                return syntax.Declaration(type_, started, node.visibility, span=node.span)
            case syntax.Proctype(parameters=parameters) if any(one.type.name == "ref" for one in parameters):
                return self._rebuilt(node, {"parameters"})
            case syntax.Assignment(target, syntax.AnyReference(process, None) as value):
                self._check(self._referred(target), value, f"'{target.name}'")
                return self._choice(node, process)
            case syntax.Assignment(target, value):
                self._check(self._referred(target), value, f"'{target.name}'")
            case syntax.Binary(operator, left, right) if operator in _COMPARISONS:
                sides = self._referred(left), self._referred(right)
                fits = sides[0] == sides[1] or (None not in sides and "" in sides)
                if not fits or any(isinstance(side, syntax.AnyReference) for side in (left, right)):
                    hint = "with _undef_ref, _lid or a ref of the same proctype"
                    raise self._fail("a reference can only be compared with another of its kind", node.span, hint)
            case syntax.Binary(operator, left, right) if operator not in _LOGIC:
                for side in (left, right):
                    if self._referred(side) is not None:
                        raise self._fail(
                            f"references cannot be operands of '{operator}'", side.span, "only of == and !="
                        )
            case syntax.Unary(operator, operand) if self._referred(operand) is not None:
                raise self._fail(f"a reference cannot be the operand of '{operator}'", node.span)
            case syntax.Conditional(_, then, otherwise):
                for side in (then, otherwise):
                    self._check(None, side, "a conditional expression")
            case syntax.Increment(target) | syntax.Decrement(target) if self._referred(target) is not None:
                raise self._fail("references are not counted", node.span)
            case syntax.For(variable) | syntax.ForIn(variable) | syntax.Select(variable):
                if self._referred(variable) is not None:
                    raise self._fail("references are not counted", node.span, "r = anyRef(P) chooses one")
            case syntax.Send(channel, arguments):
                self._fields(channel, arguments)
                if node.sorted and any(self._referred(argument) is not None for argument in arguments):
                    raise self._fail("messages cannot be sorted by references", node.span, "use '!'")
            case syntax.Receive(channel, arguments) | syntax.Poll(channel, arguments):
                self._fields(channel, arguments)
            case syntax.Run(process, arguments):
                for type_, argument in zip(self._parameters.get(process, ()), arguments, strict=False):
                    self._check(type_.subtype if type_.name == "ref" else None, argument, "this parameter")
            case syntax.RemoteLabel(process, pid) | syntax.RemoteVariable(process, pid) if pid is not None:
                if self._referred(pid) is not None:
                    self._check(process, pid, "what stands in the brackets")
            case syntax.ExpressionStatement(expression) if self._referred(expression) is not None:
                raise self._fail("a reference is no condition", node.span, "compare it with _undef_ref")
            case syntax.Printf(text, arguments):
                return syntax.Printf(text, tuple(self._printed(one) for one in arguments), span=node.span)
            case syntax.DStep():
                before, self._in_step = self._in_step, True
                found = self._rebuilt(node)
                self._in_step = before
                return found
            case _:
                pass
        return self._rebuilt(node)

    def _printed(self, argument: syntax.Expression) -> Any:
        """`_lid` is printed as the number among the processes of the proctype, from 0."""
        plain = self._plain(argument)
        if isinstance(argument, syntax.Reference) and argument.name == "_lid" and self._process is not None:
            first = syntax.Constant(self._first[self._process], span=argument.span)
            return syntax.Binary("-", plain, first, span=argument.span)
        return plain

    def _rebuilt(self, node: Node, untouched: set[str] | None = None) -> Any:
        values = [
            getattr(node, name) if untouched and name in untouched else self._plain(getattr(node, name))
            for name in node.__match_args__
        ]
        return type(node)(*values, span=node.span)

    def _choice(self, node: syntax.Assignment, process: str) -> syntax.If:
        if self._in_step:
            raise self._fail("anyRef is a choice, and a d_step makes none", node.span, "use atomic")
        target = self._plain(node.target)
        first = self._first[process]
        return syntax.If(
            tuple(
                syntax.Option(
                    (
                        syntax.Assignment(
                            target, syntax.AnyReference(process, first + i, span=node.value.span), span=node.span
                        ),
                    ),
                    span=node.span,
                )
                for i in range(self._count[process])
            ),
            span=node.span,
        )

    def _reference(self, node: syntax.Reference) -> Any:
        own = syntax.Reference("_pid", span=node.span)
        if node.name == "_lid":
            self._referred(node)
            return own
        if node.name == "_undef_ref":
            return syntax.Constant(UNDEFINED, "_undef_ref", span=node.span)
        if self._is_public(node):
            assert node.index is not None and node.field is not None
            variable = node.field
            if variable.name not in self._publics[node.name]:
                raise self._fail(f"'{node.name}' has no public variable '{variable.name}'", variable.span)
            self._check(node.name, node.index, "what stands in the brackets")
            index = self._plain(node.index)
            return syntax.Reference(f"{node.name}.{variable.name}", index, self._plain(variable.field), span=node.span)
        process = self._process
        if process is not None and node.name in self._publics[process] and node.name not in self._locals[process]:
            return syntax.Reference(f"{process}.{node.name}", own, self._plain(node.field), span=node.span)
        if node.index is not None and self._referred(node.index) is not None:
            hint = "what belongs to a process is a public variable of its proctype"
            raise self._fail("a reference cannot be a subscript", node.index.span, hint)
        return self._rebuilt(node, {"field"}) if node.field is None else self._rebuilt(node)

    def _fields(self, channel: syntax.Reference, arguments: tuple[Any, ...]) -> None:
        types = self._message(channel)
        if types is None:
            for argument in arguments:
                if self._referred(argument) is not None:
                    hint = "name the channel itself"
                    raise self._fail("it is not known here that this channel carries references", argument.span, hint)
            return
        for type_, argument in zip(types, arguments, strict=False):
            if isinstance(argument, syntax.Reference) and argument.name == "_":
                continue
            self._check(type_.subtype if type_.name == "ref" else None, argument, "this field of the message")


def _is_public_declaration(node: object) -> bool:
    return isinstance(node, syntax.DeclarationStatement) and node.declaration.visibility == "public"
