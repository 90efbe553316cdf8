"""``MorePlaces``: a thorough look for safe places while a search runs, which begins anew if there are enough of them.

What steps read and write finds most safe places in no time. Trials and pairs of views (``process/dependence``) find
more, but may take seconds. So they are left to a thread beside a search that goes on already, and this thread never
takes more than a small share of the processor time spent so far: a search that is over soon has lost next to
nothing. When more places are found, samples of the state space tell what they are worth: how many states it takes to
come to the same depth, with them and without.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Event, Thread
from time import process_time, thread_time

from kripke.deadline import Deadline, OutOfTime, keeping
from kripke.engines.explicit.search import Outcome, Progress, SearchRequest
from kripke.model.capabilities.placed import safe_places_of
from kripke.model.model import Model
from kripke.model.safe_places import SafePlaces

#: of all processor time
_SHARE = 0.1
#: no thread is started before so many seconds of work
_SOON = 0.4
#: states of a sample, and what may be left of it
_SAMPLE = 30_000
_PARTS = 0.02, 0.1, 0.35, 0.7
#: so many of the steps of a state, so many of the states
_FEW_STEPS, _WITH_FEW_STEPS = 0.6, 0.35
#: where nobody knows how many states are waiting
_SURELY_WORTH_IT = 0.35

Search = Callable[[SearchRequest], Outcome]


class BeginAnew(Exception):
    """There are better places: the search is to end, and to begin again with these."""

    def __init__(self, safe: SafePlaces) -> None:
        super().__init__("more safe places were found")
        self.safe = safe


class Pace(Deadline):
    """A deadline that is over when nobody waits any more, and that lets who asks it wait for its share of the time."""

    __slots__ = ("_left_alone", "_share")

    def __init__(self, left_alone: Event, share: float) -> None:
        super().__init__()
        self._left_alone = left_alone
        self._share = share

    def __call__(self) -> None:
        if self._left_alone.is_set():
            raise OutOfTime
        while thread_time() > self._share * process_time():
            if self._left_alone.wait(0.02):
                raise OutOfTime

    @property
    def is_over(self) -> bool:
        return self._left_alone.is_set()


class MorePlaces:
    """``look`` is to be called while a search with this request runs; it raises BeginAnew. ``sample`` runs a search of
    the model without any observer. In a ``with`` block, at the end of which the thread has ended."""

    def __init__(
        self,
        model: Model,
        atoms: Sequence[int],
        request: SearchRequest,
        sample: Search,
        share: float = _SHARE,
        soon: float = _SOON,
    ) -> None:
        self._model = model
        self._atoms = atoms
        self._request = request
        self._sample = sample
        self._left_alone = Event()
        self._pace = Pace(self._left_alone, share)
        self._thread: Thread | None = None
        self._found: tuple[SafePlaces, float] | None = None
        self._begins = process_time() + soon

    def __enter__(self) -> MorePlaces:
        return self

    def __exit__(self, *problem: object) -> None:
        self._left_alone.set()
        self.wait()

    def look(self, now: Progress) -> None:
        if self._thread is None and process_time() >= self._begins:
            self._thread = Thread(target=self._think, name="more safe places", daemon=True)
            self._thread.start()
        if self._found is not None and self._pays(now, self._found[1]):
            raise BeginAnew(self._found[0])

    def wait(self) -> None:
        """Until the look is over."""
        if self._thread is not None:
            self._thread.join()

    def _pays(self, now: Progress, left: float) -> bool:
        """Is what is left to do more than the whole with so many of the states left? Of a breadth-first search we know
        that what waits is there, and guess that as much again comes after it."""
        if self._request.order != "bfs":
            return left <= _SURELY_WORTH_IT
        return left < 1 and left * now.states < 2 * now.queue

    def _think(self) -> None:
        with keeping(self._pace):
            try:
                safe = safe_places_of(self._model, self._atoms, thorough=True)
                known = 0 if self._request.safe is None else self._request.safe.count
                if not isinstance(safe, str) and safe.count > known:
                    self._found = safe, self._left_with(safe)
            except OutOfTime:
                pass

    def _left_with(self, safe: SafePlaces) -> float:
        """The part of the states that is left, as samples near the initial states tell: how many are enough to get
        beyond the depth that a sample without these places has reached; or few steps of a state, which say that most
        of what is left out lies further on."""
        plain = SearchRequest(order="bfs", deadlock=False, stop_at_first=False, memory=self._request.memory)
        before = self._sample(replace(plain, safe=self._request.safe, max_states=_SAMPLE))
        after = before
        for part in _PARTS:
            self._pace()
            after = self._sample(replace(plain, safe=safe, max_states=int(part * _SAMPLE)))
            if after.reason != "states" or after.depth > before.depth:
                return part
        steps = after.transitions / after.states
        return _WITH_FEW_STEPS if steps <= _FEW_STEPS * before.transitions / before.states else 1.0
