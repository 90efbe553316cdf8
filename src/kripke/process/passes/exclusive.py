"""Check that channels claimed by a process (``xr``, ``xs`` of Promela) are used by no other.

A claim holds from the creation of the process that makes it. Who holds it is kept in the state: a byte per channel, 0
where nobody does, else the holder's pid and one. A location from which somebody else may use the channel gets an edge
that fails as soon as control is there: as in SPIN, to wait for a message is to use the channel.

``questions``: to ask about a channel (its length, what is in it) is to use it, too. SPIN's partial-order reduction
rests on that.

What the text alone shows to be right costs nothing: no byte, no edge.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kripke.model.source import NOWHERE
from kripke.process.expressions import (
    AskChannel,
    Binary,
    BinaryOperator,
    ChannelElement,
    ChannelIdentity,
    ChannelQuestion,
    Conditional,
    Constant,
    Expression,
    Index,
    IntType,
    OwnPid,
    Place,
    Poll,
    Read,
    Unary,
    UnaryOperator,
)
from kripke.process.nodes import nodes_of
from kripke.process.program import (
    MAX_PROCESSES,
    Action,
    Assign,
    Channel,
    Choose,
    Component,
    DeterministicStep,
    Discard,
    Edge,
    Exclusive,
    Guard,
    Location,
    Operation,
    ProcessType,
    Program,
    Receive,
    Right,
    Run,
    Scope,
    Send,
    StepInstruction,
    Terminate,
    Variable,
)
from kripke.process.rewrite import parts_of

_BYTE = IntType("byte", 8, False)
_BOTH = (Right.RECEIVE, Right.SEND)
_QUESTIONS = {ChannelQuestion.NOT_EMPTY: (Right.RECEIVE,), ChannelQuestion.NOT_FULL: (Right.SEND,)}


@dataclass(frozen=True, slots=True)
class Claim:
    """Processes of this type claim a right to a channel when they are created; ``statement`` says so."""

    process: ProcessType
    right: Right
    channel: Expression
    statement: int


@dataclass(frozen=True, slots=True)
class _Use:
    """``under``: when it is evaluated at all; None: always."""

    right: Right
    channel: Expression
    under: Expression | None = None


def check_claims(program: Program, claims: list[Claim], *, questions: bool) -> bool:
    """Add the checks to a program whose locations are known. False where none is needed."""
    checks = _Checks(program, claims, questions)
    if not checks.needed():
        return False
    checks.add()
    return True


class _Checks:
    def __init__(self, program: Program, claims: list[Claim], questions: bool) -> None:
        self.program = program
        self.claims = claims
        self.questions = questions
        self.holders: dict[Right, Variable] = {}
        runs = [node for node in nodes_of(tuple(_operations(program))) if isinstance(node, Run)]
        started = [initial.process for initial in program.initial]
        self._single = {p for p in program.processes if started.count(p) == 1} - {run.process for run in runs}
        self._local = any(process.channels for process in program.processes)

    # --- what has to be checked ---------------------------------------------------------------------------------------

    def needed(self) -> bool:
        meets = any(channel is None or channel.capacity == 0 for c in self.claims for channel in _named(c.channel))
        uses = (
            self._may_break(process, use)
            for process in self.program.processes
            for location in process.locations
            for edge in location.edges
            for action in edge.actions
            for use in self._uses(action.operation)
        )
        return meets or any(self._may_collide(claim) for claim in self.claims) or any(uses)

    def _uses(self, operation: Operation | Choose) -> Iterator[_Use]:
        """What an operation does with channels."""
        for node in nodes_of(operation):
            match node:
                case Send(channel):
                    yield _Use(Right.SEND, channel)
                case Receive(channel):
                    yield _Use(Right.RECEIVE, channel)
                case _:
                    pass
        if self.questions:
            yield from _asked(operation, None)

    def _may_break(self, process: ProcessType, use: _Use) -> bool:
        """Could a process of this type use a channel that another has claimed?"""
        return any(
            claim.right is use.right
            and _overlap(claim.channel, use.channel)
            and (claim.process is not process or process not in self._single)
            for claim in self.claims
        )

    def _may_collide(self, claim: Claim) -> bool:
        return self._may_break(claim.process, _Use(claim.right, claim.channel))

    # --- the bytes ----------------------------------------------------------------------------------------------------

    def add(self) -> None:
        for right in dict.fromkeys(claim.right for claim in self.claims):
            self.holders[right] = self._table(right)
        self.program.variables += tuple(self.holders.values())
        for claim in self.claims:
            claim.process.setup += self._claiming(claim)
        for process in self.program.processes:
            for location in process.locations:
                self._check_location(process, location)

    def _table(self, right: Right) -> Variable:
        names = [channel.name for channel in self.program.channels]
        if self._local:  # channels of processes come and go
            names += [f"local channel {i}" for i in range(1, MAX_PROCESSES + 1 - len(names))]
        components = tuple(Component(f"({name})", _BYTE, i) for i, name in enumerate(names))
        start = (0,) * len(names)
        return Variable(right.value, Scope.GLOBAL, "byte", components, len(names), start, False, NOWHERE, kept=True)

    def _holder(self, use: _Use) -> Place:
        variable, channel = self.holders[use.right], use.channel
        if isinstance(channel, ChannelIdentity) and channel.channel.scope is Scope.GLOBAL:
            return Place(variable, _BYTE, channel.channel.number)
        position = Binary(BinaryOperator.SUBTRACT, channel, Constant(1))
        return Place(variable, _BYTE, 0, (Index(position, variable.size, 1),))

    def _check(self, use: _Use) -> Exclusive:
        """Fails where somebody else holds the claim."""
        holder = Read(self._holder(use))
        held = Binary(BinaryOperator.NOT_EQUAL, holder, Constant(0))
        foreign = Binary(BinaryOperator.NOT_EQUAL, holder, _OWN)
        broken = Binary(BinaryOperator.LOGICAL_AND, held, foreign)
        if not isinstance(use.channel, (ChannelIdentity, ChannelElement)):  # a variable may hold no channel
            exists = Binary(BinaryOperator.GREATER, use.channel, Constant(0))
            broken = Binary(BinaryOperator.LOGICAL_AND, exists, broken)
        if use.under is not None:
            broken = Binary(BinaryOperator.LOGICAL_AND, use.under, broken)
        return Exclusive(broken, use.channel, use.right, holder)

    def _claiming(self, claim: Claim) -> tuple[Action, ...]:
        """What a new process does: the channel must exist, be a buffer, and nobody else's."""
        use = _Use(claim.right, claim.channel)
        place, channel = self._holder(use), claim.channel
        taken = Conditional(Read(place), Read(place), _OWN)
        operations = (
            Discard((), AskChannel(ChannelQuestion.LENGTH, channel)),
            Exclusive(self._meets(channel), channel, claim.right, None),
            self._check(use),
            Assign(place, taken),
        )
        return tuple(Action(operation, claim.statement) for operation in operations)

    def _meets(self, channel: Expression) -> Expression:
        """Is it a rendezvous channel? Nothing is ever in it that could be somebody's alone."""
        named = [found for found in _named(channel) if found is not None]
        if len(named) == 1 or (named and len({found.capacity for found in named}) == 1):
            return Constant(int(named[0].capacity == 0))
        condition: Expression = Constant(0)
        for other in self.program.channels:
            if other.capacity == 0:
                same = Binary(BinaryOperator.EQUAL, channel, Constant(other.number + 1))
                condition = Binary(BinaryOperator.LOGICAL_OR, condition, same)
        return condition

    # --- the edges ----------------------------------------------------------------------------------------------------

    def _check_location(self, process: ProcessType, location: Location) -> None:
        edges: list[Edge] = []
        last: list[Edge] = []
        for edge in location.edges:
            attempts = self._attempts(process, edge)
            (edges if edge.escape else last).extend(attempts)
            edges.append(replace(edge, actions=tuple(self._checked_actions(process, edge))))
        location.edges = tuple(edges + last)

    def _broken(self, process: ProcessType, uses: Iterator[_Use]) -> list[Exclusive]:
        return [self._check(use) for use in dict.fromkeys(uses) if self._may_break(process, use)]

    def _attempts(self, process: ProcessType, edge: Edge) -> Iterator[Edge]:
        """An edge that fails where the first operation of another must not be tried."""
        first = edge.actions[0]
        operation: Operation | Choose = first.operation
        if isinstance(operation, DeterministicStep):
            operation = operation.code[0].operation
        for check in self._broken(process, self._uses(operation)):
            actions = (Action(Guard(check.condition), first.statement), Action(check, first.statement))
            yield Edge(actions, edge.target, False, edge.escape)

    def _checked_actions(self, process: ProcessType, edge: Edge) -> Iterator[Action]:
        for number, action in enumerate(edge.actions):
            operation = action.operation
            if isinstance(operation, DeterministicStep):
                operation = DeterministicStep(self._checked_code(process, operation.code))
            elif number:
                yield from (Action(check, action.statement) for check in self._broken(process, self._uses(operation)))
            yield Action(operation, action.statement)
            if isinstance(operation, Terminate) and self._local:
                yield from self._forget(process, action.statement)

    def _checked_code(self, process: ProcessType, code: tuple[StepInstruction, ...]) -> tuple[StepInstruction, ...]:
        """Before an instruction; behind one that decides whether an option is taken."""
        options = {0}.union(*(part.operation.options for part in code if isinstance(part.operation, Choose)))
        found = list(code)
        for number, instruction in enumerate(code):
            for check in self._broken(process, self._uses(instruction.operation)):
                statement, here = instruction.statement, found[number]
                if number in options:
                    found.append(StepInstruction(check, statement, here.next))
                    found[number] = replace(here, next=len(found) - 1)
                else:
                    found.append(here)
                    found[number] = StepInstruction(check, statement, len(found) - 1)
        return tuple(found)

    def _forget(self, process: ProcessType, statement: int) -> Iterator[Action]:
        """The channels of a process end with it; others may get their numbers."""
        for channel in process.channels:
            for right in self.holders:
                place = self._holder(_Use(right, ChannelIdentity(channel)))
                yield Action(Assign(place, Constant(0)), statement)


_OWN = Binary(BinaryOperator.ADD, OwnPid(), Constant(1))


def _operations(program: Program) -> Iterator[Operation]:
    for process in program.processes:
        for location in process.locations:
            for edge in location.edges:
                yield from (action.operation for action in edge.actions)


def _asked(node: object, under: Expression | None) -> Iterator[_Use]:
    """The questions about channels in an operation or expression, where its evaluation comes to them."""
    match node:
        case tuple():
            for part in node:
                yield from _asked(part, under)
            return
        case Binary(BinaryOperator.LOGICAL_AND | BinaryOperator.LOGICAL_OR as operator, left, right):
            decided = left if operator is BinaryOperator.LOGICAL_AND else Unary(UnaryOperator.NOT, left)
            yield from _asked(left, under)
            yield from _asked(right, _both(under, decided))
            return
        case Conditional(condition, then, otherwise):
            yield from _asked(condition, under)
            yield from _asked(then, _both(under, condition))
            yield from _asked(otherwise, _both(under, Unary(UnaryOperator.NOT, condition)))
            return
        case AskChannel(question, channel):
            yield from (_Use(right, channel, under) for right in _QUESTIONS.get(question, _BOTH))
        case Poll(channel):
            yield from (_Use(right, channel, under) for right in _BOTH)
        case _:
            pass
    for name in parts_of(type(node)) or ():
        yield from _asked(getattr(node, name), under)


def _both(one: Expression | None, other: Expression) -> Expression:
    return other if one is None else Binary(BinaryOperator.LOGICAL_AND, one, other)


def _named(channel: Expression) -> tuple[Channel | None, ...]:
    """The channels an expression may stand for; None: any."""
    match channel:
        case ChannelIdentity(found):
            return (found,)
        case ChannelElement(channels):
            return channels
        case _:
            return (None,)


def _overlap(one: Expression, other: Expression) -> bool:
    first, second = _named(one), _named(other)
    return None in first or None in second or any(channel in second for channel in first)
