"""From actions to guarded commands: a process runs from where it rests up to the next cut, on all ways at once.

Ways through an action that meet at an instruction become one again. A loop goes round as often as its condition can be
true; what is written in it is mostly known while it is unrolled, so that the condition is decided. Where nobody knows
how often it goes round, the encoding ends after some rounds and says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from kripke.actions.encode.expressions import Expressions, Frame, Spot
from kripke.actions.encode.meeting import Meeting
from kripke.actions.encode.slots import Slot, Slots
from kripke.actions.program import (
    Assert,
    Assign,
    Branch,
    Choose,
    Communicate,
    Control,
    ControlKind,
    Copy,
    Deadline,
    End,
    Jump,
    New,
    Place,
    Print,
    ProcessType,
    Program,
    Reschedule,
    Start,
    ViolationKind,
)
from kripke.terms.build import FALSE, ONE, TRUE, ZERO, any_of, conjoin, constant, disjoin, equal, ite, negate, variable
from kripke.terms.moves import Moves
from kripke.terms.path import Path, joined
from kripke.terms.refusal import Unencodable
from kripke.terms.system import TransitionSystem
from kripke.terms.term import Term

#: rounds of loops in one action, for each ``room``, where a condition is not decided while the loop is unrolled
ROUNDS = 16
#: and of all of them together
_MOST_ROUNDS = 5_000
#: processes that may go together, each of them a way of its own
_FEW = 2


@dataclass(slots=True, kw_only=True)
class Way(Path):
    """A way through an action. ``rounds``: how often it has jumped back, ``open_rounds``: with something undecided."""

    rounds: int = 0
    open_rounds: int = 0
    before: Term = TRUE


def encoded(program: Program, slots: Slots, initial: Term, room: int) -> TransitionSystem:
    """Unencodable where something cannot be said in terms."""
    return _Steps(program, slots, room).system(initial)


class _Steps:
    def __init__(self, program: Program, slots: Slots, room: int) -> None:
        self.program = program
        self.slots = slots
        self.most_open_rounds = ROUNDS * room
        self.lower = Expressions(slots)
        self.meeting = Meeting(self.lower)

    def system(self, initial: Term) -> TransitionSystem:
        whole = Moves()
        for slot in self.slots.slots:
            whole.add(self._of_slot(slot))
        truths, failures = [], []
        for atom in self.program.atoms.values():
            path = Path()
            truths.append(conjoin(self.lower.truth(path, Frame(None, None), atom), path.when))
            failures.append(path.failed)
        return TransitionSystem(
            variables=self.slots.variables,
            initial=initial,
            commands=whole.commands,
            atoms=truths,
            failed_atoms=failures,
            resting=negate(whole.moved),
            valid_end=negate(any_of(self._unfinished(slot) for slot in self.slots.slots)),
            breaches=whole.breaches,
            limits=whole.limits,
        )

    def _unfinished(self, slot: Slot) -> Term:
        """Is a process here that has not ended, other than one of the environment?"""
        places = [
            place
            for point, place in slot.place_of.items()
            if point.kind is not ControlKind.ENDED and not self.program.processes[point.process].environment
        ]
        return any_of(equal(variable(slot.control), constant(place)) for place in places)

    # --- processes ----------------------------------------------------------------------------------------------------

    def _of_slot(self, slot: Slot) -> Moves:
        found = Moves()
        for point, place in slot.place_of.items():
            process = self.program.processes[point.process]
            instruction = process.code[point.at] if point.at < len(process.code) else None
            here = equal(variable(slot.control), constant(place))
            way = Way(when=here, before=here)
            way.write(slot.control, constant(place))
            if point.kind is ControlKind.READY:
                if slot.number == 0 and point.at == 0 and self.slots.first_states is not None:
                    self._know_initial(way)
                entries = instruction.targets if isinstance(instruction, Choose) else (point.at,)
                for entry in entries:
                    self._action(found, way.fork(TRUE), slot, process, entry)
                found.moved = disjoin(found.moved, here)
            elif point.kind is ControlKind.WAITING:
                assert isinstance(instruction, Communicate)
                if instruction.rechecks:
                    met = self.meeting.pairings(found, way, slot, process, point.at, instruction)
                    found.moved = disjoin(found.moved, met)
        return found

    def _know_initial(self, way: Way) -> None:
        """The first action begins in the initial state, and in no other."""
        state = self.slots.interpreter.initial()
        for symbol, value in zip(self.slots.variables, self.slots.values(state), strict=True):
            way.write(symbol, constant(value))
        # Said once more, for the analysis of bounds: commands that set a control point ask for the one before.
        nobody = (equal(variable(other.control), ZERO) for other in self.slots.slots[1:])
        way.when = way.before = conjoin(way.when, *nobody)

    # --- actions ------------------------------------------------------------------------------------------------------

    def _action(self, found: Moves, way: Way, slot: Slot, process: ProcessType, entry: int) -> None:
        """From an instruction up to the next cuts. What is on the way to the earliest instruction goes on first: so
        loops are left before what is behind them, and ways meet where branches do."""
        waiting: dict[int, Way] = {entry: way}
        heads: dict[int, Way] = {}
        while waiting:
            at = min(waiting)
            here = waiting.pop(at)
            if here.when is FALSE:
                found.collect(here)
                continue
            here.statement = process.statement_of(at)
            for target, after in self._instruction(found, here, slot, process, at):
                if target <= at and not self._goes_round(after, target, heads):
                    found.collect(after)
                    continue
                waiting[target] = joined([waiting[target], after]) if target in waiting else after

    def _goes_round(self, way: Way, target: int, heads: dict[int, Way]) -> bool:
        """A loop begins another round, unless it is one too many."""
        before = heads.get(target)
        if before is not None and before.when is way.when and before.rounds == way.rounds and _same(before, way):
            way.fail(ViolationKind.ENDLESS, TRUE)  # nothing has changed: it goes round for ever
            return False
        way.rounds += 1
        heads[target] = way.fork(TRUE)
        way.open_rounds += way.when is not way.before
        way.before = way.when
        if way.open_rounds > self.most_open_rounds or way.rounds > _MOST_ROUNDS:
            span = self.program.statements[way.statement].span
            way.end(TRUE, f"a loop inside an action goes round more than {way.rounds - 1} times ({span})")
            return False
        return True

    def _instruction(self, found: Moves, way: Way, slot: Slot, process: ProcessType, at: int) -> list[tuple[int, Way]]:
        """What an instruction does; where its ways go on. At a cut they become commands."""
        lower, frame, instruction = self.lower, Frame(slot, process), process.code[at]
        match instruction:
            case Assign(place, _, value):
                number = lower.value(way, frame, value)
                lower.store(way, frame, lower.spots(way, frame, place), number)
            case Copy(target, source, size):
                content = self._content(way, frame, source, size)
                spots = lower.spots(way, frame, target)
                for shift, part in content.items():
                    lower.store(way, frame, spots, part, shift)
            case Jump(target):
                return [(target, way)]
            case Branch(condition, otherwise):
                truth = lower.truth(way, frame, condition)
                found.collect(way)
                ways = [(at + 1, way.fork(truth)), (otherwise, way.fork(negate(truth)))]
                return [(to, one) for to, one in ways if one.when is not FALSE]
            case Assert(condition):
                way.fail(ViolationKind.ASSERTION, negate(lower.truth(way, frame, condition)))
            case New(place):
                self._new(way, frame, place)
            case Print(_, _, shown):
                if shown is not None:
                    lower.value(way, frame, shown)
            case Deadline(due):
                lower.value(way, frame, due)
            case Start():
                self._start(way, frame, instruction)
                if instruction.waits:
                    self._rest(found, way, slot, Control(process.number, ControlKind.CALLING, at + 1))
                    return []
            case Reschedule():
                self._rest(found, way, slot, Control(process.number, ControlKind.READY, at + 1))
                return []
            case Choose():
                self._rest(found, way, slot, Control(process.number, ControlKind.READY, at))
                return []
            case Communicate():
                self.meeting.communicate(found, way, slot, process, at, instruction)
                return []
            case End():
                self._end(found, way, slot, process)
                return []
            case _:
                raise Unencodable("what a device answers", process.statements[at])
        return [(at + 1, way)]

    def _rest(self, found: Moves, way: Way, slot: Slot, point: Control) -> None:
        way.write(slot.control, constant(slot.place_of[point]))
        self.meeting.done(found, way, slot)

    def _content(self, way: Way, frame: Frame, source: Place, size: int) -> dict[int, Term]:
        """The scalars of an array or a record, by their distance from its start."""
        spots = self.lower.spots(way, frame, source)
        return {shift: self.lower.load(way, frame, spots, shift) for shift in self._shifts(frame, spots, size)}

    def _shifts(self, frame: Frame, spots: list[Spot], size: int) -> list[int]:
        found: dict[int, None] = {}
        for spot in spots:
            offsets = (
                self.slots.shared
                if spot.slot is None
                else [offset for number, at, offset in spot.slot.cells if number == spot.process and at < 0]
            )
            found |= dict.fromkeys(one - spot.offset for one in offsets if 0 <= one - spot.offset < size)
        return list(found)

    def _new(self, way: Way, frame: Frame, place: Place) -> None:
        """The lowest number that no port holds."""
        spots = self.lower.spots(way, frame, place)
        self.lower.store(way, frame, spots, ZERO)  # what it held until now may be what is free
        value, taken = ZERO, TRUE
        for number in range(1, self.slots.most_channels + 1):
            used = any_of(equal(way.read(port), constant(number)) for port in self.slots.ports)
            value = ite(conjoin(taken, negate(used)), constant(number), value)
            taken = conjoin(taken, used)
            if taken is FALSE:
                break
        way.fail(ViolationKind.CHANNELS, taken)
        self.lower.store(way, frame, spots, value)

    # --- processes begin and end --------------------------------------------------------------------------------------

    def _start(self, way: Way, frame: Frame, start: Start) -> None:
        lower, number = self.lower, start.process
        creator = frame.slot
        assert creator is not None
        record: dict[tuple[int, int, int], Term] = {}
        for offset, _, value in start.values:
            record[number, -1, offset] = lower.value(way, frame, value)
        for offset, size, place in start.copies:
            for shift, part in self._content(way, frame, place, size).items():
                record[number, -1, offset + shift] = part
        references = {offset: self._reference(way, frame, place) for offset, place in start.references}
        link = ZERO
        if start.link is not None:
            owners = lower.owners(way, frame, start.link)
            link = constant(owners[-1][1].number) if owners else ZERO
            for when, owner, _ in reversed(owners[:-1]):
                link = ite(when, constant(owner.number), link)
        taken = TRUE
        for slot in self.slots.slots:
            free = equal(way.read(slot.control), ZERO)
            here = conjoin(taken, free)
            taken = conjoin(taken, negate(free))
            point = Control(number, ControlKind.READY, 0)
            if here is FALSE or point not in slot.place_of:
                continue  # only a slot in which there is always somebody has no room for every type
            values = {slot.control: constant(slot.place_of[point]), slot.parent: constant(creator.number + 1)}
            values[slot.called] = constant(int(start.waits))
            values |= {slot.cells[key]: value for key, value in record.items() if key in slot.cells}
            for offset, pair in references.items():
                values |= dict(zip(slot.references[number, offset], pair, strict=True))
            if start.link is not None:
                values[slot.links[number]] = link
            for symbol, new in values.items():
                way.write(symbol, ite(here, new, way.read(symbol)))
        if self.slots.enough:
            way.fail(ViolationKind.PROCESSES, taken)
        else:
            way.end(taken, f"there are more than {len(self.slots.slots)} processes at once")

    def _reference(self, way: Way, frame: Frame, place: Place) -> tuple[Term, Term]:
        """Owner and offset of what a parameter refers to."""
        spots = self.lower.spots(way, frame, place)
        owner, at = ZERO, ZERO
        for number, spot in enumerate(reversed(spots)):
            mine = ZERO if spot.slot is None else constant(spot.slot.number + 1)
            owner = mine if number == 0 else ite(spot.when, mine, owner)
            at = constant(spot.offset) if number == 0 else ite(spot.when, constant(spot.offset), at)
        return owner, at

    def _is_child(self, way: Way, slot: Slot, creator: Slot) -> Term:
        """Is somebody in the slot whom the process in the other has created?"""
        if not self.slots.may_create(creator, slot):
            return FALSE
        here = negate(equal(way.read(slot.control), ZERO))
        if slot.creator is not None:
            return here
        return conjoin(here, equal(way.read(slot.parent), constant(creator.number + 1)))

    def _end(self, found: Moves, way: Way, slot: Slot, process: ProcessType) -> None:
        """A process at its end goes when those that it created have gone; then its own creator may, or goes on."""
        if process.starts_others:
            waits = any_of(self._is_child(way, other, slot) for other in self.slots.slots)
            found.collect(way)
            stays = way.fork(waits)
            if stays.when is not FALSE:
                self._rest(found, stays, slot, Control(process.number, ControlKind.ENDED, len(process.code)))
            way = way.fork(negate(waits))
        found.collect(way)
        goes = self._all_that_go(way, slot)
        ways = [way.fork(TRUE)]
        for other in self.slots.slots:
            called = [
                conjoin(goes[child.number], equal(way.read(child.called), ONE), self._is_child(way, child, other))
                for child in self.slots.slots
                if child.number in goes and other is not child
            ]
            ways = [part for one in ways for part in self._parted(one, other, goes, any_of(called))]
        for one in ways:
            for symbol in slot.symbols():
                one.write(symbol, ZERO)
            self.meeting.done(found, one, slot)

    def _all_that_go(self, way: Way, slot: Slot) -> dict[int, Term]:
        """By number the processes that go together with the one in the slot, and when: a creator goes that has come to
        its end, when the last that it created goes."""
        goes: dict[int, Term] = {slot.number: TRUE}
        for _ in self.slots.slots:
            after = dict(goes)
            for creator in self.slots.slots:
                control = way.read(creator.control)
                ends = [place for point, place in creator.place_of.items() if point.kind is ControlKind.ENDED]
                if creator is slot or not ends:
                    continue
                mine = [(other.number, self._is_child(way, other, creator)) for other in self.slots.slots]
                freed = (
                    conjoin(goes.get(number, FALSE), is_it, equal(way.read(self.slots.slots[number].called), ZERO))
                    for number, is_it in mine
                )
                kept = (conjoin(is_it, negate(goes.get(number, FALSE))) for number, is_it in mine)
                ended = any_of(equal(control, constant(place)) for place in ends)
                when = conjoin(ended, any_of(freed), negate(any_of(kept)))
                if when is not FALSE:
                    after[creator.number] = when
            if after == goes:
                break
            goes = after
        return goes

    def _parted(self, way: Way, creator: Slot, goes: dict[int, Term], called: Term) -> list[Way]:
        """What becomes of a creator: it goes, or its call returns. Ways of their own where there are few."""
        leaves = goes.get(creator.number, FALSE)
        if leaves is TRUE:
            return [way]
        found = []
        returns = [
            (conjoin(called, equal(way.read(creator.control), constant(place))), point)
            for point, place in creator.place_of.items()
            if point.kind is ControlKind.CALLING and called is not FALSE
        ]
        stays = way.fork(negate(disjoin(leaves, *(when for when, _ in returns))))
        found.append(stays)
        if leaves is not FALSE:
            gone = way.fork(leaves)
            for symbol in creator.symbols():
                gone.write(symbol, ZERO)
            found.append(gone)
        for when, point in returns:
            back = way.fork(when)
            target = Control(point.process, ControlKind.READY, point.at)
            back.write(creator.control, constant(creator.place_of[target]))
            found.append(back)
        found = [one for one in found if one.when is not FALSE]
        return found if len(goes) <= _FEW else [joined(found)]


def _same(a: Way, b: Way) -> bool:
    """Have two ways the same values?"""
    return all(a.read(symbol) is b.read(symbol) for symbol in (*a.values, *b.values))
