"""Variables along runs: the values, the bands, the files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import kripke
from kripke.engines.plan import Unsupported
from kripke.report.plot import band, draw
from kripke.report.series import Series, series_of

COUNTER = """\
mtype = { red, green };
mtype light = red;
bool on;
byte n;
short a[2];
active proctype P() { byte mine = 7; n = 3; a[1] = -2; light = green; on = true; n = 1 }
"""


@pytest.fixture
def model(tmp_path: Path) -> kripke.LoadedModel:
    path = tmp_path / "counter.pml"
    path.write_text(COUNTER)
    return kripke.load(path, dead_variables="off")


def test_values_along_a_run(model: kripke.LoadedModel) -> None:
    trace = model.simulate(seed=1).trace
    assert series_of([trace], ["n", "a", "light", "on"]) == [
        Series("n", ((0, 3, 3, 3, 3, 1, 1),)),
        Series("a[0]", ((0, 0, 0, 0, 0, 0, 0),)),
        Series("a[1]", ((0, 0, -2, -2, -2, -2, -2),)),
        Series("light", ((1, 1, 1, 0, 0, 0, 0),), ("green", "red")),
        Series("on", ((0, 0, 0, 0, 1, 1, 1),), ("false", "true")),
    ]


def test_a_local_variable_ends_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "local.pml"
    path.write_text("active proctype P() { byte mine; mine = 5; mine = 6 }\n")
    trace = kripke.load(path, dead_variables="off").simulate(seed=1).trace
    assert series_of([trace], ["P:0.mine"])[0].runs == ((0, 6, None),)  # the two assignments are one step


def test_an_unknown_name(model: kripke.LoadedModel) -> None:
    with pytest.raises(Unsupported, match=r"has a variable lihgt; some that there are: light"):
        series_of([model.simulate(seed=1).trace], ["lihgt"])


def test_too_many_words(tmp_path: Path) -> None:
    path = tmp_path / "queue.pml"
    path.write_text("chan q = [30] of { byte };\nactive proctype P() { byte i; for (i : 1 .. 30) { q!i } }\n")
    with pytest.raises(Unsupported, match=r"q is no number, and it takes 31 values: a plot has room for 24 words"):
        series_of([kripke.load(path).simulate(seed=1).trace], ["q"])


def test_bands() -> None:
    rows = band(Series("x", ((0, 4), (2, None), (4,), (6, 8), (8, 2))))
    assert rows == [(0, 0, 2, 4, 6, 8), (1, 2, 3, 4, 6, 8)]


def test_the_same_runs_give_the_same_file(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    series = [Series("x", ((0, 4), (2, 3))), Series("word", ((0, 1), (0, 0)), ("<idle>", "$busy$"))]
    for name in ("a.svg", "b.svg", "c.png"):
        draw(series, str(tmp_path / name), "some runs")
    text = (tmp_path / "a.svg").read_text()
    assert text == (tmp_path / "b.svg").read_text()
    for words in ("some runs", ">step<", "&lt;idle&gt;", "$busy$"):
        assert words in text
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(Unsupported, match=r"cannot draw x.txt: the name of a plot ends in .svg, .png, .pdf"):
        draw(series, "x.txt")


def simulate(*options: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "kripke", "simulate", *options]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return ran.returncode, ran.stdout, ran.stderr


def test_command(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "counter.pml"
    path.write_text(COUNTER)
    plot = tmp_path / "p.svg"
    assert simulate(str(path), "--plot", "n, light", "--runs", "3", "--seed", "4", "-o", str(plot)) == (
        0,
        "3 random runs, seeds 4 to 6: --seed 4 repeats them\n"
        "  n: 0 to 3, at the end 1\n"
        "  light: green, red; at the end green\n"
        f"drawn: {plot}\n",
        "",
    )
    assert "<svg" in plot.read_text()


def test_a_saved_trace_is_drawn_too(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path, saved, plot = tmp_path / "counter.pml", tmp_path / "t.json", tmp_path / "p.svg"
    path.write_text(COUNTER)
    kripke.load(path, dead_variables="off").simulate(seed=2).trace.save(str(saved))
    code, text, _ = simulate(str(path), "--trace", str(saved), "--plot", "n", "-o", str(plot))
    assert (code, text) == (0, f"  n: 0 to 3, at the end 1\ndrawn: {plot}\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--runs", "3"], "--runs and -o are for plots: name the variables to draw with --plot"),
        (["--plot", ","], "--plot needs names of variables, such as --plot x,y"),
        (["--plot", "n", "-i"], "--plot draws runs that nobody steps through: leave out --interactive and --save"),
        (["--plot", "n", "--trace", "t", "--runs", "2"], "--trace is one run whose steps are known; leave out"),
    ],
)
def test_refused(options: list[str], message: str, tmp_path: Path) -> None:
    path = tmp_path / "counter.pml"
    path.write_text(COUNTER)
    code, _, errors = simulate(str(path), *options)
    assert code == 2
    assert message in errors
