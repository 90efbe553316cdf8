"""Attempts to get from the workbench what it must not give: each is refused in words, or does no harm."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kripke.web.guard import MOST_BODY
from tests.support.workbench import TOKEN, Client, workbench

SECRET = "the secret that lies outside"
MODEL = "byte x; active proctype P() { do :: x < 3 -> x++ :: else -> x = 0 od }\n"
ENDLESS = "int a, b; active proctype P() { do :: a < 99999 -> a++ :: b < 99999 -> b++ :: a == b -> a = 0 od }\n"
MARKUP = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("security")
    (root / "secret.pml").write_text(f"/* {SECRET} */ byte y;\n")
    folder = root / "models"
    folder.mkdir()
    (folder / "m.pml").write_text(MODEL)
    (folder / "endless.pml").write_text(ENDLESS)
    (folder / ".hidden.pml").write_text(SECRET)
    (folder / ".git").mkdir()
    (folder / ".git" / "config.txt").write_text(SECRET)
    (folder / "tool.sh").write_text(SECRET)
    (folder / "link.pml").symlink_to(root / "secret.pml")
    (folder / "linked").symlink_to(root)
    os.mkfifo(folder / "pipe.pml")
    (folder / "include.pml").write_text('#include "../secret.pml"\nactive proctype P() { y = 1 }\n')
    (folder / "absolute.pml").write_text(f'#include "{root / "secret.pml"}"\nactive proctype P() {{ y = 1 }}\n')
    (folder / "code.pml").write_text(
        'c_decl { int written; }\nactive proctype P() { c_code { system("touch ../ran"); } }\n'
    )
    (folder / "markup.pml").write_text(
        f'active proctype P() {{ printf("{MARKUP}\\n"); assert(false) /* {MARKUP} */ }}\n'
    )
    return folder


@pytest.fixture(scope="module")
def client(place: Path) -> Iterator[Client]:
    with workbench(place, place.parent / "history", memory=256 << 20) as found:
        yield found


def without(client: Client, *names: str, **others: str) -> dict[str, str]:
    return {name: value for name, value in client.headers.items() if name not in names} | others


# --- who asks ---------------------------------------------------------------------------------------------------------


def test_without_token(client: Client) -> None:
    for path in ("/", "/static/bench.js", "/api/folder", "/api/file?name=m.pml", "/api/news", "/report/x.html"):
        answer = client.send("GET", path, headers=without(client, "Cookie"))
        assert answer.status == 403
        assert "open the address that kripke serve has printed" in answer.text


@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1], TOKEN + "x", "ä", "a" * 10_000, '"; DROP'])
def test_wrong_token(client: Client, token: str) -> None:
    from urllib.parse import quote

    headers = without(client, "Cookie", Cookie=f"kripke-{client.port}={quote(token)}")
    assert client.send("GET", "/api/folder", headers=headers).status == 403
    answer = client.send("GET", f"/?token={quote(token)}", headers=without(client, "Cookie"))
    assert answer.status == 403
    assert "Set-Cookie" not in answer.headers


def test_token_becomes_a_cookie_that_no_script_reads(client: Client) -> None:
    answer = client.send("GET", f"/?token={TOKEN}", headers=without(client, "Cookie"))
    assert (answer.status, answer.headers["Location"]) == (303, "/")
    assert answer.headers["Set-Cookie"].endswith("; Path=/; HttpOnly; SameSite=Strict")


def test_cookie_of_another_workbench(client: Client) -> None:
    headers = without(client, "Cookie", Cookie=f"kripke-{client.port + 1}={TOKEN}")
    assert client.send("GET", "/api/folder", headers=headers).status == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "0.0.0.0:{port}", ""]
)
def test_name_that_was_bound_to_loopback(client: Client, host: str) -> None:
    """DNS rebinding: the page of another site, whose name now means 127.0.0.1."""
    answer = client.send("GET", "/api/folder", headers=without(client, "Host", Host=host.format(port=client.port)))
    assert answer.status == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}", "file://"]
)
def test_foreign_origin(client: Client, origin: str) -> None:
    headers = without(client, "Origin", Origin=origin.format(port=client.port))
    assert client.send("GET", "/api/folder", headers=headers).status == 403
    assert client.send("POST", "/api/runs", b"{}", headers | {"Content-Type": "application/json"}).status == 403


def test_form_of_another_site(client: Client) -> None:
    """Browsers send forms across sites without asking: with no origin we know, or as no JSON."""
    headers = without(client, "Origin") | {"Content-Type": "application/json"}
    assert client.send("POST", "/api/runs", b"{}", headers).status == 403
    headers = client.headers | {"Content-Type": "text/plain"}
    assert client.send("POST", "/api/runs", b'{"name": "m.pml"}', headers).status == 415


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_fetch_of_another_site(client: Client, site: str) -> None:
    headers = client.headers | {"Sec-Fetch-Site": site}
    assert client.send("GET", "/api/folder", headers=headers).status == 403


def test_no_other_site_may_read_or_frame(client: Client) -> None:
    for path in ("/", "/static/bench.js", "/api/folder"):
        headers = client.send("GET", path).headers
        assert "Access-Control-Allow-Origin" not in headers
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert headers["X-Content-Type-Options"] == "nosniff"
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy


def test_listens_on_loopback_only(client: Client) -> None:
    assert client.server.socket.getsockname()[0] == "127.0.0.1"


# --- which files ------------------------------------------------------------------------------------------------------

OUTSIDE = [
    "../secret.pml",
    "..%2Fsecret.pml",
    "%2e%2e/secret.pml",
    "x/../../secret.pml",
    "./m.pml",
    "/etc/passwd",
    "//etc/passwd",
    "..\\secret.pml",
    "m.pml%00.txt",
    "link.pml",
    "linked/secret.pml",
    ".hidden.pml",
    ".git/config.txt",
    "tool.sh",
    "pipe.pml",
    "",
    "a" * 5000 + ".pml",
    "m.pml/m.pml",
]


@pytest.mark.parametrize("name", OUTSIDE)
def test_files_outside(client: Client, place: Path, name: str) -> None:
    from urllib.parse import unquote

    answer = client.send("GET", f"/api/file?name={name}")
    assert answer.status in (400, 403, 404)
    assert SECRET not in answer.text
    wanted = unquote(name)
    for path, given in (
        ("/api/edit", {"ask": "read", "name": wanted, "text": ""}),
        ("/api/runs", {"name": wanted}),
        ("/api/explore", {"ask": "state", "name": wanted, "at": "0."}),
        ("/api/tables", {"name": wanted}),
    ):
        answer = client.ask(path, given)
        assert answer.status in (400, 403, 404), path
    before = (place.parent / "secret.pml").read_text()
    assert client.ask("/api/file", {"name": wanted, "text": "x", "version": None}, "PUT").status in (400, 403, 404, 409)
    assert (place.parent / "secret.pml").read_text() == before


def test_listing_shows_nothing_hidden_or_linked(client: Client) -> None:
    names = [file["name"] for file in client.ask("/api/folder", method="GET").content["files"]]
    assert names == ["absolute.pml", "code.pml", "endless.pml", "include.pml", "m.pml", "markup.pml"]


@pytest.mark.parametrize(
    "path", ["/static/../server.py", "/static/%2e%2e/server.py", "/static//etc/passwd", "/../../etc/passwd"]
)
def test_static_files_are_a_list(client: Client, path: str) -> None:
    assert client.send("GET", path).status == 404


@pytest.mark.parametrize("number", ["../../secret", "..", "%2e%2e", "/etc/passwd", "x"])
def test_reports_are_of_runs(client: Client, number: str) -> None:
    assert client.send("GET", f"/report/{number}.html").status == 404
    assert client.send("DELETE", f"/api/run?id={number}").status == 404
    assert client.ask("/api/follow", {"id": number, "finding": 0}).status == 404


@pytest.mark.parametrize("name", ["include.pml", "absolute.pml"])
def test_includes_from_outside(client: Client, name: str) -> None:
    """Neither read by a check, nor by the explorer, nor by the editor."""
    run = client.check(name)
    assert run["status"] == "failed"
    assert SECRET not in str(run)
    text = client.ask(f"/api/file?name={name}", method="GET").content["text"]
    for path, given in (
        ("/api/explore", {"ask": "state", "name": name, "at": "0."}),
        ("/api/edit", {"ask": "read", "name": name, "text": text}),
        ("/api/edit", {"ask": "hover", "name": name, "text": text, "line": 1, "character": 24}),
    ):
        answer = client.ask(path, given)
        assert SECRET not in answer.text
        assert '"y"' not in answer.text, "what is declared outside is not known"


def test_plan_that_names_files(client: Client, place: Path) -> None:
    for plan in (
        {"checkpoint": "../stolen"},
        {"resume": "/etc/passwd"},
        {"formula_files": ["/etc/passwd"]},
        {"html": "../x"},
    ):
        assert client.ask("/api/runs", {"name": "m.pml", "plan": plan}).status == 422
    assert not (place.parent / "stolen").exists()


def test_words_that_look_like_options(client: Client, place: Path) -> None:
    """What a page gives as a formula stays a formula."""
    for word in ("--trace=../stolen.json", "--html ../stolen.html", "-o"):
        run = client.check("m.pml", {"ltl": [word]})
        assert run["status"] == "failed"
    assert not list(place.parent.glob("stolen*"))


@pytest.mark.parametrize(
    "text",
    [
        "select * from read_csv('/etc/passwd')",
        "copy states to '../stolen.csv'",
        "attach '../stolen.db'",
        "install httpfs",
        "select * from '../secret.pml'",
    ],
)
def test_queries_that_leave_the_tables(client: Client, place: Path, text: str) -> None:
    pytest.importorskip("duckdb")
    if client.ask("/api/query", {"name": "m.pml", "text": "select 1"}).status == 409:
        assert client.ask("/api/tables", {"name": "m.pml"}).status == 200
    answer = client.ask("/api/query", {"name": "m.pml", "text": text})
    assert answer.status == 422
    assert "root:" not in answer.text
    assert not list(place.parent.glob("stolen*"))


# --- what a model does ------------------------------------------------------------------------------------------------


def test_code_of_a_model_does_not_run(client: Client, place: Path) -> None:
    run = client.check("code.pml")
    assert run["status"] == "failed"
    assert "--allow-c" in run["error"]
    assert client.ask("/api/explore", {"ask": "state", "name": "code.pml", "at": "0."}).status == 422
    assert not (place.parent / "ran").exists()


def test_page_cannot_allow_code(client: Client, place: Path) -> None:
    given: dict[str, Any] = {"name": "code.pml", "allow_c": True, "plan": {"allow_c": True}}
    assert client.ask("/api/runs", given).status == 422
    run = client.check("code.pml", defines={"allow_c": "1"})
    assert run["status"] == "failed"
    assert not (place.parent / "ran").exists()


def test_macros_are_names(client: Client) -> None:
    for defines in ({"x y": "1"}, {"--allow-c": "1"}, {"N": 3}, [], {"N": "1" * 1000}, {"": "1"}):
        assert client.ask("/api/runs", {"name": "m.pml", "defines": defines or [1]}).status == 400


def test_markup_in_a_model_stays_text(client: Client) -> None:
    run = client.check("markup.pml")
    assert run["found"]["verdict"] == "violated"
    report = client.send("GET", f"/report/{run['id']}.html")
    assert MARKUP not in report.text
    assert report.headers["Content-Security-Policy"].startswith("sandbox allow-scripts;")
    state = client.ask("/api/explore", {"ask": "model", "name": "markup.pml"})
    assert all(MARKUP not in level for picture in state.content["pictures"] for level in picture["levels"])


def test_addresses_of_states_are_not_believed(client: Client) -> None:
    for address in (
        "",
        "0",
        "9.",
        "0.9",
        "0.z",
        "0.(99999999)",
        "x.0",
        "0." + "0" * 200_000,
        None,
        3,
        {"a": 1},
        "0.-1",
    ):
        assert client.ask("/api/explore", {"ask": "state", "name": "m.pml", "at": address}).status == 422


# --- how much ---------------------------------------------------------------------------------------------------------


def test_huge_bodies(client: Client) -> None:
    headers = client.headers | {"Content-Type": "application/json"}
    assert client.send("POST", "/api/edit", b"", headers | {"Content-Length": str(MOST_BODY + 1)}).status == 413
    assert client.send("POST", "/api/edit", b"", headers | {"Content-Length": "9" * 4000}).status == 413
    assert client.send("POST", "/api/edit", b"", headers | {"Content-Length": "-1"}).status == 411
    assert client.send("POST", "/api/edit", b"", headers | {"Transfer-Encoding": "chunked"}).status == 411
    assert client.ask("/api/file", {"name": "huge.pml", "text": "x" * 2_500_000, "version": None}, "PUT").status == 413


def test_bodies_that_are_no_object(client: Client) -> None:
    headers = client.headers | {"Content-Type": "application/json"}
    for body in (b"[]", b"null", b"{", b"\xff\xfe", b"[" * 100_000, b'"x"'):
        assert client.send("POST", "/api/edit", body, headers).status == 400


def test_huge_heads(client: Client) -> None:
    assert client.send("GET", "/" + "a" * 70_000).status == 414
    assert client.send("GET", "/api/folder", headers=client.headers | {"X": "a" * 70_000}).status == 431
    many = {f"X-{number}": "1" for number in range(200)}
    assert client.send("GET", "/api/folder", headers=client.headers | many).status == 431


def test_other_methods(client: Client) -> None:
    for method in ("TRACE", "CONNECT", "PATCH", "OPTIONS", "FOO"):
        assert client.send(method, "/api/folder").status == 501


def test_silent_and_many_connections(client: Client) -> None:
    """They take places, but the workbench answers others again as soon as some are gone."""
    silent = [socket.create_connection(("127.0.0.1", client.port)) for _ in range(120)]
    for connection in silent:
        connection.close()
    while True:
        try:
            answer = client.ask("/api/folder", method="GET")
            break
        except OSError:
            time.sleep(0.05)
    assert answer.status == 200


def test_many_runs(client: Client) -> None:
    """A page that starts a hundred checks: some run, some wait, the others are refused; all can be stopped."""
    started = [client.ask("/api/runs", {"name": "endless.pml"}) for _ in range(100)]
    assert [answer.status for answer in started].count(200) == 2 + 16
    refused = [answer for answer in started if answer.status == 429]
    assert len(refused) == 82
    assert "run or wait already" in refused[0].text
    numbers = [answer.content["id"] for answer in started if answer.status == 200]
    for number in reversed(numbers):
        assert client.ask("/api/stop", {"id": number}).status == 200
    assert {client.awaited(number)["status"] for number in numbers} == {"stopped"}


def test_time_and_memory_of_a_run(place: Path) -> None:
    with workbench(place, place.parent / "limited", memory=64 << 20, time_limit=2.0) as client:
        run = client.check("endless.pml", {"time_limit": 100_000.0, "memory": 1 << 40})
    assert run["status"] == "done"
    assert run["found"]["verdict"] == "unknown"
    assert run["found"]["reason"]
    assert run["found"]["store_bytes"] <= 64 << 20


def test_plans_that_are_none(client: Client) -> None:
    for plan in (
        [],
        "x",
        {"search": 3},
        {"search": "x"},
        {"por": "sometimes"},
        {"threads": -1},
        {"ltl": "x"},
        {"ltl": [1]},
        {"no": 1},
    ):
        answer = client.ask("/api/runs", {"name": "m.pml", "plan": plan or 5})
        assert answer.status == 422, plan


def test_questions_that_are_none(client: Client) -> None:
    assert client.ask("/api/explore", {"ask": "__class__", "name": "m.pml"}).status == 400
    assert client.ask("/api/explore", {"ask": "follow", "name": "m.pml", "trace": "/etc/passwd"}).status == 400
    assert client.ask("/api/edit", {"ask": "read", "name": "m.pml", "text": 5}).status == 400
    assert (
        client.ask("/api/edit", {"ask": "hover", "name": "m.pml", "text": "", "line": -1, "character": 0}).status == 400
    )
    assert client.ask("/api/reach", {"name": "m.pml", "at": "0.", "condition": ["x"]}).status == 422


def test_text_that_is_nested_too_deeply(client: Client) -> None:
    text = "active proctype P() { " + "(" * 200_000 + " }"
    answer = client.ask("/api/edit", {"ask": "read", "name": "m.pml", "text": text})
    assert answer.status in (200, 503)
    assert client.ask("/api/edit", {"ask": "read", "name": "m.pml", "text": MODEL}).content["problems"] == []


def test_file_that_somebody_else_has_changed(client: Client, place: Path) -> None:
    (place / "shared.pml").write_text(MODEL)
    version = client.ask("/api/file?name=shared.pml", method="GET").content["version"]
    (place / "shared.pml").write_text("byte other;\n")
    answer = client.ask("/api/file", {"name": "shared.pml", "text": "mine", "version": version}, "PUT")
    assert answer.status == 409
    assert (place / "shared.pml").read_text() == "byte other;\n"
    (place / "shared.pml").unlink()
