"""The case studies have the verdicts of their papers, and the price model its table."""

from __future__ import annotations

import contextlib
import io
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from kripke.cli.main import main

CASES = Path(__file__).parents[2] / "examples" / "cases"
VERDICTS = tomllib.loads((CASES / "manifest.toml").read_text())["verdict"]
PRICES = """\
7:1:2500:2500 0:1:2000:4500 4:2:625:5125 9:2:625:5750 2:2:625:6375 1:2:625:7000 5:2:500:7500 6:2:416:7916 8:3:277:8193
3:3:277:8470 9:3:277:8122 8:3:277:8122 7:3:277:5899 2:3:277:5551 1:3:277:5203 3:3:277:5203 5:3:277:4980 0:3:277:3257
6:3:250:3091 4:3:225:2691"""


def printed(*command: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(io.StringIO()):
        main(list(command))
    return output.getvalue()


@pytest.mark.parametrize("case", VERDICTS, ids=lambda case: " ".join([case["file"], *case["options"]]))
def test_verdicts_of_the_paper(case: dict[str, Any]) -> None:
    found = json.loads(printed("check", str(CASES / case["file"]), "--json", *case["options"]))
    properties = {one["name"]: one["verdict"] for one in found["properties"]}
    assert {name: properties.get(name) for name in case["properties"]} == case["properties"]
    if "states" in case:
        assert found["properties"][0]["states"] == case["states"]


def test_table_1_of_the_price_model() -> None:
    """C. Yuen, W. Tjioe, SPIN 2001: user, class, packets, demand of all, for the first twenty moves."""
    lines = printed("simulate", str(CASES / "price.pml"), "-D", "R=10", "-D", "TABLE", "-q", "--seed", "1").splitlines()
    rows = [line.replace(",", "").split() for line in lines if " sends " in line]
    assert [f"{row[2]}:{row[7]}:{row[4]}:{row[10]}" for row in rows] == PRICES.split()


def test_the_plateau_of_the_price_model() -> None:
    """Whatever the order, demand stays at 2,354 or 2,355 from round 12 on."""
    import kripke
    from kripke.report.series import series_of

    model = kripke.load(CASES / "price.pml", defines={"R": "10"}, dead_variables="off")
    demand, amount = series_of(
        [model.simulate(seed=seed, steps=400).trace for seed in (1, 2, 3)], ["demand", "amount[4]"]
    )
    assert {value for run in demand.runs for value in run[240:]} == {2354, 2355}
    assert {value for run in amount.runs for value in run[240:]} == {235, 236}


FEATURES = ("cfu", "cfb", "ocs", "ods", "tcs", "rbwf")


def test_static_matrices_of_the_telephones() -> None:
    """M. Calder, A. Miller, SPIN 2001, Figure 5: guards that overlap and do different things."""
    pytest.importorskip("pysat")
    assumed = [" && ".join(f"ods[{user}] != {7 if kind else user}" for user in range(4)) for kind in (0, 1)]
    options = [option for one in assumed for option in ("--assume", one)]
    model = str(CASES / "telephones.pml")
    found = json.loads(printed("info", model, "-D", "ALL", "-D", "USERS=4", "--overlaps", "--json", *options))
    susc, mumc = set(), set()
    for pair in found["overlaps"]:
        owners = [dict(elements) for elements in pair["subscripts"]]
        features = [next((name for name in one if name in FEATURES), None) for one in owners]
        if pair["differ in"] and all(features):
            first, second = (owner[feature] for owner, feature in zip(owners, features, strict=True))
            (susc if first == second else mumc).add(frozenset(features))
    assert susc == {frozenset({"cfu", "cfb"})}
    assert mumc == {frozenset({"ods", "cfu"}), frozenset({"ods", "cfb"})}


def test_the_log_of_the_telephones(tmp_path: Path) -> None:
    """The part of the sweep that the paper prints in section 12: CFU and CFB with property 7."""
    plan = (CASES / "telephones.toml").read_text()
    plan = plan.replace('file = "', f'file = "{CASES}/', 1)
    plan = re.sub(r"(?m)^FIRST = .*$", 'FIRST = ["CFU"]', plan)
    plan = re.sub(r"(?m)^SECOND = .*$", 'SECOND = ["CFB"]', plan)
    path = tmp_path / "telephones.toml"
    path.write_text(plan)
    printed("sweep", str(path), "-o", str(tmp_path / "results"))
    assert (
        (tmp_path / "results" / "log.txt").read_text()
        == """\
/*The features are CFU and CFB */
/*New combination of features:CFU[0]=1 and CFB[0]=0 */
feature 2 is meaningless
/*New combination of features:CFU[0]=1 and CFB[0]=1 */
with property 7
with parameters 0,0 and 1 errors: 0
with parameters 1,0 and 1 errors: 0
with parameters 2,0 and 1 errors: 0
with parameters 3,0 and 1 errors: 0
/*New combination of features:CFU[0]=1 and CFB[0]=2 */
with property 7
with parameters 0,0 and 1 errors: 1 FEATURE INTERACTION: SUSC
/*New combination of features:CFU[0]=1 and CFB[1]=0 */
potential loop, test separately
/*New combination of features:CFU[0]=1 and CFB[1]=1 */
feature 2 is meaningless
/*New combination of features:CFU[0]=1 and CFB[1]=2 */
with property 7
with parameters 0,0 and 1 errors: 1 FEATURE INTERACTION: MUMC
"""
    )
