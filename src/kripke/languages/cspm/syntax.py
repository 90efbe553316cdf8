"""The syntax tree of CSP-M. Every node knows the first and last token it was made of; nodes are compared by identity.

Patterns are written like expressions and kept as such until names are resolved.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class Node:
    first: int
    last: int


@dataclass(eq=False, slots=True)
class Expr(Node):
    pass


@dataclass(eq=False, slots=True)
class Number(Expr):
    value: int


@dataclass(eq=False, slots=True)
class Text(Expr):
    value: str


@dataclass(eq=False, slots=True)
class Character(Expr):
    value: str


@dataclass(eq=False, slots=True)
class Name(Expr):
    """``name``, qualified by modules: ``M::name``."""

    name: str


@dataclass(eq=False, slots=True)
class Wildcard(Expr):
    pass


@dataclass(eq=False, slots=True)
class TupleOf(Expr):
    items: list[Expr]


@dataclass(eq=False, slots=True)
class Collection(Expr):
    """Items in brackets ``<>`` (seq), ``{}`` (set) or ``{||}`` (closure), each for all values of the statements."""

    bracket: str
    items: list[Expr]
    statements: list[Statement] | None = None


@dataclass(eq=False, slots=True)
class Range(Expr):
    """``<a..b>`` or ``{a..b}``; without an end it goes on for ever."""

    bracket: str
    low: Expr
    high: Expr | None
    statements: list[Statement] | None = None


@dataclass(eq=False, slots=True)
class MapOf(Expr):
    pairs: list[tuple[Expr, Expr]]


@dataclass(eq=False, slots=True)
class Apply(Expr):
    function: Expr
    arguments: list[Expr]


@dataclass(eq=False, slots=True)
class Binary(Expr):
    """Arithmetic, comparison, ``and``, ``or``, ``^``."""

    operator: str
    left: Expr
    right: Expr


@dataclass(eq=False, slots=True)
class Unary(Expr):
    """``-``, ``not``, ``#``."""

    operator: str
    operand: Expr


@dataclass(eq=False, slots=True)
class If(Expr):
    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(eq=False, slots=True)
class Let(Expr):
    declarations: list[Declaration]
    body: Expr


@dataclass(eq=False, slots=True)
class Lambda(Expr):
    patterns: list[Expr]
    body: Expr


@dataclass(eq=False, slots=True)
class Dots(Expr):
    items: list[Expr]


@dataclass(eq=False, slots=True)
class Both(Expr):
    """``p @@ q``: a pattern that matches what both match."""

    left: Expr
    right: Expr


@dataclass(eq=False, slots=True)
class Field(Node):
    """``!e``, ``?p``, ``?p:S``, ``$p:S`` of a prefix."""

    mark: str
    item: Expr
    within: Expr | None


@dataclass(eq=False, slots=True)
class Prefix(Expr):
    event: Expr
    fields: list[Field]
    body: Expr


@dataclass(eq=False, slots=True)
class Guard(Expr):
    condition: Expr
    body: Expr


@dataclass(eq=False, slots=True)
class Choice(Expr):
    """Operators on any number of processes: ``[]``, ``|~|``, ``;``, ``|||``, ``/\\``, ``[>``."""

    operator: str
    operands: list[Expr]


@dataclass(eq=False, slots=True)
class Parallel(Expr):
    """``[|A|]``, ``[|A|>``, ``[+A+]``, ``/+A+\\`` with one set; ``[A||B]`` with two."""

    operator: str
    left: Expr
    sets: list[Expr]
    right: Expr


@dataclass(eq=False, slots=True)
class Linked(Expr):
    """``P [a <-> b | statements] Q``."""

    left: Expr
    pairs: list[tuple[Expr, Expr]]
    statements: list[Statement]
    right: Expr


@dataclass(eq=False, slots=True)
class Hide(Expr):
    process: Expr
    hidden: Expr


@dataclass(eq=False, slots=True)
class Rename(Expr):
    process: Expr
    pairs: list[tuple[Expr, Expr]]
    statements: list[Statement]


@dataclass(eq=False, slots=True)
class Replicated(Expr):
    """``[] x:S @ P`` and the like; ``||`` has the alphabet, ``[|A|]`` and ``[+A+]`` the set, links the pairs."""

    operator: str
    statements: list[Statement]
    body: Expr
    set: Expr | None = None
    pairs: list[tuple[Expr, Expr]] = field(default_factory=list)
    link_statements: list[Statement] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Statement(Node):
    """A generator ``pattern <- e`` (``pattern : e`` in replicated operators), or a condition."""

    pattern: Expr | None
    expression: Expr


# ---- types in annotations ----


@dataclass(eq=False, slots=True)
class TypeNode(Node):
    """``form``: name, var, tuple, seq, set, map, function (arguments, then result), dot, dotable, extendable."""

    form: str
    name: str
    parts: list[TypeNode]


# ---- declarations ----


@dataclass(eq=False, slots=True)
class Declaration(Node):
    pass


@dataclass(eq=False, slots=True)
class Clause(Node):
    """One equation of a function: its groups of argument patterns (several when curried) and its body."""

    groups: list[list[Expr]]
    body: Expr


@dataclass(eq=False, slots=True)
class Function(Declaration):
    name: str
    clauses: list[Clause]


@dataclass(eq=False, slots=True)
class PatternBinding(Declaration):
    pattern: Expr
    body: Expr


@dataclass(eq=False, slots=True)
class Channels(Declaration):
    names: list[str]
    type: Expr | None


@dataclass(eq=False, slots=True)
class Constructor(Node):
    name: str
    fields: Expr | None


@dataclass(eq=False, slots=True)
class Datatype(Declaration):
    name: str
    constructors: list[Constructor]
    subtype: bool


@dataclass(eq=False, slots=True)
class Nametype(Declaration):
    name: str
    expression: Expr


@dataclass(eq=False, slots=True)
class Imported(Declaration):
    """``transparent`` or ``external`` names."""

    kind: str
    names: list[str]


@dataclass(eq=False, slots=True)
class Annotation(Declaration):
    names: list[str]
    constraints: list[tuple[str, TypeNode]]
    type: TypeNode


@dataclass(eq=False, slots=True)
class Option(Node):
    name: str
    argument: Expr | None


@dataclass(eq=False, slots=True)
class Assertion(Declaration):
    """``kind``: refinement, deadlock, divergence, determinism, has trace; ``model``: T, F, FD; ``text`` as written."""

    negated: bool
    kind: str
    model: str
    left: Expr
    right: Expr | None
    options: list[Option]
    text: str


@dataclass(eq=False, slots=True)
class Print(Declaration):
    expression: Expr
    text: str


@dataclass(eq=False, slots=True)
class Module(Declaration):
    name: str
    parameters: list[Expr]
    private: list[Declaration]
    exported: list[Declaration]


@dataclass(eq=False, slots=True)
class Instance(Declaration):
    name: str
    module: str
    arguments: list[Expr]


@dataclass(eq=False, slots=True)
class Timed(Declaration):
    """Declarations whose prefixes take time: ``duration`` of an event in tocks, None: one each."""

    duration: Expr | None
    declarations: list[Declaration]
