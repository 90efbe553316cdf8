"""The clear form of a run that breaks a property of runs: a lasso, or a beginning that nothing can make right.

What is tried is a run of the model alone: steps left out or in another order, a loop that still closes. Then the
observer is led along it, and where it accepts the run that is one more counterexample. Steps that an observer sees may
so change places, but only where the property is broken all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from kripke.clarity.reorder import orders, switches
from kripke.clarity.trials import Exhausted, Trials
from kripke.clarity.watching import Watched, Watching
from kripke.deadline import OutOfTime, current, keeping
from kripke.engines.explicit.search import ErrorPath, Fairness
from kripke.engines.runs.replay import ReplayFailure, replay_error
from kripke.model.model import Transition
from kripke.model.product import Product
from kripke.model.trace import Step, Trace

_TURN = 8  # successive steps of a process that are left out together, at most


def clarify_run(trace: Trace, error: ErrorPath, fairness: Fairness | None) -> Trace:
    """A run that breaks the same property by at most as many steps, and then by fewer context switches."""
    product = trace.model
    assert isinstance(product, Product)
    run = _run_of(trace, product, error)
    if run is None or product.observer.steps:  # what is led along a run looks at states alone
        return trace
    attempt = _Attempt(product, run, error, fairness, trace)
    for clearer, share in ((attempt.leave_out, 0.6), (attempt.rearrange, 1.0)):
        with keeping(current().part(share)), suppress(Exhausted):
            attempt.trials = Trials(product.base)
            clearer()
    return attempt.best


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of the model alone: the steps from ``stem`` on are the loop, None: there is none but an alarm at the end.

    A loop without steps: the run has come to its end and stays there.
    """

    steps: tuple[Step, ...]
    stem: int | None


def _run_of(trace: Trace, product: Product, error: ErrorPath) -> _Run | None:
    """Of the trace, what the model does; None where it ends in an error of the model itself."""
    steps = tuple(
        replace(
            step,
            model=product.base,
            before=product.split(step.before)[0],
            state=None if step.state is None else product.split(step.state)[0],
        )
        for step in trace.steps
        if step.parts
    )
    if error.kind == "violation":
        alarm = error.code - len(product.base.violation_kinds)
        return _Run(steps, None) if 0 <= alarm < len(product.observer.alarms) and not trace.steps[-1].parts else None
    if trace.loop_start is None:
        return None
    looping = [bool(step.parts) for step in trace.steps[trace.loop_start :]]
    if not any(looping):
        return _Run(steps, len(steps))
    return _Run(steps, sum(bool(step.parts) for step in trace.steps[: trace.loop_start])) if all(looping) else None


class _Attempt:
    """``run`` is a counterexample all the time, and ``best`` the same as a confirmed run of the product."""

    def __init__(self, product: Product, run: _Run, error: ErrorPath, fairness: Fairness | None, trace: Trace) -> None:
        self.product = product
        self.run = run
        self.error = error
        self.fairness = fairness
        self.best = trace
        self.found = len(trace)
        self.start = product.split(trace.initial)[0]
        self.watching = Watching(product)
        self.trials = Trials(product.base)

    # --- fewer steps --------------------------------------------------------------------------------------------------

    def leave_out(self) -> None:
        while self._cut_detour():
            pass
        for actor in dict.fromkeys(_actor(step) for step in reversed(self.run.steps)):
            size = len(self._own(actor))
            while size:
                own = self._own(actor)
                if len(own) < size or not self._without(own[-size:]):
                    size //= 2
        while self._leave_out_turns():
            pass

    def _cut_detour(self) -> bool:
        """Between two visits of a state, or, in the stem, of a state of the loop, nothing need happen."""
        steps, stem = self.run.steps, self.run.stem
        last: dict[bytes, int] = {}
        for index, step in enumerate(steps):
            last[step.before] = index
        for index, step in enumerate(steps):
            later = last[step.before]
            if later == index:
                continue
            if stem is None or later < stem:
                shorter = _Run((*steps[:index], *steps[later:]), None if stem is None else stem - (later - index))
            elif index < stem:  # into the loop at once, which then begins here
                turned = (*steps[later:], *steps[stem:later])
                shorter = _Run((*steps[:index], *turned), index)
            else:
                shorter = _Run((*steps[:index], *steps[later:]), stem)
            if self._accept(shorter):
                return True
        return False

    def _leave_out_turns(self) -> bool:
        found = False
        index = len(self.run.steps) - 1
        while index >= 0:
            own = [i for i in self._own(_actor(self.run.steps[index])) if i <= index]
            for length in range(1, min(_TURN, len(own)) + 1):
                if self._without(own[-length:]):
                    found = True
                    break
            index = min(index, len(self.run.steps)) - 1
        return found

    def _own(self, actor: int) -> list[int]:
        return [i for i, step in enumerate(self.run.steps) if _actor(step) == actor]

    def _without(self, positions: Sequence[int]) -> bool:
        gone = set(positions)
        stem = self.run.stem
        kept = [step for index, step in enumerate(self.run.steps) if index not in gone]
        start = None if stem is None else stem - sum(position < stem for position in positions)
        # A loop that is left out altogether would be another end.
        if start == len(kept) and stem != len(self.run.steps):
            return False
        steps = self._followed(kept)
        return steps is not None and self._accept(_Run(steps, start))

    def _followed(self, wanted: Sequence[Step]) -> tuple[Step, ...] | None:
        """The same statements from the start, where that is possible."""
        state, steps = self.start, list[Step]()
        for step in wanted:
            if step.before == state and step.state is not None:
                transition: Transition | None = Transition(step.parts, step.state)
            else:
                transition = self.trials.same_step(state, step)
            if transition is None or transition.target is None:
                return None
            steps.append(replace(step, before=state, state=transition.target))
            state = transition.target
        return tuple(steps)

    # --- fewer switches -----------------------------------------------------------------------------------------------

    def rearrange(self) -> None:
        """The stem and the loop, each for itself; at the end of the stem may be what the observer waits for."""
        stem = len(self.run.steps) if self.run.stem is None else self.run.stem
        for part in (
            slice(0, stem),
            slice(0, max(stem - 1, 0)),
            slice(stem, None),
            slice(stem, len(self.run.steps) - 1),
        ):
            steps = self.run.steps
            if len(steps[part]) > 2:
                after = steps[part.stop : part.stop + 1] if part.stop is not None else ()
                for order in orders(steps[part], self.trials, None, after[0] if after else None):
                    moved = list(steps)
                    moved[part] = order
                    if switches(moved) < switches(self.run.steps):
                        self._accept(_Run(tuple(moved), self.run.stem))

    # --- what is accepted ---------------------------------------------------------------------------------------------

    def _accept(self, run: _Run) -> bool:
        """Is it a counterexample, and no longer one? Then it is taken."""
        self.trials.go_on()
        watched = self._watched(run)
        if watched is None:
            return False
        steps = len(watched.path) - (watched.loop_start is not None)
        if steps > len(self.best):
            return False
        error = replace(self.error, path=watched.path, loop_start=watched.loop_start)
        try:
            clear = replay_error(self.product, error, self.best.origin, self.fairness)
        except (ReplayFailure, OutOfTime):
            return False
        fewer, before = (len(clear), switches(clear.steps)), (len(self.best), switches(self.best.steps))
        if fewer == before or fewer[0] > before[0] or fewer[1] > before[1]:
            return False
        self.best = replace(clear, omitted=self.found - len(clear))
        self.run = run
        return True

    def _watched(self, run: _Run) -> Watched | None:
        states = [self.start, *(step.state for step in run.steps if step.state is not None)]
        if run.stem is None:
            return self.watching.alarmed(states, self.error.code - len(self.product.base.violation_kinds))
        if run.stem == len(run.steps):  # stays in the last state
            if self.trials.successors(states[-1]):
                return None
            return self.watching.accepted(states, len(states) - 1)
        return self.watching.accepted(states[:-1], run.stem) if states[run.stem] == states[-1] else None


def _actor(step: Step) -> int:
    return step.parts[0].actor if step.parts else -1
