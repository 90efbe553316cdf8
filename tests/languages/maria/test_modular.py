"""Modular exploration: nothing that the flat net does is missed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kripke.checker.check import check_properties
from kripke.engines.explicit.exploration import StateSpace, explore
from kripke.engines.plan import SearchPlan
from kripke.languages.maria import load
from kripke.model.source import ModelError


def space(file: Path, modular: bool, *flags: str) -> StateSpace:
    return explore(load(str(file), defines=dict.fromkeys(flags, ""), modular=modular), 20_000)


def counts(found: StateSpace) -> tuple[int, int]:
    return len(found.states), sum(edge.target is not None for edge in found.edges)


# The example of figure 7 of the dissertation in spirit: three modules that meet in two labels.
THREE = """
trans :t2; trans :t5;
subnet a { place p (1) unsigned (0..2): 0; trans t1 in { p: 0; } out { p: 1; };
           trans s2 : trans t2 in { p: 1; } out { p: 2; }; };
subnet b { place p (1) unsigned (0..3): 0; trans t3 in { p: 0; } out { p: 1; }; trans t4 in { p: 2; } out { p: 3; };
           trans s2 : trans t2 in { p: 1; } out { p: 2; }; trans s5 : trans t5 in { p: 3; } out { p: 0; }; };
subnet c { place p (1) bool: false; trans t6 in { p: false; } out { p: true; };
           trans s5 : trans t5 in { p: true; } out { p: false; }; };
"""


def test_a_synchronisation_graph_of_three_states(tmp_path: Path) -> None:
    file = tmp_path / "net.pn"
    file.write_text(THREE)
    found = space(file, True)
    assert counts(found) == (3, 2)
    assert [edge.label.strip() for edge in found.edges] == ["a.t1; b.t3; :t2", "b.t4; c.t6; :t5"]
    assert counts(space(file, False)) == (16, 23)


def random_modules(seed: int) -> str:
    """Small automata that meet in two labels; some states are rejected, some steps fail."""
    choose = random.Random(seed)
    lines = ["trans :x; trans :y; place count (0..2) struct {}: {};"]
    for module in range(choose.randrange(2, 4)):
        size = choose.randrange(2, 5)
        lines.append(f"subnet m{module} {{ place p (1) unsigned (0..{size - 1}): 0;")
        for number in range(choose.randrange(1, 4)):
            target = choose.choice([*map(str, range(size)), *map(str, range(size)), "undefined"])
            lines.append(f"trans t{number} in {{ p: {choose.randrange(size)}; }} out {{ p: {target}; }};")
        for label in "xy":
            if choose.random() < 0.8:
                step = f"in {{ p: {choose.randrange(size)}; }} out {{ p: {choose.randrange(size)}; }}"
                lines.append(f"trans {label} : trans {label} {step};")
        if choose.random() < 0.2:
            lines.append(f"reject {choose.randrange(1, size)} subset place p;")
        lines.append("};")
    lines.append(f"deadlock {choose.choice(['true', 'true', 'place count equals empty'])};")
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(60))
def test_the_same_errors_are_found(tmp_path: Path, seed: int) -> None:
    file = tmp_path / "net.pn"
    file.write_text(random_modules(seed))
    flat, modular = space(file, False), space(file, True)
    for each in (flat, modular):
        assert each.complete
    broken = [
        {
            each.model.violation_kinds[v.code].name
            for s in each.states
            for t in each.model.successors(s)
            for v in t.violations
        }
        for each in (flat, modular)
    ]
    if broken[0] - {"deadlock"}:  # after a rejected state the flat net is not explored: other errors may lie behind it
        assert bool(broken[0]) == bool(broken[1])
    else:
        assert not broken[1] - {"deadlock"}
        assert bool(flat.deadlocks) == ("deadlock" in broken[1])
        labels = [
            {edge.label.split("; ")[-1] for edge in each.edges if edge.target is not None} for each in (flat, modular)
        ]
        assert labels[1] == {label for label in labels[0] if label.startswith(":")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("place p bool: true;", "has no sub-nets"),
        ("subnet { place p bool: true; trans t! in { p: x; }; };", "priorities are about the flat net"),
    ],
)
def test_refusals(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "net.pn"
    file.write_text(text)
    with pytest.raises(ModelError, match=message):
        load(str(file), modular=True)


def meeting_modules(seed: int) -> str:
    """Small automata, each free to go on alone, that change a place around them where they meet."""
    choose = random.Random(seed)
    lines = ["typedef unsigned (0..2) n_t; place count (1) n_t: 0;"]
    for label in "xy":
        taken = choose.choice(["n", str(choose.randrange(3))])
        lines.append(f"trans :{label} in {{ count: {taken}; }} out {{ count: {choose.randrange(3)}; }};")
    for module in range(choose.randrange(2, 4)):
        size = choose.randrange(2, 4)
        lines.append(f"subnet m{module} {{ place p (1) unsigned (0..{size - 1}): 0;")
        names = [f"t{number}" for number in range(choose.randrange(1, 3))]
        names += [f"{label} : trans {label}" for label in "xy" if choose.random() < 0.8]
        for name in names:
            lines.append(f"trans {name} in {{ p: {choose.randrange(size)}; }} out {{ p: {choose.randrange(size)}; }};")
        lines.append("};")
    return "\n".join(lines)


FORMULAS = (
    "[] <> (1 subset place count)",
    "<> (2 subset place count)",
    "[] ((1 subset place count) => <> (0 subset place count))",
    "<> [] (0 subset place count)",
)


def test_linear_time_has_the_answers_of_the_flat_net(tmp_path: Path) -> None:
    file = tmp_path / "net.pn"
    verdicts = []
    for seed in range(12):
        file.write_text(meeting_modules(seed))
        for formula in FORMULAS:
            asked = SearchPlan(properties=(formula,), engine="interpreter")
            flat, modular = (
                check_properties(load(str(file), formulas=[formula], modular=modular), asked).verdict
                for modular in (False, True)
            )
            assert flat == modular, (seed, formula)
            verdicts.append(flat)
    assert 10 < verdicts.count("holds") < len(verdicts) - 10
    with pytest.raises(ModelError, match="counts steps"):
        load(str(file), formulas=["() (1 subset place count)"], modular=True)
