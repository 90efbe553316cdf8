"""Control flow of a Promela body, as SPIN structures it, and its translation to a statement graph.

A body is a sequence of elements; selections, loops and blocks have sequences of their own. Where control goes after an
element is found by hunting over elements that take no step (``goto``, ``break``, ends of selections). The hunt stops
where an atomic sequence is left, and dead-variable analysis sees atomic chains before jumps out of them have lost
their atomicity: such details decide what counts as a state, so the rules follow SPIN 6 element by element.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum

from kripke.model.source import ModelError, Span
from kripke.process.expressions import Constant
from kripke.process.flow import Graph, Kind, Node
from kripke.process.passes.uses import uses
from kripke.process.program import Guard, Operation, Skip, Variable

# More jumps in a row than this without a statement in between are a loop that does nothing.
_LONGEST_HUNT = 500


class Shape(Enum):
    """What an element is for the control flow."""

    BASIC = "statement"
    GOTO = "goto"
    JOIN = "join"  # where the options of a selection meet
    BREAK = "break"  # where control goes when a loop is left
    IF = "if"
    DO = "do"
    ATOMIC = "atomic"
    BLOCK = "block"
    D_STEP = "d_step"
    UNLESS = "unless"  # its options are the sequence and its escape


class Status:
    """Flags; plain numbers, since an ``IntFlag`` takes ten times as long."""

    NONE = 0
    ATOMIC = 2  # inside an atomic chain, not its end
    LAST = 4  # the end of an atomic chain
    STEP = 32  # inside a d_step


_IN_CHAIN = Status.ATOMIC | Status.LAST
_KINDS = {
    Shape.IF: Kind.CHOICE,
    Shape.DO: Kind.CHOICE,
    Shape.ATOMIC: Kind.CHOICE,
    Shape.BLOCK: Kind.CHOICE,
    Shape.UNLESS: Kind.CHOICE,
    Shape.D_STEP: Kind.STEP,
}


@dataclass(slots=True, eq=False)
class Element:
    """A statement or a joint of the control structure."""

    shape: Shape
    span: Span
    kind: Kind = Kind.JUMP
    operation: Operation | None = None
    statement: int = 0
    shared: bool = False
    next: Element | None = None
    options: list[Sequence] = field(default_factory=list)
    body: Sequence | None = None
    target: Target | None = None
    labels: list[str] = field(default_factory=list)
    break_target: bool = False
    observed: bool = False
    status: int = Status.NONE
    visited: bool = False
    number: int = 0  # SPIN's number of the state
    escapes: list[Sequence] = field(default_factory=list)  # the outermost first
    then: Operation | None = None  # runs after the operation, in the same statement


@dataclass(slots=True, eq=False)
class Sequence:
    """Elements linked by ``next``, from ``first`` to ``last``."""

    first: Element | None = None
    last: Element | None = None
    extent: Element | None = None  # the last element of the text, without the join behind it

    def append(self, element: Element) -> None:
        if self.last is None:
            self.first = element
        else:
            self.last.next = element
        self.last = element

    def elements(self) -> list[Element]:
        """From the first to the last element."""
        found: list[Element] = []
        element = self.first
        while element is not None:
            found.append(element)
            if element is self.last:
                break
            element = element.next
        return found


@dataclass(slots=True, eq=False)
class Target:
    """Where a jump leads: filled in when all labels are known."""

    element: Element | None = None


@dataclass(frozen=True, slots=True)
class _Label:
    scope: tuple[int, ...]
    element: Element
    step: Span | None  # the d_step it stands in


@dataclass(frozen=True, slots=True)
class _Jump:
    target: Target
    name: str
    scope: tuple[int, ...]
    span: Span
    step: Span | None


class Labels:
    """The labels of one body. The same name may stand in several scopes (an inline used twice)."""

    def __init__(self) -> None:
        self.step: Span | None = None  # the d_step that is being read
        self._labels: dict[str, list[_Label]] = {}  # by name
        self._jumps: list[_Jump] = []

    def define(self, name: str, scope: tuple[int, ...], element: Element) -> bool:
        """False if the name is taken in this scope."""
        same = self._labels.setdefault(name, [])
        fresh = not any(label.scope == scope for label in same)
        same.append(_Label(scope, element, self.step))
        element.labels.append(name)
        return fresh

    def move(self, old: Element, new: Element) -> None:
        """The labels of one element now belong to another."""
        for name in old.labels:
            same = self._labels[name]
            same[:] = [replace(x, element=new) if x.element is old else x for x in same]
        new.labels, old.labels = [*new.labels, *old.labels], []

    def jump(self, name: str, scope: tuple[int, ...], span: Span) -> Target:
        target = Target()
        self._jumps.append(_Jump(target, name, scope, span, self.step))
        return target

    def resolve(self, fail: Callable[[str, Span], ModelError]) -> None:
        """Give every jump its element."""
        for jump in self._jumps:
            label = self._find(jump.name, jump.scope)
            if label is None:
                raise fail(f"no label '{jump.name}' in this process", jump.span)
            if label.step != jump.step:  # a d_step is one step: it runs from its start to its end
                way = "into" if jump.step is None else "out of"
                raise fail(f"a jump {way} a d_step: '{jump.name}' does not stand in the same d_step", jump.span)
            jump.target.element = label.element

    def find(self, name: str, scope: tuple[int, ...]) -> Element | None:
        """The label in the same scope, else in the outermost enclosing one, else anywhere in the body."""
        label = self._find(name, scope)
        return label.element if label is not None else None

    def _find(self, name: str, scope: tuple[int, ...]) -> _Label | None:
        best: _Label | None = None
        for label in reversed(self._labels.get(name, ())):
            if label.scope == scope:
                return label
            if scope[: len(label.scope)] == label.scope or best is None:
                best = label
        return best

    def named(self, name: str) -> list[Element]:
        """Every element with this label."""
        return [label.element for label in self._labels.get(name, ())]


def make_observable(body: Sequence, element: Element, number: int) -> None:
    """Something asks whether control is at this element: a jump there takes a step of its own first.

    ``number`` is that of the additional element.
    """
    element.observed = True
    if element.shape is not Shape.GOTO:
        return
    jump = Element(Shape.GOTO, element.span, Kind.JUMP, Skip(), element.statement, target=element.target, number=number)
    element.shape, element.kind, element.operation = Shape.BASIC, Kind.GUARD, Guard(Constant(1))
    jump.next, element.next = element.next, jump
    waiting = [body]
    while waiting:
        sequence = waiting.pop()
        for member in sequence.elements():
            waiting.extend(member.options)
            if member.body is not None:
                waiting.append(member.body)
        if sequence.last is element:
            sequence.last = jump


# --- atomic chains ----------------------------------------------------------------------------------------------------


def make_atomic(sequence: Sequence, added: int) -> None:
    """Mark the elements of an atomic block (``added`` none) or a d_step (``added`` STEP)."""
    _mark(sequence, added)
    last = sequence.last
    assert last is not None
    if last.shape in (Shape.BLOCK, Shape.ATOMIC) and last.body is not None:
        make_atomic(last.body, added)
    else:
        last.status = (last.status & ~Status.ATOMIC) | Status.LAST


def _mark(sequence: Sequence, added: int) -> None:
    for element in sequence.elements():
        element.status |= Status.ATOMIC | added
        nested = element.shape is Shape.ATOMIC or (element.shape is Shape.D_STEP and added)
        if nested:
            element.shape = Shape.BLOCK  # atomic inside atomic adds nothing
        if element.shape is Shape.BLOCK and element.body is not None:
            _mark(element.body, added)
        for option in element.options:
            _mark(option, added)


def _release_jumps(sequence: Sequence) -> None:
    """Jumps out of an atomic chain end it; a jump at its end into another chain carries it on."""
    for element in sequence.elements():
        if element.shape is Shape.GOTO:
            target = element.target.element if element.target else None
            inside = target is not None and bool(target.status & _IN_CHAIN)
            if element.status & _IN_CHAIN and not inside:
                element.status = (element.status & ~Status.ATOMIC) | Status.LAST
            if element.status & Status.LAST and inside:
                element.status = (element.status & ~Status.LAST) | Status.ATOMIC
        else:
            for option in element.options:
                _release_jumps(option)


# --- escapes ----------------------------------------------------------------------------------------------------------


def attach_escape(sequence: Sequence, escape: Sequence) -> None:
    """Let control leave a sequence for its escape at every statement."""
    for element in sequence.elements():
        _attach_to(element, escape)
        if element is sequence.extent:
            break


def _attach_to(element: Element, escape: Sequence) -> None:
    if any(known is escape for known in element.escapes):
        return
    for inner in element.escapes:
        attach_escape(inner, escape)
    element.escapes = [escape, *element.escapes]
    match element.shape:
        case Shape.UNLESS:
            attach_escape(element.options[0], escape)
        case Shape.IF | Shape.DO:
            for option in element.options:
                attach_escape(option, escape)
        case Shape.D_STEP:
            assert element.body is not None and element.body.first is not None
            _attach_to(element.body.first, escape)
        case Shape.ATOMIC | Shape.BLOCK:
            assert element.body is not None
            attach_escape(element.body, escape)
        case _:
            pass


# --- hunting ----------------------------------------------------------------------------------------------------------


def hunt_start(element: Element) -> Element:
    """The element an option or block starts with: joins are passed over, jumps are not."""
    while True:
        if element.shape is Shape.JOIN and element.next is not None:
            element = element.next
        elif element.shape is Shape.UNLESS and element.options[0].first is not None:
            element = element.options[0].first
        else:
            return element


class ControlFlow:
    """Turns the elements of one body into a statement graph."""

    def __init__(self, fail: Callable[[str, Span], ModelError]) -> None:
        self._fail = fail
        self._nodes: dict[int, Node] = {}
        self._order: list[Node] = []
        self._elements: dict[int, Element] = {}

    def graph(self, body: Sequence) -> Graph:
        assert body.first is not None
        self._analyse(body)
        self._release(body)
        self._connect()
        return Graph(self._order, self.node(self.hunt(body.first, body.first.status)))

    def node(self, element: Element) -> Node:
        """The node of an element, made at its first mention."""
        node = self._nodes.get(id(element))
        if node is None:
            node = self._make_node(element)
            self._nodes[id(element)] = node
            self._elements[id(node)] = element
            self._order.append(node)
        return node

    def _make_node(self, element: Element) -> Node:
        kind = element.kind if element.shape is Shape.BASIC else _KINDS.get(element.shape, element.kind)
        reads: frozenset[Variable] = frozenset()
        writes: frozenset[Variable] = frozenset()
        operations = [operation for operation in (element.operation, element.then) if operation is not None]
        for operation in operations:
            read, written = uses(operation)
            reads, writes = reads | read, writes | written
        return Node(
            kind,
            operations,
            element.statement,
            element.span,
            element.labels,
            bool(element.labels) or element.break_target,
            element.observed,
            element.shared,
            in_atomic=bool(element.status & _IN_CHAIN),
            in_step=bool(element.status & Status.STEP),
            reads=reads,
            writes=writes,
            number=element.number,
            escaped=bool(element.escapes),
        )

    def hunt(self, element: Element, status: int) -> Element:
        """The element where control really stands; inside an atomic chain it stops before leaving the chain."""
        start = element
        for _ in range(_LONGEST_HUNT):
            if element.shape is Shape.GOTO:
                assert element.target is not None and element.target.element is not None
                following = element.target.element
                if following is element:
                    break
            elif element.shape in (Shape.JOIN, Shape.BREAK):
                if element.next is None:
                    return element
                following = element.next
            elif element.shape is Shape.UNLESS and element.options[0].first is not None:
                following = self.hunt(element.options[0].first, status)
            else:
                return element
            if status & Status.ATOMIC and not following.status & Status.ATOMIC:
                return element
            element = following
        raise self._fail("this jump leads round in a circle without a statement", start.span)

    # --- control flow for analyses ------------------------------------------------------------------------------------

    def _analyse(self, body: Sequence) -> None:
        """Fill in ``flow``, with the atomic chains as they stand in the text."""
        waiting = [body]
        while waiting:
            sequence = waiting.pop()
            inner: list[Sequence] = []
            for element in sequence.elements():
                if not element.visited:
                    element.visited = True
                    self._flow(element, inner)
            waiting.extend(reversed(inner))

    def _flow(self, element: Element, inner: list[Sequence]) -> None:
        if element.shape is Shape.UNLESS:
            inner.append(element.options[0])
            return
        node = self.node(element)
        if element.options:
            for option in element.options:
                assert option.first is not None
                start = hunt_start(option.first)
                if start.escapes or not _never_enabled(start):
                    node.flow.append(self.node(start))
                    node.options.append(self.node(start))
            inner.extend(element.options)
        elif element.body is not None:
            assert element.body.first is not None and element.body.last is not None
            element.body.last.next = element.next
            start = hunt_start(element.body.first)
            node.flow.append(self.node(start))
            if element.shape is not Shape.D_STEP:
                node.options.append(self.node(start))
            inner.append(element.body)
        elif element.shape is Shape.GOTO:
            assert element.target is not None and element.target.element is not None
            node.flow.append(self.node(self.hunt(element.target.element, element.status)))
        elif element.next is not None:
            node.flow.append(self.node(self.hunt(element.next, element.status)))
        if not element.options and element.body is None and element.shape is not Shape.JOIN:
            self._escape_flow(element, node, inner)

    def _escape_flow(self, element: Element, node: Node, inner: list[Sequence]) -> None:
        for escape in element.escapes:
            assert escape.first is not None
            if element.shape is not Shape.GOTO:
                node.escape_flow.append(self.node(hunt_start(escape.first)))
            inner.append(escape)

    # --- control flow of execution ------------------------------------------------------------------------------------

    def _release(self, sequence: Sequence) -> None:
        """Apply ``_release_jumps`` to every block, the outer ones first."""
        for element in sequence.elements():
            for option in element.options:
                self._release(option)
            if element.body is not None:
                _release_jumps(element.body)
                self._release(element.body)

    def _connect(self) -> None:
        """Fill in ``next`` and ``keeps_control``, now that jumps out of atomic chains have ended them."""
        for node in list(self._order):
            element = self._elements[id(node)]
            node.keeps_control = bool(element.status & Status.ATOMIC)
            if element.shape is Shape.GOTO:
                assert element.target is not None and element.target.element is not None
                node.next = self.node(self.hunt(element.target.element, element.status))
            elif element.next is not None and not element.options:
                node.next = self.node(self.hunt(element.next, element.status))
            if element.shape is Shape.D_STEP or (not element.options and element.body is None):
                self._escape(element, node)

    def _escape(self, element: Element, node: Node) -> None:
        if element.shape is not Shape.JOIN:
            starts = [escape.first for escape in element.escapes if escape.first is not None]
            node.escapes = [self.node(self.hunt(start, element.status)) for start in starts]


def _never_enabled(element: Element) -> bool:
    return isinstance(element.operation, Guard) and element.operation.condition == Constant(0)
