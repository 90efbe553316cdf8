"""The figures of the document run as printed."""

from __future__ import annotations

from pathlib import Path

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.languages.lf import load
from kripke.loaded import load as load_any
from tests.support.lf_texts import FIGURE_5, FIGURE_7, FIGURE_9


def write(folder: Path, text: str) -> str:
    file = folder / "figure.lf"
    file.write_text(text)
    return str(file)


def test_producer_and_consumer(tmp_path: Path) -> None:
    model = load(write(tmp_path, FIGURE_5))
    result = check(model, SearchPlan())
    assert (result.verdict, result.states, result.transitions - 1) == ("holds", 308, 409)
    assert model.warnings == []


def test_a_property_finds_the_runs_in_which_p_comes_again_and_again(tmp_path: Path) -> None:
    forever = "WHILE TRUE DO p := ~p; RESCHEDULE END"
    result = load_any(write(tmp_path, FIGURE_7.replace("{toggle}", forever))).check()
    assert result.verdict == "violated"
    assert [(one.name, one.verdict) for one in result.parts] == [("safety", "holds"), ("GFp", "violated")]


def test_and_none_where_p_comes_once(tmp_path: Path) -> None:
    once = "p := TRUE; RESCHEDULE; p := FALSE; WHILE TRUE DO RESCHEDULE END"
    result = load_any(write(tmp_path, FIGURE_7.replace("{toggle}", once))).check()
    assert result.verdict == "holds"


def test_the_device_waits_for_somebody_who_takes_its_interrupt(tmp_path: Path) -> None:
    model = load(write(tmp_path, FIGURE_9))
    assert [str(warning).split(": ", 1)[1] for warning in model.warnings] == [
        "warning: a ; is missing at the end of the declaration",
        "warning: the name GenDevice is missing after END",
        "warning: a module ends with a full stop",
    ]
    result = check(model, SearchPlan())
    assert (result.verdict, result.kind) == ("violated", "deadlock")
    assert result.trace is not None
    assert model.describe(result.trace.final)["Device:1@"] == "line 10, waiting: int!INTERRUPT"
