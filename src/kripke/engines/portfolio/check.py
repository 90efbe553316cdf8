"""Two engines side by side: the one that usually checks a property, and one on sets of states or on formulas.

Whichever answers first is reported. ``unknown`` is no answer: then the other goes on. Where both have answered, the
answers are compared.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kripke.engines.apart import Apart, Done, Report
from kripke.engines.encoded import Answer, Encodings, Job
from kripke.engines.explicit.conclusion import PLEASE_REPORT
from kripke.engines.explicit.search import Progress, Watch
from kripke.engines.plan import SearchPlan
from kripke.engines.portfolio.choice import choose, symbolic_jobs
from kripke.engines.refusals import refuse_combination
from kripke.engines.registry import Engine, Property, engine_for, loaded
from kripke.engines.unsupported import Unsupported
from kripke.memory import default_limit
from kripke.model.model import Model
from kripke.model.result import Result

#: of the memory, what the symbolic engine may take where two run side by side
_SYMBOLIC_SHARE = 0.25


def check(
    model: Model, properties: Sequence[Property], plan: SearchPlan, *, watch: Watch | None, origin: Mapping[str, Any]
) -> Iterator[Result]:
    usual = replace(plan, engine=None)
    engines = [engine_for(property_.kind, usual) for property_ in properties]
    for property_, engine in zip(properties, engines, strict=True):
        engine.refuse_model(model, usual)
        if not engine.asks_rules:
            refuse_combination(usual, engine.name, "safety", bounded=usual.max_depth is not None)
        if engine.refuse_check:
            loaded(engine.refuse_check)(model, [property_], usual)
    for property_, engine in zip(properties, engines, strict=True):
        contest = _Contest(model, property_, engine, plan, watch, origin)
        result = contest.result()
        yield replace(result, engine={**result.engine, "auto": contest.words})
        if result.interrupted:
            return


class _Decided(Exception):
    """The other engine has answered."""


class _Contest:
    """One property. ``words``: which engine was taken, and why."""

    def __init__(
        self,
        model: Model,
        property_: Property,
        engine: Engine,
        plan: SearchPlan,
        watch: Watch | None,
        origin: Mapping[str, Any],
    ) -> None:
        self.model, self.property, self.engine, self.watch, self.origin = model, property_, engine, watch, origin
        self.plan = replace(plan, engine=None)
        self.name = "native" if engine.name in ("explicit", "branching") else engine.name
        self.words = ""
        self.other: Result | None = None
        self.jobs: list[Job] = []
        self.why_alone = ""
        try:
            self.jobs = symbolic_jobs(model, property_, plan, origin)
        except Unsupported as refusal:
            self.why_alone = str(refusal)

    def result(self) -> Result:
        if not self.jobs:
            self.words = f"{self.name} alone: {self.why_alone}"
            return self._usual(self.plan, self.watch)
        if _cores() < 2:
            return self._in_turn()
        limit = self.plan.memory or default_limit()
        parts = int(limit * (1 - _SYMBOLIC_SHARE)), int(limit * _SYMBOLIC_SHARE)
        with self._apart(parts[1]) as apart:
            return self._side_by_side(apart, replace(self.plan, memory=parts[0] or None))

    def _apart(self, memory: int | None) -> Apart[tuple[int, Answer]]:
        def work(report: Report) -> tuple[int, Answer]:
            encodings = Encodings(self.model, "auto")
            number, why = choose(self.jobs, encodings)
            report(f"{self.jobs[number].engine}: {why}")
            return number, self.jobs[number].work(report, encodings)

        return Apart(work, memory=memory or None, time_limit=self.plan.time_limit)

    def _usual(self, plan: SearchPlan, watch: Watch | None) -> Result:
        found: Iterable[Result]
        found = loaded(self.engine.check)(self.model, [self.property], plan, watch=watch, origin=self.origin)
        return next(iter(found))

    # --- one after the other ------------------------------------------------------------------------------------------

    def _in_turn(self) -> Result:
        first = self._usual(self.plan, self.watch)
        self.words = f"{self.name}, since there is one core"
        if first.verdict != "unknown" or first.interrupted or "time limit" in first.reason:
            return first
        with self._apart(self.plan.memory) as apart:
            second = self._symbolic(apart, apart.wait(self.watch))
        self.words += f"; then {apart.news or 'a symbolic engine'}"
        return second if second is not None and second.verdict != "unknown" else first

    # --- side by side -------------------------------------------------------------------------------------------------

    def _side_by_side(self, apart: Apart[tuple[int, Answer]], plan: SearchPlan) -> Result:
        first: Result | None = None
        try:
            first = self._usual(plan, self._looking_at(apart))
        except _Decided:
            assert self.other is not None
            return self._told(
                self.other, apart, f"{self.other.engine['name']}, which answered first, beside {self.name}"
            )
        if first.verdict != "unknown":
            self._look(apart)
            if self.other is not None and self.other.verdict not in ("unknown", first.verdict):
                return self._contradiction(first, self.other)
            return self._told(first, apart, f"{self.name}, which answered first")
        if not first.interrupted:
            done = self._waited(apart)
            other = self.other if done is None else self._symbolic(apart, done)
            if other is not None and (other.verdict != "unknown" or other.interrupted):
                return self._told(other, apart, f"{other.engine['name']}, since {self.name} came to no answer")
        return self._told(first, apart, f"{self.name}; neither engine came to an answer")

    def _looking_at(self, apart: Apart[tuple[int, Answer]]) -> Callable[[Progress], object]:
        def look(now: Progress) -> object:
            answer = self.watch(now) if self.watch is not None else None
            self._look(apart)
            if self.other is not None and self.other.verdict != "unknown":
                raise _Decided
            return answer

        return look

    def _look(self, apart: Apart[tuple[int, Answer]]) -> None:
        """Has the symbolic engine come to a result?"""
        if self.other is not None or self.why_alone:
            return
        try:
            done = apart.look()
        except Unsupported as refusal:
            self.why_alone = str(refusal)
            return
        if done is not None:
            self.other = self._symbolic(apart, done)

    def _waited(self, apart: Apart[tuple[int, Answer]]) -> Done[tuple[int, Answer]] | None:
        """None: there is nothing to wait for."""
        if self.other is not None or self.why_alone:
            return None
        try:
            return apart.wait(self.watch)
        except Unsupported as refusal:
            self.why_alone = str(refusal)
            return None

    def _symbolic(self, apart: Apart[tuple[int, Answer]], done: Done[tuple[int, Answer]]) -> Result | None:
        """The result of what was done apart, its run replayed."""
        number, answer = done.answer if done.answer is not None else (0, None)
        name = apart.news.partition(":")[0]
        job = next((job for job in self.jobs if job.engine == name), self.jobs[number])
        return job.result(Done(answer, done.reason, done.seconds, done.last))

    def _told(self, result: Result, apart: Apart[tuple[int, Answer]], who: str) -> Result:
        beside = self.why_alone or apart.news
        if self.why_alone:
            self.words = f"{self.name} alone: {self.why_alone}"
        else:
            self.words = f"{who} ({beside})" if beside else f"{who}, before a symbolic engine had begun"
        return result

    def _contradiction(self, first: Result, second: Result) -> Result:
        """Two engines that do not agree: one of them is wrong, and nobody knows which."""
        names = self.name, second.engine["name"]
        self.words = f"{names[0]} and {names[1]} do not agree"
        reason = f"{names[0]} says {first.verdict}, {names[1]} says {second.verdict}; {PLEASE_REPORT}"
        return replace(first, verdict="unknown", reason=reason, complete=False, errors=0, findings=(), trace=None)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
