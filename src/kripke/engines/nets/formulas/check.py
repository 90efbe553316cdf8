"""The engine behind ``--formulas`` and ``--examine``: many questions about one net, a result for each.

One object answers them all, so that a search made for one serves the others.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

from kripke import __version__
from kripke.deadline import current
from kripke.engines.branching.graph import GraphLimits
from kripke.engines.explicit.search import Watch
from kripke.engines.nets.formulas.answers import REASONS, QueryAnswerer
from kripke.engines.nets.formulas.examinations import answered_size, examine, measure
from kripke.engines.nets.formulas.refusals import refuse_beside
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.model.answer import Answer
from kripke.model.model import Model
from kripke.model.result import Result
from kripke.nets.examinations import EXAMINATIONS, STATE_SPACE, Examination
from kripke.nets.formulas import Query
from kripke.nets.model import NetModel

Question = Query | Examination


def questions(model: Model, plan: SearchPlan) -> list[Question]:
    """What the plan asks of a net: every formula of the files that were read with it, then the examinations."""
    for name in plan.examine:
        if name not in EXAMINATIONS:
            raise Unsupported(f"--examine {name}: there are {', '.join(EXAMINATIONS)}")
    # The rest of a plan is refused by what the engine takes.
    refuse_beside({name: getattr(plan, name) for name in ("invariants", "properties", "possible")})
    net = _net(model)
    if not net.queries and not plan.examine:
        raise Unsupported(f"--formulas: there is no formula in {', '.join(plan.formula_files)}")
    return [*net.queries, *map(Examination, plan.examine)]


def _net(model: Model) -> NetModel:
    net = model.capability(NetModel)
    assert net is not None, "the engine needs it"
    return net


def check(
    model: Model,
    properties: Sequence[Question],
    plan: SearchPlan,
    *,
    watch: Watch | None,
    origin: Mapping[str, Any],
) -> list[Result]:
    """A result for each, in their order. The figures of all are those of the largest search made."""
    begin = perf_counter()
    limits = GraphLimits(plan.max_states or 0, plan.memory or 0, current().within(plan.time_limit).limit())
    answerer = QueryAnswerer(_net(model), plan.engine == "interpreter", limits, watch=watch)
    answers: list[Answer] = []
    try:
        for batch in _batches(properties):
            answers += _answered(answerer, batch)
    except KeyboardInterrupt:  # what is answered is answered
        answers += [Answer(one.name, None, "", REASONS["interrupted"]) for one in properties[len(answers) :]]
    seconds = perf_counter() - begin
    return [_result(answerer, answer, one.kind, seconds) for one, answer in zip(properties, answers, strict=True)]


def _batches(questions: Sequence[Question]) -> list[Sequence[Query] | Examination]:
    """The formulas of one file share their searches. Names are unique there, also where a file is given twice."""
    batches: list[Sequence[Query] | Examination] = []
    last: list[Query] = []
    for question in questions:
        if isinstance(question, Examination):
            batches.append(question)
            last = []
            continue
        if not last or last[0].file != question.file or any(question.name == other.name for other in last):
            last = []
            batches.append(last)
        last.append(question)
    return batches


def _answered(answerer: QueryAnswerer, batch: Sequence[Query] | Examination) -> list[Answer]:
    if not isinstance(batch, Examination):
        return answerer.answer(batch)
    if batch.name != STATE_SPACE:
        return [examine(answerer, batch.name)]
    sys.set_int_max_str_digits(0)  # there may be more states than numbers usually have digits
    return [answered_size(measure(answerer))]


def _result(answerer: QueryAnswerer, answer: Answer, kind: str, seconds: float) -> Result:
    model = answerer.model
    warnings = (*(str(warning) for warning in model.warnings), *answerer.warnings)
    return Result(
        verdict=answer.verdict,
        reason=answer.reason if answer.value is not False else f"{answer.name} is false",
        property=answer.name,
        kind=kind,
        states=answerer.states,
        transitions=answerer.transitions,
        depth=0,
        errors=int(answer.value is False),
        state_bytes=model.max_state_bytes,
        store_bytes=0,
        seconds=seconds,
        compile_seconds=0.0,
        engine={
            "name": "interpreter" if answerer.interpret else "native",
            "search": "formulas",
            "store": "full",
            "por": False,
            "threads": 1,
        },
        complete=answer.value is not None,
        trace=None,
        model={"file": model.file, "language": model.language},
        version=__version__,
        warnings=tuple(dict.fromkeys(warnings)),
        statement_count=len(model.statements),
        name=answer.name,
        answer=answer,
    )
