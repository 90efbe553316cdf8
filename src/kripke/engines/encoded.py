"""What the engines on terms share: the model in terms, the answer of their work, and the result that it becomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from random import Random
from typing import Any

from kripke import __version__
from kripke.deadline import Deadline, OutOfTime, current, keeping
from kripke.engines.apart import Done, Report, work_apart
from kripke.engines.explicit.conclusion import NOT_REPLAYED, PLEASE_REPORT, finding_of
from kripke.engines.explicit.search import ErrorPath, SearchRequest, Watch
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.engines.runs.replay import ReplayFailure
from kripke.memory import default_limit
from kripke.model.capabilities.encodable import Encodable, Encoding
from kripke.model.model import Model
from kripke.model.product import Product
from kripke.model.property import Safety, Temporal
from kripke.model.result import Finding, Result, Verdict
from kripke.numbers import size_text
from kripke.terms.assumption import assumable, assumed, guessed, wider
from kripke.terms.narrowing import narrowed
from kripke.terms.term import Symbol

_ROOMS = (1, 2, 4, 8)
_SAMPLE = 500  # states whose steps are looked at
_MOST_STEPS = 200  # of each of them
_SAMPLE_SECONDS = 2.0  # of processor time
_MOST_GUESSES = 8
NO_START = "the model has no initial state"

State = bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """``error`` is what was found. Without one: ``reason`` says why nothing is known, empty: it holds. ``facts`` are
    more to say about the work, ``notes`` warnings."""

    error: ErrorPath | None = None
    reason: str = ""
    states: int = 0
    transitions: int = 0
    depth: int = 0
    bytes: int = 0
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    violated: str = ""
    """A property is violated, and ``error`` does not say how: what to say."""
    run: tuple[State, ...] = ()
    """States of the model, one after the other, that show why ``violated``, or why it holds."""
    loop: int | None = None
    """The place in ``run`` to which its last state, which is the same, returns."""


class Encodings:
    """The model in terms, with more and more room, each made once, when it is asked for. Unsupported where it cannot be
    said.

    Variables get few bits at first: bounds that a sample of the states keeps are assumed (``terms/assumption.py``). Who
    meets a limit says so (``met``) and asks for the next.
    """

    def __init__(self, model: Model, engine: str) -> None:
        self._engine, self._model = engine, model
        self._encodable = model.capability(Encodable)
        self._made: list[Encoding] = []
        self._coming = self._encodings()
        self._met = ""

    def met(self, limit: str) -> None:
        """Which limit of the last encoding was reached."""
        self._met = limit

    def __iter__(self) -> Iterator[Encoding]:
        number = 0
        while True:
            if number == len(self._made):
                encoding = next(self._coming, None)
                if encoding is None:
                    return
                self._made.append(encoding)
            yield self._made[number]
            number += 1

    def _encodings(self) -> Iterator[Encoding]:
        assert self._encodable is not None, "the engine needs it"
        for room in _ROOMS:
            encoding = self._encodable.encode(room)
            if isinstance(encoding, str):
                raise Unsupported(f"--engine {self._engine}: {encoding}; leave it out")
            declared = encoding.system
            encoding = replace(encoding, system=narrowed(declared))
            if not encoding.system.limits:
                yield from self._within_bounds(encoding, assumable(declared, encoding.system))
            yield encoding
            if not encoding.system.limits:
                return

    def _within_bounds(self, encoding: Encoding, variables: list[Symbol]) -> Iterator[Encoding]:
        """With bounds that are assumed of these variables, wider and wider."""
        if not variables:
            return
        ranges = guessed(encoding.system, variables, self._seen(encoding))
        for _ in range(_MOST_GUESSES):
            system = assumed(encoding.system, variables, ranges)
            if system is None:
                return
            yield replace(encoding, system=system)
            if self._met not in ranges:
                return
            ranges[self._met] = wider(ranges[self._met])

    def _seen(self, encoding: Encoding) -> Iterator[tuple[int, ...]]:
        for state in _sample(self._model):
            with suppress(ValueError):
                yield encoding.values(state)


def _sample(model: Model) -> list[State]:
    """Some states that are reached, the same ones every time, unless there is no time for so many: they are a guess."""
    states: list[State] = []
    with suppress(OutOfTime), keeping(current().within_work(_SAMPLE_SECONDS)) as pause:
        choose = Random(1)
        states += model.initial()[:_SAMPLE]
        known = set(states)
        for number in range(_SAMPLE):
            if number == len(states):
                break
            other = choose.randrange(number, len(states))
            states[number], states[other] = states[other], states[number]
            for step in islice(model.each_successor(states[number]), _MOST_STEPS):
                pause()
                if step.target is not None and step.target not in known:
                    known.add(step.target)
                    states.append(step.target)
    return states


@dataclass(frozen=True, slots=True)
class Job:
    """A property in the hands of an engine on terms: the work that is done apart, and what its answer becomes."""

    engine: str
    work: Callable[[Report, Encodings], Answer]
    result: Callable[[Done[Answer]], Result]


def done_apart(model: Model, jobs: Iterable[Job], plan: SearchPlan, watch: Watch | None) -> Iterator[Result]:
    """One after the other, as far as an interruption."""
    for job in jobs:

        def work(report: Report, job: Job = job) -> Answer:
            return job.work(report, Encodings(model, job.engine))

        done = work_apart(work, memory=plan.memory, time_limit=plan.time_limit, watch=watch)
        yield job.result(done)
        if done.reason == "interrupted":
            return


def refuse_start(model: Model, engine: str) -> None:
    """Unsupported, where there is no state to begin with."""
    if model.initial_violations():
        raise Unsupported(f"--engine {engine}: the start values of the model break something; leave it out to see what")


def invariant_atoms(model: Model, goal: Safety) -> list[int]:
    numbers = {name: number for number, name in enumerate(model.atoms)}
    unknown = [name for name in goal.invariants if name not in numbers]
    if unknown:
        raise Unsupported(f"the model has no atom {unknown[0]!r} to serve as an invariant")
    return [numbers[name] for name in goal.invariants]


def result_of(
    model: Model,
    goal: Safety | Temporal,
    plan: SearchPlan,
    engine: Mapping[str, Any],
    done: Done[Answer],
    origin: Mapping[str, Any],
) -> Result:
    """What the answer means, its run replayed. ``model`` is the product with the observer for a property of runs."""
    answer = done.answer or Answer(reason=_stopped(done.reason, plan))
    if done.answer is None and done.last is not None:
        answer = replace(answer, states=done.last.states, depth=done.last.depth, bytes=done.last.bytes)
    findings: tuple[Finding, ...] = ()
    verdict: Verdict = "unknown" if answer.reason else "holds"
    reason, notes = answer.reason, answer.notes
    property_, kind = str(goal), str(goal.kind)
    if answer.error is not None:
        left = None if plan.time_limit is None else max(1.0, plan.time_limit - done.seconds)
        request = SearchRequest(shortest=plan.shortest)
        try:
            found = finding_of(model, goal, answer.error, request, origin, Deadline(left))
            findings, verdict = (found,), "violated"
            reason, property_, kind = found.message, found.property, found.kind
            notes += (NOT_REPLAYED,) if found.unreplayed else ()
        except ReplayFailure as failure:
            verdict, reason = "unknown", f"the interpreter cannot replay what was found: {failure}; {PLEASE_REPORT}"
    elif answer.violated:
        verdict, reason = "violated", answer.violated
        findings = (Finding(kind, property_, reason),)
    base = model.base if isinstance(model, Product) else model
    return Result(
        verdict=verdict,
        reason=reason,
        property=property_,
        kind=kind,
        states=answer.states,
        transitions=answer.transitions,
        depth=answer.depth,
        errors=len(findings),
        state_bytes=0,
        store_bytes=answer.bytes,
        seconds=done.seconds,
        compile_seconds=0.0,
        engine={"store": "full", "por": False, "threads": 1, "all_errors": False, **engine, **answer.facts},
        complete=verdict == "holds",
        trace=findings[0].trace if findings else None,
        model={"file": base.file, "language": base.language},
        version=__version__,
        warnings=(*(str(warning) for warning in base.warnings), *notes),
        findings=findings,
        statement_count=len(base.statements),
        name=goal.name,
        interrupted=done.reason == "interrupted",
    )


def _stopped(reason: str, plan: SearchPlan) -> str:
    match reason:
        case "memory":
            return f"the memory limit of {size_text(plan.memory or default_limit())} was reached"
        case "time" if plan.time_limit is None:
            return "the time limit was reached"
        case "time":
            return f"the time limit of {plan.time_limit:g} s was reached"
        case _:
            return reason
