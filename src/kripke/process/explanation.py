"""Why a step or a state of a process program is an error, in terms of its expressions and their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kripke.model.explanation import Explanation, FalseAtom, Reason, Stuck
from kripke.model.model import Violation
from kripke.process.evaluation import Frames, State, StepFailed
from kripke.process.expressions import (
    AskChannel,
    AtLocation,
    Binary,
    BinaryOperator,
    Bind,
    ChannelElement,
    ChannelIdentity,
    ChannelQuestion,
    Conditional,
    Constant,
    Enabled,
    Expression,
    Index,
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
from kripke.process.nodes import nodes_of
from kripke.process.notation import names_of, write, write_pattern
from kripke.process.program import (
    Assert,
    Assign,
    Channel,
    Choose,
    DeterministicStep,
    Discard,
    Edge,
    Exclusive,
    Guard,
    Operation,
    Print,
    Receive,
    Right,
    Run,
    Send,
    Terminate,
    ViolationKind,
)

if TYPE_CHECKING:
    from kripke.process.model import ProcessModel

Values = dict[str, str]
_LOGIC = (BinaryOperator.LOGICAL_AND, BinaryOperator.LOGICAL_OR)


def explain(model: ProcessModel, state: bytes, cause: Violation | FalseAtom | Stuck) -> Explanation | None:
    """The explanation; None where there is nothing to add to the error itself."""
    match cause:
        case Stuck():
            return _explain_deadlock(model, state)
        case FalseAtom(number):
            name = model.atoms[number]
            moment = _Moment(model, state, model.interpreter.frames(state), 0)
            atom = model.program.atoms[name]
            if moment.value(atom) is None:
                failures = tuple(reason for kind in ViolationKind for reason in _failures(atom, moment, kind))
                reasons = failures[:1] or tuple(_why(atom, moment, wanted=True))
                return Explanation(f"{name} cannot be evaluated", reasons)
            return Explanation(f"{name} is false", tuple(_why(atom, moment, wanted=True)))
        case Violation():
            return _explain_violation(model, state, cause)


class _Moment:
    """A state in which expressions are evaluated, in the place of one process."""

    def __init__(self, model: ProcessModel, state: State, frames: Frames, pid: int) -> None:
        self.model = model
        self.state = state
        self.frames = frames
        self.pid = pid
        self.base = frames.offsets[pid] if pid < len(frames.offsets) else 0

    def value(self, expression: Expression) -> int | None:
        """None where the evaluation fails."""
        self.frames.pid = self.pid
        try:
            return self.model.interpreter.evaluator.compile(expression)(self.state, self.base, self.frames)
        except StepFailed:
            return None

    def shown(self, expression: Expression) -> str:
        value = self.value(expression)
        if value is None:
            return "undefined"
        if isinstance(expression, Read):
            return self.model.value_text(expression.place.variable, expression.place.type, value)
        return (names_of(expression) or {}).get(value, str(value))


# --- conditions -------------------------------------------------------------------------------------------------------


def _why(expression: Expression, moment: _Moment, *, wanted: bool) -> Iterator[Reason]:
    """Why a condition has not the wanted truth: the parts that decide it, each with its values."""
    match expression:
        case Unary(UnaryOperator.NOT, operand) if _is_logic(operand):
            yield from _why(operand, moment, wanted=not wanted)
        case Binary(symbol, left, right) if symbol in _LOGIC:
            # An "and" fails by each part that is false, an "or" only by both; and the other way round for "true".
            decisive = [part for part in (left, right) if bool(moment.value(part)) != wanted]
            for part in decisive or [left, right]:
                yield from _why(part, moment, wanted=wanted)
        case _:
            value = moment.value(expression)
            word = "cannot be evaluated" if value is None else "is true" if value else "is false"
            yield Reason(f"{write(expression)} {word}", tuple(_values(expression, moment).items()))


def _is_logic(expression: Expression) -> bool:
    return (isinstance(expression, Binary) and expression.operator in _LOGIC) or (
        isinstance(expression, Unary) and expression.operator is UnaryOperator.NOT
    )


def _values(expression: Expression, moment: _Moment) -> Values:
    """Everything the expression reads, in the order of the text, with its value."""
    found: Values = {}
    _collect(expression, moment, found)
    return found


def _collect(expression: Expression, moment: _Moment, found: Values) -> None:
    match expression:
        case Constant() | Timeout() | ChannelIdentity():
            pass
        case Read(place):
            found[write(expression)] = moment.shown(expression)
            _collect_subscripts(place, moment, found)
        case Unary(_, operand):
            _collect(operand, moment, found)
        case Binary(_, left, right):
            _collect(left, moment, found)
            _collect(right, moment, found)
        case Conditional(condition, then, otherwise):
            _collect(condition, moment, found)
            _collect(then if moment.value(condition) else otherwise, moment, found)
        case ChannelElement(_, index):
            _collect(index, moment, found)
        case AskChannel(_, channel):
            found[f"len({write(channel)})"] = str(_length(channel, moment))
            _collect(channel, moment, found)
        case Poll(channel, patterns):
            found[write(channel)] = _content(channel, moment)
            for pattern in patterns:
                if isinstance(pattern, Match):
                    _collect(pattern.value, moment, found)
        case NoProgress():
            found[write(expression)] = moment.shown(expression)
        case OwnPid() | ProcessCount() | AtLocation() | RemoteRead() | Enabled() | ProgramCounter() | Priority():
            found[write(expression)] = moment.shown(expression)
            pid = getattr(expression, "pid", None)
            if pid is not None:
                _collect(pid, moment, found)


def _collect_subscripts(place: Place, moment: _Moment, found: Values) -> None:
    for index in place.indices:
        _collect(index.value, moment, found)


# --- channels ---------------------------------------------------------------------------------------------------------


def _find(channel: Expression, moment: _Moment) -> tuple[int, Channel] | None:
    moment.frames.pid = moment.pid
    try:
        return moment.model.interpreter.evaluator.find_channel(channel)(moment.state, moment.base, moment.frames)
    except StepFailed:
        return None


def _length(channel: Expression, moment: _Moment) -> int:
    value = moment.value(AskChannel(ChannelQuestion.LENGTH, channel))
    return value or 0


def _content(channel: Expression, moment: _Moment) -> str:
    found = _find(channel, moment)
    return "undefined" if found is None else moment.model.channel_text(moment.state, *found)


# --- deadlocks --------------------------------------------------------------------------------------------------------


def _explain_deadlock(model: ProcessModel, state: bytes) -> Explanation:
    frames = model.interpreter.frames(state)
    reasons: list[Reason] = []
    for pid, control in enumerate(frames.controls):
        process = model.interpreter.process_of_control(control)
        location = process.locations[control - process.control_base]
        moment = _Moment(model, state, frames, pid)
        place = f" (line {location.span.line})" if location.span is not None and location.span.line else ""
        who = f"{process.name}:{pid}{place}"
        if location.end:
            reasons.append(Reason(f"{who} may stay where it is"))
            continue
        waits = [_waiting(edge, moment) for edge in location.edges]
        if not waits:
            reasons.append(Reason(f"{who} has nothing left to do"))
        for index, wait in enumerate(waits):
            beginning = f"{who} waits for " if index == 0 else f"{' ' * len(who)}       or for "
            reasons.append(Reason(beginning + wait.text, wait.values))
    return Explanation("no process can move", tuple(reasons))


def _waiting(edge: Edge, moment: _Moment) -> Reason:
    """What the first operation of an edge waits for."""
    operation: Operation | Choose = edge.actions[0].operation
    if isinstance(operation, DeterministicStep):
        operation = operation.code[0].operation
    match operation:
        case Guard(condition):
            return Reason(write(condition), tuple(_values(condition, moment).items()))
        case Send(channel):
            found = _find(channel, moment)
            if found is not None and not found[1].capacity:
                patterns = [Match(value) for value in operation.values]
                values = ", ".join(_wanted(patterns, found[1], moment))
                return Reason(f"somebody to receive {values} from {_named(channel, moment)}")
            return Reason(f"room in {_named(channel, moment)}", ((_named(channel, moment), _content(channel, moment)),))
        case Receive(channel, patterns):
            found = _find(channel, moment)
            wanted = ", ".join(_wanted(patterns, None if found is None else found[1], moment))
            name = _named(channel, moment)
            if found is not None and not found[1].capacity:
                return Reason(f"somebody to send {wanted} to {name}")
            return Reason(f"a message {wanted} in {name}", ((name, _content(channel, moment)),))
        case Terminate():
            return Reason("younger processes to end first")
        case _:
            return Reason(moment.model.statements[edge.actions[0].statement].text)


def _wanted(patterns: Sequence[Pattern], channel: Channel | None, moment: _Moment) -> Iterator[str]:
    """The fields of a message that is waited for: values where they are fixed."""
    for position, pattern in enumerate(patterns):
        value = moment.value(pattern.value) if isinstance(pattern, Match) else None
        if value is None or channel is None or position >= len(channel.fields):
            yield write_pattern(pattern)
        else:
            yield moment.model.field_text(channel, position, value)


def _named(channel: Expression, moment: _Moment) -> str:
    found = _find(channel, moment)
    return write(channel) if found is None else found[1].name


# --- violations -------------------------------------------------------------------------------------------------------


def _explain_violation(model: ProcessModel, state: bytes, violation: Violation) -> Explanation | None:
    """Run the steps of the state again, looking on where the violation happens."""
    if violation.code == ViolationKind.ENDLESS:
        return None  # nothing is evaluated; the steps of such a state have no end
    seen: list[_Moment] = []

    def witness(s: State, b: int, f: Frames, kind: ViolationKind, statement: int) -> None:
        # A claim is made by a process that is being created: the statement is that of its creator.
        known = statement == violation.statement or kind is ViolationKind.EXCLUSIVE
        if not seen and known and int(kind) == violation.code:
            frames = Frames(list(f.offsets), list(f.controls), f.timeout)
            seen.append(_Moment(model, bytes(s), frames, f.pid))

    model.interpreter.watch_failures(witness)
    try:
        for _ in model.distinct_successors(state):
            if seen:
                break
    finally:
        model.interpreter.watch_failures(None)
    operation = model.operation_of(violation.statement)
    if not seen or operation is None:
        return None
    text = model.statements[violation.statement].text
    kind = ViolationKind(violation.code)
    if kind is ViolationKind.ASSERTION:
        if not isinstance(operation, Assert):
            return None
        reasons = tuple(_why(operation.condition, seen[0], wanted=True))
        return Explanation(f"{text} fails", reasons)
    if kind is ViolationKind.EXCLUSIVE:
        return Explanation(f"{text} fails", tuple(_claimed(seen[0])))
    failures = tuple(reason for part in _expressions(operation) for reason in _failures(part, seen[0], kind))
    return Explanation(f"{text} fails", failures[:1]) if failures else None


def _claimed(moment: _Moment) -> Iterator[Reason]:
    """The claim that the process breaks: which channel, who made it, and where."""
    model, controls = moment.model, moment.frames.controls
    process = model.interpreter.process_of_control(controls[moment.pid])
    location = process.locations[controls[moment.pid] - process.control_base]
    actions = (*(action for edge in location.edges for action in edge.actions), *process.setup)
    checks = [node for node in nodes_of(tuple(a.operation for a in actions)) if isinstance(node, Exclusive)]
    check = next((check for check in checks if moment.value(check.condition)), None)
    if check is None:
        return
    name, what = _named(check.channel, moment), "receive from" if check.right is Right.RECEIVE else "send to"
    if check.holder is None:
        yield Reason(f"nobody can have {name} alone: it is a rendezvous channel")
        return
    holder = (moment.value(check.holder) or 0) - 1
    who = f"{process.name}:{moment.pid}"
    if holder >= len(controls):
        yield Reason(f"only process {holder}, which has ended, may {what} {name}, not {who}")
        return
    owner = model.interpreter.process_of_control(controls[holder])
    made = [a.statement for a in owner.setup if isinstance(a.operation, Exclusive) and a.operation.right is check.right]
    places = ", ".join(f"line {model.statements[statement].span.line}" for statement in dict.fromkeys(made))
    yield Reason(f"only {owner.name}:{holder} may {what} {name} ({places}), not {who}")


def _expressions(operation: Operation | Choose) -> Iterator[Expression | Index]:
    """What an operation evaluates."""
    match operation:
        case Assign(place, value):
            yield value
            yield from place.indices
        case Discard(indices, value):
            yield value
            yield from indices
        case Guard(condition) | Assert(condition):
            yield condition
        case Send(channel, values):
            yield channel
            yield from values
        case Receive(channel, patterns):
            yield channel
            for pattern in patterns:
                if isinstance(pattern, Match):
                    yield pattern.value
                elif isinstance(pattern, Bind):
                    yield from pattern.place.indices
        case Print(_, arguments) | Run(_, arguments):
            yield from arguments


def _failures(part: Expression | Index, moment: _Moment, kind: ViolationKind) -> Iterator[Reason]:
    """The innermost parts that cannot be evaluated, first one first."""
    match part:
        case Index(value, count):
            yield from _failures(value, moment, kind)
            at = moment.value(value)
            if kind is ViolationKind.INDEX and at is not None and not 0 <= at < count:
                values = tuple(_values(value, moment).items())
                yield Reason(f"index {write(value)} is {at}, but only 0 to {count - 1} exist", values)
        case Read(place) | RemoteRead(_, _, place):
            for index in place.indices:
                yield from _failures(index, moment, kind)
        case Unary(_, operand):
            yield from _failures(operand, moment, kind)
        case Binary(symbol, left, right):
            yield from _failures(left, moment, kind)
            yield from _failures(right, moment, kind)
            checks = {ViolationKind.RANGE: BinaryOperator.WITHIN, ViolationKind.ABSENT: BinaryOperator.PRESENT}
            if checks.get(kind) is symbol and moment.value(left) == 0:
                what = f"is {moment.value(right)}" if kind is ViolationKind.RANGE else "is not there"
                yield Reason(f"{write(right)} {what}", tuple(_values(right, moment).items()))
            divides = symbol in (BinaryOperator.DIVIDE, BinaryOperator.REMAINDER)
            if kind is ViolationKind.DIVISION and divides and moment.value(right) == 0:
                yield Reason(f"{write(right)} in {write(part)} is 0", tuple(_values(right, moment).items()))
        case Conditional(condition, then, otherwise):
            yield from _failures(condition, moment, kind)
            yield from _failures(then if moment.value(condition) else otherwise, moment, kind)
        case ChannelElement(channels, index):
            yield from _failures(Index(index, len(channels), 1), moment, kind)
        case AskChannel(_, channel) | Poll(channel):
            yield from _failures(channel, moment, kind)
        case _:
            return
