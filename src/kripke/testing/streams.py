"""Connections of asyncio within the program: servers, transports, and what is on its way between them.

What is written arrives in order, each piece at a moment of its own: any task may go on in between. Reading gives what
has arrived so far. A piece is never cut in two.
"""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from typing import TYPE_CHECKING, Any

from kripke.testing import primitives
from kripke.testing.operation import ACCESS

if TYPE_CHECKING:
    from kripke.testing.loop import Loop

_Transport: Any = asyncio.Transport
_AbstractServer: Any = asyncio.AbstractServer
FIRST_PORT = 40_000
_HERE = frozenset({None, "", "localhost", "127.0.0.1", "0.0.0.0", "::1", "::"})


class Transport(_Transport):  # type: ignore[misc]
    """One end of a connection. What it writes goes through the channel of the other end."""

    def __init__(self, loop: Loop, own: Any, peer: Any) -> None:
        super().__init__({"sockname": own, "peername": peer, "socket": None})
        self._loop = loop
        self._protocol: Any = None
        self._other: Transport = None  # type: ignore[assignment]
        self._channel = loop.channel("connection")
        self._waiting: deque[bytes] = deque()  # that arrived while reading was paused
        self._on_its_way = 0
        self._limits = 65_536, 16_384
        self._is_paused = self._is_closing = self._is_lost = self._has_eof = self._writing_paused = False

    def _touch(self, verb: str) -> None:
        run = self._loop.run
        operation = primitives.here(ACCESS, f"{verb} a connection")
        operation.writes = ((run.keep(self), "stream"),)
        run.do(operation)

    def _arrives(self, callback: Any, *args: Any) -> None:
        """At this end, after all that is on its way already."""
        if not self._loop.run.is_over():
            self._channel.add(asyncio.Handle(callback, args, self._loop, None))

    # -- what a program asks of it

    def write(self, data: Any) -> None:
        self._touch("writes to")
        if self._has_eof:
            raise RuntimeError("Cannot call write() after write_eof()")
        if not data or self._is_closing or self._is_lost:
            return
        if self._other._is_closing:
            self._arrives(self._lose, ConnectionResetError(104, "Connection reset by peer"))
            return
        self._on_its_way += len(data)
        self._other._arrives(self._other._receive, bytes(data))
        if self._on_its_way > self._limits[0] and not self._writing_paused:
            self._writing_paused = True
            self._protocol.pause_writing()

    def writelines(self, lines: Any) -> None:
        self.write(b"".join(lines))

    def write_eof(self) -> None:
        self._touch("ends")
        if not self._has_eof and not self._is_closing:
            self._has_eof = True
            self._other._arrives(self._other._receive, b"")

    def can_write_eof(self) -> bool:
        return True

    def close(self) -> None:
        self._touch("closes")
        if self._is_closing:
            return
        self._is_closing = True
        if not self._has_eof:
            self._other._arrives(self._other._receive, b"")
        self._arrives(self._lose, None)

    def abort(self) -> None:
        self._touch("cuts")
        if not self._is_closing:
            self._is_closing = True
            self._other._arrives(self._other._lose, ConnectionResetError(104, "Connection reset by peer"))
        self._arrives(self._lose, None)

    def is_closing(self) -> bool:
        self._touch("looks at")
        return self._is_closing

    def pause_reading(self) -> None:
        self._is_paused = True

    def resume_reading(self) -> None:
        self._is_paused = False
        while self._waiting and not self._is_paused:
            self._arrives(self._receive, self._waiting.popleft())

    def is_reading(self) -> bool:
        return not self._is_paused and not self._is_closing

    def get_write_buffer_size(self) -> int:
        return self._on_its_way

    def get_write_buffer_limits(self) -> tuple[int, int]:
        return self._limits[1], self._limits[0]

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        if high is None:
            high = 65_536 if low is None else 4 * low
        self._limits = high, high // 4 if low is None else low

    def set_protocol(self, protocol: Any) -> None:
        self._protocol = protocol

    def get_protocol(self) -> Any:
        return self._protocol

    # -- what arrives at this end

    def _begin(self) -> None:
        self._protocol.connection_made(self)

    def _receive(self, data: bytes) -> None:
        """Bytes, or none: the other end writes no more."""
        if self._is_lost or self._is_closing:
            return
        if self._is_paused:
            self._waiting.append(data)
            return
        if not data:
            if not self._protocol.eof_received():
                self.close()
            return
        self._protocol.data_received(data)
        other = self._other
        other._on_its_way -= len(data)
        if other._writing_paused and other._on_its_way <= other._limits[1]:
            other._writing_paused = False
            other._protocol.resume_writing()

    def _lose(self, error: Exception | None) -> None:
        if self._is_lost:
            return
        self._is_lost = self._is_closing = True
        if self._protocol is not None:
            self._protocol.connection_lost(error)
        server = self.get_extra_info("server")
        if server is not None:
            server.lost(self)


class _Listener:
    """What a program finds in ``server.sockets``."""

    def __init__(self, address: Any) -> None:
        self._address = address

    def getsockname(self) -> Any:
        return self._address


class Server(_AbstractServer):  # type: ignore[misc]
    """As the servers of asyncio."""

    def __init__(self, loop: Loop, factory: Any, key: Any) -> None:
        self._loop = loop
        self._factory = factory
        self._key = key
        self._connections: list[Transport] = []
        self._waiters: list[Any] = []
        self._forever: Any = None
        self.sockets: tuple[Any, ...] = ()

    def get_loop(self) -> Any:
        return self._loop

    def is_serving(self) -> bool:
        return self._loop.servers.get(self._key) is self

    async def start_serving(self) -> None:
        if self.is_serving():
            return
        _listening(self._loop, self._key, "listens", writes=True)
        if self._key in self._loop.servers:
            raise OSError(98, "Address already in use")
        self._loop.servers[self._key] = self
        self.sockets = (_Listener(self._key if isinstance(self._key, tuple) else str(self._key)),)

    async def serve_forever(self) -> None:
        await self.start_serving()
        self._forever = self._loop.create_future()
        try:
            await self._forever
        finally:
            self._forever = None
            self.close()
            await self.wait_closed()

    def close(self) -> None:
        if not self.is_serving():
            return
        _listening(self._loop, self._key, "listens no more", writes=True)
        del self._loop.servers[self._key]
        self.sockets = ()
        if self._forever is not None and not self._forever.done():
            self._forever.cancel()
        self._wake()

    async def wait_closed(self) -> None:
        """Since 3.12 it waits until all connections have ended, too."""
        waits = bool(self._connections) and sys.version_info >= (3, 12)
        if self.is_serving() or waits:
            waiter = self._loop.create_future()
            self._waiters.append(waiter)
            await waiter

    def _wake(self) -> None:
        if not self.is_serving() and not (self._connections and sys.version_info >= (3, 12)):
            for waiter in self._waiters:
                if not waiter.done():
                    waiter.set_result(None)
            self._waiters.clear()

    def accept(self, transport: Transport) -> None:
        """The server's end of a new connection."""
        _listening(self._loop, self._key, "accepts", writes=False)
        if not self.is_serving():
            transport.abort()
            return
        transport._extra["server"] = self
        self._connections.append(transport)
        transport.set_protocol(self._factory())
        transport._begin()

    def lost(self, transport: Transport) -> None:
        if transport in self._connections:
            self._connections.remove(transport)
            self._wake()

    async def __aenter__(self) -> Server:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.close()
        await self.wait_closed()


def _listening(loop: Loop, key: Any, words: str, *, writes: bool) -> None:
    """Who listens where is looked at, or changed."""
    run = loop.run
    operation = primitives.here(ACCESS, f"{words} at {key}")
    place = ((run.keep(loop), ("listens", key)),)
    operation.reads, operation.writes = ((), place) if writes else (place, ())
    if operation.file == __file__:
        operation.code = None  # no code of the program asked for it
    run.do(operation)


def _refuse_others(loop: Loop, options: dict[str, Any]) -> None:
    for name in ("ssl", "sock", "server_hostname", "fd"):
        if options.get(name):
            raise NotImplementedError(f"kripke.testing does not control connections with {name}=")
    if loop.run.network is not None:
        raise NotImplementedError(
            "kripke.testing has no connections between event loops and plain sockets, or between processes that run "
            "event loops: use one kind of them for both ends"
        )


async def create_server(loop: Loop, factory: Any, key: Any, start: bool, options: dict[str, Any]) -> Server:
    _refuse_others(loop, options)
    if isinstance(key, tuple):
        host, port = key
        key = ("127.0.0.1" if host in _HERE or isinstance(host, (list, tuple)) else str(host), port or 0)
        while key[1] == 0 or (not port and key in loop.servers):
            key = key[0], key[1] + 1 if key[1] else FIRST_PORT
    server = Server(loop, factory, key)
    if start:
        await server.start_serving()
    return server


async def create_connection(loop: Loop, factory: Any, key: Any, options: dict[str, Any]) -> tuple[Transport, Any]:
    _refuse_others(loop, options)
    if isinstance(key, tuple):
        key = ("127.0.0.1" if key[0] in _HERE else str(key[0])), int(key[1])
    channel = loop.channel("connecting")
    ready = loop.create_future()
    channel.add(asyncio.Handle(_settle, (ready,), loop, None))
    await ready
    _listening(loop, key, "connects", writes=False)
    server = loop.servers.get(key)
    if server is None:
        raise ConnectionRefusedError(111, f"Connect call failed {key}")
    own = ("127.0.0.1", 50_000 + len(server._connections)) if isinstance(key, tuple) else ""
    here, there = Transport(loop, own, key), Transport(loop, key, own)
    here._other, there._other = there, here
    protocol = factory()
    here.set_protocol(protocol)
    there._arrives(server.accept, there)
    here._arrives(here._begin)
    made = loop.create_future()
    here._arrives(_settle, made)
    try:
        await made
    except BaseException:
        here.close()
        raise
    return here, protocol


def _settle(future: Any) -> None:
    if not future.done():
        future.set_result(None)
