"""The HTML report, opened in a real browser: it shows what it should and asks nobody for anything."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import kripke
from kripke.engines.explicit.exploration import label_of
from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.languages.registry import LANGUAGES, PACKAGES
from kripke.model.highlighting import Highlighting
from kripke.model.model import Model
from kripke.model.result import Result
from kripke.report.page.page import html_report
from kripke.report.sequence import arrows
from tests.support.toys import Chain, Counters, Graph

EXAMPLES = Path(__file__).parents[2] / "examples" / "promela"
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

Show = Callable[..., Any]


def page_of(result: Result, model: Model | None = None, highlighting: Highlighting | None = None) -> str:
    models = [finding.trace.model for finding in result.findings if finding.trace is not None]
    return html_report(result, model or (models[0] if models else None), ["kripke", "check", "m.pml"], highlighting)


def checked(text: str, folder: Path, **options: Any) -> Result:
    file = folder / "m.pml"
    file.write_text(text)
    return kripke.load(file).check(engine="interpreter", **options)


# --- without a browser ------------------------------------------------------------------------------------------------


def test_the_file_is_complete(tmp_path: Path) -> None:
    page = page_of(kripke.load(EXAMPLES / "lost_update.pml").check(engine="interpreter"))
    assert not re.search(r"""(?:src|href)\s*=|url\(|@import|https?://(?!www\.w3\.org/2000/svg)""", page)
    assert "default-src 'none'" in page


def test_words() -> None:
    holds = page_of(check(Counters(2), SearchPlan(engine="interpreter", invariants=("x <= 100",))))
    assert "no assertion ever fails and no run-time error happens; in every state this holds: x &lt;= 100." in holds
    deadlock = page_of(check(Chain(3), SearchPlan(engine="interpreter")))
    assert "It must always be possible to go on, unless every process has reached a valid end." in deadlock


MESSAGES = """
mtype = { ask, tell };
chan slow = [2] of { mtype, byte }; chan now = [0] of { byte };
active proctype a() { slow!ask(1); slow!tell(2); now!3; assert(false) }
active proctype b() { byte x; slow?<ask(x)>; slow??tell(x); now?x }
"""


def test_arrows_join_sends_and_receives(tmp_path: Path) -> None:
    trace = checked(MESSAGES, tmp_path).trace
    assert trace is not None
    found = [(arrow.medium, arrow.content, arrow.sender, arrow.receiver) for arrow in arrows(trace)]
    assert found == [("slow", "ask,1", 0, None), ("slow", "tell,2", 0, 1), ("now", "3", 0, 1)]
    meeting = arrows(trace)[2]
    assert meeting.sent == meeting.received


# --- in a browser -----------------------------------------------------------------------------------------------------


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


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Show]:
    """Opens a report; when the test ends, there must have been no message on the console and no request."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def opened(page: str, **options: Any) -> Any:
        file = tmp_path / f"report{len(contexts)}.html"
        file.write_text(page, encoding="utf-8")
        context = browser.new_context(viewport={"width": 1300, "height": 900}, **options)
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("dialog", lambda dialog: complaints.append("dialog"))
        tab.on("request", lambda request: complaints.append(request.url) if request.url != file.as_uri() else None)
        tab.goto(file.as_uri())
        tab.wait_for_selector("html[data-ready=yes]")
        return tab

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def numbers(tab: Any) -> list[str]:
    return [text for text in tab.locator(".row .number").all_inner_texts() if text.strip()]


def state_of(tab: Any) -> str:
    return str(tab.locator("#state").inner_text())


def test_click_through(show: Show) -> None:
    result = kripke.load(EXAMPLES / "lost_update.pml").check(engine="interpreter", search="dfs")
    tab = show(page_of(result))
    assert tab.title() == "violated: lost_update.pml"
    assert tab.locator(".verdict").inner_text() == "violated"
    assert tab.locator("#why code").all_inner_texts() == ["balance == 20 is false"]
    assert tab.locator("#why .value").all_inner_texts() == ["balance = 10"]
    assert tab.locator(".lane").all_inner_texts() == ["clerk:0", "clerk:1", "auditor:2"]
    assert numbers(tab) == [str(number) for number in range(1, 11)]
    assert tab.locator(".row.note").all_inner_texts() == [
        "from here on every run ends in an error",
        "assertion violated",
    ]
    # The deciding step is picked first; a click picks another, and source and state follow.
    assert tab.locator("#where").inner_text() == "step 3 of 10"
    tab.locator('.row[data-step="4"]').click()
    assert tab.locator("#where").inner_text() == "step 5 of 10"
    assert tab.locator("#source .here").inner_text().split("\n")[0] == "20"
    assert tab.locator("#state tr.changed").first.inner_text().split() == ["balance", "0", "10"]
    tab.keyboard.press("ArrowDown")
    assert tab.locator("#where").inner_text() == "step 6 of 10"
    tab.keyboard.press("Home")
    assert tab.locator("#where").inner_text() == "step 1 of 10"
    assert tab.locator("svg.chart circle").count() == 10
    assert tab.locator("pre.command").inner_text() == "kripke check m.pml"
    assert "25" in tab.locator(".figures").inner_text() or result.states != 25


def test_search_by_variable(show: Show) -> None:
    tab = show(page_of(kripke.load(EXAMPLES / "lost_update.pml").check(engine="interpreter", search="dfs")))
    tab.keyboard.press("/")
    tab.keyboard.type("finished")
    assert tab.locator("#hits").inner_text() == "3 steps"
    assert tab.locator(".row.hit .number").all_inner_texts() == ["6", "8", "9"]
    assert "balance" not in state_of(tab)
    tab.locator("#search").press("Enter")
    assert tab.locator("#where").inner_text() == "step 6 of 10"
    tab.locator("#next").click()
    tab.locator("#previous").click()
    assert tab.locator("#where").inner_text() == "step 6 of 10"


def test_messages_in_the_chart(show: Show, tmp_path: Path) -> None:
    tab = show(page_of(checked(MESSAGES, tmp_path)))
    labels = tab.locator("svg.chart text.label")
    assert [label.partition("slow")[0].partition("now")[0] for label in labels.all_text_contents()] == [
        "ask,1",
        "tell,2",
        "3",
    ]
    assert tab.locator("svg.chart path.arrow.pending").count() == 1


def test_local_steps_are_folded(show: Show, tmp_path: Path) -> None:
    text = "byte x; active proctype p() { byte i, j; do :: i < 90 -> i++; j = i; j = j + i od; }"
    text = text.replace("od;", ":: else -> x = 1; assert(x == j) od;")
    tab = show(page_of(checked(text, tmp_path)))
    assert tab.locator("#fold").get_attribute("aria-pressed") == "true"
    folded = tab.locator(".row.fold")
    assert folded.count() == 1
    folded.click()
    assert tab.locator(".row.fold").count() == 0
    tab.locator("#fold").click()
    assert tab.locator("#fold").get_attribute("aria-pressed") == "false"


def test_several_errors(show: Show) -> None:
    result = check(Graph([[1, 2], [None], []]), SearchPlan(engine="interpreter", all_errors=True))
    tab = show(page_of(result))
    assert tab.locator("#tabs button").count() == 2
    first = tab.locator("#why").inner_text()
    tab.locator("#tabs button").nth(1).click()
    assert tab.locator("#why").inner_text() != first


def test_it_holds(show: Show) -> None:
    tab = show(page_of(kripke.load(EXAMPLES / "peterson.pml").check(engine="interpreter")))
    assert tab.locator(".verdict").inner_text() == "holds"
    assert not tab.locator("#trace").is_visible()
    assert "38" in tab.locator(".figures").inner_text()


def test_light_and_dark(show: Show) -> None:
    page = page_of(check(Chain(3), SearchPlan(engine="interpreter")))
    light, dark = show(page, color_scheme="light"), show(page, color_scheme="dark")
    colour = "getComputedStyle(document.body).backgroundColor"
    bright, dim = light.evaluate(colour), dark.evaluate(colour)
    assert bright != dim
    light.locator("#theme").click()
    assert light.evaluate(colour) == dim


def test_printing_shows_every_step(show: Show) -> None:
    tab = show(page_of(check(Chain(300), SearchPlan(engine="interpreter", clarify=False))))
    assert len(numbers(tab)) < 100
    tab.emulate_media(media="print")
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert len(numbers(tab)) == 300
    assert tab.pdf().startswith(b"%PDF")


def test_printing_is_light(show: Show) -> None:
    model = kripke.load(EXAMPLES / "philosophers_deadlock.pml")
    tab = show(page_of(model.check(engine="interpreter"), model.model), color_scheme="dark")
    colour = "getComputedStyle(document.querySelector('.panel')).backgroundColor"
    dark = tab.evaluate(colour)
    tab.emulate_media(media="print", color_scheme="dark")
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert tab.evaluate(colour) == "rgb(255, 255, 255)"
    box = "document.querySelector('.pictures > div:last-child')"
    assert tab.evaluate(f"{box}.scrollHeight <= {box}.clientHeight + 1")
    tab.emulate_media(media="screen", color_scheme="dark")
    tab.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert tab.evaluate(colour) == dark


def test_the_text_of_a_model_is_never_markup(show: Show, tmp_path: Path) -> None:
    attack = "</script><script>window.hit=1</script><img src=x onerror=window.hit=1><!--\u2028"

    class Nasty(Graph):
        file = f"{attack}.pml"

        def describe(self, state: bytes) -> dict[str, str]:
            return {attack: f"{attack}{state[0]}", f"{attack}@": attack}

        def actor_name(self, actor: int, state: bytes) -> str:
            return attack

        def explain_part(self, part: object) -> str:
            return attack

        def source_files(self) -> dict[str, list[str]]:
            return {"toy.pml": [attack] * 5}

    model = Nasty([[1], [None]])
    result = check(model, SearchPlan(engine="interpreter"))
    tab = show(html_report(result, model, ["kripke", "check", attack]))
    tab.locator(".row").first.click()
    assert tab.evaluate("window.hit") is None
    assert tab.locator("img").count() == 0
    assert attack in tab.locator("#source").inner_text()
    assert attack in tab.locator("pre.command").inner_text()


def test_ten_thousand_steps(show: Show) -> None:
    page = page_of(check(Chain(10_000), SearchPlan(engine="interpreter", clarify=False)))
    assert len(page.encode()) < 10_000_000
    opening = []
    for _ in range(3):  # the machine may be busy with something else
        tab = show(page)
        opening.append(tab.evaluate("performance.getEntriesByType('navigation')[0].domComplete"))
        if opening[-1] < 2000:
            break
    assert min(opening) < 2000
    assert "10000" in numbers(tab)  # the last step is shown first
    tab.evaluate("document.getElementById('scroller').scrollTop = 0")
    tab.wait_for_selector('.row[data-step="0"]')
    assert tab.locator(".row").count() < 120
    tab.locator('.row[data-step="3"]').click()
    assert "4" in state_of(tab)
    tab.keyboard.press("End")
    tab.wait_for_selector('.row[data-step="9999"]')
    assert "10000" in state_of(tab)


def test_pictures_follow_the_run(show: Show) -> None:
    model = kripke.load(EXAMPLES.parent / "pnml" / "two_locks.pnml")
    result = model.check(engine="interpreter")
    assert result.trace is not None
    tab = show(page_of(result, model.model))
    places = [f"place {number}" for number in range(len(model.model.net.places))]  # type: ignore[attr-defined]

    def tokens() -> list[str]:
        found = []
        for key in places:
            label = tab.locator(f'[data-key="{key}"] > text').first
            found.append(label.evaluate("node => node.firstChild.textContent").strip())
        return found

    for number, step in enumerate(result.trace.steps):
        tab.locator(f'.row[data-step="{number}"]').click()
        assert step.state is not None
        marks = model.model.marks(step.state)
        assert tokens() == [marks.get(key, "") for key in places]
        fired = tab.locator('[data-key^="statement"].marked')
        assert fired.count() == 1
        assert fired.get_attribute("data-key") == f"statement {step.parts[0].statement}"


def test_processes_are_marked_where_they_stand(show: Show) -> None:
    model = kripke.load(EXAMPLES / "philosophers_deadlock.pml")
    result = model.check(engine="interpreter")
    assert result.trace is not None and result.trace.final is not None
    tab = show(page_of(result, model.model))
    tab.keyboard.press("End")
    keys = tab.locator(".marked[data-key]").evaluate_all("nodes => nodes.map(node => node.dataset.key)")
    assert set(keys) == set(model.model.marks(result.trace.final))


BALL = """
mtype = { ball }; chan there = [1] of { mtype }; chan back = [1] of { mtype }; byte caught;
active proctype a() { there!ball; do :: back?ball -> there!ball od }
active proctype b() { do :: there?ball -> back!ball od }
active proctype judge() { do :: caught < 3 -> caught++ od }
"""


def test_a_run_without_end(show: Show, tmp_path: Path) -> None:
    result = checked(BALL, tmp_path, ltl="<> (caught == 3)")
    assert result.trace is not None
    tab = show(page_of(result))
    assert tab.locator("#pictures figcaption").all_inner_texts() == ["a", "b", "judge"]
    assert "automaton of the property" in state_of(tab)
    assert any("for the next turn of the loop" in title for title in tab.locator("svg.chart title").all_text_contents())
    # Names of lanes and messages nobody takes end before the statements begin.
    right = tab.locator(".lane").evaluate_all("all => Math.max(...all.map(one => one.getBoundingClientRect().right))")
    assert right <= tab.locator(".row .what").first.evaluate("one => one.getBoundingClientRect().left")


def test_sample_runs_are_no_errors(show: Show) -> None:
    model = kripke.load(EXAMPLES / "peterson.pml")
    tab = show(page_of(model.check(coverage=True), model.model))
    assert tab.locator("#why.fine h2").inner_text() == "FOR EXAMPLE"
    assert tab.locator("#why.fine p").inner_text() == "sample run 1: something the model can do"
    assert "one run of 7 steps executes every statement that ends a step" in tab.locator(".coverage").inner_text()


def test_walking_through_the_states(show: Show) -> None:
    model = kripke.load(EXAMPLES / "philosophers_deadlock.pml")
    result = model.check(engine="interpreter")
    assert result.trace is not None
    tab = show(page_of(result, model.model))
    assert tab.locator("#reach").inner_text() == "35 states"
    # Always the first step, as in the model; then back.
    state = model.model.initial()[0]
    for _ in range(4):
        steps = model.model.successors(state)
        assert tab.locator("#choices button").all_inner_texts() == [
            label_of(model.model, state, transition) for transition in steps
        ]
        shown = tab.locator("#herestate tr").evaluate_all("rows => rows.map(row => row.lastChild.textContent)")
        assert shown == list(model.model.describe(state).values())
        tab.locator("#choices button").first.click()
        assert steps[0].target is not None
        state = steps[0].target
    tab.locator("#back").click()
    assert "after 3 steps" in tab.locator("#here").inner_text()
    tab.locator("#fromstep").click()
    assert (
        f"after {len(result.trace)} steps" in tab.locator("#here").inner_text()
        or "nothing" in tab.locator("#here").inner_text()
    )


def test_a_large_space_is_walked_through_as_far_as_the_file_goes(show: Show) -> None:
    tab = show(page_of(check(Counters(100), SearchPlan(engine="interpreter", invariants=("x <= 100",))), Counters(100)))
    assert re.fullmatch(r"the first 1,\d\d\d states|the first \d+ states", tab.locator("#reach").inner_text())
    tab.locator("#choices button").first.click()
    assert "after 1 step," in tab.locator("#here").inner_text()


def test_the_text_of_a_model_is_coloured(show: Show, tmp_path: Path) -> None:
    file = tmp_path / "m.pml"
    file.write_text(
        'byte x = 1; /* a "comment"\nif do // still */ active proctype p() {\n'
        '  printf("no /* comment"); // if\n  assert(x == 2)\n}\n'
    )
    result = kripke.load(file).check(engine="interpreter")
    tab = show(page_of(result, highlighting=LANGUAGES["promela"].highlighting()))
    texts = {kind: tab.locator(f"#source .{kind}").all_inner_texts() for kind in "ktcs"}
    assert texts["t"] == ["byte"]
    assert texts["k"] == ["active", "proctype", "printf", "assert"]
    assert texts["s"] == ['"no /* comment"']
    assert texts["c"] == ["/*", ' a "comment"', "if do // still */", "// if"]
    assert tab.locator("#source > div").nth(2).inner_text().split("\n")[-1] == '  printf("no /* comment"); // if'


@pytest.mark.parametrize("language", sorted(PACKAGES))
def test_every_language_says_how_it_is_coloured(language: str) -> None:
    highlighting = LANGUAGES[language].highlighting
    assert highlighting is not None
    assert json.loads(json.dumps(highlighting().to_json()))["keywords"]
