"""What runs on each host: starts the workers there, and passes on what they say, by its own input and output.

``launch.py`` starts it, on other hosts by ssh. So nothing listens anywhere for workers to be started, and whoever may
speak to a relay has been let in by the host. When the input ends, all workers here are ended: nothing is left behind.

Lines of JSON. In: ``start``, ``pmi``, ``input``. Out: ``hello``, ``pmi``, ``said``, ``complaint``, ``ended``, ``beat``.
"""

from __future__ import annotations

import json
import os
import platform
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any

_BEAT = 2.0  # seconds between signs of life
_PIECE = 1 << 16
_SHARED = "/dev/shm/mpich"


def facts() -> dict[str, Any]:
    """What must be the same on all hosts, and the name of this one."""
    from kripke import __version__
    from kripke._native import ABI

    return {
        "version of Kripke": __version__,
        "interface of models": ABI,
        "machine": platform.machine(),
        "byte order": sys.byteorder,
        "host": platform.node(),
    }


def mismatch(facts: Sequence[dict[str, Any]]) -> str:
    """What differs between the hosts that must not."""
    for what in facts[0]:
        kinds = {str(one.get(what)): str(one.get("host")) for one in facts}
        if what != "host" and len(kinds) > 1:
            listed = ", ".join(f"{kind} on {host}" for kind, host in kinds.items())
            return f"the {what} is not the same on all hosts: {listed}"
    return ""


class Relay:
    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._selector = selectors.DefaultSelector()
        self._workers: dict[int, subprocess.Popen[bytes]] = {}
        self._questions: dict[int, socket.socket] = {}
        self._rest: dict[Any, bytes] = {}
        self._open = True
        self._left_behind: set[str] = set()  # files of shared memory, which a killed worker does not remove

    def run(self) -> None:
        self._say({"hello": facts()})
        self._selector.register(0, selectors.EVENT_READ, self._heard)
        next_beat = monotonic()
        try:
            while self._open:
                if monotonic() >= next_beat:
                    self._say({"beat": 1})
                    self._look_for_shared_memory()
                elif not self._left_behind:
                    self._look_for_shared_memory()
                    next_beat = monotonic() + _BEAT
                for key, _ in self._selector.select(0.2):
                    key.data(key.fileobj)
                self._look_for_ends()
        finally:
            self.end()

    def end(self) -> None:
        self._look_for_shared_memory()
        for worker in self._workers.values():
            with suppress(OSError):
                os.killpg(worker.pid, signal.SIGKILL)
        for worker in self._workers.values():
            worker.wait()
        for path in self._left_behind:
            with suppress(OSError):
                os.unlink(path)

    def _look_for_shared_memory(self) -> None:
        for worker in self._workers.values():
            try:
                with open(f"/proc/{worker.pid}/maps", encoding="utf-8", errors="replace") as file:
                    paths = (line.rpartition(" ")[2].strip() for line in file if _SHARED in line)
                    self._left_behind |= {path for path in paths if path.startswith(_SHARED)}
            except OSError:
                pass

    # --- from the supervisor ----------------------------------------------------------------------------------------

    def _heard(self, _: object) -> None:
        data = os.read(0, _PIECE)
        if not data:
            self._open = False
            return
        for line in self._lines(0, data):
            order = json.loads(line)
            if "start" in order:
                self._start(order["start"])
            elif "pmi" in order:
                rank, text = order["pmi"]
                self._questions[rank].sendall(text.encode() + b"\n")
            elif "input" in order:
                rank, text = order["input"]
                self._feed(rank, text)

    def _start(self, order: dict[str, Any]) -> None:
        network = network_environment(order["peers"])
        for rank in range(order["first"], order["first"] + order["count"]):
            ours, theirs = socket.socketpair()
            environment = {**network, **os.environ, **order["environment"], "PYTHONUNBUFFERED": "1"}
            environment |= {"PMI_FD": str(theirs.fileno()), "PMI_RANK": str(rank), "PMI_SIZE": str(order["size"])}
            worker = subprocess.Popen(
                [sys.executable, "-m", "kripke.engines.distributed.worker", "-"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
            theirs.close()
            self._workers[rank], self._questions[rank] = worker, ours
            self._listen(ours, rank, "pmi")
            for stream, kind in ((worker.stdout, "said"), (worker.stderr, "complaint")):
                assert stream is not None
                os.set_blocking(stream.fileno(), False)
                self._listen(stream, rank, kind)

    def _feed(self, rank: int, text: str) -> None:
        worker = self._workers[rank]
        assert worker.stdin is not None
        try:
            worker.stdin.write(text.encode())
            worker.stdin.flush()
        except OSError:
            pass  # it has ended, and we shall hear of that

    # --- from the workers -------------------------------------------------------------------------------------------

    def _listen(self, stream: Any, rank: int, kind: str) -> None:
        def read(_: object) -> None:
            try:
                if isinstance(stream, socket.socket):
                    data = stream.recv(_PIECE, socket.MSG_DONTWAIT)
                else:
                    data = os.read(stream.fileno(), _PIECE)
            except OSError:
                data = b""
            if not data:
                self._selector.unregister(stream)
            for line in self._lines(stream, data):
                self._say({kind: [rank, line.decode("utf-8", "replace")]})

        self._selector.register(stream, selectors.EVENT_READ, read)

    def _look_for_ends(self) -> None:
        for rank, worker in list(self._workers.items()):
            if worker.poll() is None:
                continue
            # What it said before comes first.
            for stream in (worker.stdout, worker.stderr, self._questions[rank]):
                while stream is not None and stream.fileno() in self._selector.get_map():
                    self._selector.get_key(stream).data(stream)
            del self._workers[rank]
            self._questions.pop(rank).close()
            self._say({"ended": [rank, worker.returncode]})

    def _lines(self, stream: Any, data: bytes) -> list[bytes]:
        *lines, rest = (self._rest.pop(stream, b"") + data).split(b"\n")
        if rest and data:
            self._rest[stream] = rest
        elif rest:
            lines.append(rest)
        return lines

    def _say(self, news: dict[str, Any]) -> None:
        try:
            self._write(json.dumps(news, separators=(",", ":")).encode() + b"\n")
        except OSError:
            self._open = False


def network_environment(peers: list[str]) -> dict[str, str]:
    """For MPICH: the networks on which workers of other hosts are reached, and no others. No peers: the loopback."""
    names = list(dict.fromkeys(filter(None, map(_interface_to, peers)))) or ["lo"]
    return {"UCX_NET_DEVICES": ",".join(names), "FI_TCP_IFACE": names[0], "FI_PROVIDER": "tcp"}


def _interface_to(peer: str) -> str:
    """The name of the network interface on the way to this host; empty where there is none."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((peer.rpartition("@")[2], 9))  # of datagrams: nothing is sent
            own = probe.getsockname()[0]
    except OSError:
        return ""
    return next((name for _, name in socket.if_nameindex() if _address_of(name) == own), "")


def _address_of(interface: str) -> str:
    import fcntl
    import struct

    get_address = 0x8915  # SIOCGIFADDR
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            packed = fcntl.ioctl(any_socket, get_address, struct.pack("256s", interface.encode()[:15]))
        except OSError:
            return ""
    return socket.inet_ntoa(packed[20:24])


def _write_all(data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(1, left) :]


def main() -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the supervisor
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(1))
    Relay(_write_all).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
