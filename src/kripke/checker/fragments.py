"""A state space by several workers, in fragments."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from kripke.engines.distributed import engine as distributed
from kripke.engines.distributed import supervisor
from kripke.engines.distributed.exploring import rows_name, steps_name
from kripke.engines.distributed.outcome import outcome_of
from kripke.engines.explicit.prepare import prepare_native
from kripke.engines.explicit.safety import search_request
from kripke.engines.explicit.search import Outcome, Watch
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.memory import default_limit
from kripke.model.model import Model
from kripke.report.fragments import Fragments, write_fragments


def explore_by_workers(
    model: Model,
    workers: int,
    folder: str,
    *,
    hosts: str | None = None,
    memory: int | None = None,
    max_states: int = 0,
    watch: Watch | None = None,
) -> tuple[Fragments, Outcome]:
    """The fragments, and what the search that made them says. The folder is there, and empty."""
    plan = SearchPlan(workers=workers, hosts=hosts, memory=memory, all_errors=True, max_states=max_states or None)
    distributed.refuse(model, (), plan)
    engine = prepare_native(model)
    limit = memory or default_limit() // (1 if hosts else workers)
    request = replace(search_request(model, plan, "bfs"), memory=limit, deadlock=False, invariants=())
    job = replace(distributed.job_of(model, plan, request, engine), fragments=os.path.realpath(folder))
    answer = supervisor.run(job, workers, hosts, watch)
    if answer.outcome["problem"]:
        for worker in range(len(answer.outcome["parts"])):
            for name in (steps_name(worker), rows_name(worker)):
                Path(folder, name).unlink(missing_ok=True)
        raise Unsupported(f"{folder}: a worker could not write there: {answer.outcome['problem']}")
    reason = "interrupted" if answer.interrupted else answer.outcome["reason"]
    made = write_fragments(model, folder, {**answer.outcome, "reason": reason})
    return made, outcome_of(answer.outcome, request)
