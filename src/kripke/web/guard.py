"""Who may ask the workbench: pages of its own, opened with its token, under its own name.

Three things are asked of every request. The *host* must be loopback and our port: a page of another site whose name was
bound to 127.0.0.1 (DNS rebinding) has another one. The *origin* must be ours, where a browser names one. The *token*,
which only who started the server knows, comes once in the address and from then on as a cookie that no script can read
and no other site can send.
"""

from __future__ import annotations

from email.message import Message
from hmac import compare_digest
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple

MOST_BODY = 4_000_000  # bytes
_CHANGING = ("POST", "PUT", "DELETE")


class Refused(Exception):
    """Why a request is not answered: the status and a sentence for people."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class Guard(NamedTuple):
    token: str
    port: int

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]"))

    @property
    def cookie_name(self) -> str:
        # Cookies belong to a host, whatever the port: two workbenches must not take each other's.
        return f"kripke-{self.port}"

    def cookie(self) -> str:
        return f"{self.cookie_name}={self.token}; Path=/; HttpOnly; SameSite=Strict"

    def knows(self, token: str) -> bool:
        return compare_digest(token.encode("utf-8", "replace"), self.token.encode())

    def refuse_strangers(self, method: str, headers: Message) -> None:
        """Refused, unless host and origin are our own."""
        if headers.get("Host", "").lower() not in self.hosts:
            raise Refused(HTTPStatus.MISDIRECTED_REQUEST, "this workbench answers under 127.0.0.1 and localhost only")
        origin = headers.get("Origin")
        if origin is not None and origin.lower() not in [f"http://{host}" for host in self.hosts]:
            raise Refused(HTTPStatus.FORBIDDEN, "a page of another site may not ask this workbench")
        site = headers.get("Sec-Fetch-Site")
        if site not in (None, "same-origin", "none"):
            raise Refused(HTTPStatus.FORBIDDEN, "a page of another site may not ask this workbench")
        if method in _CHANGING and origin is None and site is None:
            raise Refused(HTTPStatus.FORBIDDEN, "who changes something must say where it comes from (Origin)")

    def refuse_without_token(self, headers: Message) -> None:
        if not self.knows(self._token_in(headers.get("Cookie", ""))):
            raise Refused(HTTPStatus.FORBIDDEN, "open the address that kripke serve has printed: it has the token")

    def _token_in(self, cookies: str) -> str:
        try:
            found = SimpleCookie(cookies).get(self.cookie_name)
        except CookieError:
            return ""
        return "" if found is None else found.value


def body_length(headers: Message) -> int:
    """How much is to be read; Refused where that is too much, or not said."""
    if headers.get("Transfer-Encoding") is not None:
        raise Refused(HTTPStatus.LENGTH_REQUIRED, "say how long the body is (Content-Length)")
    length = headers.get("Content-Length", "")
    if not (length.isascii() and length.isdecimal()):
        raise Refused(HTTPStatus.LENGTH_REQUIRED, "say how long the body is (Content-Length)")
    if int(length[:20]) > MOST_BODY:
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a body has at most {MOST_BODY:,} bytes")
    if headers.get("Content-Type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a body is JSON (Content-Type: application/json)")
    return int(length)
