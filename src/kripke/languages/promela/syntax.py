"""The syntax tree of Promela, as it stands in the text: names are not resolved, sugar is not expanded.

Every node has a `span`, which does not take part in comparisons. Where SPIN rewrites a construct while it reads it
(`for`, `select`, declarations between statements), the node's docstring says into what, because state counts depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from kripke.model.source import NOWHERE, Diagnostic, Sources, Span


@dataclass(frozen=True, slots=True)
class Node:
    span: Span = field(default=NOWHERE, kw_only=True, compare=False, repr=False)


# Expressions


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """A number, a character, `true`, `false` or `skip`; `text` is how it was written. An mtype name is a Reference."""

    value: int
    text: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Reference(Node):
    """`name`, `name[index]`, `name.field`, `name[index].field`: a variable, an mtype name, or a predefined name
    (`_`, `_pid`, `_nr_pr`, `_last`, `_priority`)."""

    name: str
    index: Expression | None = None
    field: Reference | None = None


@dataclass(frozen=True, slots=True)
class Unary(Node):
    operator: Literal["-", "~", "!"]
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """A binary operator of the state language, or `->` and `<->`, which occur in formulas only."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Conditional(Node):
    """`(condition -> then : otherwise)`"""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Run(Node):
    process: str
    arguments: tuple[Expression, ...] = ()
    priority: int | None = None


@dataclass(frozen=True, slots=True)
class ChannelQuery(Node):
    operator: Literal["len", "empty", "nempty", "full", "nfull"]
    channel: Reference


@dataclass(frozen=True, slots=True)
class Poll(Node):
    """`channel?[arguments]`, or with `anywhere` set `channel??[arguments]`: could this be received?"""

    channel: Reference
    arguments: tuple[ReceiveArgument, ...]
    anywhere: bool = False


@dataclass(frozen=True, slots=True)
class Timeout(Node):
    pass


@dataclass(frozen=True, slots=True)
class NonProgress(Node):
    """`np_`"""


@dataclass(frozen=True, slots=True)
class ProcessQuery(Node):
    """`enabled(operand)`, `pc_value(operand)`, `get_priority(operand)`"""

    operator: Literal["enabled", "pc_value", "get_priority"]
    operand: Expression


@dataclass(frozen=True, slots=True)
class RemoteLabel(Node):
    """`process[pid]@label`, `process@label`"""

    process: str
    pid: Expression | None
    label: str


@dataclass(frozen=True, slots=True)
class RemoteVariable(Node):
    """`process[pid]:variable`, `process:variable`; the variable may have an index but no field."""

    process: str
    pid: Expression | None
    variable: Reference


@dataclass(frozen=True, slots=True)
class CExpression(Node):
    """`c_expr [precondition] { text }`"""

    text: str
    precondition: str | None = None


@dataclass(frozen=True, slots=True)
class TemporalUnary(Node):
    """always, eventually, next; in formulas only."""

    operator: Literal["[]", "<>", "X"]
    operand: Expression


@dataclass(frozen=True, slots=True)
class TemporalBinary(Node):
    """until, release, weak until; in formulas only."""

    operator: Literal["U", "V", "W"]
    left: Expression
    right: Expression


Expression: TypeAlias = (
    Constant
    | Reference
    | Unary
    | Binary
    | Conditional
    | Run
    | ChannelQuery
    | Poll
    | Timeout
    | NonProgress
    | ProcessQuery
    | RemoteLabel
    | RemoteVariable
    | CExpression
    | TemporalUnary
    | TemporalBinary
)


@dataclass(frozen=True, slots=True)
class Eval(Node):
    """`eval(expression)` among the arguments of a receive or poll."""

    expression: Expression


ReceiveArgument: TypeAlias = Reference | Constant | Eval
"""What a message field meets: a variable that takes the value, a value it must have (a constant, an mtype name, which is
still a Reference here, an Eval), or `_`, which takes anything."""


# Declarations


@dataclass(frozen=True, slots=True)
class TypeName(Node):
    """bit, bool, byte, chan, int, mtype, pid, short, unsigned, or the name of a typedef; `subtype` as in `mtype:colour`."""

    name: str
    subtype: str | None = None


@dataclass(frozen=True, slots=True)
class ChannelInitializer(Node):
    """`[capacity] of { message }`"""

    capacity: Expression
    message: tuple[TypeName, ...]


@dataclass(frozen=True, slots=True)
class ArrayInitializer(Node):
    """`{1, 2, 3}`"""

    values: tuple[Expression, ...]


Initializer: TypeAlias = Expression | ChannelInitializer | ArrayInitializer


@dataclass(frozen=True, slots=True)
class Variable(Node):
    """One declared name: `name : width`, `name[size]`, each perhaps with `= initial`."""

    name: str
    size: Expression | None = None
    width: int | None = None
    initial: Initializer | None = None


@dataclass(frozen=True, slots=True)
class Declaration(Node):
    """`visibility type variables`; at the top level, among parameters and fields, and inside a DeclarationStatement."""

    type: TypeName
    variables: tuple[Variable, ...]
    visibility: Literal["hidden", "show", "local"] | None = None


@dataclass(frozen=True, slots=True)
class MtypeDeclaration(Node):
    """`mtype = { names }`, `mtype:subtype = { names }`; names in the order of the text."""

    names: tuple[str, ...]
    subtype: str | None = None


@dataclass(frozen=True, slots=True)
class Typedef(Node):
    name: str
    fields: tuple[Declaration, ...]


# Statements


@dataclass(frozen=True, slots=True)
class Assignment(Node):
    target: Reference
    value: Expression


@dataclass(frozen=True, slots=True)
class Increment(Node):
    """`target++`"""

    target: Reference


@dataclass(frozen=True, slots=True)
class Decrement(Node):
    """`target--`"""

    target: Reference


@dataclass(frozen=True, slots=True)
class Send(Node):
    """`channel!arguments`, or with `sorted` set `channel!!arguments`. `q!a(b,c)` is the same as `q!a,b,c`."""

    channel: Reference
    arguments: tuple[Expression, ...]
    sorted: bool = False


@dataclass(frozen=True, slots=True)
class Receive(Node):
    """`channel?arguments`; `anywhere` is set for `??`, `peek` (the message stays) for `?<arguments>`."""

    channel: Reference
    arguments: tuple[ReceiveArgument, ...]
    anywhere: bool = False
    peek: bool = False


@dataclass(frozen=True, slots=True)
class Option(Node):
    """`:: body`"""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class If(Node):
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Do(Node):
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Else(Node):
    """`else`, where a guard stands."""


@dataclass(frozen=True, slots=True)
class Break(Node):
    pass


@dataclass(frozen=True, slots=True)
class Goto(Node):
    label: str


@dataclass(frozen=True, slots=True)
class Labelled(Node):
    """`a: b: statement`. A label before nothing stands before `skip`, an ExpressionStatement of 1."""

    labels: tuple[str, ...]
    statement: Statement


@dataclass(frozen=True, slots=True)
class Atomic(Node):
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class DStep(Node):
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Block(Node):
    """`{ body }`: a scope for names, nothing else."""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Unless(Node):
    """`main unless escape`. A labelled `main` is always a labelled block, atomic or d_step; SPIN then makes
    `labels: block { inner unless escape }` of it: the labels stand before the whole."""

    main: Statement
    escape: Statement


@dataclass(frozen=True, slots=True)
class Assert(Node):
    condition: Expression


@dataclass(frozen=True, slots=True)
class Printf(Node):
    """`format` is the text between the quotes, escapes as written."""

    format: str
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Printm(Node):
    argument: Reference | Constant


@dataclass(frozen=True, slots=True)
class ExpressionStatement(Node):
    """An expression that waits until it is not 0; `skip` is the constant 1, `run P()` alone is one too."""

    expression: Expression


@dataclass(frozen=True, slots=True)
class SetPriority(Node):
    """`set_priority(process, priority)`"""

    process: Expression
    priority: Expression


@dataclass(frozen=True, slots=True)
class For(Node):
    """`for (variable : first .. last) { body }`. SPIN makes of it, in the enclosing sequence,

        variable = first;
        do
        :: else -> break
        :: variable <= last; body; variable = variable + 1
        od

    - `body` is spliced into the option (no block of its own, though its braces are a scope for names);
    - `last` is evaluated again in every round;
    - the assignment goes into the enclosing sequence before the loop is a statement at all, so a label on the `for` and
      an `unless` after it belong to the `do` alone: `goto` to that label does not start the loop afresh.
    """

    variable: Reference
    first: Expression
    last: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ForIn(Node):
    """`for (variable in collection) { body }`.

    If `collection` is an array of n elements: `For(variable, 0, n - 1, body)`, so `variable` runs over the indices.
    If `variable` is of a typedef and `collection` a channel of just that type, SPIN adds a hidden local counter
    (a byte; a short if the channel's capacity is above 255; one per scope) and makes

        counter = 0;
        do
        :: else -> break
        :: counter < len(collection);
           collection ? variable;   (all fields)
           collection ! variable;
           body;
           counter = counter + 1
        od

    Labels and `unless` as with For.
    """

    variable: Reference
    collection: Reference
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Select(Node):
    """`select (variable : first .. last)`: any value of the range. SPIN has three ways to expand it, told by `expansion`:

    "options": the bounds are numbers at most 32 apart and the text is simple (a name of letters and digits only, not in
    an inline): one step,

        if :: variable = first :: variable = first + 1 ... :: variable = last fi

    "text": the same, but the bounds are further apart; a label stands before the assignment:

        variable = first; do :: (variable < last) -> variable++ :: break od

    "loop": everything else (`last` evaluated again in every round; a label or `unless` belongs to the `do` alone):

        variable = first; do :: break :: variable < last; variable = variable + 1 od
    """

    variable: Reference
    first: Expression
    last: Expression
    expansion: Literal["options", "text", "loop"] = "loop"


@dataclass(frozen=True, slots=True)
class ExclusiveAccess(Node):
    """`xr channels` (only this process receives), `xs channels` (only this process sends). Not a step."""

    operator: Literal["xr", "xs"]
    channels: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class CCode(Node):
    """`c_code [precondition] { text }`, as a statement or at the top level."""

    text: str
    precondition: str | None = None


@dataclass(frozen=True, slots=True)
class DeclarationStatement(Node):
    """A declaration at its place in a body.

    With `initial` set, only declarations (or xr, xs) stand before it in the body of its proctype: its initial values are
    part of the process's first state. Otherwise (after a statement, or anywhere inside a block, option, loop or inline)
    SPIN makes a step of every variable in the list: `variable = initial;`, with 0 where none is given; for an array
    without initialiser element 0 only. A channel with a channel initialiser makes no step: SPIN complains and then treats
    it as initial, so it does not get a fresh channel when control passes again.
    """

    declaration: Declaration
    initial: bool


@dataclass(frozen=True, slots=True)
class InlineCall(Node):
    """`name(arguments)`, or `target = name(arguments)`, with the body it stands for, parameters already replaced.

    `body` is the statement that is executed. Its parts carry the places of the inline's own text, this node that of the
    call. `return e` in the body has become the assignment of `e` to `target`, which, as in SPIN, does not end the body.
    """

    name: str
    arguments: tuple[Expression, ...]
    body: Block
    target: Reference | None = None


Statement: TypeAlias = (
    Assignment
    | Increment
    | Decrement
    | Send
    | Receive
    | If
    | Do
    | Else
    | Break
    | Goto
    | Labelled
    | Atomic
    | DStep
    | Block
    | Unless
    | Assert
    | Printf
    | Printm
    | ExpressionStatement
    | SetPriority
    | For
    | ForIn
    | Select
    | ExclusiveAccess
    | CCode
    | DeclarationStatement
    | InlineCall
)


# Module items


@dataclass(frozen=True, slots=True)
class Proctype(Node):
    """`active` is the number of instances that run from the start, None if the word is missing."""

    name: str
    parameters: tuple[Declaration, ...]
    body: tuple[Statement, ...]
    active: Expression | None = None
    priority: int | None = None
    provided: Expression | None = None
    deterministic: bool = False


@dataclass(frozen=True, slots=True)
class Init(Node):
    body: tuple[Statement, ...]
    priority: int | None = None


@dataclass(frozen=True, slots=True)
class Never(Node):
    name: str | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Trace(Node):
    """`trace { body }`, `notrace { body }`"""

    operator: Literal["trace", "notrace"]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Ltl(Node):
    name: str | None
    formula: Expression


@dataclass(frozen=True, slots=True)
class Inline(Node):
    """The definition of an inline; its body shows in every InlineCall."""

    name: str
    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CDeclaration(Node):
    """`c_decl { text }`"""

    text: str


@dataclass(frozen=True, slots=True)
class CState(Node):
    """`c_state "declaration" "scope" "initial"`; the texts between the quotes."""

    declaration: str
    scope: str
    initial: str | None = None


@dataclass(frozen=True, slots=True)
class CTrack(Node):
    """`c_track "pointer" "size" "matching"`; the texts between the quotes."""

    pointer: str
    size: str
    matching: str | None = None


Item: TypeAlias = (
    Proctype
    | Init
    | Never
    | Trace
    | Ltl
    | Inline
    | Typedef
    | MtypeDeclaration
    | Declaration
    | CDeclaration
    | CCode
    | CState
    | CTrack
)


@dataclass(frozen=True, slots=True)
class Module(Node):
    """A whole model: its items in the order of the text.

    `sources` finds the text of a line for error messages (`module.sources.error(message, span)`), `macros` are the
    definitions in force at the end of the text, for formulas given from outside.
    """

    file: str
    items: tuple[Item, ...]
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False)
    sources: Sources = field(default_factory=Sources, compare=False, repr=False)
    macros: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
