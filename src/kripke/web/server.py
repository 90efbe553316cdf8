"""The server: HTTP on loopback, a thread for each connection, no more than a page needs.

Of the standard library on purpose: it starts in a few hundredths of a second and needs nothing installed
(docs/workbench.md has the figures). Every answer forbids the browser everything but the workbench's own files.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.resources import files
from socketserver import ThreadingMixIn
from typing import Any
from urllib.parse import parse_qs, urlsplit

from kripke import __version__
from kripke.web.guard import Guard, Refused, body_length
from kripke.web.workbench import QUESTIONS, Workbench

_MOST_CONNECTIONS = 64
_SILENCE = 60.0  # seconds until a connection that says nothing is closed
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
#: a report has a policy of its own in its head; this one keeps it in its frame
_REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "frame-ancestors 'self'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
#: scripts and styles that the HTML report has, too
_OF_REPORTS = ("elements.js", "highlighting.js", "trace.js", "marks.js", "growth.js", "page.css")


def static_files() -> dict[str, tuple[str, bytes]]:
    """By path: type and content of everything that pages are made of."""
    found: dict[str, tuple[str, bytes]] = {}
    own = [(f"/static/{file.name}", file) for file in files("kripke.web").joinpath("static").iterdir()]
    shared = [(f"/static/report/{name}", files("kripke.report.page").joinpath(name)) for name in _OF_REPORTS]
    for path, file in (*own, *shared):
        ending = path.rpartition(".")[2]
        if ending in _TYPES:
            found[path] = (_TYPES[ending], file.read_bytes())
    return found


class Server(ThreadingMixIn, HTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128  # with the usual 5 the system drops what comes in a rush, and a browser waits for seconds

    def __init__(self, workbench: Workbench, token: str, port: int) -> None:
        self.workbench = workbench
        self.static = static_files()
        self._places = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        super().__init__(("127.0.0.1", port), Handler)
        self.guard = Guard(token, self.server_address[1])

    @property
    def address(self) -> str:
        """What opens the workbench."""
        return f"http://127.0.0.1:{self.guard.port}/?token={self.guard.token}"

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._places.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A page that went away in the middle of an answer is no error."""

    def server_close(self) -> None:
        super().server_close()
        self.workbench.close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = f"kripke/{__version__}"
    sys_version = ""
    timeout = _SILENCE
    server: Server

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    def do_PUT(self) -> None:
        self._answer("PUT")

    def do_DELETE(self) -> None:
        self._answer("DELETE")

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the terminal is for people."""

    # --- answers ------------------------------------------------------------------------------------------------------

    def _answer(self, method: str) -> None:
        try:
            self.server.guard.refuse_strangers(method, self.headers)
            address = urlsplit(self.path)
            given = {name: values[-1] for name, values in parse_qs(address.query).items()}
            if method == "GET" and address.path == "/" and "token" in given:
                return self._open(given["token"])
            self.server.guard.refuse_without_token(self.headers)
            self._reply(method, address.path, given)
        except Refused as refusal:
            self._refuse(refusal)
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        except Exception as error:
            self._refuse(Refused(HTTPStatus.INTERNAL_SERVER_ERROR, f"internal error: {type(error).__name__}: {error}"))

    def _reply(self, method: str, path: str, given: Mapping[str, Any]) -> None:
        question = QUESTIONS.get((method, path))
        if question is not None:
            asked = given if method in ("GET", "DELETE") else self._body()
            return self._send_json(HTTPStatus.OK, question(self.server.workbench, asked))
        if method != "GET":
            raise Refused(HTTPStatus.NOT_FOUND, "there is nothing at this address")
        if path == "/api/news":
            return self._send_news()
        if path == "/":
            path = "/static/index.html"
        if path.startswith("/report/"):
            content = self.server.workbench.report(path.removeprefix("/report/").removesuffix(".html"))
            return self._send(HTTPStatus.OK, "text/html", content, _REPORT_POLICY)
        if path not in self.server.static:
            raise Refused(HTTPStatus.NOT_FOUND, "there is nothing at this address")
        self._send(HTTPStatus.OK, *self.server.static[path])

    def _body(self) -> Mapping[str, Any]:
        content = self.rfile.read(body_length(self.headers))
        try:
            given = json.loads(content)
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            raise Refused(HTTPStatus.BAD_REQUEST, "a body is an object in JSON")
        return given

    def _open(self, token: str) -> None:
        """The first visit: from now on the cookie is enough, and the token does not stay in the address."""
        if not self.server.guard.knows(token):
            raise Refused(HTTPStatus.FORBIDDEN, "this is not the token of this workbench: open the address it printed")
        self.send_response(HTTPStatus.SEE_OTHER)
        self.send_header("Location", "/")
        self.send_header("Set-Cookie", self.server.guard.cookie())
        self._finish_headers(0, _POLICY)

    def _send(self, status: HTTPStatus, kind: str, content: bytes, policy: str = _POLICY) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self._finish_headers(len(content), policy)
        self.wfile.write(content)

    def _finish_headers(self, length: int | None, policy: str) -> None:
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Security-Policy", policy)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def _send_json(self, status: HTTPStatus, content: Any) -> None:
        self._send(status, "application/json", json.dumps(content, ensure_ascii=True).encode())

    def _send_news(self) -> None:
        stream = self.server.workbench.news.stream()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.close_connection = True
        self._finish_headers(None, _POLICY)
        for lines in stream:
            self.wfile.write(lines)
            self.wfile.flush()

    def _refuse(self, refusal: Refused) -> None:
        """In words. The connection ends: what is left of a body that nobody read would be taken for a request."""
        self.close_connection = True
        try:
            if "text/html" in self.headers.get("Accept", ""):
                from html import escape

                page = f"<!doctype html><title>Kripke</title><h1>Kripke</h1><p>{escape(refusal.message)}</p>"
                return self._send(refusal.status, "text/html", page.encode())
            self._send_json(refusal.status, {"error": refusal.message})
        except OSError:
            return
