"""Which values variables can have: small sets, found by running the program on sets of values.

A fix point over the control-flow graphs of all process types. Global variables have one set each; local ones have one
at every location of their process type, where conditions passed on the way there count (``j < 3`` leaves 0 to 2).
Nothing is known of how the values of two variables go together. What has too many values has *any*: None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product

from kripke.process.evaluation import StepFailed, apply_binary, apply_unary
from kripke.process.expressions import (
    CHECKS,
    AskChannel,
    Binary,
    BinaryOperator,
    Bind,
    ChannelIdentity,
    Conditional,
    Constant,
    Expression,
    Index,
    OwnPid,
    Place,
    ProcessCount,
    Read,
    Timeout,
    Unary,
    UnaryOperator,
)
from kripke.process.intervals import interval_of
from kripke.process.program import (
    Assert,
    Assign,
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
    Program,
    Receive,
    Reset,
    Run,
    Scope,
    Send,
    Skip,
    Terminate,
    Variable,
)

#: None: any value
Values = frozenset[int] | None
#: a scalar: its variable, and its offset in that
Leaf = tuple[Variable, int]
#: the values of scalars; of those that are not in it, what is known of them in general
Known = dict[Leaf, Values]

#: values of one variable that are told apart
MOST_VALUES = 16
#: pairs of values that are tried to find those of an operator
_MOST_PAIRS = 256
#: a larger program is not looked at
_MOST_EDGES = 2_000
_MOST_LEAVES = 2_000
_MOST_ROUNDS = 200
_MOST_WORK = 20_000  # operations
#: ways for a condition to be true that are told apart
_MOST_WAYS = 4

_TRUTH = frozenset((0, 1))
_DIVISIONS = (BinaryOperator.DIVIDE, BinaryOperator.REMAINDER)
_COMPARISONS = {
    BinaryOperator.LESS,
    BinaryOperator.LESS_EQUAL,
    BinaryOperator.GREATER,
    BinaryOperator.GREATER_EQUAL,
    BinaryOperator.EQUAL,
    BinaryOperator.NOT_EQUAL,
}


class PossibleValues:
    """The sets of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._everywhere: Known = {}
        self._at: dict[tuple[int, int], Known] = {}
        self._changed = False
        self._work = 0
        self._is_known = self._is_small()
        if self._is_known and not self._find():
            self._is_known = False
            self._everywhere, self._at = {}, {}

    def of_global(self, variable: Variable, offset: int) -> Values:
        """The values that a scalar of a global variable can ever have."""
        return self._everywhere.get((variable, offset)) if self._is_known else None

    def of_local(self, process: ProcessType, location: int, variable: Variable, offset: int) -> Values:
        """Those of a process at a location."""
        if not self._is_known:
            return None
        known = self._at.get((id(process), location))
        return frozenset() if known is None else known.get((variable, offset))

    def may_fail(self, process: ProcessType, location: int, parts: Sequence[Expression]) -> list[bool]:
        """Of conditions that are evaluated one after the other as long as they are true, by a process at a location:
        may an evaluation fail (a subscript, a division)?"""
        ways = [dict(self._at.get((id(process), location), {}))]
        found = []
        for part in parts:
            found.append(any(self._fails(part, known) for known in ways))
            after = [one for known in ways for one in self._where(part, True, known)]
            ways = self._few(after) or [{}]
        return found

    def _fails(self, expression: object, known: Known) -> bool:
        match expression:
            case Binary(BinaryOperator.LOGICAL_AND | BinaryOperator.LOGICAL_OR as operator, left, right):
                goes_on = self._where(left, operator is BinaryOperator.LOGICAL_AND, dict(known))
                return self._fails(left, known) or any(self._fails(right, one) for one in goes_on)
            case Binary(operator, left, right):
                if self._fails(left, known) or self._fails(right, known):
                    return True
                if operator in CHECKS:
                    return self._may_be(left, known, lambda value: value == 0)
                return operator in _DIVISIONS and self._may_be(right, known, lambda value: value == 0)
            case Index(value, count, _):
                return self._fails(value, known) or self._may_be(value, known, lambda value: not 0 <= value < count)
            case Constant() | OwnPid() | ProcessCount() | Timeout() | ChannelIdentity():
                return False
            case AskChannel(_, ChannelIdentity()):
                return False
            case Read(place):
                return any(self._fails(index, known) for index in place.indices)
            case Unary(_, operand):
                return self._fails(operand, known)
            case Conditional(condition, then, otherwise):
                return any(self._fails(part, known) for part in (condition, then, otherwise))
            case _:
                return True

    def _may_be(self, expression: Expression, known: Known, is_wrong: Callable[[int], bool]) -> bool:
        values = self._evaluate(expression, known)
        if values is not None:
            return any(map(is_wrong, values))
        least, largest = interval_of(expression)
        return largest - least > _MOST_PAIRS or any(map(is_wrong, range(least, largest + 1)))

    def _is_small(self) -> bool:
        program = self._program
        edges = sum(len(location.edges) for process in program.processes for location in process.locations)
        variables = [*program.variables, *(v for process in program.processes for v in process.variables)]
        leaves = sum(len(variable.components) for variable in variables)
        return edges <= _MOST_EDGES and leaves <= _MOST_LEAVES and program.embedded is None

    # --- the fix point ------------------------------------------------------------------------------------------------

    def _find(self) -> bool:
        """False where it takes too long."""
        program = self._program
        for variable in program.variables:
            for component, value in zip(variable.components, variable.initial, strict=True):
                self._everywhere[variable, component.offset] = frozenset((component.type.wrap(value),))
        for outside in (program.last, program.monitor.variable if program.monitor else None):
            if outside is not None:  # changed by no operation
                for component in outside.components:
                    self._everywhere[outside, component.offset] = None
        for _ in range(_MOST_ROUNDS):
            self._changed = False
            start: list[Known] = [{}]
            for action in program.setup:
                start = self._perform(action.operation, start)
            self._publish(start)
            for initial in program.initial:
                self._create(initial.process, [frozenset((value,)) for value in initial.arguments])
            for process in program.processes:
                self._run_process(process)
            if not self._changed:
                return True
            if self._work > _MOST_WORK:
                return False
        return False

    def _create(self, process: ProcessType, arguments: list[Values]) -> None:
        """A process comes into being, with these values for its parameters."""
        known: Known = {}
        for variable in process.variables[len(process.parameters) :]:
            for component, value in zip(variable.components, variable.initial, strict=True):
                known[variable, component.offset] = frozenset((component.type.wrap(value),))
        scalars = process.parameter_scalars()
        for number, (variable, component) in enumerate(scalars):
            values = arguments[number] if number < len(arguments) else None
            known[variable, component.offset] = _wrapped(component.type.wrap, values)
        start = [known]
        for action in process.setup:
            start = self._perform(action.operation, start)
        self._publish(start)
        self._arrive(process, process.entry, start)

    def _run_process(self, process: ProcessType) -> None:
        for number, location in enumerate(process.locations):
            here = self._at.get((id(process), number))
            if here is None:
                continue
            for edge in location.edges:
                after: list[Known] = [dict(here)]
                for action in edge.actions:
                    after = self._perform(action.operation, after)
                self._publish(after)
                if not edge.terminates:
                    self._arrive(process, edge.target, after)

    def _publish(self, ends: list[Known]) -> None:
        """Values of global variables that a step leaves behind."""
        for known in ends:
            for leaf, values in known.items():
                if leaf[0].scope is Scope.GLOBAL:
                    self._widen(self._everywhere, leaf, values)

    def _arrive(self, process: ProcessType, location: int, ends: list[Known]) -> None:
        for known in ends:
            key = id(process), location
            if key not in self._at:
                self._at[key] = {leaf: v for leaf, v in known.items() if leaf[0].scope is Scope.LOCAL}
                self._changed = True
                continue
            there = self._at[key]
            for leaf in there:
                self._widen(there, leaf, known.get(leaf))

    def _widen(self, known: Known, leaf: Leaf, more: Values) -> None:
        before = known[leaf]
        after = _united(before, more)
        if after != before:
            known[leaf] = after
            self._changed = True

    # --- operations ---------------------------------------------------------------------------------------------------

    def _perform(self, operation: Operation | Choose, before: list[Known]) -> list[Known]:
        """What is known after an operation, of what was known before: one for each way, none where it blocks."""
        return [after for known in before for after in self._performed(operation, known)]

    def _performed(self, operation: Operation | Choose, known: Known) -> list[Known]:
        self._work += 1
        match operation:
            case Guard(condition):
                return self._where(condition, True, known)
            case Assign(place, value):
                self._assign(place, self._evaluate(value, known), known)
            case Reset(place, value):
                self._assign(place, frozenset((value,)), known)
            case Receive(_, patterns, _, _):
                for pattern in patterns:
                    if isinstance(pattern, Bind):
                        self._assign(pattern.place, None, known)
            case Run(process, arguments, result, _):
                self._create(process, [self._evaluate(argument, known) for argument in arguments])
                if result is not None:
                    self._assign(result, None, known)
            case DeterministicStep():
                return self._run_code(operation, known)
            case Assert() | Print() | Discard() | Else() | Exclusive() | NoChoice() | Send() | Skip() | Terminate():
                pass
            case _:  # not foreseen: nothing is known any more
                for leaf in list(known):
                    known[leaf] = None
                for leaf in self._everywhere:
                    self._widen(self._everywhere, leaf, None)
        return [known]

    def _run_code(self, step: DeterministicStep, known: Known) -> list[Known]:
        """Every way through a deterministic step; where ways meet, what is known of them is united."""
        at: dict[int, Known] = {0: known}
        ends: list[Known] = []
        waiting = [0]
        while waiting:
            number = waiting.pop()
            if number < 0:
                continue
            instruction = step.code[number]
            if isinstance(instruction.operation, Choose):
                following = [(option, dict(at[number])) for option in instruction.operation.options]
            else:
                after = self._performed(instruction.operation, dict(at[number]))
                following = [(instruction.next, one) for one in after]
            for target, one in following:
                if target < 0:
                    ends.append(one)
                elif self._unite(at, target, one):
                    waiting.append(target)
        return ends

    def _unite(self, at: dict[int, Known], number: int, more: Known) -> bool:
        """Did this add anything?"""
        if number not in at:
            at[number] = more
            return True
        there, changed = at[number], False
        for leaf in there.keys() | more.keys():
            before = self._known(leaf, there)
            after = _united(before, self._known(leaf, more))
            if after != before or leaf not in there:
                changed |= after != before
                there[leaf] = after
        return changed

    def _assign(self, place: Place, values: Values, known: Known) -> None:
        leaves = self._leaves(place, known)
        stored = _wrapped(place.type.wrap, values)
        for leaf in leaves:
            known[leaf] = stored if len(leaves) == 1 else _united(self._known(leaf, known), stored)

    # --- expressions --------------------------------------------------------------------------------------------------

    def _known(self, leaf: Leaf, known: Known) -> Values:
        return known[leaf] if leaf in known else self._everywhere.get(leaf)

    def _leaves(self, place: Place, known: Known) -> list[Leaf]:
        """The scalars that a place may mean."""
        offsets = [place.offset]
        for index in place.indices:
            values = self._evaluate(index.value, known)
            inside = range(index.count) if values is None else [value for value in values if 0 <= value < index.count]
            offsets = [offset + value * index.stride for offset in offsets for value in inside]
        return [(place.variable, offset) for offset in offsets]

    def _evaluate(self, expression: Expression, known: Known) -> Values:
        match expression:
            case Constant(value):
                return frozenset((value,))
            case Read(place):
                found: Values = frozenset()
                for leaf in self._leaves(place, known):
                    found = _united(found, self._known(leaf, known))
                return found
            case Unary(operator, operand):
                values = self._evaluate(operand, known)
                if values is None:
                    return _TRUTH if operator is UnaryOperator.NOT else None
                return frozenset(apply_unary(operator, value) for value in values)
            case Binary(operator, left, right):
                return _applied(operator, self._evaluate(left, known), self._evaluate(right, known))
            case Conditional(condition, then, otherwise):
                found = frozenset()
                for part, wanted in ((then, True), (otherwise, False)):
                    for one in self._where(condition, wanted, dict(known)):
                        found = _united(found, self._evaluate(part, one))
                return found
            case _:
                return None

    def _where(self, condition: Expression, wanted: bool, known: Known) -> list[Known]:
        """What is known where a condition is true, or false: one for each way to be so, none if it cannot be."""
        return self._few(self._ways(condition, wanted, known))

    def _few(self, ways: list[Known]) -> list[Known]:
        """Many ways as one."""
        if len(ways) <= _MOST_WAYS:
            return ways
        at = {0: ways[0]}
        for way in ways[1:]:
            self._unite(at, 0, way)
        return [at[0]]

    def _ways(self, condition: Expression, wanted: bool, known: Known) -> list[Known]:
        match condition:
            case Unary(UnaryOperator.NOT, operand):
                return self._where(operand, not wanted, known)
            case Binary(BinaryOperator.LOGICAL_AND | BinaryOperator.LOGICAL_OR as operator, left, right):
                if (operator is BinaryOperator.LOGICAL_AND) == wanted:
                    return [end for one in self._where(left, wanted, known) for end in self._where(right, wanted, one)]
                decided = self._where(left, wanted, dict(known))
                others = self._where(left, not wanted, known)
                return decided + [end for one in others for end in self._where(right, wanted, one)]
            case Binary(operator, left, right) if operator in _COMPARISONS:
                return self._compared(operator, left, right, wanted, known)
            case Read():
                return self._compared(BinaryOperator.NOT_EQUAL, condition, Constant(0), wanted, known)
            case _:
                values = self._evaluate(condition, known)
                possible = values is None or any((value != 0) == wanted for value in values)
                return [known] if possible else []

    def _compared(
        self, operator: BinaryOperator, left: Expression, right: Expression, wanted: bool, known: Known
    ) -> list[Known]:
        """Of a variable that is compared, the values that pass are left."""
        mine, theirs = self._evaluate(left, known), self._evaluate(right, known)
        if mine is None or theirs is None:
            if operator is BinaryOperator.EQUAL and wanted and (mine is not None or theirs is not None):
                side, values = (left, theirs) if mine is None else (right, mine)
                self._narrow(side, values, known)
            return [known]
        if len(mine) * len(theirs) > _MOST_PAIRS:
            return [known]
        passing = [(a, b) for a, b in product(mine, theirs) if (apply_binary(operator, a, b) != 0) == wanted]
        if not passing:
            return []
        self._narrow(left, frozenset(a for a, _ in passing), known)
        self._narrow(right, frozenset(b for _, b in passing), known)
        return [known]

    def _narrow(self, expression: Expression, values: Values, known: Known) -> None:
        if isinstance(expression, Read):
            leaves = self._leaves(expression.place, known)
            if len(leaves) == 1:
                known[leaves[0]] = values


def _united(one: Values, other: Values) -> Values:
    if one is None or other is None:
        return None
    both = one | other
    return both if len(both) <= MOST_VALUES else None


def _wrapped(wrap: object, values: Values) -> Values:
    assert callable(wrap)
    return None if values is None else frozenset(wrap(value) for value in values)


def _applied(operator: BinaryOperator, left: Values, right: Values) -> Values:
    """The values of an operator. A division by zero has none."""
    is_truth = operator in _COMPARISONS or operator in (BinaryOperator.LOGICAL_AND, BinaryOperator.LOGICAL_OR)
    if left is None or right is None or len(left) * len(right) > _MOST_PAIRS:
        return _TRUTH if is_truth else None
    return _collected(operator, product(left, right))


def _collected(operator: BinaryOperator, pairs: Iterable[tuple[int, int]]) -> Values:
    found: set[int] = set()
    for a, b in pairs:
        try:
            found.add(apply_binary(operator, a, b))
        except StepFailed:
            continue
    return frozenset(found) if len(found) <= MOST_VALUES else None
