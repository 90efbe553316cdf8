"""The types of declarations: groups that depend on each other, channels, datatypes, modules, annotations."""

from __future__ import annotations

from dataclasses import dataclass, field

from kripke.languages.cspm.parser import Script
from kripke.languages.cspm.program import MOST_INSTANCES
from kripke.languages.cspm.syntax import (
    Annotation,
    Assertion,
    Binary,
    Both,
    Channels,
    Collection,
    Datatype,
    Declaration,
    Dots,
    Expr,
    Function,
    Imported,
    Instance,
    Let,
    Module,
    Name,
    Nametype,
    Node,
    PatternBinding,
    Print,
    Timed,
    TupleOf,
    TypeNode,
)
from kripke.languages.cspm.typing.inference import UNTYPED, Inference, Names
from kripke.languages.cspm.typing.references import components, mentioned
from kripke.languages.cspm.typing.signatures import builtins, imports
from kripke.languages.cspm.typing.types import (
    BOOL,
    CHAR,
    EVENT,
    INT,
    PROC,
    Con,
    Data,
    Dot,
    Scheme,
    Type,
    TypeMismatch,
    Var,
    chain,
    fields_of,
    free,
    function,
    prune,
    require,
    seq_of,
    set_of,
    show,
    unify,
)
from kripke.model.source import ModelError


def check_types(script: Script) -> dict[str, Type]:
    """The types of the names at the top; ModelError where a script is not well typed."""
    outermost = Names(None)
    outermost.types.update(builtins())
    checker = _Checker(script, Names(outermost))
    try:
        checker.script()
        return {name: scheme.kind for name, scheme in checker.names.types.items()}
    except TypeMismatch as error:
        raise ModelError(f"{script.path}: type error: {error}", hint=UNTYPED) from None


@dataclass
class _Item:
    """A definition to be typed: a declaration, with the scope its text is in."""

    declaration: Declaration
    scope: Names
    names: list[str]
    #: the names it makes, as the graph of dependencies has them
    keys: list[str] = field(default_factory=list)
    timed: bool = False
    instance: str = ""


class _Checker(Inference):
    def __init__(self, script: Script, top: Names) -> None:
        super().__init__(script.tokens, top)
        self._script = script
        self._imports = imports()
        self._data: dict[int, tuple[str, Data]] = {}
        self._polymorphic = True

    def script(self) -> None:
        declarations = self._script.declarations
        if any(isinstance(d, Timed) for d in _all(declarations)) and not _makes(declarations, "tock"):
            self.names.types["tock"] = Scheme([], EVENT)
            self.names.makers.add("tock")
        self.group(declarations)
        for declaration, timed in _timed(declarations):
            self.timed = timed
            if isinstance(declaration, Timed):
                self.same(EVENT, self.names.types["tock"].kind, declaration)
            match declaration:
                case Assertion():
                    self.assertion(declaration)
                case Print():
                    self.infer(declaration.expression)

    def assertion(self, node: Assertion) -> None:
        self.check(node.left, PROC)
        if node.right is not None:
            self.check(node.right, PROC if node.kind == "refinement" else seq_of(EVENT))
        for option in node.options:
            if option.argument is not None and option.name == "tau priority":
                self.check(option.argument, set_of(EVENT))

    def let(self, node: Let) -> Type:
        names = Names(self.names)

        def infer() -> Type:
            saved, self._polymorphic = self._polymorphic, False
            timed = self.timed
            self.group(node.declarations)
            self._polymorphic, self.timed = saved, timed
            return self.infer(node.body)

        return self.within(names, infer)

    # ---- groups ----

    def group(self, declarations: list[Declaration]) -> None:
        """All declarations of a scope, in the order of their dependencies."""
        scope = self.names
        items: list[_Item] = []
        annotations: dict[tuple[int, str], Annotation] = {}
        self._collect(declarations, scope, "", items, annotations, "")
        owners: dict[str, _Item] = {}
        for item in items:
            for key in item.keys:
                owners[key] = item
        graph: dict[str, list[str]] = {}
        qualified: set[tuple[str, str]] = set()
        for number, item in enumerate(items):
            node = f"#{number}"
            graph[node] = []
            for key in item.keys:
                graph[key] = [node]
            for name in set(mentioned(item.declaration)):
                needed = self._key(item, name, owners)
                if needed is not None:
                    graph[node].append(needed)
                    if "::" in name:
                        qualified.add((node, needed))
        for component in components(graph):
            members = [int(name[1:]) for name in component if name.startswith("#")]
            inside = set(component)
            for node, key in qualified:
                if node in inside and key in inside and owners[key].instance:
                    raise self.wrong("an instance of a module depends on itself", items[int(node[1:])].declaration)
            if members:
                self.component([items[number] for number in sorted(members)], annotations)
        self.names = scope

    def _key(self, item: _Item, name: str, owners: dict[str, _Item]) -> str | None:
        at: Names | None = item.scope
        while at is not None:
            key = f"{id(at)}:{name}"
            if key in owners:
                return key
            if name in at.types or name in at.modules:
                alias = self._aliases.get(key)
                if alias is not None:
                    return alias
                return None
            alias = self._aliases.get(key)
            if alias is not None:
                return alias
            at = at.parent
        return None

    @property
    def _aliases(self) -> dict[str, str]:
        known: dict[str, str] = self.__dict__.setdefault("_alias_table", {})
        return known

    def _collect(
        self,
        declarations: list[Declaration],
        scope: Names,
        prefix: str,
        items: list[_Item],
        annotations: dict[tuple[int, str], Annotation],
        instance: str,
    ) -> None:
        made: set[str] = set()
        noted: dict[str, Annotation] = {}
        modules = {d.name: d for d in _all(declarations) if isinstance(d, Module)}
        homes: dict[str, tuple[Module, Names]] = self.__dict__.setdefault("_homes", {})
        for name, module in modules.items():
            scope.modules.add(name)
            homes[f"{id(scope)}:{name}"] = (module, scope)
        for declaration, timed in _timed(declarations):
            names = self._declared(declaration, scope)
            for name in names:
                if name in made or name in modules:
                    raise self.wrong(f"{name} is defined twice", declaration)
                made.add(name)
            keys = [f"{id(scope)}:{name}" for name in names]
            if isinstance(declaration, Annotation):
                for name in declaration.names:
                    if name in noted:
                        raise self.wrong(f"{name} has two types", declaration)
                    annotations[(id(scope), name)] = noted[name] = declaration
            elif isinstance(declaration, Imported):
                for name in declaration.names:
                    if name not in self._imports:
                        raise self.wrong(f"there is no {declaration.kind} function {name}", declaration)
                    scope.types[name] = self._imports[name]
            elif isinstance(declaration, Timed):
                if declaration.duration is not None:
                    items.append(_Item(declaration, scope, [], [], timed, instance))
            elif names or isinstance(declaration, PatternBinding):
                items.append(_Item(declaration, scope, names, keys, timed, instance))
        for name, note in noted.items():
            if name not in made:
                raise self.wrong(f"{name} has a type, but no definition here", note)
        for name, module in modules.items():
            if not module.parameters:
                self._instantiate(name, module, scope, [], scope, items, annotations, instance)
        pending = [d for d in _all(declarations) if isinstance(d, Instance)]
        named: set[str] = set()
        for declaration in pending:
            if declaration.name in named or declaration.name in modules:
                raise self.wrong(f"{declaration.name} is defined twice", declaration)
            named.add(declaration.name)
        while pending:
            waiting = []
            for declaration in pending:
                home = self._module(declaration.module, scope)
                if home is None:
                    waiting.append(declaration)
                    continue
                module, where = home
                if len(module.parameters) != len(declaration.arguments):
                    raise self.wrong(f"{declaration.module} takes {len(module.parameters)} arguments", declaration)
                if declaration.name in made or declaration.name in modules:
                    raise self.wrong(f"{declaration.name} is defined twice", declaration)
                self._instantiate(
                    declaration.name, module, where, declaration.arguments, scope, items, annotations, declaration.name
                )
            if len(waiting) == len(pending):
                raise self.wrong(f"there is no module {waiting[0].module}", waiting[0])
            pending = waiting

    def _module(self, name: str, scope: Names) -> tuple[Module, Names] | None:
        homes: dict[str, tuple[Module, Names]] = self.__dict__.setdefault("_homes", {})
        at: Names | None = scope
        while at is not None:
            found = homes.get(f"{id(at)}:{name}")
            if found is not None:
                return found
            at = at.parent
        return None

    def _instantiate(
        self,
        name: str,
        module: Module,
        home: Names,
        arguments: list[Expr],
        scope: Names,
        items: list[_Item],
        annotations: dict[tuple[int, str], Annotation],
        instance: str,
    ) -> None:
        inner = Names(home)
        self._kept.append(inner)
        if len(self._kept) > MOST_INSTANCES:
            raise self.wrong(f"there are more than {MOST_INSTANCES:,} instances of modules", module)
        for parameter, argument in zip(module.parameters, arguments, strict=True):
            names = [n for n in _pattern_names(parameter) if not self.names.is_maker(n)]
            binding = _Parameter(parameter.first, parameter.last, parameter, argument, scope)
            items.append(_Item(binding, inner, names, [f"{id(inner)}:{n}" for n in names], False, ""))
        self._collect([*module.private, *module.exported], inner, f"{name}::", items, annotations, instance)
        homes: dict[str, tuple[Module, Names]] = self.__dict__.setdefault("_homes", {})
        for declaration in _all(module.exported):
            for each in self._declared(declaration, inner):
                self._export(scope, f"{name}::{each}", inner, each)
            if isinstance(declaration, Module):
                homes[f"{id(scope)}:{name}::{declaration.name}"] = (declaration, inner)
            if isinstance(declaration, Module | Instance):
                start = f"{declaration.name}::"
                for key in list(self._exports.get(id(inner), ())):
                    if key.startswith(start):
                        self._export(scope, f"{name}::{key}", inner, key)

    @property
    def _kept(self) -> list[Names]:
        """Scopes stay alive: their addresses are names."""
        kept: list[Names] = self.__dict__.setdefault("_kept_scopes", [])
        return kept

    @property
    def _exports(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = self.__dict__.setdefault("_export_table", {})
        return found

    def _export(self, scope: Names, name: str, inner: Names, each: str) -> None:
        source = f"{id(inner)}:{each}"
        self._aliases[f"{id(scope)}:{name}"] = self._aliases.get(source, source)
        self._exports.setdefault(id(scope), []).append(name)
        links: dict[str, list[tuple[Names, str]]] = self.__dict__.setdefault("_links", {})
        links.setdefault(source, []).append((scope, name))

    def _publish(self, scope: Names, name: str, scheme: Scheme, maker: bool) -> None:
        """A name and all its qualified forms."""
        scope.types[name] = scheme
        if maker:
            scope.makers.add(name)
        links: dict[str, list[tuple[Names, str]]] = self.__dict__.setdefault("_links", {})
        for other, alias in links.get(f"{id(scope)}:{name}", ()):
            self._publish(other, alias, scheme, maker)

    def _declared(self, declaration: Declaration, scope: Names) -> list[str]:
        match declaration:
            case Function() | Nametype():
                return [declaration.name]
            case PatternBinding():
                return list(dict.fromkeys(n for n in _pattern_names(declaration.pattern) if not self._maker(n, scope)))
            case Channels():
                return declaration.names
            case Datatype(subtype=True):
                return [declaration.name]
            case Datatype():
                return [declaration.name, *(c.name for c in declaration.constructors)]
        return []

    def _maker(self, name: str, scope: Names) -> bool:
        if name in ("true", "false") or scope.is_maker(name):
            return True
        return name in self._maker_names()

    def _maker_names(self) -> set[str]:
        """Channels and constructors of the whole script: a pattern may come before their declaration."""
        known: set[str] | None = self.__dict__.get("_all_makers")
        if known is None:
            known = set()
            stack = list(self._script.declarations)
            while stack:
                d = stack.pop()
                if isinstance(d, Channels):
                    known.update(d.names)
                elif isinstance(d, Datatype):
                    known.update(c.name for c in d.constructors)
                elif isinstance(d, Module):
                    stack.extend([*d.private, *d.exported])
                elif isinstance(d, Timed):
                    stack.extend(d.declarations)
            self.__dict__["_all_makers"] = known
        return known

    # ---- one group of definitions that need each other ----

    def component(self, items: list[_Item], annotations: dict[tuple[int, str], Annotation]) -> None:
        kinds: dict[tuple[int, str], Type] = {}
        for item in items:
            for name in item.names:
                key = (id(item.scope), name)
                kinds[key] = self._start(item, name)
                maker = isinstance(item.declaration, Channels) or (
                    isinstance(item.declaration, Datatype)
                    and name != item.declaration.name
                    and not item.declaration.subtype
                )
                note = annotations.get(key)
                scheme = Scheme([], kinds[key])
                if note is not None and not maker and isinstance(item.declaration, Function):
                    scheme = self._annotated(note, item.scope)
                self._publish(item.scope, name, scheme, maker)
        for item in items:
            self.names, self.timed = item.scope, item.timed
            self._definition(item, kinds)
        for item in items:
            self._finish(item, kinds, annotations)

    def _start(self, item: _Item, name: str) -> Type:
        declaration = item.declaration
        if isinstance(declaration, Datatype) and not declaration.subtype:
            number = id(declaration) ^ id(item.scope)
            if number not in self._data:
                self._data[number] = (declaration.name, Data(declaration.name))
            data = self._data[number][1]
            if name == declaration.name:
                return set_of(data)
            constructor = next(c for c in declaration.constructors if c.name == name)
            return data if constructor.fields is None else Var()
        if isinstance(declaration, Channels):
            return EVENT if declaration.type is None else Var()
        if isinstance(declaration, Function) and declaration.clauses[0].groups:
            return self.clause_type(declaration.clauses)
        return Var()

    def _definition(self, item: _Item, kinds: dict[tuple[int, str], Type]) -> None:
        declaration, scope = item.declaration, item.scope
        match declaration:
            case Function(clauses=clauses, name=name):
                for clause in clauses:
                    if clause.groups:
                        self.clause(clause, kinds[(id(scope), name)])
                    else:
                        self.check(clause.body, kinds[(id(scope), name)])
                if len(clauses) > 1 and not clauses[0].groups:
                    raise self.wrong(f"{name} is defined twice", clauses[1])
            case _Parameter():
                self._bind(declaration.pattern, self._argument(declaration), item, kinds)
            case PatternBinding():
                self._bind(declaration.pattern, self.infer(declaration.body), item, kinds)
            case Channels(type=expression) if expression is not None:
                fields = self._fields(expression)
                for name in declaration.names:
                    self.same(kinds[(id(scope), name)], chain(fields, EVENT), expression)
            case Datatype(subtype=True):
                self._subtype(declaration, kinds[(id(scope), declaration.name)])
            case Datatype():
                data = self._data[id(declaration) ^ id(scope)][1]
                for constructor in declaration.constructors:
                    if constructor.fields is not None:
                        fields = self._fields(constructor.fields)
                        self.same(kinds[(id(scope), constructor.name)], chain(fields, data), constructor)
            case Nametype(name=name, expression=expression):
                parts = self._fields(expression)
                kind = parts[0] if len(parts) == 1 else Dot(parts)
                self.same(kinds[(id(scope), name)], set_of(kind), expression)
            case Timed(duration=duration) if duration is not None:
                self.check(duration, function([EVENT], INT))

    def _argument(self, parameter: _Parameter) -> Type:
        return self.within(parameter.scope, lambda: self.infer(parameter.argument))

    def _bind(self, pattern: Expr, kind: Type, item: _Item, kinds: dict[tuple[int, str], Type]) -> None:
        names = Names(self.names)

        def infer() -> Type:
            found = self.pattern(pattern, set())
            for name in item.names:
                scheme = names.types.get(name)
                if scheme is not None:
                    self.same(kinds[(id(item.scope), name)], scheme.kind, pattern)
            return found

        self.same(self.within(names, infer), kind, pattern)

    def _fields(self, expression: Expr) -> list[Type]:
        """The types of the fields that stand behind a channel or constructor."""
        return self._members(self.infer(expression), expression)

    def _members(self, kind: Type, node: Expr) -> list[Type]:
        kind = self.pruned(kind, node)
        if isinstance(kind, Dot):
            return [member for part in kind.items for member in self._members(part, node)]
        if isinstance(kind, Con) and kind.name == "Tuple":
            parts = [self._members(part, node) for part in kind.args]
            return [Con("Tuple", *(part[0] if len(part) == 1 else Dot(part) for part in parts))]
        member: Type = Var()
        self.same(set_of(member), kind, node)
        member = self.pruned(member, node)
        return list(member.items) if isinstance(member, Dot) else [member]

    def _subtype(self, declaration: Datatype, kind: Type) -> None:
        owner: Type | None = None
        for constructor in declaration.constructors:
            scheme = self.names.find(constructor.name)
            if scheme is None or not self.names.is_maker(constructor.name):
                raise self.wrong(f"{constructor.name} is no constructor", constructor)
            fields, yielded = fields_of(scheme.instance())
            if owner is None:
                owner = yielded
            self.same(owner, yielded, constructor)
            if constructor.fields is not None:
                given = self._fields(constructor.fields)
                if len(given) > len(fields):
                    raise self.wrong(f"{constructor.name} has {len(fields)} fields", constructor)
                for want, have in zip(fields, given, strict=False):
                    self.same(want, have, constructor)
        assert owner is not None
        self.same(kind, set_of(owner), declaration)

    # ---- what comes out ----

    def _finish(
        self, item: _Item, kinds: dict[tuple[int, str], Type], annotations: dict[tuple[int, str], Annotation]
    ) -> None:
        declaration = item.declaration
        outer = self._free_outside(item.scope) if not self._polymorphic else {}
        for name in item.names:
            key = (id(item.scope), name)
            kind = kinds[key]
            note = annotations.get(key)
            maker = name in item.scope.makers
            if isinstance(declaration, Channels | Datatype) and maker:
                self._check_fields(kind, declaration)
            if note is not None:
                self._check_annotation(note, kind, item, name)
                if isinstance(declaration, Function):
                    self._publish(item.scope, name, self._annotated(note, item.scope), maker)
                    continue
            variables = [] if not self._polymorphic else [v for n, v in free(kind).items() if n not in outer]
            if isinstance(declaration, _Parameter | Channels | Datatype):
                variables = []
            self._publish(item.scope, name, Scheme([v for v in variables if not v.rigid], kind), maker)

    def _free_outside(self, scope: Names) -> dict[int, Var]:
        return {}

    def _check_fields(self, kind: Type, declaration: Declaration) -> None:
        fields, yielded = fields_of(kind)
        for part in fields:
            if free(part):
                raise self.wrong(
                    f"the type of a field is not determined: {show(part)}", declaration, "an empty set tells no type"
                )
            self.satisfies(part, "Complete", declaration)
            if isinstance(yielded, Data):
                try:
                    require(part, "Eq")
                except TypeMismatch:
                    yielded.comparable = False
            else:
                self.satisfies(part, "Eq", declaration)

    # ---- annotations ----

    def _annotated(self, note: Annotation, scope: Names) -> Scheme:
        variables: dict[str, Var] = {}
        kind = self._annotation_type(note.type, variables, scope, rigid=False)
        self._constrain(note, variables)
        return Scheme(list(variables.values()), kind)

    def _constrain(self, note: Annotation, variables: dict[str, Var]) -> None:
        for constraint, node in note.constraints:
            if node.form != "var":
                raise self.wrong(f"{constraint} is asked of a type that is known", node, "ask it of a type variable")
            var = variables.setdefault(node.name, Var(rigid=node.name))
            var.constraints |= {constraint}

    def _check_annotation(self, note: Annotation, kind: Type, item: _Item, name: str) -> None:
        variables: dict[str, Var] = {}
        stated = self._annotation_type(note.type, variables, item.scope, rigid=True)
        self._constrain(note, variables)
        for var in variables.values():
            if "Ord" in var.constraints:
                var.constraints |= {"Eq", "Set"}
            if "Eq" in var.constraints:
                var.constraints |= {"Set"}
        try:
            unify(stated, kind)
        except TypeMismatch as error:
            raise self.wrong(
                f"type error: {name} is {show(kind)}, but it is annotated as {show(stated)} ({error})", note
            ) from None
        met: set[int] = set()
        for var in variables.values():
            end = prune(var)
            if not isinstance(end, Var) or not end.rigid or end.number in met:
                raise self.wrong(f"type error: {name} is less general than its annotation says", note)
            met.add(end.number)

    def _annotation_type(self, node: TypeNode, variables: dict[str, Var], scope: Names, *, rigid: bool) -> Type:
        def part(each: TypeNode) -> Type:
            return self._annotation_type(each, variables, scope, rigid=rigid)

        match node.form:
            case "var":
                data = self._datatype(node, scope)
                if data is not None:
                    return data
                if node.name not in variables:
                    variables[node.name] = Var(rigid=node.name) if rigid else Var()
                return variables[node.name]
            case "name":
                return self._named_type(node, scope)
            case "tuple":
                parts = [part(each) for each in node.parts]
                return parts[0] if len(parts) == 1 else Con("Tuple", *parts)
            case "seq":
                return seq_of(part(node.parts[0]))
            case "set":
                return set_of(part(node.parts[0]))
            case "map":
                return Con("Map", part(node.parts[0]), part(node.parts[1]))
            case "function":
                return function([part(each) for each in node.parts[:-1]], part(node.parts[-1]))
            case "dot":
                return Dot([part(each) for each in node.parts])
            case "dotable":
                return Con("Dotable", part(node.parts[0]), part(node.parts[1]))
        if node.parts[0].form != "var":
            raise self.wrong("what stands before =>* is a type variable", node.parts[0])
        fields, yielded = part(node.parts[0]), part(node.parts[1])
        if isinstance(yielded, Var):
            yielded.constraints |= {"Yieldable"}
        else:
            self.satisfies(yielded, "Yieldable", node.parts[1])
        key = f"{node.parts[0].name} =>* {show(yielded)}"
        if key not in variables:
            variables[key] = Var(rigid=key if rigid else "", extends=(fields, yielded))
        return variables[key]

    def _named_type(self, node: TypeNode, scope: Names) -> Type:
        simple = {"Int": INT, "Bool": BOOL, "Char": CHAR, "Proc": PROC, "Event": EVENT}
        if node.name in simple:
            return simple[node.name]
        data = self._datatype(node, scope)
        if data is None:
            raise self.wrong(f"there is no type {node.name}", node)
        return data

    def _datatype(self, node: TypeNode, scope: Names) -> Type | None:
        scheme = scope.find(node.name)
        if scheme is not None:
            kind = prune(scheme.instance())
            if isinstance(kind, Con) and kind.name == "Set" and isinstance(prune(kind.args[0]), Data):
                return prune(kind.args[0])
        return None


@dataclass(eq=False, slots=True)
class _Parameter(PatternBinding):
    """An argument of an instance; its text is in another scope than its names."""

    argument: Expr = None  # type: ignore[assignment]
    scope: Names = None  # type: ignore[assignment]

    def __init__(self, first: int, last: int, pattern: Expr, argument: Expr, scope: Names) -> None:
        self.first, self.last, self.pattern, self.body = first, last, pattern, argument
        self.argument, self.scope = argument, scope


def _timed(declarations: list[Declaration], timed: bool = False) -> list[tuple[Declaration, bool]]:
    found: list[tuple[Declaration, bool]] = []
    for declaration in declarations:
        found.append((declaration, timed))
        if isinstance(declaration, Timed):
            found.extend(_timed(declaration.declarations, True))
    return found


def _all(declarations: list[Declaration]) -> list[Declaration]:
    return [declaration for declaration, _ in _timed(declarations)]


def _makes(declarations: list[Declaration], name: str) -> bool:
    for d in _all(declarations):
        if (isinstance(d, Channels) and name in d.names) or (isinstance(d, Function) and d.name == name):
            return True
    return False


def _pattern_names(pattern: Expr) -> list[str]:
    match pattern:
        case Name():
            return [pattern.name]
        case TupleOf() | Dots() | Collection():
            return [name for item in pattern.items for name in _pattern_names(item)]
        case Binary() | Both():
            return _pattern_names(pattern.left) + _pattern_names(pattern.right)
    return []


__all__ = ["ModelError", "Node", "check_types"]
