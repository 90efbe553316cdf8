"""Sockets of a program under control: as those of ``socket``, connected to each other within the run alone."""

from __future__ import annotations

import socket
from typing import Any

from kripke.testing import primitives
from kripke.testing.network import NOTHING, Connection, Queue, Source, connected, network_of
from kripke.testing.operation import SEND, Place
from kripke.testing.run import Run

_REAL_SOCKET = socket.socket
_REAL = {
    name: getattr(socket, name) for name in ("getaddrinfo", "gethostbyname", "gethostname", "getfqdn", "socketpair")
}
_OUTSIDE = (
    "kripke.testing controls connections within the program under test only: what is outside of the process cannot be "
    "repeated"
)


class ControlledSocket:
    """As ``socket.socket``, for streams and datagrams."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return _REAL_SOCKET(*args, **kwargs) if primitives.elsewhere() else object.__new__(cls)

    def __init__(self, family: int = -1, type: int = -1, proto: int = -1, fileno: int | None = None) -> None:
        run = primitives.the_run()
        if fileno is not None:
            raise NotImplementedError(f"a socket from a descriptor: {_OUTSIDE}")
        self.family = socket.AF_INET if family == -1 else family
        kind = socket.SOCK_STREAM if type == -1 else type
        self.type = kind & ~(getattr(socket, "SOCK_NONBLOCK", 0) | getattr(socket, "SOCK_CLOEXEC", 0))
        self.proto = 0 if proto == -1 else proto
        if self.type not in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            raise NotImplementedError(f"kripke.testing has streams and datagrams only, not sockets of type {self.type}")
        self._timeout: float | None = socket.getdefaulttimeout()
        self._connection: Connection | None = None
        self._key: Any = None
        self._queue: Queue | None = None
        self._peer: Any = None
        self._options: dict[Any, Any] = {}
        self._io_refs = 0
        self._closed = False
        self._number = network_of(run).descriptor(self, run)
        process = run.present.process
        if process is not None:
            process.resources.append(self)

    # -- life

    def __enter__(self) -> ControlledSocket:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._closed = True
        if self._io_refs <= 0:
            self._real_close()

    def _decref_socketios(self) -> None:
        if self._io_refs > 0:
            self._io_refs -= 1
        if self._closed:
            self.close()

    def _real_close(self) -> None:
        run = primitives.present_run
        if self._number < 0 or run is None or run.is_over():
            return
        if self._connection is not None or self._key is not None:
            operation = primitives.here(SEND, "closes the connection" if self._connection else "closes its socket")
            operation.places = lambda: ((), self.places())
            operation.look_again()
            run.do(operation)
        self.close_now(run)

    def places(self) -> tuple[Place, ...]:
        """What closing it changes."""
        found: list[Place] = []
        run = primitives.the_run()
        if self._connection is not None:
            found += self._connection.places()
        if self._key is not None:
            found.append(network_of(run).place(self._key))
        if self._queue is not None:
            found += (self._queue.tail, self._queue.end_place)
            if self.type == socket.SOCK_STREAM:
                found += (place for each in self._queue.items for place in each.places())
        return tuple(found)

    def close_now(self, run: Run) -> None:
        """In the present step. Who had connected and was not accepted gets an error, others the end of the stream."""
        if self._number < 0:
            return
        network = network_of(run)
        network.descriptors.pop(self._number, None)
        self._number = -1
        if self._connection is not None:
            self._connection.close_now(run)
        if self._key is not None:
            network.bound.pop(self._key, None)
            network.opened.pop(self._key, None)
        if self._queue is not None and self.type == socket.SOCK_STREAM:
            while self._queue.items:
                self._queue.items.popleft().close_now(run, reset=True)
            was = self._queue.is_readable()
            self._queue.closed = True
            self._queue.note(run, was)

    def detach(self) -> int:
        raise NotImplementedError(f"detach(): {_OUTSIDE}")

    def shutdown(self, how: int) -> None:
        run = primitives.the_run()
        connection = self._need_connection()
        if how in (socket.SHUT_WR, socket.SHUT_RDWR):
            connection.outgoing.close(run)
        if how in (socket.SHUT_RD, socket.SHUT_RDWR):
            connection.incoming.refuse(run)
            if not connection.incoming.closed:
                connection.incoming.close(run)

    def fileno(self) -> int:
        return self._number

    def __repr__(self) -> str:
        return f"<socket fd={self._number}, family={self.family}, type={self.type}>"

    # -- settings

    def settimeout(self, value: float | None) -> None:
        if value is not None and value < 0:
            raise ValueError("Timeout value out of range")
        self._timeout = value

    def gettimeout(self) -> float | None:
        return self._timeout

    @property
    def timeout(self) -> float | None:
        return self._timeout

    def setblocking(self, flag: bool) -> None:
        self._timeout = None if flag else 0.0

    def getblocking(self) -> bool:
        return self._timeout != 0

    def setsockopt(self, level: int, name: int, value: Any, *more: Any) -> None:
        self._options[level, name] = value

    def getsockopt(self, level: int, name: int, *more: Any) -> Any:
        return self._options.get((level, name), 0)

    def set_inheritable(self, inheritable: bool) -> None:
        pass

    def get_inheritable(self) -> bool:
        return False

    # -- connections

    def bind(self, address: Any) -> None:
        run = primitives.the_run()
        self._need_open()
        if self._key is not None:
            raise OSError(22, "Invalid argument")
        kind = "stream" if self.type == socket.SOCK_STREAM else "datagram"
        self._key, self._queue = network_of(run).bind(run, self.family, address, kind)

    def listen(self, backlog: int = 128) -> None:
        run = primitives.the_run()
        self._need_open()
        if self._key is None:
            self.bind(("127.0.0.1", 0))
        network_of(run).listen(run, self._key)

    def accept(self) -> tuple[ControlledSocket, Any]:
        run = primitives.the_run()
        self._need_open()
        if self._queue is None or self.type != socket.SOCK_STREAM:
            raise OSError(22, "Invalid argument")
        found = self._queue.take(run, self._timeout, "waits for a connection")
        if found is None:
            raise self._out_of_time()
        if found is NOTHING:
            raise OSError(9, "Bad file descriptor")
        made = ControlledSocket(self.family, self.type)
        made._connection = found
        return made, found.peer_address

    def connect(self, address: Any) -> None:
        run = primitives.the_run()
        self._need_open()
        if self.type == socket.SOCK_DGRAM:
            self._peer = address
            return
        if self._connection is not None:
            raise OSError(106, "Transport endpoint is already connected")
        self._connection = network_of(run).connect(run, self.family, address, self._timeout)

    def connect_ex(self, address: Any) -> int:
        try:
            self.connect(address)
        except OSError as error:
            return error.errno or 11
        return 0

    def getsockname(self) -> Any:
        if self._connection is not None:
            return self._connection.own_address
        return self._queue.address if self._queue is not None else ("0.0.0.0", 0)

    def getpeername(self) -> Any:
        if self._peer is not None:
            return self._peer
        return self._need_connection().peer_address

    # -- data

    def send(self, data: Any, flags: int = 0) -> int:
        run = primitives.the_run()
        self._need_open()
        if self.type == socket.SOCK_DGRAM:
            return self.sendto(data, self.getpeername())
        sent = self._need_connection().outgoing.put(run, bytes(data), self._timeout)
        if not sent and len(data):
            raise self._out_of_time()
        return sent

    def sendall(self, data: Any, flags: int = 0) -> None:
        left = bytes(data)
        if not left:
            return
        while left:
            left = left[self.send(left) :]

    def sendto(self, data: Any, *more: Any) -> int:
        run = primitives.the_run()
        self._need_open()
        address = more[-1]
        if self.type == socket.SOCK_STREAM:
            return self.send(data)
        if self._key is None:
            self.bind(("127.0.0.1", 0))
        network_of(run).post(run, self.family, address, bytes(data), self.getsockname())
        return len(data)

    def recv(self, size: int, flags: int = 0) -> bytes:
        if self.type == socket.SOCK_DGRAM:
            return self.recvfrom(size)[0]
        run = primitives.the_run()
        self._need_open()
        found = self._need_connection().incoming.take(run, size, self._timeout, bool(flags & socket.MSG_PEEK))
        if found is None:
            raise self._out_of_time()
        return found

    def recvfrom(self, size: int, flags: int = 0) -> tuple[bytes, Any]:
        run = primitives.the_run()
        self._need_open()
        if self.type == socket.SOCK_STREAM:
            return self.recv(size, flags), None
        if self._queue is None:
            raise OSError(22, "Invalid argument")
        found = network_of(run).fetch(run, self._queue, self._timeout)
        if found is None:
            raise self._out_of_time()
        if found is NOTHING:
            raise OSError(9, "Bad file descriptor")
        return found[0][:size], found[1]

    def recv_into(self, buffer: Any, size: int = 0, flags: int = 0) -> int:
        view = memoryview(buffer).cast("B")
        data = self.recv(size or len(view), flags)
        view[: len(data)] = data
        return len(data)

    def recvfrom_into(self, buffer: Any, size: int = 0, flags: int = 0) -> tuple[int, Any]:
        view = memoryview(buffer).cast("B")
        data, address = self.recvfrom(size or len(view), flags)
        view[: len(data)] = data
        return len(data), address

    makefile = _REAL_SOCKET.makefile

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(_REAL_SOCKET, name):
            raise NotImplementedError(f"kripke.testing does not control {name}() of sockets")
        raise AttributeError(name)

    # -- for those who wait for several

    def source(self) -> Source | None:
        if self._connection is not None:
            return self._connection.incoming
        return self._queue

    def outgoing(self) -> Any:
        return self._connection.outgoing if self._connection is not None else None

    def _need_open(self) -> None:
        if self._number < 0:
            raise OSError(9, "Bad file descriptor")

    def _need_connection(self) -> Connection:
        if self._connection is None:
            raise OSError(107, "Transport endpoint is not connected")
        return self._connection

    def _out_of_time(self) -> OSError:
        if self._timeout == 0:
            return BlockingIOError(11, "Resource temporarily unavailable")
        return TimeoutError("timed out")


def socketpair(family: int | None = None, type: int = socket.SOCK_STREAM, proto: int = 0) -> Any:
    if primitives.elsewhere():
        return _REAL["socketpair"](family, type, proto)
    run = primitives.the_run()
    one = ControlledSocket(socket.AF_UNIX if family is None else family, type, proto)
    other = ControlledSocket(socket.AF_UNIX if family is None else family, type, proto)
    one._connection, other._connection = connected(run, "", "")
    return one, other


def getaddrinfo(host: Any, port: Any, family: int = 0, type: int = 0, proto: int = 0, flags: int = 0) -> Any:
    if primitives.elsewhere():
        return _REAL["getaddrinfo"](host, port, family, type, proto, flags)
    number = int(port) if port is not None and str(port).isdigit() else {"http": 80, "https": 443}.get(str(port), 0)
    kind = socket.SocketKind(type or socket.SOCK_STREAM)
    name = host.decode() if isinstance(host, bytes) else (host or "127.0.0.1")
    return [(socket.AF_INET, kind, proto, "", (name, number))]


def gethostbyname(name: str) -> Any:
    return _REAL["gethostbyname"](name) if primitives.elsewhere() else name


def gethostname() -> str:
    if primitives.elsewhere():
        return str(_REAL["gethostname"]())
    process = primitives.the_run().present.process
    return process.host if process is not None else "localhost"


def getfqdn(name: str = "") -> str:
    return str(_REAL["getfqdn"](name)) if primitives.elsewhere() else name or gethostname()


REPLACED: dict[str, Any] = {
    "socket": ControlledSocket,
    "SocketType": ControlledSocket,
    "socketpair": socketpair,
    "getaddrinfo": getaddrinfo,
    "gethostbyname": gethostbyname,
    "gethostname": gethostname,
    "getfqdn": getfqdn,
}
