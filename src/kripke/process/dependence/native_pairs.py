"""The pairs of views, found by the native engine: what it is told, and what it asks."""

from __future__ import annotations

from kripke import _native
from kripke.deadline import current
from kripke.process.dependence.counters import Counter, counters_of
from kripke.process.dependence.tallies import MOST_ROUNDS, MOST_SHARES, Tally, tallies_of
from kripke.process.dependence.views import ABSENT, TooMuch, Views
from kripke.process.evaluation import read_scalar

#: views and pairs of views of one program, and steps that are looked at to find them
_MOST_VIEWS = 60_000
_MOST_PAIRS = 1_200_000
_MOST_LOOKS = 20_000_000

#: is it settled; may it send, or receive, by rendezvous; shares; steps (transition, text of the view after it, effect,
#: result)
_Told = tuple[bool, tuple[bool, bool], list[int], list[tuple[int, bytes | None, list[tuple[int, int]], int]]]

_Met = tuple[bytes, bytes, list[tuple[int, int]]]


def find_natively(views: Views) -> _native.Pairs:
    """TooMuch where there are too many."""
    pids = range(len(views.processes))
    counters = counters_of(views.program)
    model = _Model(views, counters)
    counted: list[Counter | Tally] = [*counters, *tallies_of(views)]
    found = _native.find_pairs(
        actors=[
            (views.start(pid), views.processes[pid].frame_bytes, views.seen(pid), list(views.places(pid).items()))
            for pid in pids
        ],
        roots=[[views.text_of(state, pid) for pid in range(views.seen_in(state))] for state in views.roots],
        counted=[_written(views, one) for one in counted],
        alone=[views.alone(pid) for pid in pids],
        ask=model.tell,
        ask_of_two=model.tell_of_two,
        deadline=current(),
        most_views=_MOST_VIEWS,
        most_pairs=_MOST_PAIRS,
        most_looks=_MOST_LOOKS,
        tally_rounds=MOST_ROUNDS,
        tally_shares=MOST_SHARES,
    )
    if found is None:
        raise TooMuch
    return found


class _Model:
    """What the engine asks."""

    def __init__(self, views: Views, counters: list[Counter]) -> None:
        self._views = views
        self._counters = counters
        self._results: dict[object, int] = {}
        self._deadline = current()

    def tell(self, pid: int, text: bytes) -> _Told:
        """Of a view of a process."""
        self._deadline()
        location, process = self._views.location_in(pid, text), self._views.processes[pid]
        shares = [0 if location == ABSENT else counter.share(process, location) for counter in self._counters]
        first = self._views.first_edge(pid, location)
        steps = [
            (
                first + step.edge,
                step.target,
                list(step.effect),
                self._results.setdefault(step.violations, len(self._results)),
            )
            for step in self._views.steps(pid, text)
        ]
        return self._views.is_settled(process, location), self._views.offers(pid, location), shares, steps

    def tell_of_two(self, pid: int, text: bytes, other: int, beside: bytes) -> list[_Met]:
        """Of a rendezvous: the texts of both views after it."""
        found = self._views.meeting_steps(pid, text, other, beside)
        return [(then, theirs, list(effect)) for then, theirs, effect in found]


def _written(views: Views, counted: Counter | Tally) -> tuple[int, bool, int, bool, list[int | None], list[set[int]]]:
    is_tally = isinstance(counted, Tally)
    possible = counted.assumed if isinstance(counted, Tally) else [counted.possible(p) for p in views.processes]
    start = read_scalar(counted.type, views.first, counted.at)
    places = [views.places(pid).get(counted.at) for pid in range(len(views.processes))]
    return counted.type.bits, counted.type.signed, start, is_tally, places, [set(shares) for shares in possible]
