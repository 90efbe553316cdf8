"""Which places of processes are safe: their steps alone are enough of a state (``model/safe_places.py``).

A location is safe if nothing outside of it conflicts with its edges, nothing visible is among them, and nobody else can
enable one that is disabled. Where somebody could (a receive from an empty channel, a send to a full one) it is
safe in states where that edge is not waiting; if it is the only edge, in those where it has a step. This is what
SPIN calls safe statements (G. J. Holzmann, D. Peled, *An improvement in formal verification*, FORTE 1994), found out
without declarations: who uses which channel is read off the state in which the last process was created.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kripke.model.dependencies import DependencyTables
from kripke.model.safe_places import MOST_ACTORS, MOST_KINDS, LengthTest, SafePlaces
from kripke.process.dependence.analysis import ProcessDependencies
from kripke.process.dependence.fair_places import obstacle_to_fairness, order_decides_who_can_move
from kripke.process.dependence.safe_cycles import Cycles, Tests
from kripke.process.dependence.stability import operations_of
from kripke.process.dependence.steps import Point, Step
from kripke.process.dependence.tables import Tables
from kripke.process.expressions import Expression
from kripke.process.interpreter import Interpreter
from kripke.process.nodes import nodes_of
from kripke.process.program import Guard, Program, Receive, Run, Send

#: steps that are followed from the initial state to where all processes are there
_MOST_STEPS = 2_000


def find_safe_places(
    interpreter: Interpreter, asked: Iterable[Expression] = (), *, thorough: bool = False, fair: bool = False
) -> SafePlaces | str:
    """The safe places of a program whose property looks at the expressions ``asked``; a sentence where there are
    none. ``thorough``: with all that trials and pairs of views tell, which takes longer and finds more. ``fair``: under
    weak fairness to processes (``fair_places.py``), by what steps read and write alone."""
    program = interpreter.program
    if program.priorities:
        return "with priorities every step depends on every other"
    unfair = obstacle_to_fairness(program) if fair else ""
    if unfair:
        return unfair
    settled = _settled(interpreter)
    if isinstance(settled, str):
        return settled
    analysis = ProcessDependencies(interpreter, asked)
    if len({analysis.configuration(state) for state in settled}) > 1:
        return "which processes there are, or what they use, is not the same in every run"
    state = settled[0]
    ahead = set[Point]().union(*(_ahead(interpreter, one) for one in settled))
    tables = analysis.simple_tables(state)
    safe = _found_in(analysis, tables, ahead, fair=fair)
    if thorough and not fair:
        tables = analysis.thorough_tables(state)
        safe = _found_in(analysis, tables, ahead, safe)
    if not safe:
        return "no process has steps that concern nobody else"
    return _packed(program, tables, safe)


def _found_in(
    analysis: ProcessDependencies,
    tables: Tables,
    ahead: set[Point],
    known: Mapping[Point, Tests] | None = None,
    *,
    fair: bool = False,
) -> dict[Point, Tests]:
    """The safe places that tables tell, beside those that are ``known``."""
    built = tables.build(analysis.asked_footprint(tables))
    places = _Places(analysis.program, tables, built, ahead)
    known = known or {}
    candidates = {**places.candidates(), **known}
    if fair:
        changing = order_decides_who_can_move(tables, built, places.numbers)
        candidates = {
            point: tests
            for point, tests in candidates.items()
            if not any(changing >> number & 1 for number in places.numbers[point])
        }
    return Cycles(tables, places.numbers).broken(candidates, known.keys())


def _settled(interpreter: Interpreter) -> list[bytes] | str:
    """The first states in which nobody will create a process any more, on every way there. A sentence where more than
    one process can move before, where the ways there are many, or where none of them leads there."""
    creating = _creating(interpreter.program)
    seen = {step.target for step in interpreter.initial() if step.target is not None}
    waiting, found, steps_left = list(seen), list[bytes](), _MOST_STEPS
    while waiting:
        state = waiting.pop()
        if not any(control in creating for control in interpreter.frames(state).controls):
            found.append(state)
            continue
        steps = interpreter.successors(state)
        steps_left -= len(steps)
        if len({step.parts[0].actor for step in steps if step.parts}) > 1:
            return "processes are created while others run"
        if steps_left <= 0:
            return f"more than {_MOST_STEPS:,} steps are possible before all processes are created"
        fresh = {step.target for step in steps if step.target is not None} - seen
        seen |= fresh
        waiting += fresh
    return found or "no run creates all processes"


def _creating(program: Program) -> set[int]:
    """Control points from which a process may come to create another."""
    found: set[int] = set()
    for process in program.processes:
        if not any(isinstance(node, Run) for node in nodes_of(operations_of(process))):
            continue
        ahead = {
            number
            for number, location in enumerate(process.locations)
            if any(isinstance(node, Run) for edge in location.edges for node in nodes_of(edge.actions))
        }
        changed = True
        while changed:
            before = len(ahead)
            ahead |= {
                number
                for number, location in enumerate(process.locations)
                if any(edge.target in ahead and not edge.terminates for edge in location.edges)
            }
            changed = len(ahead) > before
        found |= {process.control(number) for number in ahead}
    return found


def _ahead(interpreter: Interpreter, state: bytes) -> set[Point]:
    """Where processes may come from where they are."""
    found: set[Point] = set()
    for pid, control in enumerate(interpreter.frames(state).controls):
        process = interpreter.process_of_control(control)
        waiting = [control - process.control_base]
        while waiting:
            location = waiting.pop()
            if (pid, location) not in found:
                found.add((pid, location))
                waiting += [edge.target for edge in process.locations[location].edges if not edge.terminates]
    return found


class _Places:
    def __init__(self, program: Program, tables: Tables, built: DependencyTables, ahead: set[Point]) -> None:
        self._program = program
        self._tables = tables
        self._built = built
        self.numbers: dict[Point, list[int]] = {}
        for number, step in enumerate(tables.steps):
            if (step.pid, step.location) in ahead:
                self.numbers.setdefault((step.pid, step.location), []).append(number)
        #: by process, and what may still happen
        self._own: dict[int, int] = {}
        for (pid, _), numbers in self.numbers.items():
            self._own[pid] = self._own.get(pid, 0) | sum(1 << number for number in numbers)
        self._ahead = sum(self._own.values())

    def candidates(self) -> dict[Point, Tests]:
        """The locations that nobody disturbs, each with what must be tested there."""
        found: dict[Point, Tests] = {}
        for point, numbers in self.numbers.items():
            tests = self._tests_at(point, numbers) if point[0] < MOST_ACTORS else None
            if tests is not None:
                found[point] = tests
        return found

    def _tests_at(self, point: Point, numbers: list[int]) -> Tests | None:
        """None where the location is not safe."""
        here = sum(1 << number for number in numbers)
        steps = [self._tables.steps[number] for number in numbers]
        process = steps[0].process
        # Whatever the others do, the process stays here: its steps at other locations do not come in between.
        others = self._ahead & ~self._own[point[0]]
        if here & self._built.visible or process.provided is not None:
            return None
        if any(not step.fires or step.edge.escape for step in steps):
            return None
        if any(self._built.conflicts[number] & others for number in numbers):
            return None
        if len(numbers) == 1:
            return ()
        tests: list[LengthTest] = []
        for number, step in zip(numbers, steps, strict=True):
            for condition, enabling in enumerate(self._built.enabling[number]):
                if condition and enabling & others:
                    test = self._test(step, condition)
                    if test is None:
                        return None
                    tests.append(test)
        return tuple(dict.fromkeys(tests))

    def _test(self, step: Step, condition: int) -> LengthTest | None:
        """For a condition that others can make true: a test that it is true. None where there is none."""
        match step.first:
            case Receive(channel) if condition == 1:
                return self._length(step.setting.ends(channel).identity, 1, None)
            case Send(channel):
                return self._length(step.setting.ends(channel).identity, 0, -1)
            case Guard():
                filling = step.tests[condition - 1].filling
                return None if filling is None else self._length(filling.identity, filling.least, filling.largest)
            case _:
                return None

    def _length(self, identity: int | None, least: int, most: int | None) -> LengthTest | None:
        """Of a global buffer; ``most`` None: any number, -1: one less than there is room for."""
        if identity is None or not 0 < identity <= len(self._program.channels):
            return None
        channel = self._program.channels[identity - 1]
        if not channel.capacity:
            return None
        largest = channel.capacity if most is None else channel.capacity - 1 if most < 0 else most
        return LengthTest(channel.offset, channel.length_bytes, least, min(largest, channel.capacity))


def _packed(program: Program, tables: Tables, safe: dict[Point, Tests]) -> SafePlaces:
    """Places are control points."""
    places = sum(len(process.locations) for process in program.processes)
    actors = max(pid for pid, _ in safe) + 1
    kinds = bytearray(actors * places)
    numbers: dict[Tests, int] = {}
    for (pid, location), tests in sorted(safe.items()):
        if tests not in numbers and len(numbers) == MOST_KINDS:
            continue
        number = numbers.setdefault(tests, len(numbers))
        kinds[pid * places + tables.processes[pid].control(location)] = number + 1
    return SafePlaces(actors, places, bytes(kinds), tuple(numbers))
