"""The reference interpreter of process programs: initial states, successors, end states, in pure Python.

Every edge is compiled once to closures (``evaluation.py``, ``operations.py``). ``successors`` tries processes from the
youngest to the oldest and edges in order, and runs atomic sequences to their ends, depth first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

from kripke.model.model import Part, Transition, Violation
from kripke.process.evaluation import Evaluator, Frames, State, StepFailed
from kripke.process.operations import CompiledEdge, OperationCompiler, Witness
from kripke.process.program import (
    MAX_ATOMIC_LENGTH,
    MAX_PROCESSES,
    Channel,
    ProcessType,
    Program,
    ViolationKind,
)

if TYPE_CHECKING:
    from kripke.model.safe_places import SafePlaces


class MakeStep(Protocol):
    def __call__(
        self, parts: tuple[Part, ...], target: bytes | None, violations: tuple[Violation, ...] = ..., /
    ) -> Transition: ...


class Moment:
    """A point inside a step: the state so far, who has control, what was run and broken on the way there.

    ``state`` None: a violation ended the step. ``actor`` -1: the step is over, the state is a state of the model.
    ``before`` is the moment it came from in an atomic sequence, ``length`` the number of such moments. ``heads`` are
    the processes that ran an edge, each with the statement the edge starts with: two of them where they met.
    """

    __slots__ = ("actor", "before", "heads", "length", "parts", "state", "violations")

    def __init__(
        self,
        state: bytes | None,
        actor: int,
        parts: tuple[Part, ...],
        heads: tuple[tuple[int, int], ...],
        violations: tuple[Violation, ...] = (),
    ) -> None:
        self.state = state
        self.actor = actor
        self.parts = parts
        self.heads = heads
        self.violations = violations
        self.before: Moment | None = None
        self.length = 0

    def all_parts(self) -> tuple[Part, ...]:
        """Everything that was run since the step began."""
        if self.before is None:
            return self.parts
        pieces: list[tuple[Part, ...]] = []
        moment: Moment | None = self
        while moment is not None:
            pieces.append(moment.parts)
            moment = moment.before
        return tuple(part for piece in reversed(pieces) for part in piece)


class _SharedPaths:
    """The moments (state and who has control) that paths of one process have come to, and those of the current path."""

    __slots__ = ("current", "endless", "seen")

    def __init__(self) -> None:
        self.seen: set[tuple[bytes, int]] = set()
        self.current: set[tuple[bytes, int]] = set()
        self.endless = False


class Interpreter:
    """Executes a program whose layout is complete."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.evaluator = Evaluator(program)
        self._control_bytes = program.control_bytes
        self._last = program.last.offset if program.last is not None else -1
        self._noted_moves = program.record.moves() if program.record is not None else {}
        self._frame_bytes: list[int] = []
        self._process_of: list[ProcessType] = []
        self._ends: list[bool] = []
        compiler = OperationCompiler(program, self.evaluator, self.create_process)
        self._compiler = compiler
        self.executed = compiler.executed
        self._witness: Witness | None = None
        self._edges: list[tuple[CompiledEdge, ...]] = []
        for process in program.processes:
            for location in process.locations:
                self._frame_bytes.append(process.frame_bytes)
                self._process_of.append(process)
                self._ends.append(location.end)
                self._edges.append(tuple(compiler.edge(process, edge) for edge in location.edges))
        self._replies = [tuple(edge for edge in edges if edge.receive is not None) for edges in self._edges]
        self._has_timeout = compiler.uses_timeout
        self.evaluator.is_enabled = self._is_enabled
        self._provided = [
            self.evaluator.compile(process.provided) if process.provided is not None else None
            for process in program.processes
            for _ in process.locations
        ]
        self._restricted = program.priorities or any(process.provided is not None for process in program.processes)
        self._atoms = [self.evaluator.compile(atom) for atom in program.atoms.values()]
        self._made: MakeStep = Transition if program.record is None else self._recorded

    def watch_failures(self, witness: Witness | None) -> None:
        """Call ``witness`` wherever a violation happens, with the state of that very moment."""
        self._witness = self._compiler.witness = witness

    # --- states -------------------------------------------------------------------------------------------------------

    def frames(self, state: State, timeout: bool = False) -> Frames:
        """Where the processes of a state are."""
        offsets: list[int] = []
        controls: list[int] = []
        at, end, sizes = self.program.global_bytes, len(state), self._frame_bytes
        if self._control_bytes == 1:
            while at < end:
                control = state[at]
                offsets.append(at)
                controls.append(control)
                at += sizes[control]
        else:
            while at < end:
                control = int.from_bytes(state[at : at + self._control_bytes], "little")
                offsets.append(at)
                controls.append(control)
                at += sizes[control]
        return Frames(offsets, controls, timeout)

    def process_of_control(self, control: int) -> ProcessType:
        """The type of a process at this control point."""
        return self._process_of[control]

    def initial(self) -> list[Transition]:
        """The steps into the initial state: one, or a violation in the start values."""
        program = self.program
        state = bytearray(program.global_bytes)
        self._compiler.store_initials(state, 0, program.variables)
        frames = Frames([], [], False)
        statement = 0
        try:
            for action in program.setup:
                statement = action.statement
                self.executed.add(statement)
                self._compiler.perform(action.operation, state, 0, frames)
            for initial in program.initial:
                statement = initial.process.setup[0].statement if initial.process.setup else 0
                self.create_process(state, frames, initial.process, initial.arguments)
        except StepFailed as failure:
            return [Transition((), None, (Violation(int(failure.kind), statement),))]
        return [Transition((), bytes(state))]

    def create_process(self, state: bytearray, frames: Frames, process: ProcessType, arguments: tuple[int, ...]) -> int:
        """Append a new process to the state; its pid."""
        pid = len(frames.offsets)
        if pid >= MAX_PROCESSES:
            raise StepFailed(ViolationKind.PROCESSES)
        base = len(state)
        control = process.control(process.entry)
        state.extend(control.to_bytes(self._control_bytes, "little"))
        state.extend(bytes(process.frame_bytes - self._control_bytes))
        frames.offsets.append(base)
        frames.controls.append(control)
        self._compiler.store_initials(state, base, process.variables[len(process.parameters) :])
        self._compiler.store_arguments(state, base, process, arguments)
        creator, frames.pid = frames.pid, pid
        for action in process.setup:
            self.executed.add(action.statement)
            self._compiler.perform(action.operation, state, base, frames)
        frames.pid = creator
        return pid

    def valid_end(self, state: bytes) -> bool:
        """Is every process at a place where it may rest?"""
        ends, watch, controls = self._ends, self.evaluator.watch, self.frames(state).controls
        if watch is not None and controls and not watch.may_rest(state):
            return False
        return all(ends[control] for control in controls)

    def failed_atoms(self, state: bytes) -> int:
        """A bit for each atom that cannot be evaluated."""
        frames = self.frames(state)
        frames.pid = -1
        failed = 0
        for number, atom in enumerate(self._atoms):
            try:
                atom(state, 0, frames)
            except StepFailed:
                failed |= 1 << number
        return failed

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        """The truth of the program's atoms; an evaluation that fails counts as false."""
        if not self._atoms:
            return ()
        frames = self.frames(state)
        frames.pid = -1
        values = []
        for atom in self._atoms:
            try:
                values.append(bool(atom(state, 0, frames)))
            except StepFailed:
                values.append(False)
        return tuple(values)

    # --- steps --------------------------------------------------------------------------------------------------------

    def successors(self, state: bytes) -> list[Transition]:
        """Every step from a state, in order."""
        return list(self.each_successor(state))

    def each_successor(self, state: bytes) -> Iterator[Transition]:
        """The same, each step made when it is asked for."""
        moved = False
        for step in self._steps(state, timeout=False):
            moved = True
            yield step
        if not moved and self._has_timeout:
            yield from self._steps(state, timeout=True)

    def distinct_successors(self, state: bytes, pause: Callable[[], None]) -> Iterator[Transition]:
        """Steps of every process to every target and violation there is; ``pause`` is called all the time.

        A moment that two paths through an atomic sequence share is gone on from once.
        """
        for timeout in (False, True) if self._has_timeout else (False,):
            frames = self.frames(state, timeout)
            moved = False
            endless = False
            for pid in range(len(frames.offsets) - 1, -1, -1):
                paths = _SharedPaths()
                for moment in self._moves(state, frames, pid):
                    moved = True
                    if moment.actor < 0:
                        yield self._made(moment.parts, moment.state, moment.violations)
                    else:
                        yield from self._run_shared(moment, paths, pause)
                endless = endless or paths.endless
            if endless:
                # Where a path comes back to itself, which statement is one too many is known by counting only.
                for step in self._steps(state, timeout):
                    pause()
                    yield step
            if moved:
                return

    def _recorded(
        self, parts: tuple[Part, ...], state: bytes | None, violations: tuple[Violation, ...] = ()
    ) -> Transition:
        """A step with what was recorded on the way, which is no part of the state any more."""
        assert self.program.record is not None
        if state is None:
            return Transition(parts, None, violations)
        target, happened = self.program.record.taken_out(state)
        return Transition(parts, target, violations, happened)

    def moments(self, state: bytes, actor: int = -1) -> list[Moment]:
        """What single edges do from a state, atomic sequences not continued.

        ``actor``: the process that has control, if the state is inside an atomic sequence; only that one moves.
        """
        if actor >= 0:
            return self._without_record(self._moves(state, self.frames(state), actor))
        for timeout in (False, True) if self._has_timeout else (False,):
            frames = self.frames(state, timeout)
            pids = range(len(frames.offsets) - 1, -1, -1)
            found = [moment for pid in pids for moment in self._moves(state, frames, pid)]
            if found:
                return self._without_record(found)
        return []

    def _without_record(self, moments: list[Moment]) -> list[Moment]:
        """What a step has recorded ends with the step."""
        if self.program.record is not None:
            for moment in moments:
                if moment.actor < 0 and moment.state is not None:
                    moment.state, _ = self.program.record.taken_out(moment.state)
        return moments

    def _steps(self, state: bytes, timeout: bool) -> Iterator[Transition]:
        frames = self.frames(state, timeout)
        for pid in range(len(frames.offsets) - 1, -1, -1):
            for moment in self._moves(state, frames, pid):
                if moment.actor < 0:
                    yield self._made(moment.parts, moment.state, moment.violations)
                else:
                    yield from self._run_atomic(moment)

    def _run_atomic(self, first: Moment) -> Iterator[Transition]:
        """Continue an atomic sequence along every path until control is free again."""
        stack = [first]
        while stack:
            steps, following = self._go_on(stack.pop())
            yield from steps
            stack += following

    def _run_shared(self, first: Moment, paths: _SharedPaths, pause: Callable[[], None]) -> Iterator[Transition]:
        """The same, but from every moment once."""
        stack: list[Moment | tuple[bytes, int]] = [first]
        while stack:
            pause()
            moment = stack.pop()
            if isinstance(moment, tuple):
                paths.current.discard(moment)
                continue
            if moment.actor >= 0 and moment.state is not None:
                key = moment.state, moment.actor
                if key in paths.seen:
                    paths.endless = paths.endless or key in paths.current
                    if moment.violations:
                        yield Transition(moment.all_parts(), None, moment.violations)
                    continue
                paths.seen.add(key)
                paths.current.add(key)
                stack.append(key)
            steps, following = self._go_on(moment)
            yield from steps
            stack += following

    def _go_on(self, moment: Moment) -> tuple[list[Transition], list[Moment]]:
        """The steps that end at a moment, and the moments behind it, the first one last."""
        if moment.actor < 0 or moment.state is None:
            return [self._made(moment.all_parts(), moment.state, moment.violations)], []
        steps: list[Transition] = []
        if moment.violations:
            # The path goes on, perhaps to several ends: what it broke so far is said once.
            steps.append(Transition(moment.all_parts(), None, moment.violations))
        if moment.length >= MAX_ATOMIC_LENGTH:
            endless = Violation(int(ViolationKind.ENDLESS), moment.parts[-1].statement)
            steps.append(Transition(moment.all_parts(), None, (endless,)))
            return steps, []
        following = self._moves(moment.state, self.frames(moment.state), moment.actor)
        if not following:
            steps.append(self._made(moment.all_parts(), moment.state))
        for next_moment in following:
            next_moment.before, next_moment.length = moment, moment.length + 1
        following.reverse()
        return steps, following

    def steps_by_edge(self, state: bytes, frames: Frames) -> Iterator[tuple[int, int, list[Transition]]]:
        """The steps of ``successors`` with the process and the edge of its location that begins each, in order.

        Timeouts do not count: nothing where only they are possible.
        """
        for pid in range(len(frames.offsets) - 1, -1, -1):
            for number, found in self.steps_of(state, frames, pid):
                yield pid, number, found

    def steps_at_safe_place(self, safe: SafePlaces, state: bytes) -> list[Transition] | None:
        """The steps of the youngest process at a safe place that has one that leads to a state; None: nobody has."""
        frames = self.frames(state)
        failed: dict[int, list[Transition]] = {}
        for pid in range(len(frames.offsets) - 1, -1, -1):
            if not safe.holds(pid, frames.controls[pid], state):
                continue
            steps = [step for _, found in self.steps_of(state, frames, pid) for step in found]
            if any(step.target is not None for step in steps):
                return [step for broken in failed.values() for step in broken] + steps
            if steps:
                failed[pid] = steps
        return None

    def steps_of(self, state: bytes, frames: Frames, pid: int) -> Iterator[tuple[int, list[Transition]]]:
        """Those of one process, with the edge of its location that begins each."""
        moved, escaped = False, 0
        for number, edge in enumerate(self._edges[frames.controls[pid]]):
            if escaped and edge.escape != escaped:
                break
            if edge.is_else and moved:
                continue
            moments = self._moves(state, frames, pid, (edge,), moved=moved)
            found = [step for moment in moments for step in self._run_atomic(moment)]
            if found:
                moved, escaped = True, edge.escape
                yield number, found

    def try_edge(self, state: bytes, frames: Frames, pid: int, number: int) -> Moment | None:
        """What one edge of a process at its location does, without a rendezvous and escapes; None: it is disabled."""
        edges = self._edges[frames.controls[pid]]
        edge = edges[number]
        if edge.is_else and any(self._moves(state, frames, pid, (other,)) for other in edges[:number]):
            return None
        moments = self._moves(state, frames, pid, (edge,))
        return moments[0] if moments else None

    def _moves(
        self,
        state: bytes,
        frames: Frames,
        pid: int,
        edges: tuple[CompiledEdge, ...] | None = None,
        *,
        moved: bool = False,
    ) -> list[Moment]:
        """What the edges of one process do, each run up to its target. ``moved``: one before them was enabled."""
        moments: list[Moment] = []
        escaped = 0
        base = frames.offsets[pid]
        if self._restricted and not self._may_move(state, frames, pid):
            return moments
        for edge in self._edges[frames.controls[pid]] if edges is None else edges:
            frames.pid = pid
            if escaped and edge.escape != escaped:
                break
            if edge.is_else:
                if moved:
                    continue
            elif edge.enabled is not None:
                try:
                    if not edge.enabled(state, base, frames):
                        continue
                except StepFailed as failure:
                    moved, escaped = True, edge.escape
                    moments.append(self._failed(failure, edge, pid, state, frames))
                    continue
            if edge.may_meet is not None:
                try:
                    meets = edge.may_meet(state, base, frames)
                except StepFailed as failure:
                    moved, escaped = True, edge.escape
                    moments.append(self._failed(failure, edge, pid, state, frames))
                    continue
                if meets:
                    frames.moved = moved
                    if self._meet(state, frames, edge, pid, moments):
                        moved, escaped = True, edge.escape
                    continue
            frames.moved = moved
            moved, escaped = True, edge.escape
            moments.append(self._execute(bytearray(state), frames, edge, pid))
        return moments

    def _may_move(self, state: bytes, frames: Frames, pid: int) -> bool:
        """Do its ``provided`` condition and the priorities of the others let a process move?"""
        if not self._is_provided(state, frames, pid):
            return False
        if not self.program.priorities:
            return True
        place = self._control_bytes
        own = state[frames.offsets[pid] + place]
        for other, base in enumerate(frames.offsets):
            above = state[base + place] > own and self._is_provided(state, frames, other)
            if above and self._is_enabled(state, frames, other):
                return False
        return True

    def _is_provided(self, state: bytes, frames: Frames, pid: int) -> bool:
        condition = self._provided[frames.controls[pid]]
        if condition is None:
            return True
        frames.pid = pid
        try:
            return bool(condition(state, frames.offsets[pid], frames))
        except StepFailed:
            return False

    def _is_enabled(self, state: State, frames: Frames, pid: int) -> bool:
        """Has a process an enabled edge? A rendezvous needs another process and does not count."""
        outer, frames.pid = frames.pid, pid
        frames.asked = (*frames.asked, pid)
        found = any(self._edge_enabled(state, frames, edge, pid) for edge in self._edges[frames.controls[pid]])
        frames.pid, frames.asked = outer, frames.asked[:-1]
        return found

    @staticmethod
    def _edge_enabled(state: State, frames: Frames, edge: CompiledEdge, pid: int) -> bool:
        base = frames.offsets[pid]
        frames.pid = pid
        try:
            if edge.enabled is not None and not edge.enabled(state, base, frames):
                return False
            return edge.may_meet is None or not edge.may_meet(state, base, frames)
        except StepFailed:
            return True

    def _failed(
        self,
        failure: StepFailed,
        edge: CompiledEdge,
        pid: int,
        state: State,
        frames: Frames,
        before: tuple[Part, ...] = (),
    ) -> Moment:
        statement = edge.statement
        self._tell(failure, state, frames.offsets[pid], frames, statement)
        parts = (*before, Part(pid, statement))
        heads = tuple((part.actor, part.statement) for part in parts)
        return Moment(None, -1, parts, heads, (Violation(int(failure.kind), statement),))

    def _tell(self, failure: StepFailed, state: State, base: int, frames: Frames, statement: int) -> None:
        if self._witness is not None:
            self._witness(state, base, frames, failure.kind, statement)

    def _execute(self, state: bytearray, frames: Frames, edge: CompiledEdge, pid: int) -> Moment:
        """Run an enabled edge on a copy of the state."""
        base = frames.offsets[pid]
        created = len(frames.offsets)
        violations: tuple[Violation, ...] = ()
        heads = ((pid, edge.statement),)
        if edge.plain:
            parts = edge.plain_parts(pid)
            for write in edge.writes:
                try:
                    write(state, base, frames)
                except StepFailed as failure:
                    return self._failed(failure, edge, pid, state, frames)
        else:
            record: list[Part] = []
            broken: list[Violation] = []
            statement = edge.statement
            try:
                for action, perform in edge.performs:
                    statement = action.statement
                    perform(state, base, frames, record, broken, statement)
            except StepFailed as failure:
                self._tell(failure, state, base, frames, statement)
                self._forget_created(frames, created)
                broken.append(Violation(int(failure.kind), statement))
                if not record or record[-1][:2] != (pid, statement):
                    record.append(Part(pid, statement))
                return Moment(None, -1, tuple(record), heads, tuple(broken))
            self._forget_created(frames, created)
            parts, violations = tuple(record), tuple(broken)
        self._note_move(state, pid)
        if edge.terminates:
            del state[base:]
        elif self._control_bytes == 1:
            state[base] = edge.target
        else:
            state[base : base + self._control_bytes] = edge.target.to_bytes(self._control_bytes, "little")
        return Moment(bytes(state), pid if edge.atomic else -1, parts, heads, violations)

    def _note_move(self, state: bytearray, pid: int) -> None:
        """Leave in the state who has moved, where somebody asks."""
        if self._last >= 0:
            state[self._last] = pid
        if self._noted_moves:
            for at, bit in self._noted_moves.get(pid, ()):
                state[at] |= bit

    @staticmethod
    def _forget_created(frames: Frames, created: int) -> None:
        del frames.offsets[created:]
        del frames.controls[created:]

    # --- rendezvous ---------------------------------------------------------------------------------------------------

    def _meet(
        self,
        state: bytes,
        frames: Frames,
        edge: CompiledEdge,
        pid: int,
        moments: list[Moment],
    ) -> bool:
        """A rendezvous send, with every process that can receive. Was there one?"""
        send = edge.send
        assert send is not None
        try:
            where, channel, message = send.offer(state, frames.offsets[pid], frames)
        except StepFailed as failure:
            moments.append(self._failed(failure, edge, pid, state, frames))
            return True
        broken: list[Violation] = []
        for action, perform in edge.performs[1:]:  # no other choice than this offer
            perform(bytearray(state), frames.offsets[pid], frames, [], broken, action.statement)
        if broken:
            offered = Part(pid, edge.statement, tuple(message))
            moments.append(Moment(None, -1, (offered,), ((pid, edge.statement),), tuple(broken)))
        known = len(moments)
        sent = bytearray(state)
        base = frames.offsets[pid]
        sent[base : base + self._control_bytes] = edge.target.to_bytes(self._control_bytes, "little")
        self._note_move(sent, pid)
        sent_parts = (Part(pid, edge.statement, tuple(message)),)
        sent_state = bytes(sent)
        after = Frames(frames.offsets[:], frames.controls[:], frames.timeout)
        after.controls[pid] = edge.target
        for other in range(len(frames.offsets) - 1, -1, -1):
            replies = self._replies[frames.controls[other]]
            if not replies or other == pid or (self._restricted and not self._is_provided(sent_state, after, other)):
                continue
            escaped = 0
            after.moved = False
            for reply in replies:
                assert reply.receive is not None
                if escaped and reply.escape != escaped:
                    break
                after.pid = other
                try:
                    if not reply.receive.accepts(sent_state, after.offsets[other], after, where, channel, message):
                        continue
                except StepFailed as failure:
                    moments.append(self._failed(failure, reply, other, sent_state, after, sent_parts))
                    after.moved, escaped = True, reply.escape
                    continue
                moments.append(self._receive(sent_state, after, reply, other, channel, message, sent_parts))
                after.moved, escaped = True, reply.escape
        return len(moments) > known

    def _receive(
        self,
        state: bytes,
        frames: Frames,
        edge: CompiledEdge,
        pid: int,
        channel: Channel,
        message: list[int],
        before: tuple[Part, ...],
    ) -> Moment:
        """The receiver's edge of a rendezvous whose message matches."""
        assert edge.receive is not None
        new = bytearray(state)
        base = frames.offsets[pid]
        record = [*before, Part(pid, edge.statement, tuple(message))]
        heads = ((before[0].actor, before[0].statement), (pid, edge.statement))
        broken: list[Violation] = []
        statement = edge.statement
        created = len(frames.offsets)
        try:
            edge.receive.meet(new, channel, message, broken, statement)
            edge.receive.take(new, base, frames, message)
            for action, perform in edge.performs[1:]:
                statement = action.statement
                perform(new, base, frames, record, broken, statement)
        except StepFailed as failure:
            self._tell(failure, new, base, frames, statement)
            broken.append(Violation(int(failure.kind), statement))
            return Moment(None, -1, tuple(record), heads, tuple(broken))
        finally:
            self._forget_created(frames, created)
        self._note_move(new, pid)
        new[base : base + self._control_bytes] = edge.target.to_bytes(self._control_bytes, "little")
        return Moment(bytes(new), pid if edge.atomic else -1, tuple(record), heads, tuple(broken))
