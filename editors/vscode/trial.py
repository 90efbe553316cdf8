"""Tries the packaged extension in a real VS Code, in a browser.

    npm install code-server                                            somewhere
    editors/vscode/package.sh
    ./dev python editors/vscode/trial.py --server 'node_modules/.bin/code-server' --pictures /tmp/pictures

Opens a model with a mistake, sees the problem, takes the quick fix, sees highlighting and lenses, clicks "check all",
and finds the failed assertion in the text and the counterexample in the web view. Says what it saw; exit code 1 where
something is missing.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
MODEL = """\
byte x;

/* counts, and says that it counts to two */
active proctype counter() {
    while (x < 3) { x++ };
    assert(x == 2)
}

ltl small { [] (x < 4) }
"""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def wait_for(url: str) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise SystemExit("the server did not come up")


class Trial:
    def __init__(self, page: Page, pictures: Path | None) -> None:
        self.page = page
        self.pictures = pictures
        self.missing: list[str] = []

    def see(self, what: str, look: Callable[[], object]) -> None:
        try:
            look()
        except Exception as error:
            self.missing.append(what)
            print(f"MISSING  {what}: {str(error).splitlines()[0]}")
        else:
            print(f"seen     {what}")
        if self.pictures is not None:
            name = "".join(c if c.isalnum() else "_" for c in what)
            self.page.screenshot(path=str(self.pictures / f"{name}.png"))

    def run(self, url: str) -> None:
        page = self.page
        page.goto(url)
        page.wait_for_selector(".monaco-workbench", timeout=120_000)
        time.sleep(3)
        page.keyboard.press("Control+P")
        page.keyboard.type("counter.pml", delay=20)
        time.sleep(1)
        page.keyboard.press("Enter")
        lens = page.locator(".codelens-decoration a")
        self.see("the text is open", lambda: page.wait_for_selector(".view-line", timeout=60_000))
        self.see("a problem", lambda: page.wait_for_selector(".squiggly-error", timeout=60_000))
        page.keyboard.press("F8")
        time.sleep(1)
        self.see("its words", lambda: page.get_by_text("Promela has no 'while'").first.wait_for(timeout=20_000))
        page.keyboard.press("Escape")
        page.keyboard.press("Control+.")
        self.see("the quick fix", lambda: page.get_by_text("write it as a do").first.wait_for(timeout=20_000))
        page.keyboard.press("Enter")
        self.see("a mended text", lambda: page.locator(".view-line", has_text="else").first.wait_for(timeout=20_000))
        self.see("no problem", lambda: page.wait_for_selector(".squiggly-error", state="detached", timeout=30_000))
        self.see("lenses", lambda: lens.filter(has_text="check all").first.wait_for(timeout=30_000))
        self.see("a lens of the formula", lambda: lens.filter(has_text="check small").first.wait_for(timeout=5_000))
        self.see("a lens of the process", lambda: lens.filter(has_text="simulate").nth(1).wait_for(timeout=5_000))
        self.see("colours", self.colours)
        lens.filter(has_text="check all").first.click()
        self.see("the failed assertion in the text", lambda: page.wait_for_selector(".squiggly-error", timeout=60_000))
        self.see("the trace in a web view", self.web_view)
        lens.filter(has_text="simulate").first.click()
        self.see("a run in the output", lambda: page.get_by_text("counter:0").first.wait_for(timeout=60_000))

    def colours(self) -> None:
        """Keywords, comments and names do not look alike."""
        classes = self.page.evaluate(
            "() => new Set([...document.querySelectorAll('.view-line span span')].map(e => e.className)).size"
        )
        assert classes >= 4, f"only {classes} kinds of words"

    def web_view(self) -> None:
        for _ in range(100):
            for frame in self.page.frames:
                if frame != self.page.main_frame and frame.get_by_text("assert(x == 2)").count():
                    return
            time.sleep(0.2)
        raise AssertionError("no frame shows the trace")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True, help="the command that starts code-server")
    parser.add_argument("--pictures", type=Path, help="a folder for pictures of every stage")
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    options = parser.parse_args()
    package = max(HERE.glob("kripke-*.vsix"), default=None)
    if package is None:
        raise SystemExit("there is no kripke-*.vsix: run package.sh first")
    if options.pictures is not None:
        options.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="kripke-vscode-") as name:
        folder = Path(name)
        (folder / "models").mkdir()
        (folder / "models" / "counter.pml").write_text(MODEL)
        settings = folder / "data" / "User" / "settings.json"
        settings.parent.mkdir(parents=True)
        wanted = {
            "kripke.command": [sys.executable, "-m", "kripke"],
            "security.workspace.trust.enabled": False,
            "workbench.startupEditor": "none",
            "telemetry.telemetryLevel": "off",
            "extensions.autoCheckUpdates": False,
        }
        settings.write_text(json.dumps(wanted))
        (folder / "config.yaml").write_text("")
        port = free_port()
        command = shlex.split(options.server)
        command += ["--config", str(folder / "config.yaml"), "--user-data-dir", str(folder / "data")]
        command += ["--extensions-dir", str(folder / "extensions")]
        subprocess.run([*command, "--install-extension", str(package)], check=True, capture_output=True)
        command += ["--auth", "none", "--bind-addr", f"127.0.0.1:{port}", "--disable-update-check"]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(f"http://127.0.0.1:{port}/healthz")
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=options.chromium, args=["--no-sandbox"])
                trial = Trial(browser.new_page(viewport={"width": 1400, "height": 900}), options.pictures)
                trial.run(f"http://127.0.0.1:{port}/?folder={folder / 'models'}")
                browser.close()
        finally:
            server.terminate()
            server.wait()
    print(f"{len(trial.missing)} missing")
    return 1 if trial.missing else 0


if __name__ == "__main__":
    sys.exit(main())
