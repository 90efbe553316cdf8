"""The workbench in a real browser: what somebody does with it, from the first mistake to the comparison of two runs."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.report.test_page import FLAGS
from tests.support.workbench import TOKEN, Client, workbench

expect = pytest.importorskip("playwright.sync_api").expect

BUFFER = """\
/* A buffer with room for two, and a producer that does not look whether it is full. */
byte count;

active proctype producer() {
  do
  :: count++
  od
}

active proctype consumer() {
  do
  :: count > 0 -> count--
  od
}

active proctype monitor() {
  assert(count <= 2)
}
"""
LARGE = """\
byte x[7];
active [7] proctype P() { do :: x[_pid] < 40 -> x[_pid]++ :: x[_pid] > 3 -> x[_pid] = 0 od }
"""
LASSO = """\
bool ready, served;
active proctype client() { ready = true; served }
active proctype server() { do :: ready -> skip :: ready -> served = true; break od }
ltl answered { [] (ready -> <> served) }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bench") / "models"
    folder.mkdir()
    (folder / "buffer.pml").write_text(BUFFER)
    (folder / "large.pml").write_text(LARGE)
    (folder / "lasso.pml").write_text(LASSO)
    return folder


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[Client]:
    with workbench(folder, folder.parent / "history") as found:
        yield found


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium is installed (.ci/run installs it as root on Debian: apt-get install chromium)")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def bench(chromium: Any, client: Client) -> Iterator[Any]:
    """A page of the workbench; at the end there must have been no word on the console and no request elsewhere."""
    complaints: list[str] = []
    context = chromium.new_context(viewport={"width": 1300, "height": 850})
    context.set_default_timeout(60_000)
    home = f"http://127.0.0.1:{client.port}/"

    def opened() -> Any:
        tab = context.new_page()
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("request", lambda request: None if request.url.startswith(home) else complaints.append(request.url))
        return tab

    tab = opened()
    tab.goto(f"{home}?token={TOKEN}")
    tab.wait_for_selector("html[data-ready=model]")
    tab.another_page = opened
    yield tab
    context.close()
    assert complaints == []


def open_file(tab: Any, name: str) -> None:
    tab.click(f"#tree a:text-is('{name}')")
    tab.wait_for_function("name => document.querySelector('.writing h1')?.textContent === name", arg=name)


def settled(tab: Any, what: str = "no problems") -> None:
    tab.wait_for_function("what => document.getElementById('said')?.textContent.includes(what)", arg=what)


def write(tab: Any, old: str, new: str) -> None:
    """Select a piece of the text and type over it."""
    tab.evaluate(
        """old => { const area = document.querySelector('textarea.text'), at = area.value.indexOf(old);
        area.focus(); area.setSelectionRange(at, at + old.length); }""",
        old,
    )
    tab.keyboard.type(new)


def steps(tab: Any) -> list[str]:
    return [str(text) for text in tab.locator("#x-steps .step .mono").all_inner_texts()]


def number_of_step(tab: Any) -> int:
    found = re.search(r"after step ([\d,]+)", tab.inner_text("#x-where"))
    return int(found[1].replace(",", "")) if found else 0


def at_step(tab: Any, number: int) -> None:
    words = f"after step {number}" if number else "at the start"
    tab.wait_for_function("words => document.getElementById('x-where')?.textContent.startsWith(words)", arg=words)


def test_from_a_mistake_to_another_branch(bench: Any, folder: Path) -> None:
    tab = bench
    assert "token" not in tab.url
    open_file(tab, "buffer.pml")
    settled(tab)

    # A mistake is underlined and listed, and there is nothing to check.
    write(tab, "assert(count <= 2)", "assert(cont <= 2)")
    settled(tab, "1 error")
    expect(tab.locator(".problems")).to_contain_text("cont")
    assert tab.locator(".layer .problem.error").count() >= 1
    assert tab.is_disabled("#check")
    write(tab, "cont", "count")
    settled(tab)
    tab.wait_for_function("() => document.getElementById('check')?.disabled === false")

    # Check, and read the counterexample.
    tab.keyboard.press("Control+Enter")
    tab.wait_for_selector(".run .verdict.violated")
    expect(tab.locator(".run")).to_contain_text("assertion violated")

    # The place is a link; what was found belongs to the text that was checked, and says so when that is changed.
    tab.click(".run [data-what=line]")
    expect(tab.locator(".layer .current").first).to_contain_text("assert(count <= 2)")
    tab.keyboard.press("End")
    tab.keyboard.type(" ")
    tab.wait_for_selector(".run .earlier")
    expect(tab.locator(".run [data-what=line]")).to_have_count(0)
    tab.keyboard.press("Backspace")
    tab.wait_for_selector(".run .earlier", state="detached")
    tab.click(".run [data-what=read]")
    report = tab.frame_locator("iframe.report")
    report.locator("html[data-ready=yes]").wait_for()
    expect(report.locator(".verdict")).to_have_text("violated")
    assert report.locator("#why code").all_inner_texts() == ["count <= 2 is false"]
    report.locator(".row[data-step='1']").click()

    # Explore from there: one step back, and along another branch.
    tab.click("#explore-run")
    tab.wait_for_selector("html[data-ready=explore]")
    at_step(tab, 2)
    expect(tab.locator("#x-state")).to_contain_text("count")
    tab.keyboard.press("ArrowLeft")
    at_step(tab, 1)
    possible = steps(tab)
    assert "consumer:1 (count > 0)" in possible or any("count > 0" in text for text in possible)
    consumer = next(index for index, text in enumerate(possible) if "consumer" in text)
    tab.keyboard.press(str(consumer + 1))
    at_step(tab, 2)
    expect(tab.locator("#x-last")).to_contain_text("consumer")
    expect(tab.locator("#x-branches")).to_contain_text("the run of")

    # The address is enough for somebody else.
    other = tab.another_page()
    other.goto(tab.url)
    other.wait_for_selector("html[data-ready=explore]")
    at_step(other, 2)
    expect(other.locator("#x-state")).to_have_text(tab.locator("#x-state").inner_text(), use_inner_text=True)
    assert steps(other) == steps(tab)


def test_stop_compare_and_ask(bench: Any) -> None:
    tab = bench
    open_file(tab, "large.pml")
    settled(tab)
    tab.click("#check")
    tab.wait_for_selector(".run .curve-box .growth")
    expect(tab.locator(".run .figures-line")).to_contain_text("states")
    tab.click(".run [data-what=stop]")
    tab.wait_for_function("() => !document.querySelector('.run [data-what=stop]')")
    expect(tab.locator(".run .verdict").first).to_have_text("unknown")

    # Two runs of a small model, side by side.
    open_file(tab, "buffer.pml")
    settled(tab)
    before = tab.locator(".cards .run").count()
    for search in ("bfs", "dfs"):
        tab.wait_for_function("() => document.getElementById('check')?.disabled === false")
        tab.evaluate("document.getElementById('how').open = true")
        tab.select_option("#choose-search", f'"{search}"')
        tab.wait_for_function(
            "word => document.getElementById('command')?.textContent.includes(word)", arg=f"--search {search}"
        )
        tab.click("#check")
        before += 1
        tab.wait_for_function(
            "n => document.querySelectorAll('.cards .run .verdict.violated').length >= Math.min(n, 2)", arg=before
        )
    tab.click("#tab-runs")
    tab.wait_for_selector(".history li")
    for index in (0, 1):
        tab.locator(".history input").nth(index).check()
    tab.click("#compare")
    tab.wait_for_selector(".compare table")
    text = tab.inner_text(".compare")
    assert "kripke check buffer.pml --search bfs" in text
    assert "kripke check buffer.pml --search dfs" in text

    # SQL over the states, as a table and as a plot.
    pytest.importorskip("duckdb")
    tab.click("#tab-ask")
    tab.fill("#query", "select count, count(*) as states from states group by count order by count")
    tab.keyboard.press("Control+Enter")
    tab.wait_for_selector(".rows-table")
    assert tab.locator(".rows-table th").all_inner_texts() == ["count", "states"]
    assert tab.locator(".plot .bar-mark, .plot .dot-mark").count() == tab.locator(".rows-table tbody tr").count()


def test_find_watch_play_and_graph(bench: Any) -> None:
    tab = bench
    open_file(tab, "buffer.pml")
    tab.click("#tab-explore")
    at_step(tab, 0)
    tab.fill("#x-goal", "count == 5")
    tab.press("#x-goal", "Enter")
    at_step(tab, 5)
    expect(tab.locator("#x-found")).to_contain_text("as few as possible")
    tab.fill("#x-watch", "count > 4")
    tab.press("#x-watch", "Enter")
    tab.wait_for_selector("#x-watched b:text-is('true')")
    tab.fill("#x-goal", "count == 255 && count == 0")
    tab.press("#x-goal", "Enter")
    tab.wait_for_function("() => document.getElementById('x-found')?.textContent.startsWith('not found')")

    # The chart of the run, the automata with the present state lit, the source, the graph that grows.
    expect(tab.locator("#part-run .row")).to_have_count(5)
    tab.click("#choose-part-pictures")
    tab.wait_for_function("() => document.querySelectorAll('#part-pictures .marked').length >= 3")
    tab.click("#choose-part-source")
    tab.wait_for_selector("#part-source .here")
    tab.click("#choose-part-graph")
    tab.wait_for_selector("#part-graph svg [data-key]")
    few = tab.locator("#part-graph [data-key]").count()
    tab.locator("#part-graph [data-key]").nth(1).click()
    tab.wait_for_function("n => document.querySelectorAll('#part-graph [data-key]').length > n", arg=few)
    tab.select_option("#graph-by", "variable count")
    tab.wait_for_function("() => document.querySelector('#part-graph .count')?.textContent.includes('states')")
    tab.select_option("#graph-by", "component")
    tab.wait_for_selector("#part-graph [data-key='group 0']")

    # Back to the start, then on by itself.
    tab.click("#x-start")
    at_step(tab, 0)
    tab.fill("#x-speed", "6")
    tab.click("#x-play")
    tab.wait_for_function("() => /after step [3-9]/.test(document.getElementById('x-where')?.textContent)")
    tab.click("#x-play")
    tab.fill("#x-howMany", "40")
    tab.fill("#x-until", "count == 9")
    tab.click("#x-random")
    tab.wait_for_function(
        "() => !/after step [0-5] /.test(document.getElementById('x-where')?.textContent ?? 'after step 0 ')"
    )


def test_coverage_is_painted(bench: Any) -> None:
    tab = bench
    open_file(tab, "lasso.pml")
    settled(tab)
    tab.evaluate("document.getElementById('how').open = true")
    tab.wait_for_selector("#choose-coverage")
    tab.check("#choose-coverage")
    tab.wait_for_function("() => document.getElementById('command')?.textContent.includes('--coverage')")
    tab.click("#check")
    tab.wait_for_selector(".run .verdict.violated")
    seen = tab.locator(".cards .run").first.bounding_box()
    assert seen["y"] + seen["height"] <= 850, "the result is in sight, though the choices fill the column"
    tab.wait_for_selector("#paint:not([hidden])")
    tab.click("#paint")
    tab.wait_for_selector(".gutter .covered")
    assert "executed" in str(tab.locator(".gutter .covered").first.get_attribute("title"))


def test_formula_of_my_own(bench: Any) -> None:
    tab = bench
    open_file(tab, "lasso.pml")
    settled(tab)
    tab.wait_for_selector("#what option[value=typed]", state="attached")
    tab.select_option("#what", "typed")
    tab.keyboard.type("[] <> served")
    assert tab.input_value("#kind") == "ltl", "a condition has no such operators"
    tab.wait_for_function("() => document.getElementById('command')?.textContent.includes(\"--ltl '[] <> served'\")")


def test_completion_by_keyboard(bench: Any) -> None:
    tab = bench
    open_file(tab, "buffer.pml")
    settled(tab)
    write(tab, "assert(count <= 2)", "assert(cou")
    tab.wait_for_selector(".words:not([hidden]) li")
    expect(tab.locator(".words li span").first).to_have_text("count")
    tab.keyboard.press("Enter")
    tab.keyboard.type(" <= 2)")
    settled(tab)
    assert tab.evaluate("document.querySelector('textarea.text').value") == BUFFER
    tab.keyboard.press("Control+s")


def test_every_control_by_keyboard(bench: Any) -> None:
    """Tab reaches every control of every view that can be seen; the editor is left with Escape."""
    tab = bench
    open_file(tab, "buffer.pml")
    settled(tab)
    for view in ("model", "runs", "explore", "ask"):
        tab.keyboard.press(f"Alt+{['model', 'runs', 'explore', 'ask'].index(view) + 1}")
        tab.wait_for_selector(f"html[data-ready={view}]")
        if view == "explore":
            at_step(tab, 0)
        tab.evaluate("document.getElementById('how').open = true")
        tab.wait_for_timeout(300)
        reached = tab.evaluate(REACHABLE)
        seen: set[str] = set()
        tab.evaluate("document.activeElement.blur()")
        for _ in range(reached["count"] + 200):  # a report in its frame has controls of its own
            if seen >= set(reached["names"]):
                break
            if tab.evaluate("document.activeElement.tagName") == "TEXTAREA":
                tab.keyboard.press("Escape")
            tab.keyboard.press("Tab")
            seen.add(tab.evaluate("document.activeElement.dataset.walk ?? ''"))
        missing = set(reached["names"]) - seen
        assert not missing, f"{view}: {missing}"


#: gives every control that can be seen a name, and returns the names
REACHABLE = """() => {
  const names = [];
  for (const node of document.querySelectorAll('button, a[href], input, select, textarea, summary, [tabindex="0"]')) {
    const box = node.getBoundingClientRect();
    if (node.disabled || !box.width || !node.checkVisibility() || node.tabIndex < 0) continue;
    if (node.closest('[hidden]') || node.closest('dialog')) continue;
    if (getComputedStyle(node).visibility === 'hidden' || node.classList.contains('skip')) continue;
    node.dataset.walk = `${names.length} ${node.tagName} ${node.id} ${node.textContent.slice(0, 20)}`;
    names.push(node.dataset.walk);
  }
  return { count: names.length, names };
}"""


def test_nothing_moves_while_a_page_loads(bench: Any) -> None:
    tab = bench
    tab.evaluate(
        """() => { window.shift = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries())
        if (!entry.hadRecentInput) window.shift += entry.value; })
        .observe({ type: 'layout-shift', buffered: true }); }"""
    )
    for view in ("runs", "explore", "ask", "model"):
        tab.click(f"#tab-{view}")
        tab.wait_for_selector(f"html[data-ready={view}]")
        tab.wait_for_timeout(200)
    assert tab.evaluate("window.shift") < 0.1, "the limit that browsers call good"


def test_narrow_screens(bench: Any) -> None:
    tab = bench
    tab.set_viewport_size({"width": 390, "height": 800})
    for view in ("model", "runs", "explore", "ask"):
        tab.click(f"#tab-{view}")
        tab.wait_for_selector(f"html[data-ready={view}]")
        wide = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, view
    tab.click("#menu")
    tab.wait_for_selector("#files.open #tree a")
    tab.keyboard.press("Escape")
    tab.wait_for_selector("#files:not(.open)", state="attached")
