"""Workers that are there already: this process is one of those that somebody's ``mpiexec`` has started."""

from __future__ import annotations

from typing import Any

from kripke.engines.distributed.job import Job
from kripke.engines.distributed.mpi import load_mpi
from kripke.engines.distributed.outcome import progress_of
from kripke.engines.distributed.worker import serve
from kripke.engines.explicit.search import Watch
from kripke.engines.unsupported import Unsupported


class _Here:
    mpi: Any = None


def begin() -> tuple[bool, int]:
    """Is this process the first, and of how many?"""
    _Here.mpi = load_mpi()
    world = _Here.mpi.COMM_WORLD
    return world.Get_rank() == 0, world.Get_size()


def has_begun() -> bool:
    return _Here.mpi is not None


def attend() -> None:
    """Of those that are not the first: work, until it says that it is over."""
    while serve(_Here.mpi, "", lambda _: None, str) != {}:
        pass


def end() -> None:
    """Of the first: let the others go."""
    serve(_Here.mpi, "", lambda _: None, str)
    _Here.mpi = None


def run(job: Job, workers: int, watch: Watch | None) -> tuple[dict[str, Any], bool]:
    """The outcome, and whether it was Ctrl-C that ended it. Unsupported where the workers refuse."""
    there = _Here.mpi.COMM_WORLD.Get_size()
    if workers != there:
        raise Unsupported(f"--workers {workers}: mpiexec has started {there}; leave the option out")
    stops = []

    def tell(news: dict[str, Any]) -> None:
        if watch is not None and "progress" in news:
            try:
                watch(progress_of(news, there))
            except KeyboardInterrupt:
                stops.append(True)

    answer = serve(_Here.mpi, job.text(), tell, lambda: "interrupted" if stops else "")
    assert answer is not None
    if "refused" in answer:
        raise Unsupported(f"--workers {workers}: {answer['refused']}")
    return answer, bool(stops)
