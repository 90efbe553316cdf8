"""Conditions and values over the parameters of a sweep: ``"first == 'CFU' and user != 0"``.

The words are Python's, read by Python's parser, but nothing is executed: only comparison, arithmetic, ``and``, ``or``,
``not``, ``in``, ``x if c else y``, numbers, texts, lists and names of parameters have a meaning here.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from kripke.cli.main import UsageError

Value = bool | int | float | str
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda one, many: one in many,
    ast.NotIn: lambda one, many: one not in many,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}
_LONGEST = 10_000


class Condition:
    """A text of the plan, read once, asked for every combination. ``where`` names its place in messages."""

    def __init__(self, text: Any, where: str, names: Mapping[str, object] | set[str]) -> None:
        if not isinstance(text, str):
            raise UsageError(f'{where} is a text, such as "n > 2"')
        self.text, self.where = text, where
        try:
            if len(text) > _LONGEST:
                raise UsageError(f"{where} is longer than {_LONGEST:,} characters")
            self._tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise UsageError(f"{where}: {text!r} is no condition: {error}") from error
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Name) and node.id not in names and node.id not in ("true", "false"):
                known = ", ".join(sorted(names)) or "none"
                raise UsageError(f"{where}: there is no parameter {node.id!r} in {text!r}; there are: {known}")

    def value(self, values: Mapping[str, Value]) -> Any:
        """With these values of the parameters."""
        try:
            return self._value(self._tree, values)
        except (TypeError, ZeroDivisionError, OverflowError, RecursionError) as error:
            raise UsageError(f"{self.where}: {self.text!r} has no value: {error}") from error

    def _value(self, node: ast.expr, values: Mapping[str, Value]) -> Any:
        match node:
            case ast.Constant(value=bool() | int() | float() | str()):
                return node.value
            case ast.Name():
                return values.get(node.id, node.id == "true")
            case ast.List() | ast.Tuple() | ast.Set():
                return [self._value(each, values) for each in node.elts]
            case ast.BoolOp(op=ast.And()):
                return all(self._value(each, values) for each in node.values)
            case ast.BoolOp():
                return any(self._value(each, values) for each in node.values)
            case ast.UnaryOp(op=ast.Not()):
                return not self._value(node.operand, values)
            case ast.UnaryOp(op=ast.USub()):
                return -self._value(node.operand, values)
            case ast.IfExp():
                return self._value(node.body if self._value(node.test, values) else node.orelse, values)
            case ast.BinOp() if type(node.op) in _ARITHMETIC:
                return self._arithmetic(node, values)
            case ast.Compare() if all(type(op) in _COMPARE for op in node.ops):
                left = self._value(node.left, values)
                for op, right_node in zip(node.ops, node.comparators, strict=True):
                    right = self._value(right_node, values)
                    if not _COMPARE[type(op)](left, right):
                        return False
                    left = right
                return True
        raise UsageError(
            f"{self.where}: {ast.unparse(node)!r} is not allowed; write comparisons, arithmetic, and, or, not, in, "
            "x if c else y"
        )

    def _arithmetic(self, node: ast.BinOp, values: Mapping[str, Value]) -> Any:
        left, right = self._value(node.left, values), self._value(node.right, values)
        texts = isinstance(left, str | list) or isinstance(right, str | list)
        if texts and not isinstance(node.op, ast.Add):  # a text times a number could fill the memory
            raise TypeError(f"{ast.unparse(node)} calculates with texts")
        return _ARITHMETIC[type(node.op)](left, right)
