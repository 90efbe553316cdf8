"""Models written as SMV and read again: the same number of states, the same verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.checker.check import check_properties
from kripke.engines.plan import SearchPlan
from kripke.languages.registry import LANGUAGES, load_model
from kripke.languages.request import LoadRequest
from kripke.languages.smv import read

EXAMPLES = Path(__file__).parents[3] / "examples"
FORM = LANGUAGES["smv"].forms[0]


@pytest.mark.parametrize(
    ("file", "states", "wrong"),
    [
        ("promela/peterson.pml", 38, []),
        ("promela/philosophers_deadlock.pml", 35, ["no_deadlock"]),
        ("modes/peterson.modes", 40, []),
    ],
)
def test_a_round_trip(file: str, states: int, wrong: list[str]) -> None:
    text = FORM.write(load_model(LoadRequest(str(EXAMPLES / file))), FORM).text
    result = check_properties(read(text), SearchPlan(engine="bdd"))
    assert result.states == states
    assert [part.name for part in result.parts if part.verdict != "holds"] == wrong


def test_comments_of_p2b(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text("byte /*p2b: 0 .. 2 */ x;\nactive proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }\n"
                    "/*p2b: SPEC AG EF x == 0 */\n")  # fmt: skip
    text = FORM.write(load_model(LoadRequest(str(path))), FORM).text
    result = check_properties(read(text), SearchPlan(engine="bdd"))
    verdicts = {part.name: part.verdict for part in result.parts}
    assert verdicts["range_of_x"] == "violated"
    assert [part.verdict for part in result.parts if part.kind == "ctl"] == ["holds"]
    assert kripke.load(path).check().verdict == "holds"
