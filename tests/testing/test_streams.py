"""Connections of asyncio within the program: every order in which tasks go on and bytes arrive."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from kripke.testing import Report, Settings, explore


def seen(body: Callable[[], object]) -> Report:
    report = explore(body, Settings(seconds=60))
    assert report.failure is None, str(report)
    assert report.complete, str(report)
    return report


def test_a_server_answers() -> None:
    async def body() -> None:
        served = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            line = await reader.readline()
            writer.write(line.upper())
            await writer.drain()
            writer.close()
            await writer.wait_closed()
            served.set()

        async with await asyncio.start_server(serve, "localhost", 0) as server:
            host, port = server.sockets[0].getsockname()
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(b"hello\n")
            assert await reader.read() == b"HELLO\n"
            assert reader.at_eof()
            writer.close()
            await writer.wait_closed()
            await served.wait()

    seen(body)


def test_pieces_arrive_in_order_and_one_by_one() -> None:
    found = set()

    async def body() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"a")
            writer.write(b"b")
            writer.close()

        await asyncio.start_server(serve, "localhost", 7)
        reader, _ = await asyncio.open_connection("localhost", 7)
        found.add(await reader.read(100))

    seen(body)
    assert found == {b"a", b"ab"}


def test_a_counter_behind_a_server_loses_an_update() -> None:
    async def body() -> None:
        value = 0

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal value
            before = value
            await reader.readexactly(1)
            value = before + 1
            writer.write(b".")

        async def ask() -> None:
            reader, writer = await asyncio.open_connection("localhost", 7)
            writer.write(b"+")
            await reader.readexactly(1)

        await asyncio.start_server(serve, "localhost", 7)
        await asyncio.gather(ask(), ask())
        assert value == 2

    report = explore(body, Settings(seconds=60))
    assert report.failure is not None
    assert "assert 1 == 2" in str(report)


def test_nobody_listens() -> None:
    async def body() -> None:
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("localhost", 9)

    seen(body)


def test_who_waits_for_an_answer_that_never_comes() -> None:
    async def body() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1)

        await asyncio.start_server(serve, "localhost", 7)
        reader, _ = await asyncio.open_connection("localhost", 7)
        await reader.read(1)

    report = explore(body, Settings(seconds=60))
    assert report.failure is not None
    assert "StreamReader.read()" in str(report)


def test_the_other_end_is_cut() -> None:
    async def body() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.transport.abort()

        server = await asyncio.start_server(serve, "localhost", 7)
        reader, _ = await asyncio.open_connection("localhost", 7)
        with pytest.raises(ConnectionResetError):
            await reader.read(1)
        server.close()

    seen(body)
