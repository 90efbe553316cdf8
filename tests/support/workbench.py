"""A workbench on a folder of a test, and a client that speaks to it as a page would, or worse."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from kripke.web.server import Server
from kripke.web.workbench import Limits, Workbench

TOKEN = "a-token-that-nobody-guesses"


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def content(self) -> Any:
        return json.loads(self.text)


class Client:
    def __init__(self, server: Server) -> None:
        self.server = server
        self.port = server.guard.port

    @property
    def headers(self) -> dict[str, str]:
        """Of a page of the workbench."""
        host = f"127.0.0.1:{self.port}"
        return {"Host": host, "Origin": f"http://{host}", "Cookie": f"kripke-{self.port}={TOKEN}"}

    def send(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            given = self.headers if headers is None else dict(headers)
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in given.items():
                connection.putheader(name, value)
            if body is not None and "Content-Length" not in given:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read().decode())
        finally:
            connection.close()

    def ask(self, path: str, given: Mapping[str, Any] | None = None, method: str = "POST") -> Answer:
        if method in ("GET", "DELETE"):
            return self.send(method, path)
        headers = {**self.headers, "Content-Type": "application/json"}
        return self.send(method, path, json.dumps(given or {}).encode(), headers)

    def check(self, name: str, plan: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        """A run, once it is done."""
        answer = self.ask("/api/runs", {"name": name, "plan": plan or {}, **more})
        assert answer.status == 200, answer.text
        return self.awaited(answer.content["id"])

    def awaited(self, number: str) -> dict[str, Any]:
        while True:
            run: dict[str, Any] = self.ask(f"/api/run?id={number}", method="GET").content
            if run["status"] not in ("waiting", "running"):
                return run
            time.sleep(0.02)


@contextmanager
def workbench(folder: Path, history: Path, **limits: Any) -> Iterator[Client]:
    settled = Limits(**{"memory": 512 << 20, "time_limit": 120.0, "at_once": 2, **limits})
    server = Server(Workbench(str(folder), str(history), settled), TOKEN, 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield Client(server)
    finally:
        server.shutdown()
        server.server_close()
