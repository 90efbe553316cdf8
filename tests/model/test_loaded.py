"""The Python interface, as the README shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.engines.explicit import prepare

pytest.importorskip("kripke._native")

MODEL = """\
#ifndef TOP
#define TOP 3
#endif
byte x;
active [2] proctype P() {
    do
    :: x < TOP -> x++
    :: else -> break
    od;
    assert(x == TOP)
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "counter.pml"
    path.write_text(MODEL)
    return path


def test_check_and_show(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = kripke.load(file)
    result = model.check()
    assert not result
    assert result.kind == "assertion"
    assert result.trace is not None
    result.trace.show()
    assert "*** assertion violated ***" in capsys.readouterr().out
    assert "violated: assertion" in str(result)


def test_defines(file: Path) -> None:
    states = [kripke.load(file, defines={"TOP": top}).check(all_errors=True).states for top in (1, 2, 3)]
    assert states == sorted(states)
    assert states[0] < states[2]


def test_invariants(file: Path) -> None:
    model = kripke.load(file)
    assert model.check(invariants=["x <= 4"], all_errors=True).kind == "assertion"
    result = model.check(invariants=["x < 2"])
    assert (result.kind, result.property) == ("invariant", "x < 2")


def test_engines_agree(file: Path) -> None:
    model = kripke.load(file)
    results = [
        model.check(engine=engine, search=search, all_errors=True)
        for engine in ("native", "interpreter")
        for search in ("bfs", "dfs")
    ]
    assert len({(result.verdict, result.states, result.transitions, result.errors) for result in results}) == 1


def test_watch(file: Path) -> None:
    seen: list[object] = []
    kripke.load(file, defines={"TOP": 200}).check(
        engine="interpreter", time_limit=0.5, deadlock=False, watch=seen.append
    )
    assert isinstance(seen, list)


def test_simulate(file: Path) -> None:
    model = kripke.load(file)
    simulation = model.simulate(seed=3, steps=4)
    assert len(simulation.trace) == 4
    assert simulation.trace.steps == model.simulate(seed=3, steps=4).trace.steps


def test_traces_are_saved_and_loaded(file: Path, tmp_path: Path) -> None:
    trace = kripke.load(file, defines={"TOP": 2}).check().trace
    assert trace is not None
    trace.save(tmp_path / "trace.json")
    again = kripke.load_trace(tmp_path / "trace.json")
    assert [step.statements for step in again.steps] == [step.statements for step in trace.steps]
    file.write_text(MODEL.replace("x++", "x = x + 1"))
    with pytest.raises(ValueError, match="step 2 is not possible here"):
        kripke.load_trace(tmp_path / "trace.json")


def test_errors(file: Path, tmp_path: Path) -> None:
    with pytest.raises(kripke.ModelError, match="cannot read"):
        kripke.load(tmp_path / "missing.pml")
    with pytest.raises(kripke.Unsupported, match="--fair weak: fairness is about infinite runs"):
        kripke.load(file).check(fair="weak")
    with pytest.raises(kripke.Unsupported, match="'lots' is not an amount of memory"):
        kripke.load(file).check(memory="lots")
    with pytest.raises(AttributeError, match="module 'kripke' has no attribute 'nothing'"):
        _ = kripke.nothing


def test_facts_and_warnings(file: Path) -> None:
    model = kripke.load(file)
    assert "processes" in model.facts
    assert model.warnings == ()
    assert repr(model) == f"<promela model {file}>"


def test_every_public_name_is_there() -> None:
    for name in kripke.__all__:
        assert getattr(kripke, name) is not None


def test_a_large_model_with_few_states_needs_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "byte x;\nactive proctype P() {\n" + "  x = (x + 1) % 7;\n" * 6000 + "}\n"
    (tmp_path / "long.pml").write_text(text)
    model = kripke.load(tmp_path / "long.pml")
    monkeypatch.setattr(prepare, "_SECONDS_PER_STATEMENT", 1.0)  # however slow this machine is
    monkeypatch.setattr(prepare, "_SLOW", 0)
    result = model.check()
    assert (result.verdict, result.states, result.engine["name"]) == ("holds", 6002, "interpreter")
    limited = model.check(engine="native", time_limit=0.01)
    assert (limited.verdict, limited.states) == ("unknown", 0)
    assert limited.reason == "the time limit of 0.01 s was reached before the search began"
