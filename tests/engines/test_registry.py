"""Engines register themselves; one that is installed beside Kripke is a file of its own and is chosen by its name."""

import json
import os
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest

from kripke.engines.combinations import Rule
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.engines.registry import ALWAYS_TAKEN, IN_RULES, Engine, Search, engine_for, engines, loaded, register

TOY = Path(__file__).parents[1] / "support" / "toy_engine"
MODEL = """
byte x;
active [2] proctype A() { do :: x < 3 -> x++ :: x > 0 -> x-- od }
"""
STUCK = "byte x; active proctype A() { x = 1; x = 2; x == 0 }"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder as ``pip install`` leaves it."""
    folder = tmp_path_factory.mktemp("installed")
    described = folder / "toy_engine-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-engine\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text("[kripke.engines]\ntoy = toy_engine\n")
    (folder / "toy_engine.py").write_text((TOY / "toy_engine.py").read_text())
    return folder


@pytest.fixture
def kripke(installed, tmp_path):
    def run(text, *options):
        (tmp_path / "m.pml").write_text(text)
        environment = os.environ | {"PYTHONPATH": str(installed)}
        command = [sys.executable, "-m", "kripke", "check", "m.pml", *options]
        return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False)

    return run


@pytest.mark.parametrize("chosen", [("--search", "toy"), ("--engine", "toy")])
def test_an_engine_from_elsewhere_checks_a_model(kripke, chosen):
    usual = json.loads(kripke(MODEL, "--engine", "interpreter", "--json").stdout)
    toy = json.loads(kripke(MODEL, *chosen, "--json").stdout)
    for key in ("verdict", "states", "transitions", "errors", "complete", "trace"):
        assert toy[key] == usual[key]
    assert (toy["engine"]["name"], toy["states"], toy["transitions"]) == ("toy", usual["states"], usual["transitions"])


def test_what_it_finds_is_reported_like_all_errors(kripke):
    ran = kripke(STUCK, "--search", "toy")
    assert (ran.returncode, ran.stderr) == (1, "")
    lines = ran.stdout.splitlines()
    assert (lines[0], lines[-1]) == ("violated: deadlock, after 2 steps", "toy search, toy engine")
    assert lines[3:5] == [
        "   1  A:0      m.pml:1  x = 1      x: 0 -> 1",
        "   2  A:0      m.pml:1  x = 2      x: 1 -> 2",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--search", "toy", "--store", "tree"], "--store does not go with --search toy"),
        (["--engine", "toy", "--memory", "1G"], "--memory does not go with --engine toy"),
        (["--engine", "toy", "--ltl", "[] (x < 4)"], "--engine toy does not check what is asked (ltl)"),
        (["--search", "toys"], "--search toys: not in this version"),
    ],
)
def test_what_it_does_not_say_it_takes_is_refused(kripke, options, message):
    ran = kripke(MODEL, *options)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"error: {message}")


def test_who_uses_what_is_here_does_not_wait_for_what_is_elsewhere(installed, tmp_path):
    (tmp_path / "m.pml").write_text(MODEL)
    text = (
        "import sys; from kripke.cli.main import main; "
        "main(['check', 'm.pml', '--search', 'dfs', '--engine', 'interpreter', '-q']); "
        "sys.exit('toy_engine' in sys.modules or 'importlib.metadata' in sys.modules)"
    )
    environment = os.environ | {"PYTHONPATH": str(installed)}
    done = subprocess.run([sys.executable, "-c", text], env=environment, cwd=tmp_path, check=False)
    assert done.returncode == 0


# --- what is registered -----------------------------------------------------------------------------------------------

KNOWN = {field.name for field in fields(SearchPlan)}


@pytest.mark.parametrize("engine", engines(), ids=lambda engine: engine.name)
def test_a_registration_names_what_is_there(engine):
    assert callable(loaded(engine.check))
    assert bool(engine.read) == bool(engine.asked_with)
    if engine.read:
        assert callable(loaded(engine.read))
    for need in engine.needs:
        assert isinstance(loaded(need.capability), type)
    asked = {*engine.takes, *engine.asked_with, *(name for search in engine.searches for name in search.options)}
    assert asked <= KNOWN
    assert set(engine.asked_with) <= engine.takes
    assert engine.serves
    assert engine.answers


def test_every_field_of_a_plan_is_taken_by_somebody():
    taken = ALWAYS_TAKEN | IN_RULES
    for engine in engines():
        taken |= engine.takes
    assert taken == KNOWN


def test_a_name_is_taken_once():
    explicit = next(engine for engine in engines() if engine.name == "explicit")
    with pytest.raises(ValueError, match="there are two engines 'explicit'"):
        register(explicit)
    with pytest.raises(ValueError, match="two engines call a search 'bfs'"):
        register(replace(explicit, name="other"))


def test_an_option_nobody_thought_of_is_refused():
    """Also where rules speak of others."""
    bare = Engine("bare", "bare", ("safety",), "", "", searches=(Search("bare", "bare"),), because="which is bare")
    plan = SearchPlan(time_limit=1.0)
    with pytest.raises(Unsupported, match=r"^--time-limit does not go with this check, which is bare: leave one out$"):
        bare.refuse_options(plan)
    bare.refuse_options(SearchPlan(store="full", symmetry="auto"))
    replace(bare, takes=frozenset({"time_limit"})).refuse_options(plan)
    replace(bare, rules=(Rule("no"),)).refuse_options(SearchPlan(threads=2))


def test_the_first_that_can_is_chosen():
    assert [engine_for(kind, SearchPlan()).name for kind in ("safety", "ltl", "ctl", "mu", "formula")] == [
        "explicit",
        "explicit",
        "graph",
        "graph",
        "formulas",
    ]
    assert engine_for("ctl", SearchPlan(search="symbolic")).name == "symbolic"
    assert engine_for("safety", SearchPlan(search="prefix")).name == "prefix"
