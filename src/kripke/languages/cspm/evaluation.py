"""CSP-M expressions as Python functions of an environment.

Evaluation is lazy: arguments, items of tuples and definitions are computed when they are asked for, once. Simple
arithmetic on values that are there is computed at once, so that counting loops leave no chain of promises behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kripke.languages.cspm.effort import CALL, Effort
from kripke.languages.cspm.lexer import Tokens
from kripke.languages.cspm.matching import Match, Patterns
from kripke.languages.cspm.scopes import Binding, Env, Key, Scope
from kripke.languages.cspm.sets import (
    Closure,
    Finite,
    Interval,
    Numbers,
    Values,
    productions,
    union,
)
from kripke.languages.cspm.syntax import (
    Apply,
    Binary,
    Character,
    Clause,
    Collection,
    Dots,
    Expr,
    If,
    Lambda,
    Let,
    MapOf,
    Name,
    Node,
    Number,
    Range,
    Statement,
    Text,
    TupleOf,
    Unary,
)
from kripke.languages.cspm.values import (
    FALSE,
    MOST_ITEMS,
    TRUE,
    Char,
    Function,
    MapValue,
    Seq,
    Thunk,
    Truth,
    Value,
    Wrong,
    checked_dot,
    force,
    kind_of,
    lazy_sequence,
    less,
    less_equal,
    show,
    text,
)
from kripke.model.source import ModelError

Code = Callable[[Env], Value]
LONGEST_NUMBER = 100_000


class Evaluation:
    """Compiles expressions. Declarations and processes are added by classes that build on this one."""

    def __init__(self, tokens: Tokens, builtins: dict[str, Value]) -> None:
        self.tokens = tokens
        self.builtins = builtins
        self.scope = Scope(None)
        self.effort = Effort()
        #: what the texts that are being compiled refer to
        self._uses: list[set[Binding]] = [set()]
        self._numbers = 0

    # ---- errors and names ----

    def wrong(self, message: str, node: Node, hint: str | None = None) -> ModelError:
        return self.tokens.sources.error(message, self.tokens.span(node.first, node.last), hint)

    def located(self, error: Wrong, node: Node) -> ModelError:
        return self.wrong(error.message, node, error.hint)

    def unique(self) -> int:
        self._numbers += 1
        return self._numbers

    def name(self, node: Name) -> Code:
        binding = self.scope.find(node.name)
        if binding is None:
            if node.name in self.builtins:
                value = self.builtins[node.name]
                return lambda env: value
            raise self.wrong(f"{node.name} is not defined", node, self._similar(node.name))
        return self.refer(node, binding)

    def _similar(self, name: str) -> str | None:
        from difflib import get_close_matches

        known = set(self.builtins)
        at: Scope | None = self.scope
        while at is not None:
            known.update(at.names)
            at = at.parent
        close = get_close_matches(name, known, 1)
        return f"did you mean {close[0]}?" if close else None

    def slot(self, node: Name, binding: Binding) -> Code:
        """What stands in the environment, perhaps not computed yet."""
        if binding.level:
            self._uses[-1].add(binding)
        up, place = self.scope.level - binding.level, binding.place
        if up == 0:
            return lambda env: env[place]
        if up == 1:
            return lambda env: env[0][place]
        if up == 2:
            return lambda env: env[0][0][place]

        def far(env: Env) -> Value:
            for _ in range(up):
                env = env[0]
            return env[place]

        return far

    def refer(self, node: Name, binding: Binding) -> Code:
        slot = self.slot(node, binding)

        def value(env: Env) -> Value:
            found = slot(env)
            if type(found) is Thunk:
                try:
                    return found.force()
                except Wrong as error:
                    raise self.located(error, node) from None
            return found

        return value

    def collected(self, compile: Callable[[], Any]) -> tuple[Any, set[Binding]]:
        """What was compiled, and the names of outer scopes it uses."""
        level = self.scope.level
        self._uses.append(set())
        result = compile()
        mine = {binding for binding in self._uses.pop() if binding.level <= level}
        self._uses[-1] |= mine
        return result, mine

    def key_of(self, uses: set[Binding]) -> Callable[[Env], tuple[Value, ...]]:
        """The values of what a text depends on; found out at first use, when all definitions are known."""
        return Key(uses, self.scope.level)

    def inside(self, scope: Scope, compile: Callable[[], Any]) -> Any:
        saved, self.scope = self.scope, scope
        try:
            return compile()
        finally:
            self.scope = saved

    # ---- expressions ----

    def code(self, node: Expr) -> Code:
        match node:
            case Name():
                return self.name(node)
            case Number(value=number):
                return lambda env: number
            case Text(value=content):
                constant = text(content)
                return lambda env: constant
            case Character(value=content):
                char = Char(content)
                return lambda env: char
            case TupleOf(items=[inner]):
                return self.code(inner)
            case TupleOf(items=items):
                parts = [self.delayed(item) for item in items]
                return lambda env: tuple([_item(part(env)) for part in parts])
            case Apply():
                return self.application(node)
            case Binary():
                return self.binary(node)
            case Unary():
                return self.unary(node)
            case If():
                return self.conditional(node)
            case Let():
                return self.let(node)
            case Lambda():
                return self.function("", [Clause(node.first, node.last, [node.patterns], node.body)], node)
            case Dots():
                return self.dots(node)
            case Collection():
                return self.collection(node)
            case Range():
                return self.range(node)
            case MapOf():
                return self.map(node)
        return self.process(node)

    def process(self, node: Expr) -> Code:
        raise self.wrong("this is no expression", node)

    def let(self, node: Let) -> Code:
        raise NotImplementedError

    def delayed(self, node: Expr) -> Code:
        """The value if it is there or easily had, else a promise of it."""
        if isinstance(node, Name):
            binding = self.scope.find(node.name)
            if binding is not None:
                slot = self.slot(node, binding)
                return lambda env: force(found) if type(found := slot(env)) is Thunk and found.done() else found
            return self.code(node)
        if isinstance(node, Number | Text | Character | Lambda):
            return self.code(node)
        code = self.code(node)
        if isinstance(node, Binary) and node.operator in ("+", "-", "*"):
            parts = [self.ready(node.left), self.ready(node.right)]
            if None not in parts:
                left, right = parts

                def arithmetic(env: Env) -> Value:
                    if left(env) and right(env):  # type: ignore[misc]
                        return code(env)
                    return Thunk(lambda: code(env))

                return arithmetic
        return lambda env: Thunk(lambda: code(env))

    def ready(self, node: Expr) -> Callable[[Env], bool] | None:
        """Tells whether a name or number needs no computation."""
        if isinstance(node, Number):
            return lambda env: True
        if isinstance(node, Name):
            binding = self.scope.find(node.name)
            if binding is not None:
                slot = self.slot(node, binding)
                return lambda env: type(found := slot(env)) is not Thunk or found.done()
        if isinstance(node, Binary) and node.operator in ("+", "-", "*"):
            left, right = self.ready(node.left), self.ready(node.right)
            if left is not None and right is not None:
                return lambda env: left(env) and right(env)
        return None

    def expect(self, node: Expr, kind: type, what: str) -> Code:
        code = self.code(node)

        def checked(env: Env) -> Value:
            value = code(env)
            if not isinstance(value, kind):
                raise self.wrong(f"{show(value)} is {kind_of(value)}, but {what} is needed here", node)
            return value

        return checked

    def condition(self, node: Expr) -> Callable[[Env], bool]:
        code = self.code(node)

        def holds(env: Env) -> bool:
            value = code(env)
            if value is TRUE:
                return True
            if value is FALSE:
                return False
            raise self.wrong(f"{show(value)} is {kind_of(value)}, but a condition is needed here", node)

        return holds

    def conditional(self, node: If) -> Code:
        condition, then, otherwise = self.condition(node.condition), self.code(node.then), self.code(node.otherwise)
        return lambda env: then(env) if condition(env) else otherwise(env)

    def application(self, node: Apply) -> Code:
        function = self.code(node.function)
        arguments = [self.delayed(argument) for argument in node.arguments]
        size = len(arguments)
        effort = self.effort

        def apply(env: Env) -> Value:
            target = function(env)
            if type(target) is not Function:
                raise self.wrong(f"{show(target)} is {kind_of(target)}, not a function", node.function)
            if target.arity >= 0 and target.arity != size:
                raise self.wrong(f"{target.name or 'this function'} takes {target.arity} arguments, not {size}", node)
            try:
                effort.left -= CALL
                if effort.left < 0:
                    effort.pause()
                return target.call(*[argument(env) for argument in arguments])
            except Wrong as error:
                raise self.located(error, node) from None

        return apply

    def unary(self, node: Unary) -> Code:
        if node.operator == "not":
            condition = self.condition(node.operand)
            return lambda env: FALSE if condition(env) else TRUE
        if node.operator == "-":
            number = self.expect(node.operand, int, "a number")
            return lambda env: -number(env)
        sequence = self.expect(node.operand, Seq, "a sequence")

        def length(env: Env) -> Value:
            try:
                return len(sequence(env).items())
            except Wrong as error:
                raise self.located(error, node) from None

        return length

    def binary(self, node: Binary) -> Code:
        operator = node.operator
        if operator in ("and", "or"):
            one, other = self.condition(node.left), self.condition(node.right)
            if operator == "and":
                return lambda env: TRUE if one(env) and other(env) else FALSE
            return lambda env: TRUE if one(env) or other(env) else FALSE
        if operator == "^":
            return self.concatenation(node)
        if operator in _ARITHMETIC:
            left, right = self.expect(node.left, int, "a number"), self.expect(node.right, int, "a number")
            compute = _ARITHMETIC[operator]

            def arithmetic(env: Env) -> Value:
                try:
                    return compute(left(env), right(env))
                except Wrong as error:
                    raise self.located(error, node) from None

            return arithmetic
        left, right = self.code(node.left), self.code(node.right)
        compare = _COMPARISON[operator]

        def comparison(env: Env) -> Value:
            try:
                return TRUE if compare(left(env), right(env)) else FALSE
            except Wrong as error:
                raise self.located(error, node) from None

        return comparison

    def concatenation(self, node: Binary) -> Code:
        left = self.expect(node.left, Seq, "a sequence")
        right = self.expect(node.right, Seq, "a sequence")
        later = isinstance(node.right, Apply | Let | If) or (
            isinstance(node.right, Binary) and node.right.operator == "^"
        )
        named = isinstance(node.right, Name)

        def join(env: Env) -> Value:
            try:
                return together(env)
            except Wrong as error:
                raise self.located(error, node) from None

        def together(env: Env) -> Value:
            first = left(env)
            if first.lazy() or later or named:
                if named and not first.lazy():
                    promise = slot(env)
                    if type(promise) is not Thunk or promise.done():
                        second = right(env)
                        if not second.lazy():
                            return joined(first, second)
                if first.lazy():
                    return lazy_sequence(self._both(first, lambda: right(env)))
                return Seq(first.items(), Thunk(lambda: right(env)))
            second = right(env)
            if second.lazy():
                return Seq(first.items(), Thunk(lambda: second))
            return joined(first, second)

        slot: Code = lambda env: None  # noqa: E731
        if named:
            assert isinstance(node.right, Name)
            binding = self.scope.find(node.right.name)
            if binding is not None:
                slot = self.slot(node.right, binding)
        return join

    def _both(self, first: Seq, second: Callable[[], Seq]) -> Iterator[Value]:
        effort = self.effort
        for part in (first, second):
            for item in part if isinstance(part, Seq) else part():
                effort.left -= 1
                if effort.left < 0:
                    effort.pause()
                yield item

    def dots(self, node: Dots) -> Code:
        parts = [self.code(item) for item in node.items]
        first, rest = parts[0], parts[1:]

        def join(env: Env) -> Value:
            value = first(env)
            try:
                for part in rest:
                    value = checked_dot(value, part(env))
            except Wrong as error:
                raise self.located(error, node) from None
            return value

        return join

    def map(self, node: MapOf) -> Code:
        pairs = [(self.code(key), self.code(value)) for key, value in node.pairs]
        return lambda env: MapValue({key(env): value(env) for key, value in pairs})

    # ---- functions ----

    def function(self, name: str, clauses: list[Clause], node: Node) -> Code:
        """The function as a value in an environment. Curried ones are functions that give functions."""
        depth = len(clauses[0].groups)
        (call, arities), uses = self.collected(lambda: self._clauses(name, clauses, node))
        key = self.key_of(uses)
        number = self.unique()

        def build(env: Env, taken: tuple[Value, ...], level: int) -> Function:
            def apply(*arguments: Value) -> Value:
                given = (*taken, *arguments)
                if level + 1 == depth:
                    return call(env, given)
                return build(env, given, level + 1)

            return Function(name, arities[level], apply, lambda: ("function", number, level, key(env), taken))

        return lambda env: build(env, (), 0)

    def _clauses(self, name: str, clauses: list[Clause], node: Node) -> tuple[Callable[[Env, Any], Value], list[int]]:
        compiled: list[tuple[list[Match], Code, int]] = []
        for clause in clauses:
            scope = Scope(self.scope)

            def make(clause: Clause = clause, scope: Scope = scope) -> tuple[list[Match], Code]:
                patterns = Patterns(scope, self.refer, self.wrong)
                matches = [patterns.make(pattern) for group in clause.groups for pattern in group]
                return matches, self.code(clause.body)

            matches, body = self.inside(scope, make)
            compiled.append((matches, body, scope.size))
        arities = [len(group) for group in clauses[0].groups]
        total = sum(arities)
        if len(compiled) == 1 and all(_is_plain(p) for group in clauses[0].groups for p in group):
            only_body, only_size = compiled[0][1], compiled[0][2]
            names = [p for group in clauses[0].groups for p in group]
            makers = [isinstance(p, Name) and self._maker_name(p.name) for p in names]
            if only_size == total + 1 and not any(makers):
                return (lambda env, given: only_body([env, *given])), arities

        def call(env: Env, given: tuple[Value, ...]) -> Value:
            if len(given) != total:
                raise Wrong(f"{name or 'this function'} takes {total} arguments, not {len(given)}")
            for matches, body, size in compiled:
                inner: Env = [None] * size
                inner[0] = env
                if all(match(value, inner) for match, value in zip(matches, given, strict=True)):
                    return body(inner)
            shown = ", ".join(show(force(value)) for value in given)
            raise self.wrong(f"no equation of {name or 'this function'} matches ({shown})", node, "add one that does")

        return call, arities

    def _maker_name(self, name: str) -> bool:
        known = self.scope.find(name)
        return (known is not None and known.maker) or name in ("true", "false")

    # ---- collections ----

    def collection(self, node: Collection) -> Code:
        if node.statements is not None:
            return self.comprehension(node)
        parts = [self.code(item) for item in node.items]
        bracket = node.bracket
        if bracket == "seq":
            return lambda env: Seq(tuple([part(env) for part in parts]))
        if bracket == "set":
            if not parts:
                empty = Finite(())
                return lambda env: empty

            def members(env: Env) -> Value:
                try:
                    return Finite([part(env) for part in parts])
                except Wrong as error:
                    raise self.located(error, node) from None

            return members
        return lambda env: Closure([part(env) for part in parts])

    def comprehension(self, node: Collection) -> Code:
        def compile() -> tuple[Callable[[Env], Iterator[Env]], list[Code]]:
            each = self.statements(node.statements or [])
            return each, [self.code(item) for item in node.items]

        scope = Scope(self.scope)
        each, parts = self.inside(scope, compile)
        size, bracket = scope.size, node.bracket

        def items(env: Env) -> Iterator[Value]:
            inner: Env = [None] * size
            inner[0] = env
            for bound in each(inner):
                for part in parts:
                    yield part(bound)

        def build(env: Env) -> Value:
            try:
                if bracket == "seq":
                    return lazy_sequence(items(env)) if _endless(node) else Seq(tuple(items(env)))
                if bracket == "set":
                    return Finite(frozenset(items(env)))
                return Closure(list(items(env)))
            except Wrong as error:
                raise self.located(error, node) from None

        return build

    def statements(self, statements: list[Statement]) -> Callable[[Env], Iterator[Env]]:
        """Every way to satisfy them, as environments. New names are declared in the present scope."""
        steps: list[tuple[Match | None, Any, Statement]] = []
        patterns = Patterns(self.scope, self.refer, self.wrong)
        bound: list[str] = []
        for statement in statements:
            if statement.pattern is None:
                steps.append((None, self.condition(statement.expression), statement))
                continue
            source = self.code(statement.expression)
            patterns.bound = []
            match = patterns.make(statement.pattern)
            bound.extend(patterns.bound)
            steps.append((match, source, statement))

        effort = self.effort

        def each(env: Env, at: int = 0) -> Iterator[Env]:
            while at < len(steps) and steps[at][0] is None:
                if not steps[at][1](env):
                    return
                at += 1
            if at == len(steps):
                yield env
                return
            match, source, statement = steps[at]
            assert match is not None
            last = at + 1 == len(steps)
            for value in self.drawn(source(env), statement):
                effort.left -= 1
                if effort.left < 0:
                    effort.pause()
                inner = env.copy()
                if match(value, inner):
                    if last:
                        yield inner
                    else:
                        yield from each(inner, at + 1)

        return each

    def drawn(self, source: Value, statement: Statement) -> Iterator[Value]:
        if isinstance(source, Seq):
            return iter(source)
        if isinstance(source, Values):
            try:
                return iter(source.items())
            except Wrong as error:
                raise self.located(error, statement) from None
        raise self.wrong(f"{show(source)} is {kind_of(source)}, but a set or sequence is needed here", statement)

    def _from(self, start: int) -> Seq:
        """All numbers from here on."""
        self.effort.left -= 16
        if self.effort.left < 0:
            self.effort.pause()
        return Seq(tuple(range(start, start + 16)), Thunk(lambda: self._from(start + 16)))

    def range(self, node: Range) -> Code:
        scope = Scope(self.scope) if node.statements is not None else self.scope

        def compile() -> tuple[Any, Code, Code | None]:
            each = self.statements(node.statements) if node.statements is not None else None
            low = self.expect(node.low, int, "a number")
            return each, low, None if node.high is None else self.expect(node.high, int, "a number")

        each, low, high = self.inside(scope, compile)

        def one(env: Env) -> Value:
            start = low(env)
            if node.bracket == "set":
                return Numbers(start) if high is None else Interval(start, high(env))
            if high is None:
                return self._from(start)
            stop = high(env)
            if stop - start > 10_000_000:
                raise self.wrong(f"a sequence of {stop - start + 1} numbers is too long", node)
            return Seq(tuple(range(start, stop + 1)))

        if each is None:
            return one
        size = scope.size

        def many(env: Env) -> Value:
            inner: Env = [None] * size
            inner[0] = env
            if node.bracket == "set":
                parts = [one(bound) for bound in each(inner)]
                endless = [part.low or 0 for part in parts if isinstance(part, Numbers)]
                return union([*([Numbers(min(endless))] if endless else []), *(p for p in parts if not p.infinite())])
            return lazy_sequence(item for bound in each(inner) for item in one(bound))

        return many


def _item(value: Value) -> Value:
    """An item of a tuple; a tuple as one that keeps its hash (SHARED in values)."""
    return Thunk(None, value=value) if type(value) is tuple else value


def joined(first: Seq, second: Seq) -> Seq:
    left, right = first.items(), second.items()
    if len(left) + len(right) > MOST_ITEMS:
        raise Wrong(f"a sequence of {len(left) + len(right)} items is too long")
    return Seq(left + right)


def _times(left: int, right: int) -> int:
    if left.bit_length() + right.bit_length() > LONGEST_NUMBER:
        raise Wrong(f"a number of more than {LONGEST_NUMBER} bits is too long")
    return left * right


def _is_plain(pattern: Expr) -> bool:
    return isinstance(pattern, Name)


def _endless(node: Collection) -> bool:
    """Might a generator go on for ever? Plain sets do not."""
    return any(
        not (
            isinstance(s.expression, Collection | Range)
            and not (isinstance(s.expression, Range) and s.expression.high is None)
        )
        for s in node.statements or []
        if s.pattern is not None
    )


def _divide(left: int, right: int) -> int:
    if right == 0:
        raise Wrong("division by zero")
    return left // right


def _modulo(left: int, right: int) -> int:
    if right == 0:
        raise Wrong("division by zero")
    return left % right


_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": _times,
    "/": _divide,
    "%": _modulo,
}
_COMPARISON: dict[str, Callable[[Value, Value], bool]] = {
    "==": lambda a, b: bool(a == b),
    "!=": lambda a, b: bool(a != b),
    "<": less,
    ">": lambda a, b: less(b, a),
    "<=": less_equal,
    ">=": lambda a, b: less_equal(b, a),
}

__all__ = ["Code", "Evaluation", "Truth", "productions"]
