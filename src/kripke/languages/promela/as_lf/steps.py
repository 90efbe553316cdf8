"""Steps of a Promela process: what an edge does, what of it waits, what of it others can see."""

from __future__ import annotations

from typing import NamedTuple

from kripke.languages.promela.as_lf.channels import Channels
from kripke.languages.promela.as_lf.names import Refusals
from kripke.process.expressions import AskChannel, Binary, BinaryOperator, Constant, Expression, Place, Poll, Unary
from kripke.process.expressions import UnaryOperator as Sign
from kripke.process.nodes import nodes_of
from kripke.process.program import (
    Assert,
    Assign,
    Choose,
    DeterministicStep,
    Discard,
    Edge,
    Else,
    Guard,
    Location,
    Operation,
    Print,
    Program,
    Receive,
    Reset,
    Run,
    Scope,
    Send,
    Skip,
    Terminate,
)

_OPPOSITE = {
    BinaryOperator.LESS: BinaryOperator.GREATER_EQUAL,
    BinaryOperator.LESS_EQUAL: BinaryOperator.GREATER,
    BinaryOperator.EQUAL: BinaryOperator.NOT_EQUAL,
}
_OPPOSITE |= {after: before for before, after in _OPPOSITE.items()}
_NEVER_WAIT = (Assert, Assign, Discard, Print, Run, Skip)


class Step(NamedTuple):
    """``first`` may wait, the others follow in the same step. ``statements``: of all of them."""

    first: Operation
    rest: tuple[Operation, ...]
    statements: tuple[int, ...]
    edge: Edge

    @property
    def operations(self) -> tuple[Operation, ...]:
        return (self.first, *self.rest)

    @property
    def never_waits(self) -> bool:
        return isinstance(self.first, _NEVER_WAIT) or self.first == Guard(Constant(1))


def is_shared(node: object) -> bool:
    """Can others see it, or change what it reads?"""
    return any(
        (isinstance(one, Place) and one.variable.scope is Scope.GLOBAL)
        or isinstance(one, (Send, Receive, Run, AskChannel, Poll))
        for one in nodes_of(node)
    )


class Steps:
    def __init__(self, program: Program, channels: Channels, refusals: Refusals) -> None:
        self._program = program
        self._channels = channels
        self._refusals = refusals

    def of(self, location: Location) -> list[Step]:
        return [self._step(edge) for edge in location.edges]

    def _step(self, edge: Edge) -> Step:
        found: list[tuple[Operation, int]] = []
        for action in edge.actions:
            self._refusals.span = self._program.statements[action.statement].span
            if isinstance(action.operation, DeterministicStep):
                found += self._straight(action.operation)
            elif not isinstance(action.operation, Reset):  # a variable that nobody reads any more may keep its value
                found.append((action.operation, action.statement))
        if edge.escape:
            raise self._refusals.refuse("LF has no unless")
        found = found or [(Skip(), edge.actions[0].statement)]
        for operation, statement in found:
            self._refusals.span = self._program.statements[statement].span
            if not isinstance(operation, (*_NEVER_WAIT, Guard, Else, Send, Receive, Terminate)):
                raise self._refusals.refuse(f"LF has nothing like this statement ({type(operation).__name__})")
        for operation, statement in found[1:]:
            if not isinstance(operation, _NEVER_WAIT) and operation != Guard(Constant(1)):
                self._refusals.span = self._program.statements[statement].span
                raise self._refusals.refuse("a step that may wait in the middle")
        operations = tuple(operation for operation, _ in found)
        return Step(operations[0], operations[1:], tuple(number for _, number in found), edge)

    def _straight(self, step: DeterministicStep) -> list[tuple[Operation, int]]:
        found, at, seen = [], 0, set[int]()
        while at >= 0:
            instruction = step.code[at]
            if isinstance(instruction.operation, Choose) or at in seen:
                raise self._refusals.refuse("a d_step with choices or loops", hint="write it as atomic")
            seen.add(at)
            found.append((instruction.operation, instruction.statement))
            at = instruction.next
        return found

    # --- kinds --------------------------------------------------------------------------------------------------------

    def is_rendezvous(self, step: Step) -> bool:
        first = step.first
        if not isinstance(first, (Send, Receive)):
            return False
        self._refusals.span = self._program.statements[step.statements[0]].span
        return not self._channels.meant(first.channel)[0].capacity

    @staticmethod
    def is_decision(steps: list[Step]) -> bool:
        """A condition and its opposite: one of the two can be taken whenever the process comes here."""
        if len(steps) != 2 or not isinstance(steps[0].first, Guard):
            return False
        second = steps[1].first
        return isinstance(second, Else) or (
            isinstance(second, Guard) and _opposite(steps[0].first.condition, second.condition)
        )

    def needs_token(self, steps: list[Step], held: bool) -> bool:
        """Must nobody else move between what this waits for and what it does then?"""
        if any(isinstance(step.first, (Send, Receive)) and not self.is_rendezvous(step) for step in steps):
            return True
        if any(isinstance(step.first, Terminate) for step in steps) or self.is_decision(steps):
            return False
        if all(step.never_waits for step in steps):
            return held and len(steps) > 1
        if held:
            return True
        waiting = [step for step in steps if not self.is_rendezvous(step) and not step.never_waits]
        return any(step.edge.atomic or is_shared(step.rest) for step in waiting)


def _opposite(one: Expression, other: Expression) -> bool:
    match one, other:
        case Unary(Sign.NOT, inner), _ if inner == other:
            return True
        case _, Unary(Sign.NOT, inner) if inner == one:
            return True
        case Binary(a, left, right), Binary(b, other_left, other_right):
            return _OPPOSITE.get(a) is b and left == other_left and right == other_right
    return False
