"""How soon the workbench answers: ``./dev python benchmarks/workbench.py``; needs Chromium and Playwright.

Server up, first paint, a step in the explorer of a model of more than ten million states, scrolling through a run of
10,000 steps. Prints one line for each, with the bar it is measured against.
"""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

# Seven counters that go their own ways: 12 ** 7 = 35,831,808 states.
LARGE = "byte x[7];\nactive [7] proctype P() { do :: x[_pid] < 11 -> x[_pid]++ :: x[_pid] == 11 -> x[_pid] = 0 od }\n"
LONG = "int n;\nactive proctype P() { do :: n < 10000 -> n++ :: n == 10000 -> assert(false) od }\n"


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "large.pml").write_text(LARGE)
        (folder / "long.pml").write_text(LONG)
        begun = time.perf_counter()
        command = [sys.executable, "-m", "kripke", "serve", scratch, "--no-browser", "--port", "0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            address = next(found[0] for line in server.stdout if (found := re.search(r"http://\S+", line)))
            print(f"server up after {time.perf_counter() - begun:.2f} s (bar 2 s)", flush=True)
            measure(address)
        finally:
            server.terminate()
            server.wait()


def measure(address: str) -> None:
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=["--headless", "--no-sandbox", "--disable-gpu"])
        tab = browser.new_context(viewport={"width": 1300, "height": 850}).new_page()
        begun = time.perf_counter()
        tab.goto(address)
        tab.wait_for_selector(".layer .line")
        elapsed = time.perf_counter() - begun
        paint = tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1")
        print(f"first contentful paint {paint:.0f} ms, text of the model after {elapsed:.2f} s (bar 1 s)", flush=True)
        home = address.partition("?")[0]
        tab.goto(f"{home}#explore/large.pml")
        tab.wait_for_selector("#x-steps .step")
        times = tab.evaluate(STEPS)
        print(f"a step: median {statistics.median(times):.0f} ms, longest {max(times):.0f} ms (bar 100 ms)")
        sys.stdout.flush()
        tab.goto(f"{home}#model/long.pml")
        tab.wait_for_function(READY)
        tab.click("#check")
        tab.wait_for_selector(".run .verdict.violated", timeout=100_000)
        tab.click(".run [data-what=read]")
        frame = tab.wait_for_selector("iframe.report").content_frame()
        frame.wait_for_selector("html[data-ready=yes]", timeout=100_000)
        steps = frame.inner_text("#where")
        frames = frame.evaluate(SCROLL)
        print(f"scrolling ({steps}): {len(frames)} frames, longest {max(frames):.0f} ms (bar 100 ms)")
        browser.close()


READY = """() => !document.getElementById('check')?.disabled
  && document.querySelector('.writing h1').textContent === 'long.pml'"""
STEPS = """async () => {
  const times = [], shown = () => document.getElementById('x-where').textContent;
  for (let step = 0; step < 40; ++step) {
    const before = shown(), begun = performance.now();
    const all = document.querySelectorAll('#x-steps .step');
    all[step % all.length].click();
    while (shown() === before) await new Promise((resolve) => setTimeout(resolve, 1));
    times.push(performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  return times;
}"""
SCROLL = """async () => {
  const box = document.getElementById('scroller'), frames = [];
  box.scrollTop = 0;
  let last = await new Promise(requestAnimationFrame);
  for (let turn = 0; turn < 150; ++turn) {
    box.scrollTop += box.scrollHeight / 150;
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - last);
    last = now;
  }
  return frames;
}"""

if __name__ == "__main__":
    main()
