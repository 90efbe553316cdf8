"""A swarm: many small searches, none of which sees everything, each in an order and with hashes of its own.

After Holzmann, Joshi, Groce: Swarm verification techniques, IEEE Transactions on Software Engineering 37(6), 2011.
"""

from __future__ import annotations

import os
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from threading import Event
from time import perf_counter
from typing import TYPE_CHECKING

from kripke.engines.explicit.repeated import after, either
from kripke.engines.explicit.search import Outcome, Progress, SearchRequest, Watch
from kripke.engines.explicit.sketch import estimate, population, union
from kripke.engines.explicit.stores import Loss
from kripke.engines.plan import SearchPlan
from kripke.model.model import Model

if TYPE_CHECKING:
    from kripke.engines.explicit.prepare import Engine

_HASHES = (4, 2, 3)  # bits of a state, in turn


class Swarm:
    """The first error ends all searches."""

    def __init__(
        self, engine: Engine, model: Model, request: SearchRequest, plan: SearchPlan, watch: Watch | None
    ) -> None:
        self.engine = engine
        self.model = model
        at_once = 1 if model.one_thread else plan.threads if plan.threads > 1 else os.cpu_count() or 1
        self.at_once = at_once
        store = (
            request.store
            if plan.store_size
            else replace(request.store, table_bytes=request.store.table_bytes // at_once)
        )
        self.request = replace(request, threads=1, shuffled=True, memory=request.memory // at_once, store=store)
        self.hashes = plan.hashes
        self.watch = watch
        self.cancelled = Event()
        self.start = perf_counter()
        self.running: dict[int, Progress] = {}

    def search(self, count: int) -> Outcome:
        outcomes: list[Outcome] = []
        reason = ""
        with ThreadPoolExecutor(self.at_once) as crew:
            waiting: set[Future[Outcome]] = set()
            try:
                self._begin(crew, waiting, count)
                while waiting:
                    done, waiting = wait(waiting, 0.1, FIRST_COMPLETED)
                    for future in done:
                        outcomes.append(future.result())
                        if outcomes[-1].error_paths or outcomes[-1].reason not in ("", "depth"):
                            self._cancel(waiting)
                    self._tell(outcomes)
            except KeyboardInterrupt:
                reason = "interrupted"
                self._cancel(waiting)
                outcomes += [future.result() for future in wait(waiting).done]
            except BaseException:
                self._cancel(waiting)
                raise
        return self._joined(outcomes, count, reason)

    def _begin(self, crew: ThreadPoolExecutor, waiting: set[Future[Outcome]], count: int) -> None:
        try:
            waiting.update(crew.submit(self._one, number) for number in range(count))
        except RuntimeError as error:  # no thread could be started
            raise MemoryError from error

    def _cancel(self, waiting: set[Future[Outcome]]) -> None:
        self.cancelled.set()
        for future in waiting:
            future.cancel()
        waiting.difference_update([future for future in waiting if future.cancelled()])

    def _one(self, number: int) -> Outcome:
        def look(now: Progress) -> None:
            if self.cancelled.is_set():
                raise KeyboardInterrupt  # it ends with what it has
            self.running[number] = now

        hashes = self.hashes or _HASHES[number % len(_HASHES)]
        store = replace(self.request.store, seed=number + 1, hashes=hashes)
        request = replace(after(self.request, perf_counter() - self.start), store=store)
        try:
            return self.engine.search(self.model, request, look)
        finally:
            self.running.pop(number, None)

    def _tell(self, outcomes: list[Outcome]) -> None:
        if self.watch is None:
            return
        running = list(self.running.values())
        self.watch(
            Progress(
                max([now.states for now in running] + [outcome.states for outcome in outcomes], default=0),
                sum(now.transitions for now in running) + sum(outcome.transitions for outcome in outcomes),
                max([now.depth for now in running] + [outcome.depth for outcome in outcomes], default=0),
                sum(now.queue for now in running),
                sum(now.bytes for now in running),
                perf_counter() - self.start,
            )
        )

    def _joined(self, outcomes: list[Outcome], count: int, reason: str) -> Outcome:
        if not outcomes:
            return Outcome("interrupted", 0, 0, 0, 0, (), bytes(len(self.model.statements)), 0, 0, self._seconds())
        decisive = next((outcome for outcome in outcomes if outcome.error_paths), None)
        ended = [outcome for outcome in outcomes if outcome.reason not in ("", "interrupted")]
        decisive = decisive or next(iter(ended or [outcome for outcome in outcomes if outcome.reason]), outcomes[0])
        covered = decisive.covered
        for outcome in outcomes:
            covered = either(covered, outcome.covered)
        together = estimate(union([outcome.sketch for outcome in outcomes]))
        each = sum(estimate(outcome.sketch) for outcome in outcomes) / len(outcomes)
        there = population(each, together, len(outcomes))
        fill = sum(outcome.loss.fill for outcome in outcomes if outcome.loss) / len(outcomes)
        account = (
            f"nothing was found in {len(outcomes)} of {count} searches of the swarm, which met about {together:,.0f} "
            f"different states, {each:,.0f} each: to judge by the overlap {together / there:.1%} of all at most; "
            f"tables were full to {fill:.1%}"
        )
        return replace(
            decisive,
            reason="interrupted" if reason and not decisive.error_paths else decisive.reason,
            states=round(together),
            transitions=sum(outcome.transitions for outcome in outcomes),
            depth=max(outcome.depth for outcome in outcomes),
            errors=sum(outcome.errors for outcome in outcomes),
            covered=covered,
            store_bytes=sum(sorted((outcome.store_bytes for outcome in outcomes), reverse=True)[: self.at_once]),
            seconds=self._seconds(),
            loss=Loss(fill, there - together),
            account=account,
        )

    def _seconds(self) -> float:
        return perf_counter() - self.start
