"""The syntax tree of Maria's language.

An expression is a ``Syntax`` node. Its kinds:

    number char true false undefined fatal empty       name            call(arguments)
    count least greatest                               `#T`, `<T`, `>T`, the name of the type in ``name``
    unary binary                                       the operator in ``name``
    if(condition, branches...)   cast `is T e`   inject `c = e`   is `u is c`   atom
    compound `{...}`, ``names`` are those of the components (or "")
    component `s.c`   replace `s.{c e}`   index `a[i]`   put `a.{[i] e}`(array, index, value)
    sum(all, body) all(body) exists(body)              quantifiers: ``names`` is type, variable; the condition is the
                                                       first operand where ``flag``
    output `T y!(c)`                                   ``names`` is type, variable ("" without)
    indexed `.n q`, `:n q`                             ``names`` is the variable, the quantifier (or ""); ``flag``: `:`
    list                                               `M, M`
    place   filter(set, condition) map(set, value) mapeach(set, set)      ``names`` are the iterators
    always eventually next until release
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kripke.model.source import Span


class Syntax:
    """An expression; ``depth`` is how deeply expressions are nested in it."""

    depth: int
    __slots__ = ("depth", "flag", "kind", "name", "names", "number", "operands", "span")

    def __init__(
        self,
        kind: str,
        span: Span,
        operands: tuple[Syntax, ...] = (),
        name: str = "",
        names: tuple[str, ...] = (),
        number: int = 0,
        flag: bool = False,
    ) -> None:
        self.kind = kind
        self.span = span
        self.operands = operands
        self.name = name
        self.names = names
        self.number = number
        self.flag = flag
        self.depth = 1 + max((operand.depth for operand in operands), default=0)


@dataclass(frozen=True, slots=True)
class Range:
    """``None`` for an end that is not given; a single value is both ends."""

    low: Syntax | None
    high: Syntax | None


@dataclass(frozen=True, slots=True)
class TypeSyntax:
    """``kind``: name, enum, id, struct, union, constrained, array, queue or stack."""

    kind: str
    span: Span
    name: str = ""
    items: tuple[tuple[str, Syntax | None], ...] = ()  # enum
    components: tuple[tuple[TypeSyntax, str], ...] = ()
    base: TypeSyntax | None = None
    indices: TypeSyntax | None = None
    number: Syntax | None = None
    ranges: tuple[Range, ...] = ()


@dataclass(frozen=True, slots=True)
class TypeDeclaration:
    type: TypeSyntax
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class FunctionDeclaration:
    type: str
    name: str
    parameters: tuple[tuple[str, str], ...]  # type, name
    body: Syntax
    span: Span


@dataclass(frozen=True, slots=True)
class PlaceDeclaration:
    name: str
    capacities: tuple[tuple[Range, ...], ...]
    type: TypeSyntax
    constant: bool
    contents: Syntax | None
    span: Span


@dataclass(frozen=True, slots=True)
class VariableDeclaration:
    type: str
    name: str
    hidden: bool
    output: bool
    condition: Syntax | None
    span: Span


@dataclass(frozen=True, slots=True)
class ArcDeclaration:
    place: str
    tokens: Syntax
    span: Span


@dataclass(frozen=True, slots=True)
class TransitionDeclaration:
    """``parts`` are pairs of a word and what belongs to it: ("variable", VariableDeclaration), ("function", ...),
    ("in", ArcDeclaration), ("out", ...), ("gate", Syntax), ("hide", ...), ("strongly_fair", ...), ("weakly_fair", ...),
    ("enabled", ...), ("call", name), ("priority", number)."""

    name: str
    macro: bool
    urgent: bool
    parts: tuple[tuple[str, object, Span], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ConditionDeclaration:
    """``kind``: reject, deadlock or prop."""

    kind: str
    name: str
    condition: Syntax
    span: Span


@dataclass(frozen=True, slots=True)
class FairnessDeclaration:
    """``sets``: expressions whose leaves are of kind "transition", the condition, if any, as operand."""

    kind: str
    sets: tuple[Syntax, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class SubnetDeclaration:
    name: str
    net: NetSyntax
    span: Span


Declaration = (
    TypeDeclaration
    | FunctionDeclaration
    | PlaceDeclaration
    | TransitionDeclaration
    | ConditionDeclaration
    | FairnessDeclaration
    | SubnetDeclaration
)


@dataclass(frozen=True, slots=True)
class NetSyntax:
    """``extents``: from where to where each declaration goes; its own span is that of its name."""

    declarations: tuple[Declaration, ...] = field(default=())
    extents: tuple[Span, ...] = field(default=())
