"""States between workers by MPI (mpi4py): batches are sent from where they lie and received where they are read, while
states are expanded.

Every worker has a few receives posted at any time. A message for which none is free waits at its sender, whose outbox
fills, so that it stops expanding: nothing piles up anywhere. A worker that waits for its sends goes on receiving, so
two workers never wait for each other.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterator, Sequence
from time import monotonic, sleep
from typing import Any

from kripke._native import BATCH_SLACK
from kripke.engines.unsupported import Unsupported

_STATES, _STOP, _NEWS, _TEXT = 1, 3, 4, 5  # 1 and 2 are states
_RECEIVES = 3  # posted at a time
_PATIENCE = 200  # looks in vain before a worker sleeps between them
_NAP = 0.0002


def load_mpi() -> Any:
    """mpi4py's MPI, begun. Unsupported where it is missing, or finds no MPI."""
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise Unsupported(
            f"--workers needs mpi4py and an MPI ({error}); install them with: pip install 'kripke[cluster]'"
        ) from error
    return MPI


class MpiTransport:
    """One worker's line to the others."""

    def __init__(self, mpi: Any, buffer_bytes: int) -> None:
        self._mpi = mpi
        self._comm = mpi.COMM_WORLD.Dup()
        self.rank: int = self._comm.Get_rank()
        self.size: int = self._comm.Get_size()
        self._buffer_bytes = buffer_bytes
        # For even levels and for odd ones: who is ahead has begun the next level while others end this one.
        count = _RECEIVES if self.size > 1 else 0
        self._room = [[bytearray(buffer_bytes + BATCH_SLACK) for _ in range(count)] for _ in range(2)]
        self._receives = [[self._post(room, odd) for room in self._room[odd]] for odd in range(2)]
        self._sends: list[Any] = []
        self._sent_numbers: list[int] = []
        self._in_vain = 0
        self._wave: Any = None
        self._word = bytearray()
        self._sums = bytearray()
        self._news: Any = None
        self._looked = 0.0

    # --- states ---------------------------------------------------------------------------------------------------

    def send(self, number: int, to: int, states: memoryview, level: int) -> None:
        self._sends.append(self._comm.Isend([states, self._mpi.BYTE], to, _STATES + level % 2))
        self._sent_numbers.append(number)

    def given_back(self) -> list[int]:
        """The numbers of what was sent, and may be filled again."""
        if not self._sends:
            return []
        done = self._mpi.Request.Testsome(self._sends)
        if not done:
            return []
        numbers = [self._sent_numbers[place] for place in done]
        for place in sorted(done, reverse=True):
            del self._sends[place], self._sent_numbers[place]
        return numbers

    def arrivals(self, level: int) -> Iterator[tuple[bytearray, int, int]]:
        """Batches of this level that have come, each with its length and sender; to be read before the next."""
        odd = level % 2
        receives = self._receives[odd]
        status = self._mpi.Status()
        while receives:
            place, found = self._mpi.Request.Testany(receives, status)
            if not found or place == self._mpi.UNDEFINED:
                return
            self._in_vain = 0
            room = self._room[odd][place]
            yield room, status.Get_count(self._mpi.BYTE), status.Get_source()
            receives[place] = self._post(room, odd)

    def _post(self, room: bytearray, odd: int) -> Any:
        window = memoryview(room)[: self._buffer_bytes]
        return self._comm.Irecv([window, self._mpi.BYTE], self._mpi.ANY_SOURCE, _STATES + odd)

    # --- waves ----------------------------------------------------------------------------------------------------

    def begin_wave(self, word: Sequence[int]) -> None:
        self._word = bytearray(_packed(word))
        self._sums = bytearray(len(self._word))
        kind = self._mpi.UINT64_T
        self._wave = self._comm.Iallreduce([self._word, kind], [self._sums, kind], self._mpi.SUM)

    @property
    def waits_for_wave(self) -> bool:
        return self._wave is not None

    def wave(self) -> list[int] | None:
        """The sums of the wave, once they are known."""
        if self._wave is None or not self._wave.Test():
            return None
        self._wave = None
        self._in_vain = 0
        return memoryview(self._sums).cast("Q").tolist()

    def rest(self) -> None:
        """There is nothing to do just now: let others have the processor."""
        self._in_vain += 1
        if self._in_vain < _PATIENCE:
            os.sched_yield()
        else:
            sleep(_NAP)

    # --- stops and news -------------------------------------------------------------------------------------------

    def send_stop(self, reason: int) -> int:
        """Tell all others; to how many."""
        for to in range(self.size):
            if to != self.rank:
                self._comm.Send([bytes([reason]), self._mpi.BYTE], to, _STOP)
        return self.size - 1

    def stops(self) -> Iterator[int]:
        status = self._mpi.Status()
        while self.size > 1 and self._comm.Iprobe(self._mpi.ANY_SOURCE, _STOP, status):
            room = bytearray(1)
            # From whom it is: a receive from anybody did not end, with MPICH 5 between machines.
            self._comm.Recv([room, self._mpi.BYTE], status.Get_source(), _STOP)
            yield room[0]

    def send_news(self, figures: Sequence[int]) -> None:
        """To the first worker, who tells people; not where the last ones are still under way."""
        if self._news is None or self._news[0].Test():
            text = _packed(figures)
            self._news = (self._comm.Isend([text, self._mpi.BYTE], 0, _NEWS), text)

    def news(self) -> Iterator[tuple[int, list[int]]]:
        status = self._mpi.Status()
        while self._comm.Iprobe(self._mpi.ANY_SOURCE, _NEWS, status):
            room = bytearray(status.Get_count(self._mpi.BYTE))
            self._comm.Recv([room, self._mpi.BYTE], status.Get_source(), _NEWS)
            yield status.Get_source(), memoryview(room).cast("Q").tolist()

    # --- before and after a search ----------------------------------------------------------------------------------

    def share(self, value: Any) -> Any:
        """The first worker's value, for all."""
        text = bytearray(json.dumps(value).encode()) if self.rank == 0 else bytearray()
        size = bytearray(_packed([len(text)]))
        self._comm.Bcast([size, self._mpi.UINT64_T], 0)
        text = text if self.rank == 0 else bytearray(memoryview(size).cast("Q")[0])
        self._comm.Bcast([text, self._mpi.BYTE], 0)
        return json.loads(bytes(text))

    def share_bytes(self, value: bytes) -> bytes:
        size = bytearray(_packed([len(value)]))
        self._comm.Bcast([size, self._mpi.UINT64_T], 0)
        room = bytearray(value) if self.rank == 0 else bytearray(memoryview(size).cast("Q")[0])
        self._comm.Bcast([room, self._mpi.BYTE], 0)
        return bytes(room)

    def gather(self, value: Any) -> list[Any]:
        """Every worker's value, for the first; nothing for the others."""
        text = json.dumps(value).encode()
        if self.rank != 0:
            self._comm.Send([text, self._mpi.BYTE], 0, _TEXT)
            return []
        values = [json.loads(text)]
        for sender in range(1, self.size):
            status = self._mpi.Status()
            self._comm.Probe(sender, _TEXT, status)
            room = bytearray(status.Get_count(self._mpi.BYTE))
            self._comm.Recv([room, self._mpi.BYTE], sender, _TEXT)
            values.append(json.loads(bytes(room)))
        return values

    def exchange(self, value: Any) -> list[Any]:
        """Every worker's value, for all."""
        values: list[Any] = self.share(self.gather(value))
        return values

    def neighbours(self) -> int:
        """Workers on this machine, with this one."""
        here = self._comm.Split_type(self._mpi.COMM_TYPE_SHARED)
        count: int = here.Get_size()
        here.Free()
        return count

    def close(self) -> None:
        self._comm.Barrier()
        until = monotonic() + 0.05
        while self.rank == 0 and self.size > 1 and monotonic() < until:
            list(self.news())
        if self._news is not None:
            self._news[0].Wait()
        for receive in [*self._receives[0], *self._receives[1]]:
            receive.Cancel()
            receive.Wait()
        self._comm.Free()


def _packed(numbers: Sequence[int]) -> bytes:
    return array("Q", numbers).tobytes()
