"""The same algorithm in LF and in Promela: the same verdict, with and without a mistake in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.languages.lf import load
from kripke.languages.promela import load as load_promela

TWINS = Path(__file__).parents[3] / "benchmarks" / "lf_twins"

SAME = ("", "", "", "")
ORDER = ("forks[0], forks[N - 1]", "forks[N - 1], forks[0]")
SHORT, FULL = (2, 3, 2), (3, 3, 2)
WINDOW, MACROS = ("Window", "Modulo", "Data"), ("WINDOW", "MODULO", "DATA")

#: a model, other values of its constants in LF and in Promela, what is replaced in both, and the verdict
CASES = [
    ("peterson", {"N": 2}, {"N": 2}, SAME, "holds"),
    ("peterson", {"N": 2}, {"N": 2}, ("(turn[k] = me)", "FALSE", "flag[j] < k ||", "true ||"), "violated"),
    ("bounded_buffer", {"Slots": 3, "Items": 4}, {"SLOTS": 3, "ITEMS": 4}, SAME, "holds"),
    ("philosophers", {"N": 3}, {"N": 3}, SAME, "holds"),
    ("philosophers", {"N": 3}, {"N": 3}, (*ORDER, *ORDER), "violated"),
    ("sieve", {"Last": 9}, {"LAST": 9}, SAME, "holds"),
    ("sliding_window", dict(zip(WINDOW, SHORT, strict=True)), dict(zip(MACROS, SHORT, strict=True)), SAME, "holds"),
    ("sliding_window", dict(zip(WINDOW, FULL, strict=True)), dict(zip(MACROS, FULL, strict=True)), SAME, "violated"),
]


@pytest.mark.parametrize(("name", "constants", "macros", "texts", "verdict"), CASES)
def test_twins_have_the_same_verdict(
    tmp_path: Path,
    name: str,
    constants: dict[str, int],
    macros: dict[str, int],
    texts: tuple[str, str, str, str],
    verdict: str,
) -> None:
    found, put, found_too, put_too = texts
    one, other = (TWINS / f"{name}.lf").read_text(), (TWINS / f"{name}.pml").read_text()
    assert found in one and found_too in other
    file, twin = tmp_path / "program.lf", tmp_path / "twin.pml"
    file.write_text(one.replace(found, put) if found else one)
    for macro, value in macros.items():
        other = re.sub(rf"(?m)^#define {macro} .*$", f"#define {macro} {value}", other)
    twin.write_text(other.replace(found_too, put_too) if found_too else other)
    mine = check(load(str(file), defines={key: str(value) for key, value in constants.items()}), SearchPlan())
    theirs = check(load_promela(str(twin)), SearchPlan())
    assert (mine.verdict, theirs.verdict) == (verdict, verdict)
    assert mine.kind == theirs.kind
