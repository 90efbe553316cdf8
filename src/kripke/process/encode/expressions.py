"""Expressions of process programs as terms (their meaning: ``process/expressions.py``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from kripke.process.encode.path import Path
from kripke.process.encode.slots import ChannelSymbols, Slots, is_widest
from kripke.process.expressions import (
    CHECKS,
    Accepting,
    AskChannel,
    AtLocation,
    Binary,
    BinaryOperator,
    ChannelElement,
    ChannelIdentity,
    ChannelQuestion,
    Conditional,
    Constant,
    CValue,
    Enabled,
    Expression,
    IntType,
    Match,
    NoProgress,
    OwnPid,
    Pattern,
    Place,
    Poll,
    Priority,
    ProcessCount,
    ProgramCounter,
    Read,
    RemoteRead,
    Timeout,
    Unary,
    UnaryOperator,
)
from kripke.process.program import Channel, ProcessType, Program, Scope, ViolationKind
from kripke.terms.build import (
    FALSE,
    TRUE,
    ZERO,
    add,
    any_of,
    at_most,
    between,
    bitwise,
    conjoin,
    constant,
    disjoin,
    divide,
    equal,
    ite,
    less,
    multiply,
    negate,
    number,
    remainder,
    shift_left,
    shift_right,
    subtract,
    total,
    true_of,
    wrap,
)
from kripke.terms.refusal import Unencodable
from kripke.terms.term import Op, Symbol, Term

#: a declared channel and where it lies: the slot, or -1 for the global ones
ChannelPlace = tuple[int, Channel]

_BITWISE = {BinaryOperator.AND: Op.BIT_AND, BinaryOperator.OR: Op.BIT_OR, BinaryOperator.XOR: Op.BIT_XOR}


class Expressions:
    """Lowers the expressions of one program."""

    def __init__(self, program: Program, slots: Slots) -> None:
        self.program = program
        self.slots = slots
        self._local_channels = any(process.channels for process in program.processes)
        #: set by ``steps.py``, which knows the edges: could a process take a step by itself?
        self.is_enabled: Callable[[Path, int], Term] = lambda path, pid: FALSE

    # --- processes ----------------------------------------------------------------------------------------------------

    def at_points(self, path: Path, slot: int, places: Sequence[int]) -> Term:
        """Is the process of the slot at one of these control points?"""
        here = self.slots.slots[slot]
        control = path.read(here.control)
        runs: list[list[int]] = []
        for place in sorted(places):
            if runs and runs[-1][1] == place - 1:
                runs[-1][1] = place
            else:
                runs.append([place, place])
        return any_of(
            equal(control, constant(low)) if low == high else between(low, control, high) for low, high in runs
        )

    def is_type(self, path: Path, slot: int, process: ProcessType) -> Term:
        here = self.slots.slots[slot]
        if process not in here.types:
            return FALSE
        return self.at_points(path, slot, [here.point(process, at) for at in range(len(process.locations))])

    def present(self, path: Path, slot: int) -> Term:
        if not 0 <= slot < len(self.slots.slots):
            return FALSE
        here = self.slots.slots[slot]
        return TRUE if here.always else negate(equal(path.read(here.control), constant(here.absent)))

    def locations(self, path: Path, slot: int, wanted: Callable[[ProcessType, int], bool]) -> Term:
        here = self.slots.slots[slot]
        return self.at_points(
            path, slot, [place for place, (process, at) in enumerate(here.points) if wanted(process, at)]
        )

    def each_pid(self, path: Path, pid: Term) -> Iterator[tuple[int, Term]]:
        """The slots that a number can mean, each with the condition that it does and somebody is there."""
        for slot in range(len(self.slots.slots)):
            here = conjoin(equal(pid, constant(slot)), self.present(path, slot))
            if here is not FALSE:
                yield slot, here

    def _instances(self, path: Path, expression: AtLocation | RemoteRead) -> Iterator[tuple[int, Term]]:
        """The slots of the process meant, each with the condition that it is the one."""
        process = expression.process
        if expression.pid is None:
            before = FALSE
            for slot in range(len(self.slots.slots)):
                here = self.is_type(path, slot, process)
                if here is not FALSE:
                    yield slot, conjoin(here, negate(before))
                    before = disjoin(before, here)
            return
        pid = self.value(path, expression.pid)
        for slot in range(len(self.slots.slots)):
            here = conjoin(equal(pid, constant(slot)), self.is_type(path, slot, process))
            if here is not FALSE:
                yield slot, here

    # --- places -------------------------------------------------------------------------------------------------------

    def scalars(self, path: Path, place: Place) -> list[Symbol]:
        if place.variable.scope is Scope.GLOBAL:
            return self.slots.scalars[place.variable]
        return self.slots.slots[path.frame].scalars[place.variable]

    def elements(self, path: Path, place: Place) -> list[tuple[Term, Symbol]]:
        """What the place can be, each with the condition that it is; notes where a subscript is out of range."""
        variable, symbols = place.variable, self.scalars(path, place)
        at = {component.offset: symbol for component, symbol in zip(variable.components, symbols, strict=True)}
        choices: list[list[tuple[Term, int]]] = []
        for index in place.indices:
            value = self.value(path, index.value)
            path.fail(ViolationKind.INDEX, negate(between(0, value, index.count - 1)))
            fitting = ((equal(value, constant(i)), i * index.stride) for i in range(index.count))
            choices.append([(condition, offset) for condition, offset in fitting if condition is not FALSE])
        return [
            (conjoin(*(condition for condition, _ in chosen)), at[place.offset + sum(offset for _, offset in chosen)])
            for chosen in product(*choices)
        ]

    def read(self, path: Path, place: Place) -> Term:
        return _selected([(condition, path.read(symbol)) for condition, symbol in self.elements(path, place)])

    def store(self, path: Path, place: Place, value: Term) -> None:
        kept = self.kept(value, place.type)
        for condition, symbol in self.elements(path, place):
            path.write(symbol, ite(condition, kept, path.read(symbol)))

    def kept(self, value: Term, type_: IntType) -> Term:
        """What a variable of this type keeps of a value."""
        if self.slots.unbounded and is_widest(type_):
            return value
        return wrap(value, type_.bits, signed=type_.signed)

    def _computed(self, value: Term) -> Term:
        """The result of a computation."""
        return value if self.slots.unbounded else wrap(value, 32, signed=True)

    # --- channels -----------------------------------------------------------------------------------------------------

    def channel_symbols(self, where: ChannelPlace) -> ChannelSymbols:
        slot, channel = where
        return self.slots.channels[channel] if slot < 0 else self.slots.slots[slot].channels[channel]

    def channels(self, path: Path, expression: Expression) -> list[tuple[Term, ChannelPlace]]:
        """The channels an expression can name, each with the condition that it does; notes where there is none."""
        match expression:
            case ChannelIdentity(channel):
                return [(TRUE, (path.frame if channel.scope is Scope.LOCAL else -1, channel))]
            case ChannelElement(channels, index):
                value = self.value(path, index)
                path.fail(ViolationKind.INDEX, negate(between(0, value, len(channels) - 1)))
                slot = path.frame if channels[0].scope is Scope.LOCAL else -1
                found = [(equal(value, constant(i)), (slot, channel)) for i, channel in enumerate(channels)]
                return [(condition, where) for condition, where in found if condition is not FALSE]
        identity = self.value(path, expression)
        possible = [(equal(identity, constant(c.number + 1)), (-1, c)) for c in self.program.channels]
        if self._local_channels:
            possible += self._local(path, identity)
        possible = [(condition, where) for condition, where in possible if condition is not FALSE]
        path.fail(ViolationKind.CHANNEL, negate(any_of(condition for condition, _ in possible)))
        return possible

    def _local(self, path: Path, identity: Term) -> Iterator[tuple[Term, ChannelPlace]]:
        for slot in self.slots.slots:
            for process in slot.types:
                here = self.is_type(path, slot.number, process)
                for channel in process.channels:
                    is_it = equal(identity, self._local_identity(path, slot.number, channel))
                    yield conjoin(here, is_it), (slot.number, channel)

    def _local_identity(self, path: Path, slot: int, channel: Channel) -> Term:
        """Behind the global channels and those of older processes."""
        older = [
            multiply(number(self.is_type(path, other, process)), constant(len(process.channels)))
            for other in range(slot)
            for process in self.slots.slots[other].types
            if process.channels
        ]
        return add(constant(len(self.program.channels) + 1 + channel.number), total(older))

    def identity(self, path: Path, channel: Channel) -> Term:
        if channel.scope is Scope.GLOBAL:
            return constant(channel.number + 1)
        return self._local_identity(path, max(path.pid, 0), channel)

    def length(self, path: Path, where: ChannelPlace) -> Term:
        return path.read(self.channel_symbols(where).length) if where[1].capacity else ZERO

    def full(self, path: Path, where: ChannelPlace) -> Term:
        capacity = where[1].capacity
        return equal(self.length(path, where), constant(capacity)) if capacity else FALSE

    def wanted(self, path: Path, patterns: Sequence[Pattern]) -> list[tuple[int, Term]]:
        """The (field, value) pairs that a message must have."""
        return [(i, self.value(path, p.value)) for i, p in enumerate(patterns) if isinstance(p, Match)]

    def matches(
        self, path: Path, where: ChannelPlace, wanted: Sequence[tuple[int, Term]], anywhere: bool
    ) -> list[Term]:
        """Of every message that may be taken: is it the first that is as wanted?"""
        symbols = self.channel_symbols(where)
        length = path.read(symbols.length)
        found: list[Term] = []
        before = FALSE
        for place, message in enumerate(symbols.messages if anywhere else symbols.messages[:1]):
            fits = conjoin(less(constant(place), length), *(equal(path.read(message[i]), value) for i, value in wanted))
            found.append(conjoin(fits, negate(before)))
            before = disjoin(before, fits)
        return found

    # --- expressions --------------------------------------------------------------------------------------------------

    def truth(self, path: Path, expression: Expression) -> Term:
        return true_of(self.value(path, expression))

    def value(self, path: Path, expression: Expression) -> Term:
        match expression:
            case Constant(value):
                return constant(value)
            case Read(place):
                return self.read(path, place)
            case Unary(operator, operand):
                return self._unary(operator, self.value(path, operand))
            case Binary(operator, left, right):
                return self._binary(path, operator, left, right)
            case Conditional(condition, then, otherwise):
                test = self.truth(path, condition)
                with path.only_if(test):
                    yes = self.value(path, then)
                with path.only_if(negate(test)):
                    no = self.value(path, otherwise)
                return ite(test, yes, no)
            case ChannelIdentity(channel):
                return self.identity(path, channel)
            case ChannelElement(channels, index):
                position = self.value(path, index)
                path.fail(ViolationKind.INDEX, negate(between(0, position, len(channels) - 1)))
                return add(self.identity(path, channels[0]), position)
            case AskChannel(question, channel):
                found = self.channels(path, channel)
                return _selected([(condition, self._asked(path, question, where)) for condition, where in found])
            case Poll():
                return self._poll(path, expression)
            case Timeout():
                return number(path.timeout)
            case OwnPid():
                return constant(path.pid)
            case ProcessCount():
                return total(number(self.present(path, slot)) for slot in range(len(self.slots.slots)))
            case AtLocation():
                return number(self._at_location(path, expression))
            case RemoteRead():
                return self._remote_read(path, expression)
            case Enabled(pid):
                return self._enabled(path, self.value(path, pid))
            case ProgramCounter(pid):
                return self._program_counter(path, self.value(path, pid))
            case Priority(pid):
                whose = self.value(path, pid)
                found_priorities = [(here, self.priority(path, slot)) for slot, here in self.each_pid(path, whose)]
                return _selected([*found_priorities, (TRUE, ZERO)])
            case NoProgress():
                return number(negate(self.marked(path, "progress")))
            case Accepting():
                return number(self.marked(path, "accept"))
            case CValue(_, text):
                raise Unencodable(f"C code ({text})", path.statement)

    def marked(self, path: Path, mark: str) -> Term:
        """Is some process at a location with this mark?"""
        return any_of(
            self.locations(path, slot, lambda process, at: bool(getattr(process.locations[at], mark)))
            for slot in range(len(self.slots.slots))
        )

    def priority(self, path: Path, slot: int) -> Term:
        """The first parameter of whoever is there."""
        here = self.slots.slots[slot]
        return _selected(
            [
                (self.is_type(path, slot, process), path.read(here.scalars[process.parameters[0]][0]))
                for process in here.types
            ]
        )

    def _binary(self, path: Path, operator: BinaryOperator, left: Expression, right: Expression) -> Term:
        a = self.value(path, left)
        if operator is BinaryOperator.LOGICAL_AND:
            with path.only_if(true_of(a)):
                b = self.value(path, right)
            return number(conjoin(true_of(a), true_of(b)))
        if operator is BinaryOperator.LOGICAL_OR:
            with path.only_if(negate(true_of(a))):
                b = self.value(path, right)
            return number(disjoin(true_of(a), true_of(b)))
        if operator in CHECKS:
            kind = ViolationKind.RANGE if operator is BinaryOperator.WITHIN else ViolationKind.ABSENT
            path.fail(kind, negate(true_of(a)))
            with path.only_if(true_of(a)):
                return self.value(path, right)
        b = self.value(path, right)
        if operator in (BinaryOperator.DIVIDE, BinaryOperator.REMAINDER):
            path.fail(ViolationKind.DIVISION, equal(b, ZERO))
        return self._applied(operator, a, b)

    def _asked(self, path: Path, question: ChannelQuestion, where: ChannelPlace) -> Term:
        length = self.length(path, where)
        match question:
            case ChannelQuestion.LENGTH:
                return length
            case ChannelQuestion.EMPTY:
                return number(equal(length, ZERO))
            case ChannelQuestion.NOT_EMPTY:
                return number(true_of(length))
            case ChannelQuestion.FULL:
                return number(self.full(path, where))
            case ChannelQuestion.NOT_FULL:
                return number(negate(self.full(path, where)))

    def _poll(self, path: Path, poll: Poll) -> Term:
        answers: list[tuple[Term, Term]] = []
        for condition, where in self.channels(path, poll.channel):
            with path.only_if(condition):
                path.fail(ViolationKind.MESSAGE, FALSE if len(poll.patterns) <= len(where[1].fields) else TRUE)
                if not where[1].capacity or len(poll.patterns) > len(where[1].fields):
                    answers.append((condition, ZERO))
                    continue
                with path.only_if(true_of(self.length(path, where))):
                    wanted = self.wanted(path, poll.patterns)
                answers.append((condition, number(any_of(self.matches(path, where, wanted, poll.anywhere)))))
        return _selected(answers)

    def _at_location(self, path: Path, expression: AtLocation) -> Term:
        process, wanted = expression.process, set(expression.locations)
        return any_of(
            conjoin(here, self.locations(path, slot, lambda p, at: p is process and at in wanted))
            for slot, here in self._instances(path, expression)
        )

    def _remote_read(self, path: Path, expression: RemoteRead) -> Term:
        found: list[tuple[Term, Term]] = []
        own = path.frame
        for slot, here in self._instances(path, expression):
            with path.only_if(here):
                path.frame = slot
                found.append((here, self.read(path, expression.place)))
                path.frame = own
        return _selected([*found, (TRUE, ZERO)])

    def _enabled(self, path: Path, pid: Term) -> Term:
        path.fail(ViolationKind.ENABLED, equal(pid, constant(path.pid)))
        return number(
            any_of(
                conjoin(here, self.is_enabled(replace(path, breaches=[], limits=[], given=TRUE, when=TRUE), slot))
                for slot, here in self.each_pid(path, pid)
                if slot not in path.asked and slot != path.pid
            )
        )

    def _program_counter(self, path: Path, pid: Term) -> Term:
        found: list[tuple[Term, Term]] = []
        for slot, here in self.each_pid(path, pid):
            by_number: dict[int, list[int]] = {}
            for place, (process, at) in enumerate(self.slots.slots[slot].points):
                by_number.setdefault(process.locations[at].number, []).append(place)
            for value, places in by_number.items():
                found.append((conjoin(here, self.at_points(path, slot, places)), constant(value)))
        return _selected([*found, (TRUE, ZERO)])

    def _unary(self, operator: UnaryOperator, a: Term) -> Term:
        match operator:
            case UnaryOperator.NOT:
                return number(equal(a, ZERO))
            case UnaryOperator.NEGATE:
                return self._computed(subtract(ZERO, a))
            case UnaryOperator.COMPLEMENT:
                return subtract(constant(-1), a)

    def _applied(self, operator: BinaryOperator, a: Term, b: Term) -> Term:
        match operator:
            case BinaryOperator.ADD:
                return self._computed(add(a, b))
            case BinaryOperator.SUBTRACT:
                return self._computed(subtract(a, b))
            case BinaryOperator.MULTIPLY:
                return self._computed(multiply(a, b))
            case BinaryOperator.DIVIDE:
                return self._computed(divide(a, b))
            case BinaryOperator.REMAINDER:
                return remainder(a, b)
            case BinaryOperator.AND | BinaryOperator.OR | BinaryOperator.XOR:
                return bitwise(_BITWISE[operator], a, b)
            case BinaryOperator.SHIFT_LEFT:
                return shift_left(a, b)
            case BinaryOperator.SHIFT_RIGHT:
                return shift_right(a, b)
            case BinaryOperator.LESS:
                return number(less(a, b))
            case BinaryOperator.LESS_EQUAL:
                return number(at_most(a, b))
            case BinaryOperator.GREATER:
                return number(less(b, a))
            case BinaryOperator.GREATER_EQUAL:
                return number(at_most(b, a))
            case BinaryOperator.EQUAL:
                return number(equal(a, b))
            case _:
                return number(negate(equal(a, b)))


def _selected(cases: Sequence[tuple[Term, Term]]) -> Term:
    """The value of the first case that holds; of the last one, where none before it does."""
    if not cases:
        return ZERO
    value = cases[-1][1]
    for condition, one in reversed(cases[:-1]):
        value = ite(condition, one, value)
    return value
