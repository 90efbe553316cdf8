"""Pipes of ``os`` and ``multiprocessing``, and waiting for several: ``select`` and ``selectors``."""

from __future__ import annotations

import io
import multiprocessing
import multiprocessing.connection
import os
import pickle
import select
import selectors
from typing import Any

from kripke.testing import primitives
from kripke.testing.network import (
    CAPACITY,
    FIRST_DESCRIPTOR,
    NOTHING,
    Queue,
    Source,
    Stream,
    network_of,
    wait_for_any,
)

_REAL = {name: getattr(os, name) for name in ("pipe", "read", "write", "close", "fdopen", "set_blocking")}
_REAL_SELECT = select.select
_REAL_PIPE = multiprocessing.Pipe
_REAL_SELECTOR = selectors.DefaultSelector


class _PipeEnd:
    """One end of a pipe."""

    def __init__(self, stream: Stream, writes: bool) -> None:
        self.stream = stream
        self.writes = writes
        self.blocking = True

    def source(self) -> Source | None:
        return None if self.writes else self.stream

    def outgoing(self) -> Stream | None:
        return self.stream if self.writes else None


def _end(descriptor: Any) -> Any:
    """What the program opened under this number; None where the operating system did."""
    if type(descriptor) is not int or descriptor < FIRST_DESCRIPTOR or primitives.elsewhere():
        return None
    found = network_of(primitives.the_run()).descriptors.get(descriptor)
    if found is None:
        raise OSError(9, "Bad file descriptor")
    return found


def pipe() -> tuple[int, int]:
    if primitives.elsewhere():
        made: tuple[int, int] = _REAL["pipe"]()
        return made
    run = primitives.the_run()
    network = network_of(run)
    stream = Stream(run)
    return network.descriptor(_PipeEnd(stream, False), run), network.descriptor(_PipeEnd(stream, True), run)


def read(descriptor: int, size: int) -> bytes:
    end = _end(descriptor)
    if end is None:
        found: bytes = _REAL["read"](descriptor, size)
        return found
    if not isinstance(end, _PipeEnd):
        return bytes(end.recv(size))
    if end.writes:
        raise OSError(9, "Bad file descriptor")
    data = end.stream.take(primitives.the_run(), size, None if end.blocking else 0)
    if data is None:
        raise BlockingIOError(11, "Resource temporarily unavailable")
    return data


def write(descriptor: int, data: Any) -> int:
    end = _end(descriptor)
    if end is None:
        return int(_REAL["write"](descriptor, data))
    if not isinstance(end, _PipeEnd):
        return int(end.send(data))
    if not end.writes:
        raise OSError(9, "Bad file descriptor")
    sent = end.stream.put(primitives.the_run(), bytes(data), None if end.blocking else 0)
    if not sent and len(data):
        raise BlockingIOError(11, "Resource temporarily unavailable")
    return sent


def close(descriptor: int) -> None:
    end = _end(descriptor)
    if end is None:
        _REAL["close"](descriptor)
    elif not isinstance(end, _PipeEnd):
        end.close()
    else:
        run = primitives.the_run()
        network_of(run).descriptors.pop(descriptor, None)
        if end.writes:
            end.stream.close(run, "closes the pipe")
        else:
            end.stream.refuse(run)


def set_blocking(descriptor: int, blocking: bool) -> None:
    end = _end(descriptor)
    if end is None:
        _REAL["set_blocking"](descriptor, blocking)
    elif isinstance(end, _PipeEnd):
        end.blocking = blocking
    else:
        end.setblocking(blocking)


class _Raw(io.RawIOBase):
    def __init__(self, descriptor: int, writes: bool) -> None:
        self._descriptor = descriptor
        self._writes = writes

    def readable(self) -> bool:
        return not self._writes

    def writable(self) -> bool:
        return self._writes

    def readinto(self, buffer: Any) -> int:
        data = read(self._descriptor, len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def write(self, data: Any) -> int:
        return write(self._descriptor, bytes(data))

    def fileno(self) -> int:
        return self._descriptor

    def close(self) -> None:
        run = primitives.present_run
        if not self.closed:
            super().close()
            if run is not None and not run.is_over():
                close(self._descriptor)


def fdopen(
    descriptor: int, mode: str = "r", buffering: int = -1, encoding: Any = None, *rest: Any, **named: Any
) -> Any:
    end = _end(descriptor)
    if end is None:
        return _REAL["fdopen"](descriptor, mode, buffering, encoding, *rest, **named)
    writes = "w" in mode or "a" in mode
    raw = _Raw(descriptor, writes)
    if "b" in mode and buffering == 0:
        return raw
    buffered: Any = io.BufferedWriter(raw) if writes else io.BufferedReader(raw)
    if "b" in mode:
        return buffered
    return io.TextIOWrapper(buffered, encoding, line_buffering=buffering == 1, write_through=buffering == 1)


# -- waiting for several


def _opened(fileobj: Any) -> Any:
    number = fileobj if isinstance(fileobj, int) else fileobj.fileno()
    end = _end(number)
    if end is None:
        raise NotImplementedError(
            f"descriptor {number} is one of the operating system: under control, a program can wait for its own "
            "sockets and pipes only"
        )
    return end


def _is_readable(end: Any) -> bool:
    source = end.source()
    return source is not None and source.is_readable()


def _is_writable(end: Any) -> bool:
    stream = end.outgoing()
    return stream is None or len(stream.data) < CAPACITY or stream.refused


def wait(readers: list[Any], writers: list[Any], timeout: float | None) -> tuple[list[Any], list[Any]]:
    """Those that can be read or written; where messages may come late, some of those that can be read."""
    run = primitives.the_run()
    ends = [(each, _opened(each)) for each in readers]
    outs = [(each, _opened(each)) for each in writers]
    sources = [end.source() for _, end in ends if end.source() is not None]
    sources += [end.outgoing() for _, end in outs if end.outgoing() is not None]

    def is_ready() -> bool:
        return any(_is_readable(end) for _, end in ends) or any(_is_writable(end) for _, end in outs)

    wait_for_any(run, sources, is_ready, timeout, f"waits for one of {len(ends) + len(outs)}")
    readable = [each for each, end in ends if _is_readable(end)]
    if network_of(run).reorders and len(readable) > 1:
        # What comes later than the others is not there yet.
        operation = primitives.here("", f"one of {len(readable)} messages comes first")
        operation.reads = tuple(source.tail for source in sources)
        readable = [readable[run.choose(len(readable), operation)]]
    return readable, [each for each, end in outs if _is_writable(end)]


def controlled_select(readers: Any, writers: Any, others: Any, timeout: float | None = None) -> Any:
    if primitives.elsewhere():
        return _REAL_SELECT(readers, writers, others, timeout)
    readable, writable = wait(list(readers), list(writers), timeout)
    return readable, writable, []


class ControlledSelector(selectors._BaseSelectorImpl):
    """As the selectors of ``selectors``."""

    def __new__(cls, *args: Any) -> Any:
        return _REAL_SELECTOR() if primitives.elsewhere() else object.__new__(cls)

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        keys = list(self.get_map().values())
        readers = [key.fd for key in keys if key.events & selectors.EVENT_READ]
        writers = [key.fd for key in keys if key.events & selectors.EVENT_WRITE]
        limit = None if timeout is None else max(timeout, 0)
        readable, writable = wait(readers, writers, limit)
        found = []
        for key in keys:
            events = (selectors.EVENT_READ if key.fd in readable else 0) | (
                selectors.EVENT_WRITE if key.fd in writable else 0
            )
            if events:
                found.append((key, events & key.events))
        return found


# -- pipes of multiprocessing


class PipeConnection:
    """As ``multiprocessing.connection.Connection``: objects are copied on their way."""

    def __init__(self, incoming: Queue | None, outgoing: Queue | None) -> None:
        run = primitives.the_run()
        self._incoming, self._outgoing = incoming, outgoing
        self._number = network_of(run).descriptor(self, run)

    readable = property(lambda self: self._incoming is not None)
    writable = property(lambda self: self._outgoing is not None)
    closed = property(lambda self: self._number < 0)

    def send(self, value: Any) -> None:
        self.send_bytes(pickle.dumps(value))

    def send_bytes(self, data: bytes, offset: int = 0, size: int | None = None) -> None:
        run = primitives.the_run()
        self._need_open()
        if self._outgoing is None:
            raise OSError("connection is read-only")
        self._outgoing.send(run, "sends through the pipe")
        if self._outgoing.closed:
            raise BrokenPipeError(32, "Broken pipe")
        self._outgoing.add(run, bytes(data)[offset:][:size])

    def recv(self) -> Any:
        return pickle.loads(self.recv_bytes())

    def recv_bytes(self, most: int | None = None) -> bytes:
        run = primitives.the_run()
        self._need_open()
        if self._incoming is None:
            raise OSError("connection is write-only")
        found = self._incoming.take(run, None, "receives from the pipe")
        if found is NOTHING:
            raise EOFError
        return bytes(found)

    def poll(self, timeout: float | None = 0.0) -> bool:
        self._need_open()
        if self._incoming is None:
            raise OSError("connection is write-only")
        source = self._incoming
        wait_for_any(primitives.the_run(), [source], source.is_readable, timeout, "looks into the pipe")
        return source.is_readable()

    def fileno(self) -> int:
        self._need_open()
        return self._number

    def source(self) -> Source | None:
        return self._incoming

    def outgoing(self) -> Any:
        return None

    def close(self) -> None:
        run = primitives.present_run
        if self._number < 0 or run is None or run.is_over():
            return
        network_of(run).descriptors.pop(self._number, None)
        self._number = -1
        for queue in (self._outgoing, self._incoming):
            if queue is not None:
                queue.send(run, "closes the pipe")
                was = queue.is_readable()
                queue.closed = True
                queue.note(run, was)

    def __enter__(self) -> PipeConnection:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _need_open(self) -> None:
        if self._number < 0:
            raise OSError("handle is closed")


def pipe_of_objects(duplex: bool = True) -> Any:
    """In the place of ``multiprocessing.Pipe``."""
    if primitives.elsewhere():
        return _REAL_PIPE(duplex)
    run = primitives.the_run()
    there, back = Queue(run), Queue(run) if duplex else None
    return PipeConnection(there, back), PipeConnection(back, there)


OF_OS: dict[str, Any] = {
    "pipe": pipe,
    "read": read,
    "write": write,
    "close": close,
    "fdopen": fdopen,
    "set_blocking": set_blocking,
}
