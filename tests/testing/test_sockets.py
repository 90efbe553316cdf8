"""Sockets, pipes and selectors within a program: threads that talk to each other."""

from __future__ import annotations

import multiprocessing
import os
import select
import selectors
import socket
import socketserver
import threading
from collections.abc import Callable
from typing import Any

from kripke.testing import Report, Settings, explore

WITHOUT_LIMIT = Settings(seconds=None)


def both(*works: Callable[[], Any]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def seen_by(body: Callable[[Any], None]) -> tuple[set[Any], Report]:
    """What all behaviours of the body note."""
    noted: set[Any] = set()
    report = explore(lambda: body(noted), WITHOUT_LIMIT)
    return noted, report


def test_a_stream_may_arrive_in_pieces_or_as_one() -> None:
    def body(noted: set[Any]) -> None:
        one, other = socket.socketpair()

        def send() -> None:
            one.sendall(b"a")
            one.sendall(b"b")
            one.close()

        def receive() -> None:
            pieces = []
            while piece := other.recv(9):
                pieces.append(piece)
            noted.add(tuple(pieces))

        both(send, receive)

    noted, report = seen_by(body)
    assert noted == {(b"ab",), (b"a", b"b")}
    assert report.complete


def test_who_is_accepted_first_is_open() -> None:
    def body(noted: set[Any]) -> None:
        server = socket.create_server(("localhost", 0))
        address = server.getsockname()

        def serve() -> None:
            order = b""
            for _ in range(2):
                client, _ = server.accept()
                order += client.recv(1)
                client.close()
            noted.add(order)

        def client(name: bytes) -> None:
            with socket.create_connection(address) as wire:
                wire.sendall(name)

        both(serve, lambda: client(b"x"), lambda: client(b"y"))

    noted, report = seen_by(body)
    assert noted == {b"xy", b"yx"}
    assert report.complete


def test_errors_of_sockets_are_those_of_real_ones() -> None:
    def body(noted: set[Any]) -> None:
        def attempt(work: Callable[[], Any]) -> None:
            try:
                work()
            except OSError as error:
                noted.add(type(error))

        attempt(lambda: socket.create_connection(("localhost", 1)))
        one, other = socket.socketpair()
        other.setblocking(False)
        attempt(lambda: other.recv(1))
        other.settimeout(5)
        attempt(lambda: other.recv(1))
        one.close()
        assert other.recv(1) == b""
        attempt(lambda: other.send(b"!"))
        attempt(lambda: one.recv(1))
        both(lambda: None)

    noted, report = seen_by(body)
    assert noted == {ConnectionRefusedError, BlockingIOError, TimeoutError, BrokenPipeError, OSError}
    assert report.complete


def test_both_wait_for_the_other_to_speak_first() -> None:
    def body(noted: set[Any]) -> None:
        one, other = socket.socketpair()

        def talk(wire: Any) -> None:
            wire.recv(1)
            wire.sendall(b"!")

        both(lambda: talk(one), lambda: talk(other))

    _, report = seen_by(body)
    assert report.failure is not None
    assert report.failure.headline.startswith("deadlock: nobody can go on")
    assert "waits: receives" in report.failure.headline


def test_a_full_pipe_blocks() -> None:
    def body(noted: set[Any]) -> None:
        reader, writer = os.pipe()
        os.write(writer, b"x" * 65_536)

        def write() -> None:
            os.write(writer, b"!")
            noted.add("written")

        both(write)
        os.close(reader)

    _, report = seen_by(body)
    assert report.failure is not None
    assert "waits for room to send" in report.failure.headline


def test_pipes_as_files_and_of_multiprocessing() -> None:
    def body(noted: set[Any]) -> None:
        reader, writer = os.pipe()
        here, there = multiprocessing.Pipe()

        def write() -> None:
            with os.fdopen(writer, "w") as file:
                file.write("one\ntwo\n")
            here.send({"x": [1]})
            here.close()

        def read() -> None:
            with os.fdopen(reader) as file:
                noted.add(tuple(file))
            noted.add(there.poll(None))
            assert there.recv() == {"x": [1]}
            try:
                there.recv()
            except EOFError:
                noted.add("end")

        both(write, read)

    noted, report = seen_by(body)
    assert noted == {("one\n", "two\n"), True, "end"}
    assert report.complete


def test_select_and_selectors_see_what_is_there() -> None:
    def body(noted: set[Any]) -> None:
        first, one = socket.socketpair()
        second, two = socket.socketpair()
        selector = selectors.DefaultSelector()
        selector.register(one, selectors.EVENT_READ, "one")
        selector.register(two, selectors.EVENT_READ, "two")

        def wait() -> None:
            ready, _, _ = select.select([one, two], [], [])
            noted.add(("select", len(ready)))
            noted.add(("selector", tuple(sorted(key.data for key, _ in selector.select()))))

        both(lambda: first.send(b"1"), lambda: second.send(b"2"), wait)

    noted, report = seen_by(body)
    assert noted == {
        ("select", 1),
        ("select", 2),
        ("selector", ("one",)),
        ("selector", ("two",)),
        ("selector", ("one", "two")),
    }
    assert report.complete


def test_a_server_of_the_library() -> None:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.sendall(self.request.recv(9).upper())

    def body(noted: set[Any]) -> None:
        with socketserver.TCPServer(("localhost", 0), Handler) as server:
            serving = threading.Thread(target=server.handle_request)
            serving.start()
            with socket.create_connection(server.server_address) as wire:
                wire.sendall(b"hello")
                noted.add(wire.recv(9))
            serving.join()

    noted, report = seen_by(body)
    assert noted == {b"HELLO"}
    assert report.complete
