"""Operations of process programs on paths (their meaning: ``process/program.py``, ``process/operations.py``).

Where an operation may be about several channels or slots, the path forks, so that each command writes few variables.
The branches of a deterministic step are joined again where they meet.
"""

from __future__ import annotations

from collections.abc import Sequence

from kripke.process.encode.expressions import ChannelPlace, Expressions
from kripke.process.encode.path import Path
from kripke.process.encode.slots import Slot
from kripke.process.expressions import Bind
from kripke.process.program import (
    MAX_PROCESSES,
    Assert,
    Assign,
    CCode,
    Channel,
    Choose,
    DeterministicStep,
    Discard,
    Else,
    Exclusive,
    Guard,
    NoChoice,
    Operation,
    Print,
    ProcessType,
    Receive,
    Reset,
    Run,
    Send,
    SetPriority,
    Skip,
    Terminate,
    ViolationKind,
)
from kripke.terms.build import (
    FALSE,
    TRUE,
    ZERO,
    add,
    any_of,
    between,
    choose,
    conjoin,
    constant,
    disjoin,
    equal,
    ite,
    less,
    negate,
    subtract,
    true_of,
    wrap,
)
from kripke.terms.path import joined
from kripke.terms.refusal import Unencodable
from kripke.terms.term import Term

#: instructions of a deterministic step that are followed before its loops count as too long
MOST_INSTRUCTIONS = 2_000


class Operations:
    """Lowers the operations of one program."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self.slots = expressions.slots
        self.program = expressions.program

    # --- when ---------------------------------------------------------------------------------------------------------

    def enabled(self, path: Path, operation: Operation | Choose, code: DeterministicStep | None = None) -> Term:
        """Can an operation run without the help of another process? Notes where that cannot be evaluated."""
        match operation:
            case Guard(condition):
                return self.expressions.truth(path, condition)
            case Send(channel):
                found = self.expressions.channels(path, channel)
                return any_of(conjoin(condition, self.has_room(path, where)) for condition, where in found)
            case Receive():
                found_messages = self.receivable(path, operation)
                return any_of(conjoin(condition, any_of(matches)) for condition, _, matches in found_messages)
            case DeterministicStep(instructions):
                return self.enabled(path, instructions[0].operation, operation)
            case Choose(options):
                assert code is not None
                found_enabled = FALSE
                for option in options:  # an option is asked about only where none before it is enabled
                    with path.only_if(negate(found_enabled)):
                        one = self.enabled(path, code.code[option].operation, code)
                    found_enabled = disjoin(found_enabled, one)
                return found_enabled
            case _:
                return TRUE

    def has_room(self, path: Path, where: ChannelPlace) -> Term:
        """Enabled without a receiver?"""
        capacity = where[1].capacity
        return less(self.expressions.length(path, where), constant(capacity)) if capacity else FALSE

    def receivable(self, path: Path, receive: Receive) -> list[tuple[Term, ChannelPlace, list[Term]]]:
        """The buffered channels that it can be about, with the conditions that each of their messages is taken."""
        found: list[tuple[Term, ChannelPlace, list[Term]]] = []
        for condition, where in self.expressions.channels(path, receive.channel):
            if not where[1].capacity:
                continue
            some = true_of(self.expressions.length(path, where))
            with path.only_if(conjoin(condition, some)):
                if not receive.fits(len(where[1].fields)):
                    path.fail(ViolationKind.MESSAGE, TRUE)
                    continue
                wanted = self.expressions.wanted(path, receive.patterns)
            found.append((condition, where, self.expressions.matches(path, where, wanted, receive.anywhere)))
        return found

    # --- what ---------------------------------------------------------------------------------------------------------

    def perform(self, path: Path, operation: Operation, statement: int) -> list[Path]:
        """Run an enabled operation."""
        lower = self.expressions
        match operation:
            case Assign(place, value):
                lower.store(path, place, lower.value(path, value))
            case Reset(place, forgotten):
                lower.store(path, place, constant(forgotten))
            case Discard(indices, value):
                lower.value(path, value)
                for index in indices:
                    path.fail(ViolationKind.INDEX, negate(between(0, lower.value(path, index.value), index.count - 1)))
            case Send():
                return self._send(path, operation)
            case Receive():
                return self._receive(path, operation)
            case Assert(condition, _):
                path.report(ViolationKind.ASSERTION, negate(lower.truth(path, condition)), statement)
            case Run():
                return self._run(path, operation)
            case SetPriority():
                return self._set_priority(path, operation)
            case NoChoice():
                path.report(ViolationKind.CHOICE, path.moved, statement)
            case Exclusive(condition):
                path.fail(ViolationKind.EXCLUSIVE, lower.truth(path, condition))
            case DeterministicStep():
                return [self._step(path, operation)]
            case CCode():
                raise Unencodable("C code", statement)
            case Guard() | Else() | Skip() | Terminate() | Print():
                pass
        return [path]

    # --- messages -----------------------------------------------------------------------------------------------------

    def offer(self, path: Path, send: Send, channel: Channel) -> list[Term] | None:
        """The message as the channel's fields keep it; None: it has another number of fields."""
        if len(send.values) != len(channel.fields):
            path.fail(ViolationKind.MESSAGE, TRUE)
            return None
        values = [self.expressions.value(path, value) for value in send.values]
        return [self.expressions.kept(v, t) for v, t in zip(values, channel.fields, strict=True)]

    def _send(self, path: Path, send: Send) -> list[Path]:
        paths: list[Path] = []
        found = self.expressions.channels(path, send.channel)
        for condition, where in found:
            fork = path.fork(condition) if len(found) > 1 else path
            message = self.offer(fork, send, where[1])
            if message is not None and where[1].capacity:
                self._put(fork, where, message, send.ordered)
            paths.append(fork)
        return _with_rest(path, paths)

    def _put(self, path: Path, where: ChannelPlace, message: list[Term], ordered: bool) -> None:
        symbols = self.expressions.channel_symbols(where)
        length = path.read(symbols.length)
        position = length
        if ordered:
            for place in range(len(symbols.messages) - 1, -1, -1):
                there = [path.read(field) for field in symbols.messages[place]]
                larger = conjoin(less(constant(place), length), _precedes(message, there))
                position = ite(larger, constant(place), position)
        kept = [[path.read(field) for field in fields] for fields in symbols.messages]
        for place, fields in enumerate(symbols.messages):
            here = equal(position, constant(place))
            moved = less(position, constant(place)) if ordered else FALSE
            for number, field in enumerate(fields):
                before = kept[place - 1][number] if place else ZERO
                path.write(field, ite(here, message[number], ite(moved, before, kept[place][number])))
        # Behind the last message there is nothing: what is moved beyond it was 0 before.
        path.write(symbols.length, add(length, constant(1)))

    def _receive(self, path: Path, receive: Receive) -> list[Path]:
        found = self.receivable(path, receive)
        paths: list[Path] = []
        for condition, where, matches in found:
            fork = path.fork(condition) if len(found) > 1 else path
            symbols = self.expressions.channel_symbols(where)
            messages = [[fork.read(field) for field in fields] for fields in symbols.messages]
            position = choose_first(matches)
            message = [
                choose(position, [messages[place][number] for place in range(len(matches))])
                for number in range(len(where[1].fields))
            ]
            self.take(fork, receive, message)
            if not receive.keep:
                self._drop(fork, where, messages, position)
            paths.append(fork)
        return _with_rest(path, paths)

    def take(self, path: Path, receive: Receive, message: Sequence[Term]) -> None:
        """Store the fields of a message, from left to right."""
        for number, pattern in enumerate(receive.patterns):
            if isinstance(pattern, Bind):
                self.expressions.store(path, pattern.place, message[number])

    def _drop(self, path: Path, where: ChannelPlace, messages: list[list[Term]], position: Term) -> None:
        symbols = self.expressions.channel_symbols(where)
        last = len(messages) - 1
        for place, fields in enumerate(symbols.messages):
            moved = negate(less(constant(place), position))
            for number, field in enumerate(fields):
                following = messages[place + 1][number] if place < last else ZERO
                path.write(field, ite(moved, following, messages[place][number]))
        path.write(symbols.length, subtract(path.read(symbols.length), constant(1)))

    # --- processes ----------------------------------------------------------------------------------------------------

    def _run(self, path: Path, run: Run) -> list[Path]:
        lower = self.expressions
        arguments = [lower.value(path, argument) for argument in run.arguments]
        count = len(self.slots.slots)
        full = lower.present(path, count - 1)
        if count == MAX_PROCESSES:
            path.fail(ViolationKind.PROCESSES, full)
        elif not self.slots.enough:
            path.end(full, f"there are more than {count} processes at once")
        paths: list[Path] = []
        for slot in self.slots.slots:
            older = lower.present(path, slot.number - 1) if slot.number else TRUE
            here = conjoin(older, negate(lower.present(path, slot.number)))
            if conjoin(path.when, here) is FALSE:
                continue
            fork = path.fork(here)
            if run.process not in slot.types:
                continue
            self._create(fork, slot, run.process, arguments)
            if run.result is not None:
                value = constant(slot.number) if run.value is None else lower.value(fork, run.value)
                lower.store(fork, run.result, value)
            paths.append(fork)
        return _with_rest(path, paths)

    def _create(self, path: Path, slot: Slot, process: ProcessType, arguments: Sequence[Term]) -> None:
        path.write(slot.control, constant(slot.point(process, process.entry)))
        for variable in process.variables[len(process.parameters) :]:
            for symbol, initial in zip(slot.scalars[variable], variable.initial, strict=True):
                path.write(symbol, constant(initial))
        scalars = [symbol for parameter in process.parameters for symbol in slot.scalars[parameter]]
        types = [component.type for _, component in process.parameter_scalars()]
        for symbol, type_, argument in zip(scalars, types, arguments, strict=True):
            path.write(symbol, self.expressions.kept(argument, type_))
        creator = path.pid, path.frame
        path.pid = path.frame = slot.number
        for action in process.setup:
            if self.perform(path, action.operation, action.statement) != [path]:
                raise Unencodable("a start value that depends on a channel", action.statement)
        path.pid, path.frame = creator

    def forget(self, path: Path, slot: Slot) -> None:
        """The process disappears."""
        path.write(slot.control, constant(slot.absent))
        for symbol in slot.symbols():
            if symbol is not slot.control:
                path.write(symbol, ZERO)

    def _set_priority(self, path: Path, operation: SetPriority) -> list[Path]:
        lower = self.expressions
        pid, priority = lower.value(path, operation.process), lower.value(path, operation.priority)
        paths: list[Path] = []
        somebody = FALSE
        for number, here in lower.each_pid(path, pid):
            slot, somebody = self.slots.slots[number], disjoin(somebody, here)
            for process in slot.types:
                fork = path.fork(conjoin(here, lower.is_type(path, number, process)))
                fork.fail(ViolationKind.PRIORITY, negate(between(1, priority, 255)))
                fork.write(slot.scalars[process.parameters[0]][0], wrap(priority, 8, signed=False))
                paths.append(fork)
        return _with_rest(path, [*paths, path.fork(negate(somebody))])

    # --- deterministic steps ------------------------------------------------------------------------------------------

    def _step(self, path: Path, step: DeterministicStep) -> Path:
        """Follow the code from instruction to instruction; where ways meet again, they are joined."""
        waiting: dict[int, list[Path]] = {0: [path]}
        ended: list[Path] = []
        done = 0
        rest: list[Path] = []
        while waiting:
            done += 1
            if done > MOST_INSTRUCTIONS:
                raise Unencodable(
                    "a loop inside a d_step, of which nobody knows how often it goes round", path.statement
                )
            at = min(waiting)
            here = joined(waiting.pop(at))
            instruction = step.code[at]
            if isinstance(instruction.operation, Choose):
                targets = self._chosen(here, instruction.operation, step)
                rest.append(here)
            else:
                can = self.enabled(here, instruction.operation, step)
                here.fail(ViolationKind.BLOCKED, negate(can))
                performed = self.perform(here, instruction.operation, instruction.statement)
                targets = [(instruction.next, one) for one in performed]
            for target, one in targets:
                if one.when is FALSE:
                    rest.append(one)
                elif target < 0:
                    ended.append(one)
                else:
                    waiting.setdefault(target, []).append(one)
        result = joined(ended) if ended else path.fork(FALSE)
        for one in rest:
            result.breaches += one.breaches
            result.limits += one.limits
        return result

    def _chosen(self, path: Path, choice: Choose, step: DeterministicStep) -> list[tuple[int, Path]]:
        targets: list[tuple[int, Path]] = []
        none = TRUE
        conditions: list[tuple[int, Term]] = []
        for option in choice.options:
            with path.only_if(none):
                can = self.enabled(path, step.code[option].operation, step)
            conditions.append((option, conjoin(none, can)))
            none = conjoin(none, negate(can))
        path.fail(ViolationKind.BLOCKED, none)
        for option, condition in conditions:
            targets.append((option, path.fork(condition)))
        path.when = FALSE
        return targets


def choose_first(conditions: Sequence[Term]) -> Term:
    """The number of the condition that holds; that of the last, where none before it does."""
    position = constant(len(conditions) - 1)
    for number in range(len(conditions) - 2, -1, -1):
        position = ite(conditions[number], constant(number), position)
    return position


def _with_rest(path: Path, paths: list[Path]) -> list[Path]:
    """What was broken before the path forked is kept by the first part."""
    if not paths:
        path.when = FALSE
        return [path]
    if paths[0] is not path:
        paths[0].breaches[:0] = path.breaches
        paths[0].limits[:0] = path.limits
    return paths


def _precedes(message: Sequence[Term], other: Sequence[Term]) -> Term:
    """Is the message before the other in the order of their fields, from left to right?"""
    result = FALSE
    for a, b in reversed(list(zip(message, other, strict=True))):
        result = disjoin(less(a, b), conjoin(equal(a, b), result))
    return result
