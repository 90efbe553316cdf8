"""A worker of a distributed search: what every process does that ``mpiexec`` starts.

The first worker gets the job, and passes it on. All compare versions and machines, load the model, and search. What is
found goes to the first, who answers. Lines that the first one writes are for the supervisor (``supervisor.py``).
"""

from __future__ import annotations

import json
import os
import platform
import select
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from secrets import token_hex
from threading import Lock, Thread
from time import monotonic, perf_counter
from typing import Any

from kripke._native import BadBatch, DistributedSearch, Model
from kripke.engines.distributed import saving
from kripke.engines.distributed.job import BadJob, Job
from kripke.engines.distributed.mpi import MpiTransport, load_mpi
from kripke.engines.distributed.partition import Partition, by_hash
from kripke.engines.distributed.relay import facts, mismatch
from kripke.engines.distributed.rounds import Level, Rounds, Search
from kripke.engines.distributed.saving import as_bytes, as_text
from kripke.engines.unsupported import Unsupported
from kripke.memory import default_limit

MARK = "kripke-job "  # before a line for the supervisor
_NEWS_EVERY = 0.2
_SIGN_EVERY = 2.0
_BUFFERS = 64 << 20  # bytes of all send buffers of a worker, about
_MOST_BUFFER, _LEAST_BUFFER = 1 << 20, 4 << 10  # MPICH moves large ones in few looks at them, small ones in many


class Refused(Exception):
    """The workers do not go together; the message is for people."""


class FilesMissing(Refused):
    """A checkpoint has files that no host has."""


Tell = Callable[[dict[str, Any]], None]
Asked = Callable[[], str]  # why the search is to end, or nothing


def main() -> int:
    """In a process that a relay or mpiexec has started. The first reads the job: from the file that is named, or, where
    the name is ``-``, from its input. (MPICH's mpiexec dies of long inputs.)"""
    line = _Line(ends_with_us=sys.argv[1:] == ["-"])
    text = line.read_job()  # before MPI begins, which takes a relay that is not busy writing
    mpi = load_mpi()
    rank, size = mpi.COMM_WORLD.Get_rank(), mpi.COMM_WORLD.Get_size()
    line.watch(rank)
    if rank == 0 and not text:
        text = _text_of(sys.argv[1])
    if rank == 0 and size == 1 and Job.read(text).workers > 1:
        library = mpi.Get_library_version().partition("\n")[0].strip("\0 ")
        raise Refused(
            f"mpiexec is of another MPI than mpi4py, which uses {library}: set MPI4PY_LIBMPI to the libmpi of this "
            "mpiexec"
        )
    answer = serve(mpi, text, _tell_line, line.asked if rank == 0 else str)
    if answer is not None:
        _tell_line({"outcome": answer} if "refused" not in answer else answer)
    return 0


def _text_of(name: str) -> str:
    try:
        with open(name, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise Refused(
            f"there is no job here ({error}): the first host must be the one on which the command was typed"
        ) from error


def serve(mpi: Any, text: str, tell: Tell, asked: Asked) -> dict[str, Any] | None:
    """One job, on all workers; ``text`` is the first one's. Its outcome, or why it is refused, for the first. An empty
    text is the end, and an empty answer for all."""
    setting = MpiTransport(mpi, 0)
    try:
        text = setting.share(text)
        if not text:
            return {}
        refused = ""
        try:
            job = Job.read(text)
        except BadJob as error:
            refused = str(error)
        refused = refused or mismatch(setting.exchange(facts()))
        if refused:
            return {"refused": refused} if setting.rank == 0 else None
        try:
            model, own = _load(setting, job), ""
        except (RuntimeError, OSError, Unsupported) as error:
            own = f"worker {setting.rank} on {platform.node()} could not load the model: {error}"
        problems = [problem for problem in setting.exchange(own) if problem]
        if problems:
            return {"refused": problems[0]} if setting.rank == 0 else None
        if not job.memory_given:  # what is free here, for those that are here
            job = replace(job, memory=min(job.memory, default_limit() // setting.neighbours()) or job.memory)
        buffer_bytes = job.buffer_bytes or buffer_size(setting.size, job.memory)
        buffer_bytes = max(buffer_bytes, (model.max_state_bytes + 16) * (2 if job.nested else 1) + 64)
    finally:
        setting.close()
    transport = MpiTransport(mpi, buffer_bytes)
    try:
        outcome = worker_for(job)(transport, job, model, buffer_bytes, tell, asked).run()
    except Refused as error:  # on all workers alike
        refusal = {"refused": str(error), "files_missing": isinstance(error, FilesMissing)}
        outcome = refusal if transport.rank == 0 else None
    transport.close()
    return outcome


def buffer_size(workers: int, memory: int) -> int:
    """Of a batch: all that a worker may fill together are a given part of its memory."""
    wanted = min(_BUFFERS // (2 * workers), _MOST_BUFFER)
    return max(min(wanted, memory // 256) if memory else wanted, _LEAST_BUFFER)


def worker_for(job: Job) -> type[Worker]:
    if job.fragments:
        from kripke.engines.distributed.exploring import ExploreWorker

        return ExploreWorker
    if job.dynamic or job.levelling:
        from kripke.engines.distributed.dynamic import DynamicWorker

        return DynamicWorker
    if not job.cycles:
        return Worker
    if job.nested:
        from kripke.engines.distributed.nested import NestedWorker

        return NestedWorker
    from kripke.engines.distributed.cycles import CycleWorker

    return CycleWorker


def _load(transport: MpiTransport, job: Job) -> Model:
    """The compiled model: where the file is there, from it, else from a copy, else built anew."""
    digest = sha256(job.library).hexdigest()
    try:
        with open(job.path, "rb") as file:
            there = sha256(file.read()).hexdigest() == digest
    except OSError:
        there = False
    if there:
        return Model(job.path)
    with tempfile.TemporaryDirectory(prefix="kripke-worker-") as folder:
        copy = os.path.join(folder, "model.so")
        with open(copy, "wb") as file:
            file.write(job.library)
        try:
            return Model(copy)
        except RuntimeError:
            from kripke.compilation.compile import compile_model

            return Model(str(compile_model(job.source).path))


class Worker:
    def __init__(
        self, transport: MpiTransport, job: Job, model: Model, buffer_bytes: int, tell: Tell, asked: Asked
    ) -> None:
        self.transport, self.job, self.model = transport, job, model
        self.buffer_bytes = buffer_bytes
        self.tell, self.asked = tell, asked
        self.partition = Partition(job.partition, job.owners, job.places) if job.owners else by_hash(transport.size)
        self.profile: list[list[int]] = []
        self.start = perf_counter()
        self.next_news = 0.0
        self.known: dict[int, list[int]] = {}
        self.heard: dict[int, float] = {}
        self.fresh = False  # has the present level begun, and nothing of it was expanded?
        self.files: list[dict[str, Any]] = []
        self.found_before: list[Any] = []
        self.covered = b""
        self.checkpoints = self.failed_checkpoints = 0
        self.sent_before = 0  # by searches that this one has taken the place of
        self.key = as_bytes(job.key)
        self.content = (
            saving.read(job.checkpoint, self.key, job.fingerprint) if job.resume and not transport.rank else {}
        )
        self.clock = saving.Clock(job.checkpoint_seconds, transport.rank == 0)
        self.saver = None
        if job.checkpoint:
            run = transport.share(token_hex(4))
            self.saver = saving.Saver(job.checkpoint, f"states-{run}-{transport.rank}", self.key)
        self.search = self._new_search(job)
        self.driven = self._driven(self.search)
        self.rounds = Rounds(self.driven, transport, self._look, self._due)

    def _new_search(self, job: Job, steps: str = "") -> DistributedSearch:
        return DistributedSearch(
            self.model,
            job.request(),
            rank=self.transport.rank,
            workers=self.transport.size,
            owners=list(self.partition.owners),
            bytes=list(self.partition.bytes),
            buffer_bytes=self.buffer_bytes,
            spare=max(4, min(self.transport.size, 64)),
            siblings=job.siblings,
            look_ahead=job.look_ahead,
            steps=steps,
        )

    def run(self) -> dict[str, Any] | None:
        last = self._levels()
        seconds = perf_counter() - self.start
        reason = last.reason
        if not reason and any(self.transport.exchange(self.search.cut)):
            reason = "depth"
        answer = self._gathered(last, reason, seconds)
        paths = self._paths()
        if answer is not None:
            answer["error_paths"] = paths
        return answer

    # --- the search -----------------------------------------------------------------------------------------------

    def _levels(self) -> Level:
        """Every level, up to the last. What other workers do beside it, they do in the four methods below."""
        limit = self.job.max_depth
        level = self._restored() if self.job.resume else self._first_level()
        while not level.reason and level.queue and not (limit and self.search.level >= limit and not self.fresh):
            if not self.fresh:
                self.search.end_level()
                level.reason = self._between(level)
                if level.reason:
                    break
            self.fresh = False
            self._before(level)
            before = (level.states, level.transitions)
            level = self.rounds.level(self.driven.expand)
            self.profile.append([level.states - before[0], level.transitions - before[1]])
            self._behind(level)
        self._closing(level)
        return level

    def _driven(self, search: DistributedSearch) -> Search:
        """What ``Rounds`` drives."""
        return search

    def _between(self, level: Level) -> str:
        """A level has ended, the next is to be expanded. A reason to end the search, or nothing."""
        self._save(level)
        return ""

    def _before(self, level: Level) -> None:
        """A level is about to be expanded."""

    def _behind(self, level: Level) -> None:
        """A level has been expanded."""

    def _closing(self, level: Level) -> None:
        """There are no more levels."""

    def _first_level(self) -> Level:
        def begin(_: int) -> bool:
            self.search.begin()
            return False

        level = self.rounds.level(begin)
        if level.queue:
            self.search.end_level()
            self._save(level)
            self.fresh = True
        return level

    def _save(self, level: Level) -> None:
        """The level that begins, for the next checkpoint; and that one, where it is time for it."""
        if self.saver is None:
            return
        self.saver.add_level(self.search)
        if not level.checkpoint_due:
            return
        found = self._found()
        parts = self.transport.gather([self.saver.sync(), found, as_text(self.search.covered)])
        if self.transport.rank == 0:
            failed = self.saver.failed or ("" if all(part[0] for part in parts) else "a worker could not write")
            content = {
                "fingerprint": self.job.fingerprint,
                "level": self.search.level,
                "transitions": level.transitions,
                "errors": level.errors,
                "found": [error for part in parts for error in part[1]],
                "covered": as_text(_joined([as_bytes(part[2]) for part in parts] + [self.covered])),
                "files": [*self.files, *(part[0] for part in parts if part[0].get("bytes"))],
            }
            failed = failed or saving.write(self.job.checkpoint, self.key, content)
            self.checkpoints += not failed
            self.failed_checkpoints += bool(failed)
        self.clock.reset()

    def _restored(self) -> Level:
        """The levels of the checkpoint. Who can read a file does; those whom several can see are shared out."""
        search, folder = self.search, self.job.checkpoint
        content = self.transport.share(self.content)
        self.files, self.found_before = content["files"], content["found"]
        self.covered = as_bytes(content["covered"])
        there = [os.path.exists(os.path.join(folder, os.path.basename(file["name"]))) for file in self.files]
        seen = self.transport.exchange(there)
        own = []
        for number, file in enumerate(self.files):
            readers = [worker for worker, files in enumerate(seen) if files[number]]
            if not readers:
                raise FilesMissing(f"--resume {folder}: no host has the file {file['name']}")
            if readers[number % len(readers)] == self.transport.rank:
                own.append(file)
        problems = [saving.whole(folder, self.key, file) for file in own]
        wrong = [problem for problem in self.transport.exchange("; ".join(filter(None, problems))) if problem]
        if wrong:
            raise Refused(f"--resume {folder}: {wrong[0]}")
        if self.transport.rank == 0:
            search.add_transitions(content["transitions"])
            search.add_errors(content["errors"])
        search.begin_restoring()
        for number in range(content["level"] + 1):
            level = self.rounds.level(saving.feeding(search, saving.states_of(folder, own, number)))
            search.end_level()
            if level.reason:
                return level
        search.end_restoring()
        self.fresh = True
        return level

    def _due(self) -> bool:
        """Does this worker ask that something be done between the levels?"""
        return self.clock.due()

    def _look(self) -> str:
        """News for people, limits, and the wish of the one who asked."""
        now = monotonic()
        if now < self.next_news:
            return ""
        if now > self.next_news + 1:
            # This worker was busy with something else; the others may have been, too.
            self.heard = dict.fromkeys(self.heard, now)
        self.next_news = now + _NEWS_EVERY
        figures = list(self.driven.figures())
        if self.transport.rank != 0:
            self.transport.send_news(figures)
            return ""
        self.known[0] = figures
        for sender, news in self.transport.news():
            self.known[sender] = news
            self.heard[sender] = now
        sums = [sum(column) for column in zip(*self.known.values(), strict=True)]
        seconds = perf_counter() - self.start
        states = [one[0] for one in self.known.values()]
        self.tell(
            {
                "progress": [sums[0], sums[1], max(one[2] for one in self.known.values()), sums[3], sums[4], seconds],
                "balance": max(states) * len(states) / max(1, sum(states)),
                "silent": {worker: round(now - when, 1) for worker, when in self.heard.items() if now - when > 5},
            }
        )
        if asked := self.asked():
            return asked
        if self.job.time_limit and seconds >= self.job.time_limit:
            return "time"
        if self.job.max_states and sums[0] >= self.job.max_states:
            return "states"
        return ""

    # --- what was found ---------------------------------------------------------------------------------------------

    def _gathered(self, last: Level, reason: str, seconds: float) -> dict[str, Any] | None:
        search = self.search
        states, transitions, level, queue, _, foreign, sent, errors = search.figures()
        fill, omitted = search.loss()
        own = {
            "states": states,
            "transitions": transitions,
            "queue": queue,
            "level": level,
            "foreign": foreign,
            "sent": sent + self.sent_before,
            "errors": errors,
            "covered": as_text(_joined([search.covered, self.covered])),
            "state_bytes": search.longest,
            "store_bytes": search.store_bytes,
            "peak_bytes": search.peak_bytes,
            "fill": fill,
            "omitted": omitted,
            "host": platform.node(),
        }
        parts = self.transport.gather(own)
        if not parts:
            return None
        saved = {"checkpoints": self.checkpoints, "failed_checkpoints": self.failed_checkpoints}
        told = {"partition": self.partition.name, "profile": self.profile}
        return {"reason": reason, "seconds": seconds, "parts": parts, **saved, **told}

    def _found(self) -> list[Any]:
        return [[*error[:3], as_text(error[3]), error[4]] for error in self.search.found()]

    def _paths(self) -> list[Any]:
        """The errors, the first of each sort, each with a shortest path, found backwards by all workers together."""
        kept: dict[tuple[Any, ...], list[Any]] = {}
        for errors in [self.transport.share(self.found_before), *self.transport.exchange(self._found())]:
            for error in errors:
                known = kept.get(tuple(error[:3]))
                if known is None or error[4] < known[4]:
                    kept[tuple(error[:3])] = error
        found = list(kept.values())[:1] if self.job.stop_at_first else list(kept.values())
        if not found:
            return []
        paths = Retrace(self).paths([(error[3], error[4]) for error in found])
        return [[*error[:3], path] for error, path in zip(found, paths, strict=True)]


class Retrace:
    """Paths to states, from level to level backwards. Where the store keeps no levels, the search is made once more
    with one that does, no deeper than the states are."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker

    def paths(self, ends: list[tuple[str, int]]) -> list[list[str]]:
        """Empty where a path could not be found: there was no memory, or no time."""
        worker = self.worker
        search = worker.search if worker.job.store["name"] == "full" else self._search_again(max(e[1] for e in ends))
        # In the initial step there is no state yet.
        ways: list[list[str]] = [[state] if state else [] for state, _ in ends]
        if search is None:
            return [[] for _ in ends]
        for level in range(max(level for _, level in ends), 0, -1):
            followed = [i for i, (_, deep) in enumerate(ends) if deep >= level and ways[i]]
            wanted = sorted({ways[i][-1] for i in followed})
            parents = search.find_parents(level - 1, [as_bytes(state) for state in wanted])
            answers = worker.transport.exchange([as_text(state) for state in parents])
            by_state = {
                state: next((answer[place] for answer in answers if answer[place]), "")
                for place, state in enumerate(wanted)
            }
            for i in followed:
                parent = by_state[ways[i][-1]]
                ways[i] = [*ways[i], parent] if parent else []
        return [way[::-1] for way in ways]

    def _search_again(self, depth: int) -> DistributedSearch | None:
        worker = self.worker
        job = replace(
            worker.job, store={"name": "full"}, deadlock=False, invariants=(), max_depth=0, stop_at_first=False
        )
        search = worker._new_search(job)
        rounds = Rounds(search, worker.transport, worker._look)

        def begin(_: int) -> bool:
            search.begin()
            return False

        level = rounds.level(begin)
        for _ in range(depth):
            if level.reason not in ("", "error"):
                return None
            search.end_level()
            level = rounds.level(search.expand)
        search.end_level()
        return search


def _joined(covered: list[bytes]) -> bytes:
    """What was executed by any of them."""
    known = [one for one in covered if one]
    return bytes(max(column) for column in zip(*known, strict=True))


# --- the line to the supervisor ---------------------------------------------------------------------------------------


class _Line:
    """What comes in by our input, and signs of life. A thread of its own, since a search is not always listening.
    ``ends_with_us``: the other end of the input is a relay, and where that is gone, so is this worker."""

    def __init__(self, *, ends_with_us: bool) -> None:
        self._ends_with_us = ends_with_us
        self._asked = ""

    def asked(self) -> str:
        """Why we are to stop; empty where we are not."""
        return self._asked

    def read_job(self) -> str:
        """The first line, of the first worker; else nothing."""
        text = bytearray()
        while self._ends_with_us and os.environ.get("PMI_RANK") == "0" and not text.endswith(b"\n"):
            piece = os.read(0, 1 << 16)
            if not piece:
                os._exit(1)
            text += piece
        return text.decode()

    def watch(self, rank: int) -> None:
        Thread(target=self._watch, args=(rank,), daemon=True).start()

    def _watch(self, rank: int) -> None:
        watched, next_sign = [0], 0.0
        while True:
            if monotonic() >= next_sign:
                _tell_line({"alive": rank})
                next_sign = monotonic() + _SIGN_EVERY
            ready, _, _ = select.select(watched, [], [], _SIGN_EVERY)
            said = os.read(0, 1 << 10) if ready else b""
            if said:
                self._asked = "time" if said.startswith(b"time") else "interrupted"
            elif ready and self._ends_with_us:
                os._exit(1)
            elif ready:
                self._asked, watched = "interrupted" if rank == 0 else "", []


_telling = Lock()


def _tell_line(news: dict[str, Any]) -> None:
    line = f"{MARK}{json.dumps(news, separators=(',', ':'))}\n"
    with _telling:
        sys.stdout.write(line)
        sys.stdout.flush()


def run() -> int:
    """``main``, and whatever fails ends the whole job with a line that says so."""
    try:
        return main()
    except (Unsupported, Refused, BadBatch, MemoryError, OSError) as error:
        why = str(error) if isinstance(error, (Unsupported, Refused)) else f"failed: {error or type(error).__name__}"
        _tell_line({"refused": f"a worker on {platform.node()}: {why}"})
        sys.stdout.flush()
        mpi = load_mpi()
        mpi.COMM_WORLD.Abort(3)
        return 3


if __name__ == "__main__":
    sys.exit(run())
