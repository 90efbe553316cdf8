"""Variables whose writes and reads take time (`nonatomic`), as plain statements.

A write of ``x`` begins and ends. In between ``x`` has an arbitrary value of its range. Two readings of that:

- *fixed*: the write begins by choosing one value, which all readers see (K. Ogata, K. Futatsugi, ICFEM 2008);
- *lamport*: every read meanwhile gets an arbitrary value of its own (L. Lamport, CACM 17(8), 1974).

A write of a value outside of the range cannot begin: so a range bounds what would grow without end. With split reads
every read of such a variable is a step of its own. A test whose reads are split reads again while it fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from kripke.languages.promela import syntax
from kripke.languages.promela.node import Node, walk
from kripke.model.source import ModelError, Span

Variant = Literal["fixed", "lamport"]

_RANGES = {"bit": (0, 1), "bool": (0, 1), "byte": (0, 255)}
_MOST_VALUES = 1024
_BEING_WRITTEN = "_being_written"


def has_nonatomic(module: syntax.Module) -> bool:
    return any(isinstance(item, syntax.Declaration) and item.nonatomic is not None for item in module.items)


def as_statements(module: syntax.Module, variant: Variant, *, split_reads: bool) -> syntax.Module:
    """The model with plain variables only."""
    ranges: dict[str, tuple[int, int]] = {}
    items: list[syntax.Item] = []
    for item in module.items:
        if isinstance(item, syntax.Declaration) and item.nonatomic is not None:
            low, high = _range(module, item)
            ranges |= dict.fromkeys((variable.name for variable in item.variables), (low, high))
            items.append(item)
            if variant == "lamport":
                items.append(_flags(item))
        else:
            items.append(item)
    rewriting = _Rewriting(module, ranges, variant, split_reads)
    return replace(module, items=tuple(rewriting.item(item) for item in items))


def _range(module: syntax.Module, declaration: syntax.Declaration) -> tuple[int, int]:
    wanted = declaration.nonatomic
    assert wanted is not None
    if wanted.low is None or wanted.high is None:
        known = _RANGES.get(declaration.type.name)
        if known is None:
            raise module.sources.error(
                f"a nonatomic {declaration.type.name} needs a range",
                declaration.span,
                "write: nonatomic (0 .. 7) int x",
            )
        return known
    low, high = _constant(module, wanted.low), _constant(module, wanted.high)
    if low > high:
        raise module.sources.error(f"the range {low} .. {high} is empty", wanted.span)
    if high - low >= _MOST_VALUES:
        raise module.sources.error(f"the range has more than {_MOST_VALUES:,} values", wanted.span)
    return low, high


def _constant(module: syntax.Module, expression: syntax.Expression) -> int:
    match expression:
        case syntax.Constant(value):
            return value
        case syntax.Unary("-", operand):
            return -_constant(module, operand)
        case syntax.Binary("+" | "-" | "*" as operator, left, right):
            a, b = _constant(module, left), _constant(module, right)
            return {"+": a + b, "-": a - b, "*": a * b}[operator]
    raise module.sources.error("the range of a nonatomic variable has numbers", expression.span)


def _flags(declaration: syntax.Declaration) -> syntax.Declaration:
    """Of every variable, whether it is being written."""
    span = declaration.span
    variables = tuple(
        syntax.Variable(v.name + _BEING_WRITTEN, v.size, None, None, span=v.span) for v in declaration.variables
    )
    return syntax.Declaration(syntax.TypeName("bit", None, span=span), variables, None, span=span)


@dataclass
class _Rewriting:
    module: syntax.Module
    ranges: dict[str, tuple[int, int]]
    variant: Variant
    split: bool

    def item(self, item: syntax.Item) -> syntax.Item:
        if not isinstance(item, (syntax.Proctype, syntax.Init)):
            return item
        own = {
            variable.name for node in walk(item) if isinstance(node, syntax.Declaration) for variable in node.variables
        }
        visible = {name: bounds for name, bounds in self.ranges.items() if name not in own}
        body = _Body(self.module, visible, self.variant, self.split, frozenset(own))
        statements = tuple(body.statement(one) for one in item.body)
        return cast(syntax.Item, _with(item, body=(*body.declarations(item.span), *statements)))


class _Body:
    """The body of one process."""

    def __init__(
        self,
        module: syntax.Module,
        ranges: dict[str, tuple[int, int]],
        variant: Variant,
        split: bool,
        own: frozenset[str],
    ) -> None:
        self.module, self.ranges, self.variant, self.own = module, ranges, variant, own
        self.least = 1 if variant == "lamport" else 2 if split else 1 << 30  # reads that are split
        self.within = ""
        self._locals: list[str] = []
        self._labels = 0

    def fail(self, message: str, span: Span, hint: str | None = None) -> ModelError:
        return self.module.sources.error(message, span, hint)

    def declarations(self, span: Span) -> Iterator[syntax.Statement]:
        for name in self._locals:
            variable = syntax.Variable(name, None, None, None, span=span)
            kind = syntax.TypeName("int", None, span=span)
            yield syntax.DeclarationStatement(syntax.Declaration(kind, (variable,), None, span=span), True, span=span)

    def _local(self, name: str) -> str:
        if name not in self._locals:
            self._locals.append(name)
        return name

    # --- statements ---------------------------------------------------------------------------------------------------

    def statement(self, node: syntax.Statement, labels: tuple[str, ...] = ()) -> syntax.Statement:
        match node:
            case syntax.Labelled(names, inner):
                return syntax.Labelled(names, self.statement(inner, names), span=node.span)
            case syntax.Assignment(target, value) if target.name in self.ranges:
                return self._write(node.span, target, value, labels)
            case syntax.Increment(target) | syntax.Decrement(target) if target.name in self.ranges:
                sign = "+" if isinstance(node, syntax.Increment) else "-"
                value = syntax.Binary(sign, target, syntax.Constant(1, span=node.span), span=node.span)
                return self._write(node.span, target, value, labels)
            case syntax.Receive() if any(n.name in self.ranges for n in _stored(node)):
                raise self.fail(
                    "a message is received into a nonatomic variable", node.span, "receive into another one"
                )
            case syntax.Atomic() | syntax.DStep():
                before, self.within = self.within, "atomic" if isinstance(node, syntax.Atomic) else "d_step"
                inner = cast(syntax.Statement, self._inside(node))
                self.within = before
                return inner
            case syntax.If(options):
                return self._choice(node, options)
            case syntax.Do(options):
                return self._loop(node, options)
            case syntax.ExpressionStatement():
                return self._test(node)
        if _has_statements(node):
            return cast(syntax.Statement, self._inside(node))
        reads = self._reads(node)
        if len(reads) < self.least:
            return node
        return syntax.Block((*self._fetched(reads), self._replaced(node, reads)), span=node.span)

    def _inside(self, node: Any) -> Any:
        """The same statement with its parts rewritten."""
        changed: dict[str, Any] = {}
        for name in node.INNER:
            value = getattr(node, name)
            if isinstance(value, tuple) and value and all(isinstance(one, Node) for one in value):
                changed[name] = tuple(self._part(one) for one in value)
            elif isinstance(value, Node):
                changed[name] = self._part(value)
        return _with(node, **changed)

    def _part(self, node: Any) -> Any:
        if isinstance(node, syntax.Option):
            return _with(node, body=tuple(self.statement(one) for one in node.body))
        if isinstance(node, _STATEMENTS):
            return self.statement(node)
        reads = self._reads(node)
        if len(reads) >= self.least:
            raise self.fail("a nonatomic variable cannot be read here", reads[0].span, "read it before, in a statement")
        return node

    # --- writes -------------------------------------------------------------------------------------------------------

    def _write(
        self, span: Span, target: syntax.Reference, value: syntax.Expression, labels: tuple[str, ...]
    ) -> syntax.Statement:
        if self.within:
            raise self.fail(
                f"a write of the nonatomic variable '{target.name}' takes two steps, and {self.within} makes one", span
            )
        fetched: list[syntax.Statement] = []
        reads = self._reads(value)
        if len(reads) >= self.least:
            fetched, value = self._fetched(reads), self._replaced(value, reads)
        low, high = self.ranges[target.name]
        shared = not all(n.name in self.own or n.name in self._locals or n.name == "_pid" for n in _references(value))
        begins: list[syntax.Statement] = []
        known = value.value if isinstance(value, syntax.Constant) else None
        if known is None or not low <= known <= high:
            begins.append(syntax.ExpressionStatement(_between(low, value, high, span), span=span))
        if shared:
            kept = syntax.Reference(self._local(f"{target.name}_to_write"), span=span)
            begins.append(syntax.Assignment(kept, value, span=span))
            value = kept
        if self.variant == "lamport":
            flag = _with(target, name=target.name + _BEING_WRITTEN)
            begin = self._together([*begins, syntax.Assignment(flag, syntax.Constant(1, span=span), span=span)], span)
            ended = syntax.Assignment(flag, syntax.Constant(0, span=span), span=span)
            end = self._together([syntax.Assignment(target, value, span=span), ended], span)
        else:
            options = [
                syntax.Option((self._together([*begins, _set(target, number, span)], span),), span=span)
                for number in range(low, high + 1)
            ]
            begin = syntax.If(tuple(options), span=span)
            end = syntax.Assignment(target, value, span=span)
        if labels:
            end = syntax.Labelled(tuple(f"{name}_end" for name in labels), end, span=span)
        return syntax.Block((*fetched, begin, end), span=span)

    def _together(self, statements: list[syntax.Statement], span: Span) -> syntax.Statement:
        return statements[0] if len(statements) == 1 else syntax.DStep(tuple(statements), span=span)

    # --- reads --------------------------------------------------------------------------------------------------------

    def _reads(self, node: object) -> list[syntax.Reference]:
        """Nonatomic variables in an expression, in the order of the text, each once."""
        found: dict[syntax.Reference, None] = {}
        target = node.target if isinstance(node, (syntax.Assignment, syntax.InlineCall)) else None
        for one in _references(node):
            if one.name in self.ranges and one is not target:
                found[one] = None
        return sorted(found, key=lambda one: (one.span.line, one.span.column))

    def _fetched(self, reads: list[syntax.Reference]) -> list[syntax.Statement]:
        """A step for each read."""
        found: list[syntax.Statement] = []
        for number, read in enumerate(reads, start=1):
            if self.within == "d_step":
                raise self.fail("a nonatomic variable is read in a d_step, which is one step", read.span)
            kept, span = syntax.Reference(self._local(f"read_{number}"), span=read.span), read.span
            plain = syntax.Assignment(kept, read, span=span)
            if self.variant == "fixed":
                found.append(plain)
                continue
            flag = _with(read, name=read.name + _BEING_WRITTEN)
            settled = syntax.ExpressionStatement(syntax.Unary("!", flag, span=span), span=span)
            options = [syntax.Option((syntax.DStep((settled, plain), span=span),), span=span)]
            low, high = self.ranges[read.name]
            for value in range(low, high + 1):
                moving = syntax.ExpressionStatement(flag, span=span)
                options.append(syntax.Option((syntax.DStep((moving, _set(kept, value, span)), span=span),), span=span))
            found.append(syntax.If(tuple(options), span=span))
        return found

    def _replaced(self, node: Any, reads: list[syntax.Reference]) -> Any:
        """With what was read in the place of the variables."""
        names = {read: syntax.Reference(f"read_{number}", span=read.span) for number, read in enumerate(reads, start=1)}
        target = getattr(node, "target", None)

        def changed(part: Any) -> Any:
            if part is target:
                return part
            if isinstance(part, syntax.Reference) and part in names:
                return names[part]
            return _mapped(part, changed)

        return changed(node)

    def _test(self, node: syntax.ExpressionStatement) -> syntax.Statement:
        """A statement that waits for a condition reads until it is true."""
        reads = self._reads(node)
        if len(reads) < self.least:
            return node
        option = syntax.Option((self._replaced(node, reads),), span=node.span)
        return self._again(reads, (option,), node.span)

    def _guards(self, options: tuple[syntax.Option, ...]) -> list[syntax.Reference]:
        found: dict[syntax.Reference, None] = {}
        for option in options:
            first = option.body[0] if option.body else None
            if isinstance(first, syntax.ExpressionStatement):
                found |= dict.fromkeys(self._reads(first))
        return list(found)

    def _options(self, options: tuple[syntax.Option, ...], reads: list[syntax.Reference]) -> tuple[syntax.Option, ...]:
        """With bodies rewritten, and their first tests about what was read."""
        found = []
        for option in options:
            body = list(option.body)
            rest = [self.statement(one) for one in body[1:]]
            first = body[0]
            if reads and isinstance(first, syntax.ExpressionStatement):
                first = self._replaced(first, reads)
            elif not isinstance(first, syntax.ExpressionStatement):
                first = self.statement(first)
            found.append(_with(option, body=(first, *rest)))
        return tuple(found)

    def _choice(self, node: syntax.If, options: tuple[syntax.Option, ...]) -> syntax.Statement:
        reads = self._guards(options)
        if len(reads) < self.least:
            return syntax.If(self._options(options, []), span=node.span)
        return self._again(reads, self._options(options, reads), node.span)

    def _again(self, reads: list[syntax.Reference], options: tuple[syntax.Option, ...], span: Span) -> syntax.Statement:
        """Read, then choose; read again where nothing can be chosen."""
        fetched = self._fetched(reads)
        if not any(option.body and isinstance(option.body[0], syntax.Else) for option in options):
            self._labels += 1
            label = f"read_again_{self._labels}"
            fetched[0] = syntax.Labelled((label,), fetched[0], span=span)
            back = syntax.Option((syntax.Else(span=span), syntax.Goto(label, span=span)), span=span)
            options = (*options, back)
        return syntax.Block((*fetched, syntax.If(options, span=span)), span=span)

    def _loop(self, node: syntax.Do, options: tuple[syntax.Option, ...]) -> syntax.Statement:
        reads = self._guards(options)
        if len(reads) < self.least:
            return syntax.Do(self._options(options, []), span=node.span)
        span, inner = node.span, self._options(options, reads)
        if not any(option.body and isinstance(option.body[0], syntax.Else) for option in options):
            skip = syntax.ExpressionStatement(syntax.Constant(1, span=span), span=span)
            inner = (*inner, syntax.Option((syntax.Else(span=span), skip), span=span))
        body = (*self._fetched(reads), syntax.If(inner, span=span))
        return syntax.Do((syntax.Option(body, span=span),), span=span)


_STATEMENTS = (
    syntax.Assignment, syntax.Increment, syntax.Decrement, syntax.Send, syntax.Receive, syntax.If, syntax.Do,
    syntax.Else, syntax.Break, syntax.Goto, syntax.Labelled, syntax.Atomic, syntax.DStep, syntax.Block, syntax.Unless,
    syntax.Assert, syntax.AssertEventually, syntax.Printf, syntax.Printm, syntax.ExpressionStatement,
    syntax.SetPriority, syntax.For, syntax.ForIn, syntax.Select, syntax.ExclusiveAccess, syntax.CCode,
    syntax.DeclarationStatement, syntax.InlineCall,
)  # fmt: skip


def _has_statements(node: Node) -> bool:
    inner = (one for one in walk(node) if one is not node)
    return any(isinstance(one, (syntax.Option, *_STATEMENTS)) for one in inner)


def _references(node: object) -> Iterator[syntax.Reference]:
    return (one for one in walk(node) if isinstance(one, syntax.Reference))


def _stored(node: syntax.Receive) -> Iterator[syntax.Reference]:
    """What a receive writes: arguments that are names alone."""
    return (one for one in node.arguments if isinstance(one, syntax.Reference))


def _between(low: int, value: syntax.Expression, high: int, span: Span) -> syntax.Expression:
    least = syntax.Binary("<=", syntax.Constant(low, span=span), value, span=span)
    most = syntax.Binary("<=", value, syntax.Constant(high, span=span), span=span)
    return syntax.Binary("&&", least, most, span=span)


def _set(target: syntax.Reference, value: int, span: Span) -> syntax.Statement:
    return syntax.Assignment(target, syntax.Constant(value, span=span), span=span)


def _with(node: Any, **changed: Any) -> Any:
    """The node with other fields."""
    return type(node)(*(changed.get(name, getattr(node, name)) for name in node.__match_args__), span=node.span)


def _mapped(node: Any, change: Callable[[Any], Any]) -> Any:
    """The node with its parts changed."""
    if isinstance(node, tuple):
        return tuple(change(one) for one in node)
    if not isinstance(node, Node):
        return node
    return _with(node, **{name: change(getattr(node, name)) for name in cast(Any, node).INNER if getattr(node, name)})
