"""Expressions as C.

``Evaluation.value`` gives a C operand of type ``int32_t`` (or one that promotes to it) without side effects. What C
cannot say inside an expression (a check that may fail, a search in a buffer) is written as statements before it, in
the order of evaluation; where such statements belong to one branch of ``&&``, ``||`` or a conditional, they are
written inside an ``if``. An operand stays valid as long as the state it reads is not written.

What is constant is written as its value: no compiler is asked to leave out a branch of ``&&``, ``||`` or a conditional
(tcc 0.9.27 drops the code after ``1 || (!(x || 0) || 0)``, the return of the function with it).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kripke.process.emit.channels import ChannelSite, find_site, for_each_shape, length_of, slot_loop, times
from kripke.process.emit.code import Code, literal, number
from kripke.process.emit.facts import Facts, Shape
from kripke.process.emit.scalars import Spot, View, read_scalar
from kripke.process.evaluation import apply_binary, apply_unary
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
from kripke.process.intervals import ANY, Interval, arithmetic_interval, fits, interval_of
from kripke.process.program import Channel, ProcessType, Scope, ViolationKind

_LOGICAL = {BinaryOperator.LOGICAL_AND, BinaryOperator.LOGICAL_OR}
_DIVISIONS = {BinaryOperator.DIVIDE: "divide", BinaryOperator.REMAINDER: "remainder_of"}
_BITWISE = {BinaryOperator.AND, BinaryOperator.XOR, BinaryOperator.OR}


class Evaluation:
    """Writes the evaluation of expressions into ``code``, reading the state through ``view``.

    ``fail`` gives the C statement (a block) that ends the evaluation with a violation.
    """

    def __init__(self, facts: Facts, code: Code, view: View, fail: Callable[[ViolationKind], str]) -> None:
        self.facts = facts
        self.code = code
        self.view = view
        self.fail = fail
        #: false while the initial state is being built
        self.all_exist = True

    # --- statements ---------------------------------------------------------------------------------------------------

    def check(self, broken: str, kind: ViolationKind) -> None:
        """Fail where the C condition holds."""
        self.code.line(f"if (UNLIKELY({broken})) {self.fail(kind)}")

    def named(self, value: str, stem: str = "t") -> str:
        """Keep a value in a variable of its own, evaluated here and now."""
        if value.isidentifier() or value.isdigit():
            return value
        name = self.code.fresh(stem)
        self.code.line(f"int32_t {name} = {value};")
        return name

    def condition(self, expression: Expression) -> str:
        """A C expression that is not zero where the expression is not."""
        return self.value(expression)

    # --- places -------------------------------------------------------------------------------------------------------

    def spot(self, place: Place) -> Spot:
        """Where a place lies; its subscripts are checked."""
        terms: list[str] = []
        start = place.variable.offset + place.offset
        for index in place.indices:
            if isinstance(index.value, Constant) and 0 <= index.value.value < index.count:
                start += index.value.value * index.stride
                continue
            value = self.subscript(index.value, index.count)
            terms.append(value if index.stride == 1 else f"{value} * {index.stride}")
        return Spot(place.variable.scope is Scope.LOCAL, start, tuple(terms))

    def subscript(self, expression: Expression, count: int) -> str:
        """The value of a subscript, checked to be less than ``count``."""
        low, high = interval_of(expression)
        value = self.value(expression)
        if low >= 0 and high < count:
            return value
        if high < 0 or low >= count:
            self.check("1", ViolationKind.INDEX)
            return "0"
        value = self.named(value, "i")
        self.check(f"(uint32_t){value} >= {count}u", ViolationKind.INDEX)
        return value

    # --- expressions --------------------------------------------------------------------------------------------------

    def value(self, expression: Expression) -> str:
        match expression:
            case Constant(value):
                return number(value)
            case Read(place):
                return read_scalar(self.spot(place), place.type, self.view)
            case Unary(operator, operand):
                return self._unary(operator, operand)
            case Binary(operator, left, right):
                return self._binary(operator, left, right)
            case Conditional():
                return self._conditional(expression)
            case ChannelIdentity(channel):
                return self._identity(channel)
            case ChannelElement(channels, index):
                position = self.subscript(index, len(channels))
                return f"({self._identity(channels[0])} + {position})"
            case AskChannel(question, asked):
                return self._ask(question, find_site(self, asked))
            case Poll():
                return self._poll(expression)
            case Timeout():
                return self.view.timeout
            case OwnPid():
                return f"(int32_t){self.view.pid}"
            case ProcessCount():
                return f"(int32_t)process_count({self.view.state}, {self.view.length})"
            case AtLocation():
                return self._at_location(expression)
            case RemoteRead():
                return self._remote_read(expression)
            case Enabled(asked):
                return self._enabled(asked)
            case ProgramCounter(asked):
                return self._about(asked, f"number_of[get_control({self.view.state} + {{0}})]")
            case Priority(asked):
                return self._about(asked, f"{self.view.state}[{{0}} + {self.facts.program.control_bytes}]")
            case NoProgress():
                return f"no_progress({self.view.state}, {self.view.length})"
            case Accepting():
                return f"at_accept({self.view.state}, {self.view.length})"
            case CValue(fragment, _):
                return self._c_value(fragment)

    def call_c(self, fragment: int) -> str:
        """The call of a piece of the model's C; what it does and gives back is checked with ``check_c``."""
        view = self.view
        return f"kripke_embedded_call({fragment}, (uint8_t *){view.state}, {view.length}, {view.offset}, {view.pid})"

    def check_c(self) -> None:
        precondition = 1 + ViolationKind.PRECONDITION
        self.check(f"kripke_embedded_status == {precondition}", ViolationKind.PRECONDITION)
        self.check("kripke_embedded_status != 0", ViolationKind.CRASH)

    def _c_value(self, fragment: int) -> str:
        result = self.code.fresh("t")
        self.code.line(f"int32_t {result} = {self.call_c(fragment)};")
        self.check_c()
        return result

    def _unary(self, operator: UnaryOperator, operand: Expression) -> str:
        value = self.value(operand)
        known = literal(value)
        if known is not None:
            return number(apply_unary(operator, known))
        match operator:
            case UnaryOperator.NOT:
                return f"(!{value})"
            case UnaryOperator.COMPLEMENT:
                return f"(~{value})"
            case UnaryOperator.NEGATE:
                low, _ = interval_of(operand)
                return f"(-{value})" if low > ANY[0] else f"(int32_t)(0u - (uint32_t){value})"

    def _binary(self, operator: BinaryOperator, left: Expression, right: Expression) -> str:
        if operator in _LOGICAL:
            return self._logical(operator, left, right)
        if operator in CHECKS:
            kind = ViolationKind.RANGE if operator is BinaryOperator.WITHIN else ViolationKind.ABSENT
            passed = self.value(left)
            if literal(passed) is None or literal(passed) == 0:
                self.check(f"!{self.named(passed)}", kind)
            return self.value(right)
        a, b = self.value(left), self.value(right)
        x, y = interval_of(left), interval_of(right)
        if operator in _DIVISIONS:
            return self._division(operator, a, b, y)
        known = _constant(operator, literal(a), literal(b))
        if known is not None:
            return number(known)
        exact = arithmetic_interval(operator, x, y)
        if exact is not None:
            if fits(exact):
                return f"({a} {operator.value} {b})"
            return f"(int32_t)((uint32_t){a} {operator.value} (uint32_t){b})"
        if operator is BinaryOperator.SHIFT_LEFT:
            return f"(int32_t)((uint32_t){a} << ({b} & 31))"
        if operator is BinaryOperator.SHIFT_RIGHT:
            return f"({a} >> ({b} & 31))"
        return f"({a} {operator.value} {b})"

    def _division(self, operator: BinaryOperator, a: str, b: str, divisor: Interval) -> str:
        known = _constant(operator, literal(a), literal(b))
        if known is not None:
            return number(known)
        if divisor[0] > 0 or divisor[1] < -1:
            return f"({a} {operator.value} {b})"
        if divisor[0] <= 0 <= divisor[1]:
            b = self.named(b)
            self.check(f"{b} == 0", ViolationKind.DIVISION)
            if b == "0":
                return "0"
        return f"({a} {operator.value} {b})" if divisor[0] >= 0 else f"{_DIVISIONS[operator]}({a}, {b})"

    def _logical(self, operator: BinaryOperator, left: Expression, right: Expression) -> str:
        a = self.value(left)
        with self.code.captured() as lines:
            b = self.value(right)
        settles = operator is BinaryOperator.LOGICAL_OR
        known = literal(a)
        if known is not None:
            if bool(known) is settles:
                return number(settles)
            self.code.lines += lines
            return _truth(b)
        if not lines:
            known = literal(b)
            if known is not None:
                return number(settles) if bool(known) is settles else _truth(a)
            return f"({a} {operator.value} {b})"
        result = self.code.fresh("t")
        self.code.line(f"int32_t {result} = {a} != 0;")
        test = result if operator is BinaryOperator.LOGICAL_AND else f"!{result}"
        with self.code.block(f"if ({test})"):
            self.code.lines += lines
            self.code.line(f"{result} = {b} != 0;")
        return result

    def _conditional(self, expression: Conditional) -> str:
        test = self.value(expression.condition)
        with self.code.captured() as then_lines:
            then = self.value(expression.then)
        with self.code.captured() as other_lines:
            other = self.value(expression.otherwise)
        known = literal(test)
        if known is not None:
            self.code.lines += then_lines if known else other_lines
            return then if known else other
        if not then_lines and not other_lines:
            return f"({test} ? {then} : {other})"
        result = self.code.fresh("t")
        self.code.line(f"int32_t {result};")
        with self.code.block(f"if ({test})"):
            self.code.lines += then_lines
            self.code.line(f"{result} = {then};")
        with self.code.block("else"):
            self.code.lines += other_lines
            self.code.line(f"{result} = {other};")
        return result

    # --- channels -----------------------------------------------------------------------------------------------------

    def _identity(self, channel: Channel) -> str:
        if channel.scope is Scope.GLOBAL:
            return number(channel.number + 1)
        return f"(own_channels({self.view.state}, {self.view.offset}) + {channel.number + 1})"

    def _ask(self, question: ChannelQuestion, site: ChannelSite) -> str:
        if site.shape is None:
            length = f"channel_length({self.view.state}, {site.shape_name}, {site.offset_name})"
            full = f"channel_full({self.view.state}, {site.shape_name}, {site.offset_name})"
        elif site.shape.capacity:
            length = length_of(site.shape, site.spot, self.view)
            full = f"({length} == {site.shape.capacity})"
        else:
            length, full = "0", "0"
        match question:
            case ChannelQuestion.LENGTH:
                return length
            case ChannelQuestion.EMPTY:
                return f"({length} == 0)"
            case ChannelQuestion.NOT_EMPTY:
                return f"({length} != 0)"
            case ChannelQuestion.FULL:
                return full
            case ChannelQuestion.NOT_FULL:
                return f"(!{full})"

    def wanted(self, patterns: Sequence[Pattern]) -> list[tuple[int, str]]:
        """The fields a message must have, evaluated."""
        return [(i, self.value(p.value)) for i, p in enumerate(patterns) if isinstance(p, Match)]

    def matches(self, shape: Shape, message: Spot, wanted: list[tuple[int, str]]) -> str:
        """The C condition that the message at a spot has the wanted fields."""
        tests = []
        for i, value in wanted:
            field = read_scalar(message.plus(shape.field_offset(i)), shape.fields[i], self.view)
            tests.append(f"{field} == {value}")
        return " && ".join(tests) or "1"

    def _poll(self, poll: Poll) -> str:
        site = find_site(self, poll.channel)
        with self.code.captured() as lines:
            wanted = self.wanted(poll.patterns)
        count = len(poll.patterns)
        if site.shape is not None and not lines and not poll.anywhere and len(site.shape.fields) >= count:
            if not site.shape.capacity:
                return "0"
            length, first = length_of(site.shape, site.spot, self.view), site.spot.plus(site.shape.length_bytes)
            return f"({length} != 0 && {self.matches(site.shape, first, wanted)})" if wanted else f"({length} != 0)"
        result = self.code.fresh("t")
        self.code.line(f"int32_t {result} = 0;")

        def search(shape: Shape, spot: Spot) -> None:
            if len(shape.fields) < count:
                self.code.line(self.fail(ViolationKind.MESSAGE))
            elif shape.capacity:
                self._poll_buffer(poll, shape, spot, result)

        for_each_shape(self, site, search)
        return result

    def _poll_buffer(self, poll: Poll, shape: Shape, spot: Spot, result: str) -> None:
        length, first = length_of(shape, spot, self.view), spot.plus(shape.length_bytes)
        with self.code.block(f"if ({length})"):
            wanted = self.wanted(poll.patterns)
            if poll.anywhere:
                wanted = [(i, self.named(value)) for i, value in wanted]
                slot = self.code.fresh("k")
                with slot_loop(self, slot, length):
                    message = first.plus(0, times(slot, shape.message_bytes))
                    self.code.line(f"if ({self.matches(shape, message, wanted)}) {{ {result} = 1; break; }}")
            else:
                self.code.line(f"{result} = {self.matches(shape, first, wanted)};")

    # --- other processes ----------------------------------------------------------------------------------------------

    def _other_frame(self, process: ProcessType, pid: Expression | None) -> str:
        """The offset of the frame of another process, NO_FRAME if there is none of this type."""
        known = self._known_frame(process, pid)
        if known is not None:
            return known
        first, count = process.control_base, len(process.locations)
        state = f"{self.view.state}, {self.view.length}"
        if pid is None:
            call = f"oldest_frame({state}, {first}, {count})"
        else:
            call = f"typed_frame({state}, (uint32_t){self.value(pid)}, {first}, {count})"
        name = self.code.fresh("other")
        self.code.line(f"uint32_t {name} = {call};")
        return name

    def _known_frame(self, process: ProcessType, pid: Expression | None) -> str | None:
        """The same as a constant, where processes neither appear nor disappear."""
        frames, initial = self.facts.fixed_frames, self.facts.program.initial
        if frames is None or self.facts.constant_length is None or not self.all_exist:
            return None
        if pid is None:
            pids = [i for i, started in enumerate(initial) if started.process is process]
            return str(frames[pids[0]]) if pids else "NO_FRAME"
        if not isinstance(pid, Constant):
            return None
        exists = 0 <= pid.value < len(frames) and initial[pid.value].process is process
        return str(frames[pid.value]) if exists else "NO_FRAME"

    def _at_location(self, expression: AtLocation) -> str:
        other = self._other_frame(expression.process, expression.pid)
        points = sorted({expression.process.control(location) for location in expression.locations})
        if not points or other == "NO_FRAME":
            return "0"
        control = self.code.fresh("c")
        found = f"get_control({self.view.state} + {other})"
        self.code.line(
            f"uint32_t {control} = {found if other.isdigit() else f'{other} == NO_FRAME ? NO_FRAME : {found}'};"
        )
        tests = []
        for low, high in _runs(points):
            tests.append(f"{control} == {low}" if low == high else f"({control} >= {low} && {control} <= {high})")
        return f"({' || '.join(tests)})"

    def _remote_read(self, expression: RemoteRead) -> str:
        other, type_ = self._other_frame(expression.process, expression.pid), expression.place.type
        if other == "NO_FRAME":
            return "0"
        if other.isdigit():
            spot = self.spot(expression.place)
            return read_scalar(Spot(False, spot.constant + int(other), spot.terms), type_, self.view)
        result = self.code.fresh("t")
        self.code.line(f"int32_t {result} = 0;")
        with self.code.block(f"if ({other} != NO_FRAME)"):
            spot = self.spot(expression.place)
            remote = Spot(False, spot.constant, (other, *spot.terms))
            self.code.line(f"{result} = {read_scalar(remote, type_, self.view)};")
        return result

    def _enabled(self, pid: Expression) -> str:
        view, asked = self.view, self.named(self.value(pid))
        self.check(f"{asked} == (int32_t){view.pid}", ViolationKind.ENABLED)
        result = self.code.fresh("t")
        call = f"is_enabled({view.state}, {view.length}, {asked}, {view.timeout}, {view.asked})"
        self.code.line(f"int32_t {result} = {call};")
        return result

    def _about(self, pid: Expression, read: str) -> str:
        """Something about the frame of another process; 0 where there is none."""
        asked = self.value(pid)
        other, result = self.code.fresh("other"), self.code.fresh("t")
        self.code.line(f"uint32_t {other} = frame_at({self.view.state}, {self.view.length}, (uint32_t){asked});")
        self.code.line(f"int32_t {result} = {other} == NO_FRAME ? 0 : {read.format(other)};")
        return result


def _truth(value: str) -> str:
    """0 or 1: whether a C operand is not zero."""
    known = literal(value)
    return f"({value} != 0)" if known is None else number(known != 0)


def _constant(operator: BinaryOperator, a: int | None, b: int | None) -> int | None:
    """The value of an operation whatever the operands that are not known (None) may be; None where it is open."""
    if a is not None and b is not None:
        return None if operator in _DIVISIONS and b == 0 else apply_binary(operator, a, b)
    match operator:
        case BinaryOperator.MULTIPLY | BinaryOperator.AND if 0 in (a, b):
            return 0
        case BinaryOperator.OR if -1 in (a, b):
            return -1
        case BinaryOperator.REMAINDER if b == 1:
            return 0
        case _:
            return None


def _runs(points: list[int]) -> list[tuple[int, int]]:
    """Sorted numbers as ranges without gaps."""
    runs: list[tuple[int, int]] = []
    for point in points:
        if runs and runs[-1][1] + 1 == point:
            runs[-1] = runs[-1][0], point
        else:
            runs.append((point, point))
    return runs
