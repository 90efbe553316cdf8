"""Workers that have been started: what they say, how they are told to stop, why they ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import IO, Any, Protocol

from kripke.engines.distributed import launch
from kripke.engines.distributed.hosts import Place
from kripke.engines.distributed.pmi import BadQuestion, Board
from kripke.engines.distributed.relay import mismatch
from kripke.engines.unsupported import Unsupported

_MOST_TEXT = 2_000  # characters of what a failed start has said
_SILENT_HOST = 30.0  # seconds without a sign of life from a host
_SLOW_HOST = 60.0  # seconds until it gives the first
_TO_END = 3.0  # seconds for an orderly end
_AFTERMATH = 0.5  # seconds in which others end of the same cause
_PASSED_ON = ("KRIPKE_", "UCX_", "FI_", "MPIR_", "MPI4PY_", "MPICH_")  # of the environment, to other hosts


class Died(Exception):
    """The workers ended without an answer. ``host`` is one that cannot be reached any more."""

    def __init__(self, why: str, host: str | None = None) -> None:
        super().__init__(why)
        self.host = host


class Started(Protocol):
    def next_line(self, timeout: float) -> str:
        """What a worker says for us; empty where nobody has said anything for so long. Died where they are gone."""

    def complaints(self) -> str:
        """The end of what they have said that is not for us."""

    def ask_to_stop(self, why: str) -> None:
        """The first worker is to end the search, with an answer. ``stop``, or ``time``: the time is over."""

    def wait(self) -> None:
        """There is an answer: they end by themselves, and have little time for it."""

    def end(self) -> None:
        """Whatever they do."""


def start(job: str, where: Sequence[Place]) -> Started:
    return Relays(job, where) if launch.by_relays() else Mpiexec(job, where)


# --- by relays --------------------------------------------------------------------------------------------------------


class _Host:
    """A relay (``relay.py``), and the workers behind it."""

    def __init__(self, place: Place, first: int, put: Callable[[tuple[int, str | None]], None], number: int) -> None:
        self.place, self.first = place, first
        self.facts: dict[str, Any] | None = None
        self.heard = monotonic()
        self.complaints = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the relay
        command = launch.relay_command(place.host)
        try:
            self.relay = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.complaints,
                start_new_session=True,  # Ctrl-C is for us alone
            )
        except OSError as error:
            raise Unsupported(f"--workers: {command[0]} cannot be started: {error}") from error
        assert self.relay.stdout is not None
        pipe = self.relay.stdout
        Thread(target=_read, args=(pipe, lambda line: put((number, line))), daemon=True).start()

    def tell(self, order: dict[str, Any]) -> None:
        assert self.relay.stdin is not None
        try:
            self.relay.stdin.write(json.dumps(order, separators=(",", ":")).encode() + b"\n")
            self.relay.stdin.flush()
        except (OSError, ValueError):
            pass  # it is gone, and we shall hear of that

    def complaint(self) -> str:
        self.complaints.seek(0)
        return self.complaints.read().decode("utf-8", "replace")


class Relays:
    """Workers that relays start, one on each host; the board on which they put their addresses is here."""

    def __init__(self, job: str, where: Sequence[Place]) -> None:
        self._job, self._where = job, where
        self._events: SimpleQueue[tuple[int, str | None]] = SimpleQueue()
        self._board = Board(where)
        self._hosts: list[_Host] = []
        self._ended: dict[int, int] = {}
        self._said = ""
        first = 0
        try:
            for number, place in enumerate(where):
                self._hosts.append(_Host(place, first, self._events.put, number))
                first += place.count
        except BaseException:
            self.end()
            raise
        self._size = first
        self._end_of_patience = float("inf")

    def next_line(self, timeout: float) -> str:
        try:
            number, line = self._events.get(timeout=timeout)
        except Empty:
            self._look_at_clocks()
            return ""
        host = self._hosts[number]
        host.heard = monotonic()
        if line is None:
            raise self._broken(host)
        try:
            news = json.loads(line)
        except ValueError:
            self._said += line  # of a shell on the way
            return ""
        return self._understand(host, news) if isinstance(news, dict) else ""

    def complaints(self) -> str:
        return self._said.strip()

    def ask_to_stop(self, why: str) -> None:
        self._hosts[0].tell({"input": [0, f"{why}\n"]})

    def wait(self) -> None:
        until = monotonic() + _TO_END
        try:
            while len(self._ended) < self._size and monotonic() < until:
                self.next_line(0.1)
        except Died:
            pass

    def end(self) -> None:
        for host in self._hosts:
            _close(host.relay.stdin)  # for a relay this is the end
        for host in self._hosts:
            _end(host.relay)
            host.complaints.close()

    def _understand(self, host: _Host, news: dict[str, Any]) -> str:
        match news:
            case {"hello": dict(facts)}:
                host.facts = facts
                if all(one.facts is not None for one in self._hosts):
                    self._start_workers()
            case {"pmi": [int(rank), str(text)]} if self._owns(host, rank):
                try:
                    answers = self._board.ask(rank, text)
                except BadQuestion as error:
                    raise Died(f"worker {rank} on {host.place.host}: {error}") from error
                for to, answer in answers:
                    self._host_of(to).tell({"pmi": [to, answer]})
            case {"said": [int(), str(text)]}:
                return text
            case {"complaint": [int(rank), str(text)]}:
                self._said = (self._said + f"worker {rank} on {host.place.host}: {text}\n")[-_MOST_TEXT:]
            case {"ended": [int(rank), int(status)]} if self._owns(host, rank):
                self._ended[rank] = status
                if status != 0 or len(self._ended) == self._size:
                    self._end_of_patience = min(self._end_of_patience, monotonic() + _AFTERMATH)
        return ""

    def _owns(self, host: _Host, rank: int) -> bool:
        return host.first <= rank < host.first + host.place.count

    def _host_of(self, rank: int) -> _Host:
        return next(host for host in self._hosts if self._owns(host, rank))

    def _start_workers(self) -> None:
        differs = mismatch([host.facts or {} for host in self._hosts])
        if differs:
            raise Unsupported(f"--workers {self._size}: {differs}")
        passed = {name: value for name, value in os.environ.items() if name.startswith(_PASSED_ON)}
        for host in self._hosts:
            peers = [other.place.host for other in self._hosts if other is not host]
            order = {"first": host.first, "count": host.place.count, "size": self._size}
            host.tell({"start": {**order, "peers": peers, "environment": passed}})
        self._hosts[0].tell({"input": [0, self._job + "\n"]})

    def _look_at_clocks(self) -> None:
        now = monotonic()
        if now >= self._end_of_patience:
            raise Died(self._why_ended())
        for host in self._hosts:
            if now - host.heard > (_SILENT_HOST if host.facts else _SLOW_HOST):
                name = host.place.host
                raise Died(f"{name} cannot be reached: it has not answered for {now - host.heard:.0f} s", name)

    def _why_ended(self) -> str:
        """A signal says more than what others say who miss their neighbour."""
        about = f"; it said:\n{self.complaints()}" if self.complaints() else ""
        if not any(self._ended.values()):
            return f"the workers ended without an answer{about}"
        rank, status = min(self._ended.items(), key=lambda item: (item[1] >= 0, item[1] == 0, item[0]))
        how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        if "MPI_Init" in self._said:
            how = "could not begin with MPI: do the hosts reach each other, and by the networks of UCX_NET_DEVICES?"
            about = f" It said:\n{self.complaints().splitlines()[-1]}"
        return f"worker {rank} on {self._host_of(rank).place.host} {how}{about}"

    def _broken(self, host: _Host) -> Died:
        name = host.place.host
        try:
            status: int | None = host.relay.wait(timeout=5)
        except subprocess.TimeoutExpired:
            status = None
        said = (self._said + host.complaint()).strip()
        if host.facts is None:
            return Died(launch.words_for(name, status, said), name)
        about = f"; it said:\n{said[-_MOST_TEXT:]}" if said else ""
        return Died(f"the connection to {name} broke{about}", name)


# --- by mpiexec -------------------------------------------------------------------------------------------------------


class Mpiexec:
    """Workers that the ``mpiexec`` of an MPI starts."""

    def __init__(self, job: str, where: Sequence[Place]) -> None:
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the workers run
        self._folder = tempfile.TemporaryDirectory(prefix="kripke-job-")
        self._program = launch.mpiexec()
        hostfile, name = os.path.join(self._folder.name, "hosts"), os.path.join(self._folder.name, "job")
        for path, text in ((hostfile, launch.hostfile_text(where, self._program)), (name, job)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        try:
            self._process = subprocess.Popen(
                launch.mpiexec_command(where, name, hostfile),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                env=launch.mpiexec_environment(where),
                start_new_session=True,
            )
        except OSError as error:
            raise Unsupported(f"--workers: {self._program} cannot be started: {error}") from error
        assert self._process.stdout is not None
        Thread(target=_read, args=(self._process.stdout, self._lines.put), daemon=True).start()

    def next_line(self, timeout: float) -> str:
        try:
            line = self._lines.get(timeout=timeout)
        except Empty:
            return ""
        if line is None:
            raise Died(self._why())
        return line

    def complaints(self) -> str:
        self._complaints.seek(0)
        return self._complaints.read().decode("utf-8", "replace").strip()[-_MOST_TEXT:]

    def ask_to_stop(self, why: str) -> None:
        try:
            if self._process.stdin is not None:
                self._process.stdin.write(f"{why}\n".encode())
                self._process.stdin.flush()
        except (OSError, ValueError):
            pass

    def wait(self) -> None:
        pass  # as end does

    def end(self) -> None:
        _end(self._process)
        self._complaints.close()
        self._folder.cleanup()

    def _why(self) -> str:
        status = self._process.wait()
        said = self.complaints()
        how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        about = f"; it said:\n{said}" if said else ""
        return f"{os.path.basename(self._program)} {how} before there was an answer{about}"


def _read(pipe: IO[bytes], put: Callable[[str | None], None]) -> None:
    try:
        for line in pipe:
            put(line.decode("utf-8", "replace"))
    except (OSError, ValueError):
        pass
    put(None)


def _close(pipe: IO[bytes] | None) -> None:
    try:
        if pipe is not None:
            pipe.close()
    except OSError:
        pass


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            for how in (signal.SIGTERM, signal.SIGKILL):
                try:
                    os.killpg(process.pid, how)
                    process.wait(timeout=3)
                    break
                except subprocess.TimeoutExpired:
                    continue
                except OSError:
                    break
    _close(process.stdin)
    _close(process.stdout)
