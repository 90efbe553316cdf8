"""The types of expressions, processes and patterns."""

from __future__ import annotations

from collections.abc import Callable

from kripke.languages.cspm.lexer import TIMED, Tokens
from kripke.languages.cspm.syntax import (
    Apply,
    Binary,
    Both,
    Character,
    Choice,
    Clause,
    Collection,
    Dots,
    Expr,
    Guard,
    Hide,
    If,
    Lambda,
    Let,
    Linked,
    MapOf,
    Name,
    Node,
    Number,
    Parallel,
    Prefix,
    Range,
    Rename,
    Replicated,
    Statement,
    Text,
    TupleOf,
    Unary,
    Wildcard,
)
from kripke.languages.cspm.typing.types import (
    BOOL,
    CHAR,
    EVENT,
    INT,
    PROC,
    Con,
    Dot,
    Scheme,
    Type,
    TypeMismatch,
    Var,
    chain,
    extend,
    function,
    prune,
    require,
    seq_of,
    set_of,
    show,
    unify,
)
from kripke.model.source import ModelError

UNTYPED = "--no-types runs the script without this check, as the first tools for CSP-M did"
_CONTAINERS: dict[str, Callable[[Type], Con]] = {"seq": seq_of, "set": set_of, "closure": set_of}


class Names:
    """The types of names in a scope. ``makers`` are channels and constructors."""

    def __init__(self, parent: Names | None) -> None:
        self.parent = parent
        self.types: dict[str, Scheme] = {}
        self.makers: set[str] = set()
        self.modules: set[str] = set()

    def find(self, name: str) -> Scheme | None:
        at: Names | None = self
        while at is not None:
            found = at.types.get(name)
            if found is not None:
                return found
            if name in at.modules:
                return None
            at = at.parent
        return None

    def is_maker(self, name: str) -> bool:
        at: Names | None = self
        while at is not None:
            if name in at.types:
                return name in at.makers
            at = at.parent
        return False


class Inference:
    """Infers types; declarations are added by a class that builds on this one."""

    def __init__(self, tokens: Tokens, known: Names) -> None:
        self.tokens = tokens
        self.names = known
        self.timed = False

    def wrong(self, message: str, node: Node, hint: str | None = None) -> ModelError:
        return self.tokens.sources.error(message, self.tokens.span(node.first, node.last), hint)

    def same(self, expected: Type, found: Type, node: Node) -> None:
        try:
            unify(expected, found)
        except TypeMismatch as error:
            what = f"this is {show(found)}, but {show(expected)} is needed here"
            raise self.wrong(f"type error: {what} ({error})", node, UNTYPED) from None

    def satisfies(self, kind: Type, constraint: str, node: Node) -> None:
        try:
            require(kind, constraint)
        except TypeMismatch as error:
            raise self.wrong(f"type error: {error}", node) from None

    def within(self, names: Names, infer: Callable[[], Type]) -> Type:
        saved, self.names = self.names, names
        try:
            return infer()
        finally:
            self.names = saved

    def pruned(self, kind: Type, node: Node) -> Type:
        try:
            return prune(kind)
        except TypeMismatch as error:
            raise self.wrong(f"type error: {error}", node) from None

    # ---- expressions ----

    def check(self, node: Expr, expected: Type) -> None:
        self.same(expected, self.infer(node), node)

    def infer(self, node: Expr) -> Type:
        return self.pruned(self._infer(node), node)

    def _infer(self, node: Expr) -> Type:
        match node:
            case Name():
                return self.name(node)
            case Number():
                return INT
            case Text():
                return seq_of(CHAR)
            case Character():
                return CHAR
            case TupleOf(items=[inner]):
                return self.infer(inner)
            case TupleOf(items=items):
                return Con("Tuple", *(self.infer(item) for item in items))
            case Apply():
                return self.application(node)
            case Binary():
                return self.binary(node)
            case Unary(operator="not", operand=operand):
                self.check(operand, BOOL)
                return BOOL
            case Unary(operator="#", operand=operand):
                self.check(operand, seq_of(Var()))
                return INT
            case Unary(operand=operand):
                self.check(operand, INT)
                return INT
            case If(condition=condition, then=then, otherwise=otherwise):
                self.check(condition, BOOL)
                kind = self.infer(then)
                self.check(otherwise, kind)
                return kind
            case Let():
                return self.let(node)
            case Lambda():
                clause = Clause(node.first, node.last, [node.patterns], node.body)
                kind = self.clause_type([clause])
                self.clause(clause, kind)
                return kind
            case Dots(items=items):
                return Dot([self.infer(item) for item in items])
            case Collection():
                return self.collection(node)
            case Range():
                return self.range(node)
            case MapOf(pairs=pairs):
                key, value = Var(frozenset({"Set"})), Var()
                for one, other in pairs:
                    self.check(one, key)
                    self.check(other, value)
                return Con("Map", key, value)
            case Wildcard() | Both():
                raise self.wrong("this is a pattern, not a value", node)
        self.process(node)
        return PROC

    def let(self, node: Let) -> Type:
        raise NotImplementedError

    def name(self, node: Name) -> Type:
        if node.name in TIMED and not self.timed and self.names.find(node.name) is self._builtin(node.name):
            raise self.wrong(f"{node.name} is for timed sections", node, "put the definition into Timed { ... }")
        scheme = self.names.find(node.name)
        if scheme is None:
            raise self.wrong(f"{node.name} is not defined", node)
        return scheme.instance()

    def _builtin(self, name: str) -> Scheme | None:
        at = self.names
        while at.parent is not None:
            at = at.parent
        return at.types.get(name)

    def application(self, node: Apply) -> Type:
        arguments = [self.infer(argument) for argument in node.arguments]
        target = self.infer(node.function)
        if isinstance(target, Con) and target.name == "Fun" and len(target.args) == len(arguments) + 1:
            for expected, found, argument in zip(target.args, arguments, node.arguments, strict=False):
                self.same(expected, found, argument)
            return target.args[-1]
        result = Var()
        self.same(target, function(arguments, result), node)
        return result

    def binary(self, node: Binary) -> Type:
        operator = node.operator
        if operator in ("and", "or"):
            self.check(node.left, BOOL)
            self.check(node.right, BOOL)
            return BOOL
        if operator == "^":
            sequence = seq_of(Var())
            self.check(node.left, sequence)
            self.check(node.right, sequence)
            return sequence
        if operator in ("+", "-", "*", "/", "%"):
            self.check(node.left, INT)
            self.check(node.right, INT)
            return INT
        kind = self.infer(node.left)
        self.check(node.right, kind)
        self.satisfies(kind, "Eq" if operator in ("==", "!=") else "Ord", node)
        return BOOL

    # ---- collections ----

    def collection(self, node: Collection) -> Type:
        if node.statements is None:
            return self.items(node)
        names = Names(self.names)

        def infer() -> Type:
            self.statements(node.statements or [], "seq" if node.bracket == "seq" else "set")
            return self.items(node)

        return self.within(names, infer)

    def items(self, node: Collection) -> Type:
        if node.bracket == "closure":
            yielded = Var(frozenset({"Yieldable"}))
            for item in node.items:
                self.extendable(item, yielded)
            return set_of(yielded)
        kind = Var(frozenset({"Set"})) if node.bracket == "set" else Var()
        for item in node.items:
            self.check(item, kind)
        return _CONTAINERS[node.bracket](kind)

    def extendable(self, node: Expr, yielded: Type) -> Type:
        """An event, a value of a datatype, or the beginning of one."""
        kind = self.infer(node)
        try:
            extend(kind, Var(), yielded)
        except TypeMismatch as error:
            what = f"this is {show(kind)}, but an event or a value of a datatype is needed here"
            raise self.wrong(f"type error: {what} ({error})", node, UNTYPED) from None
        return kind

    def range(self, node: Range) -> Type:
        def infer() -> Type:
            if node.statements is not None:
                self.statements(node.statements, node.bracket)
            self.check(node.low, INT)
            if node.high is not None:
                self.check(node.high, INT)
            return _CONTAINERS[node.bracket](INT)

        return self.within(Names(self.names), infer)

    def statements(self, statements: list[Statement], container: str) -> None:
        """New names go into the present scope."""
        for statement in statements:
            if statement.pattern is None:
                self.check(statement.expression, BOOL)
                continue
            kind = Var()
            self.check(statement.expression, _CONTAINERS[container](kind))
            # What is drawn is bound for what follows alone.
            self.names = Names(self.names)
            self.same(kind, self.pattern(statement.pattern, set()), statement.pattern)

    # ---- patterns ----

    def pattern(self, node: Expr, bound: set[str]) -> Type:
        match node:
            case Wildcard():
                return Var()
            case Name():
                if node.name in ("true", "false"):
                    return BOOL
                if self.names.is_maker(node.name):
                    return self.name(node)
                if node.name in bound:
                    raise self.wrong(f"{node.name} stands twice in one pattern", node)
                bound.add(node.name)
                kind = Var()
                self.names.types[node.name] = Scheme([], kind)
                return kind
            case Number() | Unary():
                return INT
            case Text():
                return seq_of(CHAR)
            case Character():
                return CHAR
            case TupleOf(items=[inner]):
                return self.pattern(inner, bound)
            case TupleOf(items=items):
                return Con("Tuple", *(self.pattern(item, bound) for item in items))
            case Collection(bracket=bracket, items=items):
                kind = Var(frozenset({"Set"})) if bracket == "set" else Var()
                for item in items:
                    self.same(kind, self.pattern(item, bound), item)
                return _CONTAINERS[bracket](kind)
            case Binary(left=left, right=right):
                if _open_ends(node) > 1:
                    raise self.wrong(
                        "two parts of this pattern may be of any length: which is how long is not known", node
                    )
                whole = seq_of(Var())
                self.same(whole, self.pattern(left, bound), left)
                self.same(whole, self.pattern(right, bound), right)
                return whole
            case Both(left=left, right=right):
                kind_ = self.pattern(left, bound)
                self.same(kind_, self.pattern(right, bound), right)
                return kind_
            case Dots(items=items):
                first = items[0]
                headed = isinstance(first, Name) and self.names.is_maker(first.name)
                return Dot([self.pattern(item, bound) for item in items], split=not headed)
        raise self.wrong("this is no pattern", node)

    # ---- functions ----

    def clause_type(self, clauses: list[Clause]) -> Type:
        kind: Type = Var()
        for group in reversed(clauses[0].groups):
            kind = function([Var() for _ in group], kind)
        return kind

    def clause(self, clause: Clause, kind: Type) -> None:
        names = Names(self.names)

        def infer() -> Type:
            bound: set[str] = set()
            result = kind
            for group in clause.groups:
                result = prune(result)
                expected = [Var() for _ in group]
                after = Var()
                self.same(result, function(list(expected), after), clause)
                for pattern, want in zip(group, expected, strict=True):
                    self.same(want, self.pattern(pattern, bound), pattern)
                result = after
            self.check(clause.body, result)
            return result

        self.within(names, infer)

    # ---- processes ----

    def process(self, node: Expr) -> None:
        match node:
            case Prefix():
                self.within(Names(self.names), lambda: self.prefix(node))
            case Guard(condition=condition, body=body):
                self.check(condition, BOOL)
                self.check(body, PROC)
            case Choice(operands=operands):
                for operand in operands:
                    self.check(operand, PROC)
            case Parallel():
                self.check(node.left, PROC)
                for events in node.sets:
                    self.check(events, set_of(EVENT))
                self.check(node.right, PROC)
            case Hide(process=process, hidden=hidden):
                self.check(process, PROC)
                self.check(hidden, set_of(EVENT))
            case Rename():
                self.check(node.process, PROC)
                self.within(Names(self.names), lambda: self.pairs(node.pairs, node.statements))
            case Linked():
                self.check(node.left, PROC)
                self.check(node.right, PROC)
                self.within(Names(self.names), lambda: self.pairs(node.pairs, node.statements))
            case Replicated():
                self.within(Names(self.names), lambda: self.replicated(node))
            case _:
                raise self.wrong("this is no expression", node)

    def prefix(self, node: Prefix) -> Type:
        parts: list[Type] = [self.infer(node.event)]
        bound: set[str] = set()
        for field in node.fields:
            if field.mark == "!":
                parts.append(self.infer(field.item))
                continue
            if field.within is None:
                parts.append(self.pattern(field.item, bound))
                continue
            member: Type = Var()
            self.check(field.within, set_of(member))
            self.satisfies(member, "Complete", field.within)
            self.same(member, self.pattern(field.item, bound), field.item)
            parts.append(member)
        self.same(EVENT, parts[0] if len(parts) == 1 else Dot(parts), node.fields[-1] if node.fields else node.event)
        self.check(node.body, PROC)
        return PROC

    def pairs(self, pairs: list[tuple[Expr, Expr]], statements: list[Statement]) -> Type:
        self.statements(statements, "set")
        for one, other in pairs:
            left, right = self.extendable(one, EVENT), self.extendable(other, EVENT)
            if isinstance(left, Dot) and isinstance(right, Dot) and len(left.items) != len(right.items):
                continue  # what they yield is known when their channels are
            self.same(left, right, other)
        return PROC

    def replicated(self, node: Replicated) -> Type:
        if node.set is not None and node.operator != "||":
            self.check(node.set, set_of(EVENT))
        self.statements(node.statements, "seq" if node.operator in (";", "<->") else "set")
        if node.set is not None and node.operator == "||":
            self.check(node.set, set_of(EVENT))
        self.check(node.body, PROC)
        if node.pairs:
            self.pairs(node.pairs, node.link_statements)
        return PROC


__all__ = ["Inference", "Names", "chain"]


def _open_ends(pattern: Expr) -> int:
    """How many parts of a pattern for sequences have no length of their own."""
    match pattern:
        case Binary(left=left, right=right):
            return _open_ends(left) + _open_ends(right)
        case Both(left=left, right=right):
            return min(_open_ends(left), _open_ends(right))
        case TupleOf(items=[inner]):
            return _open_ends(inner)
        case Collection() | Text():
            return 0
    return 1
