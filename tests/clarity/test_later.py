"""Traces that a check had no time to make clear are made clear when they are opened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kripke.clarity.later import clear_later
from kripke.cli.main import main
from kripke.loaded import load, load_trace
from kripke.model.trace import SavedTrace

# Depth-first, the idle process counts to its end before the other breaks the assertion.
NOISY = """byte n, m;
active proctype fault() { n++; n++; assert(n != 2) }
active proctype idle() { do :: m < 100 -> m++ od }
"""


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    model = tmp_path / "noisy.pml"
    model.write_text(NOISY)
    return model


def saved(model: Path, *options: str) -> Path:
    trace = model.with_suffix(".json")
    main(["check", str(model), "--search", "dfs", "--trace", str(trace), "-q", *options])
    return trace


def test_replay_makes_clear_what_had_no_time(noisy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = saved(noisy, "--clarify-limit", "0.000001")
    record = json.loads(trace.read_text())
    assert record["unclear"] is True
    long = len(record["steps"])
    assert long > 50
    capsys.readouterr()
    assert main(["replay", str(trace)]) == 0
    out, err = capsys.readouterr()
    assert "replayed 3 steps: assertion violated: assert(n != 2)" in out
    assert f"note: {long - 3} steps that the error does not need left out" in err
    assert main(["replay", str(trace), "--no-clarify"]) == 0
    assert f"replayed {long} steps" in capsys.readouterr().out


def test_what_was_made_clear_is_left_as_it_is(noisy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = saved(noisy)
    assert not SavedTrace.read(trace).unclear
    capsys.readouterr()
    assert main(["replay", str(trace)]) == 0
    assert "left out" not in capsys.readouterr().err


def test_what_was_not_to_be_clear_stays_so(noisy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = saved(noisy, "--no-clarify")
    assert not SavedTrace.read(trace).unclear
    capsys.readouterr()
    assert main(["replay", str(trace)]) == 0
    assert "replayed 3 steps" not in capsys.readouterr().out


def test_invariants_deadlocks_and_loops(tmp_path: Path) -> None:
    idle = "byte n, m;\nactive proctype idle() { do :: m < 60 -> m++ :: n > 0 && m >= 60 -> break od }\n"
    cases = [
        (idle + "active proctype fault() { n++; n++ }", {"invariants": ["n < 2"], "deadlock": False}, 2),
        (idle.replace(" :: n > 0 && m >= 60 -> break", "") + "active proctype fault() { n++; n == 7 }", {}, 121),
        (idle + "active proctype fault() { do :: n = 1 :: n = 2 od }", {"ltl": "[] !(n == 2)"}, 1),
        (
            "byte n, m;\nactive proctype idle() { do :: m < 60 -> m++ :: m > 0 -> m = 0 od }\n"
            "active proctype fault() { do :: n = 1 :: n = 2 od }",
            {"ltl": "<> (n == 3)"},
            2,
        ),
    ]
    for number, (text, what, most) in enumerate(cases):
        file = tmp_path / f"case{number}.pml"
        file.write_text(text)
        model = load(file)
        result = model.check(**what, search=None if "ltl" in what else "dfs", clarify=False)
        assert result.trace is not None, number
        invariants = tuple(what.get("invariants", ()))
        clear = clear_later(result.trace, invariants)
        assert len(clear) <= len(result.trace)
        assert len(clear.moves) <= most, (number, len(clear.moves))
        out = tmp_path / f"case{number}.json"
        clear.save(out)
        assert len(load_trace(out)) == len(clear)


def test_a_damaged_mark_is_refused(noisy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = saved(noisy)
    trace.write_text(trace.read_text().replace('"unclear": false', '"unclear": 7'))
    capsys.readouterr()
    assert main(["replay", str(trace)]) == 2
    assert "unclear is the number 7" in capsys.readouterr().err


def test_the_page_names_the_command(noisy: Path) -> None:
    hurried = ["check", str(noisy), "--search", "dfs", "-q", "--clarify-limit", "0.000001"]
    page, trace = noisy.with_suffix(".html"), noisy.with_suffix(".json")

    def told() -> str | None:
        text = page.read_text().partition('id="report">')[2].partition("</script>")[0]
        found: str | None = json.loads(text)["findings"][0]["unclear"]
        return found

    main([*hurried, "--html", str(page)])
    assert told() == "repeat the check with --clarify-limit 60"
    main([*hurried, "--html", str(page), "--trace", str(trace)])
    assert told() == f"kripke replay {trace}"
    main([*hurried[:-2], "--html", str(page)])
    assert told() is None
