"""From edges to guarded commands: which process moves when, rendezvous, atomic sequences, timeouts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kripke.process.encode.expressions import ChannelPlace, Expressions
from kripke.process.encode.operations import Operations
from kripke.process.encode.path import Path
from kripke.process.encode.slots import Slot, Slots, is_widest
from kripke.process.expressions import Constant, Place, Timeout
from kripke.process.nodes import nodes_of
from kripke.process.program import (
    Assign,
    Choose,
    DeterministicStep,
    Edge,
    Else,
    Guard,
    Location,
    NoChoice,
    ProcessType,
    Program,
    Receive,
    Send,
    Terminate,
    ViolationKind,
)
from kripke.terms.build import (
    FALSE,
    TRUE,
    all_of,
    any_of,
    conjoin,
    constant,
    disjoin,
    equal,
    less,
    negate,
    variable,
)
from kripke.terms.moves import Moves
from kripke.terms.refusal import Unencodable
from kripke.terms.sort import integers
from kripke.terms.system import Command, TransitionSystem
from kripke.terms.term import Symbol, Term


def encoded(program: Program, slots: Slots, initial: Term) -> TransitionSystem:
    """Unencodable where something cannot be said in terms."""
    if program.embedded is not None:
        raise Unencodable("C code")
    if program.watches_events:
        raise Unencodable("assertions about sequences of messages (trace, notrace) and formulas about steps")
    return _Steps(program, slots).system(initial)


class _Steps:
    def __init__(self, program: Program, slots: Slots) -> None:
        self.program = program
        self.slots = slots
        self.lower = Expressions(program, slots)
        self.lower.is_enabled = self._is_enabled
        self.operations = Operations(self.lower)
        self._restricted = program.priorities or any(process.provided is not None for process in program.processes)
        self._owned = {id(process): slots.owned_points(process) for process in program.processes}

    def system(self, initial: Term) -> TransitionSystem:
        whole = Moves()
        moved = FALSE
        for slot in reversed(self.slots.slots):
            moves = self._of_slot(slot, FALSE)
            whole.add(moves)
            moved = disjoin(moved, moves.moved)
        if _mentions_timeout(self.program):
            moved = self._with_timeouts(whole, moved)
        free = TRUE if self.slots.owner is None else equal(variable(self.slots.owner), constant(0))
        state = Path(-1, -1)
        ends = [
            self.lower.locations(state, slot.number, lambda process, at: not process.locations[at].end)
            for slot in self.slots.slots
        ]
        truths, failures = self._atoms()
        return TransitionSystem(
            variables=self.slots.variables,
            initial=initial,
            commands=whole.commands,
            atoms=truths,
            failed_atoms=failures,
            resting=conjoin(free, negate(moved)),
            valid_end=negate(any_of(ends)),
            stable=free,
            breaches=whole.breaches,
            limits=whole.limits,
        )

    def _with_timeouts(self, whole: Moves, moved: Term) -> Term:
        """Where nobody can move, timeouts are true."""
        known = {command.guard for command in whole.commands}
        broken = {breach.condition for breach in whole.breaches}
        late = Moves()
        for slot in reversed(self.slots.slots):
            late.add(self._of_slot(slot, TRUE, releases=False))
        free = TRUE if self.slots.owner is None else equal(variable(self.slots.owner), constant(0))
        late.commands = [command for command in late.commands if command.guard not in known]
        late.breaches = [breach for breach in late.breaches if breach.condition not in broken]
        whole.add(late.within(conjoin(free, negate(moved))))
        return disjoin(moved, late.moved)

    def _atoms(self) -> tuple[list[Term], list[Term]]:
        truths: list[Term] = []
        failures: list[Term] = []
        for atom in self.program.atoms.values():
            path = Path(-1, -1)
            truth = self.lower.truth(path, atom)
            truths.append(conjoin(truth, path.when))
            failures.append(path.failed)
        return truths, failures

    # --- processes ----------------------------------------------------------------------------------------------------

    def _of_slot(self, slot: Slot, timeout: Term, *, releases: bool = True) -> Moves:
        found = Moves()
        owner = self.slots.owner
        for place, (process, at) in enumerate(slot.points):
            location = process.locations[at]
            here = equal(variable(slot.control), constant(place))
            path = Path(slot.number, slot.number, timeout)
            path.write(slot.control, constant(place))
            moves = self._at(path, slot, process, location)
            if owner is not None:
                nobody = equal(variable(owner), constant(0))
                mine = equal(variable(owner), constant(slot.number + 1))
                if releases and at in self._owned[id(process)]:
                    # Where an atomic sequence cannot go on, control is free again.
                    release = Command(conjoin(mine, negate(moves.moved)), {owner: constant(0)}, slot.number)
                    moves = moves.within(disjoin(nobody, mine))
                    moves.commands.append(release)
                else:
                    moves = moves.within(nobody)
            found.add(moves.within(here))
        return found

    def _at(self, path: Path, slot: Slot, process: ProcessType, location: Location) -> Moves:
        """What a process can do at a location."""
        found = Moves()
        may = self._may_move(path, slot.number) if self._restricted else TRUE
        begun = self._begun(location) if self.slots.unbounded else None
        if begun is not None:
            return self._beginning(path, slot, process, location.edges, begun).within(may)
        if may is FALSE:
            return found
        moved, broken = FALSE, FALSE
        escaped: dict[int, Term] = {}
        for edge in location.edges:
            broken = disjoin(broken, *(is_it for number, is_it in escaped.items() if number != edge.escape))
            path.moved = moved
            one = self._edge(path.fork(negate(broken)), slot, process, edge, moved)
            found.add(one)
            moved = disjoin(moved, one.moved)
            for number in escaped:
                escaped[number] = conjoin(escaped[number], negate(one.moved))
            if edge.escape:
                escaped[edge.escape] = disjoin(escaped.get(edge.escape, FALSE), one.moved)
        found.moved = moved
        return found.within(may)

    def _begun(self, location: Location) -> Place | None:
        """The place, where a write of a nonatomic variable without bounds begins: with any value."""
        found = [_written_constant(edge) for edge in location.edges]
        places = {None if written is None else written[0] for written in found}
        if len(location.edges) < 2 or len(places) != 1:
            return None
        place = places.pop()
        return place if place is not None and place.variable.nonatomic and is_widest(place.type) else None

    def _beginning(self, path: Path, slot: Slot, process: ProcessType, edges: Sequence[Edge], place: Place) -> Moves:
        """The range that the variable was declared with keeps its lower end."""
        found, edge = Moves(), edges[0]
        path.statement = edge.actions[0].statement
        least = min(written[1] for one in edges if (written := _written_constant(one)) is not None)
        value = Symbol(f"any {place.variable.name}", integers(least, None))
        self.lower.store(path, place, variable(value))
        found.collect(path)
        found.moved = TRUE
        self._finish(path, slot, process, edge)
        found.commands.append(self._command(path, slot, edge)._replace(choices=(value,)))
        return found

    def _may_move(self, path: Path, pid: int) -> Term:
        """Do its ``provided`` condition and the priorities of the others let a process move?"""
        provided = self._is_provided(path, pid)
        if not self.program.priorities:
            return provided
        own = self.lower.priority(path, pid)
        above = [
            conjoin(
                self.lower.present(path, other.number),
                less(own, self.lower.priority(path, other.number)),
                self._is_provided(path, other.number),
                self._is_enabled(path, other.number),
            )
            for other in self.slots.slots
            if other.number != pid
        ]
        return conjoin(provided, negate(any_of(above)))

    def _is_provided(self, path: Path, pid: int) -> Term:
        """A condition that cannot be evaluated is false."""
        slot = self.slots.slots[pid]
        forbidden = []
        for process in slot.types:
            if process.provided is not None:
                asking = replace(path, pid=pid, frame=pid, when=TRUE, given=TRUE, breaches=[], limits=[])
                truth = self.lower.truth(asking, process.provided)
                forbidden.append(conjoin(self.lower.is_type(path, pid, process), negate(conjoin(truth, asking.when))))
        return negate(any_of(forbidden))

    def _is_enabled(self, path: Path, pid: int) -> Term:
        """Has a process an enabled edge? A rendezvous needs another process and does not count; what cannot be
        evaluated does."""
        slot = self.slots.slots[pid]
        found = []
        for place, (process, at) in enumerate(slot.points):
            here = equal(path.read(slot.control), constant(place))
            if here is FALSE:
                continue
            for edge in process.locations[at].edges:
                asking = replace(path, pid=pid, frame=pid, when=TRUE, given=TRUE, breaches=[], limits=[])
                asking.asked = (*path.asked, pid)
                can = self._edge_enabled(asking, pid, edge)
                found.append(conjoin(here, disjoin(asking.failed, can)))
        return any_of(found)

    def _edge_enabled(self, path: Path, pid: int, edge: Edge) -> Term:
        operation = edge.actions[0].operation
        if isinstance(operation, Terminate):
            return negate(self.lower.present(path, pid + 1))
        return self.operations.enabled(path, operation)

    # --- edges --------------------------------------------------------------------------------------------------------

    def _edge(self, path: Path, slot: Slot, process: ProcessType, edge: Edge, moved: Term) -> Moves:
        """One edge; ``moved`` is whether an earlier one was enabled."""
        operation = edge.actions[0].operation
        path.statement = edge.actions[0].statement
        if isinstance(operation, Send):
            return self._sending(path, slot, process, edge, operation)
        can = negate(moved) if isinstance(operation, Else) else self._edge_enabled(path, slot.number, edge)
        found = Moves()
        found.collect(path)
        failed = path.failed
        run = path.fork(can)
        found.moved = disjoin(failed, run.when)
        self._execute(found, run, slot, process, edge)
        return found

    def _execute(self, found: Moves, path: Path, slot: Slot, process: ProcessType, edge: Edge, first: int = 0) -> None:
        """The actions of an edge, from one of them on, and the commands that come of them."""
        paths = [path]
        for action in edge.actions[first:]:
            following: list[Path] = []
            for one in paths:
                one.statement = action.statement
                following += self.operations.perform(one, action.operation, action.statement)
            paths = following
        for one in paths:
            found.collect(one)
            if one.when is not FALSE:
                self._finish(one, slot, process, edge)
                found.commands.append(self._command(one, slot, edge))

    def _finish(self, path: Path, slot: Slot, process: ProcessType, edge: Edge) -> None:
        self._note_move(path, slot.number)
        if edge.terminates:
            self.operations.forget(path, slot)
        else:
            path.write(slot.control, constant(slot.point(process, edge.target)))
        if self.slots.owner is not None:
            keeps = edge.atomic and not edge.terminates
            path.write(self.slots.owner, constant(slot.number + 1 if keeps else 0))

    def _note_move(self, path: Path, pid: int) -> None:
        if self.program.last is not None:
            path.write(self.slots.scalars[self.program.last][0], constant(pid))

    def _command(self, path: Path, slot: Slot, edge: Edge) -> Command:
        statement = edge.actions[0].statement
        if path.sender >= 0:
            return Command(path.when, path.updates(), path.sender, statement, partner=slot.number)
        return Command(path.when, path.updates(), slot.number, statement)

    # --- sends and rendezvous -----------------------------------------------------------------------------------------

    def _sending(self, path: Path, slot: Slot, process: ProcessType, edge: Edge, send: Send) -> Moves:
        """Into a buffer, or to a process that receives."""
        found = Moves()
        channels = self.lower.channels(path, send.channel)
        found.collect(path)
        found.moved = path.failed
        path = path.fork(TRUE)
        for condition, where in channels:
            there = path.fork(condition)
            if where[1].capacity:
                run = there.fork(self.operations.has_room(there, where))
                found.moved = disjoin(found.moved, run.when)
                self._execute(found, run, slot, process, edge)
            else:
                self._meet(found, there, slot, process, edge, send, where)
        return found

    def _meet(
        self,
        found: Moves,
        path: Path,
        slot: Slot,
        process: ProcessType,
        edge: Edge,
        send: Send,
        where: ChannelPlace,
    ) -> None:
        """A rendezvous send, with every process that can receive."""
        message = self.operations.offer(path, send, where[1])
        found.moved = disjoin(found.moved, path.failed)
        for action in edge.actions[1:]:
            if not isinstance(action.operation, NoChoice):
                raise Unencodable("what follows a rendezvous send in one step", action.statement)
            path.report(ViolationKind.CHOICE, path.moved, action.statement)
        found.collect(path)
        if message is None:
            return
        sent = path.fork(TRUE)
        sent.sender = slot.number
        sent.write(slot.control, constant(slot.point(process, edge.target)))
        self._note_move(sent, slot.number)
        for other in reversed(self.slots.slots):
            if other is not slot:
                self._replies(found, sent, other, where, message)

    def _replies(self, found: Moves, sent: Path, other: Slot, where: ChannelPlace, message: list[Term]) -> None:
        provided = self._is_provided(sent, other.number) if self._restricted else TRUE
        for place, (process, at) in enumerate(other.points):
            edges = [e for e in process.locations[at].edges if isinstance(e.actions[0].operation, Receive)]
            here = conjoin(provided, equal(sent.read(other.control), constant(place)))
            if not edges or here is FALSE:
                continue
            moved, broken = FALSE, FALSE
            escaped: dict[int, Term] = {}
            for edge in edges:
                broken = disjoin(broken, *(is_it for number, is_it in escaped.items() if number != edge.escape))
                path = sent.fork(conjoin(here, negate(broken)))
                path.write(other.control, constant(place))
                path.pid = path.frame = other.number
                path.moved, path.statement = moved, edge.actions[0].statement
                took = self._reply(found, path, other, process, edge, where, message)
                moved = disjoin(moved, took)
                for number in escaped:
                    escaped[number] = conjoin(escaped[number], negate(took))
                if edge.escape:
                    escaped[edge.escape] = disjoin(escaped.get(edge.escape, FALSE), took)
            found.moved = disjoin(found.moved, moved)

    def _reply(
        self,
        found: Moves,
        path: Path,
        other: Slot,
        process: ProcessType,
        edge: Edge,
        where: ChannelPlace,
        message: list[Term],
    ) -> Term:
        """One edge of a receiver; the condition under which it takes the message, or fails."""
        receive = edge.actions[0].operation
        assert isinstance(receive, Receive)
        takes = FALSE
        for condition, mine in self.lower.channels(path, receive.channel):
            if mine == where:
                with path.only_if(condition):
                    if not receive.fits(len(where[1].fields)):
                        path.fail(ViolationKind.MESSAGE, TRUE)
                        continue
                    wanted = self.lower.wanted(path, receive.patterns)
                takes = conjoin(condition, all_of(equal(message[i], value) for i, value in wanted))
        failed = path.failed
        found.collect(path)
        run = path.fork(takes)
        took = run.when
        if took is not FALSE:
            self.operations.take(run, receive, message)
            self._execute(found, run, other, process, edge, first=1)
        return disjoin(failed, took)


def _written_constant(edge: Edge) -> tuple[Place, int] | None:
    """The place to which an edge writes a constant, and does nothing else; and the constant."""
    operations = [action.operation for action in edge.actions]
    if len(operations) == 1 and isinstance(operations[0], DeterministicStep):
        operations = [one.operation for one in operations[0].code if not isinstance(one.operation, Choose)]
    written = [one for one in operations if not isinstance(one, Guard)]
    if len(written) != 1 or not isinstance(written[0], Assign) or not isinstance(written[0].value, Constant):
        return None
    return written[0].place, written[0].value.value


def _mentions_timeout(program: Program) -> bool:
    places = [place for process in program.processes for place in process.locations]
    operations = tuple(action.operation for place in places for edge in place.edges for action in edge.actions)
    provided = tuple(process.provided for process in program.processes)
    return any(isinstance(part, Timeout) for part in nodes_of((provided, operations)))
