"""A CSP-M script ready to be evaluated: every declaration compiled, modules instantiated, assertions at hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kripke.algebra.events import EventTable
from kripke.algebra.terms import Term, World
from kripke.languages.cspm import builtins
from kripke.languages.cspm.beginnings import FIELDS
from kripke.languages.cspm.communication import ENDLESS
from kripke.languages.cspm.matching import Patterns
from kripke.languages.cspm.operators import process_functions
from kripke.languages.cspm.parser import Script
from kripke.languages.cspm.processes import Processes, TimedContext
from kripke.languages.cspm.scopes import Binding, Env, Scope
from kripke.languages.cspm.sets import Closure, Described, Values, as_set, productions, split_fields
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
)
from kripke.languages.cspm.syntax import (
    Function as FunctionDeclaration,
)
from kripke.languages.cspm.values import Dot, Maker, Thunk, Value, Wrong, show
from kripke.model.source import ModelError

Initialiser = Callable[[Env], None]
#: modules may have instances of others: 2^n of them in n lines
MOST_INSTANCES = 20_000


class Program(Processes):
    """Compiles and holds a script. Names are values in ``env``."""

    def __init__(self, script: Script, *, lazy: bool = False) -> None:
        """``lazy``: definitions are compiled when they are first used; their names were checked before."""
        super().__init__(script.tokens, builtins.values())
        self.script = script
        self._lazy = lazy
        #: expressions that were asked for: compiled once, since a state is known by the text it is in
        self._evaluated: dict[Expr, Callable[[Env], Value]] = {}
        self._texts: dict[str, Expr] = {}
        self.world = World(EventTable(show, FIELDS))
        self._bridges = {}
        self.channels: list[Maker] = []
        self.all_events = Closure(())
        self.builtins["Events"] = self.all_events
        self.imports = {**builtins.externals()}
        plain, asked = process_functions(self)
        self.builtins.update(plain)
        self.imports.update(asked)
        self.assertions: list[tuple[Assertion, Scope]] = []
        self.prints: list[Print] = []
        self._initialisers: list[Initialiser] = []
        self._instances = 0
        self._tock: Binding | None = None
        if _mentions_time(script.declarations) and not _declares(script.declarations, "tock"):
            self._tock = self.scope.declare("tock", defined=True, maker=True)
            self._initialisers.append(lambda env: self._set_channel(env, self._tock, "tock"))
        later = self.declare(script.declarations)
        for make in later:
            make()
        self.env: Env = [None] * self.scope.size
        for initialise in self._initialisers:
            initialise(self.env)
        self.all_events.prefixes = tuple(self.channels)

    def _set_channel(self, env: Env, binding: Binding | None, name: str) -> None:
        assert binding is not None
        maker = Maker(name, None, list)
        self.channels.append(maker)
        env[binding.place] = maker

    # ---- what others ask ----

    def value(self, name: str) -> Value:
        binding = self.scope.find(name)
        if binding is None:
            return None
        found = self.env[binding.place]
        if type(found) is Thunk:
            try:
                return found.force()
            except Wrong as error:
                raise ModelError(error.message, hint=error.hint) from None
        return found

    def evaluate(self, node: Expr) -> Value:
        """An expression at the top of the script."""
        code = self._evaluated.get(node)
        if code is None:
            code = self._evaluated[node] = self.code(node)
        self.effort.begin()
        try:
            return code(self.env)
        except Wrong as error:
            raise self.located(error, node) from None
        except RecursionError:
            raise self.wrong(ENDLESS[0], node, ENDLESS[1]) from None

    def evaluate_text(self, text: str) -> Value:
        """An expression from the command line."""
        from kripke.languages.cspm.parser import parse_expression

        node = self._texts.get(text)
        if node is None:
            node = self._texts[text] = parse_expression(self.tokens, text)
        return self.evaluate(node)

    # ---- declarations ----

    def declare(self, declarations: list[Declaration]) -> list[Callable[[], None]]:
        """Declares the names of a scope; gives what compiles the definitions, once all names are known."""
        scope = self.scope
        later: list[Callable[[], None]] = []
        modules = [d for d in _flat(declarations) if isinstance(d, Module)]
        for module in modules:
            self._once(scope, module.name, module, scope.modules)
            scope.modules[module.name] = (module, scope)
        for declaration in _flat(declarations):
            self._declare_makers(declaration, scope)
        for declaration, timed in _with_time(declarations):
            later.extend(self._declare(declaration, scope, timed))
        pending: list[tuple[str, str, Instance | Module]] = [(m.name, m.name, m) for m in modules if not m.parameters]
        pending += [(i.name, i.module, i) for i in _flat(declarations) if isinstance(i, Instance)]
        while pending:
            waiting: list[tuple[str, str, Instance | Module]] = []
            for name, module_name, node in pending:
                if scope.find_module(module_name) is None:
                    waiting.append((name, module_name, node))
                else:
                    later.extend(self._instantiate(name, module_name, node, scope))
            if len(waiting) == len(pending):
                raise self.wrong(f"there is no module {waiting[0][1]}", waiting[0][2])
            pending = waiting
        return later

    def _once(self, scope: Scope, name: str, node: Node, *tables: dict[str, Any]) -> None:
        if name in scope.names or any(name in table for table in tables):
            raise self.wrong(f"{name} is defined twice", node)

    def _initialise(self, make: Initialiser) -> None:
        self._initialisers.append(make)

    def _declare_makers(self, declaration: Declaration, scope: Scope) -> None:
        if isinstance(declaration, Channels):
            for name in declaration.names:
                self._once(scope, name, declaration)
                scope.declare(name, defined=True, maker=True)
        elif isinstance(declaration, Datatype):
            self._once(scope, declaration.name, declaration)
            scope.declare(declaration.name, defined=True)
            if not declaration.subtype:
                for constructor in declaration.constructors:
                    self._once(scope, constructor.name, constructor)
                    scope.declare(constructor.name, defined=True, maker=True)

    def _declare(self, declaration: Declaration, scope: Scope, timed: Timed | None) -> list[Callable[[], None]]:
        match declaration:
            case FunctionDeclaration():
                self._once(scope, declaration.name, declaration)
                binding = scope.declare(declaration.name, defined=True)
                if self._lazy and scope.level == 0 and timed is None:
                    return [lambda: self._define_later(declaration, binding, scope)]
                return [lambda: self._in_time(timed, scope, lambda: self._define(declaration, binding))]
            case PatternBinding():
                names = [name for name in _names(declaration.pattern) if not self._is_maker(scope, name)]
                for name in names:
                    self._once(scope, name, declaration)
                bindings = {name: scope.declare(name, defined=True) for name in dict.fromkeys(names)}
                return [lambda: self._in_time(timed, scope, lambda: self._bind(declaration, bindings))]
            case Channels():
                return [lambda: self.inside(scope, lambda: self._define_channels(declaration, scope))]
            case Datatype():
                return [lambda: self.inside(scope, lambda: self._define_datatype(declaration, scope))]
            case Nametype():
                self._once(scope, declaration.name, declaration)
                binding = scope.declare(declaration.name, defined=True)
                return [lambda: self.inside(scope, lambda: self._define_type(declaration, binding))]
            case Imported():
                for name in declaration.names:
                    self._import(name, declaration, scope)
            case Assertion():
                self.assertions.append((declaration, scope))
            case Print():
                self.prints.append(declaration)
            case Annotation() | Module() | Instance() | Timed():
                pass
        return []

    def _import(self, name: str, declaration: Imported, scope: Scope) -> None:
        value = self.imports.get(name)
        if value is None:
            raise self.wrong(f"there is no {declaration.kind} function {name}", declaration)
        if name in scope.names:
            return
        binding = scope.declare(name, defined=True)
        place = binding.place
        self._initialise(lambda env: env.__setitem__(place, value))

    def _is_maker(self, scope: Scope, name: str) -> bool:
        known = scope.find(name)
        return name in ("true", "false") or (known is not None and known.maker)

    def _in_time(self, timed: Timed | None, scope: Scope, compile: Callable[[], None]) -> None:
        saved = self.timed
        if timed is not None:
            self.timed = self._time(timed, scope)
        try:
            self.inside(scope, compile)
        finally:
            self.timed = saved

    def _time(self, timed: Timed, scope: Scope) -> TimedContext:
        outermost = scope
        while outermost.parent is not None:
            outermost = outermost.parent
        tock = scope.find("tock")
        if tock is None or not tock.maker:
            raise self.wrong("a timed section needs the event tock, but tock is something else here", timed)
        saved, self.timed = self.timed, None
        try:
            clock = self.inside(outermost, lambda: self.refer(Name(timed.first, timed.first, "tock"), tock))
            if timed.duration is None:
                return TimedContext(clock, None, scope.level, set())
            duration_node = timed.duration
            duration, uses = self.inside(scope, lambda: self.collected(lambda: self.code(duration_node)))
            return TimedContext(clock, duration, scope.level, uses)
        finally:
            self.timed = saved

    # ---- definitions ----

    def _define(self, declaration: FunctionDeclaration, binding: Binding) -> None:
        name, place = declaration.name, binding.place
        if declaration.clauses[0].groups:
            code, uses = self.collected(lambda: self.function(name, declaration.clauses, declaration))
            self._initialise(lambda env: env.__setitem__(place, code(env)))
        else:
            if len(declaration.clauses) > 1:
                raise self.wrong(f"{name} is defined twice", declaration.clauses[1])
            code, uses = self.collected(lambda: self.code(declaration.clauses[0].body))
            self._initialise(lambda env: env.__setitem__(place, Thunk(lambda: code(env), name)))
            binding.constant = binding.level > 0
        binding.uses = uses

    def _define_later(self, declaration: FunctionDeclaration, binding: Binding, scope: Scope) -> None:
        def value(env: Env) -> Value:
            code: list[Callable[[Env], Value]] = []

            def compile() -> None:
                clauses = declaration.clauses
                if clauses[0].groups:
                    code.append(self.function(declaration.name, clauses, declaration))
                else:
                    code.append(self.code(clauses[0].body))

            saved, self.timed = self.timed, None
            try:
                self.inside(scope, compile)
            finally:
                self.timed = saved
            return code[0](env)

        place, name = binding.place, declaration.name
        self._initialise(lambda env: env.__setitem__(place, Thunk(lambda: value(env), name)))

    def _bind(self, declaration: PatternBinding, bindings: dict[str, Binding]) -> None:
        temporary = Scope(self.scope)

        def compile() -> Any:
            def pattern() -> Any:
                return Patterns(_Fresh(temporary, set(bindings)), self.refer, self.wrong).make(declaration.pattern)

            return self.code(declaration.body), self.inside(temporary, pattern)

        (code, match), uses = self.collected(compile)
        for binding in bindings.values():
            binding.uses = uses
            binding.constant = binding.level > 0
        places = {name: temporary.names[name].place for name in bindings}

        def initialise(env: Env) -> None:
            def parts() -> Env:
                inner: Env = [None] * temporary.size
                inner[0] = env
                value = code(env)
                if not match(value, inner):
                    raise self.wrong(f"{show(value)} does not match this pattern", declaration.pattern)
                return inner

            whole = Thunk(parts)
            for name, binding in bindings.items():
                env[binding.place] = Thunk(lambda name=name: whole.force()[places[name]], name)  # type: ignore[misc]

        self._initialise(initialise)

    def _define_channels(self, declaration: Channels, scope: Scope) -> None:
        code = None if declaration.type is None else self.code(declaration.type)
        node = declaration.type or declaration

        def fields(env: Env) -> list[Values]:
            if code is None:
                return []
            try:
                return split_fields(code(env))
            except Wrong as error:
                raise self.located(error, node) from None

        for name in declaration.names:
            binding = scope.names[name]

            def initialise(env: Env, binding: Binding = binding) -> None:
                maker = Maker(binding.name, None, lambda: fields(env))
                self.channels.append(maker)
                env[binding.place] = maker

            self._initialise(initialise)

    def _define_datatype(self, declaration: Datatype, scope: Scope) -> None:
        place = scope.names[declaration.name].place
        compiled: list[tuple[Binding, Any, Expr | None]] = []
        for constructor in declaration.constructors:
            code = None if constructor.fields is None else self.code(constructor.fields)
            binding = scope.find(constructor.name)
            if binding is None or not binding.maker:
                raise self.wrong(f"{constructor.name} is no constructor", constructor)
            compiled.append((binding, code, constructor.fields))

        def fields(env: Env, code: Any, node: Expr | None) -> list[Values]:
            if code is None or node is None:
                return []
            try:
                return split_fields(code(env))
            except Wrong as error:
                raise self.located(error, node) from None

        def initialise(env: Env) -> None:
            parts: list[tuple[Binding, Callable[[], list[Values]]]] = []
            for binding, code, node in compiled:
                sets = Thunk(lambda code=code, node=node: fields(env, code, node))  # type: ignore[misc]
                parts.append((binding, sets.force))
                if not declaration.subtype:
                    env[binding.place] = Maker(binding.name, declaration.name, sets.force)
            env[place] = _type_values(declaration.name, env, parts)

        self._initialise(initialise)

    def _define_type(self, declaration: Nametype, binding: Binding) -> None:
        code, uses = self.collected(lambda: self.code(declaration.expression))
        binding.uses = uses

        def value(env: Env) -> Values:
            try:
                return as_set(code(env))
            except Wrong as error:
                raise self.located(error, declaration) from None

        self._initialise(lambda env: env.__setitem__(binding.place, Thunk(lambda: value(env), declaration.name)))

    # ---- let and modules ----

    def let(self, node: Let) -> Callable[[Env], Value]:
        scope = Scope(self.scope)
        saved, self._initialisers = self._initialisers, []

        def compile() -> Any:
            for make in self.declare(node.declarations):
                make()
            return self.code(node.body)

        body = self.inside(scope, compile)
        initialisers, self._initialisers = self._initialisers, saved

        def evaluate(env: Env) -> Value:
            inner: Env = [None] * scope.size
            inner[0] = env
            for initialise in initialisers:
                initialise(inner)
            return body(inner)

        return evaluate

    def _instantiate(
        self, name: str, module_name: str, node: Instance | Module, scope: Scope
    ) -> list[Callable[[], None]]:
        module, home = scope.find_module(module_name)
        self._instances += 1
        if self._instances > MOST_INSTANCES:
            raise self.wrong(f"there are more than {MOST_INSTANCES:,} instances of modules", node)
        if isinstance(node, Instance):
            if name in scope.names or (name in scope.modules and scope.modules[name][0] is not node):
                raise self.wrong(f"{name} is defined twice", node)
            if len(node.arguments) != len(module.parameters):
                raise self.wrong(
                    f"{module_name} takes {len(module.parameters)} arguments, not {len(node.arguments)}", node
                )
        overlay = Scope(home, overlay=True, prefix=f"{scope.prefix}{name}::")
        if overlay.owner is not scope.owner:
            raise self.wrong("this module cannot be instantiated here", node)
        later: list[Callable[[], None]] = []
        arguments = node.arguments if isinstance(node, Instance) else []
        for parameter, argument in zip(module.parameters, arguments, strict=True):
            names = [n for n in _names(parameter) if not self._is_maker(overlay, n)]
            bindings = {n: overlay.declare(n, defined=True) for n in dict.fromkeys(names)}
            later.append(lambda p=parameter, a=argument, b=bindings: self._argument(p, a, b, scope))  # type: ignore[misc]
        exported: dict[str, Binding] = {}

        def members() -> None:
            later.extend(self.declare([*module.private, *module.exported]))
            inner = _declared(module.exported, overlay)
            exported.update({key: overlay.names[key] for key in inner if key in overlay.names})
            for key, found in overlay.modules.items():
                if any(isinstance(d, Module) and d.name == key for d in _flat(module.exported)):
                    scope.modules[f"{name}::{key}"] = found

        self.inside(overlay, members)
        for key, binding in exported.items():
            scope.names[f"{name}::{key}"] = binding
        return later

    def _argument(self, pattern: Expr, argument: Expr, bindings: dict[str, Binding], scope: Scope) -> None:
        self.inside(scope, lambda: self._bind(PatternBinding(pattern.first, pattern.last, pattern, argument), bindings))


class _Fresh(Scope):
    """A scope in which some names are new, whatever they mean outside."""

    def __init__(self, base: Scope, names: set[str]) -> None:
        self.__dict__.update(base.__dict__)
        self._new = names
        self.owner = base
        self.prefix = ""

    def find(self, name: str) -> Binding | None:
        return None if name in self._new else super().find(name)


def _type_values(name: str, env: Env, parts: list[tuple[Binding, Callable[[], list[Values]]]]) -> Values:
    """The values of a datatype (or of the part of one that a subtype is)."""
    state = {"busy": False, "endless": None}

    def test(value: Value) -> bool:
        head = value if isinstance(value, Maker) else value.items[0] if isinstance(value, Dot) else None
        for binding, sets in parts:
            if env[binding.place] is head and head is not None:
                items = value.items[1:] if isinstance(value, Dot) else ()
                full = head.fields
                given = sets()
                if given is full and isinstance(value, Dot) and value.valid:
                    return True
                found = len(items) == len(full) and all(
                    (given[at] if at < len(given) else full[at]).contains(item) for at, item in enumerate(items)
                )
                if given is full and isinstance(value, Dot):
                    value.valid = found
                return found
        return False

    def each() -> Any:
        for binding, sets in parts:
            head = env[binding.place]
            given = sets()
            if len(given) == head.arity and given == head.fields:
                yield from productions(head)
            else:
                yield from (value for value in productions(head) if test(value))

    return _Datatype(name, test, each, state, parts)


class _Datatype(Described):
    """Infinite if it contains itself or an infinite set."""

    __slots__ = ("_all", "_parts", "_state")
    headed = True

    def __init__(self, name: str, test: Any, each: Any, state: dict[str, Any], parts: Any) -> None:
        super().__init__(name, test, each)
        self._all, self._state, self._parts = each, state, parts

    def infinite(self) -> bool:
        state = self._state
        if state["busy"]:
            return True
        if state["endless"] is None:
            state["busy"] = True
            try:
                state["endless"] = any(field.infinite() for _, sets in self._parts for field in sets())
            finally:
                state["busy"] = False
        return bool(state["endless"])

    def shown(self) -> str:
        return self._name


# ---- the shape of scripts ----


def _flat(declarations: list[Declaration]) -> list[Declaration]:
    return [declaration for declaration, _ in _with_time(declarations)]


def _with_time(declarations: list[Declaration], timed: Timed | None = None) -> list[tuple[Declaration, Timed | None]]:
    found: list[tuple[Declaration, Timed | None]] = []
    for declaration in declarations:
        found.append((declaration, timed))
        if isinstance(declaration, Timed):
            found.extend(_with_time(declaration.declarations, declaration))
    return found


def _declared(declarations: list[Declaration], scope: Scope) -> list[str]:
    """The names that declarations make, with those of instances in them."""
    found: list[str] = []
    for declaration in _flat(declarations):
        match declaration:
            case FunctionDeclaration() | Nametype():
                found.append(declaration.name)
            case PatternBinding():
                found.extend(_names(declaration.pattern))
            case Channels():
                found.extend(declaration.names)
            case Datatype():
                found.append(declaration.name)
                found.extend(c.name for c in declaration.constructors)
            case Module() | Instance():
                found.extend(name for name in scope.names if name.startswith(f"{declaration.name}::"))
    return found


def _names(pattern: Expr) -> list[str]:
    match pattern:
        case Name():
            return [pattern.name]
        case TupleOf() | Dots() | Collection():
            return [name for item in pattern.items for name in _names(item)]
        case Binary() | Both():
            return _names(pattern.left) + _names(pattern.right)
    return []


def _mentions_time(declarations: list[Declaration]) -> bool:
    for declaration in declarations:
        if isinstance(declaration, Timed):
            return True
        if isinstance(declaration, Module) and _mentions_time([*declaration.private, *declaration.exported]):
            return True
    return False


def _declares(declarations: list[Declaration], name: str) -> bool:
    for declaration in _flat(declarations):
        if isinstance(declaration, Channels) and name in declaration.names:
            return True
        if isinstance(declaration, FunctionDeclaration) and declaration.name == name:
            return True
    return False


def process_of(value: Value) -> Term | None:
    return value if isinstance(value, Term) else None
