"""``kripke serve`` as a process: the address it prints opens the workbench, Ctrl-C ends it."""

from __future__ import annotations

import signal
import subprocess
import sys
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path


def test_address_that_is_printed(tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text("byte x;\n")
    command = [sys.executable, "-m", "kripke", "serve", str(tmp_path), "--no-browser", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None
    lines = [server.stdout.readline() for _ in range(3)]
    try:
        assert lines[0] == f"workbench of {tmp_path.resolve()}\n"
        assert lines[2] == "Ctrl-C ends it\n"
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        address = lines[1].strip()
        assert "<title>Kripke</title>" in opener.open(address).read().decode()
        listed = opener.open(f"{address.partition('?')[0]}api/folder").read().decode()
        assert '"m.pml"' in listed
    finally:
        server.send_signal(signal.SIGINT)
    assert server.wait() == 0


def test_folder_that_is_none(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kripke", "serve", str(tmp_path / "x")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == f"error: {tmp_path / 'x'} is no folder: name the one with your models\n"
