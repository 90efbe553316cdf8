"""``assert_eventually(q)`` in processes: a response assertion (K. Havelund, J. U. Skakkebæk, *Applying model checking
in Java verification*, SPIN 1999): whenever the statement is executed, q holds there or later, on every continuation.

The statement notes in the record of its step that it owes q, unless q holds right there; the property is
``[] (owed -> X <> q)``. So the state space does not grow, and the assertion counts inside atomic sequences, too. Where
q speaks of ``_pid``, every process owes its own q.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from kripke.languages.promela import syntax
from kripke.languages.promela.lowering.claims import ClaimLowering
from kripke.languages.promela.lowering.expressions import Context, ExpressionLowering
from kripke.languages.promela.lowering.firings import BYTE, Firings
from kripke.languages.promela.lowering.symbols import Scope
from kripke.languages.promela.node import Node, walk
from kripke.model.property import Temporal
from kripke.model.source import Span
from kripke.process.expressions import (
    Binary,
    BinaryOperator,
    Constant,
    Expression,
    Index,
    OwnPid,
    Place,
    Read,
    Unary,
    UnaryOperator,
)
from kripke.process.program import Assign


class _Owed(NamedTuple):
    """What is owed after a step of which an atom is true; ``pid``: by which process, where that makes a difference."""

    atom: str
    condition: syntax.Expression
    pid: int | None = None


class Responses:
    """The response assertions of a model. ``pids``: the processes of a type, where all of them run from the start."""

    def __init__(self, context: Context, firings: Firings, scope: Scope, pids: Mapping[str, range]) -> None:
        self.context = context
        self.firings = firings
        self.scope = scope
        self.pids = pids
        #: by place in the text: an inline may be called several times, with different arguments
        self.found: dict[Span, list[_Owed]] = {}

    def obligation(self, node: syntax.AssertEventually, lowering: ExpressionLowering) -> Assign:
        """What the statement does."""
        if self.context.current is None:
            raise self.context.fail("'assert_eventually' belongs into a process", node.span)
        self._refuse_locals(node, lowering.scope)
        process = self.context.current.name
        owed = self.found.setdefault(node.span, [])
        text = self.context.table.text_of(node.span)
        if not _speaks_of_pid(node):
            name, number = self.firings.noted(f"{text} by {process}", node.span)
            owed.append(_Owed(name, node.condition))
            place = Place(self.firings.variable, BYTE, number // 8)
            bit: Expression = Constant(number % 8)
        else:
            pids = self.pids.get(process)
            if pids is None:
                message = "'_pid' in 'assert_eventually' is for processes that run from the start"
                raise self.context.fail(message, node.span, f"make {process} active, and do not run it")
            first = len(self.firings.events)
            for pid in pids:
                name, _ = self.firings.noted(f"{text} by {process}:{pid}", node.span)
                owed.append(_Owed(name, node.condition, pid))
            number_of_own = Binary(BinaryOperator.ADD, OwnPid(), Constant(first - pids.start))
            byte = Binary(BinaryOperator.SHIFT_RIGHT, number_of_own, Constant(3))
            place = Place(self.firings.variable, BYTE, 0, (Index(byte, (first + len(pids) + 7) // 8, 1),))
            bit = Binary(BinaryOperator.AND, number_of_own, Constant(7))
        condition = lowering.expression(node.condition)
        lowering.touched.shared = True
        owes = Binary(BinaryOperator.SHIFT_LEFT, Unary(UnaryOperator.NOT, condition), bit)
        return Assign(place, Binary(BinaryOperator.OR, Read(place), owes))

    def _refuse_locals(self, node: syntax.AssertEventually, scope: Scope) -> None:
        for inner in walk(node):
            if isinstance(inner, syntax.Reference):
                symbol = scope.find(inner.name)
                if symbol is not None and symbol is not self.scope.find(inner.name):
                    message = f"'{inner.name}' is local: 'assert_eventually' is about what can be seen from outside"
                    hint = "keep it in a global variable, one for every process in an array: x[_pid]"
                    raise self.context.fail(message, inner.span, hint)
            elif isinstance(inner, syntax.Run):
                raise self.context.fail("'assert_eventually' has no 'run' in it", inner.span)

    def properties(self, claims: ClaimLowering) -> list[Temporal]:
        """One for every place in the text, named after its line."""
        found: list[Temporal] = []
        for span, owed in self.found.items():
            name = first = f"assert_eventually_{span.line}"
            copies = 1
            while any(property_.name == name for property_ in found):
                copies += 1
                name = f"{first}_{copies}"
            parts = []
            for atom, condition, pid in owed:
                text = self.context.table.text_of(condition.span)
                text = text if pid is None else re.sub(r"\b_pid\b", str(pid), text)
                parts.append((atom, _of(condition, pid), text))
            found.append(claims.response(name, parts, span))
        return found


def _speaks_of_pid(node: Node) -> bool:
    return any(isinstance(inner, syntax.Reference) and inner.name == "_pid" for inner in walk(node))


def _of(condition: syntax.Expression, pid: int | None) -> syntax.Expression:
    """The condition of one process: its number stands where it says ``_pid``."""
    if pid is None:
        return condition

    def replaced(part: object) -> object:
        if isinstance(part, tuple):
            return tuple(replaced(each) for each in part)
        if isinstance(part, syntax.Reference) and part.name == "_pid":
            return syntax.Constant(pid, str(pid), span=part.span)
        if not isinstance(part, Node):
            return part
        fields = (replaced(getattr(part, name)) for name in part.__match_args__)
        return type(part)(*fields, span=part.span)

    found = replaced(condition)
    assert isinstance(found, Node)
    return found  # type: ignore[return-value]
