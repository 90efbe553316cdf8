"""Another run to the same error with fewer context switches, by a search of its own.

Reordering keeps the statements of a trace; the run with the fewest switches may have others. It is looked for in the
order of switches, then steps, over states and who moved last (S. Qadeer, J. Rehof, "Context-bounded model checking of
concurrent software", TACAS 2005); a run that is longer than the known one is of no interest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from heapq import heappop, heappush
from typing import NamedTuple

from kripke.clarity.ending import Ending, Run, has_ending
from kripke.clarity.reorder import switches
from kripke.clarity.trials import Exhausted, Trials
from kripke.model.model import Transition
from kripke.model.trace import Step, Trace, make_step


class _Place(NamedTuple):
    state: bytes
    actor: int


def with_fewest_switches(
    trace: Trace, ending: Ending, trials: Trials, avoid: Callable[[bytes], bool] | None = None
) -> Trace:
    """A trace to the same error with fewer switches and at most as many steps; the given one where none is found."""
    bound = switches(trace.steps)
    if trace.loop_start is not None or not bound:
        return trace
    try:
        steps = _search(trace, ending, trials, avoid, bound)
    except Exhausted:
        return trace
    return trace if steps is None else replace(trace, steps=steps, omitted=trace.omitted + len(trace) - len(steps))


def _search(
    trace: Trace, ending: Ending, trials: Trials, avoid: Callable[[bytes], bool] | None, bound: int
) -> tuple[Step, ...] | None:
    first = _Place(trace.initial, -1)
    came: dict[_Place, tuple[_Place, Transition] | None] = {first: None}
    waiting: list[tuple[int, int, int, _Place]] = [(0, 0, 0, first)]
    done: set[_Place] = set()
    count = 0
    cheapest = {first: (0, 0)}
    while waiting:
        cost, length, _, place = heappop(waiting)
        if place in done:
            continue
        done.add(place)
        for transition in trials.successors(place.state):
            actor = transition.parts[0].actor if transition.parts else -1
            further = (cost + (place.actor not in (-1, actor)), length + 1)
            if further[0] >= bound or further[1] > len(trace):
                continue
            last = place.state if transition.target is None else transition.target
            if has_ending(trials, Run(last, transition.violations), ending):
                return _steps(trace, came, place, transition)
            # A step that breaks something else, or the invariant too early, would be another error.
            if transition.target is None or transition.violations or (avoid is not None and avoid(last)):
                continue
            following = _Place(last, actor)
            if following not in done and further < cheapest.get(following, (bound, 0)):
                cheapest[following] = further
                came[following] = (place, transition)
                count += 1
                heappush(waiting, (*further, count, following))
    return None


def _steps(
    trace: Trace, came: dict[_Place, tuple[_Place, Transition] | None], place: _Place, last: Transition
) -> tuple[Step, ...]:
    way = [(place.state, last)]
    while (link := came[place]) is not None:
        place, transition = link
        way.append((place.state, transition))
    return tuple(make_step(trace.model, number, at, step) for number, (at, step) in enumerate(reversed(way), start=1))
