"""The syntax tree of Promela, as it stands in the text: names are not resolved, sugar is not expanded.

Every node has a `span`, which does not take part in comparisons. Where SPIN rewrites a construct while it reads it
(`for`, `select`, declarations between statements), the node's docstring says into what: state counts depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from kripke.languages.promela.node import Node
from kripke.model.source import NOWHERE, Diagnostic, Sources, Span

if TYPE_CHECKING:
    from kripke.languages.promela.asn1.importing import Imported
    from kripke.languages.promela.references import References

# Expressions


class Constant(Node):
    """A number, a character, `true`, `false` or `skip`; `text` is how it was written. An mtype name is a Reference."""

    value: int
    text: str = ""

    UNCOMPARED: ClassVar[frozenset[str]] = frozenset({"text"})


class Reference(Node):
    """`name`, `name[index]`, `name.field`, `name[index].field`: a variable, an mtype name, or a predefined name
    (`_`, `_pid`, `_nr_pr`, `_last`, `_priority`)."""

    name: str
    index: Expression | None = None
    field: Reference | None = None


class AnyReference(Node):
    """`anyRef(process)`: any process of a type; with `instance` set, the one of this number."""

    process: str
    instance: int | None = None


class Unary(Node):
    operator: Literal["-", "~", "!"]
    operand: Expression


class Binary(Node):
    """A binary operator of the state language, or `->` and `<->`, which occur in formulas only."""

    operator: str
    left: Expression
    right: Expression


class Conditional(Node):
    """`(condition -> then : otherwise)`"""

    condition: Expression
    then: Expression
    otherwise: Expression


class Run(Node):
    process: str
    arguments: tuple[Expression, ...] = ()
    priority: int | None = None


class ChannelQuery(Node):
    operator: Literal["len", "empty", "nempty", "full", "nfull"]
    channel: Reference


class Poll(Node):
    """`channel?[arguments]`, or with `anywhere` set `channel??[arguments]`: could this be received?"""

    channel: Reference
    arguments: tuple[ReceiveArgument, ...]
    anywhere: bool = False


class Timeout(Node):
    pass


class NonProgress(Node):
    """`np_`"""


class ProcessQuery(Node):
    """`enabled(operand)`, `pc_value(operand)`, `get_priority(operand)`"""

    operator: Literal["enabled", "pc_value", "get_priority"]
    operand: Expression


class RemoteLabel(Node):
    """`process[pid]@label`, `process@label`"""

    process: str
    pid: Expression | None
    label: str


class RemoteVariable(Node):
    """`process[pid]:variable`, `process:variable`; the variable may have an index but no field."""

    process: str
    pid: Expression | None
    variable: Reference


class Present(Node):
    """`present(record.field)`: is an optional component there, is an alternative the chosen one?"""

    component: Reference


class RecordValue(Node):
    """`{a 1, b x + 1}`: a value of a SEQUENCE or SET, by the names of its components."""

    names: tuple[str, ...]
    values: tuple[Expression, ...]


class ListValue(Node):
    """`{1, 2}`: a value of a SEQUENCE OF; `{}` may be any empty value."""

    values: tuple[Expression, ...]


class ChoiceValue(Node):
    """`alternative : value`"""

    name: str
    value: Expression


class CExpression(Node):
    """`c_expr [precondition] { text }`"""

    text: str
    precondition: str | None = None
    line: int = 0  # of the first word of the text

    UNCOMPARED: ClassVar[frozenset[str]] = frozenset({"line"})


TemporalPrefix = Literal["[]", "<>", "X", "Y", "Z", "O", "H"]
TemporalSign = Literal["U", "V", "W", "P", "M", "S", "T"]


class TemporalUnary(Node):
    """always, eventually, next; previously, once, historically; in formulas only."""

    operator: TemporalPrefix
    operand: Expression


class TemporalBinary(Node):
    """until, release, weak until, precedence, strong release; since, triggered; in formulas only."""

    operator: TemporalSign
    left: Expression
    right: Expression


class Fires(Node):
    """`fires(c!a,b)`, `fires(c?)`, `fires(c)`: a step sends or receives on a channel, perhaps such a message."""

    channel: Reference
    direction: Literal["!", "?", ""]
    arguments: tuple[ReceiveArgument, ...] = ()


class Moves(Node):
    """`moves(i)`: process i takes part in the step; in formulas only."""

    process: Expression


class NextOf(Node):
    """`next(i, f)`: f holds after the next step of process i, if there is one; in formulas only."""

    process: Expression
    operand: Expression


class SpecificationPattern(Node):
    """`response(p, s) after q`: a pattern by its name, in a scope; in formulas only."""

    name: str
    arguments: tuple[Expression, ...]
    scope: str
    start: Expression | None = None
    end: Expression | None = None


Expression: TypeAlias = (
    Constant
    | Reference
    | Unary
    | Binary
    | Conditional
    | Run
    | AnyReference
    | ChannelQuery
    | Poll
    | Timeout
    | NonProgress
    | ProcessQuery
    | RemoteLabel
    | RemoteVariable
    | CExpression
    | Present
    | RecordValue
    | ListValue
    | ChoiceValue
    | TemporalUnary
    | TemporalBinary
    | Fires
    | Moves
    | NextOf
    | SpecificationPattern
)


class Eval(Node):
    """`eval(expression)` among the arguments of a receive or poll."""

    expression: Expression


ReceiveArgument: TypeAlias = Reference | Constant | Eval
"""What a message field meets: a variable that takes the value, a value it must have (a constant, an mtype name, which
is still a Reference here, an Eval), or `_`, which takes anything."""


# Declarations


class TypeName(Node):
    """bit, bool, byte, chan, int, mtype, pid, short, unsigned, or a typedef's name; `subtype` as in `mtype:sub`.

    `ref P` is "ref" with the subtype "P".
    """

    name: str
    subtype: str | None = None


class ChannelInitializer(Node):
    """`[capacity] of { message }`"""

    capacity: Expression
    message: tuple[TypeName, ...]


class ArrayInitializer(Node):
    """`{1, 2, 3}`"""

    values: tuple[Expression, ...]


Initializer: TypeAlias = Expression | ChannelInitializer | ArrayInitializer


class Variable(Node):
    """One declared name: `name : width`, `name[size]`, each perhaps with `= initial`."""

    name: str
    size: Expression | None = None
    width: int | None = None
    initial: Initializer | None = None


class Nonatomic(Node):
    """`nonatomic`, `nonatomic (low .. high)`: writes and reads take time; the range of arbitrary values."""

    low: Expression | None = None
    high: Expression | None = None


class Declaration(Node):
    """`visibility type variables`; at the top level, among parameters and fields, and inside a DeclarationStatement."""

    type: TypeName
    variables: tuple[Variable, ...]
    visibility: Literal["hidden", "show", "local", "public"] | None = None
    nonatomic: Nonatomic | None = None


class MtypeDeclaration(Node):
    """`mtype = { names }`, `mtype:subtype = { names }`; names in the order of the text."""

    names: tuple[str, ...]
    subtype: str | None = None


class Typedef(Node):
    name: str
    fields: tuple[Declaration, ...]


# Statements


class Assignment(Node):
    target: Reference
    value: Expression


class Increment(Node):
    """`target++`"""

    target: Reference


class Decrement(Node):
    """`target--`"""

    target: Reference


class Send(Node):
    """`channel!arguments`, or with `sorted` set `channel!!arguments`. `q!a(b,c)` is the same as `q!a,b,c`."""

    channel: Reference
    arguments: tuple[Expression, ...]
    sorted: bool = False


class Receive(Node):
    """`channel?arguments`; `anywhere` is set for `??`, `peek` (the message stays) for `?<arguments>`."""

    channel: Reference
    arguments: tuple[ReceiveArgument, ...]
    anywhere: bool = False
    peek: bool = False


class Option(Node):
    """`:: body`"""

    body: tuple[Statement, ...]


class If(Node):
    options: tuple[Option, ...]


class Do(Node):
    options: tuple[Option, ...]


class Else(Node):
    """`else`, where a guard stands."""


class Break(Node):
    pass


class Goto(Node):
    label: str


class Labelled(Node):
    """`a: b: statement`. A label before nothing stands before `skip`, an ExpressionStatement of 1."""

    labels: tuple[str, ...]
    statement: Statement


class Atomic(Node):
    body: tuple[Statement, ...]


class DStep(Node):
    body: tuple[Statement, ...]


class Block(Node):
    """`{ body }`: a scope for names, nothing else."""

    body: tuple[Statement, ...]


class Unless(Node):
    """`main unless escape`. A labelled `main` is always a labelled block, atomic or d_step; SPIN then makes
    `labels: block { inner unless escape }` of it: the labels stand before the whole."""

    main: Statement
    escape: Statement


class Assert(Node):
    condition: Expression


class AssertEventually(Node):
    """`assert_eventually(q)`: whenever this is executed, q holds then or later."""

    condition: Expression


class Printf(Node):
    """`format` is the text between the quotes, escapes as written."""

    format: str
    arguments: tuple[Expression, ...] = ()


class Printm(Node):
    argument: Reference | Constant


class ExpressionStatement(Node):
    """An expression that waits until it is not 0; `skip` is the constant 1, `run P()` alone is one too."""

    expression: Expression


class SetPriority(Node):
    """`set_priority(process, priority)`"""

    process: Expression
    priority: Expression


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


class Select(Node):
    """`select (variable : first .. last)`: any value of the range. SPIN has three ways to expand it (`expansion`):

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


class ExclusiveAccess(Node):
    """`xr channels` (only this process receives), `xs channels` (only this process sends). Not a step."""

    operator: Literal["xr", "xs"]
    channels: tuple[Reference, ...]


class CCode(Node):
    """`c_code [precondition] { text }`, as a statement or at the top level."""

    text: str
    precondition: str | None = None
    line: int = 0  # of the first word of the text

    UNCOMPARED: ClassVar[frozenset[str]] = frozenset({"line"})


class DeclarationStatement(Node):
    """A declaration at its place in a body.

    With `initial` set, only declarations (or xr, xs) stand before it in the body of its proctype: its initial values
    are part of the process's first state. Otherwise (after a statement, or anywhere inside a block, option, loop or
    inline) SPIN makes a step of every variable in the list: `variable = initial;`, with 0 where none is given; for an
    array without initialiser element 0 only. A channel initialiser occurs only with `initial` set.
    """

    declaration: Declaration
    initial: bool


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
    | AssertEventually
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


class Proctype(Node):
    """`active` is the number of instances that run from the start, None if the word is missing."""

    name: str
    parameters: tuple[Declaration, ...]
    body: tuple[Statement, ...]
    active: Expression | None = None
    priority: int | None = None
    provided: Expression | None = None
    deterministic: bool = False


class Init(Node):
    body: tuple[Statement, ...]
    priority: int | None = None


class Never(Node):
    name: str | None
    body: tuple[Statement, ...]


class Trace(Node):
    """`trace { body }`, `notrace { body }`"""

    operator: Literal["trace", "notrace"]
    body: tuple[Statement, ...]


class Ltl(Node):
    name: str | None
    formula: Expression


class Inline(Node):
    """The definition of an inline; its body shows in every InlineCall. `words` are the words of its body."""

    name: str
    parameters: tuple[str, ...]
    words: frozenset[str] = frozenset()

    UNCOMPARED: ClassVar[frozenset[str]] = frozenset({"words"})


class Import(Node):
    """`import types from "file"`: data types in ASN.1."""

    file: str
    data: Imported

    UNCOMPARED: ClassVar[frozenset[str]] = frozenset({"data"})


class CDeclaration(Node):
    """`c_decl { text }`"""

    text: str
    line: int = 0

    UNCOMPARED: ClassVar[frozenset[str]] = frozenset({"line"})


class CState(Node):
    """`c_state "declaration" "scope" "initial"`; the texts between the quotes."""

    declaration: str
    scope: str
    initial: str | None = None


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
    | Import
    | Typedef
    | MtypeDeclaration
    | Declaration
    | CDeclaration
    | CCode
    | CState
    | CTrack
)


@dataclass(frozen=True, slots=True)
class Module:
    """A whole model: its items in the order of the text.

    `references` is there where the text had any (`ref P`); the items are what they mean. `sources` finds the text of a
    line for error messages (`module.sources.error(message, span)`), `macros` are the definitions in force at the end
    of the text, for formulas given from outside.
    """

    file: str
    items: tuple[Item, ...]
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False)
    sources: Sources = field(default_factory=Sources, compare=False, repr=False)
    macros: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    references: References | None = field(default=None, compare=False, repr=False)
