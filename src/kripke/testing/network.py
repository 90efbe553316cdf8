"""Channels within one run: streams, listeners and inboxes, in the place of what an operating system has behind sockets.

Sending writes the tail of a channel, receiving writes its head and reads the tail: two that send race, two that receive
race, and what a stream gives depends on how much has come. The step that made a channel readable is what a receiver
had to wait for (``opened``), so the two are never exchanged.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from kripke.testing import primitives
from kripke.testing.operation import RECEIVE, SEND, WAKE, Operation, Place
from kripke.testing.run import Run

#: Bytes that a stream holds before those who send wait, as pipes of Linux do.
CAPACITY = 65_536
FIRST_DESCRIPTOR = 1_000_000
FIRST_PORT = 40_000
_HERE = frozenset({"", "localhost", "127.0.0.1", "0.0.0.0", "::1", "::"})


class Source:
    """Something that can be waited for until it is readable."""

    __slots__ = ("closed", "end_place", "head", "opened", "reader", "tail")

    def __init__(self, run: Run) -> None:
        identity = run.keep(self)
        self.head: Place = (identity, "head")
        self.tail: Place = (identity, "tail")
        self.reader: Place = (identity, "reader")  # is there somebody who reads?
        self.end_place: Place = (identity, "end")  # does more come?
        self.opened: tuple[int, ...] = ()
        self.closed = False

    def holds(self) -> bool:
        """Is there something to be taken? Then its end makes no difference."""
        raise NotImplementedError

    def is_readable(self) -> bool:
        raise NotImplementedError

    def receive(self, run: Run, text: Any, timeout: float | None) -> bool:
        """Wait until it is readable, as a step; False where it is not, after ``timeout`` (0: at once)."""
        operation = primitives.here(RECEIVE, text)
        operation.places = lambda: ((self.tail,) if self.holds() else (self.tail, self.end_place), (self.head,))
        operation.look_again()
        if timeout == 0:
            run.do(operation)
            return self.is_readable()
        if timeout is not None and comes_early(run, operation):
            return False
        operation.waits_for = self.is_readable
        operation.deadline = None if timeout is None else run.now + timeout
        done = run.do(operation)
        if done.kind == WAKE:
            return self.is_readable()
        done.after += self.opened
        return True

    def send(self, run: Run, text: Any, *more: Place) -> None:
        """The step of one who sends; what is sent is added after it."""
        operation = primitives.here(SEND, text)
        operation.reads, operation.writes = (self.reader, *more), (self.tail,)
        run.do(operation)

    def note(self, run: Run, was_readable: bool) -> None:
        """Something was added or taken by the present step."""
        if not self.is_readable():
            self.opened = ()
        elif not was_readable:
            self.opened = run.at_this_step()


def comes_early(run: Run, operation: Operation) -> bool:
    """Does the time-out of this operation come although others could go on? Only where the process may have such."""
    process = run.present.process
    if process is None or not process.early_timeouts_left:
        return False
    question = Operation("", code=operation.code, instruction=operation.instruction)
    early = run.choose(2, question)
    question.text = "is out of time early" if early else ""
    process.early_timeouts_left -= early
    return bool(early)


class Stream(Source):
    """Bytes on their way in one direction. ``closed``: no more come; ``refused``: nobody will read them; ``reset``: it
    was cut off."""

    __slots__ = ("data", "refused", "reset")

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.data = bytearray()
        self.refused = self.reset = False

    def holds(self) -> bool:
        return bool(self.data)

    def is_readable(self) -> bool:
        return bool(self.data) or self.closed

    def put(self, run: Run, data: bytes, timeout: float | None) -> int:
        """How many bytes went; 0 where there is no room in time."""
        if len(self.data) >= CAPACITY:
            if timeout == 0:
                return 0
            operation = primitives.here(SEND, "waits for room to send")
            operation.reads, operation.writes = (self.head, self.reader), (self.tail,)
            operation.waits_for = lambda: len(self.data) < CAPACITY or self.refused
            operation.deadline = None if timeout is None else run.now + timeout
            if run.do(operation).kind == WAKE and len(self.data) >= CAPACITY:
                return 0
        else:
            self.send(run, lambda: f"sends {shown(data)}")
        if run.is_over():
            return len(data)
        if self.refused:
            raise BrokenPipeError(32, "Broken pipe")
        count = min(len(data), CAPACITY)
        was = self.is_readable()
        self.data += data[:count]
        self.note(run, was)
        return count

    def take(self, run: Run, most: int, timeout: float | None, peek: bool = False) -> bytes | None:
        """Bytes, none at the end of the stream, None where nothing came in time."""
        if not self.receive(run, "receives", timeout):
            return None
        if self.reset and not self.data:
            raise ConnectionResetError(104, "Connection reset by peer")
        found = bytes(self.data[:most])
        if not peek:
            del self.data[:most]
            self.note(run, True)
        return found

    def close(self, run: Run, text: Any = "closes the connection", *, reset: bool = False) -> None:
        """No more bytes come."""
        if not self.closed:
            operation = primitives.here(SEND, text)
            operation.writes = (self.end_place,)
            run.do(operation)
            self.end(run, reset)

    def end(self, run: Run, reset: bool = False) -> None:
        was = self.is_readable()
        self.closed = True
        self.reset = self.reset or reset
        self.note(run, was)

    def refuse(self, run: Run) -> None:
        """Nobody reads any more."""
        if not self.refused:
            operation = primitives.here(SEND, "reads no more")
            operation.writes = (self.reader,)
            run.do(operation)
            self.refused = True


class Queue(Source):
    """Whole things on their way: connections to a listener, datagrams to an inbox, objects in a pipe."""

    __slots__ = ("address", "items", "served")

    def __init__(self, run: Run, address: Any = None) -> None:
        super().__init__(run)
        self.items: deque[Any] = deque()
        self.address = address
        self.served = 0  # how many came so far

    def holds(self) -> bool:
        return bool(self.items)

    def is_readable(self) -> bool:
        return bool(self.items) or self.closed

    def add(self, run: Run, item: Any) -> None:
        was = self.is_readable()
        self.items.append(item)
        self.served += 1
        self.note(run, was)

    def take(self, run: Run, timeout: float | None, text: Any) -> Any:
        """The first, NOTHING where it was closed, None where nothing came in time."""
        if not self.receive(run, text, timeout):
            return None
        if not self.items:
            return NOTHING
        item = self.items.popleft()
        self.note(run, True)
        return item


NOTHING = object()


class Connection:
    """Both directions, as one end sees them."""

    __slots__ = ("incoming", "outgoing", "own_address", "peer_address")

    def __init__(self, incoming: Stream, outgoing: Stream, own: Any, peer: Any) -> None:
        self.incoming, self.outgoing = incoming, outgoing
        self.own_address, self.peer_address = own, peer

    def places(self) -> tuple[Place, ...]:
        """What closing it changes."""
        return (self.outgoing.end_place, self.incoming.reader)

    def close_now(self, run: Run, *, reset: bool = False) -> None:
        if not self.outgoing.closed or reset:
            self.outgoing.end(run, reset)
        self.incoming.refused = True


def connected(run: Run, own: Any, peer: Any) -> tuple[Connection, Connection]:
    one, other = Stream(run), Stream(run)
    return Connection(one, other, own, peer), Connection(other, one, peer, own)


class Network:
    """What is bound to addresses, and open descriptors, of one run."""

    def __init__(self, run: Run) -> None:
        self.identity = run.keep(self)
        self.bound: dict[Any, Queue] = {}
        self.opened: dict[Any, tuple[int, ...]] = {}
        self.descriptors: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}
        self.hosts: dict[str, str] = {}  # names of processes, and the host each runs on
        self.waits_for_listeners = False
        self.reorders = False
        self.adversary = ""
        self.system: Any = None  # of a distributed program
        self.terms: dict[bytes, Any] = {}  # what opaque bytes stand for
        self._taps: Queue | None = None

    def place(self, address: Any) -> Place:
        return (self.identity, address)

    def descriptor(self, target: Any, run: Run) -> int:
        """A new number for something that is open. Tasks number their own: what one opens is nothing to others."""
        task = run.present.index
        self._numbers[task] = number = self._numbers.get(task, 0) + 1
        made = FIRST_DESCRIPTOR + 10_000 * task + number
        self.descriptors[made] = target
        return made

    def resolve(self, run: Run, family: int, address: Any) -> Any:
        """The address as everybody calls it."""
        if not isinstance(address, tuple):
            return ("path", address if isinstance(address, str) else bytes(address).decode(errors="replace"))
        host, port = str(address[0]), int(address[1])
        process = run.present.process
        if host in _HERE or host == "127.0.1.1":
            return (process.host if process is not None else "localhost", port)
        return (self.hosts.get(host, host), port)

    def bind(self, run: Run, family: int, address: Any, kind: str) -> tuple[Any, Queue]:
        """Take an address; the address, with a port where none was asked for, and what comes in there."""
        wanted = self.resolve(run, family, address)
        operation = primitives.here(SEND, lambda: f"takes the address {_words(wanted)}")
        any_port = wanted[0] != "path" and wanted[1] == 0
        operation.writes = (self.place((kind, "ports")),) if any_port else (self.place((kind, wanted)),)
        run.do(operation)
        if any_port:
            port = FIRST_PORT
            while (kind, (wanted[0], port)) in self.bound:
                port += 1
            wanted = (wanted[0], port)
            address = (address[0] or "0.0.0.0", port)
        if (kind, wanted) in self.bound:
            raise OSError(98, "Address already in use")
        queue = Queue(run, address)
        self.bound[kind, wanted] = queue
        return (kind, wanted), queue

    def listen(self, run: Run, key: Any) -> None:
        operation = primitives.here(SEND, lambda: f"listens at {_words(key[1])}")
        operation.writes = (self.place(key),)
        run.do(operation)
        self.opened[key] = run.at_this_step()

    def connect(self, run: Run, family: int, address: Any, timeout: float | None) -> Connection:
        if self.adversary:
            raise NotImplementedError("an adversary is there for datagrams only: use socket.SOCK_DGRAM")
        wanted = ("stream", self.resolve(run, family, address))
        operation = primitives.here(SEND, lambda: f"connects to {_words(wanted[1])}")
        operation.reads = (self.place(wanted), self.place(("stream", "ports")))
        queue = self.bound.get(wanted)
        if queue is not None:
            operation.writes = (queue.tail,)
        operation.places = lambda: (
            (self.place(wanted), self.place(("stream", "ports"))),
            (self.bound[wanted].tail,) if wanted in self.bound else (),
        )
        if self.waits_for_listeners:
            operation.waits_for = lambda: wanted in self.opened
            operation.deadline = None if timeout is None else run.now + timeout
        done = run.do(operation)
        if wanted not in self.opened:
            if done.kind == WAKE:
                raise TimeoutError("timed out")
            raise ConnectionRefusedError(111, "Connection refused")
        if self.waits_for_listeners:
            done.after += self.opened[wanted]
        queue = self.bound[wanted]
        own = ("127.0.0.1", 50_000 + queue.served) if isinstance(address, tuple) else ""
        mine, theirs = connected(run, own, queue.address)
        queue.add(run, theirs)
        return mine

    def post(self, run: Run, family: int, address: Any, data: bytes, own: Any) -> None:
        """Send a datagram, which may be lost, come twice, or come later than others."""
        process = run.present.process
        if self.adversary and process is not None and process.name != self.adversary:
            taps = self.taps()
            taps.send(run, lambda: f"sends {shown(data)}, which {self.adversary} gets")
            taps.add(run, (data, own, address))
            return
        wanted = ("datagram", self.resolve(run, family, address))
        operation = primitives.here(SEND, lambda: f"sends {shown(data)} to {_words(wanted[1])}")

        def places() -> tuple[tuple[Place, ...], tuple[Place, ...]]:
            return (self.place(wanted),), (self.bound[wanted].tail,) if wanted in self.bound else ()

        operation.places = places
        operation.look_again()
        run.do(operation)
        copies = fate(run)
        queue = self.bound.get(wanted)
        if queue is not None:
            for _ in range(copies):
                queue.add(run, (data, own))

    def taps(self) -> Queue:
        """Where datagrams go that an adversary gets."""
        if self._taps is None:
            self._taps = Queue(primitives.the_run())
        return self._taps

    def fetch(self, run: Run, queue: Queue, timeout: float | None) -> Any:
        """A datagram: the first, or any where they may come late."""
        if not queue.receive(run, "receives a datagram", timeout):
            return None
        if not queue.items:
            return NOTHING
        chosen = 0
        distinct = list(dict.fromkeys(queue.items))
        if self.reorders and len(distinct) > 1:
            operation = primitives.here("", f"any of {len(distinct)} datagrams may come first")
            operation.writes = (queue.head,)
            chosen = list(queue.items).index(distinct[run.choose(len(distinct), operation)])
        item = queue.items[chosen]
        del queue.items[chosen]
        queue.note(run, True)
        return item


def fate(run: Run) -> int:
    """How often a message of the present process arrives: once, or as its process may still lose or double it."""
    process = run.present.process
    if process is None:
        return 1
    fates = [1]
    if process.losses_left:
        fates.append(0)
    if process.duplicates_left:
        fates.append(2)
    if len(fates) == 1:
        return 1
    operation = primitives.here("")
    chosen = fates[run.choose(len(fates), operation)]
    operation.text = ("the network loses it", "", "the network doubles it")[chosen]
    process.losses_left -= chosen == 0
    process.duplicates_left -= chosen == 2
    return chosen


def network_of(run: Run) -> Network:
    if run.network is None:
        run.network = Network(run)
    found: Network = run.network
    return found


def wait_for_any(
    run: Run, sources: list[Source], is_ready: Callable[[], bool], timeout: float | None, text: str
) -> None:
    """Wait until one of several can be read (or whatever ``is_ready`` asks), or the time is over."""
    operation = primitives.here(RECEIVE, text)
    operation.reads = tuple(place for source in sources for place in (source.tail, source.head, source.end_place))
    if timeout == 0:
        run.do(operation)
        return
    if timeout is not None and comes_early(run, operation):
        return
    operation.waits_for = is_ready
    operation.deadline = None if timeout is None else run.now + timeout
    done = run.do(operation)
    if done.kind != WAKE:
        ready = [source for source in sources if source.is_readable()]
        if len(ready) == 1:
            done.after += ready[0].opened


def shown(data: bytes) -> str:
    return repr(bytes(data[:40])) + ("..." if len(data) > 40 else "")


def _words(address: Any) -> str:
    return f"{address[0]}:{address[1]}" if address[0] != "path" else str(address[1])
