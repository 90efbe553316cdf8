"""The report of every mistake in ``examples/bugs``, made by the command and opened in a browser."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BUGS = Path(__file__).parents[2] / "examples" / "bugs"
ENTRIES = tomllib.loads((BUGS / "manifest.toml").read_text())["example"]
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# What the report says at the top, under "why": enough to know where to look.
WHY = {
    "transfer_deadlock": ["!locked[to]", "locked[to] = true"],
    "lost_acknowledgement": ["sender:0", "waits for a message ack, 0 in to_sender", "to_sender = empty"],
    "ticket_race": ["sold <= 2 is false", "sold = 3"],
    "writer_overtaken": ["overtaken <= 3 is false", "overtaken = 4"],
    "ring_buffer_index": ["index put_at is 4, but only 0 to 3 exist"],
    "duplicate_order": ["delivered == 1 is false", "delivered = 2"],
    "stale_cache": ["copy[_pid] == latest is false"],
    "lost_wakeup": ["worker:0", "waits for !asleep", "asleep = true"],
    "double_release": ["available <= 2 is false", "available = 3"],
    "split_brain": ["leaders <= 1 is false", "leaders = 2"],
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium is installed (.ci/run installs it as root on Debian: apt-get install chromium)")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


def test_ten_of_them() -> None:
    assert {Path(entry["file"]).stem for entry in ENTRIES} == set(WHY)
    assert len(WHY) == 10


@pytest.mark.parametrize("name", sorted(WHY))
def test_report(name: str, browser: Any, tmp_path: Path) -> None:
    page = tmp_path / f"{name}.html"
    ran = subprocess.run(
        [sys.executable, "-m", "kripke", "check", str(BUGS / f"{name}.pml"), "--html", str(page), "--quiet"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (ran.returncode, ran.stderr) == (1, "")
    complaints: list[str] = []
    tab = browser.new_page(viewport={"width": 1400, "height": 900})
    tab.on("console", lambda message: complaints.append(message.text))
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.goto(page.as_uri())
    tab.wait_for_selector("html[data-ready=yes]")
    why = tab.locator("#why").inner_text()
    for words in WHY[name]:
        assert words in why
    assert tab.locator(".row[data-step]").count() > 0
    assert tab.locator("#source .here").count() >= 1
    assert len(tab.screenshot()) > 10_000
    tab.close()
    assert complaints == []
