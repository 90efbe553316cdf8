"""Statements of the subset as code.

In a statement the stack has the iterators of the loops around it and nothing else: an exception that was caught and a
context manager that was entered are in hidden variables. The body of ``finally`` is written wherever control leaves.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from kripke.heap.program import Class, Intrinsic, Op
from kripke.languages.python.assembly import Label, Region
from kripke.languages.python.expressions import _BINARY, ExpressionCompiler
from kripke.languages.python.scopes import Scope


@dataclass(slots=True)
class _Loop:
    again: Label
    end: Label
    depth: int


@dataclass(slots=True)
class _Leaving:
    """What runs when control leaves; ``region``: what is protected meanwhile."""

    run: Callable[[], None]
    region: Region


class FunctionCompiler(ExpressionCompiler):
    def prepare(self, parameters: list[str], scope: Scope) -> None:
        """Cells of variables that inner functions share."""
        for name in parameters:
            self.local(name)
        for name in sorted(scope.locals):
            if scope.owns(name):
                self.local(name)
        for name in scope.free:
            self.local(name)
        self._blocks: list[_Loop | _Leaving] = []
        self._caught: list[int] = []
        for name in sorted(scope.cells):
            self.emit(Op.MAKE_CELL, self.local(name))

    def move_free(self, scope: Scope) -> None:
        """Free variables take the last places: those are filled when the function is called."""
        names = self.code.local_names
        self.code.free = len(scope.free)
        if not scope.free:
            return
        order = [name for name in names if name not in scope.free] + list(scope.free)
        place = {name: number for number, name in enumerate(order)}
        uses = {
            Op.LOAD_LOCAL,
            Op.STORE_LOCAL,
            Op.CLEAR_LOCAL,
            Op.DELETE_LOCAL,
            Op.LOAD_CELL,
            Op.STORE_CELL,
            Op.MAKE_CELL,
        }
        for number, each in enumerate(self.code.instructions):
            if each.op in uses:
                self.code.instructions[number] = each._replace(argument=place[names[each.argument]])
        self.code.local_names[:] = order

    def body(self, statements: list[ast.stmt]) -> None:
        for each in statements:
            self.run(each)

    def run(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Pass | ast.Global | ast.Nonlocal | ast.Import | ast.ImportFrom):
            self.module.check_import(node, self)
            return
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return
        if not self.module.is_library:
            self.statement = self.module.statement_number(node, self.code.name)
        self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr():
                self.expression(node.value)
                self.emit(Op.POP, 0, -1)
            case ast.Assign():
                self.expression(node.value)
                for _ in node.targets[1:]:
                    self.emit(Op.DUP, 0, 1)
                for target in node.targets:
                    self.assign(target)
            case ast.AnnAssign():
                if node.value is not None:
                    self.expression(node.value)
                    self.assign(node.target)
            case ast.AugAssign():
                self._augmented(node)
            case ast.If():
                self._if(node)
            case ast.While():
                self._while(node)
            case ast.For():
                self._for(node)
            case ast.Return():
                self._return(node)
            case ast.Break() | ast.Continue():
                self._leave_loop(node)
            case ast.Raise():
                self._raise(node)
            case ast.Assert():
                self._assert(node)
            case ast.Try():
                self._try(node)
            case ast.With():
                self._with(node.items, node.body, node)
            case ast.AsyncWith():
                self._async_with(node.items, node.body, node)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._define(node)
            case ast.ClassDef():
                raise self.text.refusal(node, "a class inside of a function")
            case ast.Delete():
                for target in node.targets:
                    self._delete(target)
            case _:
                raise self.text.refusal(node, f"this statement ({type(node).__name__})")

    def _augmented(self, node: ast.AugAssign) -> None:
        operator = _BINARY.get(type(node.op))
        if operator is None:
            raise self.text.refusal(node, "this operator (use // to divide integers)")
        match node.target:
            case ast.Name():
                self.load(node.target.id, node.target)
                self.expression(node.value)
                self.emit(Op.INPLACE, operator, -1)
                self.store(node.target.id, node.target)
            case ast.Attribute():
                name = self.world.name(node.target.attr)
                if self.static(node.target) is not None:
                    raise self.text.refusal(node.target, "an assignment to a variable of another module")
                self.expression(node.target.value)
                self.emit(Op.DUP, 0, 1)
                self.emit(Op.LOAD_ATTRIBUTE, name)
                self.expression(node.value)
                self.emit(Op.INPLACE, operator, -1)
                self.emit(Op.SWAP)
                self.emit(Op.STORE_ATTRIBUTE, name, -2)
            case ast.Subscript():
                if isinstance(node.target.slice, ast.Slice):
                    raise self.text.refusal(node.target, "an assignment to a slice")
                self.expression(node.target.value)
                self.expression(node.target.slice)
                self.emit(Op.DUP2, 0, 2)
                self.emit(Op.SUBSCRIPT, 0, -1)
                self.expression(node.value)
                self.emit(Op.INPLACE, operator, -1)
                self.emit(Op.ROTATE, 3)
                self.emit(Op.STORE_SUBSCRIPT, 0, -3)
            case _:
                raise self.text.refusal(node.target, "this assignment")

    # --- control ------------------------------------------------------------------------------------------------------

    def _if(self, node: ast.If) -> None:
        otherwise, end = Label(), Label()
        self.condition(node.test, otherwise, False)
        self.body(node.body)
        if node.orelse:
            self.jump(Op.JUMP, end)
        self.place(otherwise)
        if node.orelse:
            self.body(node.orelse)
            self.place(end)

    def _while(self, node: ast.While) -> None:
        again, end, otherwise = Label(), Label(), Label()
        own = self.statement
        self.place(again)
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        if not endless:
            self.condition(node.test, otherwise, False)
        self._blocks.append(_Loop(again, end, self.depth))
        self.body(node.body)
        self._blocks.pop()
        self.statement = own
        self.jump(Op.JUMP, again)
        self.place(otherwise)
        self.body(node.orelse)
        self.place(end)

    def _for(self, node: ast.For) -> None:
        again, end, otherwise = Label(), Label(), Label()
        own = self.statement
        self.expression(node.iter)
        self.emit(Op.GET_ITERATOR)
        self.place(again)
        self.jump(Op.FOR_ITERATOR, otherwise, 1, -2)
        self.assign(node.target)
        self._blocks.append(_Loop(again, end, self.depth))
        self.body(node.body)
        self._blocks.pop()
        self.statement = own
        self.jump(Op.JUMP, again)
        self.place(otherwise)
        self.body(node.orelse)
        end.depth = -1
        self.place(end)

    def _leave_loop(self, node: ast.Break | ast.Continue) -> None:
        taken = []
        loop = None
        for block in reversed(self._blocks):
            if isinstance(block, _Loop):
                loop = block
                break
            taken.append(block)
        if loop is None:
            raise self.text.error(node, "'break' or 'continue' outside of a loop")
        depth = self.depth
        self._run_leaving(taken)
        if isinstance(node, ast.Continue):
            self.jump(Op.JUMP, loop.again)
        else:
            # A for loop has its iterator on the stack.
            if self._is_for(loop):
                self.emit(Op.POP, 0, -1)
            self.jump(Op.JUMP, loop.end)
        self._reopen(taken)
        self.depth = depth

    def _is_for(self, loop: _Loop) -> bool:
        place = loop.again.place
        return self.code.instructions[place].op == Op.FOR_ITERATOR

    def _run_leaving(self, blocks: list[_Leaving]) -> None:
        """What runs on the way out, the innermost first; none of it is protected by what it leaves."""
        saved = list(self._blocks)
        for block in blocks:
            self.close(block.region)
            del self._blocks[self._index(block) :]
            block.run()
        self._blocks = saved

    def _index(self, block: _Leaving) -> int:
        return next(number for number, each in enumerate(self._blocks) if each is block)

    def _reopen(self, blocks: list[_Leaving]) -> None:
        for block in blocks:
            self.reopen(block.region)

    def _return(self, node: ast.Return) -> None:
        if self.scope.is_module:
            raise self.text.error(node, "'return' outside of a function")
        if node.value is None:
            self.constant(None)
        else:
            self.expression(node.value)
        leaving = [block for block in reversed(self._blocks) if isinstance(block, _Leaving)]
        depth = self.depth
        if leaving:
            kept = self.hidden("value")
            self.emit(Op.STORE_LOCAL, kept, -1)
            self._run_leaving(leaving)
            self.emit(Op.LOAD_LOCAL, kept, 1)
        self.emit(Op.RETURN, 0, -1)
        self._reopen(leaving)
        self.depth = depth - 1

    def _raise(self, node: ast.Raise) -> None:
        if node.exc is None:
            if not self._caught:
                raise self.text.refusal(node, "raise without an exception, outside of except")
            self.emit(Op.LOAD_LOCAL, self._caught[-1], 1)
        else:
            self.expression(node.exc)
            known = self.static(node.exc)
            if known is not None and isinstance(known.constant, Class):
                self.plain_call(0)
        if node.cause is not None:
            self.expression(node.cause)
            self.emit(Op.POP, 0, -1)
        self.emit(Op.RAISE, 0, -1)

    def _assert(self, node: ast.Assert) -> None:
        fine = Label()
        self.condition(node.test, fine, True)
        self.library("AssertionError")
        if node.msg is not None:
            self.expression(node.msg)
        self.plain_call(int(node.msg is not None))
        self.emit(Op.RAISE, 0, -1)
        self.place(fine)

    # --- exceptions ---------------------------------------------------------------------------------------------------

    def _try(self, node: ast.Try) -> None:
        if not node.finalbody:
            self._try_except(node)
            return
        handler, end = Label(), Label()
        with self.protected(handler) as region:
            self._blocks.append(_Leaving(lambda: self.body(node.finalbody), region))
            if node.handlers:
                self._try_except(node)
            else:
                self.body(node.body)
            self._blocks.pop()
        self.body(node.finalbody)
        self.jump(Op.JUMP, end)
        self.enter_handler(region)
        caught = self.hidden("exception")
        self.emit(Op.STORE_LOCAL, caught, -1)
        self.body(node.finalbody)
        self.emit(Op.LOAD_LOCAL, caught, 1)
        self.emit(Op.RAISE, 0, -1)
        self.place(end)

    def _try_except(self, node: ast.Try) -> None:
        handler, end = Label(), Label()
        with self.protected(handler) as region:
            self.body(node.body)
        self.body(node.orelse)
        self.jump(Op.JUMP, end)
        self.enter_handler(region)
        caught = self.hidden("exception")
        self.emit(Op.STORE_LOCAL, caught, -1)
        for clause in node.handlers:
            following = Label()
            if clause.type is not None:
                self.emit(Op.LOAD_LOCAL, caught, 1)
                self.expression(clause.type)
                self.emit(Op.MATCHES, 0, -1)
                self.jump(Op.JUMP_IF_FALSE, following, -1)
            if clause.name:
                self.emit(Op.LOAD_LOCAL, caught, 1)
                self.store(clause.name, clause)
            self._caught.append(caught)
            self._handled(clause, caught)
            self._caught.pop()
            self.jump(Op.JUMP, end)
            self.place(following)
        self.emit(Op.LOAD_LOCAL, caught, 1)
        self.emit(Op.RAISE, 0, -1)
        self.place(end)

    def _handled(self, clause: ast.ExceptHandler, caught: int) -> None:
        """The body of a clause; its name is unbound wherever control leaves."""

        def forget() -> None:
            self.emit(Op.CLEAR_LOCAL, caught)
            if clause.name:
                self.constant(None)
                self.store(clause.name, clause)
                self._delete(ast.copy_location(ast.Name(clause.name, ast.Del()), clause))

        handler, end = Label(), Label()
        with self.protected(handler) as region:
            self._blocks.append(_Leaving(forget, region))
            self.body(clause.body)
            self._blocks.pop()
        forget()
        self.jump(Op.JUMP, end)
        self.enter_handler(region)
        forget()
        self.emit(Op.RAISE, 0, -1)
        self.place(end)

    def _with(self, items: list[ast.withitem], body: list[ast.stmt], node: ast.stmt) -> None:
        self._managed(items, body, "__enter__", "__exit__", lambda: None, node)

    def _async_with(self, items: list[ast.withitem], body: list[ast.stmt], node: ast.stmt) -> None:
        if not self.code.coroutine:
            raise self.text.error(node, "async with outside of an async function")
        self._managed(items, body, "__aenter__", "__aexit__", self.awaited, node)

    def _managed(
        self,
        items: list[ast.withitem],
        body: list[ast.stmt],
        enter: str,
        leave: str,
        finish: Callable[[], None],
        node: ast.stmt,
    ) -> None:
        if not items:
            self.body(body)
            return
        own = self.statement
        manager = self.hidden("manager")
        self.expression(items[0].context_expr)
        self.emit(Op.DUP, 0, 1)
        self.emit(Op.STORE_LOCAL, manager, -1)
        self.method(enter, 0)
        finish()
        target = items[0].optional_vars
        if target is None:
            self.emit(Op.POP, 0, -1)

        def close() -> None:
            inside, self.statement = self.statement, own
            self.emit(Op.LOAD_LOCAL, manager, 1)
            for _ in range(3):
                self.constant(None)
            self.method(leave, 3)
            finish()
            self.emit(Op.POP, 0, -1)
            self.emit(Op.CLEAR_LOCAL, manager)
            self.statement = inside

        handler, end, silent = Label(), Label(), Label()
        if target is not None:
            self.depth -= 1
        with self.protected(handler) as region:
            if target is not None:
                self.depth += 1
                self.assign(target)
            self._blocks.append(_Leaving(close, region))
            self._managed(items[1:], body, enter, leave, finish, node)
            self._blocks.pop()
        close()
        self.jump(Op.JUMP, end)
        self.enter_handler(region)
        caught = self.hidden("exception")
        self.statement = own
        self.emit(Op.STORE_LOCAL, caught, -1)
        self.emit(Op.LOAD_LOCAL, manager, 1)
        self.emit(Op.LOAD_LOCAL, caught, 1)
        self.intrinsic(Intrinsic.CLASS_OF)
        self.emit(Op.LOAD_LOCAL, caught, 1)
        self.constant(None)
        self.method(leave, 3)
        finish()
        self.emit(Op.TRUTH)
        self.jump(Op.JUMP_IF_TRUE, silent, -1)
        self.emit(Op.LOAD_LOCAL, caught, 1)
        self.emit(Op.RAISE, 0, -1)
        self.place(silent)
        self.emit(Op.CLEAR_LOCAL, caught)
        self.emit(Op.CLEAR_LOCAL, manager)
        self.place(end)

    # --- definitions --------------------------------------------------------------------------------------------------

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        binding = None if self.is_local(node.name) else self.module.resolve(node.name, node)
        if binding is not None and binding.is_constant:
            return
        for decorator in node.decorator_list:
            self.expression(decorator)
        self.module.inner_function(self, node)
        for _ in node.decorator_list:
            self.plain_call(1)
        self.store(node.name, node)

    def _delete(self, target: ast.expr) -> None:
        match target:
            case ast.Name():
                if self.is_local(target.id):
                    if self.is_cell(target.id):
                        raise self.text.refusal(target, "del of a variable that inner functions use")
                    self.emit(Op.DELETE_LOCAL, self.local(target.id))
                else:
                    self.emit(Op.DELETE_GLOBAL, self.module.resolve(target.id, target).slot)
            case ast.Subscript() if not isinstance(target.slice, ast.Slice):
                self.expression(target.value)
                self.expression(target.slice)
                self.emit(Op.DELETE_SUBSCRIPT, 0, -2)
            case _:
                raise self.text.refusal(target, "this del")
