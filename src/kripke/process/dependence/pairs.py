"""Which views of two processes go together, and so which steps of two processes accord.

That two processes are never in their critical sections at once, or that no two hold the same ticket, is more than
the values of single variables can tell. For every two processes the pairs of views are found that they may have at the
same time: a fix point from the pairs of the initial state, under the steps of the one, of the other, and of every third
whose view goes together with both of theirs. It has the pairs of all states that can be reached, and some more (J.
Hoenicke, R. Majumdar, A. Podelski, *Thread modularity at many levels*, POPL 2017). Two steps accord if they do in all
pairs in which both are enabled.

``native/reduction/pairs.cpp`` finds the same, and more in the same time (``native_pairs.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kripke.model.views import PairsOfViews, ViewMove, accord, by_transition
from kripke.process.dependence.counters import Counter, counters_of
from kripke.process.dependence.objects import bits_of
from kripke.process.dependence.steps import Step
from kripke.process.dependence.tallies import MOST_ROUNDS, NoTally, Tally, assuming_more, tallies_of
from kripke.process.dependence.views import ABSENT, TooMuch, Views, has_views
from kripke.process.evaluation import read_scalar
from kripke.process.interpreter import Interpreter
from kripke.process.program import Edge, ProcessType

#: pairs of views of one program, and steps that are looked at to find them
_MOST_PAIRS = 100_000
_MOST_LOOKS = 600_000


#: of every counter: the value that a process sees, if it does, and what it has added
_Sign = tuple[tuple[int | None, int], ...]


class Pairs:
    """Of one program. Nothing is known where there are too many."""

    def __init__(self, interpreter: Interpreter, find: Callable[[Views], PairsOfViews] | None = None) -> None:
        self._views: Views | None = None
        self._numbers: dict[int, int] = {}
        self._known: dict[tuple[int, ...], bool] = {}
        if has_views(interpreter.program):
            try:
                views = Views(interpreter)
                self._found = (find or _finder())(views)
                self._views = views
            except TooMuch:
                pass

    @property
    def found(self) -> PairsOfViews | None:
        return None if self._views is None else self._found

    def know(self, processes: list[ProcessType]) -> bool:
        """Is anything known of a configuration with these processes?"""
        return self._views is not None and processes == self._views.processes[: len(processes)]

    def accord(self, one: Step, other: Step) -> bool:
        """Of two processes of which something is known: wherever both steps are enabled, does each leave the other
        enabled, with the same effect, and is the end the same?"""
        if not (self._shows(one) and self._shows(other)):
            return False
        key = one.pid, self._number(one), other.pid, self._number(other)
        if key not in self._known:
            self._known[key] = self._found.accord(*key)
        return self._known[key]

    def exclude(self, one: Step, other: Step) -> bool:
        """Of two edges of one location: is never more than one of them enabled?"""
        if not (self._shows(one) and self._shows(other)):
            return False
        return self._found.exclude(one.pid, self._number(one), self._number(other))

    def shows(self, process: ProcessType, location: int, edge: Edge) -> bool:
        """Of processes of which something is known: are the steps by this edge moves of views?"""
        assert self._views is not None
        return self._views.shows(process, location, edge)

    def _shows(self, step: Step) -> bool:
        return self.shows(step.process, step.location, step.edge)

    def _number(self, step: Step) -> int:
        """Of its edge, counted through the process."""
        if id(step.edge) not in self._numbers:
            edges = (edge for location in step.process.locations for edge in location.edges)
            self._numbers |= {id(edge): number for number, edge in enumerate(edges)}
        return self._numbers[id(step.edge)]


def _finder() -> Callable[[Views], PairsOfViews]:
    try:
        from kripke.process.dependence.native_pairs import find_natively
    except ImportError:  # the native engine is not installed
        return find_by_reference
    return find_natively


def find_by_reference(views: Views) -> PairsOfViews:
    """TooMuch where there are too many."""
    return ReferencePairs(views, together(views))


class ReferencePairs:
    """The pairs found here, for those who ask."""

    def __init__(self, views: Views, found: Together) -> None:
        self._views = views
        self._together = found
        self._known = [set(found.views(pid)) for pid in range(len(views.processes))]
        self._results: dict[object, int] = {}
        self._enabled: dict[tuple[int, int], dict[int, ViewMove | None]] = {}

    def actors(self) -> int:
        return len(self._views.processes)

    def start(self, pid: int) -> int:
        return self._views.start(pid)

    def find(self, pid: int, state: bytes) -> int | None:
        return self._met(pid, self._views.of(state, pid))

    def is_settled(self, pid: int, view: int) -> bool:
        return self._views.is_settled(self._views.processes[pid], self._views.location(pid, view))

    def moves(self, pid: int, view: int) -> list[ViewMove]:
        first = self._views.first_edge(pid, self._views.location(pid, view))
        return [
            (first + m.edge, m.target, m.effect, self._results.setdefault(m.violations, len(self._results)))
            for m in self._views.moves(pid, view)
        ]

    def after(self, pid: int, view: int, effect: int) -> int | None:
        return self._met(pid, self._views.changed(pid, view, effect))

    def touches(self, pid: int, view: int, other: int) -> bool:
        return any(self._views.sees(other, move.effect) for move in self._views.moves(pid, view))

    def beside(self, pid: int, view: int, other: int) -> int:
        return self._together.beside(pid, view, other)

    def meetings(self, one: int, view: int, other: int, beside: int) -> list[tuple[int, int, int]]:
        return [
            found
            for found in self._together.meetings(one, view, other, beside)
            if found[0] in self._known[one] and found[1] in self._known[other]
        ]

    def meeting_acts(self, pid: int, view: int) -> list[tuple[int, int]]:
        return sorted(self._together.meeting_acts(pid, view))

    def accord(self, one: int, transition: int, other: int, other_transition: int) -> bool:
        mine, theirs = self._moves_by(one, transition), self._moves_by(other, other_transition)
        enabled = sum(1 << view for view in theirs)
        for view, move in mine.items():
            for beside in bits_of(self.beside(one, view, other) & enabled):
                second = theirs[beside]
                if move is None or second is None or not accord(self, (one, view, move), (other, beside, second)):
                    return False
        return True

    def exclude(self, pid: int, transition: int, other_transition: int) -> bool:
        return self._moves_by(pid, transition).keys().isdisjoint(self._moves_by(pid, other_transition).keys())

    def _moves_by(self, pid: int, transition: int) -> dict[int, ViewMove | None]:
        """By view; None where there are several."""
        key = pid, transition
        if key not in self._enabled:
            found = self._enabled[key] = {}
            for view in self._known[pid]:
                moves = by_transition(self.moves(pid, view)).get(transition)
                if moves:
                    found[view] = moves[0] if len(moves) == 1 else None
        return self._enabled[key]

    def _met(self, pid: int, view: int) -> int | None:
        return view if view in self._known[pid] else None


class _Census:
    """What counters (``counters.py``) and tallies (``tallies.py``) tell: which views can be together, given that the
    sums must come out."""

    def __init__(self, views: Views, tallies: list[Tally]) -> None:
        self._views = views
        self._pids = range(len(views.processes))
        counters = counters_of(views.program)
        self._counters: list[Counter | Tally] = [*counters, *tallies]
        self._possible = [[counter.possible(process) for process in views.processes] for counter in counters]
        self._possible += [tally.assumed for tally in tallies]
        self._start = [read_scalar(c.type, views.first, c.at) for c in self._counters]
        self._sums: dict[tuple[int, frozenset[int]], frozenset[int]] = {}
        #: what views know of the values of the counters, and their shares: all that counts here
        self._signs: list[dict[int, _Sign]] = [{} for _ in self._pids]
        self._same: dict[_Sign, _Sign] = {}
        self._may_be: dict[tuple[int, int, int, int], bool] = {}
        self._passing: dict[tuple[int, int, int, int, int], list[list[tuple[int, int, int]]]] = {}
        #: by counter, process and share: views, as bits
        self._having: dict[tuple[int, int, int], int] = {}

    def note(self, pid: int, view: int) -> None:
        """A view that is new."""
        location, process = self._views.location(pid, view), self._views.processes[pid]
        known: list[tuple[int | None, int]] = []
        for number, counter in enumerate(self._counters):
            if isinstance(counter, Tally):
                share = counter.share(self._views, pid, view)
            else:
                share = 0 if location == ABSENT else counter.share(process, location)
            known.append((self._views.value(pid, view, counter.at, counter.type), share))
            self._having[number, pid, share] = self._having.get((number, pid, share), 0) | 1 << view
        sign = tuple(known)
        self._signs[pid][view] = self._same.setdefault(sign, sign)

    def may_be(self, one: int, view: int, other: int, beside: int) -> bool:
        """Is what the counters hold beyond the shares of these two what others may have?"""
        if not self._counters:
            return True
        mine, theirs = self._signs[one][view], self._signs[other][beside]
        key = one, id(mine), other, id(theirs)
        found = self._may_be.get(key)
        if found is None:
            others = frozenset((one, other))
            found = all(rest in self._sum_of(number, others) for number, rest in self._rests(mine, theirs))
            self._may_be[key] = found
        return found

    def beside(self, one: int, view: int, other: int, beside: int, third: int) -> int:
        """The views of a third process that may go with these two, as bits."""
        if not self._counters:
            return -1
        mine, theirs = self._signs[one][view], self._signs[other][beside]
        key = one, id(mine), other, id(theirs), third
        if key not in self._passing:
            self._passing[key] = list(self._third(one, mine, other, theirs, third))
        found = -1
        for shares in self._passing[key]:
            passing = 0
            for share in shares:
                passing |= self._having.get(share, 0)
            found &= passing
        return found

    def _third(
        self, one: int, mine: _Sign, other: int, theirs: _Sign, third: int
    ) -> Iterator[list[tuple[int, int, int]]]:
        """For every counter, the shares of a third process with which the sum comes out."""
        for number, rest in self._rests(mine, theirs):
            others = self._sum_of(number, frozenset((one, other, third)))
            modulus = 1 << self._counters[number].type.bits
            possible = self._possible[number][third]
            yield [(number, third, share) for share in possible if (rest - share) % modulus in others]

    def _rests(self, one: _Sign, other: _Sign) -> Iterator[tuple[int, int]]:
        """Of every counter that one of two processes looks at: its value without the shares of the two."""
        pairs = zip(one, other, strict=True)
        for number, ((mine, my_share), (theirs, their_share)) in enumerate(pairs):
            value = theirs if mine is None else mine
            if value is not None:
                modulus = 1 << self._counters[number].type.bits
                yield number, (value - self._start[number] - my_share - their_share) % modulus

    def _sum_of(self, number: int, missing: frozenset[int]) -> frozenset[int]:
        """The sums of the shares that all processes but some may have."""
        key = number, missing
        if key not in self._sums:
            modulus = 1 << self._counters[number].type.bits
            sums = {0}
            for pid in self._pids:
                if pid not in missing:
                    sums = {(total + share) % modulus for total in sums for share in self._possible[number][pid]}
            self._sums[key] = frozenset(sums)
        return self._sums[key]


class Together:
    """The pairs. For every view of a process, and every other process: a set of views of that one."""

    def __init__(self, views: Views, tallies: list[Tally] | None = None) -> None:
        self._views = views
        self._tallies = tallies or []
        self._pids = range(len(views.processes))
        self._census = _Census(views, self._tallies)
        #: by process, view and other process
        self._beside: list[dict[int, list[int]]] = [{} for _ in self._pids]
        #: for every process, by effect: the views in which it has a step with this effect
        self._actors: list[dict[int, int]] = [{} for _ in self._pids]
        #: for every process: the views in which it has a step with an effect, and the effects that it has there
        self._acting = [0 for _ in self._pids]
        self._acts: list[dict[int, tuple[int, ...]]] = [{} for _ in self._pids]
        #: for every process and view: the effects of meetings in which it sends, each with who receives
        self._meeting_acts: list[dict[int, set[tuple[int, int]]]] = [{} for _ in self._pids]
        self._waiting: list[tuple[int, int, int, int]] = []
        self._alone: set[int] = set()
        self._pairs = self._looks = 0
        for state in views.roots:
            there = range(views.seen_in(state))
            seen = [views.of(state, pid) for pid in there]
            for tally in self._tallies:
                for pid in there:
                    tally.begin(views, pid, seen[pid])
            if len(seen) == 1:
                self._go_alone(seen[0])
            for one in there:
                for other in there[one + 1 :]:
                    self._add(one, seen[one], other, seen[other])
        while self._waiting:
            self._go_on(*self._waiting.pop())

    def views(self, pid: int) -> list[int]:
        """Those that a process may have."""
        return list(self._beside[pid])

    def beside(self, pid: int, view: int, other: int) -> int:
        """The views that another process may have at the same time, as bits."""
        return self._beside[pid][view][other]

    def _go_alone(self, view: int) -> None:
        """The views of the first process where there is no other."""
        waiting = [view]
        while waiting:
            here = waiting.pop()
            if here not in self._alone:
                self._alone.add(here)
                self._row(0, here)
                for move in self._views.moves(0, here):
                    if move.target is not None:
                        self._follow(0, here, move.target)
                        waiting.append(move.target)

    def _follow(self, pid: int, view: int, target: int) -> None:
        for tally in self._tallies:
            tally.follow(self._views, pid, view, target)

    def _add(self, one: int, view: int, other: int, beside: int) -> None:
        mine, theirs = self._row(one, view), self._row(other, beside)
        if not mine[other] >> beside & 1 and self._census.may_be(one, view, other, beside):
            mine[other] |= 1 << beside
            theirs[one] |= 1 << view
            self._waiting.append((one, view, other, beside))
            self._pairs += 1
            if self._pairs > _MOST_PAIRS:
                raise TooMuch

    def _row(self, pid: int, view: int) -> list[int]:
        rows = self._beside[pid]
        if view not in rows:
            rows[view] = [0 for _ in self._pids]
            self._census.note(pid, view)
            actors = self._actors[pid]
            acts = tuple({move.effect for move in self._views.moves(pid, view) if move.effect})
            self._acts[pid][view] = acts
            for effect in acts:
                self._acting[pid] |= 1 << view
                actors[effect] = actors.get(effect, 0) | 1 << view
        return rows[view]

    def _go_on(self, one: int, view: int, other: int, beside: int) -> None:
        """What follows a pair, and what follows it and others that are known."""
        mine, theirs = self._beside[one][view], self._beside[other][beside]
        for pid, actor, second, witness in ((one, view, other, beside), (other, beside, one, view)):
            for move in self._views.moves(pid, actor):
                if move.target is not None:
                    self._follow(pid, actor, move.target)
                    self._add(pid, move.target, second, self._views.changed(second, witness, move.effect))
        if self._views.meets:
            self._meet(one, view, other, beside)
        for third in self._pids:
            common = mine[third] & theirs[third] if third not in (one, other) else 0
            if common:
                common &= self._census.beside(one, view, other, beside, third)
            if not common:
                continue
            for effect in self._effects(third, common):
                self._change(effect, one, view, other, beside)
            for effect in self._acts[one][view]:
                self._change_many(effect, other, beside, third, common)
            for effect in self._acts[other][beside]:
                self._change_many(effect, one, view, third, common)
            if self._views.meets:
                self._meet_beside(one, view, other, beside, third, common)

    def meetings(self, one: int, view: int, other: int, beside: int) -> Iterator[tuple[int, int, int]]:
        """Where two views are after they have met, whoever sends, and the effect."""
        for meeting in self._views.meetings(one, view, other, beside):
            yield meeting.target, meeting.partner, meeting.effect
        for meeting in self._views.meetings(other, beside, one, view):
            yield meeting.partner, meeting.target, meeting.effect

    def meeting_acts(self, pid: int, view: int) -> set[tuple[int, int]]:
        """The effects of meetings in which a process sends, each with who receives."""
        return self._meeting_acts[pid].get(view, set())

    def _meet(self, one: int, view: int, other: int, beside: int) -> None:
        for mine, theirs, _ in self.meetings(one, view, other, beside):
            self._add(one, mine, other, theirs)
        for pid, actor, second, witness in ((one, view, other, beside), (other, beside, one, view)):
            for meeting in self._views.meetings(pid, actor, second, witness):
                known = self._meeting_acts[pid].setdefault(actor, set())
                if meeting.effect and (meeting.effect, second) not in known:
                    known.add((meeting.effect, second))
                    self._change_all(meeting.effect, pid, actor, second)

    def _change_all(self, effect: int, pid: int, view: int, partner: int) -> None:
        """Two have met, which changes all pairs of others that go with one of them."""
        others = [other for other in self._pids if other not in (pid, partner)]
        for one in others:
            for mine in bits_of(self._beside[pid][view][one]):
                for other in others:
                    if other > one:
                        common = self._beside[pid][view][other] & self._beside[one][mine][other]
                        for theirs in bits_of(common):
                            self._change(effect, one, mine, other, theirs)

    def _meet_beside(self, one: int, view: int, other: int, beside: int, third: int, common: int) -> None:
        """Meetings among three of which one looks on, and of one of the three with somebody else."""
        changed = self._views.changed
        both = list(self.meetings(one, view, other, beside))
        for its in bits_of(common):
            self._look(1)
            for mine, theirs, effect in both:
                after = changed(third, its, effect)
                self._add(one, mine, third, after)
                self._add(other, theirs, third, after)
            for mine, then, effect in self.meetings(one, view, third, its):
                after = changed(other, beside, effect)
                self._add(one, mine, other, after)
                self._add(third, then, other, after)
            for theirs, then, effect in self.meetings(other, beside, third, its):
                after = changed(one, view, effect)
                self._add(other, theirs, one, after)
                self._add(third, then, one, after)
            self._change_by_meetings(third, its, one, view, other, beside)
            self._change_by_meetings(one, view, other, beside, third, its)
            self._change_by_meetings(other, beside, one, view, third, its)

    def _change_by_meetings(self, pid: int, actor: int, one: int, view: int, other: int, beside: int) -> None:
        """Two look on when a third meets a fourth."""
        for effect, partner in sorted(self.meeting_acts(pid, actor)):
            if partner not in (one, other):
                self._change(effect, one, view, other, beside)

    def _effects(self, pid: int, views: int) -> Iterable[int]:
        """The effects of the steps that a process has in some of these views."""
        actors = self._actors[pid]
        acting = views & self._acting[pid]
        if acting.bit_count() >= len(actors):
            self._look(len(actors) // 8)
            return [effect for effect, having in actors.items() if having & acting]
        acts = self._acts[pid]
        return {effect for view in bits_of(acting) for effect in acts[view]}

    def _change(self, effect: int, one: int, view: int, other: int, beside: int) -> None:
        """A third process makes a step."""
        self._look(1)
        after, then = self._views.changed(one, view, effect), self._views.changed(other, beside, effect)
        row = self._beside[one].get(after)
        if row is None or not row[other] >> then & 1:
            self._add(one, after, other, then)

    def _look(self, count: int) -> None:
        self._looks += count
        if self._looks > _MOST_LOOKS:
            raise TooMuch

    def _change_many(self, effect: int, one: int, view: int, other: int, besides: int) -> None:
        """The same, for one that goes together with many."""
        after, changed = self._views.changed(one, view, effect), self._views.changed
        if not self._views.sees(other, effect):
            if after == view:
                return
            row = self._beside[one].get(after)
            if row is not None:
                besides &= ~row[other]
        for beside in bits_of(besides):
            then = changed(other, beside, effect)
            row = self._beside[one].get(after)
            if row is None or not row[other] >> then & 1:
                self._add(one, after, other, then)
        self._look(besides.bit_count())


def together(views: Views) -> Together:
    """The pairs, with what tallies tell: those that are none are left out, and what they assume must not fall short."""
    tallies = tallies_of(views)
    for _ in range(MOST_ROUNDS):
        if not tallies:
            break
        try:
            found = Together(views, tallies)
            more = assuming_more(tallies)
        except NoTally as none:
            tallies = [tally.anew() for tally in tallies if tally.at != none.at]
            continue
        if more is None:
            return found
        tallies = more
    return Together(views)
