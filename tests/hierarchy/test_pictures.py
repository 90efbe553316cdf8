"""Machines as nested boxes, in files and in reports, where the active states of a step are lit up."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kripke
from kripke.cli.main import main
from kripke.languages.modes import load as load_modes
from kripke.languages.scxml import load as load_scxml
from kripke.languages.uml import load as load_uml
from kripke.model.diagram import Arrow, Diagram
from kripke.pictures.clusters import command
from kripke.pictures.svg import svg

EXAMPLES = Path(__file__).parents[2] / "examples"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def inside(diagram: Diagram, *names: str) -> Diagram:
    """What is drawn in a node, by the first lines of the nodes around it."""
    for name in names:
        node = next(node for node in diagram.nodes if node.lines[0] == name)
        assert node.inside is not None
        diagram = node.inside
    return diagram


def arrows(diagram: Diagram) -> set[tuple[str | None, str, str]]:
    lines = {node.name: node.lines[0] for node in diagram.nodes}
    return {(None if a.source is None else lines[a.source], lines[a.target], a.label) for a in diagram.arrows}


def test_a_chart() -> None:
    (diagram,) = load_scxml(str(EXAMPLES / "scxml" / "microwave.scxml")).diagrams()
    assert diagram.size == 10
    assert [node.lines[0] for node in inside(diagram, "oven").nodes] == ["door", "heater"]
    assert arrows(inside(diagram, "oven", "door")) == {
        (None, "closed", ""),
        ("closed", "opened", "open"),
        ("opened", "closed", "close"),
    }
    assert ("on", "off", "heating: over [seconds <= 10]") in arrows(inside(diagram, "oven", "heater"))


def test_modes_share_what_is_drawn() -> None:
    user, machine = load_modes(str(EXAMPLES / "modes" / "generic.modes")).diagrams()
    assert [node.lines[0] for node in machine.nodes] == ["first: Control", "second: Control"]
    leaf = inside(machine, "first: Control", "second: Leaf")
    assert arrows(leaf) == {("i", "k", "en"), ("i", "o", "lv"), ("k", "k", "inc"), ("k", "o", "lv")}
    assert arrows(user) == {(None, "ready", ""), ("ready", "ready", "c = 0")}


def test_regions_of_uml() -> None:
    (diagram,) = load_uml(str(EXAMPLES / "uml" / "car_audio.puml")).diagrams()
    assert [node.lines[0] for node in inside(diagram, "Audio").nodes] == ["Audio.1", "Audio.2", "Audio.3"]


def test_boxes_contain_what_is_inside() -> None:
    diagram = Diagram("", [*_nested()], [Arrow(None, "a")])
    text = svg(diagram)
    assert text.count('<rect class="node"') == 3
    assert text.index(">outer<") < text.index(">left<") < text.index(">right<")


def _nested() -> Iterator[Any]:
    from kripke.model.diagram import Node

    inner = Diagram("", [Node("l", ("left",)), Node("r", ("right",))], [Arrow("l", "r")])
    yield Node("a", ("outer",), inside=inner)


def test_folding(capsys: pytest.CaptureFixture[str]) -> None:
    chart = str(EXAMPLES / "scxml" / "microwave.scxml")
    (diagram,) = load_scxml(chart).diagrams()
    assert diagram.depth == 4
    assert [diagram.folded(levels).size for levels in (1, 2, 3, 4)] == [1, 3, 7, 10]
    assert diagram.folded(names=["heater"]).size == 5
    assert inside(diagram.folded(2), "oven").nodes[1].lines == ("heater", "(5 inside)")
    assert main(["emit", chart, "--svg", "--fold", "on,door"]) == 0
    text = capsys.readouterr().out
    assert ">(3 inside)<" in text and ">heating<" not in text and ">off<" in text
    assert main(["emit", chart, "--svg", "--fold", "nobody"]) == 2
    assert "--fold nobody: nothing of this name has something inside" in capsys.readouterr().err
    assert main(["emit", chart, "--c", "--levels", "2"]) == 2
    modes = str(EXAMPLES / "modes" / "generic.modes")
    assert main(["emit", modes, "--svg", "--fold", "first"]) == 0
    assert ">first: Control<" in capsys.readouterr().out


@pytest.mark.parametrize("file", ["scxml/microwave.scxml", "modes/generic.modes", "uml/car_audio.puml"])
def test_graphviz(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The same nodes, by their keys; arrows to their real ends need no names of them."""
    if not command():
        pytest.skip("neither dot nor pygraphviz is installed")
    assert main(["emit", str(EXAMPLES / file), "--svg", "--layout", "graphviz"]) == 0
    drawn = capsys.readouterr().out
    assert main(["emit", str(EXAMPLES / file), "--svg"]) == 0
    own = capsys.readouterr().out
    keys = [re.findall(r'data-key="([^"]*)"', text) for text in (drawn, own)]
    assert sorted(keys[0]) == sorted(keys[1]) and len(set(keys[0])) == len(keys[0])
    if file == "scxml/microwave.scxml":
        assert ">heating: over [seconds &lt;= 10]<" in own and ">over [seconds &lt;= 10]<" in drawn


def test_graphviz_that_is_not_there(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    chart = str(EXAMPLES / "scxml" / "microwave.scxml")
    monkeypatch.setattr("kripke.pictures.clusters.command", lambda: ())
    assert main(["emit", chart, "--svg", "--layout", "graphviz"]) == 2
    assert "install dot, or pip install 'kripke[draw]'" in capsys.readouterr().err
    monkeypatch.setattr("kripke.pictures.clusters.command", lambda: ("false",))
    assert main(["emit", chart, "--svg", "--layout", "graphviz"]) == 2
    assert "Graphviz does not lay this out" in capsys.readouterr().err


def test_what_is_active() -> None:
    model = load_scxml(str(EXAMPLES / "scxml" / "microwave.scxml"))
    marked = model.marks(model.initial()[0])
    names = [model.chart.states[int(key.split()[1])].id for key in marked]
    assert names == ["oven", "door", "closed", "heater", "off"]


@pytest.fixture
def browser() -> Iterator[Any]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium is installed (.ci/run installs it as root on Debian: apt-get install chromium)")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


def test_a_report_lights_up_the_active_states(browser: Any, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    chart = EXAMPLES / "scxml" / "microwave.scxml"
    command = [sys.executable, "-m", "kripke", "check", str(chart), "--html", str(page), "--quiet"]
    assert subprocess.run(command, capture_output=True, timeout=120).returncode == 1
    tab = browser.new_page(viewport={"width": 1400, "height": 1300})
    tab.goto(page.as_uri())
    tab.wait_for_selector("html[data-ready=yes]")
    shown = "#pictures .level:not([hidden]) .marked > text:first-of-type"
    lit = f"[...document.querySelectorAll('{shown}')].map((e) => e.textContent)"
    tab.locator(".row[data-step]").last.click()
    assert tab.evaluate(lit) == ["oven", "door", "opened", "heater", "on", "heating"]
    tab.locator(".row[data-step]").first.click()
    assert tab.evaluate(lit) == ["oven", "door", "closed", "heater", "off"]
    tab.locator(".row[data-step]").last.click()
    tab.locator("#pictures button[data-show='2']").click()
    assert tab.evaluate(lit) == ["oven", "door", "heater"]
    tab.locator("#pictures button[data-show='4']").click()
    picture = tmp_path / "microwave.png"
    tab.locator("#pictures").first.screenshot(path=picture)
    assert picture.stat().st_size > 10_000
    tab.close()


def test_a_run_in_a_notebook() -> None:
    """After each step the active states are lit, as in the report."""
    model = kripke.load(EXAMPLES / "scxml" / "microwave.scxml")
    result = model.check(engine="interpreter")
    assert result.trace is not None
    shown = result.trace._repr_html_()
    assert shown in result._repr_html_()
    pictures = shown.split("<svg")[1:]
    states = [result.trace.initial, *(step.state for step in result.trace.steps if step.state is not None)]
    assert len(pictures) == len(states) == 10
    chart = load_scxml(str(EXAMPLES / "scxml" / "microwave.scxml"))
    for picture, state in zip(pictures, states, strict=True):
        assert set(re.findall(r'class="marked" data-key="([^"]*)"', picture)) == set(chart.marks(state))
    assert ">heating<" not in model.picture(levels=2)._repr_svg_()
    assert ">off<" not in model.picture(fold=["heater"])._repr_svg_()
