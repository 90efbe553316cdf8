"""States that are passed through: the numbers of Maria, and nothing that the whole net does is missed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kripke.checker.check import check_properties
from kripke.cli.main import main
from kripke.engines.explicit.exploration import explore
from kripke.engines.plan import SearchPlan
from kripke.languages.maria import load
from kripke.model.source import ModelError
from kripke.nets.high_level.model import HighLevelModel
from tests.support.high_level_nets import random_text
from tests.support.maria_corpus import CHAINS, Edits, edited, needed

Read = Callable[..., HighLevelModel]


def counts(model: HighLevelModel) -> tuple[int, int]:
    space = explore(model, 20_000)
    return len(space.states), sum(edge.target is not None for edge in space.edges)


@needed
@pytest.mark.parametrize(("name", "edits", "states", "arcs"), CHAINS)
def test_counts_are_those_of_maria(tmp_path: Path, name: str, edits: Edits, states: int, arcs: int) -> None:
    file = edited(tmp_path, name, edits)
    assert counts(load(str(file), compress=["paths"])) == (states, arcs)
    assert counts(load(str(file), compress=["hidden"])) == counts(load(str(file)))  # nothing is hidden in it


HIDING = """typedef unsigned (0..5) n_t; place p (1) n_t: 0; place q (1) bool: false;
trans hop in { p: x; } gate x < 5 out { p: +x; } hide x == 1 || x == 3;
trans flip in { q: false; } out { q: true; };
trans back in { p: 5; q: true; } out { p: 0; q: false; };
"""


def test_hidden_steps(read: Read, tmp_path: Path) -> None:
    """Maria 1.3.5 says the same, with -Y, -Z and both."""
    read(HIDING)
    found = {(): (12, 17), ("hidden",): (10, 15), ("paths",): (11, 22), ("hidden", "paths"): (9, 20)}
    for compress, expected in found.items():
        assert counts(load(str(tmp_path / "net.pn"), compress=compress)) == expected, compress


PRIORITIES = """
typedef unsigned (0..3) n_t; place p (0..3) n_t: 0, 1; place q (0..3) n_t: 2; place r (0..1) bool: false;
trans free in { p: x; } gate x < 3 out { p: +x; };
trans over FIRST in { p: x; r: false; } out { q: x; r: true; };
trans back SECOND in { q: x; r: true; } out { p: x < 3 ? x + 1 : 0; r: false; };
trans more in { q: x; q: y; } gate x < y out { p: x; p: y; };
"""


def followed(model: HighLevelModel) -> tuple[int, int]:
    """The rule on the graph of the whole net: a state with one step is left at once, unless that was passed already."""
    space = explore(model, 20_000)
    after: dict[int, list[int]] = {}
    for edge in space.edges:
        assert edge.target is not None
        after.setdefault(edge.source, []).append(edge.target)
    kept, arcs = [0], 0
    for start in kept:  # the list grows
        at, passed = start, {start}
        while len(after.get(at, ())) == 1 and after[at][0] not in passed:
            at = after[at][0]
            passed.add(at)
        arcs += len(after.get(at, ()))
        kept += sorted(set(after.get(at, ())) - set(kept))
    return len(kept), arcs


@pytest.mark.parametrize(("first", "second"), [("", ""), ("1", "2"), ("2", "1"), ("", "1"), ("1", "")])
def test_priorities_and_paths(tmp_path: Path, first: str, second: str) -> None:
    """Which instances have priority is the same on the way along a chain as anywhere else."""
    file = tmp_path / "net.pn"
    file.write_text(PRIORITIES.replace("FIRST", first).replace("SECOND", second))
    whole = load(str(file))
    assert counts(load(str(file), compress=["paths"])) == followed(whole)
    assert counts(whole)[0] > 10


def broken(model: HighLevelModel) -> set[str] | None:
    """The sorts of errors there are; None where the net is too large."""
    space = explore(model, 150)
    if not space.complete:
        return None
    steps = (step for state in space.states for step in model.successors(state))
    names = {model.violation_kinds[v.code].name for step in steps for v in step.violations}
    marked = {name for s in space.states for name, true in zip(model.atoms, model.atom_values(s), strict=True) if true}
    return names | ({"deadlock"} if space.deadlocks else set()) | marked


@pytest.mark.parametrize("compress", [["paths"], ["hidden"], ["paths", "hidden"]], ids=" ".join)
def test_the_same_errors_and_conditions_are_found(tmp_path: Path, compress: list[str]) -> None:
    file = tmp_path / "net.pn"
    compared = 0
    for seed in range(500, 560):
        text = (
            random_text(seed)
            .replace("prop ", "// ")
            .replace("out {", f"hide {('true', 'false', 'true')[seed % 3]} out {{")
        )
        file.write_text(text)
        asked = ["cardinality place p0 > 1", "cardinality place p1 == 0"]
        try:
            whole = broken(load(str(file), invariants=asked))
        except ModelError:
            continue
        if whole is not None:
            assert broken(load(str(file), invariants=asked, compress=compress)) == whole, seed
            compared += 1
    assert compared > 20


WAITING = """typedef unsigned (0..4) n_t; place p (1) n_t: 0; place q (1) n_t: 0;
trans step in { p: x; } gate x < 3 out { p: +x; };
trans jump in { p: 3; q: y; } gate y < 2 out { p: 0; q: +y; };
trans stay in { p: 3; q: 2; } out { p: 4; q: 2; };
trans loop in { p: 4; } out { p: BACK; };
"""


@pytest.mark.parametrize("back", ["4", "3", "undefined"])
def test_formulas_have_the_answers_of_the_whole_net(tmp_path: Path, back: str) -> None:
    file = tmp_path / "net.pn"
    file.write_text(WAITING.replace("BACK", back))
    for formula in (
        "<> (2 subset place q)",
        "[] <> (3 subset place p)",
        "<> [] (4 subset place p)",
        "[] (1 subset place p => <> (3 subset place p))",
        "(0 subset place q) until (1 subset place q)",
    ):
        asked = SearchPlan(properties=(formula,), engine="interpreter")
        verdicts = {
            check_properties(load(str(file), formulas=[formula], compress=compress), asked).verdict
            for compress in ((), ("paths",))
        }
        assert len(verdicts) == 1, formula


def test_refusals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "net.pn"
    file.write_text(HIDING + "subnet s { place r bool: true; trans t in { r: x; }; };")
    always = "[] (cardinality place p == 1)"
    for options, message in (
        (["--compress", "hidden", "--ltl", always], "hidden steps for ever"),
        (["--compress", "paths", "--ltl", "() (cardinality place p == 1)"], "counts steps"),
        (["--compress", "paths", "--ctl", "EF true"], "about single steps"),
        (["--compress", "paths", "--modular"], "do not go together"),
        (["--modular", "--ctl", "EF true"], "about single steps"),
    ):
        assert main(["check", str(file), *options]) == 2, options
        assert message in capsys.readouterr().err
    assert main(["check", str(file), "--compress", "paths", "--ltl", always, "-q"]) == 0


def test_long_chains(read: Read, tmp_path: Path) -> None:
    read("place p unsigned (0..25000): 0; trans t in { p: x; } gate x < 25000 out { p: x + 1; }; deadlock true;")
    model = load(str(tmp_path / "net.pn"), compress=["paths"])
    result = check_properties(model, SearchPlan(all_errors=True))
    assert (result.verdict, result.errors, result.states) == ("violated", 1, 3)
