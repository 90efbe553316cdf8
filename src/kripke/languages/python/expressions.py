"""Expressions of the subset as code."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kripke.heap.program import INTRINSIC_ARGUMENTS, NO_DEFAULT, Binary, Call, Compare, Intrinsic, Op
from kripke.languages.python.assembly import Assembler, Binding, Label
from kripke.languages.python.scopes import INNER, Scope

if TYPE_CHECKING:
    from kripke.heap.program import Class, Code
    from kripke.languages.python.module import ModuleCompiler

_BINARY = {
    ast.Add: Binary.ADD, ast.Sub: Binary.SUB, ast.Mult: Binary.MUL, ast.FloorDiv: Binary.DIV, ast.Mod: Binary.MOD,
    ast.Pow: Binary.POW, ast.LShift: Binary.LSHIFT, ast.RShift: Binary.RSHIFT, ast.BitAnd: Binary.AND,
    ast.BitOr: Binary.OR, ast.BitXor: Binary.XOR,
}  # fmt: skip
_COMPARE = {
    ast.Lt: Compare.LT, ast.LtE: Compare.LE, ast.Gt: Compare.GT, ast.GtE: Compare.GE, ast.Eq: Compare.EQ,
    ast.NotEq: Compare.EQ, ast.Is: Compare.IS, ast.IsNot: Compare.IS, ast.In: Compare.IN, ast.NotIn: Compare.IN,
}  # fmt: skip
_NEGATED = (ast.NotEq, ast.IsNot, ast.NotIn)
_MOST = 1 << 63


class ExpressionCompiler(Assembler):
    def __init__(self, module: ModuleCompiler, scope: Scope, code: Code, owner: Class | None = None) -> None:
        super().__init__(code)
        self.module = module
        self.world = module.world
        self.text = module.text
        self.scope = scope
        #: the class whose body the function stands in, for super()
        self.owner = owner
        self.slots = {name: number for number, name in enumerate(code.local_names)}
        self._hidden = 0

    # --- names --------------------------------------------------------------------------------------------------------

    def local(self, name: str) -> int:
        """The place of a variable of this function."""
        if name not in self.slots:
            self.slots[name] = len(self.code.local_names)
            self.code.local_names.append(name)
        return self.slots[name]

    def hidden(self, purpose: str) -> int:
        self._hidden += 1
        return self.local(f".{purpose}{self._hidden}")

    def is_cell(self, name: str) -> bool:
        return name in self.scope.cells or name in self.scope.free

    def is_local(self, name: str) -> bool:
        return self.scope.owns(name) or name in self.scope.free

    def load(self, name: str, node: ast.AST) -> None:
        if self.is_local(name):
            op = Op.LOAD_CELL if self.is_cell(name) else Op.LOAD_LOCAL
            self.emit(op, self.local(name), 1)
            return
        binding = self.module.resolve(name, node)
        if binding.module:
            raise self.text.refusal(node, f"the module {binding.module} as a value")
        self.load_binding(binding)

    def load_binding(self, binding: Binding) -> None:
        if binding.is_constant:
            self.constant(binding.constant)
        else:
            self.emit(Op.LOAD_GLOBAL, binding.slot, 1)

    def store(self, name: str, node: ast.AST) -> None:
        if self.is_local(name):
            self.emit(Op.STORE_CELL if self.is_cell(name) else Op.STORE_LOCAL, self.local(name), -1)
            return
        binding = self.module.resolve(name, node)
        if binding.slot < 0:
            raise self.text.refusal(node, f"a second meaning of {name}")
        self.emit(Op.STORE_GLOBAL, binding.slot, -1)

    def constant(self, value: object) -> None:
        self.emit(Op.CONST, self.world.constant(value), 1)

    def library(self, name: str) -> None:
        """A function of the library."""
        self.constant(self.world.modules["builtins"][name].constant)

    def intrinsic(self, which: Intrinsic) -> None:
        self.emit(Op.INTRINSIC, which, 1 - INTRINSIC_ARGUMENTS[which])

    def method(self, name: str, count: int) -> None:
        """Call a method: the receiver and its arguments are on the stack."""
        self.emit(Op.CALL_METHOD, self.world.call(Call(self.world.name(name), count, ())), -count)

    def plain_call(self, count: int) -> None:
        self.emit(Op.CALL, self.world.call(Call(-1, count, ())), -count)

    # --- expressions --------------------------------------------------------------------------------------------------

    def expression(self, node: ast.expr) -> None:
        match node:
            case ast.Constant():
                self._constant(node)
            case ast.Name():
                self.load(node.id, node)
            case ast.BinOp():
                operator = _BINARY.get(type(node.op))
                if operator is None:
                    hint = "true division makes floating-point numbers; // divides integers"
                    what = "the operator /" if isinstance(node.op, ast.Div) else "the operator @"
                    raise self.text.error(node, f"{what} is outside of what can be checked here", hint)
                self.expression(node.left)
                self.expression(node.right)
                self.emit(Op.BINARY, operator, -1)
            case ast.UnaryOp():
                self._unary(node)
            case ast.BoolOp():
                self._boolean(node)
            case ast.Compare():
                self._comparison(node)
            case ast.IfExp():
                otherwise, end = Label(), Label()
                self.condition(node.test, otherwise, False)
                self.expression(node.body)
                self.jump(Op.JUMP, end)
                self.depth -= 1
                self.place(otherwise)
                self.expression(node.orelse)
                self.place(end)
            case ast.Tuple():
                self._sequence(node.elts, Op.BUILD_TUPLE)
            case ast.List():
                self._sequence(node.elts, Op.BUILD_LIST)
            case ast.Set():
                self._sequence(node.elts, Op.BUILD_SET)
            case ast.Dict():
                self._dictionary(node)
            case ast.Attribute():
                self._attribute(node)
            case ast.Subscript():
                self._subscript(node)
            case ast.Call():
                self._call(node)
            case ast.ListComp() | ast.SetComp() | ast.DictComp():
                self._comprehension(node)
            case ast.GeneratorExp() | ast.Lambda():
                self.module.inner_function(self, node)
            case ast.JoinedStr():
                self._joined(node)
            case ast.NamedExpr():
                self.expression(node.value)
                self.emit(Op.DUP, 0, 1)
                self.store(node.target.id, node)
            case ast.Await():
                self._await(node)
            case ast.Yield():
                self._needs_function(node)
                if node.value is None:
                    self.constant(None)
                else:
                    self.expression(node.value)
                self.emit(Op.YIELD)
            case ast.YieldFrom():
                self._needs_function(node)
                self.expression(node.value)
                self.emit(Op.GET_ITERATOR)
                self.delegate()
            case _:
                raise self.text.refusal(node, f"this expression ({type(node).__name__})")

    def _needs_function(self, node: ast.AST) -> None:
        if self.scope.is_module or self.code.coroutine:
            what = "an asynchronous generator" if self.code.coroutine else "yield outside of a function"
            raise self.text.refusal(node, what)

    def _constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, int) and not isinstance(value, bool) and not -_MOST <= value < _MOST:
            raise self.text.refusal(node, "an integer of more than 64 bits")
        if value is not None and not isinstance(value, bool | int | str | float):
            raise self.text.refusal(node, f"a constant of type {type(value).__name__}")
        if isinstance(value, str) and any(0xD800 <= ord(letter) < 0xE000 for letter in value):
            raise self.text.refusal(node, "half of a surrogate pair")
        self.constant(value)

    def _unary(self, node: ast.UnaryOp) -> None:
        match node.op, node.operand:
            case ast.USub(), ast.Constant(value=(int() | float()) as value) if not isinstance(value, bool):
                self._constant(ast.copy_location(ast.Constant(-value), node))
            case ast.Not(), _:
                self.expression(node.operand)
                self._truth(node.operand)
                self.emit(Op.NOT)
            case ast.UAdd(), _:
                raise self.text.refusal(node, "the operator + before a value")
            case _:
                self.expression(node.operand)
                self.emit(Op.UNARY, 0 if isinstance(node.op, ast.USub) else 1)

    def _truth(self, node: ast.expr) -> None:
        """Objects may have their own truth; comparisons are true or false."""
        known = isinstance(node, ast.Compare) and all(not isinstance(op, ast.Eq | ast.NotEq) for op in node.ops)
        if not known and not (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
            self.emit(Op.TRUTH)

    def condition(self, node: ast.expr, target: Label, when: bool) -> None:
        """Jump to the target when the condition is so."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.condition(node.operand, target, not when)
        elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or if when else ast.And):
            for value in node.values:
                self.condition(value, target, when)
        elif isinstance(node, ast.BoolOp):
            skip = Label()
            for value in node.values[:-1]:
                self.condition(value, skip, not when)
            self.condition(node.values[-1], target, when)
            self.place(skip)
        else:
            self.expression(node)
            self._truth(node)
            self.jump(Op.JUMP_IF_TRUE if when else Op.JUMP_IF_FALSE, target, -1)

    def _boolean(self, node: ast.BoolOp) -> None:
        end = Label()
        op = Op.JUMP_IF_TRUE if isinstance(node.op, ast.Or) else Op.JUMP_IF_FALSE
        for value in node.values[:-1]:
            self.expression(value)
            self.emit(Op.DUP, 0, 1)
            self.emit(Op.TRUTH)
            self.jump(op, end, -1)
            self.emit(Op.POP, 0, -1)
        self.expression(node.values[-1])
        self.place(end)

    def _comparison(self, node: ast.Compare) -> None:
        self.expression(node.left)
        end, several = Label(), len(node.ops) > 1
        for number, (operator, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
            self.expression(right)
            last = number == len(node.ops) - 1
            if not last:
                self.emit(Op.DUP, 0, 1)
                self.emit(Op.ROTATE, 3)
            self.emit(Op.COMPARE, _COMPARE[type(operator)], -1)
            if isinstance(operator, _NEGATED):
                if isinstance(operator, ast.NotEq):
                    self.emit(Op.TRUTH)
                self.emit(Op.NOT)
            if not last:
                self.emit(Op.DUP, 0, 1)
                self.emit(Op.TRUTH)
                self.jump(Op.JUMP_IF_FALSE, end, -1)
                self.emit(Op.POP, 0, -1)
        if several:
            done = Label()
            self.jump(Op.JUMP, done)
            self.place(end)
            self.emit(Op.SWAP)
            self.emit(Op.POP, 0, -1)
            self.place(done)

    def _sequence(self, elements: list[ast.expr], op: Op) -> None:
        if not any(isinstance(each, ast.Starred) for each in elements):
            for each in elements:
                self.expression(each)
            self.emit(op, len(elements), 1 - len(elements))
            return
        self._spread_list(elements)
        if op == Op.BUILD_TUPLE:
            self.intrinsic(Intrinsic.TUPLE_OF)
        elif op == Op.BUILD_SET:
            self.library("set")
            self.emit(Op.SWAP)
            self.plain_call(1)

    def _spread_list(self, elements: list[ast.expr]) -> None:
        """A list with what starred expressions give."""
        self.emit(Op.BUILD_LIST, 0, 1)
        for each in elements:
            if isinstance(each, ast.Starred):
                self.emit(Op.DUP, 0, 1)
                self.expression(each.value)
                self.method("extend", 1)
                self.emit(Op.POP, 0, -1)
            else:
                self.expression(each)
                self.emit(Op.LIST_APPEND, 1, -1)

    def _dictionary(self, node: ast.Dict) -> None:
        if any(key is None for key in node.keys):
            self.emit(Op.BUILD_DICT, 0, 1)
            for key, value in zip(node.keys, node.values, strict=True):
                if key is None:
                    self.emit(Op.DUP, 0, 1)
                    self.expression(value)
                    self.method("update", 1)
                    self.emit(Op.POP, 0, -1)
                else:
                    self.expression(key)
                    self.expression(value)
                    self.emit(Op.DICT_PUT, 1, -2)
            return
        for key, value in zip(node.keys, node.values, strict=True):
            assert key is not None
            self.expression(key)
            self.expression(value)
        self.emit(Op.BUILD_DICT, len(node.keys), 1 - 2 * len(node.keys))

    def static(self, node: ast.expr) -> Binding | None:
        """What a name or ``module.name`` stands for, known without running anything."""
        if isinstance(node, ast.Name) and not self.is_local(node.id):
            return self.module.resolve(node.id, node)
        if isinstance(node, ast.Attribute):
            outer = self.static(node.value)
            if outer is not None and outer.module:
                return self.module.member(outer.module, node.attr, node)
        return None

    def _attribute(self, node: ast.Attribute) -> None:
        known = self.static(node)
        if known is not None:
            if known.module:
                raise self.text.refusal(node, f"the module {known.module} as a value")
            self.load_binding(known)
            return
        if self._is_super(node.value):
            self._super_function(node)
            self.load(self.code.local_names[0], node)
            self.library("_bound")
            self.emit(Op.ROTATE, 3)
            self.plain_call(2)
            return
        self._check_attribute(node)
        self.expression(node.value)
        self.emit(Op.LOAD_ATTRIBUTE, self.world.name(node.attr))

    def _check_attribute(self, node: ast.Attribute) -> None:
        name = node.attr
        if name.startswith("__") and name.endswith("__") and name not in self.module.allowed_names:
            raise self.text.refusal(node, f"the attribute {name}")

    def _subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.slice, ast.Slice):
            self.library("_slice")
            self.expression(node.value)
            for bound in (node.slice.lower, node.slice.upper, node.slice.step):
                if bound is None:
                    self.constant(None)
                else:
                    self.expression(bound)
            self.plain_call(4)
            return
        self.expression(node.value)
        self.expression(node.slice)
        self.emit(Op.SUBSCRIPT, 0, -1)

    # --- calls --------------------------------------------------------------------------------------------------------

    def _is_super(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"

    def _super_function(self, node: ast.Attribute) -> None:
        """The function that the base class has under this name."""
        assert isinstance(node.value, ast.Call)
        if node.value.args or self.owner is None or self.owner.base is None:
            raise self.text.refusal(node.value, "super() with arguments, or outside of a class with a base")
        function = self.module.inherited(self.owner.base, node.attr)
        if function is None:
            raise self.text.error(node, f"no base class of {self.owner.name} has a method {node.attr}")
        self.constant(function)

    def _call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Name) and self.module.is_library and function.id.startswith("__"):
            self._intrinsic_call(node, function.id)
            return
        if isinstance(function, ast.Name) and not self.is_local(function.id):
            self.module.check_call(node, function.id)
        if isinstance(function, ast.Attribute) and self._is_super(function.value):
            self._super_function(function)
            self.load(self.code.local_names[0], node)
            self._arguments(node, 1)
            return
        if isinstance(function, ast.Attribute) and self.static(function) is None:
            self._check_attribute(function)
            spread = any(isinstance(each, ast.Starred) for each in node.args) or any(
                k.arg is None for k in node.keywords
            )
            self.expression(function.value)
            if not spread:
                for each in node.args:
                    self.expression(each)
                for keyword in node.keywords:
                    self.expression(keyword.value)
                names = tuple(self.world.name(keyword.arg or "") for keyword in node.keywords)
                call = Call(self.world.name(function.attr), len(node.args), names)
                self.emit(Op.CALL_METHOD, self.world.call(call), -len(node.args) - len(names))
                return
            self.emit(Op.LOAD_ATTRIBUTE, self.world.name(function.attr))
        else:
            self.expression(function)
        self._arguments(node, 0)

    def _arguments(self, node: ast.Call, given: int) -> None:
        """The function is on the stack, and ``given`` arguments."""
        if any(isinstance(each, ast.Starred) for each in node.args) or any(k.arg is None for k in node.keywords):
            self.emit(Op.BUILD_LIST, given, 1 - given)
            for each in node.args:
                if isinstance(each, ast.Starred):
                    self.emit(Op.DUP, 0, 1)
                    self.expression(each.value)
                    self.method("extend", 1)
                    self.emit(Op.POP, 0, -1)
                else:
                    self.expression(each)
                    self.emit(Op.LIST_APPEND, 1, -1)
            self.emit(Op.BUILD_DICT, 0, 1)
            for keyword in node.keywords:
                if keyword.arg is None:
                    self.emit(Op.DUP, 0, 1)
                    self.expression(keyword.value)
                    self.method("update", 1)
                    self.emit(Op.POP, 0, -1)
                else:
                    self.world.name(keyword.arg)
                    self.constant(keyword.arg)
                    self.expression(keyword.value)
                    self.emit(Op.DICT_PUT, 1, -2)
            self.emit(Op.CALL_SPREAD, 0, -2)
            return
        for each in node.args:
            self.expression(each)
        for keyword in node.keywords:
            self.expression(keyword.value)
        names = tuple(self.world.name(keyword.arg or "") for keyword in node.keywords)
        call = Call(-1, given + len(node.args), names)
        self.emit(Op.CALL, self.world.call(call), -call.positional - len(names))

    def _intrinsic_call(self, node: ast.Call, name: str) -> None:
        if name == "__wait":
            again, go = Label(), Label()
            self.place(again)
            self.emit(Op.WAIT)
            self.condition(node.args[0], go, True)
            self.jump(Op.BLOCK, again)
            self.place(go)
            self.constant(None)
            return
        for each in node.args:
            self.expression(each)
        if name == "__point":
            self.emit(Op.POINT)
        elif name == "__choose":
            self.emit(Op.CHOOSE)
        else:
            self.intrinsic(Intrinsic[name[2:].upper()])

    # --- comprehensions, text, delegation -----------------------------------------------------------------------------

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp) -> None:
        build = {ast.ListComp: Op.BUILD_LIST, ast.SetComp: Op.BUILD_SET, ast.DictComp: Op.BUILD_DICT}[type(node)]
        self.emit(build, 0, 1)
        self._clauses(node, node.generators)
        for generator in node.generators:
            for each in ast.walk(generator.target):
                if isinstance(each, ast.Name) and INNER in each.id:
                    self.emit(Op.CLEAR_LOCAL, self.local(each.id))

    def _clauses(self, node: ast.ListComp | ast.SetComp | ast.DictComp, clauses: list[ast.comprehension]) -> None:
        if not clauses:
            level = len(node.generators) + 1
            if isinstance(node, ast.DictComp):
                self.expression(node.key)
                self.expression(node.value)
                self.emit(Op.DICT_PUT, level, -2)
            else:
                self.expression(node.elt)
                self.emit(Op.LIST_APPEND if isinstance(node, ast.ListComp) else Op.SET_ADD, level, -1)
            return
        first = clauses[0]
        if first.is_async:
            raise self.text.refusal(first.target, "an asynchronous comprehension")
        self.expression(first.iter)
        self.emit(Op.GET_ITERATOR)
        again, end = Label(), Label()
        self.place(again)
        self.jump(Op.FOR_ITERATOR, end, 1, -2)
        self.assign(first.target)
        for test in first.ifs:
            self.condition(test, again, False)
        self._clauses(node, clauses[1:])
        self.jump(Op.JUMP, again)
        self.place(end)

    def assign(self, target: ast.expr) -> None:
        """Store what is on the stack."""
        match target:
            case ast.Name():
                self.store(target.id, target)
            case ast.Attribute():
                self.store_attribute(target)
            case ast.Subscript():
                if isinstance(target.slice, ast.Slice):
                    raise self.text.refusal(target, "an assignment to a slice")
                self.expression(target.value)
                self.expression(target.slice)
                self.emit(Op.STORE_SUBSCRIPT, 0, -3)
            case ast.Tuple() | ast.List():
                self._unpack(target)
            case _:
                raise self.text.refusal(target, "this assignment")

    def store_attribute(self, target: ast.Attribute) -> None:
        """The value is on the stack."""
        self._check_attribute(target)
        known = self.static(target)
        if known is not None:
            raise self.text.refusal(target, "an assignment to a variable of another module")
        self.expression(target.value)
        self.emit(Op.STORE_ATTRIBUTE, self.world.name(target.attr), -2)

    def _unpack(self, target: ast.Tuple | ast.List) -> None:
        starred = [number for number, each in enumerate(target.elts) if isinstance(each, ast.Starred)]
        if not starred:
            self.emit(Op.UNPACK, len(target.elts), len(target.elts) - 1)
            for each in target.elts:
                self.assign(each)
            return
        before, after = starred[0], len(target.elts) - starred[0] - 1
        self.library("_unpack")
        self.emit(Op.SWAP)
        self.constant(before)
        self.constant(after)
        self.plain_call(3)
        self.emit(Op.UNPACK, len(target.elts), len(target.elts) - 1)
        for each in target.elts:
            self.assign(each.value if isinstance(each, ast.Starred) else each)

    def _joined(self, node: ast.JoinedStr) -> None:
        if not node.values:
            self.constant("")
        for number, part in enumerate(node.values):
            if isinstance(part, ast.Constant):
                self._constant(part)
            elif isinstance(part, ast.FormattedValue):
                self._formatted(part)
            if number:
                self.emit(Op.BINARY, Binary.ADD, -1)

    def _formatted(self, part: ast.FormattedValue) -> None:
        self.library("_format")
        self.expression(part.value)
        self.constant({-1: "", 115: "s", 114: "r", 97: "a"}[part.conversion])
        if part.format_spec is None:
            self.constant("")
        else:
            self.expression(part.format_spec)
        self.plain_call(3)

    def _await(self, node: ast.Await) -> None:
        if not self.code.coroutine:
            raise self.text.error(node, "await outside of an async function")
        self.expression(node.value)
        self.awaited()

    def awaited(self) -> None:
        """Wait for what is on the stack."""
        self.library("_awaitable")
        self.emit(Op.SWAP)
        self.plain_call(1)
        self.delegate()

    def delegate(self) -> None:
        """Run the generator on the stack; what it yields is yielded, what it returns is the value."""
        self.constant(None)
        again, end = Label(), Label()
        self.place(again)
        self.jump(Op.SEND, end, 0, -1)
        self.emit(Op.YIELD)
        self.jump(Op.JUMP, again)
        self.place(end)

    # --- functions ----------------------------------------------------------------------------------------------------

    def make_function(
        self, code: Code, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: Scope
    ) -> None:
        """Push the function; one that closes over nothing and has constant defaults is a constant."""
        constant = self.module.constant_function(code, node, scope)
        if constant is not None:
            self.constant(constant)
            return
        for default in node.args.defaults:
            self.expression(default)
        self.emit(Op.BUILD_TUPLE, len(node.args.defaults), 1 - len(node.args.defaults))
        for each in node.args.kw_defaults:
            if each is None:
                self.constant(NO_DEFAULT)
            else:
                self.expression(each)
        self.emit(Op.BUILD_TUPLE, len(node.args.kw_defaults), 1 - len(node.args.kw_defaults))
        self.close_over(code, scope)

    def close_over(self, code: Code, scope: Scope) -> None:
        for name in scope.free:
            self.emit(Op.LOAD_LOCAL, self.local(name), 1)
        self.emit(Op.MAKE_FUNCTION, code.number, -1 - len(scope.free))
