"""Makes the pictures of the documentation anew: ``./dev python docs/pictures/make.py``; needs Chromium, Playwright."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"


#: pictures of processes in docs/cases
CASES = (
    *(f"cases/{name}" for name in ("ascb", "deos", "ejb_entity", "ejb_session", "ethernet", "telephones")),
    *(f"directed/{name}" for name in ("lynch", "mutex", "philosophers", "snoopy")),
    "promela/clients_servers",
)


def kripke(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "kripke", *arguments], cwd=HERE.parents[1], capture_output=True, check=False)


def main() -> None:
    kripke("emit", "examples/promela/alternating_bit.pml", "--svg", "-o", str(HERE / "alternating_bit.svg"))
    kripke("emit", "examples/scxml/microwave.scxml", "--svg", "-o", str(HERE / "microwave.svg"))
    kripke("emit", "examples/pnml/two_locks.pnml", "--svg", "-o", str(HERE / "two_locks.svg"))
    for name in CASES:
        kripke("emit", f"examples/{name}.pml", "--svg", "-o", str(HERE.parent / "cases" / f"{Path(name).name}.svg"))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=["--headless", "--no-sandbox", "--disable-gpu"])
        for model in sorted((EXAMPLES / "bugs").glob("*.pml")):
            page = Path(folder) / f"{model.stem}.html"
            kripke("check", str(model.relative_to(HERE.parents[1])), "--html", str(page))
            tab = browser.new_page(viewport={"width": 1380, "height": 780}, color_scheme="light")
            tab.goto(page.as_uri())
            tab.wait_for_selector("html[data-ready=yes]")
            tab.screenshot(path=str(HERE / f"{model.stem}.png"))
            tab.close()
        page = Path(folder) / "microwave.html"
        kripke("check", "examples/scxml/microwave.scxml", "--html", str(page))
        tab = browser.new_page(viewport={"width": 1380, "height": 1300}, color_scheme="light")
        tab.goto(page.as_uri())
        tab.wait_for_selector("html[data-ready=yes]")
        tab.locator(".row[data-step]").last.click()
        tab.locator("#pictures").first.screenshot(path=str(HERE / "microwave.png"))
        tab.close()
        browser.close()


if __name__ == "__main__":
    main()
