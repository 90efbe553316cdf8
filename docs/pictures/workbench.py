"""Makes the pictures of the workbench anew: ``./dev python docs/pictures/workbench.py``; needs Chromium, Playwright."""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from tests.support.workbench import TOKEN, workbench  # noqa: E402

QUERY = "select depth, count(*) as states from states group by 1 order by 1"
WIDE, NARROW = {"width": 1380, "height": 820}, {"width": 420, "height": 820}


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        folder = Path(scratch) / "examples"
        shutil.copytree(ROOT / "examples" / "promela", folder)
        shutil.copytree(ROOT / "examples" / "pnml", folder / "pnml")
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=["--headless", "--no-sandbox", "--disable-gpu"])
        with workbench(folder, Path(scratch) / "history") as client:
            home = f"http://127.0.0.1:{client.port}/"
            client.check("peterson_late_flag.pml")
            client.check("philosophers_deadlock.pml", {"search": "dfs"})
            run = client.check("philosophers_deadlock.pml")
            client.ask("/api/tables", {"name": "peterson.pml"})
            for name, view, size, colours, ready in (
                ("model", "model/peterson_late_flag.pml", WIDE, "light", ".run .verdict"),
                ("report", f"runs/{run['id']}", WIDE, "light", "iframe.report"),
                ("explore", "explore/philosophers_deadlock.pml?run=0.0000", WIDE, "light", "#part-run .row"),
                ("ask", f"ask/peterson.pml?q={QUERY}", WIDE, "light", ".plot svg"),
                ("dark", "explore/philosophers_deadlock.pml?run=0.0000", WIDE, "dark", "#part-run .row"),
                ("narrow", "model/peterson_late_flag.pml", NARROW, "light", ".run .verdict"),
                ("narrow_dark", "explore/peterson_late_flag.pml?run=0.0111", NARROW, "dark", "#x-steps .step"),
            ):
                context = browser.new_context(viewport=size, color_scheme=colours)
                tab = context.new_page()
                tab.goto(f"{home}?token={TOKEN}")
                tab.goto(f"{home}#{view}")
                tab.reload()
                tab.wait_for_selector(ready)
                tab.wait_for_timeout(900)
                tab.screenshot(path=str(HERE / f"workbench_{name}.png"))
                context.close()
        browser.close()


if __name__ == "__main__":
    main()
