"""Which variables belong to which function: locals, those that inner functions share (cells), and those from outside.

Comprehensions run in the function they stand in, with variables of their own (PEP 709); a generator expression is a
function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp)
#: marks the variables of comprehensions; no name of a program has it
INNER = "·"


@dataclass(slots=True)
class Scope:
    node: ast.AST
    parent: Scope | None
    locals: set[str] = field(default_factory=set)
    parameters: list[str] = field(default_factory=list)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    cells: set[str] = field(default_factory=set)
    free: list[str] = field(default_factory=list)
    children: list[Scope] = field(default_factory=list)
    is_module: bool = False
    is_class: bool = False

    def owns(self, name: str) -> bool:
        if self.is_module:
            return INNER in name and name in self.locals
        return name in self.locals and name not in self.globals and name not in self.nonlocals


class _Renamer(ast.NodeTransformer):
    """Gives the variables of comprehensions names of their own."""

    def __init__(self) -> None:
        self._count = 0
        self._names: list[dict[str, str]] = []

    def visit_Name(self, node: ast.Name) -> ast.AST:
        for names in reversed(self._names):
            if node.id in names:
                return ast.copy_location(ast.Name(names[node.id], node.ctx), node)
        return node

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp) -> ast.AST:
        first = self.visit(node.generators[0].iter)
        names: dict[str, str] = {}
        for generator in node.generators:
            for each in ast.walk(generator.target):
                if isinstance(each, ast.Name):
                    self._count += 1
                    names[each.id] = f"{each.id}{INNER}{self._count}"
        self._names.append(names)
        for number, generator in enumerate(node.generators):
            generator.target = self.visit(generator.target)
            generator.iter = first if number == 0 else self.visit(generator.iter)
            generator.ifs = [self.visit(test) for test in generator.ifs]
        if isinstance(node, ast.DictComp):
            node.key, node.value = self.visit(node.key), self.visit(node.value)
        else:
            node.elt = self.visit(node.elt)
        self._names.pop()
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        return self._comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        return self._comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        return self._comprehension(node)

    def _hidden(self, node: ast.AST, hidden: set[str]) -> ast.AST:
        """A function: its own variables are not those of a comprehension around it."""
        self._names.append({name: name for name in hidden})
        self.generic_visit(node)
        self._names.pop()
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        node.args.defaults = [self.visit(each) for each in node.args.defaults]
        node.args.kw_defaults = [None if each is None else self.visit(each) for each in node.args.kw_defaults]
        defaults, node.args.defaults = node.args.defaults, []
        others, node.args.kw_defaults = node.args.kw_defaults, []
        self._hidden(node, {each.arg for each in _arguments(node.args)})
        node.args.defaults, node.args.kw_defaults = defaults, others
        return node

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        bound = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        node.generators[0].iter = self.visit(node.generators[0].iter)
        first, node.generators[0].iter = node.generators[0].iter, ast.Constant(None)
        self._hidden(node, bound)
        node.generators[0].iter = first
        return node


def rename_comprehensions(tree: ast.Module) -> None:
    _Renamer().visit(tree)


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    if arguments.vararg is not None:
        found.append(arguments.vararg)
    if arguments.kwarg is not None:
        found.append(arguments.kwarg)
    return found


class ScopeTable:
    """The scope of every function of a module."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope(tree, None, is_module=True)
        self.of: dict[ast.AST, Scope] = {tree: self.module}
        for statement in tree.body:
            self._visit(statement, self.module)
        self._resolve(self.module)

    def _open(self, node: ast.AST, parent: Scope, is_class: bool = False) -> Scope:
        scope = Scope(node, parent, is_class=is_class)
        parent.children.append(scope)
        self.of[node] = scope
        return scope

    def _visit(self, node: ast.AST, scope: Scope) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                scope.locals.add(node.name)
                for each in [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults]:
                    if each is not None:
                        self._visit(each, scope)
                inner = self._open(node, scope)
                inner.parameters = [each.arg for each in _arguments(node.args)]
                inner.locals.update(inner.parameters)
                for statement in node.body:
                    self._visit(statement, inner)
            case ast.Lambda():
                for each in [*node.args.defaults, *node.args.kw_defaults]:
                    if each is not None:
                        self._visit(each, scope)
                inner = self._open(node, scope)
                inner.parameters = [each.arg for each in _arguments(node.args)]
                inner.locals.update(inner.parameters)
                self._visit(node.body, inner)
            case ast.GeneratorExp():
                self._visit(node.generators[0].iter, scope)
                inner = self._open(node, scope)
                inner.parameters = [".0"]
                inner.locals.add(".0")
                for number, generator in enumerate(node.generators):
                    self._visit(generator.target, inner)
                    if number:
                        self._visit(generator.iter, inner)
                    for test in generator.ifs:
                        self._visit(test, inner)
                self._visit(node.elt, inner)
            case ast.ClassDef():
                scope.locals.add(node.name)
                for each in [*node.bases, *node.decorator_list]:
                    self._visit(each, scope)
                inner = self._open(node, scope, is_class=True)
                for statement in node.body:
                    self._visit(statement, inner)
            case ast.Name():
                if isinstance(node.ctx, ast.Load):
                    scope.used.add(node.id)
                else:
                    scope.locals.add(node.id)
            case ast.Global():
                scope.globals.update(node.names)
            case ast.Nonlocal():
                scope.nonlocals.update(node.names)
            case ast.ExceptHandler():
                if node.name:
                    scope.locals.add(node.name)
                self._children(node, scope)
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    scope.locals.add((alias.asname or alias.name).partition(".")[0])
            case ast.AnnAssign():
                self._visit(node.target, scope)
                if node.value is not None:
                    self._visit(node.value, scope)
            case _:
                self._children(node, scope)

    def _children(self, node: ast.AST, scope: Scope) -> None:
        for child in ast.iter_child_nodes(node):
            self._visit(child, scope)

    def _resolve(self, scope: Scope) -> set[str]:
        """Names this scope takes from functions around it."""
        wanted = {name for name in scope.used | scope.nonlocals if not scope.owns(name) and name not in scope.globals}
        for child in scope.children:
            for name in self._resolve(child):
                if scope.owns(name) and not scope.is_class:
                    scope.cells.add(name)
                elif name not in scope.globals:
                    wanted.add(name)
        outer = {name for name in wanted if self._owned_outside(scope, name)}
        if not scope.is_module:
            scope.free = sorted(outer)
        return outer

    @staticmethod
    def _owned_outside(scope: Scope, name: str) -> bool:
        at = scope.parent
        while at is not None:
            if at.owns(name) and not at.is_class:
                return True
            if name in at.globals:
                return False
            at = at.parent
        return False


def is_generator(node: ast.AST) -> bool:
    """Does a function yield?"""
    return any(isinstance(each, ast.Yield | ast.YieldFrom) for each in own_nodes(node))


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """What belongs to a function itself, not to those inside."""
    body = node.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else [node]
    todo: list[ast.AST] = list(body)
    while todo:
        each = todo.pop()
        yield each
        if not isinstance(each, (*FUNCTIONS, ast.ClassDef)):
            todo.extend(ast.iter_child_nodes(each))
