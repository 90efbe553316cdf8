"""A module as code: what its names stand for, its functions and classes, and what runs when it is imported."""

from __future__ import annotations

import ast
import builtins

from kripke.heap.program import NO_DEFAULT, Class, Code, FunctionConstant, Member, Op, StatementText
from kripke.languages.python.assembly import Binding, Text, World
from kripke.languages.python.expressions import ExpressionCompiler
from kripke.languages.python.imports import IGNORED, MODULES
from kripke.languages.python.scopes import Scope, ScopeTable, is_generator, rename_comprehensions
from kripke.languages.python.statements import FunctionCompiler

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_DUNDERS = frozenset({
    "__init__", "__bool__", "__len__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__",
    "__getitem__", "__setitem__", "__delitem__", "__iter__", "__call__", "__hash__", "__str__", "__repr__",
    "__enter__", "__exit__", "__aenter__", "__aexit__", "__await__", "__post_init__", "__add__", "__sub__",
    "__mul__", "__floordiv__", "__mod__", "__and__", "__or__", "__xor__", "__radd__", "__rsub__", "__rmul__",
    "__iadd__", "__isub__", "__neg__",
})  # fmt: skip


class ModuleCompiler:
    """``library``: the name of a module of the library; empty: the program itself."""

    def __init__(self, world: World, tree: ast.Module, text: Text, library: str = "") -> None:
        self.world, self.tree, self.text, self.module_name = world, tree, text, library
        self.is_library = bool(library)
        rename_comprehensions(tree)
        self.scopes = ScopeTable(tree)
        self.bindings: dict[str, Binding] = {}
        self.allowed_names = _DUNDERS | {"__make__", "__name__"} if library else frozenset({"__name__", *_DUNDERS})
        self._statements: dict[ast.AST, int] = {}
        self._classes: dict[ast.ClassDef, Class] = {}
        self._class_code: list[tuple[Class, ast.ClassDef]] = []
        self.stable: set[int] = set()

    # --- names --------------------------------------------------------------------------------------------------------

    def resolve(self, name: str, node: ast.AST) -> Binding:
        found = self.bindings.get(name)
        if found is None and name in self.world.modules.get("builtins", {}) and not name.startswith("_"):
            found = self.world.modules["builtins"][name]
        if found is None and self.is_library:
            found = self.world.modules.get("builtins", self.bindings).get(name)
        if found is not None:
            return found
        if hasattr(builtins, name):
            raise self.text.refusal(node, f"the built-in {name}")
        raise self.text.error(node, f"the name {name!r} is not defined")

    def member(self, module: str, name: str, node: ast.AST) -> Binding:
        dotted = f"{module}.{name}"
        if dotted in MODULES:
            return Binding(module=dotted)
        found = self.world.modules.get(module, {}).get(name)
        if found is None or name.startswith("_"):
            raise self.text.refusal(node, dotted)
        return found

    def statement_number(self, node: ast.stmt, function: str) -> int:
        if node not in self._statements:
            self._statements[node] = len(self.world.statements)
            self.world.statements.append(StatementText(self.text.head(node), self.text.span(node), function))
        return self._statements[node]

    def check_call(self, node: ast.Call, name: str) -> None:
        if name == "super":
            raise self.text.refusal(node, "super() without a method behind it")
        if self.bindings.get(name) is None and name in ("eval", "exec", "compile", "__import__", "open", "input"):
            raise self.text.refusal(node, f"a call of {name}")

    def check_import(self, node: ast.stmt, function: FunctionCompiler) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom) and not function.scope.is_module:
            raise self.text.refusal(node, "an import inside of a function")

    # --- the module ---------------------------------------------------------------------------------------------------

    def compile(self) -> Code:
        """The code that runs when the module is imported."""
        self._bind()
        if self.is_library:
            self.world.modules[self.module_name] = self.bindings
        for node, found in self._classes.items():
            self._declare(node, found)
        for each in self.tree.body:
            if isinstance(each, _Function) and self.bindings[each.name].is_constant:
                constant = self.bindings[each.name].constant
                assert isinstance(constant, FunctionConstant)
                self._compile_body(constant.code, each, self.scopes.of[each], None)
        for node, found in self._classes.items():
            self._methods(node, found)
        code = self.world.new_code("<module>" if not self.is_library else self.module_name)
        code.library = self.is_library
        compiler = FunctionCompiler(self, self.scopes.module, code)
        compiler.prepare([], self.scopes.module)
        for each in self.tree.body:
            if isinstance(each, ast.ClassDef):
                compiler.statement = -1 if self.is_library else self.statement_number(each, code.name)
                self._class_variables(compiler, each)
            elif not self.is_library:
                compiler.run(each)
        compiler.constant(None)
        compiler.emit(Op.RETURN, 0, -1)
        compiler.finish()
        return code

    def _bind(self) -> None:
        """What the names of the module stand for: a function or class that is defined once, before anything of the
        program can run, is a constant; all else is a variable."""
        count: dict[str, int] = {}
        stored = [*self.tree.body]
        for each in ast.walk(self.tree):
            if isinstance(each, ast.Global):
                for name in each.names:
                    count[name] = count.get(name, 0) + 2
        for each in stored:
            for name in _bound_names(each, nested=False):
                count[name] = count.get(name, 0) + 1
        looped = {name for each in stored for name in _bound_names(each, nested=True)}
        started = False
        for each in self.tree.body:
            if isinstance(each, ast.Import | ast.ImportFrom):
                self._import(each, count)
            elif isinstance(each, ast.ClassDef):
                if count[each.name] > 1:
                    raise self.text.refusal(each, f"a second meaning of {each.name}")
                self._new_class(each)
            elif isinstance(each, _Function):
                scope = self.scopes.of[each]
                early = not started and count[each.name] == 1 and not each.decorator_list and not scope.free
                constant = self._constant_defaults(each) if early else None
                if constant is not None:
                    code = self._new_code(each.name, each)
                    self.bindings[each.name] = Binding(FunctionConstant(code, *constant), is_constant=True)
            elif self.is_library and isinstance(each, ast.Assign):
                target = each.targets[0]
                assert isinstance(target, ast.Name) and isinstance(each.value, ast.Constant)
                slot = self.world.new_global(f"{self.module_name}.{target.id}")
                self.world.initial[slot] = each.value.value
                self.bindings[target.id] = Binding(slot=slot)
            elif _runs_program(each, self.bindings):
                started = True
        for name in self.scopes.module.locals | {n for s in self.scopes.of.values() for n in s.globals}:
            if name not in self.bindings and not self.scopes.module.owns(name):
                self.bindings[name] = Binding(slot=self.world.new_global(name))
        self.bindings.setdefault("__name__", Binding("__main__", is_constant=True))
        for name, binding in self.bindings.items():
            if binding.slot >= 0 and count.get(name, 0) == 1 and name not in looped:
                self.stable.add(binding.slot)

    def _import(self, node: ast.Import | ast.ImportFrom, count: dict[str, int]) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name not in MODULES and alias.name not in IGNORED:
                    raise self.text.refusal(node, f"the module {alias.name}")
                if alias.name in IGNORED:
                    continue
                top = alias.name if alias.asname else alias.name.partition(".")[0]
                self._bind_import(alias.asname or top, Binding(module=top), count, node)
            return
        module = node.module or ""
        if node.level or (module not in MODULES and module not in IGNORED):
            raise self.text.refusal(node, f"the module {'.' * node.level}{module}")
        for alias in node.names:
            if module in IGNORED:
                continue
            if alias.name == "*":
                raise self.text.refusal(node, "import *")
            self._bind_import(alias.asname or alias.name, self.member(module, alias.name, node), count, node)

    def _bind_import(self, name: str, binding: Binding, count: dict[str, int], node: ast.AST) -> None:
        if count.get(name, 0) > 1:
            raise self.text.refusal(node, f"a second meaning of {name}")
        self.bindings[name] = binding

    # --- classes ------------------------------------------------------------------------------------------------------

    def _new_class(self, node: ast.ClassDef) -> None:
        base = self.world.classes[0] if self.world.classes else None
        if len(node.bases) > 1:
            raise self.text.refusal(node.bases[1], "more than one base class")
        if node.keywords:
            raise self.text.refusal(node.keywords[0].value, "a metaclass or an argument of a class")
        if node.bases:
            found = self._static_class(node.bases[0])
            if found is None:
                raise self.text.refusal(node.bases[0], "this base class")
            open_ = self.is_library or not found.library or found.name in ("object", "Thread")
            if not open_ and not found.derives_from(self._base_exception()):
                raise self.text.refusal(node.bases[0], f"a class derived from {found.name}")
            base = found
        new = self.world.new_class(node.name, base)
        new.library, new.span = self.is_library, self.text.span(node)
        self._classes[node] = new
        self.bindings[node.name] = Binding(new, is_constant=True)

    def _base_exception(self) -> Class:
        found = self.world.modules.get("builtins", self.bindings)["BaseException"].constant
        assert isinstance(found, Class)
        return found

    def _static_class(self, node: ast.expr) -> Class | None:
        if isinstance(node, ast.Name):
            value = self.resolve(node.id, node).constant
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            outer = self.resolve(node.value.id, node)
            value = self.member(outer.module, node.attr, node).constant if outer.module else None
        else:
            return None
        return value if isinstance(value, Class) else None

    def _declare(self, node: ast.ClassDef, found: Class) -> None:
        """Members and places, without code."""
        self._dataclass(node, found)
        for each in node.body:
            match each:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    self._declare_method(each, found)
                case ast.Assign():
                    for target in each.targets:
                        if not isinstance(target, ast.Name):
                            raise self.text.refusal(target, "this assignment in a class")
                        self._class_variable(found, target.id, each.value)
                case ast.AnnAssign() if isinstance(each.target, ast.Name):
                    if each.value is not None and not self._is_field(each.value):
                        self._class_variable(found, each.target.id, each.value)
                case ast.Pass() | ast.Expr(value=ast.Constant()):
                    pass
                case _:
                    raise self.text.refusal(each, "this statement in a class")

    def _class_variable(self, found: Class, name: str, value: ast.expr) -> None:
        if name.startswith("__") and name != "__slots__":
            raise self.text.refusal(value, f"the class attribute {name}")
        number = self.world.name(name)
        stored = any(
            isinstance(each, ast.Attribute) and each.attr == name and not isinstance(each.ctx, ast.Load)
            for each in ast.walk(self.tree)
        )
        if isinstance(value, ast.Constant) and not stored:
            found.own[number] = (Member.CONSTANT, value.value)
            self.world.constant(value.value)
        else:
            found.own[number] = (Member.SLOT, self.world.new_global(f"{found.name}.{name}"))

    def _class_variables(self, compiler: FunctionCompiler, node: ast.ClassDef) -> None:
        """Their values, when the class statement runs."""
        found = self._classes[node]
        for each in node.body:
            targets: list[ast.expr] = []
            if isinstance(each, ast.Assign):
                targets = each.targets
            elif isinstance(each, ast.AnnAssign) and each.value is not None and not self._is_field(each.value):
                targets = [each.target]
            for target in targets:
                assert isinstance(target, ast.Name)
                kind, value = found.own[self.world.name(target.id)]
                if kind == Member.SLOT:
                    assert isinstance(value, int) and isinstance(each, ast.Assign | ast.AnnAssign) and each.value
                    compiler.expression(each.value)
                    compiler.emit(Op.STORE_GLOBAL, value, -1)

    def _is_field(self, value: ast.expr) -> bool:
        name = value.func if isinstance(value, ast.Call) else None
        return (isinstance(name, ast.Name) and name.id == "field") or (
            isinstance(name, ast.Attribute) and name.attr == "field"
        )

    def _declare_method(self, node: _Function, found: Class) -> None:
        name = node.name
        if name.startswith("__") and name.endswith("__") and name not in self.allowed_names:
            raise self.text.refusal(node, f"the special method {name}")
        kind = Member.METHOD
        for decorator in node.decorator_list:
            known = decorator.id if isinstance(decorator, ast.Name) else ""
            if known not in ("staticmethod", "classmethod", "property"):
                raise self.text.refusal(decorator, "this decorator of a method")
            kind = {"staticmethod": Member.STATIC, "classmethod": Member.CLASS, "property": Member.PROPERTY}[known]
        defaults = self._constant_defaults(node)
        if defaults is None:
            raise self.text.refusal(node, "a method whose default value is not a constant")
        code = self._new_code(f"{found.name}.{name}", node)
        if self.world.name(name) in found.own:
            raise self.text.refusal(node, f"a second method {name}")
        found.own[self.world.name(name)] = (kind, FunctionConstant(code, *defaults))
        if kind in (Member.METHOD, Member.PROPERTY) and node.args.args:
            self._own_attributes(node, found)

    def _own_attributes(self, node: _Function, found: Class) -> None:
        """Attributes that a method gives its object get places in the class; those of other objects, in all."""
        me = node.args.args[0].arg
        for each in ast.walk(node):
            if (
                isinstance(each, ast.Attribute)
                and isinstance(each.ctx, ast.Store)
                and isinstance(each.value, ast.Name)
                and each.value.id == me
            ):
                self._place(found, each.attr)

    def _place(self, found: Class, attribute: str) -> None:
        name = self.world.name(attribute)
        if name not in found.layout:
            found.layout.append(name)

    def stored_elsewhere(self) -> None:
        """Names that are stored through other expressions than the object of a method."""
        own = {
            id(each)
            for node in self._classes
            for method in node.body
            if isinstance(method, _Function) and method.args.args
            for each in ast.walk(method)
            if isinstance(each, ast.Attribute)
            and isinstance(each.value, ast.Name)
            and each.value.id == method.args.args[0].arg
        }
        for each in ast.walk(self.tree):
            if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store) and id(each) not in own:
                if isinstance(each.value, ast.Name):
                    binding = self.bindings.get(each.value.id)
                    if binding is not None and isinstance(binding.constant, Class):
                        self._class_slot(binding.constant, each)
                        continue
                self.world.stored_anywhere.add(self.world.name(each.attr))

    def _class_slot(self, found: Class, node: ast.Attribute) -> None:
        name = self.world.name(node.attr)
        if found.library:
            raise self.text.refusal(node, f"a new attribute of {found.name}")
        if name not in found.own:
            found.own[name] = (Member.SLOT, self.world.new_global(f"{found.name}.{node.attr}"))

    def inherited(self, base: Class | None, name: str) -> FunctionConstant | None:
        number = self.world.name(name)
        while base is not None:
            if number in base.own:
                value = base.own[number][1]
                return value if isinstance(value, FunctionConstant) else None
            base = base.base
        return None

    def _methods(self, node: ast.ClassDef, found: Class) -> None:
        for each in node.body:
            if isinstance(each, _Function):
                constant = found.own[self.world.name(each.name)][1]
                assert isinstance(constant, FunctionConstant)
                scope = self.scopes.of[each]
                if scope.free:
                    raise self.text.refusal(each, "a method that uses variables of a function around its class")
                self._compile_body(constant.code, each, scope, found)

    # --- dataclasses --------------------------------------------------------------------------------------------------

    def _dataclass(self, node: ast.ClassDef, found: Class) -> None:
        asked: dict[str, object] | None = None
        for decorator in node.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else None
            name = call.func if call else decorator
            known = name.id if isinstance(name, ast.Name) else name.attr if isinstance(name, ast.Attribute) else ""
            if known != "dataclass":
                raise self.text.refusal(decorator, "this decorator of a class")
            asked = {}
            for keyword in call.keywords if call else ():
                if not isinstance(keyword.value, ast.Constant) or keyword.arg not in ("frozen", "eq", "slots", "order"):
                    raise self.text.refusal(keyword.value, f"the argument {keyword.arg} of dataclass")
                if keyword.arg == "order" and keyword.value.value:
                    raise self.text.refusal(keyword.value, "dataclass(order=True)")
                asked[keyword.arg] = keyword.value.value
        if asked is None:
            return
        base = found.base
        if base is not None and base.compared >= 0:
            raise self.text.refusal(node, "a dataclass derived from another")
        fields = [each for each in node.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)]
        for each in fields:
            assert isinstance(each.target, ast.Name)
            self._place(found, each.target.id)
        found.compared = len(fields) if asked.get("eq", True) else -1
        found.field_count = len(fields)
        found.frozen = bool(asked.get("frozen"))
        post = any(isinstance(each, _Function) and each.name == "__post_init__" for each in node.body)
        if any(isinstance(each, _Function) and each.name == "__init__" for each in node.body):
            return
        made = _init_of(fields, post, self)
        node.body.append(made)
        self.scopes.of[made] = _scope_of(made, self.scopes)

    # --- functions ----------------------------------------------------------------------------------------------------

    def _new_code(self, name: str, node: _Function | ast.Lambda | ast.GeneratorExp) -> Code:
        code = self.world.new_code(name)
        code.library = self.is_library
        code.span = self.text.span(node)
        if isinstance(node, ast.GeneratorExp):
            code.parameters, code.positional, code.generator = [self.world.name(".0")], 1, True
            return code
        arguments = node.args
        if arguments.posonlyargs:
            raise self.text.refusal(node, "a parameter that is only positional")
        names = [each.arg for each in (*arguments.args, *arguments.kwonlyargs)]
        code.parameters = [self.world.name(name) for name in names]
        code.positional, code.keyword_only = len(arguments.args), len(arguments.kwonlyargs)
        code.spread, code.keywords = arguments.vararg is not None, arguments.kwarg is not None
        code.coroutine = isinstance(node, ast.AsyncFunctionDef)
        code.generator = code.coroutine or (not isinstance(node, ast.Lambda) and is_generator(node))
        return code

    def _constant_defaults(self, node: _Function | ast.Lambda) -> tuple[tuple[object, ...], tuple[object, ...]] | None:
        found: list[object] = []
        for each in node.args.defaults:
            value = _literal(each)
            if value is NO_DEFAULT:
                return None
            found.append(value)
        behind: list[object] = []
        for one in node.args.kw_defaults:
            value = NO_DEFAULT if one is None else _literal(one)
            if one is not None and value is NO_DEFAULT:
                return None
            behind.append(value)
        for value in (*found, *behind):
            self.world.constant(value)
        return tuple(found), tuple(behind)

    def constant_function(self, code: Code, node: _Function | ast.Lambda, scope: Scope) -> FunctionConstant | None:
        defaults = None if scope.free else self._constant_defaults(node)
        return None if defaults is None else FunctionConstant(code, *defaults)

    def inner_function(self, outer: ExpressionCompiler, node: _Function | ast.Lambda | ast.GeneratorExp) -> None:
        """Push a function that is made where this code runs."""
        scope = self.scopes.of[node]
        name = (
            node.name
            if isinstance(node, _Function)
            else "<genexpr>"
            if isinstance(node, ast.GeneratorExp)
            else "<lambda>"
        )
        code = self._new_code(name, node)
        self._compile_body(code, node, scope, outer.owner)
        if not isinstance(node, ast.GeneratorExp):
            outer.make_function(code, node, scope)
            return
        if scope.free:
            outer.emit(Op.BUILD_TUPLE, 0, 1)
            outer.emit(Op.BUILD_TUPLE, 0, 1)
            outer.close_over(code, scope)
        else:
            outer.constant(FunctionConstant(code))
        outer.expression(node.generators[0].iter)
        outer.emit(Op.GET_ITERATOR)
        outer.plain_call(1)

    def _compile_body(
        self, code: Code, node: _Function | ast.Lambda | ast.GeneratorExp, scope: Scope, owner: Class | None
    ) -> None:
        compiler = FunctionCompiler(self, scope, code, owner)
        parameters = list(scope.parameters)
        if isinstance(node, _Function | ast.Lambda):
            arguments = node.args
            parameters = [each.arg for each in (*arguments.args, *arguments.kwonlyargs)]
            parameters += [each.arg for each in (arguments.vararg, arguments.kwarg) if each is not None]
        if isinstance(node, ast.AsyncFunctionDef) and is_generator(node):
            raise self.text.refusal(node, "an asynchronous generator")
        compiler.prepare(parameters, scope)
        if isinstance(node, ast.Lambda):
            compiler.statement = self._enclosing(node)
            compiler.expression(node.body)
        elif isinstance(node, ast.GeneratorExp):
            compiler.statement = self._enclosing(node)
            self._generator_clauses(compiler, node, 0)
            compiler.constant(None)
        else:
            compiler.body(node.body)
            compiler.constant(None)
        compiler.emit(Op.RETURN, 0, -1)
        compiler.finish()
        compiler.move_free(scope)

    def _enclosing(self, node: ast.expr) -> int:
        """The statement that an expression stands in."""
        if self.is_library:
            return -1
        made = ast.copy_location(ast.Expr(node), node)
        return self.statement_number(made, "<lambda>")

    def _generator_clauses(self, compiler: FunctionCompiler, node: ast.GeneratorExp, level: int) -> None:
        from kripke.languages.python.assembly import Label

        if level == len(node.generators):
            compiler.expression(node.elt)
            compiler.emit(Op.YIELD)
            compiler.emit(Op.POP, 0, -1)
            return
        clause = node.generators[level]
        if clause.is_async:
            raise self.text.refusal(clause.target, "an asynchronous comprehension")
        if level == 0:
            compiler.emit(Op.LOAD_LOCAL, compiler.local(".0"), 1)
        else:
            compiler.expression(clause.iter)
            compiler.emit(Op.GET_ITERATOR)
        again, end = Label(), Label()
        compiler.place(again)
        compiler.jump(Op.FOR_ITERATOR, end, 1, -2)
        compiler.assign(clause.target)
        for test in clause.ifs:
            compiler.condition(test, again, False)
        self._generator_clauses(compiler, node, level + 1)
        compiler.jump(Op.JUMP, again)
        compiler.place(end)


def _literal(node: ast.expr) -> object:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Tuple) and not node.elts:
        return ()
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        return -value if isinstance(value, int | float) else NO_DEFAULT
    return NO_DEFAULT


def _bound_names(node: ast.stmt, nested: bool) -> list[str]:
    """Names that a statement of the module binds; ``nested``: only inside of loops."""
    if isinstance(node, _Function | ast.ClassDef):
        return [] if nested else [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [] if nested else [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
    found: list[str] = []
    todo: list[tuple[ast.AST, bool]] = [(node, False)]
    while todo:
        each, looped = todo.pop()
        if isinstance(each, _Function | ast.Lambda | ast.ClassDef | ast.GeneratorExp):
            if isinstance(each, _Function | ast.ClassDef) and (looped or not nested):
                found.append(each.name)
            continue
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load) and (looped or not nested):
            found += [each.id] * (2 if isinstance(each.ctx, ast.Del) else 1)
        if isinstance(each, ast.ExceptHandler) and each.name:
            found += [each.name] * 2
        if isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name):
            found.append(each.target.id)
        inside = looped or isinstance(each, ast.For | ast.While)
        todo.extend((child, inside) for child in ast.iter_child_nodes(each))
    return found


def _runs_program(node: ast.stmt, bindings: dict[str, Binding]) -> bool:
    """May the statement call a function of the program?"""
    for each in ast.walk(node):
        if isinstance(each, ast.Call):
            name = each.func
            while isinstance(name, ast.Attribute):
                name = name.value
            binding = bindings.get(name.id) if isinstance(name, ast.Name) else None
            if binding is None and not (isinstance(name, ast.Name) and hasattr(builtins, name.id)):
                return True
            if binding is not None and not binding.module:
                constant = binding.constant
                if not (isinstance(constant, Class) and constant.library):
                    return True
    return False


def _init_of(fields: list[ast.AnnAssign], post: bool, module: ModuleCompiler) -> ast.FunctionDef:
    """The ``__init__`` of a dataclass, as it would be written."""
    names, lines, parameters = [], [], ["self"]
    for each in fields:
        assert isinstance(each.target, ast.Name)
        name = each.target.id
        names.append(name)
        if each.value is None:
            parameters.append(name)
            lines.append(f"self.{name} = {name}")
        elif isinstance(each.value, ast.Constant):
            parameters.append(f"{name}={each.value.value!r}")
            lines.append(f"self.{name} = {name}")
        elif module._is_field(each.value):
            assert isinstance(each.value, ast.Call)
            factory = {keyword.arg: keyword.value for keyword in each.value.keywords}
            made = factory.pop("default_factory", None)
            if factory or not isinstance(made, ast.Name):
                raise module.text.refusal(each.value, "a field with anything but default_factory=NAME")
            parameters.append(f"{name}=None")
            lines.append(f"self.{name} = {made.id}() if {name} is None else {name}")
        else:
            raise module.text.refusal(each.value, "a field whose default is not a constant")
    lines += ["self.__post_init__()"] if post else []
    text = f"def __init__({', '.join(parameters)}):\n" + "\n".join(f"    {line}" for line in lines or ["pass"])
    made_function = ast.parse(text).body[0]
    assert isinstance(made_function, ast.FunctionDef)
    for node in ast.walk(made_function):
        if hasattr(node, "lineno") and fields:
            ast.copy_location(node, fields[0])
    return made_function


def _scope_of(node: ast.FunctionDef, table: ScopeTable) -> Scope:
    return ScopeTable(ast.Module([node], [])).of[node]
