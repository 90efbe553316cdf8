"""The dependencies of a process program, for the engines."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from contextlib import suppress
from functools import cached_property

from kripke.model.dependencies import DependencyAnalysis, DependencyTables
from kripke.model.model import Transition
from kripke.model.views import PairsOfViews
from kripke.process.dependence.anonymity import numbers_that_matter
from kripke.process.dependence.conditions import distant_conditions, leading
from kripke.process.dependence.footprint import NOT_YET, Footprint, Setting
from kripke.process.dependence.guards import conjuncts
from kripke.process.dependence.objects import Objects
from kripke.process.dependence.pairs import Pairs
from kripke.process.dependence.selectors import selectors_of
from kripke.process.dependence.stability import Stability, assigned_by, operations_of
from kripke.process.dependence.steps import Steps, decide_choice
from kripke.process.dependence.tables import Tables
from kripke.process.dependence.trials import Trials, Untried
from kripke.process.evaluation import Evaluate, Evaluator, Frames, StepFailed, channel_length
from kripke.process.expressions import Expression, IntType
from kripke.process.interpreter import Interpreter
from kripke.process.nodes import nodes_of
from kripke.process.program import (
    DeterministicStep,
    Edge,
    Else,
    Guard,
    NoChoice,
    Operation,
    ProcessType,
    Program,
    Receive,
    Run,
    Scope,
    Send,
    Variable,
)

#: a process that may be created: its type and, as far as they are known for good, the values of its parameters
_Key = tuple[ProcessType, tuple[int | None, ...]]


def obstacle(program: Program) -> str | None:
    """What keeps a program from being analysed."""
    if program.embedded is not None:
        return "nobody knows what embedded C reads and writes"
    if program.last is not None:
        return "the model looks at _last, which every step changes"
    if _offers_alone(program):
        return "a rendezvous of a D_proctype is not analysed yet"
    return None


def _offers_alone(program: Program) -> bool:
    """May a send be a rendezvous that must be the only choice? An offer that nobody takes can be an error then."""
    channels = (program.channels, *(process.channels for process in program.processes))
    if all(channel.capacity for declared in channels for channel in declared):
        return False
    edges = [edge for process in program.processes for location in process.locations for edge in location.edges]
    return any(
        isinstance(edge.actions[0].operation, Send) and any(isinstance(a.operation, NoChoice) for a in edge.actions)
        for edge in edges
        if edge.actions
    )


class ProcessDependencies(DependencyAnalysis):
    """``asked``: the expressions of the atoms that a property looks at."""

    has_locations = True

    def __init__(self, interpreter: Interpreter, asked: Iterable[Expression] = ()) -> None:
        self._interpreter = interpreter
        self.program = self._program = interpreter.program
        self._evaluator = interpreter.evaluator
        self._asked = tuple(asked)
        self._numbers = numbers_that_matter(self._program, self._asked)
        self._stability = Stability(self._program)
        self._globals = [v for v in self._program.variables if v in self._stability.deciding]
        self._locals = {
            id(process): [v for v in process.variables if v in self._stability.deciding]
            for process in self._program.processes
        }
        self._edges = {id(process): _edges(process) for process in self._program.processes}
        self._tests: dict[int, tuple[Evaluate, ...]] = {}
        self._distant_tests: dict[int, dict[int, list[tuple[int, Evaluate]]]] = {}
        self._built: dict[Hashable, Tables] = {}
        self._selectors: dict[tuple[int, int], list[tuple[Expression, int, Evaluate]]] = {}
        self._pairs: Pairs | None = None  # made with the first tables
        self._last: tuple[bytes, Frames, int] | None = None  # a state, its frames, what is enabled in it

    @cached_property
    def _trials(self) -> Trials:
        return Trials(self._interpreter)

    # --- configurations -----------------------------------------------------------------------------------------------

    def configuration(self, state: bytes) -> Hashable:
        frames = self._frames(state)
        ahead: frozenset[Variable] = frozenset()
        key: list[Hashable] = []
        for pid, offset in enumerate(frames.offsets):
            process, location = self._at(frames, pid)
            mine = self._stability.assigned_ahead(process, location)
            ahead |= mine
            values = tuple(
                None if v in mine else state[offset + v.offset : offset + v.offset + v.size]
                for v in self._locals[id(process)]
            )
            key.append((id(process), mine, values))
        key += [None if v in ahead else state[v.offset : v.offset + v.size] for v in self._globals]
        return tuple(key)

    def tables(self, state: bytes) -> DependencyTables:
        tables = self._built[self.configuration(state)] = self.thorough_tables(state)
        return tables.build(self.asked_footprint(tables))

    def thorough_tables(self, state: bytes) -> Tables:
        """With trials and pairs of views: all that can be found out beforehand."""
        if self._pairs is None:
            self._pairs = Pairs(self._interpreter)
        steps, objects = self._steps_of(state)
        return Tables(steps, objects, self._trials, self._pairs)

    def simple_tables(self, state: bytes) -> Tables:
        """By what steps read and write alone: nothing is tried, and no pairs are looked for. Fast, but coarse."""
        steps, objects = self._steps_of(state)
        return Tables(steps, objects, Untried(), None)

    def asked_footprint(self, tables: Tables) -> Footprint:
        """What the property looks at."""
        asked, anybody = Footprint(), Setting(self._program, self._evaluator, tables.objects)
        for atom in self._asked:
            anybody.read(atom, asked)
        return asked

    def _steps_of(self, state: bytes) -> tuple[Steps, Objects]:
        frames = self._frames(state)
        processes = [self._at(frames, pid)[0] for pid in range(len(frames.offsets))]
        channels = len(self._program.channels) + sum(len(process.channels) for process in processes)
        objects = Objects(self._program, channels, self._numbers)
        ahead = [self._stability.assigned_ahead(*self._at(frames, pid)) for pid in range(len(processes))]
        everyone = frozenset[Variable]().union(*ahead)
        newcomers = _Newcomers(self._program, self._evaluator, objects)
        settings = []
        for pid in range(len(processes)):

            def is_stable(variable: Variable, mine: frozenset[Variable] = ahead[pid]) -> bool:
                if variable not in self._stability.deciding:
                    return False
                return variable not in (mine if variable.scope is Scope.LOCAL else everyone)

            setting = Setting(self._program, self._evaluator, objects, pid, state, frames, is_stable)
            settings.append(setting)
        return Steps(settings, processes, newcomers), objects

    def pairs(self) -> PairsOfViews | None:
        return None if self._pairs is None else self._pairs.found

    # --- the steps at hand --------------------------------------------------------------------------------------------

    def selector(self, state: bytes, transition: int) -> int:
        selector = 0
        frames = self._frames(state)
        pid, process, _ = self._find(frames, transition)
        frames.pid = pid
        selectors = self._selectors_at(process, self._at(frames, pid)[1])
        if not selectors:
            return 0
        for _, count, evaluate in selectors:
            try:
                value = evaluate(state, frames.offsets[pid], frames)
            except StepFailed:
                return 0
            if not 0 <= value < count:
                return 0
            selector = selector * count + value
        return selector + 1

    def at_hand(self, state: bytes, transition: int) -> list[tuple[int, tuple[int, ...]]]:
        frames = self._frames(state)
        pid, process, _ = self._find(frames, transition)
        location = self._at(frames, pid)[1]
        frames.pid = pid
        tables = self._built[self.configuration(state)]
        present = {
            expression: evaluate(state, frames.offsets[pid], frames)
            for expression, _, evaluate in self._selectors_at(process, location)
        }
        return tables.at_hand(pid, location, lambda: tables.settings[pid].at_hand(state, frames, dict(present)))

    def _selectors_at(self, process: ProcessType, location: int) -> list[tuple[Expression, int, Evaluate]]:
        key = id(process), location
        if key not in self._selectors:
            selectors = selectors_of(process.locations[location])
            self._selectors[key] = [(s.expression, s.count, self._evaluator.compile(s.expression)) for s in selectors]
        return self._selectors[key]

    # --- states -------------------------------------------------------------------------------------------------------

    def steps(self, state: bytes) -> list[tuple[int, list[Transition]]]:
        frames = self._interpreter.frames(state)
        bases = self._bases(frames)
        found: list[tuple[int, list[Transition]]] = []
        enabled = 0
        for pid, edge, outcomes in self._interpreter.steps_by_edge(state, frames):
            process, location = self._at(frames, pid)
            number = bases[pid] + self._edges[id(process)][location] + edge
            enabled |= 1 << number
            found.append((number, outcomes))
        self._last = (state, frames, enabled)
        return found

    def lacking(self, state: bytes, transition: int) -> int:
        if self._last is None or self._last[0] != state:
            self.steps(state)
        assert self._last is not None
        _, frames, enabled = self._last
        pid, process, number = self._find(frames, transition)
        location, index = self._location_of(process, number)
        if self._at(frames, pid)[1] != location:
            return 1 | self._distant(state, frames, pid, process, number)
        # Where none of its own conditions is false, something else keeps it back (``Tables._held_back``).
        restricted = process.provided is not None or any(edge.escape for edge in process.locations[location].edges)
        return self._own_conditions(state, frames, pid, process, location, index, enabled) or (2 if restricted else 0)

    def _distant(self, state: bytes, frames: Frames, pid: int, process: ProcessType, number: int) -> int:
        """The conditions of an edge that are false wherever its process is."""
        tests = self._distant_tests.get(id(process))
        if tests is None:
            tests = self._distant_tests[id(process)] = {
                edge.number: [(1 << bit, self._evaluator.compile(part)) for bit, part in edge.conditions]
                for edge in distant_conditions(process, self._program, self._trials.values)
            }
        frames.pid = pid
        lacking = 0
        for bit, test in tests.get(number, ()):
            with suppress(StepFailed):
                lacking |= 0 if test(state, frames.offsets[pid], frames) else bit
        return lacking

    def _own_conditions(
        self, state: bytes, frames: Frames, pid: int, process: ProcessType, location: int, index: int, enabled: int
    ) -> int:
        """Those that are false of an edge at the present location of its process."""
        edge = process.locations[location].edges[index]
        first = leading(edge.actions[0].operation) if edge.actions else None
        frames.pid = pid
        match first:
            case Guard(condition):
                return self._false_parts(state, frames, pid, condition)
            case Receive():
                return self._no_message(state, frames, pid, first)
            case Else():
                here = self._bases(frames)[pid] + self._edges[id(process)][location]
                return sum(2 << before for before in range(index) if enabled >> (here + before) & 1)
            case _:
                return 2

    def _false_parts(self, state: bytes, frames: Frames, pid: int, condition: Expression) -> int:
        tests = self._tests.get(id(condition))
        if tests is None:
            tests = tuple(self._evaluator.compile(part) for part in conjuncts(condition))
            self._tests[id(condition)] = tests
        lacking = 0
        for bit, test in enumerate(tests):
            try:
                if not test(state, frames.offsets[pid], frames):
                    lacking |= 2 << bit
            except StepFailed:
                pass  # another part is false: this one is not looked at
        return lacking

    def _no_message(self, state: bytes, frames: Frames, pid: int, receive: Receive) -> int:
        try:
            at, channel = self._evaluator.find_channel(receive.channel)(state, frames.offsets[pid], frames)
        except StepFailed:
            return 0
        return 4 if channel.capacity and channel_length(state, at, channel) else 2

    # --- numbers ------------------------------------------------------------------------------------------------------

    def _frames(self, state: bytes) -> Frames:
        if self._last is not None and self._last[0] == state:
            return self._last[1]
        return self._interpreter.frames(state)

    def _at(self, frames: Frames, pid: int) -> tuple[ProcessType, int]:
        control = frames.controls[pid]
        process = self._interpreter.process_of_control(control)
        return process, control - process.control_base

    def _bases(self, frames: Frames) -> list[int]:
        """The number of the first transition of each process."""
        bases, next_ = [], 0
        for pid in range(len(frames.offsets)):
            bases.append(next_)
            next_ += self._edges[id(self._at(frames, pid)[0])][-1]
        return bases

    def _find(self, frames: Frames, transition: int) -> tuple[int, ProcessType, int]:
        bases = self._bases(frames)
        pid = len(bases) - 1
        while bases[pid] > transition:
            pid -= 1
        return pid, self._at(frames, pid)[0], transition - bases[pid]

    def _location_of(self, process: ProcessType, number: int) -> tuple[int, int]:
        from bisect import bisect_right

        starts = self._edges[id(process)]
        location = bisect_right(starts, number) - 1
        return location, number - starts[location]


class _Newcomers:
    """What a process that does not exist yet, and those it creates, may ever touch."""

    def __init__(self, program: Program, evaluator: Evaluator, objects: Objects) -> None:
        self._where = program, evaluator, objects
        self._known: dict[_Key, tuple[Footprint, set[_Key]]] = {}

    def __call__(self, run: Run, setting: Setting) -> Footprint:
        found = Footprint()
        waiting = [_key(run, setting)]
        for key in waiting:
            footprint, created = self._of(key)
            found.add(footprint)
            waiting += [other for other in created if other not in waiting]
        return found

    def _of(self, key: _Key) -> tuple[Footprint, set[_Key]]:
        """What a process does itself, and what it creates."""
        if key not in self._known:
            process, values = key
            created: set[_Key] = set()
            bound = {
                variable: value
                for variable, value in zip(process.parameters, values, strict=False)
                if value is not None
            }
            setting = Setting(*self._where, bound=bound)
            for node in nodes_of(operations_of(process)):
                if isinstance(node, Run):
                    created.add(_key(node, setting))
            found = Footprint()
            self._add(process, setting, found)
            found.write(setting.objects.control_of(process))
            self._known[key] = found, created
        return self._known[key]

    def _add(self, process: ProcessType, setting: Setting, found: Footprint) -> None:
        """Whether an operation blocks matters, too, inside atomic sequences and deterministic steps, and where another
        edge is taken only if it does."""
        every = [(number, edge) for number, location in enumerate(process.locations) for edge in location.edges]
        decisive = {edge.target for _, edge in every if edge.atomic}
        decisive |= {number for number, edge in every if edge.escape or _is_else(edge)}
        for number, edge in every:
            decide_choice(process, number, edge, setting, found)
            for position, action in enumerate(edge.actions):
                setting.perform(action.operation, found)
                if process.provided is not None:
                    setting.read(process.provided, found)
                if (position == 0 and number in decisive) or isinstance(action.operation, DeterministicStep):
                    setting.enabledness(action.operation, found)
                    self._readiness(action.operation, setting, found)

    def _readiness(self, operation: Operation, setting: Setting, found: Footprint) -> None:
        """Whether a send blocks that may be a rendezvous: it matters who is ready to receive."""
        sends = [node for node in nodes_of(operation) if isinstance(node, Send)]
        if not any(setting.ends(send.channel).may_meet for send in sends):
            return
        anybody = Setting(*self._where)
        for process in self._where[0].processes:
            receives = [node for node in nodes_of(operations_of(process)) if isinstance(node, Receive)]
            for receive in receives:
                anybody.enabledness(receive, found)
            if receives:
                found.reads |= anybody.objects.control_of(process)
                if process.provided is not None:
                    anybody.read(process.provided, found)


def _is_else(edge: Edge) -> bool:
    return bool(edge.actions) and isinstance(edge.actions[0].operation, Else)


def _key(run: Run, setting: Setting) -> _Key:
    """The process that a statement creates, with the values of the parameters that it will never assign."""
    assigned = assigned_by(run.process)
    scalars = run.process.parameter_scalars()
    if len(scalars) != len(run.process.parameters) or len(run.arguments) != len(scalars):
        return run.process, ()
    return run.process, tuple(
        None if parameter in assigned else _bound_to(parameter, component.type, setting.value(argument))
        for (parameter, component), argument in zip(scalars, run.arguments, strict=True)
    )


def _bound_to(parameter: Variable, type_: IntType, value: int | None) -> int | None:
    """What a parameter holds of a value that it is given."""
    if value == NOT_YET and parameter.is_channel:
        return value
    return None if value is None or value < 0 else type_.wrap(value)


def _edges(process: ProcessType) -> list[int]:
    """For each location the number of its first edge; last, the number of all."""
    starts = [0]
    for location in process.locations:
        starts.append(starts[-1] + len(location.edges))
    return starts
