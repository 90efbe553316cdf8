"""The same trace with fewer context switches: independent steps are put in another order.

Two orders of steps are equivalent when both are runs of the model, step for step with the same statements and values,
from the same state to the same state (Mazurkiewicz traces). Whether they are is found out by trying. So the
reordered trace ends in the very state of the original one, in the same violation.

Short traces get the least number of switches there is, by a search over all orders. For longer ones there are two
moves, both of which keep the end:

* *Run on*: a process goes on as long as its next step can be moved to the front of what is left.
* *Merge*: a run of steps of one process is moved next to an earlier or later run of the same process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from kripke.clarity.trials import Exhausted, Trials
from kripke.model.model import Transition
from kripke.model.trace import Step, Trace

_SHORT = 120  # steps; of longer traces not every order is tried
_PLACES = 8_000  # in rearranged runs, at most
_REACH = 200  # a step is moved over at most so many others
Avoid = Callable[[bytes], bool]


def switches(steps: Iterable[Step]) -> int:
    """How often another process moves than the one before."""
    actors = [_actor(step) for step in steps]
    return sum(first != second for first, second in pairwise(actors))


def reorder(trace: Trace, trials: Trials, avoid: Avoid | None = None) -> Trace:
    """An equivalent trace with at most as many context switches.

    ``avoid`` tells states that must come at the end only, such as those that break the invariant. A step with a
    violation stays the last one. A trace that repeats for ever is left as it is: its order may be what matters.
    """
    if trace.loop_start is not None or switches(trace.steps) < 2:
        return trace
    fixed = 1 if trace.steps[-1].violations else 0
    movable = trace.steps[: len(trace.steps) - fixed]
    best, fewest = trace.steps, switches(trace.steps)
    for steps in orders(movable, trials, avoid, trace.steps[-1] if fixed else None):
        candidate = (*steps, *trace.steps[len(movable) :])
        if switches(candidate) < fewest:
            best, fewest = candidate, switches(candidate)
    numbered = tuple(replace(step, number=number) for number, step in enumerate(best, start=1))
    return replace(trace, steps=numbered)


def orders(
    steps: Sequence[Step], trials: Trials, avoid: Avoid | None = None, last: Step | None = None
) -> Iterator[Sequence[Step]]:
    """Orders that are worth a look: the best one, or where it was not found some good ones."""
    if len(steps) <= _SHORT:
        try:
            best = best_order(steps, trials, avoid, last)
        except Exhausted:
            pass
        else:
            yield best
            return
    for choose in (_first, _longest):
        try:
            yield _merge(_run_on(steps, trials, avoid, choose), trials, avoid)
        except Exhausted:
            return


def _actor(step: Step) -> int:
    return step.parts[0].actor if step.parts else -1


# --- the best order ---------------------------------------------------------------------------------------------------


class _Place(NamedTuple):
    """Somewhere in a rearranged run: how many steps of each process are done, the state, and who moved last."""

    done: tuple[int, ...]
    state: bytes
    actor: int


def best_order(
    steps: Sequence[Step], trials: Trials, avoid: Avoid | None = None, last_step: Step | None = None
) -> list[Step]:
    """The order with the fewest switches: the shortest path from no step done to all done, a switch having length 1.

    ``last_step`` comes behind all of them: a switch to it counts.
    """
    actors = list(dict.fromkeys(_actor(step) for step in steps))
    own = [[step for step in steps if _actor(step) == actor] for actor in actors]
    end = steps[-1].state
    first = _Place((0,) * len(actors), steps[0].before, -1)
    came: dict[_Place, tuple[_Place, Step] | None] = {first: None}
    waiting: list[tuple[int, int, _Place]] = [(0, 0, first)]
    distance = {first: 0}
    while waiting:
        so_far, _, place = heappop(waiting)
        if so_far > distance[place]:
            continue
        if sum(place.done) == len(steps):
            return _way(came, place)
        for lane, count in enumerate(place.done):
            if count == len(own[lane]):
                continue
            step = own[lane][count]
            transition = trials.same_step(place.state, step)
            if transition is None or transition.target is None:
                continue
            done = (*place.done[:lane], count + 1, *place.done[lane + 1 :])
            last = sum(done) == len(steps)
            if (last and transition.target != end) or (not last and avoid is not None and avoid(transition.target)):
                continue
            following = _Place(done, transition.target, lane)
            cost = so_far + (place.actor not in (-1, lane))
            if last and last_step is not None:
                cost += _actor(last_step) != actors[lane]
            if cost < distance.get(following, len(steps) + 1):
                distance[following] = cost
                came[following] = (place, _step(step, place.state, transition))
                heappush(waiting, (cost, len(came), following))
        if len(came) > _PLACES:
            raise Exhausted
    return list(steps)


def _way(came: dict[_Place, tuple[_Place, Step] | None], place: _Place) -> list[Step]:
    steps: list[Step] = []
    while (link := came[place]) is not None:
        place, step = link
        steps.append(step)
    return steps[::-1]


# --- moving steps -----------------------------------------------------------------------------------------------------


def _moved(steps: Sequence[Step], block: slice, trials: Trials, avoid: Avoid | None) -> list[Step] | None:
    """The steps with a block of them first; None unless that is a run to the same state."""
    start, end = steps[0].before, steps[-1].state
    state = start
    moved: list[Step] = []
    for step in (*steps[block], *steps[: block.start], *steps[block.stop :]):
        transition = trials.same_step(state, step)
        if transition is None or transition.target is None:
            return None
        moved.append(_step(step, state, transition))
        state = transition.target
        if avoid is not None and len(moved) < len(steps) and avoid(state):
            return None
    return moved if state == end else None


def _step(step: Step, before: bytes, transition: Transition) -> Step:
    return replace(step, before=before, state=transition.target)


# --- run on -----------------------------------------------------------------------------------------------------------

# Chooses whose turn it is, from what is left: a run of steps that can be moved to the front, and the rest.
Choose = Callable[[list[Step], Trials, "Avoid | None"], list[Step]]


def _run_on(steps: Sequence[Step], trials: Trials, avoid: Avoid | None, choose: Choose) -> list[Step]:
    left = list(steps)
    done: list[Step] = []
    try:
        while left:
            if not done or not _bring(left, _actor(done[-1]), trials, avoid):
                left = choose(left, trials, avoid)
            done.append(left.pop(0))
    except Exhausted:
        pass  # what is left stays in its order, which is a run
    return done + left


def _bring(left: list[Step], actor: int, trials: Trials, avoid: Avoid | None) -> bool:
    """Put the next step of a process to the front, if that is possible."""
    for index, step in enumerate(left[:_REACH]):
        if _actor(step) == actor:
            if index:
                moved = _moved(left[: index + 1], slice(index, index + 1), trials, avoid)
                if moved is None:
                    return False
                left[: index + 1] = moved
            return True
    return False


def _first(left: list[Step], trials: Trials, avoid: Avoid | None) -> list[Step]:
    """The process whose step was next in the original trace."""
    return left


def _longest(left: list[Step], trials: Trials, avoid: Avoid | None) -> list[Step]:
    """The process that can run longest; best of all one that can do everything it still has to do."""
    best, longest = left, (False, -1)
    for actor in dict.fromkeys(_actor(step) for step in left[:_REACH]):
        rest, length = list(left), 0
        while rest and _bring(rest, actor, trials, avoid):
            rest = rest[1:]
            length += 1
        if not length:
            continue
        finished = not any(_actor(step) == actor for step in rest)
        if (finished, length) > longest:
            moved = list(left)
            if _bring(moved, actor, trials, avoid):
                best, longest = moved, (finished, length)
    return best


# --- merge ------------------------------------------------------------------------------------------------------------


def _merge(steps: list[Step], trials: Trials, avoid: Avoid | None) -> list[Step]:
    """Move whole runs next to others of the same process until nothing more can be gained."""
    try:
        while (merged := _merge_one(steps, trials, avoid)) is not None:
            steps = merged
    except Exhausted:
        pass
    return steps


def _merge_one(steps: list[Step], trials: Trials, avoid: Avoid | None) -> list[Step] | None:
    runs = _runs(steps)
    last_of: dict[int, tuple[int, int]] = {}
    for start, stop in runs:
        actor = _actor(steps[start])
        earlier = last_of.get(actor)
        last_of[actor] = (start, stop)
        if earlier is None or start - earlier[1] > _REACH:
            continue
        # Either this run moves up to the earlier one, or the earlier one moves down to it.
        between = steps[earlier[1] : stop]
        moved = _moved(between, slice(start - earlier[1], stop - earlier[1]), trials, avoid)
        if moved is not None:
            return _shorter(steps, [*steps[: earlier[1]], *moved, *steps[stop:]])
        before = steps[earlier[0] : start]
        moved = _moved(before, slice(earlier[1] - earlier[0], start - earlier[0]), trials, avoid)
        if moved is not None:
            return _shorter(steps, [*steps[: earlier[0]], *moved, *steps[start:]])
    return None


def _shorter(old: list[Step], new: list[Step]) -> list[Step] | None:
    return new if switches(new) < switches(old) else None


def _runs(steps: Sequence[Step]) -> list[tuple[int, int]]:
    """Where the steps of one process begin and end."""
    runs: list[tuple[int, int]] = []
    for index, step in enumerate(steps):
        if runs and _actor(steps[index - 1]) == _actor(step):
            runs[-1] = (runs[-1][0], index + 1)
        else:
            runs.append((index, index + 1))
    return runs
