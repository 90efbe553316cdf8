"""What somebody who is new asks of a report: which call, what changed, what was checked, where is it red?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import kripke as package
from tests.cli.conftest import Kripke


def test_a_variable_that_is_written_and_never_read(kripke: Kripke, tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text("int x;\nactive proctype P() { do :: x++ od }\n")
    ran = kripke("check", "m.pml")
    assert ran.out.startswith("holds: no deadlock, no failed assertion in 1 state\n")
    assert ran.err == (
        "m.pml:1:5: warning: 'x' is assigned but never read: states do not keep its value (--dead-variables off does) "
        "[never-read]\n"
    )
    assert kripke("check", "m.pml", "--invariant", "x >= 0", "--max-states", "5").err == ""
    assert kripke("check", "m.pml", "--dead-variables", "off", "--max-states", "5").err == ""


@pytest.mark.parametrize(
    "text", ['byte x; active proctype P() { x = 1; printf("%d", x) }', "byte x = 3; init { skip }"]
)
def test_no_warning_where_it_is_printed_or_only_declared(kripke: Kripke, tmp_path: Path, text: str) -> None:
    (tmp_path / "m.pml").write_text(text)
    assert "never-read" not in kripke("check", "m.pml").err


FORGETS = """byte g;
chan c = [1] of { byte };
active proctype P() { byte y = 3; byte z; c!7; c?z; g = z; y == 3; z = 5; g = 1; assert(g == 0) }
"""


def test_what_is_forgotten_is_no_effect(kripke: Kripke, tmp_path: Path) -> None:
    """Dead variables get one value, so that states become alike: no statement does that."""
    (tmp_path / "m.pml").write_text(FORGETS)
    ran = kripke("check", "m.pml", "--no-clarify", "--html", "m.html")
    assert "c?z  [7]" in ran.out and "P:0.z: 0 -> 7" in ran.out
    assert "-> 0" not in ran.out.split("state at the end")[0]
    page = (tmp_path / "m.html").read_text()
    assert '"g":[' in page.replace(" ", "")
    trace = package.load("m.pml").check(clarify=False).trace
    assert trace is not None
    forgotten = [
        name for step in trace.steps for name in {d.name for d in step.differences} - {d.name for d in step.effects}
    ]
    assert "P:0.y" in forgotten and all(name.startswith("P:0.") for name in forgotten)


CALLS = """byte g;
inline deepest(v) { v++ }
inline increase(v) { deepest(v);
    assert(v < 2) }
active proctype P() {
    increase(g);
    increase(g)
}
"""


def test_statements_of_an_inline_say_where_it_is_called(kripke: Kripke, tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text(CALLS)
    ran = kripke("check", "m.pml", "--json", "m.json", "--html", "m.html")
    assert ran.out.startswith("violated: assertion assert(v < 2) (m.pml:4:5, called at m.pml:7:5), after 4 steps\n")
    places = [" ".join(line.split()[2:6]) for line in ran.out.splitlines() if " called" in line or "(called" in line][
        1:
    ]
    assert places == [
        "m.pml:2 (called at 3,",
        "m.pml:4 (called at 6)",
        "m.pml:2 (called at 3,",
        "m.pml:4 (called at 7)",
    ]
    steps = json.loads((tmp_path / "m.json").read_text())["trace"]["steps"]
    assert [step["statements"][0]["called_at"] for step in steps][-1] == ["m.pml:7:5"]
    assert "(called at line 3, 7)" in (tmp_path / "m.html").read_text()


def test_failed_assertions_are_red_in_state_graphs(kripke: Kripke, tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text("byte g; active proctype P() { g = 1; assert(g == 0) }")
    for name in ("m.dot", "m.svg", "m.graphml"):
        assert kripke("explore", "m.pml", "-o", name).code == 0
    assert '[label="P:0 assert(g == 0)", color=red]' in (tmp_path / "m.dot").read_text()
    assert (tmp_path / "m.svg").read_text().count('class="edge bad"') == 1
    assert '<data key="broken">true</data>' in (tmp_path / "m.graphml").read_text()


def test_a_proof_in_another_folder(kripke: Kripke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m.pml").write_text("byte g; ltl p { [] (g < 3) } active proctype P() { g = 1 }")
    assert kripke("check", "m.pml", "--property", "p", "--prove", "proof").code == 0
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert kripke("verify-proof", "../proof").out.startswith("accepted: every run of ../m.pml satisfies p")
    (tmp_path / "proof").rename("proof")
    ran = kripke("verify-proof", "proof")
    assert (ran.code, ran.err) == (2, "error: cannot find the model m.pml of the proof: name it with --model FILE\n")
    assert kripke("verify-proof", "proof", "--model", "../m.pml").code == 0
    (tmp_path / "m.pml").write_text("byte g; ltl p { [] (g < 4) } active proctype P() { g = 1 }")
    assert "its text has changed" in kripke("verify-proof", "proof", "--model", "../m.pml").out


def test_a_formula_alone_says_what_is_checked(kripke: Kripke, tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text("byte g; ltl p { [] (g < 3) } active proctype P() { g = 1; assert(g == 0) }")
    ran = kripke("check", "m.pml", "--ltl", "[] (g < 9)")
    assert "[] (g < 9) is not decided: another error came first\n" in ran.out
    said = "checked: {} alone; assertions and run-time errors were met only on the runs that this takes, deadlocks and "
    assert said.format("[] (g < 9)") in ran.out
    assert said.format("p") in kripke("check", "m.pml", "--property", "p").out
    assert "alone" not in kripke("check", "m.pml").out
    (tmp_path / "m.pml").write_text("byte g; ltl p { [] (g < 3) } active proctype P() { g = 1; false }")
    ran = kripke("check", "m.pml", "--property", "p")  # there is a deadlock
    assert ran.code == 0 and "not decided" not in ran.out and said.format("p") in ran.out


INDEX = "byte a[3]; byte i; active proctype P() { do :: i < 5 -> i++ :: else -> break od }"


@pytest.mark.parametrize("options", [{}, {"engine": "interpreter"}, {"store": "tree", "threads": 2}, {"search": "dfs"}])
def test_an_invariant_that_cannot_be_evaluated(tmp_path: Path, options: dict[str, Any]) -> None:
    (tmp_path / "m.pml").write_text(INDEX)
    model = package.load(tmp_path / "m.pml")
    result = model.check(invariants="a[i] == 0", **options)
    assert (result.verdict, result.kind, result.reason) == (
        "violated",
        "evaluation",
        "invariant cannot be evaluated: a[i] == 0",
    )
    assert result.trace is not None and result.trace.explanation is not None
    assert str(result.trace.explanation.reasons[0]) == "index i is 3, but only 0 to 2 exist:  i = 3"
    both = model.check(invariants="a[i] == 1", all_errors=True, **options)
    assert {found.kind for found in both.findings} == {"invariant", "evaluation"}
    assert both.errors == model.check(invariants="a[i] == 1", all_errors=True).errors == 13


def test_the_other_kind_of_error_with_another(kripke: Kripke, tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text(INDEX)
    asked = ("check", "m.pml", "--invariant", "a[i] == 1", "-q")
    assert kripke(*asked).out == "violated: invariant a[i] == 1, after 0 steps\n"
    assert kripke(*asked, "--another").out == "violated: invariant cannot be evaluated: a[i] == 1, after 6 steps\n"


def test_one_invariant_as_text(tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text(INDEX)
    assert package.load(tmp_path / "m.pml").check(invariants="i < 9").verdict == "holds"


def test_pictures_of_automata_have_their_labels_whole(kripke: Kripke, tmp_path: Path) -> None:
    names = ("request_is_pending_somewhere", "acknowledgement_was_received", "timeout_has_happened_before_it")
    formula = "[] ({} -> <> ({} || {}))".format(*names)
    assert kripke("emit", "--ltl", formula, "--svg", "-o", "f.svg").code == 0
    drawing = (tmp_path / "f.svg").read_text()
    assert "…" not in drawing and all(drawing.count(name) > 2 for name in names)
    # No line goes through a label: each has a ground of its own, and lines between nodes are drawn before all of them.
    first = drawing.index('class="ground"')
    assert drawing.count('class="ground"') == 4
    assert drawing.rindex("C", 0, first) < first and drawing.count('class="edge"', 0, first) == 3


def test_named_invariants_of_charts_are_called_so_once(kripke: Kripke) -> None:
    chart = Path(__file__).parents[2] / "examples" / "scxml" / "microwave.scxml"
    said = kripke("check", str(chart), "-q").out
    assert said.startswith("violated: invariant safe: !(In(heating) && In(opened))")


def test_fairness_to_nobody_is_refused_in_python_too() -> None:
    net = package.load(Path(__file__).parents[2] / "examples" / "pnml" / "philosophers.pnml")
    with pytest.raises(package.Unsupported, match="a pnml model has no processes; weak-edges and strong-edges"):
        net.check(fair="weak")
