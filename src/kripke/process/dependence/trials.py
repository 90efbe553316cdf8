"""Whether two steps accord, found out by trying: both orders, from every combination of values they look at.

What steps read and write tells much, but not that a clock leaves a timer alone which another tests to be off, or that
two steps that write the same variable leave the same value. A step that looks at few variables of few values
(``values.py``) is run on states made up for the purpose, with every combination. Then two of them are compared:
wherever both are enabled, each must leave the other enabled, and the order must not matter, for errors neither. What
only one of them touches comes in where it makes a difference.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import product
from math import prod

from kripke.deadline import current
from kripke.process.dependence.footprint import Footprint, Setting, variables_read
from kripke.process.dependence.stability import assigned_in
from kripke.process.dependence.steps import Step
from kripke.process.dependence.values import PossibleValues
from kripke.process.evaluation import Evaluate, Frames, StepFailed, read_scalar, write_scalar
from kripke.process.expressions import (
    Binary,
    Conditional,
    Constant,
    Expression,
    Index,
    IntType,
    OwnPid,
    Place,
    Read,
    Unary,
)
from kripke.process.interpreter import Interpreter
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
    Operation,
    Print,
    Reset,
    Skip,
    StepInstruction,
    Variable,
)

#: combinations of values that a step is run with, and runs of all steps of a model
_MOST_COMBINATIONS = 1_024
_MOST_RUNS = 20_000
#: comparisons of two steps, and of all steps of a model
_MOST_LOOKS = 20_000
_MOST_LOOKS_AT_ALL = 200_000

#: what looks at variables and at nothing else
PLAIN = (
    *(Guard, Else, Assign, Reset, Discard, Skip, Print, Assert, DeterministicStep, StepInstruction, Choose),
    *(Constant, OwnPid, Read, Place, Index, Unary, Binary, Conditional),
)

#: values of some variables
Values = tuple[int, ...]
#: what becomes of what two steps share (None: it stays as it is), and a number for the rest: errors, own variables
_Effect = tuple[tuple[int | None, ...], int]


class Trials:
    """Tries the steps of one program."""

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self.values = PossibleValues(interpreter.program)
        self._deadline = current()
        self._runs = _MOST_RUNS
        self._looks = _MOST_LOOKS_AT_ALL
        self._plain: dict[int, bool] = {}
        self._known: dict[object, bool] = {}
        self._fails: dict[int, list[bool]] = {}
        self._looked_at: dict[int, frozenset[Expression]] = {}
        self._behaviours: dict[object, _Behaviour | None] = {}
        self._spots: dict[int, tuple[Variable, int, IntType]] = {}
        for variable in interpreter.program.variables:
            for component in variable.components:
                for byte in range(component.type.size):
                    at = variable.offset + component.offset
                    self._spots[at + byte] = variable, component.offset, component.type

    def accord(self, one: Step, other: Step) -> bool:
        """Of two processes. Where it cannot be tried they do not. ``one`` may be a step at hand."""
        if not (self._is_plain(one) and self._is_plain(other)):
            return False
        present = self._present_for(one)
        if present and changes_what_is_read(other, present, one.setting):
            return False
        keys = self._key(one, {}), self._key(other, {})
        if present and self._known.get(keys, False):
            return True
        keys = self._key(one, present), keys[1]
        if keys not in self._known:
            self._known[keys] = self._compare(keys, one, other, present)
        return self._known[keys]

    def _key(self, step: Step, present: dict[Expression, int]) -> object:
        settled = step.setting.settled_values(step.process.variables)
        return step.pid, id(step.edge), settled, tuple(present.items())

    def may_fail(self, step: Step) -> list[bool]:
        """Of the parts of its guard: may the evaluation fail?"""
        key = id(step.edge)
        if key not in self._fails:
            parts = [test.condition for test in step.tests]
            self._fails[key] = self.values.may_fail(step.process, step.location, parts)
        return self._fails[key]

    def _present_for(self, step: Step) -> dict[Expression, int]:
        """The values that are known of what a step at hand looks at; other steps of its location may look at more."""
        present = step.setting.present
        if not present:
            return present
        key = id(step.edge)
        if key not in self._looked_at:
            read = _variables_read(step)
            self._looked_at[key] = frozenset(e for e in present if variables_read(e) <= read)
        return {expression: value for expression, value in present.items() if expression in self._looked_at[key]}

    # --- which steps --------------------------------------------------------------------------------------------------

    def _is_plain(self, step: Step) -> bool:
        """Does it look at variables, and at nothing else?"""
        if step.wild or not step.fires or step.future is not None or step.partners or step.met:
            return False
        key = id(step.edge)
        if key not in self._plain:
            self._plain[key] = self._has_plain_edge(step)
        return self._plain[key]

    def _has_plain_edge(self, step: Step) -> bool:
        program, edges = self._interpreter.program, step.process.locations[step.location].edges
        if program.priorities or program.record is not None or program.last is not None:
            return False
        if step.process.provided is not None or step.edge.atomic or any(edge.escape for edge in edges):
            return False
        return all(
            isinstance(node, PLAIN)
            for edge in _decisive(step)
            for action in edge.actions
            for node in nodes_of(action.operation)
        )

    # --- what a step does ---------------------------------------------------------------------------------------------

    def _behaviour(self, key: object, step: Step, present: dict[Expression, int]) -> _Behaviour | None:
        if key not in self._behaviours:
            self._behaviours[key] = self._observe(step, present)
        return self._behaviours[key]

    def _observe(self, step: Step, present: dict[Expression, int]) -> _Behaviour | None:
        """Run a step with all values it may find. None: there are too many."""
        state, frames = step.setting.made_up({step.pid: step.process.control(step.location)})
        found = _Behaviour()
        frame = frames.offsets[step.pid], step.process.frame_bytes
        own: list[tuple[int, IntType, list[int]]] = []
        painted: list[tuple[int, IntType]] = []
        combinations = 1
        for at, type_, values, is_read in (*self._globals(step), *self._locals(step, frames)):
            is_own = at >= frame[0]
            if not is_read:
                painted.append((at, type_))
                if not is_own:
                    found.written.append((at, type_, None if values is None else sorted(values)))
                continue
            listed = _listed(values, type_)
            combinations *= len(listed)
            if combinations > min(_MOST_COMBINATIONS, self._runs):
                return None
            (own if is_own else found.read).append((at, type_, list(listed)))
        self._runs -= combinations
        compiled = [(self._interpreter.evaluator.compile(e), value) for e, value in present.items()]
        for own_values in product(*(values for _, _, values in own)):
            table: dict[Values, _Outcome] = {}
            for read_values in product(*(values for _, _, values in found.read)):
                for (at, type_, _), value in zip((*own, *found.read), (*own_values, *read_values), strict=True):
                    write_scalar(type_, state, at, value)
                if _is_present(compiled, state, frames, step.pid):
                    outcome = self._run(state, frames, step, found, painted, frame)
                    if outcome is not None:
                        table[read_values] = outcome
            found.tables.append(table)
        return found

    def _run(
        self,
        state: bytearray,
        frames: Frames,
        step: Step,
        behaviour: _Behaviour,
        painted: list[tuple[int, IntType]],
        frame: tuple[int, int],
    ) -> _Outcome | None:
        """What comes of a step; None where it is disabled. What it only writes has had one value or another before: if
        it is as before in both cases, it was not written."""
        edges = step.process.locations[step.location].edges
        number = next(number for number, edge in enumerate(edges) if edge is step.edge)
        ends: list[bytes | None] = []
        errors: tuple[object, ...] = ()
        for paint in (0, 1) if painted else (0,):
            for at, type_ in painted:
                write_scalar(type_, state, at, paint)
            moment = self._interpreter.try_edge(bytes(state), frames, step.pid, number)
            if moment is None:
                return None
            ends.append(moment.state)
            errors = moment.violations
        start, size = frame
        after: dict[int, int | None] = {}
        first, last = ends[0], ends[-1]
        if first is None or last is None:
            return _Outcome({}, errors, fails=True)
        for at, type_, _ in behaviour.read:
            after[at] = read_scalar(type_, first, at)
        for at, type_, _ in behaviour.written:
            values = read_scalar(type_, first, at), read_scalar(type_, last, at)
            is_as_before = values == (0, read_scalar(type_, state, at))
            after[at] = None if is_as_before else values[0]
        frames_after = tuple(end[start : start + size] for end in (first, last))
        return _Outcome(after, (errors, frames_after), fails=False)

    def _globals(self, step: Step) -> Iterator[tuple[int, IntType, frozenset[int] | None, bool]]:
        """Scalars that are touched, their values, and whether they are read."""
        reads = _reads(step)
        touched = (reads | step.footprint.writes) & step.setting.objects.variables
        seen: set[int] = set()
        while touched:
            byte = (touched & -touched).bit_length() - 1
            touched &= touched - 1
            if byte not in self._spots:  # of a channel
                continue
            variable, offset, type_ = self._spots[byte]
            at = variable.offset + offset
            if at in seen:
                continue
            seen.add(at)
            is_read = reads >> at & ((1 << type_.size) - 1) != 0
            settled = step.setting.settled_value(variable, offset, type_)
            yield at, type_, settled or self.values.of_global(variable, offset), is_read

    def _locals(self, step: Step, frames: Frames) -> Iterator[tuple[int, IntType, frozenset[int] | None, bool]]:
        read, assigned = _variables_read(step), assigned_in(_operations(step))
        for variable in step.process.variables:
            is_read = variable in read
            if step.setting.is_settled(variable) or not (is_read or variable in assigned):
                continue
            for component in variable.components:
                at = frames.offsets[step.pid] + variable.offset + component.offset
                values = self.values.of_local(step.process, step.location, variable, component.offset)
                yield at, component.type, values, is_read

    # --- two steps ----------------------------------------------------------------------------------------------------

    def _compare(self, keys: tuple[object, object], one: Step, other: Step, present: dict[Expression, int]) -> bool:
        self._deadline()
        mine, theirs = self._behaviour(keys[0], one, present), self._behaviour(keys[1], other, {})
        if mine is None or theirs is None:
            return False
        if present and not any(mine.tables):  # not even what is the case now was tried
            return False
        shared = {at: values for at, values in mine.domains().items() if at in theirs.domains()}
        for at, values in theirs.domains().items():
            if at in shared and (shared[at] is None or values is not None):
                shared[at] = values
        listed = [values or [0, 1] for values in shared.values()]
        size = prod(map(len, listed))
        looks = size * (mine.ways(shared) + theirs.ways(shared))
        if looks > min(_MOST_LOOKS, self._looks):
            return False
        self._looks -= looks
        places = {values: number for number, values in enumerate(product(*listed))}
        ways = mine.effects(list(shared), places), theirs.effects(list(shared), places)
        looks = size * len(ways[0]) * len(ways[1])
        if looks > min(_MOST_LOOKS, self._looks):
            return False
        self._looks -= looks
        return all(_agree(a, b, places) for a in ways[0] for b in ways[1])


class Untried:
    """In place of trials, where there is no time for them."""

    def accord(self, one: Step, other: Step) -> bool:
        return False

    def may_fail(self, step: Step) -> list[bool]:
        return [True] * len(step.tests)


class _Outcome:
    """What a step leaves behind: of every global scalar that it touches, the value (None: that from before), and the
    rest: errors, its own variables."""

    __slots__ = ("after", "fails", "rest")

    def __init__(self, after: dict[int, int | None], rest: object, *, fails: bool) -> None:
        self.after = after
        self.rest = rest
        self.fails = fails


class _Behaviour:
    """What a step does. ``read``: the global scalars it reads, with the values they may have, ``written``: those it
    only writes. ``tables``: for the values of its own variables, its outcome by those of what it reads, where it is
    enabled.
    """

    def __init__(self) -> None:
        self.read: list[tuple[int, IntType, list[int]]] = []
        self.written: list[tuple[int, IntType, list[int] | None]] = []
        self.tables: list[dict[Values, _Outcome]] = []
        self._effects: dict[object, set[tuple[_Effect | None, ...]]] = {}

    def domains(self) -> dict[int, list[int] | None]:
        """The global scalars that it touches, with the values they may have; None: any, but they are not read."""
        found: dict[int, list[int] | None] = {at: values for at, _, values in self.written}
        return found | {at: values for at, _, values in self.read}

    def ways(self, shared: Container[int]) -> int:
        """How many combinations there are of what it does not share."""
        return len(self.tables) * prod(len(values) for at, _, values in self.read if at not in shared)

    def effects(self, shared: list[int], places: dict[Values, int]) -> set[tuple[_Effect | None, ...]]:
        key = tuple(shared), tuple(places)
        if key not in self._effects:
            self._effects[key] = self._find_effects(shared, places)
        return self._effects[key]

    def _find_effects(self, shared: list[int], places: dict[Values, int]) -> set[tuple[_Effect | None, ...]]:
        """For each combination of what it does not share: its effect in every state of what it shares; None: disabled.

        Of combinations with the same effects one is kept.
        """
        alone = [(at, values) for at, _, values in self.read if at not in shared]
        # Where the values of what it reads come from: what is shared, or what is not.
        sources = [
            (True, shared.index(at)) if at in shared else (False, [other for other, _ in alone].index(at))
            for at, _, _ in self.read
        ]
        found: set[tuple[_Effect | None, ...]] = set()
        for table in self.tables:
            for own in product(*(values for _, values in alone)):
                numbers: dict[object, int] = {}
                effects: list[_Effect | None] = []
                for state in places:
                    values = tuple(state[place] if is_shared else own[place] for is_shared, place in sources)
                    outcome = table.get(values)
                    if outcome is None:
                        effects.append(None)
                        continue
                    rest = outcome.rest, tuple((at, v) for at, v in outcome.after.items() if at not in shared)
                    number = numbers.setdefault(rest, len(numbers))
                    after = tuple(outcome.after.get(at) for at in shared)
                    effects.append((after, ~number if outcome.fails else number))
                found.add(tuple(effects))
        return found


def _agree(one: tuple[_Effect | None, ...], other: tuple[_Effect | None, ...], places: dict[Values, int]) -> bool:
    """Wherever both are enabled: does each leave the other enabled, with the same effect, and is the end the same?"""
    for state, number in places.items():
        mine, theirs = one[number], other[number]
        if mine is None or theirs is None:
            continue
        ends: list[Values] = []
        for first, second, then in ((mine, theirs, other), (theirs, mine, one)):
            if first[1] < 0:  # it goes wrong, and nothing follows
                continue
            between = _after(state, first)
            place = places.get(between)
            effect = None if place is None else then[place]
            if effect is None or effect[1] != second[1]:
                return False
            ends.append(_after(between, effect))
        if len(ends) == 2 and mine[1] >= 0 and theirs[1] >= 0 and ends[0] != ends[1]:
            return False
    return True


def _after(state: Values, effect: _Effect) -> Values:
    return tuple(old if new is None else new for old, new in zip(state, effect[0], strict=True))


def _decisive(step: Step) -> tuple[Edge, ...]:
    """The edges that decide whether it is enabled: its own, and for ``else``, all others of the location."""
    edges = step.process.locations[step.location].edges
    return edges if isinstance(step.first, Else) else (step.edge,)


def _operations(step: Step) -> tuple[Operation, ...]:
    return tuple(action.operation for edge in _decisive(step) for action in edge.actions)


def _variables_read(step: Step) -> set[Variable]:
    return variables_read(_operations(step))


def _reads(step: Step) -> int:
    reads = step.footprint.reads
    for test in step.tests:
        reads |= test.disabling | test.enabling
    # A constant that is added has been found out to do no harm, but what comes of it depends on what was there.
    return reads | (step.footprint.writes & ~step.footprint.plain)


def _listed(values: frozenset[int] | None, type_: IntType) -> Sequence[int]:
    if values is not None:
        return sorted(values)
    least = -(1 << type_.bits - 1) if type_.signed else 0
    return range(least, least + (1 << type_.bits))


def changes_what_is_read(step: Step, present: dict[Expression, int], setting: Setting) -> bool:
    """Does a step write what some of these expressions read?"""
    found = Footprint()
    for expression in present:
        setting.read(expression, found)
    return found.wild or bool(found.reads & step.footprint.writes)


def _is_present(present: list[tuple[Evaluate, int]], state: bytearray, frames: Frames, pid: int) -> bool:
    frames.pid = pid
    try:
        return all(evaluate(state, frames.offsets[pid], frames) == value for evaluate, value in present)
    except StepFailed:
        return False
