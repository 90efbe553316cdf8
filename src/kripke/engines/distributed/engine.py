"""How the distributed engine runs: the model is compiled here, searched by workers, and what they find is replayed
here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from kripke.compilation.cache import Unusable, open_user_cache
from kripke.deadline import current, keeping
from kripke.engines.distributed import supervisor
from kripke.engines.distributed.facts import facts_of, restart_notes
from kripke.engines.distributed.job import Job
from kripke.engines.distributed.outcome import outcome_of
from kripke.engines.distributed.partition import Partition
from kripke.engines.distributed.saving import as_text
from kripke.engines.distributed.saving import read as read_checkpoint
from kripke.engines.explicit.checkpoint import KEY_BYTES, fingerprint
from kripke.engines.explicit.conclusion import conclude
from kripke.engines.explicit.prepare import prepare_native
from kripke.engines.explicit.safety import search_request, store_options
from kripke.engines.explicit.search import SearchRequest, Watch
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.memory import default_limit
from kripke.model.capabilities.compilable import c_source
from kripke.model.model import Model
from kripke.model.property import Safety, Temporal
from kripke.model.result import Result

_CHECKPOINT_EVERY = 30.0  # seconds


def check(
    model: Model,
    properties: Sequence[Safety | Temporal],
    plan: SearchPlan,
    *,
    watch: Watch | None,
    origin: Mapping[str, Any],
) -> Iterator[Result]:
    refuse(model, properties, plan)
    with keeping(current().within(plan.time_limit)):
        for property_ in properties:
            result = _check(model, property_, plan, watch, origin)
            yield result
            if result.interrupted:
                return


def refuse(model: Model, properties: Sequence[Safety | Temporal], plan: SearchPlan) -> None:
    if plan.hosts is not None and not os.path.isfile(plan.hosts):
        raise Unsupported(f"--hosts {plan.hosts}: there is no such file; it has the name of a machine on each line")
    dynamic, own = split_partition(plan.partition)
    if own not in ("hash", "auto"):
        places_of(own)
    if dynamic:
        _refuse_dynamic(properties, plan)
    _siblings(plan.siblings)
    if plan.cycles not in (None, "owcty", "nested"):
        raise Unsupported(f"--cycles {plan.cycles}: choose owcty or nested")
    if plan.look_ahead and plan.chosen_store != "full":
        raise Unsupported(f"--look-ahead with --store {plan.store}: it goes with the full store; leave one out")
    if plan.look_ahead and plan.checkpoints:
        raise Unsupported("--look-ahead with --checkpoint: who looks ahead has states of later levels; leave one out")
    if model.one_thread:
        raise Unsupported(f"--workers {plan.workers}: {model.one_thread}; leave it out")
    from kripke.engines.distributed.temporal import refuse_temporal

    for property_ in properties:
        if isinstance(property_, Temporal):
            refuse_temporal(model, property_, plan)
        elif plan.cycles is not None and len(properties) == 1:
            raise Unsupported(f"--cycles {plan.cycles}: only safety is checked here, without cycles; leave it out")


def _check(
    model: Model, property_: Safety | Temporal, plan: SearchPlan, watch: Watch | None, origin: Mapping[str, Any]
) -> Result:
    workers = plan.workers or 1
    engine = prepare_native(model)
    memory = plan.memory or default_limit() // (1 if plan.hosts else workers)
    request = replace(
        search_request(model, plan, "bfs"), memory=memory, store=store_options(replace(plan, memory=memory))
    )
    job = job_of(model, plan, request, engine)
    if isinstance(property_, Temporal):
        from kripke.engines.distributed.temporal import check_temporal

        return check_temporal(model, property_, plan, request, job, engine, watch, origin)
    plain = plan.chosen_store == "full" and not plan.look_ahead and not plan.checkpoints and not job.dynamic
    job = _with_checkpoints(replace(job, levelling=plain and bool(job.places)), model, plan, request)
    answer = supervisor.run(job, workers, plan.hosts, watch)
    outcome = outcome_of(answer.outcome, request)
    if answer.interrupted and not outcome.complete and outcome.reason == "":
        outcome = replace(outcome, reason="interrupted")
    return conclude(model, property_, plan, request, engine, outcome, origin, facts_of(answer), restart_notes(answer))


def job_of(model: Model, plan: SearchPlan, request: SearchRequest, engine: Any) -> Job:
    partition = _partition(plan, engine.library)
    with open(engine.compiled.path, "rb") as file:
        library = file.read()
    return Job(
        workers=plan.workers or 1,
        deadlock=request.deadlock,
        invariants=request.invariants,
        stop_at_first=request.stop_at_first,
        max_depth=request.max_depth,
        max_states=request.max_states,
        memory=request.memory,
        memory_given=plan.memory is not None,
        time_limit=current().within(plan.time_limit).limit(),
        store=asdict(request.store),
        path=str(engine.compiled.path),
        library=library,
        source=c_source(model) or "",
        partition=partition.name,
        owners=partition.owners,
        places=partition.bytes,
        siblings=_siblings(plan.siblings),
        look_ahead=plan.look_ahead,
        dynamic=split_partition(plan.partition)[0],
    )


def split_partition(name: str | None) -> tuple[bool, str]:
    """Of ``dynamic:auto``: do classes change their owners, and what makes the classes."""
    name = name or "hash"
    kind, _, own = name.partition(":")
    return (True, own or "hash") if kind == "dynamic" else (False, name)


def _refuse_dynamic(properties: Sequence[Safety | Temporal], plan: SearchPlan) -> None:
    wanted = f"--partition {plan.partition}"
    if plan.chosen_store != "full":
        raise Unsupported(f"{wanted} with --store {plan.store}: it goes with the full store; leave one out")
    if plan.look_ahead or plan.checkpoints:
        raise Unsupported(f"{wanted}: states change their owners, so leave out --look-ahead and --checkpoint")
    if any(isinstance(property_, Temporal) for property_ in properties):
        raise Unsupported(f"{wanted}: it is for --property safety; choose another partition")


def _partition(plan: SearchPlan, library: Any) -> Partition:
    """By name: ``hash``, ``auto`` (measured), or ``bytes:3,7``, places in a state."""
    workers, name = plan.workers or 1, split_partition(plan.partition)[1]
    if name == "hash":
        return Partition("hash", ())
    from kripke.engines.distributed.measuring import by_bytes, measured, sample

    if name == "auto":
        return measured(library, workers)
    return by_bytes(places_of(name), sample(library).states, workers)


def places_of(name: str) -> tuple[int, ...]:
    """Of ``bytes:3,7``."""
    kind, _, listed = name.partition(":")
    places = [text for text in listed.split(",") if text.isascii() and text.isdigit() and len(text) < 7]
    if kind != "bytes" or not places or len(places) != listed.count(",") + 1:
        raise Unsupported(
            f"there is no partition {name!r}: choose hash, auto, or bytes:3,7 with places in a state; dynamic: may "
            "stand before each"
        )
    return tuple(sorted({int(place) for place in places}))


def _siblings(given: str | None) -> int:
    """How many sent states are remembered: by default those that the store met lately (-1), or all (-2), or so many."""
    if given is None:
        return -1
    if given == "all":
        return -2
    if not (given.isascii() and given.isdigit() and len(given) < 10):
        raise Unsupported(f"--siblings {given}: give a number of states, or all")
    return int(given)


def _with_checkpoints(job: Job, model: Model, plan: SearchPlan, request: SearchRequest) -> Job:
    folder = plan.checkpoint or plan.resume
    if folder is None:
        return job
    if plan.checkpoint and plan.resume and os.path.realpath(plan.checkpoint) != os.path.realpath(plan.resume):
        raise Unsupported("--checkpoint and --resume: workers go on in the folder they come from; give the same one")
    place = os.path.realpath(folder)
    if os.path.exists(place) and not os.path.isdir(place):
        raise Unsupported(
            f"--checkpoint {folder}: with --workers this is a folder, and there is a file; choose another"
        )
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        key = open_user_cache().secret("checkpoints", KEY_BYTES)
    except OSError as error:
        raise Unsupported(f"--checkpoint {folder}: {error.strerror}") from error
    except Unusable as error:
        raise Unsupported(f"a checkpoint is marked with a key that is kept with compiled models: {error}") from error
    mark = fingerprint(model, request)
    if plan.resume is not None:
        read_checkpoint(place, key, mark)
    return replace(
        job,
        checkpoint=place,
        checkpoint_seconds=plan.checkpoint_every or _CHECKPOINT_EVERY,
        fingerprint=mark,
        key=as_text(key),
        resume=plan.resume is not None,
    )
