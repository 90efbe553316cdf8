"""What is asked of a program: conditions on its global variables, and formulas over such conditions."""

from __future__ import annotations

import ast
import io
import tokenize
from typing import TYPE_CHECKING

from kripke.heap.program import Intrinsic, Op
from kripke.languages.python.assembly import Text, World
from kripke.languages.python.scopes import Scope
from kripke.languages.python.statements import FunctionCompiler
from kripke.model.source import NOWHERE, Sources, Span

if TYPE_CHECKING:
    from kripke.languages.python.module import ModuleCompiler
    from kripke.logic.formula import Formula
    from kripke.model.property import Temporal

_ALLOWED = (
    ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Attribute, ast.Subscript, ast.Tuple,
    ast.IfExp,
)  # fmt: skip
#: words that end a condition inside of a formula
_OPERATORS = frozenset({
    "U", "V", "R", "W", "M", "P", "X", "F", "G", "until", "weakuntil", "stronguntil", "release", "implies",
    "equivalent", "precedes", "since", "triggered", "and", "or",
})  # fmt: skip


class _ConditionCompiler(FunctionCompiler):
    """Conditions are read without calling anything."""

    def _call(self, node: ast.Call) -> None:
        self.expression(node.args[0])
        self.intrinsic(Intrinsic.LEN)


class Questions:
    def __init__(self, world: World, module: ModuleCompiler, sources: Sources) -> None:
        self.world, self.module, self.sources = world, module, sources
        #: text, code, and what it is while a variable has no value yet
        self.atoms: list[tuple[str, int, bool]] = []
        self.watched: set[int] = set()
        self.deep = False
        self.properties: list[Temporal] = []

    def invariant(self, text: str, source: str) -> None:
        """It is asked from when its variables have values."""
        self._atom(text, text, source, True)

    def condition(self, text: str, source: str) -> str:
        """The name of its atom."""
        name = text
        while any(known == name and unbound for known, _, unbound in self.atoms):
            name += " "
        self._atom(name, text, source, False)
        return name

    def _atom(self, name: str, text: str, source: str, unbound: bool) -> None:
        if all(known != name for known, _, _ in self.atoms):
            quoted = len(text) > 1 and text[0] == text[-1] == '"'
            self.atoms.append((name, self._compile(text[1:-1] if quoted else text, source), unbound))

    def _compile(self, text: str, source: str) -> int:
        self.sources.add(source, text)
        try:
            node = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError) as error:
            column = getattr(error, "offset", 1) or 1
            span = Span(source, 1, column, 1, column + 1)
            raise self.sources.error(f"not a condition in Python: {getattr(error, 'msg', error)}", span) from None
        where = Text(source, self.sources, text)
        self._check(node, where)
        code = self.world.new_code(source)
        code.library = True
        before, self.module.text = self.module.text, where
        try:
            compiler = _ConditionCompiler(self.module, Scope(node, self.module.scopes.module), code)
            compiler.prepare([], compiler.scope)
            compiler.expression(node)
            compiler.emit(Op.TRUTH)
            compiler.emit(Op.RETURN, 0, -1)
            compiler.finish()
        finally:
            self.module.text = before
        self._watch(code.number)
        return code.number

    def _watch(self, number: int) -> None:
        for each in self.world.codes[number].instructions:
            if each.op == Op.LOAD_GLOBAL:
                self.watched.add(each.argument)
            if each.op in (Op.LOAD_ATTRIBUTE, Op.SUBSCRIPT, Op.INTRINSIC, Op.TRUTH) or each.op == Op.COMPARE:
                self.deep = True

    def _check(self, node: ast.expr, where: Text) -> None:
        """Conditions read; they call nothing but len."""
        if isinstance(node, ast.Call):
            plain = isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1
            if not plain or node.keywords:
                raise where.error(node, "a condition calls nothing but len(...)")
            self._check(node.args[0], where)
            return
        if not isinstance(node, _ALLOWED):
            raise where.error(node, f"a condition cannot have this ({type(node).__name__})")
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._check(child, where)

    def formula(self, text: str, source: str) -> None:
        from kripke.logic.parser import parse
        from kripke.model.property import Temporal

        self.sources.add(source, text)
        variables: set[str] = set()

        def read_atom(whole: str, position: int) -> tuple[str, int] | None:
            end = _end_of_condition(whole, position)
            atom = whole[position:end].strip()
            if not atom or atom in ("true", "false"):
                return None
            name = self.condition(atom, f"{source}@{position}")
            variables.update(_variables(atom))
            return name, end

        formula = self._once_bound(parse(text, source, read_atom), sorted(variables), source)
        self.properties.append(Temporal(text, "ltl", text, NOWHERE, formula=formula))

    def _once_bound(self, formula: Formula, variables: list[str], source: str) -> Formula:
        """A formula speaks of a run from when all its variables have values: before, conditions have no truth, and
        ``[] counter < 2`` would fail before ``counter = 0`` is reached. A run that never gets there satisfies it."""
        from kripke.logic.formula import atom, conjunction, negation, weak_until

        if not variables:
            return formula
        name = f"{', '.join(variables)} {'has a value' if len(variables) == 1 else 'have values'}"
        self._atom(name, f"({', '.join(variables)},)", f"{source}@values", False)
        bound = atom(name)
        return weak_until(negation(bound), conjunction([bound, formula]))


def _variables(condition: str) -> set[str]:
    quoted = len(condition) > 1 and condition[0] == condition[-1] == '"'
    node = ast.parse((condition[1:-1] if quoted else condition).strip(), mode="eval")
    called = {each.func.id for each in ast.walk(node) if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)}
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} - called


def _end_of_condition(text: str, start: int) -> int:
    """A condition goes on to an operator of logic, or to a bracket that it did not open."""
    end, depth = start, 0
    rest = text[start:]
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(rest).readline))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        tokens = _lenient(rest)
    previous = ""
    for token in tokens:
        shown = token.string
        if token.type in (tokenize.NEWLINE, tokenize.ENDMARKER, tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
            break
        if depth == 0 and (shown in ("->", "&", "|", "!", "~", ")", ",") or (shown in _OPERATORS and previous != ".")):
            break
        if depth == 0 and shown == "<" and rest[token.start[1] :].startswith(("<->", "<>")):
            break
        if shown in "([{" and shown:
            depth += 1
        elif shown in ")]}" and shown:
            depth -= 1
        previous = shown
        end = start + token.end[1]
    return end


def _lenient(text: str) -> list[tokenize.TokenInfo]:
    found: list[tokenize.TokenInfo] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            found.append(token)
    except (tokenize.TokenError, IndentationError, SyntaxError):
        pass
    return found
